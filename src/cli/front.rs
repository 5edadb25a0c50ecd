//! Talking to the core: a command out, then snapshots until the wish has come true.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::api::command::{ChatCommand, Command, ProjectCommand};
use crate::api::handle::AppHandle;
use crate::api::notice::Notice;
use crate::api::snapshot::{ConversationView, DatabaseStatus, PAGE_LEN, Snapshot};
use crate::cli::out::{BROKEN, DATABASE, Failure, WRONG_ARGUMENTS, one_line};
use crate::model::id::{ConversationId, NoticeId};
use crate::model::message::{Message, NoticeLevel};
use crate::model::project::Project;

/// Reads and writes of the core are far quicker; beyond this something is wrong.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// The command line's end of the core.
pub struct Front {
    pub app: AppHandle,
    /// Newest notice that was dealt with.
    told: NoticeId,
}

impl Front {
    /// Waits until what was kept is read.
    ///
    /// # Errors
    /// The core does not come up.
    pub async fn ready(app: AppHandle) -> Result<Self, Failure> {
        let mut front = Self { app, told: NoticeId(i64::MAX) };
        let first =
            front.wait(DATABASE, |snapshot| (!snapshot.engines.is_empty()).then(|| snapshot.notices.clone()));
        let newest = first.await?.iter().map(|notice| notice.id).max();
        front.told = newest.unwrap_or(NoticeId(0));
        Ok(front)
    }

    /// For commands that write: a database that takes nothing ends them.
    ///
    /// # Errors
    /// The database is damaged.
    pub fn check_writable(&self) -> Result<(), Failure> {
        match &self.app.snapshot().app.database {
            DatabaseStatus::Damaged { why, .. } => Err(Failure::database(why.clone())),
            DatabaseStatus::Ok | DatabaseStatus::WritesFail { .. } => Ok(()),
        }
    }

    /// # Errors
    /// The core has ended.
    pub fn send(&self, command: impl Into<Command>) -> Result<(), Failure> {
        self.app.send(command).map_err(|_refused| ended())
    }

    /// Waits until `pick` finds what it looks for. A new error told by the core ends the wait with `code`.
    ///
    /// # Errors
    /// That error, the core's end, or that nothing came within 30 s.
    pub async fn wait<T>(
        &mut self,
        code: u8,
        pick: impl FnMut(&Snapshot) -> Option<T>,
    ) -> Result<T, Failure> {
        let found = self.wait_up_to(ANSWER_LIMIT, code, pick).await?;
        found.ok_or_else(|| {
            Failure::new(BROKEN, "The core did not answer within 30 s. Look into the log, then try again.")
        })
    }

    /// As [`Self::wait`]; `None` when the time is over.
    ///
    /// # Errors
    /// A new error told by the core, or its end.
    pub async fn wait_up_to<T>(
        &mut self,
        limit: Duration,
        code: u8,
        mut pick: impl FnMut(&Snapshot) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        let deadline = Instant::now() + limit;
        let mut snapshot = self.app.snapshot();
        loop {
            if let Some(found) = pick(&snapshot) {
                return Ok(Some(found));
            }
            if let Some(trouble) = self.new_notices(&snapshot).into_iter().find(|notice| is_trouble(notice)) {
                let is_full = matches!(snapshot.app.database, DatabaseStatus::WritesFail { .. });
                return Err(Failure::new(if is_full { DATABASE } else { code }, notice_line(&trouble)));
            }
            match timeout_at(deadline, self.app.changed()).await {
                Ok(Some(newer)) => snapshot = newer,
                Ok(None) => return Err(ended()),
                Err(_late) => return Ok(None),
            }
        }
    }

    /// Notices nobody has dealt with yet; each comes once.
    pub fn new_notices(&mut self, snapshot: &Snapshot) -> Vec<Arc<Notice>> {
        let fresh: Vec<_> = snapshot.notices.iter().filter(|notice| notice.id > self.told).cloned().collect();
        if let Some(newest) = fresh.iter().map(|notice| notice.id).max() {
            self.told = newest;
        }
        fresh
    }

