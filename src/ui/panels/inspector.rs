//! What an agent is or was told: sections with bars, what was cut or left out, and the exact text.

use egui::{Frame, Margin, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, pos2, vec2};

use crate::api::command::ChatCommand;
use crate::api::snapshot::{ConversationView, PackView};
use crate::model::id::{ConversationId, TurnId};
use crate::model::pack::{PackReport, SectionId};
use crate::ui::cx::{Request, UiCx};
use crate::ui::panel::Panel;
use crate::ui::route::Route;
use crate::ui::theme::{self, CLEAR, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::meter::section_bar;
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::widgets::tabs::{Tab, tabs};
use crate::ui::widgets::{Button, IconButton};
use crate::ui::words;

/// Which section is open, and which pack was asked for.
#[derive(Default)]
pub struct Inspector {
    section: Option<SectionId>,
    asked: Option<(ConversationId, Option<TurnId>)>,
    /// The lines of the open section: kept while pack and section stay the same.
    lines: Option<Lines>,
}

struct Lines {
    hash: String,
    section: SectionId,
    lines: Vec<String>,
}

/// Width from which the text stands beside the table, points.
const TWO_PANES_FROM: f32 = 900.0;

impl Panel for Inspector {
    fn title(&self) -> &'static str {
        "Context"
    }

    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let Route::Inspector { conversation, turn } = cx.route else { return };
        let Some(view) = cx.view() else { return };
        if self.asked != Some((*conversation, *turn)) {
            self.asked = Some((*conversation, *turn));
            self.section = None;
            match turn {
                Some(turn) => cx.send(ChatCommand::LoadPack { conversation: *conversation, turn: *turn }),
                None => {
                    let text = view.draft.full_text();
                    cx.send(ChatCommand::PreviewPack { conversation: *conversation, text });
                }
            }
        }
        let pack = match turn {
            Some(wanted) => view.sent_pack.as_ref().filter(|pack| pack.turn == Some(*wanted)),
            None => view.preview.as_ref(),
        };
        ui.spacing_mut().item_spacing.y = 0.0;
        head(cx, ui, view, *turn, pack.map(AsRef::as_ref));
        let Some(pack) = pack else {
            ui.add_space(24.0);
            ui.horizontal(|ui| {
                ui.add_space(20.0);
                ui.label(Text::Ui.rich("The context is being put together.", theme::palette(ui).text_2));
            });
            return;
        };
        facts(ui, &pack.pack.report);
        let rect = ui.available_rect_before_wrap();
        if rect.width() >= TWO_PANES_FROM {
            if self.section.is_none() {
                self.section = pack.pack.report.sections.iter().max_by_key(|row| row.chars).map(|row| row.id);
            }
            let half = (rect.width() * 0.58).round();
            let left = Rect::from_min_size(rect.min, vec2(half, rect.height()));
            let right = Rect::from_min_max(pos2(left.right(), rect.top()), rect.max);
            let mut table = ui.new_child(UiBuilder::new().max_rect(left).id_salt("sections"));
            self.table(&mut table, &pack.pack.report);
            let mut text = ui.new_child(UiBuilder::new().max_rect(right).id_salt("text"));
            self.text(cx, &mut text, pack, false);
        } else if self.section.is_some() {
            self.text(cx, ui, pack, true);
        } else {
            self.table(ui, &pack.pack.report);
        }
    }
}

fn head(cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView, turn: Option<TurnId>, pack: Option<&PackView>) {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.head), Sense::hover());
    paint::bottom_line(ui, rect, p.stroke_subtle);
    let inside = rect.shrink2(vec2(sizes.space.s6, 0.0));
    let right = egui::Layout::right_to_left(egui::Align::Center);
    let mut end = ui.new_child(UiBuilder::new().max_rect(inside).layout(right).id_salt("context end"));
    if IconButton::new(icon::X, "Close context").key("Esc").show(&mut end).clicked() {
        cx.ask(Request::Go(Route::Chat { conversation: view.row.conversation.id }));
    }
    if let Some(pack) = pack
        && Button::quiet("Copy all").icon(icon::COPY).show(&mut end).clicked()
    {
        cx.ask(Request::Copy { text: pack.pack.text(), what: "The context" });
    }
    if let Some(latest) = view.turn.as_ref().map(|row| row.turn) {
        let sent = turn.or(Some(latest));
        let all =
            [Tab { value: None, label: "Next", note: "" }, Tab { value: sent, label: "Sent", note: "" }];
        end.allocate_ui_with_layout(
            vec2(120.0, 28.0),
            egui::Layout::left_to_right(egui::Align::Center),
            |ui| {
                if let Some(turn) = tabs(ui, &all, turn) {
                    cx.ask(Request::Go(Route::Inspector { conversation: view.row.conversation.id, turn }));
                }
            },
        );
    }
    let title = if turn.is_some() { "Context of a sent message" } else { "Context for the next message" };
    let x = inside.left();
    paint::icon(ui, pos2(x + 8.0, rect.center().y), icon::STACK, sizes.icon.action, p.accent);
    let room = (end.min_rect().left() - x - 40.0).max(40.0);
    let galley = paint::line(ui, title, Text::Ui.format_weighted(Weight::Semibold, p.text_1), room);
    let next = paint::left(ui, rect, x + 26.0, galley) + sizes.space.s5;
    let to = format!("to {}", cx.seat_name(&view.row.conversation.seat));
    if end.min_rect().left() - next > 60.0 {
        let galley = paint::line(ui, &to, Text::Ui.format(p.text_3), end.min_rect().left() - next - 12.0);
        paint::left(ui, rect, next, galley);
    }
}

