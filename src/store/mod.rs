//! SQLITE: what is kept, and how it is read back.
//!
//! Everything is synchronous and typed; one file per family of tables. One [`Store`] writes, owned by one
//! thread ([`StoreWorker`]); any number of [`ReadDb`] read beside it. Writing takes the closed list
//! `StoreWrite`; reading is total: a bad row costs that row, never the conversation or the start.
//!
//! Never here: async, prompt text, engine names in logic, clocks (times come in), decisions about turns.
//! Start reading at [`Store::open`] and [`Store::apply`], then [`ReadDb`]. The tables are in
//! `migrations/`; the list of migrations is in `migrate.rs`.

mod backup;
mod codec;
mod conversations;
mod error;
mod file;
mod find;
mod knowledge;
mod links;
mod messages;
mod migrate;
mod pending;
mod plans;
mod projects;
mod reader;
#[doc(hidden)]
pub mod seed;
mod sessions;
mod settings;
mod turns;
mod worker;
mod writer;

#[cfg(test)]
mod tests;

pub use backup::{BackupFile, BackupKind, backup_if_due, list_backups, restore_backup};
pub use error::StoreError;
pub use file::quick_check;
pub use find::Found;
pub use reader::ReadDb;
pub use turns::TurnEventRow;
pub use worker::{StoreHandle, StoreWorker, WriteDone};
pub use writer::Store;
