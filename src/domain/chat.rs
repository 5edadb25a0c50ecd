//! Conversations: made, opened, named, put away; and what is typed in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::command::ChatCommand;
use crate::api::notice::NoticeAction;
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::notices::NewNotice;
use crate::domain::state::{AppState, ConversationState, ViewState};
use crate::model::id::{ConversationId, ProjectId};
use crate::model::message::NoticeLevel;
use crate::model::project::{Conversation, ConversationKind, Draft, SeatChoice, title_line};
use crate::model::record::StoreWrite;
use crate::model::settings::{BUDGET_CHARS_MAX, BUDGET_CHARS_MIN};

/// Title of a conversation nobody has said anything in.
pub(in crate::domain) const UNTITLED: &str = "New conversation";

/// Conversations kept loaded for viewing; more only while more are on screen.
const MAX_VIEWS: usize = 4;

/// Longest title, in characters.
const MAX_TITLE_CHARS: usize = 200;

impl AppState {
    pub(in crate::domain) fn chat_command(
        &mut self,
        command: ChatCommand,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        use ChatCommand as C;
        match command {
            C::New { project, seat } => self.new_conversation(project, seat, cx, out),
            C::Open { conversation } => self.open_conversation(conversation, cx, out),
            C::LoadPage { conversation, page } => self.load_page(conversation, page, out),
            C::Rename { conversation, title } => self.rename(conversation, &title, out),
            C::SetArchived { conversation, archived } => self.archive(conversation, archived, out),
            C::Delete { conversation } => self.delete_conversation(conversation, cx, out),
            C::UndoDelete { conversation } => self.undo_delete(conversation, cx, out),
            C::SetSeat { conversation, seat } => self.set_seat(conversation, seat, out),
            C::SetBudget { conversation, budget_chars } => self.set_budget(conversation, budget_chars),
            C::SaveDraft { conversation, draft } => self.save_draft(conversation, draft),
            C::Send { conversation, draft } => self.send(conversation, &draft, cx, out),
            C::SendWords { conversation, text } => self.send_words(conversation, text, cx, out),
            C::Stop { conversation } => self.stop_conversation(conversation, out),
            C::EditQueued { queued, text } => self.edit_queued(queued, text, out),
            C::RemoveQueued { queued } => self.remove_queued(queued, out),
            C::SendQueuedNow { queued } => self.send_queued_now(queued, cx, out),
            C::EditAndResend { message, text } => self.edit_and_resend(message, text, cx, out),
            C::Regenerate { message, engine } => self.regenerate(message, engine, cx, out),
            C::Continue { turn } => self.continue_turn(turn, cx, out),
            C::Retry { turn, engine } => self.retry_turn(turn, engine, out),
            C::UndoEdit { conversation } => self.undo_edit(conversation, cx, out),
            C::DeleteMessage { message } => self.delete_message(message, cx, out),
            C::Answer { turn, ask, decision } => self.answer(turn, &ask, decision, cx, out),
            C::Find { conversation, find, query } => self.find(conversation, find, query, out),
            C::PreviewPack { conversation, text } => self.preview(conversation, text, out),
            C::LoadPack { conversation, turn } => self.load_pack(conversation, turn, out),
            C::ComparePack { conversation, with } => self.compare_pack(conversation, with, out),
        }
    }

    fn new_conversation(
        &mut self,
        project: ProjectId,
        seat: Option<SeatChoice>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        if !self.projects.contains_key(&project) {
            self.trouble("No conversation was made".into(), "Its project is not open any more.".into(), cx);
            return;
        }
        let seat = self.settings.truly_named(seat.unwrap_or_else(|| self.default_seat()));
        if let Some(empty) = self.reusable(project) {
            self.set_seat(empty, seat, out);
            self.open_conversation(empty, cx, out);
            return;
        }
        let row = Conversation {
            id: ConversationId(cx.ids.next_id()),
            project,
            kind: ConversationKind::Main,
            branch: None,
            title: UNTITLED.into(),
            created_ms: cx.now_ms,
            updated_ms: cx.now_ms,
            archived: false,
            seat,
            message_count: 0,
            unread: false,
            last_turn: None,
        };
        let id = row.id;
        self.write(vec![StoreWrite::PutConversation(row.clone())], out);
        self.conversations.insert(id, ConversationState::new(row));
        let view = self.new_view(id, false);
        self.push_view(view);
        self.focus = Some(id);
        self.dirty.conversations = true;
        self.dirty.urgent = true;
    }

    /// An untouched conversation of the project: another empty one would only be clutter.
    fn reusable(&self, project: ProjectId) -> Option<ConversationId> {
        self.conversations
            .values()
            .filter(|state| {
                let row = &state.row;
                row.project == project
                    && row.kind == ConversationKind::Main
                    && row.message_count == 0
                    && row.title == UNTITLED
                    && !row.archived
                    && !state.deleted
                    && state.live.is_none()
                    && state.queue.is_empty()
                    && state.draft.is_blank()
                    && self.descendants(row.id).is_empty()
            })
            .map(|state| state.row.id)
            .max()
    }

