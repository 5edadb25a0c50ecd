//! How a turn ends: what is kept, what is told, what goes out next.

use std::sync::Arc;

use crate::api::notice::NoticeAction;
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::fold::settle;
use crate::domain::notices::NewNotice;
use crate::domain::state::{AppState, LiveTurn};
use crate::domain::turns::{Ending, STARTING};
use crate::model::branch::gist;
use crate::model::engine::{Availability, EngineLook};
use crate::model::id::{ConversationId, TurnId};
use crate::model::message::{Item, ItemBody, MessageState, NoticeLevel, ToolState};
use crate::model::record::{EngineSession, StoreWrite};
use crate::model::turn::{FailureKind, StopReason, TurnFailure, TurnState};

impl AppState {
    /// A lost session is tried once more, afresh, and so is a fork that was not made; everything else ends the turn.
    pub(in crate::domain) fn failed(
        &mut self,
        turn: TurnId,
        failure: TurnFailure,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let Some(live) = self.turns.get_mut(&turn) else { return };
        if live.record.state == TurnState::Stopping {
            // The user had let go of it; how it broke does not matter any more.
            return self.end_turn(turn, Ending::Finished(StopReason::Cancelled), cx, out);
        }
        let no_fork = live.forks && !live.taken && could_be_the_fork(failure.kind);
        if !(no_fork || failure.kind == FailureKind::SessionLost) || live.retried || !live.sent {
            return self.end_turn(turn, Ending::Failed(failure), cx, out);
        }
        live.retried = true;
        live.taken = false;
        live.asks.clear();
        settle(&mut live.answer.items, ToolState::Failed);
        // The second try names its parts anew, and must not write over what was said.
        for item in &mut live.answer.items {
            item.key.insert_str(0, "first:");
        }
        self.dirty.asks = true;
        live.record.session = None;
        live.record.fork_point = None;
        live.spec.force_fresh = true;
        live.spec.no_fork = true;
        live.forks = false;
        live.record.state = TurnState::Starting;
        STARTING.clone_into(&mut live.phase);
        let (id, engine, spec) =
            (live.record.conversation, live.record.seat.engine.clone(), live.spec.clone());
        let text = if no_fork {
            "The engine could not branch off its own session here. A new one was started, and told what was said \
             before."
        } else {
            "The engine no longer knew its session. A new one was started with the full context."
        };
        self.note(turn, NoticeLevel::Info, text.into());
        self.write(vec![StoreWrite::DropSession { conversation: id, engine }], out);
        self.touch(id);
        self.watch_main(&spec);
        out.push(Effect::StartTurn(Box::new(spec)));
    }

    pub(in crate::domain) fn end_turn(
        &mut self,
        turn: TurnId,
        ending: Ending,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let Some(mut live) = self.turns.remove(&turn) else { return };
        // What came after the stop mark was dropped, so the answer is not whole, whatever its engine says.
        let stopping = live.record.state == TurnState::Stopping;
        let ending = if stopping { Ending::Finished(StopReason::Cancelled) } else { ending };
        live.close(ending, cx.now_ms);
        let id = live.record.conversation;
        let mut batch =
            vec![StoreWrite::PutMessage(live.answer.clone()), StoreWrite::PutTurn(live.record.clone())];
        batch.extend(session_after(&live, cx.now_ms));
        let watched = self.is_watched(id);
        let resume = self.resume_command(&live);
        if let Some(state) = self.conversations.get_mut(&id) {
            state.live = None;
            state.row.last_turn = Some(live.record.state);
            state.row.updated_ms = cx.now_ms;
            state.row.unread |= !watched && live.record.state != TurnState::Stopped;
            state.last = Some(Arc::new(live.row(resume)));
            if let Some(branch) = &mut state.row.branch
                && live.answer.state == MessageState::Complete
            {
                branch.facts.gist = gist(&live.answer.plain_text()).or(branch.facts.gist.take());
            }
            batch.push(StoreWrite::PutConversation(state.row.clone()));
        }
        self.put_in_view(id, &Arc::new(live.answer.clone()));
        self.dirty.asks = true;
        self.dirty.urgent = true;
        self.touch(id);
        self.write(batch, out);
        self.tell_ended(&live, cx);
        // An agent may have checked out another branch, and changed files.
        self.read_git_again(id, out);
        self.look_again(id, out);
        // A failure holds the queue: the user decides. Otherwise the next one goes out.
        if live.record.state != TurnState::Failed {
            self.deliver_next(id, cx, out);
        }
    }

