//! Sending: the path of a message from its request to the platform and back.
//!
//! A message is a row of the queue ([`EgressRow`]). Rows of one lane (a conversation or mail thread) leave in
//! order, one at a time. Simulated platforms answer inside the transaction of the request and need no row.
//!
//! 1. [`accept_send`](accept::accept_send), and [`accept_mail`](mail::accept_mail) for mail, store the row in
//!    the transaction of the request that pays for it. The request then waits for the outcome
//!    ([`wait_for_reply`]); after a limited time the message is stored in the history as queued and the
//!    request is answered.
//! 2. [`claim_due`] claims due rows, each with a new fencing token and until the end of a lease. The claim is
//!    on disk before the first byte is sent. An attempt whose lease has ended belongs to a process that has
//!    ended; its outcome is unknown.
//! 3. [`send_one`] asks the platform once, outside any transaction. If the service stops meanwhile and there is
//!    no answer near the end of the drain time, the outcome is unknown.
//! 4. [`record_outcome`](outcome::record_outcome) records the answer in one transaction with its consequences:
//!    message, price, event, and the answer to the request. An attempt whose fencing token is outdated
//!    records nothing.
//! 5. [`report`] applies what the platform reports later: delivered, read, failed. A report may come before
//!    the answer to the send.
//!
//! States of a row ([`EgressState`]):
//!
//! - **Waiting**: to be sent at a due time; again after an attempt that sent nothing, while a retry is worth
//!   it;
//! - **Claimed**: an attempt may be running. A person's message may have left; a text of the assistant has
//!   not;
//! - **Departed**: a text of the assistant is leaving. A takeover makes it **Recalled**, which is not tried
//!   again; one that has not departed is **Dropped** (see [`crate::takeover`]);
//! - **Taken**: the platform has accepted it;
//! - **Refused**: the price is paid back;
//! - **Unknown**: possibly sent, never sent again by itself, settled by a report of the platform.

pub mod accept;
pub mod crossing;
pub mod mail;
pub mod outcome;
pub mod report;

use std::collections::HashMap;
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use crate::chat::keywords;
use crate::database::egress::{self, EgressRow, EgressState};
use crate::database::{DatabaseError, WriteScope, channels, conversations, media};
use crate::errors::ApiError;
use crate::mail::{answering, compose};
use crate::media as hosted;
use crate::operators;
use crate::reply::Reply;
use crate::state::Service;
use crate::takeover;
use crate::write::WriteContext;
use api::carriers::{MailDraft, MessageDraft};
use api::errors::ErrorCode;
use model::time::{Clock, HOUR, MINUTE, SECOND, Timestamp};
use platforms::{Channel, OutboundFile, OutboundMessage, SendOutcome};

const MAX_CONCURRENT_SENDS: usize = 32;
/// Maximum duration of an attempt, in microseconds; platform adapters time out long before.
const SEND_LEASE: i64 = MINUTE;
/// Maximum duration of an attempt with mail, which carries attachments, in microseconds.
const MAIL_SEND_LEASE: i64 = 8 * MINUTE;
/// Minimum time between the starts of two attempts on one channel. Platforms accept about 30 messages a
/// second per sender.
const SEND_INTERVAL: Duration = Duration::from_millis(35);
/// Time for which settled rows are kept, in microseconds.
const SETTLED_RETENTION: i64 = 48 * HOUR;
/// Part of the drain time in which the outcomes of attempts that have not ended are stored.
const CUT_MARGIN: Duration = Duration::from_secs(1);
/// Reason for the unknown outcome of an attempt.
const STOPPED_REASON: &str = "the service stopped while the message was being sent";
/// Longest wait between two checks: another process may settle the message without a notification.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Sends due messages until the service stops, then finishes running attempts, at most until shortly before the
/// end of the drain time.
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
                    flights.push(send_one(&service, row, channel, start, stop.clone()));
                }
                next
            }
            Err(error) => {
                tracing::error!(%error.message, "queued messages cannot be sent right now");
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
    let listed: Result<_, DatabaseError> = service
        .database
        .read(move |db| {
            Ok((
                egress::list_due(db, now, count)?,
                egress::list_abandoned(db, now)?,
                egress::next_due(db, now)?,
            ))
        })
        .await;
    let (due, abandoned, mut next) = listed?;
    let mut workspaces: Vec<(WriteScope, Vec<EgressRow>)> = Vec::new();
    for row in abandoned.into_iter().chain(due) {
        let scope = service.database.scope_of_channel(&row.channel).await?;
        match workspaces.iter_mut().find(|(known, _)| *known == scope) {
            Some((_, rows)) => rows.push(row),
            None => workspaces.push((scope, vec![row])),
        }
    }
    let mut claimed = Vec::new();
    for (scope, rows) in workspaces {
        match claim_in_workspace(service, scope, rows, now).await {
            Ok(more) => claimed.extend(more),
            Err(error) if claimed.is_empty() => return Err(error),
            Err(error) => {
                // Messages claimed in other workspaces are sent all the same.
                tracing::error!(%error.message, "queued messages of a workspace cannot be sent right now");
                next = Some(now.plus(SECOND));
                break;
            }
        }
    }
    service.settled.notify_waiters();
    Ok((claimed, next))
}

