use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;
use crate::model::engine::{Billing, EngineId};
use crate::model::id::TurnId;
use crate::model::message::{ItemBody, ToolState};
use crate::model::settings::AcpAgent;
use crate::model::turn::{Decision, Fork};

fn seat() -> SeatSpec {
    SeatSpec {
        engine: EngineId::new("acp:x"),
        model: None,
        cwd: PathBuf::from("/p"),
        resume: None,
        fork: None,
        new_session_id: "unused".to_owned(),
        system_file: None,
        skip_permissions: false,
        words_only: false,
        billing: Billing::Subscription,
        program: None,
        version: None,
    }
}

const PROFILE: AcpProfile =
    AcpProfile { resume: AcpResume::Load, fork: true, model_by_launch: false, tool_name_of_id: no_tool_name };

/// A dialect with everything it said so far.
struct Talk {
    dialect: AcpDialect,
    lines: Vec<Value>,
    events: Vec<TurnEvent>,
    timers: Vec<TimerId>,
    skipped: u32,
    retired: bool,
}

impl Talk {
    fn new(profile: AcpProfile, seat: &SeatSpec) -> Self {
        let agent = AcpAgent { name: "x".to_owned(), command: "x".to_owned(), args: vec![] };
        let dialect = AcpDialect::new(super::agent(&agent).info().clone(), profile, seat);
        let mut talk =
            Self { dialect, lines: vec![], events: vec![], timers: vec![], skipped: 0, retired: false };
        talk.begin("hello");
        talk
    }

    /// A seat whose session is open and whose first prompt is on its way (as request 3).
    fn ready() -> Self {
        let mut talk = Self::new(PROFILE, &seat());
        talk.initialized(true);
        talk.line(&json!({"id": 2, "result": {"sessionId": "s"}}));
        talk
    }

    fn initialized(&mut self, load: bool) {
        self.line(
            &json!({"id": 1, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": load}}}),
        );
    }

    fn put(&mut self, input: SeatInput<'_>) {
        let mut out = SeatOutput::default();
        self.dialect.input(input, &mut out);
        self.lines.extend(out.lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()));
        self.events.extend(out.events);
        self.timers.extend(out.timers.iter().map(|(id, _)| *id));
        self.skipped += out.skipped;
        self.retired |= out.retire;
    }

    fn begin(&mut self, text: &str) {
        self.put(SeatInput::Begin(&TurnRequest { turn: TurnId(1), text: text.to_owned() }));
    }

    fn line(&mut self, message: &Value) {
        self.put(SeatInput::Line(&message.to_string()));
    }

    fn update(&mut self, update: &Value) {
        self.line(&json!({"method": "session/update", "params": {"sessionId": "s", "update": update}}));
    }

    fn say(&mut self, text: &str) {
        self.update(
            &json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}),
        );
    }

    fn ask(&mut self, options: &Value) {
        let call = json!({"toolCallId": "c1", "title": "touch x", "kind": "execute", "rawInput": {"command": "touch x"}});
        let params = json!({"sessionId": "s", "toolCall": call, "options": options});
        self.line(&json!({"id": 0, "method": "session/request_permission", "params": params}));
    }

    fn last(&self) -> &Value {
        self.lines.last().unwrap()
    }

    fn said(&self) -> String {
        let piece = |event: &TurnEvent| match event {
            TurnEvent::ItemStarted { body: ItemBody::Text { text }, .. } => Some(text.clone()),
            TurnEvent::ItemDelta { delta, .. } => Some(delta.clone()),
            _ => None,
        };
        self.events.iter().filter_map(piece).collect()
    }

    fn failure(&self) -> FailureKind {
        match self.events.last() {
            Some(TurnEvent::Failed(failure)) => failure.kind,
            other => panic!("{other:?}"),
        }
    }
}

fn options() -> Value {
    json!([{"optionId": "A", "kind": "allow_always"}, {"optionId": "o", "kind": "allow_once"}, {"optionId": "r", "kind": "reject_once"}])
}

