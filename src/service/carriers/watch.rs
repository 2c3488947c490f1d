//! Watches which channels are connected, since another process connects them, and reads platforms without
//! webhooks. A lease makes one process read each platform.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::carriers::secrets::ChannelSecrets;
use crate::carriers::{account, ingress};
use crate::database::connected::{self as stored, ConnectedRow};
use crate::database::media::MediaRow;
use crate::database::session::DbSession;
use crate::database::{DatabaseError, channels};
use crate::errors::ApiError;
use crate::mail::{arriving, naming};
use crate::operators::ConnectedChannel;
use crate::state::Service;
use crate::write::WriteContext;
use model::time::{Clock, MINUTE};
use platforms::Channel;
use platforms::mail::ArrivedMail;
use platforms::{Platform, PlatformError, PollResult, mailbox, telegram, voip, whatsapp};

/// Interval between two checks of the connected channels.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Duration of a reading lease, in microseconds; longer than one read.
pub const READ_LEASE: i64 = MINUTE + MINUTE / 2;
/// Interval between two reads of a platform that also sends webhooks.
const EXTRA_POLL_INTERVAL: Duration = Duration::from_secs(15);
/// Interval between two attempts to complete the settings of a channel.
const SETTINGS_INTERVAL: Duration = Duration::from_secs(10 * 60);
/// Maximum number of mail names forgotten per transaction, after an import of earlier mail.
const REFERENCE_CLEANUP_BATCH: i64 = 500;
const WEBHOOK_PATH: &str = "/hooks/";

/// Returns the owner name under which a channel's secrets are sealed.
pub fn secret_owner(channel: &str) -> String {
    format!("platform of {channel}")
}

/// Returns a new version of a connection.
pub fn new_version() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}

/// Loads the connected channels.
pub async fn refresh(service: &Service) -> Result<(), DatabaseError> {
    let rows: Result<_, DatabaseError> = service
        .database
        .read(|db| {
            let with_kind =
                |row: ConnectedRow| Ok::<_, DatabaseError>((channels::read(db, &row.channel)?.kind, row));
            stored::list(db)?.into_iter().map(with_kind).collect::<Result<Vec<_>, _>>()
        })
        .await;
    let mut all = HashMap::new();
    for (kind, row) in rows? {
        let known =
            service.platforms.connected(&row.channel).filter(|connected| connected.version == row.version);
        let connected = match known {
            Some(known) => known,
            None => match connect_channel(service, kind, &row) {
                Ok(connected) => Arc::new(connected),
                Err(why) => {
                    if row.trouble.as_ref() != Some(&why) {
                        tracing::error!(
                            channel = row.channel,
                            kind = kind.word(),
                            %why,
                            "a channel cannot be used"
                        );
                        record_trouble(service, &row.channel, Some(why)).await?;
                    }
                    continue;
                }
            },
        };
        all.insert(row.channel, connected);
    }
    service.platforms.connect(all);
    Ok(())
}

fn connect_channel(service: &Service, kind: Channel, row: &ConnectedRow) -> Result<ConnectedChannel, String> {
    let secrets =
        service.vault.open(&secret_owner(&row.channel), &row.sealed).map_err(|why| why.to_string())?;
    let platform = open_platform(kind, &row.settings, &secrets, webhook_url(service, kind).as_deref())?;
    let (channel, version) = (row.channel.clone(), row.version.clone());
    let (kept, service) = ((channel.clone(), version.clone()), Arc::downgrade(service));
    platform.set_secret_store(Arc::new(ChannelSecrets { service, channel: kept.0, version: kept.1 }));
    Ok(ConnectedChannel { channel, kind, version, platform })
}

/// Returns the webhook URL of a channel, if the public URL is known.
fn webhook_url(service: &Service, kind: Channel) -> Option<String> {
    service.hosts.public_url().map(|base| format!("{base}{WEBHOOK_PATH}{}", kind.word()))
}

