//! Snapshots made by hand, for tests and for looking at the window without a runtime.
//!
//! Start at [`fixture`]; [`NAMES`] lists them all.

pub mod branches;
pub mod changes;
pub mod compared;
pub mod crowd;
pub mod known;
pub mod summaries;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::api::notice::{Notice, NoticeAction};
use crate::api::rows::ConversationRows;
use crate::api::snapshot::{
    AppStatus, AskRow, ConversationRow, ConversationView, DatabaseStatus, EngineRow, FindView, IndexEntry,
    PAGE_LEN, PackView, QueuedRow, Snapshot, TurnRow,
};
use crate::model::engine::{
    Availability, Billing, EngineCaps, EngineId, EngineInfo, EngineLook, EngineStatus, ForkCap, PermissionCap,
};
use crate::model::id::{ConversationId, FindId, MessageId, NoticeId, ProjectId, QueuedId, TurnId};
use crate::model::message::{
    Author, Item, ItemBody, Message, MessageState, NoticeLevel, PermissionOutcome, PlanEntry, PlanEntryState,
    ToolCall, ToolKind, ToolState,
};
use crate::model::pack::{
    ContextPack, LeftOut, Mode, ModeReason, PackReport, PackSection, SectionId, SectionReport,
};
use crate::model::project::{Conversation, ConversationKind, Draft, Project, SeatChoice};
use crate::model::settings::{Endpoint, Settings};
use crate::model::turn::{
    FailureKind, LimitInfo, PermissionAction, PermissionRequest, TurnFailure, TurnState, Usage,
};
use crate::ui::action::UiAction;
use crate::ui::route::{ProjectPage, Route, SettingsPage};
use crate::ui::view_state::{Shelf, ViewState};
use crate::ui::words::Now;

/// The moment of every fixture: a Thursday, 14:05.
pub const NOW: Now = Now { ms: 1_767_276_300_000, utc_offset_ms: 0 };

/// The conversation that fixtures show.
pub const SHOWN: ConversationId = ConversationId(11);

/// Names for [`fixture`].
pub const NAMES: [&str; 60] = [
    "first-run",
    "no-conversation",
    "empty",
    "chat",
    "long",
    "streaming",
    "failed",
    "permission",
    "permission-diff",
    "korean",
    "queue",
    "notices",
    "damaged",
    "find",
    "inspector",
    "inspector-sent",
    "engines",
    "servers",
    "appearance",
    "keys",
    "keys-conflicts",
    "project",
    "states",
    "no-folder",
    "project-plans",
    "project-empty",
    "project-failed",
    "project-loading",
    "project-long",
    "project-findings",
    "project-agreements",
    "project-artifacts",
    "project-links",
    "project-skills",
    "profiles",
    "profiles-empty",
    "compare",
    "typing",
    "branch-drawer",
    "branch-pinned",
    "branch-archived",
    "branch-hints",
    "branch-tree",
    "branch-tree-empty",
    "adopt-sheet",
    "adopt-sheet-running",
    "adopt-sheet-draft",
    "adopt-sheet-failed",
    "adopt-sheet-korean",
    "adopt-card",
    "branch-changes",
    "branch-empty",
    "branch-gone",
    "branch-refused",
    "branch-offer",
    "branch-compare",
    "branch-compare-diff",
    "branch-compare-streaming",
    "branch-compare-narrow",
    "branch-many",
];

/// One state of the app and the place shown.
pub struct Fixture {
    pub snap: Snapshot,
    pub route: Route,
    /// What the user did before.
    pub act: Option<UiAction>,
    /// What was open beside the conversation when the window was closed.
    pub shelves: Vec<Shelf>,
    pub pinned: bool,
}

impl Fixture {
    /// What the window remembers at its start.
    #[must_use]
    pub fn view_state(&self) -> ViewState {
        ViewState {
            route: self.route.clone(),
            first: self.act,
            shelves: self.shelves.clone(),
            drawer_pinned: self.pinned,
            ..ViewState::default()
        }
    }
}

/// The snapshot of a fixture alone.
#[must_use]
pub fn snapshot(name: &str) -> Snapshot {
    fixture(name).snap
}

