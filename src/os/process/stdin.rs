//! Writing to a child's standard input without ever blocking on a child that does not read.

use tokio::io::AsyncWriteExt as _;
use tokio::process::ChildStdin;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Writes that may wait for the child to read; the next one waits for room.
const QUEUED_WRITES: usize = 64;

/// The child no longer reads: it closed its input or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the program no longer reads its input")]
pub struct StdinClosed;

/// Writes whole pieces to a child's standard input, in order.
///
/// A task of its own does the writing, so that a caller who also reads the child's output can't end up
/// waiting for a child that waits for its output to be read. Dropping it closes the input after what was
/// handed over has been written.
#[derive(Debug)]
pub struct StdinWriter {
    pieces: mpsc::Sender<Vec<u8>>,
    task: JoinHandle<std::io::Result<()>>,
}

impl StdinWriter {
    pub(super) fn new(mut stdin: ChildStdin) -> Self {
        let (pieces, mut waiting) = mpsc::channel::<Vec<u8>>(QUEUED_WRITES);
        let task = tokio::spawn(async move {
            while let Some(piece) = waiting.recv().await {
                stdin.write_all(&piece).await?;
                stdin.flush().await?;
            }
            stdin.shutdown().await
        });
        Self { pieces, task }
    }

    /// Hands over `line` and a line end. Waits only while the queue is full.
    ///
    /// # Errors
    /// An earlier piece could not be written. A failure of this one shows at the next call or at
    /// [`Self::close`].
    pub async fn write_line(&self, line: &str) -> Result<(), StdinClosed> {
        let mut piece = Vec::with_capacity(line.len() + 1);
        piece.extend_from_slice(line.as_bytes());
        piece.push(b'\n');
        self.write(piece).await
    }

    /// Hands over `bytes` as they are.
    ///
    /// # Errors
    /// As [`Self::write_line`].
    pub async fn write(&self, bytes: Vec<u8>) -> Result<(), StdinClosed> {
        self.pieces.send(bytes).await.map_err(|_gone| StdinClosed)
    }

    /// Waits until everything is written, then closes the input.
    ///
    /// # Errors
    /// Something handed over never reached the child.
    pub async fn close(self) -> Result<(), StdinClosed> {
        drop(self.pieces);
        match self.task.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(StdinClosed),
        }
    }
}
