//! Branches: made at a message, listed, shown beside the conversation, adopted, taken back, deleted.

use egui::{Key, Modifiers};
use tunaflow::api::command::{BranchCommand, ChatCommand, Command};
use tunaflow::api::summary::SummaryState;
use tunaflow::model::branch::{BranchKind, SummarySource};
use tunaflow::model::id::{ConversationId, MessageId};
use tunaflow::model::project::Draft;
use tunaflow::model::settings::ThemeChoice;
use tunaflow::ui::route::Route;
use tunaflow::ui::testing::branches::{self, DEEP, OLD, PKCE, REDIS};
use tunaflow::ui::testing::{SHOWN, fixture, summaries};

use super::bench::{Bench, LARGE, SMALL};

const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);
const SHOWN_ROUTE: Route = Route::Chat { conversation: SHOWN };

fn branch_commands(bench: &mut Bench) -> Vec<BranchCommand> {
    let sent = bench.sent().into_iter();
    sent.filter_map(|command| if let Command::Branch(command) = command { Some(command) } else { None })
        .collect()
}

fn chat_commands(bench: &mut Bench) -> Vec<ChatCommand> {
    let sent = bench.sent().into_iter();
    sent.filter_map(|command| if let Command::Chat(command) = command { Some(command) } else { None })
        .collect()
}

fn create(parent: ConversationId, checkpoint: i64) -> BranchCommand {
    let checkpoint = Some(MessageId(checkpoint));
    BranchCommand::Create { parent, checkpoint, label: None, seat: None, kind: BranchKind::General }
}

#[test]
fn a_branch_is_made_at_a_message_by_bar_menu_key_and_slash() {
    let mut bench = Bench::of("chat");
    bench.sent();
    bench.hover_part("Message from Developer Codex");
    bench.click("Branch from here");
    assert_eq!(branch_commands(&mut bench), [create(SHOWN, 4)]);
    bench.hover_part("Message from Developer Codex");
    bench.click("More");
    bench.click_part("Branch from here");
    bench.sent();
    bench.key(Modifiers::NONE, Key::Escape);
    bench.key(CTRL_SHIFT, Key::B);
    assert_eq!(branch_commands(&mut bench), [create(SHOWN, 4)]);
    bench.focus("Message");
    bench.type_text("/branch");
    bench.key(Modifiers::NONE, Key::Enter);
    assert_eq!(branch_commands(&mut bench), [create(SHOWN, 4)]);
    assert_eq!(bench.value("Message"), "");
}

#[test]
fn a_new_branch_opens_beside_its_conversation_which_stays() {
    let mut bench = Bench::of("branch-drawer");
    assert_eq!(bench.route(), SHOWN_ROUTE);
    assert!(branch_commands(&mut bench).contains(&BranchCommand::Open { branch: PKCE }));
    assert!(bench.is_focused("Message in the branch"));
    bench.type_text("Which one is smaller?");
    bench.key(Modifiers::NONE, Key::Enter);
    let send = ChatCommand::Send { conversation: PKCE, draft: Draft::text("Which one is smaller?") };
    assert!(chat_commands(&mut bench).contains(&send));
    bench.focus("Message");
    bench.type_text("Go on here");
    bench.key(Modifiers::NONE, Key::Enter);
    let send = ChatCommand::Send { conversation: SHOWN, draft: Draft::text("Go on here") };
    assert!(chat_commands(&mut bench).contains(&send));
}

#[test]
fn commands_go_to_the_side_the_user_is_at() {
    let mut bench = Bench::of("branch-drawer");
    bench.sent();
    bench.focus("Message in the branch");
    bench.key(CTRL_SHIFT, Key::B);
    assert_eq!(branch_commands(&mut bench), [create(PKCE, 122)]);
    bench.focus("Message");
    bench.key(CTRL_SHIFT, Key::B);
    assert_eq!(branch_commands(&mut bench), [create(SHOWN, 4)]);
    bench.click_part("Grace window in Redis");
    bench.sent();
    bench.key(Modifiers::NONE, Key::Escape);
    assert_eq!(chat_commands(&mut bench), [ChatCommand::Stop { conversation: REDIS }]);
    bench.focus("Message");
    bench.key(Modifiers::NONE, Key::Escape);
    assert_eq!(chat_commands(&mut bench), []);
    assert!(bench.has("Message in the branch"), "Esc does not close the drawer");
}

