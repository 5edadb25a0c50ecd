//! What is said: from a request and its magic words to texts, tool calls and pace. Pure.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::magic::{Magic, own_part};
use super::view::{Tool, View};

/// Korean with precomposed and decomposed syllables, emoji with joiners, flags, marks, right-to-left text.
pub const KOREAN_TEXT: &str = "안녕하세요, 모델 서버입니다. 자모로 푼 한글: \u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}. \
     가족 👨\u{200d}👩\u{200d}👧\u{200d}👦, 개발자 👩\u{200d}💻, 국기 🇰🇷, 하트 ❤\u{fe0f}\u{200d}🔥. \
     e\u{301} שלום 日本語. 끝.";

/// Content of a file that the model writes.
pub const WRITTEN_TEXT: &str = "written by the model server";

/// A call of one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub tool: String,
    pub input: Input,
}

/// Input of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Object(Value),
    FreeForm(String),
}

/// One answer and the way it arrives.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    pub thinking: String,
    /// The text, one piece a delta.
    pub pieces: Vec<String>,
    pub calls: Vec<Call>,
    /// Before each delta but the first.
    pub pause_ms: u64,
    /// Deltas after which the connection is closed.
    pub cut_after: Option<usize>,
    /// Cut the bytes of each event across writes, inside characters too.
    pub odd_writes: bool,
}

impl Answer {
    /// The whole text.
    pub fn text(&self) -> String {
        self.pieces.concat()
    }
}

/// How `ECHO` describes a text: `NAME: sha256=HEX chars=N bytes=N`.
pub fn digest_line(name: &str, text: &str) -> String {
    let hex: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{name}: sha256={hex} chars={} bytes={}", text.chars().count(), text.len())
}

/// The answer to a request of somebody's turn.
pub fn answer(view: &View, magic: &Magic) -> Answer {
    let mut answer = Answer {
        pause_ms: magic.stream.map_or(0, |(_, pause_ms)| pause_ms),
        odd_writes: magic.korean,
        cut_after: magic.cut.then_some(2),
        ..Answer::default()
    };
    if magic.think {
        answer.thinking = "Two ways are open. The first one is simpler, so it is taken.".to_owned();
    }
    if let Some(result) = view.tool_results.last() {
        answer.pieces = pieces(&closing_text(magic, &result.text, result.failed));
        return answer;
    }
    answer.calls = calls(view, magic);
    answer.pieces = if !answer.calls.is_empty() {
        vec!["I will ".to_owned(), "use a tool.".to_owned()]
    } else if magic.write_path.is_some() || magic.shell_command.is_some() {
        pieces("No fitting tool was offered.")
    } else {
        spoken(view, magic)
    };
    answer
}

/// The answer to a side call: data that fits its schema, or a few words that suit a title.
pub fn side_answer(view: &View) -> Answer {
    let text = match &view.schema {
        Some(schema) if schema.is_object() => smallest(schema).to_string(),
        Some(_) => json!({"ok": true}).to_string(),
        None => "A short title".to_owned(),
    };
    Answer { pieces: vec![text], ..Answer::default() }
}

fn spoken(view: &View, magic: &Magic) -> Vec<String> {
    let user = view.user_text();
    if let Some(text) = &magic.say {
        return pieces(text);
    }
    if magic.echo {
        let lines = [("user", user), ("prompt", own_part(user)), ("system", &view.system)];
        return lines.iter().map(|(name, text)| digest_line(name, text) + "\n").collect();
    }
    if magic.korean {
        let chars: Vec<char> = KOREAN_TEXT.chars().collect();
        return chars.chunks(5).map(|part| part.iter().collect()).collect();
    }
    if let Some((chunks, _)) = magic.stream {
        return (1..=chunks).map(|number| format!("chunk-{number} ")).collect();
    }
    if let Some(chars) = magic.big_chars {
        let lines = (1..).map(|number| format!("Line {number:07} of a big answer.\n"));
        let text: Vec<char> = lines.flat_map(|line| line.chars().collect::<Vec<_>>()).take(chars).collect();
        return text.chunks(4096).map(|part| part.iter().collect()).collect();
    }
    let read =
        view.system.chars().count() + view.user_texts.iter().map(|text| text.chars().count()).sum::<usize>();
    let turns = view.user_texts.len().saturating_sub(1);
    pieces(&format!(
        "Hello from the model server.\n\n- **characters read:** {read}\n- **earlier turns:** {turns}\n\n\
         The model was `{}`.",
        view.model
    ))
}

/// Cuts a text into deltas of about three words.
fn pieces(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    words.chunks(3).map(<[&str]>::concat).collect()
}

/// Words by which command lines tell the model that the user said no.
const REFUSALS: [&str; 9] = [
    "denied",
    "rejected",
    "declined",
    "doesn't want",
    "not allowed",
    "haven't granted",
    "refused",
    "cancelled by",
    "canceled by",
];

