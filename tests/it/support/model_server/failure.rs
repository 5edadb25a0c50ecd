//! HTTP errors in the shape each provider gives them.

use serde_json::{Value, json};

use super::view::Protocol;

/// Body of an error with that status.
pub fn body(protocol: Protocol, status: u16) -> Value {
    match protocol {
        Protocol::Anthropic => anthropic(status),
        Protocol::Gemini => gemini(status),
        Protocol::Responses | Protocol::Chat => openai(status),
    }
}

/// Headers of an error with that status.
pub fn headers(status: u16) -> Vec<(&'static str, &'static str)> {
    let mut headers = vec![("content-type", "application/json"), ("request-id", "req_test")];
    if status == 429 {
        headers.push(("retry-after", "1"));
    }
    headers
}

/// An address that nobody serves, in a shape every client can read.
pub fn unknown_path(path: &str) -> Value {
    json!({"type": "error", "error": {"type": "not_found_error", "message": format!("no such path: {path}"), "code": 404}})
}

fn anthropic(status: u16) -> Value {
    let (kind, message) = match status {
        400 => ("invalid_request_error", "The request is invalid"),
        401 => ("authentication_error", "invalid x-api-key"),
        402 => ("billing_error", "Your credit balance is too low"),
        403 => ("permission_error", "Your key may not use this model"),
        404 => ("not_found_error", "model: not found"),
        429 => ("rate_limit_error", "This request would exceed your rate limit"),
        529 => ("overloaded_error", "Overloaded"),
        _ => ("api_error", "Internal server error"),
    };
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_test"})
}

fn openai(status: u16) -> Value {
    let (kind, code, message) = match status {
        400 => ("invalid_request_error", Value::Null, "The request is invalid"),
        401 => ("invalid_request_error", json!("invalid_api_key"), "Incorrect API key provided"),
        402 => ("insufficient_quota", json!("insufficient_quota"), "You exceeded your current quota"),
        403 => ("permission_error", Value::Null, "Your key may not use this model"),
        404 => ("invalid_request_error", json!("model_not_found"), "The model does not exist"),
        429 => ("rate_limit_error", json!("rate_limit_exceeded"), "Rate limit reached"),
        _ => ("server_error", Value::Null, "The server had an error"),
    };
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

fn gemini(status: u16) -> Value {
    let (name, message) = match status {
        400 => ("INVALID_ARGUMENT", "The request is invalid"),
        401 => ("UNAUTHENTICATED", "The request has no valid authentication credentials"),
        403 => ("PERMISSION_DENIED", "Your key may not use this model"),
        404 => ("NOT_FOUND", "The model was not found"),
        429 => ("RESOURCE_EXHAUSTED", "You exceeded your current quota"),
        503 => ("UNAVAILABLE", "The model is overloaded"),
        _ => ("INTERNAL", "An internal error has occurred"),
    };
    json!({"error": {"code": status, "message": message, "status": name}})
}
