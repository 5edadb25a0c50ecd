//! A conversation with a branch, and what the database and the window say of it.

use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use tunaflow::api::command::BranchCommand;
use tunaflow::api::snapshot::Snapshot;
use tunaflow::model::branch::{BranchKind, Summary, SummarySource};
use tunaflow::model::id::{ConversationId, MessageId};
use tunaflow::model::message::{ItemBody, Message};
use tunaflow::store::ReadDb;

use crate::support::app::{TestApp, copy_folder, messages};
use crate::support::database;

pub const ECHO: &str = "{\"tell_fork\":true}\n{\"echo\":true}";
pub const WORDS: &str = "결론: JWT, because of the CLI.";

/// A home that is at rest, to be copied: `parent` with two turns, `branch` at its second message with one turn,
/// `inner` in that branch.
pub struct Bed {
    pub home: Arc<TempDir>,
    pub parent: ConversationId,
    pub branch: ConversationId,
    pub inner: ConversationId,
}

impl Bed {
    pub fn make() -> Self {
        let app = TestApp::new();
        let parent = app.scripted(ECHO);
        app.ask(parent, "ask-1");
        let view = app.ask(parent, "ask-2");
        let checkpoint = messages(&view)[1].id;
        let branch = app.branch(parent, checkpoint, None);
        let view = app.ask(branch, "aside-1");
        let inner = app.branch(branch, messages(&view)[1].id, None);
        app.ask(inner, "deeper-1");
        for id in [branch, inner, parent] {
            app.open_whole(id);
        }
        Self { home: app.stop(), parent, branch, inner }
    }

    /// The app over a copy of it.
    pub fn app(&self) -> TestApp {
        self.app_after(|_home| {})
    }

    /// The same, with something done to the copy before.
    pub fn app_after(&self, change: impl FnOnce(&Path)) -> TestApp {
        let copy = Arc::new(TempDir::new().unwrap());
        copy_folder(self.home.path(), copy.path());
        change(copy.path());
        TestApp::in_home(copy, Vec::new())
    }

    /// What the database holds of all this.
    pub fn facts(&self, home: &Path) -> Facts {
        let (parent, branch) = (self.parent, self.branch);
        let card = format!("deleted_ms IS NULL AND conversation = {parent}");
        // One statement: one moment.
        let sql = format!(
            "SELECT (SELECT count(*) FROM message WHERE {card} AND items_json LIKE '%\"adopted\"%'),
               (SELECT id FROM message WHERE {card} ORDER BY seq DESC LIMIT 1),
               json_extract(branch_json, '$.adopted'), archived, (SELECT count(*) FROM link),
               (SELECT count(*) FROM agreement),
               (SELECT message_count FROM conversation WHERE id = {parent})
             FROM conversation WHERE id = {branch}"
        );
        let facts = database::open(home).query_row(&sql, [], |row| {
            let (last, adopted): (Option<i64>, Option<i64>) = (row.get(1)?, row.get(2)?);
            Ok(Facts {
                cards: row.get(0)?,
                card_is_last: last.is_some() && last == adopted,
                adopted: adopted.is_some(),
                archived: row.get(3)?,
                links: row.get(4)?,
                agreements: row.get(5)?,
                counted: row.get(6)?,
            })
        });
        facts.unwrap()
    }
}

/// How an adoption stands in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    pub cards: i64,
    pub card_is_last: bool,
    pub adopted: bool,
    pub archived: bool,
    pub links: i64,
    pub agreements: i64,
    /// The parent's count of its messages.
    pub counted: i64,
}

/// Nothing is adopted.
pub const NOTHING: Facts = Facts {
    cards: 0,
    card_is_last: false,
    adopted: false,
    archived: false,
    links: 0,
    agreements: 0,
    counted: 4,
};
/// All that adopting does.
pub const ADOPTED: Facts = Facts {
    cards: 1,
    card_is_last: true,
    adopted: true,
    archived: true,
    links: 1,
    agreements: 1,
    counted: 5,
};

pub fn create(parent: ConversationId, checkpoint: Option<MessageId>, label: &str) -> BranchCommand {
    let label = Some(label.to_owned());
    BranchCommand::Create { parent, checkpoint, label, seat: None, kind: BranchKind::General }
}

pub fn adopt(branch: ConversationId) -> BranchCommand {
    adopt_with(branch, WORDS)
}

