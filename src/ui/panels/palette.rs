//! Find or run: every command, conversation, engine, project and settings page by a few letters.

use egui::{Context, Frame, Id, Key, Margin, Modal, ScrollArea, Sense, Stroke, Ui, vec2};

use crate::api::command::{ChatCommand, ProjectCommand};
use crate::api::snapshot::ConversationRow;
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, ProjectId};
use crate::model::project::SeatChoice;
use crate::ui::action::UiAction;
use crate::ui::cx::{self, Request, UiCx};
use crate::ui::lineage;
use crate::ui::panels::seat::{by_hand, words_of};
use crate::ui::panels::sidebar;
use crate::ui::route::Route;
use crate::ui::theme::{self, CLEAR, Text};
use crate::ui::widgets::fuzzy;
use crate::ui::widgets::icon;
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::widgets::picker::{Lead, highlighted};
use crate::ui::widgets::text_field::TextField;
use crate::ui::words;

/// State of the open palette.
#[derive(Default)]
pub struct Palette {
    open: Option<Open>,
}

#[derive(Default)]
struct Open {
    query: String,
    cursor: usize,
    fresh: bool,
    /// Rows for this query and snapshot; made again only when one of them changes.
    rows: Vec<Row>,
    made_for: Option<(String, u64)>,
}

#[derive(Clone, PartialEq)]
enum Target {
    Act(UiAction),
    Conversation(ConversationId),
    Engine(EngineId),
    /// The seat of the profile of that name.
    Profile(String),
    Project(ProjectId),
    OpenPath(std::path::PathBuf),
}

struct Row {
    section: &'static str,
    target: Target,
    lead: Lead,
    label: String,
    detail: String,
    keys: String,
    matched: Vec<usize>,
}

/// Most rows of one section while something is typed.
const SECTION_MAX: usize = 12;
const ROWS_MAX: usize = 60;

impl Palette {
    pub fn open(&mut self) {
        self.open = Some(Open { fresh: true, ..Open::default() });
    }

    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Esc: closes it. `false` when it was not open.
    pub fn escape(&mut self) -> bool {
        self.open.take().is_some()
    }

    pub fn show(&mut self, cx: &UiCx<'_>, ctx: &Context) {
        let Some(open) = &mut self.open else { return };
        let wanted = (open.query.clone(), cx.snap.revision);
        if open.made_for.as_ref() != Some(&wanted) {
            open.rows = rows(cx, &open.query);
            open.made_for = Some(wanted);
        }
        let sizes = theme::sizes();
        let p = theme::palette_of(ctx.theme() == egui::Theme::Dark);
        let screen = ctx.content_rect();
        let width = sizes.panel.palette.min(screen.width() - 48.0);
        let frame = Frame::NONE
            .fill(p.bg_popup)
            .stroke(Stroke::new(sizes.stroke.line, p.stroke_default))
            .corner_radius(sizes.radius.dialog)
            .shadow(egui::Shadow { offset: [0, 8], blur: 24, spread: 0, color: p.shadow });
        let area = Modal::default_area(Id::unique("palette"))
            .anchor(egui::Align2::CENTER_TOP, vec2(0.0, (screen.height() * 0.13).min(104.0)));
        let modal = Modal::new(Id::unique("palette")).area(area).frame(frame).backdrop_color(p.scrim);
        let shown = modal.show(ctx, |ui| {
            ui.set_width(width);
            ui.spacing_mut().item_spacing.y = 0.0;
            body(open, ui, screen.height() * 0.6)
        });
        let close = shown.should_close();
        let chosen = shown.inner;
        if let Some(target) = chosen {
            self.open = None;
            run(cx, target);
        } else if close {
            self.open = None;
        }
    }
}

