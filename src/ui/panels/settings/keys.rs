//! Keys: every command with its keys, changed by pressing others.

mod recorder;
mod row;

use std::sync::Arc;

use egui::{Context, ScrollArea, Ui, vec2};

use crate::model::settings::{KeyOverrides, Settings};
use crate::ui::action::{Group, UiAction};
use crate::ui::cx::UiCx;
use crate::ui::keys::{KeyMap, Platform, Problem, edit};
use crate::ui::panels::key_sheet;
use crate::ui::regions::{self, Region};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::button::text_button;
use crate::ui::widgets::choice::radio;
use crate::ui::widgets::icon;
use crate::ui::widgets::row::caption_head;
use crate::ui::widgets::tabs::{Tab, tabs};
use crate::ui::widgets::text_field::{TextField, search};
use crate::ui::widgets::{Button, paint};
use crate::ui::words;

use recorder::Recorder;

use super::{PAGE_MAX, section};

/// What the page shows and what it waits for.
#[derive(Default)]
pub struct KeysPage {
    query: String,
    filter: Filter,
    recorder: Recorder,
    /// "Reset all" was pressed once.
    armed: bool,
    /// The map of the choices as they stand on the page.
    map: Option<(KeyOverrides, Arc<KeyMap>)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Filter {
    #[default]
    All,
    Changed,
    Conflicts,
}

/// What the user did in the table.
enum Wish {
    /// Waits for the key in place of the one at the slot, or for one more.
    Record {
        action: UiAction,
        slot: Option<usize>,
        by_keyboard: bool,
    },
    Reset(UiAction),
}

/// Room left free at the right of the page, points.
const RIGHT: f32 = 24.0;
/// Height below which the head scrolls with the table, points.
const LOW: f32 = 320.0;

impl KeysPage {
    /// See `SettingsPanel::listen`.
    pub fn listen(&mut self, ctx: &Context, platform: Platform) -> bool {
        self.recorder.listen(ctx, platform)
    }

    /// Esc: takes back what was begun. `false` when nothing was.
    pub fn escape(&mut self) -> bool {
        let was = self.recorder.cancel() || std::mem::take(&mut self.armed);
        if was || self.query.is_empty() {
            return was;
        }
        self.query.clear();
        true
    }

    pub fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui, settings: &mut Settings) {
        let map = self.map(&settings.keys, cx.keys.platform);
        self.recorder.take_heard(ui.ctx(), &map, &mut settings.keys);
        let map = self.map(&settings.keys, cx.keys.platform);
        let width = (ui.available_width() - RIGHT).clamp(200.0, PAGE_MAX);
        let low = ui.available_height() < LOW;
        if !low {
            self.fixed_head(ui, width, &map, settings);
        }
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical().id_salt("keys table").auto_shrink(false).show(ui, |ui| {
            ui.set_width(width);
            if low {
                self.fixed_head(ui, width, &map, settings);
            }
            self.table(cx, ui, &map, settings);
            ui.add_space(20.0);
        });
    }

    /// The head with a line below it.
    fn fixed_head(&mut self, ui: &mut Ui, width: f32, map: &KeyMap, settings: &mut Settings) {
        ui.scope(|ui| {
            ui.set_max_width(width);
            ui.spacing_mut().item_spacing.y = theme::sizes().space.s3;
            self.head(ui, map, settings);
        });
        ui.add_space(2.0);
        let edge = egui::Stroke::new(theme::sizes().stroke.line, theme::palette(ui).stroke_subtle);
        let (line, _) = ui.allocate_exact_size(vec2(width, 1.0), egui::Sense::hover());
        ui.painter().hline(line.x_range(), line.center().y, edge);
    }

    fn map(&mut self, chosen: &KeyOverrides, platform: Platform) -> Arc<KeyMap> {
        match &self.map {
            Some((of, map)) if of == chosen => Arc::clone(map),
            _ => {
                let map = Arc::new(KeyMap::of(chosen, platform));
                self.map = Some((chosen.clone(), Arc::clone(&map)));
                map
            }
        }
    }

