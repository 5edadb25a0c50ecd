//! Whether a prompt asks about code, and what to look for then. Pure; English and Korean.

use super::signs::{
    PLANNING, SMALL_TALK, SMALL_TALK_KO, TASKS, TASKS_KO, THINGS, THINGS_KO, TOLD_NOT, WRITING,
};
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

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
