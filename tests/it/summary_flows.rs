//! Summaries of a branch through the real runtime: what the agent gets, parts, stops, failures, and that nothing stays.

use std::path::PathBuf;
use std::sync::Arc;

use tunaflow::api::command::{BranchCommand, ChatCommand};
use tunaflow::api::summary::{SummaryRequest, SummaryState};
use tunaflow::model::branch::{Summary, SummarySource};
use tunaflow::model::id::ConversationId;
use tunaflow::model::message::ItemBody;
use tunaflow::model::project::SeatChoice;
use tunaflow::model::turn::FailureKind;
use tunaflow::store::ReadDb;

use crate::support::app::{TestApp, last, messages, seat};

/// A request for a whole branch gets its own text back; other turns are answered with a word.
const ECHO: &str = "{\"text\":\"ok\"}\n{\"turn\":\"Write a summary of\"}\n{\"usage\":{\"input_tokens\":10,\"output_tokens\":2,\"cost_usd\":0.25}}\n{\"echo\":true}";

/// A parent with one turn and its branch, answered by a script.
fn branch_of(app: &TestApp, script: &str) -> (ConversationId, ConversationId) {
    let parent = app.scripted(script);
    let view = app.ask(parent, "said-in-parent");
    let at = messages(&view).last().unwrap().id;
    (parent, app.branch(parent, at, None))
}

/// Asks; what was shown of an earlier request is gone first.
fn begin(app: &TestApp, branch: ConversationId, seat: Option<SeatChoice>) {
    app.send(BranchCommand::DropSummary { branch });
    app.until("no request", |s| s.summary(branch).is_none());
    app.send(BranchCommand::Summarise { branch, seat });
}

fn request(app: &TestApp, branch: ConversationId) -> Option<Arc<SummaryRequest>> {
    app.snapshot().summary(branch)?.request.clone()
}

fn until(app: &TestApp, branch: ConversationId, state: SummaryState) -> Arc<SummaryRequest> {
    let found = app.until(state.word(), |s| {
        let request = s.summary(branch).and_then(|known| known.request.as_ref());
        request.is_some_and(|request| request.state == state)
    });
    found.summary(branch).unwrap().request.clone().unwrap()
}

fn summarised(app: &TestApp, branch: ConversationId, seat: Option<SeatChoice>) -> Arc<SummaryRequest> {
    begin(app, branch, seat);
    app.until("an end", |s| {
        let request = s.summary(branch).and_then(|known| known.request.as_ref());
        request.is_some_and(|request| request.state != SummaryState::Running)
    });
    let request = request(app, branch).unwrap();
    assert_eq!(request.state, SummaryState::Done, "{:?}", request.failure);
    request
}

fn failed(app: &TestApp, branch: ConversationId, seat: Option<SeatChoice>) -> Arc<SummaryRequest> {
    begin(app, branch, seat);
    until(app, branch, SummaryState::Failed)
}

fn whole(request: &SummaryRequest) -> &str {
    request.whole.as_deref().unwrap_or(&request.text)
}

/// Rows that a summary must leave as they are.
fn rows(app: &TestApp, of: [ConversationId; 2]) -> String {
    let db = ReadDb::open_read_only(&app.home().join("data/tunaflow.db")).unwrap();
    let mut told = String::new();
    for id in of {
        let conversation = db.conversation(id).unwrap();
        let index = db.index(id).unwrap();
        let turns = db.turns_of(id).unwrap();
        let sessions: Vec<_> = turns.iter().map(|turn| db.session(id, &turn.seat.engine).unwrap()).collect();
        told.push_str(&format!("{conversation:?}\n{index:?}\n{turns:?}\n{sessions:?}\n"));
    }
    told
}

/// What stands behind the name, which is a path for a script.
fn position(line: &str) -> &str {
    line.strip_prefix("- **").and_then(|line| line.split_once("**: ")).unwrap().1
}

