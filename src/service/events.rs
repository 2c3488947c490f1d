//! Webhook events: which channel has which, and queueing them for subscriptions.

use crate::database::events::{self, EventRow};
use crate::database::{DatabaseError, webhooks};
use crate::write::WriteContext;
use api::body::Body;
use api::events::{CHAT_EVENTS, Event, EventBody, EventData, MAIL_EVENTS};
use platforms::Channel;

/// Returns all events of a channel kind; a subscription without `events` receives them all.
pub const fn events_of_channel(channel: Channel) -> &'static [Event] {
    match channel {
        Channel::Whatsapp | Channel::Telegram => &CHAT_EVENTS,
        Channel::Email => &MAIL_EVENTS,
        // No webhook operation accepts a phone key.
        Channel::Voip => &[],
    }
}

/// Queues an event for the active subscriptions that name it: stores the delivery's exact bytes once, and one
/// delivery per subscription, due now. Stores nothing if there is no subscription.
pub fn emit(work: &WriteContext<'_>, channel: &str, data: &EventData<'_>) -> Result<(), DatabaseError> {
    let event = data.event().word();
    let listening = webhooks::list_listening(work.db, channel, event)?;
    if listening.is_empty() {
        return Ok(());
    }
    let stamp = work.stamp();
    let unwritable = |cause| DatabaseError::Sql(format!("could not write the event {event}: {cause}"));
    let body = EventBody { event: event.to_owned(), timestamp: Some(work.now), data };
    let row = EventRow {
        id: work.id("evt", stamp),
        channel: channel.to_owned(),
        name: event.to_owned(),
        subject: Some(data.subject().to_owned()),
        body: body.to_json().map_err(unwritable)?,
        at: stamp,
    };
    events::insert(work.db, &row)?;
    for webhook in listening {
        events::schedule_delivery(work.db, &work.id("dlv", stamp), &row.id, &webhook, work.now)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_belongs_to_its_channels() {
        let words = |channel| events_of_channel(channel).iter().map(|event| event.word()).collect::<Vec<_>>();
        assert_eq!(words(Channel::Whatsapp), words(Channel::Telegram));
        assert!(words(Channel::Whatsapp).iter().all(|text| text.starts_with("message.")));
        assert!(words(Channel::Email).iter().all(|text| text.starts_with("email.")));
        assert_eq!(words(Channel::Whatsapp).len() + words(Channel::Email).len(), 9);
    }
}
