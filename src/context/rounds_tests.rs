use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Sharer, settle};
use crate::context::history::{Entry, Fact, Fitted, History};
use crate::context::items::{Item, Items};
use crate::context::section::{Part, Trimmable};
use crate::context::trim::chars;
use crate::model::pack::SectionId;

/// A list of things that messages may say as well: length, first message, how many.
type Things = Vec<(usize, i64, i64)>;

#[derive(Clone, Debug)]
struct World {
    /// Speaker and length of each message, newest first; speaker 0 is the user.
    messages: Vec<(usize, usize)>,
    agreements: Things,
    topics: Things,
    linked: Things,
    document_chars: usize,
    room_chars: usize,
}

fn worlds() -> impl Strategy<Value = World> {
    let things = || prop::collection::vec((20_usize..900, 0_i64..24, 0_i64..4), 0..8);
    let message = (0_usize..4, prop_oneof![4 => 1_usize..600, 1 => 600_usize..9_000]);
    (prop::collection::vec(message, 0..24), things(), things(), things(), 0_usize..12_000, 0_usize..24_000)
        .prop_map(|(messages, agreements, topics, linked, document_chars, room_chars)| World {
            messages,
            agreements,
            topics,
            linked,
            document_chars,
            room_chars,
        })
}

fn filler(name: &str, chars: usize) -> String {
    let rest = "단어 word ".chars().cycle().take(chars.saturating_sub(name.len())).collect::<String>();
    format!("{name} {}", rest.trim_end())
}

fn list(things: &Things, name: &str, agreed: bool) -> Part {
    let items = things.iter().enumerate().map(|(at, (length, first, count))| Item {
        id: at as i64 + 1,
        text: format!("- {}", filler(&format!("{name}{at}"), *length)),
        fact: agreed.then_some(Fact::Agreement(at as i64)),
        messages: (*first..*first + *count).collect(),
        ..Item::default()
    });
    Part::items(format!("## {name}\n\n"), Items { items: items.collect(), noun: "thing", joint: "\n" })
}

impl World {
    fn history(&self) -> History {
        let mut seen = BTreeSet::new();
        let entries = self.messages.iter().enumerate().map(|(rank, (who, length))| Entry {
            id: rank as i64,
            rank: Some(rank),
            label: format!("Agent {who}"),
            text: filler(&format!("message{rank}"), *length),
            slim: None,
            last_word: *who > 0 && seen.insert(*who),
            has_all_words: true,
        });
        let entries: Vec<Entry> = entries.collect();
        History { heading: "## Recent\n\n".to_owned(), total: Some(entries.len()), entries }
    }

    fn sharers(&self) -> Vec<Sharer> {
        // The same agreement names the same messages wherever it stands.
        let mut linked = self.linked.clone();
        for (linked, (_, first, count)) in linked.iter_mut().zip(&self.agreements) {
            (linked.1, linked.2) = (*first, *count);
        }
        let history = self.history();
        let reserved = history.last_words_chars().max(4_000).min(self.room_chars);
        let recent = Part { trimmable: Trimmable::History(Box::new(history)), ..Part::default() };
        let document = Part::text("## Document\n\n", filler("document", self.document_chars));
        let min = |chars: usize| chars.min(self.room_chars);
        let mut out = vec![
            Sharer::new(recent, 40, reserved, usize::MAX, SectionId::Recent),
            Sharer::new(document, 20, min(1_000), 6_000, SectionId::PlanDocument),
            Sharer::new(
                list(&self.agreements, "Agreements", true),
                12,
                min(500),
                3_000,
                SectionId::Agreements,
            ),
            Sharer::new(
                list(&self.topics, "Topics", false),
                10,
                min(500),
                4_000,
                SectionId::CompressedMemory,
            ),
            Sharer::new(list(&linked, "Linked", true), 6, min(300), 3_000, SectionId::CrossSession),
        ];
        out.retain(|sharer| !sharer.part.is_emptied() && sharer.part.len_chars() > 0);
        out
    }
}

fn fitted(sharer: &Sharer) -> Fitted {
    sharer.share_chars.map(|chars| sharer.part.fit(chars)).unwrap_or_default()
}

fn items(sharer: &Sharer) -> &[Item] {
    match &sharer.part.trimmable {
        Trimmable::Items(items) => &items.items,
        _ => &[],
    }
}

