//! Which keys run which command: combinations, what they may be, and the map of what holds now.
//!
//! Never here: drawing, and what a command does. Commands and the keys they come with stand in `action`.
//! Start at [`KeyMap::of`]; [`Chord`] is one combination, `rules` says which may be chosen, [`edit`] changes choices.

mod chord;
pub mod edit;
mod map;
mod names;
mod rules;
#[cfg(test)]
mod tests;

pub use chord::{Chord, Platform, held_words, is_modifier};
pub use map::{Held, KeyMap, Problem, Row, Unread, pressed};
pub use names::name;
pub use rules::{Refusal, refusal};
