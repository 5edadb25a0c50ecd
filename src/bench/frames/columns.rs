//! Frames of three columns side by side: the main conversation and two branches, all of them being written.

use std::sync::Arc;

use egui::{Event, Key, Modifiers, pos2};

use crate::api::handle::AppHandle;
use crate::api::snapshot::{ConversationRow, ConversationView, IndexEntry, Snapshot};
use crate::bench::frames::{
    PIECES_PER_SECOND, Player, SIZE, STREAM_CHARS, STREAM_FRAMES_PER_SECOND, STREAM_SECONDS, Stage,
    WARM_FRAMES, answer,
};
use crate::bench::report::Values;
use crate::bench::scratch::FIRST;
use crate::model::branch::{Branch, BranchFacts};
use crate::model::id::{ConversationId, MessageId};
use crate::model::project::{Conversation, ConversationKind};
use crate::ui::view_state::Shelf;

/// Ids that no seeded conversation has.
const BRANCHES: [ConversationId; 2] = [ConversationId(i64::MAX - 1), ConversationId(i64::MAX - 2)];

/// Frames while all three answers grow and are followed, each by 200 pieces a second.
pub(super) fn measure(base: &Arc<Snapshot>) -> anyhow::Result<Values> {
    let (mut player, handle) = Player::new(base)?;
    let checkpoint = player.view.index.iter().rev().nth(1).map(|entry| entry.id);
    let views = BRANCHES.map(|id| branch(&player, id, checkpoint));
    let rows = base.conversations.iter().cloned().chain(views.iter().map(|view| Arc::clone(&view.row)));
    let mut with = (**base).clone();
    with.conversations = rows.collect();
    player.base = Arc::new(with);
    player.beside = views.to_vec();
    player.say("");
    let mut stage = stage(handle);
    stage.frames(WARM_FRAMES, |_| Vec::new());
    // A comparison opens where the branches start; here their ends are followed.
    for share in [0.5, 0.85] {
        stage.frame(vec![Event::PointerMoved(pos2(SIZE[0] * share, SIZE[1] * 0.4))]);
        stage.frame(vec![end(true), end(false)]);
    }
    let text = answer(STREAM_CHARS);
    let piece_chars = STREAM_CHARS / (STREAM_SECONDS * PIECES_PER_SECOND);
    let mut values = Values::default();
    for frame in 1..=STREAM_SECONDS * STREAM_FRAMES_PER_SECOND {
        let chars = frame * PIECES_PER_SECOND / STREAM_FRAMES_PER_SECOND * piece_chars;
        let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
        player.say(text.get(..end).unwrap_or_default());
        values.push(stage.frame(Vec::new()));
    }
    Ok(values)
}

fn end(pressed: bool) -> Event {
    let (physical_key, repeat, modifiers) = (None, false, Modifiers::NONE);
    Event::Key { key: Key::End, physical_key, pressed, repeat, modifiers }
}

fn stage(handle: AppHandle) -> Stage {
    let shelf =
        Shelf { root: FIRST, tabs: BRANCHES.to_vec(), at: None, open: true, compared: Some(BRANCHES) };
    Stage::with(handle, |view| {
        view.shelves = vec![shelf];
        view.drawer_pinned = true;
    })
}

/// A branch of the conversation shown that nobody wrote to yet.
fn branch(player: &Player, id: ConversationId, checkpoint: Option<MessageId>) -> Arc<ConversationView> {
    let mut view = (*player.view).clone();
    let parent = view.row.conversation.clone();
    let conversation = Conversation {
        id,
        kind: ConversationKind::Branch,
        branch: Some(Branch { parent: parent.id, checkpoint, facts: BranchFacts::default() }),
        message_count: 0,
        ..parent
    };
    view.row = Arc::new(ConversationRow { conversation, ..(*view.row).clone() });
    view.index = Arc::new(Vec::<IndexEntry>::new());
    view.pages.clear();
    view.live.clear();
    Arc::new(view)
}
