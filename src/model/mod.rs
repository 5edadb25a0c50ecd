//! NOUNS: plain data that every room talks about.
//!
//! Never here: I/O, async, SQL, egui, clocks, randomness.
//! Start reading at [`message`] and [`turn`].

pub mod branch;
pub mod code;
pub mod engine;
pub mod git;
pub mod id;
pub mod knowledge;
pub mod message;
pub mod pack;
pub mod plan;
pub mod positions;
pub mod project;
pub mod record;
pub mod sentences;
pub mod settings;
pub mod skill;
pub mod starter;
pub mod summary;
pub mod turn;
pub mod visible;
