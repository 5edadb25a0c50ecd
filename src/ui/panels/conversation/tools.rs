//! Tool calls, thinking and answered questions of a message, folded.

use std::collections::{HashMap, HashSet};

use egui::{Frame, Margin, ScrollArea, Ui};

use crate::model::id::MessageId;
use crate::model::message::{Item, ItemBody, PermissionOutcome, ToolCall, ToolKind, ToolState};
use crate::model::turn::PermissionRequest;
use crate::ui::cx::{Request, UiCx};
use crate::ui::panels::diff;
use crate::ui::theme::{self, Text};
use crate::ui::widgets::icon::{self, Icon};
use crate::ui::widgets::tool_fold::{Elide, ToolRow, more_calls, tool_group, tool_output};
use crate::ui::widgets::{Button, StateGlyph, Tone};
use crate::ui::words;

/// Which folds are open.
#[derive(Default)]
pub struct Folds {
    open: HashSet<(MessageId, String)>,
    all: HashSet<(MessageId, String)>,
    /// Groups whose middle calls are shown.
    groups: HashSet<(MessageId, usize)>,
    /// Lines of an output, by item and length in bytes.
    lines: HashMap<(MessageId, String), (usize, usize)>,
}

/// A stretch of calls in a message.
pub struct Stretch<'a> {
    pub message: MessageId,
    /// Place of its first item in the message.
    pub start: usize,
    pub items: &'a [Item],
    /// More may come after its last item.
    pub live: bool,
}

/// How one row of a group is drawn.
#[derive(Clone, Copy)]
struct Fold {
    open: bool,
    /// Still being written.
    live: bool,
    /// A line above it.
    divider: bool,
    /// Its lower corners are the group's.
    last: bool,
}

/// Calls of a group shown without asking for more.
const GROUP_MAX: usize = 5;
/// Lines of an output shown at first.
const LINES_MAX: usize = 12;
/// An own text longer than this is folded, lines and characters.
const FOLD_FROM_LINES: usize = 40;
pub const FOLD_FROM_CHARS: usize = 8_000;
/// What a folded own text shows, lines and characters.
const FOLD_LINES: usize = 16;
const FOLD_CHARS: usize = 3_000;

impl Folds {
    /// Draws a stretch of calls.
    pub fn group(&mut self, cx: &UiCx<'_>, ui: &mut Ui, stretch: &Stretch<'_>) {
        let Stretch { message, start, items, live } = *stretch;
        let spare = items.len() > GROUP_MAX && !self.groups.contains(&(message, start));
        let last = items.len().saturating_sub(1);
        let shown = |place: usize, item: &Item| !spare || place == 0 || place == last || is_loud(item);
        let hidden = items.iter().enumerate().filter(|(place, item)| !shown(*place, item)).count();
        tool_group(ui, |ui| {
            let mut said = false;
            for (place, item) in items.iter().enumerate() {
                if shown(place, item) {
                    let key = (message, item.key.clone());
                    let open = self.open.contains(&key);
                    let fold =
                        Fold { open, live: live && place == last, divider: place > 0, last: place == last };
                    ui.push_id(&item.key, |ui| self.item(cx, ui, &key, item, fold));
                } else if !said {
                    said = true;
                    if more_calls(ui, hidden).clicked() {
                        self.groups.insert((message, start));
                    }
                }
            }
        });
    }

    fn item(&mut self, cx: &UiCx<'_>, ui: &mut Ui, key: &(MessageId, String), item: &Item, fold: Fold) {
        let last = fold.last;
        let clicked = match &item.body {
            ItemBody::Tool(call) => tool_row(call, fold).show(ui).clicked(),
            ItemBody::Thinking { text } => thinking_row(text, fold).show(ui).clicked(),
            ItemBody::Permission { request, outcome } => {
                permission_row(request, outcome.as_ref(), fold).show(ui).clicked()
            }
            ItemBody::Text { .. }
            | ItemBody::Plan { .. }
            | ItemBody::Notice { .. }
            | ItemBody::Adopted(_) => false,
        };
        if clicked {
            if fold.open {
                self.open.remove(key)
            } else {
                self.open.insert(key.clone())
            };
        }
        if !fold.open {
            return;
        }
        match &item.body {
            ItemBody::Tool(call) => self.tool_body(cx, ui, key, call, last),
            ItemBody::Thinking { text } => self.output(cx, ui, key, text, last),
            ItemBody::Permission { request, outcome } => {
                let text = permission_text(request, outcome.as_ref());
                self.output(cx, ui, key, &text, last);
            }
            ItemBody::Text { .. }
            | ItemBody::Plan { .. }
            | ItemBody::Notice { .. }
            | ItemBody::Adopted(_) => {}
        }
    }

