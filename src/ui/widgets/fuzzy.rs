//! Finds what was meant by a few letters: the letters of the query in order, with a score for how well they sit.

/// A match of a query in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Higher is better; only meaningful among matches of one query.
    pub score: i32,
    /// Positions (in Unicode chars) of the matched letters, ascending.
    pub positions: Vec<usize>,
}

const START: i32 = 12;
const WORD_START: i32 = 9;
const RUN: i32 = 7;
const LETTER: i32 = 2;
const GAP: i32 = -1;
const GAP_MOST: i32 = -6;

/// Longest text that is looked at, chars; the rest cannot match.
const TEXT_MOST: usize = 256;
/// Longest query, chars; a longer one matches nothing.
const QUERY_MOST: usize = 64;

/// Matches `query` as a subsequence of `text`, ignoring case and the query's spaces.
///
/// An empty query matches everything with score 0. Works on whole Unicode chars, so a Hangul syllable is one letter;
/// the last, unfinished syllable also matches one that begins with it ("하" finds "한").
#[must_use]
pub fn fuzzy(query: &str, text: &str) -> Option<Match> {
    let query: Vec<char> = query.chars().filter(|c| !c.is_whitespace()).map(lower).collect();
    if query.is_empty() {
        return Some(Match { score: 0, positions: Vec::new() });
    }
    let raw: Vec<char> = text.chars().take(TEXT_MOST).collect();
    if query.len() > raw.len() || query.len() > QUERY_MOST {
        return None;
    }
    let letters: Vec<char> = raw.iter().copied().map(lower).collect();
    let bonus: Vec<i32> = (0..raw.len()).map(|i| place_bonus(&raw, i)).collect();
    best_path(&query, &letters, &bonus)
}

/// Best texts first; equal scores keep their order. Returns the index of each with its match.
#[must_use]
pub fn rank<'a>(query: &str, texts: impl Iterator<Item = &'a str>) -> Vec<(usize, Match)> {
    let mut found: Vec<(usize, Match)> =
        texts.enumerate().filter_map(|(index, text)| fuzzy(query, text).map(|hit| (index, hit))).collect();
    found.sort_by_key(|(_, hit)| std::cmp::Reverse(hit.score));
    found
}

fn lower(c: char) -> char {
    let mut lowered = c.to_lowercase();
    match (lowered.next(), lowered.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

fn place_bonus(raw: &[char], index: usize) -> i32 {
    let Some(&here) = raw.get(index) else { return 0 };
    let Some(before) = index.checked_sub(1).and_then(|i| raw.get(i)) else { return START };
    let new_word = !before.is_alphanumeric() && here.is_alphanumeric();
    let hump = before.is_lowercase() && here.is_uppercase();
    if new_word || hump { WORD_START } else { 0 }
}

const HANGUL_FIRST: u32 = 0xAC00;
const HANGUL_LAST: u32 = 0xD7A3;
const FINALS: u32 = 28;

/// Whether `typed` is `there`, or for the last letter an open Hangul syllable that `there` closes.
fn same(typed: char, there: char, last: bool) -> bool {
    if typed == there {
        return true;
    }
    let (typed, there) = (u32::from(typed), u32::from(there));
    let hangul = HANGUL_FIRST..=HANGUL_LAST;
    last && hangul.contains(&typed)
        && hangul.contains(&there)
        && (typed - HANGUL_FIRST).is_multiple_of(FINALS)
        && there > typed
        && there - typed < FINALS
}

#[derive(Clone, Copy)]
struct Cell {
    score: i32,
    from: usize,
}

const NONE: Cell = Cell { score: i32::MIN / 2, from: usize::MAX };

/// Best placement by dynamic programming over query letters and text places.
fn best_path(query: &[char], letters: &[char], bonus: &[i32]) -> Option<Match> {
    let mut table: Vec<Vec<Cell>> = Vec::with_capacity(query.len());
    for (row, &typed) in query.iter().enumerate() {
        let last = row + 1 == query.len();
        let before = row.checked_sub(1).and_then(|i| table.get(i));
        let mut cells = Vec::with_capacity(letters.len());
        for (place, &there) in letters.iter().enumerate() {
            let cell = if same(typed, there, last) {
                let own = LETTER + bonus.get(place).copied().unwrap_or(0);
                match before {
                    None => Cell { score: own, from: usize::MAX },
                    Some(before) => {
                        let best = best_before(before, place);
                        Cell { score: best.score.saturating_add(own), from: best.from }
                    }
                }
            } else {
                NONE
            };
            cells.push(cell);
        }
        table.push(cells);
    }
    let ends = table.last()?;
    let (end, best) = ends.iter().enumerate().rev().max_by_key(|(_, cell)| cell.score)?;
    if best.score <= NONE.score / 2 {
        return None;
    }
    let mut positions = vec![end];
    let mut place = end;
    for cells in table.iter().skip(1).rev() {
        place = cells.get(place)?.from;
        positions.push(place);
    }
    positions.reverse();
    let spare = i32::try_from(letters.len() - query.len()).unwrap_or(i32::MAX) / 8;
    Some(Match { score: best.score - spare.min(8), positions })
}

fn best_before(before: &[Cell], place: usize) -> Cell {
    let mut best = NONE;
    for (earlier, cell) in before.iter().enumerate().take(place) {
        let gap = i32::try_from(place - earlier - 1).unwrap_or(i32::MAX);
        let step = if gap == 0 { RUN } else { (GAP * gap.min(64)).max(GAP_MOST) };
        let score = cell.score.saturating_add(step);
        if score >= best.score {
            best = Cell { score, from: earlier };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_found_in_order() {
        let cases: [(&str, &str, Option<&[usize]>); 10] = [
            ("", "anything", Some(&[])),
            ("nc", "New conversation", Some(&[0, 4])),
            ("NC", "New conversation", Some(&[0, 4])),
            ("conv", "New conversation", Some(&[4, 5, 6, 7])),
            ("sb", "toggle_side_bar", Some(&[7, 12])),
            ("gb", "gitBranch", Some(&[0, 3])),
            ("xyz", "New conversation", None),
            ("대화", "새 대화 열기", Some(&[2, 3])),
            ("하", "한글", Some(&[0])),
            ("long query", "short", None),
        ];
        for (query, text, places) in cases {
            let found = fuzzy(query, text).map(|hit| hit.positions);
            assert_eq!(found.as_deref(), places, "{query} in {text}");
        }
    }

    #[test]
    fn word_starts_and_runs_come_first() {
        let texts = ["Regenerate answer", "Archive conversation", "New roundtable", "Open in browser"];
        let cases = [("ar", 1), ("new", 2), ("ob", 3), ("round", 2), ("rea", 0)];
        for (query, first) in cases {
            let ranked = rank(query, texts.iter().copied());
            assert_eq!(ranked.first().map(|(index, _)| *index), Some(first), "{query}: {ranked:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn positions_are_ascending_and_inside(query in ".{0,8}", text in ".{0,40}") {
            if let Some(hit) = fuzzy(&query, &text) {
                let count = text.chars().count();
                proptest::prop_assert!(hit.positions.windows(2).all(|pair| pair[0] < pair[1]));
                proptest::prop_assert!(hit.positions.iter().all(|place| *place < count));
            }
        }
    }
}
