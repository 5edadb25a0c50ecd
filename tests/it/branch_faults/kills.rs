//! The program itself, killed at any point of what it does to a branch: all of it is there afterwards, or nothing.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::database::{self, Fault, number};

/// For anything of one run.
const LIMIT: Duration = Duration::from_secs(60);
/// Processor time of the store's thread, in hundredths of a second, that no ordinary write takes.
const STALLED: u64 = 30;

pub(super) struct Shell {
    home: TempDir,
    pub parent: String,
    pub branch: String,
}

impl Shell {
    /// A conversation with a turn, a branch with a turn, a branch in that branch.
    pub fn new() -> Self {
        let home = TempDir::new().unwrap();
        std::fs::create_dir(home.path().join("project")).unwrap();
        let mut shell = Self { home, parent: String::new(), branch: String::new() };
        let script = shell.home.path().join("echo.jsonl");
        std::fs::write(&script, "{\"text\":\"said\"}").unwrap();
        let engine = format!("script:{}", script.display());
        shell.run(&["send", "--engine", &engine, "hello"]);
        shell.parent = shell.run(&["conversations", "--json"])[0]["id"].to_string();
        shell.branch =
            shell.run(&["branch", "add", &shell.parent, "--label", "first", "--json"])[0]["id"].to_string();
        shell.run(&["send", "--conversation", &shell.branch, "aside"]);
        shell.run(&["branch", "add", &shell.branch, "--label", "inner"]);
        shell
    }

    pub fn path(&self) -> &Path {
        self.home.path()
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the program under test is started as a shell would start it"
    )]
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tunaflow"));
        command
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", "/usr/bin:/bin")
            .current_dir(self.path().join("project"))
            .arg("--data-dir")
            .arg(self.path().join("data"))
            .args(args)
            .stdin(Stdio::null());
        command
    }

    /// What a command writes with `--json`; it must work.
    pub fn run(&self, args: &[&str]) -> Vec<Value> {
        let output = self.command(args).output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{args:?}: {out}\n{err}");
        if args.contains(&"--json") {
            out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        } else {
            Vec::new()
        }
    }

    fn spawn(&self, args: &[&str]) -> Running {
        let child = self.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Running { child, wal: self.path().join("data").join("tunaflow.db-wal") }
    }

    fn count(&self, sql: &str) -> i64 {
        number(self.path(), sql)
    }

    /// Whether the branch is adopted. Panics when it is by half.
    fn is_adopted(&self) -> bool {
        let branch = &self.branch;
        let facts = [
            format!("SELECT count(*) FROM message WHERE deleted_ms IS NULL AND conversation = {} AND items_json LIKE '%\"adopted\"%'", self.parent),
            format!("SELECT count(*) FROM conversation WHERE id = {branch} AND archived = 1"),
            format!("SELECT count(*) FROM conversation WHERE id = {branch} AND branch_json NOT LIKE '%\"adopted\":null%'"),
            format!("SELECT count(*) FROM link WHERE conversation = {} AND linked = {branch}", self.parent),
            "SELECT count(*) FROM agreement".to_owned(),
            format!("SELECT message_count - 2 FROM conversation WHERE id = {}", self.parent),
        ]
        .map(|sql| self.count(&sql));
        assert!([[0; 6], [1; 6]].contains(&facts), "half of it: {facts:?}");
        facts == [1; 6]
    }

    fn branches(&self) -> i64 {
        let half = "SELECT count(*) FROM conversation WHERE parent IS NOT NULL AND (branch_json IS NULL OR title IS NULL)";
        assert_eq!(self.count(half), 0);
        self.count("SELECT count(*) FROM conversation WHERE parent IS NOT NULL AND deleted_ms IS NULL")
    }

    /// Whether the branch and the one in it are on the lists; both or none.
    fn is_there(&self) -> bool {
        let branch = &self.branch;
        let there = self.count(&format!(
            "SELECT count(*) FROM conversation WHERE (id = {branch} OR parent = {branch}) AND deleted_ms IS NULL"
        ));
        assert!([0, 2].contains(&there), "{there} of 2");
        there == 2
    }
}

struct Running {
    child: Child,
    wal: PathBuf,
}

/// What a kill waits for.
#[derive(Clone, Copy, Debug)]
enum When {
    After(Duration),
    /// The log of the database has grown that many times.
    Grown(u32),
    /// The store's thread is held up in the middle of a transaction.
    Stalled,
}

