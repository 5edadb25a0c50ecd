//! A branch's own checkout: asked for, kept, shown with its changes, taken away only when nothing is lost.

mod jobs;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::api::notice::NoticeAction;
use crate::api::snapshot::{ChangesView, GitDoing};
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::notices::NewNotice;
use crate::domain::state::{AppState, LiveTurn, WriteMark};
use crate::model::branch::{Branch, BranchFacts};
use crate::model::git::{Checkout, GitPath, MadeCheckout, NotRemoved};
use crate::model::id::{ConversationId, ProjectId};
use crate::model::message::NoticeLevel;
use crate::model::project::{Conversation, Project};
use crate::model::record::StoreWrite;
use crate::model::turn::TurnSpec;

pub use crate::domain::checkout::jobs::{GitDone, GitJob, Vanished};

/// Most files named in a notice.
const NAMED_MAX: usize = 12;
/// A turn that was just begun would not see a checkout made beneath it.
const BUSY: &str = "An agent is answering in the branch. Stop it or let it end first.";

/// What is known of git beside the rows.
#[derive(Debug, Default)]
pub(in crate::domain) struct GitState {
    /// What fronts see of it.
    pub view: Option<Arc<ChangesView>>,
    /// Branches that take over what their project has checked out, as soon as it is known.
    pub inherits: Vec<ConversationId>,
    watched: BTreeMap<ConversationId, Watched>,
    /// What is under way, looks aside.
    moving: BTreeMap<ConversationId, GitDoing>,
    /// A late look is dropped.
    generation: u32,
}

/// A checkout on its way into the store.
#[derive(Clone, Debug)]
pub(in crate::domain) struct NewCheckout {
    branch: ConversationId,
    project: PathBuf,
    made: MadeCheckout,
    before: BranchFacts,
    again: bool,
}

/// Turns in a checkout during which the project's own folder is watched.
#[derive(Debug, Default)]
struct Watched {
    turns: u32,
    /// Another agent works in that folder meanwhile.
    shared: bool,
}

impl GitState {
    /// Its checkout is being made or taken away.
    pub fn is_moving(&self, conversation: ConversationId) -> bool {
        self.moving.contains_key(&conversation)
    }

    /// See [`crate::api::snapshot::Snapshot::git_pending`].
    pub fn pending(&self) -> Vec<ConversationId> {
        self.inherits.iter().chain(self.watched.keys()).copied().collect()
    }
}

impl AppState {
    /// The project's branch goes to branches that have none of their own yet.
    pub(in crate::domain) fn inherit_git_branch(
        &mut self,
        project: ProjectId,
        branch: Option<&str>,
        out: &mut Vec<Effect>,
    ) {
        let of_project =
            |id: &ConversationId| self.conversations.get(id).is_none_or(|state| state.row.project == project);
        let (heirs, others): (Vec<_>, Vec<_>) = self.git.inherits.iter().copied().partition(of_project);
        self.git.inherits = others;
        let Some(name) = branch else { return };
        for id in heirs {
            self.change_row(id, out, |row| {
                if let Some(branch) = &mut row.branch {
                    branch.facts.git_branch.get_or_insert_with(|| name.to_owned());
                }
            });
        }
    }

    fn facts(&self, id: ConversationId) -> Result<(&Conversation, &BranchFacts), String> {
        let row = self.there(id)?;
        let branch = row.branch.as_ref().ok_or("This conversation is not a branch.")?;
        Ok((row, &branch.facts))
    }

    fn project_for(&self, row: &Conversation) -> Result<&Project, String> {
        self.projects.get(&row.project).ok_or_else(|| "The project is not open any more.".to_owned())
    }

    /// What stands against making or taking away a checkout now.
    fn may_move(&self, id: ConversationId) -> Result<(), String> {
        if self.looks_only {
            return Err("Another tunaflow is running; this one only looks.".to_owned());
        }
        if self.git.is_moving(id) {
            return Err("Its checkout is being made or removed already.".to_owned());
        }
        if self.conversations.get(&id).is_some_and(|state| state.live.is_some()) {
            return Err(BUSY.to_owned());
        }
        Ok(())
    }

