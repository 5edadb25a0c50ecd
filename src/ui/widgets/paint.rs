//! Drawing helpers shared by the pieces: one line of text, an icon, the focus ring.

use std::sync::Arc;

use egui::emath::GuiRounding as _;
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Align2, Color32, Galley, Pos2, Rect, Response, Stroke, StrokeKind, Ui, pos2};

use crate::ui::theme::{self, Text, Weight};

use super::icon::{Face, Icon};

/// Lays out one line that ends in "…" where it does not fit `max_width` points.
#[must_use]
pub fn line(ui: &Ui, text: &str, format: TextFormat, max_width: f32) -> Arc<Galley> {
    let mut job = LayoutJob::single_section(text.to_owned(), format);
    job.break_on_newline = false;
    job.wrap = TextWrapping::truncate_at_width(max_width.max(0.0));
    ui.painter().layout_job(job)
}

/// As much of a text as fits one line of `max_width` points, with an ellipsis when that is not all.
#[must_use]
pub fn cut(ui: &Ui, text: &str, format: TextFormat, max_width: f32) -> String {
    let galley = line(ui, text, format, max_width);
    if !galley.elided {
        return text.to_owned();
    }
    galley.rows.iter().flat_map(|row| &row.glyphs).map(|glyph| glyph.chr).collect()
}

/// Lays out text that wraps at `max_width` points.
#[must_use]
pub fn block(ui: &Ui, text: &str, format: TextFormat, max_width: f32) -> Arc<Galley> {
    let mut job = LayoutJob::single_section(text.to_owned(), format);
    job.wrap = TextWrapping::wrap_at_width(max_width.max(1.0));
    ui.painter().layout_job(job)
}

/// Shortens `text` in the middle so that it fits `max_width`; paths keep their end.
#[must_use]
pub fn line_middle(ui: &Ui, text: &str, format: &TextFormat, max_width: f32) -> Arc<Galley> {
    let whole = line(ui, text, format.clone(), f32::INFINITY);
    if whole.size().x <= max_width {
        return whole;
    }
    let letters: Vec<char> = text.chars().collect();
    let share = (max_width / whole.size().x).clamp(0.0, 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a length, 0 or more"
    )]
    let keep = ((letters.len() as f32 * share) as usize).saturating_sub(2);
    let tail = keep * 2 / 3;
    let short: String = letters
        .iter()
        .take(keep - tail)
        .chain(std::iter::once(&'…'))
        .chain(letters.iter().skip(letters.len() - tail))
        .collect();
    line(ui, &short, format.clone(), max_width)
}

/// Paints a galley with its left edge at `x`, centred on `rect` vertically. Returns its right edge.
pub fn left(ui: &Ui, rect: Rect, x: f32, galley: Arc<Galley>) -> f32 {
    let size = galley.size();
    let pos = pos2(x, rect.center().y - size.y / 2.0).round_to_pixels(ui.pixels_per_point());
    ui.painter().galley(pos, galley, Color32::PLACEHOLDER);
    x + size.x
}

/// Paints a galley with its right edge at `x`, centred on `rect` vertically. Returns its left edge.
pub fn right(ui: &Ui, rect: Rect, x: f32, galley: Arc<Galley>) -> f32 {
    let start = x - galley.size().x;
    left(ui, rect, start, galley);
    start
}

/// Paints an icon centred on its box.
pub fn icon(ui: &Ui, center: Pos2, icon: Icon, size: f32, color: Color32) {
    icon_face(ui, center, icon, Face::Regular, size, color);
}

/// As [`icon`], from another face.
pub fn icon_face(ui: &Ui, center: Pos2, icon: Icon, face: Face, size: f32, color: Color32) {
    let center = center.round_to_pixels(ui.pixels_per_point());
    ui.painter().text(center, Align2::CENTER_CENTER, icon.0, face.font(size), color);
}

/// Where a focus ring lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ring {
    /// Inside a row.
    Inside,
    /// One point outside a button.
    Outside,
}

/// Draws the accent ring while `response` has the focus. Pieces that are clicked never take the focus,
/// so the ring follows the keyboard only.
pub fn focus_ring(ui: &Ui, response: &Response, rect: Rect, radius: f32, ring: Ring) {
    if !response.has_focus() {
        return;
    }
    let sizes = theme::sizes();
    let stroke = Stroke::new(sizes.stroke.focus, theme::palette(ui).accent);
    match ring {
        Ring::Inside => ui.painter().rect_stroke(rect, radius, stroke, StrokeKind::Inside),
        Ring::Outside => {
            let gap = sizes.stroke.line;
            ui.painter().rect_stroke(rect.expand(gap), radius + gap, stroke, StrokeKind::Outside)
        }
    };
}

/// A line of one-point width along the bottom of `rect`, inside it.
pub fn bottom_line(ui: &Ui, rect: Rect, color: Color32) {
    let y = (rect.bottom() - 0.5).round_to_pixel_center(ui.pixels_per_point());
    ui.painter().hline(rect.x_range(), y, Stroke::new(theme::sizes().stroke.line, color));
}

/// Width of a caption in points, for pieces that reserve room before they draw.
#[must_use]
pub fn width(ui: &Ui, text: &str, step: Text, weight: Weight) -> f32 {
    line(ui, text, step.format_weighted(weight, Color32::PLACEHOLDER), f32::INFINITY).size().x
}
