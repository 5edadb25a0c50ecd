//! Keys: changed by pressing others, in use at once.

use egui::{Event, ImeEvent, Key, Modifiers};
use tunaflow::api::command::{ChatCommand, Command, ProjectCommand, SettingsCommand};
use tunaflow::model::id::ProjectId;
use tunaflow::model::settings::{KeyOverrides, Settings};
use tunaflow::ui::route::{Route, SettingsPage};
use tunaflow::ui::testing;

use super::bench::{Bench, SMALL};

const CTRL: Modifiers = Modifiers::COMMAND;
const PAGE: Route = Route::Settings { page: SettingsPage::Keys };

/// Takes over the settings that were sent, as the core does.
fn taken(bench: &mut Bench) -> Option<Settings> {
    let settings = bench.sent().into_iter().rev().find_map(|command| match command {
        Command::Settings(SettingsCommand::Set(settings)) => Some(*settings),
        _ => None,
    })?;
    let kept = settings.clone();
    bench.publish(move |snap| snap.settings = kept.into());
    Some(settings)
}

fn keys(bench: &mut Bench) -> String {
    taken(bench).map_or_else(|| "nothing sent".into(), |settings| json(&settings.keys))
}

fn json(keys: &KeyOverrides) -> String {
    serde_json::to_string(keys).unwrap()
}

/// Runs a control with the keyboard, wherever it stands in the table.
fn press(bench: &mut Bench, label: &str) {
    bench.focus(label);
    bench.key(Modifiers::NONE, Key::Enter);
}

/// The page with the keys that commands come with.
fn page() -> Bench {
    let mut fixture = testing::fixture("appearance");
    fixture.route = PAGE;
    let mut bench = Bench::with(fixture, super::bench::LARGE, Default::default());
    bench.sent();
    bench
}

