//! What the loops of a channel know in common.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::details::DetailReads;
use crate::health::{PolledResource, Pulse};
use crate::histories::HistoryQueue;
use crate::people::PeopleState;
use crate::plan::trust::Trust;
use crate::tab::Loop;
use crate::wishes::{Lead, Wishes};
use client::{Listed, RequestFailure};
use model::account::Platform;
use model::ids::ConversationId;
use model::time::{ClockStep, MINUTE, Moment, Times, Timestamp};
use model::unreadable::{self, List};

/// How long a step of the wall clock waits for this process to send,
/// in microseconds: until its lease is renewed by the clock that was set.
const STEP_LIFETIME: i64 = MINUTE;

/// One plain value behind the channel's only lock. It is reached by
/// [`crate::ChannelSync::state`] alone, for a look or a change: nothing is
/// waited for meanwhile. What one loop alone needs, it owns.
#[derive(Debug)]
pub(crate) struct SyncState {
    pub(crate) pulse: Pulse,
    pub(crate) platform: Option<Platform>,
    /// What the key was refused, or the server does not have.
    pub(crate) denied: BTreeSet<PolledResource>,
    /// Share of the read budget in use, in percent, as last told.
    pub(crate) budget: Option<u8>,
    pub(crate) failure: Option<RequestFailure>,
    /// True if the server may tell the account of the key.
    pub(crate) tells_account: bool,
    pub(crate) asks: Lead,
    pub(crate) sends: Lead,
    pub(crate) wishes: Wishes,
    pub(crate) trust: Trust,
    /// Since when each loop is within a step.
    pub(crate) within: [Option<Moment>; Loop::ALL.len()],
    /// Both clocks, as read last.
    times: Times,
    /// Steps of the wall clock that the rows of the outbox do not follow yet.
    clock_steps: Vec<ClockStep>,
    pub(crate) histories: HistoryQueue,
    pub(crate) details: DetailReads,
    pub(crate) people: PeopleState,
    /// What of each list could not be read.
    unreadable: BTreeMap<List, Vec<String>>,
    /// Counts pages of the list, so that a history read before one of them
    /// does not count as caught up with it.
    pub(crate) lists_applied: u64,
    /// Counts settled changes of the AI switch, so that a reading that was on
    /// its way meanwhile does not undo them.
    pub(crate) switches: u64,
    /// Counts what was told of new inbound messages.
    pub(crate) inbound_told: u64,
    /// When this desk last sent a text into a conversation.
    pub(crate) spoken_at: HashMap<ConversationId, Timestamp>,
}

impl SyncState {
    /// The wall clock, as read last.
    pub(crate) fn now(&self) -> Timestamp {
        self.times.now
    }

    /// Takes in what the clocks show. A wall clock that was set takes the times
    /// along, so that ages and spans go by the steady clock.
    pub(crate) fn follow_clock(&mut self, times: Times) {
        let before = std::mem::replace(&mut self.times, times);
        let by = before.step(times);
        if by == 0 {
            return;
        }
        self.pulse.move_times(by);
        self.trust.move_times(by);
        let unset = before.run_on(times.moment);
        self.clock_steps.retain(|step| times.moment.since(step.noticed) < STEP_LIFETIME);
        self.clock_steps.push(ClockStep { unset, by, noticed: times.moment });
    }

    /// Takes the steps that the outbox is to follow; none where another process
    /// sends, which sees them as well.
    pub(crate) fn take_clock_steps(&mut self) -> Vec<ClockStep> {
        let (now, moment) = (self.times.now, self.times.moment);
        self.clock_steps.retain(|step| moment.since(step.noticed) < STEP_LIFETIME);
        if self.sends.holds(now) { std::mem::take(&mut self.clock_steps) } else { Vec::new() }
    }

    /// Takes steps back that the outbox could not follow.
    pub(crate) fn put_back_clock_steps(&mut self, steps: Vec<ClockStep>) {
        self.clock_steps.splice(0..0, steps);
    }

    /// Nothing is known, and nobody else is on the folder.
    pub(crate) fn new(times: Times) -> Self {
        Self {
            times,
            clock_steps: Vec::new(),
            pulse: Pulse::default(),
            platform: None,
            denied: BTreeSet::new(),
            budget: None,
            failure: None,
            tells_account: true,
            asks: Lead::Always,
            sends: Lead::Always,
            wishes: Wishes::default(),
            trust: Trust::default(),
            within: [None; Loop::ALL.len()],
            histories: HistoryQueue::default(),
            details: DetailReads::default(),
            people: PeopleState::default(),
            unreadable: BTreeMap::new(),
            lists_applied: 0,
            switches: 0,
            inbound_told: 0,
            spoken_at: HashMap::new(),
        }
    }

    /// Whether the tab is not stopped and the key was not refused this.
    pub(crate) fn may_read(&self, resource: PolledResource) -> bool {
        !self.pulse.is_stopped() && !self.denied.contains(&resource)
    }

    /// Notes what of a list's page could not be read; all of it if that is
    /// something else than before. The first page begins anew.
    pub(crate) fn note_unreadable<T>(
        &mut self,
        list: List,
        page: &Listed<T>,
        is_first: bool,
    ) -> Option<Vec<String>> {
        let known = self.unreadable.entry(list).or_default();
        let before = known.clone();
        if is_first {
            known.clear();
        }
        for it in &page.unreadable {
            if known.len() < unreadable::MOST && !known.contains(&it.raw) {
                known.push(it.raw.clone());
            }
        }
        (*known != before).then(|| known.clone())
    }
}
