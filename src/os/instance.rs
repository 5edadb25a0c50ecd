//! One running program per data folder. A second start brings the first to the front.
//!
//! The lock is the kernel's and goes with its holder, so a crash leaves none behind; the file that carries
//! it means nothing by being there.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::paths::DataPaths;

/// The one program that may write in the data folder, as long as this lives.
#[derive(Debug)]
pub struct Instance {
    lock: File,
    #[cfg(unix)]
    focus: Option<unix::Listener>,
}

/// Why this start may not use the data folder.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    /// Another one runs. `was_told`: it answered that it comes to the front.
    #[error("already running with this data folder")]
    SecondStart { was_told: bool },
    #[error("the lock file can't be used: {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl Instance {
    /// Takes the data folder, or tells its holder to come to the front (waiting at most 2 s for its answer).
    ///
    /// The folder must exist. `temp_folder` is used for the socket when the data folder's path is too long
    /// for one.
    ///
    /// # Errors
    /// It is taken, or the lock file can't be opened.
    pub fn take(paths: &DataPaths, temp_folder: &Path) -> Result<Self, InstanceError> {
        let path = paths.lock_file();
        let failed = |source| InstanceError::Io { path: path.clone(), source };
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let lock = options.open(&path).map_err(failed)?;
        let try_lock = || match lock.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        };
        if !try_lock()? {
            let was_told = tell_first(paths, temp_folder);
            // Its holder may have ended meanwhile, and then this start is the first.
            if was_told || !try_lock()? {
                return Err(InstanceError::SecondStart { was_told });
            }
        }
        #[cfg(unix)]
        let focus = match unix::Listener::bind(unix::socket_path(paths, temp_folder)) {
            Ok(listener) => Some(listener),
            Err(error) => {
                tracing::warn!(%error, "a second start will not bring this window to the front");
                None
            }
        };
        Ok(Self {
            lock,
            #[cfg(unix)]
            focus,
        })
    }

    /// Whether another program holds the data folder now. Takes nothing and tells nobody; a folder without a lock
    /// file, or one that cannot be looked at, is held by nobody.
    #[must_use]
    pub fn is_held(paths: &DataPaths) -> bool {
        let Ok(lock) = OpenOptions::new().write(true).open(paths.lock_file()) else { return false };
        match lock.try_lock() {
            Ok(()) => {
                if let Err(error) = lock.unlock() {
                    tracing::debug!(%error, "the lock goes with the file");
                }
                false
            }
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(_)) => false,
        }
    }

    /// Waits until a second start asks this one to come to the front. Never ready where that can't be.
    ///
    /// Must be called inside a tokio runtime; may be dropped while waiting.
    pub async fn focus_asked(&mut self) {
        #[cfg(unix)]
        if let Some(listener) = &mut self.focus {
            match listener.asked().await {
                Ok(()) => return,
                Err(error) => {
                    tracing::warn!(%error, "no longer hears a second start");
                    self.focus = None;
                }
            }
        }
        std::future::pending::<()>().await;
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // Closing the file is not enough: a child that is just being started has it open for a moment.
        if let Err(error) = self.lock.unlock() {
            tracing::debug!(%error, "the lock goes when the program ends");
        }
    }
}

#[cfg(unix)]
fn tell_first(paths: &DataPaths, temp_folder: &Path) -> bool {
    match unix::ask(&unix::socket_path(paths, temp_folder)) {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, "the first start did not answer");
            false
        }
    }
}

#[cfg(not(unix))]
fn tell_first(_paths: &DataPaths, _temp_folder: &Path) -> bool {
    false
}

#[cfg(unix)]
mod unix {
    use std::io::{self, Read as _};
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use sha2::{Digest as _, Sha256};
    use tokio::io::AsyncWriteExt as _;

    use crate::os::paths::DataPaths;

    /// The smallest `sun_path` among the systems we know is macOS's with 104 bytes and its closing zero.
    const MAX_SOCKET_PATH_BYTES: usize = 100;
    const ANSWER: &[u8] = b"ok\n";
    const LIMIT: Duration = Duration::from_secs(2);

