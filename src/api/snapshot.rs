//! Everything a front may show, as one immutable value. Published by the runtime after each change.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::api::notice::Notice;
use crate::api::rows::ConversationRows;
use crate::api::summary::SummaryView;
use crate::model::engine::{EngineInfo, EngineStatus};
use crate::model::git::{Checkout, FileDiff, GitPath, Losses};
use crate::model::id::{ConversationId, FindId, MessageId, ProjectId, QueuedId, TurnId};
use crate::model::knowledge::{Agreement, Artifact, Finding, Link, SkillSwitch};
use crate::model::message::Message;
use crate::model::pack::{ContextPack, PackReport};
use crate::model::plan::Plan;
use crate::model::project::{Conversation, Draft, Project, SeatChoice};
use crate::model::settings::Settings;
use crate::model::skill::{SkillList, SkillSuggestion};
use crate::model::turn::{LimitInfo, PermissionRequest, TurnFailure, TurnState, Usage};

/// Messages per page of an open conversation.
pub const PAGE_LEN: u32 = 64;

/// The state of the app at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Grows by one with every publication.
    pub revision: u64,
    pub app: Arc<AppStatus>,
    /// Most recently opened first.
    pub projects: Arc<[Arc<Project>]>,
    pub project: Option<ProjectId>,
    /// Git branch of the current project's folder, if it is a repository.
    pub git_branch: Option<Arc<str>>,
    /// Conversations of the current project, newest first; deleted ones are absent, archived ones present.
    pub conversations: ConversationRows,
    /// Conversations loaded for viewing. A front shows whichever it wants of them.
    pub open: Vec<Arc<ConversationView>>,
    /// The conversation a command just created or opened, for the front to go to.
    pub focus: Option<ConversationId>,
    /// The branch a command just created or opened beside its parent.
    pub branch_focus: Option<ConversationId>,
    /// Conversations that git still has something to tell of: the git branch a new one belongs to, or whether the
    /// project's own folder was changed during a turn.
    pub git_pending: Vec<ConversationId>,
    pub engines: Arc<[Arc<EngineRow>]>,
    /// Names of the role documents that can be picked.
    pub roles: Arc<[String]>,
    /// Names of the personas that can be picked; a persona's own words can be given instead.
    pub personas: Arc<[String]>,
    /// The project whose own roles and personas are among the names; `None` while only others are known.
    pub names_of: Option<ProjectId>,
    pub settings: Arc<Settings>,
    /// Of the current project.
    pub knowledge: Arc<KnowledgeView>,
    /// Branches that are about to be adopted, with what could be.
    pub summaries: Arc<[Arc<SummaryView>]>,
    /// Oldest first.
    pub notices: Arc<[Arc<Notice>]>,
    /// Open questions over all conversations, oldest first.
    pub asks: Arc<[Arc<AskRow>]>,
    pub running_turns: u32,
    /// The files of the conversation that was looked at last.
    pub changes: Option<Arc<ChangesView>>,
}

/// What git is doing for a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitDoing {
    Looking,
    Making,
    Removing,
    Forgetting,
}

/// The files of one conversation, as git sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangesView {
    pub conversation: ConversationId,
    /// `None` = it has come to an end.
    pub doing: Option<GitDoing>,
    /// Why the last of it failed; one line.
    pub error: Option<String>,
    /// As it was when it was looked at last.
    pub checkout: Option<Arc<Checkout>>,
    /// What a removal would have lost.
    pub refused: Option<Arc<Losses>>,
    /// The file whose difference is wanted, and that difference once it is there.
    pub diff_of: Option<GitPath>,
    pub diff: Option<Result<Arc<FileDiff>, String>>,
}

impl Snapshot {
    /// The loaded view of a conversation, if it is open.
    pub fn view(&self, conversation: ConversationId) -> Option<&Arc<ConversationView>> {
        self.open.iter().find(|view| view.row.conversation.id == conversation)
    }

