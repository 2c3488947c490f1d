//! Leases of this process's tabs. The leader of a channel polls and sends; other processes on the data
//! folder read the files, notice changes, and post requests to the leader. Polling and sending are separate
//! leases: a read-only tab only takes the first.
//!
//! Driven in steps with time as an argument. A lease is renewed only while the tab's own loops make
//! progress.

use std::collections::{BTreeSet, HashMap};
use std::mem::discriminant;
use std::path::Path;
use std::sync::Arc;

use crate::MAX_STEP_WAIT;
use crate::pending_commands::LeaseStatus;
use crate::process_names::{ProcessRole, lease_name, process_name, sending_name};
use crate::tab::{Loop, TabSync};
use model::account::Account;
use model::ids::ChannelId;
use model::leader::Leader;
use model::news::{Health, News};
use model::text::SafeText;
use model::time::{SECOND, Timestamp};
use store::leases::{
    LeaseHealth, LeaseOwner, LeaseRequest, OtherProcess, OwnerRequest, ProcessRank, RENEW_INTERVAL, Versions,
};
use store::{Store, StoreError};

/// Interval between checks of the files, where the system does not report writes, and between checks that
/// a leading process still runs, in microseconds.
const POLL_INTERVAL: i64 = SECOND / 4;
/// Checks after a reported write: it is reported before its commit, which may wait for the disk.
const POLLS_AFTER_WRITE: u8 = 4;
/// Checks after a reported write that may be this process's own renewal.
const POLLS_AFTER_RENEWAL: u8 = 2;
/// Delay before failing files are tried again, in microseconds.
const RETRY_DELAY: i64 = SECOND;
/// Notice shown after the cache was deleted, moved or replaced.
const CACHE_REOPENED_NOTICE: &str =
    "this desk's cache was deleted or replaced; everything is read again from the server";

/// Tab with the names of its leases.
struct LeasedTab {
    asking: String,
    sending: String,
    tab: Arc<TabSync>,
}

impl LeasedTab {
    fn new(tab: Arc<TabSync>) -> Self {
        let spec = tab.channel().spec();
        Self { asking: lease_name(spec), sending: sending_name(spec), tab }
    }

    fn id(&self) -> &ChannelId {
        &self.tab.channel().spec().id
    }

    /// Leases the tab requests: none while one of its loops hangs.
    fn desired_leases(&self, role: ProcessRole, owner: &str, vitals: LeaseHealth) -> Vec<LeaseRequest> {
        if self.tab.is_hung() {
            return Vec::new();
        }
        let read_only = self.tab.channel().spec().read_only;
        let asking = LeaseRequest {
            name: self.asking.clone(),
            channel: self.id().clone(),
            sends: false,
            rank: if read_only { ProcessRank::Reader } else { role.rank() },
            kind: role.kind(),
            health: vitals,
        };
        let sending = LeaseRequest { name: self.sending.clone(), sends: true, ..asking.clone() };
        // Unique to this process: it shows others that the process exists.
        let there = LeaseRequest { name: format!("{}.{owner}", self.sending), ..asking.clone() };
        if read_only { vec![asking] } else { vec![asking, sending, there] }
    }
}

/// Holds and renews the leases of some tabs.
pub struct LeaseManager {
    store: Store,
    owner: String,
    role: ProcessRole,
    tabs: Vec<LeasedTab>,
    state: LeaseManagerState,
    /// Number of next steps that check the files; `None` for all, where writes are not reported.
    polls_left: Option<u8>,
    /// True if leases were renewed since the last reported write.
    has_renewed: bool,
    /// True while the file at the outbox's path is another one; nothing is led then.
    has_lost_outbox: bool,
    /// Number of cache reopenings at the last step.
    reopened_caches: u64,
}

#[derive(Debug, Default)]
struct LeaseManagerState {
    /// Time of the last lease renewal.
    renewed: Option<Timestamp>,
    /// State published with the last renewal.
    reported: Vec<LeaseHealth>,
    versions: Option<Versions>,
    revisions: HashMap<ChannelId, i64>,
    /// Tabs polled by other processes, with the leader's last published state.
    others: HashMap<ChannelId, OtherProcess>,
    senders: HashMap<ChannelId, OtherProcess>,
    /// Sender of each tab as last announced.
    published: HashMap<ChannelId, Leader>,
    /// Process that would send after this one ends, as last announced.
    successors: HashMap<ChannelId, SafeText>,
    accounts: HashMap<ChannelId, Account>,
    /// Base URLs whose servers answered at the last step.
    answering: BTreeSet<String>,
    released: bool,
}

