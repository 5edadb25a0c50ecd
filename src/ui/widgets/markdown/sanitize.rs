/// Removes terminal escapes, control characters and direction overrides; keeps tabs and line breaks.
/// Works on a text that arrives in pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Sanitizer {
    state: State,
    after_return: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    Escape,
    Csi,
    Command,
    CommandEscape,
}

/// A command string longer than this was never meant as one; what follows is text again.
const COMMAND_MOST: usize = 4_096;

impl Sanitizer {
    pub(super) fn push(&mut self, piece: &str, out: &mut String) {
        let mut in_command = 0_usize;
        for c in piece.chars() {
            self.state = match self.state {
                State::Text => {
                    self.text(c, out);
                    continue;
                }
                State::Escape => match c {
                    '[' => State::Csi,
                    ']' | 'P' | '_' | '^' | 'X' => State::Command,
                    '(' | ')' | '#' | '%' | ' ' => State::Escape,
                    '\n' => {
                        out.push('\n');
                        State::Text
                    }
                    _ => State::Text,
                },
                State::Csi => match c {
                    '\u{40}'..='\u{7e}' => State::Text,
                    '\n' => {
                        out.push('\n');
                        State::Text
                    }
                    _ => State::Csi,
                },
                State::Command | State::CommandEscape => {
                    in_command += 1;
                    match c {
                        '\u{7}' => State::Text,
                        '\\' if self.state == State::CommandEscape => State::Text,
                        '\n' => {
                            out.push('\n');
                            State::Text
                        }
                        _ if in_command > COMMAND_MOST => State::Text,
                        '\u{1b}' => State::CommandEscape,
                        _ => State::Command,
                    }
                }
            };
        }
    }

    fn text(&mut self, c: char, out: &mut String) {
        let after_return = std::mem::replace(&mut self.after_return, false);
        match c {
            '\u{1b}' => self.state = State::Escape,
            '\u{9b}' => self.state = State::Csi,
            '\r' => {
                self.after_return = true;
                out.push('\n');
            }
            '\n' if after_return => {}
            '\n' | '\t' => out.push(c),
            c if c.is_control() || is_override(c) => {}
            c => out.push(c),
        }
    }
}

/// Characters that reorder what the reader sees.
fn is_override(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// A whole text without escapes and control characters.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    Sanitizer::default().push(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_controls_go_and_text_stays() {
        let cases = [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\ end", "link end"),
            ("a\r\nb\rc\n", "a\nb\nc\n"),
            ("nul\0 bell\u{7} tab\t", "nul bell tab\t"),
            ("\u{202e}cba 한글 é 😀", "cba 한글 é 😀"),
            ("cut \u{1b}[3", "cut "),
            ("\u{1b}]open\nnext", "\nnext"),
        ];
        for (dirty, tidy) in cases {
            assert_eq!(clean(dirty), tidy, "{dirty:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn pieces_give_the_same_as_the_whole(text in "[\u{1b}\\[\\]m\\\\;0-9a\r\n한\u{7}]{0,60}", at in 0_usize..60) {
            let cut = text.char_indices().nth(at).map_or(text.len(), |(index, _)| index);
            let (first, second) = text.split_at(cut);
            let mut out = String::new();
            let mut sanitizer = Sanitizer::default();
            sanitizer.push(first, &mut out);
            sanitizer.push(second, &mut out);
            proptest::prop_assert_eq!(out, clean(&text));
        }
    }
}
