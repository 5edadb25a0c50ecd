//! Who answers: profile, engine, role, model, persona and context mode.

use egui::Ui;

use crate::api::command::{ChatCommand, SettingsCommand};
use crate::api::snapshot::{ConversationView, EngineRow};
use crate::model::engine::Availability;

use crate::model::project::SeatChoice;
use crate::model::settings::{PROFILE_NAME_CHARS_MAX, Profile};
use crate::ui::action::UiAction;
use crate::ui::cx::{self, UiCx};
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::panels::seat::{MODES_WIDTH, by_hand, mode_rows, mode_words, words_of};
use crate::ui::route::SettingsPage;
use crate::ui::theme::{Text, Weight};
use crate::ui::widgets::paint;
use crate::ui::widgets::picker::{Choice, Lead, choice_row, picker_button};
use crate::ui::widgets::text_field::TextField;

/// What is half typed in a picker.
#[derive(Default)]
pub struct Pickers {
    model: String,
    persona: Option<String>,
    profile: String,
}

/// A picker without its label and with the gap after it, points.
const PICKER: f32 = 34.0;
/// An engine's mark in a picker, points.
const MARK: f32 = 22.0;

impl Pickers {
    /// Draws the pickers that have room.
    pub fn show(&mut self, cx: &UiCx<'_>, ui: &mut Ui, view: &ConversationView) {
        let room = ui.available_width();
        let seat = &view.row.conversation.seat;
        let conversation = view.row.conversation.id;
        let mut changed: Option<SeatChoice> = None;
        let look = cx.look(&seat.engine);
        let name = shown_name(cx, seat);
        let model = seat.model.as_deref().unwrap_or("Default model");
        let mode = mode_words(seat.mode);
        let width =
            |label: &str, step: Text| paint::width(ui, label, step, Weight::Regular).min(200.0) + PICKER;
        let taken = width(&name, Text::Small) + MARK + width(model, Text::MonoSmall);
        let with_model = room >= taken;
        let with_mode = room >= taken + width(mode, Text::Small);
        let button = picker_button(ui, Lead::Engine(look), &name, "Who answers", false);
        if let Some(seat) = menu::sheet(&button, 300.0, |ui| self.who(cx, ui, seat, !with_model)).flatten() {
            changed = Some(seat);
        }
        if with_model {
            let button = picker_button(ui, Lead::None, model, "Model", true);
            if let Some(seat) = menu::sheet(&button, 260.0, |ui| self.models(cx, ui, seat)).flatten() {
                changed = Some(seat);
            }
        }
        if with_mode {
            let button = picker_button(ui, Lead::None, mode, "Context mode", false);
            changed = menu::menu(&button, MODES_WIDTH, |ui| mode_rows(ui, seat)).flatten().or(changed);
        }
        if let Some(seat) = changed.filter(|changed| changed != seat) {
            cx.send(ChatCommand::SetSeat { conversation, seat });
        }
    }

