//! The sections, one file each.

mod agreements;
mod artifacts;
mod code_graph;
mod code_search;
mod cross_session;
mod findings;
mod identity;
mod lineage;
mod memory;
mod participants;
mod plan;
mod plan_document;
mod platform_rules;
mod project;
mod recent;
mod retrieval;
mod role;
mod skills;
mod thread;

pub(super) use identity::MAX_CHARS as IDENTITY_MAX_CHARS;

use crate::context::fence::closed;
use crate::context::section::Section;
use crate::context::transcript::one_line;
use crate::context::trim::{chars, grouped};

/// All sections in pack order. A new one is one file here and one line in this list.
pub(super) const ALL: &[&dyn Section] = &[
    &project::Project,
    &platform_rules::PlatformRules,
    &role::Role,
    &identity::Identity,
    &participants::Participants,
    &thread::Thread,
    &recent::Recent,
    &plan::PlanSteps,
    &plan_document::PlanDocument,
    &findings::Findings,
    &agreements::Agreements,
    &artifacts::Artifacts,
    &retrieval::Retrieval,
    &memory::Memory,
    &skills::Skills,
    &code_search::CodePassages,
    &code_graph::CodeGraph,
    &cross_session::CrossSession,
];

/// Room for names in a line that stands for a section.
const NAMES_CHARS: usize = 200;

/// A list item: further lines are set in below its first one, fences are closed.
fn bullet(text: &str) -> String {
    let text = closed(text);
    let mut lines = text.lines();
    let mut out = format!("- {}", lines.next().unwrap_or_default());
    for line in lines {
        out.push('\n');
        if !line.trim().is_empty() {
            out.push_str("  ");
            out.push_str(line);
        }
    }
    out
}

/// The line that stands for a section an agent is not told: how many there are, their names, and a way to
/// them that works. `None` = there are none.
fn quoted_names<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<String> = names.map(one_line).collect();
    let count = names.len();
    if count == 0 {
        return None;
    }
    let mut shown: Vec<String> = Vec::new();
    let mut room = NAMES_CHARS;
    for name in names {
        let Some(left) = room.checked_sub(chars(&name) + 4) else { break };
        room = left;
        shown.push(format!("“{name}”"));
    }
    let plural = if count == 1 { "" } else { "s" };
    let more = count - shown.len();
    let more = if more > 0 { format!(" and {} more", grouped(more)) } else { String::new() };
    let shown = shown.join(", ");
    Some(format!(
        "Not sent: {} {what}{plural}: {shown}{more}. Ask the user for what you need by name.",
        grouped(count)
    ))
}

#[cfg(test)]
mod tests {
    use super::{ALL, bullet, quoted_names};

    #[test]
    fn the_list_has_pack_order() {
        assert_eq!(ALL.len(), 18);
        assert!(ALL.windows(2).all(|pair| pair[0].id() < pair[1].id()));
    }

    #[test]
    fn small_texts() {
        assert_eq!(bullet("one\n\n```\ntwo"), "- one\n\n  ```\n  two\n  ```");
        assert_eq!(quoted_names("skill", [].into_iter()), None);
        assert_eq!(
            quoted_names("skill", ["axum", "sql"].into_iter()).unwrap(),
            "Not sent: 2 skills: “axum”, “sql”. Ask the user for what you need by name."
        );
        let many = quoted_names("memory topic", ["a name of some length"; 40].into_iter()).unwrap();
        assert!(many.contains("and 32 more"), "{many}");
    }
}
