//! What agents write, fit to be shown: without terminal escapes, in one line, not longer than is kept.

use crate::model::message::MAX_TOOL_OUTPUT_CHARS;

/// Longest one-line title, in characters.
pub const MAX_TITLE_CHARS: usize = 200;

/// First line of something longer, for a fold: whitespace runs become one blank, cut at [`MAX_TITLE_CHARS`].
pub fn one_line(text: &str) -> String {
    let mut title = String::new();
    let mut chars = 0;
    for word in clean(text).split_whitespace() {
        if chars > 0 {
            title.push(' ');
            chars += 1;
        }
        for c in word.chars() {
            if chars >= MAX_TITLE_CHARS {
                title.push('…');
                return title;
            }
            title.push(c);
            chars += 1;
        }
    }
    title
}

/// Takes terminal escapes and control characters out of a text that arrives in pieces.
///
/// Line feeds and tabs stay; a lone carriage return becomes a line feed. An escape sequence cut by the border
/// between two pieces is recognised; an escape that never ends swallows at most the rest of its line.
#[derive(Clone, Debug, Default)]
pub struct Cleaner {
    state: CleanState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CleanState {
    #[default]
    Text,
    /// A carriage return was read; it counts only when no line feed follows.
    Return,
    /// ESC was read.
    Escape,
    /// Inside `ESC [ …` until a final byte.
    Csi,
    /// Inside `ESC ] …` (and DCS, APC, PM, SOS) until BEL or ST.
    Osc,
    /// ESC inside an OSC: the end if a backslash follows.
    OscEscape,
}

impl Cleaner {
    /// The visible part of the next piece.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        for c in piece.chars() {
            self.state = self.step(c, &mut out);
        }
        out
    }

    /// To be called when no more pieces come: a held-back carriage return becomes a line feed.
    pub fn finish(&mut self) -> String {
        let held = self.state == CleanState::Return;
        self.state = CleanState::Text;
        if held { "\n".to_owned() } else { String::new() }
    }

    fn step(&self, c: char, out: &mut String) -> CleanState {
        use CleanState as S;
        match self.state {
            S::Text => Self::text(c, out),
            S::Return => {
                if c != '\n' {
                    out.push('\n');
                }
                Self::text(c, out)
            }
            S::Escape => match c {
                '[' => S::Csi,
                ']' | 'P' | '_' | '^' | 'X' => S::Osc,
                // Two-character escapes with an intermediate, e.g. `ESC ( B`.
                '(' | ')' | '*' | '+' | '-' | '.' | '/' | '#' | '%' | ' ' => S::Escape,
                '\n' => Self::text(c, out),
                '\u{1b}' => S::Escape,
                _ => S::Text,
            },
            S::Csi => match c {
                '\u{40}'..='\u{7e}' => S::Text,
                '\u{20}'..='\u{3f}' => S::Csi,
                _ => Self::text(c, out),
            },
            S::Osc => match c {
                '\u{7}' | '\u{9c}' => S::Text,
                '\u{1b}' => S::OscEscape,
                '\n' => Self::text(c, out),
                _ => S::Osc,
            },
            S::OscEscape => match c {
                '\\' => S::Text,
                '\n' => Self::text(c, out),
                _ => S::Osc,
            },
        }
    }

    fn text(c: char, out: &mut String) -> CleanState {
        match c {
            '\r' => return CleanState::Return,
            '\u{1b}' => return CleanState::Escape,
            '\u{9b}' => return CleanState::Csi,
            '\u{90}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => return CleanState::Osc,
            '\n' | '\t' => out.push(c),
            _ if c.is_control() => {}
            _ => out.push(c),
        }
        CleanState::Text
    }
}

/// A whole text without terminal escapes and control characters, see [`Cleaner`].
pub fn clean(text: &str) -> String {
    let mut cleaner = Cleaner::default();
    let mut out = cleaner.push(text);
    out.push_str(&cleaner.finish());
    out
}

/// Cuts a text after [`MAX_TOOL_OUTPUT_CHARS`] characters and says so.
pub fn cap(mut text: String) -> String {
    if text.len() <= MAX_TOOL_OUTPUT_CHARS {
        return text;
    }
    let Some((cut, _)) = text.char_indices().nth(MAX_TOOL_OUTPUT_CHARS) else {
        return text;
    };
    let left_out = text.get(cut..).map_or(0, |rest| rest.chars().count());
    text.truncate(cut);
    text.push_str(&cut_mark(left_out));
    text
}

fn cut_mark(left_out_chars: usize) -> String {
    format!("\n[… {left_out_chars} more characters left out]")
}

/// Tool output ready to be kept: cleaned and capped.
pub fn tool_output(text: &str) -> String {
    cap(clean(text))
}

/// A tool's output that arrives in pieces, cleaned and capped as it grows.
#[derive(Clone, Debug, Default)]
pub struct OutputBuffer {
    cleaner: Cleaner,
    chars: usize,
    full: bool,
}

impl OutputBuffer {
    /// What is to be shown of the next piece; empty once the cap is reached and said.
    pub fn push(&mut self, piece: &str) -> String {
        if self.full {
            return String::new();
        }
        let mut shown = self.cleaner.push(piece);
        let room = MAX_TOOL_OUTPUT_CHARS.saturating_sub(self.chars);
        if let Some((cut, _)) = shown.char_indices().nth(room) {
            shown.truncate(cut);
            shown.push_str("\n[… more left out]");
            self.full = true;
        }
        self.chars += shown.chars().count();
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_go_and_text_stays() {
        let table = [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("a\r\nb\rc", "a\nb\nc"),
            ("a\r", "a\n"),
            ("bell\u{7} null\0 c1\u{85}", "bell null c1"),
            ("\u{9b}1mx", "x"),
            ("\u{1b}(Bx", "x"),
            ("\u{1b}[12;", ""),
            ("open\u{1b}]0;never\nnext", "open\nnext"),
            ("한글 👩\u{200d}👩\u{200d}👧 עברית", "한글 👩\u{200d}👩\u{200d}👧 עברית"),
        ];
        for (input, expected) in table {
            assert_eq!(clean(input), expected, "{input:?}");
        }
    }

    #[test]
    fn pieces_clean_like_the_whole() {
        let whole = "a\u{1b}[1;31mb\r\nc\rd\u{1b}]0;t\u{1b}\\e";
        for cut in whole.char_indices().map(|(at, _)| at) {
            let (front, behind) = whole.split_at(cut);
            let mut cleaner = Cleaner::default();
            let mut out = cleaner.push(front);
            out.push_str(&cleaner.push(behind));
            out.push_str(&cleaner.finish());
            assert_eq!(out, clean(whole), "cut at {cut}");
        }
    }

    #[test]
    fn cap_counts_characters() {
        let exact = "가".repeat(MAX_TOOL_OUTPUT_CHARS);
        assert_eq!(cap(exact.clone()), exact);
        let over = cap(format!("{exact}xy"));
        assert!(over.starts_with(&exact) && over.ends_with("[… 2 more characters left out]"));

        let mut buffer = OutputBuffer::default();
        assert_eq!(buffer.push("ab"), "ab");
        let rest = buffer.push(&exact);
        assert!(rest.ends_with("left out]"));
        assert_eq!(buffer.push("more"), "");
    }

    #[test]
    fn titles_are_one_line() {
        assert_eq!(one_line("  a \n\u{1b}[1mb\t c "), "a b c");
        assert_eq!(one_line(&"x".repeat(500)).chars().count(), MAX_TITLE_CHARS + 1);
    }
}
