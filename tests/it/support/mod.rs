//! What the integration tests share: a model server that answers on the loopback address, and the homes and
//! environments in which real agent command lines are run against it.
//!
//! Never here: an assertion about tunaflow itself, a machine's path, any address but 127.0.0.1.
//! Start reading at `model_server/mod.rs`, then `clis.rs`.

pub mod app;
pub mod clis;
#[cfg(target_os = "linux")]
pub mod database;
pub mod model_server;
