//! How full the context of the next message is, kept up while one types.
//!
//! The pack is assembled elsewhere: it is asked for when what it is made of has changed and the typing pauses, never
//! within a frame, and never again for the same.

use std::sync::Arc;

use egui::{Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::api::command::ChatCommand;
use crate::api::snapshot::{ConversationView, KnowledgeView};
use crate::model::id::ConversationId;
use crate::model::pack::PackReport;
use crate::model::project::{Draft, SeatChoice};
use crate::ui::action::UiAction;
use crate::ui::cx::UiCx;
use crate::ui::theme::{self, Text};
use crate::ui::widgets::paint;
use crate::ui::words;

/// A pause so long ends a burst of typing, seconds.
const PAUSE_S: f64 = 0.3;
/// Share of the budget from which the meter speaks up.
const NEAR: f32 = 0.9;

/// What the newest preview was asked for, and what waits for a pause.
#[derive(Default)]
pub struct Preview {
    asked: Option<Wish>,
    /// What changed last, and since when it stands.
    next: Option<(Wish, f64)>,
}

/// All that the pack of the next message depends on here.
#[derive(Clone)]
struct Wish {
    conversation: ConversationId,
    /// Counts changes of the draft.
    edits: u64,
    messages: usize,
    seat: SeatChoice,
    budget_chars: u32,
    knowledge: Arc<KnowledgeView>,
}

impl PartialEq for Wish {
    fn eq(&self, other: &Self) -> bool {
        self.conversation == other.conversation
            && self.edits == other.edits
            && self.messages == other.messages
            && self.seat == other.seat
            && self.budget_chars == other.budget_chars
            && (Arc::ptr_eq(&self.knowledge, &other.knowledge) || self.knowledge == other.knowledge)
    }
}

impl Preview {
    /// Asks for the context of the next message when it would be another one than before; returns in how many
    /// seconds it wants to be called again.
    pub fn follow(
        &mut self,
        cx: &UiCx<'_>,
        view: &ConversationView,
        draft: &Draft,
        edits: u64,
    ) -> Option<f64> {
        let wish = Wish {
            conversation: view.row.conversation.id,
            edits,
            messages: view.index.len(),
            seat: view.row.conversation.seat.clone(),
            budget_chars: cx.snap.settings.budget_chars,
            knowledge: Arc::clone(&cx.snap.knowledge),
        };
        if self.asked.as_ref() == Some(&wish) {
            self.next = None;
            return None;
        }
        let since = match &self.next {
            Some((next, since)) if *next == wish => *since,
            _ => cx.time_s,
        };
        let new_place = self.asked.as_ref().is_none_or(|asked| asked.conversation != wish.conversation);
        let left = since + PAUSE_S - cx.time_s;
        if left > 0.0 && !new_place {
            self.next = Some((wish, since));
            return Some(left);
        }
        let conversation = wish.conversation;
        cx.send(ChatCommand::PreviewPack { conversation, text: draft.full_text() });
        self.asked = Some(wish);
        self.next = None;
        None
    }
}

/// Bar and words, `18.4k of 60k characters`, measured and not yet drawn.
pub struct Meter<'a> {
    report: &'a PackReport,
    typed_chars: u64,
    text: String,
    words: Arc<egui::Galley>,
}

impl<'a> Meter<'a> {
    /// What fits into `room` points; `None` where nothing does, and while the context is not known.
    pub fn of(ui: &Ui, view: &'a ConversationView, typed_chars: u64, room: f32) -> Option<Self> {
        let preview = view.preview.as_ref().map(|pack| &pack.pack.report);
        let report = preview.or_else(|| view.turn.as_ref()?.report.as_deref())?;
        let p = theme::palette(ui);
        let color = if share(report) >= NEAR { p.warn } else { p.text_3 };
        let text = share_words(report);
        let words = paint_line(ui, if room > 430.0 { &text } else { "" }, color);
        (room > 270.0).then_some(Self { report, typed_chars, text, words })
    }

