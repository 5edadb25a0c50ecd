//! The one shared runner of all engines: starts seats, keeps some of them warm, runs turns on them.
//!
//! Start reading at [`EngineHost::run`]; what happens within a turn stands in `seat`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::engine::connect::{connect, keys_of};
use crate::engine::seat::{Closing, Job, Reply, Seat, Work};
use crate::model::engine::{Billing, EngineId};
use crate::model::id::{ConversationId, TurnId};
use crate::model::turn::{Decision, FailureKind, SeatSpec, TurnEvent, TurnFailure, TurnRequest};

/// Longest wait for seats to end in [`EngineHost::close`] and [`EngineHost::close_all`].
const CLOSE_LIMIT: Duration = Duration::from_secs(6);

/// Longest wait for the seat of a turn that has just ended.
const FREE_LIMIT: Duration = Duration::from_secs(2);

/// Finds a bearer key by the name of its secret.
pub type KeyLookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What the runner needs from outside.
#[derive(Clone)]
pub struct HostConfig {
    /// Our own program, under whose watch children run; `None` starts them directly.
    pub guard: Option<PathBuf>,
    /// The environment that children get their allowed part of.
    pub base_env: Vec<(OsString, OsString)>,
    /// The PATH of the user's login shell, if known already; see [`EngineHost::set_login_path`].
    pub login_path: Option<OsString>,
    pub limits: HostLimits,
    pub keys: KeyLookup,
}

impl fmt::Debug for HostConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the environment nor the keys belong in a log.
        f.debug_struct("HostConfig")
            .field("guard", &self.guard)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// How many unused seats are kept, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLimits {
    pub warm_max: usize,
    pub warm_idle: Duration,
}

/// By what a seat is known: a turn that differs in any of these gets another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeatKey {
    pub conversation: ConversationId,
    /// Tells seats of one conversation apart that are alike otherwise, e.g. two seats of a roundtable.
    pub part: Option<String>,
    pub engine: EngineId,
    pub model: Option<String>,
    pub cwd: PathBuf,
    pub skip_permissions: bool,
    /// The user chose metered billing.
    pub api_key: bool,
}

impl SeatKey {
    /// The key of the seat that `spec` describes, the only one of its kind in the conversation.
    pub fn of(conversation: ConversationId, spec: &SeatSpec) -> Self {
        Self {
            conversation,
            part: None,
            engine: spec.engine.clone(),
            model: spec.model.clone(),
            cwd: spec.cwd.clone(),
            skip_permissions: spec.skip_permissions,
            api_key: spec.billing == Billing::ApiKey,
        }
    }
}

/// One turn to run.
pub struct RunTurn {
    pub seat: SeatSpec,
    pub engine: Arc<dyn Engine>,
    pub key: SeatKey,
    pub request: TurnRequest,
    /// The session that the request's text builds on, from [`EngineHost::warm_session`]. If its seat has gone
    /// and the engine cannot take it up again, the turn fails as `SessionLost` instead of losing its context.
    pub expect_session: Option<String>,
    /// Bounded. Gets exactly one terminal event, as the last one.
    pub events: mpsc::Sender<(TurnId, TurnEvent)>,
    /// Dropping the sender stops the turn.
    pub control: mpsc::Receiver<TurnControl>,
    /// Silence for so long ends the turn; not while a question is open.
    pub idle_timeout: Duration,
    /// The seat serves this turn alone: it is never kept warm, and has ended when [`EngineHost::run`] returns.
    pub once: bool,
}

impl fmt::Debug for RunTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunTurn")
            .field("turn", &self.request.turn)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// What the user does to a running turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnControl {
    Answer { ask: String, decision: Decision },
    Stop,
}

/// The runner. Dropping it ends every seat.
#[derive(Debug)]
pub struct EngineHost {
    config: HostConfig,
    login_path: watch::Sender<Option<OsString>>,
    limits: watch::Sender<HostLimits>,
    pool: watch::Sender<Pool>,
    /// Set once, when the program ends.
    leaving: CancellationToken,
}

#[derive(Debug, Default)]
struct Pool {
    seats: BTreeMap<u64, Handle>,
    next: u64,
}

/// The pool's side of a seat. Dropping the last sender of `jobs` ends an idle seat.
#[derive(Debug)]
struct Handle {
    key: SeatKey,
    jobs: mpsc::Sender<Job>,
    closing: CancellationToken,
    ended: CancellationToken,
    session: Option<String>,
    busy: bool,
    used: Instant,
}

