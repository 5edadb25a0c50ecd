//! Settings: checked as a whole; a bad value says why and nothing is taken.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::api::command::SettingsCommand;
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::salvage::salvage;
use crate::domain::state::AppState;
use crate::model::record::StoreWrite;
use crate::model::settings::{
    BUDGET_CHARS_MAX, BUDGET_CHARS_MIN, KeyOverrides, PROFILE_NAME_CHARS_MAX, Settings,
};

/// Name under which all settings are kept.
const NAME: &str = "settings";
/// Name under which settings stay that could not be read whole, for a repair by hand.
const PUT_BY: &str = "settings_put_by";
const PROFILES_MAX: usize = 200;

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

    /// Reads what is kept; what cannot be read is told, takes its default, and is put by under [`PUT_BY`].
    pub(in crate::domain) fn load_settings(
        &mut self,
        kept: &[(String, String)],
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let Some((_, json)) = kept.iter().find(|(name, _)| name == NAME) else { return };
        match serde_json::from_str::<Settings>(json) {
            Ok(settings) if check(&settings).is_ok() => self.settings = Arc::new(settings),
            _ => self.salvage_settings(json, cx, out),
        }
        self.dirty.settings = true;
    }

    fn salvage_settings(&mut self, json: &str, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        match salvage(json, check) {
            Ok((settings, left_out)) => {
                self.settings = Arc::new(settings);
                let body =
                    format!("What is stored there cannot be used: {}. Set it anew.", left_out.join(", "));
                self.trouble("Some settings were reset".into(), body, cx);
            }
            Err(error) => {
                let body = format!("The stored settings cannot be read ({error}). Defaults are used.");
                self.trouble("Settings were reset".into(), body, cx);
            }
        }
        if !self.looks_only {
            self.write(vec![StoreWrite::PutSetting { name: PUT_BY.into(), json: json.to_owned() }], out);
        }
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
    check_profiles(settings)?;
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

fn check_profiles(settings: &Settings) -> Result<(), String> {
    if settings.profiles.len() > PROFILES_MAX {
        return Err(format!("There can be at most {PROFILES_MAX} profiles."));
    }
    let mut names = BTreeSet::new();
    for profile in &settings.profiles {
        let name = profile.name.trim();
        if name.is_empty() {
            return Err("A profile needs a name.".into());
        }
        if name.chars().count() > PROFILE_NAME_CHARS_MAX || name.chars().any(char::is_control) {
            return Err(format!(
                "The name of a profile is one line of at most {PROFILE_NAME_CHARS_MAX} characters."
            ));
        }
        if !names.insert(name.to_lowercase()) {
            return Err(format!("There is already a profile named {name}."));
        }
        if !profile.engine.is_well_formed() {
            return Err(format!("The profile {name} names no engine: {} cannot be one.", profile.engine));
        }
    }
    Ok(())
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
    use crate::model::engine::EngineId;
    use crate::model::pack::Supply;
    use crate::model::project::SeatChoice;
    use crate::model::settings::{Endpoint, Profile};

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

    fn profile(name: &str, engine: &str) -> Profile {
        Profile {
            name: name.into(),
            engine: EngineId::new(engine),
            model: Some("m".into()),
            role: Some("Reviewer".into()),
            persona: None,
            mode: None,
            supply: Supply::Pull,
        }
    }

    #[test]
    fn profiles_have_names_of_their_own_and_an_engine() {
        let with = |profiles: Vec<Profile>| check(&Settings { profiles, ..Settings::default() });
        let long = "가".repeat(61);
        let cases: [(Vec<Profile>, Option<&str>); 8] = [
            (vec![profile("A", "acp:x"), profile("B", "demo")], None),
            (vec![profile(&"가".repeat(60), "demo")], None),
            (vec![profile(" ", "demo")], Some("needs a name")),
            (vec![profile(&long, "demo")], Some("at most 60")),
            (vec![profile("a\nb", "demo")], Some("one line")),
            (vec![profile("A", "demo"), profile(" a", "demo")], Some("already a profile named a")),
            (vec![profile("A", "no engine")], Some("names no engine")),
            (vec![profile("A", "")], Some("names no engine")),
        ];
        for (profiles, why) in cases {
            let told = with(profiles).err();
            match why {
                None => assert_eq!(told, None),
                Some(why) => assert!(told.as_deref().is_some_and(|told| told.contains(why)), "{told:?}"),
            }
        }
    }

    #[test]
    fn only_what_a_profile_says_bears_its_name() {
        let settings = Settings { profiles: vec![profile("Strict", "demo")], ..Settings::default() };
        let seat = settings.profile(" strict").unwrap().seat();
        assert_eq!(seat.profile.as_deref(), Some("Strict"));
        assert_eq!(settings.truly_named(seat.clone()), seat);
        let other = SeatChoice { role: None, ..seat.clone() };
        assert_eq!(settings.truly_named(other.clone()), SeatChoice { profile: None, ..other });
        assert_eq!(Settings::default().truly_named(seat.clone()).profile, None);
        // As an older version wrote it, and as a newer one reads it.
        let old: SeatChoice = serde_json::from_str(r#"{"engine":"demo","model":null}"#).unwrap();
        assert_eq!(old, SeatChoice::new(EngineId::new("demo")));
        let old: Profile = serde_json::from_str(r#"{"name":"A","engine":"demo"}"#).unwrap();
        assert_eq!((old.supply, old.model), (Supply::Hybrid, None));
    }
}
