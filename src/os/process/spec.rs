//! What to start, checked before it is started, and the ways in which starting fails.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// An argument of this many bytes or more is refused: long texts go by standard input or a file.
///
/// Windows limits a whole command line to 32,767 characters, Linux one argument to 128 KiB; staying far
/// below keeps a program that works with a small text working with a large one.
pub const MAX_ARG_BYTES: usize = 8 * 1024;

/// Where a child's standard input comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StdinMode {
    /// A pipe written through [`super::StdinWriter`]. Close it: some programs wait for its end for ever.
    Piped,
    /// Nothing: the child reads end of file at once.
    Null,
}

/// A child to start. Nothing is inherited but what stands here.
#[derive(Debug, Clone)]
pub struct ProcessSpec {
    /// Absolute path of the program; a bare name is never searched for (see [`crate::os::find`]).
    pub program: PathBuf,
    /// Arguments after the program's name, handed over as they are, with no shell in between.
    pub args: Vec<OsString>,
    /// The whole environment of the child (see [`crate::os::env::child_env`]).
    pub env: Vec<(OsString, OsString)>,
    /// The folder the child runs in; must exist.
    pub cwd: PathBuf,
    pub stdin: StdinMode,
    /// Our own program, to start the child under its watch (see [`crate::os::guard`]); `None` starts it
    /// directly. Ignored on Windows.
    pub guard: Option<PathBuf>,
}

/// Why a child could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpawnError {
    /// The file is not there, or the path is not absolute.
    #[error("program not found: {}", program.display())]
    NotFound { program: PathBuf },
    /// The file is there but may not be executed, or the system does not know its format.
    #[error("not an executable program: {}", program.display())]
    NotExecutable { program: PathBuf },
    #[error("the folder does not exist: {}", cwd.display())]
    CwdMissing { cwd: PathBuf },
    /// One argument reaches [`MAX_ARG_BYTES`], or the system refused the sum of all.
    #[error("an argument is too long ({bytes} bytes)")]
    ArgumentTooLong { bytes: usize },
    #[error("could not start {}: {message}", program.display())]
    Other { program: PathBuf, message: String },
}

impl SpawnError {
    /// Sorts the system's own error of starting `program`.
    pub(in crate::os) fn from_io(program: &Path, error: &io::Error) -> Self {
        Self::from_kind(program, error.kind(), error.raw_os_error(), error.to_string())
    }

    pub(in crate::os) fn from_kind(
        program: &Path,
        kind: io::ErrorKind,
        os_error: Option<i32>,
        message: String,
    ) -> Self {
        /// "Exec format error" on Linux and macOS; Rust has no kind for it.
        const ENOEXEC: i32 = 8;
        let program = program.to_path_buf();
        match kind {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::NotFound { program },
            io::ErrorKind::PermissionDenied => Self::NotExecutable { program },
            io::ErrorKind::ArgumentListTooLong => Self::ArgumentTooLong { bytes: 0 },
            _ if cfg!(unix) && os_error == Some(ENOEXEC) => Self::NotExecutable { program },
            _ => Self::Other { program, message },
        }
    }
}

impl ProcessSpec {
    /// Finds what can be told without starting anything, so that the error names the true cause.
    ///
    /// # Errors
    /// Every kind of [`SpawnError`] but `Other`.
    pub fn check(&self) -> Result<(), SpawnError> {
        if let Some(bytes) =
            self.args.iter().map(|arg| arg.as_encoded_bytes().len()).find(|bytes| *bytes >= MAX_ARG_BYTES)
        {
            return Err(SpawnError::ArgumentTooLong { bytes });
        }
        if !self.cwd.is_dir() {
            return Err(SpawnError::CwdMissing { cwd: self.cwd.clone() });
        }
        let program = || self.program.clone();
        match std::fs::metadata(&self.program) {
            _ if !self.program.is_absolute() => Err(SpawnError::NotFound { program: program() }),
            Err(error) => Err(SpawnError::from_io(&self.program, &error)),
            Ok(meta) if !is_executable(&meta) => Err(SpawnError::NotExecutable { program: program() }),
            Ok(_) => Ok(()),
        }
    }
}

/// A file with at least one execute bit; on Windows any file (its ending decides there).
pub(in crate::os) fn is_executable(meta: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        meta.is_file() && meta.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    {
        meta.is_file()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{MAX_ARG_BYTES, SpawnError};
    use crate::os::testing::sh;

    #[test]
    fn each_cause_has_its_own_error() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("plain.txt");
        std::fs::write(&plain, "text").unwrap();
        let good = sh(folder.path(), "true");
        assert_eq!(good.check(), Ok(()));

        let mut spec = good.clone();
        spec.program = folder.path().join("none");
        assert_eq!(spec.check(), Err(SpawnError::NotFound { program: spec.program.clone() }));
        spec.program = "sh".into();
        assert_eq!(spec.check(), Err(SpawnError::NotFound { program: "sh".into() }));
        spec.program = plain.join("below-a-file");
        assert_eq!(spec.check(), Err(SpawnError::NotFound { program: spec.program.clone() }));
        spec.program = plain.clone();
        assert_eq!(spec.check(), Err(SpawnError::NotExecutable { program: plain.clone() }));
        spec.program = folder.path().into();
        assert_eq!(spec.check(), Err(SpawnError::NotExecutable { program: folder.path().into() }));

        for cwd in [folder.path().join("gone"), plain] {
            let mut spec = good.clone();
            spec.cwd.clone_from(&cwd);
            assert_eq!(spec.check(), Err(SpawnError::CwdMissing { cwd }));
        }

        let mut spec = good.clone();
        spec.args = vec!["x".repeat(MAX_ARG_BYTES - 1).into()];
        assert_eq!(spec.check(), Ok(()));
        spec.args = vec!["x".repeat(MAX_ARG_BYTES).into()];
        assert_eq!(spec.check(), Err(SpawnError::ArgumentTooLong { bytes: MAX_ARG_BYTES }));
    }
}
