//! Git: what is checked out, what changed, and checkouts beside the main one.
//!
//! Never here: a shell, `--force`, anything that asks the user for a password. [`head`] reads git's own files; all
//! else runs the program `git`. Start reading at [`run`], then [`checkout`] and [`remove`].

pub mod changes;
pub mod checkout;
pub mod fingerprint;
pub mod head;
mod loose;
mod moved;
pub mod name;
pub mod remove;
pub mod run;
pub mod status;

#[cfg(test)]
#[cfg(unix)]
mod tests;

pub use head::{Head, current_head};
pub use run::{Git, GitError};
