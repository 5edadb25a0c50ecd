//! The project page, profiles, two contexts compared, and the meter: what each click sends.

use egui::{Key, Modifiers};
use tunaflow::api::command::{ChatCommand, Command, KnowledgeCommand, PackSource, SettingsCommand};
use tunaflow::model::id::{ConversationId, MessageId, PlanId, ProjectId};
use tunaflow::model::plan::{Plan, SubtaskState};
use tunaflow::model::project::{SeatChoice, TextKind};
use tunaflow::ui::route::{ProjectPage, Route, SettingsPage};
use tunaflow::ui::testing::SHOWN;

use super::bench::{Bench, SMALL};

fn known(bench: &mut Bench) -> Vec<KnowledgeCommand> {
    let sent = bench.sent().into_iter();
    sent.filter_map(|command| if let Command::Knowledge(command) = command { Some(command) } else { None })
        .collect()
}

fn put_plan(bench: &mut Bench) -> Plan {
    let mut plans = known(bench).into_iter().filter_map(|command| match command {
        KnowledgeCommand::PutPlan(plan) => Some(*plan),
        _ => None,
    });
    plans.next().expect("a plan was sent")
}

/// Runs a control with the keyboard, wherever it is scrolled to.
fn press(bench: &mut Bench, label: &str) {
    bench.focus(label);
    bench.key(Modifiers::NONE, Key::Enter);
}

#[test]
fn a_plan_is_written_by_hand() {
    let mut bench = Bench::of("project-empty");
    bench.click("New plan");
    assert!(bench.is_focused("Title of the plan"));
    bench.type_text("토큰 갱신 plan");
    bench.click("Add a step");
    bench.type_text("First step");
    bench.click("Add a step");
    bench.type_text("Second step");
    bench.click("Details of step 2");
    bench.click("1  First step");
    bench.click("Step 1: To do");
    bench.click("Done");
    bench.click("Save plan");
    let plan = put_plan(&mut bench);
    assert_eq!((plan.id, plan.project, plan.conversation), (PlanId(0), ProjectId(1), Some(SHOWN)));
    assert!(plan.active);
    assert_eq!(plan.body.title, "토큰 갱신 plan");
    let steps: Vec<(u32, &str, &[u32], SubtaskState)> = plan
        .body
        .subtasks
        .iter()
        .map(|step| (step.number, step.title.as_str(), step.depends_on.as_slice(), step.state))
        .collect();
    assert_eq!(
        steps,
        [(1, "First step", &[][..], SubtaskState::Done), (2, "Second step", &[1], SubtaskState::Todo)]
    );
}

#[test]
fn a_plan_without_a_title_is_not_sent_and_esc_keeps_what_was_typed() {
    let mut bench = Bench::of("project-empty");
    bench.click("New plan");
    bench.click("Save plan");
    assert_eq!(known(&mut bench), []);
    bench.focus("Title of the plan");
    bench.type_text("half typed");
    bench.key(Modifiers::NONE, Key::Escape);
    bench.key(Modifiers::NONE, Key::Escape);
    bench.click("Project");
    bench.click("New plan");
    assert_eq!(bench.value("Title of the plan"), "half typed");
}

#[test]
fn plans_are_followed_and_removed_from_the_list() {
    let mut bench = Bench::of("project-plans");
    bench.click_part("Follow: Rate limits");
    let plan = put_plan(&mut bench);
    assert!(plan.active && plan.id == PlanId(2));
    bench.click("Stop following: Grace window for token refresh");
    assert!(!put_plan(&mut bench).active);
    bench.click("Remove plan: Grace window for token refresh");
    assert_eq!(known(&mut bench), [KnowledgeCommand::RemovePlan(PlanId(1))]);
    assert!(bench.has("Followed here"));
}

