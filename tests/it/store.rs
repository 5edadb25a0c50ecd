//! The store from outside: what goes in comes out, whatever happens in between.

#![expect(clippy::unwrap_used, reason = "a helper that fails ends its test")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread::Builder;

use proptest::prelude::{Strategy, any, prop_assert_eq, prop_oneof, proptest};
use rusqlite::Connection;
use tunaflow::model::branch::{Branch, BranchFacts, BranchKind};
use tunaflow::model::engine::EngineId;
use tunaflow::model::id::{
    AgreementId, ArtifactId, ConversationId, FindingId, MessageId, PlanId, ProjectId, QueuedId, TopicId,
    TurnId,
};
use tunaflow::model::knowledge::{
    Agreement, AgreementBody, Artifact, ArtifactBody, ArtifactStart, Finding, FindingBody, Knowledge, Link,
    MadeBy, SkillSwitch, Topic, TopicBody,
};
use tunaflow::model::message::{
    Author, Item, ItemBody, Message, MessageState, NoticeLevel, PermissionOutcome, PlanEntry, PlanEntryState,
    ToolCall, ToolKind, ToolState,
};
use tunaflow::model::pack::{
    ContextPack, LeftOut, Mode, ModeReason, PackReport, PackSection, SectionId, SectionReport, Supply,
};
use tunaflow::model::plan::{Plan, PlanBody, Subtask};
use tunaflow::model::project::{Conversation, ConversationKind, Draft, Project, SeatChoice};
use tunaflow::model::record::{EngineSession, QueuedMessage, StoreWrite, TurnRecord};
use tunaflow::model::turn::{
    FailureKind, PermissionAction, PermissionRequest, StopReason, TurnFailure, TurnState, Usage,
};
use tunaflow::store::{ReadDb, Store, StoreError, StoreWorker, list_backups, restore_backup, seed};

const DAY_MS: i64 = 86_400_000;

struct Home {
    _dir: tempfile::TempDir,
    db: PathBuf,
    backups: PathBuf,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { db: dir.path().join("data/tunaflow.db"), backups: dir.path().join("backups"), _dir: dir }
    }

    fn open(&self) -> Store {
        Store::open(&self.db, &self.backups, 1_000).unwrap()
    }

    fn reader(&self) -> ReadDb {
        ReadDb::open_read_only(&self.db).unwrap()
    }

    fn sql(&self, sql: &str) {
        Connection::open(&self.db).unwrap().execute_batch(sql).unwrap();
    }
}

fn seat() -> SeatChoice {
    SeatChoice {
        engine: EngineId::new("openai:집"),
        model: Some("m".into()),
        role: Some("Architect".into()),
        persona: Some("dry".into()),
        mode: Some(Mode::Full),
        supply: Supply::Pull,
        profile: Some("건축".into()),
    }
}

fn project(id: i64) -> Project {
    Project {
        id: ProjectId(id),
        name: format!("P{id} 한글"),
        path: format!("/tmp/p {id}").into(),
        created_ms: 1,
        opened_ms: 100 + id,
        skip_permissions: true,
    }
}

fn conversation(id: i64, project: i64) -> Conversation {
    Conversation {
        id: ConversationId(id),
        project: ProjectId(project),
        kind: ConversationKind::Roundtable,
        branch: Some(Branch {
            parent: ConversationId(1),
            checkpoint: Some(MessageId(3)),
            facts: BranchFacts {
                kind: BranchKind::Review,
                git_branch: Some("b".into()),
                ..BranchFacts::default()
            },
        }),
        title: format!("대화 {id}"),
        created_ms: 5,
        updated_ms: id * 10,
        archived: true,
        seat: seat(),
        message_count: 7,
        unread: true,
        last_turn: Some(TurnState::NeedsYou),
    }
}

fn text(id: i64, conversation: i64, words: &str) -> Message {
    Message {
        id: MessageId(id),
        conversation: ConversationId(conversation),
        seq: id,
        author: Author::User,
        created_ms: 9,
        state: MessageState::Complete,
        items: vec![Item { key: "t".into(), body: ItemBody::Text { text: words.into() } }],
        turn: None,
        duration_ms: None,
        usage: None,
        revision: 3,
        unsaved: false,
    }
}

fn by(mut message: Message, name: &str) -> Message {
    message.author =
        Author::Agent { engine: EngineId::new("demo"), model: None, name: name.into(), role: None };
    message
}

fn failure() -> TurnFailure {
    TurnFailure {
        kind: FailureKind::PlanLimit,
        message: "limit".into(),
        hint: "wait".into(),
        detail: "exit 3".into(),
        resets_at_ms: Some(77),
    }
}

fn usage() -> Usage {
    Usage { input_tokens: Some(u64::MAX), cost_usd: Some(0.125), window_tokens: Some(5), ..Usage::default() }
}

