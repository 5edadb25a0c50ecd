//! Anything in any order: what must hold all the same.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::api::command::{ChatCommand, ProjectCommand};
use crate::api::snapshot::Snapshot;
use crate::domain::input::Input;
use crate::domain::tests::kit::{World, asked, failed, seat, started, words};
use crate::model::id::{ConversationId, MessageId, QueuedId, TurnId};
use crate::model::message::{Author, MessageState};
use crate::model::project::Draft;
use crate::model::record::StoreWrite;
use crate::model::turn::{Decision, FailureKind, StopReason, TurnEvent, TurnState};

type Step = (u8, u8, u8);

/// A world with what a user expects of it.
struct Run {
    world: World,
    count: u32,
    /// Words that must be somewhere, once.
    sent: BTreeSet<String>,
    ended: BTreeMap<TurnId, TurnState>,
    turns: BTreeSet<TurnId>,
    /// It ended while writes had failed: what came behind them may be kept without them.
    torn: bool,
    torn_when_crashed: bool,
}

fn pick<T: Copy>(from: &[T], at: u8) -> Option<T> {
    (!from.is_empty()).then(|| from[usize::from(at) % from.len()])
}

impl Run {
    fn new() -> Self {
        let mut world = World::new();
        world.new_conversation();
        world.new_conversation();
        Self {
            world,
            count: 0,
            sent: BTreeSet::new(),
            ended: BTreeMap::new(),
            turns: BTreeSet::new(),
            torn: false,
            torn_when_crashed: false,
        }
    }

    fn conversation(&self, at: u8) -> ConversationId {
        let ids: Vec<ConversationId> = self.world.state.conversations.keys().copied().collect();
        pick(&ids, at).unwrap_or(ConversationId(777))
    }

    fn turn(&self, at: u8) -> TurnId {
        let mut known: Vec<TurnId> = self.turns.iter().rev().take(3).copied().collect();
        known.push(TurnId(555_555));
        pick(&known, at).unwrap()
    }

    fn message(&mut self, at: u8, b: u8) -> MessageId {
        let id = self.conversation(at);
        let shown: Vec<MessageId> = self
            .world
            .snapshot()
            .view(id)
            .map(|v| v.index.iter().map(|e| e.id).collect())
            .unwrap_or_default();
        pick(&shown, b).unwrap_or(MessageId(777_777))
    }

    fn queued(&self, at: u8) -> QueuedId {
        let all: Vec<QueuedId> =
            self.world.state.conversations.values().flat_map(|c| c.queue.iter().map(|q| q.id)).collect();
        pick(&all, at).unwrap_or(QueuedId(777))
    }

    fn text(&mut self) -> String {
        self.count += 1;
        format!("w{}.", self.count)
    }

    fn step(&mut self, (kind, a, b): Step) {
        match kind {
            0..40 => self.command(kind, a, b),
            40..70 => self.event(kind - 40, a, b),
            70..95 => self.outside(kind - 70, a),
            _ => self.crash(),
        }
        for (_, batch) in &self.world.writes {
            for write in batch {
                if let StoreWrite::PutTurn(turn) = write {
                    self.turns.insert(turn.id);
                    if !turn.state.is_live() {
                        let first = *self.ended.entry(turn.id).or_insert(turn.state);
                        assert_eq!(first, turn.state, "one end for turn {}", turn.id);
                    }
                }
            }
        }
        let snapshot = self.world.snapshot();
        holds(&self.world, &snapshot);
    }

