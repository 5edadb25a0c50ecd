use std::fmt;

use egui::{Key, Modifiers};

use super::chord::{self, Chord, Platform};

/// Why a combination cannot run a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It types something; the word says which modifiers would make it a combination.
    Types(&'static str),
    /// Alone it moves or scrolls; the word says which modifiers would make it a combination.
    Moves(&'static str),
    /// It always does this.
    Fixed(&'static str),
    /// The system keeps it.
    System,
    /// There is no such key on this system.
    OtherSystem,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Types(with) => write!(out, "types text. Hold {with} with it."),
            Self::Moves(with) => write!(out, "moves in lists and text. Hold {with} with it."),
            Self::Fixed(what) => write!(out, "always {what}."),
            Self::System => out.write_str("belongs to the system."),
            Self::OtherSystem => out.write_str("is a combination of macOS."),
        }
    }
}

/// Why a combination cannot be chosen on this system; `None` when it can.
#[must_use]
pub fn refusal(chord: Chord, platform: Platform) -> Option<Refusal> {
    if chord.modifiers().ctrl && platform != Platform::Mac {
        return Some(Refusal::OtherSystem);
    }
    if is_of_system(chord, platform) {
        return Some(Refusal::System);
    }
    fixed(chord).map(Refusal::Fixed).or_else(|| bare(chord, platform))
}

fn fixed(chord: Chord) -> Option<&'static str> {
    let held = chord.modifiers();
    let command_only = held.command && !held.alt && !held.ctrl && !held.shift;
    match chord.key() {
        Key::Escape => Some("closes, cancels or stops"),
        Key::Enter => Some("sends, breaks a line or presses a control"),
        Key::Tab if !held.command && !held.ctrl && !held.alt => Some("moves to the next control"),
        Key::Space => Some("types a space or presses a control"),
        Key::Backspace | Key::Delete => Some("deletes text"),
        Key::ArrowUp | Key::ArrowDown | Key::ArrowLeft | Key::ArrowRight => Some("moves in text and lists"),
        Key::Home | Key::End => Some("moves to the start or the end"),
        Key::Insert | Key::Copy | Key::Cut | Key::Paste => Some("copies and pastes"),
        Key::C if command_only => Some("copies"),
        Key::X if command_only => Some("cuts"),
        Key::V if command_only => Some("pastes"),
        Key::A if command_only => Some("selects all"),
        Key::Z if command_only => Some("undoes what was typed"),
        Key::Y if command_only => Some("types again what was undone"),
        Key::Z if held == (Modifiers { command: true, shift: true, ..Modifiers::NONE }) => {
            Some("types again what was undone")
        }
        _ => None,
    }
}

/// Keys that do something of their own while no modifier is held that makes them a combination.
fn bare(chord: Chord, platform: Platform) -> Option<Refusal> {
    let held = chord.modifiers();
    let key = chord.key();
    let types = chord::letter(key) || chord::digit(key) || chord::is_sign(key);
    let with = match platform {
        Platform::Mac => "⌘ or ⌃",
        Platform::Windows | Platform::Unix => "Ctrl or Alt",
    };
    let strong = match platform {
        // Option writes signs.
        Platform::Mac => held.command || held.ctrl,
        // Ctrl with Alt is AltGr, which writes signs.
        Platform::Windows if held.command && held.alt => !types,
        Platform::Windows | Platform::Unix => held.command || held.alt,
    };
    if strong {
        return None;
    }
    if types {
        let with = if held.command { "Ctrl with Shift, or Alt alone," } else { with };
        return Some(Refusal::Types(with));
    }
    matches!(key, Key::PageUp | Key::PageDown).then_some(Refusal::Moves(with))
}

fn is_of_system(chord: Chord, platform: Platform) -> bool {
    let held = chord.modifiers();
    let key = chord.key();
    let function = (Key::F1..=Key::F12).contains(&key);
    match platform {
        Platform::Mac => {
            let command_only = held.command && !held.ctrl && !held.alt && !held.shift;
            held.command
                && (matches!(key, Key::Tab | Key::Space)
                    || (held.alt && matches!(key, Key::Escape | Key::D))
                    || (held.shift && matches!(key, Key::Num3 | Key::Num4 | Key::Num5))
                    || (held.ctrl && matches!(key, Key::Q | Key::F))
                    || (command_only && matches!(key, Key::H | Key::M | Key::Backtick)))
        }
        Platform::Windows => {
            held.alt && matches!(key, Key::F4 | Key::Tab | Key::Space | Key::Escape)
                || held.command && key == Key::Escape
                || held.command && held.alt && key == Key::Delete
                || key == Key::PrintScreen
        }
        Platform::Unix => {
            held.alt && matches!(key, Key::F4 | Key::Tab | Key::Space | Key::Escape)
                || held.command && held.alt && (function || matches!(key, Key::Delete | Key::T | Key::L))
                || key == Key::PrintScreen
        }
    }
}
