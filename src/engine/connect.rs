//! From an engine's [`Launch`] to a connection: the checks, the child's environment, the start.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::engine::host::HostConfig;
use crate::engine::link::{Link, shown};
use crate::engine::seat::spawn_failure;
use crate::engine::{Engine, Launch};
use crate::model::engine::Billing;
use crate::model::turn::{SeatSpec, TurnFailure};
use crate::os::env::{EnvRules, child_env};
use crate::os::process::{ProcessSpec, SpawnError, StdinMode};

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
    if spec.billing == Billing::ApiKey {
        secrets.extend(info.key_variables.iter().map(String::as_str));
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
