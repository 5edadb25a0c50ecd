//! Plays a recorded two-way transcript of an engine against its dialect.
//!
//! A transcript is a file of JSON lines: `{"dir":"in","msg":{…}}` from the host, `{"dir":"out","msg":{…}}` or
//! `{"dir":"out","raw":"…"}` from the engine, at last `{"dir":"exit","code":0,"stderr":"…"}`. What the host meant
//! (begin, answer, cancel) is read from its lines; ids that the dialect chooses itself are translated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tunaflow::engine::{Dialect, Engine, SeatExit, SeatInput, SeatOutput};
use tunaflow::model::engine::Billing;
use tunaflow::model::id::TurnId;
use tunaflow::model::message::{ItemBody, ToolState};
use tunaflow::model::turn::{Decision, SeatSpec, TurnEvent, TurnRequest};

/// One line of a transcript.
#[derive(Clone, Debug)]
pub enum Row {
    In(Value),
    /// A line as the engine wrote it.
    Out(String),
    Exit(SeatExit),
}

/// Reads a transcript; an exit is added when it holds none.
pub fn read(path: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut rows: Vec<Row> = text.lines().filter(|line| !line.trim().is_empty()).map(row).collect();
    if !matches!(rows.last(), Some(Row::Exit(_))) {
        rows.push(Row::Exit(SeatExit { code: Some(0), ..SeatExit::default() }));
    }
    rows
}

fn row(line: &str) -> Row {
    let row: Value = serde_json::from_str(line).unwrap();
    let number = |field: &str| row.get(field).and_then(Value::as_i64).and_then(|n| i32::try_from(n).ok());
    match row["dir"].as_str() {
        Some("in") => Row::In(row["msg"].clone()),
        Some("out") => Row::Out(
            row.get("raw").and_then(Value::as_str).map_or_else(|| row["msg"].to_string(), str::to_owned),
        ),
        _ => Row::Exit(SeatExit {
            code: number("code"),
            signal: number("signal"),
            stderr_tail: row["stderr"].as_str().unwrap_or_default().to_owned(),
        }),
    }
}

/// All transcripts of an engine, by name.
pub fn transcripts(engine: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/engines").join(engine);
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    paths.sort();
    paths
}

/// What a line of the host meant.
enum Meaning {
    Begin(String),
    Answer(String, Decision),
    Cancel,
    Nothing,
}

fn meaning(msg: &Value) -> Meaning {
    let text = |pointer: &str| msg.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    match (msg["type"].as_str(), msg["method"].as_str()) {
        (Some("user"), _) => Meaning::Begin(
            text("/message/content/0/text").or_else(|| text("/message/content")).unwrap_or_default(),
        ),
        (Some("control_request"), _) if msg["request"]["subtype"] == "interrupt" => Meaning::Cancel,
        (Some("control_response"), _) => {
            let ask = text("/response/request_id").unwrap_or_default();
            match msg["response"]["response"]["behavior"].as_str() {
                Some("allow") => Meaning::Answer(ask, Decision::AllowOnce),
                Some(_) => Meaning::Answer(
                    ask,
                    Decision::Deny { comment: text("/response/response/message").unwrap_or_default() },
                ),
                None => Meaning::Nothing,
            }
        }
        (_, Some("turn/start")) => Meaning::Begin(text("/params/input/0/text").unwrap_or_default()),
        (_, Some("session/prompt")) => Meaning::Begin(text("/params/prompt/0/text").unwrap_or_default()),
        (_, Some("turn/interrupt" | "session/cancel")) => Meaning::Cancel,
        (_, None) if msg.get("result").is_some() => rpc_answer(msg),
        _ => Meaning::Nothing,
    }
}

fn rpc_answer(msg: &Value) -> Meaning {
    let result = &msg["result"];
    let words = [
        &result["decision"],
        &result["action"],
        &result["outcome"]["optionId"],
        &result["outcome"]["outcome"],
    ];
    let Some(word) = words.iter().find_map(|word| word.as_str()) else { return Meaning::Nothing };
    let word = word.to_lowercase();
    let allowed = ["accept", "allow", "proceed", "once", "always"].iter().any(|yes| word.contains(yes))
        && !word.contains("reject");
    let decision = if allowed { Decision::AllowOnce } else { Decision::Deny { comment: String::new() } };
    Meaning::Answer(msg["id"].to_string(), decision)
}

/// What was played and what came of it.
#[derive(Debug, Default)]
pub struct Played {
    pub turns: Vec<TurnSeen>,
    pub skipped: u32,
    pub lines: Vec<String>,
    pub retired: bool,
    /// The recording went on where the dialect had not ended a turn (possible only after a mutation).
    pub out_of_step: bool,
}

