//! The one text field of the window: single and multi line, safe for input methods.
//!
//! While an input method composes, and in the frame in which it commits, Enter, Esc, Backspace, Tab and the arrows
//! are its keys: [`ImeGuard`] takes them out of the input before anything else sees them.

mod ime;
#[cfg(test)]
mod tests;

use egui::text::LayoutJob;
use egui::{
    Align2, Event, EventFilter, Frame, Id, Key, Margin, Response, ScrollArea, Stroke, StrokeKind, TextBuffer,
    TextEdit, Ui, vec2,
};

use crate::ui::theme::{self, CLEAR, Text};

use super::paint;

pub use ime::{ImeGuard, composing, install};

/// A paste with more chars than this becomes an event.
pub const BIG_PASTE_CHARS: usize = 2_000;
/// A paste with more lines than this becomes an event.
pub const BIG_PASTE_LINES: usize = 30;

/// What Enter does in a field of several lines; Shift+Enter does the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnterKey {
    /// Enter submits, Shift+Enter breaks the line.
    #[default]
    Submits,
    /// Enter breaks the line, Shift+Enter submits.
    Breaks,
}

/// What the user did in the field this frame.
pub struct Outcome {
    /// The field; `has_focus`, `lost_focus` and the rectangle are read here.
    pub response: Response,
    /// The text changed.
    pub changed: bool,
    /// Submit key, not while composing.
    pub submitted: bool,
    /// Esc, not while composing; the field keeps the focus, the caller decides.
    pub cancelled: bool,
    /// Keys of a list that the caller steers from this field, see [`TextField::steer`].
    pub steered: Vec<Key>,
    /// A paste too big to insert, see [`TextField::report_big_paste`]; nothing was inserted.
    pub big_paste: Option<String>,
    /// An input method composes in this field.
    pub composing: bool,
    /// The text has reached its cap.
    pub full: bool,
}

/// Builder of a field.
#[must_use = "call `show`"]
pub struct TextField<'a> {
    salt: Id,
    name: &'a str,
    hint: &'a str,
    short_hint: bool,
    rows: Option<(usize, usize)>,
    enter: EnterKey,
    max_chars: usize,
    invalid: Option<&'a str>,
    step: Text,
    framed: bool,
    secret: bool,
    big_paste: bool,
    steer: bool,
    large: bool,
    width: Option<f32>,
}

impl<'a> TextField<'a> {
    /// A single line; `salt` makes it unique, `name` is its accessible name.
    pub fn single(salt: impl std::hash::Hash + std::fmt::Debug, name: &'a str) -> Self {
        Self {
            salt: Id::unique(("text field", salt)),
            name,
            hint: "",
            short_hint: false,
            rows: None,
            enter: EnterKey::Submits,
            max_chars: usize::MAX,
            invalid: None,
            step: Text::Ui,
            framed: true,
            secret: false,
            big_paste: false,
            steer: false,
            large: false,
            width: None,
        }
    }

    /// Several lines: at least `least`, scrolling beyond `most`.
    pub fn multi(
        salt: impl std::hash::Hash + std::fmt::Debug,
        name: &'a str,
        least: usize,
        most: usize,
    ) -> Self {
        Self {
            rows: Some((least.max(1), most.max(least).max(1))),
            step: Text::Read,
            ..Self::single(salt, name)
        }
    }

    /// The field's id, for moving the focus to it: `ctx.memory_mut(|m| m.request_focus(id))`.
    #[must_use]
    pub fn id(&self) -> Id {
        self.salt
    }

    /// Text shown while the field is empty.
    pub fn hint(mut self, hint: &'a str) -> Self {
        self.hint = hint;
        self
    }

    /// The hint ends in "…" where it does not fit one line, so that the field keeps its height when it goes.
    pub fn short_hint(mut self) -> Self {
        self.short_hint = true;
        self
    }

    /// See [`EnterKey`]; a single line always submits.
    pub fn enter(mut self, enter: EnterKey) -> Self {
        self.enter = enter;
        self
    }

    /// Cap on the length in Unicode chars.
    pub fn max_chars(mut self, max_chars: usize) -> Self {
        self.max_chars = max_chars;
        self
    }

    /// Marks the value as not taken, with the reason below.
    pub fn invalid(mut self, reason: Option<&'a str>) -> Self {
        self.invalid = reason;
        self
    }

    /// Another step of the type scale, such as [`Text::Mono`].
    pub fn step(mut self, step: Text) -> Self {
        self.step = step;
        self
    }

    /// No ground, edge or padding; the caller draws them, as the composer does.
    pub fn bare(mut self) -> Self {
        self.framed = false;
        self
    }

    /// Shows dots and copies nothing.
    pub fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// Reports a paste of more than [`BIG_PASTE_CHARS`] or [`BIG_PASTE_LINES`] in place of inserting it.
    pub fn report_big_paste(mut self) -> Self {
        self.big_paste = true;
        self
    }

