//! Named secrets: a keyring where there is one, else a file that only the user can read.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;

use super::files::{Access, read_capped, write_atomic};

const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// A secret's value. Never shown by `Debug`, and there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    #[must_use]
    pub fn new(value: String) -> Self {
        Self(value)
    }

    /// The value itself; hand it only to the program or server it is for.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Why a secret could not be kept or read. Names no value.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// No store is there (no keyring service, say); another may do.
    #[error("no place to keep secrets: {0}")]
    Unavailable(String),
    /// The file is not what we wrote; it is left as it is.
    #[error("the secrets file is damaged: {}", path.display())]
    Damaged { path: PathBuf },
    #[error("the secrets file can't be used: {0}")]
    Io(#[from] io::Error),
}

/// A place that keeps secrets by name.
pub trait SecretStore: fmt::Debug + Send + Sync {
    /// What the user is told about where secrets are.
    fn describe(&self) -> String;

    /// # Errors
    /// The place can't be read. A name that is not kept is `Ok(None)`.
    fn get(&self, name: &str) -> Result<Option<Secret>, SecretError>;

    /// Keeps the secret, replacing one of the same name.
    ///
    /// # Errors
    /// The place can't be written.
    fn set(&self, name: &str, value: &Secret) -> Result<(), SecretError>;

    /// Forgets the secret; one that is not kept is fine.
    ///
    /// # Errors
    /// The place can't be written.
    fn remove(&self, name: &str) -> Result<(), SecretError>;
}

/// Secrets in a JSON file with 0600, replaced as a whole at each change.
///
/// One process at a time may write it (see [`super::instance`]).
#[derive(Debug, Clone)]
pub struct SecretFile {
    path: PathBuf,
}

impl SecretFile {
    /// The file need not exist yet; its folder must.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    fn read(&self) -> Result<BTreeMap<String, String>, SecretError> {
        let (bytes, has_more) = match read_capped(&self.path, MAX_FILE_BYTES) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => return Err(error.into()),
        };
        let damaged = || SecretError::Damaged { path: self.path.clone() };
        if has_more {
            return Err(damaged());
        }
        // The parser's own message could quote a value.
        serde_json::from_slice(&bytes).map_err(|_quotes_values| damaged())
    }

    fn write(&self, all: &BTreeMap<String, String>) -> Result<(), SecretError> {
        let bytes = serde_json::to_vec_pretty(all).map_err(io::Error::from)?;
        Ok(write_atomic(&self.path, &bytes, Access::Private)?)
    }
}

impl SecretStore for SecretFile {
    fn describe(&self) -> String {
        format!("a file only you can read: {}", self.path.display())
    }

    fn get(&self, name: &str) -> Result<Option<Secret>, SecretError> {
        Ok(self.read()?.remove(name).map(Secret))
    }

    fn set(&self, name: &str, value: &Secret) -> Result<(), SecretError> {
        let mut all = self.read()?;
        all.insert(name.to_owned(), value.0.clone());
        self.write(&all)
    }

    fn remove(&self, name: &str) -> Result<(), SecretError> {
        let mut all = self.read()?;
        if all.remove(name).is_some() { self.write(&all) } else { Ok(()) }
    }
}

/// Several places, the best first: a keyring before the file.
#[derive(Debug, Default)]
pub struct SecretChain {
    stores: Vec<Box<dyn SecretStore>>,
}

impl SecretChain {
    #[must_use]
    pub fn new(stores: Vec<Box<dyn SecretStore>>) -> Self {
        Self { stores }
    }

    fn each<T>(
        &self,
        mut ask: impl FnMut(&dyn SecretStore) -> Result<Option<T>, SecretError>,
    ) -> Result<Option<T>, SecretError> {
        let mut unavailable = None;
        let mut any_answered = false;
        for store in &self.stores {
            match ask(store.as_ref()) {
                Ok(None) => any_answered = true,
                Err(SecretError::Unavailable(why)) => unavailable = Some(why),
                answer => return answer,
            }
        }
        match unavailable {
            // "Not kept" would be a guess when nobody at all could be asked.
            Some(why) if !any_answered => Err(SecretError::Unavailable(why)),
            _ => Ok(None),
        }
    }
}

