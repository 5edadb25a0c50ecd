//! Skills that were found, which of them agents are told of, and what is suggested.
//!
//! Nothing is switched on by itself: a suggestion is a chip that waits for a click.

use egui::{Ui, vec2};

use crate::api::command::KnowledgeCommand;
use crate::model::id::ConversationId;
use crate::model::project::TextKind;
use crate::model::skill::{Skill, SkillSuggestion};
use crate::ui::cx::UiCx;
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::fuzzy;
use crate::ui::widgets::icon;
use crate::ui::widgets::picker::{Lead, picker_button};
use crate::ui::widgets::text_field::{TextField, search};
use crate::ui::widgets::{Button, Chip, Tone};
use crate::ui::words;

use super::entry::{Entry, list};
use super::{head, nothing};

/// What is typed into the search field, and what is to be made.
#[derive(Default)]
pub struct Skills {
    query: String,
    /// What the next new text is, and its name.
    kind: Option<TextKind>,
    name: String,
}

const ABOUT: &str = "Folders with a SKILL.md, of this project and of yours. Only what is on is told, and only the parts that fit.";
/// Width of the picker that says where a skill is on, points.
const STATE: f32 = 110.0;
/// Below this many a search field is only in the way.
const SEARCH_FROM: usize = 6;

impl Skills {
    /// Empties the search field. `false` when it was empty.
    pub fn clear(&mut self) -> bool {
        !std::mem::take(&mut self.query).is_empty()
    }

    /// The search field, how many there are, and at its end the step that looks for more.
    fn search_and_look(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        /// Width of the button with the gap beside it, points.
        const LOOK: f32 = 124.0;
        let offers = &cx.snap.knowledge.offers;
        let many = offers.skills.skills.len();
        ui.horizontal(|ui| {
            let count = words::plural(many as u64, "skill", "skills");
            if many >= SEARCH_FROM {
                let hint = format!("Find a skill, {count}");
                let width = (ui.available_width() - LOOK).max(120.0);
                ui.allocate_ui(vec2(width, 32.0), |ui| {
                    search(
                        ui,
                        TextField::single("skill search", "Find a skill").hint(&hint),
                        &mut self.query,
                    );
                });
            } else {
                let text = if offers.looking { "Looking for skills" } else { &count };
                ui.label(Text::Small.rich(text, theme::palette(ui).text_3));
            }
            let again = Button::quiet("Look again").icon(icon::ARROWS_CLOCKWISE);
            let busy = offers.looking.then_some("Looking already.");
            if again.disabled(busy).show(ui).clicked()
                && let Some(project) = cx.snap.project
            {
                cx.send(KnowledgeCommand::LookForSkills { project });
            }
        });
    }

    /// One line that makes a file of the project: what, its name, and the step.
    fn make(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        /// Width of the button with the gap before it, points.
        const END: f32 = 62.0;
        let kind = self.kind.unwrap_or(TextKind::Skill);
        ui.horizontal(|ui| {
            let button = picker_button(ui, Lead::None, kind.label(), "What to make", false);
            let picked = menu::menu(&button, 180.0, |ui| {
                let mut picked = None;
                for one in TextKind::ALL {
                    if MenuRow::plain(one.label()).selected(one == kind).show(ui).clicked() {
                        picked = Some(one);
                    }
                }
                picked
            });
            self.kind = picked.flatten().or(self.kind);
            let width = (ui.available_width() - END).max(120.0);
            let entered = ui.allocate_ui(vec2(width, 32.0), |ui| {
                let hint = format!("Name of a new {} in this project", kind.word());
                TextField::single("new text", "Name of the new text")
                    .hint(&hint)
                    .show(ui, &mut self.name)
                    .submitted
            });
            let empty = self.name.trim().is_empty().then_some("Give it a name first.");
            let clicked = Button::secondary("Make").disabled(empty).show(ui).clicked();
            if (clicked || entered.inner)
                && empty.is_none()
                && let Some(project) = cx.snap.project
            {
                let name = std::mem::take(&mut self.name);
                cx.send(KnowledgeCommand::NewText { project, kind, name, text: String::new() });
            }
        });
    }

    pub fn ui(&mut self, cx: &UiCx<'_>, ui: &mut Ui) {
        head(ui, "Skills", ABOUT, None);
        self.make(cx, ui);
        let offers = &cx.snap.knowledge.offers;
        let skills = &offers.skills.skills;
        suggested(cx, ui);
        self.search_and_look(cx, ui);
        for note in &offers.skills.notes {
            ui.add(egui::Label::new(Text::Small.rich(note, theme::palette(ui).warn)).wrap());
        }
        if skills.is_empty() {
            if !offers.looking {
                let text = "None was found. They lie in .claude/skills, .agents/skills or skills of the project, \
                            and in your own folder.";
                nothing(ui, text);
            }
            return;
        }
        let found = found(&self.query, skills);
        if found.is_empty() {
            return nothing(ui, "No skill of that name.");
        }
        list(ui, |ui| {
            for (at, skill) in found.into_iter().enumerate() {
                row(cx, ui, skill, at == 0);
            }
        });
    }
}

