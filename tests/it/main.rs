//! The integration tests: one binary, one module a subject.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

mod dialects;
#[cfg(unix)]
mod host;
#[cfg(target_os = "linux")]
mod os_process;
