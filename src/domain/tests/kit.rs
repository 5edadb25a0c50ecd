//! A world around the decisions: a model store, a clock that is turned by hand, engines that say what a test says.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::api::command::{AppCommand, ChatCommand, Command};
use crate::api::snapshot::{ConversationView, PAGE_LEN, Snapshot, TurnRow};
use crate::domain::effect::Effect;
use crate::domain::input::{Input, Stored};
use crate::domain::tests::model_store::ModelStore;
use crate::domain::{AppState, Cx, IdSource};
use crate::model::engine::{
    Availability, Billing, EngineCaps, EngineId, EngineInfo, EngineLook, EngineStatus, ForkCap, PermissionCap,
};
use crate::model::id::{ConversationId, ProjectId, TurnId};
use crate::model::message::{ItemBody, Message};
use crate::model::project::{Draft, SeatChoice, TextNames};
use crate::model::record::StoreWrite;
use crate::model::turn::{
    FailureKind, PermissionRequest, StopReason, TurnEvent, TurnFailure, TurnSpec, TurnState,
};

pub(super) struct World {
    pub state: AppState,
    pub ids: IdSource,
    pub now_ms: i64,
    pub store: ModelStore,
    pub writes: VecDeque<(u64, Vec<StoreWrite>)>,
    /// Reads asked for and not yet made.
    pub reads: Vec<Effect>,
    /// Reads made and not yet delivered.
    pub answers: Vec<Stored>,
    pub started: Vec<TurnSpec>,
    /// Everything else that was asked for.
    pub effects: Vec<Effect>,
}

impl World {
    /// Two agents and the tour are known, nothing was ever kept.
    pub fn new() -> Self {
        let state = AppState::new("0".into(), "/data".into(), TextNames::default());
        let mut world = Self {
            state,
            ids: IdSource::new(1),
            now_ms: 1_000,
            store: ModelStore::default(),
            writes: VecDeque::new(),
            reads: Vec::new(),
            answers: Vec::new(),
            started: Vec::new(),
            effects: Vec::new(),
        };
        world.begin();
        world
    }

    fn begin(&mut self) {
        self.put(Input::Engines(["ada", "bob", "tour"].map(info).to_vec()));
        let statuses = ["ada", "bob", "tour"].map(ready).to_vec();
        self.put(Input::Discovered { statuses, took_ms: 1, complete: true });
        let startup = self.store.startup();
        self.put(Input::Started(Box::new(startup)));
    }

    /// As after a crash: what was not written is gone.
    pub fn crash(&mut self) {
        self.state = AppState::new("0".into(), "/data".into(), TextNames::default());
        self.writes.clear();
        self.reads.clear();
        self.answers.clear();
        self.started.clear();
        self.begin();
    }

    /// With an open project and one conversation, everything written.
    pub fn with_conversation() -> (Self, ConversationId) {
        let mut world = Self::new();
        let id = world.new_conversation();
        (world, id)
    }

    pub fn project(&mut self) -> ProjectId {
        if self.state.project.is_none() {
            self.put(Input::FolderChecked { path: "/code/heron".into(), result: Ok(()) });
        }
        self.state.project.unwrap()
    }

    pub fn new_conversation(&mut self) -> ConversationId {
        let project = self.project();
        self.chat(ChatCommand::New { project, seat: None });
        self.settle();
        let id = self.state.focus.unwrap();
        // Another one is only made when this one has been used.
        self.chat(ChatCommand::Rename { conversation: id, title: format!("Talk {id}") });
        self.settle();
        id
    }

    /// Takes one thing in; keeps what comes of it. Gives the new effects other than writes, reads and starts.
    pub fn put(&mut self, input: Input) -> Vec<Effect> {
        self.now_ms += 1;
        let mut cx = Cx { now_ms: self.now_ms, ids: &mut self.ids };
        let mut others = Vec::new();
        for effect in self.state.handle(input, &mut cx) {
            match effect {
                Effect::Write { ticket, batch } => self.writes.push_back((ticket, batch)),
                Effect::LoadIndex { .. } | Effect::LoadPage { .. } | Effect::LoadResend { .. } => {
                    self.reads.push(effect);
                }
                Effect::StartTurn(spec) => {
                    assert!(
                        self.store.turns.contains_key(&spec.turn),
                        "the request is kept before it goes out"
                    );
                    assert!(self.store.messages.contains_key(&spec.user_message), "so are its words");
                    self.started.push(*spec);
                }
                other => others.push(other),
            }
        }
        self.effects.extend(others.iter().cloned());
        others
    }

    pub fn command(&mut self, command: impl Into<Command>) -> Vec<Effect> {
        self.put(Input::Command(command.into()))
    }

    pub fn chat(&mut self, command: ChatCommand) -> Vec<Effect> {
        self.command(command)
    }

    pub fn send(&mut self, conversation: ConversationId, text: &str) {
        self.chat(ChatCommand::Send { conversation, draft: Draft::text(text) });
    }

    pub fn look(&mut self, conversation: Option<ConversationId>, focused: bool) {
        self.command(AppCommand::Viewing { conversation, beside: Vec::new(), held: Vec::new(), focused });
    }

    /// The oldest write is done, or fails.
    pub fn acknowledge(&mut self, works: bool) -> bool {
        let Some((ticket, batch)) = self.writes.pop_front() else { return false };
        let result = if works { self.store.apply(&batch) } else { Err("The disk is full.".into()) };
        self.put(Input::Written { ticket, result });
        true
    }

