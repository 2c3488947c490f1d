//! What the platform's lists tell. A call that was not taken is not made again:
//! what happened while the service was not there is only in its lists.

use serde_json::Value;

use crate::carriers::{HookPiece, PlatformTrouble, Polled};
use crate::platforms::voip::PhonePlatform;
use crate::platforms::voip::hooks::{CallStatus, TextArrived, TextStatus};
use model::time::{MINUTE, SECOND, Timestamp};

/// How much earlier than what was read last is read again: what is under way
/// changes, and clocks differ.
const OVERLAP: i64 = 10 * MINUTE;
/// Things of one page.
const PAGE: &str = "200";
/// Pages at most.
const PAGES: usize = 50;
/// Files of one message that are looked for.
const FILES: usize = 10;

/// The mark of a number that is read from a time on.
pub fn mark(from: Timestamp) -> String {
    from.micros().to_string()
}

impl PhonePlatform {
    /// Reads on from a mark, which is the newest time that was read.
    pub(super) async fn list(&self, mark: &str) -> Result<Polled, PlatformTrouble> {
        let last = Timestamp::from_micros(mark.parse().unwrap_or(0));
        let from = last.plus(-OVERLAP).iso().as_str().split('.').next().unwrap_or_default().to_owned() + "Z";
        let number = self.settings.number.as_str();
        let mut found = Lists::new(last);
        let to_us = [("To", number), ("DateSent>", &from), ("PageSize", PAGE)];
        for told in self.pages("Messages", "messages", &to_us).await? {
            if told["direction"] == "inbound" {
                found.note(&told["date_sent"]);
                let files = self.files(&told).await?;
                found.pieces.extend(arrived(&told, files).map(TextArrived::piece));
            }
        }
        let of_us = [("From", number), ("DateSent>", &from), ("PageSize", PAGE)];
        for told in self.pages("Messages", "messages", &of_us).await? {
            if told["direction"].as_str().is_some_and(|text| text.starts_with("outbound")) {
                found.note(&told["date_sent"]);
                found.pieces.extend(status(&told).map(TextStatus::piece));
            }
        }
        let of_us = [("From", number), ("StartTime>", &from), ("PageSize", PAGE)];
        for told in self.pages("Calls", "calls", &of_us).await? {
            found.note(&told["start_time"]);
            found.pieces.extend(call(&told).map(CallStatus::piece));
        }
        // The platform lists what is newest first.
        found.pieces.reverse();
        Ok(Polled { pieces: found.pieces, mark: self::mark(found.newest), ..Polled::default() })
    }

    /// All of a list, newest first.
    async fn pages(
        &self,
        name: &str,
        member: &str,
        query: &[(&str, &str)],
    ) -> Result<Vec<Value>, PlatformTrouble> {
        let mut told = self.ask(&format!("{name}.json"), query).await?;
        let mut all = Vec::new();
        for _ in 0..PAGES {
            let Some(data) = told[member].as_array_mut() else {
                return Err(PlatformTrouble::passing("the platform does not tell what it has of the number"));
            };
            all.append(data);
            match told["next_page_uri"].as_str().filter(|text| !text.is_empty()) {
                Some(next) => told = self.ask_at(next).await?,
                None => return Ok(all),
            }
        }
        // The oldest would be missed.
        Err(PlatformTrouble::passing("the platform has more of the number than can be read at once"))
    }

    /// Where the files of a listed message lie, and their media types.
    async fn files(&self, told: &Value) -> Result<Vec<(String, String)>, PlatformTrouble> {
        let count = told["num_media"].as_str().and_then(|text| text.parse().ok()).unwrap_or(0_usize);
        let (Some(id), true) = (told["sid"].as_str(), count > 0) else { return Ok(Vec::new()) };
        let listed = self.ask(&format!("Messages/{id}/Media.json"), &[]).await?;
        let api = self.settings.api.trim_end_matches('/');
        let one = |value: &Value| {
            let path = value["uri"].as_str()?.trim_end_matches(".json");
            Some((format!("{api}{path}"), value["content_type"].as_str().unwrap_or("").to_owned()))
        };
        let files = listed["media_list"].as_array().into_iter().flatten();
        Ok(files.filter_map(one).take(FILES).collect())
    }
}

/// What was read so far.
struct Lists {
    pieces: Vec<HookPiece>,
    newest: Timestamp,
}

impl Lists {
    fn new(newest: Timestamp) -> Self {
        Self { pieces: Vec::new(), newest }
    }

    /// Notes when something happened, where that is told.
    fn note(&mut self, date: &Value) {
        self.newest = date.as_str().and_then(of_date).map_or(self.newest, |time| time.max(self.newest));
    }
}

fn word(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn arrived(told: &Value, files: Vec<(String, String)>) -> Option<TextArrived> {
    let text = word(&told["body"]).unwrap_or_default();
    let at = ["date_sent", "date_created"].iter().find_map(|field| told[*field].as_str().and_then(of_date));
    let at = at.map(|at| at.micros() / SECOND);
    Some(TextArrived { id: word(&told["sid"])?, from: word(&told["from"])?, text, at, files, opt_out: None })
}

fn status(told: &Value) -> Option<TextStatus> {
    Some(TextStatus {
        id: word(&told["sid"])?,
        status: word(&told["status"])?,
        to: word(&told["to"])?,
        error: told["error_code"].as_i64(),
        own: None,
        text: word(&told["body"]),
    })
}

fn call(told: &Value) -> Option<CallStatus> {
    Some(CallStatus {
        id: word(&told["sid"])?,
        status: word(&told["status"])?,
        to: word(&told["to"])?,
        seconds: told["duration"].as_str().and_then(|text| text.parse().ok()).unwrap_or(0),
        own: None,
    })
}

/// A date as mail writes it, which the platform does: `Fri, 24 May 2019 17:44:46 +0000`.
fn of_date(text: &str) -> Option<Timestamp> {
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
    use super::*;

    #[test]
    fn the_platforms_dates_are_read() {
        let read = |text| of_date(text).map(|date| date.to_string());
        assert_eq!(read("Fri, 24 May 2019 17:44:46 +0000").as_deref(), Some("2019-05-24T17:44:46.000Z"));
        assert_eq!(read("Mon, 3 Nov 2025 09:00:00 +0000").as_deref(), Some("2025-11-03T09:00:00.000Z"));
        for wrong in ["", "2019-05-24", "Fri, 24 Mai 2019 17:44:46 +0000", "Fri, x May 2019 1:1:1 +0000"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
