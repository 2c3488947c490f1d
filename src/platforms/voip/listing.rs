//! Reads the platform's lists of messages and calls. The platform does not repeat a failed webhook
//! call, so events during downtime are only in its lists.

use serde_json::Value;

use crate::contract::{InboundUpdate, PlatformError, PollResult};
use crate::voip::PhonePlatform;
use crate::voip::hooks::{CallStatus, InboundCall, InboundSms, MAX_FILES, SmsStatus, is_missed};
use model::time::{MINUTE, SECOND, Timestamp};

/// Overlap of two readings: items change while in progress, and clocks differ.
const POLL_OVERLAP: i64 = 10 * MINUTE;
const PAGE_SIZE: &str = "200";
const MAX_PAGES: usize = 50;

/// Mark from which a number is read.
pub fn mark_from(from: Timestamp) -> String {
    from.micros().to_string()
}

impl PhonePlatform {
    /// Reads everything since the mark, the newest time read so far.
    pub(super) async fn list_since(&self, mark: &str) -> Result<PollResult, PlatformError> {
        let last = Timestamp::from_micros(mark.parse().unwrap_or(0));
        let from =
            last.plus(-POLL_OVERLAP).iso().as_str().split('.').next().unwrap_or_default().to_owned() + "Z";
        let number = self.settings.number.as_str();
        let mut found = ListedItems::new(last);
        for told in self.list_messages(&from).await? {
            if told["direction"] == "inbound" {
                found.record_date(&told["date_sent"]);
                let files = self.list_files(&told).await?;
                found.updates.extend(read_arrival(&told, files).map(InboundSms::into_update));
            } else if told["direction"].as_str().is_some_and(|text| text.starts_with("outbound")) {
                found.record_date(&told["date_sent"]);
                found.updates.extend(read_status(&told).map(SmsStatus::into_update));
            }
        }
        let of_us = [("From", number), ("StartTime>", &from), ("PageSize", PAGE_SIZE)];
        for told in self.read_pages("Calls", "calls", &of_us).await? {
            found.record_date(&told["start_time"]);
            found.updates.extend(read_call(&told).map(CallStatus::into_update));
        }
        let to_us = [("To", number), ("StartTime>", &from), ("PageSize", PAGE_SIZE)];
        for told in self.read_pages("Calls", "calls", &to_us).await? {
            found.record_date(&told["start_time"]);
            found.updates.extend(read_missed_call(&told).map(InboundCall::into_update));
        }
        // The platform lists the newest first.
        found.updates.reverse();
        Ok(PollResult {
            updates: found.updates,
            mark: self::mark_from(found.newest),
            ..PollResult::default()
        })
    }

    /// Lists the messages to and from the number and its messaging service, each once.
    async fn list_messages(&self, from: &str) -> Result<Vec<Value>, PlatformError> {
        let number = self.settings.number.as_str();
        let since = [("DateSent>", from), ("PageSize", PAGE_SIZE)];
        if let Some(service) = &self.settings.messaging_service {
            // The platform has no list of one service.
            let mut all = self.read_pages("Messages", "messages", &since).await?;
            all.retain(|told| is_of(told, number, service));
            return Ok(all);
        }
        let [after, size] = since;
        let mut all = self.read_pages("Messages", "messages", &[("To", number), after, size]).await?;
        all.retain(|told| told["direction"] == "inbound");
        let mut sent = self.read_pages("Messages", "messages", &[("From", number), after, size]).await?;
        sent.retain(|told| told["direction"] != "inbound");
        all.append(&mut sent);
        Ok(all)
    }

    /// Reads all pages of a list, newest first.
    async fn read_pages(
        &self,
        name: &str,
        member: &str,
        query: &[(&str, &str)],
    ) -> Result<Vec<Value>, PlatformError> {
        let mut told = self.get_resource(&format!("{name}.json"), query).await?;
        let mut all = Vec::new();
        for _ in 0..MAX_PAGES {
            let Some(data) = told[member].as_array_mut() else {
                return Err(PlatformError::transient(
                    "the platform did not return the messages and calls of the number",
                ));
            };
            all.append(data);
            match told["next_page_uri"].as_str().filter(|text| !text.is_empty()) {
                Some(next) => told = self.get_path(next).await?,
                None => return Ok(all),
            }
        }
        // A partial list would lack the oldest items.
        Err(PlatformError::transient("the number has more messages and calls than can be read at once"))
    }

    /// Returns the URLs and media types of a listed message's files.
    async fn list_files(&self, told: &Value) -> Result<Vec<(String, String)>, PlatformError> {
        let count = told["num_media"].as_str().and_then(|text| text.parse().ok()).unwrap_or(0_usize);
        let (Some(id), true) = (told["sid"].as_str(), count > 0) else { return Ok(Vec::new()) };
        let listed = self.get_resource(&format!("Messages/{id}/Media.json"), &[]).await?;
        let api = self.settings.api.trim_end_matches('/');
        let one = |value: &Value| {
            let path = value["uri"].as_str()?.trim_end_matches(".json");
            Some((format!("{api}{path}"), value["content_type"].as_str().unwrap_or("").to_owned()))
        };
        let files = listed["media_list"].as_array().into_iter().flatten();
        Ok(files.filter_map(one).take(MAX_FILES).collect())
    }
}

