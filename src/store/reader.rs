//! Reading, beside the writer and never in its way.

use std::path::Path;

use rusqlite::Connection;

use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, MessageId, ProjectId, TurnId};
use crate::model::knowledge::{
    Agreement, ArtifactStart, Finding, KNOWLEDGE_MAX_ROWS, Knowledge, Link, SkillSwitch, Topic,
};
use crate::model::message::Message;
use crate::model::pack::{ContextPack, PackReport};
use crate::model::plan::Plan;
use crate::model::project::{Conversation, Project};
use crate::model::record::{EngineSession, IndexRow, Startup, TurnRecord};

use super::error::{StoreError, StoreResult};
use super::find::{self, Found};
use super::turns::TurnEventRow;
use super::{
    codec, conversations, file, knowledge, links, messages, migrate, pending, plans, projects, sessions,
    settings, turns,
};

pub(super) const NEXT_ID: &str = "
    SELECT max(
      (SELECT value FROM counter WHERE name = 'highest_id'),
      (SELECT ifnull(max(id), 0) FROM project),
      (SELECT ifnull(max(id), 0) FROM conversation),
      (SELECT ifnull(max(id), 0) FROM message),
      (SELECT ifnull(max(id), 0) FROM turn),
      (SELECT ifnull(max(id), 0) FROM queued),
      (SELECT ifnull(max(id), 0) FROM plan),
      (SELECT ifnull(max(id), 0) FROM finding),
      (SELECT ifnull(max(id), 0) FROM agreement),
      (SELECT ifnull(max(id), 0) FROM artifact),
      (SELECT ifnull(max(id), 0) FROM topic)) + 1";

/// One read-only connection. It may move between threads but serves one at a time; open one for each.
///
/// Every call sees the newest finished batch. Rows that cannot be read are replaced or left out as each call
/// says and never fail the call; [`StoreError::Damaged`] means that the file itself is unsound there.
#[derive(Debug)]
pub struct ReadDb {
    conn: Connection,
}

impl ReadDb {
    /// Opens an existing database for reading; works on a damaged one as far as it can be read.
    pub fn open_read_only(db_path: &Path) -> Result<Self, StoreError> {
        file::check_header(db_path).or_else(|error| match error {
            // A file cut short may still hold most of what was said.
            StoreError::Damaged { .. } => Ok(true),
            other => Err(other),
        })?;
        let conn = file::open_reader(db_path)?;
        let (found, known) = (migrate::found_version(&conn)?, migrate::known_version());
        if found > known {
            return Err(StoreError::TooNew { found, known });
        }
        Ok(Self { conn })
    }

    /// Gives cached pages back to the system: a connection at rest should cost next to nothing.
    pub fn release_memory(&self) {
        if let Err(error) = self.conn.execute_batch("PRAGMA shrink_memory") {
            tracing::debug!(%error, "cached pages were kept");
        }
    }

    /// Everything but messages, from one moment. Conversations newest first, projects last opened first.
    ///
    /// Rows with unreadable parts come with harmless values in their place (title `Conversation 7`, engine
    /// `unknown`), so that what lies below them stays reachable; unreadable settings are left out.
    /// Of a damaged file (found at [`super::Store::open`] or by [`super::quick_check`]) it gives what can be
    /// read, so that the history can be looked at while the user decides.
    pub fn startup(&self) -> Result<Startup, StoreError> {
        let moment = self.conn.unchecked_transaction()?;
        let startup = Startup {
            projects: projects::list(&moment)?,
            conversations: conversations::list(&moment)?,
            queued: readable(pending::queued(&moment))?,
            drafts: readable(pending::drafts(&moment))?,
            settings: readable(settings::list(&moment))?,
            open_turns: readable(turns::open(&moment))?,
            next_id: next_id(&moment)?,
        };
        // Not committed: there is nothing to keep, and after a damaged page a commit would fail.
        drop(moment);
        Ok(startup)
    }

