//! Getting around: shortcuts, Esc, palette, lists, and what each click sends.

use std::sync::Arc;

use egui::{Key, Modifiers};
use tunaflow::api::command::{
    AppCommand, ChatCommand, Command, EngineCommand, ProjectCommand, SettingsCommand,
};
use tunaflow::model::engine::{Billing, EngineId};
use tunaflow::model::id::{ConversationId, MessageId, ProjectId, TurnId};
use tunaflow::model::message::MessageState;
use tunaflow::model::settings::EngineSettings;
use tunaflow::model::turn::FailureKind;
use tunaflow::ui::route::{Route, SettingsPage};
use tunaflow::ui::testing::{self, SHOWN};

use super::bench::Bench;

const CTRL: Modifiers = Modifiers::COMMAND;

fn chat(id: i64) -> Route {
    Route::Chat { conversation: ConversationId(id) }
}

#[test]
fn the_window_opens_what_it_shows_and_says_so() {
    let mut bench = Bench::of("chat");
    let sent = bench.sent();
    assert!(sent.contains(&Command::Chat(ChatCommand::Open { conversation: SHOWN })), "{sent:?}");
    let viewing = AppCommand::Viewing {
        conversation: Some(SHOWN),
        beside: Vec::new(),
        held: Vec::new(),
        focused: true,
    };
    assert!(sent.contains(&Command::App(viewing)), "{sent:?}");
}

#[test]
fn shortcuts_do_what_the_key_sheet_says() {
    let mut bench = Bench::of("chat");
    bench.sent();
    bench.key(CTRL, Key::N);
    let new = ChatCommand::New { project: ProjectId(1), seat: None };
    assert!(bench.sent().contains(&Command::Chat(new)));
    bench.key(CTRL, Key::Num3);
    assert_eq!(bench.route(), chat(13));
    bench.key(CTRL, Key::OpenBracket);
    assert_eq!(bench.route(), chat(11));
    bench.key(CTRL, Key::Comma);
    assert_eq!(bench.route(), Route::Settings { page: SettingsPage::Engines });
    bench.key(Modifiers::NONE, Key::Escape);
    assert_eq!(bench.route(), chat(11));
    bench.key(CTRL, Key::F);
    assert!(bench.is_focused("Find text"));
    bench.key(CTRL, Key::B);
    assert!(bench.has("Show sidebar"));
}

#[test]
fn escape_closes_then_stops() {
    let mut bench = Bench::of("streaming");
    bench.sent();
    bench.key(CTRL, Key::F);
    bench.key(CTRL, Key::K);
    let stop = Command::Chat(ChatCommand::Stop { conversation: SHOWN });
    bench.key(Modifiers::NONE, Key::Escape);
    assert!(bench.has("Find text"), "the palette went first");
    assert!(!bench.sent().contains(&stop));
    bench.key(Modifiers::NONE, Key::Escape);
    assert!(!bench.has("Find text"));
    assert!(!bench.sent().contains(&stop));
    bench.key(Modifiers::NONE, Key::Escape);
    assert!(bench.sent().contains(&stop));
}

#[test]
fn the_palette_finds_conversations_and_commands() {
    let mut bench = Bench::of("chat");
    bench.key(CTRL, Key::K);
    bench.type_text("openapi");
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(bench.route(), chat(15));
    bench.key(CTRL, Key::K);
    bench.type_text("settings app");
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(bench.route(), Route::Settings { page: SettingsPage::Appearance });
    bench.sent();
    bench.key(CTRL, Key::K);
    bench.type_text("/srv/code");
    bench.key(Modifiers::NONE, Key::Enter);
    assert!(bench.sent().contains(&Command::Project(ProjectCommand::Open { path: "/srv/code".into() })));
}

#[test]
fn a_folder_is_picked_or_its_path_typed() {
    let mut bench = Bench::of("first-run");
    bench.machine.borrow_mut().pick = Some("/home/kim/code/new".into());
    bench.sent();
    bench.click("Open folder…");
    let open = |path: &str| Command::Project(ProjectCommand::Open { path: path.into() });
    assert!(bench.sent().contains(&open("/home/kim/code/new")));
    bench.focus("Path of a folder");
    bench.type_text("~/other");
    bench.key(Modifiers::NONE, Key::Enter);
    assert!(bench.sent().contains(&open("/home/kim/other")));
}

