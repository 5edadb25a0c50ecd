//! Two packs side by side: what both are told in one row, what differs line by line.

use std::sync::Arc;

use egui::{Frame, Margin, Rect, ScrollArea, Sense, Ui, UiBuilder, pos2, vec2};

use crate::api::command::{ChatCommand, PackSource};
use crate::api::snapshot::{ConversationView, PackView};
use crate::model::id::TurnId;
use crate::model::message::Author;
use crate::model::pack::{ContextPack, SectionId};
use crate::model::project::SeatChoice;
use crate::ui::cx::UiCx;
use crate::ui::panels::seat::words_of;
use crate::ui::theme::{self, CLEAR, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::widgets::picker::{Choice, Lead, picker_button, picker_menu};
use crate::ui::words;

use super::line_diff::{Line, compare};

/// What the second pack is, and which sections are open.
#[derive(Default)]
pub struct Compare {
    with: Option<PackSource>,
    made: Option<Made>,
}

/// The comparison of two packs, made once.
struct Made {
    hashes: (String, String),
    rows: Vec<Row>,
}

struct Row {
    id: SectionId,
    left: Option<String>,
    right: Option<String>,
    lines: Vec<Line>,
    open: bool,
}

/// Width from which both texts stand side by side, points.
const BESIDE_FROM: f32 = 720.0;
/// Equal lines kept around a difference.
const AROUND: usize = 2;
/// Turns offered, at most.
const TURNS_MAX: usize = 12;

/// What can stand at the right.
struct Offer {
    source: PackSource,
    lead: Lead,
    label: String,
    detail: String,
}

impl Compare {
    /// Draws the comparison of `left` with what is picked.
    pub fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView, left: &Arc<PackView>) {
        let offers = offers(cx, view, left);
        if self.with.as_ref().is_none_or(|with| !offers.iter().any(|offer| offer.source == *with)) {
            // The text changed: the same seat goes on, with the new text.
            let old = self.with.take();
            let again =
                offers.iter().find(|offer| old.as_ref().is_some_and(|old| has_seat_of(&offer.source, old)));
            if let Some(next) = again.or(offers.first()) {
                self.ask(cx, view, next.source.clone());
            }
        }
        self.pick(cx, ui, view, left, &offers);
        let p = theme::palette(ui);
        let say = |ui: &mut Ui, text: &str| {
            ui.add_space(20.0);
            ui.horizontal(|ui| {
                ui.add_space(20.0);
                ui.label(Text::Ui.rich(text, p.text_2));
            });
        };
        let Some(with) = &self.with else {
            return say(ui, "There is no other engine ready and no earlier turn to compare with.");
        };
        let Some(right) = view.compared.as_ref().filter(|pack| is_of(pack, with)) else {
            return say(ui, "The second context is being put together.");
        };
        let hashes = (left.pack.report.hash.clone(), right.pack.report.hash.clone());
        if self.made.as_ref().is_none_or(|made| made.hashes != hashes) {
            self.made = Some(Made { hashes, rows: rows(&left.pack, &right.pack) });
        }
        let Some(made) = &mut self.made else { return };
        summary(ui, &made.rows, &left.pack, &right.pack);
        ScrollArea::vertical().id_salt("compared").auto_shrink(false).show(ui, |ui| {
            Frame::NONE.inner_margin(Margin::symmetric(12, 4)).show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                ui.set_width(ui.available_width());
                for row in &mut made.rows {
                    ui.push_id(row.id.label(), |ui| section(ui, row));
                }
            });
        });
    }

    fn ask(&mut self, cx: &UiCx<'_>, view: &ConversationView, with: PackSource) {
        let conversation = view.row.conversation.id;
        cx.send(ChatCommand::ComparePack { conversation, with: with.clone() });
        self.with = Some(with);
    }

    /// Forgets what was compared, so that it is asked for afresh.
    pub fn reset(&mut self) {
        self.with = None;
        self.made = None;
    }

    fn pick(
        &mut self,
        cx: &UiCx<'_>,
        ui: &mut Ui,
        view: &ConversationView,
        left: &PackView,
        offers: &[Offer],
    ) {
        let p = theme::palette(ui);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 40.0), Sense::hover());
        paint::bottom_line(ui, rect, p.stroke_subtle);
        let inside = rect.shrink2(vec2(20.0, 0.0));
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        let mut ui = ui.new_child(UiBuilder::new().max_rect(inside).layout(layout).id_salt("compare pick"));
        let named = match left.turn {
            Some(turn) => turn_words(cx, view, turn),
            None => words_of(cx, left.seat.as_ref().unwrap_or(&view.row.conversation.seat)),
        };
        let half = (inside.width() * 0.5 - 40.0).max(80.0);
        let galley = paint::line(&ui, &named, Text::Ui.format_weighted(Weight::Medium, p.text_1), half);
        let (spot, _) = ui.allocate_exact_size(vec2(galley.size().x, 28.0), Sense::hover());
        paint::left(&ui, spot, spot.left(), galley);
        ui.label(Text::Ui.rich("with", p.text_3));
        let at = offers.iter().position(|offer| Some(&offer.source) == self.with.as_ref());
        let choices: Vec<Choice<'_>> = offers
            .iter()
            .map(|offer| Choice {
                lead: offer.lead,
                label: &offer.label,
                detail: &offer.detail,
                ..Choice::default()
            })
            .collect();
        let now = at.and_then(|at| choices.get(at));
        let (lead, label) = now.map_or((Lead::None, "Nothing"), |choice| (choice.lead, choice.label));
        let button = picker_button(&mut ui, lead, label, "Compare with", false);
        if let Some(offer) = picker_menu(&button, at, &choices).and_then(|at| offers.get(at)) {
            self.ask(cx, view, offer.source.clone());
        }
    }
}

