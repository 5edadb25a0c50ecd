//! What comes back from the store: start-up, indexes, pages, lookups. And the places in an open view.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::api::snapshot::{FIND_MAX, FindView, IndexEntry, PAGE_LEN, TurnRow};
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::fold::{chars_of, settle};
use crate::domain::input::{OpenedConversation, Stored};
use crate::domain::packs::{Asked, Made};
use crate::domain::state::{AppState, ConversationState, ViewState};
use crate::model::id::{ConversationId, FindId, MessageId};
use crate::model::message::{Author, Message, MessageState, ToolState};
use crate::model::record::{IndexRow, Startup, StoreWrite, TurnRecord};
use crate::model::turn::TurnState;

/// Pages kept loaded per view: 16 × 64 messages.
const MAX_PAGES: usize = 16;

impl AppState {
    pub(in crate::domain) fn started(&mut self, startup: Startup, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        cx.ids.raise_to(startup.next_id);
        self.load_settings(&startup.settings, cx, out);
        out.push(Effect::ApplySettings(Box::new((*self.settings).clone())));
        self.projects = startup.projects.into_iter().map(|project| (project.id, project)).collect();
        self.project =
            self.projects.values().max_by_key(|project| project.opened_ms).map(|project| project.id);
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
        self.keep_unwritten_rows();
        if !self.owner_runs {
            self.interrupt(startup.open_turns, cx, out);
        }
        self.reload_views(out);
        self.look_for_left_checkouts(out);
        if let Some(project) = self.project.and_then(|id| self.projects.get(&id)) {
            out.push(Effect::ReadGit { project: project.id, path: project.path.clone() });
            out.push(Effect::ReadNames { project: project.id, path: project.path.clone() });
            out.push(Effect::LookForSkills { project: project.id, path: project.path.clone() });
        }
        self.knowledge.clear();
        if let Some(project) = self.project {
            self.load_knowledge(project, out);
        }
        self.dirty.app = true;
        self.dirty.projects = true;
        self.dirty.conversations = true;
        self.dirty.settings = true;
        self.dirty.urgent = true;
    }

    /// What was made while nothing could be written is still there after a backup took the file's place.
    fn keep_unwritten_rows(&mut self) {
        let rows: Vec<StoreWrite> = self.unwritten().cloned().collect();
        for write in rows {
            match write {
                StoreWrite::PutProject(row) => {
                    self.projects.entry(row.id).or_insert(row);
                }
                StoreWrite::PutConversation(row) if self.projects.contains_key(&row.project) => {
                    self.conversations.entry(row.id).or_insert_with(|| ConversationState::new(row));
                }
                _ => {}
            }
        }
    }

    /// Every open view is read afresh; those of conversations that are not there any more close.
    fn reload_views(&mut self, out: &mut Vec<Effect>) {
        let shown: Vec<ConversationId> = self.views.iter().map(|view| view.conversation).collect();
        let gone = |id: &ConversationId| !self.conversations.contains_key(id);
        self.focus = self.focus.filter(|id| !gone(id));
        self.branch_focus = self.branch_focus.filter(|id| !gone(id));
        self.views.retain(|view| self.conversations.contains_key(&view.conversation));
        for id in shown {
            self.reload_view(id, out);
        }
    }

    /// Reads an open view afresh.
    pub(in crate::domain) fn reload_view(&mut self, id: ConversationId, out: &mut Vec<Effect>) {
        let Some(place) = self.views.iter().position(|view| view.conversation == id) else { return };
        let fresh = self.new_view(id, true);
        out.push(Effect::LoadIndex { conversation: id, generation: fresh.generation });
        if let Some(view) = self.views.get_mut(place) {
            *view = fresh;
        }
        self.dirty.urgent = true;
    }

    /// Turns that were running when the app ended say so; nothing stays "running".
    fn interrupt(&mut self, open: Vec<TurnRecord>, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        let mut batch = Vec::new();
        for mut record in open {
            record.state = TurnState::Interrupted;
            record.ended_ms.get_or_insert(cx.now_ms);
            let Some(state) = self.conversations.get_mut(&record.conversation) else { continue };
            state.row.last_turn = Some(TurnState::Interrupted);
            batch.push(StoreWrite::PutConversation(state.row.clone()));
            batch.push(StoreWrite::PutTurn(record));
        }
        self.write(batch, out);
    }

