//! Changing what was said: asking again, editing, deleting. The engines' own sessions are left then,
//! since they still hold the old words.

use crate::domain::Cx;
use crate::domain::effect::{Effect, ResendPlan};
use crate::domain::state::AppState;
use crate::domain::turns::{NewTurn, UserPart};
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, MessageId, TurnId};
use crate::model::message::{Author, Message};
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
        let removed = self.cut_view_from(id, old.seq);
        let Some(state) = self.conversations.get_mut(&id) else { return };
        let gone = u32::try_from(removed.len()).unwrap_or(u32::MAX);
        state.row.message_count = state.row.message_count.saturating_sub(gone);
        let seat = state.row.seat.clone();
        out.push(Effect::CloseSeats { conversation: id });
        let extra = vec![StoreWrite::DeleteMessages(removed), StoreWrite::DropSessions { conversation: id }];
        let turn = NewTurn { conversation: id, seat, user: UserPart::New(text), force_fresh: true, extra };
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
        self.remove_from_view(id, message);
        out.push(Effect::CloseSeats { conversation: id });
        let drop = vec![StoreWrite::DeleteMessages(vec![message]), StoreWrite::DropSessions { conversation: id }];
        self.write(drop, out);
        self.change_row(id, out, |row| row.message_count = row.message_count.saturating_sub(1));
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

    pub(in crate::domain) fn retry_turn(&mut self, turn: TurnId, engine: Option<EngineId>, out: &mut Vec<Effect>) {
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
        if self.refuse_while_running(id, cx) {
            return;
        }
        let mut extra = Vec::new();
        if plan.replace_empty
            && let Some(answer) = record.answer
            && let Some((_, shown)) = self.shown_message(answer)
            && shown.items.is_empty()
        {
            self.remove_from_view(id, answer);
            extra.push(StoreWrite::DeleteMessages(vec![answer]));
            if let Some(state) = self.conversations.get_mut(&id) {
                state.row.message_count = state.row.message_count.saturating_sub(1);
            }
        }
        let Some(state) = self.conversations.get(&id) else { return };
        let seat = match &plan.engine {
            Some(engine) => {
                let kept = state.row.seat.clone();
                let other = SeatChoice { role: kept.role, persona: kept.persona, mode: kept.mode, ..self.seat_of(engine.clone()) };
                self.change_row(id, out, |row| row.seat = other.clone());
                other
            }
            None => record.seat.clone(),
        };
        // A session that already holds the first answer would not answer afresh.
        let force_fresh = !plan.replace_empty;
        let turn = NewTurn { conversation: id, seat, user: UserPart::Existing(user), force_fresh, extra };
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
        if self.refuse_while_running(id, cx) {
            return;
        }
        let user = UserPart::New(CONTINUE.into());
        self.begin_turn(NewTurn { conversation: id, seat, user, force_fresh: false, extra: Vec::new() }, cx, out);
    }

    /// A loaded message and its conversation.
    fn shown_message(&self, message: MessageId) -> Option<(ConversationId, std::sync::Arc<Message>)> {
        self.views.iter().rev().find_map(|view| {
            let place = view.index.iter().rposition(|entry| entry.id == message)?;
            Some((view.conversation, view.message(place)?.clone()))
        })
    }

    fn not_shown(&mut self, cx: &mut Cx<'_>) {
        self.trouble("Nothing was changed".into(), "The message is not loaded. Scroll to it and try again.".into(), cx);
    }

    fn refuse_while_running(&mut self, id: ConversationId, cx: &mut Cx<'_>) -> bool {
        let running = self.conversations.get(&id).is_some_and(|state| state.live.is_some());
        if running {
            self.trouble("Nothing was changed".into(), "A turn is running here. Stop it or let it end first.".into(), cx);
        }
        running
    }
}
