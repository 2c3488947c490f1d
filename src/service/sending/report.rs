//! Delivery reports of platforms. They arrive in any order, repeatedly, and possibly before the answer to the
//! send.

use crate::carriers::files::{self, FetchedFiles};
use crate::chat::{broadcast, keywords, people};
use crate::database::channels::ChannelRow;
use crate::database::messages::{self, MessageRow};
use crate::database::{DatabaseError, connected, conversations, egress, workspaces};
use crate::errors::ApiError;
use crate::events;
use crate::sending::{accept, outcome};
use crate::takeover::{self, AutomationSubject};
use crate::voice::progress;
use crate::world::JobKind;
use crate::write::WriteContext;
use api::events::{EventData, MessageProgress};
use api::extras::MessageExtras;
use model::messages::AnswerPlace;
use platforms::{
    CALL_KIND, CallReport, Channel, DeliveryStep, OutboundMessage, PlatformEvent, SendOutcome, SentElsewhere,
    SentTrace, SimulatedDelivery, StatusReport,
};

/// Applies a report. Settles a message whose outcome was unknown.
pub fn apply_status_report(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    report: StatusReport,
) -> Result<(), ApiError> {
    let own_id = match &report.own_id {
        None => find_unknown_message(work, channel, &report)?,
        known => known.clone(),
    };
    let StatusReport { platform_id, step, reached, trace, recipient_id, .. } = report;
    let parcel = match &own_id {
        Some(id) => egress::read(work.db, id)?.filter(|egress_row| egress_row.channel == channel.id),
        None => None,
    };
    if let Some(row) = parcel {
        let outcome = match &step {
            DeliveryStep::Failed { code, why, broken } => {
                SendOutcome::Refused { code: *code, why: why.clone(), broken: *broken }
            }
            _ => SendOutcome::Taken {
                platform_id: platform_id.clone(),
                fate: SimulatedDelivery::Sent,
                reached,
            },
        };
        outcome::record_reported_outcome(work, &row, outcome)?;
    }
    let id = own_id.as_deref().unwrap_or(&platform_id);
    let found = match messages::read(work.db, &channel.id, id)? {
        None if id != platform_id => messages::read(work.db, &channel.id, &platform_id)?,
        found => found,
    };
    if let (None, None, Some(trace)) = (&found, &own_id, trace) {
        // With several equal texts of unknown outcome, it may be any of them.
        let is_ours = list_unknown_messages(work, channel, &trace.to)?
            .iter()
            .any(|(_, parcel)| parcel.text == trace.text);
        let SentTrace { to, text } = trace;
        let sent = SentElsewhere { platform_id, to, text, kind: "text", ..SentElsewhere::default() };
        let has_failed = matches!(step, DeliveryStep::Failed { .. });
        return if is_ours || has_failed {
            Ok(())
        } else {
            record_sent_elsewhere(work, channel, sent, FetchedFiles::default())
        };
    }
    let Some(message) = found.filter(|message_row| message_row.direction == "outbound") else {
        return Ok(());
    };
    if let Some(id) = recipient_id
        && let Some(conversation) = conversations::read(work.db, &channel.id, &message.conversation)?
    {
        people::record_platform_id(work, channel, &conversation, &id)?;
    }
    match step {
        DeliveryStep::Sent => Ok(()),
        DeliveryStep::Delivered => Ok(advance(work, &message.id, JobKind::Delivered)?),
        DeliveryStep::Read => Ok(advance(work, &message.id, JobKind::Read)?),
        DeliveryStep::Failed { why, broken, .. } => {
            if let Some((_, conversation)) = conversations::with_channel(work.db, &message.conversation)? {
                keywords::record_opt_out(work, channel, &conversation, &why)?;
            }
            record_loss(work, channel, &message, &why, broken)
        }
    }
}

/// Returns true if a report's message is not known yet, because the answer to its send is still missing.
pub fn is_early(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    report: &StatusReport,
) -> Result<bool, ApiError> {
    Ok(report.own_id.is_none()
        && messages::read(work.db, &channel.id, &report.platform_id)?.is_none()
        && find_unknown_message(work, channel, report)?.is_none())
}

