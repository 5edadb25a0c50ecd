//! The database file looked at, and made to fail, from outside.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

/// Every row of every table, each as one line of all its columns. Tables of faults are left out.
pub type Dump = BTreeMap<String, Vec<String>>;

pub fn path(home: &Path) -> PathBuf {
    home.join("data").join("tunaflow.db")
}

/// For changes by hand.
pub fn open(home: &Path) -> Connection {
    let conn = Connection::open(path(home)).unwrap();
    conn.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
    conn
}

fn look(home: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path(home), flags).unwrap()
}

/// One number.
pub fn number(home: &Path, sql: &str) -> i64 {
    look(home).query_row(sql, [], |row| row.get(0)).unwrap()
}

/// The rows that `filter` keeps, as `column=value` joined by ` | `; all from one moment.
pub fn dump(home: &Path, filter: impl Fn(&str, &BTreeMap<String, String>) -> bool) -> Dump {
    let conn = look(home);
    conn.execute_batch("BEGIN").unwrap();
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'injected'";
    let mut statement = conn.prepare(names).unwrap();
    let tables: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut out = Dump::new();
    for table in tables {
        let mut statement = conn.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([]).unwrap();
        let mut lines = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let mut values = BTreeMap::new();
            let mut line = Vec::new();
            for (at, column) in columns.iter().enumerate() {
                let value = shown(row.get(at).unwrap());
                line.push(format!("{column}={value}"));
                values.insert(column.clone(), value);
            }
            if filter(&table, &values) {
                lines.push(line.join(" | "));
            }
        }
        lines.sort();
        out.insert(table, lines);
    }
    out
}

fn shown(value: Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Blob(bytes) => format!("{bytes:?}"),
    }
}

/// Fails when a row differs, and names it.
pub fn assert_same(before: &Dump, after: &Dump, what: &str) {
    let tables: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for table in tables {
        let (old, new) = (before.get(table), after.get(table));
        let gone: Vec<_> =
            old.into_iter().flatten().filter(|row| !new.is_some_and(|new| new.contains(row))).collect();
        let come: Vec<_> =
            new.into_iter().flatten().filter(|row| !old.is_some_and(|old| old.contains(row))).collect();
        assert!(gone.is_empty() && come.is_empty(), "{what}: {table}\n- {gone:#?}\n+ {come:#?}");
    }
}

/// Panics unless SQLite finds the whole file sound, with every reference to a row that is there.
pub fn assert_sound(home: &Path) {
    let conn = look(home);
    let found: String = conn.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(found, "ok");
    let mut statement = conn.prepare("PRAGMA foreign_key_check").unwrap();
    assert!(statement.query([]).unwrap().next().unwrap().is_none(), "a reference leads nowhere");
}

/// What happens at a chosen row change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails, and with it the transaction.
    Abort,
    /// It takes far longer than any test, with the transaction open.
    Stall,
}

/// Lays the fault into the file; it does nothing until it is armed.
pub fn lay(home: &Path, fault: Fault) {
    let conn = open(home);
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let mut statement = conn.prepare(names).unwrap();
    let tables: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let then = match fault {
        Fault::Abort => "RAISE(ABORT, 'injected fault')",
        Fault::Stall => "(SELECT count(*) FROM endless)",
    };
    let mut sql = String::from(
        "CREATE TABLE injected (n INTEGER); INSERT INTO injected VALUES (-1);
         CREATE VIEW endless AS WITH RECURSIVE up (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM up WHERE x < 100000000000)
           SELECT x FROM up;",
    );
    for table in tables {
        for change in ["INSERT", "UPDATE", "DELETE"] {
            sql.push_str(&format!(
                "CREATE TRIGGER fault_{table}_{change} BEFORE {change} ON {table}
                 WHEN (SELECT n FROM injected) > 0 BEGIN
                   UPDATE injected SET n = n - 1;
                   SELECT CASE WHEN (SELECT n FROM injected) = 0 THEN {then} END;
                 END;"
            ));
        }
    }
    conn.execute_batch(&sql).unwrap();
}

/// The `change`th row change from now on meets the fault, again and again: what it undoes is counted anew.
/// 0 = none does.
pub fn arm(home: &Path, change: u32) {
    let set = "UPDATE injected SET n = ?1";
    assert_eq!(open(home).execute(set, [i64::from(change)]).unwrap(), 1);
}

/// Row changes that were kept since it was armed are gone from the count; what is left of it.
pub fn left(home: &Path) -> i64 {
    number(home, "SELECT n FROM injected")
}

/// Takes the fault out of the file.
pub fn lift(home: &Path) {
    let conn = open(home);
    let names = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'fault_%'";
    let mut statement = conn.prepare(names).unwrap();
    let triggers: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    drop(statement);
    for trigger in triggers {
        conn.execute_batch(&format!("DROP TRIGGER {trigger}")).unwrap();
    }
    conn.execute_batch("DROP VIEW endless; DROP TABLE injected").unwrap();
}
