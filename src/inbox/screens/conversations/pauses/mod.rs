//! Pauses of the AI made from this desk are leases: when one has gone on for long, a question opens.
//! Nothing is handed back unasked.

pub(crate) mod update;

use crate::components::dialog::{DialogLine, Tone};
use crate::wrap;
use model::queries::PausedEntry;
use model::text::SafeText;
use model::time::{MINUTE, Moment, Timestamp, format_short_span};

const MAX_PAUSES: u32 = 500;
/// Maximum number of names listed in the question.
const MAX_NAMED: usize = 6;
/// Time until the question is asked again, in microseconds.
const REMINDER_INTERVAL: i64 = 15 * MINUTE;

/// State of the question about long pauses.
#[derive(Debug, Clone, Default)]
pub(crate) struct PauseLeases {
    /// True if the question opens once the pauses are loaded.
    asks_on_load: bool,
    silent_until: Option<Moment>,
}

/// Lines of the question about pauses whose lease is over.
fn expired_lease_lines(now: Timestamp, over: &[PausedEntry]) -> Vec<DialogLine> {
    let mut lines = vec![DialogLine::plain("AI paused by you, not handed back or closed:")];
    for pause in over.iter().take(MAX_NAMED) {
        let name = pause.title.as_ref().map_or(pause.conversation.as_str(), SafeText::as_str);
        let waits = pause
            .waiting_since
            .map(|since| format!(" · customer waiting {}", format_short_span(now.since(since))));
        let tone = if waits.is_some() { Tone::NeedsAttention } else { Tone::Own };
        let words = format!(
            "{} · {}{}",
            wrap::cut(name, 40),
            format_short_span(now.since(pause.since)),
            waits.unwrap_or_default()
        );
        lines.push(DialogLine::new(words, tone));
    }
    if over.len() > MAX_NAMED {
        lines.push(DialogLine::dim(format!("and {} more", over.len() - MAX_NAMED)));
    }
    lines
}
