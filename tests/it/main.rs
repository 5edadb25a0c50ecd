//! Tests of whole pieces: one crate, so that it links once.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a helper of a test ends it with a message; the exemption for tests reaches only the test functions"
)]

mod architecture;
#[cfg(target_os = "linux")]
mod branch_faults;
mod branch_flows;
mod cli;
mod dialects;
mod discover;
mod faults;
mod flows;
mod host;
mod http_engine;
mod knowledge_flows;
mod model_server;
#[cfg(target_os = "linux")]
mod os_process;
mod overhead;
mod pack_flows;
mod pack_sections;
mod packs;
#[cfg(feature = "gui")]
mod panels;
#[cfg(target_os = "linux")]
mod real;
#[cfg(target_os = "linux")]
mod slow_sources;
mod store;
mod summary_flows;
mod support;
#[cfg(target_os = "linux")]
mod user_reports;
