//! The lines of a script as they are written, and reading them.

use serde::Deserialize;
use serde_json::Value;

use crate::model::message::{NoticeLevel, PlanEntry, ToolKind, ToolState};
use crate::model::turn::{FailureKind, LimitInfo, PermissionAction, StopReason, Usage};

/// The steps of one answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Section {
    /// Only for requests that hold this word.
    pub(super) word: Option<String>,
    pub(super) lines: Vec<Line>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Line {
    Turn(Value),
    Text(String),
    Thinking(String),
    Stream(Stream),
    Close(bool),
    Withdraw(bool),
    Replace(String),
    Echo(bool),
    DelayMs(u64),
    Tool(Box<Tool>),
    Plan(Vec<PlanEntry>),
    Ask(Box<Question>),
    Session(String),
    Model(String),
    SessionLost(bool),
    ForkLost(bool),
    TellFork(bool),
    Usage(Usage),
    Limit(LimitInfo),
    Notice(Notice),
    Phase(String),
    Models(Vec<String>),
    Fail(Failure),
    Crash(Crash),
    Hang(Value),
    Finish(StopReason),
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Stream {
    pub(super) text: String,
    #[serde(default = "four")]
    pub(super) chunk_chars: usize,
    #[serde(default)]
    pub(super) every_ms: u64,
    #[serde(default = "one")]
    pub(super) times: u32,
}

fn four() -> usize {
    4
}

fn one() -> u32 {
    1
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    pub(super) name: String,
    #[serde(default)]
    pub(super) key: Option<String>,
    #[serde(default)]
    pub(super) kind: ToolKind,
    #[serde(default)]
    pub(super) title: String,
    #[serde(default)]
    pub(super) input: String,
    #[serde(default)]
    pub(super) output: String,
    #[serde(default)]
    pub(super) state: Option<ToolState>,
    #[serde(default)]
    pub(super) exit_code: Option<i32>,
    #[serde(default)]
    pub(super) changed_files: Vec<String>,
    #[serde(default)]
    pub(super) diff: Option<String>,
    #[serde(default)]
    pub(super) run_ms: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    pub(super) tool: String,
    #[serde(default)]
    pub(super) action: PermissionAction,
    #[serde(default)]
    pub(super) command: Option<String>,
    #[serde(default)]
    pub(super) diff: Option<String>,
    #[serde(default)]
    pub(super) paths: Vec<String>,
    #[serde(default)]
    pub(super) folder: Option<String>,
    #[serde(default)]
    pub(super) reason: Option<String>,
    #[serde(default = "allowed")]
    pub(super) on_allow: String,
    #[serde(default = "denied")]
    pub(super) on_deny: String,
}

fn allowed() -> String {
    "allowed\n".to_owned()
}

fn denied() -> String {
    "denied\n".to_owned()
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Notice {
    pub(super) level: NoticeLevel,
    pub(super) text: String,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) hint: String,
    #[serde(default)]
    pub(super) detail: String,
    #[serde(default)]
    pub(super) resets_at_ms: Option<i64>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Crash {
    #[serde(default)]
    pub(super) code: i32,
    #[serde(default)]
    pub(super) stderr: String,
}

/// Reads a whole script; the error names the line.
pub(super) fn parse(content: &str) -> Result<Vec<Section>, String> {
    let mut sections = vec![Section::default()];
    for (at, text) in content.trim_start_matches('\u{feff}').lines().enumerate() {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let line: Line = serde_json::from_str(text).map_err(|error| format!("line {}: {error}", at + 1))?;
        match line {
            Line::Turn(Value::Bool(true)) => sections.push(Section::default()),
            Line::Turn(Value::String(word)) => sections.push(Section { word: Some(word), lines: Vec::new() }),
            Line::Turn(other) => {
                return Err(format!("line {}: a turn is true or a word, not {other}", at + 1));
            }
            Line::Hang(how) if how != Value::Bool(true) && how != "deaf" => {
                return Err(format!("line {}: hang is true or \"deaf\", not {how}", at + 1));
            }
            line => {
                if let Some(section) = sections.last_mut() {
                    section.lines.push(line);
                }
            }
        }
    }
    // A file that begins with a turn line has no answer in front of it.
    if sections.len() > 1 && sections.first().is_some_and(|first| first.lines.is_empty()) {
        sections.remove(0);
    }
    Ok(sections)
}
