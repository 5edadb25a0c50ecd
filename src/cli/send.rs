//! `send`: one turn, told as it comes, until its end or a stop.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep_until};

use crate::api::command::{AppCommand, ChatCommand};
use crate::api::snapshot::{AskRow, ConversationView, DatabaseStatus, PAGE_LEN, Snapshot, TurnRow};
use crate::cli::args::{Ask, Permissions};
use crate::cli::follow::Follow;
use crate::cli::front::{Front, is_trouble, notice_line};
use crate::cli::input::Typed;
use crate::cli::out::{BROKEN, DATABASE, ENGINE_FAILED, Failure, Out, STOPPED, one_line, prompt};
use crate::cli::plain::Plain;
use crate::cli::question::{NOBODY, gone, question};
use crate::cli::stops::Stops;
use crate::cli::{seat, words};
use crate::model::id::{ConversationId, TurnId};
use crate::model::message::{Author, Message};
use crate::model::turn::{Decision, FailureKind, LimitInfo, TurnFailure, TurnState, Usage};

/// A stopped turn that does not end in this time is left behind; engines end with the program.
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// Git looks for a bounded time; a snapshot comes with its end.
const GIT_LIMIT: Duration = Duration::from_secs(15);

/// A turn may take as long as it takes; the core's own watchdog ends a silent one.
const TURN_LIMIT: Duration = Duration::from_secs(365 * 24 * 3_600);

/// What `send` was called with.
pub struct SendWish<'a> {
    pub ask: &'a Ask,
    pub text: String,
    pub project: Option<&'a std::path::Path>,
    pub json: bool,
}

/// Sends, and tells the answer.
///
/// # Errors
/// The turn failed or was stopped, or could not begin. All that came until then was told, and is kept.
pub async fn send(
    front: &mut Front,
    wish: SendWish<'_>,
    out: &mut Out,
    stops: &mut Stops,
) -> Result<(), Failure> {
    front.check_writable()?;
    let prepared = async {
        let id = seat::conversation(front, wish.ask, wish.project).await?;
        // Whoever reads our output reads the answer: it is not news in the window later.
        front.send(AppCommand::Viewing {
            conversation: Some(id),
            beside: Vec::new(),
            held: Vec::new(),
            focused: true,
        })?;
        drain_queue(front, id).await?;
        let before = front.app.snapshot().view(id).and_then(|view| view.turn.as_ref().map(|turn| turn.turn));
        Ok::<_, Failure>((id, before))
    };
    let (conversation, before) = tokio::select! {
        prepared = prepared => prepared?,
        () = stops.asked() => return Err(Failure::new(STOPPED, "Stopped before anything was sent.")),
    };
    // A draft that waits in the window is not ours to take away.
    front.send(ChatCommand::SendWords { conversation, text: wish.text })?;
    let mut telling = Telling {
        conversation,
        before,
        permissions: wish.ask.permissions,
        json: wish.json,
        limits: limits(&front.app.snapshot(), conversation),
        ..Telling::default()
    };
    telling.run(front, out, stops).await
}

/// What waits since an earlier run goes first, in its order.
async fn drain_queue(front: &mut Front, id: ConversationId) -> Result<(), Failure> {
    loop {
        let idle = front.wait_up_to(TURN_LIMIT, BROKEN, |snapshot| {
            let view = snapshot.view(id)?;
            let runs = view.turn.as_ref().is_some_and(|turn| turn.state.is_live());
            (!runs).then(|| view.clone())
        });
        let Some(view) = idle.await? else { return Ok(()) };
        let Some(waiting) = view.queue.first() else { return Ok(()) };
        let last = view.turn.as_ref().map(|turn| turn.turn);
        front.send(ChatCommand::SendQueuedNow { queued: waiting.id })?;
        let ended = front.wait_up_to(TURN_LIMIT, BROKEN, |snapshot| {
            let turn = snapshot.view(id)?.turn.clone()?;
            (Some(turn.turn) != last && !turn.state.is_live()).then_some(turn)
        });
        if let Some(failure) = ended.await?.and_then(|turn| turn.failure.clone()) {
            let line = format!(
                "A message that was waiting in this conversation failed, so yours was not sent: {} {}",
                failure.message, failure.hint
            );
            return Err(Failure::new(ENGINE_FAILED, one_line(&line, 600)));
        }
    }
}

