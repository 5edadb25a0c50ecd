//! Key positions: what each agent holds, in its own first words. No model is asked. Pure.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::model::sentences::sentences;

/// Sentences taken of an answer.
const SENTENCES: usize = 2;
/// Longest position, in Unicode characters.
pub const POSITION_MAX_CHARS: usize = 300;

/// What an agent said last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// Its shown name.
    pub name: String,
    /// The whole text, Markdown.
    pub text: String,
}

/// One line a speaker, as a Markdown list with their names. Empty when nobody said anything.
pub fn key_positions(spoken: &[Spoken]) -> String {
    let lines = spoken.iter().filter_map(|one| {
        let said = key_position(&one.text);
        let name = one.name.split_whitespace().collect::<Vec<_>>().join(" ");
        (!said.is_empty()).then(|| format!("- **{name}**: {said}"))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The first two sentences, at most [`POSITION_MAX_CHARS`], in one line.
///
/// Code blocks, tables, quoted words and headings are passed over, unless there is nothing else.
pub fn key_position(text: &str) -> String {
    let blocks = blocks(text);
    let wanted =
        |kind: Kind| blocks.iter().filter(move |block| block.kind == kind).map(|block| block.text.as_str());
    let mut taken = first_sentences(wanted(Kind::Words));
    for kind in [Kind::Quote, Kind::Heading, Kind::Code] {
        if taken.is_empty() {
            taken = first_sentences(wanted(kind));
        }
    }
    short(&taken)
}

fn first_sentences<'a>(paragraphs: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for sentence in paragraphs.flat_map(sentences).take(SENTENCES) {
        if !out.is_empty() && !out.ends_with(['。', '！', '？', '｡']) {
            out.push(' ');
        }
        out.push_str(sentence);
    }
    out
}

/// Cut on a word, where one ends near, and never within one shown character.
fn short(text: &str) -> String {
    if text.chars().count() <= POSITION_MAX_CHARS {
        return text.to_owned();
    }
    let mut room = POSITION_MAX_CHARS - 1;
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let length = grapheme.chars().count();
        if length > room {
            break;
        }
        room -= length;
        end = at + grapheme.len();
    }
    let head = text.get(..end).unwrap_or_default();
    let near = head.rfind(char::is_whitespace).filter(|at| head.len() - at <= 60);
    let head = head.get(..near.unwrap_or(head.len())).unwrap_or_default().trim_end();
    // A mark that nothing closes any more would take the rest of the line along.
    let open = head.matches('`').count() % 2 == 1;
    let head = head.rfind('`').filter(|_| open).and_then(|at| head.get(..at)).unwrap_or(head);
    format!("{}…", head.trim_end())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Words,
    Quote,
    Heading,
    Code,
}

#[derive(Debug)]
struct Block {
    kind: Kind,
    text: String,
}

/// The text as paragraphs without Markdown's block marks; each list item is one.
fn blocks(text: &str) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut open = false;
    for line in text.lines() {
        let line = line.trim();
        let mark = line.chars().next().filter(|ch| matches!(ch, '`' | '~'));
        let run = mark.map_or(0, |mark| line.chars().take_while(|ch| *ch == mark).count());
        let is_fence = run >= 3;
        if let Some((kind, length)) = fence {
            if is_fence && mark == Some(kind) && run >= length {
                fence = None;
            } else {
                add(&mut out, Kind::Code, line, &mut open);
            }
            continue;
        }
        if is_fence {
            fence = mark.map(|mark| (mark, run));
            open = false;
            continue;
        }
        let (kind, line, starts) = meaning(line);
        let Some(kind) = kind else {
            open = false;
            continue;
        };
        open &= !starts;
        add(&mut out, kind, &line, &mut open);
        open &= kind != Kind::Heading;
    }
    out
}

/// What a line outside of code is, its words, and whether it begins a paragraph. `None`: it says nothing.
fn meaning(line: &str) -> (Option<Kind>, String, bool) {
    let rule = line.len() >= 3
        && ["-", "*", "_", "="].iter().any(|mark| line.replace([' '], "").replace(mark, "").is_empty());
    if line.is_empty() || rule || line.starts_with('|') {
        return (None, String::new(), true);
    }
    if let Some(words) = line.strip_prefix('>') {
        return (Some(Kind::Quote), plain(words.trim_start_matches(['>', ' '])), false);
    }
    if line.starts_with('#') {
        return (Some(Kind::Heading), plain(line.trim_matches(['#', ' '])), true);
    }
    let words = item(line);
    let bold = line.starts_with("**") && (line.ends_with("**") || line.ends_with("**:"));
    if bold
        && line.matches("**").count() == 2
        && sentences(&plain(line)).len() == 1
        && !plain(line).ends_with(['.', '!', '?', '。'])
    {
        return (Some(Kind::Heading), plain(line), true);
    }
    (Some(Kind::Words), plain(words.unwrap_or(line)), words.is_some())
}

