//! Outcome of an attempt, applied in one transaction with its consequences: message, price, and the answer to
//! the request.

use serde_json::Value;

use crate::chat::{broadcast, keywords};
use crate::database::calls as stored;
use crate::database::channels::ChannelRow;
use crate::database::conversations::{self, ConversationRow};
use crate::database::egress::{self, EgressRow, EgressState};
use crate::database::messages::{self, MessageRow};
use crate::database::team::work as answers;
use crate::database::{DatabaseError, aliases, channels, connected, idempotency, ingress, workspaces};
use crate::errors::ApiError;
use crate::events;
use crate::reply::Reply;
use crate::sending::accept::{self, QUEUED_STATUS};
use crate::sending::{check_json, mail};
use crate::takeover::{self, AutomationSubject};
use crate::voice::place::{self, NewCall};
use crate::write::WriteContext;
use api::carriers::MessageDraft;
use api::errors::ErrorCode;
use api::events::{EventData, MessageProgress};
use model::time::{HOUR, MINUTE, SECOND};
use platforms::{CALL_KIND, Channel, OutboundMessage, REACTION_KIND, SendOutcome, SimulatedDelivery};

/// Maximum time for which a message is retried, in microseconds.
pub const MAX_RETRY_TIME: i64 = HOUR;
/// Maximum time for which a call is retried, in microseconds; a later call would surprise the customer.
const MAX_CALL_RETRY_TIME: i64 = MINUTE;
const UNKNOWN_STATUS: &str = "unknown";
const UNKNOWN_OUTCOME_REASON: &str = "it is not known whether the last message arrived";
const NOT_DELIVERED_REASON: &str = "the last message could not be delivered";
const NOT_PLACED_TEXT: &str = "Outgoing call, not placed";

/// Outbound message with the rows it belongs to.
struct MessageAttempt<'a, 'b> {
    context: &'a WriteContext<'b>,
    row: EgressRow,
    draft: MessageDraft,
    channel: ChannelRow,
    conversation: ConversationRow,
}

/// Records the outcome of an attempt with its consequences. Ignored if a newer attempt has been made, or if the
/// message is settled already, unless as unknown.
pub fn record_outcome(
    work: &WriteContext<'_>,
    id: &str,
    fence: i64,
    outcome: SendOutcome,
) -> Result<(), ApiError> {
    let Some(row) = egress::read(work.db, id)? else { return Ok(()) };
    let open = [EgressState::Claimed, EgressState::Departed, EgressState::Recalled, EgressState::Unknown];
    if row.fence != fence || !open.iter().any(|state| state.word() == row.state) {
        return Ok(());
    }
    let is_recalled = row.state == EgressState::Recalled.word();
    if is_recalled && matches!(outcome, SendOutcome::Later { .. } | SendOutcome::Moved { .. }) {
        return Ok(egress::settle(work.db, id, EgressState::Dropped, None, work.now)?);
    }
    if let Some(channel) = mail_channel(work, &row)? {
        return mail::record_outcome(work, &channel, row, outcome);
    }
    let was_unknown = row.state == EgressState::Unknown.word();
    let draft: MessageDraft = check_json(serde_json::from_str(&row.draft))?;
    let parcel: OutboundMessage = check_json(serde_json::from_str(&row.parcel))?;
    let Some((channel, conversation)) = conversations::with_channel(work.db, &row.lane)? else {
        let gone = Reply::from_error(&ApiError::not_found("this conversation"));
        return Ok(egress::settle(work.db, id, EgressState::Dropped, Some(&gone), work.now)?);
    };
    let work = &WriteContext { key: draft.key.as_deref(), agent: draft.agent.as_ref(), ..*work };
    let case = MessageAttempt { context: work, row, draft: draft.clone(), channel, conversation };
    match outcome {
        SendOutcome::Taken { platform_id, fate, reached } => {
            case.with_reached_address(reached)?.record_accepted(platform_id, fate)
        }
        SendOutcome::Refused { code, why, broken } => case.record_refused(code, &why, broken),
        // A message that may have been sent is not retried.
        SendOutcome::Later { .. } | SendOutcome::Moved { .. } | SendOutcome::Unknown { .. }
            if was_unknown =>
        {
            Ok(())
        }
        SendOutcome::Later { after, why } => case.retry_later(&parcel, after, &why),
        SendOutcome::Moved { to } => case.retry_at_address(parcel, &to),
        SendOutcome::Unknown { why } => case.record_unknown(&why),
    }
}

