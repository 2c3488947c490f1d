//! The copy, on a conversation's row, of what its newest messages tell of
//! trouble with the AI, renewed in the transaction that changed them; and how
//! much the rules weigh on this desk.

use rusqlite::{Connection, params};

use crate::rows::message::{direction, sender_from};
use crate::{Reader, Store, StoreError};
use model::messages::DeliveryStatus;
use model::queries::ConversationKey;
use model::trouble::weights::{LessonPreview, TroubleRule, TroubleVerdict, TroubleWeights, crossing};
use model::trouble::{LAST, MessageSummary, TroubleScore, look};
use sqlite::{Queries, only};

/// Conversations looked at in one slice.
const SLICE: i64 = 200;
/// Slices weighed again before a lesson is said to be done; the rest follows
/// while no one waits for the cache.
const AT_ONCE: usize = 5;
/// Conversations counted for what a lesson would change.
const COUNTED: i64 = 2_000;

/// Looks at the newest messages of a conversation again.
pub(crate) fn refresh(connection: &Connection, number: i64) -> Result<(), StoreError> {
    let limit = i64::try_from(LAST).unwrap_or(i64::MAX);
    let mut said: Vec<_> = connection.all(
        "SELECT inbound, sender, content, delivery FROM message WHERE conversation = ?1 AND unreadable = 0
         ORDER BY sort_at DESC, id DESC LIMIT ?2",
        params![number, limit],
        |row| {
            let delivery = row.word("delivery", DeliveryStatus::from_word)?;
            Ok(MessageSummary::new(
                direction(row)?,
                row.word("sender", sender_from)?,
                row.text("content")?,
                &delivery,
            ))
        },
    )?;
    said.reverse();
    let found = look(&said);
    // Nothing weighs nothing, whatever was taught.
    let found = if found.reasons.is_empty() { found } else { found.weighed(&weights(connection)?) };
    keep(connection, number, &found)
}

fn keep(connection: &Connection, number: i64, found: &TroubleScore) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "UPDATE conversation SET trouble = ?2, trouble_why = ?3
             WHERE number = ?1 AND (trouble, trouble_why) IS NOT (?2, ?3)",
        )?
        .execute(params![number, found.score(), found.line()])?;
    Ok(())
}

/// Looks at some of the conversations that were here before, and weighs some
/// again after a lesson; tells whether more are to come. Done while no one
/// waits for the cache.
pub(crate) fn add_slice(connection: &mut Connection) -> Result<bool, StoreError> {
    let change = connection.transaction()?;
    let sql = "SELECT number FROM conversation WHERE trouble IS NULL LIMIT ?1";
    let numbers: Vec<i64> = change.all(sql, [SLICE], only)?;
    for number in &numbers {
        refresh(&change, *number)?;
    }
    let weighs = weigh(&change)?;
    change.commit()?;
    Ok(!numbers.is_empty() || weighs)
}

/// Weighs some conversations again from the reasons kept; tells whether more
/// are to come.
fn weigh(change: &Connection) -> Result<bool, StoreError> {
    let Some(after): Option<i64> = change.first("SELECT after FROM trouble_progress", [], only)? else {
        return Ok(false);
    };
    let weights = weights(change)?;
    let found = kept(change, after, SLICE)?;
    let Some(last) = found.last().map(|pair| pair.0) else {
        change.execute("DELETE FROM trouble_progress", [])?;
        return Ok(false);
    };
    for (number, score) in found {
        keep(change, number, &score.weighed(&weights))?;
    }
    change.execute("UPDATE trouble_progress SET after = ?1", [last])?;
    Ok(true)
}

/// The reasons of some conversations behind a number.
fn kept(connection: &Connection, after: i64, limit: i64) -> Result<Vec<(i64, TroubleScore)>, StoreError> {
    let sql = "SELECT number, trouble_why FROM conversation INDEXED BY conversation_weighed
         WHERE trouble > 0 AND number > ?1 ORDER BY number LIMIT ?2";
    Ok(connection.all(sql, params![after, limit], |row| {
        let why: Option<String> = row.get("trouble_why")?;
        Ok((row.get("number")?, TroubleScore::read(&why.unwrap_or_default())))
    })?)
}

/// How much the rules weigh here.
fn weights(connection: &Connection) -> Result<TroubleWeights, StoreError> {
    let sql = "SELECT rule, percent FROM desk.trouble_weight";
    let taught: Vec<(Option<TroubleRule>, u32)> = connection
        .all(sql, [], |row| Ok((row.word("rule", TroubleRule::from_word)?, row.number("percent")?)))?;
    let known = taught.into_iter().filter_map(|(rule, percent)| Some((rule?, percent)));
    Ok(known.fold(TroubleWeights::default(), |weights, (rule, percent)| weights.with(rule, percent)))
}

impl Store {
    /// Has the rules of trouble weigh so from now on; blocks until the first
    /// conversations are weighed again.
    pub(crate) fn weigh_trouble(&self, weights: TroubleWeights) -> Result<(), StoreError> {
        self.outbox().call(move |connection| {
            let change = connection.transaction()?;
            change.execute("DELETE FROM trouble_weight", [])?;
            for (rule, percent) in weights.taught_rules() {
                let sql = "INSERT INTO trouble_weight (rule, percent) VALUES (?1, ?2)";
                change.execute(sql, params![rule.word(), percent])?;
            }
            change.commit()?;
            Ok(())
        })?;
        self.cache().call(|cache| {
            cache.connection.execute_batch(
                "DELETE FROM trouble_progress; INSERT INTO trouble_progress (after) VALUES (0)",
            )?;
            Ok(())
        })?;
        for _ in 0..AT_ONCE {
            if !self.cache().call(|cache| add_slice(&mut cache.connection))? {
                break;
            }
        }
        Ok(())
    }
}

impl Reader {
    /// How much the rules weigh; and what a person's word of a conversation
    /// would change.
    ///
    /// # Errors
    /// When the database fails.
    pub fn lesson(
        &self,
        taught: Option<&(ConversationKey, TroubleVerdict)>,
    ) -> Result<LessonPreview, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        let before = weights(&moment)?;
        let Some((key, verdict)) = taught else {
            return Ok(LessonPreview { before, ..LessonPreview::default() });
        };
        let sql = "SELECT trouble_why FROM conversation WHERE channel = ?1 AND id = ?2";
        let of = params![key.channel, key.conversation];
        let why: Option<String> = moment.first::<Option<String>>(sql, of, only)?.flatten();
        let score = TroubleScore::read(&why.unwrap_or_default()).weighed(&before);
        let counted = kept(&moment, 0, COUNTED + 1)?;
        let after = before.learning(&score, *verdict);
        let (more, fewer) = crossing(counted.iter().map(|pair| &pair.1), &before, &after);
        let is_cut = i64::try_from(counted.len()).unwrap_or(i64::MAX) > COUNTED;
        Ok(LessonPreview { before, score, more, fewer, is_cut })
    }
}
