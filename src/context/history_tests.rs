use proptest::prelude::*;

use super::{Entry, History, MESSAGE_OVERHEAD_CHARS};
use crate::context::trim::chars;

const HEADING: &str = "## Recent conversation\n\n";

fn entry(id: i64, rank: usize, label: &str, text: String, last_word: bool) -> Entry {
    Entry { id, rank: Some(rank), label: label.to_owned(), text, slim: None, last_word, has_all_words: true }
}

/// Up to 40 messages of a user and up to 5 agents, newest first, the newest of each agent its last word.
fn histories() -> impl Strategy<Value = History> {
    let message = (0_usize..6, 1_usize..3_000, prop::bool::weighted(0.02));
    prop::collection::vec(message, 0..40).prop_map(|rows| {
        let mut seen = Vec::new();
        let total = rows.len();
        let entries = rows
            .into_iter()
            .enumerate()
            .map(|(rank, (who, len, huge))| {
                let last_word = who > 0 && !seen.contains(&who);
                seen.push(who);
                let text = format!("m{rank} {}", "가b ".repeat(if huge { len * 8 } else { len / 3 }));
                entry(rank as i64, rank, &format!("Agent {who}"), text.trim_end().to_owned(), last_word)
            })
            .collect();
        History { heading: HEADING.to_owned(), entries, total: Some(total) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    /// Each agent's last word is there, unshortened unless all of them together exceed the budget.
    #[test]
    fn last_words_are_kept(history in histories(), budget in 0_usize..60_000) {
        let fitted = history.fit(budget);
        prop_assert!(chars(&fitted.text) <= budget);
        let musts: Vec<&Entry> = history.entries.iter().filter(|entry| entry.last_word).collect();
        let cost = |text_of: fn(&Entry) -> usize| -> usize {
            musts.iter().map(|entry| chars(&entry.label) + text_of(entry) + MESSAGE_OVERHEAD_CHARS).sum()
        };
        let frame = chars(HEADING) + MESSAGE_OVERHEAD_CHARS;
        let whole = frame + cost(|entry| chars(&entry.text)) <= budget;
        let named = frame + cost(|_| 0) <= budget;
        for entry in &musts {
            if whole {
                let told = format!("[{}]\n{}", entry.label, entry.text);
                prop_assert!(fitted.text.contains(&told));
            }
            if named {
                prop_assert!(fitted.source_ids.contains(&entry.id));
            }
        }
        if budget >= history.len_chars() {
            prop_assert_eq!(fitted.source_ids.len(), history.entries.len());
            prop_assert_eq!(fitted.cut, "");
        }
    }

    /// What is told beside last words is an unbroken run of the newest messages, oldest first.
    #[test]
    fn the_window_has_no_holes(history in histories(), budget in 0_usize..60_000) {
        let fitted = history.fit(budget);
        let others: Vec<&Entry> = history.entries.iter().filter(|entry| !entry.last_word).collect();
        let told: Vec<bool> = others.iter().map(|entry| fitted.source_ids.contains(&entry.id)).collect();
        prop_assert!(told.windows(2).all(|pair| pair[0] || !pair[1]));
        prop_assert!(fitted.source_ids.windows(2).all(|pair| pair[0] > pair[1]));
    }
}

#[test]
fn the_window_ends_when_the_room_is_spent() {
    let entries: Vec<Entry> = (0..10)
        .map(|rank| entry(rank, usize::try_from(rank).unwrap(), "User", "x".repeat(100), false))
        .collect();
    let history = History { heading: HEADING.to_owned(), entries, total: Some(50) };
    let fitted = history.fit(chars(HEADING) + 40 + 3 * 144 + 143);
    assert_eq!(fitted.source_ids, [2, 1, 0]);
    assert!(fitted.text.starts_with("## Recent conversation\n\n… 47 messages not shown\n\n[User]\n"));
    assert_eq!(fitted.cut, "47 messages not shown");
}

#[test]
fn long_messages_grow_into_free_room() {
    let history = |texts: Vec<String>| {
        let total = texts.len();
        let entries =
            texts.into_iter().enumerate().map(|(rank, text)| entry(1, rank, "User", text, false)).collect();
        History { heading: String::new(), entries, total: Some(total) }
    };
    let long = history(vec!["word ".repeat(4_000), "short".to_owned()]);
    assert!(long.fit(30_000).text.contains(&"word ".repeat(4_000)));
    let tight = long.fit(10_000).text;
    assert!(chars(&tight) > 9_000 && tight.contains("characters cut …") && tight.contains("short"));
}

#[test]
fn last_words_too_long_together_keep_head_and_tail() {
    let entries = (0..3)
        .map(|rank| {
            let text = format!("BEGIN{rank} {} END{rank}", "word ".repeat(5_000));
            entry(rank, usize::try_from(rank).unwrap(), &format!("Agent {rank}"), text, true)
        })
        .collect();
    let fitted = History { heading: String::new(), entries, total: Some(3) }.fit(6_000);
    for rank in 0..3 {
        assert!(fitted.text.contains(&format!("BEGIN{rank}")) && fitted.text.contains(&format!("END{rank}")));
    }
    assert_eq!(fitted.cut, "3 messages shortened");
}

#[test]
fn an_old_last_word_is_marked_as_apart() {
    let mut entries = vec![entry(9, 0, "User", "new".to_owned(), false)];
    entries.push(Entry { rank: None, ..entry(1, 0, "Old", "view".to_owned(), true) });
    let history = History { heading: String::new(), entries, total: Some(500) };
    assert_eq!(
        history.fit(1_000).text,
        "… messages not shown\n\n[Old]\nview\n\n… messages not shown\n\n[User]\nnew"
    );
}

#[test]
fn huge_last_words_leave_room_for_the_newest_message() {
    let entries = vec![
        entry(2, 0, "User", "and now?".to_owned(), false),
        entry(1, 1, "Agent", "word ".repeat(100_000), true),
    ];
    let fitted = History { heading: String::new(), entries, total: None }.fit(5_000);
    assert!(fitted.text.ends_with("[User]\nand now?") && chars(&fitted.text) > 4_800);
    assert!(fitted.text.starts_with("… messages not shown"));
    assert_eq!(fitted.cut, "older messages not shown, 1 message shortened");
}
