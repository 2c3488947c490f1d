//! Handlers of the voice and SMS channel.

use axum::extract::State;
use serde_json::json;

use crate::auth::Caller;
use crate::chat::keywords::ListedOptOuts;
use crate::chat::people::find_or_create_conversation;
use crate::database::channels::{self, ChannelRow};
use crate::database::conversations::{self, ConversationRow};
use crate::database::ingress;
use crate::errors::ApiError;
use crate::handlers::account::credits_as_f64;
use crate::handlers::bodies;
use crate::reply::Reply;
use crate::request::{ReadRequest, WriteRequest};
use crate::sending::accept::{ComposedMessage, accept_send};
use crate::state::Service;
use crate::voice;
use crate::voice::place::{self, NewCall};
use crate::write::WriteContext;
use api::content::MAX_ID_CHARS;
use api::escalations::{EscalationBody, EscalationState};
use api::fields::{JsonObject, Phone, Text};
use api::voip::{CallBody, PlaceCall, SendSms, VoipConversationBody};
use model::conversations::NoMessagesReason;
use model::{counting, prices};
use platforms::{CALL_KIND, Channel};

struct CallTarget {
    to: Phone,
    /// Channel to use; must be the key's own.
    channel: Option<Text<MAX_ID_CHARS>>,
}

impl CallTarget {
    /// Returns the key's channel and the conversation with the customer.
    fn find(
        &self,
        work: &WriteContext<'_>,
        caller: &Caller,
    ) -> Result<(ChannelRow, ConversationRow), ApiError> {
        let channel = channels::read(work.db, &caller.channel_id)?;
        // Callers know a channel by its `assistantId`, the only id in `getAccount`.
        let wanted = self.channel.as_ref().map_or("", Text::as_str);
        let named = wanted.is_empty() || wanted == channel.id || wanted == channel.assistant;
        if !named {
            return Err(ApiError::validation("channelId must name the channel of this key"));
        }
        work.service.platforms.address(&channel)?;
        let mut conversation = find_or_create_conversation(work, &channel, self.to.as_str())?;
        let wrote = conversation.last_inbound_at.is_some();
        if !wrote && conversation.peer != self.to.as_str() {
            // Phone networks do not recognise an outdated form of a number.
            ingress::move_peer(work.db, &channel.id, (&conversation.peer, self.to.as_str()), true)?;
            self.to.as_str().clone_into(&mut conversation.peer);
        }
        Ok((channel, conversation))
    }
}

/// Handles `placeCall`: charges the first minute now and the others after the call.
pub async fn call(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let PlaceCall { to, channel_id, metadata } = request.read_body()?;
    let target = CallTarget { to, channel: channel_id };
    let metadata = metadata.map_or_else(|| "{}".to_owned(), JsonObject::into_string);
    service
        .write(request, move |work, caller| {
            let (channel, conversation) = target.find(work, caller)?;
            let id = work.id("call", work.stamp());
            let paid = work.pay(caller, prices::VOICE_MINUTE_CREDITS, "call", &id)?;
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
pub async fn sms(State(service): State<Service>, mut request: WriteRequest) -> Result<Reply, ApiError> {
    let SendSms { to, body, channel_id } = request.read_body()?;
    let (target, content) = (CallTarget { to, channel: channel_id }, body.into_string());
    service
        .write(request, move |work, caller| {
            let (channel, conversation) = target.find(work, caller)?;
            let id = work.id("msg", work.stamp());
            let paid = work.pay(caller, prices::SMS_CREDITS, "message", &id)?;
            let details = json!({ "segments": counting::count_sms_segments(&content) }).to_string();
            let outgoing = ComposedMessage {
                sender: "api",
                content,
                kind: "text",
                details: Some(details),
                cost: paid.used,
                ..ComposedMessage::default()
            };
            let row = accept_send(work, &channel, &conversation, id, outgoing)?;
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
            let opt_outs = ListedOptOuts::load(db, (channel.kind, &channel.id), &rows)?;
            let has_assistant = state.assistant.is_some();
            let with_manner = |row: ConversationRow| {
                let spoken = voice::conversation_mode(db, &channel, &row.id)? == CALL_KIND;
                let escalation = bodies::load_escalation(db, &row)?;
                let reason = opt_outs.find_reason(&row.peer);
                let row = if has_assistant {
                    row
                } else {
                    ConversationRow { paused_by: None, paused_from: None, ..row }
                };
                Ok::<_, ApiError>((row, if spoken { "call" } else { "sms" }, escalation, reason))
            };
            let rows = rows.into_iter().map(with_manner).collect::<Result<Vec<_>, _>>()?;
            page.reply(&state.cursors, rows, |(row, ..)| row.page_position(), voip_conversation_body)
        })
        .await
}

/// A conversation, whether it was last `sms` or `call`, its escalation, and why it takes no texts.
type ListedConversation = (ConversationRow, &'static str, Option<EscalationBody>, Option<NoMessagesReason>);

fn voip_conversation_body((row, kind, escalation, reason): ListedConversation) -> VoipConversationBody {
    VoipConversationBody {
        takes_no_messages: reason.map(|reason| reason.word().to_owned()),
        escalation: escalation.map(EscalationState::Requested),
        id: row.id,
        customer_phone: Some(row.peer),
        customer_name: row.name,
        kind: Some(kind.to_owned()),
        status: Some(row.status),
        message_count: u64::try_from(row.message_count).ok(),
        last_message_preview: Some(row.preview),
        last_message_at: Some(row.last_at.to_string()),
        paused_by: row.paused_by,
        paused_from: row.paused_from,
    }
}
