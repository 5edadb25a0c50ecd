//! The life of a turn: begun, kept, started, folded, asked, ended. One place decides its state.

use std::path::Path;
use std::sync::Arc;

use crate::api::snapshot::TurnRow;
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::fold::{fold_item, settle};
use crate::domain::state::{AppState, Ask, LiveTurn};
use crate::model::id::{ConversationId, MessageId, TurnId};
use crate::model::message::{
    Author, Item, ItemBody, Message, MessageState, NoticeLevel, PermissionOutcome, ToolState,
};
use crate::model::project::{Project, SeatChoice, title_line};
use crate::model::record::{StoreWrite, TurnRecord};
use crate::model::turn::{
    Decision, FailureKind, PermissionRequest, StopReason, TurnEvent, TurnFailure, TurnSpec, TurnState,
};

mod ending;

/// Turn events kept for one turn, at most; text is kept in the message anyway.
const MAX_KEPT_EVENTS: u32 = 500;

/// Longest title taken from a first message, in characters.
const AUTO_TITLE_CHARS: usize = 60;

/// What a turn answers.
#[expect(clippy::large_enum_variant, reason = "made once per turn and taken apart at once")]
pub(in crate::domain) enum UserPart {
    /// New words of the user.
    New(String),
    /// A message that is there already, asked again.
    Existing(Message),
}

/// What it takes to begin a turn.
pub(in crate::domain) struct NewTurn {
    pub conversation: ConversationId,
    pub seat: SeatChoice,
    pub user: UserPart,
    pub force_fresh: bool,
    /// See [`LiveTurn::adjoining`].
    pub adjoining: bool,
    /// Kept in the same write, before the turn.
    pub extra: Vec<StoreWrite>,
}

impl AppState {
    /// Shows the words at once, keeps them, and starts the engine when they are kept.
    pub(in crate::domain) fn begin_turn(&mut self, new: NewTurn, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        let NewTurn { conversation: id, seat, user, force_fresh, adjoining, extra } = new;
        if let Err(why) = self.can_begin(id) {
            return self.trouble("Not sent".into(), why.into(), cx);
        }
        let Some(project) = self.project_of(id) else { return };
        let (skip_permissions, folder, project) =
            (project.skip_permissions, project.path.clone(), project.id);
        let worktree = self.conversations.get(&id).and_then(|state| state.row.branch.as_ref());
        let (cwd, main_folder) = match worktree.and_then(|branch| branch.facts.work_folder()) {
            Some(own) => (own, Some(folder)),
            None => (folder, None),
        };
        let turn = TurnId(cx.ids.next_id());
        let mut batch = extra;
        let (user, is_new) = match user {
            UserPart::New(text) => (self.user_message(id, turn, text, cx), true),
            UserPart::Existing(message) => (message, false),
        };
        let answer = self.answer_message(id, turn, &seat, cx);
        let record = TurnRecord {
            id: turn,
            conversation: id,
            user_message: user.id,
            answer: Some(answer.id),
            seat: seat.clone(),
            state: TurnState::Starting,
            started_ms: cx.now_ms,
            ended_ms: None,
            stop: None,
            failure: None,
            usage: None,
            session: None,
            fork_point: None,
        };
        let spec = TurnSpec {
            turn,
            project,
            conversation: id,
            user_message: user.id,
            user_seq: user.seq,
            prompt: user.plain_text(),
            seat,
            cwd,
            main_folder,
            budget_chars: self.budget_chars(id),
            skip_permissions,
            force_fresh,
            no_fork: false,
        };
        self.said_in_row(id, turn, if is_new { Some(&user) } else { None }, cx);
        let user = Arc::new(user);
        if is_new {
            self.append_to_view(id, &user);
        }
        self.append_live_to_view(id, &answer);
        if let Some(state) = self.conversations.get(&id) {
            batch.push(StoreWrite::PutConversation(state.row.clone()));
        }
        if is_new {
            batch.push(StoreWrite::PutMessage(Message::clone(&user)));
        }
        batch.push(StoreWrite::PutMessage(answer.clone()));
        batch.push(StoreWrite::PutTurn(record.clone()));
        if let Some(undo) = self.conversations.get_mut(&id).and_then(|state| state.undo.as_mut())
            && undo.replaces
        {
            undo.added.extend(is_new.then_some(user.id));
            undo.added.push(answer.id);
        }
        let live = LiveTurn { adjoining, ..LiveTurn::new(record, spec, user, answer, cx.now_ms) };
        self.turns.insert(turn, live);
        self.touch(id);
        self.dirty.urgent = true;
        self.write_then_start(batch, turn, out);
    }