/// One turn as a reader of its events sees it.
#[derive(Debug, Default)]
pub struct TurnSeen {
    pub events: Vec<TurnEvent>,
    /// Items that stand, in order.
    pub items: Vec<(String, ItemBody)>,
    /// Whole texts that the engine gave while the turn ran.
    pub given: Vec<String>,
    pub asks: u32,
    pub gone: u32,
    pub faults: Vec<String>,
}

impl TurnSeen {
    pub fn terminals(&self) -> usize {
        self.events.iter().filter(|event| event.is_terminal()).count()
    }

    pub fn texts(&self) -> Vec<&str> {
        let said = self.items.iter().filter_map(|(_, body)| match body {
            ItemBody::Text { text } => Some(text.as_str()),
            _ => None,
        });
        said.collect()
    }

    fn fault(&mut self, text: String) {
        self.faults.push(text);
    }

    /// Applies an event as a window would, and notes what no window could understand.
    fn see(&mut self, event: TurnEvent) {
        if self.terminals() > 0 {
            self.fault(format!("after the end: {event:?}"));
        }
        match &event {
            TurnEvent::ItemStarted { key, body } => {
                if self.items.iter().any(|(known, _)| known == key) {
                    self.fault(format!("started twice: {key}"));
                }
                self.items.push((key.clone(), body.clone()));
            }
            TurnEvent::ItemDelta { key, delta } => {
                match self.items.iter_mut().find(|(known, _)| known == key) {
                    Some((_, ItemBody::Text { text } | ItemBody::Thinking { text })) => text.push_str(delta),
                    Some((_, ItemBody::Tool(call))) => call.output.push_str(delta),
                    _ => self.fault(format!("delta for nothing: {key}")),
                }
            }
            TurnEvent::ItemReplaced { key, body } => {
                match self.items.iter_mut().find(|(known, _)| known == key) {
                    Some((_, shown)) => shown.clone_from(body),
                    None => self.fault(format!("replaced nothing: {key}")),
                }
            }
            TurnEvent::ItemWithdrawn { key } => {
                let before = self.items.len();
                self.items.retain(|(known, _)| known != key);
                if self.items.len() == before {
                    self.fault(format!("withdrew nothing: {key}"));
                }
            }
            TurnEvent::PermissionAsked(_) => self.asks += 1,
            TurnEvent::PermissionGone { .. } => self.gone += 1,
            TurnEvent::Finished(_) | TurnEvent::Failed(_) => {
                let runs = |body: &ItemBody| matches!(body, ItemBody::Tool(call) if matches!(call.state, ToolState::Running | ToolState::Pending));
                if self.items.iter().any(|(_, body)| runs(body)) {
                    self.fault("a tool still runs after the end".to_owned());
                }
            }
            _ => {}
        }
        self.events.push(event);
    }
}

/// Plays a transcript.
pub fn play(engine: &dyn Engine, rows: &[Row]) -> Played {
    Player::new(engine, rows).run(rows)
}

struct Player {
    dialect: Box<dyn Dialect>,
    played: Played,
    running: bool,
    /// Requests of the recorded host and of the dialect, by method, that were not replied yet.
    recorded: BTreeMap<String, String>,
    own: Vec<(String, Value)>,
    /// Ids of user lines, recorded → the dialect's.
    uuids: BTreeMap<String, String>,
}

impl Player {
    fn new(engine: &dyn Engine, rows: &[Row]) -> Self {
        let resume = rows.iter().find_map(|row| match row {
            Row::In(msg) => match msg["method"].as_str() {
                Some("thread/start" | "session/new") => Some(None),
                Some("thread/resume") => Some(msg["params"]["threadId"].as_str().map(str::to_owned)),
                Some("session/load" | "session/resume") => {
                    Some(msg["params"]["sessionId"].as_str().map(str::to_owned))
                }
                _ => None,
            },
            _ => None,
        });
        let seat = SeatSpec {
            engine: engine.info().id.clone(),
            model: None,
            cwd: "/home/user/project".into(),
            resume: resume.flatten(),
            fork: None,
            new_session_id: "11111111-2222-4333-8444-555555555555".to_owned(),
            system_file: None,
            skip_permissions: false,
            words_only: false,
            billing: Billing::Subscription,
            program: None,
            version: None,
        };
        Self {
            dialect: engine.dialect(&seat),
            played: Played::default(),
            running: false,
            recorded: BTreeMap::new(),
            own: Vec::new(),
            uuids: BTreeMap::new(),
        }
    }

