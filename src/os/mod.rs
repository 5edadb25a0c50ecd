//! The machine: the only room that starts processes or knows where files live.
//!
//! Never here: words of the product (conversations, engines, prompts), SQL, HTTP, drawing.
//! Start reading at [`process`] (starting, reading and ending a child), then [`guard`] (why no child
//! outlives the program), then [`env`] and [`find`] (what a child sees and where it is found).

pub mod clean;
pub mod clock;
pub mod env;
pub mod files;
pub mod find;
pub mod git;
pub mod guard;
pub mod instance;
pub mod log;
pub mod named_texts;
pub mod paths;
pub mod process;
pub mod redact;
pub mod secrets;
pub mod shell;
pub mod skills;
pub mod stack;

#[cfg(unix)]
mod proc_table;
#[cfg(test)]
mod testing;
