//! Handlers of the polling triggers for no-code tools.

use std::cmp::Reverse;

use axum::extract::State;

use crate::auth::Caller;
use crate::database::session::DbSession;
use crate::database::{broadcasts as sent, connected, contacts as stored, emails, messages, trigger_events};
use crate::errors::ApiError;
use crate::handlers::dev::event;
use crate::handlers::{bodies, broadcasts, contacts, mail_bodies};
use crate::last_answer;
use crate::reply::Reply;
use crate::request::ReadRequest;
use crate::state::Service;
use api::pages::PageWriter;
use api::triggers::{CampaignBody, Newest};
use model::bounds;
use model::time::{SECOND, Timestamp};
use platforms::Channel;

/// Maximum number of items. The interface states it for new messages; the other triggers use the same.
const MAX_ITEMS: i64 = bounds::MAX_TRIGGER_ITEMS as i64;

/// Handles `pollNewMessages`: the latest messages from customers on the key's channel, newest first. Cached
/// until the next commit.
pub async fn new_message(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let caller = request.caller;
    let (asking, question) = (caller.clone(), format!("new-message {}", caller.channel_id));
    // The answer does not depend on the time.
    let always = Timestamp::from_micros(i64::MIN)..Timestamp::from_micros(i64::MAX);
    last_answer::answer_cached(&service, &asking, Some(question), move |db| {
        Ok((newest_messages(db, &caller)?, always))
    })
    .await
}

fn newest_messages(db: &dyn DbSession, caller: &Caller) -> Result<Reply, ApiError> {
    if caller.channel == Channel::Email {
        // Imported mail is not new.
        let mark = connected::mailbox_mark(db, &caller.channel_id)?;
        let connected_at =
            mark.filter(|mark| mark.earlier.is_some()).map_or(i64::MIN, |mark| mark.since * SECOND);
        let from = Timestamp::from_micros(connected_at);
        let rows = emails::newest_inbound(db, &caller.channel_id, from, MAX_ITEMS)?;
        return Reply::ok(&Newest { data: rows.iter().map(mail_bodies::message_body).collect() });
    }
    let mut list = PageWriter::new();
    messages::visit_newest(db, &caller.channel_id, MAX_ITEMS, |row| {
        let pushed = list.push(&bodies::message_body(row, caller.channel));
        pushed.map_err(|cause| ApiError::internal(&cause))
    })?;
    Ok(Reply::from_json(list.finish_list()))
}

/// Handles `pollNewContacts`. Only WhatsApp keys may read contacts; other keys get an empty list.
pub async fn new_contact(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let rows = match caller.channel {
                Channel::Whatsapp => stored::newest(db, &caller.workspace, MAX_ITEMS)?,
                _ => Vec::new(),
            };
            Reply::ok(&Newest { data: rows.into_iter().map(contacts::contact_body).collect() })
        })
        .await
}

/// Handles `pollNewOrders`.
pub async fn new_order(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    list_trigger_events(service, request, event::ORDER_EVENT).await
}

/// Handles `pollNewAppointments`.
pub async fn new_appointment(
    State(service): State<Service>,
    request: ReadRequest,
) -> Result<Reply, ApiError> {
    list_trigger_events(service, request, event::APPOINTMENT_EVENT).await
}

/// Handles `pollCompletedCampaigns`: campaigns of other systems and broadcasts of the key's channel, latest
/// completion first.
pub async fn campaign_completed(
    State(service): State<Service>,
    request: ReadRequest,
) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read_consistent(move |db| {
            let reported = trigger_events::newest(db, &caller.workspace, event::CAMPAIGN_EVENT, MAX_ITEMS)?;
            let mut items: Vec<_> =
                reported.into_iter().map(|(at, item)| (at, CampaignBody::Reported(item))).collect();
            for row in sent::list_completed(db, &caller.channel_id, MAX_ITEMS)? {
                let counts = sent::count_recipients(db, &row.id)?;
                let at = row.completed_at.unwrap_or(row.created_at);
                let body = broadcasts::broadcast_body(row, counts);
                items.push((at, CampaignBody::Broadcast(Box::new(body))));
            }
            items.sort_by_key(|(at, _)| Reverse(*at));
            let latest = items.into_iter().map(|(_, item)| item).take(bounds::MAX_TRIGGER_ITEMS);
            Reply::ok(&Newest { data: latest.collect() })
        })
        .await
}

/// Answers the latest events of other systems with a name, newest first.
async fn list_trigger_events(
    service: Service,
    request: ReadRequest,
    name: &'static str,
) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let rows = trigger_events::newest(db, &caller.workspace, name, MAX_ITEMS)?;
            Reply::ok(&Newest { data: rows.into_iter().map(|(_, item)| item).collect() })
        })
        .await
}
