//! Where a row of the outbox stands, in words, for the history and for the
//! outbox.
//!
//! Knows nothing of what else is on screen.

use ratatui::style::Style;

use crate::app::App;
use crate::app::commands::Command;
use crate::model::outbox::{Operation, OutboxRow, RowState, Stop};
use crate::model::time::{SECOND, Timestamp, short_span};
use crate::ui::attaching;
use crate::ui::theme::Theme;

/// One word for a column.
pub fn word(row: &OutboxRow, now: Timestamp, theme: Theme) -> (&'static str, Style) {
    match row.state {
        RowState::Queued if is_planned(row, now) => ("planned", theme.waiting()),
        RowState::Queued if row.hold_left(now).is_some() => ("held", theme.waiting()),
        RowState::Queued if row.not_before > now => ("waits", theme.waiting()),
        RowState::Queued => ("queued", theme.dim()),
        RowState::Sending if is_upload(row) => ("uploads", theme.waiting()),
        RowState::Sending => ("sending", theme.dim()),
        RowState::Uncertain if is_upload(row) => ("uploads", theme.waiting()),
        RowState::Uncertain => ("unclear", theme.waiting()),
        RowState::Stopped(..) => ("ASKS", theme.error()),
        RowState::Done => ("sent", theme.dim()),
    }
}

/// A line: what happens next, or what is asked and why. `others` are the rows
/// that may stand before it; `keys` are the words for what can be pressed
/// while it is held, with `{command-name}` for its key.
pub fn line<'a>(
    app: &App,
    row: &OutboxRow,
    mut others: impl Iterator<Item = &'a OutboxRow>,
    theme: Theme,
    keys: &str,
) -> (String, Style) {
    if let (Operation::SendFile(_), RowState::Sending) = (&row.operation, &row.state) {
        let percent = app.uploads.get(&row.id).copied().unwrap_or(0);
        let bar = attaching::progress(percent, theme);
        return (format!("uploading {bar} · {}", app.keyed(back(keys))), theme.waiting());
    }
    let (now, decide) = (app.now, app.key_of(Command::Decide));
    if let (Some(at), RowState::Queued) = (row.planned_at.filter(|it| *it > now), &row.state) {
        let left = short_span(at.since(now));
        let keys = app.keyed(back(keys));
        return (format!("planned, in {left} if frontdesk runs · {keys}"), theme.waiting());
    }
    if let (Some(_), RowState::Stopped(Stop::Late, why)) = (row.planned_at, &row.state) {
        return (format!("NOT SENT at its time · {decide} decide · {why}"), theme.error());
    }
    let verb = match &row.operation {
        Operation::SendFile(_) => "uploads and sends",
        it if it.speaks() => "sends",
        Operation::Close => "closes",
        _ => "goes",
    };
    let later = row.not_before.since(now);
    let words = match &row.state {
        RowState::Queued => match row.hold_left(now) {
            Some(seconds) => format!("{verb} in {seconds} s · {}", app.keyed(keys)),
            None if later > 0 => format!("not sent yet; tries again in {} s", later / SECOND + 1),
            None if is_upload(row) => "waits to be uploaded".to_owned(),
            None if row.attempts > 0 => "not sent yet; tries again".to_owned(),
            None if others.any(|it| is_before(it, row)) => {
                return ("waits for the one before it".to_owned(), theme.dim());
            }
            None => return ("queued".to_owned(), theme.dim()),
        },
        RowState::Sending => return ("sending".to_owned(), theme.dim()),
        RowState::Uncertain if is_upload(row) => {
            format!("the upload was cut off; tries again · {}", app.keyed(back(keys)))
        }
        RowState::Uncertain if later > 0 => {
            format!("no answer came; asking again with the same key in {} s, never twice", later / SECOND + 1)
        }
        RowState::Uncertain => "no answer came; asking again with the same key, never twice".to_owned(),
        // What these waited for is said by what stands above them.
        RowState::Stopped(stop @ (Stop::Crossed | Stop::Late), _) => {
            return (format!("{} · {decide}: send anyway, edit or drop", stop.label()), theme.error());
        }
        RowState::Stopped(stop, why) => {
            return (format!("{} · {decide} decide · {why}", stop.label()), theme.error());
        }
        RowState::Done => return ("sent".to_owned(), theme.dim()),
    };
    (words, theme.waiting())
}

fn is_planned(row: &OutboxRow, now: Timestamp) -> bool {
    row.planned_at.is_some_and(|it| it > now)
}

/// Whether a row is a file that nobody was sent yet.
fn is_upload(row: &OutboxRow) -> bool {
    matches!(row.operation, Operation::SendFile(_))
}

/// The key that takes it back, where nothing else is offered.
fn back(keys: &str) -> &str {
    keys.split(" · ").find(|it| it.ends_with("takes it back")).unwrap_or("")
}

/// Whether a row leaves before another: both of one lane, made in this order.
fn is_before(one: &OutboxRow, other: &OutboxRow) -> bool {
    one.channel == other.channel && one.lane == other.lane && one.sequence < other.sequence
}