/// A fixture by name; an unknown name gives `chat`.
#[must_use]
pub fn fixture(name: &str) -> Fixture {
    let mut snap = base();
    let mut route = Route::Chat { conversation: SHOWN };
    let settings = |page| Route::Settings { page };
    match name {
        "first-run" | "no-folder" => {
            snap = first_run();
            route = Route::Home;
        }
        "no-conversation" => {
            snap.conversations = ConversationRows::default();
            route = Route::Home;
        }
        "empty" => show(&mut snap, Vec::new(), None),
        "long" => show(&mut snap, long(300), None),
        "streaming" => streaming(&mut snap),
        "failed" => failed(&mut snap),
        "permission" => permission(&mut snap, false),
        "permission-diff" => permission(&mut snap, true),
        "korean" => show(&mut snap, korean(), None),
        "queue" => queue(&mut snap),
        "notices" => notices(&mut snap),
        "damaged" => damaged(&mut snap),
        "find" => find(&mut snap),
        "inspector" => {
            inspector(&mut snap, None);
            route = Route::Inspector { conversation: SHOWN, turn: None };
        }
        "inspector-sent" => {
            inspector(&mut snap, Some(TurnId(71)));
            route = Route::Inspector { conversation: SHOWN, turn: Some(TurnId(71)) };
        }
        "branch-tree" => {
            branches::fill(&mut snap);
            branches::tree(&mut snap);
            route = Route::Project { page: ProjectPage::Branches, conversation: Some(SHOWN) };
        }
        "branch-tree-empty" => {
            route = Route::Project { page: ProjectPage::Branches, conversation: Some(SHOWN) };
        }
        "project-findings" => route = known_page(&mut snap, name, ProjectPage::Findings),
        "project-agreements" => route = known_page(&mut snap, name, ProjectPage::Agreements),
        "project-artifacts" => route = known_page(&mut snap, name, ProjectPage::Artifacts),
        "project-links" => route = known_page(&mut snap, name, ProjectPage::Links),
        "project-skills" => route = known_page(&mut snap, name, ProjectPage::Skills),
        _ if name.starts_with("project-") => route = known_page(&mut snap, name, ProjectPage::Plans),
        "profiles" => {
            known::profiles(&mut snap);
            route = settings(SettingsPage::Profiles);
        }
        "profiles-empty" => route = settings(SettingsPage::Profiles),
        "compare" => {
            known::fill(&mut snap, name);
            known::compare(&mut snap);
            route = Route::Inspector { conversation: SHOWN, turn: None };
        }
        "typing" => {
            known::fill(&mut snap, name);
            known::profiles(&mut snap);
            known::typing(&mut snap);
        }
        "engines" => route = settings(SettingsPage::Engines),
        "servers" => route = settings(SettingsPage::Servers),
        "appearance" => route = settings(SettingsPage::Appearance),
        "keys" | "keys-conflicts" => {
            chosen_keys(&mut snap, name);
            route = settings(SettingsPage::Keys);
        }
        _ if changes::NAMES.contains(&name) => route = changes::show(&mut snap, name),
        _ if name.starts_with("branch-") || name.starts_with("adopt-") => branches::show(&mut snap, name),
        "project" => route = settings(SettingsPage::Project),
        "states" => show(&mut snap, states(), None),
        _ => show(&mut snap, chat(), None),
    }
    let (shelves, pinned) = compared::beside(name);
    Fixture { snap, route, act: branches::act(name), shelves, pinned }
}

fn chosen_keys(snap: &mut Snapshot, name: &str) {
    if name == "keys" {
        return set_keys(snap, &[("archive", &["Ctrl+E"]), ("copy_answer", &["Ctrl+Shift+A", "F9"])]);
    }
    set_keys(
        snap,
        &[
            ("archive", &["Ctrl+K"]),
            ("rename", &["F2", "Ctrl+C"]),
            ("of_later", &["F9"]),
            ("quit", &["Ctrl+Nope"]),
        ],
    );
}

/// Chooses keys for commands by their stored names.
pub fn set_keys(snap: &mut Snapshot, chosen: &[(&str, &[&str])]) {
    let mut settings = (*snap.settings).clone();
    for (name, chords) in chosen {
        settings.keys.set(name, chords.iter().map(|chord| (*chord).to_owned()).collect());
    }
    snap.settings = Arc::new(settings);
}

fn known_page(snap: &mut Snapshot, name: &str, page: ProjectPage) -> Route {
    known::fill(snap, name);
    Route::Project { page, conversation: Some(SHOWN) }
}

/// A seat of an engine.
#[must_use]
pub fn seat(engine: &str, model: Option<&str>, role: Option<&str>) -> SeatChoice {
    SeatChoice {
        model: model.map(Into::into),
        role: role.map(Into::into),
        ..SeatChoice::new(EngineId::new(engine))
    }
}