    /// The turn ends before an engine heard of it; the words stay on screen.
    pub(in crate::domain) fn fail_unstarted(&mut self, turn: TurnId, failure: TurnFailure) {
        let Some(mut live) = self.turns.remove(&turn) else { return };
        let started_ms = live.record.started_ms;
        live.close(Ending::Failed(failure), started_ms);
        live.answer.unsaved = true;
        let id = live.record.conversation;
        let mut batch =
            vec![StoreWrite::PutMessage(live.answer.clone()), StoreWrite::PutTurn(live.record.clone())];
        if let Some(state) = self.conversations.get_mut(&id) {
            state.live = None;
            state.row.last_turn = Some(TurnState::Failed);
            state.last = Some(Arc::new(live.row(None)));
            batch.push(StoreWrite::PutConversation(state.row.clone()));
        }
        self.put_in_view(id, &Arc::new(live.answer));
        // Kept with what failed before it, as soon as writing works again.
        self.add_failed(batch);
        self.dirty.asks = true;
        self.dirty.urgent = true;
        self.touch(id);
    }

    fn resume_command(&self, live: &LiveTurn) -> Option<String> {
        let session = live.record.session.as_ref()?;
        let engine = self.engines.iter().find(|engine| engine.info.id == live.record.seat.engine)?;
        let command = &engine.info.resume_command;
        (!command.is_empty()).then(|| command.replace("{id}", session))
    }

    pub(in crate::domain) fn tell_needs_you(&mut self, id: ConversationId, turn: TurnId, cx: &mut Cx<'_>) {
        if self.is_watched(id) {
            return;
        }
        let Some(live) = self.turns.get(&turn) else { return };
        let title = format!("{} needs you", self.engine_name(&live.record.seat.engine));
        let body = live
            .asks
            .last()
            .and_then(|ask| ask.request.command.clone().or_else(|| ask.request.paths.first().cloned()))
            .unwrap_or_default();
        self.notify(
            NewNotice {
                level: NoticeLevel::Warn,
                title,
                body: body.lines().next().unwrap_or_default().chars().take(200).collect(),
                action: Some(NoticeAction::Open(id)),
                conversation: Some(id),
                desktop: self.settings.notify_needs_you,
            },
            cx,
        );
    }

    /// Told where nobody is looking, and nowhere else: in the conversation itself it is seen anyway.
    fn tell_ended(&mut self, live: &LiveTurn, cx: &mut Cx<'_>) {
        let id = live.record.conversation;
        if self.is_watched(id) || live.record.state == TurnState::Stopped || !self.has_window {
            return;
        }
        let Some(state) = self.conversations.get(&id).filter(|state| !state.deleted) else { return };
        let title = state.row.title.clone();
        let notice = match &live.record.failure {
            Some(failure) => NewNotice {
                level: NoticeLevel::Error,
                title: format!("{title}: {}", failure.message),
                body: failure.hint.clone(),
                action: Some(self.way_out(live, failure)),
                conversation: Some(id),
                desktop: self.settings.notify_failed,
            },
            None => NewNotice {
                level: NoticeLevel::Info,
                title: format!("{} answered", self.engine_name(&live.record.seat.engine)),
                body: title,
                action: Some(NoticeAction::Open(id)),
                conversation: Some(id),
                desktop: self.settings.notify_done,
            },
        };
        self.notify(notice, cx);
    }

    /// A limit offers another agent; a missing program leads to the settings; else retry.
    fn way_out(&self, live: &LiveTurn, failure: &TurnFailure) -> NoticeAction {
        let turn = live.record.id;
        match failure.kind {
            FailureKind::NotInstalled | FailureKind::NotLoggedIn => NoticeAction::OpenEngineSettings,
            FailureKind::PlanLimit | FailureKind::RateLimited | FailureKind::Overloaded => self
                .engines
                .iter()
                .filter(|engine| engine.info.id != live.record.seat.engine)
                .filter(|engine| engine.info.look != EngineLook::Demo)
                .find(|engine| engine.status.availability == Availability::Ready)
                .map_or(NoticeAction::Retry(turn), |engine| NoticeAction::UseEngine {
                    turn,
                    engine: engine.info.id.clone(),
                }),
            FailureKind::ModelUnknown
            | FailureKind::PromptTooLong
            | FailureKind::Network
            | FailureKind::Crashed
            | FailureKind::TimedOut
            | FailureKind::Protocol
            | FailureKind::SessionLost
            | FailureKind::FolderMissing
            | FailureKind::Internal
            | FailureKind::Other => NoticeAction::Retry(turn),
        }
    }
}