    fn tool_body(
        &mut self,
        cx: &UiCx<'_>,
        ui: &mut Ui,
        key: &(MessageId, String),
        call: &ToolCall,
        last: bool,
    ) {
        if let Some(diff) = &call.diff {
            Frame::NONE.inner_margin(Margin::symmetric(8, 6)).show(ui, |ui| {
                diff::view(ui, (key.0.0, key.1.as_str()), &call.title, diff);
            });
            return;
        }
        if call.kind == ToolKind::Run && call.input != call.title && !call.input.is_empty() {
            let margin = Margin { left: 32, right: 12, top: 8, bottom: 0 };
            Frame::NONE.fill(theme::palette(ui).bg_inset).inner_margin(margin).show(ui, |ui| {
                ui.set_width(ui.available_width());
                let label = Text::MonoSmall.rich(&call.input, theme::palette(ui).text_1);
                ui.add(egui::Label::new(label).selectable(true).wrap());
            });
        }
        let text = if call.output.is_empty() { &call.input } else { &call.output };
        self.output(cx, ui, key, text, last);
    }

    /// Draws an own text with `draw`; of a long one only the beginning, until asked for the rest.
    pub fn own_text(
        &mut self,
        ui: &mut Ui,
        key: &(MessageId, String),
        text: &str,
        draw: impl FnOnce(&mut Ui, &str),
    ) {
        let Some(cut) = fold_at(text) else { return draw(ui, text) };
        let open = self.all.contains(key);
        draw(ui, if open { text } else { text.get(..cut).unwrap_or(text) });
        ui.add_space(6.0);
        let label = match self.line_count(key, text) {
            _ if open => "Show less".to_owned(),
            lines if lines > FOLD_FROM_LINES => {
                format!("Show all {}", words::plural(lines as u64, "line", "lines"))
            }
            _ => "Show all of it".to_owned(),
        };
        let which = if open { icon::CARET_UP } else { icon::CARET_DOWN };
        if Button::secondary(&label).icon(which).show(ui).clicked() {
            if open {
                self.all.remove(key)
            } else {
                self.all.insert(key.clone())
            };
        }
    }

    fn line_count(&mut self, key: &(MessageId, String), text: &str) -> usize {
        match self.lines.get(key) {
            Some((length, lines)) if *length == text.len() => *lines,
            _ => {
                let lines = text.lines().count();
                self.lines.insert(key.clone(), (text.len(), lines));
                lines
            }
        }
    }

    fn output(&mut self, cx: &UiCx<'_>, ui: &mut Ui, key: &(MessageId, String), text: &str, last: bool) {
        let text = text.trim_end_matches('\n');
        let total = self.line_count(key, text);
        if self.all.contains(key) {
            all_lines(cx, ui, key, text, total);
            return;
        }
        let cut = text.match_indices('\n').nth(LINES_MAX - 1).map_or(text.len(), |(at, _)| at);
        let shown = text.get(..cut).unwrap_or(text);
        if tool_output(ui, shown, total.min(LINES_MAX), total, last) {
            self.all.insert(key.clone());
        }
    }
}

/// Where an own text is cut while it is folded, in bytes; `None` when it is short enough to be shown whole.
#[must_use]
pub fn fold_at(text: &str) -> Option<usize> {
    let long = text.match_indices('\n').nth(FOLD_FROM_LINES).is_some()
        || text.char_indices().nth(FOLD_FROM_CHARS).is_some();
    if !long {
        return None;
    }
    let by_lines = text.match_indices('\n').nth(FOLD_LINES - 1).map(|(at, _)| at);
    let by_chars = text.char_indices().nth(FOLD_CHARS).map(|(at, _)| at);
    by_lines.into_iter().chain(by_chars).min()
}

/// All lines in a box of their own; only the visible ones are laid out.
fn all_lines(cx: &UiCx<'_>, ui: &mut Ui, key: &(MessageId, String), text: &str, total: usize) {
    let p = theme::palette(ui);
    let margin = Margin { left: 32, right: 12, top: 8, bottom: 8 };
    Frame::NONE.fill(p.bg_inset).inner_margin(margin).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let area = ScrollArea::both()
            .id_salt(("output", key.0.0, &key.1))
            .max_height(480.0)
            .auto_shrink([false, true]);
        area.show_rows(ui, Text::MonoSmall.line(), total, |ui, rows| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for line in text.lines().skip(rows.start).take(rows.end - rows.start) {
                let label = Text::MonoSmall.rich(line, p.text_2);
                ui.add(egui::Label::new(label).selectable(true).extend());
            }
        });
        if Button::quiet("Copy output").icon(icon::COPY).show(ui).clicked() {
            cx.ask(Request::Copy { text: text.to_owned(), what: "The output" });
        }
    });
}

fn is_loud(item: &Item) -> bool {
    match &item.body {
        ItemBody::Tool(call) => !matches!(call.state, ToolState::Done),
        ItemBody::Permission { .. } => true,
        _ => false,
    }
}

fn glyph(state: ToolState) -> StateGlyph {
    match state {
        ToolState::Pending => StateGlyph::Queued,
        ToolState::Running => StateGlyph::Running,
        ToolState::Done => StateGlyph::Done,
        ToolState::Failed => StateGlyph::Failed,
        ToolState::Denied | ToolState::Stopped => StateGlyph::Stopped,
    }
}

