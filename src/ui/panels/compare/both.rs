//! One composer that writes to both sides of a comparison; each gets its own message.

use std::collections::HashMap;

use egui::{Frame, Id, Key, Margin, Modifiers, Rect, Stroke, StrokeKind, Ui, UiBuilder, pos2, vec2};

use crate::api::command::ChatCommand;
use crate::model::id::ConversationId;
use crate::ui::action::UiAction;
use crate::ui::cx::{DeskAt, Request, UiCx};
use crate::ui::lineage;
use crate::ui::theme::{self, Text};
use crate::ui::widgets::Button;
use crate::ui::widgets::paint;
use crate::ui::widgets::text_field::{EnterKey, TextField};

/// Longest text, characters.
const MAX_CHARS: usize = 100_000;

/// Whether it is there, and what is typed in it.
#[derive(Default)]
pub struct Both {
    pub on: bool,
    /// Its height when it was last drawn, points.
    pub height: f32,
    texts: HashMap<[ConversationId; 2], Shared>,
}

/// The text for a pair.
#[derive(Default)]
struct Shared {
    text: String,
    /// The side that has it already, after the other one refused.
    has: Option<usize>,
    /// Which was refused, and why.
    note: String,
}

fn field(most: usize) -> TextField<'static> {
    TextField::multi("compare both", "Message to both", 2, most)
}

/// The field's id.
#[must_use]
pub fn field_id() -> Id {
    field(2).id()
}

/// Why nothing can be sent to a conversation now.
fn why_not(cx: &UiCx<'_>, id: ConversationId) -> Option<String> {
    let Some(row) = lineage::row(cx.snap, id) else { return Some("it was deleted".to_owned()) };
    if let Some(branch) = row.conversation.branch.as_ref().filter(|_| row.conversation.archived) {
        let adopted = branch.facts.adopted.is_some();
        return Some(if adopted { "it was adopted" } else { "it is archived" }.to_owned());
    }
    let Some(view) = cx.snap.view(id) else { return Some("it is still being opened".to_owned()) };
    if view.error.is_some() {
        return Some("its messages could not be read".to_owned());
    }
    view.loading.then(|| "it is still being opened".to_owned())
}

fn title(cx: &UiCx<'_>, id: ConversationId) -> String {
    lineage::row(cx.snap, id)
        .map_or_else(|| "the deleted one".to_owned(), |row| row.conversation.title.clone())
}

impl Both {
    /// Draws it at the bottom of `rect` and returns its height.
    pub fn show(&mut self, cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, pair: [ConversationId; 2]) -> f32 {
        let sizes = theme::sizes();
        let p = theme::palette(ui);
        let pad = sizes.space.s7;
        let before = if self.height > 0.0 { self.height } else { 128.0 };
        let width = (rect.width() - pad * 2.0).min(sizes.panel.reading_max * 1.4);
        let at = pos2(rect.center().x - width / 2.0, rect.bottom() - before + pad);
        let inside = Rect::from_min_max(at, pos2(at.x + width, rect.bottom() - pad));
        let top = Rect::from_min_max(pos2(rect.left(), rect.bottom() - before), rect.max);
        ui.painter().hline(top.x_range(), top.top() + 0.5, Stroke::new(1.0, p.stroke_subtle));
        let mut child = ui.new_child(UiBuilder::new().max_rect(inside).id_salt("both"));
        let focused = child.memory(|memory| memory.has_focus(field_id()));
        let margin = Margin { left: 12, right: 8, top: 10, bottom: 8 };
        let frame = Frame::NONE.fill(p.bg_raised).corner_radius(sizes.radius.composer).inner_margin(margin);
        let shared = self.texts.entry(pair).or_default();
        let shown = frame.show(&mut child, |ui| {
            ui.spacing_mut().item_spacing.y = sizes.space.s3;
            ui.set_width(ui.available_width());
            shared.show(cx, ui, pair, focused);
        });
        let (line, color) =
            if focused { (sizes.stroke.focus, p.accent) } else { (sizes.stroke.line, p.stroke_control) };
        let edge = shown.response.rect;
        ui.painter().rect_stroke(edge, sizes.radius.composer, Stroke::new(line, color), StrokeKind::Inside);
        let height = edge.height() + pad * 2.0;
        if (height - before).abs() > 0.5 {
            self.height = height;
            ui.ctx().request_discard("the composer for both changed its height");
        }
        before
    }
}

