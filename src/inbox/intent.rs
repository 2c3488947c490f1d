//! Change requests of a person.

use model::account::Platform;
use model::ids::{ChannelId, ConversationId};
use model::messages::HistoryPosition;
use model::outbox::Operation;
use model::time::Timestamp;

/// One change a person wants, before it has a key and bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    pub channel: ChannelId,
    /// Platform of the tab; decides the request.
    pub platform: Platform,
    pub conversation: ConversationId,
    pub operation: Operation,
    /// Hold in microseconds.
    pub hold: i64,
    /// For a message that may cross another's answer: the newest message its writer has had on screen.
    pub seen: Option<HistoryPosition>,
    /// Planned time; `None` sends after the hold.
    pub planned_at: Option<Timestamp>,
}
