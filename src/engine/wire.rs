//! What all dialects share: reading JSON by key, JSON-RPC envelopes, cleaning and capping of agent text.
//!
//! Agents write whatever they like, so nothing here fails: what is missing or of another type reads as `None`.

use std::borrow::Cow;

use serde_json::{Value, json};

pub use crate::engine::clean::{Cleaner, MAX_TITLE_CHARS, OutputBuffer, cap, clean, one_line, tool_output};

/// Parses one line as a JSON object; anything else (banners, broken ends, bare numbers) is `None`.
pub fn parse_object(line: &str) -> Option<Value> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if !line.starts_with('{') {
        return None;
    }
    serde_json::from_str::<Value>(line).ok().filter(Value::is_object)
}

/// Makes objects of lines: one line each as a rule, pretty-printed ones over several lines too.
///
/// A pretty-printed object begins with a line `{` and ends with a line `}`; whatever else is no object is noise.
#[derive(Debug, Default)]
pub struct ObjectReader {
    open: Vec<String>,
    open_bytes: usize,
}

/// What an [`ObjectReader`] made of a line.
#[derive(Debug, PartialEq)]
pub enum Read {
    Object(Value),
    /// Text that is not JSON, as it came.
    Noise(String),
    /// Part of an object that is not complete yet.
    Pending,
}

/// A pretty-printed object may be so long; beyond it the lines are noise.
const MAX_OPEN_BYTES: usize = 16 << 20;

impl ObjectReader {
    pub fn push(&mut self, line: &str) -> Read {
        if let Some(object) = (!line.starts_with(char::is_whitespace)).then(|| parse_object(line)).flatten() {
            self.close();
            return Read::Object(object);
        }
        if self.open.is_empty() && line.trim_end() != "{" {
            return parse_object(line).map_or_else(|| Read::Noise(line.to_owned()), Read::Object);
        }
        self.open_bytes += line.len() + 1;
        self.open.push(line.to_owned());
        if self.open_bytes > MAX_OPEN_BYTES {
            return self.close().map_or(Read::Pending, Read::Noise);
        }
        if line.trim_end() != "}" {
            return Read::Pending;
        }
        let text = self.close().unwrap_or_default();
        parse_object(&text).map_or(Read::Noise(text), Read::Object)
    }

    /// What was begun and never ended, when no more lines come.
    pub fn close(&mut self) -> Option<String> {
        self.open_bytes = 0;
        let lines = std::mem::take(&mut self.open);
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

/// The text at a JSON pointer (`/message/id`), if it is a string.
pub fn str_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

/// As [`str_at`], owned and empty when missing.
pub fn text_at(value: &Value, pointer: &str) -> String {
    str_at(value, pointer).unwrap_or_default().to_owned()
}

/// The whole number at a JSON pointer. Floats such as `3.0` count; negative or fractional ones do not.
pub fn u64_at(value: &Value, pointer: &str) -> Option<u64> {
    let number = value.pointer(pointer)?;
    number.as_u64().or_else(|| {
        let float = number.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "range and sign are checked"
        )]
        ((0.0..9.0e15).contains(&float) && float.fract() == 0.0).then_some(float as u64)
    })
}

/// The signed whole number at a JSON pointer.
pub fn i64_at(value: &Value, pointer: &str) -> Option<i64> {
    let number = value.pointer(pointer)?;
    number.as_i64().or_else(|| u64_at(value, pointer).and_then(|n| i64::try_from(n).ok()))
}

/// The number at a JSON pointer.
pub fn f64_at(value: &Value, pointer: &str) -> Option<f64> {
    value.pointer(pointer).and_then(Value::as_f64)
}

/// True only for a JSON `true`.
pub fn is_true(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).and_then(Value::as_bool).unwrap_or(false)
}

/// The elements of the array at a JSON pointer; none when it is missing or something else.
pub fn list_at<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Pretty JSON, for showing a tool's exact input. Strings stay as they are, `null` is empty.
pub fn pretty(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => cap(clean(text)),
        other => cap(clean(&serde_json::to_string_pretty(other).unwrap_or_else(|_| other.to_string()))),
    }
}

