//! The shorter pages: appearance, context, notifications, project, data.

use egui::Ui;

use crate::api::command::ProjectCommand;
use crate::api::snapshot::DatabaseStatus;
use crate::model::settings::{BUDGET_CHARS_MAX, BUDGET_CHARS_MIN, Settings, ThemeChoice};
use crate::ui::cx::{Request, UiCx};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::Button;
use crate::ui::widgets::choice::{radio, switch};
use crate::ui::widgets::icon;
use crate::ui::widgets::text_field::TextField;
use crate::ui::words;

use super::section;

/// Numbers half typed.
#[derive(Default)]
pub struct Pages {
    budget: NumberField,
    warm: NumberField,
    warm_idle: NumberField,
    timeout: NumberField,
}

/// A number that is taken on Enter or when the field is left, and says why when it is not.
#[derive(Default)]
struct NumberField {
    text: String,
    shown: Option<u32>,
    reason: Option<String>,
}

impl NumberField {
    /// Draws the field; `Some` is a new value within the limits.
    fn ui(&mut self, ui: &mut Ui, name: &str, value: u32, limits: (u32, u32), unit: &str) -> Option<u32> {
        if self.shown != Some(value) {
            self.shown = Some(value);
            self.text = words::thousands(value.into());
            self.reason = None;
        }
        let p = theme::palette(ui);
        let reason = self.reason.clone();
        let mut taken = None;
        ui.horizontal_top(|ui| {
            const WIDTH: f32 = 120.0;
            let field = TextField::single(name, name).width(WIDTH).invalid(reason.as_deref());
            let left = ui.cursor().min;
            let out = ui.allocate_ui(egui::vec2(420.0, 32.0), |ui| {
                ui.vertical(|ui| field.show(ui, &mut self.text)).inner
            });
            let out = out.inner;
            // Beside the field, also while the reason stands below it.
            let spot =
                egui::Rect::from_min_size(left + egui::vec2(WIDTH + 8.0, 0.0), egui::vec2(240.0, 32.0));
            let label = egui::UiBuilder::new()
                .max_rect(spot)
                .layout(egui::Layout::left_to_right(egui::Align::Center));
            ui.new_child(label.id_salt("unit")).label(Text::Ui.rich(unit, p.text_2));
            if out.submitted || out.response.lost_focus() {
                match read(&self.text, limits) {
                    Ok(number) => {
                        taken = Some(number).filter(|number| *number != value);
                        self.shown = taken.is_none().then_some(value);
                        self.text = words::thousands(number.into());
                        self.reason = None;
                    }
                    Err(why) => self.reason = Some(format!("{why} Kept {}.", words::thousands(value.into()))),
                }
            }
        });
        taken
    }
}

fn read(text: &str, (least, most): (u32, u32)) -> Result<u32, String> {
    let digits: String = text.chars().filter(|letter| !matches!(letter, ',' | ' ' | '_' | '.')).collect();
    let number: u32 = digits.parse().map_err(|_error| "A whole number is needed.".to_owned())?;
    if number < least {
        return Err(format!("At least {}.", words::thousands(least.into())));
    }
    if number > most {
        return Err(format!("At most {}.", words::thousands(most.into())));
    }
    Ok(number)
}

/// Steps of the zoom, percent.
pub const ZOOM_STEPS: [u32; 9] = [80, 90, 100, 110, 125, 140, 150, 175, 200];

/// The next zoom step up or down.
#[must_use]
pub fn zoom_step(percent: u32, up: bool) -> u32 {
    let next = if up {
        ZOOM_STEPS.into_iter().find(|step| *step > percent)
    } else {
        ZOOM_STEPS.into_iter().rev().find(|step| *step < percent)
    };
    next.unwrap_or(percent)
}

pub fn appearance(ui: &mut Ui, settings: &mut Settings) {
    section(ui, "Theme", "");
    ui.horizontal_wrapped(|ui| {
        let all = [
            (ThemeChoice::System, "As the system"),
            (ThemeChoice::Light, "Light"),
            (ThemeChoice::Dark, "Dark"),
        ];
        for (choice, label) in all {
            if radio(ui, settings.theme == choice, label, false).clicked() {
                settings.theme = choice;
            }
            ui.add_space(8.0);
        }
    });
    section(ui, "Zoom", "Everything in the window, on top of the system's scale.");
    ui.horizontal_wrapped(|ui| {
        for step in ZOOM_STEPS {
            let label = format!("{step} %");
            if radio(ui, settings.zoom_percent == step, &label, false).clicked() {
                settings.zoom_percent = step;
            }
            ui.add_space(4.0);
        }
    });
    section(ui, "Motion", "");
    switch(ui, &mut settings.reduced_motion, "Reduced motion: rings stand still, nothing travels");
}