    fn who(&mut self, cx: &UiCx<'_>, ui: &mut Ui, seat: &SeatChoice, with_model: bool) -> Option<SeatChoice> {
        // Higher than the window it scrolls; the composer stands at the bottom.
        let height = (ui.ctx().content_rect().height() - 130.0).max(160.0);
        egui::ScrollArea::vertical()
            .id_salt("who answers")
            .max_height(height)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                ui.set_width(ui.available_width());
                self.who_rows(cx, ui, seat, with_model)
            })
            .inner
    }

    fn who_rows(
        &mut self,
        cx: &UiCx<'_>,
        ui: &mut Ui,
        seat: &SeatChoice,
        with_model: bool,
    ) -> Option<SeatChoice> {
        let mut chosen = self.profiles(cx, ui, seat);
        menu::head(ui, "Engine");
        for row in cx.snap.engines.iter() {
            let here = row.info.id == seat.engine;
            let why = why_not(row);
            let choice = Choice {
                lead: Lead::Engine(cx::look(row.info.look)),
                label: &row.info.name,
                detail: why.as_deref().or(row.status.version.as_deref()).unwrap_or(""),
                key: "",
                disabled: why.as_deref(),
            };
            if choice_row(ui, &choice, &[], false, here).clicked() && !here && why.is_none() {
                let engine = row.info.id.clone();
                let model = cx.snap.settings.engines.get(&engine).and_then(|settings| settings.model.clone());
                chosen = Some(by_hand(SeatChoice { engine, model, ..seat.clone() }));
                ui.close();
            }
        }
        menu::divider(ui);
        menu::head(ui, "Role");
        if choice_row(ui, &plain("No role"), &[], false, seat.role.is_none()).clicked() {
            chosen = Some(by_hand(SeatChoice { role: None, ..seat.clone() }));
            ui.close();
        }
        for role in cx.snap.roles.iter() {
            let here = seat.role.as_ref() == Some(role);
            if choice_row(ui, &plain(role), &[], false, here).clicked() {
                chosen = Some(by_hand(SeatChoice { role: Some(role.clone()), ..seat.clone() }));
                ui.close();
            }
        }
        menu::divider(ui);
        chosen = self.persona(cx, ui, seat).or(chosen);
        if with_model {
            menu::divider(ui);
            chosen = self.models(cx, ui, seat).or(chosen);
        }
        chosen
    }

    /// Profiles, and a field that keeps the seat as it is under a name.
    fn profiles(&mut self, cx: &UiCx<'_>, ui: &mut Ui, seat: &SeatChoice) -> Option<SeatChoice> {
        let mut chosen = None;
        let all = &cx.snap.settings.profiles;
        menu::head(ui, "Profile");
        for profile in all {
            let its = profile.seat();
            let row = cx.engine(&profile.engine);
            let why = row.map_or_else(|| Some("Its engine is not there".to_owned()), |row| why_not(row));
            let words = words_of(cx, &its);
            let choice = Choice {
                lead: Lead::Engine(cx.look(&profile.engine)),
                label: &profile.name,
                detail: why.as_deref().unwrap_or(&words),
                disabled: why.as_deref(),
                ..Choice::default()
            };
            if choice_row(ui, &choice, &[], false, *seat == its).clicked() && why.is_none() {
                chosen = Some(its);
                ui.close();
            }
        }
        if !all.iter().any(|profile| profile.seat() == by_name(seat, &profile.name)) {
            chosen = self.keep_seat(cx, ui, seat).or(chosen);
        }
        if MenuRow::new(crate::ui::widgets::icon::USERS, "Profiles…").show(ui).clicked() {
            cx.act(UiAction::Settings(SettingsPage::Profiles));
            ui.close();
        }
        menu::divider(ui);
        chosen
    }

    fn keep_seat(&mut self, cx: &UiCx<'_>, ui: &mut Ui, seat: &SeatChoice) -> Option<SeatChoice> {
        let all = &cx.snap.settings.profiles;
        let mut chosen = None;
        let field = TextField::single(("profile of seat", cx.desk), "Keep this seat as a profile")
            .hint("Keep this seat as… Enter takes the name")
            .max_chars(PROFILE_NAME_CHARS_MAX);
        let out = field.show(ui, &mut self.profile);
        let name = self.profile.trim().to_owned();
        let taken = all.iter().any(|profile| profile.is_named(&name));
        if taken && !name.is_empty() {
            let p = crate::ui::theme::palette(ui);
            ui.label(Text::Caption.rich("A profile of this name is there already.", p.warn));
        }
        if out.submitted && !name.is_empty() && !taken {
            self.profile.clear();
            let mut settings = (*cx.snap.settings).clone();
            settings.profiles.push(profile_of(seat, name.clone()));
            cx.send(SettingsCommand::Set(Box::new(settings)));
            chosen = Some(by_name(seat, &name));
            ui.close();
        }
        chosen
    }

    fn persona(&mut self, cx: &UiCx<'_>, ui: &mut Ui, seat: &SeatChoice) -> Option<SeatChoice> {
        menu::head(ui, "Persona");
        let known = &cx.snap.personas;
        let mut picked = None;
        if !known.is_empty() {
            if choice_row(ui, &plain("Neutral"), &[], false, seat.persona.is_none()).clicked() {
                picked = Some(None);
            }
            for name in known.iter() {
                if choice_row(ui, &plain(name), &[], false, seat.persona.as_ref() == Some(name)).clicked() {
                    picked = Some(Some(name.clone()));
                }
            }
            ui.add_space(4.0);
        }
        if let Some(persona) = picked {
            self.persona = None;
            ui.close();
            return Some(by_hand(SeatChoice { persona, ..seat.clone() }));
        }
        let text = self.persona.get_or_insert_with(|| seat.persona.clone().unwrap_or_default());
        let field = TextField::single(("persona", cx.desk), "Persona")
            .hint("Neutral. Enter takes it.")
            .max_chars(500);
        let submitted = field.show(ui, text).submitted;
        if !submitted {
            return None;
        }
        let persona = Some(text.trim().to_owned()).filter(|persona| !persona.is_empty());
        self.persona = None;
        ui.close();
        Some(by_hand(SeatChoice { persona, ..seat.clone() }))
    }

    fn models(&mut self, cx: &UiCx<'_>, ui: &mut Ui, seat: &SeatChoice) -> Option<SeatChoice> {
        let mut chosen = None;
        menu::head(ui, "Model");
        if choice_row(ui, &plain("Default model"), &[], false, seat.model.is_none()).clicked() {
            chosen = Some(None);
        }
        let row = cx.engine(&seat.engine);
        let told =
            row.map(|row| if row.status.models.is_empty() { &row.info.models } else { &row.status.models });
        egui::ScrollArea::vertical().id_salt("models").max_height(220.0).auto_shrink([false, true]).show(
            ui,
            |ui| {
                for model in told.into_iter().flatten() {
                    let here = seat.model.as_ref() == Some(model);
                    if choice_row(ui, &plain(model), &[], false, here).clicked() {
                        chosen = Some(Some(model.clone()));
                    }
                }
            },
        );
        ui.add_space(4.0);
        let field = TextField::single(("free model", cx.desk), "Other model")
            .hint("Other model, Enter takes it")
            .step(Text::Mono);
        let out = field.max_chars(200).show(ui, &mut self.model);
        if out.submitted && !self.model.trim().is_empty() {
            chosen = Some(Some(self.model.trim().to_owned()));
            self.model.clear();
        }
        let model = chosen?;
        ui.close();
        Some(by_hand(SeatChoice { model, ..seat.clone() }))
    }
}

