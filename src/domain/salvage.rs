//! Reading stored settings of which a part is no good, e.g. after an edit by hand or from a newer version.

use serde_json::{Map, Value};

use crate::model::settings::Settings;

/// Settings with every stored value that is sound, and the names of those that are not: `zoom_percent`,
/// `profiles[2]`, `engines.codex`. A list or table loses only what is bad in it; what is lost takes its default.
///
/// # Errors
/// It is no JSON object at all.
pub fn salvage(
    json: &str,
    check: impl Fn(&Settings) -> Result<(), String>,
) -> Result<(Settings, Vec<String>), String> {
    let stored: Map<String, Value> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let sound = |values: &Map<String, Value>| -> Option<Settings> {
        let settings = serde_json::from_value::<Settings>(Value::Object(values.clone())).ok()?;
        check(&settings).is_ok().then_some(settings)
    };
    let (mut taken, mut left_out) = (Map::new(), Vec::new());
    for (name, value) in stored {
        let with = |value: Value| {
            let mut values = taken.clone();
            values.insert(name.clone(), value);
            values
        };
        let whole = with(value.clone());
        if sound(&whole).is_some() {
            taken = whole;
            continue;
        }
        let parts = match value {
            Value::Array(list) => sound_items(list, |list| sound(&with(Value::Array(list))).is_some(), &name),
            Value::Object(map) => sound_entries(map, |map| sound(&with(Value::Object(map))).is_some(), &name),
            _ => (None, vec![name.clone()]),
        };
        if let Some(part) = parts.0 {
            taken = with(part);
        }
        left_out.extend(parts.1);
    }
    Ok((sound(&taken).unwrap_or_default(), left_out))
}

fn sound_items(
    list: Vec<Value>,
    is_sound: impl Fn(Vec<Value>) -> bool,
    name: &str,
) -> (Option<Value>, Vec<String>) {
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for (place, item) in list.into_iter().enumerate() {
        let mut with = kept.clone();
        with.push(item);
        if is_sound(with.clone()) {
            kept = with;
        } else {
            left_out.push(format!("{name}[{}]", place + 1));
        }
    }
    (Some(Value::Array(kept)), left_out)
}

fn sound_entries(
    map: Map<String, Value>,
    is_sound: impl Fn(Map<String, Value>) -> bool,
    name: &str,
) -> (Option<Value>, Vec<String>) {
    if !is_sound(Map::new()) {
        // It is one value with fields, not a table.
        return (None, vec![name.to_owned()]);
    }
    let (mut kept, mut left_out) = (Map::new(), Vec::new());
    for (key, value) in map {
        let mut with = kept.clone();
        with.insert(key.clone(), value);
        if is_sound(with.clone()) {
            kept = with;
        } else {
            left_out.push(format!("{name}.{key}"));
        }
    }
    (Some(Value::Object(kept)), left_out)
}

#[cfg(test)]
mod tests {
    use super::salvage;
    use crate::model::settings::Settings;

    fn check(settings: &Settings) -> Result<(), String> {
        let twice = settings.profiles.len()
            != settings.profiles.iter().map(|one| &one.name).collect::<std::collections::BTreeSet<_>>().len();
        if settings.zoom_percent > 200 || twice { Err("bad".into()) } else { Ok(()) }
    }

    #[test]
    fn what_is_sound_is_kept_and_the_rest_is_named() {
        let json = r#"{
            "zoom_percent": 900, "budget_chars": 90000, "theme": "purple", "enter_sends": false,
            "profiles": [{"name":"A","engine":"demo"}, {"name":7}, {"name":"A","engine":"codex"}, {"name":"B","engine":"demo"}],
            "engines": {"codex": {"billing": "api_key"}, "claude": {"billing": "gold"}},
            "of_a_newer_version": [1]
        }"#;
        let (settings, left_out) = salvage(json, check).unwrap();
        assert_eq!(
            (settings.zoom_percent, settings.budget_chars, settings.enter_sends),
            (100, 90_000, false)
        );
        let names: Vec<&str> = settings.profiles.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        assert_eq!(settings.engines.len(), 1);
        let expected = ["engines.claude", "profiles[2]", "profiles[3]", "theme", "zoom_percent"];
        let mut left_out = left_out;
        left_out.sort();
        assert_eq!(left_out, expected);
    }

    #[test]
    fn sound_settings_come_back_whole_and_no_object_is_an_error() {
        let json = serde_json::to_string(&Settings { zoom_percent: 150, ..Settings::default() }).unwrap();
        let (settings, left_out) = salvage(&json, check).unwrap();
        assert_eq!((settings.zoom_percent, left_out.len()), (150, 0));
        for bad in ["", "{", "[]", "7", "null"] {
            assert!(salvage(bad, check).is_err(), "{bad}");
        }
    }
}