/// Settles a message by its platform's report, whatever the answer to its attempt was.
pub fn record_reported_outcome(
    work: &WriteContext<'_>,
    row: &EgressRow,
    outcome: SendOutcome,
) -> Result<(), ApiError> {
    // A message waiting for a retry was sent by an earlier attempt.
    let waits = row.state == EgressState::Waiting.word();
    let fence = if waits { egress::claim(work.db, row, work.now)? } else { Some(row.fence) };
    match fence {
        Some(fence) => record_outcome(work, &row.id, fence, outcome),
        None => Ok(()),
    }
}

/// Escalates a conversation because a message in its history failed.
pub fn escalate_to_person(
    work: &WriteContext<'_>,
    conversation: &str,
    why: &str,
) -> Result<(), DatabaseError> {
    conversations::escalate(work.db, conversation, (NOT_DELIVERED_REASON, why), work.now)
}

/// Stores the message before the platform has answered, because its request waits no longer. Returns the
/// request's answer.
pub(super) fn record_early(work: &WriteContext<'_>, id: &str) -> Result<Option<Reply>, ApiError> {
    let Some((reply, settled)) = egress::read_reply(work.db, id)? else { return Ok(None) };
    let Some(row) = egress::read(work.db, id)?.filter(|egress_row| !settled && !egress_row.is_recorded)
    else {
        return Ok(Some(reply));
    };
    if let Some(channel) = mail_channel(work, &row)? {
        mail::record_early(work, &channel, row, &reply)?;
    } else if let Some((channel, conversation)) = conversations::with_channel(work.db, &row.lane)? {
        let draft: MessageDraft = check_json(serde_json::from_str(&row.draft))?;
        let case = MessageAttempt { context: work, row, draft, channel, conversation };
        if case.draft.kind != REACTION_KIND {
            case.show_uncertain(QUEUED_STATUS)?;
        }
        store_reply(case.context, &case.row.id, &reply)?;
        egress::mark_recorded(work.db, id)?;
    }
    Ok(Some(reply))
}

impl MessageAttempt<'_, '_> {
    /// Handles a number that the platform knows under another form: both belong to one conversation.
    fn with_reached_address(self, reached: Option<String>) -> Result<Self, ApiError> {
        let other = reached.filter(|text| *text != self.conversation.peer);
        let Some(other) = other else { return Ok(self) };
        let (db, channel) = (self.context.db, &self.channel.id);
        let Some(there) = conversations::find_at_peer(db, channel, &other)? else {
            aliases::insert(db, channel, &other, &self.conversation.peer)?;
            return Ok(self);
        };
        aliases::insert(db, channel, &self.conversation.peer, &there.peer)?;
        if self.row.is_recorded || self.conversation.message_count > 0 {
            // Existing messages stay in this conversation; new ones go to the other.
            return Ok(self);
        }
        egress::change_lane(db, &self.row.lane, &there.id)?;
        if accept::is_from_person(&self.draft.sender, self.draft.broadcast.as_deref()) {
            let subject = AutomationSubject::Chat(&there.id);
            takeover::record_person_answer(self.context, &self.channel, subject, None)?;
        }
        conversations::delete(db, &self.conversation.id)?;
        let row = EgressRow { lane: there.id.clone(), ..self.row };
        Ok(Self { row, conversation: there, ..self })
    }