fn all_once(world: &World) -> Result<(), TestCaseError> {
    let mut sharers = world.sharers();
    let before: Vec<Vec<Item>> = sharers.iter().map(|sharer| items(sharer).to_vec()).collect();
    settle(world.room_chars, &mut sharers, &BTreeSet::new());
    let given: usize = sharers.iter().filter_map(|sharer| sharer.share_chars).sum();
    prop_assert!(given <= world.room_chars);
    let mut told: Vec<(SectionId, BTreeSet<Fact>)> = Vec::new();
    for (sharer, before) in sharers.iter().zip(&before) {
        let fitted = fitted(sharer);
        prop_assert!(chars(&fitted.text) <= sharer.share_chars.unwrap_or(0));
        prop_assert!(sharer.share_chars.unwrap_or(0) <= sharer.ask.want_chars());
        let earlier: BTreeSet<Fact> = told.iter().flat_map(|(_, facts)| facts.iter().copied()).collect();
        let is_told = |item: &Item| {
            item.fact.is_some_and(|fact| earlier.contains(&fact))
                || !item.messages.is_empty()
                    && item.messages.iter().all(|id| earlier.contains(&Fact::Message(*id)))
        };
        for item in before {
            let stays = items(sharer).contains(item);
            prop_assert!(stays || is_told(item), "lost: {:?}", item);
            prop_assert!(!(stays && is_told(item)), "told twice: {:?}", item);
        }
        told.push((sharer.ask.id, fitted.told.into_iter().collect()));
    }
    Ok(())
}

/// Each agreement that leaves makes room for one more message, which tells the next one: more rounds than there are.
#[test]
fn nothing_is_told_twice_after_the_last_round() {
    let lengths = [
        (1, 6468),
        (0, 255),
        (2, 206),
        (0, 535),
        (0, 535),
        (3, 410),
        (0, 599),
        (0, 252),
        (0, 78),
        (0, 420),
        (0, 2483),
        (0, 63),
        (0, 541),
        (0, 251),
        (0, 581),
        (0, 335),
        (0, 414),
        (0, 125),
        (0, 282),
        (0, 374),
        (0, 469),
    ];
    all_once(&World {
        messages: lengths.to_vec(),
        agreements: vec![
            (325, 14, 3),
            (557, 19, 2),
            (602, 18, 1),
            (605, 19, 1),
            (119, 0, 0),
            (330, 16, 2),
            (376, 0, 0),
        ],
        topics: vec![(221, 14, 1), (33, 0, 0)],
        linked: vec![(256, 0, 0), (825, 0, 0)],
        document_chars: 3481,
        room_chars: 21_739,
    })
    .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    /// Within the room, nothing told twice, nothing lost: what was left out is told by somebody else.
    #[test]
    fn all_is_told_once(world in worlds()) {
        all_once(&world)?;
    }

    /// The last word of each agent is whole, unless all of them together exceed the room.
    #[test]
    fn last_words_are_whole(world in worlds()) {
        let mut sharers = world.sharers();
        settle(world.room_chars, &mut sharers, &BTreeSet::new());
        let history = world.history();
        if history.last_words_chars() <= world.room_chars
            && let Some(recent) = sharers.iter().find(|sharer| sharer.ask.id == SectionId::Recent)
        {
            let fitted = fitted(recent);
            for entry in history.entries.iter().filter(|entry| entry.last_word) {
                let whole = format!("[{}]\n{}", entry.label, entry.text);
                prop_assert!(fitted.text.contains(&whole));
            }
        }
    }

    #[test]
    fn the_order_of_evaluation_plays_no_part(world in worlds(), turn in 0_usize..5) {
        let (mut one, mut other) = (world.sharers(), world.sharers());
        if !other.is_empty() {
            let by = turn % other.len();
            other.rotate_left(by);
            other.reverse();
        }
        settle(world.room_chars, &mut one, &BTreeSet::new());
        settle(world.room_chars, &mut other, &BTreeSet::new());
        for sharer in &one {
            let twin = other.iter().find(|twin| twin.ask.id == sharer.ask.id).unwrap();
            prop_assert_eq!(sharer.share_chars, twin.share_chars);
            prop_assert_eq!(fitted(sharer), fitted(twin));
        }
    }
}

#[test]
fn room_that_repetition_took_goes_to_the_window() {
    let world = World {
        messages: vec![(0, 700), (0, 700), (0, 700), (0, 700)],
        agreements: vec![(700, 0, 1), (700, 1, 1), (700, 2, 1)],
        topics: Vec::new(),
        linked: Vec::new(),
        document_chars: 0,
        room_chars: 3_600,
    };
    let mut sharers = world.sharers();
    settle(world.room_chars, &mut sharers, &BTreeSet::new());
    let shown = fitted(&sharers[0]).source_ids;
    assert_eq!(shown, [3, 2, 1, 0], "with the agreements beside it, the oldest had no room");
    assert!(sharers.iter().find(|sharer| sharer.ask.id == SectionId::Agreements).unwrap().part.is_emptied());
}
