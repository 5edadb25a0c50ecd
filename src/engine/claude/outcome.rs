//! How a turn of Claude Code ended, what it used, and which limits it told.

use serde_json::Value;

use crate::engine::failure::{failure, kind_of};
use crate::engine::wire::{f64_at, i64_at, is_true, list_at, str_at, u64_at};
use crate::model::engine::EngineInfo;
use crate::model::turn::{FailureKind, LimitInfo, StopReason, TurnEvent, Usage};

/// What was used since the last result. `input_tokens` of the wire leaves cached input out, but written cache counts
/// as input here: it was not read from one.
pub fn usage(result: &Value, model: Option<&str>, window_used_tokens: Option<u64>) -> Usage {
    let told = [
        "/usage/input_tokens",
        "/usage/cache_creation_input_tokens",
        "/usage/cache_read_input_tokens",
        "/usage/output_tokens",
        "/usage/output_tokens_details/thinking_tokens",
    ]
    .map(|field| u64_at(result, field));
    // An aborted answer is missing there and stands only in the sums by model.
    let none_told = told.iter().all(|tokens| tokens.unwrap_or(0) == 0);
    let [input, written, cached, output, thinking] =
        if none_told { sums_by_model(result).unwrap_or(told) } else { told };
    Usage {
        input_tokens: input.map(|input| input.saturating_add(written.unwrap_or(0))),
        cached_input_tokens: cached,
        output_tokens: output,
        reasoning_tokens: thinking,
        cost_usd: None,
        window_tokens: window(result, model),
        window_used_tokens,
    }
}

fn sums_by_model(result: &Value) -> Option<[Option<u64>; 5]> {
    let models = result.get("model_usage_since_last_result")?.as_object()?;
    let fields = [
        "/inputTokens",
        "/cacheCreationInputTokens",
        "/cacheReadInputTokens",
        "/outputTokens",
        "/thinkingTokens",
    ];
    Some(
        fields.map(|field| {
            models.values().filter_map(|model| u64_at(model, field)).reduce(u64::saturating_add)
        }),
    )
}

/// Two parts of one turn as one; the window is that of the later.
pub fn sum(before: &Usage, later: &Usage) -> Usage {
    let tokens = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    };
    Usage {
        input_tokens: tokens(before.input_tokens, later.input_tokens),
        cached_input_tokens: tokens(before.cached_input_tokens, later.cached_input_tokens),
        output_tokens: tokens(before.output_tokens, later.output_tokens),
        reasoning_tokens: tokens(before.reasoning_tokens, later.reasoning_tokens),
        cost_usd: match (before.cost_usd, later.cost_usd) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        },
        ..later.clone()
    }
}

/// True when nothing was used, as when the request was refused.
pub fn is_nothing(used: &Usage) -> bool {
    let tokens = [used.input_tokens, used.cached_input_tokens, used.output_tokens, used.reasoning_tokens];
    tokens.iter().all(|tokens| tokens.unwrap_or(0) == 0) && used.cost_usd.unwrap_or(0.0) <= 0.0
}

/// The window of the main model; `modelUsage` also lists models that sub-agents used.
fn window(result: &Value, model: Option<&str>) -> Option<u64> {
    let models = result.get("modelUsage")?.as_object()?;
    let main = model.and_then(|model| models.get(model)).or_else(|| models.values().next())?;
    u64_at(main, "/contextWindow").filter(|tokens| *tokens > 0)
}

/// What the turn cost. `total_cost_usd` runs over the whole session, so it is only taken as a difference.
pub fn cost(result: &Value, session_total_before: Option<f64>) -> Option<f64> {
    if let Some(since) = result.get("model_usage_since_last_result").and_then(Value::as_object) {
        return Some(
            since.values().filter_map(|model| f64_at(model, "/costUSD")).fold(0.0, |sum, cost| sum + cost),
        );
    }
    let total = f64_at(result, "/total_cost_usd")?;
    session_total_before.map(|before| (total - before).max(0.0))
}

/// What a request put into the window, by the usage of its answer's beginning.
pub fn window_input(usage: &Value) -> Option<u64> {
    let part = |field: &str| u64_at(usage, field).unwrap_or(0);
    let cached = part("/cache_creation_input_tokens").saturating_add(part("/cache_read_input_tokens"));
    u64_at(usage, "/input_tokens").map(|input| input.saturating_add(cached))
}

/// What the dialect knows when a `result` line comes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    pub cancelled: bool,
    /// `error` of the last `assistant` line that was an error, e.g. `billing_error`.
    pub error: Option<&'a str>,
    pub reached: Option<&'a LimitInfo>,
}