#[test]
fn a_plan_is_changed_and_its_document_looked_at() {
    let mut bench = Bench::of("project-plans");
    bench.click("Grace window for token refresh");
    press(&mut bench, "Preview");
    assert!(!bench.has("Document of the plan") && bench.has_part("gets the pair that was"));
    bench.click("Save plan");
    let plan = put_plan(&mut bench);
    assert_eq!(plan.id, PlanId(1));
    assert_eq!(plan.body.constraints, ["The public API of session.rs stays as it is."]);
    assert!(plan.document.starts_with("# Grace window"));
}

#[test]
fn findings_are_settled_and_written() {
    let mut bench = Bench::of("project-findings");
    bench.click("Settle: Test takes one connection from the pool");
    match known(&mut bench).as_slice() {
        [KnowledgeCommand::PutFinding(finding)] => assert!(!finding.open),
        other => panic!("{other:?}"),
    }
    bench.click("New finding");
    bench.type_text("The lock is held across an await");
    bench.click("Major");
    bench.focus("Line of the file");
    bench.type_text("zero");
    press(&mut bench, "Save");
    assert_eq!(known(&mut bench), [], "a line that is no number is not taken");
    bench.focus("Line of the file");
    bench.key(Modifiers::COMMAND, Key::A);
    bench.type_text("12");
    press(&mut bench, "Save");
    match known(&mut bench).as_slice() {
        [KnowledgeCommand::PutFinding(finding)] => {
            assert_eq!(finding.body.line, Some(12));
            assert_eq!(finding.plan, Some(PlanId(1)));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_is_marked_as_decided_with_its_text_changed() {
    let mut bench = Bench::of("chat");
    bench.key(Modifiers::COMMAND, Key::K);
    bench.type_text("mark the newest answer");
    bench.key(Modifiers::NONE, Key::Enter);
    bench.steps(4);
    assert!(bench.is_focused("What was decided"));
    bench.key(Modifiers::COMMAND, Key::A);
    bench.type_text("Swap by generation.");
    bench.click_part("In the whole project");
    bench.focus("What was decided");
    bench.key(Modifiers::SHIFT, Key::Enter);
    match known(&mut bench).as_slice() {
        [KnowledgeCommand::PutAgreement(row)] => {
            assert_eq!(row.body.text, "Swap by generation.");
            assert_eq!((row.conversation, row.body.message.is_some()), (None, true));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_is_kept_as_an_artifact() {
    let mut bench = Bench::of("chat");
    bench.hover_part("Message from Architect Claude");
    assert!(bench.has("Keep as artifact") && bench.has("Mark as decided"));
    bench.focus("Message");
    bench.type_text("/keep");
    bench.key(Modifiers::NONE, Key::Enter);
    bench.steps(4);
    bench.click("Keep");
    match known(&mut bench).as_slice() {
        [KnowledgeCommand::PutArtifact(row)] => {
            assert!(row.pinned && !row.text.is_empty() && !row.body.title.is_empty());
            assert!(row.body.message.is_some_and(|message| message > MessageId(1)));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn conversations_are_linked_by_a_few_letters_and_unlinked() {
    let mut bench = Bench::of("project-links");
    bench.focus("Find a conversation to link");
    bench.type_text("flaky");
    bench.key(Modifiers::NONE, Key::Enter);
    let link = KnowledgeCommand::Link { conversation: SHOWN, linked: ConversationId(14) };
    assert_eq!(known(&mut bench), [link]);
    bench.click("Unlink: Rate limits per tenant");
    let unlink = KnowledgeCommand::Unlink { conversation: SHOWN, linked: ConversationId(13) };
    assert_eq!(known(&mut bench), [unlink]);
}

fn switched(conversation: Option<ConversationId>, skill: &str, on: Option<bool>) -> KnowledgeCommand {
    KnowledgeCommand::SwitchSkill { project: ProjectId(1), conversation, skill: skill.into(), on }
}

#[test]
fn skills_are_switched_and_a_suggestion_waits_for_a_click() {
    let mut bench = Bench::of("project-skills");
    bench.wait(1.0);
    assert_eq!(known(&mut bench), [], "nothing is switched on by itself");
    assert!(!bench.has("Use skill sqlx"), "it is on already");
    bench.click("Use skill axum");
    assert_eq!(known(&mut bench), [switched(Some(SHOWN), "axum", Some(true))]);
    bench.click("axum: Off");
    bench.click("On in the whole project");
    assert_eq!(known(&mut bench), [switched(None, "axum", Some(true))]);
    bench.click("commit-style: On in project");
    bench.click("Off in this conversation");
    assert_eq!(known(&mut bench), [switched(Some(SHOWN), "commit-style", Some(false))]);
    bench.focus("Find a skill");
    bench.type_text("번역");
    assert!(bench.has("번역: Off") && !bench.has("axum: Off"));
}

#[test]
fn a_text_of_the_projects_own_is_made_by_its_name() {
    let mut bench = Bench::of("project-skills");
    bench.sent();
    bench.click("Make");
    assert_eq!(known(&mut bench), [], "without a name there is nothing to make");
    let made = |kind, name: &str| KnowledgeCommand::NewText {
        project: ProjectId(1),
        kind,
        name: name.into(),
        text: String::new(),
    };
    bench.focus("Name of the new text");
    bench.type_text("배포 규칙");
    bench.click("Make");
    assert_eq!(known(&mut bench), [made(TextKind::Skill, "배포 규칙")]);
    bench.click("What to make: Skill");
    bench.click("Role");
    bench.focus("Name of the new text");
    bench.type_text("Gardener");
    bench.click("Make");
    assert_eq!(known(&mut bench), [made(TextKind::Role, "Gardener")], "the field was emptied before");
}

#[test]
fn a_suggestion_beside_the_draft_is_taken_or_refused() {
    let mut bench = Bench::of("typing");
    bench.sent();
    bench.click("Not skill axum here");
    assert_eq!(known(&mut bench), [switched(Some(SHOWN), "axum", Some(false))]);
    bench.click("Use skill axum");
    assert_eq!(known(&mut bench), [switched(Some(SHOWN), "axum", Some(true))]);
}

#[test]
fn a_profile_is_picked_in_one_step() {
    let mut bench = Bench::of("typing");
    bench.click("Who answers: Architect");
    bench.click("Careful reviewer");
    let seats: Vec<SeatChoice> = bench
        .sent()
        .into_iter()
        .filter_map(|command| match command {
            Command::Chat(ChatCommand::SetSeat { seat, .. }) => Some(seat),
            _ => None,
        })
        .collect();
    let [seat] = seats.as_slice() else { panic!("{seats:?}") };
    assert_eq!(seat.profile.as_deref(), Some("Careful reviewer"));
    assert_eq!((seat.engine.as_str(), seat.persona.as_deref()), ("codex", Some("Skeptic")));
}

#[test]
fn profiles_are_taken_made_and_removed() {
    let mut bench = Bench::of("profiles-empty");
    bench.sent();
    bench.click("Take these profiles");
    let taken = settings(&mut bench);
    let names: Vec<&str> = taken.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Architect", "Developer", "Reviewer"]);
    assert_ne!(taken[0].1, taken[2].1, "the judge sits on another engine");
    let mut bench = Bench::of("profiles");
    bench.sent();
    bench.click("New profile");
    bench.focus("Name of the profile");
    bench.type_text("architect");
    bench.click("Save profile");
    assert_eq!(settings(&mut bench), [], "a name that is there already is not taken");
    bench.focus("Name of the profile");
    bench.key(Modifiers::COMMAND, Key::A);
    bench.type_text("Architect two");
    bench.click("Save profile");
    assert_eq!(settings(&mut bench).len(), 4);
}

/// Name and engine of the profiles last sent.
fn settings(bench: &mut Bench) -> Vec<(String, String)> {
    let sent = bench.sent().into_iter().filter_map(|command| match command {
        Command::Settings(SettingsCommand::Set(settings)) => Some(settings),
        _ => None,
    });
    let last = sent.last().map(|settings| settings.profiles).unwrap_or_default();
    last.into_iter().map(|profile| (profile.name, profile.engine.to_string())).collect()
}

#[test]
fn two_contexts_are_compared() {
    let mut bench = Bench::of("compare");
    bench.sent();
    bench.click("Compare");
    let asked = bench.sent().into_iter().any(|command| {
        matches!(command, Command::Chat(ChatCommand::ComparePack { with: PackSource::Seat { seat, .. }, .. })
            if seat.engine.as_str() == "codex")
    });
    assert!(asked);
    assert!(
        bench.has("Identity: Differs") && bench.has("Project: Same") && bench.has("Retrieval: Only left")
    );
    assert!(bench.has_part("You are Codex"));
    bench.key(Modifiers::NONE, Key::Escape);
    assert!(matches!(bench.route(), Route::Inspector { .. }), "Esc leaves the comparison first");
    bench.key(Modifiers::NONE, Key::Escape);
    assert_eq!(bench.route(), Route::Chat { conversation: SHOWN });
}

fn previews(bench: &mut Bench) -> usize {
    let is_preview = |command: &Command| matches!(command, Command::Chat(ChatCommand::PreviewPack { .. }));
    bench.sent().iter().filter(|command| is_preview(command)).count()
}

#[test]
fn the_meter_follows_typing_once_per_pause_and_rests_when_nothing_changes() {
    let mut bench = Bench::of("typing");
    bench.wait(1.0);
    assert_eq!(previews(&mut bench), 1, "once when the conversation is shown");
    bench.wait(3.0);
    assert_eq!(previews(&mut bench), 0);
    bench.focus("Message");
    for letter in ["a", "b", "c", "d"] {
        bench.type_text(letter);
    }
    assert_eq!(previews(&mut bench), 0, "not while typing");
    bench.wait(1.0);
    assert_eq!(previews(&mut bench), 1);
    bench.wait(2.0);
    assert_eq!(previews(&mut bench), 0);
}

#[test]
fn the_pages_are_reached_by_keys_slash_words_and_tabs() {
    let mut bench = Bench::of("project-plans");
    bench.click("Skills");
    assert_eq!(bench.route(), Route::Project { page: ProjectPage::Skills, conversation: Some(SHOWN) });
    bench.key(Modifiers::NONE, Key::Escape);
    assert_eq!(bench.route(), Route::Chat { conversation: SHOWN });
    bench.focus("Message");
    bench.type_text("/findings");
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(bench.route(), Route::Project { page: ProjectPage::Findings, conversation: Some(SHOWN) });
    bench.key(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    assert_eq!(bench.route(), Route::Project { page: ProjectPage::Plans, conversation: Some(SHOWN) });
    bench.key(Modifiers::COMMAND, Key::Comma);
    bench.click("Profiles");
    assert_eq!(bench.route(), Route::Settings { page: SettingsPage::Profiles });
}

#[test]
fn a_plan_begun_from_the_palette_waits_for_its_title() {
    let mut bench = Bench::of("chat");
    bench.key(Modifiers::COMMAND, Key::K);
    bench.type_text("new plan");
    bench.key(Modifiers::NONE, Key::Enter);
    bench.steps(4);
    assert!(bench.is_focused("Title of the plan"));
}

#[test]
fn a_small_window_has_the_same_steps() {
    use tunaflow::model::settings::ThemeChoice;
    use tunaflow::ui::testing::fixture;
    let mut bench = Bench::with(fixture("project-plans"), SMALL, ThemeChoice::Light);
    bench.click("Grace window for token refresh");
    assert!(bench.has("Title of the plan") && bench.has("Back to the list"));
}