fn facts(ui: &mut Ui, report: &PackReport) {
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
    fact(&mut ui, "Mode", report.mode.label(), report.mode_reason.label());
    let of = format!("of {}", words::thousands(report.budget_chars.into()));
    fact(&mut ui, "Characters", &words::thousands(report.total_chars.into()), &of);
    fact(&mut ui, "Tokens", &format!("≈ {}", words::thousands(tokens)), "estimated");
    if ui.available_width() > 200.0 {
        let hash: String = report.hash.chars().take(12).collect();
        let built = format!("Hash · built in {}", built_in(report.assembly_micros));
        fact(&mut ui, &built, &hash, "");
    }
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

impl Inspector {
    fn table(&mut self, ui: &mut Ui, report: &PackReport) {
        let p = theme::palette(ui);
        ScrollArea::vertical().id_salt("sections").auto_shrink(false).show(ui, |ui| {
            Frame::NONE.inner_margin(Margin::symmetric(12, 2)).show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                ui.set_width(ui.available_width());
                let columns = Columns::of(ui.available_width());
                heads(ui, &columns);
                let largest = report.sections.iter().map(|section| section.chars).max().unwrap_or(1).max(1);
                for section in &report.sections {
                    self.section_row(ui, &columns, section, largest);
                }
                let cut: Vec<String> = report
                    .sections
                    .iter()
                    .filter(|section| !section.cut.is_empty())
                    .map(|section| format!("{}: {}.", section.id.label(), section.cut))
                    .collect();
                if !cut.is_empty() {
                    ui.add_space(6.0);
                    ui.horizontal_wrapped(|ui| {
                        ui.add_space(8.0);
                        ui.label(Text::Caption.rich_weighted(Weight::Semibold, "Cut", p.warn));
                        ui.label(Text::Caption.rich(cut.join(" "), p.text_2));
                    });
                }
                left_out(ui, report);
            });
        });
    }

    fn section_row(
        &mut self,
        ui: &mut Ui,
        columns: &Columns,
        section: &crate::model::pack::SectionReport,
        largest: u32,
    ) {
        let p = theme::palette(ui);
        let sizes = theme::sizes();
        let selected = self.section == Some(section.id);
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
            #[expect(clippy::cast_precision_loss, reason = "a share")]
            let used = section.chars as f32 / largest as f32;
            let cut = if section.cut.is_empty() { 0.0 } else { 0.05 };
            let mut child =
                ui.new_child(UiBuilder::new().max_rect(spot).id_salt(("bar", section.id.label())));
            section_bar(&mut child, used * 0.92, cut, columns.bar_width, &label);
        }
        let tokens = format!("≈ {}", words::thousands(section.estimated_tokens.into()));
        let budget = words::thousands(section.budget_chars.into());
        for (text, end, color) in [
            (&chars, columns.chars, p.text_1),
            (&tokens, columns.tokens, p.text_2),
            (&budget, columns.budget, p.text_3),
        ] {
            let galley = paint::line(ui, text, Text::Ui.format(color), 84.0);
            paint::right(ui, rect, rect.left() + end, galley);
        }
        paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
        if response.clicked() {
            self.section = Some(section.id);
        }
    }

    fn text(&mut self, cx: &UiCx<'_>, ui: &mut Ui, pack: &PackView, back: bool) {
        let p = theme::palette(ui);
        let Some(section) =
            self.section.and_then(|id| pack.pack.sections.iter().find(|section| section.id == id))
        else {
            self.section = None;
            return;
        };
        let rect = ui.available_rect_before_wrap();
        ui.painter().rect_filled(rect, 0.0, p.bg_inset);
        ui.painter().vline(rect.left() + 0.5, rect.y_range(), Stroke::new(1.0, p.stroke_subtle));
        let (head, _) = ui.allocate_exact_size(vec2(ui.available_width(), 44.0), Sense::hover());
        paint::bottom_line(ui, head, p.stroke_subtle);
        let mut x = head.left() + 16.0;
        if back {
            let spot = Rect::from_center_size(pos2(x + 8.0, head.center().y), vec2(28.0, 28.0));
            if IconButton::new(icon::ARROW_LEFT, "Back to sections").show_at(ui, spot, "back").clicked() {
                self.section = None;
            }
            x += 30.0;
        }
        let name =
            paint::line(ui, section.id.label(), Text::Ui.format_weighted(Weight::Semibold, p.text_1), 240.0);
        let end = paint::left(ui, head, x, name) + 8.0;
        let hash = &pack.pack.report.hash;
        if self.lines.as_ref().is_none_or(|kept| &kept.hash != hash || kept.section != section.id) {
            let lines = section.text.lines().map(str::to_owned).collect();
            self.lines = Some(Lines { hash: hash.clone(), section: section.id, lines });
        }
        let count = format!("{} characters", words::thousands(section.text.chars().count() as u64));
        let galley = paint::line(ui, &count, Text::Caption.format(p.text_3), 160.0);
        paint::left(ui, head, end, galley);
        let spot = Rect::from_center_size(pos2(head.right() - 26.0, head.center().y), vec2(28.0, 28.0));
        if IconButton::new(icon::COPY, "Copy section").show_at(ui, spot, "copy section").clicked() {
            cx.ask(Request::Copy { text: section.text.clone(), what: "The section" });
        }
        let Some(kept) = &self.lines else { return };
        ScrollArea::vertical().id_salt(("section text", section.id.label())).auto_shrink(false).show(
            ui,
            |ui| {
                Frame::NONE.inner_margin(Margin::symmetric(16, 12)).show(ui, |ui| {
                    ui.spacing_mut().item_spacing.y = 0.0;
                    for line in &kept.lines {
                        let text = if line.is_empty() { " " } else { line };
                        ui.add(egui::Label::new(Text::Mono.rich(text, p.text_2)).wrap());
                    }
                });
            },
        );
    }
}