fn turn(id: i64, conversation: i64, state: TurnState) -> TurnRecord {
    TurnRecord {
        id: TurnId(id),
        conversation: ConversationId(conversation),
        user_message: MessageId(1),
        answer: Some(MessageId(2)),
        seat: seat(),
        state,
        started_ms: 3,
        ended_ms: Some(4),
        stop: Some(StopReason::MaxTokens),
        failure: Some(failure()),
        usage: Some(usage()),
        session: Some("abc".into()),
        fork_point: Some("uuid".into()),
    }
}

fn pack() -> ContextPack {
    ContextPack {
        sections: vec![PackSection { id: SectionId::Recent, text: "## 최근\n…".into() }],
        report: PackReport {
            mode: Mode::Standard,
            mode_reason: ModeReason::HasPlan,
            budget_chars: 60_000,
            total_chars: 9,
            sections: vec![SectionReport {
                id: SectionId::Recent,
                chars: 9,
                estimated_tokens: 3,
                budget_chars: 4_000,
                want_chars: 7,
                cut: "head".into(),
                source_ids: vec![1, 2],
            }],
            left_out: vec![LeftOut { id: SectionId::Plan, why: "none".into() }],
            held_by_session: vec!["x".into()],
            notes: Vec::new(),
            fixed_hash: String::new(),
            told: [(SectionId::Plan, "p".to_owned())].into(),
            parity_hash: "a".into(),
            hash: "b".into(),
            assembly_micros: 12,
        },
    }
}

fn base() -> Vec<StoreWrite> {
    vec![StoreWrite::PutProject(project(1)), StoreWrite::PutConversation(conversation(2, 1))]
}

#[test]
fn every_kind_of_row_comes_back_as_it_went_in() {
    let home = Home::new();
    let mut store = home.open();
    let session = EngineSession {
        conversation: ConversationId(2),
        engine: EngineId::new("demo"),
        session: "s".into(),
        delivered_seq: 8,
        fixed_hash: "f".into(),
        sections: [(SectionId::Plan, "p".to_owned())].into(),
        turns: 2,
        window_used_tokens: Some(10),
        window_tokens: None,
        updated_ms: 6,
    };
    let draft = Draft { text: "초안".into(), pastes: vec!["a\r\nb\0".into()] };
    let queued =
        QueuedMessage { id: QueuedId(9), conversation: ConversationId(2), text: "q".into(), created_ms: 1 };
    let event =
        StoreWrite::AppendTurnEvent { turn: TurnId(30), at_ms: 4, kind: "k".into(), json: "{}".into() };
    let mut batch = base();
    batch.extend([
        StoreWrite::PutMessage(text(10, 2, "hello")),
        StoreWrite::PutTurn(turn(30, 2, TurnState::Running)),
        StoreWrite::PutTurn(turn(31, 2, TurnState::Done)),
        event,
        StoreWrite::PutPack { turn: TurnId(30), pack: Box::new(pack()), sent_text: "sent\n".into() },
        StoreWrite::PutSession(session.clone()),
        StoreWrite::PutDraft { conversation: ConversationId(2), draft: Some(draft.clone()) },
        StoreWrite::PutQueued(queued.clone()),
        StoreWrite::PutSetting { name: "theme".into(), json: "\"dark\"".into() },
    ]);
    store.apply(&batch).unwrap();
    // Again: everything but events replaces itself, and nothing below is lost by it.
    store.apply(&batch).unwrap();
    let reader = home.reader();
    let startup = reader.startup().unwrap();
    assert_eq!(startup.projects, [project(1)]);
    assert_eq!(startup.conversations, [conversation(2, 1)]);
    assert_eq!(startup.queued, [queued]);
    assert_eq!(startup.drafts, [(ConversationId(2), draft)]);
    assert_eq!(startup.settings, [("theme".to_owned(), "\"dark\"".to_owned())]);
    assert_eq!(startup.open_turns, [turn(30, 2, TurnState::Running)]);
    assert_eq!(startup.next_id, 32);
    assert_eq!(reader.message(MessageId(10)).unwrap(), Some(text(10, 2, "hello")));
    assert_eq!(reader.turn(TurnId(31)).unwrap(), Some(turn(31, 2, TurnState::Done)));
    assert_eq!(reader.latest_turn(ConversationId(2)).unwrap(), Some(turn(31, 2, TurnState::Done)));
    assert_eq!(reader.turns_of(ConversationId(2)).unwrap().len(), 2);
    assert_eq!(reader.turn_events(TurnId(30)).unwrap().len(), 2);
    assert_eq!(reader.pack(TurnId(30)).unwrap(), Some((pack(), "sent\n".to_owned())));
    assert_eq!(reader.pack(TurnId(31)).unwrap(), None);
    assert_eq!(reader.session(ConversationId(2), &session.engine).unwrap(), Some(session.clone()));
    assert_eq!(reader.conversation(ConversationId(2)).unwrap(), Some(conversation(2, 1)));
    assert_eq!(reader.project(ProjectId(1)).unwrap(), Some(project(1)));
    store
        .apply(&[
            StoreWrite::DropSession { conversation: ConversationId(2), engine: session.engine.clone() },
            StoreWrite::RemoveQueued(QueuedId(9)),
            StoreWrite::PutDraft { conversation: ConversationId(2), draft: None },
            StoreWrite::SetMessagesDeleted { messages: vec![MessageId(10)], deleted_ms: Some(1) },
        ])
        .unwrap();
    let startup = reader.startup().unwrap();
    assert!(startup.queued.is_empty() && startup.drafts.is_empty());
    assert_eq!(reader.session(ConversationId(2), &session.engine).unwrap(), None);
    assert_eq!(reader.message(MessageId(10)).unwrap(), None);
    store.apply(&[StoreWrite::PutSession(session.clone())]).unwrap();
    store.apply(&[StoreWrite::DropSessions { conversation: ConversationId(2) }]).unwrap();
    assert_eq!(reader.session(ConversationId(2), &session.engine).unwrap(), None);
    store.apply(&[StoreWrite::RemoveProject(ProjectId(1))]).unwrap();
    assert_eq!(reader.turn(TurnId(30)).unwrap(), None);
    let after = reader.startup().unwrap();
    assert!(after.projects.is_empty() && after.conversations.is_empty());
    assert_eq!(after.next_id, 32, "ids are not given twice");
}

