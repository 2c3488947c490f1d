//! Options of a service, filled in by the command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::assistant::{Assistant, Endpoint, Knowledge, RemoteAssistant, ScriptedAssistant};
use crate::database::place::DatabaseLocation;
use crate::forwarded::Network;
use crate::hosts::{HostName, PublicUrl};
use crate::metrics::MetricsToken;
use crate::retention::Retention;
use crate::takeover::AfterPersonAnswers;
use model::model_costs::ModelPrices;
use model::time::Clock;

#[derive(Clone)]
pub struct Options {
    /// Port 0 selects a free one.
    pub listen: SocketAddr,
    /// A file is created with mode 0600 if absent.
    pub database: DatabaseLocation,
    /// File of the sealing key; `None` for the one beside the database.
    pub key_file: Option<PathBuf>,
    /// Enables the switches under `/dev`, for loopback only.
    pub dev: bool,
    /// Disables the rate limits; only together with `dev`.
    pub unlimited: bool,
    /// Fills the service with the sample shop and lets its customers write.
    pub demo: bool,
    /// Simulated platforms and scripted assistant, without the sample shop.
    pub simulate: bool,
    /// Seed of all randomness in the simulation.
    pub seed: u64,
    pub clock: Arc<dyn Clock>,
    /// Runs due tasks only when `/dev/clock` is called, for tests with a clock that does not run.
    pub by_hand: bool,
    pub assistant: AssistantChoice,
    pub after_person_answers: AfterPersonAnswers,
    /// Shows customers that a person of the team types.
    pub typing_sign: bool,
    pub assistant_caps: TokenCaps,
    /// Prices of the model's tokens, for the metrics.
    pub assistant_prices: ModelPrices,
    pub knowledge: Knowledge,
    /// Host names and addresses that requests may use, beside loopback and the listening address.
    pub hosts: Vec<HostName>,
    /// Base address of links; its host is accepted as well.
    pub public_url: Option<PublicUrl>,
    /// Proxies whose forwarding headers are trusted.
    pub proxies: Vec<Network>,
    /// Token that opens the metrics to other machines.
    pub metrics_token: Option<MetricsToken>,
    pub failure_limit: FailureLimit,
    pub timeouts: RequestTimeouts,
    pub retention: Retention,
    /// Maximum time the answer to a send waits for the platform's.
    pub answering: Duration,
    /// Time running requests have at shutdown before they are cut off.
    pub drain: Duration,
    /// Maximum number of connections; further ones are refused.
    pub connections: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestTimeouts {
    /// For a request's head, and for an idle connection. Longer than clients keep idle connections, so that
    /// no write meets a connection that is being closed.
    pub header: Duration,
    /// Between two chunks of a body.
    pub idle: Duration,
    pub body: Duration,
}

impl Default for RequestTimeouts {
    fn default() -> Self {
        Self { header: Duration::from_secs(30), idle: Duration::from_secs(15), body: Duration::from_secs(60) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AssistantChoice {
    /// [`Self::Scripted`] in a simulated world, else [`Self::Off`].
    #[default]
    ByWorld,
    Off,
    Scripted,
    /// Model behind an HTTP endpoint; no answer if it fails.
    Remote(Endpoint),
}

/// Maximum number of tokens a model may use per day: of one conversation, and in total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenCaps {
    pub conversation: u64,
    pub day: u64,
}

impl Default for TokenCaps {
    fn default() -> Self {
        Self { conversation: 100_000, day: 2_000_000 }
    }
}

/// Clients whose failed authentications are limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailureLimit {
    /// Peers on other machines.
    #[default]
    Remote,
    Everyone,
    Off,
}

impl Options {
    /// Options without switches or demo, with rate limits.
    pub fn new(listen: SocketAddr, database: impl Into<DatabaseLocation>, clock: Arc<dyn Clock>) -> Self {
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
            typing_sign: true,
            assistant_caps: TokenCaps::default(),
            assistant_prices: ModelPrices::default(),
            knowledge: Knowledge::default(),
            hosts: Vec::new(),
            public_url: None,
            proxies: Vec::new(),
            metrics_token: None,
            failure_limit: FailureLimit::default(),
            timeouts: RequestTimeouts::default(),
            retention: Retention::default(),
            answering: Duration::from_secs(8),
            drain: Duration::from_secs(10),
            connections: 512,
        }
    }

    pub fn is_simulated(&self) -> bool {
        self.demo || self.dev || self.simulate
    }

    pub fn make_assistant(&self, business: &str) -> Result<Option<Box<dyn Assistant>>, String> {
        let scripted = || Box::new(ScriptedAssistant { acknowledges: self.demo }) as Box<dyn Assistant>;
        Ok(match &self.assistant {
            AssistantChoice::ByWorld => (self.demo || self.simulate).then(scripted),
            AssistantChoice::Off => None,
            AssistantChoice::Scripted => Some(scripted()),
            AssistantChoice::Remote(endpoint) => {
                Some(Box::new(RemoteAssistant::new(endpoint.clone(), business, &self.knowledge)?))
            }
        })
    }
}
