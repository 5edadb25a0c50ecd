//! The message a branch starts from, above what was said in the branch.

use egui::{Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::api::command::ChatCommand;
use crate::api::snapshot::PAGE_LEN;
use crate::ui::cx::UiCx;
use crate::ui::theme::{self, Text};
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;

use super::{ASK_AGAIN_S, Conversation, Inherited, checkpoint, key_of, message, placeholder};

/// Height of the line below it, points.
const LINE: f32 = 24.0;

impl Inherited {
    /// Key and revision of its row.
    pub(super) fn row(self, cx: &UiCx<'_>) -> (u64, u64) {
        let view = cx.snap.view(self.parent);
        let entry = view.and_then(|view| view.index.get(view.place_of(self.message)?));
        // One that has just come is another text than its absence.
        let revision = entry.map_or(0, |entry| u64::from(entry.revision) + 1);
        (key_of(self.message), revision)
    }
}

impl Conversation {
    /// Draws it, read-only, and the line at which the branch starts; returns its height.
    pub(super) fn inherited_row(&mut self, cx: &UiCx<'_>, ui: &mut Ui, rect: Rect) -> f32 {
        let Some(inherited) = self.inherited else { return 0.0 };
        let view = cx.snap.view(inherited.parent);
        let place = view.and_then(|view| view.place_of(inherited.message));
        match view.zip(place) {
            Some((view, place)) => match view.message(place) {
                Some(found) => {
                    let mut quiet = cx.for_desk(cx.desk, cx.route);
                    quiet.read_only = true;
                    message::draw(&quiet, ui, view, found, &mut self.folds, &mut self.texts);
                    quiet.hand_over(cx);
                }
                None => {
                    self.load_inherited(cx, inherited, place);
                    ui.add_space(placeholder(ui, rect));
                }
            },
            None => {
                let loading = view.is_none_or(|view| view.loading);
                let text = if loading {
                    "Opening the message it starts from"
                } else {
                    "The message it starts from is not there any more."
                };
                ui.label(Text::Small.rich(text, theme::palette(ui).text_3));
            }
        }
        start_line(cx, ui);
        ui.min_rect().height().max(18.0)
    }

    fn load_inherited(&mut self, cx: &UiCx<'_>, inherited: Inherited, place: usize) {
        let page = u32::try_from(place).unwrap_or(0) / PAGE_LEN;
        let key = (inherited.parent, page);
        if self.asked.get(&key).is_none_or(|at| cx.time_s - at > ASK_AGAIN_S) {
            self.asked.insert(key, cx.time_s);
            cx.send(ChatCommand::LoadPage { conversation: inherited.parent, page });
        }
    }
}

/// As the line in the parent, at the same height.
fn start_line(cx: &UiCx<'_>, ui: &mut Ui) {
    let p = theme::palette(ui);
    ui.add_space(checkpoint::ABOVE);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LINE), Sense::hover());
    let title = cx.view().map_or("This branch", |view| view.row.conversation.title.as_str());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{title} starts here")));
    let stroke = Stroke::new(1.0, p.accent);
    let y = rect.center().y.round() + 0.5;
    ui.painter().hline(rect.right() - 18.0..=rect.right(), y, stroke);
    let format = Text::Caption.format(p.accent);
    let room = (rect.width() - 90.0).clamp(30.0, 320.0);
    let galley = paint::line(ui, &format!("{title} starts here"), format, room);
    let cut = galley.elided;
    let left = paint::right(ui, rect, rect.right() - 26.0, galley) - 12.0;
    paint::icon(ui, pos2(left, rect.center().y), icon::GIT_BRANCH, 13.0, p.accent);
    ui.painter().hline(rect.left()..=left - 12.0, y, stroke);
    if cut {
        response.on_hover_text(title);
    }
}
