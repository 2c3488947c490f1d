//! Seeds and sizes of random tests. A development dependency only.
//!
//! `cargo test` runs the same cases on every machine. Two environment variables turn a random test into a
//! campaign:
//!
//! - `FRONTDESK_LIVES=10000` runs 10,000 new cases. Their seed comes from the
//!   system, unless `FRONTDESK_SEED` is set too.
//! - `FRONTDESK_SEED=7` runs the cases of seed 7.
//!
//! Tests of hostile bytes draw each case from a separate seed ([`case_seeds`]). With
//! `FRONTDESK_FUZZ_MINUTES=60` they run for a time, and a failed case can be repeated alone.
//!
//! A campaign prints the command that repeats it; a failed test shows it. Nothing is written to files: a case
//! that a campaign finds is added to the test.

use std::time::{Duration, Instant};

use proptest::test_runner::{Config, RngSeed};

/// Seed of every random test in a plain `cargo test`.
const FIXED_SEED: u64 = 20_261_126;

/// Number of cases of a random test, and the seed that decides all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomCases {
    pub cases: u32,
    pub seed: u64,
    /// True if the cases differ from those of a plain `cargo test`.
    pub is_campaign: bool,
}

impl RandomCases {
    /// Reads the environment; `cases` is the number of cases in a plain run.
    ///
    /// # Panics
    /// If a variable is not a number: a campaign that silently runs the plain cases proves nothing.
    pub fn new(cases: u32) -> Self {
        let variable = |name: &str| std::env::var(name).ok();
        Self::of(cases, variable("FRONTDESK_LIVES"), variable("FRONTDESK_SEED"), rand::random)
    }

    fn of(cases: u32, lives: Option<String>, seed: Option<String>, fresh: impl FnOnce() -> u64) -> Self {
        let is_campaign = lives.is_some() || seed.is_some();
        let lives = lives.map(|text| number("FRONTDESK_LIVES", &text));
        let seed = seed.map(|text| number("FRONTDESK_SEED", &text));
        let seed = match (seed, lives) {
            (Some(seed), _) => seed,
            (None, Some(_)) => fresh(),
            (None, None) => FIXED_SEED,
        };
        Self { cases: lives.unwrap_or(cases), seed, is_campaign }
    }

    /// Command that runs the same cases of `test` again.
    pub fn command(&self, test: &str) -> String {
        format!("FRONTDESK_LIVES={} FRONTDESK_SEED={} cargo test {test}", self.cases, self.seed)
    }
}

/// Seeds of cases that do not depend on each other.
#[derive(Debug, Clone)]
pub struct CaseSeeds {
    next: u64,
    left: u32,
    ends_at: Option<Instant>,
}

/// Returns the seeds of a test with `cases` cases in a plain run, or new seeds until the minutes of
/// `FRONTDESK_FUZZ_MINUTES` are over.
///
/// # Panics
/// If a variable is not a number.
pub fn case_seeds(cases: u32) -> CaseSeeds {
    let variable = |name: &str| std::env::var(name).ok();
    let minutes = variable("FRONTDESK_FUZZ_MINUTES").map(|text| number("FRONTDESK_FUZZ_MINUTES", &text));
    let lives = variable("FRONTDESK_LIVES").or_else(|| minutes.map(|_: u32| u32::MAX.to_string()));
    let sample = RandomCases::of(cases, lives, variable("FRONTDESK_SEED"), rand::random);
    let ends_at = minutes.map(|minutes| now() + Duration::from_secs(60) * minutes);
    CaseSeeds { next: sample.seed, left: sample.cases, ends_at }
}

/// Command that runs the case of one seed of `test` again.
pub fn case_command(seed: u64, test: &str) -> String {
    format!("FRONTDESK_SEED={seed} FRONTDESK_LIVES=1 cargo test {test}")
}

impl CaseSeeds {
    /// True if the cases run for a time. Nothing else runs beside them, so that their duration can be
    /// measured.
    pub fn is_timed(&self) -> bool {
        self.ends_at.is_some()
    }
}

impl Iterator for CaseSeeds {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        let seed = self.next;
        self.next = seed.wrapping_add(1);
        self.ends_at.is_none_or(|ends_at| now() < ends_at).then_some(seed)
    }
}

#[expect(clippy::disallowed_methods, reason = "a campaign goes on for a time")]
fn now() -> Instant {
    Instant::now()
}

/// Returns the configuration of a property test with `cases` cases in a plain run. Ignores the library's own
/// environment variables.
#[expect(clippy::print_stdout, reason = "a failed test shows what it printed")]
pub fn config(cases: u32) -> Config {
    let sample = RandomCases::new(cases);
    if sample.is_campaign {
        // The test's thread carries its name.
        let thread = std::thread::current();
        println!("to repeat: {}", sample.command(thread.name().unwrap_or_default()));
    }
    Config {
        cases: sample.cases,
        rng_seed: RngSeed::Fixed(sample.seed),
        failure_persistence: None,
        ..Config::default()
    }
}

fn number<N: std::str::FromStr>(name: &str, text: &str) -> N {
    text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    fn sample(lives: Option<&str>, seed: Option<&str>) -> RandomCases {
        RandomCases::of(256, lives.map(str::to_owned), seed.map(str::to_owned), || 99)
    }

    #[test]
    fn plain_tests_run_the_fixed_seed_and_campaigns_a_fresh_one() {
        let plain = RandomCases { cases: 256, seed: FIXED_SEED, is_campaign: false };
        assert_eq!(sample(None, None), plain);
        let fresh = sample(Some("10000"), None);
        assert_eq!(fresh, RandomCases { cases: 10_000, seed: 99, is_campaign: true });
        assert_eq!(fresh.command("outbox"), "FRONTDESK_LIVES=10000 FRONTDESK_SEED=99 cargo test outbox");
        assert_eq!(sample(Some("10000"), Some("7")), RandomCases { seed: 7, ..fresh });
        assert_eq!(sample(None, Some("7")), RandomCases { cases: 256, seed: 7, is_campaign: true });
    }

    #[test]
    fn cases_have_seeds_of_their_own_and_end() {
        let seeds = CaseSeeds { next: u64::MAX, left: 3, ends_at: None };
        assert_eq!(seeds.collect::<Vec<_>>(), [u64::MAX, 0, 1]);
        let over = CaseSeeds { next: 5, left: 3, ends_at: Some(now()) };
        assert!(over.is_timed());
        assert_eq!(over.count(), 0);
    }

    #[test]
    #[should_panic(expected = "FRONTDESK_LIVES is not a number")]
    fn misspelt_size_is_an_error() {
        sample(Some("10k"), None);
    }

    #[test]
    fn one_seed_makes_the_same_cases_every_time() {
        let drawn = |seed| {
            let config = Config { rng_seed: RngSeed::Fixed(seed), ..Config::default() };
            let mut runner = TestRunner::new(config);
            let values = prop::collection::vec(any::<u64>(), 20);
            values.new_tree(&mut runner).expect("a tree").current()
        };
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
    }
}
