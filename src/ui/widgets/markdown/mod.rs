//! Markdown as it is shown in answers: parsed into settled blocks once, drawn block by block.
//!
//! Never here: fetching anything (images are shown as words), running anything, knowledge of messages.
//! Start at [`StreamDoc`] (text to blocks) and [`Markdown`] (blocks to the screen).

mod code;
mod draw;
mod highlight;
mod parse;
mod sanitize;
mod stream;
#[cfg(test)]
mod tests;

pub use code::{CodeHead, code_block, diff_counts, is_diff};
pub use draw::{Action, Markdown};
pub use highlight::{Span, SynClass};
pub use parse::{Block, Kind, Leaf, Marker, Run, Style, Table};
pub use sanitize::clean;
pub use stream::StreamDoc;
