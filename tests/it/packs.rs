//! Context packs over a real store: golden texts, parity of engines, sessions that go on, bad inputs.
//!
//! `TUNAFLOW_BLESS=1` writes the golden files anew; read the difference before you keep it.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use tunaflow::context::{Found, Held, PackSeat, PackSpec, Sources, assemble, render};
use tunaflow::model::engine::EngineId;
use tunaflow::model::id::{ConversationId, MessageId, ProjectId};
use tunaflow::model::message::{Author, Item, ItemBody, Message, MessageState, ToolCall, ToolState};
use tunaflow::model::pack::{ContextPack, Mode, SectionId, Supply};
use tunaflow::model::project::{Conversation, ConversationKind, Project, SeatChoice};
use tunaflow::model::record::StoreWrite;
use tunaflow::store::{ReadDb, Store};

const ENGINES: [(&str, &str); 5] = [
    ("claude", "Claude Code"),
    ("codex", "Codex"),
    ("gemini", "Gemini CLI"),
    ("opencode", "OpenCode"),
    ("openai:a-local-server-with-a-long-name", "A local server with a long name"),
];

pub struct Talk {
    pub dir: tempfile::TempDir,
    pub store: Store,
    pub db: ReadDb,
    pub next_seq: i64,
}

impl Talk {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tunaflow.db");
        let mut store = Store::open(&path, &dir.path().join("backups"), 0).unwrap();
        let seat = SeatChoice::new(EngineId::new("demo"));
        let project = Project {
            id: ProjectId(1),
            name: "shop".into(),
            path: "/home/ana/shop".into(),
            created_ms: 0,
            opened_ms: 0,
            skip_permissions: false,
        };
        let conversation = Conversation {
            id: ConversationId(2),
            project: ProjectId(1),
            kind: ConversationKind::Main,
            branch: None,
            title: "Talk".into(),
            created_ms: 0,
            updated_ms: 0,
            archived: false,
            seat,
            message_count: 0,
            unread: false,
            last_turn: None,
        };
        store.apply(&[StoreWrite::PutProject(project), StoreWrite::PutConversation(conversation)]).unwrap();
        let db = ReadDb::open_read_only(&path).unwrap();
        Self { dir, store, db, next_seq: 1 }
    }

    pub fn put(&mut self, author: Author, bodies: Vec<ItemBody>) -> &mut Self {
        let message = self.message(author, bodies);
        self.store.apply(&[StoreWrite::PutMessage(message)]).unwrap();
        self
    }

    pub fn message(&mut self, author: Author, bodies: Vec<ItemBody>) -> Message {
        let seq = self.next_seq;
        self.next_seq += 1;
        let items =
            bodies.into_iter().enumerate().map(|(at, body)| Item { key: at.to_string(), body }).collect();
        Message {
            id: MessageId(100 + seq),
            conversation: ConversationId(2),
            seq,
            author,
            created_ms: seq,
            state: MessageState::Complete,
            items,
            turn: None,
            duration_ms: None,
            usage: None,
            revision: 0,
            unsaved: false,
        }
    }

    pub fn user(&mut self, text: &str) -> &mut Self {
        self.put(Author::User, vec![words(text)])
    }

    pub fn agent(&mut self, name: &str, text: &str) -> &mut Self {
        self.put(agent(name), vec![words(text)])
    }

    /// Many short messages in one transaction.
    pub fn chatter(&mut self, count: usize, text: &str) -> &mut Self {
        let mut batch = Vec::new();
        for at in 0..count {
            let author = if at % 2 == 0 { Author::User } else { agent("Codex") };
            let message = self.message(author, vec![words(&format!("{text} {at}"))]);
            batch.push(StoreWrite::PutMessage(message));
        }
        self.store.apply(&batch).unwrap();
        self
    }

    pub fn pack(&self, spec: &PackSpec) -> ContextPack {
        let pack = assemble(spec, &Sources { db: &self.db }).unwrap();
        let length = pack.text().chars().count();
        assert!(length <= usize::try_from(spec.budget_chars).unwrap(), "{length} > {}", spec.budget_chars);
        assert_eq!(length, usize::try_from(pack.report.total_chars).unwrap());
        pack
    }
}

pub fn words(text: &str) -> ItemBody {
    ItemBody::Text { text: text.to_owned() }
}

