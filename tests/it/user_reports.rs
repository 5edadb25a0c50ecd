//! What users of such programs have run into, each played through our runtime with stand-ins for the agents.
//!
//! A stand-in is a small shell script in a home of its own, found as a real program is found. Each test says in its
//! first line what went wrong for somebody.
//!
//! Never here: a real agent, an account, an address, this machine's environment.
//! Start reading at [`fake`].

mod failures;
pub mod fake;
mod finding;
mod output;
mod processes;
mod prompts;
mod restarts;
mod sessions;
mod worktrees;
