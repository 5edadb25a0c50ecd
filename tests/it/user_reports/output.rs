//! What agents write, in every shape it comes in.

use std::time::Duration;

use tunaflow::model::message::{ItemBody, NoticeLevel, ToolState};
use tunaflow::model::turn::FailureKind;

use super::fake::{answered, app_with, app_with_claude, claude_after, failure, gemini, notices};
use crate::support::app::last;

/// Words before the JSON, JSON over many lines, and warnings on standard error break the wrapper, or end up in the
/// answer.
#[test]
fn only_the_answer_is_shown_of_banners_warnings_and_pretty_json() {
    let pretty = r#"{\n  "type": "assistant",\n  "message": {\n    "id": "m1",\n    "content": [\n      {\n        "type": "text",\n        "text": "the answer"\n      }\n    ]\n  }\n}\n"#;
    let noise = "echo 'Loaded cached credentials.'\necho '[deprecated] use {the new} flag'\necho 'warning: slow disk' >&2";
    let app =
        app_with("claude", &claude_after(noise, &format!("init; printf '{pretty}'; echo 'Bye {{'; result")));
    let id = app.conversation("claude");
    let view = app.ask(id, "hello");
    assert_eq!(answered(&view), "the answer");
    assert_eq!(last(&view).items.len(), 1, "{:?}", last(&view).items);
}

/// The same over the other protocol.
#[test]
fn pretty_json_and_banners_are_understood_over_acp() {
    let pretty = r#"{\n  "jsonrpc": "2.0",\n  "method": "session/update",\n  "params": {\n    "sessionId": "s-1",\n    "update": {\n      "sessionUpdate": "agent_message_chunk",\n      "content": {\n        "type": "text",\n        "text": " and more"\n      }\n    }\n  }\n}\n"#;
    let turn = format!(
        "echo 'Data collection is disabled.'; echo 'warning: slow' >&2; says 'the answer'; printf '{pretty}'; echo '{{ odd'; reply '{{\"stopReason\":\"end_turn\"}}'"
    );
    let app = app_with("gemini", &gemini(&turn));
    let id = app.conversation("gemini");
    let view = app.ask(id, "hello");
    assert_eq!(answered(&view), "the answer and more");
    assert_eq!(last(&view).items.len(), 1, "{:?}", last(&view).items);
}

/// A program that speaks no JSON at all leaves its words in a log nobody finds.
#[test]
fn plain_words_instead_of_json_are_shown_with_the_failure() {
    for (engine, script) in [
        ("claude", "read -r line; echo 'Your plan has'; echo 'no access to this.'"),
        ("gemini", "read -r line; echo 'Your plan has'; echo 'no access to this.'"),
        ("codex", "read -r line; echo 'Your plan has'; echo 'no access to this.'"),
    ] {
        let app = app_with(engine, &format!("#!/bin/sh\n{script}"));
        let id = app.conversation(engine);
        let told = failure(&app.ask(id, "hello"));
        assert_eq!(told.kind, FailureKind::Protocol, "{engine}");
        assert!(told.message.contains("no access to this."), "{engine}: {told:?}");
        assert!(told.detail.contains("Your plan has"), "{engine}: {}", told.detail);
    }
}

const WORDS: &str = "한글 中文 日本語 😀";

/// Commands that write these bytes one by one.
fn one_by_one(bytes: &[u8], to: &str) -> String {
    let octal: Vec<String> = bytes.iter().map(|byte| format!("{byte:03o}")).collect();
    format!("for byte in {}; do printf \"\\\\$byte\"{to}; done\n", octal.join(" "))
}

/// Letters outside of ASCII turn into question marks where a read ends in the middle of one.
#[test]
fn letters_cut_by_single_bytes_come_whole_on_both_streams() {
    let line = format!(
        r#"{{"type":"assistant","message":{{"id":"m1","content":[{{"type":"text","text":"{WORDS}"}}]}}}}"#
    );
    let turn = format!(
        "init\n{}{}exit 3",
        one_by_one(format!("{line}\n").as_bytes(), ""),
        one_by_one(WORDS.as_bytes(), " >&2")
    );
    let app = app_with_claude(&turn);
    let id = app.conversation("claude");
    let view = app.ask(id, WORDS);
    assert_eq!(last(&view).plain_text(), WORDS);
    let told = failure(&view);
    assert!(told.detail.ends_with(WORDS) && told.message.contains(WORDS), "{told:?}");
}

/// A very long line is cut, lost, or shortened without a word.
#[test]
fn a_line_of_nine_megabytes_comes_whole() {
    let turn = r#"init
printf '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"'
head -c 9000000 /dev/zero | tr '\0' x
printf ' end"}]}}\n'
result"#;
    let app = app_with_claude(turn).patient(Duration::from_secs(120));
    let id = app.conversation("claude");
    let text = answered(&app.ask(id, "a lot"));
    assert_eq!(text.len(), 9_000_004);
    assert!(text.ends_with("xx end"));
    let app = app.restart();
    assert_eq!(app.open_whole(id)[1].plain_text().len(), 9_000_004, "kept whole as well");
}

