//! The Agent Client Protocol (version 1) as one dialect for every agent that speaks it.
//!
//! Never here: what one agent does differently; that is an [`AcpProfile`] in the agent's own file.
//! Start reading at [`AcpDialect::line`], then `updates` (what the agent says), `permission`, `failure`.

mod failure;
mod permission;
mod tools;
mod updates;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::engine::failure::{self as failures, Gone};
use crate::engine::wire::{self, Rpc};
use crate::engine::{Dialect, Engine, Launch, SeatExit, SeatInput, SeatOutput, TimerId};
use crate::model::engine::{EngineCaps, EngineId, EngineInfo, EngineLook, PermissionCap};
use crate::model::message::NoticeLevel;
use crate::model::settings::AcpAgent;
use crate::model::turn::{FailureKind, SeatSpec, StopReason, TurnEvent, TurnFailure, TurnRequest};

use permission::Asks;
use updates::Turn;

/// The protocol version spoken here.
const PROTOCOL_VERSION: i64 = 1;
/// After a resumed session a replay counts as over when nothing came for so long.
const REPLAY_QUIET: Duration = Duration::from_millis(300);

/// What one agent does its own way.
#[derive(Clone, Copy, Debug)]
pub struct AcpProfile {
    /// May a session be loaded in a new process?
    pub resume: AcpResume,
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

/// Any other agent: command and arguments come from the settings.
#[derive(Debug)]
struct AcpEngine {
    info: EngineInfo,
    args: Vec<String>,
}

/// The engine for an agent that the user set up; its id is `acp:<name>`.
pub fn agent(agent: &AcpAgent) -> Arc<dyn Engine> {
    let info = EngineInfo {
        id: EngineId::new(format!("acp:{}", agent.name)),
        name: agent.name.clone(),
        look: EngineLook::Local,
        caps: caps(true),
        programs: vec![agent.command.clone()],
        home_dirs: Vec::new(),
        models: Vec::new(),
        key_variables: Vec::new(),
        install_hint: format!("Install `{}`, or correct its command in the settings.", agent.command),
        login_hint: "Log in with the agent's own program in a terminal.".to_owned(),
        resume_command: String::new(),
    };
    Arc::new(AcpEngine { info, args: agent.args.clone() })
}

/// What every agent behind this protocol can do; `resume` differs.
pub fn caps(resume: bool) -> EngineCaps {
    EngineCaps {
        stream: true,
        tools: true,
        permissions: PermissionCap::Asks,
        resume,
        fork: false,
        system_apart: false,
        images: false,
        usage: true,
        cost: false,
        mcp: false,
        warm: true,
    }
}

impl Engine for AcpEngine {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    fn launch(&self, _seat: &SeatSpec) -> Result<Launch, TurnFailure> {
        Ok(Launch::Process { args: self.args.clone(), env: Vec::new() })
    }

