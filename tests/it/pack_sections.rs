//! Sections beside the conversation: what each tells, when it is left out, and that nothing is told twice.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::collections::BTreeMap;

use tunaflow::context::{Found, Held, PackSpec, SEPARATOR, Sources, assemble, render, skills};
use tunaflow::model::branch::{Branch, BranchFacts};
use tunaflow::model::code::{CodeFound, CodeNote, CodePassage, CodeWhy};
use tunaflow::model::id::{
    AgreementId, ArtifactId, ConversationId, FindingId, MessageId, PlanId, ProjectId, TopicId,
};
use tunaflow::model::knowledge::{
    Agreement, AgreementBody, Artifact, ArtifactBody, Finding, FindingBody, Link, MadeBy, PassageHit,
    Severity, Topic, TopicBody,
};
use tunaflow::model::message::Author;
use tunaflow::model::pack::{ContextPack, Mode, ModeReason, SectionId, SectionReport, Supply};
use tunaflow::model::plan::{Plan, PlanBody, PlanPhase, Subtask, SubtaskState};
use tunaflow::model::project::{Conversation, ConversationKind, Project};
use tunaflow::model::record::StoreWrite;
use tunaflow::model::skill::{Skill, SkillDoc, SkillOrigin};

use crate::packs::{Talk, agent, claude, golden, section, two_agents, words};

pub fn plan(document: &str) -> Plan {
    let step = |number: u32, title: &str, state| Subtask {
        number,
        title: title.to_owned(),
        details: format!("details of {title}"),
        depends_on: if number > 1 { vec![number - 1] } else { Vec::new() },
        state,
    };
    Plan {
        id: PlanId(900),
        project: ProjectId(1),
        conversation: Some(ConversationId(2)),
        implementation: None,
        review: None,
        active: true,
        updated_ms: 5,
        body: PlanBody {
            title: "Login page".to_owned(),
            expected_outcome: "People can log in.".to_owned(),
            subtasks: vec![
                step(1, "Form", SubtaskState::Done),
                step(2, "Session", SubtaskState::InProgress),
                step(3, "Tests", SubtaskState::Todo),
            ],
            constraints: vec!["No new dependency".to_owned()],
            non_goals: vec!["Single sign-on".to_owned()],
            phase: PlanPhase::Implementation,
            ..PlanBody::default()
        },
        document: document.to_owned(),
    }
}

pub fn finding(id: i64, text: &str, open: bool) -> Finding {
    let resolution = if open { String::new() } else { "escaped the cookie".to_owned() };
    Finding {
        id: FindingId(id),
        project: ProjectId(1),
        plan: None,
        open,
        updated_ms: id,
        body: FindingBody {
            text: text.to_owned(),
            severity: Severity::Major,
            file: Some("src/login.rs".to_owned()),
            line: Some(12),
            resolution,
            ..FindingBody::default()
        },
    }
}

pub fn agreement(id: i64, conversation: i64, text: &str, message: Option<i64>) -> Agreement {
    Agreement {
        id: AgreementId(id),
        project: ProjectId(1),
        conversation: Some(ConversationId(conversation)),
        updated_ms: id,
        body: AgreementBody {
            text: text.to_owned(),
            made_by: MadeBy::Hand,
            message: message.map(MessageId),
            created_ms: id,
        },
    }
}

pub fn artifact(id: i64, title: &str, text: &str) -> Artifact {
    Artifact {
        id: ArtifactId(id),
        project: ProjectId(1),
        conversation: None,
        pinned: true,
        updated_ms: id,
        body: ArtifactBody { title: title.to_owned(), ..ArtifactBody::default() },
        text: text.to_owned(),
    }
}

pub fn topic(id: i64, conversation: i64, name: &str, messages: &[i64]) -> Topic {
    Topic {
        id: TopicId(id),
        conversation: ConversationId(conversation),
        pinned: false,
        updated_ms: id,
        body: TopicBody {
            name: name.to_owned(),
            phase: "planning".to_owned(),
            lines: vec![
                format!("Alice (claude): {name} first, because it blocks the rest"),
                format!("Bob (codex): {name} is small"),
            ],
            messages: messages.iter().copied().map(MessageId).collect(),
            extractive: false,
        },
    }
}

pub fn skill(name: &str, body: &str) -> SkillDoc {
    let skill = Skill {
        name: name.to_owned(),
        description: format!("All about {name}."),
        dir: format!("/skills/{name}").into(),
        origin: SkillOrigin::Project,
        problem: None,
    };
    SkillDoc { skill, body: body.to_owned(), notes: Vec::new() }
}

fn passage(text: &str) -> CodePassage {
    CodePassage {
        path: "src/login.rs".to_owned(),
        start_line: 10,
        end_line: 12,
        language: "rust".to_owned(),
        name: Some("login".to_owned()),
        text: text.to_owned(),
        cut_lines: 0,
        score: 1.0,
        why: CodeWhy::default(),
    }
}

fn hit(id: i64, text: &str, messages: &[i64]) -> PassageHit {
    PassageHit {
        id,
        conversation: ConversationId(3),
        title: "Other talk".to_owned(),
        speakers: "User, Codex".to_owned(),
        messages: messages.iter().copied().map(MessageId).collect(),
        text: text.to_owned(),
        why: String::new(),
    }
}

fn found() -> Found {
    Found {
        code: Some(CodeFound {
            passages: vec![passage("fn login() {\n    todo!()\n}")],
            notes: vec![CodeNote::DeadlineReached { deadline_ms: 1_500, files_left: 7 }],
            ..CodeFound::default()
        }),
        skills: vec![skill(
            "axum",
            "Routes.\n\n## Login\n\nUse a session layer.\n\n## Uploads\n\nLimit them.",
        )],
        retrieval: vec![hit(70, "We took cookies over tokens for the login.", &[5_001])],
        graph: Some("- `login` is called by `main`".to_owned()),
        notes: vec![(SectionId::CodeGraph, "asked within 300 ms".to_owned())],
    }
}

