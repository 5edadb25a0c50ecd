//! Find in the conversation shown: count, next, previous.

use egui::{Frame, Key, Margin, Modifiers, Stroke, Ui};

use crate::api::command::ChatCommand;
use crate::api::snapshot::FindView;
use crate::model::id::{ConversationId, FindId};
use crate::ui::cx::UiCx;
use crate::ui::theme::{self, Text};
use crate::ui::widgets::IconButton;
use crate::ui::widgets::icon;
use crate::ui::widgets::text_field::{TextField, search};
use crate::ui::words;

/// The open bar, and where it stands.
#[derive(Default)]
pub struct FindBar {
    open: Option<Open>,
    last_find: i64,
}

struct Open {
    conversation: ConversationId,
    query: String,
    asked: FindId,
    /// Place among the matches; `None` until a result came.
    at: Option<usize>,
    fresh: bool,
}

impl FindBar {
    /// Opens the bar, or moves the keyboard back into it.
    pub fn open(&mut self, conversation: ConversationId) {
        match &mut self.open {
            Some(open) if open.conversation == conversation => open.fresh = true,
            _ => {
                let asked = FindId(self.last_find);
                self.open = Some(Open { conversation, query: String::new(), asked, at: None, fresh: true });
            }
        }
    }

    /// Esc: closes the bar and clears the result. `false` when it was not open.
    pub fn escape(&mut self, cx: &UiCx<'_>) -> bool {
        let Some(open) = self.open.take() else { return false };
        let find = FindId(self.last_find);
        cx.send(ChatCommand::Find { conversation: open.conversation, find, query: String::new() });
        true
    }

    #[must_use]
    pub fn is_open(&self, conversation: ConversationId) -> bool {
        self.open.as_ref().is_some_and(|open| open.conversation == conversation)
    }

    /// Draws the bar; returns a place of the index to scroll to.
    pub fn show(&mut self, cx: &UiCx<'_>, ui: &mut Ui) -> Option<usize> {
        let here = cx.route.conversation()?;
        if !self.is_open(here) {
            return None;
        }
        let result = cx.view().and_then(|view| view.find.as_deref());
        let p = theme::palette(ui);
        let frame = Frame::NONE
            .fill(p.bg_popup)
            .stroke(Stroke::new(1.0, p.stroke_default))
            .corner_radius(theme::sizes().radius.card)
            .inner_margin(Margin::symmetric(6, 4));
        let mut close = false;
        let mut goal = None;
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                (goal, close) = self.row(cx, ui, result);
            });
        });
        if close {
            self.escape(cx);
        }
        goal
    }

    fn row(&mut self, cx: &UiCx<'_>, ui: &mut Ui, result: Option<&FindView>) -> (Option<usize>, bool) {
        let Some(open) = &mut self.open else { return (None, false) };
        let field =
            TextField::single(("find here", cx.desk), "Find text").hint("Find").steer(true).width(220.0);
        if std::mem::take(&mut open.fresh) {
            let id = field.id();
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        let here = ui.memory(|memory| memory.has_focus(field.id()));
        let shift_enter = here && ui.input_mut(|input| input.consume_key(Modifiers::SHIFT, Key::Enter));
        let out = search(ui, field, &mut open.query);
        if out.changed {
            self.last_find += 1;
            open.asked = FindId(self.last_find);
            open.at = None;
            cx.send(ChatCommand::Find {
                conversation: open.conversation,
                find: open.asked,
                query: open.query.clone(),
            });
        }
        // A fixture or an earlier query may have left a result; only the one asked for counts once something is typed.
        let found = result.filter(|found| found.find == open.asked || open.query.is_empty());
        let places: &[u32] = found.map_or(&[], |found| &found.places);
        let mut goal = None;
        if open.at.is_none() && !places.is_empty() {
            open.at = Some(places.len() - 1);
            goal = open.at;
        }
        let p = theme::palette(ui);
        let text = match (found, open.at) {
            (None, _) if open.query.is_empty() => String::new(),
            (None, _) => "Finding".to_owned(),
            (Some(found), Some(at)) => {
                let more = if found.capped { "+" } else { "" };
                format!(
                    "{} of {}{more}",
                    words::thousands(at as u64 + 1),
                    words::thousands(places.len() as u64)
                )
            }
            (Some(_), None) if open.query.is_empty() => String::new(),
            (Some(_), None) => "Nothing found".to_owned(),
        };
        ui.label(Text::Caption.rich(text, p.text_2));
        let none = places.is_empty().then_some("There is no match.");
        let up = IconButton::small(icon::CARET_UP, "Previous match")
            .key("Shift Enter")
            .disabled(none)
            .show(ui)
            .clicked();
        let down =
            IconButton::small(icon::CARET_DOWN, "Next match").key("Enter").disabled(none).show(ui).clicked();
        let steered = |key| out.steered.contains(&key);
        if let (Some(at), false) = (open.at, places.is_empty()) {
            let last = places.len() - 1;
            if up || shift_enter || steered(Key::ArrowUp) {
                open.at = Some(if at == 0 { last } else { at - 1 });
                goal = open.at;
            } else if down || out.submitted || steered(Key::ArrowDown) {
                open.at = Some(if at >= last { 0 } else { at + 1 });
                goal = open.at;
            }
        }
        let close = IconButton::small(icon::X, "Close find").key("Esc").show(ui).clicked();
        let goal = goal.and_then(|at| places.get(at)).map(|place| *place as usize);
        (goal, close)
    }

    /// The place of the match the bar stands at, for its highlight.
    #[must_use]
    pub fn current(&self, cx: &UiCx<'_>) -> Option<usize> {
        let open = self.open.as_ref().filter(|open| Some(open.conversation) == cx.route.conversation())?;
        let found = cx.view()?.find.as_deref()?;
        found.places.get(open.at?).map(|place| *place as usize)
    }
}
