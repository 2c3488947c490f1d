//! When the inbox wants to be woken without any event: countdowns, ages on
//! screen, drafts to be saved.

use crate::context::Context;
use crate::desk::Desk;
use model::news::Health;
use model::time::{MINUTE, SECOND, Timestamp};

impl Desk {
    /// The next whole second of an age or a countdown of the connection that
    /// is shown in seconds.
    pub(crate) fn connection_due(&self, context: &Context) -> Option<Timestamp> {
        let next_second = |span: i64| context.now.plus(SECOND - span.rem_euclid(SECOND));
        match self.tab().health {
            Health::Live { at } if context.now.since(at) < MINUTE => Some(next_second(context.now.since(at))),
            Health::Silent { since } if context.now.since(since) < MINUTE => {
                Some(next_second(context.now.since(since)))
            }
            Health::Limited { until } if context.now.since(until) < 0 => {
                Some(next_second(context.now.since(until)))
            }
            _ => None,
        }
    }
}
