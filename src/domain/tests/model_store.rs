//! A store in a few maps that keeps the promises of the real one: batches whole or not at all, parents first.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::input::OpenedConversation;
use crate::model::id::{
    AgreementId, ArtifactId, ConversationId, FindingId, MessageId, PlanId, ProjectId, QueuedId, TurnId,
};
use crate::model::knowledge::{Agreement, Artifact, Finding, Link};
use crate::model::message::{Author, Message};
use crate::model::plan::Plan;
use crate::model::project::{Conversation, Draft, Project};
use crate::model::record::{EngineSession, IndexRow, QueuedMessage, Startup, StoreWrite, TurnRecord};

#[derive(Clone, Default)]
pub(super) struct ModelStore {
    pub projects: BTreeMap<ProjectId, Project>,
    pub conversations: BTreeMap<ConversationId, Conversation>,
    pub deleted: BTreeSet<ConversationId>,
    pub messages: BTreeMap<MessageId, Message>,
    pub out: BTreeSet<MessageId>,
    pub turns: BTreeMap<TurnId, TurnRecord>,
    pub events: Vec<(TurnId, String)>,
    pub sessions: BTreeMap<(ConversationId, String), EngineSession>,
    pub drafts: BTreeMap<ConversationId, Draft>,
    pub queued: BTreeMap<QueuedId, QueuedMessage>,
    pub settings: BTreeMap<String, String>,
    pub plans: BTreeMap<PlanId, Plan>,
    pub findings: BTreeMap<FindingId, Finding>,
    pub agreements: BTreeMap<AgreementId, Agreement>,
    pub artifacts: BTreeMap<ArtifactId, Artifact>,
    pub links: BTreeMap<(ConversationId, ConversationId), Link>,
    pub skills: BTreeMap<(ProjectId, Option<ConversationId>, String), bool>,
}

impl ModelStore {
    /// All of it or nothing.
    pub fn apply(&mut self, batch: &[StoreWrite]) -> Result<(), String> {
        let mut next = self.clone();
        for write in batch {
            next.one(write)?;
        }
        *self = next;
        Ok(())
    }

    fn one(&mut self, write: &StoreWrite) -> Result<(), String> {
        use StoreWrite as W;
        let orphan = |what: &str| Err(format!("{what} without a parent: {write:?}"));
        match write {
            W::PutProject(row) => drop(self.projects.insert(row.id, row.clone())),
            W::RemoveProject(id) => self.remove_project(*id),
            W::PutConversation(row) if !self.projects.contains_key(&row.project) => {
                return orphan("conversation");
            }
            W::PutConversation(row) => drop(self.conversations.insert(row.id, row.clone())),
            W::SetConversationDeleted { conversation, deleted_ms: Some(_) } => {
                self.deleted.insert(*conversation);
            }
            W::SetConversationDeleted { conversation, deleted_ms: None } => {
                self.deleted.remove(conversation);
            }
            W::PutMessage(row) if !self.has(row.conversation) => return orphan("message"),
            // What is kept is saved.
            W::PutMessage(row) => {
                drop(self.messages.insert(row.id, Message { unsaved: false, ..row.clone() }));
            }
            W::SetMessagesDeleted { messages, deleted_ms: Some(_) } => self.out.extend(messages),
            W::SetMessagesDeleted { messages, deleted_ms: None } => {
                self.out.retain(|id| !messages.contains(id));
            }
            W::PutTurn(row) if !self.has(row.conversation) => return orphan("turn"),
            W::PutTurn(row) => drop(self.turns.insert(row.id, row.clone())),
            W::AppendTurnEvent { turn, .. } | W::PutPack { turn, .. } if !self.turns.contains_key(turn) => {
                return orphan("part of a turn");
            }
            W::AppendTurnEvent { turn, kind, .. } => self.events.push((*turn, kind.clone())),
            W::PutPack { .. } => {}
            W::PutSession(row) if !self.has(row.conversation) => return orphan("session"),
            W::PutSession(row) => {
                drop(self.sessions.insert((row.conversation, row.engine.to_string()), row.clone()));
            }
            W::DropSession { conversation, engine } => {
                drop(self.sessions.remove(&(*conversation, engine.to_string())));
            }
            W::DropSessions { conversation } => self.sessions.retain(|(id, _), _| id != conversation),
            W::PutDraft { conversation, draft: Some(_) } if !self.has(*conversation) => {
                return orphan("draft");
            }
            W::PutDraft { conversation, draft: Some(draft) } => {
                drop(self.drafts.insert(*conversation, draft.clone()));
            }
            W::PutDraft { conversation, draft: None } => drop(self.drafts.remove(conversation)),
            W::PutQueued(row) if !self.has(row.conversation) => return orphan("queued"),
            W::PutQueued(row) => drop(self.queued.insert(row.id, row.clone())),
            W::RemoveQueued(id) => drop(self.queued.remove(id)),
            W::PutPlan(row) => drop(self.plans.insert(row.id, (**row).clone())),
            W::RemovePlan(id) => drop(self.plans.remove(id)),
            W::PutFinding(row) => drop(self.findings.insert(row.id, row.clone())),
            W::RemoveFinding(id) => drop(self.findings.remove(id)),
            W::PutAgreement(row) => drop(self.agreements.insert(row.id, row.clone())),
            W::RemoveAgreement(id) => drop(self.agreements.remove(id)),
            W::PutArtifact(row) => drop(self.artifacts.insert(row.id, (**row).clone())),
            W::RemoveArtifact(id) => drop(self.artifacts.remove(id)),
            W::PutTopic(_) | W::RemoveTopic(_) => {}
            W::PutLink(row) => drop(self.links.insert((row.conversation, row.linked), *row)),
            W::RemoveLink { conversation, linked } => drop(self.links.remove(&(*conversation, *linked))),
            W::PutSkillSwitch(row) => {
                self.skills.insert((row.project, row.conversation, row.skill.clone()), row.on);
            }
            W::RemoveSkillSwitch { project, conversation, skill } => {
                self.skills.remove(&(*project, *conversation, skill.clone()));
            }
            W::PutSetting { name, json } => drop(self.settings.insert(name.clone(), json.clone())),
        }
        Ok(())
    }

