//! Phone calls on a real platform: their placement and the platform's reports. A call that may have been
//! placed is not placed again.

use crate::carriers::settle::{self, MessageAttempt};
use crate::carriers::{CallReport, SendOutcome, SimulatedDelivery, report};
use crate::chat::send::QUEUED_STATUS;
use crate::database::calls as stored;
use crate::database::channels::ChannelRow;
use crate::database::{DatabaseError, conversations, egress, messages};
use crate::errors::ApiError;
use crate::voice::place::{self, NewCall};
use crate::voice::{CALL_KIND, progress};
use crate::write::WriteContext;

/// Content of a call that was never placed.
const NOT_PLACED_TEXT: &str = "Outgoing call, not placed";

/// Records that the platform has placed a call.
pub(super) fn record_placed(case: &MessageAttempt<'_, '_>, platform_id: &str) -> Result<(), DatabaseError> {
    let MessageAttempt { context: work, row, .. } = case;
    if !row.told {
        return store_call(case, QUEUED_STATUS, platform_id.to_owned());
    }
    egress::advance_recorded(work.db, &row.id, QUEUED_STATUS, Some(platform_id)).map(drop)
}

/// Stores a call in the history.
pub(super) fn store_call(
    case: &MessageAttempt<'_, '_>,
    status: &str,
    platform_id: String,
) -> Result<(), DatabaseError> {
    let MessageAttempt { context: work, row, draft, channel, conversation } = case;
    let metadata = draft.details.clone().unwrap_or_else(|| "{}".to_owned());
    let new = NewCall { id: row.id.clone(), metadata, cost: draft.cost };
    place::record_call(work, (channel, conversation), &new, (status, platform_id))
}

/// Marks a call in the history as not placed, with its price refunded.
pub(super) fn record_not_placed(work: &WriteContext<'_>, id: &str) -> Result<(), DatabaseError> {
    let Some(mut call) = stored::read(work.db, id)?.filter(|call_row| call_row.ended_at.is_none()) else {
        return Ok(());
    };
    call.status = "failed".to_owned();
    call.cost = 0;
    call.ended_at = Some(work.now);
    stored::update(work.db, &call)?;
    let status =
        messages::find_by_id(work.db, id)?.map_or_else(|| QUEUED_STATUS.to_owned(), |by_id| by_id.status);
    messages::rewrite(work.db, id, &status, NOT_PLACED_TEXT, 0)?;
    conversations::update_preview(work.db, &call.conversation, NOT_PLACED_TEXT, call.created_at)
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
        (Some(it), _) => Some(it.id),
        (None, Some(own)) => Some(own),
        (None, None) => find_unknown_call(work, channel, &to)?,
    };
    let Some(id) = id else { return Ok(()) };
    if let Some(row) = egress::read(work.db, &id)?.filter(|egress_row| egress_row.channel == channel.id) {
        settle::settle_by_report(
            work,
            &row,
            SendOutcome::Taken { platform_id, fate: SimulatedDelivery::Sent, reached: None },
        )?;
    }
    progress::apply_report(work, &id, status, seconds)
}

/// Returns true if a report's call is not known yet.
pub fn is_early(work: &WriteContext<'_>, channel: &ChannelRow, told: &CallReport) -> Result<bool, ApiError> {
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
    report::find_only_unknown(work, channel, to, |entry| entry.kind == CALL_KIND)
}
