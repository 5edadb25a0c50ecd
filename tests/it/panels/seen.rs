//! What the eye would stumble over: things that cover each other, stand beside their place, or are out of reach.

use egui::{Key, Modifiers, Vec2};
use tunaflow::api::command::{ChatCommand, Command};
use tunaflow::model::pack::Mode;
use tunaflow::model::settings::ThemeChoice;
use tunaflow::ui::testing::{self, SHOWN, fixture};

use super::bench::{Bench, LARGE, SMALL};

/// The direction of reading is not turned in what one is asked to allow.
#[test]
fn nothing_hides_in_what_is_asked() {
    let mut bench = Bench::of("streaming");
    bench.publish(|snap| {
        testing::put_asks(snap, vec![testing::ask("one", SHOWN, "ls \u{202e}fr- mr\u{200b} # \u{1b}[2J")]);
    });
    assert!(bench.has("ls \\u{202e}fr- mr\\u{200b} # \\u{1b}[2J"));
}

#[test]
fn enter_in_a_step_leads_to_the_next() {
    let mut bench = Bench::of("project-empty");
    bench.click("New plan");
    bench.type_text("A plan");
    bench.click("Add a step");
    bench.key(Modifiers::NONE, Key::Enter);
    assert!(!bench.has("Step 2: To do"), "a step without a title is not finished");
    bench.type_text("First");
    bench.key(Modifiers::NONE, Key::Enter);
    bench.steps(2);
    bench.type_text("Second");
    assert!(bench.has("Step 2: To do"));
    bench.click("Save plan");
    let titles: Vec<String> = bench
        .sent()
        .into_iter()
        .find_map(|command| match command {
            Command::Knowledge(tunaflow::api::command::KnowledgeCommand::PutPlan(plan)) => {
                Some(plan.body.subtasks.into_iter().map(|step| step.title).collect())
            }
            _ => None,
        })
        .unwrap_or_default();
    assert_eq!(titles, ["First", "Second"]);
}

#[test]
fn the_mode_is_changed_where_the_context_is_looked_at() {
    let mut bench = Bench::of("inspector");
    bench.sent();
    bench.click_part("Context mode: Standard");
    bench.click("Full");
    let seat = bench.sent().into_iter().find_map(|command| match command {
        Command::Chat(ChatCommand::SetSeat { conversation: SHOWN, seat }) => Some(seat),
        _ => None,
    });
    let Some(seat) = seat else { panic!("no seat was sent") };
    assert_eq!(seat.mode, Some(Mode::Full));
    bench.publish(|snap| testing::put_seat(snap, seat.clone()));
    let previews = bench.sent().iter().filter(|command| is_preview(command)).count();
    assert_eq!(previews, 1, "what the next message would carry is put together anew, once");
    bench.steps(4);
    assert!(bench.sent().is_empty());
}

fn is_preview(command: &Command) -> bool {
    matches!(command, Command::Chat(ChatCommand::PreviewPack { conversation: SHOWN, .. }))
}

#[test]
fn what_was_sent_keeps_its_mode() {
    let bench = Bench::of("inspector-sent");
    assert!(!bench.has_part("Context mode: "));
}

#[test]
fn f6_stops_at_the_head_of_every_page() {
    for (name, tab) in [("project-plans", "Project"), ("profiles", "Settings")] {
        let mut bench = Bench::of(name);
        let heads = (0..6).filter(|_| {
            bench.key(Modifiers::NONE, Key::F6);
            bench.focused_name().as_deref() == Some(tab)
        });
        assert!(heads.count() >= 1, "{name}: no stop at {tab}");
    }
}

/// The bar of an answer lies in its head, left of the time: neither its own nor that of the message above is covered.
#[test]
fn the_bar_of_an_answer_covers_no_time() {
    for size in [LARGE, SMALL] {
        let mut bench = Bench::with(fixture("chat"), size, ThemeChoice::Light);
        bench.hover_part("Message from Architect");
        let (Some(first), Some(last)) = (bench.rect_of("Copy"), bench.rect_of("More")) else {
            panic!("no bar at {size}");
        };
        let bar = first.union(last);
        for control in bench.controls() {
            let time = control.name.contains("14:0") && control.name.chars().count() < 60;
            assert!(!time || !control.rect.intersects(bar), "{size}: {} under {bar}", control.name);
        }
        let own = bench.controls().into_iter().find(|control| control.name == "Message from You");
        assert!(own.is_none_or(|own| !own.rect.intersects(bar)), "{size}: the message above");
    }
}

