//! Requests of voice and SMS keys.

use crate::ListPage;
use crate::checks;
use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::read_page;
use crate::prepare::{PrepareError, json};
use api::fields::{JsonObject, Text};
use api::paths;
use api::voip::{PlaceCall, SendSms};
use api::voip_rows::read_conversation;
use model::bounds;
use model::conversations::Conversation;
use model::outbox::content::Json;
use model::outbox::{PreparedRequest, WriteMethod};

pub(crate) async fn conversations(
    client: &Client,
    query: &[(&str, &str)],
) -> Result<ListPage<Conversation>, ReadError> {
    let answer = client.get(paths::VOIP_CONVERSATIONS, query).await?;
    read_page(&answer, |raw| read_conversation(raw).ok())
}

pub(crate) fn prepare_sms(to: &str, body: &str, via: Option<&str>) -> Result<PreparedRequest, PrepareError> {
    checks::phone(to)?;
    checks::check_required("the text", body, bounds::MAX_SMS_CHARS)?;
    let body = SendSms { to: to.into(), body: body.into(), channel_id: via.map(Text::from) };
    json(WriteMethod::Post, paths::VOIP_SMS, &body)
}

pub(crate) fn prepare_call(
    to: &str,
    via: Option<&str>,
    context: Option<&Json>,
) -> Result<PreparedRequest, PrepareError> {
    checks::phone(to)?;
    let shape = PrepareError::NotJson { what: "the context for the AI", shape: "a JSON object" };
    let metadata = match context {
        None => None,
        Some(given) => Some(JsonObject::from_text(&given.0).ok_or(shape)?),
    };
    let body = PlaceCall { to: to.into(), channel_id: via.map(Text::from), metadata };
    json(WriteMethod::Post, paths::VOIP_CALLS, &body)
}
