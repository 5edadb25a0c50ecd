//! Where the user writes: text, paste chips, queued messages, who answers, and Send or Stop in one spot.
//!
//! What is typed belongs to its conversation: it is kept by id, stored after a moment, and taken from the snapshot
//! when a conversation is opened. Text typed in one never shows in another.

mod meter;
mod pickers;
mod slash;

use std::collections::HashMap;

use egui::{Frame, Id, Key, Margin, Modifiers, Sense, Stroke, StrokeKind, Ui, vec2};

use crate::api::command::{ChatCommand, KnowledgeCommand};
use crate::api::snapshot::{ConversationView, QueuedRow};
use crate::model::id::{ConversationId, QueuedId};
use crate::model::message::Author;
use crate::model::project::Draft;
use crate::model::skill::SkillSuggestion;
use crate::model::turn::TurnState;
use crate::ui::action::UiAction;
use crate::ui::cx::{DeskAt, Request, UiCx};
use crate::ui::panel::Panel;
use crate::ui::panels::project::open_suggestions;
use crate::ui::regions::{self, Region};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::icon::{self, Face};
use crate::ui::widgets::text_field::{EnterKey, TextField};
use crate::ui::widgets::{Button, removable_chip};
use crate::ui::words;

pub use pickers::why_not;

/// A changed draft is stored after so long without another change, seconds.
const SAVE_AFTER_S: f64 = 0.7;
/// Longest title in the hint of the field, characters.
const HINT_TITLE_CHARS: usize = 28;
/// Longest text in the field itself, characters; more comes in as a paste.
const FIELD_MAX_CHARS: usize = 100_000;

/// The composers of all conversations visited.
#[derive(Default)]
pub struct Composer {
    drafts: HashMap<ConversationId, Compose>,
    shown: Option<ConversationId>,
    slash: slash::SlashList,
    queue_edit: Option<(QueuedId, String)>,
    /// A paste opened for reading, by its place.
    open_paste: Option<usize>,
    pub pickers: pickers::Pickers,
    preview: meter::Preview,
    /// Width of what stands right of the pickers, when it was last drawn, points.
    end_width: f32,
}

/// One conversation's text.
#[derive(Default)]
struct Compose {
    draft: Draft,
    /// The stored draft was taken in.
    loaded: bool,
    /// When it was last changed and not stored since.
    dirty_s: Option<f64>,
    /// Counts changes.
    edits: u64,
    /// Characters of text and pastes, with the count of changes they were counted at.
    chars: (u64, u64),
    /// What was sent last and when, seconds, until the core took it.
    sent: Option<(Draft, f64)>,
}

/// A draft that the core still holds so long after it was sent was refused, seconds.
const REFUSED_AFTER_S: f64 = 0.6;

impl Compose {
    fn touch(&mut self, now_s: f64) {
        self.dirty_s = Some(now_s);
        self.edits += 1;
    }

    /// What was sent and refused comes back into the field, unless something else stands there by now.
    fn refused(&mut self, now_s: f64, stored: &Draft) {
        let Some((sent, since_s)) = &self.sent else { return };
        if stored != sent {
            // Before it was taken nothing of it may have been stored; later nothing of it is left.
            if now_s - since_s > REFUSED_AFTER_S {
                self.sent = None;
            }
        } else if now_s - since_s > REFUSED_AFTER_S {
            if self.draft.is_blank() {
                self.draft = sent.clone();
                self.edits += 1;
            }
            self.sent = None;
        }
    }

    /// Characters that would be sent, counted once per change.
    fn chars(&mut self) -> u64 {
        if self.chars.0 != self.edits {
            let all = std::iter::once(&self.draft.text).chain(&self.draft.pastes);
            self.chars = (self.edits, all.map(|text| text.chars().count() as u64).sum());
        }
        self.chars.1
    }
}

/// The id of a desk's field; one field for all conversations there, so that the focus stays while they change.
#[must_use]
pub fn field_id(desk: DeskAt) -> Id {
    field(desk, 1, 1).id()
}

fn field(desk: DeskAt, least: usize, most: usize) -> TextField<'static> {
    let name = match desk {
        DeskAt::Main => "Message",
        DeskAt::Drawer => "Message in the branch",
        DeskAt::Left => "Message in the left column",
        DeskAt::Right => "Message in the right column",
    };
    TextField::multi(("composer", desk), name, least, most)
}

impl Composer {
    /// Takes over what is typed for a conversation from the composer of another desk.
    pub fn take_from(&mut self, other: &mut Self, id: ConversationId) {
        if let Some(compose) = other.drafts.remove(&id) {
            self.drafts.insert(id, compose);
        }
    }

