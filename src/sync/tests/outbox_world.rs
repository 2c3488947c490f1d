//! Two processes on one data folder, a server that keeps keys for a day, an adjustable clock, and the
//! reference: outcome of each request, keys sent for it, and deliveries to the customer.

use std::collections::{BTreeSet, HashMap};

use crate::outbox::guard::{ClockJump, Outage};
use crate::outbox::outcome::result_of_retry;
use crate::outbox::queue::{self, LaneContext, LaneStep};
use crate::outbox::send::SenderAccount;
use crate::tests::outbox_faults::Fault;
use client::WriteOutcome;
use client::retry::{self, Attempt, RetryStep};
use model::chance::Chance;
use model::ids::{ChannelId, MessageId, RowId};
use model::outbox::{
    ClockTimes, Lane, MAX_KEY_AGE, Operation, PreparedRequest, RowState, StopReason, StopVerdict, WriteMethod,
};
use model::text::SafeText;
use model::time::{SECOND, Timestamp};
use store::lane::{AttemptResult, LaneRow};
use store::outbox::NewRow;
use store::{Store, StoreDurability, StoreOptions};

/// One request of a person, across all its rows and keys.
#[derive(Debug, Default)]
pub(super) struct Wish {
    keys: BTreeSet<String>,
    decisions: usize,
    /// New keys requested by a person.
    pub(super) anew: u32,
    pub(super) delivered: u32,
    is_over: bool,
}

/// Server record of a key.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) body: Vec<u8>,
    pub(super) at: i64,
    pub(super) message: MessageId,
}

/// Source of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Knowledge {
    /// Answers carry the server's date.
    Server,
    /// Only the time since boot.
    Boot,
}

pub(super) struct World {
    pub(super) runtime: tokio::runtime::Runtime,
    folder: tempfile::TempDir,
    processes: [Option<Store>; 2],
    pub(super) channel: ChannelId,
    knowledge: Knowledge,
    /// True time in seconds, and the error of the local clock.
    pub(super) truth: i64,
    off: i64,
    pub(super) wishes: Vec<Wish>,
    pub(super) rows: HashMap<RowId, usize>,
    pub(super) bytes: HashMap<String, Vec<u8>>,
    pub(super) server: HashMap<String, Kept>,
    pub(super) deliveries: HashMap<String, u32>,
    /// State of each running process between its steps; `None` before its first one.
    stepped: [Option<Outage>; 2],
    /// Answers in transit to a stalled process.
    pub(super) late: Vec<(usize, LaneRow, WriteOutcome<MessageId>)>,
    /// Rows as each process read them earlier.
    pub(super) read: [Vec<LaneRow>; 2],
    /// Planned rows that a person sent at once.
    pub(super) hurried: BTreeSet<RowId>,
    cases: u32,
    /// Number of stores opened: each is a seed, since ids must differ.
    opened: u64,
}

impl World {
    pub(super) fn new() -> Self {
        Self {
            runtime: tokio::runtime::Builder::new_current_thread().build().unwrap(),
            folder: tempfile::tempdir().unwrap(),
            processes: [None, None],
            channel: ChannelId::from(""),
            knowledge: Knowledge::Server,
            truth: 0,
            off: 0,
            wishes: Vec::new(),
            rows: HashMap::new(),
            bytes: HashMap::new(),
            server: HashMap::new(),
            deliveries: HashMap::new(),
            stepped: [None, None],
            late: Vec::new(),
            read: [Vec::new(), Vec::new()],
            hurried: BTreeSet::new(),
            cases: 0,
            opened: 0,
        }
    }

    /// Each case has its own channel: the files are shared.
    pub(super) fn begin(&mut self, knowledge: Knowledge) {
        self.cases += 1;
        self.channel = ChannelId::new(format!("case-{}", self.cases));
        self.knowledge = knowledge;
        (self.truth, self.off, self.stepped) = (0, 0, [None, None]);
        self.wishes.clear();
        self.rows.clear();
        self.bytes.clear();
        self.server.clear();
        self.deliveries.clear();
        self.late.clear();
        self.read = [Vec::new(), Vec::new()];
        self.hurried.clear();
    }

