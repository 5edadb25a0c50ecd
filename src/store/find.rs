//! Finding words in one conversation: any substring, without regard to case, in any script.

use rusqlite::Connection;

use crate::model::id::{ConversationId, MessageId};

use super::codec;
use super::error::StoreResult;

pub(super) const SCAN: &str =
    "SELECT id, plain_text FROM message WHERE conversation = ?1 AND deleted_ms IS NULL ORDER BY seq";

/// Messages that hold the words, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    pub messages: Vec<MessageId>,
    /// There are more than were asked for.
    pub capped: bool,
}

pub(super) fn find(conn: &Connection, c: ConversationId, query: &str, max: usize) -> StoreResult<Found> {
    let needle = Needle::new(query);
    let mut found = Found::default();
    if query.is_empty() {
        return Ok(found);
    }
    let mut statement = conn.prepare_cached(SCAN)?;
    let mut rows = statement.query([c.0])?;
    while let Some(row) = rows.next()? {
        let (Ok(id), Ok(text)) = (codec::int(row, 0), codec::text(row, 1)) else { continue };
        if !needle.is_in(text) {
            continue;
        }
        if found.messages.len() == max {
            found.capped = true;
            break;
        }
        found.messages.push(MessageId(id));
    }
    Ok(found)
}

struct Needle {
    folded: String,
    /// No character of it has a case, so texts need no folding.
    caseless: bool,
}

impl Needle {
    fn new(query: &str) -> Self {
        let folded = fold(query);
        let caseless = query.chars().all(|c| has_no_case(c) || (c.is_ascii() && !c.is_ascii_alphabetic()));
        Self { folded, caseless }
    }

    fn is_in(&self, text: &str) -> bool {
        if self.caseless {
            return text.contains(&self.folded);
        }
        // The common case: whatever has case in the text is ASCII, and that is folded many bytes at a time.
        if text.is_ascii() || text.chars().all(|c| c.is_ascii() || has_no_case(c)) {
            return text.to_ascii_lowercase().contains(&self.folded);
        }
        fold(text).contains(&self.folded)
    }
}

/// Upper, then lower: makes `ß` and `SS`, `ς` and `σ` the same.
fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else if has_no_case(c) {
            out.push(c);
        } else {
            out.extend(c.to_uppercase().flat_map(char::to_lowercase));
        }
    }
    out
}

/// Scripts of East Asia, punctuation, arrows, boxes and emoji: none of them has case.
fn has_no_case(c: char) -> bool {
    matches!(c,
        '\u{ac00}'..='\u{d7a3}'
        | '\u{3000}'..='\u{9fff}'
        | '\u{1100}'..='\u{11ff}'
        | '\u{2010}'..='\u{205e}'
        | '\u{2190}'..='\u{23ff}'
        | '\u{2500}'..='\u{27bf}'
        | '\u{1f300}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::Needle;

    #[test]
    fn finds_in_any_script_without_regard_to_case() {
        let korean = "대한민국의 역사를 Rust로 쓴다";
        let cases = [
            (korean, "역사", true),
            (korean, "민국", true),
            (korean, "RUST로", true),
            (korean, "국민", false),
            ("Straße", "STRASSE", true),
            ("ΟΔΟΣ", "οδος", true),
            ("ÉCOLE", "école", true),
            ("日本語のテスト", "本語", true),
            ("Hello World", "LO WO", true),
            ("Hello World", "low", false),
            ("a😀b", "😀B", true),
            ("50% off_x", "0% OFF_", true),
            ("plain", "", true),
        ];
        for (text, query, expected) in cases {
            assert_eq!(Needle::new(query).is_in(text), expected, "{query:?} in {text:?}");
        }
    }

    #[test]
    fn characters_called_caseless_are() {
        for c in (0..=u32::from(char::MAX)).filter_map(char::from_u32).filter(|c| super::has_no_case(*c)) {
            let text = String::from(c);
            assert!(text.to_uppercase() == text && text.to_lowercase() == text, "{c:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_part_of_a_text_is_found(before in ".*", middle in ".+", after in ".*") {
            let text = format!("{before}{middle}{after}");
            proptest::prop_assert!(Needle::new(&middle).is_in(&text));
            proptest::prop_assert!(Needle::new(&middle.to_uppercase()).is_in(&text) || !middle.is_ascii());
        }
    }
}
