//! State of an outbox row in words, for the history and the outbox page.

use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::keymap::update as keymap;
use crate::screens::composer::attachments_view;
use crate::screens::history::pending_sends;
use crate::theme_view::Theme;
use model::ids::ChannelId;
use model::outbox::waiting::{WaitReason, WaitRemedy};
use model::outbox::{HistoryFinding, Operation, OutboxRow, RowState, StopReason};
use model::time::Timestamp;

/// One word, for a column.
pub fn state_label(row: &OutboxRow, now: Timestamp, theme: Theme) -> (&'static str, Style) {
    match row.state {
        RowState::Queued if is_planned(row, now) => ("scheduled", theme.strong()),
        RowState::Queued if row.remaining_hold(now).is_some() => ("held", theme.strong()),
        RowState::Queued if row.not_before > now => ("waits", theme.strong()),
        RowState::Queued => ("queued", theme.dim()),
        RowState::Sending if row.is_upload() => ("uploads", theme.strong()),
        RowState::Sending => ("sending", theme.dim()),
        RowState::Uncertain if row.is_upload() => ("uploads", theme.strong()),
        RowState::Uncertain => ("unclear", theme.soon()),
        RowState::Stopped(..) => ("needs you", theme.urgent()),
        RowState::Done => ("sent", theme.dim()),
    }
}

/// One line: what the row waits for, or what must be decided, with keys. `others` are rows that may
/// precede it; `keys` are the hints for a held row, with `{command-name}` placeholders.
pub fn state_line<'a>(
    inbox: &Inbox,
    row: &OutboxRow,
    others: impl Iterator<Item = &'a OutboxRow>,
    theme: Theme,
    keys: &str,
) -> (String, Style) {
    if row.state == RowState::Done {
        return ("sent".to_owned(), theme.dim());
    }
    let reason = pending_sends::wait_reason(&inbox.desk, row, others, &inbox.context);
    let decide = inbox.context.key_of(Command::Decide);
    let words = match (&reason, &row.state) {
        (WaitReason::Uploading, _) => {
            let percent = inbox.desk.uploads.get(&row.id).copied().unwrap_or(0);
            format!("uploading {}", attachments_view::progress_bar(percent, theme))
        }
        (_, RowState::Stopped(StopReason::Late, why)) if row.planned_at.is_some() => {
            return (format!("NOT SENT at its time · {decide} decide · {why}"), theme.urgent());
        }
        // The newer messages above it show the reason.
        (_, RowState::Stopped(stop @ (StopReason::ReplyConflict | StopReason::Late), _)) => {
            return (format!("{} · {decide}: send anyway, edit or drop", stop.label()), theme.urgent());
        }
        (WaitReason::ClearAnswer(_), _) if row.finding == HistoryFinding::Listed => {
            "at the server, not confirmed yet; asking again".to_owned()
        }
        _ if row.finding == HistoryFinding::Listed => "at the server, not confirmed yet".to_owned(),
        _ => reason.describe(&row.operation, inbox.context.now),
    };
    let mut parts = vec![words];
    parts.extend(
        reason
            .remedies()
            .iter()
            .filter_map(|wait_remedy| describe_remedy(inbox, *wait_remedy, &reason, keys)),
    );
    if let RowState::Stopped(_, why) = &row.state {
        parts.push(why.to_string());
    }
    parts.retain(|part| !part.is_empty());
    (parts.join(" · "), wait_style(&reason, theme))
}

/// Reason that blocks all sending of a tab, with the key that resolves it.
pub fn describe_channel_wait(inbox: &Inbox, channel: &ChannelId) -> Option<String> {
    let reason = pending_sends::channel_wait_reason(&inbox.desk, channel, &inbox.context)?;
    let ways =
        reason.remedies().iter().filter_map(|wait_remedy| describe_remedy(inbox, *wait_remedy, &reason, ""));
    let words = reason.describe(&Operation::Close, inbox.context.now);
    Some(std::iter::once(words).chain(ways).collect::<Vec<_>>().join(" · "))
}

fn wait_style(reason: &WaitReason, theme: Theme) -> Style {
    match reason {
        WaitReason::Decision(..) => theme.urgent(),
        WaitReason::Answer
        | WaitReason::Nothing
        | WaitReason::RowBefore(None)
        | WaitReason::OtherProcess(_) => theme.dim(),
        _ => theme.soon(),
    }
}

fn describe_remedy(inbox: &Inbox, way: WaitRemedy, reason: &WaitReason, keys: &str) -> Option<String> {
    let keyed = |command, words: &str| {
        Some(format!("{} {words}", keymap::key_from_here(&inbox.desk, command, &inbox.context)))
    };
    match way {
        // A held row shows the keys of its place.
        WaitRemedy::Recall if matches!(reason, WaitReason::Held(_)) => Some(inbox.context.fill_in_keys(keys)),
        WaitRemedy::Recall => Some(inbox.context.fill_in_keys(recall_hint(keys))),
        WaitRemedy::SendNow => None,
        WaitRemedy::Decide => Some(format!("{} decide", inbox.context.key_of(Command::Decide))),
        WaitRemedy::DecideBefore => Some(format!("{} on it: decide", inbox.context.key_of(Command::Decide))),
        WaitRemedy::SendUnpaid => keyed(Command::SendUnpaid, "sends it"),
        WaitRemedy::CheckKey => keyed(Command::Refresh, "tries it again"),
        WaitRemedy::RetryConnection => keyed(Command::Refresh, "asks again now"),
        WaitRemedy::StartInbox => Some("frontdesk without --read-only sends it".to_owned()),
    }
}

fn is_planned(row: &OutboxRow, now: Timestamp) -> bool {
    row.planned_at.is_some_and(|time| time > now)
}

/// The part of `keys` that recalls the row.
fn recall_hint(keys: &str) -> &str {
    keys.split(" · ").find(|part| part.ends_with(" undo")).unwrap_or("")
}
