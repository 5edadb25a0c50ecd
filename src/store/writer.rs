//! The one writer.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use crate::model::id::ConversationId;
use crate::model::record::StoreWrite;

use super::error::{StoreError, StoreResult};
use super::migrate::{self, Safety};
use super::{
    backup, conversations, file, knowledge, links, messages, pending, plans, projects, sessions, settings,
    turns,
};

/// Messages erased in one transaction: short enough that a waiting write is not held up.
const ERASE_STEP: u32 = 500;

/// The writing end of one database. Exactly one exists per file; readers are [`super::ReadDb`].
#[derive(Debug)]
pub struct Store {
    conn: Connection,
    db_path: PathBuf,
    backups_dir: PathBuf,
    /// Highest id ever written, as kept in the file.
    highest_id: i64,
    /// Conversations taken off the lists before this start, still to be erased for good.
    to_erase: Vec<ConversationId>,
    /// Messages taken out until then are still to be erased for good.
    erase_until_ms: Option<i64>,
}

impl Store {
    /// Opens the database, or makes it when there is none, and brings it up to date.
    ///
    /// Looks only at what is cheap (header, version, tables; small files and small tables whole), so that a
    /// big database opens at once; call [`super::quick_check`] later for the rest. Before an older database is
    /// changed, a copy goes into `backups_dir`. `now_ms` only names that copy.
    ///
    /// Errors: [`StoreError::TooNew`], [`StoreError::Damaged`] — in both cases the file is left as it is — and
    /// those of the disk. An empty file is taken as new only while there are no backups.
    pub fn open(db_path: &Path, backups_dir: &Path, now_ms: i64) -> Result<Self, StoreError> {
        if let Some(folder) = db_path.parent() {
            fs::create_dir_all(folder)?;
        }
        let there = file::check_header(db_path)?;
        if there {
            // Read-only first: a file that is refused must not even get a log beside it checkpointed.
            let reader = file::open_reader(db_path)?;
            migrate::check_version(&reader, migrate::known_version())?;
            file::check_at_open(&reader, db_path)?;
        } else if db_path.exists() && !backup::list_backups(backups_dir).is_empty() {
            return Err(StoreError::damaged("the file is empty, but there are backups"));
        }
        file::create_private(db_path)?;
        let mut conn = file::open_writer(db_path)?;
        file::prepare_writer(&conn)?;
        migrate::run(&mut conn, migrate::MIGRATIONS, &Safety { db_path, backups_dir, now_ms })?;
        let highest_id =
            conn.query_row("SELECT value FROM counter WHERE name = 'highest_id'", [], |row| row.get(0));
        let to_erase = conversations::deleted(&conn)?;
        let erase_until_ms = messages::newest_deletion(&conn)?;
        Ok(Self {
            highest_id: highest_id.unwrap_or_default(),
            to_erase,
            erase_until_ms,
            conn,
            db_path: db_path.to_owned(),
            backups_dir: backups_dir.to_owned(),
        })
    }

    /// Applies one batch in order: all of it or, on an error, nothing.
    pub fn apply(&mut self, batch: &[StoreWrite]) -> Result<(), StoreError> {
        self.apply_joined(&[batch])
    }

    /// Applies several batches in order in one transaction: all or nothing.
    pub(super) fn apply_joined(&mut self, batches: &[&[StoreWrite]]) -> StoreResult<()> {
        let writes = || batches.iter().copied().flatten();
        let highest_id = writes().map(highest_id).max().unwrap_or_default().max(self.highest_id);
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for write in writes() {
            apply_one(&tx, write)?;
        }
        if highest_id > self.highest_id {
            tx.prepare_cached("UPDATE counter SET value = ?1 WHERE name = 'highest_id'")?
                .execute([highest_id])?;
        }
        tx.commit()?;
        self.highest_id = highest_id;
        Ok(())
    }

    /// Erases a little of what was deleted before this start; true while there is more to do.
    ///
    /// What is deleted from now on stays until the next start, so that it can be brought back.
    pub fn erase_deleted_step(&mut self) -> Result<bool, StoreError> {
        if let Some(until_ms) = self.erase_until_ms {
            let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let more = messages::erase_some(&tx, until_ms, ERASE_STEP)?;
            tx.commit()?;
            self.erase_until_ms = more.then_some(until_ms);
            return Ok(more || !self.to_erase.is_empty());
        }
        let Some(conversation) = self.to_erase.last().copied() else { return Ok(false) };
        let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let more = conversations::erase_some(&tx, conversation, ERASE_STEP)?;
        tx.commit()?;
        if !more {
            self.to_erase.pop();
        }
        Ok(more || !self.to_erase.is_empty())
    }

    /// As [`backup_if_due`](super::backup_if_due) for this database. It takes as long as the file is big.
    pub fn backup_if_due(&self, now_ms: i64) -> Result<Option<PathBuf>, StoreError> {
        backup::backup_if_due(&self.db_path, &self.backups_dir, now_ms)
    }

    /// Moves the log into the database and closes it.
    pub fn close(self) -> Result<(), StoreError> {
        // A reader may hold the log; what is in it is safe there, so only real faults count.
        self.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        self.conn.close().map_err(|(_, error)| error.into())
    }

