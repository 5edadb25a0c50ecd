//! HANDS: tokio; the only place that performs effects and reads the clock.
//!
//! Never here: decisions. If it has an `if` about the product, it belongs in `domain`.
//! Start reading at [`start`], then `inbox` and `turn`.

mod discovery;
mod fork;
mod git;
mod inbox;
mod offers;
mod perform;
mod reads;
pub mod skills;
mod slow;
mod summary;
mod texts;
mod turn;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};

use crate::api::command::{AppCommand, Command};
use crate::api::handle::{AppHandle, Wake, Waker};
use crate::api::snapshot::DatabaseStatus;
use crate::domain::AppState;
use crate::domain::input::Input;
use crate::engine::host::{EngineHost, HostConfig, HostLimits, KeyLookup};
use crate::os::clock::now_ms;
use crate::os::instance::{Instance, InstanceError};
use crate::os::paths::DataPaths;
use crate::os::secrets::{SecretFile, SecretStore as _};
use crate::runtime::inbox::Inbox;
use crate::runtime::perform::{Hands, Port};
use crate::runtime::reads::ReadPool;
use crate::store::{ReadDb, Store, StoreError, StoreWorker, list_backups};

/// Commands that may wait; a front is refused beyond that, with its command given back.
const COMMANDS_MAX: usize = 1_024;
/// How long an orderly end may take before the program ends anyway.
const FINISH_LIMIT: Duration = Duration::from_secs(10);

/// What the runtime is started with.
#[derive(Clone, Debug)]
pub struct Config {
    pub paths: DataPaths,
    /// The environment this program was started in; children get an allowed part of it.
    pub process_env: Vec<(OsString, OsString)>,
    pub home: PathBuf,
    /// Our own program, under whose watch children run; `None` starts them directly.
    pub guard: Option<PathBuf>,
    /// For looking only: takes no lock and writes nothing.
    pub read_only: bool,
    /// Look for the engines at start.
    pub discover: bool,
    /// The program ends right after [`Running::finish`]: idle agents under a guard are then let go in their own time
    /// instead of being waited for.
    pub program_ends: bool,
}

/// Why the runtime could not be started. `Display` is one line: what, why, what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(
        "tunaflow is already running with this data folder{}. Use its window, wait until the command that runs is done, \
         or use another --data-dir.",
        if *was_told { "; its window, if it has one, was brought to the front" } else { "" }
    )]
    AlreadyRunning { was_told: bool },
    #[error("{0}")]
    TooNew(StoreError),
    #[error("The data folder {} cannot be used: {why}. Choose another with --data-dir.", path.display())]
    DataFolder { path: PathBuf, why: String },
    #[error("The background runtime cannot be started: {0}.")]
    Runtime(String),
}

/// A started runtime. Dropping it without [`Running::finish`] ends the engines but may lose the last half second.
pub struct Running {
    handle: AppHandle,
    ended: oneshot::Receiver<()>,
    tokio: tokio::runtime::Runtime,
}

impl Running {
    /// A front's end; cheap to clone.
    pub fn handle(&self) -> AppHandle {
        self.handle.clone()
    }

    /// Runs a front's own async code.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.tokio.block_on(future)
    }

    /// Orderly end: engines are stopped, the store is drained. Waits for it, at most 10 s.
    pub fn finish(self) {
        if self.handle.send(Command::App(AppCommand::Quit)).is_err() {
            tracing::warn!("the inbox was full or gone at quit");
        }
        let waited = self.tokio.block_on(async { tokio::time::timeout(FINISH_LIMIT, self.ended).await });
        if waited.is_err() {
            tracing::warn!("the orderly end took too long");
        }
        self.tokio.shutdown_timeout(Duration::from_millis(500));
    }
}

/// The data folder, taken for this program. A window takes it before it opens, so that a second start shows none.
pub struct Claim {
    tokio: tokio::runtime::Runtime,
    instance: Option<Instance>,
}

/// Takes the data folder; a second start brings the first to the front instead, waiting at most 2 s for it.
///
/// # Errors
/// The folder is in use or cannot be made.
pub fn claim(config: &Config) -> Result<Claim, StartError> {
    let usable = if config.read_only { config.paths.check() } else { config.paths.create() };
    usable.map_err(|why| StartError::DataFolder {
        path: config.paths.data_folder().to_path_buf(),
        why: why.to_string(),
    })?;
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // Each thread keeps memory of its own for a while; few serve as well, since they only wait for the disk.
        .max_blocking_threads(6)
        .thread_keep_alive(Duration::from_secs(2))
        .thread_name("tunaflow")
        .enable_all()
        .build()
        .map_err(|error| StartError::Runtime(error.to_string()))?;
    let instance = {
        let _inside = tokio.enter();
        take_instance(config)?
    };
    Ok(Claim { tokio, instance })
}

/// [`claim`], then [`start_claimed`].
///
/// # Errors
/// Those of both.
pub fn start(config: Config, waker: Waker) -> Result<Running, StartError> {
    let claim = claim(&config)?;
    start_claimed(config, claim, waker)
}

