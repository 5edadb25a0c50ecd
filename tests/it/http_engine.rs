//! OpenAI-style servers through the runner, against a small server on loopback that plays recorded answers.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tunaflow::engine::discover::{DiscoverCx, discover};
use tunaflow::engine::host::{EngineHost, HostConfig, HostLimits, RunTurn, SeatKey, TurnControl};
use tunaflow::engine::openai_compat;
use tunaflow::model::engine::{Availability, Billing};
use tunaflow::model::id::{ConversationId, TurnId};
use tunaflow::model::message::{ItemBody, NoticeLevel};
use tunaflow::model::settings::{Endpoint, EngineSettings};
use tunaflow::model::turn::{FailureKind, SeatSpec, StopReason, TurnEvent, TurnRequest};

const LIMIT: Duration = Duration::from_secs(20);

/// What the server does with one request.
#[derive(Clone, Copy)]
enum Plays {
    /// A recorded event stream, in pieces of so many bytes.
    Stream(&'static str, usize),
    /// As before, but the connection ends after so many bytes.
    BreaksOff(&'static str, usize),
    Status(u16, &'static str),
    Json(&'static str),
    /// Headers and a first piece, then nothing.
    Hangs,
}

fn recorded(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/http").join(name)).unwrap()
}

/// Serves one connection after the other and hands the requests on.
async fn server(plays: Plays) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let (tx, requests) = mpsc::channel(8);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let request = read_request(&mut stream).await;
            tx.send(request).await.ok();
            // A client that broke the connection off is none of the server's concern.
            answer(&mut stream, plays).await.ok();
            if matches!(plays, Plays::Hangs) {
                let mut rest = [0; 16];
                if matches!(stream.read(&mut rest).await, Ok(0) | Err(_)) {
                    tx.send("the client has gone".to_owned()).await.ok();
                }
            }
        }
    });
    (base, requests)
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let read = stream.read(&mut chunk).await.unwrap_or(0);
        bytes.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return text.into_owned();
            }
        }
        if read == 0 {
            return text.into_owned();
        }
    }
}

async fn answer(stream: &mut TcpStream, plays: Plays) -> std::io::Result<()> {
    const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n";
    match plays {
        Plays::Stream(name, piece) => {
            stream.write_all(format!("{EVENTS}connection: close\r\n\r\n").as_bytes()).await?;
            for piece in recorded(name).chunks(piece) {
                stream.write_all(piece).await?;
                stream.flush().await?;
            }
        }
        Plays::BreaksOff(name, bytes) => {
            let body = recorded(name);
            stream.write_all(format!("{EVENTS}content-length: {}\r\n\r\n", body.len()).as_bytes()).await?;
            stream.write_all(&body[..bytes]).await?;
        }
        Plays::Status(code, body) => {
            let head = format!(
                "HTTP/1.1 {code} X\r\nretry-after: 7\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(head.as_bytes()).await?;
        }
        Plays::Json(body) => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
            stream
                .write_all(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes())
                .await?;
        }
        Plays::Hangs => {
            let body = recorded("chat_basic.sse");
            let first = body.split(|b| *b == b'\n').take(3).collect::<Vec<_>>().join(&b'\n');
            stream.write_all(format!("{EVENTS}content-length: 100000\r\n\r\n").as_bytes()).await?;
            stream.write_all(&first).await?;
            stream.write_all(b"\n\n").await?;
        }
    }
    Ok(())
}

fn endpoint(base_url: String, has_key: bool) -> Endpoint {
    Endpoint { name: "local".to_owned(), base_url, model: "m".to_owned(), has_key }
}

struct Running {
    events: mpsc::Receiver<(TurnId, TurnEvent)>,
    control: mpsc::Sender<TurnControl>,
}

