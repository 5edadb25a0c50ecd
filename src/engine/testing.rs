//! A seat in the hand of a test: inputs in, everything that came out kept.

use serde_json::Value;

use crate::engine::wire::parse_object;
use crate::engine::{Dialect, Engine, SeatExit, SeatInput, SeatOutput, TimerId};
use crate::model::engine::Billing;
use crate::model::id::TurnId;
use crate::model::message::{ItemBody, ToolCall};
use crate::model::turn::{Decision, FailureKind, SeatSpec, StopReason, TurnEvent, TurnRequest};

/// A seat spec with nothing special.
pub fn seat(engine: &dyn Engine) -> SeatSpec {
    SeatSpec {
        engine: engine.info().id.clone(),
        model: None,
        cwd: "/home/user/project".into(),
        resume: None,
        fork: None,
        new_session_id: "11111111-2222-4333-8444-555555555555".to_owned(),
        system_file: None,
        skip_permissions: false,
        words_only: false,
        billing: Billing::Subscription,
        program: None,
        version: Some("1.2.3".to_owned()),
    }
}

/// A dialect and all it gave so far.
pub struct Hand {
    dialect: Box<dyn Dialect>,
    pub all: SeatOutput,
    turn: i64,
}

impl Hand {
    pub fn new(engine: &dyn Engine, seat: &SeatSpec) -> Self {
        Self { dialect: engine.dialect(seat), all: SeatOutput::default(), turn: 0 }
    }

    pub fn feed(&mut self, input: SeatInput<'_>) -> &mut Self {
        let mut out = SeatOutput::default();
        self.dialect.input(input, &mut out);
        self.all.lines.append(&mut out.lines);
        self.all.events.append(&mut out.events);
        self.all.timers.append(&mut out.timers);
        self.all.log.append(&mut out.log);
        self.all.skipped += out.skipped;
        self.all.retire |= out.retire;
        self
    }

    pub fn begin(&mut self, text: &str) -> &mut Self {
        self.turn += 1;
        let request = TurnRequest { turn: TurnId(self.turn), text: text.to_owned() };
        self.feed(SeatInput::Begin(&request))
    }

    pub fn line(&mut self, line: &Value) -> &mut Self {
        self.feed(SeatInput::Line(&line.to_string()))
    }

    pub fn exit(&mut self, code: i32, stderr: &str) -> &mut Self {
        self.feed(SeatInput::Exited(&SeatExit {
            code: Some(code),
            signal: None,
            stderr_tail: stderr.to_owned(),
        }))
    }

    pub fn answer(&mut self, ask: &str, decision: &Decision) -> &mut Self {
        self.feed(SeatInput::Answer { ask, decision })
    }

    /// Lets the timer fire that was started last.
    pub fn fire(&mut self) -> &mut Self {
        let timer = self.all.timers.last().map_or(TimerId(0), |(timer, _)| *timer);
        self.feed(SeatInput::Deadline(timer))
    }

    /// Lines written, read back.
    pub fn sent(&self) -> Vec<Value> {
        self.all.lines.iter().map(|line| parse_object(line).expect("a JSON object")).collect()
    }

    /// All texts that stand, joined by `|`.
    pub fn text(&self) -> String {
        self.items()
            .into_iter()
            .filter_map(|(_, body)| match body {
                ItemBody::Text { text } => Some(text),
                _ => None,
            })
            .collect::<Vec<_>>()
            .join("|")
    }

    pub fn tools(&self) -> Vec<ToolCall> {
        self.items()
            .into_iter()
            .filter_map(|(_, body)| match body {
                ItemBody::Tool(call) => Some(call),
                _ => None,
            })
            .collect()
    }

    pub fn items(&self) -> Vec<(String, ItemBody)> {
        let mut items: Vec<(String, ItemBody)> = Vec::new();
        for event in &self.all.events {
            match event {
                TurnEvent::ItemStarted { key, body } => items.push((key.clone(), body.clone())),
                TurnEvent::ItemReplaced { key, body } => {
                    items
                        .iter_mut()
                        .filter(|(known, _)| known == key)
                        .for_each(|(_, shown)| shown.clone_from(body));
                }
                TurnEvent::ItemWithdrawn { key } => items.retain(|(known, _)| known != key),
                TurnEvent::ItemDelta { key, delta } => {
                    for (_, body) in items.iter_mut().filter(|(known, _)| known == key) {
                        match body {
                            ItemBody::Text { text } | ItemBody::Thinking { text } => text.push_str(delta),
                            ItemBody::Tool(call) => call.output.push_str(delta),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        items
    }

    pub fn ends(&self) -> usize {
        self.all.events.iter().filter(|event| event.is_terminal()).count()
    }

    pub fn stop(&self) -> Option<StopReason> {
        match self.all.events.last() {
            Some(TurnEvent::Finished(reason)) => Some(*reason),
            _ => None,
        }
    }

    pub fn failed(&self) -> Option<FailureKind> {
        match self.all.events.last() {
            Some(TurnEvent::Failed(failure)) => Some(failure.kind),
            _ => None,
        }
    }

    pub fn has(&self, wanted: impl Fn(&TurnEvent) -> bool) -> bool {
        self.all.events.iter().any(wanted)
    }
}
