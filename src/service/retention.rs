//! Retention: how long messages, files, events, deliveries and logs are kept.
//!
//! The leading process removes what is too old, once an hour and in short transactions. `admin retention plan`
//! counts the same beforehand. Messages are kept unless the configuration says otherwise; a message that is still
//! under way is never removed. With a message go its files and the events about it, and with the messages of a time
//! its broadcasts and the trigger events of the business. The work of people, from which
//! their statistics are counted, is kept for a fixed time.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use crate::admin::{Admin, AdminError};
use crate::database::retention::{self as stored, AgedTable};
use crate::database::session::{DbSession, WriteScope};
use crate::database::{DatabaseError, events, idempotency};
use crate::errors::ApiError;
use crate::state::Service;
pub use crate::team::work::WORK_RETENTION;
use model::time::{Clock, DAY, HOUR, Timestamp};

/// Interval between two sweeps, in microseconds.
const SWEEP_INTERVAL: i64 = HOUR;
const POLL_INTERVAL: Duration = Duration::from_secs(60);
/// Pause between two steps, so that requests come first.
const STEP_PAUSE: Duration = Duration::from_millis(20);

/// Retention of each kind, in microseconds; `None` keeps it forever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Messages and mails with their files and events; also conversations without messages, broadcasts, and
    /// trigger events.
    pub messages: Option<i64>,
    /// Uploaded files and files from platforms.
    pub media: Option<i64>,
    /// Bodies of events that every webhook got.
    pub events: Option<i64>,
    /// The log of attempts, and events that a webhook did not get.
    pub deliveries: Option<i64>,
    /// The audit log, and the log of Data Connections.
    pub logs: Option<i64>,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            messages: None,
            media: None,
            events: Some(30 * DAY),
            deliveries: Some(30 * DAY),
            logs: Some(90 * DAY),
        }
    }
}

/// Times before which each kind is removed; `None` removes nothing.
#[derive(Debug, Clone, Copy)]
struct Cutoffs {
    messages: Option<Timestamp>,
    media: Option<Timestamp>,
    /// Of delivered events, and of those that a webhook did not get.
    events: Option<(Timestamp, Timestamp)>,
    deliveries: Option<Timestamp>,
    logs: Option<Timestamp>,
    work: Timestamp,
}

impl Retention {
    fn cutoffs(&self, now: Timestamp) -> Cutoffs {
        let before = |kept: Option<i64>| kept.map(|kept| now.plus(-kept));
        let messages = before(self.messages);
        // An event never outlives its message.
        let bounded = |kept: Option<i64>| before(kept).max(messages);
        let (delivered, dead) = (bounded(self.events), bounded(self.deliveries));
        let never = Timestamp::default();
        let events = (delivered.is_some() || dead.is_some())
            .then(|| (delivered.unwrap_or(never), dead.unwrap_or(never)));
        Cutoffs {
            messages,
            media: before(self.media),
            events,
            deliveries: before(self.deliveries),
            logs: before(self.logs),
            work: now.plus(-WORK_RETENTION),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RetentionPlan {
    pub messages: i64,
    pub broadcasts: i64,
    /// Orders, appointments and other events that the business has reported.
    pub trigger_events: i64,
    pub media: i64,
    pub events: i64,
    /// Events that a webhook did not get.
    pub dead_letters: i64,
    pub attempts: i64,
    pub audit: i64,
    pub calls: i64,
    /// Work of the people of a team, which is kept for [`WORK_RETENTION`].
    pub work: i64,
}

impl RetentionPlan {
    fn read(db: &dyn DbSession, cutoffs: Cutoffs) -> Result<Self, DatabaseError> {
        let count = |table: AgedTable, before: Option<Timestamp>| {
            before.map_or(Ok(0), |before| table.count(db, before))
        };
        let messages = cutoffs.messages.map_or(Ok(0), |before| stored::count_messages(db, before))?;
        let (events, dead_letters) =
            cutoffs.events.map_or(Ok((0, 0)), |before| stored::count_events(db, before))?;
        Ok(Self {
            messages,
            broadcasts: count(stored::BROADCASTS, cutoffs.messages)?,
            trigger_events: count(stored::TRIGGER_EVENTS, cutoffs.messages)?,
            media: count(stored::MEDIA, cutoffs.media)?,
            events,
            dead_letters,
            attempts: count(stored::ATTEMPTS, cutoffs.deliveries)?,
            audit: count(stored::ACTIONS, cutoffs.logs)?,
            calls: count(stored::CALLS, cutoffs.logs)?,
            work: stored::WORK.count(db, cutoffs.work)?,
        })
    }
}

impl Admin {
    pub async fn plan_retention(
        &self,
        retention: Retention,
        now: Timestamp,
    ) -> Result<RetentionPlan, AdminError> {
        self.database.search(move |db| Ok(RetentionPlan::read(db, retention.cutoffs(now))?)).await
    }
}

/// Sweeps once an hour until the service stops.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = sleep(POLL_INTERVAL) => {}
            _ = stop.changed() => return,
        }
        let swept = tokio::select! {
            swept = sweep_if_due(&service) => swept,
            _ = stop.changed() => return,
        };
        if let Err(error) = swept {
            tracing::warn!(%error.message, "old data could not be removed; next try in a minute");
        }
    }
}

