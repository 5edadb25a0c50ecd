//! What a project keeps, made and read by the program itself.

#[cfg(unix)]
mod checkouts;

use serde_json::{Value, json};

use crate::cli::{Ran, Shell, read_until};

impl Shell {
    /// The one object a command writes.
    fn row(&self, args: &[&str]) -> Value {
        let rows = self.rows(args);
        assert_eq!(rows.len(), 1, "{args:?}: {rows:?}");
        rows[0].clone()
    }

    fn rows(&self, args: &[&str]) -> Vec<Value> {
        self.run(&[args, &["--json"]].concat()).ok().lines()
    }

    fn id(&self, args: &[&str]) -> String {
        self.row(args)["id"].as_i64().unwrap().to_string()
    }

    /// A conversation with one turn.
    fn talk(&self) -> String {
        self.run(&["send", "--engine", "demo", "hello"]).ok();
        self.newest_conversation()
    }

    fn refused(&self, args: &[&str], words: &str) {
        let Ran { code, out, err } = self.run(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.lines().count() == 1 && err.contains(words), "{args:?}: {err}");
    }
}

fn section<'a>(pack: &'a Value, id: &str) -> Option<&'a Value> {
    pack["sections"].as_array().unwrap().iter().find(|section| section["id"] == id)
}

#[test]
fn a_plan_is_made_changed_and_written_out() {
    let shell = Shell::new();
    let document = shell.home.path().join("문서.md");
    std::fs::write(&document, "# Own words\n\n가나다\n").unwrap();
    let made = shell.row(&[
        "plan",
        "add",
        "--title",
        "한글\n제목",
        "--description",
        "first\nsecond",
        "--outcome",
        "It works.",
        "--step",
        "Read: the old code",
        "--step",
        "Write it\nwith tests",
        "--constraint",
        "no network",
        "--constraint",
        "no new crate",
        "--non-goal",
        "speed",
        "--document",
        document.to_str().unwrap(),
    ]);
    assert_eq!((&made["title"], &made["phase"]), (&"한글 제목".into(), &"drafting".into()));
    assert_eq!((&made["version"], &made["active"]), (&1.into(), &false.into()));
    assert_eq!(made["constraints"], json!(["no network", "no new crate"]));
    let todo = |number: u32, title: &str, details: &str| json!({ "number": number, "title": title, "details": details, "after": [], "state": "todo" });
    assert_eq!(made["steps"], json!([todo(1, "Read", "the old code"), todo(2, "Write it", "with tests")]));
    let id = made["id"].as_i64().unwrap().to_string();
    let edited = shell.row(&[
        "plan",
        "edit",
        &id,
        "--phase",
        "review",
        "--step",
        "Third",
        "--non-goal",
        "",
        "--title",
        "New",
    ]);
    assert_eq!((&edited["title"], &edited["version"]), (&"New".into(), &2.into()));
    assert_eq!((edited["steps"].as_array().unwrap().len(), &edited["non_goals"]), (3, &json!([])));
    assert_eq!(edited["description"], "first\nsecond", "what is not named stays");
    shell.row(&["plan", "step", &id, "1", "done"]);
    shell.row(&["plan", "step", &id, "2", "in-progress", "--after", "3,1"]);
    let whole = shell.row(&["plan", "show", &id]);
    assert_eq!(whole["document"], "# Own words\n\n가나다\n");
    assert_eq!((&whole["steps"][1]["after"], &whole["steps_done"]), (&json!([1, 3]), &1.into()));
    let text = shell.run(&["plan", "export", &id]).ok().out;
    for words in [
        "# New\n\nPhase: Review\n",
        "- [x] 1. Read\n  the old code\n- [ ] 2. Write it — in progress (after 1, 3)\n",
        "## Constraints\n\n- no network\n- no new crate\n",
        "## Document\n\n# Own words\n\n가나다\n",
    ] {
        assert!(text.contains(words), "{words:?} in {text}");
    }
    // The same again is no change.
    assert_eq!(shell.row(&["plan", "edit", &id, "--title", "New"])["version"], whole["version"]);
    assert!(shell.run(&["plan", "list"]).ok().out.contains("New"));
    assert_eq!(shell.run(&["plan", "remove", &id]).ok().out, "");
    assert!(shell.rows(&["plan", "list"]).is_empty());
}

