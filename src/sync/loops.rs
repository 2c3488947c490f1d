//! The loops of a tab as steps: polling, open conversation, outbox, uploads, waves. Each owns its state;
//! a step does at most one thing and returns the wait until the next.
//!
//! Time is an argument and no step waits for a timer: the engine runs the steps by the clock, a
//! simulation by hand.

use std::sync::Arc;

use crate::audit::AuditState;
use crate::broadcasts::BroadcastState;
use crate::campaigns::CampaignNotices;
use crate::conversations::ListState;
use crate::outbox::send::AttemptState;
use crate::outbox::{PushState, PushStep};
use crate::plan::{PollSchedule, ScheduleStep, Task};
use crate::report::PullOutcome;
use crate::state::SyncState;
use crate::tab::{Loop, TabSync};
use crate::trigger::TriggerState;
use crate::{ChannelSync, MAX_STEP_WAIT};
use model::account::Platform;
use model::ids::ConversationId;
use model::time::{Moment, Timestamp};

/// Tasks polled at intervals; ties go to the first. The list comes before the trigger because it shows
/// who spoke last: without it a missed message would look unanswered.
const POLLED_TASKS: [Task; 7] =
    [Task::Account, Task::List, Task::Trigger, Task::Mailbox, Task::Sweep, Task::Broadcasts, Task::Audit];

pub struct TabLoop {
    tab: Arc<TabSync>,
    state: LoopState,
}

enum LoopState {
    Poll(Box<PollState>),
    Open(OpenState),
    Push(Box<PushState>),
    Upload(AttemptState),
    Waves(CampaignNotices),
}

#[derive(Debug)]
struct PollState {
    plan: PollSchedule,
    /// End of the last step.
    last: Option<Moment>,
    list: ListState,
    trigger: TriggerState,
    broadcasts: BroadcastState,
    audit: AuditState,
}

#[derive(Debug)]
struct OpenState {
    plan: PollSchedule,
    last: Option<ConversationId>,
}

impl TabLoop {
    pub(crate) fn new(tab: Arc<TabSync>, which: Loop) -> Self {
        let state = match which {
            Loop::Poll => LoopState::Poll(Box::new(PollState {
                plan: PollSchedule::new(&POLLED_TASKS, tab.polling),
                last: None,
                list: ListState::default(),
                trigger: TriggerState::default(),
                broadcasts: BroadcastState::default(),
                audit: AuditState::default(),
            })),
            Loop::Open => LoopState::Open(OpenState {
                plan: PollSchedule::new(&[Task::History], tab.polling),
                last: None,
            }),
            Loop::Push => LoopState::Push(Box::new(PushState::new(tab.channel.clock.now()))),
            Loop::Upload => LoopState::Upload(AttemptState::default()),
            Loop::Waves => LoopState::Waves(CampaignNotices::default()),
        };
        Self { tab, state }
    }

    pub fn loop_kind(&self) -> Loop {
        match self.state {
            LoopState::Poll(_) => Loop::Poll,
            LoopState::Open(_) => Loop::Open,
            LoopState::Push(_) => Loop::Push,
            LoopState::Upload(_) => Loop::Upload,
            LoopState::Waves(_) => Loop::Waves,
        }
    }

    pub fn tab(&self) -> &Arc<TabSync> {
        &self.tab
    }

    /// Runs the next step. Returns the wait until another, in microseconds, unless woken.
    pub async fn step(&mut self, now: Timestamp) -> i64 {
        let which = self.loop_kind() as usize;
        let tab = &self.tab;
        let moment = tab.channel.clock.moment();
        tab.channel.with_state(|state| state.step_began_at[which] = Some(moment));
        let wait = match &mut self.state {
            LoopState::Poll(state) => state.step(tab, now).await,
            LoopState::Open(state) => state.step(tab, now).await,
            LoopState::Push(state) => push_step(tab, state, now).await,
            LoopState::Upload(state) => upload_step(tab, state, now).await,
            LoopState::Waves(state) => waves_step(tab, state, now).await,
        };
        let came_back = tab.channel.with_state(|channel| {
            channel.step_began_at[which] = None;
            channel.health.take_recovered()
        });
        if came_back {
            tab.record_recovered();
            Loop::ALL.iter().for_each(|entry| tab.wake(*entry));
        }
        wait
    }
}

