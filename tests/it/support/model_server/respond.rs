//! From an answer to the wire: the provider's events, at the answer's pace.

use std::io;
use std::time::Duration;

use serde_json::Value;

use super::answer::Answer;
use super::http::Wire;
use super::view::{Protocol, View};
use super::{anthropic, chat, gemini, responses};

/// One event of a stream, as it stands on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub text: String,
    /// Carries a piece of the answer's text: what pace and cut count.
    pub delta: bool,
}

impl Frame {
    /// An event with a name of its own beside the data.
    pub fn named(name: &str, data: &Value) -> Self {
        Self { text: format!("event: {name}\ndata: {data}\n\n"), delta: false }
    }

    /// An event that is only data.
    pub fn data(data: impl std::fmt::Display) -> Self {
        Self { text: format!("data: {data}\n\n"), delta: false }
    }

    /// The same, counted as a piece of the text.
    pub fn counted(self) -> Self {
        Self { delta: true, ..self }
    }
}

/// What an encoder needs to know.
pub struct Reply<'a> {
    pub view: &'a View,
    pub answer: &'a Answer,
    /// Unique for each request of a server.
    pub order: usize,
}

impl Reply<'_> {
    /// Estimate of the tokens read: a quarter of the characters.
    pub fn input_tokens(&self) -> usize {
        let users: usize = self.view.user_texts.iter().map(|text| text.chars().count()).sum();
        tokens(users + self.view.system.chars().count())
    }

    /// Estimate of the tokens said.
    pub fn output_tokens(&self) -> usize {
        tokens(self.answer.text().chars().count())
    }

    /// Estimate of the tokens thought; 0 without thinking.
    pub fn thinking_tokens(&self) -> usize {
        self.answer.thinking.chars().count().div_ceil(4)
    }

    fn frames(&self) -> Vec<Frame> {
        match self.view.protocol {
            Protocol::Anthropic => anthropic::frames(self),
            Protocol::Responses => responses::frames(self),
            Protocol::Chat => chat::frames(self),
            Protocol::Gemini => gemini::frames(self),
        }
    }

    fn whole(&self) -> Value {
        match self.view.protocol {
            Protocol::Anthropic => anthropic::whole(self),
            Protocol::Responses => responses::whole(self),
            Protocol::Chat => chat::whole(self),
            Protocol::Gemini => gemini::whole(self),
        }
    }

    /// Sends the answer. `false`: the connection must be closed now.
    pub async fn send(&self, wire: &mut Wire) -> io::Result<bool> {
        if !self.view.stream {
            if self.answer.cut_after.is_some() {
                return Ok(false);
            }
            let body = self.whole().to_string();
            let headers = [("content-type", "application/json"), ("request-id", "req_test")];
            wire.whole(200, &headers, body.as_bytes(), false).await?;
            return Ok(true);
        }
        let headers = [("content-type", "text/event-stream; charset=utf-8"), ("request-id", "req_test")];
        wire.stream_head(&headers).await?;
        let mut deltas = 0;
        for frame in self.frames() {
            if frame.delta {
                if self.answer.cut_after == Some(deltas) {
                    return Ok(false);
                }
                if deltas > 0 && self.answer.pause_ms > 0 {
                    tokio::time::sleep(Duration::from_millis(self.answer.pause_ms)).await;
                }
                deltas += 1;
            }
            if self.answer.odd_writes {
                odd_chunks(wire, &frame.text).await?;
            } else {
                wire.chunk(frame.text.as_bytes()).await?;
            }
        }
        wire.stream_end().await?;
        Ok(true)
    }
}

/// At least one token.
pub fn tokens(chars: usize) -> usize {
    chars.div_ceil(4).max(1)
}

/// Places inside characters where an event is cut: every second character of two bytes or more, after its first,
/// second or third byte in turn.
fn odd_places(text: &str) -> Vec<usize> {
    let wide = text.char_indices().filter(|(_, char)| char.len_utf8() > 1).enumerate();
    wide.filter(|(count, _)| count % 2 == 0)
        .map(|(count, (at, char))| at + 1 + (count / 2) % (char.len_utf8() - 1))
        .collect()
}

/// Sends an event in chunks that end inside characters.
async fn odd_chunks(wire: &mut Wire, text: &str) -> io::Result<()> {
    let mut start = 0;
    for end in odd_places(text).into_iter().chain([text.len()]) {
        wire.chunk(&text.as_bytes()[start..end]).await?;
        // Gives the client a chance to read the half character alone.
        tokio::time::sleep(Duration::from_millis(1)).await;
        start = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::odd_places;

    #[test]
    fn cuts_lie_inside_characters_of_every_width() {
        let text = "a한bé글👨c";
        let places = odd_places(text);
        assert_eq!(places.len(), 2);
        assert!(places.iter().all(|place| !text.is_char_boundary(*place)), "{places:?}");
        assert_eq!(odd_places("plain"), Vec::<usize>::new());
    }
}
