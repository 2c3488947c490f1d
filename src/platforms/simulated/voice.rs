//! Simulated voice platform for outbound calls.
//!
//! The outcome of a call follows from the last four digits of the number, as for messages.

use sha2::{Digest, Sha256};

use crate::simulated::number_ending;
use model::time::SECOND;

#[derive(Debug, Clone, Copy)]
pub struct OutgoingCall<'a> {
    pub id: &'a str,
    /// E.164.
    pub to: &'a str,
}

/// Statuses of a call with their times, in microseconds from its start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallCourse(Vec<(i64, &'static str)>);

impl CallCourse {
    /// Times and statuses, in order.
    pub fn steps(&self) -> impl Iterator<Item = (i64, &'static str)> {
        self.0.iter().copied()
    }
}

pub struct SimulatedVoice {
    seed: u64,
}

impl SimulatedVoice {
    /// `seed` decides the length of conversations.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    pub fn dial(&self, dial: &OutgoingCall<'_>) -> CallCourse {
        decide_course(self.seed, dial)
    }
}

/// …0005 rings without an answer, …0006 cannot be connected, …0009 is cut off, …0010 talks for two
/// and a half minutes; all others talk for less than one.
fn decide_course(seed: u64, dial: &OutgoingCall<'_>) -> CallCourse {
    const RINGING_AFTER: i64 = SECOND;
    const ANSWERED_AFTER: i64 = 5 * SECOND;
    let talk = |span: i64, end| {
        vec![(RINGING_AFTER, "ringing"), (ANSWERED_AFTER, "in_progress"), (ANSWERED_AFTER + span, end)]
    };
    CallCourse(match number_ending(dial.to) {
        "0005" => vec![(RINGING_AFTER, "ringing"), (RINGING_AFTER + 30 * SECOND, "failed")],
        "0006" => vec![(RINGING_AFTER, "failed")],
        "0009" => talk(10 * SECOND, "failed"),
        "0010" => talk(150 * SECOND, "completed"),
        _ => {
            let digest = Sha256::new().chain_update(seed.to_be_bytes()).chain_update(dial.id).finalize();
            talk((20 + i64::from(digest[0]) * 30 / 256) * SECOND, "completed")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_decide() {
        let cases = [
            ("+34600110001", "ringing in_progress completed"),
            ("+34600110005", "ringing failed"),
            ("+34600110006", "failed"),
            ("+34600110009", "ringing in_progress failed"),
            ("+34600110010", "ringing in_progress completed"),
        ];
        for (to, expected) in cases {
            let course = decide_course(1, &OutgoingCall { id: "call_1", to });
            let words: Vec<_> = course.steps().map(|(_, status)| status).collect();
            assert_eq!(words.join(" "), expected, "{to}");
            assert!(course.steps().map(|(after, _)| after).is_sorted());
        }
    }
}
