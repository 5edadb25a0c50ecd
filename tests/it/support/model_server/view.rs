//! What was asked, without regard to the provider: one reader for each of the four request shapes.

use std::collections::BTreeMap;

use serde_json::Value;

/// The request shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

/// One tool that the request offers to the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Tool {
    /// Takes an object that fits this JSON schema.
    Schema(Value),
    /// Takes any text.
    FreeForm,
}

/// Result of one tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    pub text: String,
    /// The client said that it is an error.
    pub failed: bool,
}

/// One request to a model.
#[derive(Debug, Clone)]
pub struct View {
    pub protocol: Protocol,
    pub model: String,
    pub stream: bool,
    /// System and developer text.
    pub system: String,
    /// The user's texts, oldest first, without the notes command lines add.
    pub user_texts: Vec<String>,
    /// Results since the last user text.
    pub tool_results: Vec<ToolResult>,
    pub tools: BTreeMap<String, Tool>,
    /// The JSON schema the answer must fit, when the client wants data instead of prose.
    pub schema: Option<Value>,
    /// Messages in the request: makes ids unique within a conversation.
    pub length: usize,
    /// The most tokens the client will take, where it says so.
    max_tokens: Option<u64>,
}

/// Elements in which command lines wrap their own notes to the model.
const NOTES: [&str; 5] = [
    "system-reminder",
    "session_context",
    "environment_context",
    "user_instructions",
    "permissions instructions",
];

/// Is the whole text one of those notes (or several)?
fn is_note(text: &str) -> bool {
    let text = text.trim();
    NOTES.iter().any(|name| text.starts_with(&format!("<{name}>")) && text.ends_with(&format!("</{name}>")))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The texts of a content field: a string, or parts that hold text.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts
            .iter()
            .flat_map(|part| match part {
                Value::String(text) => vec![text.clone()],
                other => other.get("text").map(texts).unwrap_or_default(),
            })
            .collect(),
        Value::Object(part) => part.get("text").map(texts).unwrap_or_default(),
        _ => Vec::new(),
    }
}

impl View {
    fn new(protocol: Protocol, body: &Value) -> Self {
        Self {
            protocol,
            model: text(&body["model"]),
            stream: body["stream"].as_bool().unwrap_or(false),
            system: String::new(),
            user_texts: Vec::new(),
            tool_results: Vec::new(),
            tools: BTreeMap::new(),
            schema: None,
            length: 0,
            max_tokens: None,
        }
    }

    /// Text of the last user message.
    pub fn user_text(&self) -> &str {
        self.user_texts.last().map_or("", String::as_str)
    }

    /// Made by a command line for itself: titles, quota checks, summaries, structured output.
    pub fn side_call(&self) -> bool {
        let system = self.system.to_lowercase();
        let asks_for_title = ["title generator", "generate a title", "concise title", "session title"];
        self.schema.is_some()
            || self.model == super::SMALL_MODEL
            || self.max_tokens == Some(1)
            || self.user_texts.is_empty()
            || (self.tools.is_empty()
                && (self.model.contains("flash-lite")
                    || asks_for_title.iter().any(|words| system.contains(words))))
    }

    fn add_system(&mut self, parts: &[String]) {
        for part in parts {
            if !self.system.is_empty() {
                self.system.push('\n');
            }
            self.system.push_str(part);
        }
    }

