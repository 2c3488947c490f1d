//! Wave sizes and stop rules of a campaign.

use crate::bounds;
use crate::time::{SECOND, format_precise_span};

/// Minimum microseconds between waves; the server accepts ten broadcasts a minute.
const MIN_WAVE_INTERVAL: i64 = 6 * SECOND;
const MAX_WAIT_SECONDS: i64 = 24 * 60 * 60;

/// Conditions that stop a campaign between waves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopRules {
    pub failed_percent: u8,
    /// Minimum balance to keep.
    pub floor: Option<i64>,
    /// Stop if the platform's quality rating changes.
    pub quality: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WavePlan {
    /// Size of the first wave; 0 for none.
    pub canary: usize,
    /// Maximum size of the other waves.
    pub wave: usize,
    /// Microseconds between the end of a wave and the next one.
    pub wait: i64,
    pub rules: StopRules,
}

impl WavePlan {
    /// Suggests a plan for a number of recipients: up to 20 in one wave; up to 100 with a first
    /// wave of five; else ten, then about a ninth of the rest per wave.
    pub fn suggest(count: usize) -> Self {
        let rules = StopRules { failed_percent: 5, floor: None, quality: true };
        let (canary, wave) = match count {
            0..=20 => (0, bounds::MAX_BROADCAST_CONTACTS),
            21..=100 => (5, bounds::MAX_BROADCAST_CONTACTS),
            _ => (10, (count - 10).div_ceil(9).min(bounds::MAX_BROADCAST_CONTACTS)),
        };
        Self { canary, wave, wait: 60 * SECOND, rules }
    }

    pub fn rejection_reason(&self) -> Option<String> {
        let most = bounds::MAX_BROADCAST_CONTACTS;
        if self.wave == 0 || self.wave > most || self.canary > most {
            return Some(format!("a wave must have 1 to {most} people"));
        }
        if !(0..=MAX_WAIT_SECONDS * SECOND).contains(&self.wait) {
            return Some("the wait must be at most a day".to_owned());
        }
        (self.rules.failed_percent > 100).then(|| "failures must be 0 to 100 percent".to_owned())
    }

    pub fn wave_sizes(&self, count: usize) -> Vec<usize> {
        let wave = self.wave.clamp(1, bounds::MAX_BROADCAST_CONTACTS);
        let mut left = count;
        let mut sizes = Vec::new();
        if (1..count).contains(&self.canary) {
            sizes.push(self.canary.min(bounds::MAX_BROADCAST_CONTACTS));
            left -= sizes[0];
        }
        while left > 0 {
            sizes.push(left.min(wave));
            left = left.saturating_sub(wave);
        }
        sizes
    }

    /// Effective microseconds between waves.
    pub fn pause(&self) -> i64 {
        self.wait.max(MIN_WAVE_INTERVAL)
    }

    pub fn describe(&self, count: usize) -> String {
        let sizes = self.wave_sizes(count);
        let wait = format_precise_span(self.wait);
        let parts = match sizes.as_slice() {
            [] | [_] => "all in one wave".to_owned(),
            [first, rest @ ..] if (1..count).contains(&self.canary) => {
                format!("first {first}, then {} after {wait}", format_sizes(rest))
            }
            all => format!("{}, {wait} apart", format_sizes(all)),
        };
        let rules = if sizes.len() > 1 { format!(" · {}", self.rules.describe()) } else { String::new() };
        format!("{parts}{rules}")
    }
}

fn format_sizes(sizes: &[usize]) -> String {
    match sizes {
        [one] => format!("1 wave of {one}"),
        [first, .., last] if first == last => format!("{} waves of {first}", sizes.len()),
        [first, .., last] => format!("{} waves of {first}, the last of {last}", sizes.len()),
        [] => String::new(),
    }
}

impl StopRules {
    pub fn describe(&self) -> String {
        let mut words = format!("pauses above {} % failed", self.failed_percent);
        if let Some(floor) = self.floor {
            words.push_str(&format!(", below {floor} credits"));
        }
        if self.quality {
            words.push_str(", or if the quality changes");
        }
        words
    }
}
