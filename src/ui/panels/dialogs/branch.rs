//! Dialogs about one branch: deleting it, and the git branch it belongs to.

use egui::{Context, Id};

use crate::api::command::{BranchCommand, ChatCommand};
use crate::model::id::ConversationId;
use crate::ui::cx::UiCx;
use crate::ui::lineage;
use crate::ui::theme::{self, Text};
use crate::ui::widgets::Button;
use crate::ui::widgets::dialog::{Width, dialog};
use crate::ui::widgets::text_field::TextField;
use crate::ui::words;

/// Longest name of a git branch, characters.
const GIT_MAX_CHARS: usize = 250;

/// Asks before a branch is deleted; names what goes with it.
pub struct Delete {
    branch: ConversationId,
    fresh: bool,
}

impl Delete {
    pub fn of(cx: &UiCx<'_>, branch: ConversationId) -> Option<Self> {
        lineage::row(cx.snap, branch).map(|_row| Self { branch, fresh: true })
    }

    /// `true` when it is to close.
    pub fn show(&mut self, cx: &UiCx<'_>, ctx: &Context) -> bool {
        let Some(row) = lineage::row(cx.snap, self.branch) else { return true };
        let question = format!("Delete {}?", row.conversation.title);
        let loss = loss(u64::from(row.conversation.message_count), lineage::below(cx.snap, self.branch));
        let (mut take, mut cancel) = (false, false);
        let out = dialog(
            ctx,
            Id::unique("delete branch"),
            &question,
            Width::Small,
            |ui| {
                let p = theme::palette(ui);
                ui.add(egui::Label::new(Text::Ui.rich(&loss, p.text_1)).wrap());
                let text = "What runs in it is stopped. It can be undone for ten seconds.";
                ui.add(egui::Label::new(Text::Small.rich(text, p.text_2)).wrap());
            },
            |ui| {
                take = Button::destructive("Delete branch").show(ui).clicked();
                let keep = Button::quiet("Cancel").show(ui);
                // Enter alone deletes nothing. A first pass only measures and cannot give the keyboard.
                if self.fresh {
                    self.fresh = !keep.has_focus();
                    keep.request_focus();
                }
                cancel = keep.clicked();
            },
        );
        if take {
            cx.send(ChatCommand::Delete { conversation: self.branch });
        }
        take || cancel || out.close
    }
}

/// `14 messages and 1 branch below it go too.`
fn loss(messages: u64, below: usize) -> String {
    let messages = (messages > 0).then(|| words::plural(messages, "message", "messages"));
    let below_it =
        (below > 0).then(|| format!("{} below it", words::plural(below as u64, "branch", "branches")));
    match (messages, below_it) {
        (Some(messages), Some(below)) => format!("{messages} and {below} go too."),
        (Some(only), None) => {
            format!("Its {only} {} too.", if only.starts_with("1 ") { "goes" } else { "go" })
        }
        (None, Some(only)) => format!("{only} {} too.", if below == 1 { "goes" } else { "go" }),
        (None, None) => "Nothing was said in it yet.".to_owned(),
    }
}

/// The git branch a branch belongs to.
pub struct GitBranch {
    branch: ConversationId,
    name: String,
    fresh: bool,
}

impl GitBranch {
    pub fn of(cx: &UiCx<'_>, branch: ConversationId) -> Option<Self> {
        let facts = &lineage::row(cx.snap, branch)?.conversation.branch.as_ref()?.facts;
        Some(Self { branch, name: facts.git_branch.clone().unwrap_or_default(), fresh: true })
    }

    /// `true` when it is to close.
    pub fn show(&mut self, cx: &UiCx<'_>, ctx: &Context) -> bool {
        let Self { branch, name, fresh } = self;
        let Some(row) = lineage::row(cx.snap, *branch) else { return true };
        let title = format!("Git branch of {}", row.conversation.title);
        let hint = cx.snap.git_branch.as_deref().unwrap_or("Name of a git branch");
        let field = TextField::single("git branch", "Git branch").hint(hint).max_chars(GIT_MAX_CHARS);
        let (mut take, mut cancel) = (false, false);
        let out = dialog(
            ctx,
            Id::unique("git branch of branch"),
            &title,
            Width::Small,
            |ui| {
                if *fresh && !ui.is_sizing_pass() {
                    *fresh = false;
                    let id = field.id();
                    ui.memory_mut(|memory| memory.request_focus(id));
                }
                let text = "Shown with the branch. Empty takes the link away; nothing is checked out.";
                ui.add(egui::Label::new(Text::Small.rich(text, theme::palette(ui).text_2)).wrap());
                field.show(ui, name).submitted
            },
            |ui| {
                take = Button::primary("Save").show(ui).clicked();
                cancel = Button::quiet("Cancel").show(ui).clicked();
            },
        );
        take |= out.inner;
        if take {
            let git_branch = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
            cx.send(BranchCommand::SetGitBranch { branch: *branch, git_branch });
        }
        take || cancel || out.close
    }
}

#[cfg(test)]
mod tests {
    use super::loss;

    #[test]
    fn a_deletion_names_its_loss() {
        for (messages, below, expected) in [
            (14, 1, "14 messages and 1 branch below it go too."),
            (1, 0, "Its 1 message goes too."),
            (2, 0, "Its 2 messages go too."),
            (0, 2, "2 branches below it go too."),
            (0, 0, "Nothing was said in it yet."),
        ] {
            assert_eq!(loss(messages, below), expected);
        }
    }
}
