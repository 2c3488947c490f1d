//! One desk of the simulation: real files and sync, its own clock, and a process that may end.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use frontdesk::client::Client;
use frontdesk::model::chance::Chance;
use frontdesk::model::ids::{ChannelId, ConversationId};
use frontdesk::model::news::News;
use frontdesk::model::time::Clock;
use frontdesk::store::clock::StoreClock;
use frontdesk::store::{Reader, Store, StoreDurability, StoreOptions};
use frontdesk::sync::{
    ChannelSpec, ChannelSync, LeaseManager, Loop, Polling, ProcessRole, TabLoop, TabSync, process_names,
};
use futures_util::FutureExt;

use crate::hands::Steps;
use crate::simulation::clock::Skewed;
use crate::simulation::line::Line;
use crate::simulation::notices::{self, Notices};
use crate::simulation::trace::Trace;

/// Parts of a desk that outlive its process.
pub struct Desk {
    pub number: usize,
    pub folder: PathBuf,
    pub clock: Arc<Skewed>,
    pub line: Arc<Line>,
    pub notices: Arc<Mutex<Notices>>,
    pub body: Option<Body>,
    pub crashes: u32,
    made: Made,
    /// Next step of each loop on the true clock; the last is the lease's.
    next: [i64; LEASE + 1],
}

#[derive(Clone)]
pub struct Made {
    pub number: usize,
    pub folder: PathBuf,
    pub spec: ChannelSpec,
    /// Seconds between polls while the tab is watched, and otherwise.
    pub polling: (u64, u64),
    /// True if other processes may use the folder.
    pub shared: bool,
    pub clock: Arc<Skewed>,
    pub line: Arc<Line>,
    pub chance: Chance,
    pub trace: Trace,
}

pub struct Body {
    pub store: Store,
    pub reader: Reader,
    pub tab: Arc<TabSync>,
    loops: [TabLoop; Loop::ALL.len()],
    leading: Option<LeaseManager>,
    pub steps: Steps,
}

/// Index of the lease loop.
const LEASE: usize = Loop::ALL.len();

impl Desk {
    /// A desk without a running process.
    pub fn new(made: Made) -> Self {
        Self {
            number: made.number,
            folder: made.folder.clone(),
            clock: made.clock.clone(),
            line: made.line.clone(),
            notices: Arc::new(Mutex::new(Notices::new(&made.folder))),
            body: None,
            crashes: 0,
            made,
            next: [i64::MAX; LEASE + 1],
        }
    }

    pub fn start(&mut self, now: i64) {
        let Made { spec, clock, line, chance, trace, number, .. } = self.made.clone();
        let owner = format!("desk {number}");
        let setup = StoreOptions {
            chance,
            durability: StoreDurability::Simulated,
            owner,
            clock: StoreClock::new(clock.clone()),
            ..StoreOptions::default()
        };
        let store = Store::open_with(&self.folder, setup).expect("the files open");
        notices::watch(&self.folder);
        let client =
            Client::with_transport(line, &spec.base_url, &spec.key, clock.clone()).expect("a client");
        let notices = self.notices.clone();
        let tell = Arc::new(move |news: News| {
            if let News::Inbound(_, conversation) = &news {
                trace.note((number, "rings", conversation.as_str()));
                notices.lock().expect("no one failed").ring(conversation);
            }
        });
        let steps = Steps::new(clock.now());
        let channel = ChannelSync::with_client(spec, client, store.clone(), clock, tell);
        let reader = store.reader().expect("a reader");
        let polling = Polling {
            visible: Duration::from_secs(self.made.polling.0),
            background: Duration::from_secs(self.made.polling.1),
        };
        let (tab, leading) = if self.made.shared {
            let tab = Arc::new(TabSync::awaiting_lease(channel, polling));
            let owner = process_names::owner_name(&store);
            (tab.clone(), Some(LeaseManager::new(store.clone(), vec![tab], owner, ProcessRole::Inbox)))
        } else {
            (Arc::new(TabSync::new(channel, polling)), None)
        };
        let lease = if leading.is_some() { now } else { i64::MAX };
        let loops = tab.loops();
        self.body = Some(Body { store, reader, tab, loops, leading, steps });
        self.next = [now; LEASE + 1];
        self.next[LEASE] = lease;
    }

    /// Ends the process as a crash does.
    pub fn end(&mut self) {
        self.body = None;
    }

    pub fn channel(&self) -> &ChannelId {
        &self.made.spec.id
    }

    pub fn body(&self) -> &Body {
        self.body.as_ref().expect("it runs")
    }

    pub fn tab(&self) -> &TabSync {
        &self.body().tab
    }

    pub fn by_hand(&mut self) -> (&ChannelSync, &mut Steps) {
        let body = self.body.as_mut().expect("it runs");
        (body.tab.channel(), &mut body.steps)
    }

    pub fn store(&self) -> &Store {
        &self.body().store
    }

    /// Time of the next step on the true clock.
    pub fn due(&self) -> i64 {
        if self.body.is_some() { self.next.into_iter().min().unwrap_or(i64::MAX) } else { i64::MAX }
    }

    /// Suspends the machine until then.
    pub fn sleep_until(&mut self, until: i64) {
        self.next = self.next.map(|number| number.max(until));
    }

    pub fn wake(&mut self, now: i64) {
        self.next = self.next.map(|entry| if entry < i64::MAX / 8 { entry.min(now) } else { entry });
    }

    /// Next step of each loop on the true clock.
    pub fn next(&self) -> [i64; LEASE + 1] {
        self.next
    }

    /// Sets the conversation on screen.
    pub fn focus(&mut self, open: Option<Option<ConversationId>>, now: i64) {
        let (visible, open) = (open.is_some(), open.flatten());
        self.tab().focus(visible, open);
        self.hear_bells(now);
    }

    pub fn wake_outbox(&mut self, now: i64) {
        self.tab().wake(Loop::Push);
        self.hear_bells(now);
    }

    /// Takes the earliest due step. Returns false if the process ended in it.
    pub async fn step(&mut self, now: impl Fn() -> i64) -> bool {
        let Some(body) = &mut self.body else { return true };
        let place = (0..=LEASE).min_by_key(|place| self.next[*place]).expect("some");
        let time = self.clock.now();
        let step = async {
            match (body.loops.get_mut(place), &mut body.leading) {
                (Some(one), _) => one.step(time).await,
                (None, Some(leading)) => leading.step(time).await,
                (None, None) => i64::MAX / 4,
            }
        };
        let wait = tokio::select! {
            biased;
            () = self.line.crashed() => None,
            wait = step => Some(wait),
        };
        let Some(wait) = wait else {
            self.made.trace.note((now(), self.number, "crashed"));
            self.crashes += 1;
            self.end();
            return false;
        };
        self.next[place] = now() + wait.max(0);
        self.hear_bells(now());
        true
    }

    fn hear_bells(&mut self, now: i64) {
        let Some(body) = &self.body else { return };
        for which in Loop::ALL {
            if body.tab.wait_for_wake(which).now_or_never().is_some() {
                self.next[which as usize] = self.next[which as usize].min(now);
            }
        }
    }
}

pub fn spec(base_url: &str, key: frontdesk::model::secret::Secret) -> ChannelSpec {
    ChannelSpec {
        id: ChannelId::from("chat"),
        name: "Harbor chat".to_owned(),
        base_url: base_url.to_owned(),
        key,
        read_only: false,
        draft_only: false,
    }
}
