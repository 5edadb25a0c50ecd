//! CLAUDE CODE: `claude -p` with stream-json both ways and permissions asked on standard input and output.
//!
//! Never here: other engines, I/O. Start reading at [`Claude`] (how it is started), then `dialect` (the
//! conversation with it), `blocks` (which text belongs where), `tools`, `asks`, `outcome`.

mod asks;
mod blocks;
mod dialect;
mod outcome;
#[cfg(test)]
mod tests;
mod tools;
mod turn;

use crate::engine::{Dialect, Engine, Launch, LoginSign, Probe};
use crate::model::engine::{EngineCaps, EngineId, EngineInfo, EngineLook, ForkCap, PermissionCap};
use crate::model::turn::{SeatSpec, TurnFailure};

/// Claude Code, driven by its control protocol. Facts were taken from version 2.1.332.
pub struct Claude {
    info: EngineInfo,
}

impl Claude {
    pub fn new() -> Self {
        Self { info: info() }
    }
}

impl Default for Claude {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine for Claude {
    fn info(&self) -> &EngineInfo {
        &self.info
    }

    fn launch(&self, seat: &SeatSpec) -> Result<Launch, TurnFailure> {
        Ok(Launch::Process { args: args(seat), env: env() })
    }

    fn dialect(&self, seat: &SeatSpec) -> Box<dyn Dialect> {
        let command = format!("claude {}", args(seat).join(" "));
        Box::new(dialect::ClaudeDialect::new(self.info.clone(), seat, command))
    }

    fn probe(&self) -> Probe {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        let moved = |below: &str| Some(("CLAUDE_CONFIG_DIR".to_owned(), below.to_owned()));
        Probe {
            version_args: words(&["--version"]),
            login_signs: vec![
                LoginSign {
                    moved_by: moved(".credentials.json"),
                    home_path: ".claude/.credentials.json".to_owned(),
                    word: None,
                },
                LoginSign {
                    moved_by: moved(".claude.json"),
                    home_path: ".claude.json".to_owned(),
                    word: Some("\"oauthAccount\"".to_owned()),
                },
            ],
            // On macOS the login lies in the keychain.
            signs_are_all: cfg!(target_os = "linux"),
            env_names: words(&[
                "CLAUDE_CONFIG_DIR",
                "ANTHROPIC_BASE_URL",
                "CLAUDE_CODE_USE_BEDROCK",
                "CLAUDE_CODE_USE_VERTEX",
            ]),
            login_variables: words(&["CLAUDE_CODE_OAUTH_TOKEN"]),
            ..Probe::default()
        }
    }
}

fn info() -> EngineInfo {
    let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
    EngineInfo {
        id: EngineId::new("claude"),
        name: "Claude Code".to_owned(),
        look: EngineLook::Claude,
        caps: EngineCaps {
            stream: true,
            tools: true,
            permissions: PermissionCap::Asks,
            resume: true,
            fork: ForkCap::AtTurn,
            system_apart: true,
            images: false,
            usage: true,
            cost: true,
            mcp: false,
            warm: true,
        },
        programs: words(&["claude"]),
        home_dirs: words(&[".local/bin", ".claude/local", ".claude/bin"]),
        models: words(&["opus", "sonnet", "haiku"]),
        // CLAUDE_CODE_OAUTH_TOKEN is not among them: it stands for a subscription, not for metered billing.
        key_variables: words(&["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]),
        install_hint: "Install Claude Code: npm install -g @anthropic-ai/claude-code".to_owned(),
        login_hint: "Run claude in a terminal and type /login.".to_owned(),
        resume_command: "claude --resume {id}".to_owned(),
    }
}

fn args(seat: &SeatSpec) -> Vec<String> {
    let mut args: Vec<String> = [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        // Without it, `--output-format stream-json` is refused.
        "--verbose",
        "--include-partial-messages",
        "--permission-prompt-tool",
        "stdio",
        // Always said, as the user's own settings may hold another mode.
        "--permission-mode",
    ]
    .map(str::to_owned)
    .into();
    let mut push = |words: &[&str]| args.extend(words.iter().map(|word| (*word).to_owned()));
    // As root the program refuses to skip permissions and says so; the turn then fails with its words.
    let skips = seat.skip_permissions && !seat.words_only;
    push(&[if skips { "bypassPermissions" } else { "default" }]);
    if seat.words_only {
        // No tools of its own, no servers of the user's, and no session in the user's list of them.
        push(&["--tools", "", "--strict-mcp-config", "--no-session-persistence"]);
    }
    if let Some(model) = &seat.model {
        push(&["--model", model]);
    }
    if let Some(fork) = &seat.fork {
        push(&["--resume", &fork.session, "--fork-session"]);
        if let Some(point) = &fork.point {
            // Without `--fork-session` this would rewind the session itself.
            push(&["--resume-session-at", point]);
        }
    }
    match &seat.resume {
        Some(session) => push(&["--resume", session]),
        None => push(&["--session-id", &seat.new_session_id]),
    }
    if let Some(file) = &seat.system_file {
        push(&["--append-system-prompt-file", &file.to_string_lossy()]);
        if seat.resume.is_some() {
            // A resumed session keeps its recorded system prompt otherwise, and ours would be ignored.
            push(&["--system-prompt-snapshot", "off"]);
        }
    }
    args
}

fn env() -> Vec<(String, String)> {
    [
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        // Ten retries, its default, are a minute of silence.
        ("CLAUDE_CODE_MAX_RETRIES", "2"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

#[cfg(test)]
mod argv {
    use super::*;
    use crate::engine::testing;
    use crate::model::turn::Fork;

    fn seat() -> SeatSpec {
        testing::seat(&Claude::new())
    }

    fn line(seat: &SeatSpec) -> String {
        args(seat).join(" ")
    }

    #[test]
    fn argv_follows_the_seat() {
        let fresh = line(&seat());
        assert!(
            fresh.ends_with("--permission-mode default --session-id 11111111-2222-4333-8444-555555555555")
        );
        let taken_up = SeatSpec {
            resume: Some("abc".to_owned()),
            model: Some("opus".to_owned()),
            system_file: Some("/tmp/s.md".into()),
            skip_permissions: true,
            ..seat()
        };
        assert!(line(&taken_up).ends_with(
            "--permission-mode bypassPermissions --model opus --resume abc --append-system-prompt-file /tmp/s.md \
             --system-prompt-snapshot off"
        ));
        let fork =
            |point: Option<&str>| Some(Fork { session: "abc".to_owned(), point: point.map(str::to_owned) });
        let forked = SeatSpec { fork: fork(Some("row")), ..seat() };
        assert!(line(&forked).ends_with(
            "--permission-mode default --resume abc --fork-session --resume-session-at row --session-id \
             11111111-2222-4333-8444-555555555555"
        ));
        let at_end = SeatSpec { fork: fork(None), ..seat() };
        assert!(line(&at_end).contains("--resume abc --fork-session --session-id 1"));
        let words_only = line(&SeatSpec { words_only: true, skip_permissions: true, ..seat() });
        assert!(
            words_only.contains("--permission-mode default --tools  --strict-mcp-config"),
            "{words_only}"
        );
        let roled = SeatSpec { system_file: Some("/tmp/s.md".into()), ..seat() };
        assert!(!line(&roled).contains("snapshot"));
    }

    #[test]
    fn the_sandbox_is_never_claimed() {
        assert!(env().iter().all(|(name, _)| name != "IS_SANDBOX"));
    }
}