/// A unified diff between two whole texts with three lines of context: one hunk around everything that differs.
///
/// `old` is `None` for a new file. Lines in front and behind that are alike are left out; what lies between is
/// shown as removed and added. Cleaned and capped like tool output.
pub fn diff_of(path: &str, old: Option<&str>, new: &str) -> String {
    const CONTEXT: usize = 3;
    let old_lines: Vec<&str> = old.unwrap_or_default().lines().collect();
    let new_lines: Vec<&str> = new.lines().collect();
    let front = old_lines.iter().zip(&new_lines).take_while(|(a, b)| a == b).count();
    let behind = old_lines
        .iter()
        .skip(front)
        .rev()
        .zip(new_lines.iter().skip(front).rev())
        .take_while(|(a, b)| a == b)
        .count();
    let start = front.saturating_sub(CONTEXT);
    let tail = behind.min(CONTEXT);
    let (old_end, new_end) = (old_lines.len() - behind, new_lines.len() - behind);
    let old_name = if old.is_some() { path } else { "/dev/null" };
    let mut diff = format!(
        "--- {old_name}\n+++ {path}\n@@ -{},{} +{},{} @@\n",
        if old_lines.is_empty() { 0 } else { start + 1 },
        old_end + tail - start,
        if new_lines.is_empty() { 0 } else { start + 1 },
        new_end + tail - start,
    );
    let mut push = |mark: char, lines: &[&str]| {
        for line in lines {
            diff.push(mark);
            diff.push_str(line);
            diff.push('\n');
        }
    };
    push(' ', old_lines.get(start..front).unwrap_or_default());
    push('-', old_lines.get(front..old_end).unwrap_or_default());
    push('+', new_lines.get(front..new_end).unwrap_or_default());
    push(' ', old_lines.get(old_end..old_end + tail).unwrap_or_default());
    tool_output(&diff)
}

/// A JSON-RPC message, told apart. Ids may be numbers or texts and are given back as they came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rpc<'a> {
    Request { id: &'a Value, method: &'a str, params: &'a Value },
    Notification { method: &'a str, params: &'a Value },
    Reply { id: &'a Value, result: &'a Value },
    Error { id: &'a Value, error: &'a Value },
}

/// Reads a JSON-RPC envelope, with or without `"jsonrpc"`; `None` when it is none.
pub fn rpc(message: &Value) -> Option<Rpc<'_>> {
    const NOTHING: &Value = &Value::Null;
    let id = message.get("id").filter(|id| !id.is_null());
    let params = message.get("params").unwrap_or(NOTHING);
    match (message.get("method").and_then(Value::as_str), id) {
        (Some(method), Some(id)) => Some(Rpc::Request { id, method, params }),
        (Some(method), None) => Some(Rpc::Notification { method, params }),
        (None, id) => {
            if let Some(error) = message.get("error").filter(|error| !error.is_null()) {
                return Some(Rpc::Error { id: id.unwrap_or(NOTHING), error });
            }
            Some(Rpc::Reply { id: id?, result: message.get("result")? })
        }
    }
}