    pub(in crate::domain) fn stored(&mut self, stored: Stored, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        match stored {
            Stored::Index { conversation, generation, result } => {
                self.index_loaded(conversation, generation, result, out);
            }
            Stored::Page { conversation, page, generation, result } => {
                self.page_loaded(conversation, page, generation, result, out);
            }
            Stored::Found { conversation, find, query, result } => match result {
                Ok((ids, capped)) => self.found(conversation, find, query, &ids, capped),
                Err(why) => self.trouble("The search failed".into(), why, cx),
            },
            Stored::Resend { plan, result, .. } => self.resend(&plan, result, cx, out),
            Stored::Pack { conversation, turn, result } => self.pack_loaded(conversation, turn, result, cx),
            Stored::Speakers { branch, summary, result } => {
                self.speakers_loaded(branch, summary, result, cx, out);
            }
            Stored::Sources { branch, result } => self.sources_loaded(branch, result),
            Stored::Knowledge { project, result } => self.knowledge_loaded(project, result, cx, out),
            Stored::Preview { conversation, seat, prompt, compare, result } => {
                let made = Made { asked: Asked { seat, prompt }, compare, result };
                self.preview_made(conversation, made, cx, out);
            }
        }
    }

    pub(in crate::domain) fn change_view(&mut self, id: ConversationId, change: impl FnOnce(&mut ViewState)) {
        if let Some(view) = self.view_mut(id) {
            change(view);
            view.dirty = true;
            self.dirty.urgent = true;
        }
    }

    fn index_loaded(
        &mut self,
        id: ConversationId,
        generation: u32,
        result: Result<OpenedConversation, String>,
        out: &mut Vec<Effect>,
    ) {
        let Some(view) = self.view_mut(id).filter(|view| view.loading && view.generation == generation)
        else {
            return;
        };
        if std::mem::take(&mut view.outdated) {
            out.push(Effect::LoadIndex { conversation: id, generation });
            return;
        }
        view.loading = false;
        view.dirty = true;
        let opened = match result {
            Ok(opened) => opened,
            Err(why) => {
                view.error = Some(why);
                self.dirty.urgent = true;
                return;
            }
        };
        let rows = self.with_unwritten(id, opened.index);
        if let Some(view) = self.view_mut(id) {
            view.seqs = rows.iter().map(|(seq, _)| *seq).collect();
            view.index = Arc::new(rows.into_iter().map(|(_, entry)| entry).collect());
        }
        if let Some(state) = self.conversations.get_mut(&id)
            && state.live.is_none()
            && let Some(record) = opened.turn
            // What this run knows may be newer than what a read finds.
            && state.last.as_ref().is_none_or(|last| last.turn < record.id)
        {
            state.last = Some(Arc::new(turn_row(record, opened.report)));
        }
        self.dirty.urgent = true;
        self.load_last_page(id, out);
    }

    /// The index as it will be when everything under way is written, by position.
    fn with_unwritten(&self, id: ConversationId, rows: Vec<IndexRow>) -> Vec<(i64, IndexEntry)> {
        let mut entries: Vec<(i64, IndexEntry)> = rows
            .into_iter()
            .map(|row| {
                let IndexRow { id, seq, revision, chars, by_user } = row;
                (seq, IndexEntry { id, revision, chars, by_user })
            })
            .collect();
        let (newer, gone) = self.unwritten_messages(id);
        if newer.is_empty() && gone.is_empty() {
            return entries;
        }
        let places: BTreeMap<MessageId, usize> =
            entries.iter().enumerate().map(|(place, (_, entry))| (entry.id, place)).collect();
        for message in newer.values() {
            let entry = entry_of(message);
            match places.get(&message.id).and_then(|place| entries.get_mut(*place)) {
                Some((_, known)) if known.revision < entry.revision => *known = entry,
                Some(_) => {}
                None => entries.push((message.seq, entry)),
            }
        }
        entries.retain(|(_, entry)| !gone.contains(&entry.id));
        entries.sort_by_key(|(seq, entry)| (*seq, entry.id));
        entries
    }

