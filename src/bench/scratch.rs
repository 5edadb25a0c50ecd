//! A temporary home with its own data folder, removed at the end.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::model::id::ConversationId;
use crate::os::paths::DataPaths;
use crate::store::seed::seed;

/// The first conversation of a seeded database.
pub const FIRST: ConversationId = ConversationId(2);

/// Variables that a window needs to reach the display and to draw without a graphics card.
const DISPLAY_VARIABLES: [&str; 6] = [
    "DISPLAY",
    "XAUTHORITY",
    "WAYLAND_DISPLAY",
    "XDG_RUNTIME_DIR",
    "LIBGL_ALWAYS_SOFTWARE",
    "GALLIUM_DRIVER",
];

/// A fresh folder; dropping it removes it.
pub struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// # Errors
    /// The temporary folder cannot be written.
    pub fn new() -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(format!("tunaflow-bench-{}", uuid::Uuid::new_v4()));
        for name in ["home", "project"] {
            std::fs::create_dir_all(folder.join(name)).context("no temporary folder can be made")?;
        }
        Ok(Self { folder })
    }

    /// With a database of one project with so many conversations of so many messages each.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn seeded(conversations: u32, messages_each: u32) -> anyhow::Result<Self> {
        let scratch = Self::new()?;
        let paths = scratch.paths()?;
        paths.create()?;
        seed(&paths.database(), conversations, messages_each)?;
        Ok(scratch)
    }

    pub fn data_dir(&self) -> PathBuf {
        self.folder.join("data")
    }

    pub fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// # Errors
    /// Never with a given folder.
    pub fn paths(&self) -> anyhow::Result<DataPaths> {
        Ok(DataPaths::new(Some(&self.data_dir()))?)
    }

    /// The whole environment for a child: this home, system folders, the display.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        let home = self.home();
        let mut env: Vec<(OsString, OsString)> = vec![
            ("HOME".into(), home.into_os_string()),
            ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
            ("LANG".into(), "C.UTF-8".into()),
        ];
        let passed =
            DISPLAY_VARIABLES.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)));
        env.extend(passed);
        env
    }

    pub fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            tracing::warn!(%error, folder = %self.folder.display(), "a temporary folder is left behind");
        }
    }
}
