//! What comes back from the store: start-up, indexes, pages, lookups. And the places in an open view.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::snapshot::{FIND_MAX, FindView, IndexEntry, PAGE_LEN, PackView, TurnRow};
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::fold::{chars_of, settle};
use crate::domain::input::{OpenedConversation, Stored};
use crate::domain::state::{AppState, ConversationState, ViewState};
use crate::model::id::{ConversationId, FindId, MessageId};
use crate::model::message::{Author, Message, MessageState, ToolState};
use crate::model::record::{Startup, StoreWrite, TurnRecord};
use crate::model::turn::TurnState;

/// Pages kept loaded per view: 16 × 64 messages.
const MAX_PAGES: usize = 16;

impl AppState {
    pub(in crate::domain) fn started(&mut self, startup: Startup, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        cx.ids.raise_to(startup.next_id);
        self.load_settings(&startup.settings, cx);
        out.push(Effect::ApplySettings(Box::new((*self.settings).clone())));
        self.projects = startup.projects.into_iter().map(|project| (project.id, project)).collect();
        self.project = self.projects.values().max_by_key(|project| project.opened_ms).map(|project| project.id);
        self.status.first_run = self.projects.is_empty();
        self.conversations =
            startup.conversations.into_iter().map(|row| (row.id, ConversationState::new(row))).collect();
        for message in startup.queued {
            if let Some(state) = self.conversations.get_mut(&message.conversation) {
                state.queue.push(message);
            }
        }
        for (conversation, draft) in startup.drafts {
            if let Some(state) = self.conversations.get_mut(&conversation) {
                state.draft = Arc::new(draft);
            }
        }
        self.interrupt(startup.open_turns, cx, out);
        if let Some(project) = self.project.and_then(|id| self.projects.get(&id)) {
            out.push(Effect::ReadGit { project: project.id, path: project.path.clone() });
        }
        self.dirty.app = true;
        self.dirty.projects = true;
        self.dirty.conversations = true;
        self.dirty.settings = true;
        self.dirty.urgent = true;
    }

    /// Turns that were running when the app ended say so; nothing stays "running".
    fn interrupt(&mut self, open: Vec<TurnRecord>, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        let mut batch = Vec::new();
        for mut record in open {
            record.state = TurnState::Interrupted;
            record.ended_ms.get_or_insert(cx.now_ms);
            if let Some(state) = self.conversations.get_mut(&record.conversation) {
                state.row.last_turn = Some(TurnState::Interrupted);
                batch.push(StoreWrite::PutConversation(state.row.clone()));
            }
            batch.push(StoreWrite::PutTurn(record));
        }
        self.write(batch, out);
    }

    pub(in crate::domain) fn stored(&mut self, stored: Stored, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        match stored {
            Stored::Index { conversation, result } => self.index_loaded(conversation, result, out),
            Stored::Page { conversation, page, generation, result } => {
                self.page_loaded(conversation, page, generation, result, out);
            }
            Stored::Found { conversation, find, query, result } => match result {
                Ok((ids, capped)) => self.found(conversation, find, query, &ids, capped),
                Err(why) => self.trouble("The search failed".into(), why, cx),
            },
            Stored::Resend { plan, result, .. } => self.resend(&plan, result, cx, out),
            Stored::Pack { conversation, turn, result } => match result {
                Ok(Some(pack)) => {
                    let shown = PackView { turn: Some(turn), prompt: String::new(), pack };
                    self.change_view(conversation, |view| view.sent_pack = Some(Arc::new(shown)));
                }
                Ok(None) => {
                    self.trouble("No context to show".into(), "No context was kept for this message.".into(), cx);
                }
                Err(why) => self.trouble("The context cannot be read".into(), why, cx),
            },
            Stored::Preview { conversation, prompt, result } => match result {
                Ok(pack) => {
                    let shown = PackView { turn: None, prompt, pack };
                    self.change_view(conversation, |view| view.preview = Some(Arc::new(shown)));
                }
                Err(why) => self.trouble("The context cannot be assembled".into(), why, cx),
            },
        }
    }

