//! One message: head, then its items in order.

use egui::{Align, Frame, Layout, Margin, Rect, Sense, Ui, UiBuilder, pos2, vec2};

use crate::api::snapshot::{ConversationView, TurnRow};
use crate::model::message::{
    Author, Item, ItemBody, Message, MessageState, NoticeLevel, PlanEntry, PlanEntryState,
};
use crate::model::turn::{TurnState, Usage};
use crate::ui::cx::UiCx;
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;
use crate::ui::widgets::{StateGlyph, Tone, engine_mark, user_mark};
use crate::ui::words;

use super::adopted;
use super::ending;
use super::text::{TextKey, Texts};
use super::tools::{Folds, Stretch};

/// Mark and the gap beside it.
const GUTTER: f32 = 28.0;
const MARK: f32 = 18.0;

/// Draws a message from the top of `ui`.
pub fn draw(
    cx: &UiCx<'_>,
    ui: &mut Ui,
    view: &ConversationView,
    message: &Message,
    folds: &mut Folds,
    texts: &mut Texts,
) {
    ui.spacing_mut().item_spacing.y = 0.0;
    if let MessageState::Damaged { why } = &message.state {
        damaged(ui, why);
        return;
    }
    match &message.author {
        Author::User => own(cx, ui, message, folds, texts),
        Author::Agent { .. } => answer(cx, ui, view, message, folds, texts),
        Author::System => match adopted::of(message) {
            Some(card) => body(ui, |ui| adopted::draw(cx, ui, view, message, card, texts)),
            None => system(ui, message),
        },
    }
}

/// The area right of the mark.
pub fn body<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    let rect = ui.available_rect_before_wrap();
    let inner = Rect::from_min_max(pos2(rect.left() + GUTTER, rect.top()), rect.max);
    let mut child =
        ui.new_child(UiBuilder::new().max_rect(inner).layout(Layout::top_down(Align::Min)).id_salt("body"));
    child.set_width(inner.width());
    child.spacing_mut().item_spacing.y = 0.0;
    let out = content(&mut child);
    ui.allocate_rect(
        Rect::from_min_max(rect.min, pos2(rect.right(), child.min_rect().bottom())),
        Sense::hover(),
    );
    out
}

fn own(cx: &UiCx<'_>, ui: &mut Ui, message: &Message, folds: &mut Folds, texts: &mut Texts) {
    let p = theme::palette(ui);
    let top = ui.cursor().min;
    let mark = Rect::from_min_size(pos2(top.x, top.y + 10.0), vec2(MARK, MARK));
    user_mark(&mut ui.new_child(UiBuilder::new().max_rect(mark).id_salt("mark")), MARK, "You");
    let time = cx.now.day_time(message.created_ms);
    body(ui, |ui| {
        let time = paint::line(ui, &time, Text::Caption.format(p.text_3), 120.0);
        let end = time.size().x + 16.0;
        let frame = Frame::NONE.fill(p.bg_raised).corner_radius(theme::sizes().radius.card);
        let shown = frame.inner_margin(Margin::symmetric(12, 8)).show(ui, |ui| {
            ui.set_width(ui.available_width());
            let width = ui.available_width() - end;
            ui.scope(|ui| {
                ui.set_max_width(width);
                items(cx, ui, message, folds, texts);
            });
            if message.unsaved {
                ui.add_space(4.0);
                note(ui, icon::WARNING, "Not saved yet", Tone::Warn);
            }
        });
        let rect = shown.response.rect;
        let line =
            Rect::from_min_size(pos2(rect.left(), rect.top() + 8.0), vec2(rect.width(), Text::Read.line()));
        paint::right(ui, line, rect.right() - 12.0, time);
    });
}

