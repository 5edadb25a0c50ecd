//! What of an engine is on this machine: its program, its version, its login. Starts no turn, and contacts
//! nothing but a server whose address the user set.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::engine::host::KeyLookup;
use crate::engine::{Engine, LoginSign, Probe, http, wire};
use crate::model::engine::{Availability, Billing, EngineInfo, EngineStatus};
use crate::model::settings::EngineSettings;
use crate::os::env::{EnvRules, child_env};
use crate::os::find::{Found, How, NotFound, Search, find_program};
use crate::os::process::{OutputError, ProcessSpec, StdinMode, run_for_output};

/// How long a program may take to tell its version; one that takes longer counts as found all the same.
const VERSION_LIMIT: Duration = Duration::from_secs(5);
const VERSION_BYTES: usize = 4 * 1024;
/// How long a server may take to list its models.
const MODELS_LIMIT: Duration = Duration::from_secs(2);
/// How much of a file is searched for the word of a [`LoginSign`].
const SIGN_BYTES: u64 = 1024 * 1024;

/// What looking around needs from outside.
#[derive(Clone)]
pub struct DiscoverCx {
    pub home: PathBuf,
    /// The PATH of the user's login shell.
    pub login_path: Option<OsString>,
    pub base_env: Vec<(OsString, OsString)>,
    pub guard: Option<PathBuf>,
    pub settings: EngineSettings,
    pub keys: KeyLookup,
}

impl std::fmt::Debug for DiscoverCx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Neither the environment nor the keys belong in a log.
        f.debug_struct("DiscoverCx")
            .field("home", &self.home)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl DiscoverCx {
    fn variable(&self, name: &str) -> Option<&OsStr> {
        let set = self.base_env.iter().find(|(known, _)| known == name)?;
        Some(set.1.as_os_str()).filter(|value| !value.is_empty())
    }
}

/// Looks for one engine.
pub async fn discover(engine: &dyn Engine, cx: &DiscoverCx) -> EngineStatus {
    let info = engine.info();
    let probe = engine.probe();
    let mut status = EngineStatus {
        id: info.id.clone(),
        availability: Availability::Ready,
        version: None,
        path: None,
        found_by: None,
        login: None,
        billing: cx.settings.billing,
        models: Vec::new(),
    };
    if let Some(url) = &probe.models_url {
        look_at_server(url, &probe, cx, &mut status).await;
    } else if !info.programs.is_empty() {
        look_for_program(info, &probe, cx, &mut status).await;
    }
    status
}

async fn look_at_server(url: &str, probe: &Probe, cx: &DiscoverCx, status: &mut EngineStatus) {
    let key = probe.key_secret.as_ref().and_then(|name| (cx.keys)(name));
    match http::get(url, key, MODELS_LIMIT).await {
        Ok(body) => status.models = model_ids(&body),
        Err(why) if why == "status 401" || why == "status 403" => {
            status.availability = Availability::NotLoggedIn;
        }
        // Not every server lists its models.
        Err(why) if why.starts_with("status ") => {}
        Err(why) => {
            status.availability = Availability::Broken { why: format!("{url} does not answer: {why}") }
        }
    }
}

/// The ids of an OpenAI-style list of models.
fn model_ids(body: &str) -> Vec<String> {
    let list = wire::parse_object(body).unwrap_or_default();
    let ids =
        wire::list_at(&list, "/data").iter().filter_map(|model| model.get("id").and_then(Value::as_str));
    ids.map(str::to_owned).collect()
}

async fn look_for_program(info: &EngineInfo, probe: &Probe, cx: &DiscoverCx, status: &mut EngineStatus) {
    let found = match find(info, cx).await {
        Ok(found) => found,
        Err(searched) => {
            status.availability = Availability::NotInstalled { searched };
            return;
        }
    };
    let by = match found.how {
        How::HandSet => "set by hand",
        How::Path => "PATH",
        How::KnownFolder => "well-known folder",
    };
    let note = if found.hand_set_is_unusable { " (the path set by hand leads to no program)" } else { "" };
    status.found_by = Some(format!("{by}{note}"));
    status.path = Some(found.path.clone());
    match version(&found.path, probe, cx).await {
        Ok(version) => status.version = version,
        Err(why) => {
            status.availability = Availability::Broken { why };
            return;
        }
    }
    let key_is_set = info.key_variables.iter().any(|name| cx.variable(name).is_some());
    if cx.settings.billing == Billing::ApiKey && key_is_set {
        status.login = Some("API key".to_owned());
    } else if has_login(probe, cx) {
        status.login = Some("logged in".to_owned());
    } else if probe.signs_are_all {
        status.availability = Availability::NotLoggedIn;
    }
}

