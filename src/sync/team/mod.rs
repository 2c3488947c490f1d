//! The team of this desk: its events, the state that it shares, and who is here.
//!
//! - **Stream.** Follows the events of the service. An event about messages makes its tab read; an event about shared
//!   state is stored; presence is kept in memory. While the stream is open, tabs do not poll by themselves: one tab a
//!   minute is made to read, in turn, which finds what events missed.
//! - **Changes.** Sends the changes of this desk in order, one at a time, and reads what changed since the last
//!   reading once a minute. A change is removed when the service has answered; one that another claim beats is
//!   undone here, and the screen says who has the conversation. Without a network changes wait.
//! - **Canned replies.** Reads them at the start and after an event, and sends the changes of this desk.
//! - **Channels.** Looks for channels that were connected after this desk joined, and stores keys for them.
//! - **Presence.** Reports where this desk's person is, at most once in 5 seconds, and at once when the
//!   conversation changes or a reply is held.
//!
//! Every request can be repeated without harm, so a process that ends between a request and its answer loses nothing,
//! and several processes on one data folder need no lock. Only a process that polls a channel of the team sends.

mod changes;
mod channels;
mod presence;
mod stream;

use std::collections::BTreeSet;
use std::fmt::{self, Debug, Formatter};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use tokio::sync::Notify;

use crate::tab::{Loop, TabSync};
use crate::{ChannelSpec, Engine};
use client::{Client, ClientError};
use model::ids::{ChannelId, ConversationId};
use model::news::News;
use model::secret::Secret;
use model::team::{Activity, AppliedShared, Presence, SharedPart};
use model::text::SafeText;
use model::time::{Clock, Moment, Timestamp};
use store::{Store, StoreError};

/// Shown once for a server without teams.
const NO_TEAM: &str = "Claims and notes are kept on this desk only";
/// Shown once when the session has ended.
const SESSION_ENDED: &str = "You are no longer in the team: run `frontdesk leave`, then join again";
/// Maximum number of events that wait to be stored; beyond it everything is read again.
const MAX_WAITING_EVENTS: usize = 1_000;

/// The team that this desk has joined.
#[derive(Debug, Clone)]
pub struct TeamSpec {
    /// Address of the service, ending in `/v1`.
    pub base_url: String,
    pub session: Secret,
    /// Person of the session.
    pub person: SafeText,
    /// Channels of the workspace.
    pub channels: Vec<ChannelId>,
    /// Adds channels that were connected later; `None` if this desk adds none.
    pub new_channels: Option<NewChannels>,
}

/// Channel of the workspace that a desk has found.
#[derive(Debug, Clone)]
pub enum NewChannel {
    /// Has a tab in the configuration now.
    Connected(Box<ChannelSpec>),
    /// Words about a channel that gets no tab now.
    Notice(String),
}

/// Adds channels of the workspace that this desk does not have yet. Blocks on the network and the disk.
#[derive(Clone)]
pub struct NewChannels(pub Arc<dyn Fn() -> Result<Vec<NewChannel>, String> + Send + Sync>);

impl NewChannels {
    /// Starts each channel in an engine, too, after `tell` has heard of it.
    #[must_use]
    pub fn started_in(
        self,
        engine: &Arc<Engine>,
        tell: impl Fn(&ChannelSpec) + Send + Sync + 'static,
    ) -> Self {
        let engine = Arc::downgrade(engine);
        Self(Arc::new(move || {
            let found = (self.0)()?;
            for channel in &found {
                if let (NewChannel::Connected(spec), Some(engine)) = (channel, engine.upgrade()) {
                    tell(spec);
                    engine.add_channel((**spec).clone());
                }
            }
            Ok(found)
        }))
    }
}

impl Debug for NewChannels {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("NewChannels")
    }
}

/// Reason why a team cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

type TeamTask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// State that the tasks of a team share.
pub(crate) struct TeamSync {
    client: Client,
    person: SafeText,
    store: Store,
    clock: Arc<dyn Clock>,
    /// Tabs of the team's channels.
    tabs: RwLock<Vec<Arc<TabSync>>>,
    new_channels: Option<NewChannels>,
    publish_news: Arc<dyn Fn(News) + Send + Sync>,
    state: Mutex<TeamState>,
    /// Wakes the task that sends changes.
    changes: Notify,
    /// Wakes the task that reports presence.
    presence: Notify,
    /// Wakes the task that shows the presence of colleagues.
    colleagues: Notify,
    /// True once the session has ended or the service has no teams.
    ended: AtomicBool,
}

