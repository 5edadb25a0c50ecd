//! All engines, in the order the window shows them: one line each.

use std::sync::Arc;

use crate::engine::claude::Claude;
use crate::engine::codex::Codex;
use crate::engine::{Engine, acp, demo, gemini, openai_compat, opencode, script};
use crate::model::engine::EngineId;
use crate::model::settings::Settings;

/// Every engine that there is with these settings. Ids are unique: of two with the same id, the first stays.
pub fn builtin(settings: &Settings) -> Vec<Arc<dyn Engine>> {
    let mut engines: Vec<Arc<dyn Engine>> =
        vec![Arc::new(Claude::new()), Arc::new(Codex::new()), gemini::engine(), opencode::engine()];
    engines.extend(settings.endpoints.iter().map(openai_compat::engine));
    engines.extend(settings.acp_agents.iter().map(acp::agent));
    engines.push(demo::engine());
    let mut seen = std::collections::HashSet::new();
    engines.retain(|engine| seen.insert(engine.info().id.clone()));
    engines
}

/// The engine behind `script:<file>`; `None` for any other id. Reads the file once, here; one that cannot be
/// read gives an engine that says so when a turn is started.
pub fn script(id: &EngineId) -> Option<Arc<dyn Engine>> {
    let path = id.as_str().strip_prefix("script:")?;
    Some(match std::fs::read_to_string(path) {
        Ok(content) => script::engine(path, &content),
        Err(error) => script::unreadable(path, &error.to_string()),
    })
}

/// The engine of this id among them.
pub fn find(engines: &[Arc<dyn Engine>], id: &EngineId) -> Option<Arc<dyn Engine>> {
    engines.iter().find(|engine| engine.info().id == *id).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_every_engine_says_how_to_get_it() {
        let engines = builtin(&Settings::default());
        let mut ids: Vec<EngineId> = engines.iter().map(|engine| engine.info().id.clone()).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), engines.len());
        for engine in &engines {
            let info = engine.info();
            assert!(!info.name.is_empty() && find(&engines, &info.id).is_some());
            assert!(info.programs.is_empty() || !info.install_hint.is_empty(), "{}", info.name);
        }
    }
}
