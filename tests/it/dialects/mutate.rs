//! Broken streams: lines dropped, doubled, cut, swapped, changed, strangers among them.

use proptest::prelude::*;
use serde_json::Value;
use tunaflow::engine::{Engine, registry};
use tunaflow::model::settings::Settings;

use super::replay::{Row, given, play, read, transcripts};

#[derive(Clone, Debug)]
enum Change {
    Drop,
    Double,
    Cut(usize),
    SwapWithNext,
    Flip(usize, u8),
    Stranger(usize),
}

const STRANGERS: &[&str] = &[
    "",
    "npm warn deprecated",
    "{",
    "}",
    "[]",
    "{\"type\":\"brand_new\",\"id\":7}",
    "{\"type\":\"system\",\"subtype\":\"brand_new\"}",
    "{\"type\":\"assistant\",\"message\":{\"id\":\"sub\",\"content\":[{\"type\":\"text\",\"text\":\"of a sub-agent\"}]},\"parent_tool_use_id\":\"toolu_none\"}",
    "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"nobody\",\"content\":\"x\"}]}}",
    "{\"type\":\"control_request\",\"request_id\":\"x\",\"request\":{\"subtype\":\"brand_new\"}}",
    "{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"index\":99}}",
    "{\"method\":\"brand/new\",\"params\":{\"threadId\":\"other\"}}",
    "{\"method\":\"item/completed\",\"params\":{\"item\":{\"type\":\"brandNew\",\"id\":\"n\"}}}",
    "{\"id\":4711,\"result\":{}}",
    "{\"id\":\"q\",\"method\":\"brand/new\",\"params\":{}}",
    "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"update\":{\"sessionUpdate\":\"brand_new\"}}}",
];

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        Just(Change::Drop),
        Just(Change::Double),
        any::<usize>().prop_map(Change::Cut),
        Just(Change::SwapWithNext),
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
        (0..STRANGERS.len()).prop_map(Change::Stranger),
    ]
}

/// Applies a change to one engine line. Gives the lines that are no longer as they were recorded.
fn apply(rows: &mut Vec<Row>, at: usize, change: &Change) -> Vec<String> {
    let outs: Vec<usize> = (0..rows.len()).filter(|at| matches!(rows[*at], Row::Out(_))).collect();
    if outs.is_empty() {
        return Vec::new();
    }
    let at = outs[at % outs.len()];
    let Row::Out(line) = rows[at].clone() else { return Vec::new() };
    match change {
        Change::Drop => {
            rows.remove(at);
            return vec![line];
        }
        Change::Double => rows.insert(at, Row::Out(line)),
        Change::Cut(chars) => {
            let cut: String = line.chars().take(chars % line.chars().count().max(1)).collect();
            rows[at] = Row::Out(cut);
            return vec![line];
        }
        Change::SwapWithNext => {
            // A host line is an answer to what stands before it, so only engine lines change places.
            if matches!(rows.get(at + 1), Some(Row::Out(_))) {
                rows.swap(at, at + 1);
            }
        }
        Change::Flip(place, byte) => {
            let mut chars: Vec<char> = line.chars().collect();
            if let Some(spot) = chars.len().checked_sub(1).map(|last| place % (last + 1)) {
                chars[spot] = char::from(*byte);
            }
            rows[at] = Row::Out(chars.into_iter().collect::<String>().replace(['\n', '\r'], " "));
            return vec![line];
        }
        Change::Stranger(which) => rows.insert(at, Row::Out(STRANGERS[*which].to_owned())),
    }
    Vec::new()
}

/// Lines by which a dialect knows whose words the others are; without them, none of the rest can be placed.
fn names_things(line: &str) -> bool {
    serde_json::from_str::<Value>(line)
        .is_ok_and(|msg| msg.get("result").is_some() || msg["method"] == "turn/started")
}

fn check(engine: &dyn Engine, rows: &[Row], broken: &[String], case: &str) -> Result<(), TestCaseError> {
    let played = play(engine, rows);
    for (at, turn) in played.turns.iter().enumerate() {
        prop_assert_eq!(turn.terminals(), 1, "{} turn {}", case, at);
        prop_assert!(turn.faults.is_empty(), "{} turn {}: {:?}", case, at, turn.faults);
        if broken.iter().any(|line| names_things(line)) {
            continue;
        }
        let changed: Vec<String> = broken
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok())
            .flat_map(|msg: Value| given(&msg))
            .collect();
        let shown = turn.texts();
        for text in turn.given.iter().filter(|text| !text.is_empty() && !changed.contains(text)) {
            // A changed line may still be JSON; control characters that came in so are rightly not shown.
            if text.chars().any(|c| c.is_control() && c != '\n') {
                continue;
            }
            prop_assert!(
                shown.contains(&text.as_str()),
                "{} turn {}: {:?} is not in {:?}",
                case,
                at,
                text,
                shown
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn broken_streams_end_and_lose_no_whole_text(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<usize>(), change()), 1..6),
    ) {
        let engines = registry::builtin(&Settings::default());
        let all: Vec<_> = engines
            .iter()
            .flat_map(|engine| transcripts(engine.info().id.as_str()).into_iter().map(move |path| (engine, path)))
            .collect();
        let (engine, path) = which.get(&all);
        let mut rows = read(path);
        let mut broken = Vec::new();
        for (at, change) in &changes {
            broken.extend(apply(&mut rows, *at, change));
        }
        check(engine.as_ref(), &rows, &broken, &path.display().to_string())?;
    }
}
