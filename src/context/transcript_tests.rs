use super::{Detail, body, label, one_line, speaker};
use crate::context::fence::open_at_end;
use crate::model::engine::EngineId;
use crate::model::id::{ConversationId, MessageId};
use crate::model::message::{
    Author, Item, ItemBody, Message, MessageState, NoticeLevel, ToolCall, ToolState,
};

fn agent() -> Author {
    Author::Agent {
        engine: EngineId::new("codex"),
        model: Some("m".to_owned()),
        name: "Codex".to_owned(),
        role: Some("Reviewer".to_owned()),
    }
}

fn message(author: Author, state: MessageState, bodies: Vec<ItemBody>) -> Message {
    let items = bodies.into_iter().enumerate().map(|(at, body)| Item { key: at.to_string(), body }).collect();
    Message {
        id: MessageId(1),
        conversation: ConversationId(1),
        seq: 1,
        author,
        created_ms: 0,
        state,
        items,
        turn: None,
        duration_ms: None,
        usage: None,
        revision: 0,
        unsaved: false,
    }
}

fn text(text: &str) -> ItemBody {
    ItemBody::Text { text: text.to_owned() }
}

fn tool() -> ItemBody {
    ItemBody::Tool(ToolCall {
        name: "Bash".to_owned(),
        title: "cargo test".to_owned(),
        state: ToolState::Failed,
        output: "line one\nline ```two".to_owned(),
        exit_code: Some(101),
        ..ToolCall::default()
    })
}

#[test]
fn thinking_and_notices_stay_out_and_tools_are_text() {
    let said = message(
        agent(),
        MessageState::Complete,
        vec![
            ItemBody::Thinking { text: "SECRET".to_owned() },
            text("Let me look."),
            tool(),
            ItemBody::Notice { level: NoticeLevel::Info, text: "NOTICE".to_owned() },
            text("Two tests fail."),
        ],
    );
    assert_eq!(
        body(&said, Detail::Results),
        "Let me look.\n\n[Bash: cargo test — exit code 101]\n````\nline one\nline ```two\n````\n\nTwo tests fail."
    );
    assert_eq!(
        body(&said, Detail::Words),
        "Let me look.\n\n[Bash: cargo test — exit code 101 — output: 2 lines, 20 characters]\n\nTwo tests fail."
    );
}

#[test]
fn long_code_is_pruned_from_agents_only() {
    let code = format!("See:\n```rust\n{}```\nDone.", "let a = 1;\n".repeat(31));
    let short = format!("```\n{}```", "x\n".repeat(30));
    let of = |author: Author, words: &str| {
        body(&message(author, MessageState::Complete, vec![text(words)]), Detail::Pruned)
    };
    assert_eq!(of(agent(), &code), "See:\n[code, rust: 31 lines, 353 characters]\nDone.");
    assert_eq!(of(agent(), &short), short);
    assert_eq!(of(Author::User, &code), code);
}

#[test]
fn states_are_said_and_fences_closed() {
    let stopped = message(agent(), MessageState::Stopped, vec![text("```\nfn a(")]);
    assert_eq!(body(&stopped, Detail::Words), "```\nfn a(\n```\n\n[stopped by the user here]");
    assert!(open_at_end(&body(&stopped, Detail::Pruned)).is_none());
    let damaged = message(agent(), MessageState::Damaged { why: "x".to_owned() }, Vec::new());
    assert_eq!(body(&damaged, Detail::Results), "");
}

#[test]
fn labels() {
    assert_eq!(label(&Author::User), "User");
    assert_eq!(label(&agent()), "Codex · codex · Reviewer");
    assert_eq!(speaker(&Author::User), None);
    assert_eq!(speaker(&agent()), Some("Codex"));
    assert_eq!(one_line(" a\n b\t c "), "a b c");
    assert_eq!(one_line(&"x".repeat(500)).chars().count(), 200);
}
