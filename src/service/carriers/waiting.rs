//! Holds a send request open until the platform answers, for a limited time; after that the outcome is
//! reported by an event.

use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::carriers::settle;
use crate::database::{DatabaseError, WriteScope, egress};
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::state::Service;
use crate::write::WriteContext;
use model::time::Clock;

/// Longest wait between two checks: another process may settle the message without a notification.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Returns the answer to a request: `reply`, or the one that depends on the platform.
pub async fn wait_for_reply(service: &Service, scope: WriteScope, reply: Reply) -> Result<Reply, ApiError> {
    let Some(id) = reply.awaited_id.clone() else { return Ok(reply) };
    let replayed = reply.replayed;
    let last = Instant::now() + service.options.answering;
    loop {
        let mut settled = pin!(service.settled.0.notified());
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
    let told = service.database.write_in(scope, move |db| {
        let work = WriteContext { db, service: &state, now: state.clock.now(), test: false, key: None };
        settle::record_early(&work, &id)
    });
    Ok(told.await?.map_or(reply, |entry| Reply { replayed, ..entry }))
}
