//! A unified diff: counts, and the block that shows it.

use egui::{ScrollArea, Ui};

use crate::ui::widgets::markdown::{CodeHead, code_block, diff_counts};

/// Tallest a diff gets before it scrolls, points.
const HEIGHT_MAX: f32 = 460.0;

/// Whether it is a diff, and not the new content of a file that may or may not be there.
fn has_hunks(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("@@ "))
}

/// Added and removed lines, as in `+18 −4`; `12 lines` for new content; empty without either.
#[must_use]
pub fn counts(diff: Option<&str>) -> String {
    diff.map_or_else(String::new, |diff| {
        if !has_hunks(diff) {
            let lines = diff.lines().count();
            return format!("{lines} {}", if lines == 1 { "line" } else { "lines" });
        }
        let (added, removed) = diff_counts(diff);
        format!("+{added} \u{2212}{removed}")
    })
}

/// Draws a diff under its file's name; a high one scrolls in itself.
pub fn view(ui: &mut Ui, salt: impl std::hash::Hash + std::fmt::Debug, title: &str, diff: &str) {
    ui.push_id(("diff", salt), |ui| {
        ScrollArea::vertical().id_salt("diff").max_height(HEIGHT_MAX).auto_shrink([false, true]).show(
            ui,
            |ui| {
                let lang = if has_hunks(diff) { "diff" } else { "" };
                code_block(ui, 0, &CodeHead { lang, info: title }, diff, None);
            },
        );
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_without_the_file_heads() {
        assert_eq!(counts(Some("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n d")), "+2 \u{2212}1");
        assert_eq!(counts(Some("- a list\n- in a new file\n")), "2 lines");
        assert_eq!(counts(None), "");
    }
}
