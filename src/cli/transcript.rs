//! Conversations read to their first message: `messages` and `export`.

use serde_json::{Value, json};

use crate::api::snapshot::{ConversationView, PAGE_LEN};
use crate::cli::args::{Export, Format, Transcript};
use crate::cli::clock::utc;
use crate::cli::front::Front;
use crate::cli::markdown;
use crate::cli::out::{Failure, Out};
use crate::cli::words;
use crate::model::id::ConversationId;
use crate::model::message::Message;

/// Prints all messages, oldest first.
///
/// # Errors
/// There is no such conversation, or it cannot be read or written out.
pub async fn messages(
    front: &mut Front,
    wish: &Transcript,
    json: bool,
    out: &mut Out,
) -> Result<(), Failure> {
    front.mention_damage();
    let view = front.open_conversation(wish.conversation).await?;
    walk(front, &view, wish.conversation, out, |message, _, out| {
        if json {
            out.json(&words::message(message))
        } else {
            out.text(&markdown::short(message, wish.parts))
        }
    })
    .await
}

/// Writes the conversation out as one document.
///
/// # Errors
/// As [`messages`].
pub async fn export(front: &mut Front, wish: &Export, out: &mut Out) -> Result<(), Failure> {
    front.mention_damage();
    let Transcript { conversation: id, parts } = wish.transcript;
    let view = front.open_conversation(id).await?;
    match wish.format {
        Format::Markdown => {
            out.text(&markdown::title(&view.row.conversation.title))?;
            walk(front, &view, id, out, |message, _, out| out.text(&markdown::message(message, parts))).await
        }
        Format::Json => {
            // In pieces, so that a long conversation needs no room in memory.
            out.text(&format!(
                "{{\"format\":\"tunaflow-conversation\",\"version\":1,\"conversation\":{},\"messages\":[",
                conversation(&view)
            ))?;
            walk(front, &view, id, out, |message, is_first, out| {
                out.text(if is_first { "\n" } else { ",\n" })?;
                out.text(&words::message(message).to_string())
            })
            .await?;
            out.line("\n]}")
        }
    }
}

/// A conversation's row.
pub fn conversation_words(row: &crate::api::snapshot::ConversationRow) -> Value {
    let of = &row.conversation;
    json!({
        "id": of.id,
        "project": of.project,
        "title": of.title,
        "created": utc(of.created_ms),
        "updated": utc(of.updated_ms),
        "archived": of.archived,
        "unread": of.unread,
        "messages": of.message_count,
        "queued": row.queued,
        "state": row.state.map(crate::model::turn::TurnState::word),
        "engine": of.seat.engine,
        "model": of.seat.model,
        "role": of.seat.role,
        "mode": of.seat.mode,
    })
}

fn conversation(view: &ConversationView) -> Value {
    conversation_words(&view.row)
}

/// Every message of the conversation, page by page.
async fn walk(
    front: &mut Front,
    view: &ConversationView,
    id: ConversationId,
    out: &mut Out,
    mut each: impl FnMut(&Message, bool, &mut Out) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let pages = u32::try_from(view.index.len()).unwrap_or(u32::MAX).div_ceil(PAGE_LEN);
    for page in 0..pages {
        for (place, message) in front.page(id, page).await?.iter().enumerate() {
            each(message, page == 0 && place == 0, out)?;
        }
    }
    Ok(())
}