#[test]
fn the_list_renames_archives_and_deletes() {
    let mut bench = Bench::of("chat");
    bench.sent();
    bench.secondary_click_part("Flaky upload test");
    bench.click("Move to the archive");
    let id = ConversationId(14);
    let archive = ChatCommand::SetArchived { conversation: id, archived: true };
    assert!(bench.sent().contains(&Command::Chat(archive)));
    bench.secondary_click_part("Flaky upload test");
    bench.click("Delete");
    assert!(bench.sent().contains(&Command::Chat(ChatCommand::Delete { conversation: id })));
    bench.secondary_click_part("Flaky upload test");
    bench.click("Rename…");
    bench.key(CTRL, Key::A);
    bench.type_text("Steady upload test");
    bench.key(Modifiers::NONE, Key::Enter);
    let rename = ChatCommand::Rename { conversation: id, title: "Steady upload test".into() };
    assert!(bench.sent().contains(&Command::Chat(rename)));
}

#[test]
fn a_deleted_conversation_is_left_and_a_new_one_is_followed() {
    let mut bench = Bench::of("chat");
    bench.publish(|snap| {
        snap.conversations =
            snap.conversations.iter().filter(|row| row.conversation.id != SHOWN).cloned().collect();
        snap.open.clear();
    });
    assert_eq!(bench.route(), chat(12));
    bench.publish(|snap| snap.focus = Some(ConversationId(15)));
    assert_eq!(bench.route(), chat(15));
}

#[test]
fn missing_pages_are_asked_for_once() {
    let mut fixture = testing::fixture("long");
    testing::change(&mut fixture.snap, |view| {
        view.pages.remove(&4);
    });
    let mut bench = Bench::with(fixture, super::bench::LARGE, Default::default());
    assert!(bench.has("Loading message"));
    let page = Command::Chat(ChatCommand::LoadPage { conversation: SHOWN, page: 4 });
    let sent = bench.sent();
    assert_eq!(sent.iter().filter(|command| **command == page).count(), 1, "{sent:?}");
}

#[test]
fn message_actions_send_their_commands() {
    let mut bench = Bench::of("chat");
    bench.hover_part("Message from Developer Codex");
    bench.sent();
    bench.click("Copy");
    assert!(bench.machine.borrow().copied[0].starts_with("Adding `grace_until`"));
    bench.click("Answer again");
    bench.click("By Claude Code");
    let again = ChatCommand::Regenerate { message: MessageId(4), engine: Some(EngineId::new("claude")) };
    assert!(bench.sent().contains(&Command::Chat(again)));
    // The menu lay beside the message.
    bench.hover_part("Message from Developer Codex");
    bench.click("Context of this turn");
    assert_eq!(bench.route(), Route::Inspector { conversation: SHOWN, turn: Some(TurnId(72)) });
    let load = ChatCommand::LoadPack { conversation: SHOWN, turn: TurnId(72) };
    assert!(bench.sent().contains(&Command::Chat(load)));
}

#[test]
fn a_failed_copy_is_told() {
    let mut bench = Bench::of("chat");
    bench.machine.borrow_mut().copy_fails = true;
    bench.key(CTRL.plus(Modifiers::SHIFT), Key::A);
    assert!(bench.has_part("The answer was not copied"));
}

#[test]
fn a_failure_offers_the_ways_on() {
    let mut bench = Bench::of("failed");
    bench.sent();
    bench.click("Retry");
    assert!(bench.sent().contains(&Command::Chat(ChatCommand::Retry { turn: TurnId(72), engine: None })));
    bench.click("Use another engine…");
    bench.click("Demo");
    let other = ChatCommand::Retry { turn: TurnId(72), engine: Some(EngineId::new("demo")) };
    assert!(bench.sent().contains(&Command::Chat(other)));
    bench.click("Show details");
    assert!(bench.has_part("usage limit reached"));
}

