//! FINDING: passages that bear on what the user asks.
//!
//! Never here: what an agent is told about them and how (that is the pack's), words shown in a window, writing.
//! Start reading at [`code`] (searching a project's code).

pub mod code;
