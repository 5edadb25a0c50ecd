use std::sync::Arc;

use egui::{Color32, Galley, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

use crate::ui::theme::{self, CLEAR, Palette, Text, Weight};

use super::chip;
use super::icon::{Face, Icon};
use super::paint::{self, Ring};

/// The four kinds of button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The one next step of a view.
    Primary,
    /// Other steps.
    Secondary,
    /// Steps that stay in the background.
    Quiet,
    /// Steps that lose something.
    Destructive,
}

/// A button with a label, and optionally an icon and the shortcut's key.
#[must_use = "call `show`"]
pub struct Button<'a> {
    label: &'a str,
    kind: Kind,
    icon: Option<(Icon, Face)>,
    /// The icon in the colour of what ends something.
    icon_ends: bool,
    key: Option<&'a str>,
    disabled: Option<&'a str>,
    selected: bool,
    min_width: f32,
    tooltip: Option<&'a str>,
}

impl<'a> Button<'a> {
    /// A button of `kind`; `label` is also its accessible name.
    pub fn new(kind: Kind, label: &'a str) -> Self {
        Self {
            label,
            kind,
            icon: None,
            icon_ends: false,
            key: None,
            disabled: None,
            selected: false,
            min_width: 0.0,
            tooltip: None,
        }
    }

    /// See [`Kind::Primary`].
    pub fn primary(label: &'a str) -> Self {
        Self::new(Kind::Primary, label)
    }

    /// See [`Kind::Secondary`].
    pub fn secondary(label: &'a str) -> Self {
        Self::new(Kind::Secondary, label)
    }

    /// See [`Kind::Quiet`].
    pub fn quiet(label: &'a str) -> Self {
        Self::new(Kind::Quiet, label)
    }

    /// See [`Kind::Destructive`].
    pub fn destructive(label: &'a str) -> Self {
        Self::new(Kind::Destructive, label)
    }

    /// An icon before the label.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some((icon, Face::Regular));
        self
    }

    /// An icon of another face before the label.
    pub fn icon_face(mut self, icon: Icon, face: Face) -> Self {
        self.icon = Some((icon, face));
        self
    }

    /// Draws the icon in the colour of what ends something, the label as it is.
    pub fn icon_ends(mut self) -> Self {
        self.icon_ends = true;
        self
    }

    /// The shortcut, shown small behind the label; nothing when it is empty.
    pub fn key(mut self, key: &'a str) -> Self {
        self.key = Some(key).filter(|key| !key.is_empty());
        self
    }

    /// Disables the button; the reason is its tooltip. `None` leaves it enabled.
    pub fn disabled(mut self, reason: Option<&'a str>) -> Self {
        self.disabled = reason;
        self
    }

    /// Draws the button as the chosen one of several.
    pub fn selected(mut self, selected: bool) -> Self {
        self.selected = selected;
        self
    }

    /// Keeps the width while the label changes, points.
    pub fn min_width(mut self, width: f32) -> Self {
        self.min_width = width;
        self
    }

    /// Explains the button where its label cannot.
    pub fn tooltip(mut self, text: &'a str) -> Self {
        self.tooltip = Some(text);
        self
    }

    /// Draws the button.
    pub fn show(self, ui: &mut Ui) -> Response {
        let response = match self.disabled {
            None => self.body(ui),
            Some(reason) => ui.add_enabled_ui(false, |ui| self.body(ui)).inner.on_disabled_hover_text(reason),
        };
        match self.tooltip {
            Some(text) => response.on_hover_text(text),
            None => response,
        }
    }

    fn body(&self, ui: &mut Ui) -> Response {
        let sizes = theme::sizes();
        let pad = sizes.space.s5;
        let gap = sizes.space.s3;
        let label = self.galley(ui, Text::Ui, Weight::Medium, self.label);
        let key = self.key.map(|key| self.galley(ui, Text::Caption, Weight::Regular, key));
        let icon_width = if self.icon.is_some() { sizes.icon.row + gap } else { 0.0 };
        let key_width = key.as_ref().map_or(0.0, |key| key.size().x + gap);
        let width = (pad * 2.0 + icon_width + label.size().x + key_width).max(self.min_width);
        let (rect, response) = ui.allocate_exact_size(vec2(width, sizes.control.button), Sense::click());
        let enabled = ui.is_enabled();
        response.widget_info(|| {
            let mut info = WidgetInfo::labeled(Role::Button, enabled, self.label);
            info.selected = self.selected.then_some(true);
            info
        });
        if ui.is_rect_visible(rect) {
            let mut look = self.look(ui, &response);
            if self.icon_ends && enabled {
                look.icon = theme::palette(ui).error;
            }
            let radius = sizes.radius.control;
            ui.painter().rect(
                rect,
                radius,
                look.fill,
                Stroke::new(sizes.stroke.line, look.edge),
                StrokeKind::Inside,
            );
            let content = icon_width + label.size().x + key_width;
            let mut x = rect.center().x - content / 2.0;
            if let Some((icon, face)) = self.icon {
                let center = egui::pos2(x + sizes.icon.row / 2.0, rect.center().y);
                paint::icon_face(ui, center, icon, face, sizes.icon.row, look.icon);
                x += icon_width;
            }
            x = tinted(ui, rect, x, label, look.text);
            if let Some(key) = key {
                tinted(ui, rect, x + gap, key, look.key);
            }
            paint::focus_ring(ui, &response, rect, radius, Ring::Outside);
        }
        response
    }

    fn galley(&self, ui: &Ui, step: Text, weight: Weight, text: &str) -> Arc<Galley> {
        paint::line(ui, text, step.format_weighted(weight, Color32::PLACEHOLDER), f32::INFINITY)
    }

    fn look(&self, ui: &Ui, response: &Response) -> Look {
        let p = theme::palette(ui);
        if !ui.is_enabled() {
            let edge = if self.kind == Kind::Quiet { CLEAR } else { p.stroke_subtle };
            return Look { fill: CLEAR, edge, text: p.text_off, icon: p.text_off, key: p.text_off };
        }
        let press = Press::of(response);
        match self.kind {
            Kind::Primary => primary(p, press),
            Kind::Destructive => destructive(p, press),
            Kind::Secondary => plain(p, press, self.selected, p.bg_raised, p.stroke_default, p.text_1),
            Kind::Quiet => plain(p, press, self.selected, CLEAR, CLEAR, p.text_2),
        }
    }
}

