use egui::{Event, ImeEvent, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

use super::{EnterKey, TextField, is_big};

#[derive(Default)]
struct Seen {
    text: String,
    sent: Vec<String>,
    cancelled: u32,
    big: Option<String>,
}

fn field(enter: EnterKey) -> Harness<'static, Seen> {
    let mut harness = Harness::builder().with_size([400.0, 200.0]).allow_missing_glyphs().build_ui_state(
        move |ui, seen: &mut Seen| {
            let out = TextField::multi("composer", "Message", 2, 8)
                .enter(enter)
                .max_chars(500)
                .report_big_paste()
                .show(ui, &mut seen.text);
            seen.cancelled += u32::from(out.cancelled);
            seen.big = out.big_paste.or(seen.big.take());
            if out.submitted {
                seen.sent.push(std::mem::take(&mut seen.text));
            }
        },
        Seen::default(),
    );
    crate::ui::theme::install(&harness.ctx, crate::ui::theme::Preference::Dark);
    harness.run();
    harness.get_by_label("Message").focus();
    harness.run();
    harness
}

fn preedit(text: &str) -> Event {
    Event::Ime(ImeEvent::Preedit { text: text.to_owned(), active_range_chars: None })
}

fn commit(text: &str) -> Event {
    Event::Ime(ImeEvent::Commit(text.to_owned()))
}

fn key(key: Key, modifiers: Modifiers) -> Event {
    Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers }
}

#[test]
fn the_enter_that_confirms_a_composition_sends_nothing_and_the_next_one_sends() {
    let cases = [("안녕", "안녕"), ("にほん", "日本"), ("nihao", "你好")];
    for (composed, confirmed) in cases {
        for key_first in [false, true] {
            let mut harness = field(EnterKey::Submits);
            harness.event(preedit(composed));
            harness.step();
            let mut pair = vec![commit(confirmed), key(Key::Enter, Modifiers::NONE)];
            if key_first {
                pair.reverse();
            }
            for event in pair {
                harness.input_mut().events.push(event);
            }
            harness.step();
            assert_eq!(harness.state().sent, Vec::<String>::new(), "{composed}");
            assert_eq!(harness.state().text, confirmed);
            harness.event(key(Key::Enter, Modifiers::NONE));
            harness.step();
            assert_eq!(harness.state().sent, vec![confirmed.to_owned()]);
            assert_eq!(harness.state().text, "");
        }
    }
}

#[test]
fn enter_before_the_commit_frame_also_belongs_to_the_input_method() {
    let mut harness = field(EnterKey::Submits);
    harness.event(preedit("안녕"));
    harness.step();
    harness.event(key(Key::Enter, Modifiers::NONE));
    harness.step();
    harness.event(commit("안녕"));
    harness.step();
    assert!(harness.state().sent.is_empty());
    assert_eq!(harness.state().text, "안녕");
}

#[test]
fn escape_backspace_and_arrows_do_not_touch_the_text_while_composing() {
    let mut harness = field(EnterKey::Submits);
    harness.event(Event::Text("앞".to_owned()));
    harness.step();
    harness.event(preedit("한"));
    harness.step();
    for pressed in [Key::Backspace, Key::ArrowLeft, Key::Escape, Key::Tab] {
        harness.event(key(pressed, Modifiers::NONE));
        harness.step();
    }
    harness.event(commit("한"));
    harness.step();
    assert_eq!(harness.state().text, "앞한");
    assert_eq!(harness.state().cancelled, 0);
    harness.event(key(Key::Escape, Modifiers::NONE));
    harness.step();
    assert_eq!(harness.state().cancelled, 1);
}

#[test]
fn an_abandoned_composition_leaves_nothing_and_gives_the_keys_back() {
    let mut harness = field(EnterKey::Submits);
    harness.event(preedit("ㅎ"));
    harness.step();
    harness.event(preedit(""));
    harness.step();
    assert_eq!(harness.state().text, "");
    harness.event(Event::Text("a".to_owned()));
    harness.step();
    harness.event(key(Key::Enter, Modifiers::NONE));
    harness.step();
    assert_eq!(harness.state().sent, vec!["a".to_owned()]);
}

#[test]
fn enter_and_shift_enter_can_be_swapped() {
    let cases = [
        (EnterKey::Submits, Modifiers::NONE, true),
        (EnterKey::Submits, Modifiers::SHIFT, false),
        (EnterKey::Breaks, Modifiers::NONE, false),
        (EnterKey::Breaks, Modifiers::SHIFT, true),
    ];
    for (enter, modifiers, sends) in cases {
        let mut harness = field(enter);
        harness.event(Event::Text("a".to_owned()));
        harness.step();
        harness.event_modifiers(key(Key::Enter, modifiers), modifiers);
        harness.step();
        assert_eq!(harness.state().sent.len(), usize::from(sends), "{enter:?} {modifiers:?}");
        if !sends {
            assert_eq!(harness.state().text, "a\n", "{enter:?} {modifiers:?}");
        }
    }
}

#[test]
fn letters_after_enter_in_the_same_frame_are_not_sent_with_it() {
    let mut harness = field(EnterKey::Submits);
    for event in
        [Event::Text("one".to_owned()), key(Key::Enter, Modifiers::NONE), Event::Text("two".to_owned())]
    {
        harness.input_mut().events.push(event);
    }
    harness.run();
    assert_eq!(harness.state().sent, vec!["one".to_owned()]);
    assert_eq!(harness.state().text, "two");
}

#[test]
fn a_big_paste_is_reported_and_a_small_one_inserted() {
    let mut harness = field(EnterKey::Submits);
    harness.event(Event::Paste("small".to_owned()));
    harness.step();
    let big = "line\n".repeat(15_000);
    harness.event(Event::Paste(big.clone()));
    harness.step();
    assert_eq!(harness.state().text, "small");
    assert_eq!(harness.state().big.as_deref(), Some(big.as_str()));
}

#[test]
fn the_text_is_capped_in_chars() {
    let mut harness = field(EnterKey::Submits);
    harness.event(Event::Paste("가".repeat(700)));
    harness.step();
    assert_eq!(harness.state().text.chars().count(), 500);
}

#[test]
fn big_is_more_than_the_limits() {
    let cases = [
        ("가".repeat(2_000), false),
        ("가".repeat(2_001), true),
        ("a\n".repeat(30), false),
        ("a\n".repeat(31), true),
        (String::new(), false),
    ];
    for (text, big) in cases {
        assert_eq!(is_big(&text), big, "{} chars", text.chars().count());
    }
}
