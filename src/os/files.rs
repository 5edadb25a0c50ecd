//! Files written whole or not at all, read within limits, and kept inside a folder.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Who may read a file that is written new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Only the user (0600 on Unix), also when the file was more open before.
    Private,
    /// As the system does by default; an existing file keeps its permissions.
    Usual,
}

/// Replaces the file's content in one step: after a crash it holds the old bytes or the new, never a part.
///
/// A link is followed and stays a link. The bytes are on the disk when this returns.
///
/// # Errors
/// Whatever the system says (no room, no permission, no such folder); the old file is then unchanged.
pub fn write_atomic(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let target = match std::fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
        Err(error) => return Err(error),
    };
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "not a file path");
    let folder = target.parent().ok_or_else(no_name)?;
    let name = target.file_name().ok_or_else(no_name)?.to_string_lossy();
    let temp = folder.join(format!(".{name}.{}.tmp", uuid::Uuid::new_v4().simple()));
    let written = write_new(&temp, bytes, access, &target).and_then(|()| std::fs::rename(&temp, &target));
    if let Err(error) = written {
        if let Err(left) = std::fs::remove_file(&temp) {
            tracing::debug!(%left, temp = %temp.display(), "a temporary file is left");
        }
        return Err(error);
    }
    // The rename itself must reach the disk too; not every file system can be told so.
    #[cfg(unix)]
    if let Err(error) = File::open(folder).and_then(|folder| folder.sync_all()) {
        tracing::debug!(%error, folder = %folder.display(), "folder not synced");
    }
    Ok(())
}

fn write_new(temp: &Path, bytes: &[u8], access: Access, target: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if access == Access::Private {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(temp)?;
    if access == Access::Usual
        && let Ok(meta) = std::fs::metadata(target)
    {
        file.set_permissions(meta.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// Reads at most `max_bytes`; says as the second value whether there was more.
///
/// # Errors
/// The file can't be opened or read, or it is no file: opening a named pipe would wait for somebody who writes to it.
pub fn read_capped(path: &Path, max_bytes: u64) -> io::Result<(Vec<u8>, bool)> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file that can be read"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    let has_more = bytes.len() as u64 > max_bytes;
    if has_more {
        bytes.pop();
    }
    Ok((bytes, has_more))
}

/// The true place of `path` (relative to `folder`, or absolute) if it exists and lies inside `folder`.
///
/// Links and `..` are resolved first, so that neither leads out. `folder` itself counts as inside.
#[must_use]
pub fn resolve_inside(folder: &Path, path: &Path) -> Option<PathBuf> {
    let folder = std::fs::canonicalize(folder).ok()?;
    let path = std::fs::canonicalize(folder.join(path)).ok()?;
    path.starts_with(&folder).then_some(path)
}

/// Creates the folder and its parents, for the user alone (0700 on Unix).
///
/// One that is there keeps its permissions: it may be shared with others, so what lies in it must be private itself.
///
/// # Errors
/// It can't be created.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.recursive(true).create(folder)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn content_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("f"), folder.path().join("l"));
        write_atomic(&file, b"one", Access::Usual).unwrap();
        symlink("f", &link).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        write_atomic(&link, b"two", Access::Usual).unwrap();
        assert_eq!((std::fs::read(&file).unwrap().as_slice(), mode(&file)), (&b"two"[..], 0o640));
        assert!(link.is_symlink());
        write_atomic(&file, b"three", Access::Private).unwrap();
        assert_eq!(mode(&file), 0o600);
        assert!(write_atomic(&folder.path().join("none/f"), b"x", Access::Usual).is_err());
        assert!(write_atomic(folder.path(), b"x", Access::Usual).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn reading_stops_at_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        std::fs::write(&file, "12345").unwrap();
        assert_eq!(read_capped(&file, 5).unwrap(), (b"12345".to_vec(), false));
        assert_eq!(read_capped(&file, 4).unwrap(), (b"1234".to_vec(), true));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .unwrap();
        for path in [pipe.as_path(), folder.path()] {
            assert_eq!(read_capped(path, 5).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        let base = tempfile::tempdir().unwrap();
        let inside = base.path().join("in");
        std::fs::create_dir_all(inside.join("sub")).unwrap();
        std::fs::write(inside.join("sub/f"), "").unwrap();
        std::fs::write(base.path().join("secret"), "").unwrap();
        std::fs::create_dir(base.path().join("in-not")).unwrap();
        symlink("../secret", inside.join("link")).unwrap();
        let absolute = inside.join("sub/f");
        let cases = [
            ("sub/f", true),
            ("sub/../sub/f", true),
            (absolute.to_str().unwrap(), true),
            (".", true),
            ("../secret", false),
            ("../in-not", false),
            ("link", false),
            ("none", false),
            ("/etc", false),
        ];
        for (path, wanted) in cases {
            assert_eq!(resolve_inside(&inside, Path::new(path)).is_some(), wanted, "{path}");
        }
    }

    #[test]
    fn new_folders_are_private_and_others_keep_their_permissions() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("a/b");
        create_private_folder(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
        for shared in [0o755, 0o777] {
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(shared)).unwrap();
            create_private_folder(&folder).unwrap();
            assert_eq!(mode(&folder), shared);
        }
    }
}
