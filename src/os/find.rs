//! Where a program lies: a path set by hand, the user's PATH, then the folders installers use.
//!
//! Asked afresh at every start, since updates move programs: a versioned folder that was good yesterday may
//! be gone. Nothing here is remembered.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::process::spec::is_executable;

/// Folders below HOME that installers put programs in. `*` stands for any one folder, newest version first;
/// `{name}` for the program's name.
const HOME_FOLDERS: &[&str] = &[
    ".local/bin",
    "bin",
    ".npm-global/bin",
    ".npm/bin",
    ".bun/bin",
    ".volta/bin",
    ".nvm/versions/node/*/bin",
    ".fnm/node-versions/*/installation/bin",
    ".local/share/fnm/node-versions/*/installation/bin",
    ".local/share/mise/shims",
    ".asdf/shims",
    ".local/share/pnpm",
    "Library/pnpm",
    ".yarn/bin",
    ".deno/bin",
    ".cargo/bin",
    "go/bin",
    ".{name}/bin",
    ".{name}/local",
    ".{name}/local/node_modules/.bin",
    ".local/share/{name}/bin",
    ".local/share/{name}/versions/*",
    ".local/share/{name}/versions",
    "AppData/Roaming/npm",
    "AppData/Local/Programs/{name}",
    "AppData/Local/pnpm",
    "AppData/Local/Volta/bin",
    "scoop/shims",
];
const SYSTEM_FOLDERS: &[&str] = &[
    "/opt/homebrew/bin",
    "/usr/local/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/snap/bin",
    "/usr/bin",
    "/bin",
];

/// What to look for, and where.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// Names without ending, the preferred one first.
    pub names: &'a [&'a str],
    /// The PATH of the user's login shell.
    pub path: Option<&'a OsStr>,
    pub home: &'a Path,
    /// Further folders, below `home` when relative; `*` and `{name}` as in the built-in ones.
    pub extra_folders: &'a [PathBuf],
    /// What the user set: the program's file, or the folder it lies in.
    pub hand_set: Option<&'a Path>,
}

/// What led to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    HandSet,
    Path,
    /// One of the folders that installers use.
    KnownFolder,
}

/// A program that may be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Absolute. A link is not followed: its target is often in a versioned folder.
    pub path: PathBuf,
    pub how: How,
    /// The path set by hand leads to no program, so another one was taken; the user should be told.
    pub hand_set_is_unusable: bool,
}

/// No such program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("none of {names:?} found in {} places", searched.len())]
pub struct NotFound {
    pub names: Vec<String>,
    /// Every file or folder looked at, in order.
    pub searched: Vec<PathBuf>,
}

/// Finds the program. Looks at files only, starts nothing.
///
/// Relative entries of PATH are not used: they would depend on where we were started.
///
/// # Errors
/// It is nowhere; the error lists where it was looked for.
pub fn find_program(search: &Search<'_>) -> Result<Found, NotFound> {
    let mut searched = Vec::new();
    if let Some(hand_set) = search.hand_set {
        if let Some(path) = at_hand_set(hand_set, search.names) {
            return Ok(Found { path, how: How::HandSet, hand_set_is_unusable: false });
        }
        searched.push(hand_set.to_path_buf());
    }
    let hand_set_is_unusable = search.hand_set.is_some();
    let in_path = search.path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
    for (how, folders) in [(How::Path, in_path), (How::KnownFolder, known_folders(search))] {
        let mut seen = HashSet::new();
        for folder in folders {
            if !folder.is_absolute() || !seen.insert(folder.clone()) {
                continue;
            }
            if let Some(path) = in_folder(&folder, search.names) {
                return Ok(Found { path, how, hand_set_is_unusable });
            }
            if !searched.contains(&folder) {
                searched.push(folder);
            }
        }
    }
    Err(NotFound { names: search.names.iter().map(|name| (*name).to_owned()).collect(), searched })
}

/// A file, a folder, or a file that has moved to a newer version's folder beside the old one.
fn at_hand_set(hand_set: &Path, names: &[&str]) -> Option<PathBuf> {
    if !hand_set.is_absolute() {
        return None;
    }
    if is_program(hand_set) {
        return Some(hand_set.to_path_buf());
    }
    if hand_set.is_dir() {
        return in_folder(hand_set, names).or_else(|| in_folder(&hand_set.join("bin"), names));
    }
    let mut moved = PathBuf::new();
    let mut has_version = false;
    for component in hand_set.components() {
        let is_version = matches!(component, Component::Normal(name) if !version_numbers(name).is_empty()
            && name.to_str().is_some_and(|name| name.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit())));
        if is_version && !has_version && !moved.join(component).exists() {
            has_version = true;
            moved.push("*");
        } else {
            moved.push(component);
        }
    }
    if !has_version {
        return None;
    }
    expand(&moved).into_iter().find(|path| is_program(path))
}

fn known_folders(search: &Search<'_>) -> Vec<PathBuf> {
    let fixed = HOME_FOLDERS.iter().chain(SYSTEM_FOLDERS).map(PathBuf::from);
    let patterns = search.extra_folders.iter().cloned().chain(fixed);
    let mut folders = Vec::new();
    for pattern in patterns {
        for name in search.names {
            let pattern = match pattern.to_str() {
                Some(text) => PathBuf::from(text.replace("{name}", name)),
                None => pattern.clone(),
            };
            for folder in expand(&search.home.join(pattern)) {
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
        }
    }
    folders
}

/// Every path that the pattern stands for; one without `*` stands for itself, there or not.
fn expand(pattern: &Path) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::new()];
    for component in pattern.components() {
        if component.as_os_str() != "*" {
            paths.iter_mut().for_each(|path| path.push(component));
            continue;
        }
        paths = paths
            .iter()
            .flat_map(|path| {
                let mut inside: Vec<PathBuf> = std::fs::read_dir(path)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|entry| entry.path())
                    .collect();
                inside.sort_by(|a, b| newest_first(a, b));
                inside
            })
            .collect();
    }
    paths
}

