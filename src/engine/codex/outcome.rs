//! How a turn of Codex failed, what it used, and which limits it told.

use serde_json::Value;

use crate::engine::failure::{failure, kind_of};
use crate::engine::wire::{i64_at, str_at, text_at, u64_at};
use crate::model::engine::EngineInfo;
use crate::model::turn::{FailureKind, LimitInfo, TurnFailure, Usage};

/// A failure from a turn's `error` object.
pub fn failed(info: &EngineInfo, error: &Value) -> TurnFailure {
    let more = text_at(error, "/additionalDetails");
    let mut text = text_at(error, "/message");
    if !more.is_empty() {
        text = format!("{text}\n{more}");
    }
    failure(info, kind(error), &text)
}

/// The kind by `codexErrorInfo`, else by the words.
pub fn kind(error: &Value) -> FailureKind {
    let text = format!("{} {}", text_at(error, "/message"), text_at(error, "/additionalDetails"));
    let told = error.get("codexErrorInfo").unwrap_or(&Value::Null);
    match told.as_str().unwrap_or_default() {
        "contextWindowExceeded" => FailureKind::PromptTooLong,
        "usageLimitExceeded" | "sessionBudgetExceeded" => FailureKind::PlanLimit,
        "rateLimitExceeded" => FailureKind::RateLimited,
        "serverOverloaded" | "policyCapacityUnavailable" | "flexUnavailable" | "internalServerError" => {
            FailureKind::Overloaded
        }
        "modelNotFound" => FailureKind::ModelUnknown,
        "unauthorized" => FailureKind::NotLoggedIn,
        _ => kind_of(http_status(told), &text),
    }
}

/// `{"httpConnectionFailed":{"httpStatusCode":401}}` and its like.
fn http_status(told: &Value) -> Option<u16> {
    let inner = told.as_object()?.values().next()?;
    u64_at(inner, "/httpStatusCode").and_then(|code| u16::try_from(code).ok())
}

/// Token counts of a thread, as told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    input: u64,
    cached: u64,
    output: u64,
    reasoning: u64,
}

impl Totals {
    /// Reads a token breakdown.
    pub fn read(told: &Value) -> Self {
        let part = |field: &str| u64_at(told, field).unwrap_or(0);
        Self {
            input: part("/inputTokens"),
            cached: part("/cachedInputTokens"),
            output: part("/outputTokens"),
            reasoning: part("/reasoningOutputTokens"),
        }
    }

    /// What came since.
    pub fn since(self, before: Self) -> Self {
        Self {
            input: self.input.saturating_sub(before.input),
            cached: self.cached.saturating_sub(before.cached),
            output: self.output.saturating_sub(before.output),
            reasoning: self.reasoning.saturating_sub(before.reasoning),
        }
    }

    /// As usage of a turn. Codex counts cached input as input too; here they are apart.
    pub fn usage(self, told: &Value) -> Usage {
        Usage {
            input_tokens: Some(self.input.saturating_sub(self.cached)),
            cached_input_tokens: Some(self.cached),
            output_tokens: Some(self.output),
            reasoning_tokens: Some(self.reasoning),
            cost_usd: None,
            window_tokens: u64_at(told, "/modelContextWindow"),
            window_used_tokens: u64_at(told, "/last/totalTokens"),
        }
    }
}

/// The limits an `account/rateLimits/updated` tells; none when it holds nothing but nulls.
pub fn limits(params: &Value) -> Vec<LimitInfo> {
    let told = params.get("rateLimits").unwrap_or(&Value::Null);
    let reached = str_at(told, "/rateLimitReachedType").is_some();
    let windows = ["/primary", "/secondary"].iter().filter_map(|window| told.pointer(window));
    windows
        .filter(|window| window.is_object())
        .map(|window| {
            let used = window.get("usedPercent").and_then(Value::as_f64);
            #[expect(clippy::cast_possible_truncation, reason = "a percentage needs no more digits")]
            let used_percent = used.map(|used| used as f32);
            LimitInfo {
                kind: window_name(u64_at(window, "/windowDurationMins")),
                used_percent,
                resets_at_ms: i64_at(window, "/resetsAt").map(|seconds| seconds.saturating_mul(1000)),
                reached: used.is_some_and(|used| used >= 100.0) || (reached && used.is_none()),
            }
        })
        .collect()
}

fn window_name(minutes: Option<u64>) -> String {
    match minutes {
        None => "plan".to_owned(),
        Some(10_080) => "week".to_owned(),
        Some(minutes) if minutes % 1440 == 0 => format!("{} d", minutes / 1440),
        Some(minutes) if minutes % 60 == 0 => format!("{} h", minutes / 60),
        Some(minutes) => format!("{minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn failures_are_told_apart() {
        use FailureKind as K;
        let error = |info: Value, message: &str| json!({"message": message, "codexErrorInfo": info});
        let table = [
            (error(json!("contextWindowExceeded"), "x"), K::PromptTooLong),
            (error(json!("usageLimitExceeded"), "x"), K::PlanLimit),
            (error(json!("rateLimitExceeded"), "x"), K::RateLimited),
            (error(json!("serverOverloaded"), "x"), K::Overloaded),
            (error(json!("modelNotFound"), "x"), K::ModelUnknown),
            (error(json!("unauthorized"), "x"), K::NotLoggedIn),
            (
                error(json!({"httpConnectionFailed": {"httpStatusCode": 401}}), "unexpected status"),
                K::NotLoggedIn,
            ),
            (
                error(
                    json!({"responseTooManyFailedAttempts": {"httpStatusCode": 429}}),
                    "exceeded retry limit",
                ),
                K::RateLimited,
            ),
            (
                error(json!({"responseStreamDisconnected": {"httpStatusCode": null}}), "stream disconnected"),
                K::Network,
            ),
            (error(json!("other"), "stream disconnected before completion: network error"), K::Network),
            (error(json!("other"), "Selected model is at capacity"), K::Overloaded),
            (error(json!("other"), "The model `x` does not exist"), K::ModelUnknown),
            (error(Value::Null, "Missing environment variable: `KEY`."), K::NotLoggedIn),
            (error(json!("brandNew"), "hm"), K::Other),
        ];
        for (error, expected) in table {
            assert_eq!(kind(&error), expected, "{error}");
        }
    }

    #[test]
    fn cached_input_is_taken_out_of_input() {
        let told = json!({"last": {"totalTokens": 60}, "modelContextWindow": 100});
        let breakdown = |input: u64, cached: u64| json!({"inputTokens": input, "cachedInputTokens": cached, "outputTokens": 12});
        let used = Totals::read(&breakdown(50, 22)).since(Totals::read(&breakdown(10, 2))).usage(&told);
        assert_eq!(
            (used.input_tokens, used.cached_input_tokens, used.output_tokens),
            (Some(20), Some(20), Some(0))
        );
        assert_eq!((used.window_tokens, used.window_used_tokens), (Some(100), Some(60)));
    }

    #[test]
    fn limits_of_nulls_are_none() {
        let nulls = json!({"rateLimits": {"primary": null, "secondary": null}});
        assert_eq!(limits(&nulls), []);
        let told = json!({"rateLimits": {"primary": {"usedPercent": 94, "windowDurationMins": 300, "resetsAt": 5},
            "secondary": {"usedPercent": 100, "windowDurationMins": 10080, "resetsAt": 6}}});
        let kinds: Vec<(String, bool)> =
            limits(&told).into_iter().map(|limit| (limit.kind, limit.reached)).collect();
        assert_eq!(kinds, [("5 h".to_owned(), false), ("week".to_owned(), true)]);
    }
}
