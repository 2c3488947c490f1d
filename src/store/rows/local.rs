//! Reads the local data of a conversation from columns.

use crate::rows::operation;
use model::local::{Assignment, DraftReadiness, LocalState, Tag, TagLocation};
use model::outbox::Operation;
use model::snooze::{Snooze, WakeReason};
use model::text::SafeText;
use model::time::Timestamp;
use sqlite::{Row, read_row};

pub(crate) const JOIN: &str = "LEFT JOIN desk.snooze z ON z.channel = c.channel AND z.conversation = c.id
     LEFT JOIN desk.claim k ON k.channel = c.channel AND k.conversation = c.id
     LEFT JOIN desk.draft_only q ON q.channel = c.channel AND q.conversation = c.id
     LEFT JOIN desk.pause p ON p.channel = c.channel AND p.conversation = c.id";

/// Columns for [`read`]. Tags are returned as lines: local ones, those of the contact, and pending
/// changes.
pub(crate) const COLUMNS: &str = "z.set_at, z.until, z.after, z.woken_at, z.note AS snooze_note,
     coalesce(c.last_inbound_at > z.after, 0) AS replied, k.agent AS claimed_by, k.at AS claimed_at,
     CASE q.is_on WHEN 1 THEN EXISTS (SELECT 1 FROM suggestion s WHERE s.conversation = c.number
         AND s.kind = 'draft' AND s.is_ready AND s.message = (SELECT m.id FROM message m
             WHERE m.conversation = c.number ORDER BY m.sort_at DESC, m.id DESC LIMIT 1)) END AS draft_ready,
     (SELECT group_concat(t.word, char(10)) FROM desk.tag t
         WHERE t.channel = c.channel AND t.conversation = c.id) AS tags_here,
     (SELECT group_concat(j.value, char(10)) FROM contact p, json_each(p.tags) j
         WHERE p.channel = c.channel AND p.phone = c.address) AS tags_server,
     (SELECT group_concat(o.payload, char(10) ORDER BY o.sequence) FROM desk.outbox o
         WHERE o.channel = c.channel AND o.lane = 'contact' AND o.lane_id = c.address
             AND o.operation = 'contact' AND o.state <> 'stopped') AS tags_leaving";

/// Selects snoozed conversations that nothing has woken and that have no stopped rows.
pub(crate) const SELECT_ASLEEP: &str = "SELECT a.number FROM desk.snooze s
     CROSS JOIN conversation a ON a.channel = s.channel AND a.id = s.conversation
     WHERE s.woken_at IS NULL AND coalesce(a.last_inbound_at, 0) <= s.after
         AND a.is_closed = 0 AND a.stuck = 0";

pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<LocalState> {
    let claim = row.optional_line("claimed_by")?.zip(row.get("claimed_at")?);
    let claim = claim.map(|(agent, at)| Assignment { agent, at });
    let draft_only = row.get::<Option<bool>>("draft_ready")?.map(|ready| match ready {
        true => DraftReadiness::Ready,
        false => DraftReadiness::Missing,
    });
    Ok(LocalState { snooze: snooze_from_row(row)?, claim, tags: tags_from_row(row)?, draft_only })
}

fn snooze_from_row(row: &Row<'_>) -> rusqlite::Result<Option<Snooze>> {
    let Some(set_at) = row.get("set_at")? else { return Ok(None) };
    let (woken_at, replied): (Option<Timestamp>, _) = (row.get("woken_at")?, row.get("replied")?);
    let woken = match (woken_at, replied) {
        (_, true) => Some(WakeReason::Reply),
        (Some(_), false) => Some(WakeReason::Time),
        (None, false) => None,
    };
    let note = row.optional_line("snooze_note")?;
    Ok(Some(read_row!(row, Snooze { until, after; set_at, wake_reason: woken, note: note })))
}

/// Merges local, server and pending tags to their future state.
fn tags_from_row(row: &Row<'_>) -> rusqlite::Result<Vec<Tag>> {
    let lines = |name| row.get::<Option<String>>(name).map(Option::unwrap_or_default);
    let (here, server, leaving) = (lines("tags_here")?, lines("tags_server")?, lines("tags_leaving")?);
    let mut tags: Vec<Tag> = Vec::new();
    let mut set = |word: &str, kept: Option<TagLocation>| {
        let word = SafeText::line(word);
        if let Some(kept) = kept
            && let Some(known) = tags.iter_mut().find(|tag| tag.word == word)
        {
            known.location = if known.location == TagLocation::Server { TagLocation::Server } else { kept };
        } else if let Some(kept) = kept.filter(|_| !word.is_empty()) {
            tags.push(Tag { word, location: kept });
        } else {
            tags.retain(|tag| tag.word != word);
        }
    };
    here.lines().for_each(|line| set(line, Some(TagLocation::Local)));
    server.lines().for_each(|line| set(line, Some(TagLocation::Server)));
    for payload in leaving.lines() {
        if let Some(Operation::ChangeTags { add, remove, .. }) = operation::read("contact", payload) {
            remove.iter().for_each(|text| set(text, None));
            add.iter().for_each(|entry| set(entry, Some(TagLocation::Pending)));
        }
    }
    tags.sort_by(|one, other| one.word.as_str().cmp(other.word.as_str()));
    Ok(tags)
}
