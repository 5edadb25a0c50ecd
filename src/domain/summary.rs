//! Drafts of what is adopted: an agent's summary, and what needs no agent. Nothing here is ever written.

use std::sync::Arc;

use crate::api::summary::{SummaryRequest, SummaryState, SummaryView};
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::state::AppState;
use crate::model::branch::{BranchStatus, SummarySource};
use crate::model::id::{ConversationId, TurnId};
use crate::model::project::SeatChoice;
use crate::model::summary::{SUMMARY_MAX_CHARS, SummaryEvent, SummarySources, SummarySpec, Unwritten, fit};
use crate::model::turn::{FailureKind, TurnFailure, Usage};

/// A branch about to be adopted.
#[derive(Debug, Default)]
pub(in crate::domain) struct Drafting {
    sources: Option<Arc<SummarySources>>,
    error: Option<String>,
    /// How the branch stood when its sources were read; `None` = they were not asked for.
    sources_of: Option<Stamp>,
    reading: bool,
    run: Option<Run>,
}

/// One request to an agent.
#[derive(Debug)]
struct Run {
    id: TurnId,
    /// How the branch stood when it began.
    of: Stamp,
    archived: bool,
    request: SummaryRequest,
}

/// Changes when a branch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    messages: u32,
    live: bool,
    /// The newest ended turn, once it is known.
    turn: Option<TurnId>,
}

impl Stamp {
    fn differs(self, other: Self) -> bool {
        let turns = self.turn.zip(other.turn).is_some_and(|(a, b)| a != b);
        self.messages != other.messages || self.live != other.live || turns
    }
}

impl Drafting {
    fn running(&self) -> Option<TurnId> {
        let run = self.run.as_ref().filter(|run| run.request.state == SummaryState::Running)?;
        Some(run.id)
    }
}

impl AppState {
    pub(in crate::domain) fn read_sources(
        &mut self,
        branch: ConversationId,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        self.branch_there(branch)?;
        let stamp = self.stamp(branch);
        let draft = self.summaries.entry(branch).or_default();
        draft.sources_of = stamp;
        draft.reading = true;
        out.push(Effect::LoadSources { branch, unwritten: self.unwritten_of(branch) });
        self.dirty.summaries = true;
        Ok(())
    }

    pub(in crate::domain) fn sources_loaded(
        &mut self,
        branch: ConversationId,
        result: Result<SummarySources, String>,
    ) {
        let Some(draft) = self.summaries.get_mut(&branch) else { return };
        draft.reading = false;
        match result {
            Ok(sources) => {
                draft.sources = Some(Arc::new(sources));
                draft.error = None;
            }
            Err(why) => draft.error = Some(why),
        }
        self.dirty.summaries = true;
        self.dirty.urgent = true;
    }

    pub(in crate::domain) fn summarise(
        &mut self,
        branch: ConversationId,
        seat: Option<SeatChoice>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        if self.looks_only {
            return Err("Another tunaflow is running; this one only looks.".to_owned());
        }
        let (parent, own, archived) = self.branch_there(branch)?;
        let Some(of) = self.stamp(branch) else { return Err("The branch is gone.".to_owned()) };
        if of.live {
            return Err("An agent is still answering in the branch. Stop it or let it end first.".to_owned());
        }
        if self.summaries.get(&branch).is_some_and(|draft| draft.running().is_some()) {
            return Err("It is being summarised already.".to_owned());
        }
        let seat = seat.unwrap_or(own);
        let run = TurnId(cx.ids.next_id());
        let mut request = SummaryRequest {
            agent: self.engine_name(&seat.engine),
            seat: seat.clone(),
            state: SummaryState::Running,
            part: 0,
            parts: 0,
            text: String::new(),
            whole: None,
            usage: None,
            failure: None,
            outdated: false,
        };
        if of.messages == 0 {
            request.state = SummaryState::Failed;
            request.failure = Some(nothing_said());
        } else {
            let unwritten = self.unwritten_of(branch);
            let spec = SummarySpec { run, branch, parent, seat, unwritten };
            out.push(Effect::Summarise(Box::new(spec)));
        }
        self.summaries.entry(branch).or_default().run = Some(Run { id: run, of, archived, request });
        self.dirty.summaries = true;
        Ok(())
    }

    /// What the runtime tells; of a request that was stopped nothing is heard any more.
    pub(in crate::domain) fn summary_told(
        &mut self,
        branch: ConversationId,
        id: TurnId,
        event: SummaryEvent,
    ) {
        let run = self.summaries.get_mut(&branch).filter(|draft| draft.running() == Some(id));
        let Some(run) = run.and_then(|draft| draft.run.as_mut()) else { return };
        let request = &mut run.request;
        self.dirty.summaries = true;
        self.dirty.urgent |= !matches!(event, SummaryEvent::Text(_));
        match event {
            SummaryEvent::Part { part, parts } => {
                (request.part, request.parts) = (part, parts);
                request.text.clear();
            }
            SummaryEvent::Text(text) => request.text = text,
            SummaryEvent::Usage(usage) => request.usage = Some(usage),
            SummaryEvent::Done(text) => {
                (request.text, request.whole) = fit(&text, SUMMARY_MAX_CHARS);
                request.state = SummaryState::Done;
            }
            SummaryEvent::Failed(failure) => {
                request.text.clear();
                request.failure = Some(failure);
                request.state = SummaryState::Failed;
            }
        }
    }

