//! Accounting of body memory: reservations, the queue, and which body yields. Pure decisions; the time is a
//! parameter.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use crate::bodies::{
    CONTENDED_GRACE_SECONDS, MAX_ADDRESS_BYTES, MAX_ALL_ADDRESSES_BYTES, MAX_KEY_BYTES, MAX_MEDIUM_BYTES,
    MAX_TOTAL_BYTES, MIN_CONTENDED_RATE, MIN_RATE, MIN_RATE_GRACE_SECONDS,
};
use crate::client_info::network_of;
use model::time::{SECOND, Timestamp};

/// Maximum time between two chunks that counts for a body's rate, in microseconds: a clock that is set
/// forward makes no body slow.
const MAX_COUNTED_GAP: i64 = 15 * SECOND;

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
            Self::Key(_) => MAX_KEY_BYTES,
            Self::Address(_) => MAX_ADDRESS_BYTES,
        }
    }
}

/// Reservation, held or queued.
pub type ReservationId = u64;

/// The body arrived more slowly than [`MIN_RATE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooSlow;

#[derive(Debug, Clone, Copy)]
struct BodyRate {
    received: usize,
    /// Time spent waiting for the body, in microseconds.
    elapsed: i64,
    counted_to: Timestamp,
}

impl BodyRate {
    fn advance(&mut self, now: Timestamp) {
        let step = now.micros().saturating_sub(self.counted_to.micros());
        self.elapsed += step.clamp(0, MAX_COUNTED_GAP);
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
struct GrantedReservation {
    owner: BodyOwner,
    bytes: usize,
    /// `None` once the body is received in full: from then on the time is the service's.
    rate: Option<BodyRate>,
    is_revoked: bool,
}

#[derive(Debug)]
struct PendingReservation {
    id: ReservationId,
    owner: BodyOwner,
    bytes: usize,
}

/// Maximum that prevents a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BudgetLimit {
    Share,
    Addresses,
    Total,
}

#[derive(Debug, Default)]
pub struct Ledger {
    held: BTreeMap<ReservationId, GrantedReservation>,
    waiting: VecDeque<PendingReservation>,
    last: ReservationId,
}

impl Ledger {
    /// Queues a reservation of at most `bytes`, bounded by the owner's share.
    pub fn enqueue(&mut self, owner: BodyOwner, bytes: usize) -> ReservationId {
        self.last += 1;
        let bytes = bytes.min(owner.share());
        self.waiting.push_back(PendingReservation { id: self.last, owner, bytes });
        self.last
    }

    /// Grants queued reservations as far as there is memory, and makes slow bodies yield to the others.
    /// Returns true if any reservation changed.
    pub fn grant_waiting(&mut self, now: Timestamp) -> bool {
        let (mut large_waits, mut is_news) = (false, false);
        for waiting in std::mem::take(&mut self.waiting) {
            let obstacle = self.exceeded_limit(&waiting.owner, waiting.bytes);
            match obstacle {
                None if !large_waits || waiting.bytes <= MAX_MEDIUM_BYTES => {
                    let pace = Some(BodyRate { received: 0, elapsed: 0, counted_to: now });
                    let PendingReservation { id, owner, bytes } = waiting;
                    self.held.insert(id, GrantedReservation { owner, bytes, rate: pace, is_revoked: false });
                    is_news = true;
                    continue;
                }
                None => {}
                Some(obstacle) => {
                    large_waits |= obstacle == BudgetLimit::Total;
                    is_news |= self.revoke_slow(&waiting, obstacle, now);
                }
            }
            self.waiting.push_back(waiting);
        }
        is_news
    }

    pub fn is_granted(&self, id: ReservationId) -> bool {
        self.held.contains_key(&id)
    }

    /// Returns true if this body has to yield its memory.
    pub fn is_revoked(&self, id: ReservationId) -> bool {
        self.held.get(&id).is_some_and(|room| room.is_revoked)
    }