    fn command(&mut self, kind: u8, a: u8, b: u8) {
        let id = self.conversation(a);
        let command = match kind {
            0..10 => {
                let text = self.text();
                if self.world.state.conversations.get(&id).is_some_and(|state| !state.deleted) {
                    self.sent.insert(text.clone());
                }
                ChatCommand::Send { conversation: id, draft: Draft::text(text) }
            }
            10..13 => ChatCommand::Stop { conversation: id },
            13..17 => ChatCommand::Open { conversation: id },
            17 => ChatCommand::LoadPage { conversation: id, page: u32::from(b) },
            18 | 19 => {
                let message = self.message(a, b);
                let text = self.text();
                ChatCommand::EditAndResend { message, text }
            }
            20 => ChatCommand::DeleteMessage { message: self.message(a, b) },
            21 | 22 => ChatCommand::UndoEdit { conversation: id },
            23 => ChatCommand::Regenerate { message: self.message(a, b), engine: None },
            24 => ChatCommand::Retry { turn: self.turn(a), engine: None },
            25 => ChatCommand::Continue { turn: self.turn(a) },
            26 => {
                let queued = self.queued(a);
                let text = self.world.state.conversations.values().flat_map(|c| c.queue.iter());
                if let Some(text) = text.into_iter().find(|q| q.id == queued).map(|q| q.text.clone()) {
                    self.sent.remove(&text);
                }
                ChatCommand::RemoveQueued { queued }
            }
            27 | 28 => ChatCommand::SendQueuedNow { queued: self.queued(a) },
            29 => ChatCommand::Delete { conversation: id },
            30 | 31 => ChatCommand::UndoDelete { conversation: id },
            32 => ChatCommand::SaveDraft { conversation: id, draft: Draft::text(format!("d{b}")) },
            33 => ChatCommand::SetSeat {
                conversation: id,
                seat: seat(if b.is_multiple_of(2) { "ada" } else { "bob" }),
            },
            34..38 => {
                let decision = if b.is_multiple_of(2) {
                    Decision::AllowOnce
                } else {
                    Decision::Deny { comment: String::new() }
                };
                ChatCommand::Answer { turn: self.turn(a), ask: format!("q{}", b % 3), decision }
            }
            38 => {
                let project = self.world.project();
                ChatCommand::New { project, seat: None }
            }
            _ => {
                if b.is_multiple_of(4) {
                    let project = self.world.project();
                    self.forget_all();
                    self.world.command(ProjectCommand::Remove { project });
                }
                return;
            }
        };
        self.world.chat(command);
    }

    /// All conversations live in one project here.
    fn forget_all(&mut self) {
        self.sent.clear();
    }

    fn event(&mut self, kind: u8, a: u8, b: u8) {
        let turn = self.turn(a);
        let event = match kind {
            0..3 => started("s"),
            3..10 => words(if b.is_multiple_of(2) { "m" } else { "n" }, "word "),
            10 => TurnEvent::ItemWithdrawn { key: "m".into() },
            11 => TurnEvent::Phase("Thinking".into()),
            12..16 => asked(&format!("q{}", b % 3), "ls"),
            16 => TurnEvent::PermissionGone { ask: format!("q{}", b % 3) },
            17 => failed(FailureKind::SessionLost),
            18 | 19 => failed(FailureKind::Crashed),
            20 => TurnEvent::Finished(StopReason::Cancelled),
            _ => TurnEvent::Finished(StopReason::Completed),
        };
        self.world.say(turn, event);
    }

    fn outside(&mut self, kind: u8, a: u8) {
        let world = &mut self.world;
        match kind {
            0..8 => {
                world.acknowledge(true);
            }
            8 | 9 => {
                self.torn_when_crashed = true;
                world.acknowledge(false);
            }
            10..14 if !world.reads.is_empty() => world.read(usize::from(a) % world.reads.len()),
            14..18 if !world.answers.is_empty() => world.deliver(usize::from(a) % world.answers.len()),
            18..21 => {
                world.put(Input::Tick);
            }
            21 => world.look(None, a.is_multiple_of(2)),
            22 => {
                let id = self.conversation(a);
                self.world.look(Some(id), true);
            }
            _ => {
                world.snapshot();
            }
        }
    }

    /// What was not kept is gone; everything that was is still expected.
    fn crash(&mut self) {
        self.torn |= self.torn_when_crashed;
        self.world.crash();
        let store = &self.world.store;
        let kept: BTreeSet<String> = store
            .messages
            .values()
            .filter(|message| message.author == Author::User)
            .map(crate::model::message::Message::plain_text)
            .chain(store.queued.values().map(|queued| queued.text.clone()))
            .collect();
        self.sent.retain(|text| kept.contains(text));
        self.ended.retain(|turn, state| store.turns.get(turn).is_some_and(|kept| kept.state == *state));
    }

