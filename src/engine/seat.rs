//! One seat: a task that owns a connection and its dialect, and runs one turn after the other.
//!
//! Between turns it goes on reading, so that a full pipe never blocks the agent and its end is noticed.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::engine::host::TurnControl;
use crate::engine::link::{Happening, Link, seat_exit};
use crate::engine::{Dialect, SeatInput, SeatOutput};
use crate::model::id::TurnId;
use crate::model::message::ItemBody;
use crate::model::turn::{FailureKind, StopReason, TurnEvent, TurnFailure, TurnRequest};
use crate::os::process::ExitInfo;
use crate::os::redact::redact;

/// How long the agent has to end a turn by its own protocol.
const CANCEL_LIMIT: Duration = Duration::from_secs(2);
/// How long its process then has to end by itself, before everything is killed.
const TERM_LIMIT: Duration = Duration::from_millis(1000);

/// One turn to run.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) request: TurnRequest,
    pub(super) events: mpsc::Sender<(TurnId, TurnEvent)>,
    pub(super) control: mpsc::Receiver<TurnControl>,
    pub(super) idle_timeout: Duration,
}

/// A turn on its way to the seat's task.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) reply: oneshot::Sender<Reply>,
}

/// How a turn left its seat.
#[derive(Debug)]
pub(super) enum Reply {
    /// Its terminal event was sent; `alive`: the seat may take another one.
    Done { alive: bool, session: Option<String> },
    /// The seat was dead before it could begin; nothing was sent.
    NotTaken(Box<Work>),
}

/// The task's own state.
pub(super) struct Seat {
    pub(super) link: Link,
    pub(super) dialect: Box<dyn Dialect>,
    /// The command or the address, for messages.
    pub(super) started_as: String,
    pub(super) install_hint: String,
    pub(super) keys: Keys,
    pub(super) session: Option<String>,
    pub(super) retire: bool,
}

/// Names of the key variables that are set, by what became of them.
#[derive(Clone, Default)]
pub(super) struct Keys {
    /// Kept from the process: the user did not choose metered billing.
    pub(super) withheld: Vec<String>,
    /// Given to the process.
    pub(super) passed: Vec<String>,
}

/// How a seat is told to end.
pub(super) struct Closing {
    /// This seat ends.
    pub(super) now: CancellationToken,
    /// The whole program ends: an idle process need not be waited for.
    pub(super) leaving: CancellationToken,
}

/// What is true only while a turn runs.
struct Running<'a> {
    turn: TurnId,
    events: &'a mpsc::Sender<(TurnId, TurnEvent)>,
    keys: Keys,
    asks: BTreeSet<String>,
    stopping: bool,
    ended: bool,
}

impl Seat {
    /// Lives until `jobs` closes, the seat is given up or `closing` is called; then ends all it started.
    pub(super) async fn live(mut self, mut jobs: mpsc::Receiver<Job>, closing: Closing) {
        let mut leaves = false;
        // What a program says at its start belongs to the first turn.
        let mut begun = false;
        loop {
            tokio::select! {
                biased;
                () = closing.now.cancelled() => {
                    leaves = closing.leaving.is_cancelled();
                    break;
                }
                job = jobs.recv() => {
                    let Some(Job { mut work, reply }) = job else { break };
                    let is_warm = std::mem::replace(&mut begun, true);
                    if is_warm && self.is_dead().await || !self.run(&mut work, is_warm, &closing.now).await {
                        // Nobody waits any more if the whole run was dropped.
                        reply.send(Reply::NotTaken(Box::new(work))).ok();
                        break;
                    }
                    let alive = !self.retire;
                    if self.retire {
                        self.link.end(TERM_LIMIT).await;
                    }
                    reply.send(Reply::Done { alive, session: self.session.clone() }).ok();
                    if !alive {
                        break;
                    }
                }
                happening = self.link.next(), if begun => {
                    let gone = matches!(happening, Happening::Exited(_));
                    let out = self.take(&happening);
                    for line in out.lines {
                        self.link.send(line).await;
                    }
                    if gone || out.retire {
                        break;
                    }
                }
            }
        }
        jobs.close();
        if leaves {
            self.link.leave(TERM_LIMIT).await;
        } else {
            self.link.end(TERM_LIMIT).await;
        }
        while let Some(Job { work, reply }) = jobs.recv().await {
            reply.send(Reply::NotTaken(Box::new(work))).ok();
        }
    }