    /// Conversations for which something was typed or read.
    #[must_use]
    pub fn conversations(&self) -> Vec<ConversationId> {
        self.drafts.keys().copied().collect()
    }

    /// Stores what is dirty, at once when `now` is set (leaving a conversation, closing the window).
    pub fn flush(&mut self, cx: &UiCx<'_>, now: bool) {
        let mut ids: Vec<ConversationId> = self.drafts.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let Some(compose) = self.drafts.get_mut(&id) else { continue };
            let due = compose.dirty_s.is_some_and(|since| now || cx.time_s - since >= SAVE_AFTER_S);
            if due {
                compose.dirty_s = None;
                cx.send(ChatCommand::SaveDraft { conversation: id, draft: compose.draft.clone() });
            }
        }
    }

    /// Seconds until the next draft is due; `None` when nothing is dirty.
    #[must_use]
    pub fn due_in(&self, time_s: f64) -> Option<f64> {
        let due = self.drafts.values().filter_map(|compose| Some(compose.dirty_s? + SAVE_AFTER_S - time_s));
        due.min_by(f64::total_cmp).map(|left| left.max(0.0))
    }

    /// The text now in the field of a conversation.
    #[must_use]
    pub fn text(&self, conversation: ConversationId) -> &str {
        self.drafts.get(&conversation).map_or("", |compose| compose.draft.text.as_str())
    }

    /// What would be sent now, for the preview of its context.
    #[must_use]
    pub fn full_text(&self, conversation: ConversationId) -> String {
        self.drafts.get(&conversation).map_or_else(String::new, |compose| compose.draft.full_text())
    }

    /// Keeps the meter up with what is typed.
    fn preview(&mut self, cx: &UiCx<'_>, ui: &Ui, view: &ConversationView) {
        let Some(compose) = self.drafts.get(&view.row.conversation.id) else { return };
        if view.loading || live_state(view).is_some() {
            return;
        }
        if let Some(left_s) = self.preview.follow(cx, view, &compose.draft, compose.edits) {
            ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(left_s + 0.01));
        }
    }

    /// Esc: closes what is open here. `false` when nothing was.
    pub fn escape(&mut self) -> bool {
        if self.queue_edit.take().is_some() || self.open_paste.take().is_some() {
            return true;
        }
        self.slash.escape()
    }

    fn enter(&mut self, cx: &UiCx<'_>, view: &ConversationView) {
        let id = view.row.conversation.id;
        if self.shown != Some(id) {
            self.flush(cx, true);
            self.shown = Some(id);
            self.queue_edit = None;
            self.open_paste = None;
            self.slash = slash::SlashList::default();
        }
        let compose = self.drafts.entry(id).or_default();
        compose.refused(cx.time_s, &view.draft);
        if !compose.loaded && !view.loading {
            compose.loaded = true;
            compose.edits += 1;
            if compose.draft.is_blank() {
                compose.draft = (*view.draft).clone();
            } else if !view.draft.is_blank() {
                // Typed before the stored draft arrived: neither may be lost.
                compose.draft.text = format!("{}\n\n{}", view.draft.text, compose.draft.text);
                compose.draft.pastes.splice(0..0, view.draft.pastes.iter().cloned());
            }
        }
    }
}

impl Panel for Composer {
    fn title(&self) -> &'static str {
        "Composer"
    }

    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let Some(view) = cx.view() else { return };
        self.enter(cx, view);
        let p = theme::palette(ui);
        let sizes = theme::sizes();
        let field_id = field_id(cx.desk);
        // Beside, one region serves for question and composer.
        if !cx.is_beside() || view.asks.is_empty() {
            regions::mark(ui.ctx(), Region::composer(cx.desk), field_id);
        }
        let focused = ui.memory(|memory| memory.has_focus(field_id));
        let frame = Frame::NONE.fill(p.bg_raised).corner_radius(sizes.radius.composer).inner_margin(Margin {
            left: 12,
            right: 8,
            top: 10,
            bottom: 8,
        });
        let shown = frame.show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = sizes.space.s3;
            ui.set_width(ui.available_width());
            self.queue(cx, ui, view);
            self.pastes(cx, ui, view);
            self.suggestions(cx, ui, view);
            self.field(cx, ui, view);
            self.bottom(cx, ui, view);
        });
        let (width, color) =
            if focused { (sizes.stroke.focus, p.accent) } else { (sizes.stroke.line, p.stroke_control) };
        let rect = shown.response.rect;
        ui.painter().rect_stroke(rect, sizes.radius.composer, Stroke::new(width, color), StrokeKind::Inside);
        let id = view.row.conversation.id;
        let typed = self.text(id).to_owned();
        if let Some(action) = self.slash.show(cx, ui, rect, &typed) {
            self.run_slash(cx, id, action);
        }
        self.flush(cx, false);
        self.preview(cx, ui, view);
        if let Some(left) = self.due_in(cx.time_s) {
            ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(left + 0.01));
        }
    }
}

