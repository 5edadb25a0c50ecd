//! A branch summarised by an agent, from reading it to the last word of the draft.
//!
//! The agent gets the branch as text, in a session and an empty folder of its own, without tools where it can be told
//! so; what it asks for is denied, and nothing is kept. Start reading at [`Job::work`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::context::summary::{merge_request, part_budget, part_summary, parts, request, talk};
use crate::domain::input::Input;
use crate::domain::{fold_item, nothing_said};
use crate::engine::host::{RunTurn, SeatKey, TurnControl};
use crate::engine::{Engine, Launch};
use crate::model::engine::Billing;
use crate::model::id::{ConversationId, TurnId};
use crate::model::message::{Author, Item, ItemBody, Message, MessageState};
use crate::model::positions::{Spoken, key_positions};
use crate::model::summary::{SummaryEvent, SummarySources, SummarySpec, Unwritten, add_usage};
use crate::model::turn::{
    Decision, FailureKind, SeatSpec, StopReason, TurnEvent, TurnFailure, TurnRequest, Usage,
};
use crate::runtime::turn::TurnCx;
use crate::store::{ReadDb, StoreError};

/// The window of an agent that has not told it here, in tokens: below that of the default model of each agent known
/// (200,000 and more, as they tell themselves with a turn).
const AGENT_WINDOW_TOKENS: u64 = 128_000;
/// The window of a server, which never tells it: what Ollama keeps where nobody set another
/// (its documentation: `OLLAMA_CONTEXT_LENGTH`). It cuts off the rest in silence.
const SERVER_WINDOW_TOKENS: u64 = 4_096;
/// One part may take this long in all.
const PART_LIMIT: Duration = Duration::from_secs(900);
/// An answer beyond this is ended and taken as it is, in Unicode characters.
const ANSWER_MAX_CHARS: usize = 60_000;
/// Denied questions after which an agent that does nothing but ask is given up.
const ASKS_MAX: u32 = 12;
/// Parts that turned out too long are halved this often.
const HALVINGS: u32 = 4;
/// Rounds in which summaries are put together; each makes at least three of them one.
const ROUNDS_MAX: u32 = 12;
/// Messages read at a time.
const READ_AT_ONCE: usize = 64;
/// How long the end of the program waits for a request that is being put away.
const END_LIMIT: Duration = Duration::from_secs(3);
/// What an agent is told that asks for permission.
const DENIED: &str =
    "Not for a summary: all that is needed is in the request. Answer with the summary alone.";

/// The requests under way.
#[derive(Default)]
pub(in crate::runtime) struct Summaries {
    running: HashMap<TurnId, Running>,
}

struct Running {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Summaries {
    pub fn begin(&mut self, cx: TurnCx, spec: SummarySpec, inputs: mpsc::Sender<Input>) {
        self.running.retain(|_, running| !running.task.is_finished());
        let (run, stop) = (spec.run, CancellationToken::new());
        let task = tokio::spawn(summarise(cx, spec, inputs, stop.clone()));
        self.running.insert(run, Running { stop, task });
    }

    pub fn stop(&self, run: TurnId) {
        if let Some(running) = self.running.get(&run) {
            running.stop.cancel();
        }
    }

    /// Stops all; returns when they have put away what they used, within 3 s.
    pub async fn end(&mut self) {
        let running: Vec<Running> = self.running.drain().map(|(_, running)| running).collect();
        running.iter().for_each(|running| running.stop.cancel());
        for one in running {
            if tokio::time::timeout(END_LIMIT, one.task).await.is_err() {
                tracing::warn!("a summary was not put away in time");
            }
        }
    }
}

/// One request to its end, whatever that is: afterwards no process of it runs, and its folder is gone.
async fn summarise(cx: TurnCx, spec: SummarySpec, inputs: mpsc::Sender<Input>, stop: CancellationToken) {
    let (run, branch) = (spec.run, spec.branch);
    let host = cx.host.clone();
    let folder = scratch_folder(cx.config.paths.data_folder()).join(uuid::Uuid::new_v4().to_string());
    let tell = inputs.clone();
    let work = work(cx, spec, folder.clone(), inputs);
    let ended = tokio::select! {
        biased;
        () = stop.cancelled() => None,
        ended = work => Some(ended),
    };
    // Nobody else has a seat under this name.
    host.close(ConversationId(run.0)).await;
    let removed = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(folder)).await;
    if let Ok(Err(error)) = removed {
        tracing::debug!(%error, "the folder of a summary was gone already");
    }
    let event = match ended {
        Some(Ok(text)) => SummaryEvent::Done(text),
        Some(Err(failure)) => SummaryEvent::Failed(failure),
        None => return,
    };
    // Fails only when the loop has ended.
    drop(tell.send(Input::Summary { branch, run, event }).await);
}

