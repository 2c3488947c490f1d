//! Campaigns and their waves as rows, in the file of one database or another.
//!
//! What became of a wave's row is looked up where its outbox row, its audit
//! and what people decided are, unless it was noted already.
//!
//! Knows nothing of which campaigns are wanted beyond a condition.

use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use serde_json::Value;

use crate::model::ids::{BroadcastId, CampaignId, ChannelId, RowId};
use crate::model::outbox::content::BroadcastContent;
use crate::model::text::SafeText;
use crate::model::time::Timestamp;
use crate::model::waves::{Campaign, Cause, Fate, Phase, Reading, Rules, Wave, WavePlan};
use crate::store::StoreError;
use crate::store::rows::content;
use crate::store::rows::operation::Fields;
use crate::store::rows::{line, optional_line, time};

/// What a campaign says, as the column keeps it.
pub(crate) fn write_content(it: &BroadcastContent) -> String {
    content::write_broadcast(it).to_string()
}

fn read_content(text: &str) -> Option<BroadcastContent> {
    let value: Value = serde_json::from_str(text).ok()?;
    content::read_broadcast(&Fields(value.as_object()?))
}

/// The campaigns a condition behind `FROM` asks for. `schema` is where the
/// outbox's tables are.
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
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(bound)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        // One of a later version's is not touched.
        let Some(mut campaign) = campaign(row)? else { continue };
        campaign.waves = waves(connection, schema, row.get(0)?)?;
        found.push(campaign);
    }
    Ok(found)
}

fn campaign(row: &Row<'_>) -> rusqlite::Result<Option<Campaign>> {
    let size = |at: usize| Ok::<_, rusqlite::Error>(usize::try_from(row.get::<_, i64>(at)?).unwrap_or(0));
    let content = read_content(&row.get::<_, String>(3)?);
    let phase = Phase::from_word(&row.get::<_, String>(14)?);
    let (Some(content), Some(phase)) = (content, phase) else { return Ok(None) };
    let rules = Rules {
        failed_percent: row.get::<_, i64>(9)?.clamp(0, 100).try_into().unwrap_or(0),
        floor: row.get(10)?,
        quality: row.get(11)?,
    };
    Ok(Some(Campaign {
        id: CampaignId::new(row.get::<_, String>(1)?),
        channel: ChannelId::new(row.get::<_, String>(2)?),
        content,
        everyone: row.get(4)?,
        count: size(5)?,
        plan: WavePlan { canary: size(6)?, wave: size(7)?, wait: row.get(8)?, rules },
        made_at: Timestamp::from_micros(row.get(12)?),
        starts_at: Timestamp::from_micros(row.get(13)?),
        phase,
        cause: row.get::<_, Option<String>>(15)?.and_then(|it| Cause::from_word(&it)),
        why: line(row, 16)?,
        judged_from: size(17)?,
        quality_before: optional_line(row, 18)?,
        waves: Vec::new(),
    }))
}

fn waves(connection: &Connection, schema: &str, campaign: i64) -> Result<Vec<Wave>, StoreError> {
    let sql = format!(
        "SELECT size, row, sent_at, broadcast, looked_at, finished_at, is_unknown, recipients, delivered,
             failed, pending FROM {schema}.campaign_wave WHERE campaign = ?1 ORDER BY number"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([campaign])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let id = row.get::<_, Option<String>>(1)?.map(RowId::new);
        let sent_at = time(row, 2)?;
        let fate = match &id {
            None => Fate::Unsent,
            Some(_) if sent_at.is_some() => {
                Fate::Sent(row.get::<_, Option<String>>(3)?.map(BroadcastId::new))
            }
            Some(id) => fate(connection, schema, id)?,
        };
        let size = usize::try_from(row.get::<_, i64>(0)?).unwrap_or(0);
        found.push(Wave { size, row: id, fate, sent_at, reading: reading(row)? });
    }
    Ok(found)
}

fn reading(row: &Row<'_>) -> rusqlite::Result<Option<Reading>> {
    let Some(at) = time(row, 4)? else { return Ok(None) };
    Ok(Some(Reading {
        at,
        finished_at: time(row, 5)?,
        is_unknown: row.get(6)?,
        recipients: row.get(7)?,
        delivered: row.get(8)?,
        failed: row.get(9)?,
        pending: row.get(10)?,
    }))
}

/// What became of a row, or of those a person made of it.
fn fate(connection: &Connection, schema: &str, row: &RowId) -> Result<Fate, StoreError> {
    let heirs = format!(
        "WITH RECURSIVE heir (id) AS (
             SELECT ?1 UNION
             SELECT d.successor FROM {schema}.decision d JOIN heir ON d.row = heir.id
             WHERE d.successor IS NOT NULL)"
    );
    let done = format!(
        "{heirs} SELECT made FROM {schema}.audit WHERE row IN heir AND event = 'done' ORDER BY made DESC LIMIT 1"
    );
    let made = connection.prepare_cached(&done)?.query_row([row.as_str()], |it| it.get(0)).optional()?;
    if let Some(made) = made {
        let made: String = made;
        return Ok(Fate::Sent((!made.is_empty()).then(|| BroadcastId::new(made))));
    }
    let sql = format!("{heirs} SELECT state, why FROM {schema}.outbox WHERE id IN heir LIMIT 1");
    let found = connection
        .prepare_cached(&sql)?
        .query_row(params![row.as_str()], |it| {
            let why = optional_line(it, 1)?.unwrap_or_else(|| SafeText::line("it waits for a decision"));
            Ok(if it.get::<_, String>(0)? == "stopped" { Fate::Asks(why) } else { Fate::Leaving })
        })
        .optional()?;
    Ok(found.unwrap_or(Fate::Dropped))
}
