//! What slow sources know, asked before a pack is put together: each with a deadline, all at the same time.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use crate::context::{Found, mode_of};
use crate::model::code::CodeFound;
use crate::model::id::{ConversationId, ProjectId};
use crate::model::knowledge::SkillSwitch;
use crate::model::pack::{Mode, SectionId};
use crate::model::skill::SkillDoc;
use crate::os::skills::skill_places;
use crate::runtime::Config;
use crate::runtime::skills::{SkillShelf, read_doc};
use crate::search::code::{CodeQuery, CodeSearch, Rawq, is_code_question};
use crate::store::ReadDb;

/// When code search must have an answer; the first search of a large project may not be through by then, and
/// goes on from there next time.
const CODE_DEADLINE: Duration = Duration::from_millis(1_500);
/// Skills are a few small files; on a share that does not answer the turn goes on without them.
const SKILLS_DEADLINE: Duration = Duration::from_millis(1_000);
/// A search that does not keep its deadline is left behind after so much more.
const GRACE: Duration = Duration::from_millis(500);

/// So much of a request is looked at for what an outside search is asked.
const QUESTION_CHARS: usize = 4_000;

/// The sources. Cheap to clone; one search runs at a time.
#[derive(Clone)]
pub(in crate::runtime) struct SlowSources {
    code: Arc<tokio::sync::Mutex<CodeSources>>,
    shelf: Arc<SkillShelf>,
    config: Arc<Config>,
    login_path: watch::Receiver<Option<OsString>>,
}

/// The app's own search, and the outside one while it is there.
#[derive(Default)]
struct CodeSources {
    own: CodeSearch,
    rawq: Option<Rawq>,
}

impl CodeSources {
    /// Looks for the outside one unless it is known: it may have been installed, or removed, by now.
    fn look(&mut self, config: &Config, login_path: Option<&OsStr>) {
        if self.rawq.as_ref().is_some_and(|rawq| !rawq.program().is_file()) {
            self.rawq = None;
        }
        if self.rawq.is_none() {
            self.rawq = Rawq::find(&config.process_env, login_path, &config.home, config.guard.clone());
        }
    }
}

/// What is to be asked for, read from the database.
#[derive(Clone, Debug)]
pub(in crate::runtime) struct Wanted {
    folder: Option<PathBuf>,
    mode: Mode,
    /// Names of the skills that are switched on, in lower case, sorted.
    skills: Vec<String>,
}

impl Wanted {
    /// What a request in this conversation needs of slow sources.
    pub fn read(
        db: &ReadDb,
        project: ProjectId,
        conversation: ConversationId,
        user_seq: i64,
        chosen: Option<Mode>,
    ) -> Result<Self, crate::store::StoreError> {
        let (mode, _) = mode_of(db, conversation, user_seq, chosen)?;
        let own = db.conversation(conversation)?.and_then(|row| row.branch?.facts.work_folder());
        // Code is looked for where the agent works.
        let folder =
            own.filter(|folder| folder.is_dir()).or(db.project(project)?.map(|project| project.path));
        let skills = switched_on(&db.skill_switches(project)?, conversation);
        Ok(Self { folder, mode, skills })
    }
}

/// A conversation's own switch wins over the project's.
fn switched_on(switches: &[SkillSwitch], conversation: ConversationId) -> Vec<String> {
    let mut on: BTreeMap<String, bool> = BTreeMap::new();
    for scope in [None, Some(conversation)] {
        for switch in switches.iter().filter(|switch| switch.conversation == scope) {
            on.insert(switch.skill.trim().to_lowercase(), switch.on);
        }
    }
    on.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect()
}

/// Ends a search whose answer nobody waits for any more.
struct Cancel(Arc<AtomicBool>);

impl Drop for Cancel {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl SlowSources {
    /// The skills' heads that were read so far, to be shared.
    pub fn shelf(&self) -> Arc<SkillShelf> {
        self.shelf.clone()
    }

    /// `login_path`: the PATH of the user's login shell, once it is known.
    pub fn new(config: Arc<Config>, login_path: watch::Receiver<Option<OsString>>) -> Self {
        Self { code: Arc::default(), shelf: Arc::default(), config, login_path }
    }

