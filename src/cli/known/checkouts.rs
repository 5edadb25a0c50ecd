//! `branch changes` and `branch worktree`: a branch's own checkout, and what differs in it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::api::command::BranchCommand;
use crate::api::snapshot::{ChangesView, ConversationRow};
use crate::cli::args::known::WorktreeWish;
use crate::cli::front::Front;
use crate::cli::known::Desk;
use crate::cli::out::{BROKEN, Failure, STOPPED, WRONG_ARGUMENTS};
use crate::cli::stops::Stops;
use crate::model::git::{ChangedFile, Changes, Checkout, GitPath, Losses};
use crate::model::id::ConversationId;

/// A whole checkout may be written, or a large one looked at.
const LIMIT: Duration = Duration::from_secs(660);
/// Lost files named of each kind.
const LOST_MAX: usize = 20;

/// What differs; with `diff` the differences themselves, of `file` or of all.
///
/// # Errors
/// There is no such branch, or git says why not.
pub async fn changes(
    desk: &mut Desk<'_>,
    branch: ConversationId,
    file: Option<&str>,
    diff: bool,
) -> Result<(), Failure> {
    super::branches::find(desk, branch)?;
    let mut stops = Stops::listen()?;
    tokio::select! {
        shown = show_changes(desk, branch, file, diff) => shown,
        () = stops.asked() => Err(Failure::new(STOPPED, "Stopped. Nothing was changed.")),
    }
}

async fn show_changes(
    desk: &mut Desk<'_>,
    branch: ConversationId,
    file: Option<&str>,
    diff: bool,
) -> Result<(), Failure> {
    let view = ask(desk, branch, BranchCommand::LookAtChanges { conversation: branch }).await?;
    let changes = there(&view)?;
    let wanted: Vec<ChangedFile> = match file {
        Some(name) => vec![pick(changes, name)?],
        None => changes.files.clone(),
    };
    if file.is_none() {
        desk.shown.row(|| summary(branch, changes), || line(changes))?;
    }
    for one in &wanted {
        if file.is_some() || diff {
            show_diff(desk, branch, one).await?;
        } else {
            desk.shown.row(|| file_json(one), || file_line(one))?;
        }
    }
    Ok(())
}

/// Makes, removes or forgets a checkout.
///
/// # Errors
/// There is no such branch, git says why not, or something would be lost.
pub async fn worktree(
    desk: &mut Desk<'_>,
    branch: ConversationId,
    wish: &WorktreeWish,
) -> Result<(), Failure> {
    let row = super::branches::find(desk, branch)?;
    let has = row.conversation.branch.as_ref().is_some_and(|known| known.facts.worktree.is_some());
    let command = match wish {
        WorktreeWish::Add { git_branch } => {
            BranchCommand::MakeWorktree { branch, git_branch: git_branch.clone() }
        }
        WorktreeWish::Remove { with_ignored } => {
            BranchCommand::RemoveWorktree { branch, with_ignored: *with_ignored }
        }
        WorktreeWish::Forget => BranchCommand::ForgetWorktree { branch },
    };
    if has && matches!(wish, WorktreeWish::Add { .. }) {
        let view = ask(desk, branch, BranchCommand::LookAtChanges { conversation: branch }).await?;
        if matches!(view.checkout.as_deref(), Some(Checkout::There(_))) {
            return Err(Failure::usage(format!("Branch {branch} has a checkout already.")));
        }
    }
    let view = ask_whole(desk, branch, command).await?;
    if let Some(losses) = &view.refused {
        return Err(Failure::usage(refusal(losses)));
    }
    let row = super::branches::find(desk, branch)?;
    if !desk.shown.json {
        desk.shown.out.note(&outcome(&row));
    }
    super::branches::show(desk, &row)
}

/// Folders of the branch's own checkout and of those below it, which stay when it goes.
pub(super) fn kept(desk: &Desk<'_>, branch: ConversationId) -> Vec<String> {
    let snapshot = desk.front.app.snapshot();
    let mut going = vec![branch];
    let mut at = 0;
    while let Some(parent) = going.get(at).copied() {
        at += 1;
        let below = snapshot.conversations.iter().filter(|row| {
            let known = row.conversation.branch.as_ref();
            known.is_some_and(|known| known.parent == parent) && !going.contains(&row.conversation.id)
        });
        let below: Vec<ConversationId> = below.map(|row| row.conversation.id).collect();
        going.extend(below);
    }
    let rows = snapshot.conversations.iter().filter(|row| going.contains(&row.conversation.id));
    rows.filter_map(|row| row.conversation.branch.as_ref()?.facts.worktree.clone()).collect()
}

fn outcome(row: &ConversationRow) -> String {
    let facts = row.conversation.branch.as_ref().map(|branch| &branch.facts);
    let name = facts.and_then(|facts| facts.git_branch.as_deref()).unwrap_or("none");
    match facts.and_then(|facts| facts.worktree.as_deref()) {
        Some(folder) => format!("Its checkout is {folder}, on the git branch {name}."),
        None => format!("Its agents work in the project's folder again. The git branch {name} stays."),
    }
}

/// As [`ask`], for what writes: git is not torn out of it, a first Ctrl-C waits for its end.
async fn ask_whole(
    desk: &mut Desk<'_>,
    branch: ConversationId,
    command: BranchCommand,
) -> Result<Arc<ChangesView>, Failure> {
    let mut stops = Stops::listen()?;
    let out = &*desk.shown.out;
    let told = async {
        stops.asked().await;
        out.note("git is let come to its end, so that nothing is left half done. Ctrl-C again ends at once.");
        std::future::pending::<()>().await;
    };
    tokio::select! {
        done = ask_front(desk.front, branch, command) => done,
        () = told => Err(Failure::new(STOPPED, "Stopped.")),
    }
}