pub fn agent(name: &str) -> Author {
    let engine = EngineId::new(if name.contains("Claude") { "claude" } else { "codex" });
    let role = name.contains("Architect").then(|| "Architect".to_owned());
    Author::Agent { engine, model: Some("m-1".to_owned()), name: name.to_owned(), role }
}

pub fn spec(engine: (&str, &str)) -> PackSpec {
    PackSpec {
        conversation: ConversationId(2),
        project: ProjectId(1),
        user_seq: i64::MAX,
        prompt: "go on".to_owned(),
        seat: PackSeat {
            engine: EngineId::new(engine.0),
            engine_name: engine.1.to_owned(),
            model: None,
            role: None,
            persona: None,
            mode: None,
            supply: Supply::default(),
        },
        budget_chars: 60_000,
        held: None,
        detected_stack: vec!["Rust".to_owned(), "TypeScript".to_owned()],
        git_branch: Some("main".to_owned()),
        linked_branch: None,
        checkout: None,
        role_text: None,
        persona_text: None,
        found: Found::default(),
    }
}

pub fn claude() -> PackSpec {
    spec(ENGINES[0])
}

pub fn section(pack: &ContextPack, id: SectionId) -> Option<&str> {
    pack.sections.iter().find(|section| section.id == id).map(|section| section.text.as_str())
}

/// Report and text as one page; times and hashes left out.
fn page(pack: &ContextPack) -> String {
    let report = &pack.report;
    let mut out = format!(
        "mode {} ({}), {} of {} characters\n",
        report.mode.label(),
        report.mode_reason.label(),
        report.total_chars,
        report.budget_chars
    );
    for line in &report.sections {
        writeln!(
            out,
            "+ {}: {} of {} characters (wanted {}), about {} tokens, rows {:?}, cut: {}",
            line.id.label(),
            line.chars,
            line.budget_chars,
            line.want_chars,
            line.estimated_tokens,
            line.source_ids,
            if line.cut.is_empty() { "nothing" } else { &line.cut }
        )
        .unwrap();
    }
    for left in &report.left_out {
        writeln!(out, "- {}: {}", left.id.label(), left.why).unwrap();
    }
    for held in &report.held_by_session {
        writeln!(out, "= held by session: {held}").unwrap();
    }
    for note in &report.notes {
        writeln!(out, "! {}: {}", note.id.label(), note.text).unwrap();
    }
    format!("{out}==========\n{}\n", pack.text())
}

pub fn golden(name: &str, pack: &ContextPack) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/packs").join(name);
    let page = page(pack);
    if std::env::var_os("TUNAFLOW_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(page, expected, "{name} differs");
}

pub fn two_agents() -> Talk {
    let mut talk = Talk::new();
    talk.user("Plan the login page, please.\n\n```html\n<form>")
        .agent("Architect Claude", "# Plan\n\n1. Form\n2. Session\n3. Tests")
        .user("Codex, do step 1.");
    let tool = |output: &str| {
        ItemBody::Tool(ToolCall {
            name: "Bash".to_owned(),
            title: "cargo test".to_owned(),
            state: ToolState::Done,
            output: output.to_owned(),
            ..ToolCall::default()
        })
    };
    talk.put(
        agent("Codex"),
        vec![
            ItemBody::Thinking { text: "SIGNATURE-OF-ANOTHER-ENGINE".to_owned() },
            words("I added the form."),
            tool("running 3 tests\nok"),
            words("All pass."),
        ],
    );
    talk
}

#[test]
fn golden_first_message() {
    golden("first_message.txt", &Talk::new().pack(&claude()));
}

#[test]
fn golden_two_agents() {
    let mut spec = claude();
    spec.seat.role = Some("Reviewer".to_owned());
    spec.seat.persona = Some("Dry and brief.".to_owned());
    spec.seat.model = Some("opus".to_owned());
    golden("two_agents.txt", &two_agents().pack(&spec));
}

#[test]
fn golden_long_conversation() {
    let mut talk = two_agents();
    talk.chatter(40, &"many words about the checkout and its tests ".repeat(20));
    let mut spec = claude();
    spec.budget_chars = 20_000;
    spec.role_text = Some("Only look at accessibility.".to_owned());
    spec.seat.role = Some("Reviewer".to_owned());
    golden("long_conversation.txt", &talk.pack(&spec));
}