/// One turn being told.
struct Telling {
    conversation: ConversationId,
    before: Option<TurnId>,
    permissions: Permissions,
    json: bool,
    turn: Option<TurnId>,
    follow: Follow,
    plain: Plain,
    answered: BTreeSet<String>,
    typed: Option<Typed>,
    has_report: bool,
    model: Option<String>,
    usage: Option<Usage>,
    limits: Vec<LimitInfo>,
    stop_by: Option<Instant>,
    ended: Option<Instant>,
    /// Why we stop, when it was not the user.
    broken: Option<Failure>,
}

impl Default for Telling {
    fn default() -> Self {
        Self {
            conversation: ConversationId(0),
            before: None,
            permissions: Permissions::Deny,
            json: false,
            turn: None,
            follow: Follow::default(),
            plain: Plain::default(),
            answered: BTreeSet::new(),
            typed: None,
            has_report: false,
            model: None,
            usage: None,
            limits: Vec::new(),
            stop_by: None,
            ended: None,
            broken: None,
        }
    }
}

impl Telling {
    async fn run(&mut self, front: &mut Front, out: &mut Out, stops: &mut Stops) -> Result<(), Failure> {
        loop {
            let snapshot = front.app.snapshot();
            match self.look(front, &snapshot, out) {
                Ok(Some(end)) => return self.broken.take().map_or(end, Err),
                Ok(None) => {}
                // Nobody reads any more: the turn is stopped, what came is kept.
                Err(failure) if self.turn.is_some() && self.broken.is_none() => {
                    self.broken = Some(failure);
                    self.stop(front)?;
                    continue;
                }
                Err(failure) if self.broken.is_none() => return Err(failure),
                Err(_again) => {}
            }
            if let Some(asked) = self.open_question(&snapshot) {
                self.answer(front, &asked, out, stops).await?;
                continue;
            }
            let stop_by = self.stop_by;
            let git_by = self.ended.map(|ended| ended + GIT_LIMIT);
            tokio::select! {
                newer = front.app.changed() => if newer.is_none() {
                    return Err(Failure::new(BROKEN, "The core has ended. Look into the log, then try again."));
                },
                () = stops.asked(), if stop_by.is_none() => self.stop(front)?,
                () = until(stop_by) => return Err(self.gave_up()),
                () = until(git_by) => {}
            }
        }
    }

    fn stop(&mut self, front: &Front) -> Result<(), Failure> {
        self.stop_by = Some(Instant::now() + STOP_LIMIT);
        front.send(ChatCommand::Stop { conversation: self.conversation })
    }

    fn gave_up(&mut self) -> Failure {
        self.broken.take().unwrap_or_else(|| {
            Failure::new(
                STOPPED,
                "Stopped, but the engine did not end within 10 s; it is ended with this program.",
            )
        })
    }

    /// Tells what is new. `Some` when the turn has ended and all of it is told.
    fn look(
        &mut self,
        front: &mut Front,
        snapshot: &Snapshot,
        out: &mut Out,
    ) -> Result<Option<Result<(), Failure>>, Failure> {
        self.tell_notices(front, snapshot, out)?;
        let Some(view) = snapshot.view(self.conversation) else { return Ok(None) };
        let Some(turn) = view.turn.as_ref().filter(|turn| Some(turn.turn) != self.before) else {
            return Ok(None);
        };
        if self.broken.is_some() {
            return Ok((!turn.state.is_live()).then_some(Ok(())));
        }
        self.tell_begin(view, turn, out)?;
        let Some(message) = answer_of(view, turn) else {
            self.fetch(front, view, turn)?;
            return Ok(None);
        };
        self.tell_message(&message, out)?;
        self.tell_limits(snapshot, out)?;
        if turn.state.is_live() {
            out.flush()?;
            return Ok(None);
        }
        if self.waits_for_git(snapshot) {
            return Ok(None);
        }
        self.tell_end(turn, &message, snapshot, out).map(Some)
    }

