//! The Agent Client Protocol (version 1) as one dialect for every agent that speaks it.
//!
//! Never here: what one agent does differently; that is an [`AcpProfile`] in the agent's own file.
//! Start reading at [`AcpDialect::line`], then `updates` (what the agent says), `permission`, `failure`.

mod agent;
mod failure;
mod permission;
mod session;
mod tools;
mod updates;

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::engine::failure::{self as failures, Gone};
use crate::engine::wire::{self, ObjectReader, Read, Rpc};
use crate::engine::{Dialect, SeatExit, SeatInput, SeatOutput, TimerId};
use crate::model::engine::EngineInfo;
use crate::model::message::NoticeLevel;
use crate::model::turn::{FailureKind, SeatSpec, StopReason, TurnEvent, TurnFailure, TurnRequest};

pub use agent::{agent, caps};

use permission::Asks;
use updates::Turn;

/// The protocol version spoken here.
const PROTOCOL_VERSION: i64 = 1;
/// Kept lines that were no protocol.
const MAX_NOISE_LINES: usize = 40;

/// What one agent does its own way.
#[derive(Clone, Copy, Debug)]
pub struct AcpProfile {
    /// May a session be loaded in a new process?
    pub resume: AcpResume,
    /// May a session be forked, if the agent says it can? Always at its end.
    pub fork: bool,
    /// Is the wanted model already given on the command line?
    pub model_by_launch: bool,
    /// The engine's tool name from a tool call's id, where it hides there.
    pub tool_name_of_id: fn(&str) -> Option<&str>,
}

/// Whether, and how, an earlier session is taken up in a new process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcpResume {
    /// Never: loading can destroy the agent's own history.
    Never,
    /// `session/load`; the whole replay comes before the answer.
    Load,
    /// `session/load` if the agent says it can; the replay may go on after the answer.
    LoadIfOffered,
}

/// For agents whose tool call ids say nothing.
pub fn no_tool_name(_id: &str) -> Option<&str> {
    None
}

/// What a request of ours was for; its answer is found by this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Initialize,
    NewSession,
    LoadSession,
    ForkSession,
    SetModel,
    /// The turn's number, so that the answer to a cancelled prompt never ends the next turn.
    Prompt(u32),
}

/// How far the connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Fresh,
    /// Between the first line and an open session.
    Opening,
    /// A loaded session may still be replayed; the prompt waits.
    Replaying,
    Ready,
}

/// The state machine of one seat.
#[derive(Debug)]
pub struct AcpDialect {
    info: EngineInfo,
    profile: AcpProfile,
    seat: SeatSpec,
    stage: Stage,
    next_id: u64,
    calls: Vec<(u64, Call)>,
    session: Option<String>,
    model: Option<String>,
    can_load: bool,
    /// The request that waits for an open session.
    waiting: Option<String>,
    turn_no: u32,
    turn: Option<Turn>,
    asks: Asks,
    /// Costs told so far for the whole session, in US dollars; `None` = not known where it began.
    cost_base: Option<f64>,
    quiet: u32,
    /// It said at least one thing in its protocol.
    spoke: bool,
    reader: ObjectReader,
    /// The newest lines that it said outside of it.
    noise: VecDeque<String>,
}

impl AcpDialect {
    pub fn new(info: EngineInfo, profile: AcpProfile, seat: &SeatSpec) -> Self {
        Self {
            info,
            profile,
            seat: seat.clone(),
            stage: Stage::Fresh,
            next_id: 1,
            calls: Vec::new(),
            session: None,
            model: None,
            can_load: false,
            waiting: None,
            turn_no: 0,
            turn: None,
            asks: Asks::default(),
            cost_base: None,
            quiet: 0,
            spoke: false,
            reader: ObjectReader::default(),
            noise: VecDeque::new(),
        }
    }

    fn call(&mut self, call: Call, method: &str, params: &Value, out: &mut SeatOutput) {
        let id = self.next_id;
        self.next_id += 1;
        self.calls.push((id, call));
        out.lines.push(wire::rpc_request(id, method, params));
    }

    fn begin(&mut self, request: &TurnRequest, out: &mut SeatOutput) {
        self.turn_no += 1;
        self.turn = Some(Turn::default());
        match self.stage {
            Stage::Fresh => {
                self.waiting = Some(request.text.clone());
                self.stage = Stage::Opening;
                let params = json!({
                    "protocolVersion": PROTOCOL_VERSION,
                    "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false},
                    "clientInfo": {"name": "tunaflow", "version": env!("CARGO_PKG_VERSION")},
                });
                self.call(Call::Initialize, "initialize", &params, out);
            }
            Stage::Opening | Stage::Replaying => self.waiting = Some(request.text.clone()),
            Stage::Ready => {
                self.say_started(out);
                self.prompt(&request.text, out);
            }
        }
    }