    fn run(mut self, rows: &[Row]) -> Played {
        let first = rows.iter().find_map(|row| match row {
            Row::In(msg) => match meaning(msg) {
                Meaning::Begin(text) => Some(text),
                _ => None,
            },
            _ => None,
        });
        // A dialect opens the session by itself, so the first turn begins before the recorded handshake.
        self.begin(first.unwrap_or_default());
        let mut first_begin = true;
        for row in rows {
            match row {
                Row::In(msg) => {
                    if let (Some(method), Some(id)) = (msg["method"].as_str(), msg.get("id")) {
                        self.recorded.insert(id.to_string(), method.to_owned());
                    }
                    match meaning(msg) {
                        Meaning::Begin(_) if std::mem::take(&mut first_begin) => self.translate_uuid(msg),
                        // A message into a running turn: the dialect's host queues it instead.
                        Meaning::Begin(_) if self.running && msg.get("uuid").is_some() => {}
                        Meaning::Begin(_) if self.running => {
                            self.played.out_of_step = true;
                            break;
                        }
                        Meaning::Begin(text) => {
                            self.begin(text);
                            self.translate_uuid(msg);
                        }
                        Meaning::Answer(ask, decision) => {
                            self.feed(SeatInput::Answer { ask: &ask, decision: &decision });
                        }
                        Meaning::Cancel => self.feed(SeatInput::Cancel),
                        Meaning::Nothing => {}
                    }
                }
                Row::Out(line) => self.out(line),
                Row::Exit(exit) => self.feed(SeatInput::Exited(exit)),
            }
        }
        if self.running {
            self.feed(SeatInput::Exited(&SeatExit::default()));
        }
        self.played
    }

    fn begin(&mut self, text: String) {
        self.running = true;
        self.played.turns.push(TurnSeen::default());
        let turn = TurnId(i64::try_from(self.played.turns.len()).unwrap());
        self.feed(SeatInput::Begin(&TurnRequest { turn, text }));
    }

    fn translate_uuid(&mut self, msg: &Value) {
        let own = self.played.lines.iter().rev().find_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            (line["type"] == "user").then(|| line["uuid"].as_str().map(str::to_owned)).flatten()
        });
        if let (Some(recorded), Some(own)) = (msg["uuid"].as_str(), own) {
            self.uuids.insert(recorded.to_owned(), own);
        }
    }

    fn out(&mut self, line: &str) {
        let mut line = line.to_owned();
        for (recorded, own) in &self.uuids {
            line = line.replace(recorded, own);
        }
        let Ok(mut msg) = serde_json::from_str::<Value>(&line) else {
            self.feed(SeatInput::Line(&line));
            return;
        };
        let is_reply =
            msg.get("method").is_none() && (msg.get("result").is_some() || msg.get("error").is_some());
        if let (true, Some(id)) =
            (is_reply && msg.get("type").is_none(), msg.get("id").map(ToString::to_string))
        {
            // A reply to something that only the recorded host asked is not for this dialect.
            let Some(method) = self.recorded.get(&id) else { return };
            let Some(at) = self.own.iter().position(|(own, _)| own == method) else { return };
            msg["id"] = self.own.remove(at).1;
            line = msg.to_string();
        }
        let running = self.running;
        if let (true, Some(turn)) = (running, self.played.turns.last_mut()) {
            turn.given.extend(given(&msg));
        }
        self.feed(SeatInput::Line(&line));
    }

    fn feed(&mut self, input: SeatInput<'_>) {
        let mut out = SeatOutput::default();
        self.dialect.input(input, &mut out);
        self.played.skipped += out.skipped;
        self.played.retired |= out.retire;
        for line in out.lines {
            assert!(!line.contains('\n'), "one message, one line");
            let msg: Value = serde_json::from_str(&line).expect("a dialect writes JSON");
            if let (Some(method), Some(id)) = (msg["method"].as_str(), msg.get("id")) {
                self.own.push((method.to_owned(), id.clone()));
            }
            self.played.lines.push(line);
        }
        for event in out.events {
            let turn = self.played.turns.last_mut().expect("events come within a turn");
            self.running &= !event.is_terminal();
            turn.see(event);
        }
    }
}

/// Whole texts that a line of the engine gives as its answer.
pub fn given(msg: &Value) -> Vec<String> {
    let texts = |list: &Value| -> Vec<String> {
        let blocks = list.as_array().map_or(&[][..], Vec::as_slice).iter();
        blocks
            .filter(|block| block["type"] == "text")
            .filter_map(|block| block["text"].as_str().map(str::to_owned))
            .collect()
    };
    let is_error = msg.get("error").is_some() || msg["is_api_error_message"] == true;
    if msg["type"] == "assistant" && msg["parent_tool_use_id"].is_null() && !is_error {
        return texts(&msg["message"]["content"]);
    }
    if msg["method"] == "item/completed" && msg["params"]["item"]["type"] == "agentMessage" {
        return msg["params"]["item"]["text"].as_str().map(str::to_owned).into_iter().collect();
    }
    Vec::new()
}
