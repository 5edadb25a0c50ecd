//! Words of a text made comparable, whatever the language: for finding what a message is about. Pure.
//!
//! Latin words lose their case and the commonest English endings. Han, Kana and Hangul are compared by pairs of
//! characters; Korean words lose the particles and verb endings that hang on them first. Words that say
//! nothing about the subject are dropped. Text is compared as it is written: it is not normalised.

use std::collections::HashSet;

/// Longer texts are looked at no further, in characters.
const TEXT_CHARS_MAX: usize = 300_000;
/// Longest word taken, in characters: what is longer is data, not language.
const WORD_CHARS_MAX: usize = 40;

/// A word and the keys by which it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it stands in the text, in lower case.
    pub shown: String,
    keys: Vec<String>,
}

impl Word {
    /// True when at least half of its keys are in `keys`: for a Latin word that is the word itself.
    pub fn is_in(&self, keys: &HashSet<String>) -> bool {
        let hits = self.keys.iter().filter(|key| keys.contains(*key)).count();
        hits > 0 && hits * 2 >= self.keys.len()
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(String::as_str)
    }
}

/// The words of `text` that say something about its subject, each once, in their order.
pub fn words(text: &str) -> Vec<Word> {
    let mut out = Vec::new();
    let mut seen = HashSet::new();
    each_word(text, |shown, keys| {
        if seen.insert(keys.clone()) {
            out.push(Word { shown, keys });
        }
    });
    out
}

/// All keys of `text`, for [`Word::is_in`].
pub fn keys(text: &str) -> HashSet<String> {
    let mut out = HashSet::new();
    each_word(text, |_, keys| out.extend(keys));
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Hangul,
    /// Han and Kana: written without spaces.
    Ideographs,
    None,
}

fn script(ch: char) -> Script {
    match u32::from(ch) {
        0x1100..=0x11ff | 0x3130..=0x318f | 0xac00..=0xd7af => Script::Hangul,
        0x3005..=0x3007 | 0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff => {
            Script::Ideographs
        }
        _ if ch.is_alphanumeric() => Script::Latin,
        _ => Script::None,
    }
}

fn each_word(text: &str, mut take: impl FnMut(String, Vec<String>)) {
    let mut run = String::new();
    let mut kind = Script::None;
    for ch in text.chars().take(TEXT_CHARS_MAX).chain([' ']) {
        let mut now = script(ch);
        if now == Script::None && kind == Script::Latin && matches!(ch, '+' | '#') {
            // `c++`, `c#`
            now = Script::Latin;
        }
        if now != kind {
            word_of_run(&run, kind, &mut take);
            run.clear();
            kind = now;
        }
        if now != Script::None {
            run.push(ch);
        }
    }
}

fn word_of_run(run: &str, kind: Script, take: &mut impl FnMut(String, Vec<String>)) {
    match kind {
        Script::None => {}
        Script::Latin => latin(run, take),
        Script::Hangul => {
            let stem = without_particles(run);
            if !KOREAN_NOISE.contains(&stem) {
                pairs(stem, take);
            }
        }
        Script::Ideographs => pairs(run, take),
    }
}

fn pairs(run: &str, take: &mut impl FnMut(String, Vec<String>)) {
    let chars: Vec<char> = run.chars().collect();
    for piece in chars.chunks(WORD_CHARS_MAX) {
        let keys: Vec<String> = match piece {
            [one] => vec![one.to_string()],
            more => more.windows(2).map(|pair| pair.iter().collect()).collect(),
        };
        take(piece.iter().collect(), keys);
    }
}

fn latin(run: &str, take: &mut impl FnMut(String, Vec<String>)) {
    let whole = run.trim_end_matches('#').trim_end_matches('+');
    // A sign counts with a short name only: `c++`, not `done++`.
    let whole = if whole.chars().count() <= 2 { run } else { whole };
    if whole.chars().count() > WORD_CHARS_MAX {
        return;
    }
    let parts = humps(whole);
    if parts.len() > 1 {
        for part in parts {
            latin_word(part, take);
        }
    }
    latin_word(whole, take);
}

fn latin_word(word: &str, take: &mut impl FnMut(String, Vec<String>)) {
    let lower = word.to_lowercase();
    let is_number = lower.chars().all(|ch| ch.is_ascii_digit());
    if lower.chars().count() < 2 || is_number || ENGLISH_NOISE.contains(&lower.as_str()) {
        return;
    }
    let key = stem(&lower);
    take(lower, vec![key]);
}

