//! The environment of a child: an allow-list, so that neither keys nor our own bundle's paths leak.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Variables that pass when they are set.
const PASSING: &[&str] = &[
    // who and where the user is
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "COLORTERM",
    "TMPDIR",
    "TZ",
    "HOSTNAME",
    // agents of the desktop
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "DESKTOP_SESSION",
    // network
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    // libraries and tool chains
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "PKG_CONFIG_PATH",
    "PYTHONPATH",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "GOROOT",
    "GOBIN",
    "JAVA_HOME",
    "ANDROID_HOME",
    "NVM_DIR",
    "VOLTA_HOME",
    "FNM_DIR",
    "BUN_INSTALL",
    "PNPM_HOME",
    "DENO_INSTALL",
    "PYENV_ROOT",
    "CONDA_PREFIX",
    "VIRTUAL_ENV",
    "RBENV_ROOT",
    "ASDF_DIR",
    "MISE_DATA_DIR",
    "HOMEBREW_PREFIX",
    "HOMEBREW_CELLAR",
    "HOMEBREW_REPOSITORY",
    "NIX_PATH",
    "NIX_PROFILES",
    "NIX_SSL_CERT_FILE",
    "DOCKER_HOST",
    "KUBECONFIG",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "WSL_DISTRO_NAME",
    "WSL_INTEROP",
    "WSLENV",
    // Windows
    "SystemRoot",
    "SystemDrive",
    "windir",
    "APPDATA",
    "LOCALAPPDATA",
    "ProgramData",
    "ProgramFiles",
    "ProgramFiles(x86)",
    "ProgramW6432",
    "CommonProgramFiles",
    "USERPROFILE",
    "USERNAME",
    "USERDOMAIN",
    "HOMEDRIVE",
    "HOMEPATH",
    "PATHEXT",
    "ComSpec",
    "TEMP",
    "TMP",
    "PUBLIC",
    "COMPUTERNAME",
    "OS",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
    "PSModulePath",
];
const PASSING_PREFIXES: &[&str] = &["LC_", "XDG_"];

/// Variables that name the folder our own bundle is unpacked in (AppImage, Snap).
const BUNDLE_ROOTS: &[&str] = &["APPDIR", "SNAP"];

/// What a child may see besides the allow-list.
#[derive(Debug, Clone, Copy, Default)]
pub struct EnvRules<'a> {
    /// The PATH of the user's login shell; without it, the one of the given environment.
    pub login_path: Option<&'a OsStr>,
    /// The folder of the program to be started; goes first in PATH, so that it finds what lies beside it.
    pub program_folder: Option<&'a Path>,
    /// Further names that pass from the given environment when set.
    pub also_pass: &'a [&'a str],
    /// Set as given, over everything else.
    pub extra: &'a [(OsString, OsString)],
    /// The names of secrets that may pass, from the environment or from `extra`. Any other variable whose
    /// name looks like a secret's ([`is_secret_name`]) is dropped.
    pub secrets: &'a [&'a str],
}

/// Builds the whole environment of a child from that of a process. Sorted by name, each name once.
///
/// Entries below our own bundle's folder are taken out of every value; a value of nothing else goes.
#[must_use]
pub fn child_env(
    base: impl IntoIterator<Item = (OsString, OsString)>,
    rules: &EnvRules<'_>,
) -> Vec<(OsString, OsString)> {
    let base: BTreeMap<OsString, OsString> = base.into_iter().collect();
    let bundle_roots: Vec<&Path> = BUNDLE_ROOTS
        .iter()
        .filter_map(|name| base.get(OsStr::new(name)))
        .map(Path::new)
        // A root of "/" would take everything away.
        .filter(|root| root.is_absolute() && root.parent().is_some())
        .collect();
    let mut env: BTreeMap<OsString, OsString> = base
        .iter()
        .filter(|(name, _)| name.to_str().is_some_and(|name| passes(name, rules)))
        .filter_map(|(name, value)| Some((name.clone(), without_bundle(value, &bundle_roots)?)))
        .collect();
    env.retain(|name, _| !is_name(name, "PATH"));
    let base_path =
        || base.iter().find(|(name, _)| is_name(name, "PATH")).map(|(_, value)| value.as_os_str());
    let path = rules.login_path.or_else(base_path).and_then(|path| without_bundle(path, &bundle_roots));
    env.insert("PATH".into(), join_path(rules.program_folder, &path.unwrap_or_else(default_path)));
    for (name, value) in rules.extra {
        if name.to_str().is_some_and(|name| may_show(name, rules)) {
            env.insert(name.clone(), value.clone());
        }
    }
    env.into_iter().collect()
}

