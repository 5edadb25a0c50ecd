//! The real runtime over a temporary folder, driven as a front drives it.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;

use crate::api::handle::Waker;
use crate::api::snapshot::{ConversationView, Snapshot};
use crate::bench::scratch::Scratch;
use crate::model::id::ConversationId;
use crate::runtime::{self, Config, Running};

/// Longest wait for anything.
const LIMIT: Duration = Duration::from_secs(60);

/// Starts it without looking for engines.
///
/// # Errors
/// See [`runtime::start`].
pub fn start(scratch: &Scratch) -> anyhow::Result<Running> {
    let config = Config {
        paths: scratch.paths()?,
        process_env: scratch.env(),
        home: scratch.home(),
        guard: std::env::current_exe().ok(),
        read_only: false,
        program_ends: false,
        discover: false,
    };
    Ok(runtime::start(config, Waker::noop())?)
}

/// Waits for a snapshot that is as wanted.
///
/// # Errors
/// It never came.
pub fn until(
    running: &Running,
    what: &'static str,
    mut wanted: impl FnMut(&Snapshot) -> bool,
) -> anyhow::Result<Arc<Snapshot>> {
    let mut handle = running.handle();
    let found = running.block_on(async {
        tokio::time::timeout(LIMIT, async {
            let mut snapshot = handle.snapshot();
            while !wanted(&snapshot) {
                snapshot = handle.changed().await?;
            }
            Some(snapshot)
        })
        .await
    });
    found.ok().flatten().with_context(|| format!("it never happened: {what}"))
}

/// The view of a conversation whose newest messages can be drawn.
pub fn shown(snapshot: &Snapshot, conversation: ConversationId) -> Option<&Arc<ConversationView>> {
    let view = snapshot.view(conversation)?;
    let last = view.index.len().checked_sub(1)?;
    (!view.loading && view.message(last).is_some()).then_some(view)
}
