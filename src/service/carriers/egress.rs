//! Send loop: claims due outbound messages, sends them and settles the outcomes.

use std::collections::HashMap;
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};

use crate::carriers::{CarryOutcome, Parcel, ParcelFile, settle};
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
use crate::voice::CALL;
use crate::write::Work;
use model::time::{Clock, MINUTE, SECOND, Timestamp};
use wire::errors::ErrorCode;

/// Maximum number of concurrent attempts.
const TOGETHER: usize = 32;
/// Maximum duration of an attempt, in microseconds; platform adapters time out long before.
const LEASE: i64 = MINUTE;
/// Maximum duration of an attempt with mail, which carries attachments, in microseconds.
const MAIL_LEASE: i64 = 8 * MINUTE;
/// Minimum time between the starts of two attempts on one channel. Platforms accept about 30 messages a
/// second per sender.
const PACE: Duration = Duration::from_millis(35);

/// Sends due messages until the service stops, then finishes running attempts.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    let mut flights = FuturesUnordered::new();
    let mut paces: HashMap<String, Instant> = HashMap::new();
    loop {
        let mut committed = pin!(service.committed.notified());
        committed.as_mut().enable();
        let next = match round(&service, TOGETHER.saturating_sub(flights.len())).await {
            Ok((claimed, next)) => {
                for (row, channel) in claimed {
                    let start =
                        paces.get(&row.channel).copied().unwrap_or_else(Instant::now).max(Instant::now());
                    paces.insert(row.channel.clone(), start + PACE);
                    flights.push(fly(&service, row, channel, start));
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
async fn round(
    service: &Service,
    room: usize,
) -> Result<(Vec<(EgressRow, Channel)>, Option<Timestamp>), ApiError> {
    let now = service.clock.now();
    let count = i64::try_from(room).unwrap_or(0);
    let look: Result<_, DatabaseError> = service
        .database
        .read(move |db| {
            Ok((stored::due(db, now, count)?, stored::abandoned(db, now)?, stored::next_due(db, now)?))
        })
        .await;
    let (due, abandoned, mut next) = look?;
    let mut parts: Vec<(WriteScope, ClaimPart)> = Vec::new();
    for (row, is_abandoned) in abandoned
        .into_iter()
        .map(|egress_row| (egress_row, true))
        .chain(due.into_iter().map(|egress_row| (egress_row, false)))
    {
        let scope = service.database.scope_of_channel(&row.channel).await?;
        let place = parts.iter().position(|part| part.0 == scope).unwrap_or_else(|| {
            parts.push((scope, ClaimPart::default()));
            parts.len() - 1
        });
        let part = &mut parts[place].1;
        if is_abandoned { part.abandoned.push(row) } else { part.due.push(row) }
    }
    let mut claimed = Vec::new();
    for (scope, part) in parts {
        match claim(service, scope, part, now).await {
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
struct ClaimPart {
    abandoned: Vec<EgressRow>,
    due: Vec<EgressRow>,
}

/// Settles abandoned attempts of a workspace and claims its due messages.
async fn claim(
    service: &Service,
    scope: WriteScope,
    ClaimPart { abandoned, due }: ClaimPart,
    now: Timestamp,
) -> Result<Vec<(EgressRow, Channel)>, ApiError> {
    let state = service.clone();
    let claimed = service.database.write_leading(scope, move |db| {
        let work = Work { db, service: &state, now, test: false, key: None };
        for row in abandoned {
            let why = "the service ended while it was on its way".to_owned();
            settle::settle(&work, &row.id, row.fence, CarryOutcome::Unknown { why })?;
        }
        let mut claimed = Vec::new();
        for row in due {
            let channel = channels::read(db, &row.channel)?.kind;
            let lease = if channel == Channel::Email { MAIL_LEASE } else { LEASE };
            if settle::may_leave(&work, &row)?
                && let Some(fence) = stored::claim(db, &row, now.plus(lease))?
            {
                claimed.push((EgressRow { fence, ..row }, channel));
            }
        }
        stored::forget(db, settle::forgotten_before(state.clock.retained()))?;
        Ok::<_, ApiError>(claimed)
    });
    claimed.await
}

/// Sends a message and settles it, retrying while the database fails. A message withdrawn before its first
/// byte was sent is settled already.
async fn fly(service: &Service, row: EgressRow, channel: Channel, start: Instant) {
    sleep_until(start).await;
    let Some(outcome) = carry(service, &row, channel).await else { return };
    service.metrics.carried(channel, outcome.word());
    loop {
        match settled(service, &row, outcome.clone()).await {
            Ok(()) => break,
            Err(error) => {
                tracing::error!(%error.message, "what became of a message could not be kept yet");
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
    service.settled.0.notify_waiters();
}

async fn settled(service: &Service, row: &EgressRow, outcome: CarryOutcome) -> Result<(), ApiError> {
    let scope = service.database.scope_of_channel(&row.channel).await?;
    let (state, id, fence) = (service.clone(), row.id.clone(), row.fence);
    service
        .database
        .write_in(scope, move |db| {
            let work = Work { db, service: &state, now: state.clock.now(), test: false, key: None };
            settle::settle(&work, &id, fence, outcome)
        })
        .await
}

/// Sends a message; `None` if it may not be sent any more.
async fn carry(service: &Service, row: &EgressRow, channel: Channel) -> Option<CarryOutcome> {
    let refused =
        |error: ApiError| Some(CarryOutcome::Refused { code: error.code, why: error.message, broken: false });
    let later = |error: ApiError| Some(CarryOutcome::Later { after: 5 * SECOND, why: error.message });
    let Some(connected) = service.platforms.connected(&row.channel) else {
        return refused(platforms::not_connected(channel));
    };
    let parcel: Parcel = match serde_json::from_str(&row.parcel) {
        Ok(parcel) => parcel,
        Err(cause) => return refused(ApiError::internal(&cause)),
    };
    match takes_texts(service, row, &parcel, channel).await {
        Ok(()) => {}
        Err(error) if error.code == ErrorCode::InvalidRecipient => return refused(error),
        Err(error) => return later(error),
    }
    let file = match channel {
        Channel::Email => compose::file(service, row).await,
        _ => file(service, &parcel).await,
    };
    let file = match file {
        Ok(file) => file,
        Err(error) => return later(error),
    };
    match departs(service, row).await {
        Ok(true) => Some(connected.platform.carry(&parcel, file.as_ref()).await),
        Ok(false) => None,
        Err(error) => later(error),
    }
}

/// Returns true if a claimed message may be sent now. A text of the assistant's may not after a takeover; a
/// later takeover waits for this attempt (see `takeover.rs`).
async fn departs(service: &Service, row: &EgressRow) -> Result<bool, ApiError> {
    if !takeover::is_assistants(row)? {
        return Ok(true);
    }
    let scope = service.database.scope_of_channel(&row.channel).await?;
    let row = row.clone();
    let departed: Result<bool, DatabaseError> =
        service.database.write_in(scope, move |db| stored::depart(db, &row)).await;
    Ok(departed?)
}

/// Refuses a text to a customer who has written STOP since it was queued.
async fn takes_texts(
    service: &Service,
    row: &EgressRow,
    parcel: &Parcel,
    channel: Channel,
) -> Result<(), ApiError> {
    if channel != Channel::Voip || parcel.kind == CALL {
        return Ok(());
    }
    let (channel, peer) = (row.channel.clone(), parcel.to.clone());
    service.database.read(move |db| keywords::check(db, &channel, &peer)).await
}

/// Returns the message's media file, if this service hosts it.
async fn file(service: &Service, parcel: &Parcel) -> Result<Option<ParcelFile>, ApiError> {
    let id = parcel.media_url.as_deref().and_then(|media_url| hosted::hosted_id(service, media_url));
    let Some(id) = id.map(str::to_owned) else { return Ok(None) };
    let found: Result<_, DatabaseError> = service.database.read(move |db| media::read(db, &id)).await;
    let Some(row) = found? else { return Ok(None) };
    let bytes = service.read_media(&row.id).await?;
    let name = parcel.filename.clone().unwrap_or(row.filename);
    Ok(Some(ParcelFile { name, mime_type: row.mime_type, bytes }))
}