    /// What could be adopted of a branch, once it was asked for.
    pub fn summary(&self, branch: ConversationId) -> Option<&Arc<SummaryView>> {
        self.summaries.iter().find(|view| view.branch == branch)
    }
}

/// What the current project keeps beside its conversations; newest first in each list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnowledgeView {
    /// `None` = no project is open.
    pub project: Option<ProjectId>,
    /// It is still being read.
    pub loading: bool,
    /// Reading failed; one line.
    pub error: Option<String>,
    pub plans: Arc<[Arc<Plan>]>,
    pub findings: Arc<[Arc<Finding>]>,
    pub agreements: Arc<[Arc<Agreement>]>,
    pub artifacts: Arc<[Arc<Artifact>]>,
    pub links: Arc<[Link]>,
    /// Skills that were switched, of the project and of its conversations.
    pub skill_switches: Arc<[SkillSwitch]>,
    /// What its folders and the user's offer.
    pub offers: Arc<Offers>,
}

/// Skills that the folders of a project and of the user hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offers {
    /// A look is under way; what is here is of the one before.
    pub looking: bool,
    pub skills: SkillList,
}

impl KnowledgeView {
    /// The plan that is told in a conversation: the newest active one it is linked to.
    pub fn active_plan(&self, conversation: ConversationId) -> Option<&Arc<Plan>> {
        self.plans.iter().find(|plan| plan.active && plan.is_linked_to(conversation))
    }

    /// The conversations that `conversation` may know of.
    pub fn linked(&self, conversation: ConversationId) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(move |link| link.conversation == conversation)
    }

    /// The switch of a skill at exactly this place; `None` inside `conversation` = for the project.
    pub fn switch(&self, conversation: Option<ConversationId>, skill: &str) -> Option<bool> {
        let found = self
            .skill_switches
            .iter()
            .find(|one| one.conversation == conversation && one.skill.to_lowercase() == skill.to_lowercase());
        found.map(|one| one.on)
    }

    /// Whether a skill is told in a conversation: its own switch, else the project's, else off.
    pub fn skill_is_on(&self, conversation: Option<ConversationId>, skill: &str) -> bool {
        let own = conversation.and_then(|id| self.switch(Some(id), skill));
        own.or_else(|| self.switch(None, skill)).unwrap_or(false)
    }
}

/// Facts about this run of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppStatus {
    pub version: String,
    pub data_dir: PathBuf,
    pub database: DatabaseStatus,
    /// No project was ever opened.
    pub first_run: bool,
    /// Engine discovery is still under way.
    pub discovering: bool,
    /// How long the last discovery took.
    pub discovery_ms: Option<u64>,
    /// Quit was asked for and everything has been put away.
    pub finished: bool,
}

/// How the database stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseStatus {
    Ok,
    /// The integrity check failed: shown read-only, never overwritten. Backups newest first.
    Damaged {
        why: String,
        backups: Vec<PathBuf>,
    },
    /// Writes fail right now (e.g. the disk is full); what is shown as unsaved is tried again.
    WritesFail {
        why: String,
    },
}

/// One row of the conversation list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationRow {
    pub conversation: Conversation,
    /// State of the running or newest turn; `None` = idle.
    pub state: Option<TurnState>,
    /// Open questions in it.
    pub asks: u32,
    pub queued: u32,
}

/// One engine: fixed facts, what was found, and its limits.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineRow {
    pub info: EngineInfo,
    pub status: EngineStatus,
    /// Newest per kind.
    pub limits: Vec<LimitInfo>,
}

