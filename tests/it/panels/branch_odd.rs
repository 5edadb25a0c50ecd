//! Branches at their limits: the parent goes while one is open, rows are bent, there are hundreds.

use std::sync::Arc;

use egui::{Key, Modifiers};
use tunaflow::api::command::BranchCommand;
use tunaflow::api::snapshot::{ConversationRow, Snapshot};
use tunaflow::model::id::{ConversationId, MessageId};
use tunaflow::ui::testing::SHOWN;
use tunaflow::ui::testing::branches::{self, DEEP, OLD, PKCE, REDIS};

use super::bench::Bench;

/// Changes rows of the list, and those of the open views with them.
fn change(snap: &mut Snapshot, id: ConversationId, change: impl Fn(&mut ConversationRow)) {
    let rows = snap.conversations.iter().map(|row| {
        let mut row = (**row).clone();
        if row.conversation.id == id {
            change(&mut row);
        }
        Arc::new(row)
    });
    snap.conversations = rows.collect();
    let row = snap.conversations.iter().find(|row| row.conversation.id == id).cloned();
    if let (Some(open), Some(row)) = (snap.view(id).cloned(), row) {
        let mut view = (*open).clone();
        view.row = row;
        tunaflow::ui::testing::put_view(snap, view);
    }
}

#[test]
fn a_parent_that_goes_takes_its_drawer_along_and_brings_it_back() {
    for pinned in [false, true] {
        let mut bench = Bench::of(if pinned { "branch-pinned" } else { "branch-drawer" });
        assert!(bench.has("Message in the branch"));
        let mut kept = None;
        bench.publish(|snap| {
            kept = Some(snap.clone());
            let family = [SHOWN, PKCE, DEEP, REDIS, OLD];
            snap.conversations = snap
                .conversations
                .iter()
                .filter(|row| !family.contains(&row.conversation.id))
                .cloned()
                .collect();
            snap.open.retain(|view| !family.contains(&view.row.conversation.id));
            (snap.focus, snap.branch_focus) = (None, None);
        });
        bench.steps(3);
        assert!(!bench.has("Message in the branch") && !bench.has("Unpin branch"), "pinned: {pinned}");
        assert_ne!(bench.route().conversation(), Some(SHOWN));
        assert!(bench.route().conversation().is_some(), "another conversation is there to go on with");
        bench.publish(|snap| {
            let revision = snap.revision;
            *snap = kept.take().unwrap();
            snap.revision = revision;
        });
        bench.click_part("Token refresh race");
        assert!(bench.has("Message"));
        if !bench.has("Message in the branch") {
            bench.key(Modifiers::COMMAND, Key::J);
        }
        assert!(bench.has("Message in the branch"), "pinned: {pinned}");
    }
}

#[test]
fn rows_that_are_their_own_ancestors_are_listed_and_opened() {
    let mut bench = Bench::of("branch-drawer");
    bench.publish(|snap| {
        change(snap, PKCE, |row| {
            if let Some(branch) = &mut row.conversation.branch {
                branch.parent = DEEP;
            }
        });
        change(snap, REDIS, |row| {
            if let Some(branch) = &mut row.conversation.branch {
                branch.parent = REDIS;
            }
        });
    });
    for title in ["OAuth2 PKCE", "Without a library", "Grace window in Redis"] {
        bench.click_part(&format!("{title}, "));
        bench.steps(3);
        assert!(bench.has("Message"), "{title}");
    }
}

#[test]
fn the_head_says_when_the_starting_message_is_gone() {
    let mut bench = Bench::of("branch-drawer");
    assert!(!bench.has("Its starting message is gone"));
    bench.publish(|snap| {
        change(snap, PKCE, |row| {
            if let Some(branch) = &mut row.conversation.branch {
                branch.checkpoint = Some(MessageId(987_654));
            }
        });
    });
    assert!(bench.has("Its starting message is gone"));
}

#[test]
fn a_branch_that_was_continued_can_be_adopted_again() {
    let mut bench = Bench::of("branch-drawer");
    bench.publish(|snap| branches::set_adopted(snap, Some(MessageId(4))));
    assert!(!bench.has("Adopt…"));
    bench.publish(|snap| change(snap, PKCE, |row| row.conversation.archived = false));
    bench.click("Adopt…");
    bench.steps(3);
    assert!(bench.has("Summarise") && bench.has("Last answer"));
}

#[test]
fn hundreds_of_branches_are_listed() {
    let mut bench = Bench::of("branch-drawer");
    bench.publish(|snap| {
        let one = snap.conversations.iter().find(|row| row.conversation.id == DEEP).unwrap().clone();
        let more = (0..500).map(|number| {
            let mut row = (*one).clone();
            row.conversation.id = ConversationId(1_000 + number);
            row.conversation.title = format!("Way {number}");
            if let Some(branch) = &mut row.conversation.branch {
                // Sixty hang on each other, the others beside each other.
                branch.parent = if (1..60).contains(&number) { ConversationId(999 + number) } else { SHOWN };
            }
            Arc::new(row)
        });
        snap.conversations = snap.conversations.iter().cloned().chain(more).collect();
    });
    let started = std::time::Instant::now();
    bench.steps(20);
    assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?} for 20 frames", started.elapsed());
    assert!(bench.has_part("Way 0, "));
    bench.sent();
    bench.click_part("Way 0, ");
    let open = BranchCommand::Open { branch: ConversationId(1_000) };
    assert!(bench.sent().contains(&open.into()));
}
