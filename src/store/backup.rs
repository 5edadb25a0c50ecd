//! Copies: made daily and before upgrades, checked before they count, put back on demand.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::backup::{Backup, StepResult};

use super::error::{StoreError, StoreResult};
use super::file;
use super::migrate;

/// Copies kept of each kind.
const KEEP: usize = 5;
const DAY_MS: i64 = 86_400_000;

/// Why a copy was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupKind {
    /// Once a day.
    Daily,
    /// Before a newer program changed the tables.
    BeforeUpgrade,
}

impl BackupKind {
    fn word(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::BeforeUpgrade => "before-upgrade",
        }
    }
}

/// One copy on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupFile {
    pub path: PathBuf,
    /// When it was made, from its name.
    pub made_ms: i64,
    pub kind: BackupKind,
    pub bytes: u64,
}

/// The copies in a folder, newest first. A missing folder has none; other files are passed over.
pub fn list_backups(backups_dir: &Path) -> Vec<BackupFile> {
    let Ok(entries) = fs::read_dir(backups_dir) else { return Vec::new() };
    let mut found: Vec<BackupFile> = entries
        .flatten()
        .filter_map(|entry| {
            let (made_ms, kind) = parse_name(entry.file_name().to_str()?)?;
            let bytes = entry.metadata().ok().filter(fs::Metadata::is_file)?.len();
            Some(BackupFile { path: entry.path(), made_ms, kind, bytes })
        })
        .collect();
    found.sort_by(|a, b| b.made_ms.cmp(&a.made_ms).then_with(|| b.path.cmp(&a.path)));
    found
}

/// Makes today's copy (UTC) if there is none, keeps the newest five daily ones; `None` = not due.
///
/// Reads beside the writer and blocks nobody, but takes as long as the file is big: call it off the window's
/// and the writer's thread. A copy that is not sound is thrown away and no older one is removed for it.
/// Errors: [`StoreError::Damaged`] when the database is, [`StoreError::Full`] when there is no room.
pub fn backup_if_due(db_path: &Path, backups_dir: &Path, now_ms: i64) -> Result<Option<PathBuf>, StoreError> {
    let today = now_ms.div_euclid(DAY_MS);
    let made_today = list_backups(backups_dir)
        .iter()
        .any(|copy| copy.kind == BackupKind::Daily && copy.made_ms.div_euclid(DAY_MS) == today);
    if made_today {
        return Ok(None);
    }
    make(db_path, backups_dir, BackupKind::Daily, now_ms).map(Some)
}

/// Copies the database, checks the copy, gives it its name, and removes the oldest above the limit.
pub(super) fn make(
    db_path: &Path,
    backups_dir: &Path,
    kind: BackupKind,
    now_ms: i64,
) -> StoreResult<PathBuf> {
    fs::create_dir_all(backups_dir)?;
    let target = backups_dir.join(name(kind, now_ms));
    let partial = file::beside(&target, ".partial");
    let made = copy(db_path, &partial).and_then(|()| Ok(fs::rename(&partial, &target)?));
    if let Err(error) = made {
        remove_quietly(&partial);
        return Err(error);
    }
    let same_kind = list_backups(backups_dir).into_iter().filter(|copy| copy.kind == kind);
    for old in same_kind.skip(KEEP) {
        remove_quietly(&old.path);
    }
    Ok(target)
}

fn copy(from: &Path, to: &Path) -> StoreResult<()> {
    remove_quietly(to);
    file::create_private(to)?;
    let source = file::open_reader(from)?;
    let mut target = file::open_writer(to)?;
    {
        let backup = Backup::new(&source, &mut target)?;
        // One step over all pages holds one read snapshot, so a busy writer cannot make it start again.
        if backup.step(-1)? != StepResult::Done {
            return Err(StoreError::Busy);
        }
    }
    // So the copy is one file, also when it is opened from a read-only medium.
    let mode: String = target.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get(0))?;
    if mode != "delete" {
        return Err(StoreError::other(format!("the copy stayed in journal mode {mode}")));
    }
    file::check(&target, "PRAGMA quick_check(1)")?;
    drop(target);
    File::open(to)?.sync_all()?;
    Ok(())
}

fn remove_quietly(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "a file beside the database could not be removed");
    }
}

