//! Whether a branch may begin as a fork of the session that its parent's engine keeps.

use crate::domain::session::nearly_full;
use crate::model::engine::{EngineId, ForkCap};
use crate::model::id::MessageId;
use crate::model::message::Message;
use crate::model::record::{EngineSession, TurnRecord};
use crate::model::turn::{Fork, StopReason, TurnState};

/// What is known where a branch left its parent.
#[derive(Clone, Copy, Debug)]
pub struct ForkFacts<'a> {
    /// The engine that is to answer in the branch, and what it can do.
    pub engine: &'a EngineId,
    pub cap: ForkCap,
    pub checkpoint: &'a Message,
    /// The message right before it.
    pub before: Option<MessageId>,
    /// The turns of the parent, in any order.
    pub turns: &'a [TurnRecord],
    /// The session that the engine keeps for the parent now.
    pub kept: Option<&'a EngineSession>,
}

/// The fork that holds what was said up to the checkpoint, itself included, and nothing after it.
///
/// `None` = there is no such place in a session of this engine, so the branch must be told in words.
pub fn plan_fork(facts: ForkFacts<'_>) -> Option<Fork> {
    let answered = facts.turns.iter().find(|turn| turn.answer == Some(facts.checkpoint.id))?;
    let is_whole = answered.state == TurnState::Done && answered.stop == Some(StopReason::Completed);
    if !is_whole || answered.seat.engine != *facts.engine {
        return None;
    }
    // Given again: the session never held the answers that stand between it and the request.
    if facts.before != Some(answered.user_message) {
        return None;
    }
    // A session that was left, e.g. since a message was deleted, still holds the old words.
    let kept = facts.kept.filter(|kept| answered.session.as_ref() == Some(&kept.session))?;
    let point = match facts.cap {
        ForkCap::None => return None,
        ForkCap::AtTurn => Some(answered.fork_point.clone()?),
        ForkCap::AtEnd => {
            let went_on = facts.turns.iter().any(|turn| {
                turn.id > answered.id && (turn.seat.engine == *facts.engine || turn.state.is_live())
            });
            if went_on || kept.delivered_seq != facts.checkpoint.seq || nearly_full(kept) {
                return None;
            }
            None
        }
    };
    let window = answered.usage.as_ref();
    let at_point = EngineSession {
        window_used_tokens: window.and_then(|used| used.window_used_tokens),
        window_tokens: window.and_then(|used| used.window_tokens),
        ..kept.clone()
    };
    (!nearly_full(&at_point)).then(|| Fork { session: kept.session.clone(), point })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::id::{ConversationId, TurnId};
    use crate::model::message::{Author, MessageState};
    use crate::model::project::SeatChoice;
    use crate::model::turn::Usage;

    fn engine() -> EngineId {
        EngineId::new("x")
    }

    /// Turn 1 has the answer 11, turn 2 the answer 21, and so on.
    fn turn(number: i64) -> TurnRecord {
        TurnRecord {
            id: TurnId(number),
            conversation: ConversationId(1),
            user_message: MessageId(number * 10),
            answer: Some(MessageId(number * 10 + 1)),
            seat: SeatChoice::new(engine()),
            state: TurnState::Done,
            started_ms: 0,
            ended_ms: Some(1),
            stop: Some(StopReason::Completed),
            failure: None,
            usage: None,
            session: Some("s".into()),
            fork_point: Some(format!("p{number}")),
        }
    }

    fn message(id: i64) -> Message {
        Message {
            id: MessageId(id),
            conversation: ConversationId(1),
            seq: id,
            author: Author::User,
            created_ms: 0,
            state: MessageState::Complete,
            items: Vec::new(),
            turn: None,
            duration_ms: None,
            usage: None,
            revision: 0,
            unsaved: false,
        }
    }

    fn kept() -> EngineSession {
        EngineSession {
            conversation: ConversationId(1),
            engine: engine(),
            session: "s".into(),
            delivered_seq: 31,
            fixed_hash: String::new(),
            sections: std::collections::BTreeMap::new(),
            turns: 3,
            window_used_tokens: None,
            window_tokens: None,
            updated_ms: 0,
        }
    }

    fn planned(
        cap: ForkCap,
        checkpoint: i64,
        change: impl Fn(&mut Vec<TurnRecord>, &mut EngineSession),
    ) -> Option<(String, Option<String>)> {
        let (mut turns, mut kept) = (vec![turn(1), turn(2), turn(3)], kept());
        change(&mut turns, &mut kept);
        let facts = ForkFacts {
            engine: &engine(),
            cap,
            checkpoint: &message(checkpoint),
            before: Some(MessageId(checkpoint / 10 * 10)),
            turns: &turns,
            kept: Some(&kept),
        };
        plan_fork(facts).map(|fork| (fork.session, fork.point))
    }

    #[test]
    fn where_a_branch_forks() {
        use ForkCap::{AtEnd, AtTurn};
        let at = |point: &str| Some(("s".to_owned(), Some(point.to_owned())));
        assert_eq!(planned(AtTurn, 21, |_, _| {}), at("p2"));
        assert_eq!(planned(AtTurn, 31, |_, _| {}), at("p3"));
        assert_eq!(planned(AtEnd, 31, |_, _| {}), Some(("s".to_owned(), None)));
        assert_eq!(planned(ForkCap::None, 31, |_, _| {}), None);
        assert_eq!(planned(AtEnd, 21, |_, _| {}), None, "the session went on");
        assert_eq!(planned(AtTurn, 20, |_, _| {}), None, "words of the user end no turn");
    }

    type Change = fn(&mut Vec<TurnRecord>, &mut EngineSession);

    #[test]
    fn what_stands_against_it() {
        let full = Usage { window_used_tokens: Some(90), window_tokens: Some(100), ..Usage::default() };
        assert_eq!(planned(ForkCap::AtTurn, 21, |turns, _| turns[1].usage = Some(full.clone())), None);
        let cases: [(&str, Change); 6] = [
            ("another engine", |turns, _| turns[1].seat.engine = EngineId::new("y")),
            ("no point told", |turns, _| turns[1].fork_point = None),
            ("no session told", |turns, _| turns[1].session = None),
            ("the session was left", |_, kept| kept.session = "s2".into()),
            ("it was stopped", |turns, _| turns[1].state = TurnState::Stopped),
            ("it was cut", |turns, _| turns[1].stop = Some(StopReason::MaxTokens)),
        ];
        for (what, change) in cases {
            assert_eq!(planned(ForkCap::AtTurn, 21, change), None, "{what}");
        }
        let at_end: [(&str, Change); 4] = [
            ("a prompt is on its way", |turns, _| {
                turns.push(TurnRecord { state: TurnState::Running, answer: Some(MessageId(41)), ..turn(4) });
            }),
            ("a turn failed since", |turns, _| {
                turns.push(TurnRecord { state: TurnState::Failed, ..turn(4) });
            }),
            ("not all is delivered", |_, kept| kept.delivered_seq = 30),
            ("it is nearly full", |_, kept| {
                (kept.window_used_tokens, kept.window_tokens) = (Some(90), Some(100));
            }),
        ];
        for (what, change) in at_end {
            assert_eq!(planned(ForkCap::AtEnd, 31, change), None, "{what}");
        }
        assert!(planned(ForkCap::AtTurn, 21, |turns, _| turns.truncate(2)).is_some());
    }
}
