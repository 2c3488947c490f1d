//! What a person wants changed at the server.

use model::account::Platform;
use model::ids::{ChannelId, ConversationId};
use model::messages::HistoryPosition;
use model::outbox::Operation;
use model::time::Timestamp;

/// One change a person wants, before it has a key and bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    pub channel: ChannelId,
    /// The platform behind the tab: decides the request.
    pub platform: Platform,
    pub conversation: ConversationId,
    pub operation: Operation,
    /// Microseconds in which it can be taken back.
    pub hold: i64,
    /// For a text: the newest message its writer has had on screen.
    pub seen: Option<HistoryPosition>,
    /// When it shall leave; `None`: once its hold has ended.
    pub planned_at: Option<Timestamp>,
}
