//! Values that the loops of a channel share.

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

/// Time for which a step of the wall clock waits until this process may send, in microseconds: until its
/// lease is renewed under the new clock.
const STEP_LIFETIME: i64 = MINUTE;

/// Value behind the channel's only lock, accessed through [`crate::ChannelSync::state`] and never across
/// an await. State of a single loop is owned by that loop.
#[derive(Debug)]
pub(crate) struct SyncState {
    pub(crate) pulse: Pulse,
    pub(crate) platform: Option<Platform>,
    /// Resources the key was refused or the server lacks.
    pub(crate) denied: BTreeSet<PolledResource>,
    /// Used share of the read budget, in percent, as last announced.
    pub(crate) budget: Option<u8>,
    pub(crate) failure: Option<RequestFailure>,
    /// True if the server may report the account of the key.
    pub(crate) tells_account: bool,
    pub(crate) asks: Lead,
    pub(crate) sends: Lead,
    pub(crate) wishes: Wishes,
    pub(crate) trust: Trust,
    /// Start of each loop's step in progress.
    pub(crate) within: [Option<Moment>; Loop::ALL.len()],
    /// Both clocks at the last reading.
    times: Times,
    /// Steps of the wall clock not yet applied to outbox rows.
    clock_steps: Vec<ClockStep>,
    pub(crate) histories: HistoryQueue,
    pub(crate) details: DetailReads,
    pub(crate) people: PeopleState,
    /// Unreadable rows of each list.
    unreadable: BTreeMap<List, Vec<String>>,
    /// Counts applied pages of the list: a history read before the latest one does not count as caught
    /// up.
    pub(crate) lists_applied: u64,
    /// Counts settled AI switches, so that a reading in progress meanwhile does not undo them.
    pub(crate) switches: u64,
    /// Counts announcements of new inbound messages.
    pub(crate) inbound_told: u64,
    /// Time of the last text sent from this installation, by conversation.
    pub(crate) spoken_at: HashMap<ConversationId, Timestamp>,
}

impl SyncState {
    /// Wall clock at the last reading.
    pub(crate) fn now(&self) -> Timestamp {
        self.times.now
    }

    /// Records both clocks. If the wall clock was set, stored times are shifted, so that ages follow the
    /// steady clock.
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

    /// Returns the steps the outbox must follow; none while another process sends, which sees them as
    /// well.
    pub(crate) fn take_clock_steps(&mut self) -> Vec<ClockStep> {
        let (now, moment) = (self.times.now, self.times.moment);
        self.clock_steps.retain(|step| moment.since(step.noticed) < STEP_LIFETIME);
        if self.sends.holds(now) { std::mem::take(&mut self.clock_steps) } else { Vec::new() }
    }

    /// Returns steps that could not be applied.
    pub(crate) fn put_back_clock_steps(&mut self, steps: Vec<ClockStep>) {
        self.clock_steps.splice(0..0, steps);
    }

    /// Initial state of the only process on the folder.
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

    /// True if the tab is not stopped and the key was not refused this resource.
    pub(crate) fn may_read(&self, resource: PolledResource) -> bool {
        !self.pulse.is_stopped() && !self.denied.contains(&resource)
    }

    /// Records unreadable rows of a list's page and returns all of them if they changed. The first page
    /// resets the record.
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