/// `useState` as `use`, `State`; a word without a change from lower to upper case stays whole.
fn humps(word: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let (mut start, mut was_lower) = (0, false);
    for (at, ch) in word.char_indices() {
        if was_lower && ch.is_uppercase() {
            out.extend(word.get(start..at));
            start = at;
        }
        was_lower = ch.is_lowercase();
    }
    out.extend(word.get(start..));
    out
}

/// The same for `test`, `tests`, `tester`, `testing` and `tested`; made for comparing, not for reading.
fn stem(word: &str) -> String {
    if !word.is_ascii() {
        return word.to_owned();
    }
    let mut text = word;
    for (ending, left_chars) in [("ing", 3), ("ers", 4), ("er", 4), ("ed", 3), ("es", 3), ("s", 3)] {
        if let Some(rest) = text.strip_suffix(ending)
            && rest.len() >= left_chars
            && !(ending == "s" && rest.ends_with(['s', 'u', 'i']))
        {
            text = rest;
            break;
        }
    }
    if let Some(rest) = text.strip_suffix('i').or_else(|| text.strip_suffix('y'))
        && rest.len() >= 3
    {
        text = rest;
    }
    if let Some(rest) = text.strip_suffix('e')
        && rest.len() >= 3
    {
        text = rest;
    }
    let mut stem = text.to_owned();
    let mut last = text.chars().rev();
    if let (Some(one), Some(two)) = (last.next(), last.next())
        && one == two
        && text.len() > 3
        && one.is_ascii_alphabetic()
        && !matches!(one, 'a' | 'e' | 'i' | 'o' | 'u')
    {
        stem.pop();
    }
    stem
}

/// A Korean word without what hangs on its end, as long as two syllables remain.
fn without_particles(word: &str) -> &str {
    let mut word = word;
    // A particle may follow an ending: `작성하는데에`.
    for _ in 0..2 {
        let shorter = KOREAN_ENDINGS
            .iter()
            .filter_map(|ending| word.strip_suffix(ending))
            .filter(|rest| rest.chars().count() >= 2)
            .min_by_key(|rest| rest.len());
        match shorter {
            Some(rest) => word = rest,
            None => break,
        }
    }
    word
}

const KOREAN_ENDINGS: &[&str] = &[
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "와",
    "과",
    "도",
    "만",
    "로",
    "나",
    "야",
    "고",
    "지",
    "에서",
    "에게",
    "께서",
    "으로",
    "까지",
    "부터",
    "처럼",
    "보다",
    "마다",
    "이나",
    "이랑",
    "하고",
    "라고",
    "이라고",
    "에는",
    "에도",
    "에서는",
    "에서도",
    "으로는",
    "로는",
    "하는",
    "하기",
    "하면",
    "하여",
    "해서",
    "해줘",
    "해주세요",
    "해야",
    "해",
    "한",
    "할",
    "함",
    "했다",
    "했는데",
    "한다",
    "하다",
    "하게",
    "하지",
    "하자",
    "합니다",
    "했습니다",
    "하세요",
    "하는데",
    "하려면",
    "하려고",
    "하고싶어",
    "되는",
    "되어",
    "된",
    "될",
    "됩니다",
    "되지",
    "입니다",
    "이다",
    "인데",
    "인지",
    "이야",
    "줘",
    "주세요",
    "들",
    "들을",
    "들이",
    "들은",
    "용",
    "시",
];

const KOREAN_NOISE: &[&str] = &[
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "와",
    "과",
    "도",
    "만",
    "로",
    "것",
    "수",
    "등",
    "및",
    "때",
    "더",
    "좀",
    "잘",
    "왜",
    "뭐",
    "안",
    "못",
    "에서",
    "으로",
    "까지",
    "부터",
    "하는",
    "하기",
    "해줘",
    "해주세요",
    "해서",
    "하고",
    "합니다",
    "있는",
    "있다",
    "있어",
    "있습니다",
    "없는",
    "없다",
    "없이",
    "어떻게",
    "어떤",
    "무엇",
    "무엇을",
    "그리고",
    "그런데",
    "하지만",
    "또는",
    "대한",
    "대해",
    "대해서",
    "위한",
    "위해",
    "통해",
    "관련",
    "관한",
    "모든",
    "이것",
    "그것",
    "저것",
    "여기",
    "거기",
    "지금",
    "다시",
    "같은",
    "같이",
    "경우",
    "사용",
    "사용하는",
    "방법",
    "알려줘",
    "알려",
    "보여줘",
    "보여",
    "해봐",
    "부탁",
    "부탁해",
    "우리",
    "제가",
    "내가",
    "이거",
    "그거",
    "주세요",
    "필요",
    "필요할",
    "필요한",
    "만들어",
    "만들어줘",
    "고쳐줘",
    "고쳐",
    "작업",
    "설명",
    "프로젝트",
    "코드",
    "파일",
];

