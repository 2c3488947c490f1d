//! Handlers of broadcasts.

use std::collections::HashSet;

use axum::extract::State;

use crate::auth::Caller;
use crate::chat::broadcast;
use crate::chat::compose::compose;
use crate::database::broadcasts::{self, BroadcastCounts, BroadcastRow, Recipient};
use crate::database::{channels, contacts};
use crate::errors::ApiError;
use crate::handlers;
use crate::handlers::account::credits_as_f64;
use crate::media::{self, MediaInfo};
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use crate::write::WriteContext;
use api::broadcasts::{BroadcastAccepted, BroadcastBody, CreateBroadcast, RecipientBody};
use api::content::Content;
use api::errors::ErrorCode;
use api::fields::Text;
use api::request::FieldError;
use model::{bounds, phone_forms};

/// Handles `createBroadcast`.
pub async fn create(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let CreateBroadcast { contact_ids, message } = request.read_body()?;
    if contact_ids.as_ref().is_some_and(|ids| !(1..=bounds::MAX_BROADCAST_CONTACTS).contains(&ids.len())) {
        let bound = bounds::MAX_BROADCAST_CONTACTS;
        let problem = format!("must hold 1 to {bound} ids; leave it out for all contacts");
        return Err(FieldError::new("contactIds", problem).into());
    }
    let named = contact_ids.map(|ids| ids.into_iter().map(Text::into_string).collect());
    let content = Content::from(message);
    let media = media::inspect_content(&service, &mut request, &content).await?;
    service.write(request, move |work, caller| create_in(work, caller, (named, content), media)).await
}

fn create_in(
    work: &WriteContext<'_>,
    caller: &Caller,
    (named, content): (Option<Vec<String>>, Content),
    media: Option<MediaInfo>,
) -> Result<Reply, ApiError> {
    work.service.platforms.address(&channels::read(work.db, &caller.channel_id)?)?;
    let recipients = select_recipients(work, caller, named)?;
    let total = i64::try_from(recipients.len()).unwrap_or(i64::MAX);
    let (price, outgoing) = compose(work, &caller.channel_id, content, media.as_ref())?;
    let stamp = work.stamp();
    let row = BroadcastRow {
        id: work.id("bc", stamp),
        channel: caller.channel_id.clone(),
        kind: outgoing.kind.to_owned(),
        content: outgoing.content,
        media_url: outgoing.media_url,
        details: outgoing.details,
        price,
        total,
        status: "sending".to_owned(),
        key: work.key.map(str::to_owned),
        created_at: stamp,
        completed_at: None,
    };
    let paid = work.pay(caller, price.saturating_mul(total), "broadcast", &row.id)?;
    broadcasts::insert(work.db, &row)?;
    for recipient in &recipients {
        broadcasts::add_recipient(work.db, &row.id, recipient)?;
    }
    broadcast::schedule_step(work, &row.id)?;
    let accepted = BroadcastAccepted {
        broadcast_id: row.id,
        total_recipients: total,
        credits_used: credits_as_f64(paid.used),
        status: row.status,
        test: None,
    };
    Reply::with_status(202, &accepted)
}

/// Returns the named contacts in order, or all. Unknown ids, repeated ids and other forms of the same number
/// are left out.
fn select_recipients(
    work: &WriteContext<'_>,
    caller: &Caller,
    named: Option<Vec<String>>,
) -> Result<Vec<Recipient>, ApiError> {
    let ids = match named {
        Some(ids) => ids,
        None => contacts::all_ids(work.db, &caller.workspace)?,
    };
    let (mut seen, mut numbers) = (HashSet::new(), HashSet::new());
    let mut found = Vec::new();
    for id in ids {
        if !seen.insert(id.clone()) {
            continue;
        }
        if let Some(contact) = contacts::read(work.db, &caller.workspace, &id)? {
            if !numbers.insert(phone_forms::normalize(&contact.phone)) {
                continue;
            }
            let position = i64::try_from(found.len()).unwrap_or(i64::MAX);
            found.push(Recipient { position, contact: contact.id, phone: contact.phone });
        }
    }
    if found.is_empty() {
        return Err(ApiError::new(
            ErrorCode::NoRecipients,
            "none of these contacts exists, so there is nobody to send to",
        ));
    }
    Ok(found)
}

/// Handles `getBroadcast`.
pub async fn read(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let id = request.segment("broadcastId")?;
    let caller = request.caller;
    service
        .database
        .read_consistent(move |db| {
            let absent = || ApiError::not_found("this broadcast");
            let row = broadcasts::read(db, &caller.channel_id, &id)?.ok_or_else(absent)?;
            let counts = broadcasts::count_recipients(db, &row.id)?;
            let failed = broadcasts::list_failed(db, &row.id)?.into_iter().map(failed_recipient_body);
            let recipients: Result<Vec<_>, _> = failed.map(serde_json::to_value).collect();
            let recipients = recipients.map_err(|cause| ApiError::internal(&cause))?;
            Reply::ok(&BroadcastBody { recipients, ..broadcast_body(row, counts) })
        })
        .await
}

fn failed_recipient_body((recipient, code): (Recipient, Option<String>)) -> RecipientBody {
    let Recipient { contact, phone, .. } = recipient;
    RecipientBody { contact_id: contact, phone, status: "failed".to_owned(), code }
}

/// Builds the broadcast's body; only `getBroadcast` adds the failed recipients.
pub fn broadcast_body(row: BroadcastRow, counts: BroadcastCounts) -> BroadcastBody {
    BroadcastBody {
        message: Some(handlers::bodies::preview_text(&row.content, &row.kind)),
        id: row.id,
        total_recipients: row.total,
        sent_count: counts.sent,
        failed_count: counts.failed,
        status: row.status,
        created_at: Some(row.created_at.to_string()),
        completed_at: row.completed_at.map(|entry| entry.to_string()),
        delivered: counts.delivered,
        failed: counts.failed,
        pending: row.total - counts.delivered - counts.failed,
        recipients: Vec::new(),
    }
}