    pub(in crate::domain) fn make_checkout(
        &mut self,
        id: ConversationId,
        git_branch: Option<String>,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        self.may_move(id)?;
        let (row, facts) = self.facts(id)?;
        let project = self.project_for(row)?;
        let given = git_branch.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        // Made again, it goes on where it was.
        let again = facts.worktree.as_ref().map(|folder| Vanished {
            folder: PathBuf::from(folder),
            base: facts.base.clone(),
            git_branch: facts.git_branch.clone(),
        });
        let job = GitJob::Make {
            branch: id,
            project: project.path.clone(),
            project_id: project.id,
            project_name: project.name.clone(),
            label: row.title.clone(),
            git_branch: given,
            again,
        };
        self.begin_move(id, GitDoing::Making, job, out);
        Ok(())
    }

    pub(in crate::domain) fn remove_checkout(
        &mut self,
        id: ConversationId,
        with_ignored: bool,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        self.may_move(id)?;
        let (project, folder) = self.own_checkout(id)?;
        let job = GitJob::Remove { branch: id, project, folder, with_ignored };
        // A warm process would keep working in the folder.
        out.push(Effect::CloseSeats { conversation: id });
        self.begin_move(id, GitDoing::Removing, job, out);
        Ok(())
    }

    pub(in crate::domain) fn forget_checkout(
        &mut self,
        id: ConversationId,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        self.may_move(id)?;
        let (project, folder) = self.own_checkout(id)?;
        let job = GitJob::Forget { branch: id, project, folder };
        self.begin_move(id, GitDoing::Forgetting, job, out);
        Ok(())
    }

    fn own_checkout(&self, id: ConversationId) -> Result<(PathBuf, PathBuf), String> {
        let (row, facts) = self.facts(id)?;
        let folder = facts.worktree.as_ref().ok_or("The branch has no checkout of its own.")?;
        Ok((self.project_for(row)?.path.clone(), PathBuf::from(folder)))
    }

    fn begin_move(&mut self, id: ConversationId, doing: GitDoing, job: GitJob, out: &mut Vec<Effect>) {
        self.git.moving.insert(id, doing);
        self.show_changes(id, |view| {
            view.doing = Some(doing);
            view.error = None;
            view.refused = None;
        });
        out.push(Effect::Git(Box::new(job)));
    }

    /// Changes what fronts see of that conversation; what was seen of another one goes.
    fn show_changes(&mut self, id: ConversationId, change: impl FnOnce(&mut ChangesView)) {
        let kept = self.git.view.take().filter(|view| view.conversation == id);
        let mut view = kept.map_or_else(
            || ChangesView {
                conversation: id,
                doing: None,
                error: None,
                checkout: None,
                refused: None,
                diff_of: None,
                diff: None,
            },
            Arc::unwrap_or_clone,
        );
        change(&mut view);
        self.git.view = Some(Arc::new(view));
        self.dirty.urgent = true;
    }

    /// The same, unless another conversation is looked at by now.
    fn change_shown(&mut self, id: ConversationId, change: impl FnOnce(&mut ChangesView)) {
        if self.git.view.as_ref().is_some_and(|view| view.conversation == id) {
            self.show_changes(id, change);
        }
    }

    pub(in crate::domain) fn look_at_changes(
        &mut self,
        id: ConversationId,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        let generation = self.git.generation + 1;
        let row = self.there(id)?;
        let project = self.project_for(row)?;
        let facts = row.branch.as_ref().map(|branch| &branch.facts);
        let own = facts.and_then(|facts| facts.worktree.as_ref());
        let job = GitJob::Look {
            conversation: id,
            folder: own.map_or_else(|| project.path.clone(), PathBuf::from),
            own: own.is_some(),
            base: own.and(facts.and_then(|facts| facts.base.clone())),
            generation,
        };
        self.git.generation = generation;
        let doing = self.git.moving.get(&id).copied().unwrap_or(GitDoing::Looking);
        self.show_changes(id, |view| {
            view.doing = Some(doing);
            view.error = None;
        });
        out.push(Effect::Git(Box::new(job)));
        Ok(())
    }

