//! Reports 50 and 51 of users of such programs: a branch drops or adds a message; a message lands elsewhere, or is
//! lost, after views were switched.

use std::collections::BTreeMap;

use tunaflow::api::command::{BranchCommand, ChatCommand};
use tunaflow::model::id::ConversationId;

use super::bed::ECHO;
use crate::support::app::{TestApp, last, messages, seat};
use crate::support::database;

/// At message 5 of 9, which is the user's, and at 6, an answer: exactly up to it, told or forked.
#[test]
fn a_branch_in_the_middle_holds_what_came_before_and_nothing_after() {
    let app = TestApp::new();
    let parent = app.scripted(ECHO);
    for number in 1..=4 {
        app.ask(parent, &format!("ask-{number}"));
    }
    let hanging = seat(&app.script("{\"turn\":\"ask-5\"}\n{\"hang\":true}"));
    app.send(ChatCommand::SetSeat { conversation: parent, seat: hanging });
    app.begin(parent, "ask-5");
    let said: Vec<_> = app.view(parent).index.iter().map(|entry| entry.id).collect();
    assert!(said.len() >= 9);
    for (at, forks) in [(4, false), (5, false), (3, true)] {
        let (seat, told) = if forks { (None, 2) } else { (Some(seat(&app.script(ECHO))), 3) };
        // A fork needs the engine of the checkpoint.
        let seat = if forks {
            Some(messages(&app.view(parent))[3].clone()).map(|_| seat_of(&app, parent, 3))
        } else {
            seat
        };
        let branch = app.branch(parent, said[at], seat);
        let text = last(&app.ask(branch, "aside")).plain_text();
        assert_eq!(text.starts_with("fork of "), forks, "{at}: {text}");
        for number in 1..=5 {
            let holds = text.contains(&format!("[User]\nask-{number}"));
            assert_eq!(holds, !forks && number <= told, "{at}: ask-{number} in {text}");
        }
        assert!(!text.contains("ask-4") && !text.contains("ask-5"), "{at}: {text}");
    }
}

/// The seat that gave an answer.
fn seat_of(
    app: &TestApp,
    conversation: ConversationId,
    place: usize,
) -> tunaflow::model::project::SeatChoice {
    let turn = messages(&app.view(conversation))[place].turn.unwrap();
    let db = tunaflow::store::ReadDb::open_read_only(&database::path(app.home())).unwrap();
    db.turn(turn).unwrap().unwrap().seat
}

/// Rows of every conversation, by conversation.
fn counts(app: &TestApp) -> BTreeMap<i64, i64> {
    let conn = database::open(app.home());
    let mut statement = conn
        .prepare("SELECT conversation, count(*) FROM message WHERE deleted_ms IS NULL GROUP BY 1")
        .unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// A → B → A, more often than views are kept loaded; then a message goes to the end of A, and to nobody else.
#[test]
fn switching_loses_nothing_and_sends_to_where_one_is() {
    let app = TestApp::new();
    let [a, b] = ["a", "b"].map(|name| {
        let id = app.scripted(ECHO);
        for number in 1..=3 {
            app.ask(id, &format!("{name}-{number}"));
        }
        id
    });
    app.send(ChatCommand::Open { conversation: a });
    app.until("open", |s| s.focus == Some(a));
    let at = messages(&app.view(a))[1].id;
    let branches: Vec<ConversationId> = (0..6)
        .map(|number| {
            app.send(ChatCommand::Open { conversation: a });
            app.until("open", |s| s.focus == Some(a) && s.view(a).is_some_and(|view| !view.loading));
            let branch = app.branch(a, at, None);
            app.ask(branch, &format!("aside-{number}"));
            branch
        })
        .collect();
    let writing = "SELECT count(*) FROM message WHERE state = 'streaming'";
    app.poll("all is written", std::time::Duration::from_secs(20), || {
        (database::number(app.home(), writing) == 0).then_some(())
    });
    let before = database::dump(app.home(), |table, _| table == "message");
    for _round in 0..3 {
        for id in [a, b].iter().chain(&branches) {
            if branches.contains(id) {
                app.send(BranchCommand::Open { branch: *id });
                app.until("beside", |s| s.branch_focus == Some(*id));
            } else {
                app.send(ChatCommand::Open { conversation: *id });
                app.until("in focus", |s| s.focus == Some(*id));
            }
        }
    }
    for id in [b, a] {
        app.open_whole(id);
    }
    database::assert_same(
        &before,
        &database::dump(app.home(), |table, _| table == "message"),
        "looking changes nothing",
    );
    let kept = counts(&app);
    app.ask(a, "a-4");
    let mut expected = kept.clone();
    *expected.get_mut(&a.0).unwrap() += 2;
    assert_eq!(counts(&app), expected);
    let view = app.view(a);
    let shown = messages(&view);
    assert_eq!(shown[shown.len() - 2].plain_text(), "a-4", "at the end of A");
    let deepest = branches[2];
    app.send(BranchCommand::Open { branch: deepest });
    app.until("beside", |s| s.view(deepest).is_some_and(|view| !view.loading));
    app.ask(deepest, "aside again");
    *expected.get_mut(&deepest.0).unwrap() += 2;
    assert_eq!(counts(&app), expected);
    let app = app.restart();
    assert_eq!(counts(&app), expected);
    assert_eq!(app.open_whole(branches[0]).len(), 2);
}
