//! Polling for no-code tools. Interface: Triggers.
//!
//! Knows nothing of what was polled before.

use axum::extract::State;

use crate::model::bounds;
use crate::service::channels::Channel;
use crate::service::cursors::Place;
use crate::service::database::emails;
use crate::service::database::messages::{self, Filter};
use crate::service::errors::ApiError;
use crate::service::handlers::{bodies, mail_bodies};
use crate::service::reply::Reply;
use crate::service::request::Reading;
use crate::service::state::Service;

/// `GET /triggers/new-message`: what customers wrote last on the key's
/// channel, newest first.
pub async fn new_message(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let count = i64::try_from(bounds::TRIGGER_ITEMS).unwrap_or(50);
            if caller.channel == Channel::Email {
                let rows = emails::newest_inbound(db, &caller.channel_id, count)?;
                let data: Vec<_> = rows.into_iter().map(mail_bodies::message).collect();
                return Reply::ok(&serde_json::json!({ "data": data }));
            }
            let filter = Filter { direction: Some("inbound"), ..Filter::default() };
            let rows = messages::list(db, &caller.channel_id, &filter, &Place::top(), count)?;
            let data: Vec<_> = rows.into_iter().map(|row| bodies::message(row, caller.channel)).collect();
            Reply::ok(&serde_json::json!({ "data": data }))
        })
        .await
}