/// Another conversation of the same or another project.
pub fn other(id: i64, project: i64, branch: Option<Branch>, talk: &Talk) -> Conversation {
    let like = talk.db.conversation(ConversationId(2)).unwrap().unwrap();
    let kind = if branch.is_some() { ConversationKind::Branch } else { ConversationKind::Main };
    Conversation {
        id: ConversationId(id),
        project: ProjectId(project),
        kind,
        branch,
        title: format!("Talk number {id}"),
        ..like
    }
}

impl Talk {
    fn write(&mut self, batch: &[StoreWrite]) -> &mut Self {
        self.store.apply(batch).unwrap();
        self
    }

    /// A message in another conversation; returns its row id.
    fn elsewhere(&mut self, conversation: i64, author: Author, text: &str) -> i64 {
        let mut message = self.message(author, vec![words(text)]);
        message.conversation = ConversationId(conversation);
        let id = message.id.0;
        self.write(&[StoreWrite::PutMessage(message)]);
        id
    }
}

/// Everything there can be: a branch of a talk, with a plan, findings, agreements, artifacts, memory, links.
fn rich() -> Talk {
    let mut talk = two_agents();
    let parent = other(3, 1, None, &talk);
    let (linked, third) = (other(4, 1, None, &talk), other(9, 1, None, &talk));
    let new = [parent, linked, third].map(StoreWrite::PutConversation);
    talk.write(&new);
    let mut ids = Vec::new();
    for turn in 1..=6 {
        ids.push(talk.elsewhere(3, Author::User, &format!("parent question {turn}")));
        ids.push(talk.elsewhere(3, agent("Codex"), &format!("parent answer {turn}")));
    }
    talk.elsewhere(4, agent("Architect Claude"), "Linked last word: use cookies.");
    let point = Branch {
        parent: ConversationId(3),
        checkpoint: Some(MessageId(ids[9])),
        facts: BranchFacts::default(),
    };
    let mut branch = talk.db.conversation(ConversationId(2)).unwrap().unwrap();
    branch.branch = Some(point);
    branch.kind = ConversationKind::Branch;
    talk.write(&[
        StoreWrite::PutConversation(branch),
        StoreWrite::PutPlan(Box::new(plan("# Login\n\nHow it is done.\n\n- one\n- two\n"))),
        StoreWrite::PutFinding(finding(801, "the login form does not escape names", true)),
        StoreWrite::PutFinding(finding(802, "login cookie was readable by scripts", false)),
        StoreWrite::PutAgreement(agreement(701, 2, "Sessions live for a day.", None)),
        StoreWrite::PutAgreement(agreement(702, 9, "Errors are shown in plain words.", None)),
        StoreWrite::PutAgreement(agreement(703, 4, "Cookies, not tokens.", None)),
        StoreWrite::PutArtifact(Box::new(artifact(601, "Session table", "| id | user |\n|---|---|\n"))),
        StoreWrite::PutTopic(topic(501, 2, "Storage", &[50, 51])),
        StoreWrite::PutTopic(topic(502, 4, "Cookies", &[])),
        StoreWrite::PutLink(Link {
            conversation: ConversationId(2),
            linked: ConversationId(4),
            made_by: MadeBy::Adopt,
            created_ms: 0,
        }),
    ]);
    talk
}

fn full() -> PackSpec {
    let mut spec = claude();
    spec.prompt = "Fix the login form and its cookie".to_owned();
    spec.seat.mode = Some(Mode::Full);
    spec.seat.role = Some("Reviewer".to_owned());
    spec.seat.persona = Some("Dry.".to_owned());
    spec.found = found();
    spec
}

fn held_by(pack: &ContextPack, talk: &Talk) -> Held {
    Held {
        delivered_seq: talk.next_seq - 1,
        fixed_hash: pack.report.fixed_hash.clone(),
        sections: pack.report.told.clone(),
    }
}

fn line(pack: &ContextPack, id: SectionId) -> Option<&SectionReport> {
    pack.report.sections.iter().find(|line| line.id == id)
}

fn why(pack: &ContextPack, id: SectionId) -> &str {
    pack.report.left_out.iter().find(|left| left.id == id).map_or("", |left| left.why.as_str())
}

#[test]
fn golden_all_sections() {
    let pack = rich().pack(&full());
    golden("all_sections.txt", &pack);
    assert_eq!(pack.sections.len(), 18, "{:?}", pack.report.left_out);
}

#[test]
fn the_same_spec_gives_the_same_pack() {
    let talk = rich();
    let (one, other) = (talk.pack(&full()), talk.pack(&full()));
    assert_eq!(one.sections, other.sections);
    let timeless = |mut pack: ContextPack| {
        pack.report.assembly_micros = 0;
        pack.report
    };
    assert_eq!(timeless(one), timeless(other));
}