    /// Why nothing can be sent there now.
    pub(in crate::domain) fn can_begin(&self, id: ConversationId) -> Result<(), &'static str> {
        if self.looks_only {
            return Err("Another tunaflow is running with this data folder. Send it there.");
        }
        let Some(state) = self.conversations.get(&id).filter(|state| !state.deleted) else {
            return Err("The conversation is not there any more.");
        };
        if self.git.is_moving(id) {
            return Err("The branch's checkout is being made or removed. Send it when that is done.");
        }
        if state.live.is_some() {
            return Err("A turn is running here. Stop it or let it end first.");
        }
        if self.project_of(id).is_none() {
            return Err("The project is not open any more.");
        }
        Ok(())
    }

    fn project_of(&self, id: ConversationId) -> Option<&Project> {
        self.projects.get(&self.conversations.get(&id)?.row.project)
    }

    fn user_message(&self, id: ConversationId, turn: TurnId, text: String, cx: &mut Cx<'_>) -> Message {
        let message = MessageId(cx.ids.next_id());
        Message {
            id: message,
            conversation: id,
            seq: message.0,
            author: Author::User,
            created_ms: cx.now_ms,
            state: MessageState::Complete,
            items: vec![Item { key: "text".into(), body: ItemBody::Text { text } }],
            turn: Some(turn),
            duration_ms: None,
            usage: None,
            revision: 0,
            unsaved: false,
        }
    }

    fn answer_message(
        &self,
        id: ConversationId,
        turn: TurnId,
        seat: &SeatChoice,
        cx: &mut Cx<'_>,
    ) -> Message {
        let message = MessageId(cx.ids.next_id());
        let engine_name = self.engine_name(&seat.engine);
        let name =
            seat.role.as_ref().map_or_else(|| engine_name.clone(), |role| format!("{role} {engine_name}"));
        Message {
            id: message,
            conversation: id,
            seq: message.0,
            author: Author::Agent {
                engine: seat.engine.clone(),
                model: seat.model.clone(),
                name,
                role: seat.role.clone(),
            },
            created_ms: cx.now_ms,
            state: MessageState::Streaming,
            items: Vec::new(),
            turn: Some(turn),
            duration_ms: None,
            usage: None,
            revision: 0,
            unsaved: false,
        }
    }

    /// Count, time, title and running turn of the conversation.
    fn said_in_row(&mut self, id: ConversationId, turn: TurnId, user: Option<&Message>, cx: &mut Cx<'_>) {
        let Some(state) = self.conversations.get_mut(&id) else { return };
        state.live = Some(turn);
        let row = &mut state.row;
        row.updated_ms = cx.now_ms;
        row.last_turn = Some(TurnState::Starting);
        row.message_count += 1 + u32::from(user.is_some());
        if let Some(user) = user
            && row.title == crate::domain::chat::UNTITLED
        {
            row.title = auto_title(&user.plain_text());
        }
    }

    /// The request is kept: now the engine may hear it.
    pub(in crate::domain) fn start_turn(&mut self, turn: TurnId, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        let Some(live) = self.turns.get_mut(&turn) else { return };
        if live.record.state == TurnState::Stopping {
            // Stopped before it began: nothing was sent.
            self.end_turn(turn, Ending::Finished(StopReason::Cancelled), cx, out);
            return;
        }
        live.sent = true;
        let spec = live.spec.clone();
        self.watch_main(&spec);
        out.push(Effect::StartTurn(Box::new(spec)));
    }

    pub(in crate::domain) fn turn_event(
        &mut self,
        turn: TurnId,
        event: TurnEvent,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        // A late line of an ended turn is dropped.
        let Some(live) = self.turns.get_mut(&turn) else { return };
        if !live.sent && !event.is_terminal() {
            return;
        }
        live.last_sign_ms = cx.now_ms;
        let stopping = live.record.state == TurnState::Stopping;
        let (id, engine) = (live.record.conversation, live.record.seat.engine.clone());
        self.dirty.live = true;
        if let Some(kept) = kept_event(live, &event, cx.now_ms) {
            self.write(vec![kept], out);
        }
        match event {
            TurnEvent::Packed { pack, sent_text } => self.packed(turn, pack, sent_text, out),
            TurnEvent::Started { session, model } => self.taken(turn, session, model),
            TurnEvent::Phase(phase) => self.phase(turn, phase),
            TurnEvent::ItemStarted { .. }
            | TurnEvent::ItemDelta { .. }
            | TurnEvent::ItemReplaced { .. }
            | TurnEvent::ItemWithdrawn { .. } => {
                // After the stop mark nothing more is said.
                if !stopping {
                    self.item(turn, &event);
                }
            }
            TurnEvent::PermissionAsked(request) => self.asked(turn, request, cx, out),
            TurnEvent::PermissionGone { ask } => self.ask_gone(turn, &ask),
            TurnEvent::Usage(usage) => {
                if let Some(live) = self.turns.get_mut(&turn) {
                    live.answer.usage = Some(usage.clone());
                    live.record.usage = Some(usage);
                    live.changed();
                }
            }
            TurnEvent::Limit(limit) => self.limit(&engine, limit),
            TurnEvent::Notice { level, text } => self.note(turn, level, text),
            TurnEvent::Models(models) => self.models(&engine, models),
            TurnEvent::Forks(_) => {
                if let Some(live) = self.turns.get_mut(&turn) {
                    live.forks = true;
                }
            }
            TurnEvent::ForkPoint(point) => {
                if let Some(live) = self.turns.get_mut(&turn) {
                    live.record.fork_point = Some(point);
                }
            }
            TurnEvent::Finished(stop) => self.end_turn(turn, Ending::Finished(stop), cx, out),
            TurnEvent::Failed(failure) => self.failed(turn, failure, cx, out),
        }
        let _: ConversationId = id;
    }

    fn packed(
        &mut self,
        turn: TurnId,
        pack: Box<crate::model::pack::ContextPack>,
        sent_text: String,
        out: &mut Vec<Effect>,
    ) {
        let Some(live) = self.turns.get_mut(&turn) else { return };
        live.report = Some(Arc::new(pack.report.clone()));
        let id = live.record.conversation;
        self.touch(id);
        self.write(vec![StoreWrite::PutPack { turn, pack, sent_text }], out);
    }

    fn taken(&mut self, turn: TurnId, session: Option<String>, model: Option<String>) {
        let Some(live) = self.turns.get_mut(&turn) else { return };
        live.taken = true;
        if session.is_some() {
            live.record.session = session;
        }
        if let Some(told) = model
            && let Author::Agent { model, .. } = &mut live.answer.author
        {
            *model = Some(told);
        }
        if live.phase.is_empty() || live.phase == STARTING {
            "Waiting for the model".clone_into(&mut live.phase);
        }
        live.changed();
        self.set_state(turn, TurnState::Running);
    }

    fn phase(&mut self, turn: TurnId, phase: String) {
        let Some(live) = self.turns.get_mut(&turn) else { return };
        live.phase = phase;
        let id = live.record.conversation;
        if let Some(view) = self.view_mut(id) {
            view.dirty = true;
        }
    }

    fn item(&mut self, turn: TurnId, event: &TurnEvent) {
        let Some(live) = self.turns.get_mut(&turn) else { return };
        if !fold_item(&mut live.answer.items, event) {
            return;
        }
        live.changed();
        live.phase = phase_of(&live.answer.items);
        if live.record.state == TurnState::Starting {
            self.set_state(turn, TurnState::Running);
        }
    }

    fn note(&mut self, turn: TurnId, level: NoticeLevel, text: String) {
        let Some(live) = self.turns.get_mut(&turn) else { return };
        let key = format!("notice:{}", live.answer.revision);
        live.answer.items.push(Item { key, body: ItemBody::Notice { level, text } });
        live.changed();
    }

    /// Runs while `Stopping` keeps that state until it has ended.
    fn set_state(&mut self, turn: TurnId, state: TurnState) {
        let Some(live) = self.turns.get_mut(&turn) else { return };
        if live.record.state == TurnState::Stopping || live.record.state == state {
            return;
        }
        if state == TurnState::Running && !live.asks.is_empty() {
            return;
        }
        live.record.state = state;
        let id = live.record.conversation;
        self.touch(id);
        self.dirty.urgent = true;
    }

    fn asked(&mut self, turn: TurnId, request: PermissionRequest, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        let Some(live) = self.turns.get_mut(&turn) else { return };
        if live.record.state == TurnState::Stopping {
            let decision = Decision::Deny { comment: String::new() };
            out.push(Effect::Answer { turn, ask: request.ask, decision });
            return;
        }
        if live.asks.iter().any(|ask| ask.request.ask == request.ask) {
            return;
        }
        let key = ask_key(&request.ask);
        let body = ItemBody::Permission { request: request.clone(), outcome: None };
        live.answer.items.push(Item { key, body });
        live.asks.push(Ask { request, asked_ms: cx.now_ms });
        "Needs you".clone_into(&mut live.phase);
        live.changed();
        let id = live.record.conversation;
        self.dirty.asks = true;
        self.set_state(turn, TurnState::NeedsYou);
        self.tell_needs_you(id, turn, cx);
    }

    fn ask_gone(&mut self, turn: TurnId, ask: &str) {
        self.close_ask(turn, ask, PermissionOutcome::Gone);
    }

    /// An answer is bound to the exact question that was read; for any other it does nothing.
    pub(in crate::domain) fn answer(
        &mut self,
        turn: TurnId,
        ask: &str,
        decision: Decision,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let outcome = match &decision {
            Decision::AllowOnce => PermissionOutcome::AllowedOnce,
            Decision::Deny { comment } => PermissionOutcome::Denied { comment: comment.clone() },
        };
        if !self.close_ask(turn, ask, outcome) {
            let body = "The agent that asked does not wait for an answer any more.".into();
            return self.trouble("The question has gone".into(), body, cx);
        }
        out.push(Effect::Answer { turn, ask: ask.to_owned(), decision });
    }

    fn close_ask(&mut self, turn: TurnId, ask: &str, outcome: PermissionOutcome) -> bool {
        let Some(live) = self.turns.get_mut(&turn) else { return false };
        let before = live.asks.len();
        live.asks.retain(|open| open.request.ask != ask);
        if live.asks.len() == before {
            return false;
        }
        let key = ask_key(ask);
        if let Some(item) = live.answer.items.iter_mut().rev().find(|item| item.key == key)
            && let ItemBody::Permission { outcome: kept, .. } = &mut item.body
        {
            *kept = Some(outcome);
        }
        live.phase = phase_of(&live.answer.items);
        live.changed();
        let none_left = live.asks.is_empty();
        self.dirty.asks = true;
        self.dirty.urgent = true;
        if none_left {
            self.set_state(turn, TurnState::Running);
        }
        true
    }

    pub(in crate::domain) fn stop_conversation(&mut self, id: ConversationId, out: &mut Vec<Effect>) {
        let Some(turn) = self.conversations.get(&id).and_then(|state| state.live) else { return };
        let Some(live) = self.turns.get_mut(&turn) else { return };
        if live.record.state == TurnState::Stopping {
            return;
        }
        live.record.state = TurnState::Stopping;
        "Stopping".clone_into(&mut live.phase);
        let asks: Vec<String> = live.asks.drain(..).map(|ask| ask.request.ask).collect();
        settle(&mut live.answer.items, ToolState::Stopped);
        live.changed();
        self.dirty.asks |= !asks.is_empty();
        self.dirty.urgent = true;
        self.touch(id);
        out.push(Effect::CancelTurn { turn });
    }

    /// At most about half a second of an answer is not on disk.
    pub(in crate::domain) fn checkpoint_live(&mut self, out: &mut Vec<Effect>) {
        let mut batch = Vec::new();
        for live in self.turns.values_mut().filter(|live| live.answer_dirty) {
            live.answer_dirty = false;
            batch.push(StoreWrite::PutMessage(live.answer.clone()));
        }
        self.write(batch, out);
    }
}

