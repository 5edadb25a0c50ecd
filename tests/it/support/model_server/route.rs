//! From a connection to answers: which path means what, and what is recorded.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::answer::{answer, side_answer};
use super::http::{Request, Wire};
use super::magic::Magic;
use super::respond::{Reply, tokens};
use super::view::View;
use super::{Log, MODEL, Recorded, SMALL_MODEL, failure};

/// Serves one connection until the client leaves or an answer ends it.
pub async fn connection(stream: TcpStream, log: &Log) -> io::Result<()> {
    let mut wire = Wire::new(stream)?;
    while let Some(request) = wire.request().await? {
        let stays = one(&mut wire, &request, log).await?;
        if !stays || request.closes() {
            break;
        }
    }
    Ok(())
}

/// Answers one request. `false`: close the connection.
async fn one(wire: &mut Wire, request: &Request, log: &Log) -> io::Result<bool> {
    let Some(body) = parse(request) else {
        let body = json!({"error": {"message": "the body is not JSON", "type": "invalid_request_error"}});
        return json_answer(wire, request, 400, &body).await;
    };
    let view = conversation(request, &body);
    let order = record(log, request, body, view.as_ref());
    if let Some(view) = view {
        return if view.side_call() {
            Reply { view: &view, answer: &side_answer(&view), order }.send(wire).await
        } else {
            turn(wire, &view, order, log).await
        };
    }
    if request.method == "OPTIONS" {
        let allowed = [("access-control-allow-origin", "*"), ("allow", "GET, POST, HEAD, OPTIONS")];
        wire.whole(204, &allowed, b"", false).await?;
        return Ok(true);
    }
    match plain(request) {
        Some(body) => json_answer(wire, request, 200, &body).await,
        None => json_answer(wire, request, 404, &failure::unknown_path(&request.path)).await,
    }
}

/// The body as JSON, `Null` for none; `None` when it is something else.
fn parse(request: &Request) -> Option<Value> {
    if request.body.is_empty() { Some(Value::Null) } else { serde_json::from_slice(&request.body).ok() }
}

async fn json_answer(wire: &mut Wire, request: &Request, status: u16, body: &Value) -> io::Result<bool> {
    let text = body.to_string();
    let headers = [("content-type", "application/json")];
    wire.whole(status, &headers, text.as_bytes(), request.method == "HEAD").await?;
    Ok(true)
}

/// `MODEL` and `METHOD` of `…/models/MODEL:METHOD`.
fn gemini_call(path: &str) -> Option<(&str, &str)> {
    path.split_once("/models/")?.1.split_once(':')
}

/// Reads the request as a conversation with a model, if its path is for that.
fn conversation(request: &Request, body: &Value) -> Option<View> {
    if request.method != "POST" {
        return None;
    }
    match request.path.as_str() {
        "/v1/messages" => return Some(View::anthropic(body)),
        "/v1/responses" => return Some(View::responses(body)),
        "/v1/chat/completions" => return Some(View::chat(body)),
        _ => {}
    }
    match gemini_call(&request.path)? {
        (model, "streamGenerateContent") => Some(View::gemini(body, model, true)),
        (model, "generateContent") => Some(View::gemini(body, model, false)),
        _ => None,
    }
}

/// Answers that need no model.
fn plain(request: &Request) -> Option<Value> {
    let path = request.path.as_str();
    if request.method == "POST" {
        let read = tokens(request.body.len());
        return match path {
            "/v1/messages/count_tokens" => Some(json!({"input_tokens": read})),
            "/api/show" => Some(json!({
                "details": {"family": "test"},
                "model_info": {"test.context_length": 32_768},
                "capabilities": ["completion", "tools"],
            })),
            _ => gemini_call(path)
                .filter(|(_, method)| *method == "countTokens")
                .map(|_| json!({"totalTokens": read})),
        };
    }
    let names = [MODEL, SMALL_MODEL];
    let each = |shape: fn(&str) -> Value| names.iter().map(|name| shape(name)).collect::<Vec<_>>();
    match path {
        "/" if request.method == "HEAD" => Some(Value::Null),
        "/v1/models" => Some(json!({"object": "list", "has_more": false, "data": each(|name| json!({
            "id": name, "object": "model", "type": "model", "display_name": name, "created": 1_700_000_000,
            "owned_by": "test",
        }))})),
        "/v1beta/models" => Some(json!({"models": each(|name| json!({
            "name": format!("models/{name}"), "supportedGenerationMethods": ["generateContent"],
        }))})),
        "/api/tags" => Some(json!({"models": each(|name| json!({
            "name": format!("{name}:latest"), "model": format!("{name}:latest"), "size": 1_000_000,
            "digest": "0".repeat(64), "modified_at": "2025-01-01T00:00:00Z",
            "details": {"format": "gguf", "family": "test", "parameter_size": "1B", "quantization_level": "Q4_K_M"},
        }))})),
        "/api/version" => Some(json!({"version": "0.99.0"})),
        _ => None,
    }
}

/// Publishes the request and returns its place in the order.
fn record(log: &Log, request: &Request, body: Value, view: Option<&View>) -> usize {
    let mut entry = Recorded {
        order: 0,
        method: request.method.clone(),
        path: request.path.clone(),
        headers: request.headers.clone(),
        body,
        user_text: view.map(|view| view.user_text().to_owned()).unwrap_or_default(),
        system_text: view.map(|view| view.system.clone()).unwrap_or_default(),
        tool_results: view
            .map(|v| v.tool_results.iter().map(|r| r.text.clone()).collect())
            .unwrap_or_default(),
        side_call: view.is_none_or(View::side_call),
    };
    log.send_modify(|log| {
        entry.order = log.len() + 1;
        log.push(Arc::new(entry.clone()));
    });
    entry.order
}

/// Answers a request of somebody's turn as its magic words say.
async fn turn(wire: &mut Wire, view: &View, order: usize, log: &Log) -> io::Result<bool> {
    let magic = Magic::read(view.user_text());
    if magic.hang {
        wire.client_left().await;
        return Ok(false);
    }
    if let Some(ms) = magic.slow_start_ms {
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
    if let Some((status, times)) = magic.status {
        let same = |seen: &&Arc<Recorded>| !seen.side_call && seen.user_text == view.user_text();
        let asked = log.borrow().iter().filter(|seen| seen.order <= order).filter(same).count();
        if times.is_none_or(|times| asked <= times) {
            let body = failure::body(view.protocol, status).to_string();
            wire.whole(status, &failure::headers(status), body.as_bytes(), false).await?;
            return Ok(true);
        }
    }
    Reply { view, answer: &answer(view, &magic), order }.send(wire).await
}
