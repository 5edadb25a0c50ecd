//! Runs the program `git`: no shell, no terminal, no questions, within a time and a size.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::os::env::{EnvRules, child_env};
use crate::os::find::{Search, find_program};
use crate::os::process::{ExitInfo, ProcessSpec, SpawnError, StdinMode, spawn};

/// The oldest git whose words are understood.
const OLDEST: (u32, u32) = (2, 30);
/// For what only looks.
pub const LOOK_LIMIT: Duration = Duration::from_secs(30);
/// For what writes a whole checkout.
pub const WRITE_LIMIT: Duration = Duration::from_secs(600);
/// Longest output kept unless more is asked for, in bytes.
pub const OUTPUT_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Longest explanation of git's own, in Unicode characters.
const WHY_MAX_CHARS: usize = 600;

/// Settings of a repository that would run other programs, or keep helpers running, when it is only looked at.
const QUIET: &[&str] = &[
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=false",
    "-c",
    "color.ui=false",
    "-c",
    "advice.detachedHead=false",
];

/// Why git gave no answer. `Display` is one line: what, why, what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    #[error("The program git was not found. Install it, or add its folder to PATH.")]
    Missing,
    #[error("git {found} is too old; {}.{} or newer is needed.", OLDEST.0, OLDEST.1)]
    TooOld { found: String },
    #[error("The folder {} is in no git repository.", folder.display())]
    NoRepository { folder: PathBuf },
    #[error(
        "git does not trust the repository of {0}, because another user owns it. If you trust it, run \
         git config --global --add safe.directory \"{0}\"", folder.display()
    )]
    Untrusted { folder: PathBuf },
    #[error("git did not answer within {} s.", limit.as_secs())]
    TimedOut { limit: Duration },
    #[error("The folder {} is gone.", folder.display())]
    FolderGone { folder: PathBuf },
    #[error("git could not be started: {0}")]
    Start(String),
    /// It ended with an error of its own; its last words.
    #[error("git {what} failed: {why}")]
    Failed { what: String, why: String },
    /// What is asked for cannot be done; one line with the reason.
    #[error("{0}")]
    Refused(String),
}

/// What git printed, and how it ended.
#[derive(Debug, Clone)]
pub struct GitOutput {
    pub bytes: Vec<u8>,
    /// There was more.
    pub cut: bool,
    pub exit: ExitInfo,
}

impl GitOutput {
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.exit.code == Some(0)
    }

    /// The only line of it.
    #[must_use]
    pub fn line(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim_end_matches(['\n', '\r']).to_owned()
    }
}

/// A git that can be run. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    env: Vec<(OsString, OsString)>,
}

/// How one run is bounded.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub limit: Duration,
    pub max_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { limit: LOOK_LIMIT, max_bytes: OUTPUT_MAX_BYTES }
    }
}

impl Git {
    /// Looks for the program; starts nothing. `base_env` is what a child may see a part of.
    ///
    /// # Errors
    /// [`GitError::Missing`].
    pub fn find(
        base_env: &[(OsString, OsString)],
        login_path: Option<&OsStr>,
        home: &Path,
    ) -> Result<Self, GitError> {
        let own_path = base_env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
        let path = login_path.or(own_path);
        let folders = [PathBuf::from(r"C:\Program Files\Git\cmd")];
        let extra_folders: &[PathBuf] = if cfg!(windows) { &folders } else { &[] };
        let search = Search { names: &["git"], path, home, extra_folders, hand_set: None };
        let program = find_program(&search).map_err(|_nowhere| GitError::Missing)?.path;
        let fixed = [
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_LITERAL_PATHSPECS", "1"),
            ("GIT_ASKPASS", ""),
            ("SSH_ASKPASS", ""),
            ("GIT_EDITOR", "true"),
            ("LC_ALL", "C"),
            ("LANGUAGE", "C"),
        ];
        let extra: Vec<(OsString, OsString)> =
            fixed.iter().map(|(name, value)| (OsString::from(*name), OsString::from(*value))).collect();
        let rules = EnvRules {
            login_path,
            program_folder: program.parent(),
            also_pass: &["GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"],
            extra: &extra,
            ..EnvRules::default()
        };
        Ok(Self { env: child_env(base_env.iter().cloned(), &rules), program })
    }

    /// Asks for its version.
    ///
    /// # Errors
    /// It is too old, or cannot be run.
    pub async fn check(&self) -> Result<(), GitError> {
        let spec = self.spec(Path::new("/"), &["--version".into()], true);
        let spec = ProcessSpec { cwd: std::env::temp_dir(), ..spec };
        let said = run(&spec, Bounds::default()).await?.line();
        let version = said.strip_prefix("git version ").unwrap_or(&said).to_owned();
        if is_new_enough(&version) { Ok(()) } else { Err(GitError::TooOld { found: version }) }
    }

    fn spec(&self, folder: &Path, args: &[OsString], looks: bool) -> ProcessSpec {
        let mut all: Vec<OsString> = QUIET.iter().map(OsString::from).collect();
        all.extend(args.iter().cloned());
        let mut env = self.env.clone();
        if !looks {
            env.retain(|(name, _)| name != "GIT_OPTIONAL_LOCKS");
        }
        // Without a guard: a checkout that is being written should be finished, not torn, when we crash.
        ProcessSpec {
            program: self.program.clone(),
            args: all,
            env,
            cwd: folder.to_path_buf(),
            stdin: StdinMode::Null,
            guard: None,
        }
    }

