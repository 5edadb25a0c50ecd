//! Heads of a comparison: its bar of switches, and what each column is and where it begins.

use egui::{Align, Layout, Rect, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::api::command::{AppCommand, ChatCommand};
use crate::api::snapshot::ConversationRow;
use crate::model::branch::BranchStatus;
use crate::model::id::ConversationId;
use crate::ui::action::UiAction;
use crate::ui::cx::{DeskAt, Request, UiCx};
use crate::ui::lineage;
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::panels::sidebar::{branch_menu, glyph};
use crate::ui::theme::{self, CLEAR, Text, Weight};
use crate::ui::widgets::icon::{self, Face};
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::widgets::{Button, IconButton};

use super::align::Start;

/// Height of the head of a column, points.
pub const HEIGHT: f32 = 36.0 + 24.0;
/// Height of its name, points.
const NAME: f32 = 36.0;
/// Height of its facts, points.
pub const FACTS: f32 = 24.0;
/// Width of the bar from which its switches have words, points.
const WORDS_FROM: f32 = 600.0;

/// How the switches stand.
#[derive(Clone, Copy)]
pub struct Switches {
    pub linked: bool,
    pub answers: bool,
    pub both: bool,
}

/// The bar above the columns.
pub fn bar(cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, stand: Switches) {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    paint::bottom_line(ui, rect, p.stroke_subtle);
    let inside = rect.shrink2(vec2(sizes.space.s6, 0.0));
    let layout = Layout::right_to_left(Align::Center);
    let mut end = ui.new_child(UiBuilder::new().max_rect(inside).layout(layout).id_salt("compare end"));
    end.spacing_mut().item_spacing.x = sizes.space.s2;
    let key = cx.keys(UiAction::CompareBranches);
    if IconButton::new(icon::X, "Close comparison").key(&key).show(&mut end).clicked() {
        cx.act(UiAction::CompareBranches);
    }
    let words = rect.width() >= WORDS_FROM;
    for (action, on) in [
        (UiAction::SendToBoth, stand.both),
        (UiAction::Differences, stand.answers),
        (UiAction::ScrollTogether, stand.linked),
    ] {
        let (info, key) = (action.info(), cx.keys(action));
        let pressed = if words {
            let button = Button::quiet(&info.text).icon(info.icon).selected(on).tooltip(info.tooltip);
            button.show(&mut end).clicked()
        } else {
            let face = if on { Face::Fill } else { Face::Regular };
            IconButton::new(info.icon, &info.text).face(face).selected(on).key(&key).show(&mut end).clicked()
        };
        if pressed {
            cx.act(action);
        }
    }
    let room = end.min_rect().left() - inside.left() - sizes.space.s4;
    let x = inside.left();
    paint::icon(ui, pos2(x + 8.0, rect.center().y), icon::COLUMNS, sizes.icon.row, p.accent);
    let format = Text::Ui.format_weighted(Weight::Semibold, p.text_1);
    let galley = paint::line(ui, "Compare", format, (room - 24.0).max(0.0));
    let spot = Rect::from_min_size(pos2(x, rect.top()), vec2(24.0 + galley.size().x, rect.height()));
    let response = ui.interact(spot, ui.scope_id().with("compare title"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, "Compare"));
    if room > 60.0 {
        paint::left(ui, rect, x + 24.0, galley);
    }
}

/// How a column is shown.
#[derive(Clone, Copy)]
pub struct Manner {
    /// Commands go to it.
    pub active: bool,
    /// Its composer, with the button that stops, is not there.
    pub stop: bool,
}

/// Head of one column: name, menu, where it begins. Returns its height.
pub fn column(
    cx: &UiCx<'_>,
    ui: &mut Ui,
    rect: Rect,
    (id, start): (ConversationId, Start),
    manner: Manner,
) -> f32 {
    let Manner { active, stop } = manner;
    let p = theme::palette(ui);
    let name = Rect::from_min_size(rect.min, vec2(rect.width(), NAME));
    let line = Rect::from_min_size(pos2(rect.left(), name.bottom()), vec2(rect.width(), FACTS));
    paint::bottom_line(ui, line, p.stroke_subtle);
    if active {
        let y = line.bottom() - 0.5;
        ui.painter().hline(line.x_range().shrink(1.0), y, Stroke::new(1.0, p.accent));
    }
    let Some(row) = lineage::row(cx.snap, id) else { return HEIGHT };
    let inside = name.shrink2(vec2(theme::sizes().space.s7, 0.0));
    let layout = Layout::right_to_left(Align::Center);
    let mut end = ui.new_child(UiBuilder::new().max_rect(inside).layout(layout).id_salt("column end"));
    let title = row.conversation.title.as_str();
    let more = IconButton::small(icon::DOTS_THREE, &format!("More about {title}")).show(&mut end);
    menu::menu(&more, 220.0, |ui| column_menu(cx, ui, row));
    let live = row.state.is_some_and(crate::model::turn::TurnState::is_live);
    if stop && live {
        let name = format!("Stop {title}");
        let stop = IconButton::small(icon::STOP, &name).face(Face::Fill).color(p.error);
        if stop.show(&mut end).clicked() {
            cx.send(ChatCommand::Stop { conversation: id });
        }
    }
    let right = end.min_rect().left() - theme::sizes().space.s4;
    glyph(row).paint(ui, pos2(inside.left() + 6.0, name.center().y), theme::sizes().icon.state);
    let color = if active { p.text_1 } else { p.text_2 };
    let format = Text::Ui.format_weighted(Weight::Semibold, color);
    let x = inside.left() + 20.0;
    let galley = paint::line(ui, title, format, (right - x).max(20.0));
    let spot = Rect::from_min_size(pos2(x, name.top()), vec2(galley.size().x, name.height()));
    paint::left(ui, name, x, galley);
    let response = ui.interact(spot, ui.scope_id().with("column title"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, title));
    if response.on_hover_text(title).double_clicked() {
        cx.ask(Request::Rename(id));
    }
    facts(cx, ui, line, row, start);
    HEIGHT
}

/// Where a column begins, and how it stands.
pub fn facts(cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, row: &ConversationRow, start: Start) {
    let p = theme::palette(ui);
    let words = begins(cx, row, start);
    let line = rect.shrink2(vec2(theme::sizes().space.s7, 0.0));
    let galley = paint::line(ui, &words, Text::Caption.format(p.text_3), line.width());
    let spot = Rect::from_min_size(line.min, vec2(galley.size().x, rect.height()));
    paint::left(ui, line.translate(vec2(0.0, -3.0)), line.left(), galley);
    let response = ui.interact(spot, ui.scope_id().with("column facts"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
    response.on_hover_text(words);
}

fn column_menu(cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow) {
    if row.conversation.branch.is_some() {
        return branch_menu(cx, ui, row);
    }
    let id = row.conversation.id;
    if MenuRow::new(icon::PENCIL_SIMPLE, "Rename…").show(ui).clicked() {
        cx.ask(Request::Rename(id));
    }
    if MenuRow::new(icon::COLUMNS, "Compare with…").show(ui).clicked() {
        cx.ask(Request::Branch(crate::ui::cx::BranchAsk::Compare(id)));
    }
}

/// `Starts at message 2 of Token refresh race`.
fn begins(cx: &UiCx<'_>, row: &ConversationRow, start: Start) -> String {
    let place = |conversation, message| {
        let view = cx.snap.view(conversation)?;
        view.place_of(message).map(|place| place + 1)
    };
    let mut words = match (start.inherited, start.message) {
        (Some(inherited), _) => {
            let parent = lineage::row(cx.snap, inherited.parent);
            let parent = parent.map_or("its parent", |row| row.conversation.title.as_str());
            match place(inherited.parent, inherited.message) {
                Some(place) => format!("Starts at message {place} of {parent}"),
                None => format!("Starts in {parent}"),
            }
        }
        (None, Some(message)) => match place(row.conversation.id, message) {
            Some(place) => format!("The branch starts at its message {place}"),
            None => "The branch starts in it".to_owned(),
        },
        (None, None) if start.blank => "Knows nothing of its parent".to_owned(),
        (None, None) => "The branch knows nothing of it".to_owned(),
    };
    if let Some(branch) = &row.conversation.branch {
        match row.conversation.branch_status() {
            Some(BranchStatus::Adopted) => words.push_str(", adopted"),
            Some(BranchStatus::Archived) => words.push_str(", archived"),
            Some(BranchStatus::Active) | None => {}
        }
        if let Some(git) = &branch.facts.git_branch {
            words.push_str(&format!(", on {git}"));
        }
    }
    words
}

/// One tab per side; the one that was chosen.
pub fn tabs(
    cx: &UiCx<'_>,
    ui: &mut Ui,
    rect: Rect,
    pair: [ConversationId; 2],
    front: DeskAt,
) -> Option<DeskAt> {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    paint::bottom_line(ui, rect, p.stroke_subtle);
    let inside = rect.shrink2(vec2(sizes.space.s6, 6.0));
    let width = (inside.width() - 4.0) / 2.0;
    let mut chosen = None;
    for (side, id) in [DeskAt::Left, DeskAt::Right].into_iter().zip(pair) {
        let x = if side == DeskAt::Left { inside.left() } else { inside.right() - width };
        let rect = Rect::from_min_size(pos2(x, inside.top()), vec2(width, inside.height()));
        let row = lineage::row(cx.snap, id);
        let title = row.map_or("Deleted", |row| row.conversation.title.as_str());
        let response = ui.interact(rect, ui.scope_id().with(("side tab", side)), Sense::click());
        let here = side == front;
        response.widget_info(|| WidgetInfo::selected(Role::Tab, true, here, format!("Side {title}")));
        let fill = match (response.is_pointer_button_down_on() && !here, here || response.hovered()) {
            (true, _) => p.bg_pressed,
            (false, true) => p.bg_hover,
            (false, false) => CLEAR,
        };
        ui.painter().rect_filled(rect, sizes.radius.control, fill);
        if let Some(row) = row {
            glyph(row).paint(ui, pos2(rect.left() + 14.0, rect.center().y), sizes.icon.state);
        }
        let (color, weight) = if here { (p.text_1, Weight::Medium) } else { (p.text_2, Weight::Regular) };
        let format = Text::Small.format_weighted(weight, color);
        paint::left(ui, rect, rect.left() + 28.0, paint::line(ui, title, format, rect.width() - 36.0));
        paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
        if response.on_hover_text(title).clicked() && !here {
            chosen = Some(side);
        }
    }
    chosen
}

/// Below the reason why a conversation could not be read.
pub fn try_again(cx: &UiCx<'_>, ui: &mut Ui, area: Rect, id: ConversationId) {
    let at = area.shrink2(vec2(theme::sizes().space.s10, 84.0));
    let mut child = ui.new_child(UiBuilder::new().max_rect(at).id_salt("try again"));
    if Button::secondary("Try again").icon(icon::ARROW_CLOCKWISE).show(&mut child).clicked() {
        cx.send(AppCommand::Viewing {
            conversation: cx.route.conversation(),
            beside: vec![id],
            held: cx.compared.into_iter().flatten().collect(),
            focused: true,
        });
    }
}
