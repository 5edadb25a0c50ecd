//! The outside tool `rawq`: asked when it is installed and has an index of the project, within a deadline.
//!
//! Facts taken from its version 0.1.1: `rawq search QUERY PATH --json --top N --no-reindex` prints `{"results":
//! [{"file", "lines": [first, last], "language", "scope", "confidence", "content"}]}` and ends with 0, or with 1 when
//! there are none, or with 2 on an error; `rawq index status PATH --json` prints `{"indexed": bool}`; a search without
//! an index would build one, which takes minutes; `rawq daemon start` keeps its model in memory.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::walk::{Listed, may_read};
use super::{CodeQuery, index, language, pick};
use crate::model::code::{CodeFound, CodeNote, CodePassage, CodeSource, CodeWhy};
use crate::os::env::{EnvRules, child_env};
use crate::os::find::{Search, find_program};
use crate::os::process::{Child, OutputError, ProcessSpec, SpawnError, StdinMode, run_for_output, spawn};

/// Where the tool comes from, for the list of outside tools.
pub const RAWQ_HOME: &str = "https://github.com/auyelbekov/rawq";

const MAX_OUTPUT_BYTES: usize = 2 * 1024 * 1024;
const MAX_QUESTION_CHARS: usize = 600;
/// The part of the time, in percent, after which the own search takes over.
const TIME_PERCENT: u32 = 60;
/// A daemon that ended is not started again before.
const DAEMON_AGAIN: Duration = Duration::from_secs(60);

/// Why `rawq` gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RawqError {
    #[error("it has no index of this project yet; `rawq index build` in its folder makes one")]
    NoIndex,
    #[error("no answer within {limit_ms} ms")]
    TimedOut { limit_ms: u64 },
    #[error("it ended with {code}: {said}")]
    Failed { code: String, said: String },
    #[error("its answer can't be read")]
    Unreadable,
    #[error(transparent)]
    Start(#[from] SpawnError),
}

/// The installed tool, and its daemon while we hold one. Dropping it ends the daemon.
#[derive(Debug)]
pub struct Rawq {
    program: PathBuf,
    env: Vec<(OsString, OsString)>,
    guard: Option<PathBuf>,
    daemon: Option<Child>,
    daemon_started: Option<Instant>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    results: Vec<One>,
}

#[derive(Debug, Deserialize)]
struct One {
    file: String,
    lines: (u32, u32),
    #[serde(default)]
    language: String,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    confidence: f32,
    content: String,
}

#[derive(Debug, Deserialize)]
struct Status {
    indexed: bool,
}

impl Rawq {
    /// Looks for the tool on the user's PATH and in the folders installers use. Starts nothing.
    #[must_use]
    pub fn find(
        process_env: &[(OsString, OsString)],
        login_path: Option<&OsStr>,
        home: &Path,
        guard: Option<PathBuf>,
    ) -> Option<Self> {
        let own_path =
            process_env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
        let path = login_path.or(own_path);
        let search = Search { names: &["rawq"], path, home, extra_folders: &[], hand_set: None };
        let program = find_program(&search).ok()?.path;
        let rules = EnvRules {
            login_path,
            program_folder: program.parent(),
            also_pass: &["RAWQ_MODEL", "RAWQ_NO_DAEMON"],
            ..EnvRules::default()
        };
        let env = child_env(process_env.iter().cloned(), &rules);
        Some(Self { program, env, guard, daemon: None, daemon_started: None })
    }

    /// The program's file.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    fn spec(&self, root: &Path, args: &[&OsStr]) -> ProcessSpec {
        ProcessSpec {
            program: self.program.clone(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: self.env.clone(),
            cwd: root.to_path_buf(),
            stdin: StdinMode::Null,
            guard: self.guard.clone(),
        }
    }