fn body(open: &mut Open, ui: &mut Ui, height: f32) -> Option<Target> {
    let p = theme::palette(ui);
    let count = open.rows.len();
    let out = Frame::NONE.inner_margin(Margin::symmetric(18, 14)).show(ui, |ui| {
        ui.horizontal(|ui| {
            let (spot, _) = ui.allocate_exact_size(vec2(20.0, 24.0), Sense::hover());
            paint::icon(ui, spot.center(), icon::MAGNIFYING_GLASS, 16.0, p.text_2);
            let field =
                TextField::single("palette", "Find or run").hint("Find or run…").step(Text::Read).bare();
            // The first pass of a modal only measures; it cannot take the keyboard.
            if open.fresh && !ui.is_sizing_pass() {
                let id = field.id();
                ui.memory_mut(|memory| memory.request_focus(id));
                open.fresh = false;
            }
            let width = (ui.available_width() - 80.0).max(100.0);
            let out = ui
                .allocate_ui(vec2(width, 24.0), |ui| field.width(width).steer(true).show(ui, &mut open.query))
                .inner;
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let text = words::plural(count as u64, "result", "results");
                ui.label(Text::Caption.rich(text, p.text_2));
            });
            out
        })
        .inner
    });
    let out = out.inner;
    if out.changed {
        open.cursor = 0;
    }
    for key in &out.steered {
        let last = count.saturating_sub(1);
        open.cursor = match key {
            Key::ArrowDown | Key::Tab if open.cursor >= last => 0,
            Key::ArrowDown | Key::Tab => open.cursor + 1,
            Key::ArrowUp if open.cursor == 0 => last,
            Key::ArrowUp => open.cursor - 1,
            Key::PageDown => (open.cursor + 8).min(last),
            _ => open.cursor.saturating_sub(8),
        };
    }
    let moved = !out.steered.is_empty();
    line(ui);
    let mut chosen = list(open, ui, height - 110.0, moved);
    line(ui);
    foot(ui);
    if out.submitted && chosen.is_none() {
        chosen = open.rows.get(open.cursor).map(|row| row.target.clone());
    }
    chosen
}

fn line(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 1.0), Sense::hover());
    let stroke = Stroke::new(1.0, theme::palette(ui).stroke_subtle);
    ui.painter().hline(rect.x_range(), rect.center().y, stroke);
}

fn foot(ui: &mut Ui) {
    let p = theme::palette(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 32.0), Sense::hover());
    let text = paint::line(ui, "↑ ↓ Move    ↵ Run", Text::Caption.format(p.text_2), rect.width());
    paint::left(ui, rect, rect.left() + 18.0, text);
    let text =
        paint::line(ui, "A path opens that folder", Text::Caption.format(p.text_3), rect.width() / 2.0);
    paint::right(ui, rect, rect.right() - 18.0, text);
}

fn list(open: &Open, ui: &mut Ui, height: f32, moved: bool) -> Option<Target> {
    let p = theme::palette(ui);
    let mut chosen = None;
    ScrollArea::vertical()
        .id_salt("palette rows")
        .max_height(height.max(120.0))
        .auto_shrink([false, true])
        .show(ui, |ui| {
            Frame::NONE.inner_margin(Margin::symmetric(6, 6)).show(ui, |ui| {
                ui.set_width(ui.available_width());
                let mut section = "";
                for (place, row) in open.rows.iter().enumerate() {
                    if row.section != section {
                        section = row.section;
                        let (rect, _) =
                            ui.allocate_exact_size(vec2(ui.available_width(), 26.0), Sense::hover());
                        let head = paint::line(
                            ui,
                            section,
                            Text::Caption.format_weighted(theme::Weight::Semibold, p.text_3),
                            rect.width(),
                        );
                        paint::left(ui, rect, rect.left() + 12.0, head);
                    }
                    let response = row_ui(ui, row, place == open.cursor);
                    if moved && place == open.cursor {
                        response.scroll_to_me(None);
                    }
                    if response.clicked() {
                        chosen = Some(row.target.clone());
                    }
                }
                if open.rows.is_empty() {
                    ui.label(Text::Ui.rich("Nothing found", p.text_3));
                }
            });
        });
    chosen
}

