//! OpenAI-style servers (`/v1/chat/completions`): Ollama, LM Studio, vLLM and the like.
//!
//! Such a server remembers nothing, so every request carries its whole context in one user message.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::engine::failure::{failure, kind_of};
use crate::engine::wire::{self, Cleaner};
use crate::engine::{Dialect, Engine, Launch, Probe, SeatInput, SeatOutput};
use crate::model::engine::{EngineCaps, EngineId, EngineInfo, EngineLook, ForkCap, PermissionCap};
use crate::model::message::{ItemBody, NoticeLevel};
use crate::model::settings::Endpoint;
use crate::model::turn::{FailureKind, SeatSpec, StopReason, TurnEvent, TurnFailure, TurnRequest, Usage};

/// Ollama's usual port, by which it is recognised.
const OLLAMA_PORT: &str = ":11434";
/// Ollama's window where the user set no other, in tokens (its documentation: `OLLAMA_CONTEXT_LENGTH`).
const OLLAMA_WINDOW_TOKENS: usize = 4096;

#[derive(Debug)]
struct Server {
    info: EngineInfo,
    endpoint: Endpoint,
}

/// The engine for one endpoint; its id is `openai:<name>`.
pub fn engine(endpoint: &Endpoint) -> Arc<dyn Engine> {
    let models = if endpoint.model.is_empty() { Vec::new() } else { vec![endpoint.model.clone()] };
    let info = EngineInfo {
        id: EngineId::new(format!("openai:{}", endpoint.name)),
        name: endpoint.name.clone(),
        look: EngineLook::Local,
        caps: EngineCaps {
            stream: true,
            tools: false,
            permissions: PermissionCap::NoTools,
            resume: false,
            fork: ForkCap::None,
            system_apart: false,
            images: false,
            usage: true,
            cost: false,
            mcp: false,
            warm: false,
        },
        programs: Vec::new(),
        home_dirs: Vec::new(),
        models,
        key_variables: Vec::new(),
        install_hint: "Start the server, or correct its address in the settings.".to_owned(),
        login_hint: "Set the server's key in the settings.".to_owned(),
        resume_command: String::new(),
    };
    Arc::new(Server { info, endpoint: endpoint.clone() })
}

/// Name of the secret that holds an endpoint's key.
pub fn key_secret(endpoint_name: &str) -> String {
    format!("endpoint:{endpoint_name}")
}

/// The address of one of the server's services; a base without a path gets `/v1`.
fn url(base: &str, service: &str) -> String {
    let base = base.trim().trim_end_matches('/');
    let base = base.strip_suffix("/chat/completions").unwrap_or(base);
    let after_scheme = base.split_once("://").map_or(base, |(_, rest)| rest);
    let version = if after_scheme.contains('/') { "" } else { "/v1" };
    format!("{base}{version}/{service}")
}

impl Engine for Server {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    fn launch(&self, _seat: &SeatSpec) -> Result<Launch, TurnFailure> {
        let key_secret = self.endpoint.has_key.then(|| key_secret(&self.endpoint.name));
        Ok(Launch::Http { url: url(&self.endpoint.base_url, "chat/completions"), key_secret })
    }

    fn dialect(&self, seat: &SeatSpec) -> Box<dyn Dialect> {
        let model = seat.model.clone().unwrap_or_else(|| self.endpoint.model.clone());
        Box::new(ChatDialect {
            info: self.info.clone(),
            base_url: self.endpoint.base_url.clone(),
            model,
            turn: None,
        })
    }

    fn probe(&self) -> Probe {
        Probe {
            models_url: Some(url(&self.endpoint.base_url, "models")),
            key_secret: self.endpoint.has_key.then(|| key_secret(&self.endpoint.name)),
            ..Probe::default()
        }
    }
}

#[derive(Debug, Default)]
struct Turn {
    started: bool,
    model: Option<String>,
    /// The open item, whether it is thinking, and its cleaner.
    open: Option<(String, bool, Cleaner)>,
    items: u32,
    finish: Option<StopReason>,
}

#[derive(Debug)]
struct ChatDialect {
    info: EngineInfo,
    base_url: String,
    model: String,
    turn: Option<Turn>,
}