/// One row of every kind that a project keeps.
fn kept_rows() -> (Plan, Finding, Agreement, Artifact, Topic, Link, SkillSwitch) {
    let (project, talk, other) = (ProjectId(1), ConversationId(2), ConversationId(3));
    let steps = vec![Subtask { number: 1, title: "s".into(), ..Subtask::default() }];
    let plan = Plan {
        id: PlanId(40),
        project,
        conversation: Some(talk),
        implementation: Some(other),
        review: None,
        active: true,
        updated_ms: 7,
        body: PlanBody { title: "계획".into(), subtasks: steps, version: 3, ..PlanBody::default() },
        document: "# Doc\n```\nopen".into(),
    };
    let body = FindingBody { text: "leak".into(), line: Some(3), ..FindingBody::default() };
    let finding =
        Finding { id: FindingId(42), project, plan: Some(plan.id), open: true, updated_ms: 1, body };
    let body = AgreementBody { text: "REST".into(), made_by: MadeBy::Roundtable, ..AgreementBody::default() };
    let agreement = Agreement { id: AgreementId(44), project, conversation: Some(talk), updated_ms: 1, body };
    let artifact = Artifact {
        id: ArtifactId(45),
        project,
        conversation: None,
        pinned: true,
        updated_ms: 1,
        body: ArtifactBody { title: "schema".into(), ..ArtifactBody::default() },
        text: "create table".into(),
    };
    let body = TopicBody { name: "auth".into(), messages: vec![MessageId(5)], ..TopicBody::default() };
    let topic = Topic { id: TopicId(47), conversation: talk, pinned: false, updated_ms: 1, body };
    let link = Link { conversation: talk, linked: other, made_by: MadeBy::Adopt, created_ms: 4 };
    let switch = SkillSwitch { project, conversation: None, skill: "axum".into(), on: true };
    (plan, finding, agreement, artifact, topic, link, switch)
}

