//! All engines, in the order the window shows them: one line each.

use std::sync::Arc;

use crate::engine::Engine;
use crate::engine::claude::Claude;
use crate::engine::codex::Codex;
use crate::model::engine::EngineId;
use crate::model::settings::Settings;

/// Every engine that there is with these settings. Ids are unique: of two with the same id, the first stays.
pub fn builtin(settings: &Settings) -> Vec<Arc<dyn Engine>> {
    let mut engines: Vec<Arc<dyn Engine>> = vec![Arc::new(Claude::new()), Arc::new(Codex::new())];
    let (endpoints, acp_agents) = (&settings.endpoints, &settings.acp_agents);
    engines.reserve(endpoints.len() + acp_agents.len());
    let mut seen = std::collections::HashSet::new();
    engines.retain(|engine| seen.insert(engine.info().id.clone()));
    engines
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
