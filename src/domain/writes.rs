//! Keeping: every change goes out as a ticketed write; a failed one is shown and tried again.

use std::mem;

use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::state::{AppState, WriteMark};
use crate::model::id::{ConversationId, MessageId, TurnId};
use crate::model::record::StoreWrite;
use crate::model::turn::{FailureKind, TurnFailure};

impl AppState {
    /// Writes without anything hanging on it.
    pub(in crate::domain) fn write(&mut self, batch: Vec<StoreWrite>, out: &mut Vec<Effect>) {
        self.write_marked(batch, WriteMark::default(), out);
    }

    /// Writes, and starts `turn` when it is kept.
    pub(in crate::domain) fn write_then_start(
        &mut self,
        batch: Vec<StoreWrite>,
        turn: TurnId,
        out: &mut Vec<Effect>,
    ) {
        self.write_marked(batch, WriteMark { start: Some(turn), ..WriteMark::default() }, out);
    }

    fn write_marked(&mut self, batch: Vec<StoreWrite>, mut mark: WriteMark, out: &mut Vec<Effect>) {
        if batch.is_empty() {
            return;
        }
        mark.messages = batch.iter().filter_map(message_of).collect();
        if !self.writes.failed.is_empty() {
            // Order matters: behind a failed write nothing may overtake it.
            self.set_unsaved(&mark.messages, true);
            if let Some(turn) = mark.start.take() {
                self.refuse_unsaved(turn, "earlier changes could not be saved");
            }
            push_compacted(&mut self.writes.failed, batch);
            self.writes.failed_marks.push(mark);
            return;
        }
        self.issue(batch, mark, out);
    }

    fn issue(&mut self, batch: Vec<StoreWrite>, mut mark: WriteMark, out: &mut Vec<Effect>) {
        let ticket = self.writes.next_ticket;
        self.writes.next_ticket += 1;
        mark.batch.clone_from(&batch);
        self.writes.waiting.insert(ticket, mark);
        out.push(Effect::Write { ticket, batch });
    }

    pub(in crate::domain) fn written(
        &mut self,
        ticket: u64,
        result: Result<(), String>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let Some(mut mark) = self.writes.waiting.remove(&ticket) else { return };
        self.writes.retrying = false;
        match result {
            Ok(()) => {
                self.set_unsaved(&mark.messages, false);
                self.writes_work_again();
                if let Some(turn) = mark.start {
                    self.start_turn(turn, cx, out);
                }
            }
            Err(why) => {
                let first = self.writes.failed.is_empty();
                self.set_unsaved(&mark.messages, true);
                if let Some(turn) = mark.start.take() {
                    self.refuse_unsaved(turn, &why);
                }
                let batch = mem::take(&mut mark.batch);
                push_compacted(&mut self.writes.failed, batch);
                self.writes.failed_marks.push(mark);
                if first {
                    self.writes_fail(&why, cx);
                }
            }
        }
    }

    /// Tries everything that failed again, as one batch.
    pub(in crate::domain) fn retry_failed_writes(&mut self, out: &mut Vec<Effect>) {
        if self.writes.failed.is_empty() || self.writes.retrying {
            return;
        }
        self.writes.retrying = true;
        let batch = mem::take(&mut self.writes.failed);
        let marks = mem::take(&mut self.writes.failed_marks);
        let messages = marks.into_iter().flat_map(|mark| mark.messages).collect();
        self.issue(batch, WriteMark { messages, ..WriteMark::default() }, out);
    }

    fn writes_fail(&mut self, why: &str, cx: &mut Cx<'_>) {
        use crate::api::snapshot::DatabaseStatus;
        if !matches!(self.status.database, DatabaseStatus::Damaged { .. }) {
            self.status.database = DatabaseStatus::WritesFail { why: why.to_owned() };
        }
        self.dirty.app = true;
        let body = format!("{why} What is shown as unsaved is tried again until it works.");
        self.trouble("Changes cannot be saved".into(), body, cx);
    }

    fn writes_work_again(&mut self) {
        use crate::api::snapshot::DatabaseStatus;
        if self.writes.failed.is_empty() && matches!(self.status.database, DatabaseStatus::WritesFail { .. }) {
            self.status.database = DatabaseStatus::Ok;
            self.dirty.app = true;
        }
    }

    /// Nothing is sent that is not kept: the turn ends before it began, the words stay on screen.
    fn refuse_unsaved(&mut self, turn: TurnId, why: &str) {
        let failure = TurnFailure {
            kind: FailureKind::Internal,
            message: format!("Not sent, because it could not be saved: {why}"),
            hint: "Free disk space, then retry. The message stays here meanwhile.".into(),
            detail: String::new(),
            resets_at_ms: None,
        };
        self.fail_unstarted(turn, failure);
    }

    fn set_unsaved(&mut self, messages: &[(ConversationId, MessageId)], unsaved: bool) {
        for (conversation, message) in messages {
            self.mark_unsaved(*conversation, *message, unsaved);
        }
    }
}

fn message_of(write: &StoreWrite) -> Option<(ConversationId, MessageId)> {
    match write {
        StoreWrite::PutMessage(message) => Some((message.conversation, message.id)),
        _ => None,
    }
}

/// Appends; a newer state of the same message takes the older one's place, so the list stays bounded while it streams.
fn push_compacted(list: &mut Vec<StoreWrite>, batch: Vec<StoreWrite>) {
    for write in batch {
        if let StoreWrite::PutMessage(new) = &write
            && let Some(old) =
                list.iter_mut().find(|old| matches!(old, StoreWrite::PutMessage(old) if old.id == new.id))
        {
            *old = write;
        } else {
            list.push(write);
        }
    }
}
