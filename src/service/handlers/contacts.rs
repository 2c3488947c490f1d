//! Handlers of contacts.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use serde_json::Value;

use crate::audit;
use crate::auth::Caller;
use crate::database::contacts::{self, ContactRow};
use crate::database::erasing::{self, ErasedPerson};
use crate::database::session::DbSession;
use crate::database::{channels, conversations};
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use crate::write::WriteContext;
use api::contacts::{ContactBody, SaveContact};
use api::fields::{JsonObject, Text};
use api::request::FieldError;
use api::webhooks::DeleteResult;
use model::bounds::{MAX_TAG_CHARS, MAX_TAGS, NO_MARKETING_TAG};
use model::{bounds, phone_forms};
use platforms::Channel;

/// Maximum size of metadata as compact JSON, in bytes.
const MAX_METADATA_BYTES: usize = 16 * 1024;

/// Checked [`SaveContact`]; absent fields keep their value.
struct ContactUpdate {
    phone: String,
    /// Empty to remove it.
    name: Option<String>,
    /// Empty to remove it.
    email: Option<String>,
    tags: Option<Vec<String>>,
    /// Compact JSON.
    metadata: Option<String>,
}

/// Handles `listContacts`.
pub async fn list(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let ReadRequest { caller, query, .. } = request;
    let search = query.text("search").map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    if search.as_deref().is_some_and(|search| bounds::count_chars(search) > bounds::MAX_CONTACT_NAME_CHARS) {
        let message = format!("search must have at most {} characters", bounds::MAX_CONTACT_NAME_CHARS);
        return Err(ApiError::validation(message));
    }
    let name = ["contacts", &caller.workspace, search.as_deref().unwrap_or("")];
    let page = query.page(&service.cursors, &name)?;
    let state = service.clone();
    let is_search = search.is_some();
    let read = move |db: &dyn DbSession| {
        let rows =
            contacts::list(db, &caller.workspace, search.as_deref(), &page.after, page.rows_to_read())?;
        page.reply(&state.cursors, rows, ContactRow::page_position, contact_body)
    };
    if is_search { service.database.search(read).await } else { service.database.read(read).await }
}

/// Handles `getContact`.
pub async fn read(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let id = request.segment("contactId")?;
    let caller = request.caller;
    service
        .database
        .read(move |db| {
            Reply::ok(&contact_body(contacts::read(db, &caller.workspace, &id)?.ok_or_else(not_found)?))
        })
        .await
}

/// Handles `upsertContact`: 201 for a new contact, 200 for a changed one.
pub async fn upsert(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let told = ContactUpdate::of(request.read_body()?)?;
    service.write(request, move |work, caller| upsert_in(work, caller, told)).await
}

impl ContactUpdate {
    fn of(body: SaveContact) -> Result<Self, FieldError> {
        let email = body.email.map(Text::into_string);
        if email.as_deref().is_some_and(|email| !email.is_empty() && !bounds::is_email(email)) {
            return Err(FieldError::new("email", "must be a mail address such as maria@mail.example"));
        }
        if body.metadata.as_ref().is_some_and(|metadata| metadata.as_str().len() > MAX_METADATA_BYTES) {
            let problem = format!("must have at most {MAX_METADATA_BYTES} bytes");
            return Err(FieldError::new("metadata", problem));
        }
        Ok(Self {
            phone: body.phone.into_string(),
            name: body.name.map(|name| name.as_str().trim().to_owned()),
            email,
            tags: body.tags.map(check_tags).transpose()?,
            metadata: body.metadata.map(JsonObject::into_string),
        })
    }
}

