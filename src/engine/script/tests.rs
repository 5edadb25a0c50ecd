use std::path::PathBuf;

use super::*;
use crate::engine::TimerId;
use crate::model::engine::Billing;
use crate::model::id::TurnId;
use crate::model::turn::{Decision, StopReason};

fn seat(resume: Option<&str>) -> SeatSpec {
    SeatSpec {
        engine: EngineId::new("script:x"),
        model: None,
        cwd: PathBuf::from("/p"),
        fork: None,
        resume: resume.map(str::to_owned),
        new_session_id: "new".to_owned(),
        system_file: None,
        skip_permissions: false,
        words_only: false,
        billing: Billing::Subscription,
        program: None,
        version: None,
    }
}

/// All events of one turn; timers fire at once, questions get `decision`.
fn turn(dialect: &mut Box<dyn Dialect>, text: &str, decision: &Decision) -> Vec<TurnEvent> {
    let mut events = Vec::new();
    let mut out = SeatOutput::default();
    dialect.input(SeatInput::Begin(&TurnRequest { turn: TurnId(1), text: text.to_owned() }), &mut out);
    loop {
        let taken = std::mem::take(&mut out);
        let asked = taken.events.iter().find_map(|event| match event {
            TurnEvent::PermissionAsked(request) => Some(request.ask.clone()),
            _ => None,
        });
        events.extend(taken.events);
        if let Some(ask) = asked {
            dialect.input(SeatInput::Answer { ask: &ask, decision }, &mut out);
        } else if let Some((timer, _)) = taken.timers.first() {
            dialect.input(SeatInput::Deadline(*timer), &mut out);
        } else {
            return events;
        }
    }
}

fn said(events: &[TurnEvent]) -> String {
    let piece = |event: &TurnEvent| match event {
        TurnEvent::ItemStarted { body: ItemBody::Text { text }, .. } => Some(text.clone()),
        TurnEvent::ItemDelta { delta, .. } => Some(delta.clone()),
        _ => None,
    };
    events.iter().filter_map(piece).collect()
}

#[test]
fn turns_go_by_number_and_by_word() {
    let script = "# a comment\n{\"text\":\"one\"}\n\n{\"turn\":true}\n{\"text\":\"two\"}\n{\"turn\":\"apple\"}\n{\"echo\":true}\n";
    let engine = engine("x", script);
    let mut dialect = engine.dialect(&seat(None));
    for (request, answer) in [("a", "one"), ("an apple", "an apple"), ("b", "two"), ("c", "two")] {
        let events = turn(&mut dialect, request, &Decision::AllowOnce);
        assert_eq!(said(&events), answer);
        assert_eq!(events.iter().filter(|event| event.is_terminal()).count(), 1);
        assert!(matches!(events.last(), Some(TurnEvent::Finished(StopReason::Completed))));
    }
}

#[test]
fn a_question_waits_for_its_answer() {
    let engine = engine(
        "x",
        "{\"ask\":{\"tool\":\"Bash\",\"command\":\"ls\",\"on_allow\":\"yes\"}}\n{\"text\":\"!\"}",
    );
    for (decision, answer) in [
        (Decision::AllowOnce, "yes!"),
        (Decision::Deny { comment: "why".to_owned() }, "denied\nYour comment: why\n!"),
    ] {
        let events = turn(&mut engine.dialect(&seat(None)), "x", &decision);
        assert_eq!(said(&events), answer);
    }
}

#[test]
fn pieces_stream_by_timers_and_a_stop_ends_them() {
    let engine = engine("x", r#"{"stream":{"text":"한글 text","chunk_chars":3,"times":2}}"#);
    let mut dialect = engine.dialect(&seat(None));
    assert_eq!(said(&turn(&mut dialect, "x", &Decision::AllowOnce)), "한글 text한글 text");

    let mut out = SeatOutput::default();
    dialect.input(SeatInput::Begin(&TurnRequest { turn: TurnId(2), text: String::new() }), &mut out);
    let timer = out.timers.first().map(|(id, _)| *id);
    dialect.input(SeatInput::Cancel, &mut out);
    assert!(matches!(out.events.last(), Some(TurnEvent::Finished(StopReason::Cancelled))));
    let count = out.events.len();
    dialect.input(SeatInput::Deadline(timer.unwrap_or(TimerId(0))), &mut out);
    assert_eq!(out.events.len(), count, "a late timer does nothing");
}

#[test]
fn every_step_reads() {
    let script = r#"
{"session":"s-1"}
{"model":"m"}
{"phase":"p"}
{"thinking":"t"}
{"tool":{"name":"Bash","kind":"run","title":"ls","input":"ls","output":"a","exit_code":0,"run_ms":0}}
{"plan":[{"text":"a","state":"in_progress"}]}
{"plan":[{"text":"a","state":"done"}]}
{"text":"x"}
{"replace":"y"}
{"withdraw":true}
{"text":"z"}
{"usage":{"input_tokens":1}}
{"limit":{"kind":"5 h","used_percent":97.5,"resets_at_ms":1,"reached":true}}
{"notice":{"level":"warn","text":"n"}}
{"models":["m"]}
{"delay_ms":0}
{"finish":"max_tokens"}
{"text":"never"}"#;
    let events = turn(&mut engine("x", script).dialect(&seat(None)), "x", &Decision::AllowOnce);
    assert!(
        matches!(&events[0], TurnEvent::Started { session: Some(id), model: Some(m) } if id == "s-1" && m == "m")
    );
    assert!(matches!(events.last(), Some(TurnEvent::Finished(StopReason::MaxTokens))));
    assert_eq!(said(&events), "xz");
    let tools = events
        .iter()
        .filter(|event| matches!(event, TurnEvent::ItemReplaced { body: ItemBody::Tool(_), .. }));
    assert_eq!(tools.count(), 1);
}

#[test]
fn failures_and_lost_sessions() {
    let fail = r#"{"fail":{"kind":"rate_limited","message":"slow","resets_at_ms":5}}"#;
    let events = turn(&mut engine("x", fail).dialect(&seat(None)), "x", &Decision::AllowOnce);
    assert!(
        matches!(events.last(), Some(TurnEvent::Failed(f)) if f.kind == FailureKind::RateLimited && f.resets_at_ms == Some(5))
    );
    let lost = "{\"session_lost\":true}\n{\"text\":\"ok\"}";
    let events = turn(&mut engine("x", lost).dialect(&seat(Some("old"))), "x", &Decision::AllowOnce);
    assert!(matches!(events.last(), Some(TurnEvent::Failed(f)) if f.kind == FailureKind::SessionLost));
    assert_eq!(said(&turn(&mut engine("x", lost).dialect(&seat(None)), "x", &Decision::AllowOnce)), "ok");
}

#[test]
fn a_bad_line_is_named() {
    for (script, words) in [
        ("{\"text\":\"a\"}\nnonsense", "line 2"),
        ("{\"unknown\":1}", "line 1"),
        ("\n\n{\"delay_ms\":-1}", "line 3"),
        ("{\"tool\":{}}", "name"),
        ("{\"hang\":\"loudly\"}", "deaf"),
        ("{\"turn\":3}", "line 1"),
    ] {
        let failure = engine("f.jsonl", script).launch(&seat(None)).unwrap_err();
        assert!(failure.message.contains(words), "{}", failure.message);
        assert_eq!(failure.kind, FailureKind::Protocol);
    }
}
