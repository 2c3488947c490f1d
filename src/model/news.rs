//! News: reports of sync and store to the inbox after a commit, and the state of a tab's
//! connection.

use crate::account::Account;
use crate::contacts::FoundContact;
use crate::email::MailAccount;
use crate::fetches::{Fetch, FetchOutcome};
use crate::ids::{ChannelId, ConversationId, RowId};
use crate::leader::Leader;
use crate::outbox::StopReason;
use crate::team::{Presence, TeamPerson, TeamStatistics};
use crate::text::SafeText;
use crate::time::Timestamp;
use crate::unreadable::UnreadableList;
use crate::webhook_status::WebhookStatus;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// No answer yet.
    Connecting,
    /// Time of the last successful poll.
    Live { at: Timestamp },
    /// A read has been pending since this time.
    Silent { since: Timestamp },
    /// No answer since this time: name resolution, routing, refused connection or timeout.
    Offline {
        since: Timestamp,
        /// Error text.
        why: SafeText,
    },
    /// Answers violate the interface: HTML, truncated JSON, 5xx.
    Trouble {
        since: Timestamp,
        /// Description of the answer.
        why: SafeText,
    },
    /// The server's rate limit applies.
    Limited {
        /// End of the wait that the server asked for.
        until: Timestamp,
    },
    /// The key is missing, unknown or revoked. Polling has stopped.
    Refused { code: SafeText, why: SafeText },
    /// Cannot work as configured: a redirect, a certificate or a wrong scheme. Polling has stopped.
    Misconfigured { why: SafeText },
}

impl Health {
    /// Shifts the stored times after the wall clock was set forward by `step` microseconds
    /// (negative: back), so that ages stay correct.
    pub fn move_times(&mut self, step: i64) {
        let at = match self {
            Self::Live { at } => at,
            Self::Silent { since } | Self::Offline { since, .. } | Self::Trouble { since, .. } => since,
            Self::Limited { until } => until,
            Self::Connecting | Self::Refused { .. } | Self::Misconfigured { .. } => return,
        };
        *at = at.plus(step);
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// The state of the connection changed or was confirmed.
    Health(ChannelId, Health),
    Account(ChannelId, Box<Account>),
    /// Balance of the workspace, as reported in the answer to a send.
    Credits(ChannelId, f64),
    /// A broadcast of the tab or its progress changed.
    Campaigns(ChannelId),
    /// Shown on every screen: a broadcast is paused, has stalled or is complete.
    Alarm(ChannelId, SafeText),
    /// Rows of the tab's list changed.
    Conversations(ChannelId),
    /// Messages, marks or outbox rows of a conversation changed.
    History(ChannelId, ConversationId),
    /// New inbound messages, not part of the first sync; ring for them.
    Inbound(ChannelId, ConversationId),
    /// The key may not read this list (403); shown as a note, never polled again.
    NotForThisKey(ChannelId, SafeText),
    /// The server does not have this list (404); shown as a note, not polled again.
    NotOnThisServer(ChannelId, SafeText),
    /// Message for the status line, such as a thread change without effect.
    Notice(ChannelId, Option<ConversationId>, SafeText),
    /// An outbox row needs a decision: the row, the reason, the row's state in words, and the
    /// details.
    Stopped(ChannelId, RowId, StopReason, SafeText, SafeText),
    /// A row was removed from the outbox; open questions about it are obsolete.
    RowRemoved(ChannelId, RowId),
    /// Contacts found by the server for a search text, without a conversation here.
    FoundContacts(ChannelId, String, Vec<FoundContact>),
    /// An outbox row was completed; holds a message for its author.
    RowCompleted(ChannelId, RowId, SafeText),
    /// The webhooks of the key may have changed.
    Webhooks(ChannelId),
    WebhookStatus(ChannelId, Box<WebhookStatus>),
    Fetched(ChannelId, Fetch, FetchOutcome),
    Mailbox(ChannelId, Box<MailAccount>),
    Correspondents(ChannelId, String),
    /// A mail sent from here moved from the first conversation to this thread.
    Mailed(ChannelId, ConversationId, ConversationId),
    /// Items of a list that could not be parsed, as received.
    Unreadable(ChannelId, UnreadableList, Vec<String>),
    Templates(ChannelId),
    /// Upload progress of a row in percent; `None` when the upload has ended.
    Uploading(ChannelId, RowId, Option<u8>),
    /// The process that sends for the channel changed.
    Leader(ChannelId, Leader),
    /// The process that takes over sending when this one ends, if one runs.
    Successor(ChannelId, Option<SafeText>),
    /// A new note of the team names this desk's person; holds its author.
    Mention(ChannelId, ConversationId, SafeText),
    /// Colleagues who are here, and where; replaces the former list.
    Present(Vec<Presence>),
    /// Canned replies of the team changed.
    SharedReplies,
    /// People of the team with what they have, or why they could not be read.
    People(Result<Vec<TeamPerson>, SafeText>),
    /// Work of each person of the team since a time, or why it could not be read.
    TeamStatistics {
        since: Timestamp,
        read: Result<TeamStatistics, SafeText>,
    },
    /// Read budget in use, in percent of 300 requests a minute.
    Budget(ChannelId, u8),
}
