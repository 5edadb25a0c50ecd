//! From the first answer of the agent to an open session with the wanted model.

use std::time::Duration;

use serde_json::{Value, json};

use crate::engine::acp::{AcpDialect, AcpResume, Call, PROTOCOL_VERSION, Stage};
use crate::engine::{SeatOutput, TimerId};
use crate::model::message::NoticeLevel;
use crate::model::turn::{FailureKind, TurnEvent};

/// After a resumed session a replay counts as over when nothing came for so long.
const REPLAY_QUIET: Duration = Duration::from_millis(300);

impl AcpDialect {
    pub(super) fn initialized(&mut self, result: &Value, out: &mut SeatOutput) {
        match result.get("protocolVersion").and_then(Value::as_i64) {
            Some(PROTOCOL_VERSION) => {}
            told => {
                let told = told.map_or_else(|| "none".to_owned(), |version| version.to_string());
                return self
                    .broken(&format!("it speaks protocol version {told}, not {PROTOCOL_VERSION}"), out);
            }
        }
        self.can_load = result["agentCapabilities"]["loadSession"].as_bool() == Some(true);
        let cwd = self.seat.cwd.to_string_lossy().into_owned();
        if let Some(fork) = self.seat.fork.clone() {
            let offered = result["agentCapabilities"]["sessionCapabilities"]["fork"].is_object();
            // Which id an agent takes for a point is not known: some copy all when they do not know it.
            if !self.profile.fork || !offered || fork.point.is_some() {
                return self.fail(self.failure(FailureKind::SessionLost, "It cannot fork a session."), out);
            }
            let params = json!({"sessionId": fork.session, "cwd": cwd, "mcpServers": []});
            return self.call(Call::ForkSession, "session/fork", &params, out);
        }
        let Some(session) = self.seat.resume.clone() else {
            return self.call(Call::NewSession, "session/new", &json!({"cwd": cwd, "mcpServers": []}), out);
        };
        if self.profile.resume == AcpResume::Never || !self.can_load {
            return self
                .fail(self.failure(FailureKind::SessionLost, "It cannot take up an earlier session."), out);
        }
        let params = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
        self.call(Call::LoadSession, "session/load", &params, out);
    }

    /// A session is open: learn its models, and set the wanted one.
    pub(super) fn opened(&mut self, result: &Value, out: &mut SeatOutput) {
        let offer = ModelOffer::read(result);
        if !offer.models.is_empty() && self.turn.is_some() {
            out.events.push(TurnEvent::Models(offer.models.clone()));
        }
        self.model = offer.current.clone().or_else(|| self.seat.model.clone());
        let wanted = self.seat.model.clone().filter(|wanted| Some(wanted) != offer.current.as_ref());
        match (wanted, offer.by_option, self.profile.model_by_launch) {
            (None, _, _) => self.settle(out),
            (Some(_), _, true) => {
                self.model.clone_from(&self.seat.model);
                self.settle(out);
            }
            (Some(model), true, false) => {
                let params = json!({"sessionId": self.session, "configId": "model", "value": model});
                self.call(Call::SetModel, "session/set_config_option", &params, out);
            }
            (Some(model), false, false) if !offer.models.is_empty() => {
                let params = json!({"sessionId": self.session, "modelId": model});
                self.call(Call::SetModel, "session/set_model", &params, out);
            }
            (Some(model), false, false) => {
                let text = format!("This agent does not let its host choose a model; `{model}` was not set.");
                if self.turn.is_some() {
                    out.events.push(TurnEvent::Notice { level: NoticeLevel::Warn, text });
                }
                self.settle(out);
            }
        }
    }

    /// Everything is set; sends what waited, at once or when a late replay is over.
    pub(super) fn settle(&mut self, out: &mut SeatOutput) {
        if self.seat.resume.is_some() && self.profile.resume == AcpResume::LoadIfOffered {
            self.stage = Stage::Replaying;
            self.wait_for_quiet(out);
        } else {
            self.ready(out);
        }
    }

    pub(super) fn wait_for_quiet(&mut self, out: &mut SeatOutput) {
        self.quiet += 1;
        out.timers.push((TimerId(self.quiet), REPLAY_QUIET));
    }

    pub(super) fn ready(&mut self, out: &mut SeatOutput) {
        self.stage = Stage::Ready;
        if let Some(text) = self.waiting.take() {
            self.say_started(out);
            self.prompt(&text, out);
        }
    }
}

/// The models of a session, in either of the two shapes agents use.
struct ModelOffer {
    models: Vec<String>,
    current: Option<String>,
    /// Set by `session/set_config_option`, not by `session/set_model`.
    by_option: bool,
}

impl ModelOffer {
    fn read(result: &Value) -> Self {
        let list = |values: &Value, field: &str| -> Vec<String> {
            let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
            values.iter().filter_map(|value| value.get(field)?.as_str().map(str::to_owned)).collect()
        };
        let options = result.get("configOptions").and_then(Value::as_array);
        let option = options.and_then(|all| all.iter().find(|option| option["id"] == "model"));
        if let Some(option) = option {
            return Self {
                models: list(&option["options"], "value"),
                current: option["currentValue"].as_str().map(str::to_owned),
                by_option: true,
            };
        }
        let models = &result["models"];
        Self {
            models: list(&models["availableModels"], "modelId"),
            current: models["currentModelId"].as_str().map(str::to_owned),
            by_option: false,
        }
    }
}