fn has_seat_of(one: &PackSource, other: &PackSource) -> bool {
    match (one, other) {
        (PackSource::Seat { seat: one, .. }, PackSource::Seat { seat: other, .. }) => one == other,
        _ => false,
    }
}

/// True when a pack is what was asked for.
fn is_of(pack: &PackView, with: &PackSource) -> bool {
    match with {
        PackSource::Turn(turn) => pack.turn == Some(*turn),
        PackSource::Seat { seat, text } => {
            pack.turn.is_none() && pack.seat.as_ref() == Some(seat) && pack.prompt == *text
        }
    }
}

/// Other engines and profiles for the same text, then earlier turns; for a sent pack the turns come first.
fn offers(cx: &UiCx<'_>, view: &ConversationView, left: &PackView) -> Vec<Offer> {
    let here = left.seat.as_ref().unwrap_or(&view.row.conversation.seat);
    let seat_offer = |seat: SeatChoice, label: String, detail: String| Offer {
        lead: Lead::Engine(cx.look(&seat.engine)),
        source: PackSource::Seat { seat: Box::new(seat), text: left.prompt.clone() },
        label,
        detail,
    };
    let engines = cx.snap.engines.iter().filter(|row| row.info.id != here.engine).map(|row| {
        let model = cx.snap.settings.engines.get(&row.info.id).and_then(|set| set.model.clone());
        let seat = SeatChoice { engine: row.info.id.clone(), model, profile: None, ..here.clone() };
        seat_offer(seat, row.info.name.clone(), "for the same text".to_owned())
    });
    let profiles =
        cx.snap.settings.profiles.iter().filter(|profile| profile.seat() != *here).map(|profile| {
            let seat = profile.seat();
            let detail = words_of(cx, &seat);
            seat_offer(seat, profile.name.clone(), detail)
        });
    let seats = engines.chain(profiles);
    let turns =
        turns(view).into_iter().filter(|turn| Some(*turn) != left.turn).take(TURNS_MAX).map(|turn| Offer {
            source: PackSource::Turn(turn),
            lead: Lead::Icon(icon::CLOCK),
            label: turn_words(cx, view, turn),
            detail: "sent".to_owned(),
        });
    if left.turn.is_some() { turns.chain(seats).collect() } else { seats.chain(turns).collect() }
}

/// Turns of the messages that are loaded, newest first.
fn turns(view: &ConversationView) -> Vec<TurnId> {
    let mut all: Vec<TurnId> = Vec::new();
    for place in (0..view.index.len()).rev().take(200) {
        let turn =
            view.message(place).filter(|message| message.author != Author::User).and_then(|one| one.turn);
        if let Some(turn) = turn.filter(|turn| !all.contains(turn)) {
            all.push(turn);
        }
    }
    all
}

/// `Architect Claude, 14:02`.
fn turn_words(cx: &UiCx<'_>, view: &ConversationView, turn: TurnId) -> String {
    let found = (0..view.index.len()).rev().find_map(|place| {
        let message = view.message(place).filter(|message| message.turn == Some(turn))?;
        match &message.author {
            Author::Agent { name, .. } => Some(format!("{name}, {}", cx.now.day_time(message.created_ms))),
            _ => None,
        }
    });
    found.unwrap_or_else(|| format!("Turn {turn}"))
}

