//! Nothing that is done in a branch changes its parent: not a row, not its engine's session, not its pack.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tunaflow::api::command::{BranchCommand, ChatCommand};
use tunaflow::model::branch::BranchStatus;
use tunaflow::model::id::{ConversationId, MessageId};
use tunaflow::model::pack::ContextPack;
use tunaflow::model::project::SeatChoice;
use tunaflow::model::turn::TurnState;

use super::bed::{self, ECHO};
use crate::support::app::{TestApp, last, messages, seat};
use crate::support::database::{self, Dump};

const LIMIT: Duration = Duration::from_secs(20);

/// Every row that belongs to a conversation or names it, and what belongs to its project as a whole.
fn rows_of(app: &TestApp, conversation: ConversationId, apart: &BTreeSet<ConversationId>) -> Dump {
    let id = conversation.to_string();
    let of = |sql: &str| -> BTreeSet<String> {
        let conn = database::open(app.home());
        let mut statement = conn.prepare(sql).unwrap();
        statement
            .query_map([conversation.0], |row| row.get::<_, i64>(0))
            .unwrap()
            .map(|id| id.unwrap().to_string())
            .collect()
    };
    let turns = of("SELECT id FROM turn WHERE conversation = ?1");
    let names: BTreeSet<String> = apart.iter().map(ToString::to_string).collect();
    database::dump(app.home(), |table, row: &BTreeMap<String, String>| {
        let is = |column: &str| row.get(column) == Some(&id);
        let of_other = |column: &str| row.get(column).is_some_and(|value| names.contains(value));
        match table {
            "counter" => false,
            "conversation" => is("id"),
            "turn_event" | "pack" => row.get("turn").is_some_and(|turn| turns.contains(turn)),
            "message" | "turn" | "engine_session" | "draft" | "queued" | "topic" => is("conversation"),
            // Of the project: all but what belongs to a branch.
            _ => !of_other("conversation"),
        }
    })
}

fn preview(app: &TestApp, conversation: ConversationId) -> ContextPack {
    app.send(ChatCommand::Open { conversation });
    app.until("open", |s| s.view(conversation).is_some_and(|view| !view.loading));
    let text = format!("what next, at revision {}?", app.snapshot().revision);
    app.send(ChatCommand::PreviewPack { conversation, text: text.clone() });
    let made = app.until("a preview", |s| {
        s.view(conversation).is_some_and(|view| view.preview.as_ref().is_some_and(|pack| pack.prompt == text))
    });
    let pack = made.view(conversation).unwrap().preview.as_ref().unwrap().pack.clone();
    let mut shown = format!("{pack:?}");
    shown = shown.replace(&text, "");
    assert!(shown.len() > 100, "{shown}");
    pack
}

/// What the model would read, without what it costs to find out.
fn words(pack: &ContextPack) -> Vec<(String, String)> {
    pack.sections.iter().map(|section| (format!("{:?}", section.id), section.text.clone())).collect()
}

struct Watched<'a> {
    app: &'a TestApp,
    parent: ConversationId,
    rows: Dump,
    pack: Vec<(String, String)>,
    branches: BTreeSet<ConversationId>,
}

impl Watched<'_> {
    fn is_as_before(&self, what: &str) {
        database::assert_same(&self.rows, &rows_of(self.app, self.parent, &self.branches), what);
        assert_eq!(words(&preview(self.app, self.parent)), self.pack, "{what}");
    }
}

fn heard(app: &TestApp, conversation: ConversationId, text: &str) -> String {
    let view = app.ask(conversation, text);
    assert_eq!(view.turn.as_ref().unwrap().state, TurnState::Done);
    last(&view).plain_text()
}

