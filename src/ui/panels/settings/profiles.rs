//! Profiles: seats kept under a name, to be picked in one step.

use egui::Ui;

use crate::model::engine::EngineId;
use crate::model::pack::{Mode, Supply};
use crate::model::settings::{PROFILE_NAME_CHARS_MAX, Profile, Settings};
use crate::ui::cx::{self, UiCx};
use crate::ui::panels::seat::{mode_words, supply_words, words_of};
use crate::ui::theme::{self, Text, Weight};
use crate::ui::widgets::choice::radio;
use crate::ui::widgets::icon;
use crate::ui::widgets::picker::{Choice, Lead, picker_button, picker_menu};
use crate::ui::widgets::text_field::TextField;
use crate::ui::widgets::{Button, IconButton, engine_mark};

use super::{card, section};

/// The open form.
#[derive(Default)]
pub struct ProfilesPage {
    form: Option<Form>,
}

struct Form {
    profile: Profile,
    /// The name it is kept under; `None` while it is new.
    kept: Option<String>,
    persona: String,
}

impl ProfilesPage {
    pub fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui, settings: &mut Settings) {
        let about = "Engine, model, role, persona and context under one name, to be picked in the composer.";
        ui.add(egui::Label::new(Text::Small.rich(about, theme::palette(ui).text_2)).wrap());
        ui.add_space(6.0);
        let mut wish = None;
        for (at, profile) in settings.profiles.iter().enumerate() {
            let pressed = ui.push_id(("profile", at), |ui| row(cx, ui, profile, at == 0)).inner;
            wish = pressed.map(|pressed| (at, pressed)).or(wish);
        }
        match wish {
            Some((at, Pressed::Edit)) => {
                self.form = settings.profiles.get(at).map(|profile| Form::of(profile.clone(), true));
            }
            Some((at, Pressed::Remove)) => {
                settings.profiles.remove(at);
            }
            Some((at, Pressed::Up)) if at > 0 => settings.profiles.swap(at - 1, at),
            _ => {}
        }
        match &mut self.form {
            None => self.ways_on(cx, ui, settings),
            Some(form) => match form.ui(cx, ui, settings) {
                Done::Not => {}
                Done::Cancelled => self.form = None,
                Done::Saved => {
                    form.put(settings);
                    self.form = None;
                }
            },
        }
    }

    fn ways_on(&mut self, cx: &UiCx<'_>, ui: &mut Ui, settings: &mut Settings) {
        ui.add_space(4.0);
        let last = cx.snap.open.last().map(|view| view.row.conversation.seat.clone());
        ui.horizontal_wrapped(|ui| {
            if Button::secondary("New profile").icon(icon::PLUS).show(ui).clicked() {
                let seat = last.or_else(|| settings.default_seat.clone());
                let engine = seat.as_ref().map(|seat| seat.engine.clone()).or_else(|| ready(cx));
                let profile = Profile {
                    name: String::new(),
                    engine: engine.unwrap_or_else(|| EngineId::new("demo")),
                    model: seat.as_ref().and_then(|seat| seat.model.clone()),
                    role: seat.as_ref().and_then(|seat| seat.role.clone()),
                    persona: seat.as_ref().and_then(|seat| seat.persona.clone()),
                    mode: seat.as_ref().and_then(|seat| seat.mode),
                    supply: seat.map(|seat| seat.supply).unwrap_or_default(),
                };
                self.form = Some(Form::of(profile, false));
            }
        });
        if !settings.profiles.is_empty() {
            return;
        }
        let starters = starters(cx);
        if starters.is_empty() {
            return;
        }
        section(
            ui,
            "To begin with",
            "One plans, one implements, one judges; on different engines where there are some.",
        );
        for profile in &starters {
            ui.push_id(profile.name.as_str(), |ui| {
                ui.horizontal(|ui| {
                    mark(cx, ui, &profile.engine);
                    ui.label(Text::Ui.rich(words_of(cx, &profile.seat()), theme::palette(ui).text_2));
                })
            });
        }
        ui.add_space(4.0);
        if Button::primary("Take these profiles").icon(icon::PLUS).show(ui).clicked() {
            settings.profiles = starters;
        }
    }
}

enum Pressed {
    Edit,
    Remove,
    Up,
}

fn mark(cx: &UiCx<'_>, ui: &mut Ui, engine: &EngineId) {
    let name = cx.engine(engine).map_or(engine.as_str(), |row| row.info.name.as_str());
    let (rect, _) = ui.allocate_exact_size(egui::vec2(22.0, 36.0), egui::Sense::hover());
    let spot = egui::Rect::from_center_size(rect.center(), egui::vec2(18.0, 18.0));
    let mut at = ui.new_child(egui::UiBuilder::new().max_rect(spot).id_salt("mark"));
    engine_mark(&mut at, cx.look(engine), 18.0, name);
}

