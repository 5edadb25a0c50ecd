//! From an empty or older file to the tables this program knows; forwards only.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::backup::{self, BackupKind};
use super::error::{StoreError, StoreResult};

/// One step. `version` is what `user_version` says afterwards.
pub(super) struct Migration {
    pub version: i64,
    pub sql: &'static str,
}

/// All steps, oldest first, without gaps. Two branches that take the same number conflict here.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, sql: include_str!("../../migrations/0001_init.sql") },
    Migration { version: 2, sql: include_str!("../../migrations/0002_context.sql") },
    Migration { version: 3, sql: include_str!("../../migrations/0003_branches.sql") },
];

/// Tables that must be there after the last step; a file that lacks one is damaged.
const TABLES: [&str; 18] = [
    "counter",
    "project",
    "conversation",
    "message",
    "turn",
    "turn_event",
    "pack",
    "engine_session",
    "draft",
    "queued",
    "setting",
    "plan",
    "finding",
    "agreement",
    "artifact",
    "link",
    "skill_switch",
    "topic",
];

/// The newest version this program knows.
pub(super) fn known_version() -> i64 {
    MIGRATIONS.last().map_or(0, |migration| migration.version)
}

/// The version of an opened file; 0 = nothing was ever put into it.
pub(super) fn found_version(conn: &Connection) -> StoreResult<i64> {
    Ok(conn.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Refuses a newer file, a foreign one, and one without its tables. Changes nothing.
pub(super) fn check_version(conn: &Connection, known: i64) -> StoreResult<i64> {
    let found = found_version(conn)?;
    if found > known {
        return Err(StoreError::TooNew { found, known });
    }
    let mut statement = conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    if found <= 0 && !names.is_empty() {
        return Err(StoreError::damaged("it holds tables that are not tunaflow's"));
    }
    if found == known
        && let Some(missing) = TABLES.iter().find(|table| !names.iter().any(|name| name == *table))
    {
        return Err(StoreError::damaged(format!("the table {missing} is missing")));
    }
    Ok(found)
}

/// Where the copy before a migration goes.
pub(super) struct Safety<'a> {
    pub db_path: &'a Path,
    pub backups_dir: &'a Path,
    pub now_ms: i64,
}

/// Runs what is missing, each step in a transaction of its own, after one copy when there is anything to lose.
pub(super) fn run(conn: &mut Connection, steps: &[Migration], safety: &Safety<'_>) -> StoreResult<()> {
    let found = found_version(conn)?;
    if found > 0 && steps.iter().any(|step| step.version > found) {
        backup::make(safety.db_path, safety.backups_dir, BackupKind::BeforeUpgrade, safety.now_ms)?;
    }
    for step in steps.iter().filter(|step| step.version > found) {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute_batch(step.sql)?;
        tx.pragma_update(None, "user_version", step.version)?;
        tx.commit()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::{MIGRATIONS, Migration, Safety, check_version, found_version, known_version, run};
    use crate::store::{Store, StoreError, list_backups};

    #[test]
    fn numbers_grow_by_one() {
        for (index, step) in MIGRATIONS.iter().enumerate() {
            assert_eq!(step.version, i64::try_from(index).unwrap() + 1);
        }
    }

    #[test]
    fn an_older_file_is_copied_then_brought_forward() {
        let dir = tempfile::tempdir().unwrap();
        let (db, backups) = (dir.path().join("a.db"), dir.path().join("backups"));
        drop(Store::open(&db, &backups, 0).unwrap());
        assert!(list_backups(&backups).is_empty(), "a fresh file needs no copy");
        let mut conn = Connection::open(&db).unwrap();
        let next = [Migration { version: known_version() + 1, sql: "ALTER TABLE project ADD COLUMN extra" }];
        run(&mut conn, &next, &Safety { db_path: &db, backups_dir: &backups, now_ms: 5 }).unwrap();
        assert_eq!(found_version(&conn).unwrap(), known_version() + 1);
        let copies = list_backups(&backups);
        assert_eq!(copies.len(), 1);
        let copy = Connection::open(&copies[0].path).unwrap();
        assert_eq!(found_version(&copy).unwrap(), known_version());
    }

    #[test]
    fn a_failing_step_leaves_the_version() {
        let dir = tempfile::tempdir().unwrap();
        let (db, backups) = (dir.path().join("a.db"), dir.path().join("backups"));
        drop(Store::open(&db, &backups, 0).unwrap());
        let mut conn = Connection::open(&db).unwrap();
        let sql = "CREATE TABLE half (a); CREATE TABLE half (a);";
        let next = [Migration { version: known_version() + 1, sql }];
        let safety = Safety { db_path: &db, backups_dir: &backups, now_ms: 5 };
        assert!(run(&mut conn, &next, &safety).is_err());
        assert_eq!(check_version(&conn, known_version()).unwrap(), known_version());
        let halves: i64 = conn
            .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'half'", [], |row| row.get(0))
            .unwrap();
        assert_eq!(halves, 0);
    }

    #[test]
    fn foreign_files_are_not_taken_over() {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch("CREATE TABLE somebody_elses (a)").unwrap();
        assert!(matches!(check_version(&conn, 1), Err(StoreError::Damaged { .. })));
    }
}
