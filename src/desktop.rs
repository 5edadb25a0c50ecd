//! The window's ties to the system: start of the core, dialogs, notifications, opening folders.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use anyhow::Context as _;
use tunaflow::api::command::ProjectCommand;
use tunaflow::bench::Watched;
use tunaflow::os::clock;
use tunaflow::os::process::{ProcessSpec, StdinMode, run_for_output};
use tunaflow::runtime::{self, Config, StartError};
use tunaflow::ui::host::{Host, Notifier, Opener, SystemClipboard, SystemDialogs};
use tunaflow::ui::words::Now;
use tunaflow::ui::{self, WindowConfig};

/// How long a helper program of the desktop may take.
const HELPER_LIMIT: std::time::Duration = std::time::Duration::from_secs(10);

/// Opens the window and runs until it is closed and everything is put away. `watched`: a measurement that looks on.
///
/// # Errors
/// No window can be opened, or the data folder cannot be used. A second start is no error: the first window
/// comes to the front.
pub fn run(config: Config, project: Option<PathBuf>, watched: Watched) -> anyhow::Result<()> {
    let claim = match runtime::claim(&config) {
        Ok(claim) => claim,
        Err(StartError::AlreadyRunning { was_told: true }) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let helpers = Helpers::start(&config).context("the thread for desktop helpers could not be started")?;
    let host = Host {
        dialogs: Box::new(SystemDialogs::default()),
        clipboard: Box::new(SystemClipboard::default()),
        notifier: Box::new(helpers.clone()),
        opener: Box::new(helpers),
        clock: Box::new(|| -> Now {
            let ms = clock::now_ms();
            Now { ms, utc_offset_ms: clock::utc_offset_ms(ms) }
        }),
        home: Some(config.home.clone()),
    };
    let view_state = Some(config.paths.data_folder().join("window.json"));
    let (keep, kept) = sync_channel(1);
    let shown =
        ui::run(WindowConfig { view_state, host, initial: None, watcher: watched.watcher }, move |waker| {
            let running = runtime::start_claimed(config, claim, waker)?;
            let handle = running.handle();
            if let Some(path) = project
                && handle.send(ProjectCommand::Open { path }).is_err()
            {
                tracing::warn!("the inbox was full at start");
            }
            // The receiver lives as long as the window.
            drop(keep.send(running));
            Ok(handle)
        });
    if let Ok(running) = kept.try_recv() {
        running.finish();
    }
    shown
}

/// Small programs of the desktop, run on a thread of their own so that no frame waits.
#[derive(Clone)]
struct Helpers {
    jobs: SyncSender<(&'static str, Vec<String>)>,
}

impl Helpers {
    fn start(config: &Config) -> std::io::Result<Self> {
        let (jobs, inbox) = sync_channel(16);
        let env: Vec<(OsString, OsString)> = config.process_env.clone();
        let (home, guard) = (config.home.clone(), config.guard.clone());
        std::thread::Builder::new()
            .name("desktop".into())
            .spawn(move || work(&inbox, &env, &home, guard.as_deref()))?;
        Ok(Self { jobs })
    }

    fn run(&self, program: &'static str, args: Vec<String>) -> Result<(), String> {
        self.jobs.try_send((program, args)).map_err(|error| format!("the desktop does not answer: {error}"))
    }
}

fn work(
    inbox: &Receiver<(&'static str, Vec<String>)>,
    env: &[(OsString, OsString)],
    home: &Path,
    guard: Option<&Path>,
) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    while let Ok((name, args)) = inbox.recv() {
        let path =
            env.iter().find(|(known, _)| known == "PATH").map(|(_, value)| value.clone()).unwrap_or_default();
        let Some(program) =
            std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
        else {
            tracing::info!(name, "the desktop has no such program");
            continue;
        };
        let spec = ProcessSpec {
            program,
            args: args.into_iter().map(OsString::from).collect(),
            env: env.to_vec(),
            cwd: home.to_path_buf(),
            stdin: StdinMode::Null,
            guard: guard.map(Path::to_path_buf),
        };
        if let Err(error) = runtime.block_on(run_for_output(&spec, HELPER_LIMIT, 4_096)) {
            tracing::info!(name, %error, "a program of the desktop failed");
        }
    }
}

impl Notifier for Helpers {
    fn notify(&mut self, title: &str, body: &str) {
        let args = vec!["--app-name=tunaflow".to_owned(), "--".to_owned(), title.to_owned(), body.to_owned()];
        if let Err(why) = self.run("notify-send", args) {
            tracing::info!(why, "no desktop notification");
        }
    }
}

impl Opener for Helpers {
    fn open(&mut self, target: &str) -> Result<(), String> {
        let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        self.run(program, vec![target.to_owned()])
    }
}
