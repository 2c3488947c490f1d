//! Presence: where each person is, for 15 seconds. Kept in memory; processes that share a database exchange
//! it through their shared state, whose values expire.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::auth::Member;
use crate::database::rows::bound;
use crate::database::{DatabaseError, NewValue};
use crate::state::Service;
use crate::team::person_name;
use api::team::{AnnouncePresence, PresenceEvent, StoredPresence};
use model::time::{Clock, SECOND};

/// Time for which a presence counts, in microseconds.
pub const PRESENCE_LIFETIME: i64 = 15 * SECOND;
/// Prefix of the names of the shared values.
const SHARED_PREFIX: &str = "presence ";
/// Maximum number of presences of a workspace; the oldest are dropped.
const MAX_PRESENCES: usize = 1000;

#[derive(Default)]
pub struct PresenceBoard(Mutex<HashMap<String, Vec<StoredPresence>>>);

/// Adds a presence, and drops the earlier one of its session and those that have ended.
fn put(known: &mut Vec<StoredPresence>, new: StoredPresence, now: i64) {
    known.retain(|presence| presence.until > now && presence.session != new.session);
    if known.len() >= MAX_PRESENCES {
        known.remove(0);
    }
    known.push(new);
}

impl PresenceBoard {
    /// Returns the presences of a workspace, one for each person and conversation.
    pub fn list(&self, workspace: &str, now: i64) -> Vec<PresenceEvent> {
        let board = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found: Vec<PresenceEvent> = Vec::new();
        let known = board.get(workspace).map_or(&[][..], Vec::as_slice);
        for presence in known.iter().rev().filter(|presence| presence.until > now) {
            let is_same = |event: &PresenceEvent| {
                event.person == presence.person && event.conversation == presence.conversation
            };
            if !found.iter().any(is_same) {
                found.push(PresenceEvent {
                    person: presence.person.clone(),
                    conversation: presence.conversation.clone(),
                    doing: Some(presence.doing),
                    leaves_in_ms: presence.leaves_in_ms,
                });
            }
        }
        found
    }

    /// Sets what a session does, in this process alone.
    pub fn set(&self, workspace: &str, new: StoredPresence, now: i64) {
        let mut board = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let until = now.saturating_add(PRESENCE_LIFETIME);
        put(board.entry(workspace.to_owned()).or_default(), StoredPresence { until, ..new }, now);
    }

    /// Removes a session that has ended.
    pub fn leave(&self, session: &str) {
        let mut board = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        board.values_mut().for_each(|known| known.retain(|presence| presence.session != session));
    }

    fn replace(&self, workspace: &str, known: Vec<StoredPresence>) {
        let mut board = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_empty() {
            board.remove(workspace)
        } else {
            board.insert(workspace.to_owned(), known)
        };
    }
}

pub async fn announce(
    service: &Service,
    member: &Member,
    asked: AnnouncePresence,
) -> Result<(), DatabaseError> {
    let Member { session, workspace, person, .. } = member;
    let new = StoredPresence {
        session: session.clone(),
        person: person_name(person),
        conversation: asked.conversation.map(|id| id.into_string()),
        doing: asked.doing,
        leaves_in_ms: asked.leaves_in_ms,
        until: 0,
    };
    let Some(shared) = service.database.shared_state() else {
        service.team.presence.set(workspace, new, service.clock.now().micros());
        return Ok(());
    };
    let decide = move |bytes: &[u8], now: i64| {
        let mut known: Vec<StoredPresence> = serde_json::from_slice(bytes).unwrap_or_default();
        let until = now.saturating_add(PRESENCE_LIFETIME);
        put(&mut known, StoredPresence { until, ..new.clone() }, now);
        NewValue { value: Some((serde_json::to_vec(&known).unwrap_or_default(), until)), answer: () }
    };
    shared.change(format!("{SHARED_PREFIX}{workspace}"), service.decision_clock(), decide).await
}

/// Reads what other processes know of a workspace. Times are converted to this process's clock.
pub async fn read_shared(service: &Service, workspace: &str) -> Result<(), DatabaseError> {
    if !service.database.is_shared() {
        return Ok(());
    }
    let name = format!("{SHARED_PREFIX}{workspace}");
    let sql = "SELECT value, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) AS at
               FROM shared_state WHERE name = ?1";
    let read = service.database.read(move |db| {
        db.fetch_optional(sql, bound![name], |row| Ok((row.get::<Vec<u8>>("value")?, row.get::<i64>("at")?)))
    });
    let found: Option<(Vec<u8>, i64)> = read.await?;
    let Some((bytes, at)) = found else {
        service.team.presence.replace(workspace, Vec::new());
        return Ok(());
    };
    let mut known: Vec<StoredPresence> = serde_json::from_slice(&bytes).unwrap_or_default();
    if !service.options.by_hand {
        let ahead = service.clock.now().micros().saturating_sub(at.saturating_add(service.clock.shift()));
        known.iter_mut().for_each(|presence| presence.until = presence.until.saturating_add(ahead));
    }
    service.team.presence.replace(workspace, known);
    Ok(())
}
