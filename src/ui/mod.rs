//! The window: panels, views and the pieces they are made of.
//!
//! Never here: rules about conversations or engines, network, processes, SQL, waiting. Those live in the core
//! rooms; the window sends commands and draws snapshots.
//! Start at [`run`], then [`shell`] (one frame), [`panel`] and `panels` (one file a panel); [`theme`] and
//! [`widgets`] are the pieces without app knowledge.

pub mod action;
pub mod cx;
#[cfg(debug_assertions)]
pub mod demo;
pub mod host;
pub mod keys;
pub mod lineage;
pub mod panel;
pub mod panels;
pub mod regions;
pub mod route;
pub mod shell;
pub mod subsequence;
#[cfg(any(test, debug_assertions))]
pub mod testing;
pub mod theme;
pub mod view_state;
pub mod widgets;
mod window;
pub mod words;

pub use host::Host;
pub use shell::Shell;
pub use window::{Watcher, WindowConfig, prepare, run};