    async fn run(
        &self,
        root: &Path,
        args: &[&OsStr],
        until: Instant,
    ) -> Result<(Option<i32>, String), RawqError> {
        let limit = until.saturating_duration_since(Instant::now());
        match run_for_output(&self.spec(root, args), limit, MAX_OUTPUT_BYTES).await {
            // 1 says: nothing found, or an error; the answer tells which.
            Ok(output)
                if output.exit.code == Some(0)
                    || output.exit.code == Some(1) && !output.stdout.is_empty() =>
            {
                Ok((output.exit.code, output.stdout))
            }
            Ok(output) => {
                let code = output
                    .exit
                    .code
                    .map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
                let said =
                    output.exit.stderr_tail.lines().last().unwrap_or_default().chars().take(200).collect();
                Err(RawqError::Failed { code, said })
            }
            Err(OutputError::TimedOut { limit, .. }) => {
                Err(RawqError::TimedOut { limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX) })
            }
            Err(OutputError::Spawn(error)) => Err(error.into()),
        }
    }

    /// Builds or renews its index of a project: minutes for a large one, so for the background.
    ///
    /// # Errors
    /// It failed or took longer than `limit`.
    pub async fn build_index(&self, root: &Path, limit: Duration) -> Result<(), RawqError> {
        let args = ["index".as_ref(), "build".as_ref(), root.as_os_str(), "--json".as_ref()];
        self.run(root, &args, Instant::now() + limit).await.map(|_stats| ())
    }

    /// Whether it has an index of the project.
    ///
    /// # Errors
    /// It gave no answer that can be read within `limit`.
    pub async fn has_index(&self, root: &Path, limit: Duration) -> Result<bool, RawqError> {
        let args = ["index".as_ref(), "status".as_ref(), root.as_os_str(), "--json".as_ref()];
        let (_code, stdout) = self.run(root, &args, Instant::now() + limit).await?;
        let status: Status = parse(&stdout).ok_or(RawqError::Unreadable)?;
        Ok(status.indexed)
    }

    /// Asks for the passages that answer `prompt`, within 60 percent of the query's deadline, so that there is time
    /// for the own search when it fails. Its index is not renewed on the way; results that no longer stand in
    /// their file, or that are ignored, are dropped with a note.
    ///
    /// # Errors
    /// It has no index, did not answer in time, failed, or said something unreadable.
    pub async fn search(
        &mut self,
        root: &Path,
        prompt: &str,
        query: &CodeQuery,
    ) -> Result<CodeFound, RawqError> {
        let begun = Instant::now();
        let until = begun + query.deadline * TIME_PERCENT / 100;
        if !self.has_index(root, until.saturating_duration_since(begun)).await? {
            return Err(RawqError::NoIndex);
        }
        self.hold_daemon(root);
        // What begins with a dash would be taken for an option.
        let question: String = prompt
            .trim_start_matches(|c: char| c == '-' || c.is_whitespace())
            .chars()
            .take(MAX_QUESTION_CHARS)
            .collect();
        let top = query.max_passages.to_string();
        let args = [
            "search".as_ref(),
            question.as_ref(),
            root.as_os_str(),
            "--json".as_ref(),
            "--top".as_ref(),
            top.as_ref(),
            "--context".as_ref(),
            "0".as_ref(),
            "--no-reindex".as_ref(),
        ];
        let (code, stdout) = self.run(root, &args, until).await?;
        let answer: Option<Answer> = parse(&stdout);
        let Some(answer) = answer else {
            return Err(match code {
                Some(0) | None => RawqError::Unreadable,
                Some(code) => {
                    RawqError::Failed { code: format!("exit code {code}"), said: one_line(&stdout) }
                }
            });
        };
        let mut found = CodeFound { source: CodeSource::Rawq, ..CodeFound::default() };
        let all = answer.results.len();
        let good: Vec<CodePassage> =
            answer.results.into_iter().filter_map(|one| passage(root, one, query)).collect();
        let dropped = u32::try_from(all - good.len()).unwrap_or(u32::MAX);
        if dropped > 0 {
            found.notes.push(CodeNote::RawqDropped { results: dropped });
        }
        found.passages = pick::fit(good, query.budget_chars, query.max_passages);
        found.elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(found)
    }

    /// Starts its daemon unless ours runs. One that ends at once (another is there already) is left alone for a while.
    fn hold_daemon(&mut self, root: &Path) {
        if self.env.iter().any(|(name, _)| name == "RAWQ_NO_DAEMON") {
            return;
        }
        let runs = self.daemon.as_ref().is_some_and(|daemon| daemon.exited().is_none());
        let is_too_soon = self.daemon_started.is_some_and(|at| at.elapsed() < DAEMON_AGAIN);
        if runs || is_too_soon {
            return;
        }
        self.daemon_started = Some(Instant::now());
        let args: [&OsStr; 2] = ["daemon".as_ref(), "start".as_ref()];
        match spawn(&self.spec(root, &args)) {
            Ok(mut daemon) => {
                // It prints next to nothing; nobody would read it.
                drop(daemon.take_lines());
                self.daemon = Some(daemon);
            }
            Err(error) => tracing::debug!(%error, "the daemon of rawq can't be started"),
        }
    }
}

fn parse<T: for<'de> Deserialize<'de>>(stdout: &str) -> Option<T> {
    // Words of greeting may stand before the object.
    let start = stdout.find('{')?;
    let mut values = serde_json::Deserializer::from_str(stdout.get(start..)?).into_iter();
    values.next()?.ok()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect()
}

/// A result as a passage, if the file may be read and still says so at these lines.
fn passage(root: &Path, one: One, query: &CodeQuery) -> Option<CodePassage> {
    let file = Path::new(&one.file);
    let relative = file.strip_prefix(root).unwrap_or(file);
    let path = relative.to_str()?.trim_start_matches("./").replace('\\', "/");
    if !may_read(root, &path, &query.limits) {
        return None;
    }
    let name = path.rsplit('/').next().unwrap_or(&path);
    let listed = Listed { path: path.clone(), bytes: 0, changed_ns: 0, kind: language::of_name(name) };
    let text = index::read_text(root, &listed, query.limits.max_file_bytes).ok()?;
    let (first, last) = one.lines;
    let skip = first.checked_sub(1)? as usize;
    let lines: Vec<&str> = text.lines().skip(skip).take((last.checked_sub(first)? + 1) as usize).collect();
    let same = |a: &str, b: &str| a.trim() == b.trim();
    let said: Vec<&str> = one.content.lines().collect();
    let is_there = said.first().zip(lines.first()).is_some_and(|(a, b)| same(a, b))
        && said.last().zip(lines.last()).is_some_and(|(a, b)| same(a, b));
    if !is_there {
        return None;
    }
    Some(CodePassage {
        path,
        start_line: first,
        end_line: first + u32::try_from(lines.len()).ok()? - 1,
        language: if one.language.is_empty() { listed.kind.language.to_owned() } else { one.language },
        name: (!one.scope.is_empty()).then_some(one.scope),
        text: lines.join("\n"),
        cut_lines: 0,
        score: if one.confidence.is_finite() { one.confidence } else { 0.0 },
        why: CodeWhy::default(),
    })
}

#[cfg(test)]
#[cfg(unix)]
#[path = "rawq_tests.rs"]
mod tests;
