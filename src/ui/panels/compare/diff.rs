//! What two texts have in common, by lines, and by words within a line. Pure; its time is bounded.

use std::collections::HashMap;
use std::ops::Range;

use crate::ui::subsequence::common;

/// Longest text that is looked at, bytes; what follows is not compared.
const BYTES_MAX: usize = 1_000_000;
/// Most lines of a text that are looked at.
const LINES_MAX: usize = 20_000;
/// Cells of all tables of lines together; beyond that a stretch counts as different.
const LINE_CELLS_MAX: usize = 1_500_000;
/// Cells of all tables of words together; beyond that whole lines are marked.
const WORD_CELLS_MAX: usize = 1_500_000;
/// Cells of the table of one pair of lines.
const PAIR_CELLS_MAX: usize = 250_000;
/// How often a stretch is split at lines that stand in it once.
const DEPTH_MAX: u8 = 24;

/// Two texts side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Byte ranges of the lines of both texts, without their ends.
    pub lines: [Vec<Range<usize>>; 2],
    pub rows: Vec<Row>,
    /// A text was longer than what is looked at.
    pub cut: bool,
    /// Somewhere it would have taken too long: whole stretches or lines are marked there.
    pub coarse: bool,
}

/// One row: a line of each text, or of one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Places in [`Comparison::lines`].
    pub line: [Option<usize>; 2],
    /// Byte ranges within a line that the other one has not; empty for equal lines.
    pub marks: [Vec<Range<usize>>; 2],
    pub same: bool,
}

impl Comparison {
    /// Rows that differ.
    #[must_use]
    pub fn differing(&self) -> usize {
        self.rows.iter().filter(|row| !row.same).count()
    }
}

/// Compares two texts: time grows with their length, and with how much differs only up to a limit.
#[must_use]
pub fn compare(left: &str, right: &str) -> Comparison {
    let (a, a_cut) = lines_of(left);
    let (b, b_cut) = lines_of(right);
    let mut numbers = HashMap::new();
    let mut number = |line: &str| -> u32 {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        // Lines that differ in the white space at their end only look the same.
        *numbers.entry(line.trim_end().to_owned()).or_insert(next)
    };
    let x: Vec<u32> = a.iter().map(|line| number(part(left, line))).collect();
    let y: Vec<u32> = b.iter().map(|line| number(part(right, line))).collect();
    let mut matcher = Matcher { a: &x, b: &y, pairs: Vec::new(), cells: LINE_CELLS_MAX, coarse: false };
    matcher.run();
    let mut words = Words { cells: WORD_CELLS_MAX, coarse: matcher.coarse };
    let mut pairs = matcher.pairs;
    pairs.sort_unstable();
    let ends = (a.len(), b.len());
    let mut rows = Vec::with_capacity(a.len().max(b.len()));
    let mut at = (0, 0);
    for to in pairs.into_iter().chain([ends]) {
        for step in 0..(to.0 - at.0).max(to.1 - at.1) {
            let line =
                [(at.0 + step < to.0).then_some(at.0 + step), (at.1 + step < to.1).then_some(at.1 + step)];
            let one = line[0].and_then(|place| a.get(place)).map(|line| part(left, line));
            let other = line[1].and_then(|place| b.get(place)).map(|line| part(right, line));
            rows.push(Row { line, marks: words.marks(one, other), same: false });
        }
        if to != ends {
            rows.push(Row { line: [Some(to.0), Some(to.1)], marks: [Vec::new(), Vec::new()], same: true });
        }
        at = (to.0 + 1, to.1 + 1);
    }
    Comparison { lines: [a, b], rows, cut: a_cut || b_cut, coarse: words.coarse }
}

fn part<'a>(text: &'a str, range: &Range<usize>) -> &'a str {
    text.get(range.clone()).unwrap_or_default()
}

/// The lines of what is looked at of a text, and whether that is not all of it.
fn lines_of(text: &str) -> (Vec<Range<usize>>, bool) {
    let end = text.floor_char_boundary(BYTES_MAX);
    let seen = text.get(..end).unwrap_or(text);
    let mut lines = Vec::new();
    let mut start = 0;
    for line in seen.split_inclusive('\n') {
        if lines.len() == LINES_MAX {
            return (lines, true);
        }
        lines.push(start..start + line.trim_end_matches(['\n', '\r']).len());
        start += line.len();
    }
    (lines, end < text.len())
}

