//! Plans, findings, agreements, artifacts, links and skill switches: made, changed, removed, put back.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::Arc;

use crate::api::command::KnowledgeCommand;
use crate::api::notice::NoticeAction;
use crate::api::snapshot::{KnowledgeView, Offers};
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::notices::NewNotice;
use crate::domain::state::{AppState, KnowledgeState};
use crate::model::id::{AgreementId, ArtifactId, ConversationId, FindingId, PlanId, ProjectId};
use crate::model::knowledge::{
    ARTIFACT_MAX_CHARS, Agreement, Artifact, Finding, Knowledge, Link, MadeBy, SkillSwitch,
};
use crate::model::message::NoticeLevel;
use crate::model::plan::{PLAN_DOCUMENT_MAX_CHARS, Plan, PlanBody};
use crate::model::project::TextKind;
use crate::model::record::StoreWrite;

/// Longest title, in Unicode characters.
const TITLE_MAX_CHARS: usize = 300;
/// Longest text of a finding or an agreement, in Unicode characters.
const TEXT_MAX_CHARS: usize = 20_000;
/// Most steps of a plan.
const SUBTASKS_MAX: usize = 500;

impl AppState {
    /// Read once per project and run; after that every change goes through here.
    pub(in crate::domain) fn load_knowledge(&mut self, project: ProjectId, out: &mut Vec<Effect>) {
        self.dirty.knowledge = true;
        let failed = self.knowledge.get(&project).is_some_and(|known| known.error.is_some());
        if self.knowledge.contains_key(&project) && !failed {
            return;
        }
        // Where knowledge is read, skills are looked for too; until they are there, nothing is known of them.
        let unseen = || Arc::new(Offers { looking: true, ..Offers::default() });
        let offers = self.knowledge.get(&project).map_or_else(unseen, |known| known.offers.clone());
        let fresh = KnowledgeState { waiting: Some(Vec::new()), offers, ..KnowledgeState::default() };
        self.knowledge.insert(project, fresh);
        out.push(Effect::LoadKnowledge { project });
    }

    pub(in crate::domain) fn knowledge_loaded(
        &mut self,
        project: ProjectId,
        result: Result<Box<Knowledge>, String>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let unwritten: Vec<StoreWrite> = self.unwritten().cloned().collect();
        let Some(known) = self.knowledge.get_mut(&project) else { return };
        if std::mem::take(&mut known.outdated) {
            out.push(Effect::LoadKnowledge { project });
            return;
        }
        let waiting = known.waiting.take().unwrap_or_default();
        match result {
            Ok(read) => {
                known.fill(*read);
                // An adoption does not wait for this read, and may not be written yet.
                for write in unwritten {
                    known.take_in(project, write);
                }
            }
            Err(why) => known.error = Some(why),
        }
        self.dirty.knowledge = true;
        self.dirty.urgent = true;
        for command in waiting {
            self.knowledge_command(command, cx, out);
        }
    }

    pub(in crate::domain) fn knowledge_command(
        &mut self,
        command: KnowledgeCommand,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        if let Err(why) = self.try_knowledge(command, cx, out) {
            self.trouble("This was not kept".into(), why, cx);
        }
        self.dirty.knowledge = true;
        self.dirty.urgent = true;
    }

    fn try_knowledge(
        &mut self,
        command: KnowledgeCommand,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        if let KnowledgeCommand::LookForSkills { project } = &command {
            self.look_for_skills(*project, out);
            return Ok(());
        }
        if self.looks_only {
            return Err("Another tunaflow is running; this one only looks.".to_owned());
        }
        let project = self.holder_of(&command)?;
        if let KnowledgeCommand::NewText { kind, name, text, .. } = command {
            return self.new_text(project, kind, &name, text, out);
        }
        self.load_knowledge(project, out);
        let Some(known) = self.knowledge.get_mut(&project) else { return Ok(()) };
        if let Some(waiting) = &mut known.waiting {
            waiting.push(command);
            return Ok(());
        }
        self.check_links(&command, project)?;
        let (writes, back) = match self.knowledge.get_mut(&project) {
            Some(known) => known.apply(command, project, cx)?,
            None => return Ok(()),
        };
        self.write(writes, out);
        if let Some((title, command)) = back {
            let action = Some(NoticeAction::PutBack(Box::new(command)));
            let (level, body) = (NoticeLevel::Info, String::new());
            self.notify(NewNotice { level, title, body, action, conversation: None, desktop: false }, cx);
        }
        Ok(())
    }

