//! One conversation to work in: its messages, the question of its agent and its composer, from the top down.
//!
//! The window has one in the centre and one in the drawer; each keeps its own scroll position and drafts.

use egui::{Rect, Sense, Ui, UiBuilder, pos2, vec2};

use crate::api::command::ChatCommand;
use crate::model::id::ConversationId;
use crate::model::turn::TurnState;
use crate::ui::cx::{Request, UiCx};
use crate::ui::lineage;
use crate::ui::panel::Panel as _;
use crate::ui::panels::composer::Composer;
use crate::ui::panels::conversation::Conversation;
use crate::ui::panels::find_bar::FindBar;
use crate::ui::panels::hints;
use crate::ui::panels::permission::PermissionPanel;
use crate::ui::theme::{self, Text};
use crate::ui::widgets::Button;

/// Width of the find bar, points.
const FIND_WIDTH: f32 = 420.0;
/// First guess at the height of the composer and its gap, points.
const FOOT_GUESS: f32 = 118.0;

/// The panels of one conversation.
#[derive(Default)]
pub struct Desk {
    pub conversation: Conversation,
    pub find: FindBar,
    pub permission: PermissionPanel,
    pub composer: Composer,
    /// Height of composer and question together in the frame before, points.
    pub foot: f32,
    /// What it shares with the desk beside it is drawn there.
    pub without: Without,
    /// Was archived, and is to take the keyboard once it can be written in.
    continued: Option<ConversationId>,
}

/// Parts that are not drawn.
#[derive(Clone, Copy, Default)]
pub struct Without {
    pub messages: bool,
    pub composer: bool,
}

impl Desk {
    /// Draws them; the composer keeps its place at the bottom.
    pub fn show(&mut self, cx: &UiCx<'_>, ui: &mut Ui, area: Rect) {
        let sizes = theme::sizes();
        let pad = if area.width() < 900.0 { sizes.space.s7 } else { sizes.space.s10 };
        let width = (area.width() - pad * 2.0).min(sizes.panel.reading_max);
        let x = (area.center().x - width / 2.0).round();
        let column = |top: f32, bottom: f32| Rect::from_min_max(pos2(x, top), pos2(x + width, bottom));
        // The foot is as high as it was in the frame before; a first frame is laid out again at once.
        let before = if self.foot > 0.0 { self.foot } else { FOOT_GUESS };
        let foot_top = (area.bottom() - before).max(area.top() + 60.0);
        let list = Rect::from_min_max(area.min, pos2(area.right(), foot_top));
        if !self.without.messages {
            let mut child = region(ui, list, "conversation");
            self.messages(cx, &mut child, column(list.top(), list.bottom()));
        }
        let gap = if ui.ctx().content_rect().height() < 590.0 { sizes.space.s4 } else { sizes.space.s7 };
        let mut foot =
            ui.new_child(UiBuilder::new().max_rect(column(foot_top, area.bottom() - gap)).id_salt("foot"));
        foot.spacing_mut().item_spacing.y = sizes.space.s4;
        if self.permission.follow(cx) {
            let room = area.height() - 150.0;
            let card = Rect::from_min_size(foot.cursor().min, vec2(width, room));
            let mut card = foot.new_child(UiBuilder::new().max_rect(card).id_salt("question"));
            self.permission.ui(cx, &mut card);
            foot.allocate_rect(card.min_rect(), Sense::hover());
        }
        hints::show(cx, &mut foot);
        if cx.read_only {
            if read_only(cx, &mut foot) {
                self.continued = cx.route.conversation();
            }
        } else if cx.view().is_some() && !self.without.composer {
            self.composer.ui(cx, &mut foot);
            if self.continued.take().is_some_and(|id| cx.route.conversation() == Some(id)) {
                cx.ask(Request::FocusComposer);
            }
        }
        let height = foot.min_rect().height() + gap;
        if (height - before).abs() > 0.5 {
            self.foot = height;
            ui.ctx().request_discard("the foot of the conversation changed its height");
        }
    }

    fn messages(&mut self, cx: &UiCx<'_>, ui: &mut Ui, column: Rect) {
        let find = if cx.route.conversation().is_some_and(|id| self.find.is_open(id)) {
            let width = FIND_WIDTH.min(column.width());
            let rect =
                Rect::from_min_size(pos2(column.right() - width, column.top() + 8.0), vec2(width, 40.0));
            let mut bar = ui.new_child(UiBuilder::new().max_rect(rect).id_salt("find"));
            self.find.show(cx, &mut bar)
        } else {
            None
        };
        if let Some(place) = find {
            self.conversation.reveal(place);
        }
        let mut list = column;
        if cx.route.conversation().is_some_and(|id| self.find.is_open(id)) {
            list.min.y += 52.0;
        }
        self.conversation.highlight = self.find.current(cx);
        self.conversation.show(cx, ui, list);
    }

    /// Esc: closes what is open, denies a question, stops the turn; the first of these that is there. `false` when
    /// none is.
    pub fn escape(&mut self, cx: &UiCx<'_>) -> bool {
        let closed = self.composer.escape()
            || self.conversation.escape()
            || self.find.escape(cx)
            || self.permission.escape(cx);
        if closed {
            return true;
        }
        let Some(view) = cx.view() else { return false };
        let live =
            view.turn.as_ref().is_some_and(|turn| turn.state.is_live() && turn.state != TurnState::Stopping);
        if live {
            cx.send(ChatCommand::Stop { conversation: view.row.conversation.id });
        }
        live
    }
}

/// In place of the composer of an archived branch; `true` when it is to be continued.
fn read_only(cx: &UiCx<'_>, ui: &mut Ui) -> bool {
    let mut continued = false;
    let Some(conversation) = cx.route.conversation() else { return continued };
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let frame = egui::Frame::NONE
        .fill(p.bg_raised)
        .corner_radius(sizes.radius.composer)
        .inner_margin(egui::Margin::symmetric(12, 10));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal(|ui| {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if Button::secondary("Continue here").show(ui).clicked() {
                    continued = true;
                    cx.send(ChatCommand::SetArchived { conversation, archived: false });
                }
                let row = lineage::row(cx.snap, conversation);
                let adopted = row.and_then(|row| row.conversation.branch.as_ref()?.facts.adopted).is_some();
                let text = if adopted {
                    "Adopted branches can only be read."
                } else {
                    "Archived branches can only be read."
                };
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    ui.add(egui::Label::new(Text::Small.rich(text, p.text_2)).wrap());
                });
            });
        });
    });
    continued
}

/// A child over a part of the window with its own clip.
pub fn region(ui: &mut Ui, rect: Rect, name: &str) -> Ui {
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(name));
    child.set_clip_rect(rect.intersect(ui.clip_rect()));
    child
}
