//! A write that fails at any one of its steps: all of it or nothing is kept, told once, and it works later.

use std::path::Path;
use std::time::Duration;

use tunaflow::api::command::{BranchCommand, ChatCommand, Command};
use tunaflow::api::snapshot::{DatabaseStatus, Snapshot};

use super::bed::{self, ADOPTED, Bed, NOTHING};
use crate::support::app::{TestApp, messages};
use crate::support::database::{self, Dump, Fault};

/// More row changes than any of these makes.
const STEPS_MAX: u32 = 30;
const LIMIT: Duration = Duration::from_secs(20);

/// What is done, and how it is seen in the window when it is done.
struct Deed {
    command: fn(&Bed) -> Command,
    shown: fn(&Snapshot, &Bed) -> bool,
    /// Whether the database holds all of it; panics when it holds a part.
    kept: fn(&Path, &Bed) -> bool,
    /// Row changes it takes at least.
    steps: u32,
}

fn whole(home: &Path) -> Dump {
    database::dump(home, |_, _| true)
}

fn failing(snapshot: &Snapshot) -> bool {
    matches!(snapshot.app.database, DatabaseStatus::WritesFail { .. })
}

/// Opens all and waits until nothing more is written.
fn at_rest(bed: &Bed) -> TestApp {
    let app = bed.app_after(|home| database::lay(home, Fault::Abort));
    app.until("knowledge", |s| s.knowledge.project.is_some() && !s.knowledge.loading);
    if app.snapshot().conversations.iter().any(|row| row.conversation.id == bed.parent) {
        app.open_whole(bed.parent);
    }
    app
}

/// Fails at each step in turn; once the fault is lifted while the app runs, once only after it has ended.
fn fails_at_each_step(bed: &Bed, deed: &Deed) {
    for step in 1..STEPS_MAX {
        let app = at_rest(bed);
        let before = whole(app.home());
        let known = app.snapshot().notices.len();
        database::arm(app.home(), step);
        app.send((deed.command)(bed));
        let failed = app.poll("kept or failed", LIMIT, || {
            if failing(&app.snapshot()) { Some(true) } else { (deed.kept)(app.home(), bed).then_some(false) }
        });
        if !failed {
            assert!(step > deed.steps, "only {step} row changes");
            app.until("shown", |s| (deed.shown)(s, bed));
            return bed::assert_agrees(&app);
        }
        database::assert_same(&before, &whole(app.home()), &format!("nothing is kept, step {step}"));
        app.until("shown all the same", |s| (deed.shown)(s, bed));
        let unsaved = |app: &TestApp| {
            app.snapshot().open.iter().any(|view| messages(view).iter().any(|message| message.unsaved))
        };
        if (deed.shown)(&app.snapshot(), bed)
            && matches!((deed.command)(bed), Command::Branch(BranchCommand::Adopt { .. }))
        {
            assert!(unsaved(&app), "the card says that it is not kept");
        }
        if step % 2 == 0 {
            ends_and_begins_again(app, bed, deed, step);
            continue;
        }
        database::arm(app.home(), 0);
        app.until("works again", |s| s.app.database == DatabaseStatus::Ok);
        assert!((deed.kept)(app.home(), bed), "all of it is kept, step {step}");
        bed::assert_agrees(&app);
        let told: Vec<String> = bed::troubles(&app.snapshot())
            .into_iter()
            .filter(|told| told.contains("cannot be saved"))
            .collect();
        assert_eq!(told.len(), 1, "told once: {told:?}");
        assert!(app.snapshot().notices.len() <= known + 2, "{:?}", app.snapshot().notices);
        database::assert_sound(app.home());
    }
    panic!("it never worked");
}

/// The app ends while nothing can be kept: nothing of it is there later, and it can be done then.
fn ends_and_begins_again(app: TestApp, bed: &Bed, deed: &Deed, step: u32) {
    let app = app.restart_after(|home| {
        assert!(!(deed.kept)(home, bed), "step {step}");
        database::lift(home);
        database::assert_sound(home);
    });
    app.until("knowledge", |s| s.knowledge.project.is_some() && !s.knowledge.loading);
    if app.snapshot().conversations.iter().any(|row| row.conversation.id == bed.parent) {
        app.open_whole(bed.parent);
        assert!(!(deed.shown)(&app.snapshot(), bed), "nothing half is shown");
        bed::assert_agrees(&app);
        app.send((deed.command)(bed));
        app.until("done now", |s| (deed.shown)(s, bed));
        app.poll("kept now", LIMIT, || (deed.kept)(app.home(), bed).then_some(()));
    }
}

fn either(facts: bed::Facts, all: bed::Facts, none: bed::Facts) -> bool {
    assert!(facts == all || facts == none, "half of it: {facts:?}");
    facts == all
}

#[test]
fn adopting_fails_at_each_step() {
    let deed = Deed {
        command: |bed| bed::adopt(bed.branch).into(),
        shown: |s, bed| bed::shows_adopted(s, bed.branch),
        kept: |home, bed| either(bed.facts(home), ADOPTED, NOTHING),
        steps: 5,
    };
    fails_at_each_step(&Bed::make(), &deed);
}

#[test]
fn taking_back_fails_at_each_step() {
    let mut bed = Bed::make();
    let app = bed.app();
    app.open_whole(bed.parent);
    bed::adopted(&app, bed.branch);
    bed.home = app.stop();
    let deed = Deed {
        command: |bed| BranchCommand::UndoAdopt { branch: bed.branch }.into(),
        shown: |s, bed| !bed::shows_adopted(s, bed.branch),
        kept: |home, bed| either(bed.facts(home), NOTHING, ADOPTED),
        steps: 5,
    };
    fails_at_each_step(&bed, &deed);
}

