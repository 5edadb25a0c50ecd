//! The thread that owns the writer.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::{Builder, JoinHandle};

use crate::model::record::StoreWrite;

use super::error::{StoreError, StoreResult};
use super::writer::Store;

/// Batches that may wait; a sender beyond that waits itself.
const WAITING_MAX: usize = 256;
/// Batches and changes taken together into one transaction, at most.
const JOIN_BATCHES_MAX: usize = 64;
const JOIN_WRITES_MAX: usize = 2_000;

/// Told once per batch, on the store's thread: keep it short and never wait in it.
pub type WriteDone = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

enum Job {
    Write(Pending),
    Close,
}

/// A batch and whom to tell. Dropped untold, it tells that nothing was written.
struct Pending {
    batch: Vec<StoreWrite>,
    done: Option<WriteDone>,
}

impl Pending {
    fn tell(mut self, result: StoreResult<()>) {
        if let Some(done) = self.done.take() {
            done(result);
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(done) = self.done.take() {
            done(Err(StoreError::other("the store was closed before this was written")));
        }
    }
}

/// A sending end; cheap to clone.
#[derive(Clone, Debug)]
pub struct StoreHandle {
    jobs: SyncSender<Job>,
}

impl StoreHandle {
    /// Hands over a batch; batches of one sender are written in the order they were handed over.
    ///
    /// Waits while 256 batches are waiting. `done` is called exactly once, also when the store is closed.
    /// After an error nothing of this batch is kept and it may be handed over again.
    pub fn write(&self, batch: Vec<StoreWrite>, done: WriteDone) {
        // A closed store gives the job back, and dropping it tells `done`.
        drop(self.jobs.send(Job::Write(Pending { batch, done: Some(done) })));
    }
}

/// The running thread, named `store`.
#[derive(Debug)]
pub struct StoreWorker {
    handle: StoreHandle,
    thread: JoinHandle<StoreResult<()>>,
}

impl StoreWorker {
    /// Starts the thread. While it has nothing else to do it erases what was deleted before this start.
    /// Errors: the system gives no thread.
    pub fn start(store: Store) -> Result<Self, StoreError> {
        let (jobs, inbox) = sync_channel(WAITING_MAX);
        let thread = Builder::new().name("store".into()).spawn(move || run(store, &inbox))?;
        Ok(Self { handle: StoreHandle { jobs }, thread })
    }

    /// A sending end for others.
    pub fn handle(&self) -> StoreHandle {
        self.handle.clone()
    }

    /// See [`StoreHandle::write`].
    pub fn write(&self, batch: Vec<StoreWrite>, done: WriteDone) {
        self.handle.write(batch, done);
    }

    /// Writes everything handed over so far, moves the log into the database, closes it, ends the thread.
    /// Batches handed over later are told that the store is closed.
    pub fn drain_and_close(self) -> Result<(), StoreError> {
        drop(self.handle.jobs.send(Job::Close));
        self.thread.join().unwrap_or_else(|_| Err(StoreError::other("the store thread ended by a fault")))
    }
}

fn run(mut store: Store, inbox: &Receiver<Job>) -> StoreResult<()> {
    let mut erasing = true;
    loop {
        let job = match inbox.try_recv() {
            Ok(job) => job,
            Err(TryRecvError::Empty) if erasing => {
                erasing = erase(&mut store);
                continue;
            }
            Err(TryRecvError::Empty) => match inbox.recv() {
                Ok(job) => job,
                Err(_) => break,
            },
            Err(TryRecvError::Disconnected) => break,
        };
        let Job::Write(first) = job else { break };
        let (waiting, close) = take_waiting(first, inbox);
        write(&mut store, waiting);
        if close {
            break;
        }
    }
    store.close()
}

fn erase(store: &mut Store) -> bool {
    store
        .erase_deleted_step()
        .inspect_err(|error| tracing::warn!(%error, "deleted conversations stay until the next start"))
        .unwrap_or(false)
}

/// What waits already, up to the limits; true when closing came next.
fn take_waiting(first: Pending, inbox: &Receiver<Job>) -> (Vec<Pending>, bool) {
    let mut writes = first.batch.len();
    let mut waiting = vec![first];
    while waiting.len() < JOIN_BATCHES_MAX && writes < JOIN_WRITES_MAX {
        match inbox.try_recv() {
            Ok(Job::Write(next)) => {
                writes += next.batch.len();
                waiting.push(next);
            }
            Ok(Job::Close) => return (waiting, true),
            Err(_) => break,
        }
    }
    (waiting, false)
}

/// In one transaction if that goes well; else each batch for itself, so that a bad one fails alone.
fn write(store: &mut Store, waiting: Vec<Pending>) {
    let batches: Vec<&[StoreWrite]> = waiting.iter().map(|pending| pending.batch.as_slice()).collect();
    let together = store.apply_joined(&batches);
    // A lock or a bad file is the same for each, and every try would wait for the lock anew.
    let worth_retrying = matches!(together, Err(StoreError::Other { .. } | StoreError::Full));
    if waiting.len() == 1 || !worth_retrying {
        for pending in waiting {
            pending.tell(together.clone());
        }
        return;
    }
    for pending in waiting {
        let result = store.apply(&pending.batch);
        pending.tell(result);
    }
}
