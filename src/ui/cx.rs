//! All a panel gets: the newest snapshot to read, and a way to ask for things.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use crate::api::command::Command;
use crate::api::handle::AppHandle;
use crate::api::snapshot::{ConversationView, EngineRow, Snapshot};
use crate::model::engine::{self, Availability, EngineId};
use crate::model::id::{ConversationId, MessageId, ProjectId};
use crate::model::project::{Project, SeatChoice};
use crate::ui::action::UiAction;
use crate::ui::host::DialogAsk;
use crate::ui::keys::KeyMap;
use crate::ui::lineage;
use crate::ui::route::Route;
use crate::ui::widgets::EngineLook;
use crate::ui::words::Now;

/// What a panel asks the shell for; done after the frame is laid out, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Goes to the core.
    Send(Box<Command>),
    /// Runs a user command of the window.
    Act(UiAction),
    Go(Route),
    /// Puts text on the clipboard; `what` names it for the failure notice.
    Copy {
        text: String,
        what: &'static str,
    },
    /// Opens a file dialog.
    Pick(DialogAsk),
    /// Opens a folder or link outside.
    Open(String),
    /// Opens the editor of an own message.
    Edit(MessageId),
    /// Opens the sheet that makes an agreement of a message.
    Decide(MessageId),
    /// Opens the sheet that makes an artifact of a message.
    Keep(MessageId),
    /// Opens the field for a new title.
    Rename(ConversationId),
    /// Opens a dialog about a branch.
    Branch(BranchAsk),
    /// The same, about what another desk than the main one shows.
    Beside(DeskAt, Box<Self>),
    /// Shows two conversations side by side.
    Compare([ConversationId; 2]),
    /// Moves the keyboard to the composer.
    FocusComposer,
    /// Tells the user something that happened in the window itself.
    Tell {
        title: String,
        body: String,
    },
}

/// A place of the window where one conversation is read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeskAt {
    /// The centre.
    #[default]
    Main,
    /// The branch beside it.
    Drawer,
    /// The columns of a comparison.
    Left,
    Right,
}

/// A dialog about a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchAsk {
    /// Chooses what it is compared with; a main conversation can be compared, too.
    Compare(ConversationId),
    Adopt(ConversationId),
    Delete(ConversationId),
    GitBranch(ConversationId),
}

/// The context of one frame.
pub struct UiCx<'a> {
    pub snap: &'a Snapshot,
    pub route: &'a Route,
    /// The moment of drawing.
    pub now: Now,
    /// Seconds since the window opened, for what must not depend on the system's clock.
    pub time_s: f64,
    pub home: Option<&'a Path>,
    /// Which keys run which command.
    pub keys: Arc<KeyMap>,
    /// Something floats over the window and owns Esc and Enter.
    pub covered: bool,
    /// Width of the window, points.
    pub width: f32,
    /// The branch shown beside the conversation.
    pub branch: Option<ConversationId>,
    /// The two conversations compared on screen; then no branch is shown beside.
    pub compared: Option<[ConversationId; 2]>,
    /// Which desk this is the context of.
    pub desk: DeskAt,
    /// What is shown takes no messages.
    pub read_only: bool,
    outbox: RefCell<Vec<Request>>,
}

impl<'a> UiCx<'a> {
    /// A context for one frame.
    #[must_use]
    pub fn new(snap: &'a Snapshot, route: &'a Route, now: Now) -> Self {
        Self {
            snap,
            route,
            now,
            time_s: 0.0,
            home: None,
            keys: KeyMap::standard(),
            covered: false,
            width: 1280.0,
            branch: None,
            compared: None,
            desk: DeskAt::Main,
            read_only: false,
            outbox: RefCell::new(Vec::new()),
        }
    }

    /// The context of the conversation at `route` on another desk; [`UiCx::hand_over`] brings back what is asked
    /// there.
    #[must_use]
    pub fn for_desk<'b>(&'b self, desk: DeskAt, route: &'b Route) -> UiCx<'b> {
        // Archived main conversations go on being written to; a branch is done then.
        let archived = |id| {
            let row = lineage::row(self.snap, id);
            row.is_some_and(|row| row.conversation.archived && row.conversation.branch.is_some())
        };
        UiCx {
            snap: self.snap,
            route,
            now: self.now,
            time_s: self.time_s,
            home: self.home,
            keys: Arc::clone(&self.keys),
            covered: self.covered,
            width: self.width,
            branch: self.branch,
            compared: self.compared,
            desk,
            read_only: route.conversation().is_some_and(archived),
            outbox: RefCell::new(Vec::new()),
        }
    }

