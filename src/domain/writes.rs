//! Keeping: every change goes out as a ticketed write; a failed one is shown and tried again.

use std::mem;

use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::state::{AppState, KeptWrite, WriteMark, Writes};
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

    pub(in crate::domain) fn write_marked(
        &mut self,
        batch: Vec<StoreWrite>,
        mut mark: WriteMark,
        out: &mut Vec<Effect>,
    ) {
        if batch.is_empty() {
            return;
        }
        mark.messages = batch.iter().filter_map(message_of).collect();
        if self.writes.failed.is_empty() {
            return self.issue(batch, mark, out);
        }
        // Order matters: behind a failed write nothing may overtake it.
        let ticket = self.next_ticket();
        self.keep_for_later(ticket, batch, mark, "earlier changes could not be saved", out);
    }

    fn issue(&mut self, batch: Vec<StoreWrite>, mut mark: WriteMark, out: &mut Vec<Effect>) {
        let ticket = self.next_ticket();
        mark.batch.clone_from(&batch);
        self.writes.waiting.insert(ticket, mark);
        out.push(Effect::Write { ticket, batch });
    }

    fn next_ticket(&mut self) -> u64 {
        let ticket = self.writes.next_ticket;
        self.writes.next_ticket += 1;
        ticket
    }

    /// Joins what failed. A turn that hung on it is not begun.
    fn keep_for_later(
        &mut self,
        ticket: u64,
        mut batch: Vec<StoreWrite>,
        mut mark: WriteMark,
        why: &str,
        out: &mut Vec<Effect>,
    ) {
        self.set_unsaved(&mark.messages, true);
        batch.retain(|write| !self.writes.is_forgotten(write));
        push_compacted(&mut self.writes.failed, ticket, batch);
        let start = mark.start.take();
        let checkout = mark.checkout.take();
        self.writes.failed_marks.push(mark);
        if let Some(checkout) = checkout {
            self.checkout_unsaved(*checkout, why, out);
        }
        if let Some(turn) = start {
            self.refuse_unsaved(turn, why);
        }
    }

    pub(in crate::domain) fn written(
        &mut self,
        ticket: u64,
        result: Result<(), String>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let Some(mut mark) = self.writes.waiting.remove(&ticket) else { return };
        // An index or a page on its way may have been read just before this was done.
        for (conversation, _) in &mark.messages {
            if let Some(view) = self.view_mut(*conversation) {
                view.outdated |= view.loading;
                view.asked_again.clear();
            }
        }
        if mark.batch.iter().any(is_known) {
            for known in self.knowledge.values_mut() {
                known.outdated |= known.waiting.is_some();
            }
        }
        match result {
            Ok(()) if self.writes.failed.is_empty() => {
                self.set_unsaved(&mark.messages, false);
                self.writes_work_again();
                for conversation in mem::take(&mut mark.reload) {
                    self.reload_view(conversation, out);
                }
                if let Some(checkout) = mark.checkout.take() {
                    self.checkout_saved(*checkout, cx, out);
                }
                // At the end of the program nothing is begun any more.
                if let Some(turn) = mark.start.filter(|_| !self.quitting) {
                    self.start_turn(turn, cx, out);
                }
            }
            Ok(()) => {
                // It overtook one that failed: it is written again behind that one, so that the newest wins.
                let mut batch = mem::take(&mut mark.batch);
                batch.retain(|write| !matches!(write, StoreWrite::AppendTurnEvent { .. }));
                self.keep_for_later(ticket, batch, mark, "an earlier change could not be saved", out);
            }
            Err(why) => {
                let batch = mem::take(&mut mark.batch);
                self.keep_for_later(ticket, batch, mark, &why, out);
                // Nothing is left to be tried when all of it belonged to a project that was removed.
                if !self.writes.failed.is_empty() {
                    self.writes_fail(&why, cx);
                }
            }
        }
    }

    /// Tries everything that failed again, as one batch, when nothing else is under way that it could overtake.
    pub(in crate::domain) fn retry_failed_writes(&mut self, out: &mut Vec<Effect>) {
        use crate::api::snapshot::DatabaseStatus;
        let held = matches!(self.status.database, DatabaseStatus::Damaged { .. });
        if !held && self.writes.waiting.is_empty() {
            self.retry_now(out);
        }
    }

    /// At the end of the program there is no later.
    pub(in crate::domain) fn retry_now(&mut self, out: &mut Vec<Effect>) {
        if self.writes.failed.is_empty() {
            return;
        }
        let batch = mem::take(&mut self.writes.failed).into_iter().map(|kept| kept.write).collect();
        let mut whole = WriteMark::default();
        for mark in mem::take(&mut self.writes.failed_marks) {
            whole.messages.extend(mark.messages);
            whole.reload.extend(mark.reload);
        }
        whole.messages.sort_unstable();
        whole.messages.dedup();
        whole.reload.sort_unstable();
        whole.reload.dedup();
        self.issue(batch, whole, out);
    }

    /// Writes, and reads the conversation afresh when it is done.
    pub(in crate::domain) fn write_then_reload(
        &mut self,
        batch: Vec<StoreWrite>,
        conversation: ConversationId,
        out: &mut Vec<Effect>,
    ) {
        self.write_marked(batch, WriteMark { reload: vec![conversation], ..WriteMark::default() }, out);
    }

    /// Changes that a reader of the store cannot see yet, oldest first.
    pub(in crate::domain) fn unwritten(&self) -> impl Iterator<Item = &StoreWrite> {
        let waiting = self.writes.waiting.values().flat_map(|mark| mark.batch.iter());
        self.writes.failed.iter().map(|kept| &kept.write).chain(waiting)
    }

    /// A write that can never work again would hold up all that come after it.
    pub(in crate::domain) fn forget_writes(&mut self, conversation: ConversationId, live: Option<TurnId>) {
        let turns: Vec<TurnId> = self
            .unwritten()
            .filter_map(|write| match write {
                StoreWrite::PutTurn(turn) if turn.conversation == conversation => Some(turn.id),
                _ => None,
            })
            .collect();
        self.writes.forgotten.insert(conversation);
        self.writes.forgotten_turns.extend(turns.into_iter().chain(live));
        let mut failed = mem::take(&mut self.writes.failed);
        failed.retain(|kept| !self.writes.is_forgotten(&kept.write));
        self.writes.failed = failed;
    }

    /// Puts an ended turn behind the write it hung on.
    pub(in crate::domain) fn add_failed(&mut self, batch: Vec<StoreWrite>) {
        let ticket = self.next_ticket();
        push_compacted(&mut self.writes.failed, ticket, batch);
    }

    fn writes_fail(&mut self, why: &str, cx: &mut Cx<'_>) {
        use crate::api::snapshot::DatabaseStatus;
        // Told once, however often it is tried.
        if self.status.database != DatabaseStatus::Ok {
            return;
        }
        self.status.database = DatabaseStatus::WritesFail { why: why.to_owned() };
        self.dirty.app = true;
        let body = format!("{why} What is shown as unsaved is tried again until it works.");
        self.trouble("Changes cannot be saved".into(), body, cx);
    }

    fn writes_work_again(&mut self) {
        use crate::api::snapshot::DatabaseStatus;
        if self.writes.failed.is_empty() && matches!(self.status.database, DatabaseStatus::WritesFail { .. })
        {
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

impl Writes {
    fn is_forgotten(&self, write: &StoreWrite) -> bool {
        use StoreWrite as W;
        match write {
            W::PutConversation(row) => self.forgotten.contains(&row.id),
            W::PutMessage(row) => self.forgotten.contains(&row.conversation),
            W::PutTurn(row) => self.forgotten.contains(&row.conversation),
            W::PutSession(row) => self.forgotten.contains(&row.conversation),
            W::PutQueued(row) => self.forgotten.contains(&row.conversation),
            W::PutDraft { conversation, .. } => self.forgotten.contains(conversation),
            W::AppendTurnEvent { turn, .. } | W::PutPack { turn, .. } => self.forgotten_turns.contains(turn),
            W::PutTopic(row) => self.forgotten.contains(&row.conversation),
            W::PutLink(row) => {
                self.forgotten.contains(&row.conversation) || self.forgotten.contains(&row.linked)
            }
            W::PutPlan(row) => self.forgotten_projects.contains(&row.project),
            W::PutFinding(row) => self.forgotten_projects.contains(&row.project),
            W::PutAgreement(row) => self.forgotten_projects.contains(&row.project),
            W::PutArtifact(row) => self.forgotten_projects.contains(&row.project),
            W::PutSkillSwitch(row) => self.forgotten_projects.contains(&row.project),
            W::RemovePlan(_)
            | W::RemoveFinding(_)
            | W::RemoveAgreement(_)
            | W::RemoveArtifact(_)
            | W::RemoveTopic(_)
            | W::RemoveLink { .. }
            | W::RemoveSkillSwitch { .. }
            | W::PutProject(_)
            | W::RemoveProject(_)
            | W::SetConversationDeleted { .. }
            | W::SetMessagesDeleted { .. }
            | W::DropSession { .. }
            | W::DropSessions { .. }
            | W::RemoveQueued(_)
            | W::PutSetting { .. } => false,
        }
    }
}

/// What an adoption changes of what a project keeps.
fn is_known(write: &StoreWrite) -> bool {
    use StoreWrite as W;
    matches!(write, W::PutAgreement(_) | W::RemoveAgreement(_) | W::PutLink(_) | W::RemoveLink { .. })
}

fn message_of(write: &StoreWrite) -> Option<(ConversationId, MessageId)> {
    match write {
        StoreWrite::PutMessage(message) => Some((message.conversation, message.id)),
        _ => None,
    }
}

/// Puts the batch in its place in line. Of several states of a row the newest is kept, where the first one stood,
/// so the list stays bounded.
fn push_compacted(list: &mut Vec<KeptWrite>, ticket: u64, batch: Vec<StoreWrite>) {
    for write in batch {
        let mut kept = KeptWrite { place: ticket, version: ticket, write };
        if let Some(at) = list.iter().position(|other| same_row(&other.write, &kept.write)) {
            let other = list.remove(at);
            kept.place = other.place.min(ticket);
            if other.version > ticket {
                kept.version = other.version;
                kept.write = other.write;
            }
            // Where it stood, unless it moves forward: within a batch the order is kept.
            if other.place <= ticket {
                list.insert(at, kept);
                continue;
            }
        }
        let at = list.partition_point(|other| other.place <= kept.place);
        list.insert(at, kept);
    }
}

fn same_row(old: &StoreWrite, new: &StoreWrite) -> bool {
    use StoreWrite as W;
    match (old, new) {
        (W::PutMessage(old), W::PutMessage(new)) => old.id == new.id,
        (W::PutConversation(old), W::PutConversation(new)) => old.id == new.id,
        (W::PutTurn(old), W::PutTurn(new)) => old.id == new.id,
        (W::PutPack { turn: old, .. }, W::PutPack { turn: new, .. }) => old == new,
        (W::PutPlan(old), W::PutPlan(new)) => old.id == new.id,
        (W::PutFinding(old), W::PutFinding(new)) => old.id == new.id,
        (W::PutAgreement(old), W::PutAgreement(new)) => old.id == new.id,
        (W::PutArtifact(old), W::PutArtifact(new)) => old.id == new.id,
        (W::PutTopic(old), W::PutTopic(new)) => old.id == new.id,
        (W::PutDraft { conversation: old, .. }, W::PutDraft { conversation: new, .. }) => old == new,
        (W::PutSetting { name: old, .. }, W::PutSetting { name: new, .. }) => old == new,
        _ => false,
    }
}
