//! Branches: what the model reads holds all up to the checkpoint and nothing after it, by a fork or in words.

use std::path::Path;
use std::sync::Arc;

use tunaflow::model::engine::EngineId;
use tunaflow::model::id::{ConversationId, MessageId};
use tunaflow::model::message::ItemBody;
use tunaflow::model::record::StoreWrite;
use tunaflow::os::paths::DataPaths;
use tunaflow::store::{ReadDb, Store};

use super::{Bench, count_in};
use crate::support::app::{last, messages};
use crate::support::clis::Engine;
use crate::support::model_server::Recorded;

const NUMBERS: [&str; 5] = ["one", "two", "three", "four", "five"];
const INHERITED: &str = "## Before this branch";

fn ask(bench: &Bench, id: ConversationId, name: &str) -> Arc<Recorded> {
    let said = bench.said(id, &format!("ask-{name} SAY:reply-{name}"));
    assert_eq!(said, format!("reply-{name}"), "{:?}", bench.engine);
    bench.last_request()
}

/// Both the words of the user and the answer, each once: the user's words name the answer, too.
fn holds(bench: &Bench, request: &Recorded, name: &str) {
    let counts = (count_in(request, &format!("ask-{name}")), count_in(request, &format!("reply-{name}")));
    assert_eq!(counts, (1, 2), "{:?}: {name}\n{}", bench.engine, request.body);
}

fn lacks(bench: &Bench, request: &Recorded, name: &str) {
    let counts = (count_in(request, &format!("ask-{name}")), count_in(request, &format!("reply-{name}")));
    assert_eq!(counts, (0, 0), "{:?}: {name}\n{}", bench.engine, request.body);
}

/// Whether what was said before the newest request's branch was held by the session instead of told.
fn is_forked(bench: &Bench, id: ConversationId) -> bool {
    let report = bench.app.view(id).turn.as_ref().unwrap().report.clone().unwrap();
    report.held_by_session.iter().any(|held| held.contains("thread inheritance"))
}

/// What the branch knows is right, and it is told in the way that was expected.
fn knows(bench: &Bench, branch: ConversationId, request: &Recorded, turns: usize, forked: bool) {
    for name in &NUMBERS[..turns] {
        holds(bench, request, name);
    }
    for name in &NUMBERS[turns..] {
        lacks(bench, request, name);
    }
    assert_eq!(is_forked(bench, branch), forked, "{:?}", bench.engine);
    assert_eq!(count_in(request, INHERITED), usize::from(!forked), "{:?}", bench.engine);
}

/// Makes the place unknown at which the session could be forked.
fn lose_fork_point(home: &Path, engine: Engine, parent: ConversationId, checkpoint: MessageId) {
    let database = DataPaths::new(Some(&home.join("data"))).unwrap().database();
    let db = ReadDb::open_read_only(&database).unwrap();
    let mut turn =
        db.turns_of(parent).unwrap().into_iter().find(|turn| turn.answer == Some(checkpoint)).unwrap();
    let mut session = db.session(parent, &EngineId::new(engine.program())).unwrap().unwrap();
    drop(db);
    turn.fork_point = Some("efd05063-79e7-40dd-ab76-60f8b1dc23ad".to_owned());
    if engine == Engine::OpenCode {
        "ses_dd34bc395ffeiHPMVpIT2ssWpV".clone_into(&mut session.session);
        turn.session = Some(session.session.clone());
        session.delivered_seq = checkpoint.0;
    }
    let mut store = Store::open(&database, &home.join("backups"), 0).unwrap();
    store.apply(&[StoreWrite::PutTurn(turn), StoreWrite::PutSession(session)]).unwrap();
}

fn a_lost_fork_is_told_in_words(bench: Bench, parent: ConversationId, checkpoint: MessageId) {
    let engine = bench.engine;
    let bench = bench.restart_after(|home| lose_fork_point(home, engine, parent, checkpoint));
    bench.app.open_whole(parent);
    let branch = bench.app.branch(parent, checkpoint, None);
    let request = ask(&bench, branch, "lost");
    holds(&bench, &request, "three");
    assert_eq!(count_in(&request, INHERITED), 1, "{engine:?}");
    let items = last(&bench.app.view(branch)).items.clone();
    let told = |body: &ItemBody| matches!(body, ItemBody::Notice { text, .. } if text.contains("could not branch off"));
    assert!(items.iter().any(|item| told(&item.body)), "{engine:?}: {items:?}");
}