    /// The project a command is about; of a row that is removed, the one that has it.
    fn holder_of(&self, command: &KnowledgeCommand) -> Result<ProjectId, String> {
        use KnowledgeCommand as K;
        let holder = |has: &dyn Fn(&KnowledgeState) -> bool| {
            let found = self.knowledge.iter().find(|(_, known)| has(known)).map(|(id, _)| *id);
            found.ok_or_else(|| "There is no such entry in the opened project.".to_owned())
        };
        let project = match command {
            K::PutPlan(row) => row.project,
            K::PutFinding(row) => row.project,
            K::PutAgreement(row) => row.project,
            K::PutArtifact(row) => row.project,
            K::SwitchSkill { project, .. } | K::NewText { project, .. } | K::LookForSkills { project } => {
                *project
            }
            K::RemovePlan(id) => holder(&|known| known.plans.contains_key(id))?,
            K::RemoveFinding(id) => holder(&|known| known.findings.contains_key(id))?,
            K::RemoveAgreement(id) => holder(&|known| known.agreements.contains_key(id))?,
            K::RemoveArtifact(id) => holder(&|known| known.artifacts.contains_key(id))?,
            K::Link { conversation, .. } | K::Unlink { conversation, .. } => {
                let state = self.conversations.get(conversation).filter(|state| !state.deleted);
                state.map(|state| state.row.project).ok_or("The conversation is not there any more.")?
            }
        };
        if self.projects.contains_key(&project) {
            Ok(project)
        } else {
            Err("The project is not there any more.".to_owned())
        }
    }

    /// Conversations a row names must be there and belong to its project.
    fn check_links(&self, command: &KnowledgeCommand, project: ProjectId) -> Result<(), String> {
        use KnowledgeCommand as K;
        let named: Vec<ConversationId> = match command {
            K::PutPlan(row) => {
                [row.conversation, row.implementation, row.review].into_iter().flatten().collect()
            }
            K::PutAgreement(row) => row.conversation.into_iter().collect(),
            K::PutArtifact(row) => row.conversation.into_iter().collect(),
            K::SwitchSkill { conversation, .. } => conversation.iter().copied().collect(),
            K::Link { conversation, linked } if conversation == linked => {
                return Err("A conversation cannot be linked to itself.".to_owned());
            }
            K::Link { conversation, linked } => vec![*conversation, *linked],
            K::PutFinding(_)
            | K::RemovePlan(_)
            | K::RemoveFinding(_)
            | K::RemoveAgreement(_)
            | K::RemoveArtifact(_)
            | K::Unlink { .. }
            | K::NewText { .. }
            | K::LookForSkills { .. } => Vec::new(),
        };
        let there = |id: &ConversationId| {
            self.conversations.get(id).is_some_and(|state| state.row.project == project && !state.deleted)
        };
        match named.iter().find(|id| !there(id)) {
            Some(id) => Err(format!("There is no conversation {id} in this project.")),
            None => Ok(()),
        }
    }

    fn new_text(
        &mut self,
        project: ProjectId,
        kind: TextKind,
        name: &str,
        text: String,
        out: &mut Vec<Effect>,
    ) -> Result<(), String> {
        let name = name.trim().to_owned();
        check_text(&format!("The {}'s name", kind.word()), &name, TITLE_MAX_CHARS)?;
        if text.chars().count() > TEXT_MAX_CHARS {
            return Err(format!("The text is longer than {TEXT_MAX_CHARS} characters."));
        }
        let Some(path) = self.projects.get(&project).map(|project| project.path.clone()) else {
            return Err("The project is not there any more.".to_owned());
        };
        out.push(Effect::MakeText { project, path, kind, name, text });
        Ok(())
    }

    /// The file is there, or not: tells so, and looks at what can be picked now.
    pub(in crate::domain) fn text_made(
        &mut self,
        project: ProjectId,
        title: String,
        result: Result<PathBuf, String>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let file = match result {
            Ok(file) => file,
            Err(why) => return self.trouble("This was not kept".into(), why, cx),
        };
        if let Some(path) = self.projects.get(&project).map(|project| project.path.clone()) {
            out.push(Effect::ReadNames { project, path });
            self.look_for_skills(project, out);
        }
        let body = format!("It begins with a draft to be edited: {}", file.display());
        let level = NoticeLevel::Info;
        self.notify(NewNotice { level, title, body, action: None, conversation: None, desktop: false }, cx);
        self.dirty.knowledge = true;
    }

