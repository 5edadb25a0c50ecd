//! What a panel is.

use egui::Ui;

use crate::ui::cx::UiCx;

/// One part of the window. It reads the snapshot in `cx`, draws, and sends; it changes only its own view state
/// (what is open, scrolled, half typed).
pub trait Panel {
    /// The accessible name of its region; stable, used by tests.
    fn title(&self) -> &'static str;

    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui);
}