/// Returns the message of unknown outcome that a listed one belongs to.
fn find_unknown_message(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    report: &StatusReport,
) -> Result<Option<String>, ApiError> {
    let Some(SentTrace { to, text }) = &report.trace else { return Ok(None) };
    if messages::read(work.db, &channel.id, &report.platform_id)?.is_some() {
        return Ok(None);
    }
    find_only_unknown(work, channel, to, |entry| entry.kind != CALL_KIND && entry.text == *text)
}

/// Returns the recipient's only outbound message with unknown outcome that `is_it` accepts; `None` if there
/// are several.
pub fn find_only_unknown(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    to: &str,
    is_it: impl Fn(&OutboundMessage) -> bool,
) -> Result<Option<String>, ApiError> {
    let rows = list_unknown_messages(work, channel, to)?;
    let mut found = rows.into_iter().filter(|(_, parcel)| is_it(parcel)).map(|(id, _)| id);
    Ok(found.next().filter(|_| found.next().is_none()))
}

/// Returns true if a listed message or call may be one that is being sent now.
pub fn is_in_flight(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    event: &PlatformEvent,
) -> Result<bool, ApiError> {
    let (id, to) = match event {
        PlatformEvent::Status(StatusReport { own_id: None, platform_id, trace: Some(trace), .. }) => {
            (platform_id, &trace.to)
        }
        PlatformEvent::Call(CallReport { own_id: None, platform_id, to, .. }) => (platform_id, to),
        _ => return Ok(false),
    };
    if messages::read(work.db, &channel.id, id)?.is_some() {
        return Ok(false);
    }
    match conversations::find_by_peer(work.db, &channel.id, to)? {
        Some(conversation) => Ok(egress::is_in_flight(work.db, &conversation.id)?),
        None => Ok(false),
    }
}

fn list_unknown_messages(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    to: &str,
) -> Result<Vec<(String, OutboundMessage)>, ApiError> {
    let Some(conversation) = conversations::find_by_peer(work.db, &channel.id, to)? else {
        return Ok(Vec::new());
    };
    let rows = egress::list_unknown(work.db, &conversation.id)?;
    let read = |(id, parcel): (String, String)| {
        let parcel = serde_json::from_str(&parcel).map_err(|cause| ApiError::internal(&cause))?;
        Ok((id, parcel))
    };
    rows.into_iter().map(read).collect()
}

/// Marks an accepted message as failed and refunds its price.
fn record_loss(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    message: &MessageRow,
    why: &str,
    broken: bool,
) -> Result<(), ApiError> {
    if message.status != "sent" {
        return Ok(());
    }
    advance(work, &message.id, JobKind::Failed)?;
    if message.broadcast.is_none() {
        if message.cost > 0 {
            workspaces::refund(work.db, &channel.workspace, message.cost, &message.id, work.now)?;
        }
        outcome::escalate_to_person(work, &message.conversation, why)?;
    }
    if broken {
        connected::set_trouble(work.db, &channel.id, Some(why))?;
    }
    Ok(())
}

/// Applies a platform's report. Settles a call whose outcome was unknown.
pub fn apply_call_report(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    told: CallReport,
) -> Result<(), ApiError> {
    let CallReport { platform_id, own_id, to, status, seconds } = told;
    let known = messages::read(work.db, &channel.id, own_id.as_deref().unwrap_or(&platform_id))?;
    let id = match (known, own_id) {
        (Some(message), _) => Some(message.id),
        (None, Some(own)) => Some(own),
        (None, None) => find_unknown_call(work, channel, &to)?,
    };
    let Some(id) = id else { return Ok(()) };
    if let Some(row) = egress::read(work.db, &id)?.filter(|egress_row| egress_row.channel == channel.id) {
        outcome::record_reported_outcome(
            work,
            &row,
            SendOutcome::Taken { platform_id, fate: SimulatedDelivery::Sent, reached: None },
        )?;
    }
    progress::apply_report(work, &id, status, seconds)
}