fn tinted(ui: &Ui, rect: Rect, x: f32, galley: Arc<Galley>, color: Color32) -> f32 {
    let size = galley.size();
    let pos = egui::pos2(x, rect.center().y - size.y / 2.0);
    ui.painter().galley(pos, galley, color);
    x + size.x
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Press {
    Rest,
    Hover,
    Down,
}

impl Press {
    fn of(response: &Response) -> Self {
        if response.is_pointer_button_down_on() {
            Self::Down
        } else if response.hovered() {
            Self::Hover
        } else {
            Self::Rest
        }
    }
}

struct Look {
    fill: Color32,
    edge: Color32,
    text: Color32,
    icon: Color32,
    key: Color32,
}

fn primary(p: &Palette, press: Press) -> Look {
    let fill = match press {
        Press::Rest => p.accent,
        Press::Hover => p.accent_hover,
        Press::Down => p.accent_pressed,
    };
    Look { fill, edge: fill, text: p.accent_on, icon: p.accent_on, key: p.accent_on }
}

fn destructive(p: &Palette, press: Press) -> Look {
    let (fill, edge) = match press {
        Press::Rest => (p.bg_raised, p.stroke_default),
        Press::Hover => (p.error_tint, p.stroke_default),
        Press::Down => (p.error_tint, p.error),
    };
    Look { fill, edge, text: p.error, icon: p.error, key: p.text_3 }
}

fn plain(p: &Palette, press: Press, selected: bool, rest: Color32, edge: Color32, text: Color32) -> Look {
    if selected {
        return Look { fill: p.bg_selected, edge, text: p.text_1, icon: p.accent, key: p.text_3 };
    }
    let (fill, text) = match press {
        Press::Rest => (rest, text),
        Press::Hover => (p.bg_hover, p.text_1),
        Press::Down => (p.bg_pressed, p.text_1),
    };
    Look { fill, edge, text, icon: text, key: p.text_3 }
}

/// A square button with an icon; always has a tooltip with name and shortcut.
#[must_use = "call `show`"]
pub struct IconButton<'a> {
    icon: Icon,
    face: Face,
    name: &'a str,
    key: Option<&'a str>,
    size: f32,
    icon_size: f32,
    disabled: Option<&'a str>,
    selected: bool,
    color: Option<Color32>,
}

impl<'a> IconButton<'a> {
    /// A 28-point button; `name` is tooltip and accessible name.
    pub fn new(icon: Icon, name: &'a str) -> Self {
        let sizes = theme::sizes();
        Self {
            icon,
            face: Face::Regular,
            name,
            key: None,
            size: sizes.control.icon_button,
            icon_size: sizes.icon.action,
            disabled: None,
            selected: false,
            color: None,
        }
    }

