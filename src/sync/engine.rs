//! Runs the steps of every tab when they are due: five loops a tab, and one that renews the leases of all
//! tabs.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::task::JoinHandle;

use crate::file_news::FileWatcher;
use crate::leases::LeaseManager;
use crate::loops::TabLoop;
use crate::plan::Polling;
use crate::process_names::{ProcessRole, owner_name, process_name};
use crate::tab::{Loop, TabSync};
use crate::team::{TeamError, TeamSpec, TeamSync};
use crate::{ChannelSpec, ChannelSync};
use client::ClientError;
use model::calls::Call;
use model::fetches::Fetch;
use model::ids::{ChannelId, ConversationId};
use model::news::{Health, News};
use model::team::Activity;
use model::text::SafeText;
use model::time::{Clock, Timestamp};
use store::Store;

/// Maximum number of requests of other processes that are read, newest first.
const MAX_OTHER_CALLS: u32 = 400;
/// Time limit for reading the requests of other processes.
const READ_TIMEOUT: Duration = Duration::from_secs(1);

/// Runs all tabs on a runtime. Its calls only post requests to the loops and never block.
pub struct Engine {
    handle: tokio::runtime::Handle,
    store: Store,
    role: ProcessRole,
    /// In the order in which they were added.
    tabs: RwLock<Vec<Arc<TabSync>>>,
    polling: Polling,
    lease_commands: mpsc::UnboundedSender<LeaseCommand>,
    /// Wakes the lease loop when other processes need new information.
    health_changed: Arc<Notify>,
    clock: Arc<dyn Clock>,
    stop: watch::Sender<bool>,
    loops: Mutex<Vec<JoinHandle<()>>>,
    news: Arc<dyn Fn(News) + Send + Sync>,
    team: OnceLock<Arc<TeamSync>>,
}

impl Engine {
    /// Starts the loops of every tab. A tab with an invalid configuration reports that and stays idle.
    pub fn start(
        handle: tokio::runtime::Handle,
        store: Store,
        channels: Vec<ChannelSpec>,
        clock: Arc<dyn Clock>,
        news: Arc<dyn Fn(News) + Send + Sync>,
        polling: Polling,
    ) -> Self {
        Self::start_as(ProcessRole::Inbox, handle, store, channels, clock, news, polling)
    }

    /// As [`Engine::start`], with a role among the processes on the data folder.
    pub fn start_as(
        role: ProcessRole,
        handle: tokio::runtime::Handle,
        store: Store,
        channels: Vec<ChannelSpec>,
        clock: Arc<dyn Clock>,
        news: Arc<dyn Fn(News) + Send + Sync>,
        polling: Polling,
    ) -> Self {
        let mut tabs: Vec<Arc<TabSync>> = Vec::new();
        let health_changed = Arc::new(Notify::new());
        let news = publish_and_wake(news, health_changed.clone());
        for spec in channels {
            let id = spec.id.clone();
            match build_channel_sync(spec, &tabs, &store, &clock, &news) {
                Ok(channel) => tabs.push(Arc::new(TabSync::awaiting_lease(channel, polling))),
                Err(error) => {
                    let why = SafeText::line(&error.to_string());
                    news(News::Health(id, Health::Misconfigured { why }));
                }
            }
        }
        let owner = owner_name(&store);
        let files = FileWatcher::new(store.watch());
        let leading = LeaseManager::new(store.clone(), tabs.clone(), owner, role);
        let (stop, stopping) = watch::channel(false);
        let (lease_commands, orders) = mpsc::unbounded_channel();
        let heard = LeaseEvents { commands: orders, health_changed: health_changed.clone(), files };
        let mut loops = vec![handle.spawn(run_lease_loop(leading, heard, stopping, clock.clone()))];
        for tab in &tabs {
            loops.extend(tab.loops().map(|loops| handle.spawn(run_loop(loops, clock.clone()))));
        }
        Self {
            handle,
            store,
            role,
            tabs: RwLock::new(tabs),
            polling,
            lease_commands,
            health_changed,
            clock,
            stop,
            loops: Mutex::new(loops),
            news,
            team: OnceLock::new(),
        }
    }

