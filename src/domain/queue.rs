//! Sending, and what waits while a turn runs. One place delivers; each message goes out once, in order.

use crate::api::snapshot::DatabaseStatus;
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::state::AppState;
use crate::domain::turns::{NewTurn, UserPart};
use crate::model::id::{ConversationId, QueuedId};
use crate::model::project::{Draft, SeatChoice};
use crate::model::record::{QueuedMessage, StoreWrite};
use crate::model::turn::TurnState;

impl AppState {
    pub(in crate::domain) fn send(
        &mut self,
        id: ConversationId,
        draft: &Draft,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        if draft.is_blank() {
            return;
        }
        let busy = self.conversations.get(&id).is_some_and(|state| state.live.is_some() && !state.deleted);
        if let Err(why) = self.can_begin(id)
            && !busy
        {
            // The words stay where they were typed.
            self.trouble("Not sent".into(), why.into(), cx);
            return self.save_draft(id, draft.clone());
        }
        let extra = self.clear_draft(id).into_iter().collect();
        self.send_or_queue(id, draft.full_text(), extra, cx, out);
    }

    /// Words from elsewhere than the conversation's own field, whose draft is not theirs.
    pub(in crate::domain) fn send_words(
        &mut self,
        id: ConversationId,
        text: String,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        if text.trim().is_empty() {
            return;
        }
        let busy = self.conversations.get(&id).is_some_and(|state| state.live.is_some() && !state.deleted);
        if let Err(why) = self.can_begin(id)
            && !busy
        {
            self.trouble("Not sent".into(), why.into(), cx);
            let Some(state) = self.conversations.get(&id) else { return };
            let mut draft = (*state.draft).clone();
            // Tried again and again they stand there once.
            if !draft.text.ends_with(&text) {
                if !draft.text.trim().is_empty() {
                    draft.text.push_str("\n\n");
                }
                draft.text.push_str(&text);
            }
            return self.save_draft(id, draft);
        }
        self.send_or_queue(id, text, Vec::new(), cx, out);
    }

    /// `extra` is written with the message.
    fn send_or_queue(
        &mut self,
        id: ConversationId,
        text: String,
        extra: Vec<StoreWrite>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let Some(state) = self.conversations.get(&id) else { return };
        if state.live.is_some() || !state.queue.is_empty() {
            self.enqueue(id, text, extra, cx, out);
            self.deliver_next(id, cx, out);
            return;
        }
        let seat = state.row.seat.clone();
        self.begin_turn(said_next(id, seat, text, extra), cx, out);
    }

    fn enqueue(
        &mut self,
        id: ConversationId,
        text: String,
        extra: Vec<StoreWrite>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let message =
            QueuedMessage { id: QueuedId(cx.ids.next_id()), conversation: id, text, created_ms: cx.now_ms };
        let mut batch = vec![StoreWrite::PutQueued(message.clone())];
        batch.extend(extra);
        if let Some(state) = self.conversations.get_mut(&id) {
            state.queue.push(message);
        }
        self.touch(id);
        self.write(batch, out);
    }

    /// Delivers the oldest waiting message when nothing runs. The queue row leaves in the same write
    /// that keeps the message, so a crash can neither lose nor double it.
    pub(in crate::domain) fn deliver_next(
        &mut self,
        id: ConversationId,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let damaged = matches!(self.status.database, DatabaseStatus::Damaged { .. });
        if damaged || self.quitting || self.can_begin(id).is_err() {
            return;
        }
        let Some(state) = self.conversations.get_mut(&id).filter(|state| !state.queue.is_empty()) else {
            return;
        };
        let next = state.queue.remove(0);
        let seat = state.row.seat.clone();
        let extra = vec![StoreWrite::RemoveQueued(next.id)];
        self.begin_turn(said_next(id, seat, next.text, extra), cx, out);
    }

    /// What was still waiting when the app ended goes on when the conversation is looked at again,
    /// unless its last turn failed, or it is a branch in the archive: then the user decides.
    pub(in crate::domain) fn resume_queue(
        &mut self,
        id: ConversationId,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let held = self.conversations.get(&id).is_some_and(|s| {
            // An archived branch is only read until it is continued.
            s.row.last_turn == Some(TurnState::Failed) || (s.row.archived && s.row.branch.is_some())
        });
        if !held {
            self.deliver_next(id, cx, out);
        }
    }

    pub(in crate::domain) fn edit_queued(&mut self, queued: QueuedId, text: String, out: &mut Vec<Effect>) {
        let Some((id, place)) = self.queued(queued) else { return };
        if text.trim().is_empty() {
            self.remove_queued(queued, out);
            return;
        }
        let Some(message) = self.conversations.get_mut(&id).and_then(|state| state.queue.get_mut(place))
        else {
            return;
        };
        message.text = text;
        let message = message.clone();
        self.touch(id);
        self.write(vec![StoreWrite::PutQueued(message)], out);
    }

    pub(in crate::domain) fn remove_queued(&mut self, queued: QueuedId, out: &mut Vec<Effect>) {
        let Some((id, place)) = self.queued(queued) else { return };
        if let Some(state) = self.conversations.get_mut(&id) {
            state.queue.remove(place);
        }
        self.touch(id);
        self.write(vec![StoreWrite::RemoveQueued(queued)], out);
    }

    /// To the front, and the running turn makes room.
    pub(in crate::domain) fn send_queued_now(
        &mut self,
        queued: QueuedId,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let Some((id, place)) = self.queued(queued) else { return };
        let Some(state) = self.conversations.get_mut(&id) else { return };
        let message = state.queue.remove(place);
        state.queue.insert(0, message);
        let busy = state.live.is_some();
        self.touch(id);
        if busy {
            self.stop_conversation(id, out);
        } else {
            self.deliver_next(id, cx, out);
        }
    }

    fn queued(&self, queued: QueuedId) -> Option<(ConversationId, usize)> {
        self.conversations.values().find_map(|state| {
            let place = state.queue.iter().position(|message| message.id == queued)?;
            Some((state.row.id, place))
        })
    }
}

/// The turn of a new message at the end of its conversation.
fn said_next(
    conversation: ConversationId,
    seat: SeatChoice,
    text: String,
    extra: Vec<StoreWrite>,
) -> NewTurn {
    let user = UserPart::New(text);
    NewTurn { conversation, seat, user, force_fresh: false, adjoining: true, extra }
}