    #[cfg(test)]
    pub(super) fn connection(&self) -> &Connection {
        &self.conn
    }
}

fn apply_one(conn: &Connection, write: &StoreWrite) -> StoreResult<()> {
    match write {
        StoreWrite::PutProject(project) => projects::put(conn, project),
        StoreWrite::RemoveProject(project) => projects::remove(conn, *project),
        StoreWrite::PutConversation(conversation) => conversations::put(conn, conversation),
        StoreWrite::SetConversationDeleted { conversation, deleted_ms } => {
            conversations::set_deleted(conn, *conversation, *deleted_ms)
        }
        StoreWrite::PutMessage(message) => messages::put(conn, message),
        StoreWrite::SetMessagesDeleted { messages, deleted_ms } => {
            messages::set_deleted(conn, messages, *deleted_ms)
        }
        StoreWrite::PutTurn(turn) => turns::put(conn, turn),
        StoreWrite::AppendTurnEvent { turn, at_ms, kind, json } => {
            turns::append_event(conn, *turn, *at_ms, kind, json)
        }
        StoreWrite::PutPack { turn, pack, sent_text } => turns::put_pack(conn, *turn, pack, sent_text),
        StoreWrite::PutSession(session) => sessions::put(conn, session),
        StoreWrite::DropSession { conversation, engine } => sessions::drop_one(conn, *conversation, engine),
        StoreWrite::DropSessions { conversation } => sessions::drop_all(conn, *conversation),
        StoreWrite::PutDraft { conversation, draft } => {
            pending::put_draft(conn, *conversation, draft.as_ref())
        }
        StoreWrite::PutQueued(queued) => pending::put_queued(conn, queued),
        StoreWrite::RemoveQueued(id) => pending::remove_queued(conn, *id),
        StoreWrite::PutSetting { name, json } => settings::put(conn, name, json),
        StoreWrite::PutPlan(plan) => plans::put(conn, plan),
        StoreWrite::RemovePlan(id) => knowledge::remove(conn, "plan", id.0),
        StoreWrite::PutFinding(finding) => knowledge::put_finding(conn, finding),
        StoreWrite::RemoveFinding(id) => knowledge::remove(conn, "finding", id.0),
        StoreWrite::PutAgreement(agreement) => knowledge::put_agreement(conn, agreement),
        StoreWrite::RemoveAgreement(id) => knowledge::remove(conn, "agreement", id.0),
        StoreWrite::PutArtifact(artifact) => knowledge::put_artifact(conn, artifact),
        StoreWrite::RemoveArtifact(id) => knowledge::remove(conn, "artifact", id.0),
        StoreWrite::PutTopic(topic) => knowledge::put_topic(conn, topic),
        StoreWrite::RemoveTopic(id) => knowledge::remove(conn, "topic", id.0),
        StoreWrite::PutLink(link) => links::put(conn, link),
        StoreWrite::RemoveLink { conversation, linked } => links::remove(conn, *conversation, *linked),
        StoreWrite::PutSkillSwitch(switch) => links::put_switch(conn, switch),
        StoreWrite::RemoveSkillSwitch { project, conversation, skill } => {
            links::remove_switch(conn, *project, *conversation, skill)
        }
    }
}

/// The highest id that a change brings in.
fn highest_id(write: &StoreWrite) -> i64 {
    match write {
        StoreWrite::PutProject(project) => project.id.0,
        StoreWrite::PutConversation(conversation) => conversation.id.0,
        StoreWrite::PutMessage(message) => message.id.0,
        StoreWrite::PutTurn(turn) => turn.id.0,
        StoreWrite::PutQueued(queued) => queued.id.0,
        StoreWrite::PutPlan(plan) => plan.id.0,
        StoreWrite::PutFinding(finding) => finding.id.0,
        StoreWrite::PutAgreement(agreement) => agreement.id.0,
        StoreWrite::PutArtifact(artifact) => artifact.id.0,
        StoreWrite::PutTopic(topic) => topic.id.0,
        StoreWrite::RemoveProject(_)
        | StoreWrite::SetConversationDeleted { .. }
        | StoreWrite::SetMessagesDeleted { .. }
        | StoreWrite::AppendTurnEvent { .. }
        | StoreWrite::PutPack { .. }
        | StoreWrite::PutSession(_)
        | StoreWrite::DropSession { .. }
        | StoreWrite::DropSessions { .. }
        | StoreWrite::PutDraft { .. }
        | StoreWrite::RemoveQueued(_)
        | StoreWrite::RemovePlan(_)
        | StoreWrite::RemoveFinding(_)
        | StoreWrite::RemoveAgreement(_)
        | StoreWrite::RemoveArtifact(_)
        | StoreWrite::RemoveTopic(_)
        | StoreWrite::PutLink(_)
        | StoreWrite::RemoveLink { .. }
        | StoreWrite::PutSkillSwitch(_)
        | StoreWrite::RemoveSkillSwitch { .. }
        | StoreWrite::PutSetting { .. } => 0,
    }
}
