//! Where sentences end, in any of the scripts people talk to agents in. Pure.
//!
//! A full stop ends a sentence only when white space follows, so `v1.2` and `main.rs` stay whole; the wide marks of
//! Chinese and Japanese end one by themselves.

/// Longest word looked at before a full stop, in Unicode characters.
const WORD_MAX_CHARS: usize = 24;

/// A full stop behind these belongs to the word.
const ABBREVIATIONS: &[&str] = &[
    "approx", "art", "bzgl", "bzw", "ca", "cf", "dr", "eq", "evtl", "fig", "ggf", "incl", "inkl", "max",
    "min", "mr", "mrs", "ms", "no", "nos", "nr", "p", "pp", "prof", "resp", "sec", "sog", "st", "vgl", "vol",
    "vs",
];

/// A full stop behind these belongs to the word unless a capital follows.
const ENDING_ABBREVIATIONS: &[&str] = &["al", "co", "corp", "etc", "inc", "jr", "ltd", "sr", "usw"];

/// Words before a single capital that ends a sentence after all: `Plan B.`
const LETTERED: &[&str] =
    &["case", "class", "grade", "option", "part", "phase", "plan", "step", "team", "type", "variant"];

/// Byte places just behind each sentence of one paragraph, its closing quotes included; ascending. Words after the
/// last mark have no end.
pub fn ends(paragraph: &str) -> Vec<usize> {
    let chars: Vec<(usize, char)> = paragraph.char_indices().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((_, ch)) = chars.get(at).copied() {
        if ch == '`' {
            at = behind_code(&chars, at);
            continue;
        }
        if !is_mark(ch) {
            at += 1;
            continue;
        }
        let run = chars.iter().skip(at).take_while(|(_, ch)| is_mark(*ch)).count();
        let closers = chars.iter().skip(at + run).take_while(|(_, ch)| closes(*ch)).count();
        let behind = at + run + closers;
        if is_end(&chars, at, run, behind) {
            let behind = behind_emojis(&chars, behind);
            found.push(chars.get(behind).map_or(paragraph.len(), |(byte, _)| *byte));
        }
        at = behind;
    }
    found
}

/// The sentences of one paragraph, trimmed. A piece without a letter or digit, e.g. an emoji, stays with the one
/// before it.
pub fn sentences(paragraph: &str) -> Vec<&str> {
    let mut cuts = ends(paragraph);
    cuts.push(paragraph.len());
    let has_words = |text: &str| text.chars().any(char::is_alphanumeric);
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut from = 0;
    for to in cuts {
        let piece = paragraph.get(from..to).unwrap_or_default();
        match found.last_mut() {
            Some(last) if !has_words(piece) => last.1 = to,
            _ if piece.trim().is_empty() => {}
            // Marks before the first words belong to them.
            _ if !has_words(piece) && to < paragraph.len() => continue,
            _ => found.push((from, to)),
        }
        from = to;
    }
    found.iter().filter_map(|(from, to)| paragraph.get(*from..*to).map(str::trim)).collect()
}

/// Behind emojis that stand apart, if any do: they belong to what was said before.
fn behind_emojis(chars: &[(usize, char)], behind: usize) -> usize {
    let count =
        |from: usize, is: fn(char) -> bool| chars.iter().skip(from).take_while(|(_, ch)| is(*ch)).count();
    let from = behind + count(behind, char::is_whitespace);
    let emojis = count(from, is_emoji);
    let next = chars.get(from + emojis);
    let apart = emojis > 0 && next.is_none_or(|(_, ch)| ch.is_whitespace());
    if apart { from + emojis } else { behind }
}

/// Behind inline code that begins at `at`; behind the mark alone when nothing closes it.
fn behind_code(chars: &[(usize, char)], at: usize) -> usize {
    let run = chars.iter().skip(at).take_while(|(_, ch)| *ch == '`').count();
    let mut place = at + run;
    while place < chars.len() {
        let here = chars.iter().skip(place).take_while(|(_, ch)| *ch == '`').count();
        if here == run {
            return place + run;
        }
        place += here.max(1);
    }
    at + run
}

