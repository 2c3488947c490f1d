//! Wake-ups of the inbox without an event: countdowns, displayed ages, drafts to save.

use crate::changes::Changes;
use crate::context::Context;
use crate::desk::Desk;
use crate::screens::composer::Composer;
use model::news::Health;
use model::time::{MINUTE, Moment, SECOND};

/// Next whole second of an age or countdown of the connection.
pub(crate) fn connection_due(desk: &Desk, context: &Context) -> Option<Moment> {
    let now = context.now;
    let span = match desk.tab().health {
        Health::Live { at } => Some(now.since(at)).filter(|age| *age < MINUTE),
        Health::Silent { since } => Some(now.since(since)).filter(|age| *age < MINUTE),
        Health::Limited { until } => Some(now.since(until)).filter(|age| *age < 0),
        _ => None,
    };
    span.map(|span| context.moment.plus(SECOND - span.rem_euclid(SECOND)))
}

pub(crate) fn save_due(desk: &Desk) -> Option<Moment> {
    desk.tabs.iter().filter_map(|tab| tab.composer.as_ref().and_then(Composer::save_due)).min()
}

impl Changes {
    /// Next whole second of a countdown.
    pub(crate) fn countdown_due(&self, moment: Moment) -> Option<Moment> {
        let left = |until: Moment| until.since(moment);
        let ticking = self.held.iter().map(|held| held.held_until).filter(|until| left(*until) <= MINUTE);
        ticking.map(|until| until.plus(-(left(until) - 1).max(0) / SECOND * SECOND)).min()
    }
}