impl Handle {
    fn is_free_for(&self, key: &SeatKey) -> bool {
        !self.busy && self.key == *key && !self.ended.is_cancelled()
    }
}

impl EngineHost {
    pub fn new(config: HostConfig) -> Self {
        Self {
            login_path: watch::Sender::new(config.login_path.clone()),
            limits: watch::Sender::new(config.limits),
            pool: watch::Sender::new(Pool::default()),
            leaving: CancellationToken::new(),

            config,
        }
    }

    /// For seats started from now on.
    pub fn set_login_path(&self, path: OsString) {
        self.login_path.send_replace(Some(path));
    }

    /// Takes effect at once: seats over the limits are ended.
    pub fn set_limits(&self, limits: HostLimits) {
        self.limits.send_replace(limits);
        self.trim();
    }

    /// Waits until no turn runs on a seat of this key, 2 s at most: the end of a turn is told a moment before its seat
    /// is free, and a message that waited for the end must not start a second process for the same session.
    pub async fn until_free(&self, key: &SeatKey) {
        let mut pool = self.pool.subscribe();
        let free = pool.wait_for(|pool| !pool.seats.values().any(|seat| seat.busy && seat.key == *key));
        if tokio::time::timeout(FREE_LIMIT, free).await.is_err() {
            tracing::debug!("a seat is still busy; another one is started");
        }
    }

    /// The session held by a warm seat that would serve this key; `None` = a turn needs its whole context.
    pub fn warm_session(&self, key: &SeatKey) -> Option<String> {
        self.pool
            .borrow()
            .seats
            .values()
            .find(|seat| seat.is_free_for(key))
            .and_then(|seat| seat.session.clone())
    }

    /// Runs one turn to its end. Returns when its terminal event was sent and its seat is at rest.
    pub async fn run(&self, turn: RunTurn) {
        let RunTurn { seat: spec, engine, key, request, expect_session, events, control, idle_timeout, once } =
            turn;
        let mut work = Work { request, events, control, idle_timeout };
        let wanted = expect_session.as_ref().or(spec.resume.as_ref());
        if let Some((id, jobs)) = self.take_warm(&key, wanted) {
            match self.hand_over(id, &jobs, work).await {
                None => return,
                Some(back) => work = back,
            }
        }
        if expect_session.is_some() && expect_session != spec.resume {
            return refuse(&work, session_lost()).await;
        }
        let login_path = self.login_path.borrow().clone();
        let (link, started_as) = match connect(&self.config, login_path.as_deref(), &*engine, &spec) {
            Ok(connected) => connected,
            Err(failure) => return refuse(&work, failure).await,
        };
        let seat = Seat {
            link,
            dialect: engine.dialect(&spec),
            started_as,
            install_hint: engine.info().install_hint.clone(),
            keys: keys_of(&self.config, &*engine, &spec),
            session: None,
            retire: once || !engine.info().caps.warm,
        };
        let (id, jobs) = self.settle(seat, key);
        if let Some(work) = self.hand_over(id, &jobs, work).await {
            refuse(&work, session_lost()).await;
        }
    }

    /// Ends all seats of a conversation, running turns too; returns when they are gone.
    pub async fn close(&self, conversation: ConversationId) {
        self.close_where(|key| key.conversation == conversation).await;
    }

    /// Ends all seats; returns when they are gone, within 6 s.
    pub async fn close_all(&self) {
        self.close_where(|_| true).await;
    }

    /// As [`Self::close_all`] for a program that ends itself: idle agents that a guard watches over are let go in their
    /// own time instead of being waited for.
    pub async fn leave_all(&self) {
        self.leaving.cancel();
        self.close_all().await;
    }

    /// Ends seats that were unused for too long. To be called now and then.
    pub fn sweep(&self) {
        self.trim();
    }

    async fn close_where(&self, which: impl Fn(&SeatKey) -> bool) {
        let mut ended = Vec::new();
        self.pool.send_modify(|pool| {
            for seat in pool.seats.values().filter(|seat| which(&seat.key)) {
                seat.closing.cancel();
                ended.push(seat.ended.clone());
            }
            pool.seats.retain(|_, seat| !which(&seat.key));
        });
        let all = async {
            for seat in &ended {
                seat.cancelled().await;
            }
        };
        if tokio::time::timeout(CLOSE_LIMIT, all).await.is_err() {
            tracing::warn!("not every agent ended in time");
        }
    }

