//! The sheet in which a branch is adopted: where the summary comes from, and its draft.
//!
//! Nothing is written before the user says so. A draft is kept while the sheet is closed and opened again.

mod agent;

use std::sync::Arc;

use egui::{Context, Id, Key, Modifiers, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use crate::api::command::BranchCommand;
use crate::api::snapshot::{ConversationRow, ConversationView};
use crate::api::summary::{SummaryRequest, SummaryState};
use crate::model::branch::{ADOPT_MAX_CHARS, AdoptCard, BranchKind, Summary, SummarySource, last_words};
use crate::model::id::{AgreementId, ConversationId};
use crate::model::message::{Author, MessageState};
use crate::model::summary::SummarySources;
use crate::model::turn::TurnState;
use crate::ui::cx::{Request, UiCx};
use crate::ui::lineage;
use crate::ui::panels::dialogs::adopt::agent::{Pane, Wanted};
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::Button;
use crate::ui::widgets::dialog::{Width, dialog};
use crate::ui::widgets::icon;
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::widgets::text_field::{EnterKey, TextField};
use crate::ui::words;

/// Characters taken from the end of the last answer.
const LAST_CHARS: usize = 300;
/// The core has answered after so long, seconds; then the sheet can be used again.
const ANSWER_S: f64 = 3.0;
/// Width of the list of sources, points.
const SOURCES: f32 = 232.0;

/// The sheet of one branch.
pub struct Adopt {
    branch: ConversationId,
    source: SummarySource,
    /// The user has chosen the source.
    chosen: bool,
    /// What is written by hand.
    own: String,
    /// The end of the last answer; `None` until it is known.
    last: Option<Taken>,
    positions: Option<Taken>,
    /// What both were taken from.
    sources: Option<Arc<SummarySources>>,
    agent: Pane,
    fresh: bool,
    /// What the agents said last has been asked for.
    asked: bool,
    /// It was closed: what runs for it is to be stopped.
    left: bool,
    /// When it was sent, seconds.
    sent_s: Option<f64>,
}

/// A draft taken from what was said, as the user left it.
struct Taken {
    /// As it was taken.
    taken: String,
    text: String,
    by: String,
}

impl Taken {
    /// Newer words replace a draft that nobody has touched.
    fn renew(kept: &mut Option<Self>, taken: String, by: String) {
        let stays = kept.as_ref().is_some_and(|kept| kept.taken == taken || kept.text != kept.taken);
        if !stays {
            *kept = Some(Self { text: taken.clone(), taken, by });
        }
    }
}

/// Who wrote a draft, with the user if they changed it.
fn by(name: &str, taken: &str, text: &str) -> String {
    if taken.trim() == text.trim() { name.to_owned() } else { format!("{name}, edited by you") }
}

/// What became of the sheet in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Open,
    Closed,
    /// The branch has been adopted.
    Adopted(ConversationId),
}

impl Adopt {
    pub fn of(cx: &UiCx<'_>, branch: ConversationId) -> Option<Self> {
        let row = lineage::row(cx.snap, branch)?;
        let facts = &row.conversation.branch.as_ref()?.facts;
        let source = match facts.kind {
            BranchKind::General => SummarySource::Agent,
            BranchKind::Implementation | BranchKind::Review => SummarySource::LastAnswer,
        };
        Some(Self {
            branch,
            source,
            chosen: false,
            own: String::new(),
            last: None,
            positions: None,
            sources: None,
            agent: Pane::default(),
            fresh: true,
            asked: false,
            left: false,
            sent_s: None,
        })
    }

    /// Of which branch it is.
    #[must_use]
    pub fn branch(&self) -> ConversationId {
        self.branch
    }

    /// Opened again.
    pub fn again(&mut self) {
        self.fresh = true;
        self.asked = false;
        self.left = false;
        self.sent_s = None;
    }

