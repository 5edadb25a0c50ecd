//! The real agent command lines, run as if on a fresh machine that knows one model server on 127.0.0.1.
//!
//! `TUNAFLOW_TEST_CLIS` names a prefix whose `bin/` holds `claude`, `codex`, `gemini` and `opencode`
//! (`.ci/install-engines.sh PREFIX` makes one). Without it the tests that need them are skipped.
//!
//! Never here: this machine's environment, home or logins. Every key is a dummy.
//! Start reading at [`cli_home`].

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::model_server::{MODEL, SMALL_MODEL};

/// The engines that exist as command lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Claude,
    Codex,
    Gemini,
    OpenCode,
}

impl Engine {
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::OpenCode];

    /// Name of the program in `bin/`.
    pub fn program(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        }
    }
}

/// A model name by which Codex offers its patch tool; the server answers to any name.
const CODEX_MODEL: &str = "gpt-5.5";
const DUMMY_KEY: &str = "dummy";

/// Folder of the installed command lines, if the caller named a prefix.
pub fn bin_folder() -> Option<PathBuf> {
    std::env::var_os("TUNAFLOW_TEST_CLIS").map(|prefix| Path::new(&prefix).join("bin"))
}

/// Says so when the engine's command line cannot be run here, and gives false.
///
/// With `TUNAFLOW_REQUIRE_CLIS=1` that is a failure: a check that silently tests nothing is none.
pub fn is_installed(engine: Engine) -> bool {
    let program = bin_folder().map(|bin| bin.join(engine.program()));
    if program.as_ref().is_some_and(|program| program.is_file()) {
        return true;
    }
    let why = match program {
        Some(program) => format!("{} is missing", program.display()),
        None => "TUNAFLOW_TEST_CLIS is not set".to_owned(),
    };
    assert!(std::env::var_os("TUNAFLOW_REQUIRE_CLIS").is_none_or(|word| word != "1"), "{why}");
    eprintln!("skipped: {why}");
    false
}

/// A fresh home with a project folder beside it, for one engine or several; removed when dropped.
pub struct CliHome {
    folder: TempDir,
    env: Vec<(String, String)>,
}

/// A fresh home for one engine; its model server is at `base_url` (`http://127.0.0.1:PORT`).
pub fn cli_home(engine: Engine, base_url: &str) -> CliHome {
    cli_home_of(&[engine], base_url)
}

/// A fresh home for several engines that share one model server.
pub fn cli_home_of(engines: &[Engine], base_url: &str) -> CliHome {
    let folder = tempfile::tempdir().expect("a folder for a home");
    let home = folder.path().join("home");
    for name in ["home", "project", "tmp"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder in a fresh folder");
    }
    let mut env: Vec<(String, String)> = [
        ("HOME", home.to_string_lossy().as_ref()),
        ("TMPDIR", folder.path().join("tmp").to_string_lossy().as_ref()),
        ("PATH", &search_path()),
        ("TERM", "xterm"),
        ("LANG", "C.UTF-8"),
        ("NO_COLOR", "1"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    env.extend(engines.iter().flat_map(|engine| lay_out(*engine, &home, base_url)));
    CliHome { folder, env }
}

impl CliHome {
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// An empty folder to work in, outside the home.
    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The whole environment to start the command line with: nothing is to be inherited.
    pub fn env(&self) -> &[(String, String)] {
        &self.env
    }

    /// A command of `program` (a name or a path) in the project folder, with this environment only. The child
    /// is killed when its handle is dropped.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> tokio::process::Command {
        #[expect(
            clippy::disallowed_methods,
            reason = "a test starts the bare program, without the app's room"
        )]
        let mut command = tokio::process::Command::new(program);
        command.env_clear().envs(self.env.iter().cloned()).current_dir(self.project()).kill_on_drop(true);
        command
    }
}