    fn has(&self, conversation: ConversationId) -> bool {
        self.conversations.contains_key(&conversation)
    }

    fn remove_project(&mut self, id: ProjectId) {
        self.projects.remove(&id);
        self.conversations.retain(|_, row| row.project != id);
        let known: BTreeSet<ConversationId> = self.conversations.keys().copied().collect();
        self.messages.retain(|_, row| known.contains(&row.conversation));
        self.turns.retain(|_, row| known.contains(&row.conversation));
        self.sessions.retain(|(conversation, _), _| known.contains(conversation));
        self.drafts.retain(|conversation, _| known.contains(conversation));
        self.queued.retain(|_, row| known.contains(&row.conversation));
    }

    /// What a reader sees of a conversation, oldest first.
    pub fn shown(&self, conversation: ConversationId) -> Vec<Message> {
        let mut shown: Vec<Message> = self
            .messages
            .values()
            .filter(|row| row.conversation == conversation && !self.out.contains(&row.id))
            .cloned()
            .collect();
        shown.sort_by_key(|row| row.seq);
        shown
    }

    pub fn opened(&self, conversation: ConversationId) -> OpenedConversation {
        let index = self.shown(conversation).into_iter().map(|row| IndexRow {
            id: row.id,
            seq: row.seq,
            revision: row.revision,
            chars: 1,
            by_user: row.author == Author::User,
        });
        let shown = |turn: &&TurnRecord| turn.answer.is_none_or(|answer| !self.out.contains(&answer));
        let mut of_it = self.turns.values().rev().filter(|turn| turn.conversation == conversation);
        let newest = of_it.find(|turn| shown(turn)).cloned();
        OpenedConversation { index: index.collect(), turn: newest, report: None }
    }

    pub fn startup(&self) -> Startup {
        let live = |conversation: &ConversationId| !self.deleted.contains(conversation);
        Startup {
            projects: self.projects.values().cloned().collect(),
            conversations: self.conversations.values().filter(|row| live(&row.id)).cloned().collect(),
            queued: self.queued.values().filter(|row| live(&row.conversation)).cloned().collect(),
            drafts: self.drafts.iter().filter(|(id, _)| live(id)).map(|(id, d)| (*id, d.clone())).collect(),
            settings: self.settings.clone().into_iter().collect(),
            open_turns: self.turns.values().filter(|turn| turn.state.is_live()).cloned().collect(),
            next_id: 1,
        }
    }
}
