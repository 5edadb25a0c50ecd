//! Tokens of the look: colours, lengths, text sizes, fonts, read once from `assets/theme.toml`.
//!
//! This is the only file tree where a colour may be made; everything else asks [`palette`] and [`sizes`].
//! Start at [`install`], which the window calls once before its first frame.

#[cfg(test)]
mod contrast_tests;
mod fonts;
mod palette;
mod sizes;
mod visuals;

use std::sync::OnceLock;

use egui::{Color32, Context, Ui};

pub use fonts::definitions as font_definitions;
pub use palette::Palette;
pub use sizes::{Sizes, Text, Weight};

const THEME_TOML: &str = include_str!("../../assets/theme.toml");

/// Which theme the user asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// Follow the system, dark where the system does not say.
    #[default]
    System,
    /// Always the light theme.
    Light,
    /// Always the dark theme.
    Dark,
}

impl Preference {
    /// Reads `system`, `light` or `dark`; anything else is `None`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "system" => Some(Self::System),
            "light" => Some(Self::Light),
            "dark" => Some(Self::Dark),
            _ => None,
        }
    }

    /// The word [`Preference::parse`] reads.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Both palettes and the sizes.
pub struct Theme {
    /// Colours of the dark theme.
    pub dark: Palette,
    /// Colours of the light theme.
    pub light: Palette,
    /// Lengths and text sizes, the same in both.
    pub sizes: Sizes,
    /// Keys of the file that were missing or unreadable; a test keeps this empty.
    pub problems: Vec<String>,
}

impl Theme {
    /// Reads a theme file. Never fails: what cannot be read is named in `problems` and drawn in a plain grey.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut problems = Vec::new();
        let table: toml::Table = match text.parse() {
            Ok(table) => table,
            Err(error) => {
                problems.push(error.to_string());
                toml::Table::new()
            }
        };
        let dark = Palette::read(table.get("dark"), "dark", &mut problems);
        let light = Palette::read(table.get("light"), "light", &mut problems);
        let sizes = match Sizes::deserialize_from(text) {
            Ok(sizes) => sizes,
            Err(error) => {
                problems.push(error);
                Sizes::default()
            }
        };
        Self { dark, light, sizes, problems }
    }

    /// Fills egui's style of both themes from the tokens and sets the fonts. Call once per context.
    pub fn apply(&self, ctx: &Context) {
        ctx.set_fonts(fonts::definitions());
        for theme in [egui::Theme::Dark, egui::Theme::Light] {
            let palette = if theme == egui::Theme::Dark { &self.dark } else { &self.light };
            ctx.style_mut_of(theme, |style| visuals::fill(style, palette, &self.sizes, theme));
        }
    }
}

/// The theme compiled into the program.
#[must_use]
pub fn embedded() -> &'static Theme {
    static THEME: OnceLock<Theme> = OnceLock::new();
    THEME.get_or_init(|| Theme::parse(THEME_TOML))
}

/// Sets fonts, both styles and the preference. Call once before the first frame.
pub fn install(ctx: &Context, preference: Preference) {
    embedded().apply(ctx);
    set_preference(ctx, preference);
}

/// Changes the theme; takes effect in the next frame.
pub fn set_preference(ctx: &Context, preference: Preference) {
    ctx.set_theme(match preference {
        Preference::System => egui::ThemePreference::System,
        Preference::Light => egui::ThemePreference::Light,
        Preference::Dark => egui::ThemePreference::Dark,
    });
}

/// The colours of the theme this `ui` is drawn in.
#[must_use]
pub fn palette(ui: &Ui) -> &'static Palette {
    palette_of(ui.visuals().dark_mode)
}

/// The colours of one theme.
#[must_use]
pub fn palette_of(dark: bool) -> &'static Palette {
    if dark { &embedded().dark } else { &embedded().light }
}

/// Lengths and text sizes in points.
#[must_use]
pub fn sizes() -> &'static Sizes {
    &embedded().sizes
}

/// No colour at all.
pub const CLEAR: Color32 = Color32::TRANSPARENT;

/// The shadow of what floats: `true` for dialogs, palette and toasts, `false` for hover bars and pills.
#[must_use]
pub fn shadow(ui: &Ui, popup: bool) -> egui::Shadow {
    let kind = if popup { sizes().shadow.popup } else { sizes().shadow.float };
    kind.shadow_of(palette(ui).shadow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_theme_reads_without_a_problem() {
        assert_eq!(embedded().problems, Vec::<String>::new());
        assert!((sizes().space.s4 - 8.0).abs() < f32::EPSILON);
    }

    #[test]
    fn preference_words_read_back() {
        for preference in [Preference::System, Preference::Light, Preference::Dark] {
            assert_eq!(Preference::parse(preference.word()), Some(preference));
        }
        assert_eq!(Preference::parse("Dark"), None);
    }
}
