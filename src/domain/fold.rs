//! Folds what an engine says into the items of a message. Pure; text is never lost and never doubled.

use crate::model::message::{Item, ItemBody, MAX_TOOL_OUTPUT_CHARS, ToolState};
use crate::model::turn::TurnEvent;

/// Applies an item event; `false` when nothing changed or the event is not about items.
pub fn fold_item(items: &mut Vec<Item>, event: &TurnEvent) -> bool {
    match event {
        TurnEvent::ItemStarted { key, body } | TurnEvent::ItemReplaced { key, body } => {
            replace(items, key, body.clone())
        }
        TurnEvent::ItemDelta { key, delta } => append(items, key, delta),
        TurnEvent::ItemWithdrawn { key } => {
            let before = items.len();
            items.retain(|item| &item.key != key);
            items.len() != before
        }
        TurnEvent::Packed { .. }
        | TurnEvent::Started { .. }
        | TurnEvent::Phase(_)
        | TurnEvent::PermissionAsked(_)
        | TurnEvent::PermissionGone { .. }
        | TurnEvent::Usage(_)
        | TurnEvent::Limit(_)
        | TurnEvent::Notice { .. }
        | TurnEvent::Models(_)
        | TurnEvent::Forks(_)
        | TurnEvent::ForkPoint(_)
        | TurnEvent::Finished(_)
        | TurnEvent::Failed(_) => false,
    }
}

fn replace(items: &mut Vec<Item>, key: &str, body: ItemBody) -> bool {
    match items.iter_mut().find(|item| item.key == key) {
        Some(item) if item.body == body => false,
        Some(item) => {
            item.body = body;
            true
        }
        None => {
            items.push(Item { key: key.to_owned(), body });
            true
        }
    }
}

fn append(items: &mut Vec<Item>, key: &str, delta: &str) -> bool {
    if delta.is_empty() {
        return false;
    }
    // The growing item is nearly always the last one.
    match items.iter_mut().rev().find(|item| item.key == key) {
        Some(item) => match &mut item.body {
            ItemBody::Text { text } | ItemBody::Thinking { text } => text.push_str(delta),
            ItemBody::Tool(tool) => append_output(&mut tool.output, delta),
            ItemBody::Notice { text, .. } => text.push_str(delta),
            ItemBody::Plan { .. } | ItemBody::Adopted(_) | ItemBody::Permission { .. } => return false,
        },
        // A piece for an item that was never announced is still somebody's words.
        None => items.push(Item { key: key.to_owned(), body: ItemBody::Text { text: delta.to_owned() } }),
    }
    true
}

/// Tool output is bounded; the cut is named once.
fn append_output(output: &mut String, delta: &str) {
    const MARK: &str = "\n… output over the limit is not kept";
    if output.ends_with(MARK) {
        return;
    }
    // Bytes bound characters from above, so the exact count is taken only near the limit.
    if output.len() + delta.len() <= MAX_TOOL_OUTPUT_CHARS {
        output.push_str(delta);
        return;
    }
    let room = MAX_TOOL_OUTPUT_CHARS.saturating_sub(output.chars().count());
    if delta.chars().count() <= room {
        output.push_str(delta);
    } else {
        output.extend(delta.chars().take(room));
        output.push_str(MARK);
    }
}

/// Nothing of an ended turn stays "running": tools that never reported back are marked.
pub(in crate::domain) fn settle(items: &mut [Item], state: ToolState) {
    for item in items {
        match &mut item.body {
            ItemBody::Tool(tool) if matches!(tool.state, ToolState::Pending | ToolState::Running) => {
                tool.state = state;
            }
            ItemBody::Permission { outcome, .. } if outcome.is_none() => {
                *outcome = Some(crate::model::message::PermissionOutcome::Gone);
            }
            ItemBody::Tool(_)
            | ItemBody::Permission { .. }
            | ItemBody::Text { .. }
            | ItemBody::Thinking { .. }
            | ItemBody::Plan { .. }
            | ItemBody::Adopted(_)
            | ItemBody::Notice { .. } => {}
        }
    }
}

/// Characters of all items, as kept in the index.
pub(in crate::domain) fn chars_of(items: &[Item]) -> u32 {
    let total: usize = items
        .iter()
        .map(|item| match &item.body {
            ItemBody::Text { text } | ItemBody::Thinking { text } | ItemBody::Notice { text, .. } => {
                text.chars().count()
            }
            ItemBody::Tool(tool) => tool.title.chars().count() + tool.output.chars().count(),
            ItemBody::Plan { entries } => entries.iter().map(|entry| entry.text.chars().count()).sum(),
            ItemBody::Adopted(card) => card.text.chars().count(),
            ItemBody::Permission { request, .. } => {
                request.command.as_ref().map_or(0, |command| command.chars().count())
            }
        })
        .sum();
    u32::try_from(total).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::message::ToolCall;

    fn text(key: &str, body: &str) -> Item {
        Item { key: key.into(), body: ItemBody::Text { text: body.into() } }
    }

    #[test]
    fn deltas_then_the_whole_are_one_copy() {
        let mut items = Vec::new();
        for event in [
            TurnEvent::ItemDelta { key: "m:0".into(), delta: "안녕".into() },
            TurnEvent::ItemDelta { key: "m:0".into(), delta: " world".into() },
            TurnEvent::ItemReplaced {
                key: "m:0".into(), body: ItemBody::Text { text: "안녕 world".into() }
            },
        ] {
            fold_item(&mut items, &event);
        }
        assert_eq!(items, vec![text("m:0", "안녕 world")]);
    }

    #[test]
    fn identical_answers_under_two_keys_stay_two() {
        let mut items = Vec::new();
        for key in ["a", "b"] {
            let body = ItemBody::Text { text: "same".into() };
            fold_item(&mut items, &TurnEvent::ItemReplaced { key: key.into(), body });
        }
        assert_eq!(items.len(), 2);
    }

    #[test]
    fn withdrawn_text_leaves_and_others_stay() {
        let mut items = vec![text("a", "keep"), text("b", "void")];
        assert!(fold_item(&mut items, &TurnEvent::ItemWithdrawn { key: "b".into() }));
        assert_eq!(items, vec![text("a", "keep")]);
    }

    #[test]
    fn tool_output_is_bounded_in_characters_and_says_so_once() {
        let mut output = "가".repeat(MAX_TOOL_OUTPUT_CHARS - 1);
        append_output(&mut output, "나다");
        append_output(&mut output, "라");
        let marks = output.matches("over the limit").count();
        assert_eq!((marks, output.contains('다'), output.contains('나')), (1, false, true));
    }

    #[test]
    fn settling_leaves_no_open_tool_or_question() {
        let mut items = vec![Item {
            key: "t".into(),
            body: ItemBody::Tool(ToolCall { state: ToolState::Running, ..ToolCall::default() }),
        }];
        settle(&mut items, ToolState::Stopped);
        let ItemBody::Tool(tool) = &items[0].body else { panic!("a tool") };
        assert_eq!(tool.state, ToolState::Stopped);
    }
}
