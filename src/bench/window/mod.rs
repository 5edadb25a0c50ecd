//! Windows of the system, each in a process of its own: the program's window beside an empty one.
//!
//! `watched` and `empty` run inside the child and tell on standard output what happens; `child` starts and asks
//! them; `measures` compares.

mod child;
mod empty;
mod measures;
mod watched;
mod web;

pub use empty::empty;
pub use measures::{idle, memory, start};
pub use watched::watched;
pub(in crate::bench) use watched::wheel;
pub use web::web;

/// Inner size of both windows, points.
const SIZE: [f32; 2] = [1280.0, 800.0];

/// Words on a child's standard output, each followed by a number.
mod word {
    /// The first frame has been painted; Unix time, ns.
    pub const PAINTED: &str = "painted";
    /// A frame with the conversation's newest messages has been painted; Unix time, ns.
    pub const SHOWN: &str = "shown";
    /// Frames painted so far.
    pub const FRAMES: &str = "frames";
    /// The asked frames of scrolling have been painted.
    pub const SCROLLED: &str = "scrolled";
}
