//! The system's table of processes: who descends from whom, is it still the same process, signal it.

use std::collections::HashMap;

use rustix::process::{Pid, Signal};

/// A process told apart from a later one that got the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::os) struct ProcId {
    pub pid: i32,
    /// When it started, in a unit of the system's own; only good for comparing.
    started: u64,
}

struct Row {
    pid: i32,
    parent: i32,
    started: u64,
    zombie: bool,
}

/// Every process that descends from `root`, at any depth, without `root` itself and without zombies.
/// Empty when the table can't be read.
pub(in crate::os) fn descendants(root: i32) -> Vec<ProcId> {
    let mut by_parent: HashMap<i32, Vec<Row>> = HashMap::new();
    for row in table() {
        by_parent.entry(row.parent).or_default().push(row);
    }
    let mut found = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        // Taking the entry out also ends the walk should a recycled number ever make a circle.
        for row in by_parent.remove(&parent).unwrap_or_default() {
            parents.push(row.pid);
            if !row.zombie {
                found.push(ProcId { pid: row.pid, started: row.started });
            }
        }
    }
    found
}

/// Whether that very process still runs. A zombie does not: it holds nothing but its number.
pub(in crate::os) fn is_alive(process: ProcId) -> bool {
    lookup(process.pid).is_some_and(|row| !row.zombie && row.started == process.started)
}

/// Sends `signal` if that very process still runs.
pub(in crate::os) fn signal(process: ProcId, signal: Signal) {
    if is_alive(process) {
        signal_pid(process.pid, signal);
    }
}

/// Sends `signal` to the process with this number; a process that is gone already is fine.
pub(in crate::os) fn signal_pid(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid).filter(|_| pid > 1)
        && let Err(error) = rustix::process::kill_process(pid, signal)
        && error != rustix::io::Errno::SRCH
    {
        tracing::warn!(%error, pid = pid.as_raw_nonzero(), "signal not delivered");
    }
}

/// Sends `signal` to the process group led by `leader`; a group that is gone already is fine.
pub(in crate::os) fn signal_group(leader: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(leader).filter(|_| leader > 1)
        && let Err(error) = rustix::process::kill_process_group(pid, signal)
        && error != rustix::io::Errno::SRCH
    {
        tracing::warn!(%error, leader, "signal to group not delivered");
    }
}

#[cfg(target_os = "linux")]
fn table() -> Vec<Row> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()))
        .filter_map(lookup)
        .collect()
}

#[cfg(target_os = "linux")]
fn lookup(pid: i32) -> Option<Row> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(pid, &String::from_utf8_lossy(&stat))
}

/// `pid (name) state ppid … starttime …`; the name may hold spaces and parentheses, so the fields are
/// counted from the last `)` (proc_pid_stat(5): state is field 3, ppid 4, starttime 22).
#[cfg(target_os = "linux")]
fn parse_stat(pid: i32, stat: &str) -> Option<Row> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some(Row { pid, parent, started, zombie: matches!(state, "Z" | "X" | "x") })
}

#[cfg(not(target_os = "linux"))]
fn table() -> Vec<Row> {
    ps(&["-axo", "pid=,ppid=,stat=,lstart="])
}

#[cfg(not(target_os = "linux"))]
fn lookup(pid: i32) -> Option<Row> {
    ps(&["-o", "pid=,ppid=,stat=,lstart=", "-p", &pid.to_string()]).pop()
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::disallowed_methods, reason = "a child's handle needs this table, so it can't be used here")]
fn ps(args: &[&str]) -> Vec<Row> {
    use std::hash::{Hash as _, Hasher as _};
    let Ok(output) = std::process::Command::new("/bin/ps").args(args).env("LC_ALL", "C").output() else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .filter_map(|line| {
            let mut fields = line.split_ascii_whitespace();
            let pid = fields.next()?.parse().ok()?;
            let parent = fields.next()?.parse().ok()?;
            let zombie = fields.next()?.starts_with('Z');
            let mut hasher = std::hash::DefaultHasher::new();
            fields.for_each(|field| field.hash(&mut hasher));
            Some(Row { pid, parent, started: hasher.finish(), zombie })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn stat_lines_with_odd_names_are_read() {
        let rest = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 4242 18";
        let row = super::parse_stat(7, &format!("7 (a) b) (c) S 99 {rest}")).unwrap();
        assert_eq!((row.parent, row.started, row.zombie), (99, 4242, false));
        let row = super::parse_stat(7, &format!("7 (x) Z 1 {rest}")).unwrap();
        assert!(row.zombie);
        assert!(super::parse_stat(7, "garbage").is_none());
        assert!(super::parse_stat(7, "7 (x) S").is_none());
    }
}