#[test]
fn a_pressed_key_is_taken_and_works_at_once() {
    let mut bench = page();
    bench.click("Change Ctrl N of New conversation");
    assert!(bench.is_focused("Press the keys of New conversation."));
    bench.key(CTRL, Key::G);
    assert_eq!(keys(&mut bench), r#"{"new_conversation":["Ctrl+G"]}"#);
    assert!(bench.has("New conversation: Ctrl G, changed"));
    bench.key(CTRL, Key::N);
    let new = Command::Chat(ChatCommand::New { project: ProjectId(1), seat: None });
    assert!(!bench.sent().contains(&new), "the old key is free");
    bench.key(CTRL, Key::G);
    assert!(bench.sent().contains(&new));
    bench.click("Reset the keys of New conversation");
    assert_eq!(keys(&mut bench), "{}");
    assert!(bench.has("New conversation: Ctrl N"));
}

#[test]
fn a_command_can_have_several_keys_or_none() {
    let mut bench = page();
    press(&mut bench, "Add a key to Archive conversation");
    bench.key(CTRL, Key::E);
    assert_eq!(keys(&mut bench), r#"{"archive":["Ctrl+E"]}"#);
    press(&mut bench, "Add a key to Archive conversation");
    bench.key(Modifiers::NONE, Key::F9);
    assert_eq!(keys(&mut bench), r#"{"archive":["Ctrl+E","F9"]}"#);
    press(&mut bench, "Change Ctrl E of Archive conversation");
    bench.key(Modifiers::NONE, Key::Backspace);
    assert_eq!(keys(&mut bench), r#"{"archive":["F9"]}"#);
    press(&mut bench, "Change Ctrl Q of Quit");
    bench.key(Modifiers::NONE, Key::Delete);
    assert_eq!(keys(&mut bench), r#"{"archive":["F9"],"quit":[]}"#);
    assert!(bench.has("Quit: no key, changed"));
}

#[test]
fn a_taken_key_asks_and_moves_over() {
    let mut bench = page();
    press(&mut bench, "Add a key to Archive conversation");
    bench.key(CTRL, Key::K);
    assert!(bench.has("Ctrl K runs Find or run now."));
    assert!(!bench.has_part("results"), "the palette stays shut");
    assert_eq!(keys(&mut bench), "nothing sent");
    bench.key(Modifiers::NONE, Key::Escape);
    assert_eq!((bench.route(), keys(&mut bench).as_str()), (PAGE, "nothing sent"));
    press(&mut bench, "Add a key to Archive conversation");
    bench.key(CTRL, Key::K);
    assert!(bench.is_focused("Replace"));
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(keys(&mut bench), r#"{"archive":["Ctrl+K"],"palette":[]}"#);
    assert!(bench.has("Find or run…: no key, changed"));
    assert!(!bench.has_part("conflict:"));
}

#[test]
fn what_cannot_be_a_key_says_why_and_it_goes_on_waiting() {
    let mut bench = page();
    press(&mut bench, "Add a key to Archive conversation");
    bench.key(Modifiers::NONE, Key::E);
    assert!(bench.has_part("E types text. Hold Ctrl or Alt with it."));
    bench.event(Event::Copy);
    for (modifiers, key, why) in [
        (Modifiers::NONE, Key::Enter, "Enter always sends"),
        (Modifiers::NONE, Key::Tab, "Tab always moves to the next control"),
        (Modifiers::NONE, Key::ArrowDown, "↓ always moves"),
        (CTRL, Key::A, "Ctrl A always selects all"),
        (Modifiers::ALT, Key::F4, "Alt F4 belongs to the system"),
    ] {
        bench.key(modifiers, key);
        assert!(bench.has_part(why), "{why}");
    }
    assert_eq!(keys(&mut bench), "nothing sent");
    bench.key(CTRL, Key::E);
    assert_eq!(keys(&mut bench), r#"{"archive":["Ctrl+E"]}"#);
}

#[test]
fn escape_and_a_click_elsewhere_leave_the_key() {
    let mut bench = page();
    for leave in [0, 1] {
        bench.click("Change Ctrl N of New conversation");
        if leave == 0 {
            bench.key(Modifiers::NONE, Key::Escape);
        } else {
            bench.click("All");
        }
        assert_eq!(bench.route(), PAGE);
        assert!(!bench.has_part("Press the keys"));
        assert_eq!(keys(&mut bench), "nothing sent");
    }
    bench.key(Modifiers::NONE, Key::Escape);
    assert_ne!(bench.route(), PAGE, "nothing open: Esc leaves the settings");
}

#[test]
fn it_all_goes_without_a_mouse() {
    let mut bench = page();
    bench.focus("Change Ctrl N of New conversation");
    bench.key(Modifiers::NONE, Key::Enter);
    bench.key(CTRL, Key::G);
    assert_eq!(keys(&mut bench), r#"{"new_conversation":["Ctrl+G"]}"#);
    assert!(bench.is_focused("Change Ctrl G of New conversation"));
    bench.key(Modifiers::NONE, Key::Space);
    bench.key(Modifiers::NONE, Key::Escape);
    assert!(bench.is_focused("Change Ctrl G of New conversation"));
    bench.key(Modifiers::NONE, Key::Tab);
    assert!(bench.is_focused("Add a key to New conversation"));
    bench.key(Modifiers::SHIFT, Key::Tab);
    bench.key(Modifiers::SHIFT, Key::Tab);
    assert!(bench.is_focused("Reset the keys of New conversation"));
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(keys(&mut bench), "{}");
    assert!(bench.is_focused("Add a key to New conversation"));
}

#[test]
fn commands_are_found_by_name_and_by_key() {
    let mut bench = page();
    bench.key(Modifiers::NONE, Key::F6);
    bench.key(Modifiers::NONE, Key::F6);
    assert!(bench.is_focused("Find a command or a key"));
    bench.type_text("f8");
    assert!(bench.has("Go to the next question: F8"));
    assert!(!bench.has_part("New conversation: "));
    bench.key(Modifiers::NONE, Key::Escape);
    assert!(bench.has("New conversation: Ctrl N"), "Esc empties the field first");
    bench.focus("Find a command or a key");
    bench.event(Event::Ime(ImeEvent::Preedit { text: "보".into(), active_range_chars: None }));
    bench.key(Modifiers::NONE, Key::Escape);
    assert_eq!(bench.route(), PAGE, "Esc belongs to the input method");
    bench.event(Event::Ime(ImeEvent::Commit("보관".into())));
    assert_eq!(bench.value("Find a command or a key"), "보관");
    assert!(bench.has("No command and no key like this."));
}

#[test]
fn conflicts_and_changes_are_counted_shown_and_undone() {
    let mut bench = Bench::with(testing::fixture("keys-conflicts"), SMALL, Default::default());
    bench.sent();
    assert!(bench.has("2 conflicts: a key there does not run its command"));
    assert!(bench.has_part("Stored and not used: quit: \"Ctrl+Nope\": there is no key Nope"));
    bench.click("Conflicts");
    assert!(bench.has("Ctrl K runs Archive conversation and not this."));
    assert!(bench.has("Ctrl K is also set for Find or run."));
    assert!(bench.has("Ctrl C always copies."));
    assert!(!bench.has_part("New conversation: "));
    bench.click("Forget these");
    assert_eq!(keys(&mut bench), r#"{"archive":["Ctrl+K"],"rename":["F2","Ctrl+C"]}"#);
    bench.click("Reset all…");
    bench.click("Cancel");
    assert_eq!(keys(&mut bench), "nothing sent");
    bench.click("Reset all…");
    bench.click("Reset 2 commands");
    assert_eq!(keys(&mut bench), "{}");
    assert!(bench.has("No conflicts. Every key runs its command."));
}

#[test]
fn every_place_shows_the_keys_that_hold() {
    let mut fixture = testing::fixture("chat");
    testing::set_keys(&mut fixture.snap, &[("archive", &["Ctrl+E"]), ("keys", &["F1"])]);
    let mut bench = Bench::with(fixture, super::bench::LARGE, Default::default());
    bench.key(CTRL, Key::Slash);
    assert!(!bench.has("Archive conversation: Ctrl E"), "the old key of the list");
    bench.key(Modifiers::NONE, Key::F1);
    assert!(bench.has("Archive conversation: Ctrl E"));
    assert!(bench.has("List of keys: F1"));
    bench.steps(8);
    bench.click("Change keys…");
    assert_eq!(bench.route(), PAGE);
}

#[test]
fn enter_can_be_swapped_here() {
    let mut bench = page();
    bench.click("Enter breaks the line, Shift Enter sends");
    assert!(!taken(&mut bench).expect("sent").enter_sends);
    bench.key(CTRL, Key::Slash);
    assert!(bench.has("Send: Shift Enter") && bench.has("Break the line: Enter"));
}

#[test]
fn an_open_folder_key_still_opens_a_folder() {
    let mut fixture = testing::fixture("keys");
    testing::set_keys(&mut fixture.snap, &[("open_folder", &["Alt+O", "Ctrl+Shift+O"])]);
    let mut bench = Bench::with(fixture, super::bench::LARGE, Default::default());
    bench.machine.borrow_mut().pick = Some("/srv/code".into());
    bench.sent();
    let open = Command::Project(ProjectCommand::Open { path: "/srv/code".into() });
    for modifiers in [Modifiers::ALT, CTRL.plus(Modifiers::SHIFT)] {
        bench.key(modifiers, Key::O);
        assert!(bench.sent().contains(&open), "{modifiers:?}");
    }
    bench.key(CTRL, Key::O);
    assert!(!bench.sent().contains(&open));
}
