//! A branch: a conversation that starts at one message of another one.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::id::{AgreementId, ConversationId, MessageId};
use crate::model::plan::words;
use crate::model::sentences::sentences;
use crate::model::turn::Usage;

/// Longest summary that is adopted, in Unicode characters.
pub const ADOPT_MAX_CHARS: usize = 20_000;

/// What makes a conversation a branch. Its label is the conversation's title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The conversation it starts from; for a branch in a branch that branch, not the root.
    pub parent: ConversationId,
    /// It knows what was said up to this message, itself included. `None` = it knows nothing of the parent.
    pub checkpoint: Option<MessageId>,
    pub facts: BranchFacts,
}

/// What is known of a branch beside where it starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BranchFacts {
    pub kind: BranchKind,
    /// The adopt card in the parent; `None` = not adopted.
    pub adopted: Option<MessageId>,
    /// Earlier cards of a branch that was continued and adopted again, oldest first.
    pub adopted_before: Vec<MessageId>,
    /// The git branch it belongs to.
    pub git_branch: Option<String>,
    /// Absolute path of the root of its own checkout; see [`BranchFacts::work_folder`].
    pub worktree: Option<String>,
    /// The project's folder below the root of that checkout; empty when it is the root itself.
    pub subfolder: String,
    /// Full hash of the commit that the checkout began from.
    pub base: Option<String>,
    /// Whether retrieval from other conversations may find it; `None` = only once it is adopted.
    pub shared: Option<bool>,
    /// While it is active its [`gist`](Self::gist) is shown in its parent.
    pub hint: bool,
    /// The hint is told to the parent's agents too.
    pub hint_told: bool,
    /// What its last whole answer begins with: see [`gist`].
    pub gist: Option<String>,
}

impl BranchFacts {
    /// The folder in its own checkout in which its agents work; `None` = the project's own.
    #[must_use]
    pub fn work_folder(&self) -> Option<PathBuf> {
        let root = PathBuf::from(self.worktree.as_ref()?);
        Some(if self.subfolder.is_empty() { root } else { root.join(&self.subfolder) })
    }
}

words! {
    /// Who made a branch, and for what.
    BranchKind {
        General = "general", "General";
        Implementation = "implementation", "Implementation";
        Review = "review", "Review";
    }
}

words! {
    /// How a branch stands: see [`crate::model::project::Conversation::branch_status`].
    BranchStatus {
        Active = "active", "Active";
        Adopted = "adopted", "Adopted";
        Archived = "archived", "Archived";
    }
}

words! {
    /// Where an adopted summary came from.
    SummarySource {
        Agent = "agent", "Agent summary";
        KeyPositions = "key-positions", "Key positions";
        LastAnswer = "last-answer", "Last answer";
        Own = "own", "Own words";
    }
}

/// The words that are adopted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub source: SummarySource,
    /// Who wrote it, e.g. `Claude Code` or `you`.
    pub written_by: String,
    /// At most [`ADOPT_MAX_CHARS`].
    pub text: String,
}

/// What the parent shows of an adopted branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdoptCard {
    pub branch: ConversationId,
    /// As it was called when it was adopted.
    pub label: String,
    pub source: SummarySource,
    /// Who wrote the summary, e.g. `Claude Code` or `you`.
    pub written_by: String,
    pub text: String,
    /// Messages of the branch when it was adopted.
    pub messages: u32,
    /// Shown names of the agents that spoke in it.
    pub agents: Vec<String>,
    pub agreement: AgreementId,
    /// What an agent's summary took, over all its parts; `None` = no agent was asked, or it did not tell.
    #[serde(default)]
    pub usage: Option<Box<Usage>>,
}

impl AdoptCard {
    /// The summary with one line on where it is from: what is copied, found, and told to agents.
    pub fn markdown(&self) -> String {
        let count =
            if self.messages == 1 { "1 message".to_owned() } else { format!("{} messages", self.messages) };
        let agents =
            if self.agents.is_empty() { String::new() } else { format!(", {}", self.agents.join(", ")) };
        let by = &self.written_by;
        format!(
            "{}\n\n*Adopted from the branch \"{}\" ({count}{agents}); written by {by}.*",
            self.text, self.label
        )
    }
}

/// Longest gist, in Unicode characters.
pub const GIST_MAX_CHARS: usize = 160;

/// What an answer leads to, in one line: the first sentence of its first paragraph of prose, without Markdown's
/// marks, at most [`GIST_MAX_CHARS`]. `None` when it holds no prose, e.g. code alone.
pub fn gist(text: &str) -> Option<String> {
    let mut fenced = false;
    let mut prose: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        } else if !fenced && !is_prose(line) {
            if !prose.is_empty() {
                break;
            }
        } else if !fenced {
            prose.push(line);
        }
    }
    let text = prose.join(" ").replace("**", "").replace("__", "").replace('`', "");
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_start_matches(['-', '*', '>', ' ']);
    let sentence = sentences(line).first().copied().unwrap_or(line);
    let count = sentence.chars().count();
    if count <= GIST_MAX_CHARS {
        return (count > 0).then(|| sentence.to_owned());
    }
    let cut: String = sentence.chars().take(GIST_MAX_CHARS - 1).collect();
    // At the end of a word, when one is near; Chinese or Japanese has none.
    let word = cut.rfind(' ').filter(|at| *at * 2 > cut.len()).and_then(|at| cut.get(..at));
    Some(format!("{}…", word.unwrap_or(&cut).trim_end()))
}

