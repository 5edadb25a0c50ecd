//! Projects: opened by folder, picked, forgotten.

use std::path::PathBuf;

use crate::api::command::{ChatCommand, ProjectCommand};
use crate::domain::Cx;
use crate::domain::effect::Effect;
use crate::domain::state::AppState;
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, ProjectId};
use crate::model::project::{Draft, Project, TextNames};
use crate::model::record::StoreWrite;

/// What lies in the tour's folder.
const TOUR_README: &str =
    "# Tour\n\nA folder to try tunaflow in. Nothing here matters; delete it whenever you like.\n";
/// What the user says first on a tour.
const TOUR_HELLO: &str = "Hello. What can I try here?";

impl AppState {
    pub(in crate::domain) fn project_command(
        &mut self,
        command: ProjectCommand,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        match command {
            ProjectCommand::Open { path } => out.push(Effect::CheckFolder { path }),
            ProjectCommand::Tour { engine } => {
                self.tour = Some(engine);
                out.push(Effect::MakeFolder { path: self.status.data_dir.join("tour"), readme: TOUR_README });
            }
            ProjectCommand::Select { project } => self.select_project(project, cx, out),
            ProjectCommand::Remove { project } => self.remove_project(project, cx, out),
            ProjectCommand::SetSkipPermissions { project, on } => self.skip_permissions(project, on, out),
        }
    }

    pub(in crate::domain) fn folder_checked(
        &mut self,
        path: PathBuf,
        result: Result<(), String>,
        cx: &mut Cx<'_>,
        out: &mut Vec<Effect>,
    ) {
        let tour = self.tour.take();
        if let Err(why) = result {
            self.trouble("The folder cannot be opened".into(), why, cx);
            return;
        }
        let known = self.projects.values().find(|project| project.path == path).map(|project| project.id);
        let id = known.unwrap_or_else(|| {
            let id = ProjectId(cx.ids.next_id());
            let name = path
                .file_name()
                .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
            let project = Project {
                id,
                name,
                path,
                created_ms: cx.now_ms,
                opened_ms: cx.now_ms,
                skip_permissions: false,
            };
            self.projects.insert(id, project);
            id
        });
        self.select_project(id, cx, out);
        if let Some(engine) = tour {
            self.begin_tour(id, engine, cx, out);
        }
    }

    /// A conversation in which the user has already said hello.
    fn begin_tour(&mut self, project: ProjectId, engine: EngineId, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        let seat = Some(self.seat_of(engine));
        self.chat_command(ChatCommand::New { project, seat }, cx, out);
        if let Some(conversation) = self.focus {
            self.chat_command(ChatCommand::Send { conversation, draft: Draft::text(TOUR_HELLO) }, cx, out);
        }
    }

    fn select_project(&mut self, id: ProjectId, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        let Some(project) = self.projects.get_mut(&id) else { return };
        project.opened_ms = cx.now_ms;
        let row = project.clone();
        out.push(Effect::ReadGit { project: id, path: row.path.clone() });
        out.push(Effect::LookForSkills { project: id, path: row.path.clone() });
        out.push(Effect::ReadNames { project: id, path: row.path.clone() });
        self.write(vec![StoreWrite::PutProject(row)], out);
        self.project = Some(id);
        self.load_knowledge(id, out);
        self.git_branch = None;
        self.status.first_run = false;
        self.dirty.app = true;
        self.dirty.projects = true;
        self.dirty.conversations = true;
    }

    fn remove_project(&mut self, id: ProjectId, cx: &mut Cx<'_>, out: &mut Vec<Effect>) {
        if self.projects.remove(&id).is_none() {
            return;
        }
        self.dirty.urgent = true;
        let below: Vec<ConversationId> =
            self.conversations.values().filter(|c| c.row.project == id).map(|c| c.row.id).collect();
        self.tell_kept_checkouts(&below, cx);
        for conversation in below {
            self.stop_conversation(conversation, out);
            self.forget_conversation(conversation, out);
        }
        self.knowledge.remove(&id);
        self.writes.forgotten_projects.insert(id);
        self.dirty.knowledge = true;
        self.write(vec![StoreWrite::RemoveProject(id)], out);
        if self.project == Some(id) {
            self.project = self.projects.values().max_by_key(|p| p.opened_ms).map(|p| p.id);
        }
        self.dirty.projects = true;
        self.dirty.conversations = true;
    }

    fn skip_permissions(&mut self, id: ProjectId, on: bool, out: &mut Vec<Effect>) {
        let Some(project) = self.projects.get_mut(&id) else { return };
        project.skip_permissions = on;
        let row = project.clone();
        self.write(vec![StoreWrite::PutProject(row)], out);
        self.dirty.projects = true;
        // A process that was started under the other rule must not serve the next turn.
        let idle: Vec<ConversationId> = self
            .conversations
            .values()
            .filter(|c| c.row.project == id && c.live.is_none())
            .map(|c| c.row.id)
            .collect();
        out.extend(idle.into_iter().map(|conversation| Effect::CloseSeats { conversation }));
    }

    pub(in crate::domain) fn take_names(&mut self, project: ProjectId, names: TextNames) {
        // Another project was gone to meanwhile.
        if self.project != Some(project) {
            return;
        }
        self.names_of = Some(project);
        self.roles = names.roles.into();
        self.personas = names.personas.into();
        self.dirty.app = true;
    }

    pub(in crate::domain) fn git_branch(
        &mut self,
        project: ProjectId,
        branch: Option<String>,
        detached: bool,
        out: &mut Vec<Effect>,
    ) {
        self.inherit_git_branch(project, branch.as_deref().filter(|_| !detached), out);
        if self.project == Some(project) {
            self.git_branch = branch.map(Into::into);
            self.dirty.projects = true;
        }
    }
}