    fn head(&mut self, ui: &mut Ui, map: &KeyMap, settings: &mut Settings) {
        let p = theme::palette(ui);
        let text = "Choose a key to press another in its place, + for one more. In use at once.";
        ui.add(egui::Label::new(Text::Ui.rich(text, p.text_2)).wrap());
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            let field = TextField::single("find keys", "Find a command or a key");
            regions::mark(ui.ctx(), Region::Content, field.id());
            let width = (ui.available_width() - 320.0).clamp(160.0, 320.0);
            ui.allocate_ui(vec2(width, 32.0), |ui| {
                ui.set_max_width(width);
                search(ui, field.hint("Command or key"), &mut self.query);
            });
            ui.add_space(4.0);
            let (changed, conflicts) = (map.changed(), map.conflicts().count());
            let count = |number: usize| if number == 0 { String::new() } else { number.to_string() };
            let (changed, conflicts) = (count(changed), count(conflicts));
            let all = [
                Tab { value: Filter::All, label: "All", note: "" },
                Tab { value: Filter::Changed, label: "Changed", note: &changed },
                Tab { value: Filter::Conflicts, label: "Conflicts", note: &conflicts },
            ];
            if let Some(filter) = tabs(ui, &all, self.filter) {
                self.filter = filter;
            }
        });
        self.facts(ui, map, settings);
        if !map.unread.is_empty() {
            unread(ui, map, settings);
        }
    }

    /// What is out of the ordinary, with the way back.
    fn facts(&mut self, ui: &mut Ui, map: &KeyMap, settings: &mut Settings) {
        let p = theme::palette(ui);
        let (changed, conflicts) = (map.changed(), map.conflicts().count());
        if changed == 0 {
            self.armed = false;
        }
        if changed == 0 && conflicts == 0 {
            return;
        }
        ui.horizontal(|ui| {
            ui.set_min_height(theme::sizes().control.button);
            if conflicts > 0 {
                let (spot, _) = ui.allocate_exact_size(vec2(14.0, 20.0), egui::Sense::hover());
                paint::icon(ui, spot.center(), icon::WARNING, 14.0, p.warn);
                let text = words::plural(conflicts as u64, "conflict", "conflicts");
                ui.label(Text::Ui.rich(format!("{text}: a key there does not run its command"), p.warn));
            } else {
                let text = words::plural(changed as u64, "command has", "commands have");
                ui.label(Text::Ui.rich(format!("{text} other keys"), p.text_2));
            }
            if changed == 0 {
                return;
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if !self.armed {
                    self.armed = Button::quiet("Reset all…").show(ui).clicked();
                    return;
                }
                let cancel = Button::quiet("Cancel").show(ui).clicked();
                let label = format!("Reset {}", words::plural(changed as u64, "command", "commands"));
                let reset = Button::destructive(&label).show(ui).clicked();
                if reset {
                    self.recorder.cancel();
                    edit::reset_all(&mut settings.keys);
                }
                self.armed = !(cancel || reset);
            });
        });
    }

    fn table(&mut self, cx: &UiCx<'_>, ui: &mut Ui, map: &KeyMap, settings: &mut Settings) {
        let p = theme::palette(ui);
        let mut found = false;
        if self.filter == Filter::All && (self.query.trim().is_empty() || finds("enter send", &self.query)) {
            found = true;
            enter(cx, ui, settings);
        }
        let mut wish = None;
        for group in Group::ALL {
            let rows = map.rows.iter().filter(|row| row.action.info().group == group);
            let rows: Vec<_> = rows.filter(|row| self.is_shown(map, row.action)).collect();
            if rows.is_empty() {
                continue;
            }
            found = true;
            ui.add_space(14.0);
            caption_head(ui, group.label());
            ui.add_space(2.0);
            for row in rows {
                if self.recorder.records(row.action) {
                    self.recorder.ui(ui, map, row, &mut settings.keys);
                } else if let Some(done) = row::show(ui, map, row) {
                    wish = Some(done);
                }
            }
        }
        self.recorder.end_frame();
        if self.filter == Filter::All {
            let rows = key_sheet::places(cx);
            let rows: Vec<_> = rows
                .iter()
                .filter(|(text, keys)| finds(text, &self.query) || finds_key(keys, &self.query))
                .collect();
            if !rows.is_empty() {
                found = true;
                ui.add_space(14.0);
                caption_head(ui, "Fixed");
                ui.add_space(2.0);
                rows.iter().for_each(|(text, keys)| key_sheet::row(ui, text, keys));
            }
        }
        if !found {
            ui.add_space(24.0);
            let text = match self.filter {
                _ if !self.query.trim().is_empty() => "No command and no key like this.",
                Filter::Conflicts => "No conflicts. Every key runs its command.",
                Filter::Changed | Filter::All => "Every command has the keys it comes with.",
            };
            ui.label(Text::Ui.rich(text, p.text_3));
        }
        match wish {
            Some(Wish::Record { action, slot, by_keyboard }) => {
                self.recorder.start(action, slot, by_keyboard);
                ui.ctx().request_repaint();
            }
            Some(Wish::Reset(action)) => edit::reset(&mut settings.keys, action),
            None => {}
        }
    }

    fn is_shown(&self, map: &KeyMap, action: UiAction) -> bool {
        if self.recorder.records(action) {
            return true;
        }
        let Some(row) = map.row(action) else { return false };
        let kept = match self.filter {
            Filter::All => true,
            Filter::Changed => row.changed,
            Filter::Conflicts => map
                .conflicts()
                .any(|(loser, held)| loser == action || held.problem == Some(Problem::Taken(action))),
        };
        let mut keys = row.chords.iter().map(|held| held.chord.shown(map.platform));
        kept && (finds(&action.info().text, &self.query) || keys.any(|keys| finds_key(&keys, &self.query)))
    }
}

