//! Branches: made at a message, adopted into their parent, taken back.

use std::sync::Arc;

use crate::api::command::BranchCommand;
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::state::{AppState, ConversationState, ViewState};
use crate::domain::turns::auto_title;
use crate::model::branch::{ADOPT_MAX_CHARS, AdoptCard, Branch, BranchFacts, BranchKind, Summary, gist};
use crate::model::id::{AgreementId, ConversationId, MessageId};
use crate::model::knowledge::{Agreement, AgreementBody, Link, MadeBy};
use crate::model::message::{Author, Item, ItemBody, Message, MessageState};
use crate::model::project::{Conversation, ConversationKind, SeatChoice, title_line};
use crate::model::record::StoreWrite;

/// Longest label, in Unicode characters; a longer one is cut.
const LABEL_MAX_CHARS: usize = 200;
/// Longest name of a git branch, in Unicode characters.
const GIT_BRANCH_MAX_CHARS: usize = 250;
/// A branch of which only the own part is left.
const PARENT_GONE: &str = "The conversation it came from is gone.";

impl AppState {
    pub(in crate::domain) fn branch_command(
        &mut self,
        command: BranchCommand,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        use BranchCommand as B;
        let (done, what) = match command {
            B::Create { parent, checkpoint, label, seat, kind } => {
                let place = NewBranch { parent, checkpoint, label, seat, kind };
                (self.create_branch(place, cx, out), "No branch was made")
            }
            B::Open { branch } => (self.open_branch(branch, cx, out), "The branch was not opened"),
            B::Adopt { branch, summary } => (self.begin_adopt(branch, summary, out), "Nothing was adopted"),
            B::UndoAdopt { branch } => (self.undo_adopt(branch, cx, out), "Nothing was taken back"),
            B::SetGitBranch { branch, git_branch } => {
                (self.set_git_branch(branch, git_branch, out), "Nothing was changed")
            }
            B::ReadSources { branch } => (self.read_sources(branch, out), "The branch was not read"),
            B::Summarise { branch, seat } => {
                (self.summarise(branch, seat, cx, out), "Nothing was summarised")
            }
            B::StopSummary { branch } => return self.stop_summary(branch, out),
            B::DropSummary { branch } => return self.drop_summary(branch, out),
            B::SetShared { branch, shared } => {
                (self.change_branch(branch, out, |facts| facts.shared = shared), "Nothing was changed")
            }
            B::SetHint { branch, on, told } => {
                (self.set_hint(branch, (on, on && told), out), "Nothing was changed")
            }
            B::MakeWorktree { branch, git_branch } => {
                (self.make_checkout(branch, git_branch, out), "No checkout was made")
            }
            B::RemoveWorktree { branch, with_ignored } => {
                (self.remove_checkout(branch, with_ignored, out), "The checkout was not removed")
            }
            B::ForgetWorktree { branch } => {
                (self.forget_checkout(branch, out), "The checkout was not forgotten")
            }
            B::LookAtChanges { conversation } => {
                (self.look_at_changes(conversation, out), "The changes cannot be shown")
            }
            B::LookAtDiff { conversation, file } => {
                self.look_at_diff(conversation, file, out);
                (Ok(()), "")
            }
        };
        if let Err(why) = done {
            self.trouble(what.into(), why, cx);
        }
        self.dirty.urgent = true;
    }

