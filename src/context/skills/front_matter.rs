//! The head of a `SKILL.md`: what the skill is called and what it is for.
//!
//! Read is the part of YAML that such heads are written in: `key: value` with plain, quoted, folded and literal
//! texts. Other keys are passed over with what belongs to them. What is broken is told in plain words, and what
//! can still be read is used.

use std::path::PathBuf;

use crate::context::trim::{chars, prefix};
use crate::model::skill::{Skill, SkillDoc, SkillOrigin};

const NAME_CHARS_MAX: usize = 100;
const DESCRIPTION_CHARS_MAX: usize = 1_500;

/// What the head of a text says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// One line, at most 100 characters.
    pub name: Option<String>,
    /// One paragraph, at most 1,500 characters.
    pub description: Option<String>,
    /// What is wrong with it, in sentences for the user.
    pub problem: Option<String>,
    /// Byte at which the text proper begins.
    pub body_at: usize,
}

/// Reads the head of `text`: a block between two lines `---` at its very beginning.
///
/// Never fails: without such a block, or when it is not closed, `problem` says so and the rest is the body.
pub fn front_matter(text: &str) -> FrontMatter {
    let mut problems = Vec::new();
    let (lines, body_at) = match block(text) {
        Block::Closed { lines, body_at } => (lines, body_at),
        Block::Open { lines, body_at } => {
            problems.push("The line --- that closes the front matter is missing.".to_owned());
            (lines, body_at)
        }
        Block::None => {
            let what = "It does not begin with a front matter (name and description between two lines ---).";
            let body_at = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 };
            return FrontMatter { problem: Some(what.to_owned()), body_at, ..FrontMatter::default() };
        }
    };
    let mut fields = fields(&lines, &mut problems);
    let mut field = |key: usize, chars_max: usize| {
        let value = fields.get_mut(key)?.take()?;
        if chars(&value) <= chars_max {
            return Some(value);
        }
        problems
            .push(format!("Its {} is longer than {chars_max} characters; the rest is left out.", KEYS[key]));
        Some(prefix(&value, chars_max).to_owned())
    };
    let (name, description) = (field(0, NAME_CHARS_MAX), field(1, DESCRIPTION_CHARS_MAX));
    if name.is_none() {
        problems.push("It has no name; the folder's name is taken.".to_owned());
    }
    if description.is_none() {
        problems.push("It has no description, so it can hardly be suggested.".to_owned());
    }
    let problem = (!problems.is_empty()).then(|| problems.join(" "));
    FrontMatter { name, description, problem, body_at }
}

/// The skill in `dir`, told by the beginning of its file. `has_more`: the file is longer than `head`.
pub fn skill_of(dir: PathBuf, origin: SkillOrigin, head: &str, has_more: bool) -> Skill {
    let found = front_matter(head);
    let folder = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_open = has_more && matches!(block(head), Block::Open { .. });
    let problem = if is_open {
        Some("Its front matter is too long, or not closed with a line ---.".to_owned())
    } else {
        found.problem
    };
    Skill {
        name: found.name.unwrap_or(folder),
        description: found.description.unwrap_or_default(),
        dir,
        origin,
        problem,
    }
}

/// The skill with its text. `notes` say what of the file `text` does not hold.
///
/// Line ends become `\n`; blank lines at both ends go.
pub fn skill_doc(skill: Skill, text: &str, notes: Vec<String>) -> SkillDoc {
    let body = text.get(front_matter(text).body_at..).unwrap_or_default();
    let body = body.replace("\r\n", "\n");
    let first = body.len() - body.trim_start().len();
    let start = body.get(..first).and_then(|blank| blank.rfind('\n')).map_or(0, |end| end + 1);
    let body = body.get(start..).unwrap_or_default().trim_end().to_owned();
    SkillDoc { skill, body, notes }
}

const BYTE_ORDER_MARK: char = '\u{feff}';
const KEYS: [&str; 2] = ["name", "description"];

enum Block<'a> {
    None,
    Closed { lines: Vec<&'a str>, body_at: usize },
    Open { lines: Vec<&'a str>, body_at: usize },
}

fn block(text: &str) -> Block<'_> {
    let rest = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut at = text.len() - rest.len();
    let mut lines = Vec::new();
    let mut is_open = false;
    // Where the text begins, should nobody say so, and how many lines came before it.
    let mut gap = None;
    for line in rest.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end();
        match (is_open, line) {
            (false, "") => {}
            (false, "---") => is_open = true,
            (false, _) => return Block::None,
            (true, "---" | "...") => return Block::Closed { lines, body_at: at },
            (true, line) => {
                if gap.is_none() && line.is_empty() {
                    gap = Some((lines.len(), at));
                } else if gap.is_none() && is_of_text(line) {
                    gap = Some((lines.len(), start));
                }
                lines.push(line);
            }
        }
    }
    if !is_open {
        return Block::None;
    }
    // Nobody said where the head ends: the first line that looks like none of it is the best guess.
    if let Some((count, body_at)) = gap {
        lines.truncate(count);
        return Block::Open { lines, body_at };
    }
    Block::Open { lines, body_at: text.len() }
}

/// A heading, or words that no key stands before.
fn is_of_text(line: &str) -> bool {
    line.starts_with('#') || !line.starts_with([' ', '\t', '-']) && key_and_value(line).is_none()
}

