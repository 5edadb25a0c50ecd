//! The bar along the bottom: what runs, who waits for the user, context share, limits, notices.

use egui::{Align, Layout, Rect, ScrollArea, Sense, Ui, UiBuilder, pos2, vec2};

use crate::api::command::AppCommand;
use crate::model::engine::Availability;
use crate::model::message::NoticeLevel;
use crate::model::turn::TurnState;
use crate::ui::action::UiAction;
use crate::ui::cx::{self, Request, UiCx};
use crate::ui::panel::Panel;
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::panels::notices;
use crate::ui::panels::sidebar;
use crate::ui::regions::{self, Region};
use crate::ui::route::{Route, SettingsPage};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::StateGlyph;
use crate::ui::widgets::icon;
use crate::ui::widgets::picker::{Choice, Lead, choice_row};
use crate::ui::widgets::status::{StatusItem, StatusLead, needs_pill};
use crate::ui::words;

/// The bar has no state of its own.
#[derive(Default)]
pub struct StatusBar;

/// Widths below which words give way, points.
const MODE_FROM: f32 = 980.0;
const LIMIT_WORDS_FROM: f32 = 720.0;

impl Panel for StatusBar {
    fn title(&self) -> &'static str {
        "Status"
    }

    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let sizes = theme::sizes();
        let p = theme::palette(ui);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.status), Sense::hover());
        ui.painter().hline(rect.x_range(), rect.top() + 0.5, egui::Stroke::new(1.0, p.stroke_subtle));
        let inside = rect.shrink2(vec2(sizes.space.s6, 0.0));
        let right = Layout::right_to_left(Align::Center);
        let mut end = ui.new_child(UiBuilder::new().max_rect(inside).layout(right).id_salt("status end"));
        end.spacing_mut().item_spacing.x = sizes.space.s7;
        facts(cx, &mut end);
        let room =
            Rect::from_min_max(inside.min, pos2(end.min_rect().left() - sizes.space.s7, inside.bottom()));
        let left = Layout::left_to_right(Align::Center);
        let mut start = ui.new_child(UiBuilder::new().max_rect(room).layout(left).id_salt("status start"));
        start.set_clip_rect(start.clip_rect().intersect(room));
        start.spacing_mut().item_spacing.x = sizes.space.s7;
        work(cx, &mut start);
    }
}

fn work(cx: &UiCx<'_>, ui: &mut Ui) {
    // A turn that waits for the user is counted there; nothing moves while all of them do.
    let waiting: std::collections::HashSet<_> = cx.snap.asks.iter().map(|ask| ask.turn).collect();
    let running = cx.snap.running_turns.saturating_sub(u32::try_from(waiting.len()).unwrap_or(u32::MAX));
    if running > 0 {
        let text = format!("{running} running");
        let item = StatusItem {
            lead: StatusLead::State(StateGlyph::Running),
            text: &text,
            name: &text,
            share: None,
        };
        let response = item.show(ui);
        menu::menu(&response, 280.0, |ui| running_list(cx, ui));
    } else if cx.snap.app.discovering {
        let text = "Looking for engines";
        StatusItem { lead: StatusLead::State(StateGlyph::Running), text, name: text, share: None }.show(ui);
    } else if cx.snap.project.is_none()
        && let Some(ms) = cx.snap.app.discovery_ms
    {
        let programs = cx.snap.engines.iter().filter(|row| !row.info.programs.is_empty()).count();
        let text =
            format!("{programs} programs checked in {}", words::duration(i64::try_from(ms).unwrap_or(0)));
        let item =
            StatusItem { lead: StatusLead::State(StateGlyph::Done), text: &text, name: &text, share: None };
        if item.show(ui).clicked() {
            cx.act(UiAction::FindEngines);
        }
    }
    let asks = cx.snap.asks.len();
    if asks > 0
        && needs_pill(ui, asks)
            .on_hover_text(format!("Go to the question  {}", cx.keys(UiAction::GoToQuestion)))
            .clicked()
    {
        cx.act(UiAction::GoToQuestion);
    }
}

fn running_list(cx: &UiCx<'_>, ui: &mut Ui) {
    for row in cx.snap.conversations.iter().filter(|row| row.state.is_some_and(TurnState::is_live)) {
        let choice = Choice {
            lead: Lead::State(sidebar::glyph(row)),
            label: &row.conversation.title,
            ..Choice::default()
        };
        if choice_row(ui, &choice, &[], false, false).clicked() {
            cx.ask(Request::Go(Route::Chat { conversation: row.conversation.id }));
        }
    }
}

