//! Contacts: listed, read, saved, deleted. Interface: Endpoints, Contacts.
//!
//! Knows nothing of conversations with them.

use crate::client::checks;
use crate::client::connect::Client;
use crate::client::errors::ReadError;
use crate::client::pages::{Listed, query, read_one, read_page};
use crate::client::prepare::{PrepareError, json};
use crate::model::bounds;
use crate::model::contacts::ToldContact;
use crate::model::ids::ContactId;
use crate::model::outbox::content::ContactWish;
use crate::model::outbox::{Method, PreparedRequest};
use crate::wire::contacts::{ContactBody, SaveContactBody};
use crate::wire::content::object;
use crate::wire::paths;

/// Rows of a page: the most the interface gives.
const PAGE: &str = "100";
/// Bytes of metadata taken at most.
const METADATA: usize = 64 * 1024;

impl Client {
    /// `GET /contacts`: newest activity first, those whose name or phone
    /// matches.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn contacts(
        &self,
        search: Option<&str>,
        cursor: Option<&str>,
    ) -> Result<Listed<ContactBody>, ReadError> {
        let mut query = query(PAGE, cursor);
        query.extend(search.map(|it| ("search", it)));
        let answer = self.get(paths::CONTACTS, &query).await?;
        read_page(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }

    /// `GET /contacts/{id}`
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn contact(&self, id: &ContactId) -> Result<ContactBody, ReadError> {
        let answer = self.get(&paths::contact(id), &[]).await?;
        read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }

    /// The contact with a phone number, if there is one. A server may search
    /// in numbers as they are, or only in their digits.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn contact_with(&self, phone: &str) -> Result<Option<ToldContact>, ReadError> {
        let digits = phone.trim_start_matches('+');
        for wanted in [phone, digits] {
            let listed = self.contacts(Some(wanted), None).await?;
            let found = listed.items.into_iter().find(|it| it.phone.as_deref() == Some(phone));
            if found.is_some() || phone == digits {
                return Ok(found.map(told));
            }
        }
        Ok(None)
    }

    /// A contact by its id.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn contact_told(&self, id: &ContactId) -> Result<ToldContact, ReadError> {
        Ok(told(self.contact(id).await?))
    }
}

fn told(body: ContactBody) -> ToldContact {
    let metadata = body.metadata.to_string();
    ToldContact {
        id: Some(ContactId::new(body.id)),
        name: body.name,
        email: body.email,
        tags: body.tags,
        metadata: if metadata.len() <= METADATA { metadata } else { "{}".to_owned() },
    }
}

/// `POST /contacts`
pub(crate) fn prepare_save(wish: &ContactWish) -> Result<PreparedRequest, PrepareError> {
    checks::phone(&wish.phone)?;
    checks::bounded("the name", wish.name.as_deref().unwrap_or(""), bounds::CONTACT_NAME)?;
    if let Some(email) = wish.email.as_deref().filter(|it| !it.is_empty()) {
        checks::mail_address(email)?;
    }
    let metadata = match &wish.metadata {
        None => None,
        Some(given) => {
            let shape = PrepareError::NotJson { what: "the metadata", shape: "a JSON object" };
            Some(object(given).ok_or(shape)?)
        }
    };
    let body = SaveContactBody {
        phone: &wish.phone,
        name: wish.name.as_deref(),
        email: wish.email.as_deref(),
        tags: wish.tags.as_deref(),
        metadata,
    };
    json(Method::Post, paths::CONTACTS, &body)
}

/// `POST /contacts` with all the tags a contact shall have. What else it has
/// is left out, and so stays as it is.
///
/// # Errors
/// When it is certain to be refused.
pub fn prepare_tags(phone: &str, tags: Vec<String>) -> Result<PreparedRequest, PrepareError> {
    prepare_save(&ContactWish { phone: phone.to_owned(), tags: Some(tags), ..ContactWish::default() })
}

/// `DELETE /contacts/{id}`
pub(crate) fn prepare_delete(id: &ContactId) -> PreparedRequest {
    PreparedRequest::bare(Method::Delete, paths::contact(id))
}