#[test]
fn the_drawer_is_pinned_closed_and_opened_by_button_and_key() {
    let mut bench = Bench::of("branch-drawer");
    let width = |bench: &Bench| bench.rect_of("Message in the branch").map_or(0.0, |rect| rect.width());
    let before = width(&bench);
    bench.click("Pin branch");
    let pinned = width(&bench);
    assert!(pinned > before + 40.0, "{pinned} {before}");
    bench.key(CTRL, Key::Backslash);
    assert!((width(&bench) - before).abs() < 1.0);
    bench.key(CTRL, Key::J);
    assert!(!bench.has("Message in the branch"));
    bench.key(CTRL, Key::J);
    assert!(bench.has("Message in the branch"));
    bench.click("Close branch");
    assert!(!bench.has("Message in the branch"));
    assert!(bench.has("Message"));
}

#[test]
fn branches_nest_in_the_way_the_sidebar_and_the_tabs() {
    let mut bench = Bench::of("branch-drawer");
    let rows: Vec<String> = bench.controls().into_iter().map(|control| control.name).collect();
    let name = |title: &str| rows.iter().find(|name| name.starts_with(&format!("{title}, "))).cloned();
    assert!(name("OAuth2 PKCE").is_some() && name("Without a library").is_some(), "{rows:?}");
    assert!(name("Cookies instead").is_none(), "the archive is closed");
    bench.sent();
    bench.click_part("Without a library");
    assert!(branch_commands(&mut bench).contains(&BranchCommand::Open { branch: DEEP }));
    bench.click("Way to this branch");
    assert!(bench.has("OAuth2 PKCE") && bench.has("Token refresh race"), "no room for the way itself");
    bench.key(Modifiers::NONE, Key::Escape);
    bench.click("Pin branch");
    assert!(bench.has("Go to OAuth2 PKCE") && bench.has("Go to Token refresh race"));
    assert!(bench.has("Branch OAuth2 PKCE") && bench.has("Branch Without a library"), "two tabs");
    bench.click("Go to OAuth2 PKCE");
    assert!(!bench.has("Go to OAuth2 PKCE"));
    bench.click("Close tab OAuth2 PKCE");
    assert!(bench.has("Go to OAuth2 PKCE"), "the other tab is shown");
    bench.click_part("Rate limits per tenant");
    assert!(!bench.has("Message in the branch"), "another conversation has its own branches");
    bench.click_part("Token refresh race");
    assert!(bench.has("Message in the branch"), "and this one keeps its own");
}

#[test]
fn the_line_at_the_checkpoint_opens_its_branch() {
    let mut bench = Bench::of("branch-drawer");
    bench.key(CTRL, Key::J);
    bench.click("Open branch Grace window in Redis");
    assert!(branch_commands(&mut bench).contains(&BranchCommand::Open { branch: REDIS }));
    assert!(bench.has("Stop"));
}

#[test]
fn a_deletion_is_asked_for_and_names_its_loss() {
    let mut bench = Bench::of("branch-drawer");
    bench.sent();
    bench.secondary_click_part("OAuth2 PKCE,");
    bench.click("Delete…");
    assert!(bench.has("Delete OAuth2 PKCE?") && bench.has_part("2 messages and 1 branch below it"));
    assert_eq!(chat_commands(&mut bench), []);
    bench.click("Delete branch");
    assert_eq!(chat_commands(&mut bench), [ChatCommand::Delete { conversation: PKCE }]);
    bench.publish(|snap| {
        let left = snap.conversations.iter().filter(|row| ![PKCE, DEEP].contains(&row.conversation.id));
        snap.conversations = left.cloned().collect();
    });
    assert!(!bench.has("Message in the branch"));
    assert_eq!(bench.route(), SHOWN_ROUTE);
}

#[test]
fn a_branch_belongs_to_a_git_branch() {
    let mut bench = Bench::of("branch-drawer");
    bench.sent();
    bench.click("More about this branch");
    bench.click("Git branch…");
    bench.type_text("pkce-spike");
    bench.key(Modifiers::NONE, Key::Enter);
    let set = BranchCommand::SetGitBranch { branch: PKCE, git_branch: Some("pkce-spike".into()) };
    assert_eq!(branch_commands(&mut bench), [set]);
}

