//! What a prompt asks to look for: names, paths, quoted words, then plain words that say something.

use super::words::is_cjk;

const MAX_TERMS: usize = 24;
const MAX_TERM_CHARS: usize = 64;
/// Only so much of a prompt is read for terms: a pasted log must not drown the question.
const MAX_READ_CHARS: usize = 8_000;

/// English words that say nothing about where to look.
const STOP: &str = "a about above after again all also always am an and any anything are as ask at be because been before \
    being below between bit both but by can cannot check code could did do does doing done don each either else even \
    ever every example explain few find first fix for from get give go going good got had has have having he hello help \
    her here hey hi him his how however i if im implement in into is isn it its itself just know last let like line list \
    look make makes many may maybe me mean might more most much must my need never new next no nor not nothing now of off \
    ok okay old on once one only or other our out over own part per please project put question really right said same \
    say see seems she should show since so some something still such sure take tell than thank thanks that the their \
    them then there these they thing things think this those through to too try trying two under until up us use used \
    uses using very want wants was way we well were what when where whether which while who why will with without won \
    work works would write yes yet you your";

/// Korean words that say nothing about where to look, without their endings.
const STOP_KO: &[&str] = &[
    "이",
    "그",
    "저",
    "것",
    "거",
    "수",
    "등",
    "좀",
    "왜",
    "뭐",
    "무엇",
    "어디",
    "어떻게",
    "어떤",
    "여기",
    "저기",
    "거기",
    "지금",
    "다시",
    "먼저",
    "그리고",
    "그런데",
    "하지만",
    "그래서",
    "코드",
    "부탁",
    "해줘",
    "해주세요",
    "알려줘",
    "보여줘",
    "찾아줘",
    "고쳐줘",
    "설명해줘",
    "설명",
    "있어",
    "있는",
    "있나",
    "없어",
    "없는",
    "한번",
    "우리",
    "내가",
    "제가",
    "너",
    "나",
    "때",
    "때문",
    "위해",
    "대해",
    "관련",
    "경우",
    "하는",
    "하고",
    "해서",
    "되는",
    "되어",
    "된",
    "한",
    "할",
    "함",
    "해",
    "줘",
    "안",
    "못",
    "더",
    "잘",
    "다",
    "모든",
    "같은",
    "같이",
    "이거",
    "그거",
    "이것",
    "그것",
    "부분",
    "정도",
    "만들어줘",
    "추가해줘",
    "수정해줘",
    "바꿔줘",
    "확인",
    "확인해줘",
    "봐줘",
    "주세요",
    "돼",
    "되나",
    "찾아",
    "고쳐",
    "어디서",
    "어디에",
    "어디야",
    "뭐야",
    "무슨",
    "사용",
    "처리하는",
];

/// Endings glued to Korean nouns, longest first.
const ENDINGS_KO: &[&str] = &[
    "해주세요",
    "하는지",
    "되는지",
    "합니다",
    "입니다",
    "에서는",
    "으로는",
    "이라고",
    "해줘",
    "하는",
    "되는",
    "하고",
    "하면",
    "해서",
    "하게",
    "하자",
    "했어",
    "됐어",
    "에서",
    "에게",
    "으로",
    "까지",
    "부터",
    "처럼",
    "보다",
    "이랑",
    "라고",
    "라는",
    "이나",
    "들을",
    "들이",
    "들은",
    "들의",
    "인데",
    "이야",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "로",
    "와",
    "과",
    "도",
    "만",
    "야",
];

/// The terms of a prompt, the most telling first, each once whatever its writing.
pub(super) fn terms_of(prompt: &str) -> Vec<String> {
    let end = prompt.char_indices().nth(MAX_READ_CHARS).map_or(prompt.len(), |(at, _)| at);
    let prompt = prompt.get(..end).unwrap_or(prompt);
    let mut terms = Terms::default();
    for quoted in quoted(prompt) {
        terms.add_quoted(quoted);
    }
    let chunks: Vec<&str> =
        prompt.split(|c: char| c.is_whitespace() || "()[]{}<>\"`,;!?*|=&+%“”‘’。、".contains(c)).collect();
    for chunk in &chunks {
        let chunk = trimmed(chunk);
        for path in chunk.split(is_cjk).filter(|path| is_path(path)) {
            terms.add(path.split(':').next().unwrap_or(path));
        }
        for run in runs(chunk) {
            if is_name(run) {
                terms.add(run);
            }
        }
    }
    for chunk in &chunks {
        for run in runs(trimmed(chunk)) {
            terms.add_plain(run);
        }
    }
    terms.list
}

#[derive(Debug, Default)]
struct Terms {
    list: Vec<String>,
}

impl Terms {
    fn add(&mut self, term: &str) {
        let term = term.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '/' && c != '.');
        let term = term.trim_end_matches(['.', '/', ':']);
        let chars = term.chars().count();
        let is_new = || !self.list.iter().any(|known| known.eq_ignore_ascii_case(term));
        let says = term.chars().any(char::is_alphabetic);
        if (2..=MAX_TERM_CHARS).contains(&chars) && self.list.len() < MAX_TERMS && says && is_new() {
            self.list.push(term.to_owned());
        }
    }

    /// A quoted word is a term as it is; of a quoted sentence only the names are.
    fn add_quoted(&mut self, quoted: &str) {
        if quoted.split_whitespace().count() == 1 {
            let bare = quoted.trim_end_matches("()");
            if is_path(bare) {
                self.add(bare);
            } else {
                for run in runs(bare) {
                    self.add(run);
                }
            }
        }
    }

    fn add_plain(&mut self, run: &str) {
        if run.chars().any(is_cjk) {
            if STOP_KO.contains(&run) {
                return;
            }
            let bare = without_ending(run);
            if !STOP_KO.contains(&bare) {
                self.add(bare);
            }
        } else if run.chars().count() > 2 && !is_stop(run) {
            self.add(run);
        }
    }
}