fn caps() -> EngineCaps {
    EngineCaps {
        stream: true,
        tools: true,
        permissions: PermissionCap::Asks,
        resume: true,
        fork: ForkCap::None,
        system_apart: true,
        images: false,
        usage: true,
        cost: true,
        mcp: false,
        warm: true,
    }
}

struct EngineSketch {
    id: &'static str,
    name: &'static str,
    look: EngineLook,
    availability: Availability,
    version: Option<&'static str>,
    path: Option<&'static str>,
    login: Option<&'static str>,
    models: &'static [&'static str],
    limits: Vec<LimitInfo>,
}

fn engine(sketch: EngineSketch) -> Arc<EngineRow> {
    let id = EngineId::new(sketch.id);
    Arc::new(EngineRow {
        info: EngineInfo {
            id: id.clone(),
            name: sketch.name.into(),
            look: sketch.look,
            caps: caps(),
            programs: if sketch.path.is_some()
                || matches!(sketch.availability, Availability::NotInstalled { .. })
            {
                vec![sketch.id.into()]
            } else {
                Vec::new()
            },
            home_dirs: Vec::new(),
            models: sketch.models.iter().map(|model| (*model).into()).collect(),
            key_variables: vec!["ANTHROPIC_API_KEY".into()],
            install_hint: format!("npm install -g {}", sketch.id),
            login_hint: format!("Run {} in a terminal and log in there.", sketch.id),
            resume_command: String::new(),
        },
        status: EngineStatus {
            id,
            availability: sketch.availability,
            version: sketch.version.map(Into::into),
            path: sketch.path.map(PathBuf::from),
            found_by: sketch.path.map(|_| "PATH".into()),
            login: sketch.login.map(Into::into),
            billing: Billing::Subscription,
            models: Vec::new(),
        },
        limits: sketch.limits,
    })
}

fn limit(kind: &str, percent: f32) -> LimitInfo {
    LimitInfo {
        kind: kind.into(),
        used_percent: Some(percent),
        resets_at_ms: Some(NOW.ms + 7_200_000),
        reached: false,
    }
}

fn engines() -> Arc<[Arc<EngineRow>]> {
    let missing = Availability::NotInstalled { searched: vec!["PATH".into(), "~/.opencode/bin".into()] };
    let ready = |id, name, look| EngineSketch {
        id,
        name,
        look,
        availability: Availability::Ready,
        version: None,
        path: None,
        login: None,
        models: &[],
        limits: Vec::new(),
    };
    Arc::from([
        engine(EngineSketch {
            version: Some("2.1.42"),
            path: Some("/home/kim/.local/bin/claude"),
            login: Some("logged in"),
            models: &["opus", "sonnet", "haiku"],
            limits: vec![limit("5 h", 62.0)],
            ..ready("claude", "Claude Code", EngineLook::Claude)
        }),
        engine(EngineSketch {
            version: Some("0.98.0"),
            path: Some("/opt/homebrew/bin/codex"),
            login: Some("logged in"),
            models: &["gpt-5.2-codex", "gpt-5.2"],
            limits: vec![limit("week", 41.0)],
            ..ready("codex", "Codex", EngineLook::Codex)
        }),
        engine(EngineSketch {
            availability: Availability::NotLoggedIn,
            version: Some("0.31.1"),
            path: Some("/home/kim/.nvm/versions/node/v24/bin/gemini"),
            ..ready("gemini", "Gemini CLI", EngineLook::Gemini)
        }),
        engine(EngineSketch { availability: missing, ..ready("opencode", "OpenCode", EngineLook::OpenCode) }),
        engine(EngineSketch {
            availability: Availability::Broken { why: "No answer at http://127.0.0.1:11434/v1".into() },
            ..ready("openai:local", "Local server", EngineLook::Local)
        }),
        engine(ready("demo", "Demo", EngineLook::Demo)),
    ])
}

fn row(id: i64, title: &str, state: Option<TurnState>, minutes: i64) -> ConversationRow {
    ConversationRow {
        conversation: Conversation {
            id: ConversationId(id),
            project: ProjectId(1),
            kind: ConversationKind::Main,
            branch: None,
            title: title.into(),
            created_ms: NOW.ms - minutes * 60_000,
            updated_ms: NOW.ms - minutes * 60_000,
            archived: false,
            seat: seat("claude", Some("claude-opus-4-7"), Some("Architect")),
            message_count: 4,
            unread: false,
            last_turn: state,
        },
        state,
        asks: u32::from(state == Some(TurnState::NeedsYou)),
        queued: 0,
    }
}