#[test]
fn a_session_hears_each_section_once() {
    let mut talk = rich();
    let first = talk.pack(&full());
    let mut spec = full();
    spec.held = Some(held_by(&first, &talk));
    let again = talk.pack(&spec);
    assert!(again.sections.is_empty(), "{}", again.text());
    assert_eq!(
        again.report.held_by_session,
        [
            "project, platform rules, role, identity",
            "4 messages",
            "thread inheritance, plan, plan document, findings, agreements, artifacts, retrieval, \
             compressed memory, skills, code search, code graph, linked conversations",
        ]
    );
    assert_eq!(again.report.told, first.report.told, "what it held it holds");

    // One thing changed: that section goes out again, and nothing else.
    let mut changed = plan("# Login\n\nHow it is done.\n\n- one\n- two\n");
    changed.body.subtasks[1].state = SubtaskState::Done;
    talk.write(&[StoreWrite::PutPlan(Box::new(changed.clone()))]);
    let third = talk.pack(&spec);
    let ids: Vec<SectionId> = third.sections.iter().map(|section| section.id).collect();
    assert_eq!(ids, [SectionId::Plan]);
    assert!(section(&third, SectionId::Plan).unwrap().contains("2 of 3 steps"));

    // The plan is over: what the session believes of it must not stay.
    changed.active = false;
    talk.write(&[StoreWrite::PutPlan(Box::new(changed))]);
    spec.held = Some(held_by(&third, &talk));
    let over = talk.pack(&spec);
    assert_eq!(section(&over, SectionId::Plan).unwrap(), "## Plan\n\nNo plan is followed any more.");
    let document = section(&over, SectionId::PlanDocument).unwrap();
    assert_eq!(document, "## Plan document\n\nThere is none any more.");
    spec.held = Some(held_by(&over, &talk));
    assert!(talk.pack(&spec).sections.is_empty(), "and that is said once");

    // A lost session gets it all again.
    spec.held = None;
    assert_eq!(talk.pack(&spec).sections.len(), 16);
}

#[test]
fn a_branch_knows_its_parent_up_to_the_checkpoint() {
    let mut talk = rich();
    let mut spec = full();
    spec.seat.mode = Some(Mode::Lite);
    let pack = talk.pack(&spec);
    let thread = section(&pack, SectionId::ThreadInheritance).unwrap();
    for turn in 2..=5 {
        assert!(
            thread.contains(&format!("parent question {turn}")) && thread.contains(&format!("answer {turn}"))
        );
    }
    assert!(thread.trim_end().ends_with("parent answer 5"));
    assert!(!pack.text().contains("parent question 1") && !pack.text().contains("question 6"));

    // A decision of the parent from after the checkpoint stays there; an earlier one comes along.
    let checkpoint =
        talk.db.conversation(ConversationId(2)).unwrap().unwrap().branch.unwrap().checkpoint.unwrap().0;
    talk.write(&[
        StoreWrite::PutAgreement(agreement(710, 3, "made before", Some(checkpoint - 9))),
        StoreWrite::PutAgreement(agreement(711, 3, "made after", Some(checkpoint + 1))),
    ]);
    spec.seat.mode = Some(Mode::Full);
    let text = talk.pack(&spec).text();
    assert!(text.contains("made before") && !text.contains("made after"));

    let gone = MessageId(checkpoint);
    talk.write(&[StoreWrite::SetMessagesDeleted { messages: vec![gone], deleted_ms: Some(1) }]);
    let pack = talk.pack(&spec);
    let thread = section(&pack, SectionId::ThreadInheritance).unwrap();
    assert!(thread.contains("parent question 5") && !thread.contains("parent answer 5"), "{thread}");
}

#[test]
fn a_branch_of_a_young_branch_hears_of_both() {
    let mut talk = Talk::new();
    let middle =
        Branch { parent: ConversationId(3), checkpoint: Some(MessageId(102)), facts: BranchFacts::default() };
    let base = other(3, 1, None, &talk);
    let branch = other(4, 1, Some(middle), &talk);
    talk.write(&[StoreWrite::PutConversation(base), StoreWrite::PutConversation(branch)]);
    talk.elsewhere(3, Author::User, "at the root");
    assert_eq!(talk.elsewhere(3, agent("Codex"), "root answer"), 102);
    talk.elsewhere(3, Author::User, "root, too late");
    let asked = talk.elsewhere(4, Author::User, "in the middle");
    let mut leaf = talk.db.conversation(ConversationId(2)).unwrap().unwrap();
    leaf.branch = Some(Branch {
        parent: ConversationId(4),
        checkpoint: Some(MessageId(asked)),
        facts: BranchFacts::default(),
    });
    talk.write(&[StoreWrite::PutConversation(leaf)]);
    let pack = talk.pack(&claude());
    let thread = section(&pack, SectionId::ThreadInheritance).unwrap();
    assert!(thread.ends_with("[User]\nat the root\n\n[Codex · codex]\nroot answer\n\n[User]\nin the middle"));
}

#[test]
fn an_active_plan_makes_the_mode_standard() {
    let mut talk = two_agents();
    assert_eq!(talk.pack(&claude()).report.mode_reason, ModeReason::Default);
    talk.write(&[StoreWrite::PutPlan(Box::new(plan("")))]);
    let report = talk.pack(&claude()).report;
    assert_eq!((report.mode, report.mode_reason), (Mode::Standard, ModeReason::HasPlan));
}

#[test]
fn a_message_in_the_window_is_told_once() {
    let mut talk = two_agents();
    talk.user("We take JWT. That is final.");
    let said = 100 + talk.next_seq - 1;
    talk.write(&[
        StoreWrite::PutAgreement(agreement(701, 2, "We take JWT. That is final.", Some(said))),
        StoreWrite::PutTopic(topic(501, 2, "Tokens", &[101, said])),
        StoreWrite::PutTopic(topic(502, 2, "Tables", &[101, 99_999])),
        StoreWrite::PutAgreement(agreement(702, 2, "Written down by hand.", None)),
    ]);
    let mut spec = full();
    spec.found.retrieval = vec![hit(70, "We take JWT.", &[said])];
    let pack = talk.pack(&spec);
    assert_eq!(pack.text().matches("We take JWT").count(), 1);
    assert!(section(&pack, SectionId::Agreements).unwrap().contains("Written down"));
    assert!(!pack.text().contains("Topic: Tokens") && pack.text().contains("Topic: Tables (planning)"));
    assert_eq!(why(&pack, SectionId::Retrieval), "all of it is told already");

    // Far back, where the window ends, the agreement speaks for the message.
    talk.chatter(400, &"small talk about this and that ".repeat(10));
    let pack = talk.pack(&spec);
    assert_eq!(pack.text().matches("We take JWT. That is final.").count(), 1);
    assert!(section(&pack, SectionId::Agreements).unwrap().contains("We take JWT"));
    assert!(section(&pack, SectionId::Retrieval).is_some());
    assert!(pack.text().contains("Topic: Tokens"));
}