#[test]
fn golden_session_that_goes_on() {
    let mut talk = two_agents();
    let first = talk.pack(&claude());
    let held = Held {
        delivered_seq: talk.next_seq - 1,
        fixed_hash: first.report.fixed_hash.clone(),
        sections: first.report.told.clone(),
    };
    talk.user("And step 2?").agent("Codex", "Done too.");
    let mut spec = claude();
    spec.held = Some(held.clone());
    let pack = talk.pack(&spec);
    golden("session_goes_on.txt", &pack);
    assert_eq!(pack.report.fixed_hash, held.fixed_hash);

    // A new persona is news: the fixed sections go out again, the old messages do not.
    spec.seat.persona = Some("Cheerful.".to_owned());
    let changed = talk.pack(&spec);
    assert!(section(&changed, SectionId::Identity).unwrap().contains("Cheerful."));
    assert!(!changed.text().contains("Plan the login page"));
    assert!(render(&changed, "ask", true, false).user.starts_with("## Project"));
}

#[test]
fn a_session_with_nothing_new_gets_the_prompt_alone() {
    let talk = two_agents();
    let mut spec = claude();
    let fixed_hash = talk.pack(&spec).report.fixed_hash;
    spec.held = Some(Held { delivered_seq: talk.next_seq - 1, fixed_hash, sections: BTreeMap::new() });
    let pack = talk.pack(&spec);
    assert!(pack.sections.is_empty());
    assert_eq!(pack.report.held_by_session, ["project, platform rules, identity", "4 messages"]);
    assert_eq!(render(&pack, "ask", true, false).user, "ask");
}

#[test]
fn every_engine_is_told_the_same() {
    let mut talk = two_agents();
    talk.chatter(60, &"words ".repeat(150));
    for budget_chars in [1_000, 5_000, 20_000, 60_000, 400_000] {
        let packs: Vec<ContextPack> = ENGINES
            .iter()
            .map(|engine| {
                let mut spec = spec(*engine);
                spec.budget_chars = budget_chars;
                spec.seat.role = Some("Developer".to_owned());
                talk.pack(&spec)
            })
            .collect();
        for (pack, (engine, _)) in packs.iter().zip(ENGINES) {
            assert_eq!(pack.report.parity_hash, packs[0].report.parity_hash, "{engine} at {budget_chars}");
            for (one, other) in pack.sections.iter().zip(&packs[0].sections) {
                assert!(one == other || one.id == SectionId::Identity, "{engine}: {:?}", one.id);
            }
        }
        assert_ne!(packs[0].report.hash, packs[1].report.hash);
    }
}

#[test]
fn another_engine_takes_over_without_foreign_thinking() {
    let pack = two_agents().pack(&spec(ENGINES[2]));
    let text = pack.text();
    assert!(!text.contains("SIGNATURE"));
    for said in ["Plan the login page", "1. Form", "Codex, do step 1.", "All pass."] {
        let recent = section(&pack, SectionId::Recent).unwrap();
        assert_eq!(recent.matches(said).count(), 1, "{said}");
    }
}

#[test]
fn an_old_last_word_is_whole_at_ten_thousand_messages() {
    let mut talk = Talk::new();
    let view = format!("Use JWT. {}\nThat is my last word.", "Because of this. ".repeat(400));
    talk.agent("Architect Claude", &view).chatter(10_000, "short message");
    let pack = talk.pack(&claude());
    let recent = section(&pack, SectionId::Recent).unwrap();
    assert!(recent.contains(&view));
    assert!(recent.contains("short message 9999"));
    let line = pack.report.sections.iter().find(|line| line.id == SectionId::Recent).unwrap();
    // What does not fit is not read either: a message takes at least its label, its text and 40.
    assert!(line.source_ids.len() < 1_000);
    assert!(line.cut.ends_with("messages not shown"), "{}", line.cut);
    assert!(line.chars > 25_000, "{}", line.chars);
    assert!(line.budget_chars > 55_000);
    assert_eq!(pack.report.mode, Mode::Standard);
}

#[test]
fn korean_and_english_get_equal_room() {
    let told = |text: &str| {
        let mut talk = Talk::new();
        for _ in 0..60 {
            talk.user(text);
        }
        let mut spec = claude();
        spec.budget_chars = 20_000;
        let pack = talk.pack(&spec);
        let line = pack.report.sections.into_iter().find(|line| line.id == SectionId::Recent).unwrap();
        (line.chars, line.source_ids.len())
    };
    assert_eq!(told(&"가".repeat(1_000)), told(&"a".repeat(1_000)));
}

