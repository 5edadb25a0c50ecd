//! What a project keeps beside its conversations: plans, findings, agreements, artifacts, links, skills.
//!
//! Never here: rules of what may be kept; the core refuses, and its words are told. Start reading at [`known`].

mod adopt;
mod agreements;
mod artifacts;
mod branches;
mod checkouts;
mod findings;
mod links;
mod plan_text;
mod plans;
mod skills;
mod words;

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::api::command::KnowledgeCommand;
use crate::api::snapshot::KnowledgeView;
use crate::cli::args::known::{Known, Source};
use crate::cli::front::{Front, find_project, folder};
use crate::cli::input;
use crate::cli::out::{Failure, Out, WRONG_ARGUMENTS};
use crate::model::id::ConversationId;
use crate::model::knowledge::KNOWLEDGE_MAX_ROWS;
use crate::model::project::Project;

/// Reads what a command takes from outside.
///
/// # Errors
/// It cannot be read.
pub fn text(wish: &Known) -> Result<String, Failure> {
    match wish.source() {
        None => Ok(String::new()),
        Some(Source::Words(from)) => input::text(from),
        Some(Source::File(from)) => input::file(from),
    }
}

/// Meets a wish; `text` is what [`text`] read.
///
/// # Errors
/// A word names nothing, or the core refuses.
pub async fn known(
    front: &mut Front,
    wish: &Known,
    text: String,
    project: Option<&Path>,
    shown: Shown<'_>,
) -> Result<(), Failure> {
    if !wish.only_looks() {
        front.check_writable()?;
    }
    let mut desk = Desk::open(front, project, wish.begins(), shown).await?;
    match wish {
        Known::Plan(wish) => plans::plan(&mut desk, wish, text).await,
        Known::Finding(wish) => findings::finding(&mut desk, wish, text).await,
        Known::Agreement(wish) => agreements::agreement(&mut desk, wish, text).await,
        Known::Artifact(wish) => artifacts::artifact(&mut desk, wish, text).await,
        Known::Branch(wish) => branches::branch(&mut desk, wish, text).await,
        Known::NewText { kind, name, .. } => skills::new_text(&mut desk, *kind, name, text).await,
        Known::LinkList(conversation) => links::list(&mut desk, *conversation),
        Known::Link { conversation, linked, on } => links::link(&mut desk, *conversation, *linked, *on).await,
        Known::SkillList(conversation) => skills::list(&mut desk, *conversation).await,
        Known::SkillSwitch { skill, conversation, on } => {
            skills::switch(&mut desk, skill, *conversation, *on).await
        }
    }
}

/// Where rows are shown, and how.
pub struct Shown<'a> {
    pub json: bool,
    pub out: &'a mut Out,
}

impl Shown<'_> {
    /// One row: an object, or a line.
    fn row(&mut self, json: impl FnOnce() -> Value, line: impl FnOnce() -> String) -> Result<(), Failure> {
        if self.json { self.out.json(&json()) } else { self.out.line(&line()) }
    }
}

/// A project whose rows are at hand.
struct Desk<'a> {
    front: &'a mut Front,
    project: Arc<Project>,
    shown: Shown<'a>,
}

impl<'a> Desk<'a> {
    /// `begins`: a folder that is no project yet becomes one.
    async fn open(
        front: &'a mut Front,
        path: Option<&Path>,
        begins: bool,
        shown: Shown<'a>,
    ) -> Result<Self, Failure> {
        let here = folder(path)?;
        if !begins && find_project(&front.app.snapshot(), &here).is_none() {
            let said = if path.is_some() { "--project " } else { "" };
            return Err(Failure::usage(format!(
                "{said}{}: there is no such project. See tunaflow project list.",
                here.display()
            )));
        }
        let project = front.open_project(Some(&here)).await?;
        let mut desk = Self { front, project, shown };
        let read = desk.wait(|known| (!known.loading).then(|| known.error.clone())).await?;
        match read {
            Some(why) => Err(Failure::database(format!("What the project keeps cannot be read: {why}"))),
            None => Ok(desk),
        }
    }

    fn known(&self) -> Arc<KnowledgeView> {
        self.front.app.snapshot().knowledge.clone()
    }

    fn send(&self, command: KnowledgeCommand) -> Result<(), Failure> {
        self.front.send(command)
    }

    /// Waits until `pick` finds what it looks for among the project's rows.
    async fn wait<T>(&mut self, mut pick: impl FnMut(&KnowledgeView) -> Option<T>) -> Result<T, Failure> {
        let project = Some(self.project.id);
        let of = |known: &KnowledgeView| known.project == project;
        self.front
            .wait(WRONG_ARGUMENTS, |snapshot| {
                Some(&snapshot.knowledge).filter(|known| of(known)).and_then(|known| pick(known))
            })
            .await
    }

    /// Sends, then waits.
    async fn tell<T>(
        &mut self,
        command: KnowledgeCommand,
        pick: impl FnMut(&KnowledgeView) -> Option<T>,
    ) -> Result<T, Failure> {
        self.send(command)?;
        self.wait(pick).await
    }

    /// A conversation that only filters must be there too: no list of nothing passes for an answer.
    fn check_conversation(&self, id: Option<ConversationId>) -> Result<(), Failure> {
        let Some(id) = id else { return Ok(()) };
        let snapshot = self.front.app.snapshot();
        if snapshot.conversations.iter().any(|row| row.conversation.id == id) {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "There is no conversation {id} in this project. See tunaflow conversations."
        )))
    }

    /// Says so when a list may be longer than what was read of it.
    fn note_more(&self, rows: usize, what: &str) {
        if rows >= KNOWLEDGE_MAX_ROWS {
            self.shown
                .out
                .note(&format!("Only the newest {KNOWLEDGE_MAX_ROWS} {what} are read; there may be more."));
        }
    }
}

/// The row of that number.
fn find<T>(rows: &[Arc<T>], what: &str, id: i64, id_of: impl Fn(&T) -> i64) -> Result<Arc<T>, Failure> {
    let found = rows.iter().find(|row| id_of(row) == id).cloned();
    found.ok_or_else(|| {
        Failure::usage(format!("There is no {what} {id} in this project. See tunaflow {what} list."))
    })
}
