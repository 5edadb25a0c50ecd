//! Turns what an engine told about a failure into a [`TurnFailure`]: the one place that knows the words.
//!
//! Dialects that know the kind from a typed field give it; all others let [`kind_of`] read status and text.

use crate::engine::SeatExit;
use crate::engine::wire::{clean, one_line};
use crate::model::engine::EngineInfo;
use crate::model::turn::{FailureKind, TurnFailure};

/// Longest [`TurnFailure::detail`], in characters; the end is kept, as errors stand there.
const MAX_DETAIL_CHARS: usize = 4_000;

/// Hang-up, interrupt, kill and terminate: what another program, the system short of memory, or the user sends.
const SIGNALS_FROM_OUTSIDE: [i32; 4] = [1, 2, 9, 15];

/// A failure of a known kind. `message` is what the engine said; its first line is shown, the rest goes to the detail.
pub fn failure(info: &EngineInfo, kind: FailureKind, message: &str) -> TurnFailure {
    let message = clean(message);
    let first = message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let shown = one_line(first);
    let whole = message.trim();
    TurnFailure {
        kind,
        message: if shown.is_empty() { default_message(info, kind) } else { shown.clone() },
        hint: hint(info, kind),
        detail: if whole == shown { String::new() } else { tail(whole) },
        resets_at_ms: reset_in_text(whole),
    }
}

/// A failure told by an HTTP status, a text, or both.
pub fn told(info: &EngineInfo, http: Option<u16>, text: &str) -> TurnFailure {
    let kind = kind_of(http, text);
    let mut told = failure(info, kind, text);
    if let (Some(code), true) = (http, text.trim().is_empty()) {
        told.message = format!("{} ended with HTTP status {code}.", info.name);
    }
    told
}

/// What is known when a process goes away in the middle of a turn.
#[derive(Clone, Copy, Debug)]
pub struct Gone<'a> {
    /// The command as started, for the user to try it.
    pub command: &'a str,
    pub version: Option<&'a str>,
    pub exit: &'a SeatExit,
    /// What it wrote on standard output that was not its protocol.
    pub noise: &'a str,
    /// It said at least one thing in its protocol.
    pub spoke: bool,
}

/// The failure of a process that ended in the middle of a turn, before telling how the turn ended.
pub fn gone(info: &EngineInfo, gone: Gone<'_>) -> TurnFailure {
    let how = match (gone.exit.code, gone.exit.signal) {
        (_, Some(signal)) => format!("was ended by signal {signal}"),
        (Some(code), None) => format!("ended with exit code {code}"),
        (None, None) => "ended".to_owned(),
    };
    let stderr = clean(&gone.exit.stderr_tail);
    let told = [stderr.trim(), gone.noise.trim()];
    // Whoever is ended from outside says nothing about it; what it wrote before is about something else.
    let from_outside = gone.exit.signal.is_some_and(|signal| SIGNALS_FROM_OUTSIDE.contains(&signal));
    let said = told.into_iter().find(|text| !text.is_empty() && !from_outside).unwrap_or_default();
    let bad_exit = gone.exit.code != Some(0);
    let kind = if !gone.spoke && (!bad_exit || speaks_of_unknown_flags(said)) {
        FailureKind::Protocol
    } else {
        match kind_of(None, said) {
            kind @ (FailureKind::NotLoggedIn
            | FailureKind::PlanLimit
            | FailureKind::SessionLost
            | FailureKind::ModelUnknown
            | FailureKind::PromptTooLong)
                if bad_exit =>
            {
                kind
            }
            _ => FailureKind::Crashed,
        }
    };
    let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let version = gone.version.map_or_else(String::new, |version| format!(" (version {version})"));
    let message = match kind {
        FailureKind::Protocol => {
            format!("{}{version} {how} and did not speak the expected protocol. {last}", info.name)
        }
        FailureKind::Crashed if last.is_empty() => {
            format!("{} {how} before its answer was complete.", info.name)
        }
        FailureKind::Crashed => format!("{} {how}: {last}", info.name),
        _ => last.to_owned(),
    };
    let mut detail = format!("{}\n{} {how}{version}.", gone.command, info.name);
    for text in told {
        if !text.is_empty() {
            detail.push_str("\n\n");
            detail.push_str(text);
        }
    }
    TurnFailure { detail: tail(&detail), ..failure(info, kind, &one_line(&message)) }
}

