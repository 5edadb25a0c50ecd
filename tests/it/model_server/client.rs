//! A raw HTTP client over one connection: it keeps what came byte by byte, chunk by chunk.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::model_server::ModelServer;

/// One answer as it came.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// In lower case.
    pub head: String,
    /// Each HTTP chunk for itself; one for a body with a length.
    pub chunks: Vec<Vec<u8>>,
    /// The body came to its proper end.
    pub complete: bool,
}

impl Answer {
    pub fn bytes(&self) -> Vec<u8> {
        self.chunks.concat()
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.bytes()).expect("an answer in UTF-8")
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text()).expect("an answer in JSON")
    }

    /// The data of the events of a stream; `[DONE]` is left out.
    pub fn events(&self) -> Vec<Value> {
        let text = self.text();
        let data =
            text.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]");
        data.map(|data| serde_json::from_str(data).expect("an event in JSON")).collect()
    }
}

/// One connection to the server.
pub struct Client {
    stream: TcpStream,
    ahead: Vec<u8>,
}

impl Client {
    pub async fn connect(server: &ModelServer) -> Self {
        let stream = TcpStream::connect(server.address()).await.expect("a connection to the server");
        Self { stream, ahead: Vec::new() }
    }

    pub async fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("the server reads");
    }

    pub async fn post(&mut self, path: &str, body: &Value) -> Answer {
        let body = body.to_string();
        let head = format!("POST {path} HTTP/1.1\r\nhost: test\r\ncontent-length: {}\r\n\r\n", body.len());
        self.write(format!("{head}{body}").as_bytes()).await;
        self.answer().await
    }

    pub async fn without_body(&mut self, method: &str, path: &str) -> Answer {
        self.write(format!("{method} {path} HTTP/1.1\r\nhost: test\r\n\r\n").as_bytes()).await;
        if method == "HEAD" { self.head_only().await } else { self.answer().await }
    }

    /// Bytes until `mark` has passed, the mark included; what came before the end of the connection otherwise.
    pub async fn until(&mut self, mark: &[u8]) -> Vec<u8> {
        loop {
            if let Some(at) = self.ahead.windows(mark.len()).position(|bytes| bytes == mark) {
                return self.ahead.drain(..at + mark.len()).collect();
            }
            if self.stream.read_buf(&mut self.ahead).await.unwrap_or(0) == 0 {
                return std::mem::take(&mut self.ahead);
            }
        }
    }

    async fn exactly(&mut self, length: usize) -> Vec<u8> {
        while self.ahead.len() < length {
            if self.stream.read_buf(&mut self.ahead).await.unwrap_or(0) == 0 {
                return std::mem::take(&mut self.ahead);
            }
        }
        self.ahead.drain(..length).collect()
    }

    async fn head_only(&mut self) -> Answer {
        let head = String::from_utf8(self.until(b"\r\n\r\n").await).expect("a head in UTF-8").to_lowercase();
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Answer { status, head, chunks: Vec::new(), complete: true }
    }

    /// Reads one answer; one that is cut short is not `complete`.
    pub async fn answer(&mut self) -> Answer {
        let mut answer = self.head_only().await;
        let length = answer.head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        if let Some(length) = length {
            answer.chunks.push(self.exactly(length).await);
            return answer;
        }
        loop {
            let line = String::from_utf8(self.until(b"\r\n").await).expect("a chunk size in UTF-8");
            let Ok(size) = usize::from_str_radix(line.trim(), 16) else {
                answer.complete = false;
                return answer;
            };
            let mut chunk = self.exactly(size + 2).await;
            chunk.truncate(size);
            if size == 0 {
                return answer;
            }
            answer.chunks.push(chunk);
        }
    }
}

/// The four ways to ask a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

