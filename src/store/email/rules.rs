//! Mail rules, the threads they may act on, and the log of their actions.
//!
//! A rule acts on unread threads that were not handled here and do not need a person. Its change
//! and its log entry are queued in one transaction.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::outbox::{self, NewRow};
use crate::reader::conversations::load_row;
use crate::{Store, StoreError};
use model::conversations::ConversationRow;
use model::email::rules::{MailRule, RuleAction, RulesPage, RulesQuery};
use model::ids::{ChannelId, ConversationId};
use model::text::SafeText;
use model::time::{DAY, MINUTE, Timestamp};
use sqlite::{Queries, Row};

/// Maximum number of rule actions per tab and minute.
const MAX_THREADS_PER_MINUTE: u32 = 20;
/// Age at which log entries of rules are deleted.
const HISTORY_LIMIT: i64 = 180 * DAY;
const MAX_LISTED_THREADS: u32 = 500;

/// Reason why no rule may act on a thread; NULL if one may.
const SELECT_EXEMPTION: &str = "CASE
     WHEN c.is_closed = 1 THEN 'put away already'
     WHEN c.stuck > 0 OR c.escalation IS NOT NULL OR h.urgency < 2 THEN 'needs a person'
     WHEN coalesce(h.is_read, 1) = 1 THEN 'read already'
     WHEN c.behind = 1 THEN 'not read here yet'
     WHEN h.is_starred = 1 THEN 'starred'
     WHEN EXISTS (SELECT 1 FROM message m WHERE m.conversation = c.number AND m.inbound = 0
         AND m.sender NOT IN ('ai', 'assistant', 'bot', 'automation')) THEN 'answered'
     WHEN EXISTS (SELECT 1 FROM message m LEFT JOIN letter l ON l.channel = c.channel AND l.thread = c.id AND l.id = m.id
         WHERE m.conversation = c.number AND m.inbound = 1
             AND lower(coalesce(l.facts ->> '$.from', '')) <> lower(c.address)) THEN 'others write in it, too'
     WHEN EXISTS (SELECT 1 FROM desk.outbox o WHERE o.channel = c.channel AND o.conversation = c.id)
         OR EXISTS (SELECT 1 FROM desk.draft d WHERE d.channel = c.channel AND d.conversation = c.id)
         OR EXISTS (SELECT 1 FROM desk.note n WHERE n.channel = c.channel AND n.conversation = c.id)
         OR EXISTS (SELECT 1 FROM desk.snooze z WHERE z.channel = c.channel AND z.conversation = c.id)
         OR EXISTS (SELECT 1 FROM desk.claim k WHERE k.channel = c.channel AND k.conversation = c.id)
         OR EXISTS (SELECT 1 FROM desk.tag t WHERE t.channel = c.channel AND t.conversation = c.id)
         OR EXISTS (SELECT 1 FROM desk.thread_local x WHERE x.channel = c.channel AND x.thread = c.id)
         OR EXISTS (SELECT 1 FROM desk.audit a WHERE a.channel = c.channel AND a.lane_id = c.id
             AND NOT EXISTS (SELECT 1 FROM desk.rule_action r WHERE r.row = a.row))
         THEN 'somebody has handled it' END";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleMatch {
    pub thread: ConversationId,
    pub sender: String,
    /// Time of the newest mail.
    pub mail_at: Timestamp,
    pub actions: Vec<RuleAction>,
}

