//! Sections through the whole program: kept, read back, packed, sent, heard by an engine.

use std::sync::Arc;

use tunaflow::api::command::ChatCommand;
use tunaflow::api::snapshot::ConversationView;
use tunaflow::model::branch::{Branch, BranchFacts};
use tunaflow::model::engine::EngineId;
use tunaflow::model::id::{ConversationId, MessageId, ProjectId};
use tunaflow::model::knowledge::{Link, MadeBy, SkillSwitch};
use tunaflow::model::message::ItemBody;
use tunaflow::model::pack::{ContextPack, Mode, SectionId};
use tunaflow::model::record::StoreWrite;
use tunaflow::os::paths::DataPaths;
use tunaflow::store::{ReadDb, Store};

use crate::pack_sections::{agreement, artifact, finding, plan, topic};
use crate::support::app::{TestApp, last, messages};

/// Everything but what nothing gives yet: past passages and the code graph.
const ALL: [SectionId; 16] = [
    SectionId::Project,
    SectionId::PlatformRules,
    SectionId::Role,
    SectionId::Identity,
    SectionId::Participants,
    SectionId::ThreadInheritance,
    SectionId::Recent,
    SectionId::Plan,
    SectionId::PlanDocument,
    SectionId::Findings,
    SectionId::Agreements,
    SectionId::Artifacts,
    SectionId::CompressedMemory,
    SectionId::Skills,
    SectionId::CodeSearch,
    SectionId::CrossSession,
];

const ECHO: &str = "{\"session\":\"s-9\"}\n{\"echo\":true}";

const PROMPT: &str = "Fix `fn check_login` in src/login.rs, and route it with axum";

fn sent_pack(app: &TestApp, id: ConversationId) -> ContextPack {
    let turn = app.view(id).turn.as_ref().unwrap().turn;
    app.send(ChatCommand::LoadPack { conversation: id, turn });
    let is_there =
        |view: &ConversationView| view.sent_pack.as_ref().is_some_and(|pack| pack.turn == Some(turn));
    let snapshot = app.until("pack loaded", |s| s.view(id).is_some_and(|view| is_there(view)));
    snapshot.view(id).unwrap().sent_pack.as_ref().unwrap().pack.clone()
}

fn ids(pack: &ContextPack) -> Vec<SectionId> {
    pack.sections.iter().map(|section| section.id).collect()
}

fn heard(view: &Arc<ConversationView>) -> String {
    last(view).plain_text()
}

/// A project with code and a skill; two talks, and a branch of the first that knows everything.
fn furnished(script: &str) -> (TestApp, ConversationId) {
    let app = TestApp::new();
    let folder = app.project_folder();
    std::fs::create_dir_all(folder.join("src")).unwrap();
    std::fs::create_dir_all(folder.join("skills/axum")).unwrap();
    std::fs::write(
        folder.join("src/login.rs"),
        "pub fn check_login(name: &str) -> bool {\n    !name.is_empty()\n}\n",
    )
    .unwrap();
    let skill =
        "---\nname: axum\ndescription: Routing with axum.\n---\n# Axum\n\n## Route\n\nNest the routers.\n";
    std::fs::write(folder.join("skills/axum/SKILL.md"), skill).unwrap();
    let parent = app.scripted("{\"text\":\"parent answer\"}");
    let view = app.ask(parent, "parent question");
    let checkpoint = messages(&view).last().unwrap().id;
    let linked = app.scripted("{\"text\":\"linked words\"}");
    app.ask(linked, "what about cookies?");
    let id = app.scripted("{\"text\":\"an earlier answer\"}");
    app.ask(id, "an earlier question");
    let engine = EngineId::new(app.script(script));
    let mut seat = app.view(id).row.conversation.seat.clone();
    seat.engine = engine;
    seat.mode = Some(Mode::Full);
    seat.role = Some("Reviewer".to_owned());
    app.send(ChatCommand::SetSeat { conversation: id, seat });
    app.until("seat set", |s| s.view(id).is_some_and(|view| view.row.conversation.seat.mode.is_some()));
    let project = app.view(id).row.conversation.project;
    let home = app.stop();
    furnish(home.path(), project, (parent, checkpoint), linked, id);
    let app = TestApp::in_home(home, Vec::new());
    app.open_whole(id);
    (app, id)
}

