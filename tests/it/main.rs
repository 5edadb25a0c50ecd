//! All integration tests in one binary.

mod packs;
mod store;