    pub(super) fn store(&mut self, process: usize) -> Store {
        let (path, opened) = (self.folder.path(), &mut self.opened);
        let open = || {
            *opened += 1;
            let setup = StoreOptions {
                chance: Chance::seeded(*opened),
                durability: StoreDurability::Simulated,
                ..StoreOptions::default()
            };
            Store::open_with(path, setup).unwrap()
        };
        let store = self.processes[process].get_or_insert_with(open).clone();
        store.record_credential(&self.channel, "key");
        store
    }

    fn wall(&self) -> Timestamp {
        Timestamp::from_micros(1_700_000_000 * SECOND + (self.truth + self.off) * SECOND)
    }

    pub(super) fn moment(&self) -> ClockTimes {
        let server = Timestamp::from_micros(900_000_000 * SECOND + self.truth * SECOND);
        ClockTimes {
            wall: self.wall(),
            server: (self.knowledge == Knowledge::Server).then_some(server),
            since_boot: (self.knowledge == Knowledge::Boot).then_some(self.truth * SECOND),
        }
    }

    pub(super) fn lane_rows(&mut self, process: usize) -> Vec<LaneRow> {
        let store = self.store(process);
        self.runtime.block_on(store.lane_rows(&self.channel)).unwrap()
    }

    pub(super) fn pass(&mut self, seconds: i64) {
        self.truth += seconds;
    }

    pub(super) fn set_clock(&mut self, seconds: i64) {
        self.off += seconds;
    }

    /// kill -9.
    pub(super) fn kill(&mut self, process: usize) {
        self.processes[process] = None;
        self.stepped[process] = None;
        self.late.retain(|(of, _, _)| *of != process);
    }

    /// Queues a request, optionally planned for a number of seconds from now.
    pub(super) fn enqueue(&mut self, process: usize, lane: u8, costs: bool, planned: Option<i64>) {
        let lane = Lane::Conversation(format!("c{lane}").as_str().into());
        let text = format!("wish {}", self.wishes.len());
        let operation = if costs {
            Operation::SendText { to: "+1".into(), text: text.clone(), reply_to: None }
        } else {
            Operation::React { message: text.as_str().into(), emoji: "👍".into() }
        };
        let request = PreparedRequest::json(WriteMethod::Post, "/x", text.into_bytes());
        let channel = self.channel.clone();
        let (store, now) = (self.store(process), self.wall());
        let planned_at = planned.map(|number| now.plus(number * SECOND));
        let row = NewRow { channel, lane, operation, request, hold_micros: 0, seen: None, planned_at };
        let row = store.enqueue(row, now).unwrap();
        self.rows.insert(row.id, self.wishes.len());
        self.wishes.push(Wish::default());
    }

    /// Recalls the newest row if it was never sent.
    pub(super) fn recall(&mut self, process: usize) {
        let Some(row) = self.lane_rows(process).pop() else { return };
        let store = self.store(process);
        if store.recall(&row.row.id).unwrap().is_some() {
            assert_eq!(row.row.attempts, 0, "only what was never tried is taken back");
            let wish = self.rows[&row.row.id];
            self.wishes[wish].is_over = true;
        }
    }

    pub(super) fn decide(&mut self, process: usize, which: usize, verdict: Option<StopVerdict>) {
        let stopped: Vec<_> =
            self.lane_rows(process).into_iter().filter(|lane_row| lane_row.row.is_stopped()).collect();
        let Some(row) = stopped.get(which % stopped.len().max(1)) else { return };
        let (store, now) = (self.store(process), self.moment());
        let decided = match verdict {
            Some(verdict) => store.decide(&row.row.id, verdict, None, now).unwrap(),
            None => store.retry_stopped(&row.row.id, None, now).unwrap(),
        };
        let Some(decided) = decided else { return };
        let index = self.rows[&row.row.id];
        let wish = &mut self.wishes[index];
        wish.decisions += 1;
        match decided.after {
            Some(after) if after.id != row.row.id => {
                wish.anew += 1;
                self.rows.insert(after.id, index);
            }
            Some(_) => {}
            None => wish.is_over = true,
        }
        assert!(store.decisions(&row.row.id).unwrap().len() <= wish.decisions, "written down once");
    }