    fn dialect(&self, seat: &SeatSpec) -> Box<dyn Dialect> {
        let profile = AcpProfile {
            resume: AcpResume::LoadIfOffered,
            model_by_launch: false,
            tool_name_of_id: no_tool_name,
        };
        Box::new(AcpDialect::new(self.info.clone(), profile, seat))
    }
}

/// What a request of ours was for; its answer is found by this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Initialize,
    NewSession,
    LoadSession,
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
    /// The last thing it said outside of it.
    noise: String,
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
            noise: String::new(),
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
        let params = json!({"sessionId": self.session, "prompt": [{"type": "text", "text": text}]});
        self.call(Call::Prompt(self.turn_no), "session/prompt", &params, out);
    }

    fn say_started(&self, out: &mut SeatOutput) {
        out.events.push(TurnEvent::Started { session: self.session.clone(), model: self.model.clone() });
    }

    /// One line of the agent: an answer, a request or a notification.
    fn line(&mut self, line: &str, out: &mut SeatOutput) {
        let Some(message) = wire::parse_object(line) else {
            if !line.trim().is_empty() {
                self.noise = wire::one_line(line);
                out.log.push(line.to_owned());
            }
            return;
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

    fn initialized(&mut self, result: &Value, out: &mut SeatOutput) {
        match result.get("protocolVersion").and_then(Value::as_i64) {
            Some(PROTOCOL_VERSION) => {}
            told => {
                let told = told.map_or_else(|| "none".to_owned(), |version| version.to_string());
                return self.broken(&format!("it speaks protocol version {told}, not {PROTOCOL_VERSION}"), out);
            }
        }
        self.can_load = result["agentCapabilities"]["loadSession"].as_bool() == Some(true);
        let cwd = self.seat.cwd.to_string_lossy().into_owned();
        let Some(session) = self.seat.resume.clone() else {
            return self.call(Call::NewSession, "session/new", &json!({"cwd": cwd, "mcpServers": []}), out);
        };
        if self.profile.resume == AcpResume::Never || !self.can_load {
            return self.fail(self.failure(FailureKind::SessionLost, "It cannot take up an earlier session."), out);
        }
        let params = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
        self.call(Call::LoadSession, "session/load", &params, out);
    }

    /// A session is open: learn its models, and set the wanted one.
    fn opened(&mut self, result: &Value, out: &mut SeatOutput) {
        let offer = ModelOffer::read(result);
        if !offer.models.is_empty() && self.turn.is_some() {
            out.events.push(TurnEvent::Models(offer.models.clone()));
        }
        self.model = offer.current.clone().or_else(|| self.seat.model.clone());
        let wanted = self.seat.model.clone().filter(|wanted| Some(wanted) != offer.current.as_ref());
        match (wanted, offer.by_option, self.profile.model_by_launch) {
            (None, _, _) => self.settle(out),
            (Some(_), _, true) => {
                self.model.clone_from(&self.seat.model);
                self.settle(out);
            }
            (Some(model), true, false) => {
                let params = json!({"sessionId": self.session, "configId": "model", "value": model});
                self.call(Call::SetModel, "session/set_config_option", &params, out);
            }
            (Some(model), false, false) if !offer.models.is_empty() => {
                let params = json!({"sessionId": self.session, "modelId": model});
                self.call(Call::SetModel, "session/set_model", &params, out);
            }
            (Some(model), false, false) => {
                let text = format!("This agent does not let its host choose a model; `{model}` was not set.");
                if self.turn.is_some() {
                    out.events.push(TurnEvent::Notice { level: NoticeLevel::Warn, text });
                }
                self.settle(out);
            }
        }
    }

    /// Everything is set; sends what waited, at once or when a late replay is over.
    fn settle(&mut self, out: &mut SeatOutput) {
        if self.seat.resume.is_some() && self.profile.resume == AcpResume::LoadIfOffered {
            self.stage = Stage::Replaying;
            self.wait_for_quiet(out);
        } else {
            self.ready(out);
        }
    }

    fn wait_for_quiet(&mut self, out: &mut SeatOutput) {
        self.quiet += 1;
        out.timers.push((TimerId(self.quiet), REPLAY_QUIET));
    }

    fn ready(&mut self, out: &mut SeatOutput) {
        self.stage = Stage::Ready;
        if let Some(text) = self.waiting.take() {
            self.say_started(out);
            self.prompt(&text, out);
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
            Call::LoadSession if told.kind != FailureKind::NotLoggedIn => {
                self.fail(self.failure(FailureKind::SessionLost, &told.message), out);
            }
            Call::SetModel if told.kind != FailureKind::NotLoggedIn => {
                let model = self.seat.model.clone().unwrap_or_default();
                let message = format!("The model `{model}` was not taken: {}", told.message);
                self.fail(self.failure(FailureKind::ModelUnknown, &message), out);
            }
            Call::Initialize | Call::NewSession | Call::LoadSession | Call::SetModel => self.fail(told, out),
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
        if self.turn.as_ref().is_some_and(|turn| turn.cancelled) {
            self.end_cancelled(out);
        } else {
            let gone = Gone {
                command: &command_of(&self.info, &self.seat),
                version: self.seat.version.as_deref(),
                exit,
                noise: &self.noise,
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

/// The models of a session, in either of the two shapes agents use.
struct ModelOffer {
    models: Vec<String>,
    current: Option<String>,
    /// Set by `session/set_config_option`, not by `session/set_model`.
    by_option: bool,
}

impl ModelOffer {
    fn read(result: &Value) -> Self {
        let list = |values: &Value, field: &str| -> Vec<String> {
            let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
            values.iter().filter_map(|value| value.get(field)?.as_str().map(str::to_owned)).collect()
        };
        let options = result.get("configOptions").and_then(Value::as_array);
        let option = options.and_then(|all| all.iter().find(|option| option["id"] == "model"));
        if let Some(option) = option {
            return Self {
                models: list(&option["options"], "value"),
                current: option["currentValue"].as_str().map(str::to_owned),
                by_option: true,
            };
        }
        let models = &result["models"];
        Self {
            models: list(&models["availableModels"], "modelId"),
            current: models["currentModelId"].as_str().map(str::to_owned),
            by_option: false,
        }
    }
}

#[cfg(test)]
mod tests;
