//! Schedule of the polled tasks. Pure: time, platform and a random value are arguments.
//!
//! A clock set back never delays a task: a time impossibly far ahead counts as now.

use std::time::Duration;

use crate::report::PullOutcome;
use model::account::Platform;
use model::time::{MINUTE, Moment, SECOND};

/// Maximum back-off of a visible tab, in microseconds.
const MAX_BACK_OFF_VISIBLE: i64 = 30 * SECOND;
/// Maximum back-off of a background tab, in microseconds.
const MAX_BACK_OFF_BACKGROUND: i64 = 60 * SECOND;
/// Delay between two parts of a long pass, in microseconds.
const CONTINUE_DELAY: i64 = 2 * SECOND;
/// Poll intervals of a broadcast: (polls so far below, interval in microseconds).
const BROADCAST_POLL_INTERVALS: [(u32, i64); 3] = [(5, 2 * SECOND), (15, 5 * SECOND), (240, 15 * SECOND)];
/// Interval of a visible tab while webhooks report changes, in microseconds; short enough that data is
/// not marked as old.
const SLOW_INTERVAL_VISIBLE: i64 = 15 * SECOND;
/// Interval of a background tab while webhooks report changes, in microseconds.
const SLOW_INTERVAL_BACKGROUND: i64 = 60 * SECOND;
/// Maximum interval of tasks that the team's sweep requests while its events report changes, in microseconds.
const LIVE_INTERVAL: i64 = 60 * MINUTE;
/// Minimum interval between polls requested by deliveries, in microseconds.
const MIN_DELIVERY_INTERVAL: i64 = SECOND / 4;
/// Minimum interval between looks for new broadcasts while none is watched, in microseconds. Those that
/// are sent make the task due at once.
const NEW_BROADCAST_INTERVAL: i64 = 15 * SECOND;
/// Maximum wait; a longer one means that the clock jumped.
const MAX_WAIT: i64 = 60 * MINUTE;

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
    fn interval(self, visible: bool) -> i64 {
        let span = if visible { self.visible } else { self.background };
        // At least a second, so that no configuration floods the server.
        i64::try_from(span.as_micros()).unwrap_or(MAX_WAIT).clamp(SECOND, MAX_WAIT)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Task {
    /// `getAccount`.
    Account,
    /// Top of the conversation list, lagging histories, AI states.
    List,
    /// List down to well behind the last sweep.
    Sweep,
    /// `getEmailAccount`.
    Mailbox,
    Broadcasts,
    /// Comparison of stored messages with the server's counts.
    Audit,
    /// New-message trigger.
    Trigger,
    /// History of the open conversation.
    History,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduleStep {
    Run(Task),
    /// Continue the part this task left for later.
    Continue(Task),
    /// Nothing is due for this many microseconds.
    Sleep(i64),
}

/// Interval of a task on a platform, in microseconds; `None` for never. Unknown platforms are polled only
/// for their account. While webhooks report changes (`instant`), the tasks they cover run less often, just to
/// find missed changes.
pub fn poll_interval(
    task: Task,
    platform: Option<&Platform>,
    visible: bool,
    polling: Polling,
    instant: bool,
) -> Option<i64> {
    let usual = usual_interval(task, platform, visible, polling)?;
    let is_delivered = matches!(task, Task::Trigger | Task::List | Task::History);
    let slow =
        if visible || task == Task::History { SLOW_INTERVAL_VISIBLE } else { SLOW_INTERVAL_BACKGROUND };
    // Calls and SMS have no webhooks.
    let is_delivered = is_delivered && platform != Some(&Platform::Voip);
    Some(if instant && is_delivered { usual.max(slow) } else { usual })
}

/// Interval of a task while the team's events report changes. What they missed is found by the team's sweep, which
/// makes tasks of one tab a minute due ([`team`](crate::team)).
fn live_interval(task: Task, platform: Option<&Platform>, visible: bool, polling: Polling) -> Option<i64> {
    let usual = usual_interval(task, platform, visible, polling)?;
    Some(match task {
        Task::List | Task::Trigger | Task::History | Task::Account | Task::Mailbox | Task::Sweep => {
            usual.max(LIVE_INTERVAL)
        }
        Task::Broadcasts | Task::Audit => usual,
    })
}

fn usual_interval(task: Task, platform: Option<&Platform>, visible: bool, polling: Polling) -> Option<i64> {
    let either = |seen: i64, unseen: i64| if visible { seen } else { unseen } * SECOND;
    let base = polling.interval(visible);
    match (task, platform) {
        (Task::Account, _) => Some(either(60, 300).max(base)),
        (Task::Trigger, Some(Platform::Whatsapp)) => Some(base),
        (Task::List, Some(Platform::Whatsapp | Platform::Voip)) => Some(either(10, 60).max(base)),
        (Task::List, Some(Platform::Email)) => Some(either(10, 30).max(base)),
        (Task::Mailbox, Some(Platform::Email)) => Some(either(60, 300).max(base)),
        // A thread is read with all its mails.
        (Task::History, Some(Platform::Email)) => Some(either(15, 60).max(base)),
        // Telegram has no trigger: the list is its only source.
        (Task::List, Some(Platform::Telegram)) => Some(either(5, 10).max(base)),
        (Task::Sweep, Some(platform)) if platform.has_histories() => Some(5 * MINUTE),
        // Makes no request while no broadcast is in progress.
        (Task::Broadcasts, _) => Some(either(1, 10)),
        // The audit's mark limits it to once a day.
        (Task::Audit, Some(platform)) if platform.has_histories() => Some(60 * MINUTE),
        (Task::History, Some(platform)) if platform.has_histories() => Some(base),
        _ => None,
    }
}

/// Interval before the next poll of an unfinished broadcast, in microseconds: seconds at first, minutes
/// later.
pub fn broadcast_poll_interval(polls: u32) -> i64 {
    let stage = BROADCAST_POLL_INTERVALS.iter().find(|(until, _)| polls < *until);
    stage.map_or(5 * MINUTE, |(_, wait)| *wait)
}

/// Back-off after consecutive failures, in microseconds. `jitter` (0 to 1) adds up to a tenth, so that
/// processes do not return together.
pub fn back_off_delay(failures: u32, visible: bool, jitter: f64) -> i64 {
    let cap = if visible { MAX_BACK_OFF_VISIBLE } else { MAX_BACK_OFF_BACKGROUND };
    let wait = SECOND.saturating_mul(1 << failures.saturating_sub(1).min(16));
    // The maximum includes the jitter.
    let wait = wait.min(cap / 11 * 10);
    let tenths =
        (0..10_i64).rev().find(|number| f64::from(i32::try_from(*number).unwrap_or(0)) / 10.0 <= jitter);
    wait + wait / 100 * tenths.unwrap_or(0)
}

#[derive(Debug, Clone, Copy)]
struct ScheduledTask {
    task: Task,
    /// End of the last run; `None` makes the task due.
    last: Option<Moment>,
    /// Part of the last run that counts towards the interval, in microseconds.
    counted: i64,
    failures: u32,
    /// End of the back-off; the task is due then.
    not_before: Option<Moment>,
    /// End of the wait for the budget; the task keeps its place meanwhile.
    paced_until: Option<Moment>,
    soon: bool,
    /// True if a delivery requests it.
    requested: bool,
    /// Time at which its deferred part is due.
    later: Option<Moment>,
}

/// Last run and result of each task.
#[derive(Debug)]
pub struct PollSchedule {
    entries: Vec<ScheduledTask>,
    polling: Polling,
    /// True while the team's events report changes.
    pub(crate) has_live_events: bool,
    /// True while a broadcast is expected to change.
    pub(crate) has_broadcasts: bool,
}

impl PollSchedule {
    /// Starts with every task due. Ties go to the task named first.
    pub fn new(tasks: &[Task], polling: Polling) -> Self {
        let entries = tasks.iter().map(|task| ScheduledTask::new(*task)).collect();
        Self { entries, polling, has_live_events: false, has_broadcasts: false }
    }

    /// Present interval of a task, in microseconds; `None` for never.
    fn interval(&self, task: Task, platform: Option<&Platform>, visible: bool, instant: bool) -> Option<i64> {
        let span = match self.has_live_events && platform.is_some() {
            true => live_interval(task, platform, visible, self.polling)?,
            false => poll_interval(task, platform, visible, self.polling, instant)?,
        };
        Some(match task {
            Task::Broadcasts if !self.has_broadcasts => span.max(NEW_BROADCAST_INTERVAL),
            _ => span,
        })
    }

    /// Time at which a task is due after a step that begins now; `None` for never.
    pub fn due_after(
        &self,
        task: Task,
        step: ScheduleStep,
        now: Moment,
        platform: Option<&Platform>,
        (visible, instant): (bool, bool),
    ) -> Option<Moment> {
        let span = self.interval(task, platform, visible, instant)?;
        if step == ScheduleStep::Run(task) {
            return Some(now.plus(span));
        }
        let entry = self.entries.iter().find(|entry| entry.task == task)?;
        Some(now.plus(entry.remaining_wait(span, now).max(0)))
    }

    /// Next step: the task due longest.
    pub fn next(
        &self,
        now: Moment,
        platform: Option<&Platform>,
        visible: bool,
        instant: bool,
    ) -> ScheduleStep {
        let waits = self.entries.iter().filter_map(|entry| {
            let span = self.interval(entry.task, platform, visible, instant)?;
            let later = entry.later.map(|later| (clamp_wait(later, now), ScheduleStep::Continue(entry.task)));
            Some([Some((entry.remaining_wait(span, now), ScheduleStep::Run(entry.task))), later])
        });
        // `min_by_key` keeps the first of equals.
        match waits.flatten().flatten().min_by_key(|(wait, _)| *wait) {
            Some((wait, step)) if wait <= 0 => step,
            Some((wait, _)) => ScheduleStep::Sleep(wait),
            None => ScheduleStep::Sleep(MAX_WAIT),
        }
    }

    pub fn record_finished(
        &mut self,
        task: Task,
        pulled: PullOutcome,
        now: Moment,
        visible: bool,
        jitter: f64,
    ) {
        let recovered = matches!(pulled, PullOutcome::Done | PullOutcome::More | PullOutcome::Later(_))
            && self.entries.iter().any(|entry| entry.task == task && entry.failures > 0);
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.task == task) {
            entry.record_finished(pulled, now);
            if pulled == PullOutcome::Failed {
                entry.not_before = Some(now.plus(back_off_delay(entry.failures, visible, jitter)));
            }
        }
        if recovered {
            self.record_recovered();
        }
    }

    /// Counts the interval of a task that has ended from its beginning, so that a long step does not delay the next
    /// poll. The pause between them is at least half a poll interval. What continues soon and what a delivery requests
    /// wait from its end.
    pub fn count_from_beginning(&mut self, task: Task, began: Moment, visible: bool) {
        let most = self.polling.interval(visible) / 2;
        let entry = self.entries.iter_mut().find(|entry| entry.task == task);
        if let Some(entry) = entry
            && let Some(end) = entry.last.filter(|end| *end >= began)
        {
            entry.counted = end.since(began).min(most);
        }
    }

    /// Makes failed tasks and the sweep due at once after the server answers again.
    pub fn record_recovered(&mut self) {
        let late = |scheduled_task: &&mut ScheduledTask| {
            scheduled_task.failures > 0 || scheduled_task.task == Task::Sweep
        };
        self.entries.iter_mut().filter(late).for_each(ScheduledTask::make_due);
    }

    /// Records the result of a task's deferred part.
    pub fn record_continued(&mut self, task: Task, pulled: PullOutcome, now: Moment) {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.task == task) else {
            return;
        };
        entry.later = match pulled {
            PullOutcome::More => Some(now.plus(CONTINUE_DELAY)),
            PullOutcome::Later(wait) | PullOutcome::Paced(wait) => Some(now.plus(wait.max(CONTINUE_DELAY))),
            // The task itself finds the rest and reports failures.
            PullOutcome::Done | PullOutcome::Skipped | PullOutcome::Failed => None,
        };
    }

    /// Requests a task soon because of a delivery.
    pub fn request_soon(&mut self, task: Task) {
        self.entries.iter_mut().filter(|entry| entry.task == task).for_each(|entry| entry.requested = true);
    }

    pub fn is_requested(&self, task: Task) -> bool {
        self.entries.iter().any(|entry| entry.task == task && entry.requested)
    }

    pub fn make_due(&mut self) {
        self.entries.iter_mut().for_each(ScheduledTask::make_due);
    }

    /// Makes a task due, except in its back-off.
    pub fn make_task_due(&mut self, task: Task) {
        self.entries.iter_mut().filter(|entry| entry.task == task).for_each(|entry| entry.last = None);
    }
}

