//! The runner with stand-ins for agents: shell scripts that speak a tiny line protocol, and scripts.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tunaflow::engine::host::{EngineHost, HostConfig, HostLimits, RunTurn, SeatKey, TurnControl};
use tunaflow::engine::{Dialect, Engine, Launch, Probe, SeatInput, SeatOutput, script};
use tunaflow::model::engine::{
    Billing, EngineCaps, EngineId, EngineInfo, EngineLook, ForkCap, PermissionCap,
};
use tunaflow::model::id::{ConversationId, TurnId};
use tunaflow::model::message::ItemBody;
use tunaflow::model::turn::{
    Decision, FailureKind, PermissionRequest, SeatSpec, StopReason, TurnEvent, TurnFailure, TurnRequest,
};

const LIMIT: Duration = Duration::from_secs(20);

/// An engine whose program speaks lines: in `prompt <text as JSON>`, `cancel`, `answer <ask> yes|no`;
/// out `session <id>`, `text <words>`, `ask <id>`, `done`, `cancelled`.
struct Fake(EngineInfo);

fn fake(resume: bool) -> Arc<dyn Engine> {
    Arc::new(Fake(EngineInfo {
        id: EngineId::new("fake"),
        name: "Fake".to_owned(),
        look: EngineLook::Local,
        caps: EngineCaps {
            stream: true,
            tools: false,
            permissions: PermissionCap::Asks,
            resume,
            fork: ForkCap::None,
            system_apart: false,
            images: false,
            usage: false,
            cost: false,
            mcp: false,
            warm: true,
        },
        programs: vec!["fake".to_owned()],
        home_dirs: vec![],
        models: vec![],
        key_variables: vec!["FAKE_API_KEY".to_owned()],
        install_hint: "install it".to_owned(),
        login_hint: String::new(),
        resume_command: String::new(),
    }))
}

impl Engine for Fake {
    fn info(&self) -> &EngineInfo {
        &self.0
    }

    fn launch(&self, seat: &SeatSpec) -> Result<Launch, TurnFailure> {
        let args = vec!["--resume".to_owned(), seat.resume.clone().unwrap_or_default()];
        Ok(Launch::Process { args, env: vec![("FAKE_FLAG".to_owned(), "1".to_owned())] })
    }

    fn dialect(&self, _seat: &SeatSpec) -> Box<dyn Dialect> {
        Box::new(FakeDialect { texts: 0 })
    }

    fn probe(&self) -> Probe {
        Probe { env_names: vec!["FAKE_HOME".to_owned()], ..Probe::default() }
    }
}

struct FakeDialect {
    texts: u32,
}

impl Dialect for FakeDialect {
    fn input(&mut self, input: SeatInput<'_>, out: &mut SeatOutput) {
        match input {
            SeatInput::Begin(request) => {
                out.lines.push(format!("prompt {}", serde_json::to_string(&request.text).unwrap()));
            }
            SeatInput::Line(line) => match line.split_once(' ').unwrap_or((line, "")) {
                ("session", id) => {
                    out.events.push(TurnEvent::Started { session: Some(id.to_owned()), model: None });
                }
                ("text", words) => {
                    self.texts += 1;
                    let body = ItemBody::Text { text: words.to_owned() };
                    out.events.push(TurnEvent::ItemStarted { key: format!("t{}", self.texts), body });
                }
                ("ask", id) => {
                    let request = PermissionRequest { ask: id.to_owned(), ..PermissionRequest::default() };
                    out.events.push(TurnEvent::PermissionAsked(request));
                }
                ("done", _) => out.events.push(TurnEvent::Finished(StopReason::Completed)),
                ("cancelled", _) => out.events.push(TurnEvent::Finished(StopReason::Cancelled)),
                _ => out.skipped += 1,
            },
            SeatInput::Answer { ask, decision } => {
                let word = if *decision == Decision::AllowOnce { "yes" } else { "no" };
                out.lines.push(format!("answer {ask} {word}"));
            }
            SeatInput::Cancel => out.lines.push("cancel".to_owned()),
            _ => {}
        }
    }
}

/// A folder with the stand-in's program and a project, and a runner.
struct Bench {
    folder: tempfile::TempDir,
    host: Arc<EngineHost>,
    engine: Arc<dyn Engine>,
    turns: i64,
}