#[test]
fn what_a_project_keeps_comes_back_as_it_went_in() {
    let home = Home::new();
    let mut store = home.open();
    let (project, talk, other) = (ProjectId(1), ConversationId(2), ConversationId(3));
    let (plan, finding, agreement, artifact, topic, link, switch) = kept_rows();
    let older = Plan { id: PlanId(41), updated_ms: 6, implementation: None, ..plan.clone() };
    let settled = Finding { id: FindingId(43), open: false, updated_ms: 2, ..finding.clone() };
    let loose = Artifact { id: ArtifactId(46), pinned: false, updated_ms: 2, ..artifact.clone() };
    let own = SkillSwitch { conversation: Some(talk), on: false, ..switch.clone() };
    let mut batch = base();
    batch.extend([
        StoreWrite::PutConversation(conversation(3, 1)),
        StoreWrite::PutPlan(Box::new(plan.clone())),
        StoreWrite::PutPlan(Box::new(older.clone())),
        StoreWrite::PutFinding(finding.clone()),
        StoreWrite::PutFinding(settled.clone()),
        StoreWrite::PutAgreement(agreement.clone()),
        StoreWrite::PutArtifact(Box::new(artifact.clone())),
        StoreWrite::PutArtifact(Box::new(loose.clone())),
        StoreWrite::PutTopic(topic.clone()),
        StoreWrite::PutLink(link),
        StoreWrite::PutSkillSwitch(switch.clone()),
        StoreWrite::PutSkillSwitch(own.clone()),
    ]);
    store.apply(&batch).unwrap();
    store.apply(&batch).unwrap();
    let reader = home.reader();
    let kept = reader.knowledge(project).unwrap();
    assert_eq!(kept.plans, [plan.clone(), older.clone()]);
    assert_eq!(kept.findings, [settled.clone(), finding.clone()]);
    assert_eq!(kept.agreements, std::slice::from_ref(&agreement));
    assert_eq!(kept.artifacts, [loose.clone(), artifact.clone()]);
    assert_eq!(kept.links, [link]);
    assert_eq!(kept.skills, [switch.clone(), own]);
    assert_eq!(reader.active_plan(talk).unwrap(), Some(plan.clone()), "the newest");
    assert_eq!(reader.active_plan(other).unwrap(), Some(plan.clone()), "by its branch");
    assert_eq!(reader.active_plan(ConversationId(9)).unwrap(), None);
    assert_eq!(reader.findings(project, true, 9).unwrap(), [finding]);
    assert_eq!(reader.agreements_of(talk, 9).unwrap(), [agreement]);
    let start = |text: &str, rest_chars| ArtifactStart {
        start: Artifact { text: text.to_owned(), ..artifact.clone() },
        rest_chars,
    };
    let long = artifact.text.chars().count();
    assert_eq!(reader.pinned_artifacts(project, 9, long).unwrap(), [start(&artifact.text, 0)]);
    let some: String = artifact.text.chars().take(3).collect();
    assert_eq!(reader.pinned_artifacts(project, 9, 3).unwrap(), [start(&some, long - 3)]);
    assert_eq!(reader.topics(talk, 9).unwrap(), [topic]);
    assert_eq!(reader.links_from(talk, 9).unwrap(), [link]);
    assert_eq!(reader.startup().unwrap().next_id, 48);
    let remove_own =
        StoreWrite::RemoveSkillSwitch { project, conversation: Some(talk), skill: "axum".into() };
    store
        .apply(&[
            remove_own,
            StoreWrite::RemoveLink { conversation: talk, linked: other },
            StoreWrite::RemoveFinding(FindingId(42)),
            StoreWrite::RemoveArtifact(ArtifactId(46)),
            StoreWrite::RemovePlan(PlanId(41)),
        ])
        .unwrap();
    let kept = reader.knowledge(project).unwrap();
    assert_eq!((kept.plans.len(), kept.artifacts.len(), kept.links.len()), (1, 1, 0));
    assert_eq!((kept.findings, kept.skills), (vec![settled], vec![switch]));
    store.apply(&[StoreWrite::RemoveProject(project)]).unwrap();
    assert_eq!(reader.knowledge(project).unwrap(), Knowledge::default());
}

#[test]
fn a_batch_is_kept_whole_or_not_at_all() {
    let home = Home::new();
    let mut store = home.open();
    store.apply(&base()).unwrap();
    let batch = [StoreWrite::PutMessage(text(10, 2, "a")), StoreWrite::PutMessage(text(11, 999, "b"))];
    assert!(store.apply(&batch).is_err());
    assert_eq!(home.reader().message_count(ConversationId(2)), Ok(0));
    assert_eq!(home.reader().startup().unwrap().next_id, 3);
}

#[test]
fn a_newer_database_is_refused_and_left_alone() {
    let home = Home::new();
    drop(home.open());
    home.sql("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)");
    let before = std::fs::read(&home.db).unwrap();
    let expected = StoreError::TooNew { found: 99, known: 3 };
    assert_eq!(Store::open(&home.db, &home.backups, 0).err(), Some(expected.clone()));
    assert_eq!(ReadDb::open_read_only(&home.db).err(), Some(expected));
    assert!(std::fs::read(&home.db).unwrap() == before);
}

#[test]
fn rubbish_is_never_taken_for_an_empty_history() {
    let home = Home::new();
    drop(home.open());
    std::fs::write(&home.db, b"rubbish").unwrap();
    assert!(matches!(Store::open(&home.db, &home.backups, 0), Err(StoreError::Damaged { .. })));
    assert_eq!(std::fs::read(&home.db).unwrap(), b"rubbish");
}

