//! The model server as a process of its own, with a home for each command line: for looking at the real window.
//!
//! `TUNAFLOW_SERVE=FOLDER cargo test --test it -- --ignored serves_a_folder` lays out `FOLDER/claude`, `FOLDER/codex`
//! and so on, writes `FOLDER/serve.json` (address, and the variables of each home), and serves until that file
//! is gone.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::support::clis::{self, Engine};
use crate::support::model_server::ModelServer;

#[tokio::test]
#[ignore = "serves until its file is removed"]
async fn serves_a_folder() {
    let folder = std::env::var_os("TUNAFLOW_SERVE").expect("TUNAFLOW_SERVE names a folder");
    let folder = Path::new(&folder);
    let server = ModelServer::start();
    let homes: Map<String, Value> = Engine::ALL
        .iter()
        .map(|engine| {
            let home = folder.join(engine.program());
            std::fs::create_dir_all(home.join("tmp")).unwrap();
            let env = clis::lay_out(*engine, &home, &server.base_url());
            (engine.program().to_owned(), env.into_iter().collect())
        })
        .collect();
    let file = folder.join("serve.json");
    let told = json!({"base_url": server.base_url(), "path": clis::search_path(), "homes": homes});
    std::fs::write(&file, format!("{told:#}\n")).unwrap();
    let mut written = 0;
    while file.exists() {
        for request in server.requests().iter().skip(written) {
            let start: String =
                request.user_text.chars().rev().take(60).collect::<Vec<_>>().iter().rev().collect();
            println!("{} {} side={} {start:?}", request.order, request.path, request.side_call);
            written = request.order;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert!(!file.exists());
}
