//! The messages of the conversation shown.
//!
//! Only visible rows are laid out (`list`); finished text is parsed once (`text`). The view follows the end only
//! while the user is there, and nothing that arrives moves what is being read.

mod actions;
mod adopted;
mod checkpoint;
pub mod copy;
mod ending;
mod inherited;
mod message;
mod text;
mod tools;

use std::collections::HashMap;
use std::sync::Arc;

use egui::{Rect, Ui, UiBuilder, pos2, vec2};

use crate::api::command::ChatCommand;
use crate::api::snapshot::{ConversationView, IndexEntry, PAGE_LEN};
use crate::model::id::{ConversationId, MessageId};
use crate::model::message::Author;
use crate::ui::action::UiAction;
use crate::ui::cx::{Request, UiCx};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::Button;
use crate::ui::widgets::empty::{Suggestion, empty_state};
use crate::ui::widgets::icon;
use crate::ui::widgets::tabs::latest_pill;
use crate::ui::widgets::text_field::TextField;
use crate::ui::widgets::virtual_list::{RowSource, VirtualList, estimate_text};

/// View state of the conversations visited.
#[derive(Default)]
pub struct Conversation {
    lists: HashMap<ConversationId, List>,
    shown: Option<ConversationId>,
    folds: tools::Folds,
    texts: text::Texts,
    actions: actions::Actions,
    editing: Option<Editing>,
    /// Pages asked for, with the moment, so that one frame's wish is not sent again in the next.
    asked: HashMap<(ConversationId, u32), f64>,
    /// Place of the match the find bar stands at.
    pub highlight: Option<usize>,
    /// Shown above the first message: what a branch starts from.
    pub inherited: Option<Inherited>,
    /// The user scrolled when it was last drawn.
    pub scrolled: bool,
}

/// The message of another conversation that stands above a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inherited {
    pub parent: ConversationId,
    pub message: MessageId,
}

/// An own message being changed.
struct Editing {
    message: MessageId,
    text: String,
    fresh: bool,
}

/// A page that has not come is asked for again after so long, seconds.
const ASK_AGAIN_S: f64 = 2.0;

impl Conversation {
    /// Opens the editor of an own message.
    pub fn edit(&mut self, cx: &UiCx<'_>, message: MessageId) {
        let Some(view) = cx.view() else { return };
        let found = view.place_of(message);
        let Some((place, loaded)) = found.and_then(|place| Some((place, view.message(place)?))) else {
            return;
        };
        if loaded.author != Author::User {
            return;
        }
        self.editing = Some(Editing { message, text: loaded.plain_text(), fresh: true });
        if let Some(list) = self.lists.get_mut(&view.row.conversation.id)
            && place + 3 < view.index.len()
        {
            list.rows.scroll_to(key_of(message));
        }
    }

    /// Esc: closes the editor. `false` when none was open.
    pub fn escape(&mut self) -> bool {
        self.editing.take().is_some()
    }

    /// Scrolls to the newest message and follows it.
    pub fn to_end(&mut self) {
        if let Some(list) = self.shown.and_then(|id| self.lists.get_mut(&id)) {
            list.rows.scroll_to_bottom();
        }
    }

    /// Brings a place of the index into view.
    pub fn reveal(&mut self, place: usize) {
        if let Some(list) = self.shown.and_then(|id| self.lists.get_mut(&id))
            && let Some(entry) = list.index.get(place)
        {
            let key = key_of(entry.id);
            list.rows.scroll_to(key);
        }
    }

    /// Brings the view's top so many points below the top of a message, also beyond the last one; `message` may be
    /// the inherited one.
    pub fn align(&mut self, conversation: ConversationId, message: MessageId, below: f32) {
        let list = self.lists.entry(conversation).or_default();
        let key = key_of(message);
        // Above the first row there is more room than between two.
        let own = self.inherited.is_none_or(|inherited| inherited.message != message);
        let below = if own { below - (EDGE - GAP) } else { below };
        list.rows.reach(own.then_some((key, GAP - EDGE)));
        list.rows.scroll_below(key, below);
    }

