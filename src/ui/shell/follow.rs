//! Follows the core: where it wants the window to go, what has gone, and the settings.

use std::sync::Arc;

use egui::{Context, ViewportCommand};

use crate::api::command::{AppCommand, BranchCommand, ChatCommand};
use crate::model::id::ConversationId;
use crate::model::settings::ThemeChoice;
use crate::ui::cx::{DeskAt, UiCx};
use crate::ui::keys::{KeyMap, Platform};
use crate::ui::lineage;
use crate::ui::panels::compare::align;
use crate::ui::panels::composer;
use crate::ui::regions::{self, Region};
use crate::ui::route::Route;
use crate::ui::shell::Shell;
use crate::ui::theme::{self, Preference};
use crate::ui::widgets::glyph;

/// A question takes no answer for half a second; then its control can take the keyboard, seconds.
const ARRIVE_WITHIN_S: f64 = 0.9;
/// A conversation that has not come is asked for again after so long, seconds.
const ASK_AGAIN_S: f64 = 2.0;

/// What has the keyboard while something covers the window.
#[derive(Clone, Copy)]
pub(super) struct Under {
    /// What had it before.
    before: Option<egui::Id>,
    /// What had it last in what covers the window.
    above: Option<egui::Id>,
    /// It was closed in the frame before.
    closed: bool,
}

impl Under {
    /// It is to go elsewhere.
    pub(super) fn back_to(self, id: egui::Id) -> Self {
        Self { before: Some(id), ..self }
    }
}

