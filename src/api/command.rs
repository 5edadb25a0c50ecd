//! What a front may ask for. Grouped by area; view-only switches stay in the window.

use std::path::PathBuf;

use crate::model::branch::{BranchKind, Summary};
use crate::model::engine::{Billing, EngineId};
use crate::model::git::GitPath;
use crate::model::id::{
    AgreementId, ArtifactId, ConversationId, FindId, FindingId, MessageId, NoticeId, PlanId, ProjectId,
    QueuedId, TurnId,
};
use crate::model::knowledge::{Agreement, Artifact, Finding};
use crate::model::plan::Plan;
use crate::model::project::{Draft, SeatChoice, TextKind};
use crate::model::settings::{AcpAgent, Endpoint, Settings};
use crate::model::turn::Decision;

/// One request of a front.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Project(ProjectCommand),
    Chat(ChatCommand),
    Engine(EngineCommand),
    Settings(SettingsCommand),
    Knowledge(KnowledgeCommand),
    Branch(BranchCommand),
    App(AppCommand),
}

/// About projects.
#[derive(Clone, Debug, PartialEq)]
pub enum ProjectCommand {
    /// Adds the folder if it is new, and makes it the current project. A missing folder becomes a notice.
    Open {
        path: PathBuf,
    },
    Select {
        project: ProjectId,
    },
    /// A look around without any agent or folder: opens a small project of the app's own, and says hello to `engine`
    /// in a new conversation there.
    Tour {
        engine: EngineId,
    },
    /// Forgets the project and its conversations in the app; the folder on disk is untouched.
    Remove {
        project: ProjectId,
    },
    SetSkipPermissions {
        project: ProjectId,
        on: bool,
    },
}

/// About conversations, messages and turns.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatCommand {
    /// A new, empty conversation in the project; it becomes [`crate::api::snapshot::Snapshot::focus`].
    New {
        project: ProjectId,
        seat: Option<SeatChoice>,
    },
    /// Loads the conversation for viewing, and marks it read and focused.
    Open {
        conversation: ConversationId,
    },
    /// Loads page `page` of an open conversation (see `PAGE_LEN`). Cheap when it is there.
    LoadPage {
        conversation: ConversationId,
        page: u32,
    },
    Rename {
        conversation: ConversationId,
        title: String,
    },
    SetArchived {
        conversation: ConversationId,
        archived: bool,
    },
    /// Takes it off the lists; a notice offers undo. Erased for good at the next start.
    Delete {
        conversation: ConversationId,
    },
    UndoDelete {
        conversation: ConversationId,
    },
    SetSeat {
        conversation: ConversationId,
        seat: SeatChoice,
    },
    /// Another pack budget for this conversation while the program runs; `None` = as the settings say.
    SetBudget {
        conversation: ConversationId,
        budget_chars: Option<u32>,
    },
    /// Remembers what is typed; stored at most about a second later.
    SaveDraft {
        conversation: ConversationId,
        draft: Draft,
    },
    /// Sends, or queues while a turn runs. Clears the stored draft.
    Send {
        conversation: ConversationId,
        draft: Draft,
    },
    /// The same with words that were typed elsewhere: the stored draft stays. Refused words join it.
    SendWords {
        conversation: ConversationId,
        text: String,
    },
    Stop {
        conversation: ConversationId,
    },
    EditQueued {
        queued: QueuedId,
        text: String,
    },
    RemoveQueued {
        queued: QueuedId,
    },
    /// Stops the running turn and delivers this one next.
    SendQueuedNow {
        queued: QueuedId,
    },
    /// Replaces an own message: it and everything after it leave the conversation, the new text is sent.
    EditAndResend {
        message: MessageId,
        text: String,
    },
    /// Asks again for the answer that this agent message gave, by the same or another engine.
    Regenerate {
        message: MessageId,
        engine: Option<EngineId>,
    },
    /// Goes on after a stopped, failed or interrupted turn in the same conversation.
    Continue {
        turn: TurnId,
    },
    /// Sends the same user message again after a failure, by the same or another engine.
    Retry {
        turn: TurnId,
        engine: Option<EngineId>,
    },
    /// Can be undone by [`ChatCommand::UndoEdit`] until another message of the conversation is changed.
    DeleteMessage {
        message: MessageId,
    },
    /// Takes back the newest edit or deletion in the conversation: what left comes back, what was said in its
    /// place since then leaves (and can be brought back in turn). Refused while a turn runs there.
    UndoEdit {
        conversation: ConversationId,
    },
    /// `ask` names the exact question that was read.
    Answer {
        turn: TurnId,
        ask: String,
        decision: Decision,
    },
    /// Text lookup in one conversation; the result arrives in `ConversationView::find`. Empty query clears.
    Find {
        conversation: ConversationId,
        find: FindId,
        query: String,
    },
    /// Assembles the pack for a text without sending; arrives in `ConversationView::preview`.
    PreviewPack {
        conversation: ConversationId,
        text: String,
    },
    /// Loads the stored pack of a turn; arrives in `ConversationView::sent_pack`.
    LoadPack {
        conversation: ConversationId,
        turn: TurnId,
    },
    /// A second pack, to be held against another; arrives in `ConversationView::compared`.
    ComparePack {
        conversation: ConversationId,
        with: PackSource,
    },
}

