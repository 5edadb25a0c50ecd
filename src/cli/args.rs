//! Arguments to wishes. Pure: no file, folder or standard stream is looked at here.

pub mod known;
mod known_words;
mod wish;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::cli::usage::{Spec, USAGE, specs};
use crate::model::id::{ConversationId, ProjectId};
use crate::model::pack::Mode;
use crate::model::settings::{BUDGET_CHARS_MAX, BUDGET_CHARS_MIN};

pub use crate::cli::args::wish::{
    Ask, Export, FileFrom, Format, Invocation, Look, Names, Parts, Permissions, ProjectWord, TextFrom,
    Transcript, Wish,
};

/// A wrong argument. `Display` is one line that names it and the usage.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} (usage: {usage})")]
pub struct UsageError {
    pub what: String,
    pub usage: &'static str,
}

/// Reads the arguments after the program's name.
///
/// # Errors
/// The first argument that is not understood, with the usage of the command it belongs to.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Invocation, UsageError> {
    let mut words = Words::split(args.into_iter())?;
    let data_dir = words.path("--data-dir")?;
    let project = words.path("--project")?;
    let json = words.flags.remove("--json");
    let wish = if words.flags.remove("--help") {
        Wish::Help
    } else if words.flags.remove("--version") {
        Wish::Version
    } else if let Some(rest) = words.bench.take() {
        Wish::Bench(rest)
    } else if words.places.is_empty() {
        words.nothing_left(USAGE)?;
        Wish::Window
    } else {
        words.wish()?
    };
    Ok(Invocation { data_dir, project, json, wish })
}

/// Arguments, told apart.
#[derive(Default)]
struct Words {
    values: BTreeMap<&'static str, Vec<OsString>>,
    flags: BTreeSet<&'static str>,
    places: Vec<OsString>,
    bench: Option<Vec<OsString>>,
}

fn wrong(what: String, usage: &'static str) -> UsageError {
    UsageError { what, usage }
}

fn known_value(name: &str) -> Option<&'static str> {
    let all =
        specs().flat_map(|spec| spec.values.iter().chain(spec.lists)).chain(&["--data-dir", "--project"]);
    all.copied().find(|known| *known == name)
}

fn known_flag(name: &str) -> Option<&'static str> {
    let long = match name {
        "-h" => "--help",
        "-V" => "--version",
        other => other,
    };
    let all = specs().flat_map(|spec| spec.flags).chain(&["--json", "--help", "--version"]);
    all.copied().find(|known| *known == long)
}

