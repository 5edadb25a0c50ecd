//! Every engine's recorded transcripts against its dialect: nothing lost, nothing twice, one end for each turn.
//!
//! A new engine is walked as soon as a folder with its id holds transcripts; `expected.txt` there names what each
//! case must come to.

mod mutate;
mod replay;

use std::path::Path;

use tunaflow::engine::registry;
use tunaflow::model::settings::Settings;
use tunaflow::model::turn::{StopReason, TurnEvent};

use replay::{Played, play, read, transcripts};

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap()
        .to_string_lossy()
        .trim_end_matches(".io.jsonl")
        .trim_end_matches(".jsonl")
        .to_owned()
}

/// `done`, `cancelled`, …, or `failed:<kind>`.
fn end_word(event: &TurnEvent) -> String {
    let json = |value: serde_json::Value| value.as_str().unwrap().to_owned();
    match event {
        TurnEvent::Finished(StopReason::Completed) => "done".to_owned(),
        TurnEvent::Finished(reason) => json(serde_json::to_value(reason).unwrap()),
        TurnEvent::Failed(failure) => format!("failed:{}", json(serde_json::to_value(failure.kind).unwrap())),
        other => panic!("no end: {other:?}"),
    }
}

/// One line of `expected.txt`: name, ends of the turns, questions, unknown messages.
fn summary(name: &str, played: &Played) -> String {
    let ends: Vec<String> = played.turns.iter().filter_map(|turn| turn.events.last().map(end_word)).collect();
    let asks: u32 = played.turns.iter().map(|turn| turn.asks).sum();
    let tools: usize = played
        .turns
        .iter()
        .flat_map(|turn| &turn.items)
        .filter(|(_, body)| matches!(body, tunaflow::model::message::ItemBody::Tool(_)))
        .count();
    format!("{name}: {} | asks {asks} | tools {tools} | unknown {}", ends.join(" "), played.skipped)
}

#[test]
fn every_transcript_ends_each_turn_once_and_says_everything_once() {
    let mut walked = 0;
    for engine in registry::builtin(&Settings::default()) {
        let id = engine.info().id.clone();
        let mut summaries = String::new();
        for path in transcripts(id.as_str()) {
            let name = name_of(&path);
            let rows = read(&path);
            let played = play(engine.as_ref(), &rows);
            walked += 1;
            assert!(!played.out_of_step, "{id}/{name}: a turn began before the last one ended");
            for (at, turn) in played.turns.iter().enumerate() {
                assert_eq!(turn.faults, Vec::<String>::new(), "{id}/{name} turn {at}");
                assert_eq!(turn.terminals(), 1, "{id}/{name} turn {at}: {:?}", turn.events);
                says_what_was_given(turn, &format!("{id}/{name} turn {at}"));
            }
            summaries.push_str(&summary(&name, &played));
            summaries.push('\n');
        }
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("tests/it/fixtures/engines/{id}/expected.txt"));
        if let Ok(expected) = std::fs::read_to_string(&file) {
            assert_eq!(summaries, expected, "{id}: the cases differ from expected.txt");
        }
    }
    assert!(walked > 50, "only {walked} transcripts were found");
}

/// Whole texts appear in order, each once; what else is shown is a partial at the very end of a turn that did not complete.
fn says_what_was_given(turn: &replay::TurnSeen, place: &str) {
    let shown: Vec<&str> = turn.texts();
    let given: Vec<&str> = turn.given.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    let completed = matches!(turn.events.last(), Some(TurnEvent::Finished(StopReason::Completed)));
    if given.is_empty() {
        // Engines that give no whole texts at the end: their pieces are the text.
        return;
    }
    assert!(shown.len() >= given.len(), "{place}: {shown:?} lacks some of {given:?}");
    assert_eq!(shown.iter().take(given.len()).copied().collect::<Vec<_>>(), given, "{place}");
    assert!(!completed || shown.len() == given.len(), "{place}: {shown:?} is more than {given:?}");
}