fn start(endpoint: &Endpoint, text: &str) -> Running {
    let engine = openai_compat::engine(endpoint);
    let host = EngineHost::new(HostConfig {
        guard: None,
        base_env: vec![],
        login_path: None,
        limits: HostLimits { warm_max: 1, warm_idle: LIMIT },
        keys: Arc::new(|name| (name == openai_compat::key_secret("local")).then(|| "k-1".to_owned())),
    });
    let seat = SeatSpec {
        engine: engine.info().id.clone(),
        model: None,
        cwd: std::env::temp_dir(),
        resume: None,
        fork: None,
        new_session_id: String::new(),
        system_file: None,
        skip_permissions: false,
        words_only: false,
        billing: Billing::Subscription,
        program: None,
        version: None,
    };
    let (tx, events) = mpsc::channel(64);
    let (control, control_rx) = mpsc::channel(1);
    let turn = RunTurn {
        key: SeatKey::of(ConversationId(1), &seat),
        seat,
        engine,
        request: TurnRequest { turn: TurnId(1), text: text.to_owned() },
        expect_session: None,
        events: tx,
        control: control_rx,
        idle_timeout: LIMIT,
        once: false,
    };
    tokio::spawn(async move { host.run(turn).await });
    Running { events, control }
}

impl Running {
    async fn next(&mut self) -> Option<TurnEvent> {
        tokio::time::timeout(LIMIT, self.events.recv())
            .await
            .expect("something comes")
            .map(|(_, event)| event)
    }

    async fn end(mut self) -> Vec<TurnEvent> {
        let mut all = Vec::new();
        while let Some(event) = self.next().await {
            all.push(event);
        }
        assert_eq!(all.iter().filter(|event| event.is_terminal()).count(), 1, "{all:?}");
        assert!(all.last().is_some_and(TurnEvent::is_terminal));
        all
    }
}

/// Text and thoughts of a turn, whole.
fn said(events: &[TurnEvent]) -> (String, String) {
    let (mut text, mut thoughts) = (String::new(), String::new());
    for event in events {
        match event {
            TurnEvent::ItemStarted { body: ItemBody::Text { text: piece }, .. } => text.push_str(piece),
            TurnEvent::ItemStarted { body: ItemBody::Thinking { text: piece }, .. } => {
                thoughts.push_str(piece);
            }
            TurnEvent::ItemDelta { key, delta } if key.starts_with("text") => text.push_str(delta),
            TurnEvent::ItemDelta { delta, .. } => thoughts.push_str(delta),
            _ => {}
        }
    }
    (text, thoughts)
}

fn kind(events: &[TurnEvent]) -> FailureKind {
    match events.last() {
        Some(TurnEvent::Failed(failure)) => failure.kind,
        other => panic!("no failure but {other:?}"),
    }
}

/// The text that a recorded stream holds, read in the plainest way.
fn wanted(name: &str) -> String {
    let stream = String::from_utf8(recorded(name)).unwrap();
    let chunks = stream
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line.strip_prefix("data: ")?).ok());
    chunks.filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn recorded_streams_arrive_whole_however_they_are_cut() {
    for (name, reason) in [
        ("chat_basic.sse", StopReason::Completed),
        ("chat_think.sse", StopReason::Completed),
        ("chat_unicode.sse", StopReason::Completed),
        ("chat_maxtokens.sse", StopReason::MaxTokens),
    ] {
        for piece in [7, 4096] {
            let (base, _requests) = server(Plays::Stream(name, piece)).await;
            let events = start(&endpoint(base, false), "hi").end().await;
            let (text, thoughts) = said(&events);
            assert_eq!(text, wanted(name), "{name}");
            assert_eq!(thoughts.is_empty(), name != "chat_think.sse", "{name}");
            assert_eq!(events.last(), Some(&TurnEvent::Finished(reason)), "{name}");
            assert!(events.iter().any(|event| matches!(event, TurnEvent::Usage(_))), "{name}");
        }
    }
}

#[tokio::test]
async fn the_request_carries_model_text_and_key() {
    for has_key in [true, false] {
        let (base, mut requests) = server(Plays::Stream("chat_basic.sse", 4096)).await;
        let text = "한글 \"quoted\"\n".repeat(20_000);
        start(&endpoint(base, has_key), &text).end().await;
        let request = requests.recv().await.unwrap();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("POST /v1/chat/completions "), "{head}");
        assert_eq!(head.to_lowercase().contains("authorization: bearer k-1"), has_key);
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(body["messages"][0]["content"], text);
        assert_eq!((&body["model"], &body["stream_options"]["include_usage"]), (&"m".into(), &true.into()));
    }
}

