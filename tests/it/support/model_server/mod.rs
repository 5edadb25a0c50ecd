//! A model server for tests: it speaks the wire protocols of four providers on 127.0.0.1 and answers every
//! request by a rule that the prompt itself names, so a test can say what the model will do.
//!
//! | protocol | paths |
//! |---|---|
//! | Anthropic Messages | `POST /v1/messages`, `POST /v1/messages/count_tokens` |
//! | OpenAI Responses | `POST /v1/responses` |
//! | OpenAI Chat Completions | `POST /v1/chat/completions`, `GET /v1/models` |
//! | Gemini | `POST /v1beta/models/M:streamGenerateContent`, `:generateContent`, `:countTokens` |
//! | Ollama, as far as finding models goes | `GET /api/tags`, `GET /api/version`, `POST /api/show` |
//!
//! # Magic words
//!
//! They are read from the LAST user text of a request, and there only from what stands after the last line
//! that is exactly `---` (a host may put its context before such a line; words in there are history). A word
//! stands at the start of the text or after white space. Words combine: `THINK SLOWSTART:200 STREAM:5:20`.
//!
//! | word | what the model does |
//! |---|---|
//! | none | a short Markdown answer in several deltas: `Hello from the model server.`, how many characters it read (all user and system text of the request), how many turns came before |
//! | `ECHO` | names sha256 and length (chars and bytes) of the last user text (`user`), of its part after the last `---` line (`prompt`) and of the system text (`system`) |
//! | `STREAM:n:ms` | `chunk-1 chunk-2 …`, n chunks, ms milliseconds before each but the first |
//! | `BIG:n` | n characters of ASCII lines |
//! | `KOREAN` | [`KOREAN_TEXT`]; its bytes are cut across writes at odd places |
//! | `THINK` | a thinking part first, where the protocol has one |
//! | `WRITE:path` | one call of the engine's own tool for writing a file (absolute path, ends at white space; content [`WRITTEN_TEXT`]); after the result: `The write was allowed.` or `The write was denied.` and the result's beginning |
//! | `SHELL:command` | one shell call (the rest of the line); after the result: `The command was allowed.` or `… denied.` |
//! | `TOOL:name json` | a call of exactly that tool with that input (the rest of the line; `{}` when absent; `group.name` for a tool of a group in the Responses protocol); after the result: `The call was allowed.` or `… denied.` |
//! | `SAY:text` | that text (the rest of the line), each `\n` in it a line feed |
//! | `STATUS:code` | that HTTP error in the provider's own shape, 429 with `retry-after: 1`; `STATUS:code:n` only for the first n requests with this user text |
//! | `SLOWSTART:ms` | waits before the first byte of the answer |
//! | `HANG` | never answers; the connection stays open until the client or the test leaves |
//! | `CUT` | closes the connection after two deltas (at once when the client did not ask for a stream) |
//!
//! # Side calls
//!
//! Requests a command line makes on its own account (token counts, model lists, titles, quota checks, summaries,
//! structured output) are answered plainly, without magic, and are recorded with `side_call: true`.
//!
//! Never here: knowledge of tunaflow, another address than 127.0.0.1, an answer that depends on time or chance.
//! Start reading at [`ModelServer`], then `answer.rs` (what is said), `view.rs` (what was asked).

mod answer;
mod anthropic;
mod chat;
mod failure;
mod gemini;
mod http;
mod magic;
mod respond;
mod responses;
mod route;
mod view;

pub use answer::{KOREAN_TEXT, WRITTEN_TEXT, digest_line};

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};

/// Model name for ordinary turns; any other name is answered as well.
pub const MODEL: &str = "test-model";
/// Model name that command lines are configured to use for titles and summaries: always a side call.
pub const SMALL_MODEL: &str = "test-model-small";

/// One request as it arrived, before anything was answered.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// Place in the order of arrival, from 1.
    pub order: usize,
    pub method: String,
    /// Path without the query.
    pub path: String,
    /// Header names in lower case, in the order of arrival.
    pub headers: Vec<(String, String)>,
    /// The JSON body; `Null` when there was none.
    pub body: Value,
    /// Text of the last user message, without the notes that command lines add around it. Empty for requests
    /// that hold no conversation.
    pub user_text: String,
    /// System and developer text, joined by line feeds.
    pub system_text: String,
    /// Results of tool calls since the last user text.
    pub tool_results: Vec<String>,
    /// Made by the command line for itself: a title, a token count, a list of models.
    pub side_call: bool,
}

impl Recorded {
    /// The first header of that name (lower case), if any.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// The list of requests as the tests see it: published whole after each arrival.
type Log = Arc<watch::Sender<Vec<Arc<Recorded>>>>;

/// A running model server. It has a thread of its own, so plain and async tests can use it alike; dropping it
/// closes the port and every connection.
pub struct ModelServer {
    address: SocketAddr,
    log: Log,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Binds a free port of 127.0.0.1 and serves until dropped.
    pub fn start() -> Self {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free loopback port");
        listener.set_nonblocking(true).expect("a listener that does not block");
        let address = listener.local_addr().expect("the bound address");
        let log: Log = Arc::new(watch::Sender::new(Vec::new()));
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name("model-server".to_owned())
            .spawn({
                let log = Arc::clone(&log);
                move || serve(listener, &log, stopped)
            })
            .expect("a thread for the model server");
        Self { address, log, stop: Some(stop), thread: Some(thread) }
    }

    /// `http://127.0.0.1:PORT`, without a final slash.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, side calls included, in order of arrival.
    pub fn requests(&self) -> Vec<Arc<Recorded>> {
        self.log.borrow().clone()
    }

    /// The requests that belong to somebody's turn: no side calls.
    pub fn turns(&self) -> Vec<Arc<Recorded>> {
        self.requests().into_iter().filter(|request| !request.side_call).collect()
    }

    /// User text of the newest request that is no side call; empty when there was none.
    pub fn last_user_text(&self) -> String {
        self.turns().last().map(|request| request.user_text.clone()).unwrap_or_default()
    }

    /// Waits until a request of somebody's turn satisfies `wanted` and returns it; `None` after `limit`.
    pub async fn wait_for(
        &self,
        limit: Duration,
        wanted: impl Fn(&Recorded) -> bool,
    ) -> Option<Arc<Recorded>> {
        let mut seen = self.log.subscribe();
        let found = |log: &Vec<Arc<Recorded>>| {
            log.iter().find(|request| !request.side_call && wanted(request)).cloned()
        };
        let waiting = seen.wait_for(|log| found(log).is_some());
        let log = tokio::time::timeout(limit, waiting).await.ok()?.ok()?;
        found(&log)
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        // Dropping the sender is the signal.
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
            && !std::thread::panicking()
        {
            panic!("the model server's thread panicked");
        }
    }
}

/// Body of the server's thread: accepts until the owner is dropped; what still runs then is dropped too.
fn serve(listener: std::net::TcpListener, log: &Log, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime for the model server");
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener).expect("a listener for the runtime");
        let accept = async {
            while let Ok((stream, _)) = listener.accept().await {
                let log = Arc::clone(log);
                tokio::spawn(async move {
                    // A client that leaves in the middle is ordinary here, so its error says nothing.
                    drop(route::connection(stream, &log).await);
                });
            }
        };
        tokio::select! {
            () = accept => {}
            _ = stopped => {}
        }
    });
}
