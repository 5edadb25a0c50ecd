//! The window: panels, views and the pieces they are made of.
//!
//! Never here: rules about conversations or engines, files, network, processes. Those live in the core rooms;
//! the window sends commands and draws snapshots.
//! Start at `theme` (tokens) and `widgets` (pieces without app knowledge).

pub mod theme;
pub mod widgets;