/// The folders of a system's own programs, for when the user's PATH is not known.
#[must_use]
pub fn default_path() -> OsString {
    if cfg!(windows) {
        r"C:\Windows\System32;C:\Windows".into()
    } else if cfg!(target_os = "macos") {
        "/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin".into()
    } else {
        "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin".into()
    }
}

/// Whether a variable's name says that its value is a secret (`…_API_KEY`, `…_TOKEN`, `…PASSWORD` and so on).
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "API_KEY",
        "APIKEY",
        "ACCESS_KEY",
        "ACCESS_KEY_ID",
        "SECRET_KEY",
        "PRIVATE_KEY",
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "CREDENTIALS",
    ];
    let name = name.to_ascii_uppercase();
    ENDS.iter().any(|end| name.ends_with(end))
}

fn passes(name: &str, rules: &EnvRules<'_>) -> bool {
    let listed =
        PASSING.iter().chain(rules.also_pass).chain(rules.secrets).any(|known| same_name(known, name));
    (listed || PASSING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))) && may_show(name, rules)
}

fn may_show(name: &str, rules: &EnvRules<'_>) -> bool {
    !is_secret_name(name) || rules.secrets.iter().any(|known| same_name(known, name))
}

/// Windows does not tell upper from lower case in names.
fn same_name(a: &str, b: &str) -> bool {
    if cfg!(windows) { a.eq_ignore_ascii_case(b) } else { a == b }
}

fn is_name(name: &OsStr, wanted: &str) -> bool {
    name.to_str().is_some_and(|name| same_name(name, wanted))
}

fn without_bundle(value: &OsStr, roots: &[&Path]) -> Option<OsString> {
    let is_bundled = |entry: &Path| roots.iter().any(|root| entry.starts_with(root));
    if !std::env::split_paths(value).any(|entry| is_bundled(&entry)) {
        return Some(value.to_owned());
    }
    let kept =
        std::env::split_paths(value).filter(|entry| !is_bundled(entry) && !entry.as_os_str().is_empty());
    // Joining only fails for an entry with the separator in it, which splitting can't give on Unix.
    std::env::join_paths(kept).ok().filter(|value| !value.is_empty())
}

