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
    let mut after_defining = false;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = if is_word(first) {
            run_of(rest, is_word)
        } else if is_cjk(first) {
            run_of(rest, is_cjk)
        } else {
            // Only spaces may stand between the keyword and the name.
            after_defining &= first == ' ' || first == '\t';
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            continue;
        };
        rest = rest.get(run.len()..).unwrap_or_default();
        if is_cjk(first) {
            pairs(run, |hash| each(Word { hash, defined: after_defining }));
        } else {
            parts(run, |hash| each(Word { hash, defined: after_defining }));
        }
        after_defining = DEFINING.contains(&run);
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
    if !word.is_ascii() {
        return word;
    }
    let mut word = word;
    if word.len() > 3 && !word.ends_with("ss") && !word.ends_with("us") {
        word = word.strip_suffix('s').unwrap_or(word);
    }
    for ending in ["ing", "ed"] {
        if let Some(rest) = word.strip_suffix(ending)
            && rest.len() >= 4
        {
            word = rest;
            break;
        }
    }
    match word.strip_suffix('e') {
        Some(rest) if rest.len() >= 4 => rest,
        _ => word,
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
}