impl ScheduledTask {
    fn new(task: Task) -> Self {
        Self {
            task,
            last: None,
            counted: 0,
            failures: 0,
            not_before: None,
            paced_until: None,
            soon: false,
            requested: false,
            later: None,
        }
    }

    fn make_due(&mut self) {
        self.last = None;
        self.not_before = None;
        self.paced_until = None;
    }

    fn record_finished(&mut self, pulled: PullOutcome, now: Moment) {
        self.paced_until = None;
        // Paced or limited: nothing was read, so the task stays due and others do not overtake it.
        if let PullOutcome::Paced(wait) = pulled {
            self.paced_until = Some(now.plus(wait));
            return;
        }
        self.last = Some(now);
        self.counted = 0;
        self.soon = pulled == PullOutcome::More;
        self.requested = false;
        self.not_before = None;
        self.failures = if pulled == PullOutcome::Failed { self.failures.saturating_add(1) } else { 0 };
        self.later = match pulled {
            PullOutcome::Later(wait) => Some(now.plus(wait.max(CONTINUE_DELAY))),
            _ => None,
        };
    }

    /// Microseconds until the task is due; zero or less if it is.
    fn remaining_wait(&self, span: i64, now: Moment) -> i64 {
        if let Some(wait) =
            self.paced_until.map(|paced_until| clamp_wait(paced_until, now)).filter(|number| *number > 0)
        {
            return wait;
        }
        if let Some(until) = self.not_before {
            return clamp_wait(until, now);
        }
        let Some(last) = self.last else {
            return i64::MIN;
        };
        let passed = now.since(last);
        let span = span - self.counted;
        let span = if self.soon { CONTINUE_DELAY.min(span) } else { span };
        let span = if self.requested { MIN_DELIVERY_INTERVAL.min(span) } else { span };
        if passed < 0 { 0 } else { span - passed }
    }
}

/// Microseconds until `until`; zero if it is impossibly far ahead.
fn clamp_wait(until: Moment, now: Moment) -> i64 {
    let wait = until.since(now);
    if wait > MAX_WAIT { 0 } else { wait }
}

pub mod trust;

#[cfg(test)]
mod tests;