impl Running {
    /// Kills it then. False when it had ended before by itself.
    fn kill(mut self, when: When) -> bool {
        let started = Instant::now();
        let size = |wal: &Path| std::fs::metadata(wal).map_or(0, |meta| meta.len());
        let (mut seen, mut times) = (size(&self.wal), 0);
        loop {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            let is_due = match when {
                When::After(delay) => started.elapsed() >= delay,
                When::Grown(wanted) => {
                    let now = size(&self.wal);
                    times += u32::from(now != seen);
                    seen = now;
                    times >= wanted
                }
                When::Stalled => store_ticks(self.child.id()) >= STALLED,
            };
            if is_due {
                break;
            }
            assert!(started.elapsed() < LIMIT, "neither {when:?} nor an end");
            std::thread::yield_now();
        }
        // SIGKILL: nothing of the program runs any more after this.
        self.child.kill().unwrap();
        !self.child.wait().unwrap().success()
    }
}

/// Processor time of the thread that writes.
fn store_ticks(pid: u32) -> u64 {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return 0 };
    tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok())
        .filter_map(|stat| {
            let (head, tail) = stat.rsplit_once(") ")?;
            head.ends_with("(store").then(|| tail.split(' ').nth(11)?.parse::<u64>().ok())?
        })
        .sum()
}

/// A deed, what takes it back (`None`: the same may be done again), and whether it stands; that panics for a half.
struct Deed<'a> {
    args: Vec<&'a str>,
    back: Option<Vec<&'a str>>,
    stands: &'a dyn Fn() -> bool,
}

/// Killed while each of its row changes is being made, the transaction open: nothing stands.
fn killed_in_each_change(shell: &Shell, deed: &Deed<'_>, least: u32) {
    database::lay(shell.path(), Fault::Stall);
    let before = (deed.stands)();
    for change in 1..40 {
        database::arm(shell.path(), change);
        let killed = shell.spawn(&deed.args).kill(When::Stalled);
        database::assert_sound(shell.path());
        if !killed {
            assert!(database::left(shell.path()) > 0 && change > least, "only {change} changes");
            assert_ne!((deed.stands)(), before, "it works at last");
            return;
        }
        assert_eq!((deed.stands)(), before, "change {change}");
    }
    panic!("it never ended");
}

/// Killed at growing delays over the length of a whole run, and at each growth of the log.
fn killed_at_any_time(shell: &Shell, deed: &Deed<'_>) {
    let back = |shell: &Shell| {
        if let Some(back) = &deed.back
            && (deed.stands)()
        {
            shell.run(back);
        }
    };
    let started = Instant::now();
    assert!(shell.command(&deed.args).stdout(Stdio::null()).status().unwrap().success());
    let whole = started.elapsed();
    back(shell);
    let mut seen = [0, 0];
    let delays = (0..24).map(|part| When::After(whole * part / 20));
    for when in delays.chain((1..=6).map(When::Grown)) {
        let before = (deed.stands)();
        shell.spawn(&deed.args).kill(when);
        database::assert_sound(shell.path());
        let after = (deed.stands)();
        seen[usize::from(before != after)] += 1;
        // What was left can be read, and gone on with.
        assert!(!shell.run(&["conversations", "--json"]).is_empty());
        back(shell);
    }
    assert!(seen[0] > 0, "no kill came before the end: {seen:?}");
}

#[test]
fn adopting_is_killed_in_each_change() {
    let shell = Shell::new();
    let args = vec!["branch", "adopt", &shell.branch, "결론 and reasons"];
    killed_in_each_change(&shell, &Deed { args, back: None, stands: &|| shell.is_adopted() }, 5);
    let args = vec!["branch", "undo", &shell.branch];
    database::lift(shell.path());
    killed_in_each_change(&shell, &Deed { args, back: None, stands: &|| shell.is_adopted() }, 5);
}

#[test]
fn making_and_deleting_are_killed_in_each_change() {
    let shell = Shell::new();
    let count = std::cell::Cell::new(shell.branches());
    let args = vec!["branch", "add", &shell.parent, "--label", "another"];
    let stands = || {
        let now = shell.branches();
        assert!([count.get(), count.get() + 1].contains(&now));
        now > count.get()
    };
    killed_in_each_change(&shell, &Deed { args, back: None, stands: &stands }, 1);
    database::lift(shell.path());
    let args = vec!["branch", "remove", &shell.branch];
    killed_in_each_change(&shell, &Deed { args, back: None, stands: &|| shell.is_there() }, 2);
}

#[test]
fn adopting_and_taking_back_are_killed_at_any_time() {
    let shell = Shell::new();
    let undo = vec!["branch", "undo", &shell.branch];
    let args = vec!["branch", "adopt", &shell.branch, "결론 and reasons"];
    killed_at_any_time(&shell, &Deed { args, back: Some(undo), stands: &|| shell.is_adopted() });
    shell.run(&["branch", "adopt", &shell.branch, "again"]);
    let back = vec!["branch", "adopt", &shell.branch, "and again"];
    let args = vec!["branch", "undo", &shell.branch];
    killed_at_any_time(&shell, &Deed { args, back: Some(back), stands: &|| !shell.is_adopted() });
}
