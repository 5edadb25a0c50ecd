//! What a project keeps beside its conversations: plans, findings, agreements, artifacts, links, skills.
//!
//! Each page is a list with its form; the form takes the place of the list, and what is half typed stays in it
//! until it is saved or cancelled.

mod agreements;
mod artifacts;
mod entry;
mod findings;
mod links;
mod plan_form;
mod plans;
mod skills;
mod steps;
mod tree;

use egui::{Frame, Margin, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, pos2, vec2};

use crate::model::branch::BranchStatus;
use crate::model::id::ConversationId;
use crate::ui::action::UiAction;
use crate::ui::cx::{Request, UiCx};
use crate::ui::panel::Panel;
use crate::ui::regions::{self, Region};
use crate::ui::route::{ProjectPage, Route};
use crate::ui::theme::{self, CLEAR, Text, Weight};
use crate::ui::widgets::Button;
use crate::ui::widgets::icon;
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::widgets::tabs::{Tab, tabs_wrapped};

pub use agreements::scope;
pub use artifacts::{fields as artifact_fields, why_not as artifact_why_not};
pub use skills::open_suggestions;

/// The open forms, one a page, and what is typed in search fields.
#[derive(Default)]
pub struct ProjectPanel {
    plans: plans::Plans,
    findings: findings::Findings,
    agreements: agreements::Agreements,
    artifacts: artifacts::Artifacts,
    links: links::Links,
    skills: skills::Skills,
    /// The page whose form was drawn last.
    form_of: Option<ProjectPage>,
}

/// Width from which the list of pages stands at the left, points.
const LIST_FROM: f32 = 700.0;
/// Height of a form's buttons that stay in sight, points.
const FOOT: f32 = 52.0;
/// Widest a page gets, points.
const PAGE_MAX: f32 = 760.0;

impl Panel for ProjectPanel {
    fn title(&self) -> &'static str {
        "Project"
    }

    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let Route::Project { page, .. } = cx.route else { return };
        let page = *page;
        let all = ui.available_rect_before_wrap();
        let mut body = all;
        if all.width() >= LIST_FROM {
            let list = Rect::from_min_size(all.min, vec2(212.0, all.height()));
            let mut side = ui.new_child(UiBuilder::new().max_rect(list.shrink(12.0)).id_salt("pages"));
            pages(cx, &mut side, page);
            ui.painter().vline(
                list.right() - 0.5,
                list.y_range(),
                Stroke::new(1.0, theme::palette(ui).stroke_subtle),
            );
            body.min.x = list.right();
        } else {
            body.min.y = strip(cx, ui, all, page);
        }
        if page == ProjectPage::Plans && self.plans.has_form() {
            body.max.y -= FOOT;
            let rect = Rect::from_min_max(pos2(body.left(), body.bottom()), all.max);
            paint_foot(ui, rect);
            let inside = rect.shrink2(vec2(24.0, 0.0));
            let layout = egui::Layout::left_to_right(egui::Align::Center);
            let mut foot =
                ui.new_child(UiBuilder::new().max_rect(inside).layout(layout).id_salt("form foot"));
            self.plans.foot(cx, &mut foot);
        }
        let mut body = ui.new_child(UiBuilder::new().max_rect(body).id_salt("page"));
        let form = self.has_form(page);
        let mut area = ScrollArea::vertical().id_salt(("project", page.label(), form)).auto_shrink(false);
        if form && self.form_of != Some(page) {
            // A form begins at its top, wherever the list stood; the list keeps its place.
            area = area.vertical_scroll_offset(0.0);
        }
        self.form_of = form.then_some(page);
        area.show(&mut body, |ui| {
            Frame::NONE.inner_margin(Margin::symmetric(24, 20)).show(ui, |ui| {
                ui.set_width(ui.available_width().min(PAGE_MAX));
                ui.spacing_mut().item_spacing.y = 6.0;
                self.page(cx, ui, page);
            });
        });
        ui.allocate_rect(all, Sense::hover());
    }
}

fn paint_foot(ui: &Ui, rect: Rect) {
    let stroke = Stroke::new(1.0, theme::palette(ui).stroke_subtle);
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, stroke);
}

