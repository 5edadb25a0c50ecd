use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use egui::{Event, Key, Modifiers};
use serde_json::Value;

use crate::model::settings::KeyOverrides;
use crate::ui::action::UiAction;

use super::chord::{Chord, Platform};
use super::names::name;
use super::rules::{self, Refusal};

/// Which keys run which command, with what is wrong about the choices.
#[derive(Debug)]
pub struct KeyMap {
    pub platform: Platform,
    /// Every command, in the order of lists.
    pub rows: Vec<Row>,
    /// What is stored and not understood.
    pub unread: Vec<Unread>,
    active: HashMap<Chord, UiAction>,
}

/// A command's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub action: UiAction,
    pub chords: Vec<Held>,
    /// They are not the ones it comes with.
    pub changed: bool,
}

/// One combination of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub chord: Chord,
    /// Why it does not run the command.
    pub problem: Option<Problem>,
}

/// Why a combination does not run its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It runs this one.
    Taken(UiAction),
    /// It can run none.
    Refused(Refusal),
}

/// Something stored that this version does not know. It stays stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Name of the command as stored.
    pub name: String,
    /// What is wrong, for the user.
    pub why: String,
}

/// Longest piece of a stored value that is shown, in characters.
const SHOWN_CHARS: usize = 40;

impl KeyMap {
    /// The map from what was chosen. A chosen key beats one that a command comes with; of two chosen for the
    /// same combination the first command of the list has it.
    #[must_use]
    pub fn of(chosen: &KeyOverrides, platform: Platform) -> Self {
        let mut unread = Vec::new();
        let all = UiAction::all();
        let mut rows: Vec<Row> = all.iter().map(|action| row(*action, chosen, &mut unread)).collect();
        for (stored, _) in chosen.entries() {
            if all.iter().all(|action| name(*action) != stored) {
                unread.push(Unread { name: stored.to_owned(), why: "there is no such command".to_owned() });
            }
        }
        let mut active = HashMap::new();
        for changed in [true, false] {
            for row in rows.iter_mut().filter(|row| row.changed == changed) {
                for held in &mut row.chords {
                    held.problem = claim(&mut active, held.chord, row.action, platform);
                }
            }
        }
        Self { platform, rows, unread, active }
    }

    /// The keys that commands come with, on this system.
    #[must_use]
    pub fn standard() -> Arc<Self> {
        static STANDARD: LazyLock<Arc<KeyMap>> =
            LazyLock::new(|| Arc::new(KeyMap::of(&KeyOverrides::default(), Platform::HERE)));
        Arc::clone(&STANDARD)
    }

    /// A command's keys.
    #[must_use]
    pub fn row(&self, action: UiAction) -> Option<&Row> {
        self.rows.iter().find(|row| row.action == action)
    }

    /// The first key that runs a command, as shown: `Ctrl K`. Empty when there is none.
    #[must_use]
    pub fn shown(&self, action: UiAction) -> String {
        self.row(action)
            .and_then(|row| row.chords.iter().find(|held| held.problem.is_none()))
            .map_or_else(String::new, |held| held.chord.shown(self.platform))
    }

    /// The command that a combination runs.
    #[must_use]
    pub fn owner(&self, chord: Chord) -> Option<UiAction> {
        self.active.get(&chord).copied()
    }

    /// The command that a press runs. Signs and digits also count without the Shift they need on some keyboards.
    #[must_use]
    pub fn find(&self, modifiers: Modifiers, key: Key) -> Option<UiAction> {
        let chord = Chord::of_press(modifiers, key, self.platform);
        self.owner(chord).or_else(|| self.owner(chord.unshifted()?))
    }

    /// Every combination that does not run its command, in the order of lists.
    pub fn conflicts(&self) -> impl Iterator<Item = (UiAction, Held)> {
        self.rows
            .iter()
            .flat_map(|row| row.chords.iter().map(|held| (row.action, *held)))
            .filter(|(_, held)| held.problem.is_some())
    }

    /// How many commands have other keys than they come with.
    #[must_use]
    pub fn changed(&self) -> usize {
        self.rows.iter().filter(|row| row.changed).count()
    }
}

fn claim(
    active: &mut HashMap<Chord, UiAction>,
    chord: Chord,
    action: UiAction,
    platform: Platform,
) -> Option<Problem> {
    if let Some(refusal) = rules::refusal(chord, platform) {
        return Some(Problem::Refused(refusal));
    }
    let owner = *active.entry(chord).or_insert(action);
    (owner != action).then_some(Problem::Taken(owner))
}

fn row(action: UiAction, chosen: &KeyOverrides, unread: &mut Vec<Unread>) -> Row {
    let standard = || action.standard_keys();
    let stored = name(action);
    let (mut chords, changed) = match chosen.get(&stored) {
        None => (standard(), false),
        Some(value) => match read(&stored, value, unread) {
            Some(chords) => {
                let changed = chords != standard();
                (chords, changed)
            }
            None => (standard(), false),
        },
    };
    let mut seen = Vec::new();
    chords.retain(|chord| {
        let first = !seen.contains(chord);
        seen.push(*chord);
        first
    });
    let chords = chords.into_iter().map(|chord| Held { chord, problem: None }).collect();
    Row { action, chords, changed }
}

/// The combinations of a stored value; `None` when nothing of it can be used.
fn read(stored: &str, value: &Value, unread: &mut Vec<Unread>) -> Option<Vec<Chord>> {
    let mut say = |why: String| unread.push(Unread { name: stored.to_owned(), why });
    let list = match value {
        Value::Array(list) => list.as_slice(),
        Value::String(_) => std::slice::from_ref(value),
        _ => {
            say(format!("{} is no list of keys", short(&value.to_string())));
            return None;
        }
    };
    let mut chords = Vec::new();
    for each in list {
        match each.as_str().map(Chord::parse) {
            Some(Ok(chord)) => chords.push(chord),
            Some(Err(why)) => say(format!("{}: {why}", short(&each.to_string()))),
            None => say(format!("{} is no key", short(&each.to_string()))),
        }
    }
    (list.is_empty() || !chords.is_empty()).then_some(chords)
}

fn short(text: &str) -> String {
    if text.chars().count() <= SHOWN_CHARS {
        return text.to_owned();
    }
    text.chars().take(SHOWN_CHARS).chain(std::iter::once('…')).collect()
}

/// Takes the command whose keys were pressed out of the input, if any.
pub fn pressed(ctx: &egui::Context, map: &KeyMap) -> Option<UiAction> {
    let hit = |event: &Event| match event {
        Event::Key { key, pressed: true, modifiers, .. } => map.find(*modifiers, *key),
        _ => None,
    };
    ctx.input_mut(|input| {
        let found = input.events.iter().find_map(hit)?;
        input.events.retain(|event| hit(event) != Some(found));
        Some(found)
    })
}
