//! Whether a prompt asks about code, and what to look for then. Pure; English and Korean.

use super::terms::{is_name, is_path, quoted, terms_of};
use super::words::is_cjk;
use crate::model::code::CodeReason;

/// Only the start of a prompt decides: what is pasted behind says less.
const MAX_READ_CHARS: usize = 8_000;

/// What was decided about a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeQuestion {
    pub about_code: bool,
    pub reason: CodeReason,
    /// What to look for, the most telling first, at most 24. Also given when it is not about code: someone may search
    /// all the same.
    pub terms: Vec<String>,
}

/// Decides whether code should be searched for a prompt.
///
/// Signs of code itself (a fence, a path, a name, an error) decide for it. Words about code need a task beside them,
/// so that talk about schedules, texts and people stays free of code. What the user rules out is ruled out.
#[must_use]
pub fn is_code_question(prompt: &str) -> CodeQuestion {
    let end = prompt.char_indices().nth(MAX_READ_CHARS).map_or(prompt.len(), |(at, _)| at);
    let (about_code, reason) = decide(prompt.get(..end).unwrap_or(prompt));
    CodeQuestion { about_code, reason, terms: terms_of(prompt) }
}

fn decide(prompt: &str) -> (bool, CodeReason) {
    if !prompt.chars().any(char::is_alphanumeric) {
        return (false, CodeReason::Empty);
    }
    let text = Text::of(prompt);
    if text.has_any(TOLD_NOT) {
        return (false, CodeReason::ToldNot);
    }
    if prompt.contains("```") {
        return (true, CodeReason::Fence);
    }
    if has_error(prompt) {
        return (true, CodeReason::ErrorText);
    }
    let things = text.count(THINGS) + text.count_inside(THINGS_KO);
    let tasks = text.count(TASKS) + text.count_inside(TASKS_KO);
    let writing = text.has_any(WRITING);
    let planning = text.has_any(PLANNING);
    if let Some(sign) = sign_of_code(prompt) {
        // "Translate README.md" names a file, but nobody wants functions for it.
        return if writing && things == 0 { (false, CodeReason::Writing) } else { (true, sign) };
    }
    if writing && things < 2 {
        return (false, CodeReason::Writing);
    }
    if text.is_small_talk() && things == 0 {
        return (false, CodeReason::SmallTalk);
    }
    if planning && things < 2 {
        return (false, CodeReason::Planning);
    }
    match (things, tasks) {
        (0, _) => (false, CodeReason::NoSign),
        (_, 1..) if !planning => (true, CodeReason::ThingAndTask),
        (2.., _) if !planning && !writing => (true, CodeReason::Things),
        _ if planning => (false, CodeReason::Planning),
        _ => (false, CodeReason::NoSign),
    }
}

/// A prompt in lower case, and its words.
struct Text {
    lower: String,
    words: Vec<String>,
}

impl Text {
    fn of(prompt: &str) -> Self {
        let lower = prompt.to_lowercase().replace('’', "'");
        let mut words: Vec<String> = Vec::new();
        let mut was_cjk = None;
        for c in lower.chars() {
            if !c.is_alphanumeric() && c != '\'' && c != '-' {
                was_cjk = None;
                continue;
            }
            let cjk = is_cjk(c);
            match words.last_mut() {
                Some(word) if was_cjk == Some(cjk) => word.push(c),
                _ => words.push(c.to_string()),
            }
            was_cjk = Some(cjk);
        }
        Self { lower, words }
    }

    /// How many different ones of the list are words of it, plurals and simple forms too.
    fn count(&self, list: &str) -> usize {
        list.split_whitespace().filter(|wanted| self.words.iter().any(|word| is_form(word, wanted))).count()
    }

    /// How many of the list are inside Korean words of it.
    fn count_inside(&self, list: &[&str]) -> usize {
        let korean = || self.words.iter().filter(|word| word.chars().any(is_cjk));
        list.iter().filter(|wanted| korean().any(|word| word.contains(**wanted))).count()
    }

    /// Phrases: English ones on word borders, Korean ones anywhere.
    fn has_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| {
            self.lower.match_indices(phrase).any(|(at, _)| {
                let is_border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() || is_cjk(c));
                phrase.chars().any(is_cjk)
                    || (is_border(self.lower.get(..at).and_then(|before| before.chars().next_back()))
                        && is_border(
                            self.lower.get(at + phrase.len()..).and_then(|after| after.chars().next()),
                        ))
            })
        })
    }

    /// Few words, one of them a greeting, a thank-you, a yes or a no.
    fn is_small_talk(&self) -> bool {
        self.words.len() <= 8
            && self.words.iter().any(|word| {
                SMALL_TALK.split_whitespace().any(|small| small == word)
                    || SMALL_TALK_KO.iter().any(|small| word.starts_with(small))
            })
    }
}