    /// Newest states of messages that a reader of the store may not see yet, and which are taken out.
    pub(in crate::domain) fn unwritten_messages(
        &self,
        id: ConversationId,
    ) -> (BTreeMap<MessageId, Arc<Message>>, BTreeSet<MessageId>) {
        let mut newer: BTreeMap<MessageId, Arc<Message>> = BTreeMap::new();
        let mut gone = BTreeSet::new();
        for write in self.unwritten() {
            match write {
                StoreWrite::PutMessage(message)
                    if message.conversation == id
                        && newer.get(&message.id).is_none_or(|known| known.revision <= message.revision) =>
                {
                    let unsaved =
                        self.writes.failed.iter().any(|kept| std::ptr::eq(&raw const kept.write, write));
                    newer.insert(message.id, Arc::new(Message { unsaved, ..message.clone() }));
                }
                StoreWrite::SetMessagesDeleted { messages, deleted_ms: Some(_) } => gone.extend(messages),
                StoreWrite::SetMessagesDeleted { messages, deleted_ms: None } => {
                    gone.retain(|gone| !messages.contains(gone));
                }
                _ => {}
            }
        }
        for live in self.turns.values().filter(|live| live.record.conversation == id) {
            newer.insert(live.user.id, live.user.clone());
            newer.insert(live.answer.id, Arc::new(live.answer.clone()));
        }
        (newer, gone)
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
        let from = page as usize * PAGE_LEN as usize;
        let to = (from + PAGE_LEN as usize).min(view.seqs.len());
        let (Some(first), Some(last)) = (view.seqs.get(from), view.seqs.get(to.saturating_sub(1))) else {
            return;
        };
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
        let Some(view) = self.view_mut(id).filter(|view| view.generation == generation) else { return };
        view.asked.retain(|asked| *asked != page);
        view.dirty = true;
        let messages = match result {
            Ok(messages) => messages,
            Err(why) => {
                view.error = Some(why);
                self.dirty.urgent = true;
                return;
            }
        };
        let (newer, _) = self.unwritten_messages(id);
        let live: BTreeSet<MessageId> = self.turns.values().map(|live| live.answer.id).collect();
        let read: BTreeMap<MessageId, Message> = messages.into_iter().map(|m| (m.id, m)).collect();
        // The program that owns the data may be writing any answer that is not ended.
        let owner_runs = self.owner_runs;
        let Some(view) = self.view_mut(id) else { return };
        let mut merge =
            Merge { read, newer, old: view.pages.remove(&page), behind: false, mended: Vec::new() };
        let from = page as usize * PAGE_LEN as usize;
        let shown: Arc<[Arc<Message>]> = view
            .index
            .iter()
            .skip(from)
            .take(PAGE_LEN as usize)
            .enumerate()
            .map(|(offset, entry)| merge.pick(id, offset, entry, owner_runs || live.contains(&entry.id)))
            .collect();
        let again = merge.behind && !view.asked_again.contains(&page);
        if again {
            // Read before something was written that is shown already: what was read is older than that.
            view.asked_again.push(page);
            if let Some(old) = merge.old {
                view.pages.insert(page, old);
            }
            return self.load_page_again(id, page, out);
        }
        view.asked_again.retain(|asked| *asked != page);
        for (place, message) in (from..).zip(shown.iter()) {
            view.set_entry(place, message);
        }
        view.pages.insert(page, shown);
        evict(&mut view.pages, page);
        self.dirty.urgent = true;
        self.write(merge.mended, out);
    }

    fn load_page_again(&mut self, id: ConversationId, page: u32, out: &mut Vec<Effect>) {
        let old = self.view_mut(id).and_then(|view| view.pages.remove(&page));
        self.load_page(id, page, out);
        if let (Some(view), Some(old)) = (self.view_mut(id), old) {
            view.pages.insert(page, old);
        }
    }

    pub(in crate::domain) fn find(
        &mut self,
        id: ConversationId,
        find: FindId,
        query: String,
        out: &mut Vec<Effect>,
    ) {
        if query.trim().is_empty() {
            self.change_view(id, |view| {
                view.find = None;
                view.find_wanted = None;
            });
            return;
        }
        let Some(view) = self.view_mut(id) else { return };
        view.find_wanted = Some(find);
        out.push(Effect::Find { conversation: id, find, query });
    }

