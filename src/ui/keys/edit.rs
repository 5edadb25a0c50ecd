//! Changes to the chosen keys. Pure: choices in, choices out.

use crate::model::settings::KeyOverrides;
use crate::ui::action::UiAction;

use super::chord::Chord;
use super::map::KeyMap;
use super::names::name;

/// Gives a command a key in place of the one at `slot`, or one more. Another command that has it loses it.
pub fn assign(chosen: &mut KeyOverrides, map: &KeyMap, action: UiAction, slot: Option<usize>, chord: Chord) {
    for row in map.rows.iter().filter(|row| row.action != action) {
        if row.chords.iter().any(|held| held.chord == chord) {
            let rest = row.chords.iter().map(|held| held.chord).filter(|other| *other != chord);
            put(chosen, row.action, rest.collect());
        }
    }
    let mut chords = chords(map, action);
    let was = chords.iter().position(|other| *other == chord);
    match (was, slot.filter(|slot| *slot < chords.len())) {
        (Some(_), None) => {}
        (Some(was), Some(slot)) if was == slot => {}
        (Some(_), Some(slot)) => {
            chords.remove(slot);
        }
        (None, Some(slot)) => chords.iter_mut().skip(slot).take(1).for_each(|old| *old = chord),
        (None, None) => chords.push(chord),
    }
    chords.truncate(KeyOverrides::CHORDS_MAX);
    put(chosen, action, chords);
}

/// Takes the key at `slot` away from a command.
pub fn clear(chosen: &mut KeyOverrides, map: &KeyMap, action: UiAction, slot: usize) {
    let mut chords = chords(map, action);
    if slot < chords.len() {
        chords.remove(slot);
        put(chosen, action, chords);
    }
}

/// Gives a command the keys back that it comes with.
pub fn reset(chosen: &mut KeyOverrides, action: UiAction) {
    chosen.remove(&name(action));
}

/// Gives every command its keys back; what is stored for commands of other versions stays.
pub fn reset_all(chosen: &mut KeyOverrides) {
    for action in UiAction::all() {
        reset(chosen, action);
    }
}

/// Forgets what is stored and not understood. A command keeps what of its keys is.
pub fn forget_unread(chosen: &mut KeyOverrides, map: &KeyMap) {
    for unread in &map.unread {
        match map.rows.iter().find(|row| name(row.action) == unread.name) {
            Some(row) => put(chosen, row.action, row.chords.iter().map(|held| held.chord).collect()),
            None => chosen.remove(&unread.name),
        }
    }
}

fn chords(map: &KeyMap, action: UiAction) -> Vec<Chord> {
    map.row(action).map(|row| row.chords.iter().map(|held| held.chord).collect()).unwrap_or_default()
}

fn put(chosen: &mut KeyOverrides, action: UiAction, chords: Vec<Chord>) {
    if chords == action.standard_keys() {
        chosen.remove(&name(action));
    } else {
        chosen.set(&name(action), chords.into_iter().map(Chord::text).collect());
    }
}
