//! The magic words of a prompt: what the model is told to do.

/// What one prompt asks for. The words and their meaning are listed in the module above.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Magic {
    pub echo: bool,
    pub think: bool,
    pub korean: bool,
    pub hang: bool,
    pub cut: bool,
    /// Chunks, and milliseconds between two of them.
    pub stream: Option<(usize, u64)>,
    pub big_chars: Option<usize>,
    pub slow_start_ms: Option<u64>,
    /// HTTP status, and for how many requests with the same text (all when `None`).
    pub status: Option<(u16, Option<usize>)>,
    pub write_path: Option<String>,
    pub shell_command: Option<String>,
    /// Any tool, and the JSON text of its input.
    pub tool: Option<(String, String)>,
    /// The answer word for word.
    pub say: Option<String>,
}

/// Words whose argument is the rest of their line, blanks included.
const TO_THE_END: [&str; 3] = ["SHELL:", "TOOL:", "SAY:"];

/// Cuts a line before the first word that takes its rest: what stands before, the word, the rest.
fn cut_at_rest(line: &str) -> (&str, Option<(&'static str, &str)>) {
    let places = TO_THE_END.iter().flat_map(|word| {
        line.match_indices(word).filter_map(move |(at, _)| {
            let (before, after) = line.split_at_checked(at)?;
            let starts = before.chars().next_back().is_none_or(char::is_whitespace);
            starts.then(|| (before, (*word, after.strip_prefix(word).unwrap_or_default().trim())))
        })
    });
    let first = places.min_by_key(|(before, _)| before.len());
    first.map_or((line, None), |(before, rest)| (before, Some(rest)))
}

/// The part of a user text that is the user's own: what stands after the last line that is exactly `---`.
pub fn own_part(user_text: &str) -> &str {
    let mut start = 0;
    let mut offset = 0;
    for line in user_text.split_inclusive('\n') {
        offset += line.len();
        if line.trim_end_matches(['\r', '\n']) == "---" {
            start = offset;
        }
    }
    user_text.get(start..).unwrap_or_default()
}

impl Magic {
    /// Reads the words of the user's own part of a text. A word with a malformed argument is no word.
    pub fn read(user_text: &str) -> Self {
        let mut magic = Self::default();
        for line in own_part(user_text).lines() {
            let (words, rest) = cut_at_rest(line);
            words.split_whitespace().for_each(|word| magic.word(word));
            match rest {
                Some(("SHELL:", command)) => magic.shell_command = Some(command.to_owned()),
                Some(("SAY:", text)) => magic.say = Some(text.replace("\\n", "\n")),
                Some((_, call)) => {
                    let (name, input) = call.split_once(' ').unwrap_or((call, "{}"));
                    magic.tool = Some((name.to_owned(), input.to_owned()));
                }
                None => {}
            }
        }
        magic
    }

    fn word(&mut self, word: &str) {
        let (name, argument) = word.split_once(':').unwrap_or((word, ""));
        match name {
            "ECHO" => self.echo = true,
            "THINK" => self.think = true,
            "KOREAN" => self.korean = true,
            "HANG" => self.hang = true,
            "CUT" => self.cut = true,
            "BIG" => self.big_chars = argument.parse().ok(),
            "SLOWSTART" => self.slow_start_ms = argument.parse().ok(),
            "WRITE" if !argument.is_empty() => self.write_path = Some(argument.to_owned()),
            "STREAM" => {
                let (chunks, pause_ms) = argument.split_once(':').unwrap_or((argument, "0"));
                self.stream = chunks.parse().ok().zip(pause_ms.parse().ok());
            }
            "STATUS" => {
                let (code, times) =
                    argument.split_once(':').map_or((argument, None), |(c, t)| (c, t.parse().ok()));
                self.status = code.parse().ok().map(|code| (code, times));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_combine_and_history_before_the_rule_does_not_count() {
        let magic = Magic::read("HANG and CUT\n---\nplease THINK STREAM:3:20\nSHELL:sleep 60 && echo ECHO");
        let wanted = Magic {
            think: true,
            stream: Some((3, 20)),
            shell_command: Some("sleep 60 && echo ECHO".to_owned()),
            ..Magic::default()
        };
        assert_eq!(magic, wanted);
    }

    #[test]
    fn the_first_word_that_takes_the_rest_of_the_line_wins() {
        let magic = Magic::read("THINK SAY:one\\ntwo SHELL:ls");
        assert_eq!(magic.say.as_deref(), Some("one\ntwo SHELL:ls"));
        assert!(magic.think && magic.shell_command.is_none());
        let magic = Magic::read(r#"TOOL:find {"q": "a b"}"#);
        assert_eq!(magic.tool, Some(("find".to_owned(), r#"{"q": "a b"}"#.to_owned())));
        assert_eq!(Magic::read("TOOL:list").tool, Some(("list".to_owned(), "{}".to_owned())));
    }

    #[test]
    fn a_status_may_be_limited_and_nonsense_is_no_word() {
        assert_eq!(Magic::read("STATUS:429:2").status, Some((429, Some(2))));
        assert_eq!(Magic::read("STATUS:500").status, Some((500, None)));
        assert_eq!(Magic::read("STATUS:soon BIG:many RESHELL:x ECHOES"), Magic::default());
    }

    #[test]
    fn the_own_part_starts_after_the_last_rule() {
        assert_eq!(own_part("a\n---\nb\n---\nc\n"), "c\n");
        assert_eq!(own_part("a --- b"), "a --- b");
        assert_eq!(own_part("a\n---"), "");
    }
}
