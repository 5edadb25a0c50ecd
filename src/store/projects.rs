//! Table `project`.

use std::path::PathBuf;

use rusqlite::{Connection, Row, params};

use crate::model::id::ProjectId;
use crate::model::project::Project;

use super::codec::{self, Faults};
use super::error::StoreResult;

const PUT: &str = "
    INSERT INTO project (id, name, path, created_ms, opened_ms, skip_permissions)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, path = excluded.path,
      created_ms = excluded.created_ms, opened_ms = excluded.opened_ms,
      skip_permissions = excluded.skip_permissions";
pub(super) const LIST: &str = "
    SELECT id, name, path, created_ms, opened_ms, skip_permissions FROM project
    ORDER BY opened_ms DESC, id DESC";
const BY_TABLE: &str = "
    SELECT id, name, path, created_ms, opened_ms, skip_permissions FROM project NOT INDEXED";
pub(super) const ONE: &str = "
    SELECT id, name, path, created_ms, opened_ms, skip_permissions FROM project WHERE id = ?1";

pub(super) fn put(conn: &Connection, project: &Project) -> StoreResult<()> {
    let path = codec::path_value(&project.path);
    let Project { id, name, created_ms, opened_ms, skip_permissions, .. } = project;
    codec::run(conn, PUT, params![id.0, name, path, created_ms, opened_ms, skip_permissions])
}

pub(super) fn remove(conn: &Connection, project: ProjectId) -> StoreResult<()> {
    codec::run(conn, "DELETE FROM project WHERE id = ?1", [project.0])
}

/// Most recently opened first.
pub(super) fn list(conn: &Connection) -> StoreResult<Vec<Project>> {
    let (mut projects, salvaged) =
        codec::rows_salvaged(conn, (LIST, BY_TABLE), (), |row| Some(decode(row)), |project| project.id.0)?;
    if salvaged {
        projects.sort_by_key(|project| std::cmp::Reverse((project.opened_ms, project.id)));
    }
    Ok(projects)
}

pub(super) fn one(conn: &Connection, project: ProjectId) -> StoreResult<Option<Project>> {
    codec::first(conn, ONE, [project.0], |row| Some(decode(row)))
}

fn decode(row: &Row<'_>) -> Project {
    let mut faults = Faults::default();
    let id = codec::int(row, 0).unwrap_or_default();
    let path = faults.or("path", codec::path(row, 2), PathBuf::new());
    let shown =
        path.file_name().map_or_else(|| format!("Project {id}"), |n| n.to_string_lossy().into_owned());
    let project = Project {
        id: ProjectId(id),
        name: faults.or("name", codec::owned_text(row, 1), shown),
        path,
        created_ms: faults.or("created_ms", codec::int(row, 3), 0),
        opened_ms: faults.or("opened_ms", codec::int(row, 4), 0),
        // An unreadable permission is no permission.
        skip_permissions: faults.or("skip_permissions", codec::int(row, 5), 0) == 1,
    };
    faults.log("project", id);
    project
}
