//! What the hands tell the mind, after it is committed: changes, and how a
//! tab's connection fares.

use crate::account::Account;
use crate::contacts::FoundContact;
use crate::email::MailAccount;
use crate::fetches::{Fetch, FetchOutcome};
use crate::ids::{ChannelId, ConversationId, RowId};
use crate::leader::Leader;
use crate::outbox::StopReason;
use crate::text::SafeText;
use crate::time::Timestamp;
use crate::unreadable::UnreadableList;
use crate::webhook_status::WebhookStatus;

/// How a tab's connection, in the states its words come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// Nothing has answered yet.
    Connecting,
    /// The last poll was answered then.
    Live { at: Timestamp },
    /// A read has had no answer since then, and may still have one.
    Silent { since: Timestamp },
    /// No answer since then: no name, no route, refused, timed out.
    Offline {
        since: Timestamp,
        /// What went wrong, in words.
        why: SafeText,
    },
    /// Answers, but not with what the interface promises: HTML, truncated
    /// JSON, 5xx.
    Trouble {
        since: Timestamp,
        /// What came instead, in words.
        why: SafeText,
    },
    /// The server asks to wait.
    Limited {
        /// Until when.
        until: Timestamp,
    },
    /// The key is not taken: missing, unknown or revoked. Polling has stopped.
    Refused { code: SafeText, why: SafeText },
    /// Cannot work as configured (a redirect, a certificate, a wrong scheme).
    /// Polling has stopped.
    Misconfigured { why: SafeText },
}

impl Health {
    /// Moves its times along with a wall clock that was set forwards by
    /// `step` microseconds (back if negative), so that ages stay true.
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

/// One thing that has become true.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// The connection's state changed, or was proved again.
    Health(ChannelId, Health),
    /// The account was read.
    Account(ChannelId, Box<Account>),
    /// The balance of the channel's workspace, as a send's answer told it.
    Credits(ChannelId, f64),
    /// A broadcast of the tab, or how far one has come, changed.
    Campaigns(ChannelId),
    /// Something a person must hear of, wherever they look: a broadcast
    /// waits, stalls, or is through.
    Alarm(ChannelId, SafeText),
    /// Rows of the tab's list changed.
    Conversations(ChannelId),
    /// Messages, marks or outbox rows of one conversation changed.
    History(ChannelId, ConversationId),
    /// New inbound messages were stored for the first time, none of them in
    /// a first baseline: ring for them.
    Inbound(ChannelId, ConversationId),
    /// A pane is not for this key (403): a note, never polled again.
    NotForThisKey(ChannelId, SafeText),
    /// A pane's list is not on this server (404): a note, not polled again.
    NotOnThisServer(ChannelId, SafeText),
    /// Something worth a line in the status, such as a thread that stays as it was.
    Notice(ChannelId, Option<ConversationId>, SafeText),
    /// A row of the outbox asks a person: which one and how it stands, in
    /// words, and why.
    Stopped(ChannelId, RowId, StopReason, SafeText, SafeText),
    /// A row has left the outbox: nothing is asked about it any more.
    RowRemoved(ChannelId, RowId),
    /// Contacts the server found by these words that have no conversation here.
    FoundContacts(ChannelId, String, Vec<FoundContact>),
    /// A row of the outbox was done, in words for the person who waits for it.
    RowCompleted(ChannelId, RowId, SafeText),
    /// The webhooks of the key may be others now.
    Webhooks(ChannelId),
    /// The state of webhook deliveries.
    WebhookStatus(ChannelId, Box<WebhookStatus>),
    /// What a page asked for has come, or why it has not.
    Fetched(ChannelId, Fetch, FetchOutcome),
    /// The account behind a mail key was read.
    Mailbox(ChannelId, Box<MailAccount>),
    /// Correspondents were read.
    Correspondents(ChannelId, String),
    /// A mail that left from here stands in this thread; before, it was this
    /// conversation's.
    Mailed(ChannelId, ConversationId, ConversationId),
    /// A list of the tab was read: what of it could not be, as it came.
    Unreadable(ChannelId, UnreadableList, Vec<String>),
    /// The tab's list of templates was read.
    Templates(ChannelId),
    /// A row's file is so many percent uploaded; `None`: whole, or no more.
    Uploading(ChannelId, RowId, Option<u8>),
    /// Another process sends for the channel now, or this one.
    Leader(ChannelId, Leader),
    /// Which other process sends for the channel once this one ends, if one
    /// runs.
    Successor(ChannelId, Option<SafeText>),
    /// Share of the read budget in use, in percent of 300 a minute.
    Budget(ChannelId, u8),
}