/// Reads the kind from an HTTP status and an engine's own words. Words that name a cause win over the status.
pub fn kind_of(http: Option<u16>, text: &str) -> FailureKind {
    let text = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(SESSION_WORDS) {
        return FailureKind::SessionLost;
    }
    if says(LONG_WORDS) {
        return FailureKind::PromptTooLong;
    }
    let not_plan = says(&["not your usage limit"]);
    if says(PLAN_WORDS) && !not_plan {
        return FailureKind::PlanLimit;
    }
    match http {
        Some(401 | 403) => return FailureKind::NotLoggedIn,
        Some(402) => return FailureKind::PlanLimit,
        Some(413) => return FailureKind::PromptTooLong,
        Some(429) => return FailureKind::RateLimited,
        Some(404) if text.contains("model") || text.is_empty() => return FailureKind::ModelUnknown,
        Some(408 | 504) => return FailureKind::TimedOut,
        Some(code) if code >= 500 => return FailureKind::Overloaded,
        _ => {}
    }
    if says(LOGIN_WORDS) {
        FailureKind::NotLoggedIn
    } else if text.contains("model") && says(MODEL_WORDS) {
        FailureKind::ModelUnknown
    } else if says(RATE_WORDS) {
        FailureKind::RateLimited
    } else if says(BUSY_WORDS) {
        FailureKind::Overloaded
    } else if says(NETWORK_WORDS) {
        FailureKind::Network
    } else if says(&["timed out", "timeout"]) {
        FailureKind::TimedOut
    } else {
        FailureKind::Other
    }
}

const SESSION_WORDS: &[&str] = &[
    "no conversation found",
    "no rollout found",
    "session not found",
    "invalid session id",
    "thread not found",
    "turn not found",
    "no message found with message.uuid",
];
const LONG_WORDS: &[&str] = &[
    "prompt is too long",
    "prompt too long",
    "context window",
    "context length",
    "context_length",
    "contextoverflow",
    "input_too_large",
    "too many tokens",
    "maximum number of tokens",
    "maximum context",
];
const PLAN_WORDS: &[&str] = &[
    "credit balance",
    "billing",
    "usage limit",
    "usage_limit",
    "insufficient_quota",
    "insufficient quota",
    "exceeded your current quota",
    "out of credits",
    "hit your limit",
    "limit reached|",
    "payment required",
];
const LOGIN_WORDS: &[&str] = &[
    "not logged in",
    "/login",
    "log in",
    "login required",
    "invalid api key",
    "incorrect api key",
    "api key not valid",
    "invalid x-api-key",
    "unauthorized",
    "authentication",
    "missing environment variable",
    "invalid auth method",
    "token has expired",
    "token expired",
    "oauth",
];
const MODEL_WORDS: &[&str] = &[
    "not found",
    "does not exist",
    "may not exist",
    "unknown model",
    "selected model (",
    "not supported",
    "invalid model",
];
const RATE_WORDS: &[&str] =
    &["rate limit", "rate_limit", "ratelimit", "too many requests", "limiting requests"];
const BUSY_WORDS: &[&str] =
    &["overloaded", "at capacity", "high demand", "internal server error", "unavailable"];
const NETWORK_WORDS: &[&str] = &[
    "econnrefused",
    "econnreset",
    "enotfound",
    "etimedout",
    "eai_again",
    "connection refused",
    "connection reset",
    "connection dropped",
    "connection error",
    "connection closed",
    "connection was closed",
    "cannot connect",
    "stream disconnected",
    "error sending request",
    "fetch failed",
    "socket hang up",
    "getaddrinfo",
    "dns",
    "network",
    "certificate",
    "tls",
    "waiting for network",
];

fn speaks_of_unknown_flags(text: &str) -> bool {
    let text = text.to_lowercase();
    [
        "unknown option",
        "unexpected argument",
        "unrecognized",
        "unknown argument",
        "unknown command",
        "invalid option",
    ]
    .iter()
    .any(|word| text.contains(word))
}

fn default_message(info: &EngineInfo, kind: FailureKind) -> String {
    let name = &info.name;
    match kind {
        FailureKind::NotInstalled => format!("{name} was not found on this machine."),
        FailureKind::NotLoggedIn => format!("{name} is not logged in."),
        FailureKind::PlanLimit => format!("The plan's limit of {name} is reached."),
        FailureKind::RateLimited => format!("{name} gets too many requests right now."),
        FailureKind::Overloaded => format!("The service behind {name} is overloaded."),
        FailureKind::ModelUnknown => format!("{name} does not know this model."),
        FailureKind::PromptTooLong => format!("The request is too long for the model of {name}."),
        FailureKind::Network => format!("{name} could not reach its service."),
        FailureKind::Crashed => format!("{name} ended before its answer was complete."),
        FailureKind::TimedOut => format!("{name} did not answer in time."),
        FailureKind::Protocol => format!("{name} did not speak the expected protocol."),
        FailureKind::SessionLost => format!("{name} no longer knows this session."),
        FailureKind::FolderMissing => "The project folder is missing.".to_owned(),
        FailureKind::Internal => "Something went wrong inside the app.".to_owned(),
        FailureKind::Other => format!("{name} failed."),
    }
}