/// A conversation loaded for viewing.
#[derive(Clone, Debug)]
pub struct ConversationView {
    pub row: Arc<ConversationRow>,
    /// One entry per message, oldest first, whether its page is loaded or not. Live answers are the last.
    pub index: Arc<Vec<IndexEntry>>,
    /// Finished messages by page: page `p` holds entries `p * PAGE_LEN ..` of `index`. Not all are loaded.
    pub pages: BTreeMap<u32, Arc<[Arc<Message>]>>,
    /// Answers being written; they are also entries of `index`.
    pub live: Vec<Arc<Message>>,
    /// The running turn, else the newest one.
    pub turn: Option<Arc<TurnRow>>,
    pub queue: Arc<[QueuedRow]>,
    /// The stored draft; the composer takes it when the conversation is opened.
    pub draft: Arc<Draft>,
    pub asks: Arc<[Arc<AskRow>]>,
    pub find: Option<Arc<FindView>>,
    pub preview: Option<Arc<PackView>>,
    pub sent_pack: Option<Arc<PackView>>,
    /// The pack of the newest [`crate::api::command::ChatCommand::ComparePack`].
    pub compared: Option<Arc<PackView>>,
    /// Skills that fit the text of the newest preview. Some may be switched on already.
    pub suggestions: Arc<[SkillSuggestion]>,
    /// The index is still being read.
    pub loading: bool,
    /// Reading failed; one line.
    pub error: Option<String>,
}

impl ConversationView {
    /// Where a message stands in the index; `None` when it is not there.
    pub fn place_of(&self, message: MessageId) -> Option<usize> {
        // Ids rise with time; only messages that came from elsewhere stand in another order.
        let found = self.index.binary_search_by_key(&message, |entry| entry.id).ok();
        found.or_else(|| self.index.iter().rposition(|entry| entry.id == message))
    }

    /// The message at a place of the index, when its page is loaded or it is live.
    pub fn message(&self, place: usize) -> Option<&Arc<Message>> {
        let entry = self.index.get(place)?;
        if let Some(live) = self.live.iter().find(|message| message.id == entry.id) {
            return Some(live);
        }
        let page = u32::try_from(place).ok()? / PAGE_LEN;
        self.pages.get(&page)?.get(place - (page * PAGE_LEN) as usize)
    }
}

/// What the list needs to know of a message whose text is not loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    pub id: MessageId,
    pub revision: u32,
    /// Characters of all its items, for a height estimate.
    pub chars: u32,
    pub by_user: bool,
}

/// A turn as shown.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnRow {
    pub turn: TurnId,
    pub state: TurnState,
    pub user_message: MessageId,
    pub answer: Option<MessageId>,
    pub seat: SeatChoice,
    /// One short phrase, e.g. `Writing`, `Waiting for the model`, `Running cargo test`.
    pub phase: String,
    pub started_ms: i64,
    pub ended_ms: Option<i64>,
    pub usage: Option<Usage>,
    pub failure: Option<TurnFailure>,
    pub report: Option<Arc<PackReport>>,
    /// The last sign of life of the engine, for the idle countdown.
    pub last_sign_ms: i64,
    /// Command that takes up this engine's session in a terminal; `None` when the engine has none.
    pub resume_command: Option<String>,
}

/// A message waiting for the running turn to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedRow {
    pub id: QueuedId,
    pub text: String,
}

/// An open question of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskRow {
    pub turn: TurnId,
    pub conversation: ConversationId,
    pub conversation_title: String,
    /// Who asks, e.g. `Claude Code`.
    pub agent: String,
    pub request: PermissionRequest,
    pub asked_ms: i64,
}

/// Result of a text lookup in one conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindView {
    pub find: FindId,
    pub query: String,
    /// Places in `ConversationView::index`, oldest first, at most [`FIND_MAX`].
    pub places: Vec<u32>,
    /// More matches than shown.
    pub capped: bool,
}

/// Most matches of one lookup.
pub const FIND_MAX: usize = 2_000;

/// A pack for looking at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackView {
    /// The turn it was sent with; `None` for a preview.
    pub turn: Option<TurnId>,
    /// The seat and the user's text it was made for; `None` and empty for a sent one.
    pub seat: Option<SeatChoice>,
    pub prompt: String,
    pub pack: ContextPack,
}
