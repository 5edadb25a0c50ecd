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
use crate::model::settings::Profile;

/// How long engines are looked for when none is named.
const DISCOVERY_LIMIT: Duration = Duration::from_secs(20);

/// How long the project's own roles are waited for.
const NAMES_LIMIT: Duration = Duration::from_secs(5);

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
        check_engine(&snapshot, engine, &format!("--engine {engine}"))?;
    }
    let profile = ask.profile.as_deref().and_then(|word| snapshot.settings.profile(word));
    if let (Some(profile), None) = (profile, &engine) {
        check_engine(&snapshot, &profile.engine, &format!("--profile {}", profile.name))?;
    }
    let (view, role) = match ask.conversation {
        Some(id) => {
            let view = front.open_conversation(id).await?;
            let role = role(front, ask, profile, view.row.conversation.project).await?;
            (view, role)
        }
        None => {
            let project = front.open_project(project).await?.id;
            let role = role(front, ask, profile, project).await?;
            let engine = engine.clone().or_else(|| profile.map(|profile| profile.engine.clone()));
            (new_conversation(front, project, engine).await?, role)
        }
    };
    let id = view.row.conversation.id;
    let now = &view.row.conversation.seat;
    let base = profile.map_or_else(|| now.clone(), Profile::seat);
    let seat = with_options(base, ask, engine, role, |engine| default_model(&snapshot, engine));
    if seat != *now {
        front.send(ChatCommand::SetSeat { conversation: id, seat })?;
    }
    if ask.budget_chars.is_some() {
        front.send(ChatCommand::SetBudget { conversation: id, budget_chars: ask.budget_chars })?;
    }
    Ok(id)
}

/// The seat with what was asked for on top.
fn with_options(
    mut seat: SeatChoice,
    ask: &Ask,
    engine: Option<EngineId>,
    role: Option<String>,
    default_model: impl FnOnce(&EngineId) -> Option<String>,
) -> SeatChoice {
    if let Some(engine) = engine.filter(|engine| *engine != seat.engine) {
        // A model belongs to its engine.
        seat.model = default_model(&engine);
        seat.engine = engine;
    }
    seat.model = ask.model.clone().or(seat.model);
    seat.role = role.or(seat.role);
    seat.mode = ask.mode.or(seat.mode);
    seat
}

/// The role that was asked for, as it is written; a word after `--profile` that names no profile is one.
async fn role(
    front: &mut Front,
    ask: &Ask,
    profile: Option<&Profile>,
    project: ProjectId,
) -> Result<Option<String>, Failure> {
    let (option, word) = match (&ask.role, &ask.profile) {
        (Some(role), _) => ("--role", role),
        (None, Some(word)) if profile.is_none() => ("--profile", word),
        (None, _) => return Ok(None),
    };
    let find = |snapshot: &Snapshot| {
        let found = snapshot.roles.iter().find(|role| role.to_lowercase() == word.to_lowercase()).cloned();
        // The project's own roles come a little later than the project itself.
        let knows_all = snapshot.names_of == Some(project);
        found.map(Some).or_else(|| knows_all.then_some(None))
    };
    let found = front.wait_up_to(NAMES_LIMIT, WRONG_ARGUMENTS, find).await?.flatten();
    found.map(Some).ok_or_else(|| no_such_role(&front.app.snapshot(), option, word))
}

fn no_such_role(snapshot: &Snapshot, option: &str, word: &str) -> Failure {
    let roles = snapshot.roles.join(", ");
    if option == "--role" {
        return Failure::usage(format!("--role {word}: there is no such role. Known are {roles}."));
    }
    let profiles: Vec<&str> =
        snapshot.settings.profiles.iter().map(|profile| profile.name.as_str()).collect();
    let profiles = if profiles.is_empty() { "there are none".to_owned() } else { profiles.join(", ") };
    Failure::usage(format!(
        "--profile {word}: there is no such profile and no such role. Profiles: {profiles}. Roles: {roles}."
    ))
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
    let knows_default = default.is_some_and(|seat| check_engine(&snapshot, &seat.engine, "").is_ok());
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

/// The model that the settings name for an engine.
pub fn default_model(snapshot: &Snapshot, engine: &EngineId) -> Option<String> {
    snapshot.settings.engines.get(engine).and_then(|set| set.model.clone())
}

/// # Errors
/// There is no such engine; `asked` is what named it.
pub fn check_engine(snapshot: &Snapshot, engine: &EngineId, asked: &str) -> Result<(), Failure> {
    let is_known = snapshot.engines.iter().any(|row| row.info.id == *engine);
    if is_known || engine.as_str().starts_with(SCRIPT) {
        return Ok(());
    }
    let which = if asked.ends_with(engine.as_str()) { String::new() } else { format!(" as {engine}") };
    let known: Vec<&str> = snapshot.engines.iter().map(|row| row.info.id.as_str()).collect();
    Err(Failure::usage(format!("{asked}: there is no such engine{which}. Known are {}.", known.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::with_options;
    use crate::cli::args::Ask;
    use crate::model::engine::EngineId;
    use crate::model::pack::{Mode, Supply};
    use crate::model::project::SeatChoice;
    use crate::model::settings::Profile;

    #[test]
    fn options_go_before_what_the_profile_says() {
        let profile = Profile {
            name: "Strict".into(),
            engine: EngineId::new("a"),
            model: Some("a1".into()),
            role: Some("Reviewer".into()),
            persona: Some("Skeptic".into()),
            mode: Some(Mode::Full),
            supply: Supply::Pull,
        };
        let seat = |ask: Ask, engine: Option<&str>| {
            with_options(profile.seat(), &ask, engine.map(EngineId::new), None, |_| Some("default".into()))
        };
        assert_eq!(seat(Ask::default(), None), profile.seat());
        assert_eq!(seat(Ask::default(), Some("a")), profile.seat());
        let other = seat(Ask { mode: Some(Mode::Lite), ..Ask::default() }, Some("b"));
        let expected = SeatChoice {
            engine: EngineId::new("b"),
            model: Some("default".into()),
            mode: Some(Mode::Lite),
            ..profile.seat()
        };
        assert_eq!(other, expected);
        let model = seat(Ask { model: Some("b2".into()), ..Ask::default() }, Some("b")).model;
        assert_eq!(model.as_deref(), Some("b2"));
    }
}