fn rows() -> Vec<ConversationRow> {
    let mut unread = row(13, "Rate limits per tenant", Some(TurnState::Done), 165);
    unread.conversation.unread = true;
    let mut old = row(16, "Spike: gRPC gateway", Some(TurnState::Done), 60 * 24 * 40);
    old.conversation.archived = true;
    vec![
        row(11, "Token refresh race", Some(TurnState::Done), 2),
        row(12, "Migrate to sqlx 0.9", Some(TurnState::Running), 1),
        unread,
        row(14, "Flaky upload test", Some(TurnState::Done), 60 * 24 * 3),
        row(15, "OpenAPI from handlers", Some(TurnState::Failed), 60 * 24 * 3),
        old,
    ]
}

fn base() -> Snapshot {
    let project = |id: i64, name: &str| {
        Arc::new(Project {
            id: ProjectId(id),
            name: name.into(),
            path: PathBuf::from(format!("/home/kim/code/{name}")),
            created_ms: 0,
            opened_ms: 0,
            skip_permissions: false,
        })
    };
    Snapshot {
        revision: 1,
        app: Arc::new(AppStatus {
            version: "0.1.0".into(),
            data_dir: PathBuf::from("/home/kim/.local/share/tunaflow"),
            database: DatabaseStatus::Ok,
            first_run: false,
            discovering: false,
            discovery_ms: Some(1_800),
            finished: false,
        }),
        projects: Arc::from([project(1, "harbor-api"), project(2, "tide-web")]),
        project: Some(ProjectId(1)),
        git_branch: Some(Arc::from("main")),
        conversations: rows().into_iter().map(Arc::new).collect(),
        open: vec![Arc::new(view(rows().swap_remove(0), chat(), None))],
        branch_focus: None,
        git_pending: Vec::new(),
        focus: None,
        engines: engines(),
        roles: Arc::from(["Architect".to_owned(), "Developer".to_owned(), "Reviewer".to_owned()]),
        personas: Arc::from(["Concise".to_owned(), "Skeptic".to_owned()]),
        names_of: Some(ProjectId(1)),
        settings: Arc::new(Settings {
            endpoints: vec![Endpoint {
                name: "local".into(),
                base_url: "http://127.0.0.1:11434/v1".into(),
                model: "qwen3".into(),
                has_key: false,
            }],
            ..Settings::default()
        }),
        notices: Arc::from([]),
        asks: Arc::from([]),
        knowledge: Arc::default(),
        summaries: Arc::default(),
        changes: None,
        running_turns: 1,
    }
}

fn first_run() -> Snapshot {
    let mut snap = base();
    let mut app = (*snap.app).clone();
    app.first_run = true;
    snap.app = Arc::new(app);
    snap.projects = Arc::from([]);
    snap.project = None;
    snap.git_branch = None;
    snap.conversations = ConversationRows::default();
    snap.open = Vec::new();
    snap.running_turns = 0;
    snap
}

/// A view of `messages`, all pages loaded, answers still being written set apart.
#[must_use]
pub fn view(row: ConversationRow, messages: Vec<Message>, turn: Option<TurnRow>) -> ConversationView {
    let (live, done): (Vec<Message>, Vec<Message>) =
        messages.into_iter().partition(|message| message.state == MessageState::Streaming);
    let entry = |message: &Message| IndexEntry {
        id: message.id,
        revision: message.revision,
        chars: u32::try_from(message.plain_text().chars().count()).unwrap_or(u32::MAX),
        by_user: message.author == Author::User,
    };
    let index = done.iter().chain(&live).map(entry).collect();
    let done: Vec<Arc<Message>> = done.into_iter().map(Arc::new).collect();
    let pages: BTreeMap<u32, Arc<[Arc<Message>]>> =
        done.chunks(PAGE_LEN as usize).zip(0..).map(|(page, number)| (number, Arc::from(page))).collect();
    ConversationView {
        row: Arc::new(row),
        index: Arc::new(index),
        pages,
        live: live.into_iter().map(Arc::new).collect(),
        turn: turn.map(Arc::new),
        queue: Arc::from([]),
        draft: Arc::new(Draft::default()),
        asks: Arc::from([]),
        find: None,
        preview: None,
        sent_pack: None,
        compared: None,
        suggestions: Arc::from([]),
        loading: false,
        error: None,
    }
}

