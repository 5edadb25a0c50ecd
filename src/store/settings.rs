//! Table `setting`: JSON values by name.

use rusqlite::Connection;
use serde::de::IgnoredAny;

use super::codec;
use super::error::StoreResult;

pub(super) const LIST: &str = "SELECT name, json FROM setting ORDER BY name";

pub(super) fn put(conn: &Connection, name: &str, json: &str) -> StoreResult<()> {
    let sql = "
        INSERT INTO setting (name, json) VALUES (?1, ?2)
        ON CONFLICT (name) DO UPDATE SET json = excluded.json";
    codec::run(conn, sql, [name, json])
}

/// Those that are JSON; an unreadable one is left out, so it takes its default.
pub(super) fn list(conn: &Connection) -> StoreResult<Vec<(String, String)>> {
    codec::rows(conn, LIST, [], |row| {
        let name = codec::owned_text(row, 0).ok()?;
        let read = codec::json::<IgnoredAny>(row, 1).and_then(|_| codec::owned_text(row, 1));
        let json = read.inspect_err(|why| tracing::warn!(name, why, "a setting is unreadable")).ok()?;
        Some((name, json))
    })
}
