//! Pieces the window is built of: buttons, rows, fields, Markdown, the virtual list.
//!
//! Never here: anything that knows conversations, engines as programs, stores or commands. A piece takes tokens
//! and content and returns what the user did to it.
//! Start at `button` for the pattern, `gallery` for all pieces on one page.

pub mod button;
pub mod chip;
pub mod choice;
pub mod dialog;
pub mod empty;
pub mod fuzzy;
#[cfg(debug_assertions)]
pub mod gallery;
pub mod glyph;
pub mod hover_bar;
pub mod icon;
pub mod mark;
pub mod markdown;
pub mod meter;
pub mod paint;
pub mod permission;
pub mod picker;
pub mod row;
pub mod status;
pub mod tabs;
pub mod text_field;
pub mod toast;
pub mod tool_fold;
pub mod virtual_list;

pub use button::{Button, IconButton};
pub use chip::{Chip, Tone, key_hint, removable_chip};
pub use glyph::StateGlyph;
pub use icon::Icon;
pub use mark::{EngineLook, engine_mark, user_mark};

/// Sets fonts, styles and theme of a context and the guard for input methods. Call once before the first frame.
pub fn install(ctx: &egui::Context, preference: crate::ui::theme::Preference) {
    crate::ui::theme::install(ctx, preference);
    text_field::install(ctx);
}
