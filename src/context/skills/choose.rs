//! Which parts of the skills in use go to the agent: those that match the message, and a line that names the rest.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::context::fence::closed;
use crate::context::skills::parts::parts;
use crate::context::transcript::one_line;
use crate::context::trim::{chars, keep_head, prefix};
use crate::context::words::{Word, keys, words};
use crate::model::skill::SkillDoc;

/// The beginning of a skill, when nothing of it matches.
const INTRO_CHARS_MAX: usize = 300;
/// Names in one line that says what was left out.
const NAMES_CHARS_MAX: usize = 240;
/// A part is cut only when so much of it can be told.
const CUT_CHARS_MIN: usize = 400;
/// A part that matches less than this share of the best one stays out.
const SHARE_OF_BEST: f64 = 0.35;

/// What is told of the skills in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChosenSkills {
    /// Those that match best come first.
    pub skills: Vec<ChosenSkill>,
    /// Names of skills in use for which there was no room.
    pub unshown: Vec<String>,
    max_chars: usize,
}

/// What is told of one skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenSkill {
    /// Its place among the documents that were chosen from.
    pub doc: usize,
    pub name: String,
    /// Its first words; empty when they are among `parts`.
    pub intro: String,
    /// In the order of the document; empty when nothing matches.
    pub parts: Vec<ChosenPart>,
    /// Headings that were left out, in their order.
    pub left_out: Vec<String>,
    /// What the user should know: a broken front matter, a file that was not read whole.
    pub notes: Vec<String>,
    /// Where the whole text is.
    place: String,
    is_shortened: bool,
}

/// One part of a skill as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenPart {
    /// Its heading with those above it, e.g. `Routing › Nested`; empty for the text before the first heading.
    pub path: String,
    /// Without the heading; fences are closed.
    pub text: String,
    /// Something of it was left out; `text` says how much.
    pub is_cut: bool,
    /// How well it matches, in hundredths; only to be compared within one choice.
    pub score: u32,
}

/// Chooses from `docs`, the skills that are switched on, what is told for `prompt`: parts that match it, the
/// first words of every skill, and a line that names what was left out.
///
/// [`ChosenSkills::text`] is never longer than `max_chars`. The same input gives the same choice.
pub fn choose_parts(prompt: &str, docs: &[SkillDoc], max_chars: usize) -> ChosenSkills {
    let asked = words(prompt);
    let mut pieces: Vec<Piece> = docs.iter().enumerate().flat_map(|(doc, of)| pieces_of(doc, of)).collect();
    score(&asked, &mut pieces);
    let mut chosen = skeletons(docs, &pieces, max_chars);
    fill(&mut chosen, &pieces, max_chars);
    let mut found = ChosenSkills {
        skills: chosen.shown.into_iter().map(|shown| shown.skill).collect(),
        unshown: chosen.unshown,
        max_chars,
    };
    while chars(&found.told()) > max_chars
        && let Some(skill) = found.skills.pop()
    {
        found.unshown.insert(0, skill.name);
    }
    found
}

impl ChosenSkills {
    /// Markdown to be told to the agent, without a heading of its own; empty when there is nothing to say.
    pub fn text(&self) -> String {
        let told = self.told();
        // Where no skill has room, a line that only names them has none either, or says little.
        if chars(&told) <= self.max_chars { told } else { String::new() }
    }

    fn told(&self) -> String {
        let mut out: Vec<String> = self.skills.iter().map(ChosenSkill::text).collect();
        if !self.unshown.is_empty() {
            out.push(format!("Also switched on, but without room here: {}.", name_some(&self.unshown)));
        }
        out.join("\n\n")
    }

    /// Lines for the report: what is wrong with a skill, and what of it was left out.
    pub fn report_lines(&self) -> Vec<String> {
        let mut out = Vec::new();
        for skill in &self.skills {
            out.extend(skill.notes.iter().map(|note| format!("skill {}: {note}", skill.name)));
            if !skill.left_out.is_empty() {
                out.push(format!("skill {}: left out {}", skill.name, name_some(&skill.left_out)));
            }
        }
        if !self.unshown.is_empty() {
            out.push(format!("no room for the skills {}", name_some(&self.unshown)));
        }
        out
    }
}

impl ChosenSkill {
    fn text(&self) -> String {
        let mut out = vec![format!("### Skill: {}", self.name)];
        if !self.intro.is_empty() {
            out.push(self.intro.clone());
        }
        out.extend(self.parts.iter().map(ChosenPart::markdown));
        if !self.left_out.is_empty() {
            let names = name_some(&self.left_out);
            out.push(format!("Left out: {names}. The whole skill is in `{}`.", self.place));
        } else if self.is_shortened {
            out.push(format!("The whole skill is in `{}`.", self.place));
        }
        out.join("\n\n")
    }
}

