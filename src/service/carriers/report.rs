//! Delivery reports of platforms. They arrive in any order, repeatedly, and possibly before the answer to the
//! send.

use crate::carriers::{
    CallReport, CarryOutcome, Fate, MessageStep, Parcel, PlatformEvent, SentElsewhere, SentTrace,
    StatusReport, elsewhere, settle,
};
use crate::chat::{deliver, keywords, people};
use crate::database::channels::ChannelRow;
use crate::database::egress;
use crate::database::messages::{self, MessageRow};
use crate::database::{connected, conversations, workspaces};
use crate::errors::ApiError;
use crate::voice::CALL;
use crate::world::Kind;
use crate::write::Work;

/// Applies a report. Settles a message whose outcome was unknown.
pub fn apply(work: &Work<'_>, channel: &ChannelRow, report: StatusReport) -> Result<(), ApiError> {
    let own_id = match &report.own_id {
        None => adopted(work, channel, &report)?,
        known => known.clone(),
    };
    let StatusReport { platform_id, step, reached, trace, recipient_id, .. } = report;
    let parcel = match &own_id {
        Some(id) => egress::read(work.db, id)?.filter(|egress_row| egress_row.channel == channel.id),
        None => None,
    };
    if let Some(row) = parcel {
        let outcome = match &step {
            MessageStep::Failed { code, why, broken } => {
                CarryOutcome::Refused { code: *code, why: why.clone(), broken: *broken }
            }
            _ => CarryOutcome::Taken { platform_id: platform_id.clone(), fate: Fate::Sent, reached },
        };
        settle::confirm(work, &row, outcome)?;
    }
    let id = own_id.as_deref().unwrap_or(&platform_id);
    let found = match messages::read(work.db, &channel.id, id)? {
        None if id != platform_id => messages::read(work.db, &channel.id, &platform_id)?,
        found => found,
    };
    if let (None, None, Some(trace)) = (&found, &own_id, trace) {
        // With several equal texts of unknown outcome, it may be any of them.
        let is_ours =
            unknown_parcels(work, channel, &trace.to)?.iter().any(|(_, parcel)| parcel.text == trace.text);
        let SentTrace { to, text } = trace;
        let sent = SentElsewhere { platform_id, to, text, kind: "text", sent_at: None };
        let has_failed = matches!(step, MessageStep::Failed { .. });
        return if is_ours || has_failed { Ok(()) } else { elsewhere::observe(work, channel, sent) };
    }
    let Some(message) = found.filter(|message_row| message_row.direction == "outbound") else {
        return Ok(());
    };
    if let Some(id) = recipient_id
        && let Some(conversation) = conversations::read(work.db, &channel.id, &message.conversation)?
    {
        people::learn_id(work, channel, &conversation, &id)?;
    }
    match step {
        MessageStep::Sent => Ok(()),
        MessageStep::Delivered => Ok(deliver::advance(work, &message.id, Kind::Delivered)?),
        MessageStep::Read => Ok(deliver::advance(work, &message.id, Kind::Read)?),
        MessageStep::Failed { why, broken, .. } => {
            if let Some((_, conversation)) = conversations::with_channel(work.db, &message.conversation)? {
                keywords::remember(work, channel, &conversation, &why)?;
            }
            lose(work, channel, &message, &why, broken)
        }
    }
}

/// Returns true if a report's message is not known yet, because the answer to its send is still missing.
pub fn is_early(work: &Work<'_>, channel: &ChannelRow, report: &StatusReport) -> Result<bool, ApiError> {
    Ok(report.own_id.is_none()
        && messages::read(work.db, &channel.id, &report.platform_id)?.is_none()
        && adopted(work, channel, report)?.is_none())
}

/// Returns the message of unknown outcome that a listed one belongs to.
fn adopted(work: &Work<'_>, channel: &ChannelRow, report: &StatusReport) -> Result<Option<String>, ApiError> {
    let Some(SentTrace { to, text }) = &report.trace else { return Ok(None) };
    if messages::read(work.db, &channel.id, &report.platform_id)?.is_some() {
        return Ok(None);
    }
    only_unknown(work, channel, to, |entry| entry.kind != CALL && entry.text == *text)
}

/// Returns the recipient's only outbound message with unknown outcome that `is_it` accepts; `None` if there
/// are several.
pub fn only_unknown(
    work: &Work<'_>,
    channel: &ChannelRow,
    to: &str,
    is_it: impl Fn(&Parcel) -> bool,
) -> Result<Option<String>, ApiError> {
    let rows = unknown_parcels(work, channel, to)?;
    let mut found = rows.into_iter().filter(|(_, parcel)| is_it(parcel)).map(|(id, _)| id);
    Ok(found.next().filter(|_| found.next().is_none()))
}

/// Returns true if a listed message or call may be one that is being sent now.
pub fn is_on_its_way(work: &Work<'_>, channel: &ChannelRow, event: &PlatformEvent) -> Result<bool, ApiError> {
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
    match conversations::of_peer(work.db, &channel.id, to)? {
        Some(conversation) => Ok(egress::is_under_way(work.db, &conversation.id)?),
        None => Ok(false),
    }
}

fn unknown_parcels(
    work: &Work<'_>,
    channel: &ChannelRow,
    to: &str,
) -> Result<Vec<(String, Parcel)>, ApiError> {
    let Some(conversation) = conversations::of_peer(work.db, &channel.id, to)? else { return Ok(Vec::new()) };
    let rows = egress::unknown_parcels(work.db, &conversation.id)?;
    let read = |(id, parcel): (String, String)| {
        let parcel = serde_json::from_str(&parcel).map_err(|cause| ApiError::internal(&cause))?;
        Ok((id, parcel))
    };
    rows.into_iter().map(read).collect()
}

/// Marks an accepted message as failed and refunds its price.
fn lose(
    work: &Work<'_>,
    channel: &ChannelRow,
    message: &MessageRow,
    why: &str,
    broken: bool,
) -> Result<(), ApiError> {
    if message.status != "sent" {
        return Ok(());
    }
    deliver::advance(work, &message.id, Kind::Failed)?;
    if message.broadcast.is_none() {
        if message.cost > 0 {
            workspaces::refund(work.db, &channel.workspace, message.cost, &message.id, work.now)?;
        }
        settle::ask_for_person(work, &message.conversation, why)?;
    }
    if broken {
        connected::set_trouble(work.db, &channel.id, Some(why))?;
    }
    Ok(())
}
