//! VOICE: the headless front. Arguments in, text or JSON lines out, an exit code.
//!
//! Never here: decisions of the product, the store, engines, the runtime; only `api` and `model` are known.
//! Start reading at [`run`], then `send`. What is said to scripts is told in `docs/headless.md`.

pub mod args;

mod clock;
mod context;
mod doctor;
mod follow;
mod front;
mod help;
mod input;
mod known;
mod lists;
mod markdown;
mod out;
mod plain;
mod profiles;
mod question;
mod seat;
mod send;
mod settings;
mod stops;
mod transcript;
mod usage;
mod words;

use std::path::PathBuf;

use crate::api::handle::AppHandle;
use crate::api::snapshot::{DatabaseStatus, Snapshot};
use crate::cli::args::known::Profiles;
use crate::cli::args::{Ask, Invocation, Wish};
use crate::cli::doctor::Places;
use crate::cli::front::Front;
use crate::cli::help::HELP;
use crate::cli::known::Shown;
use crate::cli::out::{DATABASE, Failure, Out, tell};
use crate::cli::send::SendWish;
use crate::cli::stops::Stops;

pub use crate::cli::out::{BROKEN, WRONG_ARGUMENTS};
use crate::cli::usage::USAGE;

/// What a command needs of the core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub data_dir: Option<PathBuf>,
    /// For looking only; works while another program holds the data folder.
    pub read_only: bool,
    /// Engines must be looked for.
    pub discover: bool,
}

/// A core that runs.
pub struct Core {
    pub app: AppHandle,
    pub log_folder: PathBuf,
    pub database: PathBuf,
    /// Reads the whole database to see whether it is sound; its error is one line.
    pub check: Box<dyn Fn() -> Result<(), String>>,
    /// Orderly end; waits for it.
    pub finish: Box<dyn FnOnce()>,
}

/// Meets a command's wish and gives the exit code. `start` brings up a core; its error is one line.
pub fn run(invocation: &Invocation, start: &dyn Fn(&Need) -> Result<Core, String>) -> u8 {
    let mut out = Out::stdout();
    let done = perform(invocation, start, &mut out).and_then(|()| out.flush());
    match done {
        Ok(()) => 0,
        Err(failure) => {
            // What was written before belongs to the answer; when this fails too, the first failure is the one to tell.
            drop(out.flush());
            if !failure.line.is_empty() {
                tell(&format!("tunaflow: {}", failure.line));
            }
            failure.code
        }
    }
}

fn perform(
    invocation: &Invocation,
    start: &dyn Fn(&Need) -> Result<Core, String>,
    out: &mut Out,
) -> Result<(), Failure> {
    let json = invocation.json;
    let text = match &invocation.wish {
        Wish::Help => return out.text(HELP),
        Wish::Version if json => {
            return out.json(&serde_json::json!({ "version": env!("CARGO_PKG_VERSION") }));
        }
        Wish::Version => return out.line(concat!("tunaflow ", env!("CARGO_PKG_VERSION"))),
        Wish::Window | Wish::Bench(_) => {
            return Err(Failure::usage(format!("No command was given. Usage: {USAGE}")));
        }
        Wish::Send(ask) => {
            input::check_can_ask(ask.permissions)?;
            check_engine_word(ask)?;
            input::text(&ask.text)?
        }
        Wish::Context(look) => {
            check_engine_word(&look.ask)?;
            look.compare.as_deref().map_or(Ok(()), |word| seat::engine_id(word).map(drop))?;
            input::text(&look.ask.text)?
        }
        Wish::Known(wish) => known::text(wish)?,
        _ => String::new(),
    };
    // One thread of its own for signals: they are heard while we wait for a reader of our output.
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(
        |error| Failure::new(BROKEN, format!("The command line cannot be started: {error}. Try again.")),
    )?;
    if let Wish::Context(look) = &invocation.wish
        && look.ask.conversation.is_none()
    {
        know_project(invocation, start, &tokio)?;
    }
    let need = need(invocation);
    let core = start(&need).map_err(Failure::database)?;
    let done = tokio.block_on(fulfil(invocation, &core, text, out));
    let done = if matches!(invocation.wish, Wish::Doctor) { done } else { whole(done, &core.app.snapshot()) };
    let app = core.app.clone();
    (core.finish)();
    done?;
    if need.read_only {
        return Ok(());
    }
    // A row that is not kept was never made. An answer was given all the same.
    kept(&app.snapshot()).inspect_err(|_lost| {
        if !matches!(invocation.wish, Wish::Send(_)) {
            out.forget();
        }
    })
}

/// What is still to be written when the core has ended is lost.
fn kept(snapshot: &Snapshot) -> Result<(), Failure> {
    match &snapshot.app.database {
        DatabaseStatus::WritesFail { why } => {
            let first = why.split_once(". ").map_or(why.trim_end_matches('.'), |(first, _)| first);
            Err(Failure::database(format!("{first}. Make room or allow writing, then run it again.")))
        }
        DatabaseStatus::Ok | DatabaseStatus::Damaged { .. } => Ok(()),
    }
}