/// Finds equal lines in the same order: first those that stand once in both texts, then by a table between them.
struct Matcher<'a> {
    a: &'a [u32],
    b: &'a [u32],
    pairs: Vec<(usize, usize)>,
    /// Cells that may still be filled.
    cells: usize,
    coarse: bool,
}

/// A stretch of both texts.
type Stretch = (Range<usize>, Range<usize>, u8);

impl Matcher<'_> {
    fn run(&mut self) {
        let mut open: Vec<Stretch> = vec![(0..self.a.len(), 0..self.b.len(), 0)];
        while let Some((a, b, depth)) = open.pop() {
            let (a, b) = self.ends(a, b);
            if a.is_empty() || b.is_empty() {
                continue;
            }
            let anchors = if depth < DEPTH_MAX { self.anchors(&a, &b) } else { Vec::new() };
            if anchors.is_empty() {
                self.table(&a, &b);
                continue;
            }
            let (mut x, mut y) = (a.start, b.start);
            for (to_x, to_y) in anchors.into_iter().chain([(a.end, b.end)]) {
                open.push((x..to_x, y..to_y, depth + 1));
                if to_x < a.end {
                    self.pairs.push((to_x, to_y));
                }
                (x, y) = (to_x + 1, to_y + 1);
            }
        }
    }

    /// Takes what both stretches begin and end with; returns what is left between.
    fn ends(&mut self, a: Range<usize>, b: Range<usize>) -> (Range<usize>, Range<usize>) {
        let (one, other) =
            (self.a.get(a.clone()).unwrap_or_default(), self.b.get(b.clone()).unwrap_or_default());
        let head = one.iter().zip(other).take_while(|(x, y)| x == y).count();
        let most = one.len().min(other.len()) - head;
        let tail = one.iter().rev().zip(other.iter().rev()).take(most).take_while(|(x, y)| x == y).count();
        self.pairs.extend((0..head).map(|step| (a.start + step, b.start + step)));
        self.pairs.extend((1..=tail).map(|step| (a.end - step, b.end - step)));
        (a.start + head..a.end - tail, b.start + head..b.end - tail)
    }

    /// Lines that stand once in both stretches, as many as keep their order.
    fn anchors(&self, a: &Range<usize>, b: &Range<usize>) -> Vec<(usize, usize)> {
        let mut places: HashMap<u32, (usize, usize, usize, usize)> = HashMap::new();
        for x in a.clone() {
            if let Some(number) = self.a.get(x) {
                let entry = places.entry(*number).or_default();
                (entry.0, entry.1) = (entry.0 + 1, x);
            }
        }
        for y in b.clone() {
            if let Some(entry) = self.b.get(y).and_then(|number| places.get_mut(number)) {
                (entry.2, entry.3) = (entry.2 + 1, y);
            }
        }
        let once = places.values().filter(|(x_count, _, y_count, _)| (*x_count, *y_count) == (1, 1));
        let mut once: Vec<(usize, usize)> = once.map(|(_, x, _, y)| (*x, *y)).collect();
        once.sort_unstable();
        rising(&once)
    }

    /// The longest common subsequence of two short stretches; of longer ones nothing.
    fn table(&mut self, a: &Range<usize>, b: &Range<usize>) {
        let cells = (a.len() + 1).saturating_mul(b.len() + 1);
        if cells > self.cells {
            self.coarse = true;
            return;
        }
        self.cells -= cells;
        let (one, other) =
            (self.a.get(a.clone()).unwrap_or_default(), self.b.get(b.clone()).unwrap_or_default());
        let found = common(one, other);
        self.pairs.extend(found.into_iter().map(|(x, y)| (a.start + x, b.start + y)));
    }
}