    /// The small one for rows and code heads: 24 with an icon of 14.
    pub fn small(icon: Icon, name: &'a str) -> Self {
        let sizes = theme::sizes();
        Self { size: sizes.control.icon_button_s, icon_size: sizes.icon.row, ..Self::new(icon, name) }
    }

    /// Shows the shortcut in the tooltip; nothing when it is empty.
    pub fn key(mut self, key: &'a str) -> Self {
        self.key = Some(key).filter(|key| !key.is_empty());
        self
    }

    /// Another size of the square and its icon, points; no smaller than 24.
    pub fn size(mut self, size: f32, icon_size: f32) -> Self {
        self.size = size.max(theme::sizes().control.min_hit);
        self.icon_size = icon_size;
        self
    }

    /// Another face of the icon.
    pub fn face(mut self, face: Face) -> Self {
        self.face = face;
        self
    }

    /// Disables the button; the reason joins its tooltip. `None` leaves it enabled.
    pub fn disabled(mut self, reason: Option<&'a str>) -> Self {
        self.disabled = reason;
        self
    }

    /// Draws the button as switched on.
    pub fn selected(mut self, selected: bool) -> Self {
        self.selected = selected;
        self
    }

    /// Another colour of the icon at rest.
    pub fn color(mut self, color: Color32) -> Self {
        self.color = Some(color);
        self
    }

    /// Draws the button.
    pub fn show(self, ui: &mut Ui) -> Response {
        let response = match self.disabled {
            None => self.body(ui),
            Some(_) => ui.add_enabled_ui(false, |ui| self.body(ui)).inner,
        };
        let tip = |ui: &mut Ui| {
            ui.horizontal(|ui| {
                ui.label(Text::Small.rich(self.name, theme::palette(ui).text_1));
                if let Some(key) = self.key {
                    chip::key_hint(ui, key);
                }
            });
            if let Some(reason) = self.disabled {
                ui.label(Text::Small.rich(reason, theme::palette(ui).text_2));
            }
        };
        if self.disabled.is_some() { response.on_disabled_hover_ui(tip) } else { response.on_hover_ui(tip) }
    }

    fn body(&self, ui: &mut Ui) -> Response {
        let (rect, response) = ui.allocate_exact_size(vec2(self.size, self.size), Sense::click());
        self.paint(ui, rect, &response);
        response
    }

    /// Draws the button in a rectangle that was reserved before.
    pub fn show_at(self, ui: &mut Ui, rect: Rect, salt: impl std::hash::Hash + std::fmt::Debug) -> Response {
        let id = ui.scope_id().with(("icon button", egui::Id::unique(salt)));
        let response = ui.interact(rect, id, Sense::click());
        self.paint(ui, rect, &response);
        response.on_hover_text(self.name)
    }

    fn paint(&self, ui: &Ui, rect: Rect, response: &Response) {
        let enabled = ui.is_enabled();
        response.widget_info(|| {
            let mut info = WidgetInfo::labeled(Role::Button, enabled, self.name);
            info.selected = self.selected.then_some(true);
            info
        });
        if !ui.is_rect_visible(rect) {
            return;
        }
        let p = theme::palette(ui);
        let radius = theme::sizes().radius.control;
        let rest = self.color.unwrap_or(p.text_2);
        let (fill, color) = match (enabled, self.selected, Press::of(response)) {
            (false, ..) => (CLEAR, p.text_off),
            (true, true, _) => (p.bg_selected, p.accent),
            (true, false, Press::Rest) => (CLEAR, rest),
            (true, false, Press::Hover) => (p.bg_hover, self.color.unwrap_or(p.text_1)),
            (true, false, Press::Down) => (p.bg_pressed, self.color.unwrap_or(p.text_1)),
        };
        ui.painter().rect_filled(rect, radius, fill);
        paint::icon_face(ui, rect.center(), self.icon, self.face, self.icon_size, color);
        paint::focus_ring(ui, response, rect, radius, Ring::Inside);
    }
}

/// A button that is only words in accent, flush with the text around it.
pub fn text_button(ui: &mut Ui, label: &str) -> Response {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let galley = paint::line(ui, label, Text::Small.format_weighted(Weight::Medium, p.accent), f32::INFINITY);
    let width = galley.size().x;
    let (rect, response) = ui.allocate_exact_size(vec2(width, sizes.control.min_hit), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, label));
    if response.hovered() {
        let y = rect.center().y + Text::Small.line() / 2.0 - 1.0;
        ui.painter().hline(rect.x_range(), y, Stroke::new(sizes.stroke.line, p.accent));
    }
    paint::left(ui, rect, rect.left(), galley);
    paint::focus_ring(ui, &response, rect, sizes.radius.chip, Ring::Outside);
    response
}
