//! How the next turn meets the engine's own session: warm, resumed, or fresh with the full pack.

use std::collections::BTreeMap;

use crate::model::engine::EngineCaps;
use crate::model::pack::SectionId;
use crate::model::record::EngineSession;

/// Part of the model's window, in percent, after which a session is left for a fresh one before it breaks.
const ROTATE_AT_PERCENT: u64 = 85;

/// What a turn does about the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionPlan {
    /// A new session gets the full pack. `notice` says why an old one was left, if one was.
    Fresh { notice: Option<&'static str> },
    /// The engine goes on in its session; only what is newer is sent.
    /// `resume` is its id; a warm process that holds it needs no resuming.
    Continue {
        resume: String,
        delivered_seq: i64,
        fixed_hash: String,
        /// Hash of each other section it holds.
        sections: BTreeMap<SectionId, String>,
    },
}

/// Decides by what is kept (`session`), what a live process holds (`warm`), and what the engine can do.
pub fn plan_session(
    session: Option<&EngineSession>,
    warm: Option<&str>,
    caps: &EngineCaps,
    force_fresh: bool,
) -> SessionPlan {
    let Some(session) = session else { return SessionPlan::Fresh { notice: None } };
    if force_fresh {
        return SessionPlan::Fresh { notice: None };
    }
    if nearly_full(session) {
        return SessionPlan::Fresh {
            notice: Some("The engine's session was nearly full. A new one starts with the full context."),
        };
    }
    if warm == Some(session.session.as_str()) || caps.resume {
        return SessionPlan::Continue {
            resume: session.session.clone(),
            delivered_seq: session.delivered_seq,
            fixed_hash: session.fixed_hash.clone(),
            sections: session.sections.clone(),
        };
    }
    SessionPlan::Fresh { notice: None }
}

/// True when the model's window is so full that a session should be left.
pub(in crate::domain) fn nearly_full(session: &EngineSession) -> bool {
    match (session.window_used_tokens, session.window_tokens) {
        (Some(used), Some(window)) if window > 0 => used.saturating_mul(100) / window >= ROTATE_AT_PERCENT,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::engine::{EngineId, ForkCap, PermissionCap};
    use crate::model::id::ConversationId;

    fn caps(resume: bool) -> EngineCaps {
        EngineCaps {
            stream: true,
            tools: true,
            permissions: PermissionCap::Asks,
            resume,
            fork: ForkCap::None,
            system_apart: false,
            images: false,
            usage: true,
            cost: false,
            mcp: false,
            warm: true,
        }
    }

    fn kept(used: Option<u64>) -> EngineSession {
        EngineSession {
            conversation: ConversationId(1),
            engine: EngineId::new("x"),
            session: "s-1".into(),
            delivered_seq: 7,
            fixed_hash: "h".into(),
            sections: [(SectionId::Plan, "p".to_owned())].into(),
            turns: 1,
            window_used_tokens: used,
            window_tokens: Some(100),
            updated_ms: 0,
        }
    }

    fn goes_on() -> SessionPlan {
        SessionPlan::Continue {
            resume: "s-1".into(),
            delivered_seq: 7,
            fixed_hash: "h".into(),
            sections: [(SectionId::Plan, "p".to_owned())].into(),
        }
    }

    #[test]
    fn decisions() {
        let fresh = SessionPlan::Fresh { notice: None };
        assert_eq!(plan_session(None, None, &caps(true), false), fresh);
        assert_eq!(plan_session(Some(&kept(None)), None, &caps(true), false), goes_on());
        assert_eq!(plan_session(Some(&kept(None)), Some("s-1"), &caps(false), false), goes_on());
        // Another session in the warm process, or none, and no way to resume: start afresh.
        assert_eq!(plan_session(Some(&kept(None)), Some("s-2"), &caps(false), false), fresh);
        assert_eq!(plan_session(Some(&kept(None)), None, &caps(false), false), fresh);
        assert_eq!(plan_session(Some(&kept(None)), Some("s-1"), &caps(true), true), fresh);
    }

    #[test]
    fn a_nearly_full_session_is_left_before_it_breaks() {
        assert_eq!(plan_session(Some(&kept(Some(84))), None, &caps(true), false), goes_on());
        assert!(matches!(
            plan_session(Some(&kept(Some(85))), Some("s-1"), &caps(true), false),
            SessionPlan::Fresh { notice: Some(_) }
        ));
    }
}
