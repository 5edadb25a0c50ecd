//! `finding`: what a review found, until it is settled.

use std::collections::BTreeSet;
use std::path::{Component, Path};
use std::sync::Arc;

use crate::api::command::KnowledgeCommand;
use crate::cli::args::known::{FindingNew, FindingWish};
use crate::cli::known::words::state_word;
use crate::cli::known::{Desk, find, words};
use crate::cli::out::{Failure, one_line};
use crate::model::id::FindingId;
use crate::model::knowledge::{Finding, FindingBody};

/// `text` is what a new one says.
///
/// # Errors
/// A number names nothing, or the core refuses.
pub async fn finding(desk: &mut Desk<'_>, wish: &FindingWish, text: String) -> Result<(), Failure> {
    match wish {
        FindingWish::List { open_only, plan } => {
            let known = desk.known();
            if let Some(plan) = plan {
                find(&known.plans, "plan", plan.0, |row| row.id.0)?;
            }
            desk.note_more(known.findings.len(), "findings");
            let wanted =
                |row: &&Arc<Finding>| (row.open || !open_only) && (plan.is_none() || row.plan == *plan);
            known.findings.iter().filter(wanted).try_for_each(|row| show(desk, row))
        }
        FindingWish::Add(new) => {
            let row = made(desk, new, text)?;
            put(desk, row).await
        }
        FindingWish::Settle { finding, resolution } => {
            let row = (*by_id(desk, *finding)?).clone();
            let body = FindingBody { resolution: resolution.clone(), ..row.body };
            put(desk, Finding { open: false, body, ..row }).await
        }
        FindingWish::Reopen(id) => {
            let row = (*by_id(desk, *id)?).clone();
            let body = FindingBody { resolution: String::new(), ..row.body };
            put(desk, Finding { open: true, body, ..row }).await
        }
        FindingWish::Remove(id) => {
            by_id(desk, *id)?;
            let id = *id;
            desk.tell(KnowledgeCommand::RemoveFinding(id), |known| {
                (!known.findings.iter().any(|row| row.id == id)).then_some(())
            })
            .await
        }
    }
}

fn by_id(desk: &Desk<'_>, id: FindingId) -> Result<Arc<Finding>, Failure> {
    find(&desk.known().findings, "finding", id.0, |row| row.id.0)
}

fn made(desk: &Desk<'_>, new: &FindingNew, text: String) -> Result<Finding, Failure> {
    if let Some(id) = new.plan {
        let plan = find(&desk.known().plans, "plan", id.0, |row| row.id.0)?;
        let has = |number: u32| plan.body.subtasks.iter().any(|step| step.number == number);
        if let Some(number) = new.step.filter(|number| !has(*number)) {
            return Err(Failure::usage(format!(
                "Plan {id} has no step {number}. See tunaflow plan show {id}."
            )));
        }
    }
    let file = new.file.as_deref().map(|file| in_project(&desk.project.path, file)).transpose()?;
    Ok(Finding {
        id: FindingId(0),
        project: desk.project.id,
        plan: new.plan,
        open: true,
        updated_ms: 0,
        body: FindingBody {
            text,
            severity: new.severity,
            file,
            line: new.line,
            subtask: new.step,
            resolution: String::new(),
            created_ms: 0,
        },
    })
}

/// The file's path from the project's folder on. It need not be there: what was found may be that it is missing.
fn in_project(project: &Path, file: &Path) -> Result<String, Failure> {
    let outside = || {
        Failure::usage(format!("--file {}: it lies outside of the project. Name one inside.", file.display()))
    };
    let inside =
        if file.is_absolute() { file.strip_prefix(project).map_err(|_elsewhere| outside())? } else { file };
    let mut parts = Vec::new();
    for part in inside.components() {
        match part {
            Component::Normal(name) => {
                parts.push(name.to_str().ok_or_else(|| Failure::usage("--file is not valid Unicode text."))?);
            }
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(outside()),
        }
    }
    if parts.is_empty() { Err(outside()) } else { Ok(parts.join("/")) }
}

fn show(desk: &mut Desk<'_>, row: &Finding) -> Result<(), Failure> {
    let line = || {
        let body = &row.body;
        let file = body.file.as_deref().unwrap_or_default();
        let place = match body.line {
            Some(line) => format!("  {file}:{line}"),
            None if file.is_empty() => String::new(),
            None => format!("  {file}"),
        };
        let settled = one_line(&body.resolution, 80);
        let settled = if settled.is_empty() { settled } else { format!("  ({settled})") };
        format!(
            "{:>6}  {:<7}  {:<8}{place}  {}{settled}",
            row.id.0,
            state_word(row),
            body.severity.word(),
            one_line(&body.text, 100)
        )
    };
    desk.shown.row(|| words::finding(row), line)
}

async fn put(desk: &mut Desk<'_>, row: Finding) -> Result<(), Failure> {
    let before: BTreeSet<FindingId> = desk.known().findings.iter().map(|row| row.id).collect();
    let wanted = row.clone();
    let kept = desk
        .tell(KnowledgeCommand::PutFinding(Box::new(row)), |known| {
            let is_it = |row: &&Arc<Finding>| match wanted.id.0 {
                0 => !before.contains(&row.id),
                _ => ***row == Finding { updated_ms: row.updated_ms, ..wanted.clone() },
            };
            known.findings.iter().find(is_it).cloned()
        })
        .await?;
    show(desk, &kept)
}

#[cfg(test)]
mod tests {
    use super::in_project;
    use std::path::Path;

    #[test]
    fn a_file_is_named_from_the_project_on() {
        for (file, expected) in [
            ("src/a.rs", Some("src/a.rs")),
            ("./src/한글.rs", Some("src/한글.rs")),
            ("/p/src/a.rs", Some("src/a.rs")),
            ("/q/a.rs", None),
            ("../a.rs", None),
            ("/p", None),
            (".", None),
        ] {
            let found = in_project(Path::new("/p"), Path::new(file)).ok();
            assert_eq!(found.as_deref(), expected, "{file}");
        }
    }
}
