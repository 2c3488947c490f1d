//! Sends a broadcast and reads its status.

use crate::checks;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::messages::template_content;
use crate::pages::read_one;
use crate::prepare::{PrepareError, json};
use model::bounds;
use model::broadcasts::Broadcast;
use model::ids::{BroadcastId, ContactId};
use model::outbox::content::{Audience, BroadcastContent};
use model::outbox::{PreparedRequest, WriteMethod};
use wire::broadcasts::{BroadcastBody, SendBroadcastBody};
use wire::content::{MediaContent, TextContent, TypedContent};
use wire::paths;

impl Client {
    /// `GET /broadcast/{id}`
    pub async fn broadcast(&self, id: &BroadcastId) -> Result<Broadcast, ReadError> {
        let answer = self.get(&paths::broadcast(id), &[]).await?;
        let body: BroadcastBody = read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())?;
        Ok(body.into_model())
    }
}

/// `POST /broadcast`
pub(crate) fn prepare(to: &Audience, content: &BroadcastContent) -> Result<PreparedRequest, PrepareError> {
    let contact_ids = match to {
        Audience::Everyone => None,
        // An empty list must never be read as everyone.
        Audience::Contacts(ids) if ids.is_empty() => return Err(PrepareError::Empty("the list of contacts")),
        Audience::Contacts(ids) => {
            checks::check_count("contacts", ids.len(), bounds::MAX_BROADCAST_CONTACTS)?;
            Some(ids.iter().map(ContactId::as_str).collect())
        }
    };
    let message = match content {
        BroadcastContent::Text(text) => {
            checks::check_required("the text", text, bounds::MAX_TEXT_CHARS)?;
            TypedContent { kind: "text", text: Some(TextContent { body: text }), ..TypedContent::default() }
        }
        BroadcastContent::Image(link) => {
            checks::link(link)?;
            let image = MediaContent { link, caption: None, filename: None };
            TypedContent { kind: "image", image: Some(image), ..TypedContent::default() }
        }
        BroadcastContent::Template(template) => template_content(template)?,
    };
    json(WriteMethod::Post, paths::BROADCAST, &SendBroadcastBody { contact_ids, message })
}
