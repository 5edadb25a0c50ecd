//! The question of an agent: exactly what it wants to do, and the user's answer.
//!
//! The oldest question of the conversation is shown, bound to its own id; a new one only joins the queue. A card
//! that just appeared takes no answer for half a second, and no key that is held down answers it.

use egui::{Align, Layout, ScrollArea, Sense, Ui, UiBuilder, vec2};

use crate::api::command::ChatCommand;
use crate::api::snapshot::AskRow;
use crate::model::id::TurnId;
use crate::model::turn::{Decision, PermissionAction};
use crate::model::visible::visible;
use crate::ui::cx::{Request, UiCx};
use crate::ui::panel::Panel;
use crate::ui::panels::diff;
use crate::ui::regions::{self, Region};
use crate::ui::route::Route;
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;
use crate::ui::widgets::permission::{SETTLE_S, exact_text, permission_card};
use crate::ui::widgets::text_field::TextField;
use crate::ui::widgets::{Button, engine_mark};
use crate::ui::words;

/// The card of the conversation shown.
#[derive(Default)]
pub struct PermissionPanel {
    shown: Option<Shown>,
}

/// The question on screen.
struct Shown {
    turn: TurnId,
    ask: String,
    since_s: f64,
    comment: String,
    answered: bool,
}

/// Most queue rows below the card.
const QUEUE_ROWS: usize = 3;

impl PermissionPanel {
    /// Takes note of the oldest question; `true` while there is one.
    pub fn follow(&mut self, cx: &UiCx<'_>) -> bool {
        let Some(first) = cx.view().and_then(|view| view.asks.first()) else {
            self.shown = None;
            return false;
        };
        let same = self
            .shown
            .as_ref()
            .is_some_and(|shown| shown.turn == first.turn && shown.ask == first.request.ask);
        if !same {
            self.shown = Some(Shown {
                turn: first.turn,
                ask: first.request.ask.clone(),
                since_s: cx.time_s,
                comment: String::new(),
                answered: false,
            });
        }
        true
    }

    /// Esc: denies the question on screen. `false` when there is none to deny.
    pub fn escape(&mut self, cx: &UiCx<'_>) -> bool {
        if !self.follow(cx) {
            return false;
        }
        if self.settled(cx) {
            self.deny(cx);
        }
        true
    }

    fn settled(&self, cx: &UiCx<'_>) -> bool {
        self.shown.as_ref().is_some_and(|shown| !shown.answered && cx.time_s - shown.since_s >= SETTLE_S)
    }

    fn deny(&mut self, cx: &UiCx<'_>) {
        let comment = self.shown.as_ref().map(|shown| shown.comment.trim().to_owned()).unwrap_or_default();
        self.answer(cx, Decision::Deny { comment });
    }

    fn answer(&mut self, cx: &UiCx<'_>, decision: Decision) {
        if let Some(shown) = &mut self.shown {
            shown.answered = true;
            cx.send(ChatCommand::Answer { turn: shown.turn, ask: shown.ask.clone(), decision });
        }
    }
}

impl Panel for PermissionPanel {
    fn title(&self) -> &'static str {
        "Question"
    }

    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        if !self.follow(cx) {
            return;
        }
        let Some(view) = cx.view() else { return };
        let Some(ask) = view.asks.first() else { return };
        let settled = self.settled(cx);
        if let Some(shown) = self.shown.as_ref().filter(|_| !settled) {
            let left_s = SETTLE_S - (cx.time_s - shown.since_s);
            if left_s > 0.0 {
                ui.ctx()
                    .request_repaint_after(std::time::Duration::from_secs_f64(left_s.min(SETTLE_S) + 0.001));
            }
        }
        let title = headline(ask);
        let total = cx.snap.asks.len();
        let position = format!("1 of {total}");
        ui.push_id((ask.turn.0, ask.request.ask.as_str()), |ui| {
            let room = ui.available_height();
            permission_card(
                ui,
                &title,
                |ui| {
                    if total > 1 {
                        ui.label(Text::Caption.rich(&position, theme::palette(ui).text_2));
                    }
                },
                |ui| self.body(cx, ui, ask, room, settled),
            );
        });
    }
}

