//! All pieces on one page, to be looked at; reached with `__gallery dark` or `light` in debug builds.

use egui::{Frame, Margin, Ui, UiBuilder, vec2};

use crate::ui::theme::{self, Text, Weight};

use super::button::{Button, IconButton, Kind};
use super::chip::{Chip, Tone, key_hint, removable_chip};
use super::glyph::StateGlyph;
use super::hover_bar::{BarAction, hover_bar};
use super::markdown::{Markdown, StreamDoc};
use super::picker::{Choice, Lead, picker_button, picker_menu};
use super::row::{RowEnd, SidebarRow, caption_head, section_head};
use super::status::{StatusItem, StatusLead, needs_pill};
use super::tabs::{Tab, latest_pill, tabs};
use super::text_field::{TextField, search};
use super::toast::{Toast, ToastStack};
use super::tool_fold::{Elide, ToolRow, more_calls, tool_group, tool_output};
use super::{EngineLook, choice, dialog, engine_mark, icon, meter, permission, user_mark};

/// State of the page.
#[derive(Default)]
pub struct Gallery {
    markdown: Markdown,
    doc: Option<StreamDoc>,
    search: String,
    focused: String,
    bad: String,
    composer: String,
    radio: bool,
    on: bool,
    check: bool,
    closed: bool,
    page: u8,
    model: usize,
    toasts: ToastStack,
    dialog: bool,
    started: bool,
}

const SAMPLE: &str = "# Heading one\n## Heading two\nReading text with `inline code`, **bold**, *italic*, ~~struck~~ and \
[a link](https://example.org).\nA single line break is kept. 한국어 문장도 같은 줄 높이로 보입니다. **굵은 한글**.\n\n\
- first item\n- second with `code`\n  - nested\n    - deeper\n- [x] done task\n- [ ] open task\n\n1. one\n2. two\n\n\
> A quote over\n> two lines\n\n| Name | Count | Note |\n|---|--:|:-:|\n| alpha | 1,024 | ok |\n| beta | 7 | `x` |\n\n\
```rust src/auth/session.rs\nconst GRACE: u64 = 10; // seconds\nfn load(name: &str) -> Option<Session> {\n    let s = \
open(\"session\")?;\n    Some(s)\n}\n```\n\n```diff src/auth/session.rs\n@@ rotate, line 118\n- let row = \
store.get(id).await?;\n+ let row = store.swap(id, seen).await?;\n  if row.revoked { return Err(Reused) }\n```\n\n---\n\
![a picture](https://example.org/a.png) <b>html</b> as text\n";

