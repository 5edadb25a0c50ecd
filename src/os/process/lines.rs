//! Standard output as whole lines: bytes are collected first and decoded only when a line is complete.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::ChildStdout;
use tokio::sync::watch;

use super::child::ExitInfo;

/// The longest line that is handed on, in bytes without its line end.
pub const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

const CHUNK_BYTES: usize = 64 * 1024;
/// How long silence lasts after the child's exit before its output counts as ended. A process it left
/// behind may hold the pipe open for ever.
const SILENCE_AFTER_EXIT: Duration = Duration::from_secs(1);
/// What may still be read after the child's exit; more than the largest pipe can hold (1 MiB on Linux).
const BYTES_AFTER_EXIT: usize = 2 * 1024 * 1024;

/// One line of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A whole line without its line end (`\n` or `\r\n`). Bytes that are not UTF-8 became U+FFFD.
    Text(String),
    /// A line over [`MAX_LINE_BYTES`] was dropped as a whole; `bytes` is its full length.
    TooLong { bytes: u64 },
}

/// Cuts a stream of bytes into lines. Each byte is looked at once; memory is bounded by the limit.
#[derive(Debug)]
pub struct LineSplitter {
    limit_bytes: usize,
    pending: Vec<u8>,
    /// Length so far of a line that is over the limit, whose bytes are no longer kept.
    dropped_bytes: Option<u64>,
}

impl LineSplitter {
    /// `limit_bytes`: longer lines become [`Line::TooLong`].
    #[must_use]
    pub fn new(limit_bytes: usize) -> Self {
        Self { limit_bytes, pending: Vec::new(), dropped_bytes: None }
    }

    /// Takes the next bytes and appends every line that they complete to `out`.
    pub fn feed(&mut self, mut bytes: &[u8], out: &mut VecDeque<Line>) {
        while let Some(end) = bytes.iter().position(|b| *b == b'\n') {
            self.keep(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let line = self.take_line();
            out.push_back(line);
        }
        self.keep(bytes);
    }

    /// The last line if the stream ended without a line end.
    pub fn finish(&mut self) -> Option<Line> {
        (self.dropped_bytes.is_some() || !self.pending.is_empty()).then(|| self.take_line())
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some(dropped) = &mut self.dropped_bytes {
            *dropped += bytes.len() as u64;
        } else if self.pending.len() + bytes.len() > self.limit_bytes {
            self.dropped_bytes = Some((self.pending.len() + bytes.len()) as u64);
            self.pending = Vec::new();
        } else {
            self.pending.extend_from_slice(bytes);
        }
    }

    fn take_line(&mut self) -> Line {
        if let Some(bytes) = self.dropped_bytes.take() {
            return Line::TooLong { bytes };
        }
        let mut bytes = std::mem::take(&mut self.pending);
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        Line::Text(decode(bytes))
    }
}

/// Bytes as text; what is not UTF-8 becomes U+FFFD. Copies nothing when all is well.
pub(in crate::os) fn decode(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

/// The lines of a child's standard output, in order.
#[derive(Debug)]
pub struct LineSource {
    stdout: Option<ChildStdout>,
    exit: watch::Receiver<Option<ExitInfo>>,
    splitter: LineSplitter,
    ready: VecDeque<Line>,
    chunk: Vec<u8>,
    bytes_after_exit: usize,
}

impl LineSource {
    pub(super) fn new(stdout: ChildStdout, exit: watch::Receiver<Option<ExitInfo>>) -> Self {
        Self {
            stdout: Some(stdout),
            exit,
            splitter: LineSplitter::new(MAX_LINE_BYTES),
            ready: VecDeque::new(),
            chunk: vec![0; CHUNK_BYTES],
            bytes_after_exit: 0,
        }
    }

    /// The next line; `None` once the output has ended, and from then on.
    ///
    /// May be dropped while waiting (in `select!`) without losing anything. The output also ends when the
    /// child has exited and nothing came for a second, even if a process it left behind holds the pipe.
    pub async fn next(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.ready.pop_front() {
                return Some(line);
            }
            let read = self.read().await?;
            self.splitter.feed(&self.chunk[..read], &mut self.ready);
            if self.stdout.is_none() {
                self.ready.extend(self.splitter.finish());
            }
        }
    }

    /// The next bytes as they came, for output that is no text; `None` once it has ended. Not to be mixed with
    /// [`LineSource::next`].
    pub async fn next_bytes(&mut self) -> Option<&[u8]> {
        let read = self.read().await?;
        Some(&self.chunk[..read])
    }

    /// Fills `chunk`; at the end of the output lets go of it.
    async fn read(&mut self) -> Option<usize> {
        let stdout = self.stdout.as_mut()?;
        let exit = &mut self.exit;
        let read = tokio::select! {
            biased;
            read = stdout.read(&mut self.chunk) => read.unwrap_or_else(|error| {
                tracing::warn!(%error, "standard output can't be read further");
                0
            }),
            () = silence_after_exit(exit) => 0,
        };
        if self.exit.borrow().is_some() {
            self.bytes_after_exit += read;
        }
        if read == 0 || self.bytes_after_exit > BYTES_AFTER_EXIT {
            self.stdout = None;
        }
        Some(read)
    }
}

async fn silence_after_exit(exit: &mut watch::Receiver<Option<ExitInfo>>) {
    // An error means that the watching task is gone with its runtime: nothing more will come either.
    if exit.wait_for(Option::is_some).await.is_err() {
        tracing::debug!("no longer told when the child exits");
    }
    tokio::time::sleep(SILENCE_AFTER_EXIT).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(limit_bytes: usize, pieces: &[&[u8]]) -> Vec<Line> {
        let mut splitter = LineSplitter::new(limit_bytes);
        let mut out = VecDeque::new();
        for piece in pieces {
            splitter.feed(piece, &mut out);
        }
        out.extend(splitter.finish());
        out.into()
    }

    fn text(line: &str) -> Line {
        Line::Text(line.to_owned())
    }

    #[test]
    fn lines_are_cut_at_newlines_only() {
        let cases: [(&[&[u8]], Vec<Line>); 7] = [
            (&[b"a\nb\n"], vec![text("a"), text("b")]),
            (&[b"a\r\nb"], vec![text("a"), text("b")]),
            (&[b"a\rb\n"], vec![text("a\rb")]),
            (&[b"\n\n"], vec![text(""), text("")]),
            (&[b""], vec![]),
            (
                &[b"12345678\n", b"123456789\nnext"],
                vec![text("12345678"), Line::TooLong { bytes: 9 }, text("next")],
            ),
            (&[b"12345", b"6789", b"0"], vec![Line::TooLong { bytes: 10 }]),
        ];
        for (pieces, wanted) in cases {
            assert_eq!(split(8, pieces), wanted, "{pieces:?}");
        }
    }

    #[test]
    fn a_broken_byte_spoils_only_itself() {
        assert_eq!(split(99, &[b"ok \xff ok\n"]), [text("ok \u{fffd} ok")]);
    }

    proptest! {
        #[test]
        fn cutting_the_bytes_anywhere_changes_nothing(
            lines in prop::collection::vec("[^\n\r]{0,12}", 1..8),
            cut_at in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let whole = lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
            let mut cuts: Vec<usize> = cut_at.iter().map(|i| i.index(whole.len() + 1)).collect();
            cuts.sort_unstable();
            cuts.insert(0, 0);
            cuts.push(whole.len());
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|w| &whole[w[0]..w[1]]).collect();
            let wanted: Vec<Line> = lines.iter().map(|line| text(line)).collect();
            prop_assert_eq!(split(1024, &pieces), wanted);
        }
    }
}