fn left_out(ui: &mut Ui, report: &PackReport) {
    if report.left_out.is_empty() && report.held_by_session.is_empty() {
        return;
    }
    let p = theme::palette(ui);
    ui.add_space(10.0);
    let row = |ui: &mut Ui, name: &str, why: &str| {
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 26.0), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{name}: {why}")));
        let name = paint::line(ui, name, Text::Ui.format(p.text_2), 196.0);
        paint::left(ui, rect, rect.left() + 8.0, name);
        let why = paint::line(ui, why, Text::Ui.format(p.text_3), rect.width() - 212.0);
        paint::left(ui, rect, rect.left() + 212.0, why);
    };
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 24.0), Sense::hover());
    let head = paint::line(ui, "Left out", Text::Caption.format_weighted(Weight::Semibold, p.text_3), 200.0);
    paint::left(ui, rect, rect.left() + 8.0, head);
    for out in &report.left_out {
        row(ui, out.id.label(), &out.why);
    }
    for held in &report.held_by_session {
        row(ui, "Held by the engine", held);
    }
}

/// Right edges and starts of the table's columns, from its left.
struct Columns {
    bar: f32,
    bar_width: f32,
    chars: f32,
    tokens: f32,
    budget: f32,
}

impl Columns {
    fn of(width: f32) -> Self {
        let budget = width - 8.0;
        let tokens = budget - 72.0;
        let chars = tokens - 72.0;
        let bar = 204.0_f32.min(width * 0.34);
        Self { bar, bar_width: (chars - 92.0 - bar).max(0.0), chars, tokens, budget }
    }
}

fn heads(ui: &mut Ui, columns: &Columns) {
    let p = theme::palette(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 30.0), Sense::hover());
    let say = |text: &str| paint::line(ui, text, Text::Caption.format(p.text_3), 120.0);
    paint::left(ui, rect, rect.left() + 8.0, say("Section"));
    if columns.bar_width > 20.0 {
        paint::left(ui, rect, rect.left() + columns.bar, say("Share of pack"));
    }
    paint::right(ui, rect, rect.left() + columns.chars, say("Characters"));
    paint::right(ui, rect, rect.left() + columns.tokens, say("Tokens"));
    paint::right(ui, rect, rect.left() + columns.budget, say("Budget"));
}
