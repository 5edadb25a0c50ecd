//! What the user can set. Stored as JSON values by name; unknown names are kept, missing ones take the default.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::model::engine::{Billing, EngineId};
use crate::model::pack::{Mode, Supply};
use crate::model::project::SeatChoice;

/// Smallest, default and largest pack budget, in characters.
pub const BUDGET_CHARS_MIN: u32 = 20_000;
pub const BUDGET_CHARS_DEFAULT: u32 = 60_000;
pub const BUDGET_CHARS_MAX: u32 = 400_000;

/// All settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub theme: ThemeChoice,
    /// Zoom of the whole window in percent, 80–200.
    pub zoom_percent: u32,
    /// Enter sends and Shift+Enter breaks the line; off = the other way round (with Ctrl/⌘+Enter sending).
    pub enter_sends: bool,
    pub reduced_motion: bool,
    /// Keys of commands that are not the ones they come with.
    pub keys: KeyOverrides,
    pub budget_chars: u32,
    /// Engine, model, role for new conversations; `None` = the first ready engine.
    pub default_seat: Option<SeatChoice>,
    /// Seats kept under a name, in the user's order.
    pub profiles: Vec<Profile>,
    pub engines: BTreeMap<EngineId, EngineSettings>,
    /// OpenAI-style servers.
    pub endpoints: Vec<Endpoint>,
    /// Other ACP agents.
    pub acp_agents: Vec<AcpAgent>,
    /// Engine processes kept between turns, at most. 0 = none.
    pub warm_seats_max: u32,
    /// How long an unused engine process is kept.
    pub warm_idle_secs: u32,
    /// A turn without any sign of life for so long is called timed out.
    pub turn_idle_timeout_secs: u32,
    pub notify_done: bool,
    pub notify_failed: bool,
    pub notify_needs_you: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::System,
            zoom_percent: 100,
            enter_sends: true,
            reduced_motion: false,
            keys: KeyOverrides::default(),
            budget_chars: BUDGET_CHARS_DEFAULT,
            default_seat: None,
            profiles: Vec::new(),
            engines: BTreeMap::new(),
            endpoints: Vec::new(),
            acp_agents: Vec::new(),
            warm_seats_max: 4,
            warm_idle_secs: 600,
            turn_idle_timeout_secs: 300,
            notify_done: true,
            notify_failed: true,
            notify_needs_you: true,
        }
    }
}

impl Settings {
    /// The profile of that name, whatever its case.
    pub fn profile(&self, name: &str) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.is_named(name))
    }

    /// The seat without the name of a profile that it is not, or not any more.
    #[must_use]
    pub fn truly_named(&self, seat: SeatChoice) -> SeatChoice {
        let named = seat.profile.as_deref().and_then(|name| self.profile(name));
        let profile = named.filter(|profile| {
            SeatChoice { profile: None, ..profile.seat() } == SeatChoice { profile: None, ..seat.clone() }
        });
        SeatChoice { profile: profile.map(|profile| profile.name.clone()), ..seat }
    }
}

/// Light, dark, or as the system says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThemeChoice {
    #[default]
    System,
    Light,
    Dark,
}

/// A seat kept under a name: who answers, in what role and manner, and with how much context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Unique whatever its case; 1 to [`PROFILE_NAME_CHARS_MAX`] characters.
    pub name: String,
    pub engine: EngineId,
    /// `None` = the engine's own default.
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub role: Option<String>,
    /// As [`SeatChoice::persona`].
    #[serde(default)]
    pub persona: Option<String>,
    /// `None` = decided by rule.
    #[serde(default)]
    pub mode: Option<Mode>,
    #[serde(default)]
    pub supply: Supply,
}

/// Longest name of a profile, in characters.
pub const PROFILE_NAME_CHARS_MAX: usize = 60;

impl Profile {
    /// The seat it stands for.
    pub fn seat(&self) -> SeatChoice {
        SeatChoice {
            engine: self.engine.clone(),
            model: self.model.clone(),
            role: self.role.clone(),
            persona: self.persona.clone(),
            mode: self.mode,
            supply: self.supply,
            profile: Some(self.name.clone()),
        }
    }

