use egui::{
    Context, Event, EventFilter, Frame, Id, Key, Margin, Modifiers, Rect, Role, Sense, Stroke, StrokeKind,
    Ui, WidgetInfo, pos2, vec2,
};

use crate::model::settings::KeyOverrides;
use crate::ui::action::UiAction;
use crate::ui::keys::{Chord, KeyMap, Platform, Refusal, Row, edit, held_words, is_modifier, refusal};
use crate::ui::theme::{self, Text};
use crate::ui::widgets::Button;
use crate::ui::widgets::paint;
use crate::ui::widgets::text_field;

use super::row::{self, PAD, ROW, key_id};

/// Waits for the keys of one command.
#[derive(Default)]
pub(super) struct Recorder {
    now: Option<Recording>,
}

struct Recording {
    action: UiAction,
    slot: Option<usize>,
    by_keyboard: bool,
    step: Step,
    /// Not drawn yet.
    fresh: bool,
    /// Drawn in this frame; a row that is gone from the table ends the recording.
    drawn: bool,
    heard: Option<Heard>,
}

#[derive(Clone, Copy)]
enum Step {
    /// Waits for a press; the one before could not be used.
    Listens(Option<(Chord, Refusal)>),
    /// The combination runs another command: the user is asked.
    Asks { chord: Chord, other: UiAction },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    Press(Chord),
    Cancel,
    Clear,
}

const BOX: f32 = 190.0;

fn box_id() -> Id {
    Id::unique("key recorder")
}

impl Recorder {
    pub fn start(&mut self, action: UiAction, slot: Option<usize>, by_keyboard: bool) {
        let step = Step::Listens(None);
        self.now = Some(Recording { action, slot, by_keyboard, step, fresh: true, drawn: true, heard: None });
    }

    /// Ends the recording without a change. `false` when there was none.
    pub fn cancel(&mut self) -> bool {
        self.now.take().is_some()
    }

    pub fn records(&self, action: UiAction) -> bool {
        self.now.as_ref().is_some_and(|now| now.action == action)
    }

    /// Takes keys out of the input while it waits for some. True while it does.
    pub fn listen(&mut self, ctx: &Context, platform: Platform) -> bool {
        let Some(now) = &mut self.now else { return false };
        if !matches!(now.step, Step::Listens(_)) || text_field::composing(ctx) {
            return false;
        }
        ctx.input_mut(|input| {
            let held = input.modifiers;
            input.events.retain(|event| {
                if now.heard.is_none() {
                    now.heard = hear(event, held, platform);
                }
                !is_typing(event)
            });
        });
        true
    }

    /// Does what was heard, before the page is drawn.
    pub fn take_heard(&mut self, ctx: &Context, map: &KeyMap, chosen: &mut KeyOverrides) {
        let Some(now) = &mut self.now else { return };
        let (action, slot) = (now.action, now.slot);
        match now.heard.take() {
            None => return,
            Some(Heard::Cancel) => {}
            Some(Heard::Clear) => {
                if let Some(slot) = slot {
                    edit::clear(chosen, map, action, slot);
                }
            }
            Some(Heard::Press(chord)) => {
                if let Some(why) = refusal(chord, map.platform) {
                    now.step = Step::Listens(Some((chord, why)));
                    return;
                }
                if let Some(other) = map.owner(chord).filter(|owner| *owner != action) {
                    now.step = Step::Asks { chord, other };
                    now.fresh = true;
                    return;
                }
                edit::assign(chosen, map, action, slot, chord);
            }
        }
        self.finish(ctx, chosen, map.platform);
    }

    /// Ends the recording; the keyboard goes back to where it came from.
    fn finish(&mut self, ctx: &Context, chosen: &KeyOverrides, platform: Platform) {
        let Some(now) = self.now.take() else { return };
        if now.by_keyboard {
            let map = KeyMap::of(chosen, platform);
            let count = map.row(now.action).map_or(0, |row| row.chords.len());
            let id = key_id(now.action, now.slot.filter(|slot| *slot < count));
            ctx.memory_mut(|memory| memory.request_focus(id));
        }
    }

