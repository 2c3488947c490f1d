//! Queue of rows to send to platforms; see [`sending`](crate::sending) for its protocol.

use crate::database::DatabaseError;
use crate::database::rows::{bound, single_cell, table};
use crate::database::session::DbSession;
use crate::idempotency::Fingerprint;
use crate::reply::Reply;
use model::time::Timestamp;
use sqlite::read_row;

/// States of an attempt that has begun and is not settled.
const IN_FLIGHT_STATES: &str = "('claimed', 'departed', 'recalled')";
/// Maximum number of settled rows removed with each claim.
const CLEANUP_BATCH: i64 = 50;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EgressRow {
    pub id: String,
    pub channel: String,
    /// Conversation or thread; rows of one lane leave in order.
    pub lane: String,
    pub place: Timestamp,
    /// JSON: the request as it was made.
    pub parcel: String,
    /// JSON: the content that is stored once the platform has accepted it.
    pub draft: String,
    /// A word of [`EgressState`].
    pub state: String,
    pub due_at: Timestamp,
    /// Fencing token: number of the attempt.
    pub fence: i64,
    /// End of the time that the attempt may take.
    pub claimed_until: Timestamp,
    /// True if its message is already in the history, or if it has none.
    pub is_recorded: bool,
}

/// States of a row; [`sending`](crate::sending) says what each means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EgressState {
    Waiting,
    Claimed,
    Departed,
    Recalled,
    Taken,
    Refused,
    Unknown,
    Dropped,
}

impl EgressState {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Claimed => "claimed",
            Self::Departed => "departed",
            Self::Recalled => "recalled",
            Self::Taken => "taken",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
            Self::Dropped => "dropped",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedRequest {
    pub api_key: String,
    pub name: String,
    /// Compared with the fingerprint of a retry.
    pub fingerprint: Fingerprint,
}

table!(EgressRow in egress {
    id, channel, lane, place, parcel, draft, state, due_at, fence, claimed_until, is_recorded = told
});

pub fn insert(db: &dyn DbSession, row: &EgressRow) -> Result<(), DatabaseError> {
    store(db, row)
}

pub fn read(db: &dyn DbSession, id: &str) -> Result<Option<EgressRow>, DatabaseError> {
    db.fetch_optional(&format!("{SELECT} WHERE id = ?1"), bound![id], from_row)
}

/// Stores the request of a row and the answer that retries get until the platform has answered.
pub fn bind_request(
    db: &dyn DbSession,
    id: &str,
    request: Option<&KeyedRequest>,
    reply: &Reply,
) -> Result<(), DatabaseError> {
    let sql =
        "UPDATE egress SET api_key = ?2, name = ?3, fingerprint = ?4, status = ?5, body = ?6 WHERE id = ?1";
    let (api_key, name) = (request.map(|request| &request.api_key), request.map(|request| &request.name));
    let fingerprint = request.map(|request| request.fingerprint);
    db.change_later(sql, bound![id, api_key, name, fingerprint, reply.status, reply.body])
}

/// Finds the unsettled row of a request, with the request's fingerprint.
pub fn find_by_request(
    db: &dyn DbSession,
    api_key: &str,
    name: &str,
) -> Result<Option<(String, Fingerprint)>, DatabaseError> {
    let sql = "SELECT id, fingerprint FROM egress WHERE api_key = ?1 AND name = ?2 AND settled_at IS NULL";
    db.fetch_optional(sql, bound![api_key, name], |row| Ok((row.get("id")?, row.get("fingerprint")?)))
}

/// Returns the request of a row if it had an idempotency key.
pub fn read_request(db: &dyn DbSession, id: &str) -> Result<Option<KeyedRequest>, DatabaseError> {
    let sql = "SELECT api_key, name, fingerprint FROM egress WHERE id = ?1 AND name IS NOT NULL";
    db.fetch_optional(sql, bound![id], |row| Ok(read_row!(row, KeyedRequest { api_key, name, fingerprint })))
}

/// Returns the answer of the row's request, if it has one, and true if it is final.
pub fn read_reply(db: &dyn DbSession, id: &str) -> Result<Option<(Reply, bool)>, DatabaseError> {
    let sql = "SELECT status, body, settled_at FROM egress WHERE id = ?1 AND status IS NOT NULL";
    db.fetch_optional(sql, bound![id], |row| {
        let settled = row.get::<Option<Timestamp>>("settled_at")?.is_some();
        Ok((read_row!(row, Reply { status, body; replayed: false, awaited_id: None }), settled))
    })
}

/// Lists rows that are due and first in their lane.
pub fn list_due(db: &dyn DbSession, now: Timestamp, count: i64) -> Result<Vec<EgressRow>, DatabaseError> {
    let sql = format!(
        "{SELECT} WHERE state = 'waiting' AND due_at <= ?1 AND NOT EXISTS (
             SELECT 1 FROM egress AS earlier WHERE earlier.lane = egress.lane AND earlier.place < egress.place
             AND earlier.state IN ('waiting', 'claimed', 'departed', 'recalled')
         ) ORDER BY due_at, place LIMIT ?2"
    );
    db.fetch_all(&sql, bound![now, count], from_row)
}

