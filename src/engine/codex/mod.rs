//! CODEX: `codex app-server`, JSON-RPC on standard input and output.
//!
//! Never here: other engines, I/O. Start reading at [`Codex`] (how it is started), then `dialect` (the conversation
//! with it), `items` (what it says and does), `asks`, `outcome`.

mod asks;
mod dialect;
mod items;
mod outcome;
#[cfg(test)]
mod tests;
mod turn;

use crate::engine::{Dialect, Engine, KeyNames, Launch, LoginSign, Probe};
use crate::model::engine::{EngineCaps, EngineId, EngineInfo, EngineLook, ForkCap, PermissionCap};
use crate::model::turn::{SeatSpec, TurnFailure};

/// Codex, driven by its app server: `codex exec` streams no text and cannot ask. Facts were taken from version 0.171.0.
pub struct Codex {
    info: EngineInfo,
}

impl Codex {
    pub fn new() -> Self {
        Self { info: info() }
    }
}

impl Default for Codex {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine for Codex {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    fn launch(&self, _seat: &SeatSpec) -> Result<Launch, TurnFailure> {
        Ok(Launch::Process { args: ARGS.map(str::to_owned).into(), env: Vec::new() })
    }

    fn dialect(&self, seat: &SeatSpec) -> Box<dyn Dialect> {
        Box::new(dialect::CodexDialect::new(self.info.clone(), seat, format!("codex {}", ARGS.join(" "))))
    }

    fn probe(&self) -> Probe {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        Probe {
            version_args: words(&["--version"]),
            login_signs: vec![LoginSign {
                moved_by: Some(("CODEX_HOME".to_owned(), "auth.json".to_owned())),
                home_path: ".codex/auth.json".to_owned(),
                word: None,
            }],
            // The login may lie in a keyring, or a provider of the configuration needs none.
            signs_are_all: false,
            env_names: words(&["CODEX_HOME", "OPENAI_BASE_URL"]),
            key_names: Some(KeyNames {
                file: LoginSign {
                    moved_by: Some(("CODEX_HOME".to_owned(), "config.toml".to_owned())),
                    home_path: ".codex/config.toml".to_owned(),
                    word: None,
                },
                table: "model_providers".to_owned(),
                entry: "env_key".to_owned(),
            }),
            ..Probe::default()
        }
    }
}

const ARGS: [&str; 5] =
    ["app-server", "-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false"];

fn info() -> EngineInfo {
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
    EngineInfo {
        id: EngineId::new("codex"),
        name: "Codex".to_owned(),
        look: EngineLook::Codex,
        caps: EngineCaps {
            stream: true,
            tools: true,
            permissions: PermissionCap::Asks,
            resume: true,
            fork: ForkCap::AtTurn,
            // `developerInstructions` hold for a new thread only and are ignored on resume, so what the agent must
            // know travels in the user's message.
            system_apart: false,
            images: false,
            usage: true,
            cost: false,
            mcp: false,
            warm: true,
        },
        programs: words(&["codex"]),
        home_dirs: words(&[".local/bin", ".codex/bin"]),
        models: words(&["gpt-6.2-sol", "gpt-6.2-astra", "gpt-6.1-sol", "gpt-5.5"]),
        key_variables: words(&["OPENAI_API_KEY", "CODEX_API_KEY"]),
        install_hint: "Install Codex: npm install -g @openai/codex".to_owned(),
        login_hint: "Run codex login in a terminal.".to_owned(),
        resume_command: "codex resume {id}".to_owned(),
    }
}
