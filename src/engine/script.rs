//! `script:<file>`: replays a written answer, for tests and for trying things without any agent.
//!
//! The file holds one JSON object a line; each line is one step. Empty lines and lines that begin with `#`
//! are skipped. A line `{"turn":true}` begins the answer to the next request; the last answer is given to
//! every further request. `{"turn":"word"}` begins an answer for requests whose text holds that word; such
//! answers go first and may be given any number of times. The steps:
//!
//! | step | what happens |
//! |---|---|
//! | `{"text":"…"}`, `{"thinking":"…"}` | more text of the open item, or a new one |
//! | `{"stream":{"text":"…","chunk_chars":4,"every_ms":0,"times":1}}` | the text in pieces |
//! | `{"close":true}` | the next text begins a new item |
//! | `{"withdraw":true}`, `{"replace":"…"}` | takes the open text back, or gives its whole text |
//! | `{"echo":true}` | says the request's text, exactly |
//! | `{"delay_ms":5}` | waits; 0 is allowed |
//! | `{"tool":{"name":"Bash","kind":"run","title":"ls","input":"ls","output":"a","state":"done","exit_code":0,"changed_files":[],"diff":"…","run_ms":0}}` | a tool call from its start to its end |
//! | `{"plan":[{"text":"…","state":"pending"}]}` | the plan as it stands |
//! | `{"ask":{"tool":"Bash","action":"run","command":"ls","diff":"…","paths":[],"reason":"…","on_allow":"…","on_deny":"…"}}` | asks and waits; then says one of the texts, and after a refusal its comment |
//! | `{"session":"id"}`, `{"model":"name"}` | what the engine tells of itself (first in an answer) |
//! | `{"session_lost":true}` | fails if an earlier session was to be taken up |
//! | `{"fork_lost":true}` | fails if another session was to be forked |
//! | `{"tell_fork":true}` | says which session was forked, and where |
//! | `{"usage":{"input_tokens":1,"cached_input_tokens":2,"output_tokens":3,"reasoning_tokens":4,"cost_usd":0.1,"window_tokens":5,"window_used_tokens":6}}` | totals |
//! | `{"limit":{"kind":"5 h","used_percent":97.5,"resets_at_ms":0,"reached":false}}` | a limit |
//! | `{"notice":{"level":"warn","text":"…"}}`, `{"phase":"…"}`, `{"models":["…"]}` | as they say |
//! | `{"fail":{"kind":"rate_limited","message":"…","hint":"…","detail":"…","resets_at_ms":0}}` | the turn fails |
//! | `{"crash":{"code":3,"stderr":"…"}}` | fails as a program that ended, and the seat is given up |
//! | `{"hang":true}`, `{"hang":"deaf"}` | silence until stopped; a deaf one does not even hear that |
//! | `{"finish":"completed"}` | ends early: `completed`, `max_tokens`, `refused`, `cancelled` |

use std::sync::Arc;
use std::time::Duration;

mod format;

use format::{Line, Question, Section, Stream, Tool, parse};

use crate::engine::player::{Ask, Player, Step};
use crate::engine::{Dialect, Engine, Launch, SeatInput, SeatOutput};
use crate::model::engine::{EngineCaps, EngineId, EngineInfo, EngineLook, ForkCap, PermissionCap};
use crate::model::message::{ItemBody, ToolCall, ToolState};
use crate::model::turn::{FailureKind, PermissionRequest, SeatSpec, TurnEvent, TurnFailure, TurnRequest};

#[derive(Debug)]
struct Script {
    info: EngineInfo,
    script: Result<Arc<[Section]>, String>,
}

/// The engine `script:<path>` with the file's `content`; a bad line shows when a turn is started.
pub fn engine(path: &str, content: &str) -> Arc<dyn Engine> {
    build(path, parse(content).map(Arc::from))
}

/// As [`engine`] for a file that could not be read: it says so when a turn is started.
pub fn unreadable(path: &str, why: &str) -> Arc<dyn Engine> {
    build(path, Err(why.to_owned()))
}

fn build(path: &str, script: Result<Arc<[Section]>, String>) -> Arc<dyn Engine> {
    let info = EngineInfo {
        id: EngineId::new(format!("script:{path}")),
        name: "Script".to_owned(),
        look: EngineLook::Demo,
        caps: EngineCaps {
            stream: true,
            tools: true,
            permissions: PermissionCap::Asks,
            resume: true,
            fork: ForkCap::AtTurn,
            system_apart: false,
            images: false,
            usage: true,
            cost: true,
            mcp: false,
            warm: true,
        },
        programs: Vec::new(),
        home_dirs: Vec::new(),
        models: Vec::new(),
        key_variables: Vec::new(),
        install_hint: String::new(),
        login_hint: String::new(),
        resume_command: String::new(),
    };
    Arc::new(Script { info, script })
}

