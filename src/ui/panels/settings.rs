//! Settings. Every change applies at once; what probes something waits for Enter or a button.

mod engines;
mod keys;
mod pages;
mod profiles;
mod servers;

pub use pages::zoom_step;

use std::sync::Arc;

use egui::{Frame, Margin, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, pos2, vec2};

use crate::api::command::SettingsCommand;
use crate::model::settings::Settings;
use crate::ui::cx::{Request, UiCx};
use crate::ui::panel::Panel;
use crate::ui::regions::{self, Region};
use crate::ui::route::{Route, SettingsPage};
use crate::ui::theme::{self, CLEAR, Text, Weight};
use crate::ui::widgets::icon::{self, Icon};
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::widgets::tabs::{Tab, tabs_wrapped};

/// What is half typed, and settings sent but not yet seen in a snapshot.
#[derive(Default)]
pub struct SettingsPanel {
    sent: Option<Sent>,
    engines: engines::EnginesPage,
    servers: servers::ServersPage,
    profiles: profiles::ProfilesPage,
    keys: keys::KeysPage,
    pages: pages::Pages,
}

struct Sent {
    settings: Settings,
    /// The settings that were shown when these were sent; another value in a snapshot ends the wait.
    before: Arc<Settings>,
}

/// Width from which the list of pages stands at the left, points.
const LIST_FROM: f32 = 700.0;
/// Widest a page gets, points.
const PAGE_MAX: f32 = 720.0;

impl Panel for SettingsPanel {
    fn title(&self) -> &'static str {
        "Settings"
    }

    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let Route::Settings { page } = cx.route else { return };
        let page = *page;
        if self.sent.as_ref().is_some_and(|sent| !Arc::ptr_eq(&sent.before, &cx.snap.settings)) {
            self.sent = None;
        }
        let all = ui.available_rect_before_wrap();
        let mut body = all;
        if all.width() >= LIST_FROM {
            let list = Rect::from_min_size(all.min, vec2(212.0, all.height()));
            let mut side = ui.new_child(UiBuilder::new().max_rect(list.shrink(12.0)).id_salt("pages"));
            for each in SettingsPage::ALL {
                if page_row(&mut side, each, each == page) {
                    cx.ask(Request::Go(Route::Settings { page: each }));
                }
            }
            let line = Stroke::new(1.0, theme::palette(ui).stroke_subtle);
            ui.painter().vline(list.right() - 0.5, list.y_range(), line);
            body = Rect::from_min_max(pos2(list.right(), all.top()), all.max);
        } else {
            let inside = all.shrink2(vec2(12.0, 8.0));
            let mut strip = ui.new_child(UiBuilder::new().max_rect(inside).id_salt("pages"));
            let tabs: Vec<Tab<'_, SettingsPage>> =
                SettingsPage::ALL.map(|page| Tab { value: page, label: page.label(), note: "" }).into();
            if let Some(page) = tabs_wrapped(&mut strip, &tabs, page) {
                cx.ask(Request::Go(Route::Settings { page }));
            }
            body.min.y = strip.min_rect().bottom() + 4.0;
        }
        let mut body = ui.new_child(UiBuilder::new().max_rect(body).id_salt("page"));
        if page == SettingsPage::Keys {
            // Its head stays while the table scrolls.
            let margin = Margin { left: 24, right: 0, top: 20, bottom: 0 };
            Frame::NONE.inner_margin(margin).show(&mut body, |ui| {
                ui.spacing_mut().item_spacing.y = 6.0;
                self.page(cx, ui, page);
            });
            ui.allocate_rect(all, Sense::hover());
            return;
        }
        ScrollArea::vertical().id_salt(("settings", page.label())).auto_shrink(false).show(&mut body, |ui| {
            Frame::NONE.inner_margin(Margin::symmetric(24, 20)).show(ui, |ui| {
                ui.set_width(ui.available_width().min(PAGE_MAX));
                ui.spacing_mut().item_spacing.y = 6.0;
                self.page(cx, ui, page);
            });
        });
        ui.allocate_rect(all, Sense::hover());
    }
}

impl SettingsPanel {
    /// Takes keys for a command that waits for its new ones. True while it waits: then no key does anything else.
    pub fn listen(&mut self, cx: &UiCx<'_>, ctx: &egui::Context) -> bool {
        on_keys(cx) && !cx.covered && self.keys.listen(ctx, cx.keys.platform)
    }

