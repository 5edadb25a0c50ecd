use egui::style::{WidgetVisuals, Widgets};
use egui::{Color32, CornerRadius, Margin, Stroke, Style, TextStyle, vec2};

use super::palette::Palette;
use super::sizes::{Sizes, Text};

/// Delay before a tooltip opens, seconds.
const TOOLTIP_DELAY_S: f32 = 0.4;

/// Opacity change of popups, seconds.
const POPUP_S: f32 = 0.08;

pub(super) fn fill(style: &mut Style, p: &Palette, sizes: &Sizes, theme: egui::Theme) {
    style.visuals = theme.default_visuals();
    fill_text(style);
    fill_spacing(style, sizes);
    style.animation_time = POPUP_S;
    style.interaction.tooltip_delay = TOOLTIP_DELAY_S;
    style.interaction.show_tooltips_only_when_still = false;
    style.interaction.selectable_labels = false;
    style.url_in_tooltip = true;

    let line = sizes.stroke.line;
    let v = &mut style.visuals;
    v.override_text_color = None;
    v.weak_text_color = Some(p.text_3);
    v.panel_fill = p.bg_canvas;
    v.window_fill = p.bg_popup;
    v.extreme_bg_color = p.bg_inset;
    v.text_edit_bg_color = Some(p.bg_inset);
    v.faint_bg_color = p.bg_raised;
    v.code_bg_color = p.bg_hover;
    v.hyperlink_color = p.accent;
    v.warn_fg_color = p.warn;
    v.error_fg_color = p.error;
    v.selection.bg_fill = p.select_bg;
    v.selection.stroke = Stroke::new(line, p.text_1);
    v.window_stroke = Stroke::new(line, p.stroke_default);
    v.window_corner_radius = radius(sizes.radius.dialog);
    v.menu_corner_radius = radius(sizes.radius.card);
    v.window_shadow = sizes.shadow.popup.shadow_of(p.shadow);
    v.popup_shadow = sizes.shadow.popup.shadow_of(p.shadow);
    v.text_cursor.stroke = Stroke::new(sizes.stroke.focus, p.accent);
    v.text_cursor.blink = false;
    v.ime_composition.active_underline_stroke = Stroke::new(sizes.stroke.focus, p.accent);
    v.ime_composition.inactive_underline_stroke = Stroke::new(line, p.text_3);
    // Disabled controls have colours of their own.
    v.disabled_alpha = 1.0;
    v.striped = false;
    v.image_loading_spinners = false;
    v.interact_cursor = None;
    v.widgets = widgets(p, sizes);
}

fn radius(points: f32) -> CornerRadius {
    CornerRadius::from(points)
}

fn widgets(p: &Palette, sizes: &Sizes) -> Widgets {
    let of = |fill: Color32, edge: Color32, text: Color32| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(sizes.stroke.line, edge),
        corner_radius: radius(sizes.radius.control),
        fg_stroke: Stroke::new(sizes.stroke.line, text),
        expansion: 0.0,
    };
    Widgets {
        noninteractive: of(p.bg_canvas, p.stroke_subtle, p.text_1),
        inactive: of(p.bg_raised, p.stroke_default, p.text_1),
        hovered: of(p.bg_hover, p.stroke_default, p.text_1),
        active: of(p.bg_pressed, p.stroke_default, p.text_1),
        open: of(p.bg_hover, p.stroke_default, p.text_1),
    }
}

fn fill_text(style: &mut Style) {
    style.text_styles = [
        (TextStyle::Small, Text::Small.font()),
        (TextStyle::Body, Text::Ui.font()),
        (TextStyle::Button, Text::Ui.weighted(super::Weight::Medium)),
        (TextStyle::Heading, Text::Heading.font()),
        (TextStyle::Monospace, Text::Mono.font()),
    ]
    .into();
}

fn fill_spacing(style: &mut Style, sizes: &Sizes) {
    let s = &mut style.spacing;
    s.item_spacing = vec2(sizes.space.s4, sizes.space.s2);
    s.button_padding = vec2(sizes.space.s5, sizes.space.s2);
    s.interact_size = vec2(sizes.control.button, sizes.control.button);
    s.menu_margin = Margin::same(4);
    s.window_margin = Margin::same(12);
    s.icon_width = sizes.control.radio;
    s.tooltip_width = sizes.panel.toast;
    s.scroll.floating = true;
    s.scroll.bar_width = 8.0;
    s.scroll.floating_width = 4.0;
    s.scroll.floating_allocated_width = 0.0;
    s.scroll.bar_inner_margin = 2.0;
    s.scroll.bar_outer_margin = 2.0;
    s.scroll.foreground_color = true;
    // Quieter than the text beside it, also under the pointer.
    s.scroll.active_handle_opacity = 0.45;
    s.scroll.interact_handle_opacity = 0.6;
}
