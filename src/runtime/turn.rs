//! One turn from pack to finish, as one readable async function.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use crate::context::{Held, PackSeat, PackSpec, Rendered, Sources, assemble, render};
use crate::domain::checkout::GitDone;
use crate::domain::input::Input;
use crate::domain::session::{SessionPlan, plan_session};
use crate::domain::{checkout_missing, folder_missing};
use crate::engine::Engine;
use crate::engine::discover;
use crate::engine::host::{EngineHost, KeyLookup, RunTurn, SeatKey, TurnControl};
use crate::engine::registry;
use crate::model::engine::{Billing, EngineId, EngineInfo, ForkCap};
use crate::model::id::{ConversationId, ProjectId, TurnId};
use crate::model::message::NoticeLevel;
use crate::model::pack::ContextPack;
use crate::model::project::SeatChoice;
use crate::model::record::EngineSession;
use crate::model::settings::Settings;
use crate::model::turn::{FailureKind, Fork, SeatSpec, TurnEvent, TurnFailure, TurnRequest, TurnSpec};
use crate::os::files::{Access, write_atomic};
use crate::os::find::Found;
use crate::os::git::checkout::plain;
use crate::os::git::fingerprint::Fingerprint;
use crate::os::git::{Head, current_head};
use crate::os::stack::detect_stack;
use crate::runtime::Config;
use crate::runtime::discovery::ask_shell;
use crate::runtime::fork::read_fork;
use crate::runtime::git::MainWatch;
use crate::runtime::reads::ReadPool;
use crate::runtime::slow::{SlowSources, Wanted};
use crate::runtime::texts::{self, Kind};
use crate::store::StoreError;

/// How long a turn waits for the login shell's answer at start-up; then the program's own PATH serves.
const LOGIN_PATH_WAIT: Duration = Duration::from_secs(4);

/// What one turn needs; cheap to clone.
#[derive(Clone)]
pub(in crate::runtime) struct TurnCx {
    pub config: Arc<Config>,
    pub host: Arc<EngineHost>,
    pub keys: KeyLookup,
    pub reads: Option<ReadPool>,
    pub slow: SlowSources,
    pub engines: Arc<[Arc<dyn Engine>]>,
    pub settings: Arc<Settings>,
    pub login_path: watch::Receiver<Option<OsString>>,
    pub inputs: mpsc::Sender<Input>,
}

/// Everything known before the engine is spoken to.
struct Prepared {
    seat: SeatSpec,
    key: SeatKey,
    text: String,
    expect_session: Option<String>,
    /// Held until the turn has ended.
    context_file: Option<ContextFile>,
}

/// A file with the context of one turn. It goes when this goes, however the turn ends.
struct ContextFile(PathBuf);

impl Drop for ContextFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::debug!(%error, "the context file was gone already");
        }
    }
}

impl TurnCx {
    /// Runs the turn; its last event is a terminal one, whatever happens.
    pub async fn run(
        mut self,
        spec: TurnSpec,
        events: mpsc::Sender<(TurnId, TurnEvent)>,
        control: mpsc::Receiver<TurnControl>,
    ) {
        let watched = spec.main_folder.is_some().then_some((spec.conversation, self.inputs.clone()));
        let files = self.run_watched(spec, events, control).await;
        if let Some((conversation, inputs)) = watched {
            // Fails only when the loop has ended.
            drop(inputs.send(Input::Git(GitDone::MainSeen { conversation, files })).await);
        }
    }

    /// Gives the files of the project's own folder that changed, when the turn was in a checkout.
    async fn run_watched(
        &mut self,
        spec: TurnSpec,
        events: mpsc::Sender<(TurnId, TurnEvent)>,
        mut control: mpsc::Receiver<TurnControl>,
    ) -> Vec<String> {
        let turn = spec.turn;
        let mut main = self.watch_main(&spec);
        let ready = match self.prepare(&spec, &events, &mut control).await {
            Ok(prepared) => first_look(&mut main, &mut control).await.map(|before| (prepared, before)),
            Err(failure) => Err(failure),
        };
        let failure = match ready {
            Ok(((engine, prepared), before)) => {
                let idle_timeout = Duration::from_secs(u64::from(self.settings.turn_idle_timeout_secs));
                self.host
                    .run(RunTurn {
                        seat: prepared.seat,
                        engine,
                        key: prepared.key,
                        request: TurnRequest { turn, text: prepared.text },
                        expect_session: prepared.expect_session,
                        events,
                        control,
                        idle_timeout,
                        once: false,
                    })
                    .await;
                drop(prepared.context_file);
                return match main.zip(before) {
                    Some((main, before)) => main.compare(&before).await,
                    None => Vec::new(),
                };
            }
            Err(failure) => failure,
        };
        // Fails only when the loop has ended.
        drop(events.send((turn, TurnEvent::Failed(failure))).await);
        Vec::new()
    }