    pub(super) fn socket_path(paths: &DataPaths, temp_folder: &Path) -> PathBuf {
        let usual = paths.focus_socket();
        if usual.as_os_str().len() <= MAX_SOCKET_PATH_BYTES {
            return usual;
        }
        let hash = Sha256::digest(paths.data_folder().as_os_str().as_bytes());
        let short: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let user = rustix::process::getuid().as_raw();
        temp_folder.join(format!("tunaflow-{user}-{short}.sock"))
    }

    /// Connecting is the whole request: bytes the first does not read would turn its answer into a reset.
    pub(super) fn ask(socket: &Path) -> io::Result<()> {
        let mut stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(LIMIT))?;
        let mut answer = [0; ANSWER.len()];
        stream.read_exact(&mut answer)?;
        if answer == ANSWER {
            Ok(())
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidData, "not our answer"))
        }
    }

    #[derive(Debug)]
    pub(super) struct Listener {
        path: PathBuf,
        /// Waits here until there is a runtime to listen in.
        bound: Option<UnixListener>,
        listening: Option<tokio::net::UnixListener>,
    }

    impl Listener {
        /// Only for the holder of the lock: a socket file that is there is a dead one's.
        pub(super) fn bind(path: PathBuf) -> io::Result<Self> {
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
            let listener = UnixListener::bind(&path)?;
            listener.set_nonblocking(true)?;
            Ok(Self { path, bound: Some(listener), listening: None })
        }

        pub(super) async fn asked(&mut self) -> io::Result<()> {
            if let Some(bound) = self.bound.take() {
                self.listening = Some(tokio::net::UnixListener::from_std(bound)?);
            }
            let Some(listening) = &self.listening else { return Err(io::ErrorKind::NotConnected.into()) };
            let (mut stream, _) = listening.accept().await?;
            if let Err(error) = stream.write_all(ANSWER).await {
                tracing::debug!(%error, "a second start did not wait for the answer");
            }
            Ok(())
        }
    }

    impl Drop for Listener {
        fn drop(&mut self) {
            if let Err(error) = std::fs::remove_file(&self.path) {
                tracing::debug!(%error, "the socket file was gone already");
            }
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn paths_in(folder: &Path) -> DataPaths {
        let paths = DataPaths::new(Some(folder)).unwrap();
        paths.create().unwrap();
        paths
    }

    async fn second_start(paths: &DataPaths, temp: &Path) -> InstanceError {
        let (paths, temp) = (paths.clone(), temp.to_path_buf());
        tokio::task::spawn_blocking(move || Instance::take(&paths, &temp)).await.unwrap().unwrap_err()
    }

    #[tokio::test]
    async fn a_second_start_brings_the_first_to_the_front() {
        let base = tempfile::tempdir().unwrap();
        for folder in ["short".to_owned(), "long/".to_owned() + &"x".repeat(120)] {
            let paths = paths_in(&base.path().join(folder));
            let mut first = Instance::take(&paths, base.path()).unwrap();
            for _ in 0..2 {
                let (error, ()) = tokio::join!(second_start(&paths, base.path()), first.focus_asked());
                assert!(matches!(error, InstanceError::SecondStart { was_told: true }), "{error}");
            }
            drop(first);
            assert!(Instance::take(&paths, base.path()).is_ok());
        }
    }

    #[test]
    fn files_left_by_a_dead_one_do_not_matter() {
        let base = tempfile::tempdir().unwrap();
        let paths = paths_in(base.path());
        std::fs::write(paths.lock_file(), "1234").unwrap();
        drop(std::os::unix::net::UnixListener::bind(paths.focus_socket()).unwrap());
        assert!(paths.focus_socket().exists());
        let first = Instance::take(&paths, base.path()).unwrap();
        assert!(first.focus.is_some());
    }

    #[test]
    fn other_folders_are_other_instances() {
        let base = tempfile::tempdir().unwrap();
        let _first = Instance::take(&paths_in(&base.path().join("a")), base.path()).unwrap();
        assert!(Instance::take(&paths_in(&base.path().join("b")), base.path()).is_ok());
    }
}
