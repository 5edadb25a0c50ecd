//! An estimate of tokens from characters.

/// About how many tokens a model would count for `text`.
///
/// An estimate, shown as one: every model has its own tokenizer and none is asked. The rule of thumb behind
/// it: four characters a token for Latin text and code, two for other alphabets, 1.2 tokens a character
/// for Han, Kana and Hangul, two tokens for an emoji. Expect errors of a third either way.
pub fn estimate_tokens(text: &str) -> u32 {
    let hundredths: u64 = text.chars().map(char_hundredths).sum();
    u32::try_from(hundredths.div_ceil(100)).unwrap_or(u32::MAX)
}

fn char_hundredths(ch: char) -> u64 {
    match u32::from(ch) {
        // Latin with its accents, and the punctuation of most scripts.
        0..=0x024f | 0x2000..=0x206f => 25,
        // Hangul jamo, CJK radicals to Yi, Hangul syllables, compatibility and wide forms, rare Han.
        0x1100..=0x11ff
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7ff
        | 0xf900..=0xfaff
        | 0xff00..=0xffef
        | 0x2_0000..=0x3_ffff => 120,
        0x1_f000..=0x1_ffff => 200,
        _ => 50,
    }
}

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn table() {
        let cases = [
            ("", 0),
            ("abcd", 1),
            ("hello, world", 3),
            ("안녕하세요", 6),
            ("漢字", 3),
            ("привет", 3),
            ("🙂", 2),
        ];
        for (text, tokens) in cases {
            assert_eq!(estimate_tokens(text), tokens, "{text}");
        }
    }
}
