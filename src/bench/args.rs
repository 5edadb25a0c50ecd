//! The words after `bench`.

use std::ffi::OsString;
use std::path::PathBuf;

pub const USAGE: &str = "tunaflow bench start|memory|idle|open|frames|latency|context|web [--runs N] [--messages N] \
    [--seconds N] [--json], or tunaflow bench send --engine ID [--runs N] [--prompt TEXT] [--data-dir DIR] [--json] -- COMMAND…";

/// What is measured, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub measure: Measure,
    pub json: bool,
    /// Runs of each kind; `None` = what the measurement usually takes.
    pub runs: Option<u32>,
    /// Messages in the conversation looked at.
    pub messages: u32,
    /// How long a measurement over time goes on.
    pub seconds: u32,
    pub prompt: String,
    /// A data folder to use in place of a fresh one.
    pub data_dir: Option<PathBuf>,
}

/// The measurements, and the parts of them that run in processes of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    Start,
    Memory,
    Idle,
    Open,
    Frames,
    Latency,
    Context,
    Web,
    Send {
        engine: String,
        command: Vec<OsString>,
    },
    /// The program's own window with a measurement looking on.
    Window,
    EmptyWindow,
    FakeEngine,
}

/// # Errors
/// One line that names the wrong word, or the usage.
pub fn parse(words: &[OsString]) -> Result<Options, String> {
    let (own, command) = match words.iter().position(|word| word == "--") {
        Some(at) => (words.get(..at).unwrap_or_default(), words.get(at + 1..).unwrap_or_default()),
        None => (words, &[][..]),
    };
    let mut own = own.iter();
    let name = own.next().ok_or_else(|| format!("say what to measure. Usage: {USAGE}"))?;
    let mut options = Options {
        measure: Measure::Start,
        json: false,
        runs: None,
        messages: 100_000,
        seconds: 30,
        prompt: "Say something.".into(),
        data_dir: None,
    };
    let mut engine = None;
    while let Some(word) = own.next() {
        let shown = word.to_string_lossy();
        let mut value = || own.next().ok_or_else(|| format!("{shown} needs a value"));
        match &*shown {
            "--json" => options.json = true,
            "--runs" => options.runs = Some(number(value()?)?),
            "--messages" => options.messages = number(value()?)?,
            "--seconds" => options.seconds = number(value()?)?,
            "--prompt" => options.prompt = value()?.to_string_lossy().into_owned(),
            "--engine" => engine = Some(value()?.to_string_lossy().into_owned()),
            "--data-dir" => options.data_dir = Some(PathBuf::from(value()?)),
            _ => return Err(format!("unknown word {shown}. Usage: {USAGE}")),
        }
    }
    options.measure = match &*name.to_string_lossy() {
        "start" => Measure::Start,
        "memory" => Measure::Memory,
        "idle" => Measure::Idle,
        "open" => Measure::Open,
        "frames" => Measure::Frames,
        "latency" => Measure::Latency,
        "context" => Measure::Context,
        "web" => Measure::Web,
        "send" if command.is_empty() => return Err("name the bare command after --".into()),
        "send" => Measure::Send {
            engine: engine.ok_or("name the engine with --engine")?,
            command: command.to_vec(),
        },
        "window" => Measure::Window,
        "empty-window" => Measure::EmptyWindow,
        "fake-engine" => Measure::FakeEngine,
        other => return Err(format!("nothing is called {other}. Usage: {USAGE}")),
    };
    Ok(options)
}

fn number(word: &OsString) -> Result<u32, String> {
    let shown = word.to_string_lossy();
    let number: Option<u32> = shown.parse().ok();
    number.filter(|number| *number > 0).ok_or_else(|| format!("{shown} is no number above 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Options, String> {
        parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn words_become_measurements_and_wrong_ones_are_named() {
        assert_eq!(
            of("idle --seconds 5 --json").map(|o| (o.measure, o.seconds, o.json)),
            Ok((Measure::Idle, 5, true))
        );
        assert_eq!(of("open --messages 10 --runs 3").map(|o| (o.messages, o.runs)), Ok((10, Some(3))));
        let send = of("send --engine demo -- cat --json").map(|o| (o.measure, o.json));
        let command = vec!["cat".into(), "--json".into()];
        assert_eq!(send, Ok((Measure::Send { engine: "demo".into(), command }, false)));
        for (line, named) in [
            ("", "Usage"),
            ("x", "x"),
            ("open --runs", "--runs"),
            ("open --runs 0", "0"),
            ("open --y", "--y"),
            ("send --engine demo", "--"),
            ("send -- cat", "--engine"),
        ] {
            assert!(of(line).is_err_and(|why| why.contains(named)), "{line}");
        }
    }
}