    /// Makes the folder the current project, known before or not; the current folder when none is named.
    ///
    /// # Errors
    /// It is no folder.
    pub async fn open_project(&mut self, path: Option<&Path>) -> Result<Arc<Project>, Failure> {
        let path = folder(path)?;
        let known = find_project(&self.app.snapshot(), &path);
        match &known {
            Some(project) => self.send(ProjectCommand::Select { project: project.id })?,
            None => self.send(ProjectCommand::Open { path: path.clone() })?,
        }
        self.wait(WRONG_ARGUMENTS, |snapshot| {
            let project = match &known {
                Some(project) => project.clone(),
                None => find_project(snapshot, &path)?,
            };
            (snapshot.project == Some(project.id)).then_some(project)
        })
        .await
    }

    /// Opens a conversation; comes back when its last page is there, if it has one.
    ///
    /// # Errors
    /// There is none of that number, or it cannot be read.
    pub async fn open_conversation(&mut self, id: ConversationId) -> Result<Arc<ConversationView>, Failure> {
        self.send(ChatCommand::Open { conversation: id })?;
        let view = self.wait(WRONG_ARGUMENTS, |snapshot| settled(snapshot, id)).await?;
        readable(view)
    }

    /// One page of an open conversation.
    ///
    /// # Errors
    /// It cannot be read.
    pub async fn page(&mut self, id: ConversationId, page: u32) -> Result<Arc<[Arc<Message>]>, Failure> {
        let app = self.app.clone();
        let found = self.wait(DATABASE, |snapshot| {
            let view = snapshot.view(id)?;
            if let Some(why) = &view.error {
                return Some(Err(unreadable(why)));
            }
            if let Some(messages) = view.pages.get(&page) {
                return Some(Ok(messages.clone()));
            }
            // Asking again is cheap, and needed when the page had to make room for others.
            drop(app.send(ChatCommand::LoadPage { conversation: id, page }));
            None
        });
        found.await?
    }
}

/// The view when its index and last page are there. A message said while a page is on its way could miss it.
fn settled(snapshot: &Snapshot, id: ConversationId) -> Option<Arc<ConversationView>> {
    let view = snapshot.view(id)?;
    let last =
        view.index.len().checked_sub(1).and_then(|last| u32::try_from(last).ok()).map(|last| last / PAGE_LEN);
    let is_there = view.error.is_some() || last.is_none_or(|page| view.pages.contains_key(&page));
    (!view.loading && is_there).then(|| view.clone())
}

fn readable(view: Arc<ConversationView>) -> Result<Arc<ConversationView>, Failure> {
    match &view.error {
        Some(why) => Err(unreadable(why)),
        None => Ok(view),
    }
}

fn unreadable(why: &str) -> Failure {
    Failure::database(format!("The conversation cannot be read: {} Run tunaflow doctor.", one_line(why, 300)))
}

fn ended() -> Failure {
    Failure::new(BROKEN, "The core has ended. Look into the log, then try again.")
}

pub fn is_trouble(notice: &Notice) -> bool {
    notice.level == NoticeLevel::Error && notice.conversation.is_none()
}

/// What, why and what to do in one line.
pub fn notice_line(notice: &Notice) -> String {
    if notice.body.is_empty() {
        return one_line(&notice.title, 300);
    }
    one_line(&format!("{}: {}", notice.title.trim_end_matches('.'), notice.body), 600)
}

/// The project in that folder.
pub fn find_project(snapshot: &Snapshot, path: &Path) -> Option<Arc<Project>> {
    snapshot.projects.iter().find(|project| project.path == path).cloned()
}

/// An absolute path, links resolved when the folder is there.
///
/// # Errors
/// The current folder is gone.
pub fn folder(path: Option<&Path>) -> Result<PathBuf, Failure> {
    let gone = |error: std::io::Error| {
        Failure::usage(format!("There is no current folder: {error}. Name one with --project."))
    };
    let absolute = std::path::absolute(path.unwrap_or(Path::new("."))).map_err(gone)?;
    Ok(std::fs::canonicalize(&absolute).unwrap_or(absolute))
}