    fn change_view(&mut self, id: ConversationId, change: impl FnOnce(&mut ViewState)) {
        if let Some(view) = self.view_mut(id) {
            change(view);
            view.dirty = true;
            self.dirty.urgent = true;
        }
    }

    fn index_loaded(
        &mut self,
        id: ConversationId,
        result: Result<OpenedConversation, String>,
        out: &mut Vec<Effect>,
    ) {
        self.dirty.urgent = true;
        let live: Vec<(MessageId, i64, bool)> = self
            .turns
            .values()
            .filter(|live| live.record.conversation == id)
            .flat_map(|live| {
                [(live.spec.user_message, live.spec.user_seq, true), (live.answer.id, live.answer.seq, false)]
            })
            .collect();
        let Some(view) = self.view_mut(id) else { return };
        view.loading = false;
        view.dirty = true;
        let opened = match result {
            Ok(opened) => opened,
            Err(why) => {
                view.error = Some(why);
                return;
            }
        };
        view.seqs = opened.index.iter().map(|row| row.seq).collect();
        view.index = Arc::new(
            opened
                .index
                .iter()
                .map(|row| IndexEntry {
                    id: row.id,
                    revision: row.revision,
                    chars: row.chars,
                    by_user: row.by_user,
                })
                .collect(),
        );
        // What was said while the index was being read.
        for (message, seq, by_user) in live {
            if !view.index.iter().rev().any(|entry| entry.id == message) {
                view.seqs.push(seq);
                Arc::make_mut(&mut view.index).push(IndexEntry { id: message, revision: 0, chars: 0, by_user });
            }
        }
        if let Some(state) = self.conversations.get_mut(&id)
            && state.live.is_none()
            && let Some(record) = opened.turn
        {
            state.last = Some(Arc::new(turn_row(record, opened.report)));
        }
        self.load_last_page(id, out);
    }

    /// What a reader sees first: the end.
    fn load_last_page(&mut self, id: ConversationId, out: &mut Vec<Effect>) {
        let Some(view) = self.view_mut(id) else { return };
        let Some(last) = view.index.len().checked_sub(1) else { return };
        let page = u32::try_from(last).unwrap_or(u32::MAX) / PAGE_LEN;
        self.load_page(id, page, out);
        if page > 0 {
            self.load_page(id, page - 1, out);
        }
    }

    pub(in crate::domain) fn load_page(&mut self, id: ConversationId, page: u32, out: &mut Vec<Effect>) {
        let Some(view) = self.view_mut(id) else { return };
        if view.pages.contains_key(&page) || view.asked.contains(&page) {
            return;
        }
        let from = (page * PAGE_LEN) as usize;
        let to = (from + PAGE_LEN as usize).min(view.seqs.len());
        let (Some(first), Some(last)) = (view.seqs.get(from), view.seqs.get(to.saturating_sub(1))) else { return };
        out.push(Effect::LoadPage {
            conversation: id,
            page,
            generation: view.generation,
            first_seq: *first,
            last_seq: *last,
        });
        view.asked.push(page);
    }

    fn page_loaded(
        &mut self,
        id: ConversationId,
        page: u32,
        generation: u32,
        result: Result<Vec<Message>, String>,
        out: &mut Vec<Effect>,
    ) {
        let live: Vec<MessageId> = self.turns.values().map(|live| live.answer.id).collect();
        let asked: Vec<Arc<Message>> = self.turns.values().map(|live| live.user.clone()).collect();
        let Some(view) = self.view_mut(id).filter(|view| view.generation == generation) else { return };
        view.asked.retain(|asked| *asked != page);
        let messages = match result {
            Ok(messages) => messages,
            Err(why) => {
                view.error = Some(why);
                view.dirty = true;
                return;
            }
        };
        let mut mended = Vec::new();
        let mut by_id: BTreeMap<MessageId, Arc<Message>> = BTreeMap::new();
        for mut message in messages {
            if message.state == MessageState::Streaming && !live.contains(&message.id) {
                message.state = MessageState::Interrupted;
                settle(&mut message.items, ToolState::Stopped);
                mended.push(StoreWrite::PutMessage(message.clone()));
            }
            by_id.insert(message.id, Arc::new(message));
        }
        for message in asked {
            by_id.entry(message.id).or_insert(message);
        }
        let from = (page * PAGE_LEN) as usize;
        let shown: Vec<Arc<Message>> = view
            .index
            .iter()
            .skip(from)
            .take(PAGE_LEN as usize)
            .map(|entry| by_id.remove(&entry.id).unwrap_or_else(|| Arc::new(missing(id, entry))))
            .collect();
        view.pages.insert(page, shown.into());
        evict(&mut view.pages, page);
        view.dirty = true;
        self.dirty.urgent = true;
        self.write(mended, out);
    }