    fn record_accepted(&self, platform_id: String, fate: SimulatedDelivery) -> Result<(), ApiError> {
        let Self { context: work, row, draft, .. } = self;
        if draft.kind == CALL_KIND {
            record_placed(self, &platform_id)?;
            return self.finish(self.build_reply(QUEUED_STATUS, None)?);
        }
        let reply = self.build_reply("sent", Some(&platform_id))?;
        if draft.kind == REACTION_KIND {
            let emoji = Some(draft.content.as_str()).filter(|text| !text.is_empty());
            messages::set_reaction(work.db, draft.reply_to.as_deref().unwrap_or_default(), emoji, work.now)?;
        } else if row.is_recorded {
            if egress::advance_recorded(work.db, &row.id, "sent", Some(&platform_id))?
                && let Some(message) = messages::find_by_id(work.db, &row.id)?
            {
                accept::record_sent(work, &self.channel, &self.conversation, &message, fate)?;
                self.record_in_broadcast(Ok("sent"))?;
            }
        } else {
            let message = self.store_message("sent", platform_id)?;
            accept::record_sent(work, &self.channel, &self.conversation, &message, fate)?;
            self.record_in_broadcast(Ok("sent"))?;
        }
        self.finish(reply)
    }

    /// Settles the row. Removes the escalation with the last unknown outcome of a conversation.
    fn finish(&self, reply: Option<Reply>) -> Result<(), ApiError> {
        let Self { context: work, row, conversation, .. } = self;
        settle_row(work, row, EgressState::Taken, reply)?;
        let was_unknown = row.state == EgressState::Unknown.word();
        if was_unknown
            && conversation.escalation.as_deref() == Some(UNKNOWN_OUTCOME_REASON)
            && egress::count_unknown(work.db, &row.lane)? == 0
        {
            conversations::clear_escalation(work.db, &row.lane, work.now)?;
        }
        Ok(())
    }

    fn record_in_broadcast(&self, outcome: Result<&str, ErrorCode>) -> Result<(), DatabaseError> {
        match &self.draft.broadcast {
            Some(id) => broadcast::record_outcome(self.context, id, &self.row.id, outcome),
            None => Ok(()),
        }
    }

    fn record_refused(&self, code: ErrorCode, why: &str, broken: bool) -> Result<(), ApiError> {
        let Self { context: work, row, draft, channel, .. } = self;
        keywords::record_opt_out(work, channel, &self.conversation, why)?;
        if draft.broadcast.is_none() && draft.cost > 0 {
            workspaces::refund(work.db, &channel.workspace, draft.cost, &row.id, work.now)?;
        }
        self.record_in_broadcast(Err(code))?;
        if broken {
            connected::set_trouble(work.db, &channel.id, Some(why))?;
        }
        if code == ErrorCode::TemplateError {
            // The platform has changed or removed the template.
            connected::request_description(work.db, &channel.id, work.stamp())?;
        }
        if row.is_recorded {
            self.record_failed(why)?;
        }
        if draft.sender == "ai" && !row.is_recorded && row.state != EgressState::Recalled.word() {
            // Only the assistant knows of this text, and the customer waits for an answer.
            escalate_to_person(work, &row.lane, why)?;
        }
        settle_row(work, row, EgressState::Refused, Some(Reply::from_error(&ApiError::new(code, why))))
    }

    fn record_failed(&self, why: &str) -> Result<(), DatabaseError> {
        let Self { context: work, row, channel, draft, .. } = self;
        if draft.kind == CALL_KIND {
            record_not_placed(work, &row.id)?;
        }
        if !egress::advance_recorded(work.db, &row.id, "failed", None)? {
            return Ok(());
        }
        answers::remove_answer(work.db, &row.id)?;
        if draft.broadcast.is_none() {
            escalate_to_person(work, &row.lane, why)?;
        }
        let data = MessageProgress {
            conversation_id: row.lane.as_str().into(),
            delivered_at: None,
            message_id: row.id.as_str().into(),
            read_at: None,
            status: "failed".into(),
        };
        events::emit(work, &channel.id, &EventData::MessageFailed(data))
    }