    /// Looks again; what was found before stays shown meanwhile.
    fn look_for_skills(&mut self, project: ProjectId, out: &mut Vec<Effect>) {
        let Some(path) = self.projects.get(&project).map(|project| project.path.clone()) else { return };
        if let Some(known) = self.knowledge.get_mut(&project) {
            known.offers = Arc::new(Offers { looking: true, ..(*known.offers).clone() });
        }
        out.push(Effect::LookForSkills { project, path });
    }

    pub(in crate::domain) fn offers_found(&mut self, project: ProjectId, offers: Offers) {
        if let Some(known) = self.knowledge.get_mut(&project) {
            known.offers = Arc::new(Offers { looking: false, ..offers });
            self.dirty.knowledge = true;
            self.dirty.urgent = true;
        }
    }

    pub(in crate::domain) fn knowledge_view(&self) -> Arc<KnowledgeView> {
        let Some((project, known)) = self.project.and_then(|id| Some((id, self.knowledge.get(&id)?))) else {
            return Arc::new(KnowledgeView { project: self.project, ..KnowledgeView::default() });
        };
        let switch = |((conversation, skill), on): (&(Option<ConversationId>, String), &bool)| SkillSwitch {
            project,
            conversation: *conversation,
            skill: skill.clone(),
            on: *on,
        };
        let mut links: Vec<Link> = known.links.values().copied().collect();
        links.sort_by_key(|link| (link.conversation, Reverse(link.created_ms), link.linked));
        Arc::new(KnowledgeView {
            project: Some(project),
            loading: known.waiting.is_some(),
            error: known.error.clone(),
            plans: newest_first(known.plans.values(), |row| (row.updated_ms, row.id.0)),
            findings: newest_first(known.findings.values(), |row| (row.updated_ms, row.id.0)),
            agreements: newest_first(known.agreements.values(), |row| (row.updated_ms, row.id.0)),
            artifacts: newest_first(known.artifacts.values(), |row| (row.updated_ms, row.id.0)),
            links: links.into(),
            skill_switches: known.skills.iter().map(switch).collect(),
            offers: known.offers.clone(),
        })
    }
}

fn newest_first<'a, T: 'a>(
    rows: impl Iterator<Item = &'a Arc<T>>,
    key: impl Fn(&T) -> (i64, i64),
) -> Arc<[Arc<T>]> {
    let mut rows: Vec<Arc<T>> = rows.cloned().collect();
    rows.sort_by_key(|row| Reverse(key(row)));
    rows.into()
}

/// Writes, and for a removal what the notice says and what brings the row back.
type Applied = (Vec<StoreWrite>, Option<(String, KnowledgeCommand)>);

impl KnowledgeState {
    fn fill(&mut self, read: Knowledge) {
        self.plans = read.plans.into_iter().map(|row| (row.id, Arc::new(row))).collect();
        self.findings = read.findings.into_iter().map(|row| (row.id, Arc::new(row))).collect();
        self.agreements = read.agreements.into_iter().map(|row| (row.id, Arc::new(row))).collect();
        self.artifacts = read.artifacts.into_iter().map(|row| (row.id, Arc::new(row))).collect();
        self.links = read.links.into_iter().map(|link| ((link.conversation, link.linked), link)).collect();
        self.skills = read.skills.into_iter().map(|row| ((row.conversation, row.skill), row.on)).collect();
    }

    /// A change by an adoption that the read could not see.
    fn take_in(&mut self, project: ProjectId, write: StoreWrite) {
        match write {
            StoreWrite::PutAgreement(row) if row.project == project => {
                self.agreements.insert(row.id, Arc::new(row));
            }
            StoreWrite::RemoveAgreement(id) => drop(self.agreements.remove(&id)),
            StoreWrite::PutLink(link) => drop(self.links.insert((link.conversation, link.linked), link)),
            StoreWrite::RemoveLink { conversation, linked } => {
                self.links.remove(&(conversation, linked));
            }
            _ => {}
        }
    }

