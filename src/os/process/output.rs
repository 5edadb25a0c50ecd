//! Running a short program to its end for what it prints (`--version` and the like).

use std::time::Duration;

use super::child::{ExitInfo, spawn};
use super::lines::Line;
use super::spec::{ProcessSpec, SpawnError};

/// What a program printed, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its standard output, lines joined by `\n`, at most the bytes asked for.
    pub stdout: String,
    /// Whether there was more.
    pub truncated: bool,
    pub exit: ExitInfo,
}

/// Why there is no output.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutputError {
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error("no answer within {} ms", limit.as_millis())]
    TimedOut { limit: Duration, stdout: String, stderr_tail: String },
}

/// Runs the program to its end, within `limit`, keeping at most `max_bytes` of what it prints.
///
/// Its input is closed at once. When the time is over it is killed with all it started; what it had printed
/// by then is in the error.
///
/// # Errors
/// It could not be started or did not end in time. An exit code that is not 0 is no error here.
pub async fn run_for_output(
    spec: &ProcessSpec,
    limit: Duration,
    max_bytes: usize,
) -> Result<Output, OutputError> {
    let mut child = spawn(spec)?;
    drop(child.take_stdin());
    let mut stdout = String::new();
    let mut truncated = false;
    let ended = tokio::time::timeout(limit, async {
        if let Some(mut lines) = child.take_lines() {
            let mut is_first = true;
            while let Some(line) = lines.next().await {
                let Line::Text(line) = line else {
                    truncated = true;
                    continue;
                };
                if !std::mem::take(&mut is_first) {
                    truncated |= !push_within(&mut stdout, "\n", max_bytes);
                }
                truncated |= !push_within(&mut stdout, &line, max_bytes);
            }
        }
        child.wait().await
    })
    .await;
    match ended {
        Ok(exit) => match exit.start_error {
            Some(error) => Err(error.into()),
            None => Ok(Output { stdout, truncated, exit }),
        },
        Err(_elapsed) => {
            let stderr_tail = child.stop(Duration::ZERO).await.stderr_tail;
            Err(OutputError::TimedOut { limit, stdout, stderr_tail })
        }
    }
}

/// Appends what fits, on a character border; says whether all did.
fn push_within(text: &mut String, more: &str, max_bytes: usize) -> bool {
    let room = max_bytes.saturating_sub(text.len());
    let end = more.floor_char_boundary(room);
    text.push_str(more.get(..end).unwrap_or_default());
    end == more.len()
}
