//! State to snapshot. Only what changed is rebuilt; the rest is shared with the snapshot before.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::api::rows::ConversationRows;
use crate::api::snapshot::{
    AppStatus, AskRow, ConversationRow, ConversationView, EngineRow, KnowledgeView, QueuedRow, Snapshot,
};
use crate::api::summary::SummaryView;
use crate::domain::state::{AppState, ConversationState, Dirty, LiveTurn, ViewState};
use crate::model::id::ConversationId;
use crate::model::project::Project;

/// The parts of the newest snapshot.
#[derive(Default)]
pub(in crate::domain) struct Cache {
    revision: u64,
    app: Option<Arc<AppStatus>>,
    projects: Arc<[Arc<Project>]>,
    conversations: ConversationRows,
    rows: BTreeMap<ConversationId, Arc<ConversationRow>>,
    engines: Arc<[Arc<EngineRow>]>,
    notices: Arc<[Arc<crate::api::notice::Notice>]>,
    asks: Arc<[Arc<AskRow>]>,
    knowledge: Arc<KnowledgeView>,
    summaries: Arc<[Arc<SummaryView>]>,
    open: BTreeMap<ConversationId, Arc<ConversationView>>,
}

impl AppState {
    /// True when a snapshot taken now would differ from the last one.
    pub fn is_changed(&self) -> bool {
        self.dirty.any() || self.views.iter().any(|view| view.dirty)
    }

    /// True when the change should be shown at once rather than with the next beat of a stream.
    pub fn is_urgent(&self) -> bool {
        self.dirty.urgent || self.dirty.asks || self.dirty.app || self.views.iter().any(|view| view.dirty)
    }

    /// The state as fronts may see it.
    pub fn snapshot(&mut self) -> Snapshot {
        let dirty = std::mem::take(&mut self.dirty);
        self.refresh(&dirty);
        self.refresh_views();
        self.view.revision += 1;
        Snapshot {
            revision: self.view.revision,
            app: self.view.app.get_or_insert_with(|| Arc::new(self.status.clone())).clone(),
            projects: self.view.projects.clone(),
            project: self.project,
            git_branch: self.git_branch.clone(),
            conversations: self.view.conversations.clone(),
            open: self
                .views
                .iter()
                .filter_map(|view| self.view.open.get(&view.conversation).cloned())
                .collect(),
            focus: self.focus,
            branch_focus: self.branch_focus,
            git_pending: self.git.pending(),
            engines: self.view.engines.clone(),
            roles: self.roles.clone(),
            personas: self.personas.clone(),
            names_of: self.names_of,
            settings: self.settings.clone(),
            knowledge: self.view.knowledge.clone(),
            summaries: self.view.summaries.clone(),
            notices: self.view.notices.clone(),
            asks: self.view.asks.clone(),
            running_turns: u32::try_from(self.turns.len()).unwrap_or(u32::MAX),
            changes: self.git.view.clone(),
        }
    }

    fn refresh(&mut self, dirty: &Dirty) {
        if dirty.app {
            self.view.app = Some(Arc::new(self.status.clone()));
        }
        if dirty.projects {
            let mut projects: Vec<Arc<Project>> = self.projects.values().cloned().map(Arc::new).collect();
            projects.sort_by_key(|project| std::cmp::Reverse(project.opened_ms));
            self.view.projects = projects.into();
        }
        if dirty.conversations || dirty.asks || dirty.projects {
            self.refresh_rows();
        }
        if dirty.engines {
            self.view.engines = self
                .engines
                .iter()
                .map(|engine| {
                    Arc::new(EngineRow {
                        info: engine.info.clone(),
                        status: engine.status.clone(),
                        limits: engine.limits.clone(),
                    })
                })
                .collect();
        }
        if dirty.notices {
            self.view.notices = self.notices.iter().cloned().collect();
        }
        if dirty.knowledge || dirty.projects {
            self.view.knowledge = self.knowledge_view();
        }
        if dirty.summaries {
            self.view.summaries = self.summary_views();
        }
        if dirty.asks || dirty.conversations {
            self.view.asks = self.ask_rows();
        }
    }

