//! From the best files to passages within the budget.

use std::path::Path;

use super::compare::{Compared, Scored};
use super::index::read_text;
use super::language::place;
use super::passage::{Piece, head_of_file, pieces, text_of};
use super::rank::{Candidate, Question, score};
use super::walk::Stop;
use super::{CodeQuery, grammar};
use crate::model::code::{CodePassage, CodeWhy};

/// Words of a usual function.
const USUAL_WORDS: f32 = 90.0;
/// How much of a file's own score its passages inherit.
const FILE_SHARE: f32 = 0.25;
/// Passages below this part of the best one's score are noise.
const LEAST_OF_BEST: f32 = 0.2;
/// The part of the budget, in percent, that one passage may take while there are others.
const ONE_PERCENT: usize = 60;
/// Passages with so few lines between them become one.
const NEAR_LINES: u32 = 3;
/// A shortened passage with less than this is not worth its heading.
const LEAST_CHARS: usize = 200;

/// A piece with its file's text and its score.
#[derive(Debug, Clone)]
pub(super) struct Found {
    path: String,
    language: &'static str,
    lines: std::rc::Rc<Vec<String>>,
    piece: Piece,
    score: f32,
    why: CodeWhy,
}

/// Reads the best files and gives their pieces, the best first.
pub(super) fn pieces_of(
    root: &Path,
    query: &CodeQuery,
    question: &Question,
    compared: &Compared<'_>,
    stop: &Stop<'_>,
) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    for one in &compared.files {
        if stop.cause().is_some() {
            break;
        }
        let Ok(text) = read_text(root, one.file, query.limits.max_file_bytes) else { continue };
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let refs: Vec<&str> = lines.iter().map(String::as_str).collect();
        let units = grammar::units(&text, one.file.kind.language, stop).unwrap_or_default();
        let mut found = pieces(question, &refs, &units);
        if found.is_empty() && (one.path_hits.named || !one.path_hits.file.is_empty()) {
            found.extend(head_of_file(&refs));
        }
        drop(refs);
        let lines = std::rc::Rc::new(lines);
        for piece in found {
            all.push(judge(piece, one, question, compared, &lines));
        }
    }
    all.sort_by(|a, b| {
        let by_place = || a.path.cmp(&b.path).then(a.piece.start.cmp(&b.piece.start));
        b.score.total_cmp(&a.score).then_with(by_place)
    });
    all
}

fn judge(
    piece: Piece,
    one: &Scored<'_>,
    question: &Question,
    compared: &Compared<'_>,
    lines: &std::rc::Rc<Vec<String>>,
) -> Found {
    let name_hits = piece.name.as_deref().map(|name| question.hits(name)).unwrap_or_default();
    let own = score(
        question,
        &compared.corpus,
        &Candidate {
            hits: &piece.hits,
            words: piece.words,
            usual_words: Some(USUAL_WORDS),
            name_hits: &name_hits,
            path_hits: &one.path_hits,
            kind: one.file.kind.kind,
            place: place(&one.file.path),
        },
    );
    let in_path = [one.path_hits.file.as_slice(), &one.path_hits.folders].concat();
    let why = CodeWhy {
        defines: question.terms_of(&name_hits),
        in_path: question.terms_of(&in_path),
        matches: question.terms_of(&piece.hits),
    };
    Found {
        path: one.file.path.clone(),
        language: one.file.kind.language,
        lines: std::rc::Rc::clone(lines),
        piece,
        score: own + FILE_SHARE * one.score,
        why,
    }
}

/// Takes passages, the best first, while they fit; near ones of a file become one.
pub(super) fn pick(found: Vec<Found>, budget_chars: usize, max_passages: usize) -> Vec<CodePassage> {
    let best = found.first().map_or(0.0, |first| first.score);
    let mut taken: Vec<(CodePassage, Found)> = Vec::new();
    let mut left = budget_chars;
    let is_alone = found.len() == 1;
    for one in found {
        if taken.len() >= max_passages || one.score < best * LEAST_OF_BEST || one.score <= 0.0 {
            break;
        }
        let heading = one.path.chars().count() + CodePassage::HEADING_CHARS;
        let room = if is_alone { left } else { left.min(budget_chars * ONE_PERCENT / 100) };
        let refs: Vec<&str> = one.lines.iter().map(String::as_str).collect();
        let Some((text, cut)) = room.checked_sub(heading).and_then(|room| text_of(&one.piece, &refs, room))
        else {
            continue;
        };
        // A shortened one that says next to nothing leaves its place to others.
        if cut > 0 && text.chars().count() < LEAST_CHARS {
            continue;
        }
        let passage = CodePassage {
            path: one.path.clone(),
            start_line: line_number(one.piece.start),
            end_line: line_number(one.piece.end),
            language: one.language.to_owned(),
            name: one.piece.name.clone(),
            text,
            cut_lines: u32::try_from(cut).unwrap_or(u32::MAX),
            score: one.score,
            why: one.why.clone(),
        };
        left = left.saturating_sub(passage.cost_chars());
        taken.push((passage, one));
    }
    merge_near(taken, left)
}

