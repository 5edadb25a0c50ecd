//! What was decided: in this conversation first, then elsewhere in the project.

use crate::context::error::ContextError;
use crate::context::history::Fact;
use crate::context::items::{Item, Items};
use crate::context::section::{Part, Section, SectionCx, Want};
use crate::context::sections::bullet;
use crate::context::sections::lineage::lineage;
use crate::context::spec::PackSpec;
use crate::model::knowledge::{Agreement, MadeBy};
use crate::model::pack::{Mode, SectionId};

/// Agreements that are looked at, of the conversation and of the project.
const ROWS_MAX: usize = 60;

const HERE: &str = "### In this conversation";
const ELSEWHERE: &str = "### Elsewhere in the project";

pub(super) struct Agreements;

impl Section for Agreements {
    fn id(&self) -> SectionId {
        SectionId::Agreements
    }

    fn wants(&self, _spec: &PackSpec, _mode: Mode) -> Want {
        Want::Share { weight_tenths: 12, min_chars: 500, max_chars: Some(3_000) }
    }

    fn load(&self, cx: &SectionCx<'_>) -> Result<Option<Part>, ContextError> {
        let mut here = cx.db.agreements_of(cx.spec.conversation, ROWS_MAX)?;
        let lineage = lineage(cx)?;
        for origin in &lineage {
            let before = |one: &Agreement| one.body.message.is_none_or(|said| said <= origin.checkpoint);
            here.extend(cx.db.agreements_of(origin.parent, ROWS_MAX)?.into_iter().filter(before));
        }
        // The user's own word outranks the others; of equals the newest comes first.
        here.sort_by_key(|one| one.body.made_by != MadeBy::Hand);
        let mut items: Vec<Item> = here.iter().map(|one| item(one, HERE)).collect();
        if cx.mode >= Mode::Standard {
            // What was decided in the parent after this branch left it is none of its business.
            let is_elsewhere = |one: &Agreement| {
                one.conversation != Some(cx.spec.conversation)
                    && lineage.iter().all(|origin| one.conversation != Some(origin.parent))
            };
            let all = cx.db.agreements(cx.spec.project, ROWS_MAX)?;
            items.extend(all.iter().filter(|one| is_elsewhere(one)).map(|one| item(one, ELSEWHERE)));
        }
        if items.is_empty() {
            return Ok(None);
        }
        let list = Items { items, noun: "agreement", joint: "\n" };
        Ok(Some(Part::items("## Already decided\n\n", list)))
    }
}

fn item(agreement: &Agreement, group: &str) -> Item {
    let by = match agreement.body.made_by {
        MadeBy::Hand => "",
        MadeBy::Roundtable => " (a roundtable)",
        MadeBy::Adopt => " (an adopted branch)",
        MadeBy::Suggested => " (suggested)",
    };
    Item {
        id: agreement.id.0,
        group: group.to_owned(),
        text: bullet(&format!("{}{by}", agreement.body.text.trim())),
        fact: Some(Fact::Agreement(agreement.id.0)),
        messages: agreement.body.message.iter().map(|message| message.0).collect(),
        ..Item::default()
    }
}
