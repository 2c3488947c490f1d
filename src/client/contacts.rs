use serde_json::{Map, Value};

use crate::ListPage;
use crate::checks;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::{query, read_one, read_page};
use crate::prepare::{PrepareError, json};
use crate::request::ReadResponse;
use api::contacts::{ContactBody, SaveContact};
use api::fields::{JsonObject, Text};
use api::paths;
use model::bounds;
use model::contacts::{ContactChange, ReceivedContact, merge_tags};
use model::ids::ContactId;
use model::outbox::content::{ContactPatch, Json};
use model::outbox::{PreparedRequest, WriteMethod};
use model::text::is_plain;

/// Maximum page size of the API.
const PAGE_SIZE: &str = "100";
/// Metadata larger than this is dropped.
const MAX_METADATA_BYTES: usize = 64 * 1024;

impl Client {
    /// `GET /contacts`, most recent activity first; `search` matches names and phone numbers.
    pub async fn contacts(
        &self,
        search: Option<&str>,
        cursor: Option<&str>,
    ) -> Result<ListPage<ContactBody>, ReadError> {
        let answer = self.contact_page(search, cursor).await?;
        read_page(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }

    async fn contact_page(
        &self,
        search: Option<&str>,
        cursor: Option<&str>,
    ) -> Result<ReadResponse, ReadError> {
        let mut query = query(PAGE_SIZE, cursor);
        query.extend(search.map(|search| ("search", search)));
        self.get(paths::CONTACTS, &query).await
    }

    pub async fn contact(&self, id: &ContactId) -> Result<ContactBody, ReadError> {
        let answer = self.get(&paths::contact(id), &[]).await?;
        read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }

    /// Returns the contact if it still exists and has this phone number.
    pub async fn contact_by_id(
        &self,
        id: &ContactId,
        phone: &str,
    ) -> Result<Option<ReceivedContact>, ReadError> {
        match self.contact(id).await {
            Ok(body) => Ok(Some(body)
                .filter(|contact_body| contact_body.phone.as_deref() == Some(phone))
                .map(contact_from_body)),
            Err(ReadError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the contact with a phone number. Servers search in numbers either as written or in
    /// their digits only; both are tried until one of them has found a contact.
    pub async fn contact_by_phone(&self, phone: &str) -> Result<Option<ReceivedContact>, ReadError> {
        for form in [NumberSearch::AsWritten, NumberSearch::Digits] {
            let known = self.shared.number_search.get();
            if known.is_some_and(|number_search| *number_search != form) {
                continue;
            }
            let wanted = match form {
                NumberSearch::AsWritten => phone,
                NumberSearch::Digits => phone.trim_start_matches('+'),
            };
            let listed = self.contacts(Some(wanted), None).await?;
            if let Some(found) = listed.items.into_iter().find(|item| item.phone.as_deref() == Some(phone)) {
                // Another read may have set it already.
                let _ = self.shared.number_search.set(form);
                return Ok(Some(contact_from_body(found)));
            }
        }
        Ok(None)
    }

    /// True if the server's way of searching for numbers is known.
    pub fn is_number_search_known(&self) -> bool {
        self.shared.number_search.get().is_some()
    }

    /// `GET /contacts`, with phone numbers. A contact without one counts as unreadable: the API
    /// requires it.
    pub async fn people(
        &self,
        search: Option<&str>,
        cursor: Option<&str>,
    ) -> Result<ListPage<(String, ReceivedContact)>, ReadError> {
        let answer = self.contact_page(search, cursor).await?;
        read_page(&answer, |raw| {
            let body: ContactBody = serde_json::from_str(raw.get()).ok()?;
            Some((
                body.phone.clone().filter(|phone| !phone.is_empty() && is_plain(phone))?,
                contact_from_body(body),
            ))
        })
    }

    pub async fn received_contact(&self, id: &ContactId) -> Result<ReceivedContact, ReadError> {
        Ok(contact_from_body(self.contact(id).await?))
    }
}

/// Form in which a server searches for phone numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberSearch {
    AsWritten,
    Digits,
}

pub(crate) fn contact_from_body(body: ContactBody) -> ReceivedContact {
    let metadata = body.metadata.to_string();
    let is_cut = metadata.len() > MAX_METADATA_BYTES;
    ReceivedContact {
        id: Some(ContactId::new(body.id)),
        name: body.name,
        email: body.email,
        tags: body.tags,
        metadata: if is_cut { "{}".to_owned() } else { metadata },
        is_cut,
    }
}

pub(crate) fn prepare_save(wish: &ContactPatch) -> Result<PreparedRequest, PrepareError> {
    checks::phone(&wish.phone)?;
    checks::check_length("the name", wish.name.as_deref().unwrap_or(""), bounds::MAX_CONTACT_NAME_CHARS)?;
    let email = match wish.email.as_deref() {
        None | Some("") => wish.email.clone(),
        Some(email) => Some(checks::mail_address(email)?),
    };
    let metadata = match &wish.metadata {
        None => None,
        Some(given) => {
            let shape = PrepareError::NotJson { what: "the metadata", shape: "a JSON object" };
            Some(JsonObject::from_text(&given.0).ok_or(shape)?)
        }
    };
    let body = SaveContact {
        phone: wish.phone.as_str().into(),
        name: wish.name.as_deref().map(Text::from),
        email: email.map(Text::from),
        tags: wish.tags.clone(),
        metadata,
    };
    json(WriteMethod::Post, paths::CONTACTS, &body)
}

/// `POST /contacts` with the complete list of tags. Omitted fields keep their values.
pub fn prepare_tags(phone: &str, tags: Vec<String>) -> Result<PreparedRequest, PrepareError> {
    prepare_save(&ContactPatch { phone: phone.to_owned(), tags: Some(tags), ..ContactPatch::default() })
}

/// `POST /contacts` with a change merged into the contact's current values. Omitted fields
/// keep their values.
///
/// # Errors
/// Fails if the server is certain to refuse the request, or if it would drop metadata that
/// was too large to be read.
pub fn prepare_change(
    change: &ContactChange,
    before: Option<&ReceivedContact>,
) -> Result<PreparedRequest, PrepareError> {
    let nothing = ReceivedContact::default();
    let before = before.unwrap_or(&nothing);
    if before.is_cut && change.changes_metadata() {
        return Err(PrepareError::TooMany {
            what: "bytes of metadata on the server",
            count: MAX_METADATA_BYTES + 1,
            most: MAX_METADATA_BYTES,
        });
    }
    let tags = change.changes_tags().then(|| merge_tags(&before.tags, &change.add, &change.remove));
    let metadata = change.changes_metadata().then(|| merge_metadata(change, &before.metadata)).transpose()?;
    prepare_save(&ContactPatch {
        phone: change.phone.clone(),
        name: change.name.clone(),
        email: change.email.clone(),
        tags,
        metadata,
    })
}

fn merge_metadata(change: &ContactChange, before: &str) -> Result<Json, PrepareError> {
    let mut all: Map<String, Value> = serde_json::from_str(before).unwrap_or_default();
    for name in &change.unset {
        all.remove(name);
    }
    for (name, value) in &change.set {
        let shape = PrepareError::NotJson { what: "a value of the metadata", shape: "JSON" };
        all.insert(name.clone(), serde_json::from_str(&value.0).map_err(|_| shape)?);
    }
    Ok(Json(Value::Object(all).to_string()))
}

/// Describes each field of the contact that differs from the requested change.
pub fn differences(change: &ContactChange, told: &ReceivedContact) -> Vec<String> {
    let mut words = Vec::new();
    let mut text = |label: &str, wished: &Option<String>, told: &Option<String>| {
        let (wished, told) = (wished.as_deref().map(str::trim), told.as_deref().unwrap_or("").trim());
        if wished.is_some_and(|text| text != told) {
            words.push(format!("{label} {}", if told.is_empty() { "(none)" } else { told }));
        }
    };
    text("name", &change.name, &told.name);
    text("mail", &change.email, &told.email);
    words.extend(
        change.add.iter().filter(|text| !told.tags.contains(text)).map(|text| format!("no tag {text}")),
    );
    words.extend(
        change.remove.iter().filter(|text| told.tags.contains(text)).map(|text| format!("tag {text}")),
    );
    let all: Map<String, Value> = serde_json::from_str(&told.metadata).unwrap_or_default();
    for (name, value) in &change.set {
        let wished: Option<Value> = serde_json::from_str(&value.0).ok();
        if all.get(name) != wished.as_ref() && !told.is_cut {
            let told = all.get(name).map_or_else(|| "(none)".to_owned(), Value::to_string);
            words.push(format!("{name} {told}"));
        }
    }
    words.extend(
        change.unset.iter().filter(|text| all.contains_key(*text)).map(|text| format!("still {text}")),
    );
    words
}

pub(crate) fn prepare_delete(id: &ContactId) -> PreparedRequest {
    PreparedRequest::without_body(WriteMethod::Delete, paths::contact(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(change: &ContactChange, before: &ReceivedContact) -> Value {
        let request = prepare_change(change, Some(before)).expect("a request");
        serde_json::from_slice(&request.body).expect("JSON")
    }

    #[test]
    fn a_change_is_merged_and_leaves_out_what_it_does_not_touch() {
        let before = ReceivedContact {
            tags: vec!["theirs".into(), "late".into()],
            metadata: r#"{"plan":"gold","since":2019,"gone":null}"#.into(),
            ..ReceivedContact::default()
        };
        let phone = || "+34600111222".to_owned();
        let name = ContactChange { phone: phone(), name: Some("Maria".into()), ..ContactChange::default() };
        assert_eq!(body(&name, &before), serde_json::json!({"phone": phone(), "name": "Maria"}));
        let change = ContactChange {
            phone: phone(),
            add: vec!["vip".into()],
            remove: vec!["late".into()],
            set: vec![("plan".into(), Json("\"silver\"".into())), ("visits".into(), Json("3".into()))],
            unset: vec!["gone".into()],
            ..ContactChange::default()
        };
        let wanted = serde_json::json!({
            "phone": phone(), "tags": ["theirs", "vip"],
            "metadata": {"plan": "silver", "since": 2019, "visits": 3},
        });
        assert_eq!(body(&change, &before), wanted);
        let cut = ReceivedContact { is_cut: true, ..before.clone() };
        assert!(prepare_change(&change, Some(&cut)).is_err(), "what was not read would be lost");
        assert!(prepare_change(&name, Some(&cut)).is_ok());

        let told = ReceivedContact {
            name: Some("Maria".into()),
            tags: vec!["theirs".into(), "late".into(), "vip".into()],
            metadata: r#"{"plan":"gold","visits":3}"#.into(),
            ..ReceivedContact::default()
        };
        assert_eq!(differences(&name, &told), Vec::<String>::new());
        assert_eq!(differences(&change, &told), ["tag late", "plan \"gold\""]);
        let none = ContactChange { phone: phone(), name: Some(String::new()), ..ContactChange::default() };
        assert_eq!(differences(&none, &told), ["name Maria"]);
    }
}
