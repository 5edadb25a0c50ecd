//! `profile`, `role list`, `persona list`: who can be asked, by name.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::api::command::SettingsCommand;
use crate::api::snapshot::Snapshot;
use crate::cli::args::Names;
use crate::cli::args::known::{ProfileNew, Profiles};
use crate::cli::front::{Front, find_project, folder};
use crate::cli::out::{Failure, Out, WRONG_ARGUMENTS, one_line};
use crate::cli::seat;
use crate::model::settings::{Profile, Settings};

/// How long the project's own names are waited for.
const NAMES_LIMIT: Duration = Duration::from_secs(5);

/// # Errors
/// There is no such profile or engine, or the core refuses.
pub async fn profiles(front: &mut Front, wish: &Profiles, json: bool, out: &mut Out) -> Result<(), Failure> {
    let mut wanted: Settings = (*front.app.snapshot().settings).clone();
    match wish {
        Profiles::List => wanted.profiles.iter().try_for_each(|profile| show(profile, json, out)),
        Profiles::Add(new) => {
            front.check_writable()?;
            let profile = made(front, new)?;
            wanted.profiles.push(profile.clone());
            set(front, wanted).await?;
            show(&profile, json, out)
        }
        Profiles::Remove(name) => {
            front.check_writable()?;
            let count = wanted.profiles.len();
            wanted.profiles.retain(|profile| !profile.is_named(name));
            if wanted.profiles.len() == count {
                let line = format!("{name}: there is no such profile. See tunaflow profile list.");
                return Err(Failure::usage(one_line(&line, 300)));
            }
            set(front, wanted).await
        }
    }
}

fn made(front: &Front, new: &ProfileNew) -> Result<Profile, Failure> {
    let engine = seat::engine_id(&new.engine)?;
    seat::check_engine(&front.app.snapshot(), &engine, &format!("--engine {engine}"))?;
    Ok(Profile {
        name: new.name.trim().to_owned(),
        engine,
        model: new.model.clone(),
        role: new.role.clone(),
        persona: new.persona.clone(),
        mode: new.mode,
        supply: new.supply,
    })
}

async fn set(front: &mut Front, wanted: Settings) -> Result<(), Failure> {
    front.send(SettingsCommand::Set(Box::new(wanted.clone())))?;
    let taken = |snapshot: &Snapshot| (*snapshot.settings == wanted).then_some(());
    front.wait(WRONG_ARGUMENTS, taken).await
}

fn show(profile: &Profile, json: bool, out: &mut Out) -> Result<(), Failure> {
    let value = json!({
        "name": profile.name,
        "engine": profile.engine,
        "model": profile.model,
        "role": profile.role,
        "persona": profile.persona,
        "mode": profile.mode,
        "supply": profile.supply,
    });
    if json {
        return out.json(&value);
    }
    let said = |field: &str| match value.get(field) {
        Some(Value::String(text)) => format!("  {field} {}", one_line(text, 60)),
        _ => String::new(),
    };
    let rest: String =
        ["model", "role", "persona", "mode", "supply"].iter().map(|field| said(field)).collect();
    out.line(&format!("{}  {}{rest}", profile.name, profile.engine))
}

/// The names that can be picked in the project of this folder; those for all projects when it is none.
///
/// # Errors
/// The project that is named is not known.
pub async fn names(
    front: &mut Front,
    wish: Names,
    project: Option<&Path>,
    json: bool,
    out: &mut Out,
) -> Result<(), Failure> {
    let found = match folder(project) {
        Ok(here) => {
            let found = find_project(&front.app.snapshot(), &here);
            if found.is_none() && project.is_some() {
                let line = format!(
                    "--project {}: there is no such project. See tunaflow project list.",
                    here.display()
                );
                return Err(Failure::usage(line));
            }
            found
        }
        Err(wrong) if project.is_some() => return Err(wrong),
        Err(_gone) => None,
    };
    if let Some(found) = found {
        front.open_project(Some(&found.path)).await?;
        let is_read = |snapshot: &Snapshot| (snapshot.names_of == Some(found.id)).then_some(());
        front.wait_up_to(NAMES_LIMIT, WRONG_ARGUMENTS, is_read).await?;
    }
    let snapshot = front.app.snapshot();
    let names = match wish {
        Names::Roles => &snapshot.roles,
        Names::Personas => &snapshot.personas,
    };
    for name in names.iter() {
        if json {
            out.json(&json!({ "name": name }))?;
        } else {
            out.line(name)?;
        }
    }
    Ok(())
}