/// Returns true if a report's call is not known yet.
pub fn is_call_early(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    told: &CallReport,
) -> Result<bool, ApiError> {
    Ok(told.own_id.is_none()
        && messages::read(work.db, &channel.id, &told.platform_id)?.is_none()
        && find_unknown_call(work, channel, &told.to)?.is_none())
}

/// Returns the call with an unknown outcome that a listed call to `to` belongs to.
fn find_unknown_call(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    to: &str,
) -> Result<Option<String>, ApiError> {
    find_only_unknown(work, channel, to, |entry| entry.kind == CALL_KIND)
}

/// Stores a message that was sent outside of this service, once. The service window of a conversation that it
/// begins is closed until the customer writes.
pub fn record_sent_elsewhere(
    work: &WriteContext<'_>,
    channel: &ChannelRow,
    sent: SentElsewhere,
    files: FetchedFiles,
) -> Result<(), ApiError> {
    let SentElsewhere { platform_id, to, other_ids, text, kind, sent_at, media_url, details, extras, .. } =
        sent;
    let mut found = None;
    for address in std::iter::once(&to).chain(&other_ids) {
        if found.is_none() {
            found = conversations::find_by_peer(work.db, &channel.id, address)?;
        }
    }
    let conversation = match found {
        Some(found) => found,
        None if sent.begins_conversation => {
            let made = people::find_or_create_conversation(work, channel, &to)?;
            people::record_ids(work, channel, &made.peer, &other_ids)?;
            made
        }
        None => return Ok(()),
    };
    // Telegram message ids are unique only within a chat.
    if messages::read_within(work.db, &conversation.id, &platform_id)?.is_some() {
        return Ok(());
    }
    let place = match channel.kind {
        Channel::Whatsapp => AnswerPlace::Phone,
        Channel::Telegram => AnswerPlace::Telegram,
        Channel::Email => AnswerPlace::MailProgram,
        Channel::Voip => AnswerPlace::OtherProgram,
    };
    let extras = MessageExtras { sent_from: Some(place.word().to_owned()), ..extras };
    takeover::record_person_answer(work, channel, AutomationSubject::Chat(&conversation.id), Some(place))?;
    let missing = files.store(work, &channel.workspace)?;
    let stamp = work.stamp();
    let row = MessageRow {
        id: work.id("msg", stamp),
        conversation: conversation.id.clone(),
        channel: channel.id.clone(),
        platform_id,
        direction: "outbound".to_owned(),
        sender: "agent".to_owned(),
        content: text,
        kind: kind.to_owned(),
        media_url,
        details,
        status: "sent".to_owned(),
        reply_to: None,
        reaction: None,
        cost: 0,
        created_at: stamp,
        sent_at,
        delivered_at: None,
        read_at: None,
        broadcast: None,
        extras: extras.to_stored_text(),
    };
    accept::store_message(work, channel, &conversation, &row)?;
    accept::end_escalation(work, &conversation, &row)?;
    accept::emit_sent(work, channel, &conversation, &row)?;
    files::store_file_request(work, (&channel.id, &conversation.id, &row.id), missing)
}

/// Advances a message to `step` and emits the event, unless it is past that already.
pub fn advance(work: &WriteContext<'_>, message: &str, step: JobKind) -> Result<(), DatabaseError> {
    let (status, event): (_, fn(MessageProgress<'static>) -> EventData<'static>) = match step {
        JobKind::Delivered => ("delivered", EventData::MessageDelivered),
        JobKind::Read => ("read", EventData::MessageRead),
        _ => ("failed", EventData::MessageFailed),
    };
    let Some(row) = messages::advance(work.db, message, status, work.now)? else { return Ok(()) };
    broadcast::record_progress(work, &row)?;
    let data = MessageProgress {
        conversation_id: row.conversation.into(),
        delivered_at: row.delivered_at,
        message_id: row.id.into(),
        read_at: row.read_at,
        status: row.status.into(),
    };
    events::emit(work, &row.channel, &event(data))
}
