//! Plays a prepared answer, step by step and paced by timers: what the demo and the scripts are made of.

use std::collections::VecDeque;
use std::time::Duration;

use crate::engine::{SeatInput, SeatOutput, TimerId};
use crate::model::message::{ItemBody, ToolCall, ToolState};
use crate::model::turn::{Decision, PermissionRequest, StopReason, TurnEvent, TurnFailure};

/// One step of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Wait(Duration),
    /// More text: goes on with the open text item or begins one.
    Text(String),
    Thinking(String),
    /// The open item ends; the next text begins a new one.
    Close,
    /// The open text item is void.
    Withdraw,
    /// The open text item's whole text.
    Replace(String),
    Tool {
        key: String,
        call: ToolCall,
    },
    Event(TurnEvent),
    Ask(Box<Ask>),
    /// Silence until stopped. `deaf`: even a stop is not heard.
    Hang {
        deaf: bool,
    },
    Finish(StopReason),
    Fail(TurnFailure),
    /// As `Fail`, and the seat cannot be used again.
    Crash(TurnFailure),
}

/// A question, and how the answer goes on after it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ask {
    pub(super) request: PermissionRequest,
    pub(super) allowed: Vec<Step>,
    pub(super) denied: Vec<Step>,
    /// Say the comment of a refusal.
    pub(super) say_comment: bool,
}

#[derive(Debug, Default)]
enum Waits {
    #[default]
    Nothing,
    Timer(u32),
    Answer(Box<Ask>),
    Forever {
        deaf: bool,
    },
}

/// Plays one answer at a time. Every answer ends with exactly one terminal event.
#[derive(Debug, Default)]
pub(super) struct Player {
    steps: VecDeque<Step>,
    waits: Waits,
    /// Key of the open item, and whether it is thinking.
    open: Option<(String, bool)>,
    items: u32,
    timer: u32,
    tools: Vec<(String, ToolCall)>,
    playing: bool,
}

impl Player {
    /// Starts an answer; one that still runs is forgotten.
    pub(super) fn play(&mut self, steps: Vec<Step>, out: &mut SeatOutput) {
        self.steps = steps.into();
        self.waits = Waits::Nothing;
        self.open = None;
        self.items = 0;
        self.tools.clear();
        self.playing = true;
        self.go_on(out);
    }

    /// Everything but the beginning of a turn.
    pub(super) fn input(&mut self, input: &SeatInput<'_>, out: &mut SeatOutput) {
        if !self.playing {
            return;
        }
        match input {
            SeatInput::Deadline(TimerId(id)) if matches!(self.waits, Waits::Timer(wanted) if wanted == *id) =>
            {
                self.waits = Waits::Nothing;
                self.go_on(out);
            }
            SeatInput::Answer { ask, decision } => self.answered(ask, decision, out),
            SeatInput::Cancel => self.cancel(out),
            _ => {}
        }
    }

    fn answered(&mut self, ask: &str, decision: &Decision, out: &mut SeatOutput) {
        let open = match std::mem::take(&mut self.waits) {
            Waits::Answer(open) if open.request.ask == ask => open,
            other => {
                self.waits = other;
                return;
            }
        };
        let mut next = match decision {
            Decision::AllowOnce => open.allowed,
            Decision::Deny { .. } => open.denied,
        };
        if let (Decision::Deny { comment }, true) = (decision, open.say_comment)
            && !comment.is_empty()
        {
            next.push(Step::Text(format!("Your comment: {comment}\n")));
        }
        for step in next.into_iter().rev() {
            self.steps.push_front(step);
        }
        self.go_on(out);
    }

    fn cancel(&mut self, out: &mut SeatOutput) {
        match std::mem::take(&mut self.waits) {
            Waits::Forever { deaf: true } => {
                self.waits = Waits::Forever { deaf: true };
                return;
            }
            Waits::Answer(open) => out.events.push(TurnEvent::PermissionGone { ask: open.request.ask }),
            Waits::Nothing | Waits::Timer(_) | Waits::Forever { deaf: false } => {}
        }
        self.end(TurnEvent::Finished(StopReason::Cancelled), true, out);
    }

    fn go_on(&mut self, out: &mut SeatOutput) {
        while let Some(step) = self.steps.pop_front() {
            match step {
                Step::Wait(time) => {
                    self.timer += 1;
                    self.waits = Waits::Timer(self.timer);
                    out.timers.push((TimerId(self.timer), time));
                    return;
                }
                Step::Text(text) => self.say(text, false, out),
                Step::Thinking(text) => self.say(text, true, out),
                Step::Close => self.open = None,
                Step::Withdraw => {
                    if let Some((key, _)) = self.open.take() {
                        out.events.push(TurnEvent::ItemWithdrawn { key });
                    }
                }
                Step::Replace(text) => self.replace(text, out),
                Step::Tool { key, call } => self.tool(key, call, out),
                Step::Event(event) => out.events.push(event),
                Step::Ask(ask) => {
                    self.open = None;
                    out.events.push(TurnEvent::PermissionAsked(ask.request.clone()));
                    self.waits = Waits::Answer(ask);
                    return;
                }
                Step::Hang { deaf } => {
                    self.waits = Waits::Forever { deaf };
                    return;
                }
                Step::Finish(reason) => return self.end(TurnEvent::Finished(reason), false, out),
                Step::Fail(failure) => return self.end(TurnEvent::Failed(failure), true, out),
                Step::Crash(failure) => {
                    out.retire = true;
                    return self.end(TurnEvent::Failed(failure), true, out);
                }
            }
        }
        self.end(TurnEvent::Finished(StopReason::Completed), false, out);
    }

    fn say(&mut self, text: String, thinking: bool, out: &mut SeatOutput) {
        if let Some((key, kind)) = &self.open
            && *kind == thinking
        {
            out.events.push(TurnEvent::ItemDelta { key: key.clone(), delta: text });
            return;
        }
        self.items += 1;
        let key = format!("{}-{}", if thinking { "thinking" } else { "text" }, self.items);
        self.open = Some((key.clone(), thinking));
        let body = if thinking { ItemBody::Thinking { text } } else { ItemBody::Text { text } };
        out.events.push(TurnEvent::ItemStarted { key, body });
    }

    fn replace(&mut self, text: String, out: &mut SeatOutput) {
        match &self.open {
            Some((key, false)) => {
                out.events.push(TurnEvent::ItemReplaced { key: key.clone(), body: ItemBody::Text { text } });
            }
            _ => self.say(text, false, out),
        }
    }

    fn tool(&mut self, key: String, call: ToolCall, out: &mut SeatOutput) {
        self.open = None;
        let body = ItemBody::Tool(call.clone());
        if let Some((_, known)) = self.tools.iter_mut().find(|(known, _)| *known == key) {
            *known = call;
            out.events.push(TurnEvent::ItemReplaced { key, body });
        } else {
            self.tools.push((key.clone(), call));
            out.events.push(TurnEvent::ItemStarted { key, body });
        }
    }

    fn end(&mut self, event: TurnEvent, stopped: bool, out: &mut SeatOutput) {
        let state = if stopped { ToolState::Stopped } else { ToolState::Done };
        for (key, mut call) in self.tools.drain(..) {
            if matches!(call.state, ToolState::Pending | ToolState::Running) {
                call.state = state;
                out.events.push(TurnEvent::ItemReplaced { key, body: ItemBody::Tool(call) });
            }
        }
        self.steps.clear();
        self.waits = Waits::Nothing;
        self.open = None;
        self.playing = false;
        out.events.push(event);
    }
}
