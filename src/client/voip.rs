//! Voice and SMS: conversations read, texts sent, calls placed. Interface:
//! Endpoints, Voice and SMS.
//!
//! Knows nothing of what a call costs.

use crate::client::checks;
use crate::client::connect::Client;
use crate::client::errors::ReadError;
use crate::client::pages::{Listed, query, read_page};
use crate::client::prepare::{PrepareError, json};
use crate::model::bounds;
use crate::model::outbox::content::Json;
use crate::model::outbox::{Method, PreparedRequest};
use crate::wire::content::object;
use crate::wire::paths;
use crate::wire::voip::{PlaceCallBody, SendSmsBody, VoipConversationBody};

/// Rows of a page: the default of the interface.
const PAGE: &str = "50";

impl Client {
    /// `GET /voip/conversations`: a page.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn voip_conversations(
        &self,
        cursor: Option<&str>,
    ) -> Result<Listed<VoipConversationBody>, ReadError> {
        let answer = self.get(paths::VOIP_CONVERSATIONS, &query(PAGE, cursor)).await?;
        read_page(&answer, |raw| serde_json::from_str(raw.get()).ok())
    }
}

/// `POST /voip/sms`
pub(crate) fn prepare_sms(to: &str, body: &str, via: Option<&str>) -> Result<PreparedRequest, PrepareError> {
    checks::phone(to)?;
    checks::wanted("the text", body, bounds::SMS)?;
    json(Method::Post, paths::VOIP_SMS, &SendSmsBody { to, body, channel_id: via })
}

/// `POST /voip/calls`
pub(crate) fn prepare_call(
    to: &str,
    via: Option<&str>,
    context: Option<&Json>,
) -> Result<PreparedRequest, PrepareError> {
    checks::phone(to)?;
    let shape = PrepareError::NotJson { what: "what the AI is told", shape: "a JSON object" };
    let metadata = match context {
        None => None,
        Some(given) => Some(object(given).ok_or(shape)?),
    };
    json(Method::Post, paths::VOIP_CALLS, &PlaceCallBody { to, channel_id: via, metadata })
}
