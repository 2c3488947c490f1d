//! Rate limits across processes: the logs of a key are in the database and are changed under the lock of
//! their row.

use std::net::IpAddr;

use crate::database::{DatabaseError, DecisionClock, NewValue};
use crate::limits::{Category, KeyLogs, MAX_FAILURES_PER_MINUTE, QuotaExceeded, QuotaStatus, SlidingLog};
use crate::state::ServiceState;
use model::time::{Clock, MINUTE, SECOND, Timestamp};

pub type Admission = Result<QuotaStatus, QuotaExceeded>;

impl ServiceState {
    /// Returns the clock by which processes decide together, since the clocks of their hosts differ. A manual
    /// clock is the same for all.
    pub fn decision_clock(&self) -> DecisionClock {
        if self.options.by_hand {
            return DecisionClock::Given(self.clock.now().micros());
        }
        DecisionClock::Server { shift: self.clock.shift() }
    }

    /// Converts `reset` from elapsed time, in which windows are counted, to the wall clock.
    fn to_wall_time(&self, standing: QuotaStatus) -> QuotaStatus {
        let ahead = self.clock.now().since(self.clock.elapsed()) / SECOND;
        QuotaStatus { reset: standing.reset.saturating_add(ahead), ..standing }
    }

    /// Counts a call of a key, or refuses it, across processes.
    pub async fn admit(&self, key: &str, category: Category) -> Result<Admission, DatabaseError> {
        let Some(shared) = self.database.shared_state().filter(|_| !self.options.unlimited) else {
            let told = self.limits.admit(key, category, self.clock.elapsed());
            return Ok(told
                .map(|standing| self.to_wall_time(standing))
                .map_err(|error| QuotaExceeded { quota: self.to_wall_time(error.quota), ..error }));
        };
        let decide = move |bytes: &[u8], now| {
            let now = Timestamp::from_micros(now);
            let mut logs = KeyLogs::from_bytes(bytes);
            let told = logs.admit(category, now);
            NewValue { value: told.is_ok().then(|| (logs.to_bytes(), expiry_micros(now))), answer: told }
        };
        shared.change(format!("calls {key}"), self.decision_clock(), decide).await
    }

    /// Returns the state of a key's category without counting.
    pub async fn quota(&self, key: &str, category: Category) -> Result<QuotaStatus, DatabaseError> {
        let Some(shared) = self.database.shared_state().filter(|_| !self.options.unlimited) else {
            return Ok(self.to_wall_time(self.limits.quota(key, category, self.clock.elapsed())));
        };
        let decide = move |bytes: &[u8], now| NewValue {
            value: None,
            answer: KeyLogs::from_bytes(bytes).log(category).quota(Timestamp::from_micros(now)),
        };
        shared.change(format!("calls {key}"), self.decision_clock(), decide).await
    }

    /// Counts a failed authentication of a peer, or refuses further ones, across processes.
    pub async fn admit_failure(&self, peer: IpAddr, counted: bool) -> Result<Admission, DatabaseError> {
        let now = self.clock.now();
        let shared = self.database.shared_state().filter(|_| counted && !self.options.unlimited);
        let Some(shared) = shared else { return Ok(self.limits.admit_failure(peer, counted, now)) };
        let decide = move |bytes: &[u8], now| {
            let now = Timestamp::from_micros(now);
            let mut log = SlidingLog::new(MAX_FAILURES_PER_MINUTE, MINUTE);
            log.calls = read_times(bytes).collect();
            if let Some(refused) = log.refused(now) {
                return NewValue { value: None, answer: Err(refused) };
            }
            log.record(now);
            let mut bytes = Vec::new();
            log.write(&mut bytes);
            NewValue { value: Some((bytes, expiry_micros(now))), answer: Ok(log.quota(now)) }
        };
        shared.change(format!("failures {peer}"), self.decision_clock(), decide).await
    }
}

fn expiry_micros(now: Timestamp) -> i64 {
    now.micros().saturating_add(MINUTE)
}

impl SlidingLog {
    fn write(&self, out: &mut Vec<u8>) {
        self.calls.iter().for_each(|call| out.extend_from_slice(&call.to_le_bytes()));
    }
}

fn read_times(bytes: &[u8]) -> impl Iterator<Item = i64> {
    bytes.chunks_exact(8).filter_map(|chunk| chunk.try_into().ok().map(i64::from_le_bytes))
}

impl KeyLogs {
    const BURST: u8 = 0;

    /// Encodes each log as its number, the count of calls and their times.
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut write = |word: u8, log: &SlidingLog| {
            out.push(word);
            out.extend_from_slice(&u16::try_from(log.calls.len()).unwrap_or(u16::MAX).to_le_bytes());
            log.write(&mut out);
        };
        write(Self::BURST, &self.burst);
        self.categories.iter().for_each(|(category, log)| write(category.as_byte(), log));
        out
    }

    /// Decodes what [`to_bytes`](Self::to_bytes) returned; skips categories of a newer version.
    fn from_bytes(mut bytes: &[u8]) -> Self {
        let mut logs = Self::default();
        while let Some((&[number, low, high], rest)) = bytes.split_first_chunk() {
            let length = 8 * usize::from(u16::from_le_bytes([low, high]));
            let Some((own, rest)) = rest.split_at_checked(length) else { break };
            if number == Self::BURST {
                logs.burst.calls = read_times(own).collect();
            } else if let Some(category) =
                Category::ALL.into_iter().find(|category| category.as_byte() == number)
            {
                logs.log(category).calls = read_times(own).collect();
            }
            bytes = rest;
        }
        logs
    }
}

impl Category {
    const ALL: [Self; 6] =
        [Self::Send, Self::Broadcast, Self::ContactsWrite, Self::Read, Self::Webhooks, Self::Team];

    const fn as_byte(self) -> u8 {
        match self {
            Self::Send => 1,
            Self::Broadcast => 2,
            Self::ContactsWrite => 3,
            Self::Read => 4,
            Self::Webhooks => 5,
            Self::Team => 6,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limits::Limits;

    proptest! {
        #![proptest_config(randomized::config(256))]

        /// Limits stored as bytes between two calls equal those in memory.
        #[test]
        fn what_is_written_is_read(calls in prop::collection::vec((0_i64..9_000_000, 0_usize..6), 1..200)) {
            let limits = Limits::new(false);
            let (mut bytes, mut now) = (Vec::new(), Timestamp::from_micros(1_700_000_000_000_000));
            for (gap, which) in calls {
                now = now.plus(gap);
                let mut logs = KeyLogs::from_bytes(&bytes);
                let told = logs.admit(Category::ALL[which], now);
                prop_assert_eq!(told, limits.admit("k", Category::ALL[which], now));
                bytes = logs.to_bytes();
            }
        }
    }
}