impl Store {
    /// Returns the threads that the rules of a tab act on now, within the limit per minute.
    pub async fn rule_matches(
        &self,
        channel: &ChannelId,
        now: Timestamp,
    ) -> Result<Vec<RuleMatch>, StoreError> {
        let of = channel.clone();
        let (rules, acted) = self
            .outbox()
            .call_async(move |connection| {
                let on: Vec<MailRule> = rules(connection, "main", &of)?;
                let sql = "SELECT count(*) FROM rule_action WHERE channel = ?1 AND at > ?2";
                let acted: u32 = connection.scalar(sql, params![of, now.plus(-MINUTE)])?;
                Ok((on.into_iter().filter(|mail_rule| mail_rule.is_on).collect::<Vec<_>>(), acted))
            })
            .await?;
        let room = usize::try_from(MAX_THREADS_PER_MINUTE.saturating_sub(acted)).unwrap_or(0);
        if rules.is_empty() || room == 0 {
            return Ok(Vec::new());
        }
        let channel = channel.clone();
        self.cache()
            .call_async(move |cache| {
                let mut found: Vec<RuleMatch> = Vec::new();
                for (thread, sender, mail_at) in unprocessed_threads(&cache.connection, &channel, &rules)? {
                    let mut actions = Vec::new();
                    for rule in rules.iter().filter(|rule| rule.sender == sender && rule.after < mail_at) {
                        let sql = "SELECT 1 FROM desk.rule_action WHERE channel = ?1 AND thread = ?2
                             AND sender = ?3 AND action = ?4 AND mail_at = ?5";
                        let mut done = cache.connection.prepare_cached(sql)?;
                        if !done.exists(params![channel, thread, sender, rule.action.as_stored(), mail_at])? {
                            actions.push(rule.action.clone());
                        }
                    }
                    if !actions.is_empty() {
                        found.push(RuleMatch { thread, sender, mail_at, actions });
                    }
                    if found.len() == room {
                        break;
                    }
                }
                Ok(found)
            })
            .await
    }

    /// Queues the actions of rules on a thread and logs them. Returns false if the thread has other
    /// changes queued, a rule was switched off, or the actions were logged before.
    pub async fn enqueue_by_rule(
        &self,
        row: NewRow,
        ruled: RuleMatch,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let chance = self.chance().clone();
        self.outbox()
            .call_async(move |connection| {
                let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let channel = row.channel.clone();
                let open = "SELECT 1 FROM outbox WHERE channel = ?1 AND conversation = ?2";
                if change.prepare_cached(open)?.exists(params![channel, ruled.thread])? {
                    return Ok(false);
                }
                let queued = outbox::queue(&change, row, now, &chance)?;
                let mut noted = 0;
                for action in &ruled.actions {
                    let still_on =
                        "SELECT 1 FROM mail_rule WHERE channel = ?1 AND sender = ?2 AND action = ?3
                         AND is_on = 1";
                    let kept = action.as_stored();
                    if !change.prepare_cached(still_on)?.exists(params![channel, ruled.sender, kept])? {
                        return Ok(false);
                    }
                    noted += change.execute(
                        "INSERT OR IGNORE INTO rule_action (channel, thread, sender, action, mail_at, row, at)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                        params![channel, ruled.thread, ruled.sender, kept, ruled.mail_at, queued.id, now],
                    )?;
                }
                if noted < ruled.actions.len() {
                    return Ok(false);
                }
                let old = "DELETE FROM rule_action WHERE channel = ?1 AND at < ?2";
                change.execute(old, params![channel, now.plus(-HISTORY_LIMIT)])?;
                change.commit()?;
                Ok(true)
            })
            .await
    }
}

/// Stores or deletes a rule. Its log entries are kept.
pub(crate) fn save_rule(
    change: &Connection,
    channel: &str,
    rule: &MailRule,
    is_kept: bool,
) -> rusqlite::Result<()> {
    let action = rule.action.as_stored();
    if is_kept {
        change.execute(
            "INSERT INTO mail_rule (channel, sender, action, is_on, made_at, after)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO UPDATE SET is_on = excluded.is_on, after = excluded.after",
            params![channel, rule.sender, action, rule.is_on, rule.made_at, rule.after],
        )?;
    } else {
        change.execute(
            "DELETE FROM mail_rule WHERE channel = ?1 AND sender = ?2 AND action = ?3",
            params![channel, rule.sender, action],
        )?;
    }
    Ok(())
}