/// What was read of a damaged database may be a part, or nothing: no success, and no proof that something is not there.
fn whole(done: Result<(), Failure>, snapshot: &Snapshot) -> Result<(), Failure> {
    let DatabaseStatus::Damaged { why, .. } = &snapshot.app.database else { return done };
    match done {
        Ok(()) => Err(Failure::database(format!("{why} What was shown is what can still be read."))),
        Err(failure) if failure.code == WRONG_ARGUMENTS => Err(Failure::database(why.clone())),
        other => other,
    }
}

/// A bad script path is a wrong argument, told before anything is started.
fn check_engine_word(ask: &Ask) -> Result<(), Failure> {
    ask.engine.as_deref().map_or(Ok(()), |word| seat::engine_id(word).map(drop))
}

fn need(invocation: &Invocation) -> Need {
    let (read_only, discover) = match &invocation.wish {
        Wish::Doctor => (true, true),
        Wish::Send(ask) => (false, seat::needs_discovery(ask)),
        Wish::Context(look) => (true, seat::needs_discovery(&look.ask)),
        Wish::Known(wish) => (wish.only_looks(), false),
        Wish::Profiles(wish) => (matches!(**wish, Profiles::List), false),
        Wish::ProjectAdd(_) | Wish::ProjectRemove(_) | Wish::SettingsSet { .. } => (false, false),
        Wish::Window
        | Wish::Help
        | Wish::Version
        | Wish::ProjectList
        | Wish::Conversations
        | Wish::Messages(_)
        | Wish::Export(_)
        | Wish::SettingsGet(_)
        | Wish::Names(_)
        | Wish::Bench(_) => (true, false),
    };
    Need { data_dir: invocation.data_dir.clone(), read_only, discover }
}

/// `context` only reads, so that it works beside an open window. A folder that is no project yet is added first.
fn know_project(
    invocation: &Invocation,
    start: &dyn Fn(&Need) -> Result<Core, String>,
    tokio: &tokio::runtime::Runtime,
) -> Result<(), Failure> {
    let folder = front::folder(invocation.project.as_deref())?;
    let look = Need { data_dir: invocation.data_dir.clone(), read_only: true, discover: false };
    let core = start(&look).map_err(Failure::database)?;
    let known = tokio.block_on(async {
        let front = Front::ready(core.app.clone()).await?;
        Ok::<_, Failure>(front::find_project(&front.app.snapshot(), &folder).is_some())
    });
    (core.finish)();
    if known? {
        return Ok(());
    }
    let core = start(&Need { read_only: false, ..look }).map_err(Failure::database)?;
    let added = tokio.block_on(async {
        let mut front = Front::ready(core.app.clone()).await?;
        front.check_writable()?;
        front.open_project(Some(&folder)).await.map(drop)
    });
    (core.finish)();
    added
}

async fn fulfil(invocation: &Invocation, core: &Core, text: String, out: &mut Out) -> Result<(), Failure> {
    let json = invocation.json;
    let project = invocation.project.as_deref();
    let sends = matches!(invocation.wish, Wish::Send(_));
    let mut stops = if sends { Some(Stops::listen()?) } else { None };
    let mut front = Front::ready(core.app.clone()).await?;
    match &invocation.wish {
        Wish::Doctor => {
            let places = Places {
                log_folder: core.log_folder.clone(),
                database: core.database.clone(),
                unsound: (core.check)().err(),
            };
            doctor::doctor(&mut front, &places, json, out).await
        }
        Wish::ProjectAdd(path) => lists::add(&mut front, path, json, out).await,
        Wish::ProjectList => lists::list(&front, json, out),
        Wish::ProjectRemove(word) => lists::remove(&mut front, word, out).await,
        Wish::Conversations => lists::conversations(&mut front, project, json, out).await,
        Wish::Messages(wish) => transcript::messages(&mut front, wish, json, out).await,
        Wish::Export(wish) => transcript::export(&mut front, wish, out).await,
        Wish::Send(ask) => match &mut stops {
            Some(stops) => send::send(&mut front, SendWish { ask, text, project, json }, out, stops).await,
            None => Ok(()),
        },
        Wish::Context(look) => context::context(&mut front, look, text, project, Shown { json, out }).await,
        Wish::Known(wish) => known::known(&mut front, wish, text, project, Shown { json, out }).await,
        Wish::Profiles(wish) => profiles::profiles(&mut front, wish, json, out).await,
        Wish::Names(wish) => profiles::names(&mut front, *wish, project, json, out).await,
        Wish::SettingsGet(name) => settings::get(&front, name.as_deref(), out),
        Wish::SettingsSet { name, value } => settings::set(&mut front, name, value).await,
        Wish::Window | Wish::Help | Wish::Version | Wish::Bench(_) => Ok(()),
    }
}

/// The exit code of a core that cannot be started.
pub const CANNOT_START: u8 = DATABASE;

/// Tells a front's own failure in the words of all others; gives its exit code.
pub fn complain(code: u8, line: &str) -> u8 {
    tell(&format!("tunaflow: {line}"));
    code
}