#[test]
fn a_followed_plan_is_told_in_its_conversation() {
    let shell = Shell::new();
    let talk = shell.talk();
    let ask = ["context", "--conversation", &talk, "what next"];
    let before = shell.row(&ask);
    assert_eq!((&before["mode"], &before["mode_reason"]), (&"lite".into(), &"default".into()));
    let first = shell.id(&["plan", "add", "--title", "First", "--conversation", &talk, "--use"]);
    let second = shell.id(&["plan", "add", "--title", "Second plan", "--step", "Begin"]);
    shell.refused(&["plan", "use", &second], "linked to no conversation");
    let used = shell.row(&["plan", "use", &second, "--conversation", &talk]);
    assert_eq!((&used["active"], &used["conversation"].to_string()), (&true.into(), &talk));
    assert_eq!(shell.row(&["plan", "show", &first])["active"], false, "one is followed at a time");
    let with = shell.row(&ask);
    assert_eq!((&with["mode"], &with["mode_reason"]), (&"standard".into(), &"has-plan".into()));
    let plan = section(&with, "plan").unwrap();
    assert!(plan["text"].as_str().unwrap().contains("Second plan"), "{plan}");
    assert_eq!(plan["source_ids"], json!([second.parse::<i64>().unwrap()]));
    shell.row(&["plan", "unuse", &second]);
    assert_eq!(shell.row(&ask)["mode_reason"], "default");
}

#[test]
fn findings_agreements_and_artifacts_are_told_until_they_are_settled() {
    let shell = Shell::new();
    let talk = shell.talk();
    let plan = shell.id(&["plan", "add", "--title", "P", "--step", "One"]);
    let finding = shell.row(&[
        "finding",
        "add",
        "--severity",
        "critical",
        "--file",
        "./src/a.rs",
        "--line",
        "7",
        "--plan",
        &plan,
        "--step",
        "1",
        "두 번 읽는다",
    ]);
    assert_eq!(
        (&finding["file"], &finding["line"], &finding["step"]),
        (&"src/a.rs".into(), &7.into(), &1.into())
    );
    let id = finding["id"].as_i64().unwrap().to_string();
    let agreement = shell.id(&["agreement", "add", "We keep the old format.", "--conversation", &talk]);
    let text = "x\n".repeat(300);
    let ran = shell
        .run_with(&["artifact", "add", "--title", "Design", "--pin", "--json", "-"], text.as_bytes())
        .ok();
    let artifact = ran.lines()[0]["id"].as_i64().unwrap().to_string();
    assert_eq!(shell.run(&["artifact", "show", &artifact]).ok().out, text);
    let ask = ["context", "--conversation", &talk, "--mode", "full", "what about src/a.rs"];
    let pack = shell.row(&ask);
    for (section_id, words) in
        [("findings", "두 번 읽는다"), ("agreements", "We keep the old format."), ("artifacts", "Design")]
    {
        let told = section(&pack, section_id).unwrap();
        assert!(told["text"].as_str().unwrap().contains(words), "{told}");
        for field in ["chars", "estimated_tokens", "budget_chars", "want_chars"] {
            assert!(told[field].is_u64(), "{field}");
        }
    }
    let settled = shell.row(&["finding", "settle", &id, "--resolution", "read once"]);
    assert_eq!((&settled["state"], &settled["resolution"]), (&"settled".into(), &"read once".into()));
    assert!(shell.rows(&["finding", "list", "--open"]).is_empty());
    assert_eq!(shell.row(&["finding", "list", "--plan", &plan])["state"], "settled");
    assert_eq!(shell.row(&["finding", "reopen", &id])["resolution"], "");
    assert_eq!(shell.row(&["artifact", "unpin", &artifact])["pinned"], false);
    for (group, id) in [("finding", &id), ("agreement", &agreement), ("artifact", &artifact)] {
        assert!(shell.run(&[group, "list"]).ok().out.contains(id.as_str()));
        shell.run(&[group, "remove", id]).ok();
        assert!(shell.rows(&[group, "list"]).is_empty(), "{group}");
    }
}