/// Replaces what the shown conversation holds.
pub fn show(snap: &mut Snapshot, messages: Vec<Message>, turn: Option<TurnRow>) {
    let mut shown = rows().swap_remove(0);
    if messages.is_empty() {
        shown.conversation.title = "New conversation".into();
    }
    shown.state = turn.as_ref().map(|turn| turn.state).or(shown.state);
    shown.conversation.message_count = u32::try_from(messages.len()).unwrap_or(u32::MAX);
    let view = view(shown, messages, turn);
    put_view(snap, view);
}

/// Seats another agent in the shown conversation.
pub fn put_seat(snap: &mut Snapshot, seat: SeatChoice) {
    change(snap, |view| {
        let mut row = (*view.row).clone();
        row.conversation.seat = seat;
        view.row = Arc::new(row);
    });
}

/// Replaces a view and its row in the list.
pub fn put_view(snap: &mut Snapshot, view: ConversationView) {
    let id = view.row.conversation.id;
    snap.conversations = snap
        .conversations
        .iter()
        .map(|row| if row.conversation.id == id { Arc::clone(&view.row) } else { Arc::clone(row) })
        .collect();
    snap.open.retain(|open| open.row.conversation.id != id);
    snap.open.push(Arc::new(view));
    snap.revision += 1;
}

/// Changes the shown view in place.
pub fn change(snap: &mut Snapshot, change: impl FnOnce(&mut ConversationView)) {
    if let Some(view) = snap.view(SHOWN) {
        let mut view = (**view).clone();
        change(&mut view);
        put_view(snap, view);
    }
}

/// A message; `id` is also its place.
#[must_use]
pub fn message(id: i64, author: Author, items: Vec<ItemBody>) -> Message {
    let agent = author != Author::User;
    Message {
        id: MessageId(id),
        conversation: SHOWN,
        seq: id,
        author,
        created_ms: NOW.ms - 200_000 + id * 1_000,
        state: MessageState::Complete,
        items: items.into_iter().enumerate().map(|(key, body)| Item { key: key.to_string(), body }).collect(),
        turn: Some(TurnId(70 + id / 2)),
        duration_ms: agent.then_some(72_000),
        usage: agent.then(|| Usage {
            input_tokens: Some(6_200),
            output_tokens: Some(1_900),
            cached_input_tokens: Some(4_000),
            ..Usage::default()
        }),
        revision: 1,
        unsaved: false,
    }
}

/// A message of the user.
#[must_use]
pub fn user(id: i64, said: &str) -> Message {
    message(id, Author::User, vec![text(said)])
}

fn text(text: &str) -> ItemBody {
    ItemBody::Text { text: text.into() }
}

/// Claude as an author.
#[must_use]
pub fn claude() -> Author {
    Author::Agent {
        engine: EngineId::new("claude"),
        model: Some("claude-opus-4-7".into()),
        name: "Architect Claude".into(),
        role: Some("Architect".into()),
    }
}

fn codex() -> Author {
    Author::Agent {
        engine: EngineId::new("codex"),
        model: Some("gpt-5.2-codex".into()),
        name: "Developer Codex".into(),
        role: Some("Developer".into()),
    }
}

fn tool(name: &str, kind: ToolKind, title: &str, state: ToolState, duration_ms: i64) -> ToolCall {
    ToolCall {
        name: name.into(),
        kind,
        title: title.into(),
        input: title.into(),
        state,
        duration_ms: (duration_ms > 0).then_some(duration_ms),
        ..ToolCall::default()
    }
}

const DIFF: &str = "--- a/src/auth/session.rs\n+++ b/src/auth/session.rs\n@@ -116,5 +116,5 @@ fn rotate\n fn rotate(&self, id: Id) -> Result<Row> {\n-    let row = self.store.get(id).await?;\n+    let row = self.store.swap_generation(id, seen).await?;\n     if row.revoked { return Err(Reused) }\n";

