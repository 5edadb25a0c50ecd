//! The report of a pack as a table with bars, and what it is made under.

use egui::{Frame, Margin, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, pos2, vec2};

use crate::model::pack::{PackReport, SectionId, SectionReport};
use crate::model::project::SeatChoice;
use crate::ui::panels::menu;
use crate::ui::panels::seat::{MODES_WIDTH, mode_rows};
use crate::ui::theme::{self, CLEAR, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::meter::section_bar;
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::words;

/// Mode, sizes, hash: the line above the table. Before sending, mode and delivery belong to `seat` and are picked here;
/// returns the seat as it was picked.
pub fn facts(ui: &mut Ui, report: &PackReport, seat: Option<&SeatChoice>) -> Option<SeatChoice> {
    let p = theme::palette(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 64.0), Sense::hover());
    paint::bottom_line(ui, rect, p.stroke_subtle);
    let tokens: u64 = report.sections.iter().map(|section| u64::from(section.estimated_tokens)).sum();
    let mut ui = ui.new_child(
        UiBuilder::new()
            .max_rect(rect.shrink2(vec2(20.0, 12.0)))
            .layout(egui::Layout::left_to_right(egui::Align::Min))
            .id_salt("facts"),
    );
    ui.spacing_mut().item_spacing = vec2(28.0, 0.0);
    let picked = match seat {
        Some(seat) => mode(&mut ui, report, seat),
        None => {
            fact(&mut ui, "Mode", report.mode.label(), report.mode_reason.label());
            None
        }
    };
    let of = format!("of {}", words::thousands(report.budget_chars.into()));
    fact(&mut ui, "Characters", &words::thousands(report.total_chars.into()), &of);
    fact(&mut ui, "Tokens", &format!("≈ {}", words::thousands(tokens)), "estimated");
    if let Some(seat) = seat
        && ui.available_width() > 330.0
    {
        fact(&mut ui, "Delivery", seat.supply.label(), "");
    }
    if ui.available_width() > 200.0 {
        let hash: String = report.hash.chars().take(12).collect();
        let built = format!("Hash · built in {}", built_in(report.assembly_micros));
        fact(&mut ui, &built, &hash, "");
    }
    picked
}

/// The mode with its reason; a click opens the modes.
fn mode(ui: &mut Ui, report: &PackReport, seat: &SeatChoice) -> Option<SeatChoice> {
    let p = theme::palette(ui);
    let value = paint::line(
        ui,
        report.mode.label(),
        Text::Ui.format_weighted(Weight::Semibold, p.text_1),
        f32::INFINITY,
    );
    let note = paint::line(ui, report.mode_reason.label(), Text::Ui.format(p.text_3), f32::INFINITY);
    let caret = theme::sizes().icon.inline;
    let name = paint::line(ui, "Mode", Text::Caption.format(p.text_3), f32::INFINITY);
    let width = value.size().x + caret + note.size().x + 14.0;
    let (rect, response) = ui.allocate_exact_size(vec2(width, 44.0), Sense::click());
    let said = format!("Context mode: {}, {}", report.mode.label(), report.mode_reason.label());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, &said));
    let ground = rect.expand2(vec2(8.0, 4.0));
    let radius = theme::sizes().radius.control;
    if response.hovered() || egui::Popup::is_id_open(ui.ctx(), egui::Popup::default_response_id(&response)) {
        ui.painter().rect_filled(ground, radius, p.bg_hover);
    }
    let above = Rect::from_min_size(rect.min, vec2(width, Text::Caption.line()));
    paint::left(ui, above, rect.left(), name);
    let line = Rect::from_min_size(
        pos2(rect.left(), above.bottom() + 2.0),
        vec2(width, theme::sizes().control.button),
    );
    let x = paint::left(ui, line, rect.left(), value) + 4.0;
    paint::icon(ui, pos2(x + caret / 2.0, line.center().y), icon::CARET_DOWN, caret, p.text_3);
    paint::left(ui, line, x + caret + 4.0, note);
    paint::focus_ring(ui, &response, ground, radius, Ring::Inside);
    let response = response.on_hover_text("How much is told. Click to change it.");
    menu::menu(&response, MODES_WIDTH, |ui| mode_rows(ui, seat)).flatten()
}

fn built_in(micros: u64) -> String {
    if micros < 1_000 { format!("{micros} µs") } else { format!("{} ms", micros / 1_000) }
}

fn fact(ui: &mut Ui, name: &str, value: &str, note: &str) {
    let p = theme::palette(ui);
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 2.0);
        ui.label(Text::Caption.rich(name, p.text_3));
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            ui.label(Text::Ui.rich_weighted(Weight::Semibold, value, p.text_1));
            if !note.is_empty() {
                ui.label(Text::Ui.rich(note, p.text_3));
            }
        });
    });
}

