//! The strip across the top while the database is damaged or cannot be written.

use egui::{Frame, Margin, Ui};

use crate::api::command::AppCommand;
use crate::api::snapshot::DatabaseStatus;
use crate::ui::cx::{Request, UiCx};
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::Button;
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;

/// Draws the strip; nothing while all is well.
pub fn banner(cx: &UiCx<'_>, ui: &mut Ui) {
    let p = theme::palette(ui);
    let (title, why, backups, tint, color) = match &cx.snap.app.database {
        DatabaseStatus::Ok => return,
        DatabaseStatus::Damaged { why, backups } => (
            "The database is damaged. It is shown, and nothing is written to it.",
            why,
            backups.as_slice(),
            p.error_tint,
            p.error,
        ),
        DatabaseStatus::WritesFail { why } => (
            "Changes cannot be saved now. They stay here and are tried again.",
            why,
            &[][..],
            p.warn_tint,
            p.warn,
        ),
    };
    Frame::NONE.fill(tint).inner_margin(Margin::symmetric(12, 6)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal_wrapped(|ui| {
            let (spot, _) = ui.allocate_exact_size(egui::vec2(16.0, 20.0), egui::Sense::hover());
            paint::icon(ui, spot.center(), icon::WARNING_CIRCLE, 15.0, color);
            ui.label(Text::Ui.rich_weighted(Weight::Medium, title, p.text_1));
            ui.label(Text::Small.rich(why, p.text_2));
            if backups.is_empty() {
                return;
            }
            let button = Button::secondary("Restore a backup…").show(ui);
            menu::menu(&button, 420.0, |ui| {
                menu::head(ui, "The damaged file is kept beside it");
                for backup in backups {
                    let name = backup.file_name().map_or_else(
                        || backup.display().to_string(),
                        |name| name.to_string_lossy().into_owned(),
                    );
                    if MenuRow::new(icon::DATABASE, &name).show(ui).clicked() {
                        cx.send(AppCommand::RestoreBackup { path: backup.clone() });
                    }
                }
            });
            if Button::quiet("Open data folder").show(ui).clicked() {
                cx.ask(Request::Open(cx.snap.app.data_dir.display().to_string()));
            }
        });
    });
}
