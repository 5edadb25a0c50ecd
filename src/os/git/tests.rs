//! Against real repositories, each made by its test. Without git they fail: it must be there.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::model::git::{ChangeKind, GitPath, MadeCheckout, NotRemoved};
use crate::os::git::checkout::{Before, NewCheckout, unmark};
use crate::os::git::{Git, GitError};
use crate::os::process::{ProcessSpec, StdinMode, run_for_output};

/// A repository with one commit, and where checkouts go.
struct Bed {
    base: tempfile::TempDir,
    git: Git,
}

impl Bed {
    fn empty() -> Self {
        let base = tempfile::tempdir().unwrap();
        let env = env(base.path());
        let git = Git::find(&env, None, base.path()).expect("these tests need the program git");
        Self { base, git }
    }

    async fn new() -> Self {
        let bed = Self::empty();
        std::fs::create_dir_all(bed.repo()).unwrap();
        bed.run(&bed.repo(), &["init", "--quiet", "-b", "main"]).await;
        bed.put("a.txt", "one\ntwo\n");
        bed.put("sub dir/b.txt", "b\n");
        bed.commit(&bed.repo(), "first").await;
        bed
    }

    /// Spaces, Hangul and emoji are part of every test.
    fn repo(&self) -> PathBuf {
        self.base.path().join("my 저장소 🐟")
    }

    fn shelf(&self) -> PathBuf {
        self.base.path().join("data 데이터/worktrees/p-1")
    }

    fn put(&self, file: &str, text: &str) {
        write(&self.repo(), file, text);
    }

    async fn commit(&self, folder: &Path, what: &str) {
        self.run(folder, &["add", "-A"]).await;
        self.run(folder, &["commit", "--quiet", "-m", what]).await;
    }

    async fn try_run(&self, folder: &Path, args: &[&str]) -> (bool, String) {
        let program = ["/usr/bin/git", "/usr/local/bin/git", "/opt/homebrew/bin/git", "/bin/git"]
            .map(PathBuf::from)
            .into_iter()
            .find(|path| path.is_file())
            .expect("these tests need the program git");
        let mut all: Vec<OsString> =
            ["-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]
                .map(OsString::from)
                .to_vec();
        all.extend(args.iter().map(OsString::from));
        let spec = ProcessSpec {
            program,
            args: all,
            env: env(self.base.path()),
            cwd: folder.to_path_buf(),
            stdin: StdinMode::Null,
            guard: None,
        };
        let out = run_for_output(&spec, std::time::Duration::from_secs(60), 1_000_000).await.unwrap();
        (out.exit.code == Some(0), format!("{}\n{}", out.stdout, out.exit.stderr_tail))
    }

    async fn run(&self, folder: &Path, args: &[&str]) -> String {
        let (ok, said) = self.try_run(folder, args).await;
        assert!(ok, "git {args:?}: {said}");
        said.trim().to_owned()
    }

    async fn make(&self, label: &str, git_branch: Option<&str>) -> Result<MadeCheckout, GitError> {
        self.make_in(&self.repo(), label, git_branch).await
    }

    async fn make_in(
        &self,
        project: &Path,
        label: &str,
        git_branch: Option<&str>,
    ) -> Result<MadeCheckout, GitError> {
        let shelf = self.shelf();
        let new = NewCheckout { project, shelf: &shelf, label, git_branch, again: None };
        let made = self.git.make_checkout(new).await;
        if let Ok(made) = &made {
            unmark(Path::new(&made.folder));
        }
        made
    }

    async fn refusal(&self, folder: &str, with_ignored: bool) -> String {
        match self.git.remove_checkout(&self.repo(), Path::new(folder), with_ignored).await {
            Ok(()) => "removed".to_owned(),
            Err(NotRemoved::Failed(why)) => why,
            Err(NotRemoved::Loses(losses)) => losses.lines(50).join("\n"),
        }
    }

    fn left_in_shelf(&self) -> usize {
        std::fs::read_dir(self.shelf()).map_or(0, Iterator::count)
    }
}

fn gone(made: &MadeCheckout) -> Before<'_> {
    let base = Some(made.base.as_str());
    Before { folder: Path::new(&made.folder), base, git_branch: Some(&made.git_branch) }
}

