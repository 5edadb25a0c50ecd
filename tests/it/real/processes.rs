//! What runs below our app, read from `/proc`.

use std::path::Path;

use tunaflow::os::guard::GUARD_ARG;

/// One process. One that has ended and was not waited for is none.
#[derive(Clone, Debug)]
pub struct Process {
    pub pid: i32,
    pub parent: i32,
    /// When it was started, in ticks since the machine was; process ids wrap around, this does not.
    pub started: u64,
    pub args: Vec<String>,
    /// `NAME=value`, as it was started.
    pub env: Vec<String>,
}

impl Process {
    fn is_guard(&self) -> bool {
        self.args.get(1).is_some_and(|word| word == GUARD_ARG)
    }

    pub fn has_variable(&self, name: &str) -> bool {
        self.env.iter().any(|pair| pair.split_once('=').is_some_and(|(known, _)| known == name))
    }

    pub fn kill(&self) {
        let pid = rustix::process::Pid::from_raw(self.pid).expect("a process id");
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it runs");
    }
}

/// Everything that can be read; what ends meanwhile is left out.
fn all() -> Vec<Process> {
    let folders = std::fs::read_dir("/proc").expect("a /proc");
    let pids = folders.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter_map(read).collect()
}

fn read(pid: i32) -> Option<Process> {
    let words = |name: &str| {
        let bytes = std::fs::read(format!("/proc/{pid}/{name}")).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some(text.split('\0').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>())
    };
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    // The state, the parent, and 17 others before the start time; see proc(5).
    let (state, parent, started) = (fields.first()?, fields.get(1)?, fields.get(19)?);
    if *state == "Z" {
        return None;
    }
    let (parent, started) = (parent.parse().ok()?, started.parse().ok()?);
    Some(Process { pid, parent, started, args: words("cmdline")?, env: words("environ")? })
}

/// Everything whose home is this folder: our guards, the engines, what they started.
pub fn of_home(home: &Path) -> Vec<Process> {
    let home = format!("HOME={}", home.display());
    all().into_iter().filter(|process| process.env.contains(&home)).collect()
}

/// The programs that our guards watch in this home: one per seat. A guard adopts orphans too; they came later.
pub fn programs(home: &Path) -> Vec<Process> {
    let of_home = of_home(home);
    let guards = of_home.iter().filter(|process| process.is_guard());
    let first_child = |guard: &Process| {
        of_home.iter().filter(|process| process.parent == guard.pid).min_by_key(|child| child.started)
    };
    guards.filter_map(first_child).cloned().collect()
}

/// Everything on this machine that was started with this word in an argument.
pub fn with_argument(word: &str) -> Vec<Process> {
    all().into_iter().filter(|process| process.args.iter().any(|arg| arg.contains(word))).collect()
}