impl LeaseManager {
    /// Tabs lead from the first step that obtains their lease.
    pub fn new(store: Store, tabs: Vec<Arc<TabSync>>, owner: String, role: ProcessRole) -> Self {
        let tabs = tabs.into_iter().map(LeasedTab::new).collect();
        let reopened_caches = store.reopened_caches();
        Self {
            store,
            owner,
            role,
            tabs,
            state: LeaseManagerState::default(),
            polls_left: None,
            has_renewed: false,
            has_lost_outbox: false,
            reopened_caches,
        }
    }

    /// Requests the leases of a tab that was added later, too, from the next step on.
    pub fn add(&mut self, tab: Arc<TabSync>) {
        self.tabs.push(LeasedTab::new(tab));
        self.state.renewed = None;
    }

    /// Records a possible change of the files; `is_watched` is true if the next change will be reported too.
    pub fn record_file_change(&mut self, is_watched: bool) {
        let own = std::mem::take(&mut self.has_renewed) && self.polls_left == Some(0);
        self.polls_left = is_watched.then_some(if own { POLLS_AFTER_RENEWAL } else { POLLS_AFTER_WRITE });
    }

    /// Renews leases, takes lapsed ones and notices changes by other processes. Returns the wait until
    /// the next step, in microseconds.
    pub async fn step(&mut self, now: Timestamp) -> i64 {
        if self.tabs.is_empty() || self.state.released {
            return MAX_STEP_WAIT;
        }
        if self.is_without_outbox(now).await {
            return RETRY_DELAY;
        }
        match self.run_step(now).await {
            Ok(()) if self.take_cache_reopened() => 0,
            Ok(()) => self.wait_time(now),
            Err(error) => {
                tracing::error!(%error, "the leases could not be renewed");
                RETRY_DELAY
            }
        }
    }

    /// Returns true if the outbox is no longer the file at its path. Writes into it would be lost, so
    /// another process must lead.
    async fn is_without_outbox(&mut self, now: Timestamp) -> bool {
        let Some(path) = self.store.missing_outbox().map(Path::to_owned) else {
            if std::mem::take(&mut self.has_lost_outbox) {
                tracing::warn!("the outbox can be used again");
                self.state = LeaseManagerState::default();
                self.tabs.iter().for_each(|led| led.tab.refresh());
            }
            return false;
        };
        if !std::mem::replace(&mut self.has_lost_outbox, true) {
            let error = StoreError::FileReplaced { path };
            tracing::error!(%error, "this process is no longer the leader");
            self.release_leases(now).await;
            let why = SafeText::line(&error.to_string());
            for led in &self.tabs {
                led.tab.channel().stop(Health::Misconfigured { why: why.clone() });
            }
        }
        true
    }

    /// Returns true if the cache was reopened since the last call; everything must be read again.
    fn take_cache_reopened(&mut self) -> bool {
        let reopened = self.store.reopened_caches();
        if std::mem::replace(&mut self.reopened_caches, reopened) == reopened {
            return false;
        }
        // The leases were stored in the old cache.
        self.state = LeaseManagerState::default();
        for led in &self.tabs {
            led.tab.channel().reset_seen_answers();
            led.tab.publish_changed();
            led.tab.refresh();
        }
        if let Some(first) = self.tabs.first() {
            let news = News::Alarm(first.id().clone(), SafeText::line(CACHE_REOPENED_NOTICE));
            first.tab.channel().publish(news);
        }
        true
    }

    /// Releases every lease before the process ends or is suspended.
    pub async fn release(&mut self, now: Timestamp) {
        self.state.released = true;
        self.release_leases(now).await;
    }

    async fn release_leases(&self, now: Timestamp) {
        let nobody = LeaseStatus::Until(Timestamp::default());
        for led in &self.tabs {
            led.tab.set_read_lease(nobody, now);
            led.tab.set_send_lease(nobody, now);
        }
        if let Err(error) = self.store.release_leases(&self.owner).await {
            tracing::error!(%error, "the leases could not be released");
        }
    }

    /// Requests leases again after a release.
    pub fn resume(&mut self) {
        self.state = LeaseManagerState::default();
    }

    /// Microseconds until the next step if no change is reported.
    fn wait_time(&self, now: Timestamp) -> i64 {
        let follows = !self.state.others.is_empty() || !self.state.senders.is_empty();
        match self.state.renewed {
            Some(renewed) if self.polls_left == Some(0) && !follows => {
                renewed.plus(RENEW_INTERVAL).since(now).max(1)
            }
            _ => POLL_INTERVAL,
        }
    }

