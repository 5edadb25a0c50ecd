use crate::model::pack::Mode;
use crate::model::settings::ThemeChoice;
use crate::ui::action::UiAction;
use crate::ui::route::{ProjectPage, SettingsPage};

/// The name under which a command's keys are stored. Never changes for a command that there has been.
#[must_use]
pub fn name(action: UiAction) -> String {
    let name = match action {
        UiAction::Palette => "palette",
        UiAction::NewConversation => "new_conversation",
        UiAction::OpenFolder => "open_folder",
        UiAction::FindHere => "find_here",
        UiAction::ToggleSidebar => "toggle_sidebar",
        UiAction::FocusComposer => "focus_composer",
        UiAction::GoToQuestion => "go_to_question",
        UiAction::Conversation(place) => return format!("conversation_{place}"),
        UiAction::NextConversation => "next_conversation",
        UiAction::PreviousConversation => "previous_conversation",
        UiAction::Rename => "rename",
        UiAction::Archive => "archive",
        UiAction::Delete => "delete",
        UiAction::StopTurn => "stop_turn",
        UiAction::ContinueTurn => "continue_turn",
        UiAction::EditLast => "edit_last",
        UiAction::Latest => "latest",
        UiAction::CopyAnswer => "copy_answer",
        UiAction::CopyConversation => "copy_conversation",
        UiAction::Context => "context",
        UiAction::Compare => "compare",
        UiAction::Project(page) => project(page),
        UiAction::NewPlan => "new_plan",
        UiAction::Decide => "decide",
        UiAction::Keep => "keep",
        UiAction::Branch => "branch",
        UiAction::Adopt => "adopt",
        UiAction::ToggleDrawer => "toggle_branch",
        UiAction::PinDrawer => "pin_branch",
        UiAction::Changes => "changes",
        UiAction::CompareBranches => "compare_branches",
        UiAction::ScrollTogether => "scroll_together",
        UiAction::Differences => "differences",
        UiAction::SendToBoth => "send_to_both",
        UiAction::SetMode(None) => "mode_auto",
        UiAction::SetMode(Some(Mode::Lite)) => "mode_lite",
        UiAction::SetMode(Some(Mode::Standard)) => "mode_standard",
        UiAction::SetMode(Some(Mode::Full)) => "mode_full",
        UiAction::Settings(page) => settings(page),
        UiAction::FindEngines => "find_engines",
        UiAction::Theme(ThemeChoice::System) => "theme_system",
        UiAction::Theme(ThemeChoice::Light) => "theme_light",
        UiAction::Theme(ThemeChoice::Dark) => "theme_dark",
        UiAction::ZoomIn => "zoom_in",
        UiAction::ZoomOut => "zoom_out",
        UiAction::ZoomReset => "zoom_reset",
        UiAction::Back => "back",
        UiAction::Forward => "forward",
        UiAction::NextRegion => "next_region",
        UiAction::PreviousRegion => "previous_region",
        UiAction::Keys => "keys",
        UiAction::Quit => "quit",
    };
    name.to_owned()
}

fn project(page: ProjectPage) -> &'static str {
    match page {
        ProjectPage::Plans => "project_plans",
        ProjectPage::Branches => "project_branches",
        ProjectPage::Findings => "project_findings",
        ProjectPage::Agreements => "project_agreements",
        ProjectPage::Artifacts => "project_artifacts",
        ProjectPage::Links => "project_links",
        ProjectPage::Skills => "project_skills",
    }
}

fn settings(page: SettingsPage) -> &'static str {
    match page {
        SettingsPage::Engines => "settings_engines",
        SettingsPage::Servers => "settings_servers",
        SettingsPage::Profiles => "settings_profiles",
        SettingsPage::Appearance => "settings_appearance",
        SettingsPage::Keys => "settings_keys",
        SettingsPage::Context => "settings_context",
        SettingsPage::Notifications => "settings_notifications",
        SettingsPage::Project => "settings_project",
        SettingsPage::Data => "settings_data",
    }
}