const ENGLISH_NOISE: &[&str] = &[
    "a",
    "about",
    "add",
    "after",
    "all",
    "also",
    "an",
    "and",
    "any",
    "app",
    "application",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "best",
    "better",
    "between",
    "but",
    "by",
    "can",
    "change",
    "changes",
    "code",
    "could",
    "create",
    "current",
    "did",
    "do",
    "does",
    "doing",
    "done",
    "each",
    "etc",
    "every",
    "file",
    "files",
    "first",
    "fix",
    "for",
    "from",
    "get",
    "give",
    "go",
    "good",
    "had",
    "has",
    "have",
    "he",
    "help",
    "helper",
    "helps",
    "her",
    "here",
    "him",
    "how",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "know",
    "let",
    "like",
    "look",
    "made",
    "make",
    "makes",
    "making",
    "many",
    "me",
    "more",
    "most",
    "much",
    "must",
    "my",
    "need",
    "needs",
    "new",
    "next",
    "no",
    "not",
    "now",
    "of",
    "off",
    "ok",
    "on",
    "one",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "please",
    "practice",
    "practices",
    "project",
    "projects",
    "really",
    "same",
    "see",
    "she",
    "should",
    "show",
    "skill",
    "skills",
    "so",
    "some",
    "such",
    "sure",
    "take",
    "task",
    "tasks",
    "tell",
    "than",
    "thank",
    "thanks",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "through",
    "to",
    "too",
    "tool",
    "tools",
    "try",
    "two",
    "under",
    "up",
    "us",
    "use",
    "used",
    "user",
    "uses",
    "using",
    "very",
    "via",
    "want",
    "was",
    "way",
    "we",
    "well",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "why",
    "will",
    "with",
    "within",
    "without",
    "work",
    "working",
    "works",
    "would",
    "you",
    "your",
];

#[cfg(test)]
mod tests {
    use super::{TEXT_CHARS_MAX, keys, words};
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.shown).collect()
    }

    #[test]
    fn words_that_say_something() {
        let cases: [(&str, &[&str]); 10] = [
            ("", &[]),
            ("Please add the axum routes!", &["axum", "routes"]),
            ("How do I do it? 42", &[]),
            ("c++ and C# done++", &["c++", "c#"]),
            ("useState", &["state", "usestate"]),
            ("snake_case-name", &["snake", "case", "name"]),
            ("axum에서 라우터를 테스트하는 방법", &["axum", "라우터", "테스트"]),
            ("이 코드 좀 고쳐줘", &[]),
            ("認証の設定", &["認証の設定"]),
            ("tests test Testing", &["tests"]),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn a_word_is_found_whatever_hangs_on_it() {
        let cases = [
            ("route", "Routes and routing", true),
            ("running", "how to run it", true),
            ("router", "Routing", true),
            ("topic77", "topic7", false),
            ("query", "queries", true),
            ("class", "classes", true),
            ("database", "The Database.", true),
            ("status", "statu", false),
            ("rust", "trust", false),
            ("라우터", "라우터를 만드는 법", true),
            ("테스트를", "통합 테스트", true),
            ("데이터베이스", "데이터베이스는", true),
            ("결제", "인증 토큰", false),
            ("토큰", "인증토큰", true),
            ("認証", "認証の設定", true),
            ("Überprüfung", "überprüfung", true),
        ];
        for (word, text, expected) in cases {
            let found = words(word).iter().any(|word| word.is_in(&keys(text)));
            assert_eq!(found, expected, "{word} in {text}");
        }
    }

    #[test]
    fn data_is_no_language() {
        assert!(shown(&"x".repeat(5_000)).is_empty());
        let long = format!("{}needle", "ab ".repeat(TEXT_CHARS_MAX));
        assert_eq!(shown(&long), ["ab"]);
    }

    proptest! {
        #[test]
        fn any_text_has_words_that_are_in_it(text in "\\PC{0,200}") {
            let keys = keys(&text);
            for word in words(&text) {
                prop_assert!(word.is_in(&keys), "{word:?}");
            }
        }
    }
}