/// By name first, then by what the description says.
fn found<'a>(query: &str, skills: &'a [Skill]) -> Vec<&'a Skill> {
    let by_name = fuzzy::rank(query, skills.iter().map(|skill| skill.name.as_str()));
    let mut places: Vec<usize> = by_name.into_iter().map(|(at, _)| at).collect();
    let word = query.trim().to_lowercase();
    for (at, skill) in skills.iter().enumerate() {
        if !word.is_empty() && !places.contains(&at) && skill.description.to_lowercase().contains(&word) {
            places.push(at);
        }
    }
    places.into_iter().filter_map(|at| skills.get(at)).collect()
}

/// Suggestions that are not on yet.
pub fn open_suggestions<'a>(
    cx: &UiCx<'a>,
    conversation: Option<ConversationId>,
) -> impl Iterator<Item = &'a SkillSuggestion> {
    let known = &cx.snap.knowledge;
    let view = cx.view();
    // Switched off by hand is an answer, too.
    let answered = move |name: &str| {
        known.skill_is_on(conversation, name)
            || conversation.is_some_and(|id| known.switch(Some(id), name).is_some())
    };
    view.into_iter().flat_map(|view| view.suggestions.iter()).filter(move |one| !answered(&one.name))
}

fn suggested(cx: &UiCx<'_>, ui: &mut Ui) {
    let conversation = cx.route.conversation();
    let all: Vec<&SkillSuggestion> = open_suggestions(cx, conversation).collect();
    if all.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 4.0);
        ui.label(Text::Caption.rich("Suggested", theme::palette(ui).text_3));
        for one in all {
            suggestion_chip(cx, ui, conversation, one);
        }
    });
    ui.add_space(4.0);
}

/// A chip that switches a suggested skill on, for this conversation.
fn suggestion_chip(cx: &UiCx<'_>, ui: &mut Ui, conversation: Option<ConversationId>, one: &SkillSuggestion) {
    let label = format!("Use skill {}", one.name);
    let chip = Chip::new(&label).icon(icon::LIGHTNING).tone(Tone::Accent).clickable().show(ui);
    let place = if conversation.is_some() { "in this conversation" } else { "in this project" };
    let chip = chip.on_hover_text(format!("Suggested: {}. A click switches it on {place}.", one.why));
    if chip.clicked() {
        switch(cx, conversation, &one.name, Some(true));
    }
}

fn switch(cx: &UiCx<'_>, conversation: Option<ConversationId>, skill: &str, on: Option<bool>) {
    let Some(project) = cx.snap.project else { return };
    cx.send(KnowledgeCommand::SwitchSkill { project, conversation, skill: skill.to_owned(), on });
}

fn row(cx: &UiCx<'_>, ui: &mut Ui, skill: &Skill, first: bool) {
    let conversation = cx.route.conversation();
    let on = cx.snap.knowledge.skill_is_on(conversation, &skill.name);
    let broken = skill.problem.as_deref();
    let detail = match broken {
        Some(problem) => problem.to_owned(),
        None if skill.description.is_empty() => "No description".to_owned(),
        None => skill.description.replace('\n', " "),
    };
    ui.push_id(("skill", skill.name.as_str()), |ui| {
        let entry = Entry {
            icon: if broken.is_some() { icon::WARNING } else { icon::LIGHTNING },
            tint: match (broken.is_some(), on) {
                (true, _) => |p| p.warn,
                (false, true) => |p| p.accent,
                _ => |p| p.text_3,
            },
            title: &skill.name,
            detail: &detail,
            mono: false,
            quiet: !on,
        };
        let shown = entry.show(ui, first, |ui| {
            // As wide for every row, so that what stands before it lines up.
            let layout = egui::Layout::right_to_left(egui::Align::Center);
            ui.allocate_ui_with_layout(vec2(STATE, 28.0), layout, |ui| {
                ui.set_min_width(STATE);
                states(cx, ui, conversation, skill);
            });
            Chip::new(skill.origin.label()).show(ui);
        });
        let folder = words::path(&skill.dir, cx.home);
        shown.on_hover_text(format!("{}\n\n{}\n{folder}", skill.name, skill.description));
    });
}

/// Where it is on, as a picker.
fn states(cx: &UiCx<'_>, ui: &mut Ui, conversation: Option<ConversationId>, skill: &Skill) {
    let known = &cx.snap.knowledge;
    let of_project = known.switch(None, &skill.name).unwrap_or(false);
    let own = conversation.and_then(|id| known.switch(Some(id), &skill.name));
    let label = match (own, of_project) {
        (Some(true), _) => "On here",
        (Some(false), true) => "Off here",
        (_, true) => "On in project",
        (_, false) => "Off",
    };
    let button = picker_button(ui, Lead::None, label, &skill.name, false);
    menu::menu(&button, 230.0, |ui| {
        let choices = [
            ("Off", own != Some(true) && !of_project, None, Some(false)),
            ("On in the whole project", own.is_none() && of_project, None, Some(true)),
        ];
        for (text, at, in_conversation, in_project) in choices {
            if MenuRow::plain(text).selected(at).show(ui).clicked() {
                switch(cx, None, &skill.name, in_project);
                if conversation.is_some() && own.is_some() {
                    switch(cx, conversation, &skill.name, in_conversation);
                }
            }
        }
        if conversation.is_none() {
            return;
        }
        menu::divider(ui);
        for (text, on) in [("On in this conversation", true), ("Off in this conversation", false)] {
            if MenuRow::plain(text).selected(own == Some(on)).show(ui).clicked() {
                switch(cx, conversation, &skill.name, Some(on));
            }
        }
    });
}