impl Engine for Script {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    fn launch(&self, _seat: &SeatSpec) -> Result<Launch, TurnFailure> {
        match &self.script {
            Ok(_) => Ok(Launch::Builtin),
            Err(why) => Err(TurnFailure {
                kind: FailureKind::Protocol,
                message: format!("The script cannot be read: {why}"),
                hint: "Correct the script and try again.".to_owned(),
                detail: self.info.id.to_string(),
                resets_at_ms: None,
            }),
        }
    }

    fn dialect(&self, seat: &SeatSpec) -> Box<dyn Dialect> {
        let sections = self.script.as_ref().map(Arc::clone).unwrap_or_default();
        Box::new(ScriptDialect { sections, turns: 0, seat: seat.clone(), player: Player::default() })
    }
}

#[derive(Debug)]
struct ScriptDialect {
    sections: Arc<[Section]>,
    /// Requests answered by their number so far.
    turns: usize,
    seat: SeatSpec,
    player: Player,
}

impl Dialect for ScriptDialect {
    fn input(&mut self, input: SeatInput<'_>, out: &mut SeatOutput) {
        match input {
            SeatInput::Begin(request) => {
                let steps = self.steps(request);
                self.player.play(steps, out);
            }
            other => self.player.input(&other, out),
        }
    }
}

impl ScriptDialect {
    fn section(&mut self, text: &str) -> &[Line] {
        let by_word =
            |section: &&Section| section.word.as_ref().is_some_and(|word| text.contains(word.as_str()));
        if let Some(section) = self.sections.iter().find(by_word) {
            return &section.lines;
        }
        let plain: Vec<&Section> = self.sections.iter().filter(|section| section.word.is_none()).collect();
        let at = self.turns.min(plain.len().saturating_sub(1));
        self.turns += 1;
        plain.get(at).map(|section| section.lines.as_slice()).unwrap_or_default()
    }

    fn steps(&mut self, request: &TurnRequest) -> Vec<Step> {
        let seat = self.seat.clone();
        // A fork is made once.
        self.seat.fork = None;
        let mut session = seat.resume.clone().unwrap_or_else(|| seat.new_session_id.clone());
        let mut model = seat.model.clone();
        let lines = self.section(&request.text);
        let told = lines.iter().take_while(|line| matches!(line, Line::Session(_) | Line::Model(_)));
        for line in told {
            match line {
                Line::Session(id) => session.clone_from(id),
                Line::Model(name) => model = Some(name.clone()),
                _ => {}
            }
        }
        let mut steps = Vec::new();
        let lost = lines.iter().any(|line| matches!(line, Line::SessionLost(true))) && seat.resume.is_some();
        if lost {
            return vec![Step::Crash(failure(
                FailureKind::SessionLost,
                "The script does not know the session.",
            ))];
        }
        let fork_lost = lines.iter().any(|line| matches!(line, Line::ForkLost(true))) && seat.fork.is_some();
        if fork_lost {
            let told = failure(FailureKind::SessionLost, "The script cannot fork the session.");
            return vec![Step::Crash(told)];
        }
        let point = format!("{session}#{}", request.turn.0);
        steps.push(Step::Event(TurnEvent::Started { session: Some(session), model }));
        for (at, line) in lines.iter().enumerate() {
            expand(line, at, request, &seat, &mut steps);
        }
        steps.push(Step::Event(TurnEvent::ForkPoint(point)));
        steps
    }
}

fn failure(kind: FailureKind, message: &str) -> TurnFailure {
    TurnFailure {
        kind,
        message: message.to_owned(),
        hint: "This answer comes from a script.".to_owned(),
        detail: String::new(),
        resets_at_ms: None,
    }
}