/// Settles the abandoned attempts among `rows`, which belong to one workspace, and claims the due messages.
async fn claim_in_workspace(
    service: &Service,
    scope: WriteScope,
    rows: Vec<EgressRow>,
    now: Timestamp,
) -> Result<Vec<(EgressRow, Channel)>, ApiError> {
    let state = service.clone();
    let claimed = service.database.write_as_leader(scope, move |db| {
        let work = WriteContext::of_service(db, &state, now);
        let mut claimed = Vec::new();
        for row in rows {
            if row.state != EgressState::Waiting.word() {
                let why = STOPPED_REASON.to_owned();
                outcome::record_outcome(&work, &row.id, row.fence, SendOutcome::Unknown { why })?;
                continue;
            }
            let channel = channels::read(db, &row.channel)?.kind;
            let lease = if channel == Channel::Email { MAIL_SEND_LEASE } else { SEND_LEASE };
            if may_leave(&work, &row, channel)?
                && let Some(fence) = egress::claim(db, &row, now.plus(lease))?
            {
                claimed.push((EgressRow { fence, ..row }, channel));
            }
        }
        egress::delete_settled(db, state.clock.retention_time().plus(-SETTLED_RETENTION))?;
        Ok::<_, ApiError>(claimed)
    });
    claimed.await
}

/// Returns true if a due message may still be sent. Drops it otherwise: a text of the assistant after a takeover,
/// or a chat message whose conversation no longer exists.
fn may_leave(work: &WriteContext<'_>, row: &EgressRow, channel: Channel) -> Result<bool, ApiError> {
    let stays = if channel != Channel::Email {
        let draft: MessageDraft = check_json(serde_json::from_str(&row.draft))?;
        let found = conversations::with_channel(work.db, &row.lane)?;
        found.is_some_and(|(_, conversation)| {
            draft.sender != "ai" || (conversation.automation && conversation.status != "closed")
        })
    } else if mail::is_filing(row)? {
        true
    } else {
        let draft: MailDraft = check_json(serde_json::from_str(&row.draft))?;
        draft.author != "ai" || answering::is_assistant_enabled(work.db, &draft.thread)?
    };
    if !stays {
        egress::settle(work.db, &row.id, EgressState::Dropped, None, work.now)?;
    }
    Ok(stays)
}

/// Sends a message and records the outcome, repeatedly while the database fails.
async fn send_one(
    service: &Service,
    row: EgressRow,
    channel: Channel,
    start: Instant,
    stop: watch::Receiver<bool>,
) {
    sleep_until(start).await;
    let outcome = match call_platform(service, &row, channel, stop).await {
        Ok(Some(outcome)) => outcome,
        Ok(None) => return,
        Err(error) => SendOutcome::Later { after: 5 * SECOND, why: error.message },
    };
    service.metrics.record_send(channel, outcome.word());
    let record = async || -> Result<(), ApiError> {
        let scope = service.database.scope_of_channel(&row.channel).await?;
        let (state, id, fence, outcome) = (service.clone(), row.id.clone(), row.fence, outcome.clone());
        let write = service.database.write_in(scope, move |db| {
            let work = WriteContext::of_service(db, &state, state.clock.now());
            outcome::record_outcome(&work, &id, fence, outcome)
        });
        write.await
    };
    while let Err(error) = record().await {
        tracing::error!(%error.message, "the outcome of a message could not be stored; next try soon");
        sleep(Duration::from_secs(1)).await;
    }
    service.settled.notify_waiters();
}

