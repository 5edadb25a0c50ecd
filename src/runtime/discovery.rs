//! Looking for the engines on this machine, without keeping anybody waiting.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::domain::input::Input;
use crate::engine::Engine;
use crate::engine::discover::{DiscoverCx, discover};
use crate::model::engine::{EngineId, EngineStatus};
use crate::os::env::{EnvRules, child_env, default_path};
use crate::os::shell::{LOGIN_PATH_LIMIT, LoginShell, login_path};
use crate::runtime::Config;
use crate::runtime::perform::Hands;

impl Hands {
    /// At start: the login shell is asked once, then everything is looked for.
    pub fn discover_first(&self) {
        let config = self.config.clone();
        let known = self.login_path.clone();
        let host = self.host.clone();
        let look = self.look(None);
        let inputs = self.inputs();
        tokio::spawn(async move {
            let path = ask_shell(&config).await;
            host.set_login_path(path.clone());
            known.send_replace(Some(path.clone()));
            look.run(Some(path), inputs).await;
        });
    }

    /// One engine, or all of them again.
    pub fn discover(&self, engine: Option<EngineId>) {
        let path = self.login_path.borrow().clone();
        let look = self.look(engine);
        let inputs = self.inputs();
        tokio::spawn(async move { look.run(path, inputs).await });
    }

    fn look(&self, only: Option<EngineId>) -> Look {
        let wanted = |engine: &&Arc<dyn Engine>| only.as_ref().is_none_or(|id| &engine.info().id == id);
        Look {
            engines: self.engines.iter().filter(wanted).cloned().collect(),
            complete: only.is_none(),
            cx: self.turn_cx(),
        }
    }
}

struct Look {
    engines: Vec<Arc<dyn Engine>>,
    complete: bool,
    cx: crate::runtime::turn::TurnCx,
}

impl Look {
    /// Each engine is told as soon as it is known, and at last that all are.
    async fn run(self, path: Option<OsString>, inputs: mpsc::Sender<Input>) {
        let started = Instant::now();
        let mut looking: JoinSet<EngineStatus> = JoinSet::new();
        for engine in self.engines {
            let cx = self.cx.discover_cx(&engine.info().id, path.clone());
            looking.spawn(async move { discover(&*engine, &cx).await });
        }
        let took = || u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        while let Some(status) = looking.join_next().await {
            let Ok(status) = status else { continue };
            let found = Input::Discovered { statuses: vec![status], took_ms: took(), complete: false };
            // Fails only when the loop has ended.
            if inputs.send(found).await.is_err() {
                return;
            }
        }
        if self.complete {
            drop(
                inputs
                    .send(Input::Discovered { statuses: Vec::new(), took_ms: took(), complete: true })
                    .await,
            );
        }
    }
}

/// The PATH this program was started with; the usual folders when it has none.
pub(in crate::runtime) fn own_path(config: &Config) -> OsString {
    config
        .process_env
        .iter()
        .find(|(name, _)| name == "PATH")
        .map_or_else(default_path, |(_, value)| value.clone())
}

/// The PATH of the user's login shell; ours, then the usual folders, when it does not answer.
pub(in crate::runtime) async fn ask_shell(config: &Config) -> OsString {
    let variable = |name: &str| {
        config.process_env.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let own = own_path(config);
    let Some(shell) = variable("SHELL").map(PathBuf::from).filter(|shell| shell.is_absolute()) else {
        return own;
    };
    let rules = EnvRules { login_path: Some(&own), ..EnvRules::default() };
    let shell = LoginShell {
        program: shell,
        home: config.home.clone(),
        env: child_env(config.process_env.iter().cloned(), &rules),
        guard: config.guard.clone(),
    };
    match login_path(&shell, LOGIN_PATH_LIMIT).await {
        Ok(path) => path,
        Err(error) => {
            tracing::info!(%error, "the login shell gave no PATH");
            own
        }
    }
}

impl crate::runtime::turn::TurnCx {
    /// What looking for one engine needs.
    pub fn discover_cx(&self, engine: &EngineId, login_path: Option<OsString>) -> DiscoverCx {
        DiscoverCx {
            home: self.config.home.clone(),
            login_path,
            base_env: self.config.process_env.clone(),
            guard: self.config.guard.clone(),
            settings: self.settings.engines.get(engine).cloned().unwrap_or_default(),
            keys: self.keys.clone(),
        }
    }
}
