//! Finding engines with stand-ins below a temporary HOME.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use tunaflow::engine::discover::{DiscoverCx, discover};
use tunaflow::engine::registry;
use tunaflow::model::engine::{Availability, Billing, EngineId, EngineStatus};
use tunaflow::model::settings::{AcpAgent, EngineSettings, Settings};

fn program(path: &Path, script: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn touch(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn cx(home: &Path) -> DiscoverCx {
    let pair = |name: &str, value: &Path| (OsString::from(name), value.as_os_str().to_owned());
    DiscoverCx {
        home: home.to_path_buf(),
        login_path: Some("/usr/bin:/bin".into()),
        base_env: vec![pair("HOME", home), pair("PATH", Path::new("/usr/bin:/bin"))],
        guard: None,
        settings: EngineSettings::default(),
        keys: Arc::new(|_| None),
    }
}

async fn look(id: &str, cx: &DiscoverCx) -> EngineStatus {
    let settings = Settings {
        acp_agents: vec![AcpAgent {
            name: "own".to_owned(),
            command: cx.home.join("own").to_string_lossy().into_owned(),
            args: vec![],
        }],
        ..Settings::default()
    };
    let engine = registry::find(&registry::builtin(&settings), &EngineId::new(id)).unwrap();
    discover(engine.as_ref(), cx).await
}

#[tokio::test]
async fn a_program_in_a_well_known_folder_is_found_with_version_and_login() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    for (id, version, sign, text) in [
        ("claude", "2.1.332 (Claude Code)", ".claude/.credentials.json", ""),
        ("codex", "codex-cli 0.171.0", ".codex/auth.json", ""),
        (
            "gemini",
            "0.61.0",
            ".gemini/settings.json",
            "{\"security\":{\"auth\":{\"selectedType\":\"oauth-personal\"}}}",
        ),
        ("opencode", "1.18.33", ".local/share/opencode/auth.json", ""),
    ] {
        let path = home.join(".local/bin").join(id);
        program(&path, &format!("echo '{version}'"));
        let before = look(id, &cx(home)).await;
        assert_eq!(before.login, None, "{id}");
        touch(&home.join(sign), text);
        let status = look(id, &cx(home)).await;
        assert_eq!(status.availability, Availability::Ready, "{id}");
        assert_eq!(status.path.as_deref(), Some(path.as_path()));
        assert!(version.contains(status.version.as_deref().unwrap()), "{id}: {:?}", status.version);
        assert_eq!(status.found_by.as_deref(), Some("well-known folder"));
        assert_eq!(status.login.as_deref(), Some("logged in"), "{id}");
    }
}

#[tokio::test]
async fn what_is_missing_or_broken_says_so() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let status = look("gemini", &cx(home)).await;
    match status.availability {
        Availability::NotInstalled { searched } => {
            assert!(
                searched.contains(&home.join(".local/bin").to_string_lossy().into_owned()),
                "{searched:?}"
            );
        }
        other => panic!("{other:?}"),
    }
    program(&home.join(".local/bin/gemini"), "echo 'needs node 20' >&2; exit 1");
    let status = look("gemini", &cx(home)).await;
    assert!(
        matches!(&status.availability, Availability::Broken { why } if why.contains("needs node 20")),
        "{status:?}"
    );
    program(&home.join(".local/bin/gemini"), "echo 0.61.0");
    assert_eq!(look("gemini", &cx(home)).await.availability, Availability::NotLoggedIn);
}

#[tokio::test]
async fn a_path_set_by_hand_and_an_api_key_count() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    program(&home.join("tools/gemini"), "test -z \"$GEMINI_API_KEY\" && echo 0.61.0");
    let mut cx = cx(home);
    cx.settings.path = Some(home.join("tools"));
    cx.settings.billing = Billing::ApiKey;
    cx.base_env.push(("GEMINI_API_KEY".into(), "k".into()));
    let status = look("gemini", &cx).await;
    assert_eq!((status.availability, status.login.as_deref()), (Availability::Ready, Some("API key")));
    assert_eq!(
        (status.found_by.as_deref(), status.version.as_deref()),
        (Some("set by hand"), Some("0.61.0"))
    );
}

#[tokio::test]
async fn an_agent_of_the_settings_is_found_by_its_path_and_the_demo_is_always_ready() {
    let home = tempfile::tempdir().unwrap();
    assert!(matches!(
        look("acp:own", &cx(home.path())).await.availability,
        Availability::NotInstalled { .. }
    ));
    program(&home.path().join("own"), "exit 1");
    let status = look("acp:own", &cx(home.path())).await;
    assert_eq!((status.availability, status.version), (Availability::Ready, None));
    assert_eq!(look("demo", &cx(home.path())).await.availability, Availability::Ready);
}