    /// A row that was not drawn is no longer recorded.
    pub fn end_frame(&mut self) {
        if let Some(now) = &mut self.now
            && !std::mem::take(&mut now.drawn)
        {
            self.now = None;
        }
    }

    /// The row of the command while its keys are recorded.
    pub fn ui(&mut self, ui: &mut Ui, map: &KeyMap, row: &Row, chosen: &mut KeyOverrides) {
        let Some(now) = &mut self.now else { return };
        now.drawn = true;
        let p = theme::palette(ui);
        let fresh = std::mem::take(&mut now.fresh);
        let radius = theme::sizes().radius.control;
        let shown = Frame::NONE.fill(p.accent_tint).corner_radius(radius).show(ui, |ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
            let info = row.action.info();
            let icon_at = pos2(rect.left() + PAD + 7.0, rect.center().y);
            paint::icon(ui, icon_at, info.icon, 14.0, p.text_3);
            let room = rect.width() - BOX - 56.0;
            let galley = paint::line(ui, &info.text, Text::Ui.format(p.text_1), room);
            paint::left(ui, rect, rect.left() + PAD + 24.0, galley);
            let at = Rect::from_min_max(
                pos2(rect.right() - PAD - BOX, rect.center().y - 12.0),
                pos2(rect.right() - PAD, rect.center().y + 12.0),
            );
            match now.step {
                Step::Listens(refused) => {
                    let going = listen_box(ui, at, map, &info.text, refused);
                    if fresh {
                        ui.memory_mut(|memory| memory.request_focus(box_id()));
                    }
                    hint(ui, map, row, now.slot, refused);
                    Some(going || fresh).filter(|going| !going).map(|_| Answer::Cancel)
                }
                Step::Asks { chord, other } => {
                    fixed_box(ui, at, &chord.shown(map.platform));
                    ask(ui, map, chord, other, fresh)
                }
            }
        });
        if fresh {
            ui.scroll_to_rect(shown.response.rect.expand(12.0), None);
        }
        match (shown.inner, now.step) {
            (None, _) => {}
            (Some(Answer::Replace), Step::Asks { chord, .. }) => {
                edit::assign(chosen, map, now.action, now.slot, chord);
                self.finish(ui.ctx(), chosen, map.platform);
            }
            (Some(Answer::Back), _) => self.finish(ui.ctx(), chosen, map.platform),
            (Some(_), _) => self.now = None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Replace,
    /// Not this one, by the button.
    Back,
    /// The user went elsewhere.
    Cancel,
}

fn hear(event: &Event, held: Modifiers, platform: Platform) -> Option<Heard> {
    // Copy, cut and paste come as what they do and not as keys.
    let edit = |key| Some(Heard::Press(Chord::new(Modifiers::COMMAND, key)));
    match event {
        Event::Key { key, pressed: true, repeat: false, modifiers, .. } if !is_modifier(*key) => match key {
            Key::Escape if !modifiers.any() => Some(Heard::Cancel),
            Key::Backspace | Key::Delete if !modifiers.any() => Some(Heard::Clear),
            _ => Some(Heard::Press(Chord::of_press(*modifiers, *key, platform))),
        },
        Event::Copy if held.command => edit(Key::C),
        Event::Cut if held.command => edit(Key::X),
        Event::Paste(_) if held.command => edit(Key::V),
        _ => None,
    }
}

fn is_typing(event: &Event) -> bool {
    matches!(
        event,
        Event::Key { pressed: true, .. } | Event::Text(_) | Event::Paste(_) | Event::Copy | Event::Cut
    )
}

/// The box that waits; `false` when the keyboard has gone elsewhere.
fn listen_box(ui: &Ui, rect: Rect, map: &KeyMap, of: &str, refused: Option<(Chord, Refusal)>) -> bool {
    let p = theme::palette(ui);
    let response = ui.interact(rect, box_id(), Sense::click());
    let why =
        refused.map_or_else(String::new, |(chord, why)| format!(" {} {why}", chord.shown(map.platform)));
    let label = format!("Press the keys of {of}.{why}");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
    // Tab, the arrows and Esc are heard and move nothing.
    let all = EventFilter { tab: true, horizontal_arrows: true, vertical_arrows: true, escape: true };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(box_id(), all));
    let edge = Stroke::new(theme::sizes().stroke.focus, p.accent);
    ui.painter().rect(rect, theme::sizes().radius.chip, p.bg_canvas, edge, StrokeKind::Inside);
    let held = held_words(ui.input(|input| input.modifiers), map.platform);
    let (text, ink) = if held.is_empty() {
        ("Press keys…".to_owned(), p.text_2)
    } else {
        (format!("{} …", held.join(" ")), p.text_1)
    };
    let galley = paint::line(ui, &text, Text::Small.format(ink), rect.width() - 16.0);
    paint::left(ui, rect, rect.left() + 8.0, galley);
    response.has_focus() && !response.clicked_elsewhere()
}

