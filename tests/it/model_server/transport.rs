//! Connections, paths and side calls, whatever the protocol.

use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{Client, Wire};
use crate::support::model_server::ModelServer;

const LIMIT: Duration = Duration::from_secs(20);

#[tokio::test]
async fn one_connection_serves_many_requests_of_every_kind() {
    let server = ModelServer::start();
    let mut client = Client::connect(&server).await;
    let body = Wire::Chat.body("first", true).to_string();
    let (start, end) = body.split_at(20);
    client.write(b"POST /v1/chat/completions HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n").await;
    let chunks = format!("{:x}\r\n{start}\r\n{:x};x=y\r\n{end}\r\n0\r\n\r\n", start.len(), end.len());
    client.write(chunks.as_bytes()).await;
    assert_eq!(client.answer().await.status, 200);

    let body = Wire::Chat.body("second", false).to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    client.write(head.as_bytes()).await;
    assert_eq!(client.until(b"\r\n\r\n").await, b"HTTP/1.1 100 Continue\r\n\r\n");
    client.write(body.as_bytes()).await;
    assert_eq!(client.answer().await.status, 200);

    assert_eq!(client.without_body("HEAD", "/").await.status, 200);
    assert_eq!(client.without_body("OPTIONS", "/v1/messages").await.status, 204);
    let missing = client.without_body("GET", "/nowhere").await;
    assert_eq!((missing.status, missing.json()["error"]["type"].as_str()), (404, Some("not_found_error")));
    let texts: Vec<String> = server.turns().iter().map(|request| request.user_text.clone()).collect();
    assert_eq!(texts, ["first", "second"]);
    assert_eq!(server.requests().len(), 5);
    let missed = &server.requests()[4];
    assert_eq!((missed.order, missed.method.as_str(), missed.path.as_str()), (5, "GET", "/nowhere"));
    let second = &server.requests()[1];
    assert_eq!(second.header("expect"), Some("100-continue"));
    assert_eq!(second.body, Wire::Chat.body("second", false));
}

#[tokio::test]
async fn lists_counts_and_titles_are_answered_and_marked_as_side_calls() {
    let server = ModelServer::start();
    let mut client = Client::connect(&server).await;
    assert_eq!(client.without_body("GET", "/v1/models").await.json()["data"][0]["id"], "test-model");
    assert_eq!(
        client.without_body("GET", "/api/tags").await.json()["models"][0]["name"],
        "test-model:latest"
    );
    assert!(client.without_body("GET", "/api/version").await.json()["version"].is_string());
    let counted = client.post("/v1/messages/count_tokens", &Wire::Anthropic.body("HANG", false)).await;
    assert!(counted.json()["input_tokens"].as_u64() > Some(10));
    let counted = client.post("/v1beta/models/m:countTokens", &Wire::Gemini.body("HANG", false)).await;
    assert!(counted.json()["totalTokens"].as_u64() > Some(10));
    let mut title = Wire::Chat.body("HANG", false);
    title["model"] = json!("test-model-small");
    assert_eq!(Wire::Chat.whole_text(&client.post("/v1/chat/completions", &title).await), "A short title");
    let mut data = Wire::Gemini.body("HANG", false);
    data["generationConfig"] = json!({"responseMimeType": "application/json", "responseJsonSchema": {
        "type": "object", "properties": {"model": {"type": "string", "enum": ["flash", "pro"]}},
    }});
    let said = client.post("/v1beta/models/m:generateContent", &data).await;
    assert_eq!(Wire::Gemini.whole_text(&said), r#"{"model":"flash"}"#);
    assert_eq!(server.requests().len(), 7);
    assert!(server.turns().is_empty(), "{:?}", server.turns());
}

#[tokio::test]
async fn a_cut_stream_has_two_deltas_and_no_end() {
    let server = ModelServer::start();
    for wire in Wire::ALL {
        let answer = wire.ask(&server, "CUT").await;
        assert!(!answer.complete, "{wire:?}");
        assert_eq!(wire.deltas(&answer).len(), 2, "{wire:?}");
    }
}

#[tokio::test]
async fn a_hanging_request_holds_up_nobody_and_ends_with_the_server() {
    let server = ModelServer::start();
    let mut hanging = Client::connect(&server).await;
    let body = Wire::Anthropic.body("HANG", true).to_string();
    let head = format!("POST /v1/messages HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
    hanging.write(format!("{head}{body}").as_bytes()).await;
    let seen = server.wait_for(LIMIT, |request| request.user_text == "HANG").await;
    assert_eq!(seen.map(|request| request.order), Some(1));
    assert_eq!(Wire::Chat.ask(&server, "hello").await.status, 200);
    drop(server);
    assert_eq!(hanging.until(b"\r\n").await, b"", "the connection was closed without an answer");
}

#[tokio::test]
async fn a_slow_start_delays_the_first_byte_and_pauses_lie_between_chunks() {
    let server = ModelServer::start();
    let start = Instant::now();
    let answer = Wire::Chat.ask(&server, "SLOWSTART:150 STREAM:3:100").await;
    assert_eq!(Wire::Chat.deltas(&answer).len(), 3);
    assert!(start.elapsed() >= Duration::from_millis(350), "{:?}", start.elapsed());
}
