//! What is due when. Pure: time, platform and a random value come in.
//!
//! A clock that jumps back makes things due, never late: a point in time that
//! lies impossibly far ahead counts as now.

use std::time::Duration;

use crate::report::Pulled;
use model::account::Platform;
use model::time::{MINUTE, Moment, SECOND};

/// The longest back-off while someone looks at the tab.
const CAP_VISIBLE: i64 = 30 * SECOND;
/// The longest back-off of a tab in the background.
const CAP_BACKGROUND: i64 = 60 * SECOND;
/// Between two parts of the same long pass.
const SOON: i64 = 2 * SECOND;
/// How often a broadcast is looked at: before it had so many looks, after so
/// long.
const WATCH: [(u32, i64); 3] = [(5, 2 * SECOND), (15, 5 * SECOND), (240, 15 * SECOND)];
/// Between two looks at what webhooks tell of, while they do: of the tab on
/// screen not so long that its answers are called old.
const SLOW_VISIBLE: i64 = 15 * SECOND;
/// The same in the background.
const SLOW_BACKGROUND: i64 = 60 * SECOND;
/// Between two looks that deliveries ask for: many of them make one.
const TOGETHER: i64 = SECOND / 4;
/// No wait is longer; what claims to be is a clock that jumped.
const WAIT_MAX: i64 = 60 * MINUTE;

/// How often a tab is polled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Polling {
    pub visible: Duration,
    pub background: Duration,
}

impl Default for Polling {
    fn default() -> Self {
        Self { visible: Duration::from_secs(3), background: Duration::from_secs(10) }
    }
}

impl Polling {
    fn span(self, visible: bool) -> i64 {
        let span = if visible { self.visible } else { self.background };
        // A second at least, so that no configuration becomes a storm.
        i64::try_from(span.as_micros()).unwrap_or(WAIT_MAX).clamp(SECOND, WAIT_MAX)
    }
}

/// What is pulled by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    /// `GET /account`.
    Account,
    /// The top of the list of conversations, lagging histories, AI states.
    List,
    /// The list down to well behind the last sweep.
    Sweep,
    /// The account behind a mail key.
    Mailbox,
    Broadcasts,
    /// Whether what is stored is all the server counts.
    Audit,
    /// The new-message trigger.
    Trigger,
    /// The history of the open conversation.
    History,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduleStep {
    /// This is due.
    Run(Task),
    /// What this left for later is due.
    Continue(Task),
    /// Nothing is due for so many microseconds.
    Sleep(i64),
}

/// How often a task is due on a platform, in microseconds; `None` for never.
/// Platforms whose conversations this desk cannot open are asked only for
/// their account.
///
/// While webhooks tell what happens (`instant`), what they tell of is asked for
/// less often: often enough to find what they missed.
pub fn interval(
    task: Task,
    platform: Option<&Platform>,
    visible: bool,
    polling: Polling,
    instant: bool,
) -> Option<i64> {
    let usual = usual(task, platform, visible, polling)?;
    let told = matches!(task, Task::Trigger | Task::List | Task::History);
    let slow = if visible || task == Task::History { SLOW_VISIBLE } else { SLOW_BACKGROUND };
    // Calls and SMS have no events.
    let told = told && platform != Some(&Platform::Voip);
    Some(if instant && told { usual.max(slow) } else { usual })
}

