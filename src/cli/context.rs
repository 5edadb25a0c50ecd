//! `context`: what an agent would be told, and why, without running one.

mod compare;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::api::command::{ChatCommand, PackSource};
use crate::api::snapshot::PackView;
use crate::cli::args::Look;
use crate::cli::front::Front;
use crate::cli::known::Shown;
use crate::cli::out::{DATABASE, Failure};
use crate::cli::{seat, words};
use crate::model::engine::EngineId;
use crate::model::id::ConversationId;
use crate::model::pack::{ContextPack, PackReport};
use crate::model::project::SeatChoice;

/// Shows the pack for `text`.
///
/// # Errors
/// A word of `look` names nothing, or the pack cannot be assembled.
pub async fn context(
    front: &mut Front,
    look: &Look,
    text: String,
    project: Option<&Path>,
    shown: Shown<'_>,
) -> Result<(), Failure> {
    let Shown { json, out } = shown;
    let other = look.compare.as_deref().map(seat::engine_id).transpose()?;
    if let Some(engine) = &other {
        seat::check_engine(&front.app.snapshot(), engine, &format!("--compare {engine}"))?;
    }
    let conversation = seat::conversation(front, &look.ask, project).await?;
    let prompt = text.clone();
    front.send(ChatCommand::PreviewPack { conversation, text: text.clone() })?;
    let found = front.wait(DATABASE, |snapshot| {
        let made = snapshot.view(conversation)?.preview.clone()?;
        (made.prompt == prompt).then_some(made)
    });
    let made = found.await?;
    if let Some(engine) = other {
        let second = compared(front, conversation, engine, text).await?;
        return compare::show(&made, &second, json, out);
    }
    let pack = &made.pack;
    if json {
        let mut value = words::pack(pack);
        if let Value::Object(fields) = &mut value {
            fields.insert("conversation".to_owned(), json!(look.ask.conversation));
        }
        return out.json(&value);
    }
    if look.bare {
        out.text(&pack.text())?;
        return out.end_line();
    }
    for section in &pack.sections {
        out.line(&format!("=== {} ===", section.id.label()))?;
        out.line(&section.text)?;
        out.line("")?;
    }
    out.text(&report(pack))
}

/// What the same seat with another engine would be told.
async fn compared(
    front: &mut Front,
    conversation: ConversationId,
    engine: EngineId,
    text: String,
) -> Result<Arc<PackView>, Failure> {
    let snapshot = front.app.snapshot();
    let view = snapshot.view(conversation);
    let seat =
        view.map_or_else(|| SeatChoice::new(engine.clone()), |view| view.row.conversation.seat.clone());
    // A model belongs to its engine.
    let model =
        if seat.engine == engine { seat.model.clone() } else { seat::default_model(&snapshot, &engine) };
    let seat = SeatChoice { engine, model, ..seat };
    let with = PackSource::Seat { seat: Box::new(seat.clone()), text: text.clone() };
    front.send(ChatCommand::ComparePack { conversation, with })?;
    let found = front.wait(DATABASE, |snapshot| {
        let made = snapshot.view(conversation)?.compared.clone()?;
        (made.prompt == text && made.seat.as_ref() == Some(&seat)).then_some(made)
    });
    found.await
}

/// The report as a table.
fn report(pack: &ContextPack) -> String {
    let report: &PackReport = &pack.report;
    let mut text = format!(
        "=== Report ===\nmode {} ({}), {} of {} characters, assembled in {} µs\n",
        report.mode.label(),
        report.mode_reason.label(),
        report.total_chars,
        report.budget_chars,
        report.assembly_micros
    );
    text.push_str(&format!(
        "{:<22} {:>8} {:>8} {:>8} {:>8}  cut\n",
        "section", "chars", "~tokens", "budget", "want"
    ));
    for section in &report.sections {
        text.push_str(&format!(
            "{:<22} {:>8} {:>8} {:>8} {:>8}  {}\n",
            section.id.label(),
            section.chars,
            section.estimated_tokens,
            section.budget_chars,
            section.want_chars,
            section.cut
        ));
    }
    for left in &report.left_out {
        text.push_str(&format!("{:<22} left out: {}\n", left.id.label(), left.why));
    }
    for held in &report.held_by_session {
        text.push_str(&format!("held by the engine's session: {held}\n"));
    }
    for note in &report.notes {
        text.push_str(&format!("{:<22} note: {}\n", note.id.label(), note.text));
    }
    text.push_str(&format!("hash {}\nparity hash {}\n", report.hash, report.parity_hash));
    text
}