/// Finds the program as it is to be started; the error lists where it was looked for.
///
/// # Errors
/// It is nowhere.
pub async fn find(info: &EngineInfo, cx: &DiscoverCx) -> Result<Found, Vec<String>> {
    let names = info.programs.clone();
    let extra: Vec<PathBuf> = info.home_dirs.iter().map(PathBuf::from).collect();
    // A command that is a path already is used as it is.
    let as_path = names.first().map(PathBuf::from).filter(|path| path.is_absolute());
    let hand_set = cx.settings.path.clone().or(as_path);
    let path = cx.login_path.clone().or_else(|| cx.variable("PATH").map(OsStr::to_owned));
    let home = cx.home.clone();
    let looked = tokio::task::spawn_blocking(move || {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        find_program(&Search {
            names: &names,
            path: path.as_deref(),
            home: &home,
            extra_folders: &extra,
            hand_set: hand_set.as_deref(),
        })
    });
    match looked.await {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(NotFound { searched, .. })) => {
            Err(searched.iter().map(|path| path.display().to_string()).collect())
        }
        Err(error) => Err(vec![format!("looking was broken off: {error}")]),
    }
}

async fn version(program: &Path, probe: &Probe, cx: &DiscoverCx) -> Result<Option<String>, String> {
    if probe.version_args.is_empty() {
        return Ok(None);
    }
    let passed: Vec<&str> = probe.env_names.iter().map(String::as_str).collect();
    let rules = EnvRules {
        login_path: cx.login_path.as_deref(),
        program_folder: program.parent(),
        also_pass: &passed,
        ..EnvRules::default()
    };
    let spec = ProcessSpec {
        program: program.to_path_buf(),
        args: probe.version_args.iter().map(OsString::from).collect(),
        env: child_env(cx.base_env.iter().cloned(), &rules),
        cwd: cx.home.clone(),
        stdin: StdinMode::Null,
        guard: cx.guard.clone(),
    };
    match run_for_output(&spec, VERSION_LIMIT, VERSION_BYTES).await {
        Ok(output) if output.exit.code == Some(0) => Ok(version_in(&output.stdout)),
        Ok(output) => {
            let said = wire::one_line(&output.exit.stderr_tail);
            let code =
                output.exit.code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
            Err(format!("{} ended with {code} when asked for its version. {said}", program.display())
                .trim()
                .to_owned())
        }
        Err(OutputError::TimedOut { .. }) => Ok(None),
        Err(OutputError::Spawn(error)) => Err(error.to_string()),
    }
}

/// The first word that looks like a version: `codex-cli 0.171.0` → `0.171.0`.
fn version_in(text: &str) -> Option<String> {
    let word =
        text.split_whitespace().map(|word| word.trim_start_matches('v').trim_end_matches([',', ')', ';']));
    word.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
        .map(str::to_owned)
        .next()
}

fn has_login(probe: &Probe, cx: &DiscoverCx) -> bool {
    probe.login_variables.iter().any(|name| cx.variable(name).is_some())
        || probe.login_signs.iter().any(|sign| shows(sign, cx))
}

fn shows(sign: &LoginSign, cx: &DiscoverCx) -> bool {
    let moved =
        sign.moved_by.as_ref().and_then(|(name, below)| Some(Path::new(cx.variable(name)?).join(below)));
    let path = moved.unwrap_or_else(|| cx.home.join(&sign.home_path));
    let Some(word) = &sign.word else { return path.is_file() };
    let Ok(file) = std::fs::File::open(path) else { return false };
    let mut bytes = Vec::new();
    file.take(SIGN_BYTES).read_to_end(&mut bytes).is_ok()
        && String::from_utf8_lossy(&bytes).contains(word.as_str())
}

#[cfg(test)]
mod tests {
    use super::{model_ids, version_in};

    #[test]
    fn versions_without_decoration() {
        for (text, wanted) in [
            ("2.1.332 (Claude Code)", Some("2.1.332")),
            ("codex-cli 0.171.0\n", Some("0.171.0")),
            ("v1.18.33", Some("1.18.33")),
            ("warning: 3 things\ntool (1.2.3)", None),
            ("", None),
        ] {
            assert_eq!(version_in(text).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn model_lists() {
        assert_eq!(model_ids(r#"{"data":[{"id":"a"},{"x":1},{"id":"b"}]}"#), ["a", "b"]);
        assert!(model_ids("no list").is_empty());
    }
}