    /// Looks whether the process ended since the last turn, without waiting.
    async fn is_dead(&mut self) -> bool {
        loop {
            match timeout_at(Instant::now(), self.link.next()).await {
                Err(_elapsed) => return false,
                Ok(Happening::Exited(_)) => return true,
                Ok(happening) => {
                    let out = self.take(&happening);
                    for line in out.lines {
                        self.link.send(line).await;
                    }
                }
            }
        }
    }

    /// Hands a happening to the dialect; timers and the log are seen to here.
    fn take(&mut self, happening: &Happening) -> SeatOutput {
        match happening {
            Happening::Line(line) => self.feed(SeatInput::Line(line)),
            Happening::LineTooLong(bytes) => self.feed(SeatInput::LineTooLong { bytes: *bytes }),
            Happening::Exited(exit) => self.feed(SeatInput::Exited(&seat_exit(exit))),
            Happening::Status { code, retry_after_secs, body } => {
                self.feed(SeatInput::HttpStatus { code: *code, retry_after_secs: *retry_after_secs, body })
            }
            Happening::Failed(why) => self.feed(SeatInput::HttpFailed { why }),
            Happening::End => self.feed(SeatInput::HttpEnd),
            Happening::Timer(id) => self.feed(SeatInput::Deadline(*id)),
        }
    }

    fn feed(&mut self, input: SeatInput<'_>) -> SeatOutput {
        let mut out = SeatOutput::default();
        self.dialect.input(input, &mut out);
        for (id, after) in out.timers.drain(..) {
            self.link.start_timer(id, after);
        }
        for line in out.log.drain(..) {
            tracing::debug!(target: "engine", seat = %self.started_as, line);
        }
        if out.skipped > 0 {
            tracing::debug!(target: "engine", seat = %self.started_as, skipped = out.skipped);
        }
        self.retire |= out.retire;
        out
    }

    /// Runs one turn to its terminal event, whatever happens. False only when a warm process ended without one word
    /// for it: it was about to go when the turn came, so another process is to take the turn.
    async fn run(&mut self, work: &mut Work, is_warm: bool, closing: &CancellationToken) -> bool {
        let mut running = Running {
            turn: work.request.turn,
            events: &work.events,
            keys: self.keys.clone(),
            asks: BTreeSet::new(),
            stopping: false,
            ended: false,
        };
        let request = work.request.clone();
        let out = self.feed(SeatInput::Begin(&request));
        self.carry_out(out, &mut running).await;
        let mut heard = Instant::now();
        let mut unheard = is_warm;
        let mut force_at = None;
        while !running.ended {
            let quiet_at = match force_at {
                Some(at) => at,
                None if running.asks.is_empty() => heard + work.idle_timeout,
                // A day is for ever here: while a question is open, it is the user who is waited for.
                None => heard + Duration::from_hours(24),
            };
            tokio::select! {
                biased;
                control = work.control.recv(), if !running.stopping => match control {
                    Some(TurnControl::Answer { ask, decision }) => {
                        heard = Instant::now();
                        if running.asks.remove(&ask) {
                            let out = self.feed(SeatInput::Answer { ask: &ask, decision: &decision });
                            self.carry_out(out, &mut running).await;
                        }
                    }
                    // Whoever dropped the control wants the turn no longer.
                    Some(TurnControl::Stop) | None => {
                        force_at = Some(Instant::now() + CANCEL_LIMIT);
                        self.cancel(&mut running).await;
                    }
                },
                () = closing.cancelled(), if !running.stopping => {
                    force_at = Some(Instant::now() + CANCEL_LIMIT);
                    self.cancel(&mut running).await;
                }
                // Before the lines: a program that never pauses must not keep the time from running out.
                () = sleep_until(quiet_at) => self.give_up(work.idle_timeout, &mut running).await,
                happening = self.link.next() => {
                    if unheard && !running.stopping && matches!(happening, Happening::Exited(_)) {
                        tracing::debug!(target: "engine", seat = %self.started_as, "it ended as a turn came");
                        return false;
                    }
                    unheard = false;
                    heard = Instant::now();
                    self.happened(happening, &mut running).await;
                }
            }
        }
        self.link.break_off();
        // Whatever a stopped process left running, its tools above all, goes with it; its session is taken up again.
        self.retire |= running.stopping && self.link.is_process();
        true
    }

    async fn cancel(&mut self, running: &mut Running<'_>) {
        running.stopping = true;
        let out = self.feed(SeatInput::Cancel);
        self.carry_out(out, running).await;
    }