    /// Makes a read now; it is delivered later.
    pub fn read(&mut self, place: usize) {
        let answer = match self.reads.remove(place) {
            Effect::LoadIndex { conversation, generation } => {
                Stored::Index { conversation, generation, result: Ok(self.store.opened(conversation)) }
            }
            Effect::LoadPage { conversation, page, generation, first_seq, last_seq } => {
                let mut found = self.store.shown(conversation);
                found.retain(|row| (first_seq..=last_seq).contains(&row.seq));
                Stored::Page { conversation, page, generation, result: Ok(found) }
            }
            Effect::LoadResend { turn, plan } => {
                let found = self.store.turns.get(&turn).cloned().and_then(|record| {
                    let user = self.store.messages.get(&record.user_message)?;
                    (!self.store.out.contains(&user.id)).then(|| (record, user.clone()))
                });
                Stored::Resend { turn, plan, result: found.ok_or_else(|| "not kept".into()) }
            }
            other => panic!("not a read: {other:?}"),
        };
        self.answers.push(answer);
    }

    pub fn deliver(&mut self, place: usize) {
        let answer = self.answers.remove(place);
        self.put(Input::Stored(answer));
    }

    /// Until nothing is under way; everything works.
    pub fn settle(&mut self) {
        for _ in 0..5_000 {
            if self.acknowledge(true) {
            } else if !self.answers.is_empty() {
                self.deliver(0);
            } else if !self.reads.is_empty() {
                self.read(0);
            } else if self.state.writes.failed.is_empty() {
                return;
            } else {
                self.put(Input::Tick);
            }
        }
        panic!("it never settles");
    }

    pub fn snapshot(&mut self) -> Snapshot {
        self.state.snapshot()
    }

    pub fn view(&mut self, id: ConversationId) -> Arc<ConversationView> {
        self.snapshot().view(id).cloned().expect("the conversation is open")
    }

    pub fn turn(&mut self, id: ConversationId) -> Arc<TurnRow> {
        self.view(id).turn.clone().expect("a turn")
    }

    pub fn turn_state(&mut self, id: ConversationId) -> TurnState {
        self.turn(id).state
    }

    /// Opens it and loads all of it.
    pub fn whole(&mut self, conversation: ConversationId) -> Vec<Arc<Message>> {
        self.chat(ChatCommand::Open { conversation });
        self.settle();
        let count = u32::try_from(self.view(conversation).index.len()).unwrap();
        for page in 0..count.div_ceil(PAGE_LEN) {
            self.chat(ChatCommand::LoadPage { conversation, page });
        }
        self.settle();
        messages(&self.view(conversation))
    }

    pub fn texts(&mut self, conversation: ConversationId) -> Vec<String> {
        messages(&self.view(conversation)).iter().map(|message| message.plain_text()).collect()
    }

    /// The running turn of a conversation.
    pub fn live(&self, id: ConversationId) -> TurnId {
        self.state.conversations[&id].live.expect("a running turn")
    }

    pub fn say(&mut self, turn: TurnId, event: TurnEvent) -> Vec<Effect> {
        self.put(Input::Turn { turn, event })
    }

    /// Sends, and has it answered.
    pub fn ask(&mut self, id: ConversationId, text: &str, answer: &str) -> TurnId {
        self.send(id, text);
        self.settle();
        let turn = self.live(id);
        self.say(turn, started("s"));
        self.say(turn, words("m", answer));
        self.say(turn, TurnEvent::Finished(StopReason::Completed));
        self.settle();
        turn
    }
}

pub(super) fn messages(view: &ConversationView) -> Vec<Arc<Message>> {
    (0..view.index.len()).map(|place| view.message(place).expect("a loaded message").clone()).collect()
}

pub(super) fn started(session: &str) -> TurnEvent {
    TurnEvent::Started { session: Some(session.into()), model: None }
}

pub(super) fn words(key: &str, delta: &str) -> TurnEvent {
    TurnEvent::ItemDelta { key: key.into(), delta: delta.into() }
}

pub(super) fn asked(ask: &str, command: &str) -> TurnEvent {
    TurnEvent::PermissionAsked(PermissionRequest {
        ask: ask.into(),
        tool: "Bash".into(),
        command: Some(command.into()),
        ..PermissionRequest::default()
    })
}

pub(super) fn text_body(text: &str) -> ItemBody {
    ItemBody::Text { text: text.into() }
}

pub(super) fn failed(kind: FailureKind) -> TurnEvent {
    TurnEvent::Failed(TurnFailure {
        kind,
        message: "It broke".into(),
        hint: "Mend it".into(),
        detail: String::new(),
        resets_at_ms: None,
    })
}

pub(super) fn seat(engine: &str) -> SeatChoice {
    SeatChoice::new(EngineId::new(engine))
}

fn info(id: &str) -> EngineInfo {
    EngineInfo {
        id: EngineId::new(id),
        name: id.to_uppercase(),
        look: if id == "tour" { EngineLook::Demo } else { EngineLook::Local },
        caps: EngineCaps {
            stream: true,
            tools: true,
            permissions: PermissionCap::Asks,
            resume: true,
            fork: ForkCap::None,
            system_apart: false,
            images: false,
            usage: true,
            cost: false,
            mcp: false,
            warm: true,
        },
        programs: Vec::new(),
        home_dirs: Vec::new(),
        models: Vec::new(),
        key_variables: Vec::new(),
        install_hint: String::new(),
        login_hint: String::new(),
        resume_command: format!("{id} --resume {{id}}"),
    }
}

pub(super) fn ready(id: &str) -> EngineStatus {
    EngineStatus {
        id: EngineId::new(id),
        availability: Availability::Ready,
        version: None,
        path: None,
        found_by: None,
        login: None,
        billing: Billing::default(),
        models: Vec::new(),
    }
}
