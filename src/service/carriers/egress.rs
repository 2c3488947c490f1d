//! Send loop: claims due outbound messages, sends them and settles the outcomes.

use std::collections::HashMap;
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use crate::carriers::{OutboundFile, OutboundMessage, SendOutcome, settle};
use crate::channels::Channel;
use crate::chat::keywords;
use crate::database::egress::{self as stored, EgressRow};
use crate::database::{DatabaseError, WriteScope, channels, media};
use crate::errors::ApiError;
use crate::mail::compose;
use crate::media as hosted;
use crate::platforms;
use crate::state::Service;
use crate::takeover;
use crate::voice::CALL_KIND;
use crate::write::WriteContext;
use model::time::{Clock, MINUTE, SECOND, Timestamp};
use wire::errors::ErrorCode;

/// Maximum number of concurrent attempts.
const MAX_CONCURRENT_SENDS: usize = 32;
/// Maximum duration of an attempt, in microseconds; platform adapters time out long before.
const SEND_LEASE: i64 = MINUTE;
/// Maximum duration of an attempt with mail, which carries attachments, in microseconds.
const MAIL_SEND_LEASE: i64 = 8 * MINUTE;
/// Minimum time between the starts of two attempts on one channel. Platforms accept about 30 messages a
/// second per sender.
const SEND_INTERVAL: Duration = Duration::from_millis(35);

/// Sends due messages until the service stops, then finishes running attempts.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    let mut flights = FuturesUnordered::new();
    let mut paces: HashMap<String, Instant> = HashMap::new();
    loop {
        let mut committed = pin!(service.committed.notified());
        committed.as_mut().enable();
        let next = match claim_due(&service, MAX_CONCURRENT_SENDS.saturating_sub(flights.len())).await {
            Ok((claimed, next)) => {
                for (row, channel) in claimed {
                    let start =
                        paces.get(&row.channel).copied().unwrap_or_else(Instant::now).max(Instant::now());
                    paces.insert(row.channel.clone(), start + SEND_INTERVAL);
                    flights.push(send_one(&service, row, channel, start));
                }
                next
            }
            Err(error) => {
                tracing::error!(%error.message, "what is to leave stands still for a moment");
                Some(service.clock.now().plus(SECOND))
            }
        };
        let wait = next.map_or(MINUTE, |at| at.since(service.clock.now()).clamp(0, MINUTE));
        tokio::select! {
            Some(()) = flights.next(), if !flights.is_empty() => {}
            () = committed => {}
            () = sleep(Duration::from_micros(u64::try_from(wait).unwrap_or(0))) => {}
            _ = stop.changed() => break,
        }
    }
    while flights.next().await.is_some() {}
}

/// Settles abandoned attempts and claims at most `room` due messages. Returns them and the next due time.
async fn claim_due(
    service: &Service,
    room: usize,
) -> Result<(Vec<(EgressRow, Channel)>, Option<Timestamp>), ApiError> {
    let now = service.clock.now();
    let count = i64::try_from(room).unwrap_or(0);
    let look: Result<_, DatabaseError> = service
        .database
        .read(move |db| {
            Ok((
                stored::list_due(db, now, count)?,
                stored::list_abandoned(db, now)?,
                stored::next_due(db, now)?,
            ))
        })
        .await;
    let (due, abandoned, mut next) = look?;
    let mut parts: Vec<(WriteScope, WorkspaceClaim)> = Vec::new();
    for (row, is_abandoned) in abandoned
        .into_iter()
        .map(|egress_row| (egress_row, true))
        .chain(due.into_iter().map(|egress_row| (egress_row, false)))
    {
        let scope = service.database.scope_of_channel(&row.channel).await?;
        let place = parts.iter().position(|part| part.0 == scope).unwrap_or_else(|| {
            parts.push((scope, WorkspaceClaim::default()));
            parts.len() - 1
        });
        let part = &mut parts[place].1;
        if is_abandoned { part.abandoned.push(row) } else { part.due.push(row) }
    }
    let mut claimed = Vec::new();
    for (scope, part) in parts {
        match claim_in_workspace(service, scope, part, now).await {
            Ok(more) => claimed.extend(more),
            Err(error) if claimed.is_empty() => return Err(error),
            Err(error) => {
                // Messages claimed in other workspaces are sent all the same.
                tracing::error!(%error.message, "what is to leave of a workspace stands still for a moment");
                next = Some(now.plus(SECOND));
                break;
            }
        }
    }
    service.settled.0.notify_waiters();
    Ok((claimed, next))
}

/// Abandoned attempts and due messages of one workspace.
#[derive(Default)]
struct WorkspaceClaim {
    abandoned: Vec<EgressRow>,
    due: Vec<EgressRow>,
}