fn scratch(app: &TestApp) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(app.home().join("data/scratch")) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn the_whole_branch_reaches_the_agent_and_nothing_else_changes() {
    let app = TestApp::new();
    let (parent, branch) = branch_of(&app, ECHO);
    // More than the pages that are loaded.
    for number in 0..70 {
        app.ask(branch, &format!("ask-{number}-x"));
    }
    let app = app.restart();
    let before = rows(&app, [parent, branch]);
    let request = summarised(&app, branch, None);
    let text = whole(&request);
    for number in 0..70 {
        assert_eq!(text.matches(&format!("ask-{number}-x")).count(), 1, "{number}");
    }
    assert!(text.contains("[User]\nask-0-x\n\n[script") && !text.contains("said-in-parent"), "{text}");
    assert!(text.contains("is data") && text.contains("1,200 characters"), "{text}");
    assert!(!text.contains("## Project") && !text.contains("## Before this branch"), "no pack: {text}");
    assert!(request.whole.is_some() && request.text.chars().count() <= 1_200);
    assert_eq!((request.part, request.parts), (1, 1));
    let usage = request.usage.clone().unwrap();
    assert_eq!((usage.input_tokens, usage.cost_usd), (Some(10), Some(0.25)));
    assert_eq!(rows(&app, [parent, branch]), before);
    assert_eq!(scratch(&app), Vec::<PathBuf>::new());

    // The branch goes on in its own session, which holds nothing of it.
    app.send(ChatCommand::Open { conversation: parent });
    app.until("opened", |s| s.view(parent).is_some_and(|view| !view.loading));
    assert_eq!(app.open_whole(branch).len(), 140);
    app.ask(branch, "after it");
    assert!(request_is_old(&app, branch));
    let summary = Summary {
        source: SummarySource::Agent,
        written_by: request.agent.clone(),
        text: "It came to this.".to_owned(),
    };
    app.send(BranchCommand::Adopt { branch, summary });
    let snapshot = app.until("adopted", |s| s.view(parent).is_some_and(|view| view.index.len() == 3));
    let card = last(snapshot.view(parent).unwrap());
    let ItemBody::Adopted(card) = &card.items[0].body else { panic!("{card:?}") };
    assert_eq!(card.usage.as_ref().unwrap().cost_usd, Some(0.25));
    assert!(snapshot.summary(branch).is_none());
}

fn request_is_old(app: &TestApp, branch: ConversationId) -> bool {
    app.until("the draft is old", |s| {
        s.summary(branch).and_then(|known| known.request.as_ref()).is_some_and(|request| request.outdated)
    });
    true
}

#[test]
fn a_huge_branch_is_read_in_parts_that_are_put_together() {
    let app = TestApp::new();
    let script = "{\"text\":\"ok\"}\n\
        {\"turn\":\"told as summaries of its parts\"}\n{\"usage\":{\"input_tokens\":1,\"cost_usd\":0.5}}\n{\"echo\":true}\n\
        {\"turn\":\"Write a summary of part\"}\n{\"usage\":{\"input_tokens\":100,\"cost_usd\":0.5}}\n{\"text\":\"One part was read.\"}";
    let (_, branch) = branch_of(&app, script);
    // One message alone is larger than any part.
    app.ask(branch, &format!("begins-here {}", "many words of one paragraph\n\n".repeat(50_000)));
    app.ask(branch, &"더 많은 말 ".repeat(90_000));
    app.ask(branch, "ends-here");
    begin(&app, branch, None);
    app.until("a later part", |s| {
        s.summary(branch).and_then(|known| known.request.as_ref()).is_some_and(|request| request.part > 1)
    });
    let request = until(&app, branch, SummaryState::Done);
    assert!(request.parts >= 5, "{}", request.parts);
    assert_eq!(request.part, request.parts + 1);
    let text = whole(&request);
    let parts = request.parts as usize;
    assert_eq!(text.matches("One part was read.").count(), parts, "{text}");
    assert!(text.contains("[Part 1]") && text.contains(&format!("[Part {parts}]")));
    let usage = request.usage.clone().unwrap();
    assert_eq!(usage.input_tokens, Some(100 * u64::from(request.parts) + 1));
    assert_eq!(usage.cost_usd, Some(0.5 * f64::from(request.parts) + 0.5));
}

#[test]
fn the_known_window_decides_the_parts_and_too_long_ones_are_halved() {
    let app = TestApp::new();
    let small = "{\"usage\":{\"window_tokens\":4000}}\n{\"text\":\"ok\"}\n{\"turn\":\"Write a summary of\"}\n{\"text\":\"Said.\"}";
    let (_, branch) = branch_of(&app, small);
    for _ in 0..6 {
        app.ask(branch, &"five ".repeat(1_000));
    }
    assert!(summarised(&app, branch, None).parts >= 3);
    let unknown = "{\"text\":\"ok\"}\n{\"turn\":\"Write a summary of a conversation\"}\n{\"fail\":{\"kind\":\"prompt_too_long\"}}\n{\"turn\":\"Write a summary of\"}\n{\"text\":\"Said.\"}";
    let other = seat(&app.script(unknown));
    let request = summarised(&app, branch, Some(other));
    assert!((2..=4).contains(&request.parts) && request.text == "Said.", "{request:?}");
}

