//! What this desk keeps of conversations: put aside, claimed, tagged, draft-only.
//! In the outbox's file, because nothing of it can be read again from anywhere.

use rusqlite::{Connection, params};

use crate::email::rules;
use crate::{Store, StoreError, draft_only};
use model::ids::{ChannelId, ConversationId};
use model::local::{Assignment, LocalChange, Tag, TagLocation};
use model::snooze::Snooze;
use model::text::SafeText;
use model::time::Timestamp;

impl Store {
    /// Makes a change of what is kept of a channel's conversations; blocks.
    /// All of it or nothing.
    pub fn change_local(&self, channel: &ChannelId, keep: LocalChange) -> Result<(), StoreError> {
        // Looking is noted in the cache.
        if let LocalChange::Unseen(wanted) = keep {
            return self.set_unseen(channel, wanted);
        }
        let channel = channel.clone();
        self.outbox().change(move |change| {
            apply_change(change, channel.as_str(), &keep)?;
            Ok(())
        })
    }

    /// Somebody takes over what others of this desk have on some channels:
    /// claims and pauses; only what one of them has, if one is named.
    /// Tells how many there were. Blocks.
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
        LocalChange::Unseen(_) => Ok(()),
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
    if let Some(it) = wanted {
        change
            .prepare_cached(
                "INSERT INTO snooze (channel, conversation, until, after, set_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![channel, conversation, it.until, it.after, it.set_at])?;
    }
    Ok(())
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
    forget(change, "claim", channel, conversation)?;
    if let Some(it) = wanted {
        change
            .prepare_cached("INSERT INTO claim (channel, conversation, agent, at) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![channel, conversation, it.agent, it.at])?;
    }
    Ok(())
}

/// All that others have is somebody's from now on; pauses count from now, too.
fn take_over(
    change: &Connection,
    channel: &str,
    who: &Assignment,
    from: Option<&SafeText>,
) -> rusqlite::Result<usize> {
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
    for it in wanted.iter().filter(|entry| entry.location == TagLocation::Local) {
        statement.execute(params![channel, conversation, it.word])?;
    }
    Ok(())
}

/// Pauses that count from before a time count from now.
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