/// Settles abandoned attempts of a workspace and claims its due messages.
async fn claim_in_workspace(
    service: &Service,
    scope: WriteScope,
    WorkspaceClaim { abandoned, due }: WorkspaceClaim,
    now: Timestamp,
) -> Result<Vec<(EgressRow, Channel)>, ApiError> {
    let state = service.clone();
    let claimed = service.database.write_as_leader(scope, move |db| {
        let work = WriteContext { db, service: &state, now, test: false, key: None };
        for row in abandoned {
            let why = "the service ended while it was on its way".to_owned();
            settle::settle_attempt(&work, &row.id, row.fence, SendOutcome::Unknown { why })?;
        }
        let mut claimed = Vec::new();
        for row in due {
            let channel = channels::read(db, &row.channel)?.kind;
            let lease = if channel == Channel::Email { MAIL_SEND_LEASE } else { SEND_LEASE };
            if settle::may_leave(&work, &row)?
                && let Some(fence) = stored::claim(db, &row, now.plus(lease))?
            {
                claimed.push((EgressRow { fence, ..row }, channel));
            }
        }
        stored::delete_settled(db, settle::retention_cutoff(state.clock.retention_time()))?;
        Ok::<_, ApiError>(claimed)
    });
    claimed.await
}

/// Sends a message and settles it, retrying while the database fails. A message withdrawn before its first
/// byte was sent is settled already.
async fn send_one(service: &Service, row: EgressRow, channel: Channel, start: Instant) {
    sleep_until(start).await;
    let Some(outcome) = send_unless_recalled(service, &row, channel).await else { return };
    service.metrics.record_send(channel, outcome.word());
    loop {
        match settle_attempt(service, &row, outcome.clone()).await {
            Ok(()) => break,
            Err(error) => {
                tracing::error!(%error.message, "what became of a message could not be kept yet");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
    service.settled.0.notify_waiters();
}

async fn settle_attempt(service: &Service, row: &EgressRow, outcome: SendOutcome) -> Result<(), ApiError> {
    let scope = service.database.scope_of_channel(&row.channel).await?;
    let (state, id, fence) = (service.clone(), row.id.clone(), row.fence);
    service
        .database
        .write_in(scope, move |db| {
            let work = WriteContext { db, service: &state, now: state.clock.now(), test: false, key: None };
            settle::settle_attempt(&work, &id, fence, outcome)
        })
        .await
}

/// Sends a message; `None` if it may not be sent any more.
async fn send_unless_recalled(service: &Service, row: &EgressRow, channel: Channel) -> Option<SendOutcome> {
    let refused =
        |error: ApiError| Some(SendOutcome::Refused { code: error.code, why: error.message, broken: false });
    let later = |error: ApiError| Some(SendOutcome::Later { after: 5 * SECOND, why: error.message });
    let Some(connected) = service.platforms.connected(&row.channel) else {
        return refused(platforms::not_connected_error(channel));
    };
    let parcel: OutboundMessage = match serde_json::from_str(&row.parcel) {
        Ok(parcel) => parcel,
        Err(cause) => return refused(ApiError::internal(&cause)),
    };
    match check_opt_out(service, row, &parcel, channel).await {
        Ok(()) => {}
        Err(error) if error.code == ErrorCode::InvalidRecipient => return refused(error),
        Err(error) => return later(error),
    }
    let file = match channel {
        Channel::Email => compose::load_mail_file(service, row).await,
        _ => load_file(service, &parcel).await,
    };
    let file = match file {
        Ok(file) => file,
        Err(error) => return later(error),
    };
    match mark_departed(service, row).await {
        Ok(true) => Some(connected.platform.send_message(&parcel, file.as_ref()).await),
        Ok(false) => None,
        Err(error) => later(error),
    }
}

/// Returns true if a claimed message may be sent now. A text of the assistant's may not after a takeover; a
/// later takeover waits for this attempt (see `takeover.rs`).
async fn mark_departed(service: &Service, row: &EgressRow) -> Result<bool, ApiError> {
    if !takeover::is_from_assistant(row)? {
        return Ok(true);
    }
    let scope = service.database.scope_of_channel(&row.channel).await?;
    let row = row.clone();
    let departed: Result<bool, DatabaseError> =
        service.database.write_in(scope, move |db| stored::mark_departed(db, &row)).await;
    Ok(departed?)
}

/// Refuses a text to a customer who has written STOP since it was queued.
async fn check_opt_out(
    service: &Service,
    row: &EgressRow,
    parcel: &OutboundMessage,
    channel: Channel,
) -> Result<(), ApiError> {
    if channel != Channel::Voip || parcel.kind == CALL_KIND {
        return Ok(());
    }
    let (channel, peer) = (row.channel.clone(), parcel.to.clone());
    service.database.read(move |db| keywords::check_opt_out(db, &channel, &peer)).await
}

/// Returns the message's media file, if this service hosts it.
async fn load_file(service: &Service, parcel: &OutboundMessage) -> Result<Option<OutboundFile>, ApiError> {
    let id = parcel.media_url.as_deref().and_then(|media_url| hosted::hosted_id(service, media_url));
    let Some(id) = id.map(str::to_owned) else { return Ok(None) };
    let found: Result<_, DatabaseError> = service.database.read(move |db| media::read(db, &id)).await;
    let Some(row) = found? else { return Ok(None) };
    let bytes = service.read_media(&row.id).await?;
    let name = parcel.filename.clone().unwrap_or(row.filename);
    Ok(Some(OutboundFile { name, mime_type: row.mime_type, bytes }))
}