fn closing_text(magic: &Magic, result: &str, failed: bool) -> String {
    let what = match magic {
        Magic { write_path: Some(_), .. } => "write",
        Magic { shell_command: Some(_), .. } => "command",
        _ => "call",
    };
    let lower = result.to_lowercase();
    // A command that ran and failed was allowed to run.
    let ran = lower.contains("exit code");
    let refused = REFUSALS.iter().any(|word| lower.contains(word)) || (failed && !ran);
    let verdict = if refused { "denied" } else { "allowed" };
    let start: String = result.chars().take(200).collect();
    format!("The {what} was {verdict}.\n\nThe tool said: {start}")
}

fn calls(view: &View, magic: &Magic) -> Vec<Call> {
    let write = magic.write_path.as_deref().and_then(|path| write_call(view, path));
    let shell = magic.shell_command.as_deref().and_then(|command| shell_call(view, command));
    // Called as named, offered or not: a host may announce its tools elsewhere than in the list.
    let named = magic.tool.as_ref().map(|(tool, input)| Call {
        tool: tool.clone(),
        input: serde_json::from_str(input).map_or_else(|_e| Input::FreeForm(input.clone()), Input::Object),
    });
    write.into_iter().chain(shell).chain(named).collect()
}

fn offered<'a>(view: &'a View, names: &[&str]) -> Option<(&'a str, &'a Tool)> {
    names.iter().find_map(|name| view.tools.get_key_value(*name)).map(|(name, tool)| (name.as_str(), tool))
}

/// The shell tools of the four command lines, and of older versions of them.
const SHELLS: [&str; 7] =
    ["Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell", "container.exec"];

fn shell_call(view: &View, command: &str) -> Option<Call> {
    if let Some((name, Tool::Schema(schema))) = offered(view, &SHELLS) {
        let wanted = [("command", command), ("cmd", command), ("description", "A command of a test")];
        return Some(object_call(name, schema, &wanted));
    }
    // A scripting tool that reaches the shell through a function.
    let script = format!("const r = await tools.exec_command({{cmd: {}}}); text(r);", json!(command));
    free_form_call(view, "exec", script)
}

fn write_call(view: &View, path: &str) -> Option<Call> {
    if let Some((name, Tool::Schema(schema))) = offered(view, &["Write", "write", "write_file"]) {
        let content = format!("{WRITTEN_TEXT}\n");
        let wanted = [("file_path", path), ("filePath", path), ("path", path), ("content", &content)];
        return Some(object_call(name, schema, &wanted));
    }
    let patch = format!("*** Begin Patch\n*** Add File: {path}\n+{WRITTEN_TEXT}\n*** End Patch");
    match view.tools.get("apply_patch") {
        Some(Tool::FreeForm) => return free_form_call(view, "apply_patch", patch),
        Some(Tool::Schema(schema)) => {
            return Some(object_call("apply_patch", schema, &[("input", &patch), ("patch", &patch)]));
        }
        None => {}
    }
    let script = format!("const r = await tools.apply_patch({}); text(r);", json!(patch));
    free_form_call(view, "exec", script)
        .or_else(|| shell_call(view, &format!("printf '%s\\n' '{WRITTEN_TEXT}' > '{path}'")))
}

fn free_form_call(view: &View, tool: &str, input: String) -> Option<Call> {
    matches!(view.tools.get(tool), Some(Tool::FreeForm))
        .then(|| Call { tool: tool.to_owned(), input: Input::FreeForm(input) })
}

/// A call with the wanted arguments that the schema knows, and the smallest value for what else it requires.
fn object_call(tool: &str, schema: &Value, wanted: &[(&str, &str)]) -> Call {
    let known = &schema["properties"];
    let mut arguments = Map::new();
    for (name, value) in wanted {
        match known.get(name).map(|property| &property["type"]) {
            Some(kind) if kind == "array" => {
                arguments.insert((*name).to_owned(), json!(["bash", "-lc", value]))
            }
            Some(_) => arguments.insert((*name).to_owned(), json!(value)),
            None => None,
        };
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !arguments.contains_key(name) {
            arguments.insert(name.to_owned(), smallest(&known[name]));
        }
    }
    Call { tool: tool.to_owned(), input: Input::Object(Value::Object(arguments)) }
}

/// The smallest value that fits a JSON schema.
fn smallest(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    let kind = schema["type"].as_str().unwrap_or("").to_lowercase();
    match kind.as_str() {
        "array" => json!([]),
        "boolean" => json!(false),
        "number" | "integer" => schema.get("minimum").cloned().unwrap_or(json!(1)),
        "string" => json!("test"),
        _ => match schema["properties"].as_object() {
            Some(fields) => fields.iter().map(|(name, field)| (name.clone(), smallest(field))).collect(),
            None => json!("test"),
        },
    }
}