    fn create_branch(
        &mut self,
        new: NewBranch,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        if self.looks_only {
            return Err("Another tunaflow is running; this one only looks.".to_owned());
        }
        let parent = self.there(new.parent)?.clone();
        if let Some(checkpoint) = new.checkpoint {
            self.check_checkpoint(parent.id, checkpoint)?;
        }
        let title = self.branch_label(&parent, &new);
        // A branch in a branch belongs to the same git branch until it is told otherwise; any other to the one that
        // the project has checked out.
        let git_branch = parent.branch.as_ref().and_then(|branch| branch.facts.git_branch.clone());
        let facts = BranchFacts { kind: new.kind, git_branch, ..BranchFacts::default() };
        let row = Conversation {
            id: ConversationId(cx.ids.next_id()),
            project: parent.project,
            kind: ConversationKind::Branch,
            branch: Some(Branch { parent: parent.id, checkpoint: new.checkpoint, facts }),
            title,
            created_ms: cx.now_ms,
            updated_ms: cx.now_ms,
            archived: false,
            seat: self.settings.truly_named(new.seat.unwrap_or(parent.seat)),
            message_count: 0,
            unread: false,
            last_turn: None,
        };
        let id = row.id;
        let is_linked = row.branch.as_ref().is_some_and(|branch| branch.facts.git_branch.is_some());
        if !is_linked && let Some(project) = self.projects.get(&row.project) {
            // What the project has checked out may be another one than when it was opened.
            self.git.inherits.push(id);
            out.push(Effect::ReadGit { project: project.id, path: project.path.clone() });
        }
        self.write(vec![StoreWrite::PutConversation(row.clone())], out);
        self.conversations.insert(id, ConversationState::new(row));
        let view = self.new_view(id, false);
        self.push_beside(view);
        self.branch_focus = Some(id);
        self.dirty.conversations = true;
        Ok(())
    }

    fn open_branch(
        &mut self,
        id: ConversationId,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        if self.there(id)?.branch.is_none() {
            return Err("This conversation is not a branch.".to_owned());
        }
        let held = self.views.iter().position(|view| view.conversation == id && view.error.is_none());
        let view = match held {
            Some(place) => self.views.remove(place),
            None => {
                self.views.retain(|view| view.conversation != id);
                let view = self.new_view(id, true);
                out.push(Effect::LoadIndex { conversation: id, generation: view.generation });
                view
            }
        };
        self.push_beside(view);
        self.branch_focus = Some(id);
        self.touch(id);
        self.mark_read(id, out);
        self.resume_queue(id, cx, out);
        Ok(())
    }

    /// What is shown beside a branch counts as used with it, so that it is the last to be put away.
    fn push_beside(&mut self, view: ViewState) {
        if let Some(place) = self.views.iter().position(|open| Some(open.conversation) == self.focus) {
            let main = self.views.remove(place);
            self.views.push(main);
        }
        self.push_view(view);
    }

    pub(in crate::domain) fn there(&self, id: ConversationId) -> Result<&Conversation, String> {
        let state = self.conversations.get(&id).filter(|state| !state.deleted);
        state.map(|state| &state.row).ok_or_else(|| format!("There is no conversation {id}."))
    }

    /// The message must be one of the parent's, and whole.
    fn check_checkpoint(&self, parent: ConversationId, checkpoint: MessageId) -> Result<(), String> {
        if self.turns.values().any(|live| live.answer.id == checkpoint) {
            return Err("That answer is still being written. Wait until it is whole, or stop it.".to_owned());
        }
        let view = self.views.iter().find(|view| view.conversation == parent && !view.loading);
        let Some(view) = view else { return Err("Open the conversation first.".to_owned()) };
        if view.index.iter().any(|entry| entry.id == checkpoint) {
            return Ok(());
        }
        Err(format!("There is no message {checkpoint} in this conversation."))
    }

    fn branch_label(&self, parent: &Conversation, new: &NewBranch) -> String {
        let given = new.label.as_deref().map(title_line).filter(|label| !label.is_empty());
        let said = new.checkpoint.and_then(|checkpoint| self.loaded_text(parent.id, checkpoint));
        let label = given
            .or_else(|| {
                said.map(|text| auto_title(&without_marks(&text)))
                    .map(|title| title.trim_end_matches([':', '：', ' ']).to_owned())
                    .filter(|title| !title.is_empty() && title != crate::domain::chat::UNTITLED)
            })
            .unwrap_or_else(|| format!("Branch of {}", parent.title));
        label.chars().take(LABEL_MAX_CHARS).collect()
    }