    /// What the shown project has checked out may be another branch now.
    pub(in crate::domain) fn read_git_again(&self, id: ConversationId, out: &mut Vec<Effect>) {
        let project = self.conversations.get(&id).map(|state| state.row.project);
        let project = project.filter(|project| self.project == Some(*project));
        if let Some(project) = project.and_then(|id| self.projects.get(&id)) {
            out.push(Effect::ReadGit { project: project.id, path: project.path.clone() });
        }
    }

    /// Looks again, if that conversation is the one looked at.
    pub(in crate::domain) fn look_again(&mut self, id: ConversationId, out: &mut Vec<Effect>) {
        let shown = self.git.view.as_ref().is_some_and(|view| view.conversation == id);
        if shown && let Err(why) = self.look_at_changes(id, out) {
            self.change_shown(id, |view| view.error = Some(why));
        }
    }

    pub(in crate::domain) fn look_at_diff(
        &mut self,
        id: ConversationId,
        wanted: GitPath,
        out: &mut Vec<Effect>,
    ) {
        let Some(view) = self.git.view.as_ref().filter(|view| view.conversation == id) else { return };
        let Some(Checkout::There(changes)) = view.checkout.as_deref() else { return };
        let found = changes.files.iter().find(|file| file.path == wanted);
        let job = found.map(|file| GitJob::Diff {
            conversation: id,
            folder: changes.folder.clone(),
            base: changes.base.clone(),
            file: file.clone(),
        });
        let is_there = job.is_some();
        self.show_changes(id, |view| {
            if view.diff_of.as_ref() != Some(&wanted) || !is_there {
                view.diff = None;
            }
            if !is_there {
                view.diff = Some(Err(format!("{} has not changed any more.", wanted.shown())));
            }
            view.diff_of = Some(wanted);
        });
        out.extend(job.map(|job| Effect::Git(Box::new(job))));
    }

    pub(in crate::domain) fn git_done(&mut self, done: GitDone, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        match done {
            GitDone::Looked { conversation, generation, result } => {
                if generation == self.git.generation {
                    self.looked(conversation, result, out);
                }
            }
            GitDone::Diffed { conversation, file, result } => self.change_shown(conversation, |view| {
                if view.diff_of.as_ref() == Some(&file) {
                    view.diff = Some(result.map(Arc::new));
                }
            }),
            GitDone::Made { branch, project, result } => self.checkout_made(branch, project, result, out),
            GitDone::Removed { branch, result } => self.checkout_removed(branch, result, cx, out),
            GitDone::Forgotten { branch, result } => {
                self.git.moving.remove(&branch);
                match result {
                    Ok(()) => self.let_go(branch, out),
                    Err(why) => self.move_failed(branch, why),
                }
            }
            GitDone::Left { removed, stay } => self.tell_left(&removed, &stay, cx),
            GitDone::MainSeen { conversation, files } => self.main_seen(conversation, &files, cx),
            GitDone::Nothing => {}
        }
    }

    fn looked(&mut self, id: ConversationId, result: Result<Checkout, String>, out: &mut Vec<Effect>) {
        let moving = self.git.moving.get(&id).copied();
        self.change_shown(id, |view| {
            view.doing = moving;
            match result {
                Ok(checkout) => view.checkout = Some(Arc::new(checkout)),
                Err(why) => {
                    view.checkout = None;
                    view.error = Some(why);
                }
            }
        });
        // What is shown of a file is looked at again too.
        let shown = self.git.view.as_ref().filter(|view| view.conversation == id);
        if let Some(file) = shown.and_then(|view| view.diff_of.clone()) {
            self.look_at_diff(id, file, out);
        }
    }

    fn move_failed(&mut self, id: ConversationId, why: String) {
        self.change_shown(id, |view| {
            view.doing = None;
            view.error = Some(why);
        });
    }

