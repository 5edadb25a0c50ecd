//! What Esc does, in one place: closes what is open, then denies a question, then stops the turn.
//!
//! While an input method composes Esc is its key; the guard of the text fields has taken it already.

use egui::{Context, Key, Modifiers, Popup};

use crate::ui::cx::{DeskAt, Request, UiCx};
use crate::ui::route::Route;
use crate::ui::shell::Shell;
use crate::ui::widgets::text_field;

impl Shell {
    pub(super) fn escape(&mut self, cx: &UiCx<'_>, ctx: &Context) {
        if text_field::composing(ctx)
            || !ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape))
        {
            return;
        }
        if Popup::is_any_open(ctx) {
            Popup::close_all(ctx);
            return;
        }
        let closed = self.over.palette.escape()
            || self.over.keys.escape()
            || self.over.dialogs.escape()
            || std::mem::take(&mut self.over.sidebar);
        if closed {
            return;
        }
        match cx.route {
            Route::Inspector { .. } if self.panels.inspector.escape() => {}
            Route::Inspector { conversation, .. } | Route::Changes { conversation } => {
                cx.ask(Request::Go(Route::Chat { conversation: *conversation }));
            }
            Route::Project { .. } if self.panels.project.escape() => {}
            Route::Settings { .. } if self.panels.settings.escape(cx) => {}
            Route::Settings { .. } | Route::Project { .. } => cx.act(crate::ui::action::UiAction::Back),
            Route::Home => {}
            Route::Chat { .. } if self.panels.compare.escape() => {}
            Route::Chat { .. } => {
                let at = self.active_desk(cx);
                let taken = match self.conversation_at(cx.snap, at).filter(|_| at != DeskAt::Main) {
                    Some(conversation) => {
                        let route = Route::Chat { conversation };
                        let side = cx.for_desk(at, &route);
                        let taken = self.panels.desk(at).escape(&side);
                        side.hand_over(cx);
                        taken
                    }
                    None => self.panels.desk.escape(cx),
                };
                if !taken {
                    self.close_compare(cx);
                }
            }
        }
    }
}
