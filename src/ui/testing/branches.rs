//! Conversations with branches, for the drawer, the sheet and the card.

use std::sync::Arc;

use crate::api::snapshot::{ConversationRow, Snapshot};
use crate::model::branch::{AdoptCard, Branch, BranchFacts, SummarySource};
use crate::model::id::{AgreementId, ConversationId, MessageId};
use crate::model::message::{Author, ItemBody, Message};
use crate::model::project::ConversationKind;
use crate::model::turn::TurnState;
use crate::ui::action::UiAction;

use super::summaries;
use super::{SHOWN, claude, message, put_view, row, turn, user, view};

/// A branch of the conversation that fixtures show.
pub const PKCE: ConversationId = ConversationId(21);
/// A branch in that branch.
pub const DEEP: ConversationId = ConversationId(22);
/// Another branch of the conversation that fixtures show, with a running turn and a git branch.
pub const REDIS: ConversationId = ConversationId(23);
/// An archived branch.
pub const OLD: ConversationId = ConversationId(24);

pub(super) fn branch(
    (id, title): (ConversationId, &str),
    parent: ConversationId,
    checkpoint: Option<i64>,
    state: Option<TurnState>,
) -> ConversationRow {
    let mut made = row(id.0, title, state, 6);
    made.conversation.kind = ConversationKind::Branch;
    let checkpoint = checkpoint.map(MessageId);
    made.conversation.branch = Some(Branch { parent, checkpoint, facts: BranchFacts::default() });
    made
}

fn said() -> Vec<Message> {
    let table = "Both work. Writing it ourselves is smaller and has no transitive dependencies.\n\n|  | Library | Own code |\n|---|---|---|\n| Lines we keep | 34 | 92 |\n| Dependencies | 11 | 0 |\n\nI lean to own code: the only hard part is a constant-time comparison, and we have that already in `crypto/ct.rs`.";
    let mut all = vec![
        user(121, "Compare the two options by code size and by what we must keep up to date."),
        message(122, claude(), vec![ItemBody::Text { text: table.into() }]),
    ];
    for message in &mut all {
        message.conversation = PKCE;
        message.created_ms = super::NOW.ms - 120_000;
    }
    all
}

/// The fixture of that name.
pub fn show(snap: &mut Snapshot, name: &str) {
    match name {
        "adopt-card" => adopted(snap),
        "branch-hints" => {
            fill(snap);
            tree(snap);
        }
        "branch-many" => super::crowd::fill(snap),
        _ if name.starts_with("branch-compare") => super::compared::show(snap, name),
        "branch-archived" => {
            fill(snap);
            snap.branch_focus = Some(OLD);
        }
        _ => {
            fill(snap);
            if name.starts_with("adopt-sheet") {
                summaries::show(snap, name);
            }
        }
    }
}

/// What the user did before the fixture of that name.
#[must_use]
pub fn act(name: &str) -> Option<UiAction> {
    match name {
        "branch-pinned" => Some(UiAction::PinDrawer),
        _ if name.starts_with("adopt-sheet") => Some(UiAction::Adopt),
        "branch-compare-diff" => Some(UiAction::Differences),
        _ => None,
    }
}

