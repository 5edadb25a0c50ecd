//! What an agent's JSON-RPC error means to the user.

use serde_json::Value;

use crate::engine::failure::{failure, kind_of};
use crate::engine::wire;
use crate::model::engine::EngineInfo;
use crate::model::turn::{FailureKind, TurnFailure};

/// ACP: the agent wants a login first.
const AUTH_REQUIRED: i64 = -32000;
/// JSON-RPC: parse error, invalid request, method not found.
const NOT_UNDERSTOOD: [i64; 3] = [-32700, -32600, -32601];

/// The meaning of a JSON-RPC error object.
pub(super) fn of_error(info: &EngineInfo, error: &Value) -> TurnFailure {
    let code = wire::i64_at(error, "/code").unwrap_or(0);
    let said = wire::str_at(error, "/message").unwrap_or("The agent gave no reason.");
    let message = readable(said);
    let data = error.get("data").map(ToString::to_string).unwrap_or_default();
    // Some agents pass the provider's HTTP status on as the code.
    let http = u16::try_from(code).ok().filter(|code| (100..600).contains(code));
    let kind = match code {
        AUTH_REQUIRED => FailureKind::NotLoggedIn,
        code if NOT_UNDERSTOOD.contains(&code) => FailureKind::Protocol,
        _ => kind_of(http, &format!("{message} {data}")),
    };
    let mut told = failure(info, kind, &message);
    told.detail = wire::tool_output(format!("error {code}: {said}\n{data}").trim_end());
    told
}

/// Some agents put the provider's whole JSON body into the message; its own message is what a person reads.
fn readable(message: &str) -> String {
    let inner = wire::parse_object(message);
    let inner = inner
        .as_ref()
        .and_then(|body| wire::str_at(body, "/error/message").or(wire::str_at(body, "/message")));
    wire::one_line(inner.unwrap_or(message).trim_start_matches("Internal error: "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::of_error;
    use crate::model::turn::FailureKind as K;

    #[test]
    fn errors_are_told_apart() {
        let body = r#"{"error":{"code":401,"message":"API keys are not supported by this API"}}"#;
        let long = "This model's maximum context length is 1";
        let cases = [
            (401, body, K::NotLoggedIn, "API keys are not supported by this API"),
            (
                -32603,
                "Internal error: Incorrect API key provided",
                K::NotLoggedIn,
                "Incorrect API key provided",
            ),
            (-32000, "Authentication required", K::NotLoggedIn, "Authentication required"),
            (429, "You exceeded your current quota", K::PlanLimit, "You exceeded your current quota"),
            (429, "slow down", K::RateLimited, "slow down"),
            (503, "mock", K::Overloaded, "mock"),
            (-32603, long, K::PromptTooLong, long),
            (-32603, "fetch failed: ECONNREFUSED", K::Network, "fetch failed: ECONNREFUSED"),
            (-32601, "Method not found", K::Protocol, "Method not found"),
            (-32603, "odd\nthing", K::Other, "odd thing"),
        ];
        let engine = crate::engine::gemini::engine();
        for (code, message, kind, shown) in cases {
            let failure = of_error(engine.info(), &json!({"code": code, "message": message}));
            assert_eq!((failure.kind, failure.message.as_str()), (kind, shown), "{message}");
            assert_eq!(failure.hint == engine.info().login_hint, kind == K::NotLoggedIn, "{message}");
        }
    }
}
