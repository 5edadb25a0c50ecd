//! What the domain remembers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::api::command::{KnowledgeCommand, PackSource};
use crate::api::notice::Notice;
use crate::api::snapshot::{AppStatus, DatabaseStatus, FindView, IndexEntry, Offers, PackView, TurnRow};
use crate::model::engine::{EngineId, EngineInfo, EngineStatus};
use crate::model::id::{
    AgreementId, ArtifactId, ConversationId, FindId, FindingId, MessageId, PlanId, ProjectId, TurnId,
};
use crate::model::knowledge::{Agreement, Artifact, Finding, Link};
use crate::model::message::Message;
use crate::model::pack::PackReport;
use crate::model::plan::Plan;
use crate::model::project::{Conversation, Draft, Project, TextNames};
use crate::model::record::{QueuedMessage, StoreWrite, TurnRecord};
use crate::model::settings::Settings;
use crate::model::skill::SkillSuggestion;
use crate::model::turn::{LimitInfo, PermissionRequest, TurnSpec, TurnState};

/// The whole state. Fields are open to the files of this room only.
pub struct AppState {
    pub(in crate::domain) status: AppStatus,
    pub(in crate::domain) projects: BTreeMap<ProjectId, Project>,
    pub(in crate::domain) project: Option<ProjectId>,
    pub(in crate::domain) git_branch: Option<Arc<str>>,
    pub(in crate::domain) conversations: BTreeMap<ConversationId, ConversationState>,
    /// Opened for viewing, least recently used first.
    pub(in crate::domain) views: Vec<ViewState>,
    pub(in crate::domain) turns: BTreeMap<TurnId, LiveTurn>,
    pub(in crate::domain) engines: Vec<EngineState>,
    pub(in crate::domain) roles: Arc<[String]>,
    /// What each opened project keeps beside its conversations.
    pub(in crate::domain) knowledge: BTreeMap<ProjectId, KnowledgeState>,
    pub(in crate::domain) personas: Arc<[String]>,
    /// The project whose own names are among them.
    pub(in crate::domain) names_of: Option<ProjectId>,
    pub(in crate::domain) settings: Arc<Settings>,
    pub(in crate::domain) notices: Vec<Arc<Notice>>,
    pub(in crate::domain) git: crate::domain::checkout::GitState,
    pub(in crate::domain) focus: Option<ConversationId>,
    pub(in crate::domain) branch_focus: Option<ConversationId>,
    /// What a window shows, and whether it has the focus.
    pub(in crate::domain) viewing: Viewing,
    pub(in crate::domain) focused: bool,
    /// A tour was asked for and waits for its folder.
    pub(in crate::domain) tour: Option<EngineId>,
    pub(in crate::domain) quitting: bool,
    /// A window has told what it shows; without one nobody is to be notified.
    pub(in crate::domain) has_window: bool,
    /// Another program runs what is shown here: nothing is sent.
    pub(in crate::domain) looks_only: bool,
    /// That other program is running now, so its turns may be.
    pub(in crate::domain) owner_runs: bool,
    /// Stamps of views; a late read of an older stamp is dropped.
    pub(in crate::domain) generations: u32,
    /// Drafts of summaries, by branch.
    pub(in crate::domain) summaries: BTreeMap<ConversationId, crate::domain::summary::Drafting>,
    pub(in crate::domain) writes: Writes,
    pub(in crate::domain) dirty: Dirty,
    pub(in crate::domain) view: crate::domain::view::Cache,
}

/// Which rows of the snapshot must be rebuilt.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one independent flag per part of the snapshot")]
pub(in crate::domain) struct Dirty {
    pub app: bool,
    pub projects: bool,
    pub conversations: bool,
    pub engines: bool,
    pub settings: bool,
    pub notices: bool,
    pub asks: bool,
    pub knowledge: bool,
    pub summaries: bool,
    /// Something streamed: only the live tails changed.
    pub live: bool,
    /// A question, an end, a failure: publish without waiting.
    pub urgent: bool,
}

impl Dirty {
    pub fn any(&self) -> bool {
        self.app
            || self.projects
            || self.conversations
            || self.engines
            || self.settings
            || self.notices
            || self.asks
            || self.knowledge
            || self.summaries
            || self.live
            || self.urgent
    }
}

/// Writes that are under way or have failed.
#[derive(Debug, Default)]
pub(in crate::domain) struct Writes {
    pub next_ticket: u64,
    pub waiting: BTreeMap<u64, WriteMark>,
    /// Failed and to be tried again, oldest first. While it is not empty, new writes join it, to keep the order.
    pub failed: Vec<KeptWrite>,
    pub failed_marks: Vec<WriteMark>,
    /// Conversations and turns of removed projects: what failed of them has no place to go to any more.
    pub forgotten: BTreeSet<ConversationId>,
    pub forgotten_turns: BTreeSet<TurnId>,
    pub forgotten_projects: BTreeSet<ProjectId>,
}

