//! What is shown beside or in place of the files: no checkout yet, gone, refused, failed, nothing changed.

use std::path::Path;

use egui::{Frame, Label, Margin, Ui};

use crate::api::command::BranchCommand;
use crate::api::snapshot::{ChangesView, ConversationRow, GitDoing};
use crate::model::branch::BranchFacts;
use crate::model::git::{Checkout, Losses};
use crate::ui::cx::{Request, UiCx};
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::empty::{Suggestion, empty_state};
use crate::ui::widgets::icon;
use crate::ui::widgets::text_field::TextField;
use crate::ui::widgets::{Button, IconButton, Tone};
use crate::ui::words;

/// Longest name of a git branch, characters.
const GIT_MAX_CHARS: usize = 200;
/// Lost files named of each kind.
const LOST_MAX: usize = 12;

/// What is typed.
#[derive(Default)]
pub struct States {
    name: String,
    /// The refusal was read.
    read: Option<std::sync::Arc<Losses>>,
}

/// A short word in place of the files.
pub fn quiet(ui: &mut Ui, text: &str) {
    ui.add_space(18.0);
    ui.horizontal(|ui| {
        ui.add_space(20.0);
        ui.add(Label::new(Text::Ui.rich(text, theme::palette(ui).text_2)).wrap());
    });
}

/// While nothing is known yet.
pub fn waiting(ui: &mut Ui, view: &ChangesView) {
    match view.doing {
        Some(GitDoing::Making) => quiet(ui, "The checkout is being made."),
        Some(GitDoing::Removing) => quiet(ui, "The checkout is being removed."),
        Some(GitDoing::Forgetting) => quiet(ui, "The checkout is being forgotten."),
        Some(GitDoing::Looking) => quiet(ui, "The files are being looked at."),
        None => {}
    }
}

/// What can be done with the checkout, in the head.
pub fn actions(cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow) {
    let facts = row.conversation.branch.as_ref().map(|branch| &branch.facts);
    let Some(folder) = facts.and_then(|facts| facts.worktree.clone()) else { return };
    let branch = row.conversation.id;
    let more = IconButton::new(icon::DOTS_THREE, "More about this checkout").show(ui);
    menu::menu(&more, 240.0, |ui| {
        if MenuRow::new(icon::FOLDER_OPEN, "Open the folder").show(ui).clicked() {
            cx.ask(Request::Open(folder.clone()));
        }
        if MenuRow::new(icon::COPY, "Copy its path").show(ui).clicked() {
            cx.ask(Request::Copy { text: folder.clone(), what: "The path" });
        }
        menu::divider(ui);
        if MenuRow::new(icon::TRASH, "Remove the checkout").destructive().show(ui).clicked() {
            cx.send(BranchCommand::RemoveWorktree { branch, with_ignored: false });
        }
    });
}

impl States {
    /// Strips above the files.
    pub fn strips(&mut self, cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow, view: &ChangesView) {
        if let Some(why) = &view.error {
            strip(ui, Tone::Error, |ui| {
                ui.add(Label::new(Text::Ui.rich(why, theme::palette(ui).text_1)).wrap());
            });
        }
        if let Some(losses) = &view.refused
            && !self.read.as_ref().is_some_and(|read| std::sync::Arc::ptr_eq(read, losses))
        {
            let mut read = false;
            strip(ui, Tone::Warn, |ui| read = refusal(cx, ui, view, losses));
            if read {
                self.read = Some(losses.clone());
            }
        }
        if let Some(Checkout::There(changes)) = view.checkout.as_deref() {
            for note in &changes.notes {
                strip(ui, Tone::Neutral, |ui| {
                    ui.add(Label::new(Text::Small.rich(note, theme::palette(ui).text_2)).wrap());
                });
            }
        }
        let facts = row.conversation.branch.as_ref().map(|branch| &branch.facts);
        if facts.is_some_and(|facts| facts.worktree.is_none()) && view.doing != Some(GitDoing::Looking) {
            strip(ui, Tone::Neutral, |ui| self.offer(cx, ui, row, view));
        }
    }

    /// A branch without a checkout of its own.
    fn offer(&mut self, cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow, view: &ChangesView) {
        let p = theme::palette(ui);
        ui.label(Text::Ui.rich_weighted(
            Weight::Semibold,
            "This branch works in the project's folder",
            p.text_1,
        ));
        let text = "With a checkout of its own (a git worktree) its agents touch no one else's files. It begins at the \
                    project's newest commit, on a git branch of its own.";
        ui.add(Label::new(Text::Small.rich(text, p.text_2)).wrap());
        ui.horizontal(|ui| {
            let making = view.doing == Some(GitDoing::Making);
            let width = (ui.available_width() - 190.0).clamp(120.0, 320.0);
            ui.allocate_ui(egui::vec2(width, 30.0), |ui| {
                let field = TextField::single("own checkout", "Git branch of the checkout");
                field
                    .hint("New git branch, named by this branch")
                    .max_chars(GIT_MAX_CHARS)
                    .show(ui, &mut self.name);
            });
            let why = making.then_some("The checkout is being made.");
            let label = if making { "Making…" } else { "Make a checkout" };
            if Button::primary(label).icon(icon::GIT_FORK).disabled(why).show(ui).clicked() {
                let git_branch = Some(self.name.trim().to_owned()).filter(|name| !name.is_empty());
                cx.send(BranchCommand::MakeWorktree { branch: row.conversation.id, git_branch });
            }
        });
    }
}