    /// One step of a process's push loop.
    pub(super) fn step(&mut self, process: usize, fault: Fault) {
        self.end_waits(process);
        let rows = self.lane_rows(process);
        let (held, outage) = (HashMap::new(), Outage::new(Timestamp::default()));
        // Histories count as read; reply conflicts are not modelled.
        let read_at = |lane_row: &LaneRow| {
            Some((lane_row.row.lane.conversation()?.clone(), Timestamp::from_micros(i64::MAX)))
        };
        let read_at = rows.iter().filter_map(read_at).collect();
        let now = self.moment();
        let desk = LaneContext {
            now,
            held: &held,
            sender: SenderAccount { credential: "key", account: None, reports_account: false },
            confirm_after: now.wall,
            read_at: &read_at,
            outage: &outage,
            search_after: None,
        };
        let store = self.store(process);
        match queue::choose_row(&rows, &desk) {
            LaneStep::Recover => {
                self.runtime.block_on(store.recover_lapsed(now.wall)).unwrap();
            }
            LaneStep::Expire(index) => {
                assert!(rows[index].key_age(&now).is_some_and(|key_age| key_age >= MAX_KEY_AGE));
                let stop = AttemptResult::Stop(StopReason::Expired, SafeText::line("old"));
                self.runtime.block_on(store.settle(&rows[index], stop)).unwrap();
            }
            LaneStep::Send(index) => self.send(process, &rows, index, fault),
            LaneStep::AskAboutAccount(_) | LaneStep::ConfirmAccount => panic!("there is one key"),
            LaneStep::Wait(_) | LaneStep::Nothing | LaneStep::SearchHistory(_) | LaneStep::ReadFirst(_) => {}
        }
    }

    /// Ends obsolete waits after a clock set back or a restart.
    fn end_waits(&mut self, process: usize) {
        let (store, now) = (self.store(process), self.wall());
        let mut outage = self.stepped[process].unwrap_or_else(|| Outage::new(Timestamp::default()));
        if let Some(jump) = outage.step(now) {
            let ended = store.end_waits(&self.channel, now, jump == ClockJump::Backward);
            self.runtime.block_on(ended).unwrap();
        }
        self.stepped[process] = Some(outage);
    }

    fn send(&mut self, process: usize, rows: &[LaneRow], index: usize, fault: Fault) {
        let (store, now, row) = (self.store(process), self.moment(), &rows[index]);
        let ahead = rows[..index].iter().filter(|lane_row| lane_row.row.lane == row.row.lane);
        for earlier in ahead {
            let over =
                matches!(earlier.row.state, RowState::Stopped(StopReason::Refused | StopReason::Window, _));
            // A row sent again keeps its place, but rows sent meanwhile are finished first.
            let moved = self.wishes[self.rows[&earlier.row.id]].decisions > 0
                || self.hurried.contains(&earlier.row.id);
            let again = row.row.attempts > 0 && moved;
            // Planned rows do not block later ones.
            let later = earlier.row.planned_at.is_some() && earlier.row.state == RowState::Queued;
            assert!(over || again || later, "I4: {:?} is passed over in its lane", earlier.row.state);
        }
        let planned = row.row.planned_at.filter(|_| row.row.attempts == 0);
        assert!(planned.is_none_or(|time| time <= now.wall), "it leaves before its time");
        let claim = store.claim(&row.row.id, row.fencing_token, now, "key");
        let claimed = self.runtime.block_on(claim).unwrap().expect("nobody else is here");
        let again = self.runtime.block_on(store.claim(&row.row.id, row.fencing_token, now, "key")).unwrap();
        assert!(again.is_none(), "I5: claimed twice");
        if fault == Fault::KilledBefore {
            return self.kill(process);
        }
        self.check_leaving(1 - process, &claimed);
        let outcome = self.meet(&claimed, fault);
        match (fault, outcome) {
            (Fault::KilledAfter, _) => self.kill(process),
            (
                Fault::Stalled | Fault::StalledRefused | Fault::StalledUnclear | Fault::StalledOffline,
                outcome,
            ) => self.late.push((process, claimed, outcome)),
            (_, outcome) => self.settle(&store, &claimed, outcome),
        }
    }

