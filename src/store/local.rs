//! Local data of conversations: snoozes, claims, tags, draft-only marks. In the outbox, because it
//! cannot be restored from anywhere.

use rusqlite::{Connection, params};

use crate::email::rules;
use crate::{Store, StoreError, draft_only, team};
use model::ids::{ChannelId, ConversationId};
use model::local::{Assignment, LocalChange, Tag, TagLocation};
use model::snooze::Snooze;
use model::text::SafeText;
use model::time::Timestamp;

impl Store {
    /// Applies a change in one transaction. Blocks.
    pub fn change_local(&self, channel: &ChannelId, keep: LocalChange) -> Result<(), StoreError> {
        match keep {
            // Kept in the cache.
            LocalChange::Unseen(wanted) => self.set_unseen(channel, wanted),
            LocalChange::ApplyTime { now, lease } => self.apply_time(channel, now, lease),
            _ => {
                let channel = channel.clone();
                self.outbox().change(move |change| Ok(apply_change(change, channel.as_str(), &keep)?))
            }
        }
    }

    /// Transfers claims and pauses of others on some channels to `who`; only those of `from`, if
    /// given. Returns their number. Blocks.
    pub fn take_over(
        &self,
        channels: Vec<ChannelId>,
        who: Assignment,
        from: Option<SafeText>,
    ) -> Result<usize, StoreError> {
        self.outbox().change(move |change| {
            let taken =
                channels.iter().map(|channel| take_over(change, channel.as_str(), &who, from.as_ref()));
            Ok(taken.sum::<rusqlite::Result<usize>>()?)
        })
    }
}

fn apply_change(change: &Connection, channel: &str, keep: &LocalChange) -> rusqlite::Result<()> {
    match keep {
        LocalChange::Snooze(all) => {
            all.iter().try_for_each(|(id, entry)| snooze(change, channel, id, entry.as_ref()))
        }
        LocalChange::Claim(all) => {
            all.iter().try_for_each(|(id, assignment)| claim(change, channel, id, assignment.as_ref()))
        }
        LocalChange::Tags(all) => all.iter().try_for_each(|(id, entry)| tags(change, channel, id, entry)),
        LocalChange::Unseen(_) | LocalChange::ApplyTime { .. } => Ok(()),
        LocalChange::DraftOnly(all) => {
            all.iter().try_for_each(|(id, is_on)| draft_only::set_mark(change, channel, id, *is_on))
        }
        LocalChange::Rule(rule, is_kept) => rules::save_rule(change, channel, rule, *is_kept),
        LocalChange::Wake(now) => wake(change, channel, *now),
        LocalChange::ExtendPauses(before, now) => extend_pauses(change, channel, *before, *now),
    }
}

fn snooze(
    change: &Connection,
    channel: &str,
    conversation: &ConversationId,
    wanted: Option<&Snooze>,
) -> rusqlite::Result<()> {
    forget(change, "snooze", channel, conversation)?;
    if let Some(snooze) = wanted {
        change
            .prepare_cached(
                "INSERT INTO snooze (channel, conversation, until, after, set_at, note)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                channel,
                conversation,
                snooze.until,
                snooze.after,
                snooze.set_at,
                snooze.note
            ])?;
    }
    team::share_snooze(change, channel, conversation, wanted)
}

fn wake(change: &Connection, channel: &str, now: Timestamp) -> rusqlite::Result<()> {
    change.execute(
        "UPDATE snooze SET woken_at = ?2 WHERE channel = ?1 AND woken_at IS NULL AND until <= ?2",
        params![channel, now],
    )?;
    Ok(())
}

fn claim(
    change: &Connection,
    channel: &str,
    conversation: &ConversationId,
    wanted: Option<&Assignment>,
) -> rusqlite::Result<()> {
    let former = team::former_claim(change, channel, conversation)?;
    forget(change, "claim", channel, conversation)?;
    if let Some(claim) = wanted {
        change
            .prepare_cached("INSERT INTO claim (channel, conversation, agent, at) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![channel, conversation, claim.agent, claim.at])?;
    }
    team::share_claim(change, (channel, conversation), former, wanted)
}

/// Transfers claims and pauses to `who`; pauses count from now.
fn take_over(
    change: &Connection,
    channel: &str,
    who: &Assignment,
    from: Option<&SafeText>,
) -> rusqlite::Result<usize> {
    team::share_take_over(change, channel, &who.agent, from)?;
    let statements = [
        "UPDATE claim SET agent = ?2, at = ?3 WHERE channel = ?1 AND agent <> ?2 AND (?4 IS NULL OR agent = ?4)",
        "UPDATE pause SET owner = ?2, extended_at = ?3
             WHERE channel = ?1 AND owner <> ?2 AND (?4 IS NULL OR owner = ?4)",
    ];
    statements.iter().map(|sql| change.execute(sql, params![channel, who.agent, who.at, from])).sum()
}

fn tags(
    change: &Connection,
    channel: &str,
    conversation: &ConversationId,
    wanted: &[Tag],
) -> rusqlite::Result<()> {
    forget(change, "tag", channel, conversation)?;
    let mut statement = change.prepare_cached(
        "INSERT OR IGNORE INTO tag (channel, conversation, word, shared) VALUES (?1, ?2, ?3, 0)",
    )?;
    for tag in wanted.iter().filter(|entry| entry.location == TagLocation::Local) {
        statement.execute(params![channel, conversation, tag.word])?;
    }
    team::share_tags(change, channel, conversation, wanted)
}

/// Restarts pauses that count from before a time.
fn extend_pauses(
    change: &Connection,
    channel: &str,
    before: Timestamp,
    now: Timestamp,
) -> rusqlite::Result<()> {
    change.execute(
        "UPDATE pause SET extended_at = ?3 WHERE channel = ?1 AND max(since, extended_at) <= ?2",
        params![channel, before, now],
    )?;
    Ok(())
}

fn forget(
    change: &Connection,
    table: &str,
    channel: &str,
    conversation: &ConversationId,
) -> rusqlite::Result<()> {
    let sql = format!("DELETE FROM {table} WHERE channel = ?1 AND conversation = ?2");
    change.prepare_cached(&sql)?.execute(params![channel, conversation])?;
    Ok(())
}