fn row(cx: &UiCx<'_>, ui: &mut Ui, profile: &Profile, first: bool) -> Option<Pressed> {
    let p = theme::palette(ui);
    card(ui, 8, |ui| {
        ui.horizontal(|ui| {
            mark(cx, ui, &profile.engine);
            let room = (ui.available_width() - 100.0).max(80.0);
            ui.allocate_ui(egui::vec2(room, 36.0), |ui| {
                ui.vertical(|ui| {
                    ui.spacing_mut().item_spacing.y = 0.0;
                    ui.set_width(room);
                    let name = Text::Ui.rich_weighted(Weight::Medium, &profile.name, p.text_1);
                    ui.add(egui::Label::new(name).truncate());
                    let words = words_of(cx, &profile.seat());
                    let there = cx.engine(&profile.engine).is_some();
                    let (text, color) = if there {
                        (words, p.text_3)
                    } else {
                        (format!("{words}. Its engine is not there any more."), p.warn)
                    };
                    ui.add(egui::Label::new(Text::Small.rich(text, color)).truncate());
                });
            });
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let of = &profile.name;
                if IconButton::small(icon::TRASH, &format!("Remove profile {of}")).show(ui).clicked() {
                    return Some(Pressed::Remove);
                }
                if IconButton::small(icon::PENCIL_SIMPLE, &format!("Edit profile {of}")).show(ui).clicked() {
                    return Some(Pressed::Edit);
                }
                let up = format!("Move profile {of} up");
                let why = first.then_some("It is the first.");
                let up = IconButton::small(icon::ARROW_UP, &up).disabled(why);
                up.show(ui).clicked().then_some(Pressed::Up)
            })
            .inner
        })
        .inner
    })
}

fn ready(cx: &UiCx<'_>) -> Option<EngineId> {
    cx.ready_engines().next().map(|row| row.info.id.clone())
}

