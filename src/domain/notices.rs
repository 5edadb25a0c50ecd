//! What the user is told, once; and whether somebody is looking.

use std::sync::Arc;

use crate::api::notice::{Notice, NoticeAction};
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::state::{AppState, Viewing};
use crate::model::id::{ConversationId, NoticeId};
use crate::model::message::NoticeLevel;
use crate::model::record::StoreWrite;

/// Most notices kept; older ones leave.
const MAX_NOTICES: usize = 50;

/// A notice without its id and time.
pub(in crate::domain) struct NewNotice {
    pub level: NoticeLevel,
    pub title: String,
    pub body: String,
    pub action: Option<NoticeAction>,
    pub conversation: Option<ConversationId>,
    pub desktop: bool,
}

impl AppState {
    /// One per conversation, beside a way back: a newer one takes the place of an older one about the same conversation.
    pub(in crate::domain) fn notify(&mut self, new: NewNotice, cx: &mut Cx<'_>) {
        if let Some(conversation) = new.conversation {
            // News do not take the way back away.
            let both = |old: &Notice| is_undo(old.action.as_ref()) && !is_undo(new.action.as_ref());
            self.notices.retain(|old| old.conversation != Some(conversation) || both(old));
        }
        // The same trouble twice is told once.
        let same = |old: &Notice| {
            old.title == new.title && old.body == new.body && old.conversation == new.conversation
        };
        self.notices.retain(|old| !same(old));
        self.notices.push(Arc::new(Notice {
            id: NoticeId(cx.ids.next_id()),
            level: new.level,
            title: new.title,
            body: new.body,
            action: new.action,
            conversation: new.conversation,
            desktop: new.desktop,
            created_ms: cx.now_ms,
        }));
        let surplus = self.notices.len().saturating_sub(MAX_NOTICES);
        self.notices.drain(..surplus);
        self.dirty.notices = true;
        self.dirty.urgent = true;
    }

    pub(in crate::domain) fn trouble(&mut self, title: String, body: String, cx: &mut Cx<'_>) {
        let level = NoticeLevel::Error;
        self.notify(NewNotice { level, title, body, action: None, conversation: None, desktop: false }, cx);
    }

    pub(in crate::domain) fn dismiss_notice(&mut self, notice: NoticeId) {
        self.notices.retain(|old| old.id != notice);
        self.dirty.notices = true;
    }

    /// True when the conversation is on screen in a window that has the focus.
    pub(in crate::domain) fn is_watched(&self, conversation: ConversationId) -> bool {
        self.focused && self.viewing.shows(conversation)
    }

    pub(in crate::domain) fn viewing(
        &mut self,
        viewing: Viewing,
        focused: bool,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        self.has_window = true;
        self.viewing = viewing;
        self.focused = focused;
        self.load_viewed(cx, out);
        for conversation in self.viewing.shown().filter(|_| focused).collect::<Vec<_>>() {
            let before = self.notices.len();
            // What they tell is on screen now.
            self.notices.retain(|notice| {
                notice.conversation != Some(conversation) || is_undo(notice.action.as_ref())
            });
            self.dirty.notices |= self.notices.len() != before;
            self.mark_read(conversation, out);
        }
    }

    /// Reads what is shown beside and not loaded, or could not be read before.
    fn load_viewed(&mut self, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        let there = |id: &ConversationId| self.conversations.get(id).is_some_and(|state| !state.deleted);
        let loaded = |id: &ConversationId| {
            self.views.iter().any(|view| view.conversation == *id && view.error.is_none())
        };
        let beside = self.viewing.beside.iter().chain(&self.viewing.held);
        let wanted: Vec<ConversationId> = beside.copied().filter(|id| there(id) && !loaded(id)).collect();
        for id in wanted {
            self.views.retain(|view| view.conversation != id);
            let view = self.new_view(id, true);
            out.push(Effect::LoadIndex { conversation: id, generation: view.generation });
            self.push_view(view);
            self.dirty.urgent = true;
            if self.viewing.beside.contains(&id) {
                self.resume_queue(id, cx, out);
            }
        }
    }

    /// Takes the unread mark off.
    pub(in crate::domain) fn mark_read(&mut self, conversation: ConversationId, out: &mut Vec<Effect>) {
        let Some(state) = self.conversations.get_mut(&conversation).filter(|state| state.row.unread) else {
            return;
        };
        state.row.unread = false;
        let row = state.row.clone();
        self.touch(conversation);
        self.write(vec![StoreWrite::PutConversation(row)], out);
    }
}

fn is_undo(action: Option<&NoticeAction>) -> bool {
    matches!(action, Some(NoticeAction::UndoDelete(_) | NoticeAction::UndoEdit(_) | NoticeAction::PutBack(_)))
}