impl Composer {
    fn field(&mut self, cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView) {
        let id = view.row.conversation.id;
        let enter_sends = cx.snap.settings.enter_sends;
        let focused = ui.memory(|memory| memory.has_focus(field_id(cx.desk)));
        // Ctrl/⌘+Enter sends in either setting.
        let forced = focused && ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
        let empty = self.drafts.get(&id).is_none_or(|compose| compose.draft.text.is_empty());
        if focused && empty && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::ArrowUp)) {
            edit_last(cx, view);
        }
        let hint = hint(cx, view);
        let third = (ui.ctx().content_rect().height() / 3.0 / Text::Read.line()).floor();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few lines")]
        let most = (third as usize).clamp(3, 20);
        let least = if ui.ctx().content_rect().height() < 560.0 || !view.asks.is_empty() { 1 } else { 2 };
        let Some(compose) = self.drafts.get_mut(&id) else { return };
        let field = field(cx.desk, least, most)
            .bare()
            .hint(&hint)
            .short_hint()
            .max_chars(FIELD_MAX_CHARS)
            .enter(if enter_sends { EnterKey::Submits } else { EnterKey::Breaks })
            .steer(self.slash.is_open(&compose.draft.text))
            .report_big_paste();
        let out = field.show(ui, &mut compose.draft.text);
        if let Some(paste) = out.big_paste {
            compose.draft.pastes.push(paste);
            compose.touch(cx.time_s);
        }
        if out.changed {
            compose.touch(cx.time_s);
            self.slash.typed();
        }
        if out.full {
            let p = theme::palette(ui);
            ui.label(Text::Caption.rich("The field is full. Paste the rest as its own piece.", p.warn));
        }
        let text = compose.draft.text.clone();
        self.slash.steer(&out.steered);
        if out.submitted || forced {
            match self.slash.chosen(&text).filter(|_| !forced) {
                Some(action) => self.run_slash(cx, id, action),
                None => self.send(cx, view),
            }
        }
    }

    fn run_slash(&mut self, cx: &UiCx<'_>, id: ConversationId, action: UiAction) {
        if let Some(compose) = self.drafts.get_mut(&id) {
            compose.draft.text.clear();
            compose.touch(cx.time_s);
        }
        cx.act(action);
    }

    /// Sends what is there; nothing when it is blank.
    fn send(&mut self, cx: &UiCx<'_>, view: &ConversationView) {
        let id = view.row.conversation.id;
        let Some(compose) = self.drafts.get_mut(&id) else { return };
        if compose.draft.is_blank() {
            return;
        }
        let draft = std::mem::take(&mut compose.draft);
        compose.touch(cx.time_s);
        compose.dirty_s = None;
        compose.sent = Some((draft.clone(), cx.time_s));
        self.open_paste = None;
        cx.send(ChatCommand::Send { conversation: id, draft });
        cx.act(UiAction::Latest);
    }

    fn queue(&mut self, cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView) {
        if view.queue.is_empty() {
            return;
        }
        let mut done = false;
        if let Some((id, text)) = &mut self.queue_edit {
            if view.queue.iter().any(|row| row.id == *id) {
                done = edit_queued(cx, ui, *id, text);
            } else {
                done = true;
            }
        }
        if done {
            self.queue_edit = None;
            cx.ask(Request::FocusComposer);
        }
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
            for row in view.queue.iter() {
                ui.push_id(row.id.0, |ui| {
                    if let Some(edit) = queued_chip(cx, ui, row) {
                        let field = queued_field(edit.0).id();
                        ui.memory_mut(|memory| memory.request_focus(field));
                        self.queue_edit = Some(edit);
                    }
                });
            }
        });
    }

    fn pastes(&mut self, cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView) {
        let Some(compose) = self.drafts.get_mut(&view.row.conversation.id) else { return };
        if compose.draft.pastes.is_empty() {
            return;
        }
        let mut removed = None;
        ui.horizontal_wrapped(|ui| {
            for (place, paste) in compose.draft.pastes.iter().enumerate() {
                let lines = words::plural(line_count(paste), "line", "lines");
                let label = format!("Pasted {lines}");
                let chip = ui.push_id(place, |ui| {
                    removable_chip(ui, icon::CLIPBOARD_TEXT, &label, "Remove pasted text")
                });
                if chip.inner.removed {
                    removed = Some(place);
                } else if chip.inner.response.on_hover_text("Show or hide the pasted text").clicked() {
                    self.open_paste = if self.open_paste == Some(place) { None } else { Some(place) };
                }
            }
        });
        if let Some(place) = removed {
            compose.draft.pastes.remove(place);
            compose.touch(cx.time_s);
            self.open_paste = None;
        }
        if let Some(paste) = self.open_paste.and_then(|place| compose.draft.pastes.get(place)) {
            paste_view(ui, paste);
        }
    }

    /// Skills that fit what is typed, as chips that wait for a click: on, or not here.
    fn suggestions(&self, cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView) {
        const MOST: usize = 3;
        let conversation = view.row.conversation.id;
        let typed = self.drafts.get(&conversation).is_some_and(|compose| !compose.draft.is_blank());
        if !typed || self.text(conversation).starts_with('/') {
            return;
        }
        let offered: Vec<_> = open_suggestions(cx, Some(conversation)).take(MOST).collect();
        if offered.is_empty() {
            return;
        }
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
            for one in offered {
                ui.push_id(one.name.as_str(), |ui| offer(cx, ui, conversation, one));
            }
        });
    }

    /// Who answers at the left; how full the context is, and Send, at the right. Drawn from left to right, as Tab goes:
    /// the room of the left part is what the right part left over when it was last drawn.
    fn bottom(&mut self, cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView) {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 28.0), Sense::hover());
        let room = egui::Rect::from_min_max(
            egui::pos2(rect.left() - 6.0, rect.top()),
            egui::pos2(rect.right() - self.end_width - 8.0, rect.bottom()),
        );
        let left = egui::Layout::left_to_right(egui::Align::Center);
        let mut start =
            ui.new_child(egui::UiBuilder::new().max_rect(room).layout(left).id_salt("composer start"));
        start.spacing_mut().item_spacing.x = 4.0;
        self.pickers.show(cx, &mut start, view);
        let width = self.end(cx, ui, rect, view);
        if (width - self.end_width).abs() > 0.5 {
            self.end_width = width;
            ui.ctx().request_discard("the composer's right part has another width");
        }
    }

    /// The right part; returns its width.
    fn end(&mut self, cx: &UiCx<'_>, ui: &mut Ui, rect: egui::Rect, view: &ConversationView) -> f32 {
        const SEND: f32 = 94.0;
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        let id = view.row.conversation.id;
        let typed = self.drafts.get_mut(&id).map_or(0, Compose::chars);
        let meter = meter::Meter::of(ui, view, typed, rect.width() - SEND);
        let gap = if meter.is_some() { 12.0 } else { 0.0 };
        let width = SEND + gap + meter.as_ref().map_or(0.0, meter::Meter::width);
        let spot = egui::Rect::from_min_max(egui::pos2(rect.right() - width, rect.top()), rect.max);
        let mut end =
            ui.new_child(egui::UiBuilder::new().max_rect(spot).layout(layout).id_salt("composer end"));
        end.spacing_mut().item_spacing.x = gap;
        if let Some(meter) = meter {
            meter.show(cx, &mut end);
        }
        let blank = self.drafts.get(&id).is_none_or(|compose| compose.draft.is_blank());
        if send_or_stop(cx, &mut end, view, blank) {
            self.send(cx, view);
        }
        width
    }
}

