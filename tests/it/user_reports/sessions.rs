//! The agents' own sessions: taken up by their own id, and left in order when they are gone.

use std::path::PathBuf;

use tunaflow::api::command::{ChatCommand, EngineCommand};
use tunaflow::model::engine::EngineId;
use tunaflow::model::id::ConversationId;
use tunaflow::model::message::{Author, MessageState};
use tunaflow::model::settings::AcpAgent;

use super::fake::{
    Home, answered, app_with, app_with_claude, claude_after, heard, keep_nothing_warm, notices, program,
    starts, system_text,
};
use crate::support::app::TestApp;

/// Keeps its sessions as files, as the real one does, and refuses one whose file has gone.
const WITH_FILES: &str = r#"sessions=$HOME/.claude/projects
mkdir -p "$sessions"
if [ -n "$resumed" ] && [ ! -f "$sessions/$resumed.jsonl" ]; then
  echo "No conversation found with session ID: $resumed" >&2
  exit 1
fi
echo '{}' >> "$sessions/$session.jsonl""#;

/// After a restart the agent knows nothing any more, or the id of a sub-agent was kept instead of its own.
#[test]
fn a_restart_takes_up_the_main_session_and_no_other() {
    let turn = r#"init
printf '{"type":"system","subtype":"init","session_id":"of-a-sub-agent","parent_tool_use_id":"t1"}\n'
printf '{"type":"assistant","parent_tool_use_id":"t1","session_id":"of-a-sub-agent","message":{"id":"s1","content":[]}}\n'
text "m$$-$turn" ok
printf '{"type":"result","subtype":"success","is_error":false,"session_id":"%s"}\n' "$session""#;
    let app = app_with_claude(turn);
    let id = app.conversation("claude");
    answered(&app.ask(id, "the word is heron"));
    let app = app.restart();
    app.open_whole(id);
    let view = app.ask(id, "which word?");
    answered(&view);
    assert!(notices(&view).is_empty(), "{:?}", notices(&view));
    let started = starts(&app);
    assert_eq!(started.len(), 2);
    assert!(started[0].resumed.is_empty() && !started[0].session.is_empty());
    assert_eq!(started[1].resumed, started[0].session);
    // It hears only what is new.
    assert!(!heard(&app)[1].contains("heron"), "{:?}", heard(&app));
    // The command for a terminal names the same session.
    let command = view.turn.as_ref().unwrap().resume_command.clone().unwrap();
    assert_eq!(command, format!("claude --resume {}", started[0].session));
}

/// "No conversation found": from then on every message fails.
#[test]
fn a_refused_session_is_left_once_with_a_notice_and_the_whole_context() {
    for say_it in ["echo \"$words\" >&2; exit 1", "init; failed 400 \"$words\"; exit 1"] {
        let refuse = "words=\"No conversation found with session ID: $resumed\"\nif [ -n \"$resumed\" ]; then read -r line; ";
        let app = app_with(
            "claude",
            &claude_after(&format!("{refuse}{say_it}; fi"), "answer \"turn of $session\""),
        );
        keep_nothing_warm(&app);
        let id = app.conversation("claude");
        answered(&app.ask(id, "the word is heron"));
        let view = app.ask(id, "which word?");
        let started = starts(&app);
        assert_eq!(started.len(), 3, "one refused, one afresh: {started:?}");
        assert_eq!(
            (started[1].resumed.as_str(), started[2].resumed.as_str()),
            (started[0].session.as_str(), "")
        );
        assert_eq!(answered(&view), format!("turn of {}", started[2].session));
        let told = notices(&view);
        assert!(told.len() == 1 && told[0].1.contains("session"), "{told:?}");
        assert!(system_text(&app).contains("heron"), "the new session is told what was said");
        // The next message takes up the new one.
        app.ask(id, "and now?");
        assert_eq!(starts(&app)[3].resumed, started[2].session);
        let mine = |app: &TestApp| app.open_whole(id).iter().filter(|m| m.author == Author::User).count();
        assert_eq!(mine(&app), 3);
    }
}

/// "Continue the latest" takes up somebody else's session in the same folder.
#[test]
fn two_conversations_in_one_folder_keep_their_own_sessions() {
    let app = app_with("claude", &claude_after(WITH_FILES, "answer \"turn of $session\""));
    keep_nothing_warm(&app);
    let said = |app: &TestApp, id: ConversationId| answered(&app.ask(id, "go on"));
    let a = app.conversation("claude");
    let of_a = said(&app, a);
    let b = app.conversation("claude");
    let of_b = said(&app, b);
    assert_ne!(of_a, of_b);
    assert_eq!((said(&app, a), said(&app, b)), (of_a.clone(), of_b.clone()));
    let app = app.restart();
    for id in [b, a] {
        app.open_whole(id);
    }
    assert_eq!((said(&app, b), said(&app, a), said(&app, b)), (of_b.clone(), of_a, of_b));
    let started = starts(&app);
    assert_eq!(started.iter().filter(|start| start.resumed.is_empty()).count(), 2, "{started:?}");
}

