//! Branches as one works with them for an hour: where the keyboard is after each step, what stays in its place.

use egui::{Key, Modifiers};
use tunaflow::api::command::{BranchCommand, ChatCommand, Command};
use tunaflow::model::id::MessageId;
use tunaflow::model::settings::ThemeChoice;
use tunaflow::ui::testing::branches::{self, OLD, PKCE};
use tunaflow::ui::testing::{SHOWN, fixture, put_view};

use super::bench::{Bench, LARGE};

const CTRL: Modifiers = Modifiers::COMMAND;

fn created(bench: &mut Bench) -> Vec<Option<MessageId>> {
    let made = |command| match command {
        Command::Branch(BranchCommand::Create { parent: SHOWN, checkpoint, .. }) => Some(checkpoint),
        _ => None,
    };
    bench.sent().into_iter().filter_map(made).collect()
}

#[test]
fn what_covers_the_window_gives_the_keyboard_back() {
    let mut bench = Bench::of("branch-drawer");
    for field in ["Message in the branch", "Message"] {
        bench.focus(field);
        for open in [(CTRL, Key::K), (Modifiers::NONE, Key::F2), (CTRL, Key::Slash)] {
            bench.key(open.0, open.1);
            assert!(!bench.has(field) || !bench.is_focused(field), "{field} {open:?}");
            bench.key(Modifiers::NONE, Key::Escape);
            bench.steps(2);
            assert!(bench.is_focused(field), "{field} {open:?}: {:?}", bench.focused_name());
        }
    }
}

#[test]
fn a_deletion_waits_with_the_keyboard_on_cancel() {
    let mut bench = Bench::of("branch-drawer");
    bench.focus("Message in the branch");
    bench.type_text("/delete");
    bench.key(Modifiers::NONE, Key::Enter);
    bench.steps(2);
    assert!(bench.has("Delete OAuth2 PKCE?") && bench.is_focused("Cancel"), "{:?}", bench.focused_name());
    bench.sent();
    bench.key(Modifiers::NONE, Key::Enter);
    bench.steps(2);
    let deleted = |command: &Command| matches!(command, Command::Chat(ChatCommand::Delete { .. }));
    assert!(!bench.has("Delete OAuth2 PKCE?") && !bench.sent().iter().any(deleted));
    assert!(bench.is_focused("Message in the branch"), "{:?}", bench.focused_name());
}

#[test]
fn words_after_an_adoption_go_to_the_parent() {
    let mut bench = Bench::of("branch-drawer");
    // A second branch is open: it comes to the front once the first is adopted.
    bench.click_part("Grace window in Redis,");
    bench.click_part("OAuth2 PKCE,");
    bench.focus("Message in the branch");
    bench.click("Adopt…");
    bench.click("Own words");
    bench.type_text("We write it ourselves.");
    bench.key(CTRL, Key::Enter);
    bench.publish(|snap| branches::set_adopted(snap, Some(MessageId(5))));
    bench.steps(3);
    assert!(bench.has("Message in the branch"), "the other branch is in front");
    assert!(bench.is_focused("Message"), "{:?}", bench.focused_name());
}

#[test]
fn a_branch_that_is_continued_takes_the_keyboard() {
    let mut bench = Bench::of("branch-archived");
    bench.click("Continue here");
    bench.publish(|snap| {
        let Some(mut view) = snap.view(OLD).map(|view| view.as_ref().clone()) else { return };
        let mut row = view.row.as_ref().clone();
        row.conversation.archived = false;
        view.row = row.into();
        put_view(snap, view);
    });
    bench.steps(3);
    assert!(bench.is_focused("Message in the branch"), "{:?}", bench.focused_name());
}

#[test]
fn the_secondary_button_branches_at_a_message() {
    let mut bench = Bench::of("chat");
    bench.sent();
    bench.secondary_click_part("Message from Developer Codex");
    for row in ["Copy as Markdown", "Mark as decided", "Delete message"] {
        assert!(bench.has_part(row), "{row}");
    }
    // The bar of actions has one of this name, too; both do the same.
    bench.click_part("Branch from here");
    assert_eq!(created(&mut bench), [Some(MessageId(4))]);
}

#[test]
fn hints_of_composers_stay_on_one_line() {
    let mut bench = Bench::with(fixture("branch-pinned"), LARGE, ThemeChoice::Dark);
    let height = |bench: &Bench| bench.rect_of("Message in the branch").map_or(0.0, |rect| rect.height());
    let before = height(&bench);
    bench.publish(|snap| {
        for id in [PKCE, SHOWN] {
            let Some(mut view) = snap.view(id).map(|view| view.as_ref().clone()) else { continue };
            let mut row = view.row.as_ref().clone();
            row.conversation.title = "A title of many words, 제목이 아주 긴 대화, and more of them".into();
            view.row = row.into();
            put_view(snap, view);
        }
    });
    bench.steps(2);
    assert!((height(&bench) - before).abs() < 0.5, "{before} {}", height(&bench));
}

#[test]
fn labels_at_one_checkpoint_keep_their_order() {
    let mut bench = Bench::of("branch-drawer");
    let places = |bench: &Bench| {
        ["OAuth2 PKCE", "Grace window in Redis"]
            .map(|title| bench.rect_of(&format!("Open branch {title}")).map(|rect| rect.left()))
    };
    bench.publish(|snap| {
        let rows = snap.conversations.iter().map(|row| {
            let mut row = row.as_ref().clone();
            if let Some(branch) = row.conversation.branch.as_mut().filter(|branch| branch.parent == SHOWN) {
                branch.checkpoint = Some(MessageId(2));
            }
            std::sync::Arc::new(row)
        });
        snap.conversations = rows.collect();
    });
    bench.steps(2);
    let before = places(&bench);
    assert!(before.iter().all(Option::is_some), "{before:?}");
    bench.publish(|snap| {
        let mut rows: Vec<_> = snap.conversations.to_vec();
        rows.reverse();
        snap.conversations = rows.into();
    });
    bench.steps(2);
    assert_eq!(places(&bench), before);
}