fn env(home: &Path) -> Vec<(OsString, OsString)> {
    vec![
        ("PATH".into(), "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin".into()),
        ("HOME".into(), home.into()),
        ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
    ]
}

fn write(folder: &Path, file: &str, text: &str) {
    let at = folder.join(file);
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    std::fs::write(at, text).unwrap();
}

#[tokio::test]
async fn a_checkout_is_made_worked_in_and_removed() {
    let bed = Bed::new().await;
    let made = bed.make("Try / a 🙂 thing", None).await.unwrap();
    assert_eq!((made.git_branch.as_str(), made.new_branch), ("try-a-thing", true));
    let folder = Path::new(&made.folder);
    assert!(
        folder.starts_with(std::fs::canonicalize(bed.shelf()).unwrap()) && folder.join("a.txt").is_file()
    );
    write(folder, "a.txt", "one\n2\n");
    write(folder, "c.txt", "c\n");
    bed.run(folder, &["add", "c.txt"]).await;
    write(folder, "d.txt", "d\nd\n");
    let told = bed.refusal(&made.folder, true).await;
    assert_eq!(told, "not committed: a.txt\nnot committed: c.txt\nnot committed: d.txt");
    bed.commit(folder, "all of it").await;
    assert_eq!(bed.refusal(&made.folder, false).await, "removed");
    assert!(!folder.exists());
    assert!(bed.run(&bed.repo(), &["branch", "--list"]).await.contains("try-a-thing"), "the branch stays");
    assert_eq!(bed.run(&bed.repo(), &["status", "--porcelain"]).await, "");
}

#[tokio::test]
async fn names_are_valid_and_unique_whatever_the_label() {
    let bed = Bed::new().await;
    let long = "ㅎ".repeat(10_000);
    for label in ["fix", "Fix", "fix/", "🙂", "", "..", "-x", "a.lock", "@{", "HEAD", &long] {
        let made = bed.make(label, None).await.unwrap();
        let full = format!("refs/heads/{}", made.git_branch);
        bed.run(&bed.repo(), &["check-ref-format", &full]).await;
    }
    let all = bed.run(&bed.repo(), &["branch", "--list", "--format=%(refname:short)"]).await;
    assert!(all.contains("fix-2") && all.contains("fix-3"), "{all}");
    let given = bed.make("x", Some("team/one")).await.unwrap();
    assert!(given.new_branch && given.git_branch == "team/one");
    for (name, part) in [("team", "beside"), ("a b", "cannot be the name"), ("main", "checked out in")] {
        let why = bed.make("x", Some(name)).await.unwrap_err().to_string();
        assert!(why.contains(part), "{why}");
    }
}

#[tokio::test]
async fn two_at_once_take_nothing_from_each_other() {
    let bed = Bed::new().await;
    let other_shelf = bed.base.path().join("other");
    let (repo, shelf) = (bed.repo(), bed.shelf());
    let new = |shelf| NewCheckout { project: &repo, shelf, label: "same", git_branch: None, again: None };
    for round in 0..3 {
        let (one, two) =
            tokio::join!(bed.git.make_checkout(new(&shelf)), bed.git.make_checkout(new(&other_shelf)));
        let made: Vec<MadeCheckout> = [one, two].into_iter().flatten().collect();
        assert!(!made.is_empty(), "one of both comes first");
        for made in made {
            let head = bed.run(Path::new(&made.folder), &["symbolic-ref", "--short", "HEAD"]).await;
            assert_eq!(head, made.git_branch, "round {round}");
            bed.run(&repo, &["rev-parse", "--verify", &made.git_branch]).await;
        }
    }
}

#[tokio::test]
async fn an_existing_branch_is_compared_with_where_it_left() {
    let bed = Bed::new().await;
    let first = bed.run(&bed.repo(), &["rev-parse", "HEAD"]).await;
    bed.run(&bed.repo(), &["switch", "--quiet", "-c", "old"]).await;
    bed.put("old.txt", "x\n");
    bed.commit(&bed.repo(), "on old").await;
    bed.run(&bed.repo(), &["switch", "--quiet", "main"]).await;
    bed.put("main.txt", "x\n");
    bed.commit(&bed.repo(), "on main").await;
    let made = bed.make("x", Some("old")).await.unwrap();
    assert_eq!((made.base.as_str(), made.new_branch), (first.as_str(), false));
    let changes = bed.git.changes(Path::new(&made.folder), Some(&made.base)).await.unwrap();
    assert_eq!(changes.commits, 1);
    assert_eq!(changes.files.iter().map(|file| file.path.shown()).collect::<Vec<_>>(), ["old.txt"]);
}

