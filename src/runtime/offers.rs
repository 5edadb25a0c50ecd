//! Which skills there are for a project, and which of them fit a text.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::watch;

use crate::api::snapshot::Offers;
use crate::context::skills::SkillIndex;
use crate::model::id::ProjectId;
use crate::model::skill::SkillSuggestion;
use crate::os::skills::skill_places;
use crate::os::stack::detect_stack;
use crate::runtime::Config;
use crate::runtime::skills::SkillShelf;

/// Made once per look, asked for every text that is typed. Cheap to clone; every call may block.
#[derive(Clone)]
pub(in crate::runtime) struct OfferIndex {
    home: PathBuf,
    config_folder: PathBuf,
    shelf: Arc<SkillShelf>,
    /// Written by a look, read by every suggestion.
    projects: Arc<watch::Sender<HashMap<ProjectId, Arc<Known>>>>,
}

/// What suggestions are made from.
struct Known {
    stack: Vec<String>,
    index: SkillIndex,
}

impl OfferIndex {
    pub fn new(config: &Config, shelf: Arc<SkillShelf>) -> Self {
        Self {
            home: config.home.clone(),
            config_folder: config.paths.config_folder().to_path_buf(),
            shelf,
            projects: Arc::new(watch::Sender::new(HashMap::new())),
        }
    }

    /// Looks into the folders of the project and of the user.
    pub fn look(&self, project: ProjectId, folder: &Path) -> Offers {
        let skills = self.shelf.list(&skill_places(Some(folder), &self.home, &self.config_folder));
        let known = Known {
            stack: detect_stack(folder).into_iter().map(str::to_owned).collect(),
            index: SkillIndex::new(&skills.skills),
        };
        self.projects.send_modify(|projects| {
            projects.insert(project, Arc::new(known));
        });
        Offers { looking: false, skills }
    }

    /// Skills that fit the project and a text, the best first; none until it was looked at.
    pub fn suggest(&self, project: ProjectId, prompt: &str) -> Vec<SkillSuggestion> {
        let known = self.projects.borrow().get(&project).cloned();
        known.map_or_else(Vec::new, |known| known.index.suggest(&known.stack, prompt))
    }
}
