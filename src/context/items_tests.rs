use proptest::prelude::*;

use super::{Item, Items};
use crate::context::fence::open_at_end;
use crate::context::history::Fact;
use crate::context::trim::chars;

fn items(texts: &[&str]) -> Items {
    let item = |(at, text): (usize, &&str)| Item {
        id: i64::try_from(at).unwrap(),
        text: (*text).to_owned(),
        fact: Some(Fact::Agreement(i64::try_from(at).unwrap())),
        ..Item::default()
    };
    Items { items: texts.iter().enumerate().map(item).collect(), noun: "agreement", joint: "\n" }
}

fn lists() -> impl Strategy<Value = Items> {
    let text = prop_oneof![
        "[a-z ]{1,60}",
        Just("가나다 라마바 ".repeat(20).trim().to_owned()),
        Just("para\n\n```rust\nlet a = 1;\n```\n\nafter it".to_owned()),
        Just("🙂👩‍👩‍👧‍👦".repeat(30)),
        Just("word ".repeat(300).trim().to_owned()),
    ];
    let item = (text, 0_usize..3).prop_map(|(text, group)| Item {
        group: ["", "### A", "### B"][group].to_owned(),
        text,
        ..Item::default()
    });
    (prop::collection::vec(item, 0..12), prop::bool::ANY).prop_map(|(mut items, is_blocks)| {
        for (at, item) in items.iter_mut().enumerate() {
            item.id = i64::try_from(at).unwrap();
            item.fact = Some(Fact::Agreement(item.id));
        }
        Items { items, noun: "item", joint: if is_blocks { "\n\n" } else { "\n" } }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn it_fits_is_closed_and_says_what_was_cut(list in lists(), budget in 0_usize..3_000) {
        let fitted = list.fit(budget);
        prop_assert!(chars(&fitted.text) <= budget);
        prop_assert!(open_at_end(&fitted.text).is_none());
        prop_assert_eq!(fitted.cut.is_empty(), budget >= list.len_chars());
        for (item, fact) in list.items.iter().zip(&fitted.told) {
            prop_assert_eq!(item.fact, Some(*fact));
            prop_assert!(fitted.text.contains(&item.text));
        }
    }

    #[test]
    fn more_room_never_tells_fewer(list in lists(), budget in 0_usize..3_000, more in 0_usize..500) {
        let (less, more) = (list.fit(budget), list.fit(budget + more));
        prop_assert!(more.told.starts_with(&less.told));
    }
}

#[test]
fn whole_items_and_a_mark() {
    let list = items(&[&"- first ".repeat(10), &"- second ".repeat(10), &"- third ".repeat(10)]);
    assert_eq!(list.fit(1_000).cut, "");
    let fitted = list.fit(240);
    assert!(fitted.text.ends_with("\n\n… 1 more agreement, 81 characters"), "{}", fitted.text);
    assert_eq!(fitted.cut, "1 of 3 agreements cut, 81 characters");
    assert_eq!(fitted.source_ids, [1]);
    assert_eq!(list.fit(10).text, "");
    assert_eq!(list.fit(10).cut, "all 3 agreements");
}

#[test]
fn groups_are_named_once() {
    let mut list = items(&["- a", "- b", "- c"]);
    for (item, group) in list.items.iter_mut().zip(["### Here", "### Here", "### There"]) {
        item.group = group.to_owned();
    }
    assert_eq!(list.fit(1_000).text, "### Here\n- a\n- b\n\n### There\n- c");
}

#[test]
fn what_is_told_elsewhere_goes() {
    let mut list = items(&["- a", "- b", "- c"]);
    list.items[0].messages = vec![7, 8];
    list.items[1].messages = vec![7];
    let told = [Fact::Message(7), Fact::Agreement(2)].into();
    assert_eq!(list.drop_told(&told), 2);
    assert_eq!(list.fit(100).text, "- a");
}
