//! State shared by all parts of a running service.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use tokio::sync::Notify;

use crate::assistant::{Assistant, AssistantTasks};
use crate::bodies::BodyBudget;
use crate::clock::ServiceClock;
use crate::connections::Connections;
use crate::cursors::Cursors;
use crate::database::Database;
use crate::faults::Faults;
use crate::health::HealthState;
use crate::hosts::Hosts;
use crate::id_generator::IdGenerator;
use crate::idempotency::InFlight;
use crate::last_answer::AnswerCache;
use crate::limits::Limits;
use crate::media::files::MediaStore;
use crate::metrics::Metrics;
use crate::operators::Platforms;
use crate::options::Options;
use crate::team::streams::TeamState;
use crate::vault::Vault;
use crate::world::team::TroubleCache;
use net::guard::Guard;

pub type Service = Arc<ServiceState>;

pub struct ServiceState {
    pub options: Options,
    /// Accepted hosts, and the base URL of links.
    pub hosts: Hosts,
    pub clock: ServiceClock,
    pub database: Database,
    pub limits: Limits,
    /// Idempotency keys of running requests.
    pub in_flight: InFlight,
    pub cursors: Cursors,
    /// Timestamps and ids of new rows.
    pub ids: IdGenerator,
    pub faults: Faults,
    /// Checks addresses from customers before any request to them.
    pub guard: Guard,
    /// Client of the Data Connections.
    pub connections: Connections,
    pub platforms: Platforms,
    /// `None` if no assistant is configured.
    pub assistant: Option<Box<dyn Assistant>>,
    pub media: MediaStore,
    /// Memory budget of large request bodies.
    pub bodies: BodyBudget,
    pub vault: Vault,
    pub assistant_tasks: AssistantTasks,
    pub last_answers: AnswerCache,
    /// Held while the simulation advances.
    pub simulation_lock: tokio::sync::Mutex<()>,
    pub sample_trouble: TroubleCache,
    /// Held while a round of webhook deliveries runs.
    pub delivery_lock: tokio::sync::Mutex<()>,
    /// Time of the last sweep of old data, in microseconds.
    pub swept_at: AtomicI64,
    pub metrics: Metrics,
    pub team: TeamState,
    pub health: HealthState,
    /// Notified when an outbound message reaches its final state.
    pub settled: Notify,
    /// Notified after every commit.
    pub committed: Arc<Notify>,
}
