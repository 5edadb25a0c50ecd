//! Changing what was said: asking again, editing, deleting. The engines' own sessions are left then,
//! since they still hold the old words.

use crate::api::notice::NoticeAction;
use crate::domain::Cx;
use crate::domain::effect::{Effect, ResendPlan};
use crate::domain::notices::NewNotice;
use crate::domain::state::{AppState, UndoEdit};
use crate::domain::turns::{NewTurn, UserPart};
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, MessageId, TurnId};
use crate::model::message::{Author, Message, NoticeLevel};
use crate::model::project::SeatChoice;
use crate::model::record::{StoreWrite, TurnRecord};

/// What *continue* says in the user's name.
const CONTINUE: &str = "Continue where you stopped.";

impl AppState {
    /// An own message gets a new text: it and what followed leave, the new text is sent.
    pub(in crate::domain) fn edit_and_resend(
        &mut self,
        message: MessageId,
        text: String,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        if text.trim().is_empty() {
            return;
        }
        let Some((id, old)) = self.shown_message(message) else { return self.not_shown(cx) };
        if old.author != Author::User || self.refuse_while_running(id, cx) {
            return;
        }
        if let Err(why) = self.can_begin(id) {
            return self.trouble("Nothing was changed".into(), why.into(), cx);
        }
        let removed = self.cut_view_from(id, old.seq);
        let Some(state) = self.conversations.get_mut(&id) else { return };
        state.row.message_count = state.row.message_count.saturating_sub(count(&removed));
        let seat = state.row.seat.clone();
        let before = UndoEdit {
            removed: removed.clone(),
            added: Vec::new(),
            replaces: true,
            last: state.last.clone(),
            last_turn: state.row.last_turn,
        };
        state.undo = Some(before);
        out.push(Effect::CloseSeats { conversation: id });
        self.offer_undo(id, format!("Replaced {}", messages(removed.len())), cx);
        let extra = vec![
            StoreWrite::SetMessagesDeleted { messages: removed, deleted_ms: Some(cx.now_ms) },
            StoreWrite::DropSessions { conversation: id },
        ];
        let user = UserPart::New(text);
        let turn = NewTurn { conversation: id, seat, user, force_fresh: true, adjoining: true, extra };
        self.begin_turn(turn, cx, out);
    }

    pub(in crate::domain) fn delete_message(
        &mut self,
        message: MessageId,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let Some((id, _)) = self.shown_message(message) else { return self.not_shown(cx) };
        if self.refuse_while_running(id, cx) {
            return;
        }
        let gist = self.last_gist(id, Some(message));
        self.remove_from_view(id, message);
        let Some(state) = self.conversations.get_mut(&id) else { return };
        if let Some(branch) = &mut state.row.branch {
            branch.facts.gist = gist;
        }
        state.undo = Some(UndoEdit {
            removed: vec![message],
            last: state.last.clone(),
            last_turn: state.row.last_turn,
            ..UndoEdit::default()
        });
        state.row.message_count = state.row.message_count.saturating_sub(1);
        let row = state.row.clone();
        self.touch(id);
        out.push(Effect::CloseSeats { conversation: id });
        let drop = vec![
            StoreWrite::SetMessagesDeleted { messages: vec![message], deleted_ms: Some(cx.now_ms) },
            StoreWrite::DropSessions { conversation: id },
            StoreWrite::PutConversation(row),
        ];
        self.write(drop, out);
        self.offer_undo(id, "Deleted 1 message".into(), cx);
    }

    /// Swaps what left for what was said since; asked once more, it swaps back.
    pub(in crate::domain) fn undo_edit(
        &mut self,
        id: ConversationId,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        if self.refuse_while_running(id, cx) {
            return;
        }
        let Some(state) = self.conversations.get_mut(&id).filter(|state| !state.deleted) else { return };
        let Some(undo) = state.undo.take() else {
            return self.trouble("Nothing to undo".into(), "The change was taken back already.".into(), cx);
        };
        let UndoEdit { removed, added, replaces, last, last_turn } = undo;
        state.row.message_count =
            state.row.message_count.saturating_sub(count(&added)).saturating_add(count(&removed));
        let (newest, newest_state) = (state.last.take(), state.row.last_turn);
        state.last = last;
        state.row.last_turn = last_turn;
        let row = state.row.clone();
        let redo = UndoEdit {
            removed: added.clone(),
            added: removed.clone(),
            replaces,
            last: newest,
            last_turn: newest_state,
        };
        if !added.is_empty() {
            state.undo = Some(redo);
        }
        out.push(Effect::CloseSeats { conversation: id });
        let batch = vec![
            StoreWrite::SetMessagesDeleted { messages: added.clone(), deleted_ms: Some(cx.now_ms) },
            StoreWrite::SetMessagesDeleted { messages: removed.clone(), deleted_ms: None },
            StoreWrite::DropSessions { conversation: id },
            StoreWrite::PutConversation(row),
        ];
        // What is on screen does not stand any more; what does is read when the swap is kept.
        let fresh = self.new_view(id, true);
        if let Some(view) = self.view_mut(id) {
            *view = fresh;
        }
        self.touch(id);
        self.write_then_reload(batch, id, out);
        self.notices.retain(|notice| notice.action != Some(NoticeAction::UndoEdit(id)));
        self.dirty.notices = true;
        if !added.is_empty() {
            self.offer_undo(id, format!("Brought {} back", messages(removed.len())), cx);
        }
    }