#[test]
fn a_branch_is_adopted_with_its_last_answer_or_own_words() {
    let mut bench = Bench::of("adopt-sheet");
    bench.click("Last answer");
    assert!(bench.value("Draft of the summary").ends_with("already in `crypto/ct.rs`."));
    bench.click("Copy as Markdown");
    let copied = bench.machine.borrow().copied.last().cloned().unwrap_or_default();
    assert!(
        copied.contains(
            "Adopted from the branch \"OAuth2 PKCE\" (2 messages, Developer Codex, Architect Claude)"
        ),
        "{copied}"
    );
    bench.sent();
    bench.click("Own words");
    assert_eq!(bench.value("Draft of the summary"), "");
    bench.type_text("We write it ourselves.");
    bench.key(Modifiers::NONE, Key::Escape);
    assert!(!bench.has("Draft of the summary"));
    bench.click("Adopt…");
    assert_eq!(bench.value("Draft of the summary"), "We write it ourselves.", "a draft is kept");
    bench.click("Last answer");
    bench.sent();
    bench.key(CTRL, Key::Enter);
    let taken = branch_commands(&mut bench);
    let [BranchCommand::Adopt { branch: PKCE, summary }] = taken.as_slice() else { panic!("{taken:?}") };
    assert_eq!(
        (summary.source, summary.written_by.as_str()),
        (SummarySource::LastAnswer, "Architect Claude")
    );
    assert!(bench.has("Draft of the summary"), "it stays until it is done");
    bench.publish(|snap| branches::set_adopted(snap, Some(MessageId(5))));
    bench.steps(2);
    assert!(!bench.has("Draft of the summary") && !bench.has("Message in the branch"));
}

#[test]
fn an_agent_is_asked_only_when_the_user_says_so() {
    let mut bench = Bench::of("adopt-sheet");
    let sent = branch_commands(&mut bench);
    assert!(sent.contains(&BranchCommand::ReadSources { branch: PKCE }), "{sent:?}");
    assert!(!sent.iter().any(|command| matches!(command, BranchCommand::Summarise { .. })), "{sent:?}");
    assert!(!bench.has("Draft of the summary"), "there is no draft yet");
    bench.key(CTRL, Key::Enter);
    assert_eq!(branch_commands(&mut bench), [], "nothing to adopt");
    bench.click("Summarise");
    let sent = branch_commands(&mut bench);
    let [BranchCommand::Summarise { branch: PKCE, seat: Some(seat) }] = sent.as_slice() else {
        panic!("{sent:?}")
    };
    assert_eq!(seat.engine.as_str(), "claude");
    bench.click_part("Who summarises:");
    bench.click("Codex");
    bench.click("Summarise");
    let sent = branch_commands(&mut bench);
    let [BranchCommand::Summarise { seat: Some(seat), .. }] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!((seat.engine.as_str(), &seat.model), ("codex", &None));
}

#[test]
fn a_summary_comes_is_stopped_and_comes_as_a_draft() {
    let mut bench = Bench::of("adopt-sheet-running");
    bench.sent();
    assert!(bench.has("Part 2 of 5") && bench.has_part("41.5k tokens"));
    assert!(bench.has_part("Write PKCE ourselves") && !bench.has("Draft of the summary"));
    bench.click("Stop");
    assert_eq!(branch_commands(&mut bench), [BranchCommand::StopSummary { branch: PKCE }]);
    // Closing the sheet stops it as well, once.
    bench.key(Modifiers::NONE, Key::Escape);
    bench.steps(3);
    assert_eq!(branch_commands(&mut bench), [BranchCommand::StopSummary { branch: PKCE }]);
    bench.publish(|snap| summaries::put(snap, Some(summaries::request(SummaryState::Stopped))));
    bench.click("Adopt…");
    assert!(bench.has_part("Stopped. Nothing was kept.") && bench.has("Summarise again"));
    bench.publish(|snap| {
        let mut done = summaries::request(SummaryState::Done);
        done.text = "Own code it is.".into();
        summaries::put(snap, Some(done));
    });
    bench.steps(2);
    assert_eq!(bench.value("Draft of the summary"), "Own code it is.");
    assert!(bench.is_focused("Draft of the summary"));
    bench.sent();
    bench.key(CTRL, Key::Enter);
    let taken = branch_commands(&mut bench);
    let [BranchCommand::Adopt { summary, .. }] = taken.as_slice() else { panic!("{taken:?}") };
    assert_eq!((summary.source, summary.written_by.as_str()), (SummarySource::Agent, "Claude Code"));
}

