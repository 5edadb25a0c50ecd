//! Gemini: an answer as streamed or single responses.

use serde_json::{Value, json};

use super::answer::Input;
use super::respond::{Frame, Reply};

fn response(reply: &Reply<'_>, parts: &[Value], finish_reason: Option<&str>) -> Value {
    let (read, said, thought) = (reply.input_tokens(), reply.output_tokens(), reply.thinking_tokens());
    let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
    if let Some(reason) = finish_reason {
        candidate["finishReason"] = json!(reason);
    }
    json!({
        "candidates": [candidate], "modelVersion": reply.view.model,
        "responseId": format!("test{:06}", reply.order),
        "usageMetadata": {
            "promptTokenCount": read, "candidatesTokenCount": said, "thoughtsTokenCount": thought,
            "totalTokenCount": read + said + thought,
        },
    })
}

fn calls(reply: &Reply<'_>) -> Vec<Value> {
    let calls = reply.answer.calls.iter();
    calls
        .map(|call| {
            let args = match &call.input {
                Input::Object(object) => object.clone(),
                Input::FreeForm(text) => json!({"input": text}),
            };
            json!({"functionCall": {"name": call.tool, "args": args}})
        })
        .collect()
}

/// The client shows a thought by its bold heading.
fn thought(reply: &Reply<'_>) -> Value {
    json!({"text": format!("**Weighing** {}", reply.answer.thinking), "thought": true})
}

/// The answer as one response.
pub fn whole(reply: &Reply<'_>) -> Value {
    let mut parts = Vec::new();
    if !reply.answer.thinking.is_empty() {
        parts.push(thought(reply));
    }
    parts.push(json!({"text": reply.answer.text()}));
    parts.extend(calls(reply));
    response(reply, &parts, Some("STOP"))
}

/// The answer as the responses of a stream.
pub fn frames(reply: &Reply<'_>) -> Vec<Frame> {
    let mut out = Vec::new();
    if !reply.answer.thinking.is_empty() {
        out.push(Frame::data(response(reply, &[thought(reply)], None)));
    }
    for piece in &reply.answer.pieces {
        out.push(Frame::data(response(reply, &[json!({"text": piece})], None)).counted());
    }
    let mut last = calls(reply);
    if last.is_empty() {
        last.push(json!({"text": ""}));
    }
    out.push(Frame::data(response(reply, &last, Some("STOP"))));
    out
}
