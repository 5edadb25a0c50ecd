//! Gemini CLI, by `gemini --acp`.
//!
//! Its `session/load` in a new process may write over its own chat file, so a session is never taken up
//! again; our own transcript is sent instead. Within one warm process the session simply goes on.

use std::sync::Arc;

use serde_json::json;

use crate::engine::acp::{self, AcpDialect, AcpProfile, AcpResume};
use crate::engine::{Dialect, Engine, Launch, LoginSign, Probe};
use crate::model::engine::{EngineId, EngineInfo, EngineLook};
use crate::model::turn::{SeatSpec, TurnFailure};

#[derive(Debug)]
struct Gemini {
    info: EngineInfo,
}

/// The engine.
pub fn engine() -> Arc<dyn Engine> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let info = EngineInfo {
        id: EngineId::new("gemini"),
        name: "Gemini CLI".to_owned(),
        look: EngineLook::Gemini,
        caps: acp::caps(false),
        programs: words(&["gemini"]),
        home_dirs: words(&[".npm-global/bin", ".bun/bin", ".volta/bin", ".local/bin"]),
        models: words(&[
            "auto",
            "gemini-3.1-pro-preview",
            "gemini-3.8-flash",
            "gemini-2.5-pro",
            "gemini-2.5-flash",
        ]),
        key_variables: words(&["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"]),
        install_hint: "npm install -g @google/gemini-cli".to_owned(),
        login_hint: "Run `gemini` in a terminal and log in there, then try again.".to_owned(),
        resume_command: "gemini --resume {id}".to_owned(),
    };
    Arc::new(Gemini { info })
}

impl Engine for Gemini {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    fn launch(&self, seat: &SeatSpec) -> Result<Launch, TurnFailure> {
        // The folder was chosen by the user in the window, so the program's own trust question is answered.
        // How it asks is always said, as the user's own settings may let it write unasked.
        let mut args: Vec<String> =
            ["--acp", "--skip-trust", "--approval-mode", "default"].map(str::to_owned).into();
        if let Some(model) = &seat.model {
            args.extend(["-m".to_owned(), model.clone()]);
        }
        if seat.words_only {
            args.extend(["--extensions", "none", "--allowed-mcp-server-names", "none"].map(str::to_owned));
        }
        // One process instead of two: it starts faster and hears signals.
        let mut env = vec![("GEMINI_CLI_NO_RELAUNCH".to_owned(), "true".to_owned())];
        if seat.words_only {
            // The flag is heard after the folder's settings were passed over for want of trust.
            env.push(("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "true".to_owned()));
        }
        Ok(Launch::Process { args, env })
    }

    /// Settings of the folder stand above those of the user, who may have allowed tools unasked. One tool is left, as
    /// servers refuse an empty list of them; in an empty folder it tells nothing.
    fn words_only_files(&self) -> Vec<(&'static str, String)> {
        let settings = json!({"tools": {"core": ["list_directory"]}});
        vec![(".gemini/settings.json", settings.to_string())]
    }

    fn dialect(&self, seat: &SeatSpec) -> Box<dyn Dialect> {
        let profile = AcpProfile {
            resume: AcpResume::Never,
            fork: false,
            model_by_launch: true,
            tool_name_of_id: tool_name,
        };
        Box::new(AcpDialect::new(self.info.clone(), profile, seat))
    }

    fn probe(&self) -> Probe {
        let sign = |home_path: &str, word: Option<&str>| LoginSign {
            moved_by: None,
            home_path: home_path.to_owned(),
            word: word.map(str::to_owned),
        };
        let names = [
            "GOOGLE_GEMINI_BASE_URL",
            "GOOGLE_CLOUD_PROJECT",
            "GOOGLE_CLOUD_LOCATION",
            "GOOGLE_GENAI_USE_VERTEXAI",
            "GOOGLE_GENAI_USE_GCA",
            "GEMINI_SYSTEM_MD",
        ];
        Probe {
            version_args: vec!["--version".to_owned()],
            login_signs: vec![
                sign(".gemini/oauth_creds.json", None),
                sign(".gemini/settings.json", Some("\"selectedType\"")),
            ],
            signs_are_all: true,
            env_names: names.iter().map(|name| (*name).to_owned()).collect(),
            ..Probe::default()
        }
    }
}

/// `write_file__write_file_1796042484866_0` → `write_file`.
fn tool_name(id: &str) -> Option<&str> {
    id.split_once("__").map(|(name, _)| name).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing;

    #[test]
    fn how_it_asks_is_always_said_and_words_need_no_tools() {
        let engine = engine();
        for words_only in [false, true] {
            let seat = SeatSpec { words_only, ..testing::seat(&*engine) };
            let Ok(Launch::Process { args, env }) = engine.launch(&seat) else { panic!("no process") };
            let line = args.join(" ");
            assert!(line.starts_with("--acp --skip-trust --approval-mode default"), "{line}");
            assert_eq!(
                line.ends_with("--extensions none --allowed-mcp-server-names none"),
                words_only,
                "{line}"
            );
            assert_eq!(env.iter().any(|(name, _)| name == "GEMINI_CLI_TRUST_WORKSPACE"), words_only);
        }
    }
}
