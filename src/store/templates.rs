//! Templates as last read, and the price of the last template sent.

use rusqlite::{Connection, params};
use serde_json::Value;

use crate::{Reader, Store, StoreError, meta};
use model::ids::ChannelId;
use model::templates::{MessageTemplate, TemplatePart, Templates, UnapprovedTemplate};
use model::time::Timestamp;
use sqlite::{Queries, read_row};

/// Mark: time the list was read, in microseconds.
const FETCHED_AT_MARK: &str = "templates_fetched";
/// Mark: credits charged for the last template.
const CHARGE_MARK: &str = "template_charged";
const MAX_TEMPLATES: usize = 2_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedTemplate {
    pub name: String,
    pub language: String,
    /// Category in the platform's words.
    pub category: String,
    /// JSON array of components.
    pub components: String,
    /// Status in the platform's word; `None` if approved.
    pub status: Option<String>,
    /// Reason why it is not approved.
    pub reason: Option<String>,
}

impl Store {
    /// Replaces the list of a channel.
    pub async fn apply_templates(
        &self,
        channel: &ChannelId,
        told: Vec<ReceivedTemplate>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let channel = channel.clone();
        self.cache()
            .change_async(move |change| {
                change.execute("DELETE FROM template WHERE channel = ?1", [channel.as_str()])?;
                let mut insert = change.prepare(
                    "INSERT INTO template (channel, position, name, language, category, components, status, reason)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                )?;
                for (position, template) in told.into_iter().take(MAX_TEMPLATES).enumerate() {
                    let position = i64::try_from(position).unwrap_or(i64::MAX);
                    let ReceivedTemplate { name, language, category, components, status, reason } = template;
                    insert.execute(params![
                        channel, position, name, language, category, components, status, reason
                    ])?;
                }
                drop(insert);
                meta::write(change, &channel, &[(FETCHED_AT_MARK, Some(now.micros().to_string()))])?;
                Ok(())
            })
            .await
    }

    pub async fn record_template_charge(&self, channel: &ChannelId, credits: i64) -> Result<(), StoreError> {
        self.set_meta(channel, vec![(CHARGE_MARK, Some(credits.to_string()))]).await
    }

    pub async fn template_charge(&self, channel: &ChannelId) -> Result<Option<i64>, StoreError> {
        Ok(self.meta(channel, CHARGE_MARK).await?.and_then(|meta| meta.parse().ok()))
    }
}

impl Reader {
    pub fn templates(&self, channel: &ChannelId) -> Result<Templates, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        let number = |name| {
            let value = meta::read(&moment, channel, name)?;
            Ok::<_, StoreError>(value.and_then(|value| value.parse::<i64>().ok()))
        };
        Ok(Templates {
            all: list_approved(&moment, channel)?,
            not_approved: list_not_approved(&moment, channel)?,
            fetched_at: number(FETCHED_AT_MARK)?.map(Timestamp::from_micros),
            charged: number(CHARGE_MARK)?,
        })
    }
}

fn list_approved(connection: &Connection, channel: &ChannelId) -> Result<Vec<MessageTemplate>, StoreError> {
    let sql = "SELECT name, language, category, components FROM template
               WHERE channel = ?1 AND status IS NULL ORDER BY position";
    Ok(connection.all(sql, [channel.as_str()], |row| {
        let parts = row.parse_word("components", parse_parts)?;
        Ok(read_row!(row, MessageTemplate { name, language, category, raw = components; parts }))
    })?)
}

fn list_not_approved(
    connection: &Connection,
    channel: &ChannelId,
) -> Result<Vec<UnapprovedTemplate>, StoreError> {
    let sql = "SELECT name, language, category, components, status, reason FROM template
               WHERE channel = ?1 AND status IS NOT NULL ORDER BY position";
    Ok(connection.all(sql, [channel.as_str()], |row| {
        let parts = row.parse_word("components", parse_parts)?;
        let template = read_row!(row, MessageTemplate { name, language, category, raw = components; parts });
        Ok(read_row!(row, UnapprovedTemplate { status, reason; template }))
    })?)
}

/// Parses the parts; `None` if any has an unknown shape.
fn parse_parts(raw: &str) -> Option<Vec<TemplatePart>> {
    let all: Vec<Value> = serde_json::from_str(raw).ok()?;
    let mut parts = Vec::new();
    for component in &all {
        let text = || Some(component.get("text")?.as_str()?.to_owned());
        let word =
            |name: &str| component.get(name).and_then(Value::as_str).unwrap_or("").to_ascii_uppercase();
        match (word("type").as_str(), word("format").as_str()) {
            ("HEADER", "" | "TEXT") => parts.push(TemplatePart::Header(text()?)),
            ("HEADER", format @ ("IMAGE" | "VIDEO" | "DOCUMENT")) => {
                let kind = ["image", "video", "document"]
                    .into_iter()
                    .find(|text| text.eq_ignore_ascii_case(format))?;
                parts.push(TemplatePart::HeaderMedia(kind, example_url(component)));
            }
            ("BODY", _) => parts.push(TemplatePart::Body(text()?)),
            ("FOOTER", _) => parts.push(TemplatePart::Footer(text()?)),
            ("BUTTONS", _) => {
                for (place, button) in component.get("buttons")?.as_array()?.iter().enumerate() {
                    let label = button.get("text")?.as_str()?.to_owned();
                    let url = button.get("url").and_then(Value::as_str).map(str::to_owned);
                    parts.push(TemplatePart::Button(place, label, url));
                }
            }
            _ => return None,
        }
    }
    Some(parts)
}

/// Returns the first URL among the examples of a part.
fn example_url(part: &Value) -> Option<String> {
    let examples = part.get("example")?.as_object()?.values();
    let links =
        examples.filter_map(|example| example.as_array()?.first()?.as_str().or_else(|| example.as_str()));
    links.map(str::to_owned).find(|text| text.starts_with("https://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_shapes_are_parts_and_others_are_not() {
        let known = r#"[{"type":"HEADER","format":"IMAGE","example":{"header_handle":["https://x.example/a.jpg"]}},
            {"type":"BODY","text":"Hi {{1}}"},{"type":"FOOTER","text":"bye"},
            {"type":"BUTTONS","buttons":[{"type":"QUICK_REPLY","text":"Yes"},{"type":"URL","text":"Go","url":"https://x/{{1}}"}]}]"#;
        let parts = parse_parts(known).expect("known");
        assert_eq!(parts[0], TemplatePart::HeaderMedia("image", Some("https://x.example/a.jpg".into())));
        assert_eq!(parts[4], TemplatePart::Button(1, "Go".into(), Some("https://x/{{1}}".into())));
        for unknown in
            ["{}", "[1]", r#"[{"type":"CAROUSEL","cards":[]}]"#, r#"[{"type":"HEADER","format":"LOCATION"}]"#]
        {
            assert_eq!(super::parse_parts(unknown), None, "{unknown}");
        }
    }
}