#[test]
fn one_bad_row_costs_one_row() {
    let home = Home::new();
    let mut store = home.open();
    let mut batch = base();
    batch.push(StoreWrite::PutConversation(conversation(3, 1)));
    batch.extend((10..22).map(|id| StoreWrite::PutMessage(by(text(id, 2, &format!("말 {id}")), "Ada"))));
    batch.push(StoreWrite::PutTurn(turn(30, 2, TurnState::Running)));
    batch.push(StoreWrite::PutSetting { name: "good".into(), json: "1".into() });
    batch.push(StoreWrite::PutSetting { name: "bad".into(), json: "1".into() });
    store.apply(&batch).unwrap();
    home.sql(
        "UPDATE message SET items_json = '{broken' WHERE id = 10;
         UPDATE message SET items_json = NULL, plain_text = NULL WHERE id = 11;
         UPDATE message SET items_json = x'00ff' WHERE id = 12;
         UPDATE message SET author_json = '[]' WHERE id = 13;
         UPDATE message SET state = 'melted' WHERE id = 14;
         UPDATE message SET created_ms = 'noon', revision = -4 WHERE id = 15;
         UPDATE message SET usage_json = '{\"input_tokens\":\"many\"}' WHERE id = 16;
         UPDATE message SET items_json = '[{\"key\":\"a\",\"item\":\"hologram\"},
           {\"key\":\"b\",\"item\":\"text\",\"text\":\"kept\"}]' WHERE id = 17;
         UPDATE message SET items_json = CAST(x'5bff5d' AS TEXT) WHERE id = 18;
         UPDATE message SET speaker = x'ff', by_user = 'x', chars = 'y' WHERE id = 19;
         UPDATE conversation SET seat_json = 'no', title = NULL, kind = 'x', message_count = -1 WHERE id = 3;
         UPDATE project SET name = NULL, skip_permissions = 'yes';
         UPDATE turn SET state = 'dreaming', seat_json = NULL, failure_json = '3' WHERE id = 30;
         UPDATE setting SET json = '{' WHERE name = 'bad';",
    );
    let reader = home.reader();
    let messages = reader.messages_between(ConversationId(2), 0, 100).unwrap();
    assert_eq!(messages.len(), 12);
    for message in &messages {
        let damaged = matches!(message.state, MessageState::Damaged { .. });
        assert_eq!(damaged, (10..19).contains(&message.id.0), "{message:?}");
    }
    assert_eq!(messages[0].plain_text(), "말 10", "what was said is rescued");
    assert!(messages[1].items.is_empty());
    assert_eq!(messages[3].plain_text(), "말 13");
    assert_eq!(messages[7].plain_text(), "kept");
    assert_eq!(reader.index(ConversationId(2)).unwrap().len(), 12);
    let startup = reader.startup().unwrap();
    assert_eq!(startup.conversations.len(), 2);
    let bad = startup.conversations.iter().find(|c| c.id == ConversationId(3)).unwrap();
    assert_eq!((bad.title.as_str(), bad.message_count), ("Conversation 3", 0));
    assert!(!startup.projects[0].skip_permissions, "an unreadable permission is none");
    assert_eq!(startup.open_turns.len(), 1);
    assert_eq!(startup.settings, [("good".to_owned(), "1".to_owned())]);
    // Writing a placeholder back does not destroy what is still there.
    store.apply(&[StoreWrite::PutMessage(messages[0].clone())]).unwrap();
    home.sql("UPDATE message SET items_json = '[]' WHERE id = 10 AND items_json = '{broken'");
    assert_eq!(reader.message(MessageId(10)).unwrap().unwrap().state, MessageState::Complete);
}

#[test]
fn a_thousand_conversations_are_all_listed_newest_first() {
    let home = Home::new();
    let mut store = home.open();
    let mut batch = vec![StoreWrite::PutProject(project(1))];
    batch.extend((2..1002).map(|id| StoreWrite::PutConversation(conversation(id, 1))));
    store.apply(&batch).unwrap();
    let listed = home.reader().startup().unwrap().conversations;
    let ids: Vec<i64> = listed.iter().map(|conversation| conversation.id.0).collect();
    assert_eq!(ids, (2..1002).rev().collect::<Vec<_>>());
}

#[test]
fn deleting_is_undone_until_the_next_start_then_erased() {
    let home = Home::new();
    let mut store = home.open();
    let mut batch = base();
    batch.push(StoreWrite::PutConversation(conversation(3, 1)));
    batch.extend((10..1500).map(|id| StoreWrite::PutMessage(text(id, 2, "x"))));
    store.apply(&batch).unwrap();
    let delete =
        |id, deleted_ms| StoreWrite::SetConversationDeleted { conversation: ConversationId(id), deleted_ms };
    store.apply(&[delete(2, Some(5)), delete(3, Some(6))]).unwrap();
    assert!(home.reader().startup().unwrap().conversations.is_empty());
    // A late change of the row does not bring it back.
    store.apply(&[StoreWrite::PutConversation(conversation(2, 1))]).unwrap();
    assert_eq!(home.reader().conversation(ConversationId(2)), Ok(None));
    store.apply(&[delete(3, None)]).unwrap();
    assert_eq!(store.erase_deleted_step(), Ok(false), "nothing is erased in the same run");
    store.close().unwrap();
    let mut store = home.open();
    store.apply(&[delete(3, Some(7))]).unwrap();
    while store.erase_deleted_step().unwrap() {}
    assert_eq!(home.reader().message(MessageId(10)), Ok(None));
    store.apply(&[delete(2, None), delete(3, None)]).unwrap();
    let left: Vec<i64> = home.reader().startup().unwrap().conversations.iter().map(|c| c.id.0).collect();
    assert_eq!(left, [3]);
}

#[test]
fn what_was_written_survives_an_end_without_farewell() {
    let home = Home::new();
    let mut store = home.open();
    store.apply(&base()).unwrap();
    for id in 10..60 {
        store.apply(&[StoreWrite::PutMessage(text(id, 2, "said"))]).unwrap();
    }
    // The files as they lie at the moment of a kill: database and log, nothing checkpointed.
    let other = Home::new();
    std::fs::create_dir_all(other.db.parent().unwrap()).unwrap();
    for suffix in ["", "-wal"] {
        let part = |db: &PathBuf| PathBuf::from(format!("{}{suffix}", db.display()));
        std::fs::copy(part(&home.db), part(&other.db)).unwrap();
    }
    let store = other.open();
    assert_eq!(other.reader().message_count(ConversationId(2)), Ok(50));
    store.close().unwrap();
    assert_eq!(tunaflow::store::quick_check(&other.db), Ok(()));
}

#[test]
fn readers_never_meet_a_lock_while_the_writer_writes() {
    let home = Home::new();
    let mut store = home.open();
    store.apply(&base()).unwrap();
    let worker = StoreWorker::start(store).unwrap();
    let ended = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..5)
        .map(|number| {
            let (db, ended) = (home.db.clone(), Arc::clone(&ended));
            let read = move || {
                let reader = ReadDb::open_read_only(&db)?;
                let mut last = 0;
                while !ended.load(Ordering::Relaxed) {
                    let count = reader.message_count(ConversationId(2))?;
                    assert!(count >= last && count % 2 == 0, "batches of two are seen whole");
                    last = count;
                    reader.startup()?;
                    reader.recent(ConversationId(2), i64::MAX, 20)?;
                    reader.find(ConversationId(2), "민국", 10)?;
                }
                Ok::<_, StoreError>(last)
            };
            Builder::new().name(format!("reader-{number}")).spawn(read).unwrap()
        })
        .collect();
    let (results, told) = sync_channel(500);
    for number in 0..200_i64 {
        let ids = [10 + number * 2, 11 + number * 2];
        let batch = ids.map(|id| StoreWrite::PutMessage(text(id, 2, "대한민국의 역사를"))).to_vec();
        let results = results.clone();
        worker.write(batch, Box::new(move |result| results.send(result).unwrap()));
    }
    worker.drain_and_close().unwrap();
    ended.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.join().unwrap().unwrap();
    }
    let results: Vec<_> = told.try_iter().collect();
    assert_eq!(results.len(), 200);
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(home.reader().message_count(ConversationId(2)), Ok(400));
}

