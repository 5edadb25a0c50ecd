use std::sync::Arc;

use proptest::prelude::*;

use super::*;

fn whole(text: &str) -> Vec<Arc<Block>> {
    StreamDoc::whole(text).blocks()
}

fn kinds(text: &str) -> Vec<Kind> {
    whole(text).iter().flat_map(|block| block.leaves.iter().map(|leaf| leaf.kind.clone())).collect()
}

fn plain(kind: &Kind) -> String {
    match kind {
        Kind::Text { runs, .. } => runs.iter().map(|run| run.text.as_str()).collect(),
        Kind::Code { text, .. } => text.to_string(),
        Kind::Table(_) => "table".to_owned(),
        Kind::Rule => "rule".to_owned(),
    }
}

#[test]
fn blocks_of_every_kind_are_read() {
    let cases: [(&str, &[&str]); 12] = [
        ("# A\n\nb\nc", &["A", "b\nc"]),
        ("- a\n- b\n  - c", &["a", "b", "c"]),
        ("1. a\n2. b", &["a", "b"]),
        ("> q\n\nafter", &["q", "after"]),
        ("```rust\nfn a() {}\n```\nend", &["fn a() {}", "end"]),
        ("| a | b |\n|---|--:|\n| 1 | 2 |", &["table"]),
        ("a\n\n---\n\nb", &["a", "rule", "b"]),
        ("<b>html</b>", &["<b>html</b>"]),
        ("![alt text](http://x/y.png)", &["image: alt text"]),
        ("[a]: http://x\n\nsee [a]", &["[a]: http://x", "see [a]"]),
        ("    indented", &["indented"]),
        ("\u{1b}[1mbold\u{1b}[0m", &["bold"]),
    ];
    for (text, expected) in cases {
        let got: Vec<String> = kinds(text).iter().map(plain).collect();
        assert_eq!(got, expected, "{text:?}");
    }
}

#[test]
fn only_web_targets_become_links() {
    let cases = [
        ("[a](https://x.org)", 1),
        ("[a](HTTP://x.org)", 1),
        ("[a](javascript:alert(1))", 0),
        ("[a](file:///etc/passwd)", 0),
        ("[a](/relative)", 0),
        ("![a](https://x.org/i.png)", 1),
        ("<https://x.org>", 1),
    ];
    for (text, count) in cases {
        let links: usize =
            whole(text).iter().flat_map(|block| &block.leaves).map(|leaf| leaf.links.len()).sum();
        assert_eq!(links, count, "{text}");
    }
}

#[test]
fn tasks_and_numbers_keep_their_markers() {
    let blocks = whole("3. a\n4. b\n\ntext\n\n- [x] done\n- [ ] open");
    let markers: Vec<_> =
        blocks.iter().flat_map(|block| &block.leaves).filter_map(|leaf| leaf.marker.clone()).collect();
    let expected = [Marker::Number(3), Marker::Number(4), Marker::Task(true), Marker::Task(false)];
    assert_eq!(markers, expected);
}

#[test]
fn an_open_fence_is_code_at_once_and_stays_code() {
    let text = "before\n\n```rust\nfn main() {\n    // `a` ~~~ b\n```\n\nafter";
    let mut doc = StreamDoc::default();
    let mut was_code = false;
    for (index, _) in text.char_indices() {
        doc.update(text.get(..index).unwrap());
        let is_code =
            doc.blocks().iter().flat_map(|b| b.leaves.clone()).any(|l| matches!(l.kind, Kind::Code { .. }));
        assert!(is_code || !was_code, "code turned back at {index}");
        was_code = is_code;
        let shown: String =
            doc.blocks().iter().flat_map(|b| b.leaves.clone()).map(|l| plain(&l.kind)).collect();
        assert!(!shown.contains("```"), "{shown}");
    }
    assert!(was_code);
}

#[test]
fn a_text_that_is_not_a_continuation_starts_over() {
    let mut doc = StreamDoc::default();
    doc.update("one\n\ntwo");
    doc.update("other");
    doc.finish();
    assert_eq!(doc.blocks(), whole("other"));
}

#[test]
fn settled_blocks_are_kept_and_not_parsed_again() {
    let mut doc = StreamDoc::default();
    doc.push("one\n\ntwo\n\nthr");
    let first = Arc::clone(&doc.settled()[0]);
    doc.push("ee\n\nfour");
    assert!(Arc::ptr_eq(&first, &doc.settled()[0]));
    assert_eq!(doc.settled().len(), 2);
}