/// Creates the adapter for a kind of channel. `hook` is its webhook URL.
pub fn open_platform(
    kind: Channel,
    settings: &str,
    secrets: &str,
    hook: Option<&str>,
) -> Result<Arc<dyn Platform>, String> {
    Ok(match kind {
        Channel::Telegram => Arc::new(telegram::BotPlatform::open(settings, secrets)?),
        Channel::Whatsapp => Arc::new(whatsapp::NumberPlatform::open(settings, secrets)?),
        Channel::Email => Arc::new(mailbox::MailboxPlatform::open(settings, secrets)?),
        Channel::Voip => Arc::new(voip::PhonePlatform::open(settings, secrets, hook)?),
    })
}

/// Aborts its task when dropped.
struct ReaderTask(JoinHandle<()>);

impl Drop for ReaderTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Watches the connected channels and reads them, until the service stops.
pub async fn run(service: Service, mut stop: watch::Receiver<bool>) {
    let mut readings: HashMap<String, ReaderTask> = HashMap::new();
    let me = format!("{:032x}", rand::random::<u128>());
    loop {
        if let Err(error) = refresh(&service).await {
            tracing::error!(%error, "the connected channels could not be read");
        }
        let all = if service.database.is_leader() { service.platforms.all_connected() } else { Vec::new() };
        // A task that ended has panicked, and is started again.
        readings.retain(|version, reading| {
            !reading.0.is_finished() && all.iter().any(|connected| connected.version == *version)
        });
        for connected in all {
            let version = connected.version.clone();
            let begin = || ReaderTask(tokio::spawn(serve_platform(service.clone(), connected, me.clone())));
            readings.entry(version).or_insert_with(begin);
        }
        tokio::select! {
            () = sleep(POLL_INTERVAL) => {}
            _ = stop.changed() => return,
        }
    }
}

/// Serves one channel: registers its webhook or reads it.
async fn serve_platform(service: Service, connected: Arc<ConnectedChannel>, me: String) {
    let mut subscribed = false;
    let mut completed_at: Option<Instant> = None;
    loop {
        let round = if connected.platform.needs_polling() {
            poll_platform(&service, &connected, &me).await
        } else {
            maintain_subscription(&service, &connected, &me, &mut subscribed).await
        };
        let pause = match round {
            Ok(None) if connected.platform.needs_polling() => {
                if completed_at.is_none_or(|at| at.elapsed() > SETTINGS_INTERVAL) {
                    completed_at = Some(Instant::now());
                    if let Err(error) = account::complete_settings(&service, &connected).await {
                        tracing::error!(%error.message, "the settings of a channel could not be stored");
                    }
                }
                continue;
            }
            Ok(None) if connected.platform.is_also_polled() => EXTRA_POLL_INTERVAL,
            Ok(None) if connected.platform.describe_account().is_none() => std::future::pending().await,
            Ok(None) => POLL_INTERVAL,
            Ok(Some(PlatformError { why, pause })) => {
                tracing::warn!(%why, "a platform cannot be used");
                if let Err(error) = record_trouble(&service, &connected.channel, Some(why)).await {
                    tracing::error!(%error, "the error of a channel could not be stored");
                }
                Duration::from_micros(u64::try_from(pause).unwrap_or(1_000_000))
            }
            Err(error) => {
                tracing::error!(%error.message, "a report of a platform could not be stored");
                POLL_INTERVAL
            }
        };
        sleep(pause).await;
    }
}

/// Registers the webhook, refreshes the account's state, and reads missed updates.
async fn maintain_subscription(
    service: &Service,
    connected: &ConnectedChannel,
    me: &str,
    subscribed: &mut bool,
) -> Result<Option<PlatformError>, ApiError> {
    let mut trouble = account::refresh_description(service, connected, me).await?;
    if trouble.is_none() && connected.platform.is_also_polled() {
        trouble = poll_platform(service, connected, me).await?;
    }
    if trouble.is_none() && !*subscribed {
        trouble = subscribe(service, connected).await?;
        *subscribed = trouble.is_none();
    }
    Ok(trouble)
}