#[test]
fn a_closed_store_still_answers() {
    let home = Home::new();
    let worker = StoreWorker::start(home.open()).unwrap();
    let handle = worker.handle();
    worker.drain_and_close().unwrap();
    let (results, told) = sync_channel(1);
    handle.write(base(), Box::new(move |result| results.send(result).unwrap()));
    assert!(told.try_recv().unwrap().is_err());
}

#[test]
fn context_reads_take_the_right_messages() {
    let home = Home::new();
    let mut store = home.open();
    let mut batch = base();
    let names = ["Ada", "", "Grace", "에이다"];
    for id in 10..50_i64 {
        let message = text(id, 2, &format!("m{id}"));
        let name = names[usize::try_from(id).unwrap() % 4];
        batch.push(StoreWrite::PutMessage(if id < 30 { by(message, name) } else { message }));
    }
    batch.push(StoreWrite::PutMessage(by(text(50, 2, ""), "Ada")));
    store.apply(&batch).unwrap();
    let reader = home.reader();
    let c = ConversationId(2);
    assert_eq!(reader.speakers(c).unwrap(), ["", "Ada", "Grace", "에이다"]);
    let ids = |messages: Vec<Message>| messages.iter().map(|m| m.id.0).collect::<Vec<_>>();
    assert_eq!(
        ids(reader.last_by_speaker(c, i64::MAX).unwrap()),
        [29, 28, 27, 26],
        "silence is no last word"
    );
    assert_eq!(ids(reader.last_by_speaker(c, 28).unwrap()), [27, 26, 25, 24]);
    assert_eq!(ids(reader.recent(c, 20, 3).unwrap()), [19, 18, 17]);
    assert_eq!(ids(reader.messages_between(c, 12, 14).unwrap()), [12, 13, 14]);
    let found = reader.find(c, "M1", 4).unwrap();
    assert_eq!(found.messages, [10, 11, 12, 13].map(MessageId));
    assert!(found.capped);
    assert!(!reader.find(c, "m49", 1).unwrap().capped);
    assert!(reader.find(c, "", 4).unwrap().messages.is_empty());
}

