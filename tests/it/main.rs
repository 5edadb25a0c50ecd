//! Tests of whole pieces: one crate, so that it links once.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a helper of a test ends it with a message; the exemption for tests reaches only the test functions"
)]

mod model_server;
mod support;