/// Returns the rules of a tab; `outbox` is the schema name of the outbox.
fn rules(connection: &Connection, outbox: &str, channel: &ChannelId) -> Result<Vec<MailRule>, StoreError> {
    let sql = format!(
        "SELECT r.sender, r.action, r.is_on, r.made_at, r.after,
             (SELECT count(DISTINCT a.thread) FROM {outbox}.rule_action a WHERE a.channel = r.channel
                 AND a.sender = r.sender AND a.action = r.action) AS acted
         FROM {outbox}.mail_rule r WHERE r.channel = ?1 ORDER BY r.sender, r.action"
    );
    let read = |row: &Row<'_>| {
        let action = RuleAction::from_stored(row.text("action")?);
        let rule = |action| -> rusqlite::Result<MailRule> {
            Ok(MailRule {
                sender: row.get("sender")?,
                action,
                is_on: row.get("is_on")?,
                made_at: row.get("made_at")?,
                after: row.get("after")?,
                applied_count: row.get("acted")?,
            })
        };
        // Skips actions of a later version.
        action.map(rule).transpose()
    };
    let all: Vec<Option<MailRule>> = connection.all(&sql, [channel], read)?;
    Ok(all.into_iter().flatten().collect())
}

/// Returns unread threads from the rules' senders that a rule may act on, oldest first, each with
/// its sender and the time of its newest mail.
fn unprocessed_threads(
    connection: &Connection,
    channel: &ChannelId,
    rules: &[MailRule],
) -> Result<Vec<(ConversationId, String, Timestamp)>, StoreError> {
    let after = rules.iter().map(|rule| rule.after).min().unwrap_or_default();
    let sql = format!(
        "SELECT c.id, lower(c.address) AS sender, c.last_inbound_at FROM thread h INDEXED BY thread_unread
         CROSS JOIN conversation c ON c.channel = h.channel AND c.id = h.id
         WHERE h.channel = ?1 AND h.is_read = 0 AND c.last_inbound_at > ?2
             AND lower(c.address) IN (SELECT r.sender FROM desk.mail_rule r WHERE r.channel = ?1 AND r.is_on = 1)
             AND {SELECT_EXEMPTION} IS NULL
         ORDER BY c.last_inbound_at"
    );
    Ok(connection.all(&sql, params![channel, after], |row| {
        Ok((row.get("id")?, row.get("sender")?, row.get("last_inbound_at")?))
    })?)
}

/// Returns the rules of a tab with the requested threads; expects the outbox attached as `desk`.
pub(crate) fn page(connection: &Connection, query: &RulesQuery) -> Result<RulesPage, StoreError> {
    let channel = &query.channel;
    let newest = "SELECT coalesce(max(last_inbound_at), 0) FROM
         (SELECT last_inbound_at FROM conversation WHERE channel = ?1 ORDER BY sort_at DESC LIMIT 100)";
    let mut page = RulesPage {
        rules: rules(connection, "desk", channel)?,
        newest: connection.scalar(newest, [channel])?,
        threads: Vec::new(),
    };
    if let Some((sender, _)) = &query.example {
        let sql = format!(
            "SELECT c.id, {SELECT_EXEMPTION} AS why FROM conversation c INDEXED BY conversation_by_state
             CROSS JOIN thread h ON h.channel = c.channel AND h.id = c.id
             WHERE c.channel = ?1 AND c.is_closed = 0 AND lower(c.address) = ?2
             ORDER BY c.sort_at DESC LIMIT {MAX_LISTED_THREADS}"
        );
        page.threads = threads(connection, channel, &sql, params![channel, sender])?;
    } else if let Some((sender, action)) = &query.applied {
        let sql = format!(
            "SELECT thread AS id, NULL AS why FROM desk.rule_action
             WHERE channel = ?1 AND sender = ?2 AND action = ?3
             GROUP BY thread ORDER BY max(at) DESC LIMIT {MAX_LISTED_THREADS}"
        );
        page.threads = threads(connection, channel, &sql, params![channel, sender, action.as_stored()])?;
    }
    Ok(page)
}

fn threads(
    connection: &Connection,
    channel: &ChannelId,
    sql: &str,
    bound: &[&dyn rusqlite::ToSql],
) -> Result<Vec<(ConversationRow, Option<SafeText>)>, StoreError> {
    let ids: Vec<(ConversationId, Option<SafeText>)> =
        connection.all(sql, bound, |row| Ok((row.get("id")?, row.optional_line("why")?)))?;
    let mut all = Vec::with_capacity(ids.len());
    for (id, why) in ids {
        all.extend(load_row(connection, channel, &id)?.map(|row| (row, why)));
    }
    Ok(all)
}