    fn checkout_made(
        &mut self,
        id: ConversationId,
        project: PathBuf,
        result: Result<MadeCheckout, String>,
        out: &mut Vec<Effect>,
    ) {
        let made = match result {
            Ok(made) => made,
            Err(why) => {
                self.git.moving.remove(&id);
                return self.move_failed(id, why);
            }
        };
        let found = self.facts(id).map(|(row, facts)| (row.clone(), facts.clone()));
        let Ok((mut row, before)) = found else {
            // The branch went meanwhile; nobody would ever take its checkout away.
            self.git.moving.remove(&id);
            out.push(Effect::Git(Box::new(GitJob::Unmake { project, made })));
            return;
        };
        let again = before.worktree.is_some();
        if let Some(branch) = &mut row.branch {
            branch.facts.worktree = Some(made.folder.clone());
            branch.facts.subfolder.clone_from(&made.subfolder);
            branch.facts.base = Some(made.base.clone());
            branch.facts.git_branch = Some(made.git_branch.clone());
        }
        if let Some(state) = self.conversations.get_mut(&id) {
            state.row = row.clone();
        }
        self.touch(id);
        // An engine's session belongs to the folder it was made in.
        out.push(Effect::CloseSeats { conversation: id });
        let batch = vec![StoreWrite::PutConversation(row), StoreWrite::DropSessions { conversation: id }];
        let checkout = NewCheckout { branch: id, project, made, before, again };
        let mark = WriteMark { checkout: Some(Box::new(checkout)), ..WriteMark::default() };
        self.write_marked(batch, mark, out);
    }

    pub(in crate::domain) fn checkout_saved(
        &mut self,
        checkout: NewCheckout,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let NewCheckout { branch, made, .. } = checkout;
        self.git.moving.remove(&branch);
        out.push(Effect::Git(Box::new(GitJob::Kept { folder: PathBuf::from(&made.folder) })));
        if !made.notes.is_empty() {
            let title = format!("{} was checked out", made.git_branch);
            self.tell(NoticeLevel::Info, title, made.notes.join(" "), Some(branch), cx);
        }
        if self.look_at_changes(branch, out).is_err() {
            self.change_shown(branch, |view| view.doing = None);
        }
    }

    /// All or nothing: what is not in the store is taken back from the disk.
    pub(in crate::domain) fn checkout_unsaved(
        &mut self,
        checkout: NewCheckout,
        why: &str,
        out: &mut Vec<Effect>,
    ) {
        let NewCheckout { branch, project, made, before, again } = checkout;
        self.git.moving.remove(&branch);
        self.change_row(branch, out, |row| {
            // Only what the checkout changed: it may have been adopted meanwhile, or its hint switched on.
            if let Some(Branch { facts, .. }) = &mut row.branch {
                facts.worktree = before.worktree;
                facts.subfolder = before.subfolder;
                facts.base = before.base;
                facts.git_branch = before.git_branch;
            }
        });
        // Made again, it is where the store says it is.
        if !again {
            out.push(Effect::Git(Box::new(GitJob::Unmake { project, made })));
        }
        self.move_failed(branch, format!("It was taken back, because it could not be saved: {why}"));
    }

    fn checkout_removed(
        &mut self,
        id: ConversationId,
        result: Result<(), NotRemoved>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        self.git.moving.remove(&id);
        match result {
            Ok(()) => {
                let kept = self.facts(id).ok().and_then(|(_, facts)| facts.git_branch.clone());
                self.let_go(id, out);
                if let Some(name) = kept {
                    let body = format!("The git branch {name} stays, with all its commits.");
                    self.tell(NoticeLevel::Info, "The checkout was removed".to_owned(), body, Some(id), cx);
                }
            }
            Err(NotRemoved::Failed(why)) => self.move_failed(id, why),
            Err(NotRemoved::Loses(losses)) => self.change_shown(id, |view| {
                view.doing = None;
                view.refused = Some(Arc::new(*losses));
            }),
        }
    }

    /// The branch works in the project's folder again.
    fn let_go(&mut self, id: ConversationId, out: &mut Vec<Effect>) {
        self.change_row(id, out, |row| {
            if let Some(branch) = &mut row.branch {
                branch.facts.worktree = None;
                branch.facts.subfolder.clear();
                branch.facts.base = None;
            }
        });
        out.push(Effect::CloseSeats { conversation: id });
        self.write(vec![StoreWrite::DropSessions { conversation: id }], out);
        self.change_shown(id, |view| {
            view.doing = None;
            view.checkout = None;
            (view.diff, view.diff_of) = (None, None);
        });
        self.look_again(id, out);
    }