fn line_number(from_zero: usize) -> u32 {
    u32::try_from(from_zero + 1).unwrap_or(u32::MAX)
}

/// Joins uncut passages of a file that nearly touch, as far as the lines between them fit.
fn merge_near(mut taken: Vec<(CodePassage, Found)>, mut left: usize) -> Vec<CodePassage> {
    taken.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path).then(a.start_line.cmp(&b.start_line)));
    let mut merged: Vec<CodePassage> = Vec::new();
    for (next, source) in taken {
        if let Some(before) = merged.last_mut()
            && let Some(grown) = joined(before, &next, &source.lines)
        {
            let (old, new) = (before.cost_chars() + next.cost_chars(), grown.cost_chars());
            if new <= old + left {
                left = left + old - new;
                *before = grown;
                continue;
            }
        }
        merged.push(next);
    }
    merged.sort_by(|a, b| {
        let by_place = || a.path.cmp(&b.path).then(a.start_line.cmp(&b.start_line));
        b.score.total_cmp(&a.score).then_with(by_place)
    });
    merged
}

fn joined(before: &CodePassage, next: &CodePassage, lines: &[String]) -> Option<CodePassage> {
    let gap = next.start_line.checked_sub(before.end_line + 1)?;
    if before.path != next.path || before.cut_lines + next.cut_lines > 0 || gap > NEAR_LINES {
        return None;
    }
    let range = before.start_line as usize - 1..next.end_line as usize;
    let mut names: Vec<&str> = before.name.iter().chain(&next.name).map(String::as_str).collect();
    names.dedup();
    Some(CodePassage {
        end_line: next.end_line,
        name: (!names.is_empty()).then(|| names.join(", ")),
        text: lines.get(range)?.join("\n"),
        score: before.score.max(next.score),
        why: CodeWhy {
            defines: union(&before.why.defines, &next.why.defines),
            in_path: union(&before.why.in_path, &next.why.in_path),
            matches: union(&before.why.matches, &next.why.matches),
        },
        ..before.clone()
    })
}

fn union(a: &[String], b: &[String]) -> Vec<String> {
    let more = b.iter().filter(|term| !a.contains(term));
    a.iter().chain(more).cloned().collect()
}

/// Takes ready passages, the best first, while they fit whole or shortened at their end; overlapping ones go.
pub(super) fn fit(
    mut passages: Vec<CodePassage>,
    budget_chars: usize,
    max_passages: usize,
) -> Vec<CodePassage> {
    passages.sort_by(|a, b| {
        let by_place = || a.path.cmp(&b.path).then(a.start_line.cmp(&b.start_line));
        b.score.total_cmp(&a.score).then_with(by_place)
    });
    let mut taken: Vec<CodePassage> = Vec::new();
    let mut left = budget_chars;
    for mut passage in passages {
        let overlaps = |other: &CodePassage| {
            other.path == passage.path
                && other.start_line <= passage.end_line
                && passage.start_line <= other.end_line
        };
        if taken.len() >= max_passages || taken.iter().any(overlaps) {
            continue;
        }
        if passage.cost_chars() > left {
            let heading = passage.path.chars().count() + CodePassage::HEADING_CHARS;
            let lines: Vec<&str> = passage.text.lines().collect();
            let piece = Piece {
                start: 0,
                head: 0,
                end: lines.len().saturating_sub(1),
                name: passage.name.clone(),
                hits: Vec::new(),
                hit_lines: (1..lines.len()).collect(),
                words: 0,
            };
            let Some((text, cut)) = left.checked_sub(heading).and_then(|room| text_of(&piece, &lines, room))
            else {
                continue;
            };
            passage.cut_lines = u32::try_from(cut).unwrap_or(u32::MAX);
            passage.text = text;
        }
        left = left.saturating_sub(passage.cost_chars());
        taken.push(passage);
    }
    taken
}