impl Shared {
    fn show(&mut self, cx: &UiCx<'_>, ui: &mut Ui, pair: [ConversationId; 2], focused: bool) {
        let p = theme::palette(ui);
        let forced = focused && ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
        let third = (ui.ctx().content_rect().height() / 3.0 / Text::Read.line()).floor();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few lines")]
        let most = (third as usize).clamp(3, 20);
        let enter = if cx.snap.settings.enter_sends { EnterKey::Submits } else { EnterKey::Breaks };
        let to = self.to(cx, pair);
        let out = field(most)
            .bare()
            .hint("Message both")
            .max_chars(MAX_CHARS)
            .enter(enter)
            .show(ui, &mut self.text);
        if out.full {
            ui.label(Text::Caption.rich("The field is full.", p.warn));
        }
        if !self.note.is_empty() {
            ui.add(egui::Label::new(Text::Small.rich(&self.note, p.warn)).wrap());
        }
        let blank = self.text.trim().is_empty();
        let mut send = (out.submitted || forced) && !blank;
        let (line, _) = ui.allocate_exact_size(vec2(ui.available_width(), 28.0), egui::Sense::hover());
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        let mut end = ui.new_child(UiBuilder::new().max_rect(line).layout(layout).id_salt("both end"));
        let why = blank.then_some("There is nothing to send yet.");
        let label = if self.has.is_some() { "Send to the other" } else { "Send to both" };
        send |= Button::primary(label).key("↵").disabled(why).show(&mut end).clicked();
        if self.has.is_some() && Button::quiet("To both again").show(&mut end).clicked() {
            self.has = None;
            self.note.clear();
        }
        let room = end.min_rect().left() - line.left() - theme::sizes().space.s4;
        let galley = paint::line(ui, &to, Text::Caption.format(p.text_2), room.max(0.0));
        let cut = galley.elided;
        let spot = Rect::from_min_size(line.min, vec2(galley.size().x, line.height()));
        paint::left(ui, line, line.left(), galley);
        let response = ui.interact(spot, ui.scope_id().with("both to"), egui::Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &to));
        if cut {
            response.on_hover_text(&to);
        }
        if send {
            self.send(cx, pair);
        }
    }

    /// `To OAuth2 PKCE and Grace window in Redis`.
    fn to(&self, cx: &UiCx<'_>, pair: [ConversationId; 2]) -> String {
        let name = |id: ConversationId| {
            let view = cx.snap.view(id);
            let live = view.and_then(|view| view.turn.as_ref()).is_some_and(|turn| turn.state.is_live());
            format!("{}{}", title(cx, id), if live { " (queued behind its answer)" } else { "" })
        };
        let [left, right] = pair;
        match self.has {
            None => format!("To {} and {}", name(left), name(right)),
            Some(0) => format!("Only to {}", name(right)),
            Some(_) => format!("Only to {}", name(left)),
        }
    }

    /// Sends to each side that takes it. What is refused stays in the field, for that side alone.
    fn send(&mut self, cx: &UiCx<'_>, pair: [ConversationId; 2]) {
        let mut sent = Vec::new();
        let mut refused = Vec::new();
        for (place, id) in pair.into_iter().enumerate() {
            if self.has == Some(place) {
                continue;
            }
            if let Some(why) = why_not(cx, id) {
                refused.push((place, format!("Not sent to {}: {why}.", title(cx, id))));
                continue;
            }
            // What is typed in the side's own field stays there.
            cx.send(ChatCommand::SendWords { conversation: id, text: self.text.clone() });
            let side = if place == 0 { DeskAt::Left } else { DeskAt::Right };
            cx.ask(Request::Beside(side, Box::new(Request::Act(UiAction::Latest))));
            sent.push(place);
        }
        self.has = if refused.is_empty() { None } else { sent.first().copied().or(self.has) };
        self.note = refused.iter().map(|(_, why)| why.as_str()).collect::<Vec<_>>().join(" ");
        if refused.is_empty() {
            self.text.clear();
        } else {
            self.note.push_str(" The text is kept.");
        }
    }
}