fn is_form(word: &str, wanted: &str) -> bool {
    word.strip_prefix(wanted).is_some_and(|rest| matches!(rest, "" | "s" | "es" | "ed" | "d" | "ing" | "'s"))
        || wanted
            .strip_suffix('e')
            .is_some_and(|stem| word.strip_prefix(stem).is_some_and(|rest| matches!(rest, "ing" | "ed")))
}

fn sign_of_code(prompt: &str) -> Option<CodeReason> {
    // Korean endings are glued to names: `main.rs에서`.
    let ends = |c: char| c.is_whitespace() || is_cjk(c) || ",;\"'`<>".contains(c);
    let chunks = || prompt.split(ends).filter(|chunk| !chunk.contains("://") && !chunk.contains('@'));
    if chunks().any(|chunk| is_code_path(chunk.trim_matches(|c: char| ".:!?()[]".contains(c)))) {
        return Some(CodeReason::Path);
    }
    let named = |chunk: &str| is_call(chunk) || is_path_of_names(chunk) || has_name(chunk);
    (chunks().any(named) || has_ticked_name(prompt)).then_some(CodeReason::Identifier)
}

/// `flush()`, `self.writer.flush(x)`; prose has no bracket right behind a word but "(s)" and the like.
fn is_call(chunk: &str) -> bool {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || "_.:".contains(c);
    chunk.split_once('(').is_some_and(|(name, rest)| {
        name.len() > 1
            && name.chars().all(is_name_char)
            && (rest.starts_with(')') || (rest.contains(')') && name.contains(['_', '.', ':'])))
    })
}

/// `std::mem::take`.
fn is_path_of_names(chunk: &str) -> bool {
    chunk.split("::").filter(|part| part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).count()
        > 1
}

fn has_name(chunk: &str) -> bool {
    chunk.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').any(is_name)
}

/// A path to something that has functions or settings; prose files alone say nothing.
fn is_code_path(chunk: &str) -> bool {
    is_path(chunk) && !chunk.to_lowercase().ends_with(".md")
}

/// One word between backticks.
fn has_ticked_name(prompt: &str) -> bool {
    prompt.contains('`')
        && quoted(prompt).iter().any(|inside| {
            prompt.contains(&format!("`{inside}`"))
                && !inside.contains(char::is_whitespace)
                && inside.chars().any(|c| c.is_ascii_alphabetic())
        })
}

/// Texts that compilers and running programs print.
fn has_error(prompt: &str) -> bool {
    const TEXTS: &[&str] = &[
        "Traceback (most recent call last)",
        "panicked at",
        "Segmentation fault",
        "segfault",
        "stack trace",
        "stacktrace",
        "undefined reference",
        "cannot find symbol",
        "NullPointerException",
        "is not a function",
        "core dumped",
        "exit code",
        "exited with code",
        "error[E",
        "npm ERR!",
        "borrow checker",
        "unresolved import",
        "스택 트레이스",
        "스택트레이스",
        "컴파일 에러",
        "컴파일 오류",
        "널 포인터",
        "undefined is not",
    ];
    let is_code = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let digits =
            |rest: &str, least: usize| rest.len() >= least && rest.bytes().all(|b| b.is_ascii_digit());
        bare.strip_prefix('E').is_some_and(|rest| rest.len() == 4 && digits(rest, 4))
            || bare.strip_prefix("TS").is_some_and(|rest| digits(rest, 4))
            || (bare.len() > 5 && (bare.ends_with("Error") || bare.ends_with("Exception")) && bare.is_ascii())
    };
    TEXTS.iter().any(|text| prompt.contains(text)) || prompt.split_whitespace().any(is_code)
}

const TOLD_NOT: &[&str] = &[
    "not about code",
    "not about the code",
    "no code",
    "without code",
    "without any code",
    "don't touch the code",
    "do not touch the code",
    "don't look at the code",
    "forget the code",
    "leave the code",
    "not a code question",
    "nothing to do with code",
    "코드 말고",
    "코드말고",
    "코드는 말고",
    "코드 얘기 말고",
    "코드 이야기 말고",
    "코드 없이",
    "코드와 상관없",
    "코드랑 상관없",
    "코드 보지 말고",
    "코드는 보지",
    "코드와 관계없",
    "코드 얘기는 그만",
    "코드 빼고",
];

const WRITING: &[&str] = &[
    "poem",
    "haiku",
    "song",
    "lyrics",
    "story",
    "joke",
    "novel",
    "essay",
    "limerick",
    "blog post",
    "birthday",
    "cover letter",
    "e-mail",
    "email to",
    "email for",
    "mail to",
    "tweet",
    "translate",
    "proofread",
    "recipe",
    "press release",
    "newsletter",
    "speech",
    "slogan",
    "시 한 편",
    "시를 써",
    "시 써",
    "소설",
    "농담",
    "노래",
    "번역",
    "메일",
    "편지",
    "에세이",
    "블로그 글",
    "보도자료",
    "자기소개서",
    "맞춤법",
    "생일",
    "독후감",
    "하이쿠",
    "슬로건",
];