    /// Checks I1, I2 and I7 as the first byte is sent, as seen by the other process.
    fn check_leaving(&mut self, other: usize, claimed: &LaneRow) {
        let found = self
            .lane_rows(other)
            .into_iter()
            .find(|lane_row| lane_row.row.id == claimed.row.id)
            .expect("I1: on disk");
        assert_eq!(found.row.state, RowState::Sending, "I1: marked before a byte leaves");
        let store = self.store(other);
        let request = self.runtime.block_on(store.request(&claimed.row.id)).unwrap().expect("I1: its bytes");
        let key = claimed.row.key.as_str().to_owned();
        let body = self.bytes.entry(key.clone()).or_insert_with(|| request.body.clone());
        assert_eq!(*body, request.body, "I2: the bytes of a key never change");
        let wish = &mut self.wishes[self.rows[&claimed.row.id]];
        wish.keys.insert(key);
        assert!(wish.keys.len() <= 1 + wish.decisions, "I7: more keys than decisions");
    }

    fn settle(&mut self, store: &Store, claimed: &LaneRow, outcome: WriteOutcome<MessageId>) {
        let attempt = Attempt {
            class: claimed.row.operation.retry_class(),
            is_idempotency_supported: true,
            failures: claimed.failures,
            in_progress: 0,
            age: claimed.key_age(&self.moment()).unwrap_or(0),
            jitter: 0.5,
        };
        let next = retry::decide(&outcome, attempt);
        let told = match (next, outcome) {
            (RetryStep::Done, WriteOutcome::Done(message)) => return self.done(store, claimed, &message),
            (next, _) => result_of_retry(next, self.wall()).expect("not done"),
        };
        let fence = |world: &Self| {
            let rows = world.runtime.block_on(store.lane_rows(&world.channel)).unwrap();
            rows.iter().find(|row| row.row.id == claimed.row.id).map(|row| row.fencing_token)
        };
        let before = fence(self);
        let counted = self.runtime.block_on(store.settle(claimed, told)).unwrap();
        assert_eq!(counted, before == Some(claimed.fencing_token), "I5: an outcome counts for its own claim");
    }

    fn done(&mut self, store: &Store, claimed: &LaneRow, message: &MessageId) {
        let made = Some(message.as_str().to_owned());
        let done = AttemptResult::Done { created_id: made, automation: None, replayed: false };
        self.runtime.block_on(store.settle(claimed, done)).unwrap();
        let wish = self.rows[&claimed.row.id];
        let left = self.runtime.block_on(store.lane_rows(&self.channel)).unwrap();
        let untried = |lane_row: &&LaneRow| self.rows[&lane_row.row.id] == wish && lane_row.row.attempts == 0;
        assert_eq!(left.iter().find(untried), None, "I5: a late success ends what was not tried since");
        let same = left.iter().find(|lane_row| lane_row.row.id == claimed.row.id);
        assert_eq!(same, None, "I5: a success always counts");
        if claimed.row.operation.is_customer_message() {
            let unclaimed = store.unclaimed_messages(&self.channel, [message.clone()].into());
            assert!(self.runtime.block_on(unclaimed).unwrap().is_empty(), "I6: row and message together");
        }
        if !left.iter().any(|lane_row| self.rows[&lane_row.row.id] == wish) {
            self.wishes[wish].is_over = true;
        }
    }

    /// Processes a stalled answer.
    pub(super) fn wake(&mut self) {
        if self.late.is_empty() {
            return;
        }
        let (process, claimed, outcome) = self.late.remove(0);
        let store = self.store(process);
        self.settle(&store, &claimed, outcome);
    }

    /// After every step: at most one row a lane is being sent, none is gone before its end, and planned
    /// rows never executed wait for their time whatever the clock shows.
    pub(super) fn check(&mut self) {
        let rows = self.lane_rows(0);
        let mut leaving = BTreeSet::new();
        for row in rows.iter().filter(|row| row.row.state == RowState::Sending) {
            assert!(leaving.insert(row.row.lane.id().to_owned()), "I5: two leave in one lane");
        }
        for row in rows.iter().filter(|row| row.row.state == RowState::Queued && row.row.attempts == 0) {
            let waits = row.row.planned_at.is_none_or(|planned| planned <= row.row.not_before);
            assert!(waits, "a planned text may leave before its time");
        }
        let present: BTreeSet<usize> = rows.iter().map(|row| self.rows[&row.row.id]).collect();
        for (index, wish) in self.wishes.iter().enumerate() {
            assert!(wish.is_over || present.contains(&index), "wish {index} is lost");
        }
    }
}
