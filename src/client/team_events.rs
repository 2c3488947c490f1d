//! Follows the events of a team.
//!
//! The connection is opened again whenever it ends, after the id of the last event, so that the stream goes on
//! without a gap; where the service no longer reaches back, it begins with [`TeamEvent::Reset`]. A refusal of the
//! session, or a service without teams, ends it for good.

use std::time::Duration;

use futures_util::StreamExt;

use crate::connect::Client;
use crate::errors::ReadError;
use crate::event_stream::{EventParser, ServerEvent};
use api::paths;
use api::team::{
    ClaimEvent, ConversationEvent, MessageEvent, NoteEvent, PRESENCE_EVENT, PersonEvent, PresenceEvent,
    RESET_EVENT, ReplyEvent, SnoozeEvent, TagEvent,
};
use model::text::SafeText;
use model::time::SECOND;

/// Longest silence of a stream; the service sends a comment every 5 seconds.
const MAX_SILENCE: Duration = Duration::from_secs(15);
/// First delay before a stream is opened again; doubles with each failure.
const BASE_DELAY: i64 = SECOND / 2;
const MAX_DELAY: i64 = 30 * SECOND;
/// Number of failures counted for a stream that cannot be parsed; enough for the longest delay.
const FAILURES_OF_BROKEN: u32 = 16;

#[derive(Debug, Clone, PartialEq)]
pub enum TeamEvent {
    Message(MessageEvent),
    Status(MessageEvent),
    Conversation(ConversationEvent),
    Claim(ClaimEvent),
    Note(NoteEvent),
    Tag(TagEvent),
    Snooze(SnoozeEvent),
    Presence(PresenceEvent),
    Reply(ReplyEvent),
    Person(PersonEvent),
    /// Events were missed: everything has to be read again.
    Reset,
}

/// State of the connection and what arrives on it.
#[derive(Debug, Clone, PartialEq)]
pub enum TeamNews {
    Open,
    Event(TeamEvent),
    /// An event that this version does not know or cannot read; skipped.
    Unreadable(SafeText),
    /// The stream ended and is opened again after a delay, in microseconds.
    Closed {
        why: SafeText,
        retry_in: i64,
    },
}

impl TeamEvent {
    /// Reads an event; `None` if its name or its data is unknown.
    pub fn read(event: &ServerEvent) -> Option<Self> {
        let data = event.data.as_str();
        match event.name.as_str() {
            "message" => serde_json::from_str(data).ok().map(Self::Message),
            "status" => serde_json::from_str(data).ok().map(Self::Status),
            "conversation" => serde_json::from_str(data).ok().map(Self::Conversation),
            "claim" => serde_json::from_str(data).ok().map(Self::Claim),
            "note" => serde_json::from_str(data).ok().map(Self::Note),
            "tag" => serde_json::from_str(data).ok().map(Self::Tag),
            "snooze" => serde_json::from_str(data).ok().map(Self::Snooze),
            PRESENCE_EVENT => serde_json::from_str(data).ok().map(Self::Presence),
            "reply" => serde_json::from_str(data).ok().map(Self::Reply),
            "person" => serde_json::from_str(data).ok().map(Self::Person),
            RESET_EVENT => Some(Self::Reset),
            _ => None,
        }
    }
}

/// Returns the delay before a stream is opened again, in microseconds: half of it is random.
pub fn reconnect_delay(failures: u32, jitter: f64) -> i64 {
    let most = BASE_DELAY.saturating_mul(1_i64 << failures.min(16)).min(MAX_DELAY);
    most / 2 + (most as f64 / 2.0 * jitter.clamp(0.0, 1.0)) as i64
}

impl Client {
    /// Follows the team's events after the event `after`, until `report` returns false or the session is refused.
    /// `jitter` returns random numbers in 0..1.
    ///
    /// # Errors
    /// The session is not accepted, or the service has no teams; a retry is useless.
    pub async fn follow_team(
        &self,
        after: Option<String>,
        mut jitter: impl FnMut() -> f64,
        mut report: impl FnMut(TeamNews, Option<&str>) -> bool,
    ) -> Result<(), ReadError> {
        let mut last_id = after;
        let mut failures = 0;
        loop {
            let mut parser = EventParser::after(last_id);
            let ended = self.read_stream(&mut parser, &mut failures, &mut report).await;
            last_id = parser.last_id().map(str::to_owned);
            let why = match ended {
                Ok(None) => return Ok(()),
                Ok(Some(why)) => why,
                Err(error) if is_final(&error) => return Err(error),
                Err(error) => SafeText::line(&error.to_string()),
            };
            let retry_in = reconnect_delay(failures, jitter());
            failures += 1;
            if !report(TeamNews::Closed { why, retry_in }, last_id.as_deref()) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_micros(retry_in.unsigned_abs())).await;
        }
    }

    /// Reads one connection to its end. Returns why it ended, `None` if `report` asks to stop.
    async fn read_stream(
        &self,
        parser: &mut EventParser,
        failures: &mut u32,
        report: &mut impl FnMut(TeamNews, Option<&str>) -> bool,
    ) -> Result<Option<SafeText>, ReadError> {
        let mut chunks = self.open_stream(paths::DESK_EVENTS, parser.last_id(), MAX_SILENCE).await?;
        if !report(TeamNews::Open, parser.last_id()) {
            return Ok(None);
        }
        while let Some(chunk) = chunks.next().await {
            let events = match chunk.map(|chunk| parser.parse(&chunk)) {
                Ok(Ok(events)) => events,
                Ok(Err(broken)) => {
                    // A new connection gets the same event: wait as long as after many failures.
                    *failures = FAILURES_OF_BROKEN;
                    return Ok(Some(SafeText::line(&broken.to_string())));
                }
                Err(why) => return Ok(Some(why)),
            };
            *failures = 0;
            for event in events {
                let news = TeamEvent::read(&event)
                    .map_or_else(|| TeamNews::Unreadable(SafeText::line(&event.name)), TeamNews::Event);
                if !report(news, event.id.as_deref()) {
                    return Ok(None);
                }
            }
        }
        Ok(Some(SafeText::line("the server closed the event stream")))
    }
}

/// True if the stream cannot be opened later either.
fn is_final(error: &ReadError) -> bool {
    matches!(error, ReadError::Refused { .. } | ReadError::Misconfigured(_)) || error.is_inaccessible()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_doubles_up_to_its_maximum_and_half_of_it_is_random() {
        for failures in 0..100 {
            let (least, most) = (reconnect_delay(failures, 0.0), reconnect_delay(failures, 1.0));
            assert!(least * 2 == most && most <= MAX_DELAY, "{failures}: {least} {most}");
            assert!(reconnect_delay(failures + 1, 0.5) >= reconnect_delay(failures, 0.5));
        }
        assert_eq!(reconnect_delay(0, 1.0), BASE_DELAY);
        assert_eq!(reconnect_delay(99, 1.0), MAX_DELAY);
    }

    #[test]
    fn events_are_read_by_their_names() {
        let event = |name: &str, data: &str| {
            TeamEvent::read(&ServerEvent { name: name.to_owned(), id: None, data: data.to_owned() })
        };
        let claim = event("claim", r#"{"conversation":"c","claim":null,"more":1}"#);
        assert_eq!(claim, Some(TeamEvent::Claim(ClaimEvent { conversation: "c".to_owned(), claim: None })));
        assert_eq!(event("reset", "{}"), Some(TeamEvent::Reset));
        assert_eq!(event("claim", "[]"), None);
        assert_eq!(event("weather", "{}"), None);
    }
}
