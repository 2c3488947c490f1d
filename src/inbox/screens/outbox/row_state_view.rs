//! Where a row of the outbox stands, in words, for the history and for the
//! outbox.

use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::screens::composer::attachments_view;
use crate::theme_view::Theme;
use model::ids::ChannelId;
use model::outbox::waiting::{WaitReason, WaitRemedy};
use model::outbox::{HistoryFinding, Operation, OutboxRow, RowState, StopReason};
use model::time::Timestamp;

/// One word for a column.
pub fn word(row: &OutboxRow, now: Timestamp, theme: Theme) -> (&'static str, Style) {
    match row.state {
        RowState::Queued if is_planned(row, now) => ("planned", theme.under_way()),
        RowState::Queued if row.remaining_hold(now).is_some() => ("held", theme.under_way()),
        RowState::Queued if row.not_before > now => ("waits", theme.under_way()),
        RowState::Queued => ("queued", theme.quiet()),
        RowState::Sending if is_upload(row) => ("uploads", theme.under_way()),
        RowState::Sending => ("sending", theme.quiet()),
        RowState::Uncertain if is_upload(row) => ("uploads", theme.under_way()),
        RowState::Uncertain => ("unclear", theme.needs_a_person()),
        RowState::Stopped(..) => ("needs you", theme.error()),
        RowState::Done => ("sent", theme.quiet()),
    }
}

/// A line: what it waits for and which key ends that, or what is asked and
/// why. `others` are the rows that may stand before it; `keys` are the words
/// for what can be pressed while it is held, with `{command-name}` for its key.
pub fn line<'a>(
    inbox: &Inbox,
    row: &OutboxRow,
    others: impl Iterator<Item = &'a OutboxRow>,
    theme: Theme,
    keys: &str,
) -> (String, Style) {
    if row.state == RowState::Done {
        return ("sent".to_owned(), theme.quiet());
    }
    let reason = inbox.desk.waits_for(row, others, &inbox.context);
    let decide = inbox.context.key_of(Command::Decide);
    let words = match (&reason, &row.state) {
        (WaitReason::Uploading, _) => {
            let percent = inbox.desk.uploads.get(&row.id).copied().unwrap_or(0);
            format!("uploading {}", attachments_view::progress(percent, theme))
        }
        (_, RowState::Stopped(StopReason::Late, why)) if row.planned_at.is_some() => {
            return (format!("NOT SENT at its time · {decide} decide · {why}"), theme.error());
        }
        // What these waited for is said by what stands above them.
        (_, RowState::Stopped(stop @ (StopReason::ReplyConflict | StopReason::Late), _)) => {
            return (format!("{} · {decide}: send anyway, edit or drop", stop.label()), theme.error());
        }
        (WaitReason::ClearAnswer(_), _) if row.finding == HistoryFinding::Listed => {
            "at the server, not confirmed yet; asking again".to_owned()
        }
        _ if row.finding == HistoryFinding::Listed => "at the server, not confirmed yet".to_owned(),
        _ => reason.describe(&row.operation, inbox.context.now),
    };
    let mut parts = vec![words];
    parts.extend(reason.remedies().iter().filter_map(|wait_remedy| way(inbox, *wait_remedy, &reason, keys)));
    if let RowState::Stopped(_, why) = &row.state {
        parts.push(why.to_string());
    }
    parts.retain(|part| !part.is_empty());
    (parts.join(" · "), style(&reason, theme))
}

/// What holds up all sending of a tab, and the key that ends it.
pub fn standstill(inbox: &Inbox, channel: &ChannelId) -> Option<String> {
    let reason = inbox.desk.standstill(channel, &inbox.context)?;
    let ways = reason.remedies().iter().filter_map(|wait_remedy| way(inbox, *wait_remedy, &reason, ""));
    let words = reason.describe(&Operation::Close, inbox.context.now);
    Some(std::iter::once(words).chain(ways).collect::<Vec<_>>().join(" · "))
}

fn style(reason: &WaitReason, theme: Theme) -> Style {
    match reason {
        WaitReason::Decision(..) => theme.error(),
        WaitReason::Answer
        | WaitReason::Nothing
        | WaitReason::RowBefore(None)
        | WaitReason::OtherProcess(_) => theme.quiet(),
        _ => theme.needs_a_person(),
    }
}

/// The key of a way out, and what it does.
fn way(inbox: &Inbox, way: WaitRemedy, reason: &WaitReason, keys: &str) -> Option<String> {
    let keyed =
        |command, words: &str| Some(format!("{} {words}", inbox.desk.key_from_here(command, &inbox.context)));
    match way {
        // Both keys of what is held come from where it is shown.
        WaitRemedy::Recall if matches!(reason, WaitReason::Held(_)) => Some(inbox.context.keyed(keys)),
        WaitRemedy::Recall => Some(inbox.context.keyed(back(keys))),
        WaitRemedy::SendNow => None,
        WaitRemedy::Decide => Some(format!("{} decide", inbox.context.key_of(Command::Decide))),
        WaitRemedy::DecideBefore => Some(format!("{} on it decides", inbox.context.key_of(Command::Decide))),
        WaitRemedy::SendUnpaid => keyed(Command::TakeOffer, "sends it"),
        WaitRemedy::CheckKey => keyed(Command::Refresh, "tries it again"),
        WaitRemedy::RetryConnection => keyed(Command::Refresh, "asks again now"),
        WaitRemedy::StartInbox => Some("frontdesk without --read-only sends it".to_owned()),
    }
}

fn is_planned(row: &OutboxRow, now: Timestamp) -> bool {
    row.planned_at.is_some_and(|time| time > now)
}

/// Whether a row is a file that nobody was sent yet.
fn is_upload(row: &OutboxRow) -> bool {
    matches!(row.operation, Operation::SendFile(_))
}

/// The key that takes it back, where nothing else is offered.
fn back(keys: &str) -> &str {
    keys.split(" · ").find(|part| part.ends_with("takes it back")).unwrap_or("")
}