/// A conversation is listed but empty, because the agent's files are gone.
#[test]
fn the_transcript_is_readable_without_the_agents_files() {
    let app = app_with("claude", &claude_after(WITH_FILES, "answer \"said in $session\""));
    let id = app.conversation("claude");
    let first = answered(&app.ask(id, "the word is heron"));
    let files = app.home().join(".claude");
    let app = app.restart();
    std::fs::remove_dir_all(&files).unwrap();
    let kept = app.open_whole(id);
    assert_eq!(
        kept.iter().map(|m| m.plain_text()).collect::<Vec<_>>(),
        ["the word is heron".to_owned(), first.clone()]
    );
    assert_eq!(kept[1].state, MessageState::Complete);
    let view = app.ask(id, "which word?");
    assert_ne!(answered(&view), first);
    assert_eq!(notices(&view).len(), 1);
    assert!(system_text(&app).contains("heron"));
}

/// Even the agent itself may be gone: what was said stays readable, and another one goes on with it.
#[test]
fn the_transcript_is_readable_without_the_agent() {
    let app = app_with_claude("answer 'the heron'");
    let id = app.conversation("claude");
    answered(&app.ask(id, "name a bird"));
    let claude: PathBuf = app.home().join(".local/bin/claude");
    let app = app.restart();
    std::fs::remove_file(claude).unwrap();
    assert_eq!(app.open_whole(id)[1].plain_text(), "the heron");
    let echo = app.script("{\"echo\":true}");
    app.send(ChatCommand::SetSeat { conversation: id, seat: crate::support::app::seat(&echo) });
    let told = answered(&app.ask(id, "which bird?"));
    assert!(told.contains("the heron") && told.contains("name a bird"), "{told}");
}

/// The same over the other protocol: the session is loaded by its id, its replay shows nothing twice, and one that is
/// refused is left once.
#[test]
fn an_acp_session_is_loaded_by_its_id_or_left_once() {
    let agent = r#"#!/bin/sh
log=$HOME/log
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
says() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$session" "$1"; }
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) reply '{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}' ;;
    *'"method":"session/new"'*) session=s-$$; echo "new $session" >> "$log/sessions"; reply "{\"sessionId\":\"$session\"}" ;;
    *'"method":"session/load"'*)
      session=$(printf '%s' "$line" | sed -n 's/.*"sessionId":"\([^"]*\)".*/\1/p'); echo "load $session" >> "$log/sessions"
      if [ -e "$HOME/gone" ]; then printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"Resource not found: %s"}}\n' "$id" "$session"
      else says 'replayed words'; reply '{}'; fi ;;
    *'"method":"session/prompt"'*) printf '%s\n' "$line" >> "$log/prompts"; says "turn of $session"; reply '{"stopReason":"end_turn"}' ;;
  esac
done
"#;
    let home = Home::new();
    program(&home.path("agent"), agent);
    let app = home.app();
    let own =
        AcpAgent { name: "own".into(), command: home.path("agent").display().to_string(), args: vec![] };
    let engine = EngineId::new("acp:own");
    app.send(EngineCommand::PutAcpAgent { agent: own });
    app.until("the agent is known", |s| s.engines.iter().any(|row| row.info.id == engine));
    keep_nothing_warm(&app);
    let id = app.conversation("acp:own");
    let first = answered(&app.ask(id, "the word is heron"));
    let app = app.restart();
    app.open_whole(id);
    assert_eq!(answered(&app.ask(id, "which word?")), first);
    std::fs::write(home.path("gone"), "").unwrap();
    let view = app.ask(id, "and now?");
    assert_ne!(answered(&view), first);
    assert_eq!(notices(&view).len(), 1, "{:?}", notices(&view));
    let log = |name: &str| std::fs::read_to_string(home.path("log").join(name)).unwrap();
    let own_id = first.trim_start_matches("turn of ").to_owned();
    let sessions: Vec<String> = log("sessions").lines().map(str::to_owned).collect();
    assert_eq!(sessions[..3], [format!("new {own_id}"), format!("load {own_id}"), format!("load {own_id}")]);
    assert!(sessions.len() == 4 && sessions[3].starts_with("new "), "{sessions:?}");
    let prompts: Vec<String> = log("prompts").lines().map(str::to_owned).collect();
    assert!(!prompts[1].contains("heron") && prompts[2].contains("heron"), "{prompts:?}");
}