/// Search path of the children: the installed command lines, where this machine has `node`, system folders.
pub fn search_path() -> String {
    let own = std::env::var_os("PATH").unwrap_or_default();
    let node = std::env::split_paths(&own).find(|folder| folder.join("node").is_file());
    let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
    let folders = bin_folder().into_iter().chain(node).chain(system);
    std::env::join_paths(folders).expect("folders without a colon").to_string_lossy().into_owned()
}

/// Writes an engine's configuration into a home and returns the variables it needs besides.
pub fn lay_out(engine: Engine, home: &Path, base_url: &str) -> Vec<(String, String)> {
    let pairs = match engine {
        Engine::Claude => claude(home, base_url),
        Engine::Codex => codex(home, base_url),
        Engine::Gemini => gemini(home, base_url),
        Engine::OpenCode => opencode(home, base_url),
    };
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

type Pairs = Vec<(&'static str, String)>;

fn on(names: &[&'static str]) -> Pairs {
    names.iter().map(|name| (*name, "1".to_owned())).collect()
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a file in a folder")).expect("a folder in a home");
    std::fs::write(path, text).expect("a file in a home");
}

fn write_json(path: &Path, value: &Value) {
    write(path, &format!("{value:#}\n"));
}

/// One retry: a test of an error should not wait for ten.
fn claude(_home: &Path, base_url: &str) -> Pairs {
    let mut env = on(&[
        "DISABLE_AUTOUPDATER",
        "DISABLE_TELEMETRY",
        "DISABLE_ERROR_REPORTING",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "CLAUDE_CODE_MAX_RETRIES",
    ]);
    env.push(("ANTHROPIC_BASE_URL", base_url.to_owned()));
    env.push(("ANTHROPIC_API_KEY", DUMMY_KEY.to_owned()));
    env
}

fn codex(home: &Path, base_url: &str) -> Pairs {
    let folder = home.join(".codex");
    let config = format!(
        r#"model = "{CODEX_MODEL}"
model_provider = "test"
check_for_update_on_startup = false

[model_providers.test]
name = "test"
base_url = "{base_url}/v1"
wire_api = "responses"
env_key = "TEST_MODEL_KEY"
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false
"#
    );
    write(&folder.join("config.toml"), &config);
    vec![("CODEX_HOME", folder.to_string_lossy().into_owned()), ("TEST_MODEL_KEY", DUMMY_KEY.to_owned())]
}

/// One process instead of two, so that a signal reaches the one that works.
fn gemini(home: &Path, base_url: &str) -> Pairs {
    let settings = json!({
        "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 2},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
    });
    write_json(&home.join(".gemini/settings.json"), &settings);
    vec![
        ("GEMINI_API_KEY", DUMMY_KEY.to_owned()),
        ("GOOGLE_GEMINI_BASE_URL", base_url.to_owned()),
        ("GEMINI_CLI_NO_RELAUNCH", "true".to_owned()),
    ]
}

/// Asks before it writes or runs anything: by itself OpenCode would allow both.
fn opencode(home: &Path, base_url: &str) -> Pairs {
    let config = json!({
        "$schema": "https://opencode.ai/config.json",
        "model": format!("test/{MODEL}"),
        "small_model": format!("test/{SMALL_MODEL}"),
        "autoupdate": false,
        "share": "disabled",
        "enabled_providers": ["test"],
        "permission": {"bash": "ask", "edit": "ask", "external_directory": "ask"},
        "provider": {"test": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "test",
            "options": {"baseURL": format!("{base_url}/v1"), "apiKey": DUMMY_KEY},
            "models": {MODEL: {"name": MODEL, "reasoning": true}, SMALL_MODEL: {"name": SMALL_MODEL}},
        }},
    });
    write_json(&home.join(".config/opencode/opencode.json"), &config);
    on(&[
        "OPENCODE_DISABLE_AUTOUPDATE",
        "OPENCODE_DISABLE_MODELS_FETCH",
        "OPENCODE_DISABLE_LSP_DOWNLOAD",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS",
    ])
}
