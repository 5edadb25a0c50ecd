//! Every command a user can give to the window, with its words and its shortcut.
//!
//! Menu, palette, slash list, key sheet and shortcuts are all made from this list. The keys here are those a command
//! comes with; which hold now says `keys`, after the user's choices.

use egui::{Key, KeyboardShortcut, Modifiers};

use crate::model::pack::Mode;
use crate::model::settings::ThemeChoice;
use crate::ui::keys::Chord;
use crate::ui::route::{ProjectPage, SettingsPage};
use crate::ui::widgets::icon::{self, Icon};

/// One user command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UiAction {
    Palette,
    NewConversation,
    OpenFolder,
    FindHere,
    ToggleSidebar,
    FocusComposer,
    GoToQuestion,
    /// The conversation at this place of the list, from 1.
    Conversation(u8),
    NextConversation,
    PreviousConversation,
    Rename,
    Archive,
    Delete,
    StopTurn,
    ContinueTurn,
    EditLast,
    Latest,
    CopyAnswer,
    CopyConversation,
    Context,
    Compare,
    Project(ProjectPage),
    NewPlan,
    /// The newest answer becomes an agreement.
    Decide,
    /// The newest answer becomes an artifact.
    Keep,
    /// A branch at the newest message.
    Branch,
    /// The sheet that adopts the branch shown.
    Adopt,
    ToggleDrawer,
    PinDrawer,
    /// What differs in the files of the conversation.
    Changes,
    /// Two branches side by side, or back.
    CompareBranches,
    /// The next three belong to the comparison on screen.
    ScrollTogether,
    Differences,
    SendToBoth,
    SetMode(Option<Mode>),
    Settings(SettingsPage),
    FindEngines,
    Theme(ThemeChoice),
    ZoomIn,
    ZoomOut,
    ZoomReset,
    Back,
    Forward,
    NextRegion,
    PreviousRegion,
    Keys,
    Quit,
}

/// The words of a command.
#[derive(Clone, Debug)]
pub struct ActionInfo {
    pub text: String,
    /// One sentence.
    pub tooltip: &'static str,
    pub icon: Icon,
    /// Word after `/` in the composer.
    pub slash: Option<&'static str>,
    pub group: Group,
}

/// Where a command stands in the key sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Window,
    Conversation,
    Turn,
    Settings,
}

impl Group {
    pub const ALL: [Self; 4] = [Self::Window, Self::Conversation, Self::Turn, Self::Settings];

    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Window => "Window",
            Self::Conversation => "Conversation",
            Self::Turn => "Turn",
            Self::Settings => "Settings",
        }
    }
}

const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

/// Combinations kept for views that come later; nothing else may take them.
pub const RESERVED: [KeyboardShortcut; 1] = [KeyboardShortcut::new(CTRL_SHIFT, Key::F)];