/// One failed change.
#[derive(Debug)]
pub(in crate::domain) struct KeptWrite {
    /// Ticket by which it stands in line: that of the first state of its row.
    pub place: u64,
    /// Ticket of the state that it holds.
    pub version: u64,
    pub write: StoreWrite,
}

/// What hangs on a write.
#[derive(Clone, Debug, Default)]
pub(in crate::domain) struct WriteMark {
    /// Starts when the write is done: nothing is sent before it is kept.
    pub start: Option<TurnId>,
    /// Shown as unsaved while the write fails.
    pub messages: Vec<(ConversationId, MessageId)>,
    /// Read afresh when the write is done.
    pub reload: Vec<ConversationId>,
    /// Taken back when the write fails.
    pub checkout: Option<Box<crate::domain::checkout::NewCheckout>>,
    /// For trying again, and for readers meanwhile.
    pub batch: Vec<StoreWrite>,
}

/// What a project keeps beside its conversations. Read once, then kept up with every command.
#[derive(Debug, Default)]
pub(in crate::domain) struct KnowledgeState {
    /// Until it is read, commands wait.
    pub waiting: Option<Vec<KnowledgeCommand>>,
    /// Something of it was written while it was being read: it is read once more.
    pub outdated: bool,
    /// Reading failed; one line.
    pub error: Option<String>,
    pub plans: BTreeMap<PlanId, Arc<Plan>>,
    pub findings: BTreeMap<FindingId, Arc<Finding>>,
    pub agreements: BTreeMap<AgreementId, Arc<Agreement>>,
    pub artifacts: BTreeMap<ArtifactId, Arc<Artifact>>,
    pub links: BTreeMap<(ConversationId, ConversationId), Link>,
    pub skills: BTreeMap<(Option<ConversationId>, String), bool>,
    pub offers: Arc<Offers>,
}

/// A conversation, with what is not in its row.
pub(in crate::domain) struct ConversationState {
    pub row: Conversation,
    pub live: Option<TurnId>,
    pub queue: Vec<QueuedMessage>,
    pub draft: Arc<Draft>,
    pub draft_dirty: bool,
    /// The newest ended turn, once known.
    pub last: Option<Arc<TurnRow>>,
    /// Overrides the setting while the program runs.
    pub budget_chars: Option<u32>,
    pub deleted: bool,
    /// The conversation with which it was deleted, itself or one above.
    pub deleted_with: Option<ConversationId>,
    /// The newest change of what was said, until it is taken back.
    pub undo: Option<UndoEdit>,
}

/// What it takes to take a change back.
#[derive(Clone, Debug, Default)]
pub(in crate::domain) struct UndoEdit {
    /// Left by the change.
    pub removed: Vec<MessageId>,
    /// Said since, in the place of what left. Stays empty when nothing was replaced.
    pub added: Vec<MessageId>,
    /// What was said since belongs to the change.
    pub replaces: bool,
    /// The newest turn before the change.
    pub last: Option<Arc<TurnRow>>,
    pub last_turn: Option<TurnState>,
}

/// What the window has on screen.
#[derive(Default)]
pub(in crate::domain) struct Viewing {
    pub conversation: Option<ConversationId>,
    /// Others on screen with it.
    pub beside: Vec<ConversationId>,
    /// Not on screen as such, but something of them is.
    pub held: Vec<ConversationId>,
}

impl Viewing {
    pub fn shown(&self) -> impl Iterator<Item = ConversationId> + '_ {
        self.conversation.into_iter().chain(self.beside.iter().copied())
    }

    pub fn shows(&self, id: ConversationId) -> bool {
        self.shown().any(|shown| shown == id)
    }

    pub fn needs(&self, id: ConversationId) -> bool {
        self.shows(id) || self.held.contains(&id)
    }
}

/// A conversation opened for viewing.
pub(in crate::domain) struct ViewState {
    pub conversation: ConversationId,
    pub index: Arc<Vec<IndexEntry>>,
    /// `seq` of each entry of `index`.
    pub seqs: Vec<i64>,
    pub pages: BTreeMap<u32, Arc<[Arc<Message>]>>,
    /// Pages asked for and not yet there.
    pub asked: Vec<u32>,
    /// Asked for a second time, because the first answer was older than what is shown.
    pub asked_again: Vec<u32>,
    /// Another one when places shift, so that a late page of the old order is dropped.
    pub generation: u32,
    /// Something was said while the index was being read: it is read once more.
    pub outdated: bool,
    /// The newest lookup; answers to others are dropped.
    pub find_wanted: Option<FindId>,
    pub find: Option<Arc<FindView>>,
    pub preview: Option<Arc<PackView>>,
    /// The preview being assembled, and the newest wish that waits for it to come back.
    pub preview_running: Option<crate::domain::packs::Asked>,
    pub preview_next: Option<crate::domain::packs::Asked>,
    pub suggestions: Arc<[SkillSuggestion]>,
    pub sent_pack: Option<Arc<PackView>>,
    pub sent_wanted: Option<TurnId>,
    pub compared: Option<Arc<PackView>>,
    /// The newest wish; answers to others are dropped.
    pub compare_wanted: Option<PackSource>,
    pub loading: bool,
    pub error: Option<String>,
    pub dirty: bool,
}

