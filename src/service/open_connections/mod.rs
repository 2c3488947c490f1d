//! Limit of open connections, and the choice of those that are closed for new ones.
//!
//! Phases of a connection:
//!
//! - *silent*: no request yet
//! - *idle*: between two requests
//! - *receiving*: reading the body of a request
//! - *working*: computing the answer
//! - *sending*: writing the answer
//!
//! A working connection is never closed. Any other may be closed once its grace period passes without
//! progress. One address may hold half of all connections. Loopback and listed proxies, which represent many
//! clients, may hold all.

mod held;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::client_info::network_of;
use crate::forwarded::Network;
use model::time::{Clock, SECOND, Timestamp};

pub use held::{ConnectionPhase, HeldConnection, WatchedBody, WatchedStream};

#[derive(Clone)]
pub struct OpenConnections {
    open: Arc<Mutex<Vec<Arc<HeldConnection>>>>,
    max: usize,
    proxies: Arc<[Network]>,
    clock: Arc<dyn Clock>,
}

/// Place among the open connections; freed when dropped.
pub struct ConnectionSlot {
    connections: OpenConnections,
    pub connection: Arc<HeldConnection>,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.open().retain(|held| !Arc::ptr_eq(held, &self.connection));
    }
}

impl OpenConnections {
    pub fn new(max: usize, proxies: &[Network], clock: Arc<dyn Clock>) -> Self {
        Self { open: Arc::default(), max, proxies: proxies.into(), clock }
    }

    fn open(&self) -> MutexGuard<'_, Vec<Arc<HeldConnection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a connection, closing another at the limit; `None` if no other may be closed.
    pub fn admit(&self, peer: IpAddr) -> Option<ConnectionSlot> {
        let now = self.clock.now();
        let is_one_client = self.is_one_client(peer.to_canonical());
        let peer = network_of(peer);
        let mut open = self.open();
        let of_peer = open.iter().filter(|held| held.peer == peer).count();
        if is_one_client && of_peer >= (self.max / 2).max(1) {
            end_held_connection(&mut open, Some(peer), now)?;
        } else if open.len() >= self.max {
            end_held_connection(&mut open, None, now)?;
        }
        let connection = Arc::new(HeldConnection::new(peer, Arc::clone(&self.clock)));
        open.push(Arc::clone(&connection));
        Some(ConnectionSlot { connections: self.clone(), connection })
    }

    /// Returns true if an address is one client, not loopback or a proxy.
    fn is_one_client(&self, peer: IpAddr) -> bool {
        !peer.is_loopback() && !self.proxies.iter().any(|network| network.contains(peer))
    }
}

/// Closes a connection past its grace period: of the address with the most of them (or of `peer`), silent
/// ones first, then the oldest.
fn end_held_connection(
    open: &mut Vec<Arc<HeldConnection>>,
    peer: Option<IpAddr>,
    now: Timestamp,
) -> Option<()> {
    let holds =
        |held: &&Arc<HeldConnection>| held.is_replaceable(now) && peer.is_none_or(|peer| held.peer == peer);
    let mut holders: HashMap<IpAddr, usize> = HashMap::new();
    for held in open.iter().filter(holds) {
        *holders.entry(held.peer).or_default() += 1;
    }
    let leaves = open.iter().rev().filter(holds).max_by_key(|held| {
        (holders.get(&held.peer).copied(), held.phase() == ConnectionPhase::Silent, -held.since().micros())
    })?;
    leaves.end();
    let leaves = Arc::clone(leaves);
    open.retain(|held| !Arc::ptr_eq(held, &leaves));
    Some(())
}

/// Returns the grace period of a phase in microseconds; `None` for an unlimited one.
const fn idle_timeout(phase: ConnectionPhase) -> Option<i64> {
    match phase {
        ConnectionPhase::Silent | ConnectionPhase::Idle => Some(2 * SECOND),
        ConnectionPhase::Receiving => Some(5 * SECOND),
        ConnectionPhase::Sending => Some(10 * SECOND),
        ConnectionPhase::Working => None,
    }
}

#[cfg(test)]
mod tests;
