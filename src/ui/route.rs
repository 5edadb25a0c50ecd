//! What the centre of the window shows, with the way back and forward.

use serde::{Deserialize, Serialize};

use crate::model::id::{ConversationId, TurnId};

/// A place in the window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "snake_case")]
pub enum Route {
    /// No conversation is chosen: first run, or an empty project.
    #[default]
    Home,
    Chat {
        conversation: ConversationId,
    },
    /// What the project keeps beside its conversations; `conversation` is the one the user came from.
    Project {
        page: ProjectPage,
        conversation: Option<ConversationId>,
    },
    Settings {
        page: SettingsPage,
    },
    /// The context of the next message (`turn` is `None`) or of a sent one.
    Inspector {
        conversation: ConversationId,
        turn: Option<TurnId>,
    },
    /// What differs in the files of a conversation.
    Changes {
        conversation: ConversationId,
    },
}

/// What a project keeps, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProjectPage {
    #[default]
    Plans,
    Branches,
    Findings,
    Agreements,
    Artifacts,
    Links,
    Skills,
}

impl ProjectPage {
    pub const ALL: [Self; 7] = [
        Self::Plans,
        Self::Branches,
        Self::Findings,
        Self::Agreements,
        Self::Artifacts,
        Self::Links,
        Self::Skills,
    ];

    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Plans => "Plans",
            Self::Branches => "Branches",
            Self::Findings => "Findings",
            Self::Agreements => "Agreements",
            Self::Artifacts => "Artifacts",
            Self::Links => "Linked conversations",
            Self::Skills => "Skills",
        }
    }
}

/// The pages of the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingsPage {
    #[default]
    Engines,
    Servers,
    Profiles,
    Appearance,
    Keys,
    Context,
    Notifications,
    Project,
    Data,
}

impl SettingsPage {
    pub const ALL: [Self; 9] = [
        Self::Engines,
        Self::Servers,
        Self::Profiles,
        Self::Appearance,
        Self::Keys,
        Self::Context,
        Self::Notifications,
        Self::Project,
        Self::Data,
    ];

    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Engines => "Engines",
            Self::Servers => "Servers and agents",
            Self::Profiles => "Profiles",
            Self::Appearance => "Appearance",
            Self::Keys => "Keys",
            Self::Context => "Context",
            Self::Notifications => "Notifications",
            Self::Project => "Project",
            Self::Data => "Data",
        }
    }
}

/// The place shown and the places before and after it.
#[derive(Clone, Debug, Default)]
pub struct History {
    here: Route,
    back: Vec<Route>,
    forward: Vec<Route>,
}

/// Places remembered at most.
const DEPTH_MAX: usize = 50;

impl History {
    #[must_use]
    pub fn new(here: Route) -> Self {
        Self { here, back: Vec::new(), forward: Vec::new() }
    }

    #[must_use]
    pub fn here(&self) -> &Route {
        &self.here
    }

    /// Goes to a new place; going to the same place changes nothing.
    pub fn go(&mut self, to: Route) {
        if to == self.here {
            return;
        }
        let from = std::mem::replace(&mut self.here, to);
        if from != Route::Home {
            self.back.push(from);
        }
        if self.back.len() > DEPTH_MAX {
            self.back.remove(0);
        }
        self.forward.clear();
    }

    /// Puts another place here without a step (the old one is gone).
    pub fn replace(&mut self, to: Route) {
        self.here = to;
    }

    /// One step back. `false` when there is none.
    pub fn back(&mut self) -> bool {
        let Some(to) = self.back.pop() else { return false };
        self.forward.push(std::mem::replace(&mut self.here, to));
        true
    }

    /// One step forward. `false` when there is none.
    pub fn forward(&mut self) -> bool {
        let Some(to) = self.forward.pop() else { return false };
        self.back.push(std::mem::replace(&mut self.here, to));
        true
    }

    /// The newest conversation on the way back, for leaving settings.
    #[must_use]
    pub fn last_chat(&self) -> Option<ConversationId> {
        std::iter::once(&self.here).chain(self.back.iter().rev()).find_map(Route::conversation)
    }
}

impl Route {
    /// The conversation this place is about.
    #[must_use]
    pub fn conversation(&self) -> Option<ConversationId> {
        match self {
            Self::Chat { conversation }
            | Self::Inspector { conversation, .. }
            | Self::Changes { conversation } => Some(*conversation),
            Self::Project { conversation, .. } => *conversation,
            Self::Home | Self::Settings { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(id: i64) -> Route {
        Route::Chat { conversation: ConversationId(id) }
    }

    #[test]
    fn back_and_forward_keep_order() {
        let mut history = History::new(chat(1));
        history.go(chat(2));
        history.go(Route::Settings { page: SettingsPage::Engines });
        assert_eq!(history.last_chat(), Some(ConversationId(2)));
        assert!(history.back() && history.back());
        assert_eq!(history.here(), &chat(1));
        assert!(!history.back());
        assert!(history.forward());
        assert_eq!(history.here(), &chat(2));
        history.go(chat(3));
        assert!(!history.forward());
    }

    #[test]
    fn the_same_place_is_no_step() {
        let mut history = History::new(chat(1));
        history.go(chat(1));
        assert!(!history.back());
    }
}
