//! The bar of actions over a message, shown while the pointer or the keyboard is on it.

use std::collections::HashMap;

use egui::{
    Frame, Id, Margin, Popup, Rect, Response, Sense, SetOpenCommand, Stroke, Ui, UiBuilder, pos2, vec2,
};

use crate::api::command::{BranchCommand, ChatCommand};
use crate::api::snapshot::ConversationView;
use crate::model::branch::BranchKind;
use crate::model::id::MessageId;
use crate::model::message::{Author, Message, MessageState};
use crate::ui::cx::{self, DeskAt, Request, UiCx};
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::regions::{self, Region};
use crate::ui::route::Route;
use crate::ui::theme;
use crate::ui::widgets::IconButton;
use crate::ui::widgets::icon::{self, Icon};
use crate::ui::widgets::paint::{self, Ring};

use super::{copy, message};

/// Which message has the bar.
#[derive(Default)]
pub struct Actions {
    at: Option<MessageId>,
    /// Where its bar was drawn; it may lie over the message before.
    bar: Option<Rect>,
    heights: HashMap<MessageId, f32>,
}

const BUTTON: f32 = 26.0;
/// The bar's top above the top of a message.
const RISE: f32 = 25.0;
/// Height of an answer's head, points: the bar lies in it, before what stands at its right.
const HEAD: f32 = 20.0;
/// Width an answer must have for the bar to lie beside name and model, points.
const BESIDE_FROM: f32 = 500.0;

impl Actions {
    /// Height of a message when it was last drawn.
    pub fn height_of(&self, message: MessageId) -> Option<f32> {
        self.heights.get(&message).copied()
    }

    /// Draws the bar where it belongs; allocates nothing, so nothing moves.
    pub fn show(
        &mut self,
        cx: &UiCx<'_>,
        ui: &mut Ui,
        area: Rect,
        view: &ConversationView,
        message: &Message,
    ) {
        if self.heights.len() > 4_096 {
            self.heights.clear();
        }
        self.heights.insert(message.id, area.height());
        let id = Id::unique(("message", cx.desk, message.id.0));
        let sense = Sense::focusable_noninteractive();
        let response = ui.interact(area, id, sense);
        response.widget_info(|| {
            egui::WidgetInfo::labeled(
                egui::Role::Article,
                true,
                format!("Message from {}", copy::author(message)),
            )
        });
        if cx.desk == DeskAt::Main && view.index.last().is_some_and(|entry| entry.id == message.id) {
            regions::mark(ui.ctx(), Region::Content, id);
        }
        let pressed = ui.input(|input| input.pointer.secondary_clicked()) && ui.rect_contains_pointer(area);
        let open = pressed.then_some(SetOpenCommand::Bool(true));
        menu::show(Popup::context_menu(&response).open_memory(open), 240.0, |ui| {
            menu_rows(cx, ui, view, message);
        });
        let bar = bar_rect(cx, ui, area, view, message);
        let focused = response.has_focus();
        if focused {
            paint::focus_ring(ui, &response, area.expand(4.0), theme::sizes().radius.card, Ring::Inside);
        }
        let mine = self.at == Some(message.id);
        let on_other_bar = !mine && self.bar.is_some_and(|bar| ui.rect_contains_pointer(bar));
        let pointed =
            (ui.rect_contains_pointer(area) && !on_other_bar) || (mine && ui.rect_contains_pointer(bar));
        let other_open = !mine && Popup::is_any_open(ui.ctx());
        if (pointed && !other_open) || focused {
            self.at = Some(message.id);
        }
        if self.at != Some(message.id) {
            return;
        }
        self.bar = Some(bar);
        let keep = draw(cx, ui, bar, view, message);
        if !(pointed || focused || keep) {
            self.at = None;
            self.bar = None;
        }
    }
}

/// Draws the buttons; `true` while one has the focus or its menu is open.
fn draw(cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, view: &ConversationView, message: &Message) -> bool {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let mut keep = Popup::is_any_open(ui.ctx());
    let mut bar = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(("bar", message.id.0)));
    let frame = Frame::NONE
        .fill(p.bg_popup)
        .stroke(Stroke::new(sizes.stroke.line, p.stroke_default))
        .corner_radius(sizes.radius.card)
        .shadow(theme::shadow(ui, false))
        .inner_margin(Margin::same(2));
    frame.show(&mut bar, |ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.horizontal(|ui| {
            let own = message.author == Author::User;
            let live = message.state == MessageState::Streaming;
            let mut button = |ui: &mut Ui, icon: Icon, name: &str| -> Response {
                let response = IconButton::new(icon, name).size(BUTTON, 14.0).show(ui);
                keep |= response.has_focus();
                response
            };
            if button(ui, icon::COPY, "Copy").clicked() {
                cx.ask(Request::Copy { text: message.plain_text(), what: "The message" });
            }
            if cx.read_only {
                // Nothing is sent from here.
            } else if own {
                if button(ui, icon::PENCIL_SIMPLE, "Edit and send again").clicked() {
                    cx.ask(Request::Edit(message.id));
                }
            } else if can_answer_again(message) {
                let again = button(ui, icon::ARROW_CLOCKWISE, "Answer again");
                menu::menu(&again, 220.0, |ui| regenerate(cx, ui, message));
            }
            if let Some(turn) = message.turn
                && button(ui, icon::STACK, "Context of this turn").clicked()
            {
                let conversation = view.row.conversation.id;
                cx.ask(Request::Go(Route::Inspector { conversation, turn: Some(turn) }));
            }
            if can_branch(message) && button(ui, icon::GIT_BRANCH, "Branch from here").clicked() {
                branch_from(cx, view, message);
            }
            if !live {
                if button(ui, icon::SCALES, "Mark as decided").clicked() {
                    cx.ask(Request::Decide(message.id));
                }
                if button(ui, icon::BOOKMARK_SIMPLE, "Keep as artifact").clicked() {
                    cx.ask(Request::Keep(message.id));
                }
            }
            let more = button(ui, icon::DOTS_THREE, "More");
            menu::menu(&more, 240.0, |ui| more_rows(cx, ui, view, message));
        });
    });
    keep
}

