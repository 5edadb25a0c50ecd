use std::fmt;

use egui::{Key, KeyboardShortcut, Modifiers};

/// The kinds of system whose keys differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    Mac,
    Windows,
    /// Linux and the rest.
    Unix,
}

impl Platform {
    /// The system this program was built for.
    pub const HERE: Self = if cfg!(target_os = "macos") {
        Self::Mac
    } else if cfg!(windows) {
        Self::Windows
    } else {
        Self::Unix
    };

    /// Name of the main modifier: `⌘` or `Ctrl`.
    #[must_use]
    pub fn command(self) -> &'static str {
        if self == Self::Mac { "⌘" } else { "Ctrl" }
    }

    /// Name of the second modifier: `⌥` or `Alt`.
    #[must_use]
    pub fn alt(self) -> &'static str {
        if self == Self::Mac { "⌥" } else { "Alt" }
    }
}

/// A key with the modifiers held. Compares equal when it is the same combination.
///
/// `Ctrl` in its text form is ⌘ on macOS, `Control` the ⌃ of macOS; so a choice made on one system holds on another.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chord {
    /// `command` is Ctrl or ⌘, `ctrl` only the ⌃ of macOS; `mac_cmd` is never set.
    modifiers: Modifiers,
    key: Key,
}

impl fmt::Debug for Chord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text())
    }
}

/// Why a text is no combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoChord {
    Empty,
    /// No such modifier.
    Modifier(String),
    /// No such key.
    Key(String),
}

impl fmt::Display for NoChord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => out.write_str("no key is named"),
            Self::Modifier(word) => write!(out, "there is no modifier {word}"),
            Self::Key(word) => write!(out, "there is no key {word}"),
        }
    }
}

impl Chord {
    /// A combination from its parts; `modifiers` as a shortcut names them.
    #[must_use]
    pub fn new(modifiers: Modifiers, key: Key) -> Self {
        let modifiers = Modifiers {
            alt: modifiers.alt,
            ctrl: modifiers.ctrl,
            // Signs that are typed with Shift on some keyboards and without on others.
            shift: modifiers.shift && !is_shifted_sign(key),
            mac_cmd: false,
            command: modifiers.command || modifiers.mac_cmd,
        };
        Self { modifiers, key }
    }

    /// A combination as it was pressed.
    #[must_use]
    pub fn of_press(modifiers: Modifiers, key: Key, platform: Platform) -> Self {
        let modifiers = if platform == Platform::Mac {
            modifiers
        } else {
            Modifiers { command: modifiers.command || modifiers.ctrl, ctrl: false, ..modifiers }
        };
        Self::new(modifiers, key)
    }

    #[must_use]
    pub fn key(self) -> Key {
        self.key
    }

    #[must_use]
    pub fn modifiers(self) -> Modifiers {
        self.modifiers
    }

    /// Without Shift, for signs that need it on this keyboard. `None` when it makes no such difference.
    #[must_use]
    pub fn unshifted(self) -> Option<Self> {
        let sign = is_sign(self.key) || digit(self.key);
        let modifiers = Modifiers { shift: false, ..self.modifiers };
        (sign && self.modifiers.shift).then_some(Self { modifiers, key: self.key })
    }

    /// The stored form: `Ctrl+Shift+I`.
    #[must_use]
    pub fn text(self) -> String {
        let held = self.modifiers;
        let words =
            [("Ctrl", held.command), ("Control", held.ctrl), ("Alt", held.alt), ("Shift", held.shift)];
        let mut text: String =
            words.iter().filter(|(_, is)| *is).flat_map(|(word, _)| [*word, "+"]).collect();
        text.push_str(self.key.name());
        text
    }

    /// Reads the stored form; upper and lower case are the same.
    ///
    /// # Errors
    /// Which part is not known.
    pub fn parse(text: &str) -> Result<Self, NoChord> {
        let text = text.trim();
        // The last sign may be the plus key itself.
        let (held, key) = match text.strip_suffix("++") {
            Some(held) => (held, "+"),
            None if text == "+" => ("", "+"),
            None => text.rsplit_once('+').unwrap_or(("", text)),
        };
        let mut modifiers = Modifiers::NONE;
        for word in held.split('+').map(str::trim).filter(|word| !word.is_empty()) {
            match word.to_ascii_lowercase().as_str() {
                "ctrl" | "cmd" | "command" | "⌘" => modifiers.command = true,
                "control" | "⌃" => modifiers.ctrl = true,
                "alt" | "option" | "⌥" => modifiers.alt = true,
                "shift" | "⇧" => modifiers.shift = true,
                _ => return Err(NoChord::Modifier(word.to_owned())),
            }
        }
        let key = key.trim();
        if key.is_empty() {
            return Err(NoChord::Empty);
        }
        let found = Key::from_name(key)
            .or_else(|| Key::ALL.iter().copied().find(|each| each.name().eq_ignore_ascii_case(key)))
            .filter(|key| !key.name().is_empty() && !is_modifier(*key));
        found.map(|key| Self::new(modifiers, key)).ok_or_else(|| NoChord::Key(key.to_owned()))
    }

