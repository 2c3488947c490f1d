//! Webhook events: their names, their envelopes, and queueing them for subscriptions.

use serde_json::Value;

use crate::channels::Channel;
use crate::database::events::{self, EventRow};
use crate::database::{DatabaseError, webhooks};
use crate::write::WriteContext;

/// Event that a webhook can subscribe to (`WebhookInput.events`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    MessageReceived,
    /// The platform accepted the message.
    MessageSent,
    /// The message reached the device.
    MessageDelivered,
    MessageRead,
    /// The message was not sent, or did not arrive.
    MessageFailed,
    EmailReceived,
    EmailSent,
    EmailOpened,
    /// The assistant assigned a category to a thread.
    EmailThreadCategorized,
}

const CHAT_EVENTS: [Event; 5] = [
    Event::MessageReceived,
    Event::MessageSent,
    Event::MessageDelivered,
    Event::MessageRead,
    Event::MessageFailed,
];
const MAIL_EVENTS: [Event; 4] =
    [Event::EmailReceived, Event::EmailSent, Event::EmailOpened, Event::EmailThreadCategorized];

impl Event {
    pub const fn word(self) -> &'static str {
        match self {
            Self::MessageReceived => "message.received",
            Self::MessageSent => "message.sent",
            Self::MessageDelivered => "message.delivered",
            Self::MessageRead => "message.read",
            Self::MessageFailed => "message.failed",
            Self::EmailReceived => "email.received",
            Self::EmailSent => "email.sent",
            Self::EmailOpened => "email.opened",
            Self::EmailThreadCategorized => "email.thread.categorized",
        }
    }

    /// Returns all events of a channel kind; a subscription without `events` receives them all.
    pub const fn for_channel(channel: Channel) -> &'static [Self] {
        match channel {
            Channel::Whatsapp | Channel::Telegram => &CHAT_EVENTS,
            Channel::Email => &MAIL_EVENTS,
            // No webhook operation accepts a phone key.
            Channel::Voip => &[],
        }
    }
}

/// Queues an event for the active subscriptions that name it: stores the envelope's exact bytes once, and one
/// delivery per subscription, due now. Stores nothing if there is no subscription.
pub fn emit(work: &WriteContext<'_>, channel: &str, event: Event, data: Value) -> Result<(), DatabaseError> {
    let listening = webhooks::list_listening(work.db, channel, event.word())?;
    if listening.is_empty() {
        return Ok(());
    }
    let stamp = work.stamp();
    let row = EventRow {
        id: work.id("evt", stamp),
        channel: channel.to_owned(),
        name: event.word().to_owned(),
        subject: subject(&data),
        body: envelope(event, &work.now.to_string(), &data).into_bytes(),
        at: stamp,
    };
    events::insert(work.db, &row)?;
    for webhook in listening {
        events::schedule_delivery(work.db, &work.id("dlv", stamp), &row.id, &webhook, work.now)?;
    }
    Ok(())
}

/// Returns the id of the event's conversation or thread.
fn subject(data: &Value) -> Option<String> {
    let named = ["conversationId", "threadId"].iter().find_map(|name| data[*name].as_str());
    named.map(str::to_owned)
}

/// Returns the body of a webhook request.
fn envelope(event: Event, at: &str, data: &Value) -> String {
    // `Value` displays as JSON with escaped strings.
    let (event, at) = (Value::from(event.word()), Value::from(at));
    format!(r#"{{"event":{event},"timestamp":{at},"data":{data}}}"#)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn envelopes_are_json_whatever_they_hold() {
        let data = json!({"content": "\"quoted\"\n\u{2028}", "messageId": "m"});
        let text = envelope(Event::MessageReceived, "2026-11-20T10:00:00.000Z", &data);
        assert!(text.starts_with(r#"{"event":"message.received","timestamp":"2026-"#), "{text}");
        let read: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read["data"], data);
    }

    #[test]
    fn each_event_belongs_to_its_channels() {
        let words =
            |channel| Event::for_channel(channel).iter().map(|event| event.word()).collect::<Vec<_>>();
        assert_eq!(words(Channel::Whatsapp), words(Channel::Telegram));
        assert!(words(Channel::Whatsapp).iter().all(|text| text.starts_with("message.")));
        assert!(words(Channel::Email).iter().all(|text| text.starts_with("email.")));
        assert_eq!(words(Channel::Whatsapp).len() + words(Channel::Email).len(), 9);
    }
}