fn answer(
    cx: &UiCx<'_>,
    ui: &mut Ui,
    view: &ConversationView,
    message: &Message,
    folds: &mut Folds,
    texts: &mut Texts,
) {
    let turn = view
        .turn
        .as_deref()
        .filter(|turn| turn.answer == Some(message.id) || Some(turn.turn) == message.turn);
    head(cx, ui, message, turn);
    ui.add_space(4.0);
    body(ui, |ui| {
        items(cx, ui, message, folds, texts);
        if message.items.is_empty() && message.state == MessageState::Streaming {
            let phase = turn.map_or("", |turn| turn.phase.as_str());
            let phase = if phase.is_empty() { "Starting" } else { phase };
            ui.label(Text::Read.rich(phase, theme::palette(ui).text_3));
        }
        if message.unsaved {
            ui.add_space(4.0);
            note(ui, icon::WARNING, "Not saved yet", Tone::Warn);
        }
        ending::draw(cx, ui, view, message, turn);
    });
}

fn head(cx: &UiCx<'_>, ui: &mut Ui, message: &Message, turn: Option<&TurnRow>) {
    let Author::Agent { engine, model, name, .. } = &message.author else { return };
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 20.0), Sense::hover());
    let mark = Rect::from_min_size(pos2(rect.left(), rect.top() + 1.0), vec2(MARK, MARK));
    engine_mark(
        &mut ui.new_child(UiBuilder::new().max_rect(mark).id_salt("mark")),
        cx.look(engine),
        MARK,
        name,
    );
    let live = message.state == MessageState::Streaming;
    let end = if live { running(cx, ui, rect, turn) } else { finished(cx, ui, rect, message) };
    let x = rect.left() + GUTTER;
    let galley = paint::line(
        ui,
        name,
        Text::Ui.format_weighted(Weight::Semibold, p.text_1),
        (end - x - 12.0).max(60.0),
    );
    let next = paint::left(ui, rect, x, galley) + sizes.space.s4;
    if let Some(model) = model
        && end - next > 60.0
    {
        let galley = paint::line(ui, model, Text::MonoSmall.format(p.text_3), end - next - 12.0);
        paint::left(ui, rect, next, galley);
    }
    let said = model.as_ref().map_or_else(|| name.clone(), |model| format!("{name}, {model}"));
    let id = ui.scope_id().with("author");
    let response =
        ui.interact(Rect::from_min_max(rect.min, pos2(end - 8.0, rect.bottom())), id, Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Heading, true, &said));
}

/// Width of what stands at the right of an answer's head, points. While it runs it comes in wide steps, so that what
/// lies beside it stays while the seconds count.
pub fn facts_width(cx: &UiCx<'_>, ui: &Ui, message: &Message, turn: Option<&TurnRow>) -> f32 {
    const STEP: f32 = 48.0;
    if message.state == MessageState::Streaming {
        let (.., text) = running_words(cx, turn);
        let width = paint::width(ui, &text, Text::Caption, Weight::Regular) + 24.0;
        return (width / STEP).ceil() * STEP;
    }
    paint::width(ui, &finished_words(cx, message), Text::Caption, Weight::Regular)
}

fn running_words(cx: &UiCx<'_>, turn: Option<&TurnRow>) -> (TurnState, String) {
    let state = turn.map_or(TurnState::Running, |turn| turn.state);
    let phase = turn.map_or("", |turn| turn.phase.as_str());
    let phase = if phase.is_empty() { "Working" } else { phase };
    let elapsed =
        turn.map_or_else(String::new, |turn| format!(" · {}", words::elapsed(cx.now.ms - turn.started_ms)));
    let text = match state {
        TurnState::NeedsYou => format!("Needs you{elapsed}"),
        TurnState::Stopping => format!("Stopping{elapsed}"),
        TurnState::Queued => "Queued".to_owned(),
        _ => format!("{phase}{elapsed}{}", idle(cx, turn)),
    };
    (state, text)
}

/// Glyph, phase and elapsed time of a running turn; returns their left edge.
fn running(cx: &UiCx<'_>, ui: &Ui, rect: Rect, turn: Option<&TurnRow>) -> f32 {
    let p = theme::palette(ui);
    let (state, text) = running_words(cx, turn);
    let (glyph, color) = match state {
        TurnState::NeedsYou => (StateGlyph::NeedsYou, p.needs),
        TurnState::Stopping => (StateGlyph::Running, p.text_2),
        TurnState::Queued => (StateGlyph::Queued, p.text_2),
        _ => (StateGlyph::Running, p.accent),
    };
    let galley = paint::line(ui, &text, Text::Caption.format(color), rect.width() * 0.6);
    let x = paint::right(ui, rect, rect.right(), galley);
    glyph.paint(ui, pos2(x - 12.0, rect.center().y), 12.0);
    let id = ui.scope_id().with("state");
    let spot = Rect::from_min_max(pos2(x - 20.0, rect.top()), rect.max);
    let response = ui.interact(spot, id, Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &text));
    // The elapsed seconds step even where the ring stands still.
    ui.ctx().request_repaint_after(std::time::Duration::from_millis(500));
    x - 24.0
}