    /// Starts the time that counts for the next chunk. Time in which the service does not read is not
    /// counted.
    pub fn wait_for_more(&mut self, id: ReservationId, now: Timestamp) {
        if let Some(pace) = self.held.get_mut(&id).and_then(|room| room.rate.as_mut()) {
            pace.counted_to = now;
        }
    }

    /// Counts received bytes.
    ///
    /// # Errors
    /// If the body arrives below [`MIN_RATE`].
    pub fn receive(&mut self, id: ReservationId, bytes: usize, now: Timestamp) -> Result<(), TooSlow> {
        let Some(pace) = self.held.get_mut(&id).and_then(|room| room.rate.as_mut()) else { return Ok(()) };
        pace.advance(now);
        pace.received = pace.received.saturating_add(bytes);
        if pace.is_slow(MIN_RATE, MIN_RATE_GRACE_SECONDS) { Err(TooSlow) } else { Ok(()) }
    }

    /// Marks a body as received in full; it keeps its memory and counts as fast.
    pub fn complete(&mut self, id: ReservationId) {
        if let Some(room) = self.held.get_mut(&id) {
            (room.rate, room.is_revoked) = (None, false);
        }
    }

    /// Releases a reservation or removes it from the queue.
    pub fn release(&mut self, id: ReservationId) {
        self.held.remove(&id);
        self.waiting.retain(|waiting| waiting.id != id);
    }

    /// Memory that counts towards a maximum, in bytes.
    fn used_bytes(&self, obstacle: BudgetLimit, owner: &BodyOwner) -> usize {
        self.granted_towards(obstacle, owner).map(|room| room.bytes).sum()
    }

    fn granted_towards<'a>(
        &'a self,
        obstacle: BudgetLimit,
        owner: &'a BodyOwner,
    ) -> impl Iterator<Item = &'a GrantedReservation> {
        self.held.values().filter(move |room| room.counts_towards(obstacle, owner))
    }

    fn exceeded_limit(&self, owner: &BodyOwner, bytes: usize) -> Option<BudgetLimit> {
        let all = [BudgetLimit::Share, BudgetLimit::Addresses, BudgetLimit::Total];
        all.into_iter()
            .filter(|obstacle| *obstacle != BudgetLimit::Addresses || owner.is_address())
            .find(|obstacle| self.used_bytes(*obstacle, owner) + bytes > obstacle.max_bytes(owner))
    }

    /// Makes slow bodies yield, slowest first, if that frees enough for `waiting`. Returns true if any has
    /// to.
    fn revoke_slow(&mut self, waiting: &PendingReservation, obstacle: BudgetLimit, now: Timestamp) -> bool {
        let leaving: usize = self
            .granted_towards(obstacle, &waiting.owner)
            .filter(|room| room.is_revoked)
            .map(|room| room.bytes)
            .sum();
        let used = self.used_bytes(obstacle, &waiting.owner).saturating_sub(leaving);
        let mut missing = (used + waiting.bytes).saturating_sub(obstacle.max_bytes(&waiting.owner));
        let mut slow: Vec<(i64, ReservationId, usize)> = Vec::new();
        for (id, room) in &mut self.held {
            let counts = !room.is_revoked && room.counts_towards(obstacle, &waiting.owner);
            let Some(pace) = room.rate.as_mut().filter(|_| counts) else { continue };
            pace.advance(now);
            if pace.is_slow(MIN_CONTENDED_RATE, CONTENDED_GRACE_SECONDS) {
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
                (room.is_revoked, is_told) = (true, true);
            }
        }
        is_told
    }
}

impl GrantedReservation {
    fn counts_towards(&self, obstacle: BudgetLimit, owner: &BodyOwner) -> bool {
        match obstacle {
            BudgetLimit::Share => self.owner == *owner,
            BudgetLimit::Addresses => self.owner.is_address(),
            BudgetLimit::Total => true,
        }
    }
}

impl BudgetLimit {
    const fn max_bytes(self, owner: &BodyOwner) -> usize {
        match self {
            Self::Share => owner.share(),
            Self::Addresses => MAX_ALL_ADDRESSES_BYTES,
            Self::Total => MAX_TOTAL_BYTES,
        }
    }
}

#[cfg(test)]
mod tests;
