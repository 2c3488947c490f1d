//! What this desk keeps of a conversation, as columns.
//!
//! Knows nothing of the conversation itself.

use rusqlite::Row;

use crate::model::local::{Claim, Kept, Local, Tag};
use crate::model::outbox::Operation;
use crate::model::snooze::{Snooze, Woken};
use crate::model::text::SafeText;
use crate::model::time::Timestamp;
use crate::store::rows::{operation, optional_line, time};

/// Joins the rows kept here to a conversation called `c`; `desk` is the
/// outbox.
pub(crate) const JOIN: &str = "LEFT JOIN desk.snooze z ON z.channel = c.channel AND z.conversation = c.id
     LEFT JOIN desk.claim k ON k.channel = c.channel AND k.conversation = c.id";

/// The columns [`read`] expects, in order. Tags come as lines: those kept
/// here, those of the contact, and the changes on their way to it.
pub(crate) const COLUMNS: &str = "z.set_at, z.until, z.after, z.woken_at,
     coalesce(c.last_inbound_at > z.after, 0), k.agent, k.at,
     (SELECT group_concat(t.word, char(10)) FROM desk.tag t
         WHERE t.channel = c.channel AND t.conversation = c.id),
     (SELECT group_concat(j.value, char(10)) FROM contact p, json_each(p.tags) j
         WHERE p.channel = c.channel AND p.phone = c.address),
     (SELECT group_concat(o.payload, char(10) ORDER BY o.sequence) FROM desk.outbox o
         WHERE o.channel = c.channel AND o.lane = 'contact' AND o.lane_id = c.address
             AND o.operation = 'contact' AND o.state <> 'stopped')";

/// How many they are.
pub(crate) const WIDTH: usize = 10;

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
    Ok(Local { snooze: snooze(row, from)?, claim, tags: tags(row, from + 7)? })
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

/// The tags of all three places, each once, as they will be.
fn tags(row: &Row<'_>, from: usize) -> rusqlite::Result<Vec<Tag>> {
    let lines = |at| row.get::<_, Option<String>>(at).map(Option::unwrap_or_default);
    let (here, server, leaving) = (lines(from)?, lines(from + 1)?, lines(from + 2)?);
    let mut tags: Vec<Tag> = Vec::new();
    let mut set = |word: &str, kept: Option<Kept>| {
        let word = SafeText::line(word);
        if let Some(kept) = kept
            && let Some(known) = tags.iter_mut().find(|it| it.word == word)
        {
            known.kept = if known.kept == Kept::Server { Kept::Server } else { kept };
        } else if let Some(kept) = kept.filter(|_| !word.is_empty()) {
            tags.push(Tag { word, kept });
        } else {
            tags.retain(|it| it.word != word);
        }
    };
    here.lines().for_each(|it| set(it, Some(Kept::Here)));
    server.lines().for_each(|it| set(it, Some(Kept::Server)));
    for payload in leaving.lines() {
        if let Some(Operation::ChangeTags { add, remove, .. }) = operation::read("contact", payload) {
            remove.iter().for_each(|it| set(it, None));
            add.iter().for_each(|it| set(it, Some(Kept::Leaving)));
        }
    }
    tags.sort_by(|one, other| one.word.as_str().cmp(other.word.as_str()));
    Ok(tags)
}
