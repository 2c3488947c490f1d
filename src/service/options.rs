//! What a service is started with.
//!
//! The command line fills this in.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::assistant::{Assistant, Endpoint, Knowledge, Remote, Scripted};
use crate::database::place::DatabasePlace;
use crate::forwarded::Network;
use crate::hosts::{HostName, PublicUrl};
use crate::metrics::MetricsToken;
use crate::takeover::AfterPersonAnswers;
use model::time::Clock;

/// Everything that decides how one service runs.
#[derive(Clone)]
pub struct Options {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The database: a file, made with mode 0600 when absent, or on a server.
    pub database: DatabasePlace,
    /// The file of the key that seals secrets; without it, the one beside the
    /// database.
    pub key_file: Option<PathBuf>,
    /// The switches under `/dev`; loopback only.
    pub dev: bool,
    /// No rate limits; only together with `dev`.
    pub unlimited: bool,
    /// The sample world, alive.
    pub demo: bool,
    /// Simulated platforms and the scripted assistant, without the sample world.
    pub simulate: bool,
    /// Decides everything random in the simulated world.
    pub seed: u64,
    /// Where the time comes from; `/dev/clock` shifts it.
    pub clock: Arc<dyn Clock>,
    /// What falls due happens only when `/dev/clock` is called: for tests whose
    /// clock stands still.
    pub by_hand: bool,
    /// Whether the assistant answers inbound messages by itself.
    pub assistant: AssistantChoice,
    /// How long the assistant is silent after a person's message.
    pub after_person_answers: AfterPersonAnswers,
    /// What a model may use up.
    pub assistant_caps: Caps,
    /// What a model is told of the business.
    pub knowledge: Knowledge,
    /// Names and addresses, beside loopback ones and where it listens, that
    /// requests may name as their host.
    pub hosts: Vec<HostName>,
    /// The address that links carry; its host may be named, too.
    pub public_url: Option<PublicUrl>,
    /// The proxies whose word about clients is believed.
    pub proxies: Vec<Network>,
    /// What opens the figures to other machines.
    pub metrics_token: Option<MetricsToken>,
    /// Whose failed authentications are limited to 30 a minute.
    pub failure_limit: FailureLimit,
    /// How long callers may take.
    pub patience: Patience,
    /// How long a send waits for what its platform says to it.
    pub answering: Duration,
    /// For requests that run when the service ends; then they are cut off.
    pub drain: Duration,
    /// Connections at a time; more are turned away at once.
    pub connections: usize,
}

/// How long callers may take to say what they want.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For a request's head, and for a connection between two requests: longer
    /// than callers keep one they do not use, or a write meets one that was just closed.
    pub header: Duration,
    /// Between two pieces of a body.
    pub idle: Duration,
    pub body: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { header: Duration::from_secs(30), idle: Duration::from_secs(15), body: Duration::from_secs(60) }
    }
}

/// Which assistant answers until a person takes over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AssistantChoice {
    /// Scripted in a simulated world, none otherwise.
    #[default]
    ByWorld,
    /// None.
    Off,
    /// Keyword rules.
    Scripted,
    /// A model behind an endpoint; silent where it fails.
    Remote(Endpoint),
}

/// Tokens a model may take a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    pub conversation: u64,
    pub day: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self { conversation: 100_000, day: 2_000_000 }
    }
}

/// Whose failed authentications are limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailureLimit {
    /// Peers that are not on this machine.
    #[default]
    Remote,
    /// Every peer.
    Everyone,
    /// Nobody.
    Off,
}

impl Options {
    /// The plain service: no switches, no demo, limits on.
    pub fn new(listen: SocketAddr, database: impl Into<DatabasePlace>, clock: Arc<dyn Clock>) -> Self {
        Self {
            listen,
            database: database.into(),
            key_file: None,
            dev: false,
            unlimited: false,
            demo: false,
            simulate: false,
            seed: 1,
            by_hand: false,
            clock,
            assistant: AssistantChoice::default(),
            after_person_answers: AfterPersonAnswers::default(),
            assistant_caps: Caps::default(),
            knowledge: Knowledge::default(),
            hosts: Vec::new(),
            public_url: None,
            proxies: Vec::new(),
            metrics_token: None,
            failure_limit: FailureLimit::default(),
            patience: Patience::default(),
            answering: Duration::from_secs(8),
            drain: Duration::from_secs(10),
            connections: 512,
        }
    }

    /// Whether the platforms are simulated.
    pub fn is_simulated(&self) -> bool {
        self.demo || self.dev || self.simulate
    }

    /// The assistant that answers, if any does.
    pub fn make_assistant(&self, business: &str) -> Result<Option<Box<dyn Assistant>>, String> {
        let scripted = || Box::new(Scripted) as Box<dyn Assistant>;
        Ok(match &self.assistant {
            AssistantChoice::ByWorld => (self.demo || self.simulate).then(scripted),
            AssistantChoice::Off => None,
            AssistantChoice::Scripted => Some(scripted()),
            AssistantChoice::Remote(endpoint) => {
                Some(Box::new(Remote::new(endpoint.clone(), business, &self.knowledge)?))
            }
        })
    }
}
