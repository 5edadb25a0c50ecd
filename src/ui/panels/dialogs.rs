//! Small dialogs over the window: the new title of a conversation, what a message is kept as.

mod adopt;
mod branch;
mod compare;
mod keep;

use egui::{Context, Id};

use crate::api::command::ChatCommand;
use crate::model::id::{ConversationId, MessageId};
use crate::ui::cx::{BranchAsk, UiCx};
use crate::ui::widgets::Button;
use crate::ui::widgets::dialog::{Width, dialog};
use crate::ui::widgets::text_field::TextField;

/// The open dialog, if any.
#[derive(Default)]
pub struct Dialogs {
    rename: Option<Rename>,
    decide: Option<keep::Decide>,
    keep: Option<keep::Keep>,
    adopt: Option<adopt::Adopt>,
    /// Sheets that were closed, with their drafts, one a branch; the one closed last is at the end.
    put_by: Vec<adopt::Adopt>,
    delete: Option<branch::Delete>,
    git_branch: Option<branch::GitBranch>,
    compare: Option<compare::CompareWith>,
    /// Branches adopted in their sheet, not yet taken.
    adopted: Vec<ConversationId>,
}

struct Rename {
    conversation: ConversationId,
    /// What it is called in the head of the dialog.
    head: &'static str,
    title: String,
    fresh: bool,
}

/// Closed sheets kept with their drafts; the one closed first goes.
const PUT_BY_MAX: usize = 32;
/// Longest title, characters.
const TITLE_MAX_CHARS: usize = 120;

impl Dialogs {
    /// Opens the field for a new title.
    pub fn rename(&mut self, cx: &UiCx<'_>, conversation: ConversationId) {
        let row = cx.snap.conversations.iter().find(|row| row.conversation.id == conversation);
        if let Some(row) = row {
            let branch = row.conversation.branch.is_some();
            let head = if branch { "Rename branch" } else { "Rename conversation" };
            let title = row.conversation.title.clone();
            self.rename = Some(Rename { conversation, head, title, fresh: true });
        }
    }

    /// Opens the sheet that makes an agreement of a message.
    pub fn decide(&mut self, cx: &UiCx<'_>, message: MessageId) {
        self.decide = keep::Decide::of(cx, message);
    }

    /// Opens the sheet that makes an artifact of a message.
    pub fn keep(&mut self, cx: &UiCx<'_>, message: MessageId) {
        self.keep = keep::Keep::of(cx, message);
    }

    /// Opens a dialog about a branch.
    pub fn branch(&mut self, cx: &UiCx<'_>, ask: BranchAsk) {
        match ask {
            BranchAsk::Compare(id) => self.compare = compare::CompareWith::of(cx, id),
            BranchAsk::Delete(branch) => self.delete = branch::Delete::of(cx, branch),
            BranchAsk::GitBranch(branch) => self.git_branch = branch::GitBranch::of(cx, branch),
            BranchAsk::Adopt(branch) => {
                let place = self.put_by.iter().position(|kept| kept.branch() == branch);
                let kept = place.map(|place| self.put_by.remove(place));
                self.adopt = kept.or_else(|| adopt::Adopt::of(cx, branch));
                if let Some(adopt) = &mut self.adopt {
                    adopt.again();
                }
            }
        }
    }

    /// Branches that were adopted in their sheet since the last call.
    pub fn adopted(&mut self) -> Vec<ConversationId> {
        std::mem::take(&mut self.adopted)
    }

    #[must_use]
    pub fn is_open(&self) -> bool {
        self.rename.is_some()
            || self.decide.is_some()
            || self.keep.is_some()
            || self.adopt.is_some()
            || self.delete.is_some()
            || self.git_branch.is_some()
            || self.compare.is_some()
    }

    /// Esc: closes the dialog. `false` when none was open.
    pub fn escape(&mut self) -> bool {
        if self.put_adopt_by() {
            return true;
        }
        self.rename.take().is_some()
            || self.decide.take().is_some()
            || self.keep.take().is_some()
            || self.delete.take().is_some()
            || self.git_branch.take().is_some()
            || self.compare.take().is_some()
    }

    /// Closes the sheet and keeps its drafts. `false` when it is not open.
    fn put_adopt_by(&mut self) -> bool {
        let Some(adopt) = self.adopt.take() else { return false };
        self.put_by.push(adopt);
        if self.put_by.len() > PUT_BY_MAX {
            self.put_by.remove(0);
        }
        true
    }

    fn show_branch(&mut self, cx: &UiCx<'_>, ctx: &Context) {
        if self.delete.as_mut().is_some_and(|delete| delete.show(cx, ctx)) {
            self.delete = None;
        }
        if self.git_branch.as_mut().is_some_and(|git| git.show(cx, ctx)) {
            self.git_branch = None;
        }
        if self.compare.as_mut().is_some_and(|compare| compare.show(cx, ctx)) {
            self.compare = None;
        }
        for kept in &mut self.put_by {
            kept.stay_closed(cx);
        }
        match self.adopt.as_mut().map(|adopt| adopt.show(cx, ctx)) {
            Some(adopt::Ended::Closed) => {
                self.put_adopt_by();
            }
            Some(adopt::Ended::Adopted(branch)) => {
                self.adopt = None;
                self.adopted.push(branch);
            }
            Some(adopt::Ended::Open) | None => {}
        }
    }

    pub fn show(&mut self, cx: &UiCx<'_>, ctx: &Context) {
        if self.decide.as_mut().is_some_and(|decide| decide.show(cx, ctx)) {
            self.decide = None;
        }
        if self.keep.as_mut().is_some_and(|keep| keep.show(cx, ctx)) {
            self.keep = None;
        }
        self.show_branch(cx, ctx);
        self.show_rename(cx, ctx);
    }

    fn show_rename(&mut self, cx: &UiCx<'_>, ctx: &Context) {
        let Some(rename) = &mut self.rename else { return };
        let field = TextField::single("rename", "Title").max_chars(TITLE_MAX_CHARS);
        let blank = rename.title.trim().is_empty();
        let mut take = false;
        let mut cancel = false;
        let out = dialog(
            ctx,
            Id::unique("rename conversation"),
            rename.head,
            Width::Small,
            |ui| {
                // The first pass of a modal only measures; it cannot take the keyboard.
                if rename.fresh && !ui.is_sizing_pass() {
                    let id = field.id();
                    ui.memory_mut(|memory| memory.request_focus(id));
                    rename.fresh = false;
                }
                field.show(ui, &mut rename.title).submitted
            },
            |ui| {
                let why = blank.then_some("A title needs at least one letter.");
                take |= Button::primary("Rename").disabled(why).show(ui).clicked();
                cancel |= Button::quiet("Cancel").show(ui).clicked();
            },
        );
        take |= out.inner;
        if take && !rename.title.trim().is_empty() {
            let title = rename.title.trim().to_owned();
            cx.send(ChatCommand::Rename { conversation: rename.conversation, title });
            self.rename = None;
        } else if out.close || cancel {
            self.rename = None;
        }
    }
}