/// The values of [`KEYS`].
fn fields(lines: &[&str], problems: &mut Vec<String>) -> [Option<String>; 2] {
    let mut found = [None, None];
    let mut seen = [false, false];
    let mut rest = lines;
    let mut number = 1;
    while let [line, below @ ..] = rest {
        number += 1;
        let is_inner = |line: &&&str| line.trim().is_empty() || line.starts_with([' ', '\t']);
        let count = below.iter().take_while(is_inner).count();
        let (inner, next) = below.split_at(count);
        rest = next;
        let line_number = number;
        number += count;
        if line.trim().is_empty() || line.starts_with('#') || line.starts_with('-') {
            continue;
        }
        let Some((key, value)) = key_and_value(line) else {
            problems.push(format!("Line {line_number} of its front matter is not understood."));
            continue;
        };
        let Some(at) = KEYS.iter().position(|known| known.eq_ignore_ascii_case(key)) else { continue };
        if std::mem::replace(&mut seen[at], true) {
            problems.push(format!("Its {} is given twice; the first one is taken.", KEYS[at]));
            continue;
        }
        match value_of(value, inner, next) {
            Ok(text) => found[at] = one_paragraph(&text),
            Err(why) => {
                problems.push(format!("Its {} {why}.", KEYS[at]));
                let text = [value].into_iter().chain(inner.iter().copied()).collect::<Vec<_>>().join(" ");
                let is_list = text.trim_start().starts_with("- ");
                found[at] = one_paragraph(text.trim().trim_matches(['"', '\''])).filter(|_| !is_list);
            }
        }
    }
    found
}

/// `key: value`; the colon needs a space or the line's end behind it.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = match line.split_once(": ").or_else(|| line.split_once(":\t")) {
        Some(pair) => pair,
        None => (line.strip_suffix(':')?, ""),
    };
    Some((key.trim().trim_matches(['"', '\'']), value.trim()))
}

/// The text of a value: what stands behind the colon and the indented lines below it.
fn value_of(first: &str, inner: &[&str], after: &[&str]) -> Result<String, &'static str> {
    let whole =
        || [first].into_iter().chain(inner.iter().copied()).map(str::trim).collect::<Vec<_>>().join(" ");
    match first.chars().next() {
        Some('|' | '>') if is_block_mark(first) => {
            if inner.iter().all(|line| line.trim().is_empty())
                && after.first().is_some_and(|line| key_and_value(line).is_none())
            {
                return Err("has a text below it that is not indented");
            }
            Ok(inner.join("\n"))
        }
        Some('"') => double_quoted(&whole()),
        Some('\'') => single_quoted(&whole()),
        Some('[' | '{') => Err("is not a plain text"),
        None if inner
            .iter()
            .find(|line| !line.trim().is_empty())
            .is_some_and(|line| line.trim_start().starts_with("- ")) =>
        {
            Err("is a list, not a text")
        }
        _ => {
            let lines = [first].into_iter().chain(inner.iter().copied()).map(without_comment);
            let text = lines.collect::<Vec<_>>().join(" ");
            Ok(if matches!(text.trim(), "~" | "null") { String::new() } else { text })
        }
    }
}

/// `|`, `>-`, `|2+ # comment`.
fn is_block_mark(first: &str) -> bool {
    let mark = without_comment(first);
    let rest = mark.trim_start_matches(['|', '>']);
    mark.len() == rest.len() + 1
        && rest.len() <= 2
        && rest.chars().all(|ch| matches!(ch, '+' | '-' | '1'..='9'))
}

fn without_comment(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with('#') {
        return "";
    }
    let end = line.find(" #").or_else(|| line.find("\t#")).unwrap_or(line.len());
    line.get(..end).unwrap_or(line).trim_end()
}

const NOT_CLOSED: &str = "has a quotation mark that is not closed";
const MORE_BEHIND: &str = "has a text behind its closing quotation mark";

fn single_quoted(text: &str) -> Result<String, &'static str> {
    let mut out = String::new();
    let mut rest = text.chars().skip(1).peekable();
    while let Some(ch) = rest.next() {
        if ch != '\'' {
            out.push(ch);
        } else if rest.peek() == Some(&'\'') {
            out.push('\'');
            rest.next();
        } else {
            return if without_comment(&rest.collect::<String>()).is_empty() {
                Ok(out)
            } else {
                Err(MORE_BEHIND)
            };
        }
    }
    Err(NOT_CLOSED)
}

fn double_quoted(text: &str) -> Result<String, &'static str> {
    let mut out = String::new();
    let mut rest = text.chars().skip(1);
    while let Some(ch) = rest.next() {
        match ch {
            '"' => {
                return if without_comment(&rest.collect::<String>()).is_empty() {
                    Ok(out)
                } else {
                    Err(MORE_BEHIND)
                };
            }
            '\\' => match rest.next() {
                Some('n' | 't' | 'r' | ' ') => out.push(' '),
                Some('x') => out.extend(code(&mut rest, 2)),
                Some('u') => out.extend(code(&mut rest, 4)),
                Some('U') => out.extend(code(&mut rest, 8)),
                Some(other) => out.push(other),
                None => return Err(NOT_CLOSED),
            },
            other => out.push(other),
        }
    }
    Err(NOT_CLOSED)
}

fn code(rest: &mut impl Iterator<Item = char>, digits: usize) -> Option<char> {
    let hex: String = rest.by_ref().take(digits).collect();
    u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32)
}

fn one_paragraph(text: &str) -> Option<String> {
    let clean: String = text.chars().map(|ch| if ch.is_control() { ' ' } else { ch }).collect();
    let text = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
#[path = "front_matter_tests.rs"]
mod tests;