/// Folders for agents that need none; all of them are ours.
fn scratch_folder(data_folder: &Path) -> PathBuf {
    data_folder.join("scratch")
}

/// Takes away what a run that crashed left behind; only the owner of the folder may call it.
pub(in crate::runtime) fn clear_scratch(data_folder: &Path) {
    let folder = scratch_folder(data_folder);
    if folder.exists()
        && let Err(error) = std::fs::remove_dir_all(folder)
    {
        tracing::warn!(%error, "a folder of an earlier run stays");
    }
}

async fn work(
    mut cx: TurnCx,
    spec: SummarySpec,
    folder: PathBuf,
    inputs: mpsc::Sender<Input>,
) -> Result<String, TurnFailure> {
    let engine = cx.engine(&spec.seat.engine)?;
    let set = cx.settings.engines.get(&spec.seat.engine);
    let mut seat = SeatSpec {
        engine: spec.seat.engine.clone(),
        model: spec.seat.model.clone(),
        cwd: folder.clone(),
        resume: None,
        fork: None,
        new_session_id: String::new(),
        system_file: None,
        skip_permissions: false,
        words_only: true,
        billing: set.map_or_else(Billing::default, |set| set.billing),
        program: None,
        version: None,
    };
    cx.find_program(&*engine, &mut seat).await?;
    lay_out(&folder, &*engine)
        .await
        .map_err(|error| internal("The folder for the summary could not be made", &error.to_string()))?;
    Job { cx, spec, engine, seat, inputs, used: Usage::default() }.work().await
}

/// Makes the folder that the agent works in.
async fn lay_out(folder: &Path, engine: &dyn Engine) -> std::io::Result<()> {
    tokio::fs::create_dir_all(folder).await?;
    for (place, text) in engine.words_only_files() {
        let file = folder.join(place);
        tokio::fs::create_dir_all(file.parent().unwrap_or(folder)).await?;
        tokio::fs::write(file, text).await?;
    }
    Ok(())
}

/// Begins and ends what is data; nobody can have said it. Each request has its own: an agent may have been talked
/// into saying that of an earlier one.
fn new_mark() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// One request with all it needs.
struct Job {
    cx: TurnCx,
    spec: SummarySpec,
    engine: Arc<dyn Engine>,
    seat: SeatSpec,
    inputs: mpsc::Sender<Input>,
    /// Over all parts that have ended.
    used: Usage,
}

impl Job {
    async fn work(mut self) -> Result<String, TurnFailure> {
        let (entries, window) = self.read().await?;
        if entries.is_empty() {
            return Err(nothing_said());
        }
        let window = window.unwrap_or_else(|| self.assumed_window());
        let mut budget_chars = part_budget(window, &entries);
        let mut halved = 0;
        loop {
            match self.in_parts(&parts(&entries, budget_chars), budget_chars).await {
                Err(failure) if failure.kind == FailureKind::PromptTooLong && halved < HALVINGS => {
                    let longest = entries.iter().map(|entry| entry.chars().count() + 2).sum();
                    budget_chars = budget_chars.min(longest) / 2;
                    halved += 1;
                }
                ended => return ended,
            }
        }
    }

    fn assumed_window(&self) -> u64 {
        match self.engine.launch(&self.seat) {
            Ok(Launch::Http { .. }) => SERVER_WINDOW_TOKENS,
            Ok(Launch::Process { .. } | Launch::Builtin) | Err(_) => AGENT_WINDOW_TOKENS,
        }
    }

    /// The whole branch, and the window of the model if it was told before.
    async fn read(&mut self) -> Result<(Vec<String>, Option<u64>), TurnFailure> {
        let Some(reads) = &self.cx.reads else {
            return Err(internal("The branch could not be read", "there is no database to read from"));
        };
        let spec = self.spec.clone();
        let read = reads
            .read(move |db| Ok((read_talk(db, spec.branch, &spec.unwritten)?, known_window(db, &spec)?)));
        read.await.map_err(|error| internal("The branch could not be read", &error.to_string()))
    }

