use egui::{Event, Modifiers, MouseWheelUnit, vec2};
use egui_kittest::Harness;

use super::*;

struct Rows {
    heights: Vec<(u64, u64, f32)>,
    version: u64,
}

impl Rows {
    fn new(count: u64) -> Self {
        Self {
            heights: (0..count).map(|key| (key, 0, 30.0 + f32::from((key % 7) as u8) * 10.0)).collect(),
            version: 0,
        }
    }

    fn grow_last(&mut self, by: f32) {
        if let Some(last) = self.heights.last_mut() {
            last.1 += 1;
            last.2 += by;
        }
    }
}

impl RowSource for Rows {
    fn len(&self) -> usize {
        self.heights.len()
    }
    fn row(&self, index: usize) -> (u64, u64) {
        let (key, revision, _) = self.heights[index];
        (key, revision)
    }
    fn estimate(&self, _index: usize, _width: f32) -> f32 {
        45.0
    }
    fn version(&self) -> u64 {
        self.version
    }
}

struct Case {
    rows: Rows,
    list: VirtualList,
    out: ListOutput,
    /// Row key and its top on the screen, of the last frame.
    tops: Vec<(u64, f32)>,
}

impl Case {
    fn top_of(&self, key: u64) -> f32 {
        self.tops.iter().find(|(own, _)| *own == key).map_or(f32::NAN, |(_, top)| *top)
    }
}

fn harness(rows: Rows, list: VirtualList) -> Harness<'static, Case> {
    let case = Case { rows, list, out: ListOutput::default(), tops: Vec::new() };
    let mut harness = Harness::builder().with_size([300.0, 400.0]).with_max_steps(40).build_ui_state(
        |ui, case: &mut Case| {
            let mut tops = Vec::new();
            let rows = &case.rows;
            case.out = case.list.show(ui, "list", rows, |ui, index| {
                let (key, _, height) = rows.heights[index];
                let (rect, _) = ui.allocate_exact_size(vec2(100.0, height), egui::Sense::hover());
                if rect.top() > -1.0e4 {
                    tops.push((key, rect.top()));
                }
            });
            case.tops = tops;
        },
        case,
    );
    harness.run();
    harness
}

fn wheel(harness: &mut Harness<'_, Case>, points: f32) {
    harness.hover_at(pos2(100.0, 200.0));
    harness.step();
    harness.event(Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: vec2(0.0, points),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    });
    harness.run();
}

#[test]
fn only_rows_in_view_are_drawn_of_a_hundred_thousand() {
    let harness = harness(Rows::new(100_000), VirtualList::at_bottom());
    let case = harness.state();
    assert!(case.tops.len() < 20, "{}", case.tops.len());
    assert!(case.out.at_bottom);
    assert_eq!(case.tops.last().map(|(key, _)| *key), Some(99_999));
}

#[test]
fn a_new_list_starts_at_the_top_and_a_following_one_at_the_end() {
    let top = harness(Rows::new(50), VirtualList::default());
    assert_eq!(top.state().tops.first().map(|(key, _)| *key), Some(0));
    assert!(!top.state().out.at_bottom);
    let end = harness(Rows::new(50), VirtualList::at_bottom());
    assert!(end.state().out.at_bottom);
}

#[test]
fn growth_at_the_end_is_followed() {
    let mut harness = harness(Rows::new(50), VirtualList::at_bottom());
    for _ in 0..5 {
        harness.state_mut().rows.grow_last(33.0);
        harness.run();
        let case = harness.state();
        assert!(case.out.at_bottom);
        let bottom = case.top_of(49) + case.rows.heights[49].2;
        let edge = case.out.rect.map_or(0.0, |rect| rect.bottom());
        assert!((bottom - edge).abs() < 1.5, "{bottom} {edge}");
    }
}

#[test]
fn scrolling_up_releases_and_the_text_stands_still_while_more_arrives() {
    let mut harness = harness(Rows::new(50), VirtualList::at_bottom());
    wheel(&mut harness, 200.0);
    assert!(!harness.state().list.follows());
    assert!(!harness.state().out.at_bottom);
    let key = harness.state().tops[3].0;
    let before = harness.state().top_of(key);
    for round in 0..10 {
        harness.state_mut().rows.grow_last(40.0);
        if round == 5 {
            harness.state_mut().rows.heights.push((1_000, 0, 80.0));
            harness.state_mut().rows.version += 1;
        }
        harness.run();
        assert!((harness.state().top_of(key) - before).abs() < 1.0, "round {round}");
    }
    wheel(&mut harness, -5_000.0);
    assert!(harness.state().list.follows());
    assert!(harness.state().out.at_bottom);
}

#[test]
fn rows_inserted_above_and_a_new_width_do_not_move_what_is_read() {
    let mut harness = harness(Rows::new(200), VirtualList::default());
    wheel(&mut harness, -3_000.0);
    let key = harness.state().tops[3].0;
    let before = harness.state().top_of(key);
    for extra in 0..20 {
        harness.state_mut().rows.heights.insert(0, (5_000 + extra, 0, 77.0));
    }
    harness.state_mut().rows.version += 1;
    harness.run();
    assert!((harness.state().top_of(key) - before).abs() < 1.0);
    harness.set_size(vec2(260.0, 400.0));
    harness.run();
    assert!((harness.state().top_of(key) - before).abs() < 31.0);
}

#[test]
fn a_row_can_be_gone_to_and_unknown_keys_do_nothing() {
    let mut harness = harness(Rows::new(10_000), VirtualList::at_bottom());
    harness.state_mut().list.scroll_to(4_321);
    harness.run();
    let top = harness.state().top_of(4_321);
    assert!((0.0..120.0).contains(&top), "{top}");
    harness.state_mut().list.scroll_to(99_999_999);
    harness.run();
    assert!((harness.state().top_of(4_321) - top).abs() < 1.0);
    harness.state_mut().list.scroll_to_bottom();
    harness.run();
    assert!(harness.state().out.at_bottom);
}

#[test]
fn an_empty_list_and_a_short_one_are_at_their_end() {
    for count in [0, 2] {
        let harness = harness(Rows::new(count), VirtualList::at_bottom());
        assert!(harness.state().out.at_bottom, "{count}");
    }
}

#[test]
#[ignore = "prints timings"]
fn timings_of_a_hundred_thousand_rows() {
    let start = std::time::Instant::now();
    let mut list = VirtualList::at_bottom();
    list.sync(&Rows::new(100_000), 300.0);
    println!("open {:?}", start.elapsed());
    let mut harness = harness(Rows::new(100_000), VirtualList::at_bottom());
    let start = std::time::Instant::now();
    harness.run_steps(100);
    println!("frame at rest {:?}", start.elapsed() / 100);
    assert!(harness.state().out.at_bottom);
}
