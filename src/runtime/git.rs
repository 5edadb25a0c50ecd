//! What the program git is asked to do, and the watch over the project's own folder while an agent works elsewhere.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::domain::checkout::{GitDone, GitJob};
use crate::domain::input::Input;
use crate::model::git::Checkout;
use crate::model::id::ProjectId;
use crate::model::turn::TurnSpec;
use crate::os::git::checkout::{Before, NewCheckout, shelf, unmark};
use crate::os::git::fingerprint::Fingerprint;
use crate::os::git::remove::no_checkout;
use crate::os::git::{Git, GitError, Head, current_head};
use crate::runtime::Config;
use crate::runtime::turn::TurnCx;

/// What is checked out in a folder, read without the program.
pub(in crate::runtime) async fn read_head(project: ProjectId, path: PathBuf) -> Input {
    let head = tokio::task::spawn_blocking(move || current_head(&path)).await.ok().flatten();
    let detached = matches!(head, Some(Head::Detached(_)));
    let branch = head.map(|head| match head {
        Head::Branch(name) | Head::Detached(name) => name,
    });
    Input::GitBranch { project, branch, detached }
}

/// One job at a time makes or takes away checkouts: two of them could choose the same names. Holds the folders that
/// were made since the program started.
pub(in crate::runtime) type GitTurn = Arc<Mutex<BTreeSet<PathBuf>>>;

/// What it takes to run git.
#[derive(Clone)]
pub(in crate::runtime) struct GitHands {
    pub config: Arc<Config>,
    pub login_path: Option<OsString>,
    pub turn: GitTurn,
}

impl GitHands {
    fn git(&self) -> Result<Git, GitError> {
        Git::find(&self.config.process_env, self.login_path.as_deref(), &self.config.home)
    }

    /// Does one job and says what came of it.
    pub async fn perform(self, job: GitJob) -> Input {
        Input::Git(match job {
            GitJob::Look { conversation, folder, own, base, generation } => {
                let result = self.look(&folder, own, base.as_deref()).await;
                GitDone::Looked { conversation, generation, result: line(result) }
            }
            GitJob::Diff { conversation, folder, base, file } => {
                let result = match self.git() {
                    Ok(git) => git.file_diff(&folder, &base, &file).await,
                    Err(error) => Err(error),
                };
                GitDone::Diffed { conversation, file: file.path, result: line(result) }
            }
            GitJob::Make { branch, project, project_id, project_name, label, git_branch, again } => {
                let shelf = shelf(&self.config.paths.worktree_folder(), &project_name, project_id.0);
                let new = NewCheckout {
                    project: &project,
                    shelf: &shelf,
                    label: &label,
                    git_branch: git_branch.as_deref(),
                    again: again.as_ref().map(|one| Before {
                        folder: &one.folder,
                        base: one.base.as_deref(),
                        git_branch: one.git_branch.as_deref(),
                    }),
                };
                let mut made_here = self.turn.lock().await;
                let result = match self.git() {
                    Ok(git) => git.make_checkout(new).await,
                    Err(error) => Err(error),
                };
                made_here.extend(result.iter().map(|made| PathBuf::from(&made.folder)));
                GitDone::Made { branch, result: line(result), project }
            }
            GitJob::Unmake { project, made } => {
                let _turn = self.turn.lock().await;
                let undone = match self.git() {
                    Ok(git) => git.unmake_checkout(&project, &made).await,
                    Err(error) => Err(error),
                };
                if let Err(error) = undone {
                    tracing::warn!(%error, folder = made.folder, "a checkout that was not kept stays");
                }
                GitDone::Nothing
            }
            GitJob::Kept { folder } => {
                let unmarked = tokio::task::spawn_blocking(move || unmark(&folder)).await;
                tracing::debug!(?unmarked, "a checkout is kept");
                GitDone::Nothing
            }
            GitJob::Remove { branch, project, folder, with_ignored } => {
                let _turn = self.turn.lock().await;
                let result = match self.git() {
                    Ok(git) => git.remove_checkout(&project, &folder, with_ignored).await,
                    Err(error) => Err(crate::model::git::NotRemoved::Failed(error.to_string())),
                };
                GitDone::Removed { branch, result }
            }
            GitJob::Forget { branch, project, folder } => {
                let _turn = self.turn.lock().await;
                let result = match self.git() {
                    Ok(git) => git.forget_checkout(&project, &folder).await,
                    Err(error) => Err(error),
                };
                GitDone::Forgotten { branch, result: line(result) }
            }
            GitJob::FindLeft { known } => self.find_left(known).await,
        })
    }