    /// Each part summarised by itself, then all of them put together.
    async fn in_parts(&mut self, texts: &[String], budget_chars: usize) -> Result<String, TurnFailure> {
        let count = u32::try_from(texts.len()).unwrap_or(u32::MAX);
        let mut summaries = Vec::new();
        for (text, part) in texts.iter().zip(1..) {
            self.tell(SummaryEvent::Part { part, parts: count }).await;
            let said = self.ask(request(text, part, count, &new_mark())).await?;
            if count == 1 {
                return Ok(said);
            }
            summaries.push(part_summary(&said, budget_chars));
        }
        self.tell(SummaryEvent::Part { part: count.saturating_add(1), parts: count }).await;
        for _round in 0..ROUNDS_MAX {
            let groups = groups(summaries, budget_chars);
            let last = groups.len() == 1;
            let mut merged = Vec::new();
            for group in groups {
                let said = self.ask(merge_request(&group, last, &new_mark())).await?;
                if last {
                    return Ok(said);
                }
                merged.push(part_summary(&said, budget_chars));
            }
            summaries = merged;
        }
        Err(internal("The parts could not be put together", "they stay too long"))
    }

    async fn tell(&self, event: SummaryEvent) {
        let (branch, run) = (self.spec.branch, self.spec.run);
        // Fails only when the loop has ended.
        drop(self.inputs.send(Input::Summary { branch, run, event }).await);
    }

    /// One question to a new session. The process has ended when this returns.
    async fn ask(&mut self, text: String) -> Result<String, TurnFailure> {
        self.seat.new_session_id = uuid::Uuid::new_v4().to_string();
        let turn = self.spec.run;
        let conversation = ConversationId(turn.0);
        let (events, mut heard) = mpsc::channel(256);
        let (control, from_us) = mpsc::channel(64);
        let host = self.cx.host.clone();
        let running = host.run(RunTurn {
            seat: self.seat.clone(),
            engine: self.engine.clone(),
            key: SeatKey::of(conversation, &self.seat),
            request: TurnRequest { turn, text },
            expect_session: None,
            events,
            control: from_us,
            idle_timeout: Duration::from_secs(u64::from(self.cx.settings.turn_idle_timeout_secs)),
            once: true,
        });
        let mut answer = Answer::default();
        let listening = self.listen(&mut heard, &control, &mut answer);
        let both = async { tokio::join!(running, listening).1 };
        let ended = tokio::time::timeout(PART_LIMIT, both).await;
        self.used = add_usage(&self.used, &answer.usage);
        let Ok(ended) = ended else {
            host.close(conversation).await;
            return Err(failed(FailureKind::TimedOut, "The summary took longer than 15 minutes.".to_owned()));
        };
        let stop = ended?;
        let text = answer.text();
        let agent = &self.engine.info().name;
        match stop {
            StopReason::Refused => {
                Err(failed(FailureKind::Other, format!("{agent} refused to summarise the branch.")))
            }
            StopReason::Cancelled if !answer.cut => {
                Err(failed(FailureKind::Other, format!("{agent} ended without a summary.")))
            }
            _ if text.is_empty() => Err(failed(FailureKind::Other, format!("{agent} answered nothing."))),
            _ => Ok(text),
        }
    }

    /// Up to the terminal event.
    async fn listen(
        &self,
        heard: &mut mpsc::Receiver<(TurnId, TurnEvent)>,
        control: &mpsc::Sender<TurnControl>,
        answer: &mut Answer,
    ) -> Result<StopReason, TurnFailure> {
        let mut asked = 0;
        while let Some((_, event)) = heard.recv().await {
            match event {
                TurnEvent::Finished(stop) => return Ok(stop),
                TurnEvent::Failed(_) if answer.cut => return Ok(StopReason::Cancelled),
                TurnEvent::Failed(failure) => return Err(failure),
                TurnEvent::Usage(usage) => {
                    answer.usage = usage;
                    self.tell(SummaryEvent::Usage(add_usage(&self.used, &answer.usage))).await;
                }
                TurnEvent::PermissionAsked(question) => {
                    asked += 1;
                    if asked > ASKS_MAX {
                        drop(control.try_send(TurnControl::Stop));
                        continue;
                    }
                    let decision = Decision::Deny { comment: DENIED.to_owned() };
                    // Full only when the seat has gone: then its end is on the way.
                    drop(control.try_send(TurnControl::Answer { ask: question.ask, decision }));
                }
                event => {
                    if fold_item(&mut answer.items, &event) && heard.is_empty() {
                        self.tell(SummaryEvent::Text(answer.text())).await;
                    }
                    if !answer.cut && answer.is_flood() {
                        answer.cut = true;
                        drop(control.try_send(TurnControl::Stop));
                    }
                }
            }
        }
        Err(internal("The summary ended", "the agent's seat was closed"))
    }
}

/// What has come of one answer.
#[derive(Default)]
struct Answer {
    items: Vec<Item>,
    usage: Usage,
    /// It was ended because it did not end by itself.
    cut: bool,
}

