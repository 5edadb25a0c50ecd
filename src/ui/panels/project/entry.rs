//! One row of a list: what it is, a line of facts, and its controls at the right.

use egui::{Frame, Response, Sense, Shape, Stroke, Ui, UiBuilder, pos2, vec2};

use crate::ui::theme::{self, Palette, Text, Weight};
use crate::ui::widgets::icon::Icon;
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::widgets::text_field::{TextField, search};

/// What a row says.
pub struct Entry<'a> {
    pub icon: Icon,
    /// Colour of the icon by the palette; the shape says it too.
    pub tint: fn(&Palette) -> egui::Color32,
    /// Also the accessible name of the row.
    pub title: &'a str,
    pub detail: &'a str,
    /// The detail is exact text, such as a path.
    pub mono: bool,
    /// Settled or off: said more quietly.
    pub quiet: bool,
}

const HEIGHT: f32 = 48.0;

/// The frame around rows.
pub fn list<R>(ui: &mut Ui, rows: impl FnOnce(&mut Ui) -> R) -> R {
    let edge = Stroke::new(1.0, theme::palette(ui).stroke_default);
    let frame = Frame::NONE.stroke(edge).corner_radius(theme::sizes().radius.card).inner_margin(1);
    frame
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.spacing_mut().item_spacing.y = 0.0;
            rows(ui)
        })
        .inner
}

/// A field over a long list that leaves the rows with the words typed.
#[derive(Default)]
pub struct Filter {
    query: String,
}

impl Filter {
    /// Below this many rows a search field is only in the way.
    const FROM: usize = 12;

    /// Empties the field. `false` when it was empty.
    pub fn clear(&mut self) -> bool {
        !std::mem::take(&mut self.query).is_empty()
    }

    /// Draws the field where there are many rows; returns the rows that have all words of it. `name` is what it is
    /// called: `Find a plan`.
    pub fn ui<'a, T>(
        &mut self,
        ui: &mut Ui,
        name: &'static str,
        rows: impl Iterator<Item = &'a T>,
        text: impl Fn(&T) -> &str,
    ) -> Vec<&'a T> {
        let rows: Vec<&T> = rows.collect();
        if rows.len() < Self::FROM {
            self.query.clear();
            return rows;
        }
        search(ui, TextField::single(name, name).hint(name).max_chars(200), &mut self.query);
        let words: Vec<String> = self.query.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return rows;
        }
        let found: Vec<&T> = rows.into_iter().filter(|row| has_all(text(row), &words)).collect();
        if found.is_empty() {
            super::nothing(ui, "Nothing with these words.");
        }
        found
    }
}

fn has_all(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word))
}

impl Entry<'_> {
    /// Draws the row; `end` draws its controls from the right. A click on the rest opens it.
    pub fn show(&self, ui: &mut Ui, first: bool, end: impl FnOnce(&mut Ui)) -> Response {
        let p = theme::palette(ui);
        let sizes = theme::sizes();
        let (rect, row) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
        // Hundreds of rows out of sight only take their room.
        if !ui.is_rect_visible(rect.expand(HEIGHT)) {
            return row;
        }
        let below = ui.painter().add(Shape::Noop);
        if !first {
            ui.painter().hline(rect.x_range(), rect.top(), Stroke::new(1.0, p.stroke_subtle));
        }
        let inside = rect.shrink2(vec2(sizes.space.s5, 0.0));
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        let mut controls = ui.new_child(UiBuilder::new().max_rect(inside).layout(layout).id_salt("controls"));
        controls.spacing_mut().item_spacing.x = sizes.space.s2;
        end(&mut controls);
        let right = controls.min_rect().left() - sizes.space.s4;
        let main = egui::Rect::from_min_max(rect.min, pos2(right.max(rect.left() + 80.0), rect.bottom()));
        let response = ui.interact(main, ui.scope_id().with("open"), Sense::click());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, self.title));
        if response.hovered() {
            let radius = sizes.radius.control;
            ui.painter().set(below, Shape::rect_filled(rect, radius, p.bg_hover));
        }
        let x = inside.left() + 8.0;
        paint::icon(ui, pos2(x, rect.center().y), self.icon, 16.0, (self.tint)(p));
        let left = x + 20.0;
        let room = (main.right() - left).max(20.0);
        let color = if self.quiet { p.text_2 } else { p.text_1 };
        let weight = if self.quiet { Weight::Regular } else { Weight::Medium };
        let title = paint::line(ui, self.title, Text::Ui.format_weighted(weight, color), room);
        let cut = title.elided;
        if self.detail.is_empty() {
            paint::left(ui, rect, left, title);
        } else {
            let (top, bottom) = rect.shrink2(vec2(0.0, 5.0)).split_top_bottom_at_fraction(0.52);
            paint::left(ui, top, left, title);
            let step = if self.mono { Text::MonoSmall } else { Text::Caption };
            let detail = paint::line(ui, self.detail, step.format(p.text_3), room);
            paint::left(ui, bottom, left, detail);
        }
        paint::focus_ring(ui, &response, main, sizes.radius.control, Ring::Inside);
        if response.gained_focus() {
            response.scroll_to_me(None);
        }
        if cut { response.on_hover_text(self.title) } else { response }
    }
}