    /// The combination in words, keys apart by spaces: `Ctrl Shift I`, on macOS `⇧ ⌘ I`.
    #[must_use]
    pub fn shown(self, platform: Platform) -> String {
        let mut parts = held_words(self.modifiers, platform);
        parts.push(key_word(self.key));
        parts.join(" ")
    }
}

impl From<KeyboardShortcut> for Chord {
    fn from(shortcut: KeyboardShortcut) -> Self {
        Self::new(shortcut.modifiers, shortcut.logical_key)
    }
}

/// The modifiers in words, in the order of the system.
#[must_use]
pub fn held_words(held: Modifiers, platform: Platform) -> Vec<&'static str> {
    let command = held.command || held.mac_cmd;
    let words: [(&str, bool); 4] = if platform == Platform::Mac {
        [("⌃", held.ctrl), ("⌥", held.alt), ("⇧", held.shift), ("⌘", command)]
    } else {
        [("Ctrl", command || held.ctrl), ("Alt", held.alt), ("Shift", held.shift), ("", false)]
    };
    words.into_iter().filter(|(_, is)| *is).map(|(word, _)| word).collect()
}

fn key_word(key: Key) -> &'static str {
    match key {
        Key::OpenBracket => "[",
        Key::CloseBracket => "]",
        Key::OpenCurlyBracket => "{",
        Key::CloseCurlyBracket => "}",
        Key::PageDown => "PgDn",
        Key::PageUp => "PgUp",
        Key::Escape => "Esc",
        Key::ArrowUp => "↑",
        Key::ArrowDown => "↓",
        Key::ArrowLeft => "←",
        Key::ArrowRight => "→",
        Key::Colon => ":",
        Key::Comma => ",",
        Key::Period => ".",
        Key::Semicolon => ";",
        Key::Quote => "'",
        Key::Backtick => "`",
        Key::Backslash => "\\",
        Key::Slash => "/",
        Key::Pipe => "|",
        Key::Questionmark => "?",
        Key::Exclamationmark => "!",
        Key::Plus => "+",
        Key::Minus => "-",
        Key::Equals => "=",
        other => other.name(),
    }
}

/// Keys that only change what another key does; they make no combination.
#[must_use]
pub fn is_modifier(key: Key) -> bool {
    matches!(
        key,
        Key::ShiftLeft
            | Key::ShiftRight
            | Key::ControlLeft
            | Key::ControlRight
            | Key::AltLeft
            | Key::AltRight
            | Key::SuperLeft
            | Key::SuperRight
            | Key::CapsLock
            | Key::NumLock
            | Key::ScrollLock
            | Key::Fn
    )
}

fn is_shifted_sign(key: Key) -> bool {
    matches!(
        key,
        Key::Colon
            | Key::Pipe
            | Key::Questionmark
            | Key::Exclamationmark
            | Key::OpenCurlyBracket
            | Key::CloseCurlyBracket
            | Key::Plus
    )
}

/// Punctuation.
#[must_use]
pub fn is_sign(key: Key) -> bool {
    is_shifted_sign(key)
        || matches!(
            key,
            Key::Comma
                | Key::Backslash
                | Key::Slash
                | Key::OpenBracket
                | Key::CloseBracket
                | Key::Backtick
                | Key::Minus
                | Key::Period
                | Key::Equals
                | Key::Semicolon
                | Key::Quote
                | Key::IntlBackslash
        )
}

/// A digit of the main row or the number pad.
#[must_use]
pub fn digit(key: Key) -> bool {
    (Key::Num0..=Key::Num9).contains(&key)
}

/// A letter of the Latin alphabet.
#[must_use]
pub fn letter(key: Key) -> bool {
    (Key::A..=Key::Z).contains(&key)
}
