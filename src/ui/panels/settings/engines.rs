//! Engines: state, path, who pays, model for new conversations.

use std::collections::HashMap;

use egui::{Margin, Ui};

use crate::api::command::EngineCommand;
use crate::api::snapshot::EngineRow;
use crate::model::engine::{Billing, EngineId};
use crate::model::project::SeatChoice;
use crate::model::settings::Settings;
use crate::ui::action::UiAction;
use crate::ui::cx::{self, Request, UiCx};
use crate::ui::host::DialogAsk;
use crate::ui::panels::engine_rows::engine_row;
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::Button;
use crate::ui::widgets::choice::radio;
use crate::ui::widgets::icon;
use crate::ui::widgets::picker::{Lead, picker_button};
use crate::ui::widgets::text_field::TextField;
use crate::ui::words;

use super::card;

/// What is typed and not taken yet.
#[derive(Default)]
pub struct EnginesPage {
    paths: HashMap<EngineId, PathText>,
    models: HashMap<EngineId, String>,
}

/// A path being typed over the one that is known.
#[derive(Default)]
struct PathText {
    typed: String,
    known: String,
}

impl PathText {
    /// Takes over a path found meanwhile, unless something else was typed.
    fn follow(&mut self, known: String) -> &mut String {
        if self.known != known {
            if self.typed == self.known {
                self.typed.clone_from(&known);
            }
            self.known = known;
        }
        &mut self.typed
    }
}

impl EnginesPage {
    pub fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui, settings: &mut Settings) {
        let p = theme::palette(ui);
        let text =
            "Programs found on this computer, with the logins they have. Changes apply to the next turn.";
        ui.add(egui::Label::new(Text::Ui.rich(text, p.text_2)).wrap());
        ui.horizontal(|ui| {
            let again = Button::secondary("Look again").icon(icon::ARROWS_CLOCKWISE);
            let busy = cx.snap.app.discovering.then_some("Looking for engines now.");
            if again.disabled(busy).show(ui).clicked() {
                cx.act(UiAction::FindEngines);
            }
            if let Some(ms) = cx.snap.app.discovery_ms {
                let took = words::duration(i64::try_from(ms).unwrap_or(0));
                ui.label(Text::Caption.rich(format!("Looked in {took}"), p.text_3));
            }
        });
        ui.add_space(4.0);
        default_engine(cx, ui, settings);
        ui.add_space(6.0);
        for row in cx.snap.engines.iter() {
            ui.push_id(row.info.id.as_str(), |ui| self.engine(cx, ui, row));
            ui.add_space(4.0);
        }
    }

    fn engine(&mut self, cx: &UiCx<'_>, ui: &mut Ui, row: &EngineRow) {
        card(ui, 0, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            engine_row(cx, ui, row, false);
            egui::Frame::NONE.inner_margin(Margin { left: 52, right: 14, top: 0, bottom: 10 }).show(
                ui,
                |ui| {
                    ui.spacing_mut().item_spacing.y = 6.0;
                    ui.set_width(ui.available_width());
                    limits(cx, ui, row);
                    if !row.info.programs.is_empty() {
                        self.path(cx, ui, row);
                    }
                    if !row.info.key_variables.is_empty() {
                        billing(cx, ui, row);
                    }
                    self.model(cx, ui, row);
                },
            );
        });
    }

    fn path(&mut self, cx: &UiCx<'_>, ui: &mut Ui, row: &EngineRow) {
        let p = theme::palette(ui);
        let id = &row.info.id;
        let by_hand = cx.snap.settings.engines.get(id).and_then(|settings| settings.path.as_ref());
        let label = match (&row.status.found_by, by_hand) {
            (_, Some(_)) => "Path, set by hand".to_owned(),
            (Some(found), None) => format!("Path, found by {found}"),
            (None, None) => "Path".to_owned(),
        };
        ui.label(Text::Caption.rich(label, p.text_3));
        ui.horizontal(|ui| {
            let known = by_hand
                .or(row.status.path.as_ref())
                .map_or_else(String::new, |path| path.display().to_string());
            let text = self.paths.entry(id.clone()).or_default().follow(known);
            let width = (ui.available_width() - 190.0).clamp(120.0, 420.0);
            let name = format!("Path of {}", row.info.name);
            let field = TextField::single(("path", id.as_str()), &name).step(Text::Mono).width(width);
            let out =
                ui.allocate_ui(egui::vec2(width, 32.0), |ui| field.hint("Searched for").show(ui, text)).inner;
            if out.submitted {
                let path = Some(text.trim()).filter(|text| !text.is_empty()).map(Into::into);
                cx.send(EngineCommand::SetPath { engine: id.clone(), path });
            }
            if Button::secondary("Browse…").show(ui).clicked() {
                cx.ask(Request::Pick(DialogAsk::EngineProgram(id.clone())));
                self.paths.remove(id);
            }
            if by_hand.is_some()
                && Button::quiet("Search").tooltip("Goes back to searching.").show(ui).clicked()
            {
                cx.send(EngineCommand::SetPath { engine: id.clone(), path: None });
                self.paths.remove(id);
            }
        });
    }

    fn model(&mut self, cx: &UiCx<'_>, ui: &mut Ui, row: &EngineRow) {
        let p = theme::palette(ui);
        let id = &row.info.id;
        let current = cx.snap.settings.engines.get(id).and_then(|settings| settings.model.as_deref());
        ui.horizontal(|ui| {
            ui.label(Text::Small.rich("Model for new conversations", p.text_2));
            let name = format!("Model of {}", row.info.name);
            let button = picker_button(ui, Lead::None, current.unwrap_or("Default model"), &name, true);
            let models = if row.status.models.is_empty() { &row.info.models } else { &row.status.models };
            let typed = self.models.entry(id.clone()).or_default();
            let chosen = menu::sheet(&button, 260.0, |ui| {
                let mut chosen = None;
                if MenuRow::plain("Default model").selected(current.is_none()).show(ui).clicked() {
                    chosen = Some(None);
                }
                for model in models {
                    if MenuRow::plain(model).selected(current == Some(model)).show(ui).clicked() {
                        chosen = Some(Some(model.clone()));
                    }
                }
                let field = TextField::single(("model", id.as_str()), "Other model").step(Text::Mono);
                if field.hint("Other model, Enter takes it").show(ui, typed).submitted
                    && !typed.trim().is_empty()
                {
                    chosen = Some(Some(std::mem::take(typed).trim().to_owned()));
                }
                if chosen.is_some() {
                    ui.close();
                }
                chosen
            });
            if let Some(Some(model)) = chosen {
                cx.send(EngineCommand::SetModel { engine: id.clone(), model });
            }
        });
    }
}