#[test]
fn the_users_own_message_is_not_told_twice() {
    let mut talk = two_agents();
    talk.user("NOW");
    let mut spec = claude();
    spec.user_seq = talk.next_seq - 1;
    assert!(!talk.pack(&spec).text().contains("NOW"));
}

#[test]
fn bad_inputs_give_sane_packs() {
    let huge = "줄 of text\n".repeat(1_200_000);
    let inputs = [
        huge.as_str(),
        "👩‍👩‍👧‍👦🇰🇷👍🏽",
        "שלום עולם\u{202e} مرحبا",
        "```rust\nfn a() {",
        "~~~\n```\n",
        "\u{0}\u{7}",
        "",
    ];
    for input in inputs {
        let mut talk = Talk::new();
        talk.user(input).agent("Codex", input).user("after");
        for budget_chars in [0, 1, 90, 400, 1_500, 4_000, 20_000] {
            let mut spec = claude();
            spec.budget_chars = budget_chars;
            spec.seat.role = Some("Tester".to_owned());
            spec.seat.persona = Some(input.chars().take(5_000).collect());
            let pack = talk.pack(&spec);
            let told = pack.sections.len() + pack.report.left_out.len();
            assert_eq!(told, 18, "every section is told of: {:?}", pack.report.left_out);
            if !input.contains("~~~") {
                assert_eq!(pack.text().lines().filter(|line| line.starts_with("```")).count() % 2, 0);
            }
            if budget_chars == 20_000 {
                assert!(section(&pack, SectionId::Recent).unwrap().contains("after"));
            }
        }
    }
}

#[test]
fn an_unknown_project_is_a_line_in_the_report() {
    let talk = two_agents();
    let mut spec = claude();
    spec.project = ProjectId(77);
    spec.seat.role = Some("Juggler".to_owned());
    let report = talk.pack(&spec).report;
    let why: Vec<&str> = report.left_out.iter().map(|left| left.why.as_str()).collect();
    assert_eq!(
        why[..2],
        ["could not be read: project 77 is not known", "there is no text for the role Juggler"]
    );
}

#[test]
fn older_results_and_long_code_become_one_line() {
    let mut talk = Talk::new();
    let code = format!("```rust\n{}```", "let a = 1;\n".repeat(40));
    let tool = ToolCall { name: "Read".to_owned(), output: "RESULT\n".repeat(50), ..ToolCall::default() };
    talk.user(&code).put(agent("Codex"), vec![ItemBody::Tool(tool.clone()), words(&code)]);
    talk.chatter(4, "small talk").put(agent("Codex"), vec![ItemBody::Tool(tool)]);
    let pack = talk.pack(&claude());
    let recent = section(&pack, SectionId::Recent).unwrap();
    assert!(recent.contains(&format!("[User]\n{code}")), "the user's words are never pruned");
    assert!(
        recent
            .contains("[Read — output: 50 lines, 350 characters]\n\n[code, rust: 40 lines, 451 characters]")
    );
    assert_eq!(recent.matches("RESULT").count(), 50, "the newest messages keep results");
}

#[test]
fn a_store_that_answers_nothing_is_an_error() {
    let talk = two_agents();
    let other = rusqlite::Connection::open(talk.dir.path().join("tunaflow.db")).unwrap();
    other.execute_batch("ALTER TABLE message RENAME TO gone").unwrap();
    assert!(assemble(&claude(), &Sources { db: &talk.db }).is_err());
}

#[test]
fn a_persona_is_a_name_or_its_own_words() {
    let cases = [
        (Some("concise"), None, "Say the result first"),
        (Some("Answer in verse."), None, "Answer in verse."),
        (Some("Concise"), Some("Our own brevity."), "Our own brevity."),
        (Some("Concise"), Some("  "), "Say the result first"),
    ];
    let world = Talk::new();
    for (persona, text, expected) in cases {
        let mut spec = claude();
        spec.seat.persona = persona.map(str::to_owned);
        spec.persona_text = text.map(str::to_owned);
        let pack = world.pack(&spec);
        let identity = section(&pack, SectionId::Identity).unwrap();
        assert!(identity.contains(expected), "{persona:?}: {identity}");
    }
    let mut spec = claude();
    spec.seat.persona = Some("Poet".to_owned());
    spec.persona_text = Some("In verse. ".repeat(1_000));
    let pack = world.pack(&spec);
    assert!(section(&pack, SectionId::Identity).unwrap().chars().count() <= 1_500);
}
