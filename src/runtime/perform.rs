//! One match over `Effect`; what takes time goes to a task that reports back as an `Input`.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

use crate::api::snapshot::{DatabaseStatus, FIND_MAX};
use crate::domain::effect::Effect;
use crate::domain::input::{Input, OpenedConversation, Stored};
use crate::engine::Engine;
use crate::engine::host::{EngineHost, HostLimits, KeyLookup, TurnControl};
use crate::engine::registry;
use crate::model::engine::EngineInfo;
use crate::model::id::TurnId;
use crate::model::record::{Startup, StoreWrite};
use crate::model::settings::Settings;
use crate::model::turn::{FailureKind, TurnEvent, TurnFailure, TurnSpec};
use crate::os::clock::now_ms;
use crate::os::secrets::{Secret, SecretFile, SecretStore as _};
use crate::runtime::Config;
use crate::runtime::discovery::own_path;
use crate::runtime::git::{self, GitHands, GitTurn};
use crate::runtime::offers::OfferIndex;
use crate::runtime::reads::ReadPool;
use crate::runtime::slow::SlowSources;
use crate::runtime::summary::{Summaries, read_sources};
use crate::runtime::texts;
use crate::runtime::turn::TurnCx;
use crate::store::{
    ReadDb, Store, StoreError, StoreWorker, backup_if_due, list_backups, quick_check, restore_backup,
};

/// Results waiting to be taken in.
const INPUTS_MAX: usize = 1_024;
/// Written tickets waiting; more than the store lets wait, so that its thread never blocks on us.
const WRITTEN_MAX: usize = 4_096;
/// Engine events waiting: a slow core slows the child and not memory.
const EVENTS_MAX: usize = 512;
/// The whole file is checked when the first screen has long been drawn.
const CHECK_AFTER: Duration = Duration::from_secs(3);
const BACKUP_AFTER: Duration = Duration::from_secs(60);
const BACKUP_EVERY: Duration = Duration::from_secs(3_600);

/// Where writes go.
pub(in crate::runtime) enum Port {
    Worker(StoreWorker),
    /// The file is damaged: nothing is written.
    Damaged {
        why: String,
    },
    /// Another program owns the folder: nothing is written, and nobody expects it.
    LookOnly,
}

/// The receiving ends that the inbox listens to.
pub(in crate::runtime) struct Inlets {
    pub inputs: mpsc::Receiver<Input>,
    pub written: mpsc::Receiver<Input>,
    pub turns: mpsc::Receiver<(TurnId, TurnEvent)>,
}

/// Everything effects are performed with.
pub(in crate::runtime) struct Hands {
    pub config: Arc<Config>,
    pub host: Arc<EngineHost>,
    pub keys: KeyLookup,
    secrets: Arc<SecretFile>,
    port: Port,
    pub reads: Option<ReadPool>,
    pub offers: OfferIndex,
    slow: SlowSources,
    pub engines: Arc<[Arc<dyn Engine>]>,
    pub settings: Arc<Settings>,
    /// The PATH of the user's login shell; `None` until the shell has answered.
    pub login_path: watch::Sender<Option<std::ffi::OsString>>,
    running: HashMap<TurnId, mpsc::Sender<TurnControl>>,
    summaries: Summaries,
    git: GitTurn,
    inputs: mpsc::Sender<Input>,
    written: mpsc::Sender<Input>,
    turns: mpsc::Sender<(TurnId, TurnEvent)>,
    inlets: Option<Inlets>,
}

