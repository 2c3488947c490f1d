//! Accounting of body memory: reservations, the queue, and which body yields. Pure decisions; the time is a
//! parameter.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use crate::bodies::{
    ADDRESS_BYTES, ADDRESSES_BYTES, CONTENDED_RATE, CONTENDED_RATE_AFTER, KEY_BYTES, MEDIUM_BYTES, MIN_RATE,
    MIN_RATE_AFTER, TOTAL_BYTES,
};
use crate::client_info::network_of;
use model::time::{SECOND, Timestamp};

/// Maximum time between two chunks that counts for a body's rate, in microseconds: a clock that is set
/// forward makes no body slow.
const MAX_STEP: i64 = 15 * SECOND;

/// Owner of a share of the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyOwner {
    Key(String),
    /// Client without a key, by [`network_of`] its address.
    Address(IpAddr),
}

impl BodyOwner {
    pub fn address(address: IpAddr) -> Self {
        Self::Address(network_of(address))
    }

    fn is_address(&self) -> bool {
        matches!(self, Self::Address(_))
    }

    /// Maximum memory of one owner, in bytes.
    const fn share(&self) -> usize {
        match self {
            Self::Key(_) => KEY_BYTES,
            Self::Address(_) => ADDRESS_BYTES,
        }
    }
}

/// Reservation, held or queued.
pub type RoomId = u64;

/// The body arrived more slowly than [`MIN_RATE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooSlow;

/// Rate at which a body arrives.
#[derive(Debug, Clone, Copy)]
struct Pace {
    received: usize,
    /// Time spent waiting for the body, in microseconds.
    elapsed: i64,
    counted_to: Timestamp,
}

impl Pace {
    fn advance(&mut self, now: Timestamp) {
        let step = now.micros().saturating_sub(self.counted_to.micros());
        self.elapsed += step.clamp(0, MAX_STEP);
        self.counted_to = now;
    }

    /// Average rate since the reservation, in bytes per second.
    fn rate(&self) -> i64 {
        let received = i64::try_from(self.received).unwrap_or(i64::MAX);
        received.saturating_mul(SECOND) / self.elapsed.max(1)
    }

    fn is_slow(&self, rate: i64, after: i64) -> bool {
        self.elapsed >= after * SECOND && self.rate() < rate
    }
}

#[derive(Debug)]
struct HeldRoom {
    owner: BodyOwner,
    bytes: usize,
    /// `None` once the body is received in full: from then on the time is the service's.
    pace: Option<Pace>,
    gives_way: bool,
}

#[derive(Debug)]
struct WaitingRoom {
    id: RoomId,
    owner: BodyOwner,
    bytes: usize,
}

/// Maximum that prevents a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    Share,
    Addresses,
    Total,
}

#[derive(Debug, Default)]
pub struct Ledger {
    held: BTreeMap<RoomId, HeldRoom>,
    waiting: VecDeque<WaitingRoom>,
    last: RoomId,
}

impl Ledger {
    /// Queues a reservation of at most `bytes`, bounded by the owner's share.
    pub fn ask(&mut self, owner: BodyOwner, bytes: usize) -> RoomId {
        self.last += 1;
        let bytes = bytes.min(owner.share());
        self.waiting.push_back(WaitingRoom { id: self.last, owner, bytes });
        self.last
    }

    /// Grants queued reservations as far as there is memory, and makes slow bodies yield to the others.
    /// Returns true if any reservation changed.
    pub fn settle(&mut self, now: Timestamp) -> bool {
        let (mut large_waits, mut is_news) = (false, false);
        for waiting in std::mem::take(&mut self.waiting) {
            let obstacle = self.obstacle(&waiting.owner, waiting.bytes);
            match obstacle {
                None if !large_waits || waiting.bytes <= MEDIUM_BYTES => {
                    let pace = Some(Pace { received: 0, elapsed: 0, counted_to: now });
                    let WaitingRoom { id, owner, bytes } = waiting;
                    self.held.insert(id, HeldRoom { owner, bytes, pace, gives_way: false });
                    is_news = true;
                    continue;
                }
                None => {}
                Some(obstacle) => {
                    large_waits |= obstacle == Obstacle::Total;
                    is_news |= self.press(&waiting, obstacle, now);
                }
            }
            self.waiting.push_back(waiting);
        }
        is_news
    }

    pub fn is_held(&self, id: RoomId) -> bool {
        self.held.contains_key(&id)
    }