fn chat() -> Vec<Message> {
    let mut run = tool("Bash", ToolKind::Run, "cargo test -p harbor-auth refresh", ToolState::Failed, 14_200);
    run.exit_code = Some(101);
    run.output = (0..30).map(|n| format!("test refresh::case_{n} ... ok\n")).collect::<String>()
        + "test refresh::twice_in_one_second ... FAILED\n11 passed, 1 failed, finished in 13.87 s";
    let mut edit = tool("Edit", ToolKind::Edit, "src/auth/session.rs", ToolState::Done, 200);
    edit.diff = Some(DIFF.into());
    let answer = message(
        2,
        claude(),
        vec![
            ItemBody::Thinking { text: "The failing test refreshes twice.\nLook at rotate first.".into() },
            ItemBody::Tool(tool("Read", ToolKind::Read, "src/auth/session.rs", ToolState::Done, 100)),
            ItemBody::Tool(tool("Grep", ToolKind::Search, "rotate_refresh", ToolState::Done, 300)),
            ItemBody::Tool(run),
            text(
                "The race is between `rotate` and `revoke_family`. Two requests read the same refresh token; the second finds it rotated and revokes the family. A compare-and-swap closes the window:\n\n```rust\nlet row = self.store.swap_generation(id, seen).await?;\nif row.revoked { return Err(Reused) }\n```\n\n1. Swap instead of get\n2. Keep the public API\n",
            ),
            ItemBody::Tool(edit),
        ],
    );
    vec![
        user(
            1,
            "Refreshing a token twice within a second logs the user out. Find the race and fix it. Keep the public API of `session.rs` as it is.",
        ),
        answer,
        user(
            3,
            "Good. Retries from the same client within 10 seconds should get the first pair, not an error.",
        ),
        message(
            4,
            codex(),
            vec![text(
                "Adding `grace_until` to the session row. A retry inside the window gets the pair that was issued first, so both requests end with the same token.",
            )],
        ),
    ]
}

fn long(count: i64) -> Vec<Message> {
    (1..=count)
        .map(|id| {
            if id % 2 == 1 {
                user(id, &format!("Question {id}: what about case {id}?"))
            } else {
                let paragraph = "A longer explanation that wraps over several lines in the reading column, so that heights differ from row to row. ";
                message(id, claude(), vec![text(&format!("Answer {id}.\n\n{}", paragraph.repeat((id % 7) as usize + 1)))])
            }
        })
        .collect()
}

fn korean() -> Vec<Message> {
    vec![
        user(1, "토큰을 1초 안에 두 번 새로 고치면 로그아웃됩니다. 경쟁 상태를 찾아 고쳐 주세요."),
        message(
            2,
            claude(),
            vec![text(
                "`rotate`와 `revoke_family` 사이에 **경쟁 상태**가 있습니다. 두 요청이 같은 갱신 토큰을 읽고, 두 번째 요청이 토큰 묶음을 폐기합니다.\n\n- 비교 후 교환으로 바꿉니다\n- 공개 API는 그대로 둡니다",
            )],
        ),
    ]
}

/// A turn as shown.
#[must_use]
pub fn turn(state: TurnState, phase: &str) -> TurnRow {
    TurnRow {
        turn: TurnId(72),
        state,
        user_message: MessageId(3),
        answer: Some(MessageId(4)),
        seat: seat("codex", Some("gpt-5.2-codex"), Some("Developer")),
        phase: phase.into(),
        started_ms: NOW.ms - 38_000,
        ended_ms: None,
        usage: None,
        failure: None,
        report: Some(Arc::new(pack().report)),
        last_sign_ms: NOW.ms - 1_000,
        resume_command: None,
    }
}

fn streaming(snap: &mut Snapshot) {
    let mut messages = chat();
    if let Some(last) = messages.last_mut() {
        last.state = MessageState::Streaming;
        last.duration_ms = None;
        last.usage = None;
        let running = tool("Bash", ToolKind::Run, "cargo test -p harbor-auth", ToolState::Running, 0);
        last.items.push(Item { key: "t".into(), body: ItemBody::Tool(running) });
        let next = text("Next is a test with two connections, so that the pool cannot hide the race.");
        last.items.push(Item { key: "n".into(), body: next });
    }
    show(snap, messages, Some(turn(TurnState::Running, "Writing")));
    change(snap, |view| {
        let mut row = (*view.row).clone();
        row.conversation.seat = seat("codex", Some("gpt-5.2-codex"), Some("Developer"));
        view.row = Arc::new(row);
    });
}

fn failed(snap: &mut Snapshot) {
    let failure = TurnFailure {
        kind: FailureKind::PlanLimit,
        message: "Codex reached its weekly limit.".into(),
        hint: "Use another engine, or wait until it resets.".into(),
        detail: "codex app-server\nexit 1\nerror: usage limit reached for plan plus".into(),
        resets_at_ms: Some(NOW.ms + 86_400_000 * 3),
    };
    let mut messages = chat();
    if let Some(last) = messages.last_mut() {
        last.state = MessageState::Failed { failure: failure.clone() };
    }
    let mut row = turn(TurnState::Failed, "");
    row.ended_ms = Some(NOW.ms - 2_000);
    row.failure = Some(failure);
    show(snap, messages, Some(row));
}

