//! The conversation with one Claude Code process: what comes in, what goes out.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};

use crate::engine::claude::asks::{Asks, deny_unseen, refusal};
use crate::engine::claude::outcome::{Known, cost, ended, is_nothing, limits, sum, usage};
use crate::engine::claude::tools;
use crate::engine::claude::turn::{Turn, notice};
use crate::engine::failure::{Gone, failure, gone};
use crate::engine::wire::{ObjectReader, Read, f64_at, list_at, not_a_command, str_at, text_at, u64_at};
use crate::engine::{Dialect, SeatExit, SeatInput, SeatOutput, TimerId};
use crate::model::engine::EngineInfo;
use crate::model::message::{NoticeLevel, ToolState};
use crate::model::turn::{
    Decision, FailureKind, LimitInfo, SeatSpec, StopReason, TurnEvent, TurnFailure, TurnRequest,
};

/// How long a cancelled turn may take to end by itself.
const CANCEL_GRACE: Duration = Duration::from_secs(2);
/// How long a rejected login may be tried again; longer is only silence.
const LOGIN_GRACE: Duration = Duration::from_secs(5);
/// How long after its last sub-agent ended Claude may take to speak again.
const HELD_GRACE: Duration = Duration::from_secs(5);
/// Kept lines that were no protocol.
const MAX_NOISE_LINES: usize = 40;

/// State of one seat.
pub struct ClaudeDialect {
    info: EngineInfo,
    command: String,
    folder: String,
    version: Option<String>,
    seat_uuid: String,
    reader: ObjectReader,
    noise: VecDeque<String>,
    spoke: bool,
    initialized: bool,
    next_id: u32,
    turn: Option<Turn>,
    asks: Asks,
    reached: Option<LimitInfo>,
    /// `total_cost_usd` of the last result; nothing was spent before a new session's first.
    session_cost_usd: Option<f64>,
    /// Claude began a turn by itself while none of ours ran, e.g. to tell about a task of its own.
    own_turn: bool,
}

impl ClaudeDialect {
    pub fn new(info: EngineInfo, seat: &SeatSpec, command: String) -> Self {
        Self {
            info,
            command,
            folder: seat.cwd.to_string_lossy().into_owned(),
            version: seat.version.clone(),
            seat_uuid: seat.new_session_id.clone(),
            reader: ObjectReader::default(),
            noise: VecDeque::new(),
            spoke: false,
            initialized: false,
            next_id: 0,
            turn: None,
            asks: Asks::default(),
            reached: None,
            session_cost_usd: (seat.resume.is_none() && seat.fork.is_none()).then_some(0.0),
            own_turn: false,
        }
    }

    fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    fn control(&mut self, request: &Value, out: &mut SeatOutput) {
        let id = format!("host-{}", self.id());
        out.lines.push(json!({"type": "control_request", "request_id": id, "request": request}).to_string());
    }

    fn timer(&mut self, after: Duration, out: &mut SeatOutput) -> TimerId {
        let timer = TimerId(self.id());
        out.timers.push((timer, after));
        timer
    }

    fn begin(&mut self, request: &TurnRequest, out: &mut SeatOutput) {
        if self.turn.is_some() {
            out.log.push("a turn began before the last one ended".to_owned());
        }
        if !self.initialized {
            self.initialized = true;
            // Its answer lists the models; it costs no model call.
            self.control(&json!({"subtype": "initialize"}), out);
        }
        let uuid = turn_uuid(&self.seat_uuid, request);
        let message = json!({"role": "user", "content": content(&request.text)});
        out.lines.push(
            json!({"type": "user", "message": message, "parent_tool_use_id": null, "uuid": uuid}).to_string(),
        );
        self.turn = Some(Turn::new(uuid));
    }

