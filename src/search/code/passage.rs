//! Passages of one file: whole functions where the grammar is known, lines around a match elsewhere.

use super::grammar::Unit;
use super::rank::{Hit, Question};
use super::words::for_each_word;
use crate::model::code::CodePassage;

/// A container up to this many lines is shown whole, a longer one by its functions.
const WHOLE_CONTAINER_LINES: usize = 40;
/// Lines shown on each side of a match that is in no function.
const AROUND: usize = 4;
/// Lines kept on each side of a match in a shortened function.
const AROUND_IN_LONG: usize = 2;
/// Places of a long function that are shown.
const MAX_PLACES: usize = 12;

/// Lines of one file that may become a passage. All counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub start: usize,
    /// Where the definition itself begins.
    pub head: usize,
    /// Included.
    pub end: usize,
    pub name: Option<String>,
    pub hits: Vec<Hit>,
    pub hit_lines: Vec<usize>,
    pub words: u32,
}

/// Cuts a file into pieces that hold matches, in order, never overlapping.
pub(super) fn pieces(question: &Question, lines: &[&str], units: &[Unit]) -> Vec<Piece> {
    let hits: Vec<Vec<Hit>> = lines.iter().map(|line| question.hits(line)).collect();
    let mut pieces = Vec::new();
    let mut next = 0;
    for region in regions(units, lines.len()) {
        around(next, region.start, &hits, &mut pieces);
        next = region.end + 1;
        pieces.push(Piece {
            start: region.start,
            head: region.head,
            end: region.end,
            name: Some(region.name).filter(|name| !name.is_empty()),
            hits: Vec::new(),
            hit_lines: Vec::new(),
            words: 0,
        });
    }
    around(next, lines.len(), &hits, &mut pieces);
    for piece in &mut pieces {
        for line in piece.start..=piece.end {
            let (Some(text), Some(found)) = (lines.get(line), hits.get(line)) else { continue };
            for_each_word(text, &mut |_| piece.words += 1);
            if !found.is_empty() {
                piece.hit_lines.push(line);
                add_hits(&mut piece.hits, found);
            }
        }
    }
    pieces.retain(|piece| !piece.hits.is_empty());
    pieces
}

/// The first lines of a file, for when its name is what was asked for.
pub(super) fn head_of_file(lines: &[&str]) -> Option<Piece> {
    let end = lines.len().min(30).checked_sub(1)?;
    Some(Piece { start: 0, head: 0, end, name: None, hits: Vec::new(), hit_lines: Vec::new(), words: 0 })
}

fn add_hits(sum: &mut Vec<Hit>, more: &[Hit]) {
    for hit in more {
        match sum.iter_mut().find(|known| known.atom == hit.atom) {
            Some(known) => {
                known.count += hit.count;
                known.defined |= hit.defined;
            }
            None => sum.push(*hit),
        }
    }
}

/// Functions, types, and containers that are short; in order and apart from each other.
fn regions(units: &[Unit], lines: usize) -> Vec<Unit> {
    let mut regions: Vec<Unit> = Vec::new();
    let mut free = 0;
    for unit in units {
        let long = unit.end + 1 - unit.start.min(unit.end) > WHOLE_CONTAINER_LINES;
        let start = if unit.start < free { unit.head } else { unit.start };
        if (unit.container && long) || start < free || unit.end >= lines || unit.end < start {
            continue;
        }
        free = unit.end + 1;
        regions.push(Unit { start, ..unit.clone() });
    }
    regions
}

/// Windows around the matches of the lines `from..to`.
fn around(from: usize, to: usize, hits: &[Vec<Hit>], pieces: &mut Vec<Piece>) {
    let mut open: Option<(usize, usize)> = None;
    let mut close = |open: Option<(usize, usize)>| {
        if let Some((start, end)) = open {
            let name = None;
            pieces.push(Piece {
                start,
                head: start,
                end,
                name,
                hits: Vec::new(),
                hit_lines: Vec::new(),
                words: 0,
            });
        }
    };
    for line in from..to {
        if hits.get(line).is_none_or(Vec::is_empty) {
            continue;
        }
        let start = line.saturating_sub(AROUND).max(from);
        let end = (line + AROUND).min(to - 1);
        open = match open {
            Some((first, last)) if start <= last + 2 => Some((first, end)),
            before => {
                close(before);
                Some((start, end))
            }
        };
    }
    close(open);
}

/// The text of a piece within `max_chars`, and how many lines were cut; `None` when not even its head fits.
pub(super) fn text_of(piece: &Piece, lines: &[&str], max_chars: usize) -> Option<(String, usize)> {
    let whole: Vec<usize> = (piece.start..=piece.end).collect();
    let fits = |kept: &[usize]| {
        let (text, cut) = render(piece, lines, kept);
        (text.chars().count() <= max_chars).then_some((text, cut))
    };
    if let Some(all) = fits(&whole) {
        return Some(all);
    }
    let mut kept = signature(piece, lines);
    let mut best = fits(&kept)?;
    let places = piece.hit_lines.iter().filter(|line| **line > piece.head).take(MAX_PLACES);
    let wanted = places.map(|line| {
        line.saturating_sub(AROUND_IN_LONG).max(piece.start)..=(line + AROUND_IN_LONG).min(piece.end)
    });
    for place in wanted.chain(std::iter::once(piece.end..=piece.end)) {
        let mut more = kept.clone();
        more.extend(place);
        more.sort_unstable();
        more.dedup();
        if let Some(better) = fits(&more) {
            best = better;
            kept = more;
        }
    }
    Some(best)
}