/// Where a second pack comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackSource {
    /// Assembled without sending, as another seat would get it.
    Seat { seat: Box<SeatChoice>, text: String },
    /// The stored one of a turn.
    Turn(TurnId),
}

/// About engines.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineCommand {
    /// Looks for all engines again.
    Rediscover,
    /// Looks for one again and asks it for version, login and models.
    Test {
        engine: EngineId,
    },
    /// `None` goes back to searching.
    SetPath {
        engine: EngineId,
        path: Option<PathBuf>,
    },
    SetBilling {
        engine: EngineId,
        billing: Billing,
    },
    SetModel {
        engine: EngineId,
        model: Option<String>,
    },
    /// Adds or replaces by name. `key`: `Some("")` removes a stored key, `None` leaves it.
    PutEndpoint {
        endpoint: Endpoint,
        key: Option<String>,
    },
    RemoveEndpoint {
        name: String,
    },
    PutAcpAgent {
        agent: AcpAgent,
    },
    RemoveAcpAgent {
        name: String,
    },
}

/// About settings. A bad value becomes a notice and is not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingsCommand {
    Set(Box<Settings>),
}

/// About what a project keeps beside its conversations. A bad value becomes a notice and is not taken.
///
/// `Put…` with id 0 makes a new row, else replaces the row of that id; times and a plan's version are set
/// by the app. A removed row can come back: the notice offers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnowledgeCommand {
    PutPlan(Box<Plan>),
    RemovePlan(PlanId),
    PutFinding(Box<Finding>),
    RemoveFinding(FindingId),
    PutAgreement(Box<Agreement>),
    RemoveAgreement(AgreementId),
    PutArtifact(Box<Artifact>),
    RemoveArtifact(ArtifactId),
    /// Lets `conversation` know of `linked`.
    Link {
        conversation: ConversationId,
        linked: ConversationId,
    },
    Unlink {
        conversation: ConversationId,
        linked: ConversationId,
    },
    /// Makes a file with a role, a persona or a skill in the project's folder, never over one that is there. An
    /// empty `text` begins with the built-in one of that name, or with a few words on what belongs there.
    NewText {
        project: ProjectId,
        kind: TextKind,
        name: String,
        text: String,
    },
    /// `conversation: None` = for the whole project. `on: None` drops the switch: for a conversation the
    /// project's own holds again.
    SwitchSkill {
        project: ProjectId,
        conversation: Option<ConversationId>,
        skill: String,
        on: Option<bool>,
    },
    /// Looks again for what the project's and the user's folders offer; see `KnowledgeView::offers`.
    LookForSkills {
        project: ProjectId,
    },
}