#[test]
fn drafts_of_every_source_outlive_a_look_at_another() {
    let mut bench = Bench::of("adopt-sheet-draft");
    assert!(bench.has_part("The branch has gone on since this was written."));
    assert!(bench.has_part("the draft ends with a sentence within 1,200"));
    let short = bench.value("Draft of the summary");
    bench.click("Use the whole text");
    let whole = bench.value("Draft of the summary");
    assert!(whole.len() > short.len() && whole.starts_with(&short), "{whole}");
    assert!(!bench.has("Use the whole text"));
    bench.click("Key positions");
    let positions = bench.value("Draft of the summary");
    assert!(
        positions.starts_with("- **Developer Codex**: 34 lines against 92, see `auth/pkce.rs`."),
        "{positions}"
    );
    assert!(positions.contains("\n- **Architect Claude**: Both work."), "{positions}");
    bench.key(CTRL, Key::End);
    bench.type_text(" Mine.");
    bench.click("Agent summary");
    assert_eq!(bench.value("Draft of the summary"), whole);
    bench.click("Key positions");
    assert_eq!(bench.value("Draft of the summary"), format!("{positions} Mine."));
    bench.sent();
    bench.key(CTRL, Key::Enter);
    let taken = branch_commands(&mut bench);
    let [BranchCommand::Adopt { summary, .. }] = taken.as_slice() else { panic!("{taken:?}") };
    assert_eq!(summary.source, SummarySource::KeyPositions);
    assert_eq!(summary.written_by, "Developer Codex, Architect Claude, edited by you");
}

/// Drafts in the sheet of one branch were gone when the sheet of another one had been opened.
#[test]
fn drafts_of_one_branch_outlive_the_sheet_of_another() {
    let mut bench = Bench::of("branch-drawer");
    let edit = |bench: &mut Bench, text: &str| {
        bench.click("Adopt…");
        bench.click("Own words");
        bench.type_text(text);
        bench.key(Modifiers::NONE, Key::Escape);
        bench.steps(2);
    };
    edit(&mut bench, "Mine of the one.");
    bench.click_part("Without a library");
    edit(&mut bench, "Mine of the other.");
    bench.click_part("OAuth2 PKCE");
    bench.click("Adopt…");
    bench.click("Own words");
    assert_eq!(bench.value("Draft of the summary"), "Mine of the one.");
}

/// What was written by hand into an agent's draft was gone when the agent had written another one.
#[test]
fn an_edited_draft_of_an_agent_outlives_its_next_one() {
    let mut bench = Bench::of("adopt-sheet-draft");
    bench.focus("Draft of the summary");
    bench.key(CTRL, Key::End);
    bench.type_text(" Mine.");
    let edited = bench.value("Draft of the summary");
    assert!(edited.ends_with(" Mine.") && !bench.has("Swap with your earlier draft"));
    bench.publish(|snap| {
        let mut done = summaries::request(SummaryState::Done);
        done.text = "Said anew.".into();
        summaries::put(snap, Some(done));
    });
    bench.steps(2);
    assert_eq!(bench.value("Draft of the summary"), "Said anew.");
    bench.click("Swap with your earlier draft");
    assert_eq!(bench.value("Draft of the summary"), edited);
    bench.steps(2);
    bench.click("Swap with your earlier draft");
    assert_eq!(bench.value("Draft of the summary"), "Said anew.");
}

#[test]
fn a_failed_summary_says_why_and_offers_the_last_answer() {
    let mut bench = Bench::of("adopt-sheet-failed");
    assert!(bench.has_part("reached its weekly limit") && bench.has("Summarise again"));
    bench.click("Use the last answer");
    assert!(bench.value("Draft of the summary").ends_with("already in `crypto/ct.rs`."));
}

#[test]
fn nothing_is_adopted_while_an_agent_answers() {
    let mut bench = Bench::of("branch-drawer");
    bench.click_part("Grace window in Redis");
    bench.click("Adopt…");
    bench.sent();
    bench.click("Own words");
    bench.type_text("done");
    bench.key(CTRL, Key::Enter);
    assert_eq!(branch_commands(&mut bench), []);
}

