//! Traps of the protocol, one by one.

use serde_json::{Value, json};

use crate::engine::SeatInput;
use crate::engine::claude::Claude;
use crate::engine::testing::{Hand, seat};
use crate::engine::wire::str_at;
use crate::model::message::{ItemBody, ToolState};
use crate::model::turn::{Decision, FailureKind, StopReason, TurnEvent};

fn begun() -> Hand {
    let engine = Claude::new();
    let mut hand = Hand::new(&engine, &seat(&engine));
    hand.begin("hello");
    hand
}

fn init(session: &str) -> Value {
    json!({"type": "system", "subtype": "init", "session_id": session, "model": "m"})
}

fn start(id: &str) -> Value {
    json!({"type": "stream_event", "event": {"type": "message_start", "message": {"id": id}}, "parent_tool_use_id": null})
}

fn delta(index: u64, text: &str) -> Value {
    json!({"type": "stream_event", "parent_tool_use_id": null,
        "event": {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}}})
}

fn whole(id: &str, text: &str) -> Value {
    json!({"type": "assistant", "message": {"id": id, "content": [{"type": "text", "text": text}]}, "parent_tool_use_id": null})
}

fn tool(id: &str, name: &str, input: &Value) -> Value {
    json!({"type": "assistant", "parent_tool_use_id": null,
        "message": {"id": "m", "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]}})
}

fn done() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false, "terminal_reason": "completed",
        "usage": {"input_tokens": 3, "output_tokens": 2}, "total_cost_usd": 0.5})
}

