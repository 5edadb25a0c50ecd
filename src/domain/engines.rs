//! Engines: what there is, what was found, what the user set.

use crate::api::command::EngineCommand;
use crate::domain::effect::Effect;
use crate::domain::state::{AppState, EngineState};
use crate::domain::{Cx, endpoint_secret};
use crate::model::engine::{Availability, EngineId, EngineInfo, EngineLook, EngineStatus};
use crate::model::project::SeatChoice;
use crate::model::settings::Settings;
use crate::model::turn::LimitInfo;

impl AppState {
    /// The list changed; what was found before is kept for engines that stay.
    pub(in crate::domain) fn engines_listed(&mut self, infos: Vec<EngineInfo>) {
        let mut old = std::mem::take(&mut self.engines);
        self.engines = infos
            .into_iter()
            .map(|info| match old.iter().position(|state| state.info.id == info.id) {
                Some(place) => EngineState { info, ..old.swap_remove(place) },
                None => EngineState { status: unknown(&info.id), info, limits: Vec::new() },
            })
            .collect();
        self.dirty.engines = true;
    }

    pub(in crate::domain) fn discovered(
        &mut self,
        statuses: Vec<EngineStatus>,
        took_ms: u64,
        complete: bool,
    ) {
        for status in statuses {
            if let Some(engine) = self.engines.iter_mut().find(|engine| engine.info.id == status.id) {
                engine.status = status;
            }
        }
        if complete {
            self.status.discovering = false;
            self.status.discovery_ms = Some(took_ms);
            self.dirty.app = true;
        }
        self.dirty.engines = true;
    }

    pub(in crate::domain) fn engine_command(
        &mut self,
        command: EngineCommand,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        match command {
            EngineCommand::Rediscover => {
                self.status.discovering = true;
                self.dirty.app = true;
                self.checking(None);
                out.push(Effect::Discover { engine: None });
            }
            EngineCommand::Test { engine } => {
                self.checking(Some(&engine));
                out.push(Effect::Discover { engine: Some(engine) });
            }
            EngineCommand::SetPath { engine, path } => {
                self.engine_setting(engine, cx, out, |settings, id| {
                    settings.engines.entry(id).or_default().path = path;
                });
            }
            EngineCommand::SetBilling { engine, billing } => {
                self.engine_setting(engine, cx, out, |settings, id| {
                    settings.engines.entry(id).or_default().billing = billing;
                });
            }
            EngineCommand::SetModel { engine, model } => {
                let mut settings = Settings::clone(&self.settings);
                settings.engines.entry(engine).or_default().model = model.filter(|m| !m.trim().is_empty());
                self.take_settings(settings, cx, out);
            }
            EngineCommand::PutEndpoint { .. }
            | EngineCommand::RemoveEndpoint { .. }
            | EngineCommand::PutAcpAgent { .. }
            | EngineCommand::RemoveAcpAgent { .. } => self.added_engine_command(command, cx, out),
        }
    }

    fn added_engine_command(&mut self, command: EngineCommand, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        let mut settings = Settings::clone(&self.settings);
        let mut secret = None;
        let id = match command {
            EngineCommand::PutEndpoint { mut endpoint, key } => {
                if let Some(key) = key {
                    endpoint.has_key = !key.is_empty();
                    let value = endpoint.has_key.then_some(key);
                    secret = Some(Effect::StoreSecret { name: endpoint_secret(&endpoint.name), value });
                }
                settings.endpoints.retain(|old| old.name != endpoint.name);
                let id = EngineId::new(format!("openai:{}", endpoint.name));
                settings.endpoints.push(endpoint);
                Some(id)
            }
            EngineCommand::RemoveEndpoint { name } => {
                settings.endpoints.retain(|old| old.name != name);
                secret = Some(Effect::StoreSecret { name: endpoint_secret(&name), value: None });
                None
            }
            EngineCommand::PutAcpAgent { agent } => {
                settings.acp_agents.retain(|old| old.name != agent.name);
                let id = EngineId::new(format!("acp:{}", agent.name));
                settings.acp_agents.push(agent);
                Some(id)
            }
            EngineCommand::RemoveAcpAgent { name } => {
                settings.acp_agents.retain(|old| old.name != name);
                None
            }
            EngineCommand::Rediscover
            | EngineCommand::Test { .. }
            | EngineCommand::SetPath { .. }
            | EngineCommand::SetBilling { .. }
            | EngineCommand::SetModel { .. } => return,
        };
        if self.take_settings(settings, cx, out) {
            out.extend(secret);
            out.extend(id.map(|id| Effect::Discover { engine: Some(id) }));
        }
    }

    fn engine_setting(
        &mut self,
        engine: EngineId,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
        change: impl FnOnce(&mut Settings, EngineId),
    ) {
        let mut settings = Settings::clone(&self.settings);
        change(&mut settings, engine.clone());
        if self.take_settings(settings, cx, out) {
            self.checking(Some(&engine));
            out.push(Effect::Discover { engine: Some(engine) });
        }
    }

    fn checking(&mut self, engine: Option<&EngineId>) {
        for state in &mut self.engines {
            if engine.is_none_or(|id| &state.info.id == id) {
                state.status.availability = Availability::Checking;
            }
        }
        self.dirty.engines = true;
    }

    /// Newest per kind.
    pub(in crate::domain) fn limit(&mut self, engine: &EngineId, limit: LimitInfo) {
        let Some(state) = self.engines.iter_mut().find(|state| &state.info.id == engine) else { return };
        state.limits.retain(|old| old.kind != limit.kind);
        state.limits.push(limit);
        self.dirty.engines = true;
    }

    pub(in crate::domain) fn models(&mut self, engine: &EngineId, models: Vec<String>) {
        let Some(state) = self.engines.iter_mut().find(|state| &state.info.id == engine) else { return };
        if !models.is_empty() && state.status.models != models {
            state.status.models = models;
            self.dirty.engines = true;
        }
    }

    /// Who answers in a new conversation: as set, else the first agent that is ready, else the tour.
    pub(in crate::domain) fn default_seat(&self) -> SeatChoice {
        if let Some(seat) = &self.settings.default_seat
            && self.engines.iter().any(|engine| engine.info.id == seat.engine)
        {
            return seat.clone();
        }
        let ready = |state: &&EngineState| state.status.availability == Availability::Ready;
        let is_tour = |state: &&EngineState| state.info.look == EngineLook::Demo;
        let chosen = self
            .engines
            .iter()
            .filter(ready)
            .find(|state| !is_tour(state))
            .or_else(|| self.engines.iter().find(is_tour))
            .or_else(|| self.engines.first());
        let engine = chosen.map_or_else(|| EngineId::new("none"), |state| state.info.id.clone());
        self.seat_of(engine)
    }

    /// The engine with its default model.
    pub(in crate::domain) fn seat_of(&self, engine: EngineId) -> SeatChoice {
        let model = self.settings.engines.get(&engine).and_then(|set| set.model.clone());
        SeatChoice { model, ..SeatChoice::new(engine) }
    }
}

fn unknown(id: &EngineId) -> EngineStatus {
    EngineStatus {
        id: id.clone(),
        availability: Availability::Checking,
        version: None,
        path: None,
        found_by: None,
        login: None,
        billing: crate::model::engine::Billing::default(),
        models: Vec::new(),
    }
}
