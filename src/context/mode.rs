//! How much goes into a pack: decided by one pure function, with its reason.

use crate::model::pack::{Mode, ModeReason};

/// From this many messages on, a conversation is long.
pub const LONG_CONVERSATION_MESSAGES: usize = 12;

/// The mode and why, in this order: the user's choice, a long conversation, an active plan, else Lite.
///
/// `messages` counts what was said before the request.
pub fn decide(chosen: Option<Mode>, messages: usize, has_plan: bool) -> (Mode, ModeReason) {
    if let Some(mode) = chosen {
        (mode, ModeReason::UserOverride)
    } else if messages >= LONG_CONVERSATION_MESSAGES {
        (Mode::Standard, ModeReason::LongConversation)
    } else if has_plan {
        (Mode::Standard, ModeReason::HasPlan)
    } else {
        (Mode::Lite, ModeReason::Default)
    }
}

#[cfg(test)]
mod tests {
    use super::decide;
    use crate::model::pack::{Mode, ModeReason};

    #[test]
    fn table() {
        let cases = [
            (None, 0, false, Mode::Lite, ModeReason::Default),
            (None, 11, false, Mode::Lite, ModeReason::Default),
            (None, 12, false, Mode::Standard, ModeReason::LongConversation),
            (None, 12, true, Mode::Standard, ModeReason::LongConversation),
            (None, 3, true, Mode::Standard, ModeReason::HasPlan),
            (Some(Mode::Lite), 500, true, Mode::Lite, ModeReason::UserOverride),
            (Some(Mode::Full), 0, false, Mode::Full, ModeReason::UserOverride),
        ];
        for (chosen, messages, has_plan, mode, reason) in cases {
            assert_eq!(
                decide(chosen, messages, has_plan),
                (mode, reason),
                "{chosen:?} {messages} {has_plan}"
            );
        }
    }
}