/// What the watchdog says when the engine has been silent for most of its time.
fn idle(cx: &UiCx<'_>, turn: Option<&TurnRow>) -> String {
    const LAST_MS: i64 = 60_000;
    let Some(turn) = turn else { return String::new() };
    let limit = i64::from(cx.snap.settings.turn_idle_timeout_secs) * 1_000;
    let left = turn.last_sign_ms + limit - cx.now.ms;
    if left > LAST_MS.min(limit / 2) {
        String::new()
    } else {
        format!(" · no sign, {} left", words::elapsed(left))
    }
}

fn finished_words(cx: &UiCx<'_>, message: &Message) -> String {
    let mut parts = vec![cx.now.day_time(message.created_ms)];
    parts.extend(message.duration_ms.map(words::duration));
    let usage = message.usage.as_ref();
    parts.extend(usage.and_then(tokens).map(|tokens| format!("{} tokens", words::short_count(tokens))));
    parts.extend(usage.and_then(|usage| usage.cost_usd).map(words::dollars));
    parts.join(" · ")
}

fn finished(cx: &UiCx<'_>, ui: &Ui, rect: Rect, message: &Message) -> f32 {
    let p = theme::palette(ui);
    let text = finished_words(cx, message);
    let usage = message.usage.as_ref();
    let galley = paint::line(ui, &text, Text::Caption.format(p.text_3), rect.width() * 0.6);
    let x = paint::right(ui, rect, rect.right(), galley);
    let response = ui.interact(
        Rect::from_min_max(pos2(x, rect.top()), rect.max),
        ui.scope_id().with("facts"),
        Sense::hover(),
    );
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &text));
    if let Some(usage) = usage {
        response.on_hover_ui(|ui| {
            ui.label(Text::Small.rich(usage_words(usage), p.text_2));
        });
    }
    x
}

/// Input and output together; `None` when neither is told.
fn tokens(usage: &Usage) -> Option<u64> {
    let parts = [usage.input_tokens, usage.cached_input_tokens, usage.output_tokens];
    parts.iter().flatten().copied().reduce(u64::saturating_add)
}

