//! `link`: which conversations may know of which others.

use crate::api::command::KnowledgeCommand;
use crate::cli::known::{Desk, words};
use crate::cli::out::Failure;
use crate::cli::out::one_line;
use crate::model::id::ConversationId;
use crate::model::knowledge::Link;

/// All links of the project, or those of one conversation.
///
/// # Errors
/// There is no such conversation.
pub fn list(desk: &mut Desk<'_>, of: Option<ConversationId>) -> Result<(), Failure> {
    desk.check_conversation(of)?;
    let known = desk.known();
    desk.note_more(known.links.len(), "links");
    let wanted = |link: &&Link| of.is_none_or(|id| link.conversation == id);
    known.links.iter().filter(wanted).try_for_each(|link| show(desk, link))
}

/// `on`: `conversation` shall know of `linked`; else not any more.
///
/// # Errors
/// There is no such conversation or no such link.
pub async fn link(
    desk: &mut Desk<'_>,
    conversation: ConversationId,
    linked: ConversationId,
    on: bool,
) -> Result<(), Failure> {
    let is_it = |link: &&Link| link.conversation == conversation && link.linked == linked;
    if on {
        let put = KnowledgeCommand::Link { conversation, linked };
        let kept = desk.tell(put, |known| known.links.iter().find(is_it).copied()).await?;
        return show(desk, &kept);
    }
    if desk.known().links.iter().find(is_it).is_none() {
        return Err(Failure::usage(format!(
            "Conversation {conversation} is not linked to {linked}. See tunaflow link list."
        )));
    }
    let remove = KnowledgeCommand::Unlink { conversation, linked };
    desk.tell(remove, |known| known.links.iter().find(is_it).is_none().then_some(())).await
}

fn show(desk: &mut Desk<'_>, link: &Link) -> Result<(), Failure> {
    let snapshot = desk.front.app.snapshot();
    let row = snapshot.conversations.iter().find(|row| row.conversation.id == link.linked);
    let title = row.map(|row| one_line(&row.conversation.title, 80)).unwrap_or_default();
    let line = || format!("{:>6}  knows of {:>6}  {title}", link.conversation.0, link.linked.0);
    desk.shown.row(|| words::link(link), line)
}
