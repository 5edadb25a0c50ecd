use proptest::prelude::*;

use super::{Ask, Share, allocate, allocate_evenly};
use crate::model::pack::SectionId;

const IDS: [SectionId; 8] = [
    SectionId::ThreadInheritance,
    SectionId::Recent,
    SectionId::Plan,
    SectionId::PlanDocument,
    SectionId::Findings,
    SectionId::Agreements,
    SectionId::Artifacts,
    SectionId::CrossSession,
];

fn asks() -> impl Strategy<Value = Vec<Ask>> {
    let one = (0_usize..20_000, 1_u32..60, 0_usize..4_000, 0_usize..8_000);
    prop::collection::vec(one, 0..=IDS.len()).prop_map(|rows| {
        rows.into_iter()
            .zip(IDS)
            .map(|((len_chars, weight_tenths, min_chars, more), id)| Ask {
                id,
                len_chars,
                weight_tenths,
                min_chars,
                max_chars: min_chars + more,
            })
            .collect()
    })
}

fn given(shares: &[Share], id: SectionId) -> Option<usize> {
    shares.iter().find(|share| share.id == id).and_then(|share| share.chars)
}

fn total(shares: &[Share]) -> usize {
    shares.iter().filter_map(|share| share.chars).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12_000, ..ProptestConfig::default() })]

    #[test]
    fn a_the_sum_never_exceeds_the_cap(room in 0_usize..70_000, asks in asks()) {
        prop_assert!(total(&allocate(room, &asks)) <= room);
    }

    #[test]
    fn b_nobody_gets_more_than_wanted_or_less_than_the_floor(room in 0_usize..70_000, asks in asks()) {
        let shares = allocate(room, &asks);
        prop_assert_eq!(shares.len(), asks.len());
        for (ask, share) in asks.iter().zip(&shares) {
            prop_assert_eq!(ask.id, share.id);
            if let Some(chars) = share.chars {
                prop_assert!(chars <= ask.want_chars());
                prop_assert!(chars >= ask.floor_chars());
            }
        }
    }

    #[test]
    fn c_nothing_is_wasted(room in 0_usize..70_000, asks in asks()) {
        let shares = allocate(room, &asks);
        let wants: usize =
            asks.iter().zip(&shares).filter(|(_, share)| share.chars.is_some()).map(|(ask, _)| ask.want_chars()).sum();
        prop_assert_eq!(total(&shares), wants.min(room));
        let minima: usize = asks.iter().map(|ask| ask.min_chars).sum();
        if minima <= room {
            prop_assert!(shares.iter().all(|share| share.chars.is_some()));
        }
    }

    #[test]
    fn d_a_longer_section_never_raises_another(
        room in 0_usize..70_000, asks in asks(), which in any::<prop::sample::Index>(), more in 0_usize..20_000,
    ) {
        let which = if asks.is_empty() { return Ok(()) } else { which.index(asks.len()) };
        let before = allocate(room, &asks);
        let mut longer = asks.clone();
        longer[which].len_chars += more;
        let after = allocate(room, &longer);
        for (at, (before, after)) in before.iter().zip(&after).enumerate() {
            if at != which {
                prop_assert!(after.chars <= before.chars, "{:?}: {:?} -> {:?}", before.id, before, after);
            }
        }
    }

    #[test]
    fn e_the_order_of_evaluation_plays_no_part(
        room in 0_usize..70_000, (asks, shuffled) in asks().prop_flat_map(|asks| {
            (Just(asks.clone()), Just(asks).prop_shuffle())
        }),
    ) {
        let (one, other) = (allocate(room, &asks), allocate(room, &shuffled));
        for ask in &asks {
            prop_assert_eq!(given(&one, ask.id), given(&other, ask.id));
        }
    }

    #[test]
    fn even_parts_fill_the_room(room in 0_usize..5_000, wants in prop::collection::vec(0_usize..900, 0..9)) {
        let got = allocate_evenly(room, &wants);
        prop_assert_eq!(got.iter().sum::<usize>(), room.min(wants.iter().sum()));
        let highest = got.iter().copied().max().unwrap_or(0);
        for (got, want) in got.iter().zip(&wants) {
            prop_assert!(got <= want && (got == want || *got + 1 >= highest));
        }
    }
}

fn ask(id: SectionId, len_chars: usize, weight_tenths: u32, min_chars: usize, max_chars: usize) -> Ask {
    Ask { id, len_chars, weight_tenths, min_chars, max_chars }
}

#[test]
fn table() {
    use SectionId::{Artifacts, Findings, Plan, PlanDocument, Recent};
    let recent = ask(Recent, 90_000, 40, 4_000, usize::MAX);
    type Case<'a> = (&'a str, usize, &'a [Ask], &'a [Option<usize>]);
    let cases: &[Case<'_>] = &[
        ("nothing asked", 100, &[], &[]),
        (
            "all fit",
            60_000,
            &[ask(Recent, 900, 40, 4_000, usize::MAX), ask(Plan, 9_000, 10, 500, 4_000)],
            &[Some(900), Some(4_000)],
        ),
        (
            "in proportion",
            11_000,
            &[
                ask(Recent, 90_000, 40, 0, usize::MAX),
                ask(Plan, 90_000, 10, 0, 9_000),
                ask(PlanDocument, 90_000, 5, 0, 9_000),
            ],
            &[Some(8_000), Some(2_000), Some(1_000)],
        ),
        (
            "what one cannot use flows on",
            11_000,
            &[recent, ask(Plan, 700, 10, 500, 4_000)],
            &[Some(10_300), Some(700)],
        ),
        ("minima first", 4_600, &[recent, ask(Plan, 900, 10, 500, 4_000)], &[Some(4_080), Some(520)]),
        (
            "the lightest leaves",
            4_600,
            &[recent, ask(Artifacts, 900, 6, 300, 2_000), ask(Findings, 900, 10, 500, 3_000)],
            &[Some(4_080), None, Some(520)],
        ),
        (
            "it comes back when the others are full",
            1_000,
            &[
                ask(Recent, 10, 40, 500, 9_000),
                ask(Plan, 10, 10, 500, 9_000),
                ask(Findings, 5_000, 6, 500, 9_000),
            ],
            &[Some(10), Some(10), Some(980)],
        ),
        ("no room at all", 0, &[recent], &[None]),
    ];
    for (name, room, asks, expected) in cases {
        let got: Vec<Option<usize>> = allocate(*room, asks).iter().map(|share| share.chars).collect();
        assert_eq!(&got, expected, "{name}");
    }
}

#[test]
fn characters_count_not_bytes() {
    let korean = "가".repeat(3_000);
    let english = "a".repeat(3_000);
    let of = |text: &str| ask(SectionId::Plan, text.chars().count(), 10, 500, 4_000);
    assert_eq!(allocate(2_000, &[of(&korean)]), allocate(2_000, &[of(&english)]));
}
