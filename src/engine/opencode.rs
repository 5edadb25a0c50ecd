//! OpenCode, by `opencode acp`.
//!
//! By default it changes files and runs commands without asking; its configuration for this run says `ask`.

use std::sync::Arc;

use serde_json::json;

use crate::engine::acp::{self, AcpDialect, AcpProfile, AcpResume};
use crate::engine::{Dialect, Engine, Launch, LoginSign, Probe};
use crate::model::engine::{EngineId, EngineInfo, EngineLook, ForkCap};
use crate::model::turn::{SeatSpec, TurnFailure};

#[derive(Debug)]
struct OpenCode {
    info: EngineInfo,
}

/// The engine.
pub fn engine() -> Arc<dyn Engine> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let mut caps = acp::caps(true);
    caps.cost = true;
    caps.fork = ForkCap::AtEnd;
    let info = EngineInfo {
        id: EngineId::new("opencode"),
        name: "OpenCode".to_owned(),
        look: EngineLook::OpenCode,
        caps,
        programs: words(&["opencode"]),
        home_dirs: words(&[".opencode/bin", ".npm-global/bin", ".bun/bin", ".volta/bin", ".local/bin"]),
        models: Vec::new(),
        key_variables: words(&[
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "GEMINI_API_KEY",
            "GOOGLE_GENERATIVE_AI_API_KEY",
            "OPENROUTER_API_KEY",
            "GROQ_API_KEY",
            "OPENCODE_API_KEY",
        ]),
        install_hint: "npm install -g opencode-ai".to_owned(),
        login_hint: "Run `opencode auth login` in a terminal, then try again.".to_owned(),
        resume_command: "opencode -s {id}".to_owned(),
    };
    Arc::new(OpenCode { info })
}

impl Engine for OpenCode {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    fn launch(&self, seat: &SeatSpec) -> Result<Launch, TurnFailure> {
        let config = if seat.words_only {
            // What the user allowed one agent stands above what holds for all, so it is said for the one that is used.
            let nothing = json!({"*": "deny", "edit": "deny", "bash": "deny", "webfetch": "deny"});
            json!({
                "permission": nothing,
                "default_agent": "build",
                "agent": {"build": {"permission": nothing}},
                "autoupdate": false,
            })
        } else {
            let answer = if seat.skip_permissions { "allow" } else { "ask" };
            json!({
                "permission": {"edit": answer, "bash": answer, "webfetch": answer},
                "autoupdate": false,
            })
        };
        let flag = |name: &str| (name.to_owned(), "1".to_owned());
        let env = vec![
            flag("OPENCODE_DISABLE_AUTOUPDATE"),
            flag("OPENCODE_DISABLE_LSP_DOWNLOAD"),
            ("OPENCODE_CONFIG_CONTENT".to_owned(), config.to_string()),
        ];
        Ok(Launch::Process { args: vec!["acp".to_owned()], env })
    }

    fn dialect(&self, seat: &SeatSpec) -> Box<dyn Dialect> {
        let profile = AcpProfile {
            resume: AcpResume::Load,
            fork: true,
            model_by_launch: false,
            tool_name_of_id: acp::no_tool_name,
        };
        Box::new(AcpDialect::new(self.info.clone(), profile, seat))
    }

    fn probe(&self) -> Probe {
        let names = [
            "OPENCODE_CONFIG",
            "OPENCODE_CONFIG_DIR",
            "OPENCODE_DISABLE_MODELS_FETCH",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS",
        ];
        Probe {
            version_args: vec!["--version".to_owned()],
            login_signs: vec![LoginSign {
                moved_by: Some(("XDG_DATA_HOME".to_owned(), "opencode/auth.json".to_owned())),
                home_path: ".local/share/opencode/auth.json".to_owned(),
                word: None,
            }],
            // A provider may be set up in its configuration, without any login.
            signs_are_all: false,
            env_names: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Probe::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing;

    #[test]
    fn what_it_may_do_is_always_said() {
        let engine = engine();
        for (words_only, skip_permissions, told) in [
            (false, false, r#""bash":"ask""#),
            (false, true, r#""bash":"allow""#),
            (true, true, r#""*":"deny","bash":"deny""#),
        ] {
            let seat = SeatSpec { words_only, skip_permissions, ..testing::seat(&*engine) };
            let Ok(Launch::Process { env, .. }) = engine.launch(&seat) else { panic!("no process") };
            let config = env.iter().find(|(name, _)| name == "OPENCODE_CONFIG_CONTENT").unwrap();
            assert!(config.1.contains(told), "{config:?}");
        }
    }
}
