//! Project picker, search field and the list of conversations; a rail of icons where the window is narrow.

mod branches;

use egui::{Rect, Response, Role, ScrollArea, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::api::command::{ChatCommand, ProjectCommand};
use crate::api::snapshot::ConversationRow;
use crate::model::id::ConversationId;
use crate::model::turn::TurnState;
use crate::ui::action::UiAction;
use crate::ui::cx::{Request, UiCx};
use crate::ui::panel::Panel;
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::regions::{self, Region};
use crate::ui::route::{Route, SettingsPage};
use crate::ui::theme::{self, CLEAR, Text};
use crate::ui::widgets::icon::{self, Icon};
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::widgets::row::{RowEnd, SidebarRow, section_head};
use crate::ui::widgets::{IconButton, StateGlyph, key_hint};
use crate::ui::words;

pub use branches::branch_menu;

/// View state of the sidebar.
pub struct Sidebar {
    conversations_open: bool,
    pub branches_open: bool,
    pub archive_open: bool,
}

impl Default for Sidebar {
    fn default() -> Self {
        Self { conversations_open: true, branches_open: true, archive_open: false }
    }
}

/// The strongest thing to say about a conversation.
#[must_use]
pub fn glyph(row: &ConversationRow) -> StateGlyph {
    if row.asks > 0 || row.state == Some(TurnState::NeedsYou) {
        return StateGlyph::NeedsYou;
    }
    match row.state {
        Some(TurnState::Failed) => StateGlyph::Failed,
        Some(TurnState::Starting | TurnState::Running | TurnState::Stopping) => StateGlyph::Running,
        _ if row.conversation.unread => StateGlyph::Unread,
        Some(TurnState::Queued) => StateGlyph::Queued,
        _ if row.queued > 0 => StateGlyph::Queued,
        Some(TurnState::Stopped | TurnState::Interrupted) => StateGlyph::Stopped,
        Some(TurnState::Done | TurnState::NeedsYou) | None => StateGlyph::Idle,
    }
}

impl Panel for Sidebar {
    fn title(&self) -> &'static str {
        "Sidebar"
    }

    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let sizes = theme::sizes();
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.add_space(sizes.space.s5);
        project_picker(cx, ui);
        ui.add_space(sizes.space.s2);
        search_row(cx, ui);
        let foot = ui.available_height() - 40.0;
        let list = Rect::from_min_size(ui.cursor().min, vec2(ui.available_width(), foot.max(40.0)));
        let mut area = ui.new_child(UiBuilder::new().max_rect(list).id_salt("conversation list"));
        self.list(cx, &mut area);
        let bottom = Rect::from_min_size(pos2(list.left(), list.bottom()), vec2(list.width(), 36.0));
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        let mut foot = ui.new_child(UiBuilder::new().max_rect(bottom).layout(layout).id_salt("sidebar foot"));
        foot_buttons(cx, &mut foot);
        ui.allocate_rect(list.union(bottom), Sense::hover());
    }
}

fn project_picker(cx: &UiCx<'_>, ui: &mut Ui) {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 32.0), Sense::click());
    let name = cx.project().map_or("No project", |project| project.name.as_str());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Project {name}")));
    let fill = if response.hovered() { p.bg_hover } else { CLEAR };
    ui.painter().rect_filled(rect, sizes.radius.control, fill);
    let x = rect.left() + sizes.space.s4;
    paint::icon(ui, pos2(x + 8.0, rect.center().y), icon::FOLDER_OPEN, sizes.icon.action, p.accent);
    let mut end = rect.right() - sizes.space.s4;
    paint::icon(ui, pos2(end - 7.0, rect.center().y), icon::CARET_UP_DOWN, sizes.icon.row, p.text_3);
    end -= 24.0;
    if let Some(branch) = &cx.snap.git_branch {
        let galley = paint::line(ui, branch, Text::MonoSmall.format(p.text_3), 84.0);
        end = paint::right(ui, rect, end, galley) - 9.0;
        paint::icon(ui, pos2(end, rect.center().y), icon::GIT_BRANCH, sizes.icon.inline, p.text_3);
        end -= 12.0;
    }
    let galley = paint::line(ui, name, Text::Subhead.format(p.text_1), end - x - 24.0);
    paint::left(ui, rect, x + 24.0, galley);
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    regions::mark(ui.ctx(), Region::Sidebar, response.id);
    menu::menu(&response, rect.width().max(240.0), |ui| project_menu(cx, ui));
    if let Some(project) = cx.project() {
        response.on_hover_text(words::path(&project.path, cx.home));
    }
}

