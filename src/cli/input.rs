//! What the user says: the text of a message, and answers typed at a terminal.

use std::fs::File;
use std::io::{self, BufRead as _, IsTerminal as _, Read};
use std::path::Path;

use tokio::sync::mpsc;

use crate::cli::args::{FileFrom, Permissions, TextFrom};
use crate::cli::out::Failure;

/// Longest text taken from standard input or from a file.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The text to be sent, byte for byte.
///
/// # Errors
/// There is none, or it is not UTF-8, or longer than 16 MB.
pub fn text(from: &TextFrom) -> Result<String, Failure> {
    let nothing =
        || Failure::usage("There is no text to send: give TEXT, or - to read it from standard input.");
    let text = match from {
        TextFrom::Given(text) => text.clone(),
        TextFrom::Unsaid if io::stdin().is_terminal() => return Err(nothing()),
        TextFrom::Stdin | TextFrom::Unsaid => read_all()?,
    };
    if text.trim().is_empty() { Err(nothing()) } else { Ok(text) }
}

/// A longer text, byte for byte; it may be empty.
///
/// # Errors
/// There is no such file, or it cannot be read, or is not UTF-8, or longer than 16 MB.
pub fn file(from: &FileFrom) -> Result<String, Failure> {
    match from {
        FileFrom::Path(path) if path.as_os_str().is_empty() => Ok(String::new()),
        FileFrom::Path(path) => read_file(path),
        FileFrom::Unsaid if io::stdin().is_terminal() => {
            Err(Failure::usage("There is no text: name a FILE, or give - to read it from standard input."))
        }
        FileFrom::Stdin | FileFrom::Unsaid => read_all(),
    }
}

fn read_file(path: &Path) -> Result<String, Failure> {
    let name = path.display().to_string();
    let failed =
        |error: io::Error| Failure::usage(format!("{name} cannot be read: {error}. Name a text file."));
    if path.is_dir() {
        return Err(Failure::usage(format!("{name} is a folder. Name a text file.")));
    }
    read(&name, File::open(path).map_err(failed)?)
}

fn read_all() -> Result<String, Failure> {
    read("Standard input", io::stdin().lock())
}

fn read(name: &str, from: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| {
        Failure::usage(format!("{name} cannot be read: {error}. Give the text another way."))
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::usage(format!(
            "{name} holds more than 16 MB. Name a file to the agent instead."
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        Failure::usage(format!("{name} is not UTF-8 text (byte {place}). Convert it first."))
    })
}

/// # Errors
/// Questions are to be asked where nobody can answer them.
pub fn check_can_ask(permissions: Permissions) -> Result<(), Failure> {
    if permissions == Permissions::Ask && !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Err(Failure::usage("--permissions ask needs a terminal to ask on. Use deny or allow."));
    }
    Ok(())
}

/// Lines typed at the terminal.
pub struct Typed(mpsc::Receiver<String>);

impl Typed {
    /// Begins to read; the thread ends with the program.
    pub fn new() -> Self {
        let (to, from) = mpsc::channel(16);
        let reader = std::thread::Builder::new().name("terminal".into()).spawn(move || {
            for line in io::stdin().lock().lines() {
                let Ok(line) = line else { return };
                if to.blocking_send(line).is_err() {
                    return;
                }
            }
        });
        // Without a reader the channel is closed, and every question is answered with no.
        drop(reader);
        Self(from)
    }

    /// Forgets what was typed before a question could be read.
    pub fn forget(&mut self) {
        while self.0.try_recv().is_ok() {}
    }

    /// The next line; `None` when there will be none.
    pub async fn line(&mut self) -> Option<String> {
        self.0.recv().await
    }
}