    /// Takes ↑, ↓, Tab, Page up and down from the text and reports them, while a list hangs on the field.
    /// Enter stays in [`Outcome::submitted`].
    pub fn steer(mut self, steer: bool) -> Self {
        self.steer = steer;
        self
    }

    /// 36 high: search fields.
    pub fn large(mut self) -> Self {
        self.large = true;
        self
    }

    /// Width in points; without it the field fills what is there.
    pub fn width(mut self, width: f32) -> Self {
        self.width = Some(width);
        self
    }

    /// Draws the field over `text`.
    pub fn show(self, ui: &mut Ui, text: &mut String) -> Outcome {
        install(ui.ctx());
        let id = self.salt;
        let focused = ui.memory(|memory| memory.has_focus(id));
        let taken = if focused { self.take_events(ui) } else { Taken::default() };
        let before = text.len();
        let response = self.draw(ui, text, focused).accessible_name(self.name);
        let changed = response.changed() || text.len() != before;
        let full = self.max_chars != usize::MAX && text.chars().count() >= self.max_chars;
        if !taken.later.is_empty() {
            ime::put_back(ui.ctx(), taken.later);
        }
        if let Some(reason) = self.invalid {
            let p = theme::palette(ui);
            ui.add(egui::Label::new(Text::Caption.rich(reason, p.error)).wrap());
        }
        Outcome {
            composing: focused && composing(ui.ctx()),
            response,
            changed,
            submitted: taken.submitted,
            cancelled: taken.cancelled,
            steered: taken.steered,
            big_paste: taken.big_paste,
            full,
        }
    }

    /// Takes out of the input what is not typing. What follows a submit in the same frame waits for the next one,
    /// so that letters typed after Enter do not become part of what was sent.
    fn take_events(&self, ui: &Ui) -> Taken {
        let mut taken = Taken::default();
        ui.input_mut(|input| {
            let events = std::mem::take(&mut input.events);
            for event in events {
                if taken.submitted && is_typing(&event) {
                    taken.later.push(event);
                } else if let Some(event) = self.take(event, &mut taken) {
                    input.events.push(event);
                }
            }
        });
        taken
    }

    fn take(&self, event: Event, taken: &mut Taken) -> Option<Event> {
        match event {
            Event::Key { key: Key::Enter, pressed: true, modifiers, .. } if self.submits(modifiers) => {
                taken.submitted = true;
                None
            }
            Event::Key { key: Key::Escape, pressed: true, .. } => {
                taken.cancelled = true;
                None
            }
            Event::Key { key, pressed: true, modifiers, .. }
                if self.steer && !modifiers.any() && is_steering(key) =>
            {
                taken.steered.push(key);
                None
            }
            Event::Paste(text) if self.big_paste && is_big(&text) => {
                taken.big_paste = Some(text);
                None
            }
            event => Some(event),
        }
    }

    fn submits(&self, modifiers: egui::Modifiers) -> bool {
        if modifiers.alt || modifiers.ctrl || modifiers.command {
            return false;
        }
        match (self.rows, self.enter) {
            (None, _) => !modifiers.shift,
            (Some(_), EnterKey::Submits) => !modifiers.shift,
            (Some(_), EnterKey::Breaks) => modifiers.shift,
        }
    }

    fn draw(&self, ui: &mut Ui, text: &mut String, focused: bool) -> Response {
        let Some((_, most)) = self.rows else { return self.edit(ui, text, focused) };
        let pad = if self.framed { self.margin().sum().y } else { 0.0 };
        #[expect(clippy::cast_precision_loss, reason = "a count of lines on a screen")]
        let height = most as f32 * self.step.line() + pad;
        // Inside a page that scrolls, too, it grows to its full height.
        let area = ScrollArea::vertical().id_salt(self.salt).max_height(height).min_scrolled_height(height);
        let area = area.auto_shrink([false, true]);
        let shown = area.show(ui, |ui| self.edit(ui, text, focused));
        if self.framed {
            let edge = shown.inner.rect.intersect(shown.inner_rect);
            self.paint_edge(ui, edge, focused);
        }
        shown.inner
    }

    fn margin(&self) -> Margin {
        let sizes = theme::sizes();
        let height = if self.large { sizes.control.field_large } else { sizes.control.field };
        let vertical = if self.rows.is_some() { sizes.space.s3 } else { (height - self.step.line()) / 2.0 };
        #[expect(clippy::cast_possible_truncation, reason = "a padding of a few points")]
        Margin::symmetric(sizes.space.s5 as i8, vertical as i8)
    }

