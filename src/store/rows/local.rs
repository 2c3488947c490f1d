//! What this desk keeps of a conversation, as columns.
//!
//! Knows nothing of the conversation itself.

use rusqlite::Row;

use crate::model::local::{Claim, Local, Tag};
use crate::model::snooze::{Snooze, Woken};
use crate::model::text::SafeText;
use crate::model::time::Timestamp;
use crate::store::rows::{optional_line, time};

/// Joins the rows kept here to a conversation called `c`; `desk` is the
/// outbox.
pub(crate) const JOIN: &str = "LEFT JOIN desk.snooze z ON z.channel = c.channel AND z.conversation = c.id
     LEFT JOIN desk.claim k ON k.channel = c.channel AND k.conversation = c.id";

/// The columns [`read`] expects, in order. Tags come as lines, each with a
/// digit before it.
pub(crate) const COLUMNS: &str = "z.set_at, z.until, z.after, z.woken_at,
     coalesce(c.last_inbound_at > z.after, 0), k.agent, k.at,
     (SELECT group_concat(t.shared || t.word, char(10) ORDER BY t.word) FROM desk.tag t
         WHERE t.channel = c.channel AND t.conversation = c.id)";

/// How many they are.
pub(crate) const WIDTH: usize = 8;

/// Reads the numbers of the conversations that were put aside, that nothing
/// has brought back, and of which nothing written here asks.
pub(crate) const ASLEEP: &str = "SELECT a.number FROM desk.snooze s
     CROSS JOIN conversation a ON a.channel = s.channel AND a.id = s.conversation
     WHERE s.woken_at IS NULL AND coalesce(a.last_inbound_at, 0) <= s.after
         AND a.is_closed = 0 AND a.stuck = 0";

/// Reads the columns above from a place on.
pub(crate) fn read(row: &Row<'_>, from: usize) -> rusqlite::Result<Local> {
    let claim = match (optional_line(row, from + 5)?, time(row, from + 6)?) {
        (Some(agent), Some(at)) => Some(Claim { agent, at }),
        _ => None,
    };
    let tags: Option<String> = row.get(from + 7)?;
    Ok(Local {
        snooze: snooze(row, from)?,
        claim,
        tags: tags.iter().flat_map(|it| it.lines()).map(tag).collect(),
    })
}

fn snooze(row: &Row<'_>, from: usize) -> rusqlite::Result<Option<Snooze>> {
    let Some(set_at) = time(row, from)? else { return Ok(None) };
    let (woken_at, replied) = (time(row, from + 3)?, row.get(from + 4)?);
    let woken = match (woken_at, replied) {
        (_, true) => Some(Woken::Reply),
        (Some(_), false) => Some(Woken::Time),
        (None, false) => None,
    };
    let after = Timestamp::from_micros(row.get(from + 2)?);
    Ok(Some(Snooze { until: time(row, from + 1)?, after, set_at, woken }))
}

fn tag(line: &str) -> Tag {
    let (shared, word) = line.split_at_checked(1).unwrap_or(("0", line));
    Tag { word: SafeText::line(word), shared: shared == "1" }
}
