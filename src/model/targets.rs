//! How soon customers shall be answered, and when it is time to say so.

use crate::ids::ChannelId;
use crate::time::MINUTE;

/// How long before a target is missed it is said, at most.
const MAX_WARNING: i64 = 15 * MINUTE;

/// The targets of a channel, in microseconds; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ResponseTargets {
    /// Until the first answer to what a customer wants.
    pub first_response: i64,
    /// Until each later answer.
    pub waiting: i64,
}

impl ResponseTargets {
    /// Whether there are any.
    pub fn is_set(self) -> bool {
        self.first_response > 0 || self.waiting > 0
    }

    /// How long a customer may wait, who was answered before or was not.
    pub fn span(self, answered_before: bool) -> Option<i64> {
        let span = if answered_before { self.waiting } else { self.first_response };
        (span > 0).then_some(span)
    }
}

/// How long before its end a target rings: the last fifth of it.
pub fn warning_span(span: i64) -> i64 {
    (span / 5).min(MAX_WARNING)
}

/// The targets of a channel among those of all.
pub fn targets_of(targets: &[(ChannelId, ResponseTargets)], channel: &ChannelId) -> ResponseTargets {
    targets.iter().find(|target| target.0 == *channel).map(|target| target.1).unwrap_or_default()
}

/// How a customer's waiting stands to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetState {
    /// So much is left.
    OnTime(i64),
    /// So little is left that it is said.
    Near(i64),
    /// It was missed so long ago.
    Missed(i64),
}

impl TargetState {
    /// How it stands after so long a wait.
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