    /// Never fails and never takes much longer than the longest deadline: what is not there in time is a note.
    /// Dropping the future ends what runs for it.
    pub async fn ask(&self, wanted: Wanted, prompt: &str) -> Found {
        let mut found = Found::default();
        let (code, (skills, notes)) = tokio::join!(self.code(&wanted, prompt), self.skills(&wanted));
        match code {
            Some(Ok(code)) => found.code = Some(code),
            Some(Err(note)) => found.notes.push((SectionId::CodeSearch, note)),
            None => {}
        }
        found.skills = skills;
        found.notes.extend(notes.into_iter().map(|note| (SectionId::Skills, note)));
        found
    }

    /// Nothing is looked for while no skill is switched on.
    async fn skills(&self, wanted: &Wanted) -> (Vec<SkillDoc>, Vec<String>) {
        if wanted.skills.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let places =
            skill_places(wanted.folder.as_deref(), &self.config.home, self.config.paths.config_folder());
        let (shelf, names) = (self.shelf.clone(), wanted.skills.clone());
        let work = tokio::task::spawn_blocking(move || {
            let list = shelf.list(&places);
            let (mut docs, mut notes) = (Vec::new(), Vec::new());
            for name in names {
                match list.find(&name).map(read_doc) {
                    Some(Ok(doc)) => docs.push(doc),
                    Some(Err(note)) => notes.push(note),
                    None => notes.push(format!("the skill {name} is switched on but not found")),
                }
            }
            (docs, notes)
        });
        match tokio::time::timeout(SKILLS_DEADLINE, work).await {
            Ok(Ok(read)) => read,
            Ok(Err(error)) => (Vec::new(), vec![format!("reading broke off: {error}")]),
            Err(_late) => (Vec::new(), vec![format!("not read within {} ms", SKILLS_DEADLINE.as_millis())]),
        }
    }

    /// `None` = not asked: the mode tells no code, or the prompt is not about code.
    async fn code(&self, wanted: &Wanted, prompt: &str) -> Option<Result<CodeFound, String>> {
        if wanted.mode < Mode::Standard {
            return None;
        }
        let folder = wanted.folder.clone()?;
        let question = is_code_question(prompt);
        let is_wanted = question.about_code || wanted.mode == Mode::Full;
        if !is_wanted || question.terms.is_empty() {
            return None;
        }
        let query = CodeQuery { deadline: CODE_DEADLINE, ..CodeQuery::new(question.terms) };
        let asked = prompt.chars().take(QUESTION_CHARS).collect();
        let search = self.search(folder, asked, query);
        match tokio::time::timeout(CODE_DEADLINE + GRACE, search).await {
            Ok(answer) => Some(answer),
            Err(_late) => Some(Err(format!("no answer within {} ms", CODE_DEADLINE.as_millis()))),
        }
    }

    async fn search(&self, folder: PathBuf, prompt: String, query: CodeQuery) -> Result<CodeFound, String> {
        let mut sources = self.code.clone().lock_owned().await;
        let flag = Arc::new(AtomicBool::new(false));
        let _cancel = Cancel(flag.clone());
        let (config, login_path) = (self.config.clone(), self.login_path.borrow().clone());
        let handle = tokio::runtime::Handle::current();
        let work = move || {
            sources.look(&config, login_path.as_deref());
            let CodeSources { own, rawq } = &mut *sources;
            let outside = rawq.as_mut().map(|rawq| (rawq, prompt.as_str(), &handle));
            own.search_with(outside, &folder, &query, &flag, &mut |_| {})
        };
        tokio::task::spawn_blocking(work).await.map_err(|error| format!("it broke off: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conversations_own_switch_wins() {
        let switch = |conversation: Option<i64>, skill: &str, on| SkillSwitch {
            project: ProjectId(1),
            conversation: conversation.map(ConversationId),
            skill: skill.to_owned(),
            on,
        };
        let switches = [
            switch(Some(2), "Axum", false),
            switch(None, "axum", true),
            switch(None, "sql", true),
            switch(Some(2), "git", true),
            switch(Some(3), "svg", true),
            switch(None, "css", false),
        ];
        assert_eq!(switched_on(&switches, ConversationId(2)), ["git", "sql"]);
        assert_eq!(switched_on(&switches, ConversationId(9)), ["axum", "sql"]);
    }
}