impl Gallery {
    /// A page that starts at the given sheet: 0 pieces, 1 Markdown, 2 dialog and toasts.
    #[must_use]
    pub fn new(page: u8) -> Self {
        Self { page, dialog: page == 2, ..Self::default() }
    }

    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui) {
        let p = theme::palette(ui);
        Frame::NONE.fill(p.bg_canvas).inner_margin(Margin::symmetric(24, 12)).show(ui, |ui| {
            ui.set_min_size(ui.available_size());
            let sheets = [
                Tab { value: 0, label: "Pieces", note: "" },
                Tab { value: 1, label: "Markdown", note: "" },
                Tab { value: 2, label: "Dialog, toasts", note: "3/6" },
            ];
            self.page = tabs(ui, &sheets, self.page).unwrap_or(self.page);
            ui.add_space(8.0);
            match self.page {
                0 => self.pieces(ui),
                1 => self.text(ui),
                _ => self.floating(ui),
            }
        });
    }

    fn pieces(&mut self, ui: &mut Ui) {
        let area = ui.available_rect_before_wrap();
        let width = (area.width() - 48.0) / 3.0;
        for column in 0..3_u8 {
            let min = area.min + vec2(f32::from(column) * (width + 24.0), 0.0);
            let rect = egui::Rect::from_min_size(min, vec2(width, area.height()));
            let mut ui = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(column));
            match column {
                0 => self.left(&mut ui),
                1 => self.middle(&mut ui),
                _ => Self::right(&mut ui),
            }
        }
    }

    fn left(&mut self, ui: &mut Ui) {
        caption_head(ui, "Button");
        let kinds = [
            (Kind::Primary, "Adopt"),
            (Kind::Secondary, "Cancel"),
            (Kind::Quiet, "Copy"),
            (Kind::Destructive, "Delete"),
        ];
        for disabled in [None, Some("Nothing to do yet")] {
            ui.horizontal(|ui| {
                for (kind, label) in kinds {
                    Button::new(kind, label).disabled(disabled).show(ui);
                }
            });
            ui.add_space(4.0);
        }
        ui.horizontal(|ui| {
            Button::primary("Allow once").icon(icon::CHECK).key("Ctrl Enter").show(ui);
            Button::secondary("Stop").icon_face(icon::STOP, icon::Face::Fill).icon_ends().key("Esc").show(ui);
            Button::secondary("Chosen").icon(icon::SUN).selected(true).show(ui);
        });
        ui.horizontal(|ui| {
            IconButton::new(icon::SIDEBAR_SIMPLE, "Toggle sidebar").key("Ctrl B").show(ui);
            IconButton::new(icon::COLUMNS, "Pinned").selected(true).show(ui);
            IconButton::small(icon::X, "Close").disabled(Some("Nothing to close")).show(ui);
        });
        ui.add_space(12.0);
        caption_head(ui, "Sidebar row");
        let p = theme::palette(ui);
        Frame::NONE.fill(p.bg_window).inner_margin(8).corner_radius(8).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let mut open = !self.closed;
            section_head(ui, "Conversations", 5, &mut open, Some("New conversation"));
            self.closed = !open;
            let rows = [
                (StateGlyph::Running, "Selected, running", RowEnd::Caption("1 m"), 0, true),
                (StateGlyph::NeedsYou, "Needs you", RowEnd::Caption("1 m"), 0, false),
                (StateGlyph::Unread, "Unread 읽지 않음", RowEnd::Caption("11:20"), 0, false),
                (StateGlyph::Failed, "Failed", RowEnd::Caption("Mon"), 0, false),
                (StateGlyph::Queued, "Queued", RowEnd::Caption("2nd"), 0, false),
                (
                    StateGlyph::Idle,
                    "Without a library",
                    RowEnd::GitBranch("pkce-spike-with-long-name"),
                    1,
                    false,
                ),
                (
                    StateGlyph::Idle,
                    "A very long name of a conversation that ends in dots",
                    RowEnd::Caption("Fri"),
                    0,
                    false,
                ),
            ];
            for (state, label, end, depth, selected) in rows.into_iter().filter(|_| open) {
                SidebarRow::new(state, label).end(end).depth(depth).selected(selected).more("More").show(ui);
            }
        });
        ui.add_space(12.0);
        caption_head(ui, "Field, choice, switch");
        search(ui, TextField::single("search", "Search").hint("Search or filter"), &mut self.search);
        TextField::single("focus", "Focused").hint("Focused").show(ui, &mut self.focused);
        let reason = Some("At most 400,000 characters. Kept 60,000.");
        TextField::single("bad", "Budget").invalid(reason).show(ui, &mut self.bad);
        TextField::multi("composer", "Message", 2, 6).hint("Message").show(ui, &mut self.composer);
        ui.horizontal(|ui| {
            self.radio |= choice::radio(ui, self.radio, "Once", false).clicked();
            self.radio &= !choice::radio(ui, !self.radio, "sqlx *", true).clicked();
            choice::switch(ui, &mut self.on, "Switch");
            choice::check(ui, &mut self.check, "Check");
        });
    }

    fn middle(&mut self, ui: &mut Ui) {
        caption_head(ui, "Engine and state marks");
        let engines = [
            (EngineLook::Claude, "Claude Code"),
            (EngineLook::Codex, "Codex"),
            (EngineLook::Gemini, "Gemini CLI"),
            (EngineLook::OpenCode, "OpenCode"),
            (EngineLook::Local, "Local server"),
            (EngineLook::Demo, "Demo"),
        ];
        for three in engines.chunks(3) {
            ui.horizontal(|ui| {
                for (look, name) in three {
                    engine_mark(ui, *look, 18.0, name);
                    ui.label(Text::Ui.rich(*name, look.color(theme::palette(ui))));
                }
            });
        }
        let states = [
            StateGlyph::Running,
            StateGlyph::NeedsYou,
            StateGlyph::Unread,
            StateGlyph::Done,
            StateGlyph::Failed,
            StateGlyph::Queued,
            StateGlyph::InProgress,
            StateGlyph::Stopped,
            StateGlyph::Idle,
        ];
        for three in states.chunks(3) {
            ui.horizontal(|ui| {
                for state in three {
                    state.show(ui, 12.0);
                    ui.label(Text::Ui.rich(state.word(), theme::palette(ui).text_2));
                }
                user_mark(ui, 18.0, "You");
            });
        }
        caption_head(ui, "Chip");
        ui.horizontal(|ui| {
            Chip::new("Reviewer").show(ui);
            Chip::new("Blind").icon(icon::EYE_SLASH).show(ui);
            Chip::new("Pass").tone(Tone::Success).show(ui);
            Chip::new("Conditional").tone(Tone::Warn).show(ui);
            Chip::new("Fail").tone(Tone::Error).show(ui);
            Chip::new("Needs you").tone(Tone::Needs).show(ui);
            key_hint(ui, "Ctrl K");
        });
        ui.horizontal(|ui| {
            removable_chip(ui, icon::CLIPBOARD_TEXT, "Pasted 15,000 lines", "Remove paste");
            removable_chip(ui, icon::CLOCK, "Queued: run the tests", "Remove from queue");
        });
        caption_head(ui, "Tool fold");
        tools(ui);
        caption_head(ui, "Picker and meter");
        ui.horizontal(|ui| {
            let names =
                ["opus", "sonnet", "haiku", "gpt-5", "gpt-5-mini", "flash", "pro", "local-7b", "local-70b"];
            let label = names.get(self.model).copied().unwrap_or_default();
            let button = picker_button(ui, Lead::Engine(EngineLook::Codex), label, "Model", false);
            let choices: Vec<Choice<'_>> =
                names.iter().map(|label| Choice { label, detail: "a model", ..Choice::default() }).collect();
            self.model = picker_menu(&button, Some(self.model), &choices).unwrap_or(self.model);
            picker_button(ui, Lead::None, "gpt-5.2-codex", "Model", true);
            meter::meter(ui, 0.31, 56.0, Tone::Accent, "Context");
            meter::section_bar(ui, 0.6, 0.05, 90.0, "Files");
        });
        ui.add_space(8.0);
        let rect = ui.available_rect_before_wrap();
        latest_pill(ui, rect.center_top() + vec2(0.0, 16.0), "Latest");
    }

    fn right(ui: &mut Ui) {
        caption_head(ui, "Type");
        let p = theme::palette(ui);
        let steps = [
            (Text::Title, "Title 20 / 28 제목"),
            (Text::Heading, "Heading 16 / 24"),
            (Text::Read, "Reading text 14 / 22, 읽기 본문 漢字 かな"),
            (Text::Ui, "Interface text 13 / 20, 화면 글자"),
            (Text::Small, "Secondary 12 / 18, 보조"),
            (Text::Caption, "Caption 11 / 16, 설명 1,234 567"),
            (Text::Code, "let code = \"Mono 12 / 19\"; // 한글 ─│┐"),
        ];
        for (step, text) in steps {
            ui.label(step.rich(text, p.text_1));
        }
        ui.label(Text::Ui.rich_weighted(Weight::Medium, "Medium 중간 → … ✓ 😀", p.text_2));
        ui.add_space(24.0);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 36.0), egui::Sense::hover());
        ui.painter().rect_filled(rect, 8.0, p.bg_raised);
        let actions = [
            BarAction { action: 0, icon: icon::COPY, name: "Copy" },
            BarAction { action: 1, icon: icon::GIT_BRANCH, name: "Branch" },
            BarAction { action: 2, icon: icon::USERS_THREE, name: "Roundtable from here" },
            BarAction { action: 3, icon: icon::ARROW_CLOCKWISE, name: "Regenerate" },
            BarAction { action: 4, icon: icon::CHECK_SQUARE, name: "Mark as decided" },
            BarAction { action: 5, icon: icon::DOTS_THREE, name: "More" },
        ];
        drop(hover_bar(ui, rect, &actions));
        ui.add_space(8.0);
        request(ui);
        ui.add_space(8.0);
        caption_head(ui, "Status bar");
        Frame::NONE.fill(p.bg_window).inner_margin(Margin::symmetric(12, 0)).show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 14.0;
                let running = StatusLead::State(StateGlyph::Running);
                StatusItem { lead: running, text: "2 running", name: "2 running turns", share: None }
                    .show(ui);
                needs_pill(ui, 1);
                let long = StatusLead::Icon(icon::DATABASE);
                StatusItem { lead: long, text: "1,204 of 3,310 files", name: "Indexing", share: Some(0.36) }
                    .show(ui);
                let engine = StatusLead::Engine(EngineLook::Claude);
                StatusItem { lead: engine, text: "5 h 62 %", name: "Claude limit", share: None }.show(ui);
            });
        });
    }

    fn text(&mut self, ui: &mut Ui) {
        let doc = self.doc.get_or_insert_with(|| StreamDoc::whole(SAMPLE));
        egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            ui.set_max_width(772.0);
            drop(self.markdown.show(ui, doc, Text::Read));
        });
    }

    fn floating(&mut self, ui: &mut Ui) {
        if !self.started {
            self.started = true;
            let notice = |key, icon, tone, title: &str, detail: &str, action: &str| Toast {
                key,
                icon,
                tone,
                title: title.to_owned(),
                detail: detail.to_owned(),
                action: action.to_owned(),
                undo: false,
            };
            let limit = "Codex reached its weekly limit";
            self.toasts.push(notice(
                1,
                icon::CHECK_CIRCLE,
                Tone::Success,
                "Done: Token refresh race",
                "Developer Codex, 58 s",
                "Open",
            ));
            self.toasts.push(notice(
                2,
                icon::WARNING_CIRCLE,
                Tone::Error,
                limit,
                "Resets Thursday 09:00.",
                "Use Claude",
            ));
            self.toasts.push(notice(
                3,
                icon::TRASH,
                Tone::Neutral,
                "Deleted Grace window",
                "14 messages",
                "Undo",
            ));
        }
        let ways = [
            super::empty::Suggestion {
                action: 0,
                icon: icon::FOLDER_OPEN,
                verb: "Open a folder…",
                detail: "Work in a project",
                key: "/open",
            },
            super::empty::Suggestion {
                action: 1,
                icon: icon::FLASK,
                verb: "Try the demo",
                detail: "No account needed",
                key: "/demo",
            },
        ];
        super::empty::empty_state(ui, "What should happen first?", "3 engines found", &ways);
        self.toasts.show(ui.ctx(), 26.0);
        if self.dialog {
            let id = egui::Id::unique("gallery dialog");
            let out = dialog::dialog(
                ui.ctx(),
                id,
                "Delete Grace window in Redis?",
                dialog::Width::Small,
                |ui| {
                    ui.label(
                        Text::Ui.rich("14 messages and 1 branch below it go too.", theme::palette(ui).text_1),
                    )
                },
                |ui| {
                    Button::destructive("Delete branch").show(ui);
                    Button::secondary("Cancel").show(ui);
                },
            );
            self.dialog = !out.close;
        }
    }
}