    pub(in crate::domain) fn stop_summary(&mut self, branch: ConversationId, out: &mut Vec<Effect>) {
        let Some(draft) = self.summaries.get_mut(&branch) else { return };
        // It may have ended a moment ago: then there is nothing to stop.
        let Some(run) = draft.running() else { return };
        out.push(Effect::StopSummary { run });
        if let Some(run) = &mut draft.run {
            run.request.state = SummaryState::Stopped;
            run.request.text.clear();
        }
        self.dirty.summaries = true;
        self.dirty.urgent = true;
    }

    pub(in crate::domain) fn drop_summary(&mut self, branch: ConversationId, out: &mut Vec<Effect>) {
        self.stop_summary(branch, out);
        self.dirty.summaries |= self.summaries.remove(&branch).is_some();
    }

    /// What the draft of an agent took, for the card.
    pub(in crate::domain) fn summary_usage(
        &self,
        branch: ConversationId,
        source: SummarySource,
    ) -> Option<Usage> {
        let run = self.summaries.get(&branch)?.run.as_ref().filter(|_| source == SummarySource::Agent)?;
        (run.request.state == SummaryState::Done).then(|| run.request.usage.clone())?
    }

    /// After each input: a branch that is gone, put away or adopted is summarised no longer; one that went on makes
    /// its draft old.
    pub(in crate::domain) fn tend_summaries(&mut self, out: &mut Vec<Effect>) {
        let known: Vec<ConversationId> = self.summaries.keys().copied().collect();
        for branch in known {
            let row = self.conversations.get(&branch).filter(|state| !state.deleted).map(|state| &state.row);
            let Some(row) = row.filter(|row| row.branch_status() != Some(BranchStatus::Adopted)) else {
                self.drop_summary(branch, out);
                continue;
            };
            let put_away = row.archived;
            let was = |draft: &Drafting| draft.run.as_ref().is_some_and(|run| run.archived);
            if put_away && !self.summaries.get(&branch).is_some_and(was) {
                self.stop_summary(branch, out);
            }
            self.mark_old(branch, out);
        }
    }

    fn mark_old(&mut self, branch: ConversationId, out: &mut Vec<Effect>) {
        let Some(now) = self.stamp(branch) else { return };
        let Some(draft) = self.summaries.get_mut(&branch) else { return };
        if let Some(run) = draft.run.as_mut().filter(|run| !run.request.outdated && run.of.differs(now)) {
            run.request.outdated = true;
            self.dirty.summaries = true;
        }
        let changed = draft.sources_of.is_some_and(|then| then.differs(now));
        if changed && !draft.reading && !now.live {
            // The branch is there, or it would have no stamp.
            drop(self.read_sources(branch, out));
        }
    }

    fn stamp(&self, branch: ConversationId) -> Option<Stamp> {
        let state = self.conversations.get(&branch)?;
        let turn = state.last.as_ref().map(|last| last.turn);
        Some(Stamp { messages: state.row.message_count, live: state.live.is_some(), turn })
    }

    /// Its parent, its own seat, and whether it is put away. A branch that is adopted needs no draft.
    fn branch_there(&self, id: ConversationId) -> Result<(ConversationId, SeatChoice, bool), String> {
        let row = self.there(id)?;
        let Some(branch) = &row.branch else { return Err("This conversation is not a branch.".to_owned()) };
        if row.branch_status() == Some(BranchStatus::Adopted) {
            return Err("It has been adopted already.".to_owned());
        }
        Ok((branch.parent, row.seat.clone(), row.archived))
    }

    fn unwritten_of(&self, branch: ConversationId) -> Unwritten {
        let (newer, gone) = self.unwritten_messages(branch);
        let newer = newer.into_values().map(Arc::unwrap_or_clone).collect();
        Unwritten { newer, gone: gone.into_iter().collect() }
    }

    pub(in crate::domain) fn summary_views(&self) -> Arc<[Arc<SummaryView>]> {
        let view = |(branch, draft): (&ConversationId, &Drafting)| {
            Arc::new(SummaryView {
                branch: *branch,
                sources: draft.sources.clone(),
                error: draft.error.clone(),
                request: draft.run.as_ref().map(|run| Arc::new(run.request.clone())),
            })
        };
        self.summaries.iter().map(view).collect()
    }
}

/// The end of a request for a branch in which nobody said anything.
pub fn nothing_said() -> TurnFailure {
    TurnFailure {
        kind: FailureKind::Other,
        message: "There is nothing to summarise: nothing was said in this branch.".to_owned(),
        hint: "Say something in it first, or use your own words.".to_owned(),
        detail: String::new(),
        resets_at_ms: None,
    }
}