#[test]
fn an_agreement_of_a_linked_conversation_is_told_once() {
    let talk = rich();
    let mut spec = full();
    let pack = talk.pack(&spec);
    assert_eq!(pack.text().matches("Cookies, not tokens.").count(), 1);
    assert!(section(&pack, SectionId::Agreements).unwrap().contains("Cookies, not tokens."));
    spec.seat.mode = Some(Mode::Lite);
    let pack = talk.pack(&spec);
    assert!(section(&pack, SectionId::CrossSession).unwrap().contains("Decided: Cookies, not tokens."));
    assert!(
        !section(&pack, SectionId::Agreements).unwrap().contains("plain words"),
        "Lite: of this talk alone"
    );
}

#[test]
fn links_never_lead_out_of_the_project() {
    let mut talk = rich();
    let like = talk.db.project(ProjectId(1)).unwrap().unwrap();
    let secret = other(6, 5, None, &talk);
    talk.write(&[
        StoreWrite::PutProject(Project { id: ProjectId(5), path: "/home/ana/secret".into(), ..like }),
        StoreWrite::PutConversation(secret),
        StoreWrite::PutLink(Link {
            conversation: ConversationId(2),
            linked: ConversationId(6),
            made_by: MadeBy::Hand,
            created_ms: 0,
        }),
    ]);
    talk.elsewhere(6, agent("Codex"), "SECRET of another project");
    let text = talk.pack(&full()).text();
    assert!(!text.contains("SECRET") && !text.contains("Talk number 6"));
    assert!(text.contains("Linked last word: use cookies."));
}

/// The window said that an adopted branch is not found from elsewhere, and its words went out all the same.
#[test]
fn a_link_does_not_lead_into_a_branch_that_is_kept_apart() {
    let mut talk = rich();
    let mut branch = other(4, 1, None, &talk);
    let mut told = |shared| {
        let facts = BranchFacts { shared, ..BranchFacts::default() };
        branch.branch = Some(Branch { parent: ConversationId(2), checkpoint: None, facts });
        talk.write(&[StoreWrite::PutConversation(branch.clone())]);
        talk.pack(&full()).text().contains("Linked last word: use cookies.")
    };
    assert_eq!([None, Some(true), Some(false)].map(&mut told), [true, true, false]);
}

#[test]
fn a_hint_of_an_open_branch_is_told_only_when_the_user_says_so() {
    let mut talk = rich();
    let mut branch = other(7, 1, None, &talk);
    branch.title = "Magic links".into();
    let mut told = |hint, hint_told, archived| {
        let gist = Some("Take magic links.".to_owned());
        let facts = BranchFacts { hint, hint_told, gist, ..BranchFacts::default() };
        branch.branch = Some(Branch { parent: ConversationId(2), checkpoint: None, facts });
        branch.archived = archived;
        talk.write(&[StoreWrite::PutConversation(branch.clone())]);
        talk.pack(&full()).text().contains("leans to: Take magic links.")
    };
    for (hint, hint_told, archived, expected) in [
        (false, false, false, false),
        (true, false, false, false),
        (true, true, false, true),
        (true, true, true, false),
        (false, true, false, false),
    ] {
        assert_eq!(told(hint, hint_told, archived), expected, "{hint} {hint_told} {archived}");
    }
}

#[test]
fn pull_sends_a_line_and_promises_nothing() {
    let talk = rich();
    let mut spec = full();
    spec.seat.supply = Supply::Pull;
    let pack = talk.pack(&spec);
    let expected = [
        (SectionId::Retrieval, "## Retrieval\n\nNot sent: 1 past passage: “Other talk”. Ask the user"),
        (
            SectionId::CompressedMemory,
            "## Compressed memory\n\nNot sent: 1 memory topic: “Storage”. Ask the user",
        ),
        (SectionId::Skills, "## Skills\n\nNot sent: 1 skill: “axum”. Ask the user"),
        (SectionId::CrossSession, "Not sent: 1 linked conversation: “Talk number 4”. Ask the user"),
    ];
    for (id, start) in expected {
        let text = section(&pack, id).unwrap();
        assert!(text.contains(start) && text.chars().count() < 200, "{text}");
    }
    assert!(section(&pack, SectionId::Plan).unwrap().contains("Session"), "what is always told stays whole");
    // Told more from now on: the line in the session does not stand for the text.
    spec.held = Some(held_by(&pack, &talk));
    assert!(talk.pack(&spec).sections.is_empty());
    spec.seat.supply = Supply::Hybrid;
    let pack = talk.pack(&spec);
    assert!(section(&pack, SectionId::CompressedMemory).unwrap().contains("### Topic: Storage (planning)"));
}

