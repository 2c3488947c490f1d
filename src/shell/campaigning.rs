//! Carries out the inbox's orders about broadcasts in waves, on the writing thread, and resolves audiences.

use crate::shell::exporting;
use inbox::event::{Event, Loaded};
use inbox::screens::broadcasts::HandoverFacts;
use inbox::screens::broadcasts::{BroadcastQuery, BroadcastResult, CampaignAction, CampaignActionResult};
use model::attention::{AttentionEntry, AttentionQuery};
use model::board::BoardEntry;
use model::queries::DeskQuery;
use model::time::Timestamp;
use model::waves::audience::{AudienceQuery, AudienceSource, ResolvedAudience, parse_lines};
use store::{Reader, Store, StoreError};

const MAX_HANDOVER_ROWS: u32 = 500;
/// Maximum bytes read from an audience file.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

pub fn execute_order(store: &Store, order: CampaignAction, now: Timestamp) -> Event {
    let done = match &order {
        CampaignAction::Report { text, file } => return Event::Exported(exporting::write_new(text, file)),
        CampaignAction::Begin(new, quality) => {
            match store.start_campaign((**new).clone(), quality.clone(), now) {
                Ok(id) => return Event::Campaign(CampaignActionResult::Begun(new.clone(), id)),
                Err(error) => Err(error),
            }
        }
        CampaignAction::Recall(id) => store.recall_campaign(id),
        CampaignAction::Halt(id, phase) => store.halt_campaign(id, *phase),
        CampaignAction::UndoPause(id) => store.undo_campaign_pause(id, now),
        CampaignAction::Continue(id, limit, quality) => store.continue_campaign(id, *limit, quality.clone()),
        CampaignAction::Track(channel, id) => store.track_broadcast(channel, id, now).map(|()| true),
    };
    Event::Campaign(match done {
        Ok(done) => CampaignActionResult::Done(order, done),
        Err(error) => {
            tracing::error!(%error, "a broadcast could not be stored");
            CampaignActionResult::Failed(order, error.to_string())
        }
    })
}

pub fn load(reader: &Reader, wanted: &BroadcastQuery) -> Result<Loaded, StoreError> {
    let told = match wanted {
        BroadcastQuery::Rows(query) => {
            BroadcastResult::Rows(query.clone(), reader.board(query.channel.as_ref())?)
        }
        BroadcastQuery::Detail(id) => BroadcastResult::Detail(id.clone(), reader.board_detail(id)?),
        BroadcastQuery::Audience(query) => BroadcastResult::Audience(query.clone(), audience(reader, query)?),
        BroadcastQuery::Running => BroadcastResult::Running(running(reader)?),
        BroadcastQuery::Handover(query, (since, until)) => {
            let rows = DeskQuery { channel: None, limit: MAX_HANDOVER_ROWS };
            BroadcastResult::Handover(HandoverFacts {
                outbox: reader.outbox(&rows)?.entries,
                paused: reader.paused_entries(MAX_HANDOVER_ROWS)?,
                running: running(reader)?,
                ended: reader.ended_broadcasts(*since)?,
                undelivered: reader.undelivered(*since)?,
                snoozed: reader.snoozed(*until, MAX_HANDOVER_ROWS)?,
                claims: reader.claims(MAX_HANDOVER_ROWS)?,
                troubled: load_attention(reader, query)?,
            })
        }
    };
    Ok(Loaded::Broadcasts(Box::new(told)))
}

/// Conversations in which the AI fails or a person is asked for.
fn load_attention(reader: &Reader, query: &AttentionQuery) -> Result<Vec<AttentionEntry>, StoreError> {
    let (entries, _) = reader.attention(query)?;
    Ok(entries.into_iter().filter(|entry| entry.reason.is_trouble()).collect())
}

/// Open broadcasts of all tabs.
fn running(reader: &Reader) -> Result<Vec<BoardEntry>, StoreError> {
    Ok(reader.board(None)?.into_iter().filter(BoardEntry::is_open).collect())
}

/// Resolves an audience to recipients, with an error text if its file cannot be read.
fn audience(reader: &Reader, query: &AudienceQuery) -> Result<Result<ResolvedAudience, String>, StoreError> {
    let channel = &query.channel;
    Ok(Ok(match &query.source {
        AudienceSource::Conversations(keys) => reader.audience_of_conversations(channel, keys)?,
        AudienceSource::Phones(phones) => reader.audience_of_phones(channel, phones)?,
        AudienceSource::Fitting(search) => reader.audience_of_search(channel, search)?,
        AudienceSource::Failed(id) => reader.audience_of_failed(channel, id)?,
        AudienceSource::Everyone => reader.everyone_read(channel)?,
        AudienceSource::File(path) => match read(path) {
            Ok(text) => reader.audience_of_lines(channel, &parse_lines(&text))?,
            Err(why) => return Ok(Err(format!("{path}: {why}"))),
        },
    }))
}

fn read(path: &str) -> Result<String, String> {
    let facts = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if facts.len() > MAX_FILE_BYTES {
        return Err("it is larger than 16 MiB".to_owned());
    }
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}
