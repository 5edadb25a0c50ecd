//! Rows of menus and popups.

use egui::{
    Frame, Margin, Popup, PopupCloseBehavior, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};

use crate::ui::theme::{self, CLEAR, Text, Weight};
use crate::ui::widgets::icon::Icon;
use crate::ui::widgets::paint::{self, Ring};

/// One row of a menu.
pub struct MenuRow<'a> {
    pub icon: Option<Icon>,
    pub text: &'a str,
    /// Shortcut or a fact, at the right.
    pub end: &'a str,
    pub selected: bool,
    /// Loses something.
    pub destructive: bool,
}

impl<'a> MenuRow<'a> {
    pub fn new(icon: Icon, text: &'a str) -> Self {
        Self { icon: Some(icon), text, end: "", selected: false, destructive: false }
    }

    pub fn plain(text: &'a str) -> Self {
        Self { icon: None, text, end: "", selected: false, destructive: false }
    }

    pub fn end(mut self, end: &'a str) -> Self {
        self.end = end;
        self
    }

    pub fn selected(mut self, selected: bool) -> Self {
        self.selected = selected;
        self
    }

    pub fn destructive(mut self) -> Self {
        self.destructive = true;
        self
    }

    /// Draws the row over the menu's width.
    pub fn show(self, ui: &mut Ui) -> Response {
        let sizes = theme::sizes();
        let p = theme::palette(ui);
        let size = vec2(ui.available_width(), sizes.row.sidebar);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let selected = self.selected;
        response.widget_info(|| WidgetInfo::selected(Role::MenuItem, true, selected, self.text));
        let fill = if self.selected {
            p.bg_selected
        } else if response.is_pointer_button_down_on() {
            p.bg_pressed
        } else if response.hovered() {
            p.bg_hover
        } else {
            CLEAR
        };
        ui.painter().rect_filled(rect, sizes.radius.control, fill);
        let color = if self.destructive { p.error } else { p.text_1 };
        let mut x = rect.left() + sizes.space.s4;
        if let Some(icon) = self.icon {
            let tint = if self.destructive { p.error } else { p.text_2 };
            paint::icon(ui, pos2(x + 7.0, rect.center().y), icon, sizes.icon.row, tint);
            x += sizes.icon.row + sizes.space.s4;
        }
        let mut end = rect.right() - sizes.space.s4;
        if !self.end.is_empty() {
            let galley = paint::line(ui, self.end, Text::Caption.format(p.text_3), rect.width() / 2.0);
            end = paint::right(ui, rect, end, galley) - sizes.space.s4;
        }
        let weight = if self.selected { Weight::Medium } else { Weight::Regular };
        let galley = paint::line(ui, self.text, Text::Ui.format_weighted(weight, color), end - x);
        let cut = galley.elided;
        paint::left(ui, rect, x, galley);
        paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
        if cut { response.on_hover_text(self.text) } else { response }
    }
}

/// A menu below `anchor`, opened and closed by clicking it. `width` in points.
pub fn menu<R>(anchor: &Response, width: f32, rows: impl FnOnce(&mut Ui) -> R) -> Option<R> {
    show(Popup::menu(anchor), width, |ui| closing(ui, rows))
}

/// A menu below `anchor` that stays open while its content is used.
pub fn sheet<R>(anchor: &Response, width: f32, rows: impl FnOnce(&mut Ui) -> R) -> Option<R> {
    show(Popup::menu(anchor).close_behavior(PopupCloseBehavior::CloseOnClickOutside), width, rows)
}

/// A menu at the pointer, opened by the secondary button.
pub fn context_menu<R>(anchor: &Response, width: f32, rows: impl FnOnce(&mut Ui) -> R) -> Option<R> {
    show(Popup::context_menu(anchor), width, |ui| closing(ui, rows))
}

/// Closes the menu when one of its rows was taken by key; by a click it closes itself.
fn closing<R>(ui: &mut Ui, rows: impl FnOnce(&mut Ui) -> R) -> R {
    let shown = rows(ui);
    let focused = ui.memory(egui::Memory::focused).and_then(|id| ui.ctx().read_response(id));
    let taken = focused.is_some_and(|row| row.clicked() && row.layer_id == ui.layer_id());
    if taken && !ui.input(|input| input.pointer.any_click()) {
        ui.close();
    }
    shown
}

/// Shows a popup in the look of menus.
pub fn show<R>(popup: Popup<'_>, width: f32, rows: impl FnOnce(&mut Ui) -> R) -> Option<R> {
    let ctx = popup.ctx().clone();
    let sizes = theme::sizes();
    let p = theme::palette_of(ctx.theme() == egui::Theme::Dark);
    let frame = Frame::NONE
        .fill(p.bg_popup)
        .stroke(Stroke::new(sizes.stroke.line, p.stroke_default))
        .corner_radius(sizes.radius.card)
        .shadow(egui::Shadow { offset: [0, 8], blur: 24, spread: 0, color: p.shadow })
        .inner_margin(Margin::same(4));
    let shown = popup.frame(frame).gap(4.0).width(width).show(|ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing = vec2(sizes.space.s4, 0.0);
        rows(ui)
    });
    shown.map(|shown| shown.inner)
}

/// A thin line between groups of rows.
pub fn divider(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 9.0), Sense::hover());
    let stroke = Stroke::new(1.0, theme::palette(ui).stroke_subtle);
    ui.painter().hline(rect.x_range(), rect.center().y, stroke);
}

/// A small heading inside a menu.
pub fn head(ui: &mut Ui, text: &str) {
    let size = vec2(ui.available_width(), 24.0);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let format = Text::Caption.format_weighted(Weight::Semibold, theme::palette(ui).text_3);
    let galley = paint::line(ui, text, format, rect.width());
    paint::left(ui, rect, rect.left() + 8.0, galley);
}
