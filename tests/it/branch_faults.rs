//! Branches under faults: writes that fail at any step, a program that is killed, bad input, files edited by hand.
//!
//! Never here: what a branch is told (see `branch_flows`), pictures.
//! Start reading at [`bed`], then [`steps`].

mod bad_input;
mod bed;
mod kills;
mod odd_files;
mod parent;
mod shell;
mod steps;
mod switching;