#[test]
fn a_branch_is_made_talked_in_adopted_and_taken_back() {
    let shell = Shell::new();
    let talk = shell.talk();
    let messages = shell.messages(&talk);
    let at = messages[0]["id"].as_i64().unwrap().to_string();
    let made = shell.row(&["branch", "add", &talk, "--at", &at, "--label", "JWT 대신\nPKCE"]);
    assert_eq!((made["label"].as_str(), made["status"].as_str()), (Some("JWT 대신 PKCE"), Some("active")));
    assert_eq!(made["checkpoint"].as_i64().unwrap().to_string(), at);
    let branch = made["id"].as_i64().unwrap().to_string();
    shell.run(&["send", "--engine", "demo", "--conversation", &branch, "and here?"]).ok();
    let pack = shell.row(&["context", "--conversation", &branch, "next"]);
    let thread = section(&pack, "thread-inheritance").unwrap()["text"].as_str().unwrap();
    assert!(thread.contains("hello") && !thread.contains("This is the demo engine"), "{thread}");
    assert_eq!(shell.messages(&talk), messages, "the parent is as it was");

    let adopted = shell.row(&["branch", "adopt", &branch, "PKCE, because of the CLI."]);
    assert_eq!((adopted["status"].as_str(), adopted["messages"].as_i64()), (Some("adopted"), Some(2)));
    let told = shell.messages(&talk);
    assert_eq!(told.len(), messages.len() + 1);
    assert!(told.last().unwrap()["text"].as_str().unwrap().starts_with("PKCE, because of the CLI."));
    assert_eq!(shell.rows(&["agreement", "list"]).len(), 1);
    shell.refused(&["branch", "adopt", &branch, "again"], "has been adopted already");
    let back = shell.row(&["branch", "undo", &branch]);
    assert_eq!(back["status"], "active");
    assert_eq!((shell.messages(&talk), shell.rows(&["agreement", "list"]).len()), (messages, 0));

    let last = shell.row(&["branch", "adopt", &branch, "--last"]);
    assert_eq!(last["status"], "adopted");
    let gone_on = shell.row(&["branch", "add", &branch, "--label", "below"]);
    shell.run(&["branch", "remove", &branch]).ok();
    assert!(shell.rows(&["branch", "list"]).is_empty(), "{gone_on}");
}

#[test]
fn what_a_branch_cannot_be_is_refused() {
    let shell = Shell::new();
    let talk = shell.talk();
    shell.refused(&["branch", "add", "999"], "no conversation 999");
    shell.refused(&["branch", "add", &talk, "--at", "99999"], "no message 99999");
    shell.refused(&["branch", "adopt", &talk, "x"], "no branch");
    shell.refused(&["branch", "git", &talk, "x"], "no branch");
    let branch = shell.id(&["branch", "add", &talk]);
    shell.refused(&["branch", "adopt", &branch, "--last"], "No agent has said anything");
    shell.refused(&["branch", "adopt", &branch, " "], "no text");
    shell.refused(&["branch", "undo", &branch], "has not been adopted");
    shell.refused(&["branch", "git", &branch, "a\u{7}b"], "cannot be the name");
}

