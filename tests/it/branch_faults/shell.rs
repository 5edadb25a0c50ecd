//! Bad input by the command line: it ends soon, with a reason, and nothing is done.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::kills::Shell;
use crate::support::database;

/// What a command may take on a busy machine; an answer that never comes takes 30 s.
const SOON: Duration = Duration::from_secs(15);

/// Exit code, output, and what it says went wrong.
fn ran(command: &mut Command) -> (i32, String, String) {
    let started = Instant::now();
    let output = command.output().unwrap();
    assert!(started.elapsed() < SOON, "{command:?} took {:?}", started.elapsed());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn refused(shell: &Shell, args: &[&str], words: &str) {
    let (code, out, err) = ran(&mut shell.command(args));
    assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
    assert!(err.contains(words), "{args:?}: {err}");
}

/// A label names no branch: two may bear the same.
#[test]
fn a_branch_is_named_by_its_number_alone() {
    let shell = Shell::new();
    let twin =
        shell.run(&["branch", "add", &shell.parent, "--label", "first", "--json"])[0]["id"].to_string();
    assert_ne!(twin, shell.branch);
    let titles: Vec<_> =
        shell.run(&["branch", "list", "--json"]).iter().map(|row| row["label"].clone()).collect();
    assert_eq!(titles.iter().filter(|title| *title == "first").count(), 2, "{titles:?}");
    for args in [["branch", "adopt", "first", "words"], ["branch", "rename", "first", "other"]] {
        refused(&shell, &args, "first");
    }
    for word in ["undo", "archive", "remove"] {
        refused(&shell, &["branch", word, "first"], "first");
    }
    refused(&shell, &["branch", "adopt", "987654", "words"], "There is no branch 987654");
    refused(&shell, &["branch", "adopt", &shell.parent, "words"], "There is no branch");
    assert_eq!(database::number(shell.path(), "SELECT count(*) FROM link"), 0);
}

#[test]
fn labels_that_cannot_be_read_are_cleaned_or_refused() {
    let shell = Shell::new();
    for (label, expected) in [
        ("feature/x 🔐", "feature/x 🔐"),
        ("\u{1b}[31mred\u{7}", "[31mred"),
        ("\u{202e}turned\u{202c} around", "turned around"),
        ("two\nlines", "two lines"),
    ] {
        let row = &shell.run(&["branch", "rename", &shell.branch, label, "--json"])[0];
        assert_eq!(row["label"], expected);
        let (_, shown, _) = ran(&mut shell.command(&["branch", "list"]));
        assert!(
            shown.contains(expected) && !shown.contains('\u{1b}') && !shown.contains('\u{202e}'),
            "{shown}"
        );
    }
    refused(&shell, &["branch", "rename", &shell.branch, "\u{202e}\u{1b}"], "nothing that can be read");
}

/// One program owns the data: a second one is told so, and changes nothing.
#[test]
fn a_second_program_adopts_nothing() {
    let shell = Shell::new();
    let script = shell.path().join("hang.jsonl");
    std::fs::write(&script, "{\"text\":\"part\"}\n{\"hang\":true}").unwrap();
    let engine = format!("script:{}", script.display());
    let mut first = shell
        .command(&["send", "--engine", &engine, "--conversation", &shell.parent, "go on"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while database::number(shell.path(), "SELECT count(*) FROM turn WHERE ended_ms IS NULL") == 0 {
        assert!(started.elapsed() < SOON, "it never began");
        std::thread::yield_now();
    }
    for args in [
        vec!["branch", "adopt", &shell.branch, "words"],
        vec!["branch", "add", &shell.parent],
        vec!["branch", "remove", &shell.branch],
    ] {
        let (code, _, err) = ran(&mut shell.command(&args));
        assert!(code != 0 && err.contains("tunaflow"), "{args:?}: {code} {err}");
    }
    let (code, listed, _) = ran(&mut shell.command(&["branch", "list"]));
    assert!(code == 0 && listed.contains("first"), "looking is free: {listed}");
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(database::number(shell.path(), "SELECT count(*) FROM link"), 0);
    assert_eq!(shell.run(&["branch", "list", "--json"]).len(), 2);
}

/// Rows bent by hand: every command comes to an end.
#[test]
fn bent_rows_hold_nothing_up() {
    for sql in [
        "UPDATE conversation SET parent = id WHERE id = ?1",
        "UPDATE conversation SET parent = (SELECT max(id) FROM conversation) WHERE id = ?1",
        "UPDATE conversation SET parent = 987654 WHERE id = ?1",
        "UPDATE conversation SET branch_json = '{\"adopted\":', checkpoint = 'x' WHERE id = ?1",
    ] {
        let shell = Shell::new();
        database::open(shell.path()).execute_batch(&sql.replace("?1", &shell.branch)).unwrap();
        let branch = shell.branch.as_str();
        for args in [
            vec!["branch", "list"],
            vec!["conversations"],
            vec!["messages", branch],
            vec!["context", "--conversation", branch, "what next"],
            vec!["send", "--conversation", branch, "still there?"],
            vec!["branch", "rename", branch, "bent"],
            vec!["branch", "archive", branch],
            vec!["branch", "reactivate", branch],
        ] {
            let (code, _, err) = ran(&mut shell.command(&args));
            assert_eq!(code, 0, "{sql} {args:?}: {err}");
        }
        let (code, _, err) = ran(&mut shell.command(&["branch", "adopt", branch, "words"]));
        assert!(code == 0 || err.contains("is gone"), "{sql}: {code} {err}");
        let (code, _, err) = ran(&mut shell.command(&["branch", "remove", branch]));
        assert_eq!(code, 0, "{sql}: {err}");
        database::assert_sound(shell.path());
    }
}

/// No room on the disk for what is adopted: told so, and nothing of it is there; with room it works.
#[test]
#[expect(clippy::disallowed_methods, reason = "a shell that limits the program under test")]
fn a_full_disk_adopts_nothing() {
    let shell = Shell::new();
    let text = "결론".repeat(9_500);
    let adopt = shell.command(&["branch", "adopt", &shell.branch, &text]);
    let before = database::dump(shell.path(), |table, _| !["project", "counter"].contains(&table));
    let mut limited = Command::new("/bin/bash");
    // Files may not grow beyond 100 KB, as on a disk without room.
    limited
        .env_clear()
        .envs(adopt.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(shell.path().join("project"))
        .args(["-c", "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\""])
        .arg(adopt.get_program())
        .args(adopt.get_args())
        .stdin(Stdio::null());
    let (code, out, err) = ran(&mut limited);
    assert_eq!((code, out.as_str()), (5, ""), "{err}");
    let after = database::dump(shell.path(), |table, _| !["project", "counter"].contains(&table));
    database::assert_same(&before, &after, "nothing is kept");
    database::assert_sound(shell.path());
    shell.run(&["branch", "adopt", &shell.branch, &text]);
    assert_eq!(database::number(shell.path(), "SELECT count(*) FROM link"), 1);
}