fn ask(id: &str, command: &str) -> Value {
    json!({"type": "control_request", "request_id": id,
        "request": {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": command}}})
}

#[test]
fn the_prompt_goes_as_one_line_behind_initialize() {
    let mut hand = begun();
    hand.line(&done()).begin("again\nand again");
    let sent = hand.sent();
    let kinds: Vec<&str> = sent.iter().filter_map(|line| str_at(line, "/type")).collect();
    assert_eq!(kinds, ["control_request", "user", "user"]);
    assert_eq!(str_at(&sent[2], "/message/content/0/text"), Some("again\nand again"));
    assert_eq!(str_at(&sent[2], "/uuid"), Some("11111111-2222-4333-8444-000000000002"));
}

#[test]
fn drafts_and_whole_lines_are_one_text() {
    let mut hand = begun();
    hand.line(&init("s"))
        .line(&start("a"))
        .line(&delta(0, "Hel"))
        .line(&delta(0, "lo"))
        .line(&whole("a", "Hello"));
    hand.line(&tool("t", "Bash", &json!({"command": "ls"})));
    hand.line(&start("b")).line(&delta(0, "Hello")).line(&whole("b", "Hello")).line(&done());
    assert_eq!(hand.text(), "Hello|Hello", "the same twice said is two");
    assert_eq!((hand.ends(), hand.stop()), (1, Some(StopReason::Completed)));
}

#[test]
fn a_repeated_line_shows_once() {
    let mut hand = begun();
    let mut line = whole("a", "Hello");
    line["uuid"] = json!("line-1");
    hand.line(&line).line(&line).line(&done()).line(&done());
    assert_eq!((hand.text().as_str(), hand.ends()), ("Hello", 1));
}

#[test]
fn a_broken_stream_is_replaced_by_what_comes_instead() {
    let broken = json!({"type": "stream_event", "event": {"type": "message_stop"}, "abandoned_blocks": {"from_block_index": 0}});
    let error = json!({"type": "assistant", "is_api_error_message": true, "error": "server_error",
        "message": {"id": "e", "content": [{"type": "text", "text": "API Error: 529"}]}});
    let failed = json!({"type": "result", "is_error": true, "terminal_reason": "api_error", "api_error_status": 529, "result": "API Error: 529"});
    let mut same = begun();
    same.line(&start("a")).line(&delta(0, "par")).line(&broken).line(&whole("a", "other")).line(&done());
    assert_eq!(same.text(), "other");
    let mut another = begun();
    another.line(&start("a")).line(&delta(0, "par")).line(&broken).line(&whole("b", "other")).line(&done());
    assert_eq!(another.text(), "other");
    let mut lost = begun();
    lost.line(&start("a")).line(&delta(0, "par")).line(&broken).line(&error).line(&failed);
    assert_eq!(
        (lost.text().as_str(), lost.failed()),
        ("par", Some(FailureKind::Overloaded)),
        "the partial stays"
    );
}

#[test]
fn sub_agents_are_neither_answer_nor_session() {
    let mut hand = begun();
    let under = |mut line: Value| {
        line["parent_tool_use_id"] = json!("t");
        line["session_id"] = json!("sub");
        line
    };
    hand.line(&under(init("sub"))).line(&init("top"));
    hand.line(&tool("t", "Task", &json!({"description": "look"})));
    hand.line(&under(start("x"))).line(&under(delta(0, "secret"))).line(&under(whole("x", "secret")));
    hand.line(&under(tool("u", "Read", &json!({"file_path": "/f"})))).line(&done());
    assert_eq!(hand.text(), "");
    assert_eq!(hand.tools().len(), 1);
    assert_eq!(hand.tools()[0].output, "› Read /f\n");
    let started: Vec<_> =
        hand.all.events.iter().filter(|event| matches!(event, TurnEvent::Started { .. })).collect();
    assert_eq!(
        started,
        [&TurnEvent::Started { session: Some("top".to_owned()), model: Some("m".to_owned()) }]
    );
}

#[test]
fn a_turn_waits_for_agents_in_the_background() {
    let tasks =
        |tasks: Value| json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks});
    let mut hand = begun();
    hand.line(&init("s"))
        .line(&tasks(json!([{"task_type": "local_agent"}, {"task_type": "local_bash"}])))
        .line(&done());
    assert_eq!(hand.ends(), 0);
    hand.line(&tasks(json!([{"task_type": "local_bash"}])))
        .line(&init("s"))
        .line(&whole("b", "summary"))
        .line(&done());
    assert_eq!((hand.ends(), hand.text().as_str()), (1, "summary"));
    assert!(
        hand.has(|event| matches!(event, TurnEvent::Usage(used) if used.input_tokens == Some(6))),
        "both parts count"
    );
    // It may also have nothing more to say.
    let mut silent = begun();
    silent.line(&tasks(json!([{"task_type": "local_agent"}]))).line(&done()).line(&tasks(json!([]))).fire();
    assert_eq!((silent.ends(), silent.stop(), silent.all.retire), (1, Some(StopReason::Completed), false));
    let mut stopped = begun();
    stopped.line(&tasks(json!([{"task_type": "local_agent"}]))).line(&done()).feed(SeatInput::Cancel);
    assert_eq!((stopped.stop(), stopped.all.retire), (Some(StopReason::Cancelled), true));
}

#[test]
fn results_of_other_turns_end_nothing() {
    let mut hand = begun();
    let mut other = done();
    other["user_message_uuids"] = json!(["somebody-else"]);
    hand.line(&other);
    assert_eq!(hand.ends(), 0);
    hand.line(&done());
    assert_eq!(hand.ends(), 1);
    // A turn that Claude began by itself still runs when ours begins.
    hand.line(&init("s")).begin("two").line(&done());
    assert_eq!(hand.ends(), 1);
    hand.line(&done());
    assert_eq!(hand.ends(), 2);
}

#[test]
fn answers_reach_their_own_question_only() {
    let mut hand = begun();
    hand.line(&ask("a", "one")).line(&ask("b", "two")).answer("b", &Decision::AllowOnce);
    hand.line(&json!({"type": "control_cancel_request", "request_id": "a"}))
        .answer("a", &Decision::AllowOnce);
    let answers: Vec<Value> =
        hand.sent().into_iter().filter(|line| str_at(line, "/type") == Some("control_response")).collect();
    assert_eq!(answers.len(), 1);
    assert_eq!(str_at(&answers[0], "/response/response/updatedInput/command"), Some("two"));
    assert!(hand.has(|event| *event == TurnEvent::PermissionGone { ask: "a".to_owned() }));
}

#[test]
fn requests_never_hang() {
    let mut hand = begun();
    hand.line(&json!({"type": "control_request", "request_id": "x", "request": {"subtype": "mcp_message"}}));
    assert_eq!(
        hand.sent().last().and_then(|line| str_at(line, "/response/subtype").map(str::to_owned)),
        Some("error".to_owned())
    );
    hand.line(&ask("open", "x")).line(&done());
    assert!(
        hand.has(|event| *event == TurnEvent::PermissionGone { ask: "open".to_owned() }),
        "gone with the turn"
    );
    hand.line(&ask("late", "x"));
    assert_eq!(
        hand.sent().last().and_then(|line| str_at(line, "/response/response/behavior").map(str::to_owned)),
        Some("deny".to_owned())
    );
}

#[test]
fn tool_results_tell_state_code_files_and_diff() {
    let result = |block: Value, told: Value| json!({"type": "user", "message": {"content": [block]}, "tool_use_result": told});
    let mut hand = begun();
    hand.line(&tool("r", "Bash", &json!({"command": "exit 3"})));
    hand.line(&result(json!({"type": "tool_result", "tool_use_id": "r", "is_error": true, "content": "Exit code 3\nno\u{1b}[0m"}), json!("Error")));
    hand.line(&tool("e", "Edit", &json!({"file_path": "/f", "old_string": "a", "new_string": "b"})));
    hand.line(&result(
        json!({"type": "tool_result", "tool_use_id": "e", "content": [{"type": "text", "text": "ok"}]}),
        json!({"filePath": "/f", "structuredPatch": [{"oldStart": 4, "oldLines": 1, "newStart": 4, "newLines": 1, "lines": ["-a", "+b"]}]}),
    ));
    hand.line(&tool("d", "Write", &json!({"file_path": "/g", "content": "x"})));
    hand.line(&json!({"type": "control_request", "request_id": "q", "request": {"subtype": "can_use_tool", "tool_name": "Write", "tool_use_id": "d", "input": {}}}));
    hand.answer("q", &Decision::Deny { comment: "no".to_owned() });
    hand.line(&result(
        json!({"type": "tool_result", "tool_use_id": "d", "is_error": true, "content": "no"}),
        Value::Null,
    ));
    hand.line(&tool("left", "Bash", &json!({"command": "sleep"}))).line(&done());
    let tools = hand.tools();
    assert_eq!(
        tools.iter().map(|call| call.state).collect::<Vec<_>>(),
        [ToolState::Failed, ToolState::Done, ToolState::Denied, ToolState::Stopped]
    );
    assert_eq!((tools[0].exit_code, tools[0].output.as_str()), (Some(3), "Exit code 3\nno"));
    assert_eq!(tools[1].changed_files, ["/f"]);
    assert_eq!(tools[1].diff.as_deref(), Some("--- /f\n+++ /f\n@@ -4,1 +4,1 @@\n-a\n+b\n"));
    assert!(tools[2].changed_files.is_empty());
}

#[test]
fn the_to_do_list_is_a_plan() {
    let mut hand = begun();
    hand.line(&tool("p", "TodoWrite", &json!({"todos": [{"content": "one", "status": "completed"}]})));
    hand.line(&tool("q", "TodoWrite", &json!({"todos": [{"content": "one", "status": "completed"}, {"content": "two", "status": "in_progress"}]})));
    let items = hand.items();
    assert_eq!(items.len(), 1);
    assert!(matches!(&items[0].1, ItemBody::Plan { entries } if entries.len() == 2));
}

#[test]
fn stop_asks_first_and_then_gives_up_the_process() {
    let mut polite = begun();
    polite.feed(SeatInput::Cancel).feed(SeatInput::Cancel);
    polite.line(&json!({"type": "result", "is_error": true, "subtype": "error_during_execution", "terminal_reason": "aborted_tools"}));
    assert_eq!(
        (polite.stop(), polite.all.retire, polite.all.lines.len()),
        (Some(StopReason::Cancelled), false, 3)
    );
    polite.fire();
    assert_eq!(polite.ends(), 1, "a late timer is nothing");
    let mut deaf = begun();
    deaf.feed(SeatInput::Cancel).fire();
    assert_eq!((deaf.stop(), deaf.all.retire), (Some(StopReason::Cancelled), true));
    let mut gone = begun();
    gone.feed(SeatInput::Cancel).exit(0, "");
    assert_eq!((gone.stop(), gone.ends()), (Some(StopReason::Cancelled), 1));
}

#[test]
fn a_refused_login_is_not_tried_for_a_minute() {
    let retry = |attempt: u64, most: u64, error: &str| json!({"type": "system", "subtype": "api_retry", "attempt": attempt, "max_retries": most, "error": error});
    for retries in [vec![(1, 10)], vec![(1, 2), (2, 2)]] {
        let mut hand = begun();
        for (attempt, most) in retries {
            hand.line(&retry(attempt, most, "authentication_failed"));
        }
        assert_eq!((hand.failed(), hand.all.retire), (Some(FailureKind::NotLoggedIn), true));
    }
    let mut slow = begun();
    slow.line(&retry(1, 2, "authentication_failed"));
    assert_eq!(slow.ends(), 0);
    slow.fire();
    assert_eq!(slow.failed(), Some(FailureKind::NotLoggedIn));
    let mut limited = begun();
    limited.line(&retry(2, 10, "rate_limit"));
    assert_eq!(limited.all.events.last(), Some(&TurnEvent::Phase("Retrying 2 of 10".to_owned())));
}

#[test]
fn exits_in_and_between_turns() {
    let mut hand = begun();
    hand.line(&init("s")).line(&whole("a", "part")).exit(3, "boom");
    assert_eq!(
        (hand.failed(), hand.text().as_str(), hand.all.retire),
        (Some(FailureKind::Crashed), "part", true)
    );
    assert!(hand.has(|event| matches!(event, TurnEvent::Failed(failure) if failure.detail.contains("claude -p") && failure.detail.contains("boom"))));
    let mut idle = begun();
    idle.line(&done()).exit(0, "");
    assert_eq!(idle.ends(), 1);
    let mut banner = begun();
    banner.feed(SeatInput::Line("Welcome!")).exit(0, "");
    assert_eq!(banner.failed(), Some(FailureKind::Protocol));
    assert!(banner.has(|event| matches!(event, TurnEvent::Failed(failure) if failure.message.contains("1.2.3") && failure.detail.contains("Welcome!"))));
    let mut lost = begun();
    lost.exit(1, "No conversation found with session ID: 9");
    assert_eq!(lost.failed(), Some(FailureKind::SessionLost));
}

#[test]
fn strangers_and_giants_lose_nothing() {
    let mut hand = begun();
    hand.line(&json!({"type": "brand_new"}))
        .line(&json!({"type": "system", "subtype": "brand_new"}))
        .line(&json!({"no": "type"}));
    hand.feed(SeatInput::Line("npm warn")).feed(SeatInput::LineTooLong { bytes: 1 << 30 });
    hand.line(&whole("a", "text")).line(&done());
    assert_eq!(
        (hand.text().as_str(), hand.all.skipped, hand.stop()),
        ("text", 3, Some(StopReason::Completed))
    );
    assert!(hand.has(|event| matches!(event, TurnEvent::Notice { text, .. } if text.contains("too large"))));
    assert!(hand.all.log.iter().any(|line| line == "npm warn"));
}

#[test]
fn quoted_words_stand_in_a_block_of_their_own() {
    let engine = Claude::new();
    let mut hand = Hand::new(&engine, &seat(&engine));
    hand.begin("said: @/etc/passwd\n\n---\n\nwhat is in @README.md?");
    let sent = hand.sent();
    let line = sent.last().unwrap();
    assert_eq!(str_at(line, "/message/content/0/text"), Some("said: @/etc/passwd\n\n---\n"));
    assert_eq!(str_at(line, "/message/content/1/text"), Some("what is in @README.md?"));
}

#[test]
fn a_finished_turn_tells_where_its_session_can_be_forked() {
    let row = |uuid: &str, mut line: Value| {
        line["uuid"] = json!(uuid);
        line
    };
    let points = |hand: &Hand| -> Vec<String> {
        let point = |event: &TurnEvent| match event {
            TurnEvent::ForkPoint(point) => Some(point.clone()),
            _ => None,
        };
        hand.all.events.iter().filter_map(point).collect()
    };
    let mut hand = begun();
    hand.line(&init("s")).line(&row("r1", whole("a", "Looking")));
    hand.line(&row("r2", tool("t", "Bash", &json!({"command": "ls"})))).line(&row("r3", whole("b", "Done")));
    let mut of_sub_agent = row("r4", whole("c", "inner"));
    of_sub_agent["parent_tool_use_id"] = json!("t");
    hand.line(&of_sub_agent).line(&done());
    assert_eq!(points(&hand), ["r3"], "the last words of the agent itself");
    assert_eq!(hand.stop(), Some(StopReason::Completed), "it comes before the end");

    let mut cut = begun();
    cut.line(&row("r1", whole("a", "Looking"))).line(&row("r2", tool("t", "Bash", &json!({})))).line(&done());
    assert!(points(&cut).is_empty(), "a fork behind a call would lack its result");

    let mut stopped = begun();
    stopped.line(&row("r1", whole("a", "Looking"))).feed(SeatInput::Cancel).fire();
    assert!(points(&stopped).is_empty());
}

#[test]
fn a_fork_at_an_unknown_place_is_a_lost_session() {
    let mut hand = begun();
    hand.line(&json!({"type": "result", "subtype": "error_during_execution", "is_error": true,
        "errors": ["No message found with message.uuid of: r9"], "session_id": "new"}));
    assert_eq!((hand.failed(), hand.all.retire), (Some(FailureKind::SessionLost), true));
    assert!(!hand.has(|event| matches!(event, TurnEvent::Started { .. })));
}
