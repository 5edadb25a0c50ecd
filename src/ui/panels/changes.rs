//! What differs in the files of a conversation: facts, the list of files, the difference of one of them.

mod files;
mod lines;
mod states;

use egui::{Align, Key, Layout, Modifiers, Rect, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::api::command::BranchCommand;
use crate::api::snapshot::{ChangesView, ConversationRow};
use crate::model::branch::BranchFacts;
use crate::model::git::{Changes, Checkout, GitPath};
use crate::model::id::ConversationId;
use crate::ui::cx::{Request, UiCx};
use crate::ui::lineage;
use crate::ui::panel::Panel;
use crate::ui::regions::{self, Region};
use crate::ui::route::Route;
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;
use crate::ui::widgets::{Chip, IconButton, Tone};
use crate::ui::words;

/// Width from which the difference stands beside the list, points.
const TWO_PANES_FROM: f32 = 900.0;
/// The list's part of the width beside the difference, and of the height above it.
const LIST_SHARE: f32 = 0.36;
const LIST_SHARE_ABOVE: f32 = 0.38;

/// What was asked for, and what is open.
#[derive(Default)]
pub struct ChangesPanel {
    asked: Option<ConversationId>,
    chosen: Option<GitPath>,
    list: files::FileList,
    diff: lines::DiffLines,
    states: states::States,
}

impl Panel for ChangesPanel {
    fn title(&self) -> &'static str {
        "Changes"
    }

    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let Route::Changes { conversation } = cx.route else { return };
        let Some(row) = lineage::row(cx.snap, *conversation) else { return };
        if self.asked != Some(*conversation) {
            *self = Self { asked: Some(*conversation), ..Self::default() };
            cx.send(BranchCommand::LookAtChanges { conversation: *conversation });
        }
        ui.spacing_mut().item_spacing.y = 0.0;
        head(cx, ui, row);
        let view = cx.snap.changes.as_deref().filter(|view| view.conversation == *conversation);
        let Some(view) = view else { return states::quiet(ui, "The files are being looked at.") };
        let facts = row.conversation.branch.as_ref().map(|branch| &branch.facts);
        let changes = match view.checkout.as_deref() {
            Some(Checkout::There(changes)) => Some(&**changes),
            Some(Checkout::Gone { .. }) | None => None,
        };
        if let Some(changes) = changes {
            summary(cx, ui, changes, facts);
        }
        self.states.strips(cx, ui, row, view);
        match (changes, view.checkout.as_deref()) {
            (Some(changes), _) if changes.files.is_empty() => states::empty(cx, ui, facts),
            (Some(changes), _) => self.files(cx, ui, view, changes),
            (None, Some(Checkout::Gone { folder })) => states::gone(cx, ui, row, folder),
            (None, _) => states::waiting(ui, view),
        }
    }
}

impl ChangesPanel {
    /// Looks afresh the next time it is shown.
    pub fn left(&mut self) {
        self.asked = None;
    }

    fn files(&mut self, cx: &UiCx<'_>, ui: &mut Ui, view: &ChangesView, changes: &Changes) {
        let is_there = |path: &GitPath| changes.files.iter().any(|file| file.path == *path);
        if !self.chosen.as_ref().is_some_and(is_there) {
            let shown = view.diff_of.clone().filter(is_there);
            let first = || changes.files.first().map(|file| file.path.clone());
            self.choose(cx, view, shown.or_else(first));
            self.list.reveal();
        }
        self.keys(cx, ui, view, changes);
        let rect = ui.available_rect_before_wrap();
        let beside = rect.width() >= TWO_PANES_FROM;
        let (list, diff) = if beside {
            rect.split_left_right_at_fraction(LIST_SHARE)
        } else {
            rect.split_top_bottom_at_fraction(LIST_SHARE_ABOVE)
        };
        let (list, diff) = (list.round(), diff.round());
        let mut side = ui.new_child(UiBuilder::new().max_rect(list).id_salt("changed files"));
        side.set_clip_rect(list.intersect(ui.clip_rect()));
        if let Some(pressed) = self.list.show(&mut side, changes, self.chosen.as_ref()) {
            self.choose(cx, view, Some(pressed));
        }
        let mut text = ui.new_child(UiBuilder::new().max_rect(diff).id_salt("difference"));
        text.set_clip_rect(diff.intersect(ui.clip_rect()));
        let file = self.chosen.as_ref().and_then(|path| changes.files.iter().find(|file| file.path == *path));
        if let Some(file) = file {
            self.diff.show(cx, &mut text, view, file);
        }
        let stroke = Stroke::new(1.0, theme::palette(ui).stroke_subtle);
        if beside {
            ui.painter().vline(diff.left() + 0.5, diff.y_range(), stroke);
        } else {
            ui.painter().hline(diff.x_range(), diff.top() + 0.5, stroke);
        }
    }

    fn choose(&mut self, cx: &UiCx<'_>, view: &ChangesView, path: Option<GitPath>) {
        self.chosen.clone_from(&path);
        if let Some(file) = path.filter(|path| view.diff_of.as_ref() != Some(path) || view.diff.is_none()) {
            cx.send(BranchCommand::LookAtDiff { conversation: view.conversation, file });
        }
    }

    /// Up and down go from file to file, whatever has the keyboard but a field.
    fn keys(&mut self, cx: &UiCx<'_>, ui: &Ui, view: &ChangesView, changes: &Changes) {
        if cx.covered || egui::Popup::is_any_open(ui.ctx()) || ui.ctx().egui_wants_keyboard_input() {
            return;
        }
        let step = ui.input_mut(|input| {
            let mut pressed = |key| input.consume_key(Modifiers::NONE, key);
            if pressed(Key::ArrowDown) || pressed(Key::J) {
                1
            } else if pressed(Key::ArrowUp) || pressed(Key::K) {
                -1
            } else {
                0
            }
        });
        let here = changes.files.iter().position(|file| Some(&file.path) == self.chosen.as_ref());
        let (Some(here), true) = (here, step != 0) else { return };
        if let Some(file) = here.checked_add_signed(step).and_then(|to| changes.files.get(to)) {
            self.choose(cx, view, Some(file.path.clone()));
            self.list.reveal();
        }
    }
}

