//! What a checkout looks like at a moment, cheaply: to tell afterwards which files were changed meanwhile.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::model::git::GitPath;
use crate::os::git::changes::native;
use crate::os::git::run::{Bounds, Git, GitError};
use crate::os::git::status::Ask;

/// How long looking may take; a checkout too large for that is not compared.
const LIMIT: Duration = Duration::from_secs(8);
/// Most changed files that are looked at one by one.
const FILES_MAX: usize = 5_000;

/// The state of a checkout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fingerprint {
    head: Option<String>,
    files: BTreeMap<GitPath, Print>,
    /// There were more files than are looked at.
    cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Print {
    letters: [u8; 2],
    size: Option<u64>,
    modified: Option<SystemTime>,
}

impl Git {
    /// Looks at the checkout that `folder` is in. Ignored files are not looked at.
    ///
    /// # Errors
    /// See [`GitError`].
    pub async fn fingerprint(&self, folder: &Path) -> Result<Fingerprint, GitError> {
        // All of it: a turn waits for this.
        let whole = tokio::time::timeout(LIMIT, self.look_at_all(folder)).await;
        whole.unwrap_or(Err(GitError::TimedOut { limit: LIMIT }))
    }

    async fn look_at_all(&self, folder: &Path) -> Result<Fingerprint, GitError> {
        let root = self.repo(folder).await?.root;
        let head = self.head_commit(&root).await?;
        let bounds = Bounds { limit: LIMIT, ..Bounds::default() };
        let status = self.status(&root, Ask { every_file: true, ignored: false, bounds }).await?;
        let cut = status.cut || status.entries.len() > FILES_MAX;
        let read = tokio::task::spawn_blocking(move || {
            let looked = status.entries.into_iter().take(FILES_MAX).map(|entry| {
                let at = root.join(native(&entry.path));
                let meta = std::fs::symlink_metadata(at).ok();
                let print = Print {
                    letters: entry.letters,
                    size: meta.as_ref().map(std::fs::Metadata::len),
                    modified: meta.and_then(|meta| meta.modified().ok()),
                };
                (entry.path, print)
            });
            looked.collect()
        });
        let files = read.await.map_err(|error| GitError::Refused(error.to_string()))?;
        Ok(Fingerprint { head, files, cut })
    }
}

impl Fingerprint {
    /// What became of it: one line for each file, and for the commit checked out.
    #[must_use]
    pub fn changed_to(&self, after: &Self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.head != after.head {
            let short = |head: &Option<String>| {
                head.as_ref().map_or_else(|| "no commit".to_owned(), |hash| hash.chars().take(8).collect())
            };
            lines.push(format!("the commit checked out ({} → {})", short(&self.head), short(&after.head)));
        }
        if self.cut || after.cut {
            return lines;
        }
        let mut names: Vec<&GitPath> = self.files.keys().chain(after.files.keys()).collect();
        names.sort();
        names.dedup();
        let differs = |name: &&&GitPath| self.files.get(**name) != after.files.get(**name);
        lines.extend(names.iter().filter(differs).map(|name| name.shown()));
        lines
    }
}