impl Hands {
    pub fn new(
        config: Arc<Config>,
        host: Arc<EngineHost>,
        keys: KeyLookup,
        secrets: Arc<SecretFile>,
        port: Port,
        reads: Option<ReadPool>,
    ) -> Self {
        let (inputs, input_inlet) = mpsc::channel(INPUTS_MAX);
        let (written, written_inlet) = mpsc::channel(WRITTEN_MAX);
        let (turns, turn_inlet) = mpsc::channel(EVENTS_MAX);
        let settings = Settings::default();
        // Without a look around, nobody asks the login shell: the program's own PATH serves at once.
        let login_path = watch::Sender::new((!config.discover).then(|| own_path(&config)));
        let slow = SlowSources::new(config.clone(), login_path.subscribe());
        Self {
            host,
            keys,
            secrets,
            port,
            reads,
            offers: OfferIndex::new(&config, slow.shelf()),
            slow,
            engines: registry::builtin(&settings).into(),
            settings: Arc::new(settings),
            login_path,
            config,
            running: HashMap::new(),
            summaries: Summaries::default(),
            git: GitTurn::default(),
            inputs,
            written,
            turns,
            inlets: Some(Inlets { inputs: input_inlet, written: written_inlet, turns: turn_inlet }),
        }
    }

    /// The receiving ends; there is one taker. A second gets closed ones.
    pub fn take_inlets(&mut self) -> Inlets {
        self.inlets.take().unwrap_or_else(|| Inlets {
            inputs: mpsc::channel(1).1,
            written: mpsc::channel(1).1,
            turns: mpsc::channel(1).1,
        })
    }

    pub fn engine_infos(&self) -> Vec<EngineInfo> {
        self.engines.iter().map(|engine| engine.info().clone()).collect()
    }

    /// Everything kept but messages.
    pub async fn startup(&self) -> Option<Input> {
        let Some(reads) = &self.reads else {
            return Some(Input::Started(Box::new(Startup { next_id: 1, ..Startup::default() })));
        };
        match reads.read(ReadDb::startup).await {
            Ok(mut startup) => {
                if matches!(self.port, Port::LookOnly) {
                    // They are their owner's to send; who only looks must not send them a second time.
                    startup.queued.clear();
                }
                Some(Input::Started(Box::new(startup)))
            }
            Err(error) => {
                Some(Input::Trouble { title: "What was kept cannot be read".into(), body: error.to_string() })
            }
        }
    }

    /// Does one thing. What is known at once comes back; the rest arrives as an input later.
    pub async fn perform(&mut self, effect: Effect) -> Vec<Input> {
        match effect {
            Effect::Write { ticket, batch } => return self.write(ticket, batch),
            Effect::LoadIndex { .. }
            | Effect::LoadPage { .. }
            | Effect::Find { .. }
            | Effect::LoadResend { .. }
            | Effect::LoadSpeakers { .. }
            | Effect::LoadSources { .. }
            | Effect::LoadKnowledge { .. }
            | Effect::LoadPack { .. } => self.load(effect),
            Effect::Preview { project, conversation, seat, prompt, budget_chars, compare } => {
                let cx = self.turn_cx();
                self.report(async move {
                    let result = cx.preview(project, conversation, &seat, &prompt, budget_chars).await;
                    Input::Stored(Stored::Preview { conversation, seat, prompt, compare, result })
                });
            }
            Effect::LookForSkills { project, path } => {
                let offers = self.offers.clone();
                self.report(async move {
                    let looked = tokio::task::spawn_blocking(move || offers.look(project, &path)).await;
                    Input::Offers { project, offers: looked.unwrap_or_default() }
                });
            }
            Effect::SuggestSkills { project, conversation, prompt } => {
                let offers = self.offers.clone();
                self.report(async move {
                    let asked = prompt.clone();
                    let fits = tokio::task::spawn_blocking(move || offers.suggest(project, &asked)).await;
                    Input::Suggested { conversation, prompt, suggestions: fits.unwrap_or_default() }
                });
            }
            Effect::Summarise(spec) => self.summaries.begin(self.turn_cx(), *spec, self.inputs()),
            Effect::StopSummary { run } => self.summaries.stop(run),
            Effect::StartTurn(spec) => self.start_turn(*spec),
            Effect::CancelTurn { turn } => self.control(turn, TurnControl::Stop),
            Effect::Answer { turn, ask, decision } => {
                self.control(turn, TurnControl::Answer { ask, decision });
            }
            Effect::CloseSeats { conversation } => {
                let host = self.host.clone();
                tokio::spawn(async move { host.close(conversation).await });
            }
            Effect::ApplySettings(settings) => return self.apply(*settings),
            Effect::Discover { engine } => self.discover(engine.as_ref()),
            Effect::ReadGit { project, path } => self.report(git::read_head(project, path)),
            Effect::Git(job) => self.report(self.git_hands().perform(*job)),
            Effect::MakeText { project, path, kind, name, text } => self.report(async move {
                let title = format!("{} {name} was made", kind.label());
                let made = move || texts::make(&path, kind, &name, &text);
                let made = tokio::task::spawn_blocking(made).await;
                let result = made.unwrap_or_else(|error| Err(error.to_string()));
                Input::TextMade { project, title, result }
            }),
            Effect::ReadNames { project, path } => {
                let config = self.config.clone();
                self.report(async move {
                    let read = move || texts::names(&config.paths, Some(&path));
                    let names = tokio::task::spawn_blocking(read).await.unwrap_or_default();
                    Input::Names { project, names }
                });
            }
            Effect::CheckFolder { path } => self.report(check_folder(path)),
            Effect::MakeFolder { path, readme } => self.report(make_folder(path, readme)),
            Effect::StoreSecret { name, value } => return self.store_secret(&name, value),
            Effect::HoldStore { why } => self.hold(why).await,
            Effect::RestoreBackup { path } => return self.restore(path).await,
            Effect::Shutdown => {}
        }
        Vec::new()
    }

