//! A pack of many sections arrives as it was packed, to the last character.

use tunaflow::api::command::{ChatCommand, KnowledgeCommand};
use tunaflow::context::render;
use tunaflow::model::id::{AgreementId, ArtifactId, FindingId, PlanId};
use tunaflow::model::pack::{Mode, SectionId};

use super::{Bench, count_in};
use crate::pack_sections::{agreement, artifact, finding, plan};
use crate::support::clis::Engine;
use crate::support::model_server::digest_line;

const DOCUMENT: &str = "# 로그인\n\n- 세션은 하루 동안 유지됩니다 👩\u{200d}💻\n- \"quoted\" $HOME `x` <tag> & {{brace}}\n\n```rust\nfn a() {";

/// Lays out plan, finding, agreement, artifact and skill, and asks for the code as well.
fn furnish(bench: &Bench) -> tunaflow::model::id::ConversationId {
    let folder = bench.app.project_folder();
    std::fs::create_dir_all(folder.join("skills/axum")).unwrap();
    std::fs::create_dir_all(folder.join("src")).unwrap();
    std::fs::write(folder.join("src/login.rs"), "pub fn check_login() -> bool {\n    true\n}\n").unwrap();
    let skill = "---\nname: axum\ndescription: Routing with axum.\n---\n## Route\n\nNest the routers. 라우터를 겹칩니다.\n";
    std::fs::write(folder.join("skills/axum/SKILL.md"), skill).unwrap();
    let id = bench.conversation();
    let row = bench.app.view(id).row.clone();
    let (project, mut seat) = (row.conversation.project, row.conversation.seat.clone());
    seat.mode = Some(Mode::Full);
    bench.app.send(ChatCommand::SetSeat { conversation: id, seat });
    let mut plan = plan(DOCUMENT);
    (plan.id, plan.project, plan.conversation) = (PlanId(0), project, Some(id));
    let mut finding = finding(0, "the login form does not escape names", true);
    (finding.id, finding.project) = (FindingId(0), project);
    let mut agreement = agreement(0, id.0, "세션은 하루 동안 유지됩니다.", None);
    (agreement.id, agreement.project) = (AgreementId(0), project);
    let mut artifact = artifact(0, "Session table", "| id | user |\n|---|---|");
    (artifact.id, artifact.project) = (ArtifactId(0), project);
    bench.app.send(KnowledgeCommand::PutPlan(Box::new(plan)));
    bench.app.send(KnowledgeCommand::PutFinding(Box::new(finding)));
    bench.app.send(KnowledgeCommand::PutAgreement(Box::new(agreement)));
    bench.app.send(KnowledgeCommand::PutArtifact(Box::new(artifact)));
    let (skill, on) = ("axum".to_owned(), Some(true));
    bench.app.send(KnowledgeCommand::SwitchSkill { project, conversation: None, skill, on });
    id
}

fn arrives(engine: Engine) {
    let Some(bench) = Bench::start(engine) else { return };
    let id = furnish(&bench);
    let prompt = "Fix `fn check_login` in src/login.rs with axum routing\n---\nkestrel-six ECHO";
    let said = bench.said(id, prompt);
    let pack = bench.sent_pack(id);
    for wanted in [
        SectionId::Plan,
        SectionId::PlanDocument,
        SectionId::Findings,
        SectionId::Agreements,
        SectionId::Artifacts,
        SectionId::Skills,
        SectionId::CodeSearch,
    ] {
        assert!(pack.sections.iter().any(|section| section.id == wanted), "{wanted:?}: {:?}", pack.report);
    }
    let apart = engine == Engine::Claude;
    let sent = render(&pack, prompt, apart, true);
    let request = bench.last_request();
    assert!(request.user_text == sent.user, "{engine:?} changed the text");
    assert!(said.contains(&digest_line("user", &sent.user)), "{engine:?}: {said}");
    assert_eq!(sent.system.is_some(), apart);
    if let Some(system) = &sent.system {
        assert!(request.system_text.contains(system), "the system prompt lacks what was sent");
        assert!(said.contains(&digest_line("system", &request.system_text)), "{said}");
    }

    // The session holds them: none is told again, and the model still reads each once.
    bench.said(id, prompt);
    let report = bench.app.view(id).turn.as_ref().unwrap().report.clone().unwrap();
    assert!(report.sections.is_empty(), "{engine:?}: {report:?}");
    let request = bench.last_request();
    for section in &pack.sections {
        assert_eq!(count_in(&request, &section.text), 1, "{engine:?}: {:?}", section.id);
    }
}

#[test]
fn all_sections_reach_claude() {
    arrives(Engine::Claude);
}

#[test]
fn all_sections_reach_codex() {
    arrives(Engine::Codex);
}
