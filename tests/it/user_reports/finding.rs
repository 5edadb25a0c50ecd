//! Finding and starting the agents.

use tunaflow::api::command::{ChatCommand, EngineCommand, ProjectCommand};
use tunaflow::api::handle::Waker;
use tunaflow::api::snapshot::EngineRow;
use tunaflow::model::engine::{Availability, Billing, EngineId};
use tunaflow::model::turn::FailureKind;

use super::fake::{
    Home, answered, app_with, app_with_claude, change_settings, claude, claude_after, failure, gemini,
    keep_nothing_warm, program, starts,
};
use crate::support::app::{TestApp, config, seat};

fn found(app: &TestApp, engine: &str) -> EngineRow {
    app.send(EngineCommand::Rediscover);
    let id = EngineId::new(engine);
    let row = |s: &tunaflow::api::snapshot::Snapshot| s.engines.iter().find(|row| row.info.id == id).cloned();
    let snapshot = app.until("the program is found", |s| {
        row(s)
            .is_some_and(|row| row.status.path.is_some() && row.status.availability != Availability::Checking)
    });
    (*row(&snapshot).unwrap()).clone()
}

/// Started from a dock or an icon, programs have a bare PATH, and the agent "is not installed" although it works in
/// every terminal.
#[test]
fn an_agent_only_in_a_folder_of_the_home_is_found_with_a_bare_path() {
    let app = app_with("claude", &claude("answer here"));
    let row = found(&app, "claude");
    assert_eq!(row.status.path, Some(app.home().join(".local/bin/claude")));
    assert_eq!(row.status.version.as_deref(), Some("2.1.332"));
    assert_eq!(row.status.billing, Billing::Subscription);
    let id = app.conversation("claude");
    assert_eq!(answered(&app.ask(id, "are you there?")), "here");
}

/// The same, where only the start files of the user's shell know the folder.
#[test]
fn an_agent_only_the_login_shell_knows_is_found() {
    let mut home = Home::new();
    home.set("SHELL", "/bin/sh");
    program(&home.path("odd place/claude"), &claude("answer \"$(helper)\""));
    program(&home.path("more/helper"), "#!/bin/sh\necho helped");
    let profile = "echo welcome\nexport PATH=\"$HOME/odd place:$HOME/more:$PATH\"\n";
    std::fs::write(home.path(".profile"), profile).unwrap();
    // The window looks for everything at its start, a front in a terminal when it needs it.
    let mut looking = config(home.folder.path(), &home.env());
    looking.discover = true;
    let running = tunaflow::runtime::start(looking, Waker::noop()).unwrap();
    let mut handle = running.handle();
    let path = running.block_on(async {
        let claude = EngineId::new("claude");
        loop {
            let snapshot = handle.snapshot();
            let row = snapshot.engines.iter().find(|row| row.info.id == claude).unwrap();
            if !snapshot.app.discovering {
                return row.status.path.clone();
            }
            handle.changed().await.unwrap();
        }
    });
    assert_eq!(path, Some(home.path("odd place/claude")));
    running.finish();
    let app = home.app();
    let id = app.conversation("claude");
    // Its own helpers are found by the same PATH.
    assert_eq!(answered(&app.ask(id, "go")), "helped");
}

/// The agent is found, but then neither its own interpreter nor its helpers, which lie beside it.
#[test]
fn what_lies_beside_the_agent_is_found_by_it() {
    let home = Home::new();
    let package = home.path(".npm-global/lib/node_modules/agent/cli.sh");
    // A link to a script whose first line asks `env` for an interpreter: as package managers install them.
    program(&package, &claude("answer \"$(helper)\"").replacen("#!/bin/sh", "#!/usr/bin/env ourshell", 1));
    let bin = home.path(".npm-global/bin");
    program(&bin.join("ourshell"), "#!/bin/sh\nexec /bin/sh \"$@\"");
    program(&bin.join("helper"), "#!/bin/sh\necho helped");
    std::os::unix::fs::symlink(&package, bin.join("claude")).unwrap();
    let app = home.app();
    assert_eq!(found(&app, "claude").status.version.as_deref(), Some("2.1.332"));
    let id = app.conversation("claude");
    assert_eq!(answered(&app.ask(id, "go")), "helped");
}