    /// Closed: nothing goes on running for a sheet that is not there. Called each frame while it is put by.
    pub fn stay_closed(&mut self, cx: &UiCx<'_>) {
        if !std::mem::replace(&mut self.left, true) && self.is_asking(cx) {
            cx.send(BranchCommand::StopSummary { branch: self.branch });
        }
    }

    fn request<'a>(&self, cx: &UiCx<'a>) -> Option<&'a SummaryRequest> {
        cx.snap.summary(self.branch)?.request.as_deref()
    }

    fn is_asking(&self, cx: &UiCx<'_>) -> bool {
        self.request(cx).is_some_and(|request| request.state == SummaryState::Running)
    }

    pub fn show(&mut self, cx: &UiCx<'_>, ctx: &Context) -> Ended {
        let Some(row) = lineage::row(cx.snap, self.branch) else { return Ended::Closed };
        let facts = row.conversation.branch.as_ref().map(|branch| &branch.facts);
        if row.conversation.archived && facts.is_some_and(|facts| facts.adopted.is_some()) {
            return Ended::Adopted(self.branch);
        }
        if !std::mem::replace(&mut self.asked, true) {
            cx.send(BranchCommand::ReadSources { branch: self.branch });
        }
        self.take(cx, row);
        let title = format!("Adopt {}", row.conversation.title);
        let why = self.why_not(cx, row);
        let key = format!("{} ↵", cx.keys.platform.command());
        let blank = self.text().trim().is_empty().then_some("There is nothing to copy yet.");
        let (mut take, mut cancel, mut copy) = (false, false, false);
        let out = dialog(
            ctx,
            Id::unique("adopt branch"),
            &title,
            Width::Large,
            |ui| {
                // Ctrl/⌘+Enter adopts from the field, too.
                let forced = ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
                self.body(cx, ui, row);
                forced
            },
            |ui| {
                let adopt = Button::primary("Adopt").key(&key).disabled(why.as_deref());
                take = adopt.show(ui).clicked();
                cancel = Button::secondary("Cancel").show(ui).clicked();
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    let button = Button::quiet("Copy as Markdown").icon(icon::COPY).disabled(blank);
                    copy = button.show(ui).clicked();
                });
            },
        );
        if copy {
            cx.ask(Request::Copy { text: self.markdown(cx, row), what: "The summary" });
        }
        if (take || out.inner) && why.is_none() {
            self.sent_s = Some(cx.time_s);
            cx.send(BranchCommand::Adopt { branch: self.branch, summary: self.summary() });
        }
        if cancel || out.close { Ended::Closed } else { Ended::Open }
    }

    /// Takes what has come since: the last words of the agents, and a draft.
    fn take(&mut self, cx: &UiCx<'_>, row: &ConversationRow) {
        let known = cx.snap.summary(self.branch);
        self.agent.take(self.request(cx));
        match known.and_then(|known| known.sources.as_ref()) {
            // Taken before; an answer may be long.
            Some(sources) if self.sources.as_ref().is_some_and(|taken| Arc::ptr_eq(taken, sources)) => {}
            Some(sources) => {
                self.sources = Some(sources.clone());
                if let Some(last) = sources.spoken.first() {
                    Taken::renew(&mut self.last, last_words(&last.text, LAST_CHARS), last.name.clone());
                }
                if !sources.positions.is_empty() {
                    let names: Vec<&str> = sources.spoken.iter().rev().map(|one| one.name.as_str()).collect();
                    Taken::renew(&mut self.positions, sources.positions.clone(), names.join(", "));
                }
            }
            None => self.take_loaded(cx.snap.view(self.branch).map(AsRef::as_ref)),
        }
        let silent = row.conversation.message_count == 0;
        let nothing = match self.source {
            SummarySource::Agent => silent && self.agent.text().is_empty(),
            SummarySource::LastAnswer => silent && self.last.is_none(),
            SummarySource::KeyPositions | SummarySource::Own => false,
        };
        if !self.chosen && nothing {
            self.source = SummarySource::Own;
        }
    }

    /// The end of the last answer from what is loaded, until it has been read.
    fn take_loaded(&mut self, view: Option<&ConversationView>) {
        let Some(view) = view.filter(|view| self.last.is_none() && !view.loading) else { return };
        let answer = (0..view.index.len()).rev().take(200).find_map(|place| {
            let message = view.message(place).filter(|message| message.state != MessageState::Streaming)?;
            let Author::Agent { name, .. } = &message.author else { return None };
            let text = message.plain_text();
            (!text.trim().is_empty()).then(|| (text, name.clone()))
        });
        if let Some((text, agent)) = answer {
            Taken::renew(&mut self.last, last_words(&text, LAST_CHARS), agent);
        }
    }

    fn taken(&self) -> Option<&Taken> {
        match self.source {
            SummarySource::LastAnswer => self.last.as_ref(),
            SummarySource::KeyPositions => self.positions.as_ref(),
            SummarySource::Agent | SummarySource::Own => None,
        }
    }

    fn text(&self) -> &str {
        match self.source {
            SummarySource::Agent => self.agent.text(),
            SummarySource::Own => &self.own,
            SummarySource::LastAnswer | SummarySource::KeyPositions => {
                self.taken().map_or("", |taken| &taken.text)
            }
        }
    }

    fn summary(&self) -> Summary {
        let written_by = match (self.source, self.taken()) {
            (SummarySource::Agent, _) => self.agent.written_by(),
            (_, Some(taken)) => by(&taken.by, &taken.taken, &taken.text),
            (_, None) => "you".to_owned(),
        };
        Summary { source: self.source, written_by, text: self.text().trim().to_owned() }
    }

    fn markdown(&self, cx: &UiCx<'_>, row: &ConversationRow) -> String {
        let Summary { source, written_by, text } = self.summary();
        let card = AdoptCard {
            branch: self.branch,
            label: row.conversation.title.clone(),
            source,
            written_by,
            text,
            messages: row.conversation.message_count,
            agents: speakers(cx, self.branch),
            agreement: AgreementId(0),
            usage: None,
        };
        card.markdown()
    }

    fn why_not(&self, cx: &UiCx<'_>, row: &ConversationRow) -> Option<String> {
        let runs = |row: &ConversationRow| row.state.is_some_and(TurnState::is_live);
        let parent = lineage::parent(row).and_then(|id| lineage::row(cx.snap, id));
        let chars = self.text().trim().chars().count();
        let why = match parent {
            None => "The conversation it came from is gone.",
            Some(_) if runs(row) => "An agent is still answering in the branch.",
            Some(parent) if runs(parent) => "An agent is answering in the parent. Adopt when it has ended.",
            Some(_) if self.source == SummarySource::Agent && self.is_asking(cx) => {
                "The summary is still being written."
            }
            Some(_) if chars == 0 => "The summary is empty.",
            Some(_) if chars > ADOPT_MAX_CHARS => "The summary is too long.",
            Some(_) if self.sent_s.is_some_and(|at| cx.time_s - at < ANSWER_S) => "It is being adopted.",
            Some(_) => return None,
        };
        Some(why.to_owned())
    }

    fn body(&mut self, cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow) {
        let top = ui.cursor().min;
        let width = ui.available_width();
        let apart = 20.0;
        let left = Rect::from_min_size(top, vec2(SOURCES, f32::INFINITY));
        let mut sources = ui.new_child(egui::UiBuilder::new().max_rect(left).id_salt("sources"));
        sources.set_width(SOURCES);
        self.sources(cx, &mut sources);
        let x = top.x + SOURCES + apart;
        let right = Rect::from_min_max(pos2(x + apart, top.y), pos2(top.x + width, f32::INFINITY));
        let mut draft = ui.new_child(egui::UiBuilder::new().max_rect(right).id_salt("draft"));
        draft.set_width(right.width());
        self.draft(cx, &mut draft, row);
        let height = sources.min_rect().height().max(draft.min_rect().height());
        let (all, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
        let stroke = Stroke::new(1.0, theme::palette(ui).stroke_subtle);
        ui.painter().vline(x, all.y_range(), stroke);
    }

    fn sources(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let p = theme::palette(ui);
        ui.spacing_mut().item_spacing.y = theme::sizes().space.s4;
        ui.label(Text::Caption.rich_weighted(Weight::Semibold, "Summary from", p.text_3));
        let reading = cx.snap.summary(self.branch).is_some_and(|known| known.sources.is_none());
        let none = Some(if reading { "Reading the branch" } else { "No answer yet" });
        let all = [
            (SummarySource::Agent, "One request over the whole branch", None),
            (
                SummarySource::KeyPositions,
                "First sentences of each agent",
                none.filter(|_| self.positions.is_none()),
            ),
            (SummarySource::LastAnswer, "End of the last message", none.filter(|_| self.last.is_none())),
            (SummarySource::Own, "Start with an empty draft", None),
        ];
        for (which, detail, nothing) in all {
            if source(ui, which, self.source, detail, nothing) && nothing.is_none() {
                self.choose(which);
            }
        }
    }

    fn choose(&mut self, source: SummarySource) {
        self.source = source;
        self.chosen = true;
        self.fresh = true;
    }

    fn draft(&mut self, cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow) {
        let p = theme::palette(ui);
        ui.spacing_mut().item_spacing.y = theme::sizes().space.s4;
        let request = self.request(cx);
        let by_agent = self.source == SummarySource::Agent;
        ui.allocate_ui_with_layout(
            vec2(ui.available_width(), theme::sizes().control.icon_button),
            egui::Layout::right_to_left(egui::Align::Center),
            |ui| {
                ui.spacing_mut().item_spacing.x = theme::sizes().space.s2;
                if by_agent {
                    self.agent.head(cx, ui, row, request);
                }
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    ui.label(Text::Ui.rich_weighted(Weight::Semibold, "Draft", p.text_1));
                });
            },
        );
        let lines = if ui.ctx().content_rect().height() < 700.0 { 7 } else { 10 };
        if by_agent && self.agent.editable(request).is_none() {
            // The field is to have the keyboard when it comes.
            self.fresh = true;
            if self.agent.place(cx, ui, row, (request, lines)) == Wanted::LastAnswer {
                self.choose(if self.last.is_some() { SummarySource::LastAnswer } else { SummarySource::Own });
            }
        } else {
            self.field(ui, request, lines);
            if by_agent {
                self.agent.notes(ui, request);
            }
        }
        self.foot(cx, ui, row, request);
    }

    fn field(&mut self, ui: &mut Ui, request: Option<&SummaryRequest>, lines: usize) {
        let p = theme::palette(ui);
        let source = self.source;
        let field = TextField::multi(("adopt draft", source.word()), "Draft of the summary", lines, lines)
            .enter(EnterKey::Breaks)
            .max_chars(ADOPT_MAX_CHARS)
            .hint("What this branch came to");
        // A click on a source would take the keyboard away again within its frame.
        let clicking = ui.input(|input| input.pointer.any_pressed() || input.pointer.any_released());
        if self.fresh && clicking {
            ui.ctx().request_repaint();
        } else if self.fresh && !ui.is_sizing_pass() {
            self.fresh = false;
            let id = field.id();
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        let text = match source {
            SummarySource::Agent => self.agent.editable(request),
            SummarySource::KeyPositions => self.positions.as_mut().map(|taken| &mut taken.text),
            SummarySource::LastAnswer => self.last.as_mut().map(|taken| &mut taken.text),
            SummarySource::Own => Some(&mut self.own),
        };
        match text {
            Some(text) => drop(field.show(ui, text)),
            None => drop(ui.label(Text::Read.rich("Reading the branch", p.text_3))),
        }
    }

    fn foot(&self, cx: &UiCx<'_>, ui: &mut Ui, row: &ConversationRow, request: Option<&SummaryRequest>) {
        let p = theme::palette(ui);
        let chars = self.text().trim().chars().count() as u64;
        let parent = lineage::parent(row).and_then(|id| lineage::row(cx.snap, id));
        let parent = parent.map_or("its parent", |row| row.conversation.title.as_str());
        let goes =
            format!("Goes into {parent} and is kept as an agreement. The branch moves to the archive.");
        let took = request
            .filter(|_| self.source == SummarySource::Agent)
            .and_then(|request| request.usage.as_ref());
        let most = words::thousands(ADOPT_MAX_CHARS as u64);
        let count = match (chars, took.and_then(words::cost)) {
            (0, _) => String::new(),
            (_, Some(took)) => format!("{} characters · {took}", words::thousands(chars)),
            (_, None) => format!("{} of {most} characters", words::thousands(chars)),
        };
        ui.horizontal_top(|ui| {
            // Two lines, so that nothing moves when the count comes.
            ui.set_min_height(Text::Caption.line() * 2.0);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Min), |ui| {
                if !count.is_empty() {
                    ui.label(Text::Caption.rich(count, p.text_3));
                    ui.add_space(12.0);
                }
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Min), |ui| {
                    ui.add(egui::Label::new(Text::Caption.rich(goes, p.text_3)).wrap());
                });
            });
        });
    }
}