    async fn run_step(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.share_recovery();
        self.forward_requests().await?;
        let said: Vec<_> = self.tabs.iter().map(|tab| tab.tab.channel().lease_health()).collect();
        let due = self.state.renewed.is_none_or(|time| !(0..RENEW_INTERVAL).contains(&now.since(time)))
            || self.state.others.values().chain(self.state.senders.values()).any(|other| !other.is_held(now))
            || said.iter().zip(&self.state.reported).any(|(new, old)| has_changed(new, old));
        if due {
            self.renew(said, now).await?;
        } else if self.polls_left == Some(0) {
            return Ok(());
        }
        let versions = self.store.versions().await?;
        let before = self.state.versions.replace(versions);
        if before.is_some_and(|entry| entry.outbox != versions.outbox) {
            for LeasedTab { tab, .. } in &self.tabs {
                tab.publish_changed();
                tab.record_sent();
                tab.wake(Loop::Push);
                tab.wake(Loop::Waves);
            }
        }
        if before.is_none_or(|entry| entry.cache != versions.cache) {
            self.read_cache_changes(now).await?;
        }
        self.polls_left = self.polls_left.map(|look| look.saturating_sub(1));
        Ok(())
    }

    /// Wakes all tabs on a base URL when its server answers one of them again, so that they do not
    /// discover it one by one.
    fn share_recovery(&mut self) {
        let answers = |led: &LeasedTab| {
            led.tab
                .channel()
                .with_health(|channel, _| matches!(channel.last_reported(), Some(Health::Live { .. })))
        };
        let address = |led: &LeasedTab| led.tab.channel().spec().base_url.clone();
        let answering: BTreeSet<String> = self.tabs.iter().filter(|tab| answers(tab)).map(address).collect();
        let is_back = |led: &&LeasedTab| {
            let address = address(led);
            answering.contains(&address) && !self.state.answering.contains(&address)
        };
        let is_away =
            |led: &&LeasedTab| led.tab.channel().with_health(|channel, _| channel.is_reported_unavailable());
        self.tabs.iter().filter(is_back).filter(is_away).for_each(|tab| tab.tab.record_recovered());
        self.state.answering = answering;
    }

    /// Posts requests to the leaders of tabs this process does not lead.
    async fn forward_requests(&self) -> Result<(), StoreError> {
        for LeasedTab { asking, tab, .. } in &self.tabs {
            for ask in tab.take_leader_requests() {
                self.store.request_of_owner(asking, ask).await?;
            }
        }
        Ok(())
    }

    async fn renew(&mut self, said: Vec<LeaseHealth>, now: Timestamp) -> Result<(), StoreError> {
        let vitals = self.tabs.iter().zip(said.iter().cloned());
        let wanted: Vec<LeaseRequest> =
            vitals.flat_map(|(led, vitals)| led.desired_leases(self.role, &self.owner, vitals)).collect();
        let names: Vec<String> = wanted.iter().map(|lease_request| lease_request.name.clone()).collect();
        let held = self.store.acquire_leases(&self.owner, wanted, now).await?;
        let held: HashMap<String, LeaseOwner> = names.into_iter().zip(held).collect();
        for led in &self.tabs {
            apply_read_lease(&self.store, &mut self.state, led, held.get(&led.asking).cloned(), now).await?;
            let sender = match held.get(&led.sending) {
                Some(holder) => Some(holder.clone()),
                None => self.store.load_lease(&self.owner, &led.sending, now).await?,
            };
            apply_send_lease(&mut self.state, led, sender, now);
            let successor = self.store.successor(&self.owner, &led.sending, now).await?;
            apply_successor(&mut self.state, led, successor.as_ref());
        }
        for LeasedTab { tab, .. } in &self.tabs {
            let kept = tab.channel().store_calls(&process_name(self.role.kind())).await;
            drop(kept.inspect_err(|error| tracing::warn!(%error, "requests could not be stored")));
        }
        self.has_renewed = true;
        self.state.renewed = Some(now);
        self.state.reported = said;
        Ok(())
    }

    /// Announces changes in the cache by other processes; on the first call, its contents.
    async fn read_cache_changes(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let revisions: HashMap<_, _> = self.store.revisions().await?.into_iter().collect();
        for led in &self.tabs {
            if revisions.get(led.id()) != self.state.revisions.get(led.id()) {
                led.tab.publish_changed();
                publish_account(&self.store, &mut self.state, &led.tab).await?;
            }
            match self.store.load_lease(&self.owner, &led.asking, now).await? {
                Some(LeaseOwner::This(_)) if led.tab.holds_read_lease(now) => {
                    take_owner_requests(&self.store, led).await?
                }
                // Another process has taken the lease over.
                Some(holder @ LeaseOwner::Other(_)) => {
                    apply_read_lease(&self.store, &mut self.state, led, Some(holder), now).await?;
                }
                // Released: taken at the next step.
                Some(LeaseOwner::This(_)) | None => self.state.renewed = None,
            }
            match self.store.load_lease(&self.owner, &led.sending, now).await? {
                None if !led.tab.channel().spec().read_only => self.state.renewed = None,
                holder => apply_send_lease(&mut self.state, led, holder, now),
            }
        }
        self.state.revisions = revisions;
        Ok(())
    }
}