/// The lines up to where the body opens, four at most.
fn signature(piece: &Piece, lines: &[&str]) -> Vec<usize> {
    let mut kept = Vec::new();
    for line in (piece.head..=piece.end).take(4) {
        kept.push(line);
        let text = lines.get(line).copied().unwrap_or_default().trim_end();
        if text.ends_with(['{', ':', ';']) || piece.name.is_none() {
            break;
        }
    }
    kept
}

/// Joins the kept lines, with marks where some are missing.
fn render(piece: &Piece, lines: &[&str], kept: &[usize]) -> (String, usize) {
    let mut out: Vec<String> = Vec::new();
    let mut cut = 0;
    let mut next = piece.start;
    let mut mark = |out: &mut Vec<String>, lines: usize| {
        if lines > 0 {
            out.push(CodePassage::cut_mark(lines));
            cut += lines;
        }
    };
    for line in kept {
        mark(&mut out, line - next);
        out.push(lines.get(*line).copied().unwrap_or_default().to_owned());
        next = line + 1;
    }
    mark(&mut out, (piece.end + 1).saturating_sub(next));
    (out.join("\n"), cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit(start: usize, head: usize, end: usize, container: bool) -> Unit {
        Unit { start, head, end, name: format!("u{start}"), container }
    }

    fn places(lines: &[&str], units: &[Unit], terms: &[&str]) -> Vec<(usize, usize)> {
        let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
        let found = pieces(&Question::new(&terms), lines, units);
        found.iter().map(|piece| (piece.start, piece.end)).collect()
    }

    #[test]
    fn functions_whole_and_windows_elsewhere() {
        let mut lines = vec!["other"; 100];
        lines[12] = "needle";
        lines[50] = "needle";
        lines[55] = "needle";
        lines[90] = "needle";
        let units = [unit(10, 11, 20, false), unit(60, 60, 99, true), unit(88, 88, 92, false)];
        assert_eq!(places(&lines, &units, &["needle"]), [(10, 20), (46, 59), (60, 99)]);
        let units = [unit(50, 52, 99, true), unit(88, 88, 92, false)];
        assert_eq!(places(&lines, &units, &["needle"]), [(8, 16), (46, 59), (88, 92)]);
        assert_eq!(places(&lines, &[], &["absent"]), []);
        assert_eq!(places(&[], &[], &["needle"]), []);
    }

    #[test]
    fn a_long_function_keeps_its_head_and_the_places() {
        let mut lines: Vec<String> = (0..100).map(|n| format!("    line {n};")).collect();
        lines[0] = "/// Says.".into();
        lines[1] = "fn long() {".into();
        lines[60] = "    needle();".into();
        lines[99] = "}".into();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let question = Question::new(&["needle".to_owned()]);
        let piece = pieces(&question, &lines, &[unit(0, 1, 99, false)]).remove(0);
        let (text, cut) = text_of(&piece, &lines, 200).unwrap();
        let wanted = "… 1 lines cut …\nfn long() {\n… 56 lines cut …\n    line 58;\n    line 59;\n    needle();\n    line \
                      61;\n    line 62;\n… 36 lines cut …\n}";
        assert_eq!((text.as_str(), cut), (wanted, 93));
        assert_eq!(text_of(&piece, &lines, 5), None);
        assert_eq!(text_of(&piece, &lines, 100_000).unwrap().1, 0);
    }

    proptest! {
        #[test]
        fn pieces_never_overlap_and_texts_are_lines_within_bounds(
            words in proptest::collection::vec(0_u8..8, 0..120),
            units in proptest::collection::vec((0_usize..120, 0_usize..4, 0_usize..60, any::<bool>()), 0..12),
            max_chars in 0_usize..400,
        ) {
            let lines: Vec<String> =
                words.iter().map(|w| if *w == 0 { "needle here".into() } else { format!("줄 {w} text") }).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let mut units: Vec<Unit> =
                units.iter().map(|(at, head, len, c)| unit(*at, at + head, at + head + len, *c)).collect();
            units.sort_by_key(|unit| (unit.start, std::cmp::Reverse(unit.end)));
            let found = pieces(&Question::new(&["needle".to_owned()]), &lines, &units);
            let mut free = 0;
            for piece in &found {
                prop_assert!(piece.start >= free && piece.end >= piece.start && piece.end < lines.len());
                free = piece.end + 1;
                if let Some((text, cut)) = text_of(piece, &lines, max_chars) {
                    prop_assert!(text.chars().count() <= max_chars);
                    let kept = text.lines().filter(|line| !line.starts_with('…')).count();
                    prop_assert!(text.lines().all(|line| line.starts_with('…') || lines.contains(&line)));
                    prop_assert_eq!(kept + cut, piece.end + 1 - piece.start);
                }
            }
            let covered = |line: usize| found.iter().any(|piece| (piece.start..=piece.end).contains(&line));
            for (line, text) in lines.iter().enumerate() {
                prop_assert!(!text.starts_with("needle") || covered(line), "line {} is lost", line);
            }
        }
    }
}
