//! What the window asks of the machine, behind traits so that tests can play it.
//!
//! Nothing here blocks a frame: dialogs answer later through [`Dialogs::poll`].

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

use crate::model::engine::EngineId;
use crate::ui::words::Now;

/// All helpers of one window.
pub struct Host {
    pub dialogs: Box<dyn Dialogs>,
    pub clipboard: Box<dyn Clipboard>,
    pub notifier: Box<dyn Notifier>,
    pub opener: Box<dyn Opener>,
    pub clock: Box<dyn Clock>,
    /// Written as `~` in paths.
    pub home: Option<PathBuf>,
}

/// Tells the time.
pub trait Clock {
    fn now(&self) -> Now;
}

impl<F: Fn() -> Now> Clock for F {
    fn now(&self) -> Now {
        self()
    }
}

/// What a picked path is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialogAsk {
    /// A folder to open as a project.
    Project,
    /// The program of an engine.
    EngineProgram(EngineId),
}

/// File dialogs of the system.
pub trait Dialogs {
    /// Opens a dialog; `wake` is called when its answer is there. A second call while one is open does nothing.
    fn open(&mut self, ask: DialogAsk, wake: Box<dyn Fn() + Send>);

    /// The answer, once; `None` inside = cancelled, or the system has no dialogs.
    fn poll(&mut self) -> Option<(DialogAsk, Option<PathBuf>)>;

    /// The last answer came so soon that no dialog can have been on screen.
    fn is_missing(&self) -> bool {
        false
    }
}

/// Nobody cancels a dialog sooner than this after asking for it, milliseconds.
const SEEN_MS: u128 = 250;

/// The system's clipboard.
pub trait Clipboard {
    /// # Errors
    /// One line that says why the text could not be copied.
    fn copy(&mut self, text: &str) -> Result<(), String>;
}

/// Desktop notifications.
pub trait Notifier {
    /// Shows one; returns at once. Must not fail loudly: the notice stands in the window too.
    fn notify(&mut self, title: &str, body: &str);
}

/// Opens folders and links outside the window.
pub trait Opener {
    /// # Errors
    /// One line that says why; the window then offers the text for copying.
    fn open(&mut self, target: &str) -> Result<(), String>;
}

/// No desktop notifications: the window's attention request has to do.
pub struct NoNotifier;

impl Notifier for NoNotifier {
    fn notify(&mut self, _title: &str, _body: &str) {}
}

/// Nothing can be opened outside.
pub struct NoOpener;

impl Opener for NoOpener {
    fn open(&mut self, _target: &str) -> Result<(), String> {
        Err("No program to open it with.".into())
    }
}

/// Dialogs of the desktop (portal, else zenity), each on a thread of its own.
pub struct SystemDialogs {
    answers: Receiver<(DialogAsk, Option<PathBuf>)>,
    sender: SyncSender<(DialogAsk, Option<PathBuf>)>,
    open: bool,
    asked: Option<Instant>,
    missing: bool,
}

impl Default for SystemDialogs {
    fn default() -> Self {
        let (sender, answers) = sync_channel(1);
        Self { answers, sender, open: false, asked: None, missing: false }
    }
}

impl Dialogs for SystemDialogs {
    fn open(&mut self, ask: DialogAsk, wake: Box<dyn Fn() + Send>) {
        if self.open {
            return;
        }
        let sender = self.sender.clone();
        let spawned = std::thread::Builder::new().name("file dialog".into()).spawn(move || {
            let picked = match &ask {
                DialogAsk::Project => rfd::FileDialog::new().set_title("Open folder").pick_folder(),
                DialogAsk::EngineProgram(engine) => {
                    rfd::FileDialog::new().set_title(format!("Program of {engine}")).pick_file()
                }
            };
            if sender.send((ask, picked)).is_ok() {
                wake();
            }
        });
        match spawned {
            Ok(_) => {
                self.open = true;
                self.asked = Some(Instant::now());
            }
            Err(error) => tracing::warn!(%error, "no thread for a file dialog"),
        }
    }

    fn poll(&mut self) -> Option<(DialogAsk, Option<PathBuf>)> {
        let answer = self.answers.try_recv().ok()?;
        self.open = false;
        self.missing =
            answer.1.is_none() && self.asked.take().is_some_and(|at| at.elapsed().as_millis() < SEEN_MS);
        Some(answer)
    }

    fn is_missing(&self) -> bool {
        self.missing
    }
}

/// The clipboard through `arboard`; opened at the first copy and kept, because some systems drop the text with it.
#[derive(Default)]
pub struct SystemClipboard {
    board: Option<arboard::Clipboard>,
}

impl Clipboard for SystemClipboard {
    fn copy(&mut self, text: &str) -> Result<(), String> {
        let board = match self.board.take() {
            Some(board) => self.board.insert(board),
            None => self.board.insert(arboard::Clipboard::new().map_err(|error| error.to_string())?),
        };
        board.set_text(text.to_owned()).map_err(|error| error.to_string())
    }
}
