//! How a pack travels with the prompt. Pure. The text is the same for every engine; only its place differs.

use crate::model::pack::ContextPack;

/// Stands between the sections and the user's prompt when both go in one text.
pub const SEPARATOR: &str = "\n\n---\n\n";

/// What goes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// For the engine's system prompt; `None` = everything is in `user`.
    pub system: Option<String>,
    /// The user's message.
    pub user: String,
}

/// Lays out `pack` and `prompt` for one engine.
///
/// `system_apart`: the engine takes sections apart from the prompt. `fresh`: its session starts with this
/// request. A session that goes on keeps the system prompt it started with, so there whatever the pack
/// holds goes in front of the prompt, for every engine.
#[expect(
    clippy::fn_params_excessive_bools,
    reason = "two independent facts, named at the call by caps and session"
)]
pub fn render(pack: &ContextPack, prompt: &str, system_apart: bool, fresh: bool) -> Rendered {
    let sections = pack.text();
    if sections.is_empty() {
        return Rendered { system: None, user: prompt.to_owned() };
    }
    if system_apart && fresh {
        return Rendered { system: Some(sections), user: prompt.to_owned() };
    }
    Rendered { system: None, user: format!("{sections}{SEPARATOR}{prompt}") }
}

#[cfg(test)]
mod tests {
    use super::{Rendered, render};
    use crate::model::pack::{ContextPack, Mode, ModeReason, PackReport, PackSection, SectionId};

    fn pack(texts: &[&str]) -> ContextPack {
        let section = |text: &&str| PackSection { id: SectionId::Project, text: (*text).to_owned() };
        ContextPack {
            sections: texts.iter().map(section).collect(),
            report: PackReport {
                mode: Mode::Lite,
                mode_reason: ModeReason::Default,
                budget_chars: 60_000,
                total_chars: 0,
                sections: Vec::new(),
                left_out: Vec::new(),
                held_by_session: Vec::new(),
                notes: Vec::new(),
                fixed_hash: String::new(),
                told: std::collections::BTreeMap::new(),
                parity_hash: String::new(),
                hash: String::new(),
                assembly_micros: 0,
            },
        }
    }

    #[test]
    fn table() {
        let whole = Rendered { system: None, user: "A\n\nB\n\n---\n\nask".to_owned() };
        let apart = Rendered { system: Some("A\n\nB".to_owned()), user: "ask".to_owned() };
        let alone = Rendered { system: None, user: "ask".to_owned() };
        let cases = [
            (&["A", "B"][..], true, true, &apart),
            (&["A", "B"], true, false, &whole),
            (&["A", "B"], false, true, &whole),
            (&["A", "B"], false, false, &whole),
            (&[], true, true, &alone),
            (&[], false, false, &alone),
        ];
        for (texts, system_apart, fresh, expected) in cases {
            assert_eq!(&render(&pack(texts), "ask", system_apart, fresh), expected);
        }
    }
}