#[test]
fn conversations_are_linked_and_parted() {
    let shell = Shell::new();
    let (one, two) = (shell.talk(), shell.talk());
    let link = shell.row(&["link", "add", &one, &two]);
    assert_eq!((link["conversation"].to_string(), link["linked"].to_string()), (one.clone(), two.clone()));
    assert_eq!(shell.rows(&["link", "add", &one, &two]).len(), 1, "twice is once");
    assert_eq!(shell.rows(&["link", "list"]).len(), 1);
    assert_eq!(shell.rows(&["link", "list", "--conversation", &two]).len(), 0);
    let pack = shell.row(&["context", "--conversation", &one, "--mode", "full", "x"]);
    assert!(section(&pack, "cross-session").is_some(), "{pack}");
    shell.refused(&["link", "add", &one, &one], "linked to itself");
    shell.refused(&["link", "add", &one, "999"], "no conversation 999");
    shell.refused(&["link", "remove", &two, &one], "is not linked to");
    shell.run(&["link", "remove", &one, &two]).ok();
    assert!(shell.rows(&["link", "list"]).is_empty());
}

#[test]
fn skills_are_listed_and_switched() {
    let shell = Shell::new();
    let talk = shell.talk();
    for (folder, head) in [
        (
            "project/.claude/skills/axum",
            "---\nname: Axum\ndescription: Web servers.\n---\n\n# Use\n\nRouters first.\n",
        ),
        (".claude/skills/sql", "---\nname: sql\ndescription: Queries.\n---\n\nJoin.\n"),
    ] {
        let folder = shell.home.path().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("SKILL.md"), head).unwrap();
    }
    let list = |args: &[&str]| -> Vec<(String, bool)> {
        let rows = shell.rows(&[&["skill", "list"], args].concat());
        rows.iter().map(|row| (row["name"].as_str().unwrap().to_owned(), row["on"] == true)).collect()
    };
    assert_eq!(list(&[]), [("Axum".to_owned(), false), ("sql".to_owned(), false)]);
    let on = shell.row(&["skill", "on", "axum"]);
    assert_eq!((&on["name"], &on["on"], &on["origin"]), (&"Axum".into(), &true.into(), &"project".into()));
    assert_eq!(on["description"], "Web servers.");
    let here = ["--conversation", talk.as_str()];
    assert_eq!(list(&here), [("Axum".to_owned(), true), ("sql".to_owned(), false)]);
    let pack = shell.row(&["context", "--conversation", &talk, "--mode", "full", "use routers of axum"]);
    assert!(section(&pack, "skills").is_some(), "{pack}");
    shell.row(&["skill", "off", "AXUM", "--conversation", &talk]);
    assert_eq!((list(&here)[0].1, list(&[])[0].1), (false, true));
    shell.row(&["skill", "default", "Axum", "--conversation", &talk]);
    assert!(list(&here)[0].1);
    shell.refused(&["skill", "on", "nothing"], "no such skill. Known are Axum, sql.");
    shell.refused(&["skill", "on", "Axum", "--conversation", "999"], "no conversation 999");
    // A switch outlives its skill, and can still be dropped.
    std::fs::remove_dir_all(shell.project().join(".claude")).unwrap();
    let gone = &shell.rows(&["skill", "list"])[1];
    assert_eq!((&gone["name"], &gone["origin"], &gone["on"]), (&"Axum".into(), &Value::Null, &true.into()));
    shell.row(&["skill", "default", "axum"]);
    assert_eq!(list(&[]), [("sql".to_owned(), false)]);
}