const RECENT_PROJECTS: usize = 8;

/// Recent projects and the way to a new one.
pub fn project_menu(cx: &UiCx<'_>, ui: &mut Ui) {
    for project in cx.snap.projects.iter().take(RECENT_PROJECTS) {
        let here = cx.snap.project == Some(project.id);
        let path = words::path(&project.path, cx.home);
        if MenuRow::new(icon::FOLDER, &project.name).end(&path).selected(here).show(ui).clicked() && !here {
            cx.send(ProjectCommand::Select { project: project.id });
        }
    }
    if !cx.snap.projects.is_empty() {
        menu::divider(ui);
    }
    let keys = cx.keys(UiAction::OpenFolder);
    if MenuRow::new(icon::FOLDER_OPEN, "Open folder…").end(&keys).show(ui).clicked() {
        cx.act(UiAction::OpenFolder);
    }
    if cx.snap.project.is_some() && MenuRow::new(icon::GEAR, "Project settings").show(ui).clicked() {
        cx.ask(Request::Go(Route::Settings { page: SettingsPage::Project }));
    }
}

fn search_row(cx: &UiCx<'_>, ui: &mut Ui) {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.sidebar), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Find or run"));
    let fill = if response.hovered() { p.bg_hover } else { CLEAR };
    ui.painter().rect_filled(rect, sizes.radius.control, fill);
    let x = rect.left() + sizes.space.s4;
    paint::icon(ui, pos2(x + 7.0, rect.center().y), icon::MAGNIFYING_GLASS, sizes.icon.row, p.text_3);
    let galley = paint::line(ui, "Find or run…", Text::Ui.format(p.text_3), rect.width());
    paint::left(ui, rect, x + 22.0, galley);
    let inside = rect.shrink2(vec2(sizes.space.s4, 5.0));
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    let keys = cx.keys(UiAction::Palette);
    if !keys.is_empty() {
        key_hint(&mut ui.new_child(UiBuilder::new().max_rect(inside).layout(layout)), &keys);
    }
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    if response.clicked() {
        cx.act(UiAction::Palette);
    }
}

fn foot_buttons(cx: &UiCx<'_>, ui: &mut Ui) {
    ui.add_space(theme::sizes().space.s1);
    let settings = UiAction::Settings(SettingsPage::Engines);
    if IconButton::new(icon::GEAR, "Settings").key(&cx.keys(settings)).show(ui).clicked() {
        cx.act(settings);
    }
    if IconButton::new(icon::QUESTION, "List of keys").key(&cx.keys(UiAction::Keys)).show(ui).clicked() {
        cx.act(UiAction::Keys);
    }
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let hide = UiAction::ToggleSidebar;
        if IconButton::new(icon::SIDEBAR_SIMPLE, "Hide sidebar").key(&cx.keys(hide)).show(ui).clicked() {
            cx.act(hide);
        }
    });
}