impl ChosenPart {
    fn markdown(&self) -> String {
        match (self.path.is_empty(), self.text.is_empty()) {
            (true, _) => self.text.clone(),
            (false, true) => format!("#### {}", self.path),
            (false, false) => format!("#### {}\n\n{}", self.path, self.text),
        }
    }
}

/// A part with all that is known of it.
struct Piece {
    doc: usize,
    heading: String,
    path: String,
    text: String,
    /// Before the first heading below the title.
    is_intro: bool,
    own: HashSet<String>,
    above: HashSet<String>,
    inside: HashSet<String>,
    score: f64,
}

fn pieces_of(doc: usize, of: &SkillDoc) -> Vec<Piece> {
    let mut trail: Vec<(u8, String)> = Vec::new();
    let mut out: Vec<Piece> = Vec::new();
    let parts = parts(&of.body);
    let has_title = parts.iter().filter(|part| part.level == 1).count() == 1;
    for part in parts {
        trail.retain(|(level, _)| *level < part.level);
        // The title stands above everything and says nothing about a part.
        let is_title = has_title && part.level == 1 && out.iter().all(|piece| piece.is_intro);
        let above: Vec<&str> = trail.iter().map(|(_, heading)| heading.as_str()).collect();
        let heading = one_line(&part.heading);
        let mut path = above.clone();
        path.push(&heading);
        let body = if part.level == 0 {
            part.text.as_str()
        } else {
            part.text.split_once('\n').map_or("", |(_, body)| body)
        };
        out.push(Piece {
            doc,
            path: path.join(" › "),
            text: closed(body.trim_matches('\n').trim_end()).into_owned(),
            is_intro: part.level == 0 || is_title,
            own: keys(&heading),
            above: keys(&above.join(" ")),
            inside: keys(body),
            heading: heading.clone(),
            score: 0.0,
        });
        if part.level > 0 && !is_title {
            trail.push((part.level, heading));
        }
    }
    out.retain(|piece| !piece.text.is_empty() || !piece.heading.is_empty());
    out
}

fn score(asked: &[Word], pieces: &mut [Piece]) {
    let count = pieces.len() as f64;
    let weights: Vec<f64> = asked
        .iter()
        .map(|word| {
            let with = pieces.iter().filter(|piece| word.is_in(&piece.own) || word.is_in(&piece.inside));
            (1.0 + count / with.count().max(1) as f64).ln()
        })
        .collect();
    for piece in pieces.iter_mut() {
        let (mut score, mut hits, mut in_heading) = (0.0, 0, false);
        for (word, weight) in asked.iter().zip(&weights) {
            let own = word.is_in(&piece.own);
            let above = word.is_in(&piece.above);
            let inside = word.is_in(&piece.inside);
            let times = if own {
                3.0
            } else if above {
                1.5
            } else {
                0.0
            } + if inside { 1.0 } else { 0.0 };
            in_heading |= own || above;
            hits += usize::from(own || above || inside);
            score += times * weight;
        }
        // One word somewhere in a long text is chance, unless little else was asked.
        let counts = in_heading || hits >= 2 || (hits == 1 && asked.len() <= 3);
        piece.score = if counts { score } else { 0.0 };
    }
    let best = pieces.iter().map(|piece| piece.score).fold(0.0, f64::max);
    for piece in pieces.iter_mut().filter(|piece| piece.score < best * SHARE_OF_BEST) {
        piece.score = 0.0;
    }
}

struct Shown {
    doc: usize,
    skill: ChosenSkill,
}

struct Chosen {
    shown: Vec<Shown>,
    unshown: Vec<String>,
    left_chars: usize,
}

/// Every skill with its first words and the line for what is left out, as far as there is room.
fn skeletons(docs: &[SkillDoc], pieces: &[Piece], max_chars: usize) -> Chosen {
    let best = |doc: usize| {
        let scores = pieces.iter().filter(|piece| piece.doc == doc).map(|piece| piece.score);
        scores.fold(0.0, f64::max)
    };
    let mut order: Vec<(usize, f64)> = (0..docs.len()).map(|doc| (doc, best(doc))).collect();
    order.sort_by(|one, two| two.1.partial_cmp(&one.1).unwrap_or(Ordering::Equal).then(one.0.cmp(&two.0)));
    let reserve = if docs.len() > 1 { NAMES_CHARS_MAX + 60 } else { 0 };
    let room = max_chars.saturating_sub(reserve);
    // What does not match must not take the room of what does.
    let room_without_match = room * 2 / 5;
    let mut chosen = Chosen { shown: Vec::new(), unshown: Vec::new(), left_chars: room };
    for (doc, score) in order {
        let Some(of) = docs.get(doc) else { continue };
        let skill = skeleton(doc, of, pieces.iter().filter(|piece| piece.doc == doc));
        // Its line for what is left out may come with the parts only.
        let line =
            if skill.is_shortened || !skill.left_out.is_empty() { 0 } else { chars(&skill.place) + 30 };
        let cost = chars(&skill.text()) + line + 2;
        let used = room - chosen.left_chars;
        let limit = if score > 0.0 || chosen.shown.is_empty() { room } else { room_without_match };
        if used + cost > limit {
            chosen.unshown.push(skill.name);
            continue;
        }
        chosen.left_chars -= cost;
        chosen.shown.push(Shown { doc, skill });
    }
    chosen
}