fn states() -> Vec<Message> {
    let mut stopped = message(2, claude(), vec![text("The first half of an answer")]);
    stopped.state = MessageState::Stopped;
    let mut damaged = message(3, claude(), Vec::new());
    damaged.state = MessageState::Damaged { why: "The stored items are not valid JSON.".into() };
    let mut unsaved = user(4, "A message that could not be written to disk.");
    unsaved.unsaved = true;
    let asked = PermissionRequest {
        ask: "a1".into(),
        tool: "Bash".into(),
        action: PermissionAction::Run,
        command: Some("git push".into()),
        ..PermissionRequest::default()
    };
    let plan = |text: &str, state| PlanEntry { text: text.into(), state };
    let mut many: Vec<ItemBody> = (0..9)
        .map(|n| {
            ItemBody::Tool(tool("Read", ToolKind::Read, &format!("src/file_{n}.rs"), ToolState::Done, 100))
        })
        .collect();
    many.extend([
        ItemBody::Permission {
            request: asked,
            outcome: Some(PermissionOutcome::Denied { comment: "Not before the tests pass".into() }),
        },
        ItemBody::Plan {
            entries: vec![
                plan("Read the code", PlanEntryState::Done),
                plan("Write the test", PlanEntryState::InProgress),
                plan("Fix the race", PlanEntryState::Pending),
            ],
        },
        ItemBody::Notice { level: NoticeLevel::Warn, text: "The model was changed by the engine.".into() },
    ]);
    let mut interrupted = message(6, codex(), vec![text("An answer that the end of the app cut off")]);
    interrupted.state = MessageState::Interrupted;
    vec![user(1, "Show every state."), stopped, damaged, unsaved, message(5, claude(), many), interrupted]
}

/// A question of an agent in a conversation.
#[must_use]
pub fn ask(name: &str, conversation: ConversationId, command: &str) -> AskRow {
    AskRow {
        turn: TurnId(72),
        conversation,
        conversation_title: "Token refresh race".into(),
        agent: "Developer Codex".into(),
        request: PermissionRequest {
            ask: name.into(),
            tool: "Bash".into(),
            action: PermissionAction::Run,
            command: Some(command.into()),
            folder: Some("/home/kim/code/harbor-api".into()),
            ..PermissionRequest::default()
        },
        asked_ms: NOW.ms - 12_000,
    }
}

/// Puts questions into the shown conversation and the list over all.
pub fn put_asks(snap: &mut Snapshot, asks: Vec<AskRow>) {
    let asks: Vec<Arc<AskRow>> = asks.into_iter().map(Arc::new).collect();
    let here: Vec<Arc<AskRow>> = asks.iter().filter(|ask| ask.conversation == SHOWN).cloned().collect();
    change(snap, |view| {
        let mut row = (*view.row).clone();
        row.asks = u32::try_from(here.len()).unwrap_or(u32::MAX);
        if !here.is_empty() {
            row.state = Some(TurnState::NeedsYou);
        }
        view.row = Arc::new(row);
        view.asks = Arc::from(here);
    });
    snap.asks = Arc::from(asks);
    snap.revision += 1;
}

fn permission(snap: &mut Snapshot, diff: bool) {
    streaming(snap);
    change(snap, |view| view.turn = Some(Arc::new(turn(TurnState::NeedsYou, "Waiting for you"))));
    let mut first = ask(
        "ask-1",
        SHOWN,
        "sqlx migrate run --source migrations --database-url postgres://localhost/harbor_dev",
    );
    if diff {
        first.request.action = PermissionAction::Edit;
        first.request.command = None;
        first.request.diff = Some(DIFF.into());
        first.request.paths = vec!["src/auth/session.rs".into()];
    }
    let mut other = ask("ask-3", ConversationId(12), "curl https://docs.rs/sqlx/latest");
    other.conversation_title = "Migrate to sqlx 0.9".into();
    other.agent = "Architect Claude".into();
    put_asks(snap, vec![first, ask("ask-2", SHOWN, "cargo test --workspace"), other]);
}

fn queue(snap: &mut Snapshot) {
    streaming(snap);
    change(snap, |view| {
        view.queue = Arc::from([
            QueuedRow { id: QueuedId(31), text: "Then run the tests".into() },
            QueuedRow {
                id: QueuedId(32),
                text: "And write the changelog entry for it, with one line per change".into(),
            },
        ]);
        view.draft = Arc::new(Draft { text: "One more thing".into(), pastes: vec!["line\n".repeat(15_000)] });
    });
}

