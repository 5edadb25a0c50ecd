//! An answer for a person: its text to standard output as it comes, all else as notes to standard error.
//!
//! What was printed cannot be taken back. When an agent begins its text again, what is the same is not
//! printed a second time.

use crate::cli::follow::Said;
use crate::cli::out::{Failure, Out};
use crate::model::message::{PermissionOutcome, ToolState};

/// Prints one answer.
#[derive(Debug, Default)]
pub struct Plain {
    /// The text that is being printed, and how much of it is out.
    key: String,
    printed: String,
    /// A text that begins again: nothing is printed while it only repeats what is out.
    again: Option<String>,
    any: bool,
    thinking: String,
}

impl Plain {
    /// # Errors
    /// Standard output cannot be written.
    pub fn said(&mut self, said: &Said, out: &mut Out) -> Result<(), Failure> {
        if !matches!(said, Said::Thinking { .. } | Said::ThinkingReplaced { .. }) {
            self.end_thought(out);
        }
        match said {
            Said::Text { key, delta } => self.text(key, delta, out),
            Said::TextReplaced { key, text } => {
                if *key == self.key {
                    self.again = Some(String::new());
                } else {
                    self.key = String::new();
                }
                self.text(key, text, out)
            }
            Said::Withdrawn { key } => {
                if *key == self.key {
                    self.key = String::new();
                    self.again = Some(String::new());
                }
                Ok(())
            }
            Said::Thinking { delta, .. } => {
                self.thinking.push_str(delta);
                Ok(())
            }
            Said::ThinkingReplaced { text, .. } => {
                self.thinking.clone_from(text);
                Ok(())
            }
            Said::Tool { .. } | Said::Plan { .. } | Said::Notice { .. } | Said::Permission { .. } => {
                if let Some(line) = note(said) {
                    out.flush()?;
                    out.note(&line);
                }
                Ok(())
            }
        }
    }

    fn text(&mut self, key: &str, delta: &str, out: &mut Out) -> Result<(), Failure> {
        if let Some(mut again) = self.again.take() {
            key.clone_into(&mut self.key);
            again.push_str(delta);
            if self.printed.starts_with(&again) {
                self.again = Some(again);
                return Ok(());
            }
            if let Some(rest) = again.strip_prefix(self.printed.as_str()) {
                out.text(rest)?;
            } else {
                out.flush()?;
                out.note("the agent began its text again");
                self.gap(out)?;
                out.text(&again)?;
            }
            self.printed = again;
            self.any = true;
            return Ok(());
        }
        if self.key != key {
            if delta.is_empty() {
                return Ok(());
            }
            self.gap(out)?;
            key.clone_into(&mut self.key);
            self.printed.clear();
        }
        self.any = true;
        self.printed.push_str(delta);
        out.text(delta)
    }

    /// A blank line between two texts.
    fn gap(&self, out: &mut Out) -> Result<(), Failure> {
        if self.any { out.text("\n\n") } else { Ok(()) }
    }

    fn end_thought(&mut self, out: &Out) {
        let thought = std::mem::take(&mut self.thinking);
        if !thought.trim().is_empty() {
            out.note(&format!("thinking: {thought}"));
        }
    }

    /// # Errors
    /// Standard output cannot be written.
    pub fn end(&mut self, out: &mut Out) -> Result<(), Failure> {
        self.end_thought(out);
        out.end_line()?;
        out.flush()
    }
}

fn note(said: &Said) -> Option<String> {
    match said {
        Said::Tool { call, .. } => {
            let title = if call.title.is_empty() { &call.input } else { &call.title };
            let exit = call.exit_code.map(|code| format!(" (exit code {code})")).unwrap_or_default();
            let state = match call.state {
                ToolState::Pending => return None,
                ToolState::Running => "",
                ToolState::Done => " done",
                ToolState::Failed => " failed",
                ToolState::Denied => " denied",
                ToolState::Stopped => " stopped",
            };
            Some(format!("tool {}{state}{exit}: {title}", call.name))
        }
        Said::Plan { entries, .. } => {
            use crate::model::message::PlanEntryState as S;
            let done = entries.iter().filter(|entry| entry.state == S::Done).count();
            let now = entries.iter().find(|entry| entry.state == S::InProgress);
            let now = now.map(|entry| format!(": {}", entry.text)).unwrap_or_default();
            Some(format!("plan {done} of {}{now}", entries.len()))
        }
        Said::Notice { text, .. } => Some(format!("notice: {text}")),
        Said::Permission { request, outcome } => {
            let what = request.command.clone().unwrap_or_else(|| request.paths.join(", "));
            let end = match outcome {
                None => return None,
                Some(PermissionOutcome::AllowedOnce) => "allowed once",
                Some(PermissionOutcome::Denied { .. }) => "denied (see --permissions)",
                Some(PermissionOutcome::Gone) => "gone",
            };
            Some(format!("permission {end}: {} {what}", request.tool))
        }
        Said::Text { .. }
        | Said::TextReplaced { .. }
        | Said::Withdrawn { .. }
        | Said::Thinking { .. }
        | Said::ThinkingReplaced { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

    use super::*;

    struct Pipe(SyncSender<Vec<u8>>);

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).unwrap();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn printed(all: &[Said]) -> String {
        let (to, from): (_, Receiver<Vec<u8>>) = sync_channel(100);
        let mut out = Out::to(Box::new(Pipe(to)));
        let mut plain = Plain::default();
        for said in all {
            plain.said(said, &mut out).unwrap();
        }
        plain.end(&mut out).unwrap();
        drop(out);
        String::from_utf8(from.iter().flatten().collect()).unwrap()
    }

    fn text(key: &str, delta: &str) -> Said {
        Said::Text { key: key.into(), delta: delta.into() }
    }

    fn withdrawn(key: &str) -> Said {
        Said::Withdrawn { key: key.into() }
    }

    fn replaced(key: &str, text: &str) -> Said {
        Said::TextReplaced { key: key.into(), text: text.into() }
    }

    #[test]
    fn text_is_printed_once_and_whole() {
        for (said, expected) in [
            (vec![], ""),
            (vec![text("a", "안"), text("a", "녕")], "안녕\n"),
            (vec![text("a", "one\n"), text("b", ""), text("b", "two\n")], "one\n\n\ntwo\n"),
            (vec![text("a", "Hel"), withdrawn("a"), text("b", "H"), text("b", "ello")], "Hello\n"),
            (vec![text("a", "Hello"), withdrawn("a"), text("b", "Hell")], "Hello\n"),
            (vec![text("a", "Hello"), withdrawn("a"), text("b", "No")], "Hello\n\nNo\n"),
            (vec![text("a", "Hello"), replaced("a", "Hello you"), text("a", "!")], "Hello you!\n"),
            (vec![text("a", "x"), text("b", "y"), replaced("a", "z")], "x\n\ny\n\nz\n"),
        ] {
            assert_eq!(printed(&said), expected, "{said:?}");
        }
    }
}
