//! Who is asked: the options of `send` and `context`, made into a conversation with a seat.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::api::command::ChatCommand;
use crate::api::snapshot::{ConversationView, Snapshot};
use crate::cli::args::Ask;
use crate::cli::front::Front;
use crate::cli::out::{Failure, WRONG_ARGUMENTS};
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, ProjectId};
use crate::model::project::SeatChoice;

/// How long engines are looked for when none is named.
const DISCOVERY_LIMIT: Duration = Duration::from_secs(20);

const SCRIPT: &str = "script:";

/// The engine as the core names it; a script's file is taken from the current folder.
///
/// # Errors
/// The script is no file.
pub fn engine_id(word: &str) -> Result<EngineId, Failure> {
    let Some(file) = word.strip_prefix(SCRIPT) else { return Ok(EngineId::new(word)) };
    let wrong = |why: &str| Failure::usage(format!("--engine {word}: {why}. Name a script file."));
    let path = std::path::absolute(file).map_err(|error| wrong(&error.to_string()))?;
    if !path.is_file() {
        return Err(wrong("there is no such file"));
    }
    let path = path.to_str().ok_or_else(|| wrong("the path is not Unicode text"))?;
    Ok(EngineId::new(format!("{SCRIPT}{path}")))
}

/// True when engines must be looked for before the wish can be met.
pub fn needs_discovery(ask: &Ask) -> bool {
    // Who is to answer is known otherwise, and is looked for alone when its turn begins.
    ask.engine.is_none() && ask.conversation.is_none()
}

/// The conversation that was named, or a new one in the project, with the seat and the budget asked for.
///
/// # Errors
/// A word names nothing, or the core cannot do it.
pub async fn conversation(
    front: &mut Front,
    ask: &Ask,
    project: Option<&Path>,
) -> Result<ConversationId, Failure> {
    let engine = ask.engine.as_deref().map(engine_id).transpose()?;
    let snapshot = front.app.snapshot();
    if let Some(engine) = &engine {
        check_engine(&snapshot, engine)?;
    }
    let role = ask.role.as_deref().map(|role| role_name(&snapshot, role)).transpose()?;
    let view = match ask.conversation {
        Some(id) => front.open_conversation(id).await?,
        None => {
            let project = front.open_project(project).await?.id;
            new_conversation(front, project, engine.clone()).await?
        }
    };
    let id = view.row.conversation.id;
    let mut seat = view.row.conversation.seat.clone();
    if let Some(engine) = engine.filter(|engine| *engine != seat.engine) {
        // A model belongs to its engine.
        seat.model = default_model(&snapshot, &engine);
        seat.engine = engine;
    }
    seat.model = ask.model.clone().or(seat.model);
    seat.role = role.or(seat.role);
    seat.mode = ask.mode.or(seat.mode);
    if seat != view.row.conversation.seat {
        front.send(ChatCommand::SetSeat { conversation: id, seat })?;
    }
    if ask.budget_chars.is_some() {
        front.send(ChatCommand::SetBudget { conversation: id, budget_chars: ask.budget_chars })?;
    }
    Ok(id)
}

async fn new_conversation(
    front: &mut Front,
    project: ProjectId,
    engine: Option<EngineId>,
) -> Result<Arc<ConversationView>, Failure> {
    let snapshot = front.app.snapshot();
    let seat = engine
        .map(|engine| SeatChoice { model: default_model(&snapshot, &engine), ..SeatChoice::new(engine) });
    let default = snapshot.settings.default_seat.as_ref();
    let knows_default = default.is_some_and(|seat| check_engine(&snapshot, &seat.engine).is_ok());
    if seat.is_none() && !knows_default {
        // The first agent that is ready answers. When the search takes too long, what is known by then.
        let ready = |snapshot: &Snapshot| (!snapshot.app.discovering).then_some(());
        front.wait_up_to(DISCOVERY_LIMIT, WRONG_ARGUMENTS, ready).await?;
    }
    front.send(ChatCommand::New { project, seat })?;
    let focus = front.wait(WRONG_ARGUMENTS, |snapshot| {
        let id = snapshot.focus?;
        snapshot.view(id).is_some_and(|view| view.row.conversation.project == project).then_some(id)
    });
    let id = focus.await?;
    front.open_conversation(id).await
}

fn default_model(snapshot: &Snapshot, engine: &EngineId) -> Option<String> {
    snapshot.settings.engines.get(engine).and_then(|set| set.model.clone())
}

fn check_engine(snapshot: &Snapshot, engine: &EngineId) -> Result<(), Failure> {
    let is_known = snapshot.engines.iter().any(|row| row.info.id == *engine);
    if is_known || engine.as_str().starts_with(SCRIPT) {
        return Ok(());
    }
    let known: Vec<&str> = snapshot.engines.iter().map(|row| row.info.id.as_str()).collect();
    Err(Failure::usage(format!(
        "--engine {engine}: there is no such engine. Known are {}.",
        known.join(", ")
    )))
}

fn role_name(snapshot: &Snapshot, word: &str) -> Result<String, Failure> {
    let found = snapshot.roles.iter().find(|role| role.to_lowercase() == word.to_lowercase());
    found.cloned().ok_or_else(|| {
        Failure::usage(format!(
            "--role {word}: there is no such role. Known are {}.",
            snapshot.roles.join(", ")
        ))
    })
}
