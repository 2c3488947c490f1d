//! Reviews of AI answers: the sample is drawn from the cache, verdicts are kept in the outbox.

use rusqlite::{Connection, params};

use crate::reader::desk;
use crate::{Reader, Store, StoreError};
use model::ids::ChannelId;
use model::reviews::{
    CHART_WEEKS, MAX_QUEUED_ANSWERS, RejectionReason, ReviewEntry, ReviewPage, ReviewVerdict, ReviewWeek,
    ReviewedAnswer, SAMPLE_PERIOD, is_sampled,
};
use model::text::SafeText;
use model::time::{DAY, Timestamp};
use sqlite::{Queries, Row, read_row};

/// Number of most recent conversations sampled.
const MAX_CONVERSATIONS: u32 = 300;
const MAX_ANSWERS: u32 = 5_000;
const MAX_QUESTION_MESSAGES: u32 = 6;
/// Maximum size of a stored question and of a stored answer, in bytes.
const MAX_TEXT_BYTES: usize = 8_000;
const MAX_EXPORTED_ANSWERS: u32 = 20_000;

impl Store {
    /// Stores a verdict on an answer; `None` withdraws it.
    pub fn record_review(
        &self,
        entry: &ReviewEntry,
        verdict: Option<ReviewVerdict>,
        reviewer: &SafeText,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (entry, reviewer) = (entry.clone(), reviewer.clone());
        self.outbox().call(move |connection| {
            let Some(verdict) = verdict else {
                let sql = "DELETE FROM review WHERE channel = ?1 AND message = ?2";
                connection.execute(sql, params![entry.channel, entry.message])?;
                return Ok(());
            };
            let (is_good, reason, corrected) = match verdict {
                ReviewVerdict::Good => (true, "", String::new()),
                ReviewVerdict::Bad { reason, corrected } => (false, reason.word(), corrected),
            };
            connection.execute(
                "INSERT OR REPLACE INTO review (channel, conversation, message, title, question, answer, said_at,
                     is_good, reason, corrected, reviewer, at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                params![
                    entry.channel,
                    entry.conversation,
                    entry.message,
                    entry.title,
                    entry.question,
                    entry.answer,
                    entry.at,
                    is_good,
                    reason,
                    corrected,
                    reviewer,
                    now
                ],
            )?;
            Ok(())
        })
    }
}

impl Reader {
    /// Returns sampled answers without a verdict, and verdicts per week; of one tab or of all.
    pub fn review_page(
        &self,
        channel: Option<&ChannelId>,
        one_in: u32,
        now: Timestamp,
    ) -> Result<ReviewPage, StoreError> {
        let moment = self.connection.unchecked_transaction()?;
        let entries = load_queue(&moment, channel, one_in, now)?;
        Ok(ReviewPage { entries, weeks: load_weeks(&moment, channel)? })
    }

    /// Returns reviewed answers, oldest first, of one tab or of all.
    pub fn reviewed_answers(&self, channel: Option<&ChannelId>) -> Result<Vec<ReviewedAnswer>, StoreError> {
        let sql = "SELECT * FROM (SELECT * FROM desk.review WHERE ?1 IS NULL OR channel = ?1
             ORDER BY number DESC LIMIT ?2) ORDER BY number";
        let channel = channel.map(ChannelId::as_str);
        Ok(self.connection.all(sql, params![channel, MAX_EXPORTED_ANSWERS], reviewed_from_row)?)
    }
}

fn reviewed_from_row(row: &Row<'_>) -> rusqlite::Result<ReviewedAnswer> {
    let verdict = match row.get("is_good")? {
        true => ReviewVerdict::Good,
        false => ReviewVerdict::Bad {
            reason: row.parse_word("reason", RejectionReason::from_word)?,
            corrected: row.get("corrected")?,
        },
    };
    let entry = read_row!(row, ReviewEntry {
        channel, conversation, message, title: line, question: block, answer: block, at = said_at;
    });
    Ok(read_row!(row, ReviewedAnswer { reviewer: line, reviewed_at = at; entry, verdict }))
}