#[test]
fn push_tells_memory_in_lite_mode_too() {
    let talk = rich();
    let mut spec = full();
    spec.seat.mode = Some(Mode::Lite);
    assert!(section(&talk.pack(&spec), SectionId::CompressedMemory).is_none());
    spec.seat.supply = Supply::Push;
    let pack = talk.pack(&spec);
    let memory =
        "## Compressed conversation memory\n### Topic: Storage (planning)\nAlice (claude): Storage first";
    assert!(section(&pack, SectionId::CompressedMemory).unwrap().starts_with(memory));
    assert!(section(&pack, SectionId::Retrieval).is_some());
}

#[test]
fn a_session_that_heard_all_needs_no_memory_of_it() {
    let mut talk = two_agents();
    let mut spec = full();
    let first = talk.pack(&spec);
    spec.held = Some(held_by(&first, &talk));
    talk.write(&[StoreWrite::PutTopic(topic(501, 2, "Storage", &[50]))]);
    assert_eq!(why(&talk.pack(&spec), SectionId::CompressedMemory), "held by the session");

    // One that began when much had been said already had not.
    let mut long = Talk::new();
    long.chatter(300, &"words ".repeat(100));
    let mut spec = full();
    let first = long.pack(&spec);
    spec.held = Some(held_by(&first, &long));
    long.write(&[StoreWrite::PutTopic(topic(501, 2, "Storage", &[50]))]);
    assert!(section(&long.pack(&spec), SectionId::CompressedMemory).is_some());
}

#[test]
fn boilerplate_is_short() {
    let mut talk = two_agents();
    talk.agent("Gemini", "I looked at it.").agent("OpenCode", "So did I.");
    let mut spec = claude();
    spec.seat.role = Some("Reviewer".to_owned());
    spec.role_text = Some("ROLE".to_owned());
    spec.seat.persona = Some("PERSONA".to_owned());
    let pack = talk.pack(&spec);
    let fixed = pack.sections.iter().filter(|section| section.id <= SectionId::Participants);
    let length: usize = fixed.map(|section| section.text.chars().count()).sum();
    assert!(length <= 1_500, "{length}");
}

#[test]
fn a_plan_document_with_an_open_fence_swallows_nothing() {
    for document in [
        "# Plan\n\n```rust\nfn a() {".to_owned(),
        format!("# Plan\n\n~~~~\n{}", "line of code\n".repeat(3_000)),
        format!("```\n{}\n", "가나다 ".repeat(5_000)),
    ] {
        let mut talk = rich();
        talk.write(&[StoreWrite::PutPlan(Box::new(plan(&document)))]);
        for budget_chars in [6_000, 12_000, 60_000] {
            let mut spec = full();
            spec.budget_chars = budget_chars;
            let pack = talk.pack(&spec);
            for section in &pack.sections {
                let mut open: Option<&str> = None;
                for line in section.text.lines() {
                    let fence = line.trim_start();
                    let run = fence.len() - fence.trim_start_matches(['`', '~']).len();
                    let marks = fence.get(..run).unwrap();
                    open = match open {
                        None if marks.len() >= 3 => Some(marks),
                        Some(mark) if marks.starts_with(mark) && marks == fence => None,
                        open => open,
                    };
                }
                assert_eq!(open, None, "{:?} at {budget_chars}: {}", section.id, section.text);
            }
        }
    }
}

#[test]
fn with_a_long_plan_document_lighter_sections_give_way() {
    let mut talk = rich();
    let passages = |count: usize| {
        let code = "let total = price * count;\n".repeat(40);
        (0..count).map(|_| passage(&code)).collect::<Vec<_>>()
    };
    talk.chatter(40, &"what we said about the shop ".repeat(20));
    let shares = |talk: &Talk, budget_chars: u32| -> BTreeMap<SectionId, (u32, u32)> {
        let mut spec = full();
        spec.budget_chars = budget_chars;
        spec.found.code = Some(CodeFound { passages: passages(4), ..CodeFound::default() });
        spec.found.skills =
            vec![skill("login", &"## Login\n\nUse the form and its cookie well.\n\n".repeat(60))];
        let report = talk.pack(&spec).report;
        report.sections.iter().map(|line| (line.id, (line.budget_chars, line.chars))).collect()
    };
    let before = shares(&talk, 20_000);
    talk.write(&[StoreWrite::PutPlan(Box::new(plan(&"A paragraph of the plan.\n\n".repeat(600))))]);
    let after = shares(&talk, 20_000);
    eprintln!("section: budget with a short plan document, with a long one");
    for (id, (budget, _)) in &before {
        eprintln!("{:<22} {budget:>6} {:>6}", id.label(), after.get(id).map_or(0, |(budget, _)| *budget));
    }
    let of = |shares: &BTreeMap<SectionId, (u32, u32)>, id| shares.get(&id).map_or(0, |(budget, _)| *budget);
    assert!(of(&after, SectionId::PlanDocument) > of(&before, SectionId::PlanDocument) + 1_000);
    for id in [SectionId::CodeSearch, SectionId::Skills, SectionId::Recent] {
        assert!(of(&after, id) < of(&before, id), "{id:?} gives way");
    }
    for (id, (budget, _)) in &before {
        assert!(
            *id == SectionId::PlanDocument || of(&after, *id) <= *budget,
            "{id:?} gained by a longer plan"
        );
    }
    // Without code there is more for the others, and nothing is left lying.
    let mut spec = full();
    spec.budget_chars = 20_000;
    let without = talk.pack(&spec).report;
    let recent = without.sections.iter().find(|line| line.id == SectionId::Recent).unwrap();
    assert!(recent.budget_chars > of(&after, SectionId::Recent));
}

