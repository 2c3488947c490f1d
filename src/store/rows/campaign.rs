//! Reads campaigns and their waves from either database. The state of a wave not recorded as sent
//! is derived from its outbox row, the audit log and the decisions.

use rusqlite::{Connection, Params};
use serde_json::json;

use crate::StoreError;
use crate::rows::untagged;
use model::ids::{BroadcastId, RowId};
use model::outbox::content::BroadcastContent;
use model::text::SafeText;
use model::time::Timestamp;
use model::waves::{
    Campaign, CampaignPhase, PauseCause, StopRules, Wave, WavePlan, WaveReading, WaveRowState,
};
use sqlite::{Queries, Row, only_cell, read_row};

pub(crate) fn write_content(content: &BroadcastContent) -> String {
    json!(content).to_string()
}

fn read_content(text: &str) -> Option<BroadcastContent> {
    let mut value = serde_json::from_str(text).ok()?;
    untagged::tag_broadcast(&mut value);
    serde_json::from_value(value).ok()
}

/// Returns the campaigns that match `condition`; `schema` is the schema name of the outbox.
pub(crate) fn select(
    connection: &Connection,
    schema: &str,
    condition: &str,
    bound: impl Params,
) -> Result<Vec<Campaign>, StoreError> {
    let sql = format!(
        "SELECT number, id, channel, content, everyone, people, canary, wave, wait, failed_percent, floor,
             quality, made_at, starts_at, phase, cause, why, judged_from, quality_before
         FROM {schema}.campaign {condition}"
    );
    // Skips campaigns of a later version.
    let read: Vec<Option<(i64, Campaign)>> = connection.all(&sql, bound, campaign_from_row)?;
    let with_waves = |(number, found): (i64, Campaign)| {
        Ok(Campaign { waves: load_waves(connection, schema, number)?, ..found })
    };
    read.into_iter().flatten().map(with_waves).collect()
}

fn campaign_from_row(row: &Row<'_>) -> rusqlite::Result<Option<(i64, Campaign)>> {
    let content = row.parse_word("content", read_content)?;
    let phase = row.parse_word("phase", CampaignPhase::from_word)?;
    let (Some(content), Some(phase)) = (content, phase) else { return Ok(None) };
    let failed_percent = row.get::<i64>("failed_percent")?.clamp(0, 100).try_into().unwrap_or(0);
    let rules = read_row!(row, StopRules { floor, quality; failed_percent });
    let campaign = read_row!(row, Campaign {
        id, channel, everyone, count = people: number, created_at = made_at, starts_at, why: line, judged_from: number,
        quality_before: optional_line;
        content,
        plan: read_row!(row, WavePlan { canary: number, wave: number, wait; rules }),
        phase,
        pause_cause: row.optional_text("cause")?.and_then(PauseCause::from_word),
        waves: Vec::new()
    });
    Ok(Some((row.get("number")?, campaign)))
}

fn load_waves(connection: &Connection, schema: &str, campaign: i64) -> Result<Vec<Wave>, StoreError> {
    let sql = format!(
        "SELECT size, row, sent_at, broadcast, looked_at, finished_at, is_unknown, recipients, delivered,
             failed, pending FROM {schema}.campaign_wave WHERE campaign = ?1 ORDER BY number"
    );
    let mut found: Vec<Wave> = connection.all(&sql, [campaign], wave_from_row)?;
    for wave in found.iter_mut().filter(|wave| wave.sent_at.is_none()) {
        if let Some(row) = &wave.row {
            wave.row_state = wave_row_state(connection, schema, row)?;
        }
    }
    Ok(found)
}

fn wave_from_row(row: &Row<'_>) -> rusqlite::Result<Wave> {
    let (id, sent_at): (Option<RowId>, Option<Timestamp>) = (row.get("row")?, row.get("sent_at")?);
    let is_sent = id.is_some() && sent_at.is_some();
    let fate = if is_sent { WaveRowState::Sent(row.get("broadcast")?) } else { WaveRowState::Unsent };
    Ok(
        read_row!(row, Wave { size: number; row: id, row_state: fate, sent_at, reading: reading_from_row(row)? }),
    )
}

fn reading_from_row(row: &Row<'_>) -> rusqlite::Result<Option<WaveReading>> {
    let Some(at) = row.get("looked_at")? else { return Ok(None) };
    Ok(Some(
        read_row!(row, WaveReading { finished_at, is_unknown, recipients, delivered, failed, pending; at }),
    ))
}

/// Returns the state of a row or of its successors.
fn wave_row_state(connection: &Connection, schema: &str, row: &RowId) -> Result<WaveRowState, StoreError> {
    let heirs = format!(
        "WITH RECURSIVE heir (id) AS (
             SELECT ?1 UNION
             SELECT d.successor FROM {schema}.decision d JOIN heir ON d.row = heir.id
             WHERE d.successor IS NOT NULL)"
    );
    let done = format!(
        "{heirs} SELECT made FROM {schema}.audit WHERE row IN heir AND event = 'done' ORDER BY made DESC LIMIT 1"
    );
    if let Some(made) = connection.first(&done, [row], only_cell::<String>)? {
        return Ok(WaveRowState::Sent((!made.is_empty()).then(|| BroadcastId::new(made))));
    }
    let sql = format!("{heirs} SELECT state, why FROM {schema}.outbox WHERE id IN heir LIMIT 1");
    let found = connection.first(&sql, [row], |row| {
        let why = row.optional_line("why")?.unwrap_or_else(|| SafeText::line("it needs a decision"));
        Ok(if row.text::<&str>("state")? == "stopped" {
            WaveRowState::NeedsDecision(why)
        } else {
            WaveRowState::Sending
        })
    })?;
    Ok(found.unwrap_or(WaveRowState::Dropped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::outbox::content::{FilledTemplate, Json};

    #[test]
    fn what_a_campaign_says_is_read_with_a_tag_and_from_before_it_had_one() {
        let components = Some(Json("[]".to_owned()));
        let template = FilledTemplate { name: "n".to_owned(), language: "es".to_owned(), components };
        for (content, untagged) in [
            (BroadcastContent::Text("hi".to_owned()), r#"{"kind":"text","text":"hi"}"#),
            (BroadcastContent::Image("https://f".to_owned()), r#"{"kind":"image","link":"https://f"}"#),
            (
                BroadcastContent::Template(template),
                r#"{"kind":"template","name":"n","language":"es","components":"[]"}"#,
            ),
        ] {
            assert_eq!(read_content(untagged).as_ref(), Some(&content));
            assert_eq!(read_content(&write_content(&content)), Some(content));
        }
        assert_eq!(read_content(r#"{"kind":"film"}"#), None);
    }
}
