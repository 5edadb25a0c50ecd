//! Children under the guard, and the data folder's lock across processes: both need the real program or a
//! process that can be killed.

use std::path::Path;
use std::time::{Duration, Instant};

use tunaflow::os::instance::{Instance, InstanceError};
use tunaflow::os::paths::DataPaths;
use tunaflow::os::process::{Child, Line, ProcessSpec, SpawnError, StdinMode, spawn};

const GUARD: &str = env!("CARGO_BIN_EXE_tunaflow");

fn guarded(folder: &Path, script: &str) -> ProcessSpec {
    ProcessSpec {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("HOME".into(), folder.into())],
        cwd: folder.to_path_buf(),
        stdin: StdinMode::Null,
        guard: Some(GUARD.into()),
    }
}

async fn all_text(child: &mut Child) -> Vec<String> {
    let mut source = child.take_lines().unwrap();
    let mut lines = Vec::new();
    while let Some(Line::Text(line)) = source.next().await {
        lines.push(line);
    }
    lines
}

async fn holds_within(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    while !condition() {
        if Instant::now() > deadline {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    true
}

fn pid_in(folder: &Path, file: &str) -> Option<i32> {
    std::fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok()
}

async fn pids_of<const N: usize>(folder: &Path, files: [&str; N]) -> [i32; N] {
    let there = || files.iter().all(|file| pid_in(folder, file).is_some());
    assert!(holds_within(Duration::from_secs(10), there).await, "not all of {files:?} came up");
    files.map(|file| pid_in(folder, file).unwrap())
}

fn runs(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

async fn all_end(pids: &[i32]) -> bool {
    holds_within(Duration::from_secs(5), || !pids.iter().any(|pid| runs(*pid))).await
}

fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// Writes its number to a file, ignores what can be ignored, and never ends.
fn stubborn(file: &str) -> String {
    format!("trap \"\" TERM INT HUP; echo $$ > {file}.tmp; mv {file}.tmp {file}; while :; do sleep 1; done")
}

/// A stubborn main process with a tool in a session of its own and one whose parent is gone.
fn stubborn_tree() -> String {
    let (tool, orphan) = (stubborn("tool"), stubborn("orphan"));
    format!("setsid sh -c '{tool}' & (setsid sh -c '{orphan}' &) ; {}", stubborn("main"))
}

const TREE: [&str; 3] = ["main", "tool", "orphan"];

#[tokio::test]
async fn the_guard_is_not_noticed_by_a_well_behaved_child() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = guarded(folder.path(), "cat; pwd; echo 오류 >&2; exit 7");
    spec.stdin = StdinMode::Piped;
    let started = Instant::now();
    let mut child = spawn(&spec).unwrap();
    let stdin = child.take_stdin().unwrap();
    stdin.write_line("한글 😀").await.unwrap();
    stdin.close().await.unwrap();
    let cwd = std::fs::canonicalize(folder.path()).unwrap();
    assert_eq!(all_text(&mut child).await, ["한글 😀", cwd.to_str().unwrap()]);
    let exit = child.wait().await;
    assert_eq!((exit.code, exit.signal, exit.stderr_tail.as_str()), (Some(7), None, "오류"));
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_signal_and_a_code_like_one_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let killed = spawn(&guarded(folder.path(), "printf unfinished >&2; kill -9 $$")).unwrap().wait().await;
    assert_eq!((killed.code, killed.signal, killed.stderr_tail.as_str()), (None, Some(9), "unfinished"));
    let code = spawn(&guarded(folder.path(), "exit 137")).unwrap().wait().await;
    assert_eq!((code.code, code.signal), (Some(137), None));
}

#[tokio::test]
async fn a_program_that_only_the_system_refuses_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("broken");
    let script = |text: &[u8]| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        ProcessSpec { program: program.clone(), ..guarded(folder.path(), "") }
    };
    let bad = spawn(&script(b"\x7fELFnonsense")).unwrap().wait().await;
    assert_eq!(bad.start_error, Some(SpawnError::NotExecutable { program: program.clone() }));
    assert_eq!((bad.code, bad.stderr_tail.as_str()), (Some(127), ""));
    let no_interpreter = spawn(&script(b"#!/does/not/exist\n")).unwrap().wait().await;
    assert_eq!(no_interpreter.start_error, Some(SpawnError::NotFound { program: program.clone() }));
    let missing = ProcessSpec { program: "/does/not/exist".into(), ..guarded(folder.path(), "") };
    assert!(matches!(spawn(&missing), Err(SpawnError::NotFound { .. })));
}

#[tokio::test]
async fn stop_takes_tools_and_orphans_along() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = spawn(&guarded(folder.path(), &stubborn_tree())).unwrap();
    let pids = pids_of(folder.path(), TREE).await;
    let started = Instant::now();
    let exit = child.stop(Duration::from_secs(2)).await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert!(!pids.iter().any(|pid| runs(*pid)) && !runs(i32::try_from(child.pid()).unwrap()));
    assert_eq!(exit.signal, Some(9));
}

