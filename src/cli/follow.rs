//! From the growing answer to what is new in it. Pure; no word comes twice and none is lost.

use crate::model::message::{Item, ItemBody, NoticeLevel, PermissionOutcome, PlanEntry, ToolCall, ToolState};
use crate::model::turn::PermissionRequest;

/// One thing that is new.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// More text at the end of an item.
    Text {
        key: String,
        delta: String,
    },
    /// The item's text is another now.
    TextReplaced {
        key: String,
        text: String,
    },
    /// What was said under this key is void.
    Withdrawn {
        key: String,
    },
    Thinking {
        key: String,
        delta: String,
    },
    ThinkingReplaced {
        key: String,
        text: String,
    },
    /// A call was made, or its state changed; output only from its end on.
    Tool {
        key: String,
        call: Box<ToolCall>,
    },
    Plan {
        key: String,
        entries: Vec<PlanEntry>,
    },
    Notice {
        level: NoticeLevel,
        text: String,
    },
    Permission {
        request: Box<PermissionRequest>,
        outcome: Option<PermissionOutcome>,
    },
}

/// What has been told of one answer.
#[derive(Debug, Default)]
pub struct Follow {
    told: Vec<(String, Told)>,
}

#[derive(Debug, PartialEq)]
enum Told {
    Text(String),
    Thinking(String),
    /// Without the output of a call that still runs.
    Other(ItemBody),
}

impl Follow {
    /// What is new in `items` since the last step.
    pub fn step(&mut self, items: &[Item]) -> Vec<Said> {
        let mut said = Vec::new();
        self.told.retain(|(key, told)| {
            let stays = items.iter().any(|item| &item.key == key);
            if !stays && matches!(told, Told::Text(_) | Told::Thinking(_)) {
                said.push(Said::Withdrawn { key: key.clone() });
            }
            stays
        });
        for item in items {
            match self.told.iter_mut().find(|(key, _)| *key == item.key) {
                Some((key, told)) => said.extend(told.change(key, &item.body)),
                None => {
                    let mut told = Told::nothing(&item.body);
                    said.extend(told.change(&item.key, &item.body));
                    self.told.push((item.key.clone(), told));
                }
            }
        }
        said
    }
}

impl Told {
    fn nothing(body: &ItemBody) -> Self {
        match body {
            ItemBody::Text { .. } => Self::Text(String::new()),
            ItemBody::Thinking { .. } => Self::Thinking(String::new()),
            _ => Self::Other(ItemBody::Text { text: String::new() }),
        }
    }

    fn change(&mut self, key: &str, body: &ItemBody) -> Option<Said> {
        let key = key.to_owned();
        match (&mut *self, body) {
            (Self::Text(told), ItemBody::Text { text }) => Some(match grow(told, text)? {
                Grown::By(delta) => Said::Text { key, delta },
                Grown::Anew => Said::TextReplaced { key, text: text.clone() },
            }),
            (Self::Thinking(told), ItemBody::Thinking { text }) => Some(match grow(told, text)? {
                Grown::By(delta) => Said::Thinking { key, delta },
                Grown::Anew => Said::ThinkingReplaced { key, text: text.clone() },
            }),
            (Self::Other(told), _) if !matches!(body, ItemBody::Text { .. } | ItemBody::Thinking { .. }) => {
                if same(told, body) {
                    return None;
                }
                *told = without_growth(body);
                Some(say(key, told))
            }
            // The item became one of another kind.
            (_, _) => {
                *self = Self::nothing(body);
                self.change(&key, body)
            }
        }
    }
}

enum Grown {
    By(String),
    Anew,
}

fn grow(told: &mut String, text: &str) -> Option<Grown> {
    if told == text {
        return None;
    }
    if let Some(delta) = text.strip_prefix(told.as_str()) {
        let delta = delta.to_owned();
        told.push_str(&delta);
        return Some(Grown::By(delta));
    }
    text.clone_into(told);
    Some(Grown::Anew)
}

fn runs(call: &ToolCall) -> bool {
    matches!(call.state, ToolState::Pending | ToolState::Running)
}