/// Where a login is missing, how to log in; where a key was refused, the settings that say who pays.
#[test]
fn a_refused_key_leads_to_the_settings() {
    let mut bench = Bench::of("failed");
    bench.publish(|snap| {
        testing::change(snap, |view| {
            let mut row = view.turn.as_deref().unwrap().clone();
            row.failure.as_mut().unwrap().kind = FailureKind::NotLoggedIn;
            let failure = row.failure.clone().unwrap();
            view.turn = Some(Arc::new(row));
            let page = view.pages.values_mut().next_back().unwrap();
            let mut messages = page.to_vec();
            let last = Arc::make_mut(messages.last_mut().unwrap());
            last.state = MessageState::Failed { failure };
            last.revision += 1;
            *page = messages.into();
        });
    });
    assert!(bench.has("Copy how to log in"));
    bench.publish(|snap| {
        let billing = Billing::ApiKey;
        let set = EngineSettings { billing, ..EngineSettings::default() };
        Arc::make_mut(&mut snap.settings).engines.insert(EngineId::new("codex"), set);
    });
    assert!(!bench.has("Copy how to log in"));
    bench.click("Engine settings");
    assert_eq!(bench.route(), Route::Settings { page: SettingsPage::Engines });
}

#[test]
fn settings_apply_at_once() {
    let mut bench = Bench::of("appearance");
    bench.sent();
    bench.click("Light");
    let set = bench.sent().into_iter().find_map(|command| match command {
        Command::Settings(SettingsCommand::Set(settings)) => Some(settings.theme),
        _ => None,
    });
    assert_eq!(set, Some(tunaflow::model::settings::ThemeChoice::Light));
    let mut bench = Bench::of("project");
    bench.sent();
    bench.click("Skip permissions in this project");
    let skip = ProjectCommand::SetSkipPermissions { project: ProjectId(1), on: true };
    assert!(bench.sent().contains(&Command::Project(skip)));
}

#[test]
fn engines_are_tested_and_pointed_at() {
    let mut bench = Bench::of("engines");
    bench.sent();
    bench.click("Look again");
    assert!(bench.sent().contains(&Command::Engine(EngineCommand::Rediscover)));
    bench.focus("Path of Claude Code");
    bench.key(CTRL, Key::A);
    bench.type_text("/opt/claude");
    bench.key(Modifiers::NONE, Key::Enter);
    let path = EngineCommand::SetPath { engine: EngineId::new("claude"), path: Some("/opt/claude".into()) };
    assert!(bench.sent().contains(&Command::Engine(path)));
}

#[test]
fn a_server_is_added_with_its_key() {
    let mut bench = Bench::of("servers");
    bench.click("Add a server");
    bench.focus("Name of the server");
    bench.type_text("studio");
    bench.focus("Address of the server");
    bench.type_text("http://127.0.0.1:1234/v1");
    bench.focus("API key of the server");
    bench.type_text("secret");
    bench.sent();
    bench.click("Save");
    let put = bench.sent().into_iter().find_map(|command| match command {
        Command::Engine(EngineCommand::PutEndpoint { endpoint, key }) => Some((endpoint, key)),
        _ => None,
    });
    let (endpoint, key) = put.expect("a server was put");
    assert_eq!((endpoint.name.as_str(), endpoint.has_key, key.as_deref()), ("studio", true, Some("secret")));
    assert!(!bench.has_part("secret"), "the key is not read out");
}

#[test]
fn the_warning_stands_while_permissions_are_skipped() {
    let mut bench = Bench::of("chat");
    assert!(!bench.has("Skips permissions"));
    bench.publish(|snap| {
        let mut project = (*snap.projects[0]).clone();
        project.skip_permissions = true;
        snap.projects = Arc::from([Arc::new(project)]);
    });
    assert!(bench.has("Skips permissions"));
}

#[test]
fn the_view_stays_while_one_reads_and_follows_at_the_end() {
    let mut bench = Bench::of("long");
    assert!(!bench.has("Latest"));
    bench.scroll(400.0);
    bench.steps(6);
    assert!(bench.has("Latest"));
    let before = bench.rect_of("Message from Architect Claude");
    bench.publish(|snap| {
        let view = snap.view(SHOWN).unwrap();
        let mut messages: Vec<_> =
            view.pages.values().flat_map(|page| page.iter()).map(|message| (**message).clone()).collect();
        let mut last = testing::message(301, testing::claude(), Vec::new());
        last.state = MessageState::Streaming;
        messages.push(last);
        testing::show(snap, messages, None);
    });
    bench.steps(4);
    assert_eq!(bench.rect_of("Message from Architect Claude"), before, "nothing moved");
    bench.click_part("Latest");
    bench.steps(6);
    assert!(!bench.has_part("Latest"));
}
