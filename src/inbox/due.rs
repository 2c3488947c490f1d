//! When the inbox wants to be woken without any event: countdowns, ages on
//! screen, drafts to be saved.

use crate::Inbox;
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
        consider(self.notice_due());
        consider(self.lease_due().filter(|it| *it > self.context.now));
        consider(self.playing_due());
        consider(self.people_due());
        consider(self.wall_due());
        consider(self.board_due());
        consider(self.watch.due());
        consider(self.offer_due());
        consider(self.servers_due());
        consider(self.burst.due());
        consider(self.saving.due(self.context.now));
        consider(self.connection_due());
        consider(self.loads_due());
        for tab in &self.tabs {
            consider(tab.counts.next_wake);
            consider(tab.composer.as_ref().and_then(composer::Composer::save_due));
        }
        // Countdowns tick in whole seconds before their end.
        for held in &self.undo {
            let left = held.until.since(self.context.now);
            if left > MINUTE {
                continue;
            }
            consider(Some(held.until.plus(-(left - 1).max(0) / SECOND * SECOND)));
        }
        due.max(self.context.now.plus(1_000))
    }

    /// The next whole second of an age or a countdown of the connection that
    /// is shown in seconds.
    fn connection_due(&self) -> Option<Timestamp> {
        let next_second = |span: i64| self.context.now.plus(SECOND - span.rem_euclid(SECOND));
        match self.tab().health {
            Health::Live { at } if self.context.now.since(at) < MINUTE => {
                Some(next_second(self.context.now.since(at)))
            }
            Health::Silent { since } if self.context.now.since(since) < MINUTE => {
                Some(next_second(self.context.now.since(since)))
            }
            Health::Limited { until } if self.context.now.since(until) < 0 => {
                Some(next_second(self.context.now.since(until)))
            }
            _ => None,
        }
    }
}