/// Records the process that polls for a tab.
async fn apply_read_lease(
    store: &Store,
    state: &mut LeaseManagerState,
    led: &LeasedTab,
    holder: Option<LeaseOwner>,
    now: Timestamp,
) -> Result<(), StoreError> {
    match holder {
        Some(LeaseOwner::This(until)) => {
            let took_over = state.others.remove(led.id()).is_some();
            led.tab.set_read_lease(LeaseStatus::Until(until), now);
            if took_over {
                take_owner_requests(store, led).await?;
            }
        }
        Some(LeaseOwner::Other(other)) => {
            led.tab.set_read_lease(LeaseStatus::Other, now);
            apply_leader_news(state, &led.tab, other);
        }
        None => led.tab.set_read_lease(LeaseStatus::Until(Timestamp::default()), now),
    }
    Ok(())
}

async fn publish_account(
    store: &Store,
    state: &mut LeaseManagerState,
    tab: &TabSync,
) -> Result<(), StoreError> {
    let channel = &tab.channel().spec().id;
    let account = store.account(channel).await?;
    if let Some(account) = account.filter(|account| state.accounts.get(channel) != Some(account)) {
        state.accounts.insert(channel.clone(), account.clone());
        tab.channel().publish(News::Account(channel.clone(), Box::new(account)));
    }
    Ok(())
}

async fn take_owner_requests(
    store: &Store,
    LeasedTab { asking, tab, .. }: &LeasedTab,
) -> Result<(), StoreError> {
    for ask in store.take_owner_requests(asking).await? {
        match ask {
            OwnerRequest::Refresh => tab.refresh(),
            OwnerRequest::Open(conversation) => tab.read(conversation, false),
            OwnerRequest::Older(conversation) => tab.read(conversation, true),
        }
    }
    Ok(())
}

/// True if the states differ by more than their time; waiting processes are informed at once then.
fn has_changed(new: &LeaseHealth, old: &LeaseHealth) -> bool {
    new.health.as_ref().map(discriminant::<Health>) != old.health.as_ref().map(discriminant::<Health>)
}

/// Records the process that sends for a tab and announces a change.
fn apply_send_lease(
    state: &mut LeaseManagerState,
    led: &LeasedTab,
    holder: Option<LeaseOwner>,
    now: Timestamp,
) {
    let channel = led.id();
    state.senders.remove(channel);
    let (lead, leader) = match holder {
        Some(LeaseOwner::This(until)) => (LeaseStatus::Until(until), Leader::Here),
        Some(LeaseOwner::Other(other)) => {
            let leader = other.leader();
            state.senders.insert(channel.clone(), other);
            (LeaseStatus::Other, leader)
        }
        None => (LeaseStatus::Until(Timestamp::default()), Leader::Nobody),
    };
    led.tab.set_send_lease(lead, now);
    if state.published.get(channel) != Some(&leader) {
        state.published.insert(channel.clone(), leader.clone());
        led.tab.channel().publish(News::Leader(channel.clone(), leader));
    }
}

/// Announces a change of the process that would send after this one ends.
fn apply_successor(state: &mut LeaseManagerState, led: &LeasedTab, successor: Option<&OtherProcess>) {
    let channel = led.id();
    let named =
        successor.and_then(|successor| successor.leader().describe()).map(|text| SafeText::line(&text));
    if state.successors.get(channel) == named.as_ref() {
        return;
    }
    match &named {
        Some(named) => drop(state.successors.insert(channel.clone(), named.clone())),
        None => drop(state.successors.remove(channel)),
    }
    led.tab.channel().publish(News::Successor(channel.clone(), named));
}

/// Announces a change of another leader's published state.
fn apply_leader_news(state: &mut LeaseManagerState, tab: &TabSync, other: OtherProcess) {
    let channel = &tab.channel().spec().id;
    let LeaseHealth { health, budget } = other.health.clone();
    let before = state.others.insert(channel.clone(), other).map(|insert| insert.health).unwrap_or_default();
    if let Some(health) = health.filter(|health| before.health.as_ref() != Some(health)) {
        tab.channel().publish(News::Health(channel.clone(), health));
    }
    if let Some(budget) = budget.filter(|budget| before.budget != Some(*budget)) {
        tab.channel().publish(News::Budget(channel.clone(), budget));
    }
}
