//! One cell of the fault matrix: a write is tried once under a fault, then the outbox runs until it
//! settles, and a person decides about the rest. Each step is compared with the truth.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use frontdesk::client::{Client, ClientTimeouts};
use frontdesk::model::ids::ChannelId;
use frontdesk::model::news::News;
use frontdesk::model::outbox::{Operation, OutboxRow, RetryClass, RowState, StopReason};
use frontdesk::model::time::{Clock, MINUTE, SECOND};
use frontdesk::model::webhooks::is_challenge_failure;
use frontdesk::store::Store;
use frontdesk::store::outbox::NewRow;
use frontdesk::sync::{ChannelSpec, ChannelSync, PushState, PushStep};

use crate::desk::HandClock;
use crate::faults::world::World;
use crate::faults::writes::Write;
use crate::proxy::fault::Fault;
use crate::proxy::script::Script;
use crate::proxy::{Door, Proxy, Seen};
use crate::waiting::{TryError, with_more_time};

/// For faults that end only by a timeout; short, so that the test is.
const SHORT: ClientTimeouts = ClientTimeouts {
    connect: Duration::from_millis(500),
    idle: Duration::from_secs(4),
    read_total: Duration::from_secs(4),
    write_total: Duration::from_secs(4),
    body: 1024 * 1024,
};
/// Long enough for a busy machine: requests end by their fault and not by a timeout.
pub const LONG: ClientTimeouts = ClientTimeouts {
    connect: Duration::from_secs(60),
    idle: Duration::from_secs(60),
    read_total: Duration::from_secs(60),
    write_total: Duration::from_secs(60),
    body: 1024 * 1024,
};

/// Timeouts of a fault, doubled with each earlier try that failed on a busy machine.
fn patient(fault: Fault, before: u32) -> ClientTimeouts {
    let (first, times) = (bounds(fault), 1 << before);
    ClientTimeouts {
        connect: (first.connect * times).min(LONG.connect),
        idle: (first.idle * times).min(LONG.idle),
        read_total: (first.read_total * times).min(LONG.read_total),
        write_total: (first.write_total * times).min(LONG.write_total),
        ..first
    }
}

pub fn bounds(fault: Fault) -> ClientTimeouts {
    match fault {
        // With two short timeouts the error would not say which one passed.
        Fault::HangingConnect => ClientTimeouts { connect: SHORT.connect, ..LONG },
        fault if fault.lasts() => SHORT,
        _ => LONG,
    }
}

/// A host name that does not resolve.
pub const NOWHERE: &str = "https://frontdesk.invalid/v1";
/// Maximum tries until a request reaches its fault.
const TRIES: u32 = 5;
const NEVER_CAME: &str = "the request never came";
/// The service gives the receiver of a webhook five seconds to repeat a challenge.
const NOT_VERIFIED: &str = "the receiver of the webhook was too slow";
/// Upper bound for the number of cells in a run.
const MOST: usize = 1_000_000;
/// Steps after which an outbox counts as endless.
const STEPS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    NotSent,
    Refused,
    Done,
    Unknown,
}

/// A write, a fault, and a number that chooses the fault's variant.
pub struct Cell {
    pub write: Write,
    pub fault: Fault,
    pub variant: usize,
    /// Unique number of the cell.
    pub number: usize,
}

impl Cell {
    /// Name for the command line.
    pub fn name(&self) -> String {
        format!("{} x {}", self.write.name, self.fault.name())
    }

    /// Runs the cell.
    ///
    /// # Errors
    /// Describes the first violated expectation.
    pub async fn run(&self, world: &World, store: &Store) -> Result<(), String> {
        with_more_time(|before| async move {
            // A busy machine may not bring a request to its fault within the timeouts.
            let again = Self { number: self.number + MOST * before as usize, ..*self };
            again.run_within(world, store, patient(self.fault, before)).await.map_err(|why| {
                match [NEVER_CAME, NOT_VERIFIED].contains(&why.as_str()) {
                    true => TryError::TooLittleTime(why),
                    false => TryError::Wrong(why),
                }
            })
        })
        .await
    }

    async fn run_within(&self, world: &World, store: &Store, bounds: ClientTimeouts) -> Result<(), String> {
        let bench = Bench::set_up(self, world, store).await;
        let operation = bench.wish.operation.clone();
        let outcome = bench.run(bounds).await;
        if let Operation::AddWebhook { url, .. } = operation {
            let path = self.write.name.trim_start_matches("POST ");
            world.forget_webhooks(self.write.channel, path, &url).await;
        }
        outcome
    }