/// One line saying what to do.
fn hint(info: &EngineInfo, kind: FailureKind) -> String {
    match kind {
        FailureKind::NotInstalled => info.install_hint.clone(),
        FailureKind::NotLoggedIn => info.login_hint.clone(),
        FailureKind::PlanLimit => "Wait for the reset, or go on with another engine.".to_owned(),
        FailureKind::RateLimited | FailureKind::Overloaded => {
            "Try again in a moment, or go on with another engine.".to_owned()
        }
        FailureKind::ModelUnknown => "Choose another model.".to_owned(),
        FailureKind::PromptTooLong => {
            "Lower the context budget, shorten the message, or start a new conversation.".to_owned()
        }
        FailureKind::Network => "Check the network and any proxy, then try again.".to_owned(),
        FailureKind::Crashed => "Try again. If it happens again, run the command in a terminal.".to_owned(),
        FailureKind::TimedOut => "Try again, or go on with another engine.".to_owned(),
        FailureKind::Protocol => format!("Update {}, or set the path to another version.", info.name),
        FailureKind::SessionLost => "Try again: the conversation is sent anew from here.".to_owned(),
        FailureKind::FolderMissing => "Put the folder back, or open the project at its new place.".to_owned(),
        FailureKind::Internal | FailureKind::Other => "Try again.".to_owned(),
    }
}

/// A limit message may end with `|<Unix seconds>`.
fn reset_in_text(text: &str) -> Option<i64> {
    let (_, after) = text.rsplit_once('|')?;
    let digits: String = after.trim().chars().take_while(char::is_ascii_digit).collect();
    let seconds: i64 = digits.parse().ok()?;
    (1_000_000_000..100_000_000_000).contains(&seconds).then(|| seconds * 1000)
}