#[test]
fn short_korean_words_are_found() {
    let home = Home::new();
    let mut store = home.open();
    let mut batch = base();
    batch.push(StoreWrite::PutMessage(text(10, 2, "대한민국의 역사를 한 문단으로")));
    batch.push(StoreWrite::PutMessage(text(11, 2, "다른 이야기")));
    store.apply(&batch).unwrap();
    for query in ["역사", "민국", "대한민국의 역"] {
        let found = home.reader().find(ConversationId(2), query, 10).unwrap();
        assert_eq!(found.messages, [MessageId(10)], "{query}");
    }
}

#[test]
fn a_hundred_thousand_messages_are_read_by_index() {
    let home = Home::new();
    std::fs::create_dir_all(home.db.parent().unwrap()).unwrap();
    seed::seed(&home.db, 1, 100_000).unwrap();
    let reader = home.reader();
    let clock = std::time::Instant::now();
    let index = reader.index(ConversationId(2)).unwrap();
    let index_ms = clock.elapsed().as_millis();
    assert_eq!(index.len(), 100_000);
    assert!(index.is_sorted_by_key(|row| row.seq));
    let clock = std::time::Instant::now();
    let page = reader.messages_between(ConversationId(2), 99_951, 100_000).unwrap();
    let page_ms = clock.elapsed().as_millis();
    assert_eq!(page.len(), 50);
    let clock = std::time::Instant::now();
    let found = reader.find(ConversationId(2), "nowhere", 100).unwrap();
    let find_ms = clock.elapsed().as_millis();
    assert!(found.messages.is_empty());
    let clock = std::time::Instant::now();
    let store = home.open();
    let open_ms = clock.elapsed().as_millis();
    let clock = std::time::Instant::now();
    assert_eq!(tunaflow::store::quick_check(&home.db), Ok(()));
    let check_ms = clock.elapsed().as_millis();
    let clock = std::time::Instant::now();
    assert!(store.backup_if_due(DAY_MS).unwrap().is_some());
    let backup_ms = clock.elapsed().as_millis();
    println!(
        "index {index_ms} ms, page {page_ms} ms, find {find_ms} ms, open {open_ms} ms, check {check_ms} ms, \
         backup {backup_ms} ms, {} bytes",
        std::fs::metadata(&home.db).unwrap().len()
    );
    // Wide margins: a slow machine in an unoptimised build must not fail, a missing index must.
    assert!(index_ms < 1_000 && page_ms < 200 && open_ms < 500);
}

#[test]
fn daily_backups_are_five_and_one_can_be_put_back() {
    let home = Home::new();
    let mut store = home.open();
    store.apply(&base()).unwrap();
    for day in 1..=7 {
        assert!(store.backup_if_due(day * DAY_MS + 5_000).unwrap().is_some());
        assert_eq!(store.backup_if_due(day * DAY_MS + 9_000), Ok(None));
    }
    let copies = list_backups(&home.backups);
    let days: Vec<i64> = copies.iter().map(|copy| copy.made_ms / DAY_MS).collect();
    assert_eq!(days, [7, 6, 5, 4, 3]);
    store.apply(&[StoreWrite::PutMessage(text(10, 2, "after the copies"))]).unwrap();
    store.close().unwrap();
    let mut bytes = std::fs::read(&home.db).unwrap();
    bytes[..50].fill(7);
    std::fs::write(&home.db, &bytes).unwrap();
    assert!(matches!(Store::open(&home.db, &home.backups, 0), Err(StoreError::Damaged { .. })));
    let kept = restore_backup(&copies[0].path, &home.db).unwrap().unwrap();
    assert!(std::fs::read(&kept).unwrap() == bytes, "the damaged file is kept");
    let store = home.open();
    assert_eq!(home.reader().startup().unwrap().conversations, [conversation(2, 1)]);
    store.close().unwrap();
    assert!(copies[0].path.exists());
    assert!(restore_backup(&kept, &home.db).is_err(), "a damaged file is no backup");
    assert_eq!(tunaflow::store::quick_check(&home.db), Ok(()));
    std::fs::write(&home.db, b"").unwrap();
    assert!(matches!(Store::open(&home.db, &home.backups, 0), Err(StoreError::Damaged { .. })));
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let mut store = home.open();
    store.apply(&base()).unwrap();
    store.backup_if_due(0).unwrap();
    let mut seen = 0;
    for folder in [home.db.parent().unwrap(), &home.backups] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{entry:?}");
            seen += 1;
        }
    }
    assert!(seen >= 3, "database, log and copy");
}