    /// Returns true if this body has to yield its memory.
    pub fn gives_way(&self, id: RoomId) -> bool {
        self.held.get(&id).is_some_and(|room| room.gives_way)
    }

    /// Starts the time that counts for the next chunk. Time in which the service does not read is not
    /// counted.
    pub fn wait_for_more(&mut self, id: RoomId, now: Timestamp) {
        if let Some(pace) = self.held.get_mut(&id).and_then(|room| room.pace.as_mut()) {
            pace.counted_to = now;
        }
    }

    /// Counts received bytes.
    ///
    /// # Errors
    /// If the body arrives below [`MIN_RATE`].
    pub fn receive(&mut self, id: RoomId, bytes: usize, now: Timestamp) -> Result<(), TooSlow> {
        let Some(pace) = self.held.get_mut(&id).and_then(|room| room.pace.as_mut()) else { return Ok(()) };
        pace.advance(now);
        pace.received = pace.received.saturating_add(bytes);
        if pace.is_slow(MIN_RATE, MIN_RATE_AFTER) { Err(TooSlow) } else { Ok(()) }
    }

    /// Marks a body as received in full; it keeps its memory and counts as fast.
    pub fn complete(&mut self, id: RoomId) {
        if let Some(room) = self.held.get_mut(&id) {
            (room.pace, room.gives_way) = (None, false);
        }
    }

    /// Releases a reservation or removes it from the queue.
    pub fn release(&mut self, id: RoomId) {
        self.held.remove(&id);
        self.waiting.retain(|waiting| waiting.id != id);
    }

    /// Memory that counts towards a maximum, in bytes.
    fn used(&self, obstacle: Obstacle, owner: &BodyOwner) -> usize {
        self.counted(obstacle, owner).map(|room| room.bytes).sum()
    }

    fn counted<'a>(&'a self, obstacle: Obstacle, owner: &'a BodyOwner) -> impl Iterator<Item = &'a HeldRoom> {
        self.held.values().filter(move |room| room.counts(obstacle, owner))
    }

    fn obstacle(&self, owner: &BodyOwner, bytes: usize) -> Option<Obstacle> {
        let all = [Obstacle::Share, Obstacle::Addresses, Obstacle::Total];
        all.into_iter()
            .filter(|obstacle| *obstacle != Obstacle::Addresses || owner.is_address())
            .find(|obstacle| self.used(*obstacle, owner) + bytes > obstacle.max_bytes(owner))
    }

    /// Makes slow bodies yield, slowest first, if that frees enough for `waiting`. Returns true if any has
    /// to.
    fn press(&mut self, waiting: &WaitingRoom, obstacle: Obstacle, now: Timestamp) -> bool {
        let leaving: usize =
            self.counted(obstacle, &waiting.owner).filter(|room| room.gives_way).map(|room| room.bytes).sum();
        let used = self.used(obstacle, &waiting.owner).saturating_sub(leaving);
        let mut missing = (used + waiting.bytes).saturating_sub(obstacle.max_bytes(&waiting.owner));
        let mut slow: Vec<(i64, RoomId, usize)> = Vec::new();
        for (id, room) in &mut self.held {
            let counts = !room.gives_way && room.counts(obstacle, &waiting.owner);
            let Some(pace) = room.pace.as_mut().filter(|_| counts) else { continue };
            pace.advance(now);
            if pace.is_slow(CONTENDED_RATE, CONTENDED_RATE_AFTER) {
                slow.push((pace.rate(), *id, room.bytes));
            }
        }
        slow.sort_unstable();
        if slow.iter().map(|(_, _, bytes)| bytes).sum::<usize>() < missing {
            return false;
        }
        let mut is_told = false;
        for (_, id, bytes) in slow {
            if missing == 0 {
                break;
            }
            missing = missing.saturating_sub(bytes);
            if let Some(room) = self.held.get_mut(&id) {
                (room.gives_way, is_told) = (true, true);
            }
        }
        is_told
    }
}

impl HeldRoom {
    fn counts(&self, obstacle: Obstacle, owner: &BodyOwner) -> bool {
        match obstacle {
            Obstacle::Share => self.owner == *owner,
            Obstacle::Addresses => self.owner.is_address(),
            Obstacle::Total => true,
        }
    }
}

impl Obstacle {
    const fn max_bytes(self, owner: &BodyOwner) -> usize {
        match self {
            Self::Share => owner.share(),
            Self::Addresses => ADDRESSES_BYTES,
            Self::Total => TOTAL_BYTES,
        }
    }
}

#[cfg(test)]
mod tests;
