//! Keys taken out of text before it is written anywhere.

use super::env::is_secret_name;

const PLACEHOLDER: &[u8] = b"[redacted]";

/// How keys of known services begin, and how many characters at least follow in a real one.
const KEY_STARTS: &[(&[u8], usize)] = &[
    (b"sk-", 12),
    (b"sk_", 16),
    (b"pk-", 20),
    (b"AIza", 20),
    (b"ya29.", 16),
    (b"ghp_", 16),
    (b"gho_", 16),
    (b"ghu_", 16),
    (b"ghs_", 16),
    (b"github_pat_", 16),
    (b"glpat-", 12),
    (b"xoxb-", 10),
    (b"xoxp-", 10),
    (b"gsk_", 16),
    (b"hf_", 16),
    (b"xai-", 16),
    (b"AKIA", 16),
    (b"eyJ", 40),
];
/// A value after a name like `…_TOKEN` shorter than this is a number or a word, not a secret.
const MIN_VALUE_BYTES: usize = 6;
/// Longer than any name of a variable or field.
const MAX_NAME_BYTES: usize = 64;

/// The text with keys replaced by `[redacted]`; everything else stays byte for byte.
///
/// Taken out: keys of known services (`sk-…`, `AIza…`, `ghp_…` and so on), what follows `Bearer` and `Basic`,
/// and values of names that look like a secret's (`…_API_KEY=…`, `"token": "…"`, `x-api-key: …`, `?key=…`).
/// The cost is linear in the length.
#[must_use]
pub fn redact(text: &str) -> String {
    let out = redact_bytes(text.as_bytes());
    // Cuts happen at ASCII bytes only, so what was UTF-8 still is.
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

pub(in crate::os) fn redact_bytes(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        // Keys and names begin where a word begins.
        let is_start = is_word(text[at]) && (at == 0 || !is_word(text[at - 1]));
        if !is_start {
            out.push(text[at]);
            at += 1;
            continue;
        }
        let word_end = at + count(&text[at..], is_word);
        let word = &text[at..word_end];
        if let Some(start) = key_start(word) {
            out.extend_from_slice(start);
            out.extend_from_slice(PLACEHOLDER);
            // Some keys go on with a dot (JSON web tokens, OAuth tokens).
            at = word_end + count(&text[word_end..], |b| is_word(b) || b == b'.');
            continue;
        }
        out.extend_from_slice(word);
        at = word_end;
        if let Some((from, to)) = value_after(text, word, word_end) {
            out.extend_from_slice(&text[word_end..from]);
            out.extend_from_slice(PLACEHOLDER);
            at = to;
        }
    }
    out
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn count(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is_part(**byte)).count()
}

fn key_start(word: &[u8]) -> Option<&'static [u8]> {
    let fits = |(start, min): &&(&[u8], usize)| word.starts_with(start) && word.len() >= start.len() + min;
    KEY_STARTS.iter().find(fits).map(|(start, _)| *start)
}

/// Where the secret value lies that belongs to the name `word`, which ends at `word_end`.
fn value_after(text: &[u8], word: &[u8], word_end: usize) -> Option<(usize, usize)> {
    let is_scheme = word.eq_ignore_ascii_case(b"bearer") || word.eq_ignore_ascii_case(b"basic");
    let blank = |b: u8| b == b' ' || b == b'\t';
    // `\"` is a quote inside text that was quoted once more.
    let quote = |b: u8| b == b'"' || b == b'\'' || b == b'\\' || b == b'`';
    let mut from = word_end;
    if is_scheme {
        from += count(&text[from..], blank);
        if from == word_end {
            return None;
        }
    } else {
        if !is_name(text, word, word_end) {
            return None;
        }
        from += count(&text[from..], quote);
        from += count(&text[from..], blank);
        if !matches!(text.get(from), Some(b'=' | b':')) {
            return None;
        }
        from += 1;
        from += count(&text[from..], blank);
        from += count(&text[from..], quote);
        // `Authorization: Bearer …`: the scheme's own rule takes what follows it.
        let rest = &text[from..];
        let is_scheme =
            |scheme: &[u8]| rest.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        if is_scheme(b"bearer ") || is_scheme(b"basic ") {
            return None;
        }
    }
    let is_value = |b: u8| !b.is_ascii_whitespace() && !quote(b) && !b",;&)}]>".contains(&b);
    let length = count(&text[from..], is_value);
    (length >= MIN_VALUE_BYTES && !text[from..].starts_with(PLACEHOLDER)).then_some((from, from + length))
}

