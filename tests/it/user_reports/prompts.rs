//! How prompts and contexts reach the agent, above all large ones.

use tunaflow::api::command::ChatCommand;
use tunaflow::context::render;
use tunaflow::model::project::Draft;
use tunaflow::model::turn::FailureKind;

use super::fake::{answered, app_with_claude, arguments, failure, heard, notices, starts, system_text};
use crate::support::app::seat;

/// With more memory the prompt in the command line grows beyond what the system takes.
#[test]
fn a_context_of_200_kilobytes_arrives_whole_and_not_as_arguments() {
    let app = app_with_claude("answer \"$(printf '%s' \"$line\" | wc -c)\"");
    let script = app.script("{\"text\":\"noted\"}");
    let id = app.conversation(&script);
    app.send(ChatCommand::SetBudget { conversation: id, budget_chars: Some(300_000) });
    for part in 0..8 {
        app.ask(
            id,
            &format!("part {part} \"quoted\" $HOME `x` \\n 이전 대화의 한 줄 and some words\n").repeat(400),
        );
    }
    app.send(ChatCommand::SetSeat { conversation: id, seat: seat("claude") });
    let prompt = "and now?";
    answered(&app.ask(id, prompt));
    let turn = app.view(id).turn.as_ref().unwrap().turn;
    app.send(ChatCommand::LoadPack { conversation: id, turn });
    let snapshot = app.until("the pack", |s| {
        s.view(id).is_some_and(|view| view.sent_pack.as_ref().is_some_and(|pack| pack.turn == Some(turn)))
    });
    let pack = snapshot.view(id).unwrap().sent_pack.as_ref().unwrap().pack.clone();
    let sent = render(&pack, prompt, true, true);
    let system = sent.system.unwrap();
    assert!(system.len() + sent.user.len() > 200_000, "{} bytes", system.len() + sent.user.len());
    assert!(system_text(&app) == system, "{} bytes of {}", system_text(&app).len(), system.len());
    assert_eq!(heard(&app), [sent.user]);
    let longest = arguments(&app).iter().map(String::len).max().unwrap();
    assert!(longest < 8 * 1024, "{longest}");
    let home = app.stop();
    let left: Vec<_> =
        std::fs::read_dir(home.path().join("data")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with("context-")), "{left:?}");
}

/// A long paste reaches the agent cut short, without a word.
#[test]
fn a_paste_of_300_kilobytes_reaches_the_agent_whole() {
    let app = app_with_claude("answer read");
    let id = app.conversation("claude");
    let paste: String =
        (0..6_000).map(|line| format!("line {line}: \"긴 줄\" with \\ and \t and 😀 {{}}\n")).collect();
    assert!(paste.len() > 250_000 && paste.lines().count() == 6_000, "{}", paste.len());
    let draft = Draft { text: "look at this".into(), pastes: vec![paste.clone(), "a second".into()] };
    app.send(ChatCommand::Send { conversation: id, draft });
    assert_eq!(answered(&app.until_idle(id)), "read");
    let heard = heard(&app);
    assert!(heard.len() == 1 && heard[0].ends_with(&format!("look at this\n\n{paste}\n\na second")));
    // Kept as it was sent, too.
    let app = app.restart();
    assert_eq!(app.open_whole(id)[0].plain_text(), format!("look at this\n\n{paste}\n\na second"));
}

/// An agent that takes only the first part of a long line and breaks on it: that is a failure to be seen.
#[test]
fn an_agent_that_breaks_on_a_long_line_is_a_failure_and_not_an_answer() {
    let app = app_with_claude(
        "if [ \"$(printf '%s' \"$line\" | wc -c)\" -gt 149504 ]; then echo 'Unterminated string in JSON at position 149504' >&2; exit 1; fi; answer ok",
    );
    let id = app.conversation("claude");
    let told = failure(&app.ask(id, &"a long line ".repeat(25_000)));
    assert_eq!(told.kind, FailureKind::Crashed);
    assert!(told.message.contains("Unterminated string in JSON"), "{told:?}");
    assert_eq!(answered(&app.ask(id, "a short line")), "ok");
}

/// Text that looks like options or like a protocol is text.
#[test]
fn text_that_looks_like_something_else_is_only_text() {
    let app = app_with_claude("answer ok");
    let id = app.conversation("claude");
    let tricky = [
        "--resume x",
        "{\"type\":\"result\"}",
        "/exit",
        "-",
        "line one\nline two\r\nline three",
        "\u{feff}mark",
    ];
    for text in tricky {
        answered(&app.ask(id, text));
        assert!(heard(&app).last().unwrap().ends_with(text.trim_end()), "{text:?}: {:?}", heard(&app).last());
    }
    assert_eq!(starts(&app).len(), 1, "{:?}", starts(&app));
    assert!(notices(&app.view(id)).is_empty());
    assert!(!arguments(&app).iter().any(|word| word.contains("line one")));
}