fn tools(ui: &mut Ui) {
    let row = |name, argument, note, tone, duration, state, open, divider| ToolRow {
        icon: icon::TERMINAL,
        name,
        argument,
        elide: Elide::End,
        note,
        tone,
        duration,
        state,
        open,
        divider,
    };
    tool_group(ui, |ui| {
        row("Thinking", "", "", Tone::Neutral, "4 s", StateGlyph::Done, false, false).show(ui);
        row("Run", "cargo clippy", "", Tone::Neutral, "8.1 s", StateGlyph::Running, false, true).show(ui);
        row("Run", "git push", "Waits for you", Tone::Needs, "", StateGlyph::NeedsYou, false, true).show(ui);
        more_calls(ui, 12);
        row("Run", "cargo test", "exit 101", Tone::Error, "14.2 s", StateGlyph::Failed, true, true).show(ui);
        tool_output(ui, "11 passed, 1 failed", 1, 2_310, true);
    });
}

fn request(ui: &mut Ui) {
    let end = |ui: &mut Ui| {
        IconButton::small(icon::CARET_RIGHT, "Next request").show(ui);
        IconButton::small(icon::CARET_LEFT, "Previous request").show(ui);
        ui.label(Text::Caption.rich("1 of 3", theme::palette(ui).text_2));
    };
    permission::permission_card(ui, "Developer Codex wants to run a command", end, |ui| {
        permission::exact_text(ui, "sqlx migrate run --source migrations");
        choice::radio(ui, true, "sqlx migrate run *", true);
        ui.horizontal(|ui| {
            Button::destructive("Deny").icon(icon::X).key("Esc").show(ui);
            Button::secondary("Always allow").show(ui);
            Button::primary("Allow once").icon(icon::CHECK).show(ui);
        });
    });
}

/// Opens the gallery in a window of its own until it is closed.
///
/// # Errors
/// When no window can be opened.
pub fn run(theme_word: &str, page: u8) -> Result<(), String> {
    let preference = theme::Preference::parse(theme_word).unwrap_or_default();
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default().with_inner_size([1280.0, 800.0]).with_title("Gallery"),
        ..eframe::NativeOptions::default()
    };
    let make: eframe::AppCreator<'_> = Box::new(move |cc| {
        super::install(&cc.egui_ctx, preference);
        Ok(Box::new(Page(Gallery::new(page))))
    });
    eframe::run_native("gallery", options, make).map_err(|error| error.to_string())
}

struct Page(Gallery);

impl eframe::App for Page {
    fn ui(&mut self, ui: &mut Ui, _frame: &mut eframe::Frame) {
        self.0.ui(ui);
    }
}