#[test]
fn a_long_answer_in_small_pieces_equals_the_whole() {
    let part = "Text with `code` and **bold**.\n\n- a\n- b\n\n```rust\nfn f() {}\n```\n\n";
    let text = part.repeat(1_500);
    let mut doc = StreamDoc::default();
    let mut from = 0;
    while from < text.len() {
        let to = (from + 50).min(text.len());
        doc.push(text.get(from..to).unwrap());
        from = to;
    }
    doc.finish();
    assert!(doc.blocks() == whole(&text));
}

fn pieces() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("# head\n"),
        Just("text "),
        Just("line\n"),
        Just("\n"),
        Just("\n\n"),
        Just("- item\n"),
        Just("  - sub\n"),
        Just("1. one\n"),
        Just("> quote\n"),
        Just("```\n"),
        Just("```rust\n"),
        Just("~~~~\n"),
        Just("    deep\n"),
        Just("| a | b |\n"),
        Just("|---|---|\n"),
        Just("**b** _i_ ~~s~~ `c`"),
        Just("[l](http://x)\n"),
        Just("---\n"),
        Just("===\n"),
        Just("<div>\n"),
        Just("</div>\n"),
        Just("[a]: /u\n"),
        Just("[a]\n"),
        Just("\t"),
        Just("한글 😀\n"),
        Just("- [ ] t\n"),
        Just("* star\n"),
        Just("   "),
        Just("\r\n"),
        Just("\u{1b}[1m"),
        Just("<!-- c\n"),
        Just("-->\n"),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn any_cut_gives_the_blocks_of_the_whole(text in pieces(), cuts in prop::collection::vec(0_usize..400, 0..12)) {
        let mut ends: Vec<usize> = cuts.into_iter().filter(|at| text.is_char_boundary(*at)).collect();
        ends.sort_unstable();
        let mut doc = StreamDoc::default();
        let mut from = 0;
        for end in ends.into_iter().chain([text.len()]) {
            if end > from {
                doc.push(text.get(from..end).unwrap());
                doc.live();
                from = end;
            }
        }
        doc.finish();
        prop_assert_eq!(doc.blocks(), whole(&text));
    }
}

#[test]
fn what_is_far_out_of_sight_keeps_its_room() {
    let part = "Words with **some** bold.\n\n- one\n- two\n\n```rust\nfn f() {}\n```\n\n## Next\n\n";
    let whole_text = part.repeat(120);
    let ctx = egui::Context::default();
    crate::ui::theme::install(&ctx, crate::ui::theme::Preference::Dark);
    let draw = |doc: &mut StreamDoc, markdown: &mut Markdown, above: f32| {
        let screen = egui::Rect::from_min_size(egui::pos2(0.0, 0.0), egui::vec2(500.0, 300.0));
        let input = egui::RawInput { screen_rect: Some(screen), ..Default::default() };
        let mut height = 0.0;
        let mut output = ctx.run_ui(input, |ui| {
            let at = egui::Rect::from_min_size(egui::pos2(0.0, -above), egui::vec2(500.0, f32::INFINITY));
            let mut child = ui.new_child(egui::UiBuilder::new().max_rect(at));
            assert_eq!(markdown.show(&mut child, doc, crate::ui::theme::Text::Read), None);
            height = child.min_rect().height();
        });
        output.textures_delta.clear();
        (height, output.shapes.len())
    };
    let (mut fresh, mut grown) = (StreamDoc::whole(&whole_text), StreamDoc::default());
    let mut markdown = Markdown::default();
    let (all, _) = draw(&mut fresh, &mut markdown, 0.0);
    assert!(all > 5_000.0, "{all}");
    for lines in 1..=60 {
        let end = whole_text.len() * lines / 60;
        grown.update(whole_text.get(..end).unwrap_or_default());
        draw(&mut grown, &mut markdown, 0.0);
    }
    grown.finish();
    for above in [0.0, 2_000.0, all - 300.0, 1_000.0] {
        for doc in [&mut fresh, &mut grown] {
            let (height, shapes) = draw(doc, &mut markdown, above);
            assert!((height - all).abs() < 2.0, "{height} of {all} from {above}");
            assert!(shapes > 2, "nothing is drawn at {above}");
        }
    }
}