    /// Esc: closes what is open on the page. `false` when nothing was.
    pub fn escape(&mut self, cx: &UiCx<'_>) -> bool {
        on_keys(cx) && self.keys.escape()
    }

    fn page(&mut self, cx: &UiCx<'_>, ui: &mut Ui, page: SettingsPage) {
        let p = theme::palette(ui);
        ui.label(Text::Title.rich(page.label(), p.text_1));
        ui.add_space(8.0);
        let mut settings =
            self.sent.as_ref().map_or_else(|| (*cx.snap.settings).clone(), |sent| sent.settings.clone());
        let before = settings.clone();
        match page {
            SettingsPage::Engines => self.engines.ui(cx, ui, &mut settings),
            SettingsPage::Servers => self.servers.ui(cx, ui),
            SettingsPage::Profiles => self.profiles.ui(cx, ui, &mut settings),
            SettingsPage::Appearance => pages::appearance(ui, &mut settings),
            SettingsPage::Keys => self.keys.ui(cx, ui, &mut settings),
            SettingsPage::Context => self.pages.context(ui, &mut settings),
            SettingsPage::Notifications => pages::notifications(ui, &mut settings),
            SettingsPage::Project => pages::project(cx, ui),
            SettingsPage::Data => pages::data(cx, ui),
        }
        if settings != before {
            cx.send(SettingsCommand::Set(Box::new(settings.clone())));
            self.sent = Some(Sent { settings, before: Arc::clone(&cx.snap.settings) });
        }
    }
}

fn on_keys(cx: &UiCx<'_>) -> bool {
    matches!(cx.route, Route::Settings { page: SettingsPage::Keys })
}

fn icon_of(page: SettingsPage) -> Icon {
    match page {
        SettingsPage::Engines => icon::ROBOT,
        SettingsPage::Servers => icon::PLUGS,
        SettingsPage::Profiles => icon::USERS,
        SettingsPage::Appearance => icon::PALETTE,
        SettingsPage::Keys => icon::KEYBOARD,
        SettingsPage::Context => icon::STACK,
        SettingsPage::Notifications => icon::BELL,
        SettingsPage::Project => icon::FOLDER,
        SettingsPage::Data => icon::DATABASE,
    }
}

fn page_row(ui: &mut Ui, page: SettingsPage, selected: bool) -> bool {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    ui.spacing_mut().item_spacing.y = 0.0;
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.sidebar), Sense::click());
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Tab, true, selected, page.label()));
    if selected {
        regions::mark(ui.ctx(), Region::Content, response.id);
    }
    let fill = match (selected, response.hovered()) {
        (true, _) => p.bg_selected,
        (_, true) => p.bg_hover,
        _ => CLEAR,
    };
    ui.painter().rect_filled(rect, sizes.radius.control, fill);
    let tint = if selected { p.accent } else { p.text_3 };
    paint::icon(ui, pos2(rect.left() + 15.0, rect.center().y), icon_of(page), 14.0, tint);
    let (weight, color) = if selected { (Weight::Medium, p.text_1) } else { (Weight::Regular, p.text_2) };
    let galley = paint::line(ui, page.label(), Text::Ui.format_weighted(weight, color), rect.width() - 36.0);
    paint::left(ui, rect, rect.left() + 30.0, galley);
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    response.clicked()
}

/// A heading inside a page, with an optional explanation below.
fn section(ui: &mut Ui, title: &str, text: &str) {
    let p = theme::palette(ui);
    ui.add_space(12.0);
    ui.label(Text::Subhead.rich(title, p.text_1));
    if !text.is_empty() {
        ui.add(egui::Label::new(Text::Small.rich(text, p.text_2)).wrap());
    }
    ui.add_space(2.0);
}

/// A framed block of rows.
fn card<R>(ui: &mut Ui, margin: i8, content: impl FnOnce(&mut Ui) -> R) -> R {
    let edge = Stroke::new(1.0, theme::palette(ui).stroke_default);
    Frame::NONE
        .stroke(edge)
        .corner_radius(theme::sizes().radius.card)
        .inner_margin(Margin::same(margin))
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            content(ui)
        })
        .inner
}