/// A request line.
pub fn rpc_request(id: u64, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// A notification line; `params` `null` leaves the field out.
pub fn rpc_notification(method: &str, params: &Value) -> String {
    if params.is_null() {
        return json!({"jsonrpc": "2.0", "method": method}).to_string();
    }
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

/// The answer to a request of the other side.
pub fn rpc_result(id: &Value, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

/// Refuses a request of the other side, so that it does not wait for ever.
pub fn rpc_refusal(id: &Value, method: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": format!("Method not found: {method}")}})
        .to_string()
}

/// A JSON-RPC id as a word of our own: `7` and `"7"` stay different.
pub fn id_key(id: &Value) -> String {
    id.to_string()
}

/// A user's words for a program that takes a leading `/` for a command of its own.
///
/// `/clear` would empty its memory behind our back, and `/usr/bin/x is broken` would reach no model. A sign without
/// width before it makes it plain text.
pub fn not_a_command(text: &str) -> Cow<'_, str> {
    if text.trim_start().starts_with('/') {
        Cow::Owned(format!("\u{200b}{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffs_of_whole_texts() {
        assert_eq!(diff_of("n", None, "a\nb\n"), "--- /dev/null\n+++ n\n@@ -0,0 +1,2 @@\n+a\n+b\n");
        assert_eq!(
            diff_of("f", Some("1\n2\n3\n4\n5\n6\n7\n8\n"), "1\n2\n3\n4\nfive\n6\n7\n8\n"),
            "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        );
        assert_eq!(diff_of("f", Some("a\n"), ""), "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n");
        assert_eq!(diff_of("f", Some("a\na\n"), "a\n"), "--- f\n+++ f\n@@ -1,2 +1,1 @@\n a\n-a\n");
    }

    #[test]
    fn envelopes_are_told_apart() {
        let request = json!({"id": "a", "method": "m", "params": {"x": 1}});
        assert!(matches!(rpc(&request), Some(Rpc::Request { method: "m", .. })));
        assert!(matches!(rpc(&json!({"method": "m"})), Some(Rpc::Notification { params: Value::Null, .. })));
        assert!(matches!(rpc(&json!({"id": 1, "result": null})), Some(Rpc::Reply { .. })));
        assert!(matches!(rpc(&json!({"id": 1, "error": {"code": 1}})), Some(Rpc::Error { .. })));
        assert!(matches!(rpc(&json!({"id": null, "error": {"code": 1}})), Some(Rpc::Error { .. })));
        assert_eq!(rpc(&json!({"type": "x"})), None);
        assert_ne!(id_key(&json!(7)), id_key(&json!("7")));
    }

    #[test]
    fn fields_of_another_type_read_as_missing() {
        let value = json!({"a": {"n": 3.0, "s": "x", "neg": -1, "half": 0.5}, "l": [1]});
        assert_eq!(u64_at(&value, "/a/n"), Some(3));
        assert_eq!(u64_at(&value, "/a/neg"), None);
        assert_eq!(u64_at(&value, "/a/half"), None);
        assert_eq!(i64_at(&value, "/a/neg"), Some(-1));
        assert_eq!(str_at(&value, "/a/n"), None);
        assert_eq!(text_at(&value, "/a/s"), "x");
        assert!(list_at(&value, "/a").is_empty() && list_at(&value, "/l").len() == 1);
        assert_eq!(parse_object("{\"a\":1}\r").and_then(|v| u64_at(&v, "/a")), Some(1));
        for noise in ["", "hello", "[1]", "42", "{\"a\":", "{} trailing"] {
            assert_eq!(parse_object(noise), None, "{noise}");
        }
    }

    #[test]
    fn objects_over_one_or_many_lines() {
        let mut reader = ObjectReader::default();
        assert_eq!(reader.push("Loading…"), Read::Noise("Loading…".to_owned()));
        assert_eq!(reader.push("{\"a\":1}"), Read::Object(json!({"a": 1})));
        for line in ["{", "  \"a\": [", "    {}", "  ]"] {
            assert_eq!(reader.push(line), Read::Pending);
        }
        assert_eq!(reader.push("}"), Read::Object(json!({"a": [{}]})));
        assert_eq!(reader.push("{"), Read::Pending);
        assert_eq!(reader.push("{\"b\":2}"), Read::Object(json!({"b": 2})), "a whole line ends what hangs");
        assert_eq!(reader.push("  {\"c\":3}"), Read::Object(json!({"c": 3})));
        assert_eq!(reader.push("{\"cut\":"), Read::Noise("{\"cut\":".to_owned()));
        assert_eq!(reader.close(), None);
    }

    #[test]
    fn words_are_no_commands() {
        for (text, expected) in [
            ("/clear", "\u{200b}/clear"),
            (" \n/usr/bin/x is broken", "\u{200b} \n/usr/bin/x is broken"),
            ("look at /usr", "look at /usr"),
            ("", ""),
        ] {
            assert_eq!(not_a_command(text), expected);
        }
    }
}