#[test]
fn a_turn_from_first_line_to_end() {
    let mut talk = Talk::ready();
    assert_eq!(talk.lines[0]["params"]["clientCapabilities"]["fs"]["readTextFile"], false);
    assert_eq!(talk.lines[1]["params"], json!({"cwd": "/p", "mcpServers": []}));
    assert_eq!(talk.last()["params"]["prompt"][0]["text"], "hello");
    talk.say("one ");
    talk.say("two");
    talk.line(&json!({"id": 3, "result": {"stopReason": "end_turn", "usage": {"inputTokens": 5, "outputTokens": 2, "cachedReadTokens": 1}}}));
    assert_eq!(talk.said(), "one two");
    assert!(matches!(talk.events.last(), Some(TurnEvent::Finished(StopReason::Completed))));
    let usage = talk.events.iter().find_map(|event| match event {
        TurnEvent::Usage(usage) => Some((usage.input_tokens, usage.cached_input_tokens, usage.output_tokens)),
        _ => None,
    });
    assert_eq!(usage, Some((Some(5), Some(1), Some(2))));
    let count = talk.events.len();
    talk.say("late");
    assert_eq!(talk.events.len(), count, "words after the end are dropped");
    talk.begin("again");
    assert_eq!(talk.last()["id"], 4);
    assert!(matches!(talk.events.last(), Some(TurnEvent::Started { session: Some(id), .. }) if id == "s"));
}

#[test]
fn a_session_is_taken_up_and_its_replay_dropped() {
    let mut spec = seat();
    spec.resume = Some("s".to_owned());
    let mut talk = Talk::new(PROFILE, &spec);
    talk.initialized(true);
    assert_eq!(talk.last()["method"], "session/load");
    talk.say("old");
    talk.line(&json!({"id": 2, "result": null}));
    assert_eq!(talk.last()["method"], "session/prompt");
    talk.say("new");
    assert_eq!(talk.said(), "new");

    // A replay that goes on after the answer: the prompt waits until it is quiet.
    let mut talk = Talk::new(AcpProfile { resume: AcpResume::LoadIfOffered, ..PROFILE }, &spec);
    talk.initialized(true);
    talk.line(&json!({"id": 2, "result": {}}));
    let first = *talk.timers.last().unwrap();
    talk.say("old");
    talk.put(SeatInput::Deadline(first));
    assert_eq!(talk.last()["method"], "session/load", "a newer timer counts");
    let second = *talk.timers.last().unwrap();
    talk.put(SeatInput::Deadline(second));
    assert_eq!(talk.last()["method"], "session/prompt");
    talk.say("new");
    assert_eq!(talk.said(), "new");
}

#[test]
fn what_cannot_be_taken_up_is_lost() {
    let mut spec = seat();
    spec.resume = Some("s".to_owned());
    let mut talk = Talk::new(PROFILE, &spec);
    talk.initialized(true);
    talk.line(&json!({"id": 2, "error": {"code": -32602, "message": "Session not found"}}));
    assert_eq!((talk.failure(), talk.retired), (FailureKind::SessionLost, true));
    let mut talk = Talk::new(PROFILE, &spec);
    talk.initialized(false);
    assert_eq!(talk.failure(), FailureKind::SessionLost);
    let mut talk = Talk::new(AcpProfile { resume: AcpResume::Never, ..PROFILE }, &spec);
    talk.initialized(true);
    assert_eq!(talk.failure(), FailureKind::SessionLost);
    assert!(!talk.lines.iter().any(|line| line["method"] == "session/load"));
}

#[test]
fn answers_go_by_the_kind_of_option() {
    let deny = || Decision::Deny { comment: "no".to_owned() };
    let only_always = json!([{"optionId": "A", "kind": "allow_always"}]);
    let selected = |id: &str| json!({"outcome": "selected", "optionId": id});
    for (options, decision, wanted) in [
        (options(), Decision::AllowOnce, selected("o")),
        (options(), deny(), selected("r")),
        (only_always.clone(), Decision::AllowOnce, json!({"outcome": "cancelled"})),
        (only_always, deny(), json!({"outcome": "cancelled"})),
    ] {
        let mut talk = Talk::ready();
        talk.ask(&options);
        let asked = talk.events.iter().find_map(|event| match event {
            TurnEvent::PermissionAsked(request) => Some(request.clone()),
            _ => None,
        });
        let asked = asked.unwrap();
        assert_eq!((asked.command.as_deref(), asked.item_key.as_deref()), (Some("touch x"), Some("c1")));
        talk.put(SeatInput::Answer { ask: "other", decision: &decision });
        assert_eq!(talk.last()["method"], "session/prompt", "an answer to another question does nothing");
        talk.put(SeatInput::Answer { ask: &asked.ask, decision: &decision });
        assert_eq!(talk.last()["result"]["outcome"], wanted);
        assert_eq!(talk.last()["id"], 0);
    }
}