fn row_ui(ui: &mut Ui, row: &Row, at: bool) -> egui::Response {
    let sizes = theme::sizes();
    let p = theme::palette(ui);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), sizes.row.palette), Sense::click());
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::ListBoxOption, true, at, &row.label));
    if !ui.is_rect_visible(rect) {
        return response;
    }
    let fill = match (at, response.hovered()) {
        (true, _) => p.bg_selected,
        (_, true) => p.bg_hover,
        _ => CLEAR,
    };
    ui.painter().rect_filled(rect, sizes.radius.control, fill);
    let center = egui::pos2(rect.left() + 20.0, rect.center().y);
    match row.lead {
        Lead::None => {}
        Lead::Icon(which) => paint::icon(ui, center, which, 15.0, p.text_2),
        Lead::Engine(look) => look.paint(ui, center, 16.0),
        Lead::State(state) => state.paint(ui, center, sizes.icon.state),
    }
    let mut end = rect.right() - sizes.space.s6;
    for key in row.keys.split(' ').rev().filter(|key| !key.is_empty()) {
        let galley = paint::line(ui, key, Text::Caption.format(p.text_3), 60.0);
        let width = galley.size().x + 10.0;
        let cap =
            egui::Rect::from_center_size(egui::pos2(end - width / 2.0, rect.center().y), vec2(width, 18.0));
        let stroke = Stroke::new(1.0, p.stroke_default);
        ui.painter().rect_stroke(cap, sizes.radius.chip, stroke, egui::StrokeKind::Inside);
        paint::left(ui, cap, cap.left() + 5.0, galley);
        end -= width + 4.0;
    }
    let x = rect.left() + 40.0;
    let label = highlighted(ui, &row.label, &row.matched, p.text_1, (end - x).max(0.0));
    let x = paint::left(ui, rect, x, label) + sizes.space.s6;
    let detail = paint::line(ui, &row.detail, Text::Small.format(p.text_3), (end - x - 8.0).max(0.0));
    if end - x > 40.0 {
        paint::left(ui, rect, x, detail);
    }
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    response
}

fn rows(cx: &UiCx<'_>, query: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    let path = std::path::Path::new(query.trim());
    if path.is_absolute() {
        rows.push(Row {
            section: "Folder",
            target: Target::OpenPath(path.to_owned()),
            lead: Lead::Icon(icon::FOLDER_OPEN),
            label: format!("Open folder {}", query.trim()),
            detail: String::new(),
            keys: String::new(),
            matched: Vec::new(),
        });
    }
    let typed = !query.trim().is_empty();
    let sections = [conversations(cx, typed), commands(cx), projects(cx), engines(cx), profiles(cx)];
    let mut found: Vec<(i32, Vec<Row>)> = Vec::new();
    for section in sections {
        let ranked = fuzzy::rank(query, section.iter().map(|row| row.label.as_str()));
        let best = ranked.first().map_or(0, |(_, hit)| hit.score);
        let mut slots: Vec<Option<Row>> = section.into_iter().map(Some).collect();
        let hits =
            ranked.into_iter().take(if typed { SECTION_MAX } else { ROWS_MAX }).filter_map(|(place, hit)| {
                let mut row = slots.get_mut(place)?.take()?;
                row.matched = hit.positions;
                Some(row)
            });
        found.push((best, hits.collect()));
    }
    if typed {
        found.sort_by_key(|(best, _)| std::cmp::Reverse(*best));
    }
    rows.extend(found.into_iter().flat_map(|(_, rows)| rows));
    rows.truncate(ROWS_MAX);
    rows
}

fn commands(cx: &UiCx<'_>) -> Vec<Row> {
    let wanted = |action: &UiAction| !matches!(action, UiAction::Palette | UiAction::Conversation(_));
    UiAction::all()
        .into_iter()
        .filter(wanted)
        .map(|action| {
            let info = action.info();
            Row {
                section: "Commands",
                target: Target::Act(action),
                lead: Lead::Icon(info.icon),
                label: info.text,
                detail: String::new(),
                keys: cx.keys(action),
                matched: Vec::new(),
            }
        })
        .collect()
}