    fn add_user(&mut self, parts: &[String]) {
        let own: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !is_note(part)).collect();
        if own.iter().any(|part| !part.is_empty()) {
            self.user_texts.push(own.join("\n"));
            self.tool_results.clear();
        }
    }

    fn add_tool(&mut self, name: &Value, schema: &Value) {
        if let Some(name) = name.as_str() {
            self.tools.insert(name.to_owned(), Tool::Schema(schema.clone()));
        }
    }

    /// Reads `POST /v1/messages`.
    pub fn anthropic(body: &Value) -> Self {
        let mut view = Self::new(Protocol::Anthropic, body);
        view.add_system(&texts(&body["system"]));
        view.max_tokens = body["max_tokens"].as_u64();
        view.length = list(&body["messages"]).len();
        for message in list(&body["messages"]) {
            let content = &message["content"];
            match message["role"].as_str() {
                Some("system") => view.add_system(&texts(content)),
                Some("user") => {
                    for block in list(content).iter().filter(|block| block["type"] == "tool_result") {
                        view.tool_results.push(ToolResult {
                            text: texts(&block["content"]).join("\n"),
                            failed: block["is_error"].as_bool().unwrap_or(false),
                        });
                    }
                    // Results stand first in a message, so text beside them is what the user said next.
                    view.add_user(&texts(content));
                }
                _ => {}
            }
        }
        for tool in list(&body["tools"]) {
            view.add_tool(&tool["name"], &tool["input_schema"]);
        }
        let formats = [&body["output_config"]["format"], &body["output_format"]];
        view.schema =
            formats.iter().find(|format| format["type"] == "json_schema").map(|f| f["schema"].clone());
        view
    }

    /// Reads `POST /v1/responses`.
    pub fn responses(body: &Value) -> Self {
        let mut view = Self::new(Protocol::Responses, body);
        view.add_system(&texts(&body["instructions"]));
        if let Some(input) = body["input"].as_str() {
            view.add_user(&[input.to_owned()]);
        }
        view.length = list(&body["input"]).len();
        for item in list(&body["input"]) {
            let kind = item["type"].as_str().unwrap_or("message");
            if kind.ends_with("_call_output") {
                let output = &item["output"];
                let joined = texts(output).join("\n");
                let text = if joined.is_empty() { output.to_string() } else { joined };
                view.tool_results.push(ToolResult { text, failed: false });
            } else if kind == "message" {
                let parts = texts(&item["content"]);
                match item["role"].as_str() {
                    Some("developer" | "system") => view.add_system(&parts),
                    Some("user") => view.add_user(&parts),
                    _ => {}
                }
            }
        }
        for tool in list(&body["tools"]) {
            if tool["type"] == "custom" {
                view.tools.insert(text(&tool["name"]), Tool::FreeForm);
            } else if tool["name"].is_string() && tool["type"] == "function" {
                view.add_tool(&tool["name"], &tool["parameters"]);
            } else {
                view.add_tool(&tool["type"], &Value::Null);
            }
        }
        let format = &body["text"]["format"];
        view.schema = (format["type"] == "json_schema").then(|| format["schema"].clone());
        view
    }

    /// Reads `POST /v1/chat/completions`.
    pub fn chat(body: &Value) -> Self {
        let mut view = Self::new(Protocol::Chat, body);
        view.max_tokens = body["max_tokens"].as_u64();
        view.length = list(&body["messages"]).len();
        for message in list(&body["messages"]) {
            let parts = texts(&message["content"]);
            match message["role"].as_str() {
                Some("system" | "developer") => view.add_system(&parts),
                Some("user") => view.add_user(&parts),
                Some("tool") => {
                    view.tool_results.push(ToolResult { text: parts.join("\n"), failed: false });
                }
                _ => {}
            }
        }
        for tool in list(&body["tools"]) {
            view.add_tool(&tool["function"]["name"], &tool["function"]["parameters"]);
        }
        let format = &body["response_format"];
        view.schema = match format["type"].as_str() {
            Some("json_schema") => Some(format["json_schema"]["schema"].clone()),
            Some("json_object") => Some(Value::Null),
            _ => None,
        };
        view
    }

    /// Reads `POST /v1beta/models/MODEL:generateContent` and its streaming sister.
    pub fn gemini(body: &Value, model: &str, stream: bool) -> Self {
        let mut view = Self::new(Protocol::Gemini, body);
        view.model = model.to_owned();
        view.stream = stream;
        view.add_system(&texts(&body["systemInstruction"]["parts"]));
        view.max_tokens = body["generationConfig"]["maxOutputTokens"].as_u64();
        view.length = list(&body["contents"]).len();
        for content in list(&body["contents"]).iter().filter(|content| content["role"] != "model") {
            let parts = list(&content["parts"]);
            let results = parts.iter().map(|part| &part["functionResponse"]["response"]);
            let results: Vec<ToolResult> = results
                .filter(|response| !response.is_null())
                .map(|response| ToolResult {
                    text: response.to_string(),
                    failed: response.get("error").is_some(),
                })
                .collect();
            if results.is_empty() {
                view.add_user(&texts(&content["parts"]));
            }
            view.tool_results.extend(results);
        }
        for tool in list(&body["tools"]).iter().flat_map(|group| list(&group["functionDeclarations"])) {
            let schema = tool.get("parametersJsonSchema").unwrap_or(&tool["parameters"]);
            view.add_tool(&tool["name"], schema);
        }
        let config = &body["generationConfig"];
        view.schema = (config["responseMimeType"] == "application/json")
            .then(|| config.get("responseJsonSchema").unwrap_or(&config["responseSchema"]).clone());
        view
    }
}
