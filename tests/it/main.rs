//! All integration tests in one binary.

mod store;
