//! Helpers for this room's tests: a temp folder, waiting on a condition, a clean environment.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use super::process::{ProcessSpec, StdinMode};

/// The whole environment of a test child: its own HOME, the system's tools, nothing inherited.
pub(crate) fn clean_env(home: &Path) -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), "/usr/bin:/bin".into()), ("HOME".into(), home.into())]
}

/// `/bin/sh -c script` in `folder`, nothing on standard input, no guard.
pub(crate) fn sh(folder: &Path, script: &str) -> ProcessSpec {
    ProcessSpec {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: clean_env(folder),
        cwd: folder.to_path_buf(),
        stdin: StdinMode::Null,
        guard: None,
    }
}

/// Asks again every 20 ms until `condition` holds or the time is over; says whether it held.
pub(crate) async fn holds_within(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline {
        if condition() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    condition()
}