/// Lists attempts that have exceeded their time: their process has ended.
pub fn list_abandoned(db: &dyn DbSession, now: Timestamp) -> Result<Vec<EgressRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE state IN {IN_FLIGHT_STATES} AND claimed_until <= ?1 ORDER BY place");
    db.fetch_all(&sql, bound![now], from_row)
}

/// Time at which the next waiting row falls due.
pub fn next_due(db: &dyn DbSession, after: Timestamp) -> Result<Option<Timestamp>, DatabaseError> {
    let sql = "SELECT due_at FROM egress WHERE state = 'waiting' AND due_at > ?1 ORDER BY due_at LIMIT 1";
    db.fetch_optional(sql, bound![after], single_cell)
}

/// Begins an attempt and returns its fencing token, `None` if another attempt has begun.
pub fn claim(db: &dyn DbSession, row: &EgressRow, until: Timestamp) -> Result<Option<i64>, DatabaseError> {
    let sql = "UPDATE egress SET state = 'claimed', fence = fence + 1, claimed_until = ?3
               WHERE id = ?1 AND fence = ?2 AND state = 'waiting'";
    let claimed = db.change(sql, bound![row.id, row.fence, until])? > 0;
    Ok(claimed.then_some(row.fence + 1))
}

/// Records that the first byte of an attempt is about to leave; false if the row was dropped or
/// another attempt has begun.
pub fn mark_departed(db: &dyn DbSession, row: &EgressRow) -> Result<bool, DatabaseError> {
    let sql = "UPDATE egress SET state = 'departed' WHERE id = ?1 AND fence = ?2 AND state = 'claimed'";
    Ok(db.change(sql, bound![row.id, row.fence])? > 0)
}

pub fn recall(db: &dyn DbSession, id: &str) -> Result<(), DatabaseError> {
    db.change_later("UPDATE egress SET state = 'recalled' WHERE id = ?1 AND state = 'departed'", bound![id])
}

pub fn list_open(db: &dyn DbSession, lane: &str) -> Result<Vec<EgressRow>, DatabaseError> {
    let sql = format!("{SELECT} WHERE lane = ?1 AND settled_at IS NULL ORDER BY place");
    db.fetch_all(&sql, bound![lane], from_row)
}

pub fn is_recalling(db: &dyn DbSession, lane: &str) -> Result<bool, DatabaseError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM egress WHERE lane = ?1 AND state = 'recalled')";
    db.fetch_scalar(sql, bound![lane])
}

/// Expires all attempts, after their processes have ended.
pub fn end_all_claims(db: &dyn DbSession) -> Result<(), DatabaseError> {
    db.change_later(&format!("UPDATE egress SET claimed_until = 0 WHERE state IN {IN_FLIGHT_STATES}"), &[])
}

/// Postpones a row until `at`, possibly with another request.
pub fn postpone(db: &dyn DbSession, id: &str, parcel: &str, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE egress SET state = 'waiting', due_at = ?3, parcel = ?2 WHERE id = ?1";
    db.change_later(sql, bound![id, parcel, at])
}