#[derive(Default)]
struct TeamState {
    present: Vec<Presence>,
    /// Location of this desk's person; `None` if nobody is at the desk.
    here: Option<Here>,
    /// Events to store, oldest first.
    events: Vec<(ConversationId, SharedPart)>,
    /// Everything has to be read again.
    is_reset: bool,
    /// Changes have to be read before the next sweep is due.
    is_sweep_due: bool,
    /// The people of the team have to be read.
    are_people_stale: bool,
    /// The canned replies of the team have to be read.
    are_replies_stale: bool,
    /// Conversations to read again.
    unclear: BTreeSet<ConversationId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Here {
    conversation: Option<(ChannelId, ConversationId)>,
    activity: Activity,
    /// Time of the last change of the text while the person types.
    typed_at: Option<Moment>,
    /// End of the hold of a reply.
    leaves_at: Option<Timestamp>,
}

impl TeamSync {
    pub(crate) fn new(
        spec: TeamSpec,
        store: Store,
        clock: Arc<dyn Clock>,
        tabs: &[Arc<TabSync>],
        publish_news: Arc<dyn Fn(News) + Send + Sync>,
    ) -> Result<Self, ClientError> {
        let client = Client::new(&spec.base_url, &spec.session, clock.clone())?;
        let is_team = |tab: &&Arc<TabSync>| spec.channels.contains(&tab.channel().spec().id);
        let tabs: Vec<Arc<TabSync>> = tabs.iter().filter(is_team).cloned().collect();
        tabs.iter().for_each(|tab| tab.channel().with_state(|state| state.is_of_team = true));
        let state = Mutex::new(TeamState {
            is_reset: true,
            are_people_stale: true,
            are_replies_stale: true,
            ..TeamState::default()
        });
        Ok(Self {
            client,
            person: spec.person,
            store,
            clock,
            tabs: RwLock::new(tabs),
            new_channels: spec.new_channels,
            publish_news,
            state,
            changes: Notify::new(),
            presence: Notify::new(),
            colleagues: Notify::new(),
            ended: AtomicBool::new(false),
        })
    }

    fn tabs(&self) -> Vec<Arc<TabSync>> {
        self.tabs.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds the tab of a channel that was connected later. The tab polls by itself until the stream opens again.
    pub(crate) fn add_tab(&self, tab: &Arc<TabSync>) {
        tab.channel().with_state(|state| state.is_of_team = true);
        let channels: Vec<ChannelId> = {
            let mut tabs = self.tabs.write().unwrap_or_else(PoisonError::into_inner);
            tabs.push(tab.clone());
            tabs.iter().map(|tab| tab.channel().spec().id.clone()).collect()
        };
        if let Err(error) = self.store.set_team(&channels) {
            tracing::error!(%error, "a channel could not be added to the team");
        }
        self.with_state(|state| state.is_reset = true);
        self.wake();
    }

    /// The tasks of a team: they end with the session.
    pub(crate) fn tasks(team: &Arc<Self>) -> [TeamTask; 5] {
        [
            Box::pin(channels::add(team.clone())),
            Box::pin(stream::follow(team.clone())),
            Box::pin(changes::share(team.clone())),
            Box::pin(presence::report(team.clone())),
            Box::pin(presence::publish(team.clone())),
        ]
    }

    /// Publishes the people of the team with their claims, or the reason why they cannot be read.
    pub(crate) async fn publish_people(&self) {
        let people = self.client.read_people().await;
        self.publish(News::People(people.map_err(|error| SafeText::line(&error.to_string()))));
    }

    /// Publishes the work of each person since a time, or the reason why it cannot be read.
    pub(crate) async fn publish_statistics(&self, since: Timestamp) {
        let read = self.client.read_team_statistics(since, None).await;
        let read = read.map_err(|error| SafeText::line(&error.to_string()));
        self.publish(News::TeamStatistics { since, read });
    }

    /// Sends changes of this desk soon.
    pub(crate) fn wake(&self) {
        self.changes.notify_one();
    }

    fn with_state<R>(&self, change: impl FnOnce(&mut TeamState) -> R) -> R {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn publish(&self, news: News) {
        (self.publish_news)(news);
    }

    fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// True if this process polls a channel of the team.
    fn leads(&self, now: Timestamp) -> bool {
        self.tabs().iter().any(|tab| tab.holds_read_lease(now))
    }

    /// Ends all tasks of the team and announces the reason on its first tab. Its tabs poll as without a team.
    fn end(&self, why: &str) {
        if !self.ended.swap(true, Ordering::AcqRel) {
            tracing::warn!(why, "the team ends");
            self.publish_notice(why);
        }
        self.set_live(false);
        self.changes.notify_one();
        self.presence.notify_one();
        self.colleagues.notify_one();
    }

    /// Says something on the first tab of the team.
    fn publish_notice(&self, words: &str) {
        if let Some(tab) = self.tabs().first() {
            self.publish(News::Notice(tab.channel().spec().id.clone(), None, SafeText::line(words)));
        }
    }

    /// Switches the tabs between rare and usual polling.
    fn set_live(&self, is_live: bool) {
        for tab in self.tabs() {
            let before =
                tab.channel().with_state(|state| std::mem::replace(&mut state.has_live_events, is_live));
            if before != is_live {
                tab.wake(Loop::Poll);
                tab.wake(Loop::Open);
            }
        }
    }

    /// Announces changes of stored state. `lost` formats the notice about a conversation that
    /// somebody else has now.
    fn publish_applied(&self, applied: &AppliedShared, lost: impl Fn(&SafeText) -> String) {
        let channels: BTreeSet<_> = applied.changed.iter().map(|(channel, _)| channel).collect();
        for channel in channels {
            self.publish(News::Conversations(channel.clone()));
        }
        for (channel, conversation) in &applied.changed {
            self.publish(News::History(channel.clone(), conversation.clone()));
        }
        for (channel, conversation, who) in &applied.lost {
            let words = SafeText::line(&lost(who));
            self.publish(News::Notice(channel.clone(), Some(conversation.clone()), words));
        }
        for (channel, conversation, who) in &applied.mentions {
            self.publish(News::Mention(channel.clone(), conversation.clone(), who.clone()));
        }
    }
}
