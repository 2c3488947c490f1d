//! Phone calls on a real platform: their placement and the platform's reports. A call that may have been
//! placed is not placed again.

use crate::carriers::settle::{self, Case};
use crate::carriers::{CallReport, CarryOutcome, Fate, report};
use crate::chat::send::QUEUED;
use crate::database::calls as stored;
use crate::database::channels::ChannelRow;
use crate::database::{DatabaseError, conversations, egress, messages};
use crate::errors::ApiError;
use crate::voice::place::{self, NewCall};
use crate::voice::{CALL, progress};
use crate::write::Work;

/// Content of a call that was never placed.
const NOT_PLACED: &str = "Outgoing call, not placed";

/// Records that the platform has placed a call.
pub(super) fn placed(case: &Case<'_, '_>, platform_id: &str) -> Result<(), DatabaseError> {
    let Case { work, row, .. } = case;
    if !row.told {
        return store(case, QUEUED, platform_id.to_owned());
    }
    egress::move_on(work.db, &row.id, QUEUED, Some(platform_id)).map(drop)
}

/// Stores a call in the history.
pub(super) fn store(case: &Case<'_, '_>, status: &str, platform_id: String) -> Result<(), DatabaseError> {
    let Case { work, row, draft, channel, conversation } = case;
    let metadata = draft.details.clone().unwrap_or_else(|| "{}".to_owned());
    let new = NewCall { id: row.id.clone(), metadata, cost: draft.cost };
    place::begin(work, (channel, conversation), &new, (status, platform_id))
}

/// Marks a call in the history as not placed, with its price refunded.
pub(super) fn not_placed(work: &Work<'_>, id: &str) -> Result<(), DatabaseError> {
    let Some(mut call) = stored::read(work.db, id)?.filter(|call_row| call_row.ended_at.is_none()) else {
        return Ok(());
    };
    call.status = "failed".to_owned();
    call.cost = 0;
    call.ended_at = Some(work.now);
    stored::change(work.db, &call)?;
    let status = messages::by_id(work.db, id)?.map_or_else(|| QUEUED.to_owned(), |by_id| by_id.status);
    messages::retell(work.db, id, &status, NOT_PLACED, 0)?;
    conversations::retell(work.db, &call.conversation, NOT_PLACED, call.created_at)
}

/// Applies a platform's report. Settles a call whose outcome was unknown.
pub fn apply(work: &Work<'_>, channel: &ChannelRow, told: CallReport) -> Result<(), ApiError> {
    let CallReport { platform_id, own_id, to, status, seconds } = told;
    let known = messages::read(work.db, &channel.id, own_id.as_deref().unwrap_or(&platform_id))?;
    let id = match (known, own_id) {
        (Some(it), _) => Some(it.id),
        (None, Some(own)) => Some(own),
        (None, None) => adopted(work, channel, &to)?,
    };
    let Some(id) = id else { return Ok(()) };
    if let Some(row) = egress::read(work.db, &id)?.filter(|egress_row| egress_row.channel == channel.id) {
        settle::confirm(work, &row, CarryOutcome::Taken { platform_id, fate: Fate::Sent, reached: None })?;
    }
    progress::follow(work, &id, status, seconds)
}

/// Returns true if a report's call is not known yet.
pub fn is_early(work: &Work<'_>, channel: &ChannelRow, told: &CallReport) -> Result<bool, ApiError> {
    Ok(told.own_id.is_none()
        && messages::read(work.db, &channel.id, &told.platform_id)?.is_none()
        && adopted(work, channel, &told.to)?.is_none())
}

/// Returns the call with an unknown outcome that a listed call to `to` belongs to.
fn adopted(work: &Work<'_>, channel: &ChannelRow, to: &str) -> Result<Option<String>, ApiError> {
    report::only_unknown(work, channel, to, |entry| entry.kind == CALL)
}