/// `Developer Codex wants to run a command`.
fn headline(ask: &AskRow) -> String {
    let what = match ask.request.action {
        PermissionAction::Run => "wants to run a command".to_owned(),
        PermissionAction::Edit => "wants to change a file".to_owned(),
        PermissionAction::Fetch => "wants to fetch from the network".to_owned(),
        PermissionAction::Other => format!("wants to use {}", visible(&ask.request.tool)),
    };
    format!("{} {what}", ask.agent)
}

impl PermissionPanel {
    fn body(&mut self, cx: &UiCx<'_>, ui: &mut Ui, ask: &AskRow, room: f32, settled: bool) {
        const HEAD: f32 = 44.0;
        const BUTTONS: f32 = 46.0;
        let others: Vec<&AskRow> =
            cx.snap.asks.iter().map(AsRef::as_ref).filter(|other| !same(other, ask)).collect();
        let roomy = room > 340.0;
        let rows = if roomy { others.len().min(QUEUE_ROWS) } else { usize::from(!others.is_empty()) };
        let rows_height = f32::from(u8::try_from(rows).unwrap_or(3)) * theme::sizes().row.tool;
        let limit = (room - HEAD - BUTTONS - rows_height - 90.0).max(48.0);
        ScrollArea::vertical().id_salt("what").max_height(limit).auto_shrink([false, true]).show(ui, |ui| {
            what(ui, ask);
        });
        facts(cx, ui, ask);
        self.buttons(cx, ui, ask, settled);
        if rows > 0 {
            queue(cx, ui, &others, rows);
        }
    }

    fn buttons(&mut self, cx: &UiCx<'_>, ui: &mut Ui, ask: &AskRow, settled: bool) {
        const WAIT: &str = "Ready in a moment, so that no key on its way answers it.";
        let reason = (!settled).then_some(WAIT);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 32.0), Sense::hover());
        let mut left = ui.new_child(
            UiBuilder::new().max_rect(rect).layout(Layout::left_to_right(Align::Center)).id_salt("answers"),
        );
        let held = ui.input(|input| {
            input
                .events
                .iter()
                .any(|event| matches!(event, egui::Event::Key { repeat: true, pressed: true, .. }))
        });
        let deny = Button::destructive("Deny").icon(icon::X).key("Esc").disabled(reason).show(&mut left);
        let region = Region::question(cx.desk);
        regions::mark(left.ctx(), region, deny.id);
        let field_width = (rect.width() - deny.rect.width() - 160.0).clamp(60.0, 420.0);
        let hint = format!("Tell {} what to do instead", ask.agent);
        let mut submitted = false;
        if let Some(shown) = &mut self.shown {
            let salt = ("deny comment", cx.desk, ask.turn.0, ask.request.ask.clone());
            let field = TextField::single(salt, "Comment when you deny").hint(&hint).width(field_width);
            left.allocate_ui(vec2(field_width, 32.0), |ui| {
                submitted = field.max_chars(2_000).show(ui, &mut shown.comment).submitted;
            });
        }
        let layout = Layout::right_to_left(Align::Center);
        let mut right = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout).id_salt("allow"));
        let allow = Button::primary("Allow once").icon(icon::CHECK).disabled(reason).show(&mut right);
        if !settled || held {
            return;
        }
        if allow.clicked() {
            self.answer(cx, Decision::AllowOnce);
        } else if deny.clicked() || submitted {
            self.deny(cx);
        }
    }
}

fn same(a: &AskRow, b: &AskRow) -> bool {
    a.turn == b.turn && a.request.ask == b.request.ask
}

fn what(ui: &mut Ui, ask: &AskRow) {
    let request = &ask.request;
    let p = theme::palette(ui);
    if let Some(command) = &request.command {
        exact_text(ui, command);
    }
    if let Some(diff) = &request.diff {
        let title = visible(request.paths.first().map_or("", String::as_str));
        diff::view(ui, ("permission", ask.request.ask.as_str()), &title, &visible(diff));
    }
    if request.command.is_none() && request.diff.is_none() {
        let listed = if request.paths.is_empty() { request.tool.clone() } else { request.paths.join("\n") };
        exact_text(ui, &listed);
    } else if request.command.is_some() && !request.paths.is_empty() {
        let listed = request.paths.join("\n");
        ui.add(egui::Label::new(Text::MonoSmall.rich(visible(&listed), p.text_2)).wrap());
    }
    if let Some(reason) = request.reason.as_ref().filter(|reason| !reason.is_empty()) {
        ui.add(egui::Label::new(Text::Ui.rich(visible(reason), p.text_2)).wrap());
    }
}