impl ProjectPanel {
    /// Opens the form of a new plan; one that is half typed stays.
    pub fn new_plan(&mut self, cx: &UiCx<'_>) {
        self.plans.make(cx);
    }

    /// Esc: goes from the form back to the list, with what was typed. `false` when no form was open.
    pub fn escape(&mut self) -> bool {
        self.plans.close()
            || self.findings.close()
            || self.agreements.close()
            || self.artifacts.close()
            || self.skills.clear()
    }

    fn has_form(&self, page: ProjectPage) -> bool {
        match page {
            ProjectPage::Plans => self.plans.has_form(),
            ProjectPage::Findings => self.findings.has_form(),
            ProjectPage::Agreements => self.agreements.has_form(),
            ProjectPage::Artifacts => self.artifacts.has_form(),
            ProjectPage::Branches | ProjectPage::Links | ProjectPage::Skills => false,
        }
    }

    fn page(&mut self, cx: &UiCx<'_>, ui: &mut Ui, page: ProjectPage) {
        if page == ProjectPage::Branches {
            return tree::ui(cx, ui);
        }
        let known = &*cx.snap.knowledge;
        if known.loading {
            ui.label(Text::Title.rich(page.label(), theme::palette(ui).text_1));
            ui.label(Text::Ui.rich("Reading what the project keeps.", theme::palette(ui).text_2));
            return;
        }
        if let Some(error) = &known.error {
            return failed(cx, ui, page, error);
        }
        match page {
            ProjectPage::Plans => self.plans.ui(cx, ui),
            ProjectPage::Branches => {}
            ProjectPage::Findings => self.findings.ui(cx, ui),
            ProjectPage::Agreements => self.agreements.ui(cx, ui),
            ProjectPage::Artifacts => self.artifacts.ui(cx, ui),
            ProjectPage::Links => self.links.ui(cx, ui),
            ProjectPage::Skills => self.skills.ui(cx, ui),
        }
    }
}

/// What was kept cannot be read: nothing is offered that would be lost.
fn failed(cx: &UiCx<'_>, ui: &mut Ui, page: ProjectPage, error: &str) {
    let p = theme::palette(ui);
    ui.label(Text::Title.rich(page.label(), p.text_1));
    let text = format!("What the project keeps could not be read. {error}");
    ui.add(egui::Label::new(Text::Ui.rich(text, p.error)).wrap());
    ui.add_space(4.0);
    if Button::secondary("Read again").icon(icon::ARROWS_CLOCKWISE).show(ui).clicked()
        && let Some(project) = cx.snap.project
    {
        cx.send(crate::api::command::ProjectCommand::Select { project });
    }
}

/// How many rows a page has.
fn count(cx: &UiCx<'_>, page: ProjectPage) -> usize {
    let (known, conversation) = (&cx.snap.knowledge, cx.route.conversation());
    match page {
        ProjectPage::Branches => {
            let all = cx.snap.conversations.iter();
            all.filter(|row| row.conversation.branch_status() == Some(BranchStatus::Active)).count()
        }
        ProjectPage::Plans => known.plans.len(),
        ProjectPage::Findings => known.findings.iter().filter(|finding| finding.open).count(),
        ProjectPage::Agreements => known.agreements.len(),
        ProjectPage::Artifacts => known.artifacts.len(),
        ProjectPage::Links => conversation.map_or(0, |id| known.linked(id).count()),
        ProjectPage::Skills => {
            let skills = known.offers.skills.skills.iter();
            skills.filter(|skill| known.skill_is_on(conversation, &skill.name)).count()
        }
    }
}

fn pages(cx: &UiCx<'_>, ui: &mut Ui, page: ProjectPage) {
    let conversation = cx.route.conversation();
    for each in ProjectPage::ALL {
        let count = count(cx, each);
        if page_row(ui, each, count, each == page) {
            cx.ask(Request::Go(Route::Project { page: each, conversation }));
        }
    }
}