    fn line(&mut self, line: &str, out: &mut SeatOutput) {
        match self.reader.push(line) {
            Read::Object(message) => self.message(&message, out),
            Read::Noise(text) => self.heard_noise(text, out),
            Read::Pending => {}
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

    fn message(&mut self, line: &Value, out: &mut SeatOutput) {
        let kind = str_at(line, "/type").unwrap_or_default();
        self.spoke |= !kind.is_empty();
        match kind {
            "control_request" => self.asked(line, out),
            "control_cancel_request" => self.ask_withdrawn(line, out),
            "control_response" => self.replied(line, out),
            "rate_limit_event" => self.limits(line, out),
            "result" => self.result(line, out),
            "system" => self.system(line, out),
            "stream_event" | "assistant" | "user" => match self.turn.as_mut() {
                Some(turn) => turn.content(kind, line, out),
                None => out.log.push(format!("{kind} between turns")),
            },
            "command_lifecycle" | "keep_alive" | "tool_progress" | "tool_use_summary" | "auth_status"
            | "prompt_suggestion" => {}
            _ => {
                out.skipped += 1;
                out.log.push(format!("unknown type {kind:?}"));
            }
        }
    }

    fn asked(&mut self, line: &Value, out: &mut SeatOutput) {
        let id = text_at(line, "/request_id");
        let request = line.get("request").unwrap_or(&Value::Null);
        if str_at(request, "/subtype") != Some("can_use_tool") {
            out.skipped += 1;
            out.lines.push(refusal(&id, "This host does not answer such requests."));
            return;
        }
        let Some(turn) = self.turn.as_ref() else {
            out.lines.push(deny_unseen(&id));
            return;
        };
        let known = str_at(request, "/tool_use_id").is_some_and(|item| turn.book.contains(item));
        let question = self.asks.ask(&id, request, &self.folder, known);
        out.events.push(TurnEvent::PermissionAsked(question));
    }

    fn ask_withdrawn(&mut self, line: &Value, out: &mut SeatOutput) {
        let ask = text_at(line, "/request_id");
        if self.asks.cancel(&ask) {
            out.events.push(TurnEvent::PermissionGone { ask });
        }
    }

    fn answer(&mut self, ask: &str, decision: &Decision, out: &mut SeatOutput) {
        let Some(answered) = self.asks.answer(ask, decision) else {
            out.log.push(format!("an answer for {ask}, which is no longer asked"));
            return;
        };
        out.lines.push(answered.line);
        if let Some(turn) = self.turn.as_mut() {
            turn.denied.extend(answered.denied);
        }
    }

    fn replied(&self, line: &Value, out: &mut SeatOutput) {
        let models: Vec<String> = list_at(line, "/response/response/models")
            .iter()
            .filter_map(|model| str_at(model, "/value"))
            .map(str::to_owned)
            .collect();
        if !models.is_empty() && self.turn.is_some() {
            out.events.push(TurnEvent::Models(models));
        }
        if let Some(error) = str_at(line, "/response/error") {
            out.log.push(format!("control request refused: {error}"));
        }
    }

    fn limits(&mut self, line: &Value, out: &mut SeatOutput) {
        for limit in limits(line) {
            if limit.reached {
                self.reached = Some(limit.clone());
            } else if self.reached.as_ref().is_some_and(|reached| reached.kind == limit.kind) {
                self.reached = None;
            }
            if self.turn.is_some() {
                out.events.push(TurnEvent::Limit(limit));
            }
        }
    }

    fn system(&mut self, line: &Value, out: &mut SeatOutput) {
        let subtype = str_at(line, "/subtype").unwrap_or_default();
        let Some(turn) = self.turn.as_mut() else {
            self.own_turn |= subtype == "init";
            return;
        };
        match subtype {
            "init" => turn.init(line, out),
            "background_tasks_changed" => self.background(line, out),
            "api_retry" => self.retry(line, out),
            "permission_denied" => {
                let id = text_at(line, "/tool_use_id");
                tools::refused(&id, &text_at(line, "/message"), &mut turn.book, out);
                turn.denied.insert(id);
            }
            "informational" => notice(NoticeLevel::Info, &text_at(line, "/content"), out),
            "compact_boundary" => {
                notice(NoticeLevel::Info, "Claude Code shortened its memory of this session.", out);
            }
            "status" => {
                if str_at(line, "/status") == Some("compacting") {
                    out.events.push(TurnEvent::Phase("Shortening its memory".to_owned()));
                }
            }
            "thinking_tokens"
            | "task_started"
            | "task_progress"
            | "task_updated"
            | "task_notification"
            | "hook_started"
            | "hook_progress"
            | "hook_response"
            | "session_state_changed" => {}
            other => {
                out.skipped += 1;
                out.log.push(format!("unknown system subtype {other:?}"));
            }
        }
    }

    /// Sub-agents that run in the background end with a turn that Claude begins by itself; shell tasks may run for ever.
    fn background(&mut self, line: &Value, out: &mut SeatOutput) {
        let Some(turn) = self.turn.as_mut() else { return };
        let agents =
            list_at(line, "/tasks").iter().filter(|task| text_at(task, "/task_type").contains("agent"));
        turn.background_agents = agents.count();
        if turn.background_agents == 0 && turn.held.is_some() {
            let timer = self.timer(HELD_GRACE, out);
            if let Some(turn) = self.turn.as_mut() {
                turn.held_until = Some(timer);
            }
        }
    }

    fn retry(&mut self, line: &Value, out: &mut SeatOutput) {
        let attempt = u64_at(line, "/attempt").unwrap_or(1);
        let most = u64_at(line, "/max_retries").unwrap_or(attempt);
        out.events.push(TurnEvent::Phase(format!("Retrying {attempt} of {most}")));
        if str_at(line, "/error") != Some("authentication_failed") {
            return;
        }
        // Trying a refused login ten times is a minute of silence. One quick retry is left to a token that is renewed.
        if attempt > 1 || most > 2 {
            self.login_failed(out);
        } else if self.turn.as_ref().is_some_and(|turn| turn.login.is_none()) {
            let timer = self.timer(LOGIN_GRACE, out);
            if let Some(turn) = self.turn.as_mut() {
                turn.login = Some(timer);
            }
        }
    }

    fn login_failed(&mut self, out: &mut SeatOutput) {
        let failed = failure(&self.info, FailureKind::NotLoggedIn, "");
        self.end(TurnEvent::Failed(failed), out);
        out.retire = true;
    }

    fn result(&mut self, line: &Value, out: &mut SeatOutput) {
        let cost_usd = cost(line, self.session_cost_usd);
        self.session_cost_usd = f64_at(line, "/total_cost_usd").or(self.session_cost_usd);
        let was_own = std::mem::take(&mut self.own_turn);
        let Some(turn) = self.turn.as_mut() else {
            out.log.push("a result between turns".to_owned());
            return;
        };
        // Claude can begin turns by itself; their results name other messages than ours.
        let served = list_at(line, "/user_message_uuids");
        let not_ours = !served.is_empty() && !served.iter().any(|id| id.as_str() == Some(turn.uuid.as_str()));
        if not_ours || (was_own && served.is_empty()) {
            out.log.push("the result of another turn".to_owned());
            return;
        }
        let mut used = usage(line, turn.model.as_deref(), turn.window_used_tokens);
        used.cost_usd = cost_usd;
        turn.used = sum(&turn.used, &used);
        if !is_nothing(&turn.used) {
            out.events.push(TurnEvent::Usage(turn.used.clone()));
        }
        let known = Known {
            cancelled: turn.cancel.is_some(),
            error: turn.error.as_deref(),
            reached: self.reached.as_ref(),
        };
        let last = ended(&self.info, line, known);
        if turn.background_agents > 0 && last == TurnEvent::Finished(StopReason::Completed) {
            let agents = turn.background_agents;
            let s = if agents == 1 { "" } else { "s" };
            out.events.push(TurnEvent::Phase(format!("Waiting for {agents} agent{s} in the background")));
            turn.held = Some(last);
            return;
        }
        if let TurnEvent::Failed(TurnFailure { kind, .. }) = &last {
            // A new login is read at the start; a lost session ends the program anyway.
            out.retire |= matches!(kind, FailureKind::NotLoggedIn | FailureKind::SessionLost);
        }
        self.end(last, out);
    }

    /// The last event of a turn, after everything that still hangs was told.
    fn end(&mut self, last: TurnEvent, out: &mut SeatOutput) {
        let Some(mut turn) = self.turn.take() else { return };
        for ask in self.asks.take_all() {
            out.events.push(TurnEvent::PermissionGone { ask });
        }
        turn.book.settle_tools(ToolState::Stopped, out);
        let is_whole = matches!(&last, TurnEvent::Finished(reason) if *reason != StopReason::Cancelled);
        out.events.extend(turn.fork_point.take().filter(|_| is_whole).map(TurnEvent::ForkPoint));
        out.events.push(last);
    }

    fn cancel(&mut self, out: &mut SeatOutput) {
        if self.turn.as_ref().is_none_or(|turn| turn.cancel.is_some()) {
            return;
        }
        if self.turn.as_ref().is_some_and(|turn| turn.held.is_some()) {
            // An interrupt reaches the answer only; agents in the background end with the process.
            self.end(TurnEvent::Finished(StopReason::Cancelled), out);
            out.retire = true;
            return;
        }
        self.control(&json!({"subtype": "interrupt"}), out);
        let timer = self.timer(CANCEL_GRACE, out);
        if let Some(turn) = self.turn.as_mut() {
            turn.cancel = Some(timer);
        }
    }

    fn deadline(&mut self, timer: TimerId, out: &mut SeatOutput) {
        let Some(turn) = self.turn.as_ref() else { return };
        if turn.cancel == Some(timer) {
            self.end(TurnEvent::Finished(StopReason::Cancelled), out);
            out.retire = true;
        } else if turn.login == Some(timer) {
            self.login_failed(out);
        } else if turn.held_until == Some(timer) {
            let last = turn.held.clone().unwrap_or(TurnEvent::Finished(StopReason::Completed));
            self.end(last, out);
        }
    }

    fn exited(&mut self, exit: &SeatExit, out: &mut SeatOutput) {
        out.retire = true;
        if let Some(text) = self.reader.close() {
            self.heard_noise(text, out);
        }
        let Some(turn) = self.turn.as_ref() else { return };
        if turn.cancel.is_some() {
            self.end(TurnEvent::Finished(StopReason::Cancelled), out);
            return;
        }
        if let Some(last) = turn.held.clone() {
            self.end(last, out);
            return;
        }
        let noise: Vec<&str> = self.noise.iter().map(String::as_str).collect();
        let failed = gone(
            &self.info,
            Gone {
                command: &self.command,
                version: self.version.as_deref(),
                exit,
                noise: &noise.join("\n"),
                spoke: self.spoke,
            },
        );
        self.end(TurnEvent::Failed(failed), out);
    }
}

impl Dialect for ClaudeDialect {
    fn input(&mut self, input: SeatInput<'_>, out: &mut SeatOutput) {
        match input {
            SeatInput::Begin(request) => self.begin(request, out),
            SeatInput::Line(line) => self.line(line, out),
            SeatInput::LineTooLong { bytes } => {
                let text =
                    format!("Claude Code sent a line of {bytes} bytes. It is too large and was left out.");
                if self.turn.is_some() {
                    notice(NoticeLevel::Error, &text, out);
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

/// An id for the user's line that no other line of any session has: the seat's fresh UUID with the turn as its end.
fn turn_uuid(seat_uuid: &str, request: &TurnRequest) -> String {
    let front: String = seat_uuid.chars().take(24).collect();
    format!("{front}{:012x}", request.turn.0 & 0xffff_ffff_ffff)
}
/// Stands between quoted context and the user's own words (the last one counts).
const QUOTED_END: &str = "\n\n---\n\n";

/// The text as blocks: what is quoted apart from what the user says.
///
/// The program replaces `@/path` by the file, without asking, in the last block of a message only (seen with
/// 2.1.332). In the user's words that is wanted; in words of other agents it would let them read any file.
fn content(text: &str) -> Vec<Value> {
    let block = |text: &str| json!({"type": "text", "text": text});
    match text.rsplit_once(QUOTED_END) {
        Some((quoted, own)) => vec![block(&format!("{quoted}\n\n---\n")), block(&not_a_command(own))],
        None => vec![block(&not_a_command(text))],
    }
}
