//! The real command lines in their one-shot mode against the model server. Skipped without installed engines.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;

use crate::support::clis::{self, CliHome, Engine};
use crate::support::model_server::{KOREAN_TEXT, ModelServer, WRITTEN_TEXT, digest_line};

/// A cold start on a busy machine takes 20 seconds.
const LIMIT: Duration = Duration::from_secs(120);

/// One-shot arguments; the prompt comes on standard input. `writes`: may write in the project unasked.
fn arguments(engine: Engine, writes: bool) -> &'static [&'static str] {
    match (engine, writes) {
        (Engine::Claude, false) => &["-p"],
        (Engine::Claude, true) => &["-p", "--permission-mode", "acceptEdits"],
        (Engine::Codex, false) => &["exec", "--skip-git-repo-check", "-s", "read-only", "-"],
        (Engine::Codex, true) => &["exec", "--skip-git-repo-check", "-s", "workspace-write", "-"],
        (Engine::Gemini, false) => &["-m", "gemini-2.5-flash", "--skip-trust"],
        (Engine::Gemini, true) => &["-m", "gemini-2.5-flash", "--skip-trust", "--approval-mode", "auto_edit"],
        (Engine::OpenCode, false) => &["run"],
        (Engine::OpenCode, true) => &["run", "--auto"],
    }
}

/// Standard output of one run.
async fn run(engine: Engine, home: &CliHome, prompt: &str, writes: bool) -> String {
    let bin = clis::bin_folder().expect("a caller has looked for it");
    let mut child = home
        .command(bin.join(engine.program()))
        .args(arguments(engine, writes))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(prompt.as_bytes()).await.expect("the program reads");
    drop(stdin);
    let done = tokio::time::timeout(LIMIT, child.wait_with_output()).await;
    let done = done.expect("the program ends in time").expect("the program ends");
    let errors = String::from_utf8_lossy(&done.stderr);
    let said = String::from_utf8(done.stdout).expect("UTF-8 on standard output");
    assert!(done.status.success(), "{engine:?}: {} {said}\n{errors}", done.status);
    assert!(!said.is_empty(), "{engine:?} said nothing: {errors}");
    said
}

async fn answers(engine: Engine) {
    if !clis::is_installed(engine) {
        return;
    }
    let server = ModelServer::start();
    let home = clis::cli_home(engine, &server.base_url());
    let said = run(engine, &home, "Say something.", false).await;
    assert!(said.contains("Hello from the model server."), "{engine:?}: {said}");
    assert!(server.last_user_text().contains("Say something."));

    // More than one pipe buffer and more than one argument could hold.
    let context = "HANG 이전 대화의 한 줄입니다.\n".repeat(5000);
    let prompt = format!("{context}---\nECHO 한글 👨\u{200d}👩\u{200d}👧 \"quoted\" $HOME `x` \\n end");
    let said = run(engine, &home, &prompt, false).await;
    let hash = digest_line("user", &prompt);
    assert!(said.contains(&hash), "{engine:?} did not deliver {hash}: {said}");

    let said = run(engine, &home, "KOREAN", false).await;
    assert!(said.contains(KOREAN_TEXT), "{engine:?}: {said}");
}

#[test]
fn a_home_names_no_other_machine_and_inherits_nothing() {
    let home = clis::cli_home_of(&Engine::ALL, "http://127.0.0.1:9");
    let env = home.env();
    let names = ["HOME", "TMPDIR", "PATH", "TERM", "LANG", "NO_COLOR"].into_iter();
    let prefixes =
        ["CLAUDE_", "ANTHROPIC_", "DISABLE_", "CODEX_", "GEMINI_", "GOOGLE_", "OPENCODE_", "TEST_"];
    for (name, value) in env {
        let known =
            names.clone().any(|known| known == name) || prefixes.iter().any(|start| name.starts_with(start));
        assert!(known, "{name}={value}");
        assert!(!value.contains("http") || value.starts_with("http://127.0.0.1:9"), "{name}={value}");
    }
    assert!(env.iter().any(|(name, value)| name == "HOME" && home.home() == std::path::Path::new(value)));
    for file in [".codex/config.toml", ".gemini/settings.json", ".config/opencode/opencode.json"] {
        let text = std::fs::read_to_string(home.home().join(file)).unwrap_or_default();
        assert!(!text.is_empty(), "{file}");
        if file.ends_with(".toml") {
            assert!(toml::from_str::<toml::Table>(&text).is_ok(), "{text}");
        }
    }
}

async fn writes(engine: Engine) {
    if !clis::is_installed(engine) {
        return;
    }
    let server = ModelServer::start();
    let home = clis::cli_home(engine, &server.base_url());
    let file = home.project().join("written.txt");
    let prompt = format!("WRITE:{}", file.display());
    run(engine, &home, &prompt, false).await;
    assert!(!file.exists(), "{engine:?} wrote unasked");

    let said = run(engine, &home, &prompt, true).await;
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    let turns: Vec<_> = server.turns().iter().map(|turn| turn.tool_results.clone()).collect();
    assert_eq!(written.trim_end(), WRITTEN_TEXT, "{engine:?}: {said} {turns:?}");
    assert!(said.contains("The write was allowed."), "{engine:?}: {said}");
}

async fn outlives_one_error(engine: Engine) {
    if !clis::is_installed(engine) {
        return;
    }
    let server = ModelServer::start();
    let home = clis::cli_home(engine, &server.base_url());
    let said = run(engine, &home, "STATUS:500:1", false).await;
    assert!(said.contains("Hello from the model server."), "{engine:?}: {said}");
    let asked = server.turns().iter().filter(|turn| turn.user_text.contains("STATUS:500:1")).count();
    assert_eq!(asked, 2, "{engine:?}");
}

#[tokio::test]
async fn claude_answers() {
    answers(Engine::Claude).await;
}

#[tokio::test]
async fn codex_answers() {
    answers(Engine::Codex).await;
}

#[tokio::test]
async fn gemini_answers() {
    answers(Engine::Gemini).await;
}

#[tokio::test]
async fn opencode_answers() {
    answers(Engine::OpenCode).await;
}

#[tokio::test]
async fn claude_writes_when_allowed() {
    writes(Engine::Claude).await;
}

#[tokio::test]
async fn codex_writes_when_allowed() {
    writes(Engine::Codex).await;
}

#[tokio::test]
async fn gemini_writes_when_allowed() {
    writes(Engine::Gemini).await;
}

#[tokio::test]
async fn opencode_writes_when_allowed() {
    writes(Engine::OpenCode).await;
}

#[tokio::test]
async fn claude_outlives_one_error() {
    outlives_one_error(Engine::Claude).await;
}

#[tokio::test]
async fn codex_outlives_one_error() {
    outlives_one_error(Engine::Codex).await;
}

#[tokio::test]
async fn gemini_outlives_one_error() {
    outlives_one_error(Engine::Gemini).await;
}

#[tokio::test]
async fn opencode_outlives_one_error() {
    outlives_one_error(Engine::OpenCode).await;
}
