//! Two conversations side by side.

use std::sync::Arc;

use crate::api::snapshot::{ConversationRow, Snapshot, TurnRow};
use crate::model::id::{ConversationId, MessageId, TurnId};
use crate::model::message::{ItemBody, Message, MessageState};
use crate::model::turn::TurnState;
use crate::ui::view_state::Shelf;

use super::branches::{self, PKCE, REDIS, branch};
use super::{NOW, SHOWN, claude, message, put_view, turn, user, view};

/// A branch that starts where [`PKCE`] does.
pub const CRATE: ConversationId = ConversationId(25);

const OWN: &str = "Both work. Writing it ourselves is smaller and has no transitive dependencies.\n\n1. Make the verifier, 43 characters of a random source\n2. Keep it in the session row until the redirect\n3. Compare in constant time with `crypto/ct.rs`\n\nThe window of an attack is the ten minutes of a code. What happens in them is logged with the client and refused after the third try.\n\n```rust\nlet verifier = Verifier::random(&mut rng);\nrow.pkce = Some(verifier.hash());\n```\n\nI lean to own code: 92 lines, and nothing to keep up to date.";
const LIBRARY: &str = "Both work. The `oauth2` crate is tried by many and brings eleven dependencies.\n\n1. Make the verifier, 64 characters of a random source\n2. Keep it in the session row until the redirect\n3. Compare with the function of the crate\n\nThe window of an attack is the ten minutes of a code. What happens in them is logged with the client and refused after the third try.\n\n```rust\nlet (challenge, verifier) = PkceCodeChallenge::new_random_sha256();\nrow.pkce = Some(verifier.hash());\n```\n\nI lean to the crate: 34 lines, and a fix of theirs reaches us with an update.\n세션 열에 두므로 서버를 다시 시작해도 남습니다.";

/// What is open beside the conversation in the fixture of that name, and whether it is pinned.
#[must_use]
pub fn beside(name: &str) -> (Vec<Shelf>, bool) {
    if name == "branch-many" {
        return (vec![super::crowd::shelf()], false);
    }
    let pair = match name {
        "branch-compare" | "branch-compare-diff" => [PKCE, CRATE],
        "branch-compare-streaming" => [REDIS, CRATE],
        "branch-compare-narrow" => [SHOWN, CRATE],
        _ => return (Vec::new(), false),
    };
    let tabs = pair.into_iter().filter(|id| *id != SHOWN).collect::<Vec<_>>();
    let at = tabs.first().copied();
    let shelf = Shelf { root: SHOWN, tabs, at, open: true, compared: Some(pair) };
    (vec![shelf], name == "branch-compare-streaming")
}

/// The fixture of that name.
pub fn show(snap: &mut Snapshot, name: &str) {
    branches::fill(snap);
    snap.branch_focus = None;
    let title = if name == "branch-compare-narrow" {
        "With the oauth2 crate, and with everything it brings along, looked at line by line"
    } else {
        "With the oauth2 crate"
    };
    let streaming = name == "branch-compare-streaming";
    answers(snap, PKCE, branches_row(snap, PKCE), OWN);
    let row = branch((CRATE, title), SHOWN, Some(2), None);
    add(snap, &row);
    answers(snap, CRATE, row, LIBRARY);
    if streaming {
        writes(snap, CRATE, &LIBRARY.repeat(3));
        writes(snap, REDIS, &"만료가 저절로 처리됩니다. 재시도하는 요청은 먼저 만든 쌍을 받습니다. Redis keeps the pair for ten seconds and forgets it by itself.\n\n".repeat(6));
    }
}

fn branches_row(snap: &Snapshot, id: ConversationId) -> Option<ConversationRow> {
    crate::ui::lineage::row(snap, id).map(|row| (**row).clone())
}

fn add(snap: &mut Snapshot, row: &ConversationRow) {
    let rows = snap.conversations.iter().cloned().chain([Arc::new(row.clone())]);
    snap.conversations = rows.collect();
}

/// The same question, and an answer to it.
fn answers(snap: &mut Snapshot, id: ConversationId, row: impl Into<Option<ConversationRow>>, text: &str) {
    let Some(mut row) = row.into() else { return };
    let asked = "Compare the two options by code size and by what we must keep up to date.";
    let mut all = vec![
        user(id.0 * 10 + 1, asked),
        message(id.0 * 10 + 2, claude(), vec![ItemBody::Text { text: text.into() }]),
    ];
    for message in &mut all {
        message.conversation = id;
        message.created_ms = NOW.ms - 120_000;
    }
    row.conversation.message_count = 2;
    put_view(snap, view(row, all, None));
}

/// An answer that is being written, after what was said.
pub fn writes(snap: &mut Snapshot, id: ConversationId, text: &str) {
    let Some(open) = snap.view(id) else { return };
    let done =
        (0..open.index.len()).filter_map(|place| open.message(place)).map(|message| (**message).clone());
    let mut all: Vec<Message> = done.filter(|message| message.state != MessageState::Streaming).collect();
    let (asked, answer) = (id.0 * 10 + 3, id.0 * 10 + 4);
    let mut writing = message(answer, claude(), vec![ItemBody::Text { text: text.into() }]);
    writing.state = MessageState::Streaming;
    (writing.duration_ms, writing.usage) = (None, None);
    writing.revision = u32::try_from(text.len()).unwrap_or(u32::MAX);
    all.extend([user(asked, "Write it down in detail."), writing]);
    for message in &mut all {
        message.conversation = id;
        message.turn = Some(TurnId(id.0));
    }
    let running = TurnRow {
        turn: TurnId(id.0),
        user_message: MessageId(asked),
        answer: Some(MessageId(answer)),
        ..turn(TurnState::Running, "Writing")
    };
    let mut row = (*open.row).clone();
    row.state = Some(TurnState::Running);
    put_view(snap, view(row, all, Some(running)));
}

/// Renames a conversation.
pub fn set_title(snap: &mut Snapshot, id: ConversationId, title: &str) {
    let Some(open) = snap.view(id) else { return };
    let mut changed = (**open).clone();
    let mut row = (*changed.row).clone();
    row.conversation.title = title.into();
    changed.row = Arc::new(row);
    put_view(snap, changed);
}