impl UiAction {
    /// Every command, in the order of lists.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = vec![
            Self::Palette,
            Self::NewConversation,
            Self::OpenFolder,
            Self::FindHere,
            Self::Context,
            Self::Compare,
            Self::NewPlan,
            Self::Decide,
            Self::Keep,
            Self::Branch,
            Self::ToggleDrawer,
            Self::PinDrawer,
            Self::CompareBranches,
            Self::ScrollTogether,
            Self::Differences,
            Self::SendToBoth,
            Self::Adopt,
            Self::Changes,
            Self::GoToQuestion,
            Self::StopTurn,
            Self::ContinueTurn,
            Self::EditLast,
            Self::Latest,
            Self::CopyAnswer,
            Self::CopyConversation,
            Self::Rename,
            Self::Archive,
            Self::Delete,
            Self::NextConversation,
            Self::PreviousConversation,
        ];
        all.extend((1..=9).map(Self::Conversation));
        all.extend(ProjectPage::ALL.map(Self::Project));
        all.extend([Self::SetMode(None)]);
        all.extend(Mode::ALL.map(|mode| Self::SetMode(Some(mode))));
        all.extend([
            Self::FocusComposer,
            Self::NextRegion,
            Self::PreviousRegion,
            Self::ToggleSidebar,
            Self::Back,
            Self::Forward,
        ]);
        all.extend(SettingsPage::ALL.map(Self::Settings));
        all.extend([Self::FindEngines]);
        all.extend([ThemeChoice::System, ThemeChoice::Light, ThemeChoice::Dark].map(Self::Theme));
        all.extend([Self::ZoomIn, Self::ZoomOut, Self::ZoomReset, Self::Keys, Self::Quit]);
        all
    }

    /// Its words.
    #[must_use]
    pub fn info(self) -> ActionInfo {
        let (text, tooltip, icon, group) = self.words();
        ActionInfo { text, tooltip, icon, slash: self.slash(), group }
    }

    /// The keys it comes with. What the user chose in their place stands in `keys::KeyMap`.
    #[must_use]
    pub fn standard_keys(self) -> Vec<Chord> {
        // The plus sign lies on the key of the equals sign on many keyboards.
        let second = (self == Self::ZoomIn).then(|| KeyboardShortcut::new(CTRL, Key::Equals));
        self.shortcut().into_iter().chain(second).map(Chord::from).collect()
    }

    fn shortcut(self) -> Option<KeyboardShortcut> {
        let key = |modifiers, key| Some(KeyboardShortcut::new(modifiers, key));
        match self {
            Self::Palette => key(CTRL, Key::K),
            Self::NewConversation => key(CTRL, Key::N),
            Self::OpenFolder => key(CTRL, Key::O),
            Self::FindHere => key(CTRL, Key::F),
            Self::ToggleSidebar => key(CTRL, Key::B),
            Self::FocusComposer => key(CTRL, Key::L),
            Self::GoToQuestion => key(Modifiers::NONE, Key::F8),
            Self::Conversation(place) => key(CTRL, digit(place)?),
            Self::NextConversation => key(CTRL, Key::PageDown),
            Self::PreviousConversation => key(CTRL, Key::PageUp),
            Self::Rename => key(Modifiers::NONE, Key::F2),
            Self::Latest => key(CTRL_SHIFT, Key::L),
            Self::CopyAnswer => key(CTRL_SHIFT, Key::A),
            Self::Context => key(CTRL_SHIFT, Key::I),
            Self::Project(ProjectPage::Plans) => key(CTRL_SHIFT, Key::P),
            Self::Branch => key(CTRL_SHIFT, Key::B),
            Self::ToggleDrawer => key(CTRL, Key::J),
            Self::PinDrawer => key(CTRL, Key::Backslash),
            Self::CompareBranches => key(CTRL_SHIFT, Key::J),
            Self::Settings(SettingsPage::Engines) => key(CTRL, Key::Comma),
            Self::ZoomIn => key(CTRL, Key::Plus),
            Self::ZoomOut => key(CTRL, Key::Minus),
            Self::ZoomReset => key(CTRL, Key::Num0),
            Self::Back => key(CTRL, Key::OpenBracket),
            Self::Forward => key(CTRL, Key::CloseBracket),
            Self::NextRegion => key(Modifiers::NONE, Key::F6),
            Self::PreviousRegion => key(Modifiers::SHIFT, Key::F6),
            Self::Keys => key(CTRL, Key::Slash),
            Self::Quit => key(CTRL, Key::Q),
            Self::Archive
            | Self::Delete
            | Self::StopTurn
            | Self::ContinueTurn
            | Self::EditLast
            | Self::CopyConversation
            | Self::SetMode(_)
            | Self::Compare
            | Self::Project(_)
            | Self::NewPlan
            | Self::Decide
            | Self::Keep
            | Self::Adopt
            | Self::Changes
            | Self::ScrollTogether
            | Self::Differences
            | Self::SendToBoth
            | Self::Settings(_)
            | Self::FindEngines
            | Self::Theme(_) => None,
        }
    }

    fn slash(self) -> Option<&'static str> {
        match self {
            Self::NewConversation => Some("new"),
            Self::FindHere => Some("find"),
            Self::Context => Some("context"),
            Self::Compare => Some("compare"),
            Self::Project(page) => Some(match page {
                ProjectPage::Plans => "plans",
                ProjectPage::Branches => "branches",
                ProjectPage::Findings => "findings",
                ProjectPage::Agreements => "agreements",
                ProjectPage::Artifacts => "artifacts",
                ProjectPage::Links => "links",
                ProjectPage::Skills => "skills",
            }),
            Self::NewPlan => Some("plan"),
            Self::Decide => Some("decide"),
            Self::Keep => Some("keep"),
            Self::Branch => Some("branch"),
            Self::Adopt => Some("adopt"),
            Self::Changes => Some("changes"),
            Self::CompareBranches => Some("compare-branches"),
            Self::Differences => Some("differences"),
            Self::Settings(SettingsPage::Profiles) => Some("profiles"),
            Self::StopTurn => Some("stop"),
            Self::ContinueTurn => Some("continue"),
            Self::EditLast => Some("edit"),
            Self::CopyAnswer => Some("copy"),
            Self::CopyConversation => Some("copy-all"),
            Self::Rename => Some("rename"),
            Self::Archive => Some("archive"),
            Self::Delete => Some("delete"),
            Self::SetMode(None) => Some("auto"),
            Self::SetMode(Some(Mode::Lite)) => Some("lite"),
            Self::SetMode(Some(Mode::Standard)) => Some("standard"),
            Self::SetMode(Some(Mode::Full)) => Some("full"),
            Self::Settings(SettingsPage::Engines) => Some("engines"),
            Self::Settings(SettingsPage::Appearance) => Some("appearance"),
            Self::Keys => Some("keys"),
            Self::OpenFolder => Some("open"),
            Self::Palette
            | Self::ToggleSidebar
            | Self::FocusComposer
            | Self::GoToQuestion
            | Self::Conversation(_)
            | Self::NextConversation
            | Self::PreviousConversation
            | Self::Latest
            | Self::ToggleDrawer
            | Self::PinDrawer
            | Self::ScrollTogether
            | Self::SendToBoth
            | Self::Settings(_)
            | Self::FindEngines
            | Self::Theme(_)
            | Self::ZoomIn
            | Self::ZoomOut
            | Self::ZoomReset
            | Self::Back
            | Self::Forward
            | Self::NextRegion
            | Self::PreviousRegion
            | Self::Quit => None,
        }
    }

    fn words(self) -> (String, &'static str, Icon, Group) {
        match self {
            Self::Conversation(_)
            | Self::NewConversation
            | Self::FindHere
            | Self::NextConversation
            | Self::PreviousConversation
            | Self::Rename
            | Self::Archive
            | Self::Delete
            | Self::Latest
            | Self::CopyAnswer
            | Self::CopyConversation => self.words_conversation(),
            Self::GoToQuestion
            | Self::StopTurn
            | Self::ContinueTurn
            | Self::EditLast
            | Self::Context
            | Self::Compare
            | Self::SetMode(_) => self.words_turn(),
            Self::Project(_) | Self::NewPlan | Self::Decide | Self::Keep => self.words_project(),
            Self::Branch | Self::Adopt | Self::Changes | Self::ToggleDrawer | Self::PinDrawer => {
                self.words_branch()
            }
            Self::CompareBranches | Self::ScrollTogether | Self::Differences | Self::SendToBoth => {
                self.words_compare()
            }
            Self::Settings(_)
            | Self::FindEngines
            | Self::Theme(_)
            | Self::ZoomIn
            | Self::ZoomOut
            | Self::ZoomReset => self.words_settings(),
            Self::Palette
            | Self::OpenFolder
            | Self::ToggleSidebar
            | Self::FocusComposer
            | Self::Back
            | Self::Forward
            | Self::NextRegion
            | Self::PreviousRegion
            | Self::Keys
            | Self::Quit => self.words_window(),
        }
    }

    fn words_window(self) -> (String, &'static str, Icon, Group) {
        let (text, tooltip, icon) = match self {
            Self::OpenFolder => ("Open folder…", "Opens a folder as a project.", icon::FOLDER_OPEN),
            Self::ToggleSidebar => {
                ("Show or hide the sidebar", "Narrow windows show a rail instead.", icon::SIDEBAR_SIMPLE)
            }
            Self::FocusComposer => {
                ("Write a message", "Moves the keyboard to the composer.", icon::PENCIL_SIMPLE)
            }
            Self::Back => ("Go back", "To the place before.", icon::ARROW_LEFT),
            Self::Forward => ("Go forward", "To the place after.", icon::ARROW_RIGHT),
            Self::NextRegion => {
                ("Next region", "Moves the keyboard to the next part of the window.", icon::SQUARES_FOUR)
            }
            Self::PreviousRegion => (
                "Previous region",
                "Moves the keyboard to the part of the window before.",
                icon::SQUARES_FOUR,
            ),
            Self::Keys => ("List of keys", "Every command with its shortcut.", icon::KEYBOARD),
            Self::Quit => ("Quit", "Stops running turns and closes the window.", icon::SIGN_OUT),
            _ => ("Find or run…", "Finds conversations, commands and settings.", icon::MAGNIFYING_GLASS),
        };
        (text.to_owned(), tooltip, icon, Group::Window)
    }

    fn words_conversation(self) -> (String, &'static str, Icon, Group) {
        let (text, tooltip, icon) = match self {
            Self::Conversation(place) => {
                let text = format!("Conversation {place}");
                return (
                    text,
                    "Opens the conversation at this place of the list.",
                    icon::CHAT_CIRCLE,
                    Group::Conversation,
                );
            }
            Self::FindHere => {
                ("Find in this conversation", "Finds text in all its messages.", icon::MAGNIFYING_GLASS)
            }
            Self::NextConversation => {
                ("Next conversation", "Opens the next one of the list.", icon::ARROW_DOWN)
            }
            Self::PreviousConversation => {
                ("Previous conversation", "Opens the one before in the list.", icon::ARROW_UP)
            }
            Self::Rename => ("Rename conversation…", "Gives it another title.", icon::PENCIL_SIMPLE),
            Self::Archive => ("Archive conversation", "Moves it to the archive, or back.", icon::ARCHIVE),
            Self::Delete => ("Delete conversation…", "Takes it off the lists; can be undone.", icon::TRASH),
            Self::Latest => ("Newest message", "Scrolls to the end and follows it.", icon::ARROW_DOWN),
            Self::CopyAnswer => ("Copy the newest answer", "As Markdown.", icon::COPY),
            Self::CopyConversation => {
                ("Copy the conversation", "All loaded messages as Markdown.", icon::COPY)
            }
            _ => ("New conversation", "Starts one in this project.", icon::PLUS),
        };
        (text.to_owned(), tooltip, icon, Group::Conversation)
    }

    fn words_turn(self) -> (String, &'static str, Icon, Group) {
        let (text, tooltip, icon) = match self {
            Self::GoToQuestion => {
                ("Go to the next question", "Opens the conversation that waits for you.", icon::DIAMOND)
            }
            Self::StopTurn => ("Stop the turn", "What came so far stays. Esc does the same.", icon::STOP),
            Self::ContinueTurn => ("Continue", "Goes on after a stopped or failed turn.", icon::PLAY),
            Self::EditLast => {
                ("Edit the last message", "Arrow up in an empty composer does the same.", icon::PENCIL_SIMPLE)
            }
            Self::SetMode(None) => {
                ("Context mode: by rule", "Long conversations and plans get more.", icon::STACK)
            }
            Self::SetMode(Some(mode)) => {
                let text = format!("Context mode: {}", mode.label());
                return (text, "How much context the next message takes along.", icon::STACK, Group::Turn);
            }
            Self::Compare => (
                "Compare two contexts",
                "What two engines or two turns are told, side by side.",
                icon::COLUMNS,
            ),
            _ => {
                ("Context of the next message", "What the agent will be told, and what was cut.", icon::STACK)
            }
        };
        (text.to_owned(), tooltip, icon, Group::Turn)
    }

    fn words_project(self) -> (String, &'static str, Icon, Group) {
        let (text, tooltip, icon) = match self {
            Self::Project(page) => {
                let text = format!("Project: {}", page.label());
                let (tooltip, icon) = match page {
                    ProjectPage::Plans => ("What shall be reached, in which steps.", icon::LIST_CHECKS),
                    ProjectPage::Branches => ("Where each branch starts and how it stands.", icon::GIT_FORK),
                    ProjectPage::Findings => ("What reviews found, open and settled.", icon::BUG),
                    ProjectPage::Agreements => ("What was decided.", icon::SCALES),
                    ProjectPage::Artifacts => ("Texts worth keeping.", icon::FILE_TEXT),
                    ProjectPage::Links => ("Other conversations this one may know of.", icon::LINK),
                    ProjectPage::Skills => ("Which skills agents are told of.", icon::LIGHTNING),
                };
                return (text, tooltip, icon, Group::Conversation);
            }
            Self::NewPlan => ("New plan…", "Writes a plan for this conversation.", icon::LIST_CHECKS),
            Self::Decide => {
                ("Mark the newest answer as decided…", "Later requests are told of it.", icon::SCALES)
            }
            _ => (
                "Keep the newest answer as an artifact…",
                "Pinned ones are told to agents.",
                icon::BOOKMARK_SIMPLE,
            ),
        };
        (text.to_owned(), tooltip, icon, Group::Conversation)
    }

    fn words_branch(self) -> (String, &'static str, Icon, Group) {
        let (text, tooltip, icon) = match self {
            Self::Adopt => {
                ("Adopt this branch…", "Puts its conclusion into its parent.", icon::ARROW_BEND_UP_LEFT)
            }
            Self::ToggleDrawer => {
                ("Show or hide the branch", "The newest one when none is open.", icon::COLUMNS)
            }
            Self::Changes => (
                "Changed files",
                "What differs in the files, against where the branch began.",
                icon::GIT_DIFF,
            ),
            Self::PinDrawer => ("Pin or unpin the branch", "Pinned, it takes half the room.", icon::PUSH_PIN),
            _ => {
                ("Branch from the newest message", "Another way to go on, beside this one.", icon::GIT_BRANCH)
            }
        };
        (text.to_owned(), tooltip, icon, Group::Conversation)
    }

    fn words_compare(self) -> (String, &'static str, Icon, Group) {
        let (text, tooltip, icon) = match self {
            Self::ScrollTogether => (
                "Scroll together",
                "Both compared columns keep the same distance from where they part.",
                icon::LINK,
            ),
            Self::Differences => (
                "Differences",
                "Lays the final answers of both compared columns side by side and marks what differs.",
                icon::GIT_DIFF,
            ),
            Self::SendToBoth => (
                "Send to both",
                "One field that writes to both compared columns; each gives its own answer.",
                icon::PAPER_PLANE_RIGHT,
            ),
            _ => ("Compare branches…", "Two of them, or one and its parent, side by side.", icon::COLUMNS),
        };
        (text.to_owned(), tooltip, icon, Group::Conversation)
    }

    fn words_settings(self) -> (String, &'static str, Icon, Group) {
        let (text, tooltip, icon) = match self {
            Self::Settings(page) => {
                let text = format!("Settings: {}", page.label());
                return (text, "Changes apply at once.", icon::GEAR, Group::Settings);
            }
            Self::FindEngines => {
                ("Look for engines again", "Finds programs, versions and logins.", icon::ARROWS_CLOCKWISE)
            }
            Self::Theme(ThemeChoice::Light) => ("Theme: light", "Light colours.", icon::SUN),
            Self::Theme(ThemeChoice::Dark) => ("Theme: dark", "Dark colours.", icon::MOON),
            Self::ZoomIn => ("Zoom in", "Everything larger.", icon::PLUS),
            Self::ZoomOut => ("Zoom out", "Everything smaller.", icon::MINUS),
            Self::ZoomReset => ("Zoom 100 %", "The system's size.", icon::SQUARE),
            _ => ("Theme: as the system", "Follows the system.", icon::DESKTOP),
        };
        (text.to_owned(), tooltip, icon, Group::Settings)
    }
}

fn digit(place: u8) -> Option<Key> {
    const DIGITS: [Key; 9] =
        [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7, Key::Num8, Key::Num9];
    DIGITS.get(usize::from(place).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_kept_for_later_views_are_free() {
        for action in UiAction::all() {
            let keys = action.standard_keys();
            assert!(RESERVED.iter().all(|kept| !keys.contains(&Chord::from(*kept))), "{action:?}");
        }
    }

    #[test]
    fn slash_words_and_texts_are_unique_and_said() {
        let all: Vec<ActionInfo> = UiAction::all().into_iter().map(UiAction::info).collect();
        for (place, info) in all.iter().enumerate() {
            assert!(!info.text.is_empty() && info.tooltip.ends_with('.'), "{info:?}");
            for other in all.iter().skip(place + 1) {
                assert_ne!(info.text, other.text);
                assert!(info.slash.is_none() || info.slash != other.slash, "{info:?}");
            }
        }
    }
}