    fn write(&self, ticket: u64, batch: Vec<StoreWrite>) -> Vec<Input> {
        match &self.port {
            Port::Worker(worker) => {
                let written = self.written.clone();
                worker.write(
                    batch,
                    Box::new(move |result| {
                        let result = result.map_err(|error| error.to_string());
                        // Fails only when the loop has ended; then nobody waits for it.
                        drop(written.blocking_send(Input::Written { ticket, result }));
                    }),
                );
                Vec::new()
            }
            Port::Damaged { why } => vec![Input::Written { ticket, result: Err(why.clone()) }],
            Port::LookOnly => vec![Input::Written { ticket, result: Ok(()) }],
        }
    }

    /// Runs and reports what comes of it.
    pub fn report(&self, work: impl Future<Output = Input> + Send + 'static) {
        let inputs = self.inputs.clone();
        tokio::spawn(async move {
            let input = work.await;
            // Fails only when the loop has ended.
            drop(inputs.send(input).await);
        });
    }

    pub fn inputs(&self) -> mpsc::Sender<Input> {
        self.inputs.clone()
    }

    fn load(&self, effect: Effect) {
        let reads = self.reads.clone();
        self.report(async move {
            Input::Stored(match reads {
                Some(reads) => read(&reads, effect).await,
                None => failed(effect, "there is no database to read from".into()),
            })
        });
    }

    fn start_turn(&mut self, spec: TurnSpec) {
        self.running.retain(|_, control| !control.is_closed());
        let turn = spec.turn;
        // Few answers and one stop: the bound is never reached by a person.
        let (control, from_user) = mpsc::channel(64);
        self.running.insert(turn, control);
        let cx = self.turn_cx();
        let events = self.turns.clone();
        tokio::spawn(async move { cx.run(spec, events, from_user).await });
    }

    fn control(&self, turn: TurnId, control: TurnControl) {
        let sent = self.running.get(&turn).is_some_and(|running| running.try_send(control).is_ok());
        if sent {
            return;
        }
        // The task of the turn is gone without a last word: say it for it.
        let events = self.turns.clone();
        let failure = TurnFailure {
            kind: FailureKind::Internal,
            message: "The turn could not be reached.".into(),
            hint: "Send the message again.".into(),
            detail: String::new(),
            resets_at_ms: None,
        };
        tokio::spawn(async move { drop(events.send((turn, TurnEvent::Failed(failure))).await) });
    }

