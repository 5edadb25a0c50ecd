//! What a project keeps, made by hand: plans, findings, agreements, artifacts, links, skills, profiles.

use std::path::PathBuf;
use std::sync::Arc;

use crate::api::snapshot::{KnowledgeView, Offers, PackView, Snapshot};
use crate::model::engine::EngineId;
use crate::model::id::{AgreementId, ArtifactId, ConversationId, FindingId, MessageId, PlanId, ProjectId};
use crate::model::knowledge::{
    Agreement, AgreementBody, Artifact, ArtifactBody, Finding, FindingBody, Link, MadeBy, Severity,
    SkillSwitch,
};
use crate::model::pack::{ContextPack, Mode, PackSection, SectionId, Supply};
use crate::model::plan::{Plan, PlanBody, PlanPhase, Subtask, SubtaskState};
use crate::model::project::{Draft, SeatChoice};
use crate::model::settings::Profile;
use crate::model::skill::{Skill, SkillList, SkillOrigin, SkillSuggestion};

use super::{NOW, SHOWN, change, chat, pack, show};

const PROJECT: ProjectId = ProjectId(1);

const DOCUMENT: &str = "# Grace window\n\nA retry from the same client within **10 seconds** gets the pair that was \
issued first.\n\n1. `grace_until` on the session row\n2. swap by generation\n\n```rust\nconst GRACE: Duration = \
Duration::from_secs(10);\n```\n";

fn step(number: u32, title: &str, state: SubtaskState, depends_on: &[u32]) -> Subtask {
    Subtask {
        number,
        title: title.into(),
        details: if number == 4 {
            "Two connections at once, so that the pool cannot hide it.".into()
        } else {
            String::new()
        },
        depends_on: depends_on.to_vec(),
        state,
    }
}

/// A plan as in the look.
#[must_use]
pub fn plan(id: i64, title: &str, active: bool) -> Plan {
    use SubtaskState as S;
    Plan {
        id: PlanId(id),
        project: PROJECT,
        conversation: Some(SHOWN),
        implementation: None,
        review: None,
        active,
        updated_ms: NOW.ms - id * 600_000,
        body: PlanBody {
            title: title.into(),
            description: "Refreshing a token twice within a second logs the user out.".into(),
            expected_outcome: "A retry from the same client within 10 seconds gets the first pair.".into(),
            subtasks: vec![
                step(1, "Column grace_until", S::Done, &[]),
                step(2, "Swap by generation", S::Done, &[1]),
                step(3, "Return the first pair", S::InProgress, &[2]),
                step(4, "Test two writers", S::Todo, &[2, 3]),
                step(5, "Note in CHANGELOG", S::Dropped, &[]),
            ],
            constraints: vec!["The public API of session.rs stays as it is.".into()],
            non_goals: vec!["No new dependency.".into()],
            phase: if active { PlanPhase::Implementation } else { PlanPhase::Drafting },
            version: 3,
            created_ms: NOW.ms - 9_000_000,
        },
        document: DOCUMENT.into(),
    }
}

fn finding(id: i64, text: &str, severity: Severity, open: bool) -> Finding {
    Finding {
        id: FindingId(id),
        project: PROJECT,
        plan: Some(PlanId(1)),
        open,
        updated_ms: NOW.ms - id * 300_000,
        body: FindingBody {
            text: text.into(),
            severity,
            file: Some("src/auth/session.rs".into()),
            line: Some(88 + u32::try_from(id).unwrap_or_default()),
            subtask: Some(4),
            resolution: if open { String::new() } else { "The pool is given two connections.".into() },
            created_ms: 0,
        },
    }
}

fn agreement(id: i64, text: &str, conversation: Option<ConversationId>, made_by: MadeBy) -> Agreement {
    let body = AgreementBody { text: text.into(), made_by, message: Some(MessageId(2)), created_ms: 0 };
    Agreement {
        id: AgreementId(id),
        project: PROJECT,
        conversation,
        updated_ms: NOW.ms - id * 86_400_000,
        body,
    }
}

