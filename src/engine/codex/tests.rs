//! Traps of the protocol, one by one.

use serde_json::{Value, json};

use crate::engine::SeatInput;
use crate::engine::codex::Codex;
use crate::engine::testing::{Hand, seat};
use crate::engine::wire::str_at;
use crate::model::message::{ItemBody, ToolState};
use crate::model::turn::{Decision, FailureKind, Fork, SeatSpec, StopReason, TurnEvent};

fn fresh(change: impl Fn(&mut SeatSpec)) -> Hand {
    let engine = Codex::new();
    let mut seat = seat(&engine);
    change(&mut seat);
    let mut hand = Hand::new(&engine, &seat);
    hand.begin("hello");
    hand
}

/// A seat whose turn `turn-1` of thread `T` runs.
fn begun() -> Hand {
    let mut hand = fresh(|_| {});
    hand.line(&json!({"id": 1, "result": {}}))
        .line(&json!({"id": 2, "result": {"thread": {"id": "T"}, "model": "m"}}));
    hand.line(&json!({"id": 3, "result": {"turn": {"id": "turn-1"}}}));
    hand
}

fn methods(hand: &Hand) -> Vec<String> {
    hand.sent().iter().filter_map(|line| str_at(line, "/method").map(str::to_owned)).collect()
}

fn told(method: &str, params: Value) -> Value {
    let mut params = params;
    if let Some(fields) = params.as_object_mut() {
        fields.entry("threadId").or_insert(json!("T"));
        fields.entry("turnId").or_insert(json!("turn-1"));
    }
    json!({"method": method, "params": params})
}

fn delta(item: &str, text: &str) -> Value {
    told("item/agentMessage/delta", json!({"itemId": item, "delta": text}))
}

fn item(method: &str, item: impl Into<Value>) -> Value {
    told(method, json!({"item": item.into()}))
}

fn said(id: &str, text: &str) -> Value {
    item("item/completed", json!({"type": "agentMessage", "id": id, "text": text}))
}

fn command(method: &str, status: &str) -> Value {
    item(
        method,
        json!({"type": "commandExecution", "id": "c", "command": "sleep 9", "status": status, "commandActions": []}),
    )
}

fn ended(status: &str) -> Value {
    told("turn/completed", json!({"turn": {"id": "turn-1", "status": status, "items": []}}))
}

fn error(message: &str, will_retry: bool) -> Value {
    told("error", json!({"error": {"message": message, "codexErrorInfo": "other"}, "willRetry": will_retry}))
}

#[test]
fn the_thread_is_opened_step_by_step_with_questions_on() {
    let hand = begun();
    assert_eq!(methods(&hand), ["initialize", "initialized", "thread/start", "turn/start", "model/list"]);
    let open = &hand.sent()[2];
    assert_eq!(str_at(open, "/params/approvalPolicy"), Some("untrusted"));
    assert_eq!(str_at(open, "/params/sandbox"), Some("workspace-write"));
    assert_eq!(str_at(open, "/params/cwd"), Some("/home/user/project"));
    assert_eq!(str_at(&hand.sent()[3], "/params/input/0/text"), Some("hello"));
    assert!(
        hand.has(|event| *event
            == TurnEvent::Started { session: Some("T".to_owned()), model: Some("m".to_owned()) })
    );
}

#[test]
fn skipping_permissions_and_resuming_are_asked_for() {
    let mut hand = fresh(|seat| {
        seat.skip_permissions = true;
        seat.resume = Some("old".to_owned());
        seat.model = Some("m".to_owned());
    });
    hand.line(&json!({"id": 1, "result": {}}));
    let open = &hand.sent()[2];
    assert_eq!(str_at(open, "/method"), Some("thread/resume"));
    for (field, value) in
        [("threadId", "old"), ("approvalPolicy", "never"), ("sandbox", "danger-full-access"), ("model", "m")]
    {
        assert_eq!(str_at(open, &format!("/params/{field}")), Some(value));
    }
    hand.line(&json!({"id": 2, "error": {"code": -32600, "message": "no rollout found for thread id old"}}));
    assert_eq!((hand.failed(), hand.all.retire), (Some(FailureKind::SessionLost), true));
}