/// The pages as tabs above; returns where the body begins.
fn strip(cx: &UiCx<'_>, ui: &mut Ui, all: Rect, page: ProjectPage) -> f32 {
    let inside = all.shrink2(vec2(12.0, 8.0));
    let mut side = ui.new_child(UiBuilder::new().max_rect(inside).id_salt("pages"));
    let all: Vec<Tab<'_, ProjectPage>> = ProjectPage::ALL
        .iter()
        .map(|page| Tab {
            value: *page,
            label: if *page == ProjectPage::Links { "Links" } else { page.label() },
            note: "",
        })
        .collect();
    if let Some(page) = tabs_wrapped(&mut side, &all, page) {
        cx.ask(Request::Go(Route::Project { page, conversation: cx.route.conversation() }));
    }
    side.min_rect().bottom() + 4.0
}

fn page_row(ui: &mut Ui, page: ProjectPage, count: usize, selected: bool) -> bool {
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
    let icon = UiAction::Project(page).info().icon;
    paint::icon(ui, pos2(rect.left() + 15.0, rect.center().y), icon, 14.0, tint);
    let mut end = rect.right() - sizes.space.s4;
    if count > 0 {
        let galley = paint::line(ui, &count.to_string(), Text::Caption.format(p.text_3), 60.0);
        end = paint::right(ui, rect, end, galley) - sizes.space.s4;
    }
    let (weight, color) = if selected { (Weight::Medium, p.text_1) } else { (Weight::Regular, p.text_2) };
    let room = (end - rect.left() - 30.0).max(20.0);
    let galley = paint::line(ui, page.label(), Text::Ui.format_weighted(weight, color), room);
    paint::left(ui, rect, rect.left() + 30.0, galley);
    paint::focus_ring(ui, &response, rect, sizes.radius.control, Ring::Inside);
    response.clicked()
}

/// Title of a page with its one step at the right, and a line about what it is for. `true` when the step was taken.
fn head(ui: &mut Ui, title: &str, about: &str, step: Option<&str>) -> bool {
    let p = theme::palette(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 32.0), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Heading, true, title));
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    let mut end = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout).id_salt("head end"));
    let taken = step.is_some_and(|step| Button::primary(step).icon(icon::PLUS).show(&mut end).clicked());
    let room = (end.min_rect().left() - rect.left() - 12.0).max(40.0);
    let galley = paint::line(ui, title, Text::Title.format(p.text_1), room);
    paint::left(ui, rect, rect.left(), galley);
    ui.add(egui::Label::new(Text::Small.rich(about, p.text_2)).wrap());
    ui.add_space(8.0);
    taken
}

/// Head of a form: the way back, and what is being made or changed. `true` when back was pressed.
fn form_head(ui: &mut Ui, title: &str) -> bool {
    let p = theme::palette(ui);
    let mut back = false;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        back = crate::ui::widgets::IconButton::new(icon::ARROW_LEFT, "Back to the list")
            .key("Esc")
            .show(ui)
            .clicked();
        ui.label(Text::Title.rich(title, p.text_1));
    });
    ui.add_space(4.0);
    back
}

/// An empty page: what it is for stands above already, here is the way on.
fn nothing(ui: &mut Ui, text: &str) {
    let p = theme::palette(ui);
    ui.add_space(4.0);
    ui.add(egui::Label::new(Text::Ui.rich(text, p.text_2)).wrap());
}

/// A small name over a field.
fn name(ui: &mut Ui, text: &str) {
    ui.add_space(6.0);
    ui.label(Text::Caption.rich(text, theme::palette(ui).text_3));
}

/// Title of a conversation of the project; what it was called when it is gone is not known.
fn conversation_title<'a>(cx: &UiCx<'a>, id: ConversationId) -> Option<&'a str> {
    let row = cx.snap.conversations.iter().find(|row| row.conversation.id == id)?;
    Some(row.conversation.title.as_str())
}

/// `In “Token refresh race”`, or the whole project.
fn place(cx: &UiCx<'_>, conversation: Option<ConversationId>) -> String {
    match conversation {
        None => "Whole project".to_owned(),
        Some(id) => match conversation_title(cx, id) {
            Some(title) => format!("In “{title}”"),
            None => "In a removed conversation".to_owned(),
        },
    }
}

/// The first line that says something.
fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}