fn default_engine(cx: &UiCx<'_>, ui: &mut Ui, settings: &mut Settings) {
    let p = theme::palette(ui);
    ui.horizontal(|ui| {
        ui.label(Text::Ui.rich("New conversations start with", p.text_1));
        let current = settings.default_seat.clone();
        let (lead, label) = match &current {
            Some(seat) => (Lead::Engine(cx.look(&seat.engine)), cx.seat_name(seat)),
            None => (Lead::None, "The first ready engine".to_owned()),
        };
        let button = picker_button(ui, lead, &label, "Engine of new conversations", false);
        menu::menu(&button, 260.0, |ui| {
            if MenuRow::plain("The first ready engine").selected(current.is_none()).show(ui).clicked() {
                settings.default_seat = None;
            }
            for row in cx.snap.engines.iter() {
                let here = settings.default_seat.as_ref().is_some_and(|seat| seat.engine == row.info.id);
                let icon = cx::look(row.info.look).icon();
                if MenuRow::new(icon, &row.info.name).selected(here).show(ui).clicked() {
                    let engine = row.info.id.clone();
                    settings.default_seat = Some(SeatChoice::new(engine));
                }
            }
        });
    });
}

fn limits(cx: &UiCx<'_>, ui: &mut Ui, row: &EngineRow) {
    let p = theme::palette(ui);
    for limit in &row.limits {
        let used = match (limit.reached, limit.used_percent) {
            (true, _) => "reached".to_owned(),
            (false, Some(percent)) => format!("{percent:.0} % used"),
            (false, None) => continue,
        };
        let resets =
            limit.resets_at_ms.map_or_else(String::new, |ms| format!(", resets {}", cx.now.future(ms)));
        let color = if limit.reached { p.warn } else { p.text_2 };
        ui.label(Text::Small.rich(format!("Limit per {}: {used}{resets}", limit.kind), color));
    }
}

fn billing(cx: &UiCx<'_>, ui: &mut Ui, row: &EngineRow) {
    let p = theme::palette(ui);
    ui.horizontal_wrapped(|ui| {
        ui.label(Text::Small.rich("Who pays", p.text_2));
        for (billing, label) in
            [(Billing::Subscription, "The login's subscription"), (Billing::ApiKey, "API key")]
        {
            let chosen = row.status.billing == billing;
            if radio(ui, chosen, label, false).clicked() && !chosen {
                cx.send(EngineCommand::SetBilling { engine: row.info.id.clone(), billing });
            }
        }
    });
    let keys = row.info.key_variables.join(", ");
    let text = match row.status.billing {
        Billing::Subscription => format!("Kept from the engine: {keys}."),
        Billing::ApiKey => format!("Passed on, so turns are metered: {keys}."),
    };
    ui.add(egui::Label::new(Text::Caption.rich(text, p.text_3)).wrap());
    if !row.info.caps.tools || row.info.caps.permissions == crate::model::engine::PermissionCap::Careful {
        let text = "It cannot ask; it runs in its most careful mode.";
        ui.add(egui::Label::new(Text::Caption.rich(text, p.text_3)).wrap());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_found_later_is_shown_unless_another_was_typed() {
        let mut path = PathText::default();
        assert_eq!(path.follow(String::new()), "");
        assert_eq!(path.follow("/usr/bin/a".into()), "/usr/bin/a");
        path.follow("/usr/bin/a".into()).push('2');
        assert_eq!(path.follow("/opt/a".into()), "/usr/bin/a2");
    }
}
