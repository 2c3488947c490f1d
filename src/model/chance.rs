//! Source of randomness for keys, ids and jitter. Simulations use a seed; the program uses an
//! unpredictable source.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Random bits. Clones share the source.
#[derive(Clone)]
pub struct Chance(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Chance {
    pub fn new(draw: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(draw))
    }

    /// Deterministic source. Predictable from the seed, so never for keys sent to a real server.
    pub fn seeded(seed: u64) -> Self {
        const COUNTER_STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let state = AtomicU64::new(seed);
        Self::new(move || {
            mix_bits(state.fetch_add(COUNTER_STEP, Ordering::SeqCst).wrapping_add(COUNTER_STEP))
        })
    }

    pub fn draw(&self) -> u64 {
        (self.0)()
    }

    /// Uniform in 0 (inclusive) to 1 (exclusive).
    pub fn fraction(&self) -> f64 {
        let bits = u32::try_from(self.draw() >> 32).unwrap_or(0);
        f64::from(bits) / (f64::from(u32::MAX) + 1.0)
    }

    /// Uniform in 0 (inclusive) to `count` (exclusive); 0 if `count` is 0.
    pub fn below(&self, count: u64) -> u64 {
        let wide = u128::from(self.draw()) * u128::from(count);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    pub fn bytes(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.draw().to_le_bytes());
        bytes[8..].copy_from_slice(&self.draw().to_le_bytes());
        bytes
    }
}

impl fmt::Debug for Chance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Chance")
    }
}

/// Finalizer of splitmix64.
fn mix_bits(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_every_draw() {
        let draws = |seed| {
            let chance = Chance::seeded(seed);
            let shared = chance.clone();
            (chance.draw(), shared.draw(), chance.bytes(), chance.below(10), chance.fraction().to_bits())
        };
        assert_eq!(draws(7), draws(7));
        assert_ne!(draws(7), draws(8));
        let (first, second, ..) = draws(7);
        assert_ne!(first, second, "clones share the source");
    }

    #[test]
    fn draws_stay_in_range_and_reach_all_of_it() {
        let chance = Chance::seeded(1);
        let seen: std::collections::BTreeSet<_> = (0..1000).map(|_| chance.below(10)).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
        assert_eq!(chance.below(0), 0);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&chance.fraction())));
        assert!((0.0..1.0).contains(&Chance::new(|| u64::MAX).fraction()));
    }
}