fn tail(text: &str) -> String {
    let chars = text.chars().count();
    if chars <= MAX_DETAIL_CHARS {
        return text.to_owned();
    }
    let kept: String = text.chars().skip(chars - MAX_DETAIL_CHARS).collect();
    format!("…{kept}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::registry;
    use crate::model::settings::{AcpAgent, Endpoint, Settings};

    fn info() -> EngineInfo {
        registry::builtin(&Settings::default()).first().expect("an engine").info().clone()
    }

    #[test]
    fn kinds_by_status_and_words() {
        use FailureKind as K;
        let table: &[(Option<u16>, &str, K)] = &[
            (Some(401), "", K::NotLoggedIn),
            (None, "Invalid API key · Fix external API key", K::NotLoggedIn),
            (None, "Not logged in · Please run /login", K::NotLoggedIn),
            (None, "Missing environment variable: OPENAI_API_KEY.", K::NotLoggedIn),
            (Some(402), "payment", K::PlanLimit),
            (None, "Credit balance is too low", K::PlanLimit),
            (Some(429), "You exceeded your current quota", K::PlanLimit),
            (None, "AI usage limit reached|1796050540", K::PlanLimit),
            (Some(429), "slow down", K::RateLimited),
            (
                Some(429),
                "API Error: Server is temporarily limiting requests (not your usage limit)",
                K::RateLimited,
            ),
            (None, "exceeded retry limit, last status: 429 Too Many Requests", K::RateLimited),
            (Some(529), "Overloaded", K::Overloaded),
            (Some(503), "", K::Overloaded),
            (None, "Selected model is at capacity", K::Overloaded),
            (
                None,
                "We're currently experiencing high demand, which may cause temporary errors.",
                K::Overloaded,
            ),
            (Some(404), "model: no-such-model", K::ModelUnknown),
            (None, "There's an issue with the selected model (x). It may not exist", K::ModelUnknown),
            (Some(400), "prompt is too long: 250000 tokens", K::PromptTooLong),
            (
                Some(400),
                "The input token count (2) exceeds the maximum number of tokens allowed (1).",
                K::PromptTooLong,
            ),
            (None, "Cannot connect to API: The socket connection was closed unexpectedly.", K::Network),
            (None, "Codex ran out of room in the model's context window.", K::PromptTooLong),
            (None, "Connection refused (ECONNREFUSED)", K::Network),
            (None, "stream disconnected before completion", K::Network),
            (None, "No conversation found with session ID: 9", K::SessionLost),
            (None, "no rollout found for thread id 9", K::SessionLost),
            (None, "turn not found: 9", K::SessionLost),
            (None, "No message found with message.uuid of: 9", K::SessionLost),
            (Some(408), "", K::TimedOut),
            (Some(400), "bad", K::Other),
        ];
        for (http, text, kind) in table {
            assert_eq!(kind_of(*http, text), *kind, "{http:?} {text}");
        }
    }

    /// Whatever happened, and to whichever engine, there is a line that says it and one that says what to do.
    #[test]
    fn every_kind_says_what_happened_and_what_to_do() {
        use FailureKind as K;
        let kinds = [
            K::NotInstalled,
            K::NotLoggedIn,
            K::PlanLimit,
            K::RateLimited,
            K::Overloaded,
            K::ModelUnknown,
            K::PromptTooLong,
            K::Network,
            K::Crashed,
            K::TimedOut,
            K::Protocol,
            K::SessionLost,
            K::FolderMissing,
            K::Internal,
            K::Other,
        ];
        let endpoint = Endpoint {
            name: "s".into(),
            base_url: "http://127.0.0.1:1/v1".into(),
            model: "m".into(),
            has_key: false,
        };
        let agent = AcpAgent { name: "a".into(), command: "a".into(), args: vec![] };
        let settings = Settings { endpoints: vec![endpoint], acp_agents: vec![agent], ..Settings::default() };
        for engine in registry::builtin(&settings) {
            for kind in kinds {
                let told = failure(engine.info(), kind, "");
                let id = &engine.info().id;
                assert!(
                    told.message.ends_with('.') && !told.message.contains('\n'),
                    "{id} {kind:?}: {}",
                    told.message
                );
                assert!(told.hint.len() > 5 && !told.hint.contains('\n'), "{id} {kind:?}: {:?}", told.hint);
            }
        }
    }

    #[test]
    fn a_process_that_went_away() {
        use FailureKind as K;
        let exit = |code: i32, stderr: &str| SeatExit {
            code: Some(code),
            signal: None,
            stderr_tail: stderr.to_owned(),
        };
        let table = [
            (exit(3, "warn\nsomething broke"), "", true, K::Crashed, "something broke"),
            (exit(0, ""), "", true, K::Crashed, "exit code 0"),
            (exit(0, ""), "Welcome to the tool!", false, K::Protocol, "Welcome to the tool!"),
            (exit(0, ""), "", false, K::Protocol, "9.9"),
            (exit(2, "error: unexpected argument '--foo'"), "", false, K::Protocol, "unexpected argument"),
            (exit(1, "Not logged in · Please run /login"), "", false, K::NotLoggedIn, "Not logged in"),
            (
                exit(1, "No conversation found with session ID: 9"),
                "",
                false,
                K::SessionLost,
                "No conversation",
            ),
            (exit(1, "--x cannot be used with root/sudo privileges"), "", false, K::Crashed, "root/sudo"),
        ];
        for (exit, noise, spoke, kind, part) in &table {
            let told =
                gone(&info(), Gone { command: "tool -p", version: Some("9.9"), exit, noise, spoke: *spoke });
            assert_eq!(told.kind, *kind, "{exit:?} {noise}");
            assert!(told.message.contains(part), "{}", told.message);
            assert!(told.detail.contains("tool -p") && told.detail.contains(noise) && !told.hint.is_empty());
            assert!(told.detail.contains(exit.stderr_tail.trim()));
        }
        // Whoever sends a signal from outside leaves no reason; what the program said long before is none.
        let early = "ERROR could not find bubblewrap";
        let killed = SeatExit { code: None, signal: Some(9), stderr_tail: early.to_owned() };
        let told = gone(&info(), Gone { command: "t", version: None, exit: &killed, noise: "", spoke: true });
        assert!(
            told.message.contains("signal 9") && !told.message.contains("bubblewrap"),
            "{}",
            told.message
        );
        assert!(told.detail.contains(early), "{}", told.detail);
        // One that fell by itself says why in its last words.
        let fell =
            SeatExit { code: None, signal: Some(6), stderr_tail: "FATAL: heap out of memory".to_owned() };
        let told = gone(&info(), Gone { command: "t", version: None, exit: &fell, noise: "", spoke: true });
        assert!(told.message.contains("heap out of memory"), "{}", told.message);
    }

    #[test]
    fn messages_are_one_line_and_resets_are_read() {
        let long = failure(&info(), FailureKind::Other, "first\nsecond");
        assert_eq!((long.message.as_str(), long.detail.as_str()), ("first", "first\nsecond"));
        let limit = told(&info(), None, "usage limit reached|1796050540");
        assert_eq!(limit.resets_at_ms, Some(1_796_050_540_000));
        assert!(!told(&info(), Some(500), "").message.is_empty());
    }
}