    pub fn turn_cx(&self) -> TurnCx {
        TurnCx {
            config: self.config.clone(),
            host: self.host.clone(),
            keys: self.keys.clone(),
            reads: self.reads.clone(),
            slow: self.slow.clone(),
            engines: self.engines.clone(),
            settings: self.settings.clone(),
            login_path: self.login_path.subscribe(),
            inputs: self.inputs.clone(),
        }
    }

    fn git_hands(&self) -> GitHands {
        let login_path = self.login_path.borrow().clone();
        GitHands { config: self.config.clone(), login_path, turn: self.git.clone() }
    }

    fn apply(&mut self, settings: Settings) -> Vec<Input> {
        self.host.set_limits(HostLimits {
            warm_max: settings.warm_seats_max as usize,
            warm_idle: Duration::from_secs(u64::from(settings.warm_idle_secs)),
        });
        self.engines = registry::builtin(&settings).into();
        self.settings = Arc::new(settings);
        vec![Input::Engines(self.engine_infos())]
    }

    fn store_secret(&self, name: &str, value: Option<String>) -> Vec<Input> {
        let done = match value {
            Some(value) => self.secrets.set(name, &Secret::new(value)),
            None => self.secrets.remove(name),
        };
        match done {
            Ok(()) => Vec::new(),
            Err(error) => {
                vec![Input::Trouble { title: "The key was not kept".into(), body: error.to_string() }]
            }
        }
    }

    fn reopen_reads(&mut self) {
        let database = self.config.paths.database();
        self.reads = ReadDb::open_read_only(&database).ok().map(|db| ReadPool::new(database, db));
    }

    /// What was handed over is still written; from then on every write is refused.
    async fn hold(&mut self, why: String) {
        if !matches!(self.port, Port::Worker(_)) {
            return;
        }
        let port = std::mem::replace(&mut self.port, Port::Damaged { why });
        if let Port::Worker(worker) = port {
            let closed = tokio::task::spawn_blocking(move || worker.drain_and_close()).await;
            tracing::warn!(?closed, "the damaged database is only read from here on");
        }
    }

    /// Puts a backup in the place of a damaged file, which is kept beside it, and opens it.
    async fn restore(&mut self, backup: PathBuf) -> Vec<Input> {
        if !matches!(self.port, Port::Damaged { .. }) {
            return vec![trouble("Nothing was restored", "The database in use is sound.")];
        }
        // Nobody may hold the file open while another takes its place.
        self.reads = None;
        let paths = self.config.paths.clone();
        let opened = tokio::task::spawn_blocking(move || {
            let database = paths.database();
            restore_backup(&backup, &database)?;
            let store = Store::open(&database, &paths.backup_folder(), now_ms())?;
            let worker = StoreWorker::start(store)?;
            Ok::<_, StoreError>((worker, ReadDb::open_read_only(&database)?))
        })
        .await;
        match opened {
            Ok(Ok((worker, db))) => {
                self.port = Port::Worker(worker);
                self.reads = Some(ReadPool::new(self.config.paths.database(), db));
                let mut inputs = vec![Input::Database(DatabaseStatus::Ok)];
                inputs.extend(self.startup().await);
                inputs
            }
            Ok(Err(error)) => {
                self.reopen_reads();
                vec![trouble("The backup could not be restored", &error.to_string())]
            }
            Err(error) => {
                self.reopen_reads();
                vec![trouble("The backup could not be restored", &error.to_string())]
            }
        }
    }