    fn loaded_text(&self, conversation: ConversationId, message: MessageId) -> Option<String> {
        let view = self.views.iter().find(|view| view.conversation == conversation)?;
        let place = view.index.iter().rposition(|entry| entry.id == message)?;
        Some(view.message(place)?.plain_text())
    }

    /// Changes what is known of a branch.
    pub(in crate::domain) fn change_branch(
        &mut self,
        id: ConversationId,
        out: &mut Vec<Effect>,
        change: impl FnOnce(&mut BranchFacts),
    ) -> Result<(), String> {
        if self.there(id)?.branch.is_none() {
            return Err("This conversation is not a branch.".to_owned());
        }
        self.change_row(id, out, |row| {
            if let Some(branch) = &mut row.branch {
                change(&mut branch.facts);
            }
        });
        Ok(())
    }

    fn set_hint(
        &mut self,
        id: ConversationId,
        (hint, hint_told): (bool, bool),
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        let gist = self.last_gist(id, None);
        self.change_branch(id, out, |facts| {
            (facts.hint, facts.hint_told) = (hint, hint_told);
            facts.gist = gist.or_else(|| facts.gist.take());
        })
    }

    /// The gist of the last whole answer that is loaded; `without` is about to leave.
    pub(in crate::domain) fn last_gist(
        &self,
        id: ConversationId,
        without: Option<MessageId>,
    ) -> Option<String> {
        let view = self.views.iter().find(|view| view.conversation == id && !view.loading)?;
        let answers = (0..view.index.len()).rev().map_while(|place| view.message(place));
        let mut whole = answers.filter(|message| {
            message.state == MessageState::Complete
                && Some(message.id) != without
                && matches!(message.author, Author::Agent { .. })
        });
        gist(&whole.next()?.plain_text())
    }

    fn set_git_branch(
        &mut self,
        id: ConversationId,
        git_branch: Option<String>,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        let git_branch = git_branch.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        let is_bad = |name: &String| {
            name.chars().count() > GIT_BRANCH_MAX_CHARS
                || name.starts_with('-')
                || name.chars().any(char::is_control)
        };
        if git_branch.as_ref().is_some_and(is_bad) {
            return Err("That cannot be the name of a git branch.".to_owned());
        }
        self.change_branch(id, out, |facts| facts.git_branch = git_branch)
    }

    /// What stands against adopting it, if anything.
    fn adoptable(
        &self,
        id: ConversationId,
        summary: &Summary,
    ) -> Result<(ConversationId, &Conversation), String> {
        let row = self.there(id)?;
        let Some(branch) = &row.branch else { return Err("This conversation is not a branch.".to_owned()) };
        // One that was continued since may have come to something new.
        if branch.facts.adopted.is_some() && row.archived {
            return Err("It has been adopted already.".to_owned());
        }
        self.there(branch.parent).map_err(|_gone| PARENT_GONE.to_owned())?;
        let runs = |id| self.conversations.get(&id).is_some_and(|state| state.live.is_some());
        if runs(id) {
            return Err("An agent is still answering in the branch. Stop it or let it end first.".to_owned());
        }
        if runs(branch.parent) {
            return Err("An agent is answering in the parent. Adopt when it has ended.".to_owned());
        }
        if self.conversations.get(&id).is_some_and(|state| !state.queue.is_empty()) {
            return Err("A message waits in the branch. Send or remove it first.".to_owned());
        }
        let chars = summary.text.trim().chars().count();
        if chars == 0 {
            return Err("The summary is empty.".to_owned());
        }
        if chars > ADOPT_MAX_CHARS {
            return Err(format!("The summary has {chars} characters; {ADOPT_MAX_CHARS} is the most."));
        }
        Ok((branch.parent, row))
    }