    pub(in crate::domain) fn find(
        &mut self,
        id: ConversationId,
        find: FindId,
        query: String,
        out: &mut Vec<Effect>,
    ) {
        if query.trim().is_empty() {
            self.change_view(id, |view| view.find = None);
            return;
        }
        out.push(Effect::Find { conversation: id, find, query });
    }

    fn found(&mut self, id: ConversationId, find: FindId, query: String, ids: &[MessageId], capped: bool) {
        self.change_view(id, |view| {
            // An older answer must not replace a newer one.
            if view.find.as_ref().is_some_and(|shown| shown.find > find) {
                return;
            }
            let wanted: std::collections::BTreeSet<MessageId> = ids.iter().take(FIND_MAX).copied().collect();
            let places = view
                .index
                .iter()
                .enumerate()
                .filter(|(_, entry)| wanted.contains(&entry.id))
                .filter_map(|(place, _)| u32::try_from(place).ok())
                .collect();
            view.find = Some(Arc::new(FindView { find, query, places, capped }));
        });
    }
}

/// Places of an open view.
impl AppState {
    /// A finished message is added at the end.
    pub(in crate::domain) fn append_to_view(&mut self, id: ConversationId, message: &Arc<Message>) {
        let Some(view) = self.view_mut(id).filter(|view| !view.loading) else { return };
        view.push(message);
        view.put(message);
    }

    /// The answer being written has its place, its text is elsewhere.
    pub(in crate::domain) fn append_live_to_view(&mut self, id: ConversationId, answer: &Message) {
        let Some(view) = self.view_mut(id).filter(|view| !view.loading) else { return };
        view.push(answer);
    }

    /// The answer has ended and takes its place among the finished.
    pub(in crate::domain) fn put_in_view(&mut self, id: ConversationId, message: &Arc<Message>) {
        if let Some(view) = self.view_mut(id) {
            view.put(message);
        }
    }

    /// Everything from `seq` on leaves; returns what left.
    pub(in crate::domain) fn cut_view_from(&mut self, id: ConversationId, seq: i64) -> Vec<MessageId> {
        let Some(view) = self.view_mut(id) else { return Vec::new() };
        let keep = view.seqs.partition_point(|own| *own < seq);
        let gone = view.index.iter().skip(keep).map(|entry| entry.id).collect();
        view.seqs.truncate(keep);
        Arc::make_mut(&mut view.index).truncate(keep);
        view.drop_pages_from(keep);
        gone
    }

    pub(in crate::domain) fn remove_from_view(&mut self, id: ConversationId, message: MessageId) {
        let Some(view) = self.view_mut(id) else { return };
        let Some(place) = view.index.iter().rposition(|entry| entry.id == message) else { return };
        view.seqs.remove(place);
        Arc::make_mut(&mut view.index).remove(place);
        view.drop_pages_from(place);
    }

    pub(in crate::domain) fn mark_unsaved(&mut self, id: ConversationId, message: MessageId, unsaved: bool) {
        if let Some(live) = self.turns.values_mut().find(|live| live.answer.id == message) {
            if live.answer.unsaved != unsaved {
                live.answer.unsaved = unsaved;
                live.shared = None;
                self.dirty.live = true;
            }
            return;
        }
        let Some(view) = self.view_mut(id) else { return };
        let Some(place) = view.index.iter().rposition(|entry| entry.id == message) else { return };
        let Some(shown) = view.message(place).filter(|shown| shown.unsaved != unsaved) else { return };
        let mut changed = Message::clone(shown);
        changed.unsaved = unsaved;
        changed.revision = changed.revision.wrapping_add(1);
        view.put(&Arc::new(changed));
    }
}

