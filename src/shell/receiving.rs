//! Webhook receiver beside the engine: listens, keeps the webhooks of the tabs registered, passes deliveries
//! to the engine and announces their state.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::RngExt;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::watch;

use model::ids::ChannelId;
use model::news::News;
use model::secret::Secret;
use model::text::SafeText;
use model::webhook_status::{DeliveryCounts, WebhookDeliveryState, WebhookStatus};
use receiver::{self, ConnectionLimits, WebhookRoutes};
use sync::hooks::{DesiredWebhook, WebhookState};
use sync::plan::trust::TrustLevel;
use sync::{ChannelSpec, Engine};

/// Delay before listening is tried again.
const LISTEN_RETRY_DELAY: Duration = Duration::from_secs(30);
/// Interval between checks of a webhook in progress.
const PENDING_INTERVAL: Duration = Duration::from_secs(1);
/// Interval between checks of a registered or refused webhook.
const REGISTERED_INTERVAL: Duration = Duration::from_secs(300);
/// Interval between checks of the reliability of deliveries.
const STATUS_INTERVAL: Duration = Duration::from_secs(2);

pub type NewsCallback = Arc<dyn Fn(News) + Send + Sync>;

/// Storage for webhook secrets, like that of channel keys. Both calls may block.
pub trait WebhookSecrets: Send + Sync {
    /// Stored secret of a channel.
    fn load(&self, channel: &ChannelSpec) -> Option<Secret>;

    fn store(&self, channel: &ChannelSpec, secret: &Secret) -> Result<(), String>;
}

#[derive(Clone)]
pub struct ReceiverSetup {
    pub listen: SocketAddr,
    /// URL at which the service reaches the receiver.
    pub public_url: String,
    pub secrets: Arc<dyn WebhookSecrets>,
}

/// Running receiver; stops on drop.
pub struct RunningReceiver {
    _stop: watch::Sender<bool>,
}

#[derive(Debug, Clone)]
struct ChannelWebhookState {
    url: String,
    registration: WebhookState,
    closed: Option<SafeText>,
    counts: DeliveryCounts,
    reported_status: Option<WebhookStatus>,
}

struct ReceiverState {
    engine: Arc<Engine>,
    tell: NewsCallback,
    states: Mutex<HashMap<ChannelId, ChannelWebhookState>>,
}

pub fn generate_secret() -> Secret {
    let bytes: [u8; 32] = rand::rng().random();
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Secret::new(&text)
}

/// Starts the receiver, or without `setup` removes webhooks registered by an earlier run.
pub fn start(
    handle: &Handle,
    setup: Option<ReceiverSetup>,
    engine: &Arc<Engine>,
    channels: Vec<ChannelSpec>,
    tell: NewsCallback,
) -> RunningReceiver {
    let (stop, stopping) = watch::channel(false);
    let engine = engine.clone();
    match setup {
        Some(setup) => {
            let shared = Arc::new(ReceiverState { engine, tell, states: Mutex::default() });
            handle.spawn(run_until_stopped(stopping.clone(), run(shared, setup, channels, stopping)));
        }
        None => {
            for channel in channels {
                handle.spawn(run_until_stopped(stopping.clone(), remove_webhook(engine.clone(), channel.id)));
            }
        }
    }
    RunningReceiver { _stop: stop }
}

async fn run_until_stopped(mut stop: watch::Receiver<bool>, work: impl Future<Output = ()>) {
    tokio::select! {
        biased;
        // A dropped receiver also stops.
        _ = stop.wait_for(|stop| *stop) => {}
        () = work => {}
    }
}

/// Removes this installation's webhook.
async fn remove_webhook(engine: Arc<Engine>, channel: ChannelId) {
    loop {
        let wait = match engine.ensure_webhook(&channel, None).await {
            None | Some(WebhookState::Removed) => return,
            Some(WebhookState::Waiting) => PENDING_INTERVAL,
            Some(_) => REGISTERED_INTERVAL,
        };
        tokio::time::sleep(wait).await;
    }
}

async fn run(
    shared: Arc<ReceiverState>,
    setup: ReceiverSetup,
    channels: Vec<ChannelSpec>,
    stop: watch::Receiver<bool>,
) {
    let mut hooks = Vec::new();
    for channel in channels {
        let before = setup.public_url.trim_end_matches('/');
        let id = channel.id.clone();
        match load_or_create_secret(setup.secrets.clone(), channel).await {
            Ok((secret, is_known)) => {
                let url = format!("{before}/{}", receiver::webhook_path(&id, &secret));
                shared.update_status(&id, |stand| stand.url.clone_from(&url));
                hooks.push((id, DesiredWebhook { url, secret, is_known }));
            }
            Err(why) => shared.close(&id, &format!("could not store the webhook's secret: {why}")),
        }
    }
    let heard = shared.clone();
    let secrets = hooks.iter().map(|(id, hook)| (id.clone(), hook.secret.clone())).collect();
    let table = Arc::new(WebhookRoutes::new(
        secrets,
        Box::new(move |channel, delivery, counts| {
            heard.engine.record_delivery(channel, &delivery);
            heard.update_status(channel, |stand| stand.counts = counts);
        }),
    ));
    let listener = listen(&shared, setup.listen, &hooks).await;
    let keepers = hooks.into_iter().map(|(id, hook)| keep_registered(shared.clone(), id, hook));
    let served = receiver::serve(listener, table, ConnectionLimits::default(), stop);
    tokio::select! {
        () = served => {}
        () = refresh_status(&shared) => {}
        _ = futures_util::future::join_all(keepers) => {}
    }
}

