//! Start and shutdown of the service: socket, database, sealing key and background tasks.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::background::{self, Tasks};
use crate::bodies::BodyBudget;
use crate::clock::ServiceClock;
use crate::connections::{self, Connections};
use crate::cursors::Cursors;
use crate::database::connections as stored;
use crate::database::place::DatabaseLocation;
use crate::database::session::DbSession;
use crate::database::team::people;
use crate::database::{
    Database, DatabaseError, Durability, connected, egress, latest, media, meta, outbound, workspaces,
};
use crate::demo::{DESK_PERSON_ID, seed};
use crate::errors::ApiError;
use crate::handlers::team::sign_in;
use crate::hosts::Hosts;
use crate::id_generator::IdGenerator;
use crate::limits::Limits;
use crate::media::files::{MediaFiles, MediaStore};
use crate::operators::Platforms;
use crate::options::Options;
use crate::sealing_key::{KeyError, SealingKey, SealingKeyLocation};
use crate::server::Entrance;
use crate::state::{Service, ServiceState};
use crate::team::streams;
use crate::vault::Vault;
use crate::workspace::{self, IssuedKey, SeedData};
use crate::world::colleagues;
use crate::write::WriteContext;
use crate::{carriers, router, server, waits};
use api::team::SignedIn;
use model::time::{Clock, Timestamp};
use net::guard::{Guard, Policy};

/// First and longest pause between connection attempts to a database server; the pause doubles.
const MIN_RETRY_DELAY: Duration = Duration::from_millis(200);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(5);
/// Time for background tasks to end after the drain time, which they share with the last requests.
const TASK_STOP_TIMEOUT: Duration = Duration::from_millis(250);
/// Time for checkpointing the database's log; if it is too short, the next start does that.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Error)]
pub enum StartError {
    #[error("could not listen on {address}: {cause}; choose another address with --listen")]
    Listen { address: SocketAddr, cause: std::io::Error },
    #[error("--dev can only be used with a loopback address, not with {0}")]
    NotLoopback(SocketAddr),
    #[error(
        "{0}; change --assistant-url, or url in the table [assistant] of the service's configuration file"
    )]
    Assistant(String),
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// Running service. Dropping it aborts everything; [`RunningService::shutdown`] lets requests finish.
pub struct RunningService {
    /// Ends in `/v1`.
    pub base_url: String,
    /// Base URL of the `/dev` switches.
    pub dev_url: String,
    /// Keys created for a new database; empty for an existing one.
    pub keys: Vec<IssuedKey>,
    /// Messages for the user who started it.
    pub notices: Vec<String>,
    stop: watch::Sender<bool>,
    tasks: Tasks,
    service: Service,
}

impl RunningService {
    /// Signs in the person at the desk of the demo, without a token.
    ///
    /// # Errors
    /// As text, also if somebody has removed the person.
    pub async fn sign_in_desk_person(&self, device: &str) -> Result<SignedIn, String> {
        let (state, device) = (self.service.clone(), device.to_owned());
        let signed_in = self.service.database.write(move |db| {
            let absent = || ApiError::not_found("the person at the desk");
            let workspace = workspaces::first(db)?.id;
            let person = people::find(db, &workspace, DESK_PERSON_ID)?.ok_or_else(absent)?;
            sign_in::make_session(db, &state, &workspace, (&person, &device))
        });
        signed_in.await.map_err(|error: ApiError| error.message.to_string())
    }

    /// Stops accepting connections, finishes running requests and background tasks, and closes the database.
    /// Cuts off after the drain time plus [`TASK_STOP_TIMEOUT`].
    pub async fn shutdown(self) {
        let Self { stop, mut tasks, service, .. } = self;
        let last = Instant::now() + service.options.drain + TASK_STOP_TIMEOUT;
        service.health.drain();
        // Fails only if every task has ended already.
        let _ = stop.send(true);
        for task in &mut tasks.0 {
            match timeout_at(last, task).await {
                Ok(Ok(())) => {}
                Ok(Err(cause)) => tracing::error!(%cause, "a part of the service failed"),
                Err(_) => tracing::warn!("a part of the service did not stop in time and was aborted"),
            }
        }
        drop(tasks);
        // Blocks until the writing thread has ended.
        let closing = tokio::task::spawn_blocking(move || service.database.close());
        match timeout(CLOSE_TIMEOUT, closing).await {
            Ok(Ok(())) => {}
            Ok(Err(cause)) => tracing::error!(%cause, "the database could not be closed"),
            Err(_) => tracing::warn!("the database did not close in time; all confirmed changes are stored"),
        }
    }
}

