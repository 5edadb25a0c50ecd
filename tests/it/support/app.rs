//! The real runtime in a folder of its own, driven as a front drives it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tunaflow::api::command::{BranchCommand, ChatCommand, Command, ProjectCommand};
use tunaflow::api::handle::{AppHandle, Waker};
use tunaflow::api::snapshot::{ConversationView, PAGE_LEN, Snapshot};
use tunaflow::model::branch::BranchKind;
use tunaflow::model::engine::EngineId;
use tunaflow::model::id::{ConversationId, MessageId};
use tunaflow::model::message::Message;
use tunaflow::model::project::{Draft, SeatChoice};
use tunaflow::model::turn::TurnState;
use tunaflow::os::paths::DataPaths;
use tunaflow::runtime::{Config, Running, StartError, start};

/// Longest wait for anything a test expects.
const LIMIT: Duration = Duration::from_secs(30);

/// A running app with a project folder.
pub struct TestApp {
    running: Option<Running>,
    handle: AppHandle,
    home: Arc<TempDir>,
    env: Vec<(OsString, OsString)>,
    limit: Duration,
}

impl TestApp {
    /// In a fresh home; no engine is looked for.
    pub fn new() -> Self {
        Self::in_home(Arc::new(TempDir::new().unwrap()), Vec::new())
    }

    /// With these variables as the process environment: nothing is inherited.
    pub fn in_home(home: Arc<TempDir>, env: Vec<(OsString, OsString)>) -> Self {
        std::fs::create_dir_all(home.path().join("project")).unwrap();
        let running = start(config(home.path(), &env), Waker::noop()).unwrap();
        let handle = running.handle();
        Self { running: Some(running), handle, home, env, limit: LIMIT }
    }

