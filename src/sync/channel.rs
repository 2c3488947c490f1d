//! State of one tab: its client, its store and the values its loops share. The steps are in the file of
//! their resource.

use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};

use crate::ChannelSpec;
use crate::health::{ConnectionHealth, PolledResource};
use crate::pending_commands::LeaseStatus;
use crate::report::PullError;
use crate::state::SyncState;
use client::budget::SharedRetryBudget;
use client::{Client, ClientError, Deadline, RequestFailure};
use model::account::Platform;
use model::calls::Call;
use model::ids::ChannelId;
use model::news::News;
use model::time::{Clock, Moment, Timestamp};
use store::leases::LeaseHealth;
use store::{Store, StoreError};

/// Carries data between the server of one channel key and the store, one step at a time.
pub struct ChannelSync {
    spec: ChannelSpec,
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    publish_news: Arc<dyn Fn(News) + Send + Sync>,
    pub client: Client,
    credential: String,
    state: Mutex<SyncState>,
}

impl ChannelSync {
    /// Creates the tab's state without sending a request.
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

    /// Creates the tab's state with an existing client, for requests over another transport or a budget
    /// shared with another tab.
    pub fn with_client(
        spec: ChannelSpec,
        client: Client,
        store: Store,
        clock: Arc<dyn Clock>,
        publish_news: Arc<dyn Fn(News) + Send + Sync>,
    ) -> Self {
        let credential = fingerprint(&spec);
        store.record_credential(&spec.id, &credential);
        let state = Mutex::new(SyncState::new(clock.times()));
        Self { spec, store, clock, publish_news, client, credential, state }
    }

    /// Sets the retry budget, shared with other tabs.
    #[must_use]
    pub fn with_retry_budget(mut self, retries: SharedRetryBudget) -> Self {
        self.client = self.client.with_retries(retries);
        self
    }

    #[must_use]
    pub fn with_deadline(mut self, deadline: Deadline) -> Self {
        self.client = self.client.with_deadline(deadline);
        self
    }

    /// Last request failure since [`Self::forget_failure`].
    pub fn failure(&self) -> Option<RequestFailure> {
        self.with_state(|sync_state| sync_state.failure.clone())
    }

    pub fn forget_failure(&self) {
        self.with_state(|sync_state| sync_state.failure = None);
    }

    pub(crate) fn record_failure(&self, failure: Option<RequestFailure>) {
        if failure.is_some() {
            self.with_state(|sync_state| sync_state.failure = failure);
        }
    }

    pub fn spec(&self) -> &ChannelSpec {
        &self.spec
    }

    /// Recent requests, oldest first.
    pub fn calls(&self) -> Vec<Call> {
        self.client.calls(self.id())
    }

