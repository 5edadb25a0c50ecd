//! The four protocols say the same thing for the same magic word.

use super::client::{Client, Wire};
use crate::support::model_server::{KOREAN_TEXT, ModelServer, WRITTEN_TEXT, digest_line};

#[tokio::test]
async fn a_plain_prompt_gets_a_markdown_answer_in_several_deltas() {
    let server = ModelServer::start();
    for wire in Wire::ALL {
        let answer = wire.ask(&server, "안녕").await;
        let deltas = wire.deltas(&answer);
        assert!(answer.complete && deltas.len() > 3, "{wire:?}: {deltas:?}");
        let text = deltas.concat();
        assert!(text.starts_with("Hello from the model server."), "{wire:?}: {text}");
        // "Be brief." and the two syllables.
        assert!(text.contains("**characters read:** 11\n"), "{wire:?}: {text}");
        assert!(text.contains("**earlier turns:** 0\n"), "{wire:?}: {text}");
    }
    assert_eq!(server.turns().len(), 4);
    assert_eq!(server.last_user_text(), "안녕");
    assert!(server.turns().iter().all(|request| request.system_text == "Be brief."));
}

#[tokio::test]
async fn a_stream_ends_as_its_protocol_says() {
    let server = ModelServer::start();
    let ends = [
        (Wire::Anthropic, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"),
        (Wire::Chat, "data: [DONE]\n\n"),
    ];
    for (wire, end) in ends {
        assert!(wire.ask(&server, "hi").await.text().ends_with(end), "{wire:?}");
    }
    let events = Wire::Responses.ask(&server, "hi").await.events();
    let last = events.last().expect("an event");
    assert_eq!(last["type"], "response.completed");
    assert_eq!(last["sequence_number"], events.len() - 1);
    let events = Wire::Gemini.ask(&server, "hi").await.events();
    assert_eq!(events.last().expect("an event")["candidates"][0]["finishReason"], "STOP");
}

#[tokio::test]
async fn a_request_without_stream_gets_one_object() {
    let server = ModelServer::start();
    for wire in Wire::ALL {
        let answer = Client::connect(&server).await.post(wire.path(false), &wire.body("KOREAN", false)).await;
        assert_eq!(wire.whole_text(&answer), KOREAN_TEXT, "{wire:?}");
    }
}

#[tokio::test]
async fn echo_proves_what_arrived() {
    let server = ModelServer::start();
    let prompt = "ECHO \u{1112}\u{1161}\u{11ab} 👨\u{200d}👩\u{200d}👧 \t end\n";
    let text = format!("context: KOREAN\n---\n{prompt}");
    for wire in Wire::ALL {
        let said = wire.deltas(&wire.ask(&server, &text).await).concat();
        let wanted = [("user", text.as_str()), ("prompt", prompt), ("system", "Be brief.")];
        let wanted: Vec<String> = wanted.iter().map(|(name, text)| digest_line(name, text)).collect();
        assert_eq!(said.lines().collect::<Vec<_>>(), wanted, "{wire:?}");
    }
    assert_eq!(server.last_user_text(), text);
}

#[tokio::test]
async fn notes_of_a_command_line_are_no_user_text() {
    let server = ModelServer::start();
    let mut body = Wire::Anthropic.body("ECHO", true);
    body["messages"][0]["content"].as_array_mut().expect("blocks").insert(
        0,
        serde_json::json!({"type": "text", "text": "<system-reminder>\nHANG\n</system-reminder>"}),
    );
    let answer = Client::connect(&server).await.post("/v1/messages", &body).await;
    assert!(Wire::Anthropic.deltas(&answer).concat().starts_with(&digest_line("user", "ECHO")));
}

#[tokio::test]
async fn korean_is_cut_inside_characters_and_arrives_whole() {
    let server = ModelServer::start();
    for wire in Wire::ALL {
        let answer = wire.ask(&server, "KOREAN").await;
        let broken = answer.chunks.iter().filter(|chunk| std::str::from_utf8(chunk).is_err()).count();
        assert!(broken > 2, "{wire:?}: {broken} chunks end inside a character");
        assert_eq!(wire.deltas(&answer).concat(), KOREAN_TEXT, "{wire:?}");
    }
}

#[tokio::test]
async fn thinking_comes_before_the_text() {
    let server = ModelServer::start();
    for wire in Wire::ALL {
        let text = wire.ask(&server, "THINK").await.text();
        let thought = text.find("simpler").or_else(|| text.find("ways")).expect("a thought");
        assert!(thought < text.find("Hello").expect("a text"), "{wire:?}");
    }
}

#[tokio::test]
async fn chunks_and_sizes_are_as_asked() {
    let server = ModelServer::start();
    for wire in Wire::ALL {
        let deltas = wire.deltas(&wire.ask(&server, "STREAM:4:1").await);
        assert_eq!(deltas, ["chunk-1 ", "chunk-2 ", "chunk-3 ", "chunk-4 "], "{wire:?}");
        let text = wire.deltas(&wire.ask(&server, "BIG:100001").await).concat();
        assert_eq!(text.chars().count(), 100_001, "{wire:?}");
    }
}

#[tokio::test]
async fn a_write_is_a_call_of_the_offered_tool_and_its_result_is_named() {
    let server = ModelServer::start();
    for wire in Wire::ALL {
        let input = wire.call_input(&wire.ask(&server, "please WRITE:/tmp/x/a.txt now").await);
        assert!(input.contains("/tmp/x/a.txt") && input.contains(WRITTEN_TEXT), "{wire:?}: {input}");
        let cases = [("File created", false, "allowed"), ("The user rejected this", true, "denied")];
        for (result, failed, verdict) in cases {
            let mut body = wire.body("please WRITE:/tmp/x/a.txt now", true);
            wire.messages(&mut body).push(wire.tool_result(result, failed));
            let answer = Client::connect(&server).await.post(wire.path(true), &body).await;
            let text = wire.deltas(&answer).concat();
            assert!(text.starts_with(&format!("The write was {verdict}.")), "{wire:?}: {text}");
            assert!(text.contains(result), "{wire:?}: {text}");
        }
    }
    let results = server.turns().iter().filter(|request| !request.tool_results.is_empty()).count();
    assert_eq!(results, 8);
}

#[tokio::test]
async fn a_shell_call_carries_the_command_whole() {
    let server = ModelServer::start();
    let mut body = Wire::Anthropic.body("SHELL:sleep 60 && echo done", true);
    body["tools"][0] = serde_json::json!({"name": "Bash", "input_schema": {
        "type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"],
    }});
    let events = Client::connect(&server).await.post("/v1/messages", &body).await.events();
    let input: String = events.iter().filter_map(|event| event["delta"]["partial_json"].as_str()).collect();
    assert_eq!(input, r#"{"command":"sleep 60 && echo done"}"#);
}

#[tokio::test]
async fn the_model_says_and_calls_what_it_is_told() {
    let server = ModelServer::start();
    for wire in Wire::ALL {
        let said = wire.deltas(&wire.ask(&server, r"SAY:## Plan\n\n- one two three four").await).concat();
        assert_eq!(said, "## Plan\n\n- one two three four", "{wire:?}");
        let answer = wire.ask(&server, r#"TOOL:memory.find {"q":"한글"}"#).await;
        assert!(answer.text().contains("find"), "{wire:?}");
        if wire != Wire::Responses {
            assert_eq!(wire.call_input(&answer), r#"{"q":"한글"}"#, "{wire:?}");
        }
    }
}

#[tokio::test]
async fn errors_have_the_status_and_the_shape_of_the_provider() {
    let server = ModelServer::start();
    for wire in Wire::ALL {
        for status in [401, 429, 500, 529] {
            let answer = wire.ask(&server, &format!("STATUS:{status}")).await;
            assert_eq!(answer.status, status, "{wire:?}");
            assert_eq!(answer.head.contains("retry-after: 1"), status == 429, "{wire:?} {status}");
            let body = answer.json();
            let typed = match wire {
                Wire::Anthropic => body["type"] == "error" && body["error"]["type"].is_string(),
                Wire::Gemini => body["error"]["code"] == status && body["error"]["status"].is_string(),
                Wire::Responses | Wire::Chat => body["error"]["type"].is_string(),
            };
            assert!(typed && body["error"]["message"].is_string(), "{wire:?}: {body}");
        }
    }
}

#[tokio::test]
async fn an_error_may_be_limited_to_the_first_requests() {
    let server = ModelServer::start();
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(Wire::Chat.ask(&server, "STATUS:500:2").await.status);
    }
    assert_eq!(statuses, [500, 500, 200]);
}
