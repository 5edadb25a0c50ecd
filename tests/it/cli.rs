//! The program itself, run as a script would run it: in an environment and a data folder of its own.

mod adopt;
mod known;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A home with a project folder, and the program to run in it.
struct Shell {
    home: TempDir,
}

/// What came of one run.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{}\n{}", self.out, self.err);
        self
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Shell {
    fn new() -> Self {
        let home = TempDir::new().unwrap();
        std::fs::create_dir(home.path().join("project")).unwrap();
        Self { home }
    }

    fn project(&self) -> PathBuf {
        std::fs::canonicalize(self.home.path().join("project")).unwrap()
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the program under test is started as a shell would start it"
    )]
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tunaflow"));
        command
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", "/usr/bin:/bin")
            .current_dir(self.project())
            .arg("--data-dir")
            .arg(self.home.path().join("data"))
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The same command, started by another program that is given these arguments before it.
    #[cfg(unix)]
    #[expect(clippy::disallowed_methods, reason = "as above")]
    fn within(&self, program: &str, before: &[&str], command: &Command) -> Command {
        let mut whole = Command::new(program);
        whole
            .env_clear()
            .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .current_dir(self.project())
            .args(before)
            .arg(command.get_program())
            .args(command.get_args())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        whole
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.command(args).output().unwrap().into()
    }

    fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }

    /// With these bytes on standard input.
    fn run_with(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(input));
            child.wait_with_output().unwrap().into()
        })
    }

    /// An engine that plays these lines.
    fn script(&self, lines: &str) -> String {
        let path = self.home.path().join(format!("{}.jsonl", lines.len()));
        std::fs::write(&path, lines).unwrap();
        format!("script:{}", path.display())
    }

    fn newest_conversation(&self) -> String {
        let listed = self.run(&["conversations", "--json"]).ok().lines();
        listed[0]["id"].as_i64().unwrap().to_string()
    }

    fn messages(&self, conversation: &str) -> Vec<Value> {
        self.run(&["messages", conversation, "--json"]).ok().lines()
    }
}

/// Reads standard output until `words` have come.
fn read_until(out: &mut impl std::io::Read, words: &str) -> String {
    let mut seen = Vec::new();
    let mut byte = [0];
    while out.read(&mut byte).unwrap() == 1 {
        seen.push(byte[0]);
        if seen.ends_with(words.as_bytes()) {
            break;
        }
    }
    String::from_utf8_lossy(&seen).into_owned()
}

#[cfg(unix)]
fn signal(child: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, signal).unwrap();
}

const STREAM: &str = r#"{"text":"안녕 "}
{"thinking":"hm"}
{"tool":{"name":"Bash","kind":"run","title":"ls","input":"ls","output":"a","exit_code":0,"run_ms":0}}
{"stream":{"text":"one 👋 two ","chunk_chars":3,"every_ms":1,"times":50}}
{"usage":{"input_tokens":7}}
"#;

#[test]
fn the_streamed_text_is_the_answer_and_nothing_else() {
    let shell = Shell::new();
    let engine = shell.script(STREAM);
    let ran = shell.run(&["send", "--engine", &engine, "질문 👩‍💻"]).ok();
    assert_eq!(ran.out, format!("안녕 \n\n{}\n", "one 👋 two ".repeat(50)));
    assert!(ran.err.contains("thinking: hm") && ran.err.contains("tool Bash"), "{}", ran.err);
    let messages = shell.messages(&shell.newest_conversation());
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0]["text"], "질문 👩‍💻");
    assert_eq!(messages[1]["text"], ran.out.trim_end_matches('\n'));
    assert_eq!(messages[1]["state"], "complete");
}

#[test]
fn events_are_json_lines_that_add_up() {
    let shell = Shell::new();
    let engine = shell.script(STREAM);
    let events = shell.run(&["send", "--json", "--engine", &engine, "x"]).ok().lines();
    let words: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!((words[0], words[1], words[words.len() - 1]), ("started", "context", "finished"));
    for word in ["text", "thinking", "tool", "usage"] {
        assert!(words.contains(&word), "{word} in {words:?}");
    }
    let last = &events[events.len() - 1];
    let said: Vec<(&str, &str)> = events
        .iter()
        .filter(|event| event["event"] == "text")
        .map(|event| (event["item"].as_str().unwrap(), event["delta"].as_str().unwrap()))
        .collect();
    let mut whole = String::new();
    for (place, (item, delta)) in said.iter().enumerate() {
        if place > 0 && said[place - 1].0 != *item {
            whole.push_str("\n\n");
        }
        whole.push_str(delta);
    }
    assert_eq!(last["text"], whole.as_str());
    assert_eq!((last["state"].as_str(), last["conversation"].is_i64()), (Some("done"), true));
}

