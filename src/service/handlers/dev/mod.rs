//! Handlers of the `/dev` switches, without keys or rate limits.

pub mod event;
pub mod fault;
pub mod inbound;

use axum::extract::State;
use serde_json::json;

use crate::database::{DatabaseError, keys as stored, meta, outbound as reached, workspaces};
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::request::DevRequest;
use crate::state::Service;
use crate::{assistant, deliveries, keys, retention, world};
use api::dev::{ClockBody, CreditsBody, RevokeBody};
use api::request::{self, FieldError};
use model::time::{Clock, SECOND};

/// Maximum step of the clock, in seconds: ten years.
const MAX_ADVANCE_SECONDS: i64 = 10 * 365 * 24 * 3600;

/// `POST /dev/clock`: moves the clock forward, and answers after everything that is due by then has happened.
pub async fn clock(State(service): State<Service>, DevRequest(body): DevRequest) -> Result<Reply, ApiError> {
    let seconds = request::read::<ClockBody>(body)?.advance_seconds;
    if !(0.0..=seconds_as_f64(MAX_ADVANCE_SECONDS)).contains(&seconds) {
        let problem = format!("must be a number from 0 to {MAX_ADVANCE_SECONDS}");
        return Err(FieldError::new("advance_seconds", problem).into());
    }
    let span = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default();
    let span = i64::try_from(span.as_micros()).unwrap_or(MAX_ADVANCE_SECONDS * SECOND);
    service.clock.advance(span);
    let kept: Result<i64, DatabaseError> = service
        .database
        .write(move |db| {
            // Another process may have moved it as well.
            let shift = meta::get_number(db, "clock_shift")?.unwrap_or(0).saturating_add(span);
            meta::set(db, "clock_shift", &shift)?;
            Ok(shift)
        })
        .await;
    service.clock.follow(kept?);
    world::catch_up(&service).await?;
    assistant::run_until_idle(&service).await?;
    // The assistant's answers may have consequences that are due by now.
    world::catch_up(&service).await?;
    deliveries::deliver_until_idle(&service).await?;
    retention::sweep_if_due(&service).await?;
    Reply::ok(&json!({"now": service.clock.now().to_string()}))
}

#[expect(clippy::cast_precision_loss, reason = "a bound far below 2^52")]
fn seconds_as_f64(seconds: i64) -> f64 {
    seconds as f64
}

/// `POST /dev/credits`: sets the balance.
pub async fn credits(
    State(service): State<Service>,
    DevRequest(body): DevRequest,
) -> Result<Reply, ApiError> {
    let balance = request::read::<CreditsBody>(body)?.balance.0;
    let (now, state) = (service.clock.now(), service.clone());
    service
        .database
        .write(move |db| {
            let workspace = workspaces::first(db)?;
            let reference =
                state.ids.new_id("set", state.ids.next_stamp(now, state.clock.reliable_wall_time()));
            workspaces::set_balance(db, &workspace.id, balance, &reference, now)?;
            Reply::ok(&json!({ "balance": balance }))
        })
        .await
}

/// `POST /dev/keys/revoke`: revokes a key at once.
pub async fn revoke(State(service): State<Service>, DevRequest(body): DevRequest) -> Result<Reply, ApiError> {
    let hash = keys::hash(request::read::<RevokeBody>(body)?.key.as_str());
    let now = service.clock.now();
    let revoked: Result<bool, DatabaseError> =
        service.database.write(move |db| stored::revoke(db, &hash, now)).await;
    if !revoked? {
        return Err(ApiError::not_found("this key"));
    }
    Reply::ok(&json!({"revoked": true}))
}

/// `POST /dev/outbound`: lists everything sent to platforms, oldest first.
pub async fn outbound(State(service): State<Service>, DevRequest(_): DevRequest) -> Result<Reply, ApiError> {
    service.database.search(|db| Reply::ok(&json!({"data": reached::list(db)?}))).await
}
