//! What all of the service shares while it runs.

use std::sync::Arc;

use tokio::sync::Notify;

use crate::assistant::{Assistant, Thoughts};
use crate::bodies::BodyBudget;
use crate::carriers::Settled;
use crate::clock::ServiceClock;
use crate::connections::Connections;
use crate::cursors::Cursors;
use crate::database::Database;
use crate::faults::Faults;
use crate::health::HealthState;
use crate::hosts::Hosts;
use crate::idempotency::InFlight;
use crate::last_answer::LastAnswers;
use crate::limits::Limits;
use crate::media::files::MediaStore;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::platforms::Platforms;
use crate::stamps::Stamps;
use crate::vault::Vault;
use connections::guard::Guard;

/// The shared state, as handlers are given it.
pub type Service = Arc<ServiceState>;

/// The parts of one running service.
pub struct ServiceState {
    /// What it was started with.
    pub options: Options,
    /// Hosts that requests may name, and the address that links carry.
    pub hosts: Hosts,
    /// The time, which `/dev/clock` moves.
    pub clock: ServiceClock,
    /// One writer, several readers.
    pub database: Database,
    /// Calls of the last minute.
    pub limits: Limits,
    /// Idempotency keys whose requests run.
    pub in_flight: InFlight,
    pub cursors: Cursors,
    /// Times and ids of new rows.
    pub stamps: Stamps,
    pub faults: Faults,
    /// Looks at addresses customers give before anything is asked there.
    pub guard: Guard,
    /// Calls the business's own interfaces.
    pub connections: Connections,
    /// What stands behind each channel.
    pub platforms: Platforms,
    /// Who answers until a person takes over, if anyone.
    pub assistant: Option<Box<dyn Assistant>>,
    /// Where the bytes of uploaded media are.
    pub media: MediaStore,
    /// Uploads and mails with large attachments at a time.
    pub bodies: BodyBudget,
    pub vault: Vault,
    /// What is being thought about.
    pub thoughts: Thoughts,
    pub last_answers: LastAnswers,
    /// Held while things happen in the simulated world.
    pub world: tokio::sync::Mutex<()>,
    /// Held while events are delivered.
    pub delivering: tokio::sync::Mutex<()>,
    /// What is counted for monitoring.
    pub metrics: Metrics,
    /// Whether requests may be sent.
    pub health: HealthState,
    /// Told when something that left was settled.
    pub settled: Settled,
    /// Told after every commit.
    pub committed: Arc<Notify>,
}