    /// One row a message, oldest first; empty for an unknown conversation.
    pub fn index(&self, conversation: ConversationId) -> Result<Vec<IndexRow>, StoreError> {
        messages::index(&self.conn, conversation)
    }

    /// Messages of a range of positions, both ends included, oldest first.
    ///
    /// A message that cannot be read whole is there with `MessageState::Damaged` and whatever could be read.
    pub fn messages_between(
        &self,
        conversation: ConversationId,
        first_seq: i64,
        last_seq: i64,
    ) -> Result<Vec<Message>, StoreError> {
        messages::between(&self.conn, conversation, first_seq, last_seq)
    }

    pub fn message(&self, id: MessageId) -> Result<Option<Message>, StoreError> {
        messages::one(&self.conn, id)
    }

    /// Messages whose text holds `query` anywhere, without regard to case, oldest first, at most `max`.
    /// An empty query finds nothing.
    pub fn find(&self, conversation: ConversationId, query: &str, max: usize) -> Result<Found, StoreError> {
        find::find(&self.conn, conversation, query, max)
    }

    /// Up to `limit` messages before a position, newest first.
    pub fn recent(&self, c: ConversationId, before_seq: i64, limit: u32) -> Result<Vec<Message>, StoreError> {
        messages::recent(&self.conn, c, before_seq, limit)
    }

    /// The last message with words of every agent that spoke before a position, newest first.
    pub fn last_by_speaker(&self, c: ConversationId, before_seq: i64) -> Result<Vec<Message>, StoreError> {
        messages::last_by_speaker(&self.conn, c, before_seq)
    }

    /// Shown names of the agents that spoke, each once, sorted.
    pub fn speakers(&self, conversation: ConversationId) -> Result<Vec<String>, StoreError> {
        messages::speakers(&self.conn, conversation)
    }

    /// Messages that are there now, counted.
    pub fn message_count(&self, conversation: ConversationId) -> Result<u32, StoreError> {
        messages::count(&self.conn, conversation)
    }

    /// `None` also for a deleted one.
    pub fn conversation(&self, id: ConversationId) -> Result<Option<Conversation>, StoreError> {
        conversations::one(&self.conn, id)
    }

    pub fn project(&self, id: ProjectId) -> Result<Option<Project>, StoreError> {
        projects::one(&self.conn, id)
    }

    pub fn turn(&self, id: TurnId) -> Result<Option<TurnRecord>, StoreError> {
        turns::one(&self.conn, id)
    }

    pub fn latest_turn(&self, conversation: ConversationId) -> Result<Option<TurnRecord>, StoreError> {
        turns::latest(&self.conn, conversation)
    }

    /// Oldest first.
    pub fn turns_of(&self, conversation: ConversationId) -> Result<Vec<TurnRecord>, StoreError> {
        turns::of_conversation(&self.conn, conversation)
    }

    /// The kept history of a turn, oldest first.
    pub fn turn_events(&self, turn: TurnId) -> Result<Vec<TurnEventRow>, StoreError> {
        turns::events(&self.conn, turn)
    }

    /// The report about what was sent with a turn; it is kept longer than the text.
    pub fn report(&self, turn: TurnId) -> Result<Option<PackReport>, StoreError> {
        turns::report(&self.conn, turn)
    }

    /// What was sent with a turn: the pack, and the exact text. `None` when none was kept.
    /// For all but the newest 1,000 turns there is the report alone: no sections, an empty text.
    pub fn pack(&self, turn: TurnId) -> Result<Option<(ContextPack, String)>, StoreError> {
        turns::pack(&self.conn, turn)
    }