    pub(in crate::domain) fn open_conversation(
        &mut self,
        id: ConversationId,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let Some(state) = self.conversations.get(&id).filter(|state| !state.deleted) else {
            self.trouble("Conversation not found".into(), format!("There is no conversation {id}."), cx);
            return;
        };
        let project = state.row.project;
        if self.project != Some(project) {
            self.project_command(crate::api::command::ProjectCommand::Select { project }, cx, out);
        }
        match self.views.iter().position(|view| view.conversation == id && view.error.is_none()) {
            Some(place) => {
                let view = self.views.remove(place);
                self.push_view(view);
            }
            None => {
                self.views.retain(|view| view.conversation != id);
                let view = self.new_view(id, true);
                out.push(Effect::LoadIndex { conversation: id, generation: view.generation });
                self.push_view(view);
            }
        }
        self.focus = Some(id);
        self.dirty.urgent = true;
        self.touch(id);
        self.mark_read(id, out);
        self.resume_queue(id, cx, out);
    }

    pub(in crate::domain) fn new_view(&mut self, id: ConversationId, loading: bool) -> ViewState {
        ViewState::new(id, loading, self.next_generation())
    }

    pub(in crate::domain) fn next_generation(&mut self) -> u32 {
        self.generations = self.generations.wrapping_add(1);
        self.generations
    }

    pub(in crate::domain) fn push_view(&mut self, view: ViewState) {
        self.views.push(view);
        while self.views.len() > MAX_VIEWS {
            // What is on screen stays, and the newest.
            let last = self.views.len() - 1;
            let spare = |view: &ViewState| !self.viewing.needs(view.conversation);
            let Some(place) = self.views.iter().take(last).position(spare) else { break };
            self.views.remove(place);
        }
    }

    fn rename(&mut self, id: ConversationId, title: &str, out: &mut Vec<Effect>) {
        let title = title_line(title);
        if title.is_empty() {
            return;
        }
        let title = title.chars().take(MAX_TITLE_CHARS).collect();
        self.change_row(id, out, |row| row.title = title);
    }

    fn archive(&mut self, id: ConversationId, archived: bool, out: &mut Vec<Effect>) {
        self.change_row(id, out, |row| row.archived = archived);
    }

    fn set_seat(&mut self, id: ConversationId, seat: SeatChoice, out: &mut Vec<Effect>) {
        let seat = self.settings.truly_named(seat);
        self.change_row(id, out, |row| row.seat = seat);
    }

    /// Changes a conversation's row, and keeps it.
    pub(in crate::domain) fn change_row(
        &mut self,
        id: ConversationId,
        out: &mut Vec<Effect>,
        change: impl FnOnce(&mut Conversation),
    ) {
        let Some(state) = self.conversations.get_mut(&id) else { return };
        let before = state.row.clone();
        change(&mut state.row);
        if state.row == before {
            return;
        }
        let row = state.row.clone();
        self.touch(id);
        self.write(vec![StoreWrite::PutConversation(row)], out);
    }

    fn delete_conversation(&mut self, id: ConversationId, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        let Some(state) = self.conversations.get(&id).filter(|state| !state.deleted) else { return };
        let title = state.row.title.clone();
        // What hangs on it goes with it, and comes back with it: all bear the same time.
        let mut gone = vec![id];
        gone.extend(self.descendants(id));
        let mut count = 0_u64;
        for one in &gone {
            self.stop_conversation(*one, out);
            if let Some(state) = self.conversations.get_mut(one) {
                state.deleted = true;
                state.deleted_with = Some(id);
                count += u64::from(state.row.message_count);
            }
            self.views.retain(|view| view.conversation != *one);
            if self.focus == Some(*one) {
                self.focus = None;
            }
            if self.branch_focus == Some(*one) {
                self.branch_focus = None;
            }
            out.push(Effect::CloseSeats { conversation: *one });
        }
        let delete = |conversation: &ConversationId| StoreWrite::SetConversationDeleted {
            conversation: *conversation,
            deleted_ms: Some(cx.now_ms),
        };
        self.write(gone.iter().map(delete).collect(), out);
        self.dirty.conversations = true;
        let below = match gone.len() - 1 {
            0 => String::new(),
            1 => " and 1 branch".to_owned(),
            branches => format!(" and {branches} branches"),
        };
        let notice = NewNotice {
            level: NoticeLevel::Info,
            title: format!("Deleted {title}{below}"),
            body: format!(
                "{count} messages. It is erased when tunaflow starts next.{}",
                self.kept_checkouts(&gone)
            ),
            action: Some(NoticeAction::UndoDelete(id)),
            conversation: Some(id),
            desktop: false,
        };
        self.notify(notice, cx);
    }

