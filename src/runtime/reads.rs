//! A few read-only connections, lent to blocking threads.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc};

use crate::store::{ReadDb, StoreError};

/// Connections kept open, at most.
const CONNECTIONS_MAX: usize = 4;

/// The pool; cheap to clone.
#[derive(Clone)]
pub(in crate::runtime) struct ReadPool {
    path: Arc<PathBuf>,
    permits: Arc<Semaphore>,
    idle: mpsc::Sender<ReadDb>,
    take: Arc<tokio::sync::Mutex<mpsc::Receiver<ReadDb>>>,
}

impl ReadPool {
    pub fn new(path: PathBuf, first: ReadDb) -> Self {
        let (idle, take) = mpsc::channel(CONNECTIONS_MAX);
        // The channel is empty and has room.
        drop(idle.try_send(first));
        Self {
            path: Arc::new(path),
            permits: Arc::new(Semaphore::new(CONNECTIONS_MAX)),
            idle,
            take: Arc::new(tokio::sync::Mutex::new(take)),
        }
    }

    /// Reads on a blocking thread; waits while all connections are lent.
    ///
    /// # Errors
    /// What `read` says, or that no connection can be opened.
    pub async fn read<T, F>(&self, read: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&ReadDb) -> Result<T, StoreError> + Send + 'static,
    {
        let _permit = self.permits.acquire().await.map_err(StoreError::other)?;
        let kept = self.take.lock().await.try_recv().ok();
        let path = self.path.clone();
        let idle = self.idle.clone();
        let done = tokio::task::spawn_blocking(move || {
            let db = match kept {
                Some(db) => db,
                None => ReadDb::open_read_only(&path)?,
            };
            let result = read(&db);
            // A connection that met an error may be the cause; it is not kept.
            if result.is_ok() {
                db.release_memory();
                drop(idle.try_send(db));
            }
            result
        });
        done.await.map_err(StoreError::other)?
    }
}