    fn offer_undo(&mut self, id: ConversationId, title: String, cx: &mut Cx<'_>) {
        let notice = NewNotice {
            level: NoticeLevel::Info,
            title,
            body: "What left is erased when tunaflow starts next.".into(),
            action: Some(NoticeAction::UndoEdit(id)),
            conversation: Some(id),
            desktop: false,
        };
        self.notify(notice, cx);
    }

    /// Another answer to the same request; the earlier answer stays, so nothing said is lost.
    pub(in crate::domain) fn regenerate(
        &mut self,
        message: MessageId,
        engine: Option<EngineId>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let Some((_, shown)) = self.shown_message(message) else { return self.not_shown(cx) };
        match shown.turn {
            Some(turn) => {
                let replace_empty = shown.items.is_empty();
                out.push(Effect::LoadResend { turn, plan: ResendPlan { engine, replace_empty } });
            }
            None => self.trouble("Cannot ask again".into(), "This message answers no request.".into(), cx),
        }
    }

    pub(in crate::domain) fn retry_turn(
        &mut self,
        turn: TurnId,
        engine: Option<EngineId>,
        out: &mut Vec<Effect>,
    ) {
        out.push(Effect::LoadResend { turn, plan: ResendPlan { engine, replace_empty: true } });
    }

    pub(in crate::domain) fn resend(
        &mut self,
        plan: &ResendPlan,
        result: Result<(TurnRecord, Message), String>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let (record, user) = match result {
            Ok(found) => found,
            Err(why) => return self.trouble("Cannot ask again".into(), why, cx),
        };
        let id = record.conversation;
        if let Err(why) = self.can_begin(id) {
            return self.trouble("Nothing was changed".into(), why.into(), cx);
        }
        let mut extra = Vec::new();
        if plan.replace_empty
            && let Some(answer) = record.answer
            && let Some((_, shown)) = self.shown_message(answer)
            && shown.items.is_empty()
        {
            self.remove_from_view(id, answer);
            extra
                .push(StoreWrite::SetMessagesDeleted { messages: vec![answer], deleted_ms: Some(cx.now_ms) });
            if let Some(state) = self.conversations.get_mut(&id) {
                if let Some(undo) = &mut state.undo {
                    undo.added.retain(|added| *added != answer);
                }
                state.row.message_count = state.row.message_count.saturating_sub(1);
            }
        }
        let Some(state) = self.conversations.get(&id) else { return };
        let seat = match &plan.engine {
            Some(engine) => {
                let kept = state.row.seat.clone();
                let other = SeatChoice {
                    role: kept.role,
                    persona: kept.persona,
                    mode: kept.mode,
                    supply: kept.supply,
                    ..self.seat_of(engine.clone())
                };
                self.change_row(id, out, |row| row.seat = other.clone());
                other
            }
            None => record.seat.clone(),
        };
        // A session that already holds the first answer would not answer afresh.
        let force_fresh = !plan.replace_empty;
        let newest = self.views.iter().find(|view| view.conversation == id).and_then(|view| view.seqs.last());
        let adjoining = newest == Some(&user.seq);
        let user = UserPart::Existing(user);
        let turn = NewTurn { conversation: id, seat, user, force_fresh, adjoining, extra };
        self.begin_turn(turn, cx, out);
    }

    pub(in crate::domain) fn continue_turn(&mut self, turn: TurnId, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        let found = self.conversations.values().find_map(|state| {
            let last = state.last.as_ref().filter(|last| last.turn == turn)?;
            Some((state.row.id, last.seat.clone()))
        });
        let Some((id, seat)) = found else {
            return self.trouble("Cannot go on".into(), "Only the newest turn can be continued.".into(), cx);
        };
        let user = UserPart::New(CONTINUE.into());
        let (force_fresh, adjoining, extra) = (false, true, Vec::new());
        self.begin_turn(NewTurn { conversation: id, seat, user, force_fresh, adjoining, extra }, cx, out);
    }

    /// A loaded message and its conversation.
    fn shown_message(&self, message: MessageId) -> Option<(ConversationId, std::sync::Arc<Message>)> {
        self.views.iter().rev().find_map(|view| {
            let place = view.index.iter().rposition(|entry| entry.id == message)?;
            Some((view.conversation, view.message(place)?.clone()))
        })
    }

    fn not_shown(&mut self, cx: &mut Cx<'_>) {
        self.trouble(
            "Nothing was changed".into(),
            "The message is not loaded. Scroll to it and try again.".into(),
            cx,
        );
    }

    fn refuse_while_running(&mut self, id: ConversationId, cx: &mut Cx<'_>) -> bool {
        let running = self.conversations.get(&id).is_some_and(|state| state.live.is_some());
        if running {
            self.trouble(
                "Nothing was changed".into(),
                "A turn is running here. Stop it or let it end first.".into(),
                cx,
            );
        }
        running
    }
}

fn count(messages: &[MessageId]) -> u32 {
    u32::try_from(messages.len()).unwrap_or(u32::MAX)
}

fn messages(count: usize) -> String {
    if count == 1 { "1 message".into() } else { format!("{count} messages") }
}
