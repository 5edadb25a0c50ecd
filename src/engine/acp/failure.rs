//! What an agent's error means to the user.

use serde_json::Value;

use crate::engine::SeatExit;
use crate::model::turn::{FailureKind, TurnFailure};

/// Longest message taken over, in characters.
const MESSAGE_CHARS: usize = 400;

/// The agent does not know the session that was to be taken up.
pub(super) fn session_lost(why: &str) -> TurnFailure {
    failure(FailureKind::SessionLost, why, "The conversation goes on in a new session.")
}

pub(super) fn model_unknown(model: &str, why: &str) -> TurnFailure {
    let message = format!("The agent does not take the model `{model}`: {why}");
    failure(FailureKind::ModelUnknown, &message, hint(FailureKind::ModelUnknown))
}

/// The agent spoke in a way that is not understood.
pub(super) fn protocol(why: &str) -> TurnFailure {
    let message = format!("The agent was not understood: {why}.");
    failure(FailureKind::Protocol, &message, hint(FailureKind::Protocol))
}

/// The meaning of a JSON-RPC error object.
pub(super) fn of_error(error: &Value, login_hint: &str) -> TurnFailure {
    let code = error.get("code").and_then(Value::as_i64).unwrap_or(0);
    let said = error.get("message").and_then(Value::as_str).unwrap_or("The agent gave no reason.");
    let message = readable(said);
    let details = error.get("data").map(|data| match data {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    let kind = kind_of(code, &format!("{message} {}", details.as_deref().unwrap_or_default()));
    let hint = if kind == FailureKind::NotLoggedIn { login_hint } else { hint(kind) };
    let mut failure = failure(kind, &message, hint);
    failure.detail = format!("error {code}: {said}");
    if let Some(details) = details {
        failure.detail.push('\n');
        failure.detail.push_str(&details);
    }
    failure
}

/// The process went away during a turn.
pub(super) fn of_exit(exit: &SeatExit, login_hint: &str) -> TurnFailure {
    let how = match (exit.code, exit.signal) {
        (Some(code), _) => format!("The agent's program ended with exit code {code}."),
        (None, Some(signal)) => format!("The agent's program was ended by signal {signal}."),
        (None, None) => "The agent's program has gone.".to_owned(),
    };
    let looks_like_login = kind_of_text(&exit.stderr_tail.to_lowercase()) == Some(FailureKind::NotLoggedIn);
    let (kind, hint) = if looks_like_login {
        (FailureKind::NotLoggedIn, login_hint)
    } else {
        (FailureKind::Crashed, hint(FailureKind::Crashed))
    };
    let mut failure = failure(kind, &how, hint);
    failure.detail.clone_from(&exit.stderr_tail);
    failure
}

fn failure(kind: FailureKind, message: &str, hint: &str) -> TurnFailure {
    TurnFailure {
        kind,
        message: message.chars().take(MESSAGE_CHARS).collect(),
        hint: hint.to_owned(),
        detail: String::new(),
        resets_at_ms: None,
    }
}

/// Some agents put the provider's whole JSON body into the message; its own message is what a person reads.
fn readable(message: &str) -> String {
    let inner = serde_json::from_str::<Value>(message).ok();
    let inner = inner.as_ref().and_then(|body| body["error"]["message"].as_str().or(body["message"].as_str()));
    let text = inner.unwrap_or(message).trim_start_matches("Internal error: ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn kind_of(code: i64, text: &str) -> FailureKind {
    let text = text.to_lowercase();
    match code {
        // ACP: authentication required; the others are HTTP codes that agents pass through.
        -32000 | 401 | 403 => return FailureKind::NotLoggedIn,
        402 => return FailureKind::PlanLimit,
        404 => return FailureKind::ModelUnknown,
        503 | 529 => return FailureKind::Overloaded,
        -32601 | -32600 | -32700 => return FailureKind::Protocol,
        _ => {}
    }
    match kind_of_text(&text) {
        Some(kind) => kind,
        None if code == 429 => FailureKind::RateLimited,
        None => FailureKind::Other,
    }
}

/// Known words of providers; the first row that fits wins. `text` is in lower case.
fn kind_of_text(text: &str) -> Option<FailureKind> {
    let table: [(FailureKind, &[&str]); 8] = [
        (
            FailureKind::PromptTooLong,
            &["context length", "context window", "too long", "too many tokens", "contextoverflow", "token count"],
        ),
        (
            FailureKind::NotLoggedIn,
            &["api key", "unauthenticated", "unauthorized", "authentication", "auth method", "not logged in", "log in"],
        ),
        (FailureKind::PlanLimit, &["quota", "insufficient credit", "credit balance", "billing", "usage limit"]),
        (FailureKind::RateLimited, &["rate limit", "too many requests", "resource_exhausted"]),
        (FailureKind::Overloaded, &["overloaded", "unavailable", "at capacity", "high demand"]),
        (FailureKind::ModelUnknown, &["model not found", "unknown model", "modelnotfound", "no such model"]),
        (FailureKind::SessionLost, &["session not found", "invalid session", "no previous sessions"]),
        (
            FailureKind::Network,
            &["econnrefused", "econnreset", "enotfound", "fetch failed", "network", "terminated", "socket", "etimedout"],
        ),
    ];
    table.into_iter().find(|(_, words)| words.iter().any(|word| text.contains(word))).map(|(kind, _)| kind)
}

fn hint(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::PlanLimit => "Wait for the limit to reset, or go on with another engine.",
        FailureKind::RateLimited => "Wait a moment and try again, or go on with another engine.",
        FailureKind::Overloaded => "The provider is busy; try again in a moment, or go on with another engine.",
        FailureKind::ModelUnknown => "Choose another model.",
        FailureKind::PromptTooLong => "Lower the context budget or start a new conversation.",
        FailureKind::Network => "Look at the network connection and try again.",
        FailureKind::Protocol => "Bring the agent's program up to date and try again.",
        FailureKind::Crashed => "Try again; the last lines it wrote are below.",
        _ => "Try again, or go on with another engine.",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{of_error, of_exit};
    use crate::engine::SeatExit;
    use crate::model::turn::FailureKind as K;

    #[test]
    fn errors_are_told_apart() {
        let body = r#"{"error":{"code":401,"message":"API keys are not supported by this API"}}"#;
        let cases = [
            (401, body, K::NotLoggedIn, "API keys are not supported by this API"),
            (-32603, "Internal error: Incorrect API key provided", K::NotLoggedIn, "Incorrect API key provided"),
            (-32000, "Authentication required", K::NotLoggedIn, "Authentication required"),
            (429, "You exceeded your current quota", K::PlanLimit, "You exceeded your current quota"),
            (429, "slow down", K::RateLimited, "slow down"),
            (503, "mock", K::Overloaded, "mock"),
            (404, "mock", K::ModelUnknown, "mock"),
            (-32603, "This model's maximum context length is 1", K::PromptTooLong, "This model's maximum context length is 1"),
            (-32603, "fetch failed: ECONNREFUSED", K::Network, "fetch failed: ECONNREFUSED"),
            (-32601, "Method not found", K::Protocol, "Method not found"),
            (-32603, "odd\nthing", K::Other, "odd thing"),
        ];
        for (code, message, kind, shown) in cases {
            let failure = of_error(&json!({"code": code, "message": message}), "log in so");
            assert_eq!((failure.kind, failure.message.as_str()), (kind, shown), "{message}");
            assert_eq!(failure.hint == "log in so", kind == K::NotLoggedIn, "{message}");
        }
    }

    #[test]
    fn an_end_names_its_code_and_what_was_written() {
        let exit = SeatExit { code: Some(3), signal: None, stderr_tail: "boom".to_owned() };
        let failure = of_exit(&exit, "log in so");
        assert_eq!((failure.kind, failure.detail.as_str()), (K::Crashed, "boom"));
        assert!(failure.message.contains("exit code 3"));
        let exit = SeatExit { code: Some(41), signal: None, stderr_tail: "Invalid auth method selected.".to_owned() };
        assert_eq!(of_exit(&exit, "log in so").kind, K::NotLoggedIn);
    }
}
