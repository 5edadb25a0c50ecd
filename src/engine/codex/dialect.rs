//! The conversation with one Codex app server: what comes in, what goes out.

mod ending;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::engine::codex::asks::{Asked, Asks};
use crate::engine::codex::outcome::{Totals, limits};
use crate::engine::codex::turn::Turn;
use crate::engine::failure::told;
use crate::engine::wire::{
    ObjectReader, Read, Rpc, id_key, is_true, list_at, one_line, rpc, rpc_notification, rpc_refusal,
    rpc_request, str_at, text_at,
};
use crate::engine::{Dialect, SeatInput, SeatOutput, TimerId};
use crate::model::engine::EngineInfo;
use crate::model::message::NoticeLevel;
use crate::model::turn::{Decision, SeatSpec, StopReason, TurnEvent, TurnRequest};

/// Kept lines that were no protocol.
const MAX_NOISE_LINES: usize = 40;

/// State of one seat.
pub struct CodexDialect {
    info: EngineInfo,
    command: String,
    seat: SeatSpec,
    folder: String,
    reader: ObjectReader,
    noise: VecDeque<String>,
    spoke: bool,
    next_id: u64,
    next_timer: u32,
    sent: HashMap<u64, Sent>,
    thread: Option<String>,
    model: Option<String>,
    /// Token counts of the thread when the running turn began.
    totals: Option<Totals>,
    turn: Option<Turn>,
    asks: Asks,
}

/// Requests of ours that wait for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    Initialize,
    OpenThread,
    StartTurn,
    /// Its reply changes nothing.
    Aside,
    Models,
}

impl CodexDialect {
    pub fn new(info: EngineInfo, seat: &SeatSpec, command: String) -> Self {
        Self {
            info,
            command,
            folder: seat.cwd.to_string_lossy().into_owned(),
            seat: seat.clone(),
            reader: ObjectReader::default(),
            noise: VecDeque::new(),
            spoke: false,
            next_id: 0,
            next_timer: 0,
            sent: HashMap::new(),
            thread: None,
            model: None,
            totals: None,
            turn: None,
            asks: Asks::default(),
        }
    }

    fn request(&mut self, sent: Sent, method: &str, params: &Value, out: &mut SeatOutput) {
        self.next_id += 1;
        self.sent.insert(self.next_id, sent);
        out.lines.push(rpc_request(self.next_id, method, params));
    }

    fn timer(&mut self, after: Duration, out: &mut SeatOutput) -> TimerId {
        self.next_timer += 1;
        let timer = TimerId(self.next_timer);
        out.timers.push((timer, after));
        timer
    }

    fn begin(&mut self, request: &TurnRequest, out: &mut SeatOutput) {
        if self.turn.is_some() {
            out.log.push("a turn began before the last one ended".to_owned());
        }
        self.turn = Some(Turn::new(&request.text));
        if self.thread.is_some() {
            self.start_turn(out);
        } else if self.sent.is_empty() {
            let client =
                json!({"name": "tunaflow", "title": "tunaflow", "version": env!("CARGO_PKG_VERSION")});
            self.request(
                Sent::Initialize,
                "initialize",
                &json!({"clientInfo": client, "capabilities": {}}),
                out,
            );
        }
    }

    fn open_thread(&mut self, out: &mut SeatOutput) {
        // `untrusted` asks for every file change and for every command that is not known to only read, in any sandbox;
        // `on-request` runs ordinary commands inside the folder unasked. What was allowed then runs in the sandbox:
        // in `read-only` its writes would fail, and a command that goes on after that would seem to have worked.
        let (approval, sandbox) = match &self.seat {
            seat if seat.words_only => ("untrusted", "read-only"),
            seat if seat.skip_permissions => ("never", "danger-full-access"),
            _ => ("untrusted", "workspace-write"),
        };
        let mut params = Map::new();
        params.insert("cwd".to_owned(), Value::from(self.folder.clone()));
        params.insert("approvalPolicy".to_owned(), Value::from(approval));
        params.insert("sandbox".to_owned(), Value::from(sandbox));
        if self.seat.words_only {
            // Not in the user's list of sessions.
            params.insert("ephemeral".to_owned(), Value::from(true));
            params
                .insert("config".to_owned(), json!({"features.shell_tool": false, "web_search": "disabled"}));
        }
        if let Some(model) = &self.seat.model {
            params.insert("model".to_owned(), Value::from(model.clone()));
        }
        let method = if let Some(fork) = &self.seat.fork {
            params.insert("threadId".to_owned(), Value::from(fork.session.clone()));
            params.insert("excludeTurns".to_owned(), Value::from(true));
            if let Some(point) = &fork.point {
                params.insert("lastTurnId".to_owned(), Value::from(point.clone()));
            }
            "thread/fork"
        } else if let Some(thread) = &self.seat.resume {
            params.insert("threadId".to_owned(), Value::from(thread.clone()));
            // The history may be larger than a line may be, and nobody reads it here.
            params.insert("excludeTurns".to_owned(), Value::from(true));
            "thread/resume"
        } else {
            self.totals = Some(Totals::default());
            "thread/start"
        };
        self.request(Sent::OpenThread, method, &Value::Object(params), out);
    }