/// The last event of the turn. API errors come as `subtype: success` with `is_error: true`.
pub fn ended(info: &EngineInfo, result: &Value, known: Known<'_>) -> TurnEvent {
    let reason = str_at(result, "/terminal_reason").unwrap_or_default();
    if reason.starts_with("aborted") {
        return TurnEvent::Finished(StopReason::Cancelled);
    }
    if !is_true(result, "/is_error") {
        return TurnEvent::Finished(match str_at(result, "/stop_reason") {
            Some("max_tokens") => StopReason::MaxTokens,
            Some("refusal") => StopReason::Refused,
            _ => StopReason::Completed,
        });
    }
    if known.cancelled {
        return TurnEvent::Finished(StopReason::Cancelled);
    }
    let text = error_text(result);
    let mut failed = failure(info, kind(result, reason, &text, known), &text);
    if failed.kind == FailureKind::PlanLimit {
        failed.resets_at_ms = failed.resets_at_ms.or(known.reached.and_then(|limit| limit.resets_at_ms));
    }
    TurnEvent::Failed(failed)
}

fn error_text(result: &Value) -> String {
    let told: Vec<&str> = list_at(result, "/errors").iter().filter_map(Value::as_str).collect();
    match str_at(result, "/result").filter(|text| !text.trim().is_empty()) {
        Some(text) => text.to_owned(),
        None if told.is_empty() => str_at(result, "/subtype").unwrap_or_default().replace('_', " "),
        None => told.join("\n"),
    }
}

fn kind(result: &Value, reason: &str, text: &str, known: Known<'_>) -> FailureKind {
    let status = u64_at(result, "/api_error_status").and_then(|code| u16::try_from(code).ok());
    let by_text = kind_of(status, text);
    if by_text == FailureKind::SessionLost {
        return by_text;
    }
    if reason == "prompt_too_long" {
        return FailureKind::PromptTooLong;
    }
    if str_at(result, "/api_error_type") == Some("overloaded_error") {
        return FailureKind::Overloaded;
    }
    if str_at(result, "/api_error") == Some("connection_failed") {
        return FailureKind::Network;
    }
    match known.error {
        Some("authentication_failed") => FailureKind::NotLoggedIn,
        Some("billing_error") => FailureKind::PlanLimit,
        Some("model_not_found") => FailureKind::ModelUnknown,
        Some("rate_limit") if known.reached.is_some() && !text.contains("not your usage limit") => {
            FailureKind::PlanLimit
        }
        Some("rate_limit") if by_text == FailureKind::Other => FailureKind::RateLimited,
        _ => by_text,
    }
}

/// The limits a `rate_limit_event` tells, one per window.
pub fn limits(line: &Value) -> Vec<LimitInfo> {
    let Some(told) = line.get("rate_limit_info") else { return Vec::new() };
    let windows = told.get("unifiedWindows").and_then(Value::as_object);
    let mut limits: Vec<LimitInfo> =
        windows.into_iter().flatten().map(|(kind, window)| limit(kind, window)).collect();
    let named = str_at(told, "/rateLimitType").map(|kind| limit(kind, told));
    // The named one is the one that counts now, so it comes last; a window of the same kind knows more.
    if let Some(named) = named {
        let same = limits.iter().position(|limit| limit.kind == named.kind);
        let last = same.map_or(named, |at| limits.remove(at));
        limits.push(last);
    }
    limits
}

fn limit(kind: &str, told: &Value) -> LimitInfo {
    #[expect(clippy::cast_possible_truncation, reason = "a percentage needs no more digits")]
    let used_percent = f64_at(told, "/utilization").map(|share| (share * 100.0) as f32);
    LimitInfo {
        kind: limit_name(kind),
        used_percent,
        resets_at_ms: i64_at(told, "/resetsAt").map(|seconds| seconds.saturating_mul(1000)),
        reached: str_at(told, "/status") == Some("rejected"),
    }
}