    /// Starts the loops of a channel that was connected later, as [`Engine::start`] does. A channel that has a tab
    /// is left as it is.
    pub fn add_channel(&self, spec: ChannelSpec) {
        let id = spec.id.clone();
        let mut tabs = self.tabs.write().unwrap_or_else(PoisonError::into_inner);
        if *self.stop.borrow() || tabs.iter().any(|tab| tab.channel().spec().id == id) {
            return;
        }
        let tab = match build_channel_sync(spec, &tabs, &self.store, &self.clock, &self.news) {
            Ok(channel) => Arc::new(TabSync::awaiting_lease(channel, self.polling)),
            Err(error) => {
                let why = SafeText::line(&error.to_string());
                return (self.news)(News::Health(id, Health::Misconfigured { why }));
            }
        };
        tabs.push(tab.clone());
        drop(tabs);
        if let Some(team) = self.team.get() {
            team.add_tab(&tab);
        }
        // A lease loop that has ended takes no lease, and the tab stays idle.
        let _ = self.lease_commands.send(LeaseCommand::Add(tab.clone()));
        let mut loops = self.loops.lock().unwrap_or_else(PoisonError::into_inner);
        loops.extend(tab.loops().map(|steps| self.handle.spawn(run_loop(steps, self.clock.clone()))));
    }