    fn edit(&self, ui: &mut Ui, text: &mut String, focused: bool) -> Response {
        let p = theme::palette(ui);
        let enabled = ui.is_enabled();
        let color = if enabled { p.text_1 } else { p.text_off };
        let (step, secret, wraps) = (self.step, self.secret, self.rows.is_some());
        let mut layouter = |ui: &Ui, buffer: &dyn TextBuffer, wrap_width: f32| {
            let shown = if secret {
                "•".repeat(buffer.as_str().chars().count())
            } else {
                buffer.as_str().to_owned()
            };
            let mut job = LayoutJob::single_section(shown, step.format(color));
            job.wrap.max_width = if wraps { wrap_width } else { f32::INFINITY };
            job.break_on_newline = wraps;
            job.keep_trailing_whitespace = true;
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        let frame = if self.framed {
            Frame::NONE
                .fill(p.bg_inset)
                .corner_radius(theme::sizes().radius.control)
                .inner_margin(self.margin())
        } else {
            Frame::NONE
        };
        // A second line of it would make the field grow.
        let cut = (self.short_hint && text.is_empty()).then(|| {
            let room = self.width.unwrap_or(f32::INFINITY).min(ui.available_width());
            let format = step.format(p.text_3);
            paint::cut(ui, self.hint, format, room - frame.inner_margin.sum().x)
        });
        let hint = self.step.rich(cut.as_deref().unwrap_or(self.hint), p.text_3);
        let base = if wraps { TextEdit::multiline(text) } else { TextEdit::singleline(text) };
        let height = step.line() + frame.inner_margin.sum().y;
        let edit = base
            .id(self.salt)
            .font(step.font())
            .text_color(color)
            .hint_text(hint)
            .password(self.secret)
            .char_limit(self.max_chars)
            .desired_width(self.width.unwrap_or(f32::INFINITY))
            .desired_rows(self.rows.map_or(1, |(least, _)| least))
            .min_size(vec2(0.0, height))
            .align(Align2::LEFT_TOP)
            .frame(frame)
            .event_filter(EventFilter {
                tab: self.steer,
                horizontal_arrows: true,
                vertical_arrows: true,
                escape: true,
            })
            .return_key(match self.enter {
                EnterKey::Submits => egui::KeyboardShortcut::new(egui::Modifiers::SHIFT, Key::Enter),
                EnterKey::Breaks => egui::KeyboardShortcut::new(egui::Modifiers::NONE, Key::Enter),
            })
            .layouter(&mut layouter);
        let response = edit.show(ui).response.response;
        if self.framed && self.rows.is_none() {
            self.paint_edge(ui, response.rect, focused);
        }
        response
    }

    fn paint_edge(&self, ui: &Ui, rect: egui::Rect, focused: bool) {
        let sizes = theme::sizes();
        let p = theme::palette(ui);
        let (width, color) = match (self.invalid.is_some(), focused, ui.is_enabled()) {
            (_, _, false) => (sizes.stroke.line, p.stroke_subtle),
            (true, ..) => (sizes.stroke.line, p.error),
            (_, true, _) => (sizes.stroke.focus, p.accent),
            _ => (sizes.stroke.line, p.stroke_control),
        };
        let stroke = Stroke::new(width, color);
        ui.painter().rect(rect, sizes.radius.control, CLEAR, stroke, StrokeKind::Inside);
    }
}

/// A search or filter field with a magnifying glass at its left.
pub fn search(ui: &mut Ui, field: TextField<'_>, text: &mut String) -> Outcome {
    const GLASS: f32 = 14.0;
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let mut frame = Frame::NONE.fill(p.bg_inset).corner_radius(sizes.radius.control);
    let vertical = if field.large { 8 } else { 6 };
    frame = frame.inner_margin(Margin { left: 10, right: 10, top: vertical, bottom: vertical });
    let id = field.id();
    let shown = frame.show(ui, |ui| {
        ui.spacing_mut().interact_size.y = Text::Ui.line();
        ui.horizontal(|ui| {
            let (spot, _) = ui.allocate_exact_size(vec2(GLASS, Text::Ui.line()), egui::Sense::hover());
            paint::icon(ui, spot.center(), super::icon::MAGNIFYING_GLASS, GLASS, p.text_3);
            field.bare().show(ui, text)
        })
        .inner
    });
    let focused = ui.memory(|memory| memory.has_focus(id));
    let (width, color) =
        if focused { (sizes.stroke.focus, p.accent) } else { (sizes.stroke.line, p.stroke_control) };
    let rect = shown.response.rect;
    ui.painter().rect_stroke(rect, sizes.radius.control, Stroke::new(width, color), StrokeKind::Inside);
    shown.inner
}

#[derive(Default)]
struct Taken {
    submitted: bool,
    cancelled: bool,
    steered: Vec<Key>,
    big_paste: Option<String>,
    later: Vec<Event>,
}

fn is_typing(event: &Event) -> bool {
    matches!(event, Event::Text(_) | Event::Key { .. } | Event::Paste(_) | Event::Ime(_) | Event::Cut)
}

fn is_steering(key: Key) -> bool {
    matches!(key, Key::ArrowUp | Key::ArrowDown | Key::Tab | Key::PageUp | Key::PageDown)
}

/// Whether a paste is too big to insert.
#[must_use]
pub fn is_big(text: &str) -> bool {
    text.len() > BIG_PASTE_CHARS && text.chars().nth(BIG_PASTE_CHARS).is_some()
        || text.lines().nth(BIG_PASTE_LINES).is_some()
}