#[tokio::test]
async fn stop_is_polite_first() {
    let folder = tempfile::tempdir().unwrap();
    let script = "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.05; done";
    let mut child = spawn(&guarded(folder.path(), script)).unwrap();
    let mut lines = child.take_lines().unwrap();
    assert_eq!(lines.next().await, Some(Line::Text("ready".into())));
    let exit = child.stop(Duration::from_secs(3)).await;
    assert_eq!(exit.code, Some(5));
    assert_eq!(lines.next().await, Some(Line::Text("bye".into())));
}

#[tokio::test]
async fn what_a_child_leaves_behind_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        format!("setsid sh -c '{}' & while [ ! -e tool ]; do sleep 0.05; done; exit 0", stubborn("tool"));
    let mut child = spawn(&guarded(folder.path(), &script)).unwrap();
    let started = Instant::now();
    assert_eq!(child.wait().await.code, Some(0));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert!(!runs(pid_in(folder.path(), "tool").unwrap()));
}

#[tokio::test]
async fn dropping_the_handle_ends_the_guarded_tree() {
    let folder = tempfile::tempdir().unwrap();
    let child = spawn(&guarded(folder.path(), &stubborn_tree())).unwrap();
    let mut pids = pids_of(folder.path(), TREE).await.to_vec();
    pids.push(i32::try_from(child.pid()).unwrap());
    drop(child);
    assert!(all_end(&pids).await);

    // The very moment after the start, when the guard may not have come to start the child.
    let other = tempfile::tempdir().unwrap();
    let child = spawn(&guarded(other.path(), &stubborn("late"))).unwrap();
    let guard = i32::try_from(child.pid()).unwrap();
    drop(child);
    assert!(all_end(&[guard]).await);
    assert!(pid_in(other.path(), "late").is_none_or(|pid| !runs(pid)));
}

/// A shell stands for the app: it starts the guard with its own number and is then killed the hard way.
#[tokio::test]
async fn when_the_app_is_killed_nothing_of_the_tree_lives_on() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tree.sh"), stubborn_tree()).unwrap();
    let script = format!(
        "echo $$ > app.tmp; mv app.tmp app; '{GUARD}' __guard $$ -- /bin/sh tree.sh & \
         echo $! > guard; wait"
    );
    let spec = ProcessSpec { guard: None, ..guarded(folder.path(), &script) };
    let mut child = spawn(&spec).unwrap();
    let [app, guard, main, tool, orphan] =
        pids_of(folder.path(), ["app", "guard", "main", "tool", "orphan"]).await;
    assert!([app, guard, main, tool, orphan].iter().all(|pid| runs(*pid)));
    kill(app);
    assert_eq!(child.wait().await.signal, Some(9));
    assert!(all_end(&[guard, main, tool, orphan]).await);
}

/// Set in the process that holds the lock until it is killed; see the test below.
const HOLD: &str = "TUNAFLOW_TEST_HOLDS_LOCK_IN";

/// Not a test of its own: run again as another process, it takes the lock, says so, and waits.
#[tokio::test]
async fn lock_holder() {
    let Some(folder) = std::env::var_os(HOLD) else { return };
    let paths = DataPaths::new(Some(Path::new(&folder))).unwrap();
    let instance = Instance::take(&paths, &std::env::temp_dir());
    assert!(instance.is_ok());
    std::fs::write(Path::new(&folder).join("held"), "").unwrap();
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn the_lock_of_a_killed_program_is_free_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let paths = DataPaths::new(Some(folder.path())).unwrap();
    paths.create().unwrap();
    let mut spec = ProcessSpec { guard: None, ..guarded(folder.path(), "") };
    spec.program = std::env::current_exe().unwrap();
    spec.args = ["--exact", "os_process::lock_holder", "--nocapture"].map(Into::into).to_vec();
    spec.env.push((HOLD.into(), folder.path().into()));
    let mut holder = spawn(&spec).unwrap();
    let held = folder.path().join("held");
    assert!(holds_within(Duration::from_secs(10), || held.exists()).await);
    let second = Instance::take(&paths, folder.path());
    assert!(matches!(second, Err(InstanceError::SecondStart { .. })));
    kill(i32::try_from(holder.pid()).unwrap());
    assert_eq!(holder.wait().await.signal, Some(9));
    assert!(paths.focus_socket().exists(), "a dead program leaves its socket");
    assert!(Instance::take(&paths, folder.path()).is_ok());
}

/// An agent that writes its session down when its input ends must not be cut off by our own end.
#[tokio::test]
async fn a_child_that_is_left_ends_in_its_own_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = guarded(folder.path(), "cat > said; echo kept > session; exit 0");
    spec.stdin = StdinMode::Piped;
    let mut child = spawn(&spec).unwrap();
    let stdin = child.take_stdin().unwrap();
    stdin.write_line("last words").await.unwrap();
    drop(stdin);
    assert!(child.leave().is_ok(), "a guard watches it");
    let kept = || std::fs::read_to_string(folder.path().join("session")).is_ok_and(|text| text == "kept\n");
    assert!(holds_within(Duration::from_secs(5), kept).await);
}
