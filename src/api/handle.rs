//! How a front reaches the runtime, and how it is woken.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use crate::api::command::Command;
use crate::api::snapshot::Snapshot;

/// A front's end of the line: send commands, read the newest snapshot.
#[derive(Clone)]
pub struct AppHandle {
    commands: mpsc::Sender<Command>,
    snapshots: watch::Receiver<Arc<Snapshot>>,
}

/// The inbox is full or gone. The command comes back so that nothing typed is lost.
#[derive(Debug)]
pub struct Refused(pub Box<Command>);

impl AppHandle {
    pub fn new(commands: mpsc::Sender<Command>, snapshots: watch::Receiver<Arc<Snapshot>>) -> Self {
        Self { commands, snapshots }
    }

    /// Sends without waiting; safe to call from a frame.
    ///
    /// # Errors
    /// [`Refused`] when the bounded inbox is full or the runtime has ended.
    pub fn send(&self, command: impl Into<Command>) -> Result<(), Refused> {
        self.commands.try_send(command.into()).map_err(|error| Refused(Box::new(error.into_inner())))
    }

    /// The newest snapshot.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshots.borrow().clone()
    }

    /// Waits for the next snapshot. `None` when the runtime has ended.
    pub async fn changed(&mut self) -> Option<Arc<Snapshot>> {
        self.snapshots.changed().await.ok()?;
        Some(self.snapshots.borrow_and_update().clone())
    }
}

/// Asks a window to draw again. A cloneable callback, so that the core knows no window.
#[derive(Clone)]
pub struct Waker(Arc<dyn Fn(Wake) + Send + Sync>);

/// Why a window is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// A new snapshot is there.
    Repaint,
    /// A second start asked this window to come to the front.
    ToFront,
}

impl Waker {
    pub fn new(wake: impl Fn(Wake) + Send + Sync + 'static) -> Self {
        Self(Arc::new(wake))
    }

    /// For fronts without a window.
    pub fn noop() -> Self {
        Self::new(|_| {})
    }

    pub fn wake(&self, wake: Wake) {
        (self.0)(wake);
    }
}
