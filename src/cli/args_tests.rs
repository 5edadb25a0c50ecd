use super::*;
use crate::cli::args::known::{Known, PlanChange, PlanWish};
use crate::model::id::PlanId;

fn read(line: &[&str]) -> Result<Invocation, UsageError> {
    parse(line.iter().map(OsString::from))
}

fn wish(line: &[&str]) -> Wish {
    read(line).unwrap().wish
}

fn ask(line: &[&str]) -> Ask {
    match wish(line) {
        Wish::Send(ask) => *ask,
        Wish::Context(look) => look.ask,
        other => panic!("{other:?}"),
    }
}

#[test]
fn commands_are_told_apart() {
    for (line, expected) in [
        (vec![], Wish::Window),
        (vec!["help"], Wish::Help),
        (vec!["send", "--help"], Wish::Help),
        (vec!["-V"], Wish::Version),
        (vec!["version"], Wish::Version),
        (vec!["doctor"], Wish::Doctor),
        (vec!["project", "add", "a b/한글"], Wish::ProjectAdd("a b/한글".into())),
        (vec!["project", "list"], Wish::ProjectList),
        (vec!["project", "remove", "7"], Wish::ProjectRemove(ProjectWord::Id(ProjectId(7)))),
        (vec!["project", "remove", "./7"], Wish::ProjectRemove(ProjectWord::Path("./7".into()))),
        (vec!["conversations"], Wish::Conversations),
        (vec!["settings", "get"], Wish::SettingsGet(None)),
        (vec!["settings", "get", "theme"], Wish::SettingsGet(Some("theme".into()))),
        (
            vec!["settings", "set", "theme", "dark"],
            Wish::SettingsSet { name: "theme".into(), value: "dark".into() },
        ),
        (vec!["bench", "--x", "-"], Wish::Bench(vec!["--x".into(), "-".into()])),
    ] {
        assert_eq!(wish(&line), expected, "{line:?}");
    }
}

#[test]
fn common_options_stand_anywhere() {
    for line in [
        ["--data-dir", "/d", "--project", "/p", "--json", "doctor"],
        ["doctor", "--json", "--project", "/p", "--data-dir", "/d"],
    ] {
        let read = read(&line).unwrap();
        assert_eq!((read.data_dir, read.project), (Some("/d".into()), Some("/p".into())));
        assert!(read.json && read.wish == Wish::Doctor);
    }
    let window = read(&["--project=/p"]).unwrap();
    assert_eq!((window.project, window.wish), (Some("/p".into()), Wish::Window));
}

#[test]
fn send_takes_its_options() {
    let asked = ask(&[
        "send",
        "--conversation",
        "12",
        "--engine=script:a=b",
        "--model",
        "m",
        "--role",
        "Architect",
        "--mode",
        "FULL",
        "--budget",
        "20000",
        "--permissions",
        "allow",
        "안녕 👋",
    ]);
    let expected = Ask {
        conversation: Some(ConversationId(12)),
        engine: Some("script:a=b".into()),
        model: Some("m".into()),
        role: Some("Architect".into()),
        profile: None,
        mode: Some(Mode::Full),
        budget_chars: Some(20_000),
        permissions: Permissions::Allow,
        text: TextFrom::Given("안녕 👋".into()),
    };
    assert_eq!(asked, expected);
    assert_eq!(ask(&["context", "--profile", "Reviewer"]).profile.as_deref(), Some("Reviewer"));
}

#[test]
fn the_text_is_given_or_read() {
    for (line, text) in [
        (vec!["send"], TextFrom::Unsaid),
        (vec!["send", "-"], TextFrom::Stdin),
        (vec!["send", "--", "--help"], TextFrom::Given("--help".into())),
        (vec!["send", ""], TextFrom::Given(String::new())),
        (vec!["send", "bench"], TextFrom::Given("bench".into())),
    ] {
        assert_eq!(ask(&line).text, text, "{line:?}");
    }
}