    /// When everything has gone through: the words, the store and the screen agree.
    fn finish(mut self) {
        self.world.settle();
        // Each end may send what waited.
        while let Some(turn) = self.world.state.turns.keys().next().copied() {
            self.world.say(turn, TurnEvent::Finished(StopReason::Completed));
            self.world.settle();
        }
        let store = self.world.store.clone();
        let mut times: BTreeMap<String, u32> = BTreeMap::new();
        let said = store
            .messages
            .values()
            .filter(|message| message.author == Author::User)
            .map(crate::model::message::Message::plain_text);
        for text in said.chain(store.queued.values().map(|queued| queued.text.clone())) {
            *times.entry(text).or_default() += 1;
        }
        for (text, times) in &times {
            assert!(*times == 1 || text.starts_with("Continue"), "{text} is there {times} times");
        }
        for text in &self.sent {
            assert!(times.contains_key(text), "{text} is lost");
        }
        let ids: Vec<ConversationId> = self.world.state.conversations.keys().copied().collect();
        for id in ids {
            let state = &self.world.state.conversations[&id];
            if state.deleted {
                continue;
            }
            let row = state.row.clone();
            assert_eq!(store.conversations.get(&id), Some(&row), "the row is kept");
            // What waits would go out on opening; it was counted above.
            let before = (self.world.view_or_none(id), store.shown(id));
            if let (Some(shown), kept) = before {
                assert_eq!(shown, kept.iter().map(|m| m.id).collect::<Vec<_>>(), "screen and store");
            }
            let count = store.shown(id).len();
            assert!(self.torn || row.message_count as usize == count, "the count of conversation {id}");
            if !state_waits(&self.world, id) {
                let shown = self.world.whole(id);
                for (shown, kept) in shown.iter().zip(self.world.store.shown(id)) {
                    assert_eq!((shown.id, shown.plain_text()), (kept.id, kept.plain_text()));
                    assert_eq!((&shown.state, shown.unsaved), (&kept.state, false));
                    assert_ne!(kept.state, MessageState::Streaming);
                }
            }
        }
    }
}

fn state_waits(world: &World, id: ConversationId) -> bool {
    !world.state.conversations[&id].queue.is_empty()
}

impl World {
    /// Ids on screen of an open conversation that is loaded.
    fn view_or_none(&mut self, id: ConversationId) -> Option<Vec<MessageId>> {
        let snapshot = self.snapshot();
        let view = snapshot.view(id).filter(|view| !view.loading && view.error.is_none())?;
        Some(view.index.iter().map(|entry| entry.id).collect())
    }
}

fn holds(world: &World, snapshot: &Snapshot) {
    let mut busy = BTreeSet::new();
    for live in world.state.turns.values() {
        assert!(live.record.state.is_live());
        assert!(busy.insert(live.record.conversation), "two turns in one conversation");
        let known = world.state.conversations.get(&live.record.conversation);
        assert_eq!(known.and_then(|state| state.live), Some(live.record.id));
    }
    for state in world.state.conversations.values() {
        assert!(
            state.live.is_none_or(|turn| world.state.turns.contains_key(&turn)),
            "a turn that is not there"
        );
    }
    for ask in snapshot.asks.iter() {
        let live = &world.state.turns[&ask.turn];
        assert_eq!(live.record.state, TurnState::NeedsYou, "a question of a turn that does not ask");
    }
    for view in &world.state.views {
        assert_eq!(view.index.len(), view.seqs.len());
        assert!(view.seqs.is_sorted_by(|a, b| a < b), "in order: {:?}", view.seqs);
        let ids: BTreeSet<MessageId> = view.index.iter().map(|entry| entry.id).collect();
        assert_eq!(ids.len(), view.index.len(), "each message once");
    }
    for view in &snapshot.open {
        for place in 0..view.index.len() {
            let Some(message) = view.message(place) else { continue };
            assert_eq!(message.id, view.index[place].id, "another message at place {place}");
            let live = view.live.iter().any(|live| live.id == message.id);
            assert!(
                live || message.state != MessageState::Streaming,
                "streams without a turn: {}",
                message.id
            );
        }
        for live in &view.live {
            let last = view.index.last().map(|entry| entry.id);
            assert!(
                view.loading || view.error.is_some() || last == Some(live.id),
                "the running answer is the last"
            );
        }
    }
}

fn check(steps: impl IntoIterator<Item = Step>) {
    let mut run = Run::new();
    for step in steps {
        run.step(step);
    }
    run.finish();
}

/// 300 orders, or as many as `PROPTEST_CASES` says.
fn config() -> ProptestConfig {
    let cases =
        if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default().cases } else { 300 };
    ProptestConfig { cases, max_shrink_iters: 4_000, ..ProptestConfig::default() }
}

#[test]
fn orders_that_went_wrong_once() {
    let cases: [&[Step]; 2] = [
        &[(0, 0, 0), (0, 0, 0), (95, 0, 0), (38, 0, 0), (0, 205, 0), (57, 3, 0), (13, 100, 0), (80, 0, 0)],
        &[(33, 0, 85), (0, 31, 0), (29, 11, 0), (70, 0, 0), (70, 0, 0), (70, 0, 0), (95, 0, 0), (0, 0, 0)],
    ];
    for steps in cases {
        check(steps.iter().copied());
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_order_keeps_every_word_once(steps in proptest::collection::vec((0_u8..97, any::<u8>(), any::<u8>()), 1..120)) {
        check(steps);
    }
}