fn branches(engine: Engine) {
    let Some(bench) = Bench::start(engine) else { return };
    let at_turn = matches!(engine, Engine::Claude | Engine::Codex);
    let at_end = engine != Engine::Gemini;
    let parent = bench.conversation();
    for name in NUMBERS {
        ask(&bench, parent, name);
    }
    let said: Vec<MessageId> = messages(&bench.app.view(parent)).iter().map(|message| message.id).collect();
    assert_eq!(said.len(), 10);

    // At words of the user, message 5: always told.
    let by_user = bench.app.branch(parent, said[4], None);
    let request = bench.said(by_user, "ask-user SAY:reply-user");
    assert_eq!(request, "reply-user");
    let request = bench.last_request();
    for name in &NUMBERS[..2] {
        holds(&bench, &request, name);
    }
    assert_eq!(count_in(&request, "ask-three"), 1, "{engine:?}");
    for name in &NUMBERS[3..] {
        lacks(&bench, &request, name);
    }
    assert!(!is_forked(&bench, by_user));

    // At an answer in the middle, message 6.
    let middle = bench.app.branch(parent, said[5], None);
    let request = ask(&bench, middle, "middle");
    knows(&bench, middle, &request, 3, at_turn);
    let request = ask(&bench, middle, "next");
    knows_still(&bench, &request);

    // The parent goes on in its own session and has heard nothing.
    let request = ask(&bench, parent, "after");
    for name in NUMBERS {
        holds(&bench, &request, name);
    }
    for name in ["user", "middle", "next"] {
        lacks(&bench, &request, name);
    }
    let report = bench.app.view(parent).turn.as_ref().unwrap().report.clone().unwrap();
    assert!(!report.held_by_session.is_empty(), "{engine:?}: {report:?}");

    // At the last answer.
    let newest = messages(&bench.app.view(parent)).last().unwrap().id;
    let end = bench.app.branch(parent, newest, None);
    let request = ask(&bench, end, "end");
    assert_eq!(is_forked(&bench, end), at_end, "{engine:?}");
    assert_eq!(count_in(&request, INHERITED), usize::from(!at_end), "{engine:?}");
    let told = if at_end { &NUMBERS[..] } else { &NUMBERS[2..] };
    for name in told.iter().chain(&["after", "end"]) {
        let reply = if *name == "end" { 1 } else { 2 };
        assert_eq!(count_in(&request, &format!("ask-{name}")), 1, "{engine:?}: {name}");
        assert_eq!(count_in(&request, &format!("reply-{name}")), reply, "{engine:?}: {name}");
    }
    lacks(&bench, &request, "middle");

    // The fork is a session of its own, which outlives its process.
    let bench = bench.restart();
    bench.app.open_whole(middle);
    let request = ask(&bench, middle, "late");
    knows_still(&bench, &request);
    assert_eq!(count_in(&request, "ask-next"), 1, "{engine:?}");
    if at_end {
        let checkpoint = if at_turn { said[5] } else { newest };
        a_lost_fork_is_told_in_words(bench, parent, checkpoint);
    }
}

/// A later turn of the branch in the middle.
fn knows_still(bench: &Bench, request: &Recorded) {
    for name in ["one", "two", "three", "middle"] {
        holds(bench, request, name);
    }
    for name in ["four", "five", "after", "user"] {
        lacks(bench, request, name);
    }
}

#[test]
fn branches_of_claude() {
    branches(Engine::Claude);
}

#[test]
fn branches_of_codex() {
    branches(Engine::Codex);
}

#[test]
fn branches_of_gemini() {
    branches(Engine::Gemini);
}

#[test]
fn branches_of_opencode() {
    branches(Engine::OpenCode);
}
