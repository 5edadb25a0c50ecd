//! Stand-ins for agent programs: shell scripts that speak just enough of a protocol.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;
use tunaflow::api::command::SettingsCommand;
use tunaflow::api::snapshot::ConversationView;
use tunaflow::model::message::{ItemBody, NoticeLevel};
use tunaflow::model::settings::Settings;
use tunaflow::model::turn::{TurnFailure, TurnState};

use crate::real::processes::{self, Process};
use crate::support::app::{TestApp, last};

/// Notes how it was started in `$HOME/log`, then calls `turn` for each message. `$turn` is its number in this
/// process, `$session` its session, `$resumed` the same if it was taken up.
const CLAUDE: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then echo '2.1.332 (Claude Code)'; exit 0; fi
log=$HOME/log
for word in "$@"; do printf '%s\n' "$word" >> "$log/args"; done
while [ $# -gt 0 ]; do
  case "$1" in
    --session-id) session=$2; shift ;;
    --resume) session=$2; resumed=$2; shift ;;
    --append-system-prompt-file) system=$2; shift ;;
  esac
  shift
done
printf '%s|%s|%s|%s\n' "$0" "$session" "$resumed" "$(pwd)" >> "$log/starts"
if [ -n "$system" ]; then cat "$system" >> "$log/system"; fi
init() { printf '{"type":"system","subtype":"init","session_id":"%s","model":"fake"}\n' "$session"; }
message_start() { printf '{"type":"stream_event","event":{"type":"message_start","message":{"id":"%s"}}}\n' "$1"; }
delta() { printf '{"type":"stream_event","event":{"type":"content_block_delta","index":%s,"delta":{"type":"text_delta","text":"%s"}}}\n' "$1" "$2"; }
text() { printf '{"type":"assistant","message":{"id":"%s","content":[{"type":"text","text":"%s"}]}}\n' "$1" "$2"; }
result() { printf '{"type":"result","subtype":"success","is_error":false,"result":"","session_id":"%s"}\n' "$session"; }
failed() { printf '{"type":"result","subtype":"success","is_error":true,"api_error_status":%s,"result":"%s"}\n' "$1" "$2"; }
answer() { init; text "m$$-$turn" "$1"; result; }
"#;

const LOOP: &str = r#"
turn=0
while IFS= read -r line; do
  case "$line" in
    *'"type":"user"'*) turn=$((turn + 1)); printf '%s\n' "$line" >> "$log/heard"; turn ;;
  esac
done
"#;

/// A Claude Code whose turns are this: shell commands that may use `init`, `text`, `delta`, `result`, `answer` …
pub fn claude(turn: &str) -> String {
    format!("{CLAUDE}turn() {{\n{turn}\n}}\n{LOOP}")
}

/// The same with commands before its first word, e.g. to refuse a session or to ignore signals.
pub fn claude_after(start: &str, turn: &str) -> String {
    format!("{CLAUDE}{start}\nturn() {{\n{turn}\n}}\n{LOOP}")
}

/// A Gemini CLI, which speaks ACP; `says TEXT` is a piece of the answer.
pub fn gemini(turn: &str) -> String {
    let head = r#"#!/bin/sh
if [ "$1" = --version ]; then echo 0.61.0; exit 0; fi
log=$HOME/log
printf '%s|||%s\n' "$0" "$(pwd)" >> "$log/starts"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
says() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$1"; }
"#;
    let tail = r#"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) reply '{"protocolVersion":1,"agentCapabilities":{"loadSession":false}}' ;;
    *'"method":"session/new"'*) printf '%s\n' "$line" >> "$log/heard"; reply '{"sessionId":"s-1"}' ;;
    *'"method":"session/prompt"'*) turn ;;
  esac
done
"#;
    format!("{head}turn() {{\n{turn}\n}}\n{tail}")
}

/// Writes a program that can be started.
pub fn program(path: &Path, script: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, script).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A fresh home as it is behind a desktop's icon: a bare PATH, nothing of a terminal.
pub struct Home {
    pub folder: Arc<TempDir>,
    env: Vec<(OsString, OsString)>,
}