/// True when nothing worth telling changed; the output of a running call may have grown.
fn same(told: &ItemBody, body: &ItemBody) -> bool {
    match (told, body) {
        (ItemBody::Tool(told), ItemBody::Tool(now)) if runs(told) && runs(now) => {
            told.state == now.state
                && told.title == now.title
                && told.name == now.name
                && told.input == now.input
        }
        (told, body) => told == body,
    }
}

fn without_growth(body: &ItemBody) -> ItemBody {
    match body {
        ItemBody::Tool(call) if runs(call) => ItemBody::Tool(ToolCall {
            name: call.name.clone(),
            kind: call.kind,
            title: call.title.clone(),
            input: call.input.clone(),
            state: call.state,
            ..ToolCall::default()
        }),
        other => other.clone(),
    }
}

fn say(key: String, body: &ItemBody) -> Said {
    match body.clone() {
        ItemBody::Text { text } => Said::Text { key, delta: text },
        ItemBody::Adopted(card) => Said::Text { key, delta: card.markdown() },
        ItemBody::Thinking { text } => Said::Thinking { key, delta: text },
        ItemBody::Tool(call) => Said::Tool { key, call: Box::new(call) },
        ItemBody::Plan { entries } => Said::Plan { key, entries },
        ItemBody::Notice { level, text } => Said::Notice { level, text },
        ItemBody::Permission { request, outcome } => Said::Permission { request: Box::new(request), outcome },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(key: &str, text: &str) -> Item {
        Item { key: key.into(), body: ItemBody::Text { text: text.into() } }
    }

    #[test]
    fn text_is_told_once() {
        let mut follow = Follow::default();
        for (items, expected) in [
            (vec![text("a", "안")], vec![Said::Text { key: "a".into(), delta: "안".into() }]),
            (vec![text("a", "안녕")], vec![Said::Text { key: "a".into(), delta: "녕".into() }]),
            (vec![text("a", "안녕")], vec![]),
            (
                vec![text("a", "안녕"), text("b", "x")],
                vec![Said::Text { key: "b".into(), delta: "x".into() }],
            ),
            (
                vec![text("a", "other"), text("b", "x")],
                vec![Said::TextReplaced { key: "a".into(), text: "other".into() }],
            ),
            (vec![text("b", "x")], vec![Said::Withdrawn { key: "a".into() }]),
        ] {
            assert_eq!(follow.step(&items), expected);
        }
    }

    #[test]
    fn a_call_is_told_when_it_begins_and_when_it_ends() {
        let call = |state, output: &str| Item {
            key: "t".into(),
            body: ItemBody::Tool(ToolCall { state, output: output.into(), ..ToolCall::default() }),
        };
        let mut follow = Follow::default();
        let counts: Vec<usize> = [
            call(ToolState::Running, ""),
            call(ToolState::Running, "more"),
            call(ToolState::Done, "more and all"),
            call(ToolState::Done, "more and all"),
        ]
        .into_iter()
        .map(|item| follow.step(&[item]).len())
        .collect();
        assert_eq!(counts, [1, 0, 1, 0]);
    }

    proptest! {
        #[test]
        fn pieces_add_up_whatever_the_steps(pieces in prop::collection::vec(("[ab]", ".{0,6}"), 0..40)) {
            let mut follow = Follow::default();
            let mut items: Vec<Item> = Vec::new();
            let mut heard: Vec<(String, String)> = Vec::new();
            for (key, piece) in pieces {
                match items.iter_mut().find(|item| item.key == key) {
                    Some(Item { body: ItemBody::Text { text }, .. }) => text.push_str(&piece),
                    _ => items.push(text(&key, &piece)),
                }
                for said in follow.step(&items) {
                    let Said::Text { key, delta } = said else { panic!("only text grows here: {said:?}") };
                    match heard.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, text)) => text.push_str(&delta),
                        None => heard.push((key, delta)),
                    }
                }
            }
            for item in &items {
                let ItemBody::Text { text } = &item.body else { continue };
                let all = heard.iter().find(|(key, _)| *key == item.key).map_or("", |(_, text)| text.as_str());
                prop_assert_eq!(all, text.as_str());
            }
        }
    }
}
