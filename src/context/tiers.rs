//! Who decides whether a section goes out whole, as one line, or not at all: mode and supply. Pure.
//!
//! | tier | sections | hybrid | push | pull |
//! |---|---|---|---|---|
//! | 0, always | project … participants | whole | whole | whole |
//! | 1, always | thread inheritance, recent conversation, agreements | whole | whole | whole |
//! | 1, Standard and Full | plan, plan document, findings, artifacts, code search | whole | whole | whole |
//! | 1, Full | code graph | whole | whole | whole |
//! | 2, Standard and Full | retrieval, compressed memory | whole | whole, in Lite too | one line |
//! | 2, any mode | skills that are switched on, linked conversations | whole | whole | one line |
//!
//! Whole means as much as its share of the room takes. Agreements in Lite are those of the conversation alone.
//! Whether there is anything to tell is found out when a section is loaded: code only for a question about
//! code, memory only of what the window does not show, links only where there are some.

use crate::model::pack::{Mode, SectionId, Supply};

/// How a section takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    Whole,
    /// One line that says what there is.
    Line,
    /// Not at all; why, for the report.
    Skip(&'static str),
}

/// True for what an agent may need now and then, and which pulling can replace.
pub fn is_on_demand(id: SectionId) -> bool {
    matches!(
        id,
        SectionId::Retrieval | SectionId::CompressedMemory | SectionId::Skills | SectionId::CrossSession
    )
}

/// The table above.
pub fn delivery(id: SectionId, mode: Mode, supply: Supply) -> Delivery {
    if is_on_demand(id) && supply == Supply::Pull {
        return Delivery::Line;
    }
    let least = match id {
        SectionId::Project
        | SectionId::PlatformRules
        | SectionId::Role
        | SectionId::Identity
        | SectionId::Participants
        | SectionId::ThreadInheritance
        | SectionId::Recent
        | SectionId::Agreements
        | SectionId::Skills
        | SectionId::CrossSession => Mode::Lite,
        SectionId::Retrieval | SectionId::CompressedMemory if supply == Supply::Push => Mode::Lite,
        SectionId::Retrieval
        | SectionId::CompressedMemory
        | SectionId::Plan
        | SectionId::PlanDocument
        | SectionId::Findings
        | SectionId::Artifacts
        | SectionId::CodeSearch => Mode::Standard,
        SectionId::CodeGraph => Mode::Full,
    };
    match (mode >= least, least) {
        (true, _) => Delivery::Whole,
        (false, Mode::Full) => Delivery::Skip("told in Full mode only"),
        (false, Mode::Lite | Mode::Standard) => Delivery::Skip("not told in Lite mode"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Delivery, delivery};
    use crate::model::pack::{Mode, SectionId, Supply};

    #[test]
    fn table() {
        use Delivery::{Line, Skip, Whole};
        let lite = Skip("not told in Lite mode");
        let full = Skip("told in Full mode only");
        let cases = [
            (SectionId::Identity, Mode::Lite, Supply::Pull, &Whole),
            (SectionId::Recent, Mode::Lite, Supply::Pull, &Whole),
            (SectionId::Agreements, Mode::Lite, Supply::Hybrid, &Whole),
            (SectionId::Plan, Mode::Lite, Supply::Push, &lite),
            (SectionId::Plan, Mode::Standard, Supply::Pull, &Whole),
            (SectionId::CodeSearch, Mode::Lite, Supply::Push, &lite),
            (SectionId::CodeSearch, Mode::Standard, Supply::Hybrid, &Whole),
            (SectionId::CodeGraph, Mode::Standard, Supply::Push, &full),
            (SectionId::CodeGraph, Mode::Full, Supply::Pull, &Whole),
            (SectionId::CompressedMemory, Mode::Lite, Supply::Hybrid, &lite),
            (SectionId::CompressedMemory, Mode::Lite, Supply::Push, &Whole),
            (SectionId::CompressedMemory, Mode::Full, Supply::Pull, &Line),
            (SectionId::Retrieval, Mode::Standard, Supply::Hybrid, &Whole),
            (SectionId::Skills, Mode::Lite, Supply::Hybrid, &Whole),
            (SectionId::Skills, Mode::Lite, Supply::Pull, &Line),
            (SectionId::CrossSession, Mode::Lite, Supply::Hybrid, &Whole),
        ];
        for (id, mode, supply, expected) in cases {
            assert_eq!(&delivery(id, mode, supply), expected, "{id:?} {mode:?} {supply:?}");
        }
    }
}