impl Sidebar {
    fn list(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let (archived, current): (Vec<_>, Vec<_>) =
            cx.snap.conversations.iter().partition(|row| row.conversation.archived);
        let is_branch = |row: &&std::sync::Arc<ConversationRow>| row.conversation.branch.is_some();
        let (branches, current): (Vec<_>, Vec<_>) = current.into_iter().partition(is_branch);
        let count = archived.len();
        let (archived_branches, archived): (Vec<_>, Vec<_>) = archived.into_iter().partition(is_branch);
        let new = cx.snap.project.map(|_| "New conversation");
        if section_head(ui, "Conversations", current.len(), &mut self.conversations_open, new).add {
            cx.act(UiAction::NewConversation);
        }
        ScrollArea::vertical().id_salt("conversations").auto_shrink(false).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            if self.conversations_open {
                rows(cx, ui, &current);
                if current.is_empty() && cx.snap.project.is_some() {
                    ui.add_space(4.0);
                    ui.horizontal(|ui| {
                        ui.add_space(8.0);
                        ui.label(Text::Small.rich("No conversation yet", theme::palette(ui).text_3));
                    });
                }
            }
            if !branches.is_empty() {
                section_head(ui, "Branches", branches.len(), &mut self.branches_open, None);
                if self.branches_open {
                    branches::rows(cx, ui, &branches);
                }
            }
            if count > 0 {
                section_head(ui, "Archive", count, &mut self.archive_open, None);
                if self.archive_open {
                    rows(cx, ui, &archived);
                    branches::rows(cx, ui, &archived_branches);
                }
            }
        });
    }
}

/// Rows of equal height; only the visible ones are drawn.
fn rows(cx: &UiCx<'_>, ui: &mut Ui, list: &[&std::sync::Arc<ConversationRow>]) {
    let height = theme::sizes().row.sidebar;
    #[expect(clippy::cast_precision_loss, reason = "a count of rows")]
    let total = list.len() as f32 * height;
    let (all, _) = ui.allocate_exact_size(vec2(ui.available_width(), total), Sense::hover());
    let clip = ui.clip_rect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rows, 0 or more")]
    let first = ((clip.top() - all.top()) / height).floor().max(0.0) as usize;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rows, 0 or more")]
    let count = (clip.height() / height).ceil().max(0.0) as usize + 1;
    for (place, row) in list.iter().enumerate().skip(first).take(count) {
        #[expect(clippy::cast_precision_loss, reason = "a count of rows")]
        let top = all.top() + place as f32 * height;
        let rect = Rect::from_min_size(pos2(all.left(), top), vec2(all.width(), height));
        let id = row.conversation.id;
        let mut child = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(("conversation", id.0)));
        conversation_row(cx, &mut child, row);
    }
}

fn conversation_row(cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow) {
    let state = glyph(row);
    let id = row.conversation.id;
    let updated = row.conversation.updated_ms;
    let end = match state {
        StateGlyph::Running | StateGlyph::NeedsYou => {
            words::elapsed((cx.now.ms - updated).max(0) / 60_000 * 60_000)
        }
        _ => cx.now.row_time(updated),
    };
    let end = if end == "0 s" { "now".to_owned() } else { end };
    let outcome = SidebarRow::new(state, &row.conversation.title)
        .end(RowEnd::Caption(&end))
        .selected(is_here(cx, id))
        .more("Conversation menu")
        .show(ui);
    if outcome.response.clicked() {
        cx.ask(Request::Go(Route::Chat { conversation: id }));
    }
    menu::context_menu(&outcome.response, 200.0, |ui| conversation_menu(cx, ui, row));
    if let Some(more) = outcome.more {
        menu::menu(&more, 200.0, |ui| conversation_menu(cx, ui, row));
    }
}

/// It is what is read: alone, or as a side of a comparison.
fn is_here(cx: &UiCx<'_>, id: ConversationId) -> bool {
    match cx.compared {
        Some(pair) => pair.contains(&id),
        None => {
            cx.branch.is_none() && matches!(cx.route, Route::Chat { conversation } if *conversation == id)
        }
    }
}

fn conversation_menu(cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow) {
    let id = row.conversation.id;
    if MenuRow::new(icon::PENCIL_SIMPLE, "Rename…").show(ui).clicked() {
        cx.ask(Request::Rename(id));
    }
    let archived = row.conversation.archived;
    let text = if archived { "Move out of the archive" } else { "Move to the archive" };
    if MenuRow::new(icon::ARCHIVE, text).show(ui).clicked() {
        cx.send(ChatCommand::SetArchived { conversation: id, archived: !archived });
    }
    menu::divider(ui);
    if MenuRow::new(icon::TRASH, "Delete").destructive().show(ui).clicked() {
        cx.send(ChatCommand::Delete { conversation: id });
    }
}