/// Returns true if a listed message belongs to a number or to a messaging service.
fn is_of(told: &Value, number: &str, service: &str) -> bool {
    let own = if told["direction"] == "inbound" { "to" } else { "from" };
    told["messaging_service_sid"] == service || told[own] == number
}

struct ListedItems {
    updates: Vec<InboundUpdate>,
    newest: Timestamp,
}

impl ListedItems {
    fn new(newest: Timestamp) -> Self {
        Self { updates: Vec::new(), newest }
    }

    /// Advances the newest time to `date` if that is later.
    fn record_date(&mut self, date: &Value) {
        self.newest = date.as_str().and_then(parse_date).map_or(self.newest, |time| time.max(self.newest));
    }
}

fn text_field(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn read_arrival(told: &Value, files: Vec<(String, String)>) -> Option<InboundSms> {
    let text = text_field(&told["body"]).unwrap_or_default();
    let at =
        ["date_sent", "date_created"].iter().find_map(|field| told[*field].as_str().and_then(parse_date));
    let at = at.map(|at| at.micros() / SECOND);
    Some(InboundSms {
        id: text_field(&told["sid"])?,
        from: text_field(&told["from"])?,
        text,
        at,
        files,
        opt_out: None,
        button: None,
    })
}

fn read_status(told: &Value) -> Option<SmsStatus> {
    Some(SmsStatus {
        id: text_field(&told["sid"])?,
        status: text_field(&told["status"])?,
        to: text_field(&told["to"])?,
        error: told["error_code"].as_i64(),
        own: None,
        text: text_field(&told["body"]),
    })
}

fn read_call(told: &Value) -> Option<CallStatus> {
    Some(CallStatus {
        id: text_field(&told["sid"])?,
        status: text_field(&told["status"])?,
        to: text_field(&told["to"])?,
        seconds: told["duration"].as_str().and_then(|text| text.parse().ok()).unwrap_or(0),
        own: None,
    })
}

/// Reads a call to the number that nobody took.
fn read_missed_call(told: &Value) -> Option<InboundCall> {
    let is_ours = told["direction"] == "inbound" && told["status"].as_str().is_some_and(is_missed);
    let at = told["start_time"].as_str().and_then(parse_date).map(|at| at.micros() / SECOND);
    is_ours.then_some(InboundCall {
        id: text_field(&told["sid"])?,
        from: text_field(&told["from"])?,
        at,
        is_missed: true,
    })
}

/// Parses a date in the format of mail: `Fri, 24 May 2019 17:44:46 +0000`.
fn parse_date(text: &str) -> Option<Timestamp> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut parts = text.split_once(", ")?.1.split(' ');
    let (day, month, year, time) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let month = MONTHS.iter().position(|text| *text == month)? + 1;
    let day: u8 = day.parse().ok()?;
    Timestamp::parse(&format!("{year}-{month:02}-{day:02}T{time}Z"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn listed_message_belongs_to_its_number_or_service() {
        let listed = |direction: &str, from: &str, to: &str, service: Value| {
            let told =
                json!({"direction": direction, "from": from, "to": to, "messaging_service_sid": service});
            is_of(&told, "+1555", "MG1")
        };
        assert!(listed("inbound", "+34600", "+1555", Value::Null));
        assert!(listed("inbound", "+34600", "+1556", json!("MG1")));
        assert!(listed("outbound-api", "+1556", "+34600", json!("MG1")));
        assert!(!listed("inbound", "+1555", "+34600", Value::Null), "from us to somebody else");
        assert!(!listed("outbound-api", "+1556", "+34600", json!("MG2")));
    }

    #[test]
    fn listed_call_that_nobody_took_is_missed() {
        let listed = |direction: &str, status: &str| {
            read_missed_call(&json!({
                "sid": "CA1", "from": "+34600111222", "direction": direction, "status": status,
                "start_time": "Fri, 24 May 2019 17:44:46 +0000",
            }))
        };
        let missed = listed("inbound", "no-answer").expect("missed");
        assert_eq!((missed.id.as_str(), missed.at, missed.is_missed), ("CA1", Some(1_558_719_886), true));
        assert!(listed("inbound", "completed").is_none() && listed("inbound", "ringing").is_none());
        assert!(listed("outbound-api", "no-answer").is_none());
    }

    #[test]
    fn the_platforms_dates_are_read() {
        let read = |text| parse_date(text).map(|date| date.to_string());
        assert_eq!(read("Fri, 24 May 2019 17:44:46 +0000").as_deref(), Some("2019-05-24T17:44:46.000Z"));
        assert_eq!(read("Mon, 3 Nov 2025 09:00:00 +0000").as_deref(), Some("2025-11-03T09:00:00.000Z"));
        for wrong in ["", "2019-05-24", "Fri, 24 Mai 2019 17:44:46 +0000", "Fri, x May 2019 1:1:1 +0000"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
