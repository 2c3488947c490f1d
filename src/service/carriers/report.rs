//! What a platform reports about a message after it was sent: in any order,
//! more than once, also before the answer to the send is here.

use crate::carriers::{CarryOutcome, Fate, MessageStep, StatusReport, settle};
use crate::chat::deliver;
use crate::database::channels::ChannelRow;
use crate::database::messages::{self, MessageRow};
use crate::database::{DatabaseError, connected, egress, workspaces};
use crate::errors::ApiError;
use crate::world::Kind;
use crate::write::Work;

/// Takes a report in. It also settles what nobody knew the end of.
///
/// # Errors
/// When the database fails.
pub fn apply(work: &Work<'_>, channel: &ChannelRow, report: StatusReport) -> Result<(), ApiError> {
    let StatusReport { platform_id, own_id, step } = report;
    let parcel = match &own_id {
        Some(id) => egress::read(work.db, id)?.filter(|it| it.channel == channel.id),
        None => None,
    };
    if let Some(row) = parcel {
        let outcome = match &step {
            MessageStep::Failed { code, why, broken } => {
                CarryOutcome::Refused { code: *code, why: why.clone(), broken: *broken }
            }
            _ => CarryOutcome::Taken { platform_id: platform_id.clone(), fate: Fate::Sent },
        };
        settle::confirm(work, &row, outcome)?;
    }
    let id = own_id.as_deref().unwrap_or(&platform_id);
    let found = match messages::read(work.db, &channel.id, id)? {
        None if id != platform_id => messages::read(work.db, &channel.id, &platform_id)?,
        found => found,
    };
    let Some(message) = found.filter(|it| it.direction == "outbound") else { return Ok(()) };
    match step {
        MessageStep::Sent => Ok(()),
        MessageStep::Delivered => Ok(deliver::advance(work, &message.id, Kind::Delivered)?),
        MessageStep::Read => Ok(deliver::advance(work, &message.id, Kind::Read)?),
        MessageStep::Failed { why, broken, .. } => lose(work, channel, &message, &why, broken),
    }
}

/// Whether a report is of a message whose id is not known yet: the answer to
/// its send is still on its way.
///
/// # Errors
/// When the database fails.
pub fn is_early(work: &Work<'_>, channel: &ChannelRow, report: &StatusReport) -> Result<bool, DatabaseError> {
    Ok(report.own_id.is_none() && messages::read(work.db, &channel.id, &report.platform_id)?.is_none())
}

/// A message that the platform had taken does not arrive: what it cost is
/// given back.
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