/// How a turn ends.
pub(in crate::domain) enum Ending {
    Finished(StopReason),
    Failed(TurnFailure),
}

/// Phase before the engine has said anything.
pub(in crate::domain) const STARTING: &str = "Starting";

impl LiveTurn {
    fn new(record: TurnRecord, spec: TurnSpec, user: Arc<Message>, answer: Message, now_ms: i64) -> Self {
        Self {
            record,
            spec,
            user,
            answer,
            answer_dirty: false,
            phase: STARTING.into(),
            asks: Vec::new(),
            report: None,
            last_sign_ms: now_ms,
            retried: false,
            adjoining: true,
            sent: false,
            taken: false,
            forks: false,
            kept_events: 0,
            shared: None,
        }
    }

    /// The answer is not what the store and the snapshot have.
    pub(in crate::domain) fn changed(&mut self) {
        self.answer_dirty = true;
        self.answer.revision = self.answer.revision.wrapping_add(1);
        self.shared = None;
    }

    pub(in crate::domain) fn row(&self, resume_command: Option<String>) -> TurnRow {
        TurnRow {
            turn: self.record.id,
            state: self.record.state,
            user_message: self.record.user_message,
            answer: self.record.answer,
            seat: self.record.seat.clone(),
            phase: self.phase.clone(),
            started_ms: self.record.started_ms,
            ended_ms: self.record.ended_ms,
            usage: self.record.usage.clone(),
            failure: self.record.failure.clone(),
            report: self.report.clone(),
            last_sign_ms: self.last_sign_ms,
            resume_command,
        }
    }
}

