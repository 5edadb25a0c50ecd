use egui::{Key, Modifiers};
use proptest::prelude::*;

use crate::model::settings::KeyOverrides;
use crate::ui::action::UiAction;

use super::*;

fn chord(text: &str) -> Chord {
    Chord::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"))
}

fn chosen(json: &str) -> KeyOverrides {
    serde_json::from_str(json).unwrap()
}

fn map(json: &str) -> KeyMap {
    KeyMap::of(&chosen(json), Platform::Unix)
}

fn texts(map: &KeyMap, action: UiAction) -> Vec<String> {
    map.row(action).unwrap().chords.iter().map(|held| held.chord.text()).collect()
}

#[test]
fn names_are_unique_and_plain() {
    let names: Vec<String> = UiAction::all().into_iter().map(name).collect();
    for (place, each) in names.iter().enumerate() {
        assert!(each.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{each}");
        assert!(!names[place + 1..].contains(each), "{each} twice");
    }
}

#[test]
fn the_keys_commands_come_with_do_not_clash_anywhere() {
    for platform in [Platform::Mac, Platform::Windows, Platform::Unix] {
        let map = KeyMap::of(&KeyOverrides::default(), platform);
        assert_eq!(map.conflicts().collect::<Vec<_>>(), [], "{platform:?}");
        assert_eq!((map.changed(), map.unread.len()), (0, 0));
    }
}

#[test]
fn choices_become_keys() {
    use UiAction::{Archive, Palette, ZoomIn};
    let cases: [(&str, UiAction, &[&str], bool); 9] = [
        ("{}", Palette, &["Ctrl+K"], false),
        ("{}", ZoomIn, &["Ctrl+Plus", "Ctrl+Equals"], false),
        ("{}", Archive, &[], false),
        (r#"{"archive":["Ctrl+E","F9"]}"#, Archive, &["Ctrl+E", "F9"], true),
        (r#"{"palette":[]}"#, Palette, &[], true),
        (r#"{"palette":["ctrl+k"]}"#, Palette, &["Ctrl+K"], false),
        (r#"{"archive":["Ctrl+E","cmd+e"]}"#, Archive, &["Ctrl+E"], true),
        (r#"{"palette":["Hyper+K"]}"#, Palette, &["Ctrl+K"], false),
        (r#"{"archive":["Hyper+K","F9"]}"#, Archive, &["F9"], true),
    ];
    for (json, action, wanted, changed) in cases {
        let map = map(json);
        assert_eq!(texts(&map, action), wanted, "{json}");
        assert_eq!(map.row(action).unwrap().changed, changed, "{json}");
    }
}

#[test]
fn what_is_not_understood_is_said_and_the_rest_holds() {
    let map = map(r#"{"archive":["Ctrl+E","Ctrl+Nope"],"of_later":["F9"],"palette":7,"quit":[1]}"#);
    let said: Vec<String> = map.unread.iter().map(|each| format!("{}: {}", each.name, each.why)).collect();
    assert_eq!(
        said,
        [
            "palette: 7 is no list of keys",
            "archive: \"Ctrl+Nope\": there is no key Nope",
            "quit: 1 is no key",
            "of_later: there is no such command",
        ]
    );
    assert_eq!(texts(&map, UiAction::Archive), ["Ctrl+E"]);
    assert_eq!(map.find(Modifiers::COMMAND, Key::K), Some(UiAction::Palette));
    assert_eq!(map.find(Modifiers::COMMAND, Key::Q), Some(UiAction::Quit));
}

#[test]
fn conflicts_are_named_with_who_wins() {
    use UiAction::{Archive, NewConversation, Palette, Rename};
    type Clash = (UiAction, &'static str, Option<UiAction>);
    let cases: [(&str, &[Clash]); 5] = [
        // A chosen key beats one that comes with a command.
        (r#"{"archive":["Ctrl+K"]}"#, &[(Palette, "Ctrl+K", Some(Archive))]),
        // Of two chosen ones the first of the list has it.
        (r#"{"archive":["Ctrl+E"],"rename":["Ctrl+E"]}"#, &[(Archive, "Ctrl+E", Some(Rename))]),
        (r#"{"archive":["Ctrl+C"]}"#, &[(Archive, "Ctrl+C", None)]),
        (r#"{"archive":["E","F9"]}"#, &[(Archive, "E", None)]),
        (r#"{"archive":["Ctrl+N"],"new_conversation":["Ctrl+E"]}"#, &[]),
    ];
    for (json, wanted) in cases {
        let map = map(json);
        let found: Vec<(UiAction, String, Option<UiAction>)> = map
            .conflicts()
            .map(|(action, held)| {
                let other = match held.problem {
                    Some(Problem::Taken(other)) => Some(other),
                    _ => None,
                };
                (action, held.chord.text(), other)
            })
            .collect();
        let wanted: Vec<_> = wanted.iter().map(|(a, text, b)| (*a, (*text).to_owned(), *b)).collect();
        assert_eq!(found, wanted, "{json}");
    }
    let map = map(r#"{"archive":["Ctrl+N"],"new_conversation":["Ctrl+E"]}"#);
    assert_eq!(map.find(Modifiers::COMMAND, Key::N), Some(Archive));
    assert_eq!(map.find(Modifiers::COMMAND, Key::E), Some(NewConversation));
    assert_eq!(map.shown(Archive), "Ctrl N");
}

#[test]
fn presses_match_exactly_but_for_signs_that_need_shift() {
    let map = map("{}");
    let (ctrl, shift) = (Modifiers::CTRL.plus(Modifiers::COMMAND), Modifiers::SHIFT);
    for (modifiers, key, wanted) in [
        (ctrl, Key::L, Some(UiAction::FocusComposer)),
        (ctrl.plus(shift), Key::L, Some(UiAction::Latest)),
        (ctrl.plus(shift), Key::K, None),
        (ctrl.plus(Modifiers::ALT), Key::Q, None),
        (ctrl.plus(shift), Key::Slash, Some(UiAction::Keys)),
        (ctrl.plus(shift), Key::Num1, Some(UiAction::Conversation(1))),
        (ctrl.plus(shift), Key::Plus, Some(UiAction::ZoomIn)),
        (ctrl, Key::Equals, Some(UiAction::ZoomIn)),
        (shift, Key::F6, Some(UiAction::PreviousRegion)),
        (Modifiers::NONE, Key::F6, Some(UiAction::NextRegion)),
        (Modifiers::NONE, Key::K, None),
    ] {
        assert_eq!(map.find(modifiers, key), wanted, "{modifiers:?} {key:?}");
    }
}

#[test]
fn some_combinations_cannot_be_chosen() {
    use Platform::{Mac, Unix, Windows};
    let cases: [(&str, [bool; 3]); 25] = [
        // May it be chosen on Linux, Windows, macOS?
        ("Ctrl+E", [true, true, true]),
        ("Ctrl+Shift+C", [true, true, true]),
        ("F9", [true, true, true]),
        ("Shift+F9", [true, true, true]),
        ("Ctrl+Tab", [true, true, false]),
        ("Alt+E", [true, true, false]),
        ("Ctrl+Alt+E", [true, false, true]),
        ("Ctrl+Alt+F9", [false, true, true]),
        ("Control+E", [false, false, true]),
        ("Ctrl+H", [true, true, false]),
        ("E", [false; 3]),
        ("Shift+E", [false; 3]),
        ("5", [false; 3]),
        ("Comma", [false; 3]),
        ("PageUp", [false; 3]),
        ("Escape", [false; 3]),
        ("Ctrl+Enter", [false; 3]),
        ("Tab", [false; 3]),
        ("Ctrl+Space", [false; 3]),
        ("Ctrl+C", [false; 3]),
        ("Ctrl+V", [false; 3]),
        ("Ctrl+X", [false; 3]),
        ("Ctrl+A", [false; 3]),
        ("Ctrl+Shift+Z", [false; 3]),
        ("Alt+F4", [false, false, true]),
    ];
    for (text, wanted) in cases {
        let found = [Unix, Windows, Mac].map(|platform| refusal(chord(text), platform).is_none());
        assert_eq!(found, wanted, "{text}");
    }
    let why = refusal(chord("E"), Unix).unwrap().to_string();
    assert_eq!(why, "types text. Hold Ctrl or Alt with it.");
    assert_eq!(refusal(chord("E"), Mac).unwrap().to_string(), "types text. Hold ⌘ or ⌃ with it.");
}

#[test]
fn combinations_are_written_and_read() {
    for (text, stored, shown, on_mac) in [
        ("Ctrl+K", "Ctrl+K", "Ctrl K", "⌘ K"),
        ("shift+cmd+i", "Ctrl+Shift+I", "Ctrl Shift I", "⇧ ⌘ I"),
        ("Ctrl++", "Ctrl+Plus", "Ctrl +", "⌘ +"),
        ("+", "Plus", "+", "+"),
        ("Ctrl+Shift+Plus", "Ctrl+Plus", "Ctrl +", "⌘ +"),
        ("⌃+⌥+pageup", "Control+Alt+PageUp", "Ctrl Alt PgUp", "⌃ ⌥ PgUp"),
        (" F8 ", "F8", "F8", "F8"),
    ] {
        let chord = chord(text);
        assert_eq!(chord.text(), stored);
        assert_eq!(chord.shown(Platform::Unix), shown);
        assert_eq!(chord.shown(Platform::Mac), on_mac);
    }
    for bad in ["", "Ctrl+", "Ctrl", "Hyper+K", "Ctrl+Nope", "Ctrl+ShiftLeft", "ㅏ"] {
        assert!(Chord::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn every_sign_of_a_key_is_in_the_bundled_faces() {
    let definitions = crate::ui::theme::font_definitions();
    let mut fonts = egui::epaint::text::Fonts::new(egui::epaint::text::TextOptions::default(), definitions);
    let font = crate::ui::theme::Text::Small.font();
    let missing: String = "⌘⌥⇧⌃↑↓←→".chars().filter(|sign| !fonts.has_glyph(&font, *sign)).collect();
    assert_eq!(missing, "");
}

#[test]
fn a_key_is_given_taken_and_given_back() {
    use UiAction::{Archive, Palette, Rename};
    let mut keys = KeyOverrides::default();
    let now = |keys: &KeyOverrides| KeyMap::of(keys, Platform::Unix);
    let before = now(&keys);
    edit::assign(&mut keys, &before, Archive, None, chord("Ctrl+E"));
    let before = now(&keys);
    edit::assign(&mut keys, &before, Archive, None, chord("Ctrl+E"));
    assert_eq!(serde_json::to_string(&keys).unwrap(), r#"{"archive":["Ctrl+E"]}"#);
    let before = now(&keys);
    edit::assign(&mut keys, &before, Rename, Some(0), chord("Ctrl+E"));
    assert_eq!(texts(&now(&keys), Rename), ["Ctrl+E"]);
    assert_eq!(texts(&now(&keys), Archive), [] as [&str; 0]);
    assert!(!now(&keys).row(Archive).unwrap().changed, "it came without keys");
    let before = now(&keys);
    edit::assign(&mut keys, &before, Archive, None, chord("Ctrl+K"));
    assert_eq!(
        serde_json::to_string(&keys).unwrap(),
        r#"{"archive":["Ctrl+K"],"palette":[],"rename":["Ctrl+E"]}"#
    );
    edit::reset(&mut keys, Palette);
    assert_eq!(now(&keys).conflicts().count(), 1, "both have it again");
    let before = now(&keys);
    edit::clear(&mut keys, &before, Archive, 0);
    assert_eq!(now(&keys).conflicts().count(), 0);
    keys.set("of_later", vec!["F9".into()]);
    edit::reset_all(&mut keys);
    assert_eq!(serde_json::to_string(&keys).unwrap(), r#"{"of_later":["F9"]}"#);
    let before = now(&keys);
    edit::forget_unread(&mut keys, &before);
    assert!(keys.is_empty());
}

fn any_chord() -> impl Strategy<Value = Chord> {
    let keys: Vec<Key> = Key::ALL.iter().copied().filter(|key| !is_modifier(*key)).collect();
    (proptest::sample::select(keys), any::<[bool; 4]>()).prop_map(|(key, [command, ctrl, alt, shift])| {
        Chord::new(Modifiers { command, ctrl, alt, shift, mac_cmd: false }, key)
    })
}

fn any_action() -> impl Strategy<Value = UiAction> {
    proptest::sample::select(UiAction::all())
}

proptest! {
    #[test]
    fn every_chord_is_read_as_it_is_written(chord in any_chord()) {
        prop_assert_eq!(Chord::parse(&chord.text()), Ok(chord));
    }

    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,30}") {
        if let Ok(chord) = Chord::parse(&text) {
            prop_assert_eq!(Chord::parse(&chord.text()), Ok(chord));
        }
    }

    /// Whatever is recorded, every combination runs one command at most and the map holds together.
    #[test]
    fn recording_never_makes_a_conflict(steps in proptest::collection::vec((any_action(), any_chord(), 0..3usize), 0..12)) {
        let mut keys = KeyOverrides::default();
        for (action, chord, slot) in steps {
            let map = KeyMap::of(&keys, Platform::Unix);
            if refusal(chord, Platform::Unix).is_none() {
                edit::assign(&mut keys, &map, action, Some(slot), chord);
                let map = KeyMap::of(&keys, Platform::Unix);
                prop_assert_eq!(map.owner(chord), Some(action));
                prop_assert_eq!(map.conflicts().count(), 0);
                prop_assert!(map.unread.is_empty());
            }
        }
    }
}