async fn record_trouble(
    service: &Service,
    channel: &str,
    trouble: Option<String>,
) -> Result<(), DatabaseError> {
    let scope = service.database.scope_of_channel(channel).await?;
    let channel = channel.to_owned();
    let note = move |db: &dyn DbSession| stored::set_trouble(db, &channel, trouble.as_deref());
    service.database.write_in(scope, note).await
}

/// Registers the webhook URL.
async fn subscribe(
    service: &Service,
    connected: &ConnectedChannel,
) -> Result<Option<PlatformError>, ApiError> {
    let Some(url) = webhook_url(service, connected.kind) else {
        let why = "the platform needs an address for incoming messages; start the service with --public-url";
        return Ok(Some(PlatformError { why: why.to_owned(), pause: MINUTE }));
    };
    match connected.platform.subscribe(Some(&url)).await {
        Ok(()) => {
            record_trouble(service, &connected.channel, None).await?;
            Ok(None)
        }
        Err(trouble) => Ok(Some(trouble)),
    }
}

/// Reads a platform once, unless another process holds its lease.
async fn poll_platform(
    service: &Service,
    connected: &ConnectedChannel,
    me: &str,
) -> Result<Option<PlatformError>, ApiError> {
    let (channel, version) = (connected.channel.clone(), connected.version.clone());
    let (state, reader) = (service.clone(), me.to_owned());
    let scope = service.database.scope_of_channel(&channel).await?;
    let mark: Result<_, DatabaseError> = service
        .database
        .write_in(scope.clone(), move |db| {
            let now = state.clock.now();
            let mine = stored::acquire_lease(db, (&channel, &version), &reader, now, now.plus(READ_LEASE))?;
            if mine { stored::read_mark(db, &channel, &reader) } else { Ok(None) }
        })
        .await;
    let Some(mark) = mark? else {
        sleep(Duration::from_secs(5)).await;
        return Ok(None);
    };
    let PollResult { updates, earlier_mails, mark } = match connected.platform.poll_updates(&mark).await {
        Ok(polled) => polled,
        Err(trouble) => return Ok(Some(trouble)),
    };
    let mut earlier = Vec::with_capacity(earlier_mails.len());
    for mut mail in earlier_mails {
        let mut files = Vec::new();
        if let Err(why) = ingress::store_files(service, &mut mail, &mut files).await {
            // The mark stays, so the batch is read again.
            return Ok(Some(PlatformError::transient(format!("attachments could not be stored: {why}"))));
        }
        earlier.push((mail, files));
    }
    let (channel, version) = (connected.channel.clone(), connected.version.clone());
    let (state, reader) = (service.clone(), me.to_owned());
    let kept: Result<(), ApiError> = service
        .database
        .write_in(scope, move |db| {
            // If the lease was lost, its new holder reads the same updates again.
            if stored::advance(db, (&channel, &version), &reader, &mark)? {
                ingress::store_updates(db, &state, &channel, &updates)?;
                file_earlier(db, &state, &channel, earlier)?;
            }
            Ok(())
        })
        .await;
    kept?;
    Ok(None)
}

/// Imports mail from before the connection, with its stored attachments.
fn file_earlier(
    db: &dyn DbSession,
    state: &Service,
    channel: &str,
    earlier: Vec<(ArrivedMail, Vec<MediaRow>)>,
) -> Result<(), ApiError> {
    if earlier.is_empty() {
        if stored::has_filed_earlier(db, channel)? {
            naming::delete_references(db, channel, REFERENCE_CLEANUP_BATCH)?;
        }
        return Ok(());
    }
    let work = WriteContext::of_service(db, state, state.clock.now());
    let channel = channels::read(db, channel)?;
    earlier.into_iter().try_for_each(|(mail, files)| arriving::receive_arrived(&work, &channel, mail, files))
}