    /// How far the view's top lies below a message, as [`Conversation::align`] takes it.
    #[must_use]
    pub fn below(&self, conversation: ConversationId, message: MessageId) -> Option<f32> {
        let list = self.lists.get(&conversation)?;
        let key = key_of(message);
        let own = self.inherited.is_none_or(|inherited| inherited.message != message);
        Some(list.rows.below(key)? + if own { EDGE - GAP } else { 0.0 })
    }

    /// Draws the conversation; `column` is the reading column inside the scrolled area.
    pub fn show(&mut self, cx: &UiCx<'_>, ui: &mut Ui, column: Rect) {
        self.scrolled = false;
        let Some(view) = cx.view() else {
            quiet(ui, column, "Opening the conversation");
            return;
        };
        let id = view.row.conversation.id;
        if self.shown != Some(id) {
            self.shown = Some(id);
            self.editing = None;
            self.asked.clear();
            self.actions = actions::Actions::default();
        }
        if let Some(error) = &view.error {
            quiet(ui, column, &format!("The messages could not be read. {error}"));
            return;
        }
        if cx.read_only {
            self.editing = None;
        }
        if view.index.is_empty() && (view.loading || self.inherited.is_none()) {
            if view.loading {
                quiet(ui, column, "Opening the conversation");
            } else {
                empty(cx, ui, column);
            }
            return;
        }
        let mut list = self.lists.remove(&id).unwrap_or_default();
        let lead = self.inherited.map(|inherited| inherited.row(cx));
        list.take(&view.index, lead);
        let before = usize::from(lead.is_some());
        let area = Rect::from_min_max(pos2(ui.max_rect().left(), column.top()), ui.max_rect().max);
        let inset = column.left() - area.left();
        let mut scroll = ui.new_child(UiBuilder::new().max_rect(area).id_salt("scroll"));
        let mut missing: Vec<u32> = Vec::new();
        let List { rows, index, version, .. } = &mut list;
        let source = Rows { index, version: *version, lead };
        let out = rows.show(&mut scroll, ("messages", id.0), &source, |ui, place| {
            ui.spacing_mut().item_spacing.y = 0.0;
            ui.add_space(if place == 0 { EDGE } else { GAP });
            let rect =
                Rect::from_min_size(ui.cursor().min + vec2(inset, 0.0), vec2(column.width(), f32::INFINITY));
            let mut row = ui.new_child(UiBuilder::new().max_rect(rect).id_salt("row"));
            let own = place.checked_sub(before);
            let height = match own.map(|place| (place, view.message(place))) {
                None => self.inherited_row(cx, &mut row, rect),
                Some((place, Some(_))) => self.row(cx, &mut row, rect, view, place),
                Some((place, None)) => {
                    let page = u32::try_from(place).unwrap_or(0) / PAGE_LEN;
                    if missing.last() != Some(&page) {
                        missing.push(page);
                    }
                    placeholder(&row, rect)
                }
            };
            ui.add_space(height + if place + 1 == source.len() { EDGE } else { 0.0 });
        });
        self.load(cx, id, &missing);
        self.scrolled = out.scrolled;
        if !out.at_bottom {
            pill(ui, column, view, &mut list);
        }
        self.lists.insert(id, list);
        self.texts.tidy();
    }

    fn load(&mut self, cx: &UiCx<'_>, conversation: ConversationId, missing: &[u32]) {
        for page in missing {
            let key = (conversation, *page);
            let due = self.asked.get(&key).is_none_or(|at| cx.time_s - at > ASK_AGAIN_S);
            if due {
                self.asked.insert(key, cx.time_s);
                cx.send(ChatCommand::LoadPage { conversation, page: *page });
            }
        }
    }

