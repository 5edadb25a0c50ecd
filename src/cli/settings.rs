//! `settings get` and `settings set`: the settings by their stored names, as JSON values.

use serde_json::Value;

use crate::api::command::SettingsCommand;
use crate::api::snapshot::Snapshot;
use crate::cli::front::Front;
use crate::cli::out::{Failure, Out, WRONG_ARGUMENTS};
use crate::model::settings::Settings;

fn all(front: &Front) -> serde_json::Map<String, Value> {
    match serde_json::to_value(&*front.app.snapshot().settings) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => serde_json::Map::new(),
    }
}

fn unknown(name: &str, fields: &serde_json::Map<String, Value>) -> Failure {
    let known: Vec<&str> = fields.keys().map(String::as_str).collect();
    Failure::usage(format!("{name}: there is no such setting. Known are {}.", known.join(", ")))
}

/// All settings as one JSON object, or one value.
///
/// # Errors
/// There is none of that name.
pub fn get(front: &Front, name: Option<&str>, out: &mut Out) -> Result<(), Failure> {
    let fields = all(front);
    match name {
        None => out.json(&Value::Object(fields)),
        Some(name) => out.json(fields.get(name).ok_or_else(|| unknown(name, &fields))?),
    }
}

/// `value` is JSON; a bare word is taken as a string.
///
/// # Errors
/// There is no such setting, or it cannot have that value.
pub async fn set(front: &mut Front, name: &str, value: &str) -> Result<(), Failure> {
    front.check_writable()?;
    let mut fields = all(front);
    if !fields.contains_key(name) {
        return Err(unknown(name, &fields));
    }
    let parsed = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    fields.insert(name.to_owned(), parsed);
    let wanted: Settings = serde_json::from_value(Value::Object(fields))
        .map_err(|error| Failure::usage(format!("{name} cannot be {value}: {error}.")))?;
    front.send(SettingsCommand::Set(Box::new(wanted.clone())))?;
    let taken = |snapshot: &Snapshot| (*snapshot.settings == wanted).then_some(());
    front.wait(WRONG_ARGUMENTS, taken).await
}
