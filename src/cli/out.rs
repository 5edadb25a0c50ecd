//! Standard output and standard error: cleaned for terminals, quiet when the reader goes away.

use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal as _, Write};

use serde_json::Value;

/// How a command ended other than well. An empty line means that all has been said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub code: u8,
    pub line: String,
}

/// Something that is needed is broken, or the output cannot be written.
pub const BROKEN: u8 = 1;
pub const WRONG_ARGUMENTS: u8 = 2;
pub const ENGINE_FAILED: u8 = 3;
pub const STOPPED: u8 = 4;
pub const DATABASE: u8 = 5;

impl Failure {
    /// `line`: what, why, what to do.
    pub fn new(code: u8, line: impl Into<String>) -> Self {
        Self { code, line: line.into() }
    }

    pub fn usage(line: impl Into<String>) -> Self {
        Self::new(WRONG_ARGUMENTS, line)
    }

    pub fn database(line: impl Into<String>) -> Self {
        Self::new(DATABASE, line)
    }

    /// The reader of our output has gone; nobody is there to be told.
    fn reader_gone() -> Self {
        Self::new(STOPPED, "")
    }
}

/// Standard output.
pub struct Out {
    to: BufWriter<Box<dyn Write + Send>>,
    is_terminal: bool,
    at_line_start: bool,
}

impl Out {
    pub fn stdout() -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        Self { is_terminal, ..Self::to(Box::new(stdout)) }
    }

    pub fn to(to: Box<dyn Write + Send>) -> Self {
        Self { to: BufWriter::new(to), is_terminal: false, at_line_start: true }
    }

    /// Writes text as it stands but for control characters.
    ///
    /// # Errors
    /// It cannot be written. No line when the reader has gone.
    pub fn text(&mut self, text: &str) -> Result<(), Failure> {
        if let Some(last) = text.chars().last() {
            self.at_line_start = last == '\n';
        }
        self.to.write_all(clean(text).as_bytes()).map_err(|error| failed(&error))
    }

    /// # Errors
    /// As [`Self::text`].
    pub fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.text(line)?;
        self.text("\n")
    }

    /// One value on a line of its own.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn json(&mut self, value: &Value) -> Result<(), Failure> {
        self.line(&value.to_string())
    }

    /// # Errors
    /// As [`Self::text`].
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.to.flush().map_err(|error| failed(&error))
    }

    /// Takes back what has not been handed on yet.
    pub fn forget(&mut self) {
        let empty = BufWriter::new(Box::new(io::sink()) as Box<dyn Write + Send>);
        let (to, _taken_back) = std::mem::replace(&mut self.to, empty).into_parts();
        self.to = BufWriter::new(to);
        self.at_line_start = true;
    }

    /// Ends a begun line.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn end_line(&mut self) -> Result<(), Failure> {
        if self.at_line_start { Ok(()) } else { self.text("\n") }
    }

    /// One line beside the answer, on standard error. On a terminal it does not run into a begun line.
    pub fn note(&self, line: &str) {
        if self.is_terminal && !self.at_line_start && io::stderr().is_terminal() {
            tell("");
        }
        tell(&one_line(line, NOTE_CHARS));
    }
}

fn failed(error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Failure::reader_gone();
    }
    Failure::new(
        BROKEN,
        format!("Standard output cannot be written: {error}. Free space, or send it elsewhere."),
    )
}

/// Longest note, in characters.
const NOTE_CHARS: usize = 300;

/// One line on standard error. Nobody can be told that this fails.
pub fn tell(line: &str) {
    drop(writeln!(io::stderr(), "{}", clean(line)));
}

/// A question on standard error, without a line end.
pub fn prompt(text: &str) {
    let mut stderr = io::stderr();
    drop(write!(stderr, "{text}"));
    drop(stderr.flush());
}

/// Without control characters and terminal escapes; line ends and tabs stay.
pub fn clean(text: &str) -> Cow<'_, str> {
    let is_bad = |c: char| c.is_control() && c != '\n' && c != '\t';
    if text.chars().any(is_bad) {
        Cow::Owned(text.chars().filter(|c| !is_bad(*c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// White space run together, cut after `max` characters.
pub fn one_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        let gap = usize::from(!line.is_empty());
        let long = word.chars().count();
        if chars + gap + long > max {
            let room = max.saturating_sub(chars + gap + 1);
            if gap == 1 && room > 0 {
                line.push(' ');
            }
            line.extend(word.chars().take(room));
            line.push('…');
            break;
        }
        if gap == 1 {
            line.push(' ');
        }
        line.push_str(word);
        chars += gap + long;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_go_and_words_stay() {
        for (text, expected) in [
            ("plain 한글 👋\n\tx", "plain 한글 👋\n\tx"),
            ("\u{1b}[31mred\u{1b}[0m", "[31mred[0m"),
            ("bell\u{7} c1\u{9b}", "bell c1"),
        ] {
            assert_eq!(clean(text), expected);
        }
    }

    #[test]
    fn a_line_is_one_line_and_bounded() {
        for (text, max, expected) in
            [("a\n b\tc", 10, "a b c"), ("", 10, ""), ("한글한글한글", 4, "한글한…"), ("ab cdef", 5, "ab c…")]
        {
            let line = one_line(text, max);
            assert_eq!(line, expected);
            assert!(line.chars().count() <= max);
        }
    }

    #[test]
    fn a_gone_reader_is_no_message() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut out = Out::to(Box::new(Gone));
        let end = out.line("x").and_then(|()| out.flush()).unwrap_err();
        assert_eq!(end, Failure { code: STOPPED, line: String::new() });
    }
}