impl SecretStore for SecretChain {
    fn describe(&self) -> String {
        self.stores.first().map_or_else(|| "nowhere".to_owned(), |store| store.describe())
    }

    /// From the first place that has it.
    fn get(&self, name: &str) -> Result<Option<Secret>, SecretError> {
        self.each(|store| store.get(name))
    }

    /// In the first place that is there; an older value in a later place is removed.
    fn set(&self, name: &str, value: &Secret) -> Result<(), SecretError> {
        let mut is_kept = false;
        self.each(|store| {
            if is_kept {
                store.remove(name)?;
            } else {
                store.set(name, value)?;
                is_kept = true;
            }
            Ok(None::<()>)
        })?;
        if is_kept { Ok(()) } else { Err(SecretError::Unavailable("none answered".to_owned())) }
    }

    /// From every place.
    fn remove(&self, name: &str) -> Result<(), SecretError> {
        self.each(|store| store.remove(name).map(|()| None::<()>)).map(|_nothing| ())
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[derive(Debug)]
    struct Gone;
    impl SecretStore for Gone {
        fn describe(&self) -> String {
            "gone".into()
        }
        fn get(&self, _: &str) -> Result<Option<Secret>, SecretError> {
            Err(SecretError::Unavailable("gone".into()))
        }
        fn set(&self, _: &str, _: &Secret) -> Result<(), SecretError> {
            Err(SecretError::Unavailable("gone".into()))
        }
        fn remove(&self, _: &str) -> Result<(), SecretError> {
            Err(SecretError::Unavailable("gone".into()))
        }
    }

    fn value(store: &dyn SecretStore, name: &str) -> Option<String> {
        store.get(name).unwrap().map(|secret| secret.reveal().to_owned())
    }

    #[test]
    fn the_file_keeps_secrets_for_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.json");
        let store = SecretFile::new(path.clone());
        assert_eq!(value(&store, "a"), None);
        store.remove("a").unwrap();
        store.set("a", &Secret::new("1".into())).unwrap();
        store.set("b", &Secret::new("\"한\n".into())).unwrap();
        store.set("a", &Secret::new("2".into())).unwrap();
        assert_eq!(
            (value(&store, "a").as_deref(), value(&store, "b").as_deref()),
            (Some("2"), Some("\"한\n"))
        );
        store.remove("a").unwrap();
        assert_eq!(value(&store, "a"), None);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_damaged_file_is_an_error_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.json");
        std::fs::write(&path, "{\"a\": \"hidden\"").unwrap();
        let store = SecretFile::new(path.clone());
        let error = store.set("b", &Secret::new("x".into())).unwrap_err();
        assert!(matches!(error, SecretError::Damaged { .. }));
        assert!(!format!("{error} {error:?}").contains("hidden"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\": \"hidden\"");
    }

    #[test]
    fn values_are_never_printed() {
        assert_eq!(format!("{:?}", Secret::new("hidden".into())), "Secret(…)");
    }

    #[test]
    fn a_chain_uses_the_first_place_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = SecretFile::new(folder.path().join("s"));
        let better = SecretFile::new(folder.path().join("better"));
        file.set("a", &Secret::new("old".into())).unwrap();
        let chain = SecretChain::new(vec![Box::new(Gone), Box::new(better.clone()), Box::new(file.clone())]);
        assert_eq!(value(&chain, "a").as_deref(), Some("old"));
        chain.set("a", &Secret::new("new".into())).unwrap();
        assert_eq!((value(&better, "a").as_deref(), value(&file, "a")), (Some("new"), None));
        chain.remove("a").unwrap();
        assert_eq!(value(&chain, "a"), None);
        let nowhere = SecretChain::new(vec![Box::new(Gone), Box::new(Gone)]);
        assert!(nowhere.set("a", &Secret::new("x".into())).is_err() && nowhere.get("a").is_err());
    }
}
