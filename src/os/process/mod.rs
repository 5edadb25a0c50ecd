//! Starting a child program, talking with it by lines, and ending it with everything it started.
//!
//! Never here: what the lines mean. Start reading at [`spec`] (what to start), then [`child`] (the handle).

pub mod child;
pub mod lines;
pub mod output;
pub mod spec;
pub mod stdin;
pub mod tail;

#[cfg(unix)]
mod tree;
#[cfg(not(unix))]
#[path = "tree_other.rs"]
mod tree;

#[cfg(test)]
#[cfg(unix)]
mod tests;

pub use child::{Child, ExitInfo, spawn};
pub use lines::{Line, LineSource, MAX_LINE_BYTES};
pub use output::{Output, OutputError, run_for_output};
pub use spec::{MAX_ARG_BYTES, ProcessSpec, SpawnError, StdinMode};
pub use stdin::{StdinClosed, StdinWriter};
