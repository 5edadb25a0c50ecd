//! Head of the centre: tabs, the conversation's title, git branch, warning while permissions are skipped.

use egui::{Align, Layout, Rect, Sense, Ui, UiBuilder, pos2, vec2};

use crate::ui::action::UiAction;
use crate::ui::cx::{Request, UiCx};
use crate::ui::lineage;
use crate::ui::panel::Panel;
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::regions::{self, Region};
use crate::ui::route::{ProjectPage, Route, SettingsPage};
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;
use crate::ui::widgets::picker::{Lead, picker_button};
use crate::ui::widgets::tabs::{Tab, tabs_with_id};
use crate::ui::widgets::{Chip, IconButton, Tone};
use crate::ui::words;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Chat,
    Project,
    Settings,
}

/// The head has no state of its own.
#[derive(Default)]
pub struct Header;

/// Width of the head below which the git branch gives way, points.
const BRANCH_FROM: f32 = 700.0;
/// Width of the head below which its tabs become one button, points.
const TABS_FROM: f32 = 560.0;

impl Panel for Header {
    fn title(&self) -> &'static str {
        "Header"
    }

    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let sizes = theme::sizes();
        let p = theme::palette(ui);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.head), Sense::hover());
        paint::bottom_line(ui, rect, p.stroke_subtle);
        let inside = rect.shrink2(vec2(sizes.space.s6, 0.0));
        let ends = if has_branches(cx) { 106.0 } else { 72.0 };
        let right = Rect::from_min_max(pos2(inside.right() - ends, inside.top()), inside.max);
        let layout = Layout::right_to_left(Align::Center);
        buttons(cx, &mut ui.new_child(UiBuilder::new().max_rect(right).layout(layout).id_salt("head end")));
        let left = Rect::from_min_max(inside.min, pos2(right.left() - sizes.space.s4, inside.bottom()));
        let layout = Layout::left_to_right(Align::Center);
        let mut ui = ui.new_child(UiBuilder::new().max_rect(left).layout(layout).id_salt("head"));
        let place = match cx.route {
            Route::Settings { .. } => Place::Settings,
            Route::Project { .. } => Place::Project,
            _ => Place::Chat,
        };
        let all = [
            Tab { value: Place::Chat, label: "Chat", note: "" },
            Tab { value: Place::Project, label: "Project", note: "" },
            Tab { value: Place::Settings, label: "Settings", note: "" },
        ];
        let (chosen, tab) = if rect.width() < TABS_FROM {
            places(&mut ui, &all, place)
        } else {
            tabs_with_id(&mut ui, &all, place)
        };
        if let Some(tab) = tab.filter(|_| !matches!(cx.route, Route::Chat { .. })) {
            regions::mark(ui.ctx(), Region::Header, tab);
        }
        match chosen {
            Some(Place::Chat) => cx.act(UiAction::Back),
            Some(Place::Project) => cx.act(UiAction::Project(ProjectPage::default())),
            Some(Place::Settings) => cx.act(UiAction::Settings(SettingsPage::Engines)),
            None => {}
        }
        if place != Place::Settings {
            title(cx, &mut ui, rect.width());
        }
    }
}

