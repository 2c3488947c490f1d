//! When the inbox wants to be woken without any event: countdowns, ages on
//! screen, drafts to be saved.

use crate::Inbox;
use crate::context::Context;
use crate::desk::Desk;
use crate::screens::composer;
use model::news::Health;
use model::time::{MINUTE, SECOND, Timestamp};

impl Inbox {
    /// When at the latest.
    pub fn next_due(&self) -> Timestamp {
        // The minute turns: waiting times and windows are shown in minutes.
        let minute = Timestamp::from_micros((self.context.now.micros() / MINUTE + 1) * MINUTE);
        let mut due = minute;
        let mut consider = |at: Option<Timestamp>| {
            if let Some(at) = at {
                due = due.min(at);
            }
        };
        consider(self.keyboard.notice_due(&self.context));
        consider(
            self.features.pauses.lease_due(&self.desk, &self.context).filter(|it| *it > self.context.now),
        );
        consider(self.features.macros.playing_due());
        consider(self.people.people_due(&self.desk));
        consider(self.overview.wall_due(&self.desk));
        consider(self.broadcasts.board_due(&self.desk, &self.context));
        consider(self.features.watch.due());
        consider(self.context.offer_due());
        consider(self.features.search.servers_due(&self.context));
        consider(self.features.bursts.due());
        consider(self.changes.writes.due(self.context.now));
        consider(self.desk.connection_due(&self.context));
        consider(self.loads_due());
        for tab in &self.desk.tabs {
            consider(tab.counts.next_wake);
            consider(tab.composer.as_ref().and_then(composer::Composer::save_due));
        }
        // Countdowns tick in whole seconds before their end.
        for held in &self.changes.held {
            let left = held.until.since(self.context.now);
            if left > MINUTE {
                continue;
            }
            consider(Some(held.until.plus(-(left - 1).max(0) / SECOND * SECOND)));
        }
        due.max(self.context.now.plus(1_000))
    }
}

impl Desk {
    /// The next whole second of an age or a countdown of the connection that
    /// is shown in seconds.
    fn connection_due(&self, context: &Context) -> Option<Timestamp> {
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