impl Wire {
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::Responses, Self::Chat, Self::Gemini];

    pub fn path(self, stream: bool) -> &'static str {
        match (self, stream) {
            (Self::Anthropic, _) => "/v1/messages",
            (Self::Responses, _) => "/v1/responses",
            (Self::Chat, _) => "/v1/chat/completions",
            (Self::Gemini, true) => "/v1beta/models/test-model:streamGenerateContent?alt=sse",
            (Self::Gemini, false) => "/v1beta/models/test-model:generateContent",
        }
    }

    /// A request with the system text `Be brief.`, one user text and a tool for writing files.
    pub fn body(self, text: &str, stream: bool) -> Value {
        let schema = |path: &str| {
            json!({
                "type": "object", "required": [path, "content"],
                "properties": {path: {"type": "string"}, "content": {"type": "string"}},
            })
        };
        match self {
            Self::Anthropic => json!({
                "model": "test-model", "stream": stream, "max_tokens": 100, "system": "Be brief.",
                "messages": [{"role": "user", "content": [{"type": "text", "text": text}]}],
                "tools": [{"name": "Write", "input_schema": schema("file_path")}],
            }),
            Self::Responses => json!({
                "model": "test-model", "stream": stream, "instructions": "Be brief.",
                "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}],
                "tools": [{"type": "custom", "name": "apply_patch"}],
            }),
            Self::Chat => json!({
                "model": "test-model", "stream": stream,
                "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}],
                "tools": [{"type": "function", "function": {"name": "write", "parameters": schema("filePath")}}],
            }),
            Self::Gemini => json!({
                "systemInstruction": {"parts": [{"text": "Be brief."}]},
                "contents": [{"role": "user", "parts": [{"text": text}]}],
                "tools": [{"functionDeclarations": [
                    {"name": "write_file", "parametersJsonSchema": schema("file_path")},
                ]}],
            }),
        }
    }

    /// The list of messages of a request.
    pub fn messages(self, body: &mut Value) -> &mut Vec<Value> {
        let name = match self {
            Self::Anthropic | Self::Chat => "messages",
            Self::Responses => "input",
            Self::Gemini => "contents",
        };
        body[name].as_array_mut().expect("a list of messages")
    }

    /// A message that carries the result of a tool call.
    pub fn tool_result(self, text: &str, failed: bool) -> Value {
        match self {
            Self::Anthropic => json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "x", "content": text, "is_error": failed},
            ]}),
            Self::Responses => json!({"type": "custom_tool_call_output", "call_id": "x", "output": text}),
            Self::Chat => json!({"role": "tool", "tool_call_id": "x", "content": text}),
            Self::Gemini => {
                let name = if failed { "error" } else { "output" };
                json!({"role": "user", "parts": [
                    {"functionResponse": {"name": "write_file", "response": {name: text}}},
                ]})
            }
        }
    }

    fn in_event(self, event: &Value) -> Option<String> {
        let text = match self {
            Self::Anthropic => &event["delta"]["text"],
            Self::Responses if event["type"] == "response.output_text.delta" => &event["delta"],
            Self::Responses => return None,
            Self::Chat => &event["choices"][0]["delta"]["content"],
            Self::Gemini => {
                let part = &event["candidates"][0]["content"]["parts"][0];
                if part["thought"] == true {
                    return None;
                }
                &part["text"]
            }
        };
        text.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// The pieces of text in a streamed answer.
    pub fn deltas(self, answer: &Answer) -> Vec<String> {
        answer.events().iter().filter_map(|event| self.in_event(event)).collect()
    }

    /// The text of an answer that is one object.
    pub fn whole_text(self, answer: &Answer) -> String {
        let body = answer.json();
        let text = match self {
            Self::Anthropic => &body["content"][0]["text"],
            Self::Responses => &body["output"][0]["content"][0]["text"],
            Self::Chat => &body["choices"][0]["message"]["content"],
            Self::Gemini => &body["candidates"][0]["content"]["parts"][0]["text"],
        };
        text.as_str().expect("a text").to_owned()
    }

    /// The input of the tool calls in a streamed answer, put together from its parts.
    pub fn call_input(self, answer: &Answer) -> String {
        let part = |event: &Value| match self {
            Self::Anthropic => event["delta"]["partial_json"].as_str().map(str::to_owned),
            Self::Responses if event["type"] == "response.custom_tool_call_input.delta" => {
                event["delta"].as_str().map(str::to_owned)
            }
            Self::Responses => None,
            Self::Chat => {
                let call = &event["choices"][0]["delta"]["tool_calls"][0];
                call["function"]["arguments"].as_str().map(str::to_owned)
            }
            Self::Gemini => {
                let call = &event["candidates"][0]["content"]["parts"][0]["functionCall"];
                call.get("args").map(Value::to_string)
            }
        };
        answer.events().iter().filter_map(part).collect()
    }

    /// Asks for a stream on a connection of its own.
    pub async fn ask(self, server: &ModelServer, text: &str) -> Answer {
        Client::connect(server).await.post(self.path(true), &self.body(text, true)).await
    }
}
