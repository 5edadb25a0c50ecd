//! The outside code search in a running program: asked, given up, stopped. A shell script plays it.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tunaflow::api::command::ChatCommand;
use tunaflow::model::engine::EngineId;
use tunaflow::model::id::ConversationId;
use tunaflow::model::pack::{ContextPack, Mode, SectionId};
use tunaflow::model::turn::TurnState;

use crate::support::app::{TestApp, messages, seat};

const QUESTION: &str = "Where is `fn check_login` in src/login.rs?";

/// An answer that only the outside search gives.
const GOOD: &str = r#"cat <<'J'
{"results": [{"file": "src/login.rs", "lines": [5, 7], "language": "rust", "scope": "far", "confidence": 0.9,
 "content": "pub fn far() -> u8 {\n    7\n}"}]}
J"#;

const CODE: &str =
    "pub fn check_login(name: &str) -> bool {\n    !name.is_empty()\n}\n\npub fn far() -> u8 {\n    7\n}\n";

/// An app with a project of one file, and a `rawq` on the PATH it was started with.
fn stage(searches: &str) -> (TestApp, ConversationId) {
    let home = TempDir::new().unwrap();
    let at = |path: &str| home.path().join(path);
    std::fs::create_dir_all(at("bin")).unwrap();
    std::fs::create_dir_all(at("project/src")).unwrap();
    std::fs::write(at("project/src/login.rs"), CODE).unwrap();
    let pids = at("pids").display().to_string();
    let program = format!(
        "#!/bin/sh\ncase \"$1\" in\nindex) echo '{{\"indexed\": true}}';;\n\
         daemon) echo $$ >> {pids}; exec sleep 100;;\nsearch)\n{searches}\n;;\nesac\n"
    );
    let program = program.replace("PIDS", &pids);
    std::fs::write(at("bin/rawq"), program).unwrap();
    std::fs::set_permissions(at("bin/rawq"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = OsString::from(format!("{}:/usr/bin:/bin", at("bin").display()));
    let app = TestApp::in_home(Arc::new(home), vec![("PATH".into(), path)]);
    let script = EngineId::new(app.script("{\"echo\":true}"));
    let mut seat = seat(script.as_str());
    seat.mode = Some(Mode::Full);
    let id = app.conversation_of(seat);
    // What was made a moment ago may not be there to read yet.
    let app = app.restart();
    app.open_whole(id);
    (app, id)
}

fn preview(app: &TestApp, id: ConversationId) -> ContextPack {
    app.send(ChatCommand::PreviewPack { conversation: id, text: QUESTION.to_owned() });
    let snapshot = app.until("a preview", |s| s.view(id).is_some_and(|view| view.preview.is_some()));
    snapshot.view(id).unwrap().preview.as_ref().unwrap().pack.clone()
}

fn code(pack: &ContextPack) -> &str {
    let section = pack.sections.iter().find(|section| section.id == SectionId::CodeSearch);
    section.map_or("", |section| section.text.as_str())
}

fn notes(pack: &ContextPack) -> String {
    let of_code = pack.report.notes.iter().filter(|note| note.id == SectionId::CodeSearch);
    of_code.map(|note| note.text.as_str()).collect::<Vec<_>>().join("; ")
}

/// Processes that said who they are.
fn pids(home: &Path) -> Vec<PathBuf> {
    let list = std::fs::read_to_string(home.join("pids")).unwrap_or_default();
    list.lines().map(|pid| Path::new("/proc").join(pid)).collect()
}

fn all_gone(home: &Path) -> Option<()> {
    let pids = pids(home);
    (!pids.is_empty() && pids.iter().all(|pid| !pid.exists())).then_some(())
}

#[test]
fn an_outside_search_that_is_there_answers_and_ends_with_the_program() {
    let (app, id) = stage(GOOD);
    let pack = preview(&app, id);
    assert!(code(&pack).contains("src/login.rs:5-7") && code(&pack).contains("pub fn far"), "{pack:?}");
    assert!(!code(&pack).contains("check_login"), "the own search was not asked: {pack:?}");
    app.poll("its daemon runs", Duration::from_secs(20), || (!pids(app.home()).is_empty()).then_some(()));
    let home = app.stop();
    let limit = Instant::now() + Duration::from_secs(20);
    while all_gone(home.path()).is_none() {
        assert!(Instant::now() < limit, "its daemon stays");
        std::thread::yield_now();
    }
}

#[test]
fn one_that_fails_leaves_it_to_the_own_search_with_a_note() {
    let (app, id) = stage("echo 'no model' >&2; exit 2");
    let pack = preview(&app, id);
    assert!(code(&pack).contains("pub fn check_login"), "{pack:?}");
    assert_eq!(notes(&pack), "rawq gave no answer: it ended with exit code 2: no model");
}

#[test]
fn one_that_hangs_delays_a_turn_by_its_deadline_only() {
    let (app, id) = stage("echo $$ >> PIDS; sleep 100");
    let begun = Instant::now();
    let pack = preview(&app, id);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert!(code(&pack).contains("pub fn check_login") || notes(&pack).contains("stopped after"), "{pack:?}");
    assert!(notes(&pack).contains("rawq gave no answer"), "{}", notes(&pack));
}

#[test]
fn a_stop_ends_a_search_that_runs_and_no_agent_is_asked() {
    let (app, id) = stage("echo $$ >> PIDS; sleep 100");
    app.begin(id, QUESTION);
    app.poll("the search runs", Duration::from_secs(20), || (pids(app.home()).len() > 1).then_some(()));
    app.send(ChatCommand::Stop { conversation: id });
    let view = app.until_state(id, TurnState::Stopped);
    let said = messages(&view);
    assert!(said.iter().all(|message| !message.plain_text().contains("## Rules")), "the agent was asked");
    // The program that searched is gone; its daemon stays for the next question.
    let running = || pids(app.home()).iter().filter(|pid| pid.exists()).count();
    app.poll("the search ended", Duration::from_secs(20), || (running() <= 1).then_some(()));
    // The next message is answered as if nothing had been.
    let view = app.ask(id, "thanks");
    assert_eq!(view.turn.as_ref().unwrap().state, TurnState::Done);
}
