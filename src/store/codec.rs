//! Between columns and values. Reading is total: a wrong value is told as words, never as an error of the query.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Params, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{StoreError, StoreResult};

/// What is wrong with a column, in a few words.
pub(super) type Fault = String;

/// Collects what is wrong with a row while its values are replaced by harmless ones.
#[derive(Default)]
pub(super) struct Faults(Vec<String>);

impl Faults {
    /// The value, or `instead` with the fault noted under the column's name.
    pub fn or<T>(&mut self, column: &str, value: Result<T, Fault>, instead: T) -> T {
        value.unwrap_or_else(|why| {
            self.0.push(format!("{column}: {why}"));
            instead
        })
    }

    pub fn note(&mut self, column: &str, why: &str) {
        self.0.push(format!("{column}: {why}"));
    }

    /// One line, `None` when nothing was wrong.
    pub fn line(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join("; "))
    }

    /// For rows that have no place to show it.
    pub fn log(&self, table: &str, id: i64) {
        if let Some(line) = self.line() {
            tracing::warn!(table, id, why = %line, "a stored row is partly unreadable");
        }
    }
}

fn cell<'a>(row: &'a Row<'_>, at: usize) -> ValueRef<'a> {
    row.get_ref(at).unwrap_or(ValueRef::Null)
}

/// A whole number.
pub(super) fn int(row: &Row<'_>, at: usize) -> Result<i64, Fault> {
    match cell(row, at) {
        ValueRef::Integer(number) => Ok(number),
        other => Err(wrong("a number", other)),
    }
}

/// A whole number, or nothing.
pub(super) fn opt_int(row: &Row<'_>, at: usize) -> Result<Option<i64>, Fault> {
    match cell(row, at) {
        ValueRef::Null => Ok(None),
        _ => int(row, at).map(Some),
    }
}

/// A whole number that fits `T`.
pub(super) fn fit<T: TryFrom<i64>>(row: &Row<'_>, at: usize) -> Result<T, Fault> {
    let number = int(row, at)?;
    T::try_from(number).map_err(|_out_of_range| format!("{number} is out of range"))
}

/// Text, borrowed from the row.
pub(super) fn text<'a>(row: &'a Row<'_>, at: usize) -> Result<&'a str, Fault> {
    match cell(row, at) {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).map_err(|error| error.to_string()),
        other => Err(wrong("text", other)),
    }
}

pub(super) fn owned_text(row: &Row<'_>, at: usize) -> Result<String, Fault> {
    text(row, at).map(String::from)
}

/// Text, or nothing.
pub(super) fn opt_text(row: &Row<'_>, at: usize) -> Result<Option<String>, Fault> {
    match cell(row, at) {
        ValueRef::Null => Ok(None),
        _ => owned_text(row, at).map(Some),
    }
}

/// Whatever can still be read of a text column: invalid bytes become U+FFFD.
pub(super) fn rescued_text(row: &Row<'_>, at: usize) -> String {
    match cell(row, at) {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => String::new(),
    }
}

/// A value kept as JSON.
pub(super) fn json<T: DeserializeOwned>(row: &Row<'_>, at: usize) -> Result<T, Fault> {
    serde_json::from_str(text(row, at)?).map_err(|error| error.to_string())
}

/// A value kept as JSON, or nothing.
pub(super) fn opt_json<T: DeserializeOwned>(row: &Row<'_>, at: usize) -> Result<Option<T>, Fault> {
    match cell(row, at) {
        ValueRef::Null => Ok(None),
        _ => json(row, at).map(Some),
    }
}

fn wrong(wanted: &str, found: ValueRef<'_>) -> Fault {
    format!("{wanted} was expected, found {}", found.data_type())
}

/// JSON for a column.
pub(super) fn to_json<T: Serialize>(value: &T) -> StoreResult<String> {
    serde_json::to_string(value).map_err(StoreError::other)
}

pub(super) fn opt_to_json<T: Serialize>(value: Option<&T>) -> StoreResult<Option<String>> {
    value.map(to_json).transpose()
}

/// The largest number of a column is smaller than the largest `u64`; counts beyond it do not occur.
pub(super) fn clamp_u64(number: Option<u64>) -> Option<i64> {
    number.map(|number| i64::try_from(number).unwrap_or(i64::MAX))
}

/// A path for a column: text when it is Unicode, else its bytes.
pub(super) fn path_value(path: &Path) -> Value {
    match path.to_str() {
        Some(text) => Value::Text(text.into()),
        None => Value::Blob(path_bytes(path)),
    }
}

pub(super) fn path(row: &Row<'_>, at: usize) -> Result<PathBuf, Fault> {
    match cell(row, at) {
        ValueRef::Blob(bytes) => Ok(path_from_bytes(bytes)),
        _ => owned_text(row, at).map(PathBuf::from),
    }
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

#[cfg(unix)]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    std::ffi::OsStr::from_bytes(bytes).into()
}

#[cfg(windows)]
fn path_bytes(path: &Path) -> Vec<u8> {
    use std::os::windows::ffi::OsStrExt as _;
    path.as_os_str().encode_wide().flat_map(u16::to_le_bytes).collect()
}

#[cfg(windows)]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::windows::ffi::OsStringExt as _;
    let wide: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    std::ffi::OsString::from_wide(&wide).into()
}

#[cfg(not(any(unix, windows)))]
fn path_bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().into_owned().into_bytes()
}

#[cfg(not(any(unix, windows)))]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// Runs one cached statement that changes rows.
pub(super) fn run(conn: &Connection, sql: &str, params: impl Params) -> StoreResult<()> {
    conn.prepare_cached(sql)?.execute(params)?;
    Ok(())
}

/// Reads all rows of one cached statement; `decode` gives `None` for a row that says nothing.
pub(super) fn rows<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    mut decode: impl FnMut(&Row<'_>) -> Option<T>,
) -> StoreResult<Vec<T>> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut cursor = statement.query(params)?;
    let mut out = Vec::new();
    while let Some(row) = cursor.next()? {
        out.extend(decode(row));
    }
    Ok(out)
}

/// As [`rows`], but a damaged place in the file costs only the rows on it.
///
/// Then the order of `sql` is lost: what came before the damage is joined with what `by_table`, which must
/// name the same columns and use no index, can reach; `key` tells one row from another. The flag says so.
/// Errors: nothing at all could be read.
pub(super) fn rows_salvaged<T>(
    conn: &Connection,
    (sql, by_table): (&str, &str),
    params: impl Params + Clone,
    decode: impl Fn(&Row<'_>) -> Option<T>,
    key: impl Fn(&T) -> i64,
) -> StoreResult<(Vec<T>, bool)> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    let mut collect = |row: &Row<'_>| -> Option<()> {
        let value = decode(row)?;
        if seen.insert(key(&value)) {
            out.push(value);
        }
        None
    };
    match rows(conn, sql, params.clone(), &mut collect) {
        Ok(_) => return Ok((out, false)),
        Err(StoreError::Damaged { .. }) => {}
        Err(error) => return Err(error),
    }
    let read = rows(conn, by_table, params, &mut collect);
    match read {
        Err(error) if out.is_empty() => Err(error),
        _ => {
            tracing::warn!(rows = out.len(), "a damaged list was read as far as possible");
            Ok((out, true))
        }
    }
}

/// Reads the first row, if any.
pub(super) fn first<T>(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    decode: impl FnOnce(&Row<'_>) -> Option<T>,
) -> StoreResult<Option<T>> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut cursor = statement.query(params)?;
    Ok(cursor.next()?.and_then(decode))
}

/// A number of rows for a `LIMIT`.
pub(super) fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
