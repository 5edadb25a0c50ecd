//! DECISIONS: pure. State and input give effects; nothing is done here.
//!
//! Never here: I/O, tokio, clocks, randomness. Time and ids come in through [`Cx`].
//! Start reading at [`AppState::handle`], then `chat` and `turns`.

pub mod effect;
pub mod fork;
pub mod input;
mod salvage;
pub mod session;

mod branch;
mod chat;
pub mod checkout;
mod engines;
mod fold;
mod history;
mod knowledge;
mod loads;
mod notices;
mod packs;
mod projects;
mod queue;
mod settings;
mod state;
mod summary;
mod turns;
mod view;
mod writes;

#[cfg(test)]
mod tests;

use crate::api::command::{AppCommand, Command};
use crate::api::snapshot::DatabaseStatus;
use crate::domain::effect::Effect;
use crate::domain::input::Input;
use crate::domain::state::Viewing;

pub use crate::domain::fold::fold_item;
pub use crate::domain::state::AppState;
pub use crate::domain::summary::nothing_said;
pub use crate::domain::turns::{checkout_missing, folder_missing};

/// Name of the secret that holds an endpoint's key.
pub fn endpoint_secret(endpoint: &str) -> String {
    format!("endpoint:{endpoint}")
}

/// What a decision may know of the world: the time, and fresh ids.
pub struct Cx<'a> {
    /// Unix time.
    pub now_ms: i64,
    pub ids: &'a mut IdSource,
}

/// Hands out ids: one growing counter per database.
#[derive(Debug)]
pub struct IdSource {
    next: i64,
}

impl IdSource {
    /// `next` must be greater than every id in use.
    pub fn new(next: i64) -> Self {
        Self { next }
    }

    /// The next id; never the same twice.
    pub fn next_id(&mut self) -> i64 {
        let id = self.next;
        self.next += 1;
        id
    }

    /// Goes on above `next` at least.
    pub fn raise_to(&mut self, next: i64) {
        self.next = self.next.max(next);
    }
}

impl AppState {
    /// Takes in one thing that happened and says what is to be done, in order.
    pub fn handle(&mut self, input: Input, cx: &mut Cx<'_>) -> Vec<Effect> {
        let mut out = Vec::new();
        match input {
            Input::Command(command) => self.command(command, cx, &mut out),
            Input::Turn { turn, event } => self.turn_event(turn, event, cx, &mut out),
            Input::Stored(stored) => self.stored(stored, cx, &mut out),
            Input::Written { ticket, result } => self.written(ticket, result, cx, &mut out),
            Input::Started(startup) => self.started(*startup, cx, &mut out),
            Input::Engines(infos) => self.engines_listed(infos),
            Input::Discovered { statuses, took_ms, complete } => self.discovered(statuses, took_ms, complete),
            Input::GitBranch { project, branch, detached } => {
                self.git_branch(project, branch, detached, &mut out);
            }
            Input::Git(done) => self.git_done(done, cx, &mut out),
            Input::Offers { project, offers } => self.offers_found(project, offers),
            Input::Suggested { conversation, prompt, suggestions } => {
                self.suggested(conversation, &prompt, suggestions);
            }
            Input::TextMade { project, title, result } => {
                self.text_made(project, title, result, cx, &mut out);
            }
            Input::Names { project, names } => self.take_names(project, names),
            Input::Database(status) => self.database(status, cx, &mut out),
            Input::FolderChecked { path, result } => self.folder_checked(path, result, cx, &mut out),
            Input::Trouble { title, body } => self.trouble(title, body, cx),
            Input::Summary { branch, run, event } => self.summary_told(branch, run, event),
            Input::Tick => self.tick(&mut out),
            Input::Finished => self.finished(),
        }
        self.tend_summaries(&mut out);
        out
    }

    fn command(&mut self, command: Command, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        if self.quitting {
            return;
        }
        match command {
            Command::Project(command) => self.project_command(command, cx, out),
            Command::Chat(command) => self.chat_command(command, cx, out),
            Command::Engine(command) => self.engine_command(command, cx, out),
            Command::Settings(command) => self.settings_command(command, cx, out),
            Command::Branch(command) => self.branch_command(command, cx, out),
            Command::Knowledge(command) => self.knowledge_command(command, cx, out),
            Command::App(command) => self.app_command(command, cx, out),
        }
    }

    fn app_command(&mut self, command: AppCommand, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        match command {
            AppCommand::DismissNotice { notice } => self.dismiss_notice(notice),
            AppCommand::Viewing { conversation, beside, held, focused } => {
                self.viewing(Viewing { conversation, beside, held }, focused, cx, out);
            }
            AppCommand::RestoreBackup { path } => out.push(Effect::RestoreBackup { path }),
            AppCommand::Quit => self.quit(out),
        }
    }

    /// Drafts and partial answers are written before anything is put away.
    fn quit(&mut self, out: &mut Vec<Effect>) {
        self.quitting = true;
        self.flush(out);
        self.retry_now(out);
        out.push(Effect::Shutdown);
    }

    fn tick(&mut self, out: &mut Vec<Effect>) {
        self.retry_failed_writes(out);
        self.flush(out);
    }

    /// Writes what is newer than the store: partial answers and drafts.
    fn flush(&mut self, out: &mut Vec<Effect>) {
        self.checkpoint_live(out);
        self.flush_drafts(out);
    }

    fn database(&mut self, status: DatabaseStatus, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        if let DatabaseStatus::Damaged { why, .. } = &status {
            out.push(Effect::HoldStore { why: why.clone() });
            let body =
                format!("{why} Nothing is overwritten. Restore a backup or look at what can still be read.");
            self.trouble("The database is damaged".into(), body, cx);
        }
        self.status.database = status;
        self.dirty.app = true;
    }

    fn finished(&mut self) {
        self.status.finished = true;
        self.dirty.app = true;
    }
}
