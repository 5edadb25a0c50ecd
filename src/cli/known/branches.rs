//! `branch`: made at a message, taken back, put away. Adopting stands in `adopt`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::api::command::{BranchCommand, ChatCommand, Command};
use crate::api::snapshot::ConversationRow;
use crate::cli::args::known::BranchWish;
use crate::cli::known::adopt::adopt;
use crate::cli::known::{Desk, checkouts, words};
use crate::cli::out::{Failure, WRONG_ARGUMENTS, one_line};
use crate::model::branch::BranchKind;
use crate::model::id::{ConversationId, MessageId};
use crate::model::project::title_line;

/// Two small files are read; a folder on a dead network drive is not waited for.
const LINK_LIMIT: Duration = Duration::from_secs(5);

/// `text` is the summary in own words.
///
/// # Errors
/// There is no such branch, conversation or message, or the core refuses.
pub async fn branch(desk: &mut Desk<'_>, wish: &BranchWish, text: String) -> Result<(), Failure> {
    match wish {
        BranchWish::List(of) => list(desk, *of),
        BranchWish::Add { parent, at, label } => add(desk, *parent, *at, label.clone()).await,
        BranchWish::Adopt { branch, from, draft } => adopt(desk, (*branch, from, *draft), text).await,
        BranchWish::Undo(branch) => {
            let before = adopted(find(desk, *branch)?.as_ref());
            if before.is_none() {
                return Err(Failure::usage(format!("Branch {branch} has not been adopted.")));
            }
            let parent = parent_of(desk, *branch)?;
            desk.front.open_conversation(parent).await?;
            let row = change(desk, *branch, BranchCommand::UndoAdopt { branch: *branch }, |row| {
                adopted(row) != before
            });
            let row = row.await?;
            show(desk, &row)
        }
        BranchWish::Rename { branch, label } => {
            find(desk, *branch)?;
            let rename = ChatCommand::Rename { conversation: *branch, title: label.clone() };
            let wanted = title_line(label);
            if wanted.is_empty() {
                return Err(Failure::usage("The label has nothing that can be read.".to_owned()));
            }
            let row =
                change(desk, *branch, rename, |row| wanted.starts_with(&row.conversation.title)).await?;
            show(desk, &row)
        }
        BranchWish::Git { branch, git_branch } => {
            let set = BranchCommand::SetGitBranch { branch: *branch, git_branch: git_branch.clone() };
            let row = change(desk, *branch, set, |row| {
                row.conversation.branch.as_ref().is_some_and(|known| known.facts.git_branch == *git_branch)
            });
            let row = row.await?;
            show(desk, &row)
        }
        BranchWish::Hint { branch, on, told } => {
            // Its newest answer must be loaded for the line to be made of it.
            desk.front.open_conversation(*branch).await?;
            let set = BranchCommand::SetHint { branch: *branch, on: *on, told: *told };
            let row = change(desk, *branch, set, |row| {
                let facts = row.conversation.branch.as_ref().map(|known| &known.facts);
                facts.is_some_and(|facts| (facts.hint, facts.hint_told) == (*on, *told))
            });
            let row = row.await?;
            show(desk, &row)
        }
        BranchWish::Share { branch, shared } => {
            let set = BranchCommand::SetShared { branch: *branch, shared: *shared };
            let row = change(desk, *branch, set, |row| {
                row.conversation.branch.as_ref().is_some_and(|known| known.facts.shared == *shared)
            });
            let row = row.await?;
            show(desk, &row)
        }
        BranchWish::Archive { branch, archived } => {
            find(desk, *branch)?;
            let set = ChatCommand::SetArchived { conversation: *branch, archived: *archived };
            let row = change(desk, *branch, set, |row| row.conversation.archived == *archived).await?;
            show(desk, &row)
        }
        BranchWish::Changes { branch, file, diff } => {
            checkouts::changes(desk, *branch, file.as_deref(), *diff).await
        }
        BranchWish::Worktree { branch, wish } => checkouts::worktree(desk, *branch, wish).await,
        BranchWish::Remove(branch) => remove(desk, *branch).await,
    }
}