/// Everything a user can do in a branch, one after the other.
fn all_kinds_of_things(
    watched: &mut Watched<'_>,
    checkpoint: MessageId,
    other: Option<SeatChoice>,
    forks: bool,
) {
    let (app, parent) = (watched.app, watched.parent);
    let branch = app.branch(parent, checkpoint, other);
    watched.branches.insert(branch);
    watched.is_as_before("made");
    let first = heard(app, branch, "aside-1");
    assert_eq!(first.starts_with("fork of "), forks, "{first}");
    heard(app, branch, "aside-2");
    let view = app.ask(branch, "aside-3");
    watched.is_as_before("spoken in");

    let shown = messages(&view);
    app.send(ChatCommand::EditAndResend { message: shown[2].id, text: "aside-2, in other words".into() });
    app.until("replaced", |s| s.view(branch).is_some_and(|v| v.index.len() == 4 && v.live.is_empty()));
    let view = app.until_idle(branch);
    let edited = last(&view).plain_text();
    assert!(edited.contains("aside-1") && edited.contains("in other words"), "{edited}");
    assert!(!edited.contains("aside-3"), "{edited}");
    let answer = last(&view).id;
    app.send(ChatCommand::Regenerate { message: answer, engine: None });
    app.until("another answer", |s| s.view(branch).is_some_and(|v| v.index.len() == 5 && v.live.is_empty()));
    app.until_idle(branch);
    app.send(ChatCommand::DeleteMessage { message: answer });
    app.until("one less", |s| s.view(branch).is_some_and(|v| v.index.len() == 4));
    app.send(ChatCommand::UndoEdit { conversation: branch });
    app.until("back", |s| s.view(branch).is_some_and(|v| !v.loading && v.index.len() == 5));
    watched.is_as_before("edited and asked again");

    let hanging = seat(&app.script("{\"text\":\"part\"}\n{\"hang\":true}"));
    app.send(ChatCommand::SetSeat { conversation: branch, seat: hanging });
    app.begin(branch, "aside-4");
    app.until("part", |s| {
        s.view(branch).is_some_and(|v| v.live.first().is_some_and(|m| m.plain_text() == "part"))
    });
    app.say(branch, "waits");
    app.until("it waits", |s| s.view(branch).is_some_and(|v| v.queue.len() == 1));
    watched.is_as_before("while it runs");
    let queued = app.view(branch).queue[0].id;
    app.send(ChatCommand::RemoveQueued { queued });
    app.send(ChatCommand::Stop { conversation: branch });
    app.until_state(branch, TurnState::Stopped);
    app.send(ChatCommand::Rename { conversation: branch, title: "Another name".into() });
    app.send(BranchCommand::SetGitBranch { branch, git_branch: Some("feature/x".into()) });
    app.send(BranchCommand::SetHint { branch, on: false, told: false });
    app.send(ChatCommand::SetArchived { conversation: branch, archived: true });
    app.until("archived", |s| status(s, branch) == Some(BranchStatus::Archived));
    watched.is_as_before("renamed and archived");
    app.send(ChatCommand::SetArchived { conversation: branch, archived: false });
    app.until("active", |s| status(s, branch) == Some(BranchStatus::Active));

    let deeper = app.branch(branch, answer, Some(seat(&app.script(ECHO))));
    watched.branches.insert(deeper);
    heard(app, deeper, "deeper-1");
    watched.is_as_before("a branch in it");
    app.send(ChatCommand::Delete { conversation: branch });
    app.until("deleted", |s| status(s, branch).is_none() && status(s, deeper).is_none());
    watched.is_as_before("deleted");
    app.send(ChatCommand::UndoDelete { conversation: branch });
    app.until("back", |s| status(s, branch).is_some() && status(s, deeper).is_some());
    watched.is_as_before("and brought back");
}

fn status(snapshot: &tunaflow::api::snapshot::Snapshot, id: ConversationId) -> Option<BranchStatus> {
    let row = snapshot.conversations.iter().find(|row| row.conversation.id == id)?;
    row.conversation.branch_status()
}

fn session_of(app: &TestApp, conversation: ConversationId) -> String {
    let conn = database::open(app.home());
    let sql = "SELECT session FROM engine_session WHERE conversation = ?1";
    conn.query_row(sql, [conversation.0], |row| row.get(0)).unwrap()
}

fn nothing_changes_the_parent(inherits: bool) {
    let app = TestApp::new();
    let parent = app.scripted(ECHO);
    for number in 1..=3 {
        app.ask(parent, &format!("ask-{number}"));
    }
    let said = messages(&app.view(parent));
    // The window knows of an end before the disk does, and a pack is made of what the disk holds.
    let open = "SELECT count(*) FROM turn WHERE state <> 'done'";
    app.poll("all is kept", LIMIT, || (database::number(app.home(), open) == 0).then_some(()));
    let session = session_of(&app, parent);
    let pack = words(&preview(&app, parent));
    app.until("knowledge", |s| !s.knowledge.loading);
    // Looked at, it is read: that is the last that is written of it.
    let unread = format!("SELECT unread FROM conversation WHERE id = {parent}");
    app.poll("read", LIMIT, || (database::number(app.home(), &unread) == 0).then_some(()));
    let branches = BTreeSet::new();
    let rows = rows_of(&app, parent, &branches);
    let mut watched = Watched { app: &app, parent, rows, pack, branches };
    let other = inherits.then(|| seat(&app.script(ECHO)));
    all_kinds_of_things(&mut watched, said[3].id, other, !inherits);

    // Adopting changes the parent's row, adds a card, a link and an agreement, and nothing else.
    let branch = *watched.branches.first().unwrap();
    bed::adopted(&app, branch);
    let links = "SELECT count(*) FROM link";
    app.poll("kept", LIMIT, || (database::number(app.home(), links) == 1).then_some(()));
    let mut after = rows_of(&app, parent, &watched.branches);
    for table in ["conversation", "link", "agreement"] {
        let rows = after.insert(table.to_owned(), watched.rows[table].clone()).unwrap();
        assert_eq!(rows.len(), 1, "{rows:?}");
    }
    let cards = after.get_mut("message").unwrap();
    cards.retain(|row| watched.rows["message"].contains(row));
    database::assert_same(&watched.rows, &after, "adopted");
    assert_eq!(session_of(&app, parent), session);

    // The parent goes on in the session it had, and hears of the branch what was adopted.
    let text = heard(&app, parent, "ask-4");
    assert!(text.starts_with("no fork") && text.contains(bed::WORDS), "{text}");
    assert!(!text.contains("ask-3") && !text.contains("aside-1"), "only what is new: {text}");
    assert_eq!(session_of(&app, parent), session);
}

#[test]
fn nothing_in_a_fork_changes_the_parent() {
    nothing_changes_the_parent(false);
}

#[test]
fn nothing_in_a_branch_told_in_words_changes_the_parent() {
    nothing_changes_the_parent(true);
}