fn can_answer_again(message: &Message) -> bool {
    message.state != MessageState::Streaming && matches!(message.author, Author::Agent { .. })
}

/// A branch starts at what the user or an agent said, once it is whole.
fn can_branch(message: &Message) -> bool {
    message.state != MessageState::Streaming && message.author != Author::System
}

fn branch_from(cx: &UiCx<'_>, view: &ConversationView, message: &Message) {
    cx.send(BranchCommand::Create {
        parent: view.row.conversation.id,
        checkpoint: Some(message.id),
        label: None,
        seat: None,
        kind: BranchKind::General,
    });
}

/// Where the bar lies; as wide as its buttons.
fn bar_rect(cx: &UiCx<'_>, ui: &Ui, area: Rect, view: &ConversationView, message: &Message) -> Rect {
    let own = message.author == Author::User;
    let live = message.state == MessageState::Streaming;
    let changes = (own || can_answer_again(message)) && !cx.read_only;
    let count = 2
        + u8::from(changes)
        + u8::from(message.turn.is_some())
        + u8::from(can_branch(message))
        + 2 * u8::from(!live);
    let size = vec2(BUTTON * f32::from(count) + 6.0, BUTTON + 6.0);
    let head = matches!(message.author, Author::Agent { .. }) && area.width() >= BESIDE_FROM;
    if !head {
        return Rect::from_min_size(pos2(area.right() - size.x, area.top() - RISE), size);
    }
    let turn = view.turn.as_deref().filter(|turn| Some(turn.turn) == message.turn);
    let facts = message::facts_width(cx, ui, message, turn) + theme::sizes().space.s4;
    // A little higher than the middle: the first line below stays free of it.
    let top = area.top() + (HEAD - size.y) / 2.0 - 2.0;
    Rect::from_min_size(pos2(area.right() - facts - size.x, top), size)
}

fn regenerate(cx: &UiCx<'_>, ui: &mut Ui, message: &Message) {
    let Author::Agent { engine, .. } = &message.author else { return };
    let send = |engine| cx.send(ChatCommand::Regenerate { message: message.id, engine });
    if MenuRow::new(icon::ARROW_CLOCKWISE, "By the same engine").show(ui).clicked() {
        send(None);
    }
    for row in cx.ready_engines().filter(|row| &row.info.id != engine) {
        if MenuRow::new(cx::look(row.info.look).icon(), &format!("By {}", row.info.name)).show(ui).clicked() {
            send(Some(row.info.id.clone()));
        }
    }
}

/// All that can be done with a message, for the secondary button.
fn menu_rows(cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView, message: &Message) {
    if MenuRow::new(icon::COPY, "Copy").show(ui).clicked() {
        cx.ask(Request::Copy { text: message.plain_text(), what: "The message" });
    }
    let can_edit = message.author == Author::User && !cx.read_only;
    if can_edit && MenuRow::new(icon::PENCIL_SIMPLE, "Edit and send again").show(ui).clicked() {
        cx.ask(Request::Edit(message.id));
    }
    if let Some(turn) = message.turn
        && MenuRow::new(icon::STACK, "Context of this turn").show(ui).clicked()
    {
        let conversation = view.row.conversation.id;
        cx.ask(Request::Go(Route::Inspector { conversation, turn: Some(turn) }));
    }
    if message.state != MessageState::Streaming {
        if MenuRow::new(icon::SCALES, "Mark as decided").show(ui).clicked() {
            cx.ask(Request::Decide(message.id));
        }
        if MenuRow::new(icon::BOOKMARK_SIMPLE, "Keep as artifact").show(ui).clicked() {
            cx.ask(Request::Keep(message.id));
        }
    }
    more_rows(cx, ui, view, message);
}

fn more_rows(cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView, message: &Message) {
    if MenuRow::new(icon::COPY_SIMPLE, "Copy as Markdown").show(ui).clicked() {
        cx.ask(Request::Copy { text: copy::markdown(message), what: "The message" });
    }
    let turn = view.turn.as_ref().filter(|turn| Some(turn.turn) == message.turn);
    if let Some(command) = turn.and_then(|turn| turn.resume_command.as_ref())
        && MenuRow::new(icon::TERMINAL, "Copy the command for a terminal").show(ui).clicked()
    {
        cx.ask(Request::Copy { text: command.clone(), what: "The command" });
    }
    if can_branch(message) && MenuRow::new(icon::GIT_BRANCH, "Branch from here").show(ui).clicked() {
        branch_from(cx, view, message);
    }
    if message.state == MessageState::Streaming || cx.read_only {
        return;
    }
    menu::divider(ui);
    if MenuRow::new(icon::TRASH, "Delete message").destructive().show(ui).clicked() {
        cx.send(ChatCommand::DeleteMessage { message: message.id });
    }
}