    /// What stays on disk of conversations that go; empty without any.
    pub(in crate::domain) fn kept_checkouts(&self, gone: &[ConversationId]) -> String {
        let kept = gone.iter().filter_map(|id| {
            let branch = self.conversations.get(id)?.row.branch.as_ref()?;
            branch.facts.worktree.clone()
        });
        let kept: Vec<String> = kept.collect();
        match kept.as_slice() {
            [] => String::new(),
            [one] => format!(" Its checkout stays at {one}."),
            many => format!(" Checkouts stay at {}.", many.join(", ")),
        }
    }

    /// A project that is removed leaves its checkouts on disk.
    pub(in crate::domain) fn tell_kept_checkouts(&mut self, gone: &[ConversationId], cx: &mut Cx<'_>) {
        let kept = self.kept_checkouts(gone);
        if !kept.is_empty() {
            let title = "The project's branches had checkouts".to_owned();
            self.tell(NoticeLevel::Info, title, kept.trim_start().to_owned(), None, cx);
        }
    }

    pub(in crate::domain) fn look_for_left_checkouts(&self, out: &mut Vec<Effect>) {
        if self.looks_only {
            return;
        }
        let known = self
            .conversations
            .values()
            .filter_map(|state| state.row.branch.as_ref()?.facts.worktree.as_ref().map(PathBuf::from));
        out.push(Effect::Git(Box::new(GitJob::FindLeft { known: known.collect() })));
    }

    fn tell_left(&mut self, removed: &[String], stay: &[String], cx: &mut Cx<'_>) {
        if !removed.is_empty() {
            let title = "A checkout that was never finished was removed".to_owned();
            self.tell(
                NoticeLevel::Info,
                title,
                format!("Nothing was in it: {}.", removed.join(", ")),
                None,
                cx,
            );
        }
        if !stay.is_empty() {
            let title = "A checkout belongs to no branch".to_owned();
            let body = format!(
                "tunaflow ended while it was made, and it is not clean, so it stays: {}. Remove it with git worktree \
                 remove when you do not need it.",
                stay.join("; ")
            );
            self.tell(NoticeLevel::Warn, title, body, None, cx);
        }
    }

    /// An agent is about to begin: in a checkout, or where others may be watching.
    pub(in crate::domain) fn watch_main(&mut self, spec: &TurnSpec) {
        let shared = |live: &LiveTurn| live.spec.main_folder.is_none() && live.spec.project == spec.project;
        if spec.main_folder.is_some() {
            let is_shared = self.turns.values().any(shared);
            let watched = self.git.watched.entry(spec.conversation).or_default();
            watched.turns += 1;
            watched.shared |= is_shared;
            return;
        }
        for (id, watched) in &mut self.git.watched {
            let project = self.conversations.get(id).map(|state| state.row.project);
            watched.shared |= project == Some(spec.project);
        }
    }

    fn main_seen(&mut self, id: ConversationId, files: &[String], cx: &mut Cx<'_>) {
        let mut is_shared = false;
        if let Some(watched) = self.git.watched.get_mut(&id) {
            is_shared = watched.shared;
            watched.turns = watched.turns.saturating_sub(1);
            if watched.turns == 0 {
                self.git.watched.remove(&id);
            }
        }
        self.dirty.urgent = true;
        if files.is_empty() {
            return;
        }
        let Some(state) = self.conversations.get(&id) else { return };
        let named = files.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
        let more = files.len().saturating_sub(NAMED_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let others =
            if is_shared { ", or by an agent that worked in that folder at the same time" } else { "" };
        let body = format!(
            "They may have been changed by the agent of \"{}\", which was to work in its own checkout only{others}: \
             {named}{more}.",
            state.row.title
        );
        let title = "Files of the project's own folder changed during a turn".to_owned();
        self.tell(NoticeLevel::Warn, title, body, Some(id), cx);
    }

    /// Stays until it is read: it is not about what the conversation itself shows.
    fn tell(
        &mut self,
        level: NoticeLevel,
        title: String,
        body: String,
        about: Option<ConversationId>,
        cx: &mut Cx<'_>,
    ) {
        let action = about.map(NoticeAction::Open);
        self.notify(NewNotice { level, title, body, action, conversation: None, desktop: false }, cx);
    }
}
