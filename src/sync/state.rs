//! Values that the loops of a channel share.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use crate::details::DetailReads;
use crate::health::{ConnectionHealth, PolledResource};
use crate::histories::HistoryQueue;
use crate::pending_commands::{LeaseStatus, PendingCommands};
use crate::people::PeopleState;
use crate::plan::trust::WebhookTrust;
use crate::tab::Loop;
use client::{ListPage, RequestFailure};
use model::account::Platform;
use model::ids::ConversationId;
use model::time::{ClockReading, ClockStep, MINUTE, Moment, Timestamp};
use model::unreadable::{self, UnreadableList};

/// Time for which a step of the wall clock waits until this process may send, in microseconds: until its
/// lease is renewed under the new clock.
const CLOCK_STEP_LIFETIME: i64 = MINUTE;

/// Number of albums whose later messages ring no bell.
const MAX_ANNOUNCED_ALBUMS: usize = 64;

/// Value behind the channel's only lock, accessed through [`crate::ChannelSync::state`] and never across
/// an await. State of a single loop is owned by that loop.
#[derive(Debug)]
pub(crate) struct SyncState {
    pub(crate) health: ConnectionHealth,
    pub(crate) platform: Option<Platform>,
    /// Resources the key was refused or the server lacks.
    pub(crate) denied: BTreeSet<PolledResource>,
    /// Used share of the read budget, in percent, as last announced.
    pub(crate) budget: Option<u8>,
    pub(crate) failure: Option<RequestFailure>,
    /// True if the server may report the account of the key.
    pub(crate) reports_account: bool,
    pub(crate) read_lease: LeaseStatus,
    pub(crate) send_lease: LeaseStatus,
    pub(crate) commands: PendingCommands,
    pub(crate) trust: WebhookTrust,
    /// Time at which new messages are polled next; `None` if nothing polls them.
    pub(crate) messages_due_at: Option<Moment>,
    /// Start of each loop's step in progress.
    pub(crate) step_began_at: [Option<Moment>; Loop::ALL.len()],
    /// Both clocks at the last reading.
    times: ClockReading,
    /// Steps of the wall clock not yet applied to outbox rows.
    clock_steps: Vec<ClockStep>,
    pub(crate) histories: HistoryQueue,
    pub(crate) details: DetailReads,
    pub(crate) people: PeopleState,
    unreadable: BTreeMap<UnreadableList, Vec<String>>,
    /// Counts applied pages of the list: a history read before the latest one does not count as caught
    /// up.
    pub(crate) lists_applied: u64,
    /// True if the list of a phone changed since the received calls and texts were read.
    pub(crate) phone_messages_due: bool,
    /// Counts settled AI switches, so that a reading in progress meanwhile does not undo them.
    pub(crate) switches: u64,
    /// Counts announcements of new inbound messages.
    pub(crate) inbound_announced: u64,
    /// Latest albums of which a message was announced.
    announced_albums: VecDeque<(ConversationId, String)>,
    /// Time of the last text sent from this installation, by conversation.
    pub(crate) sent_at: HashMap<ConversationId, Timestamp>,
    /// Time of the last event of the team about messages, by conversation.
    pub(crate) message_events: HashMap<ConversationId, Timestamp>,
    /// True for a channel of the team that this desk has joined.
    pub(crate) is_of_team: bool,
    /// True while the team's event stream is open.
    pub(crate) has_live_events: bool,
}

impl SyncState {
    /// Wall clock at the last reading.
    pub(crate) fn now(&self) -> Timestamp {
        self.times.now
    }

    /// Records both clocks. If the wall clock was set, stored times are shifted, so that ages follow the
    /// steady clock.
    pub(crate) fn follow_clock(&mut self, times: ClockReading) {
        let before = std::mem::replace(&mut self.times, times);
        let by = before.clock_step(times);
        if by == 0 {
            return;
        }
        self.health.move_times(by);
        self.trust.move_times(by);
        let unset = before.wall_time_at(times.moment);
        self.clock_steps.retain(|step| times.moment.since(step.noticed) < CLOCK_STEP_LIFETIME);
        self.clock_steps.push(ClockStep { before: unset, by, noticed: times.moment });
    }

    /// Returns the steps the outbox must follow; none while another process sends, which sees them as
    /// well.
    pub(crate) fn take_clock_steps(&mut self) -> Vec<ClockStep> {
        let (now, moment) = (self.times.now, self.times.moment);
        self.clock_steps.retain(|step| moment.since(step.noticed) < CLOCK_STEP_LIFETIME);
        if self.send_lease.is_held(now) { std::mem::take(&mut self.clock_steps) } else { Vec::new() }
    }

    /// Returns steps that could not be applied.
    pub(crate) fn put_back_clock_steps(&mut self, steps: Vec<ClockStep>) {
        self.clock_steps.splice(0..0, steps);
    }

    /// Initial state of the only process on the folder.
    pub(crate) fn new(times: ClockReading) -> Self {
        Self {
            times,
            clock_steps: Vec::new(),
            health: ConnectionHealth::default(),
            platform: None,
            denied: BTreeSet::new(),
            budget: None,
            failure: None,
            reports_account: true,
            read_lease: LeaseStatus::Always,
            send_lease: LeaseStatus::Always,
            commands: PendingCommands::default(),
            trust: WebhookTrust::default(),
            messages_due_at: None,
            step_began_at: [None; Loop::ALL.len()],
            histories: HistoryQueue::default(),
            details: DetailReads::default(),
            people: PeopleState::default(),
            unreadable: BTreeMap::new(),
            lists_applied: 0,
            phone_messages_due: false,
            switches: 0,
            inbound_announced: 0,
            announced_albums: VecDeque::new(),
            sent_at: HashMap::new(),
            message_events: HashMap::new(),
            is_of_team: false,
            has_live_events: false,
        }
    }

    /// Records that a message is announced; false if one of its album was before.
    pub(crate) fn record_announcement(&mut self, conversation: &ConversationId, album: Option<&str>) -> bool {
        let Some(album) = album else { return true };
        let album = (conversation.clone(), album.to_owned());
        if self.announced_albums.contains(&album) {
            return false;
        }
        if self.announced_albums.len() == MAX_ANNOUNCED_ALBUMS {
            self.announced_albums.pop_front();
        }
        self.announced_albums.push_back(album);
        true
    }

    /// True if the tab is not stopped and the key was not refused this resource.
    pub(crate) fn may_read(&self, resource: PolledResource) -> bool {
        !self.health.is_stopped() && !self.denied.contains(&resource)
    }

    /// Records unreadable rows of a list's page and returns all of them if they changed. The first page
    /// resets the record.
    pub(crate) fn record_unreadable<T>(
        &mut self,
        list: UnreadableList,
        page: &ListPage<T>,
        is_first: bool,
    ) -> Option<Vec<String>> {
        let known = self.unreadable.entry(list).or_default();
        let before = known.clone();
        if is_first {
            known.clear();
        }
        for item in &page.unreadable {
            if known.len() < unreadable::MAX_ITEMS && !known.contains(&item.raw) {
                known.push(item.raw.clone());
            }
        }
        (*known != before).then(|| known.clone())
    }
}
