//! The model server itself, and the real command lines against it.
//!
//! Start reading at `protocols.rs`; `client.rs` is the raw client, `real_clis.rs` needs installed engines.

mod client;
mod protocols;
mod real_clis;
mod serve;
mod transport;
