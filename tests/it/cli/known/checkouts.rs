//! Checkouts from the command line: what is told before the program ends.

use serde_json::json;

use super::shell_git;
use crate::cli::{Ran, Shell, signal};
use crate::user_reports::fake;

/// A project with one commit, in a home with a stand-in for Claude Code.
fn shell(turn: &str) -> Shell {
    let shell = Shell::new();
    std::fs::create_dir(shell.home.path().join("log")).unwrap();
    fake::program(&shell.home.path().join(".local/bin/claude"), &fake::claude(turn));
    std::fs::write(shell.project().join("a.txt"), "one\n").unwrap();
    for args in
        [&["init", "--quiet", "-b", "main"][..], &["add", "-A"], &["commit", "--quiet", "-m", "first"]]
    {
        let ran = shell_git(shell.home.path()).args(args).current_dir(shell.project()).output();
        assert!(ran.expect("these tests need the program git").status.success(), "{args:?}");
    }
    shell
}

#[test]
fn a_new_branch_belongs_to_the_git_branch_of_the_project() {
    let shell = shell("answer ok");
    let talk = shell.talk();
    assert_eq!(shell.row(&["branch", "add", &talk])["git_branch"], "main");
    assert!(shell.rows(&["branch", "list"]).iter().all(|row| row["git_branch"] == "main"));
}

#[test]
fn a_branch_that_goes_names_the_checkouts_that_stay() {
    let shell = shell("answer ok");
    let talk = shell.talk();
    let outer = shell.id(&["branch", "add", &talk]);
    let inner = shell.id(&["branch", "add", &outer]);
    let made = shell.row(&["branch", "worktree", "add", &inner]);
    let folder = made["worktree"].as_str().unwrap();
    let gone = shell.run(&["branch", "remove", &outer]).ok();
    assert!(gone.err.contains(&format!("A checkout stays at {folder}.")), "{}", gone.err);
    assert!(std::path::Path::new(folder).join("a.txt").is_file());
    let other = shell.id(&["branch", "add", &talk]);
    let made = shell.row(&["branch", "worktree", "add", &other]);
    let folder = made["worktree"].as_str().unwrap();
    let project = shell.project();
    let gone = shell.run(&["project", "remove", project.to_str().unwrap()]).ok();
    assert!(gone.err.contains(&format!("Its checkout stays at {folder}.")), "{}", gone.err);
}

#[test]
fn a_reactivated_branch_is_adopted_again_and_taken_back_card_by_card() {
    let shell = shell("answer ok");
    let talk = shell.talk();
    let branch = shell.id(&["branch", "add", &talk]);
    shell.row(&["branch", "adopt", &branch, "first"]);
    shell.refused(&["branch", "adopt", &branch, "again"], "adopted already");
    shell.row(&["branch", "reactivate", &branch]);
    shell.row(&["branch", "adopt", &branch, "second"]);
    assert_eq!(shell.rows(&["agreement", "list"]).len(), 2);
    shell.row(&["branch", "undo", &branch]);
    let left = shell.rows(&["agreement", "list"]);
    assert_eq!((left.len(), &left[0]["text"]), (1, &json!("first")));
}

#[test]
fn a_write_into_the_main_folder_is_told_before_the_turn_ends() {
    let shell =
        shell(r#"case "$line" in *"write outside"*) echo x >> "$HOME/project/a.txt" ;; esac; answer ok"#);
    let talk = shell.talk();
    let branch = shell.id(&["branch", "add", &talk]);
    let said = shell.run(&["branch", "worktree", "add", &branch]).ok();
    assert!(said.err.contains("Its checkout is "), "{}", said.err);
    let send = ["send", "--json", "--engine", "claude", "--conversation", &branch];
    // What the user does there between two turns is the user's.
    std::fs::write(shell.project().join("mine.txt"), "mine\n").unwrap();
    let quiet = shell.run(&[&send[..], &["work here"]].concat()).ok();
    assert!(quiet.lines().iter().all(|line| line["event"] != "notice"), "{}", quiet.out);
    let told = shell.run(&[&send[..], &["write outside"]].concat()).ok().lines();
    let notice = told.iter().find(|line| line["event"] == "notice").expect("it is told");
    let text = notice["text"].as_str().unwrap();
    assert!(text.contains("a.txt") && !text.contains("mine.txt"), "{text}");
    assert_eq!(told.last().unwrap()["event"], json!("finished"));
}

#[test]
fn ctrl_c_ends_a_look_that_git_keeps_waiting() {
    let shell = shell("answer ok");
    let talk = shell.talk();
    let branch = shell.id(&["branch", "add", &talk]);
    let slow = "#!/bin/sh\ntouch \"$HOME/asked\"\nexec sleep 100\n";
    fake::program(&shell.home.path().join("slow/git"), slow);
    let path = format!("{}:/usr/bin:/bin", shell.home.path().join("slow").display());
    let child = shell.command(&["branch", "changes", &branch]).env("PATH", path).spawn().unwrap();
    while !shell.home.path().join("asked").exists() {
        std::thread::yield_now();
    }
    signal(&child, rustix::process::Signal::INT);
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert_eq!((ran.code, ran.out.as_str()), (4, ""), "{}", ran.err);
    assert!(ran.err.contains("Stopped."), "{}", ran.err);
}