    fn retry_later(&self, parcel: &OutboundMessage, after: i64, why: &str) -> Result<(), ApiError> {
        let Self { context: work, row, draft, .. } = self;
        let (most, span) = if draft.kind == CALL_KIND {
            (MAX_CALL_RETRY_TIME, "a minute")
        } else {
            (MAX_RETRY_TIME, "an hour")
        };
        if work.now.since(row.place) >= most {
            let why = format!("the platform did not accept the message for {span}: {why}");
            return self.record_refused(ErrorCode::WhatsappError, &why, false);
        }
        let text = check_json(serde_json::to_string(parcel))?;
        Ok(egress::postpone(work.db, &row.id, &text, work.now.plus(after.max(SECOND / 10)))?)
    }

    fn retry_at_address(&self, parcel: OutboundMessage, to: &str) -> Result<(), ApiError> {
        let Self { context: work, row, channel, .. } = self;
        ingress::move_peer(work.db, &channel.id, (&parcel.to, to), true)?;
        let parcel = OutboundMessage { to: to.to_owned(), ..parcel };
        let text = check_json(serde_json::to_string(&parcel))?;
        Ok(egress::postpone(work.db, &row.id, &text, work.now)?)
    }

    fn record_unknown(&self, why: &str) -> Result<(), ApiError> {
        let Self { context: work, row, draft, .. } = self;
        tracing::warn!(%why, message = row.id, "it is not known whether a message was sent");
        if draft.kind != REACTION_KIND {
            if row.is_recorded {
                egress::advance_recorded(work.db, &row.id, UNKNOWN_STATUS, None)?;
            } else {
                self.show_uncertain(UNKNOWN_STATUS)?;
                egress::mark_recorded(work.db, &row.id)?;
            }
            if draft.broadcast.is_none() {
                conversations::escalate(work.db, &row.lane, (UNKNOWN_OUTCOME_REASON, why), work.now)?;
            }
            self.record_in_broadcast(Ok(UNKNOWN_STATUS))?;
        }
        settle_row(work, row, EgressState::Unknown, self.build_reply(UNKNOWN_STATUS, None)?)
    }

    /// Stores a message that may not have been sent.
    fn show_uncertain(&self, status: &str) -> Result<(), ApiError> {
        match self.draft.kind.as_str() {
            CALL_KIND => Ok(store_call(self, status, String::new())?),
            _ => self.store_message(status, String::new()).map(drop),
        }
    }

    fn store_message(&self, status: &str, platform_id: String) -> Result<MessageRow, ApiError> {
        let Self { context: work, row, draft, channel, conversation } = self;
        let message = MessageRow {
            id: row.id.clone(),
            conversation: conversation.id.clone(),
            channel: channel.id.clone(),
            platform_id,
            direction: "outbound".to_owned(),
            sender: draft.sender.clone(),
            content: draft.content.clone(),
            kind: draft.kind.clone(),
            media_url: draft.media_url.clone(),
            details: draft.details.clone(),
            status: status.to_owned(),
            reply_to: draft.reply_to.clone(),
            reaction: None,
            cost: draft.cost,
            // Stamped now, so that a reader who continues from the newest message sees it.
            created_at: work.stamp(),
            sent_at: None,
            delivered_at: None,
            read_at: None,
            broadcast: draft.broadcast.clone(),
            extras: accept::sent_extras(draft.agent.clone(), draft.details.as_deref()).to_stored_text(),
        };
        accept::store_message(work, channel, conversation, &message)?;
        accept::end_escalation(work, conversation, &message)?;
        Ok(message)
    }

    /// Builds the answer to the request, if there was one. A reaction has no status.
    fn build_reply(&self, status: &str, platform_id: Option<&str>) -> Result<Option<Reply>, ApiError> {
        let Self { context: work, row, .. } = self;
        if self.draft.kind == REACTION_KIND {
            return Ok(egress::read_reply(work.db, &row.id)?.map(|(reply, _)| reply));
        }
        build_reply(work, row, |body| {
            body["status"] = status.into();
            match (self.channel.kind, platform_id) {
                (Channel::Telegram, Some(id)) => body["telegramMessageId"] = id.parse::<i64>().ok().into(),
                (Channel::Whatsapp, Some(id)) => body["whatsappMessageId"] = id.into(),
                _ => {}
            }
        })
    }
}

