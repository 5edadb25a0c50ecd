use egui::{Color32, Pos2, Rect, Response, Role, Sense, Ui, WidgetInfo, vec2};

use crate::ui::theme::{self, Palette};

use super::icon::{self, Face, Icon};
use super::paint;

/// How an engine looks: a plain shape and a hue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineLook {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// OpenCode.
    OpenCode,
    /// A server that speaks the OpenAI-style API.
    Local,
    /// The built-in demo engine.
    Demo,
}

impl EngineLook {
    /// The line icon inside the mark.
    #[must_use]
    pub fn icon(self) -> Icon {
        match self {
            Self::Claude => icon::ASTERISK,
            Self::Codex => icon::HEXAGON,
            Self::Gemini => icon::STAR_FOUR,
            Self::OpenCode => icon::BRACKETS_ANGLE,
            Self::Local => icon::CPU,
            Self::Demo => icon::FLASK,
        }
    }

    /// Colour of the icon and of references to the engine.
    #[must_use]
    pub fn color(self, p: &Palette) -> Color32 {
        match self {
            Self::Claude => p.engine_claude,
            Self::Codex => p.engine_codex,
            Self::Gemini => p.engine_gemini,
            Self::OpenCode => p.engine_opencode,
            Self::Local => p.engine_local,
            Self::Demo => p.engine_demo,
        }
    }

    /// Ground of the mark.
    #[must_use]
    pub fn tint(self, p: &Palette) -> Color32 {
        match self {
            Self::Claude => p.engine_claude_tint,
            Self::Codex => p.engine_codex_tint,
            Self::Gemini => p.engine_gemini_tint,
            Self::OpenCode => p.engine_opencode_tint,
            Self::Local => p.engine_local_tint,
            Self::Demo => p.engine_demo_tint,
        }
    }

    /// Draws the mark in a square of `size` points around `center`.
    pub fn paint(self, ui: &Ui, center: Pos2, size: f32) {
        let p = theme::palette(ui);
        let rect = Rect::from_center_size(center, vec2(size, size));
        let radius = if size >= 24.0 { 6.0 } else { theme::sizes().radius.mark };
        ui.painter().rect_filled(rect, radius, self.tint(p));
        paint::icon_face(ui, center, self.icon(), Face::Bold, (size * 0.67).round(), self.color(p));
    }
}

/// An engine's mark of `size` points (18; 16 in pickers, 26 in first run) with its accessible name.
pub fn engine_mark(ui: &mut Ui, look: EngineLook, size: f32, name: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(size, size), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    look.paint(ui, rect.center(), size);
    response
}

/// The user's mark: a circle.
pub fn user_mark(ui: &mut Ui, size: f32, name: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(size, size), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    let p = theme::palette(ui);
    ui.painter().circle_filled(rect.center(), size / 2.0, p.bg_pressed);
    paint::icon_face(ui, rect.center(), icon::USER, Face::Bold, (size * 0.6).round(), p.text_2);
    response
}
