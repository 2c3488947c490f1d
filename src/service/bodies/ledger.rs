//! The account of rooms: who holds how much, who waits, and who gives way. Plain
//! decisions on numbers; the time is handed in.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use crate::bodies::{
    ADDRESS_BYTES, ADDRESSES_BYTES, CONTENDED_RATE, CONTENDED_RATE_AFTER, KEY_BYTES, MEDIUM_BYTES, MIN_RATE,
    MIN_RATE_AFTER, TOTAL_BYTES,
};
use crate::client_info::network_of;
use model::time::{SECOND, Timestamp};

/// Longest time between two pieces of a body that counts against it, in
/// microseconds: a clock that is put right makes no body slow.
const MAX_STEP: i64 = 15 * SECOND;

/// Whose share a body comes out of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyOwner {
    /// Id of an API key.
    Key(String),
    /// Address of a client without a key; of IPv6 the network of 64 bits.
    Address(IpAddr),
}

impl BodyOwner {
    pub fn address(address: IpAddr) -> Self {
        Self::Address(network_of(address))
    }

    fn is_address(&self) -> bool {
        matches!(self, Self::Address(_))
    }

    /// Maximum of its rooms, in bytes.
    const fn share(&self) -> usize {
        match self {
            Self::Key(_) => KEY_BYTES,
            Self::Address(_) => ADDRESS_BYTES,
        }
    }
}

/// Names a room, held or waited for.
pub type RoomId = u64;

/// A body came slower than [`MIN_RATE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooSlow;

/// How fast a body comes.
#[derive(Debug, Clone, Copy)]
struct Pace {
    received: usize,
    /// Time counted so far, in microseconds.
    elapsed: i64,
    counted_to: Timestamp,
}

impl Pace {
    fn advance(&mut self, now: Timestamp) {
        let step = now.micros().saturating_sub(self.counted_to.micros());
        self.elapsed += step.clamp(0, MAX_STEP);
        self.counted_to = now;
    }

    /// Bytes a second since the room was given.
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
    /// `None` once the whole body has come: from then on the service takes its time.
    pace: Option<Pace>,
    gives_way: bool,
}

#[derive(Debug)]
struct WaitingRoom {
    id: RoomId,
    owner: BodyOwner,
    bytes: usize,
}

/// A maximum that stands in the way of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obstacle {
    Share,
    Addresses,
    Total,
}

/// The account of all rooms.
#[derive(Debug, Default)]
pub struct Ledger {
    held: BTreeMap<RoomId, HeldRoom>,
    waiting: VecDeque<WaitingRoom>,
    last: RoomId,
}

impl Ledger {
    /// Puts a body of at most so many bytes at the end of the queue.
    pub fn ask(&mut self, owner: BodyOwner, bytes: usize) -> RoomId {
        self.last += 1;
        let bytes = bytes.min(owner.share());
        self.waiting.push_back(WaitingRoom { id: self.last, owner, bytes });
        self.last
    }

    /// Gives room to those who wait, as far as there is some, and tells slow
    /// bodies to give way to the rest. Returns whether anybody has to hear of it.
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

    /// True if room was given.
    pub fn is_held(&self, id: RoomId) -> bool {
        self.held.contains_key(&id)
    }

    /// True if a body has to be given up for one that waits.
    pub fn gives_way(&self, id: RoomId) -> bool {
        self.held.get(&id).is_some_and(|room| room.gives_way)
    }

    /// Begins to wait for more of a body. Time in which nobody waits for it is
    /// not its own.
    pub fn wait_for_more(&mut self, id: RoomId, now: Timestamp) {
        if let Some(pace) = self.held.get_mut(&id).and_then(|room| room.pace.as_mut()) {
            pace.counted_to = now;
        }
    }

    /// Counts bytes of a body that has room.
    ///
    /// # Errors
    /// When it comes slower than a body may.
    pub fn receive(&mut self, id: RoomId, bytes: usize, now: Timestamp) -> Result<(), TooSlow> {
        let Some(pace) = self.held.get_mut(&id).and_then(|room| room.pace.as_mut()) else { return Ok(()) };
        pace.advance(now);
        pace.received = pace.received.saturating_add(bytes);
        if pace.is_slow(MIN_RATE, MIN_RATE_AFTER) { Err(TooSlow) } else { Ok(()) }
    }

    /// The whole body has come; it keeps its room, and is never slow any more.
    pub fn complete(&mut self, id: RoomId) {
        if let Some(room) = self.held.get_mut(&id) {
            (room.pace, room.gives_way) = (None, false);
        }
    }

    /// Gives room back, or stops waiting for it.
    pub fn release(&mut self, id: RoomId) {
        self.held.remove(&id);
        self.waiting.retain(|waiting| waiting.id != id);
    }

    /// Bytes of the rooms that count towards a maximum.
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

    /// Tells slow bodies to give way, the slowest first, if that helps the one
    /// that waits. Returns whether one was told.
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
