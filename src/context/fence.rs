//! Fenced code in Markdown, as far as cutting needs it: where a block opens and whether it is closed.

use std::borrow::Cow;

/// Longer runs of backticks or tildes are taken for plain text.
const LONGEST_RUN: usize = 64;

/// An opening fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    mark: char,
    run: usize,
}

impl Fence {
    /// The line that closes it, without line end.
    pub fn closing(self) -> String {
        self.mark.to_string().repeat(self.run)
    }
}

/// Follows the lines of a text and knows whether they stand inside a fenced block.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fences {
    open: Option<Fence>,
}

/// What a line is to the fences around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Outside,
    Opens,
    Inside,
    Closes,
}

impl Fences {
    pub fn open(&self) -> Option<Fence> {
        self.open
    }

    /// Takes the next line (its end may be included).
    pub fn take(&mut self, line: &str) -> Line {
        let found = fence_of(line);
        match (self.open, found) {
            (None, Some((fence, rest))) if fence.mark == '~' || !rest.contains('`') => {
                self.open = Some(fence);
                Line::Opens
            }
            (None, _) => Line::Outside,
            (Some(open), Some((fence, rest)))
                if fence.mark == open.mark && fence.run >= open.run && rest.trim().is_empty() =>
            {
                self.open = None;
                Line::Closes
            }
            (Some(_), _) => Line::Inside,
        }
    }
}

fn fence_of(line: &str) -> Option<(Fence, &str)> {
    let text = line.trim_start_matches([' ', '\t']);
    let mark = text.chars().next().filter(|ch| matches!(ch, '`' | '~'))?;
    let rest = text.trim_start_matches(mark);
    let run = text.len() - rest.len();
    (3..=LONGEST_RUN).contains(&run).then_some((Fence { mark, run }, rest))
}

/// The fence still open at the end of `text`.
pub fn open_at_end(text: &str) -> Option<Fence> {
    let mut fences = Fences::default();
    for line in text.split_inclusive('\n') {
        fences.take(line);
    }
    fences.open()
}

/// Length of the longest fence in `text`; 0 = there is none.
pub fn longest_run(text: &str) -> usize {
    text.lines().filter_map(fence_of).map(|(fence, _)| fence.run).max().unwrap_or(0)
}

/// `text` with a last line that closes its open fence, if there is one.
pub fn closed(text: &str) -> Cow<'_, str> {
    match open_at_end(text) {
        None => Cow::Borrowed(text),
        Some(fence) => {
            let gap = if text.ends_with('\n') { "" } else { "\n" };
            Cow::Owned(format!("{text}{gap}{}", fence.closing()))
        }
    }
}

/// `text` as a fenced block, with a fence longer than any run of backticks in it.
pub fn fenced(text: &str) -> String {
    let (mut run, mut longest) = (0, 2);
    for ch in text.chars() {
        run = if ch == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    if longest >= LONGEST_RUN {
        // Nothing could fence it: indented code needs no fence.
        return text.lines().map(|line| format!("    {line}\n")).collect::<String>().trim_end().to_owned();
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::{closed, fenced, longest_run, open_at_end};

    #[test]
    fn unclosed_fences_are_closed() {
        let cases = [
            ("plain", "plain"),
            ("```rust\nfn a() {}\n```", "```rust\nfn a() {}\n```"),
            ("```rust\nfn a() {}", "```rust\nfn a() {}\n```"),
            ("~~~~\n~~~\n", "~~~~\n~~~\n~~~~"),
            ("- item\n  ```\n  code", "- item\n  ```\n  code\n```"),
            ("```not a fence``` inline", "```not a fence``` inline"),
        ];
        for (text, expected) in cases {
            assert_eq!(closed(text), expected);
            assert!(open_at_end(&closed(text)).is_none());
        }
    }

    #[test]
    fn a_block_outgrows_what_it_holds() {
        assert_eq!(fenced("a\n"), "```\na\n```");
        assert_eq!(fenced("```\na\n```"), "````\n```\na\n```\n````");
        assert!(open_at_end(&fenced(&"`".repeat(200))).is_none());
        assert_eq!(longest_run("a\n````\nb\n```\n"), 4);
    }
}
