//! What a webhook delivers, read strictly: a body whose words can be read in
//! two ways is none. Interface: Events.

use serde_json::Value;

use crate::strict;

/// A delivery, as far as this desk reads it: a reason to ask, never the truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    pub event: String,
    /// When, as it tells.
    pub timestamp: Option<String>,
    /// In which conversation, if it tells.
    pub conversation: Option<String>,
}

/// Reads a delivery.
pub fn read(body: &[u8]) -> Result<Envelope, String> {
    let value = strict::read(body)?;
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let event = value.get("event").and_then(text).ok_or("it names no event")?;
    let conversation = value.get("data").and_then(|value| value.get("conversationId")).and_then(text);
    Ok(Envelope { event, timestamp: value.get("timestamp").and_then(text), conversation })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_and_what_it_is_about() {
        let told = read(br#"{"event":"message.received","timestamp":"t","data":{"conversationId":"c1"}}"#);
        let told = told.expect("an envelope");
        assert_eq!((told.event.as_str(), told.conversation.as_deref()), ("message.received", Some("c1")));
        assert_eq!(read(br#"{"event":"x.y"}"#).expect("an envelope").conversation, None);
        for wrong in [&br#"{"event":"a","event":"b"}"#[..], b"\xef\xbb\xbf{}", b"[]", b"{\"event\":7}", b""] {
            assert!(read(wrong).is_err(), "{}", String::from_utf8_lossy(wrong));
        }
    }
}
