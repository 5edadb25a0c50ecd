//! Branches in the sidebar: the active ones as a tree, the others in the archive.

use std::sync::Arc;

use egui::{Rect, Sense, Ui, UiBuilder, pos2, vec2};

use crate::api::command::{BranchCommand, ChatCommand};
use crate::api::snapshot::ConversationRow;
use crate::model::branch::BranchStatus;
use crate::ui::action::UiAction;
use crate::ui::cx::{BranchAsk, Request, UiCx};
use crate::ui::lineage;
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::route::Route;
use crate::ui::theme;
use crate::ui::widgets::StateGlyph;
use crate::ui::widgets::icon;
use crate::ui::widgets::row::{RowEnd, SidebarRow};
use crate::ui::words;

use super::glyph;

/// Rows of a list of branches with their nesting; only the visible ones are drawn.
pub fn rows(cx: &UiCx<'_>, ui: &mut Ui, list: &[&Arc<ConversationRow>]) {
    let tree = lineage::tree(list);
    let height = theme::sizes().row.sidebar;
    #[expect(clippy::cast_precision_loss, reason = "a count of rows")]
    let total = tree.len() as f32 * height;
    let (all, _) = ui.allocate_exact_size(vec2(ui.available_width(), total), Sense::hover());
    let mut top = all.top();
    for lineage::Hung { row, depth, .. } in tree {
        let rect = Rect::from_min_size(pos2(all.left(), top), vec2(all.width(), height));
        top += height;
        if ui.is_rect_visible(rect) {
            let salt = ("branch", row.conversation.id.0);
            branch_row(cx, &mut ui.new_child(UiBuilder::new().max_rect(rect).id_salt(salt)), row, depth);
        }
    }
}

/// One branch.
pub fn branch_row(cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow, depth: u8) {
    let conversation = &row.conversation;
    let facts = conversation.branch.as_ref().map(|branch| &branch.facts);
    let state = glyph(row);
    let age = match state {
        StateGlyph::Running | StateGlyph::NeedsYou => {
            words::elapsed((cx.now.ms - conversation.updated_ms).max(0) / 60_000 * 60_000)
        }
        _ => cx.now.row_time(conversation.updated_ms),
    };
    let age = if age == "0 s" { "now".to_owned() } else { age };
    let git = facts.and_then(|facts| facts.git_branch.as_deref());
    let end = match git {
        Some(git) => RowEnd::GitBranch(git),
        None if conversation.branch_status() == Some(BranchStatus::Adopted) => RowEnd::Caption("adopted"),
        None => RowEnd::Caption(&age),
    };
    let id = conversation.id;
    let outcome = SidebarRow::new(state, &conversation.title)
        .end(end)
        .depth(depth)
        .selected(cx.branch == Some(id) || cx.compared.is_some_and(|pair| pair.contains(&id)))
        .more("Branch menu")
        .show(ui);
    if outcome.response.clicked() {
        cx.ask(Request::Go(Route::Chat { conversation: id }));
    }
    menu::context_menu(&outcome.response, 220.0, |ui| branch_menu(cx, ui, row));
    if let Some(more) = outcome.more {
        menu::menu(&more, 220.0, |ui| branch_menu(cx, ui, row));
    }
}

/// Who learns of it while it is open: the user in its parent, the parent's agents, retrieval.
fn know_of_it(cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow) {
    let Some(made) = &row.conversation.branch else { return };
    let branch = row.conversation.id;
    let (hint, told) = (made.facts.hint, made.facts.hint_told);
    let word = |on| if on { "On" } else { "Off" };
    if !row.conversation.archived {
        let show = MenuRow::new(icon::EYE, "Hint in the parent").end(word(hint)).show(ui);
        if show.on_hover_text("One line in the parent on what this branch leans to").clicked() {
            cx.send(BranchCommand::SetHint { branch, on: !hint, told: false });
        }
        if hint {
            let tell = MenuRow::new(icon::CHATS, "Tell the hint to agents").end(word(told)).show(ui);
            if tell.on_hover_text("The line enters the context of the parent's next messages").clicked() {
                cx.send(BranchCommand::SetHint { branch, on: true, told: !told });
            }
        }
    }
    let shared = row.conversation.is_shared();
    let find = MenuRow::new(icon::MAGNIFYING_GLASS, "Found from elsewhere").end(word(shared)).show(ui);
    if find.on_hover_text("Whether other conversations may find what was said here").clicked() {
        cx.send(BranchCommand::SetShared { branch, shared: Some(!shared) });
    }
}

/// What can be done with a branch.
pub fn branch_menu(cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow) {
    let id = row.conversation.id;
    let archived = row.conversation.archived;
    let ask = |ask| cx.ask(Request::Branch(ask));
    if MenuRow::new(icon::PENCIL_SIMPLE, "Rename…").show(ui).clicked() {
        cx.ask(Request::Rename(id));
    }
    if !archived && MenuRow::new(icon::ARROW_BEND_UP_LEFT, "Adopt…").show(ui).clicked() {
        ask(BranchAsk::Adopt(id));
    }
    let key = cx.keys(UiAction::CompareBranches);
    if MenuRow::new(icon::COLUMNS, "Compare with…").end(&key).show(ui).clicked() {
        ask(BranchAsk::Compare(id));
    }
    if MenuRow::new(icon::GIT_BRANCH, "Git branch…").show(ui).clicked() {
        ask(BranchAsk::GitBranch(id));
    }
    if MenuRow::new(icon::GIT_DIFF, "Changes").show(ui).clicked() {
        cx.ask(Request::Go(Route::Changes { conversation: id }));
    }
    know_of_it(cx, ui, row);
    let text = if archived { "Continue here" } else { "Move to the archive" };
    if MenuRow::new(icon::ARCHIVE, text).show(ui).clicked() {
        cx.send(ChatCommand::SetArchived { conversation: id, archived: !archived });
    }
    menu::divider(ui);
    if MenuRow::new(icon::TRASH, "Delete…").destructive().show(ui).clicked() {
        ask(BranchAsk::Delete(id));
    }
}
