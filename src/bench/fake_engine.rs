//! A small agent for measuring: speaks the Agent Client Protocol and stamps each piece of its answer with the time.

use std::io::BufRead as _;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::{say, time};

/// Pieces a second.
pub const PIECES_PER_SECOND: u32 = 200;
const SESSION: &str = "measured";

/// Answers requests on standard input until it is closed. A prompt's first number is how many seconds it streams.
///
/// # Errors
/// Nobody reads its answers.
pub fn run() -> anyhow::Result<()> {
    let (lines, inbox) = sync_channel(16);
    std::thread::Builder::new().name("requests".into()).spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                return;
            }
        }
    })?;
    while let Ok(line) = inbox.recv() {
        let Ok(request) = serde_json::from_str::<Value>(&line) else { continue };
        let result = match request["method"].as_str() {
            Some("initialize") => json!({ "protocolVersion": 1, "agentCapabilities": {}, "authMethods": [] }),
            Some("session/new") => json!({ "sessionId": SESSION }),
            Some("session/prompt") => {
                stream(seconds(&request), &inbox)?;
                json!({ "stopReason": "end_turn" })
            }
            _ => json!({}),
        };
        if request.get("id").is_some() {
            say(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string())?;
        }
    }
    Ok(())
}

/// The last number of the request's text: the user's own words come last.
fn seconds(request: &Value) -> u32 {
    let text = request["params"]["prompt"].to_string();
    let digits = text.rsplit(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(1).min(60)
}

fn stream(seconds: u32, inbox: &Receiver<String>) -> anyhow::Result<()> {
    let begun = Instant::now();
    let gap = Duration::from_secs(1) / PIECES_PER_SECOND;
    for piece in 1..=seconds * PIECES_PER_SECOND {
        // A line meanwhile is a cancel.
        match inbox.recv_timeout((gap * piece).saturating_sub(begun.elapsed())) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(_) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        let text = format!("@{} ", time::now_ns());
        let update = json!({
            "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text },
        });
        let params = json!({ "sessionId": SESSION, "update": update });
        say(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }).to_string())?;
    }
    Ok(())
}
