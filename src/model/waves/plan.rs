//! In what parts a campaign leaves, and what stops it, in numbers a person
//! chooses.

use crate::bounds;
use crate::time::{SECOND, format_precise_span};

/// Ten broadcasts a minute are taken: waves never follow each other closer.
const MIN_WAVE_INTERVAL: i64 = 6 * SECOND;
/// The longest wait that can be chosen, in seconds.
const MAX_WAIT_SECONDS: i64 = 24 * 60 * 60;

/// What stops a campaign between two waves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopRules {
    /// More failures than this, in percent, of a wave.
    pub failed_percent: u8,
    /// Fewer credits than this would be left.
    pub floor: Option<i64>,
    /// The platform operator's quality rating is another than at the start.
    pub quality: bool,
}

/// In what parts it leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WavePlan {
    /// People of the first wave; 0 for no canary.
    pub canary: usize,
    /// People of the others, at most.
    pub wave: usize,
    /// Microseconds between the end of a wave and the next.
    pub wait: i64,
    pub rules: StopRules,
}

impl WavePlan {
    /// What suggests itself for so many people: ten first, then a tenth at a
    /// time; few go at once.
    pub fn suggest(count: usize) -> Self {
        let rules = StopRules { failed_percent: 5, floor: None, quality: true };
        let (canary, wave) = match count {
            0..=20 => (0, bounds::MAX_BROADCAST_CONTACTS),
            21..=100 => (5, bounds::MAX_BROADCAST_CONTACTS),
            _ => (10, (count - 10).div_ceil(9).min(bounds::MAX_BROADCAST_CONTACTS)),
        };
        Self { canary, wave, wait: 60 * SECOND, rules }
    }

    /// Why it cannot be carried out; `None` if it can.
    pub fn rejection_reason(&self) -> Option<String> {
        let most = bounds::MAX_BROADCAST_CONTACTS;
        if self.wave == 0 || self.wave > most || self.canary > most {
            return Some(format!("a wave has 1 to {most} people"));
        }
        if !(0..=MAX_WAIT_SECONDS * SECOND).contains(&self.wait) {
            return Some("the wait is at most a day".to_owned());
        }
        (self.rules.failed_percent > 100).then(|| "failures are 0 to 100 percent".to_owned())
    }

    /// The sizes of the waves for so many people.
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

    /// How long after the end of a wave the next may leave.
    pub fn pause(&self) -> i64 {
        self.wait.max(MIN_WAVE_INTERVAL)
    }

    /// In words, for so many people.
    pub fn describe(&self, count: usize) -> String {
        let sizes = self.wave_sizes(count);
        let wait = format_precise_span(self.wait);
        let parts = match sizes.as_slice() {
            [] | [_] => "all in one wave".to_owned(),
            [first, rest @ ..] if (1..count).contains(&self.canary) => {
                format!("canary {first} -> wait {wait} -> {}", format_sizes(rest))
            }
            all => format!("{}, {wait} apart", format_sizes(all)),
        };
        let rules = if sizes.len() > 1 { format!(" -> {}", self.rules.describe()) } else { String::new() };
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
        let mut words = format!("stop if failed > {} %", self.failed_percent);
        if let Some(floor) = self.floor {
            words.push_str(&format!(", if fewer than {floor} credits were left"));
        }
        if self.quality {
            words.push_str(", if the quality changes");
        }
        words
    }
}