    /// Takes the free seat of this key if it holds the wanted session; a free one with another is ended.
    fn take_warm(&self, key: &SeatKey, wanted: Option<&String>) -> Option<(u64, mpsc::Sender<Job>)> {
        let mut taken = None;
        self.pool.send_modify(|pool| {
            let Some((id, seat)) = pool.seats.iter_mut().find(|(_, seat)| seat.is_free_for(key)) else {
                return;
            };
            let id = *id;
            if wanted.is_some() && seat.session.as_ref() == wanted {
                seat.busy = true;
                taken = Some((id, seat.jobs.clone()));
            } else {
                pool.seats.remove(&id);
            }
        });
        taken
    }

    /// Gives the turn to a seat and waits for its end; gives it back if the seat was dead.
    async fn hand_over(&self, id: u64, jobs: &mpsc::Sender<Job>, work: Work) -> Option<Work> {
        let (reply, answer) = oneshot::channel();
        let turn = work.request.turn;
        let events = work.events.clone();
        if let Err(mpsc::error::SendError(job)) = jobs.send(Job { work, reply }).await {
            self.forget(id);
            return Some(job.work);
        }
        match answer.await {
            Ok(Reply::Done { alive: true, session }) => {
                self.pool.send_modify(|pool| {
                    if let Some(seat) = pool.seats.get_mut(&id) {
                        seat.busy = false;
                        seat.used = Instant::now();
                        seat.session = session;
                    }
                });
                self.trim();
                None
            }
            Ok(Reply::Done { alive: false, .. }) => {
                self.forget(id);
                None
            }
            Ok(Reply::NotTaken(work)) => {
                self.forget(id);
                Some(*work)
            }
            // The seat's task was ended from outside, with its turn.
            Err(_closed) => {
                self.forget(id);
                let failure = internal("The agent's seat was closed.");
                events.send((turn, TurnEvent::Failed(failure))).await.ok();
                None
            }
        }
    }

    fn forget(&self, id: u64) {
        self.pool.send_modify(|pool| {
            pool.seats.remove(&id);
        });
    }

    /// Starts the seat's task and notes it as busy.
    fn settle(&self, seat: Seat, key: SeatKey) -> (u64, mpsc::Sender<Job>) {
        let (jobs, waiting) = mpsc::channel(1);
        let closing = CancellationToken::new();
        let ended = CancellationToken::new();
        let task = seat.live(waiting, Closing { now: closing.clone(), leaving: self.leaving.clone() });
        let guard = ended.clone().drop_guard();
        tokio::spawn(async move {
            task.await;
            drop(guard);
        });
        let mut id = 0;
        self.pool.send_modify(|pool| {
            id = pool.next;
            pool.next += 1;
            let jobs = jobs.clone();
            let used = Instant::now();
            pool.seats.insert(id, Handle { key, jobs, closing, ended, session: None, busy: true, used });
        });
        (id, jobs)
    }

    /// Drops dead seats, those unused for too long, and the least recently used ones over the limit.
    fn trim(&self) {
        let limits = *self.limits.borrow();
        let now = Instant::now();
        self.pool.send_modify(|pool| {
            pool.seats.retain(|_, seat| {
                seat.busy || (!seat.ended.is_cancelled() && now.duration_since(seat.used) < limits.warm_idle)
            });
            let mut idle: Vec<(Instant, u64)> =
                pool.seats.iter().filter(|(_, seat)| !seat.busy).map(|(id, seat)| (seat.used, *id)).collect();
            idle.sort();
            for (_, id) in idle.iter().take(idle.len().saturating_sub(limits.warm_max)) {
                pool.seats.remove(id);
            }
        });
    }
}

impl Drop for EngineHost {
    fn drop(&mut self) {
        for seat in self.pool.borrow().seats.values() {
            seat.closing.cancel();
        }
    }
}

/// The turn fails before any seat had it.
async fn refuse(work: &Work, failure: TurnFailure) {
    if work.events.send((work.request.turn, TurnEvent::Failed(failure))).await.is_err() {
        tracing::debug!(turn = %work.request.turn, "nobody takes this turn's events any more");
    }
}

fn session_lost() -> TurnFailure {
    TurnFailure {
        kind: FailureKind::SessionLost,
        message: "The agent's process has gone, and with it the session.".to_owned(),
        hint: "The conversation goes on in a new session.".to_owned(),
        detail: String::new(),
        resets_at_ms: None,
    }
}

fn internal(message: &str) -> TurnFailure {
    TurnFailure {
        kind: FailureKind::Internal,
        message: message.to_owned(),
        hint: "Try again.".to_owned(),
        detail: String::new(),
        resets_at_ms: None,
    }
}