fn plain(label: &str) -> Choice<'_> {
    Choice { label, ..Choice::default() }
}

/// The name in the composer: the profile's while the seat is as it says, else the engine's with its role.
fn shown_name(cx: &UiCx<'_>, seat: &SeatChoice) -> String {
    let profiles = cx.snap.settings.profiles.iter();
    let name = seat.profile.as_ref().filter(|_| profiles.clone().any(|profile| profile.seat() == *seat));
    name.cloned().unwrap_or_else(|| cx.seat_name(seat))
}

fn by_name(seat: &SeatChoice, name: &str) -> SeatChoice {
    SeatChoice { profile: Some(name.to_owned()), ..seat.clone() }
}

fn profile_of(seat: &SeatChoice, name: String) -> Profile {
    let seat = seat.clone();
    Profile {
        name,
        engine: seat.engine,
        model: seat.model,
        role: seat.role,
        persona: seat.persona,
        mode: seat.mode,
        supply: seat.supply,
    }
}

/// Why an engine cannot be asked now; `None` when it can.
#[must_use]
pub fn why_not(row: &EngineRow) -> Option<String> {
    match &row.status.availability {
        Availability::Ready => None,
        Availability::Checking => Some("Checking".into()),
        Availability::NotLoggedIn => Some("Not logged in".into()),
        Availability::NotInstalled { .. } => Some("Not installed".into()),
        Availability::Broken { why } => Some(why.clone()),
    }
}
