//! `artifact`: texts worth keeping; pinned ones are told to agents.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::api::command::KnowledgeCommand;
use crate::cli::args::known::{ArtifactNew, ArtifactWish};
use crate::cli::known::{Desk, find, words};
use crate::cli::out::{Failure, one_line};
use crate::model::id::ArtifactId;
use crate::model::knowledge::{Artifact, ArtifactBody};

/// `text` is what a new one holds.
///
/// # Errors
/// There is no such artifact or conversation, or the core refuses.
pub async fn artifact(desk: &mut Desk<'_>, wish: &ArtifactWish, text: String) -> Result<(), Failure> {
    let known = desk.known();
    match wish {
        ArtifactWish::List => {
            desk.note_more(known.artifacts.len(), "artifacts");
            known.artifacts.iter().try_for_each(|row| show(desk, row))
        }
        ArtifactWish::Show(id) => {
            let row = by_id(desk, *id)?;
            if desk.shown.json {
                return desk.shown.out.json(&words::whole_artifact(&row));
            }
            desk.shown.out.text(&row.text)?;
            desk.shown.out.end_line()
        }
        ArtifactWish::Add(new) => add(desk, new, text).await,
        ArtifactWish::Pin { artifact, pinned } => {
            let row = Artifact { pinned: *pinned, ..(*by_id(desk, *artifact)?).clone() };
            let (id, pinned) = (row.id, row.pinned);
            let put = KnowledgeCommand::PutArtifact(Box::new(row));
            let is_it = |row: &&Arc<Artifact>| row.id == id && row.pinned == pinned;
            let kept = desk.tell(put, |known| known.artifacts.iter().find(is_it).cloned()).await?;
            show(desk, &kept)
        }
        ArtifactWish::Remove(id) => {
            by_id(desk, *id)?;
            let id = *id;
            desk.tell(KnowledgeCommand::RemoveArtifact(id), |known| {
                (!known.artifacts.iter().any(|row| row.id == id)).then_some(())
            })
            .await
        }
    }
}

fn by_id(desk: &Desk<'_>, id: ArtifactId) -> Result<Arc<Artifact>, Failure> {
    find(&desk.known().artifacts, "artifact", id.0, |row| row.id.0)
}

async fn add(desk: &mut Desk<'_>, new: &ArtifactNew, text: String) -> Result<(), Failure> {
    let before: BTreeSet<ArtifactId> = desk.known().artifacts.iter().map(|row| row.id).collect();
    let title = new.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let row = Artifact {
        id: ArtifactId(0),
        project: desk.project.id,
        conversation: new.conversation,
        pinned: new.pinned,
        updated_ms: 0,
        body: ArtifactBody { title, language: new.language.trim().to_owned(), message: None, created_ms: 0 },
        text,
    };
    let is_new = |row: &&Arc<Artifact>| !before.contains(&row.id);
    let put = KnowledgeCommand::PutArtifact(Box::new(row));
    let kept = desk.tell(put, |known| known.artifacts.iter().find(is_new).cloned()).await?;
    show(desk, &kept)
}

fn show(desk: &mut Desk<'_>, row: &Artifact) -> Result<(), Failure> {
    let line = || {
        let pin = if row.pinned { "pinned" } else { "" };
        let language = if row.body.language.is_empty() { "markdown" } else { row.body.language.as_str() };
        format!(
            "{:>6}  {pin:<6}  {:>9} characters  {}  {}",
            row.id.0,
            row.text.chars().count(),
            one_line(language, 20),
            one_line(&row.body.title, 80)
        )
    };
    desk.shown.row(|| words::artifact(row), line)
}
