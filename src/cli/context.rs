//! `context`: what an agent would be told, and why, without running one.

use serde_json::{Value, json};

use crate::api::command::ChatCommand;
use crate::cli::args::Ask;
use crate::cli::front::Front;
use crate::cli::out::{DATABASE, Failure, Out};
use crate::cli::{seat, words};
use crate::model::pack::{ContextPack, PackReport};

/// Shows the pack for `text`.
///
/// # Errors
/// A word of `ask` names nothing, or the pack cannot be assembled.
pub async fn context(
    front: &mut Front,
    ask: &Ask,
    text: String,
    project: Option<&std::path::Path>,
    json: bool,
    out: &mut Out,
) -> Result<(), Failure> {
    let conversation = seat::conversation(front, ask, project).await?;
    let prompt = text.clone();
    front.send(ChatCommand::PreviewPack { conversation, text })?;
    let found = front.wait(DATABASE, |snapshot| {
        let shown = snapshot.view(conversation)?.preview.clone()?;
        (shown.prompt == prompt).then_some(shown)
    });
    let shown = found.await?;
    if json {
        let mut value = words::pack(&shown.pack);
        if let Value::Object(fields) = &mut value {
            fields.insert("conversation".to_owned(), json!(ask.conversation));
        }
        return out.json(&value);
    }
    for section in &shown.pack.sections {
        out.line(&format!("=== {} ===", section.id.label()))?;
        out.line(&section.text)?;
        out.line("")?;
    }
    out.text(&report(&shown.pack))
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
    text.push_str(&format!("{:<22} {:>8} {:>8} {:>8}  cut\n", "section", "chars", "~tokens", "budget"));
    for section in &report.sections {
        text.push_str(&format!(
            "{:<22} {:>8} {:>8} {:>8}  {}\n",
            section.id.label(),
            section.chars,
            section.estimated_tokens,
            section.budget_chars,
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
