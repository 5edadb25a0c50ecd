//! Real children, started directly. Those under a guard need our program and are in `tests/it`.

use std::path::Path;
use std::time::{Duration, Instant};

use super::*;
use crate::os::testing::{holds_within, sh};

async fn all_lines(child: &mut Child) -> Vec<Line> {
    let mut source = child.take_lines().unwrap();
    let mut lines = Vec::new();
    while let Some(line) = source.next().await {
        lines.push(line);
    }
    lines
}

fn text(line: &str) -> Line {
    Line::Text(line.to_owned())
}

/// Prints the text one byte at a time, with a pause after each.
fn byte_by_byte(text: &str) -> String {
    text.bytes().map(|b| format!("printf '\\{b:03o}'; sleep 0.002; ")).collect()
}

#[tokio::test]
async fn characters_split_over_reads_stay_whole() {
    let folder = tempfile::tempdir().unwrap();
    let words = "한글 中文 日本語 😀";
    let one = byte_by_byte(words);
    let mut child =
        spawn(&sh(folder.path(), &format!("{one} printf '\\n'; {{ {one} }} >&2; printf 끝"))).unwrap();
    assert_eq!(all_lines(&mut child).await, [text(words), text("끝")]);
    let exit = child.wait().await;
    assert_eq!((exit.code, exit.stderr_tail.as_str()), (Some(0), words));
}

#[tokio::test]
async fn a_9_mb_line_is_whole_and_one_over_the_limit_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        "line() { head -c \"$1\" /dev/zero | tr '\\0' x; echo; }; line 9000000; line 17000000; echo after";
    let started = Instant::now();
    let lines = all_lines(&mut spawn(&sh(folder.path(), script)).unwrap()).await;
    let [Line::Text(long), rest @ ..] = lines.as_slice() else { panic!("{} lines", lines.len()) };
    assert!(long.len() == 9_000_000 && long.bytes().all(|b| b == b'x'));
    assert_eq!(rest, [Line::TooLong { bytes: 17_000_000 }, text("after")]);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[tokio::test]
async fn what_is_written_comes_back_and_closing_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = sh(folder.path(), "cat");
    spec.stdin = StdinMode::Piped;
    let mut child = spawn(&spec).unwrap();
    let stdin = child.take_stdin().unwrap();
    assert!(child.take_stdin().is_none());
    let long = "가".repeat(100_000);
    let writing = async {
        stdin.write_line("first").await.unwrap();
        stdin.write_line(&long).await.unwrap();
        stdin.close().await
    };
    let (written, lines) = tokio::join!(writing, all_lines(&mut child));
    assert_eq!((written, lines), (Ok(()), vec![text("first"), text(&long)]));
    assert_eq!(child.wait().await.code, Some(0));
}

#[tokio::test]
async fn a_child_that_stopped_reading_is_an_error_not_a_hang() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = sh(folder.path(), "exec <&-; echo closed; sleep 30");
    spec.stdin = StdinMode::Piped;
    let mut child = spawn(&spec).unwrap();
    let mut lines = child.take_lines().unwrap();
    assert_eq!(lines.next().await, Some(text("closed")));
    let stdin = child.take_stdin().unwrap();
    let outcome = async {
        stdin.write(vec![b'x'; 1_000_000]).await?;
        stdin.close().await
    };
    assert_eq!(outcome.await, Err(StdinClosed));
    assert_eq!(child.stop(Duration::from_secs(1)).await.signal, Some(15));
}

#[tokio::test]
async fn exit_code_signal_and_environment_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let exit = |script: &str| {
        let spec = sh(folder.path(), script);
        async move { spawn(&spec).unwrap().wait().await }
    };
    let failed = exit("echo first >&2; echo why >&2; exit 3").await;
    assert_eq!((failed.code, failed.signal, failed.stderr_tail.as_str()), (Some(3), None, "first\nwhy"));
    let killed = exit("kill -9 $$").await;
    assert_eq!((killed.code, killed.signal), (None, Some(9)));
    // A shell may add variables of its own, so the names are asked of a program without one.
    let mut spec = sh(folder.path(), "");
    spec.program = "/usr/bin/env".into();
    spec.args.clear();
    let output = run_for_output(&spec, Duration::from_secs(5), 10_000).await.unwrap();
    let wanted = format!("HOME={}\nPATH=/usr/bin:/bin", folder.path().display());
    assert_eq!(output.stdout, wanted);
}

#[tokio::test]
async fn output_ends_when_only_a_stray_process_holds_the_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let script = "sleep 8 & echo $! > pid; echo done";
    let started = Instant::now();
    let mut child = spawn(&sh(folder.path(), script)).unwrap();
    assert_eq!(all_lines(&mut child).await, [text("done")]);
    assert_eq!(child.wait().await.code, Some(0));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

/// Ignores SIGTERM, keeps printing, and has a child in a session of its own that does the same. Both write
/// their numbers into files.
const STUBBORN: &str = "trap '' TERM INT HUP; \
    setsid sh -c 'echo $$ > tool.tmp; mv tool.tmp tool; while :; do sleep 1; done' & \
    echo $$ > main.tmp; mv main.tmp main; while :; do echo x; sleep 0.1; done";

fn pid_in(folder: &Path, file: &str) -> Option<u32> {
    std::fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok()
}

fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stubborn_tree_is_gone_within_5_s() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = spawn(&sh(folder.path(), STUBBORN)).unwrap();
    let ready = || pid_in(folder.path(), "tool").is_some() && pid_in(folder.path(), "main").is_some();
    assert!(holds_within(Duration::from_secs(5), ready).await);
    let pids = ["main", "tool"].map(|file| pid_in(folder.path(), file).unwrap());
    assert!(pids.iter().all(|pid| runs(*pid)));
    let started = Instant::now();
    let exit = child.stop(Duration::from_secs(2)).await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(exit.signal, Some(9));
    assert!(!pids.iter().any(|pid| runs(*pid)));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_the_handle_ends_the_tree() {
    let folder = tempfile::tempdir().unwrap();
    let child = spawn(&sh(folder.path(), STUBBORN)).unwrap();
    let ready = || pid_in(folder.path(), "tool").is_some() && pid_in(folder.path(), "main").is_some();
    assert!(holds_within(Duration::from_secs(5), ready).await);
    let pids = ["main", "tool"].map(|file| pid_in(folder.path(), file).unwrap());
    drop(child);
    assert!(holds_within(Duration::from_secs(5), || !pids.iter().any(|pid| runs(*pid))).await);
}

#[tokio::test]
async fn short_programs_are_limited_in_time_and_length() {
    let folder = tempfile::tempdir().unwrap();
    let limit = Duration::from_millis(300);
    let late = run_for_output(&sh(folder.path(), "echo early; sleep 30"), limit, 100).await;
    assert!(matches!(late, Err(OutputError::TimedOut { stdout, .. }) if stdout == "early"));
    let script = "echo 한글; echo more; cat; exit 4";
    let output = run_for_output(&sh(folder.path(), script), Duration::from_secs(5), 8).await.unwrap();
    assert_eq!((output.stdout.as_str(), output.truncated, output.exit.code), ("한글\nm", true, Some(4)));
}