    /// Runs it in `folder` for what it prints; any exit code.
    ///
    /// # Errors
    /// It could not be run, did not end in time, or there is no repository it may use.
    pub async fn ask(&self, folder: &Path, args: &[&OsStr], bounds: Bounds) -> Result<GitOutput, GitError> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let out = run(&self.spec(folder, &args, true), bounds).await?;
        if !out.is_ok() {
            told_by(&out.exit.stderr_tail, folder)?;
        }
        Ok(out)
    }

    /// As [`Git::ask`]; an exit code other than 0 is an error.
    ///
    /// # Errors
    /// See [`GitError`].
    pub async fn look(&self, folder: &Path, args: &[&str]) -> Result<GitOutput, GitError> {
        let words: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let out = self.ask(folder, &words, Bounds::default()).await?;
        if out.is_ok() { Ok(out) } else { Err(failed(args.first().copied().unwrap_or_default(), &out)) }
    }

    /// One line that git prints, or `None` when it ends with an error, e.g. for a name that does not exist.
    ///
    /// # Errors
    /// As [`Git::ask`].
    pub async fn maybe(&self, folder: &Path, args: &[&str]) -> Result<Option<String>, GitError> {
        let words: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
        let out = self.ask(folder, &words, Bounds::default()).await?;
        Ok(out.is_ok().then(|| out.line()))
    }

    /// Runs what changes something.
    ///
    /// # Errors
    /// See [`GitError`].
    pub async fn change(&self, folder: &Path, args: &[&OsStr]) -> Result<GitOutput, GitError> {
        let all: Vec<OsString> = args.iter().map(OsString::from).collect();
        let bounds = Bounds { limit: WRITE_LIMIT, ..Bounds::default() };
        let out = run(&self.spec(folder, &all, false), bounds).await?;
        if out.is_ok() {
            return Ok(out);
        }
        told_by(&out.exit.stderr_tail, folder)?;
        let what: Vec<_> = args.iter().take(2).map(|word| word.to_string_lossy()).collect();
        Err(failed(&what.join(" "), &out))
    }
}

/// An exit code that says no.
pub(super) fn failed(what: &str, out: &GitOutput) -> GitError {
    GitError::Failed { what: what.to_owned(), why: one_line(&out.exit.stderr_tail) }
}

/// Kinds of failure that git only tells in words.
fn told_by(stderr: &str, folder: &Path) -> Result<(), GitError> {
    let folder = || folder.to_path_buf();
    if stderr.contains("dubious ownership") || stderr.contains("unsafe repository") {
        return Err(GitError::Untrusted { folder: folder() });
    }
    if stderr.contains("not a git repository") {
        return Err(GitError::NoRepository { folder: folder() });
    }
    Ok(())
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split_whitespace().filter(|word| *word != "fatal:" && *word != "error:").collect();
    let line = words.join(" ");
    if line.is_empty() { "it said nothing".to_owned() } else { line.chars().take(WHY_MAX_CHARS).collect() }
}

async fn run(spec: &ProcessSpec, bounds: Bounds) -> Result<GitOutput, GitError> {
    let mut child = spawn(spec).map_err(|error| match error {
        SpawnError::NotFound { .. } => GitError::Missing,
        SpawnError::CwdMissing { cwd } => GitError::FolderGone { folder: cwd },
        other => GitError::Start(other.to_string()),
    })?;
    let mut bytes = Vec::new();
    let mut cut = false;
    let ended = tokio::time::timeout(bounds.limit, async {
        if let Some(mut source) = child.take_lines() {
            while let Some(chunk) = source.next_bytes().await {
                let room = bounds.max_bytes.saturating_sub(bytes.len());
                bytes.extend_from_slice(chunk.get(..room).unwrap_or(chunk));
                if chunk.len() > room {
                    cut = true;
                    break;
                }
            }
        }
        // What nobody reads any more would keep it waiting for ever.
        if cut { child.stop(Duration::ZERO).await } else { child.wait().await }
    })
    .await;
    match ended {
        // It was ended by us; what it printed until then is sound.
        Ok(exit) if cut => Ok(GitOutput { bytes, cut, exit: ExitInfo { code: Some(0), ..exit } }),
        Ok(exit) => Ok(GitOutput { bytes, cut, exit }),
        Err(_elapsed) => {
            // It may take back what it has half done.
            child.stop(Duration::from_secs(2)).await;
            Err(GitError::TimedOut { limit: bounds.limit })
        }
    }
}

/// `2.39.3 (Apple Git-146)` and the like; what is not understood passes.
fn is_new_enough(version: &str) -> bool {
    let mut parts = version.split(['.', ' ', '-']).map_while(|part| part.parse::<u32>().ok());
    match (parts.next(), parts.next()) {
        (Some(major), Some(minor)) => (major, minor) >= OLDEST,
        _ => true,
    }
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn versions_are_compared() {
        for (version, fits) in [
            ("2.47.3", true),
            ("2.30.0", true),
            ("2.29.9", false),
            ("1.8.3.1", false),
            ("2.39.3 (Apple Git-146)", true),
            ("2.45.1.windows.1", true),
            ("3.0", true),
            ("unknown", true),
        ] {
            assert_eq!(is_new_enough(version), fits, "{version}");
        }
    }

    #[test]
    fn a_missing_git_is_told() {
        let home = tempfile::tempdir().unwrap();
        let env = vec![("PATH".into(), home.path().into())];
        // Folders that installers use are looked through too, so it may be found there.
        match Git::find(&env, None, home.path()) {
            Ok(git) => assert!(git.program.is_absolute()),
            Err(error) => assert!(error.to_string().contains("Install it"), "{error}"),
        }
    }
}
