//! Pauses of the AI made from here are leases: a list of them, and a question
//! when one has gone on for long. Nothing is handed back unasked.

pub(crate) mod update;

use crate::components::dialog::{DialogLine, Tone};
use crate::wrap;
use model::queries::PausedEntry;
use model::text::SafeText;
use model::time::{MINUTE, Moment, Timestamp, format_short_span};

/// Pauses that are read at most.
const LIMIT: u32 = 500;
/// Names a question shows.
const SHOWN: usize = 6;
/// How long a question that was left rests.
const AGAIN: i64 = 15 * MINUTE;

/// What is known of the pauses.
#[derive(Debug, Clone, Default)]
pub(crate) struct PauseLeases {
    /// The pauses, oldest first.
    paused: Vec<PausedEntry>,
    /// Whether they may be old.
    pub(crate) stale: bool,
    /// Whether the question opens when they come.
    asks: bool,
    /// Until when it is not asked.
    rests_until: Option<Moment>,
}

/// Which pauses have gone on for long.
fn lease(now: Timestamp, over: &[PausedEntry]) -> Vec<DialogLine> {
    let mut lines =
        vec![DialogLine::plain("You paused the AI here and have neither handed back nor closed:")];
    for it in over.iter().take(SHOWN) {
        let name = it.title.as_ref().map_or(it.conversation.as_str(), SafeText::as_str);
        let waits = it
            .waiting_since
            .map(|since| format!(" · customer waits {}", format_short_span(now.since(since))));
        let tone = if waits.is_some() { Tone::Waiting } else { Tone::Own };
        let words = format!(
            "{} · {}{}",
            wrap::cut(name, 40),
            format_short_span(now.since(it.since)),
            waits.unwrap_or_default()
        );
        lines.push(DialogLine::new(words, tone));
    }
    if over.len() > SHOWN {
        lines.push(DialogLine::dim(format!("and {} more", over.len() - SHOWN)));
    }
    lines
}