    fn start_turn(&mut self, out: &mut SeatOutput) {
        let (Some(thread), Some(turn)) = (self.thread.clone(), self.turn.as_mut()) else { return };
        if turn.cancel.is_some() {
            self.end(TurnEvent::Finished(StopReason::Cancelled), out);
            return;
        }
        let text = std::mem::take(&mut turn.prompt);
        out.events.push(TurnEvent::Started { session: Some(thread.clone()), model: self.model.clone() });
        let params = json!({"threadId": thread, "input": [{"type": "text", "text": text}]});
        self.request(Sent::StartTurn, "turn/start", &params, out);
    }

    fn line(&mut self, line: &str, out: &mut SeatOutput) {
        let message = match self.reader.push(line) {
            Read::Object(message) => message,
            Read::Noise(text) => return self.heard_noise(text, out),
            Read::Pending => return,
        };
        let Some(rpc) = rpc(&message) else {
            out.skipped += 1;
            out.log.push(format!("no message: {}", one_line(line)));
            return;
        };
        self.spoke = true;
        match rpc {
            Rpc::Reply { id, result } => self.replied(id, result, out),
            Rpc::Error { id, error } => self.refused(id, error, out),
            Rpc::Request { id, method, params } => self.asked(Asked { id, method, params }, out),
            Rpc::Notification { method, params } => self.told(method, params, out),
        }
    }

    fn heard_noise(&mut self, text: String, out: &mut SeatOutput) {
        if text.trim().is_empty() {
            return;
        }
        if self.noise.len() == MAX_NOISE_LINES {
            self.noise.pop_front();
        }
        out.log.push(text.clone());
        self.noise.push_back(text);
    }

    fn replied(&mut self, id: &Value, result: &Value, out: &mut SeatOutput) {
        match id.as_u64().and_then(|id| self.sent.remove(&id)) {
            Some(Sent::Initialize) => {
                out.lines.push(rpc_notification("initialized", &Value::Null));
                self.open_thread(out);
            }
            Some(Sent::OpenThread) => {
                self.thread = str_at(result, "/thread/id").map(str::to_owned);
                self.model = str_at(result, "/model").map(str::to_owned);
                if self.thread.is_none() {
                    self.fail(told(&self.info, None, "Codex opened no thread."), out);
                    out.retire = true;
                    return;
                }
                self.start_turn(out);
                self.request(Sent::Models, "model/list", &json!({}), out);
            }
            Some(Sent::StartTurn) => {
                if let Some(turn) = str_at(result, "/turn/id").map(str::to_owned) {
                    self.turn_is(turn, out);
                }
            }
            Some(Sent::Models) => {
                let models = list_at(result, "/data").iter().filter(|model| !is_true(model, "/hidden"));
                let models: Vec<String> =
                    models.filter_map(|model| str_at(model, "/id")).map(str::to_owned).collect();
                if !models.is_empty() && self.turn.is_some() {
                    out.events.push(TurnEvent::Models(models));
                }
            }
            Some(Sent::Aside) => {}
            None => out.skipped += 1,
        }
    }

    fn refused(&mut self, id: &Value, error: &Value, out: &mut SeatOutput) {
        let text = text_at(error, "/message");
        match id.as_u64().and_then(|id| self.sent.remove(&id)) {
            Some(Sent::Initialize | Sent::OpenThread) => {
                self.fail(told(&self.info, None, &text), out);
                out.retire = true;
            }
            Some(Sent::StartTurn) => self.fail(told(&self.info, None, &text), out),
            Some(Sent::Aside | Sent::Models) => out.log.push(text),
            None => out.skipped += 1,
        }
    }

    fn asked(&mut self, asked: Asked<'_>, out: &mut SeatOutput) {
        let thread = str_at(asked.params, "/threadId");
        let Some(turn) = self.turn.as_ref().filter(|_| thread.is_none() || self.thread.as_deref() == thread)
        else {
            // Nobody can be asked now; a refusal keeps the server from waiting for ever.
            out.lines.push(rpc_refusal(asked.id, asked.method));
            return;
        };
        let changes = str_at(asked.params, "/itemId").map(|item| turn.changes_of(item)).unwrap_or_default();
        match self.asks.ask(asked, changes, &self.folder) {
            Ok(question) => out.events.push(TurnEvent::PermissionAsked(question)),
            Err(refusal) => {
                out.skipped += 1;
                out.lines.push(refusal);
            }
        }
    }