/// A vendor's app keeps the agent in a folder named by its version; the next update moves it away under a running app.
#[test]
fn an_agent_that_an_update_moved_is_started_from_its_new_place() {
    for by_hand in [false, true] {
        let home = Home::new();
        let versions = home.path(if by_hand { "vendor" } else { ".local/share/claude/versions" });
        let (old, new) = (versions.join("2.1.0"), versions.join("2.1.1"));
        program(&old.join("claude"), &claude("answer \"turn of $session\""));
        let app = home.app();
        keep_nothing_warm(&app);
        if by_hand {
            let engine = EngineId::new("claude");
            app.send(EngineCommand::SetPath { engine: engine.clone(), path: Some(old.join("claude")) });
            app.until("path set", |s| s.settings.engines.get(&engine).is_some_and(|set| set.path.is_some()));
        }
        let id = app.conversation("claude");
        answered(&app.ask(id, "before"));
        std::fs::rename(&old, &new).unwrap();
        answered(&app.ask(id, "after"));
        let programs: Vec<String> = starts(&app).into_iter().map(|start| start.program).collect();
        let wanted = [&old, &new].map(|folder| folder.join("claude").display().to_string());
        assert_eq!(programs, wanted, "by hand: {by_hand}");
    }
}

/// A start that fails shows a red dot and nothing else.
#[test]
fn a_failed_start_shows_command_exit_code_and_last_words() {
    let home = Home::new();
    let path = home.path(".local/bin/claude");
    program(&path, "#!/bin/sh\necho 'first warning' >&2\necho 'cannot find the 달 module' >&2\nexit 3");
    let app = home.app();
    let id = app.conversation("claude");
    let told = failure(&app.ask(id, "hello"));
    assert_eq!(told.kind, FailureKind::Crashed);
    assert!(
        told.message.contains("exit code 3") && told.message.contains("cannot find the 달 module"),
        "{told:?}"
    );
    for part in [path.to_str().unwrap(), "--output-format stream-json", "first warning", "exit code 3"] {
        assert!(told.detail.contains(part), "{part} is missing: {}", told.detail);
    }
    assert_eq!(told.detail.matches("--output-format").count(), 1, "{}", told.detail);
    assert!(!told.hint.is_empty());
    // Once it is put right, Retry answers the same words.
    program(&path, &claude("answer well"));
    let turn = app.view(id).turn.as_ref().unwrap().turn;
    app.send(ChatCommand::Retry { turn, engine: None });
    app.until("tried again", |s| s.view(id).is_some_and(|view| view.turn.as_ref().unwrap().turn != turn));
    assert_eq!(answered(&app.until_idle(id)), "well");
}

/// No program at all, or one that may not be started: what was looked for where, and how to get it.
#[test]
fn an_agent_that_is_not_there_says_where_it_was_looked_for() {
    let app = Home::new().app();
    let id = app.conversation("gemini");
    let told = failure(&app.ask(id, "hello"));
    assert_eq!(told.kind, FailureKind::NotInstalled);
    assert!(told.detail.contains(".local/bin") && told.hint.contains("npm install"), "{told:?}");
    let broken = app.home().join(".local/bin/gemini");
    program(&broken, "#!/no/such/interpreter\n");
    let told = failure(&app.ask(id, "again"));
    assert!(told.detail.contains(broken.to_str().unwrap()) && !told.hint.is_empty(), "{told:?}");
}

/// The agent works in `/`, in the home, or in the folder the app was started from, and reads the wrong files.
#[test]
fn every_agent_works_in_the_folder_of_its_conversations_project() {
    let home = Home::new();
    program(&home.path(".local/bin/claude"), &claude("answer \"$(pwd)\""));
    program(
        &home.path(".local/bin/gemini"),
        &gemini("says \"$(pwd)\"; reply '{\"stopReason\":\"end_turn\"}'"),
    );
    std::fs::create_dir(home.path("other project")).unwrap();
    let app = home.app();
    let project = app.project_folder().display().to_string();
    let here = app.conversation("claude");
    answered(&app.ask(here, "where?"));
    let by_acp = app.conversation("gemini");
    answered(&app.ask(by_acp, "where?"));
    let other = std::fs::canonicalize(home.path("other project")).unwrap();
    app.send(ProjectCommand::Open { path: other.clone() });
    let shown = app.until("the other is shown", |s| s.projects.len() == 2).project.unwrap();
    app.send(ChatCommand::New { project: shown, seat: Some(seat("claude")) });
    let there = app.until("made", |s| s.focus.is_some_and(|id| id != here && id != by_acp)).focus.unwrap();
    // Another project is on screen; each conversation keeps its own.
    assert_eq!(answered(&app.ask(here, "where?")), project);
    assert_eq!(answered(&app.ask(by_acp, "where?")), project);
    assert_eq!(answered(&app.ask(there, "where?")), other.display().to_string());
    let heard = std::fs::read_to_string(app.home().join("log/heard")).unwrap();
    assert!(heard.contains(&format!("\"cwd\":\"{project}\"")), "{heard}");
}