/// Adds branches to the list, and opens one of them.
pub fn fill(snap: &mut Snapshot) {
    let mut pkce = branch((PKCE, "OAuth2 PKCE"), SHOWN, Some(2), None);
    pkce.conversation.message_count = 2;
    let deep = branch((DEEP, "Without a library"), PKCE, Some(122), None);
    let mut redis = branch((REDIS, "Grace window in Redis"), SHOWN, Some(3), Some(TurnState::Running));
    let mut old = branch((OLD, "Cookies instead"), SHOWN, None, None);
    old.conversation.archived = true;
    if let Some(made) = &mut redis.conversation.branch {
        made.facts.git_branch = Some("grace-redis".into());
    }
    let mut running = turn(TurnState::Running, "Writing");
    running.answer = Some(MessageId(132));
    let mut asked = vec![user(131, "Redis에 두면 어떤 점이 좋아지나요?")];
    let mut writing =
        message(132, claude(), vec![ItemBody::Text { text: "만료가 저절로 처리됩니다.".into() }]);
    writing.state = crate::model::message::MessageState::Streaming;
    asked.push(writing);
    for message in &mut asked {
        message.conversation = REDIS;
    }
    let open = |snap: &mut Snapshot, row: ConversationRow, messages, turn| {
        let mut rows: Vec<_> = snap.conversations.iter().cloned().collect();
        rows.push(Arc::new(row.clone()));
        snap.conversations = rows.into();
        put_view(snap, view(row, messages, turn));
    };
    open(snap, redis, asked, Some(running));
    open(snap, old, vec![user(141, "And cookies?")], None);
    open(snap, deep, Vec::new(), None);
    open(snap, pkce, said(), None);
    snap.branch_focus = Some(PKCE);
}

/// Hints of two branches, and branches that were adopted and archived, for the tree.
pub fn tree(snap: &mut Snapshot) {
    snap.branch_focus = None;
    let gists = [
        (PKCE, "I lean to own code: the only hard part is a constant-time comparison."),
        (REDIS, "Redis에 두면 만료가 저절로 처리되고, 서버가 여러 대여도 같은 창을 봅니다."),
    ];
    let rows = snap.conversations.iter().map(|row| {
        let mut row = (**row).clone();
        let id = row.conversation.id;
        if let Some(made) = &mut row.conversation.branch {
            let gist = gists.iter().find(|(of, _)| *of == id).map(|(_, gist)| (*gist).to_owned());
            made.facts.hint = gist.is_some();
            made.facts.hint_told = id == REDIS;
            made.facts.gist = gist;
            if id == OLD {
                made.facts.adopted = Some(MessageId(4));
            }
        }
        Arc::new(row)
    });
    snap.conversations = rows.collect();
}

/// A card at the end of the conversation shown; its branch is in the archive.
pub fn adopted(snap: &mut Snapshot) {
    fill(snap);
    snap.branch_focus = None;
    let card = AdoptCard {
        branch: PKCE,
        label: "OAuth2 PKCE".into(),
        source: SummarySource::LastAnswer,
        written_by: "Architect Claude, edited by you".into(),
        text: "**Write PKCE ourselves, without a library.** 92 lines against 11 new dependencies; the constant-time comparison exists in `crypto/ct.rs`.\n\nRejected: a cookie for the verifier (lost when the app is closed between the requests). Open: how long an unused verifier is kept.".into(),
        messages: 14,
        agents: vec!["Architect Claude".into(), "Developer Codex".into()],
        agreement: AgreementId(1),
        usage: None,
    };
    let mut all = super::chat();
    let mut put = message(5, Author::System, vec![ItemBody::Adopted(card)]);
    (put.turn, put.duration_ms, put.usage) = (None, None, None);
    all.push(put);
    super::show(snap, all, None);
    set_adopted(snap, Some(MessageId(5)));
}

/// Whether the branch counts as adopted.
pub fn set_adopted(snap: &mut Snapshot, card: Option<MessageId>) {
    let Some(open) = snap.view(PKCE) else { return };
    let mut view = (**open).clone();
    let mut row = (*view.row).clone();
    row.conversation.archived = card.is_some();
    if let Some(branch) = &mut row.conversation.branch {
        branch.facts.adopted = card;
    }
    view.row = Arc::new(row);
    put_view(snap, view);
}

/// Takes conversations off the lists, as a deletion does.
pub fn remove(snap: &mut Snapshot, gone: &[ConversationId]) {
    let left = snap.conversations.iter().filter(|row| !gone.contains(&row.conversation.id));
    snap.conversations = left.cloned().collect();
    snap.open.retain(|view| !gone.contains(&view.row.conversation.id));
    snap.revision += 1;
}
