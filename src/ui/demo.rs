//! The window over a snapshot made by hand, for looking at it without a runtime. Debug builds only.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use crate::api::handle::AppHandle;
use crate::model::settings::ThemeChoice;
use crate::ui::host::{Host, NoNotifier, NoOpener, SystemClipboard, SystemDialogs};
use crate::ui::testing;
use crate::ui::window::{self, WindowConfig};
use crate::ui::words::Now;

/// `<name> [dark|light] [WxH] [zoom percent]`; an unknown name shows the chat.
///
/// # Errors
/// When no window can be opened.
pub fn run(args: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let args: Vec<String> = args.collect();
    let name = args.first().map_or("chat", String::as_str);
    let mut fixture = testing::fixture(name);
    let mut settings = (*fixture.snap.settings).clone();
    let mut state = fixture.view_state();
    for word in args.iter().skip(1) {
        match (word.as_str(), word.split_once('x'), word.parse()) {
            ("light", ..) => settings.theme = ThemeChoice::Light,
            ("dark", ..) => settings.theme = ThemeChoice::Dark,
            (_, Some((width, height)), _) => {
                state.size = [width.parse().unwrap_or(1280.0), height.parse().unwrap_or(800.0)];
            }
            (_, _, Ok(percent)) => settings.zoom_percent = percent,
            _ => {}
        }
    }
    fixture.snap.settings = Arc::new(settings);
    // Both ends are kept for as long as the window is there; commands are taken and dropped.
    let (commands, mut inbox) = mpsc::channel(256);
    let (publish, snapshots) = watch::channel(Arc::new(fixture.snap));
    let host = Host {
        dialogs: Box::new(SystemDialogs::default()),
        clipboard: Box::new(SystemClipboard::default()),
        notifier: Box::new(NoNotifier),
        opener: Box::new(NoOpener),
        clock: Box::new(|| -> Now { testing::NOW }),
        home: Some("/home/kim".into()),
    };
    let config = WindowConfig { view_state: None, host, initial: Some(state), watcher: None };
    window::run(config, move |_waker| {
        std::thread::Builder::new().name("demo core".into()).spawn(move || {
            while let Some(command) = inbox.blocking_recv() {
                tracing::debug!(?command, "a command of the demo window");
            }
            drop(publish);
        })?;
        Ok(AppHandle::new(commands, snapshots))
    })
}