    async fn prepare(
        &mut self,
        spec: &TurnSpec,
        events: &mpsc::Sender<(TurnId, TurnEvent)>,
        control: &mut mpsc::Receiver<TurnControl>,
    ) -> Result<(Arc<dyn Engine>, Prepared), TurnFailure> {
        self.check_folder(spec).await?;
        let engine = self.engine(&spec.seat.engine)?;
        let mut seat = self.seat(spec, &*engine);
        let key = SeatKey::of(spec.conversation, &seat);
        self.host.until_free(&key).await;
        let warm = self.host.warm_session(&key);
        let (held, expect_session) =
            self.meet_session(spec, &*engine, warm.as_deref(), &mut seat, events).await?;
        let is_served = expect_session.is_some() && warm == expect_session;
        let found = self.find_program(&*engine, &mut seat).await;
        if !is_served {
            found?;
        }
        let fresh = held.is_none();
        let packing = self.pack(
            spec.project,
            spec.conversation,
            Some(spec.user_seq),
            &spec.seat,
            &spec.prompt,
            spec.budget_chars,
            held,
        );
        // Slow sources may take a second or two; a stop ends them.
        let packed = tokio::select! {
            packed = packing => packed,
            () = stop(control) => return Err(internal("Stopped", "nothing was sent")),
        };
        let pack = packed.map_err(|why| internal("The context could not be assembled", &why))?;
        let Rendered { system, user } = render(&pack, &spec.prompt, engine.info().caps.system_apart, fresh);
        let sent_text =
            system.as_ref().map_or_else(|| user.clone(), |system| format!("{system}\n\n---\n\n{user}"));
        say(events, spec.turn, TurnEvent::Packed { pack: Box::new(pack), sent_text }).await;
        let context_file = match system {
            Some(text) => Some(self.write_context_file(&seat.new_session_id, text).await?),
            None => None,
        };
        seat.system_file = context_file.as_ref().map(|file| file.0.clone());
        Ok((engine, Prepared { seat, key, text: user, expect_session, context_file }))
    }

    /// An agent never starts in another folder than its own, and never in a checkout that is none any more: there git
    /// would look upwards for another repository.
    async fn check_folder(&self, spec: &TurnSpec) -> Result<(), TurnFailure> {
        let cwd = spec.cwd.as_path();
        let is_there = tokio::fs::metadata(cwd).await.is_ok_and(|found| found.is_dir());
        let shelves = self.config.paths.worktree_folder();
        let shelves = tokio::fs::canonicalize(&shelves).await.map_or(shelves, |there| plain(&there));
        if spec.main_folder.is_none() {
            return if is_there { Ok(()) } else { Err(folder_missing(cwd)) };
        }
        let has_git = match cwd.strip_prefix(&shelves) {
            // Shelf and checkout.
            Ok(below) => {
                let root = shelves.join(below.iter().take(2).collect::<PathBuf>());
                tokio::fs::metadata(root.join(".git")).await.is_ok()
            }
            Err(_) => true,
        };
        if is_there && has_git { Ok(()) } else { Err(checkout_missing(cwd)) }
    }

    pub fn engine(&self, id: &EngineId) -> Result<Arc<dyn Engine>, TurnFailure> {
        registry::find(&self.engines, id).or_else(|| registry::script(id)).ok_or_else(|| TurnFailure {
            kind: FailureKind::NotInstalled,
            message: format!("There is no engine named {id}."),
            hint: "Choose another engine for this conversation.".into(),
            detail: String::new(),
            resets_at_ms: None,
        })
    }

    fn seat(&self, spec: &TurnSpec, engine: &dyn Engine) -> SeatSpec {
        let set = self.settings.engines.get(&engine.info().id);
        SeatSpec {
            engine: spec.seat.engine.clone(),
            model: spec.seat.model.clone(),
            cwd: spec.cwd.clone(),
            resume: None,
            fork: None,
            new_session_id: uuid::Uuid::new_v4().to_string(),
            system_file: None,
            skip_permissions: spec.skip_permissions,
            words_only: false,
            billing: set.map_or_else(Billing::default, |set| set.billing),
            program: None,
            version: None,
        }
    }

    async fn session(
        &self,
        conversation: ConversationId,
        engine: &EngineId,
    ) -> Result<Option<EngineSession>, TurnFailure> {
        let Some(reads) = &self.reads else { return Ok(None) };
        let engine = engine.clone();
        reads
            .read(move |db| db.session(conversation, &engine))
            .await
            .map_err(|error| internal("The engine's session could not be read", &error.to_string()))
    }