impl PollState {
    /// Runs the task that has been due longest.
    async fn step(&mut self, tab: &TabSync, now: Timestamp) -> i64 {
        if tab.is_stopped() || !tab.holds_read_lease(now) {
            return MAX_STEP_WAIT;
        }
        let channel = &tab.channel;
        let (visible, refresh, delivered, sweep_list, sent) = tab.change_commands(|tab| {
            let refresh = std::mem::take(&mut tab.refresh);
            let delivered = std::mem::take(&mut tab.delivered);
            let sent = std::mem::take(&mut tab.sent);
            (tab.visible, refresh, delivered, std::mem::take(&mut tab.sweep_list), sent)
        });
        if refresh || self.has_machine_slept(channel.clock.moment()) {
            self.plan.make_due();
        }
        if tab.change_commands(|tab| std::mem::take(&mut tab.recovered)) {
            self.plan.record_recovered();
        }
        if let Err(error) = channel.platform().await {
            tracing::error!(%error, "the stored account could not be read");
        }
        if sweep_list {
            self.plan.make_task_due(Task::List);
        }
        if sent {
            self.plan.make_task_due(Task::Broadcasts);
        }
        self.plan.has_broadcasts = self.broadcasts.is_any_watched();
        if delivered {
            self.plan.request_soon(message_task(channel.known_platform().as_ref()));
        }
        self.plan.has_live_events = channel.with_state(|state| state.has_live_events);
        let step = next_step(channel, &self.plan, now, visible);
        self.record_messages_due(channel, step, now, visible);
        let wait = match step {
            ScheduleStep::Sleep(wait) => wait.min(MAX_STEP_WAIT),
            ScheduleStep::Run(task) => {
                let (requested, before) =
                    (self.plan.is_requested(task), channel.with_state(|channel| channel.inbound_announced));
                let began = channel.clock.moment();
                let pulled = self.pull(tab, task).await;
                let tells_messages = matches!(task, Task::List | Task::Trigger);
                if tells_messages && channel.apply_draft_only(channel.clock.now()).await {
                    tab.wake(Loop::Push);
                }
                let found_at = channel.clock.now();
                channel.with_state(|channel| {
                    if !requested && channel.inbound_announced != before {
                        channel.trust.record_missed(found_at);
                    }
                });
                record_finished(channel, &mut self.plan, task, pulled, visible);
                if task == message_task(channel.known_platform().as_ref()) {
                    self.plan.count_from_beginning(task, began, visible);
                }
                apply_rules(tab, task).await;
                0
            }
            ScheduleStep::Continue(task) => {
                let pulled = match task {
                    Task::Trigger => channel.pull_gap(&mut self.trigger).await,
                    Task::List => channel.pull_backlog(&mut self.list).await,
                    _ => PullOutcome::Done,
                };
                self.plan.record_continued(task, pulled, channel.clock.moment());
                apply_rules(tab, task).await;
                0
            }
        };
        self.last = Some(channel.clock.moment());
        wait
    }

    /// Records when new messages are due next, so that readings that nobody waits for stop then.
    fn record_messages_due(&self, channel: &ChannelSync, step: ScheduleStep, now: Timestamp, visible: bool) {
        let moment = channel.clock.moment();
        channel.with_state(|state| {
            let (platform, instant) = (state.platform.as_ref(), state.trust.is_trusted(now));
            let task = message_task(platform);
            state.messages_due_at = self.plan.due_after(task, step, moment, platform, (visible, instant));
        });
    }

    /// True after a gap longer than any wait: the machine slept.
    fn has_machine_slept(&self, moment: Moment) -> bool {
        self.last.is_some_and(|last| !(0..=2 * MAX_STEP_WAIT).contains(&moment.since(last)))
    }

    async fn pull(&mut self, tab: &TabSync, task: Task) -> PullOutcome {
        let channel = &tab.channel;
        let proven = channel.is_key_proven();
        let pulled = match task {
            Task::Account => channel.pull_account().await,
            Task::Trigger => channel.pull_trigger(&mut self.trigger).await,
            Task::List | Task::History => channel.pull_conversations(&mut self.list).await,
            Task::Sweep => channel.sweep_conversations(&mut self.list).await,
            Task::Mailbox => channel.pull_mailbox().await,
            Task::Broadcasts => channel.pull_broadcasts(&mut self.broadcasts).await,
            Task::Audit => channel.audit_histories(&mut self.audit).await,
        };
        if task == Task::Account || (!proven && channel.is_key_proven()) {
            // They wait for the platform or for proof of the key.
            tab.wake(Loop::Push);
            tab.wake(Loop::Upload);
            tab.wake(Loop::Open);
        }
        pulled
    }
}