    /// What an agent in a checkout did to the project's own folder is told before the end.
    fn waits_for_git(&mut self, snapshot: &Snapshot) -> bool {
        let since = *self.ended.get_or_insert_with(Instant::now);
        snapshot.git_pending.contains(&self.conversation) && since.elapsed() < GIT_LIMIT
    }

    fn tell_notices(&self, front: &mut Front, snapshot: &Snapshot, out: &mut Out) -> Result<(), Failure> {
        for notice in front.new_notices(snapshot) {
            // What is about this conversation is told as an event of its own.
            if notice.conversation == Some(self.conversation) {
                continue;
            }
            if self.turn.is_none() && is_trouble(&notice) {
                return Err(Failure::new(DATABASE, notice_line(&notice)));
            }
            if self.json {
                out.json(&json!({ "event": "notice", "level": notice.level, "text": notice_line(&notice) }))?;
            } else {
                out.note(&format!("notice: {}", notice_line(&notice)));
            }
        }
        Ok(())
    }

    fn tell_begin(&mut self, view: &ConversationView, turn: &TurnRow, out: &mut Out) -> Result<(), Failure> {
        if self.turn.is_none() {
            self.turn = Some(turn.turn);
            if self.json {
                out.json(&json!({
                    "event": "started",
                    "conversation": self.conversation,
                    "turn": turn.turn,
                    "message": turn.user_message,
                    "project": view.row.conversation.project,
                    "engine": turn.seat.engine,
                    "model": turn.seat.model,
                    "role": turn.seat.role,
                }))?;
            }
            self.model.clone_from(&turn.seat.model);
        }
        if let Some(report) = turn.report.as_ref().filter(|_| !self.has_report) {
            self.has_report = true;
            if self.json {
                out.json(&words::context_event(report))?;
            }
        }
        Ok(())
    }

    fn tell_message(&mut self, message: &Message, out: &mut Out) -> Result<(), Failure> {
        if let Author::Agent { model: Some(model), .. } = &message.author
            && self.model.as_ref() != Some(model)
        {
            self.model = Some(model.clone());
            if self.json {
                out.json(&json!({ "event": "model", "model": model }))?;
            }
        }
        for said in self.follow.step(&message.items) {
            if self.json {
                out.json(&words::said(&said))?;
            } else {
                self.plain.said(&said, out)?;
            }
        }
        if let Some(usage) = message.usage.as_ref().filter(|usage| self.usage.as_ref() != Some(*usage)) {
            self.usage = Some(usage.clone());
            if self.json {
                out.json(&words::usage_event(usage))?;
            }
        }
        Ok(())
    }

    fn tell_limits(&mut self, snapshot: &Snapshot, out: &mut Out) -> Result<(), Failure> {
        for limit in limits(snapshot, self.conversation) {
            if self.limits.contains(&limit) {
                continue;
            }
            self.limits.retain(|old| old.kind != limit.kind);
            if self.json {
                out.json(&words::limit_event(&limit))?;
            } else if limit.reached {
                out.note(&format!("limit reached: {}", limit.kind));
            }
            self.limits.push(limit);
        }
        Ok(())
    }

    fn tell_end(
        &mut self,
        turn: &TurnRow,
        message: &Message,
        snapshot: &Snapshot,
        out: &mut Out,
    ) -> Result<Result<(), Failure>, Failure> {
        if !self.json {
            self.plain.end(out)?;
        }
        if let Some(failure) = &turn.failure {
            if self.json {
                out.json(&words::failed_event(failure))?;
                out.flush()?;
            }
            let lost = failure.kind == FailureKind::Internal && snapshot.app.database != DatabaseStatus::Ok;
            let code = if lost { DATABASE } else { ENGINE_FAILED };
            return Ok(Err(Failure::new(code, failure_line(failure))));
        }
        if self.json {
            out.json(&json!({
                "event": "finished",
                "state": turn.state.word(),
                "conversation": self.conversation,
                "message": message.id,
                "text": message.plain_text(),
                "duration_ms": message.duration_ms,
            }))?;
            out.flush()?;
        }
        Ok(if turn.state == TurnState::Done {
            Ok(())
        } else {
            Err(Failure::new(STOPPED, "Stopped. What came is kept; send again to go on."))
        })
    }

