//! Handlers of broadcasts.

use std::collections::HashSet;

use axum::extract::State;

use crate::auth::Caller;
use crate::chat::broadcast::{self, TYPES};
use crate::chat::compose::compose;
use crate::chat::content::{Content, ID};
use crate::database::broadcasts::{self, BroadcastRow, Counts, Recipient};
use crate::database::{channels, contacts};
use crate::errors::ApiError;
use crate::fields::Fields;
use crate::handlers::account::precise;
use crate::media::{self, Inspected};
use crate::reply::Reply;
use crate::request::{Reading, Writing};
use crate::state::Service;
use crate::write::Work;
use crate::{credits, handlers};
use model::{bounds, phone_forms};
use wire::broadcasts::{BroadcastAccepted, BroadcastBody, RecipientBody};
use wire::errors::ErrorCode;

/// Parsed `BroadcastInput`.
struct Wanted {
    /// `None` for all contacts.
    contacts: Option<Vec<String>>,
    content: Content,
}

/// Handles `createBroadcast`.
pub async fn create(State(service): State<Service>, mut request: Writing) -> Result<Reply, ApiError> {
    let wanted = Wanted::read(&Fields::of_body(&request.body)?)?;
    let media = match &wanted.content {
        Content::Media(media) => Some(media::inspect(&service, &mut request, media).await?),
        _ => None,
    };
    service.write(request, move |work, caller| create_in(work, caller, wanted, media)).await
}

impl Wanted {
    fn read(fields: &Fields<'_>) -> Result<Self, ApiError> {
        let content = Content::read(&fields.required_object("message")?, &TYPES)?;
        let contacts = match fields.value("contactIds") {
            None => None,
            Some(_) => Some(contact_ids(fields)?),
        };
        Ok(Self { contacts, content })
    }
}

fn contact_ids(fields: &Fields<'_>) -> Result<Vec<String>, ApiError> {
    let items = fields.array("contactIds")?;
    if !(1..=bounds::BROADCAST_CONTACTS).contains(&items.len()) {
        let bound = bounds::BROADCAST_CONTACTS;
        let what = format!("must hold 1 to {bound} ids; leave it out for all contacts");
        return Err(fields.refuse("contactIds", &what));
    }
    let id = |value: &serde_json::Value| {
        value.as_str().filter(|text| bounds::length(text) <= ID).map(str::to_owned)
    };
    let ids: Option<Vec<String>> = items.iter().map(id).collect();
    ids.ok_or_else(|| fields.refuse("contactIds", "must hold the ids of contacts"))
}

fn create_in(
    work: &Work<'_>,
    caller: &Caller,
    wanted: Wanted,
    media: Option<Inspected>,
) -> Result<Reply, ApiError> {
    work.service.platforms.address(&channels::read(work.db, &caller.channel_id)?)?;
    let recipients = recipients(work, caller, wanted.contacts)?;
    let total = i64::try_from(recipients.len()).unwrap_or(i64::MAX);
    let (price, outgoing) = compose(work, &caller.workspace, wanted.content, media.as_ref())?;
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
    let paid = credits::pay(work, caller, price.saturating_mul(total), "broadcast", &row.id)?;
    broadcasts::insert(work.db, &row)?;
    for recipient in &recipients {
        broadcasts::add_recipient(work.db, &row.id, recipient)?;
    }
    broadcast::expect_step(work, &row.id)?;
    let accepted = BroadcastAccepted {
        broadcast_id: row.id,
        total_recipients: total,
        credits_used: precise(paid.used),
        status: row.status,
        test: None,
    };
    Reply::with_status(202, &accepted)
}

/// Returns the named contacts in order, or all. Unknown ids, repeated ids and other forms of the same number
/// are left out.
fn recipients(
    work: &Work<'_>,
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
            if !numbers.insert(phone_forms::normal(&contact.phone)) {
                continue;
            }
            let position = i64::try_from(found.len()).unwrap_or(i64::MAX);
            found.push(Recipient { position, contact: contact.id, phone: contact.phone });
        }
    }
    if found.is_empty() {
        return Err(ApiError::new(
            ErrorCode::NoRecipients,
            "none of the contacts exists; there is nobody to send to",
        ));
    }
    Ok(found)
}

/// Handles `getBroadcast`.
pub async fn read(State(service): State<Service>, request: Reading) -> Result<Reply, ApiError> {
    let id = request.segment("broadcastId")?;
    let caller = request.caller;
    service
        .database
        .read_together(move |db| {
            let absent = || ApiError::not_found("this broadcast");
            let row = broadcasts::read(db, &caller.channel_id, &id)?.ok_or_else(absent)?;
            let counts = broadcasts::counts(db, &row.id)?;
            let failed = broadcasts::failed(db, &row.id)?.into_iter().map(not_reached);
            let recipients: Result<Vec<_>, _> = failed.map(serde_json::to_value).collect();
            let recipients = recipients.map_err(|cause| ApiError::internal(&cause))?;
            Reply::ok(&BroadcastBody { recipients, ..body(row, counts) })
        })
        .await
}

fn not_reached((recipient, code): (Recipient, Option<String>)) -> RecipientBody {
    let Recipient { contact, phone, .. } = recipient;
    RecipientBody { contact_id: contact, phone, status: "failed".to_owned(), code }
}

/// Builds the broadcast's body; only `getBroadcast` adds the failed recipients.
pub fn body(row: BroadcastRow, counts: Counts) -> BroadcastBody {
    BroadcastBody {
        message: Some(handlers::bodies::preview(&row.content, &row.kind)),
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
