//! What `send` costs beside the bare program, with the same prompt against the same model server, in turn.
//! Skipped without installed engines.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::clis::{self, CliHome, Engine};
use crate::support::model_server::ModelServer;

const PAIRS: usize = 10;
const LIMIT: Duration = Duration::from_secs(120);
/// The target is 1.05 on a quiet machine; more than this is a fault on any.
const RATIO_MOST: f64 = 1.6;
const PROMPT: &str = "Say something.";

async fn timed(home: &CliHome, program: &std::path::Path, args: &[&str]) -> f64 {
    let mut command = home.command(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let begun = Instant::now();
    let done =
        tokio::time::timeout(LIMIT, command.output()).await.expect("it ends in time").expect("it starts");
    let took = begun.elapsed().as_secs_f64() * 1_000.0;
    let said = String::from_utf8_lossy(&done.stdout);
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.contains("Hello from the model server."), "{said}\n{errors}");
    took
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[tokio::test]
async fn send_costs_little_more_than_the_bare_program() {
    let Some(bin) = clis::bin_folder() else {
        eprintln!("skipped: TUNAFLOW_TEST_CLIS is not set");
        return;
    };
    let server = ModelServer::start();
    let home = clis::cli_home(Engine::Claude, &server.base_url());
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_tunaflow"));
    let bare = bin.join(Engine::Claude.program());
    let data = home.home().join("data");
    let data = data.to_str().expect("a temporary path is Unicode");
    let billing = r#"{"claude":{"billing":"api_key"}}"#;
    let set =
        home.command(own).args(["--data-dir", data, "settings", "set", "engines", billing]).output().await;
    assert!(set.expect("it starts").status.success());
    // The same protocol as the app's, so that the program does the same work.
    let bare_args =
        ["-p", PROMPT, "--output-format", "stream-json", "--verbose", "--include-partial-messages"];
    let own_args = ["--data-dir", data, "--project", ".", "send", "--engine", "claude", PROMPT];
    timed(&home, &bare, &bare_args).await;
    timed(&home, own, &own_args).await;
    let (mut bare_ms, mut own_ms) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        bare_ms.push(timed(&home, &bare, &bare_args).await);
        own_ms.push(timed(&home, own, &own_args).await);
    }
    let (bare, own) = (median(&mut bare_ms), median(&mut own_ms));
    eprintln!("bare {bare:.0} ms, send {own:.0} ms, ratio {:.3}", own / bare);
    assert!(own / bare < RATIO_MOST, "bare {bare_ms:?}, send {own_ms:?}");
}