/// Starts a service; it accepts requests when this returns.
pub async fn start(options: Options) -> Result<RunningService, StartError> {
    if options.dev && !options.listen.ip().is_loopback() {
        return Err(StartError::NotLoopback(options.listen));
    }
    // Checked before the address: of two services with the same settings, the second should report the file
    // in use and not the address, which the user could change.
    if let Some(path) = options.database.file() {
        Database::check_free(path)?;
    }
    let refused = |cause| StartError::Listen { address: options.listen, cause };
    let listener = TcpListener::bind(options.listen).await.map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let by_hand = options.by_hand;
    let (stop, stopped) = watch::channel(false);
    let entrance = Entrance::new(&options);
    let serving = tokio::spawn(server::serve(listener, entrance.clone(), stopped.clone()));
    let mut tasks = Tasks(vec![serving]);
    let prepared = open_service(options, address, Durability::Full).await?;
    let notices = startup_notices(&prepared, address).await?;
    let PreparedService { service, keys, .. } = prepared;
    entrance.open(router::router(&service));
    if !service.platforms.are_simulated() {
        tasks.0.push(tokio::spawn(carriers::watch::run(service.clone(), stopped.clone())));
    }
    tasks.0.push(tokio::spawn(streams::follow(service.clone(), stopped.clone())));
    tasks.0.push(tokio::spawn(background::follow_other_processes(service.clone(), stopped.clone())));
    tasks.0.push(tokio::spawn(background::run(service.clone(), by_hand, stopped)));
    Ok(RunningService {
        base_url: service.hosts.local_url(),
        dev_url: format!("http://{address}/dev"),
        keys,
        notices,
        stop,
        tasks,
        service,
    })
}

async fn startup_notices(
    prepared: &PreparedService,
    address: SocketAddr,
) -> Result<Vec<String>, DatabaseError> {
    let PreparedService { service, .. } = prepared;
    let mut notices = Vec::new();
    if !address.ip().is_loopback() && service.hosts.is_local_only() {
        notices.push(format!(
            "the service listens on {address}, but only answers requests for a loopback host: name its \
             hosts with --host or --public-url"
        ));
    }
    let platforms = &service.platforms;
    if !platforms.are_simulated() && platforms.all_connected().is_empty() {
        notices.push(
            "no channel is connected, so sends are refused with NOT_CONFIGURED; connect one with \
             `frontdesk admin channel connect`, or simulate the platforms with --simulate"
                .to_owned(),
        );
    }
    if platforms.are_simulated() {
        let unused: Vec<String> = service.database.read(list_connected_addresses).await?;
        if !unused.is_empty() {
            notices.push(format!(
                "nothing is read from or sent to {} because --dev, --demo and --simulate simulate the \
                 platforms; start the service without them to use the connected channels",
                unused.join(", ")
            ));
        }
    }
    notices.extend(service.database.read(stored::list_errors).await?);
    Ok(notices)
}

/// Returns the addresses of connected channels.
fn list_connected_addresses(db: &dyn DbSession) -> Result<Vec<String>, DatabaseError> {
    let all = carriers::dashboard::list_all_channel_statuses(db)?;
    Ok(all.into_iter().filter_map(|status| status.address).collect())
}

/// Opened service that does not run yet.
pub(crate) struct PreparedService {
    pub service: Service,
    pub keys: Vec<IssuedKey>,
}

/// Opens the database and builds the service; nothing runs yet.
pub(crate) async fn open_service(
    options: Options,
    address: SocketAddr,
    durability: Durability,
) -> Result<PreparedService, StartError> {
    let committed = Arc::new(Notify::new());
    let place = SealingKeyLocation::of(&options.database, options.key_file.as_deref())?;
    let found = find_key(place.clone()).await?;
    let (database, fresh) = open_with_retry(&options.database, durability, &committed).await?;
    let key = match found {
        Some(key) => key,
        None => make_key(&place, &database, fresh).await?,
    };
    prepare(options, address, (database, (place, key)), fresh, committed).await
}

fn next_retry_delay(delay: Duration) -> Duration {
    (delay * 2).min(MAX_RETRY_DELAY)
}