fn join_path(first: Option<&Path>, path: &OsStr) -> OsString {
    let Some(first) = first else { return path.to_owned() };
    let rest = std::env::split_paths(path).filter(|entry| entry != first && !entry.as_os_str().is_empty());
    // A folder with the separator in its name can't stand in a PATH at all.
    std::env::join_paths(std::iter::once(first.to_path_buf()).chain(rest)).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    #[test]
    fn only_what_is_allowed_passes() {
        let base = pairs(&[
            ("HOME", "/home/me"),
            ("LC_ALL", "ko_KR.UTF-8"),
            ("XDG_CONFIG_HOME", "/c"),
            ("https_proxy", "http://p"),
            ("PATH", "/usr/bin"),
            ("ANTHROPIC_API_KEY", "sk-1"),
            ("GITHUB_TOKEN", "t"),
            ("XDG_API_KEY", "sneaky"),
            ("MY_SETTING", "x"),
            ("OTHER", "y"),
        ]);
        let common = [("HOME", "/home/me"), ("LC_ALL", "ko_KR.UTF-8")];
        let after = [("PATH", "/usr/bin"), ("XDG_CONFIG_HOME", "/c"), ("https_proxy", "http://p")];
        let wanted = [&common[..], &after].concat();
        assert_eq!(child_env(base.clone(), &EnvRules::default()), pairs(&wanted));

        let extra = pairs(&[("NEW", "1"), ("OTHER_API_KEY", "no"), ("SET_API_KEY", "yes")]);
        let rules = EnvRules {
            also_pass: &["MY_SETTING"],
            extra: &extra,
            secrets: &["ANTHROPIC_API_KEY", "SET_API_KEY"],
            ..EnvRules::default()
        };
        let env = child_env(base, &rules);
        let get = |name: &str| env.iter().find(|(n, _)| n == name).and_then(|(_, v)| v.to_str());
        let cases = [
            ("MY_SETTING", Some("x")),
            ("NEW", Some("1")),
            ("ANTHROPIC_API_KEY", Some("sk-1")),
            ("SET_API_KEY", Some("yes")),
            ("OTHER_API_KEY", None),
            ("GITHUB_TOKEN", None),
            ("OTHER", None),
        ];
        for (name, wanted) in cases {
            assert_eq!(get(name), wanted, "{name}");
        }
    }

    #[test]
    fn entries_of_our_own_bundle_go_others_stay() {
        let cases = [
            ("LD_LIBRARY_PATH", "/x/usr/lib:/opt/mine", Some("/opt/mine")),
            ("LD_LIBRARY_PATH", "/x/usr/lib:/x/lib", None),
            ("LD_LIBRARY_PATH", "/xy/lib", Some("/xy/lib")),
            ("XDG_DATA_DIRS", "/x/usr/share:/usr/share:", Some("/usr/share")),
            ("PYTHONPATH", "/x", None),
            ("PATH", "/x/usr/bin:/usr/bin", Some("/usr/bin")),
            ("HOME", "/home/me", Some("/home/me")),
            ("http_proxy", "http://h:1", Some("http://h:1")),
        ];
        for (name, value, wanted) in cases {
            let env = child_env(pairs(&[("APPDIR", "/x"), (name, value)]), &EnvRules::default());
            let got = env.iter().find(|(n, _)| n == name).and_then(|(_, v)| v.to_str());
            assert_eq!(got, wanted, "{name}={value}");
            assert!(!env.iter().any(|(n, _)| n == "APPDIR"));
        }
        let env = child_env(pairs(&[("APPDIR", "/"), ("LD_LIBRARY_PATH", "/lib")]), &EnvRules::default());
        assert!(env.contains(&("LD_LIBRARY_PATH".into(), "/lib".into())));
    }

    #[test]
    fn the_programs_own_folder_leads_the_users_path() {
        let login = OsString::from("/home/me/bin:/opt/tool:/usr/bin");
        let path_with = |login_path, program_folder| {
            let rules = EnvRules { login_path, program_folder, ..EnvRules::default() };
            let env = child_env(pairs(&[("PATH", "/bare")]), &rules);
            env.into_iter().find(|(n, _)| n == "PATH").map(|(_, v)| v.into_string().unwrap()).unwrap()
        };
        let tool = Some(Path::new("/opt/tool"));
        assert_eq!(path_with(Some(&login), tool), "/opt/tool:/home/me/bin:/usr/bin");
        assert_eq!(path_with(None, tool), "/opt/tool:/bare");
        assert_eq!(path_with(Some(&login), None), "/home/me/bin:/opt/tool:/usr/bin");
        assert_eq!(path_with(None, Some(Path::new("/odd:name"))), "/bare");
        let env = child_env([], &EnvRules::default());
        assert_eq!(env, [("PATH".into(), default_path())]);
    }
}