fn is_mark(ch: char) -> bool {
    is_wide(ch) || matches!(ch, '.' | '!' | '?' | '…')
}

fn is_wide(ch: char) -> bool {
    matches!(ch, '。' | '！' | '？' | '｡' | '．')
}

/// What may stand between the mark and the end: quotes, brackets, marks of emphasis, and emojis.
fn closes(ch: char) -> bool {
    matches!(ch, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '」' | '』' | '）' | '】' | '*' | '_')
        || is_emoji(ch)
}

fn is_emoji(ch: char) -> bool {
    matches!(u32::from(ch), 0x1_f000..=0x1_ffff | 0x2600..=0x27bf | 0x200d | 0xfe0f)
}

fn is_east_asian(ch: char) -> bool {
    matches!(u32::from(ch), 0x2e80..=0x9fff | 0xac00..=0xd7ff | 0xf900..=0xfaff | 0xff00..=0xffef)
}

/// Whether the run of marks at `at` ends a sentence; `behind` is the place after its closers.
fn is_end(chars: &[(usize, char)], at: usize, run: usize, behind: usize) -> bool {
    let marks = || chars.iter().skip(at).take(run).map(|(_, ch)| *ch);
    let next = chars.get(behind).map(|(_, ch)| *ch);
    let quoted = chars.get(at + run).is_some_and(|(_, ch)| matches!(ch, '」' | '』' | '）'));
    let Some(next) = next else { return !is_list_number(chars, at) };
    if marks().any(is_wide) {
        // 「はい。」と言った is one sentence.
        return !quoted || next.is_whitespace();
    }
    if marks().any(|ch| matches!(ch, '!' | '?')) {
        return next.is_whitespace() || is_east_asian(next);
    }
    if !next.is_whitespace() {
        return false;
    }
    let after = chars.iter().skip(behind).map(|(_, ch)| *ch).find(|ch| !ch.is_whitespace());
    let goes_on_small = after.is_some_and(char::is_lowercase);
    if run > 1 || marks().any(|ch| ch == '…') {
        return !goes_on_small;
    }
    !is_list_number(chars, at) && !belongs_to_word(chars, at, goes_on_small)
}

/// `1.` at the start of a line.
fn is_list_number(chars: &[(usize, char)], at: usize) -> bool {
    let before = chars.get(..at).unwrap_or_default();
    let mut head = before.iter().map(|(_, ch)| *ch).skip_while(|ch| ch.is_whitespace()).peekable();
    head.peek().is_some() && head.all(|ch| ch.is_ascii_digit())
}