#[test]
fn roles_personas_and_profiles_have_names() {
    let shell = Shell::new();
    let roles = shell.project().join(".tunaflow/roles");
    std::fs::create_dir_all(&roles).unwrap();
    std::fs::write(roles.join("Gardener.md"), "Weeds.").unwrap();
    shell.run(&["project", "add", "."]).ok();
    let names: Vec<Value> = shell.rows(&["role", "list"]).iter().map(|row| row["name"].clone()).collect();
    assert!(names.contains(&"Gardener".into()) && names.contains(&"Reviewer".into()), "{names:?}");
    assert!(!shell.rows(&["persona", "list"]).is_empty());
    let made = shell.row(&[
        "profile", "add", "Strict", "--engine", "demo", "--role", "Reviewer", "--mode", "full", "--supply",
        "pull",
    ]);
    assert_eq!(
        (&made["engine"], &made["mode"], &made["supply"]),
        (&"demo".into(), &"full".into(), &"pull".into())
    );
    assert_eq!(shell.row(&["profile", "list"]), made);
    shell.refused(&["profile", "add", "strict", "--engine", "demo"], "already a profile");
    shell.refused(&["profile", "add", "a\nb", "--engine", "demo"], "one line");
    shell.refused(&["profile", "add", "Other", "--engine", "nobody"], "no such engine");
    shell.run(&["profile", "remove", "STRICT"]).ok();
    shell.refused(&["profile", "remove", "Strict"], "no such profile");
}

