//! The real command lines, driven by our own runtime: command in, snapshot out, against the model server.
//!
//! `TUNAFLOW_TEST_CLIS` names a prefix whose `bin/` holds them (`.ci/install-engines.sh PREFIX` makes one).
//! Without it every test says that it is skipped; `TUNAFLOW_REQUIRE_CLIS=1` makes that a failure.
//!
//! The files go by theme and hold one test per engine, so that a test runner with two threads works on two
//! engines at a time. One test shares one start of a program between many checks: a start costs up to 20 s.
//!
//! Never here: a login, a key that is one, an address but 127.0.0.1, this machine's environment.
//! Start reading at [`Bench`], then `talk`.

mod asks;
mod branch_points;
mod branches;
mod failures;
mod keys;
mod large;
pub mod processes;
mod sections;
mod stops;
mod summaries;
mod talk;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tunaflow::api::command::{ChatCommand, EngineCommand};
use tunaflow::api::snapshot::{AskRow, ConversationView};
use tunaflow::model::engine::{Billing, EngineId};
use tunaflow::model::id::ConversationId;
use tunaflow::model::message::{ItemBody, MessageState};
use tunaflow::model::pack::ContextPack;
use tunaflow::model::project::SeatChoice;
use tunaflow::model::turn::{Decision, TurnState};

use crate::support::app::{TestApp, last, seat};
use crate::support::clis::{self, Engine};
use crate::support::model_server::{ModelServer, Recorded};
use processes::Process;

/// For anything of a real program: a cold start on a busy machine alone takes 20 seconds.
const LIMIT: Duration = Duration::from_secs(120);
/// Variables that hold keys; each engine must get its own only, and only for metered billing.
const KEY_VARIABLES: [&str; 8] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "OPENAI_API_KEY",
    "CODEX_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
];
const DUMMY_KEY: &str = "dummy-key-of-a-test";

/// One engine, our app over it, and the model server behind it.
pub struct Bench {
    pub engine: Engine,
    pub app: TestApp,
    pub server: ModelServer,
}

impl Bench {
    /// Ready to be asked, with metered billing where the engine has a key of its own. `None` (and a word about
    /// it) where the command line is not installed.
    pub fn start(engine: Engine) -> Option<Self> {
        let bench = Self::with_subscription(engine)?;
        bench.bill_by_key();
        Some(bench)
    }

    /// The same, as it is before anybody set anything: the user's subscription pays, and there is no login.
    pub fn with_subscription(engine: Engine) -> Option<Self> {
        if !clis::is_installed(engine) {
            return None;
        }
        let server = ModelServer::start();
        let home = Arc::new(tempfile::tempdir().unwrap());
        let env = environment(engine, &home, &server.base_url());
        let app = TestApp::in_home(home, env).patient(LIMIT);
        Some(Self { engine, app, server })
    }

    pub fn bill_by_key(&self) {
        // OpenCode has its key in its own configuration, as it has for any provider a user sets up.
        if self.engine == Engine::OpenCode {
            return;
        }
        let engine = EngineId::new(self.engine.program());
        self.app.send(EngineCommand::SetBilling { engine: engine.clone(), billing: Billing::ApiKey });
        self.app.until("billing set", |s| {
            s.settings.engines.get(&engine).is_some_and(|set| set.billing == Billing::ApiKey)
        });
    }

    /// An empty conversation with this engine.
    pub fn conversation(&self) -> ConversationId {
        self.app.conversation_of(self.seat())
    }

    pub fn seat(&self) -> SeatChoice {
        let mut seat = seat(self.engine.program());
        if self.engine == Engine::Gemini {
            // Its own choice of a model would first ask a model.
            seat.model = Some("gemini-2.5-flash".to_owned());
        }
        seat
    }

    /// As [`Self::restart`], with something done to the folders while nobody uses them.
    pub fn restart_after(self, change: impl FnOnce(&Path)) -> Self {
        Self { engine: self.engine, app: self.app.restart_after(change), server: self.server }
    }

    /// Ends the app in order and starts it again over the same folders.
    pub fn restart(self) -> Self {
        Self { engine: self.engine, app: self.app.restart(), server: self.server }
    }

    /// Waits for a question of the agent.
    pub fn until_ask(&self, id: ConversationId) -> Arc<AskRow> {
        let snapshot = self.app.until("a question or an end", |s| {
            s.view(id).is_some_and(|view| {
                !view.asks.is_empty() || view.turn.as_ref().is_some_and(|turn| !turn.state.is_live())
            })
        });
        let view = snapshot.view(id).unwrap();
        let Some(ask) = view.asks.first() else {
            panic!("{:?} did not ask: {}\n{:?}", self.engine, shown(view), self.server_log())
        };
        assert_eq!(view.turn.as_ref().unwrap().state, TurnState::NeedsYou);
        ask.clone()
    }

    pub fn answer(&self, ask: &AskRow, decision: Decision) {
        self.app.send(ChatCommand::Answer { turn: ask.turn, ask: ask.request.ask.clone(), decision });
    }