fn facts(cx: &UiCx<'_>, ui: &mut Ui, ask: &AskRow) {
    let p = theme::palette(ui);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        if let Some(folder) = &ask.request.folder {
            fact_icon(ui, icon::FOLDER);
            let shown = words::path(std::path::Path::new(folder), cx.home);
            ui.label(Text::MonoSmall.rich(visible(&shown), p.text_2)).on_hover_text(visible(folder));
            ui.add_space(8.0);
        }
        let seat = cx.view().and_then(|view| view.turn.as_ref()).map(|turn| &turn.seat);
        keep_whole(ui, &ask.agent);
        if let Some(seat) = seat {
            engine_mark(ui, cx.look(&seat.engine), 16.0, &ask.agent);
        }
        ui.label(Text::Small.rich(&ask.agent, p.text_2));
        ui.add_space(8.0);
        keep_whole(ui, &ask.conversation_title);
        fact_icon(ui, icon::CHAT_CIRCLE);
        ui.label(Text::Small.rich(&ask.conversation_title, p.text_2));
    });
}

/// Goes to the next line when an icon and `text` do not fit this one.
fn keep_whole(ui: &mut Ui, text: &str) {
    const ICON: f32 = 24.0;
    if ui.available_size_before_wrap().x < paint::width(ui, text, Text::Small, Weight::Regular) + ICON {
        ui.end_row();
    }
}

fn fact_icon(ui: &mut Ui, which: icon::Icon) {
    let (rect, _) = ui.allocate_exact_size(vec2(14.0, 16.0), Sense::hover());
    paint::icon(ui, rect.center(), which, 13.0, theme::palette(ui).text_3);
}

fn queue(cx: &UiCx<'_>, ui: &mut Ui, others: &[&AskRow], rows: usize) {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let (line, _) = ui.allocate_exact_size(vec2(ui.available_width(), 1.0), Sense::hover());
    ui.painter().hline(line.x_range(), line.center().y, egui::Stroke::new(1.0, p.stroke_subtle));
    ui.spacing_mut().item_spacing.y = 0.0;
    for (place, other) in others.iter().take(rows).enumerate() {
        let rest = others.len() - rows;
        let many = place + 1 == rows && rest > 0;
        let text = if many { format!("{} more", rest + 1) } else { headline(other) };
        let (rect, response) =
            ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.tool), Sense::click());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &text));
        if response.clicked() && Some(other.conversation) != cx.route.conversation() {
            cx.ask(Request::Go(Route::Chat { conversation: other.conversation }));
        }
        if response.hovered() {
            ui.painter().rect_filled(rect, sizes.radius.control, p.bg_hover);
        }
        if many {
            let galley = paint::line(ui, &text, Text::Small.format(p.text_2), rect.width());
            paint::left(ui, rect, rect.left() + 18.0, galley);
            continue;
        }
        let number = paint::line(ui, &(place + 2).to_string(), Text::Caption.format(p.text_3), 20.0);
        paint::left(ui, rect, rect.left(), number);
        let age = words::elapsed(cx.now.ms - other.asked_ms);
        let end = paint::line(
            ui,
            &format!("{}   {age}", other.conversation_title),
            Text::Caption.format(p.text_3),
            rect.width() / 3.0,
        );
        let end = paint::right(ui, rect, rect.right(), end) - sizes.space.s4;
        let label = paint::line(
            ui,
            &text,
            Text::Small.format_weighted(Weight::Regular, p.text_2),
            end - rect.left() - 18.0,
        );
        let x = paint::left(ui, rect, rect.left() + 18.0, label) + sizes.space.s4;
        if let Some(command) = &other.request.command {
            let exact = paint::line(ui, &visible(command), Text::MonoSmall.format(p.text_2), end - x);
            paint::left(ui, rect, x, exact);
        }
        paint::focus_ring(ui, &response, rect, sizes.radius.control, paint::Ring::Inside);
    }
}