    /// Draws one loaded message and returns its height.
    fn row(&mut self, cx: &UiCx<'_>, ui: &mut Ui, rect: Rect, view: &ConversationView, place: usize) -> f32 {
        let Some(message) = view.message(place) else { return 0.0 };
        if self.highlight == Some(place) {
            // Painted before the message, one frame behind its height at most.
            let height = self.actions.height_of(message.id).unwrap_or(40.0);
            let ground = Rect::from_min_size(rect.min, vec2(rect.width(), height)).expand(6.0);
            let p = theme::palette(ui);
            ui.painter().rect_filled(ground, theme::sizes().radius.card, p.bg_selected);
        }
        let editing = self.editing.as_ref().is_some_and(|editing| editing.message == message.id);
        if editing {
            self.editor(cx, ui);
        } else {
            message::draw(cx, ui, view, message, &mut self.folds, &mut self.texts);
        }
        let height = ui.min_rect().height().max(18.0);
        let area = Rect::from_min_size(rect.min, vec2(rect.width(), height));
        checkpoint::draw(cx, ui, view, message.id);
        let height = ui.min_rect().height().max(18.0);
        // A row that is only measured must not register its controls a second time.
        if !editing && !ui.is_sizing_pass() {
            self.actions.show(cx, ui, area, view, message);
        }
        height
    }

    fn editor(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let Some(editing) = &mut self.editing else { return };
        let p = theme::palette(ui);
        let field = TextField::multi(("edit", cx.desk, editing.message.0), "Edited message", 2, 12);
        if std::mem::take(&mut editing.fresh) {
            let id = field.id();
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        let blank = editing.text.trim().is_empty().then_some("There is nothing to send.");
        // Where the message stood.
        let (send, cancel) = message::body(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 8.0;
            let out = field.show(ui, &mut editing.text);
            let (mut send, mut cancel) = (out.submitted && blank.is_none(), false);
            ui.horizontal(|ui| {
                send |= Button::primary("Send again").disabled(blank).show(ui).clicked();
                cancel |= Button::quiet("Cancel").key("Esc").show(ui).clicked();
                let what = "This message and all after it leave the conversation.";
                ui.label(Text::Caption.rich(what, p.text_3));
            });
            (send, cancel)
        });
        if send {
            cx.send(ChatCommand::EditAndResend { message: editing.message, text: editing.text.clone() });
            cx.act(UiAction::Latest);
            cx.ask(Request::FocusComposer);
        }
        if send || cancel {
            self.editing = None;
        }
    }
}

/// Scroll state of one conversation, with the index it was drawn for.
struct List {
    rows: VirtualList,
    index: Arc<Vec<IndexEntry>>,
    version: u64,
    /// Key and revision of the inherited row.
    lead: Option<(u64, u64)>,
}

impl Default for List {
    fn default() -> Self {
        Self { rows: VirtualList::at_bottom(), index: Arc::default(), version: 0, lead: None }
    }
}

impl List {
    fn take(&mut self, index: &Arc<Vec<IndexEntry>>, lead: Option<(u64, u64)>) {
        if !Arc::ptr_eq(&self.index, index) || self.lead != lead {
            self.index = Arc::clone(index);
            self.lead = lead;
            self.version += 1;
        }
    }
}

/// The index as rows of the list.
struct Rows<'a> {
    index: &'a [IndexEntry],
    version: u64,
    /// Key and revision of the inherited row, which comes first.
    lead: Option<(u64, u64)>,
}

impl Rows<'_> {
    fn entry(&self, index: usize) -> Option<&IndexEntry> {
        self.index.get(index.checked_sub(usize::from(self.lead.is_some()))?)
    }
}

/// Space between messages, points.
const GAP: f32 = 14.0;
/// Space above the first and below the last message, points; the action bar of the first lies in it.
const EDGE: f32 = 26.0;

fn key_of(message: MessageId) -> u64 {
    u64::try_from(message.0).unwrap_or(0)
}