    fn found(&mut self, id: ConversationId, find: FindId, query: String, ids: &[MessageId], capped: bool) {
        self.change_view(id, |view| {
            // Only the newest question is answered.
            if view.find_wanted != Some(find) {
                return;
            }
            let wanted: BTreeSet<MessageId> = ids.iter().take(FIND_MAX).copied().collect();
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
        let Some(view) = self.ready_view(id) else { return };
        view.push(message);
        view.put(message);
    }

    /// The answer being written has its place, its text is elsewhere.
    pub(in crate::domain) fn append_live_to_view(&mut self, id: ConversationId, answer: &Message) {
        if let Some(view) = self.ready_view(id) {
            view.push(answer);
        }
    }

    /// The answer has ended and takes its place among the finished.
    pub(in crate::domain) fn put_in_view(&mut self, id: ConversationId, message: &Arc<Message>) {
        if let Some(view) = self.ready_view(id) {
            view.put(message);
        }
    }

    /// An open view whose index is there. One that is still being read is told that the read is behind.
    fn ready_view(&mut self, id: ConversationId) -> Option<&mut ViewState> {
        let view = self.view_mut(id)?;
        view.outdated |= view.loading;
        (!view.loading).then_some(view)
    }

    /// Everything from `seq` on leaves; returns what left.
    pub(in crate::domain) fn cut_view_from(&mut self, id: ConversationId, seq: i64) -> Vec<MessageId> {
        let generation = self.next_generation();
        let Some(view) = self.ready_view(id) else { return Vec::new() };
        let keep = view.seqs.partition_point(|own| *own < seq);
        let gone = view.index.iter().skip(keep).map(|entry| entry.id).collect();
        view.seqs.truncate(keep);
        Arc::make_mut(&mut view.index).truncate(keep);
        view.drop_pages_from(keep, generation);
        gone
    }

    pub(in crate::domain) fn remove_from_view(&mut self, id: ConversationId, message: MessageId) {
        let generation = self.next_generation();
        let Some(view) = self.ready_view(id) else { return };
        let Some(place) = view.index.iter().rposition(|entry| entry.id == message) else { return };
        view.seqs.remove(place);
        Arc::make_mut(&mut view.index).remove(place);
        view.drop_pages_from(place, generation);
    }

    pub(in crate::domain) fn mark_unsaved(&mut self, id: ConversationId, message: MessageId, unsaved: bool) {
        if let Some(live) = self.turns.values_mut().find(|live| live.answer.id == message) {
            if live.answer.unsaved != unsaved {
                live.answer.unsaved = unsaved;
                live.answer.revision = live.answer.revision.wrapping_add(1);
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
        Arc::make_mut(&mut self.index).push(entry_of(message));
        self.dirty = true;
    }

    /// Length and revision at a place follow its message. The list is copied only when they differ.
    fn set_entry(&mut self, place: usize, message: &Message) {
        let Some(known) = self.index.get(place) else { return };
        // A length as stored counts more than what is shown; it stands until the message changes.
        if known.id == message.id && known.revision != message.revision {
            let by_user = known.by_user;
            if let Some(entry) = Arc::make_mut(&mut self.index).get_mut(place) {
                *entry = IndexEntry { by_user, ..entry_of(message) };
            }
        }
    }

    /// Puts the message at its place; a page that does not reach so far is loaded again when it is wanted.
    fn put(&mut self, message: &Arc<Message>) {
        let Some(place) = self.index.iter().rposition(|entry| entry.id == message.id) else { return };
        self.set_entry(place, message);
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
        evict(&mut self.pages, page);
    }

    fn drop_pages_from(&mut self, place: usize, generation: u32) {
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
        self.asked_again.clear();
        self.generation = generation;
        self.find = None;
        self.find_wanted = None;
        self.dirty = true;
    }
}

fn entry_of(message: &Message) -> IndexEntry {
    IndexEntry {
        id: message.id,
        revision: message.revision,
        chars: chars_of(&message.items),
        by_user: message.author == Author::User,
    }
}

/// A page as read, put together with what is newer than the read.
struct Merge {
    read: BTreeMap<MessageId, Message>,
    /// Not written yet, or running.
    newer: BTreeMap<MessageId, Arc<Message>>,
    /// The page as it was shown before.
    old: Option<Arc<[Arc<Message>]>>,
    /// Something shown or known is newer than what was read.
    behind: bool,
    /// Answers that nobody writes any more.
    mended: Vec<StoreWrite>,
}

impl Merge {
    fn pick(&mut self, id: ConversationId, offset: usize, entry: &IndexEntry, is_live: bool) -> Arc<Message> {
        let read = self.read.remove(&entry.id);
        if let Some(newer) = self.newer.remove(&entry.id)
            && read.as_ref().is_none_or(|read| read.revision <= newer.revision)
        {
            return newer;
        }
        self.behind |= read.as_ref().is_none_or(|read| read.revision < entry.revision);
        let Some(mut message) = read else {
            let shown =
                self.old.as_ref().and_then(|old| old.get(offset)).filter(|shown| shown.id == entry.id);
            return shown.cloned().unwrap_or_else(|| Arc::new(missing(id, entry)));
        };
        if message.state == MessageState::Streaming && !is_live {
            message.state = MessageState::Interrupted;
            message.revision = message.revision.wrapping_add(1);
            settle(&mut message.items, ToolState::Stopped);
            self.mended.push(StoreWrite::PutMessage(message.clone()));
        }
        Arc::new(message)
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
