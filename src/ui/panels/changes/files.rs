//! The list of changed files.

use egui::{Color32, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::model::git::{ChangeKind, ChangedFile, Changes, GitPath};
use crate::ui::regions::{self, Region};
use crate::ui::theme::{self, CLEAR, Palette, Text, Weight};
use crate::ui::widgets::paint::{self, Ring};
use crate::ui::words;

/// Height of a row, points.
const ROW: f32 = 30.0;

/// What of the list is view state.
#[derive(Default)]
pub struct FileList {
    reveal: bool,
}

impl FileList {
    /// Brings the chosen file into view in the next frame.
    pub fn reveal(&mut self) {
        self.reveal = true;
    }

    /// Draws it; returns the file that was pressed.
    pub fn show(&mut self, ui: &mut Ui, changes: &Changes, chosen: Option<&GitPath>) -> Option<GitPath> {
        let p = theme::palette(ui);
        let place = changes.files.iter().position(|file| Some(&file.path) == chosen);
        let mut area = ScrollArea::vertical().id_salt("files").auto_shrink(false);
        if std::mem::take(&mut self.reveal)
            && let Some(place) = place
        {
            #[expect(clippy::cast_precision_loss, reason = "a count of rows")]
            let top = place as f32 * ROW;
            area = area.vertical_scroll_offset((top - ui.available_height() / 2.0).max(0.0));
        }
        ui.add_space(6.0);
        let extra = usize::from(changes.more_files > 0);
        let mut pressed = None;
        area.show_rows(ui, ROW, changes.files.len() + extra, |ui, range| {
            for at in range {
                let Some(file) = changes.files.get(at) else {
                    let text = format!("{} more are not listed", words::thousands(changes.more_files));
                    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
                    paint::left(
                        ui,
                        rect,
                        rect.left() + 16.0,
                        paint::line(ui, &text, Text::Small.format(p.text_3), rect.width() - 32.0),
                    );
                    continue;
                };
                if row(ui, file, Some(at) == place) {
                    pressed = Some(file.path.clone());
                }
            }
        });
        pressed
    }
}

/// What stands before the name.
fn letter(kind: ChangeKind, p: &Palette) -> (&'static str, Color32) {
    match kind {
        ChangeKind::Added => ("A", p.success),
        ChangeKind::Modified => ("M", p.warn),
        ChangeKind::Deleted => ("D", p.error),
        ChangeKind::Renamed => ("R", p.accent),
        ChangeKind::Copied => ("C", p.accent),
        ChangeKind::TypeChanged => ("T", p.warn),
        ChangeKind::Untracked => ("U", p.success),
        ChangeKind::Conflict => ("!", p.error),
    }
}

/// `src/a.rs, modified, 3 added, 1 removed`.
fn said(file: &ChangedFile) -> String {
    let mut words = vec![file.path.shown(), file.kind.word().to_owned()];
    if let Some(old) = &file.old_path {
        words.push(format!("from {}", old.shown()));
    }
    if file.submodule {
        words.push("submodule".to_owned());
    }
    if file.binary {
        words.push("binary".to_owned());
    }
    if let (Some(added), Some(removed)) = (file.added, file.removed) {
        words.push(format!("{added} added, {removed} removed"));
    }
    if let Some((old, new)) = &file.mode {
        words.push(format!("mode {old} to {new}"));
    }
    if file.kind != ChangeKind::Untracked {
        match (file.staged, file.unstaged) {
            (true, true) => words.push("partly staged".to_owned()),
            (true, false) => words.push("staged".to_owned()),
            (false, true) => words.push("not staged".to_owned()),
            (false, false) => words.push("committed".to_owned()),
        }
    }
    words.join(", ")
}

fn row(ui: &mut Ui, file: &ChangedFile, is_chosen: bool) -> bool {
    let p = theme::palette(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
    let said = said(file);
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_chosen, &said));
    let ground = rect.shrink2(vec2(6.0, 1.0));
    let radius = theme::sizes().radius.control;
    let fill = if is_chosen {
        p.bg_selected
    } else if response.is_pointer_button_down_on() {
        p.bg_pressed
    } else if response.hovered() {
        p.bg_hover
    } else {
        CLEAR
    };
    ui.painter().rect_filled(ground, radius, fill);
    if is_chosen {
        regions::mark(ui.ctx(), Region::Content, response.id);
    }
    let (sign, color) = letter(file.kind, p);
    let galley = paint::line(ui, sign, Text::MonoSmall.format_weighted(Weight::Semibold, color), 20.0);
    paint::left(ui, rect, rect.left() + 16.0, galley);
    let end = row_end(ui, rect.shrink2(vec2(14.0, 0.0)), file);
    let start = rect.left() + 34.0;
    let shown = file.path.shown();
    let (folder, name) = shown.rsplit_once('/').map_or(("", shown.as_str()), |(folder, name)| (folder, name));
    let struck = file.kind == ChangeKind::Deleted;
    // Too weak on the ground of a pressed row.
    let faint = if response.is_pointer_button_down_on() { p.text_2 } else { p.text_3 };
    let color = if struck { faint } else { p.text_1 };
    let room = (end - start - 8.0).max(20.0);
    let next = paint::left(ui, rect, start, paint::line(ui, name, Text::Ui.format(color), room)) + 8.0;
    let from = file.old_path.as_ref().map(|old| format!("← {}", old.shown()));
    let beside = from.as_deref().unwrap_or(folder);
    if !beside.is_empty() && end - next > 30.0 {
        let galley = paint::line_middle(ui, beside, &Text::Small.format(faint), end - next - 8.0);
        paint::left(ui, rect, next, galley);
    }
    paint::focus_ring(ui, &response, ground, radius, Ring::Inside);
    response.on_hover_text(said).clicked()
}

