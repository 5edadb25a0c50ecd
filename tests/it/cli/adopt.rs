//! `branch adopt`: an agent's summary by default, other sources by name, and nothing adopted when something is wrong.

use serde_json::Value;

use crate::cli::{Ran, Shell};

/// Writes a script; gives its engine.
fn script(shell: &Shell, name: &str, lines: &str) -> String {
    let path = shell.home.path().join(name);
    std::fs::write(&path, lines).unwrap();
    format!("script:{}", path.display())
}

fn row(ran: Ran) -> Value {
    let rows = ran.ok().lines();
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows[0].clone()
}

/// A branch in which something was said, answered by a script whose summary is known.
fn branch(shell: &Shell) -> String {
    let lines = "{\"text\":\"Use v1.2. It works. More of it.\"}\n{\"turn\":\"Write a summary of\"}\n{\"usage\":{\"input_tokens\":1200,\"output_tokens\":34,\"cost_usd\":0.25}}\n{\"text\":\"We use v1.2.\"}";
    let engine = script(shell, "talk.jsonl", lines);
    shell.run(&["send", "--engine", &engine, "hello"]).ok();
    let talk = shell.newest_conversation();
    let made = row(shell.run(&["branch", "add", &talk, "--json"]));
    let branch = made["id"].to_string();
    shell.run(&["send", "--conversation", &branch, "and here?"]).ok();
    branch
}

fn status(shell: &Shell, branch: &str) -> String {
    let rows = shell.run(&["branch", "list", "--json"]).ok().lines();
    let id: i64 = branch.parse().unwrap();
    let row = rows.iter().find(|row| row["id"] == id).unwrap();
    row["status"].as_str().unwrap().to_owned()
}

#[test]
fn an_agent_is_asked_and_what_it_took_is_told() {
    let shell = Shell::new();
    let branch = branch(&shell);
    let Ran { code, out, err } = shell.run(&["branch", "adopt", &branch, "--draft"]);
    assert_eq!((code, out.as_str()), (0, "We use v1.2.\n"), "{err}");
    assert!(err.contains("1234 tokens") && err.contains("$0.25"), "{err}");
    assert_eq!(status(&shell, &branch), "active");
    let draft = row(shell.run(&["branch", "adopt", &branch, "--draft", "--json"]));
    assert_eq!((draft["source"].as_str(), draft["text"].as_str()), (Some("agent"), Some("We use v1.2.")));
    assert_eq!((draft["usage"]["cost_usd"].as_f64(), draft["parts"].as_i64()), (Some(0.25), Some(1)));
    let other = script(&shell, "other.jsonl", "{\"text\":\"Said by another.\"}");
    let draft = row(shell.run(&["branch", "adopt", &branch, "--draft", "--json", "--engine", &other]));
    assert_eq!(draft["text"], "Said by another.");

    let adopted = shell.run(&["branch", "adopt", &branch]).ok();
    assert!(adopted.out.starts_with("We use v1.2.\n") && adopted.out.contains("adopted"), "{}", adopted.out);
    assert_eq!(status(&shell, &branch), "adopted");
    shell.run(&["branch", "undo", &branch]).ok();
    let adopted = row(shell.run(&["branch", "adopt", &branch, "--json"]));
    assert_eq!(
        (adopted["status"].as_str(), adopted["summary"]["text"].as_str()),
        (Some("adopted"), Some("We use v1.2."))
    );
}

#[test]
fn other_sources_need_no_agent() {
    let shell = Shell::new();
    let branch = branch(&shell);
    for (args, source, text) in [
        (vec!["--positions"], "key-positions", "**: Use v1.2. It works."),
        (vec!["--last"], "last-answer", "Use v1.2. It works. More of it."),
        (vec!["Own words."], "own", "Own words."),
    ] {
        let args = [vec!["branch", "adopt", &branch, "--draft", "--json"], args].concat();
        let draft = row(shell.run(&args));
        assert_eq!(draft["source"], source, "{args:?}");
        assert!(draft["text"].as_str().unwrap().ends_with(text), "{draft}");
        assert_eq!(draft["usage"], Value::Null);
    }
    assert_eq!(status(&shell, &branch), "active");
    for args in [vec!["--last", "--positions"], vec!["--last", "text"], vec!["--engine", "demo", "text"]] {
        let args = [vec!["branch", "adopt", &branch], args].concat();
        assert_eq!(shell.run(&args).code, 2, "{args:?}");
    }
    shell.run(&["branch", "adopt", &branch, "--positions"]).ok();
    assert_eq!(status(&shell, &branch), "adopted");
}

#[test]
fn a_failure_adopts_nothing_and_names_the_way_out() {
    let shell = Shell::new();
    let branch = branch(&shell);
    let bad = script(
        &shell,
        "bad.jsonl",
        "{\"fail\":{\"kind\":\"not_logged_in\",\"message\":\"Nobody is logged in.\"}}",
    );
    let Ran { code, out, err } = shell.run(&["branch", "adopt", &branch, "--engine", &bad]);
    assert_eq!((code, out.as_str()), (3, ""), "{err}");
    for words in ["Nothing was adopted", "Nobody is logged in", "--last"] {
        assert!(err.contains(words), "{words}: {err}");
    }
    assert_eq!(shell.run(&["branch", "adopt", &branch, "--engine", "nobody"]).code, 2);
    assert_eq!(status(&shell, &branch), "active");
}

#[cfg(unix)]
#[test]
fn a_stop_adopts_nothing() {
    let shell = Shell::new();
    let branch = branch(&shell);
    let slow = script(&shell, "slow.jsonl", "{\"hang\":true}");
    let child = shell.spawn(&["branch", "adopt", &branch, "--engine", &slow]);
    let scratch = shell.home.path().join("data/scratch");
    let begun = std::time::Instant::now();
    while std::fs::read_dir(&scratch).map_or(0, Iterator::count) == 0 {
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "it never begins");
        std::thread::yield_now();
    }
    crate::cli::signal(&child, rustix::process::Signal::INT);
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert_eq!((ran.code, ran.out.as_str()), (4, ""), "{}", ran.err);
    assert!(ran.err.contains("Nothing was adopted"), "{}", ran.err);
    assert_eq!(status(&shell, &branch), "active");
    assert_eq!(std::fs::read_dir(&scratch).map_or(0, Iterator::count), 0);
}
