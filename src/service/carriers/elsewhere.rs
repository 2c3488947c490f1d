//! Messages that a person sent outside this service, with the platform's app or dashboard. They are added to
//! the history and take the conversation over.

use crate::chat::send;
use crate::database::channels::ChannelRow;
use crate::database::conversations;
use crate::database::messages::{self, MessageRow};
use crate::errors::ApiError;
use crate::takeover::{self, AutomationSubject};
use crate::write::WriteContext;
use model::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentElsewhere {
    pub platform_id: String,
    /// Customer's address.
    pub to: String,
    pub text: String,
    /// `text`, `image`, …
    pub kind: &'static str,
    /// Send time by the platform's clock.
    pub sent_at: Option<Timestamp>,
}

/// Stores a message sent elsewhere, once. Ignored if the customer has no conversation.
pub fn record_sent_elsewhere(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    sent: SentElsewhere,
) -> Result<(), ApiError> {
    let SentElsewhere { platform_id, to, text, kind, sent_at } = sent;
    let Some(conversation) = conversations::find_by_peer(work.db, &channel.id, &to)? else { return Ok(()) };
    // Telegram message ids are unique only within a chat.
    if messages::read_within(work.db, &conversation.id, &platform_id)?.is_some() {
        return Ok(());
    }
    takeover::record_person_answer(work, AutomationSubject::Chat(&conversation.id))?;
    let stamp = work.stamp();
    let row = MessageRow {
        id: work.id("msg", stamp),
        conversation: conversation.id.clone(),
        channel: channel.id.clone(),
        platform_id,
        direction: "outbound".to_owned(),
        sender: "agent".to_owned(),
        content: text,
        kind: kind.to_owned(),
        media_url: None,
        details: None,
        status: "sent".to_owned(),
        reply_to: None,
        reaction: None,
        cost: 0,
        created_at: stamp,
        sent_at,
        delivered_at: None,
        read_at: None,
        broadcast: None,
        extras: None,
    };
    send::store_message(work, channel, &conversation, &row)?;
    send::end_escalation(work, &conversation, &row)?;
    Ok(send::emit_sent(work, channel, &conversation, &row)?)
}