/// The rail: what the sidebar offers, as icons. Returns whether the full sidebar is to open over the content.
pub fn rail(cx: &UiCx<'_>, ui: &mut Ui) -> bool {
    let sizes = theme::sizes();
    let mut open = false;
    ui.spacing_mut().item_spacing.y = sizes.space.s2;
    ui.vertical_centered(|ui| {
        ui.add_space(sizes.space.s4);
        open |= rail_button(ui, icon::SIDEBAR_SIMPLE, "Show sidebar", false, None);
        if rail_button(ui, icon::MAGNIFYING_GLASS, "Find or run", false, None) {
            cx.act(UiAction::Palette);
        }
        ui.add_space(sizes.space.s4);
        let strongest = strongest(cx);
        let in_chat = cx.branch.is_none() && matches!(cx.route, Route::Chat { .. } | Route::Home);
        open |= rail_button(ui, icon::CHAT_CIRCLE, "Conversations", in_chat, strongest);
        if cx.snap.conversations.iter().any(|row| row.conversation.branch.is_some()) {
            open |= rail_button(ui, icon::GIT_BRANCH, "Branches", cx.branch.is_some(), None);
        }
        if rail_button(ui, icon::PLUS, "New conversation", false, None) {
            cx.act(UiAction::NewConversation);
        }
    });
    let foot =
        Rect::from_min_max(pos2(ui.max_rect().left(), ui.max_rect().bottom() - 36.0), ui.max_rect().max);
    let mut foot = ui.new_child(UiBuilder::new().max_rect(foot).id_salt("rail foot"));
    foot.vertical_centered(|ui| {
        let at_settings = matches!(cx.route, Route::Settings { .. });
        if rail_button(ui, icon::GEAR, "Settings", at_settings, None) {
            cx.act(UiAction::Settings(SettingsPage::Engines));
        }
    });
    open
}

fn rail_button(ui: &mut Ui, icon: Icon, name: &str, selected: bool, badge: Option<StateGlyph>) -> bool {
    let response: Response = IconButton::new(icon, name).selected(selected).show(ui);
    if let Some(badge) = badge {
        badge.paint(ui, response.rect.right_top() + vec2(-5.0, 5.0), 9.0);
    }
    response.clicked()
}

/// The strongest state over all conversations, as a badge.
fn strongest(cx: &UiCx<'_>) -> Option<StateGlyph> {
    let mut best = None;
    for row in cx.snap.conversations.iter().filter(|row| !row.conversation.archived) {
        match glyph(row) {
            StateGlyph::NeedsYou => return Some(StateGlyph::NeedsYou),
            StateGlyph::Unread => best = Some(StateGlyph::Unread),
            _ => {}
        }
    }
    best
}

/// Line along the right edge of sidebar and rail.
pub fn edge(ui: &Ui, rect: Rect) {
    let stroke = Stroke::new(1.0, theme::palette(ui).stroke_subtle);
    ui.painter().vline(rect.right() - 0.5, rect.y_range(), stroke);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testing;

    #[test]
    fn the_strongest_state_wins() {
        let snap = testing::snapshot("chat");
        let mut row = (*snap.conversations[0]).clone();
        row.conversation.unread = true;
        row.queued = 1;
        for (state, asks, expected) in [
            (Some(TurnState::Running), 1, StateGlyph::NeedsYou),
            (Some(TurnState::Failed), 0, StateGlyph::Failed),
            (Some(TurnState::Stopping), 0, StateGlyph::Running),
            (Some(TurnState::Done), 0, StateGlyph::Unread),
        ] {
            row.state = state;
            row.asks = asks;
            assert_eq!(glyph(&row), expected);
        }
        row.conversation.unread = false;
        assert_eq!(glyph(&row), StateGlyph::Queued);
    }
}