    /// Sends, allows whatever is asked for, waits for the end.
    pub fn ask_allowing(&self, id: ConversationId, text: &str) -> Arc<ConversationView> {
        self.app.begin(id, text);
        loop {
            let snapshot = self.app.until("a question or an end", |s| {
                s.view(id).is_some_and(|view| {
                    !view.asks.is_empty() || view.turn.as_ref().is_some_and(|turn| !turn.state.is_live())
                })
            });
            let view = snapshot.view(id).unwrap();
            let Some(ask) = view.asks.first() else { return view.clone() };
            self.answer(ask, Decision::AllowOnce);
            self.app.until("the question is answered", |s| {
                s.view(id)
                    .is_some_and(|view| view.asks.iter().all(|open| open.request.ask != ask.request.ask))
            });
        }
    }

    /// Sends, waits for the end, and gives the whole answer, which must be a complete one.
    pub fn said(&self, id: ConversationId, text: &str) -> String {
        let view = self.app.ask(id, text);
        self.text_of(&view)
    }

    /// Text of the newest answer, which must be a complete one.
    pub fn text_of(&self, view: &ConversationView) -> String {
        let answer = last(view);
        let state = view.turn.as_ref().unwrap().state;
        assert_eq!(state, TurnState::Done, "{:?}: {}\n{:?}", self.engine, shown(view), self.server_log());
        assert_eq!(answer.state, MessageState::Complete);
        answer.plain_text()
    }

    /// The pack that went out with the newest turn.
    pub fn sent_pack(&self, id: ConversationId) -> ContextPack {
        let turn = self.app.view(id).turn.as_ref().unwrap().turn;
        self.app.send(ChatCommand::LoadPack { conversation: id, turn });
        let is_there =
            |view: &ConversationView| view.sent_pack.as_ref().is_some_and(|pack| pack.turn == Some(turn));
        let snapshot = self.app.until("pack loaded", |s| s.view(id).is_some_and(|view| is_there(view)));
        snapshot.view(id).unwrap().sent_pack.as_ref().unwrap().pack.clone()
    }

    /// The newest request of somebody's turn.
    pub fn last_request(&self) -> Arc<Recorded> {
        self.server.turns().last().cloned().expect("a request")
    }

    /// How many requests, of any kind, hold these words in the last user text.
    pub fn requests_with(&self, words: &str) -> usize {
        self.server.requests().iter().filter(|request| request.user_text.contains(words)).count()
    }

    /// The engine's own programs (not our guard before them) that run in this home now.
    pub fn programs(&self) -> Vec<Process> {
        processes::programs(self.app.home())
    }

    /// Waits until one program of the engine runs, and no other that is still ending.
    pub fn running_program(&self) -> Process {
        self.app.poll("one running program", LIMIT, || match self.programs().as_slice() {
            [program] => Some(program.clone()),
            _ => None,
        })
    }

    fn server_log(&self) -> Vec<(String, String, bool)> {
        let short = |text: &str| text.chars().take(60).collect::<String>();
        let requests = self.server.requests();
        requests
            .iter()
            .map(|request| (request.path.clone(), short(&request.user_text), request.side_call))
            .collect()
    }
}

/// All that our app is started with: the configuration of the engine, keys of every kind, nothing of this machine.
fn environment(engine: Engine, home: &TempDir, base_url: &str) -> Vec<(OsString, OsString)> {
    std::fs::create_dir(home.path().join("tmp")).unwrap();
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut env: Vec<(String, String)> = [
        ("HOME", text(home.path())),
        ("TMPDIR", text(&home.path().join("tmp"))),
        ("PATH", clis::search_path()),
        ("LANG", "C.UTF-8".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec();
    env.extend(KEY_VARIABLES.map(|name| (name.to_owned(), DUMMY_KEY.to_owned())));
    let own = clis::lay_out(engine, home.path(), base_url);
    env.extend(own.into_iter().filter(|(name, _)| !KEY_VARIABLES.contains(&name.as_str())));
    if engine == Engine::Codex {
        // A key variable that the app knows to be one.
        let path = home.path().join(".codex/config.toml");
        let config = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, config.replace("TEST_MODEL_KEY", "OPENAI_API_KEY")).unwrap();
    }
    env.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// A file in the project folder.
pub fn in_project(bench: &Bench, name: &str) -> PathBuf {
    bench.app.project_folder().join(name)
}

/// How often a text stands in all strings of a request together.
pub fn count_in(request: &Recorded, words: &str) -> usize {
    fn count(value: &Value, words: &str) -> usize {
        match value {
            Value::String(text) => text.matches(words).count(),
            Value::Array(values) => values.iter().map(|value| count(value, words)).sum(),
            Value::Object(fields) => fields.values().map(|value| count(value, words)).sum(),
            _ => 0,
        }
    }
    count(&request.body, words)
}

/// A view in short, for messages of a failed check.
pub fn shown(view: &ConversationView) -> String {
    let turn = view.turn.as_ref().map(|turn| (turn.state, turn.phase.clone(), turn.failure.clone()));
    let answer = last(view);
    let items: Vec<&ItemBody> = answer.items.iter().map(|item| &item.body).collect();
    format!("{turn:?} {items:?}")
}
