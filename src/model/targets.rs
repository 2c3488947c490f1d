//! Response targets and warnings before they are missed.

use crate::ids::ChannelId;
use crate::time::MINUTE;

/// Maximum time between a warning and its target, in microseconds.
const MAX_WARNING: i64 = 15 * MINUTE;

/// Targets of a channel in microseconds; 0 means none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ResponseTargets {
    /// Until the first answer of a case.
    pub first_response: i64,
    /// Until each later answer.
    pub waiting: i64,
}

impl ResponseTargets {
    pub fn is_set(self) -> bool {
        self.first_response > 0 || self.waiting > 0
    }

    /// Returns the allowed wait, depending on an earlier answer in this case.
    pub fn span(self, answered_before: bool) -> Option<i64> {
        let span = if answered_before { self.waiting } else { self.first_response };
        (span > 0).then_some(span)
    }
}

/// Length of the warning period: the last fifth of the target.
pub fn warning_span(span: i64) -> i64 {
    (span / 5).min(MAX_WARNING)
}

pub fn targets_of(targets: &[(ChannelId, ResponseTargets)], channel: &ChannelId) -> ResponseTargets {
    targets.iter().find(|target| target.0 == *channel).map(|target| target.1).unwrap_or_default()
}

/// State of a wait relative to its target, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetState {
    OnTime(i64),
    /// Time left, within the warning period.
    Near(i64),
    Missed(i64),
}

impl TargetState {
    pub fn from_wait(waited: i64, span: i64) -> Self {
        match span - waited {
            left if left <= 0 => Self::Missed(-left),
            left if left <= warning_span(span) => Self::Near(left),
            left => Self::OnTime(left),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_near_in_its_last_fifth() {
        let table = [
            (0, 10, TargetState::OnTime(10 * MINUTE)),
            (7, 10, TargetState::OnTime(3 * MINUTE)),
            (8, 10, TargetState::Near(2 * MINUTE)),
            (10, 10, TargetState::Missed(0)),
            (12, 10, TargetState::Missed(2 * MINUTE)),
            (220, 240, TargetState::OnTime(20 * MINUTE)),
            (225, 240, TargetState::Near(15 * MINUTE)),
        ];
        for (waited, span, state) in table {
            assert_eq!(TargetState::from_wait(waited * MINUTE, span * MINUTE), state, "{waited} of {span}");
        }
    }

    #[test]
    fn the_first_answer_and_later_ones_have_their_own() {
        let targets = ResponseTargets { first_response: 5, waiting: 0 };
        assert_eq!((targets.span(false), targets.span(true)), (Some(5), None));
        assert!(targets.is_set() && !ResponseTargets::default().is_set());
    }
}