    /// The ended answer's page is not loaded: ask for it.
    fn fetch(&self, front: &Front, view: &ConversationView, turn: &TurnRow) -> Result<(), Failure> {
        let place = view.index.iter().rposition(|entry| Some(entry.id) == turn.answer);
        let Some(place) = place.and_then(|place| u32::try_from(place).ok()) else { return Ok(()) };
        front.send(ChatCommand::LoadPage { conversation: self.conversation, page: place / PAGE_LEN })
    }

    fn open_question(&self, snapshot: &Snapshot) -> Option<Arc<AskRow>> {
        let view = snapshot.view(self.conversation)?;
        view.asks.iter().find(|ask| !self.answered.contains(&ask.request.ask)).cloned()
    }

    async fn answer(
        &mut self,
        front: &mut Front,
        asked: &AskRow,
        out: &mut Out,
        stops: &mut Stops,
    ) -> Result<(), Failure> {
        let decision = match self.permissions {
            Permissions::Allow => Decision::AllowOnce,
            Permissions::Deny => Decision::Deny { comment: NOBODY.into() },
            Permissions::Ask => {
                out.flush()?;
                let typed = self.typed.get_or_insert_with(Typed::new);
                typed.forget();
                prompt(&question(asked));
                tokio::select! {
                    line = typed.line() => match line.as_deref().map(str::trim) {
                        Some("y" | "Y" | "yes") => Decision::AllowOnce,
                        _ => Decision::Deny { comment: String::new() },
                    },
                    () = gone(front, asked) => {
                        self.answered.insert(asked.request.ask.clone());
                        out.note("\nthe agent does not wait for an answer any more");
                        return Ok(());
                    }
                    () = stops.asked(), if self.stop_by.is_none() => return self.stop(front),
                }
            }
        };
        self.answered.insert(asked.request.ask.clone());
        front.send(ChatCommand::Answer { turn: asked.turn, ask: asked.request.ask.clone(), decision })
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// What, why and what to do in one line. The end of the detail is told only where the message does not say it.
fn failure_line(failure: &TurnFailure) -> String {
    let message = failure.message.trim();
    let stop = if message.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    let last = failure.detail.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let tells_more = !matches!(failure.kind, FailureKind::NotInstalled | FailureKind::FolderMissing);
    let is_said = |line: &str| {
        message.contains(line.trim_end_matches('.')) || line.starts_with(message.trim_end_matches('…'))
    };
    let detail = last.filter(|line| tells_more && !is_said(line));
    let detail = detail.map(|line| format!(" ({line})")).unwrap_or_default();
    one_line(&format!("{message}{stop} {}{detail}", failure.hint), 1_000)
}

/// The answer of a turn: being written, or among the finished.
fn answer_of(view: &ConversationView, turn: &TurnRow) -> Option<Arc<Message>> {
    let id = turn.answer?;
    if let Some(live) = view.live.iter().find(|message| message.id == id) {
        return Some(live.clone());
    }
    let place = view.place_of(id)?;
    view.message(place).cloned()
}

fn limits(snapshot: &Snapshot, conversation: ConversationId) -> Vec<LimitInfo> {
    let Some(view) = snapshot.view(conversation) else { return Vec::new() };
    let engine = &view.row.conversation.seat.engine;
    let row = snapshot.engines.iter().find(|row| row.info.id == *engine);
    row.map_or_else(Vec::new, |row| row.limits.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_once_in_one_line() {
        use FailureKind as K;
        for (kind, message, detail, expected) in [
            (K::Crashed, "X ended: it broke", "x -p\nit broke", "X ended: it broke. Try again."),
            (K::Crashed, "X ended.", "x -p\nX ended.", "X ended. Try again."),
            (K::Other, "Refused", "code 7", "Refused. Try again. (code 7)"),
            (K::NotInstalled, "X is not there.", "/bin\n/opt", "X is not there. Try again."),
            (K::Other, "It is too lo…", "It is too long.", "It is too lo… Try again."),
            (K::Network, "a\nb", "", "a b. Try again."),
        ] {
            let failure = TurnFailure {
                kind,
                message: message.into(),
                hint: "Try again.".into(),
                detail: detail.into(),
                resets_at_ms: None,
            };
            assert_eq!(failure_line(&failure), expected);
        }
    }
}