impl Dialect for ChatDialect {
    fn input(&mut self, input: SeatInput<'_>, out: &mut SeatOutput) {
        match input {
            SeatInput::Begin(request) => self.begin(request, out),
            SeatInput::Line(line) => self.line(line, out),
            SeatInput::LineTooLong { bytes } => {
                self.fail(
                    FailureKind::Protocol,
                    &format!("The server sent a line of {bytes} bytes."),
                    "",
                    out,
                );
            }
            SeatInput::Cancel => self.finish(StopReason::Cancelled, out),
            SeatInput::HttpStatus { code, retry_after_secs, body } => {
                let (kind, mut message) = meaning(Some(code), body);
                if code == 404 && kind == FailureKind::Other {
                    message = format!("There is no such service at {}: {message}", self.base_url);
                }
                if let Some(secs) = retry_after_secs {
                    message.push_str(&format!(" (It asks to wait {secs} s.)"));
                }
                self.fail(kind, &message, &format!("HTTP {code}\n{}", wire::tool_output(body)), out);
            }
            SeatInput::HttpFailed { why } => {
                let message = format!("The server at {} cannot be reached: {why}", self.base_url);
                self.fail(FailureKind::Network, &message, "", out);
            }
            SeatInput::HttpEnd => match self.turn.as_ref().map(|turn| (turn.finish, turn.items)) {
                Some((Some(reason), _)) => self.finish(reason, out),
                Some((None, 0)) => {
                    self.fail(
                        FailureKind::Protocol,
                        "The server's answer held nothing that was understood.",
                        "",
                        out,
                    );
                }
                Some((None, _)) => self.fail(FailureKind::Network, "The server's answer broke off.", "", out),
                None => {}
            },
            SeatInput::Answer { .. } | SeatInput::Exited(_) | SeatInput::Deadline(_) => {}
        }
    }
}

impl ChatDialect {
    fn begin(&mut self, request: &TurnRequest, out: &mut SeatOutput) {
        self.turn = Some(Turn::default());
        if let Some(text) = window_warning(&self.base_url, &request.text) {
            out.events.push(TurnEvent::Notice { level: NoticeLevel::Warn, text });
        }
        let body = json!({
            "model": self.model,
            "stream": true,
            "stream_options": {"include_usage": true},
            "messages": [{"role": "user", "content": request.text}],
        });
        out.lines.push(body.to_string());
    }

    fn line(&mut self, line: &str, out: &mut SeatOutput) {
        if self.turn.is_none() {
            return;
        }
        if line.trim() == "[DONE]" {
            let reason = self.turn.as_ref().and_then(|turn| turn.finish).unwrap_or(StopReason::Completed);
            return self.finish(reason, out);
        }
        let Some(chunk) = wire::parse_object(line) else {
            out.skipped += 1;
            out.log.push(line.to_owned());
            return;
        };
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            let (kind, message) = meaning(None, line);
            return self.fail(kind, &message, &wire::tool_output(line), out);
        }
        let Some(turn) = &mut self.turn else { return };
        turn.model = wire::str_at(&chunk, "/model").map(str::to_owned).or_else(|| turn.model.take());
        if !turn.started {
            turn.started = true;
            out.events.push(TurnEvent::Started { session: None, model: turn.model.clone() });
        }
        // A server that does not stream answers with the whole message.
        for part in ["/choices/0/delta", "/choices/0/message"] {
            for field in ["reasoning_content", "reasoning"] {
                turn.say(wire::str_at(&chunk, &format!("{part}/{field}")), true, out);
            }
            turn.say(wire::str_at(&chunk, &format!("{part}/content")), false, out);
            turn.say(wire::str_at(&chunk, &format!("{part}/refusal")), false, out);
        }
        match wire::str_at(&chunk, "/choices/0/finish_reason") {
            Some("length") => turn.finish = Some(StopReason::MaxTokens),
            Some("content_filter") => turn.finish = Some(StopReason::Refused),
            Some(_) => turn.finish = Some(StopReason::Completed),
            None => {}
        }
        if let Some(usage) = usage_of(&chunk) {
            out.events.push(TurnEvent::Usage(usage));
        }
    }

    fn finish(&mut self, reason: StopReason, out: &mut SeatOutput) {
        if self.turn.take().is_some() {
            out.events.push(TurnEvent::Finished(reason));
        }
    }

    fn fail(&mut self, kind: FailureKind, message: &str, detail: &str, out: &mut SeatOutput) {
        if self.turn.take().is_none() {
            return;
        }
        let mut told = failure(&self.info, kind, message);
        if matches!(kind, FailureKind::Network | FailureKind::Other) {
            told.hint.clone_from(&self.info.install_hint);
        }
        if !detail.is_empty() {
            told.detail = detail.to_owned();
        }
        out.events.push(TurnEvent::Failed(told));
    }
}

impl Turn {
    fn say(&mut self, text: Option<&str>, thinking: bool, out: &mut SeatOutput) {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return };
        if let Some((key, kind, cleaner)) = &mut self.open
            && *kind == thinking
        {
            let delta = cleaner.push(text);
            if !delta.is_empty() {
                out.events.push(TurnEvent::ItemDelta { key: key.clone(), delta });
            }
            return;
        }
        let mut cleaner = Cleaner::default();
        let text = cleaner.push(text);
        self.items += 1;
        let key = format!("{}-{}", if thinking { "thinking" } else { "text" }, self.items);
        self.open = Some((key.clone(), thinking, cleaner));
        let body = if thinking { ItemBody::Thinking { text } } else { ItemBody::Text { text } };
        out.events.push(TurnEvent::ItemStarted { key, body });
    }
}