#[test]
fn a_wrong_argument_is_named_with_the_usage() {
    for (line, words) in [
        (vec!["--nope"], "unknown argument --nope (usage: tunaflow ["),
        (vec!["send", "--nope", "x"], "unknown argument --nope (usage: tunaflow send"),
        (vec!["sned", "x"], "unknown command sned"),
        (vec!["project"], "project needs one of add, list, remove"),
        (vec!["project", "ad", "x"], "unknown command project ad"),
        (vec!["project", "add"], "PATH is missing"),
        (vec!["doctor", "x"], "unexpected argument x"),
        (vec!["send", "a", "b"], "unexpected argument b; put the text in quotes"),
        (vec!["doctor", "--engine", "demo"], "--engine is not an option of doctor"),
        (vec!["context", "--permissions", "deny", "x"], "--permissions is not an option of context"),
        (vec!["send", "--engine"], "--engine needs a value"),
        (vec!["send", "--engine", ""], "--engine is empty"),
        (vec!["send", "--engine", "a", "--engine", "b"], "--engine is given twice"),
        (vec!["send", "--mode", "huge"], "--mode huge is none of"),
        (vec!["send", "--budget", "5"], "--budget 5 is not a number of characters from 20000 to 400000"),
        (vec!["send", "--budget", "abc"], "--budget abc"),
        (vec!["send", "--permissions", "maybe"], "--permissions maybe"),
        (vec!["send", "--role", "a", "--profile", "b"], "give one of"),
        (vec!["messages"], "ID is missing"),
        (vec!["messages", "x"], "x is not the number of a conversation"),
        (vec!["messages", "0"], "0 is not the number"),
        (vec!["export", "1"], "--format is missing"),
        (vec!["export", "1", "--format", "pdf"], "--format pdf is neither md nor json"),
        (vec!["context", "--text", "--compare", "demo"], "--text and --compare do not go together"),
        (vec!["plan"], "plan needs one of list, show, export, add, edit, step, use, unuse, remove"),
        (vec!["plan", "add"], "--title is missing"),
        (vec!["plan", "add", "--title", "a", "--title", "b"], "--title is given twice"),
        (vec!["plan", "add", "--title", "a", "--use"], "--use needs --conversation"),
        (vec!["plan", "add", "--title", "a", "--phase", "x"], "--phase x is none of drafting, approval"),
        (vec!["plan", "step", "1", "0", "done"], "0 is not the number of a step"),
        (vec!["plan", "step", "1", "1"], "a state is missing"),
        (vec!["plan", "step", "1", "1", "--after", "1,x"], "x is not the number of a step"),
        (vec!["plan", "show", "-5"], "unknown argument -5"),
        (vec!["finding", "add", "--line", "3", "x"], "--line needs --file"),
        (vec!["finding", "add", "--step", "3", "x"], "--step needs --plan"),
        (vec!["finding", "add", "--severity", "bad", "x"], "none of minor, major, critical"),
        (vec!["finding", "settle"], "FINDING is missing"),
        (vec!["agreement", "add", "a", "b"], "put the text in quotes"),
        (
            vec!["agreement", "remove", "0"],
            "0 is not the number of an agreement (see tunaflow agreement list)",
        ),
        (vec!["artifact", "add", "x.md"], "--title is missing"),
        (vec!["link", "add", "1"], "LINKED is missing"),
        (vec!["skill", "on", ""], "NAME is empty"),
        (vec!["profile", "add", "x"], "--engine is missing"),
        (vec!["profile", "add", "x", "--engine", "demo", "--supply", "y"], "none of push, hybrid, pull"),
        (vec!["--data-dir", "a", "--data-dir", "b", "doctor"], "--data-dir is given twice"),
        (vec!["--tools"], "--tools needs a command"),
        (vec!["--data-dir"], "--data-dir needs a value"),
        (vec!["--data-dir", "", "doctor"], "--data-dir is empty"),
        (vec!["send", "--project=", "x"], "--project is empty"),
    ] {
        let error = read(&line).unwrap_err().to_string();
        assert!(error.contains(words) && error.contains("usage: tunaflow"), "{line:?}: {error}");
        assert_eq!(error.lines().count(), 1);
    }
}

#[test]
fn transcripts_and_exports() {
    let parts = Parts { tools: true, thinking: false };
    let transcript = Transcript { conversation: ConversationId(3), parts };
    assert_eq!(wish(&["messages", "3", "--tools"]), Wish::Messages(transcript.clone()));
    let export = Export { transcript, format: Format::Markdown };
    assert_eq!(wish(&["export", "--tools", "--format", "md", "3"]), Wish::Export(export));
}

#[cfg(unix)]
#[test]
fn text_that_is_not_unicode_is_refused_and_paths_are_not() {
    use std::os::unix::ffi::OsStringExt as _;
    let odd = OsString::from_vec(vec![0x66, 0xff]);
    let error = parse([OsString::from("send"), odd.clone()]).unwrap_err();
    assert!(error.what.contains("TEXT is not valid Unicode"), "{error}");
    let added = parse(["project".into(), "add".into(), odd.clone()]).unwrap();
    assert_eq!(added.wish, Wish::ProjectAdd(PathBuf::from(odd)));
}

#[test]
fn what_may_be_said_again_is_a_list_in_its_order() {
    let wish = wish(&[
        "plan",
        "edit",
        "7",
        "--step",
        "One: a: b",
        "--step=Two\nc: d",
        "--step",
        " ",
        "--constraint",
        "",
        "--document",
        "-",
    ]);
    let change = PlanChange {
        steps: vec![("One".into(), "a: b".into()), ("Two".into(), "c: d".into())],
        constraints: Some(Vec::new()),
        document: Some(FileFrom::Stdin),
        ..PlanChange::default()
    };
    assert_eq!(wish, Wish::Known(Box::new(Known::Plan(PlanWish::Edit(PlanId(7), change)))));
}
