//! What a project keeps beside its conversations, in a seeded database.

use std::path::Path;

use crate::model::id::{
    AgreementId, ArtifactId, ConversationId, FindingId, MessageId, PlanId, ProjectId, TopicId,
};
use crate::model::knowledge::{
    Agreement, AgreementBody, Artifact, ArtifactBody, Finding, FindingBody, Link, MadeBy, Topic, TopicBody,
};
use crate::model::plan::{Plan, PlanBody, PlanPhase, Subtask, SubtaskState};
use crate::model::record::StoreWrite;
use crate::store::Store;

/// Findings, open and settled, of the project.
const FINDINGS: i64 = 400;
const AGREEMENTS_OF_PROJECT: i64 = 400;
const ARTIFACTS: i64 = 20;
/// For each conversation.
const AGREEMENTS: i64 = 20;
const TOPICS: i64 = 7;
const LINKS: i64 = 3;
/// Ids from here on are nobody else's.
const FIRST_ID: i64 = 1 << 40;

/// Writes plans, findings, agreements, artifacts, topics and links for project 1 and its conversations, of
/// `messages_each` messages; the first one's messages begin at row `first_message`.
///
/// # Errors
/// The database cannot be written.
pub fn fill(
    database: &Path,
    conversations: u32,
    messages_each: u32,
    first_message: i64,
) -> anyhow::Result<()> {
    let folder = database.parent().unwrap_or(database);
    let mut store = Store::open(database, &folder.join("backups"), 0)?;
    let mut id = FIRST_ID;
    let mut next = || {
        id += 1;
        id
    };
    let mut batch: Vec<StoreWrite> = Vec::new();
    batch.extend((0..FINDINGS).map(|at| StoreWrite::PutFinding(finding(next(), at))));
    batch.extend((0..AGREEMENTS_OF_PROJECT).map(|at| agreement(next(), None, at, None)));
    batch.extend((0..ARTIFACTS).map(|at| StoreWrite::PutArtifact(Box::new(artifact(next(), at)))));
    for number in 0..i64::from(conversations) {
        let conversation = ConversationId(number + 2);
        let first = first_message + number * i64::from(messages_each);
        batch.push(StoreWrite::PutPlan(Box::new(plan(next(), conversation))));
        for at in 0..AGREEMENTS {
            let message = first + at * i64::from(messages_each) / AGREEMENTS;
            batch.push(agreement(next(), Some(conversation), at, Some(message)));
        }
        for at in 0..TOPICS {
            let length = i64::from(messages_each) / TOPICS;
            let messages = (0..length.min(100)).map(|step| MessageId(first + at * length + step));
            batch.push(StoreWrite::PutTopic(topic(next(), conversation, at, messages.collect())));
        }
        for at in 1..=LINKS.min(i64::from(conversations) - 1) {
            let linked = ConversationId((number + at) % i64::from(conversations) + 2);
            let made_by = MadeBy::Hand;
            batch.push(StoreWrite::PutLink(Link { conversation, linked, made_by, created_ms: at }));
        }
        if batch.len() > 5_000 {
            store.apply(&batch)?;
            batch.clear();
        }
    }
    store.apply(&batch)?;
    Ok(())
}

fn plan(id: i64, conversation: ConversationId) -> Plan {
    let steps = (1..=20).map(|number| Subtask {
        number,
        title: format!("Step {number} of the parser"),
        details: "Keep the last incomplete line. 마지막 줄을 남긴다.".to_owned(),
        state: if number < 8 { SubtaskState::Done } else { SubtaskState::Todo },
        ..Subtask::default()
    });
    Plan {
        id: PlanId(id),
        project: ProjectId(1),
        conversation: Some(conversation),
        implementation: None,
        review: None,
        active: true,
        updated_ms: id,
        body: PlanBody {
            title: "Parser".to_owned(),
            subtasks: steps.collect(),
            phase: PlanPhase::Implementation,
            ..PlanBody::default()
        },
        document: "## A part\n\nWhat the parser does with a line. 파서는 줄을 읽는다.\n\n- one\n- two\n\n"
            .repeat(250),
    }
}

fn finding(id: i64, at: i64) -> Finding {
    Finding {
        id: FindingId(id),
        project: ProjectId(1),
        plan: None,
        open: at % 2 == 0,
        updated_ms: at,
        body: FindingBody {
            text: format!("The parser loses the last line of file {at} when it has no end."),
            file: Some(format!("src/parser_{at}.rs")),
            line: Some(7),
            resolution: if at % 2 == 0 { String::new() } else { "The rest is kept.".to_owned() },
            ..FindingBody::default()
        },
    }
}

fn agreement(id: i64, conversation: Option<ConversationId>, at: i64, message: Option<i64>) -> StoreWrite {
    StoreWrite::PutAgreement(Agreement {
        id: AgreementId(id),
        project: ProjectId(1),
        conversation,
        updated_ms: at,
        body: AgreementBody {
            text: format!("The parser reads {at} lines at a time, 한 번에 {at}줄씩."),
            made_by: MadeBy::Roundtable,
            message: message.map(MessageId),
            created_ms: at,
        },
    })
}

fn artifact(id: i64, at: i64) -> Artifact {
    Artifact {
        id: ArtifactId(id),
        project: ProjectId(1),
        conversation: None,
        pinned: true,
        updated_ms: at,
        body: ArtifactBody { title: format!("Grammar {at}"), ..ArtifactBody::default() },
        text: "line = words end\n".repeat(1_000),
    }
}

fn topic(id: i64, conversation: ConversationId, at: i64, messages: Vec<MessageId>) -> Topic {
    Topic {
        id: TopicId(id),
        conversation,
        pinned: false,
        updated_ms: at,
        body: TopicBody {
            name: format!("Parser, part {at}"),
            phase: "implementation".to_owned(),
            lines: vec!["Ada (demo): reads whole lines, because half ones break the parser".to_owned(); 4],
            messages,
            extractive: false,
        },
    }
}