fn usual(task: Task, platform: Option<&Platform>, visible: bool, polling: Polling) -> Option<i64> {
    let either = |seen: i64, unseen: i64| if visible { seen } else { unseen } * SECOND;
    let base = polling.span(visible);
    match (task, platform) {
        (Task::Account, _) => Some(either(60, 300).max(base)),
        (Task::Trigger, Some(Platform::Whatsapp)) => Some(base),
        (Task::List, Some(Platform::Whatsapp | Platform::Voip)) => Some(either(10, 60).max(base)),
        (Task::List, Some(Platform::Email)) => Some(either(10, 30).max(base)),
        (Task::Mailbox, Some(Platform::Email)) => Some(either(60, 300).max(base)),
        // A thread comes with all its mails.
        (Task::History, Some(Platform::Email)) => Some(either(15, 60).max(base)),
        // The list is all there is on bot-chat: it has no trigger.
        (Task::List, Some(Platform::Telegram)) => Some(either(5, 10).max(base)),
        (Task::Sweep, Some(platform)) if platform.has_histories() => Some(5 * MINUTE),
        // Asks nothing while none is on its way.
        (Task::Broadcasts, _) => Some(either(1, 10)),
        // Its own mark says which day it was done last.
        (Task::Audit, Some(platform)) if platform.has_histories() => Some(60 * MINUTE),
        (Task::History, Some(platform)) if platform.has_histories() => Some(base),
        _ => None,
    }
}

/// How long after so many looks a broadcast that is not finished is looked at
/// again: seconds at first, minutes for one that takes an hour.
pub fn watching(looks: u32) -> i64 {
    let stage = WATCH.iter().find(|(until, _)| looks < *until);
    stage.map_or(5 * MINUTE, |(_, wait)| *wait)
}

/// How long to wait after so many failures in a row; `jitter` from 0 up to 1
/// adds up to a tenth, so that desks do not come back together.
pub fn back_off(failures: u32, visible: bool, jitter: f64) -> i64 {
    let cap = if visible { CAP_VISIBLE } else { CAP_BACKGROUND };
    let wait = SECOND.saturating_mul(1 << failures.saturating_sub(1).min(16));
    // The cap holds with the jitter in it.
    let wait = wait.min(cap / 11 * 10);
    let tenths =
        (0..10_i64).rev().find(|number| f64::from(i32::try_from(*number).unwrap_or(0)) / 10.0 <= jitter);
    wait + wait / 100 * tenths.unwrap_or(0)
}

#[derive(Debug, Clone, Copy)]
struct ScheduledTask {
    task: Task,
    /// When it last ended; `None` makes it due.
    last: Option<Moment>,
    failures: u32,
    /// Until when it backs off after failures; then it is due.
    not_before: Option<Moment>,
    /// Until when it waits for the budget; it keeps its place meanwhile.
    paced_until: Option<Moment>,
    soon: bool,
    /// Whether a delivery asks for it.
    told: bool,
    /// When what it left for later is due.
    later: Option<Moment>,
}

/// When each of some tasks was last done, and how it went.
#[derive(Debug)]
pub struct PollSchedule {
    entries: Vec<ScheduledTask>,
    polling: Polling,
}

impl PollSchedule {
    /// Everything is due. Ties go to the task named first.
    pub fn new(tasks: &[Task], polling: Polling) -> Self {
        Self { entries: tasks.iter().map(|task| ScheduledTask::new(*task)).collect(), polling }
    }

    /// What to do now: the task that has been due longest.
    pub fn next(
        &self,
        now: Moment,
        platform: Option<&Platform>,
        visible: bool,
        instant: bool,
    ) -> ScheduleStep {
        let waits = self.entries.iter().filter_map(|entry| {
            let span = interval(entry.task, platform, visible, self.polling, instant)?;
            let later = entry.later.map(|later| (within(later, now), ScheduleStep::Continue(entry.task)));
            Some([Some((entry.wait(span, now), ScheduleStep::Run(entry.task))), later])
        });
        // `min_by_key` keeps the first of equals.
        match waits.flatten().flatten().min_by_key(|(wait, _)| *wait) {
            Some((wait, step)) if wait <= 0 => step,
            Some((wait, _)) => ScheduleStep::Sleep(wait),
            None => ScheduleStep::Sleep(WAIT_MAX),
        }
    }

