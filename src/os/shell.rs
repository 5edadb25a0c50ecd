//! Asking the user's login shell for its PATH.
//!
//! A program started from a dock or menu has a bare PATH; what the user set up in the shell's start files
//! is known to the shell alone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::process::{OutputError, ProcessSpec, StdinMode, run_for_output};

/// How long a shell may take; start files that load version managers take about a second.
pub const LOGIN_PATH_LIMIT: Duration = Duration::from_secs(3);

const MARK: &str = "__PATH_BETWEEN_THESE__";
/// Start files may print a lot before our answer.
const MAX_NOISE_BYTES: usize = 1024 * 1024;

/// The shell to ask.
#[derive(Debug, Clone)]
pub struct LoginShell {
    /// The user's shell (`$SHELL`), an absolute path.
    pub program: PathBuf,
    pub home: PathBuf,
    /// Its whole environment; start from [`super::env::child_env`].
    pub env: Vec<(OsString, OsString)>,
    /// See [`ProcessSpec::guard`]. With it the shell has no terminal that it could stop on.
    pub guard: Option<PathBuf>,
}

/// Why the shell gave no PATH.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginPathError {
    #[error(transparent)]
    Run(#[from] OutputError),
    #[error("the shell did not print its PATH: {stderr_tail}")]
    NoAnswer { stderr_tail: String },
}

/// The PATH of the user's login shell, asked within `limit`. Callers ask once and keep the answer.
///
/// What start files print around the answer is ignored. A shell that does not end in time is killed; if it
/// had printed its PATH by then, that counts.
///
/// # Errors
/// The shell could not be started, took too long, or printed no PATH. Go on with
/// [`super::env::default_path`] then.
pub async fn login_path(shell: &LoginShell, limit: Duration) -> Result<OsString, LoginPathError> {
    let spec = ProcessSpec {
        program: shell.program.clone(),
        args: arguments(&shell.program),
        env: shell.env.clone(),
        cwd: shell.home.clone(),
        stdin: StdinMode::Null,
        guard: shell.guard.clone(),
    };
    let (stdout, error) = match run_for_output(&spec, limit, MAX_NOISE_BYTES).await {
        Ok(output) => (output.stdout, LoginPathError::NoAnswer { stderr_tail: output.exit.stderr_tail }),
        Err(OutputError::TimedOut { limit, stdout, stderr_tail }) => {
            let late = OutputError::TimedOut { limit, stdout: String::new(), stderr_tail };
            (stdout, late.into())
        }
        Err(error) => return Err(error.into()),
    };
    between_marks(&stdout).map(OsString::from).ok_or(error)
}

/// csh and tcsh take `-l` only when it stands alone; Nushell can't be interactive with `-c`.
fn arguments(shell: &Path) -> Vec<OsString> {
    let flags: &[&str] = match shell.file_stem().and_then(|name| name.to_str()) {
        Some("csh" | "tcsh") => &["-i", "-c"],
        Some("nu") => &["-l", "-c"],
        _ => &["-l", "-i", "-c"],
    };
    // A program prints it, since shells differ in what `$PATH` is (fish keeps a list).
    let script = format!("echo {MARK}; /usr/bin/env printenv PATH; echo {MARK}");
    flags.iter().map(OsString::from).chain([script.into()]).collect()
}

/// The one line between two lines that end with the mark (a prompt may stand before it).
fn between_marks(stdout: &str) -> Option<&str> {
    let mut lines = stdout.lines().map(str::trim);
    lines.find(|line| line.ends_with(MARK))?;
    lines.find(|line| !line.is_empty()).filter(|line| !line.ends_with(MARK) && line.contains('/'))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::os::testing::{clean_env, holds_within};
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::Instant;

    fn shell(home: &Path, program: &str) -> LoginShell {
        LoginShell { program: program.into(), home: home.into(), env: clean_env(home), guard: None }
    }

    #[test]
    fn the_answer_is_found_in_noise() {
        let cases = [
            (format!("{MARK}\n/a:/b\n{MARK}\n"), Some("/a:/b")),
            (format!("welcome\n\x1b[0m% {MARK}\n/a b:/c\n{MARK}\nbye"), Some("/a b:/c")),
            (format!("{MARK}\n{MARK}\n"), None),
            (format!("{MARK}\nprintenv: not found\n"), None),
            ("no marks".into(), None),
        ];
        for (stdout, wanted) in cases {
            assert_eq!(between_marks(&stdout), wanted, "{stdout:?}");
        }
    }

    #[tokio::test]
    async fn start_files_of_a_real_shell_count() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(
            home.path().join(".profile"),
            "echo noise; echo more >&2; PATH=\"$HOME/my bin:$PATH\"; export PATH\n",
        )
        .unwrap();
        let path = login_path(&shell(home.path(), "/bin/sh"), LOGIN_PATH_LIMIT).await.unwrap();
        // The system's own start files come first and may set the rest.
        let wanted = format!("{}/my bin:/", home.path().display());
        assert!(path.to_str().unwrap().starts_with(&wanted), "{path:?}");
    }

    #[tokio::test]
    async fn a_shell_that_hangs_is_ended() {
        let home = tempfile::tempdir().unwrap();
        let fake = home.path().join("fakesh");
        std::fs::write(&fake, "#!/bin/sh\necho $$ > \"$HOME/pid\"\nsleep 60\n").unwrap();
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
        let started = Instant::now();
        let limit = Duration::from_millis(400);
        let error = login_path(&shell(home.path(), fake.to_str().unwrap()), limit).await.unwrap_err();
        assert!(matches!(error, LoginPathError::Run(OutputError::TimedOut { .. })), "{error}");
        assert!(started.elapsed() < Duration::from_secs(3));
        let pid: i32 = std::fs::read_to_string(home.path().join("pid")).unwrap().trim().parse().unwrap();
        let stat = format!("/proc/{pid}");
        assert!(holds_within(Duration::from_secs(2), || !Path::new(&stat).exists()).await);
    }
}