fn kind(call: &ToolCall) -> (Icon, &str, Elide) {
    match call.kind {
        ToolKind::Read => (icon::FILE_TEXT, "Read", Elide::Middle),
        ToolKind::Search => (icon::MAGNIFYING_GLASS, "Search", Elide::End),
        ToolKind::Run => (icon::TERMINAL, "Run", Elide::End),
        ToolKind::Edit => (icon::PENCIL_SIMPLE, "Edit", Elide::Middle),
        ToolKind::Fetch => (icon::GLOBE, "Fetch", Elide::Middle),
        ToolKind::Agent => (icon::ROBOT, "Agent", Elide::End),
        ToolKind::Other => (icon::WRENCH, call.name.as_str(), Elide::End),
    }
}

/// A row with its note and duration; the texts are kept in `Row` while it is drawn.
struct Row<'a> {
    icon: Icon,
    name: &'a str,
    argument: &'a str,
    elide: Elide,
    note: String,
    tone: Tone,
    duration: String,
    state: StateGlyph,
    fold: Fold,
}

impl Row<'_> {
    fn show(&self, ui: &mut Ui) -> egui::Response {
        ToolRow {
            icon: self.icon,
            name: self.name,
            argument: self.argument,
            elide: self.elide,
            note: &self.note,
            tone: self.tone,
            duration: &self.duration,
            state: self.state,
            open: self.fold.open,
            divider: self.fold.divider,
        }
        .show(ui)
    }
}

fn tool_row(call: &ToolCall, fold: Fold) -> Row<'_> {
    let (icon, name, elide) = kind(call);
    let (note, tone) = match (call.state, call.exit_code) {
        (ToolState::Denied, _) => ("denied".to_owned(), Tone::Warn),
        (ToolState::Stopped, _) => ("stopped".to_owned(), Tone::Neutral),
        (_, Some(code)) if code != 0 => (format!("exit {code}"), Tone::Error),
        (_, Some(code)) => (format!("exit {code}"), Tone::Neutral),
        (_, None) => (diff::counts(call.diff.as_deref()), Tone::Neutral),
    };
    Row {
        icon,
        name,
        argument: call.title.lines().next().unwrap_or_default(),
        elide,
        note,
        tone,
        duration: call.duration_ms.map_or_else(String::new, words::duration),
        state: glyph(call.state),
        fold,
    }
}

/// A line without the signs of a Markdown heading or of bold text around it.
fn plain(line: &str) -> &str {
    line.trim_matches(['*', '#', ' '])
}

fn thinking_row(text: &str, fold: Fold) -> Row<'_> {
    Row {
        icon: icon::BRAIN,
        name: "Thinking",
        argument: plain(text.lines().find(|line| !plain(line).is_empty()).unwrap_or_default()),
        elide: Elide::End,
        note: String::new(),
        tone: Tone::Neutral,
        duration: String::new(),
        state: if fold.live { StateGlyph::Running } else { StateGlyph::Done },
        fold,
    }
}

fn permission_row<'a>(
    request: &'a PermissionRequest,
    outcome: Option<&PermissionOutcome>,
    fold: Fold,
) -> Row<'a> {
    let (note, tone, state) = match outcome {
        None => ("Waits for you", Tone::Needs, StateGlyph::NeedsYou),
        Some(PermissionOutcome::AllowedOnce) => ("allowed once", Tone::Neutral, StateGlyph::Done),
        Some(PermissionOutcome::Denied { .. }) => ("denied", Tone::Warn, StateGlyph::Stopped),
        Some(PermissionOutcome::Gone) => ("not answered", Tone::Neutral, StateGlyph::Stopped),
    };
    let argument =
        request.command.as_deref().or(request.paths.first().map(String::as_str)).unwrap_or(&request.tool);
    Row {
        icon: icon::QUESTION,
        name: "Question",
        argument: argument.lines().next().unwrap_or_default(),
        elide: Elide::End,
        note: note.to_owned(),
        tone,
        duration: String::new(),
        state,
        fold,
    }
}

fn permission_text(request: &PermissionRequest, outcome: Option<&PermissionOutcome>) -> String {
    let mut parts = Vec::new();
    parts.extend(request.command.clone());
    parts.extend(request.diff.clone());
    if !request.paths.is_empty() {
        parts.push(request.paths.join("\n"));
    }
    if let Some(PermissionOutcome::Denied { comment }) = outcome
        && !comment.is_empty()
    {
        parts.push(format!("Denied: {comment}"));
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_own_text_is_folded_and_never_inside_a_letter() {
        assert_eq!(fold_at(""), None);
        assert_eq!(fold_at(&"line\n".repeat(FOLD_FROM_LINES)), None);
        assert_eq!(fold_at(&"가".repeat(FOLD_FROM_CHARS)), None);
        assert_eq!(fold_at(&"line\n".repeat(15_000)), Some(FOLD_LINES * 5 - 1));
        assert_eq!(fold_at(&"가".repeat(FOLD_FROM_CHARS + 1)), Some(FOLD_CHARS * "가".len()));
    }
}