impl Answer {
    /// What was said after the last tool, or all of it: words before a tool are about the tool.
    fn text(&self) -> String {
        let is_tool = |item: &Item| matches!(item.body, ItemBody::Tool(_) | ItemBody::Permission { .. });
        let after = self.items.iter().rposition(is_tool).map_or(0, |at| at + 1);
        let texts = |items: &[Item]| -> String {
            let said = items.iter().filter_map(|item| match &item.body {
                ItemBody::Text { text } if !text.trim().is_empty() => Some(text.trim()),
                _ => None,
            });
            said.collect::<Vec<_>>().join("\n\n")
        };
        let last = texts(self.items.get(after..).unwrap_or_default());
        if last.is_empty() { texts(&self.items) } else { last }
    }

    fn is_flood(&self) -> bool {
        let bytes: usize = self
            .items
            .iter()
            .map(|item| match &item.body {
                ItemBody::Text { text } | ItemBody::Thinking { text } => text.len(),
                _ => 0,
            })
            .sum();
        bytes > ANSWER_MAX_CHARS * 4
    }
}

/// As many in order as one request takes; at least two, so that it comes to an end.
fn groups(summaries: Vec<String>, budget_chars: usize) -> Vec<Vec<String>> {
    let mut out: Vec<Vec<String>> = Vec::new();
    let mut length = 0;
    for summary in summaries {
        let chars = summary.chars().count() + 16;
        match out.last_mut().filter(|group| group.len() < 2 || length + chars <= budget_chars) {
            Some(group) => {
                group.push(summary);
                length += chars;
            }
            None => {
                out.push(vec![summary]);
                length = chars;
            }
        }
    }
    out
}

/// Every message with words, oldest first.
fn read_talk(db: &ReadDb, branch: ConversationId, unwritten: &Unwritten) -> Result<Vec<String>, StoreError> {
    let mut entries: Vec<(i64, String)> = Vec::new();
    for rows in db.index(branch)?.chunks(READ_AT_ONCE) {
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { continue };
        for message in db.messages_between(branch, first.seq, last.seq)? {
            if !unwritten.replaces(message.id) {
                entries.extend(talk(std::slice::from_ref(&message)).pop().map(|text| (message.seq, text)));
            }
        }
    }
    for message in unwritten.standing() {
        entries.extend(talk(std::slice::from_ref(message)).pop().map(|text| (message.seq, text)));
    }
    entries.sort_by_key(|(seq, _)| *seq);
    Ok(entries.into_iter().map(|(_, text)| text).collect())
}

/// As the engine told it with a turn of the same model, here or in the parent.
fn known_window(db: &ReadDb, spec: &SummarySpec) -> Result<Option<u64>, StoreError> {
    for conversation in [spec.branch, spec.parent] {
        let turns = db.turns_of(conversation)?;
        let same = turns
            .into_iter()
            .rev()
            .filter(|turn| turn.seat.engine == spec.seat.engine && turn.seat.model == spec.seat.model);
        let mut told = same.filter_map(|turn| turn.usage?.window_tokens.filter(|tokens| *tokens > 0));
        if let Some(tokens) = told.next() {
            return Ok(Some(tokens));
        }
    }
    Ok(None)
}

/// What the agents of a branch said last, and what each holds.
pub(in crate::runtime) fn read_sources(
    db: &ReadDb,
    branch: ConversationId,
    unwritten: &Unwritten,
) -> Result<SummarySources, StoreError> {
    // Of an agent whose last words are taken out the ones before count; that is seldom, so then all is read.
    let read = if unwritten.gone.is_empty() {
        db.last_by_speaker(branch, i64::MAX)?
    } else {
        db.messages_between(branch, i64::MIN, i64::MAX)?
    };
    let mut messages: Vec<Message> =
        read.into_iter().filter(|message| !unwritten.replaces(message.id)).collect();
    messages.extend(unwritten.standing().cloned());
    messages.sort_by_key(|message| std::cmp::Reverse(message.seq));
    let mut spoken: Vec<Spoken> = Vec::new();
    for message in messages.iter().filter(|message| message.state != MessageState::Streaming) {
        let Author::Agent { name, .. } = &message.author else { continue };
        let text = message.plain_text();
        if !text.trim().is_empty() && !spoken.iter().any(|known| known.name == *name) {
            spoken.push(Spoken { name: name.clone(), text });
        }
    }
    let oldest_first: Vec<Spoken> = spoken.iter().rev().cloned().collect();
    Ok(SummarySources { positions: key_positions(&oldest_first), spoken })
}

fn failed(kind: FailureKind, message: String) -> TurnFailure {
    let hint = "Summarise again, choose another agent, or use the last answer.".to_owned();
    TurnFailure { kind, message, hint, detail: String::new(), resets_at_ms: None }
}

fn internal(what: &str, why: &str) -> TurnFailure {
    failed(FailureKind::Internal, format!("{what}: {why}"))
}
