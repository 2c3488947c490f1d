//! Seeds the demo's sample data, with times relative to now.

use serde_json::Value;

use crate::chat::people;
use crate::chat::receive::media_kind;
use crate::database::channels::{self, ChannelRow};
use crate::database::conversations::{self, ConversationRow};
use crate::database::messages::{self, MessageRow};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, contacts, due};
use crate::demo::mail;
use crate::demo::values::{is_on, list, text, texts, time_of};
use crate::operators;
use crate::world::JobKind;
use crate::world::customers::{self, ScriptedCustomer};
use crate::write::WriteContext;
use model::time::{SECOND, Timestamp};
use platforms::{CALL_KIND, Channel};

const SEED_FILES: [(Channel, &str); 3] = [
    (Channel::Whatsapp, include_str!("../../../assets/demo/whatsapp.json")),
    (Channel::Telegram, include_str!("../../../assets/demo/telegram.json")),
    (Channel::Voip, include_str!("../../../assets/demo/voip.json")),
];

/// Seeds every channel and schedules the first customer's message.
pub fn seed(work: &WriteContext<'_>) -> Result<(), DatabaseError> {
    for (kind, text) in SEED_FILES {
        let Some(channel) = channels::find_by_kind(work.db, kind)? else { continue };
        let world: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        for conversation in list(&world, "conversations") {
            seed_conversation(work, &channel, conversation)?;
        }
    }
    mail::seed(work)?;
    customers::schedule_first(work)
}

fn seed_conversation(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    told: &Value,
) -> Result<(), DatabaseError> {
    let Some(peer) = text(told, "phone").or_else(|| text(told, "chat_id")) else { return Ok(()) };
    let said = list(told, "messages");
    let began = said.first().map_or(work.now, |value| time_of(value, work.now));
    let id = work.service.ids.new_id("conv", began);
    let mut row = ConversationRow::new(id, &channel.id, &peer, began);
    row.name = text(told, "name");
    row.username = text(told, "username");
    row.email = text(told, "email");
    row.automation = told.get("automation").is_none() || is_on(told, "automation");
    row.escalation = text(told, "escalation");
    row.referral =
        told.get("referral").filter(|value| value.is_object()).map(|value| referral_json(value, began));
    conversations::insert(work.db, &row)?;
    let newest = said.last().map_or(began, |value| time_of(value, work.now));
    people::record_contact(work, channel, &row.peer, row.name.as_deref(), began)?;
    contacts::touch(work.db, &channel.workspace, &row.peer, newest)?;
    let mut ids: Vec<String> = Vec::new();
    let usual = if text(told, "kind").as_deref() == Some(CALL_KIND) { CALL_KIND } else { "text" };
    for message in said {
        let quotes =
            message.get("quotes").and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
        let quoted = quotes.and_then(|quote| ids.get(quote).cloned());
        ids.push(seed_message(work, channel, &row, (message, usual), quoted)?);
    }
    // Set after the messages, the last of which may be the customer's and reopen the conversation.
    conversations::set_status(work.db, &row.id, text(told, "status").as_deref().unwrap_or("active"))?;
    schedule_answer(work, &row, said)?;
    let character = ScriptedCustomer {
        conversation: row.id.clone(),
        language: text(told, "language").unwrap_or_else(|| "en".to_owned()),
        live: texts(told, "live"),
        replies: texts(told, "replies"),
    };
    customers::store_customer(work.db, &character)
}

/// Returns the status of a sample message without one.
fn default_status(channel: Channel, kind: &str) -> &'static str {
    match (channel, kind) {
        (_, CALL_KIND) => "completed",
        (Channel::Voip, _) => "delivered",
        _ => "read",
    }
}

fn seed_message(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    conversation: &ConversationRow,
    (told, usual): (&Value, &'static str),
    quoted: Option<String>,
) -> Result<String, DatabaseError> {
    let at = time_of(told, work.now);
    let id = work.service.ids.new_id("msg", at);
    let sender = text(told, "by").unwrap_or_else(|| "customer".to_owned());
    let inbound = sender == "customer";
    let status = if inbound {
        "received".to_owned()
    } else {
        text(told, "status").unwrap_or_else(|| default_status(channel.kind, usual).to_owned())
    };
    let media_url = text(told, "media");
    let kind = match &media_url {
        Some(url) => media_kind(channel.kind, url).to_owned(),
        None => text(told, "type").unwrap_or_else(|| usual.to_owned()),
    };
    let content = text(told, "text").unwrap_or_default();
    let soon = |reached: bool, seconds: i64| reached.then(|| at.plus(seconds * SECOND).min(work.now));
    let row = MessageRow {
        platform_id: operators::incoming_id(work, channel.kind, conversation, &id)?,
        conversation: conversation.id.clone(),
        channel: channel.id.clone(),
        direction: if inbound { "inbound" } else { "outbound" }.to_owned(),
        delivered_at: soon(matches!(status.as_str(), "delivered" | "read"), 2),
        read_at: soon(status == "read", 30),
        details: None,
        reply_to: quoted,
        reaction: None,
        cost: i64::from(sender == "api"),
        created_at: at,
        sent_at: None,
        broadcast: None,
        extras: None,
        id: id.clone(),
        sender,
        content,
        kind,
        media_url,
        status,
    };
    messages::insert(work.db, &row)?;
    conversations::touch(work.db, &conversation.id, &row.preview(), inbound, at)?;
    Ok(id)
}

/// Schedules the assistant's answer to a recent message.
fn schedule_answer(
    work: &WriteContext<'_>,
    row: &ConversationRow,
    said: &[Value],
) -> Result<(), DatabaseError> {
    let last = said.last().and_then(|value| text(value, "by"));
    let owes = last.as_deref() == Some("customer") && row.automation && row.escalation.is_none();
    let recent = said.last().is_some_and(|entry| work.now.since(time_of(entry, work.now)) < 600 * SECOND);
    if !(owes && recent) {
        return Ok(());
    }
    let wait = work.service.ids.random_between(2 * SECOND, 20 * SECOND);
    due::add(work.db, work.now.plus(wait), JobKind::Answer.word(), &row.id, "")
}

fn referral_json(referral: &Value, at: Timestamp) -> String {
    let mut referral = referral.clone();
    referral["captured_at"] = at.to_string().into();
    referral.to_string()
}

pub fn is_seeded(db: &dyn DbSession) -> Result<bool, DatabaseError> {
    db.fetch_scalar("SELECT EXISTS (SELECT 1 FROM characters)", &[])
}