fn furnish(
    home: &std::path::Path,
    project: ProjectId,
    (parent, checkpoint): (ConversationId, MessageId),
    linked: ConversationId,
    id: ConversationId,
) {
    let database = DataPaths::new(Some(&home.join("data"))).unwrap().database();
    let mut branch = ReadDb::open_read_only(&database).unwrap().conversation(id).unwrap().unwrap();
    branch.branch = Some(Branch { parent, checkpoint: Some(checkpoint), facts: BranchFacts::default() });
    let mut plan = plan("# How\n\nA form, then a session.\n");
    (plan.project, plan.conversation) = (project, Some(id));
    let mut finding = finding(100_801, "the login form does not escape names", true);
    finding.project = project;
    let mut agreement = agreement(100_701, id.0, "Sessions live for a day.", None);
    agreement.project = project;
    let mut artifact = artifact(100_601, "Session table", "| id | user |");
    artifact.project = project;
    let mut store = Store::open(&database, &home.join("backups"), 0).unwrap();
    store
        .apply(&[
            StoreWrite::PutConversation(branch),
            StoreWrite::PutPlan(Box::new(plan)),
            StoreWrite::PutFinding(finding),
            StoreWrite::PutAgreement(agreement),
            StoreWrite::PutArtifact(Box::new(artifact)),
            StoreWrite::PutTopic(topic(100_501, id.0, "Storage", &[])),
            StoreWrite::PutLink(Link { conversation: id, linked, made_by: MadeBy::Hand, created_ms: 0 }),
            StoreWrite::PutSkillSwitch(SkillSwitch {
                project,
                conversation: None,
                skill: "Axum".to_owned(),
                on: true,
            }),
            // The next turn is then told everything.
            StoreWrite::DropSessions { conversation: id },
        ])
        .unwrap();
}

#[test]
fn all_sections_reach_the_engine_once() {
    let (app, id) = furnished(ECHO);
    app.send(ChatCommand::PreviewPack { conversation: id, text: PROMPT.to_owned() });
    let snapshot = app.until("a preview", |s| s.view(id).is_some_and(|view| view.preview.is_some()));
    let preview = snapshot.view(id).unwrap().preview.clone().unwrap();

    let view = app.ask(id, PROMPT);
    let (heard_first, pack) = (heard(&view), sent_pack(&app, id));
    assert_eq!(ids(&pack), ALL, "{:?}", pack.report.left_out);
    assert_eq!(pack.sections, preview.pack.sections, "the preview shows what is sent");
    for section in &pack.sections {
        assert_eq!(heard_first.matches(&section.text).count(), 1, "{:?}", section.id);
    }
    for words in [
        "parent answer",
        "2. Session (in progress, after 1)",
        "A form, then a session.",
        "does not escape names",
        "Sessions live for a day.",
        "Session table",
        "### Topic: Storage (planning)\nAlice (claude): Storage first",
        "Nest the routers.",
        "src/login.rs:1-3",
        "Last word of",
    ] {
        assert!(heard_first.contains(words), "{words}\n{heard_first}");
    }

    // The session goes on: it holds all of that.
    let view = app.ask(id, PROMPT);
    assert_eq!(heard(&view), PROMPT);
    let report = view.turn.as_ref().unwrap().report.clone().unwrap();
    let held = report.held_by_session.join("; ");
    for name in ["plan document", "skills", "code search", "linked conversations", "thread inheritance"] {
        assert!(held.contains(name), "{held}");
    }
    assert_eq!(report.told.len(), 10, "{:?}", report.told);
}

#[test]
fn a_lost_session_hears_all_sections_again_with_a_notice() {
    let (app, id) = furnished("{\"session\":\"s-9\"}\n{\"session_lost\":true}\n{\"echo\":true}");
    app.ask(id, PROMPT);
    // A new process is needed for the session to be taken up and lost.
    let app = app.restart();
    app.open_whole(id);
    let view = app.ask(id, PROMPT);
    let is_told = |body: &ItemBody| matches!(body, ItemBody::Notice { text, .. } if text.contains("session"));
    assert_eq!(last(&view).items.iter().filter(|item| is_told(&item.body)).count(), 1);
    let pack = sent_pack(&app, id);
    assert_eq!(ids(&pack), ALL, "{:?}", pack.report.left_out);
    let heard = heard(&view);
    for section in &pack.sections {
        assert!(heard.contains(&section.text), "{:?}", section.id);
    }
}

#[test]
fn lite_mode_asks_no_slow_source_for_code() {
    let (app, id) = furnished(ECHO);
    let mut seat = app.view(id).row.conversation.seat.clone();
    seat.mode = Some(Mode::Lite);
    app.send(ChatCommand::SetSeat { conversation: id, seat });
    app.ask(id, PROMPT);
    let pack = sent_pack(&app, id);
    assert!(!ids(&pack).contains(&SectionId::CodeSearch) && !ids(&pack).contains(&SectionId::Plan));
    assert!(ids(&pack).contains(&SectionId::Skills), "a skill that is switched on is told in any mode");
}
