//! Which skills are worth offering: by what the project is built with and by what the user asks for.
//!
//! An offer is shown; nothing is switched on here.

use std::collections::{HashMap, HashSet};

use crate::context::trim::prefix;
use crate::context::words::{Word, keys, words};
use crate::model::skill::{Skill, SkillSuggestion};

/// Most suggestions at once.
pub const SUGGESTIONS_MAX: usize = 5;
/// So much of a prompt is looked at, in characters.
const PROMPT_CHARS_MAX: usize = 20_000;
/// A description that names more stacks than this is about none of them.
const STACKS_OF_ONE_SKILL: usize = 2;
/// Matching words that are told.
const TOLD_WORDS: usize = 3;

/// Offers skills for a project and a prompt; for repeated use see [`SkillIndex`].
///
/// `stack` as `os::stack` names it. At most [`SUGGESTIONS_MAX`], the best one first; the same input gives the same
/// answer.
pub fn suggest(stack: &[String], prompt: &str, skills: &[Skill]) -> Vec<SkillSuggestion> {
    SkillIndex::new(skills).suggest(stack, prompt)
}

/// Skills prepared for suggestions; made once for a list, asked for every prompt.
#[derive(Clone, Debug, Default)]
pub struct SkillIndex {
    entries: Vec<Entry>,
    /// How many skills have a key.
    spread: HashMap<String, usize>,
}

#[derive(Clone, Debug)]
struct Entry {
    name: String,
    in_name: HashSet<String>,
    all: HashSet<String>,
    /// Stacks its name speaks of, and those its description does.
    name_stacks: HashSet<&'static str>,
    text_stacks: HashSet<&'static str>,
}

impl SkillIndex {
    pub fn new(skills: &[Skill]) -> Self {
        let mut spread: HashMap<String, usize> = HashMap::new();
        let entries: Vec<Entry> = skills.iter().map(Entry::new).collect();
        for key in entries.iter().flat_map(|entry| &entry.all) {
            *spread.entry(key.clone()).or_default() += 1;
        }
        Self { entries, spread }
    }

    /// See [`suggest`].
    pub fn suggest(&self, stack: &[String], prompt: &str) -> Vec<SkillSuggestion> {
        let mut asked = words(prefix(prompt, PROMPT_CHARS_MAX));
        asked.retain(|word| self.is_rare(word));
        let mut found: Vec<(u32, SkillSuggestion)> = Vec::new();
        for entry in &self.entries {
            let (stack_score, stack_why) = entry.by_stack(stack);
            let (prompt_score, prompt_why) = entry.by_prompt(&asked);
            let score = stack_score + prompt_score;
            if score > 0 {
                // What the user asks now tells more than what is always so.
                let why = if prompt_score > 0 { prompt_why } else { stack_why };
                found.push((score, SkillSuggestion { name: entry.name.clone(), why }));
            }
        }
        found.sort_by(|one, two| two.0.cmp(&one.0).then_with(|| one.1.name.cmp(&two.1.name)));
        found.into_iter().take(SUGGESTIONS_MAX).map(|(_, suggestion)| suggestion).collect()
    }

    /// True when the word tells skills apart: few have it.
    fn is_rare(&self, word: &Word) -> bool {
        let limit = (self.entries.len() / 10).max(3);
        let with = word.keys().filter_map(|key| self.spread.get(key)).min().copied();
        with.is_some_and(|with| with <= limit)
    }
}

impl Entry {
    fn new(skill: &Skill) -> Self {
        let in_name = keys(&skill.name);
        let mut all = keys(&skill.description);
        all.extend(in_name.iter().cloned());
        Self {
            name: skill.name.clone(),
            name_stacks: stacks_named(&skill.name, true),
            text_stacks: stacks_named(&skill.description, false),
            in_name,
            all,
        }
    }

