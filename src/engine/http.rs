//! The HTTP side of the runner: one request, its server-sent events as lines, and a small `GET`.
//!
//! Redirects are not followed, so that a key never goes to another server.

use std::collections::VecDeque;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Response, redirect};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::os::process::lines::LineSplitter;
use crate::os::process::{Line, MAX_LINE_BYTES};

const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Longest error body that is kept.
const ERROR_BODY_BYTES: usize = 64 * 1024;
/// Payloads read ahead of the dialect; a slow reader slows the server.
const READ_AHEAD: usize = 64;

/// What an answer brings, in order. `End`, `Status` and `Failed` are each the last.
#[derive(Debug)]
pub(super) enum Answer {
    Payload(String),
    TooLong(u64),
    Status { code: u16, retry_after_secs: Option<u64>, body: String },
    Failed(String),
    End,
}

/// Why no client can be made.
#[derive(Debug, thiserror::Error)]
#[error("no HTTP client: {0}")]
pub(super) struct NoClient(String);

/// A client for servers that the user set up. Loopback addresses are asked directly, without a proxy.
pub(super) fn client(url: &str) -> Result<Client, NoClient> {
    // Fails only if a provider is installed already.
    rustls::crypto::ring::default_provider().install_default().ok();
    let mut builder = Client::builder().connect_timeout(CONNECT_LIMIT).redirect(redirect::Policy::none());
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| NoClient(error.to_string()))
}

fn is_loopback(url: &str) -> bool {
    let host =
        reqwest::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A running request. Dropping it breaks it off.
#[derive(Debug)]
pub(super) struct Request {
    answers: mpsc::Receiver<Answer>,
    task: JoinHandle<()>,
}

impl Drop for Request {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Request {
    /// Posts one JSON body.
    pub(super) fn post(url: String, key: Option<String>, body: String) -> Self {
        let (tx, answers) = mpsc::channel(READ_AHEAD);
        let task = tokio::spawn(async move {
            let last = match send(&url, key, body).await {
                Ok(response) => read(response, &tx).await,
                Err(why) => Answer::Failed(why),
            };
            // Nobody listens any more when the turn was stopped.
            tx.send(last).await.ok();
        });
        Self { answers, task }
    }

    /// The next piece; `None` after the last. May be dropped while waiting.
    pub(super) async fn next(&mut self) -> Option<Answer> {
        self.answers.recv().await
    }
}

async fn send(url: &str, key: Option<String>, body: String) -> Result<Response, String> {
    let client = client(url).map_err(|error| error.to_string())?;
    let mut request = client.post(url).header(CONTENT_TYPE, "application/json").body(body);
    if let Some(key) = key {
        request = request.header(AUTHORIZATION, format!("Bearer {key}"));
    }
    request.send().await.map_err(|error| why(&error))
}

/// The innermost cause: the outer ones only repeat the address.
fn why(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

async fn read(mut response: Response, tx: &mpsc::Sender<Answer>) -> Answer {
    let status = response.status();
    if !status.is_success() {
        let retry =
            response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let body = body(&mut response, ERROR_BODY_BYTES).await.unwrap_or_default();
        return Answer::Status { code: status.as_u16(), retry_after_secs: retry, body };
    }
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.starts_with("application/json") {
        return match body(&mut response, MAX_LINE_BYTES).await {
            Ok(body) => {
                tx.send(Answer::Payload(body.replace(['\n', '\r'], " "))).await.ok();
                Answer::End
            }
            Err(why) => Answer::Failed(why),
        };
    }
    let mut events = Events::default();
    loop {
        let (chunk, ended) = match response.chunk().await {
            Ok(Some(chunk)) => (chunk, false),
            Ok(None) => (Vec::new().into(), true),
            Err(error) => return Answer::Failed(why(&error)),
        };
        for answer in events.feed(&chunk, ended) {
            if tx.send(answer).await.is_err() {
                return Answer::End;
            }
        }
        if ended {
            return Answer::End;
        }
    }
}

async fn body(response: &mut Response, limit_bytes: usize) -> Result<String, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| why(&error))? {
        let room = limit_bytes.saturating_sub(bytes.len());
        bytes.extend_from_slice(chunk.get(..room.min(chunk.len())).unwrap_or_default());
        if room < chunk.len() {
            break;
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Server-sent events: the `data:` lines of one event are one payload, joined by a blank.
#[derive(Debug)]
struct Events {
    splitter: LineSplitter,
    data: Option<String>,
}

impl Default for Events {
    fn default() -> Self {
        Self { splitter: LineSplitter::new(MAX_LINE_BYTES), data: None }
    }
}

impl Events {
    fn feed(&mut self, bytes: &[u8], ended: bool) -> Vec<Answer> {
        let mut lines = VecDeque::new();
        self.splitter.feed(bytes, &mut lines);
        if ended {
            lines.extend(self.splitter.finish());
            lines.push_back(Line::Text(String::new()));
        }
        let mut answers = Vec::new();
        for line in lines {
            match line {
                Line::TooLong { bytes } => answers.push(Answer::TooLong(bytes)),
                Line::Text(line) if line.is_empty() => answers.extend(self.data.take().map(Answer::Payload)),
                Line::Text(line) => {
                    if let Some(data) = line.strip_prefix("data:") {
                        let data = data.strip_prefix(' ').unwrap_or(data);
                        match &mut self.data {
                            Some(all) => {
                                all.push(' ');
                                all.push_str(data);
                            }
                            None => self.data = Some(data.to_owned()),
                        }
                    }
                }
            }
        }
        answers
    }
}

/// A short `GET`; the error is one line.
pub(super) async fn get(url: &str, key: Option<String>, limit: Duration) -> Result<String, String> {
    let client = client(url).map_err(|error| error.to_string())?;
    let mut request = client.get(url).timeout(limit);
    if let Some(key) = key {
        request = request.header(AUTHORIZATION, format!("Bearer {key}"));
    }
    let mut response = request.send().await.map_err(|error| why(&error))?;
    let status = response.status();
    if !status.is_success() {
        return Err(format!("status {}", status.as_u16()));
    }
    body(&mut response, MAX_LINE_BYTES).await
}

#[cfg(test)]
mod tests {
    use super::{Answer, Events, is_loopback};

    fn payloads(pieces: &[&[u8]]) -> Vec<String> {
        let mut events = Events::default();
        let mut all = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            for answer in events.feed(piece, at + 1 == pieces.len()) {
                if let Answer::Payload(text) = answer {
                    all.push(text);
                }
            }
        }
        all
    }

    #[test]
    fn events_come_whole_however_they_are_cut() {
        let stream = ": comment\nevent: x\ndata: {\"a\":\"한😀\"}\r\n\r\ndata:one\ndata: two\n\ndata: [DONE]"
            .as_bytes();
        let wanted = ["{\"a\":\"한😀\"}", "one two", "[DONE]"];
        assert_eq!(payloads(&[stream]), wanted);
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(payloads(&bytes), wanted);
    }

    #[test]
    fn loopback_is_known_by_its_address() {
        for (url, wanted) in [
            ("http://127.0.0.1:11434/v1", true),
            ("http://localhost/x", true),
            ("http://[::1]:80/", true),
            ("http://127.0.0.1.example.org/", false),
            ("https://example.org", false),
        ] {
            assert_eq!(is_loopback(url), wanted, "{url}");
        }
    }
}