fn artifact(id: i64, title: &str, language: &str, pinned: bool) -> Artifact {
    Artifact {
        id: ArtifactId(id),
        project: PROJECT,
        conversation: Some(SHOWN),
        pinned,
        updated_ms: NOW.ms - id * 3_600_000,
        body: ArtifactBody {
            title: title.into(),
            language: language.into(),
            message: Some(MessageId(2)),
            created_ms: 0,
        },
        text: "UPDATE sessions SET generation = generation + 1 WHERE id = $1 AND generation = $2;\n"
            .repeat(6),
    }
}

fn skill(name: &str, description: &str, origin: SkillOrigin, problem: Option<&str>) -> Skill {
    Skill {
        name: name.into(),
        description: description.into(),
        dir: PathBuf::from(match origin {
            SkillOrigin::Project => format!("/home/kim/code/harbor-api/.claude/skills/{name}"),
            SkillOrigin::User => format!("/home/kim/.claude/skills/{name}"),
        }),
        origin,
        problem: problem.map(Into::into),
    }
}

fn skills() -> Vec<Skill> {
    use SkillOrigin::{Project, User};
    let mut all = vec![
        skill("axum", "Handlers, extractors, middleware and tests of axum services.", Project, None),
        skill("commit-style", "How commits of this project are written.", Project, None),
        skill(
            "sqlx",
            "Queries checked at compile time, migrations, pools and transactions with sqlx.",
            User,
            None,
        ),
        skill("release", "", User, Some("Its front matter names no description.")),
        skill("번역", "한국어 문서를 다듬고 번역할 때 지킬 것.", User, None),
    ];
    all.extend((0..40).map(|n| {
        skill(
            &format!("tool-{n:02}"),
            "One of many skills that cost nothing until they are used.",
            User,
            None,
        )
    }));
    all
}

/// A project that keeps some of everything.
#[must_use]
pub fn knowledge() -> KnowledgeView {
    let link = |linked: i64| Link {
        conversation: SHOWN,
        linked: ConversationId(linked),
        made_by: MadeBy::Hand,
        created_ms: NOW.ms - 7_200_000,
    };
    let switch = |conversation, skill: &str, on| SkillSwitch {
        project: PROJECT,
        conversation,
        skill: skill.into(),
        on,
    };
    KnowledgeView {
        project: Some(PROJECT),
        loading: false,
        error: None,
        plans: Arc::from([
            Arc::new(plan(1, "Grace window for token refresh", true)),
            Arc::new(plan(2, "Rate limits per tenant, with a burst allowance that survives restarts", false)),
        ]),
        findings: Arc::from([
            Arc::new(finding(1, "Test takes one connection from the pool", Severity::Critical, true)),
            Arc::new(finding(2, "Generation is compared as i32, stored as i64", Severity::Major, true)),
            Arc::new(finding(3, "Constant without a doc comment", Severity::Minor, true)),
            Arc::new(finding(4, "The test never runs two writers", Severity::Major, false)),
        ]),
        agreements: Arc::from([
            Arc::new(agreement(
                1,
                "Retries from the same client within 10 seconds get the first pair, not an error.",
                Some(SHOWN),
                MadeBy::Hand,
            )),
            Arc::new(agreement(2, "Errors are one enum per crate.", None, MadeBy::Roundtable)),
        ]),
        artifacts: Arc::from([
            Arc::new(artifact(1, "Swap by generation", "sql", true)),
            Arc::new(artifact(2, "Sequence of a refresh", "", false)),
        ]),
        links: Arc::from([link(13), link(16)]),
        skill_switches: Arc::from([switch(None, "commit-style", true), switch(Some(SHOWN), "sqlx", true)]),
        offers: Arc::new(Offers {
            looking: false,
            skills: SkillList { skills: skills(), notes: Vec::new() },
        }),
    }
}

