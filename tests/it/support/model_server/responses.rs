//! OpenAI Responses: an answer as events or as one object.

use serde_json::{Value, json};

use super::answer::{Call, Input};
use super::respond::{Frame, Reply};

fn message_item(reply: &Reply<'_>) -> Value {
    json!({
        "type": "message", "id": format!("msg_test{:06}", reply.order), "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": reply.answer.text(), "annotations": []}],
    })
}

fn reasoning_item(reply: &Reply<'_>) -> Value {
    json!({
        "type": "reasoning", "id": format!("rs_test{:06}", reply.order), "encrypted_content": "dGVzdA==",
        "summary": [{"type": "summary_text", "text": reply.answer.thinking}],
    })
}

fn call_item(reply: &Reply<'_>, index: usize, call: &Call) -> Value {
    let id = format!("call_test{:06}{index:02}", reply.order);
    match &call.input {
        Input::Object(object) => {
            let mut item = json!({
                "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": call.tool,
                "arguments": object.to_string(), "status": "completed",
            });
            // A tool of a group has two names here.
            if let Some((group, name)) = call.tool.split_once('.') {
                item["namespace"] = json!(group);
                item["name"] = json!(name);
            }
            item
        }
        Input::FreeForm(text) => json!({
            "type": "custom_tool_call", "id": format!("ctc_{id}"), "call_id": id, "name": call.tool, "input": text,
            "status": "completed",
        }),
    }
}

fn items(reply: &Reply<'_>) -> Vec<Value> {
    let mut items = Vec::new();
    if !reply.answer.thinking.is_empty() {
        items.push(reasoning_item(reply));
    }
    items.push(message_item(reply));
    let calls = reply.answer.calls.iter().enumerate();
    items.extend(calls.map(|(index, call)| call_item(reply, index, call)));
    items
}

fn opening(reply: &Reply<'_>) -> Value {
    json!({
        "id": format!("resp_test{:06}", reply.order), "object": "response", "created_at": 1_700_000_000,
        "model": reply.view.model, "status": "in_progress", "output": [], "parallel_tool_calls": false,
        "usage": null, "error": null,
    })
}

/// The answer as one object.
pub fn whole(reply: &Reply<'_>) -> Value {
    let (read, said) = (reply.input_tokens(), reply.output_tokens() + reply.thinking_tokens());
    let mut response = opening(reply);
    response["status"] = json!("completed");
    response["output"] = json!(items(reply));
    response["usage"] = json!({
        "input_tokens": read, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": said, "output_tokens_details": {"reasoning_tokens": reply.thinking_tokens()},
        "total_tokens": read + said,
    });
    response
}

/// Events of a stream, numbered as they come.
#[derive(Default)]
struct Events {
    frames: Vec<Frame>,
}

impl Events {
    fn push(&mut self, kind: &str, mut data: Value) {
        data["type"] = json!(kind);
        data["sequence_number"] = json!(self.frames.len());
        self.frames.push(Frame::named(kind, &data));
    }

    fn push_text(&mut self, data: Value) {
        self.push("response.output_text.delta", data);
        if let Some(frame) = self.frames.last_mut() {
            frame.delta = true;
        }
    }
}

/// The answer as the events of a stream.
pub fn frames(reply: &Reply<'_>) -> Vec<Frame> {
    let mut events = Events::default();
    events.push("response.created", json!({"response": opening(reply)}));
    events.push("response.in_progress", json!({"response": opening(reply)}));
    for (index, item) in items(reply).iter().enumerate() {
        item_events(reply, &mut events, index, item);
    }
    events.push("response.completed", json!({"response": whole(reply)}));
    events.frames
}

fn item_events(reply: &Reply<'_>, events: &mut Events, index: usize, item: &Value) {
    let id = &item["id"];
    let mut empty = item.clone();
    empty["status"] = json!("in_progress");
    match item["type"].as_str() {
        Some("message") => {
            empty["content"] = json!([]);
            events.push("response.output_item.added", json!({"output_index": index, "item": empty}));
            let part = |text: &str| {
                json!({
                    "item_id": id, "output_index": index, "content_index": 0,
                    "part": {"type": "output_text", "text": text, "annotations": []},
                })
            };
            events.push("response.content_part.added", part(""));
            let at = json!({"item_id": id, "output_index": index, "content_index": 0});
            for piece in &reply.answer.pieces {
                let mut data = at.clone();
                data["delta"] = json!(piece);
                events.push_text(data);
            }
            let mut done = at;
            done["text"] = json!(reply.answer.text());
            events.push("response.output_text.done", done);
            events.push("response.content_part.done", part(&reply.answer.text()));
        }
        Some("reasoning") => {
            empty["summary"] = json!([]);
            events.push("response.output_item.added", json!({"output_index": index, "item": empty}));
            let at = |name: &str, value: Value| {
                json!({
                    "item_id": id, "output_index": index, "summary_index": 0, name: value,
                })
            };
            let part = json!({"type": "summary_text", "text": ""});
            events.push("response.reasoning_summary_part.added", at("part", part));
            for word in reply.answer.thinking.split_inclusive(' ') {
                events.push("response.reasoning_summary_text.delta", at("delta", json!(word)));
            }
            events.push("response.reasoning_summary_text.done", at("text", json!(reply.answer.thinking)));
        }
        Some("function_call") => {
            empty["arguments"] = json!("");
            events.push("response.output_item.added", json!({"output_index": index, "item": empty}));
            let at = |name: &str| json!({"item_id": id, "output_index": index, name: item["arguments"]});
            events.push("response.function_call_arguments.delta", at("delta"));
            events.push("response.function_call_arguments.done", at("arguments"));
        }
        _ => {
            empty["input"] = json!("");
            events.push("response.output_item.added", json!({"output_index": index, "item": empty}));
            let at = |name: &str| json!({"item_id": id, "output_index": index, name: item["input"]});
            events.push("response.custom_tool_call_input.delta", at("delta"));
            events.push("response.custom_tool_call_input.done", at("input"));
        }
    }
    events.push("response.output_item.done", json!({"output_index": index, "item": item}));
}