    async fn happened(&mut self, happening: Happening, running: &mut Running<'_>) {
        if let Happening::Exited(exit) = &happening
            && let Some(error) = &exit.start_error
        {
            self.retire = true;
            let failure = spawn_failure(error, &self.started_as, &self.install_hint);
            return running.end(TurnEvent::Failed(failure)).await;
        }
        let out = self.take(&happening);
        self.carry_out(out, running).await;
        if let Happening::Exited(exit) = happening {
            self.retire = true;
            if !running.ended {
                running.end(TurnEvent::Failed(crashed(&exit, &self.started_as))).await;
            }
        }
    }

    /// The time is over: of a stop, or of silence.
    async fn give_up(&mut self, idle_timeout: Duration, running: &mut Running<'_>) {
        self.retire = true;
        self.link.break_off();
        let exit = self.link.end(TERM_LIMIT).await;
        if running.stopping {
            let out = self.feed(SeatInput::Exited(&seat_exit(&exit)));
            self.carry_out(out, running).await;
            return running.end(TurnEvent::Finished(StopReason::Cancelled)).await;
        }
        let seconds = idle_timeout.as_secs();
        let mut detail = format!("{}\n{}", self.started_as, exit.stderr_tail);
        detail.truncate(detail.trim_end().len());
        let failure = TurnFailure {
            kind: FailureKind::TimedOut,
            message: format!("The agent gave no sign of life for {seconds} s and was ended."),
            hint: "Try again, or set a longer time in the settings.".to_owned(),
            detail,
            resets_at_ms: None,
        };
        running.end(TurnEvent::Failed(failure)).await;
    }

    async fn carry_out(&mut self, out: SeatOutput, running: &mut Running<'_>) {
        for line in out.lines {
            self.link.send(line).await;
        }
        for event in out.events {
            if let TurnEvent::Started { session: Some(session), .. } = &event {
                self.session = Some(session.clone());
            }
            running.say(event, &self.started_as, self.link.is_process()).await;
        }
    }
}

impl Running<'_> {
    /// Passes an event on, unless the turn has ended or was stopped and this is more of its answer.
    async fn say(&mut self, mut event: TurnEvent, started_as: &str, is_process: bool) {
        if self.ended {
            return;
        }
        match &mut event {
            TurnEvent::PermissionAsked(request) => {
                if self.stopping {
                    return;
                }
                self.asks.insert(request.ask.clone());
            }
            TurnEvent::PermissionGone { ask } => {
                self.asks.remove(ask);
            }
            TurnEvent::ItemStarted { .. } | TurnEvent::ItemDelta { .. } if self.stopping => return,
            TurnEvent::ItemReplaced { body: ItemBody::Text { .. } | ItemBody::Thinking { .. }, .. }
                if self.stopping =>
            {
                return;
            }
            TurnEvent::Failed(failure) if is_process => name_command(failure, started_as),
            _ => {}
        }
        if event.is_terminal() {
            self.end(event).await;
        } else {
            self.send(event).await;
        }
    }

    /// Sends the terminal event, once; open questions go first.
    async fn end(&mut self, event: TurnEvent) {
        if self.ended {
            return;
        }
        for ask in std::mem::take(&mut self.asks) {
            self.send(TurnEvent::PermissionGone { ask }).await;
        }
        self.ended = true;
        let event = match event {
            TurnEvent::Failed(_) if self.stopping => TurnEvent::Finished(StopReason::Cancelled),
            TurnEvent::Failed(failure) => TurnEvent::Failed(without_keys(with_keys(failure, &self.keys))),
            other => other,
        };
        self.send(event).await;
    }

    async fn send(&self, event: TurnEvent) {
        if self.events.send((self.turn, event)).await.is_err() {
            tracing::debug!(turn = %self.turn, "nobody takes this turn's events any more");
        }
    }
}

/// "Not logged in" has another way out when a key is there: it was only kept back, or it is the one refused.
fn with_keys(mut failure: TurnFailure, keys: &Keys) -> TurnFailure {
    if failure.kind != FailureKind::NotLoggedIn {
        return failure;
    }
    if let Some(key) = keys.withheld.first() {
        let way_out = format!(
            "{key} is set but was not passed on: choose “API key” in Settings, Engines, to pay by it."
        );
        failure.hint = format!("{} {way_out}", failure.hint).trim_start().to_owned();
    } else if let Some(key) = keys.passed.first() {
        failure.hint = format!(
            "{key} was passed on and not accepted. Start tunaflow with another key, or choose the login's \
             subscription in Settings, Engines."
        );
    }
    failure
}

/// A failure is kept and can be exported, and programs write the keys they were refused into their errors.
fn without_keys(failure: TurnFailure) -> TurnFailure {
    TurnFailure { message: redact(&failure.message), detail: redact(&failure.detail), ..failure }
}