#[test]
fn a_refused_call_stays_refused() {
    let mut talk = Talk::ready();
    talk.ask(&options());
    talk.put(SeatInput::Answer { ask: "0", decision: &Decision::Deny { comment: String::new() } });
    talk.update(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "failed"}));
    let state = talk.events.iter().rev().find_map(|event| match event {
        TurnEvent::ItemReplaced { body: ItemBody::Tool(call), .. } => Some(call.state),
        _ => None,
    });
    assert_eq!(state, Some(ToolState::Denied));
}

#[test]
fn skipping_permissions_answers_at_once() {
    let mut spec = seat();
    spec.skip_permissions = true;
    let mut talk = Talk::new(PROFILE, &spec);
    talk.initialized(true);
    talk.line(&json!({"id": 2, "result": {"sessionId": "s"}}));
    talk.ask(&options());
    assert_eq!(talk.last()["result"]["outcome"]["optionId"], "o");
    assert!(!talk.events.iter().any(|event| matches!(event, TurnEvent::PermissionAsked(_))));
}

#[test]
fn a_stop_cancels_and_answers_open_questions() {
    let mut talk = Talk::ready();
    talk.ask(&options());
    talk.put(SeatInput::Cancel);
    assert_eq!(talk.last()["method"], "session/cancel");
    assert_eq!(talk.lines[talk.lines.len() - 2]["result"]["outcome"]["outcome"], "cancelled");
    assert!(matches!(talk.events.last(), Some(TurnEvent::PermissionGone { ask }) if ask == "0"));
    talk.line(&json!({"id": 3, "result": {"stopReason": "cancelled"}}));
    assert!(matches!(talk.events.last(), Some(TurnEvent::Finished(StopReason::Cancelled))));

    // Before the session is open nothing needs to be told to the agent.
    let mut talk = Talk::new(PROFILE, &seat());
    talk.put(SeatInput::Cancel);
    assert!(matches!(talk.events.last(), Some(TurnEvent::Finished(StopReason::Cancelled))));
    talk.begin("second");
    talk.initialized(true);
    talk.line(&json!({"id": 2, "result": {"sessionId": "s"}}));
    assert_eq!(talk.last()["params"]["prompt"][0]["text"], "second");
}

#[test]
fn models_are_told_and_set() {
    let models = json!({"sessionId": "s", "models": {"availableModels": [{"modelId": "a"}, {"modelId": "b"}], "currentModelId": "a"}});
    let option = json!({"sessionId": "s", "configOptions": [{"id": "model", "currentValue": "a", "options": [{"value": "a"}, {"value": "b"}]}]});
    for (result, method) in [(&models, "session/set_model"), (&option, "session/set_config_option")] {
        let mut spec = seat();
        spec.model = Some("b".to_owned());
        let mut talk = Talk::new(PROFILE, &spec);
        talk.initialized(true);
        talk.line(&json!({"id": 2, "result": result}));
        assert_eq!(talk.last()["method"], *method);
        assert!(talk.events.contains(&TurnEvent::Models(vec!["a".to_owned(), "b".to_owned()])));
        talk.line(&json!({"id": 3, "result": {}}));
        assert_eq!(talk.last()["method"], "session/prompt");
        assert!(matches!(talk.events.last(), Some(TurnEvent::Started { model: Some(m), .. }) if m == "b"));
    }
    let mut spec = seat();
    spec.model = Some("zzz".to_owned());
    let mut talk = Talk::new(PROFILE, &spec);
    talk.initialized(true);
    talk.line(&json!({"id": 2, "result": models}));
    talk.line(&json!({"id": 3, "error": {"code": -32603, "message": "no such thing"}}));
    assert_eq!(talk.failure(), FailureKind::ModelUnknown);
}