/// Names of the agents that spoke: from the whole branch once it is read, else from what is loaded.
fn speakers(cx: &UiCx<'_>, branch: ConversationId) -> Vec<String> {
    if let Some(sources) = cx.snap.summary(branch).and_then(|known| known.sources.as_ref()) {
        return sources.spoken.iter().rev().map(|one| one.name.clone()).collect();
    }
    let mut names: Vec<String> = Vec::new();
    let view = cx.snap.view(branch).into_iter();
    for message in view.flat_map(|view| (0..view.index.len()).filter_map(|at| view.message(at))) {
        if let Author::Agent { name, .. } = &message.author
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    names
}

/// One source as a card; `true` when it was chosen.
fn source(
    ui: &mut Ui,
    which: SummarySource,
    chosen: SummarySource,
    detail: &str,
    nothing: Option<&str>,
) -> bool {
    let p = theme::palette(ui);
    let sizes = theme::sizes();
    let selected = which == chosen;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 56.0), Sense::click());
    let enabled = nothing.is_none();
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, enabled, selected, which.label()));
    let (fill, edge) = match (selected, response.hovered() && enabled) {
        (true, _) => (p.accent_tint, p.accent),
        (_, true) => (p.bg_hover, theme::CLEAR),
        _ => (theme::CLEAR, theme::CLEAR),
    };
    let stroke = Stroke::new(sizes.stroke.line, edge);
    ui.painter().rect(rect, sizes.radius.card, fill, stroke, StrokeKind::Inside);
    let dot = pos2(rect.left() + 18.0, rect.top() + 19.0);
    let ring = if selected { p.accent } else { p.stroke_control };
    ui.painter().circle(dot, 6.5, p.bg_inset, Stroke::new(1.0, ring));
    if selected {
        ui.painter().circle_filled(dot, 3.5, p.accent);
    }
    let x = rect.left() + 33.0;
    let room = rect.right() - x - 8.0;
    let line = |top: f32, height: f32| {
        Rect::from_min_size(pos2(rect.left(), rect.top() + top), vec2(rect.width(), height))
    };
    let color = if enabled { p.text_1 } else { p.text_off };
    let label = paint::line(ui, which.label(), Text::Ui.format_weighted(Weight::Medium, color), room);
    paint::left(ui, line(9.0, 20.0), x, label);
    let detail = paint::line(ui, nothing.unwrap_or(detail), Text::Caption.format(p.text_2), room);
    paint::left(ui, line(29.0, 16.0), x, detail);
    paint::focus_ring(ui, &response, rect, sizes.radius.card, Ring::Inside);
    response.clicked()
}
