//! Inbound updates of the platforms, stored unchanged before they are processed: each once, in the
//! order of its chat.

use crate::database::rows::{bound, single_cell};
use crate::database::session::DbSession;
use crate::database::{DatabaseError, aliases};
use model::time::Timestamp;
use platforms::CHANNEL_LANE;
use sqlite::read_row;

/// Due time of an update that is processed only on demand: the year 9999.
pub const ON_DEMAND_DUE: Timestamp = Timestamp::from_micros(253_370_764_800_000_000);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngressRow {
    pub channel: String,
    pub name: String,
    /// Chat or other sequence that keeps its order.
    pub lane: String,
    pub body: Vec<u8>,
    pub attempts: i64,
}

pub fn insert(
    db: &dyn DbSession,
    channel: &str,
    (name, lane, body): (&str, &str, &[u8]),
    stamp: Timestamp,
) -> Result<bool, DatabaseError> {
    let sql = "INSERT INTO ingress (channel, name, lane, place, body, due_at, attempts)
               VALUES (?1, ?2, ?3, ?4, ?5, ?4, 0) ON CONFLICT (channel, name) DO NOTHING";
    Ok(db.change(sql, bound![channel, name, lane, stamp, body])? > 0)
}

/// Returns the updates to process now: the first of each lane, unless one about the whole channel came before.
pub fn list_due(db: &dyn DbSession, now: Timestamp, count: i64) -> Result<Vec<IngressRow>, DatabaseError> {
    let sql = "SELECT channel, name, lane, body, attempts FROM ingress
               WHERE done_at IS NULL AND due_at <= ?1 AND NOT EXISTS (
                   SELECT 1 FROM ingress AS earlier WHERE earlier.done_at IS NULL
                   AND earlier.place < ingress.place AND earlier.channel = ingress.channel
                   AND earlier.lane IN (ingress.lane, ?3)
               ) ORDER BY place LIMIT ?2";
    db.fetch_all(sql, bound![now, count, CHANNEL_LANE], |row| {
        Ok(read_row!(row, IngressRow { channel, name, lane, body, attempts }))
    })
}

pub fn next_due(db: &dyn DbSession, after: Timestamp) -> Result<Option<Timestamp>, DatabaseError> {
    let sql = "SELECT min(due_at) FROM ingress WHERE done_at IS NULL AND due_at > ?1";
    db.fetch_one(sql, bound![after], single_cell)
}

/// Returns true if updates of a lane wait.
pub fn has_waiting(db: &dyn DbSession, channel: &str, lane: &str) -> Result<bool, DatabaseError> {
    let sql = "SELECT name FROM ingress WHERE channel = ?1 AND lane = ?2 AND done_at IS NULL LIMIT 1";
    let found: Option<String> = db.fetch_optional(sql, bound![channel, lane], single_cell)?;
    Ok(found.is_some())
}

/// Marks an update as processed; false if it was marked before.
pub fn finish(db: &dyn DbSession, row: &IngressRow, now: Timestamp) -> Result<bool, DatabaseError> {
    // Clears text and sender: they are in the history now, where they can be deleted.
    let sql = "UPDATE ingress SET done_at = ?3, body = ?4, lane = '' WHERE channel = ?1 AND name = ?2 AND done_at IS NULL";
    let none: &[u8] = &[];
    Ok(db.change(sql, bound![row.channel, row.name, now, none])? > 0)
}

/// Postpones an update after a failed attempt.
pub fn postpone(db: &dyn DbSession, row: &IngressRow, at: Timestamp) -> Result<(), DatabaseError> {
    let sql = "UPDATE ingress SET due_at = ?3, attempts = attempts + 1 WHERE channel = ?1 AND name = ?2";
    db.change_later(sql, bound![row.channel, row.name, at])
}