impl Words {
    fn split(mut args: impl Iterator<Item = OsString>) -> Result<Self, UsageError> {
        let mut words = Self::default();
        while let Some(arg) = args.next() {
            let Some(text) = arg.to_str().filter(|text| text.starts_with('-') && text.len() > 1) else {
                let is_bench = words.places.is_empty() && arg == "bench";
                if is_bench {
                    words.bench = Some(args.collect());
                    break;
                }
                words.places.push(arg);
                continue;
            };
            if text == "--" {
                words.places.extend(args);
                break;
            }
            if let Some(flag) = known_flag(text) {
                words.flags.insert(flag);
                continue;
            }
            let (name, given) = match text.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (text, None),
            };
            let usage = words.spec().map_or(USAGE, |spec| spec.usage);
            let name = known_value(name).ok_or_else(|| wrong(format!("unknown argument {text}"), usage))?;
            let value = given.or_else(|| args.next());
            let value = value.ok_or_else(|| wrong(format!("{name} needs a value"), usage))?;
            words.values.entry(name).or_default().push(value);
        }
        Ok(words)
    }

    /// The command that the first words name.
    fn spec(&self) -> Option<&'static Spec> {
        specs().find(|spec| {
            spec.words.len() <= self.places.len()
                && spec.words.iter().zip(&self.places).all(|(word, place)| place == word)
        })
    }

    fn wish(&mut self) -> Result<Wish, UsageError> {
        let Some(spec) = self.spec() else { return Err(self.unknown_command()) };
        self.places.drain(..spec.words.len());
        let is_known = |name: &&&str| spec.values.contains(*name) || spec.lists.contains(*name);
        if let Some(name) = self.values.keys().find(|name| !is_known(name)) {
            return Err(wrong(format!("{name} is not an option of {}", spec.words.join(" ")), spec.usage));
        }
        let is_twice =
            |(name, given): &(&&str, &Vec<OsString>)| given.len() > 1 && !spec.lists.contains(*name);
        if let Some((name, _)) = self.values.iter().find(is_twice) {
            return Err(wrong(format!("{name} is given twice"), spec.usage));
        }
        if let Some(name) = self.flags.iter().find(|name| !spec.flags.contains(name)) {
            return Err(wrong(format!("{name} is not an option of {}", spec.words.join(" ")), spec.usage));
        }
        if let Some(surplus) = self.places.get(spec.places) {
            let surplus = surplus.to_string_lossy();
            let hint = if spec.usage.ends_with("[TEXT or -]") { "; put the text in quotes" } else { "" };
            return Err(wrong(format!("unexpected argument {surplus}{hint}"), spec.usage));
        }
        self.build(spec)
    }

    fn build(&mut self, spec: &'static Spec) -> Result<Wish, UsageError> {
        Ok(match spec.words {
            ["doctor"] => Wish::Doctor,
            ["project", "add"] => Wish::ProjectAdd(PathBuf::from(self.place("PATH", spec)?)),
            ["project", "list"] => Wish::ProjectList,
            ["project", "remove"] => Wish::ProjectRemove(self.project_word(spec)?),
            ["conversations"] => Wish::Conversations,
            ["messages"] => Wish::Messages(self.transcript(spec)?),
            ["export"] => {
                let format = match self.value("--format", spec)?.as_deref() {
                    Some("md" | "markdown") => Format::Markdown,
                    Some("json") => Format::Json,
                    Some(other) => {
                        return Err(wrong(format!("--format {other} is neither md nor json"), spec.usage));
                    }
                    None => return Err(wrong("--format is missing".into(), spec.usage)),
                };
                Wish::Export(Export { transcript: self.transcript(spec)?, format })
            }
            ["send"] => Wish::Send(Box::new(self.ask(spec)?)),
            ["context"] => Wish::Context(Box::new(self.look(spec)?)),
            ["role", "list"] => Wish::Names(Names::Roles),
            ["persona", "list"] => Wish::Names(Names::Personas),
            ["profile", word] => Wish::Profiles(Box::new(self.profiles(word, spec)?)),
            [group, word] if known_words::GROUPS.contains(group) => {
                Wish::Known(Box::new(self.known(group, word, spec)?))
            }
            ["settings", "get"] => Wish::SettingsGet(self.next_text("NAME", spec)?),
            ["settings", "set"] => Wish::SettingsSet {
                name: self.text_place("NAME", spec)?,
                value: self.text_place("VALUE", spec)?,
            },
            ["version"] => Wish::Version,
            _ => Wish::Help,
        })
    }

    fn unknown_command(&self) -> UsageError {
        let said: Vec<_> = self.places.iter().take(2).map(|place| place.to_string_lossy()).collect();
        let first = said.first().map(AsRef::as_ref).unwrap_or_default();
        let below: Vec<&str> = specs()
            .filter_map(|spec| match spec.words {
                [group, word] if *group == first => Some(*word),
                _ => None,
            })
            .collect();
        match (below.is_empty(), said.get(1)) {
            (true, _) => wrong(format!("unknown command {first}"), USAGE),
            (false, Some(word)) => {
                wrong(format!("unknown command {first} {word}: it is {}", below.join(", ")), USAGE)
            }
            (false, None) => wrong(format!("{first} needs one of {}", below.join(", ")), USAGE),
        }
    }

    fn nothing_left(&self, usage: &'static str) -> Result<(), UsageError> {
        let left = self.values.keys().chain(&self.flags).next();
        left.map_or(Ok(()), |name| Err(wrong(format!("{name} needs a command"), usage)))
    }

    fn path(&mut self, name: &str) -> Result<Option<PathBuf>, UsageError> {
        let mut given = self.values.remove(name).unwrap_or_default();
        if given.len() > 1 {
            return Err(wrong(format!("{name} is given twice"), USAGE));
        }
        let path = given.pop().map(PathBuf::from);
        if path.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
            return Err(wrong(format!("{name} is empty"), USAGE));
        }
        Ok(path)
    }

    fn value(&mut self, name: &str, spec: &Spec) -> Result<Option<String>, UsageError> {
        let Some(text) = self.words(name, spec)? else { return Ok(None) };
        if text.trim().is_empty() {
            return Err(wrong(format!("{name} is empty"), spec.usage));
        }
        Ok(Some(text))
    }

    /// As [`Self::value`]; may be empty.
    fn words(&mut self, name: &str, spec: &Spec) -> Result<Option<String>, UsageError> {
        let value = self.values.remove(name).and_then(|mut given| given.pop());
        value.map(|value| unicode(&value, name, spec)).transpose()
    }

    fn place(&mut self, name: &str, spec: &Spec) -> Result<OsString, UsageError> {
        if self.places.is_empty() {
            return Err(wrong(format!("{name} is missing"), spec.usage));
        }
        let place = self.places.remove(0);
        if place.is_empty() {
            return Err(wrong(format!("{name} is empty"), spec.usage));
        }
        Ok(place)
    }

    fn text_place(&mut self, name: &str, spec: &Spec) -> Result<String, UsageError> {
        let place = self.place(name, spec)?;
        unicode(&place, name, spec)
    }

    fn next_text(&mut self, name: &str, spec: &Spec) -> Result<Option<String>, UsageError> {
        if self.places.is_empty() { Ok(None) } else { self.text_place(name, spec).map(Some) }
    }

    fn project_word(&mut self, spec: &Spec) -> Result<ProjectWord, UsageError> {
        let place = self.place("ID or PATH", spec)?;
        let id = place.to_str().and_then(|text| text.parse::<ProjectId>().ok());
        Ok(id.map_or_else(|| ProjectWord::Path(PathBuf::from(place)), ProjectWord::Id))
    }

    fn transcript(&mut self, spec: &Spec) -> Result<Transcript, UsageError> {
        let text = self.text_place("ID", spec)?;
        let conversation = conversation_id(&text, spec)?;
        let parts = Parts { tools: self.flags.remove("--tools"), thinking: self.flags.remove("--thinking") };
        Ok(Transcript { conversation, parts })
    }

    fn ask(&mut self, spec: &Spec) -> Result<Ask, UsageError> {
        let conversation =
            self.value("--conversation", spec)?.map(|text| conversation_id(&text, spec)).transpose()?;
        let (role, profile) = (self.value("--role", spec)?, self.value("--profile", spec)?);
        if role.is_some() && profile.is_some() {
            return Err(wrong(
                "--profile says the role already: give one of --profile and --role".into(),
                spec.usage,
            ));
        }
        let mode = match self.value("--mode", spec)? {
            None => None,
            Some(word) => Some(Mode::parse(&word).ok_or_else(|| {
                wrong(format!("--mode {word} is none of lite, standard, full"), spec.usage)
            })?),
        };
        let budget_chars = self.value("--budget", spec)?.map(|text| budget(&text, spec)).transpose()?;
        let permissions = match self.value("--permissions", spec)?.as_deref() {
            None | Some("deny") => Permissions::Deny,
            Some("ask") => Permissions::Ask,
            Some("allow") => Permissions::Allow,
            Some(other) => {
                return Err(wrong(format!("--permissions {other} is none of ask, deny, allow"), spec.usage));
            }
        };
        let text = self.text_from(spec)?;
        let (engine, model) = (self.value("--engine", spec)?, self.value("--model", spec)?);
        Ok(Ask { conversation, engine, model, role, profile, mode, budget_chars, permissions, text })
    }

    fn look(&mut self, spec: &Spec) -> Result<Look, UsageError> {
        let compare = self.value("--compare", spec)?;
        let bare = self.flags.remove("--text");
        if bare && compare.is_some() {
            return Err(wrong("--text and --compare do not go together".into(), spec.usage));
        }
        Ok(Look { bare, compare, ask: self.ask(spec)? })
    }

    fn text_from(&mut self, spec: &Spec) -> Result<TextFrom, UsageError> {
        Ok(match self.next_raw() {
            None => TextFrom::Unsaid,
            Some(place) if place == "-" => TextFrom::Stdin,
            Some(place) => TextFrom::Given(unicode(&place, "TEXT", spec)?),
        })
    }

    fn next_raw(&mut self) -> Option<OsString> {
        if self.places.is_empty() { None } else { Some(self.places.remove(0)) }
    }
}

fn unicode(value: &OsStr, name: &str, spec: &Spec) -> Result<String, UsageError> {
    value
        .to_str()
        .map(str::to_owned)
        .ok_or_else(|| wrong(format!("{name} is not valid Unicode text"), spec.usage))
}

fn conversation_id(text: &str, spec: &Spec) -> Result<ConversationId, UsageError> {
    text.parse().ok().filter(|id: &ConversationId| id.0 > 0).ok_or_else(|| {
        wrong(format!("{text} is not the number of a conversation (see tunaflow conversations)"), spec.usage)
    })
}

fn budget(text: &str, spec: &Spec) -> Result<u32, UsageError> {
    let range = BUDGET_CHARS_MIN..=BUDGET_CHARS_MAX;
    text.parse().ok().filter(|chars| range.contains(chars)).ok_or_else(|| {
        let what = format!(
            "--budget {text} is not a number of characters from {BUDGET_CHARS_MIN} to {BUDGET_CHARS_MAX}"
        );
        wrong(what, spec.usage)
    })
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
