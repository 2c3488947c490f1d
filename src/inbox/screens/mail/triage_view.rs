use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::Inbox;
use crate::command::Command;
use crate::components::paint_view;
use crate::layout::Area;
use crate::screens::mail::triage::{Triage, describe_counts};
use crate::screens::mail::view::subject;
use crate::theme_view::Theme;
use crate::wrap;
use model::time::{Moment, SECOND};

pub const HINTS: &[Command] = &[
    Command::Take,
    Command::Undo,
    Command::Done,
    Command::Later,
    Command::SearchInTriage,
    Command::Canned,
    Command::Unseen,
    Command::Star,
    Command::DeleteThread,
    Command::MarkSpam,
    Command::DecideLater,
    Command::SameForAll,
    Command::NextConversation,
    Command::LeaveTriage,
    Command::Help,
];

pub const SUMMARY_HINTS: &[Command] =
    &[Command::Undo, Command::ShowDone, Command::LeaveTriage, Command::GoToTab, Command::Help];

/// Draws the progress, in place of the account line.
pub fn draw_progress(triage: &Triage, now: Moment, theme: Theme, area: Area, buffer: &mut Buffer) {
    let clock = format_duration(triage.duration(now));
    let place = format!("TRIAGE {}/{} · {clock}", triage.position(), triage.total);
    let next = triage.next().and_then(|conversation_row| {
        Some((conversation_row.conversation.title(), conversation_row.thread.as_deref()?))
    });
    let next = next.map_or_else(String::new, |(who, thread)| format!(" · next: {who}, {}", subject(thread)));
    let runs = [(place.as_str(), theme.strong()), (next.as_str(), theme.dim())];
    paint_view::runs(buffer, area.x + 1, area.y, area.width.saturating_sub(2), &runs);
}

fn format_duration(micros: i64) -> String {
    let seconds = micros / SECOND;
    format!("{:02}:{:02}", seconds / 60, seconds % 60)
}

pub fn draw_summary(inbox: &Inbox, triage: &Triage, theme: Theme, area: Area, buffer: &mut Buffer) {
    paint_view::popup(buffer, area, theme, (&[("Triage", theme.strong())], &[]));
    let inner = Area { x: area.x + 3, y: area.y + 2, width: area.width.saturating_sub(6), ..area };
    let seen = format!(
        "{} seen in {}",
        triage.decided_count(),
        format_duration(triage.duration(inbox.context.moment))
    );
    let mut lines = vec![(seen, theme.strong()), (String::new(), Style::new())];
    let counts = describe_counts(triage.counts());
    let rows = wrap::wrap(&counts, usize::from(inner.width).max(1));
    lines.extend(rows.into_iter().map(|row| (counts[row].trim_end().to_owned(), Style::new())));
    let keys =
        inbox.context.fill_in_keys("{undo} undo · {show-done} undo list · {leave-triage} back to the list");
    lines.extend([(String::new(), Style::new()), (keys, theme.dim())]);
    for (row, (words, style)) in lines.iter().enumerate() {
        let y = inner.y + u16::try_from(row).unwrap_or(0);
        if y + 1 < area.y + area.height {
            paint_view::text(buffer, inner.x, y, inner.width, words, *style);
        }
    }
}