fn conversations(cx: &UiCx<'_>, typed: bool) -> Vec<Row> {
    let few = if typed { usize::MAX } else { 6 };
    let current = cx.snap.conversations.iter().filter(|row| typed || !row.conversation.archived);
    current
        .take(few)
        .map(|row| Row {
            section: "Conversations",
            target: Target::Conversation(row.conversation.id),
            lead: Lead::State(sidebar::glyph(row)),
            label: row.conversation.title.clone(),
            detail: detail(cx, row),
            keys: String::new(),
            matched: Vec::new(),
        })
        .collect()
}

/// Where a branch hangs, and when something was said last: branches of several conversations may have one name.
fn detail(cx: &UiCx<'_>, row: &ConversationRow) -> String {
    let time = if row.conversation.archived {
        "Archive".to_owned()
    } else {
        cx.now.row_time(row.conversation.updated_ms)
    };
    match lineage::parent(row).and_then(|parent| lineage::row(cx.snap, parent)) {
        Some(parent) => format!("in {} · {time}", words::short(&parent.conversation.title, 40)),
        None => time,
    }
}

fn projects(cx: &UiCx<'_>) -> Vec<Row> {
    let others = cx.snap.projects.iter().filter(|project| cx.snap.project != Some(project.id));
    others
        .map(|project| Row {
            section: "Projects",
            target: Target::Project(project.id),
            lead: Lead::Icon(icon::FOLDER),
            label: project.name.clone(),
            detail: words::path(&project.path, cx.home),
            keys: String::new(),
            matched: Vec::new(),
        })
        .collect()
}

fn engines(cx: &UiCx<'_>) -> Vec<Row> {
    if cx.view().is_none() {
        return Vec::new();
    }
    cx.ready_engines()
        .map(|row| Row {
            section: "Engines",
            target: Target::Engine(row.info.id.clone()),
            lead: Lead::Engine(cx::look(row.info.look)),
            label: format!("Answer with {}", row.info.name),
            detail: row.status.version.clone().unwrap_or_default(),
            keys: String::new(),
            matched: Vec::new(),
        })
        .collect()
}

fn profiles(cx: &UiCx<'_>) -> Vec<Row> {
    if cx.view().is_none() {
        return Vec::new();
    }
    let all = cx.snap.settings.profiles.iter();
    all.filter(|profile| cx.engine(&profile.engine).is_some())
        .map(|profile| Row {
            section: "Profiles",
            target: Target::Profile(profile.name.clone()),
            lead: Lead::Engine(cx.look(&profile.engine)),
            label: format!("Answer as {}", profile.name),
            detail: words_of(cx, &profile.seat()),
            keys: String::new(),
            matched: Vec::new(),
        })
        .collect()
}

fn run(cx: &UiCx<'_>, target: Target) {
    match target {
        Target::Act(action) => cx.act(action),
        Target::Conversation(conversation) => cx.ask(Request::Go(Route::Chat { conversation })),
        Target::Project(project) => cx.send(ProjectCommand::Select { project }),
        Target::OpenPath(path) => cx.send(ProjectCommand::Open { path }),
        Target::Engine(engine) => {
            if let Some(view) = cx.view() {
                let conversation = view.row.conversation.id;
                let seat = SeatChoice { engine, model: None, ..by_hand(view.row.conversation.seat.clone()) };
                cx.send(ChatCommand::SetSeat { conversation, seat });
            }
        }
        Target::Profile(name) => {
            let profile = cx.snap.settings.profiles.iter().find(|profile| profile.name == name);
            if let (Some(view), Some(profile)) = (cx.view(), profile) {
                let conversation = view.row.conversation.id;
                cx.send(ChatCommand::SetSeat { conversation, seat: profile.seat() });
            }
        }
    }
}