impl Home {
    pub fn new() -> Self {
        let folder = Arc::new(TempDir::new().unwrap());
        std::fs::create_dir(folder.path().join("log")).unwrap();
        let mut home = Self { folder, env: Vec::new() };
        let path = home.folder.path().display().to_string();
        home.set("HOME", &path).set("PATH", "/usr/bin:/bin").set("LANG", "C.UTF-8");
        home
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub fn set(&mut self, name: &str, value: &str) -> &mut Self {
        self.env.push((name.into(), value.into()));
        self
    }

    pub fn env(&self) -> Vec<(OsString, OsString)> {
        self.env.clone()
    }

    pub fn app(&self) -> TestApp {
        TestApp::in_home(self.folder.clone(), self.env())
    }
}

/// An app over a home whose `~/.local/bin` holds this program and nothing else does.
pub fn app_with(name: &str, script: &str) -> TestApp {
    let home = Home::new();
    program(&home.path(".local/bin").join(name), script);
    home.app()
}

/// An app whose Claude Code has these turns.
pub fn app_with_claude(turn: &str) -> TestApp {
    app_with("claude", &claude(turn))
}

/// Changes settings and waits until they are taken.
pub fn change_settings(app: &TestApp, change: impl FnOnce(&mut Settings)) {
    let mut settings = (*app.snapshot().settings).clone();
    change(&mut settings);
    app.send(SettingsCommand::Set(Box::new(settings.clone())));
    app.until("the settings are taken", |s| *s.settings == settings);
}

/// No process outlives its turn.
pub fn keep_nothing_warm(app: &TestApp) {
    change_settings(app, |settings| settings.warm_seats_max = 0);
}

fn log(app: &TestApp, name: &str) -> String {
    std::fs::read_to_string(app.home().join("log").join(name)).unwrap_or_default()
}

/// One start of the stand-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    pub program: String,
    pub session: String,
    pub resumed: String,
    pub folder: String,
}

pub fn starts(app: &TestApp) -> Vec<Start> {
    let start = |line: &str| {
        let words: Vec<&str> = line.split('|').collect();
        let [program, session, resumed, folder] = words[..] else { panic!("{line}") };
        let word = str::to_owned;
        Start { program: word(program), session: word(session), resumed: word(resumed), folder: word(folder) }
    };
    log(app, "starts").lines().map(start).collect()
}

/// Every argument of every start.
pub fn arguments(app: &TestApp) -> Vec<String> {
    log(app, "args").lines().map(str::to_owned).collect()
}

/// The text of every system prompt file, one after the other.
pub fn system_text(app: &TestApp) -> String {
    log(app, "system")
}

/// What Claude Code's stand-in read as the user's messages.
pub fn heard(app: &TestApp) -> Vec<String> {
    let text = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        line.pointer("/message/content/0/text").and_then(Value::as_str).unwrap().to_owned()
    };
    log(app, "heard").lines().map(text).collect()
}

/// Text of the newest answer, whose turn must be done.
pub fn answered(view: &ConversationView) -> String {
    let turn = view.turn.as_ref().unwrap();
    assert_eq!(turn.state, TurnState::Done, "{:?}", turn.failure);
    last(view).plain_text()
}

/// Why the newest turn failed.
pub fn failure(view: &ConversationView) -> TurnFailure {
    let turn = view.turn.as_ref().unwrap();
    assert_eq!(turn.state, TurnState::Failed, "{:?}", last(view).items);
    turn.failure.clone().unwrap()
}

/// The notices of the newest answer.
pub fn notices(view: &ConversationView) -> Vec<(NoticeLevel, String)> {
    let notice = |body: &ItemBody| match body {
        ItemBody::Notice { level, text } => Some((*level, text.clone())),
        _ => None,
    };
    last(view).items.iter().filter_map(|item| notice(&item.body)).collect()
}

/// Everything that was started in this home and still runs.
pub fn running(home: &Path) -> Vec<Process> {
    processes::of_home(home)
}