/// Draws the table; returns the section that was pressed.
pub fn table(ui: &mut Ui, report: &PackReport, open: Option<SectionId>) -> Option<SectionId> {
    let p = theme::palette(ui);
    let mut pressed = None;
    ScrollArea::vertical().id_salt("sections").auto_shrink(false).show(ui, |ui| {
        Frame::NONE.inner_margin(Margin::symmetric(12, 2)).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.set_width(ui.available_width());
            let columns = Columns::of(ui.available_width());
            heads(ui, &columns);
            let most = |section: &SectionReport| section.chars.max(section.want_chars);
            let largest = report.sections.iter().map(most).max().unwrap_or(1).max(1);
            for section in &report.sections {
                if section_row(ui, &columns, section, largest, open == Some(section.id)) {
                    pressed = Some(section.id);
                }
            }
            told(ui, "Cut", p.warn, &cut_lines(report));
            let notes: Vec<String> =
                report.notes.iter().map(|note| format!("{}: {}", note.id.label(), note.text)).collect();
            told(ui, "Note", p.text_3, &notes);
            left_out(ui, report);
        });
    });
    pressed
}

fn cut_lines(report: &PackReport) -> Vec<String> {
    let cut = report.sections.iter().filter(|section| !section.cut.is_empty());
    cut.map(|section| format!("{}: {}.", section.id.label(), section.cut)).collect()
}

fn told(ui: &mut Ui, name: &str, color: egui::Color32, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    ui.add_space(6.0);
    ui.horizontal_wrapped(|ui| {
        ui.add_space(8.0);
        ui.label(Text::Caption.rich_weighted(Weight::Semibold, name, color));
        ui.label(Text::Caption.rich(lines.join(" "), theme::palette(ui).text_2));
    });
}

fn section_row(
    ui: &mut Ui,
    columns: &Columns,
    section: &SectionReport,
    largest: u32,
    selected: bool,
) -> bool {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.table), Sense::click());
    let chars = words::thousands(section.chars.into());
    let label = format!("{}, {chars} characters", section.id.label());
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, selected, &label));
    let fill = match (selected, response.hovered()) {
        (true, _) => p.bg_selected,
        (_, true) => p.bg_hover,
        _ => CLEAR,
    };
    ui.painter().rect_filled(rect, sizes.radius.control, fill);
    let x = rect.left() + sizes.space.s4;
    let name = paint::line(ui, section.id.label(), Text::Ui.format(p.text_1), columns.bar - 12.0);
    paint::left(ui, rect, x, name);
    if columns.bar_width > 20.0 {
        let spot = Rect::from_min_size(
            pos2(rect.left() + columns.bar, rect.center().y - 4.0),
            vec2(columns.bar_width, 8.0),
        );
        bar(ui, spot, section, largest, &label);
    }
    let tokens = format!("≈ {}", words::thousands(section.estimated_tokens.into()));
    let budget = words::thousands(section.budget_chars.into());
    let want = words::thousands(section.want_chars.into());
    for (text, end, color) in [
        (Some(&chars), Some(columns.chars), p.text_1),
        (Some(&tokens), Some(columns.tokens), p.text_2),
        (Some(&want).filter(|_| section.want_chars > 0), columns.want, p.text_3),
        (Some(&budget), Some(columns.budget), p.text_3),
    ] {
        if let (Some(text), Some(end)) = (text, end) {
            let galley = paint::line(ui, text, Text::Ui.format(color), 84.0);
            paint::right(ui, rect, rect.left() + end, galley);
        }
    }
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    response.clicked()
}

/// What is told in accent, what it would have taken beyond that in the colour of what is cut; a line stands where the
/// budget ends.
fn bar(ui: &mut Ui, spot: Rect, section: &SectionReport, largest: u32, label: &str) {
    #[expect(clippy::cast_precision_loss, reason = "shares of the largest section")]
    let share = |chars: u32| chars as f32 / largest as f32;
    let cut = match section.want_chars.saturating_sub(section.chars) {
        // Said elsewhere in the pack already: nothing is missing.
        _ if section.cut.is_empty() => 0.0,
        // Reports of older versions do not tell how much.
        0 => 0.05,
        beyond => share(beyond),
    };
    let mut child = ui.new_child(UiBuilder::new().max_rect(spot).id_salt(("bar", section.id.label())));
    section_bar(&mut child, share(section.chars) * 0.92, cut * 0.92, spot.width(), label);
    if section.budget_chars < largest {
        let x = (spot.left() + spot.width() * share(section.budget_chars) * 0.92).round();
        let p = theme::palette(ui);
        ui.painter().vline(x, (spot.top() - 2.0)..=(spot.bottom() + 2.0), Stroke::new(1.0, p.stroke_control));
    }
}

