//! The card an adopted branch leaves in its parent.

use egui::{Align, Frame, Layout, Margin, Rect, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use crate::api::command::BranchCommand;
use crate::api::snapshot::ConversationView;
use crate::model::branch::{AdoptCard, SummarySource};
use crate::model::message::{ItemBody, Message};
use crate::ui::cx::{Request, UiCx};
use crate::ui::lineage;
use crate::ui::route::Route;
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;
use crate::ui::widgets::{Button, user_mark};
use crate::ui::words;

use super::text::{TextKey, Texts};

/// The card of a message and its place among the items.
#[must_use]
pub fn of(message: &Message) -> Option<(usize, &AdoptCard)> {
    message.items.iter().enumerate().find_map(|(place, item)| match &item.body {
        ItemBody::Adopted(card) => Some((place, card)),
        _ => None,
    })
}

/// Draws the card over the width there is.
pub fn draw(
    cx: &UiCx<'_>,
    ui: &mut Ui,
    view: &ConversationView,
    message: &Message,
    (place, card): (usize, &AdoptCard),
    texts: &mut Texts,
) {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let frame = Frame::NONE
        .fill(p.bg_raised)
        .stroke(Stroke::new(sizes.stroke.line, p.stroke_subtle))
        .corner_radius(sizes.radius.card);
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 0.0;
        head(cx, ui, message, card);
        Frame::NONE.inner_margin(Margin { left: 12, right: 12, top: 10, bottom: 6 }).show(ui, |ui| {
            ui.set_width(ui.available_width());
            let key = TextKey {
                message: message.id,
                place,
                revision: message.revision,
                live: false,
                streaming: false,
            };
            texts.show(cx, ui, key, &card.text);
        });
        foot(cx, ui, view, message, card);
    });
}

fn head(cx: &UiCx<'_>, ui: &mut Ui, message: &Message, card: &AdoptCard) {
    let p = theme::palette(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 36.0), Sense::hover());
    paint::bottom_line(ui, rect, p.stroke_subtle);
    let title = format!("Adopted from {}", card.label);
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, &title));
    let icon_at = pos2(rect.left() + 19.0, rect.center().y);
    paint::icon(ui, icon_at, icon::ARROW_BEND_UP_LEFT, theme::sizes().icon.row, p.accent);
    let count = |n: usize, one, many| words::plural(n as u64, one, many);
    let mut parts =
        vec![cx.now.day_time(message.created_ms), count(card.messages as usize, "message", "messages")];
    if !card.agents.is_empty() {
        parts.push(count(card.agents.len(), "agent", "agents"));
    }
    let facts = paint::line(ui, &parts.join(" · "), Text::Caption.format(p.text_3), rect.width() * 0.55);
    let end = rect.right() - 12.0;
    let spot = Rect::from_min_max(pos2(end - facts.size().x, rect.top()), pos2(end, rect.bottom()));
    let left = paint::right(ui, rect, end, facts) - 10.0;
    let facts = ui.interact(spot, ui.scope_id().with("adopted facts"), Sense::hover());
    facts.widget_info(|| WidgetInfo::labeled(Role::Label, true, parts.join(" · ")));
    if !card.agents.is_empty() {
        facts.on_hover_text(card.agents.join(", "));
    }
    let x = rect.left() + 34.0;
    let format = Text::Ui.format_weighted(Weight::Semibold, p.text_1);
    let galley = paint::line(ui, &title, format, (left - x).max(40.0));
    let cut = galley.elided;
    paint::left(ui, rect, x, galley);
    if cut {
        response.on_hover_text(&title);
    }
}

fn foot(cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView, message: &Message, card: &AdoptCard) {
    let p = theme::palette(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 38.0), Sense::hover());
    let inside = Rect::from_min_max(rect.min, pos2(rect.right() - 8.0, rect.bottom() - 4.0));
    let layout = Layout::right_to_left(Align::Center);
    let mut end = ui.new_child(UiBuilder::new().max_rect(inside).layout(layout).id_salt("adopted end"));
    end.spacing_mut().item_spacing.x = theme::sizes().space.s2;
    let branch = card.branch;
    let last = view.index.last().is_some_and(|entry| entry.id == message.id);
    if last && Button::quiet("Undo").icon(icon::ARROW_U_UP_LEFT).show(&mut end).clicked() {
        cx.send(BranchCommand::UndoAdopt { branch });
    }
    if Button::quiet("Copy").icon(icon::COPY).show(&mut end).clicked() {
        cx.ask(Request::Copy { text: card.markdown(), what: "The summary" });
    }
    let gone = lineage::row(cx.snap, branch).is_none().then_some("The branch was deleted.");
    let open = Button::quiet("Open branch").icon(icon::ARROW_SQUARE_OUT).disabled(gone);
    if open.show(&mut end).clicked() {
        cx.ask(Request::Go(Route::Chat { conversation: branch }));
    }
    let right = end.min_rect().left() - 8.0;
    let own = card.source == SummarySource::Own;
    let mut x = rect.left() + 12.0;
    if own {
        let mark = Rect::from_min_size(pos2(x, inside.center().y - 8.0), vec2(16.0, 16.0));
        user_mark(&mut ui.new_child(UiBuilder::new().max_rect(mark).id_salt("by")), 16.0, "You");
        x += 22.0;
    }
    let cost =
        card.usage.as_deref().and_then(words::cost).map(|cost| format!(" · {cost}")).unwrap_or_default();
    let by = format!("{} by {}{cost}", source_words(card.source), card.written_by);
    let galley = paint::line(ui, &by, Text::Caption.format(p.text_2), (right - x).max(30.0));
    let spot = Rect::from_min_size(pos2(x, inside.top()), vec2(galley.size().x, inside.height()));
    paint::left(ui, inside, x, galley);
    let response = ui.interact(spot, ui.scope_id().with("written by"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &by));
    response.on_hover_text(by);
}

fn source_words(source: SummarySource) -> &'static str {
    match source {
        SummarySource::Agent | SummarySource::Own => "Summary",
        SummarySource::KeyPositions => "Key positions",
        SummarySource::LastAnswer => "End of the last answer",
    }
}
