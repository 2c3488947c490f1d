//! One desk of the simulation: real files, the engine's real steps, a clock
//! of its own that may be wrong, and a process that may end at any request.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use frontdesk::client::Client;
use frontdesk::model::chance::Chance;
use frontdesk::model::ids::{ChannelId, ConversationId};
use frontdesk::model::news::News;
use frontdesk::model::time::Clock;
use frontdesk::store::{Durability, Reader, Setup, Store};
use frontdesk::sync::{Channel, ChannelSpec, Loop, Polling, Tab};
use futures_util::FutureExt;

use crate::simulation::clock::Skewed;
use crate::simulation::line::Line;
use crate::simulation::notices::Notices;
use crate::simulation::trace::Trace;

/// What a desk is made of, whatever its process does.
pub struct Desk {
    pub number: usize,
    pub folder: PathBuf,
    pub clock: Arc<Skewed>,
    pub line: Arc<Line>,
    pub notices: Arc<Mutex<Notices>>,
    pub body: Option<Body>,
    pub crashes: u32,
    spec: ChannelSpec,
    polling: Polling,
    chance: Chance,
    trace: Trace,
    /// When each loop takes its next step, in true time.
    next: [i64; 3],
}

/// A process on a desk.
pub struct Body {
    pub store: Store,
    pub reader: Reader,
    pub tab: Tab,
}

impl Desk {
    pub fn new(
        number: usize,
        folder: PathBuf,
        spec: ChannelSpec,
        polling: (u64, u64),
        clock: Arc<Skewed>,
        line: Arc<Line>,
        chance: Chance,
        trace: Trace,
    ) -> Self {
        let notices = Arc::new(Mutex::new(Notices::new(&folder)));
        let mut desk = Self {
            number,
            folder,
            clock,
            line,
            notices,
            body: None,
            crashes: 0,
            spec,
            polling: Polling {
                visible: Duration::from_secs(polling.0),
                background: Duration::from_secs(polling.1),
            },
            chance,
            trace,
            next: [0; 3],
        };
        desk.start(0);
        desk
    }

    /// Starts a process on the desk's files.
    pub fn start(&mut self, now: i64) {
        let owner = format!("desk {}", self.number);
        let setup = Setup { chance: self.chance.clone(), durability: Durability::Simulated, owner };
        let store = Store::open_with(&self.folder, setup).expect("the files open");
        let client =
            Client::through(self.line.clone(), &self.spec.base_url, &self.spec.key, self.clock.clone())
                .expect("a client");
        let (notices, trace, number) = (self.notices.clone(), self.trace.clone(), self.number);
        let tell = Arc::new(move |news: News| {
            if let News::Inbound(_, conversation) = &news {
                trace.note((number, "rings", conversation.as_str()));
                notices.lock().expect("no one failed").ring(conversation);
            }
        });
        let channel =
            Channel::with_client(self.spec.clone(), client, store.clone(), self.clock.clone(), tell);
        let reader = store.reader().expect("a reader");
        self.body = Some(Body { store, reader, tab: Tab::new(channel, self.polling) });
        self.next = [now; 3];
    }

    /// Ends the process, if one runs, and starts another.
    pub fn restart(&mut self, now: i64) {
        self.end();
        self.start(now);
    }

    /// Ends the process: whatever was under way is left as it is.
    pub fn end(&mut self) {
        self.body = None;
    }

    pub fn channel(&self) -> &ChannelId {
        &self.spec.id
    }

    pub fn body(&self) -> &Body {
        self.body.as_ref().expect("it runs")
    }

    pub fn tab(&self) -> &Tab {
        &self.body().tab
    }

    pub fn store(&self) -> &Store {
        &self.body().store
    }

    /// When something of it is due, in true time.
    pub fn due(&self) -> i64 {
        if self.body.is_some() { self.next.into_iter().min().unwrap_or(i64::MAX) } else { i64::MAX }
    }

    /// The machine sleeps: nothing is due before.
    pub fn sleep_until(&mut self, until: i64) {
        self.next = self.next.map(|it| it.max(until));
    }

    /// The machine is woken.
    pub fn wake(&mut self, now: i64) {
        self.next = self.next.map(|it| it.min(now));
    }

    /// When each loop is due, in true time.
    pub fn next(&self) -> [i64; 3] {
        self.next
    }

    /// What someone looks at.
    pub fn focus(&mut self, open: Option<Option<ConversationId>>, now: i64) {
        let (visible, open) = (open.is_some(), open.flatten());
        self.tab().focus(visible, open);
        self.hear_bells(now);
    }

    /// Wakes the loop that sends.
    pub fn wake_outbox(&mut self, now: i64) {
        self.tab().wake(Loop::Push);
        self.hear_bells(now);
    }

    /// Takes the step that is due longest. False if the process ended in it.
    pub async fn step(&mut self, now: impl Fn() -> i64) -> bool {
        let Some(body) = &self.body else { return true };
        let which = Loop::ALL.into_iter().min_by_key(|it| self.next[*it as usize]).expect("three");
        let step = body.tab.step(which, self.clock.now());
        let wait = tokio::select! {
            biased;
            () = self.line.crashed() => None,
            wait = step => Some(wait),
        };
        let Some(wait) = wait else {
            self.trace.note((now(), self.number, "crashed"));
            self.crashes += 1;
            self.end();
            return false;
        };
        self.next[which as usize] = now() + wait.max(0);
        self.hear_bells(now());
        true
    }

    fn hear_bells(&mut self, now: i64) {
        let Some(body) = &self.body else { return };
        for which in Loop::ALL {
            if body.tab.woken(which).now_or_never().is_some() {
                self.next[which as usize] = self.next[which as usize].min(now);
            }
        }
    }
}

/// The tab every desk here has.
pub fn spec(base_url: &str, key: frontdesk::model::secret::Secret) -> ChannelSpec {
    ChannelSpec {
        id: ChannelId::from("chat"),
        name: "Harbor chat".to_owned(),
        base_url: base_url.to_owned(),
        key,
        read_only: false,
    }
}