pub(super) fn is_stop(word: &str) -> bool {
    let word = word.to_lowercase();
    STOP.split_whitespace().any(|stop| stop == word)
}

/// Takes one ending off if at least two letters stay.
pub(super) fn without_ending(word: &str) -> &str {
    for ending in ENDINGS_KO {
        if let Some(rest) = word.strip_suffix(ending)
            && rest.chars().count() >= 2
        {
            return rest;
        }
    }
    word
}

fn trimmed(chunk: &str) -> &str {
    chunk.trim_matches(|c: char| ".,:;!?'\"`…~".contains(c))
}

/// The insides of backticks and quotation marks, on one line, fences left out.
pub(super) fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("```")) {
        for (open, close) in [('`', '`'), ('"', '"'), ('“', '”'), ('「', '」')] {
            let mut rest = line;
            while let Some((_, after)) = rest.split_once(open) {
                let Some((inside, after)) = after.split_once(close) else { break };
                if !inside.trim().is_empty() {
                    found.push(inside.trim());
                }
                rest = after;
            }
        }
    }
    found
}

/// Runs of one script: `인증gen-itgc처리` → 인증, gen-itgc, 처리. `::`, `.`, `/` part names as well.
fn runs(chunk: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = None;
    let mut was_cjk = false;
    for (at, c) in chunk.char_indices() {
        let belongs = c.is_alphanumeric() || c == '_' || c == '-';
        let cjk = is_cjk(c);
        if let Some(from) = start
            && (!belongs || cjk != was_cjk)
        {
            found.extend(chunk.get(from..at));
            start = None;
        }
        if belongs && start.is_none() {
            start = Some(at);
        }
        was_cjk = cjk;
    }
    if let Some(from) = start {
        found.extend(chunk.get(from..));
    }
    found.iter().map(|run| run.trim_matches('-')).filter(|run| !run.is_empty()).collect()
}

/// Endings of files that are written by people who write code.
const CODE_ENDINGS: &[&str] = &[
    "rs", "py", "js", "ts", "tsx", "jsx", "mjs", "go", "java", "c", "h", "cc", "cpp", "hpp", "cs", "kt",
    "swift", "rb", "php", "scala", "lua", "sh", "sql", "toml", "yaml", "yml", "json", "css", "html", "vue",
    "svelte", "proto", "md", "lock", "gradle", "xml", "ipynb", "zig", "ex", "dart",
];

/// `src/main.rs`, `Cargo.toml`, `./lib/x`: a file's name, or folders.
pub(super) fn is_path(chunk: &str) -> bool {
    let chunk = chunk.split_once(':').map_or(chunk, |(path, line)| {
        if line.starts_with(|c: char| c.is_ascii_digit()) { path } else { chunk }
    });
    if chunk.contains("://") || !chunk.is_ascii() {
        return false;
    }
    let (stem, ending) = chunk.rsplit_once('.').unwrap_or((chunk, ""));
    let has_ending = CODE_ENDINGS.contains(&ending)
        && stem.starts_with(|c: char| c.is_ascii_alphanumeric() || "./_~".contains(c))
        && stem.chars().all(|c| c.is_ascii_alphanumeric() || "./_-~@+".contains(c))
        && stem.len() > usize::from(ending.len() < 2);
    let folders = chunk.split('/').filter(|part| !part.is_empty()).count();
    let starts = ["./", "../", "src/", "tests/", "lib/", "app/", "pkg/", "cmd/"];
    has_ending || (folders > 1 && starts.iter().any(|start| chunk.starts_with(start)))
}

/// Shapes that no everyday word has: `snake_case`, `camelCase`, `PascalCase` of two, `kebab-case` with digits or
/// short parts is left to plain words.
pub(super) fn is_name(run: &str) -> bool {
    if run.chars().any(is_cjk) || run.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let inner = run.trim_matches('_');
    let snake = inner.contains('_') && inner.chars().any(char::is_alphabetic);
    let mut before_is_small = false;
    let mut humps = 0;
    for c in inner.chars() {
        humps += u32::from(before_is_small && c.is_uppercase());
        before_is_small = c.is_lowercase();
    }
    let long_enough = inner.chars().count() > 4;
    snake || (humps > 0 && long_enough && !KNOWN_HUMPS.contains(&inner) && !inner.contains('-'))
}

/// Names of products and places that look like code.
const KNOWN_HUMPS: &[&str] = &[
    "GitHub",
    "YouTube",
    "iPhone",
    "LinkedIn",
    "PowerPoint",
    "OpenAI",
    "MacBook",
    "WhatsApp",
    "PayPal",
    "DeepMind",
    "OpenCode",
    "JavaScript",
    "TypeScript",
    "GitLab",
    "WeChat",
    "KakaoTalk",
    "FedEx",
    "TikTok",
    "iCloud",
    "macOS",
    "ChatGPT",
    "McDonald",
    "PostgreSQL",
    "MySQL",
    "LaTeX",
    "BibTeX",
    "DevOps",
];