fn ask_key(ask: &str) -> String {
    format!("ask:{ask}")
}

/// What the agent is doing, by the newest part of its answer. An answered question stands after the tool it was about.
fn phase_of(items: &[Item]) -> String {
    let answered = |body: &&ItemBody| matches!(body, ItemBody::Permission { outcome: Some(_), .. });
    match items.iter().rev().map(|item| &item.body).find(|body| !answered(body)) {
        Some(ItemBody::Text { .. }) => "Writing".into(),
        Some(ItemBody::Thinking { .. }) => "Thinking".into(),
        Some(ItemBody::Tool(tool)) if matches!(tool.state, ToolState::Pending | ToolState::Running) => {
            format!("Running {}", tool.name)
        }
        Some(ItemBody::Permission { outcome: None, .. }) => "Needs you".into(),
        Some(_) | None => "Waiting for the model".into(),
    }
}

/// Events worth keeping beside the message: everything but text pieces and packs.
fn kept_event(live: &mut LiveTurn, event: &TurnEvent, at_ms: i64) -> Option<StoreWrite> {
    let (kind, json) = match event {
        TurnEvent::Started { session, model } => {
            ("started", serde_json::json!({ "session": session, "model": model }))
        }
        TurnEvent::Forks(fork) => {
            ("forks", serde_json::json!({ "session": fork.session, "point": fork.point }))
        }
        TurnEvent::Phase(phase) => ("phase", serde_json::json!({ "phase": phase })),
        TurnEvent::PermissionAsked(request) => {
            ("permission_asked", serde_json::json!({ "request": request }))
        }
        TurnEvent::PermissionGone { ask } => ("permission_gone", serde_json::json!({ "ask": ask })),
        TurnEvent::Usage(usage) => ("usage", serde_json::json!({ "usage": usage })),
        TurnEvent::Limit(limit) => ("limit", serde_json::json!({ "limit": limit })),
        TurnEvent::Notice { level, text } => ("notice", serde_json::json!({ "level": level, "text": text })),
        TurnEvent::Finished(stop) => ("finished", serde_json::json!({ "stop": stop })),
        TurnEvent::Failed(failure) => ("failed", serde_json::json!({ "failure": failure })),
        TurnEvent::Packed { .. }
        | TurnEvent::ItemStarted { .. }
        | TurnEvent::ItemDelta { .. }
        | TurnEvent::ItemReplaced { .. }
        | TurnEvent::ItemWithdrawn { .. }
        | TurnEvent::Models(_)
        | TurnEvent::ForkPoint(_) => return None,
    };
    if live.kept_events >= MAX_KEPT_EVENTS && !event.is_terminal() {
        return None;
    }
    live.kept_events += 1;
    Some(StoreWrite::AppendTurnEvent {
        turn: live.record.id,
        at_ms,
        kind: kind.into(),
        json: json.to_string(),
    })
}

