//! Polling for no-code tools. Interface: Triggers.

use std::cmp::Reverse;

use axum::extract::State;

use crate::auth::Caller;
use crate::channels::Channel;
use crate::cursors::Place;
use crate::database::messages::{self, Filter};
use crate::database::session::DbSession;
use crate::database::{broadcasts as sent, connected, contacts as stored, emails, happenings};
use crate::errors::ApiError;
use crate::handlers::dev::event;
use crate::handlers::{bodies, broadcasts, contacts, mail_bodies};
use crate::last_answer;
use crate::reply::Reply;
use crate::request::Reading;
use crate::state::Service;
use model::bounds;
use model::time::{SECOND, Timestamp};
use wire::pages::PageWriter;

/// Items of an answer at most. The interface says so for new messages; the
/// other triggers follow it.
const ITEMS: i64 = bounds::TRIGGER_ITEMS as i64;

/// `GET /triggers/new-message`: what customers wrote last on the key's
/// channel, newest first.
pub async fn new_message(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    let caller = request.caller;
    let (asking, question) = (caller.clone(), format!("new-message {}", caller.channel_id));
    // Messages are told alike at any time.
    let always = Timestamp::from_micros(i64::MIN)..Timestamp::from_micros(i64::MAX);
    last_answer::answer(&service, &asking, Some(question), move |db| Ok((newest(db, &caller)?, always))).await
}

fn newest(db: &dyn DbSession, caller: &Caller) -> Result<Reply, ApiError> {
    if caller.channel == Channel::Email {
        // Mail from before the mailbox was connected is no news.
        let mark = connected::mailbox_mark(db, &caller.channel_id)?;
        let connected_at =
            mark.filter(|mark| mark.earlier.is_some()).map_or(i64::MIN, |mark| mark.since * SECOND);
        let from = Timestamp::from_micros(connected_at);
        let rows = emails::newest_inbound(db, &caller.channel_id, from, ITEMS)?;
        let data: Vec<_> = rows.into_iter().map(mail_bodies::message).collect();
        return Reply::ok(&serde_json::json!({ "data": data }));
    }
    let filter = Filter { direction: Some("inbound"), ..Filter::default() };
    let mut list = PageWriter::new();
    messages::each(db, &caller.channel_id, &filter, &Place::top(), ITEMS, |row| {
        let pushed = list.push(&bodies::message_line(row, caller.channel));
        pushed.map_err(|cause| ApiError::internal(&cause))
    })?;
    Ok(Reply::of_json(list.finish_list()))
}

/// `GET /triggers/new-contact`: the workspace's newest contacts. Contacts are
/// business chat's: other keys, which may not name them, see none.
pub async fn new_contact(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let rows = match caller.channel {
                Channel::Whatsapp => stored::newest(db, &caller.workspace, ITEMS)?,
                _ => Vec::new(),
            };
            let data: Vec<_> = rows.into_iter().map(contacts::body).collect();
            Reply::ok(&serde_json::json!({ "data": data }))
        })
        .await
}

/// `GET /triggers/new-order`: the workspace's newest orders.
pub async fn new_order(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    told(service, request, event::ORDER).await
}

/// `GET /triggers/new-appointment`: the workspace's newest appointments.
pub async fn new_appointment(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    told(service, request, event::APPOINTMENT).await
}

/// `GET /triggers/campaign-completed`: campaigns of other systems and, for
/// keys that may name them, broadcasts; what was completed last comes first.
pub async fn campaign_completed(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read_together(move |db| {
            let mut items = happenings::newest(db, &caller.workspace, event::CAMPAIGN, ITEMS)?;
            for row in sent::completed(db, &caller.channel_id, ITEMS)? {
                let counts = sent::counts(db, &row.id)?;
                let at = row.completed_at.unwrap_or(row.created_at);
                let body = broadcasts::body(row, counts);
                items.push((at, serde_json::to_value(body).map_err(|cause| ApiError::internal(&cause))?));
            }
            items.sort_by_key(|(at, _)| Reverse(*at));
            let data: Vec<_> = items.into_iter().map(|(_, item)| item).take(bounds::TRIGGER_ITEMS).collect();
            Reply::ok(&serde_json::json!({ "data": data }))
        })
        .await
}

/// What the shop's other systems told of last, newest first.
async fn told(service: Service, request: Reading, name: &'static str) -> Result<Reply, ApiError> {
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            let rows = happenings::newest(db, &caller.workspace, name, ITEMS)?;
            let data: Vec<_> = rows.into_iter().map(|(_, item)| item).collect();
            Reply::ok(&serde_json::json!({ "data": data }))
        })
        .await
}