    fn prompt(&mut self, text: &str, out: &mut SeatOutput) {
        let params = json!({"sessionId": self.session, "prompt": [{"type": "text", "text": wire::not_a_command(text)}]});
        self.call(Call::Prompt(self.turn_no), "session/prompt", &params, out);
    }

    fn say_started(&self, out: &mut SeatOutput) {
        out.events.push(TurnEvent::Started { session: self.session.clone(), model: self.model.clone() });
    }

    /// One line of the agent: an answer, a request or a notification.
    fn line(&mut self, line: &str, out: &mut SeatOutput) {
        let message = match self.reader.push(line) {
            Read::Object(message) => message,
            Read::Noise(text) => return self.heard_noise(text, out),
            Read::Pending => return,
        };
        self.spoke = true;
        match wire::rpc(&message) {
            Some(Rpc::Request { id, method: "session/request_permission", params }) => {
                self.permission_asked(id, params, out);
            }
            Some(Rpc::Request { id, method, .. }) => {
                out.skipped += 1;
                out.log.push(format!("refused the agent's request `{method}`"));
                out.lines.push(wire::rpc_refusal(id, method));
            }
            Some(Rpc::Notification { method: "session/update", params }) => self.update(params, out),
            Some(Rpc::Notification { method, .. }) => {
                out.skipped += 1;
                out.log.push(format!("skipped the notification `{method}`"));
            }
            Some(Rpc::Reply { id, result }) => self.answered(id, Ok(result), out),
            Some(Rpc::Error { id, error }) => self.answered(id, Err(error), out),
            None => {
                out.skipped += 1;
                out.log.push(line.to_owned());
            }
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

    fn answered(&mut self, id: &Value, answer: Result<&Value, &Value>, out: &mut SeatOutput) {
        let at = self.calls.iter().position(|(known, _)| id.as_u64() == Some(*known));
        let Some((_, call)) = at.map(|at| self.calls.swap_remove(at)) else {
            out.skipped += 1;
            return;
        };
        let result = match answer {
            Ok(result) => result,
            Err(error) => return self.refused(call, error, out),
        };
        match call {
            Call::Initialize => self.initialized(result, out),
            Call::NewSession => {
                match result.get("sessionId").and_then(Value::as_str) {
                    Some(session) => self.session = Some(session.to_owned()),
                    None => return self.broken("it opened a session without an id", out),
                }
                self.cost_base = Some(0.0);
                self.opened(result, out);
            }
            Call::ForkSession => {
                match result.get("sessionId").and_then(Value::as_str) {
                    Some(session) => self.session = Some(session.to_owned()),
                    None => return self.broken("it forked a session without an id", out),
                }
                self.opened(result, out);
            }
            Call::LoadSession => {
                self.session.clone_from(&self.seat.resume);
                self.opened(result, out);
            }
            Call::SetModel => {
                self.model.clone_from(&self.seat.model);
                self.settle(out);
            }
            Call::Prompt(turn) => self.prompt_done(turn, result, out),
        }
    }

    fn prompt_done(&mut self, turn: u32, result: &Value, out: &mut SeatOutput) {
        if turn != self.turn_no {
            return;
        }
        let Some(mut state) = self.turn.take() else { return };
        self.asks.drop_all(out);
        if let Some(usage) = state.final_usage(result) {
            out.events.push(TurnEvent::Usage(usage));
        }
        self.cost_base = state.session_cost.or(self.cost_base);
        let reason = match result.get("stopReason").and_then(Value::as_str) {
            Some("cancelled") => StopReason::Cancelled,
            Some("max_tokens" | "max_turn_requests") => StopReason::MaxTokens,
            Some("refusal") => StopReason::Refused,
            Some("end_turn") | None if !state.cancelled => StopReason::Completed,
            _ if state.cancelled => StopReason::Cancelled,
            _ => {
                out.skipped += 1;
                StopReason::Completed
            }
        };
        state.close_tools(reason == StopReason::Cancelled, out);
        out.events.push(TurnEvent::Finished(reason));
    }

    fn refused(&mut self, call: Call, error: &Value, out: &mut SeatOutput) {
        let told = failure::of_error(&self.info, error);
        match call {
            Call::Prompt(turn) if turn != self.turn_no => {}
            Call::Prompt(_) => {
                if self.turn.as_ref().is_some_and(|turn| turn.cancelled) {
                    self.end_cancelled(out);
                } else {
                    self.fail_turn(told, out);
                }
            }
            Call::LoadSession | Call::ForkSession if told.kind != FailureKind::NotLoggedIn => {
                self.fail(self.failure(FailureKind::SessionLost, &told.message), out);
            }
            Call::SetModel if told.kind != FailureKind::NotLoggedIn => {
                let model = self.seat.model.clone().unwrap_or_default();
                let message = format!("The model `{model}` was not taken: {}", told.message);
                self.fail(self.failure(FailureKind::ModelUnknown, &message), out);
            }
            Call::Initialize | Call::NewSession | Call::LoadSession | Call::ForkSession | Call::SetModel => {
                self.fail(told, out);
            }
        }
    }

    /// The turn failed, the seat lives on.
    fn fail_turn(&mut self, failure: TurnFailure, out: &mut SeatOutput) {
        self.asks.drop_all(out);
        if let Some(mut turn) = self.turn.take() {
            turn.close_tools(true, out);
            self.cost_base = turn.session_cost.or(self.cost_base);
            out.events.push(TurnEvent::Failed(failure));
        }
        self.waiting = None;
    }

    /// The turn failed and the seat cannot be used again.
    fn fail(&mut self, failure: TurnFailure, out: &mut SeatOutput) {
        self.fail_turn(failure, out);
        out.retire = true;
    }

    fn failure(&self, kind: FailureKind, message: &str) -> TurnFailure {
        failures::failure(&self.info, kind, message)
    }

    fn broken(&mut self, why: &str, out: &mut SeatOutput) {
        let message = format!("{} was not understood: {why}.", self.info.name);
        self.fail(self.failure(FailureKind::Protocol, &message), out);
    }

    fn end_cancelled(&mut self, out: &mut SeatOutput) {
        self.asks.drop_all(out);
        self.waiting = None;
        if let Some(mut turn) = self.turn.take() {
            turn.close_tools(true, out);
            out.events.push(TurnEvent::Finished(StopReason::Cancelled));
        }
    }

    fn cancel(&mut self, out: &mut SeatOutput) {
        let Some(turn) = &mut self.turn else { return };
        turn.cancelled = true;
        if self.waiting.is_some() {
            // Nothing was asked of the agent yet; the session goes on opening for the next turn.
            return self.end_cancelled(out);
        }
        self.asks.cancel_all(out);
        let params = json!({"sessionId": self.session});
        out.lines.push(wire::rpc_notification("session/cancel", &params));
    }

    fn exited(&mut self, exit: &SeatExit, out: &mut SeatOutput) {
        out.retire = true;
        if let Some(text) = self.reader.close() {
            self.heard_noise(text, out);
        }
        if self.turn.as_ref().is_some_and(|turn| turn.cancelled) {
            self.end_cancelled(out);
        } else {
            let noise: Vec<&str> = self.noise.iter().map(String::as_str).collect();
            let gone = Gone {
                command: &command_of(&self.info, &self.seat),
                version: self.seat.version.as_deref(),
                exit,
                noise: &noise.join("\n"),
                spoke: self.spoke,
            };
            self.fail_turn(failures::gone(&self.info, gone), out);
        }
    }
}

/// The program's name, for messages; the runner adds the whole command.
fn command_of(info: &EngineInfo, seat: &SeatSpec) -> String {
    match &seat.program {
        Some(program) => program.display().to_string(),
        None => info.programs.first().cloned().unwrap_or_default(),
    }
}

impl Dialect for AcpDialect {
    fn input(&mut self, input: SeatInput<'_>, out: &mut SeatOutput) {
        match input {
            SeatInput::Begin(request) => self.begin(request, out),
            SeatInput::Line(line) => self.line(line, out),
            SeatInput::LineTooLong { bytes } => {
                out.skipped += 1;
                if self.turn.is_some() {
                    let text = format!("A line of {bytes} bytes was too large and was left out.");
                    out.events.push(TurnEvent::Notice { level: NoticeLevel::Error, text });
                }
            }
            SeatInput::Answer { ask, decision } => self.permission_answered(ask, decision, out),
            SeatInput::Cancel => self.cancel(out),
            SeatInput::Exited(exit) => self.exited(exit, out),
            SeatInput::Deadline(TimerId(id)) => {
                if self.stage == Stage::Replaying && id == self.quiet {
                    self.ready(out);
                }
            }
            SeatInput::HttpStatus { .. } | SeatInput::HttpFailed { .. } | SeatInput::HttpEnd => {}
        }
    }
}

#[cfg(test)]
mod tests;