impl RowSource for Rows<'_> {
    fn len(&self) -> usize {
        self.index.len() + usize::from(self.lead.is_some())
    }

    fn row(&self, index: usize) -> (u64, u64) {
        let lead = self.lead.filter(|_| index == 0);
        let own = self.entry(index).map(|entry| (key_of(entry.id), u64::from(entry.revision)));
        lead.or(own).unwrap_or_default()
    }

    fn estimate(&self, index: usize, width: f32) -> f32 {
        let Some(entry) = self.entry(index) else { return if self.lead.is_some() { 160.0 } else { 0.0 } };
        let column = (width - 48.0).min(theme::sizes().panel.reading_max) - 28.0;
        let fixed = if entry.by_user { 16.0 } else { 28.0 };
        // A longer own text is folded.
        let most = if entry.by_user { tools::FOLD_FROM_CHARS } else { usize::MAX };
        estimate_text((entry.chars as usize).min(most), column, Text::Read.line(), fixed + GAP)
    }

    fn version(&self) -> u64 {
        self.version
    }
}

fn pill(ui: &mut Ui, column: Rect, view: &ConversationView, list: &mut List) {
    let running = view.turn.as_ref().is_some_and(|turn| turn.state.is_live());
    let label = if running { "Latest, still writing" } else { "Latest" };
    let center = pos2(column.center().x, ui.max_rect().bottom() - 24.0);
    if latest_pill(ui, center, label).clicked() {
        list.rows.scroll_to_bottom();
    }
}

/// A row whose page is not loaded yet.
fn placeholder(ui: &Ui, rect: Rect) -> f32 {
    const HEIGHT: f32 = 48.0;
    let p = theme::palette(ui);
    let bar = |top: f32, share: f32| {
        Rect::from_min_size(rect.min + vec2(28.0, top), vec2((rect.width() - 28.0) * share, 10.0))
    };
    for (top, share) in [(4.0, 0.3), (24.0, 0.8)] {
        ui.painter().rect_filled(bar(top, share), 4.0, p.bg_raised);
    }
    let id = ui.scope_id().with("placeholder");
    let response =
        ui.interact(Rect::from_min_size(rect.min, vec2(rect.width(), HEIGHT)), id, egui::Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, "Loading message"));
    HEIGHT
}

fn quiet(ui: &mut Ui, column: Rect, text: &str) {
    let p = theme::palette(ui);
    let mut child = ui.new_child(UiBuilder::new().max_rect(column.shrink2(vec2(0.0, 24.0))).id_salt("quiet"));
    child.add(egui::Label::new(Text::Ui.rich(text, p.text_3)).wrap());
}

/// What a new conversation offers.
fn empty(cx: &UiCx<'_>, ui: &mut Ui, column: Rect) {
    let name = cx.project().map_or("this project", |project| project.name.as_str());
    let question = format!("What should happen in {name}?");
    let branch =
        cx.snap.git_branch.as_ref().map_or_else(String::new, |branch| format!("Git branch {branch}. "));
    let facts = format!("{branch}Write below, or start here.");
    let (question, facts) = if cx.is_beside() {
        let facts = "What is said here changes nothing in the conversation it starts from.";
        ("Another way to go on".to_owned(), facts.to_owned())
    } else {
        (question, facts)
    };
    let write = cx.keys(UiAction::FocusComposer);
    let context = cx.keys(UiAction::Context);
    let engines = cx.keys(UiAction::Settings(crate::ui::route::SettingsPage::Engines));
    let ways = [
        Suggestion {
            action: UiAction::FocusComposer,
            icon: icon::PENCIL_SIMPLE,
            verb: "Write a message",
            detail: "Ask, or say what is to be done",
            key: &write,
        },
        Suggestion {
            action: UiAction::Context,
            icon: icon::STACK,
            verb: "Look at the context",
            detail: "What the agent will be told, and what not",
            key: &context,
        },
        Suggestion {
            action: UiAction::Settings(crate::ui::route::SettingsPage::Engines),
            icon: icon::ROBOT,
            verb: "Choose who answers",
            detail: "Engines, models and logins",
            key: &engines,
        },
    ];
    let mut child = ui.new_child(UiBuilder::new().max_rect(column).id_salt("empty"));
    if let Some(action) = empty_state(&mut child, &question, &facts, &ways) {
        cx.act(action);
    }
}