/// Opens the database; returns true with it if it is new. Waits without limit for a server that does not
/// answer, or ends the connection: after a reboot it may start later.
async fn open_with_retry(
    place: &DatabaseLocation,
    durability: Durability,
    committed: &Arc<Notify>,
) -> Result<(Database, bool), StartError> {
    let mut pause = MIN_RETRY_DELAY;
    let mut is_told = false;
    loop {
        let (place, told) = (place.clone(), committed.clone());
        let opening = tokio::task::spawn_blocking(move || Database::open(&place, durability, told));
        match opening.await.map_err(|_| DatabaseError::Closed)? {
            Err(cause @ (DatabaseError::Absent(_) | DatabaseError::Lost)) => {
                if !is_told {
                    tracing::warn!(%cause, "waiting for the database server");
                    is_told = true;
                }
                sleep(pause).await;
                pause = next_retry_delay(pause);
            }
            opened => {
                if is_told && opened.is_ok() {
                    tracing::info!("the database server answers");
                }
                return Ok(opened?);
            }
        }
    }
}

/// Creates the sealing key of a database without sealed secrets. Fails if there are any: a new key would open
/// none of them.
async fn make_key(
    place: &SealingKeyLocation,
    database: &Database,
    fresh: bool,
) -> Result<SealingKey, StartError> {
    if !fresh {
        let asked = place.clone();
        let refusal: Result<Option<KeyError>, DatabaseError> = database
            .read(move |db| {
                let is_expected = asked.is_named() && SealingKey::is_claimed(db)?;
                match (meta::has_sealed(db)?, is_expected) {
                    (true, _) => asked.describe_missing_key(db, false).map(Some),
                    (false, true) => Ok(Some(KeyError::Missing(asked.path().to_owned()))),
                    (false, false) => Ok(None),
                }
            })
            .await;
        if let Some(refusal) = refusal? {
            // Another process starting at the same time may have made the key.
            return Ok(place.read()?.ok_or(refusal)?);
        }
    }
    // Created after the checks, because a key file beside a database marks it as used.
    let place = place.clone();
    let making = tokio::task::spawn_blocking(move || place.make());
    Ok(making.await.map_err(|_| DatabaseError::Closed)??)
}

/// State read from the database, or stored in a new one.
struct StoredState {
    business: Option<String>,
    secret: Vec<u8>,
    shift: i64,
    /// Elapsed time at which an earlier run ended, in microseconds.
    elapsed: Option<i64>,
    boots: u64,
    latest: Timestamp,
    keys: Vec<IssuedKey>,
    media: HashSet<String>,
    /// True if the key is the one that seals the database's secrets.
    fits: bool,
}

/// Reads the key file; if there is none, tests whether it can be created.
async fn find_key(place: SealingKeyLocation) -> Result<Option<SealingKey>, StartError> {
    let reading = tokio::task::spawn_blocking(move || match place.read()? {
        None => place.can_make().map(|()| None),
        found => Ok(found),
    });
    Ok(reading.await.map_err(|_| DatabaseError::Closed)??)
}

/// Opens the folder of uploaded files beside the database and removes files that `known` does not list. A new
/// database passes `None`: the files may belong to a database that was moved away.
async fn open_media(
    database: &DatabaseLocation,
    known: Option<HashSet<String>>,
) -> Result<MediaStore, DatabaseError> {
    let Some(database) = database.file().map(Path::to_owned) else { return Ok(MediaStore::Database) };
    let opening = tokio::task::spawn_blocking(move || {
        let files = MediaFiles::beside_database(&database)?;
        if let Some(known) = known {
            files.remove_orphans(&known)?;
        }
        Ok(MediaStore::Folder(files))
    });
    opening.await.map_err(|_| DatabaseError::Closed)?
}