    fn answer(&mut self, ask: &str, decision: &Decision, out: &mut SeatOutput) {
        let Some((line, carried)) = self.asks.answer(ask, decision) else {
            out.log.push(format!("an answer for {ask}, which is no longer asked"));
            return;
        };
        out.lines.push(line);
        // A denial carries no words here, so they follow as a message within the same turn.
        let Decision::Deny { comment } = decision else { return };
        let turn_id = self.turn.as_ref().and_then(|turn| turn.id.clone());
        if let (false, Some(thread), Some(turn)) =
            (carried || comment.trim().is_empty(), &self.thread, turn_id)
        {
            let input = json!([{"type": "text", "text": comment}]);
            let params = json!({"threadId": thread, "expectedTurnId": turn, "input": input});
            self.request(Sent::Aside, "turn/steer", &params, out);
        }
    }

    fn told(&mut self, method: &str, params: &Value, out: &mut SeatOutput) {
        match method {
            "serverRequest/resolved" => return self.resolved(params, out),
            "account/rateLimits/updated" => {
                if self.turn.is_some() {
                    out.events.extend(limits(params).into_iter().map(TurnEvent::Limit));
                }
                return;
            }
            "configWarning" => {
                out.log.push(text_at(params, "/summary"));
                return;
            }
            _ => {}
        }
        // Threads of sub-agents speak through the same pipe; theirs is not this answer.
        if str_at(params, "/threadId")
            .is_some_and(|thread| self.thread.as_deref().is_some_and(|own| own != thread))
        {
            return;
        }
        if method == "thread/tokenUsage/updated" {
            return self.used(params, out);
        }
        let Some(turn) = self.turn.as_mut() else { return };
        let turn_id = str_at(params, "/turnId").or_else(|| str_at(params, "/turn/id"));
        if let (Some(own), Some(other)) = (turn.id.as_deref(), turn_id)
            && own != other
        {
            return;
        }
        match method {
            "turn/started" => {
                if let Some(id) = str_at(params, "/turn/id").map(str::to_owned) {
                    self.turn_is(id, out);
                }
            }
            "turn/completed" => self.completed(params, out),
            "error" => self.errored(params, out),
            _ => turn.told(method, params, out),
        }
    }

    fn turn_is(&mut self, id: String, out: &mut SeatOutput) {
        let Some(turn) = self.turn.as_mut() else { return };
        let is_new = turn.id.is_none();
        turn.id = Some(id);
        // Stop came before the turn had a name.
        if is_new && turn.cancel.is_some() {
            self.interrupt(out);
        }
    }

    fn resolved(&mut self, params: &Value, out: &mut SeatOutput) {
        let id = params.get("requestId").unwrap_or(&Value::Null);
        if self.asks.resolved(id) {
            out.events.push(TurnEvent::PermissionGone { ask: id_key(id) });
        }
    }

    fn used(&mut self, params: &Value, out: &mut SeatOutput) {
        let told = params.get("tokenUsage").unwrap_or(&Value::Null);
        let now = Totals::read(told.get("total").unwrap_or(&Value::Null));
        let of_turn = self
            .turn
            .as_ref()
            .is_some_and(|turn| turn.id.is_some() && turn.id.as_deref() == str_at(params, "/turnId"));
        if !of_turn {
            self.totals = Some(now);
            return;
        }
        // A resumed thread does not tell its count beforehand.
        let last = Totals::read(told.get("last").unwrap_or(&Value::Null));
        let before = *self.totals.get_or_insert(now.since(last));
        if let Some(turn) = self.turn.as_mut() {
            turn.totals = Some(now);
        }
        // A request that failed is told with counts that did not change.
        if now != before {
            out.events.push(TurnEvent::Usage(now.since(before).usage(told)));
        }
    }
}

impl Dialect for CodexDialect {
    fn input(&mut self, input: SeatInput<'_>, out: &mut SeatOutput) {
        match input {
            SeatInput::Begin(request) => self.begin(request, out),
            SeatInput::Line(line) => self.line(line, out),
            SeatInput::LineTooLong { bytes } => {
                let text = format!("Codex sent a line of {bytes} bytes. It is too large and was left out.");
                if self.turn.is_some() {
                    out.events.push(TurnEvent::Notice { level: NoticeLevel::Error, text: text.clone() });
                }
                out.log.push(text);
            }
            SeatInput::Answer { ask, decision } => self.answer(ask, decision, out),
            SeatInput::Cancel => self.cancel(out),
            SeatInput::Exited(exit) => self.exited(exit, out),
            SeatInput::Deadline(timer) => self.deadline(timer, out),
            SeatInput::HttpStatus { .. } | SeatInput::HttpFailed { .. } | SeatInput::HttpEnd => {}
        }
    }
}