/// A running turn.
struct Running {
    events: mpsc::Receiver<(TurnId, TurnEvent)>,
    control: mpsc::Sender<TurnControl>,
    seen: Vec<TurnEvent>,
    task: tokio::task::JoinHandle<()>,
}

impl Bench {
    fn new(program: &str) -> Self {
        Self::with(program, fake(true), &[])
    }

    fn with(program: &str, engine: Arc<dyn Engine>, env: &[(&str, &str)]) -> Self {
        Self::guarded(program, engine, env, None)
    }

    fn guarded(program: &str, engine: Arc<dyn Engine>, env: &[(&str, &str)], guard: Option<PathBuf>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_string_lossy().into_owned();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        let path = folder.path().join("fake");
        std::fs::write(&path, format!("#!/bin/sh\n{program}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let base = [("HOME", home.as_str()), ("PATH", "/usr/bin:/bin")];
        let pair = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
        let host = EngineHost::new(HostConfig {
            guard,
            base_env: base.iter().chain(env).map(pair).collect(),
            login_path: None,
            limits: HostLimits { warm_max: 4, warm_idle: Duration::from_secs(60) },
            keys: Arc::new(|_| None),
        });
        Self { folder, host: Arc::new(host), engine, turns: 0 }
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn spec(&self) -> SeatSpec {
        SeatSpec {
            engine: self.engine.info().id.clone(),
            model: None,
            cwd: self.project(),
            resume: None,
            fork: None,
            new_session_id: "fresh".to_owned(),
            system_file: None,
            skip_permissions: false,
            words_only: false,
            billing: Billing::Subscription,
            program: Some(self.folder.path().join("fake")),
            version: None,
        }
    }

    fn start(&mut self, text: &str) -> Running {
        let spec = self.spec();
        self.start_with(spec, text, LIMIT)
    }

    fn start_with(&mut self, seat: SeatSpec, text: &str, idle_timeout: Duration) -> Running {
        self.start_as(&SeatKey::of(ConversationId(1), &seat), seat, text, idle_timeout)
    }

    fn start_part(&mut self, seat: SeatSpec, text: &str, part: Option<&str>) -> Running {
        let key = SeatKey { part: part.map(str::to_owned), ..SeatKey::of(ConversationId(1), &seat) };
        self.start_as(&key, seat, text, LIMIT)
    }

    fn start_as(&mut self, key: &SeatKey, seat: SeatSpec, text: &str, idle_timeout: Duration) -> Running {
        self.turns += 1;
        let (events_tx, events) = mpsc::channel(16);
        let (control, control_rx) = mpsc::channel(4);
        let turn = RunTurn {
            key: key.clone(),
            engine: Arc::clone(&self.engine),
            request: TurnRequest { turn: TurnId(self.turns), text: text.to_owned() },
            expect_session: self.host.warm_session(key),
            events: events_tx,
            control: control_rx,
            idle_timeout,
            once: false,
            seat,
        };
        let host = Arc::clone(&self.host);
        let task = tokio::spawn(async move { host.run(turn).await });
        Running { events, control, seen: Vec::new(), task }
    }

    fn pid(&self, file: &str) -> Option<i32> {
        std::fs::read_to_string(self.project().join(file)).ok()?.trim().parse().ok()
    }
}

impl Running {
    async fn until(&mut self, wanted: impl Fn(&TurnEvent) -> bool) {
        loop {
            let next = tokio::time::timeout(LIMIT, self.events.recv()).await;
            let Some((_, event)) = next.unwrap_or_else(|_| panic!("nothing more came after {:?}", self.seen))
            else {
                panic!("the events ended: {:?}", self.seen)
            };
            let found = wanted(&event);
            self.seen.push(event);
            if found {
                return;
            }
        }
    }

    /// All events to the end of the turn; there is exactly one terminal one, the last.
    async fn end(mut self) -> Vec<TurnEvent> {
        self.until(TurnEvent::is_terminal).await;
        tokio::time::timeout(LIMIT, self.task).await.expect("the run ends").unwrap();
        while let Some((_, event)) = self.events.recv().await {
            self.seen.push(event);
        }
        assert_eq!(self.seen.iter().filter(|event| event.is_terminal()).count(), 1, "{:?}", self.seen);
        assert!(self.seen.last().is_some_and(TurnEvent::is_terminal));
        self.seen
    }

    async fn stop(&self) {
        self.control.send(TurnControl::Stop).await.unwrap();
    }
}

fn said(events: &[TurnEvent]) -> String {
    let text = |event: &TurnEvent| match event {
        TurnEvent::ItemStarted { body: ItemBody::Text { text }, .. } => Some(text.clone()),
        TurnEvent::ItemDelta { delta, .. } => Some(delta.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect::<Vec<_>>().join("|")
}

fn failure(events: &[TurnEvent]) -> &TurnFailure {
    match events.last() {
        Some(TurnEvent::Failed(failure)) => failure,
        other => panic!("no failure but {other:?}"),
    }
}

fn finished(events: &[TurnEvent]) -> StopReason {
    match events.last() {
        Some(TurnEvent::Finished(reason)) => *reason,
        other => panic!("no end but {other:?}"),
    }
}

fn lives(pid: i32) -> bool {
    // A zombie has ended; somebody only has not looked yet.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Answers every prompt with its number in this process.
const COUNTS: &str = r#"echo "session s1"; n=0
while read -r line; do n=$((n+1)); echo "text $n $$"; echo done; done"#;

#[tokio::test]
async fn a_warm_seat_serves_the_next_turn_and_a_dead_one_is_replaced() {
    let mut bench = Bench::new(COUNTS);
    let first = said(&bench.start("a").end().await);
    let second = said(&bench.start("b").end().await);
    let (one, pid) = first.split_once(' ').unwrap();
    assert_eq!((one, second.as_str()), ("1", format!("2 {pid}").as_str()));

    // A changed model, or another seat of a roundtable, is another process.
    let mut spec = bench.spec();
    spec.resume = Some("s1".to_owned());
    let other_part = bench.start_part(spec, "c", Some("second")).end().await;
    assert!(said(&other_part).starts_with("1 "));
    let mut other = bench.spec();
    other.model = Some("m".to_owned());
    let third = said(&bench.start_with(other, "c", LIMIT).end().await);
    assert!(third.starts_with("1 ") && !third.ends_with(pid));

    // The process is killed behind our back: the next turn takes the session up in a new one.
    let pid: i32 = pid.parse().unwrap();
    kill(pid);
    until(|| bench.host.warm_session(&SeatKey::of(ConversationId(1), &bench.spec())).is_none()).await;
    let mut spec = bench.spec();
    spec.resume = Some("s1".to_owned());
    let fourth = said(&bench.start_with(spec, "d", LIMIT).end().await);
    assert!(fourth.starts_with("1 "), "{fourth}");
    bench.host.close_all().await;
}

fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

async fn until(mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < LIMIT, "it never came true");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A program that is about to end takes no turn with it: the next one answers.
#[tokio::test]
async fn a_warm_program_that_ends_as_a_turn_comes_is_replaced() {
    let mut bench = Bench::new(
        "echo 'session s1'; read -r line; echo \"text $$\"; echo done; read -r line; test -e gone || { touch gone; exit 0; }; \
         echo 'text broke'; exit 3",
    );
    let first = said(&bench.start("a").end().await);
    let mut spec = bench.spec();
    spec.resume = Some("s1".to_owned());
    let second = bench.start_with(spec.clone(), "b", LIMIT).end().await;
    assert_eq!(finished(&second), StopReason::Completed);
    assert_ne!(said(&second), first);
    // One that says something and then ends has failed.
    let third = bench.start_with(spec, "c", LIMIT).end().await;
    assert_eq!((failure(&third).kind, said(&third).as_str()), (FailureKind::Crashed, "broke"));
}

/// The end of a turn is told before its seat is free; who comes next can wait for that.
#[tokio::test]
async fn a_key_is_free_when_its_turn_is_over() {
    let mut bench = Bench::new("read -r line; echo 'text a'; read -r line; echo cancelled; cat");
    let key = SeatKey::of(ConversationId(1), &bench.spec());
    let mut running = bench.start("a");
    running.until(|event| matches!(event, TurnEvent::ItemStarted { .. })).await;
    let early = tokio::time::timeout(Duration::from_millis(200), bench.host.until_free(&key)).await;
    assert!(early.is_err(), "a turn runs on it");
    running.stop().await;
    running.end().await;
    let free = tokio::time::timeout(Duration::from_secs(1), bench.host.until_free(&key)).await;
    assert!(free.is_ok());
    bench.host.close_all().await;
}

#[tokio::test]
async fn what_a_warm_program_says_between_turns_never_blocks_it() {
    let mut bench = Bench::new(
        "echo 'session s1'; read -r line; echo done; \
         i=0; while [ $i -lt 4000 ]; do echo \"text late $i ...........................................\"; i=$((i+1)); done; \
         touch said; read -r line; echo 'text fresh'; echo done; cat",
    );
    bench.start("a").end().await;
    let said_all = bench.project().join("said");
    until(|| said_all.exists()).await;
    let events = bench.start("b").end().await;
    assert!(said(&events).ends_with("fresh"));
    bench.host.close_all().await;
}

#[tokio::test]
async fn a_lost_warm_session_is_not_taken_for_a_fresh_one() {
    let mut bench = Bench::new(COUNTS);
    bench.start("a").end().await;
    let mut running = bench.start("b");
    running.until(|event| matches!(event, TurnEvent::ItemStarted { .. })).await;
    running.end().await;
    let key = SeatKey::of(ConversationId(1), &bench.spec());
    assert_eq!(bench.host.warm_session(&key).as_deref(), Some("s1"));
    bench.host.close(ConversationId(1)).await;
    assert_eq!(bench.host.warm_session(&key), None);
    let (events_tx, events) = mpsc::channel(16);
    let (_control, control) = mpsc::channel(1);
    let turn = RunTurn {
        seat: bench.spec(),
        engine: Arc::clone(&bench.engine),
        key,
        request: TurnRequest { turn: TurnId(9), text: "only what is new".to_owned() },
        expect_session: Some("s1".to_owned()),
        events: events_tx,
        control,
        idle_timeout: LIMIT,
        once: false,
    };
    bench.host.run(turn).await;
    let mut events = events;
    let (_, event) = events.recv().await.unwrap();
    assert_eq!(failure(&[event]).kind, FailureKind::SessionLost);
}

#[tokio::test]
async fn a_crash_shows_command_code_and_last_words() {
    let mut bench = Bench::new(
        "read -r line; echo 'text half'; echo 'refused sk-ant-api03-0123456789abcdef: cannot find the moon' >&2; exit 3",
    );
    let events = bench.start("a").end().await;
    let failure = failure(&events);
    assert_eq!((failure.kind, said(&events).as_str()), (FailureKind::Crashed, "half"));
    assert!(failure.message.contains("exit code 3"), "{}", failure.message);
    assert!(
        failure.detail.contains("fake --resume") && failure.detail.contains("cannot find the moon"),
        "{}",
        failure.detail
    );
    assert!(!format!("{failure:?}").contains("0123456789"), "keys are not kept: {failure:?}");
    let again = bench.start("b").end().await;
    assert_eq!(said(&again), "half", "the next turn starts a new process");
}

#[tokio::test]
async fn starts_that_fail_say_why() {
    let mut bench = Bench::new("true");
    let mut spec = bench.spec();
    spec.program = None;
    let events = bench.start_with(spec, "a", LIMIT).end().await;
    assert_eq!(
        (failure(&events).kind, failure(&events).hint.as_str()),
        (FailureKind::NotInstalled, "install it")
    );

    let mut spec = bench.spec();
    spec.program = Some(bench.folder.path().join("nowhere"));
    assert_eq!(failure(&bench.start_with(spec, "a", LIMIT).end().await).kind, FailureKind::NotInstalled);

    let mut spec = bench.spec();
    spec.cwd = bench.folder.path().join("gone");
    assert_eq!(failure(&bench.start_with(spec, "a", LIMIT).end().await).kind, FailureKind::FolderMissing);
}

/// However politely it takes a stop: what it left running would go on unseen.
#[tokio::test]
async fn a_stop_by_protocol_ends_the_process_too() {
    let mut bench = Bench::new(
        "echo 'session s1'; sleep 600 & while read -r line; do case \"$line\" in cancel) echo cancelled;; *) echo \"text $$ $!\";; esac; done",
    );
    let mut running = bench.start("a");
    running.until(|event| matches!(event, TurnEvent::ItemStarted { .. })).await;
    running.stop().await;
    let first = running.end().await;
    assert_eq!(finished(&first), StopReason::Cancelled);
    let pids: Vec<i32> = said(&first).split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert!(pids.len() == 2 && !pids.iter().any(|pid| lives(*pid)), "{pids:?}");
    let mut running = bench.start("b");
    running.until(|event| matches!(event, TurnEvent::ItemStarted { .. })).await;
    running.stop().await;
    let second = running.end().await;
    assert_ne!(said(&first), said(&second), "another process");
    bench.host.close_all().await;
}

#[tokio::test]
async fn a_deaf_program_and_its_grandchild_end_within_five_seconds() {
    for guard in [None, Some(PathBuf::from(env!("CARGO_BIN_EXE_tunaflow")))] {
        a_deaf_program_ends(guard).await;
    }
}

async fn a_deaf_program_ends(guard: Option<PathBuf>) {
    let program = "trap '' TERM INT HUP\nsetsid sh -c 'trap \"\" TERM INT HUP; echo $$ > grandchild; while :; do sleep 1; done' &\n\
         read -r line; echo $$ > child; while :; do echo 'text more'; done";
    let mut bench = Bench::guarded(program, fake(true), &[], guard);
    let mut running = bench.start("a");
    running.until(|event| matches!(event, TurnEvent::ItemStarted { .. })).await;
    until(|| bench.pid("child").is_some() && bench.pid("grandchild").is_some()).await;
    let (child, grandchild) = (bench.pid("child").unwrap(), bench.pid("grandchild").unwrap());
    assert!(lives(child) && lives(grandchild));
    let before = running.seen.len();
    let stopped = Instant::now();
    running.stop().await;
    let events = running.end().await;
    assert!(stopped.elapsed() < Duration::from_secs(5), "{:?}", stopped.elapsed());
    assert_eq!(finished(&events), StopReason::Cancelled);
    // What had been read before the stop may still be on its way; nothing of the two seconds after it is.
    assert!(events.len() - before < 25, "{}", events.len() - before);
    assert!(!lives(child) && !lives(grandchild));
}

#[tokio::test]
async fn silence_times_out_but_not_while_a_question_is_open() {
    let mut bench = Bench::new("read -r line; while :; do sleep 1; done");
    let spec = bench.spec();
    let events = bench.start_with(spec, "a", Duration::from_millis(300)).end().await;
    assert_eq!(failure(&events).kind, FailureKind::TimedOut);

    let mut bench =
        Bench::new("read -r line; echo 'ask q1'; read -r answer; echo \"text $answer\"; echo done; cat");
    let spec = bench.spec();
    let mut running = bench.start_with(spec, "a", Duration::from_millis(300));
    running.until(|event| matches!(event, TurnEvent::PermissionAsked(_))).await;
    let quiet = tokio::time::timeout(Duration::from_millis(900), running.events.recv()).await;
    assert!(quiet.is_err(), "nothing ends while the user thinks");
    let answer = TurnControl::Answer { ask: "q1".to_owned(), decision: Decision::AllowOnce };
    running.control.send(answer).await.unwrap();
    let events = running.end().await;
    assert_eq!((said(&events).as_str(), finished(&events)), ("answer q1 yes", StopReason::Completed));
    bench.host.close_all().await;
}

#[tokio::test]
async fn a_question_goes_with_its_program() {
    let mut bench = Bench::new("read -r line; echo 'ask q1'; exit 0");
    let events = bench.start("a").end().await;
    assert!(events.contains(&TurnEvent::PermissionGone { ask: "q1".to_owned() }));
    assert_eq!(failure(&events).kind, FailureKind::Crashed);
}

#[tokio::test]
async fn a_large_prompt_arrives_whole_and_not_as_an_argument() {
    let mut bench = Bench::new(
        "read -r line; echo \"text $(printf '%s' \"$line\" | wc -c)\"; \
         echo \"text $(tr '\\0' '\\n' < /proc/$$/cmdline | awk '{ if (length > m) m = length } END { print m }')\"; echo done; cat",
    );
    let text = "가나다라 abc\n".repeat(10_000);
    assert!(text.len() > 160_000);
    let sent = format!("prompt {}", serde_json::to_string(&text).unwrap()).replace('\\', "");
    let events = bench.start(&text).end().await;
    let said = said(&events);
    let (bytes, longest) = said.split_once('|').unwrap();
    // `read -r` of some shells keeps backslashes, of none drops other bytes.
    let bytes: usize = bytes.parse().unwrap();
    assert!(bytes >= sent.len() && bytes <= sent.len() + 20_000, "{bytes}");
    assert!(longest.parse::<usize>().unwrap() < 8 * 1024);
    bench.host.close_all().await;
}

const TELLS: &str = "read -r line; echo \"text $(pwd)\"; echo \"text ${FAKE_API_KEY-none}\"; echo \"text ${OTHER_API_KEY-none}\"; \
    echo \"text ${FAKE_HOME-none}\"; echo \"text ${FAKE_FLAG-none}\"; echo \"text $PATH\"; echo done; cat";

#[tokio::test]
async fn the_folder_is_the_projects_and_keys_are_withheld() {
    let env = [("FAKE_API_KEY", "k"), ("OTHER_API_KEY", "o"), ("FAKE_HOME", "/f")];
    for (billing, key) in [(Billing::Subscription, "none"), (Billing::ApiKey, "k")] {
        let mut bench = Bench::with(TELLS, fake(true), &env);
        let mut spec = bench.spec();
        spec.billing = billing;
        let told = said(&bench.start_with(spec, "a", LIMIT).end().await);
        let project = bench.project().canonicalize().unwrap();
        let path = format!("{}:/usr/bin:/bin", bench.folder.path().display());
        assert_eq!(told, format!("{}|{key}|none|/f|1|{path}", project.display()));
        bench.host.close_all().await;
    }
}

#[tokio::test]
async fn seats_over_the_limit_and_closed_ones_end() {
    let mut bench = Bench::new(&format!("echo $$ >> pids; {COUNTS}"));
    bench.start("a").end().await;
    let mut other = bench.spec();
    other.model = Some("m".to_owned());
    bench.start_with(other, "b", LIMIT).end().await;
    let pids = read_pids(&bench.project());
    assert!(pids.len() == 2 && pids.iter().all(|pid| lives(*pid)));
    bench.host.set_limits(HostLimits { warm_max: 1, warm_idle: Duration::from_secs(60) });
    until(|| !lives(pids[0])).await;
    assert!(lives(pids[1]), "the one used last stays");
    bench.host.close(ConversationId(1)).await;
    assert!(!lives(pids[1]));

    bench.start("c").end().await;
    bench.host.set_limits(HostLimits { warm_max: 1, warm_idle: Duration::ZERO });
    bench.host.sweep();
    let last = *read_pids(&bench.project()).last().unwrap();
    until(|| !lives(last)).await;
}

fn read_pids(project: &Path) -> Vec<i32> {
    let text = std::fs::read_to_string(project.join("pids")).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

#[tokio::test]
async fn dropping_the_runner_ends_everything() {
    let mut bench = Bench::new(&format!("echo $$ >> pids; {COUNTS}"));
    bench.start("a").end().await;
    let pid = read_pids(&bench.project())[0];
    assert!(lives(pid));
    let project = bench.project();
    drop(std::mem::replace(&mut bench, Bench::new("true")).host);
    until(|| !lives(pid)).await;
    assert!(!project.exists() || !lives(pid));
}

#[tokio::test]
async fn scripts_run_without_a_process() {
    let script = script::engine(
        "s",
        "{\"thinking\":\"hm\"}\n{\"ask\":{\"tool\":\"Bash\",\"command\":\"ls\"}}\n{\"delay_ms\":0}\n{\"echo\":true}\n{\"turn\":true}\n{\"hang\":\"deaf\"}",
    );
    let mut bench = Bench::with("true", script, &[]);
    let mut running = bench.start("한글 words");
    running.until(|event| matches!(event, TurnEvent::PermissionAsked(_))).await;
    let decision = Decision::Deny { comment: String::new() };
    running.control.send(TurnControl::Answer { ask: "ask-1".to_owned(), decision }).await.unwrap();
    let events = running.end().await;
    assert_eq!((said(&events).as_str(), finished(&events)), ("denied\n|한글 words", StopReason::Completed));

    // The second answer of the same warm seat does not even hear a stop; the runner ends it.
    let mut running = bench.start("second");
    running.until(|event| matches!(event, TurnEvent::Started { .. })).await;
    let stopped = Instant::now();
    running.stop().await;
    assert_eq!(finished(&running.end().await), StopReason::Cancelled);
    assert!(stopped.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_turn_nobody_controls_is_stopped() {
    let script = script::engine("s", "{\"hang\":true}");
    let mut bench = Bench::with("true", script, &[]);
    let running = bench.start("x");
    let Running { mut events, control, task, .. } = running;
    drop(control);
    tokio::time::timeout(LIMIT, task).await.unwrap().unwrap();
    let mut seen = Vec::new();
    while let Some((_, event)) = events.recv().await {
        seen.push(event);
    }
    assert_eq!(finished(&seen), StopReason::Cancelled);
}
