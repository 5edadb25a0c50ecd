//! A branch with a checkout of its own, in each of its states.

use std::path::PathBuf;
use std::sync::Arc;

use crate::api::snapshot::{ChangesView, Snapshot};
use crate::model::git::{ChangeKind, ChangedFile, Changes, Checkout, FileDiff, GitPath, Losses};
use crate::ui::route::Route;

use super::branches::{self, PKCE};
use super::put_view;

/// The fixtures of this file.
pub const NAMES: [&str; 5] =
    ["branch-changes", "branch-empty", "branch-gone", "branch-refused", "branch-offer"];

const FOLDER: &str = "/home/ada/.local/share/tunaflow/worktrees/orchard-1/oauth2-pkce";
const DIFF: &str = "diff --git a/src/auth/pkce.rs b/src/auth/pkce.rs\n--- a/src/auth/pkce.rs\n+++ b/src/auth/pkce.rs\n@@ -12,9 +12,14 @@ impl Verifier {\n     /// 43 to 128 characters, RFC 7636.\n     pub fn new(random: &mut impl RngCore) -> Self {\n-        let mut bytes = [0; 16];\n+        let mut bytes = [0; 32];\n         random.fill_bytes(&mut bytes);\n-        Self(base64_url(&bytes))\n+        // 32 bytes give exactly 43 characters.\n+        let text = base64_url(&bytes);\n+        debug_assert_eq!(text.len(), 43);\n+        Self(text)\n     }\n \n+    // 한국어 주석: 비교는 항상 같은 시간이 걸려야 합니다.\n     pub fn challenge(&self) -> String {\n@@ -40,3 +45,4 @@ mod tests {\n     fn the_example_of_the_rfc() {\n         let verifier = Verifier::from_text(\"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\");\n+        assert_eq!(verifier.challenge(), \"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM\");\n     }\n";

fn file(path: &str, kind: ChangeKind, counts: Option<(u64, u64)>) -> ChangedFile {
    ChangedFile {
        path: path.into(),
        old_path: None,
        kind,
        added: counts.map(|(added, _)| added),
        removed: counts.map(|(_, removed)| removed),
        binary: false,
        mode: None,
        submodule: false,
        staged: false,
        unstaged: true,
    }
}

fn files() -> Vec<ChangedFile> {
    let mut moved = file("src/crypto/compare.rs", ChangeKind::Renamed, Some((2, 2)));
    moved.old_path = Some("src/crypto/ct.rs".into());
    let mut picture = file("docs/pictures/flow.png", ChangeKind::Modified, None);
    picture.binary = true;
    let mut script = file("tools/check.sh", ChangeKind::Modified, Some((0, 0)));
    script.mode = Some(("100644".into(), "100755".into()));
    let mut module = file("vendor/rand", ChangeKind::Modified, Some((1, 1)));
    module.submodule = true;
    let mut odd = file("notes/caf", ChangeKind::Untracked, Some((3, 0)));
    odd.path = GitPath(b"notes/caf\xe9.md".to_vec());
    let long = "src/a/very/deep/folder/with/many/parts/that/does/not/fit/in/the/list/of/files/at/all/session_store.rs";
    vec![
        file("Cargo.toml", ChangeKind::Modified, Some((1, 12))),
        picture,
        odd,
        file(long, ChangeKind::Modified, Some((1_204, 877))),
        file("src/auth/legacy_login.rs", ChangeKind::Deleted, Some((0, 240))),
        file("src/auth/pkce.rs", ChangeKind::Modified, Some((8, 2))),
        moved,
        file("src/로그인/세션.rs", ChangeKind::Added, Some((92, 0))),
        file("tests/both.rs", ChangeKind::Conflict, None),
        script,
        module,
    ]
}

fn there(files: Vec<ChangedFile>) -> Checkout {
    Checkout::There(Box::new(Changes {
        folder: PathBuf::from(FOLDER),
        base: "6fb2a71c0ffee0123456789abcdef0123456789a".into(),
        git_branch: Some("oauth2-pkce".into()),
        head: Some("91c0de44".into()),
        commits: if files.is_empty() { 0 } else { 3 },
        files,
        more_files: 0,
        operation: None,
        notes: Vec::new(),
    }))
}

/// The fixture of that name; returns the place shown.
pub fn show(snap: &mut Snapshot, name: &str) -> Route {
    branches::fill(snap);
    snap.branch_focus = None;
    if name != "branch-offer" {
        own_checkout(snap);
    }
    let diff_of = GitPath::from("src/auth/pkce.rs");
    let mut view = ChangesView {
        conversation: PKCE,
        doing: None,
        error: None,
        checkout: Some(Arc::new(there(files()))),
        refused: None,
        diff_of: Some(diff_of.clone()),
        diff: Some(Ok(Arc::new(FileDiff { path: diff_of, text: DIFF.into(), cut: true, binary: false }))),
    };
    match name {
        "branch-offer" => {
            if let Checkout::There(mut changes) = there(files()) {
                changes.folder = PathBuf::from("/home/ada/harbor-api");
                changes.git_branch = Some("main".into());
                view.checkout = Some(Arc::new(Checkout::There(changes)));
            }
        }
        "branch-empty" => view.checkout = Some(Arc::new(there(Vec::new()))),
        "branch-gone" => view.checkout = Some(Arc::new(Checkout::Gone { folder: PathBuf::from(FOLDER) })),
        "branch-refused" => {
            view.refused = Some(Arc::new(Losses {
                reasons: vec!["A rebase is under way there. Finish or abort it.".into()],
                files: ["src/auth/pkce.rs", "notes/idea.md"].map(GitPath::from).to_vec(),
                ignored: vec!["target/".into()],
                ..Losses::default()
            }));
        }
        _ => {}
    }
    snap.changes = Some(Arc::new(view));
    Route::Changes { conversation: PKCE }
}

fn own_checkout(snap: &mut Snapshot) {
    let Some(open) = snap.view(PKCE) else { return };
    let mut view = (**open).clone();
    let mut row = (*view.row).clone();
    if let Some(branch) = &mut row.conversation.branch {
        branch.facts.git_branch = Some("oauth2-pkce".into());
        branch.facts.worktree = Some(FOLDER.into());
        branch.facts.base = Some("6fb2a71c0ffee0123456789abcdef0123456789a".into());
    }
    let row = Arc::new(row);
    view.row = row.clone();
    snap.conversations = snap
        .conversations
        .iter()
        .map(|old| if old.conversation.id == PKCE { row.clone() } else { old.clone() })
        .collect();
    put_view(snap, view);
}
