//! A branch with a checkout of its own: agents work there and nowhere else, and nothing in it is ever lost.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tunaflow::api::command::{BranchCommand, ChatCommand};
use tunaflow::api::snapshot::{ChangesView, Snapshot};
use tunaflow::model::branch::BranchFacts;
use tunaflow::model::git::{Changes, Checkout};
use tunaflow::model::id::ConversationId;
use tunaflow::model::turn::FailureKind;

use super::fake::{answered, app_with_claude, failure, heard, starts, system_text};
use crate::support::app::{TestApp, messages};

/// Runs git in a folder of the test's own; it must be there.
#[expect(clippy::disallowed_methods, reason = "the test's own repository")]
fn git(app: &TestApp, folder: &Path, args: &[&str]) -> String {
    let who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
    let ran = std::process::Command::new("git")
        .args(who)
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin")
        .env("HOME", app.home())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("these tests need the program git");
    assert!(ran.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8_lossy(&ran.stdout).trim().to_owned()
}

fn repository(app: &TestApp) {
    let project = app.project_folder();
    git(app, &project, &["init", "--quiet", "-b", "main"]);
    std::fs::write(project.join("a.txt"), "one\n").unwrap();
    git(app, &project, &["add", "-A"]);
    git(app, &project, &["commit", "--quiet", "-m", "first"]);
}

fn facts(snapshot: &Snapshot, id: ConversationId) -> BranchFacts {
    let row = snapshot.conversations.iter().find(|row| row.conversation.id == id).unwrap();
    row.conversation.branch.as_ref().unwrap().facts.clone()
}

/// A branch of a talk of one turn.
fn branch(app: &TestApp) -> ConversationId {
    repository(app);
    let parent = app.conversation("claude");
    let view = app.ask(parent, "hello");
    let branch = app.branch(parent, messages(&view)[1].id, None);
    app.until("linked", |s| facts(s, branch).git_branch.as_deref() == Some("main"));
    branch
}

fn done(app: &TestApp, id: ConversationId, command: BranchCommand) -> Arc<ChangesView> {
    let before = app.snapshot().changes.clone();
    app.send(command);
    let ended = |s: &Snapshot| {
        let view = s.changes.as_ref().filter(|view| view.conversation == id);
        view.is_some_and(|view| {
            view.doing.is_none() && !before.as_ref().is_some_and(|old| Arc::ptr_eq(old, view))
        })
    };
    app.until("git is done", ended).changes.clone().unwrap()
}

fn make(app: &TestApp, id: ConversationId) -> PathBuf {
    let view = done(app, id, BranchCommand::MakeWorktree { branch: id, git_branch: None });
    assert_eq!(view.error, None);
    PathBuf::from(facts(&app.snapshot(), id).worktree.unwrap())
}

fn changes(view: &ChangesView) -> &Changes {
    match view.checkout.as_deref() {
        Some(Checkout::There(changes)) => changes,
        other => panic!("{other:?}, {:?}", view.error),
    }
}

/// The agents work in the branch's own checkout, are told so, and what they did is shown.
#[test]
fn agents_of_a_branch_work_in_its_own_checkout() {
    let app = app_with_claude("echo two >> a.txt; answer ok");
    let branch = branch(&app);
    let project = app.project_folder();
    git(&app, &project, &["checkout", "--quiet", "--", "a.txt"]);
    let folder = make(&app, branch);
    assert!(folder.starts_with(std::fs::canonicalize(app.home()).unwrap()) && !folder.starts_with(&project));
    answered(&app.ask(branch, "do it"));
    assert_eq!(starts(&app).last().unwrap().folder, folder.display().to_string());
    assert_eq!(std::fs::read_to_string(project.join("a.txt")).unwrap(), "one\n");
    let name = facts(&app.snapshot(), branch).git_branch.unwrap();
    let told = format!("{}{}", system_text(&app), heard(&app).join("\n"));
    for part in [format!("- Folder: {}", folder.display()), format!("- Git branch: {name}")] {
        assert!(told.contains(&part), "{part}: {told}");
    }
    assert!(told.contains(&format!("project's main folder: {}", project.display())), "{told}");
    let view = done(&app, branch, BranchCommand::LookAtChanges { conversation: branch });
    let file = &changes(&view).files[0];
    assert_eq!((file.path.shown().as_str(), file.added), ("a.txt", Some(1)));
    app.send(BranchCommand::LookAtDiff { conversation: branch, file: file.path.clone() });
    let shown = app.until("the difference", |s| s.changes.as_ref().is_some_and(|view| view.diff.is_some()));
    let diff = shown.changes.as_ref().unwrap().diff.clone().unwrap().unwrap();
    assert!(diff.text.contains("+two"), "{}", diff.text);
    // It is all there after a restart.
    let app = app.restart();
    assert_eq!(facts(&app.snapshot(), branch).worktree.as_deref(), folder.to_str());
}

/// Cleaning up removed a checkout with uncommitted work.
#[test]
fn a_checkout_with_work_in_it_is_kept_and_named() {
    let app = app_with_claude("echo mine > work.txt; answer ok");
    let branch = branch(&app);
    let folder = make(&app, branch);
    answered(&app.ask(branch, "do it"));
    let remove = |with_ignored| BranchCommand::RemoveWorktree { branch, with_ignored };
    let view = done(&app, branch, remove(true));
    assert_eq!(view.refused.as_ref().unwrap().lines(9), ["not committed: work.txt"]);
    app.send(ChatCommand::SetArchived { conversation: branch, archived: true });
    app.send(ChatCommand::Delete { conversation: branch });
    let path = folder.display().to_string();
    app.until("told where it stays", |s| s.notices.iter().any(|notice| notice.body.contains(&path)));
    // Erased at the next start; the work is not.
    let app = app.restart();
    app.until("read", |s| !s.conversations.is_empty());
    assert_eq!(std::fs::read_to_string(folder.join("work.txt")).unwrap(), "mine\n");
}

/// A clean one goes, its git branch stays, and the branch works in the project's folder again.
#[test]
fn a_clean_checkout_is_removed_and_the_branch_goes_on() {
    let app = app_with_claude("answer ok");
    let branch = branch(&app);
    let folder = make(&app, branch);
    let name = facts(&app.snapshot(), branch).git_branch.unwrap();
    let view = done(&app, branch, BranchCommand::RemoveWorktree { branch, with_ignored: false });
    assert_eq!((view.refused.clone(), view.error.clone()), (None, None));
    assert!(!folder.exists() && facts(&app.snapshot(), branch).worktree.is_none());
    assert!(git(&app, &app.project_folder(), &["branch", "--list"]).contains(&name));
    answered(&app.ask(branch, "and now?"));
    assert_eq!(starts(&app).last().unwrap().folder, app.project_folder().display().to_string());
}

/// A checkout removed by hand: no agent starts, least of all in the project's folder.
#[test]
fn without_its_checkout_no_agent_starts() {
    let app = app_with_claude("answer ok");
    let branch = branch(&app);
    let folder = make(&app, branch);
    std::fs::remove_dir_all(&folder).unwrap();
    let before = starts(&app).len();
    let failed = failure(&app.ask(branch, "go on"));
    assert_eq!((failed.kind, starts(&app).len()), (FailureKind::FolderMissing, before));
    assert!(failed.hint.contains("make the checkout again"), "{}", failed.hint);
    let view = done(&app, branch, BranchCommand::LookAtChanges { conversation: branch });
    assert_eq!(view.checkout.as_deref(), Some(&Checkout::Gone { folder: folder.clone() }));
    assert_eq!(make(&app, branch), folder);
    std::fs::remove_dir_all(&folder).unwrap();
    let view = done(&app, branch, BranchCommand::ForgetWorktree { branch });
    assert_eq!((view.error.clone(), facts(&app.snapshot(), branch).worktree), (None, None));
}

/// An agent in a checkout changed files of the main one by their absolute paths.
#[test]
fn changes_of_the_main_folder_are_told() {
    let app = app_with_claude(
        r#"case "$line" in *"write outside"*) echo x >> "$HOME/project/a.txt" ;; esac; answer ok"#,
    );
    let branch = branch(&app);
    make(&app, branch);
    answered(&app.ask(branch, "write inside"));
    answered(&app.ask(branch, "write outside"));
    let told =
        app.until("told", |s| s.notices.iter().any(|notice| notice.title.contains("project's own folder")));
    let notice = told.notices.iter().find(|notice| notice.title.contains("project's own folder")).unwrap();
    assert!(
        notice.body.contains("may have been changed by the agent") && notice.body.contains("a.txt"),
        "{notice:?}"
    );
}

/// A project without git works; it is said why there is no checkout.
#[test]
fn a_project_without_git_is_told_so() {
    let app = app_with_claude("answer ok");
    let parent = app.conversation("claude");
    let view = app.ask(parent, "hello");
    let branch = app.branch(parent, messages(&view)[1].id, None);
    answered(&app.ask(branch, "and here"));
    let view = done(&app, branch, BranchCommand::MakeWorktree { branch, git_branch: None });
    assert!(view.error.as_ref().unwrap().contains("in no git repository"), "{:?}", view.error);
    assert_eq!(facts(&app.snapshot(), branch).git_branch, None);
}