/// Records the outcome of a row and the final answer of its request.
pub fn settle(
    db: &dyn DbSession,
    id: &str,
    state: EgressState,
    reply: Option<&Reply>,
    now: Timestamp,
) -> Result<(), DatabaseError> {
    // The content is in the history now, where it can be deleted.
    let sql = "UPDATE egress SET state = ?2, settled_at = ?3, status = coalesce(?4, status), body = coalesce(?5, body),
               parcel = CASE ?2 WHEN 'unknown' THEN parcel ELSE '' END,
               draft = CASE ?2 WHEN 'unknown' THEN draft ELSE '' END WHERE id = ?1";
    let (status, body) = (reply.map(|reply| reply.status), reply.map(|reply| &reply.body));
    db.change_later(sql, bound![id, state.word(), now, status, body])
}

pub fn change_lane(db: &dyn DbSession, from: &str, to: &str) -> Result<(), DatabaseError> {
    db.change_later("UPDATE egress SET lane = ?2 WHERE lane = ?1", bound![from, to])
}

pub fn mark_recorded(db: &dyn DbSession, id: &str) -> Result<(), DatabaseError> {
    db.change_later("UPDATE egress SET told = TRUE WHERE id = ?1", bound![id])
}

/// Removes some rows settled before a time; rows of unknown outcome stay.
pub fn delete_settled(db: &dyn DbSession, before: Timestamp) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM egress WHERE id IN (SELECT id FROM egress
               WHERE settled_at < ?1 AND state IN ('taken', 'refused', 'dropped') LIMIT ?2 /* skip locked */)";
    db.change_later(sql, bound![before, CLEANUP_BATCH])
}

pub fn count_in_state(db: &dyn DbSession, channel: &str, state: EgressState) -> Result<i64, DatabaseError> {
    let sql = "SELECT count(*) FROM egress WHERE channel = ?1 AND state = ?2";
    db.fetch_scalar(sql, bound![channel, state.word()])
}

pub fn list_unknown(db: &dyn DbSession, lane: &str) -> Result<Vec<(String, String)>, DatabaseError> {
    let sql = "SELECT id, parcel FROM egress WHERE lane = ?1 AND state = 'unknown' ORDER BY place";
    db.fetch_all(sql, bound![lane], |row| Ok((row.get("id")?, row.get("parcel")?)))
}

pub fn is_in_flight(db: &dyn DbSession, lane: &str) -> Result<bool, DatabaseError> {
    let sql = format!("SELECT EXISTS (SELECT 1 FROM egress WHERE lane = ?1 AND state IN {IN_FLIGHT_STATES})");
    db.fetch_scalar(&sql, bound![lane])
}

pub fn count_unknown(db: &dyn DbSession, lane: &str) -> Result<i64, DatabaseError> {
    let sql = "SELECT count(*) FROM egress WHERE lane = ?1 AND state = 'unknown'";
    db.fetch_scalar(sql, bound![lane])
}

/// Returns true if a channel has an unsettled row in a lane from `from` up to, but not including,
/// `to`.
pub fn is_open_between(
    db: &dyn DbSession,
    channel: &str,
    (from, to): (&str, &str),
) -> Result<bool, DatabaseError> {
    let sql = "SELECT count(*) FROM egress
               WHERE lane >= ?2 AND lane < ?3 AND channel = ?1 AND settled_at IS NULL";
    let count: i64 = db.fetch_scalar(sql, bound![channel, from, to])?;
    Ok(count > 0)
}

pub fn is_open(db: &dyn DbSession, lane: &str) -> Result<bool, DatabaseError> {
    let sql = "SELECT count(*) FROM egress WHERE lane = ?1 AND settled_at IS NULL";
    let count: i64 = db.fetch_scalar(sql, bound![lane])?;
    Ok(count > 0)
}