/// Postpones an update with another body.
pub fn rewrite(
    db: &dyn DbSession,
    row: &IngressRow,
    body: &[u8],
    at: Timestamp,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE ingress SET body = ?3, due_at = ?4, attempts = attempts + 1
               WHERE channel = ?1 AND name = ?2 AND done_at IS NULL";
    db.change_later(sql, bound![row.channel, row.name, body, at])
}

pub fn make_due(db: &dyn DbSession, row: &IngressRow, now: Timestamp) -> Result<(), DatabaseError> {
    let sql =
        "UPDATE ingress SET due_at = ?3 WHERE channel = ?1 AND name = ?2 AND done_at IS NULL AND due_at > ?3";
    db.change_later(sql, bound![row.channel, row.name, now])
}

pub fn find_by_file(db: &dyn DbSession, name: &str) -> Result<Option<IngressRow>, DatabaseError> {
    let sql = "SELECT ingress.channel, ingress.name, lane, body, attempts FROM channels
               JOIN ingress ON ingress.channel = channels.id AND ingress.name = ?1 WHERE done_at IS NULL LIMIT 1";
    db.fetch_optional(sql, bound![name], |row| {
        Ok(read_row!(row, IngressRow { channel, name, lane, body, attempts }))
    })
}

/// Deletes the request for a file that is not fetched yet.
pub fn cancel_file(db: &dyn DbSession, id: &str) -> Result<(), DatabaseError> {
    let sql =
        "DELETE FROM ingress WHERE channel IN (SELECT id FROM channels) AND name = ?1 AND done_at IS NULL";
    db.change_later(sql, bound![format!("file {id}")])
}

pub fn delete_done(db: &dyn DbSession, before: Timestamp) -> Result<(), DatabaseError> {
    let sql = "DELETE FROM ingress WHERE (channel, name) IN
               (SELECT channel, name FROM ingress WHERE done_at < ?1 ORDER BY done_at LIMIT 50 /* skip locked */)";
    db.change_later(sql, bound![before])
}

/// Records an inbound message; false if it was recorded before.
pub fn record_arrival(
    db: &dyn DbSession,
    channel: &str,
    peer: &str,
    platform_id: &str,
) -> Result<bool, DatabaseError> {
    let sql = "INSERT INTO arrivals (channel, peer, platform_id) VALUES (?1, ?2, ?3)
               ON CONFLICT (channel, peer, platform_id) DO NOTHING";
    Ok(db.change(sql, bound![channel, peer, platform_id])? > 0)
}

pub fn has_arrived(
    db: &dyn DbSession,
    channel: &str,
    peer: &str,
    platform_id: &str,
) -> Result<bool, DatabaseError> {
    let sql = "SELECT count(*) FROM arrivals WHERE channel = ?1 AND peer = ?2 AND platform_id = ?3";
    let count: i64 = db.fetch_scalar(sql, bound![channel, peer, platform_id])?;
    Ok(count > 0)
}

pub fn list_arrivals(
    db: &dyn DbSession,
    channel: &str,
    peer: &str,
    count: i64,
) -> Result<Vec<String>, DatabaseError> {
    let sql =
        "SELECT platform_id FROM arrivals WHERE channel = ?1 AND peer = ?2 ORDER BY platform_id LIMIT ?3";
    db.fetch_all(sql, bound![channel, peer, count], single_cell)
}

/// Deletes up to `count` messages recorded under peers with a prefix and returns their number.
/// `beginning` ends with a space.
pub fn delete_arrivals(
    db: &dyn DbSession,
    channel: &str,
    beginning: &str,
    count: i64,
) -> Result<i64, DatabaseError> {
    // `!` follows the space in ASCII.
    let end = format!("{}!", beginning.trim_end_matches(' '));
    let sql = "DELETE FROM arrivals WHERE (channel, peer, platform_id) IN
               (SELECT channel, peer, platform_id FROM arrivals WHERE channel = ?1 AND peer > ?2 AND peer < ?3
                ORDER BY peer, platform_id LIMIT ?4)";
    let forgotten = db.change(sql, bound![channel, beginning, end, count])?;
    Ok(i64::try_from(forgotten).unwrap_or(i64::MAX))
}

