//! One tab's hands: its client, its place in the store, and what its loops
//! know in common. The steps themselves are in the file of their resource.

use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::ChannelSpec;
use crate::health::{PolledResource, Pulse};
use crate::report::PullError;
use crate::state::SyncState;
use crate::wishes::Lead;
use client::budget::Retries;
use client::{Client, ClientError, Deadline, RequestFailure};
use model::account::Platform;
use model::calls::Call;
use model::ids::ChannelId;
use model::news::News;
use model::time::{Clock, Moment, Timestamp};
use store::leases::Vitals;
use store::{Store, StoreError};

/// Carries between one channel key's server and the store, a step at a time.
pub struct ChannelSync {
    spec: ChannelSpec,
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    tell: Arc<dyn Fn(News) + Send + Sync>,
    /// What speaks to its server.
    pub client: Client,
    credential: String,
    state: Mutex<SyncState>,
}

impl ChannelSync {
    /// Makes a tab's hands; nothing is asked yet.
    pub fn new(
        spec: ChannelSpec,
        store: Store,
        clock: Arc<dyn Clock>,
        tell: Arc<dyn Fn(News) + Send + Sync>,
    ) -> Result<Self, ClientError> {
        let client = Client::new(&spec.base_url, &spec.key, clock.clone())?;
        if let Some(warning) = client.warning() {
            tracing::warn!(channel = %spec.id, warning);
        }
        Ok(Self::with_client(spec, client, store, clock, tell))
    }

    /// Makes a tab's hands around a client there is: one whose requests leave
    /// another way, or whose budget is shared with another tab.
    pub fn with_client(
        spec: ChannelSpec,
        client: Client,
        store: Store,
        clock: Arc<dyn Clock>,
        tell: Arc<dyn Fn(News) + Send + Sync>,
    ) -> Self {
        let credential = print_of(&spec);
        store.note_credential(&spec.id, &credential);
        let state = Mutex::new(SyncState::new(clock.times()));
        Self { spec, store, clock, tell, client, credential, state }
    }

    /// The same hands, within a budget of retries they share with others.
    #[must_use]
    pub fn within_budget(mut self, retries: Retries) -> Self {
        self.client = self.client.within_budget(retries);
        self
    }

    /// The same hands, whose requests all end by a deadline.
    #[must_use]
    pub fn until(mut self, deadline: Deadline) -> Self {
        self.client = self.client.until(deadline);
        self
    }

    /// Why the last request failed that did, since it was last forgotten.
    pub fn failure(&self) -> Option<RequestFailure> {
        self.state(|sync_state| sync_state.failure.clone())
    }

    /// What failed before is of no interest any more.
    pub fn forget_failure(&self) {
        self.state(|sync_state| sync_state.failure = None);
    }

    /// Remembers why a request failed.
    pub(crate) fn note_failure(&self, failure: Option<RequestFailure>) {
        if failure.is_some() {
            self.state(|sync_state| sync_state.failure = failure);
        }
    }

    /// What the tab is made of.
    pub fn spec(&self) -> &ChannelSpec {
        &self.spec
    }

    /// The requests of the last while, oldest first.
    pub fn calls(&self) -> Vec<Call> {
        self.client.calls(self.id())
    }

