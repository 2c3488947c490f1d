//! Sliding rate limit: never more than `per_minute` calls in any 60 seconds, wherever they start.

use std::collections::VecDeque;

use crate::time::{MINUTE, Moment};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallRateLimit {
    calls: VecDeque<Moment>,
}

impl CallRateLimit {
    /// Counts a call if it is allowed, else returns the microseconds until the next one. Earlier
    /// times than the last call count as equal to it.
    pub fn admit(&mut self, per_minute: u32, now: Moment) -> Result<(), i64> {
        let now = self.calls.back().map_or(now, |last| now.max(*last));
        while self.calls.front().is_some_and(|first| now.since(*first) >= MINUTE) {
            self.calls.pop_front();
        }
        let most = usize::try_from(per_minute).unwrap_or(usize::MAX);
        if self.calls.len() < most {
            self.calls.push_back(now);
            return Ok(());
        }
        // If the limit was lowered, several calls must expire first.
        let ahead = self.calls.len() - most;
        let first = self.calls.get(ahead).or(self.calls.back()).copied().unwrap_or(now);
        Err((MINUTE - now.since(first)).max(1))
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::time::SECOND;

    fn at(micros: i64) -> Moment {
        Moment::from_micros(1_700_000_000_000_000 + micros)
    }

    #[test]
    fn a_minute_takes_so_many_and_says_when_the_next_may_leave() {
        let mut window = CallRateLimit::default();
        assert_eq!(window.admit(2, at(0)), Ok(()));
        assert_eq!(window.admit(2, at(10 * SECOND)), Ok(()));
        assert_eq!(window.admit(2, at(20 * SECOND)), Err(40 * SECOND));
        assert_eq!(window.admit(2, at(MINUTE - 1)), Err(1));
        assert_eq!(window.admit(2, at(MINUTE)), Ok(()));
        assert_eq!(window.admit(2, at(MINUTE)), Err(10 * SECOND));
        // A clock set back by an hour admits no call early and blocks for at most a minute.
        assert_eq!(window.admit(2, at(-60 * MINUTE)), Err(10 * SECOND));
        assert_eq!(window.admit(0, at(5 * MINUTE)), Err(MINUTE));
    }

    /// Compares 100,000 schedules with the definition: never more than the limit in 60 seconds, and
    /// never fewer than possible.
    #[test]
    fn it_is_exact_in_any_schedule() {
        let mut random = StdRng::seed_from_u64(7);
        for schedule in 0..100_000 {
            let limit: u32 = random.random_range(1..8);
            let mut window = CallRateLimit::default();
            let mut let_through: Vec<i64> = Vec::new();
            let mut now = 0;
            for _ in 0..24 {
                now += match random.random_range(0..4) {
                    0 => 0,
                    1 => random.random_range(0..3 * SECOND),
                    2 => random.random_range(0..70 * SECOND),
                    // Exactly when the oldest call expires, and just before.
                    _ => {
                        let oldest = let_through.iter().rev().nth(limit as usize - 1);
                        oldest.map_or(0, |oldest| (oldest + MINUTE - now - random.random_range(0..2)).max(0))
                    }
                };
                let recent = let_through.iter().filter(|number| now - **number < MINUTE).count();
                let told = window.admit(limit, at(now));
                assert_eq!(told.is_ok(), recent < limit as usize, "schedule {schedule} at {now}");
                match told {
                    Ok(()) => let_through.push(now),
                    Err(wait) => {
                        let mut later = window.clone();
                        assert!(later.admit(limit, at(now + wait - 1)).is_err(), "schedule {schedule}");
                        assert!(later.admit(limit, at(now + wait)).is_ok(), "schedule {schedule}");
                    }
                }
            }
        }
    }
}