/// Counts, or why there are none; returns where they begin.
fn row_end(ui: &Ui, rect: Rect, file: &ChangedFile) -> f32 {
    let p = theme::palette(ui);
    let word = if file.submodule {
        Some("submodule")
    } else if file.binary {
        Some("binary")
    } else if file.kind == ChangeKind::Conflict {
        Some("conflict")
    } else {
        None
    };
    if let Some(word) = word {
        return paint::right(
            ui,
            rect,
            rect.right(),
            paint::line(ui, word, Text::Caption.format(p.text_3), 80.0),
        );
    }
    let mut end = rect.right();
    for (count, sign, color) in [(file.removed, '\u{2212}', p.diff_del), (file.added, '+', p.diff_add)] {
        if let Some(count) = count.filter(|count| *count > 0) {
            let text = format!("{sign}{}", words::thousands(count));
            end = paint::right(ui, rect, end, paint::line(ui, &text, Text::MonoSmall.format(color), 90.0))
                - 6.0;
        }
    }
    if end > rect.right() - 1.0 && file.mode.is_some() {
        return paint::right(
            ui,
            rect,
            rect.right(),
            paint::line(ui, "mode", Text::Caption.format(p.text_3), 80.0),
        );
    }
    end
}

/// `+12 −3`, in the colours of both.
pub fn counts(ui: &mut Ui, added: u64, removed: u64) {
    let p = theme::palette(ui);
    let plus =
        paint::line(ui, &format!("+{}", words::thousands(added)), Text::MonoSmall.format(p.diff_add), 120.0);
    let minus = paint::line(
        ui,
        &format!("\u{2212}{}", words::thousands(removed)),
        Text::MonoSmall.format(p.diff_del),
        120.0,
    );
    let width = plus.size().x + 6.0 + minus.size().x;
    let (rect, response) = ui.allocate_exact_size(vec2(width, 24.0), Sense::hover());
    let said = format!("{added} lines added, {removed} removed");
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &said));
    let next = paint::left(ui, rect, rect.left(), plus) + 6.0;
    paint::left(ui, Rect::from_min_max(pos2(next, rect.top()), rect.max), next, minus);
}