/// Listens once the address is free.
async fn listen(
    shared: &ReceiverState,
    address: SocketAddr,
    hooks: &[(ChannelId, DesiredWebhook)],
) -> TcpListener {
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => {
                tracing::info!(%address, "listens for webhooks");
                hooks.iter().for_each(|(id, _)| shared.update_status(id, |stand| stand.closed = None));
                return listener;
            }
            Err(error) => {
                tracing::warn!(%address, %error, "webhooks are not listened for");
                let why = format!("could not listen on {address}: {error}; another desk may be using it");
                hooks.iter().for_each(|(id, _)| shared.close(id, &why));
                tokio::time::sleep(LISTEN_RETRY_DELAY).await;
            }
        }
    }
}

/// Stored secret, or a new one that is stored now; true if it existed before.
async fn load_or_create_secret(
    secrets: Arc<dyn WebhookSecrets>,
    channel: ChannelSpec,
) -> Result<(Secret, bool), String> {
    let found = tokio::task::spawn_blocking(move || {
        if let Some(secret) = secrets.load(&channel) {
            return Ok((secret, true));
        }
        let secret = generate_secret();
        secrets.store(&channel, &secret)?;
        Ok((secret, false))
    });
    found.await.map_err(|error| error.to_string())?
}

/// Keeps one webhook registered.
async fn keep_registered(shared: Arc<ReceiverState>, channel: ChannelId, mut hook: DesiredWebhook) {
    while let Some(kept) = shared.engine.ensure_webhook(&channel, Some(&hook)).await {
        hook.is_known |= kept == WebhookState::Requested;
        let wait = match &kept {
            WebhookState::Requested | WebhookState::Waiting => PENDING_INTERVAL,
            WebhookState::Registered
            | WebhookState::Refused(_)
            | WebhookState::NotHere(_)
            | WebhookState::Removed => REGISTERED_INTERVAL,
        };
        if matches!(kept, WebhookState::Refused(_) | WebhookState::NotHere(_)) {
            shared.engine.reset_webhook_trust(&channel);
        }
        shared.update_status(&channel, |stand| stand.registration = kept);
        tokio::time::sleep(wait).await;
    }
    // Without a tab there is nothing to keep; the other tasks continue.
    std::future::pending::<()>().await;
}

/// Announces changes caused by time alone.
async fn refresh_status(shared: &ReceiverState) {
    loop {
        tokio::time::sleep(STATUS_INTERVAL).await;
        let all: Vec<ChannelId> = shared.states().keys().cloned().collect();
        all.iter().for_each(|channel_id| shared.update_status(channel_id, |_| ()));
    }
}

impl ReceiverState {
    fn states(&self) -> std::sync::MutexGuard<'_, HashMap<ChannelId, ChannelWebhookState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self, channel: &ChannelId, why: &str) {
        tracing::warn!(%channel, why, "no webhooks");
        self.engine.reset_webhook_trust(channel);
        self.update_status(channel, |entry| entry.closed = Some(SafeText::line(why)));
    }

    /// Applies a change and announces it if it is visible.
    fn update_status(&self, channel: &ChannelId, change: impl FnOnce(&mut ChannelWebhookState)) {
        let standing = self.engine.webhook_trust(channel);
        let mut stands = self.states();
        let stand = stands.entry(channel.clone()).or_insert_with(|| ChannelWebhookState {
            url: String::new(),
            registration: WebhookState::Waiting,
            closed: None,
            counts: DeliveryCounts::default(),
            reported_status: None,
        });
        change(stand);
        let reception = WebhookStatus {
            url: SafeText::line(&stand.url),
            state: stand.state(standing),
            counts: stand.counts,
        };
        if stand.reported_status.as_ref() != Some(&reception) {
            stand.reported_status = Some(reception.clone());
            (self.tell)(News::WebhookStatus(channel.clone(), Box::new(reception)));
        }
    }
}

impl ChannelWebhookState {
    fn state(&self, standing: TrustLevel) -> WebhookDeliveryState {
        match (&self.closed, &self.registration) {
            (Some(why), _) | (None, WebhookState::NotHere(why)) => WebhookDeliveryState::Closed(why.clone()),
            (None, WebhookState::Refused(why)) => WebhookDeliveryState::Refused(why.clone()),
            (None, WebhookState::Requested | WebhookState::Waiting | WebhookState::Removed) => {
                WebhookDeliveryState::Registering
            }
            (None, WebhookState::Registered) => match standing {
                TrustLevel::Trusted => WebhookDeliveryState::Instant,
                TrustLevel::Distrusted => WebhookDeliveryState::Doubted,
                TrustLevel::Unknown => WebhookDeliveryState::Quiet,
            },
        }
    }
}
