//! The list of commands that hangs on the composer while its text begins with `/`.

use egui::{Area, Frame, Id, Key, Margin, Order, Pos2, Rect, Stroke, Ui, pos2};

use crate::ui::action::{ActionInfo, UiAction};
use crate::ui::cx::UiCx;
use crate::ui::theme;
use crate::ui::widgets::fuzzy;
use crate::ui::widgets::picker::{Choice, Lead, choice_row};

/// Cursor and whether the list was closed for the text as it stands.
#[derive(Default)]
pub struct SlashList {
    cursor: usize,
    closed: bool,
    shown: bool,
}

const ROWS_MAX: usize = 8;

/// The word after the slash, while it is one word at the start of the text.
fn word(text: &str) -> Option<&str> {
    let word = text.strip_prefix('/')?;
    (!word.contains(char::is_whitespace) && word.len() < 32).then_some(word)
}

/// Commands that fit a word, best first.
fn found(word: &str) -> Vec<(UiAction, ActionInfo)> {
    let all: Vec<(UiAction, ActionInfo)> = UiAction::all()
        .into_iter()
        .map(|action| (action, action.info()))
        .filter(|(_, info)| info.slash.is_some())
        .collect();
    let words = all.iter().map(|(_, info)| info.slash.unwrap_or_default());
    let ranked = fuzzy::rank(word, words);
    ranked.into_iter().filter_map(|(place, _)| all.get(place).cloned()).take(ROWS_MAX).collect()
}

impl SlashList {
    /// Whether the list is shown for this text.
    pub fn is_open(&self, text: &str) -> bool {
        !self.closed && word(text).is_some_and(|word| !found(word).is_empty())
    }

    /// The text changed: the list may open again.
    pub fn typed(&mut self) {
        self.closed = false;
        self.cursor = 0;
    }

    pub fn escape(&mut self) -> bool {
        let was = self.shown;
        if was {
            self.closed = true;
            self.shown = false;
        }
        was
    }

    /// Moves the cursor.
    pub fn steer(&mut self, keys: &[Key]) {
        for key in keys {
            match key {
                Key::ArrowDown | Key::Tab => self.cursor += 1,
                Key::ArrowUp => self.cursor = self.cursor.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// The command under the cursor, for Enter.
    pub fn chosen(&self, text: &str) -> Option<UiAction> {
        if !self.is_open(text) {
            return None;
        }
        let found = found(word(text)?);
        found.get(self.cursor.min(found.len().saturating_sub(1))).map(|(action, _)| *action)
    }

    /// Draws the list above the composer at `anchor`; returns the clicked command.
    pub fn show(&mut self, cx: &UiCx<'_>, ui: &Ui, anchor: Rect, text: &str) -> Option<UiAction> {
        self.shown = self.is_open(text) && !cx.covered;
        if !self.shown {
            return None;
        }
        let found = found(word(text)?);
        self.cursor = self.cursor.min(found.len().saturating_sub(1));
        let p = theme::palette(ui);
        let at: Pos2 = pos2(anchor.left(), anchor.top() - 6.0);
        let mut chosen = None;
        Area::new(Id::unique(("slash list", cx.desk)))
            .order(Order::Foreground)
            .pivot(egui::Align2::LEFT_BOTTOM)
            .fixed_pos(at)
            .show(ui.ctx(), |ui| {
                let frame = Frame::NONE
                    .fill(p.bg_popup)
                    .stroke(Stroke::new(1.0, p.stroke_default))
                    .corner_radius(theme::sizes().radius.card)
                    .shadow(theme::shadow(ui, true))
                    .inner_margin(Margin::same(4));
                frame.show(ui, |ui| {
                    ui.spacing_mut().item_spacing.y = 0.0;
                    ui.set_width(anchor.width().min(460.0));
                    for (place, (action, info)) in found.iter().enumerate() {
                        let label = format!("/{}", info.slash.unwrap_or_default());
                        let choice = Choice {
                            lead: Lead::Icon(info.icon),
                            label: &label,
                            detail: &info.text,
                            key: "",
                            disabled: None,
                        };
                        if choice_row(ui, &choice, &[], place == self.cursor, false).clicked() {
                            chosen = Some(*action);
                        }
                    }
                });
            });
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_word_after_a_slash_opens_the_list() {
        let list = SlashList::default();
        for (text, open) in
            [("/", true), ("/ne", true), ("/new now", false), ("new", false), ("/zzzz", false), ("", false)]
        {
            assert_eq!(list.is_open(text), open, "{text}");
        }
        assert_eq!(list.chosen("/new"), Some(UiAction::NewConversation));
    }
}
