//! The integration tests: one binary, one module a subject.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that can't go on should stop")]

mod dialects;
#[cfg(unix)]
mod discover;
#[cfg(unix)]
mod host;
mod http_engine;
#[cfg(target_os = "linux")]
mod os_process;