/// Starts everything that runs behind a front. Returns as soon as the front can draw: what was kept is read,
/// engines are looked for meanwhile.
///
/// # Errors
/// The data was written by a newer program, or cannot be used. A damaged database is no error:
/// the front is told, and nothing is overwritten.
pub fn start_claimed(config: Config, claim: Claim, waker: Waker) -> Result<Running, StartError> {
    let Claim { tokio, instance } = claim;
    let opened = open_store(&config)?;
    let (commands, command_inbox) = mpsc::channel(COMMANDS_MAX);
    let state = AppState::new(
        env!("CARGO_PKG_VERSION").to_owned(),
        config.paths.data_folder().to_path_buf(),
        texts::names(&config.paths, None),
    );
    let mut state =
        if config.read_only { state.only_looking(Instance::is_held(&config.paths)) } else { state };
    let (snapshots, newest) = watch::channel(Arc::new(state.snapshot()));
    let (ended, has_ended) = oneshot::channel();
    let fronts = Fronts { command_inbox, snapshots, waker };
    // What was kept is in the first snapshot a front sees: no empty list is ever shown instead of a full one.
    let inbox = tokio.block_on(begin(config, opened, instance, state, fronts));
    tokio.spawn(run(inbox, ended));
    Ok(Running { handle: AppHandle::new(commands, newest), ended: has_ended, tokio })
}

struct Fronts {
    command_inbox: mpsc::Receiver<Command>,
    snapshots: watch::Sender<Arc<crate::api::snapshot::Snapshot>>,
    waker: Waker,
}

async fn begin(
    config: Config,
    opened: Opened,
    instance: Option<Instance>,
    state: AppState,
    fronts: Fronts,
) -> Inbox {
    let secrets = Arc::new(SecretFile::new(config.paths.secrets_file()));
    let key_store = secrets.clone();
    let keys: KeyLookup =
        Arc::new(move |name| key_store.get(name).ok().flatten().map(|secret| secret.reveal().to_owned()));
    let host = Arc::new(EngineHost::new(HostConfig {
        guard: config.guard.clone(),
        base_env: config.process_env.clone(),
        login_path: None,
        limits: HostLimits { warm_max: 4, warm_idle: Duration::from_secs(600) },
        keys: keys.clone(),
    }));
    if let Some(instance) = instance {
        tokio::spawn(come_to_front(instance, fronts.waker.clone()));
    }
    let Opened { port, reads, damage } = opened;
    let hands = Hands::new(Arc::new(config), host, keys, secrets, port, reads);
    let mut inbox = Inbox::new(state, hands, fronts.command_inbox, fronts.snapshots, fronts.waker);
    inbox.begin(damage).await;
    inbox
}

async fn run(mut inbox: Inbox, ended: oneshot::Sender<()>) {
    inbox.run().await;
    if ended.send(()).is_err() {
        tracing::debug!("the front had gone already");
    }
}

/// Holds the data folder for as long as the program runs, and hears second starts.
#[expect(clippy::infinite_loop, reason = "for as long as the program runs; the task goes with the runtime")]
async fn come_to_front(mut instance: Instance, waker: Waker) {
    loop {
        instance.focus_asked().await;
        waker.wake(Wake::ToFront);
    }
}

fn take_instance(config: &Config) -> Result<Option<Instance>, StartError> {
    if config.read_only {
        return Ok(None);
    }
    match Instance::take(&config.paths, &std::env::temp_dir()) {
        Ok(instance) => {
            config.paths.remove_left_context_files();
            Ok(Some(instance))
        }
        Err(InstanceError::SecondStart { was_told }) => Err(StartError::AlreadyRunning { was_told }),
        Err(InstanceError::Io { path, source }) => {
            Err(StartError::DataFolder { path, why: source.to_string() })
        }
    }
}

/// The store as it could be opened.
struct Opened {
    port: Port,
    reads: Option<ReadPool>,
    damage: Option<Input>,
}

fn open_store(config: &Config) -> Result<Opened, StartError> {
    let database = config.paths.database();
    if config.read_only {
        return Ok(match ReadDb::open_read_only(&database) {
            Ok(db) => Opened { port: Port::LookOnly, reads: Some(ReadPool::new(database, db)), damage: None },
            // Nothing was ever kept: an empty state is the truth.
            Err(_) if !database.exists() => Opened { port: Port::LookOnly, reads: None, damage: None },
            Err(error) => damaged(config, &database, &error),
        });
    }
    turn::clear_context_files(config.paths.data_folder());
    summary::clear_scratch(config.paths.data_folder());
    match Store::open(&database, &config.paths.backup_folder(), now_ms()) {
        Ok(store) => open_worker(store, &database),
        Err(error @ StoreError::TooNew { .. }) => Err(StartError::TooNew(error)),
        Err(error @ StoreError::Damaged { .. }) => Ok(damaged(config, &database, &error)),
        Err(error) => Err(StartError::DataFolder {
            path: config.paths.data_folder().to_path_buf(),
            why: error.to_string(),
        }),
    }
}

fn open_worker(store: Store, database: &Path) -> Result<Opened, StartError> {
    let failed =
        |error: StoreError| StartError::DataFolder { path: database.to_path_buf(), why: error.to_string() };
    let worker = StoreWorker::start(store).map_err(failed)?;
    let db = ReadDb::open_read_only(database).map_err(failed)?;
    Ok(Opened {
        port: Port::Worker(worker),
        reads: Some(ReadPool::new(database.to_path_buf(), db)),
        damage: None,
    })
}

fn damaged(config: &Config, database: &Path, error: &StoreError) -> Opened {
    let backups = list_backups(&config.paths.backup_folder()).into_iter().map(|backup| backup.path).collect();
    let status = DatabaseStatus::Damaged { why: error.to_string(), backups };
    let reads = ReadDb::open_read_only(database).ok().map(|db| ReadPool::new(database.to_path_buf(), db));
    Opened { port: Port::Damaged { why: error.to_string() }, reads, damage: Some(Input::Database(status)) }
}
