//! Requests of voice and SMS keys.

use crate::ListPage;
use crate::checks;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::read_page;
use crate::prepare::{PrepareError, json};
use model::bounds;
use model::conversations::Conversation;
use model::outbox::content::Json;
use model::outbox::{PreparedRequest, WriteMethod};
use wire::content::object;
use wire::paths;
use wire::voip::{PlaceCallBody, SendSmsBody};
use wire::voip_rows::read_conversation;

/// Loads one page of calls and SMS.
pub(crate) async fn conversations(
    client: &Client,
    query: &[(&str, &str)],
) -> Result<ListPage<Conversation>, ReadError> {
    let answer = client.get(paths::VOIP_CONVERSATIONS, query).await?;
    read_page(&answer, |raw| read_conversation(raw).ok())
}

/// `POST /voip/sms`
pub(crate) fn prepare_sms(to: &str, body: &str, via: Option<&str>) -> Result<PreparedRequest, PrepareError> {
    checks::phone(to)?;
    checks::check_required("the text", body, bounds::MAX_SMS_CHARS)?;
    json(WriteMethod::Post, paths::VOIP_SMS, &SendSmsBody { to, body, channel_id: via })
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
    json(WriteMethod::Post, paths::VOIP_CALLS, &PlaceCallBody { to, channel_id: via, metadata })
}
