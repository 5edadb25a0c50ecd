//! Settings: checked as a whole; a bad value says why and nothing is taken.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::api::command::SettingsCommand;
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::state::AppState;
use crate::model::record::StoreWrite;
use crate::model::settings::{BUDGET_CHARS_MAX, BUDGET_CHARS_MIN, KeyOverrides, Settings};

/// Name under which all settings are kept.
const NAME: &str = "settings";

impl AppState {
    pub(in crate::domain) fn settings_command(
        &mut self,
        command: SettingsCommand,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let SettingsCommand::Set(settings) = command;
        self.take_settings(*settings, cx, out);
    }

    /// Takes the settings if they are sound. True when taken.
    pub(in crate::domain) fn take_settings(
        &mut self,
        settings: Settings,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) -> bool {
        if let Err(why) = check(&settings).and_then(|()| check_keys(&settings.keys, &self.settings.keys)) {
            self.trouble("The setting was not taken".into(), why, cx);
            return false;
        }
        match serde_json::to_string(&settings) {
            Ok(json) => self.write(vec![StoreWrite::PutSetting { name: NAME.into(), json }], out),
            Err(error) => self.trouble("The settings cannot be saved".into(), error.to_string(), cx),
        }
        out.push(Effect::ApplySettings(Box::new(settings.clone())));
        self.settings = Arc::new(settings);
        self.dirty.settings = true;
        true
    }

    /// Reads what is kept; what cannot be read is told and takes its default.
    pub(in crate::domain) fn load_settings(&mut self, kept: &[(String, String)], cx: &mut Cx<'_>) {
        let Some((_, json)) = kept.iter().find(|(name, _)| name == NAME) else { return };
        match serde_json::from_str::<Settings>(json) {
            Ok(settings) if check(&settings).is_ok() => self.settings = Arc::new(settings),
            Ok(_) => {
                self.trouble("Settings were reset".into(), "A stored value was out of range.".into(), cx);
            }
            Err(error) => {
                let body = format!("The stored settings cannot be read ({error}). Defaults are used.");
                self.trouble("Settings were reset".into(), body, cx);
            }
        }
        self.dirty.settings = true;
    }
}

fn check(settings: &Settings) -> Result<(), String> {
    if !(BUDGET_CHARS_MIN..=BUDGET_CHARS_MAX).contains(&settings.budget_chars) {
        return Err(format!(
            "The context budget must lie between {BUDGET_CHARS_MIN} and {BUDGET_CHARS_MAX} characters; {} was given.",
            settings.budget_chars
        ));
    }
    if !(80..=200).contains(&settings.zoom_percent) {
        return Err(format!("The zoom must lie between 80 and 200 %; {} was given.", settings.zoom_percent));
    }
    if settings.warm_seats_max > 32 {
        return Err(format!(
            "At most 32 engine processes can be kept; {} was given.",
            settings.warm_seats_max
        ));
    }
    if settings.turn_idle_timeout_secs < 10 {
        return Err("The idle limit of a turn must be at least 10 seconds.".into());
    }
    check_endpoints(settings)?;
    check_agents(settings)
}

/// Only what is new is looked at: what was kept from elsewhere stays as it is.
fn check_keys(wanted: &KeyOverrides, kept: &KeyOverrides) -> Result<(), String> {
    wanted
        .entries()
        .filter(|(name, value)| kept.get(name) != Some(*value))
        .try_for_each(|(name, value)| KeyOverrides::check(name, value))
}

fn check_endpoints(settings: &Settings) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for endpoint in &settings.endpoints {
        if endpoint.name.trim().is_empty() {
            return Err("A server needs a name.".into());
        }
        if !names.insert(&endpoint.name) {
            return Err(format!("There is already a server named {}.", endpoint.name));
        }
        let url = endpoint.base_url.trim();
        if !(url.starts_with("http://") || url.starts_with("https://")) {
            return Err(format!("The address of {} must start with http:// or https://.", endpoint.name));
        }
    }
    Ok(())
}

fn check_agents(settings: &Settings) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for agent in &settings.acp_agents {
        if agent.name.trim().is_empty() || agent.command.trim().is_empty() {
            return Err("An agent needs a name and a command.".into());
        }
        if !names.insert(&agent.name) {
            return Err(format!("There is already an agent named {}.", agent.name));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::settings::Endpoint;

    #[test]
    fn bad_values_are_named() {
        let with = |change: &dyn Fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            check(&settings)
        };
        assert_eq!(with(&|_| {}), Ok(()));
        assert!(with(&|s| s.budget_chars = 10).unwrap_err().contains("20000"));
        assert!(with(&|s| s.zoom_percent = 500).unwrap_err().contains("zoom"));
        assert!(with(&|s| s.turn_idle_timeout_secs = 0).unwrap_err().contains("10 seconds"));
        let endpoint = |name: &str, url: &str| Endpoint {
            name: name.into(),
            base_url: url.into(),
            model: "m".into(),
            has_key: false,
        };
        assert!(with(&|s| s.endpoints = vec![endpoint("a", "ftp://x")]).unwrap_err().contains("http"));
        let twice = || vec![endpoint("a", "http://x"), endpoint("a", "http://y")];
        assert!(with(&|s| s.endpoints = twice()).unwrap_err().contains("already"));
    }
}
