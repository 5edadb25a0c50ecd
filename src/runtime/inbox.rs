//! The loop: receive, handle, perform, publish.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};

use crate::api::command::Command;
use crate::api::handle::{Wake, Waker};
use crate::api::snapshot::Snapshot;
use crate::domain::effect::Effect;
use crate::domain::input::Input;
use crate::domain::{AppState, Cx, IdSource};
use crate::model::id::TurnId;
use crate::model::turn::TurnEvent;
use crate::os::clock::now_ms;
use crate::runtime::perform::{Hands, Inlets};

/// While something streams, snapshots are at least this far apart: text is in a snapshot within 20 ms.
const PUBLISH_GAP: Duration = Duration::from_millis(12);
/// A window is woken about 30 times a second by a stream.
const WAKE_GAP: Duration = Duration::from_millis(30);
/// Partial answers and drafts are written this often.
const TICK: Duration = Duration::from_millis(500);
/// Idle engine processes are looked at this often.
const SWEEP: Duration = Duration::from_secs(30);
/// Inputs taken in before a snapshot is due again.
const BATCH_MAX: usize = 256;

/// The one owner of the state.
pub(in crate::runtime) struct Inbox {
    state: AppState,
    ids: IdSource,
    hands: Hands,
    commands: mpsc::Receiver<Command>,
    inputs: mpsc::Receiver<Input>,
    written: mpsc::Receiver<Input>,
    turns: mpsc::Receiver<(TurnId, TurnEvent)>,
    snapshots: watch::Sender<Arc<Snapshot>>,
    waker: Waker,
    published: Instant,
    woken: Instant,
    /// A published snapshot no window was woken for yet.
    wake_owed: bool,
    ending: bool,
}

impl Inbox {
    pub fn new(
        state: AppState,
        mut hands: Hands,
        commands: mpsc::Receiver<Command>,
        snapshots: watch::Sender<Arc<Snapshot>>,
        waker: Waker,
    ) -> Self {
        let Inlets { inputs, written, turns } = hands.take_inlets();
        let now = Instant::now();
        Self {
            state,
            ids: IdSource::new(1),
            hands,
            commands,
            inputs,
            written,
            turns,
            snapshots,
            waker,
            published: now,
            woken: now,
            wake_owed: false,
            ending: false,
        }
    }

    /// Reads what was kept and shows it, then sees to everything slower.
    pub async fn begin(&mut self, damage: Option<Input>) {
        let engines = self.hands.engine_infos();
        self.take_in(Input::Engines(engines)).await;
        if let Some(startup) = self.hands.startup().await {
            self.take_in(startup).await;
        }
        if let Some(damage) = damage {
            // Its own counter is not to be trusted, and a backup may hold other rows under the next numbers.
            self.ids.raise_to(now_ms());
            self.take_in(damage).await;
        }
        self.publish();
        self.hands.begin_background();
    }

    /// Until quit, or until every front has gone.
    pub async fn run(&mut self) {
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut sweep = tokio::time::interval(SWEEP);
        while !self.ending {
            let publish_at = self.published + PUBLISH_GAP;
            let wake_at = self.woken + WAKE_GAP;
            tokio::select! {
                biased;
                Some(input) = self.written.recv() => self.take_in(input).await,
                // Before what engines say: one that floods must not keep a stop or a checkpoint waiting.
                command = self.commands.recv() => match command {
                    Some(command) => self.take_in(Input::Command(command)).await,
                    // Every front has gone without saying quit.
                    None => self.take_in(Input::Command(crate::api::command::AppCommand::Quit.into())).await,
                },
                _ = tick.tick(), if self.state.wants_tick() => self.take_in(Input::Tick).await,
                Some((turn, event)) = self.turns.recv() => self.take_in(Input::Turn { turn, event }).await,
                Some(input) = self.inputs.recv() => self.take_in(input).await,
                () = sleep_until(publish_at), if self.state.is_changed() => {}
                () = sleep_until(wake_at), if self.wake_owed => self.wake(),
                _ = sweep.tick() => self.hands.sweep(),
            }
            self.take_waiting().await;
            self.publish_if_due();
        }
        self.hands.end().await;
        // What the last writes came to: no front shall take for kept what was not.
        while let Ok(input) = self.written.try_recv() {
            self.take_in(input).await;
        }
        self.take_in(Input::Finished).await;
        self.publish();
        // The loop that pays owed wakes is over.
        self.wake();
    }

    /// What is there already goes into the same snapshot.
    async fn take_waiting(&mut self) {
        for _ in 0..BATCH_MAX {
            if let Ok(input) = self.written.try_recv() {
                self.take_in(input).await;
            } else if let Ok((turn, event)) = self.turns.try_recv() {
                self.take_in(Input::Turn { turn, event }).await;
            } else if let Ok(input) = self.inputs.try_recv() {
                self.take_in(input).await;
            } else {
                return;
            }
        }
    }

    async fn take_in(&mut self, input: Input) {
        let mut queue = VecDeque::from([input]);
        while let Some(input) = queue.pop_front() {
            let mut cx = Cx { now_ms: now_ms(), ids: &mut self.ids };
            for effect in self.state.handle(input, &mut cx) {
                if effect == Effect::Shutdown {
                    self.ending = true;
                }
                queue.extend(self.hands.perform(effect).await);
            }
        }
    }

    fn publish_if_due(&mut self) {
        if !self.state.is_changed() {
            return;
        }
        let urgent = self.state.is_urgent();
        if urgent || self.published.elapsed() >= PUBLISH_GAP {
            self.publish();
            if urgent || self.woken.elapsed() >= WAKE_GAP {
                self.wake();
            }
        }
    }

    fn publish(&mut self) {
        let snapshot = Arc::new(self.state.snapshot());
        self.snapshots.send_replace(snapshot);
        self.published = Instant::now();
        self.wake_owed = true;
    }

    fn wake(&mut self) {
        self.waker.wake(Wake::Repaint);
        self.woken = Instant::now();
        self.wake_owed = false;
    }
}
