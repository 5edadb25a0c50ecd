//! A branch summarised by the real command lines: the whole of it in one request of its own, and nothing left behind.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tunaflow::api::command::{BranchCommand, ProjectCommand};
use tunaflow::api::summary::SummaryState;
use tunaflow::model::id::ConversationId;

use super::{Bench, LIMIT, count_in, processes};
use crate::support::app::messages;
use crate::support::clis::Engine;

fn ask(bench: &Bench, id: ConversationId, name: &str) {
    let said = bench.said(id, &format!("ask-{name} SAY:reply-{name}"));
    assert_eq!(said, format!("reply-{name}"), "{:?}", bench.engine);
}

fn summarise(bench: &Bench, branch: ConversationId) -> String {
    bench.app.send(BranchCommand::Summarise { branch, seat: None });
    let ended = bench.app.until("the end of the summary", |s| {
        let request = s.summary(branch).and_then(|known| known.request.as_ref());
        request.is_some_and(|request| request.state != SummaryState::Running)
    });
    let request = ended.summary(branch).unwrap().request.clone().unwrap();
    assert_eq!(request.state, SummaryState::Done, "{:?}: {:?}", bench.engine, request.failure);
    request.text.clone()
}

fn summaries(engine: Engine) {
    let Some(bench) = Bench::start(engine) else { return };
    let parent = bench.conversation();
    ask(&bench, parent, "parent");
    let at = messages(&bench.app.view(parent))[1].id;
    let branch = bench.app.branch(parent, at, None);
    ask(&bench, branch, "one");
    ask(&bench, branch, "two");
    let warm = bench.programs().len();
    let text = summarise(&bench, branch);
    // The model says what the newest of its words asks for, with what follows it in the text.
    assert!(text.starts_with("reply-two"), "{engine:?}: {text}");
    let request = bench.last_request();
    for name in ["one", "two"] {
        assert_eq!(count_in(&request, &format!("ask-{name}")), 1, "{engine:?}: {name}");
    }
    assert_eq!(count_in(&request, "ask-parent"), 0, "{engine:?}: the parent is not told\n{}", request.body);
    assert_eq!(count_in(&request, "## Project"), 0, "{engine:?}: no pack");
    assert!(bench.programs().len() <= warm, "{engine:?}: {:?}", bench.programs());
    let project = bench.app.project_folder().display().to_string();
    assert_eq!(count_in(&request, &project), 0, "{engine:?}: {project}\n{}", request.body);

    // Both go on in their own sessions.
    for id in [branch, parent] {
        ask(&bench, id, "after");
        let request = bench.last_request();
        assert_eq!(count_in(&request, "Write a summary of"), 0, "{engine:?}");
        let own = if id == branch { "ask-two" } else { "ask-parent" };
        assert_eq!(count_in(&request, own), 1, "{engine:?}");
    }

    // Stopped in the middle.
    let before = bench.programs().len();
    bench.app.send(BranchCommand::Summarise { branch, seat: None });
    bench.app.poll("its program", LIMIT, || (bench.programs().len() > before).then_some(()));
    bench.app.send(BranchCommand::StopSummary { branch });
    bench.app.poll("no program of it", Duration::from_secs(10), || {
        (bench.programs().len() <= before).then_some(())
    });
    let home = bench.app.stop();
    assert!(processes::of_home(home.path()).is_empty(), "{engine:?}");
}

/// Where the user lets the program act unasked, by its own settings and by the project's.
fn allow_everything(engine: Engine, home: &Path) {
    let change = |path: &str, add: &dyn Fn(&mut Value)| {
        let path = home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut value = std::fs::read(&path).map_or(json!({}), |text| serde_json::from_slice(&text).unwrap());
        add(&mut value);
        std::fs::write(path, value.to_string()).unwrap();
    };
    match engine {
        Engine::Claude => change(".claude/settings.json", &|value| {
            value["permissions"] = json!({"allow": ["Bash", "Write", "Edit"], "defaultMode": "acceptEdits"});
        }),
        Engine::Codex => {
            let rules = home.join(".codex/rules/default.rules");
            std::fs::create_dir_all(rules.parent().unwrap()).unwrap();
            std::fs::write(rules, "prefix_rule(pattern=[\"touch\"], decision=\"allow\")\n").unwrap();
        }
        Engine::Gemini => change(".gemini/settings.json", &|value| {
            value["general"]["defaultApprovalMode"] = json!("auto_edit");
            value["tools"] = json!({"allowed": ["run_shell_command"]});
        }),
        Engine::OpenCode => change(".config/opencode/opencode.json", &|value| {
            value["permission"] = json!("allow");
            value["agent"] = json!({"build": {"permission": {"bash": "allow", "edit": "allow"}}});
        }),
    }
}

/// What was said in a branch may ask for anything: a summary only puts it into words.
fn does_nothing(engine: Engine) {
    let Some(bench) = Bench::start(engine) else { return };
    let bench = bench.restart_after(|home| allow_everything(engine, home));
    let parent = bench.conversation();
    ask(&bench, parent, "parent");
    let at = messages(&bench.app.view(parent))[1].id;
    let project = bench.app.snapshot().project.unwrap();
    for (place, order) in ["SHELL:touch FILE", "SHELL:echo x > FILE", "WRITE:FILE"].into_iter().enumerate() {
        let file = bench.app.home().join(format!("tmp/{place}"));
        let branch = bench.app.branch(parent, at, None);
        bench.ask_allowing(branch, &order.replace("FILE", &file.display().to_string()));
        if file.exists() {
            std::fs::remove_file(&file).unwrap();
        }
        bench.app.send(ProjectCommand::SetSkipPermissions { project, on: true });
        bench.app.send(BranchCommand::Summarise { branch, seat: None });
        bench.app.until("the end of the summary", |s| {
            let request = s.summary(branch).and_then(|known| known.request.as_ref());
            request.is_some_and(|request| request.state != SummaryState::Running)
        });
        let asked = bench.server.turns().iter().rfind(|one| count_in(one, "Write a summary of") > 0).cloned();
        let tools = asked.unwrap().body["tools"].clone();
        assert!(!file.exists(), "{engine:?} did what the branch says: {order}\n{tools}");
        bench.app.send(ProjectCommand::SetSkipPermissions { project, on: false });
    }
}

#[test]
fn a_summary_of_claude_does_nothing() {
    does_nothing(Engine::Claude);
}

#[test]
fn a_summary_of_codex_does_nothing() {
    does_nothing(Engine::Codex);
}

#[test]
fn a_summary_of_gemini_does_nothing() {
    does_nothing(Engine::Gemini);
}

#[test]
fn a_summary_of_opencode_does_nothing() {
    does_nothing(Engine::OpenCode);
}

#[test]
fn summaries_of_claude() {
    summaries(Engine::Claude);
}

#[test]
fn summaries_of_codex() {
    summaries(Engine::Codex);
}

#[test]
fn summaries_of_gemini() {
    summaries(Engine::Gemini);
}

#[test]
fn summaries_of_opencode() {
    summaries(Engine::OpenCode);
}
