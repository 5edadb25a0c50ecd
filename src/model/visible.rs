//! Text that someone must judge by eye, with nothing hidden in it.

use std::borrow::Cow;

/// The text with what hides written out as escapes, such as `\u{202e}`.
///
/// Written out are control characters, and those that reorder what is read or take no room; tabs and line breaks stay.
/// What it returns is for showing, never for running.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| hides(c) || c == '\r') {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // Half of a line break.
            '\r' if chars.peek() == Some(&'\n') => {}
            c if c == '\r' || hides(c) => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Characters that make a text look like another one: controls, turns of the reading direction, and those without
/// width. The joiners of emoji and of some scripts are not among them.
fn hides(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_hidden_and_plain_text_stays() {
        for (text, expected) in [
            ("rm -rf 한글 👩‍👩‍👧\n\tx", "rm -rf 한글 👩‍👩‍👧\n\tx"),
            ("a\u{1b}[2Jb\rc", "a\\u{1b}[2Jb\\rc"),
            ("one\r\ntwo", "one\ntwo"),
            ("ls \u{202e}fr- mr", "ls \\u{202e}fr- mr"),
            ("r\u{200b}m\u{ad}x\u{feff}", "r\\u{200b}m\\u{ad}x\\u{feff}"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }
}