/// One line of the script as steps of the player.
fn expand(line: &Line, at: usize, request: &TurnRequest, seat: &SeatSpec, steps: &mut Vec<Step>) {
    let step = match line {
        Line::Text(text) => Step::Text(text.clone()),
        Line::Thinking(text) => Step::Thinking(text.clone()),
        Line::Stream(stream) => return expand_stream(stream, steps),
        Line::Close(_) => Step::Close,
        Line::Withdraw(_) => Step::Withdraw,
        Line::Replace(text) => Step::Replace(text.clone()),
        Line::Echo(true) => Step::Text(request.text.clone()),
        Line::DelayMs(ms) => Step::Wait(Duration::from_millis(*ms)),
        Line::Tool(tool) => return expand_tool(tool, at, steps),
        Line::Plan(entries) => {
            let body = ItemBody::Plan { entries: entries.clone() };
            let key = "plan".to_owned();
            let known = steps.iter().any(|step| {
                matches!(step, Step::Event(TurnEvent::ItemStarted { body: ItemBody::Plan { .. }, .. }))
            });
            Step::Event(if known {
                TurnEvent::ItemReplaced { key, body }
            } else {
                TurnEvent::ItemStarted { key, body }
            })
        }
        Line::Ask(question) => expand_question(question, at, seat),
        Line::Usage(usage) => Step::Event(TurnEvent::Usage(usage.clone())),
        Line::Limit(limit) => Step::Event(TurnEvent::Limit(limit.clone())),
        Line::Notice(notice) => {
            Step::Event(TurnEvent::Notice { level: notice.level, text: notice.text.clone() })
        }
        Line::Phase(text) => Step::Event(TurnEvent::Phase(text.clone())),
        Line::Models(models) => Step::Event(TurnEvent::Models(models.clone())),
        Line::Fail(told) => {
            let mut told_failure = failure(told.kind, &told.message);
            if !told.hint.is_empty() {
                told_failure.hint.clone_from(&told.hint);
            }
            told_failure.detail.clone_from(&told.detail);
            told_failure.resets_at_ms = told.resets_at_ms;
            Step::Fail(told_failure)
        }
        Line::Crash(crash) => {
            let mut crashed =
                failure(FailureKind::Crashed, &format!("The script ended with exit code {}.", crash.code));
            crashed.detail.clone_from(&crash.stderr);
            Step::Crash(crashed)
        }
        Line::Hang(how) => Step::Hang { deaf: how == "deaf" },
        Line::Finish(reason) => Step::Finish(*reason),
        Line::TellFork(true) => Step::Text(match &seat.fork {
            Some(fork) => {
                format!("fork of {} at {}\n", fork.session, fork.point.as_deref().unwrap_or("its end"))
            }
            None => "no fork\n".to_owned(),
        }),
        Line::Echo(false)
        | Line::TellFork(false)
        | Line::Turn(_)
        | Line::Session(_)
        | Line::Model(_)
        | Line::SessionLost(_)
        | Line::ForkLost(_) => return,
    };
    steps.push(step);
}

fn expand_stream(stream: &Stream, steps: &mut Vec<Step>) {
    let chars: Vec<char> = stream.text.chars().collect();
    for _ in 0..stream.times {
        for piece in chars.chunks(stream.chunk_chars.max(1)) {
            steps.push(Step::Text(piece.iter().collect()));
            steps.push(Step::Wait(Duration::from_millis(stream.every_ms)));
        }
    }
}

fn expand_tool(tool: &Tool, at: usize, steps: &mut Vec<Step>) {
    let key = tool.key.clone().unwrap_or_else(|| format!("tool-{at}"));
    let begun = ToolCall {
        name: tool.name.clone(),
        kind: tool.kind,
        title: if tool.title.is_empty() { tool.name.clone() } else { tool.title.clone() },
        input: tool.input.clone(),
        state: ToolState::Running,
        ..ToolCall::default()
    };
    let ended = ToolCall {
        state: tool.state.unwrap_or(ToolState::Done),
        output: tool.output.clone(),
        exit_code: tool.exit_code,
        changed_files: tool.changed_files.clone(),
        diff: tool.diff.clone(),
        duration_ms: tool.run_ms.and_then(|ms| i64::try_from(ms).ok()),
        ..begun.clone()
    };
    steps.push(Step::Tool { key: key.clone(), call: begun });
    if let Some(ms) = tool.run_ms {
        steps.push(Step::Wait(Duration::from_millis(ms)));
    }
    steps.push(Step::Tool { key, call: ended });
}

fn expand_question(question: &Question, at: usize, seat: &SeatSpec) -> Step {
    let allowed = vec![Step::Text(question.on_allow.clone())];
    // The user chose not to be asked.
    if seat.skip_permissions {
        return Step::Text(question.on_allow.clone());
    }
    let request = PermissionRequest {
        ask: format!("ask-{at}"),
        tool: question.tool.clone(),
        action: question.action,
        command: question.command.clone(),
        diff: question.diff.clone(),
        paths: question.paths.clone(),
        folder: question.folder.clone().or_else(|| Some(seat.cwd.to_string_lossy().into_owned())),
        reason: question.reason.clone(),
        item_key: None,
    };
    let denied = vec![Step::Text(question.on_deny.clone())];
    Step::Ask(Box::new(Ask { request, allowed, denied, say_comment: true }))
}

#[cfg(test)]
mod tests;
