//! Dates of a received mail.
//!
//! The sender chooses the `Date` header. It is used if it is plausible: not later than the arrival, and not
//! much earlier. Threads are ordered by arrival.

use serde_json::{Map, Value};

use model::time::{DAY, MINUTE, Timestamp};

/// Key under which an implausible date is stored among a mail's headers. No header can have this name, since
/// it contains spaces.
const CLAIMED_DATE_KEY: &str = "dated by its sender";
/// Lead of a sender's clock that is ignored, in microseconds.
const CLOCK_TOLERANCE: i64 = 10 * MINUTE;
/// Maximum time between a plausible date and the arrival, in microseconds; long, because mail is also moved
/// between mailboxes.
const MAX_AGE: i64 = 365 * DAY;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailDates {
    /// Never later than the arrival.
    pub sent_at: Timestamp,
    /// The sender's date, if it is implausible.
    pub dated_at: Option<Timestamp>,
}

impl MailDates {
    /// Checks the claimed date against the arrival, which is `now` at the latest.
    pub fn bounded(claimed: Option<Timestamp>, arrived_at: Option<Timestamp>, now: Timestamp) -> Self {
        let arrived_at = arrived_at.map_or(now, |arrived_at| arrived_at.min(now));
        let Some(claimed) = claimed else { return Self { sent_at: arrived_at, dated_at: None } };
        let ahead = claimed.since(arrived_at);
        if !(-MAX_AGE..=CLOCK_TOLERANCE).contains(&ahead) {
            return Self { sent_at: arrived_at, dated_at: Some(claimed) };
        }
        Self { sent_at: claimed.min(arrived_at), dated_at: None }
    }

    /// Stores an implausible date among the mail's headers.
    pub fn write_to(&self, headers: &mut Map<String, Value>) {
        if let Some(dated_at) = self.dated_at {
            headers.insert(CLAIMED_DATE_KEY.to_owned(), Value::String(dated_at.to_string()));
        }
    }
}

/// Reads an implausible date from a mail's stored headers.
pub fn read_claimed_date(headers: &Map<String, Value>) -> Option<&str> {
    headers.get(CLAIMED_DATE_KEY)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::time::{HOUR, SECOND};

    #[test]
    fn date_counts_while_it_can_be_true() {
        let now = Timestamp::parse("2026-11-26T10:00:00Z").expect("a time");
        let arrived = now.plus(-HOUR);
        let cases = [
            // Claimed, arrival, shown date, whether the claimed date is kept apart.
            (Some(arrived.plus(-MINUTE)), Some(arrived), arrived.plus(-MINUTE), false),
            (Some(arrived.plus(5 * MINUTE)), Some(arrived), arrived, false),
            (Some(arrived.plus(2 * HOUR)), Some(arrived), arrived, true),
            (Some(arrived.plus(1_600 * DAY)), Some(arrived), arrived, true),
            (Some(arrived.plus(-40 * DAY)), Some(arrived), arrived.plus(-40 * DAY), false),
            (Some(arrived.plus(-400 * DAY)), Some(arrived), arrived, true),
            (Some(Timestamp::from_micros(0)), Some(arrived), arrived, true),
            (None, Some(arrived), arrived, false),
            (None, None, now, false),
            (Some(now.plus(-DAY)), None, now.plus(-DAY), false),
            // A server with a fast clock.
            (Some(now.plus(-SECOND)), Some(now.plus(DAY)), now.plus(-SECOND), false),
            (None, Some(now.plus(DAY)), now, false),
        ];
        for (claimed, arrived_at, sent_at, is_told) in cases {
            let found = MailDates::bounded(claimed, arrived_at, now);
            let expected = MailDates { sent_at, dated_at: claimed.filter(|_| is_told) };
            assert_eq!(found, expected, "{claimed:?} {arrived_at:?}");
            let mut headers = Map::new();
            found.write_to(&mut headers);
            assert_eq!(read_claimed_date(&headers).and_then(Timestamp::parse), found.dated_at);
        }
    }
}