fn usage_words(usage: &Usage) -> String {
    let line =
        |name: &str, value: Option<u64>| value.map(|value| format!("{name}: {}", words::thousands(value)));
    let lines = [
        line("Input tokens", usage.input_tokens),
        line("Cached input tokens", usage.cached_input_tokens),
        line("Output tokens", usage.output_tokens),
        line("Of these for thinking", usage.reasoning_tokens),
        usage.cost_usd.map(|cost| format!("Cost: {}", words::dollars(cost))),
        match (usage.window_used_tokens, usage.window_tokens) {
            (Some(used), Some(all)) => {
                Some(format!("Window: {} of {}", words::short_count(used), words::short_count(all)))
            }
            _ => None,
        },
    ];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Items in order; stretches of calls share a frame.
fn items(cx: &UiCx<'_>, ui: &mut Ui, message: &Message, folds: &mut Folds, texts: &mut Texts) {
    let live = message.state == MessageState::Streaming;
    let mut place = 0;
    while let Some(item) = message.items.get(place) {
        let calls = message.items.iter().skip(place).take_while(|item| is_call(item)).count();
        if calls > 0 {
            if let Some(items) = message.items.get(place..place + calls) {
                let live = live && place + calls == message.items.len();
                folds.group(cx, ui, &Stretch { message: message.id, start: place, items, live });
            }
            place += calls;
            continue;
        }
        let last = place + 1 == message.items.len();
        match &item.body {
            ItemBody::Text { text } => {
                if place > 0 && message.items.get(place - 1).is_some_and(|before| !is_call(before)) {
                    ui.add_space(8.0);
                }
                let key = TextKey {
                    message: message.id,
                    place,
                    revision: message.revision,
                    live: live && last,
                    streaming: live,
                };
                if message.author == Author::User {
                    let fold = (message.id, item.key.clone());
                    folds.own_text(ui, &fold, text, |ui, text| texts.show(cx, ui, key, text));
                } else {
                    texts.show(cx, ui, key, text);
                }
            }
            ItemBody::Plan { entries } => plan(ui, entries),
            ItemBody::Adopted(card) => note(ui, icon::INFO, &card.markdown(), Tone::Neutral),
            ItemBody::Notice { level, text } => {
                let (which, tone) = match level {
                    NoticeLevel::Info => (icon::INFO, Tone::Neutral),
                    NoticeLevel::Warn => (icon::WARNING, Tone::Warn),
                    NoticeLevel::Error => (icon::WARNING_CIRCLE, Tone::Error),
                };
                note(ui, which, text, tone);
            }
            ItemBody::Tool(_) | ItemBody::Thinking { .. } | ItemBody::Permission { .. } => {}
        }
        place += 1;
    }
}

fn is_call(item: &Item) -> bool {
    matches!(item.body, ItemBody::Tool(_) | ItemBody::Thinking { .. } | ItemBody::Permission { .. })
}

fn plan(ui: &mut Ui, entries: &[PlanEntry]) {
    let p = theme::palette(ui);
    ui.add_space(6.0);
    let edge = egui::Stroke::new(1.0, p.stroke_subtle);
    let frame = Frame::NONE.stroke(edge).corner_radius(theme::sizes().radius.card);
    frame.inner_margin(Margin::symmetric(10, 6)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        for entry in entries {
            let (glyph, color) = match entry.state {
                PlanEntryState::Pending => (StateGlyph::Queued, p.text_2),
                PlanEntryState::InProgress => (StateGlyph::InProgress, p.text_1),
                PlanEntryState::Done => (StateGlyph::Done, p.text_3),
            };
            ui.horizontal_top(|ui| {
                let (spot, response) = ui.allocate_exact_size(vec2(16.0, 22.0), Sense::hover());
                response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, glyph.word()));
                glyph.paint(ui, spot.center(), 12.0);
                ui.add(egui::Label::new(Text::Ui.rich(&entry.text, color)).wrap());
            });
        }
    });
    ui.add_space(8.0);
}

/// One line with an icon: something the app or the engine says about itself.
pub fn note(ui: &mut Ui, which: icon::Icon, text: &str, tone: Tone) {
    let p = theme::palette(ui);
    let color = if tone == Tone::Neutral { p.text_2 } else { tone.color(p) };
    ui.add_space(2.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        let (spot, _) = ui.allocate_exact_size(vec2(14.0, 18.0), Sense::hover());
        paint::icon(ui, spot.center(), which, 13.0, color);
        ui.add(egui::Label::new(Text::Small.rich(text, color)).selectable(true).wrap());
    });
    ui.add_space(2.0);
}

fn system(ui: &mut Ui, message: &Message) {
    let text = message.items.iter().map(|item| match &item.body {
        ItemBody::Text { text } | ItemBody::Notice { text, .. } => text.as_str(),
        _ => "",
    });
    let text: Vec<&str> = text.filter(|text| !text.is_empty()).collect();
    body(ui, |ui| note(ui, icon::INFO, &text.join(" "), Tone::Neutral));
}

fn damaged(ui: &mut Ui, why: &str) {
    let p = theme::palette(ui);
    body(ui, |ui| {
        let edge = egui::Stroke::new(1.0, p.stroke_default);
        let frame = Frame::NONE.stroke(edge).corner_radius(theme::sizes().radius.card);
        frame.inner_margin(Margin::symmetric(12, 8)).show(ui, |ui| {
            ui.set_width(ui.available_width());
            let text = "This message could not be read from the database. The others are not affected.";
            note(ui, icon::WARNING, text, Tone::Warn);
            ui.add(egui::Label::new(Text::MonoSmall.rich(why, p.text_3)).selectable(true).wrap());
        });
    });
}
