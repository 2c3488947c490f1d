//! Connections that are open: how many there may be, and who gives way to a new
//! one where there are no more.
//!
//! A connection is in one of these phases:
//!
//! - *silent*: nothing was asked over it yet,
//! - *idle*: between two requests,
//! - *receiving*: the body of a request is on its way,
//! - *working*: the service makes the answer,
//! - *sending*: the answer is on its way.
//!
//! Only a connection that is working is the service's own business. Each other
//! one gives way once it was held for a while in which nothing worth mentioning
//! moved. One address may have half of all connections; an address of this
//! machine and a listed proxy, behind which there are many, may have all.

mod held;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::client_info::network_of;
use crate::forwarded::Network;
use model::time::{Clock, SECOND, Timestamp};

pub use held::{ConnectionPhase, HeldConnection, WatchedBody, WatchedStream};

/// The open connections of a service.
#[derive(Clone)]
pub struct Crowd {
    open: Arc<Mutex<Vec<Arc<HeldConnection>>>>,
    /// Maximum number of connections.
    max: usize,
    proxies: Arc<[Network]>,
    clock: Arc<dyn Clock>,
}

/// A place among the open connections, until this is dropped.
pub struct ConnectionPlace {
    crowd: Crowd,
    pub connection: Arc<HeldConnection>,
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.crowd.open().retain(|held| !Arc::ptr_eq(held, &self.connection));
    }
}

impl Crowd {
    pub fn new(max: usize, proxies: &[Network], clock: Arc<dyn Clock>) -> Self {
        Self { open: Arc::default(), max, proxies: proxies.into(), clock }
    }

    fn open(&self) -> MutexGuard<'_, Vec<Arc<HeldConnection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection in, in the place of another where there are too many;
    /// `None` where nobody gives way.
    pub fn admit(&self, peer: IpAddr) -> Option<ConnectionPlace> {
        let now = self.clock.now();
        let is_one_client = self.is_one_client(peer.to_canonical());
        let peer = network_of(peer);
        let mut open = self.open();
        let of_peer = open.iter().filter(|held| held.peer == peer).count();
        if is_one_client && of_peer >= (self.max / 2).max(1) {
            give_way(&mut open, Some(peer), now)?;
        } else if open.len() >= self.max {
            give_way(&mut open, None, now)?;
        }
        let connection = Arc::new(HeldConnection::new(peer, Arc::clone(&self.clock)));
        open.push(Arc::clone(&connection));
        Some(ConnectionPlace { crowd: self.clone(), connection })
    }

    /// True if an address is one client, and not this machine or a proxy.
    fn is_one_client(&self, peer: IpAddr) -> bool {
        !peer.is_loopback() && !self.proxies.iter().any(|network| network.contains(peer))
    }
}

/// Ends a connection that is only held: of the address that holds most of them
/// (or of the one named), first those that never asked anything, of these the
/// one that was held longest.
fn give_way(open: &mut Vec<Arc<HeldConnection>>, peer: Option<IpAddr>, now: Timestamp) -> Option<()> {
    let holds =
        |held: &&Arc<HeldConnection>| held.only_holds(now) && peer.is_none_or(|peer| held.peer == peer);
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

/// Microseconds a connection may stay in a phase while nothing moves, before it
/// gives way; `None` for ever.
const fn grace(phase: ConnectionPhase) -> Option<i64> {
    match phase {
        ConnectionPhase::Silent | ConnectionPhase::Idle => Some(2 * SECOND),
        ConnectionPhase::Receiving => Some(5 * SECOND),
        ConnectionPhase::Sending => Some(10 * SECOND),
        ConnectionPhase::Working => None,
    }
}

#[cfg(test)]
mod tests;