/// The state of a running turn, if one runs.
fn live_state(view: &ConversationView) -> Option<TurnState> {
    view.turn.as_ref().map(|turn| turn.state).filter(|state| state.is_live())
}

fn hint(cx: &UiCx<'_>, view: &ConversationView) -> String {
    let name = cx.seat_name(&view.row.conversation.seat);
    // With several composers on screen each says whose it is.
    let several = cx.branch.is_some() || cx.compared.is_some();
    let title = words::short(&view.row.conversation.title, HINT_TITLE_CHARS);
    let place = if several { format!(" in {title}") } else { String::new() };
    if live_state(view).is_some() {
        format!("Queue a message for {name}{place}")
    } else if several {
        format!("Message {name}{place}")
    } else {
        format!("Message {name}. / for commands")
    }
}

/// Send, or Stop in the same spot while a turn runs. `true` when Send was pressed.
fn send_or_stop(cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView, blank: bool) -> bool {
    const WIDTH: f32 = 94.0;
    let conversation = view.row.conversation.id;
    match live_state(view) {
        Some(TurnState::Stopping) => {
            Button::secondary("Stopping")
                .min_width(WIDTH)
                .disabled(Some("The engine is being stopped."))
                .show(ui);
            false
        }
        Some(_) => {
            let stop = Button::secondary("Stop").icon_face(icon::STOP, Face::Fill).icon_ends().key("Esc");
            if stop.min_width(WIDTH).show(ui).clicked() {
                cx.send(ChatCommand::Stop { conversation });
            }
            false
        }
        None => {
            let why = blank.then_some("There is nothing to send yet.");
            let key = if cx.snap.settings.enter_sends {
                "↵".to_owned()
            } else {
                format!("{} ↵", cx.keys.platform.command())
            };
            let to = format!("To {}", view.row.conversation.title);
            let button = Button::primary("Send").key(&key).min_width(WIDTH).disabled(why).show(ui);
            button.on_hover_text(to).clicked()
        }
    }
}