impl OpenState {
    /// Reads the open conversation, or older messages on request.
    async fn step(&mut self, tab: &TabSync, now: Timestamp) -> i64 {
        let channel = &tab.channel;
        let fetch = if tab.is_stopped() { None } else { tab.change_commands(|tab| tab.fetches.pop_front()) };
        if let Some(fetch) = fetch {
            return match channel.fetch(&fetch).await {
                PullOutcome::Paced(wait) => {
                    tab.change_commands(|tab| tab.put_back(fetch));
                    wait.min(MAX_STEP_WAIT)
                }
                _ => 0,
            };
        }
        if !tab.holds_read_lease(now) || !tab.is_ready() {
            return MAX_STEP_WAIT;
        }
        let (visible, open, refresh, delivered, asked) = tab.change_commands(|tab| {
            let asked = if tab.reads.is_empty() { None } else { Some(tab.reads.remove(0)) };
            let refresh = std::mem::take(&mut tab.refresh_open);
            (tab.visible, tab.open.clone(), refresh, std::mem::take(&mut tab.delivered_open), asked)
        });
        if delivered {
            self.plan.request_soon(Task::History);
        }
        self.plan.has_live_events = channel.with_state(|state| state.has_live_events);
        if refresh || open != self.last {
            self.plan.make_due();
            self.last.clone_from(&open);
        }
        if let Some((conversation, older)) = asked {
            let pulled = if older {
                channel.pull_older(&conversation).await
            } else {
                channel.pull_history(&conversation).await
            };
            return match pulled {
                PullOutcome::Paced(wait) => {
                    tab.change_commands(|tab| tab.reads.insert(0, (conversation, older)));
                    wait.min(MAX_STEP_WAIT)
                }
                _ => 0,
            };
        }
        let Some(conversation) = open else {
            return MAX_STEP_WAIT;
        };
        match next_step(channel, &self.plan, now, visible) {
            ScheduleStep::Sleep(wait) => wait.min(MAX_STEP_WAIT),
            ScheduleStep::Run(task) | ScheduleStep::Continue(task) => {
                let pulled = channel.pull_history(&conversation).await;
                record_finished(channel, &mut self.plan, task, pulled, visible);
                0
            }
        }
    }
}

/// Sends the next outbox row. Must not be cancelled: a request already sent must be settled.
async fn push_step(tab: &TabSync, state: &mut PushState, now: Timestamp) -> i64 {
    if !tab.channel.may_send(now) || !tab.is_ready() {
        return MAX_STEP_WAIT;
    }
    let step = tab.channel.push_once(state, now).await;
    if step == PushStep::Moved {
        // The row may have been a broadcast or a wave of one.
        tab.record_sent();
        tab.wake(Loop::Waves);
    }
    wait_after(step, tab.channel.clock.now())
}

async fn upload_step(tab: &TabSync, state: &mut AttemptState, now: Timestamp) -> i64 {
    if !tab.channel.may_send(now) || !tab.is_ready() {
        return MAX_STEP_WAIT;
    }
    let step = tab.channel.upload_once(state, now).await;
    if step == PushStep::Moved {
        // The uploaded file's message can be sent now.
        tab.wake(Loop::Push);
    }
    wait_after(step, tab.channel.clock.now())
}

fn wait_after(step: PushStep, now: Timestamp) -> i64 {
    match step {
        PushStep::Moved => 0,
        PushStep::Due(until) => until.since(now).clamp(0, MAX_STEP_WAIT),
        PushStep::Idle | PushStep::Halted => MAX_STEP_WAIT,
    }
}

async fn waves_step(tab: &TabSync, state: &mut CampaignNotices, now: Timestamp) -> i64 {
    if !tab.channel.may_send(now) || !tab.is_ready() {
        return MAX_STEP_WAIT;
    }
    let carried = tab.channel.step_campaigns(state, now).await;
    if carried.queued {
        tab.wake(Loop::Push);
    }
    carried.wait.min(MAX_STEP_WAIT)
}

fn next_step(channel: &ChannelSync, plan: &PollSchedule, now: Timestamp, visible: bool) -> ScheduleStep {
    let moment = channel.clock.moment();
    channel.with_state(|SyncState { trust, platform, .. }| {
        plan.next(moment, platform.as_ref(), visible, trust.is_trusted(now))
    })
}

fn record_finished(
    channel: &ChannelSync,
    plan: &mut PollSchedule,
    task: Task,
    pulled: PullOutcome,
    visible: bool,
) {
    plan.record_finished(task, pulled, channel.clock.moment(), visible, channel.store.chance().fraction());
}

/// Applies mail rules after a reading of the list.
async fn apply_rules(tab: &TabSync, task: Task) {
    if !matches!(task, Task::List | Task::Sweep) || !tab.channel.may_send(tab.channel.clock.now()) {
        return;
    }
    if tab.channel.apply_rules().await {
        tab.wake(Loop::Push);
    }
}

/// Task that reads new messages: the trigger, or the list.
fn message_task(platform: Option<&Platform>) -> Task {
    match platform {
        Some(Platform::Whatsapp) | None => Task::Trigger,
        Some(_) => Task::List,
    }
}
