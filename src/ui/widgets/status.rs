use egui::{Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::ui::theme::{self, CLEAR, Text, Weight};

use super::chip::Tone;
use super::glyph::StateGlyph;
use super::icon::Icon;
use super::mark::EngineLook;
use super::meter;
use super::paint::{self, Ring};

/// What stands before the words of a status bar item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusLead {
    /// Words only.
    None,
    /// A state.
    State(StateGlyph),
    /// An icon.
    Icon(Icon),
    /// An engine, as icon in its colour.
    Engine(EngineLook),
}

/// One item of the status bar; every item is a button.
pub struct StatusItem<'a> {
    /// Before the words.
    pub lead: StatusLead,
    /// The words; may be empty for an icon alone, then `name` is needed.
    pub text: &'a str,
    /// Accessible name and tooltip.
    pub name: &'a str,
    /// Share shown as meter after the words.
    pub share: Option<f32>,
}

const METER: f32 = 48.0;

impl StatusItem<'_> {
    /// Draws the item at the bar's height.
    pub fn show(&self, ui: &mut Ui) -> Response {
        let sizes = theme::sizes();
        let p = theme::palette(ui);
        let icon = sizes.icon.state;
        let gap = sizes.space.s3;
        let galley = paint::line(ui, self.text, Text::Caption.format(p.text_2), f32::INFINITY);
        let lead_width = if self.lead == StatusLead::None { 0.0 } else { icon };
        let lead_gap = if lead_width > 0.0 && !self.text.is_empty() { gap } else { 0.0 };
        let meter_width = if self.share.is_some() { METER + gap } else { 0.0 };
        let width = (lead_width + lead_gap + galley.size().x + meter_width).max(sizes.control.min_hit - 8.0);
        let (rect, response) = ui.allocate_exact_size(vec2(width, sizes.row.status), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, self.name));
        let ground = rect.expand2(vec2(4.0, -2.0));
        let fill = if response.hovered() { p.bg_hover } else { CLEAR };
        ui.painter().rect_filled(ground, sizes.radius.chip, fill);
        let center = pos2(rect.left() + icon / 2.0, rect.center().y);
        match self.lead {
            StatusLead::None => {}
            StatusLead::State(state) => state.paint(ui, center, icon),
            StatusLead::Icon(which) => paint::icon(ui, center, which, icon, p.text_2),
            StatusLead::Engine(look) => {
                paint::icon_face(ui, center, look.icon(), super::icon::Face::Bold, icon, look.color(p));
            }
        }
        let x = paint::left(ui, rect, rect.left() + lead_width + lead_gap, galley);
        if let Some(share) = self.share {
            let bar = egui::Rect::from_min_size(
                pos2(x + gap, rect.center().y - sizes.control.meter / 2.0),
                vec2(METER, sizes.control.meter),
            );
            let mut child = ui.new_child(egui::UiBuilder::new().max_rect(bar).id_salt(self.name));
            meter::meter(&mut child, share, METER, Tone::Accent, self.name);
        }
        paint::focus_ring(ui, &response, ground, sizes.radius.chip, Ring::Inside);
        response.on_hover_text(self.name)
    }
}

/// The only filled label: "1 needs you", 18 high.
pub fn needs_pill(ui: &mut Ui, count: usize) -> Response {
    const HEIGHT: f32 = 18.0;
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let text = if count == 1 { "1 needs you".to_owned() } else { format!("{count} need you") };
    let format = Text::Caption.format_weighted(Weight::Semibold, p.needs_on);
    let galley = paint::line(ui, &text, format, f32::INFINITY);
    let glyph = 9.0;
    let width = sizes.space.s4 * 2.0 + glyph + sizes.space.s3 + galley.size().x;
    let (spot, response) = ui.allocate_exact_size(vec2(width, sizes.row.status), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &text));
    let rect = egui::Rect::from_center_size(spot.center(), vec2(width, HEIGHT));
    ui.painter().rect_filled(rect, sizes.radius.chip, p.needs_fill);
    let c = pos2(rect.left() + sizes.space.s4 + glyph / 2.0, rect.center().y);
    let half = glyph / 2.0;
    let corners = vec![c - vec2(0.0, half), c + vec2(half, 0.0), c + vec2(0.0, half), c - vec2(half, 0.0)];
    ui.painter().add(egui::Shape::convex_polygon(corners, p.needs_on, egui::Stroke::NONE));
    paint::left(ui, rect, rect.left() + sizes.space.s4 + glyph + sizes.space.s3, galley);
    paint::focus_ring(ui, &response, rect, sizes.radius.chip, Ring::Outside);
    response
}