#[tokio::test]
async fn failures_are_told_apart() {
    let long = r#"{"error":{"message":"This model's maximum context length is 128000 tokens.","code":"context_length_exceeded"}}"#;
    for (plays, wanted) in [
        (
            Plays::Status(401, r#"{"error":{"message":"Incorrect API key provided"}}"#),
            FailureKind::NotLoggedIn,
        ),
        (
            Plays::Status(404, r#"{"error":{"message":"no","code":"model_not_found"}}"#),
            FailureKind::ModelUnknown,
        ),
        (Plays::Status(400, long), FailureKind::PromptTooLong),
        (Plays::Status(429, r#"{"error":{"message":"slow down"}}"#), FailureKind::RateLimited),
        (Plays::Status(503, "<html>busy</html>"), FailureKind::Overloaded),
        (Plays::Stream("chat_sseerror.sse", 4096), FailureKind::Overloaded),
        (Plays::BreaksOff("chat_basic.sse", 600), FailureKind::Network),
        (Plays::Json("{}"), FailureKind::Protocol),
    ] {
        let (base, _requests) = server(plays).await;
        let events = start(&endpoint(base, false), "hi").end().await;
        assert_eq!(kind(&events), wanted, "{events:?}");
    }
    // Nobody listens on a port that was just given back.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    assert_eq!(kind(&start(&endpoint(base, false), "hi").end().await), FailureKind::Network);
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let body = "{\"model\":\"m\",\n\"choices\":[{\"message\":{\"content\":\"whole 답\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3,\"prompt_tokens_details\":{\"cached_tokens\":4}}}";
    let (base, _requests) = server(Plays::Json(body)).await;
    let events = start(&endpoint(base, false), "hi").end().await;
    assert_eq!(said(&events).0, "whole 답");
    let usage = events.iter().find_map(|event| match event {
        TurnEvent::Usage(usage) => Some((usage.input_tokens, usage.cached_input_tokens, usage.output_tokens)),
        _ => None,
    });
    assert_eq!(usage, Some((Some(5), Some(4), Some(3))));
}

#[tokio::test]
async fn a_stop_breaks_the_request_off() {
    let (base, mut requests) = server(Plays::Hangs).await;
    let mut running = start(&endpoint(base, false), "hi");
    assert!(matches!(running.next().await, Some(TurnEvent::Started { .. })));
    let stopped = Instant::now();
    running.control.send(TurnControl::Stop).await.unwrap();
    let events = running.end().await;
    assert_eq!(events.last(), Some(&TurnEvent::Finished(StopReason::Cancelled)));
    assert!(stopped.elapsed() < Duration::from_secs(2));
    requests.recv().await.unwrap();
    let gone = tokio::time::timeout(LIMIT, requests.recv()).await.unwrap();
    assert_eq!(gone.as_deref(), Some("the client has gone"));
}

#[tokio::test]
async fn a_short_text_warns_of_nothing() {
    let (base, _requests) = server(Plays::Stream("chat_basic.sse", 4096)).await;
    let events = start(&endpoint(base, false), "hi").end().await;
    assert!(!events.iter().any(|event| matches!(event, TurnEvent::Notice { level: NoticeLevel::Warn, .. })));
}

#[tokio::test]
async fn servers_list_their_models() {
    let cx = DiscoverCx {
        home: std::env::temp_dir(),
        login_path: None,
        base_env: vec![],
        guard: None,
        settings: EngineSettings::default(),
        keys: Arc::new(|_| None),
    };
    let (base, _requests) = server(Plays::Json(r#"{"data":[{"id":"a"},{"id":"b"}]}"#)).await;
    let status = discover(openai_compat::engine(&endpoint(base, false)).as_ref(), &cx).await;
    assert_eq!(
        (status.availability, status.models),
        (Availability::Ready, vec!["a".to_owned(), "b".to_owned()])
    );
    let (base, _requests) = server(Plays::Status(401, "{}")).await;
    let status = discover(openai_compat::engine(&endpoint(base, false)).as_ref(), &cx).await;
    assert_eq!(status.availability, Availability::NotLoggedIn);
    let status =
        discover(openai_compat::engine(&endpoint("http://127.0.0.1:9/v1".to_owned(), false)).as_ref(), &cx)
            .await;
    assert!(matches!(status.availability, Availability::Broken { .. }));
}