/// Puts the command as it was started into the detail, in place of a shorter form that the dialect knew. Where a
/// dialect names none, only a crash needs it.
fn name_command(failure: &mut TurnFailure, started_as: &str) {
    if failure.detail.contains(started_as) {
        return;
    }
    let (first, rest) = failure.detail.split_once('\n').unwrap_or((failure.detail.as_str(), ""));
    let is_path = first.contains(['/', '\\']) && started_as.starts_with(first);
    let is_command = !first.is_empty()
        && started_as.strip_suffix(first).is_some_and(|folder| folder.ends_with(['/', '\\']));
    if is_path || is_command {
        failure.detail = format!("{started_as}\n{rest}").trim_end().to_owned();
    } else if failure.kind == FailureKind::Crashed {
        failure.detail = format!("{started_as}\n{}", failure.detail).trim_end().to_owned();
    }
}

/// A start that failed, as the user reads it.
pub(super) fn spawn_failure(
    error: &crate::os::process::SpawnError,
    started_as: &str,
    install_hint: &str,
) -> TurnFailure {
    use crate::os::process::SpawnError as E;
    let (kind, hint) = match error {
        E::NotFound { .. } => (FailureKind::NotInstalled, install_hint),
        E::NotExecutable { .. } => {
            (FailureKind::NotInstalled, "Set the path of the program in the settings.")
        }
        E::CwdMissing { .. } => {
            (FailureKind::FolderMissing, "Put the folder back, or choose another one for the project.")
        }
        E::ArgumentTooLong { .. } => (FailureKind::Internal, "Choose a shorter model name or path."),
        E::Other { .. } => {
            (FailureKind::Crashed, "Try again, or set the path of the program in the settings.")
        }
    };
    TurnFailure {
        kind,
        message: format!("The agent could not be started: {error}"),
        hint: hint.to_owned(),
        detail: started_as.to_owned(),
        resets_at_ms: None,
    }
}

fn crashed(exit: &ExitInfo, started_as: &str) -> TurnFailure {
    let how = match (exit.code, exit.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no exit code".to_owned(),
    };
    TurnFailure {
        kind: FailureKind::Crashed,
        message: format!("The agent's program ended during the turn ({how})."),
        hint: "Try again; the last lines it wrote are below.".to_owned(),
        detail: format!("{started_as}\n{}", exit.stderr_tail).trim_end().to_owned(),
        resets_at_ms: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_set_is_named_where_a_login_is_missing() {
        let failure = |kind| TurnFailure {
            kind,
            message: "No login.".into(),
            hint: "Log in.".into(),
            detail: String::new(),
            resets_at_ms: None,
        };
        let names = vec!["X_API_KEY".to_owned()];
        let withheld = Keys { withheld: names.clone(), ..Keys::default() };
        let told = with_keys(failure(FailureKind::NotLoggedIn), &withheld).hint;
        assert!(told.starts_with("Log in. X_API_KEY is set but was not passed on"), "{told}");
        assert_eq!(with_keys(failure(FailureKind::NotLoggedIn), &Keys::default()).hint, "Log in.");
        assert_eq!(with_keys(failure(FailureKind::Network), &withheld).hint, "Log in.");
        let passed = Keys { passed: names, ..Keys::default() };
        let told = with_keys(failure(FailureKind::NotLoggedIn), &passed).hint;
        assert!(told.starts_with("X_API_KEY was passed on and not accepted."), "a login is not it: {told}");
    }

    #[test]
    fn the_command_stands_once_and_whole_in_the_detail() {
        use FailureKind as K;
        let table = [
            (K::Crashed, "claude -p --x\nended", "/b/claude -p --x\nended"),
            (K::NotLoggedIn, "claude -p --x\nended", "/b/claude -p --x\nended"),
            (K::Protocol, "/b/claude\nended", "/b/claude -p --x\nended"),
            (K::Crashed, "/b/claude -p --x\nended", "/b/claude -p --x\nended"),
            (K::Crashed, "broke", "/b/claude -p --x\nbroke"),
            (K::Crashed, "", "/b/claude -p --x"),
            (K::RateLimited, "429: slow down", "429: slow down"),
            (K::RateLimited, "", ""),
        ];
        for (kind, detail, wanted) in table {
            let (message, hint) = (String::new(), String::new());
            let mut failure =
                TurnFailure { kind, message, hint, detail: detail.to_owned(), resets_at_ms: None };
            name_command(&mut failure, "/b/claude -p --x");
            assert_eq!(failure.detail, wanted, "{kind:?} {detail:?}");
        }
    }
}
