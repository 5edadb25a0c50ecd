//! Putting a pack together, with ever more messages in the project, and with all that a project keeps beside them.

use std::time::Instant;

use crate::bench::args::Options;
use crate::bench::knowledge;
use crate::bench::report::{Report, Values};
use crate::bench::scratch::Scratch;
use crate::bench::time;
use crate::context::{Found, PackSeat, PackSpec, Sources, assemble};
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, ProjectId};
use crate::model::pack::{Mode, Supply};
use crate::model::settings::BUDGET_CHARS_DEFAULT;
use crate::store::ReadDb;

const MOST_MS: f64 = 20.0;
/// Messages in each conversation, at most.
const IN_CONVERSATION: u32 = 10_000;
const IN_PROJECT: [u32; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// A step without a common divisor with the number of messages: no place is read twice soon.
const STRIDE: i64 = 3_701;

/// # Errors
/// A database cannot be made or read.
pub fn measure(options: &Options) -> anyhow::Result<Report> {
    let mut report = Report::new("context");
    let runs = options.runs.unwrap_or(500);
    report.tell("packs for each size", f64::from(runs), "");
    for size in IN_PROJECT {
        let each = size.min(IN_CONVERSATION);
        let conversations = size / each;
        let scratch = Scratch::seeded(conversations, each)?;
        let first_message = i64::from(conversations) + 2;
        knowledge::fill(&scratch.paths()?.database(), conversations, each, first_message)?;
        let db = ReadDb::open_read_only(&scratch.paths()?.database())?;
        let mut values = Values::default();
        let mut most_sections = 0;
        for run in 0..runs {
            let spec = spec(run, conversations, each);
            let begun = Instant::now();
            let pack = assemble(&spec, &Sources { db: &db })?;
            values.push(time::ms(begun.elapsed()));
            anyhow::ensure!(!pack.sections.is_empty(), "a pack came out empty");
            most_sections = most_sections.max(pack.sections.len());
        }
        anyhow::ensure!(most_sections >= 11, "the packs lack sections: at most {most_sections}");
        report.tell(format!("{size} messages, p50"), values.median(), "ms");
        report.hold(format!("{size} messages, p99"), values.percentile(99.0), "ms", MOST_MS);
    }
    Ok(report)
}

/// Another conversation, place and mode at each run; mostly the newest place, as in use.
fn spec(run: u32, conversations: u32, each: u32) -> PackSpec {
    let newest = i64::from(each);
    let user_seq = if run.is_multiple_of(4) { 1 + i64::from(run) * STRIDE % newest } else { newest };
    let mode = match run % 3 {
        0 => Some(Mode::Full),
        1 => Some(Mode::Standard),
        _ => None,
    };
    PackSpec {
        conversation: ConversationId(2 + i64::from(run % conversations)),
        project: ProjectId(1),
        user_seq,
        prompt: "What did we decide about the parser?".into(),
        seat: PackSeat {
            engine: EngineId::new("demo"),
            engine_name: "Demo".into(),
            model: None,
            role: None,
            persona: None,
            mode,
            supply: Supply::default(),
        },
        budget_chars: BUDGET_CHARS_DEFAULT,
        held: None,
        detected_stack: vec!["Rust".into()],
        git_branch: Some("main".into()),
        linked_branch: None,
        checkout: None,
        role_text: None,
        persona_text: None,
        found: Found::default(),
    }
}