fn facts(cx: &UiCx<'_>, ui: &mut Ui) {
    bell(cx, ui);
    let Some(view) = cx.view() else {
        if cx.snap.project.is_none() {
            ui.label(Text::Caption.rich("No project open", theme::palette(ui).text_2));
        }
        return;
    };
    limits(cx, ui);
    let report = view.preview.as_ref().map(|pack| &pack.pack.report);
    let sent = view.turn.as_ref().and_then(|turn| turn.report.as_deref());
    let Some(report) = report.or(sent) else { return };
    #[expect(clippy::cast_precision_loss, reason = "a share of a budget")]
    let share = report.total_chars as f32 / report.budget_chars.max(1) as f32;
    let percent = format!("{:.0} %", share * 100.0);
    let mode = format!("{} · {}", report.mode.label(), report.mode_reason.label());
    let name = format!(
        "Context: {} of {} characters, {mode}",
        words::thousands(report.total_chars.into()),
        words::thousands(report.budget_chars.into())
    );
    ui.spacing_mut().item_spacing.x = 8.0;
    let text = if cx.width >= MODE_FROM { format!("{mode} · {percent}") } else { percent };
    let item = StatusItem { lead: StatusLead::None, text: &text, name: &name, share: Some(share) };
    if item.show(ui).clicked() {
        cx.act(UiAction::Context);
    }
}

fn limits(cx: &UiCx<'_>, ui: &mut Ui) {
    for row in cx.snap.engines.iter().rev() {
        if !matches!(row.status.availability, Availability::Ready) {
            continue;
        }
        for limit in row.limits.iter().rev() {
            let percent = limit.used_percent.map(|percent| format!("{percent:.0} %"));
            let text = match (&percent, limit.reached) {
                (_, true) => format!("{} reached", limit.kind),
                (Some(percent), _) if cx.width < LIMIT_WORDS_FROM => percent.clone(),
                (Some(percent), _) => format!("{} {percent}", limit.kind),
                (None, _) => continue,
            };
            let resets =
                limit.resets_at_ms.map_or_else(String::new, |ms| format!(", resets {}", cx.now.future(ms)));
            let used = percent.unwrap_or_else(|| "reached".to_owned());
            let name = format!("{}: {} limit {used}{resets}", row.info.name, limit.kind);
            let lead = StatusLead::Engine(cx::look(row.info.look));
            if (StatusItem { lead, text: &text, name: &name, share: None }).show(ui).clicked() {
                cx.ask(Request::Go(Route::Settings { page: SettingsPage::Engines }));
            }
        }
    }
}

fn bell(cx: &UiCx<'_>, ui: &mut Ui) {
    let count = cx.snap.notices.len();
    let name =
        if count == 0 { "No notices".to_owned() } else { words::plural(count as u64, "notice", "notices") };
    let text = if count == 0 { String::new() } else { count.to_string() };
    let response =
        StatusItem { lead: StatusLead::Icon(icon::BELL), text: &text, name: &name, share: None }.show(ui);
    regions::mark(ui.ctx(), Region::Status, response.id);
    menu::menu(&response, 340.0, |ui| {
        if count == 0 {
            menu::head(ui, "Nothing to tell");
            return;
        }
        ScrollArea::vertical().max_height(320.0).auto_shrink([false, true]).show(ui, |ui| {
            for notice in cx.snap.notices.iter().rev() {
                let icon = notices::icon_of(notice.level);
                let time = cx.now.day_time(notice.created_ms);
                let row = MenuRow::new(icon, &notice.title).end(&time);
                let row = if notice.level == NoticeLevel::Error { row.destructive() } else { row };
                let response = row.show(ui);
                let response =
                    if notice.body.is_empty() { response } else { response.on_hover_text(&notice.body) };
                if response.clicked()
                    && let Some(conversation) = notice.conversation
                {
                    cx.ask(Request::Go(Route::Chat { conversation }));
                }
            }
        });
        menu::divider(ui);
        if MenuRow::new(icon::X, "Clear all").show(ui).clicked() {
            for notice in cx.snap.notices.iter() {
                cx.send(AppCommand::DismissNotice { notice: notice.id });
            }
        }
    });
}
