//! Delivery reports of platforms. They arrive in any order, repeatedly, and possibly before the answer to the
//! send.

use crate::carriers::{
    CallReport, DeliveryStep, OutboundMessage, PlatformEvent, SendOutcome, SentElsewhere, SentTrace,
    SimulatedDelivery, StatusReport, elsewhere, settle,
};
use crate::chat::{deliver, keywords, people};
use crate::database::channels::ChannelRow;
use crate::database::egress;
use crate::database::messages::{self, MessageRow};
use crate::database::{connected, conversations, workspaces};
use crate::errors::ApiError;
use crate::voice::CALL_KIND;
use crate::world::JobKind;
use crate::write::WriteContext;

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
        settle::settle_by_report(work, &row, outcome)?;
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
        let sent = SentElsewhere { platform_id, to, text, kind: "text", sent_at: None };
        let has_failed = matches!(step, DeliveryStep::Failed { .. });
        return if is_ours || has_failed {
            Ok(())
        } else {
            elsewhere::record_sent_elsewhere(work, channel, sent)
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
        DeliveryStep::Delivered => Ok(deliver::advance(work, &message.id, JobKind::Delivered)?),
        DeliveryStep::Read => Ok(deliver::advance(work, &message.id, JobKind::Read)?),
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
        PlatformEvent::Status(StatusReport { own_id: None, platform_id, trace: Some(it), .. }) => {
            (platform_id, &it.to)
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
    deliver::advance(work, &message.id, JobKind::Failed)?;
    if message.broadcast.is_none() {
        if message.cost > 0 {
            workspaces::refund(work.db, &channel.workspace, message.cost, &message.id, work.now)?;
        }
        settle::escalate_to_person(work, &message.conversation, why)?;
    }
    if broken {
        connected::set_trouble(work.db, &channel.id, Some(why))?;
    }
    Ok(())
}