/// A program that reads its input to the end before it answers is waited for for ever. Ours talk both ways, so such a
/// program can not be used, but nobody may hang on it.
#[test]
fn a_program_that_waits_for_the_end_of_its_input_is_told_apart() {
    let home = Home::new();
    program(
        &home.path(".local/bin/claude"),
        "#!/bin/sh\ncat > /dev/null\nif [ \"$1\" = --version ]; then echo 9.9.9; exit; fi\necho plain words",
    );
    let app = home.app();
    // Asked for its version it has no input to wait for.
    assert_eq!(found(&app, "claude").status.version.as_deref(), Some("9.9.9"));
    change_settings(&app, |settings| settings.turn_idle_timeout_secs = 10);
    let id = app.conversation("claude");
    let told = failure(&app.ask(id, "hello"));
    assert_eq!(told.kind, FailureKind::TimedOut);
    assert!(told.message.contains("no sign of life for 10 s"), "{told:?}");
    assert!(told.detail.contains(".local/bin/claude") && told.hint.contains("settings"), "{told:?}");
    assert!(app.view(id).turn.as_ref().unwrap().ended_ms.is_some());
}

/// A key in the environment or in the project's `.env` silently moves the bill from the subscription to the key.
#[test]
fn keys_stay_out_of_the_agent_unless_they_were_chosen() {
    let mut home = Home::new();
    let keys = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "SOME_OTHER_TOKEN"];
    for name in keys {
        home.set(name, "dummy-key-of-a-test");
    }
    program(&home.path(".local/bin/claude"), &claude_after("env > \"$log/env\"", "answer ok"));
    let app = home.app();
    std::fs::write(app.project_folder().join(".env"), "ANTHROPIC_API_KEY=dummy-key-of-the-project\n")
        .unwrap();
    let seen = || std::fs::read_to_string(app.home().join("log/env")).unwrap();
    let id = app.conversation("claude");
    answered(&app.ask(id, "hello"));
    assert!(!seen().contains("dummy-key"), "{}", seen());
    assert_eq!(found(&app, "claude").status.billing, Billing::Subscription);

    let engine = EngineId::new("claude");
    app.send(EngineCommand::SetBilling { engine: engine.clone(), billing: Billing::ApiKey });
    app.until("billing set", |s| {
        s.settings.engines.get(&engine).is_some_and(|set| set.billing == Billing::ApiKey)
    });
    answered(&app.ask(id, "hello again"));
    assert!(seen().contains("ANTHROPIC_API_KEY=dummy-key-of-a-test"), "{}", seen());
    for other in ["OPENAI_API_KEY=", "SOME_OTHER_TOKEN=", "of-the-project"] {
        assert!(!seen().contains(other), "{other} reached the agent");
    }
    let row = found(&app, "claude");
    assert_eq!((row.status.billing, row.status.login.as_deref()), (Billing::ApiKey, Some("API key")));
}

/// Our own bundle's libraries break the tools that the agent starts.
#[test]
fn the_libraries_of_our_bundle_stay_out_of_the_agent() {
    let mut home = Home::new();
    home.set("APPDIR", "/x").set("LD_LIBRARY_PATH", "/x/usr/lib:/opt/mine");
    program(&home.path(".local/bin/claude"), &claude("answer \"$LD_LIBRARY_PATH\""));
    let app = home.app();
    let id = app.conversation("claude");
    assert_eq!(answered(&app.ask(id, "hello")), "/opt/mine");
}

/// A project whose folder has gone is an error that names it, not a start somewhere else.
#[test]
fn nothing_is_started_without_the_projects_folder() {
    let app = app_with_claude("answer \"$(pwd)\"");
    let id = app.conversation("claude");
    let folder = app.project_folder();
    std::fs::remove_dir(&folder).unwrap();
    let told = failure(&app.ask(id, "hello"));
    assert_eq!(told.kind, FailureKind::FolderMissing);
    assert!(told.message.contains(folder.to_str().unwrap()) && starts(&app).is_empty(), "{told:?}");
}
