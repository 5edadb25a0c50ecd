//! Sheets that take a message into the project: as an agreement, or as an artifact.

use egui::{Context, Id};

use crate::api::command::KnowledgeCommand;
use crate::model::id::{AgreementId, ArtifactId, MessageId};
use crate::model::knowledge::{Agreement, AgreementBody, Artifact, ArtifactBody, MadeBy};
use crate::model::message::Message;
use crate::ui::cx::UiCx;
use crate::ui::panels::conversation::copy;
use crate::ui::panels::project::{artifact_fields, artifact_why_not, scope};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::Button;
use crate::ui::widgets::dialog::{Width, dialog};
use crate::ui::widgets::text_field::{EnterKey, TextField};

/// An agreement being made of a message.
pub struct Decide {
    row: Agreement,
    here: bool,
    fresh: bool,
}

/// An artifact being made of a message.
pub struct Keep {
    row: Artifact,
    fresh: bool,
}

/// Longest agreement, characters.
const TEXT_MAX_CHARS: usize = 20_000;
/// Longest title that is offered, characters.
const TITLE_CHARS: usize = 80;

/// A message of the conversation shown, when it is loaded.
fn message<'a>(cx: &UiCx<'a>, id: MessageId) -> Option<&'a Message> {
    let view = cx.view()?;
    let place = view.place_of(id)?;
    view.message(place).map(AsRef::as_ref)
}

impl Decide {
    pub fn of(cx: &UiCx<'_>, id: MessageId) -> Option<Self> {
        let message = message(cx, id)?;
        let text: String = message.plain_text().trim().chars().take(TEXT_MAX_CHARS).collect();
        let row = Agreement {
            id: AgreementId(0),
            project: cx.snap.project?,
            conversation: Some(message.conversation),
            updated_ms: 0,
            body: AgreementBody {
                text,
                made_by: MadeBy::Hand,
                message: Some(id),
                ..AgreementBody::default()
            },
        };
        Some(Self { row, here: true, fresh: true })
    }

    /// `true` when it is to close.
    pub fn show(&mut self, cx: &UiCx<'_>, ctx: &Context) -> bool {
        let Self { row, here, fresh } = self;
        let field = TextField::multi("decided", "What was decided", 5, 12)
            .enter(EnterKey::Breaks)
            .max_chars(TEXT_MAX_CHARS);
        let empty = row.body.text.trim().is_empty().then_some("It needs some words.");
        let (mut take, mut cancel) = (false, false);
        let of = row.conversation;
        let out = dialog(
            ctx,
            Id::unique("mark as decided"),
            "Mark as decided",
            Width::Medium,
            |ui| {
                if *fresh && !ui.is_sizing_pass() {
                    *fresh = false;
                    let id = field.id();
                    ui.memory_mut(|memory| memory.request_focus(id));
                }
                let text = "Keep what was decided, in a few words. Agents are told of it in later requests.";
                ui.add(egui::Label::new(Text::Small.rich(text, theme::palette(ui).text_2)).wrap());
                let submitted = field.show(ui, &mut row.body.text).submitted;
                if let Some(conversation) = of {
                    scope(cx, ui, conversation, here);
                }
                submitted
            },
            |ui| {
                take = Button::primary("Mark as decided").disabled(empty).show(ui).clicked();
                cancel = Button::quiet("Cancel").show(ui).clicked();
            },
        );
        take |= out.inner && empty.is_none();
        if take {
            let mut row = row.clone();
            row.body.text = row.body.text.trim().to_owned();
            row.conversation = row.conversation.filter(|_| *here);
            cx.send(KnowledgeCommand::PutAgreement(Box::new(row)));
        }
        take || cancel || out.close
    }
}

impl Keep {
    pub fn of(cx: &UiCx<'_>, id: MessageId) -> Option<Self> {
        let message = message(cx, id)?;
        let text = copy::markdown(message);
        let row = Artifact {
            id: ArtifactId(0),
            project: cx.snap.project?,
            conversation: Some(message.conversation),
            pinned: true,
            updated_ms: 0,
            body: ArtifactBody { title: title_of(&text), message: Some(id), ..ArtifactBody::default() },
            text,
        };
        Some(Self { row, fresh: true })
    }

    /// `true` when it is to close.
    pub fn show(&mut self, cx: &UiCx<'_>, ctx: &Context) -> bool {
        let Self { row, fresh } = self;
        let why = artifact_why_not(row);
        let (mut take, mut cancel) = (false, false);
        let out = dialog(
            ctx,
            Id::unique("keep as artifact"),
            "Keep as artifact",
            Width::Medium,
            |ui| {
                let first = artifact_fields(ui, row, (6, 10));
                if *fresh && !ui.is_sizing_pass() {
                    *fresh = false;
                    ui.memory_mut(|memory| memory.request_focus(first));
                }
            },
            |ui| {
                take = Button::primary("Keep").disabled(why).show(ui).clicked();
                cancel = Button::quiet("Cancel").show(ui).clicked();
            },
        );
        if take {
            cx.send(KnowledgeCommand::PutArtifact(Box::new(row.clone())));
        }
        take || cancel || out.close
    }
}

/// The first line that says something, without its marks.
fn title_of(text: &str) -> String {
    let line = text.lines().map(|line| line.trim_start_matches(['#', '>', '-', '*', ' ']).trim());
    let first = line.filter(|line| !line.starts_with("```")).find(|line| !line.is_empty());
    let plain = first.unwrap_or_default().replace("**", "").replace('`', "");
    plain.chars().take(TITLE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_that_says_something() {
        for (text, title) in [
            ("**The race** is in `rotate`.", "The race is in rotate."),
            ("\n# 로그인 설계\n\ntext", "로그인 설계"),
            ("```rust\nfn main() {}\n```", "fn main() {}"),
            ("- item", "item"),
            ("", ""),
        ] {
            assert_eq!(title_of(text), title, "{text:?}");
        }
        assert_eq!(title_of(&"가".repeat(200)).chars().count(), TITLE_CHARS);
    }
}