    fn apply(
        &mut self,
        command: KnowledgeCommand,
        project: ProjectId,
        cx: &mut Cx<'_>,
    ) -> Result<Applied, String> {
        use KnowledgeCommand as K;
        Ok(match command {
            K::PutPlan(row) => (self.put_plan(*row, cx)?, None),
            K::PutFinding(row) => (vec![self.put_finding(*row, cx)?], None),
            K::PutAgreement(row) => (vec![self.put_agreement(*row, cx)?], None),
            K::PutArtifact(row) => (vec![self.put_artifact(*row, cx)?], None),
            K::RemovePlan(id) => {
                let back = self.plans.remove(&id).map(|row| K::PutPlan(Box::new((*row).clone())));
                (vec![StoreWrite::RemovePlan(id)], back.map(|back| ("Plan removed".into(), back)))
            }
            K::RemoveFinding(id) => {
                let back = self.findings.remove(&id).map(|row| K::PutFinding(Box::new((*row).clone())));
                (vec![StoreWrite::RemoveFinding(id)], back.map(|back| ("Finding removed".into(), back)))
            }
            K::RemoveAgreement(id) => {
                let back = self.agreements.remove(&id).map(|row| K::PutAgreement(Box::new((*row).clone())));
                (vec![StoreWrite::RemoveAgreement(id)], back.map(|back| ("Agreement removed".into(), back)))
            }
            K::RemoveArtifact(id) => {
                let back = self.artifacts.remove(&id).map(|row| K::PutArtifact(Box::new((*row).clone())));
                (vec![StoreWrite::RemoveArtifact(id)], back.map(|back| ("Artifact removed".into(), back)))
            }
            K::Link { conversation, linked } => {
                let link = Link { conversation, linked, made_by: MadeBy::Hand, created_ms: cx.now_ms };
                let kept = *self.links.entry((conversation, linked)).or_insert(link);
                (vec![StoreWrite::PutLink(kept)], None)
            }
            K::Unlink { conversation, linked } => {
                let had = self.links.remove(&(conversation, linked));
                let back = had.map(|_| ("Link removed".to_owned(), K::Link { conversation, linked }));
                (vec![StoreWrite::RemoveLink { conversation, linked }], back)
            }
            // Changes nothing that is kept; asked for before this.
            K::LookForSkills { .. } | K::NewText { .. } => (Vec::new(), None),
            K::SwitchSkill { conversation, skill, on, .. } => {
                (vec![self.switch(project, conversation, skill, on)?], None)
            }
        })
    }

    fn put_plan(&mut self, mut plan: Plan, cx: &mut Cx<'_>) -> Result<Vec<StoreWrite>, String> {
        check_plan(&plan)?;
        if plan.id.0 == 0 {
            plan.id = PlanId(cx.ids.next_id());
        }
        let old = self.plans.get(&plan.id);
        plan.body.created_ms = old.map_or(cx.now_ms, |old| old.body.created_ms);
        let version = old.map_or(plan.body.version, |old| old.body.version).max(1);
        let said = |body: &PlanBody| PlanBody { version: 0, ..body.clone() };
        let changed =
            old.is_some_and(|old| said(&old.body) != said(&plan.body) || old.document != plan.document);
        plan.body.version = version + u32::from(changed);
        plan.updated_ms = cx.now_ms;
        let mut writes = Vec::new();
        if plan.active {
            writes.extend(self.retire_others(&plan));
        }
        self.plans.insert(plan.id, Arc::new(plan.clone()));
        writes.push(StoreWrite::PutPlan(Box::new(plan)));
        Ok(writes)
    }

    /// One plan is followed per conversation: the new one takes the place of those linked to the same one.
    fn retire_others(&mut self, plan: &Plan) -> Vec<StoreWrite> {
        let shares = |other: &Plan| {
            [other.conversation, other.implementation, other.review]
                .into_iter()
                .flatten()
                .any(|conversation| plan.is_linked_to(conversation))
        };
        let mut writes = Vec::new();
        for other in self.plans.values_mut().filter(|other| other.id != plan.id && other.active) {
            if shares(other) {
                let mut retired = (**other).clone();
                retired.active = false;
                *other = Arc::new(retired.clone());
                writes.push(StoreWrite::PutPlan(Box::new(retired)));
            }
        }
        writes
    }

