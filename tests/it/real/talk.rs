//! Talking: text as it streams, warm turns, and taking up where a restart left off.

use std::cell::RefCell;

use tunaflow::model::id::ConversationId;
use tunaflow::model::turn::TurnState;

use super::{Bench, count_in, in_project, shown};
use crate::support::app::last;
use crate::support::clis::Engine;
use crate::support::model_server::KOREAN_TEXT;

/// Sends and gives the different texts the snapshots showed while the answer came, and the whole one.
fn streamed(bench: &Bench, id: ConversationId, text: &str) -> (Vec<String>, String) {
    let seen: RefCell<Vec<String>> = RefCell::default();
    bench.app.begin(id, text);
    let snapshot = bench.app.until("the end of a streamed answer", |s| {
        let Some(view) = s.view(id) else { return false };
        if let Some(live) = view.live.first() {
            let text = live.plain_text();
            if !text.is_empty() && seen.borrow().last() != Some(&text) {
                seen.borrow_mut().push(text);
            }
        }
        view.live.is_empty() && view.turn.as_ref().is_some_and(|turn| !turn.state.is_live())
    });
    let whole = bench.text_of(snapshot.view(id).unwrap());
    (seen.into_inner(), whole)
}

fn text_streams(bench: &Bench, id: ConversationId) {
    let chunks = 12;
    let (seen, whole) = streamed(bench, id, &format!("kestrel-one STREAM:{chunks}:200"));
    let wanted: Vec<String> = (1..=chunks).map(|number| format!("chunk-{number}")).collect();
    assert_eq!(whole.trim(), wanted.join(" "), "{:?}", bench.engine);
    assert!(seen.len() > 2, "{:?} streamed {seen:?}", bench.engine);
    for pair in seen.windows(2) {
        assert!(pair[1].starts_with(pair[0].trim_end()), "{:?}: {pair:?}", bench.engine);
    }
}

/// The second turn goes to the same process, and tells the model nothing twice.
fn warm_turns(bench: &Bench, id: ConversationId) {
    let pack = bench.sent_pack(id);
    assert!(!pack.sections.is_empty());
    let before = bench.running_program().pid;

    let text = bench.said(id, "kestrel-two KOREAN");
    assert_eq!(text, KOREAN_TEXT, "{:?}", bench.engine);

    assert_eq!(bench.running_program().pid, before, "{:?} was started again", bench.engine);
    let request = bench.last_request();
    for words in ["kestrel-one", "chunk-12", "kestrel-two"] {
        assert_eq!(count_in(&request, words), 1, "{:?}: {words}", bench.engine);
    }
    for section in &pack.sections {
        let text = section.text.trim();
        assert_eq!(count_in(&request, text), 1, "{:?}: {text}", bench.engine);
    }
    let held = bench.app.view(id).turn.as_ref().unwrap().report.clone().unwrap();
    assert!(!held.held_by_session.is_empty(), "{held:?}");
}

/// After a restart the model hears all that was said, once: by the engine's own session, or told by us.
fn history_survives(bench: &Bench, id: ConversationId) {
    bench.app.open_whole(id);
    let text = bench.said(id, "kestrel-three SAY:back again");
    assert_eq!(text, "back again", "{:?}", bench.engine);
    let request = bench.last_request();
    for words in ["kestrel-one", "chunk-12", "kestrel-two", "자모로", "kestrel-three"] {
        assert_eq!(count_in(&request, words), 1, "{:?}: {words}", bench.engine);
    }
    let resumes = bench.engine != Engine::Gemini;
    let report = bench.app.view(id).turn.as_ref().unwrap().report.clone().unwrap();
    assert_eq!(!report.held_by_session.is_empty(), resumes, "{report:?}");
}

/// The agent works in the project folder.
fn works_in_the_project(bench: &Bench, id: ConversationId) {
    let view = bench.ask_allowing(id, "SHELL:pwd");
    assert_eq!(view.turn.as_ref().unwrap().state, TurnState::Done, "{:?}: {}", bench.engine, shown(&view));
    let folder = in_project(bench, "");
    let folder = folder.to_string_lossy();
    let text = last(&view).plain_text();
    assert!(text.contains("The command was allowed."), "{:?}: {text}", bench.engine);
    assert!(text.contains(folder.trim_end_matches('/')), "{:?}: {text}", bench.engine);
}

fn talk(engine: Engine) {
    let Some(bench) = Bench::start(engine) else { return };
    let id = bench.conversation();
    text_streams(&bench, id);
    warm_turns(&bench, id);
    works_in_the_project(&bench, id);
    let bench = bench.restart();
    assert!(bench.programs().is_empty(), "{engine:?} outlived the app");
    history_survives(&bench, id);
    super::large::a_big_prompt_arrives_whole(&bench, id);
}

#[test]
fn talk_with_claude() {
    talk(Engine::Claude);
}

#[test]
fn talk_with_codex() {
    talk(Engine::Codex);
}

#[test]
fn talk_with_gemini() {
    talk(Engine::Gemini);
}

#[test]
fn talk_with_opencode() {
    talk(Engine::OpenCode);
}