fn edit_last(cx: &UiCx<'_>, view: &ConversationView) {
    let last = (0..view.index.len()).rev().take(200).find_map(|place| {
        let entry = view.index.get(place).filter(|entry| entry.by_user)?;
        let message = view.message(place)?;
        (message.author == Author::User).then_some(entry.id)
    });
    if let Some(message) = last {
        cx.ask(Request::Edit(message));
    }
}

fn queued_chip(cx: &UiCx<'_>, ui: &mut Ui, row: &QueuedRow) -> Option<(QueuedId, String)> {
    let first: String = row.text.lines().next().unwrap_or_default().chars().take(60).collect();
    let label = format!("Queued: {first}");
    let chip = removable_chip(ui, icon::CLOCK, &label, "Remove queued message");
    if chip.removed {
        cx.send(ChatCommand::RemoveQueued { queued: row.id });
    }
    let edit = chip.response.on_hover_text("Edit, or send it now").clicked();
    edit.then(|| (row.id, row.text.clone()))
}

fn offer(cx: &UiCx<'_>, ui: &mut Ui, conversation: ConversationId, one: &SkillSuggestion) {
    let label = format!("Use skill {}", one.name);
    let chip = removable_chip(ui, icon::LIGHTNING, &label, &format!("Not skill {} here", one.name));
    let removed = chip.removed;
    let taken = chip.response.on_hover_text(format!("Suggested: {}.", one.why)).clicked();
    if (taken || removed)
        && let Some(project) = cx.snap.project
    {
        let (conversation, skill) = (Some(conversation), one.name.clone());
        cx.send(KnowledgeCommand::SwitchSkill { project, conversation, skill, on: Some(!removed) });
    }
}

fn queued_field(id: QueuedId) -> TextField<'static> {
    TextField::multi(("queued", id.0), "Queued message", 1, 6)
}

/// The editor of a queued message; `true` when it is to close.
fn edit_queued(cx: &UiCx<'_>, ui: &mut Ui, id: QueuedId, text: &mut String) -> bool {
    let out = queued_field(id).show(ui, text);
    let mut close = false;
    ui.horizontal(|ui| {
        let empty = text.trim().is_empty().then_some("There is nothing to send yet.");
        if Button::secondary("Save").disabled(empty).show(ui).clicked() || (out.submitted && empty.is_none())
        {
            cx.send(ChatCommand::EditQueued { queued: id, text: text.clone() });
            close = true;
        }
        let now = Button::secondary("Send now").tooltip("Stops the running turn and sends this one next.");
        if now.disabled(empty).show(ui).clicked() {
            cx.send(ChatCommand::EditQueued { queued: id, text: text.clone() });
            cx.send(ChatCommand::SendQueuedNow { queued: id });
            close = true;
        }
        if Button::quiet("Cancel").show(ui).clicked() {
            close = true;
        }
    });
    close
}

fn line_count(text: &str) -> u64 {
    text.lines().count() as u64
}

/// The pasted text, its visible lines only.
fn paste_view(ui: &mut Ui, paste: &str) {
    let p = theme::palette(ui);
    let lines: Vec<&str> = paste.lines().collect();
    let frame = Frame::NONE.fill(p.bg_inset).corner_radius(theme::sizes().radius.control).inner_margin(8);
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        let height = Text::MonoSmall.line();
        egui::ScrollArea::vertical().id_salt("paste").max_height(160.0).show_rows(
            ui,
            height,
            lines.len(),
            |ui, rows| {
                ui.spacing_mut().item_spacing.y = 0.0;
                for line in lines.iter().take(rows.end).skip(rows.start) {
                    ui.add(egui::Label::new(Text::MonoSmall.rich(*line, p.text_2)).truncate());
                }
            },
        );
    });
}
