//! The database file itself: who may read it, how it is opened, whether it is sound.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::error::{StoreError, StoreResult};

/// How long a connection waits for another one's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Prepared statements kept per connection: more than this room has.
const STATEMENT_CACHE: usize = 96;
/// Up to this size a whole check is a matter of milliseconds, so it is made at every opening.
const CHECK_WHOLE_MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Tables that are read whole at start and stay small: checked at every opening.
const SMALL_TABLES: [&str; 4] = ["project", "conversation", "setting", "draft"];
/// Every SQLite file starts so (SQLite file format, section 1.3).
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Creates the file when it is missing and makes it readable by its owner alone, whatever the umask.
pub(super) fn create_private(path: &Path) -> StoreResult<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let file = options.open(path)?;
    restrict(&file)?;
    Ok(())
}

#[cfg(unix)]
fn restrict(file: &File) -> StoreResult<()> {
    use std::os::unix::fs::PermissionsExt as _;
    if file.metadata()?.permissions().mode() & 0o777 != 0o600 {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn restrict(_file: &File) -> StoreResult<()> {
    Ok(())
}

/// Looks at the first bytes and the length, without opening the file as a database.
///
/// `Ok(false)`: there is nothing yet. A file that is no database, or is shorter than its header says, is
/// [`StoreError::Damaged`].
pub(super) fn check_header(path: &Path) -> StoreResult<bool> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let bytes = file.metadata()?.len();
    if bytes == 0 {
        return Ok(false);
    }
    let mut header = [0_u8; 100];
    if file.read_exact(&mut header).is_err() || !header.starts_with(MAGIC) {
        return Err(StoreError::damaged("the file does not start like a database"));
    }
    let [.., p0, p1] = header.first_chunk::<18>().copied().unwrap_or([0; 18]);
    let page_bytes = match u16::from_be_bytes([p0, p1]) {
        1 => 65_536,
        other => u64::from(other),
    };
    let pages = u64::from(be_u32(&header, 28));
    let pages_known = be_u32(&header, 24) == be_u32(&header, 92);
    // While a write-ahead log waits, the rest of the pages may still be in it.
    let log_waits = fs::metadata(beside(path, "-wal")).is_ok_and(|meta| meta.len() > 0);
    if pages_known && !log_waits && bytes < pages * page_bytes {
        return Err(StoreError::damaged(format!(
            "the file is cut short: {bytes} bytes of {}",
            pages * page_bytes
        )));
    }
    Ok(true)
}

fn be_u32(header: &[u8; 100], at: usize) -> u32 {
    let bytes = header.get(at..at + 4).and_then(|four| four.first_chunk::<4>()).copied();
    u32::from_be_bytes(bytes.unwrap_or_default())
}

/// The path with `suffix` put behind the whole file name.
pub(super) fn beside(path: &Path, suffix: &str) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Opens for reading and writing. The file must exist.
pub(super) fn open_writer(path: &Path) -> StoreResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    common(&conn)?;
    Ok(conn)
}

/// Settings of the one writing connection. Only for a database that this program may change.
pub(super) fn prepare_writer(conn: &Connection) -> StoreResult<()> {
    let mode: String = conn.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(StoreError::other(format!("the file system does not allow a write-ahead log ({mode})")));
    }
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    conn.pragma_update(None, "foreign_keys", "ON")?;
    // The log is cut back to this after a checkpoint, so one huge batch does not stay on the disk for ever.
    conn.pragma_update(None, "journal_size_limit", 32 * 1024 * 1024)?;
    Ok(())
}

/// Opens for reading only; never creates or changes the database.
pub(super) fn open_reader(path: &Path) -> StoreResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let first = Connection::open_with_flags(path, flags)
        .and_then(|conn| conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).map(|()| conn));
    let conn = match first {
        Ok(conn) => conn,
        // A folder that may not be written has no room for the log's index: read the file as it lies.
        Err(error) if lacks_room_for_index(&error) => {
            let uri = format!("file:{}?immutable=1", percent(path)?);
            Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
                .and_then(|conn| {
                    conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).map(|()| conn)
                })
                .map_err(|_same_again| StoreError::from(error))?
        }
        Err(error) => return Err(error.into()),
    };
    common(&conn)?;
    Ok(conn)
}

fn lacks_room_for_index(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode as Code;
    matches!(
        error.sqlite_error_code(),
        Some(Code::CannotOpen | Code::ReadOnly | Code::SystemIoFailure | Code::PermissionDenied)
    )
}

fn percent(path: &Path) -> StoreResult<String> {
    let text = path.to_str().ok_or_else(|| StoreError::other("the path is not valid Unicode"))?;
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '%' => out.push_str("%25"),
            '?' => out.push_str("%3f"),
            '#' => out.push_str("%23"),
            other => out.push(other),
        }
    }
    Ok(out)
}

fn common(conn: &Connection) -> StoreResult<()> {
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // 2 MiB of pages per connection, not more, whatever the size of the file: there are several connections, and
    // the system keeps the file's pages too.
    conn.pragma_update(None, "cache_size", -2_048)?;
    Ok(())
}

/// What is cheap enough for every start: the whole file when it is small, else the small tables.
pub(super) fn check_at_open(conn: &Connection, path: &Path) -> StoreResult<()> {
    let bytes = fs::metadata(path)?.len();
    if bytes <= CHECK_WHOLE_MAX_BYTES {
        return check(conn, "PRAGMA quick_check(1)");
    }
    for table in SMALL_TABLES {
        check(conn, &format!("PRAGMA quick_check({table})"))?;
    }
    Ok(())
}

/// Checks the whole file for soundness, read-only; a sound one gives `Ok`.
///
/// Time grows with the file (hundreds of megabytes: seconds), so call it off the start path.
/// Errors: [`StoreError::Damaged`] with the first finding; others when it cannot be opened at all.
pub fn quick_check(db_path: &Path) -> Result<(), StoreError> {
    check_header(db_path)?;
    let conn = open_reader(db_path)?;
    check(&conn, "PRAGMA quick_check(1)")
}

pub(super) fn check(conn: &Connection, sql: &str) -> StoreResult<()> {
    let found: String = conn.query_row(sql, [], |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(StoreError::damaged(found)) }
}

#[cfg(test)]
mod tests {
    use super::{check_header, create_private};
    use crate::store::StoreError;

    #[test]
    fn header_tells_nothing_from_something_from_rubbish() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        assert_eq!(check_header(&path), Ok(false));
        create_private(&path).unwrap();
        assert_eq!(check_header(&path), Ok(false));
        std::fs::write(&path, "not a database").unwrap();
        assert!(matches!(check_header(&path), Err(StoreError::Damaged { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn an_open_file_becomes_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        create_private(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