/// About branches. Renaming, archiving, opening and deleting are those of [`ChatCommand`]; deleting takes the
/// branches below along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchCommand {
    /// A new branch; it becomes [`crate::api::snapshot::Snapshot::branch_focus`]. `checkpoint: None` starts it
    /// knowing nothing. `label: None` takes the checkpoint's first words; `seat: None` the parent's.
    Create {
        parent: ConversationId,
        checkpoint: Option<MessageId>,
        label: Option<String>,
        seat: Option<SeatChoice>,
        kind: BranchKind,
    },
    /// Loads a branch for viewing beside its parent, which stays where it is; it becomes
    /// [`crate::api::snapshot::Snapshot::branch_focus`].
    Open {
        branch: ConversationId,
    },
    /// Puts the summary into the parent and archives the branch: all of it or nothing. Refused, with the reason,
    /// while the branch or its parent is answering.
    Adopt {
        branch: ConversationId,
        summary: Summary,
    },
    /// Reads what its agents said last, for [`crate::api::snapshot::Snapshot::summaries`].
    ReadSources {
        branch: ConversationId,
    },
    /// Has an agent summarise the whole branch, in a session of its own; nothing is kept. `seat: None` = the
    /// branch's own. One request a branch at a time.
    Summarise {
        branch: ConversationId,
        seat: Option<SeatChoice>,
    },
    StopSummary {
        branch: ConversationId,
    },
    /// Stops a request and forgets its draft.
    DropSummary {
        branch: ConversationId,
    },
    /// Takes an adoption back, until the parent has gone on.
    UndoAdopt {
        branch: ConversationId,
    },
    /// The git branch it belongs to; `None` = none of its own.
    SetGitBranch {
        branch: ConversationId,
        git_branch: Option<String>,
    },
    /// Whether retrieval from other conversations may find it; `None` = only once it is adopted.
    SetShared {
        branch: ConversationId,
        shared: Option<bool>,
    },
    /// Whether its gist is shown in its parent while it is active, and whether the parent's agents are `told` of it.
    SetHint {
        branch: ConversationId,
        on: bool,
        told: bool,
    },
    /// Makes a checkout of the branch's own below the data folder, in which its agents work from then on; when its
    /// folder vanished, at the same place again. `git_branch: None` makes a new one named by the label. What comes of
    /// it, and of the following ones, arrives in [`crate::api::snapshot::Snapshot::changes`].
    MakeWorktree {
        branch: ConversationId,
        git_branch: Option<String>,
    },
    /// Takes the checkout away when nothing would be lost; `with_ignored`: the user was told which ignored files go.
    /// The git branch stays.
    RemoveWorktree {
        branch: ConversationId,
        with_ignored: bool,
    },
    /// Forgets a checkout whose folder is gone.
    ForgetWorktree {
        branch: ConversationId,
    },
    /// Looks for what differs in a conversation's files: in its own checkout from where that began, else in the
    /// project's folder from the newest commit.
    LookAtChanges {
        conversation: ConversationId,
    },
    /// Loads the difference of one of the files found.
    LookAtDiff {
        conversation: ConversationId,
        file: GitPath,
    },
}

/// About the app as a whole.
#[derive(Clone, Debug, PartialEq)]
pub enum AppCommand {
    DismissNotice {
        notice: NoticeId,
    },
    /// The window gained or lost the focus, or shows other conversations (for notices and unread marks). What it
    /// names stays loaded; what is named in `beside` or `held` is loaded when it is not yet.
    Viewing {
        conversation: Option<ConversationId>,
        /// Others on screen with it.
        beside: Vec<ConversationId>,
        /// Not on screen as such, but something of them is.
        held: Vec<ConversationId>,
        focused: bool,
    },
    /// Opens the database from a backup named in `DatabaseStatus`; the damaged file is kept beside it.
    RestoreBackup {
        path: PathBuf,
    },
    /// Orderly end: stops turns and engines, drains the store.
    Quit,
}

impl From<ProjectCommand> for Command {
    fn from(command: ProjectCommand) -> Self {
        Self::Project(command)
    }
}
impl From<ChatCommand> for Command {
    fn from(command: ChatCommand) -> Self {
        Self::Chat(command)
    }
}
impl From<EngineCommand> for Command {
    fn from(command: EngineCommand) -> Self {
        Self::Engine(command)
    }
}
impl From<SettingsCommand> for Command {
    fn from(command: SettingsCommand) -> Self {
        Self::Settings(command)
    }
}
impl From<KnowledgeCommand> for Command {
    fn from(command: KnowledgeCommand) -> Self {
        Self::Knowledge(command)
    }
}
impl From<BranchCommand> for Command {
    fn from(command: BranchCommand) -> Self {
        Self::Branch(command)
    }
}
impl From<AppCommand> for Command {
    fn from(command: AppCommand) -> Self {
        Self::App(command)
    }
}