/// The words of a list item; `None` when it is none.
fn item(line: &str) -> Option<&str> {
    let words = ["- ", "* ", "+ ", "• "].iter().find_map(|mark| line.strip_prefix(mark)).or_else(|| {
        let rest = line.trim_start_matches(|ch: char| ch.is_ascii_digit());
        let digits = line.len() - rest.len();
        let numbered = (1..=3).contains(&digits);
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).filter(|_| numbered)
    })?;
    let box_marks = ["[ ] ", "[x] ", "[X] "];
    Some(box_marks.iter().find_map(|mark| words.strip_prefix(mark)).unwrap_or(words))
}

fn plain(words: &str) -> String {
    words.replace("**", "").trim().to_owned()
}

fn add(out: &mut Vec<Block>, kind: Kind, line: &str, open: &mut bool) {
    if line.is_empty() {
        return;
    }
    match out.last_mut().filter(|last| *open && last.kind == kind) {
        Some(last) => {
            let wide = |ch: Option<char>| {
                ch.is_some_and(|ch| matches!(u32::from(ch), 0x3000..=0x9fff | 0xff00..=0xffef))
            };
            if !(wide(last.text.chars().last()) && wide(line.chars().next())) {
                last.text.push(' ');
            }
            last.text.push_str(line);
        }
        None => out.push(Block { kind, text: line.to_owned() }),
    }
    *open = true;
}

#[cfg(test)]
mod tests {
    use super::{POSITION_MAX_CHARS, Spoken, key_position, key_positions};

    #[test]
    fn table() {
        let cases = [
            ("", ""),
            ("Use JWT. It is simple. More.", "Use JWT. It is simple."),
            ("Only one", "Only one"),
            ("Take v1.2 of main.rs. Then stop. No more.", "Take v1.2 of main.rs. Then stop."),
            ("# Verdict\n\nKeep it. It works.\n\nMore.", "Keep it. It works."),
            ("**Verdict**\n\nKeep it.\nIt works. More.", "Keep it. It works."),
            ("**Keep it.** It is small. More.", "Keep it. It is small."),
            ("```rust\nfn a() {}. Yes.\n```\nDrop it. Now.", "Drop it. Now."),
            ("~~~\n```\nstill code. Code.\n~~~\nWords. More. Else.", "Words. More."),
            ("> You said so. Really.\n\nI agree. Fully.", "I agree. Fully."),
            ("> Only quoted. Words.", "Only quoted. Words."),
            ("I suggest:\n- keep the cache\n- drop the queue", "I suggest: keep the cache"),
            ("1. Keep the cache.\n2. Drop the queue.\n3. Rest.", "Keep the cache. Drop the queue."),
            ("- [x] done already\n- [ ] to do", "done already to do"),
            ("| a | b |\n|---|---|\n| 1 | 2 |\n\nTable above. Fine.", "Table above. Fine."),
            ("---\nAfter a rule. Yes.", "After a rule. Yes."),
            ("# Only a heading", "Only a heading"),
            ("```\nonly code\n```", "only code"),
            ("캐시를 씁니다. 빠릅니다. 끝.", "캐시를 씁니다. 빠릅니다."),
            ("キャッシュを使う。\n速いから。終わり。", "キャッシュを使う。速いから。"),
            ("使用缓存。因为快。完。", "使用缓存。因为快。"),
            ("Great! 🎉 We ship. Today.", "Great! 🎉 We ship."),
            ("Some, e.g. JWT, work. Others do not. End.", "Some, e.g. JWT, work. Others do not."),
        ];
        for (text, expected) in cases {
            assert_eq!(key_position(text), expected, "{text}");
        }
    }

    #[test]
    fn long_ones_are_cut_where_a_reader_would() {
        let words = key_position(&"word ".repeat(200));
        assert!(words.chars().count() <= POSITION_MAX_CHARS && words.ends_with("word…"), "{words}");
        let han = key_position(&"字".repeat(1_000));
        assert_eq!(han.chars().count(), POSITION_MAX_CHARS);
        let family = key_position(&"👩‍👩‍👧".repeat(200));
        assert!(family.ends_with("👧…") && family.chars().count() <= POSITION_MAX_CHARS, "{family}");
        let code = key_position(&format!("{} `{}`.", "a".repeat(280), "b ".repeat(60)));
        assert!(!code.contains('`'), "{code}");
    }

    #[test]
    fn each_speaker_has_one_line() {
        let said = |name: &str, text: &str| Spoken { name: name.into(), text: text.into() };
        let all = [
            said("Claude Code", "Use JWT. Yes.\nMore."),
            said("Mute", "  "),
            said("Ada\nB", "Use\ncookies."),
        ];
        assert_eq!(key_positions(&all), "- **Claude Code**: Use JWT. Yes.\n- **Ada B**: Use cookies.");
        assert_eq!(key_positions(&[]), "");
    }
}