/// Sends, and waits until git has come to an end with it.
async fn ask(
    desk: &mut Desk<'_>,
    branch: ConversationId,
    command: BranchCommand,
) -> Result<Arc<ChangesView>, Failure> {
    ask_front(desk.front, branch, command).await
}

async fn ask_front(
    front: &mut Front,
    branch: ConversationId,
    command: BranchCommand,
) -> Result<Arc<ChangesView>, Failure> {
    let before = front.app.snapshot().changes.clone();
    front.send(command)?;
    let is_old = |view: &Arc<ChangesView>| before.as_ref().is_some_and(|before| Arc::ptr_eq(before, view));
    let done = front.wait_up_to(LIMIT, WRONG_ARGUMENTS, |snapshot| {
        let view = snapshot.changes.as_ref().filter(|view| view.conversation == branch && !is_old(view))?;
        view.doing.is_none().then(|| view.clone())
    });
    let view =
        done.await?.ok_or_else(|| Failure::new(BROKEN, "git did not come to an end in 11 minutes."))?;
    match &view.error {
        Some(why) => Err(Failure::usage(why.clone())),
        None => Ok(view),
    }
}

fn there(view: &ChangesView) -> Result<&Changes, Failure> {
    match view.checkout.as_deref() {
        Some(Checkout::There(changes)) => Ok(changes),
        Some(Checkout::Gone { folder }) => Err(Failure::usage(format!(
            "The checkout {} is gone. See tunaflow branch worktree add and forget.",
            folder.display()
        ))),
        None => Err(Failure::usage("Nothing was found.")),
    }
}

fn pick(changes: &Changes, name: &str) -> Result<ChangedFile, Failure> {
    let found = changes.files.iter().find(|file| file.path.shown() == name || file.path.0 == name.as_bytes());
    found
        .cloned()
        .ok_or_else(|| Failure::usage(format!("{name} has not changed. See tunaflow branch changes.")))
}

async fn show_diff(desk: &mut Desk<'_>, branch: ConversationId, file: &ChangedFile) -> Result<(), Failure> {
    let path = file.path.clone();
    desk.front.send(BranchCommand::LookAtDiff { conversation: branch, file: path.clone() })?;
    let found = desk.front.wait_up_to(LIMIT, WRONG_ARGUMENTS, |snapshot| {
        let view = snapshot.changes.as_ref().filter(|view| view.diff_of.as_ref() == Some(&path))?;
        view.diff.clone()
    });
    let found =
        found.await?.ok_or_else(|| Failure::new(BROKEN, "git did not come to an end in 11 minutes."))?;
    let diff = found.map_err(Failure::usage)?;
    if desk.shown.json {
        let mut value = file_json(file);
        if let Some(map) = value.as_object_mut() {
            map.insert("diff".into(), Value::from(diff.text.as_str()));
            map.insert("cut".into(), Value::from(diff.cut));
        }
        return desk.shown.out.json(&value);
    }
    if diff.text.is_empty() {
        desk.shown.out.line(&file_line(file))?;
    }
    desk.shown.out.text(&diff.text)?;
    if diff.cut {
        desk.shown.out.note(&format!("{}: the difference goes on beyond a megabyte.", file.path.shown()));
    }
    Ok(())
}

fn refusal(losses: &Losses) -> String {
    let end = if losses.only_ignored() { " With --with-ignored they go too." } else { "" };
    format!("Nothing was removed, because this would be lost: {}.{end}", losses.lines(LOST_MAX).join("; "))
}

fn summary(branch: ConversationId, changes: &Changes) -> Value {
    let (added, removed) = changes.lines();
    json!({
        "branch": branch,
        "folder": changes.folder.display().to_string(),
        "git_branch": changes.git_branch,
        "head": changes.head,
        "base": changes.base,
        "commits": changes.commits,
        "operation": changes.operation,
        "files": changes.files.len() as u64 + changes.more_files,
        "listed": changes.files.len(),
        "added": added,
        "removed": removed,
        "notes": changes.notes,
    })
}

fn line(changes: &Changes) -> String {
    let (added, removed) = changes.lines();
    let branch = changes.git_branch.as_deref().unwrap_or("detached");
    let operation = changes.operation.as_ref().map_or(String::new(), |one| format!(", {one} under way"));
    let short: String = changes.base.chars().take(8).collect();
    format!(
        "{branch}: {} files, +{added} -{removed}, {} commits since {short}{operation}, in {}",
        changes.files.len() as u64 + changes.more_files,
        changes.commits,
        changes.folder.display()
    )
}

fn file_json(file: &ChangedFile) -> Value {
    json!({
        "path": file.path.shown(),
        "old_path": file.old_path.as_ref().map(GitPath::shown),
        "change": file.kind.word(),
        "added": file.added,
        "removed": file.removed,
        "binary": file.binary,
        "submodule": file.submodule,
        "mode": file.mode.as_ref().map(|(old, new)| json!([old, new])),
        "staged": file.staged,
        "unstaged": file.unstaged,
    })
}

fn file_line(file: &ChangedFile) -> String {
    let count =
        |sign: &str, count: Option<u64>| count.map_or("-".to_owned(), |count| format!("{sign}{count}"));
    let from = file.old_path.as_ref().map_or(String::new(), |old| format!(" from {}", old.shown()));
    format!(
        "{:<12} {:>6} {:>6}  {}{from}",
        file.kind.word(),
        count("+", file.added),
        count("-", file.removed),
        file.path.shown()
    )
}