/// Builds the answer to a row's request, if there was one, from its provisional answer.
pub(super) fn build_reply(
    work: &WriteContext<'_>,
    row: &EgressRow,
    complete: impl FnOnce(&mut Value),
) -> Result<Option<Reply>, ApiError> {
    let Some((reply, _)) = egress::read_reply(work.db, &row.id)? else { return Ok(None) };
    let mut body: Value = serde_json::from_slice(&reply.body).map_err(|cause| ApiError::internal(&cause))?;
    complete(&mut body);
    Ok(Some(Reply::with_status(reply.status, &body)?))
}

/// Records the final state of a row and the answer to its request, unless the request was answered when the
/// message was stored.
pub(super) fn settle_row(
    work: &WriteContext<'_>,
    row: &EgressRow,
    state: EgressState,
    reply: Option<Reply>,
) -> Result<(), ApiError> {
    let reply = reply.as_ref().filter(|_| !row.is_recorded);
    if let Some(reply) = reply {
        store_reply(work, &row.id, reply)?;
    }
    Ok(egress::settle(work.db, &row.id, state, reply, work.now)?)
}

/// Stores an answer under the idempotency key of a message's request.
pub(super) fn store_reply(work: &WriteContext<'_>, id: &str, reply: &Reply) -> Result<(), DatabaseError> {
    let Some(request) = egress::read_request(work.db, id)? else { return Ok(()) };
    let egress::KeyedRequest { api_key, name, fingerprint } = request;
    idempotency::store_reply(work.db, &api_key, &name, &fingerprint, reply, work.service.clock.elapsed())
}

/// Returns the channel if it is the email channel.
fn mail_channel(work: &WriteContext<'_>, row: &EgressRow) -> Result<Option<ChannelRow>, DatabaseError> {
    let channel = channels::read(work.db, &row.channel)?;
    Ok(Some(channel).filter(|channel_row| channel_row.kind == Channel::Email))
}

fn record_placed(case: &MessageAttempt<'_, '_>, platform_id: &str) -> Result<(), DatabaseError> {
    let MessageAttempt { context: work, row, .. } = case;
    if !row.is_recorded {
        return store_call(case, QUEUED_STATUS, platform_id.to_owned());
    }
    egress::advance_recorded(work.db, &row.id, QUEUED_STATUS, Some(platform_id)).map(drop)
}

fn store_call(case: &MessageAttempt<'_, '_>, status: &str, platform_id: String) -> Result<(), DatabaseError> {
    let MessageAttempt { context: work, row, draft, channel, conversation } = case;
    let metadata = draft.details.clone().unwrap_or_else(|| "{}".to_owned());
    let new = NewCall { id: row.id.clone(), metadata, cost: draft.cost };
    place::record_call(work, (channel, conversation), &new, (status, platform_id))
}

/// Marks a call in the history as not placed, with its price refunded.
fn record_not_placed(work: &WriteContext<'_>, id: &str) -> Result<(), DatabaseError> {
    let Some(mut call) = stored::read(work.db, id)?.filter(|call_row| call_row.ended_at.is_none()) else {
        return Ok(());
    };
    call.status = "failed".to_owned();
    call.cost = 0;
    call.ended_at = Some(work.now);
    stored::update(work.db, &call)?;
    let status =
        messages::find_by_id(work.db, id)?.map_or_else(|| QUEUED_STATUS.to_owned(), |by_id| by_id.status);
    messages::rewrite(work.db, id, (&status, NOT_PLACED_TEXT), 0, work.now)?;
    conversations::update_preview(work.db, &call.conversation, NOT_PLACED_TEXT, call.created_at)
}