/// Makes one attempt. Returns `None` for a text of the assistant's that was dropped by a takeover. The outcome of
/// an attempt that the end of the service cuts off is unknown.
///
/// # Errors
/// If nothing was sent and the attempt can be repeated.
async fn call_platform(
    service: &Service,
    row: &EgressRow,
    channel: Channel,
    stop: watch::Receiver<bool>,
) -> Result<Option<SendOutcome>, ApiError> {
    let refused = |error: ApiError| {
        Ok(Some(SendOutcome::Refused { code: error.code, why: error.message, broken: false }))
    };
    let Some(connected) = service.platforms.connected(&row.channel) else {
        return refused(operators::not_connected_error(channel));
    };
    let parcel: OutboundMessage = match check_json(serde_json::from_str(&row.parcel)) {
        Ok(parcel) => parcel,
        Err(error) => return refused(error),
    };
    if keywords::opt_out_message(channel, &parcel.to, &parcel.kind).is_some() {
        // The customer may have opted out since the message was queued.
        let (id, peer, kind) = (row.channel.clone(), parcel.to.clone(), parcel.kind.clone());
        match service.database.read(move |db| keywords::check_opt_out(db, (channel, &id), &peer, &kind)).await
        {
            Err(error) if error.code == ErrorCode::InvalidRecipient => return refused(error),
            checked => checked?,
        }
    }
    let file = match channel {
        Channel::Email => compose::load_mail_file(service, row).await?,
        _ => load_file(service, &parcel).await?,
    };
    if takeover::is_from_assistant(row)? {
        let scope = service.database.scope_of_channel(&row.channel).await?;
        let claimed = row.clone();
        let departed: Result<bool, DatabaseError> =
            service.database.write_in(scope, move |db| egress::mark_departed(db, &claimed)).await;
        if !departed? {
            return Ok(None);
        }
    }
    Ok(Some(tokio::select! {
        outcome = connected.platform.send_message(&parcel, file.as_ref()) => outcome,
        () = wait_for_cut(service, stop) => SendOutcome::Unknown { why: STOPPED_REASON.to_owned() },
    }))
}

/// Waits until the service stops and the drain time is nearly over.
async fn wait_for_cut(service: &Service, mut stop: watch::Receiver<bool>) {
    // Fails if the service was dropped, which stops it as well.
    let _ = stop.changed().await;
    sleep(service.options.drain.saturating_sub(CUT_MARGIN)).await;
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

/// Returns the answer to a request: `reply`, or the one that depends on the platform.
pub async fn wait_for_reply(service: &Service, scope: WriteScope, reply: Reply) -> Result<Reply, ApiError> {
    let Some(id) = reply.awaited_id.clone() else { return Ok(reply) };
    let replayed = reply.replayed;
    let last = Instant::now() + service.options.answering;
    loop {
        let mut settled = pin!(service.settled.notified());
        settled.as_mut().enable();
        let wanted = id.clone();
        let found: Result<_, DatabaseError> =
            service.database.read(move |db| egress::read_reply(db, &wanted)).await;
        if let Some((found, true)) = found? {
            return Ok(Reply { replayed, ..found });
        }
        let look = last.min(Instant::now() + POLL_INTERVAL);
        if timeout_at(look, settled).await.is_err() && look >= last {
            break;
        }
    }
    let state = service.clone();
    let early = service.database.write_in(scope, move |db| {
        let work = WriteContext::of_service(db, &state, state.clock.now());
        outcome::record_early(&work, &id)
    });
    Ok(early.await?.map_or(reply, |early| Reply { replayed, ..early }))
}

/// Reports JSON of a row that cannot be read or written as a fault of the service.
pub fn check_json<T>(json: serde_json::Result<T>) -> Result<T, ApiError> {
    json.map_err(|cause| ApiError::internal(&cause))
}