fn is_name(text: &[u8], word: &[u8], word_end: usize) -> bool {
    if word.len() > MAX_NAME_BYTES {
        return false;
    }
    let name = String::from_utf8_lossy(word).replace('-', "_");
    let in_query = word == b"key" && {
        let before = text.get((word_end - word.len()).wrapping_sub(1));
        matches!(before, Some(b'?' | b'&'))
    };
    in_query || is_secret_name(&name) || name.eq_ignore_ascii_case("authorization")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_go_and_the_rest_stays() {
        let cases = [
            ("key sk-ant-api03-abcdefABCDEF0123 end", "key sk-[redacted] end"),
            ("sk-proj-abc_DEF-0123456789", "sk-[redacted]"),
            ("(AIzaSyA-0123456789abcdefghijklmn)", "(AIza[redacted])"),
            ("Authorization: Bearer abc.def-123", "Authorization: Bearer [redacted]"),
            ("authorization: bearer   abcdefgh", "authorization: bearer   [redacted]"),
            ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted]"),
            ("ANTHROPIC_API_KEY=abcdefgh next", "ANTHROPIC_API_KEY=[redacted] next"),
            ("MY_API_KEY=\"a bc\"", "MY_API_KEY=\"a bc\""),
            ("MY_API_KEY='abcdef'", "MY_API_KEY='[redacted]'"),
            (r#"{"api_key": "abcdefg", "n": 1}"#, r#"{"api_key": "[redacted]", "n": 1}"#),
            (r#"{\"apiKey\":\"abcdefg\"}"#, r#"{\"apiKey\":\"[redacted]\"}"#),
            ("x-api-key: abcdef", "x-api-key: [redacted]"),
            ("https://h/v1?key=abcdef123&x=1", "https://h/v1?key=[redacted]&x=1"),
            ("GITHUB_TOKEN: ghp_0123456789abcdefABCD", "GITHUB_TOKEN: [redacted]"),
            ("ghp_0123456789abcdefABCD", "ghp_[redacted]"),
            ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9abcdefgh.eyJz.SflK", "eyJ[redacted]"),
            ("비밀 sk-0123456789abcd 끝 😀", "비밀 sk-[redacted] 끝 😀"),
            // what only looks like one
            ("task-list-of-many-things", "task-list-of-many-things"),
            ("sk-short", "sk-short"),
            ("input_tokens: 123456789", "input_tokens: 123456789"),
            ("max_token=4096", "max_token=4096"),
            ("the bearer of news", "the bearer of news"),
            ("monkey=bananas", "monkey=bananas"),
            ("primary key=bananas", "primary key=bananas"),
            ("", ""),
        ];
        for (given, wanted) in cases {
            assert_eq!(redact(given), wanted, "{given:?}");
        }
    }

    proptest! {
        #[test]
        fn a_key_never_survives_and_redacting_twice_changes_nothing(
            before in "[ a-z가:=\"]{0,12}",
            key in "[A-Za-z0-9]{20,40}",
            after in "[ ,\"}\n][ -~가]{0,12}",
        ) {
            let text = format!("{before} sk-{key}{after}");
            let once = redact(&text);
            prop_assert!(!once.contains(&key), "{}", once);
            prop_assert_eq!(redact(&once), once.clone());
        }

        #[test]
        fn any_text_is_taken(text in any::<String>()) {
            let once = redact(&text);
            prop_assert_eq!(once.matches('\n').count(), text.matches('\n').count());
        }
    }
}