fn newest_first(a: &Path, b: &Path) -> Ordering {
    let numbers = |path: &Path| path.file_name().map(version_numbers).unwrap_or_default();
    numbers(b).cmp(&numbers(a)).then_with(|| b.cmp(a))
}

/// The numbers in a name, so that 10 is newer than 9.
fn version_numbers(name: &OsStr) -> Vec<u64> {
    let name = name.to_string_lossy();
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

/// The first of the names that is a program in `folder`; on Windows by the endings that can be started.
fn in_folder(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    names
        .iter()
        .flat_map(|name| file_names(name, cfg!(windows)))
        .map(|file| folder.join(file))
        .find(|p| is_program(p))
}

/// npm puts a shell script without ending beside the `.cmd`; Windows can't start that one.
fn file_names(name: &str, windows: bool) -> Vec<String> {
    if windows && Path::new(name).extension().is_none() {
        [".exe", ".cmd", ".bat"].iter().map(|ending| format!("{name}{ending}")).collect()
    } else {
        vec![name.to_owned()]
    }
}

fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| is_executable(&meta))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::ffi::OsString;
    use std::os::unix::fs::PermissionsExt as _;

    fn program(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    struct Home(tempfile::TempDir);
    impl Home {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }
        fn at(&self, path: &str) -> PathBuf {
            self.0.path().join(path)
        }
        fn find(&self, path: Option<&str>, hand_set: Option<&Path>) -> Result<(String, How, bool), NotFound> {
            let path = path.map(OsString::from);
            let found = find_program(&Search {
                names: &["zz-agent"],
                path: path.as_deref(),
                home: self.0.path(),
                extra_folders: &["vendor/*/app".into()],
                hand_set,
            })?;
            let below = found.path.strip_prefix(self.0.path()).unwrap().to_str().unwrap().to_owned();
            Ok((below, found.how, found.hand_set_is_unusable))
        }
    }

    #[test]
    fn order_is_hand_set_then_path_then_known_folders() {
        let home = Home::new();
        let bare = Some("/usr/bin:/bin");
        let missing = home.find(bare, Some(Path::new("/none"))).unwrap_err();
        assert_eq!(missing.searched.first(), Some(&PathBuf::from("/none")));
        assert!(missing.searched.contains(&home.at(".local/bin")), "{missing:?}");

        program(&home.at(".local/bin/zz-agent"));
        assert_eq!(home.find(bare, None).unwrap(), (".local/bin/zz-agent".into(), How::KnownFolder, false));
        program(&home.at("mine/zz-agent"));
        let path = format!("relative::{}:/bin", home.at("mine").display());
        assert_eq!(home.find(Some(&path), None).unwrap(), ("mine/zz-agent".into(), How::Path, false));
        program(&home.at("hand/other-name"));
        program(&home.at("folder/bin/zz-agent"));
        let file = home.at("hand/other-name");
        assert_eq!(home.find(bare, Some(&file)).unwrap(), ("hand/other-name".into(), How::HandSet, false));
        let folder = home.at("folder");
        assert_eq!(
            home.find(bare, Some(&folder)).unwrap(),
            ("folder/bin/zz-agent".into(), How::HandSet, false)
        );
        let gone = home.at("gone");
        assert_eq!(
            home.find(bare, Some(&gone)).unwrap(),
            (".local/bin/zz-agent".into(), How::KnownFolder, true)
        );
    }

    #[test]
    fn what_can_not_be_executed_is_passed_over() {
        let home = Home::new();
        std::fs::create_dir_all(home.at(".local/bin/zz-agent")).unwrap();
        std::fs::create_dir_all(home.at("bin")).unwrap();
        std::fs::write(home.at("bin/zz-agent"), "text").unwrap();
        std::os::unix::fs::symlink("nowhere", home.at("link")).unwrap();
        program(&home.at(".cargo/bin/zz-agent"));
        assert_eq!(home.find(None, None).unwrap().0, ".cargo/bin/zz-agent");
    }

    #[test]
    fn newest_version_wins_and_a_renamed_one_is_found_again() {
        let home = Home::new();
        for version in ["v9.11.0", "v20.2.0", "v20.10.1"] {
            program(&home.at(&format!(".nvm/versions/node/{version}/bin/zz-agent")));
        }
        assert_eq!(home.find(None, None).unwrap().0, ".nvm/versions/node/v20.10.1/bin/zz-agent");

        program(&home.at("vendor/2.1.0/app/zz-agent"));
        assert_eq!(home.find(None, None).unwrap().0, "vendor/2.1.0/app/zz-agent");
        std::fs::rename(home.at("vendor/2.1.0"), home.at("vendor/2.1.1")).unwrap();
        assert_eq!(home.find(None, None).unwrap().0, "vendor/2.1.1/app/zz-agent");
        let old = home.at("vendor/2.1.0/app/zz-agent");
        let wanted = ("vendor/2.1.1/app/zz-agent".to_owned(), How::HandSet, false);
        assert_eq!(home.find(None, Some(&old)).unwrap(), wanted);
    }

    #[test]
    fn windows_needs_an_ending_that_can_be_started() {
        assert_eq!(file_names("tool", true), ["tool.exe", "tool.cmd", "tool.bat"]);
        assert_eq!(file_names("tool.cmd", true), ["tool.cmd"]);
        assert_eq!(file_names("tool", false), ["tool"]);
    }
}