#[test]
fn korean_and_english_get_equal_room_everywhere() {
    let told = |ch: &str| {
        let mut talk = Talk::new();
        for _ in 0..30 {
            talk.user(&ch.repeat(900));
        }
        let document = format!("{}\n\n", ch.repeat(300)).repeat(40);
        talk.write(&[StoreWrite::PutPlan(Box::new(plan(&document)))]);
        for at in 0..12 {
            talk.write(&[StoreWrite::PutAgreement(agreement(700 + at, 2, &ch.repeat(400), None))]);
            talk.write(&[StoreWrite::PutFinding(finding(800 + at, &ch.repeat(200), true))]);
        }
        let mut spec = claude();
        spec.budget_chars = 20_000;
        let report = talk.pack(&spec).report;
        report
            .sections
            .iter()
            .map(|line| (line.id, line.chars, line.budget_chars, line.cut.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(told("가"), told("a"));
}

#[test]
fn what_cannot_be_read_is_a_line_and_never_a_failed_pack() {
    for (table, ids) in [
        ("plan", &[SectionId::Plan, SectionId::PlanDocument][..]),
        ("finding", &[SectionId::Findings]),
        ("agreement", &[SectionId::Agreements]),
        ("artifact", &[SectionId::Artifacts]),
        ("topic", &[SectionId::CompressedMemory]),
        ("link", &[SectionId::CrossSession]),
        ("project", &[SectionId::Project]),
    ] {
        let talk = rich();
        let other = rusqlite::Connection::open(talk.dir.path().join("tunaflow.db")).unwrap();
        other
            .execute_batch(&format!("PRAGMA foreign_keys = OFF; ALTER TABLE \"{table}\" RENAME TO gone"))
            .unwrap();
        let pack = talk.pack(&full());
        for id in ids {
            assert!(why(&pack, *id).starts_with("could not be read"), "{table}: {:?}", pack.report.left_out);
        }
        assert!(section(&pack, SectionId::Recent).unwrap().contains("All pass."), "{table}");
    }
}

#[test]
fn odd_knowledge_gives_sane_packs() {
    let odd = [
        "",
        " \n ",
        "👩‍👩‍👧‍👦🇰🇷👍🏽",
        "שלום עולם\u{202e} مرحبا",
        "```\nopen",
        "## Heading\n\n---\n\nask",
        "\u{0}\u{7}",
    ];
    for text in odd {
        let mut talk = two_agents();
        talk.write(&[
            StoreWrite::PutPlan(Box::new(plan(text))),
            StoreWrite::PutFinding(finding(801, text, true)),
            StoreWrite::PutAgreement(agreement(701, 2, text, None)),
            StoreWrite::PutArtifact(Box::new(artifact(601, text, text))),
            StoreWrite::PutTopic(topic(501, 2, text, &[])),
        ]);
        for budget_chars in [0, 50, 700, 2_000, 4_100, 20_000, 400_000] {
            let mut spec = full();
            spec.budget_chars = budget_chars;
            spec.found.graph = Some(text.to_owned());
            spec.found.retrieval = vec![hit(1, text, &[])];
            spec.found.code = Some(CodeFound { passages: vec![passage(text)], ..CodeFound::default() });
            spec.found.skills = vec![skill(text, text)];
            let pack = talk.pack(&spec);
            assert_eq!(pack.sections.len() + pack.report.left_out.len(), 18, "{:?}", pack.report.left_out);
            for section in &pack.sections {
                assert!(!section.text.trim().is_empty());
            }
        }
    }
}

#[test]
fn a_broken_skill_is_told_of() {
    let text = "---\nname: [broken\nno end of it";
    let broken = skills::skill_of("/skills/odd".into(), SkillOrigin::Project, text, false);
    assert!(broken.problem.is_some());
    let mut spec = full();
    spec.found.skills = vec![skills::skill_doc(broken, text, vec!["cut at 256 KB".to_owned()])];
    let pack = rich().pack(&spec);
    let notes: Vec<&str> = pack
        .report
        .notes
        .iter()
        .filter(|note| note.id == SectionId::Skills)
        .map(|note| note.text.as_str())
        .collect();
    assert!(notes.iter().any(|note| note.contains("cut at 256 KB")), "{notes:?}");
    assert!(section(&pack, SectionId::Recent).is_some());
}

#[test]
fn a_project_without_git_or_stack_is_named_all_the_same() {
    let mut spec = claude();
    spec.git_branch = None;
    spec.detected_stack.clear();
    let pack = Talk::new().pack(&spec);
    let project = section(&pack, SectionId::Project).unwrap();
    assert!(!project.contains("Git") && !project.contains("Stack") && project.contains("shop"));
}

#[test]
fn notes_of_slow_sources_are_lines_in_the_report() {
    let pack = rich().pack(&full());
    let notes: Vec<(SectionId, &str)> =
        pack.report.notes.iter().map(|note| (note.id, note.text.as_str())).collect();
    assert!(notes.contains(&(SectionId::CodeSearch, "stopped after 1500 ms, 7 files not read")), "{notes:?}");
    assert!(notes.contains(&(SectionId::CodeGraph, "asked within 300 ms")));
    let plan = line(&pack, SectionId::Plan).unwrap();
    assert!(plan.want_chars == plan.chars && plan.cut.is_empty());
    assert_eq!(plan.source_ids, [900]);
}

#[test]
fn the_demo_names_every_section() {
    let pack = rich().pack(&full());
    let sent = render(&pack, "hello", false, true).user;
    let told = tunaflow::engine::demo::sections(sent.rsplit_once(SEPARATOR).unwrap().0);
    let headings: Vec<&str> = told.iter().map(|(heading, _)| heading.as_str()).collect();
    let expected: Vec<&str> = pack
        .sections
        .iter()
        .map(|section| section.text.lines().next().unwrap().trim_start_matches("## "))
        .collect();
    assert_eq!(headings, expected);
}

#[test]
fn every_engine_is_told_the_same_of_all_sections() {
    let talk = rich();
    let hash = |engine: &str, name: &str| {
        let mut spec = full();
        spec.seat.engine = tunaflow::model::engine::EngineId::new(engine);
        spec.seat.engine_name = name.to_owned();
        assemble(&spec, &Sources { db: &talk.db }).unwrap().report.parity_hash
    };
    assert_eq!(hash("claude", "Claude Code"), hash("openai:local", "A local server with a long name"));
}

/// Talks of many kinds, made once: reading them is what is tried again and again.
fn talks() -> Vec<(Talk, Vec<(String, String)>)> {
    let named = |name: &str, text: &str| (format!("[{name}]"), text.to_owned());
    let mut long_plan = rich();
    long_plan.write(&[StoreWrite::PutPlan(Box::new(plan(&"A paragraph of the plan.\n\n".repeat(300))))]);
    let mut many = Talk::new();
    let mut last = Vec::new();
    for (at, length) in [30_usize, 700, 2_500, 6_000].into_iter().enumerate() {
        let (name, text) = (format!("Agent {at}"), format!("{}.", "마지막 말 word ".repeat(length / 12)));
        many.agent(&name, "an earlier word").agent(&name, &text);
        last.push(named(&format!("{name} · codex"), &text));
    }
    many.chatter(30, "small talk about the shop");
    last.push(named("Codex · codex", "small talk about the shop 29"));
    let mut chatter = two_agents();
    chatter.chatter(60, &"many words about the checkout ".repeat(10));
    for at in 0..20 {
        let said = Some(101 + at);
        chatter.write(&[StoreWrite::PutAgreement(agreement(700 + at, 2, "We agree on that much.", said))]);
        chatter.write(&[StoreWrite::PutTopic(topic(500 + at, 2, "Checkout", &[120 + at * 2, 121 + at * 2]))]);
    }
    let architect = named("Architect Claude · claude · Architect", "# Plan\n\n1. Form\n2. Session\n3. Tests");
    let chatted = format!("{} 59", "many words about the checkout ".repeat(10));
    vec![
        (rich(), vec![architect.clone()]),
        (long_plan, vec![architect.clone()]),
        (many, last),
        (chatter, vec![architect, named("Codex · codex", &chatted)]),
        (Talk::new(), Vec::new()),
    ]
}

/// Over whole assemblies: the cap holds, every section is told of, each agent's last word is there, unshortened
/// unless all of them together exceed the room.
#[test]
fn any_pack_keeps_its_promises() {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    let talks = talks();
    let cases = (0..talks.len(), 0_u32..70_000, 0_usize..4, 0_usize..3, any::<bool>(), any::<bool>());
    let mut runner =
        TestRunner::new(Config { cases: 10_000, failure_persistence: None, ..Config::default() });
    let checked = runner.run(&cases, |(which, budget_chars, mode, supply, with_found, with_held)| {
        let (talk, last_words) = &talks[which];
        let mut spec = full();
        spec.budget_chars = budget_chars;
        spec.seat.mode = Mode::ALL.get(mode).copied();
        spec.seat.supply = Supply::ALL[supply];
        if !with_found {
            spec.found = Found::default();
        }
        if with_held {
            let sections = [(SectionId::Plan, "another".to_owned())].into();
            spec.held = Some(Held { delivered_seq: talk.next_seq, fixed_hash: "x".to_owned(), sections });
        }
        let pack = assemble(&spec, &Sources { db: &talk.db }).unwrap();
        let length = |text: &str| text.chars().count();
        prop_assert!(length(&pack.text()) <= budget_chars as usize);
        prop_assert_eq!(pack.sections.len() + pack.report.left_out.len(), 18);
        for line in &pack.report.sections {
            prop_assert!(line.chars <= line.budget_chars, "{:?}", line);
        }
        let fixed = pack.sections.iter().filter(|section| section.id <= SectionId::Participants);
        let taken: usize = fixed.map(|section| length(&section.text)).sum();
        let needed: usize = last_words.iter().map(|(name, text)| length(name) + length(text) + 40).sum();
        if !with_held && taken + needed + 1_500 + 200 <= budget_chars as usize {
            let recent = section(&pack, SectionId::Recent).unwrap_or_default();
            for (name, text) in last_words {
                prop_assert!(
                    recent.contains(&format!("{name}\n{text}")),
                    "{} at {}: {}\n{:?}",
                    name,
                    budget_chars,
                    recent,
                    pack.report
                );
            }
        }
        Ok(())
    });
    checked.unwrap();
}

fn passage_of(path: &str, text: &str) -> CodePassage {
    CodePassage { path: path.to_owned(), ..passage(text) }
}

fn with_passages(passages: Vec<CodePassage>) -> PackSpec {
    let mut spec = full();
    spec.found.code = Some(CodeFound { passages, ..CodeFound::default() });
    spec
}

const LONG_CODE: &str = "fn login(name: &str, password: &str) -> Session {\n    let user = find(name);\n    check(user, password)\n}";

#[test]
fn code_that_the_pack_shows_already_is_told_once() {
    let mut talk = rich();
    talk.agent(
        "Codex",
        &format!("This is it:\n\n- so far\n\n  ```rust\n  {}\n  ```", LONG_CODE.replace('\n', "\n  ")),
    );
    let other = "fn logout(session: Session) {\n    session.end();\n    forget_the_cookie_of(session)\n}";
    let spec = with_passages(vec![passage(LONG_CODE), passage_of("src/logout.rs", other)]);
    let pack = talk.pack(&spec);
    let code = section(&pack, SectionId::CodeSearch).unwrap();
    assert!(code.contains("fn logout") && !code.contains("fn login"), "{code}");
    let note = pack.report.notes.iter().find(|note| note.id == SectionId::CodeSearch).unwrap();
    assert_eq!(note.text, "1 left out: told already");
    let report = line(&pack, SectionId::CodeSearch).unwrap();
    assert_eq!(report.want_chars, report.chars);

    // The same in the plan's document, and in the request itself.
    let mut talk = rich();
    talk.write(&[StoreWrite::PutPlan(Box::new(plan(&format!("# Login\n\n```\n{LONG_CODE}\n```\n"))))]);
    let pack = talk.pack(&spec);
    assert!(!section(&pack, SectionId::CodeSearch).unwrap().contains("fn login"));
    let mut asked = with_passages(vec![passage(LONG_CODE)]);
    asked.prompt = format!("Why does this fail?\n```\n{LONG_CODE}\n```");
    let pack = rich().pack(&asked);
    assert!(section(&pack, SectionId::CodeSearch).is_none(), "{:?}", section(&pack, SectionId::CodeSearch));
    // Where nobody shows it whole, it is told.
    let pack = rich().pack(&spec);
    assert!(section(&pack, SectionId::CodeSearch).unwrap().contains("fn login"));
}

#[test]
fn a_skill_is_not_told_again_as_code() {
    let talk = rich();
    let folder = talk.db.project(ProjectId(1)).unwrap().unwrap().path;
    let mut spec = with_passages(vec![
        passage_of("skills/axum/SKILL.md", "# Axum\n\nRoutes."),
        passage_of("src/login.rs", LONG_CODE),
    ]);
    spec.found.skills[0].skill.dir = folder.join("skills/axum");
    let first = talk.pack(&spec);
    let code = |pack: &ContextPack| section(pack, SectionId::CodeSearch).unwrap_or_default().to_owned();
    assert!(code(&first).contains("src/login.rs") && !code(&first).contains("SKILL.md"));
    // A session that holds the skill is not told it as code either.
    let mut next = spec.clone();
    next.held = Some(held_by(&first, &talk));
    let found = next.found.code.as_mut().unwrap();
    found.passages[1] = passage_of("src/new.rs", "fn new_code() {}");
    let pack = talk.pack(&next);
    assert_eq!(why(&pack, SectionId::Skills), "held by the session");
    assert!(code(&pack).contains("src/new.rs") && !code(&pack).contains("SKILL.md"), "{}", code(&pack));
    // A skill of which only a line is sent says nothing of it.
    spec.seat.supply = Supply::Pull;
    assert!(code(&talk.pack(&spec)).contains("SKILL.md"));
}

#[test]
fn what_is_told_whole_wants_what_it_gets() {
    let talk = rich();
    let pack = talk.pack(&full());
    for report in pack.report.sections.iter().filter(|report| report.cut.is_empty()) {
        let figures = (report.chars, report.budget_chars, report.want_chars);
        assert_eq!(figures, (report.chars, report.chars, report.chars), "{:?}", report.id);
    }
}

#[test]
fn a_pinned_artifact_is_previewed_however_long_it_is() {
    let mut talk = rich();
    let long = format!("\n\n{}", "가나다라 ".repeat(100_000));
    talk.write(&[StoreWrite::PutArtifact(Box::new(artifact(602, "Long", &long)))]);
    let pack = talk.pack(&full());
    let text = section(&pack, SectionId::Artifacts).unwrap();
    assert!(text.contains("가나다라 가나다라") && text.contains("more characters of it"), "{text}");
    let left: usize = text
        .lines()
        .find_map(|line| line.strip_prefix("… ")?.strip_suffix(" more characters of it"))
        .unwrap()
        .replace(',', "")
        .parse()
        .unwrap();
    assert!((499_500..=499_700).contains(&left), "{left}");
}

#[test]
fn a_session_hears_that_what_it_was_told_is_over() {
    let mut talk = two_agents();
    talk.write(&[
        StoreWrite::PutFinding(finding(801, "the login form does not escape names", true)),
        StoreWrite::PutAgreement(agreement(701, 2, "Sessions live for a day.", None)),
        StoreWrite::PutArtifact(Box::new(artifact(601, "Session table", "| id | user |"))),
    ]);
    let mut spec = full();
    let first = talk.pack(&spec);
    let mut settled = finding(801, "", false);
    settled.body = FindingBody { text: "something else entirely".to_owned(), ..FindingBody::default() };
    let mut loose = artifact(601, "Session table", "| id | user |");
    loose.pinned = false;
    talk.write(&[
        StoreWrite::PutFinding(settled),
        StoreWrite::RemoveAgreement(AgreementId(701)),
        StoreWrite::PutArtifact(Box::new(loose)),
    ]);
    spec.held = Some(held_by(&first, &talk));
    spec.found.skills.clear();
    // Skills that could not be read in time are not taken for switched off.
    spec.found.notes.push((SectionId::Skills, "not read within 1000 ms".to_owned()));
    let pack = talk.pack(&spec);
    let said = [
        (SectionId::Findings, Some("## Findings of reviews\n\nNone is open any more.")),
        (
            SectionId::Agreements,
            Some("## Already decided\n\nThe decisions that were told earlier no longer hold."),
        ),
        (SectionId::Artifacts, Some("## Pinned artifacts\n\nNone is pinned any more.")),
        (SectionId::Skills, None),
    ];
    for (id, text) in said {
        assert_eq!(section(&pack, id), text);
    }
    // It is said once.
    spec.held = Some(held_by(&pack, &talk));
    spec.found.notes.clear();
    let pack = talk.pack(&spec);
    assert_eq!(section(&pack, SectionId::Agreements), None);
    assert_eq!(section(&pack, SectionId::Skills), Some("## Skills\n\nNone is switched on any more."));
}