/// One running turn.
pub(in crate::domain) struct LiveTurn {
    pub record: TurnRecord,
    pub spec: TurnSpec,
    /// What is answered; it may be newer than what a read finds in the store.
    pub user: Arc<Message>,
    pub answer: Message,
    /// The answer changed since its last checkpoint.
    pub answer_dirty: bool,
    pub phase: String,
    pub asks: Vec<Ask>,
    pub report: Option<Arc<PackReport>>,
    pub last_sign_ms: i64,
    /// The one automatic retry with a fresh session has been used.
    pub retried: bool,
    /// Nothing stands between the request and its answer, so afterwards the session holds all of it.
    pub adjoining: bool,
    /// The request is kept and on its way; before that no engine can have heard of it.
    pub sent: bool,
    /// The engine took the request.
    pub taken: bool,
    /// The request went to a fork of another session.
    pub forks: bool,
    /// Turn events kept so far; bounded.
    pub kept_events: u32,
    /// Snapshot row of the answer, rebuilt when it changes.
    pub shared: Option<Arc<Message>>,
}

/// An open question.
#[derive(Clone, Debug)]
pub(in crate::domain) struct Ask {
    pub request: PermissionRequest,
    pub asked_ms: i64,
}

/// One engine with what was found.
pub(in crate::domain) struct EngineState {
    pub info: EngineInfo,
    pub status: EngineStatus,
    pub limits: Vec<LimitInfo>,
}

impl AppState {
    /// An empty state. `names` are those that can be picked whatever the project.
    pub fn new(version: String, data_dir: PathBuf, names: TextNames) -> Self {
        Self {
            status: AppStatus {
                version,
                data_dir,
                database: DatabaseStatus::Ok,
                first_run: true,
                discovering: true,
                discovery_ms: None,
                finished: false,
            },
            projects: BTreeMap::new(),
            project: None,
            git_branch: None,
            conversations: BTreeMap::new(),
            views: Vec::new(),
            turns: BTreeMap::new(),
            engines: Vec::new(),
            roles: names.roles.into(),
            personas: names.personas.into(),
            names_of: None,
            knowledge: BTreeMap::new(),
            settings: Arc::new(Settings::default()),
            notices: Vec::new(),
            git: crate::domain::checkout::GitState::default(),
            focus: None,
            branch_focus: None,
            viewing: Viewing::default(),
            focused: false,
            tour: None,
            quitting: false,
            has_window: false,
            looks_only: false,
            owner_runs: false,
            generations: 0,
            summaries: BTreeMap::new(),
            writes: Writes::default(),
            dirty: Dirty { app: true, ..Dirty::default() },
            view: crate::domain::view::Cache::default(),
        }
    }

    /// For a front that only looks: no turn is started. While another program owns the data (`owner_runs`),
    /// none of that program's turns is called ended.
    #[must_use]
    pub fn only_looking(mut self, owner_runs: bool) -> Self {
        self.looks_only = true;
        self.owner_runs = owner_runs;
        self
    }

    /// True while time matters: something runs, or something typed is not kept yet.
    pub fn wants_tick(&self) -> bool {
        !self.turns.is_empty()
            || !self.writes.failed.is_empty()
            || self.conversations.values().any(|conversation| conversation.draft_dirty)
    }

    pub(in crate::domain) fn view_mut(&mut self, conversation: ConversationId) -> Option<&mut ViewState> {
        self.views.iter_mut().find(|view| view.conversation == conversation)
    }

    /// Marks a conversation's row and view for rebuilding.
    pub(in crate::domain) fn touch(&mut self, conversation: ConversationId) {
        self.dirty.conversations = true;
        if let Some(view) = self.view_mut(conversation) {
            view.dirty = true;
        }
    }

    /// The engine's shown name; its id when it is not known any more.
    pub(in crate::domain) fn engine_name(&self, engine: &EngineId) -> String {
        self.engines
            .iter()
            .find(|state| &state.info.id == engine)
            .map_or_else(|| engine.to_string(), |state| state.info.name.clone())
    }
}