fn branches(home: &Path, deleted: bool) -> i64 {
    let which = if deleted { "NOT NULL" } else { "NULL" };
    database::number(home, &format!("SELECT count(*) FROM conversation WHERE deleted_ms IS {which}"))
}

#[test]
fn making_one_fails_at_each_step() {
    let deed = Deed {
        command: |bed| bed::create(bed.parent, None, "A new one").into(),
        shown: |s, _| s.conversations.len() == 4,
        kept: |home, _| match branches(home, false) {
            3 => false,
            4 => {
                let whole = "SELECT count(*) FROM conversation WHERE title = 'A new one' AND parent IS NOT NULL AND branch_json IS NOT NULL";
                assert_eq!(database::number(home, whole), 1);
                true
            }
            other => panic!("{other} conversations"),
        },
        steps: 1,
    };
    fails_at_each_step(&Bed::make(), &deed);
}

/// All three or none: `kept` once they are deleted.
fn all_or_none(home: &Path, deleted: bool) -> bool {
    let count = branches(home, deleted);
    assert!([0, 3].contains(&count), "{count} of 3 are deleted");
    count == 3
}

#[test]
fn deleting_with_what_hangs_on_it_fails_at_each_step() {
    let deed = Deed {
        command: |bed| ChatCommand::Delete { conversation: bed.parent }.into(),
        shown: |s, _| s.conversations.is_empty(),
        kept: |home, _| all_or_none(home, true),
        steps: 3,
    };
    fails_at_each_step(&Bed::make(), &deed);
}

/// Undo lives as long as the program, so the fault is lifted while it runs.
#[test]
fn bringing_back_fails_at_each_step() {
    let bed = Bed::make();
    for step in 1..=4 {
        let app = at_rest(&bed);
        app.send(ChatCommand::Delete { conversation: bed.parent });
        app.poll("deleted", LIMIT, || all_or_none(app.home(), true).then_some(()));
        app.until("gone", |s| s.conversations.is_empty());
        database::arm(app.home(), step);
        app.send(ChatCommand::UndoDelete { conversation: bed.parent });
        app.until("shown", |s| s.conversations.len() == 3);
        if step <= 3 {
            app.until("failed", failing);
            assert!(all_or_none(app.home(), true), "step {step}");
            database::arm(app.home(), 0);
            app.until("works again", |s| s.app.database == DatabaseStatus::Ok);
        }
        app.poll("back", LIMIT, || all_or_none(app.home(), false).then_some(()));
        app.open_whole(bed.parent);
        bed::assert_agrees(&app);
        let app = app.restart();
        assert_eq!(app.snapshot().conversations.len(), 3, "nothing was erased");
    }
}

/// Done and taken back while nothing can be kept: in the end nothing is.
#[test]
fn adopting_and_taking_back_while_nothing_can_be_kept() {
    let bed = Bed::make();
    let app = at_rest(&bed);
    let before = whole(app.home());
    database::arm(app.home(), 1);
    for _round in 0..3 {
        bed::adopted(&app, bed.branch);
        app.until("failed", failing);
        app.send(BranchCommand::UndoAdopt { branch: bed.branch });
        app.until("taken back", |s| !bed::shows_adopted(s, bed.branch));
    }
    database::assert_same(&before, &whole(app.home()), "nothing is kept");
    database::arm(app.home(), 0);
    app.until("works again", |s| s.app.database == DatabaseStatus::Ok);
    assert_eq!(bed.facts(app.home()), NOTHING);
    bed::assert_agrees(&app);
    bed::adopted(&app, bed.branch);
    app.poll("kept", LIMIT, || (bed.facts(app.home()) == ADOPTED).then_some(()));
    let app = app.restart_after(database::lift);
    app.open_whole(bed.parent);
    bed::assert_agrees(&app);
}

/// Another program holds the file for longer than a write waits.
#[test]
fn adopting_into_a_locked_database() {
    let bed = Bed::make();
    let app = at_rest(&bed);
    let before = whole(app.home());
    let other = database::open(app.home());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    app.send(bed::adopt(bed.branch));
    app.until("told", |s| bed::troubles(s).iter().any(|told| told.contains("in use by another program")));
    database::assert_same(&before, &whole(app.home()), "nothing is kept");
    other.execute_batch("ROLLBACK").unwrap();
    app.until("works again", |s| s.app.database == DatabaseStatus::Ok);
    assert_eq!(bed.facts(app.home()), ADOPTED);
    bed::assert_agrees(&app);
}

/// The app dies right after each answer of the window: what it showed is there whole, or not at all.
#[test]
fn a_crash_after_each_of_them() {
    let bed = Bed::make();
    let app = at_rest(&bed);
    bed::adopted(&app, bed.branch);
    let app = app.crash_and_restart();
    let facts = bed.facts(app.home());
    assert!(facts == ADOPTED || facts == NOTHING, "{facts:?}");
    app.open_whole(bed.parent);
    bed::assert_agrees(&app);
    app.until("knowledge", |s| !s.knowledge.loading);
    app.send(ChatCommand::Delete { conversation: bed.parent });
    app.until("gone", |s| s.conversations.is_empty());
    app.send(ChatCommand::UndoDelete { conversation: bed.parent });
    app.until("back", |s| s.conversations.len() == 3);
    let app = app.crash_and_restart();
    assert!([0, 3].contains(&app.snapshot().conversations.len()));
    database::assert_sound(app.home());
}
