//! Projects and conversations: added, listed, removed.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use crate::api::command::ProjectCommand;
use crate::api::snapshot::{ConversationRow, Snapshot};
use crate::cli::args::ProjectWord;
use crate::cli::clock::utc;
use crate::cli::front::{Front, find_project, folder, notice_line};
use crate::cli::out::{Failure, Out, WRONG_ARGUMENTS, one_line};
use crate::cli::transcript::conversation_words;
use crate::model::project::Project;
use crate::model::turn::TurnState;

/// # Errors
/// It is no folder, or the database takes nothing.
pub async fn add(front: &mut Front, path: &Path, json: bool, out: &mut Out) -> Result<(), Failure> {
    front.check_writable()?;
    let project = front.open_project(Some(path)).await?;
    show(&project, json, out)
}

/// # Errors
/// Standard output cannot be written.
pub fn list(front: &Front, json: bool, out: &mut Out) -> Result<(), Failure> {
    front.app.snapshot().projects.iter().try_for_each(|project| show(project, json, out))
}

fn show(project: &Project, json: bool, out: &mut Out) -> Result<(), Failure> {
    if json {
        return out.json(&json!({
            "id": project.id,
            "name": project.name,
            "path": project.path.to_string_lossy(),
            "created": utc(project.created_ms),
            "opened": utc(project.opened_ms),
            "skip_permissions": project.skip_permissions,
            "exists": project.path.is_dir(),
        }));
    }
    let missing = if project.path.is_dir() { "" } else { "  (the folder is missing)" };
    out.line(&format!(
        "{:>6}  {}  {}{missing}",
        project.id.0,
        one_line(&project.name, 60),
        project.path.display()
    ))
}

/// Forgets a project; its folder is not touched.
///
/// # Errors
/// There is none like that, or the database takes nothing.
pub async fn remove(front: &mut Front, word: &ProjectWord, out: &Out) -> Result<(), Failure> {
    front.check_writable()?;
    let snapshot = front.app.snapshot();
    let project = match word {
        ProjectWord::Id(id) => snapshot.projects.iter().find(|project| project.id == *id).cloned(),
        ProjectWord::Path(path) => find_project(&snapshot, &folder(Some(path))?),
    };
    let Some(project) = project else {
        let said = match word {
            ProjectWord::Id(id) => id.to_string(),
            ProjectWord::Path(path) => path.display().to_string(),
        };
        return Err(Failure::usage(format!("{said}: there is no such project. See tunaflow project list.")));
    };
    let newest = snapshot.notices.iter().map(|notice| notice.id).max();
    front.send(ProjectCommand::Remove { project: project.id })?;
    let is_gone =
        |snapshot: &Snapshot| (!snapshot.projects.iter().any(|left| left.id == project.id)).then_some(());
    front.wait(WRONG_ARGUMENTS, is_gone).await?;
    // What of it stays on disk.
    let snapshot = front.app.snapshot();
    for notice in snapshot.notices.iter().filter(|notice| Some(notice.id) > newest) {
        out.note(&notice_line(notice));
    }
    Ok(())
}

/// Conversations of the project that is named or whose folder this is; of all projects when there is none.
///
/// # Errors
/// The project that is named is not known.
pub async fn conversations(
    front: &mut Front,
    project: Option<&Path>,
    json: bool,
    out: &mut Out,
) -> Result<(), Failure> {
    let snapshot = front.app.snapshot();
    let wanted: Vec<Arc<Project>> = match (folder(project), project) {
        (Ok(here), named) => match find_project(&snapshot, &here) {
            Some(project) => vec![project],
            None if named.is_some() => {
                let here = here.display();
                let line = format!("--project {here}: there is no such project. See tunaflow project list.");
                return Err(Failure::usage(line));
            }
            None => snapshot.projects.to_vec(),
        },
        (Err(wrong), Some(_)) => return Err(wrong),
        // The current folder is gone, so it is no project's.
        (Err(_gone), None) => snapshot.projects.to_vec(),
    };
    for project in wanted {
        front.send(ProjectCommand::Select { project: project.id })?;
        let selected = |snapshot: &Snapshot| {
            (snapshot.project == Some(project.id)).then(|| snapshot.conversations.clone())
        };
        for row in front.wait(WRONG_ARGUMENTS, selected).await?.iter() {
            if json {
                out.json(&conversation_words(row))?;
            } else {
                out.line(&conversation_line(row))?;
            }
        }
    }
    Ok(())
}

fn conversation_line(row: &ConversationRow) -> String {
    let of = &row.conversation;
    let mut marks = String::new();
    for (mark, holds) in [(" archived", of.archived), (" unread", of.unread)] {
        if holds {
            marks.push_str(mark);
        }
    }
    format!(
        "{:>6}  {}  {:<11} {:>5} messages  {}  {}{marks}",
        of.id.0,
        utc(of.updated_ms),
        row.state.map_or("idle", TurnState::word),
        of.message_count,
        of.seat.engine,
        one_line(&of.title, 80)
    )
}
