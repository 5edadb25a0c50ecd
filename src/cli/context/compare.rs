//! Two contexts for the same message, held against each other.

use serde_json::{Value, json};

use crate::api::snapshot::PackView;
use crate::cli::out::{Failure, Out};
use crate::cli::words;
use crate::model::pack::{ContextPack, SectionId};

/// Shows what differs between the two.
///
/// # Errors
/// Standard output cannot be written.
pub fn show(left: &PackView, right: &PackView, json: bool, out: &mut Out) -> Result<(), Failure> {
    let (ours, theirs) = (&left.pack, &right.pack);
    let differing = differing(ours, theirs);
    let is_same_but_identity = ours.report.parity_hash == theirs.report.parity_hash;
    if json {
        let side = |of: &PackView| {
            let engine = of.seat.as_ref().map(|seat| seat.engine.to_string());
            words::with(json!({ "engine": engine }), words::pack(&of.pack))
        };
        let ids: Vec<Value> = differing.iter().map(words::word).collect();
        return out.json(&json!({
            "differing": ids,
            "same_but_identity": is_same_but_identity,
            "left": side(left),
            "right": side(right),
        }));
    }
    for id in &differing {
        for (of, pack) in [(left, ours), (right, theirs)] {
            let engine = of.seat.as_ref().map(|seat| seat.engine.to_string()).unwrap_or_default();
            out.line(&format!("=== {}: {engine} ===", id.label()))?;
            out.line(text(pack, *id).unwrap_or("(absent)"))?;
            out.line("")?;
        }
    }
    let labels: Vec<&str> = differing.iter().map(|id| id.label()).collect();
    let labels = if labels.is_empty() { "nothing".to_owned() } else { labels.join(", ") };
    let parity = if is_same_but_identity { "the same" } else { "different" };
    out.line(&format!(
        "differing: {labels}\nall but identity: {parity}\ncharacters: {} and {}\nhashes: {} and {}",
        ours.report.total_chars, theirs.report.total_chars, ours.report.hash, theirs.report.hash
    ))
}

fn text(pack: &ContextPack, id: SectionId) -> Option<&str> {
    pack.sections.iter().find(|section| section.id == id).map(|section| section.text.as_str())
}

/// Sections whose text is not the same, in pack order.
fn differing(left: &ContextPack, right: &ContextPack) -> Vec<SectionId> {
    let mut ids: Vec<SectionId> =
        left.sections.iter().chain(&right.sections).map(|section| section.id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.retain(|id| text(left, *id) != text(right, *id));
    ids
}