/// Sampled answer without its question.
struct SampledAnswer {
    conversation: i64,
    entry: ReviewEntry,
}

fn load_queue(
    connection: &Connection,
    channel: Option<&ChannelId>,
    one_in: u32,
    now: Timestamp,
) -> Result<Vec<ReviewEntry>, StoreError> {
    let of_channel = if channel.is_some() { "WHERE channel = ?1" } else { "WHERE ?1 IS NULL" };
    let sql = format!(
        "SELECT c.number, c.channel, c.id AS conversation, m.id AS message, m.content, m.sort_at
         FROM (SELECT number FROM conversation {of_channel} ORDER BY sort_at DESC, id DESC LIMIT {MAX_CONVERSATIONS}) n
             CROSS JOIN conversation c ON c.number = n.number
             JOIN message m ON m.conversation = c.number AND m.sort_at >= ?2
         WHERE m.inbound = 0 AND m.sender = 'ai' AND m.provisional = 0 AND NOT EXISTS (
             SELECT 1 FROM desk.review r WHERE r.channel = c.channel AND r.message = m.id)
         ORDER BY m.sort_at DESC, m.id DESC LIMIT {MAX_ANSWERS}"
    );
    let bound = params![channel.map(ChannelId::as_str), now.plus(-SAMPLE_PERIOD)];
    let all: Vec<SampledAnswer> = connection.all(&sql, bound, |row| {
        let content: String = row.get("content")?;
        let entry = read_row!(row, ReviewEntry {
            channel, conversation, message, at = sort_at;
            title: SafeText::default(), question: SafeText::default(), answer: truncate(&content)
        });
        Ok(SampledAnswer { conversation: row.get("number")?, entry })
    })?;
    let sampled = all
        .into_iter()
        .filter(|sampled_answer| is_sampled(&sampled_answer.entry.message, one_in))
        .take(MAX_QUEUED_ANSWERS);
    sampled.map(|sampled_answer| with_question(connection, sampled_answer)).collect()
}

fn with_question(connection: &Connection, sampled: SampledAnswer) -> Result<ReviewEntry, StoreError> {
    let SampledAnswer { conversation, mut entry } = sampled;
    let sql = "SELECT content, inbound FROM message WHERE conversation = ?1 AND (sort_at, id) < (?2, ?3)
         ORDER BY sort_at DESC, id DESC LIMIT ?4";
    let before: Vec<(String, bool)> = connection.all(
        sql,
        params![conversation, entry.at, entry.message, MAX_QUESTION_MESSAGES],
        |row| Ok((row.get("content")?, row.get("inbound")?)),
    )?;
    let mut asked: Vec<String> = before.into_iter().take_while(|pair| pair.1).map(|pair| pair.0).collect();
    asked.reverse();
    entry.question = truncate(&asked.join("\n"));
    entry.title = desk::conversation_title(connection, &entry.channel, &entry.conversation)?;
    Ok(entry)
}

fn truncate(text: &str) -> SafeText {
    let end =
        (0..=text.len().min(MAX_TEXT_BYTES)).rev().find(|entry| text.is_char_boundary(*entry)).unwrap_or(0);
    SafeText::block(&text[..end])
}

fn load_weeks(connection: &Connection, channel: Option<&ChannelId>) -> Result<Vec<ReviewWeek>, StoreError> {
    let sql = format!(
        "SELECT (said_at / {DAY} + 3) / 7 AS week, sum(is_good) AS good, count(*) - sum(is_good) AS bad
         FROM desk.review WHERE ?1 IS NULL OR channel = ?1 GROUP BY week ORDER BY week DESC LIMIT {CHART_WEEKS}"
    );
    let mut weeks: Vec<ReviewWeek> = connection.all(&sql, [channel.map(ChannelId::as_str)], |row| {
        Ok(read_row!(row, ReviewWeek { week, good, bad; }))
    })?;
    weeks.reverse();
    Ok(weeks)
}