impl ViewState {
    /// The message at a place, when its page is loaded.
    pub(in crate::domain) fn message(&self, place: usize) -> Option<&Arc<Message>> {
        let page = u32::try_from(place).ok()? / PAGE_LEN;
        self.pages.get(&page)?.get(place % PAGE_LEN as usize)
    }

    fn push(&mut self, message: &Message) {
        self.seqs.push(message.seq);
        Arc::make_mut(&mut self.index).push(IndexEntry {
            id: message.id,
            revision: message.revision,
            chars: chars_of(&message.items),
            by_user: message.author == Author::User,
        });
        self.dirty = true;
    }

    /// Puts the message at its place; a page that does not reach so far is loaded again when it is wanted.
    fn put(&mut self, message: &Arc<Message>) {
        let Some(place) = self.index.iter().rposition(|entry| entry.id == message.id) else { return };
        if let Some(entry) = Arc::make_mut(&mut self.index).get_mut(place) {
            entry.revision = message.revision;
            entry.chars = chars_of(&message.items);
        }
        self.dirty = true;
        let Ok(page) = u32::try_from(place).map(|place| place / PAGE_LEN) else { return };
        let offset = place % PAGE_LEN as usize;
        let mut shown: Vec<Arc<Message>> = match self.pages.get(&page) {
            Some(shown) => shown.to_vec(),
            None if offset == 0 => Vec::new(),
            None => return,
        };
        if let Some(old) = shown.get_mut(offset) {
            *old = message.clone();
        } else if shown.len() == offset {
            shown.push(message.clone());
        } else {
            self.pages.remove(&page);
            return;
        }
        self.pages.insert(page, shown.into());
    }

    fn drop_pages_from(&mut self, place: usize) {
        let page = u32::try_from(place).unwrap_or(u32::MAX) / PAGE_LEN;
        let first = self.pages.split_off(&page).remove(&page);
        // What stands before the place in its own page is still right, unless something follows it now.
        let left = self.index.len().saturating_sub((page * PAGE_LEN) as usize).min(PAGE_LEN as usize);
        if let Some(kept) = first.as_ref().and_then(|shown| shown.get(..left)).filter(|kept| !kept.is_empty())
            && place >= self.index.len()
        {
            self.pages.insert(page, kept.into());
        }
        self.asked.clear();
        self.generation = self.generation.wrapping_add(1);
        self.find = None;
        self.dirty = true;
    }
}

/// Farthest pages leave first.
fn evict(pages: &mut BTreeMap<u32, Arc<[Arc<Message>]>>, near: u32) {
    while pages.len() > MAX_PAGES {
        let Some(farthest) = pages.keys().max_by_key(|page| page.abs_diff(near)).copied() else { return };
        pages.remove(&farthest);
    }
}

/// Stands where a row vanished from the store while its place was shown.
fn missing(conversation: ConversationId, entry: &IndexEntry) -> Message {
    Message {
        id: entry.id,
        conversation,
        seq: 0,
        author: Author::System,
        created_ms: 0,
        state: MessageState::Damaged { why: "The message is not in the database.".into() },
        items: Vec::new(),
        turn: None,
        duration_ms: None,
        usage: None,
        revision: entry.revision,
        unsaved: false,
    }
}

fn turn_row(record: TurnRecord, report: Option<crate::model::pack::PackReport>) -> TurnRow {
    // A turn that is not running here cannot be live, whatever its row says.
    let state = if record.state.is_live() { TurnState::Interrupted } else { record.state };
    TurnRow {
        turn: record.id,
        state,
        user_message: record.user_message,
        answer: record.answer,
        seat: record.seat,
        phase: String::new(),
        started_ms: record.started_ms,
        ended_ms: record.ended_ms,
        usage: record.usage,
        failure: record.failure,
        report: report.map(Arc::new),
        last_sign_ms: record.ended_ms.unwrap_or(record.started_ms),
        resume_command: None,
    }
}