impl Shell {
    pub(super) fn apply_settings(&mut self, ctx: &Context) {
        if self.seen.settings.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, &self.snap.settings)) {
            return;
        }
        let settings = Arc::clone(&self.snap.settings);
        theme::set_preference(
            ctx,
            match settings.theme {
                ThemeChoice::System => Preference::System,
                ThemeChoice::Light => Preference::Light,
                ThemeChoice::Dark => Preference::Dark,
            },
        );
        #[expect(clippy::cast_precision_loss, reason = "a percentage")]
        ctx.set_zoom_factor(settings.zoom_percent.clamp(80, 200) as f32 / 100.0);
        glyph::set_reduced_motion(ctx, settings.reduced_motion);
        if self.seen.settings.as_ref().is_none_or(|seen| seen.keys != settings.keys) {
            self.keys = Arc::new(KeyMap::of(&settings.keys, Platform::HERE));
            for unread in &self.keys.unread {
                tracing::warn!(command = unread.name, why = unread.why, "stored keys are not used");
            }
        }
        self.seen.settings = Some(settings);
    }

    pub(super) fn follow(&mut self, ctx: &Context) {
        if self.snap.focus != self.seen.focus {
            let first = !self.seen.started;
            self.seen.focus = self.snap.focus;
            // At the start the remembered place wins over an old focus.
            let remembered = first && self.exists(self.history.here().conversation());
            if let Some(conversation) = self.snap.focus.filter(|_| !remembered) {
                self.history.go(Route::Chat { conversation });
            }
        }
        self.follow_branch();
        let project_changed = self.seen.project != self.snap.project;
        self.seen.project = self.snap.project;
        // Nothing has been read yet: the remembered place stays.
        let unread = self.snap.projects.is_empty() && !self.snap.app.first_run;
        let here = self.history.here().conversation();
        let gone = here.is_some() && !self.exists(here);
        let lost =
            gone || (project_changed && self.seen.started) || matches!(self.history.here(), Route::Home);
        if lost && !unread && !self.exists(here) && !matches!(self.history.here(), Route::Settings { .. }) {
            let next = self.newest().map_or(Route::Home, |conversation| Route::Chat { conversation });
            self.history.replace(next);
        }
        self.seen.started = true;
        self.open_shown(ctx);
        self.follow_compare();
        self.tell_viewing(ctx);
        self.remember(ctx);
        if self.snap.app.finished {
            ctx.send_viewport_cmd(ViewportCommand::Close);
        }
    }

    /// A branch is never in the centre: it goes beside its main conversation.
    fn follow_branch(&mut self) {
        let snap = Arc::clone(&self.snap);
        if let Route::Chat { conversation } = *self.history.here()
            && let Some(root) = lineage::root(&snap, conversation)
        {
            self.history.replace(Route::Chat { conversation: root });
            self.panels.drawer.open(root, conversation);
        }
        if snap.branch_focus != self.seen.branch_focus {
            self.seen.branch_focus = snap.branch_focus;
            // One that has a tab was opened from here.
            let new = snap.branch_focus.filter(|branch| !self.panels.drawer.holds(*branch));
            if let Some((branch, root)) = new.and_then(|id| Some((id, lineage::root(&snap, id)?))) {
                self.panels.compare.close(root);
                self.panels.drawer.open(root, branch);
                if self.history.here().conversation() != Some(root) {
                    self.history.go(Route::Chat { conversation: root });
                }
            }
        }
        self.panels.drawer.tidy(&snap);
    }

    fn exists(&self, conversation: Option<ConversationId>) -> bool {
        conversation.is_some_and(|id| lineage::row(&self.snap, id).is_some())
    }

    fn newest(&self) -> Option<ConversationId> {
        let rows = self.snap.conversations.iter();
        rows.filter(|row| !row.conversation.archived && row.conversation.branch.is_none())
            .map(|row| row.conversation.id)
            .next()
    }

    /// Asks the core to load the conversation that is shown.
    fn open_shown(&mut self, ctx: &Context) {
        let here = self.history.here().conversation();
        if here == self.seen.opened || (here.is_some() && !self.exists(here)) {
            return;
        }
        self.seen.opened = here;
        if let Some(conversation) = here {
            if lineage::root(&self.snap, conversation).is_some() {
                self.out.push(BranchCommand::Open { branch: conversation }.into());
                return;
            }
            self.out.push(ChatCommand::Open { conversation }.into());
            // Whoever comes here wants to write; the list itself needs no focus to be read.
            if self.panels.compare.shown(&self.snap, self.history.here()).is_none() {
                ctx.memory_mut(|memory| memory.request_focus(composer::field_id(DeskAt::Main)));
            }
            self.seen.arriving.get_or_insert(Region::Composer);
            self.seen.arrived_s = None;
        }
    }

    /// Gives the keyboard to what the user came for. It may take some frames until that is read, drawn and enabled;
    /// whatever the user has moved the keyboard to meanwhile keeps it.
    pub(super) fn arrive(&mut self, cx: &UiCx<'_>, ctx: &Context) {
        let (Some(region), Some(view)) = (self.seen.arriving, cx.view()) else { return };
        let since = *self.seen.arrived_s.get_or_insert(cx.time_s);
        let first = since >= cx.time_s;
        if cx.time_s - since > ARRIVE_WITHIN_S {
            self.seen.arriving = None;
            self.seen.arrived_s = None;
            return;
        }
        let asked = region == Region::Question && !view.asks.is_empty();
        let region = if asked { Region::Question } else { Region::Composer };
        let free = ctx
            .memory(egui::Memory::focused)
            .is_none_or(|id| first && asked && id == composer::field_id(DeskAt::Main));
        if let Some(id) = regions::control(ctx, region).filter(|_| free && !cx.covered) {
            ctx.memory_mut(|memory| memory.request_focus(id));
        }
        let left_s = ARRIVE_WITHIN_S - (cx.time_s - since);
        ctx.request_repaint_after(std::time::Duration::from_secs_f64(left_s.clamp(0.0, 0.1) + 0.01));
    }

    /// Gives the keyboard back to what had it before a dialog or the palette covered the window; unless something
    /// else has taken it since.
    pub(super) fn give_back(&mut self, cx: &UiCx<'_>, ctx: &Context) {
        let now = ctx.memory(egui::Memory::focused);
        if cx.covered {
            let before = self.seen.under.map_or(now, |under| under.before);
            self.seen.under = Some(Under { before, above: now, closed: false });
            return;
        }
        let Some(under) = self.seen.under.take() else { return };
        if let Some(before) = under.before.filter(|_| now.is_none() || now == under.above) {
            ctx.memory_mut(|memory| memory.request_focus(before));
        }
        if !under.closed {
            // What lies below a dialog cannot take the keyboard until a frame was drawn without it: once more.
            self.seen.under = Some(Under { closed: true, ..under });
            ctx.request_repaint();
        }
    }

    fn tell_viewing(&mut self, ctx: &Context) {
        let focused = ctx.input(|input| input.viewport().focused.unwrap_or(true));
        let viewing = self.viewing(focused);
        let AppCommand::Viewing { beside, held, .. } = &viewing else { return };
        let missing = beside.iter().chain(held).any(|id| self.snap.view(*id).is_none());
        let now_s = ctx.input(|input| input.time);
        // What has not come is asked for again.
        let again = missing && now_s - self.seen.viewing_s > ASK_AGAIN_S;
        if missing {
            ctx.request_repaint_after(std::time::Duration::from_secs_f64(ASK_AGAIN_S));
        }
        if again || self.seen.viewing.as_ref() != Some(&viewing) {
            self.seen.viewing_s = now_s;
            self.out.push(viewing.clone().into());
            self.seen.viewing = Some(viewing);
        }
    }

    /// What is on screen.
    fn viewing(&self, focused: bool) -> AppCommand {
        let here = self.history.here();
        let main = here.conversation();
        let there = |id: &ConversationId| lineage::row(&self.snap, *id).is_some();
        let Some(pair) = self.panels.compare.shown(&self.snap, here) else {
            let beside = self.panels.drawer.shown(&self.snap, here).into_iter().collect();
            return AppCommand::Viewing { conversation: main, beside, held: Vec::new(), focused };
        };
        let mut held = align::held(&align::starts(&self.snap, pair), pair);
        let seen = main.filter(|_| self.panels.compare.beside_main);
        if seen.is_none() {
            held.extend(main);
        }
        held.retain(|id| there(id) && !pair.contains(id) && Some(*id) != seen);
        held.sort_unstable();
        held.dedup();
        let beside = pair.into_iter().filter(there).collect();
        AppCommand::Viewing { conversation: seen, beside, held, focused }
    }

    /// What is typed goes along when other conversations are compared.
    fn follow_compare(&mut self) {
        let pair = self.panels.compare.shown(&self.snap, self.history.here());
        if self.seen.compared != pair {
            self.seen.compared = pair;
            let panels = &mut self.panels;
            let (main, drawer) = (&mut panels.desk, &mut panels.drawer.desk);
            panels.compare.hand_over_drafts(&self.snap, main, drawer, pair);
        }
    }

    /// Keeps size and place of the window, in points at zoom 1.
    fn remember(&mut self, ctx: &Context) {
        let zoom = ctx.zoom_factor();
        ctx.input(|input| {
            let viewport = input.viewport();
            self.view.maximized = viewport.maximized.unwrap_or(false);
            if self.view.maximized {
                return;
            }
            if let Some(rect) = viewport.inner_rect.filter(egui::Rect::is_positive) {
                self.view.size = [rect.width() * zoom, rect.height() * zoom];
            }
            if let Some(rect) = viewport.outer_rect {
                self.view.position = Some([rect.left() * zoom, rect.top() * zoom]);
            }
        });
    }
}
