//! Who puts calls through. One trait; the built-in one is simulated.
//!
//! What becomes of a call follows from the number's last four digits, as it
//! does for messages.

use sha2::{Digest, Sha256};

use crate::errors::ApiError;
use crate::platforms::simulated::number_ending;
use crate::write::WriteContext;
use model::time::SECOND;

/// A call to be put through.
#[derive(Debug, Clone, Copy)]
pub struct OutgoingCall<'a> {
    pub id: &'a str,
    /// E.164.
    pub to: &'a str,
}

/// The course a call will take; spans in microseconds, from when it is placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallCourse(Vec<(i64, &'static str)>);

impl CallCourse {
    /// When it comes into which status, in order.
    pub fn steps(&self) -> impl Iterator<Item = (i64, &'static str)> {
        self.0.iter().copied()
    }
}

/// Who puts calls through.
pub trait VoicePlatform: Send + Sync {
    /// Takes a call.
    fn dial(&self, work: &WriteContext<'_>, dial: &OutgoingCall<'_>) -> Result<CallCourse, ApiError>;
}

/// An operator that exists only here.
pub struct SimulatedVoice {
    seed: u64,
}

impl SimulatedVoice {
    /// With a seed for how long people talk.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }
}

impl VoicePlatform for SimulatedVoice {
    fn dial(&self, _: &WriteContext<'_>, dial: &OutgoingCall<'_>) -> Result<CallCourse, ApiError> {
        Ok(decide_course(self.seed, dial))
    }
}

/// …0005 rings until nobody answers, …0006 cannot be put through, …0009 is
/// cut off, …0010 talks for two and a half minutes; everybody else for less
/// than one.
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