    fn undo_delete(&mut self, id: ConversationId, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        let Some(state) = self.conversations.get(&id).filter(|state| state.deleted) else { return };
        let above = state.row.branch.as_ref().and_then(|branch| self.conversations.get(&branch.parent));
        // A branch that is its own parent, e.g. after a hand edit, waits for nobody.
        if let Some(above) =
            above.filter(|above| above.deleted && above.row.id != id && above.deleted_with != Some(id))
        {
            let why = format!("{} is deleted, too. Bring that back first.", above.row.title);
            return self.trouble("The branch was not brought back".into(), why, cx);
        }
        let mut back = Vec::new();
        for state in self.conversations.values_mut().filter(|state| state.deleted) {
            if state.row.id == id || state.deleted_with == Some(id) {
                state.deleted = false;
                state.deleted_with = None;
                let conversation = state.row.id;
                back.push(StoreWrite::SetConversationDeleted { conversation, deleted_ms: None });
            }
        }
        self.write(back, out);
        self.dirty.conversations = true;
        self.notices.retain(|notice| notice.conversation != Some(id));
        self.dirty.notices = true;
        self.open_conversation(id, cx, out);
    }

    /// Drops a conversation from memory; what is kept of it is the caller's business.
    pub(in crate::domain) fn forget_conversation(&mut self, id: ConversationId, out: &mut Vec<Effect>) {
        let live = self.conversations.remove(&id).and_then(|state| state.live);
        self.forget_writes(id, live);
        // Its last words have no place to be kept in any more.
        self.dirty.asks |= live.and_then(|turn| self.turns.remove(&turn)).is_some();
        self.notices.retain(|notice| notice.conversation != Some(id));
        self.dirty.notices = true;
        self.views.retain(|view| view.conversation != id);
        if self.focus == Some(id) {
            self.focus = None;
        }
        if self.branch_focus == Some(id) {
            self.branch_focus = None;
        }
        out.push(Effect::CloseSeats { conversation: id });
        self.dirty.conversations = true;
    }

    pub(in crate::domain) fn save_draft(&mut self, id: ConversationId, draft: Draft) {
        let Some(state) = self.conversations.get_mut(&id) else { return };
        if *state.draft != draft {
            state.draft = Arc::new(draft);
            state.draft_dirty = true;
            self.touch(id);
        }
    }

    pub(in crate::domain) fn flush_drafts(&mut self, out: &mut Vec<Effect>) {
        let mut batch = Vec::new();
        for state in self.conversations.values_mut().filter(|state| state.draft_dirty) {
            state.draft_dirty = false;
            batch.push(draft_write(state.row.id, &state.draft));
        }
        self.write(batch, out);
    }

    /// The words are on their way; the field is empty again. Returns what is to be kept of it.
    pub(in crate::domain) fn clear_draft(&mut self, id: ConversationId) -> Option<StoreWrite> {
        let state = self.conversations.get_mut(&id)?;
        state.draft_dirty = false;
        state.draft = Arc::new(Draft::default());
        Some(StoreWrite::PutDraft { conversation: id, draft: None })
    }

    /// Kept within the limits of the setting.
    fn set_budget(&mut self, id: ConversationId, budget_chars: Option<u32>) {
        if let Some(state) = self.conversations.get_mut(&id) {
            state.budget_chars = budget_chars.map(|chars| chars.clamp(BUDGET_CHARS_MIN, BUDGET_CHARS_MAX));
        }
    }

    pub(in crate::domain) fn budget_chars(&self, id: ConversationId) -> u32 {
        self.conversations.get(&id).and_then(|s| s.budget_chars).unwrap_or(self.settings.budget_chars)
    }
}

fn draft_write(conversation: ConversationId, draft: &Draft) -> StoreWrite {
    let draft = (!draft.is_blank()).then(|| draft.clone());
    StoreWrite::PutDraft { conversation, draft }
}

impl ConversationState {
    pub(in crate::domain) fn new(row: Conversation) -> Self {
        Self {
            row,
            live: None,
            queue: Vec::new(),
            draft: Arc::new(Draft::default()),
            draft_dirty: false,
            last: None,
            budget_chars: None,
            deleted: false,
            deleted_with: None,
            undo: None,
        }
    }
}

impl ViewState {
    pub(in crate::domain) fn new(conversation: ConversationId, loading: bool, generation: u32) -> Self {
        Self {
            conversation,
            index: Arc::new(Vec::new()),
            seqs: Vec::new(),
            pages: BTreeMap::new(),
            asked: Vec::new(),
            asked_again: Vec::new(),
            generation,
            outdated: false,
            find_wanted: None,
            find: None,
            preview: None,
            preview_running: None,
            preview_next: None,
            suggestions: Arc::from([]),
            sent_pack: None,
            sent_wanted: None,
            compared: None,
            compare_wanted: None,
            loading,
            error: None,
            dirty: true,
        }
    }
}
