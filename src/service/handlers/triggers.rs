//! Polling for no-code tools. Interface: Triggers.
//!
//! Knows nothing of what was polled before.

use axum::extract::State;

use crate::model::bounds;
use crate::service::cursors::Place;
use crate::service::database::messages::{self, Filter};
use crate::service::errors::ApiError;
use crate::service::handlers::bodies;
use crate::service::reply::Reply;
use crate::service::request::Reading;
use crate::service::state::Service;
use crate::wire::pages::PageWriter;

/// `GET /triggers/new-message`: what customers wrote last on the key's
/// channel, newest first.
pub async fn new_message(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let filter = Filter { direction: Some("inbound"), ..Filter::default() };
            let count = i64::try_from(bounds::TRIGGER_ITEMS).unwrap_or(50);
            let mut list = PageWriter::new();
            messages::each(db, &caller.channel_id, &filter, &Place::top(), count, |row| {
                let pushed = list.push(&bodies::message_line(row, caller.channel));
                pushed.map_err(|cause| ApiError::internal(&cause))
            })?;
            Ok(Reply::of_json(list.finish_list()))
        })
        .await
}