    /// Decides which session the request goes to, and writes it into the seat. Gives what that session holds, and the
    /// one that the request builds on.
    async fn meet_session(
        &self,
        spec: &TurnSpec,
        engine: &dyn Engine,
        warm: Option<&str>,
        seat: &mut SeatSpec,
        events: &mpsc::Sender<(TurnId, TurnEvent)>,
    ) -> Result<(Option<Held>, Option<String>), TurnFailure> {
        let session = self.session(spec.conversation, &spec.seat.engine).await?;
        let caps = &engine.info().caps;
        let notice = match plan_session(session.as_ref(), warm, caps, spec.force_fresh) {
            SessionPlan::Continue { resume, delivered_seq, fixed_hash, sections } => {
                seat.resume = Some(resume.clone());
                return Ok((Some(Held { delivered_seq, fixed_hash, sections }), Some(resume)));
            }
            SessionPlan::Fresh { notice } => notice,
        };
        // A warm process would go on in the session that is to be left.
        if warm.is_some() {
            self.host.close(spec.conversation).await;
        }
        if let Some(text) = notice {
            let note = TurnEvent::Notice { level: NoticeLevel::Info, text: text.to_owned() };
            say(events, spec.turn, note).await;
            return Ok((None, None));
        }
        let forked = if spec.no_fork { None } else { self.fork(spec, caps.fork).await };
        let Some((fork, held)) = forked else { return Ok((None, None)) };
        say(events, spec.turn, TurnEvent::Forks(fork.clone())).await;
        seat.fork = Some(fork);
        Ok((Some(held), None))
    }

    /// Where it cannot be read, the branch is told in words.
    async fn fork(&self, spec: &TurnSpec, cap: ForkCap) -> Option<(Fork, Held)> {
        let (conversation, user_seq) = (spec.conversation, spec.user_seq);
        let engine = spec.seat.engine.clone();
        let found =
            self.reads.as_ref()?.read(move |db| read_fork(db, conversation, user_seq, &engine, cap)).await;
        found.unwrap_or_else(|error| {
            tracing::warn!(%error, "where the branch left its parent could not be read");
            None
        })
    }

    /// Resolved afresh for each process: a versioned folder may be another one today. A warm process may end as the
    /// turn comes, and then another one is needed as well.
    pub async fn find_program(
        &mut self,
        engine: &dyn Engine,
        seat: &mut SeatSpec,
    ) -> Result<(), TurnFailure> {
        let info = engine.info();
        if info.programs.is_empty() {
            return Ok(());
        }
        match self.look(info).await {
            Ok(found) => {
                seat.program = Some(found.path);
                Ok(())
            }
            Err(searched) => Err(TurnFailure {
                kind: FailureKind::NotInstalled,
                message: format!("{} is not installed, or not where it is looked for.", info.name),
                hint: format!("{} Or set its path in Settings, Engines.", info.install_hint),
                detail: format!("Looked in:\n{}", searched.join("\n")),
                resets_at_ms: None,
            }),
        }
    }

    async fn look(&mut self, info: &EngineInfo) -> Result<Found, Vec<String>> {
        if self.config.discover {
            let asked =
                tokio::time::timeout(LOGIN_PATH_WAIT, self.login_path.wait_for(Option::is_some)).await;
            let login_path = asked.ok().and_then(|known| known.ok()?.clone());
            return discover::find(info, &self.discover_cx(&info.id, login_path)).await;
        }
        // Nobody asks the login shell then, and a front in a terminal has the user's PATH already.
        let found = discover::find(info, &self.discover_cx(&info.id, None)).await;
        if found.is_ok() {
            return found;
        }
        let login_path = ask_shell(&self.config).await;
        self.host.set_login_path(login_path.clone());
        discover::find(info, &self.discover_cx(&info.id, Some(login_path))).await
    }

