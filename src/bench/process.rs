//! What the system tells about processes: memory, processor time, descendants. Linux only; elsewhere it says so.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;

/// Memory of one process or several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Resident, shared pages counted whole, MB of 2^20 bytes.
    pub rss_mb: f64,
    /// Resident, shared pages counted by share.
    pub pss_mb: f64,
}

fn read(pid: u32, file: &str) -> anyhow::Result<String> {
    let bytes = std::fs::read(format!("/proc/{pid}/{file}"))
        .with_context(|| format!("this system does not tell {file} of a process"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// # Errors
/// The process has gone, or the system does not tell.
pub fn memory(pid: u32) -> anyhow::Result<Memory> {
    Ok(parse_rollup(&read(pid, "smaps_rollup")?))
}

fn parse_rollup(text: &str) -> Memory {
    let mb = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let kb: Option<f64> = line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse().ok());
        kb.unwrap_or_default() / 1024.0
    };
    Memory { rss_mb: mb("Rss:"), pss_mb: mb("Pss:") }
}

/// Memory of several processes; those that have gone meanwhile count nothing.
pub fn memory_of(pids: &BTreeSet<u32>) -> Memory {
    pids.iter().filter_map(|pid| memory(*pid).ok()).fold(Memory::default(), |sum, one| Memory {
        rss_mb: sum.rss_mb + one.rss_mb,
        pss_mb: sum.pss_mb + one.pss_mb,
    })
}

/// Processor time so far in user and kernel, milliseconds in steps of 10 (the system's clock ticks).
///
/// # Errors
/// As [`memory`].
pub fn cpu_ms(pid: u32) -> anyhow::Result<f64> {
    parse_cpu(&read(pid, "stat")?).context("the system's table of processes has another form")
}

/// `utime` and `stime` are the fields 14 and 15 of `stat`; the name before may hold spaces and brackets.
fn parse_cpu(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) * 10.0)
}

/// The process, all it started, and every process that names `marker` in its command line.
pub fn family(root: u32, marker: &Path) -> BTreeSet<u32> {
    let marker = marker.to_string_lossy();
    let mut parents = Vec::new();
    let mut family = BTreeSet::from([root]);
    let Ok(entries) = std::fs::read_dir("/proc") else { return family };
    for pid in entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()) {
        let Ok(stat) = read(pid, "stat") else { continue };
        let parent =
            stat.rsplit_once(')').and_then(|(_, rest)| rest.split_ascii_whitespace().nth(1)?.parse().ok());
        parents.push((pid, parent.unwrap_or(0)));
        if pid != std::process::id() && read(pid, "cmdline").is_ok_and(|line| line.contains(&*marker)) {
            family.insert(pid);
        }
    }
    loop {
        let before = family.len();
        family.extend(
            parents
                .iter()
                .filter(|(_, parent)| family.contains(parent))
                .map(|(pid, _)| *pid)
                .collect::<Vec<_>>(),
        );
        if family.len() == before {
            return family;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_texts_are_read() {
        let rollup = "5f-7f ---p 0 00:00 0 [rollup]\nRss:             2048 kB\nPss:             1024 kB\nPss_Dirty: 9 kB\n";
        assert_eq!(parse_rollup(rollup), Memory { rss_mb: 2.0, pss_mb: 1.0 });
        assert_eq!(parse_rollup(""), Memory::default());
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0 20 0";
        assert_eq!(parse_cpu(stat), Some(420.0));
        assert_eq!(parse_cpu("nonsense"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_memory_and_time() {
        let own = std::process::id();
        let memory = memory(own).unwrap();
        assert!(memory.rss_mb > 1.0 && memory.pss_mb <= memory.rss_mb);
        assert!(cpu_ms(own).unwrap() >= 0.0);
        assert!(family(own, Path::new("/no/such/marker")).contains(&own));
    }
}
