//! The steps of a plan: state, title, details, what comes before.

use egui::{Sense, Ui, vec2};

use crate::model::plan::{Subtask, SubtaskState};
use crate::ui::panels::menu::{self, MenuRow};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::choice::check;
use crate::ui::widgets::icon;
use crate::ui::widgets::paint;
use crate::ui::widgets::text_field::{EnterKey, TextField};
use crate::ui::widgets::{Button, IconButton, StateGlyph};

use super::name;

/// Which step's details are open.
#[derive(Default)]
pub struct Steps {
    open: Option<u32>,
    /// A step just added, whose title takes the keyboard.
    fresh: Option<u32>,
}

/// Most steps of a plan.
const STEPS_MAX: usize = 500;
const TITLE_MAX_CHARS: usize = 300;

/// What is to be done to a step.
#[derive(Clone, Copy)]
enum Move {
    Up,
    Down,
    Remove,
    /// On to the next one, a new one behind the last.
    Next,
}

impl Steps {
    pub fn ui(&mut self, ui: &mut Ui, steps: &mut Vec<Subtask>) {
        let (done, all) = progress(steps);
        let label = if all == 0 { "Steps".to_owned() } else { format!("Steps, {done} of {all} done") };
        name(ui, &label);
        let numbers: Vec<(u32, String)> =
            steps.iter().map(|step| (step.number, step.title.clone())).collect();
        let mut wish = None;
        ui.spacing_mut().item_spacing.y = 4.0;
        for (at, step) in steps.iter_mut().enumerate() {
            let moved = ui.push_id(("step", step.number), |ui| self.step(ui, step, &numbers)).inner;
            wish = moved.map(|moved| (at, moved)).or(wish);
        }
        if let Some((at, moved)) = wish {
            change(steps, at, moved);
            if matches!(moved, Move::Next) {
                self.fresh = next(steps, at);
            }
        }
        let full = (steps.len() >= STEPS_MAX).then_some("A plan has at most 500 steps.");
        if Button::secondary("Add a step").icon(icon::PLUS).disabled(full).show(ui).clicked() {
            self.fresh = next(steps, steps.len());
        }
        ui.spacing_mut().item_spacing.y = 6.0;
    }

    fn step(&mut self, ui: &mut Ui, step: &mut Subtask, all: &[(u32, String)]) -> Option<Move> {
        let (mut wish, mut entered) = (None, false);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            state(ui, step);
            let field = TextField::single(("step title", step.number), "Title of the step");
            let field = field.hint("What is done when this step is done").max_chars(TITLE_MAX_CHARS);
            if self.fresh == Some(step.number) {
                self.fresh = None;
                let id = field.id();
                ui.memory_mut(|memory| memory.request_focus(id));
            }
            let width = (ui.available_width() - 62.0).max(80.0);
            entered = field.width(width).show(ui, &mut step.title).submitted;
            let open = self.open == Some(step.number);
            let caret = if open { icon::CARET_UP } else { icon::CARET_DOWN };
            let said = format!("Details of step {}", step.number);
            if IconButton::small(caret, &said).selected(open).show(ui).clicked() {
                self.open = if open { None } else { Some(step.number) };
            }
            let more = IconButton::small(icon::DOTS_THREE, &format!("More on step {}", step.number)).show(ui);
            wish = menu::menu(&more, 180.0, more_rows).flatten();
        });
        if entered && !step.title.trim().is_empty() {
            wish = wish.or(Some(Move::Next));
        }
        if self.open == Some(step.number) {
            details(ui, step, all);
        } else {
            facts(ui, step);
        }
        wish
    }
}

/// The state's glyph with the number; a click opens the states.
fn state(ui: &mut Ui, step: &mut Subtask) {
    let p = theme::palette(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(46.0, 32.0), Sense::click());
    let said = format!("Step {}: {}", step.number, step.state.label());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, &said));
    let radius = theme::sizes().radius.control;
    if response.hovered() {
        ui.painter().rect_filled(rect, radius, p.bg_hover);
    }
    glyph(step.state).paint(ui, egui::pos2(rect.left() + 14.0, rect.center().y), 14.0);
    let number = paint::line(ui, &step.number.to_string(), Text::Caption.format(p.text_3), 30.0);
    paint::left(ui, rect, rect.left() + 27.0, number);
    paint::focus_ring(ui, &response, rect, radius, paint::Ring::Inside);
    let response = response.on_hover_text(said);
    menu::menu(&response, 160.0, |ui| {
        for each in SubtaskState::ALL {
            if MenuRow::plain(each.label()).selected(step.state == *each).show(ui).clicked() {
                step.state = *each;
            }
        }
    });
}

fn glyph(state: SubtaskState) -> StateGlyph {
    match state {
        SubtaskState::Todo => StateGlyph::Idle,
        SubtaskState::InProgress => StateGlyph::InProgress,
        SubtaskState::Done => StateGlyph::Done,
        SubtaskState::Dropped => StateGlyph::Stopped,
    }
}

