use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation as _;

use super::{blocks, chars, grouped, keep_head, keep_head_and_tail, prefix, suffix};
use crate::context::fence::{closed, open_at_end};

/// Markdown with fences, lists, scripts and clusters of every awkward kind, its fences closed.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("```rust\nlet a = 1;\n```\n".to_owned()),
        Just("````\n```\n````\n".to_owned()),
        Just("- item one\n  more of it\n- item two\n".to_owned()),
        Just("# Heading\n\n".to_owned()),
        Just("\n".to_owned()),
        Just("```\nnever closed\n".to_owned()),
        Just("~~~\n".to_owned()),
        Just("안녕하세요 여러분 ".to_owned()),
        Just("👩‍👩‍👧‍👦🇰🇷🇰🇷👍🏽".to_owned()),
        Just("שלום עולם مرحبا ".to_owned()),
        Just("e\u{301}\u{302}o\u{308} ".to_owned()),
        "[a-z ]{0,40}".prop_map(|text| text + "\n"),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| closed(&pieces.concat()).into_owned())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn it_fits_and_its_fences_are_closed(text in markdown(), budget in 0_usize..700) {
        for cut in [keep_head(&text, budget, "more"), keep_head_and_tail(&text, budget)] {
            prop_assert!(chars(&cut.text) <= budget.max(chars(&text).min(budget)));
            prop_assert!(open_at_end(&cut.text).is_none(), "{:?}", cut.text);
            prop_assert_eq!(cut.cut_chars == 0, cut.text == text);
            if chars(&text) <= budget {
                prop_assert_eq!(&cut.text, &text);
            }
        }
    }

    #[test]
    fn cuts_fall_on_grapheme_borders(text in markdown(), limit in 0_usize..200) {
        let (head, tail) = (prefix(&text, limit), suffix(&text, limit));
        prop_assert!(chars(head) <= limit && chars(tail) <= limit);
        let borders: Vec<usize> =
            text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
        prop_assert!(borders.contains(&head.len()));
        prop_assert!(borders.contains(&(text.len() - tail.len())));
    }

    #[test]
    fn blocks_join_to_the_whole(text in markdown()) {
        prop_assert_eq!(blocks(&text).concat(), text);
    }
}

#[test]
fn whole_items_and_a_mark_are_kept() {
    let list: String = (1..=20).map(|at| format!("- item number {at} with some words\n")).collect();
    let cut = keep_head(&list, 200, "older");
    let kept: String = list.split_inclusive('\n').take(4).collect();
    assert_eq!(cut.text, format!("{kept}\n… 16 older items, 523 characters"));
    assert_eq!((cut.cut_items, cut.cut_chars), (16, 523));
}

#[test]
fn structure() {
    let text = "# One\n\nfirst\nline\n\n- a\n  b\n- c\n```\nx\n\ny\n```\nafter\n";
    assert_eq!(
        blocks(text),
        ["# One\n\nfirst\nline\n\n", "- a\n  b\n", "- c\n", "```\nx\n\ny\n```\n", "after\n"]
    );
}

#[test]
fn a_long_code_block_keeps_both_ends() {
    let code: String = (0..200).map(|at| format!("line {at}\n")).collect();
    let cut = keep_head_and_tail(&format!("```\n{code}```"), 300);
    assert!(cut.text.starts_with("```\nline 0\n"));
    assert!(cut.text.ends_with("line 199\n```"));
    assert!(cut.text.contains(" characters cut …"));
}

#[test]
fn ten_megabytes() {
    let text = "한글 text 🙂 ".repeat(1_000_000);
    let cut = keep_head_and_tail(&text, 4_000);
    assert!(chars(&cut.text) <= 4_000 && cut.cut_chars > 9_000_000);
    let one_cluster = format!("a{}", "\u{301}".repeat(200_000));
    assert!(chars(&keep_head(&one_cluster, 500, "more").text) <= 500);
}

#[test]
fn numbers() {
    for (number, text) in [(0, "0"), (999, "999"), (1_240, "1,240"), (1_234_567, "1,234,567")] {
        assert_eq!(grouped(number), text);
    }
}