    /// True when `word` names it, whatever its case.
    pub fn is_named(&self, word: &str) -> bool {
        self.name.trim().to_lowercase() == word.trim().to_lowercase()
    }
}

/// What the user set for one engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineSettings {
    /// Path set by hand: a program, or the folder it lies in.
    pub path: Option<PathBuf>,
    pub billing: Billing,
    /// Model for new conversations with this engine.
    pub model: Option<String>,
}

/// An OpenAI-style server. Its key, if any, is a secret and lives apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// Unique; the engine id is `openai:<name>`.
    pub name: String,
    /// e.g. `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    pub model: String,
    #[serde(default)]
    pub has_key: bool,
}

/// Any other agent that speaks ACP on standard input and output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcpAgent {
    /// Unique; the engine id is `acp:<name>`.
    pub name: String,
    pub command: String,
    #[serde(default)]
    pub args: Vec<String>,
}

/// Keys chosen for commands: the command's stable name and its combinations, such as `"archive": ["Ctrl+E"]`.
///
/// An empty list means no key. Names and combinations that this version does not know, and values of another
/// shape, are kept as they are, so that they cost no other setting; who reads them leaves them out and says so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct KeyOverrides(BTreeMap<String, Value>);

/// Name under which something is kept that is no list of commands at all.
const UNNAMED: &str = "?";

impl KeyOverrides {
    /// Most combinations of one command.
    pub const CHORDS_MAX: usize = 8;
    /// Longest text of one combination, in characters.
    pub const CHORD_MAX_CHARS: usize = 60;

    /// Nothing is chosen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every name with what is kept for it, by name.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// What is kept for a command.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Chooses the combinations of a command; an empty list takes its keys away.
    pub fn set(&mut self, name: &str, chords: Vec<String>) {
        self.0.insert(name.to_owned(), Value::from(chords));
    }

    /// Forgets what is kept for a command.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Whether a value is a list of texts of a sane length, as [`Self::set`] writes it.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check(name: &str, value: &Value) -> Result<(), String> {
        let wrong = || format!("The keys of {name} must be a list of texts such as [\"Ctrl+E\"].");
        let list = value.as_array().ok_or_else(wrong)?;
        if list.len() > Self::CHORDS_MAX {
            return Err(format!("{name} can have {} keys at most.", Self::CHORDS_MAX));
        }
        let sound =
            |chord: &Value| chord.as_str().is_some_and(|text| text.chars().count() <= Self::CHORD_MAX_CHARS);
        if list.iter().all(sound) { Ok(()) } else { Err(wrong()) }
    }
}

impl<'de> Deserialize<'de> for KeyOverrides {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        Ok(match Value::deserialize(source)? {
            Value::Object(fields) => Self(fields.into_iter().collect()),
            Value::Null => Self::default(),
            other => Self(BTreeMap::from([(UNNAMED.to_owned(), other)])),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_any_shape_cost_no_other_setting() {
        for keys in ["5", "null", "[1]", r#"{"archive":7,"new":["Ctrl+"],"x":["Ctrl+E"],"y":[]}"#] {
            let json = format!("{{\"zoom_percent\":150,\"keys\":{keys}}}");
            let settings: Settings = serde_json::from_str(&json).unwrap();
            assert_eq!(settings.zoom_percent, 150, "{keys}");
            let again: Settings = serde_json::from_str(&serde_json::to_string(&settings).unwrap()).unwrap();
            assert_eq!(again, settings, "{keys}");
        }
    }

    #[test]
    fn a_list_of_short_texts_is_sound() {
        let long = format!("[\"{}\"]", "x".repeat(61));
        let many = format!("[{}]", ["\"F5\""; 9].join(","));
        for (json, sound) in [
            ("[]", true),
            ("[\"Ctrl+E\",\"F5\"]", true),
            ("\"Ctrl+E\"", false),
            ("[1]", false),
            ("{}", false),
            (long.as_str(), false),
            (many.as_str(), false),
        ] {
            let value: Value = serde_json::from_str(json).unwrap();
            assert_eq!(KeyOverrides::check("archive", &value).is_ok(), sound, "{json}");
        }
    }
}