/// Returns the tags trimmed and without duplicates.
pub fn check_tags(told: Vec<String>) -> Result<Vec<String>, FieldError> {
    // The opt-out does not count: it may have been added to a contact with all tags.
    if told.iter().filter(|tag| tag.trim() != NO_MARKETING_TAG).count() > MAX_TAGS {
        return Err(FieldError::new("tags", format!("must hold at most {MAX_TAGS} tags")));
    }
    let mut tags: Vec<String> = Vec::new();
    for tag in told {
        let tag = tag.trim();
        if !(1..=MAX_TAG_CHARS).contains(&bounds::count_chars(tag)) {
            let problem = format!("must hold strings of 1 to {MAX_TAG_CHARS} characters");
            return Err(FieldError::new("tags", problem));
        }
        if !tags.iter().any(|known| known == tag) {
            tags.push(tag.to_owned());
        }
    }
    Ok(tags)
}

fn upsert_in(work: &WriteContext<'_>, caller: &Caller, told: ContactUpdate) -> Result<Reply, ApiError> {
    let found = contacts::find_by_phone(work.db, &caller.workspace, &told.phone)?;
    let status = if found.is_some() { 200 } else { 201 };
    let stamp = work.stamp();
    let made = || ContactRow::new(work.id("ct", stamp), &caller.workspace, &told.phone, stamp);
    let mut contact = found.clone().unwrap_or_else(made);
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    if let Some(name) = told.name {
        contact.named = !name.is_empty();
        contact.name = given(name);
    }
    if let Some(email) = told.email {
        contact.email = given(email);
    }
    if let Some(tags) = told.tags {
        contact.tags = Value::from(tags).to_string();
    }
    if let Some(metadata) = told.metadata {
        contact.metadata = metadata;
    }
    contact.updated_at = stamp;
    contacts::put(work.db, found.as_ref(), &contact)?;
    if let Some(row) = conversations::find_by_peer(work.db, &caller.channel_id, &contact.phone)? {
        let (name, email) = (contact.name.as_deref(), contact.email.as_deref());
        conversations::set_person(work.db, &row.id, name, email)?;
    }
    Reply::with_status(status, &contact_body(contact))
}

/// Handles `deleteContact`: erases everything stored about the person under the number on the WhatsApp and
/// phone channels.
pub async fn delete(State(service): State<Service>, request: WriteRequest) -> Result<Reply, ApiError> {
    let id = request.segment("contactId")?;
    let (files, found) = (Arc::<Mutex<Vec<String>>>::default(), request.caller.clone());
    let erased = Arc::clone(&files);
    let reply = service
        .write(request, move |work, caller| {
            let contact = contacts::read(work.db, &caller.workspace, &id)?.ok_or_else(not_found)?;
            let channels = channels::list_by_workspace(work.db, &caller.workspace)?;
            let of_number =
                channels.into_iter().filter(|row| matches!(row.kind, Channel::Whatsapp | Channel::Voip));
            let channels: Vec<String> = of_number.map(|row| row.id).collect();
            let names = (vec![contact.id.clone()], phone_forms::all_forms(&contact.phone));
            let person = ErasedPerson::find(work.db, &caller.workspace, &channels, names)?;
            erasing::erase(work.db, &person)?;
            audit::record_request(work, caller, ("erase", &contact.id))?;
            erased.lock().unwrap_or_else(PoisonError::into_inner).extend(person.files().cloned());
            Reply::ok(&DeleteResult { success: true, deleted: contact.id })
        })
        .await?;
    // A test key's write is rolled back.
    if reply.status == 200 && !reply.replayed && !found.is_test() {
        let files = std::mem::take(&mut *files.lock().unwrap_or_else(PoisonError::into_inner));
        service.remove_erased(files).await;
    }
    Ok(reply)
}

pub fn contact_body(row: ContactRow) -> ContactBody {
    ContactBody {
        id: row.id,
        phone: Some(row.phone),
        name: row.name,
        email: row.email,
        tags: serde_json::from_str(&row.tags).unwrap_or_default(),
        metadata: serde_json::from_str(&row.metadata).unwrap_or_default(),
        created_at: Some(row.created_at.to_string()),
        updated_at: Some(row.updated_at.to_string()),
        last_activity_at: Some(row.last_at.to_string()),
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("this contact")
}
