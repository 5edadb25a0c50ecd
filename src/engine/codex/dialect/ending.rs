//! How a turn comes to its end: completed, failed, stopped, or left alone.

use std::time::Duration;

use serde_json::{Value, json};

use crate::engine::codex::dialect::{CodexDialect, Sent};
use crate::engine::codex::outcome::{failed, kind};
use crate::engine::failure::{Gone, failure, gone};
use crate::engine::wire::{is_true, list_at, one_line, str_at, text_at};
use crate::engine::{SeatExit, SeatOutput, TimerId};
use crate::model::message::ToolState;
use crate::model::turn::{FailureKind, StopReason, TurnEvent, TurnFailure};

/// How long a cancelled turn may take to end by itself.
const CANCEL_GRACE: Duration = Duration::from_secs(2);
/// How long after a final error the turn's own end may take.
const ERROR_GRACE: Duration = Duration::from_secs(5);
/// How long Codex may wait for the network; by itself it waits for ever.
const NETWORK_GRACE: Duration = Duration::from_secs(30);
impl CodexDialect {
    pub(super) fn completed(&mut self, params: &Value, out: &mut SeatOutput) {
        let Some(turn) = self.turn.as_mut() else { return };
        let told = params.get("turn").unwrap_or(&Value::Null);
        // A summary of the last items: what was lost on the way is made good.
        for item in list_at(told, "/items") {
            turn.show(item, true, out);
        }
        let cancelled = turn.cancel.is_some();
        let last = match str_at(told, "/status") {
            Some("interrupted") => TurnEvent::Finished(StopReason::Cancelled),
            Some("failed") if cancelled => TurnEvent::Finished(StopReason::Cancelled),
            Some("failed") => {
                let error = told.get("error").filter(|error| !error.is_null()).cloned();
                let error = error.or_else(|| turn.error.take()).unwrap_or_default();
                TurnEvent::Failed(failed(&self.info, &error))
            }
            _ => TurnEvent::Finished(StopReason::Completed),
        };
        self.end(last, out);
    }

    pub(super) fn errored(&mut self, params: &Value, out: &mut SeatOutput) {
        let Some(turn) = self.turn.as_mut() else { return };
        let error = params.get("error").unwrap_or(&Value::Null);
        if !is_true(params, "/willRetry") {
            turn.error = Some(error.clone());
            if turn.error_timer.is_none() {
                let timer = self.timer(ERROR_GRACE, out);
                if let Some(turn) = self.turn.as_mut() {
                    turn.error_timer = Some(timer);
                }
            }
            return;
        }
        // The item that broke off is sent again from its start.
        turn.book.void_open_texts();
        turn.retries += 1;
        out.events.push(TurnEvent::Phase(retry_phase(&text_at(error, "/message"))));
        if turn.network.is_none()
            && kind(error) == FailureKind::Network
            && text_at(error, "/message").contains("waiting")
        {
            turn.error = Some(error.clone());
            let timer = self.timer(NETWORK_GRACE, out);
            if let Some(turn) = self.turn.as_mut() {
                turn.network = Some(timer);
            }
            return;
        }
        // A refused login is tried ten times otherwise. The first retry is left to a token that is renewed.
        if turn.retries > 1 && kind(error) == FailureKind::NotLoggedIn {
            let failure = failed(&self.info, error);
            self.fail(failure, out);
            out.retire = true;
        }
    }

    pub(super) fn fail(&mut self, failure: TurnFailure, out: &mut SeatOutput) {
        out.retire |= matches!(failure.kind, FailureKind::SessionLost | FailureKind::NotLoggedIn);
        self.end(TurnEvent::Failed(failure), out);
    }

    /// The last event of a turn, after everything that still hangs was told.
    pub(super) fn end(&mut self, last: TurnEvent, out: &mut SeatOutput) {
        let Some(mut turn) = self.turn.take() else { return };
        for ask in self.asks.take_all() {
            out.events.push(TurnEvent::PermissionGone { ask });
        }
        // An interrupted or failed turn leaves its running command behind; it dies only with the server.
        out.retire |= turn.book.tool_runs();
        if let TurnEvent::Failed(failure) = &last {
            out.retire |= matches!(failure.kind, FailureKind::SessionLost | FailureKind::NotLoggedIn);
        }
        self.totals = turn.totals.or(self.totals);
        turn.book.settle_tools(ToolState::Stopped, out);
        if last == TurnEvent::Finished(StopReason::Completed) {
            out.events.extend(turn.id.take().map(TurnEvent::ForkPoint));
        }
        out.events.push(last);
    }

    pub(super) fn cancel(&mut self, out: &mut SeatOutput) {
        if self.turn.as_ref().is_none_or(|turn| turn.cancel.is_some()) {
            return;
        }
        let timer = self.timer(CANCEL_GRACE, out);
        if let Some(turn) = self.turn.as_mut() {
            turn.cancel = Some(timer);
        }
        self.interrupt(out);
    }

    pub(super) fn interrupt(&mut self, out: &mut SeatOutput) {
        let turn = self.turn.as_ref().and_then(|turn| turn.id.clone());
        if let (Some(thread), Some(turn)) = (self.thread.clone(), turn) {
            self.request(Sent::Aside, "turn/interrupt", &json!({"threadId": thread, "turnId": turn}), out);
        }
    }

    pub(super) fn deadline(&mut self, timer: TimerId, out: &mut SeatOutput) {
        let Some(turn) = self.turn.as_mut() else { return };
        if turn.cancel == Some(timer) {
            self.end(TurnEvent::Finished(StopReason::Cancelled), out);
            out.retire = true;
        } else if turn.network == Some(timer) {
            let error = turn.error.take().unwrap_or_default();
            let unreachable = failure(&self.info, FailureKind::Network, "");
            self.fail(TurnFailure { detail: text_at(&error, "/additionalDetails"), ..unreachable }, out);
            out.retire = true;
        } else if turn.error_timer == Some(timer) {
            let error = turn.error.take().unwrap_or_default();
            let failure = failed(&self.info, &error);
            self.fail(failure, out);
            out.retire = true;
        }
    }

    pub(super) fn exited(&mut self, exit: &SeatExit, out: &mut SeatOutput) {
        out.retire = true;
        if let Some(text) = self.reader.close() {
            self.heard_noise(text, out);
        }
        let Some(turn) = self.turn.as_mut() else { return };
        if turn.cancel.is_some() {
            self.end(TurnEvent::Finished(StopReason::Cancelled), out);
        } else if let Some(error) = turn.error.take() {
            let failure = failed(&self.info, &error);
            self.fail(failure, out);
        } else {
            let noise: Vec<&str> = self.noise.iter().map(String::as_str).collect();
            let failure = gone(
                &self.info,
                Gone {
                    command: &self.command,
                    version: self.seat.version.as_deref(),
                    exit,
                    noise: &noise.join("\n"),
                    spoke: self.spoke,
                },
            );
            self.fail(failure, out);
        }
    }
}

/// `Reconnecting... 2/5` becomes `Retrying 2 of 5`; other words stay.
fn retry_phase(message: &str) -> String {
    let counted = message.rsplit(' ').next().and_then(|word| word.split_once('/'));
    match counted {
        Some((attempt, most)) if attempt.parse::<u32>().is_ok() && most.parse::<u32>().is_ok() => {
            format!("Retrying {attempt} of {most}")
        }
        _ => one_line(message),
    }
}