/// The longest run of pairs, sorted by their first place, in which the second one rises as well.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `tops[n]`: the pair that ends the best run of n + 1; `before`: the one it follows.
    let mut tops: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (place, (_, y)) in pairs.iter().enumerate() {
        let at = tops.partition_point(|top| pairs.get(*top).is_some_and(|(_, other)| other < y));
        before.push(at.checked_sub(1).and_then(|under| tops.get(under).copied()));
        match tops.get_mut(at) {
            Some(top) => *top = place,
            None => tops.push(place),
        }
    }
    let mut run = Vec::with_capacity(tops.len());
    let mut next = tops.last().copied();
    while let Some(place) = next {
        run.extend(pairs.get(place).copied());
        next = before.get(place).copied().flatten();
    }
    run.reverse();
    run
}

/// Marks the words in which two lines differ.
struct Words {
    /// Cells that may still be filled.
    cells: usize,
    coarse: bool,
}

impl Words {
    fn marks(&mut self, one: Option<&str>, other: Option<&str>) -> [Vec<Range<usize>>; 2] {
        let whole = |line: Option<&str>| {
            let line = line.unwrap_or_default();
            if line.trim().is_empty() { Vec::new() } else { std::iter::once(0..line.len()).collect() }
        };
        let (Some(a), Some(b)) = (one, other) else { return [whole(one), whole(other)] };
        let (x, y) = (words_of(a), words_of(b));
        let cells = (x.len() + 1).saturating_mul(y.len() + 1);
        if cells > self.cells.min(PAIR_CELLS_MAX) {
            self.coarse = true;
            return [whole(one), whole(other)];
        }
        self.cells -= cells;
        let text = |line: &'_ str, words: &[Range<usize>]| -> Vec<String> {
            words.iter().map(|word| part(line, word).to_owned()).collect()
        };
        let pairs = common(&text(a, &x), &text(b, &y));
        let letters = |line: &str| line.chars().filter(|letter| !letter.is_whitespace()).count();
        let shared: usize =
            pairs.iter().filter_map(|(at, _)| x.get(*at)).map(|word| letters(part(a, word))).sum();
        // Two lines with hardly a word in common are two lines; marked letters here and there would say nothing.
        if shared * 10 < letters(a).max(letters(b)) * 3 {
            return [whole(one), whole(other)];
        }
        let mut kept = [vec![false; x.len()], vec![false; y.len()]];
        for (at, to) in pairs {
            for (side, place) in [(0, at), (1, to)] {
                if let Some(slot) = kept.get_mut(side).and_then(|side: &mut Vec<bool>| side.get_mut(place)) {
                    *slot = true;
                }
            }
        }
        let [left, right] = kept;
        [joined(a, &x, &left), joined(b, &y, &right)]
    }
}

/// Words, runs of white space, and single signs. Letters of scripts without spaces count alone.
fn words_of(line: &str) -> Vec<Range<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Kind {
        Word,
        Space,
        Single,
    }
    let kind = |letter: char| {
        if letter.is_whitespace() {
            Kind::Space
        } else if (letter.is_alphanumeric() || letter == '_') && !is_alone(letter) {
            Kind::Word
        } else {
            Kind::Single
        }
    };
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut before = None;
    for (at, letter) in line.char_indices() {
        let (here, end) = (kind(letter), at + letter.len_utf8());
        match words.last_mut() {
            Some(last) if before == Some(here) && here != Kind::Single => last.end = end,
            _ => words.push(at..end),
        }
        before = Some(here);
    }
    words
}

/// Han, kana and Hangul: a word is a few of them, and nothing says where it ends.
fn is_alone(letter: char) -> bool {
    matches!(u32::from(letter), 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF)
}

