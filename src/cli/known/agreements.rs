//! `agreement`: decisions that later requests should know.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::api::command::KnowledgeCommand;
use crate::cli::args::known::AgreementWish;
use crate::cli::known::{Desk, find, words};
use crate::cli::out::{Failure, one_line};
use crate::model::id::AgreementId;
use crate::model::knowledge::{Agreement, AgreementBody, MadeBy};

/// `text` is what a new one says.
///
/// # Errors
/// There is no such agreement or conversation, or the core refuses.
pub async fn agreement(desk: &mut Desk<'_>, wish: &AgreementWish, text: String) -> Result<(), Failure> {
    let known = desk.known();
    match wish {
        AgreementWish::List => {
            desk.note_more(known.agreements.len(), "agreements");
            known.agreements.iter().try_for_each(|row| show(desk, row))
        }
        AgreementWish::Add { conversation, .. } => {
            let before: BTreeSet<AgreementId> = known.agreements.iter().map(|row| row.id).collect();
            let row = Agreement {
                id: AgreementId(0),
                project: desk.project.id,
                conversation: *conversation,
                updated_ms: 0,
                body: AgreementBody { text, made_by: MadeBy::Hand, message: None, created_ms: 0 },
            };
            let is_new = |row: &&Arc<Agreement>| !before.contains(&row.id);
            let put = KnowledgeCommand::PutAgreement(Box::new(row));
            let kept = desk.tell(put, |known| known.agreements.iter().find(is_new).cloned()).await?;
            show(desk, &kept)
        }
        AgreementWish::Remove(id) => {
            find(&known.agreements, "agreement", id.0, |row| row.id.0)?;
            let id = *id;
            desk.tell(KnowledgeCommand::RemoveAgreement(id), |known| {
                (!known.agreements.iter().any(|row| row.id == id)).then_some(())
            })
            .await
        }
    }
}

fn show(desk: &mut Desk<'_>, row: &Agreement) -> Result<(), Failure> {
    let line = || {
        let place = row.conversation.map(|id| format!("  (conversation {id})")).unwrap_or_default();
        let made_by = row.body.made_by.word();
        format!("{:>6}  {made_by:<10}  {}{place}", row.id.0, one_line(&row.body.text, 120))
    };
    desk.shown.row(|| words::agreement(row), line)
}
