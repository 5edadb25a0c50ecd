//! PACK: what the model gets to read, and why. One path for every engine and every kind of request.
//!
//! Never here: writes, starting a process, a network, waiting for anything slow. What slow sources know is
//! handed in with the [`PackSpec`]. No engine is named in logic.
//! Start reading at [`assemble`], then `sections/mod.rs` (the list, in pack order) and `budget.rs`.

mod assemble;
pub mod budget;
mod draft;
mod error;
mod fence;
pub mod history;
mod items;
pub mod mode;
mod roles;
mod rounds;
mod section;
mod sections;
pub mod skills;
mod spec;
pub mod summary;
mod tiers;
mod tokens;
mod transcript;
mod transport;
pub mod trim;
pub mod words;

pub use assemble::{assemble, mode_of};
pub use error::ContextError;
pub use roles::{persona_names, persona_text, role_names, role_text};
pub use section::{Part, Section, SectionCx, Trimmable, Want};
pub use spec::{FORKED, Found, Held, PackSeat, PackSpec, Sources};
pub use tokens::estimate_tokens;
pub use transport::{Rendered, SEPARATOR, render};