/// Updates the status of a message that was recorded before the platform answered; false if it was
/// not, or has advanced already.
pub fn advance_recorded(
    db: &dyn DbSession,
    id: &str,
    status: &str,
    platform_id: Option<&str>,
) -> Result<bool, DatabaseError> {
    let sql = "UPDATE messages SET status = ?2, platform_id = coalesce(?3, platform_id)
               WHERE id = ?1 AND status IN ('queued', 'unknown')";
    Ok(db.change(sql, bound![id, status, platform_id])? > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> rusqlite::Connection {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        db.execute_batch(include_str!("schema.sql")).expect("made");
        db.execute_batch(include_str!("schema_carriers.sql")).expect("made");
        // The lanes exist here without their conversations.
        db.pragma_update(None, "foreign_keys", false).expect("set");
        db
    }

    fn put(db: &dyn DbSession, id: &str, lane: &str, place: i64, due_at: i64) {
        let row = EgressRow {
            id: id.to_owned(),
            channel: "ch".to_owned(),
            lane: lane.to_owned(),
            place: Timestamp::from_micros(place),
            parcel: "{}".to_owned(),
            draft: "{}".to_owned(),
            state: EgressState::Waiting.word().to_owned(),
            due_at: Timestamp::from_micros(due_at),
            fence: 0,
            claimed_until: Timestamp::from_micros(0),
            is_recorded: false,
        };
        insert(db, &row).expect("kept");
    }

    fn ready(db: &dyn DbSession, now: i64) -> Vec<String> {
        let due = list_due(db, Timestamp::from_micros(now), 10).expect("read");
        due.into_iter().map(|egress_row| egress_row.id).collect()
    }

    #[test]
    fn a_lane_leaves_in_order_and_one_at_a_time() {
        let db = database();
        put(&db, "a1", "a", 1, 0);
        put(&db, "a2", "a", 2, 0);
        put(&db, "b1", "b", 3, 5);
        assert_eq!(ready(&db, 0), ["a1"]);
        assert_eq!(ready(&db, 5), ["a1", "b1"]);
        let first = read(&db, "a1").expect("read").expect("there");
        let until = Timestamp::from_micros(100);
        assert_eq!(claim(&db, &first, until).expect("claimed"), Some(1));
        assert_eq!(claim(&db, &first, until).expect("read"), None, "a fence is used once");
        assert_eq!(ready(&db, 5), ["b1"], "what is behind a claimed one waits");
        postpone(&db, "a1", "{}", Timestamp::from_micros(50)).expect("put off");
        assert_eq!(ready(&db, 5), ["b1"], "and behind one that was put off");
        settle(&db, "a1", EgressState::Unknown, None, until).expect("settled");
        assert_eq!(ready(&db, 5), ["a2", "b1"], "what nobody knows the end of holds nothing up");
    }

    #[test]
    fn what_was_dropped_never_departs_and_what_has_departed_is_recalled() {
        let db = database();
        let until = Timestamp::from_micros(100);
        let claimed = |id: &str| {
            let row = read(&db, id).expect("read").expect("there");
            let fence = claim(&db, &row, until).expect("claimed").expect("free");
            EgressRow { fence, ..row }
        };
        put(&db, "a1", "a", 1, 0);
        let first = claimed("a1");
        settle(&db, "a1", EgressState::Dropped, None, until).expect("dropped");
        assert!(!mark_departed(&db, &first).expect("asked"));
        put(&db, "a2", "a", 2, 0);
        let second = claimed("a2");
        assert!(mark_departed(&db, &second).expect("asked") && !mark_departed(&db, &second).expect("asked"));
        assert!(!is_recalling(&db, "a").expect("read"));
        recall(&db, "a2").expect("recalled");
        assert!(is_recalling(&db, "a").expect("read") && is_in_flight(&db, "a").expect("read"));
        put(&db, "a3", "a", 3, 0);
        assert_eq!(ready(&db, 0), [""; 0], "what is behind it waits");
        assert_eq!(list_abandoned(&db, until).expect("read").len(), 1);
        settle(&db, "a2", EgressState::Taken, None, until).expect("settled");
        assert_eq!((is_recalling(&db, "a").expect("read"), ready(&db, 0)), (false, vec!["a3".to_owned()]));
    }

    #[test]
    fn an_attempt_that_lasts_too_long_is_found() {
        let db = database();
        put(&db, "a1", "a", 1, 0);
        let row = read(&db, "a1").expect("read").expect("there");
        claim(&db, &row, Timestamp::from_micros(100)).expect("claimed");
        let at = |now| list_abandoned(&db, Timestamp::from_micros(now)).expect("read").len();
        assert_eq!((at(99), at(100)), (0, 1));
        end_all_claims(&db).expect("ended");
        assert_eq!(at(0), 1);
    }
}
