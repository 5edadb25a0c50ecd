//! From an engine's [`Launch`] to a connection: the checks, the child's environment, the start.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::engine::host::HostConfig;
use crate::engine::link::{Link, shown};
use crate::engine::seat::{Keys, spawn_failure};
use crate::engine::{Engine, KeyNames, Launch, LoginSign};
use crate::model::engine::Billing;
use crate::model::turn::{SeatSpec, TurnFailure};
use crate::os::env::{EnvRules, child_env};
use crate::os::files::read_capped;
use crate::os::process::{ProcessSpec, SpawnError, StdinMode};

/// A configuration file, at most.
const CONFIG_MAX_BYTES: u64 = 1024 * 1024;

/// Starts or prepares what the seat is connected to; also gives the command or the address, for messages.
pub(super) fn connect(
    config: &HostConfig,
    login_path: Option<&OsStr>,
    engine: &dyn Engine,
    spec: &SeatSpec,
) -> Result<(Link, String), TurnFailure> {
    let hint = &engine.info().install_hint;
    if !spec.cwd.is_dir() {
        let error = SpawnError::CwdMissing { cwd: spec.cwd.clone() };
        return Err(spawn_failure(&error, engine.info().id.as_str(), hint));
    }
    match engine.launch(spec)? {
        Launch::Builtin => Ok((Link::builtin(), engine.info().id.to_string())),
        Launch::Http { url, key_secret } => {
            let key = key_secret.and_then(|name| (config.keys)(&name));
            Ok((Link::http(url.clone(), key), url))
        }
        Launch::Process { args, env } => {
            let process = process(config, login_path, engine, spec, (args, env))?;
            let started_as = shown(&process.program, &process.args);
            let link = Link::process(&process).map_err(|error| spawn_failure(&error, &started_as, hint))?;
            Ok((link, started_as))
        }
    }
}

fn process(
    config: &HostConfig,
    login_path: Option<&OsStr>,
    engine: &dyn Engine,
    spec: &SeatSpec,
    (args, env): (Vec<String>, Vec<(String, String)>),
) -> Result<ProcessSpec, TurnFailure> {
    let info = engine.info();
    let Some(program) = spec.program.clone() else {
        let name = info.programs.first().cloned().unwrap_or_default();
        let error = SpawnError::NotFound { program: PathBuf::from(&name) };
        return Err(spawn_failure(&error, &name, &info.install_hint));
    };
    let extra: Vec<(OsString, OsString)> =
        env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    let probe = engine.probe();
    let passed: Vec<&str> = probe.env_names.iter().map(String::as_str).collect();
    let mut secrets: Vec<&str> = probe.login_variables.iter().map(String::as_str).collect();
    let keys = key_variables(config, engine);
    if spec.billing == Billing::ApiKey {
        secrets.extend(keys.iter().map(String::as_str));
    }
    let rules = EnvRules {
        login_path,
        program_folder: program.parent(),
        also_pass: &passed,
        extra: &extra,
        secrets: &secrets,
    };
    Ok(ProcessSpec {
        env: child_env(config.base_env.iter().cloned(), &rules),
        program,
        args: args.into_iter().map(OsString::from).collect(),
        cwd: spec.cwd.clone(),
        stdin: StdinMode::Piped,
        guard: config.guard.clone(),
    })
}

/// The variables that hold keys for this engine: its own, and those the user's configuration names.
fn key_variables(config: &HostConfig, engine: &dyn Engine) -> Vec<String> {
    let mut names = engine.info().key_variables.clone();
    let probe = engine.probe();
    if let Some(wanted) = &probe.key_names
        && let Some(path) = file_of(config, &wanted.file)
        && let Ok((bytes, _)) = read_capped(&path, CONFIG_MAX_BYTES)
    {
        names.extend(named_keys(&String::from_utf8_lossy(&bytes), wanted));
    }
    names
}

fn file_of(config: &HostConfig, file: &LoginSign) -> Option<PathBuf> {
    let variable =
        |wanted: &str| config.base_env.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
    let moved =
        file.moved_by.as_ref().and_then(|(name, below)| Some(PathBuf::from(variable(name)?).join(below)));
    moved.or_else(|| Some(PathBuf::from(variable("HOME")?).join(&file.home_path)))
}

/// A file that is no TOML names none.
fn named_keys(text: &str, wanted: &KeyNames) -> Vec<String> {
    let Ok(file) = text.parse::<toml::Table>() else { return Vec::new() };
    let Some(providers) = file.get(&wanted.table).and_then(toml::Value::as_table) else { return Vec::new() };
    providers
        .values()
        .filter_map(|provider| Some(provider.get(&wanted.entry)?.as_str()?.to_owned()))
        .collect()
}

/// What became of the keys that are set for this engine.
pub(super) fn keys_of(config: &HostConfig, engine: &dyn Engine, spec: &SeatSpec) -> Keys {
    if spec.program.is_none() {
        return Keys::default();
    }
    let is_set =
        |name: &String| config.base_env.iter().any(|(set, value)| set == name.as_str() && !value.is_empty());
    let set = key_variables(config, engine).into_iter().filter(is_set).collect();
    match spec.billing {
        Billing::ApiKey => Keys { passed: set, ..Keys::default() },
        Billing::Subscription => Keys { withheld: set, ..Keys::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyNames, LoginSign, named_keys};

    #[test]
    fn keys_named_in_a_configuration() {
        let wanted =
            KeyNames { file: LoginSign::default(), table: "providers".into(), entry: "env_key".into() };
        let text = "model = 'x'\n[providers.a]\nenv_key = 'A_KEY'\n[providers.b]\nbase_url = 'http://x'\n";
        assert_eq!(named_keys(text, &wanted), ["A_KEY"]);
        for none in ["", "providers = 3", "[providers]\na = 1", "not toml at all ["] {
            assert!(named_keys(none, &wanted).is_empty(), "{none}");
        }
    }
}
