//! A shell script plays `rawq`.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::search::code::CodeSearch;

struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    /// A project with one file, and a `rawq` that runs `script` when asked to search.
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("bin")).unwrap();
        std::fs::create_dir_all(at("project/target")).unwrap();
        std::fs::create_dir_all(at("home")).unwrap();
        std::fs::write(at("project/a.rs"), "fn one() {\n    1\n}\n\nfn token() {\n    2\n}\n").unwrap();
        std::fs::write(at("project/target/b.rs"), "fn token() {}\n").unwrap();
        let program = format!(
            "#!/bin/sh\necho \"$@\" >> {calls}\ncase \"$1\" in\nindex) echo '{{\"indexed\": true}}';;\ndaemon) exec sleep 100;;\n\
             search)\n{script}\n;;\nesac\n",
            calls = at("calls").display()
        );
        std::fs::write(at("bin/rawq"), program).unwrap();
        std::fs::set_permissions(at("bin/rawq"), std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    fn rawq(&self) -> Rawq {
        let path = format!("{}:/usr/bin:/bin", self.folder.path().join("bin").display());
        let env = [("PATH".into(), path.into()), ("SOME_API_KEY".into(), "x".into())];
        Rawq::find(&env, None, &self.folder.path().join("home"), None).unwrap()
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    async fn search(&self) -> Result<CodeFound, RawqError> {
        let mut query = CodeQuery::new(vec!["token".into()]);
        query.deadline = Duration::from_secs(5);
        self.rawq().search(&self.root(), "--where is the token?", &query).await
    }
}

const GOOD: &str = r#"cat <<'J'
{"schema_version": 1, "model": "m", "results": [
 {"file": "a.rs", "lines": [5, 7], "display_start_line": 5, "language": "rust", "scope": "token", "confidence": 0.9,
  "content": "fn token() {\n    2\n}", "context_before": "", "context_after": "", "token_count": 5},
 {"file": "a.rs", "lines": [1, 3], "language": "rust", "scope": "", "confidence": 0.4, "content": "fn changed() {\n}"},
 {"file": "target/b.rs", "lines": [1, 1], "language": "rust", "scope": "", "confidence": 0.4, "content": "fn token() {}"},
 {"file": "../secret.rs", "lines": [1, 1], "language": "rust", "scope": "", "confidence": 0.4, "content": "x"},
 {"file": "/etc/passwd", "lines": [0, 1], "language": "", "scope": "", "confidence": 0.4, "content": "x"}
], "query_ms": 3, "total_tokens": 5}
J"#;

#[tokio::test]
async fn a_good_answer_becomes_passages() {
    let stage = Stage::new(GOOD);
    let found = stage.search().await.unwrap();
    assert_eq!(found.source, CodeSource::Rawq);
    let [passage] = found.passages.as_slice() else { panic!("{found:?}") };
    assert_eq!((passage.path.as_str(), passage.start_line, passage.end_line), ("a.rs", 5, 7));
    assert_eq!(passage.text, "fn token() {\n    2\n}");
    assert_eq!(found.notes, [CodeNote::RawqDropped { results: 4 }]);
    let calls = std::fs::read_to_string(stage.folder.path().join("calls")).unwrap();
    assert!(calls.contains("search where is the token? "), "{calls}");
    assert!(calls.contains("--json --top 6 --context 0 --no-reindex"), "{calls}");
}

#[tokio::test]
async fn bad_answers_are_told_apart() {
    let failed = |code: &str, said: &str| RawqError::Failed { code: code.into(), said: said.into() };
    let cases = [
        ("echo 'no json at all'", RawqError::Unreadable),
        ("echo '{\"results\": 5}'", RawqError::Unreadable),
        ("echo '{\"results\": [{\"file\"'", RawqError::Unreadable),
        ("true", RawqError::Unreadable),
        ("echo broken >&2; exit 2", failed("exit code 2", "broken")),
        ("echo '{\"error\":\"model\"}'; exit 1", failed("exit code 1", "{\"error\":\"model\"}")),
        ("echo none >&2; exit 1", failed("exit code 1", "none")),
    ];
    for (script, wanted) in cases {
        assert_eq!(Stage::new(script).search().await.unwrap_err(), wanted, "{script}");
    }
    let nothing = Stage::new("echo '{\"results\": []}'; exit 1").search().await.unwrap();
    assert!(nothing.passages.is_empty() && nothing.notes.is_empty());
}

#[tokio::test]
async fn one_that_hangs_is_ended_and_the_own_search_answers() {
    let stage = Stage::new("sleep 60");
    let mut query = CodeQuery::new(vec!["token".into()]);
    query.deadline = Duration::from_secs(2);
    let begun = Instant::now();
    let root = stage.root();
    let (handle, mut rawq) = (tokio::runtime::Handle::current(), stage.rawq());
    let found = tokio::task::spawn_blocking(move || {
        let mut asked = Some((&mut rawq, "where is the token?", &handle));
        CodeSearch::default().search_with(asked.take(), &root, &query, &AtomicBool::new(false), &mut |_| {})
    })
    .await
    .unwrap();
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert_eq!(found.source, CodeSource::Own);
    assert_eq!(found.passages.first().map(|passage| passage.name.clone()), Some(Some("token".to_owned())));
    assert!(matches!(found.notes.as_slice(), [CodeNote::RawqFailed { .. }]), "{:?}", found.notes);
}

#[tokio::test]
async fn without_an_index_it_is_not_asked() {
    let stage = Stage::new(GOOD);
    let program = stage.folder.path().join("bin/rawq");
    let script = std::fs::read_to_string(&program).unwrap().replace("true", "false");
    std::fs::write(&program, script).unwrap();
    assert_eq!(stage.search().await.unwrap_err(), RawqError::NoIndex);
    let calls = std::fs::read_to_string(stage.folder.path().join("calls")).unwrap();
    assert!(!calls.contains("search"), "{calls}");
    assert_eq!(stage.rawq().build_index(&stage.root(), Duration::from_secs(5)).await, Ok(()));
}

#[test]
fn absent_it_is_not_found() {
    let home = tempfile::tempdir().unwrap();
    let env = [("PATH".into(), home.path().into())];
    let found = Rawq::find(&env, None, home.path(), None);
    assert!(found.is_none_or(|rawq| !rawq.program().starts_with(home.path())));
}