fn fixed_box(ui: &Ui, rect: Rect, text: &str) {
    let p = theme::palette(ui);
    let edge = Stroke::new(1.0, p.warn);
    ui.painter().rect(rect, theme::sizes().radius.chip, p.bg_canvas, edge, StrokeKind::Inside);
    let galley = paint::line(ui, text, Text::Small.format(p.text_1), rect.width() - 16.0);
    paint::left(ui, rect, rect.left() + 8.0, galley);
}

fn hint(ui: &mut Ui, map: &KeyMap, row: &Row, slot: Option<usize>, refused: Option<(Chord, Refusal)>) {
    let p = theme::palette(ui);
    if let Some((chord, why)) = refused {
        row::note(ui, &format!("{} {why} Press other keys, or Esc.", chord.shown(map.platform)), p.error);
        return;
    }
    let text = match slot.and_then(|slot| row.chords.get(slot)) {
        Some(held) => {
            format!("Esc leaves it as it is, Backspace takes {} away.", held.chord.shown(map.platform))
        }
        None => "Esc leaves it as it is.".to_owned(),
    };
    row::note(ui, &text, p.text_2);
}

/// The question about a combination that another command has.
fn ask(ui: &mut Ui, map: &KeyMap, chord: Chord, other: UiAction, fresh: bool) -> Option<Answer> {
    let p = theme::palette(ui);
    let mut answer = None;
    let margin = Margin { left: 32, right: 8, top: 0, bottom: 8 };
    Frame::NONE.inner_margin(margin).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let text = format!("{} runs {} now.", chord.shown(map.platform), row::plain(other));
        ui.add(egui::Label::new(Text::Small.rich(text, p.warn)).wrap());
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            let replace =
                Button::secondary("Replace").tooltip("Takes the key from the other command.").show(ui);
            if fresh {
                replace.request_focus();
            }
            if replace.clicked() {
                answer = Some(Answer::Replace);
            }
            if Button::quiet("Cancel").key("Esc").show(ui).clicked() {
                answer = Some(Answer::Back);
            }
        });
    });
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(modifiers: Modifiers, key: Key) -> Event {
        Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }
    }

    #[test]
    fn a_press_is_heard_as_what_it_is() {
        let ctrl = Modifiers::CTRL.plus(Modifiers::COMMAND);
        let chord = |text: &str| Some(Heard::Press(Chord::parse(text).unwrap()));
        let cases = [
            (press(Modifiers::NONE, Key::Escape), None, Some(Heard::Cancel)),
            (press(Modifiers::NONE, Key::Delete), None, Some(Heard::Clear)),
            (press(ctrl, Key::Backspace), None, chord("Ctrl+Backspace")),
            (press(ctrl, Key::E), None, chord("Ctrl+E")),
            (press(ctrl, Key::ControlLeft), None, None),
            (Event::Copy, Some(ctrl), chord("Ctrl+C")),
            (Event::Paste("x".into()), Some(ctrl), chord("Ctrl+V")),
            (Event::Paste("x".into()), None, None),
            (Event::Text("k".into()), None, None),
        ];
        for (event, held, wanted) in cases {
            assert_eq!(hear(&event, held.unwrap_or_default(), Platform::Unix), wanted, "{event:?}");
        }
        let held = Event::Key {
            key: Key::Enter,
            physical_key: None,
            pressed: true,
            repeat: true,
            modifiers: Modifiers::NONE,
        };
        assert_eq!(hear(&held, Modifiers::NONE, Platform::Unix), None, "the press that opened it, held on");
    }
}
