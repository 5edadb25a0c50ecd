//! Anthropic Messages: an answer as events or as one object.

use serde_json::{Value, json};

use super::answer::{Call, Input};
use super::respond::{Frame, Reply};

/// Clients keep a signature and send it back; nobody here checks it.
const SIGNATURE: &str = "dGVzdA==";

fn message(reply: &Reply<'_>, content: &Value, stop_reason: &Value, output_tokens: usize) -> Value {
    json!({
        "id": format!("msg_test{:06}", reply.order), "type": "message", "role": "assistant",
        "model": reply.view.model, "content": content, "stop_reason": stop_reason, "stop_sequence": null,
        "usage": {
            "input_tokens": reply.input_tokens(), "output_tokens": output_tokens,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        },
    })
}

fn stop_reason(reply: &Reply<'_>) -> Value {
    json!(if reply.answer.calls.is_empty() { "end_turn" } else { "tool_use" })
}

fn tool_use(reply: &Reply<'_>, index: usize, call: &Call, input: &Value) -> Value {
    json!({"type": "tool_use", "id": format!("toolu_test{:06}{index:02}", reply.order), "name": call.tool, "input": input})
}

fn input(call: &Call) -> Value {
    match &call.input {
        Input::Object(object) => object.clone(),
        Input::FreeForm(text) => json!({"input": text}),
    }
}

/// The answer as one object.
pub fn whole(reply: &Reply<'_>) -> Value {
    let mut content = Vec::new();
    if !reply.answer.thinking.is_empty() {
        content.push(json!({"type": "thinking", "thinking": reply.answer.thinking, "signature": SIGNATURE}));
    }
    content.push(json!({"type": "text", "text": reply.answer.text()}));
    let calls = reply.answer.calls.iter().enumerate();
    content.extend(calls.map(|(index, call)| tool_use(reply, index, call, &input(call))));
    message(reply, &json!(content), &stop_reason(reply), reply.output_tokens())
}

/// The answer as the events of a stream.
pub fn frames(reply: &Reply<'_>) -> Vec<Frame> {
    let event = |data: Value| Frame::named(data["type"].as_str().unwrap_or_default(), &data);
    let mut out = vec![
        event(json!({"type": "message_start", "message": message(reply, &json!([]), &Value::Null, 1)})),
        event(json!({"type": "ping"})),
    ];
    let mut index = 0;
    let mut block = |start: Value, deltas: Vec<Frame>| {
        out.push(event(json!({"type": "content_block_start", "index": index, "content_block": start})));
        out.extend(deltas);
        out.push(event(json!({"type": "content_block_stop", "index": index})));
        index += 1;
        index
    };
    let delta = |index: usize, delta: Value| {
        event(json!({"type": "content_block_delta", "index": index, "delta": delta}))
    };
    let mut next = 0;
    if !reply.answer.thinking.is_empty() {
        let mut deltas: Vec<Frame> = reply
            .answer
            .thinking
            .split_inclusive(' ')
            .map(|word| delta(next, json!({"type": "thinking_delta", "thinking": word})))
            .collect();
        deltas.push(delta(next, json!({"type": "signature_delta", "signature": SIGNATURE})));
        next = block(json!({"type": "thinking", "thinking": "", "signature": ""}), deltas);
    }
    let texts = reply.answer.pieces.iter();
    let texts = texts.map(|piece| delta(next, json!({"type": "text_delta", "text": piece})).counted());
    next = block(json!({"type": "text", "text": ""}), texts.collect());
    for (place, call) in reply.answer.calls.iter().enumerate() {
        let input = input(call).to_string();
        let half = input.chars().count() / 2;
        let halves: [String; 2] = [input.chars().take(half).collect(), input.chars().skip(half).collect()];
        let parts =
            halves.iter().map(|part| delta(next, json!({"type": "input_json_delta", "partial_json": part})));
        next = block(tool_use(reply, place, call, &json!({})), parts.collect());
    }
    out.push(event(json!({
        "type": "message_delta", "delta": {"stop_reason": stop_reason(reply), "stop_sequence": null},
        "usage": {"output_tokens": reply.output_tokens()},
    })));
    out.push(event(json!({"type": "message_stop"})));
    out
}