#[tokio::test]
async fn every_kind_of_change_is_listed_with_its_lines() {
    let bed = Bed::new().await;
    bed.put("moved.txt", &"same line\n".repeat(20));
    bed.put("run.sh", "echo\n");
    bed.put("pic.bin", "a\0b");
    bed.put("gone.txt", "x\n");
    bed.commit(&bed.repo(), "more").await;
    let made = bed.make("changes", None).await.unwrap();
    let folder = Path::new(&made.folder);
    std::fs::rename(folder.join("moved.txt"), folder.join("there.txt")).unwrap();
    bed.commit(folder, "moved").await;
    write(folder, "a.txt", "one\nzwei\nthree\n");
    write(folder, "pic.bin", "a\0c");
    write(folder, "staged.txt", "s\n");
    bed.run(folder, &["add", "staged.txt"]).await;
    std::fs::set_permissions(folder.join("run.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::remove_file(folder.join("gone.txt")).unwrap();
    let odd = OsStr::from_bytes(b"caf\xe9.txt");
    std::fs::write(folder.join(odd), "eins\nzwei").unwrap();
    let changes = bed.git.changes(folder, Some(&made.base)).await.unwrap();
    assert_eq!((changes.commits, changes.git_branch.as_deref()), (1, Some("changes")));
    let get = |name: &str| {
        let found = changes.files.iter().find(|file| file.path.shown() == name);
        found.unwrap_or_else(|| panic!("{name} is not among {:?}", changes.files))
    };
    let moved = get("there.txt");
    assert_eq!(
        (moved.kind, moved.old_path.as_ref().map(GitPath::shown)),
        (ChangeKind::Renamed, Some("moved.txt".into()))
    );
    let a = get("a.txt");
    assert_eq!((a.added, a.removed, a.unstaged, a.staged), (Some(2), Some(1), true, false));
    assert!(get("pic.bin").binary && get("staged.txt").staged);
    assert_eq!(get("run.sh").mode, Some(("100644".into(), "100755".into())));
    assert_eq!(get("gone.txt").kind, ChangeKind::Deleted);
    let untracked = get("caf\\xe9.txt");
    assert_eq!((untracked.kind, untracked.added), (ChangeKind::Untracked, Some(2)));
    let diff = |file| bed.git.file_diff(folder, &made.base, file);
    assert!(diff(a).await.unwrap().text.contains("-two\n+zwei\n+three\n"));
    assert!(diff(get("pic.bin")).await.unwrap().binary);
    assert_eq!(
        diff(untracked).await.unwrap().text,
        "--- /dev/null\n+++ b/caf\\xe9.txt\n@@ -0,0 +1,2 @@\n+eins\n+zwei\n\\ No newline at end of file\n"
    );
    assert!(diff(moved).await.unwrap().text.contains("rename from moved.txt"));
}

#[tokio::test]
async fn a_huge_difference_and_very_many_files_are_cut_and_told() {
    let bed = Bed::new().await;
    let made = bed.make("large", None).await.unwrap();
    let folder = Path::new(&made.folder);
    write(folder, "big.txt", &"a line of the large file\n".repeat(2_000_000));
    write(folder, "wide.txt", &"x".repeat(3_000_000));
    bed.run(folder, &["add", "-A"]).await;
    for number in 0..5_100 {
        write(folder, &format!("many/{number}.txt"), "x\n");
    }
    let changes = bed.git.changes(folder, Some(&made.base)).await.unwrap();
    assert_eq!((changes.files.len(), changes.more_files), (5_000, 102));
    let big = &changes.files[0];
    assert_eq!((big.path.shown().as_str(), big.added), ("big.txt", Some(2_000_000)));
    let diff = bed.git.file_diff(folder, &made.base, big).await.unwrap();
    assert!(diff.cut && diff.text.len() <= 1_000_000 && diff.text.ends_with('\n'));
}

#[tokio::test]
async fn ignored_files_are_named_and_go_only_when_said() {
    let bed = Bed::new().await;
    bed.put(".gitignore", "target/\n*.secret\n");
    bed.commit(&bed.repo(), "ignore").await;
    let made = bed.make("ignored", None).await.unwrap();
    write(Path::new(&made.folder), "target/out", "x");
    write(Path::new(&made.folder), "my.secret", "x");
    assert_eq!(bed.refusal(&made.folder, false).await, "ignored by git: my.secret\nignored by git: target/");
    assert!(Path::new(&made.folder).join("my.secret").is_file());
    assert_eq!(bed.refusal(&made.folder, true).await, "removed");
}

#[tokio::test]
async fn what_is_under_way_locked_loose_or_hidden_stays() {
    let bed = Bed::new().await;
    let made = bed.make("stays", None).await.unwrap();
    let folder = Path::new(&made.folder);
    bed.run(&bed.repo(), &["worktree", "lock", "--reason", "on a stick", &made.folder]).await;
    assert_eq!(
        bed.refusal(&made.folder, true).await,
        "It is locked: on a stick. Run git worktree unlock first"
    );
    bed.run(&bed.repo(), &["worktree", "unlock", &made.folder]).await;

    bed.run(folder, &["update-index", "--assume-unchanged", "a.txt"]).await;
    write(folder, "a.txt", "hidden work\n");
    assert!(bed.refusal(&made.folder, true).await.contains("not to look at a.txt"));
    bed.run(folder, &["update-index", "--no-assume-unchanged", "a.txt"]).await;
    bed.commit(folder, "ours").await;

    bed.put("a.txt", "theirs\n");
    bed.commit(&bed.repo(), "theirs").await;
    let (ok, _) = bed.try_run(folder, &["rebase", "main"]).await;
    assert!(!ok, "the rebase stops at a conflict");
    let told = bed.refusal(&made.folder, true).await;
    assert!(told.contains("A rebase is under way there."), "{told}");
    let changes = bed.git.changes(folder, Some(&made.base)).await.unwrap();
    assert_eq!((changes.operation.as_deref(), changes.git_branch), (Some("rebase"), None));
    assert!(changes.files.iter().any(|file| file.kind == ChangeKind::Conflict), "{:?}", changes.files);
    bed.run(folder, &["rebase", "--abort"]).await;

    bed.run(folder, &["checkout", "--quiet", "--detach"]).await;
    write(folder, "loose.txt", "x\n");
    bed.commit(folder, "loose").await;
    assert!(
        bed.refusal(&made.folder, true)
            .await
            .contains("1 commit is on no branch. Make a git branch first: git branch NAME ")
    );
    bed.run(folder, &["branch", "kept"]).await;
    assert_eq!(bed.refusal(&made.folder, true).await, "removed");
}

#[tokio::test]
async fn submodules_are_never_forced_away() {
    let bed = Bed::new().await;
    let other = bed.base.path().join("other");
    std::fs::create_dir(&other).unwrap();
    bed.run(&other, &["init", "--quiet", "-b", "main"]).await;
    write(&other, "o.txt", "o\n");
    bed.commit(&other, "o").await;
    bed.run(&bed.repo(), &["submodule", "--quiet", "add", other.to_str().unwrap(), "lib"]).await;
    bed.commit(&bed.repo(), "with a submodule").await;
    let made = bed.make("subs", None).await.unwrap();
    assert!(made.notes[0].contains("submodules are not checked out"), "{:?}", made.notes);
    let folder = Path::new(&made.folder);
    bed.run(folder, &["submodule", "--quiet", "update", "--init"]).await;
    write(&folder.join("lib"), "o.txt", "changed\n");
    assert!(bed.refusal(&made.folder, true).await.contains("The submodule lib has changes of its own."));
    let changes = bed.git.changes(folder, Some(&made.base)).await.unwrap();
    assert!(changes.files.iter().any(|file| file.submodule && file.path == "lib".into()), "{changes:?}");
    bed.run(&folder.join("lib"), &["checkout", "--quiet", "-b", "work"]).await;
    bed.commit(&folder.join("lib"), "only here").await;
    bed.run(folder, &["commit", "--quiet", "-am", "lib goes on"]).await;
    let told = bed.refusal(&made.folder, true).await;
    assert!(told.contains("The submodule lib has commits that are on no remote branch."), "{told}");
    bed.run(&folder.join("lib"), &["push", "--quiet", "origin", "work"]).await;
    let told = bed.refusal(&made.folder, true).await;
    assert!(told.contains("only by force, which tunaflow never does"), "{told}");
    assert!(folder.join("lib/o.txt").is_file());
}

#[tokio::test]
async fn commits_that_only_the_checkout_remembers_stay() {
    let bed = Bed::new().await;
    let made = bed.make("steps aside", None).await.unwrap();
    let folder = Path::new(&made.folder);
    bed.run(folder, &["checkout", "--quiet", "--detach"]).await;
    write(folder, "work.txt", "w\n");
    bed.commit(folder, "work").await;
    let hash = bed.run(folder, &["rev-parse", "HEAD"]).await;
    bed.run(folder, &["checkout", "--quiet", &made.git_branch]).await;
    let told = bed.refusal(&made.folder, true).await;
    assert!(told.contains(&format!("git branch NAME {}", hash.get(..10).unwrap())), "{told}");
    bed.run(folder, &["branch", "kept", &hash]).await;
    // A commit that was taken back or put another way is still in the log of its branch, which stays.
    write(folder, "more.txt", "m\n");
    bed.commit(folder, "more").await;
    bed.run(folder, &["commit", "--quiet", "--amend", "-m", "said better"]).await;
    bed.run(folder, &["reset", "--quiet", "--hard", "HEAD~1"]).await;
    bed.run(folder, &["rebase", "--quiet", "kept"]).await;
    assert_eq!(bed.refusal(&made.folder, true).await, "removed");
    assert!(bed.run(&bed.repo(), &["reflog", "steps-aside"]).await.contains("said better"));
}

#[tokio::test]
async fn a_vanished_folder_with_commits_on_no_branch_is_not_forgotten() {
    let bed = Bed::new().await;
    let (repo, shelf) = (bed.repo(), bed.shelf());
    let made = bed.make("loose", None).await.unwrap();
    let folder = Path::new(&made.folder);
    bed.run(folder, &["checkout", "--quiet", "--detach"]).await;
    write(folder, "work.txt", "w\n");
    bed.commit(folder, "work").await;
    let hash = bed.run(folder, &["rev-parse", "HEAD"]).await;
    std::fs::remove_dir_all(folder).unwrap();
    let why = bed.git.forget_checkout(&repo, folder).await.unwrap_err().to_string();
    assert!(why.contains("1 commit is on no branch") && why.contains(hash.get(..10).unwrap()), "{why}");
    let again = Some(gone(&made));
    let new = NewCheckout { project: &repo, shelf: &shelf, label: "x", git_branch: None, again };
    let why = bed.git.make_checkout(new).await.unwrap_err().to_string();
    assert!(why.contains("on no branch"), "{why}");
    bed.run(&repo, &["branch", "kept", &hash]).await;
    bed.git.forget_checkout(&repo, folder).await.unwrap();
}

#[tokio::test]
async fn made_again_a_checkout_is_on_the_branch_it_was_on() {
    let bed = Bed::new().await;
    let (repo, shelf) = (bed.repo(), bed.shelf());
    let made = bed.make("old name", None).await.unwrap();
    write(Path::new(&made.folder), "work.txt", "w\n");
    bed.commit(Path::new(&made.folder), "work").await;
    bed.run(&repo, &["branch", "-m", &made.git_branch, "new-name"]).await;
    std::fs::remove_dir_all(&made.folder).unwrap();
    let again = Some(gone(&made));
    let new = NewCheckout { project: &repo, shelf: &shelf, label: "x", git_branch: None, again };
    let back = bed.git.make_checkout(new).await.unwrap();
    assert_eq!((back.git_branch.as_str(), back.new_branch), ("new-name", false));
    assert!(Path::new(&made.folder).join("work.txt").is_file());
}

#[tokio::test]
async fn a_checkout_that_moved_with_the_data_folder_is_used_as_it_is() {
    let bed = Bed::new().await;
    let repo = bed.repo();
    let made = bed.make("moves", None).await.unwrap();
    write(Path::new(&made.folder), "work.txt", "not committed\n");
    let data = bed.base.path().join("data 데이터");
    let elsewhere = bed.base.path().join("elsewhere");
    std::fs::rename(&data, &elsewhere).unwrap();
    let shelf = elsewhere.join("worktrees/p-1");
    let again = Some(gone(&made));
    let new = NewCheckout { project: &repo, shelf: &shelf, label: "x", git_branch: None, again };
    let back = bed.git.make_checkout(new).await.unwrap();
    let folder = Path::new(&back.folder);
    assert_eq!(std::fs::canonicalize(&shelf).unwrap().join("moves"), folder);
    assert_eq!((&back.git_branch, &back.base), (&made.git_branch, &made.base));
    assert!(folder.join("work.txt").is_file());
    let told = bed.refusal(&back.folder, true).await;
    assert_eq!(told, "not committed: work.txt");
    std::fs::remove_file(folder.join("work.txt")).unwrap();
    assert_eq!(bed.refusal(&back.folder, true).await, "removed");
}

#[tokio::test]
async fn a_folder_that_is_no_checkout_any_more_is_left_alone_with_a_way_out() {
    let bed = Bed::new().await;
    let made = bed.make("plain", None).await.unwrap();
    std::fs::remove_file(Path::new(&made.folder).join(".git")).unwrap();
    let told = bed.refusal(&made.folder, true).await;
    assert!(told.contains("knows the folder") && told.contains("move it away"), "{told}");
    assert!(Path::new(&made.folder).join("a.txt").is_file());
}

#[tokio::test]
async fn where_no_checkout_can_be_made_it_is_said_why() {
    let bed = Bed::empty();
    let plain = bed.base.path().join("plain");
    let fresh = bed.base.path().join("fresh");
    for folder in [&plain, &fresh] {
        std::fs::create_dir(folder).unwrap();
    }
    bed.run(&fresh, &["init", "--quiet", "-b", "main"]).await;
    bed.run(bed.base.path(), &["init", "--quiet", "--bare", "bare.git"]).await;
    for (folder, part) in [
        (&plain, "in no git repository"),
        (&fresh, "has no commit yet"),
        (&bed.base.path().join("bare.git"), "is a bare repository"),
        (&bed.base.path().join("none"), "is gone"),
    ] {
        let why = bed.make_in(folder, "x", None).await.unwrap_err().to_string();
        assert!(why.contains(part), "{why}");
    }
    write(&fresh, "new.txt", "a\nb\n");
    let changes = bed.git.changes(&fresh, None).await.unwrap();
    assert_eq!((changes.head, changes.files[0].added), (None, Some(2)));
    assert_eq!(bed.left_in_shelf(), 0);
}

#[tokio::test]
async fn a_subfolder_and_a_linked_checkout_are_projects_too() {
    let bed = Bed::new().await;
    let made = bed.make_in(&bed.repo().join("sub dir"), "below", None).await.unwrap();
    assert_eq!(made.subfolder, "sub dir");
    assert!(Path::new(&made.folder).join("sub dir/b.txt").is_file());

    write(&bed.repo(), "new/x.txt", "x\n");
    let why = bed.make_in(&bed.repo().join("new"), "uncommitted", None).await.unwrap_err().to_string();
    assert!(why.contains("is in no commit"), "{why}");
    let branches = bed.run(&bed.repo(), &["branch", "--list"]).await;
    assert!(!branches.contains("uncommitted"), "nothing of it stays: {branches}");
    assert_eq!(bed.left_in_shelf(), 1);

    let linked = bed.base.path().join("linked");
    bed.run(&bed.repo(), &["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]).await;
    let from_linked = bed.make_in(&linked, "from linked", None).await.unwrap();
    let told = bed.git.remove_checkout(&linked, Path::new(&from_linked.folder), false).await;
    assert_eq!(told, Ok(()));
}

#[tokio::test]
async fn a_folder_removed_by_hand_is_forgotten_alone_or_made_again() {
    let bed = Bed::new().await;
    let one = bed.make("one", None).await.unwrap();
    let two = bed.make("two", None).await.unwrap();
    write(Path::new(&one.folder), "work.txt", "w\n");
    bed.commit(Path::new(&one.folder), "work").await;
    for made in [&one, &two] {
        std::fs::remove_dir_all(&made.folder).unwrap();
    }
    let shelf = bed.shelf();
    let repo = bed.repo();
    let again = Some(gone(&one));
    let new = NewCheckout { project: &repo, shelf: &shelf, label: "x", git_branch: None, again };
    let back = bed.git.make_checkout(new).await.unwrap();
    assert_eq!((&back.folder, &back.base, back.new_branch), (&one.folder, &one.base, false));
    assert!(Path::new(&one.folder).join("work.txt").is_file());

    let listed = |text: String| text.matches("worktree ").count();
    assert_eq!(listed(bed.run(&repo, &["worktree", "list", "--porcelain"]).await), 3);
    bed.git.forget_checkout(&repo, Path::new(&two.folder)).await.unwrap();
    assert_eq!(listed(bed.run(&repo, &["worktree", "list", "--porcelain"]).await), 2);
    let why = bed.git.forget_checkout(&repo, Path::new(&one.folder)).await.unwrap_err().to_string();
    assert!(why.contains("is still there"), "{why}");
}

#[tokio::test]
async fn a_data_folder_inside_the_project_or_not_writable_is_refused() {
    let bed = Bed::new().await;
    let repo = bed.repo();
    let inside = repo.join(".data/worktrees/p-1");
    let new = NewCheckout { project: &repo, shelf: &inside, label: "x", git_branch: None, again: None };
    let why = bed.git.make_checkout(new).await.unwrap_err().to_string();
    assert!(why.contains("lies inside the repository"), "{why}");

    let file = bed.base.path().join("file");
    std::fs::write(&file, "").unwrap();
    let below = file.join("worktrees");
    let new = NewCheckout { project: &repo, shelf: &below, label: "x", git_branch: None, again: None };
    let why = bed.git.make_checkout(new).await.unwrap_err().to_string();
    assert!(why.contains("cannot be made"), "{why}");
    assert!(!bed.run(&repo, &["branch", "--list"]).await.contains('x'));
}

#[tokio::test]
async fn what_was_never_kept_is_cleared_only_when_clean() {
    let bed = Bed::new().await;
    let (shelf, repo) = (bed.shelf(), bed.repo());
    let new = |label| NewCheckout { project: &repo, shelf: &shelf, label, git_branch: None, again: None };
    let clean = bed.git.make_checkout(new("clean")).await.unwrap();
    let dirty = bed.git.make_checkout(new("dirty")).await.unwrap();
    let kept = bed.git.make_checkout(new("kept")).await.unwrap();
    write(Path::new(&dirty.folder), "work.txt", "w\n");
    let shelves = shelf.parent().unwrap();
    let (removed, stay) = bed.git.clear_left(shelves, &[PathBuf::from(&kept.folder)]).await;
    assert_eq!(removed, [clean.folder.as_str()]);
    assert!(stay.len() == 1 && stay[0].contains("not committed: work.txt"), "{stay:?}");
    assert!(!Path::new(&clean.folder).exists() && Path::new(&dirty.folder).join("work.txt").is_file());
    assert!(!bed.run(&repo, &["branch", "--list"]).await.contains("clean"));
    let (removed, stay) = bed.git.clear_left(shelves, &[]).await;
    assert_eq!((removed.len(), stay.len()), (0, 1), "the kept one has no mark any more");
    assert!(Path::new(&kept.folder).is_dir());
}

#[tokio::test]
async fn what_changed_in_the_main_folder_is_told() {
    let bed = Bed::new().await;
    bed.put("dirty.txt", "1\n");
    let before = bed.git.fingerprint(&bed.repo()).await.unwrap();
    assert_eq!(before.changed_to(&bed.git.fingerprint(&bed.repo()).await.unwrap()), Vec::<String>::new());
    bed.put("dirty.txt", "1 and more\n");
    bed.put("a.txt", "changed\n");
    bed.put("new 파일.txt", "x\n");
    let after = bed.git.fingerprint(&bed.repo().join("sub dir")).await.unwrap();
    assert_eq!(before.changed_to(&after), ["a.txt", "dirty.txt", "new 파일.txt"]);
    bed.commit(&bed.repo(), "second").await;
    let told = before.changed_to(&bed.git.fingerprint(&bed.repo()).await.unwrap());
    assert!(told[0].starts_with("the commit checked out"), "{told:?}");
}