/// Sweeps if the last sweep was an hour ago by the service's clock.
pub async fn sweep_if_due(service: &Service) -> Result<(), ApiError> {
    let now = service.clock.now();
    let last = service.swept_at.load(Ordering::Relaxed);
    if now.micros() - last < SWEEP_INTERVAL || !service.database.is_leader() {
        return Ok(());
    }
    sweep(service, now).await?;
    service.swept_at.store(now.micros(), Ordering::Relaxed);
    Ok(())
}

async fn sweep(service: &Service, now: Timestamp) -> Result<(), ApiError> {
    let cutoffs = service.options.retention.cutoffs(now);
    let mut removed = 0;
    if let Some(before) = cutoffs.messages {
        removed += sweep_messages(service, before).await?;
    }
    if let Some(before) = cutoffs.media {
        removed += sweep_media(service, before).await?;
    }
    if let Some(before) = cutoffs.events {
        removed += sweep_events(service, before).await?;
    }
    for (table, before) in [
        (stored::TRIGGER_EVENTS, cutoffs.messages),
        (stored::ATTEMPTS, cutoffs.deliveries),
        (stored::ACTIONS, cutoffs.logs),
        (stored::CALLS, cutoffs.logs),
        (stored::WORK, Some(cutoffs.work)),
    ] {
        if let Some(before) = before {
            removed += sweep_table(service, table, before).await?;
        }
    }
    removed += sweep_answers(service).await?;
    if removed > 0 {
        tracing::info!(rows = removed, "data older than its retention was removed");
        if !service.database.is_shared() {
            while write(service, WriteScope::Unordered, stored::shrink_file).await? {}
        }
        // On a server this goes on in the background.
        drop(service.database.wipe().await);
    }
    Ok(())
}

async fn write<T: Send + 'static>(
    service: &Service,
    scope: WriteScope,
    job: impl FnOnce(&dyn DbSession) -> Result<T, DatabaseError> + Send + 'static,
) -> Result<T, DatabaseError> {
    let done = service.database.write_as_leader(scope, job).await;
    sleep(STEP_PAUSE).await;
    done
}

async fn sweep_messages(service: &Service, before: Timestamp) -> Result<u64, DatabaseError> {
    let channels: Vec<(String, String)> = service.database.read(stored::list_channels).await?;
    let mut removed = 0;
    for (channel, workspace) in channels {
        loop {
            let (of, scope) = (channel.clone(), WriteScope::Workspace(workspace.clone()));
            let purge = move |db: &dyn DbSession| stored::purge_broadcasts(db, &of, before);
            let purged = write(service, scope, purge).await?;
            for id in &purged.files {
                service.remove_media(id).await;
            }
            if purged.count == 0 {
                break;
            }
            removed += u64::try_from(purged.count).unwrap_or(u64::MAX);
        }
        loop {
            let (of, scope) = (channel.clone(), WriteScope::Workspace(workspace.clone()));
            let owner = workspace.clone();
            let purge = move |db: &dyn DbSession| stored::purge_messages(db, (&of, &owner), before);
            let purged = write(service, scope, purge).await?;
            for id in &purged.files {
                service.remove_media(id).await;
            }
            if purged.count == 0 {
                break;
            }
            removed += u64::try_from(purged.count).unwrap_or(u64::MAX);
        }
    }
    Ok(removed)
}

async fn sweep_media(service: &Service, before: Timestamp) -> Result<u64, DatabaseError> {
    let mut removed = 0;
    loop {
        let found: Vec<String> = service.database.read(move |db| stored::list_media(db, before)).await?;
        if found.is_empty() {
            return Ok(removed);
        }
        let ids = found.clone();
        write(service, WriteScope::Unordered, move |db| stored::delete_media(db, &ids)).await?;
        for id in &found {
            service.remove_media(id).await;
            removed += 1;
        }
    }
}

async fn sweep_events(service: &Service, before: (Timestamp, Timestamp)) -> Result<u64, DatabaseError> {
    let (mut removed, mut after) = (0, Timestamp::from_micros(i64::MIN));
    loop {
        let begin = after;
        let purge = move |db: &dyn DbSession| events::purge(db, before, begin);
        let (count, next) = write(service, WriteScope::Unordered, purge).await?;
        removed += count;
        match next {
            Some(next) => after = next,
            None => return Ok(removed),
        }
    }
}

/// Removes stored answers that have expired: otherwise only the next request with a key does.
async fn sweep_answers(service: &Service) -> Result<u64, DatabaseError> {
    let (mut removed, elapsed) = (0, service.clock.elapsed());
    loop {
        match write(service, WriteScope::Unordered, move |db| idempotency::purge(db, elapsed)).await? {
            0 => return Ok(removed),
            count => removed += count,
        }
    }
}

async fn sweep_table(service: &Service, table: AgedTable, before: Timestamp) -> Result<u64, DatabaseError> {
    let mut removed = 0;
    loop {
        match write(service, WriteScope::Unordered, move |db| table.purge(db, before)).await? {
            0 => return Ok(removed),
            count => removed += count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_do_not_outlive_their_messages() {
        let now = Timestamp::from_micros(100 * DAY);
        let cutoffs = Retention { messages: Some(7 * DAY), ..Retention::default() }.cutoffs(now);
        assert_eq!(cutoffs.events, Some((now.plus(-7 * DAY), now.plus(-7 * DAY))));
        let kept = Retention::default().cutoffs(now);
        assert_eq!((kept.messages, kept.events), (None, Some((now.plus(-30 * DAY), now.plus(-30 * DAY)))));
        let all = Retention { messages: None, media: None, events: None, deliveries: None, logs: None };
        assert!(all.cutoffs(now).events.is_none());
    }
}