/// The tabs behind one button that names the current one; they have no room beside the title.
fn places(ui: &mut Ui, all: &[Tab<'_, Place>], current: Place) -> (Option<Place>, Option<egui::Id>) {
    let here = all.iter().find(|tab| tab.value == current).map_or("", |tab| tab.label);
    let button = picker_button(ui, Lead::None, here, "Place", false);
    let chosen = menu::menu(&button, 180.0, |ui| {
        let mut chosen = None;
        for tab in all {
            let selected = tab.value == current;
            if MenuRow::plain(tab.label).selected(selected).show(ui).clicked() && !selected {
                chosen = Some(tab.value);
            }
        }
        chosen
    });
    (chosen.flatten(), Some(button.id))
}

/// The conversation shown has branches that can be shown beside it.
fn has_branches(cx: &UiCx<'_>) -> bool {
    let Route::Chat { conversation } = cx.route else { return false };
    cx.branch.is_some() || lineage::under(cx.snap, *conversation).any(|row| !row.conversation.archived)
}

fn buttons(cx: &UiCx<'_>, ui: &mut Ui) {
    if !matches!(cx.route, Route::Chat { .. }) {
        return;
    }
    ui.spacing_mut().item_spacing.x = theme::sizes().space.s3;
    if has_branches(cx) {
        let toggle = UiAction::ToggleDrawer;
        let text = toggle.info().text;
        let button = IconButton::new(icon::COLUMNS, &text).selected(cx.branch.is_some());
        if button.key(&cx.keys(toggle)).show(ui).clicked() {
            cx.act(toggle);
        }
    }
    for (icon, action) in [(icon::STACK, UiAction::Context), (icon::MAGNIFYING_GLASS, UiAction::FindHere)] {
        let info = action.info();
        let button = IconButton::new(icon, &info.text).key(&cx.keys(action)).show(ui);
        regions::mark(ui.ctx(), Region::Header, button.id);
        if button.clicked() {
            cx.act(action);
        }
    }
}

fn title(cx: &UiCx<'_>, ui: &mut Ui, width: f32) {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let Some(project) = cx.project() else { return };
    let (line, _) = ui.allocate_exact_size(vec2(9.0, 20.0), Sense::hover());
    ui.painter().vline(line.center().x, line.y_range(), egui::Stroke::new(1.0, p.stroke_default));
    let skip = project.skip_permissions;
    let branch = cx.snap.git_branch.as_ref().filter(|_| width >= BRANCH_FROM);
    let reserved = if skip { 150.0 } else { 0.0 } + if branch.is_some() { 110.0 } else { 0.0 };
    let room = (ui.available_width() - reserved).max(60.0);
    let name = cx.view().map_or("", |view| view.row.conversation.title.as_str());
    let galley = paint::line(ui, name, Text::Ui.format_weighted(Weight::Semibold, p.text_1), room);
    let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x, 28.0), Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Heading, true, name));
    paint::left(ui, rect, rect.left(), galley);
    let folder = words::path(&project.path, cx.home);
    let response = response.on_hover_text(format!("{name}\nAgents work in {folder}"));
    if response.double_clicked()
        && let Some(view) = cx.view()
    {
        cx.ask(Request::Rename(view.row.conversation.id));
    }
    if let Some(branch) = branch {
        let galley = paint::line(ui, branch, Text::MonoSmall.format(p.text_3), 90.0);
        let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x + 17.0, 28.0), Sense::click());
        response.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Git branch {branch}"))
        });
        if response.hovered() {
            let ground = rect.expand2(vec2(5.0, -2.0));
            ui.painter().rect_filled(ground, sizes.radius.control, p.bg_hover);
        }
        paint::focus_ring(
            ui,
            &response,
            rect.expand2(vec2(5.0, -2.0)),
            sizes.radius.control,
            paint::Ring::Inside,
        );
        if response.clicked()
            && let Some(conversation) = cx.route.conversation()
        {
            cx.ask(Request::Go(Route::Changes { conversation }));
        }
        paint::icon(
            ui,
            pos2(rect.left() + 6.0, rect.center().y),
            icon::GIT_BRANCH,
            sizes.icon.inline,
            p.text_3,
        );
        paint::left(ui, rect, rect.left() + 17.0, galley);
        response.on_hover_text(format!("Branch {branch} in {folder}. Click for the changed files."));
    }
    if skip {
        let chip = Chip::new("Skips permissions").icon(icon::WARNING).tone(Tone::Warn).clickable().show(ui);
        let chip = chip.on_hover_text("Agents in this project act without asking. Click to change it.");
        if chip.clicked() {
            cx.ask(Request::Go(Route::Settings { page: SettingsPage::Project }));
        }
    }
}
