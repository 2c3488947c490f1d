//! Handlers of the voice and SMS channel.

use axum::extract::State;
use serde_json::{Value, json};

use crate::auth::Caller;
use crate::channels::Channel;
use crate::chat::people::find_or_create_conversation;
use crate::chat::send::{self, ComposedMessage};
use crate::credits;
use crate::database::channels::{self, ChannelRow};
use crate::database::conversations::{self, ConversationRow};
use crate::database::ingress;
use crate::errors::ApiError;
use crate::fields::Fields;
use crate::handlers::account::credits_as_f64;
use crate::handlers::bodies;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::state::Service;
use crate::voice;
use crate::voice::place::{self, NewCall};
use crate::write::WriteContext;
use model::{bounds, counting, prices};
use wire::voip::{CallBody, VoipConversationBody};

/// Recipient fields of `PlaceCall` and `SendSms`.
struct CallTarget {
    to: String,
    /// Channel to use; must be the key's own.
    channel: Option<String>,
}

impl CallTarget {
    fn read(fields: &Fields<'_>) -> Result<Self, ApiError> {
        let channel = fields.text("channelId", 256)?.filter(|text| !text.is_empty()).map(str::to_owned);
        Ok(Self { to: fields.required_phone("to")?.to_owned(), channel })
    }

    /// Returns the key's channel and the conversation with the customer.
    fn find(
        &self,
        work: &WriteContext<'_>,
        caller: &Caller,
    ) -> Result<(ChannelRow, ConversationRow), ApiError> {
        let channel = channels::read(work.db, &caller.channel_id)?;
        // Callers know a channel by its `assistantId`, the only id in `getAccount`.
        let named =
            self.channel.as_ref().is_none_or(|text| *text == channel.id || *text == channel.assistant);
        if !named {
            return Err(ApiError::validation("channelId must name the channel of this key"));
        }
        work.service.platforms.address(&channel)?;
        let mut conversation = find_or_create_conversation(work, &channel, &self.to)?;
        let wrote = conversation.last_inbound_at.is_some();
        if !wrote && conversation.peer != self.to {
            // Phone networks do not recognise an outdated form of a number.
            ingress::move_peer(work.db, &channel.id, (&conversation.peer, &self.to), true)?;
            conversation.peer.clone_from(&self.to);
        }
        Ok((channel, conversation))
    }
}

/// Handles `placeCall`: charges the first minute now and the others after the call.
pub async fn call(State(service): State<Service>, request: WriteRequest) -> Result<Reply, ApiError> {
    let fields = Fields::of_body(&request.body)?;
    let target = CallTarget::read(&fields)?;
    let metadata = match fields.value("metadata") {
        None => "{}".to_owned(),
        Some(value) if value.is_object() => value.to_string(),
        Some(_) => return Err(fields.refuse("metadata", "must be an object")),
    };
    service
        .write(request, move |work, caller| {
            let (channel, conversation) = target.find(work, caller)?;
            let id = work.id("call", work.stamp());
            let paid = credits::pay(work, caller, prices::VOICE_MINUTE_CREDITS, "call", &id)?;
            let new = NewCall { id: id.clone(), metadata, cost: paid.used };
            let is_carried = place::place_call(work, &channel, &conversation, new)?;
            let reply = Reply::ok(&CallBody {
                call_id: id.clone(),
                status: place::QUEUED_STATUS.to_owned(),
                credits_used: credits_as_f64(paid.used),
                credits_remaining: credits_as_f64(paid.remaining),
            })?;
            Ok(reply.awaiting(is_carried.then_some(id)))
        })
        .await
}

/// Handles `sendSms`.
pub async fn sms(State(service): State<Service>, request: WriteRequest) -> Result<Reply, ApiError> {
    let fields = Fields::of_body(&request.body)?;
    let target = CallTarget::read(&fields)?;
    let content = fields.required_text("body", bounds::MAX_SMS_CHARS)?.to_owned();
    service
        .write(request, move |work, caller| {
            let (channel, conversation) = target.find(work, caller)?;
            let id = work.id("msg", work.stamp());
            let paid = credits::pay(work, caller, prices::SMS_CREDITS, "message", &id)?;
            let details = json!({ "segments": counting::count_sms_segments(&content) }).to_string();
            let outgoing = ComposedMessage {
                sender: "api",
                content,
                kind: "text",
                details: Some(details),
                cost: paid.used,
                ..ComposedMessage::default()
            };
            let row = send::send(work, &channel, &conversation, id, outgoing)?;
            bodies::sent_reply(row, Channel::Voip, &paid)
        })
        .await
}

/// Handles `listVoipConversations`.
pub async fn conversations(State(service): State<Service>, request: ReadRequest) -> Result<Reply, ApiError> {
    let ReadRequest { caller, query, .. } = request;
    let page = query.page(&service.cursors, &["voip", &caller.channel_id])?;
    let state = service.clone();
    service
        .database
        .read(move |db| {
            let channel = channels::read(db, &caller.channel_id)?;
            let rows = conversations::list(db, &channel.id, None, &page.after, page.rows_to_read())?;
            let with_manner = |row: ConversationRow| {
                let spoken = voice::conversation_mode(db, &channel, &row.id)? == voice::CALL_KIND;
                let escalation = bodies::load_escalation(db, &row)?;
                Ok::<_, ApiError>((row, if spoken { "call" } else { "sms" }, escalation))
            };
            let rows = rows.into_iter().map(with_manner).collect::<Result<Vec<_>, _>>()?;
            page.reply(&state.cursors, rows, |(row, ..)| row.page_position(), voip_conversation_body)
        })
        .await
}

fn voip_conversation_body(
    (row, kind, escalation): (ConversationRow, &'static str, Option<Value>),
) -> VoipConversationBody {
    VoipConversationBody {
        escalation,
        id: row.id,
        customer_phone: Some(row.peer),
        customer_name: row.name,
        kind: Some(kind.to_owned()),
        status: Some(row.status),
        message_count: u64::try_from(row.message_count).ok(),
        last_message_preview: Some(row.preview),
        last_message_at: Some(row.last_at.to_string()),
    }
}