    /// Sees to everything that is slower than the first screen.
    pub fn begin_background(&self) {
        if self.config.discover {
            self.discover_first();
        }
        if !matches!(self.port, Port::Worker(_)) {
            return;
        }
        let paths = self.config.paths.clone();
        let inputs = self.inputs.clone();
        tokio::spawn(async move {
            tokio::time::sleep(CHECK_AFTER).await;
            let (database, folder) = (paths.database(), paths.backup_folder());
            let checked = tokio::task::spawn_blocking(move || quick_check(&database)).await;
            if let Ok(Err(error @ StoreError::Damaged { .. })) = checked {
                let backups = list_backups(&folder).into_iter().map(|backup| backup.path).collect();
                let status = DatabaseStatus::Damaged { why: error.to_string(), backups };
                drop(inputs.send(Input::Database(status)).await);
                // A copy of a damaged file would push a sound one out.
                return;
            }
            tokio::time::sleep(BACKUP_AFTER).await;
            loop {
                let (database, folder) = (paths.database(), paths.backup_folder());
                let made =
                    tokio::task::spawn_blocking(move || backup_if_due(&database, &folder, now_ms())).await;
                if let Ok(Err(error)) = made {
                    tracing::warn!(%error, "no backup was made");
                }
                tokio::time::sleep(BACKUP_EVERY).await;
            }
        });
    }

    pub fn sweep(&self) {
        self.host.sweep();
    }

    /// Engines and the store, at once: nothing is written any more.
    pub async fn end(&mut self) {
        let started = Instant::now();
        self.running.clear();
        let port = std::mem::replace(&mut self.port, Port::LookOnly);
        let host = self.host.clone();
        let agents =
            async { if self.config.program_ends { host.leave_all().await } else { host.close_all().await } };
        tokio::join!(agents, self.summaries.end(), close_store(port));
        tracing::info!(took_ms = started.elapsed().as_millis(), "ended");
    }
}

async fn close_store(port: Port) {
    let Port::Worker(worker) = port else { return };
    // Told tickets pile up unread from here on; the channel has room for all that can wait.
    match tokio::task::spawn_blocking(move || worker.drain_and_close()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "the store was not closed in order"),
        Err(error) => tracing::error!(%error, "the store was not closed in order"),
    }
}

fn trouble(title: &str, body: &str) -> Input {
    Input::Trouble { title: title.to_owned(), body: body.to_owned() }
}

async fn check_folder(path: PathBuf) -> Input {
    let looked = tokio::task::spawn_blocking(move || {
        let absolute = std::path::absolute(&path).unwrap_or(path);
        let result = match std::fs::metadata(&absolute) {
            Ok(found) if found.is_dir() => Ok(()),
            Ok(_) => {
                Err(format!("{} is a file, not a folder. Choose the folder it lies in.", absolute.display()))
            }
            Err(error) => Err(format!("{}: {error}. Check the path.", absolute.display())),
        };
        let path =
            if result.is_ok() { std::fs::canonicalize(&absolute).unwrap_or(absolute) } else { absolute };
        (path, result)
    });
    match looked.await {
        Ok((path, result)) => Input::FolderChecked { path, result },
        Err(error) => trouble("The folder could not be looked at", &error.to_string()),
    }
}

async fn make_folder(path: PathBuf, readme: &'static str) -> Input {
    let target = path.clone();
    let made = tokio::task::spawn_blocking(move || {
        std::fs::create_dir_all(&target)?;
        let file = target.join("README.md");
        if file.exists() { Ok(()) } else { std::fs::write(file, readme) }
    });
    match made.await {
        Ok(Ok(())) => check_folder(path).await,
        Ok(Err(error)) => Input::FolderChecked { path, result: Err(error.to_string()) },
        Err(error) => Input::FolderChecked { path, result: Err(error.to_string()) },
    }
}