    async fn look(&self, folder: &Path, own: bool, base: Option<&str>) -> Result<Checkout, GitError> {
        if own && !tokio::fs::metadata(folder).await.is_ok_and(|found| found.is_dir()) {
            return Ok(Checkout::Gone { folder: folder.to_path_buf() });
        }
        let found = self.git()?.changes(folder, base).await;
        let found = found.map_err(|error| if own { no_checkout(error, folder) } else { error })?;
        Ok(Checkout::There(Box::new(found)))
    }

    async fn find_left(&self, mut known: Vec<PathBuf>) -> GitDone {
        let shelves = self.config.paths.worktree_folder();
        if !tokio::fs::metadata(&shelves).await.is_ok_and(|found| found.is_dir()) {
            return GitDone::Nothing;
        }
        let made_here = self.turn.lock().await;
        // One that was just made may not be kept yet.
        known.extend(made_here.iter().cloned());
        match self.git() {
            Ok(git) => {
                let (removed, stay) = git.clear_left(&shelves, &known).await;
                GitDone::Left { removed, stay }
            }
            Err(_) => GitDone::Nothing,
        }
    }
}

/// The project's own folder as it was before a turn in another checkout.
pub(in crate::runtime) struct MainWatch {
    git: Git,
    folder: PathBuf,
    before: JoinHandle<Result<Fingerprint, GitError>>,
}

impl TurnCx {
    /// Begins to look at the project's folder, when the turn is to work in a checkout of its own.
    pub fn watch_main(&self, spec: &TurnSpec) -> Option<MainWatch> {
        let folder = spec.main_folder.clone()?;
        let login_path = self.login_path.borrow().clone();
        let git =
            GitHands { config: self.config.clone(), login_path, turn: GitTurn::default() }.git().ok()?;
        let (looker, at) = (git.clone(), folder.clone());
        let before = tokio::spawn(async move { looker.fingerprint(&at).await });
        Some(MainWatch { git, folder, before })
    }
}

impl MainWatch {
    /// The first look is done: the agent may begin.
    pub async fn seen(&mut self) -> Option<Fingerprint> {
        match (&mut self.before).await {
            Ok(Ok(print)) => Some(print),
            Ok(Err(error)) => {
                tracing::info!(%error, "the project's folder is not watched during this turn");
                None
            }
            Err(error) => {
                tracing::warn!(%error, "the project's folder is not watched during this turn");
                None
            }
        }
    }

    /// Looks again: what changed meanwhile.
    pub async fn compare(self, before: &Fingerprint) -> Vec<String> {
        match self.git.fingerprint(&self.folder).await {
            Ok(after) => before.changed_to(&after),
            Err(error) => {
                tracing::info!(%error, "the project's folder was not looked at after a turn");
                Vec::new()
            }
        }
    }
}

fn line<T>(result: Result<T, GitError>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use crate::model::id::ConversationId;
    use std::ffi::OsStr;

    use super::*;
    use crate::os::paths::DataPaths;

    async fn run(hands: &GitHands, folder: &Path, words: &str) {
        let words: Vec<&OsStr> = words.split(' ').map(OsStr::new).collect();
        hands.git().unwrap().change(folder, &words).await.unwrap();
    }

    /// Two branches with one label at the same time, and the look for what an earlier run left behind comes late.
    #[tokio::test]
    async fn what_is_made_at_once_stays_apart_and_is_not_taken_for_left_behind() {
        let base = tempfile::tempdir().unwrap();
        let project = base.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let process_env: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin".into()),
            ("HOME".into(), base.path().into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
        ];
        let config = Config {
            paths: DataPaths::new(Some(&base.path().join("data"))).unwrap(),
            process_env,
            home: base.path().to_path_buf(),
            guard: None,
            read_only: false,
            discover: false,
            program_ends: false,
        };
        let hands = GitHands { config: Arc::new(config), login_path: None, turn: GitTurn::default() };
        for words in ["init --quiet", "config user.name T", "config user.email t@example.invalid"] {
            run(&hands, &project, words).await;
        }
        run(&hands, &project, "commit --quiet --allow-empty -m first").await;
        let make = |id| GitJob::Make {
            branch: ConversationId(id),
            project: project.clone(),
            project_id: ProjectId(1),
            project_name: "p".into(),
            label: "same".into(),
            git_branch: None,
            again: None,
        };
        let (one, two) = tokio::join!(hands.clone().perform(make(1)), hands.clone().perform(make(2)));
        hands.perform(GitJob::FindLeft { known: Vec::new() }).await;
        let folder = |done: Input| match done {
            Input::Git(GitDone::Made { result: Ok(made), .. }) => PathBuf::from(made.folder),
            other => panic!("{other:?}"),
        };
        let (one, two) = (folder(one), folder(two));
        assert_ne!(one, two);
        assert!(one.is_dir() && two.is_dir());
    }
}
