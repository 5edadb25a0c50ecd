//! One binary for all tests over more than one room.

#[cfg(all(feature = "gui", debug_assertions))]
mod panels;