/// What would be lost; `true` when it was read.
fn refusal(cx: &UiCx<'_>, ui: &mut Ui, view: &ChangesView, losses: &Losses) -> bool {
    let p = theme::palette(ui);
    let only_ignored = losses.only_ignored();
    let title = if only_ignored {
        "Only files that git ignores would be lost with it"
    } else {
        "Nothing was removed: this would be lost"
    };
    ui.label(Text::Ui.rich_weighted(Weight::Semibold, title, p.text_1));
    let mut read = false;
    egui::ScrollArea::vertical().id_salt("losses").max_height(150.0).auto_shrink([false, true]).show(
        ui,
        |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (place, line) in losses.lines(LOST_MAX).into_iter().enumerate() {
                // What forbids it is said in a sentence; the others are files.
                let step = if place < losses.reasons.len() { Text::Small } else { Text::MonoSmall };
                ui.add(Label::new(step.rich(line, p.text_2)).wrap());
            }
        },
    );
    if !only_ignored {
        let text = "Commit these files or move them away, then remove the checkout again.";
        ui.add(Label::new(Text::Small.rich(text, p.text_2)).wrap());
    }
    ui.horizontal(|ui| {
        let label = if only_ignored { "Keep it" } else { "Close" };
        read = Button::secondary(label).show(ui).clicked();
        if only_ignored && Button::destructive("Remove it with these files").show(ui).clicked() {
            cx.send(BranchCommand::RemoveWorktree { branch: view.conversation, with_ignored: true });
        }
    });
    read
}

fn strip(ui: &mut Ui, tone: Tone, body: impl FnOnce(&mut Ui)) {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let fill = if tone == Tone::Neutral { p.bg_raised } else { tone.tint(p) };
    let outer = Margin { left: 16, right: 16, top: 10, bottom: 2 };
    Frame::NONE.inner_margin(outer).show(ui, |ui| {
        let frame =
            Frame::NONE.fill(fill).corner_radius(sizes.radius.card).inner_margin(Margin::symmetric(14, 10));
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.spacing_mut().item_spacing.y = sizes.space.s3;
            body(ui);
        });
    });
    ui.add_space(6.0);
}

#[derive(Clone, Copy)]
enum Way {
    Again,
    Forget,
    Chat,
}

/// The folder was removed by hand.
pub fn gone(cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow, folder: &Path) {
    let branch = row.conversation.id;
    let facts = row.conversation.branch.as_ref().map(|branch| &branch.facts);
    let name = facts.and_then(|facts| facts.git_branch.as_deref()).unwrap_or("its git branch");
    let again = format!("At the same place, with all that was committed to {name}.");
    let ways = [
        Suggestion {
            action: Way::Again,
            icon: icon::ARROW_CLOCKWISE,
            verb: "Make it again",
            detail: &again,
            key: "",
        },
        Suggestion {
            action: Way::Forget,
            icon: icon::TRASH,
            verb: "Forget it",
            detail: "The branch works in the project's folder again. The git branch stays.",
            key: "",
        },
    ];
    let at = words::path(folder, cx.home);
    let facts = format!("{at} is not there any more. Until you decide, no agent starts in this branch.");
    match empty_state(ui, "The checkout is gone", &facts, &ways) {
        Some(Way::Again) => cx.send(BranchCommand::MakeWorktree { branch, git_branch: None }),
        Some(Way::Forget) => cx.send(BranchCommand::ForgetWorktree { branch }),
        Some(Way::Chat) | None => {}
    }
}

/// No file differs.
pub fn empty(cx: &UiCx<'_>, ui: &mut Ui, facts: Option<&BranchFacts>) {
    let own = facts.is_some_and(|facts| facts.worktree.is_some());
    let text = if own {
        "The checkout is as it was when it was made."
    } else {
        "All files of the project's folder are as in the newest commit."
    };
    let ways = [Suggestion {
        action: Way::Chat,
        icon: icon::ARROW_LEFT,
        verb: "Back to the conversation",
        detail: "What its agents change appears here.",
        key: "Esc",
    }];
    if empty_state(ui, "Nothing has changed", text, &ways).is_some()
        && let Some(conversation) = cx.route.conversation()
    {
        cx.ask(Request::Go(crate::ui::route::Route::Chat { conversation }));
    }
}
