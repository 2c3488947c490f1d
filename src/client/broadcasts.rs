//! Sends a broadcast and reads its status.

use crate::checks;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::messages::template_content;
use crate::pages::read_one;
use crate::prepare::{PrepareError, json};
use api::broadcasts::{BroadcastBody, CreateBroadcast};
use api::content::{self, MediaContent};
use api::fields::Text;
use api::paths;
use model::bounds;
use model::broadcasts::Broadcast;
use model::ids::BroadcastId;
use model::outbox::content::{Audience, BroadcastContent};
use model::outbox::{PreparedRequest, WriteMethod};

impl Client {
    pub async fn broadcast(&self, id: &BroadcastId) -> Result<Broadcast, ReadError> {
        let answer = self.get(&paths::broadcast(id), &[]).await?;
        let body: BroadcastBody = read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())?;
        Ok(body.into_model())
    }
}

pub(crate) fn prepare(to: &Audience, content: &BroadcastContent) -> Result<PreparedRequest, PrepareError> {
    let contact_ids = match to {
        Audience::Everyone => None,
        // An empty list must never be read as everyone.
        Audience::Contacts(ids) if ids.is_empty() => return Err(PrepareError::Empty("the list of contacts")),
        Audience::Contacts(ids) => {
            checks::check_count("contacts", ids.len(), bounds::MAX_BROADCAST_CONTACTS)?;
            Some(ids.iter().map(|id| Text::from(id.as_str())).collect())
        }
    };
    let message = match content {
        BroadcastContent::Text(text) => {
            checks::check_required("the text", text, bounds::MAX_TEXT_CHARS)?;
            content::BroadcastContent::Text { text: text.as_str().into() }
        }
        BroadcastContent::Image(link) => {
            checks::link(link)?;
            content::BroadcastContent::Image { image: MediaContent::of_link(link) }
        }
        BroadcastContent::Template(template) => {
            content::BroadcastContent::Template { template: template_content(template)? }
        }
    };
    json(WriteMethod::Post, paths::BROADCAST, &CreateBroadcast { contact_ids, message })
}