/// Profiles to begin with, on the engines that are ready: the judge sits elsewhere than the others where it can.
fn starters(cx: &UiCx<'_>) -> Vec<Profile> {
    let ready: Vec<EngineId> = cx.ready_engines().map(|row| row.info.id.clone()).collect();
    let real: Vec<&EngineId> = ready.iter().filter(|id| id.as_str() != "demo").collect();
    let at = |place: usize| real.get(place % real.len().max(1)).map(|id| (**id).clone());
    let offered = &cx.snap.roles;
    [("Architect", 0, None), ("Developer", 0, None), ("Reviewer", 1, Some(Mode::Standard))]
        .into_iter()
        .filter(|(role, ..)| offered.iter().any(|one| one == role))
        .filter_map(|(role, place, mode)| {
            let engine = at(place)?;
            Some(Profile {
                name: role.to_owned(),
                model: cx.snap.settings.engines.get(&engine).and_then(|set| set.model.clone()),
                engine,
                role: Some(role.to_owned()),
                persona: None,
                mode,
                supply: Supply::default(),
            })
        })
        .collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Done {
    Not,
    Saved,
    Cancelled,
}

impl Form {
    fn of(profile: Profile, kept: bool) -> Self {
        Self {
            kept: kept.then(|| profile.name.clone()),
            persona: profile.persona.clone().unwrap_or_default(),
            profile,
        }
    }

    fn put(&mut self, settings: &mut Settings) {
        let mut profile = self.profile.clone();
        profile.name = profile.name.trim().to_owned();
        profile.model = profile.model.filter(|model| !model.trim().is_empty());
        profile.persona = Some(self.persona.trim().to_owned()).filter(|persona| !persona.is_empty());
        let kept =
            self.kept.as_ref().and_then(|kept| settings.profiles.iter_mut().find(|one| one.is_named(kept)));
        match kept {
            Some(slot) => *slot = profile,
            None => settings.profiles.push(profile),
        }
    }

    fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui, settings: &Settings) -> Done {
        card(ui, 14, |ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            let others = settings.profiles.iter().filter(|one| self.kept.as_ref() != Some(&one.name));
            let clash = others.into_iter().any(|one| one.is_named(&self.profile.name));
            let invalid = clash.then_some("A profile of this name is there already.");
            label(ui, "Name");
            let field = TextField::single("profile name", "Name of the profile").hint("Careful reviewer");
            let enter = field
                .max_chars(PROFILE_NAME_CHARS_MAX)
                .invalid(invalid)
                .show(ui, &mut self.profile.name)
                .submitted;
            self.pickers(cx, ui);
            self.context(ui);
            ui.add_space(6.0);
            let blank = self.profile.name.trim().is_empty().then_some("It needs a name.");
            let why = blank.or(invalid);
            let mut done = if enter && why.is_none() { Done::Saved } else { Done::Not };
            ui.horizontal(|ui| {
                if Button::primary("Save profile").disabled(why).show(ui).clicked() {
                    done = Done::Saved;
                }
                if Button::quiet("Cancel").show(ui).clicked() {
                    done = Done::Cancelled;
                }
            });
            done
        })
    }

    fn pickers(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        label(ui, "Who");
        ui.horizontal_wrapped(|ui| {
            self.engine(cx, ui);
            let roles = &cx.snap.roles;
            if let Some(role) = one_of(ui, "Role", "No role", roles, self.profile.role.as_deref()) {
                self.profile.role = role;
            }
        });
        label(ui, "Model; empty = the engine's own");
        let mut model = self.profile.model.clone().unwrap_or_default();
        let field = TextField::single("profile model", "Model of the profile").step(Text::Mono).width(260.0);
        if field.max_chars(200).show(ui, &mut model).changed {
            self.profile.model = Some(model).filter(|model| !model.is_empty());
        }
        label(ui, "Persona: a name, or its words; empty = neutral");
        ui.horizontal(|ui| {
            let field = TextField::single("profile persona", "Persona of the profile").width(260.0);
            field.max_chars(500).show(ui, &mut self.persona);
            let personas = &cx.snap.personas;
            if !personas.is_empty() {
                let now = Some(self.persona.as_str()).filter(|now| !now.is_empty());
                if let Some(persona) = one_of(ui, "Known personas", "Neutral", personas, now) {
                    self.persona = persona.unwrap_or_default();
                }
            }
        });
    }

    fn engine(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        let engines = &cx.snap.engines;
        let choices: Vec<Choice<'_>> = engines
            .iter()
            .map(|row| Choice {
                lead: Lead::Engine(cx::look(row.info.look)),
                label: &row.info.name,
                ..Choice::default()
            })
            .collect();
        let at = engines.iter().position(|row| row.info.id == self.profile.engine);
        let name = at.and_then(|at| choices.get(at)).map_or(self.profile.engine.as_str(), |one| one.label);
        let look = cx.look(&self.profile.engine);
        let button = picker_button(ui, Lead::Engine(look), name, "Engine of the profile", false);
        let chosen = picker_menu(&button, at, &choices).and_then(|at| engines.get(at));
        if let Some(row) = chosen.filter(|row| row.info.id != self.profile.engine) {
            self.profile.engine = row.info.id.clone();
            self.profile.model = cx.snap.settings.engines.get(&row.info.id).and_then(|set| set.model.clone());
        }
    }

    fn context(&mut self, ui: &mut Ui) {
        label(ui, "Context mode");
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 12.0;
            let modes = [None, Some(Mode::Lite), Some(Mode::Standard), Some(Mode::Full)];
            for mode in modes {
                if radio(ui, self.profile.mode == mode, mode_words(mode), false).clicked() {
                    self.profile.mode = mode;
                }
            }
        });
        label(ui, "Skills, memory and other conversations");
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 12.0;
            for supply in Supply::ALL {
                let name = format!("{}: {}", supply.label(), supply_words(supply));
                if radio(ui, self.profile.supply == supply, &name, false).clicked() {
                    self.profile.supply = supply;
                }
            }
        });
    }
}

fn label(ui: &mut Ui, text: &str) {
    ui.add_space(2.0);
    ui.label(Text::Caption.rich(text, theme::palette(ui).text_3));
}

/// A picker of names with a first row for none; `Some(None)` = none was chosen.
fn one_of(ui: &mut Ui, name: &str, none: &str, all: &[String], now: Option<&str>) -> Option<Option<String>> {
    let choices: Vec<Choice<'_>> = std::iter::once(none)
        .chain(all.iter().map(String::as_str))
        .map(|label| Choice { label, ..Choice::default() })
        .collect();
    let at = now.map_or(Some(0), |now| all.iter().position(|one| one == now).map(|at| at + 1));
    let shown = now.unwrap_or(none);
    let button = picker_button(ui, Lead::None, shown, name, false);
    let chosen = picker_menu(&button, at, &choices)?;
    Some(chosen.checked_sub(1).and_then(|at| all.get(at).cloned()))
}