    /// Who spoke in it stands on the card; only the store knows that of a branch that is not loaded whole.
    fn begin_adopt(
        &mut self,
        id: ConversationId,
        summary: Summary,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        if self.looks_only {
            return Err("Another tunaflow is running; this one only looks.".to_owned());
        }
        self.adoptable(id, &summary)?;
        out.push(Effect::LoadSpeakers { branch: id, summary });
        Ok(())
    }

    pub(in crate::domain) fn speakers_loaded(
        &mut self,
        id: ConversationId,
        summary: Summary,
        result: Result<Vec<String>, String>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let done = result.and_then(|agents| self.adopt(id, summary, agents, cx, out));
        if let Err(why) = done {
            self.trouble("Nothing was adopted".into(), why, cx);
        }
        self.dirty.urgent = true;
    }

    /// Card, archive, link and agreement in one batch: one transaction.
    fn adopt(
        &mut self,
        id: ConversationId,
        summary: Summary,
        agents: Vec<String>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        let (parent, row) = self.adoptable(id, &summary)?;
        let (project, label, messages) = (row.project, row.title.clone(), row.message_count);
        let message = MessageId(cx.ids.next_id());
        let agreement = AgreementId(cx.ids.next_id());
        let text = summary.text.trim().to_owned();
        let made_by = MadeBy::Adopt;
        let body =
            AgreementBody { text: text.clone(), made_by, message: Some(message), created_ms: cx.now_ms };
        let agreement_row =
            Agreement { id: agreement, project, conversation: Some(parent), updated_ms: cx.now_ms, body };
        let (source, written_by) = (summary.source, summary.written_by);
        let usage = self.summary_usage(id, source).map(Box::new);
        let card =
            AdoptCard { branch: id, label, source, written_by, text, messages, agents, agreement, usage };
        let card = adopt_message(parent, message, card, cx.now_ms);
        let link = Link { conversation: parent, linked: id, made_by, created_ms: cx.now_ms };
        let mut batch = vec![
            StoreWrite::PutMessage(card.clone()),
            StoreWrite::PutLink(link),
            StoreWrite::PutAgreement(agreement_row.clone()),
        ];
        if let Some(known) = self.knowledge.get_mut(&project) {
            known.links.insert((parent, id), link);
            known.agreements.insert(agreement, Arc::new(agreement_row));
            self.dirty.knowledge = true;
        }
        batch.extend(self.changed_rows(parent, id, |parent, branch| {
            parent.message_count += 1;
            parent.updated_ms = cx.now_ms;
            branch.archived = true;
            if let Some(branch) = &mut branch.branch {
                let earlier = branch.facts.adopted.replace(message);
                branch.facts.adopted_before.extend(earlier);
            }
        }));
        self.append_to_view(parent, &Arc::new(card));
        self.write(batch, out);
        Ok(())
    }

    /// Changes both rows in memory; gives their writes.
    fn changed_rows(
        &mut self,
        parent: ConversationId,
        branch: ConversationId,
        change: impl FnOnce(&mut Conversation, &mut Conversation),
    ) -> Vec<StoreWrite> {
        let row = |id| self.conversations.get(&id).map(|state| state.row.clone());
        let (Some(mut parent), Some(mut branch)) = (row(parent), row(branch)) else { return Vec::new() };
        change(&mut parent, &mut branch);
        let mut writes = Vec::new();
        for row in [parent, branch] {
            self.touch(row.id);
            if let Some(state) = self.conversations.get_mut(&row.id) {
                state.row = row.clone();
            }
            writes.push(StoreWrite::PutConversation(row));
        }
        writes
    }

