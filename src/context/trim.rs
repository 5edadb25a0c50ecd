//! Shortening. Pure. Lengths are Unicode characters; cuts fall on grapheme borders, where they can on the
//! border of a paragraph, list item or code block; what was cut is said; fences stay closed.

use unicode_segmentation::GraphemeCursor;

use crate::context::fence::{Fences, Line, closed, longest_run, open_at_end};

/// Room kept for the mark that says what was cut.
const MARK_CHARS: usize = 64;

/// A text that fits, and what had to go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trimmed {
    pub text: String,
    /// Characters of the original that are not in `text`; 0 = it is whole.
    pub cut_chars: usize,
    /// Blocks (paragraphs, list items, code blocks) that are not, or not wholly, in `text`.
    pub cut_items: usize,
}

impl Trimmed {
    fn whole(text: &str) -> Self {
        Self { text: text.to_owned(), cut_chars: 0, cut_items: 0 }
    }
}

/// Length in Unicode characters.
pub fn chars(text: &str) -> usize {
    text.chars().count()
}

/// `1240` as `1,240`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The longest start of `text` of at most `limit_chars` that ends on a grapheme border.
pub fn prefix(text: &str, limit_chars: usize) -> &str {
    let Some((byte, _)) = text.char_indices().nth(limit_chars) else { return text };
    let border = border_at_or_before(text, byte);
    text.get(..border).unwrap_or_default()
}

/// The longest end of `text` of at most `limit_chars` that starts on a grapheme border.
pub fn suffix(text: &str, limit_chars: usize) -> &str {
    if limit_chars == 0 {
        return "";
    }
    let Some((byte, _)) = text.char_indices().rev().nth(limit_chars - 1) else { return text };
    let border = border_at_or_after(text, byte);
    text.get(border..).unwrap_or_default()
}

fn border_at_or_before(text: &str, byte: usize) -> usize {
    let mut cursor = GraphemeCursor::new(byte, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) | Err(_) => byte,
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
    }
}

fn border_at_or_after(text: &str, byte: usize) -> usize {
    let mut cursor = GraphemeCursor::new(byte, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) | Err(_) => byte,
        Ok(false) => cursor.next_boundary(text, 0).ok().flatten().unwrap_or(text.len()),
    }
}

/// Splits Markdown where it may be cut: paragraphs, top-level list items, fenced code. A heading stays with
/// what follows it. The parts joined are `text` again.
pub fn blocks(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut fences = Fences::default();
    let (mut start, mut at) = (0, 0);
    let (mut after_blank, mut glued, mut in_item) = (false, false, false);
    for line in text.split_inclusive('\n') {
        let kind = fences.take(line);
        let blank = kind == Line::Outside && line.trim().is_empty();
        let indented = line.starts_with([' ', '\t']);
        let item = kind == Line::Outside && !indented && is_item(line);
        let heading = kind == Line::Outside && line.starts_with('#');
        let continues_item = in_item && indented;
        let starts = !blank
            && matches!(kind, Line::Outside | Line::Opens)
            && !continues_item
            && (item || heading || after_blank || kind == Line::Opens);
        if starts && !glued && at > start {
            out.extend(text.get(start..at));
            start = at;
        }
        if !blank {
            glued = heading;
            if starts {
                in_item = item;
            }
        }
        after_blank = blank || kind == Line::Closes;
        at += line.len();
    }
    out.extend(text.get(start..).filter(|rest| !rest.is_empty()));
    out
}

fn is_item(line: &str) -> bool {
    let after_number = line.trim_start_matches(|ch: char| ch.is_ascii_digit());
    let digits = line.len() - after_number.len();
    let numbered =
        (1..=9).contains(&digits) && (after_number.starts_with(". ") || after_number.starts_with(") "));
    numbered || line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")
}