    /// Allowed states after the first try.
    fn may_say(&self) -> &'static [Label] {
        match self.fault {
            Fault::RefusedConnect | Fault::HangingConnect | Fault::DeadName => &[Label::NotSent],
            Fault::Limited => &[Label::NotSent],
            Fault::Unauthorised => &[Label::Refused],
            Fault::Late => &[Label::Done],
            // Some variants end without an answer.
            Fault::Interims => &[Label::Done, Label::Unknown],
            // For an answer without content the desk may query the state.
            Fault::Empty => &[Label::Done, Label::Unknown, Label::Refused],
            Fault::OtherShape => &[Label::Done, Label::Unknown],
            _ => &[Label::Unknown],
        }
    }
}

struct Bench<'a> {
    cell: &'a Cell,
    world: &'a World,
    store: &'a Store,
    clock: Arc<HandClock>,
    proxy: Proxy,
    spec: ChannelSpec,
    wish: crate::faults::writes::Wish,
    row: OutboxRow,
    keys: BTreeSet<String>,
    decisions: usize,
}

impl<'a> Bench<'a> {
    async fn set_up(cell: &'a Cell, world: &'a World, store: &'a Store) -> Self {
        let wish = cell.write.wish(world, cell.number).await;
        let clock = HandClock::new();
        let channel = ChannelId::new(format!("cell {}", cell.number));
        let row = NewRow {
            channel: channel.clone(),
            lane: wish.lane.clone(),
            operation: wish.operation.clone(),
            request: wish.request.clone(),
            hold_micros: 0,
            seen: None,
            planned_at: None,
        };
        let proxy = Proxy::start(world.address(), cell.fault.door()).await;
        let spec = ChannelSpec {
            id: channel,
            name: cell.name(),
            base_url: proxy.base_url(),
            key: world.key(cell.write.channel),
            read_only: false,
            draft_only: false,
        };
        // As in a desk: the process that queues the row has the key.
        let client = Client::new(&spec.base_url, &spec.key, clock.clone()).expect("a client");
        let tell = Arc::new(|_: News| ());
        drop(ChannelSync::with_client(spec.clone(), client, store.clone(), clock.clone(), tell));
        let row = store.enqueue(row, clock.now()).expect("queued");
        let keys = BTreeSet::new();
        Self { cell, world, store, clock, proxy, spec, wish, row, keys, decisions: 0 }
    }

    fn channel(&self, base_url: &str, bounds: ClientTimeouts) -> ChannelSync {
        let spec = ChannelSpec { base_url: base_url.to_owned(), ..self.spec.clone() };
        let client =
            Client::with_timeouts(&spec.base_url, &spec.key, self.clock.clone(), bounds).expect("a client");
        ChannelSync::with_client(spec, client, self.store.clone(), self.clock.clone(), Arc::new(|_: News| ()))
    }

    async fn run(mut self, bounds: ClientTimeouts) -> Result<(), String> {
        self.first_try(bounds).await?;
        let channel = self.channel(&self.proxy.base_url(), LONG);
        // The fault is over.
        self.proxy.door(Door::Open).await;
        channel.pull_account().await;
        let mut state = PushState::new(self.clock.now());
        self.go_on(&channel, &mut state).await?;
        self.check("when it has settled")?;
        if self.keys.len() > 1 {
            return Err(format!("{} keys without a decision", self.keys.len()));
        }
        while let Some((row, stop)) = self.stopped().await? {
            self.decisions += 1;
            if self.decisions > 5 {
                return Err(format!("asks for ever: {stop:?}"));
            }
            let again = self
                .store
                .retry_stopped(&row.id, None, self.clock.now())
                .map_err(|error| error.to_string())?;
            let again = again.and_then(|again| again.after).ok_or("a stopped row cannot be sent again")?;
            // A state may be set again under a new key.
            let pinned = row.operation.retry_class().relies_on_key();
            if pinned && (stop.is_ambiguous() || stop == StopReason::Auth) && again.key != row.key {
                return Err(format!("a new key although {stop:?}"));
            }
            self.go_on(&channel, &mut state).await?;
            self.check("after a decision")?;
        }
        self.finally()
    }

