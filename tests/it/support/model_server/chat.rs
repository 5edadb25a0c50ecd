//! OpenAI Chat Completions: an answer as chunks or as one object.

use serde_json::{Value, json};

use super::answer::{Call, Input};
use super::respond::{Frame, Reply};

fn base(reply: &Reply<'_>, object: &str) -> Value {
    json!({
        "id": format!("chatcmpl-test{:06}", reply.order), "object": object, "created": 1_700_000_000,
        "model": reply.view.model,
    })
}

fn finish_reason(reply: &Reply<'_>) -> &'static str {
    if reply.answer.calls.is_empty() { "stop" } else { "tool_calls" }
}

fn usage(reply: &Reply<'_>) -> Value {
    let (read, said) = (reply.input_tokens(), reply.output_tokens() + reply.thinking_tokens());
    json!({"prompt_tokens": read, "completion_tokens": said, "total_tokens": read + said})
}

fn call_id(reply: &Reply<'_>, index: usize) -> String {
    format!("call_test{:06}{index:02}", reply.order)
}

fn arguments(call: &Call) -> String {
    match &call.input {
        Input::Object(object) => object.to_string(),
        Input::FreeForm(text) => json!({"input": text}).to_string(),
    }
}

/// The answer as one object.
pub fn whole(reply: &Reply<'_>) -> Value {
    let mut message = json!({"role": "assistant", "content": reply.answer.text()});
    if !reply.answer.thinking.is_empty() {
        message["reasoning_content"] = json!(reply.answer.thinking);
    }
    if !reply.answer.calls.is_empty() {
        let calls = reply.answer.calls.iter().enumerate().map(|(index, call)| {
            json!({
                "id": call_id(reply, index), "type": "function",
                "function": {"name": call.tool, "arguments": arguments(call)},
            })
        });
        message["tool_calls"] = calls.collect();
    }
    let mut whole = base(reply, "chat.completion");
    whole["choices"] = json!([{"index": 0, "message": message, "finish_reason": finish_reason(reply)}]);
    whole["usage"] = usage(reply);
    whole
}

/// The answer as the chunks of a stream.
pub fn frames(reply: &Reply<'_>) -> Vec<Frame> {
    let chunk = |delta: Value, finish_reason: Option<&str>| {
        let mut chunk = base(reply, "chat.completion.chunk");
        chunk["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": finish_reason}]);
        Frame::data(chunk)
    };
    let mut out = vec![chunk(json!({"role": "assistant", "content": ""}), None)];
    let thoughts = reply.answer.thinking.split_inclusive(' ');
    out.extend(thoughts.map(|word| chunk(json!({"reasoning_content": word}), None)));
    let texts = reply.answer.pieces.iter();
    out.extend(texts.map(|piece| chunk(json!({"content": piece}), None).counted()));
    for (index, call) in reply.answer.calls.iter().enumerate() {
        out.push(chunk(
            json!({"tool_calls": [{
                "index": index, "id": call_id(reply, index), "type": "function",
                "function": {"name": call.tool, "arguments": ""},
            }]}),
            None,
        ));
        let arguments = json!([{"index": index, "function": {"arguments": arguments(call)}}]);
        out.push(chunk(json!({"tool_calls": arguments}), None));
    }
    out.push(chunk(json!({}), Some(finish_reason(reply))));
    let mut last = base(reply, "chat.completion.chunk");
    last["choices"] = json!([]);
    last["usage"] = usage(reply);
    out.push(Frame::data(last));
    out.push(Frame::data("[DONE]"));
    out
}