/// The first line that says something, cut at a word where possible.
pub(in crate::domain) fn auto_title(text: &str) -> String {
    let line = text.lines().map(title_line).find(|line| !line.is_empty()).unwrap_or_default();
    let line = line.trim_start_matches(['#', '>', '-', '*', ' ']);
    if line.is_empty() {
        return crate::domain::chat::UNTITLED.into();
    }
    if line.chars().count() <= AUTO_TITLE_CHARS {
        return line.to_owned();
    }
    let cut: String = line.chars().take(AUTO_TITLE_CHARS).collect();
    let whole = match cut.rsplit_once(' ') {
        Some((head, _)) if head.chars().count() > AUTO_TITLE_CHARS / 2 => head,
        _ => cut.as_str(),
    };
    format!("{whole}…")
}

/// The failure of a turn whose own checkout is gone.
pub fn checkout_missing(path: &Path) -> TurnFailure {
    TurnFailure {
        message: format!("The branch's own checkout {} is not there.", path.display()),
        hint: "Nothing was done in the project's folder instead. Open Changes of the branch: make the checkout again, \
               or forget it."
            .into(),
        ..folder_missing(path)
    }
}

/// What a missing folder says; used by the runtime before an engine is started.
pub fn folder_missing(path: &Path) -> TurnFailure {
    TurnFailure {
        kind: FailureKind::FolderMissing,
        message: format!("The project folder {} is not there.", path.display()),
        hint: "Put the folder back, or open the project at its new place.".into(),
        detail: String::new(),
        resets_at_ms: None,
    }
}