/// Prompt tokens are told with the cached ones, completion tokens with the reasoning; here they are kept apart.
fn usage_of(chunk: &Value) -> Option<Usage> {
    let prompt = wire::u64_at(chunk, "/usage/prompt_tokens");
    let output = wire::u64_at(chunk, "/usage/completion_tokens");
    if prompt.is_none() && output.is_none() {
        return None;
    }
    let cached = wire::u64_at(chunk, "/usage/prompt_tokens_details/cached_tokens");
    let reasoning = wire::u64_at(chunk, "/usage/completion_tokens_details/reasoning_tokens");
    Some(Usage {
        input_tokens: prompt.map(|all| all.saturating_sub(cached.unwrap_or(0))),
        cached_input_tokens: cached,
        output_tokens: output.map(|all| all.saturating_sub(reasoning.unwrap_or(0))),
        reasoning_tokens: reasoning,
        window_used_tokens: prompt,
        ..Usage::default()
    })
}

/// The kind and the text of an error body, by the server's own words and the status code.
fn meaning(status: Option<u16>, body: &str) -> (FailureKind, String) {
    let parsed = wire::parse_object(body).unwrap_or_default();
    let text = |pointer: &str| wire::str_at(&parsed, pointer).map(str::to_owned);
    let said = text("/error/message").or_else(|| text("/error")).or_else(|| text("/message"));
    let code = text("/error/code").or_else(|| text("/error/type")).unwrap_or_default();
    let in_body = wire::u64_at(&parsed, "/error/code").and_then(|code| u16::try_from(code).ok());
    let status = status.or(in_body);
    let message = said.unwrap_or_else(|| match (body.trim(), status) {
        ("", Some(status)) => format!("The server answered with status {status}."),
        (body, _) => wire::one_line(body),
    });
    let words = format!("{code} {message}");
    let kind = if code == "model_not_found" { FailureKind::ModelUnknown } else { kind_of(status, &words) };
    (kind, message)
}

/// What a local Ollama would silently leave out of `text`; `None` when it fits or the server is another one.
///
/// Tokens are estimated: four ASCII characters a token, one of any other script.
fn window_warning(base_url: &str, text: &str) -> Option<String> {
    if !base_url.contains(OLLAMA_PORT) {
        return None;
    }
    let ascii = text.chars().filter(char::is_ascii).count();
    let tokens = ascii / 4 + (text.chars().count() - ascii);
    (tokens > OLLAMA_WINDOW_TOKENS).then(|| {
        let lost = tokens - OLLAMA_WINDOW_TOKENS;
        format!(
            "This request has about {tokens} tokens. Ollama keeps {OLLAMA_WINDOW_TOKENS} unless it was told \
             otherwise, and cuts the rest off in silence: about {lost} tokens from the beginning, where the context \
             stands. Start it with a larger OLLAMA_CONTEXT_LENGTH, or lower the context budget."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{FailureKind as K, meaning, url, window_warning};

    #[test]
    fn addresses() {
        for (base, wanted) in [
            ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/models"),
            ("http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1/models"),
            ("http://127.0.0.1:1234", "http://127.0.0.1:1234/v1/models"),
            ("https://host/api/v1/chat/completions", "https://host/api/v1/models"),
        ] {
            assert_eq!(url(base, "models"), wanted);
        }
    }

    #[test]
    fn error_bodies_are_told_apart() {
        for (status, body, kind, message) in [
            (
                Some(401),
                r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#,
                K::NotLoggedIn,
                "Incorrect API key provided",
            ),
            (
                Some(404),
                r#"{"error":{"message":"mock: error 404","code":"model_not_found"}}"#,
                K::ModelUnknown,
                "mock: error 404",
            ),
            (
                Some(404),
                r#"{"error":"model \"x\" not found, try pulling it first"}"#,
                K::ModelUnknown,
                "model \"x\" not found, try pulling it first",
            ),
            (
                Some(400),
                r#"{"error":{"message":"m","code":"context_length_exceeded"}}"#,
                K::PromptTooLong,
                "m",
            ),
            (
                Some(429),
                r#"{"error":{"message":"slow","code":"rate_limit_exceeded"}}"#,
                K::RateLimited,
                "slow",
            ),
            (Some(429), r#"{"error":{"message":"no","code":"insufficient_quota"}}"#, K::PlanLimit, "no"),
            (Some(503), "busy\nnow", K::Overloaded, "busy now"),
            (Some(500), "", K::Overloaded, "The server answered with status 500."),
            (
                None,
                r#"{"error":{"message":"mock: server overloaded","type":"server_error","code":503}}"#,
                K::Overloaded,
                "mock: server overloaded",
            ),
        ] {
            assert_eq!(meaning(status, body), (kind, message.to_owned()), "{body}");
        }
    }

    #[test]
    fn only_a_long_text_for_ollama_warns() {
        let long = "word ".repeat(10_000);
        assert!(
            window_warning("http://127.0.0.1:11434/v1", &long).is_some_and(|text| text.contains("12500"))
        );
        assert!(window_warning("http://127.0.0.1:11434/v1", "short").is_none());
        assert!(window_warning("http://127.0.0.1:1234/v1", &long).is_none());
        assert!(window_warning("http://127.0.0.1:11434/v1", &"한".repeat(5000)).is_some());
    }
}