/// What Enter does in a message.
fn enter(cx: &UiCx<'_>, ui: &mut Ui, settings: &mut Settings) {
    let text = format!("{} Enter sends in either case.", cx.keys.platform.command());
    section(ui, "Enter in a message", &text);
    ui.horizontal_wrapped(|ui| {
        if radio(ui, settings.enter_sends, "Enter sends, Shift Enter breaks the line", false).clicked() {
            settings.enter_sends = true;
        }
        ui.add_space(8.0);
        if radio(ui, !settings.enter_sends, "Enter breaks the line, Shift Enter sends", false).clicked() {
            settings.enter_sends = false;
        }
    });
}

/// What is stored and not understood.
fn unread(ui: &mut Ui, map: &KeyMap, settings: &mut Settings) {
    let p = theme::palette(ui);
    let all: Vec<String> =
        map.unread.iter().take(3).map(|unread| format!("{}: {}", unread.name, unread.why)).collect();
    let more = match map.unread.len().saturating_sub(3) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let text = format!("Stored and not used: {}{more}.", all.join("; "));
    ui.horizontal_wrapped(|ui| {
        ui.add(egui::Label::new(Text::Small.rich(text, p.warn)).wrap());
        if text_button(ui, "Forget these").clicked() {
            edit::forget_unread(&mut settings.keys, map);
        }
    });
}

/// Whether every word of the query stands in a text.
fn finds(text: &str, query: &str) -> bool {
    let text = text.to_lowercase();
    query.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// Whether the query names keys: `ctrl+k`, `shift i`, `f8`.
fn finds_key(keys: &str, query: &str) -> bool {
    let query: String =
        query.to_lowercase().replace('+', " ").split_whitespace().map(|word| format!(" {word}")).collect();
    !query.is_empty() && format!(" {}", keys.to_lowercase()).contains(&query)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_by_words_and_keys() {
        for (query, by_name, by_key) in [
            ("", true, false),
            ("newest", true, false),
            ("MESSAGE new", true, false),
            ("old", false, false),
            ("ctrl+shift", false, true),
            ("Shift L", false, true),
            ("ctrl l", false, false),
        ] {
            assert_eq!(finds("Newest message", query), by_name, "{query}");
            assert_eq!(finds_key("Ctrl Shift L", query), by_key, "{query}");
        }
    }
}
