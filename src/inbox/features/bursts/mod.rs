//! Many customers at once: a few are told one by one, the rest together.

pub(crate) mod update;

use std::collections::{BTreeSet, VecDeque};

use model::ids::{ChannelId, ConversationId};
use model::time::{Moment, SECOND};

/// Told one by one within a span.
const SINGLY: usize = 3;
/// The span.
const SPAN: i64 = 10 * SECOND;

/// What was told, and what is still to be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Burst {
    told: VecDeque<Moment>,
    gathered: BTreeSet<(ChannelId, ConversationId)>,
}

impl Burst {
    /// Whether this one is told by itself; else it is told with the others.
    pub(crate) fn hear(&mut self, channel: &ChannelId, conversation: &ConversationId, now: Moment) -> bool {
        self.told.retain(|moment| now.since(*moment) < SPAN);
        if self.told.len() < SINGLY && self.gathered.is_empty() {
            self.told.push_back(now);
            return true;
        }
        self.gathered.insert((channel.clone(), conversation.clone()));
        false
    }

    /// When those that were gathered are told.
    pub(crate) fn due(&self) -> Option<Moment> {
        if self.gathered.is_empty() { None } else { self.told.front().map(|moment| moment.plus(SPAN)) }
    }

    /// Those that were gathered, once they are due.
    fn take(&mut self, now: Moment) -> BTreeSet<(ChannelId, ConversationId)> {
        if self.due().is_none_or(|due| now < due) {
            return BTreeSet::new();
        }
        self.told.clear();
        self.told.push_back(now);
        std::mem::take(&mut self.gathered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_told_one_by_one_and_the_rest_together() {
        let at = |seconds: i64| Moment::from_micros(seconds * SECOND);
        let channel = ChannelId::from("a");
        let mut burst = Burst::default();
        let singly = |burst: &mut Burst, name: &str, seconds| burst.hear(&channel, &name.into(), at(seconds));
        // (who, when, told alone)
        for (name, seconds, alone) in [
            ("a", 0, true),
            ("b", 1, true),
            ("c", 1, true),
            ("d", 2, false),
            ("d", 3, false),
            ("e", 9, false),
        ] {
            assert_eq!(singly(&mut burst, name, seconds), alone, "{name} {seconds}");
        }
        assert_eq!((burst.due(), burst.take(at(9)).len()), (Some(at(10)), 0));
        assert_eq!((burst.take(at(10)).len(), burst.due()), (2, None));
        // The summary counts as one; a quiet while begins anew.
        for (name, seconds, alone) in [("f", 11, true), ("g", 11, true), ("h", 11, false)] {
            assert_eq!(singly(&mut burst, name, seconds), alone, "{name} {seconds}");
        }
        assert_eq!(burst.take(at(20)).len(), 1);
        assert!(singly(&mut burst, "i", 60));
    }
}