/// Not a heading, a row of a table, a rule or an empty line.
fn is_prose(line: &str) -> bool {
    !line.starts_with('#') && !line.starts_with('|') && line.chars().any(char::is_alphanumeric)
}

/// The end of a text: its last `max_chars` characters, begun at the nearest sentence start.
///
/// A sentence starts after `.`, `!`, `?`, their full-width forms, or a line break. When none is near, the cut stays
/// where it fell, on a character.
pub fn last_words(text: &str, max_chars: usize) -> String {
    let text = text.trim();
    let count = text.chars().count();
    if count <= max_chars {
        return text.to_owned();
    }
    let from = count - max_chars;
    let chars: Vec<char> = text.chars().collect();
    let starts_at = |at: usize| -> bool {
        let before = chars.get(..at).unwrap_or_default();
        let Some(last) = before.iter().rev().find(|one| !one.is_whitespace()) else { return true };
        let gap = before.last().is_some_and(|one| one.is_whitespace());
        let line = before.iter().rev().take_while(|one| one.is_whitespace()).any(|one| *one == '\n');
        line || (gap && matches!(last, '.' | '!' | '?')) || matches!(last, '。' | '！' | '？')
    };
    let near = max_chars / 3;
    let word = |at: &usize| chars.get(*at).is_some_and(|one| !one.is_whitespace());
    let forward = (from..=(from + near).min(count)).find(|at| word(at) && starts_at(*at));
    let backward = (from.saturating_sub(near)..from).rev().find(|at| word(at) && starts_at(*at));
    let at = match (forward, backward) {
        (Some(ahead), Some(behind)) if from - behind < ahead - from => behind,
        (Some(ahead), _) => ahead,
        (None, Some(behind)) => behind,
        (None, None) => from,
    };
    chars.get(at..).unwrap_or_default().iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{AdoptCard, GIST_MAX_CHARS, gist, last_words};

    #[test]
    fn a_gist_is_the_first_sentence_of_prose() {
        let cases = [
            ("Use PKCE. It is smaller.", Some("Use PKCE.")),
            ("# Result\n\n**Use `v1.2`** of it, not 2.0! Then more.", Some("Use v1.2 of it, not 2.0!")),
            ("결론: 직접 씁니다. 이유는 둘입니다.", Some("결론: 직접 씁니다.")),
            ("結論は自作です。理由は二つ。", Some("結論は自作です。")),
            ("```rust\nfn main() {}\n```\n\nThat is all", Some("That is all")),
            ("```rust\nfn main() {}\n```", None),
            ("| a | b |\n|---|---|\n| 1 | 2 |\n\nBoth work.", Some("Both work.")),
            ("first line\nsecond line. Third", Some("first line second line.")),
            ("- one\n- two", Some("one - two")),
            ("", None),
            ("---", None),
        ];
        for (text, expected) in cases {
            assert_eq!(gist(text).as_deref(), expected, "{text}");
        }
        for word in ["word ", "말", "😀"] {
            let long = gist(&word.repeat(400));
            let chars = long.as_deref().map_or(0, |text| text.chars().count());
            let kept = if word == "😀" { 0..=0 } else { GIST_MAX_CHARS - 10..=GIST_MAX_CHARS };
            assert!(kept.contains(&chars), "{word}: {long:?}");
        }
    }

    #[test]
    fn a_card_of_before_agents_were_asked_still_loads() {
        let old = r#"{"branch":3,"label":"L","source":"own","written_by":"you","text":"T","messages":2,"agents":[],"agreement":4}"#;
        let card: AdoptCard = serde_json::from_str(old).unwrap();
        assert_eq!((card.text.as_str(), card.usage), ("T", None));
    }

    #[test]
    fn the_end_begins_with_a_sentence() {
        let cases = [
            ("short", 300, "short"),
            ("One two. Three four. Five six.", 12, "Five six."),
            ("One two. Three four. Five six.", 10, "Five six."),
            ("첫 문장입니다. 둘째 문장입니다. 셋째 문장입니다.", 10, "셋째 문장입니다."),
            ("一つ目。二つ目。三つ目。", 5, "三つ目。"),
            ("a title\nthe last line of it", 20, "the last line of it"),
            ("abcdefghijklmnopqrstuvwxyz", 5, "vwxyz"),
            ("😀😀😀😀😀😀", 2, "😀😀"),
        ];
        for (text, max_chars, expected) in cases {
            assert_eq!(last_words(text, max_chars), expected, "{text}");
        }
    }
}