    fn tabs(&self) -> Vec<Arc<TabSync>> {
        self.tabs.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Follows the team that this desk has joined, or forgets the state of one that it has left. Call once.
    ///
    /// # Errors
    /// The address or the session is unusable, or the database fails. The desk works without the team.
    pub fn join_team(&self, spec: Option<TeamSpec>) -> Result<(), TeamError> {
        let channels = spec.as_ref().map(|spec| spec.channels.clone()).unwrap_or_default();
        self.store.set_team(&channels)?;
        let Some(spec) = spec else { return Ok(()) };
        let (store, clock, news) = (self.store.clone(), self.clock.clone(), self.news.clone());
        let team = Arc::new(TeamSync::new(spec, store, clock, &self.tabs(), news)?);
        let mut loops = self.loops.lock().unwrap_or_else(PoisonError::into_inner);
        for task in TeamSync::tasks(&team) {
            let mut stopping = self.stop.subscribe();
            loops.push(self.handle.spawn(async move {
                tokio::select! {
                    biased;
                    _ = stopping.wait_for(|stop| *stop) => {}
                    () = task => {}
                }
            }));
        }
        // A second call changes nothing.
        let _ = self.team.set(team);
        Ok(())
    }

    /// Sends changes that the team shares soon.
    pub fn wake_team(&self) {
        if let Some(team) = self.team.get() {
            team.wake();
        }
    }

    /// Reads the people of the team with their claims; answered by `News::People`.
    pub fn read_people(&self) {
        if let Some(team) = self.team.get().cloned() {
            self.handle.spawn(async move { team.publish_people().await });
        }
    }

    /// Reads the work of each person of the team since a time; answered by `News::TeamStatistics`.
    pub fn read_team_statistics(&self, since: Timestamp) {
        if let Some(team) = self.team.get().cloned() {
            self.handle.spawn(async move { team.publish_statistics(since).await });
        }
    }

    /// True while the team's events report changes of a channel.
    pub fn has_live_events(&self, channel: &ChannelId) -> bool {
        self.tab(channel).is_some_and(|tab| tab.channel().with_state(|state| state.has_live_events))
    }

    /// Reports to the team what the person does in the open conversation. `leaves_at` is the end of
    /// the hold of a reply.
    pub fn set_activity(&self, activity: Activity, leaves_at: Option<Timestamp>) {
        if let Some(team) = self.team.get() {
            team.set_activity(activity, leaves_at);
        }
    }

    /// Sets the visible tab and its open conversation; `None` if the inbox has no focus.
    pub fn focus(&self, focus: Option<(ChannelId, Option<ConversationId>)>) {
        if let Some(team) = self.team.get() {
            team.set_focus(focus.as_ref());
        }
        for tab in self.tabs() {
            let here = focus.as_ref().filter(|(channel, _)| tab.channel().spec().id == *channel);
            tab.focus(here.is_some(), here.and_then(|(_, conversation)| conversation.clone()));
        }
        self.health_changed.notify_one();
    }

    /// Wakes the sending loops after rows were queued or decided.
    pub fn wake_outbox(&self) {
        for tab in self.tabs() {
            tab.wake(Loop::Push);
            tab.wake(Loop::Upload);
            tab.wake(Loop::Waves);
        }
    }

    /// Reads everything of a tab again, also after it was stopped.
    pub fn refresh(&self, channel: ChannelId) {
        if let Some(tab) = self.tab(&channel) {
            tab.refresh();
            self.health_changed.notify_one();
        }
    }

    /// Requests messages older than the stored ones.
    pub fn fetch_older(&self, channel: ChannelId, conversation: ConversationId) {
        if let Some(tab) = self.tab(&channel) {
            tab.fetch_older(conversation);
            self.health_changed.notify_one();
        }
    }

    /// Recent requests of all tabs, newest first.
    pub fn calls(&self) -> Vec<Call> {
        let mut calls: Vec<Call> = self.tabs().iter().flat_map(|tab| tab.channel().calls()).collect();
        calls.sort_by_key(|call| std::cmp::Reverse(call.at));
        calls
    }

    /// Passes the requests of all processes on the data folder to `tell`; only those of this process if
    /// the store is slow.
    pub fn read_calls(&self, tell: impl FnOnce(Vec<Call>) + Send + 'static) {
        let mut calls = self.calls();
        let (store, this) = (self.store.clone(), process_name(self.role.kind()));
        self.handle.spawn(async move {
            match tokio::time::timeout(READ_TIMEOUT, store.calls_of_others(this, MAX_OTHER_CALLS)).await {
                Ok(Ok(others)) => calls.extend(others),
                Ok(Err(error)) => {
                    tracing::error!(%error, "the requests of other processes could not be read")
                }
                Err(_) => (),
            }
            calls.sort_by_key(|call| std::cmp::Reverse(call.at));
            tell(calls);
        });
    }

    pub fn fetch(&self, channel: ChannelId, fetch: Fetch) {
        if let Some(tab) = self.tab(&channel) {
            tab.fetch(fetch);
        }
    }

    /// Releases the leases before the process is suspended.
    pub async fn suspend(&self) {
        self.send_lease_command(LeaseCommand::Release).await;
    }

    /// Requests leases again after [`Engine::suspend`].
    pub async fn resume(&self) {
        self.send_lease_command(LeaseCommand::Resume).await;
    }

    /// Sends an order to the lease loop and waits for it. A loop that has ended holds no lease.
    async fn send_lease_command(&self, order: impl FnOnce(oneshot::Sender<()>) -> LeaseCommand) {
        let (done, is_done) = oneshot::channel();
        if self.lease_commands.send(order(done)).is_ok() {
            let _ = is_done.await;
        }
    }

    /// Releases the leases, so that other processes can lead at once, and ends the loops: reads are
    /// cancelled, a write in progress is completed.
    pub async fn shutdown(&self) {
        self.send_lease_command(LeaseCommand::Release).await;
        self.stop_loops();
        let loops = std::mem::take(&mut *self.loops.lock().unwrap_or_else(PoisonError::into_inner));
        for ended in loops {
            if let Err(error) = ended.await {
                tracing::error!(%error, "a background loop failed");
            }
        }
    }

    fn stop_loops(&self) {
        self.stop.send_replace(true);
        self.tabs().iter().for_each(|tab| tab.stop());
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn tab(&self, channel: &ChannelId) -> Option<Arc<TabSync>> {
        self.tabs().into_iter().find(|tab| tab.channel().spec().id == *channel)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop_loops();
    }
}

/// Creates the sync state of one tab. Tabs with the same server and key share a client and its rate
/// budget.
fn build_channel_sync(
    spec: ChannelSpec,
    tabs: &[Arc<TabSync>],
    store: &Store,
    clock: &Arc<dyn Clock>,
    news: &Arc<dyn Fn(News) + Send + Sync>,
) -> Result<ChannelSync, ClientError> {
    let same = |tab_sync: &&Arc<TabSync>| {
        let other = tab_sync.channel().spec();
        other.key == spec.key && other.base_url == spec.base_url
    };
    let channel = match tabs.iter().find(same) {
        Some(tab) => {
            let client = tab.channel().client.for_other_tab();
            ChannelSync::with_client(spec, client, store.clone(), clock.clone(), news.clone())
        }
        None => ChannelSync::new(spec, store.clone(), clock.clone(), news.clone())?,
    };
    // All tabs share one retry budget.
    let retries = tabs.first().map(|tab| tab.channel().client.retries().clone()).unwrap_or_default();
    Ok(channel.with_retry_budget(retries))
}

/// Orders to the lease loop; each sender is notified on completion.
enum LeaseCommand {
    Add(Arc<TabSync>),
    Release(oneshot::Sender<()>),
    Resume(oneshot::Sender<()>),
}

/// Wraps `news` so that a change of health also wakes the lease loop, which passes it to other processes.
fn publish_and_wake(
    news: Arc<dyn Fn(News) + Send + Sync>,
    bell: Arc<Notify>,
) -> Arc<dyn Fn(News) + Send + Sync> {
    Arc::new(move |entry| {
        if matches!(entry, News::Health(..)) {
            bell.notify_one();
        }
        news(entry);
    })
}

struct LeaseEvents {
    commands: mpsc::UnboundedReceiver<LeaseCommand>,
    health_changed: Arc<Notify>,
    files: FileWatcher,
}

/// Lease loop, until the engine stops.
async fn run_lease_loop(
    mut leading: LeaseManager,
    mut heard: LeaseEvents,
    mut stop: watch::Receiver<bool>,
    clock: Arc<dyn Clock>,
) {
    let turns = async {
        leading.record_file_change(heard.files.listen());
        loop {
            let wait = leading.step(clock.now()).await;
            let order = tokio::select! {
                biased;
                order = heard.commands.recv() => order,
                () = heard.health_changed.notified() => continue,
                is_watched = heard.files.changed() => {
                    leading.record_file_change(is_watched);
                    continue;
                }
                () = tokio::time::sleep(Duration::from_micros(wait.unsigned_abs())) => continue,
            };
            let done = match order {
                Some(LeaseCommand::Add(tab)) => {
                    leading.add(tab);
                    continue;
                }
                Some(LeaseCommand::Release(done)) => {
                    leading.release(clock.now()).await;
                    done
                }
                Some(LeaseCommand::Resume(done)) => {
                    leading.resume();
                    done
                }
                None => return,
            };
            // The caller may have stopped waiting.
            let _ = done.send(());
        }
    };
    tokio::select! {
        biased;
        // A dropped engine also stops the loop.
        _ = stop.wait_for(|stop| *stop) => {}
        () = turns => {}
    }
}

/// Runs a loop's steps until its tab is stopped.
async fn run_loop(mut steps: TabLoop, clock: Arc<dyn Clock>) {
    let (tab, which) = (steps.tab().clone(), steps.loop_kind());
    while !tab.is_stopped() {
        let wait = match which {
            // Not cancelled by a stop: a request already sent must be settled.
            Loop::Push => steps.step(clock.now()).await,
            // A cancelled upload starts again later.
            Loop::Poll | Loop::Open | Loop::Upload | Loop::Waves => {
                let step = with_silence_reports(&tab, steps.step(clock.now()));
                let Some(wait) = until_stopped(&tab, step).await else { return };
                wait
            }
        };
        if until_stopped(&tab, sleep_until_woken(wait, tab.wait_for_wake(which))).await.is_none() {
            return;
        }
    }
}

/// Awaits `work` and reports a server that does not answer meanwhile.
async fn with_silence_reports<T>(tab: &TabSync, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        let wait = tab.channel().report_silence();
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = tokio::time::sleep(Duration::from_micros(u64::try_from(wait).unwrap_or(0))) => {}
        }
    }
}

/// Awaits `work`, or cancels it when the tab is stopped.
async fn until_stopped<T>(tab: &TabSync, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = tab.stopped() => None,
        done = work => Some(done),
    }
}

/// Waits `micros` microseconds or until woken.
async fn sleep_until_woken(micros: i64, woken: impl Future<Output = ()>) {
    let Some(micros) = u64::try_from(micros).ok().filter(|number| *number > 0) else {
        return;
    };
    tokio::select! {
        () = tokio::time::sleep(Duration::from_micros(micros)) => {}
        () = woken => {}
    }
}