/// Fills the base with what the name says.
pub fn fill(snap: &mut Snapshot, name: &str) {
    show(snap, chat(), None);
    let mut known = knowledge();
    match name {
        "project-empty" => {
            known = KnowledgeView { project: Some(PROJECT), ..KnowledgeView::default() };
        }
        "project-failed" => known.error = Some("The table plans is not readable: disk I/O error.".into()),
        "project-loading" => known.loading = true,
        "project-long" => {
            let title = |n: i64| {
                format!(
                    "Plan {n}: 토큰 갱신 경쟁을 없애고 첫 번째 쌍을 돌려주기, with everything that hangs on it"
                )
            };
            known.plans = (1..=60).map(|n| Arc::new(plan(n, &title(n), n == 1))).collect();
        }
        _ => {}
    }
    snap.knowledge = Arc::new(known);
    change(snap, |view| {
        view.suggestions = Arc::from([
            SkillSuggestion { name: "axum".into(), why: "the project uses Rust".into() },
            SkillSuggestion { name: "sqlx".into(), why: "the text names a migration".into() },
        ]);
    });
}

/// Three profiles of two engines, and the shown conversation in the first one's seat.
pub fn profiles(snap: &mut Snapshot) {
    let profile = |name: &str, engine: &str, role: &str, mode, supply| Profile {
        name: name.into(),
        engine: EngineId::new(engine),
        model: None,
        role: Some(role.into()),
        persona: (role == "Reviewer").then(|| "Skeptic".into()),
        mode,
        supply,
    };
    let all = vec![
        profile("Architect", "claude", "Architect", None, Supply::Hybrid),
        profile("Careful reviewer", "codex", "Reviewer", Some(Mode::Standard), Supply::Push),
        profile("Old one", "gone", "Developer", None, Supply::Hybrid),
    ];
    let seat = all.first().map(Profile::seat);
    let mut settings = (*snap.settings).clone();
    settings.profiles = all;
    snap.settings = Arc::new(settings);
    change(snap, |view| {
        let mut row = (*view.row).clone();
        row.conversation.seat = seat.unwrap_or_else(|| row.conversation.seat.clone());
        view.row = Arc::new(row);
    });
}

fn differing() -> ContextPack {
    let mut other = pack();
    for section in &mut other.sections {
        match section.id {
            SectionId::Identity => {
                section.text = "## Who you are\n\nYou are Codex, in the role of Architect.\nOthers are told apart by name.\nAnswer in the language of the question.".into();
            }
            SectionId::Recent => section.text.push_str("[user] And write the changelog entry.\n"),
            _ => {}
        }
    }
    other.sections.retain(|section| section.id != SectionId::Retrieval);
    other.report.hash = "71e0".repeat(16);
    other
}

/// The next message's pack and the one another engine would get.
pub fn compare(snap: &mut Snapshot) {
    let mut left = pack();
    if let Some(section) = left.sections.iter_mut().find(|section| section.id == SectionId::Identity) {
        *section = PackSection {
            id: SectionId::Identity,
            text: "## Who you are\n\nYou are Claude Code, in the role of Architect.\nOthers are told apart by name.\nAnswer in the language of the question.".into(),
        };
    }
    change(snap, |view| {
        let here = view.row.conversation.seat.clone();
        let other = SeatChoice { engine: EngineId::new("codex"), model: None, profile: None, ..here.clone() };
        let prompt = String::new();
        let shown = |seat, pack| PackView { turn: None, seat: Some(seat), prompt: prompt.clone(), pack };
        view.preview = Some(Arc::new(shown(here, left)));
        view.compared = Some(Arc::new(shown(other, differing())));
    });
}

/// A long text being written, and a pack near its budget.
pub fn typing(snap: &mut Snapshot) {
    change(snap, |view| {
        let mut pack = pack();
        pack.report.total_chars = 55_900;
        let shown = PackView { turn: None, seat: None, prompt: String::new(), pack };
        view.preview = Some(Arc::new(shown));
        let text = "갱신 경쟁을 재현하는 테스트를 먼저 써 줘. 두 연결을 동시에 열고, 같은 토큰으로 두 번 갱신해야 해.\n";
        view.draft = Arc::new(Draft::text(text.repeat(3).trim_end()));
    });
}