fn more_rows(ui: &mut Ui) -> Option<Move> {
    let mut wish = None;
    for (icon, text, what) in
        [(icon::ARROW_UP, "Move up", Move::Up), (icon::ARROW_DOWN, "Move down", Move::Down)]
    {
        if MenuRow::new(icon, text).show(ui).clicked() {
            wish = Some(what);
        }
    }
    menu::divider(ui);
    if MenuRow::new(icon::TRASH, "Remove step").destructive().show(ui).clicked() {
        wish = Some(Move::Remove);
    }
    wish
}

/// What the closed step has beside its title.
fn facts(ui: &mut Ui, step: &Subtask) {
    let mut parts = Vec::new();
    if !step.depends_on.is_empty() {
        let numbers: Vec<String> = step.depends_on.iter().map(u32::to_string).collect();
        parts.push(format!("after {}", numbers.join(", ")));
    }
    if !step.details.trim().is_empty() {
        parts.push(super::first_line(&step.details).to_owned());
    }
    if parts.is_empty() {
        return;
    }
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 16.0), Sense::hover());
    let format = Text::Caption.format(theme::palette(ui).text_3);
    let galley = paint::line(ui, &parts.join(" · "), format, rect.width() - 62.0);
    paint::left(ui, rect, rect.left() + 62.0, galley);
    ui.add_space(2.0);
}

fn details(ui: &mut Ui, step: &mut Subtask, all: &[(u32, String)]) {
    ui.horizontal_top(|ui| {
        ui.add_space(52.0);
        ui.vertical(|ui| {
            let field = TextField::multi(("step details", step.number), "Details of the step", 2, 8)
                .enter(EnterKey::Breaks)
                .hint("Files, checks, anything the title does not say");
            field.max_chars(20_000).show(ui, &mut step.details);
            if all.len() < 2 {
                return;
            }
            ui.label(Text::Caption.rich("Comes after", theme::palette(ui).text_3));
            for (number, title) in all.iter().filter(|(number, _)| *number != step.number) {
                let mut on = step.depends_on.contains(number);
                let title = if title.trim().is_empty() { "no title yet" } else { title };
                if check(ui, &mut on, &format!("{number}  {title}")).changed() {
                    step.depends_on.retain(|other| other != number);
                    if on {
                        step.depends_on.push(*number);
                        step.depends_on.sort_unstable();
                    }
                }
            }
            ui.add_space(6.0);
        });
    });
}

fn progress(steps: &[Subtask]) -> (usize, usize) {
    let done = steps.iter().filter(|step| step.state == SubtaskState::Done).count();
    (done, steps.iter().filter(|step| step.state != SubtaskState::Dropped).count())
}

/// The number of the step behind `at`; a new one where there is none, if the plan may have one more.
fn next(steps: &mut Vec<Subtask>, at: usize) -> Option<u32> {
    if let Some(step) = steps.get(at + 1) {
        return Some(step.number);
    }
    let number = steps.iter().map(|step| step.number).max().unwrap_or(0) + 1;
    (steps.len() < STEPS_MAX).then(|| {
        steps.push(Subtask { number, ..Subtask::default() });
        number
    })
}

/// Numbers are how people and agents name a step: they stay with it, wherever it goes.
fn change(steps: &mut Vec<Subtask>, at: usize, what: Move) {
    match what {
        Move::Up if at > 0 => steps.swap(at - 1, at),
        Move::Down if at + 1 < steps.len() => steps.swap(at, at + 1),
        Move::Up | Move::Down | Move::Next => {}
        Move::Remove => {
            let number = steps.remove(at).number;
            for step in steps {
                step.depends_on.retain(|other| *other != number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: u32, depends_on: &[u32]) -> Subtask {
        Subtask { number, depends_on: depends_on.to_vec(), ..Subtask::default() }
    }

    #[test]
    fn a_removed_step_leaves_no_one_waiting_for_it() {
        let mut steps = vec![step(1, &[]), step(2, &[1]), step(3, &[1, 2])];
        change(&mut steps, 0, Move::Remove);
        assert_eq!(steps, [step(2, &[]), step(3, &[2])]);
    }

    #[test]
    fn behind_the_last_step_comes_a_new_one_of_its_own_number() {
        let mut steps = vec![step(4, &[]), step(2, &[])];
        assert_eq!(next(&mut steps, 0), Some(2));
        assert_eq!(steps.len(), 2);
        assert_eq!(next(&mut steps, 1), Some(5));
        assert_eq!(steps.len(), 3);
        assert_eq!(next(&mut Vec::new(), 0), Some(1));
        let mut full: Vec<Subtask> = (1..=500).map(|number| step(number, &[])).collect();
        assert_eq!(next(&mut full, 499), None);
    }

    #[test]
    fn steps_move_with_their_numbers_and_stop_at_the_ends() {
        let mut steps = vec![step(1, &[]), step(2, &[])];
        change(&mut steps, 1, Move::Up);
        assert_eq!(steps, [step(2, &[]), step(1, &[])]);
        change(&mut steps, 0, Move::Up);
        change(&mut steps, 1, Move::Down);
        assert_eq!(steps, [step(2, &[]), step(1, &[])]);
    }
}