    fn undo_adopt(
        &mut self,
        id: ConversationId,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        let row = self.there(id)?;
        let project = row.project;
        let before = row.branch.as_ref().and_then(|branch| branch.facts.adopted_before.last().copied());
        let branch = row.branch.as_ref().and_then(|branch| Some((branch.parent, branch.facts.adopted?)));
        let Some((parent, message)) = branch else { return Err("It has not been adopted.".to_owned()) };
        self.there(parent).map_err(|_gone| PARENT_GONE.to_owned())?;
        if self.conversations.get(&parent).is_some_and(|state| state.live.is_some()) {
            return Err("An agent is answering in the parent.".to_owned());
        }
        let view = self.views.iter().find(|view| view.conversation == parent && !view.loading);
        let Some(view) = view else { return Err("Open the parent conversation first.".to_owned()) };
        if view.index.last().is_some_and(|last| last.id != message) {
            return Err("The parent has gone on since. Delete the card there if it is not wanted.".to_owned());
        }
        let mut batch =
            vec![StoreWrite::SetMessagesDeleted { messages: vec![message], deleted_ms: Some(cx.now_ms) }];
        // The card names it; what the project keeps may be more than was read, or not read yet.
        let named = match view.index.len().checked_sub(1).map(|last| view.message(last)) {
            Some(None) => return Err("The parent is still being read. Try again.".to_owned()),
            Some(Some(card)) => agreement_of(card),
            None => None,
        };
        let is_last = before.is_none();
        if is_last {
            batch.push(StoreWrite::RemoveLink { conversation: parent, linked: id });
        }
        let known = self.knowledge.get_mut(&project);
        let found = known.as_ref().and_then(|known| {
            known.agreements.values().find(|row| row.body.message == Some(message)).map(|row| row.id)
        });
        let made = named.or(found);
        batch.extend(made.map(StoreWrite::RemoveAgreement));
        if let Some(known) = known {
            if is_last {
                known.links.remove(&(parent, id));
            }
            made.and_then(|made| known.agreements.remove(&made));
            self.dirty.knowledge = true;
        }
        batch.extend(self.changed_rows(parent, id, |parent, branch| {
            parent.message_count = parent.message_count.saturating_sub(1);
            branch.archived = false;
            if let Some(branch) = &mut branch.branch {
                branch.facts.adopted = branch.facts.adopted_before.pop();
            }
        }));
        self.remove_from_view(parent, message);
        self.write(batch, out);
        Ok(())
    }

    /// All branches below a conversation, nearest first; deleted ones are left out.
    pub(in crate::domain) fn descendants(&self, id: ConversationId) -> Vec<ConversationId> {
        let mut found = Vec::new();
        let mut from = vec![id];
        while let Some(parent) = from.pop() {
            let below = self.conversations.values().filter(|state| {
                !state.deleted && state.row.branch.as_ref().is_some_and(|branch| branch.parent == parent)
            });
            for child in below.map(|state| state.row.id) {
                // A row that names itself as its own ancestor, e.g. after a hand edit, must not hang the program.
                if child != id && !found.contains(&child) {
                    found.push(child);
                    from.push(child);
                }
            }
        }
        found
    }
}

/// A branch that is to be made.
struct NewBranch {
    parent: ConversationId,
    checkpoint: Option<MessageId>,
    label: Option<String>,
    seat: Option<SeatChoice>,
    kind: BranchKind,
}

fn adopt_message(conversation: ConversationId, id: MessageId, card: AdoptCard, now_ms: i64) -> Message {
    Message {
        id,
        conversation,
        seq: id.0,
        author: Author::System,
        created_ms: now_ms,
        state: MessageState::Complete,
        items: vec![Item { key: "adopted".into(), body: ItemBody::Adopted(card) }],
        turn: None,
        duration_ms: None,
        usage: None,
        revision: 0,
        unsaved: false,
    }
}

/// The agreement that was made with a card.
fn agreement_of(card: &Message) -> Option<AgreementId> {
    card.items.iter().find_map(|item| match &item.body {
        ItemBody::Adopted(card) => Some(card.agreement),
        _ => None,
    })
}

/// Markdown's marks say nothing in a label.
fn without_marks(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start_matches(['#', '>', ' ']));
    let text = lines.collect::<Vec<_>>().join("\n");
    text.replace("**", "").replace("__", "").replace('`', "")
}