/// Words that are not kept, as ranges; white space between two of them belongs to both.
fn joined(line: &str, words: &[Range<usize>], kept: &[bool]) -> Vec<Range<usize>> {
    let mut marks: Vec<Range<usize>> = Vec::new();
    for (word, kept) in words.iter().zip(kept) {
        if *kept || part(line, word).trim().is_empty() {
            continue;
        }
        match marks.last_mut() {
            Some(last) if line.get(last.end..word.start).is_some_and(|gap| gap.trim().is_empty()) => {
                last.end = word.end;
            }
            _ => marks.push(word.clone()),
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Both sides of every row, changed words in brackets.
    fn told(left: &str, right: &str) -> Vec<String> {
        let made = compare(left, right);
        let side = |row: &Row, side: usize, text: &str| {
            let Some(line) = row.line[side] else { return "~".to_owned() };
            let mut out = part(text, &made.lines[side][line]).to_owned();
            for mark in row.marks[side].iter().rev() {
                out.insert(mark.end, ']');
                out.insert(mark.start, '[');
            }
            out
        };
        let rows = made.rows.iter();
        rows.map(|row| {
            format!("{}{}|{}", if row.same { "=" } else { "!" }, side(row, 0, left), side(row, 1, right))
        })
        .collect()
    }

    #[test]
    fn changed_words_are_marked_and_lone_lines_whole() {
        assert_eq!(
            told(
                "one\nThe swap closes the window.\nlast",
                "one\nThe lock closes the small window.\nnew\nlast"
            ),
            [
                "=one|one",
                "!The [swap] closes the window.|The [lock] closes the [small] window.",
                "!~|[new]",
                "=last|last"
            ]
        );
        assert_eq!(told("", ""), Vec::<String>::new());
        assert_eq!(told("a", ""), ["![a]|~"]);
        assert_eq!(told("a  ", "a"), ["=a  |a"]);
        assert_eq!(told("a\r\nb", "a\nb"), ["=a|a", "=b|b"]);
    }

    #[test]
    fn korean_is_marked_by_letters_and_strange_lines_whole() {
        assert_eq!(
            told("만료가 저절로 처리됩니다.", "만료가 손으로 처리됩니다."),
            ["!만료가 [저절]로 처리됩니다.|만료가 [손으]로 처리됩니다."]
        );
        assert_eq!(
            told("alpha beta gamma", "delta epsilon zeta"),
            ["![alpha beta gamma]|[delta epsilon zeta]"]
        );
    }

    #[test]
    fn moved_and_repeated_lines_keep_their_order() {
        assert_eq!(
            told("x\n\na\n\nb\n\nc", "x\n\nb\n\na\n\nc").iter().filter(|row| row.starts_with('=')).count(),
            5
        );
    }

    #[test]
    fn long_answers_are_compared_in_bounded_time_and_said_to_be_cut() {
        let text = |seed: usize| -> String {
            (0..10_000).map(|line| format!("line {} of some words in a row {line}\n", line / seed)).collect()
        };
        let (a, b) = (text(3), text(7));
        assert!(a.len() + b.len() > 700_000);
        let made = compare(&a, &b);
        assert!(!made.cut && made.rows.len() >= 10_000);
        // Nothing alike in short lines: too many cells for a table.
        let (a, b) = ("a\nb\n".repeat(5_000), "b\nb\na\n".repeat(3_000));
        assert!(compare(&a, &b).coarse);
        let long = "word ".repeat(300_000);
        assert!(compare(&long, "word").cut);
        let lines = "x\n".repeat(LINES_MAX + 1);
        let made = compare(&lines, &lines);
        assert!(made.cut && made.differing() == 0);
    }

    proptest! {
        #[test]
        fn every_line_stands_once_in_order_and_marks_lie_in_it(
            left in "[ab한 .\n]{0,60}",
            right in "[ab한 .\n]{0,60}",
        ) {
            let made = compare(&left, &right);
            for (side, text) in [(0, &left), (1, &right)] {
                let places: Vec<usize> = made.rows.iter().filter_map(|row| row.line[side]).collect();
                prop_assert_eq!(places, (0..made.lines[side].len()).collect::<Vec<_>>());
                for row in &made.rows {
                    let Some(place) = row.line[side] else { continue };
                    let line = text.get(made.lines[side][place].clone());
                    prop_assert!(line.is_some());
                    let line = line.unwrap_or_default();
                    let mut end = 0;
                    for mark in &row.marks[side] {
                        prop_assert!(mark.start >= end && line.get(mark.clone()).is_some_and(|word| !word.is_empty()));
                        end = mark.end;
                    }
                }
            }
            for row in made.rows.iter().filter(|row| row.same) {
                let [Some(x), Some(y)] = row.line else { return Err(TestCaseError::fail("half a row")) };
                let (a, b) = (part(&left, &made.lines[0][x]), part(&right, &made.lines[1][y]));
                prop_assert_eq!(a.trim_end(), b.trim_end());
            }
        }
    }
}