fn limit_name(kind: &str) -> String {
    match kind {
        "five_hour" => "5 h".to_owned(),
        "seven_day" => "week".to_owned(),
        other => match other.strip_prefix("seven_day_") {
            Some(model) => format!("week ({})", model.replace('_', " ")),
            None => other.replace('_', " "),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::engine::Engine as _;
    use crate::engine::claude::Claude;

    fn kind_told(result: &Value, known: Known<'_>) -> Option<FailureKind> {
        match ended(Claude::new().info(), result, known) {
            TurnEvent::Failed(failed) => Some(failed.kind),
            _ => None,
        }
    }

    fn api_error(status: u64, text: &str) -> Value {
        json!({"subtype": "success", "is_error": true, "terminal_reason": "api_error", "api_error_status": status, "result": text})
    }

    #[test]
    fn failures_are_told_apart() {
        use FailureKind as K;
        let reached =
            LimitInfo { kind: "5 h".into(), used_percent: None, resets_at_ms: Some(9), reached: true };
        let error = |error| Known { error: Some(error), ..Known::default() };
        let none = Known::default();
        let limited = Known { error: Some("rate_limit"), reached: Some(&reached), cancelled: false };
        let table = [
            (
                api_error(401, "Invalid API key · Fix external API key"),
                error("authentication_failed"),
                K::NotLoggedIn,
            ),
            (
                json!({"is_error": true, "terminal_reason": "api_error", "result": "Not logged in · Please run /login"}),
                none,
                K::NotLoggedIn,
            ),
            (api_error(402, "Credit balance is too low"), error("billing_error"), K::PlanLimit),
            (api_error(429, "Request rejected (429)"), error("rate_limit"), K::RateLimited),
            (api_error(429, "You've hit your limit"), limited, K::PlanLimit),
            (api_error(429, "limiting requests (not your usage limit)"), limited, K::RateLimited),
            (api_error(529, "API Error: 529 Overloaded."), error("server_error"), K::Overloaded),
            (api_error(500, "API Error: 500 mock"), error("server_error"), K::Overloaded),
            (
                api_error(404, "There's an issue with the selected model (x)."),
                error("model_not_found"),
                K::ModelUnknown,
            ),
            (
                json!({"is_error": true, "terminal_reason": "prompt_too_long", "api_error_status": 400, "result": "x"}),
                none,
                K::PromptTooLong,
            ),
            (
                json!({"is_error": true, "api_error": "connection_failed", "result": "API Error: Connection dropped"}),
                none,
                K::Network,
            ),
            (
                json!({"is_error": true, "errors": ["No conversation found with session ID: 9"]}),
                none,
                K::SessionLost,
            ),
            (
                json!({"is_error": true, "subtype": "error_max_turns", "terminal_reason": "max_turns", "errors": ["Reached"]}),
                none,
                K::Other,
            ),
        ];
        for (result, known, kind) in &table {
            assert_eq!(kind_told(result, *known), Some(*kind), "{result}");
        }
    }

    #[test]
    fn ends_that_are_no_failure() {
        let stop =
            |reason: &str| json!({"is_error": false, "terminal_reason": "completed", "stop_reason": reason});
        let aborted = json!({"is_error": true, "terminal_reason": "aborted_streaming"});
        let table = [
            (stop("end_turn"), false, StopReason::Completed),
            (stop("max_tokens"), false, StopReason::MaxTokens),
            (stop("refusal"), false, StopReason::Refused),
            (aborted, true, StopReason::Cancelled),
            (json!({"is_error": true, "errors": ["x"]}), true, StopReason::Cancelled),
        ];
        for (result, cancelled, reason) in table {
            let known = Known { cancelled, ..Known::default() };
            assert_eq!(ended(Claude::new().info(), &result, known), TurnEvent::Finished(reason), "{result}");
        }
    }

    #[test]
    fn tokens_are_kept_apart() {
        let result = json!({
            "usage": {"input_tokens": 10, "cache_creation_input_tokens": 11, "cache_read_input_tokens": 22, "output_tokens": 5,
                "output_tokens_details": {"thinking_tokens": 2}},
            "modelUsage": {"main": {"contextWindow": 200_000}, "small": {"contextWindow": 1}},
            "total_cost_usd": 0.5,
        });
        let used = usage(&result, Some("main"), Some(48));
        assert_eq!((used.input_tokens, used.cached_input_tokens), (Some(21), Some(22)));
        assert_eq!((used.output_tokens, used.reasoning_tokens), (Some(5), Some(2)));
        assert_eq!((used.window_tokens, used.window_used_tokens), (Some(200_000), Some(48)));
        assert_eq!(window_input(&result["usage"]), Some(43));
        assert_eq!(cost(&result, Some(0.25)), Some(0.25));
        assert_eq!(cost(&result, None), None);
        let since = json!({"total_cost_usd": 9.0, "model_usage_since_last_result": {"a": {"costUSD": 0.25}, "b": {"costUSD": 0.5}}});
        assert_eq!(cost(&since, Some(1.0)), Some(0.75));
        let aborted = json!({"usage": {"input_tokens": 0, "output_tokens": 0},
            "model_usage_since_last_result": {"a": {"inputTokens": 7, "outputTokens": 1}, "b": {"inputTokens": 2}}});
        let used = usage(&aborted, None, None);
        assert_eq!(
            (used.input_tokens, used.output_tokens, used.cached_input_tokens),
            (Some(9), Some(1), None)
        );
        assert_eq!(sum(&used, &used).input_tokens, Some(18));
        assert!(is_nothing(&usage(&json!({"usage": {"input_tokens": 0}}), None, None)) && !is_nothing(&used));
    }

    #[test]
    fn limits_name_window_and_reset() {
        let line = json!({"rate_limit_info": {"status": "rejected", "rateLimitType": "five_hour", "resetsAt": 5,
            "unifiedWindows": {"five_hour": {"utilization": 0.93, "resetsAt": 5, "status": "rejected"},
                "seven_day": {"utilization": 0.4, "resetsAt": 7, "status": "allowed"}}}});
        let told = limits(&line);
        assert_eq!(told.iter().map(|limit| limit.kind.as_str()).collect::<Vec<_>>(), ["week", "5 h"]);
        assert_eq!(told.last().map(|limit| (limit.reached, limit.resets_at_ms)), Some((true, Some(5000))));
        assert_eq!(told.first().map(|limit| limit.reached), Some(false));
        assert_eq!(limits(&json!({"rate_limit_info": {"status": "rejected"}})), []);
        assert_eq!(limit_name("seven_day_opus"), "week (opus)");
    }
}
