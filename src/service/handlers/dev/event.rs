//! `POST /dev/event`: records an event of the shop's other systems, for the triggers.

use axum::extract::State;
use serde_json::{Value, json};

use crate::database::{trigger_events, workspaces};
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::request::DevRequest;
use crate::state::Service;
use api::dev::{EventBody, EventName};
use api::request;
use model::time::Clock;

pub const ORDER_EVENT: &str = "order.created";
pub const APPOINTMENT_EVENT: &str = "appointment.created";
pub const CAMPAIGN_EVENT: &str = "campaign.completed";

/// `POST /dev/event` with `{name, data}`. `data.id` is the id it is listed under; one is created if absent.
pub async fn event(State(service): State<Service>, DevRequest(body): DevRequest) -> Result<Reply, ApiError> {
    let body: EventBody = request::read(body)?;
    let name = match body.name {
        EventName::Order => ORDER_EVENT,
        EventName::Appointment => APPOINTMENT_EVENT,
        EventName::Campaign => CAMPAIGN_EVENT,
    };
    let data = Value::Object(body.data.map(|data| data.to_map()).unwrap_or_default());
    let now = service.clock.now();
    let state = service.clone();
    service
        .database
        .write(move |db| {
            let stamp = state.ids.next_stamp(now, state.clock.reliable_wall_time());
            let own = data.get("id").and_then(Value::as_str).filter(|entry| !entry.is_empty());
            let id = own.map_or_else(|| state.ids.new_id("evt", stamp), str::to_owned);
            let workspace = workspaces::first(db)?;
            trigger_events::record(db, &workspace.id, name, &id, &data, stamp)?;
            Reply::ok(&json!({ "id": id }))
        })
        .await
}