impl LiveTurn {
    /// Puts the final states into record and answer.
    fn close(&mut self, ending: Ending, now_ms: i64) {
        let (turn_state, message_state, tools) = match ending {
            Ending::Finished(StopReason::Cancelled) => {
                self.record.fork_point = None;
                (TurnState::Stopped, MessageState::Stopped, ToolState::Stopped)
            }
            Ending::Finished(stop) => {
                self.record.stop = Some(stop);
                self.note_stop(stop);
                if !self.adjoining {
                    // Its session did not hear all that stands before the answer.
                    self.record.fork_point = None;
                }
                (TurnState::Done, MessageState::Complete, ToolState::Done)
            }
            Ending::Failed(failure) => {
                self.record.fork_point = None;
                self.record.failure = Some(failure.clone());
                (TurnState::Failed, MessageState::Failed { failure }, ToolState::Failed)
            }
        };
        self.asks.clear();
        self.record.state = turn_state;
        self.record.ended_ms = Some(now_ms);
        settle(&mut self.answer.items, tools);
        self.answer.state = message_state;
        self.answer.duration_ms = Some(now_ms - self.record.started_ms);
        self.phase.clear();
        self.changed();
        self.answer_dirty = false;
    }

    /// An end that the text alone would not tell.
    fn note_stop(&mut self, stop: StopReason) {
        let text = match stop {
            StopReason::MaxTokens => "The answer ended at the model's output limit.",
            StopReason::Refused => "The model refused to go on.",
            StopReason::Completed if self.answer.items.is_empty() => {
                "The agent ended without saying anything."
            }
            StopReason::Completed | StopReason::Cancelled => return,
        };
        let body = ItemBody::Notice { level: NoticeLevel::Warn, text: text.into() };
        self.answer.items.push(Item { key: "stop".into(), body });
    }
}

/// Failures of a start that may come from asking for a fork, e.g. of a program that does not know how.
fn could_be_the_fork(kind: FailureKind) -> bool {
    match kind {
        FailureKind::SessionLost | FailureKind::Protocol | FailureKind::Crashed | FailureKind::Other => true,
        FailureKind::NotInstalled
        | FailureKind::NotLoggedIn
        | FailureKind::PlanLimit
        | FailureKind::RateLimited
        | FailureKind::Overloaded
        | FailureKind::ModelUnknown
        | FailureKind::PromptTooLong
        | FailureKind::Network
        | FailureKind::TimedOut
        | FailureKind::FolderMissing
        | FailureKind::Internal => false,
    }
}

/// What the engine's own session holds after this turn; `None` leaves what was known.
fn session_after(live: &LiveTurn, now_ms: i64) -> Option<StoreWrite> {
    let session = live.record.session.clone()?;
    if !live.taken {
        return None;
    }
    let (conversation, engine) = (live.record.conversation, live.record.seat.engine.clone());
    if !live.adjoining {
        // Asked again about something earlier, it did not hear what was said in between. The next turn
        // starts afresh with all of it.
        return Some(StoreWrite::DropSession { conversation, engine });
    }
    let delivered_seq = match live.record.state {
        TurnState::Done => live.answer.seq,
        // The partial answer may not be in the engine's history, so it is told again.
        TurnState::Stopped => live.spec.user_seq,
        TurnState::Queued
        | TurnState::Starting
        | TurnState::Running
        | TurnState::NeedsYou
        | TurnState::Stopping
        | TurnState::Failed
        | TurnState::Interrupted => return None,
    };
    let usage = live.record.usage.as_ref();
    Some(StoreWrite::PutSession(EngineSession {
        conversation,
        engine,
        session,
        delivered_seq,
        sections: live.report.as_ref().map_or_else(Default::default, |report| report.told.clone()),
        fixed_hash: live.report.as_ref().map_or_else(String::new, |report| report.fixed_hash.clone()),
        turns: 1,
        window_used_tokens: usage.and_then(|usage| usage.window_used_tokens),
        window_tokens: usage.and_then(|usage| usage.window_tokens),
        updated_ms: now_ms,
    }))
}
