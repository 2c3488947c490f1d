//! Voice and SMS: conversations read, texts sent, calls placed. Interface:
//! Endpoints, Voice and SMS.

use crate::client::Listed;
use crate::client::checks;
use crate::client::connect::Client;
use crate::client::errors::ReadError;
use crate::client::pages::read_page;
use crate::client::prepare::{PrepareError, json};
use crate::model::bounds;
use crate::model::conversations::Conversation;
use crate::model::outbox::content::Json;
use crate::model::outbox::{Method, PreparedRequest};
use crate::wire::content::object;
use crate::wire::paths;
use crate::wire::voip::{PlaceCallBody, SendSmsBody};
use crate::wire::voip_rows::read_conversation;

/// A page of calls and SMS.
pub(crate) async fn conversations(
    client: &Client,
    query: &[(&str, &str)],
) -> Result<Listed<Conversation>, ReadError> {
    let answer = client.get(paths::VOIP_CONVERSATIONS, query).await?;
    read_page(&answer, |raw| read_conversation(raw).ok())
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