pub fn adopt_with(branch: ConversationId, text: &str) -> BranchCommand {
    let summary = Summary { source: SummarySource::Own, written_by: "you".into(), text: text.into() };
    BranchCommand::Adopt { branch, summary }
}

/// Whether a snapshot shows the branch as adopted.
pub fn shows_adopted(snapshot: &Snapshot, branch: ConversationId) -> bool {
    let row = snapshot.conversations.iter().find(|row| row.conversation.id == branch);
    row.and_then(|row| row.conversation.branch.as_ref()?.facts.adopted).is_some()
}

/// Adopts and waits until the window shows it.
pub fn adopted(app: &TestApp, branch: ConversationId) {
    app.send(adopt(branch));
    app.until("adopted", |s| shows_adopted(s, branch));
}

/// Bodies of the notices that tell of trouble.
pub fn troubles(snapshot: &Snapshot) -> Vec<String> {
    let all = snapshot.notices.iter();
    all.map(|notice| format!("{}: {}", notice.title, notice.body)).collect()
}

/// Sends what must be refused with these words.
pub fn refused(app: &TestApp, command: impl Into<tunaflow::api::command::Command>, words: &str) {
    let known = app.snapshot().notices.iter().map(|notice| notice.id).max();
    app.send(command);
    app.until(&format!("refused: {words}"), |s| {
        s.notices.iter().any(|notice| Some(notice.id) > known && notice.body.contains(words))
    });
}

/// What is shown is what the database holds, as soon as it is written: each row of the list, and each message of the
/// open conversations.
pub fn assert_agrees(app: &TestApp) {
    let started = std::time::Instant::now();
    let mut differs = difference(app);
    while let Some(what) = differs {
        assert!(started.elapsed() < std::time::Duration::from_secs(20), "shown and kept differ: {what}");
        std::thread::yield_now();
        differs = difference(app);
    }
}

fn difference(app: &TestApp) -> Option<String> {
    let db = ReadDb::open_read_only(&database::path(app.home())).unwrap();
    let snapshot = app.snapshot();
    let mut kept: Vec<_> = db.startup().unwrap().conversations;
    let mut shown: Vec<_> = snapshot.conversations.iter().map(|row| row.conversation.clone()).collect();
    kept.sort_by_key(|row| row.id);
    shown.sort_by_key(|row| row.id);
    if shown != kept {
        let rows = shown.iter().zip(&kept).find(|(shown, kept)| shown != kept);
        return Some(format!("{} and {} rows, {rows:#?}", shown.len(), kept.len()));
    }
    for view in &snapshot.open {
        let id = view.row.conversation.id;
        let index: Vec<MessageId> = view.index.iter().map(|entry| entry.id).collect();
        let kept: Vec<MessageId> = db.index(id).unwrap().into_iter().map(|entry| entry.id).collect();
        if index != kept || view.row.conversation.message_count as usize != kept.len() {
            return Some(format!("messages of {id}: {index:?} and {kept:?}"));
        }
        for message in messages(view) {
            // Being unsaved for a while counts as a change of what is shown.
            let plain = |message: &Message| Message { revision: 0, ..message.clone() };
            let kept = db.message(message.id).unwrap();
            if kept.as_ref().map(plain) != Some(plain(&message)) {
                return Some(format!("{message:#?} and {kept:#?}"));
            }
        }
    }
    let kept = db.knowledge(snapshot.project.unwrap()).unwrap();
    let mut agreements = [
        snapshot.knowledge.agreements.iter().map(|row| row.id).collect::<Vec<_>>(),
        kept.agreements.iter().map(|row| row.id).collect(),
    ];
    agreements.iter_mut().for_each(|ids| ids.sort_unstable());
    let links = (snapshot.knowledge.links.len(), kept.links.len());
    (agreements[0] != agreements[1] || links.0 != links.1).then(|| format!("{agreements:?} {links:?}"))
}

/// The newest message, when it is a card.
pub fn last_card(app: &TestApp, parent: ConversationId) -> Option<tunaflow::model::branch::AdoptCard> {
    let last = messages(&app.view(parent)).last().cloned()?;
    last.items
        .iter()
        .find_map(|item| if let ItemBody::Adopted(card) = &item.body { Some(card.clone()) } else { None })
}