const PLANNING: &[&str] = &[
    "schedule",
    "meeting",
    "roadmap",
    "milestone",
    "calendar",
    "agenda",
    "next week",
    "tomorrow",
    "next sprint",
    "standup",
    "stand-up",
    "who will",
    "vacation",
    "holiday",
    "hiring",
    "interview",
    "priorities",
    "priority",
    "일정",
    "회의",
    "미팅",
    "마감",
    "로드맵",
    "다음 주",
    "다음주",
    "내일",
    "휴가",
    "예산",
    "채용",
    "면접",
    "우선순위",
    "회식",
    "점심",
    "저녁",
    "담당자",
    "계획을 세",
    "계획 세",
    "스프린트",
];

const THINGS: &str = "function method class struct enum trait interface module package crate library dependency dependencies bug \
    compiler compile code codebase test unittest api endpoint handler middleware parser lexer query schema migration database \
    variable constant loop thread mutex async await callback promise regex algorithm repository repo commit branch merge diff \
    linter lint clippy type generic pointer memory leak cache socket server client request response route router component hook \
    state reducer render widget button css html json yaml sql refactor backend frontend login auth authentication authorization \
    token session config configuration argument parameter exception crash deadlock race null panic stdout stderr logging logger \
    build makefile docker ci pipeline import export iterator buffer stack heap queue array vector hashmap string integer \
    process subprocess allocation deadline budget serialization deserialization encoding timeout retry webhook websocket rust python javascript typescript golang java c++ \
    react tokio axum django sqlite postgres implementation file";

const THINGS_KO: &[&str] = &[
    "코드",
    "함수",
    "메서드",
    "메소드",
    "클래스",
    "구조체",
    "열거형",
    "인터페이스",
    "모듈",
    "패키지",
    "크레이트",
    "라이브러리",
    "의존성",
    "버그",
    "컴파일",
    "테스트",
    "엔드포인트",
    "핸들러",
    "미들웨어",
    "파서",
    "파싱",
    "쿼리",
    "스키마",
    "마이그레이션",
    "데이터베이스",
    "변수",
    "상수",
    "스레드",
    "뮤텍스",
    "비동기",
    "콜백",
    "정규식",
    "알고리즘",
    "저장소",
    "커밋",
    "브랜치",
    "머지",
    "린트",
    "포인터",
    "메모리",
    "캐시",
    "소켓",
    "서버",
    "라우터",
    "라우팅",
    "컴포넌트",
    "렌더링",
    "위젯",
    "버튼",
    "리팩터",
    "리팩토링",
    "백엔드",
    "프론트엔드",
    "로그인",
    "인증",
    "토큰",
    "세션",
    "설정 파일",
    "인자",
    "매개변수",
    "예외",
    "크래시",
    "데드락",
    "교착",
    "로깅",
    "빌드",
    "버퍼",
    "스택",
    "배열",
    "문자열",
    "직렬화",
    "인코딩",
    "타임아웃",
    "재시도",
    "에러",
    "오류",
    "구현",
    "로직",
    "타입",
    "소스",
    "파일",
    "훅",
];

const TASKS: &str = "fix debug implement refactor add remove delete rename change update optimize improve explain find locate search \
    where how why which trace review check test rewrite migrate port extract inline document investigate reproduce write create \
    make build handle support fail break broken wrong crash show list call define use work slow speed does replace move clean wire";

const TASKS_KO: &[&str] = &[
    "고쳐",
    "고치",
    "수정",
    "구현",
    "추가",
    "삭제",
    "제거",
    "바꿔",
    "바꾸",
    "변경",
    "찾아",
    "어디",
    "왜",
    "어떻게",
    "설명",
    "리뷰",
    "분석",
    "작성",
    "만들",
    "최적화",
    "개선",
    "리팩",
    "디버",
    "동작",
    "호출",
    "확인",
    "검토",
    "옮겨",
    "분리",
    "합쳐",
    "정리",
    "느려",
    "느린",
    "실패",
    "깨져",
    "터져",
    "안돼",
    "안되",
    "나요",
    "나와",
    "짜줘",
    "알려",
    "보여",
    "처리",
    "돌려",
    "지워",
    "적용",
    "봐줘",
    "죽어",
    "멈춰",
];

const SMALL_TALK: &str = "hi hello hey thanks thank thx ty ok okay yes no yep nope sure great nice cool good morning goodbye bye \
    perfect awesome lol continue";

const SMALL_TALK_KO: &[&str] = &[
    "안녕",
    "고마",
    "감사",
    "네",
    "응",
    "아니",
    "좋아",
    "좋네",
    "알겠",
    "ㅋㅋ",
    "ㅎㅎ",
    "수고",
    "계속",
    "오케이",
];

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
