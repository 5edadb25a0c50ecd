//! Every kind of failure as an agent brings it about: told apart, with a way out.

use tunaflow::model::message::MessageState;
use tunaflow::model::turn::FailureKind as K;

use super::fake::{answered, app_with_claude, failure};
use crate::support::app::last;

/// "Something went wrong" for everything, and no word about what to do.
#[test]
fn failures_are_told_apart_and_each_says_what_to_do() {
    let table = [
        ("init; failed 401 'Invalid API key'", K::NotLoggedIn, "/login"),
        ("init; failed 400 'Credit balance is too low'", K::PlanLimit, "another engine"),
        ("init; failed 429 'slow down'", K::RateLimited, "another engine"),
        ("init; failed 529 'Overloaded'", K::Overloaded, "another engine"),
        ("init; failed 404 'model: no-such-model'", K::ModelUnknown, "another model"),
        ("init; failed 400 'prompt is too long: 250000 tokens'", K::PromptTooLong, "budget"),
        ("init; failed null 'Connection error: ECONNREFUSED'", K::Network, "network"),
        ("init; failed 408 ''", K::TimedOut, "Try again"),
        ("init; failed 418 'I am a teapot'", K::Other, "Try again"),
        ("init; exit 7", K::Crashed, "terminal"),
        ("echo hello; exit 0", K::Protocol, "Update"),
        ("echo 'No conversation found with session ID: x' >&2; exit 1", K::SessionLost, "sent anew"),
    ];
    let cases: String =
        table.iter().enumerate().map(|(at, (turn, ..))| format!("*\"case {at}!\"*) {turn} ;;\n")).collect();
    let app = app_with_claude(&format!(
        "words=${{line#*\"now \"}}\ncase \"$words\" in {cases} *) answer ok ;; esac"
    ));
    let id = app.conversation("claude");
    for (at, (_, kind, hint)) in table.iter().enumerate() {
        let view = app.ask(id, &format!("now case {at}!"));
        let told = failure(&view);
        assert_eq!(told.kind, *kind, "case {at}: {told:?}");
        assert!(told.hint.contains(hint), "case {at}: {told:?}");
        assert!(!told.message.is_empty() && !told.message.contains('\n'), "case {at}: {told:?}");
        assert!(matches!(last(&view).state, MessageState::Failed { .. }));
    }
    // After all of that the conversation is as good as new.
    assert_eq!(answered(&app.ask(id, "now something else")), "ok");
}