fn rows(left: &ContextPack, right: &ContextPack) -> Vec<Row> {
    let of = |pack: &ContextPack, id| {
        pack.sections.iter().find(|section| section.id == id).map(|section| section.text.clone())
    };
    let mut ids: Vec<SectionId> =
        left.sections.iter().chain(&right.sections).map(|section| section.id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter()
        .map(|id| {
            let (left, right) = (of(left, id), of(right, id));
            let same = left == right;
            let text = |side: &Option<String>| side.clone().unwrap_or_default();
            let lines = if same {
                Vec::new()
            } else {
                let (a, b) = (text(&left), text(&right));
                let (a, b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
                compare(&a, &b)
            };
            Row { id, left, right, lines, open: !same }
        })
        .collect()
}

/// One line that answers the question before anything is read.
fn summary(ui: &mut Ui, rows: &[Row], left: &ContextPack, right: &ContextPack) {
    let p = theme::palette(ui);
    let differing: Vec<&str> =
        rows.iter().filter(|row| row.left != row.right).map(|row| row.id.label()).collect();
    let text = if differing.is_empty() {
        "Both are told exactly the same.".to_owned()
    } else {
        let same = rows.len() - differing.len();
        format!("{same} of {} sections are the same. Different: {}.", rows.len(), differing.join(", "))
    };
    let chars = |pack: &ContextPack| words::thousands(pack.report.total_chars.into());
    Frame::NONE.inner_margin(Margin { left: 20, right: 20, top: 10, bottom: 6 }).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.label(Text::Ui.rich(text, p.text_1));
            let counts = format!("{} and {} characters", chars(left), chars(right));
            ui.label(Text::Ui.rich(counts, p.text_3));
        });
    });
}

fn section(ui: &mut Ui, row: &mut Row) {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let same = row.left == row.right;
    let (word, color) = match (&row.left, &row.right) {
        _ if same => ("Same", p.text_3),
        (Some(_), None) => ("Only left", p.warn),
        (None, Some(_)) => ("Only right", p.warn),
        _ => ("Differs", p.warn),
    };
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.table + 4.0), Sense::click());
    let said = format!("{}: {word}", row.id.label());
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, row.open, &said));
    let fill = if response.hovered() { p.bg_hover } else { CLEAR };
    ui.painter().rect_filled(rect, sizes.radius.control, fill);
    let caret = if row.open { icon::CARET_DOWN } else { icon::CARET_RIGHT };
    paint::icon(ui, pos2(rect.left() + 14.0, rect.center().y), caret, 12.0, p.text_3);
    let weight = if same { Weight::Regular } else { Weight::Medium };
    let tint = if same { p.text_2 } else { p.text_1 };
    let name = paint::line(ui, row.id.label(), Text::Ui.format_weighted(weight, tint), 200.0);
    paint::left(ui, rect, rect.left() + 28.0, name);
    let word = paint::line(ui, word, Text::Small.format(color), 120.0);
    paint::left(ui, rect, rect.left() + 204.0, word);
    let count = |side: &Option<String>| {
        side.as_ref().map_or_else(|| "–".to_owned(), |text| words::thousands(text.chars().count() as u64))
    };
    let counts = if same {
        format!("{} characters", count(&row.left))
    } else {
        format!("{} and {} characters", count(&row.left), count(&row.right))
    };
    let galley = paint::line(ui, &counts, Text::Small.format(p.text_3), (rect.width() - 320.0).max(20.0));
    paint::right(ui, rect, rect.right() - 8.0, galley);
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    if response.clicked() {
        row.open = !row.open;
    }
    if row.open {
        Frame::NONE.inner_margin(Margin { left: 8, right: 8, top: 2, bottom: 10 }).show(ui, |ui| {
            Frame::NONE.fill(p.bg_inset).corner_radius(sizes.radius.card).inner_margin(8).show(ui, |ui| {
                ui.set_width(ui.available_width());
                body(ui, row);
            });
        });
    }
}

