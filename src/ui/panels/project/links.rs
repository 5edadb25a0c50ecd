//! Other conversations of the project that one may know of.

use egui::Ui;

use crate::api::command::KnowledgeCommand;
use crate::model::id::ConversationId;
use crate::ui::cx::{Request, UiCx};
use crate::ui::route::Route;
use crate::ui::theme::{self, Text};
use crate::ui::widgets::IconButton;
use crate::ui::widgets::icon;
use crate::ui::widgets::picker::{Choice, Lead, ListState, choice_list};
use crate::ui::widgets::text_field::{TextField, search};

use super::entry::{Entry, list};
use super::{conversation_title, head, name, nothing};

/// What is typed into the picker.
#[derive(Default)]
pub struct Links {
    state: ListState,
}

const ABOUT: &str = "Conversations this one may know of: agents here are told their gist.";

impl Links {
    pub fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        head(ui, "Linked conversations", ABOUT, None);
        let Some(conversation) = cx.route.conversation() else {
            nothing(ui, "Open a conversation first; its links are shown here.");
            return;
        };
        let p = theme::palette(ui);
        let title = conversation_title(cx, conversation).unwrap_or_default();
        ui.add(egui::Label::new(Text::Ui.rich(format!("“{title}” may know of"), p.text_2)).truncate());
        let known = &cx.snap.knowledge;
        let linked: Vec<ConversationId> = known.linked(conversation).map(|link| link.linked).collect();
        if linked.is_empty() {
            nothing(ui, "No conversation yet. Pick one below.");
        } else {
            list(ui, |ui| {
                for (at, link) in known.linked(conversation).enumerate() {
                    let made = format!("{} · {}", link.made_by.label(), cx.now.row_time(link.created_ms));
                    ui.push_id(link.linked.0, |ui| row(cx, ui, conversation, link.linked, &made, at == 0));
                }
            });
        }
        name(ui, "Link another");
        self.pick(cx, ui, conversation, &linked);
    }

    fn pick(&mut self, cx: &UiCx<'_>, ui: &mut Ui, conversation: ConversationId, linked: &[ConversationId]) {
        let rows: Vec<_> = cx
            .snap
            .conversations
            .iter()
            .map(|row| &row.conversation)
            .filter(|row| row.id != conversation && !linked.contains(&row.id))
            .collect();
        if rows.is_empty() {
            nothing(ui, "There is no other conversation in this project.");
            return;
        }
        let field = TextField::single("link picker", "Find a conversation to link")
            .hint("Find a conversation")
            .steer(true);
        let out = search(ui, field, &mut self.state.query);
        if out.changed {
            self.state.cursor = 0;
        }
        let times: Vec<String> = rows.iter().map(|row| cx.now.row_time(row.updated_ms)).collect();
        let choices: Vec<Choice<'_>> = rows
            .iter()
            .zip(&times)
            .map(|(row, time)| Choice {
                lead: Lead::Icon(if row.archived { icon::ARCHIVE } else { icon::CHAT_CIRCLE }),
                label: &row.title,
                key: time,
                ..Choice::default()
            })
            .collect();
        let chosen = choice_list(ui, &mut self.state, None, &choices, &out.steered, out.submitted);
        if let Some(row) = chosen.and_then(|at| rows.get(at)) {
            cx.send(KnowledgeCommand::Link { conversation, linked: row.id });
            self.state = ListState::default();
        }
    }
}

fn row(
    cx: &UiCx<'_>,
    ui: &mut Ui,
    conversation: ConversationId,
    linked: ConversationId,
    made: &str,
    first: bool,
) {
    let title = conversation_title(cx, linked).unwrap_or("Removed conversation");
    let entry =
        Entry { icon: icon::LINK, tint: |p| p.text_3, title, detail: made, mono: false, quiet: false };
    let open = entry.show(ui, first, |ui| {
        if IconButton::small(icon::X, &format!("Unlink: {title}")).show(ui).clicked() {
            cx.send(KnowledgeCommand::Unlink { conversation, linked });
        }
    });
    if open.clicked() && conversation_title(cx, linked).is_some() {
        cx.ask(Request::Go(Route::Chat { conversation: linked }));
    }
}