#[cfg(unix)]
#[test]
fn a_path_that_is_no_unicode_comes_back() {
    use std::os::unix::ffi::OsStrExt as _;
    let home = Home::new();
    let mut store = home.open();
    let mut odd = project(1);
    odd.path = std::ffi::OsStr::from_bytes(b"/tmp/\xff\xfe").into();
    store.apply(&[StoreWrite::PutProject(odd.clone())]).unwrap();
    assert_eq!(home.reader().project(ProjectId(1)), Ok(Some(odd)));
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[가-힣 😀\u{0}\r\n\"\\\\]{0,30}"]
}

fn body() -> impl Strategy<Value = ItemBody> {
    let request = (words(), proptest::option::of(words())).prop_map(|(ask, command)| PermissionRequest {
        ask,
        command,
        action: PermissionAction::Run,
        ..PermissionRequest::default()
    });
    prop_oneof![
        words().prop_map(|text| ItemBody::Text { text }),
        words().prop_map(|text| ItemBody::Thinking { text }),
        words().prop_map(|text| ItemBody::Notice { level: NoticeLevel::Warn, text }),
        words().prop_map(|text| ItemBody::Plan {
            entries: vec![PlanEntry { text, state: PlanEntryState::InProgress }]
        }),
        (words(), words(), any::<Option<i32>>(), any::<Option<i64>>()).prop_map(
            |(name, output, exit_code, duration_ms)| ItemBody::Tool(ToolCall {
                name,
                kind: ToolKind::Run,
                output,
                exit_code,
                duration_ms,
                state: ToolState::Failed,
                changed_files: vec!["a".into()],
                ..ToolCall::default()
            })
        ),
        (request, words()).prop_map(|(request, comment)| ItemBody::Permission {
            request,
            outcome: Some(PermissionOutcome::Denied { comment })
        }),
    ]
}

fn author() -> impl Strategy<Value = Author> {
    prop_oneof![
        proptest::strategy::Just(Author::User),
        proptest::strategy::Just(Author::System),
        (words(), words(), proptest::option::of(words())).prop_map(|(engine, name, model)| Author::Agent {
            engine: EngineId::new(engine),
            model,
            role: Some(name.clone()),
            name
        }),
    ]
}

fn state() -> impl Strategy<Value = MessageState> {
    prop_oneof![
        proptest::strategy::Just(MessageState::Complete),
        proptest::strategy::Just(MessageState::Streaming),
        proptest::strategy::Just(MessageState::Stopped),
        proptest::strategy::Just(MessageState::Interrupted),
        words().prop_map(|why| MessageState::Damaged { why }),
        words().prop_map(|message| MessageState::Failed { failure: TurnFailure { message, ..failure() } }),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let items = proptest::collection::vec((words(), body()).prop_map(|(key, body)| Item { key, body }), 1..6);
    let numbers = (any::<i64>(), any::<Option<i64>>(), any::<u32>(), any::<Option<u64>>());
    (author(), state(), items, numbers).prop_map(
        |(author, state, items, (created_ms, turn, revision, tokens))| Message {
            author,
            state,
            items,
            created_ms,
            turn: turn.map(TurnId),
            duration_ms: turn,
            revision,
            usage: tokens.map(|tokens| Usage { output_tokens: Some(tokens), ..usage() }),
            ..text(10, 2, "")
        },
    )
}

proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_message_comes_back_as_it_went_in(messages in proptest::collection::vec(message(), 1..8)) {
        let home = Home::new();
        let mut store = home.open();
        store.apply(&base()).unwrap();
        let messages: Vec<Message> = (10..).zip(messages)
            .map(|(id, message)| Message { id: MessageId(id), seq: id, ..message })
            .collect();
        store.apply(&messages.iter().cloned().map(StoreWrite::PutMessage).collect::<Vec<_>>()).unwrap();
        let reader = home.reader();
        prop_assert_eq!(&reader.messages_between(ConversationId(2), 0, i64::MAX).unwrap(), &messages);
        prop_assert_eq!(reader.index(ConversationId(2)).unwrap().len(), messages.len());
        for message in &messages {
            let said = message.plain_text();
            let found = reader.find(ConversationId(2), &said, 100).unwrap();
            prop_assert_eq!(found.messages.contains(&message.id), !said.is_empty());
        }
    }
}
