//! One newtype per id, so that a conversation is never taken for a message.
//!
//! Ids are positive numbers handed out by one counter per database and carry no meaning.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    )*};
}

ids! {
    /// A folder the agents work in, with all its conversations.
    ProjectId,
    /// An ordered list of messages.
    ConversationId,
    /// What somebody said at one time: the user, an agent, or the app itself.
    MessageId,
    /// An agent asked once, up to the end of its answer.
    TurnId,
    /// A message that waits until the running turn ends.
    QueuedId,
    /// A notice shown to the user.
    NoticeId,
    /// One text lookup in a conversation.
    FindId,
    /// A plan of work.
    PlanId,
    /// Something a review found.
    FindingId,
    /// A decision that later requests should know.
    AgreementId,
    /// A text worth keeping.
    ArtifactId,
    /// One topic of compressed memory.
    TopicId,
}
