//! WORDS between a front (window, command line) and the domain.
//!
//! Never here: behaviour beyond small constructors, I/O, egui.
//! Start reading at [`command::Command`] and [`snapshot::Snapshot`].

pub mod command;
pub mod handle;
pub mod notice;
pub mod rows;
pub mod snapshot;
pub mod summary;