fn skeleton<'a>(doc: usize, of: &SkillDoc, pieces: impl Iterator<Item = &'a Piece>) -> ChosenSkill {
    let mut intro = String::new();
    let mut left_out = Vec::new();
    let mut is_shortened = false;
    for piece in pieces {
        if !piece.is_intro {
            left_out.push(piece.heading.clone());
        } else if intro.is_empty() {
            intro = first_words(&piece.text);
            is_shortened |= chars(&intro) < chars(&piece.text);
        } else {
            is_shortened = true;
        }
    }
    if intro.is_empty() {
        intro = first_words(&of.skill.description);
    }
    ChosenSkill {
        doc,
        name: one_line(&of.skill.name),
        intro,
        parts: Vec::new(),
        left_out,
        notes: of.skill.problem.iter().chain(&of.notes).cloned().collect(),
        place: of.skill.dir.join("SKILL.md").display().to_string(),
        is_shortened,
    }
}

/// The first paragraph, cut when it is long.
fn first_words(text: &str) -> String {
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default().trim_end();
    let short = prefix(paragraph, INTRO_CHARS_MAX);
    let mark = if short.len() < paragraph.len() { " …" } else { "" };
    closed(&format!("{short}{mark}")).into_owned()
}

/// Puts the matching parts in, the best one first, each in its place in the document.
fn fill(chosen: &mut Chosen, pieces: &[Piece], max_chars: usize) {
    let mut order: Vec<(usize, &Piece)> =
        pieces.iter().enumerate().filter(|(_, piece)| piece.score > 0.0).collect();
    order.sort_by(|one, two| {
        two.1.score.partial_cmp(&one.1.score).unwrap_or(Ordering::Equal).then(one.0.cmp(&two.0))
    });
    let mut taken: Vec<(usize, ChosenPart)> = Vec::new();
    let mut left = chosen.left_chars.min(max_chars);
    for (at, piece) in order {
        if !chosen.shown.iter().any(|shown| shown.doc == piece.doc) {
            continue;
        }
        let score = (piece.score * 100.0).round() as u32;
        let path = if piece.is_intro { String::new() } else { piece.path.clone() };
        let mut part = ChosenPart { path, text: piece.text.clone(), is_cut: false, score };
        let cost = chars(&part.markdown()) + 2;
        if cost > left {
            let is_first =
                taken.iter().all(|(other, _)| pieces.get(*other).is_none_or(|o| o.doc != piece.doc));
            let room = left.saturating_sub(cost - chars(&part.text));
            if !is_first || room < CUT_CHARS_MIN {
                continue;
            }
            part.text = keep_head(&part.text, room, "more").text;
            part.is_cut = true;
        }
        left = left.saturating_sub(chars(&part.markdown()) + 2);
        taken.push((at, part));
    }
    taken.sort_by_key(|(at, _)| *at);
    for shown in &mut chosen.shown {
        settle(shown, pieces, &taken);
    }
}

/// The skill with its parts; what is told in whole is neither an intro nor left out.
fn settle(shown: &mut Shown, pieces: &[Piece], taken: &[(usize, ChosenPart)]) {
    let skill = &mut shown.skill;
    skill.left_out.clear();
    let mut is_shortened = false;
    for (at, piece) in pieces.iter().enumerate().filter(|(_, piece)| piece.doc == shown.doc) {
        match taken.iter().find(|(other, _)| *other == at) {
            Some((_, part)) => {
                if piece.is_intro {
                    skill.intro.clear();
                }
                is_shortened |= part.is_cut;
                skill.parts.push(part.clone());
            }
            None if !piece.is_intro => skill.left_out.push(piece.heading.clone()),
            None => is_shortened |= skill.is_shortened,
        }
    }
    skill.is_shortened = is_shortened;
}

/// `A, B and 3 more`, at most [`NAMES_CHARS_MAX`] characters of names.
fn name_some(names: &[String]) -> String {
    let mut out = String::new();
    let mut room = NAMES_CHARS_MAX;
    for (at, name) in names.iter().enumerate() {
        let name = if name.is_empty() { "(no heading)" } else { name };
        let name = if at == 0 { prefix(name, NAMES_CHARS_MAX) } else { name };
        let cost = chars(name) + 2;
        if at > 0 && cost > room {
            return format!("{out} and {} more", names.len() - at);
        }
        if at > 0 {
            out.push_str(", ");
        }
        out.push_str(name);
        room = room.saturating_sub(cost);
    }
    out
}

#[cfg(test)]
#[path = "choose_tests.rs"]
mod tests;