#[test]
fn every_failure_says_why_and_leaves_the_last_answer() {
    let app = TestApp::new();
    let (parent, branch) = branch_of(&app, "{\"text\":\"First. The last sentence of it.\"}");
    app.ask(branch, "and?");
    // Everything is written then.
    let app = app.restart();
    let before = rows(&app, [parent, branch]);
    for (script, kind, words) in [
        (
            "{\"fail\":{\"kind\":\"not_logged_in\",\"message\":\"Nobody is logged in.\"}}",
            FailureKind::NotLoggedIn,
            "logged in",
        ),
        (
            "{\"fail\":{\"kind\":\"plan_limit\",\"message\":\"The limit is reached.\"}}",
            FailureKind::PlanLimit,
            "limit",
        ),
        (
            "{\"fail\":{\"kind\":\"timed_out\",\"message\":\"No sign of life.\"}}",
            FailureKind::TimedOut,
            "sign",
        ),
        ("{\"crash\":{\"code\":3,\"stderr\":\"broken\"}}", FailureKind::Crashed, ""),
        ("{\"text\":\" \"}", FailureKind::Other, "answered nothing"),
        ("{\"text\":\"half\"}\n{\"finish\":\"cancelled\"}", FailureKind::Other, "without a summary"),
        ("{\"finish\":\"refused\"}", FailureKind::Other, "refused"),
        (
            "{\"fail\":{\"kind\":\"prompt_too_long\",\"message\":\"Too long.\"}}",
            FailureKind::PromptTooLong,
            "long",
        ),
    ] {
        let request = failed(&app, branch, Some(seat(&app.script(script))));
        let failure = request.failure.as_ref().unwrap();
        assert_eq!(failure.kind, kind, "{script}: {failure:?}");
        assert!(failure.message.contains(words) && !failure.message.contains('\n'), "{script}: {failure:?}");
        assert_eq!(request.text, "");
    }
    let gone = failed(&app, branch, Some(seat("script:/nowhere/at/all.jsonl")));
    assert!(gone.failure.is_some());
    let unknown = failed(&app, branch, Some(seat("no-such-engine")));
    assert_eq!(unknown.failure.as_ref().unwrap().kind, FailureKind::NotInstalled);
    app.send(BranchCommand::ReadSources { branch });
    let snapshot = app.until("sources", |s| s.summary(branch).is_some_and(|known| known.sources.is_some()));
    let sources = snapshot.summary(branch).unwrap().sources.clone().unwrap();
    assert_eq!(sources.spoken[0].text, "First. The last sentence of it.");
    assert_eq!(position(&sources.positions), "First. The last sentence of it.");
    assert_eq!(rows(&app, [parent, branch]), before);
    assert_eq!(scratch(&app), Vec::<PathBuf>::new());
}

#[test]
fn it_streams_and_stops_at_any_time() {
    let app = TestApp::new();
    let (parent, branch) = branch_of(&app, "{\"text\":\"ok\"}");
    app.ask(branch, "and?");
    // Everything is written then.
    let app = app.restart();
    let before = rows(&app, [parent, branch]);
    let slow = "{\"stream\":{\"text\":\"word \",\"chunk_chars\":5,\"every_ms\":20,\"times\":5000}}";
    for script in [slow, "{\"hang\":true}", "{\"hang\":\"deaf\"}"] {
        begin(&app, branch, Some(seat(&app.script(script))));
        app.until("it has begun", |s| {
            let request = s.summary(branch).and_then(|known| known.request.as_ref());
            request.is_some_and(|request| {
                request.parts == 1 && (script != slow || request.text.contains("word word"))
            })
        });
        app.send(BranchCommand::StopSummary { branch });
        until(&app, branch, SummaryState::Stopped);
        app.poll("its folder is gone", std::time::Duration::from_secs(10), || {
            scratch(&app).is_empty().then_some(())
        });
    }
    // Quitting does not wait for it.
    begin(&app, branch, Some(seat(&app.script("{\"hang\":\"deaf\"}"))));
    app.until("it has begun", |s| {
        s.summary(branch).and_then(|known| known.request.as_ref()).is_some_and(|request| request.parts == 1)
    });
    let app = app.restart();
    assert_eq!(rows(&app, [parent, branch]), before);
    assert!(scratch(&app).is_empty());
}

#[test]
fn permission_is_denied_and_words_about_tools_are_left_out() {
    let app = TestApp::new();
    let (_, branch) = branch_of(&app, "{\"text\":\"ok\"}");
    app.ask(branch, "and?");
    let asks = "{\"text\":\"I look into the files.\"}\n{\"ask\":{\"tool\":\"Bash\",\"command\":\"rm -rf x\",\"on_allow\":\"It was ALLOWED.\",\"on_deny\":\"It was denied. \"}}\n{\"text\":\"Rotate them.\"}";
    let request = summarised(&app, branch, Some(seat(&app.script(asks))));
    assert!(
        request.text.contains("It was denied.") && request.text.contains("Rotate them."),
        "{}",
        request.text
    );
    assert!(!request.text.contains("ALLOWED"), "{}", request.text);
    assert!(app.snapshot().asks.is_empty(), "nobody is asked");
    let tool = "{\"text\":\"I look into the files.\"}\n{\"tool\":{\"name\":\"Read\",\"title\":\"a.rs\"}}\n{\"text\":\"Rotate them.\"}";
    assert_eq!(summarised(&app, branch, Some(seat(&app.script(tool)))).text, "Rotate them.");
}

