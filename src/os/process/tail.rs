//! The end of a child's standard error: always drained, kept small, safe to show.

use std::collections::VecDeque;

use super::lines::decode;
use crate::os::clean::strip_controls;

/// Lines kept of a child's standard error.
pub const TAIL_LINES: usize = 40;
/// Bytes kept of a child's standard error.
pub const TAIL_BYTES: usize = 16 * 1024;

/// A line without an end is cut here, so that memory stays bounded.
const PIECE_BYTES: usize = 8 * 1024;

/// The last lines of a stream of bytes.
#[derive(Debug, Default)]
pub struct Tail {
    lines: VecDeque<String>,
    kept_bytes: usize,
    pending: Vec<u8>,
}

impl Tail {
    /// Takes the next bytes. Lines that `is_ours` accepts (raw, undecorated) are not kept.
    pub fn feed(&mut self, bytes: &[u8], mut is_ours: impl FnMut(&str) -> bool) {
        for piece in bytes.split_inclusive(|b| *b == b'\n') {
            self.pending.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = decode(std::mem::take(&mut self.pending));
                if !is_ours(line.trim_end()) {
                    self.push(&line);
                }
            } else {
                while self.pending.len() >= PIECE_BYTES {
                    let rest = self.pending.split_off(char_border(&self.pending, PIECE_BYTES));
                    let piece = decode(std::mem::replace(&mut self.pending, rest));
                    self.push(&piece);
                }
            }
        }
    }

    /// Everything kept, with what stands after the last line end.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines: Vec<String> = self.lines.iter().cloned().collect();
        lines.extend(shown(&String::from_utf8_lossy(&self.pending)));
        lines.join("\n")
    }

    fn push(&mut self, line: &str) {
        let Some(line) = shown(line) else { return };
        self.kept_bytes += line.len();
        self.lines.push_back(line);
        while self.lines.len() > TAIL_LINES || self.kept_bytes > TAIL_BYTES {
            let Some(oldest) = self.lines.pop_front() else { break };
            self.kept_bytes -= oldest.len();
        }
    }
}

/// A line as a terminal would leave it: a carriage return starts it anew. Blank lines are not shown.
fn shown(line: &str) -> Option<String> {
    let line = line.trim_end_matches(['\n', '\r']);
    let last = line.rsplit('\r').find(|part| !part.trim().is_empty())?;
    let clean = strip_controls(last).trim_end().to_owned();
    (!clean.is_empty()).then_some(clean)
}

/// The last border between characters at or before `at` (UTF-8 sequences are at most four bytes).
fn char_border(bytes: &[u8], at: usize) -> usize {
    let is_inside = |i: &usize| bytes.get(*i).is_some_and(|b| b & 0b1100_0000 == 0b1000_0000);
    (at.saturating_sub(3)..=at).rev().find(|i| !is_inside(i)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail_of(pieces: &[&[u8]]) -> String {
        let mut tail = Tail::default();
        for piece in pieces {
            tail.feed(piece, |_| false);
        }
        tail.text()
    }

    #[test]
    fn only_the_end_is_kept_and_it_is_clean() {
        let many: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let wanted: Vec<String> = (60..100).map(|n| format!("line {n}")).collect();
        assert_eq!(tail_of(&[many.as_bytes()]), wanted.join("\n"));
        assert_eq!(tail_of(&[b"\x1b[31mred\x1b[0m\n\n 10%\r 99%\r\nend"]), "red\n 99%\nend");
        let text = "한글 中文 日本語 😀";
        let single: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(tail_of(&single), text);
    }

    #[test]
    fn a_line_without_end_stays_bounded_and_whole_at_the_cuts() {
        let mut tail = Tail::default();
        for _ in 0..200 {
            tail.feed("가".repeat(1000).as_bytes(), |_| false);
        }
        let text = tail.text();
        assert!(text.len() <= TAIL_BYTES + PIECE_BYTES, "{}", text.len());
        assert!(text.chars().all(|c| c == '가' || c == '\n'));
    }

    #[test]
    fn lines_of_our_own_are_left_out() {
        let mut tail = Tail::default();
        let mut seen = Vec::new();
        tail.feed(b"a\nmine 1\nb\n", |line| {
            let ours = line.starts_with("mine");
            if ours {
                seen.push(line.to_owned());
            }
            ours
        });
        assert_eq!((tail.text().as_str(), seen), ("a\nb", vec!["mine 1".to_owned()]));
    }
}