    fn put_finding(&mut self, mut finding: Finding, cx: &mut Cx<'_>) -> Result<StoreWrite, String> {
        check_text("The finding", &finding.body.text, TEXT_MAX_CHARS)?;
        if finding.plan.is_some_and(|plan| !self.plans.contains_key(&plan)) {
            return Err("The plan it is about is not there any more.".to_owned());
        }
        if finding.id.0 == 0 {
            finding.id = FindingId(cx.ids.next_id());
        }
        let old = self.findings.get(&finding.id);
        finding.body.created_ms = old.map_or(cx.now_ms, |old| old.body.created_ms);
        finding.updated_ms = cx.now_ms;
        self.findings.insert(finding.id, Arc::new(finding.clone()));
        Ok(StoreWrite::PutFinding(finding))
    }

    fn put_agreement(&mut self, mut agreement: Agreement, cx: &mut Cx<'_>) -> Result<StoreWrite, String> {
        check_text("The agreement", &agreement.body.text, TEXT_MAX_CHARS)?;
        if agreement.id.0 == 0 {
            agreement.id = AgreementId(cx.ids.next_id());
        }
        let old = self.agreements.get(&agreement.id);
        agreement.body.created_ms = old.map_or(cx.now_ms, |old| old.body.created_ms);
        agreement.updated_ms = cx.now_ms;
        self.agreements.insert(agreement.id, Arc::new(agreement.clone()));
        Ok(StoreWrite::PutAgreement(agreement))
    }

    fn put_artifact(&mut self, mut artifact: Artifact, cx: &mut Cx<'_>) -> Result<StoreWrite, String> {
        check_text("The title", &artifact.body.title, TITLE_MAX_CHARS)?;
        check_text("The artifact", &artifact.text, ARTIFACT_MAX_CHARS)?;
        if artifact.id.0 == 0 {
            artifact.id = ArtifactId(cx.ids.next_id());
        }
        let old = self.artifacts.get(&artifact.id);
        artifact.body.created_ms = old.map_or(cx.now_ms, |old| old.body.created_ms);
        artifact.updated_ms = cx.now_ms;
        self.artifacts.insert(artifact.id, Arc::new(artifact.clone()));
        Ok(StoreWrite::PutArtifact(Box::new(artifact)))
    }

    fn switch(
        &mut self,
        project: ProjectId,
        conversation: Option<ConversationId>,
        skill: String,
        on: Option<bool>,
    ) -> Result<StoreWrite, String> {
        check_text("The skill's name", &skill, TITLE_MAX_CHARS)?;
        Ok(match on {
            Some(on) => {
                self.skills.insert((conversation, skill.clone()), on);
                StoreWrite::PutSkillSwitch(SkillSwitch { project, conversation, skill, on })
            }
            None => {
                self.skills.remove(&(conversation, skill.clone()));
                StoreWrite::RemoveSkillSwitch { project, conversation, skill }
            }
        })
    }
}

fn check_text(what: &str, text: &str, max_chars: usize) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err(format!("{what} is empty."));
    }
    let chars = text.chars().count();
    if chars > max_chars {
        return Err(format!("{what} has {chars} characters; {max_chars} is the most."));
    }
    Ok(())
}

fn check_plan(plan: &Plan) -> Result<(), String> {
    check_text("The title", &plan.body.title, TITLE_MAX_CHARS)?;
    let chars = plan.document.chars().count();
    if chars > PLAN_DOCUMENT_MAX_CHARS {
        return Err(format!("The document has {chars} characters; {PLAN_DOCUMENT_MAX_CHARS} is the most."));
    }
    if plan.body.subtasks.len() > SUBTASKS_MAX {
        return Err(format!("A plan has at most {SUBTASKS_MAX} steps."));
    }
    let numbers: Vec<u32> = plan.body.subtasks.iter().map(|one| one.number).collect();
    for (at, step) in plan.body.subtasks.iter().enumerate() {
        check_text(&format!("The title of step {}", step.number), &step.title, TITLE_MAX_CHARS)?;
        if step.number == 0 || numbers.iter().skip(at + 1).any(|other| *other == step.number) {
            return Err(format!("The number {} of a step is used twice or is zero.", step.number));
        }
        if let Some(other) = step.depends_on.iter().find(|other| !numbers.contains(other)) {
            return Err(format!("Step {} depends on step {other}, which is not there.", step.number));
        }
        if step.depends_on.contains(&step.number) {
            return Err(format!("Step {} depends on itself.", step.number));
        }
    }
    Ok(())
}