    /// Stores requests made since the last call, for other processes on the data folder.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn store_calls(&self, process: &str) -> Result<(), StoreError> {
        self.store.store_calls(process.to_owned(), self.client.take_fresh_calls(self.id())).await
    }

    /// Fingerprint of server and channel key; reveals neither.
    pub fn credential(&self) -> &str {
        &self.credential
    }

    /// True if no request is made until a person acts: the key was refused or the configuration is
    /// invalid.
    pub fn is_stopped(&self) -> bool {
        self.with_state(|sync_state| sync_state.health.is_stopped())
    }

    /// True if a read has succeeded with this key.
    pub fn is_key_proven(&self) -> bool {
        self.with_state(|sync_state| sync_state.health.is_key_proven())
    }

    /// True while this process holds the lease for sending: without it no row is claimed and no byte is
    /// sent.
    pub fn may_send(&self, now: Timestamp) -> bool {
        self.with_state(|sync_state| sync_state.send_lease.is_held(now))
    }

    pub fn set_send_lease(&self, lead: LeaseStatus) {
        self.with_state(|sync_state| sync_state.send_lease = lead);
    }

    pub fn lease_health(&self) -> LeaseHealth {
        self.with_state(|sync_state| LeaseHealth {
            health: sync_state.health.last_reported().cloned(),
            budget: sync_state.budget,
        })
    }

    /// Makes the client deliver answers again even if they are unchanged.
    pub(crate) fn reset_seen_answers(&self) {
        self.client.forget_answers();
    }

    /// Retries after a stop on a person's request.
    pub fn resume(&self) {
        self.with_state(|sync_state| sync_state.health.resume());
    }

    /// Platform of the key if known without reading the store.
    pub fn known_platform(&self) -> Option<Platform> {
        self.with_state(|sync_state| sync_state.platform.clone())
    }

    /// Platform of the key; the stored account is used until the server has answered.
    pub async fn platform(&self) -> Result<Option<Platform>, StoreError> {
        if let Some(platform) = self.known_platform() {
            return Ok(Some(platform));
        }
        let platform = self.store.account(self.id()).await?.map(|account| account.platform);
        self.with_state(|sync_state| sync_state.platform.clone_from(&platform));
        Ok(platform)
    }

    pub(crate) fn set_platform(&self, platform: Platform) {
        self.with_state(|sync_state| sync_state.platform = Some(platform));
    }

    /// Returns the platform if `resource` may be read now.
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

    /// True if the tab is not stopped and the key was not refused this resource.
    pub(crate) fn may_read(&self, resource: PolledResource) -> bool {
        self.with_state(|sync_state| sync_state.may_read(resource))
    }

    /// True if new messages are to be read now: readings that nobody waits for stop and go on afterwards.
    pub(crate) fn are_messages_due(&self) -> bool {
        let now = self.clock.moment();
        self.with_state(|SyncState { commands, messages_due_at, .. }| {
            commands.delivered || messages_due_at.is_some_and(|due_at| now.since(due_at) > 0)
        })
    }

    pub(crate) fn record_denied(&self, resource: PolledResource) {
        self.with_state(|sync_state| sync_state.denied.insert(resource));
    }

    /// Allows refused resources again, on a person's request.
    pub(crate) fn clear_denied(&self) {
        self.with_state(|sync_state| sync_state.denied.clear());
    }

    pub(crate) fn id(&self) -> &ChannelId {
        &self.spec.id
    }

    pub(crate) fn publish(&self, news: News) {
        if matches!(news, News::Inbound(..)) {
            self.with_state(|sync_state| sync_state.inbound_announced += 1);
        }
        (self.publish_news)(news);
    }

    /// Callback for news raised outside this type.
    pub(crate) fn publisher(&self) -> Arc<dyn Fn(News) + Send + Sync> {
        self.publish_news.clone()
    }

    pub(crate) fn with_health<R>(&self, look: impl FnOnce(&mut ConnectionHealth, Timestamp) -> R) -> R {
        self.with_state(|state| {
            let now = state.now();
            look(&mut state.health, now)
        })
    }

    /// Announces the used share of the read budget if it changed.
    pub(crate) fn publish_budget(&self) {
        let percent = self.client.budget_used_percent();
        let before = self.with_state(|sync_state| sync_state.budget.replace(percent));
        if before != Some(percent) {
            self.publish(News::Budget(self.id().clone(), percent));
        }
    }

    pub(crate) async fn time_mark(&self, name: &'static str) -> Result<Option<Timestamp>, StoreError> {
        let text = self.store.meta(self.id(), name).await?;
        Ok(text.and_then(|text| text.parse().ok()).map(Timestamp::from_micros))
    }

    /// Reads or changes the values the loops share. `look` must not call the channel (deadlock). A
    /// poisoned lock is used anyway: a panic in one loop must not stop the tab.
    pub(crate) fn with_state<R>(&self, look: impl FnOnce(&mut SyncState) -> R) -> R {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.follow_clock(self.clock.times());
        look(&mut state)
    }

    /// Wall-clock time of a moment by the clock's present setting.
    pub(crate) fn wall_at(&self, moment: Moment) -> Timestamp {
        self.clock.times().wall_time_at(moment)
    }
}

/// Idempotency keys are scoped to a channel key: one sent under another key is unknown.
fn fingerprint(spec: &ChannelSpec) -> String {
    let digest = Sha256::new()
        .chain_update(spec.base_url.trim_end_matches('/'))
        .chain_update([0])
        .chain_update(spec.key.expose())
        .finalize();
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