    fn gap(&self) -> f32 {
        if self.words.size().x > 0.0 { 8.0 } else { 0.0 }
    }

    /// Width it takes, points.
    pub fn width(&self) -> f32 {
        self.words.size().x + self.gap() + BAR
    }

    /// Draws it; a click opens the context.
    pub fn show(self, cx: &UiCx<'_>, ui: &mut Ui) {
        #[expect(clippy::cast_precision_loss, reason = "a share of a budget")]
        let typed = self.typed_chars as f32 / self.report.budget_chars.max(1) as f32;
        let share = share(self.report);
        let (rect, response) = ui.allocate_exact_size(vec2(self.width(), 28.0), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &self.text));
        let words = rect.left() + BAR + self.gap();
        bar(ui, pos2(rect.left(), rect.center().y), share, typed, share >= NEAR);
        paint::left(ui, rect, words, self.words);
        let ring = rect.expand2(vec2(4.0, 0.0));
        paint::focus_ring(ui, &response, ring, theme::sizes().radius.control, paint::Ring::Inside);
        if tooltip(response, self.report, self.typed_chars, &cx.keys(UiAction::Context)).clicked() {
            cx.act(UiAction::Context);
        }
    }
}

fn share(report: &PackReport) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "a share of a budget")]
    let share = report.total_chars as f32 / report.budget_chars.max(1) as f32;
    share
}

/// Width of the bar, points.
const BAR: f32 = 56.0;

fn paint_line(ui: &Ui, text: &str, color: egui::Color32) -> Arc<egui::Galley> {
    paint::line(ui, text, Text::Caption.format(color), 260.0)
}

/// The pack in accent, what is typed behind it in grey: it is sent beside the pack and takes nothing of its budget.
fn bar(ui: &Ui, at: egui::Pos2, share: f32, typed: f32, near: bool) {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let track = egui::Rect::from_min_size(pos2(at.x, at.y - 2.0), vec2(BAR, sizes.control.meter));
    let radius = sizes.radius.bar;
    ui.painter().rect_filled(track, radius, p.stroke_default);
    let used = (BAR * share.clamp(0.0, 1.0)).max(if share > 0.0 { 2.0 } else { 0.0 });
    let more = (BAR * typed.max(0.0)).min(BAR - used);
    let tint = if near { p.warn } else { p.accent };
    if more >= 1.0 {
        let rect =
            egui::Rect::from_min_size(pos2(track.left() + used, track.top()), vec2(more, track.height()));
        ui.painter().rect_filled(rect, radius, p.text_3);
    }
    let rect = egui::Rect::from_min_size(track.min, vec2(used, track.height()));
    ui.painter().rect_filled(rect, radius, tint);
}

fn tooltip(response: Response, report: &PackReport, typed_chars: u64, keys: &str) -> Response {
    let tokens: u64 = report.sections.iter().map(|section| u64::from(section.estimated_tokens)).sum();
    let mut lines = vec![
        format!(
            "Context of the next message: {} of {} characters",
            words::thousands(report.total_chars.into()),
            words::thousands(report.budget_chars.into())
        ),
        format!("≈ {} tokens, estimated", words::thousands(tokens)),
        format!("Mode {} ({})", report.mode.label(), report.mode_reason.label()),
    ];
    if typed_chars > 0 {
        lines.push(format!("Your text beside it: {} characters", words::thousands(typed_chars)));
    }
    let cut = report.sections.iter().filter(|section| !section.cut.is_empty()).count();
    if cut > 0 {
        lines.push(words::plural(cut as u64, "section is cut", "sections are cut"));
    }
    if !keys.is_empty() {
        lines.push(format!("Details: {keys}"));
    }
    response.on_hover_text(lines.join("\n"))
}

/// `18.4k of 60k characters`.
#[must_use]
pub fn share_words(report: &PackReport) -> String {
    format!(
        "{} of {} characters",
        words::short_count(report.total_chars.into()),
        words::short_count(report.budget_chars.into())
    )
}