/// The reads, each with its answer.
async fn read(reads: &ReadPool, effect: Effect) -> Stored {
    match effect {
        Effect::LoadPage { conversation, page, generation, first_seq, last_seq } => {
            let result = reads.read(move |db| db.messages_between(conversation, first_seq, last_seq)).await;
            Stored::Page { conversation, page, generation, result: line(result) }
        }
        Effect::Find { conversation, find, query } => {
            let wanted = query.clone();
            let result = reads.read(move |db| db.find(conversation, &wanted, FIND_MAX)).await;
            let result = line(result.map(|found| (found.messages, found.capped)));
            Stored::Found { conversation, find, query, result }
        }
        Effect::LoadResend { turn, plan } => {
            let result = reads.read(move |db| read_resend(db, turn)).await;
            Stored::Resend { turn, plan, result: line(result) }
        }
        Effect::LoadPack { conversation, turn } => {
            let result = reads.read(move |db| db.pack(turn)).await;
            Stored::Pack { conversation, turn, result: line(result.map(|kept| kept.map(|(pack, _)| pack))) }
        }
        Effect::LoadSpeakers { branch, summary } => {
            let result = line(reads.read(move |db| db.speakers(branch)).await);
            Stored::Speakers { branch, summary, result }
        }
        Effect::LoadSources { branch, unwritten } => {
            let result = line(reads.read(move |db| read_sources(db, branch, &unwritten)).await);
            Stored::Sources { branch, result }
        }
        Effect::LoadKnowledge { project } => {
            let result = line(reads.read(move |db| db.knowledge(project)).await);
            Stored::Knowledge { project, result: result.map(Box::new) }
        }
        Effect::LoadIndex { conversation, generation } => {
            let result = reads.read(move |db| open_conversation(db, conversation)).await;
            Stored::Index { conversation, generation, result: line(result) }
        }
        other => failed(other, "not a read".into()),
    }
}

/// The answer to a read that cannot be made.
fn failed(effect: Effect, why: String) -> Stored {
    match effect {
        Effect::LoadPage { conversation, page, generation, .. } => {
            Stored::Page { conversation, page, generation, result: Err(why) }
        }
        Effect::Find { conversation, find, query } => {
            Stored::Found { conversation, find, query, result: Err(why) }
        }
        Effect::LoadResend { turn, plan } => Stored::Resend { turn, plan, result: Err(why) },
        Effect::LoadPack { conversation, turn } => Stored::Pack { conversation, turn, result: Err(why) },
        Effect::LoadSpeakers { branch, summary } => Stored::Speakers { branch, summary, result: Err(why) },
        Effect::LoadSources { branch, .. } => Stored::Sources { branch, result: Err(why) },
        Effect::LoadKnowledge { project } => Stored::Knowledge { project, result: Err(why) },
        Effect::LoadIndex { conversation, generation } => {
            Stored::Index { conversation, generation, result: Err(why) }
        }
        other => unread(&other),
    }
}

/// `load` hands over reads only; anything else would be a mistake in it.
fn unread(effect: &Effect) -> Stored {
    tracing::error!(?effect, "not a read");
    let conversation = crate::model::id::ConversationId(0);
    Stored::Index { conversation, generation: 0, result: Err("not a read".into()) }
}

fn open_conversation(
    db: &ReadDb,
    conversation: crate::model::id::ConversationId,
) -> Result<OpenedConversation, StoreError> {
    let turn = db.latest_turn(conversation)?;
    let report = match &turn {
        Some(turn) => db.report(turn.id)?,
        None => None,
    };
    Ok(OpenedConversation { index: db.index(conversation)?, turn, report })
}

fn read_resend(
    db: &ReadDb,
    turn: TurnId,
) -> Result<(crate::model::record::TurnRecord, crate::model::message::Message), StoreError> {
    let record = db.turn(turn)?.ok_or_else(|| StoreError::other("the turn is not kept any more"))?;
    let message = db
        .message(record.user_message)?
        .ok_or_else(|| StoreError::other("its message is not kept any more"))?;
    Ok((record, message))
}

fn line<T>(result: Result<T, StoreError>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}
