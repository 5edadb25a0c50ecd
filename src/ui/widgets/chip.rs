use egui::{Color32, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use crate::ui::theme::{self, Palette, Text, Weight};

use super::button::IconButton;
use super::icon::{self, Icon};
use super::paint::{self, Ring};

/// The colour a chip, note or meter speaks in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// No state.
    #[default]
    Neutral,
    /// Alive or next.
    Accent,
    /// Done, pass.
    Success,
    /// Conditional, cut.
    Warn,
    /// Failed.
    Error,
    /// The user is asked.
    Needs,
}

impl Tone {
    /// Text colour.
    #[must_use]
    pub fn color(self, p: &Palette) -> Color32 {
        match self {
            Self::Neutral => p.text_2,
            Self::Accent => p.accent,
            Self::Success => p.success,
            Self::Warn => p.warn,
            Self::Error => p.error,
            Self::Needs => p.needs,
        }
    }

    /// Ground colour.
    #[must_use]
    pub fn tint(self, p: &Palette) -> Color32 {
        match self {
            Self::Neutral => p.bg_hover,
            Self::Accent => p.accent_tint,
            Self::Success => p.success_tint,
            Self::Warn => p.warn_tint,
            Self::Error => p.error_tint,
            Self::Needs => p.needs_tint,
        }
    }
}

/// A small label with a ground.
#[must_use = "call `show`"]
pub struct Chip<'a> {
    label: &'a str,
    icon: Option<Icon>,
    tone: Tone,
    clickable: bool,
}

impl<'a> Chip<'a> {
    /// A neutral chip that only tells.
    pub fn new(label: &'a str) -> Self {
        Self { label, icon: None, tone: Tone::Neutral, clickable: false }
    }

    /// An icon before the label.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// A state chip.
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// Makes the chip a button, 24 high.
    pub fn clickable(mut self) -> Self {
        self.clickable = true;
        self
    }

    /// Draws the chip.
    pub fn show(self, ui: &mut Ui) -> Response {
        let sizes = theme::sizes();
        let p = theme::palette(ui);
        let color = self.tone.color(p);
        let galley =
            paint::line(ui, self.label, Text::Caption.format_weighted(Weight::Medium, color), f32::INFINITY);
        let icon_width = if self.icon.is_some() { sizes.icon.inline + sizes.space.s2 } else { 0.0 };
        let width = sizes.space.s3 * 2.0 + icon_width + galley.size().x;
        let (height, sense, role) = if self.clickable {
            (sizes.control.min_hit, Sense::click(), Role::Button)
        } else {
            (sizes.control.chip, Sense::hover(), Role::Label)
        };
        let (rect, response) = ui.allocate_exact_size(vec2(width, height), sense);
        response.widget_info(|| WidgetInfo::labeled(role, true, self.label));
        let ground = if self.clickable && response.hovered() { p.bg_pressed } else { self.tone.tint(p) };
        ui.painter().rect_filled(rect, sizes.radius.chip, ground);
        let mut x = rect.left() + sizes.space.s3;
        if let Some(icon) = self.icon {
            paint::icon(
                ui,
                pos2(x + sizes.icon.inline / 2.0, rect.center().y),
                icon,
                sizes.icon.inline,
                color,
            );
            x += icon_width;
        }
        paint::left(ui, rect, x, galley);
        paint::focus_ring(ui, &response, rect, sizes.radius.chip, Ring::Inside);
        response
    }
}

/// What happened to a removable chip.
pub struct RemovableChip {
    /// The label's part; a click opens what the chip stands for.
    pub response: Response,
    /// The cross was pressed.
    pub removed: bool,
}

/// A chip for a pasted text or a queued message: 24 high, with a cross named `remove_name`.
pub fn removable_chip(ui: &mut Ui, icon: Icon, label: &str, remove_name: &str) -> RemovableChip {
    const ICON: f32 = 13.0;
    const CROSS: f32 = 11.0;
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let hit = sizes.control.min_hit;
    let format = Text::Caption.format_weighted(Weight::Medium, p.text_2);
    let most = (ui.available_width() - hit - ICON - sizes.space.s6).max(48.0);
    let galley = paint::line(ui, label, format, most);
    let elided = galley.elided;
    let body = sizes.space.s3 + ICON + sizes.space.s2 + galley.size().x;
    let (rect, response) = ui.allocate_exact_size(vec2(body + hit, hit), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, label));
    let ground = if response.hovered() { p.bg_pressed } else { p.bg_hover };
    ui.painter().rect_filled(rect, sizes.radius.chip, ground);
    let x = rect.left() + sizes.space.s3;
    paint::icon(ui, pos2(x + ICON / 2.0, rect.center().y), icon, ICON, p.text_2);
    paint::left(ui, rect, x + ICON + sizes.space.s2, galley);
    paint::focus_ring(ui, &response, rect, sizes.radius.chip, Ring::Inside);
    let cross = Rect::from_min_size(pos2(rect.right() - hit, rect.top()), vec2(hit, hit));
    let salt = response.id;
    let removed = IconButton::new(icon::X, remove_name).size(hit, CROSS).show_at(ui, cross, salt).clicked();
    let response = if elided { response.on_hover_text(label) } else { response };
    RemovableChip { response, removed }
}

/// A shortcut as a key: 18 high, outlined.
pub fn key_hint(ui: &mut Ui, key: &str) -> Response {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let galley = paint::line(ui, key, Text::Caption.format(p.text_3), f32::INFINITY);
    let size = vec2(galley.size().x + sizes.space.s3 * 2.0, sizes.control.key);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, key));
    let stroke = Stroke::new(sizes.stroke.line, p.stroke_default);
    ui.painter().rect_stroke(rect, sizes.radius.chip, stroke, StrokeKind::Inside);
    paint::left(ui, rect, rect.left() + sizes.space.s3, galley);
    response
}
