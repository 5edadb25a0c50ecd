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

/// Draws words and bar where there is room: `18.4k of 60k characters`. Draws nothing while it is not known.
pub fn meter(cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView, typed_chars: u64) {
    let preview = view.preview.as_ref().map(|pack| &pack.pack.report);
    let Some(report) = preview.or_else(|| view.turn.as_ref()?.report.as_deref()) else { return };
    let p = theme::palette(ui);
    let room = ui.available_width();
    if room <= 270.0 {
        return;
    }
    #[expect(clippy::cast_precision_loss, reason = "shares of a budget")]
    let (share, typed) = {
        let budget = report.budget_chars.max(1) as f32;
        (report.total_chars as f32 / budget, typed_chars as f32 / budget)
    };
    let near = share >= NEAR;
    let text = share_words(report);
    let words = if room > 430.0 { text.as_str() } else { "" };
    let color = if near { p.warn } else { p.text_3 };
    let galley = paint_line(ui, words, color);
    let gap = if words.is_empty() { 0.0 } else { 8.0 };
    let size = vec2(galley.size().x + gap + BAR, 28.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &text));
    crate::ui::widgets::paint::left(ui, rect, rect.left(), galley);
    bar(ui, pos2(rect.right() - BAR, rect.center().y), share, typed, near);
    let radius = theme::sizes().radius.chip;
    crate::ui::widgets::paint::focus_ring(
        ui,
        &response,
        rect,
        radius,
        crate::ui::widgets::paint::Ring::Outside,
    );
    if tooltip(response, report, typed_chars, &cx.keys(UiAction::Context)).clicked() {
        cx.act(UiAction::Context);
    }
}

/// Width of the bar, points.
const BAR: f32 = 56.0;

fn paint_line(ui: &Ui, text: &str, color: egui::Color32) -> Arc<egui::Galley> {
    crate::ui::widgets::paint::line(ui, text, Text::Caption.format(color), 260.0)
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