    /// What `tunaflow context` and the preview show: the whole pack, as a fresh session would get it.
    pub async fn preview(
        &self,
        project: ProjectId,
        conversation: ConversationId,
        seat: &SeatChoice,
        prompt: &str,
        budget_chars: u32,
    ) -> Result<ContextPack, String> {
        self.pack(project, conversation, None, seat, prompt, budget_chars, None).await
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a pack spec, gathered here only")]
    async fn pack(
        &self,
        project: ProjectId,
        conversation: ConversationId,
        user_seq: Option<i64>,
        seat: &SeatChoice,
        prompt: &str,
        budget_chars: u32,
        held: Option<Held>,
    ) -> Result<ContextPack, String> {
        let Some(reads) = &self.reads else { return Err("there is no database to read from".into()) };
        let engine_name = registry::find(&self.engines, &seat.engine)
            .map_or_else(|| seat.engine.to_string(), |engine| engine.info().name.clone());
        let (before_seq, mode) = (user_seq.unwrap_or(i64::MAX), seat.mode);
        let wanted = reads.read(move |db| Wanted::read(db, project, conversation, before_seq, mode)).await;
        // What cannot be read now is told of when the pack is made.
        let found = match wanted {
            Ok(wanted) => self.slow.ask(wanted, prompt).await,
            Err(_) => Default::default(),
        };
        let (seat, prompt, paths) = (seat.clone(), prompt.to_owned(), self.config.paths.clone());
        let packed = reads.read(move |db| {
            let folder = db.project(project)?.map(|project| project.path);
            let branch = db.conversation(conversation)?.and_then(|row| row.branch);
            let checkout = branch.as_ref().and_then(|branch| branch.facts.work_folder());
            let facts = checkout.as_deref().or(folder.as_deref()).map(facts).unwrap_or_default();
            let linked = branch.and_then(|branch| branch.facts.git_branch);
            let role_text = texts::text(&paths, folder.as_deref(), Kind::Role, seat.role.as_deref());
            let persona_text = texts::text(&paths, folder.as_deref(), Kind::Persona, seat.persona.as_deref());
            let spec = PackSpec {
                conversation,
                project,
                user_seq: user_seq.unwrap_or(i64::MAX),
                prompt,
                seat: PackSeat {
                    engine: seat.engine,
                    engine_name,
                    model: seat.model,
                    role: seat.role,
                    persona: seat.persona,
                    mode: seat.mode,
                    supply: seat.supply,
                },
                budget_chars,
                held,
                detected_stack: facts.stack,
                linked_branch: linked.filter(|linked| facts.git_branch.as_ref() != Some(linked)),
                git_branch: facts.git_branch,
                checkout,
                role_text,
                persona_text,
                found,
            };
            assemble(&spec, &Sources { db }).map_err(StoreError::other)
        });
        packed.await.map_err(|error| error.to_string())
    }

    /// `unique`: a second try of the same turn begins while the first one still clears up.
    async fn write_context_file(&self, unique: &str, text: String) -> Result<ContextFile, TurnFailure> {
        let path = self.config.paths.context_file(unique);
        let target = path.clone();
        let written =
            tokio::task::spawn_blocking(move || write_atomic(&target, text.as_bytes(), Access::Private))
                .await;
        match written {
            Ok(Ok(())) => Ok(ContextFile(path)),
            Ok(Err(error)) => Err(internal("The context file could not be written", &error.to_string())),
            Err(error) => Err(internal("The context file could not be written", &error.to_string())),
        }
    }
}

/// Takes away what turns of a run that crashed left behind; only the owner of the folder may call it, before any turn.
pub(in crate::runtime) fn clear_context_files(folder: &std::path::Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with("context-") && name.ends_with(".md"));
        if is_ours && let Err(error) = std::fs::remove_file(entry.path()) {
            tracing::warn!(%error, "a context file of an earlier run stays");
        }
    }
}

/// What is known of a folder from its files.
#[derive(Default)]
struct Facts {
    stack: Vec<String>,
    git_branch: Option<String>,
}

fn facts(folder: &std::path::Path) -> Facts {
    let branch = current_head(folder).map(|head| match head {
        Head::Branch(name) => name,
        Head::Detached(commit) => format!("detached at {commit}"),
    });
    Facts { stack: detect_stack(folder).into_iter().map(str::to_owned).collect(), git_branch: branch }
}

/// What the project's folder looks like before the agent begins. A large one takes its time; a stop ends the wait.
async fn first_look(
    main: &mut Option<MainWatch>,
    control: &mut mpsc::Receiver<TurnControl>,
) -> Result<Option<Fingerprint>, TurnFailure> {
    let Some(main) = main else { return Ok(None) };
    tokio::select! {
        seen = main.seen() => Ok(seen),
        () = stop(control) => Err(internal("Stopped", "nothing was sent")),
    }
}

/// Ready when the turn is stopped, and never otherwise: nothing has been asked yet that could be answered.
async fn stop(control: &mut mpsc::Receiver<TurnControl>) {
    loop {
        match control.recv().await {
            Some(TurnControl::Stop) => return,
            Some(TurnControl::Answer { .. }) => {}
            None => std::future::pending().await,
        }
    }
}

async fn say(events: &mpsc::Sender<(TurnId, TurnEvent)>, turn: TurnId, event: TurnEvent) {
    // Fails only when the loop has ended.
    drop(events.send((turn, event)).await);
}

fn internal(what: &str, why: &str) -> TurnFailure {
    TurnFailure {
        kind: FailureKind::Internal,
        message: format!("{what}: {why}"),
        hint: "Retry. If it happens again, look at the log.".into(),
        detail: String::new(),
        resets_at_ms: None,
    }
}
