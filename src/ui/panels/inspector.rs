//! What an agent is or was told: sections with bars, what was cut or left out, and the exact text.

mod compare;
mod line_diff;
mod table;

use egui::{Frame, Margin, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, pos2, vec2};

use crate::api::command::ChatCommand;
use crate::api::snapshot::{ConversationView, PackView};
use crate::model::id::{ConversationId, TurnId};
use crate::model::pack::SectionId;
use crate::model::project::SeatChoice;
use crate::ui::cx::{Request, UiCx};
use crate::ui::panel::Panel;
use crate::ui::regions::{self, Region};
use crate::ui::route::Route;
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;
use crate::ui::widgets::tabs::{Tab, tabs};
use crate::ui::widgets::{Button, IconButton};
use crate::ui::words;

/// Which section is open, and which pack was asked for.
#[derive(Default)]
pub struct Inspector {
    section: Option<SectionId>,
    asked: Option<(ConversationId, Option<TurnId>)>,
    /// Who answers in the newest preview that was asked for.
    seat: Option<SeatChoice>,
    /// The lines of the open section: kept while pack and section stay the same.
    lines: Option<Lines>,
    /// Two packs stand side by side.
    comparing: bool,
    compare: compare::Compare,
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
        let seat = &view.row.conversation.seat;
        let elsewhere = self.asked != Some((*conversation, *turn));
        if elsewhere {
            self.asked = Some((*conversation, *turn));
            self.section = None;
            self.compare.reset();
        }
        if elsewhere || (turn.is_none() && self.seat.as_ref() != Some(seat)) {
            self.seat = Some(seat.clone());
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
        self.head(cx, ui, view, *turn, pack.map(AsRef::as_ref));
        let Some(pack) = pack else {
            ui.add_space(24.0);
            ui.horizontal(|ui| {
                ui.add_space(20.0);
                ui.label(Text::Ui.rich("The context is being put together.", theme::palette(ui).text_2));
            });
            return;
        };
        if self.comparing {
            return self.compare.ui(cx, ui, view, pack);
        }
        let wish = table::facts(ui, &pack.pack.report, turn.is_none().then_some(seat));
        if let Some(seat) = wish.filter(|wish| wish != seat) {
            cx.send(ChatCommand::SetSeat { conversation: *conversation, seat });
        }
        let rect = ui.available_rect_before_wrap();
        if rect.width() >= TWO_PANES_FROM {
            if self.section.is_none() {
                self.section = pack.pack.report.sections.iter().max_by_key(|row| row.chars).map(|row| row.id);
            }
            let half = (rect.width() * 0.58).round();
            let left = Rect::from_min_size(rect.min, vec2(half, rect.height()));
            let right = Rect::from_min_max(pos2(left.right(), rect.top()), rect.max);
            let mut side = ui.new_child(UiBuilder::new().max_rect(left).id_salt("sections"));
            let pressed = table::table(&mut side, &pack.pack.report, self.section);
            self.section = pressed.or(self.section);
            let mut text = ui.new_child(UiBuilder::new().max_rect(right).id_salt("text"));
            self.text(cx, &mut text, pack, false);
        } else if self.section.is_some() {
            self.text(cx, ui, pack, true);
        } else {
            self.section = table::table(ui, &pack.pack.report, None);
        }
    }
}

/// Which of the three views is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Next,
    Sent(TurnId),
    Compare,
}

impl Inspector {
    /// Opens the comparison at the next frame.
    pub fn compare(&mut self) {
        self.comparing = true;
    }

    /// Esc: leaves the comparison. `false` when there was none.
    pub fn escape(&mut self) -> bool {
        std::mem::take(&mut self.comparing)
    }

    fn head(
        &mut self,
        cx: &UiCx<'_>,
        ui: &mut Ui,
        view: &ConversationView,
        turn: Option<TurnId>,
        pack: Option<&PackView>,
    ) {
        let p = theme::palette(ui);
        let sizes = theme::sizes();
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.head), Sense::hover());
        paint::bottom_line(ui, rect, p.stroke_subtle);
        let inside = rect.shrink2(vec2(sizes.space.s6, 0.0));
        let right = egui::Layout::right_to_left(egui::Align::Center);
        let mut end = ui.new_child(UiBuilder::new().max_rect(inside).layout(right).id_salt("context end"));
        let close = IconButton::new(icon::X, "Close context").key("Esc").show(&mut end);
        regions::mark(ui.ctx(), Region::Header, close.id);
        if close.clicked() {
            self.comparing = false;
            cx.ask(Request::Go(Route::Chat { conversation: view.row.conversation.id }));
        }
        if let Some(pack) = pack
            && Button::quiet("Copy all").icon(icon::COPY).show(&mut end).clicked()
        {
            cx.ask(Request::Copy { text: pack.pack.text(), what: "The context" });
        }
        self.kinds(cx, &mut end, view, turn);
        let title = match turn {
            _ if self.comparing => "Two contexts compared",
            Some(_) => "Context of a sent message",
            None => "Context for the next message",
        };
        let x = inside.left();
        paint::icon(ui, pos2(x + 8.0, rect.center().y), icon::STACK, sizes.icon.action, p.accent);
        let room = (end.min_rect().left() - x - 40.0).max(40.0);
        let galley = paint::line(ui, title, Text::Ui.format_weighted(Weight::Semibold, p.text_1), room);
        let next = paint::left(ui, rect, x + 26.0, galley) + sizes.space.s5;
        let to = format!("to {}", cx.seat_name(&view.row.conversation.seat));
        if end.min_rect().left() - next > 60.0 && !self.comparing && turn.is_none() {
            let room = end.min_rect().left() - next - 12.0;
            let galley = paint::line(ui, &to, Text::Ui.format(p.text_3), room);
            paint::left(ui, rect, next, galley);
        }
    }

    /// Next, sent, compare.
    fn kinds(&mut self, cx: &UiCx<'_>, end: &mut Ui, view: &ConversationView, turn: Option<TurnId>) {
        let mut all = vec![Tab { value: Shown::Next, label: "Next", note: "" }];
        if let Some(sent) = turn.or(view.turn.as_ref().map(|row| row.turn)) {
            all.push(Tab { value: Shown::Sent(sent), label: "Sent", note: "" });
        }
        all.push(Tab { value: Shown::Compare, label: "Compare", note: "" });
        let here = match turn {
            _ if self.comparing => Shown::Compare,
            Some(turn) => Shown::Sent(turn),
            None => Shown::Next,
        };
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        let conversation = view.row.conversation.id;
        let size = vec2(if all.len() > 2 { 204.0 } else { 144.0 }, 28.0);
        end.allocate_ui_with_layout(size, layout, |ui| match tabs(ui, &all, here) {
            Some(Shown::Compare) => self.comparing = true,
            Some(Shown::Next) => {
                self.comparing = false;
                cx.ask(Request::Go(Route::Inspector { conversation, turn: None }));
            }
            Some(Shown::Sent(turn)) => {
                self.comparing = false;
                cx.ask(Request::Go(Route::Inspector { conversation, turn: Some(turn) }));
            }
            None => {}
        });
    }
}

impl Inspector {
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