#[test]
fn the_card_opens_its_branch_copies_and_takes_back() {
    let mut bench = Bench::of("adopt-card");
    bench.sent();
    assert!(bench.has("Adopted from OAuth2 PKCE"));
    bench.click("Copy");
    let copied = bench.machine.borrow().copied.last().cloned().unwrap_or_default();
    assert!(copied.starts_with("**Write PKCE ourselves") && copied.ends_with("edited by you.*"), "{copied}");
    bench.click("Undo");
    assert_eq!(branch_commands(&mut bench), [BranchCommand::UndoAdopt { branch: PKCE }]);
    bench.click("Open branch");
    assert!(bench.has("Continue here") && !bench.has("Message in the branch"));
}

#[test]
fn an_archived_branch_is_read_only_until_it_is_continued() {
    let mut bench = Bench::of("branch-archived");
    bench.sent();
    assert!(bench.has("Continue here") && !bench.has("Message in the branch") && !bench.has("Adopt…"));
    bench.hover_part("And cookies?");
    assert!(!bench.has("Edit and send again"));
    bench.click("Continue here");
    let back = ChatCommand::SetArchived { conversation: OLD, archived: false };
    assert_eq!(chat_commands(&mut bench), [back]);
}

#[test]
fn the_divider_is_dragged() {
    let mut bench = Bench::of("branch-drawer");
    let left = |bench: &Bench| bench.rect_of("Width of the branch").map_or(0.0, |rect| rect.center().x);
    let from = egui::pos2(left(&bench), 400.0);
    let to = egui::pos2(from.x - 100.0, 400.0);
    let button = |pos, pressed| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    bench.event(egui::Event::PointerMoved(from));
    bench.event(button(from, true));
    bench.event(egui::Event::PointerMoved(to));
    bench.event(button(to, false));
    assert!((left(&bench) - to.x).abs() < 2.0, "{} {}", left(&bench), to.x);
}

#[test]
fn a_small_window_shows_both_sides() {
    for name in ["branch-drawer", "branch-pinned"] {
        let bench = Bench::with(fixture(name), SMALL, ThemeChoice::Light);
        let [main, beside] = ["Message", "Message in the branch"].map(|name| bench.rect_of(name));
        let (Some(main), Some(beside)) = (main, beside) else { panic!("{name}: a composer is missing") };
        assert!(main.right() < beside.left(), "{name}: {main} {beside}");
        assert!(main.width() > 250.0 && beside.width() > 250.0, "{name}: {main} {beside}");
    }
}

#[test]
fn hints_stand_over_the_composer_of_the_parent_and_open_their_branch() {
    let mut bench = Bench::of("branch-hints");
    bench.sent();
    assert!(bench.has_part("OAuth2 PKCE leans to: I lean to own code"));
    assert!(bench.has_part("Grace window in Redis leans to: Redis에 두면"));
    bench.click("Hide the hint of OAuth2 PKCE");
    let hidden = BranchCommand::SetHint { branch: PKCE, on: false, told: false };
    assert_eq!(branch_commands(&mut bench), [hidden]);
    bench.click_part("Grace window in Redis leans to");
    assert!(branch_commands(&mut bench).contains(&BranchCommand::Open { branch: REDIS }));
}

#[test]
fn the_menu_says_who_learns_of_a_branch() {
    let mut bench = Bench::of("branch-drawer");
    bench.sent();
    for (row, sent) in [
        ("Hint in the parent", BranchCommand::SetHint { branch: PKCE, on: true, told: false }),
        ("Found from elsewhere", BranchCommand::SetShared { branch: PKCE, shared: Some(true) }),
    ] {
        bench.click("More about this branch");
        assert!(!bench.has("Tell the hint to agents"), "what is not shown cannot be told");
        bench.click(row);
        assert_eq!(branch_commands(&mut bench), [sent]);
    }
}

