//! Notices of the core and of the window itself as toasts, and desktop notifications while the window has no focus.

use std::collections::BTreeSet;

use egui::{Context, UserAttentionType, ViewportCommand};

use crate::api::command::{AppCommand, ChatCommand};
use crate::api::notice::{Notice, NoticeAction};
use crate::model::id::NoticeId;
use crate::model::message::NoticeLevel;
use crate::ui::cx::{Request, UiCx};
use crate::ui::host::Notifier;
use crate::ui::route::{Route, SettingsPage};
use crate::ui::widgets::Tone;
use crate::ui::widgets::icon::{self, Icon};
use crate::ui::widgets::toast::{Toast, ToastEvent, ToastStack};

/// Toasts and what has been shown already.
#[derive(Default)]
pub struct Notices {
    stack: ToastStack,
    seen: BTreeSet<NoticeId>,
    local: u64,
}

/// Keys of the window's own toasts start here; notice ids stay below.
const LOCAL_KEYS: u64 = 1 << 62;

/// Icon of a level.
#[must_use]
pub fn icon_of(level: NoticeLevel) -> Icon {
    match level {
        NoticeLevel::Info => icon::CHECK_CIRCLE,
        NoticeLevel::Warn => icon::WARNING,
        NoticeLevel::Error => icon::WARNING_CIRCLE,
    }
}

fn tone_of(level: NoticeLevel) -> Tone {
    match level {
        NoticeLevel::Info => Tone::Success,
        NoticeLevel::Warn => Tone::Warn,
        NoticeLevel::Error => Tone::Error,
    }
}

fn key_of(id: NoticeId) -> u64 {
    u64::try_from(id.0).unwrap_or(0)
}

impl Notices {
    /// Turns new notices into toasts. Those worth it go to the desktop too while the window has no focus.
    pub fn take_in(&mut self, cx: &UiCx<'_>, ctx: &Context, focused: bool, notifier: &mut dyn Notifier) {
        for notice in cx.snap.notices.iter() {
            if !self.seen.insert(notice.id) {
                continue;
            }
            self.stack.push(toast(cx, notice));
            if notice.desktop && !focused {
                notifier.notify(&notice.title, &notice.body);
                ctx.send_viewport_cmd(ViewportCommand::RequestUserAttention(
                    UserAttentionType::Informational,
                ));
            }
        }
        self.seen.retain(|id| cx.snap.notices.iter().any(|notice| notice.id == *id));
    }

    /// A toast about something in the window itself.
    pub fn tell(&mut self, title: String, body: String) {
        self.local += 1;
        self.stack.push(Toast {
            key: LOCAL_KEYS + self.local,
            icon: icon::INFO,
            tone: Tone::Neutral,
            title,
            detail: body,
            action: String::new(),
            undo: false,
        });
    }

    /// Draws the toasts `above` points over the window's lower edge and sends what was pressed on them.
    pub fn show(&mut self, cx: &UiCx<'_>, ctx: &Context, above: f32) {
        for event in self.stack.show(ctx, above) {
            let (key, acted) = match event {
                ToastEvent::Action(key) => (key, true),
                ToastEvent::Gone(key) => (key, false),
            };
            let Some(notice) = cx.snap.notices.iter().find(|notice| key_of(notice.id) == key) else {
                continue;
            };
            if acted && let Some(action) = &notice.action {
                perform(cx, action);
            }
            // A notice that ran out of time stays in the list of the bell; only an answered or undo one goes.
            let undo = matches!(notice.action, Some(NoticeAction::UndoDelete(_) | NoticeAction::PutBack(_)));
            if acted || undo {
                cx.send(AppCommand::DismissNotice { notice: notice.id });
            }
        }
    }
}

fn toast(cx: &UiCx<'_>, notice: &Notice) -> Toast {
    let undo = matches!(notice.action, Some(NoticeAction::UndoDelete(_) | NoticeAction::PutBack(_)));
    let action = match &notice.action {
        Some(NoticeAction::UseEngine { engine, .. }) => {
            let name = cx.engine(engine).map_or(engine.as_str(), |row| row.info.name.as_str());
            format!("Use {name}")
        }
        Some(action) => action.label(),
        None => String::new(),
    };
    Toast {
        key: key_of(notice.id),
        icon: if undo { icon::TRASH } else { icon_of(notice.level) },
        tone: if undo { Tone::Neutral } else { tone_of(notice.level) },
        title: notice.title.clone(),
        detail: notice.body.clone(),
        action,
        undo,
    }
}

fn perform(cx: &UiCx<'_>, action: &NoticeAction) {
    match action {
        NoticeAction::UndoDelete(conversation) => {
            cx.send(ChatCommand::UndoDelete { conversation: *conversation });
        }
        NoticeAction::PutBack(command) => cx.send((**command).clone()),
        NoticeAction::UndoEdit(conversation) => {
            cx.send(ChatCommand::UndoEdit { conversation: *conversation });
        }
        NoticeAction::Open(conversation) => {
            cx.ask(Request::Go(Route::Chat { conversation: *conversation }));
        }
        NoticeAction::Retry(turn) => cx.send(ChatCommand::Retry { turn: *turn, engine: None }),
        NoticeAction::UseEngine { turn, engine } => {
            cx.send(ChatCommand::Retry { turn: *turn, engine: Some(engine.clone()) });
        }
        NoticeAction::OpenEngineSettings => {
            cx.ask(Request::Go(Route::Settings { page: SettingsPage::Engines }));
        }
    }
}