fn head(cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow) {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let id = row.conversation.id;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.head), Sense::hover());
    paint::bottom_line(ui, rect, p.stroke_subtle);
    let inside = rect.shrink2(vec2(sizes.space.s6, 0.0));
    let right = Layout::right_to_left(Align::Center);
    let mut end = ui.new_child(UiBuilder::new().max_rect(inside).layout(right).id_salt("changes end"));
    let close = IconButton::new(icon::X, "Close changes").key("Esc").show(&mut end);
    regions::mark(ui.ctx(), Region::Header, close.id);
    if close.clicked() {
        cx.ask(Request::Go(Route::Chat { conversation: id }));
    }
    states::actions(cx, &mut end, row);
    if IconButton::new(icon::ARROW_CLOCKWISE, "Look again").show(&mut end).clicked() {
        cx.send(BranchCommand::LookAtChanges { conversation: id });
    }
    let x = inside.left();
    paint::icon(ui, pos2(x + 8.0, rect.center().y), icon::GIT_DIFF, sizes.icon.action, p.accent);
    let format = Text::Ui.format_weighted(Weight::Semibold, p.text_1);
    let room = (end.min_rect().left() - x - 40.0).max(40.0);
    let next = paint::left(ui, rect, x + 26.0, paint::line(ui, "Changes", format, room)) + sizes.space.s5;
    let room = end.min_rect().left() - next - 12.0;
    if room > 60.0 {
        let title = &row.conversation.title;
        let of = if row.conversation.branch.is_some() {
            format!("in {title}")
        } else {
            "in the project".to_owned()
        };
        let galley = paint::line(ui, &of, Text::Ui.format(p.text_3), room);
        let cut = galley.elided;
        let spot = Rect::from_min_size(pos2(next, rect.top()), vec2(galley.size().x, rect.height()));
        paint::left(ui, rect, next, galley);
        let response = ui.interact(spot, ui.scope_id().with("changes of"), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &of));
        if cut {
            response.on_hover_text(title);
        }
    }
}

/// One line of facts: branch, what it is compared with, how much there is, where.
fn summary(cx: &UiCx<'_>, ui: &mut Ui, changes: &Changes, facts: Option<&BranchFacts>) {
    let p = theme::palette(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 40.0), Sense::hover());
    paint::bottom_line(ui, rect, p.stroke_subtle);
    let inside = rect.shrink2(vec2(theme::sizes().space.s8, 0.0));
    let layout = Layout::left_to_right(Align::Center);
    let mut ui = ui.new_child(UiBuilder::new().max_rect(inside).layout(layout).id_salt("facts"));
    ui.spacing_mut().item_spacing.x = theme::sizes().space.s6;
    let branch = match (&changes.git_branch, &changes.head) {
        (Some(name), _) => name.clone(),
        (None, Some(commit)) => format!("detached at {commit}"),
        (None, None) => "no commit".to_owned(),
    };
    fact(&mut ui, Some(icon::GIT_BRANCH), &branch, Text::MonoSmall);
    let own = facts.is_some_and(|facts| facts.worktree.is_some());
    let short: String = changes.base.chars().take(8).collect();
    let from = match (own, changes.commits) {
        _ if changes.head.is_none() => "Before the first commit".to_owned(),
        (false, _) => "Not committed yet".to_owned(),
        (true, 0) => format!("Since {short}"),
        (true, 1) => format!("1 commit since {short}"),
        (true, commits) => format!("{commits} commits since {short}"),
    };
    fact(&mut ui, None, &from, Text::Small);
    let count = changes.files.len() as u64 + changes.more_files;
    let files = if count == 1 { "1 file".to_owned() } else { format!("{} files", words::thousands(count)) };
    fact(&mut ui, None, &files, Text::Small);
    let (added, removed) = changes.lines();
    if added + removed > 0 {
        files::counts(&mut ui, added, removed);
    }
    if let Some(operation) = &changes.operation {
        let text = format!("{operation} under way");
        Chip::new(&text).icon(icon::WARNING).tone(Tone::Warn).show(&mut ui);
    }
    let room = ui.available_width();
    if room > 120.0 {
        let folder = words::path(&changes.folder, cx.home);
        let format = Text::MonoSmall.format(p.text_3);
        let galley = paint::line_middle(&ui, &folder, &format, room);
        let (spot, response) = ui.allocate_exact_size(vec2(room, 24.0), Sense::hover());
        let said = format!("Folder {}", changes.folder.display());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &said));
        paint::right(&ui, spot, spot.right(), galley);
        response.on_hover_text(changes.folder.display().to_string());
    }
}

fn fact(ui: &mut Ui, which: Option<icon::Icon>, text: &str, step: Text) {
    let p = theme::palette(ui);
    let galley = paint::line(ui, text, step.format(p.text_2), ui.available_width().min(260.0));
    let lead = if which.is_some() { 17.0 } else { 0.0 };
    let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x + lead, 24.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    if let Some(which) = which {
        let at = pos2(rect.left() + 6.0, rect.center().y);
        paint::icon(ui, at, which, theme::sizes().icon.inline, p.text_3);
    }
    let cut = galley.elided;
    paint::left(ui, rect, rect.left() + lead, galley);
    if cut {
        response.on_hover_text(text);
    }
}
