//! `doctor`: what is there, how it will be started, and what is broken.

use std::time::Duration;

use serde_json::{Value, json};

use crate::api::snapshot::{DatabaseStatus, EngineRow, Snapshot};
use crate::cli::front::Front;
use crate::cli::out::{BROKEN, Failure, Out};
use crate::model::engine::{Availability, Billing, EngineLook, PermissionCap};

/// Engines that have not answered by then are shown as they are.
const DISCOVERY_LIMIT: Duration = Duration::from_secs(30);

/// Where things lie that the core does not tell.
pub struct Places {
    pub log_folder: std::path::PathBuf,
    pub database: std::path::PathBuf,
}

/// Shows the state of everything.
///
/// # Errors
/// No agent can be used, or the database is broken; exit code 1.
pub async fn doctor(front: &mut Front, places: &Places, json: bool, out: &mut Out) -> Result<(), Failure> {
    let searched = |snapshot: &Snapshot| (!snapshot.app.discovering).then_some(());
    front.wait_up_to(DISCOVERY_LIMIT, BROKEN, searched).await?;
    let snapshot = front.app.snapshot();
    let problems = problems(&snapshot);
    if json {
        out.json(&value(&snapshot, places, &problems))?;
    } else {
        out.text(&text(&snapshot, places))?;
    }
    if problems.is_empty() { Ok(()) } else { Err(Failure::new(BROKEN, problems.join(" "))) }
}

fn problems(snapshot: &Snapshot) -> Vec<String> {
    let mut problems = Vec::new();
    match &snapshot.app.database {
        DatabaseStatus::Ok => {}
        DatabaseStatus::Damaged { why, .. } => {
            problems.push(format!("The database is damaged: {why} Restore a backup in the window."));
        }
        DatabaseStatus::WritesFail { why } => problems.push(format!("The database cannot be written: {why}")),
    }
    if !snapshot.engines.iter().any(|row| is_agent(row) && row.status.availability == Availability::Ready) {
        problems
            .push("No agent can be used: install one of the above and log in, then try again.".to_owned());
    }
    problems
}

/// The demo needs nothing and proves nothing.
fn is_agent(row: &EngineRow) -> bool {
    row.info.look != EngineLook::Demo
}

fn state(availability: &Availability) -> &'static str {
    match availability {
        Availability::Checking => "unknown",
        Availability::Ready => "ready",
        Availability::NotLoggedIn => "not_logged_in",
        Availability::NotInstalled { .. } => "not_installed",
        Availability::Broken { .. } => "broken",
    }
}

fn billing(billing: Billing) -> &'static str {
    match billing {
        Billing::Subscription => "subscription",
        Billing::ApiKey => "api_key",
    }
}

/// What is missing and how to get it; empty when nothing is.
fn hint(row: &EngineRow) -> &str {
    match &row.status.availability {
        Availability::NotLoggedIn => &row.info.login_hint,
        Availability::NotInstalled { .. } => &row.info.install_hint,
        Availability::Broken { why } => why,
        Availability::Checking | Availability::Ready => "",
    }
}

/// How it will be started, in words.
fn start(row: &EngineRow) -> String {
    if row.info.programs.is_empty() {
        return "within tunaflow, no program is started".to_owned();
    }
    let Some(path) = &row.status.path else { return String::new() };
    let keys = match (row.status.billing, row.info.key_variables.as_slice()) {
        (_, []) => String::new(),
        (Billing::Subscription, keys) => format!("; {} withheld", keys.join(", ")),
        (Billing::ApiKey, keys) => format!("; {} passed on", keys.join(", ")),
    };
    let asks = match row.info.caps.permissions {
        PermissionCap::Asks => "it asks before it acts",
        PermissionCap::NoTools => "it changes nothing",
        PermissionCap::Careful => "it cannot ask and runs in its most careful mode",
    };
    format!("{} with the login shell's PATH{keys}; {asks}", path.display())
}

fn value(snapshot: &Snapshot, places: &Places, problems: &[String]) -> Value {
    let engines: Vec<Value> = snapshot
        .engines
        .iter()
        .map(|row| {
            let searched = match &row.status.availability {
                Availability::NotInstalled { searched } => searched.clone(),
                _ => Vec::new(),
            };
            json!({
                "id": row.info.id,
                "name": row.info.name,
                "state": state(&row.status.availability),
                "version": row.status.version,
                "path": row.status.path.as_ref().map(|path| path.to_string_lossy()),
                "found_by": row.status.found_by,
                "login": row.status.login,
                "billing": billing(row.status.billing),
                "start": start(row),
                "hint": hint(row),
                "searched": searched,
            })
        })
        .collect();
    let (database, why, backups) = match &snapshot.app.database {
        DatabaseStatus::Ok => ("ok", None, Vec::new()),
        DatabaseStatus::Damaged { why, backups } => {
            ("damaged", Some(why), backups.iter().map(|path| path.display().to_string()).collect())
        }
        DatabaseStatus::WritesFail { why } => ("writes_fail", Some(why), Vec::new()),
    };
    json!({
        "version": snapshot.app.version,
        "data_folder": snapshot.app.data_dir.to_string_lossy(),
        "log_folder": places.log_folder.to_string_lossy(),
        "database": {
            "state": database,
            "why": why,
            "path": places.database.to_string_lossy(),
            "exists": places.database.exists(),
            "backups": backups,
        },
        "window": cfg!(feature = "gui"),
        "discovery_ms": snapshot.app.discovery_ms,
        "engines": engines,
        "problems": problems,
    })
}

fn text(snapshot: &Snapshot, places: &Places) -> String {
    let database = match &snapshot.app.database {
        DatabaseStatus::Ok if places.database.exists() => "ok".to_owned(),
        DatabaseStatus::Ok => "none yet; it is made when a project is opened".to_owned(),
        DatabaseStatus::Damaged { why, .. } => format!("damaged: {why}"),
        DatabaseStatus::WritesFail { why } => format!("cannot be written: {why}"),
    };
    let window = if cfg!(feature = "gui") {
        "built in; fonts are those of this program, and the system's for scripts it has none for"
    } else {
        "not part of this build (feature gui)"
    };
    let mut text = format!(
        "tunaflow {}\ndata folder  {}\nlog folder   {}\ndatabase     {database}\nwindow       {window}\n",
        snapshot.app.version,
        snapshot.app.data_dir.display(),
        places.log_folder.display()
    );
    for row in snapshot.engines.iter() {
        let version = row.status.version.as_deref().unwrap_or("");
        let ready = state(&row.status.availability).replace('_', " ");
        text.push_str(&format!("\n{} ({}) {version}\n  state    {ready}", row.info.name, row.info.id));
        for (label, words) in [
            ("", hint(row)),
            ("found by", row.status.found_by.as_deref().unwrap_or("")),
            ("login", row.status.login.as_deref().unwrap_or("")),
            ("billing", billing(row.status.billing)),
            ("start", &start(row)),
        ] {
            if !words.is_empty() && label.is_empty() {
                text.push_str(&format!(": {words}"));
            } else if !words.is_empty() {
                text.push_str(&format!("\n  {label:<8} {words}"));
            }
        }
        text.push('\n');
    }
    text
}
