//! Text as words that compare: identifiers split, lower case, light stems, Korean by pairs of letters.
//!
//! Both sides, files and questions, go through the same function, so `parseConfig`, `parse_config` and "parse
//! config" meet, and so do `인증` and `인증처리를`.

/// Words longer than this are data, not words.
const MAX_WORD_BYTES: usize = 64;

/// Words after which a definition's name stands, in the languages at hand.
const DEFINING: &[&str] = &[
    "fn",
    "def",
    "func",
    "function",
    "class",
    "struct",
    "enum",
    "trait",
    "interface",
    "type",
    "macro_rules",
    "record",
    "namespace",
    "module",
    "union",
    "protocol",
    "object",
];

/// One word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    /// A hash of the normal form; the same in every run.
    pub hash: u32,
    /// Stands where a definition's name stands.
    pub defined: bool,
}

/// Letters of scripts written without spaces between words, or with endings glued on.
pub(super) fn is_cjk(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x11FF | 0x3040..=0x30FF | 0x3130..=0x318F | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF)
}

fn is_word(c: char) -> bool {
    c == '_' || (c.is_alphanumeric() && !is_cjk(c))
}

/// Calls `each` with every word of `text`, in order. An identifier of several parts gives each part and the whole.
pub(super) fn for_each_word(text: &str, each: &mut impl FnMut(Word)) {
    let bytes = text.as_bytes();
    let mut after_defining = false;
    let mut at = 0;
    while let Some(first) = bytes.get(at).copied() {
        if first.is_ascii() && !is_ascii_word(first) {
            // Only spaces may stand between the keyword and the name.
            after_defining &= first == b' ' || first == b'\t';
            at += 1;
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let ascii = rest.iter().position(|byte| !is_ascii_word(*byte)).unwrap_or(rest.len());
        let ends_there = ascii > 0 && rest.get(ascii).is_none_or(u8::is_ascii);
        let defined = after_defining;
        if ends_there {
            let run = rest.get(..ascii).unwrap_or_default();
            ascii_parts(run, |hash| each(Word { hash, defined }));
            after_defining = DEFINING.iter().any(|word| word.as_bytes() == run);
            at += ascii;
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let Some(first) = rest.chars().next() else { break };
        let run = if is_word(first) { run_of(rest, is_word) } else { run_of(rest, is_cjk) };
        if is_cjk(first) {
            pairs(run, |hash| each(Word { hash, defined }));
        } else {
            parts(run, |hash| each(Word { hash, defined }));
        }
        after_defining = DEFINING.contains(&run);
        at += run.len().max(if run.is_empty() { first.len_utf8() } else { 0 });
    }
}

fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The same as [`parts`], for the many runs that are plain ASCII, without allocating.
fn ascii_parts(run: &[u8], mut each: impl FnMut(u32)) {
    if run.len() > MAX_WORD_BYTES {
        return;
    }
    let (mut part, mut part_len) = ([0_u8; MAX_WORD_BYTES], 0);
    let (mut whole, mut whole_len) = ([0_u8; MAX_WORD_BYTES], 0);
    let mut count = 0;
    let mut end_part = |part: &[u8], count: &mut u32| {
        *count += u32::from(!part.is_empty());
        if part.len() > 1 && !part.iter().all(u8::is_ascii_digit) {
            each(hash(part.get(..stem_len(part)).unwrap_or_default()));
        }
    };
    let mut before = b'_';
    for (at, byte) in run.iter().copied().enumerate() {
        let next_is_small = run.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let is_border = byte.is_ascii_uppercase() && (!before.is_ascii_uppercase() || next_is_small);
        if byte == b'_' || (is_border && before != b'_') {
            end_part(part.get(..part_len).unwrap_or_default(), &mut count);
            part_len = 0;
        }
        before = byte;
        if byte == b'_' {
            continue;
        }
        let lower = byte.to_ascii_lowercase();
        if let (Some(in_part), Some(in_whole)) = (part.get_mut(part_len), whole.get_mut(whole_len)) {
            (*in_part, *in_whole) = (lower, lower);
            part_len += 1;
            whole_len += 1;
        }
    }
    end_part(part.get(..part_len).unwrap_or_default(), &mut count);
    if count > 1 {
        let whole = whole.get(..whole_len).unwrap_or_default();
        each(hash(whole.get(..stem_len(whole)).unwrap_or_default()));
    }
}

fn run_of(text: &str, belongs: fn(char) -> bool) -> &str {
    let end = text.find(|c: char| !belongs(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// Each two neighbouring letters; a lone one by itself.
fn pairs(run: &str, mut each: impl FnMut(u32)) {
    let mut before: Option<char> = None;
    for c in run.chars() {
        if let Some(before) = before {
            let mut bytes = [0; 8];
            let first = before.encode_utf8(&mut bytes).len();
            let second = c.encode_utf8(bytes.get_mut(first..).unwrap_or_default()).len();
            each(hash(bytes.get(..first + second).unwrap_or_default()));
        }
        before = Some(c);
    }
    if run.chars().nth(1).is_none() {
        each(hash(run.as_bytes()));
    }
}

fn parts(run: &str, mut each: impl FnMut(u32)) {
    if run.len() > MAX_WORD_BYTES {
        return;
    }
    let mut count = 0;
    split_identifier(run, |part| {
        count += 1;
        if let Some(hash) = part_hash(part) {
            each(hash);
        }
    });
    if count > 1 {
        each(whole_hash(run));
    }
}

/// The hash of a part of an identifier, or of a plain word; `None` for one letter or only digits.
fn part_hash(part: &str) -> Option<u32> {
    if part.len() < 2 || part.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let lower = part.to_lowercase();
    Some(hash(stem(&lower).as_bytes()))
}

/// The hash of an identifier as a whole, its writing (snake, camel) taken away.
fn whole_hash(run: &str) -> u32 {
    let whole: String = run.chars().filter(|c| *c != '_' && *c != '-').flat_map(char::to_lowercase).collect();
    hash(stem(&whole).as_bytes())
}

/// Splits at `_` and `-`, and where small letters are followed by a capital (`parseHTTPRequest` → parse, HTTP,
/// Request). Digits stay with what is before them.
pub(super) fn split_identifier(run: &str, mut each: impl FnMut(&str)) {
    let mut start = 0;
    let mut emit = |from: usize, to: usize| {
        if let Some(part) = run.get(from..to)
            && !part.is_empty()
        {
            each(part);
        }
    };
    let mut before: Option<char> = None;
    let mut letters = run.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        if c == '_' || c == '-' {
            emit(start, at);
            start = at + c.len_utf8();
            before = None;
            continue;
        }
        let next_is_small = letters.peek().is_some_and(|(_, next)| next.is_lowercase());
        let is_border =
            before.is_some_and(|before| c.is_uppercase() && (!before.is_uppercase() || next_is_small));
        if is_border {
            emit(start, at);
            start = at;
        }
        before = Some(c);
    }
    emit(start, run.len());
}

/// Takes endings off that say little: plurals, -ing, -ed, a mute e. Light on purpose: both sides get the same.
pub(super) fn stem(word: &str) -> &str {
    if word.is_ascii() { word.get(..stem_len(word.as_bytes())).unwrap_or(word) } else { word }
}

fn stem_len(word: &[u8]) -> usize {
    let mut word = word;
    if word.len() > 3 && !word.ends_with(b"ss") && !word.ends_with(b"us") {
        word = word.strip_suffix(b"s").unwrap_or(word);
    }
    for ending in [&b"ing"[..], b"ed"] {
        if let Some(rest) = word.strip_suffix(ending)
            && rest.len() >= 4
        {
            word = rest;
            break;
        }
    }
    match word.strip_suffix(b"e") {
        Some(rest) if rest.len() >= 4 => rest.len(),
        _ => word.len(),
    }
}

/// FNV-1a: short, and the same on every machine.
fn hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// The hashes a term of a question is looked for by, with the share each has in it. The first is the term as a
/// whole when it has several parts.
pub(super) fn term_hashes(term: &str) -> Vec<(u32, f32)> {
    const PART: f32 = 0.35;
    let mut hashes: Vec<(u32, f32)> = Vec::new();
    let mut add = |hash: u32, share: f32| {
        if !hashes.iter().any(|(known, _)| *known == hash) {
            hashes.push((hash, share));
        }
    };
    let mut rest = term;
    while let Some(first) = rest.chars().next() {
        let belongs: fn(char) -> bool = if is_cjk(first) {
            is_cjk
        } else if is_word(first) {
            |c| is_word(c) || c == '-'
        } else {
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            continue;
        };
        let run = run_of(rest, belongs);
        rest = rest.get(run.len()..).unwrap_or_default();
        if is_cjk(first) {
            let letters = run.chars().count();
            #[expect(clippy::cast_precision_loss, reason = "a word has few letters")]
            let share = if letters < 3 { 1.0 } else { 1.0 / (letters - 1) as f32 };
            pairs(run, |hash| add(hash, share));
            continue;
        }
        let mut count = 0;
        split_identifier(run, |_| count += 1);
        if count > 1 {
            add(whole_hash(run), 1.0);
        }
        let share = if count > 1 { PART } else { 1.0 };
        split_identifier(run, |part| {
            if let Some(hash) = part_hash(part) {
                add(hash, share);
            }
        });
    }
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(run: &str) -> Vec<String> {
        let mut parts = Vec::new();
        split_identifier(run, |part| parts.push(part.to_owned()));
        parts
    }

    fn hashes(text: &str) -> Vec<u32> {
        let mut all = Vec::new();
        for_each_word(text, &mut |word| all.push(word.hash));
        all
    }

    #[test]
    fn identifiers_come_apart() {
        let cases: &[(&str, &[&str])] = &[
            ("parse_config", &["parse", "config"]),
            ("parseConfig", &["parse", "Config"]),
            ("ParseHTTPRequest", &["Parse", "HTTP", "Request"]),
            ("__init__", &["init"]),
            ("gen-itgc", &["gen", "itgc"]),
            ("utf8Len", &["utf8", "Len"]),
            ("SCREAMING_CASE", &["SCREAMING", "CASE"]),
            ("ÄrgerGroß", &["Ärger", "Groß"]),
            ("x", &["x"]),
            ("_", &[]),
        ];
        for (run, wanted) in cases {
            assert_eq!(parts_of(run), *wanted, "{run}");
        }
    }

    #[test]
    fn writings_of_one_name_meet() {
        for (term, text) in [
            ("parse_config", "let x = parseConfig();"),
            ("parseConfig", "fn parse_config("),
            ("searching", "fn search_all"),
            ("caches", "the cache"),
            ("parsing", "parse"),
            ("gen-itgc", "def gen_itgc"),
            ("인증", "# 인증처리를 한다"),
            ("Größe", "größe = 1"),
        ] {
            let wanted = term_hashes(term);
            let (first, _) = wanted.first().copied().unwrap();
            assert!(hashes(text).contains(&first), "{term} in {text}");
        }
        assert!(!hashes("catalogue").contains(&term_hashes("cat")[0].0));
        assert_eq!(hashes(&"x".repeat(65)), Vec::<u32>::new());
        assert_eq!(hashes("1 22 333 a"), Vec::<u32>::new());
    }

    #[test]
    fn names_after_a_defining_word_are_marked() {
        let mut defined = Vec::new();
        for_each_word("pub fn load_all(x) { class }\nstruct Point", &mut |word| defined.push(word.defined));
        // pub, fn, load, all, load_all, class, struct, Point; one-letter names are no words
        assert_eq!(defined, [false, false, true, true, true, false, false, true]);
    }

    #[test]
    fn stems_are_light() {
        for (word, wanted) in [
            ("string", "string"),
            ("strings", "string"),
            ("class", "class"),
            ("status", "status"),
            ("parsed", "pars"),
            ("uses", "use"),
            ("bus", "bus"),
            ("그것s", "그것s"),
        ] {
            assert_eq!(stem(word), wanted, "{word}");
        }
    }

    proptest::proptest! {
        #[test]
        fn the_short_way_gives_the_same(run in "[A-Za-z0-9_]{1,30}") {
            let (mut short, mut long) = (Vec::new(), Vec::new());
            ascii_parts(run.as_bytes(), |hash| short.push(hash));
            parts(&run, |hash| long.push(hash));
            proptest::prop_assert_eq!(short, long);
        }

        #[test]
        fn any_text_comes_apart(text in "\\PC{0,60}") {
            let mut count = 0_usize;
            for_each_word(&text, &mut |_| count += 1);
            proptest::prop_assert!(count <= 2 * text.len());
        }
    }
}