    /// Notes how a task went.
    pub fn finished(&mut self, task: Task, pulled: Pulled, now: Moment, visible: bool, jitter: f64) {
        let recovered = matches!(pulled, Pulled::Done | Pulled::More | Pulled::Later(_))
            && self.entries.iter().any(|entry| entry.task == task && entry.failures > 0);
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.task == task) {
            entry.finished(pulled, now);
            if pulled == Pulled::Failed {
                entry.not_before = Some(now.plus(back_off(entry.failures, visible, jitter)));
            }
        }
        if recovered {
            self.came_back();
        }
    }

    /// The server answers again: what waited longer need not, and what came
    /// meanwhile is looked for.
    pub fn came_back(&mut self) {
        let late = |scheduled_task: &&mut ScheduledTask| {
            scheduled_task.failures > 0 || scheduled_task.task == Task::Sweep
        };
        self.entries.iter_mut().filter(late).for_each(ScheduledTask::hurry);
    }

    /// Notes how going on with what a task left for later went.
    pub fn continued(&mut self, task: Task, pulled: Pulled, now: Moment) {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.task == task) else {
            return;
        };
        entry.later = match pulled {
            Pulled::More => Some(now.plus(SOON)),
            Pulled::Later(wait) | Pulled::Paced(wait) => Some(now.plus(wait.max(SOON))),
            // The task itself finds what is left, and the state of the server.
            Pulled::Done | Pulled::Skipped | Pulled::Failed => None,
        };
    }

    /// A delivery asks for a task, soon.
    pub fn told(&mut self, task: Task) {
        self.entries.iter_mut().filter(|entry| entry.task == task).for_each(|entry| entry.told = true);
    }

    /// Whether a delivery asks for a task.
    pub fn is_told(&self, task: Task) -> bool {
        self.entries.iter().any(|entry| entry.task == task && entry.told)
    }

    /// Makes everything due now.
    pub fn hurry(&mut self) {
        self.entries.iter_mut().for_each(ScheduledTask::hurry);
    }
}

impl ScheduledTask {
    fn new(task: Task) -> Self {
        Self {
            task,
            last: None,
            failures: 0,
            not_before: None,
            paced_until: None,
            soon: false,
            told: false,
            later: None,
        }
    }

    fn hurry(&mut self) {
        self.last = None;
        self.not_before = None;
        self.paced_until = None;
    }

    fn finished(&mut self, pulled: Pulled, now: Moment) {
        self.paced_until = None;
        // A budget or a limit is waited for: nothing was read, so it stays as
        // long due as it is, and others do not pass it by.
        if let Pulled::Paced(wait) = pulled {
            self.paced_until = Some(now.plus(wait));
            return;
        }
        self.last = Some(now);
        self.soon = pulled == Pulled::More;
        self.told = false;
        self.not_before = None;
        self.failures = if pulled == Pulled::Failed { self.failures.saturating_add(1) } else { 0 };
        self.later = match pulled {
            Pulled::Later(wait) => Some(now.plus(wait.max(SOON))),
            _ => None,
        };
    }

    /// Until it is due; zero or less when it is.
    fn wait(&self, span: i64, now: Moment) -> i64 {
        if let Some(wait) =
            self.paced_until.map(|paced_until| within(paced_until, now)).filter(|number| *number > 0)
        {
            return wait;
        }
        if let Some(until) = self.not_before {
            return within(until, now);
        }
        let Some(last) = self.last else {
            return i64::MIN;
        };
        let passed = now.since(last);
        let span = if self.soon { SOON.min(span) } else { span };
        let span = if self.told { TOGETHER.min(span) } else { span };
        if passed < 0 { 0 } else { span - passed }
    }
}

/// Until then; what is impossibly far ahead is due.
fn within(until: Moment, now: Moment) -> i64 {
    let wait = until.since(now);
    if wait > WAIT_MAX { 0 } else { wait }
}

pub mod trust;

#[cfg(test)]
mod tests;
