//! A message goes out: handed to the platform, stored, counted, and its fate
//! set to happen. Interface: States and transitions, Message status.

use serde_json::json;

use crate::channels::Channel;
use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages::{self, MessageRow};
use crate::database::{contacts, due, outbound};
use crate::errors::ApiError;
use crate::events::{self, Event};
use crate::platforms::{Fate, Parcel};
use crate::world::{Kind, customers};
use crate::write::Work;

/// What goes out.
#[derive(Debug, Clone, Default)]
pub struct Outgoing {
    /// `api`, `ai` or `agent`.
    pub sender: &'static str,
    /// The text, the caption, or what stands for the content in a list.
    pub content: String,
    /// `text`, `image`, …
    pub kind: &'static str,
    /// Where its media lives.
    pub media_url: Option<String>,
    /// A JSON object: what else the platform is given.
    pub details: Option<String>,
    /// The id of the quoted message.
    pub reply_to: Option<String>,
    /// Credits it cost.
    pub cost: i64,
    /// The broadcast it belongs to.
    pub broadcast: Option<String>,
}

/// Hands a message to the platform and stores it.
///
/// # Errors
/// What the platform refuses.
pub fn send(
    work: &Work<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    id: String,
    outgoing: Outgoing,
) -> Result<MessageRow, ApiError> {
    let stamp = work.stamp();
    let parcel = Parcel { to: &conversation.peer, kind: outgoing.kind, id: &id };
    let accepted = work.service.platforms.of(channel.kind)?.hand_over(work, conversation, &parcel)?;
    let row = MessageRow {
        id,
        conversation: conversation.id.clone(),
        channel: channel.id.clone(),
        platform_id: accepted.platform_id,
        direction: "outbound".to_owned(),
        sender: outgoing.sender.to_owned(),
        content: outgoing.content,
        kind: outgoing.kind.to_owned(),
        media_url: outgoing.media_url,
        details: outgoing.details,
        status: "sent".to_owned(),
        reply_to: outgoing.reply_to,
        reaction: None,
        cost: outgoing.cost,
        created_at: stamp,
        delivered_at: None,
        read_at: None,
        broadcast: outgoing.broadcast,
    };
    messages::insert(work.db, &row)?;
    let preview = if row.content.is_empty() { format!("[{}]", row.kind) } else { row.content.clone() };
    conversations::touch(work.db, &conversation.id, &preview, false, stamp)?;
    contacts::touch(work.db, &channel.workspace, &conversation.peer, stamp)?;
    note(work, channel.kind, &conversation.peer, &row)?;
    let told = json!({
        "conversationId": row.conversation, "messageId": row.id, "to": conversation.peer,
        "content": row.content, "status": row.status,
    });
    events::emit(work, &channel.id, Event::MessageSent, told)?;
    foretell(work, &row.id, accepted.fate)?;
    if row.sender != "ai" && row.broadcast.is_none() {
        // A person has answered: the assistant need not ask for one any more.
        conversations::calm(work.db, &conversation.id)?;
        customers::heard_a_person(work, conversation)?;
    }
    Ok(row)
}

fn note(work: &Work<'_>, channel: Channel, to: &str, row: &MessageRow) -> Result<(), ApiError> {
    let content = match (&row.media_url, row.content.as_str()) {
        (Some(url), "") => url,
        _ => &row.content,
    };
    Ok(outbound::note(work.db, channel, to, content, work.key, row.created_at)?)
}

/// Sets what will become of a message.
fn foretell(work: &Work<'_>, id: &str, fate: Fate) -> Result<(), ApiError> {
    let after = |span: i64| work.now.plus(span);
    match fate {
        Fate::Sent => {}
        Fate::Failed { after: span } => due::add(work.db, after(span), Kind::Failed.word(), id, "")?,
        Fate::Delivered { after: span } => due::add(work.db, after(span), Kind::Delivered.word(), id, "")?,
        Fate::Read { delivered_after, read_after } => {
            due::add(work.db, after(delivered_after), Kind::Delivered.word(), id, "")?;
            due::add(work.db, after(read_after), Kind::Read.word(), id, "")?;
        }
    }
    Ok(())
}