fn body(ui: &mut Ui, row: &Row) {
    let text = |side: &Option<String>| side.clone().unwrap_or_default();
    if row.lines.is_empty() {
        let p = theme::palette(ui);
        for line in text(&row.left).lines() {
            let line = if line.is_empty() { " " } else { line };
            ui.add(egui::Label::new(Text::Mono.rich(line, p.text_2)).wrap());
        }
        return;
    }
    let (left, right) = (text(&row.left), text(&row.right));
    let (left, right): (Vec<&str>, Vec<&str>) = (left.lines().collect(), right.lines().collect());
    let beside = ui.available_width() >= BESIDE_FROM;
    let mut at = 0;
    while let Some(line) = row.lines.get(at) {
        let skipped = equal_run(&row.lines, at);
        if skipped > 0 {
            gap(ui, skipped);
            at += skipped;
            continue;
        }
        match *line {
            Line::Same(x, y) => both(ui, beside, (left.get(x), right.get(y)), SAME),
            Line::Differs(x, y) => {
                let pair = (x.and_then(|x| left.get(x)), y.and_then(|y| right.get(y)));
                both(ui, beside, pair, (Side::Left, Side::Right));
            }
        }
        at += 1;
    }
}

/// Equal lines from `at` on that are farther than [`AROUND`] from any difference; 0 when it is to be drawn.
fn equal_run(lines: &[Line], at: usize) -> usize {
    let is_same = |place: usize| matches!(lines.get(place), Some(Line::Same(..)));
    let near = |place: usize| {
        (place.saturating_sub(AROUND)..=place + AROUND).any(|other| other < lines.len() && !is_same(other))
    };
    let run = (at..lines.len()).take_while(|place| !near(*place)).count();
    // Leaving out a single line would save nothing.
    if run > 1 { run } else { 0 }
}

fn gap(ui: &mut Ui, count: usize) {
    let p = theme::palette(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 22.0), Sense::hover());
    let text = format!("… {}", words::plural(count as u64, "equal line", "equal lines"));
    let galley = paint::line(ui, &text, Text::Caption.format(p.diff_hunk), rect.width());
    paint::left(ui, rect, rect.left() + 18.0, galley);
}

/// Both sides of an equal line.
const SAME: (Side, Side) = (Side::Same, Side::Same);

fn both(ui: &mut Ui, beside: bool, pair: (Option<&&str>, Option<&&str>), sides: (Side, Side)) {
    let (left, right) = pair;
    if !beside {
        if sides == SAME {
            return cell(ui, left, Side::Same);
        }
        if left.is_some() {
            cell(ui, left, Side::Left);
        }
        if right.is_some() {
            cell(ui, right, Side::Right);
        }
        return;
    }
    let all = ui.available_rect_before_wrap();
    let half = ((all.width() - 8.0) / 2.0).floor();
    let mut bottom: f32 = all.top();
    for (x, text, side) in [(all.left(), left, sides.0), (all.right() - half, right, sides.1)] {
        let rect = Rect::from_min_size(pos2(x, all.top()), vec2(half, f32::INFINITY));
        let mut child = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(x.to_bits()));
        cell(&mut child, text, side);
        bottom = bottom.max(child.min_rect().bottom());
    }
    let taken = Rect::from_min_max(all.min, pos2(all.right(), bottom));
    ui.allocate_rect(taken, Sense::hover());
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Same,
    Left,
    Right,
}

fn cell(ui: &mut Ui, text: Option<&&str>, side: Side) {
    let p = theme::palette(ui);
    let Some(text) = text else {
        // The other side has a line here.
        ui.allocate_exact_size(vec2(ui.available_width(), Text::Mono.line()), Sense::hover());
        return;
    };
    let (sign, color, ground) = match side {
        Side::Same => (" ", p.text_2, CLEAR),
        Side::Left => ("−", p.diff_del, p.diff_del_bg),
        Side::Right => ("+", p.diff_add, p.diff_add_bg),
    };
    Frame::NONE.fill(ground).inner_margin(Margin { left: 4, right: 4, top: 0, bottom: 0 }).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            ui.label(Text::Mono.rich(sign, color));
            let shown = if text.is_empty() { " " } else { text };
            ui.add(egui::Label::new(Text::Mono.rich(shown, color)).wrap());
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lines_far_from_a_difference_are_left_out() {
        let mut lines: Vec<Line> = (0..10).map(|at| Line::Same(at, at)).collect();
        lines.push(Line::Differs(Some(10), None));
        lines.push(Line::Same(11, 10));
        assert_eq!(equal_run(&lines, 0), 8);
        assert_eq!(equal_run(&lines, 8), 0);
        assert_eq!(equal_run(&lines, 10), 0);
        assert_eq!(equal_run(&lines, 11), 0);
    }
}