/// From so many sections on that are left out for the same reason, they share a paragraph.
const TOGETHER_FROM: usize = 3;

/// `Nothing to say: Findings, Agreements, Artifacts.`
fn together(ui: &mut Ui, report: &PackReport, why: &str) {
    let p = theme::palette(ui);
    let names: Vec<&str> =
        report.left_out.iter().filter(|out| out.why == why).map(|out| out.id.label()).collect();
    ui.add_space(4.0);
    Frame::NONE.inner_margin(Margin { left: 8, right: 8, ..Margin::ZERO }).show(ui, |ui| {
        let mut text = egui::text::LayoutJob::default();
        text.append(&capital(why), 0.0, Text::Ui.format(p.text_2));
        text.append(&format!(": {}", names.join(", ")), 0.0, Text::Ui.format(p.text_3));
        ui.add(egui::Label::new(text).wrap());
    });
}

/// With a capital at its head.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn left_out(ui: &mut Ui, report: &PackReport) {
    if report.left_out.is_empty() && report.held_by_session.is_empty() {
        return;
    }
    let p = theme::palette(ui);
    ui.add_space(10.0);
    let held = report.held_by_session.iter().map(|held| ("Held by the engine", held.as_str()));
    let many = |why: &str| report.left_out.iter().filter(|out| out.why == why).count() >= TOGETHER_FROM;
    let said = report.left_out.iter().filter(|out| !many(&out.why));
    let rows = said.map(|out| (out.id.label(), out.why.as_str())).chain(held);
    ui.spacing_mut().item_spacing.x = 0.0;
    egui_extras::TableBuilder::new(ui)
        .id_salt("left out")
        .vscroll(false)
        .cell_layout(egui::Layout::left_to_right(egui::Align::Center))
        .column(egui_extras::Column::exact(8.0))
        .column(egui_extras::Column::exact(196.0).clip(true))
        .column(egui_extras::Column::remainder().clip(true))
        .header(24.0, |mut head| {
            head.col(|_| {});
            head.col(|ui| {
                ui.label(Text::Caption.rich_weighted(Weight::Semibold, "Left out", p.text_3));
            });
            head.col(|_| {});
        })
        .body(|mut body| {
            for (name, why) in rows {
                body.row(26.0, |mut row| {
                    row.col(|_| {});
                    row.col(|ui| {
                        ui.add(egui::Label::new(Text::Ui.rich(name, p.text_2)).truncate());
                    });
                    row.col(|ui| {
                        // What does not fit stands in the tooltip, whole.
                        ui.add(egui::Label::new(Text::Ui.rich(capital(why), p.text_3)).truncate());
                    });
                });
            }
        });
    let mut told: Vec<&str> = Vec::new();
    for why in report.left_out.iter().map(|out| out.why.as_str()).filter(|why| many(why)) {
        if !told.contains(&why) {
            told.push(why);
            together(ui, report, why);
        }
    }
}

/// Right edges and starts of the table's columns, from its left.
struct Columns {
    bar: f32,
    bar_width: f32,
    chars: f32,
    tokens: f32,
    /// Gives way first where there is little room.
    want: Option<f32>,
    budget: f32,
}

impl Columns {
    fn of(width: f32) -> Self {
        const WANT_FROM: f32 = 560.0;
        let budget = width - 8.0;
        let want = (width >= WANT_FROM).then_some(budget - 64.0);
        let tokens = want.unwrap_or(budget) - 72.0;
        let chars = tokens - 72.0;
        let bar = 204.0_f32.min(width * 0.34);
        Self { bar, bar_width: (chars - 92.0 - bar).max(0.0), chars, tokens, want, budget }
    }
}

fn heads(ui: &mut Ui, columns: &Columns) {
    let p = theme::palette(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 30.0), Sense::hover());
    let say = |text: &str| paint::line(ui, text, Text::Caption.format(p.text_3), 120.0);
    paint::left(ui, rect, rect.left() + 8.0, say("Section"));
    if columns.bar_width > 20.0 {
        paint::left(ui, rect, rect.left() + columns.bar, say("Told, cut, budget"));
    }
    paint::right(ui, rect, rect.left() + columns.chars, say("Characters"));
    paint::right(ui, rect, rect.left() + columns.tokens, say("Tokens"));
    if let Some(want) = columns.want {
        paint::right(ui, rect, rect.left() + want, say("Wanted"));
    }
    paint::right(ui, rect, rect.left() + columns.budget, say("Budget"));
}