#[test]
fn unknown_things_are_skipped_and_the_rest_shown() {
    let mut talk = Talk::ready();
    talk.put(SeatInput::Line("Loading extensions…"));
    talk.line(&json!({"id": 9, "method": "fs/read_text_file", "params": {}}));
    assert_eq!(talk.last()["error"]["code"], -32601);
    talk.update(&json!({"sessionUpdate": "brand_new", "x": 1}));
    talk.update(
        &json!({"sessionUpdate": "tool_call_update", "toolCallId": "unknown", "status": "completed"}),
    );
    talk.line(&json!({"id": 77, "result": {}}));
    talk.say("shown");
    assert_eq!(talk.said(), "shown");
    assert!(talk.skipped >= 3);
}

#[test]
fn an_end_of_the_program_ends_the_turn() {
    let mut talk = Talk::ready();
    talk.ask(&options());
    talk.put(SeatInput::Exited(&SeatExit { code: Some(3), signal: None, stderr_tail: "boom".to_owned() }));
    assert_eq!((talk.failure(), talk.retired), (FailureKind::Crashed, true));
    assert!(talk.events.iter().any(|event| matches!(event, TurnEvent::PermissionGone { .. })));
    let mut talk = Talk::new(PROFILE, &seat());
    talk.line(&json!({"id": 1, "result": {"protocolVersion": 2}}));
    assert_eq!(talk.failure(), FailureKind::Protocol);
}

#[test]
fn the_cost_of_a_turn_is_its_share_of_the_session() {
    let mut talk = Talk::ready();
    let costs = |talk: &mut Talk, amount: f64| {
        talk.update(&json!({"sessionUpdate": "usage_update", "used": 10, "size": 100, "cost": {"amount": amount, "currency": "USD"}}));
        talk.events.iter().rev().find_map(|event| match event {
            TurnEvent::Usage(usage) => Some((usage.cost_usd, usage.window_tokens)),
            _ => None,
        })
    };
    assert_eq!(costs(&mut talk, 0.25), Some((Some(0.25), Some(100))));
    talk.line(&json!({"id": 3, "result": {"stopReason": "end_turn"}}));
    talk.begin("again");
    assert_eq!(costs(&mut talk, 0.75), Some((Some(0.5), Some(100))));
}

#[test]
fn a_session_is_forked_at_its_end_where_that_is_offered() {
    let mut spec = seat();
    spec.fork = Some(Fork { session: "old".to_owned(), point: None });
    let offer = |fork: bool| {
        let sessions = if fork { json!({"fork": {}}) } else { json!({}) };
        json!({"id": 1, "result": {"protocolVersion": 1,
            "agentCapabilities": {"loadSession": true, "sessionCapabilities": sessions}}})
    };
    let mut talk = Talk::new(PROFILE, &spec);
    talk.line(&offer(true));
    assert_eq!(talk.last()["method"], "session/fork");
    assert_eq!(talk.last()["params"], json!({"sessionId": "old", "cwd": "/p", "mcpServers": []}));
    // The copy is told as a replay before the answer.
    talk.say("old words");
    talk.line(&json!({"id": 2, "result": {"sessionId": "s"}}));
    assert_eq!(talk.last()["params"]["sessionId"], "s");
    talk.say("new words");
    assert_eq!(talk.said(), "new words");
    assert!(
        talk.events
            .iter()
            .any(|event| matches!(event, TurnEvent::Started { session: Some(id), .. } if id == "s"))
    );

    let mut refused = Talk::new(PROFILE, &spec);
    refused.line(&offer(true));
    refused.line(&json!({"id": 2, "error": {"code": -32602, "message": "no such thing"}}));
    assert_eq!((refused.failure(), refused.retired), (FailureKind::SessionLost, true));
    spec.fork = Some(Fork { session: "old".to_owned(), point: Some("m".to_owned()) });
    for (profile, offered) in
        [(PROFILE, true), (PROFILE, false), (AcpProfile { fork: false, ..PROFILE }, true)]
    {
        let mut talk = Talk::new(profile, &spec);
        talk.line(&offer(offered));
        assert_eq!(talk.failure(), FailureKind::SessionLost);
        assert!(!talk.lines.iter().any(|line| line["method"] == "session/fork"));
    }
}