/// Returns true if a message with an id prefix was recorded; `beginning` ends with a space.
pub fn has_arrival_with_prefix(
    db: &dyn DbSession,
    channel: &str,
    peer: &str,
    beginning: &str,
) -> Result<bool, DatabaseError> {
    // `!` follows the space in ASCII.
    let end = format!("{}!", beginning.trim_end_matches(' '));
    let sql = "SELECT count(*) FROM arrivals WHERE channel = ?1 AND peer = ?2 AND platform_id > ?3
               AND platform_id < ?4";
    let count: i64 = db.fetch_scalar(sql, bound![channel, peer, beginning, end])?;
    Ok(count > 0)
}

/// Moves a chat to another peer id, unless that one is in use. With `for_good` the old id is never
/// reused: what still arrives under it belongs to the new one.
pub fn move_peer(
    db: &dyn DbSession,
    channel: &str,
    (from, to): (&str, &str),
    for_good: bool,
) -> Result<(), DatabaseError> {
    let sql = "UPDATE conversations SET peer = ?3, platform_peer = NULL WHERE channel = ?1 AND peer = ?2 AND NOT EXISTS
               (SELECT 1 FROM conversations AS other WHERE other.channel = ?1 AND other.peer = ?3)";
    if db.change(sql, bound![channel, from, to])? > 0 {
        aliases::remove(db, channel, to)?;
        aliases::change_target(db, channel, from, to)?;
        if for_good {
            aliases::insert(db, channel, from, to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_kept_once_and_its_chat_in_order() {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        db.execute_batch(include_str!("schema.sql")).expect("made");
        db.execute_batch(include_str!("schema_carriers.sql")).expect("made");
        let at = Timestamp::from_micros;
        let put =
            |name: &str, lane: &str, place| insert(&db, "ch", (name, lane, b"{}"), at(place)).expect("kept");
        assert!(put("1", "a", 1) && put("2", "a", 2) && put("3", "b", 3));
        assert!(!put("2", "a", 9), "a repeat");
        let names = |now| -> Vec<String> {
            list_due(&db, at(now), 9).expect("read").into_iter().map(|ingress_row| ingress_row.name).collect()
        };
        assert_eq!(names(3), ["1", "3"]);
        let first = list_due(&db, at(3), 1).expect("read").remove(0);
        postpone(&db, &first, at(10)).expect("put off");
        assert_eq!(names(3), ["3"], "the chat waits for its first");
        assert_eq!(next_due(&db, at(3)).expect("read"), Some(at(10)));
        assert!(finish(&db, &first, at(11)).expect("done") && !finish(&db, &first, at(12)).expect("once"));
        assert_eq!(names(11), ["2", "3"]);
        assert!(
            record_arrival(&db, "ch", "7", "1").expect("kept")
                && !record_arrival(&db, "ch", "7", "1").expect("kept")
        );
    }

    #[test]
    fn what_comes_after_an_update_of_the_whole_channel_waits_for_it() {
        let db = rusqlite::Connection::open_in_memory().expect("opens");
        db.execute_batch(include_str!("schema.sql")).expect("made");
        db.execute_batch(include_str!("schema_carriers.sql")).expect("made");
        let at = Timestamp::from_micros;
        let rows =
            [("1", "ch", "a", 1), ("2", "ch", CHANNEL_LANE, 2), ("3", "ch", "b", 3), ("4", "other", "b", 4)];
        for (name, channel, lane, place) in rows {
            assert!(insert(&db, channel, (name, lane, b"{}"), at(place)).expect("kept"));
        }
        let due = || list_due(&db, at(9), 9).expect("read");
        let names = || due().into_iter().map(|row| row.name).collect::<Vec<_>>();
        assert_eq!(names(), ["1", "2", "4"]);
        assert!(finish(&db, &due()[1], at(9)).expect("done"));
        assert_eq!(names(), ["1", "3", "4"]);
    }
}