#[test]
fn for_words_only_it_may_only_read() {
    let mut hand = fresh(|seat| (seat.words_only, seat.skip_permissions) = (true, true));
    hand.line(&json!({"id": 1, "result": {}}));
    let open = &hand.sent()[2];
    for (field, value) in [("approvalPolicy", "untrusted"), ("sandbox", "read-only")] {
        assert_eq!(str_at(open, &format!("/params/{field}")), Some(value));
    }
    assert_eq!(open.pointer("/params/ephemeral"), Some(&json!(true)));
}

#[test]
fn a_second_turn_needs_no_handshake() {
    let mut hand = begun();
    hand.line(&ended("completed")).begin("more");
    assert_eq!(methods(&hand).last().map(String::as_str), Some("turn/start"));
    hand.line(&json!({"id": 5, "result": {"turn": {"id": "turn-2"}}}));
    // What the first turn still says is not this one's.
    hand.line(&said("late", "late")).line(&ended("completed"));
    assert_eq!((hand.ends(), hand.text().as_str()), (1, ""));
}

#[test]
fn drafts_and_completed_items_are_one_text() {
    let mut hand = begun();
    hand.line(&delta("a", "Hel")).line(&delta("a", "lo")).line(&said("a", "Hello")).line(&said("a", "Hello"));
    hand.line(&said("b", "Hello"));
    hand.line(&told("turn/completed", json!({"turn": {"id": "turn-1", "status": "completed",
        "items": [{"type": "agentMessage", "id": "b", "text": "Hello"}, {"type": "agentMessage", "id": "lost", "text": "made good"}]}})));
    assert_eq!((hand.text().as_str(), hand.stop()), ("Hello|Hello|made good", Some(StopReason::Completed)));
}

#[test]
fn a_retried_item_begins_anew() {
    let mut hand = begun();
    let start = item("item/started", json!({"type": "agentMessage", "id": "a", "text": ""}));
    hand.line(&start).line(&delta("a", "par")).line(&error("Reconnecting... 1/2", true));
    assert_eq!(hand.text(), "par");
    assert!(hand.has(|event| *event == TurnEvent::Phase("Retrying 1 of 2".to_owned())));
    hand.line(&start).line(&delta("a", "par")).line(&delta("a", "tial"));
    assert_eq!(hand.text(), "partial");
    hand.line(&error("stream disconnected before completion", false)).line(&ended("failed"));
    assert_eq!((hand.text().as_str(), hand.failed()), ("partial", Some(FailureKind::Network)));
}

#[test]
fn a_final_error_ends_the_turn_even_if_nothing_follows() {
    let mut hand = begun();
    hand.line(&error("Selected model is at capacity", false));
    assert_eq!(hand.ends(), 0);
    hand.fire();
    assert_eq!((hand.failed(), hand.all.retire), (Some(FailureKind::Overloaded), true));
}

#[test]
fn waiting_for_the_network_has_an_end() {
    let mut hand = begun();
    hand.line(&error("Reconnecting... waiting for network", true)).fire();
    assert_eq!((hand.failed(), hand.all.retire), (Some(FailureKind::Network), true));
    let mut back = begun();
    back.line(&error("Reconnecting... waiting for network", true)).line(&delta("a", "here")).fire();
    assert_eq!(back.ends(), 0, "it came back");
}

#[test]
fn a_refused_login_is_not_tried_ten_times() {
    let refused = |n: u32| {
        told(
            "error",
            json!({"willRetry": true, "error": {"message": format!("Reconnecting... {n}/5"),
        "codexErrorInfo": {"responseStreamDisconnected": {"httpStatusCode": 401}}}}),
        )
    };
    let mut hand = begun();
    hand.line(&refused(1));
    assert_eq!(hand.ends(), 0);
    hand.line(&refused(2));
    assert_eq!((hand.failed(), hand.all.retire), (Some(FailureKind::NotLoggedIn), true));
}

#[test]
fn questions_carry_what_their_item_told() {
    let mut hand = begun();
    let change = json!({"type": "fileChange", "id": "f", "status": "inProgress", "changes": [{"path": "/a", "kind": {"type": "add"}, "diff": "x\n"}]});
    hand.line(&item("item/started", change));
    let mut ask = told("item/fileChange/requestApproval", json!({"itemId": "f"}));
    ask["id"] = json!(0);
    hand.line(&ask);
    assert!(hand.has(|event| matches!(event, TurnEvent::PermissionAsked(asked)
        if asked.paths == ["/a"] && asked.diff.as_deref().is_some_and(|diff| diff.contains("+x")))));
    hand.answer("0", &Decision::Deny { comment: "use /b".to_owned() });
    let sent = hand.sent();
    let [.., answer, words] = sent.as_slice() else { panic!("two lines") };
    assert_eq!((answer["id"].clone(), str_at(answer, "/result/decision")), (json!(0), Some("decline")));
    assert_eq!(
        (str_at(words, "/method"), str_at(words, "/params/input/0/text")),
        (Some("turn/steer"), Some("use /b"))
    );
    hand.line(&told("serverRequest/resolved", json!({"requestId": 0})));
    assert!(!hand.has(|event| matches!(event, TurnEvent::PermissionGone { .. })), "it was answered");
}

