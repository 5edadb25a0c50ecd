//! The log file: one a day, a week kept, written by a thread of its own, keys taken out.

use std::io::{self, Write};
use std::path::Path;

use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use super::redact::redact_bytes;

const MAX_FILES: usize = 7;
/// Longer lines are cut off in the log: nobody reads them, and they would fill the disk.
const MAX_LOG_LINE_BYTES: usize = 16 * 1024;

/// Keeps the log going. Dropping it writes out what is still waiting, so hold it until the very end.
#[derive(Debug)]
pub struct LogGuard {
    _worker: WorkerGuard,
}

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("the log file can't be opened: {0}")]
    Open(#[from] tracing_appender::rolling::InitError),
    #[error("not a log filter: {0}")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    #[error("a log has been started already")]
    Already,
}

/// Starts the log of the whole process in `folder`, which must exist.
///
/// `filter` is in `tracing`'s words (`info`, `warn,tunaflow=debug`). Writing never holds anyone up: when the
/// disk can't keep up, lines are dropped.
///
/// # Errors
/// The file can't be opened, the filter is not understood, or a log has been started before.
pub fn start(folder: &Path, filter: &str) -> Result<LogGuard, LogError> {
    let filter = EnvFilter::try_new(filter)?;
    let (writer, worker) = open(folder)?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(Redacting(writer))
        .try_init()
        .map_err(|_taken| LogError::Already)?;
    Ok(LogGuard { _worker: worker })
}

fn open(folder: &Path) -> Result<(NonBlocking, WorkerGuard), LogError> {
    let file = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .max_log_files(MAX_FILES)
        .filename_prefix("tunaflow")
        .filename_suffix("log")
        .build(folder)?;
    Ok(tracing_appender::non_blocking(file))
}

/// Takes keys out of everything on its way to another writer.
#[derive(Debug, Clone)]
pub struct Redacting<W>(pub W);

impl<'a, W: MakeWriter<'a>> MakeWriter<'a> for Redacting<W> {
    type Writer = RedactingWriter<W::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        RedactingWriter::new(self.0.make_writer())
    }
}

/// Collects a line, then hands it on without keys. What has no line end is handed on when dropped, so that a
/// key that comes in two pieces is seen whole.
#[derive(Debug)]
pub struct RedactingWriter<W: Write> {
    inner: W,
    line: Vec<u8>,
}

impl<W: Write> RedactingWriter<W> {
    pub fn new(inner: W) -> Self {
        Self { inner, line: Vec::new() }
    }

    fn hand_on(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let mut clean = redact_bytes(&line);
        if clean.len() > MAX_LOG_LINE_BYTES {
            clean.truncate(MAX_LOG_LINE_BYTES);
            clean.extend_from_slice(b" [cut]\n");
        }
        if clean.is_empty() { Ok(()) } else { self.inner.write_all(&clean) }
    }
}

impl<W: Write> Write for RedactingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.hand_on()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W: Write> Drop for RedactingWriter<W> {
    fn drop(&mut self) {
        // There is nowhere to report that the log can't be written.
        drop(self.hand_on());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pieces: &[&str]) -> String {
        let mut out = Vec::new();
        let mut writer = RedactingWriter::new(&mut out);
        for piece in pieces {
            writer.write_all(piece.as_bytes()).unwrap();
        }
        drop(writer);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_key_in_pieces_is_taken_out_too() {
        let pieces = ["a sk-0123", "456789abcdef\nBear", "er abcdefgh"];
        assert_eq!(written(&pieces), "a sk-[redacted]\nBearer [redacted]");
        let long = "x".repeat(100_000);
        assert_eq!(written(&[&long, "\n"]).len(), MAX_LOG_LINE_BYTES + " [cut]\n".len());
    }

    #[test]
    fn events_reach_the_file_without_their_keys() {
        let folder = tempfile::tempdir().unwrap();
        let (writer, worker) = open(folder.path()).unwrap();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(Redacting(writer)).finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(header = "Bearer abcdefgh", "한글 ANTHROPIC_API_KEY=abcdefghijkl");
        });
        drop(worker);
        let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains("한글 ANTHROPIC_API_KEY=[redacted]"), "{text}");
        assert!(!text.contains("abcdefgh"), "{text}");
    }
}