#[test]
fn a_message_is_edited_where_it_stands() {
    let mut bench = Bench::of("chat");
    let before = bench.rect_of("Message from You").map_or(0.0, |rect| rect.left());
    bench.focus("Message");
    bench.key(Modifiers::NONE, Key::ArrowUp);
    let field = bench.rect_of("Edited message").map_or(0.0, |rect| rect.left());
    assert!((field - before - 28.0).abs() < 2.0, "{before} and {field}");
}

/// Tab goes through the composer as the eye does, from left to right.
#[test]
fn the_composer_is_walked_from_left_to_right() {
    let mut bench = Bench::of("chat");
    bench.focus("Message");
    let mut lefts = Vec::new();
    for _ in 0..4 {
        bench.key(Modifiers::NONE, Key::Tab);
        let rect = bench.focused_name().and_then(|name| bench.rect_of(&name));
        lefts.push(rect.map_or(f32::NAN, |rect| rect.left()));
    }
    assert!(lefts.is_sorted() && lefts.iter().all(|left| *left > 300.0), "{lefts:?}");
}

#[test]
fn a_long_list_is_narrowed_by_words() {
    let mut bench = Bench::of("project-long");
    let before = rows(&bench);
    assert!(before > 5, "{before} rows");
    bench.focus("Find a plan");
    bench.type_text("zzz");
    assert!(bench.has("Nothing with these words.") && rows(&bench) == 0);
    bench.key(Modifiers::NONE, Key::Escape);
    assert_eq!(rows(&bench), before, "Esc empties the field first");
}

fn rows(bench: &Bench) -> usize {
    bench.controls().iter().filter(|control| control.name.starts_with("Remove plan: ")).count()
}

/// A document of hundreds of lines gets all the lines a field may have, also below other fields.
#[test]
fn a_long_document_has_room_in_its_form() {
    let mut bench = Bench::of("project-plans");
    bench.publish(|snap| {
        let mut known = (*snap.knowledge).clone();
        let mut plans = known.plans.to_vec();
        let mut plan = (*plans[0]).clone();
        plan.document = "A line.\n".repeat(20_000);
        plans[0] = plan.into();
        known.plans = plans.into();
        snap.knowledge = known.into();
    });
    bench.click("Grace window for token refresh");
    bench.focus("Document of the plan");
    bench.steps(4);
    let frame = bench.rect_of("Document of the plan").map_or(0.0, |rect| rect.height());
    assert!(frame > 250.0, "{frame}");
}

#[test]
fn a_form_begins_at_its_top_and_the_list_keeps_its_place() {
    let mut bench = Bench::of("project-long");
    bench.scroll(-900.0);
    let name = bench.controls().into_iter().find_map(|control| {
        let name = control.name.strip_prefix("Remove plan: ")?.to_owned();
        (300.0..700.0).contains(&control.rect.top()).then_some(name)
    });
    let Some(name) = name else { panic!("no row") };
    let place = bench.rect_of(&name).map(|rect| rect.top());
    bench.click(&name);
    assert!(bench.rect_of("Title of the plan").is_some_and(|rect| rect.top() > 90.0));
    bench.key(Modifiers::NONE, Key::Escape);
    bench.steps(3);
    assert_eq!(bench.rect_of(&name).map(|rect| rect.top()), place);
}

/// A window of 1280 x 800 at 175 %.
#[test]
fn all_pages_of_settings_and_project_are_in_reach_at_175_percent() {
    let size = Vec2::new(731.0, 457.0);
    for (name, pages) in [
        ("profiles", &["Engines", "Servers and agents", "Appearance", "Keys", "Notifications", "Data"][..]),
        ("project-plans", &["Plans", "Findings", "Agreements", "Artifacts", "Links", "Skills"][..]),
    ] {
        let bench = Bench::with(fixture(name), size, ThemeChoice::Dark);
        for page in pages {
            let rect = bench.rect_of(page).unwrap_or(egui::Rect::NOTHING);
            let inside = rect.is_positive() && rect.right() <= size.x && rect.bottom() <= size.y;
            assert!(inside, "{name}: {page} at {rect}");
        }
    }
}