fn notices(snap: &mut Snapshot) {
    let notice = |id, level, title: &str, body: &str, action| {
        Arc::new(Notice {
            id: NoticeId(id),
            level,
            title: title.into(),
            body: body.into(),
            action,
            conversation: Some(ConversationId(13)),
            desktop: true,
            created_ms: NOW.ms - id * 60_000,
        })
    };
    show(snap, chat(), None);
    snap.notices = Arc::from([
        notice(
            1,
            NoticeLevel::Info,
            "Done: Rate limits per tenant",
            "Architect Claude, 58 s",
            Some(NoticeAction::Open(ConversationId(13))),
        ),
        notice(
            2,
            NoticeLevel::Error,
            "Codex reached its weekly limit",
            "Resets Thursday 09:00.",
            Some(NoticeAction::UseEngine { turn: TurnId(72), engine: EngineId::new("claude") }),
        ),
        notice(
            3,
            NoticeLevel::Info,
            "Deleted Grace window in Redis",
            "14 messages",
            Some(NoticeAction::UndoDelete(ConversationId(19))),
        ),
    ]);
}

fn damaged(snap: &mut Snapshot) {
    let mut app = (*snap.app).clone();
    app.database = DatabaseStatus::Damaged {
        why: "The integrity check found a broken page.".into(),
        backups: vec![PathBuf::from("/home/kim/.local/share/tunaflow/backups/2025-12-31.db")],
    };
    snap.app = Arc::new(app);
}

fn find(snap: &mut Snapshot) {
    show(snap, long(300), None);
    change(snap, |view| {
        view.find = Some(Arc::new(FindView {
            find: FindId(1),
            query: "case".into(),
            places: (0..300).step_by(2).collect(),
            capped: false,
        }));
    });
}

/// A pack as in the look.
#[must_use]
pub fn pack() -> ContextPack {
    let sections = [
        (SectionId::Project, 412, 600, ""),
        (SectionId::PlatformRules, 1_180, 1_500, ""),
        (SectionId::Role, 2_204, 3_000, ""),
        (SectionId::Identity, 688, 1_500, ""),
        (SectionId::Recent, 9_120, 31_400, "3 older tool results, 6,310 characters"),
        (SectionId::Plan, 1_084, 4_000, ""),
        (SectionId::Retrieval, 1_870, 5_000, "1 passage already in the window, 440"),
    ];
    let report = PackReport {
        fixed_hash: String::new(),
        told: BTreeMap::new(),
        mode: Mode::Standard,
        mode_reason: ModeReason::HasPlan,
        budget_chars: 60_000,
        total_chars: 18_400,
        sections: sections
            .iter()
            .map(|(id, chars, budget_chars, cut)| SectionReport {
                id: *id,
                chars: *chars,
                estimated_tokens: chars / 4,
                budget_chars: *budget_chars,
                want_chars: if cut.is_empty() { *chars } else { *chars + *chars / 3 },
                cut: (*cut).into(),
                source_ids: Vec::new(),
            })
            .collect(),
        left_out: vec![
            LeftOut { id: SectionId::Skills, why: "Pulled on demand; no skill matches".into() },
            LeftOut { id: SectionId::CodeGraph, why: "Full mode only".into() },
        ],
        held_by_session: vec!["14 messages since 14:02".into()],
        notes: Vec::new(),
        parity_hash: "5f2e".repeat(16),
        hash: "9f3c71e0a4d2".repeat(5),
        assembly_micros: 11_000,
    };
    let text = |id: SectionId, chars: u32| {
        let line =
            "[user] Refreshing a token twice within a second logs the user out. Find the race and fix it.\n";
        format!("## {}\n\n{}", id.label(), line.repeat(chars as usize / 96 + 1))
    };
    ContextPack {
        sections: sections
            .iter()
            .map(|(id, chars, ..)| PackSection { id: *id, text: text(*id, *chars) })
            .collect(),
        report,
    }
}

fn inspector(snap: &mut Snapshot, of: Option<TurnId>) {
    show(snap, chat(), None);
    let view = Arc::new(PackView { turn: of, seat: None, prompt: String::new(), pack: pack() });
    change(snap, |shown| {
        if of.is_some() {
            shown.sent_pack = Some(view);
        } else {
            shown.preview = Some(view);
        }
    });
}