#[test]
fn each_kind_of_end_has_its_exit_code() {
    let shell = Shell::new();
    let fail = shell.script("{\"text\":\"part\"}\n{\"fail\":{\"kind\":\"rate_limited\",\"message\":\"Slow.\",\"hint\":\"Wait.\"}}\n");
    let crash = shell.script("{\"crash\":{\"code\":3,\"stderr\":\"no such option\"}}\n");
    for (args, code, words) in [
        (vec!["version"], 0, ""),
        (vec!["project", "list"], 0, ""),
        (vec!["send", "--engine", &fail, "x"], 3, "Slow. Wait."),
        (vec!["send", "--engine", &crash, "x"], 3, "no such option"),
        (vec!["sned"], 2, "unknown command sned"),
        (vec!["send", "--engine", "nobody", "x"], 2, "nobody: there is no such engine"),
        (vec!["send", "--engine", "script:missing", "x"], 2, "there is no such file"),
        (vec!["send", "--engine", "demo", "--role", "nobody", "x"], 2, "there is no such role"),
        (vec!["send", "--engine", "demo", "--conversation", "999", "x"], 2, "no conversation 999"),
        (vec!["send", "--engine", "demo", " "], 2, "no text to send"),
        (vec!["send", "--engine", "demo"], 2, "no text to send"),
        (vec!["--project", "/no/such/folder", "send", "--engine", "demo", "x"], 2, "/no/such/folder"),
        (vec!["messages", "999"], 2, "no conversation 999"),
        (vec!["export", "999", "--format", "md"], 2, "no conversation 999"),
        (vec!["project", "remove", "999"], 2, "no such project"),
        (vec!["settings", "set", "theme", "blue"], 2, "theme cannot be blue"),
    ] {
        let ran = shell.run(&args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
        let errors = ran.err.lines().filter(|line| line.starts_with("tunaflow: ")).count();
        assert_eq!(errors, usize::from(code != 0), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{args:?}: {}", ran.err);
    }
    // What came before the failure was told, and is kept.
    let conversations = shell.run(&["conversations", "--json"]).ok().lines();
    assert!(conversations.iter().all(|row| row["state"] == "failed"), "{conversations:?}");
}

#[test]
fn a_damaged_database_ends_send_with_its_own_code() {
    let shell = Shell::new();
    std::fs::create_dir(shell.home.path().join("data")).unwrap();
    std::fs::write(shell.home.path().join("data").join("tunaflow.db"), vec![b'x'; 20_000]).unwrap();
    let ran = shell.run(&["send", "--engine", "demo", "x"]);
    assert_eq!(ran.code, 5, "{}", ran.err);
    let doctor = shell.run(&["doctor", "--json"]);
    assert_eq!(doctor.code, 1, "{}", doctor.err);
    assert_eq!(doctor.lines()[0]["database"]["state"], "damaged");
    // No list of nothing passes for an empty history.
    for args in
        [&["conversations"][..], &["project", "list"], &["messages", "1"], &["settings", "get", "theme"]]
    {
        let ran = shell.run(args);
        assert_eq!((ran.code, ran.err.lines().count()), (5, 1), "{args:?}: {}", ran.err);
        assert!(ran.err.contains("is damaged"), "{args:?}: {}", ran.err);
    }
}

#[test]
fn doctor_reads_the_whole_database() {
    let shell = Shell::new();
    shell.run_with(&["send", "--engine", "demo", "-"], "words ".repeat(40_000).as_bytes()).ok();
    let file = shell.home.path().join("data").join("tunaflow.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let page = bytes.len() / 2 / 4096 * 4096;
    bytes[page..page + 4096].fill(0xff);
    std::fs::write(&file, &bytes).unwrap();
    let doctor = shell.run(&["doctor", "--json"]);
    assert_eq!(doctor.lines()[0]["database"]["state"], "damaged", "{}", doctor.err);
    assert!(std::fs::read(&file).unwrap() == bytes, "the file is left as it is");
}

/// A default that is gone, e.g. a server taken out of the settings, is as good as none: agents are looked for.
#[cfg(unix)]
#[test]
fn an_unknown_default_engine_does_not_make_the_tour_answer() {
    use std::os::unix::fs::PermissionsExt as _;
    let shell = Shell::new();
    let bin = shell.home.path().join(".local/bin");
    std::fs::create_dir_all(&bin).unwrap();
    let agent = bin.join("codex");
    std::fs::write(&agent, "#!/bin/sh\n[ \"$1\" = --version ] && echo codex-cli 1.0.0 && exit 0\nexit 3\n")
        .unwrap();
    std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    shell.run(&["settings", "set", "default_seat", "{\"engine\":\"openai:gone\"}"]).ok();
    let ran = shell.run(&["send", "x"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{}", ran.err);
    assert!(ran.err.contains("exit code 3"), "{}", ran.err);
}

#[test]
fn looking_makes_no_folder() {
    let shell = Shell::new();
    for args in [&["conversations"][..], &["project", "list"], &["doctor"], &["settings", "get"]] {
        assert!(shell.run(args).code <= 1, "{args:?}");
        assert!(!shell.home.path().join("data").exists(), "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_and_keeps_what_came() {
    let shell = Shell::new();
    let engine = shell.script("{\"text\":\"first words\"}\n{\"hang\":true}\n");
    let mut child = shell.spawn(&["send", "--engine", &engine, "x"]);
    let mut out = child.stdout.take().unwrap();
    read_until(&mut out, "first words");
    signal(&child, rustix::process::Signal::INT);
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert_eq!((ran.code, rest.as_str()), (4, "\n"), "{}", ran.err);
    let messages = shell.messages(&shell.newest_conversation());
    assert_eq!((&messages[1]["text"], &messages[1]["state"]), (&"first words".into(), &"stopped".into()));
}

#[cfg(unix)]
#[test]
fn a_second_ctrl_c_ends_at_once() {
    let shell = Shell::new();
    let engine = shell.script("{\"text\":\"first words\"}\n{\"hang\":\"deaf\"}\n");
    let mut child = shell.spawn(&["send", "--json", "--engine", &engine, "x"]);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    read_until(&mut out, "first words");
    let since = std::time::Instant::now();
    // Two of a kind may become one while none was taken: each is sent until it was heard.
    while child.try_wait().unwrap().is_none() {
        signal(&child, rustix::process::Signal::INT);
        std::thread::yield_now();
    }
    assert_eq!(child.wait().unwrap().code(), Some(4));
    assert!(since.elapsed().as_secs() < 4, "{:?}", since.elapsed());
}

#[cfg(unix)]
#[test]
fn killed_in_the_middle_of_an_answer_keeps_it_once() {
    let shell = Shell::new();
    let engine = shell.script(
        "{\"text\":\"kept words\"}\n{\"delay_ms\":1500}\n{\"text\":\" and later\"}\n{\"hang\":true}\n",
    );
    let mut child = shell.spawn(&["send", "--engine", &engine, "what was asked"]);
    let mut out = child.stdout.take().unwrap();
    // When the later words come, the earlier ones are older than a second.
    read_until(&mut out, "later");
    child.kill().unwrap();
    child.wait().unwrap();
    let id = shell.newest_conversation();
    for _ in 0..2 {
        let messages = shell.messages(&id);
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert_eq!(messages[0]["text"], "what was asked");
        assert!(messages[1]["text"].as_str().unwrap().starts_with("kept words"), "{messages:?}");
        assert_eq!(messages[1]["state"], "interrupted");
        let listed = shell.run(&["conversations", "--json"]).ok().lines();
        assert_eq!(listed[0]["state"], "interrupted");
        // The next start in earnest writes it down; it reads the same.
        shell.run(&["project", "add", "."]).ok();
    }
    // Nothing is in the way of going on.
    shell.run(&["send", "--conversation", &id, "--engine", "demo", "hello"]).ok();
    assert_eq!(shell.messages(&id).len(), 4);
}

#[test]
fn standard_input_is_sent_byte_for_byte() {
    let shell = Shell::new();
    let engine = shell.script("{\"text\":\"ok\"}\n");
    let long = "가나다 emoji 👍 line\n".repeat(8_000);
    assert!(long.len() > 200_000);
    for (args, input) in [
        (vec!["send", "--engine", &engine, "-"], long.as_str()),
        (vec!["send", "--engine", &engine], "짧은 글"),
    ] {
        shell.run_with(&args, input.as_bytes()).ok();
        let messages = shell.messages(&shell.newest_conversation());
        assert_eq!(messages[0]["text"], input);
    }
    let ran = shell.run_with(&["send", "--engine", &engine, "-"], &[b'a', 0xff]);
    assert_eq!((ran.code, ran.err.contains("not UTF-8")), (2, true), "{}", ran.err);
}

#[test]
fn a_reader_that_goes_away_stops_the_turn_quietly() {
    let shell = Shell::new();
    let engine = shell.script(
        "{\"stream\":{\"text\":\"words and words\\n\",\"chunk_chars\":16,\"every_ms\":5,\"times\":4000}}\n",
    );
    let mut child = shell.spawn(&["send", "--engine", &engine, "x"]);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    drop(out);
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert_eq!((ran.code, ran.err.as_str()), (4, ""));
    let messages = shell.messages(&shell.newest_conversation());
    assert_eq!(messages[1]["state"], "stopped");
    assert!(messages[1]["text"].as_str().unwrap().starts_with(&line));
}

#[test]
fn questions_are_denied_unless_allowed() {
    let shell = Shell::new();
    let engine = shell.script(
        "{\"ask\":{\"tool\":\"Bash\",\"command\":\"rm x\",\"on_allow\":\"yes\",\"on_deny\":\"no\"}}\n",
    );
    for (permissions, answer, text) in
        [(None, "denied", "no"), (Some("deny"), "denied", "no"), (Some("allow"), "allowed_once", "yes")]
    {
        let mut args = vec!["send", "--json", "--engine", &engine, "x"];
        args.extend(permissions.into_iter().flat_map(|word| ["--permissions", word]));
        let events = shell.run(&args).ok().lines();
        let asked: Vec<&Value> = events.iter().filter(|event| event["event"] == "permission").collect();
        let last = asked[asked.len() - 1];
        assert_eq!((&last["answer"], &last["command"]), (&answer.into(), &"rm x".into()));
        assert!(events[events.len() - 1]["text"].as_str().unwrap().starts_with(text), "{events:?}");
        if answer == "denied" {
            assert!(last["comment"].as_str().unwrap().contains("headless"));
        }
    }
    let ran = shell.run(&["send", "--permissions", "ask", "--engine", &engine, "x"]);
    assert_eq!((ran.code, ran.err.contains("needs a terminal")), (2, true), "{}", ran.err);
}

#[test]
fn reading_goes_on_beside_a_program_that_holds_the_folder() {
    let shell = Shell::new();
    shell.run(&["send", "--engine", "demo", "hello"]).ok();
    let id = shell.newest_conversation();
    let engine = shell.script("{\"text\":\"first words\"}\n{\"hang\":true}\n");
    let mut child = shell.spawn(&["send", "--engine", &engine, "x"]);
    let mut out = child.stdout.take().unwrap();
    read_until(&mut out, "first words");
    for (args, code) in [
        (vec!["project", "list"], 0),
        (vec!["conversations"], 0),
        (vec!["messages", id.as_str()], 0),
        (vec!["export", id.as_str(), "--format", "json"], 0),
        (vec!["context", "--engine", "demo", "what"], 0),
        (vec!["settings", "get"], 0),
        (vec!["send", "--engine", "demo", "x"], 5),
        (vec!["project", "add", "."], 5),
        (vec!["settings", "set", "theme", "dark"], 5),
    ] {
        let ran = shell.run(&args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
        assert_eq!(ran.err.contains("already running"), code == 5, "{args:?}: {}", ran.err);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The lock goes with its holder.
    shell.run(&["send", "--engine", "demo", "x"]).ok();
}

#[test]
fn a_conversation_goes_on_with_its_seat() {
    let shell = Shell::new();
    let engine = shell.script("{\"echo\":true}\n");
    shell.run(&["send", "--engine", &engine, "--role", "architect", "--mode", "lite", "first"]).ok();
    let id = shell.newest_conversation();
    shell.run(&["send", "--conversation", &id, "--model", "other", "second"]).ok();
    let row = &shell.run(&["conversations", "--json"]).ok().lines()[0];
    assert_eq!(
        (&row["messages"], &row["role"], &row["model"]),
        (&4.into(), &"Architect".into(), &"other".into())
    );
    assert_eq!(
        (&row["engine"], &row["mode"], &row["unread"]),
        (&engine.as_str().into(), &"lite".into(), &false.into())
    );
}

#[test]
fn a_profile_or_an_own_role_says_who_answers() {
    let shell = Shell::new();
    let engine = shell.script("{\"echo\":true}\n");
    let profile =
        json!([{ "name": "Strict", "engine": engine, "model": "m1", "role": "Reviewer", "mode": "full" }]);
    shell.run(&["settings", "set", "profiles", &profile.to_string()]).ok();
    let row = |args: &[&str]| {
        shell.run(args).ok();
        let row = shell.run(&["conversations", "--json"]).ok().lines()[0].clone();
        (row["role"].clone(), row["model"].clone(), row["mode"].clone())
    };
    let strict = row(&["send", "--profile", "strict", "first"]);
    assert_eq!(strict, ("Reviewer".into(), "m1".into(), "full".into()));
    let other = row(&["send", "--profile", "Strict", "--model", "m2", "--mode", "lite", "second"]);
    assert_eq!(other, ("Reviewer".into(), "m2".into(), "lite".into()));
    // No profile of that name: the role.
    assert_eq!(row(&["send", "--profile", "tester", "--engine", &engine, "third"]).0, "Tester");
    let roles = shell.project().join(".tunaflow/roles");
    std::fs::create_dir_all(&roles).unwrap();
    std::fs::write(roles.join("Gardener.md"), "Pull out weeds only.").unwrap();
    let shown = shell.run(&["context", "--engine", "demo", "--role", "gardener", "x"]).ok();
    assert!(
        shown.out.contains("Role: Gardener") && shown.out.contains("Pull out weeds only."),
        "{}",
        shown.out
    );
    let refused = shell.run(&["send", "--profile", "nobody", "x"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("no such profile and no such role. Profiles: Strict."), "{}", refused.err);
    let bad = json!([{ "name": " ", "engine": "demo" }]).to_string();
    let refused = shell.run(&["settings", "set", "profiles", &bad]);
    assert!(refused.code != 0 && refused.err.contains("A profile needs a name"), "{}", refused.err);
}

#[test]
fn the_context_is_shown_and_no_engine_is_run() {
    let shell = Shell::new();
    let shown = &shell
        .run(&["context", "--json", "--engine", "demo", "--mode", "full", "--budget", "30000", "무엇"])
        .ok()
        .lines()[0];
    assert_eq!((&shown["mode"], &shown["mode_reason"]), (&"full".into(), &"user-override".into()));
    assert_eq!(shown["budget_chars"], 30_000);
    let sections = shown["sections"].as_array().unwrap();
    assert!(
        sections.iter().all(|section| section["chars"] == section["text"].as_str().unwrap().chars().count())
    );
    let text = shell.run(&["context", "--engine", "demo", "무엇"]).ok().out;
    assert!(text.contains("=== Platform rules ===") && text.contains("=== Report ==="), "{text}");
    assert_eq!(shell.run(&["conversations"]).ok().out, "", "nothing was begun");
    assert_eq!(shell.run(&["project", "list", "--json"]).ok().lines().len(), 1);
}

#[test]
fn exports_hold_every_message_in_order() {
    let shell = Shell::new();
    let engine =
        shell.script("{\"text\":\"````md\\n```rust\\nfn x() {}\\n```\\n````\\n\\n```\\nleft open\"}\n");
    shell.run(&["send", "--engine", &engine, "질문 0"]).ok();
    let id = shell.newest_conversation();
    for turn in 1..35 {
        shell.run(&["send", "--conversation", &id, &format!("질문 {turn}")]).ok();
    }
    let markdown = shell.run(&["export", &id, "--format", "md"]).ok().out;
    let heads: Vec<&str> = markdown.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(heads.len(), 70, "more than one page");
    assert!(heads.iter().step_by(2).all(|head| head.starts_with("## You")));
    let places: Vec<Option<usize>> = (0..35).map(|turn| markdown.find(&format!("\n질문 {turn}\n"))).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted());
    assert_eq!(markdown.matches("left open\n```\n").count(), 35);
    let exported: Value =
        serde_json::from_str(&shell.run(&["export", &id, "--format", "json"]).ok().out).unwrap();
    assert_eq!((&exported["format"], &exported["version"]), (&"tunaflow-conversation".into(), &1.into()));
    let messages = exported["messages"].as_array().unwrap();
    assert_eq!(messages, &shell.messages(&id));
    assert!(messages.iter().map(|message| message["seq"].as_i64()).is_sorted());
}

#[test]
fn the_doctor_tells_what_is_there() {
    let shell = Shell::new();
    let ran = shell.run(&["doctor", "--json"]);
    let told = &ran.lines()[0];
    assert_eq!((&told["database"]["state"], &told["database"]["exists"]), (&"ok".into(), &false.into()));
    let engines = told["engines"].as_array().unwrap();
    let demo = engines.iter().find(|engine| engine["id"] == "demo").unwrap();
    assert_eq!(demo["state"], "ready");
    assert!(engines.iter().all(|engine| engine["billing"] == "subscription"));
    let usable = engines.iter().any(|engine| engine["state"] == "ready" && engine["id"] != "demo");
    assert_eq!(ran.code, i32::from(!usable), "{}", ran.err);
    assert!(shell.run(&["doctor"]).out.contains("data folder"));
}