    /// What a project keeps beside its conversations, at most [`KNOWLEDGE_MAX_ROWS`] of each kind, from one
    /// moment. Unreadable rows are left out.
    pub fn knowledge(&self, project: ProjectId) -> Result<Knowledge, StoreError> {
        let moment = self.conn.unchecked_transaction()?;
        let max = KNOWLEDGE_MAX_ROWS;
        let mut findings = knowledge::findings(&moment, project, true, max)?;
        findings.extend(knowledge::findings(&moment, project, false, max)?);
        findings.sort_by_key(|one| std::cmp::Reverse((one.updated_ms, one.id)));
        findings.truncate(max);
        Ok(Knowledge {
            plans: plans::of_project(&moment, project, max)?,
            findings,
            agreements: knowledge::agreements(&moment, project, max)?,
            artifacts: knowledge::artifacts(&moment, project, max)?,
            links: links::of_project(&moment, project, max)?,
            skills: links::switches(&moment, project, max)?,
        })
    }

    /// The newest active plan that the conversation is linked to.
    pub fn active_plan(&self, conversation: ConversationId) -> Result<Option<Plan>, StoreError> {
        plans::active(&self.conn, conversation)
    }

    /// Findings of a project, open or settled ones, newest first.
    pub fn findings(&self, project: ProjectId, open: bool, max: usize) -> Result<Vec<Finding>, StoreError> {
        knowledge::findings(&self.conn, project, open, max)
    }

    /// Agreements of a project, newest first.
    pub fn agreements(&self, project: ProjectId, max: usize) -> Result<Vec<Agreement>, StoreError> {
        knowledge::agreements(&self.conn, project, max)
    }

    /// Agreements of one conversation, newest first.
    pub fn agreements_of(&self, c: ConversationId, max: usize) -> Result<Vec<Agreement>, StoreError> {
        knowledge::agreements_of(&self.conn, c, max)
    }

    /// How pinned artifacts of a project begin, `start_chars` of each, newest first.
    pub fn pinned_artifacts(
        &self,
        project: ProjectId,
        max: usize,
        start_chars: usize,
    ) -> Result<Vec<ArtifactStart>, StoreError> {
        knowledge::pinned(&self.conn, project, max, start_chars)
    }

    /// Topics of a conversation's compressed memory, newest first.
    pub fn topics(&self, conversation: ConversationId, max: usize) -> Result<Vec<Topic>, StoreError> {
        knowledge::topics(&self.conn, conversation, max)
    }

    /// What the conversation is linked to.
    pub fn links_from(&self, conversation: ConversationId, max: usize) -> Result<Vec<Link>, StoreError> {
        links::from(&self.conn, conversation, max)
    }

    /// Active branches that start in a conversation, most recently spoken in first.
    pub fn branches_of(&self, parent: ConversationId) -> Result<Vec<Conversation>, StoreError> {
        conversations::branches(&self.conn, parent)
    }

    /// Skills switched on or off in a project and its conversations.
    pub fn skill_switches(&self, project: ProjectId) -> Result<Vec<SkillSwitch>, StoreError> {
        links::switches(&self.conn, project, KNOWLEDGE_MAX_ROWS)
    }

    /// `None` also when the row is unreadable: a fresh session then takes the full context.
    pub fn session(&self, c: ConversationId, engine: &EngineId) -> Result<Option<EngineSession>, StoreError> {
        sessions::one(&self.conn, c, engine)
    }
}

/// A damaged side table must not keep the conversations from being shown.
fn readable<T>(rows: StoreResult<Vec<T>>) -> StoreResult<Vec<T>> {
    match rows {
        Err(StoreError::Damaged { why }) => {
            tracing::warn!(why, "a damaged table is left out");
            Ok(Vec::new())
        }
        other => other,
    }
}

/// Nothing new can be written into a damaged file, so there the number only has to be unlike any other.
fn next_id(conn: &Connection) -> StoreResult<i64> {
    match codec::first(conn, NEXT_ID, [], |row| codec::int(row, 0).ok()) {
        Ok(next) => Ok(next.unwrap_or(1).max(1)),
        Err(StoreError::Damaged { .. }) => Ok(1 << 50),
        Err(error) => Err(error),
    }
}
