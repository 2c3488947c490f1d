//! Tokens used by the model, by day and conversation.

use crate::database::DatabaseError;
use crate::database::rows::bound;
use crate::database::session::DbSession;
use model::time::{DAY, Timestamp};

const RETENTION_DAYS: i64 = 400;
/// Key of the row with the total of a day.
const DAY_TOTAL: &str = "";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenUsage {
    pub conversation: u64,
    pub day: u64,
}

const fn day(at: Timestamp) -> i64 {
    at.micros().div_euclid(DAY)
}

pub fn add(db: &dyn DbSession, conversation: &str, tokens: u64, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO assistant_usage (day, conversation, tokens, requests) VALUES (?1, ?2, ?3, 1)
        ON CONFLICT (day, conversation)
        DO UPDATE SET tokens = assistant_usage.tokens + excluded.tokens, requests = assistant_usage.requests + 1";
    let tokens = i64::try_from(tokens).unwrap_or(i64::MAX / 4);
    for key in [conversation, DAY_TOTAL] {
        db.change_later(sql, bound![day(at), key, tokens])?;
    }
    db.change_later("DELETE FROM assistant_usage WHERE day < ?1", bound![day(at) - RETENTION_DAYS])
}

pub fn read(db: &dyn DbSession, conversation: &str, at: Timestamp) -> Result<TokenUsage, DatabaseError> {
    let tokens = |text: &str| -> Result<u64, DatabaseError> {
        let sql = "SELECT tokens FROM assistant_usage WHERE day = ?1 AND conversation = ?2";
        Ok(db.fetch_optional(sql, bound![day(at), text], |row| row.number("tokens"))?.unwrap_or(0))
    };
    Ok(TokenUsage { conversation: tokens(conversation)?, day: tokens(DAY_TOTAL)? })
}