impl Pages {
    pub fn context(&mut self, ui: &mut Ui, settings: &mut Settings) {
        let p = theme::palette(ui);
        section(ui, "Budget", "How much context goes along with a message, at most.");
        let limits = (BUDGET_CHARS_MIN, BUDGET_CHARS_MAX);
        if let Some(chars) = self.budget.ui(ui, "Context budget", settings.budget_chars, limits, "characters")
        {
            settings.budget_chars = chars;
        }
        section(
            ui,
            "Engine processes",
            "A process that is kept answers the next turn sooner. Each takes 150 to 600 MB.",
        );
        if let Some(count) =
            self.warm.ui(ui, "Processes kept", settings.warm_seats_max, (0, 32), "kept at most")
        {
            settings.warm_seats_max = count;
        }
        if let Some(secs) =
            self.warm_idle.ui(ui, "Kept for", settings.warm_idle_secs, (10, 86_400), "seconds unused")
        {
            settings.warm_idle_secs = secs;
        }
        section(ui, "Patience", "A turn without any sign of life for so long is called timed out.");
        let timeout = settings.turn_idle_timeout_secs;
        if let Some(secs) = self.timeout.ui(ui, "Idle limit", timeout, (10, 7_200), "seconds") {
            settings.turn_idle_timeout_secs = secs;
        }
        ui.label(Text::Caption.rich("A number is taken with Enter or when its field is left.", p.text_3));
    }
}

pub fn notifications(ui: &mut Ui, settings: &mut Settings) {
    section(
        ui,
        "While the window has no focus, tell me when a turn",
        "One notice a conversation; a click leads there.",
    );
    switch(ui, &mut settings.notify_needs_you, "needs me");
    switch(ui, &mut settings.notify_failed, "failed");
    switch(ui, &mut settings.notify_done, "is done");
}

pub fn project(cx: &UiCx<'_>, ui: &mut Ui) {
    let p = theme::palette(ui);
    let Some(project) = cx.project() else {
        ui.label(Text::Ui.rich("No project is open.", p.text_2));
        return;
    };
    section(ui, &project.name, "");
    ui.horizontal(|ui| {
        let shown = words::path(&project.path, cx.home);
        ui.add(egui::Label::new(Text::Mono.rich(shown, p.text_2)).truncate());
    });
    if Button::secondary("Open the folder").icon(icon::FOLDER_OPEN).show(ui).clicked() {
        cx.ask(Request::Open(project.path.display().to_string()));
    }
    section(ui, "Permissions", "Agents ask before they run or change something, where the engine can ask.");
    let mut on = project.skip_permissions;
    if switch(ui, &mut on, "Skip permissions in this project").changed() {
        cx.send(ProjectCommand::SetSkipPermissions { project: project.id, on });
    }
    let text = "While this is on, agents in this project act without asking. The header says so.";
    ui.add(egui::Label::new(Text::Small.rich(text, if on { p.warn } else { p.text_3 })).wrap());
    section(
        ui,
        "Remove",
        "Forgets the project and its conversations here. The folder on disk is not touched.",
    );
    let count = cx.snap.conversations.len() as u64;
    let label =
        format!("Remove {} and {}", project.name, words::plural(count, "conversation", "conversations"));
    let armed = egui::Id::unique(("remove project", project.id.0));
    let is_armed = ui.data(|data| data.get_temp::<bool>(armed)).unwrap_or(false);
    if !is_armed {
        if Button::destructive("Remove from tunaflow…").icon(icon::TRASH).show(ui).clicked() {
            ui.data_mut(|data| data.insert_temp(armed, true));
        }
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let yes = Button::destructive(&label).icon(icon::TRASH).show(ui).clicked();
        let no = Button::quiet("Cancel").show(ui).clicked();
        if yes {
            cx.send(ProjectCommand::Remove { project: project.id });
        }
        if yes || no {
            ui.data_mut(|data| data.remove::<bool>(armed));
        }
    });
}

pub fn data(cx: &UiCx<'_>, ui: &mut Ui) {
    let p = theme::palette(ui);
    let folder = cx.snap.app.data_dir.display().to_string();
    section(ui, "Folder", "Conversations, settings and backups lie here.");
    ui.add(egui::Label::new(Text::Mono.rich(words::path(&cx.snap.app.data_dir, cx.home), p.text_2)).wrap());
    ui.horizontal(|ui| {
        if Button::secondary("Open the folder").icon(icon::FOLDER_OPEN).show(ui).clicked() {
            cx.ask(Request::Open(folder.clone()));
        }
        if Button::quiet("Copy the path").show(ui).clicked() {
            cx.ask(Request::Copy { text: folder.clone(), what: "The path" });
        }
    });
    section(ui, "Database", "");
    let (text, color) = match &cx.snap.app.database {
        DatabaseStatus::Ok => ("In order.".to_owned(), p.text_2),
        DatabaseStatus::Damaged { why, .. } => (format!("Damaged: {why}"), p.error),
        DatabaseStatus::WritesFail { why } => (format!("Cannot be written: {why}"), p.warn),
    };
    ui.add(egui::Label::new(Text::Ui.rich(text, color)).wrap());
    section(ui, "Version", "");
    ui.label(Text::Ui.rich(format!("tunaflow {}", cx.snap.app.version), p.text_2));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_within_limits_and_say_why_not() {
        let limits = (BUDGET_CHARS_MIN, BUDGET_CHARS_MAX);
        assert_eq!(read("60,000", limits), Ok(60_000));
        assert_eq!(read("400001", limits), Err("At most 400,000.".into()));
        assert_eq!(read("1", limits), Err("At least 20,000.".into()));
        assert_eq!(read("many", limits), Err("A whole number is needed.".into()));
    }
}
