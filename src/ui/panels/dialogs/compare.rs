//! The choice of what a conversation is compared with.

use egui::{Context, Id, Key};

use crate::api::snapshot::ConversationRow;
use crate::model::id::ConversationId;
use crate::ui::cx::{Request, UiCx};
use crate::ui::lineage;
use crate::ui::panels::compare::align;
use crate::ui::panels::sidebar::glyph;
use crate::ui::theme::{self, Text};
use crate::ui::widgets::Button;
use crate::ui::widgets::dialog::{Width, dialog};
use crate::ui::widgets::fuzzy;
use crate::ui::widgets::picker::{Choice, Lead, choice_row};
use crate::ui::widgets::text_field::TextField;

/// Most rows at once; typing finds the others.
const ROWS_MAX: usize = 40;

/// The open choice.
pub struct CompareWith {
    id: ConversationId,
    query: String,
    cursor: usize,
    fresh: bool,
}

impl CompareWith {
    pub fn of(cx: &UiCx<'_>, id: ConversationId) -> Option<Self> {
        lineage::row(cx.snap, id).map(|_row| Self { id, query: String::new(), cursor: 0, fresh: true })
    }

    /// Rows that fit what is typed, nearest kin first.
    fn found<'a>(&self, cx: &UiCx<'a>) -> Vec<(&'static str, &'a ConversationRow, Vec<usize>)> {
        let others = align::others(cx.snap, self.id);
        let rows: Vec<_> = others
            .iter()
            .filter_map(|(kin, id)| Some((kin.label(), lineage::row(cx.snap, *id)?.as_ref())))
            .collect();
        let ranked = fuzzy::rank(&self.query, rows.iter().map(|(_, row)| row.conversation.title.as_str()));
        let hits = ranked.into_iter().take(ROWS_MAX);
        hits.filter_map(|(place, hit)| rows.get(place).map(|(kin, row)| (*kin, *row, hit.positions)))
            .collect()
    }

    /// `true` when it is to close.
    pub fn show(&mut self, cx: &UiCx<'_>, ctx: &Context) -> bool {
        let Some(row) = lineage::row(cx.snap, self.id) else { return true };
        let title = format!("Compare {} with", row.conversation.title);
        let found = self.found(cx);
        let field = TextField::single("compare with", "Find a branch").hint("Find a branch").steer(true);
        let mut chosen = None;
        let mut cancel = false;
        let Self { query, cursor, fresh, .. } = self;
        let out = dialog(
            ctx,
            Id::unique("compare with"),
            &title,
            Width::Small,
            |ui| {
                if *fresh && !ui.is_sizing_pass() {
                    *fresh = false;
                    let id = field.id();
                    ui.memory_mut(|memory| memory.request_focus(id));
                }
                let out = field.show(ui, query);
                if out.changed {
                    *cursor = 0;
                }
                for key in &out.steered {
                    match key {
                        Key::ArrowDown => *cursor += 1,
                        Key::ArrowUp => *cursor = cursor.saturating_sub(1),
                        _ => {}
                    }
                }
                *cursor = (*cursor).min(found.len().saturating_sub(1));
                ui.spacing_mut().item_spacing.y = 0.0;
                for (place, (kin, row, matched)) in found.iter().enumerate() {
                    let archived = row.conversation.archived && row.conversation.branch.is_some();
                    let detail = if archived { format!("{kin}, archive") } else { (*kin).to_owned() };
                    let choice = Choice {
                        lead: Lead::State(glyph(row)),
                        label: &row.conversation.title,
                        detail: &detail,
                        ..Choice::default()
                    };
                    if choice_row(ui, &choice, matched, place == *cursor, false).clicked() {
                        chosen = Some(row.conversation.id);
                    }
                }
                if found.is_empty() {
                    ui.label(Text::Ui.rich("Nothing found", theme::palette(ui).text_3));
                }
                if out.submitted {
                    chosen = found.get(*cursor).map(|(_, row, _)| row.conversation.id);
                }
            },
            |ui| cancel = Button::quiet("Cancel").show(ui).clicked(),
        );
        if let Some(other) = chosen {
            cx.ask(Request::Compare([self.id, other]));
        }
        chosen.is_some() || cancel || out.close
    }
}
