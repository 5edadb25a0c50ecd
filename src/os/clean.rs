//! Text from other programs made safe to show: terminal escapes and control characters removed.

/// Removes ANSI escapes (CSI, OSC, DCS and the short ones) and control characters.
///
/// Tabs and newlines stay; everything else below U+0020, DEL and the C1 controls go. An escape that is
/// not finished swallows the rest of its own line only, so that text after a newline is never lost.
#[must_use]
pub fn strip_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.peek().copied() {
                Some('[') => {
                    chars.next();
                    skip_csi(&mut chars);
                }
                Some(']' | 'P' | 'X' | '^' | '_') => {
                    chars.next();
                    skip_string(&mut chars);
                }
                Some(' '..='/') => {
                    while chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
                    chars.next_if(|c| ('0'..='~').contains(c));
                }
                Some('0'..='~') => {
                    chars.next();
                }
                Some(_) | None => {}
            },
            '\u{9b}' => skip_csi(&mut chars),
            '\u{9d}' | '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => skip_string(&mut chars),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Parameters and intermediates are U+0020–U+003F, the final byte U+0040–U+007E (ECMA-48, 5.4).
fn skip_csi(chars: &mut Chars<'_>) {
    while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
    chars.next_if(|c| ('@'..='~').contains(c));
}

/// A control string ends with BEL or ST (ECMA-48, 5.6; BEL is what terminals accept besides).
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::strip_controls;
    use proptest::prelude::*;

    #[test]
    fn escapes_and_controls_go_text_stays() {
        let cases = [
            ("plain 한글 😀", "plain 한글 😀"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}[38;5;196mx\u{1b}[K", "x"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}(Bok\u{1b}7\u{1b}=", "ok"),
            ("a\u{8}b\u{0}c\u{7f}", "abc"),
            ("tab\there\nnext", "tab\there\nnext"),
            ("\u{1b}]never ended\nkept", "\nkept"),
            ("\u{1b}[한", "한"),
            ("\u{9b}1mbold", "bold"),
            ("ends with \u{1b}", "ends with "),
        ];
        for (given, wanted) in cases {
            assert_eq!(strip_controls(given), wanted, "{given:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_but_tab_and_newline_is_left_of_controls(text in any::<String>()) {
            let clean = strip_controls(&text);
            prop_assert!(clean.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
            prop_assert_eq!(strip_controls(&clean), clean.clone());
        }
    }
}