async fn prepare(
    options: Options,
    address: SocketAddr,
    (database, (place, key)): (Database, (SealingKeyLocation, SealingKey)),
    fresh: bool,
    committed: Arc<Notify>,
) -> Result<PreparedService, StartError> {
    let clock = options.clock.clone();
    let world = SeedData { demo: options.demo, simulated: options.is_simulated(), dev: options.dev };
    let (asked, at) = (key.clone(), place.clone());
    let (shared, alone) = (database.is_shared(), database.is_leader());
    let kept: Result<StoredState, DatabaseError> = database
        .write(move |db| {
            let fits = asked.claim(db, &at, alone)?;
            let kept = load_state(db, fresh, world, clock.as_ref(), !shared)?;
            if !shared {
                // The file belongs to this process alone, so every other claimant has ended.
                egress::end_all_claims(db)?;
                connected::end_all_leases(db)?;
            }
            Ok(StoredState { fits, ..kept })
        })
        .await;
    let kept = kept?;
    if !kept.fits {
        return Err(describe_foreign_key(&database, place).await?.into());
    }
    let seed = options.seed.wrapping_add(kept.boots);
    let media = open_media(&options.database, (!fresh).then_some(kept.media)).await?;
    if matches!(media, MediaStore::Database) {
        let swept: Result<(), DatabaseError> = database.write(media::remove_orphaned_bytes).await;
        swept?;
    }
    let vault = Vault::new(&key).map_err(|_| DatabaseError::Foreign)?;
    let credentials = key.derive(connections::KEY_PURPOSE)?;
    let cursors = Cursors::new(&kept.secret).map_err(|_| DatabaseError::Foreign)?;
    let business = kept.business.as_deref().unwrap_or("a business");
    let assistant = options.make_assistant(business).map_err(StartError::Assistant)?;
    let guard = Guard::system(Policy { allow_loopback_http: options.dev });
    let clock = ServiceClock::new(options.clock.clone(), kept.shift, kept.elapsed);
    let begun_at = clock.now().micros();
    let service = Arc::new(ServiceState {
        hosts: Hosts::new(&options.hosts, options.public_url.as_ref(), address),
        connections: Connections::new(guard.clone(), options.clock.clone(), &credentials),
        clock,
        limits: Limits::new(options.unlimited),
        in_flight: Default::default(),
        cursors,
        ids: IdGenerator::new(seed, kept.latest, database.stamp()),
        faults: Default::default(),
        guard,
        platforms: if options.is_simulated() {
            Platforms::simulated(options.seed)
        } else {
            Platforms::none()
        },
        assistant,
        media,
        bodies: BodyBudget::new(options.clock.clone()),
        vault,
        assistant_tasks: Default::default(),
        last_answers: Default::default(),
        simulation_lock: Default::default(),
        sample_trouble: Default::default(),
        delivery_lock: Default::default(),
        swept_at: begun_at.into(),
        metrics: Default::default(),
        team: Default::default(),
        health: Default::default(),
        settled: Default::default(),
        committed,
        database,
        options,
    });
    if !service.platforms.are_simulated() {
        carriers::watch::refresh(&service).await?;
    }
    if service.options.demo {
        seed_demo(&service).await?;
    }
    Ok(PreparedService { service, keys: kept.keys })
}

/// Adds the sample data and its people to a database that has none.
async fn seed_demo(service: &Service) -> Result<(), DatabaseError> {
    let (state, now) = (service.clone(), service.clock.now());
    let seeding = service.database.write(move |db| {
        let work = WriteContext::of_service(db, &state, now);
        if !seed::is_seeded(db)? {
            seed::seed(&work)?;
        }
        // After the messages: changes are logged only while a workspace has people.
        colleagues::add_people(&work)
    });
    seeding.await
}

/// Builds the error for a key that opens none of the secrets.
async fn describe_foreign_key(
    database: &Database,
    place: SealingKeyLocation,
) -> Result<KeyError, DatabaseError> {
    database.read(move |db| place.describe_missing_key(db, true)).await
}

/// Reads the state that a run starts with. `alone` is true if no other process writes rows.
fn load_state(
    db: &dyn DbSession,
    fresh: bool,
    world: SeedData,
    clock: &dyn Clock,
    alone: bool,
) -> Result<StoredState, DatabaseError> {
    let shift = meta::get_number(db, "clock_shift")?.unwrap_or(0);
    // Of two processes that start on an empty database, the first creates the workspace.
    let keys = if fresh && workspaces::is_empty(db)? {
        workspace::create_first(db, world, clock.now().plus(shift))?
    } else {
        Vec::new()
    };
    if world.simulated {
        workspace::set_missing_addresses(db)?;
    }
    if !world.dev {
        // Only `/dev/outbound` reads it.
        outbound::clear(db)?;
    }
    meta::set(db, meta::PLAYS_PLATFORMS, &i64::from(world.simulated))?;
    let secret: Option<Vec<u8>> = meta::get(db, "cursor_secret")?;
    let secret = match secret {
        Some(secret) => secret,
        None => {
            let made: [u8; 32] = rand::rng().random();
            meta::set(db, "cursor_secret", &made.as_slice())?;
            made.to_vec()
        }
    };
    // Makes the random part of ids differ between runs.
    let boots = meta::get_number(db, "boots")?.unwrap_or(0) + 1;
    meta::set(db, "boots", &boots)?;
    let (business, media) = (workspaces::first(db)?.name, media::all_ids(db)?);
    let elapsed = waits::adjust_deadlines(db, clock, shift, alone)?;
    let latest = latest::newest_stamp(db)?;
    Ok(StoredState {
        business,
        secret,
        shift,
        elapsed,
        boots: boots.unsigned_abs(),
        latest,
        keys,
        media,
        fits: true,
    })
}