/// Keeps the start of `text`. `adjective` says in the mark which items went, e.g. `more`, `older`.
///
/// The answer is never longer than `budget_chars`, mark included.
pub fn keep_head(text: &str, budget_chars: usize, adjective: &str) -> Trimmed {
    let len = chars(text);
    if len <= budget_chars {
        return Trimmed::whole(text);
    }
    let fence_chars = fence_reserve(text);
    let reserve = MARK_CHARS + fence_chars;
    if budget_chars < reserve + 20 {
        return stub(text, len, budget_chars);
    }
    let room = budget_chars - reserve;
    let parts = blocks(text);
    let (mut kept_chars, mut kept, mut bytes) = (0, 0, 0);
    for part in &parts {
        let part_chars = chars(part);
        if kept_chars + part_chars > room {
            break;
        }
        kept_chars += part_chars;
        kept += 1;
        bytes += part.len();
    }
    let mut out = text.get(..bytes).unwrap_or_default().to_owned();
    if kept_chars < room / 2 {
        let next = nice_prefix(text.get(bytes..).unwrap_or_default(), room - kept_chars);
        kept_chars += chars(next);
        out.push_str(next);
    }
    let out = closed(out.trim_end()).into_owned();
    let cut_chars = len - kept_chars;
    let cut_items = parts.len() - kept;
    let mark = if cut_items > 1 || kept > 0 {
        let noun = if cut_items == 1 { "item" } else { "items" };
        format!("… {cut_items} {adjective} {noun}, {} characters", grouped(cut_chars))
    } else {
        format!("… {} more characters", grouped(cut_chars))
    };
    let text = if out.is_empty() { mark } else { format!("{out}\n\n{mark}") };
    Trimmed { text, cut_chars, cut_items }
}

/// Keeps the start (three fifths) and the end of `text`, with a mark between them.
///
/// The answer is never longer than `budget_chars`, mark included.
pub fn keep_head_and_tail(text: &str, budget_chars: usize) -> Trimmed {
    let len = chars(text);
    if len <= budget_chars {
        return Trimmed::whole(text);
    }
    let fence_chars = fence_reserve(text);
    let reserve = MARK_CHARS + fence_chars;
    if budget_chars < reserve + 20 {
        return stub(text, len, budget_chars);
    }
    let room = budget_chars - reserve;
    let head = nice_prefix(text, room * 3 / 5);
    let mut tail = nice_suffix(text, room - room * 3 / 5);
    let mut reopened = String::new();
    if fence_chars > 0 {
        // Starting inside a line could turn the rest of a fence into text.
        if let Some((_, lines)) = tail.split_once('\n') {
            tail = lines;
        }
        let before = text.get(..text.len() - tail.len()).unwrap_or_default();
        reopened = open_at_end(before).map(|fence| fence.closing() + "\n").unwrap_or_default();
    }
    let cut_chars = len - chars(head) - chars(tail);
    let head = closed(head.trim_end());
    let mark = format!("… {} characters cut …", grouped(cut_chars));
    let joined = format!("{head}\n\n{mark}\n\n{reopened}{}", tail.trim_start_matches('\n'));
    Trimmed { text: closed(&joined).into_owned(), cut_chars, cut_items: 1 }
}

/// Room for up to three fence lines: one that closes the head, one that opens the tail, one that closes it.
fn fence_reserve(text: &str) -> usize {
    match longest_run(text) {
        0 => 0,
        run => 3 * (run + 1),
    }
}

/// For a budget too small to keep any structure: the first words, never inside a code block.
fn stub(text: &str, len: usize, budget_chars: usize) -> Trimmed {
    if budget_chars == 0 {
        return Trimmed { text: String::new(), cut_chars: len, cut_items: 1 };
    }
    let mut head = prefix(text, budget_chars - 1);
    let mut fences = Fences::default();
    let mut at = 0;
    for line in head.split_inclusive('\n') {
        if fences.take(line) == Line::Opens {
            head = head.get(..at).unwrap_or_default();
            break;
        }
        at += line.len();
    }
    Trimmed { text: format!("{}…", head.trim_end()), cut_chars: len - chars(head), cut_items: 1 }
}

/// Like [`prefix`], but gives up a quarter for the end of a line and an eighth for the end of a word.
fn nice_prefix(text: &str, limit_chars: usize) -> &str {
    let head = prefix(text, limit_chars);
    if head.len() == text.len() {
        return head;
    }
    let line = head.rfind('\n').map(|at| at + 1).filter(|at| *at >= head.len() / 4 * 3);
    let word = || head.rfind(char::is_whitespace).filter(|at| *at >= head.len() / 8 * 7);
    line.or_else(word).and_then(|at| head.get(..at)).unwrap_or(head)
}

fn nice_suffix(text: &str, limit_chars: usize) -> &str {
    let tail = suffix(text, limit_chars);
    if tail.len() == text.len() {
        return tail;
    }
    let line = tail.find('\n').map(|at| at + 1).filter(|at| *at <= tail.len() / 4);
    let word = || tail.find(' ').map(|at| at + 1).filter(|at| *at <= tail.len() / 8);
    line.or_else(word).and_then(|at| tail.get(at..)).unwrap_or(tail)
}

#[cfg(test)]
#[path = "trim_tests.rs"]
mod tests;