/// Beyond the limit it is said, and what stands before and after is there.
#[test]
fn a_line_over_the_limit_is_told_and_costs_nothing_else() {
    let turn = r#"init
text m1 before
printf '{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"'
head -c 17000000 /dev/zero | tr '\0' x
printf '"}]}}\n'
text m3 after
result"#;
    let app = app_with_claude(turn).patient(Duration::from_secs(120));
    let id = app.conversation("claude");
    let view = app.ask(id, "too much");
    assert_eq!(answered(&view), "before\n\nafter");
    let told = notices(&view);
    assert!(told.len() == 1 && told[0].0 == NoticeLevel::Error && told[0].1.contains("17000"), "{told:?}");
}

/// The answer stands there twice: once from its pieces and once as a whole, above all with a tool call between.
#[test]
fn pieces_and_the_whole_are_one_copy_around_a_tool_call() {
    let turn = r#"init
message_start m1
delta 0 'First '; delta 0 'part.'
text m1 'First part.'
printf '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a.txt"}}]}}\n'
printf '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}\n'
message_start m2
delta 0 'Second '; delta 0 'part.'
text m2 'Second part.'
printf '{"type":"result","subtype":"success","is_error":false,"result":"Second part."}\n'"#;
    let app = app_with_claude(turn);
    let id = app.conversation("claude");
    let view = app.ask(id, "read a.txt");
    assert_eq!(answered(&view), "First part.\n\nSecond part.");
    let tools: Vec<ToolState> = last(&view)
        .items
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::Tool(call) => Some(call.state),
            _ => None,
        })
        .collect();
    assert_eq!(tools, [ToolState::Done]);
    // The same words said again on purpose are two.
    let view = app.ask(id, "read it again");
    assert_eq!(answered(&view), "First part.\n\nSecond part.");
}

/// One unknown field or id, and the whole update is gone: text, tools and plan.
#[test]
fn the_unknown_is_skipped_and_everything_else_is_shown() {
    let turn = r#"init
text m1 one
printf '{"type":"hologram","payload":{"text":"?"}}\n'
printf '{"type":"system","subtype":"brand_new"}\n'
printf '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"never-seen","content":"lost"}]}}\n'
printf '{"type":"assistant","message":{"id":"m2","content":[{"type":"hologram","x":1},{"type":"text","text":"two","new_field":[{}]}]}}\n'
printf '{"type":"stream_event","event":{"type":"brand_new_event","index":9}}\n'
text m3 three
result"#;
    let app = app_with_claude(turn);
    let id = app.conversation("claude");
    assert_eq!(answered(&app.ask(id, "hello")), "one\n\ntwo\n\nthree");

    let update = |update: &str| {
        format!(
            r#"printf '{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s-1","update":{update}}}}}\n'"#
        )
    };
    let turn = [
        "says one".to_owned(),
        update(r#"{"sessionUpdate":"tool_call_update","toolCallId":"never-seen","status":"completed"}"#),
        update(r#"{"sessionUpdate":"hologram","content":{"type":"text","text":"?"}}"#),
        update(r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"hologram","x":1}}"#),
        r#"printf '{"jsonrpc":"2.0","method":"brand/new","params":{}}\n'"#.to_owned(),
        "says ' two'".to_owned(),
        r#"reply '{"stopReason":"end_turn"}'"#.to_owned(),
    ];
    let app = app_with("gemini", &gemini(&turn.join("\n")));
    let id = app.conversation("gemini");
    let text = answered(&app.ask(id, "hello"));
    assert!(text.starts_with("one") && text.ends_with("two"), "{text}");
}

/// An answer of thousands of lines stutters, then the window dies while the agent goes on unseen.
#[test]
fn three_thousand_lines_arrive_whole_and_are_shown_as_they_come() {
    let turn = r#"init
message_start m1
line=1
while [ $line -le 3000 ]; do
  delta 0 "line $line of a long answer 긴 답\n"
  line=$((line + 1))
  if [ $((line % 100)) = 0 ]; then sleep 0.1; fi
done
result"#;
    let app = app_with_claude(turn).patient(Duration::from_secs(120));
    let id = app.conversation("claude");
    app.begin(id, "tell me a lot");
    let seen = std::cell::RefCell::new(Vec::new());
    let view = app.until("the end", |s| {
        let Some(view) = s.view(id) else { return false };
        let chars = view.live.first().map_or(0, |answer| answer.plain_text().len());
        let mut seen = seen.borrow_mut();
        if chars > seen.last().copied().unwrap_or(0) {
            seen.push(chars);
        }
        view.live.is_empty() && view.turn.as_ref().is_some_and(|turn| !turn.state.is_live())
    });
    let text = answered(view.view(id).unwrap());
    let wanted: String = (1..=3_000).map(|line| format!("line {line} of a long answer 긴 답\n")).collect();
    assert!(text.trim_end() == wanted.trim_end(), "{} of {} bytes", text.len(), wanted.len());
    assert!(seen.borrow().len() >= 20, "shown {} times", seen.borrow().len());
}