/// The full stop at `at` is part of an abbreviation or an initial.
fn belongs_to_word(chars: &[(usize, char)], at: usize, goes_on_small: bool) -> bool {
    let before = chars.get(..at).unwrap_or_default();
    let in_word = |ch: char| ch.is_alphanumeric() || matches!(ch, '.' | '-' | '_');
    let mut word: Vec<char> =
        before.iter().rev().map(|(_, ch)| *ch).take_while(|ch| in_word(*ch)).take(WORD_MAX_CHARS).collect();
    word.reverse();
    let length = word.len();
    let word: String = word.into_iter().collect();
    let small = word.to_lowercase();
    if ABBREVIATIONS.contains(&small.as_str()) {
        // `No.` and `max.` are whole words, too, and then a capital follows.
        let also_words = ["no", "max", "min", "art"];
        return !also_words.contains(&small.as_str())
            || goes_on_small
            || chars
                .iter()
                .skip(at + 1)
                .map(|(_, ch)| *ch)
                .find(|ch| !ch.is_whitespace())
                .is_some_and(|ch| ch.is_ascii_digit());
    }
    if ENDING_ABBREVIATIONS.contains(&small.as_str()) {
        return goes_on_small;
    }
    if word.contains('.')
        && word.split('.').all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic))
    {
        return true;
    }
    let is_initial = length == 1 && word.chars().all(char::is_uppercase) && word.is_ascii();
    if !is_initial {
        return false;
    }
    let mut lead: Vec<char> = before
        .iter()
        .rev()
        .skip(length)
        .map(|(_, ch)| *ch)
        .skip_while(|ch| ch.is_whitespace())
        .take_while(|ch| ch.is_alphabetic())
        .take(WORD_MAX_CHARS)
        .collect();
    lead.reverse();
    let lead: String = lead.into_iter().collect::<String>().to_lowercase();
    !LETTERED.contains(&lead.as_str())
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn table() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            ("One. Two! Three?", &["One.", "Two!", "Three?"]),
            ("no mark at all", &["no mark at all"]),
            ("Use v1.2 now. Then v2.0.1.", &["Use v1.2 now.", "Then v2.0.1."]),
            ("Open main.rs and lib.rs. Then build.", &["Open main.rs and lib.rs.", "Then build."]),
            ("See https://a.example/x?y=1. It says so.", &["See https://a.example/x?y=1.", "It says so."]),
            (
                "Some, e.g. JWT, work. Others, i.e. cookies, do not.",
                &["Some, e.g. JWT, work.", "Others, i.e. cookies, do not."],
            ),
            ("Postgres vs. SQLite: SQLite. Done.", &["Postgres vs. SQLite: SQLite.", "Done."]),
            (
                "Logs, traces etc. are kept. Files etc. We drop them.",
                &["Logs, traces etc. are kept.", "Files etc.", "We drop them."],
            ),
            ("Ask Dr. Kim. She knows.", &["Ask Dr. Kim.", "She knows."]),
            ("J. R. Smith wrote it. Good.", &["J. R. Smith wrote it.", "Good."]),
            ("Take plan B. It is cheaper.", &["Take plan B.", "It is cheaper."]),
            ("Is it safe? No. We lose data.", &["Is it safe?", "No.", "We lose data."]),
            ("See No. 5 first. Then go.", &["See No. 5 first.", "Then go."]),
            ("1. Keep the cache. 2. Drop it.", &["1. Keep the cache.", "2.", "Drop it."]),
            ("Wait... not yet. Now.", &["Wait... not yet.", "Now."]),
            ("He said \"stop.\" Then left.", &["He said \"stop.\"", "Then left."]),
            ("**Use it.** It works.", &["**Use it.**", "It works."]),
            ("Call `a. B` twice. Done.", &["Call `a. B` twice.", "Done."]),
            ("An open ` mark. Goes on.", &["An open ` mark.", "Goes on."]),
            ("Really?! Yes.", &["Really?!", "Yes."]),
            ("Ship it! 🎉 Then rest.", &["Ship it! 🎉", "Then rest."]),
            ("Done.🎉 Next.", &["Done.🎉", "Next."]),
            ("🎉 Done. Next 👩‍💻.", &["🎉 Done.", "Next 👩‍💻."]),
            ("Fast… but wrong. Slow… Right.", &["Fast… but wrong.", "Slow…", "Right."]),
            (
                "캐시를 씁니다. v1.2에서 main.rs를 고칩니다. 끝!",
                &["캐시를 씁니다.", "v1.2에서 main.rs를 고칩니다.", "끝!"],
            ),
            ("キャッシュを使う。次に消す！終わり", &["キャッシュを使う。", "次に消す！", "終わり"]),
            ("彼は「はい。」と言った。次。", &["彼は「はい。」と言った。", "次。"]),
            ("使用缓存。为什么？因为快。", &["使用缓存。", "为什么？", "因为快。"]),
            ("好!下一步。", &["好!", "下一步。"]),
            ("Das gilt z.B. hier bzw. dort. Ende.", &["Das gilt z.B. hier bzw. dort.", "Ende."]),
        ];
        for (text, expected) in cases {
            let found = sentences(text);
            let merged: Vec<&str> = expected.to_vec();
            assert_eq!(found, merged, "{text}");
        }
    }
}