    /// Waits longer than usual for everything: real programs start slowly.
    pub fn patient(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    pub fn project_folder(&self) -> PathBuf {
        std::fs::canonicalize(self.home.path().join("project")).unwrap()
    }

    /// Ends in order; the home stays.
    pub fn stop(mut self) -> Arc<TempDir> {
        self.running.take().unwrap().finish();
        self.home.clone()
    }

    /// A second program with the same data folder.
    pub fn start_second(&self) -> Result<Running, StartError> {
        start(config(self.home.path(), &self.env), Waker::noop())
    }

    /// Ends in order and starts again in the same home.
    pub fn restart(self) -> Self {
        self.restart_after(|_home| {})
    }

    /// The same, with something done to the home while nobody uses it.
    pub fn restart_after(mut self, change: impl FnOnce(&Path)) -> Self {
        self.running.take().unwrap().finish();
        change(self.home.path());
        Self::in_home(self.home.clone(), self.env.clone()).patient(self.limit)
    }

    /// Ends without any order, as a crash would: nothing is flushed or closed.
    pub fn crash_and_restart(mut self) -> Self {
        // The lock goes with the process in a real crash; here the folder is copied away from under it.
        let copy = Arc::new(TempDir::new().unwrap());
        // Nothing is written between the copy of one file and that of the next: a disk has one moment of loss.
        let pause = rusqlite::Connection::open(self.home.path().join("data").join("tunaflow.db")).unwrap();
        pause.busy_timeout(self.limit).unwrap();
        pause.execute_batch("BEGIN IMMEDIATE").unwrap();
        copy_folder(self.home.path(), copy.path());
        drop(pause);
        let env = self.env.clone();
        if let Some(running) = self.running.take() {
            running.finish();
        }
        Self::in_home(copy, env)
    }

    pub fn send(&self, command: impl Into<Command>) {
        self.handle.send(command).unwrap();
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.handle.snapshot()
    }

    /// Waits until a snapshot is as `wanted`; panics with the last one when it never is.
    pub fn until(&self, what: &str, wanted: impl Fn(&Snapshot) -> bool) -> Arc<Snapshot> {
        let mut handle = self.handle.clone();
        let running = self.running.as_ref().unwrap();
        let found = running.block_on(async {
            tokio::time::timeout(self.limit, async {
                loop {
                    let snapshot = handle.snapshot();
                    if wanted(&snapshot) {
                        return snapshot;
                    }
                    if handle.changed().await.is_none() {
                        panic!("the runtime ended while waiting for: {what}");
                    }
                }
            })
            .await
        });
        found.unwrap_or_else(|_| panic!("never happened: {what}\n{}", describe(&self.handle.snapshot())))
    }

    /// Opens the project and makes a conversation answered by `engine`.
    pub fn conversation(&self, engine: &str) -> ConversationId {
        self.conversation_of(seat(engine))
    }

    pub fn conversation_of(&self, seat: SeatChoice) -> ConversationId {
        self.send(ProjectCommand::Open { path: self.project_folder() });
        let project = self.until("project open", |s| s.project.is_some()).project.unwrap();
        let before = self.snapshot().focus;
        self.send(ChatCommand::New { project, seat: Some(seat) });
        self.until("conversation made", |s| s.focus.is_some() && s.focus != before).focus.unwrap()
    }

    /// A conversation answered by a script with these lines.
    pub fn scripted(&self, lines: &str) -> ConversationId {
        self.conversation(&self.script(lines))
    }

    /// Writes a script file; gives its engine id.
    pub fn script(&self, lines: &str) -> String {
        let count = std::fs::read_dir(self.home.path()).unwrap().count();
        let path = self.home.path().join(format!("script-{count}.jsonl"));
        std::fs::write(&path, lines).unwrap();
        format!("script:{}", path.display())
    }

    /// A new branch of a conversation that is open; `seat: None` takes the parent's.
    pub fn branch(
        &self,
        parent: ConversationId,
        checkpoint: MessageId,
        seat: Option<SeatChoice>,
    ) -> ConversationId {
        let before = self.snapshot().branch_focus;
        let (label, kind) = (Some("A side road".to_owned()), BranchKind::General);
        self.send(BranchCommand::Create { parent, checkpoint: Some(checkpoint), label, seat, kind });
        let made = |s: &Snapshot| s.branch_focus.filter(|id| Some(*id) != before);
        let snapshot = self.until("a branch", |s| made(s).is_some_and(|id| s.view(id).is_some()));
        made(&snapshot).unwrap()
    }

    pub fn say(&self, conversation: ConversationId, text: &str) {
        self.send(ChatCommand::Send { conversation, draft: Draft::text(text) });
    }

    pub fn view(&self, conversation: ConversationId) -> Arc<ConversationView> {
        self.snapshot().view(conversation).cloned().expect("the conversation is open")
    }

    /// Waits until nothing runs there and a turn has ended.
    pub fn until_idle(&self, conversation: ConversationId) -> Arc<ConversationView> {
        let snapshot = self.until("turn ended", |s| {
            s.view(conversation).is_some_and(|view| {
                view.live.is_empty()
                    && view.queue.is_empty()
                    && view.turn.as_ref().is_some_and(|turn| !turn.state.is_live())
            })
        });
        snapshot.view(conversation).cloned().unwrap()
    }

    pub fn until_state(&self, conversation: ConversationId, state: TurnState) -> Arc<ConversationView> {
        let snapshot = self.until(state.word(), |s| {
            s.view(conversation)
                .is_some_and(|view| view.turn.as_ref().is_some_and(|turn| turn.state == state))
        });
        snapshot.view(conversation).cloned().unwrap()
    }

    /// Sends and waits for the end of it.
    pub fn ask(&self, conversation: ConversationId, text: &str) -> Arc<ConversationView> {
        self.begin(conversation, text);
        self.until_idle(conversation)
    }

    /// Sends and waits until a turn has begun for it.
    pub fn begin(&self, conversation: ConversationId, text: &str) {
        let before = self.view(conversation).turn.as_ref().map(|turn| turn.turn);
        self.say(conversation, text);
        self.until("the next turn", |s| {
            s.view(conversation).is_some_and(|view| view.turn.as_ref().map(|turn| turn.turn) != before)
        });
    }

    /// Looks every 20 ms, for what no snapshot tells; panics when it never is.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "for the real command lines"))]
    pub fn poll<T>(&self, what: &str, limit: Duration, look: impl Fn() -> Option<T>) -> T {
        let running = self.running.as_ref().unwrap();
        running.block_on(async {
            let started = tokio::time::Instant::now();
            loop {
                if let Some(found) = look() {
                    return found;
                }
                assert!(started.elapsed() < limit, "never seen: {what}\n{}", describe(&self.snapshot()));
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
    }

    /// Opens a conversation and loads all of it.
    pub fn open_whole(&self, conversation: ConversationId) -> Vec<Arc<Message>> {
        self.send(ChatCommand::Open { conversation });
        let snapshot = self.until("opened", |s| s.view(conversation).is_some_and(|view| !view.loading));
        let count = snapshot.view(conversation).unwrap().index.len();
        let pages = u32::try_from(count).unwrap().div_ceil(PAGE_LEN);
        for page in 0..pages {
            self.send(ChatCommand::LoadPage { conversation, page });
        }
        let snapshot = self.until("pages loaded", |s| {
            s.view(conversation).is_some_and(|view| {
                view.index.len() >= count && (0..view.index.len()).all(|place| view.message(place).is_some())
            })
        });
        messages(snapshot.view(conversation).unwrap())
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.finish();
        }
    }
}

/// All loaded messages, oldest first.
pub fn messages(view: &ConversationView) -> Vec<Arc<Message>> {
    (0..view.index.len()).filter_map(|place| view.message(place).cloned()).collect()
}

/// The newest message.
pub fn last(view: &ConversationView) -> Arc<Message> {
    messages(view).last().cloned().expect("a message")
}

pub fn seat(engine: &str) -> SeatChoice {
    SeatChoice::new(EngineId::new(engine))
}

pub fn config(home: &Path, env: &[(OsString, OsString)]) -> Config {
    Config {
        paths: DataPaths::new(Some(&home.join("data"))).unwrap(),
        process_env: env.to_vec(),
        home: home.to_path_buf(),
        guard: Some(PathBuf::from(env!("CARGO_BIN_EXE_tunaflow"))),
        read_only: false,
        program_ends: false,
        discover: false,
    }
}

/// Everything in it, links left out.
pub fn copy_folder(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy_folder(&entry.path(), &target);
        } else if kind.is_file() {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn describe(snapshot: &Snapshot) -> String {
    let mut text = format!("revision {}, focus {:?}\n", snapshot.revision, snapshot.focus);
    for view in &snapshot.open {
        let turn = view.turn.as_ref().map(|turn| (turn.state, turn.phase.clone(), turn.failure.clone()));
        text.push_str(&format!("conversation {}: {:?}\n", view.row.conversation.id, turn));
        for message in messages(view) {
            text.push_str(&format!("  {:?} {:?}\n", message.state, message.items));
        }
    }
    for notice in snapshot.notices.iter() {
        text.push_str(&format!("notice: {} {}\n", notice.title, notice.body));
    }
    text
}