    /// Keeps what was asked since the last time, for the other processes on the
    /// folder.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keep_calls(&self, process: &str) -> Result<(), StoreError> {
        self.store.keep_calls(process.to_owned(), self.client.take_fresh_calls(self.id())).await
    }

    /// Tells the channel key and its server apart from others, without
    /// telling them.
    pub fn credential(&self) -> &str {
        &self.credential
    }

    /// Whether nothing is asked until a person acts: the key is not taken, or
    /// the configuration cannot work.
    pub fn is_stopped(&self) -> bool {
        self.state(|sync_state| sync_state.pulse.is_stopped())
    }

    /// Whether a read has shown that the key is taken.
    pub fn is_proven(&self) -> bool {
        self.state(|sync_state| sync_state.pulse.is_proven())
    }

    /// Whether this process may send for the channel now: nothing is claimed
    /// and no byte leaves once its lease has lapsed or another has taken it.
    pub fn sends(&self, now: Timestamp) -> bool {
        self.state(|sync_state| sync_state.sends.holds(now))
    }

    /// Notes whether this process may send.
    pub fn set_sending(&self, lead: Lead) {
        self.state(|sync_state| sync_state.sends = lead);
    }

    /// The state of the connection, as last told.
    pub fn vitals(&self) -> Vitals {
        self.state(|sync_state| Vitals {
            health: sync_state.pulse.told().cloned(),
            budget: sync_state.budget,
        })
    }

    /// Takes in every answer anew, also those that are the same as before.
    pub(crate) fn forget_answers(&self) {
        self.client.forget_answers();
    }

    /// Tries again after a stop, because a person asked to.
    pub fn resume(&self) {
        self.state(|sync_state| sync_state.pulse.resume());
    }

    /// What the key drives, as far as it is known by now.
    pub fn known_platform(&self) -> Option<Platform> {
        self.state(|sync_state| sync_state.platform.clone())
    }

    /// What the key drives; the account as last read on this desk counts
    /// until the server has told.
    pub async fn platform(&self) -> Result<Option<Platform>, StoreError> {
        if let Some(platform) = self.known_platform() {
            return Ok(Some(platform));
        }
        let platform = self.store.account(self.id()).await?.map(|account| account.platform);
        self.state(|sync_state| sync_state.platform.clone_from(&platform));
        Ok(platform)
    }

    /// Notes what the key drives.
    pub(crate) fn set_platform(&self, platform: Platform) {
        self.state(|sync_state| sync_state.platform = Some(platform));
    }

    /// The platform, if this resource of it may be asked for now.
    pub(crate) async fn may_ask(&self, resource: PolledResource) -> Result<Option<Platform>, PullError> {
        if !self.may_read(resource) {
            return Ok(None);
        }
        let told = match resource {
            PolledResource::List => Platform::has_conversations,
            _ => Platform::has_histories,
        };
        Ok(self.platform().await?.filter(told))
    }

    /// Whether the tab is not stopped and the key was not refused this.
    pub(crate) fn may_read(&self, resource: PolledResource) -> bool {
        self.state(|sync_state| sync_state.may_read(resource))
    }

    pub(crate) fn deny(&self, resource: PolledResource) {
        self.state(|sync_state| sync_state.denied.insert(resource));
    }

    /// Asks again for what the key was refused: a person wants to know.
    pub(crate) fn ask_all_again(&self) {
        self.state(|sync_state| sync_state.denied.clear());
    }

    pub(crate) fn id(&self) -> &ChannelId {
        &self.spec.id
    }

    pub(crate) fn tell(&self, news: News) {
        if matches!(news, News::Inbound(..)) {
            self.state(|sync_state| sync_state.inbound_told += 1);
        }
        (self.tell)(news);
    }

    /// Tells news from elsewhere.
    pub(crate) fn teller(&self) -> Arc<dyn Fn(News) + Send + Sync> {
        self.tell.clone()
    }

    pub(crate) fn pulse<R>(&self, look: impl FnOnce(&mut Pulse, Timestamp) -> R) -> R {
        self.state(|state| {
            let now = state.now();
            look(&mut state.pulse, now)
        })
    }

    /// Tells the share of the read budget in use, when it has changed.
    pub(crate) fn tell_budget(&self) {
        let percent = self.client.budget_used();
        let before = self.state(|sync_state| sync_state.budget.replace(percent));
        if before != Some(percent) {
            self.tell(News::Budget(self.id().clone(), percent));
        }
    }

    /// A point in time kept among the marks.
    pub(crate) async fn time_mark(&self, name: &'static str) -> Result<Option<Timestamp>, StoreError> {
        let text = self.store.meta(self.id(), name).await?;
        Ok(text.and_then(|text| text.parse().ok()).map(Timestamp::from_micros))
    }

    /// Looks at what the loops know in common, or changes it. `look` calls
    /// nothing of the channel; a panic elsewhere must not silence the tab.
    pub(crate) fn state<R>(&self, look: impl FnOnce(&mut SyncState) -> R) -> R {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.follow_clock(self.clock.times());
        look(&mut state)
    }

    /// The wall clock's time of a moment, as that clock is set now.
    pub(crate) fn wall_at(&self, moment: Moment) -> Timestamp {
        self.clock.times().run_on(moment)
    }
}

/// A server keeps idempotency keys per channel key; what was sent with one is
/// unknown under another.
fn print_of(spec: &ChannelSpec) -> String {
    let digest = Sha256::new()
        .chain_update(spec.base_url.trim_end_matches('/'))
        .chain_update([0])
        .chain_update(spec.key.expose())
        .finalize();
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