    fn by_stack(&self, stack: &[String]) -> (u32, String) {
        let used = |stacks: &HashSet<&'static str>| {
            stack.iter().find(|used| stacks.contains(used.as_str())).cloned()
        };
        let why = |used: &str| format!("the project uses {used}");
        if let Some(used) = used(&self.name_stacks) {
            return (3, why(&used));
        }
        let is_about = self.name_stacks.is_empty() && self.text_stacks.len() <= STACKS_OF_ONE_SKILL;
        match used(&self.text_stacks).filter(|_| is_about) {
            Some(used) => (2, why(&used)),
            None => (0, String::new()),
        }
    }

    fn by_prompt(&self, asked: &[Word]) -> (u32, String) {
        let hits: Vec<&Word> = asked.iter().filter(|word| word.is_in(&self.all)).collect();
        let named = hits.iter().filter(|word| word.is_in(&self.in_name)).count();
        // One word of a description is chance; its name, or two words, are not.
        if named == 0 && hits.len() < 2 {
            return (0, String::new());
        }
        let told: Vec<String> =
            hits.iter().take(TOLD_WORDS).map(|word| format!("“{}”", word.shown)).collect();
        let count = |number: usize| u32::try_from(number.min(10)).unwrap_or(10);
        (2 + 4 * count(named) + 2 * count(hits.len()), format!("the message speaks of {}", told.join(", ")))
    }
}

/// A stack, the words that name it wherever they stand, and those that do so only as a part of a skill's name:
/// everyday words.
type Names = (&'static str, &'static [&'static str], &'static [&'static str]);

const STACKS: &[Names] = &[
    ("Rust", &["rust", "cargo", "clippy"], &[]),
    ("TypeScript", &["typescript", "tsconfig"], &["ts", "tsx", "node", "react"]),
    ("JavaScript", &["javascript", "nodejs"], &["js", "node", "npm", "react"]),
    ("Python", &["python", "pytest", "pip"], &["py"]),
    ("Go", &["golang"], &["go"]),
    ("Java", &["java", "maven"], &["spring", "gradle"]),
    ("Kotlin", &["kotlin"], &["gradle"]),
    ("Scala", &["scala", "sbt"], &[]),
    ("Swift", &["swiftui", "xcode"], &["swift", "ios"]),
    ("Ruby", &["ruby", "rspec"], &["rails"]),
    ("PHP", &["php", "laravel", "phpunit"], &[]),
    ("Elixir", &["elixir"], &["phoenix"]),
    ("Dart", &["flutter"], &["dart"]),
    ("Zig", &["zig"], &[]),
    ("Haskell", &["haskell", "ghc"], &[]),
    ("OCaml", &["ocaml"], &[]),
    ("Clojure", &["clojure"], &[]),
    ("Erlang", &["erlang"], &[]),
    ("Julia", &[], &["julia"]),
    ("R", &["tidyverse", "rstudio"], &["r"]),
    ("C/C++", &["c++", "cpp", "cmake"], &["c"]),
    ("Make", &["makefile", "makefiles"], &["make"]),
    ("Docker", &["dockerfile", "dockerfiles"], &["docker", "containers"]),
    ("Nix", &["nixos"], &["nix"]),
    ("C#", &["c#", "csharp", "dotnet"], &[]),
    ("F#", &["f#", "fsharp"], &[]),
    ("Terraform", &["terraform", "hcl"], &[]),
];

fn stacks_named(text: &str, is_name: bool) -> HashSet<&'static str> {
    let lower = text.to_lowercase();
    let is_inner = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '+' | '#');
    let tokens: HashSet<&str> = lower.split(|ch| !is_inner(ch)).filter(|token| !token.is_empty()).collect();
    let named = |(_, sure, in_name): &&Names| {
        sure.iter().any(|word| tokens.contains(word))
            || (is_name && in_name.iter().any(|word| tokens.contains(word)))
    };
    STACKS.iter().filter(named).map(|(stack, _, _)| *stack).collect()
}

#[cfg(test)]
#[path = "suggest_tests.rs"]
mod tests;