/// Checkouts of its own stay on disk.
async fn remove(desk: &mut Desk<'_>, branch: ConversationId) -> Result<(), Failure> {
    find(desk, branch)?;
    let kept = checkouts::kept(desk, branch);
    desk.front.send(ChatCommand::Delete { conversation: branch })?;
    let gone = desk.front.wait(WRONG_ARGUMENTS, |snapshot| {
        let there = snapshot.conversations.iter().any(|row| row.conversation.id == branch);
        (!there).then_some(())
    });
    gone.await?;
    for folder in kept {
        desk.shown.out.note(&format!("A checkout stays at {folder}. See git worktree remove."));
    }
    Ok(())
}

fn list(desk: &mut Desk<'_>, of: Option<ConversationId>) -> Result<(), Failure> {
    desk.check_conversation(of)?;
    let snapshot = desk.front.app.snapshot();
    let wanted = |row: &&Arc<ConversationRow>| {
        let branch = row.conversation.branch.as_ref();
        branch.is_some_and(|branch| of.is_none_or(|id| branch.parent == id))
    };
    snapshot.conversations.iter().filter(wanted).try_for_each(|row| show(desk, row))
}

async fn add(
    desk: &mut Desk<'_>,
    parent: ConversationId,
    checkpoint: Option<MessageId>,
    label: Option<String>,
) -> Result<(), Failure> {
    desk.check_conversation(Some(parent))?;
    desk.front.open_conversation(parent).await?;
    let ids = |rows: &[Arc<ConversationRow>]| -> BTreeSet<ConversationId> {
        rows.iter().map(|row| row.conversation.id).collect()
    };
    let before = ids(&desk.front.app.snapshot().conversations);
    let kind = BranchKind::General;
    desk.front.send(BranchCommand::Create { parent, checkpoint, label, seat: None, kind })?;
    let made = desk.front.wait(WRONG_ARGUMENTS, |snapshot| {
        let is_new = |row: &&Arc<ConversationRow>| !before.contains(&row.conversation.id);
        snapshot.conversations.iter().find(is_new).cloned()
    });
    let id = made.await?.conversation.id;
    // Which git branch it belongs to is read from the project's folder.
    let linked = desk.front.wait_up_to(LINK_LIMIT, WRONG_ARGUMENTS, |snapshot| {
        (!snapshot.git_pending.contains(&id)).then_some(())
    });
    linked.await?;
    let made = find(desk, id)?;
    show(desk, &made)
}

/// Sends, then waits until the branch is as wanted.
pub(super) async fn change(
    desk: &mut Desk<'_>,
    branch: ConversationId,
    command: impl Into<Command>,
    wanted: impl Fn(&ConversationRow) -> bool,
) -> Result<Arc<ConversationRow>, Failure> {
    find(desk, branch)?;
    desk.front.send(command)?;
    let found = desk.front.wait(WRONG_ARGUMENTS, |snapshot| {
        let row = snapshot.conversations.iter().find(|row| row.conversation.id == branch)?;
        wanted(row).then(|| row.clone())
    });
    found.await
}

pub(super) fn find(desk: &Desk<'_>, id: ConversationId) -> Result<Arc<ConversationRow>, Failure> {
    let snapshot = desk.front.app.snapshot();
    let row = snapshot.conversations.iter().find(|row| row.conversation.id == id);
    let row = row.filter(|row| row.conversation.branch.is_some()).cloned();
    row.ok_or_else(|| {
        Failure::usage(format!("There is no branch {id} in this project. See tunaflow branch list."))
    })
}

fn parent_of(desk: &Desk<'_>, id: ConversationId) -> Result<ConversationId, Failure> {
    let row = find(desk, id)?;
    let parent = row.conversation.branch.as_ref().map(|branch| branch.parent);
    parent.ok_or_else(|| Failure::usage(format!("There is no branch {id} in this project.")))
}

pub(super) fn adopted(row: &ConversationRow) -> Option<MessageId> {
    row.conversation.branch.as_ref().and_then(|branch| branch.facts.adopted)
}

pub(super) fn show(desk: &mut Desk<'_>, row: &ConversationRow) -> Result<(), Failure> {
    let line = || {
        let conversation = &row.conversation;
        let status = conversation.branch_status().map_or("", crate::model::branch::BranchStatus::word);
        let parent = conversation.branch.as_ref().map_or(0, |branch| branch.parent.0);
        let title = one_line(&conversation.title, 80);
        let count = conversation.message_count;
        format!("{:>6}  of {parent:>6}  {status:<8}  {count:>5} messages  {title}", conversation.id.0)
    };
    desk.shown.row(|| words::branch(row), line)
}