    /// Passes on what was asked for at another desk, marked as such where it matters.
    pub fn hand_over(&self, to: &UiCx<'_>) {
        for request in self.take() {
            to.ask(match request {
                Request::Act(_)
                | Request::Edit(_)
                | Request::Decide(_)
                | Request::Keep(_)
                | Request::FocusComposer => Request::Beside(self.desk, Box::new(request)),
                other => other,
            });
        }
    }

    /// It stands beside another conversation, or in its place.
    #[must_use]
    pub fn is_beside(&self) -> bool {
        self.desk != DeskAt::Main
    }

    /// Sends a command to the core after this frame.
    pub fn send(&self, command: impl Into<Command>) {
        self.ask(Request::Send(Box::new(command.into())));
    }

    /// Asks the shell for something.
    pub fn ask(&self, request: Request) {
        self.outbox.borrow_mut().push(request);
    }

    /// Runs a user command after this frame.
    pub fn act(&self, action: UiAction) {
        self.ask(Request::Act(action));
    }

    /// The key that runs a command, as shown: `Ctrl K`. Empty when there is none.
    #[must_use]
    pub fn keys(&self, action: UiAction) -> String {
        self.keys.shown(action)
    }

    /// What was asked for so far, emptied.
    #[must_use]
    pub fn take(&self) -> Vec<Request> {
        self.outbox.take()
    }

    /// The loaded view of the conversation shown now.
    #[must_use]
    pub fn view(&self) -> Option<&'a Arc<ConversationView>> {
        self.snap.view(self.route.conversation()?)
    }

    #[must_use]
    pub fn engine(&self, id: &EngineId) -> Option<&'a Arc<EngineRow>> {
        self.snap.engines.iter().find(|row| &row.info.id == id)
    }

    /// The current project.
    #[must_use]
    pub fn project(&self) -> Option<&'a Arc<Project>> {
        project(self.snap, self.snap.project?)
    }

    /// Shown name of a seat: `Architect Claude Code`, or the engine's word when it is not known.
    #[must_use]
    pub fn seat_name(&self, seat: &SeatChoice) -> String {
        let engine = self.engine(&seat.engine).map_or(seat.engine.as_str(), |row| row.info.name.as_str());
        match &seat.role {
            Some(role) => format!("{role} {engine}"),
            None => engine.to_owned(),
        }
    }

    /// Mark of an engine.
    #[must_use]
    pub fn look(&self, id: &EngineId) -> EngineLook {
        self.engine(id).map_or(EngineLook::Local, |row| look(row.info.look))
    }

    /// Engines that can be asked now, in their order.
    pub fn ready_engines(&self) -> impl Iterator<Item = &'a Arc<EngineRow>> {
        self.snap.engines.iter().filter(|row| matches!(row.status.availability, Availability::Ready))
    }
}

/// A project of the snapshot.
#[must_use]
pub fn project(snap: &Snapshot, id: ProjectId) -> Option<&Arc<Project>> {
    snap.projects.iter().find(|project| project.id == id)
}

/// The widget's mark for a model's look.
#[must_use]
pub fn look(look: engine::EngineLook) -> EngineLook {
    match look {
        engine::EngineLook::Claude => EngineLook::Claude,
        engine::EngineLook::Codex => EngineLook::Codex,
        engine::EngineLook::Gemini => EngineLook::Gemini,
        engine::EngineLook::OpenCode => EngineLook::OpenCode,
        engine::EngineLook::Local => EngineLook::Local,
        engine::EngineLook::Demo => EngineLook::Demo,
    }
}

/// Commands on their way to the core. A full inbox refuses; then they wait here, in order.
#[derive(Default)]
pub struct Outgoing {
    waiting: std::collections::VecDeque<Command>,
}

impl Outgoing {
    pub fn push(&mut self, command: Command) {
        self.waiting.push_back(command);
    }

    /// Sends what the inbox takes. `false` while something still waits.
    pub fn flush(&mut self, handle: &AppHandle) -> bool {
        while let Some(command) = self.waiting.pop_front() {
            if let Err(refused) = handle.send(command) {
                self.waiting.push_front(*refused.0);
                return false;
            }
        }
        true
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::command::AppCommand;
    use crate::ui::testing;

    #[test]
    fn refused_commands_wait_and_keep_their_order() {
        let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
        let (_publish, snapshots) = tokio::sync::watch::channel(Arc::new(testing::snapshot("empty")));
        let handle = AppHandle::new(sender, snapshots);
        let mut out = Outgoing::default();
        let viewing = |focused| {
            Command::App(AppCommand::Viewing {
                conversation: None,
                beside: Vec::new(),
                held: Vec::new(),
                focused,
            })
        };
        out.push(viewing(true));
        out.push(viewing(false));
        assert!(!out.flush(&handle));
        assert_eq!(receiver.try_recv().ok(), Some(viewing(true)));
        assert!(out.flush(&handle));
        assert_eq!(receiver.try_recv().ok(), Some(viewing(false)));
    }
}