#[test]
fn texts_of_a_projects_own_are_made_and_never_replaced() {
    let shell = Shell::new();
    let made = shell.row(&["role", "add", "Gardener"]);
    assert_eq!((made["kind"].as_str(), made["name"].as_str()), (Some("role"), Some("Gardener")));
    let names: Vec<Value> = shell.rows(&["role", "list"]).iter().map(|row| row["name"].clone()).collect();
    assert!(names.contains(&json!("Gardener")), "{names:?}");
    let ran = shell.run_with(&["skill", "add", "Axum Rules", "-"], "# Axum\n\n상태는 State 로.".as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let skills = shell.rows(&["skill", "list"]);
    assert!(
        skills.iter().any(|row| row["name"] == "axum-rules" && row["description"] == "Axum"),
        "{skills:?}"
    );
    shell.run(&["skill", "on", "axum-rules"]).ok();
    let pack = shell.row(&["context", "--mode", "full", "axum 상태"]);
    assert!(section(&pack, "skills").unwrap()["text"].as_str().unwrap().contains("상태는 State 로."));
    shell.refused(&["role", "add", "Gardener"], "is there already");
    shell.refused(&["persona", "add", "../up"], "is named by");
}

#[test]
fn what_cannot_be_kept_is_refused_in_one_line_and_nothing_is_lost() {
    let shell = Shell::new();
    shell.refused(&["plan", "list"], "no such project");
    shell.refused(&["--project", "/no/such", "plan", "add", "--title", "x"], "/no/such");
    let plan = shell.id(&["plan", "add", "--title", "가".repeat(300).as_str(), "--step", "One"]);
    let before = shell.row(&["plan", "show", &plan]);
    let big = shell.home.path().join("big.md");
    std::fs::write(&big, "x".repeat(2_000_000)).unwrap();
    let odd = shell.home.path().join("odd.md");
    std::fs::write(&odd, [b'a', 0xff]).unwrap();
    let (big, odd) = (big.to_str().unwrap(), odd.to_str().unwrap());
    for (args, words) in [
        (&["plan", "add", "--title", " \n "][..], "The title is empty"),
        (&["plan", "add", "--title", "가".repeat(301).as_str()], "301 characters; 300 is the most"),
        (&["plan", "add", "--title", "x", "--conversation", "999"], "no conversation 999"),
        (&["plan", "edit", &plan, "--title", ""], "The title is empty"),
        (&["plan", "edit", &plan, "--document", big], "2000000 characters; 1000000 is the most"),
        (&["plan", "edit", &plan, "--document", odd], "not UTF-8"),
        (&["plan", "edit", &plan, "--document", "missing.md"], "missing.md cannot be read"),
        (&["plan", "edit", &plan, "--document", "."], "is a folder"),
        (&["plan", "edit", &plan], "nothing to change"),
        (&["plan", "edit", "999", "--title", "x"], "There is no plan 999"),
        (&["plan", "show", "x"], "x is not the number of a plan"),
        (&["plan", "step", &plan, "2", "done"], "has no step 2"),
        (&["plan", "step", &plan, "1", "maybe"], "none of todo, in-progress, done, dropped"),
        (&["plan", "step", &plan, "1", "--after", "1"], "depends on itself"),
        (&["plan", "step", &plan, "1", "--after", "9"], "step 9, which is not there"),
        (&["plan", "use", &plan, "--conversation", "999"], "no conversation 999"),
        (&["plan", "remove", "999"], "There is no plan 999"),
        (&["finding", "add", "--plan", "999", "x"], "There is no plan 999"),
        (&["finding", "add", "--plan", &plan, "--step", "4", "x"], "has no step 4"),
        (&["finding", "add", "--file", "/etc/passwd", "x"], "outside of the project"),
        (&["finding", "settle", &plan], "There is no finding"),
        (&["agreement", "remove", &plan], "There is no agreement"),
        (&["artifact", "add", "--title", "x", big], "2000000 characters; 1000000 is the most"),
        (&["artifact", "show", &plan], "There is no artifact"),
        (
            &["context", "--engine", "demo", "--compare", "nobody", "x"],
            "--compare nobody: there is no such engine",
        ),
    ] {
        shell.refused(args, words);
    }
    assert_eq!(shell.row(&["plan", "show", &plan]), before);
    assert_eq!(shell.rows(&["plan", "list"]).len(), 1);
    // Two megabytes of letters that take three bytes each are within the limit, which counts characters.
    let korean = shell.home.path().join("ko.md");
    std::fs::write(&korean, "글".repeat(700_000)).unwrap();
    let edited = shell.row(&["plan", "edit", &plan, "--document", korean.to_str().unwrap()]);
    assert_eq!(edited["document_chars"], 700_000);
    assert_eq!(shell.row(&["plan", "edit", &plan, "--document", ""])["document_chars"], 0);
}

#[test]
fn beside_a_program_that_holds_the_folder_rows_are_read_and_not_written() {
    let shell = Shell::new();
    let plan = shell.id(&["plan", "add", "--title", "P"]);
    let engine = shell.script("{\"text\":\"first words\"}\n{\"hang\":true}\n");
    let mut child = shell.spawn(&["send", "--engine", &engine, "x"]);
    let mut out = child.stdout.take().unwrap();
    read_until(&mut out, "first words");
    assert_eq!(shell.row(&["plan", "show", &plan])["title"], "P");
    assert!(shell.rows(&["skill", "list"]).is_empty());
    for args in [
        &["plan", "edit", &plan, "--title", "Q"][..],
        &["agreement", "add", "x"],
        &["link", "add", "1", "2"],
        &["skill", "off", "x"],
        &["profile", "add", "x", "--engine", "demo"],
    ] {
        let ran = shell.run(args);
        assert_eq!((ran.code, ran.err.contains("already running")), (5, true), "{args:?}: {}", ran.err);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(shell.row(&["plan", "show", &plan])["title"], "P");
}

#[test]
fn the_exact_text_and_the_difference_to_another_engine() {
    let shell = Shell::new();
    let engine = shell.script("{\"echo\":true}\n");
    let ask = ["context", "--engine", "demo", "--role", "Reviewer", "무엇"];
    let pack = shell.row(&ask);
    let texts: Vec<&str> = pack["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| section["text"].as_str().unwrap())
        .collect();
    let bare = shell.run(&[&ask[..], &["--text"]].concat()).ok().out;
    assert_eq!(bare.trim_end_matches('\n'), texts.join("\n\n").trim_end_matches('\n'));
    let compared = shell.row(&[&ask[..], &["--compare", &engine]].concat());
    assert_eq!(compared["differing"], json!(["identity"]));
    assert_eq!(compared["same_but_identity"], true);
    assert_eq!((&compared["left"]["engine"], &compared["right"]["engine"]), (&"demo".into(), &json!(engine)));
    let shown = shell.run(&[&ask[..], &["--compare", "demo"]].concat()).ok().out;
    assert!(shown.contains("differing: nothing"), "{shown}");
}

/// What the command told to be kept must be.
#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_what_was_there_stays() {
    let shell = Shell::new();
    let plan = shell.id(&["plan", "add", "--title", "P"]);
    let before = shell.row(&["plan", "show", &plan]);
    let document = shell.home.path().join("long.md");
    std::fs::write(&document, "x".repeat(900_000)).unwrap();
    let command = shell.command(&["plan", "edit", &plan, "--document", document.to_str().unwrap()]);
    // Files may not grow beyond 500 KB, as on a disk without room.
    let limited = "trap '' XFSZ; ulimit -f 500; exec \"$0\" \"$@\"";
    let ran: Ran = shell.within("/bin/bash", &["-c", limited], &command).output().unwrap().into();
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(ran.err.contains("tunaflow: "), "{}", ran.err);
    assert_eq!(shell.row(&["plan", "show", &plan]), before);
    shell.row(&["plan", "edit", &plan, "--document", document.to_str().unwrap()]);
}

#[cfg(unix)]
#[test]
fn a_branch_gets_a_checkout_and_its_changes_are_told() {
    let shell = Shell::new();
    let project = shell.project();
    let git = |folder: &std::path::Path, args: &[&str]| {
        let mut command = shell_git(shell.home.path());
        let ran = command.args(args).current_dir(folder).output().expect("these tests need the program git");
        assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    };
    let talk = shell.talk();
    let branch = shell.id(&["branch", "add", &talk, "--label", "Try it"]);
    shell.refused(&["branch", "worktree", "add", &branch], "in no git repository");
    git(&project, &["init", "--quiet", "-b", "main"]);
    shell.refused(&["branch", "worktree", "add", &branch], "has no commit yet");
    std::fs::write(project.join("a.txt"), "one\n").unwrap();
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "--quiet", "-m", "first"]);
    let made = shell.row(&["branch", "worktree", "add", &branch]);
    assert_eq!(made["git_branch"], "try-it");
    let folder = std::path::PathBuf::from(made["worktree"].as_str().unwrap());
    shell.refused(&["branch", "worktree", "add", &branch], "has a checkout already");
    std::fs::write(folder.join("b.txt"), "two\n").unwrap();
    let rows = shell.rows(&["branch", "changes", &branch]);
    assert_eq!(
        (&rows[0]["files"], &rows[1]["path"], &rows[1]["added"]),
        (&json!(1), &json!("b.txt"), &json!(1))
    );
    let text = shell.run(&["branch", "changes", &branch, "--diff", "b.txt"]).ok().out;
    assert!(text.contains("+++ b/b.txt\n@@ -0,0 +1,1 @@\n+two\n"), "{text}");
    shell.refused(&["branch", "worktree", "remove", &branch], "not committed: b.txt");
    std::fs::remove_file(folder.join("b.txt")).unwrap();
    let gone = shell.row(&["branch", "worktree", "remove", &branch]);
    assert!(gone["worktree"].is_null() && gone["git_branch"] == "try-it" && !folder.exists());
    shell.refused(&["branch", "worktree", "forget", &branch], "no checkout of its own");
}

#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the test's own repository")]
fn shell_git(home: &std::path::Path) -> std::process::Command {
    let mut command = std::process::Command::new("git");
    command.args(["-c", "user.name=T", "-c", "user.email=t@example.invalid"]);
    command.env_clear().env("PATH", "/usr/bin:/bin:/usr/local/bin:/opt/homebrew/bin");
    command.env("HOME", home).env("GIT_CONFIG_NOSYSTEM", "1");
    command
}