    async fn first_try(&mut self, bounds: ClientTimeouts) -> Result<(), String> {
        let script = self.cell.fault.script(self.cell.variant, self.proxy.trap());
        let (method, path) = (self.wish.request.method.word(), self.wish.request.path.clone());
        let met = Arc::new(AtomicBool::new(false));
        let plan = Mutex::new(Some(script));
        let noted = met.clone();
        self.proxy.plan(move |asked| {
            let is_it = asked.method == method && asked.target == format!("/v1{path}");
            let script = if is_it { plan.lock().expect("no one failed").take() } else { None };
            noted.fetch_or(script.is_some(), Ordering::SeqCst);
            script.unwrap_or_else(Script::pass)
        });
        let url = self.proxy.base_url();
        let url = if self.cell.fault == Fault::DeadName { NOWHERE } else { &url };
        let is_on_the_way = self.cell.fault.door() == Door::Open && self.cell.fault != Fault::DeadName;
        let mut label = Label::NotSent;
        let channel = self.channel(url, bounds);
        let mut state = PushState::new(self.clock.now());
        for _ in 0..TRIES {
            channel.push_once(&mut state, self.clock.now()).await;
            label = self.label().await?;
            if !is_on_the_way || label != Label::NotSent || met.load(Ordering::SeqCst) {
                break;
            }
            // On a busy machine a connection may take longer than its timeout.
            self.clock.advance(MINUTE);
        }
        if is_on_the_way && !met.load(Ordering::SeqCst) {
            return Err(NEVER_CAME.to_owned());
        }
        let done = self.world.done_under(self.row.key.as_str());
        self.check(&format!("when it is said to be {label:?}"))?;
        match label {
            Label::Done if done == 0 => Err("said to be done, and was not".to_owned()),
            Label::NotSent | Label::Refused if done > 0 => Err(format!("said to be {label:?}, and was done")),
            label if !self.cell.may_say().contains(&label) => Err(format!("said to be {label:?}")),
            _ => Ok(()),
        }
    }

    async fn label(&self) -> Result<Label, String> {
        let rows = self.store.lane_rows(&self.spec.id).await.map_err(|error| error.to_string())?;
        Ok(match rows.first().map(|row| (&row.row.state, row.row.attempts)) {
            None => Label::Done,
            Some((RowState::Queued, 0)) => Label::NotSent,
            Some((RowState::Stopped(_, why), _)) if is_challenge_failure(why.as_str()) => {
                return Err(NOT_VERIFIED.to_owned());
            }
            Some((RowState::Uncertain, _)) => Label::Unknown,
            Some((RowState::Stopped(stop, _), _)) if stop.is_ambiguous() => Label::Unknown,
            Some((RowState::Stopped(..), _)) => Label::Refused,
            Some((state, attempts)) => return Err(format!("{state:?} after {attempts} attempts")),
        })
    }

    /// Runs the outbox until nothing changes.
    async fn go_on(&self, channel: &ChannelSync, state: &mut PushState) -> Result<(), String> {
        for _ in 0..STEPS {
            match channel.push_once(state, self.clock.now()).await {
                PushStep::Moved => {}
                PushStep::Due(until) => self.clock.advance(until.since(self.clock.now()).max(0) + 1),
                PushStep::Idle => return Ok(()),
                PushStep::Halted => {
                    // A person checks the channel, and the key is accepted again.
                    channel.resume();
                    channel.pull_account().await;
                    self.clock.advance(SECOND);
                }
            }
        }
        Err(format!("does not settle in {STEPS} steps"))
    }

    async fn stopped(&self) -> Result<Option<(OutboxRow, StopReason)>, String> {
        let rows = self.store.lane_rows(&self.spec.id).await.map_err(|error| error.to_string())?;
        let Some(first) = rows.into_iter().next() else { return Ok(None) };
        match first.row.state.clone() {
            RowState::Stopped(_, why) if is_challenge_failure(why.as_str()) => Err(NOT_VERIFIED.to_owned()),
            RowState::Stopped(stop, _) => Ok(Some((first.row, stop))),
            other => Err(format!("left as {other:?}")),
        }
    }

    /// Checks the invariants of the service and the outbox.
    fn check(&mut self, when: &str) -> Result<(), String> {
        for Seen { asked, body, .. } in self.proxy.seen() {
            let is_it = asked.target == format!("/v1{}", self.wish.request.path);
            if !is_it || asked.method == "GET" {
                continue;
            }
            let key = asked.key.ok_or("a write without a key")?;
            if key == self.row.key.as_str() && !self.wish.request.body.starts_with(&body) {
                return Err("other bytes under the same key".to_owned());
            }
            self.keys.insert(key);
        }
        let effects = self.wish.effects(self.world);
        let done: i64 = self.keys.iter().map(|key| self.world.done_under(key)).sum();
        let pinned = self.wish.operation.retry_class().relies_on_key();
        let most = if pinned { 1 } else { 1 + i64::try_from(self.decisions).unwrap_or(0) };
        // A repeated upload is harmless; a state is set at most once.
        let wanted = if self.wish.operation.retry_class() == RetryClass::Media { done } else { done.min(1) };
        if done > most || effects != wanted {
            return Err(format!("{when}: done {done} times, {effects} effects"));
        }
        if self.proxy.trapped() > 0 {
            return Err("a redirect was followed".to_owned());
        }
        Ok(())
    }

    fn finally(&self) -> Result<(), String> {
        if self.keys.len() > 1 + self.decisions {
            return Err(format!("{} keys, {} decisions", self.keys.len(), self.decisions));
        }
        if self.wish.effects(self.world) == 0 {
            return Err("gone from the outbox, and never done".to_owned());
        }
        Ok(())
    }
}