#[test]
fn requests_never_hang() {
    let mut hand = begun();
    hand.line(&json!({"id": "z", "method": "brand/new", "params": {}}));
    assert_eq!(hand.sent().last().map(|line| line["error"]["code"].clone()), Some(json!(-32601)));
    let ask = json!({"id": 7, "method": "item/commandExecution/requestApproval", "params": {"threadId": "T", "command": "x"}});
    hand.line(&ask).line(&told("serverRequest/resolved", json!({"requestId": 7})));
    assert!(hand.has(|event| *event == TurnEvent::PermissionGone { ask: "7".to_owned() }));
    hand.line(&ended("completed")).line(&ask);
    assert_eq!(
        hand.sent().last().map(|line| (line["id"].clone(), line.get("error").is_some())),
        Some((json!(7), true))
    );
}

#[test]
fn a_command_left_running_takes_the_server_with_it() {
    let mut hand = begun();
    hand.line(&command("item/started", "inProgress")).feed(SeatInput::Cancel).line(&ended("interrupted"));
    assert_eq!((hand.stop(), hand.all.retire), (Some(StopReason::Cancelled), true));
    assert_eq!(hand.tools()[0].state, ToolState::Stopped);
    let mut calm = begun();
    calm.line(&command("item/started", "inProgress")).line(&command("item/completed", "completed"));
    calm.feed(SeatInput::Cancel).line(&ended("interrupted"));
    assert_eq!((calm.stop(), calm.all.retire), (Some(StopReason::Cancelled), false));
}

#[test]
fn stop_before_the_turn_has_a_name() {
    let mut hand = fresh(|_| {});
    hand.line(&json!({"id": 1, "result": {}})).line(&json!({"id": 2, "result": {"thread": {"id": "T"}}}));
    hand.feed(SeatInput::Cancel);
    assert!(!methods(&hand).contains(&"turn/interrupt".to_owned()));
    hand.line(&json!({"id": 3, "result": {"turn": {"id": "turn-1"}}}));
    assert_eq!(methods(&hand).last().map(String::as_str), Some("turn/interrupt"));
    let mut early = fresh(|_| {});
    early
        .feed(SeatInput::Cancel)
        .line(&json!({"id": 1, "result": {}}))
        .line(&json!({"id": 2, "result": {"thread": {"id": "T"}}}));
    assert_eq!(
        (early.stop(), methods(&early).contains(&"turn/start".to_owned())),
        (Some(StopReason::Cancelled), false)
    );
    let mut deaf = begun();
    deaf.feed(SeatInput::Cancel).fire();
    assert_eq!((deaf.stop(), deaf.all.retire), (Some(StopReason::Cancelled), true));
}

#[test]
fn other_threads_are_not_this_answer() {
    let mut hand = begun();
    let mut other = said("x", "of a sub-agent");
    other["params"]["threadId"] = json!("T2");
    hand.line(&other).line(&said("a", "mine")).line(&ended("completed"));
    assert_eq!(hand.text(), "mine");
}

#[test]
fn tokens_count_from_the_turns_beginning() {
    let used = |turn: &str, input: u64, last: u64| {
        told(
            "thread/tokenUsage/updated",
            json!({"turnId": turn, "tokenUsage": {"total": {"inputTokens": input, "cachedInputTokens": 2},
            "last": {"inputTokens": last, "cachedInputTokens": 2, "totalTokens": last}, "modelContextWindow": 100}}),
        )
    };
    let input = |hand: &Hand| {
        hand.all.events.iter().rev().find_map(|event| match event {
            TurnEvent::Usage(used) => used.input_tokens,
            _ => None,
        })
    };
    let mut hand = begun();
    hand.line(&used("turn-1", 10, 10)).line(&used("turn-1", 30, 20));
    assert_eq!(input(&hand), Some(28));
    hand.line(&ended("completed"))
        .begin("two")
        .line(&json!({"id": 5, "result": {"turn": {"id": "turn-2"}}}))
        .line(&used("turn-2", 37, 7));
    assert_eq!(input(&hand), Some(7));
    // A resumed thread holds counts of turns before; only its last request is this turn's.
    let mut resumed = fresh(|seat| seat.resume = Some("T".to_owned()));
    resumed.line(&json!({"id": 1, "result": {}})).line(&json!({"id": 2, "result": {"thread": {"id": "T"}}}));
    resumed.line(&json!({"id": 3, "result": {"turn": {"id": "turn-1"}}})).line(&used("turn-1", 1000, 9));
    assert_eq!(input(&resumed), Some(7));
}