#[test]
fn the_tree_shows_where_each_branch_starts_and_opens_it() {
    let mut bench = Bench::of("branch-tree");
    bench.sent();
    // The upper ones come last.
    let names: Vec<String> = bench.controls().into_iter().rev().map(|control| control.name).collect();
    let tree: Vec<&str> = names.iter().filter(|name| name.contains(" · ")).map(String::as_str).collect();
    let starts =
        ["Token refresh race", "Cookies instead", "OAuth2 PKCE", "Without a library", "Grace window"];
    assert_eq!(tree.len(), starts.len(), "{tree:?}");
    for (row, start) in tree.iter().zip(starts) {
        assert!(row.starts_with(start), "{tree:?}");
    }
    assert!(tree[1].ends_with("adopted") && tree[2].contains("From message 2"), "{tree:?}");
    bench.click_part("OAuth2 PKCE, From");
    assert!(branch_commands(&mut bench).contains(&BranchCommand::Open { branch: PKCE }));
    let mut bench = Bench::of("branch-tree-empty");
    assert!(bench.has_part("No conversation has a branch yet"));
    bench.key(CTRL, Key::K);
    assert!(bench.has("Find or run"));
}

/// A row taken by key closes the menu, as a click on it does.
#[test]
fn a_menu_closes_when_a_row_is_taken_by_key() {
    let mut bench = Bench::of("branch-drawer");
    bench.click("More about this branch");
    assert!(bench.has("Git branch…"));
    bench.focus("Rename…");
    bench.key(Modifiers::NONE, Key::Enter);
    bench.steps(3);
    assert!(bench.has("Rename branch") && !bench.has("Git branch…"));
}

#[test]
fn hundreds_of_labels_that_fit_nowhere_are_laid_out() {
    for size in [LARGE, SMALL] {
        let mut bench = Bench::with(fixture("branch-many"), size, ThemeChoice::Light);
        bench.steps(3);
        let window = egui::Rect::from_min_size(egui::Pos2::ZERO, size);
        for name in ["Close branch", "More about this branch", "Adopt…", "Way to this branch"] {
            let rect = bench.rect_of(name).unwrap();
            assert!(window.contains_rect(rect), "{name}: {rect:?}");
        }
    }
}

/// Whatever can be clicked is reached by Tab alone.
#[test]
fn every_control_is_reached_by_tab() {
    use egui::accesskit::Role;
    let pages = [
        "branch-drawer",
        "branch-hints",
        "branch-tree",
        "branch-compare",
        "branch-changes",
        "branch-offer",
        "branch-gone",
        "branch-refused",
        "adopt-card",
    ];
    for name in pages {
        let mut bench = Bench::of(name);
        let clicked = |role| matches!(role, Role::Button | Role::Tab | Role::Link | Role::RadioButton);
        let controls = bench.controls();
        let wanted: Vec<_> = controls.into_iter().filter(|control| clicked(control.role)).collect();
        assert!(wanted.len() > 10, "{name}: {}", wanted.len());
        let mut reached = std::collections::BTreeSet::new();
        for _ in 0..wanted.len() + 60 {
            bench.key(Modifiers::NONE, Key::Tab);
            reached.extend(bench.focused_name());
        }
        let missing: Vec<_> =
            wanted.iter().filter(|one| one.name != "Send" && !reached.contains(&one.name)).collect();
        let names: Vec<_> = missing.iter().map(|one| one.name.as_str()).collect();
        assert!(names.is_empty(), "{name}: {names:?}");
    }
}

/// Eight tabs do not share the width: those with room can be read, the others stand in a menu.
#[test]
fn tabs_without_room_stand_in_a_menu() {
    let mut bench = Bench::of("branch-many");
    let tabs = |bench: &Bench| -> Vec<f32> {
        let all = bench.controls().into_iter();
        all.filter(|one| one.role == egui::accesskit::Role::Tab && one.name.starts_with("Branch "))
            .map(|one| one.rect.width())
            .collect()
    };
    let seen = tabs(&bench);
    assert!(seen.len() > 2 && seen.iter().all(|width| *width >= 88.0), "{seen:?}");
    let hidden = 8 - seen.len();
    bench.click(&format!("{hidden} more open branches"));
    bench.click("토큰 갱신 경합 조건을 Redis 없이 푸는 방법 55");
    bench.steps(3);
    assert_eq!(tabs(&bench).len(), seen.len());
    assert!(bench.has("Branch 토큰 갱신 경합 조건을 Redis 없이 푸는 방법 55"), "it is in front now");
}