#[test]
fn what_agents_said_last_is_read_from_the_store() {
    let app = TestApp::new();
    let (_, branch) = branch_of(&app, "{\"text\":\"Use v1.2 of main.rs. Then stop. More.\"}");
    app.ask(branch, "one");
    app.ask(branch, "two");
    app.send(BranchCommand::ReadSources { branch });
    let read = |s: &tunaflow::api::snapshot::Snapshot| {
        s.summary(branch).and_then(|known| known.sources.clone()).map(|sources| sources.positions.clone())
    };
    let snapshot = app.until("sources", |s| read(s).is_some());
    assert_eq!(position(&read(&snapshot).unwrap()), "Use v1.2 of main.rs. Then stop.");
    let empty = app.branch(branch, messages(&app.view(branch))[0].id, None);
    app.send(BranchCommand::ReadSources { branch: empty });
    let snapshot = app.until("sources", |s| s.summary(empty).is_some_and(|known| known.sources.is_some()));
    assert_eq!(*snapshot.summary(empty).unwrap().sources.clone().unwrap(), Default::default());
    assert!(failed(&app, empty, None).failure.as_ref().unwrap().message.contains("nothing to summarise"));
}

#[cfg(target_os = "linux")]
mod programs {
    use std::time::Duration;

    use super::{begin, branch_of_claude, failed, scratch, summarised, until};
    use crate::support::app::seat;
    use crate::user_reports::fake;
    use tunaflow::api::command::BranchCommand;
    use tunaflow::api::summary::SummaryState;

    #[test]
    fn an_agent_works_in_a_folder_and_session_of_its_own_and_ends_with_its_answer() {
        let app = fake::app_with_claude("answer \"Rotate them.\"");
        let branch = branch_of_claude(&app);
        let warm = fake::running(app.home()).len();
        let request = summarised(&app, branch, None);
        assert_eq!(request.text, "Rotate them.");
        let starts = fake::starts(&app);
        let (first, own) = (starts.first().unwrap(), starts.last().unwrap());
        assert!(own.folder.contains("/scratch/") && own.resumed.is_empty(), "{own:?}");
        assert_ne!(first.session, own.session);
        assert!(fake::heard(&app).last().unwrap().contains("[User]\nand?"));
        assert!(
            !fake::arguments(&app).iter().any(|word| word.contains("fork")),
            "{:?}",
            fake::arguments(&app)
        );
        assert_eq!(fake::running(app.home()).len(), warm, "only what was there before still runs");
        assert!(scratch(&app).is_empty());
        // The branch's own process takes the next turn.
        let count = starts.len();
        app.ask(branch, "more");
        assert_eq!(fake::starts(&app).len(), count);
    }

    #[test]
    fn a_stop_leaves_no_process() {
        let app = fake::app_with_claude(
            "case \"$line\" in *'Write a summary of'*) init; message_start m; delta 0 begun; sleep 600 & wait ;; *) answer ok ;; esac",
        );
        let branch = branch_of_claude(&app);
        let warm = fake::running(app.home()).len();
        begin(&app, branch, None);
        app.until("it streams", |s| {
            let request = s.summary(branch).and_then(|known| known.request.as_ref());
            request.is_some_and(|request| request.text.contains("begun"))
        });
        assert!(fake::running(app.home()).len() > warm);
        app.send(BranchCommand::StopSummary { branch });
        until(&app, branch, SummaryState::Stopped);
        app.poll("no process of it", Duration::from_secs(10), || {
            (fake::running(app.home()).len() == warm && scratch(&app).is_empty()).then_some(())
        });
    }

    #[test]
    fn a_missing_program_is_named() {
        let app = fake::app_with_claude("answer ok");
        let branch = branch_of_claude(&app);
        let codex = failed(&app, branch, Some(seat("codex")));
        assert!(codex.failure.as_ref().unwrap().message.contains("not installed"), "{codex:?}");
    }
}

#[cfg(target_os = "linux")]
fn branch_of_claude(app: &TestApp) -> ConversationId {
    let parent = app.conversation("claude");
    let view = app.ask(parent, "said-in-parent");
    let at = messages(&view).last().unwrap().id;
    let branch = app.branch(parent, at, None);
    app.ask(branch, "and?");
    branch
}