/// Puts a copy in the place of the database. Nothing may have the database open.
///
/// The file that was there is kept beside it (`<name>.damaged-1`, …) with its log; its path is returned,
/// `None` when there was none. The copy itself stays too. If anything fails, the old file is in its place again.
pub fn restore_backup(backup: &Path, db_path: &Path) -> Result<Option<PathBuf>, StoreError> {
    if !file::check_header(backup)? {
        return Err(StoreError::damaged("the backup is missing or empty"));
    }
    let source = file::open_reader(backup)?;
    migrate::check_version(&source, migrate::known_version())?;
    drop(source);
    let fresh = file::beside(db_path, ".restoring");
    if let Err(error) = copy(backup, &fresh) {
        remove_quietly(&fresh);
        return Err(error);
    }
    let kept = if db_path.exists() { Some(set_aside(db_path)?) } else { None };
    if let Err(error) = fs::rename(&fresh, db_path) {
        if let Some(kept) = &kept {
            move_with_log(kept, db_path)?;
        }
        return Err(error.into());
    }
    Ok(kept)
}

fn set_aside(db_path: &Path) -> StoreResult<PathBuf> {
    let free = (1..10_000)
        .map(|number| file::beside(db_path, &format!(".damaged-{number}")))
        .find(|path| !path.exists() && !file::beside(path, "-wal").exists())
        .ok_or_else(|| StoreError::other("too many damaged files are kept beside the database"))?;
    move_with_log(db_path, &free)?;
    Ok(free)
}

/// Moves the log first: a new database must never meet an old log.
fn move_with_log(from: &Path, to: &Path) -> StoreResult<()> {
    for suffix in ["-wal", "-shm", ""] {
        let part = file::beside(from, suffix);
        if part.exists() {
            fs::rename(&part, file::beside(to, suffix))?;
        }
    }
    Ok(())
}

fn name(kind: BackupKind, at_ms: i64) -> String {
    let (days, ms) = (at_ms.div_euclid(DAY_MS), at_ms.rem_euclid(DAY_MS));
    let (year, month, day) = civil(days);
    let secs = ms / 1000;
    let (h, m, s) = (secs / 3600, secs / 60 % 60, secs % 60);
    format!("tunaflow-{year:04}{month:02}{day:02}-{h:02}{m:02}{s:02}-{}.db", kind.word())
}

fn parse_name(name: &str) -> Option<(i64, BackupKind)> {
    let rest = name.strip_prefix("tunaflow-")?.strip_suffix(".db")?;
    let (date, rest) = rest.split_once('-')?;
    let (time, word) = rest.split_once('-')?;
    let kind = [BackupKind::Daily, BackupKind::BeforeUpgrade].into_iter().find(|kind| kind.word() == word)?;
    if date.len() != 8 || time.len() != 6 {
        return None;
    }
    let (date, time): (i64, i64) = (date.parse().ok()?, time.parse().ok()?);
    let days = days_from_civil(date / 10_000, date / 100 % 100, date % 100);
    let secs = time / 10_000 * 3600 + time / 100 % 100 * 60 + time % 100;
    Some((days * DAY_MS + secs * 1000, kind))
}

/// Days since 1970-01-01 to year, month, day (proleptic Gregorian; Howard Hinnant, "chrono-compatible
/// low-level date algorithms").
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted_month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::{BackupKind, name, parse_name};

    #[test]
    fn names_carry_their_time() {
        let cases = [
            (0, "tunaflow-19700101-000000-daily.db"),
            (951_782_400_000, "tunaflow-20000229-000000-daily.db"),
            (1_767_225_599_000, "tunaflow-20251231-235959-daily.db"),
        ];
        for (ms, expected) in cases {
            assert_eq!(name(BackupKind::Daily, ms), expected);
            assert_eq!(parse_name(expected), Some((ms, BackupKind::Daily)));
        }
    }

    #[test]
    fn other_files_are_no_backups() {
        for name in
            ["", "tunaflow-1.db", "tunaflow-20000229-000000-daily.db.partial", "tunaflow-é-1-daily.db"]
        {
            assert_eq!(parse_name(name), None, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_second_comes_back(secs in 0_i64..4_000_000_000) {
            let name = name(BackupKind::BeforeUpgrade, secs * 1000);
            proptest::prop_assert_eq!(parse_name(&name), Some((secs * 1000, BackupKind::BeforeUpgrade)));
        }
    }
}