#[test]
fn plans_and_output_grow() {
    let mut hand = begun();
    hand.line(&told("turn/plan/updated", json!({"plan": [{"step": "one", "status": "completed"}]})));
    hand.line(&told(
        "turn/plan/updated",
        json!({"plan": [{"step": "one", "status": "completed"}, {"step": "two", "status": "inProgress"}]}),
    ));
    hand.line(&command("item/started", "inProgress"));
    hand.line(&told("item/commandExecution/outputDelta", json!({"itemId": "c", "delta": "a\u{1b}[31"})));
    hand.line(&told("item/commandExecution/outputDelta", json!({"itemId": "c", "delta": "mb"})));
    let items = hand.items();
    assert!(matches!(&items[0].1, ItemBody::Plan { entries } if entries.len() == 2));
    assert_eq!(hand.tools()[0].output, "ab");
}

#[test]
fn exits_and_versions_without_the_protocol() {
    let mut old = fresh(|_| {});
    old.exit(2, "error: unrecognized subcommand 'app-server'");
    assert_eq!(old.failed(), Some(FailureKind::Protocol));
    let mut crash = begun();
    crash.line(&said("a", "part")).exit(101, "panicked");
    assert_eq!((crash.failed(), crash.text().as_str()), (Some(FailureKind::Crashed), "part"));
    let mut idle = begun();
    idle.line(&ended("completed")).exit(0, "");
    assert_eq!(idle.ends(), 1);
    let mut strange = begun();
    strange
        .line(&json!({"method": "brand/new", "params": {}}))
        .feed(SeatInput::Line("noise"))
        .line(&json!({"neither": 1}));
    strange.line(&said("a", "text")).line(&ended("completed"));
    assert_eq!((strange.text().as_str(), strange.all.skipped), ("text", 2));
}

#[test]
fn a_thread_is_forked_behind_a_turn() {
    let mut hand = fresh(|seat| {
        seat.fork = Some(Fork { session: "old".to_owned(), point: Some("turn-7".to_owned()) });
    });
    hand.line(&json!({"id": 1, "result": {}}));
    let open = &hand.sent()[2];
    assert_eq!(str_at(open, "/method"), Some("thread/fork"));
    for (field, value) in [
        ("threadId", "old"),
        ("lastTurnId", "turn-7"),
        ("approvalPolicy", "untrusted"),
        ("cwd", "/home/user/project"),
    ] {
        assert_eq!(str_at(open, &format!("/params/{field}")), Some(value));
    }
    hand.line(&json!({"id": 2, "result": {"thread": {"id": "T", "forkedFromId": "old"}}}));
    hand.line(&json!({"id": 3, "result": {"turn": {"id": "turn-1"}}})).line(&ended("completed"));
    assert!(hand.has(|event| matches!(event, TurnEvent::Started { session: Some(id), .. } if id == "T")));
    assert!(hand.has(|event| *event == TurnEvent::ForkPoint("turn-1".to_owned())));
    assert_eq!(hand.stop(), Some(StopReason::Completed));

    let mut lost = fresh(|seat| {
        seat.fork = Some(Fork { session: "old".to_owned(), point: Some("turn-9".to_owned()) });
    });
    lost.line(&json!({"id": 1, "result": {}}));
    lost.line(&json!({"id": 2, "error": {"code": -32600, "message": "turn not found: turn-9"}}));
    assert_eq!((lost.failed(), lost.all.retire), (Some(FailureKind::SessionLost), true));
    let mut stopped = begun();
    stopped.line(&ended("interrupted"));
    assert!(!stopped.has(|event| matches!(event, TurnEvent::ForkPoint(_))));
}