    fn refresh_rows(&mut self) {
        let mut rows = Vec::with_capacity(self.conversations.len());
        let mut kept = BTreeMap::new();
        for state in self.conversations.values().filter(|state| !state.deleted) {
            let fresh = self.conversation_row(state);
            let row = match self.view.rows.remove(&state.row.id) {
                Some(old) if *old == fresh => old,
                _ => Arc::new(fresh),
            };
            if Some(state.row.project) == self.project {
                rows.push(row.clone());
            }
            kept.insert(state.row.id, row);
        }
        rows.sort_by_key(|row| std::cmp::Reverse((row.conversation.updated_ms, row.conversation.id)));
        self.view.conversations = rows.into();
        self.view.rows = kept;
    }

    fn conversation_row(&self, state: &ConversationState) -> ConversationRow {
        let live = state.live.and_then(|turn| self.turns.get(&turn));
        ConversationRow {
            conversation: state.row.clone(),
            state: live.map_or(state.row.last_turn, |live| Some(live.record.state)),
            asks: live.map_or(0, |live| u32::try_from(live.asks.len()).unwrap_or(u32::MAX)),
            queued: u32::try_from(state.queue.len()).unwrap_or(u32::MAX),
        }
    }

    fn ask_rows(&self) -> Arc<[Arc<AskRow>]> {
        let mut asks: Vec<Arc<AskRow>> =
            self.turns.values().flat_map(|live| self.asks_of(live)).map(Arc::new).collect();
        asks.sort_by_key(|ask| ask.asked_ms);
        asks.into()
    }

    fn asks_of<'a>(&'a self, live: &'a LiveTurn) -> impl Iterator<Item = AskRow> + 'a {
        let conversation = live.record.conversation;
        live.asks.iter().map(move |ask| AskRow {
            turn: live.record.id,
            conversation,
            conversation_title: self
                .conversations
                .get(&conversation)
                .map_or_else(String::new, |state| state.row.title.clone()),
            agent: self.engine_name(&live.record.seat.engine),
            request: ask.request.clone(),
            asked_ms: ask.asked_ms,
        })
    }

    fn refresh_views(&mut self) {
        let shown: Vec<ConversationId> = self.views.iter().map(|view| view.conversation).collect();
        self.view.open.retain(|id, _| shown.contains(id));
        let mut streamed = Vec::new();
        for live in self.turns.values_mut().filter(|live| live.shared.is_none()) {
            live.shared = Some(Arc::new(live.answer.clone()));
            streamed.push(live.record.conversation);
        }
        for place in 0..self.views.len() {
            let Some(view) = self.views.get(place) else { continue };
            let id = view.conversation;
            let row = self.view.rows.get(&id);
            let same_row = |old: &Arc<ConversationView>| row.is_some_and(|row| Arc::ptr_eq(&old.row, row));
            let stands = self.view.open.get(&id).is_some_and(same_row);
            if stands && !view.dirty && !streamed.contains(&id) {
                continue;
            }
            let Some(fresh) = self.conversation_view(view) else { continue };
            self.view.open.insert(id, Arc::new(fresh));
            if let Some(view) = self.views.get_mut(place) {
                view.dirty = false;
            }
        }
    }

    fn conversation_view(&self, view: &ViewState) -> Option<ConversationView> {
        let state = self.conversations.get(&view.conversation)?;
        let row = self.view.rows.get(&view.conversation).cloned();
        let row = row.unwrap_or_else(|| Arc::new(self.conversation_row(state)));
        let live = state.live.and_then(|turn| self.turns.get(&turn));
        let answer = live.map(|live| live.shared.clone().unwrap_or_else(|| Arc::new(live.answer.clone())));
        Some(ConversationView {
            row,
            index: view.index.clone(),
            pages: view.pages.clone(),
            live: answer.into_iter().collect(),
            turn: live.map(|live| Arc::new(live.row(None))).or_else(|| state.last.clone()),
            queue: state
                .queue
                .iter()
                .map(|message| QueuedRow { id: message.id, text: message.text.clone() })
                .collect(),
            draft: state.draft.clone(),
            asks: live.map_or_else(Vec::new, |live| self.asks_of(live).map(Arc::new).collect()).into(),
            find: view.find.clone(),
            preview: view.preview.clone(),
            sent_pack: view.sent_pack.clone(),
            compared: view.compared.clone(),
            suggestions: view.suggestions.clone(),
            loading: view.loading,
            error: view.error.clone(),
        })
    }
}
