//! `frontdesk engine`: polls, sends, runs broadcasts and receives webhooks without a screen until it is
//! ended. An inbox opened on the same files takes over at once; the engine continues when it is closed.

use std::collections::{BTreeSet, HashMap};
use std::mem::discriminant;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use tokio::sync::mpsc;

use crate::cli::folders::DeskFolders;
use crate::cli::serve::Signals;
use crate::cli::team;
use crate::cli::until_sent::{self, Ending};
use crate::cli::{CliError, desk, folders, logs, print, receiving};
use crate::config::Config;
use crate::shell::clock::SystemClock;
use crate::shell::receiving as receiver;
use model::ids::ChannelId;
use model::leader::Leader;
use model::news::{Health, News};
use model::text::SafeText;
use model::time::Clock;
use model::webhook_status::WebhookDeliveryState;
use store::{Reader, Store, StoreError};
use sync::{ChannelSpec, Engine, ProcessRole};

/// Time to wait at the end for a request in progress; an unfinished one is repeated with the same key.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// Interval between checks of the outbox.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The switches of `engine`.
#[derive(Debug, Args)]
pub struct EngineArguments {
    /// End once nothing is left to send and broadcasts in waves are finished; exits with 3 if
    /// something waits for a person.
    #[arg(long)]
    pub until_sent: bool,
}

/// Runs until a signal, or with `--until-sent` until everything was sent.
pub fn run(arguments: &EngineArguments) -> Result<(), CliError> {
    let path = folders::config()?.join("config.toml");
    team::add_at_start(path.parent().unwrap_or(Path::new("")));
    let config = desk::read_channels(&path)?;
    let files = DeskFolders::find()?;
    logs::start(&files.logs)?;
    let runtime = desk::runtime()?;
    // A background process has no reader for its errors.
    let ended = runtime
        .block_on(run_engine(&config, &files, arguments.until_sent))
        .inspect_err(|error| tracing::error!("the engine failed: {error:#}"));
    runtime.shutdown_background();
    Ok(ended?)
}

async fn run_engine(config: &Config, files: &DeskFolders, until_sent: bool) -> anyhow::Result<()> {
    let mut signals = Signals::listen()?;
    let folder = folders::config()?;
    let store = files.open(desk::person(config, &folder))?;
    if let Some(words) = store.restored() {
        tracing::warn!("{words}");
        print::line(&format!("frontdesk engine: {words}")).context("could not print the notice")?;
    }
    let channels = desk::specs(config)?;
    let reader = store.reader()?;
    let mut looks = tokio::time::interval(POLL_INTERVAL);
    let (told, mut news) = mpsc::unbounded_channel();
    let log = Arc::new(NewsLog::default());
    let noted = log.clone();
    let tell: receiver::NewsCallback = Arc::new(move |news: News| {
        noted.log_news(&news);
        if let News::Leader(..) | News::WebhookStatus(..) = &news {
            // The receiver is dropped at the end.
            let _ = told.send(news);
        }
    });
    let handle = tokio::runtime::Handle::current();
    let engine = Arc::new(Engine::start_as(
        ProcessRole::Engine,
        handle.clone(),
        store.clone(),
        channels.clone(),
        Arc::new(SystemClock),
        tell.clone(),
        desk::polling(config),
    ));
    let team = team::joined(&folder, config, false).map(|team| {
        team.map(|mut spec| {
            spec.new_channels = spec.new_channels.take().map(|found| found.started_in(&engine, |_| ()));
            spec
        })
    });
    if let Err(why) = team.and_then(|team| engine.join_team(team).map_err(|error| error.to_string())) {
        tracing::error!(why, "the team cannot be followed");
        print::line(&format!("frontdesk engine: the team cannot be followed: {why}"))
            .context("could not print the notice")?;
    }
    print::line(&describe_start(&channels, files)).context("could not print the start message")?;
    tracing::info!("the engine has started");
    let mut elsewhere = BTreeSet::new();
    let (mut receives, mut ended) = (None, Ok(()));
    // Reason last printed; each channel reports it.
    let mut closed = None;
    loop {
        tokio::select! {
            () = signals.next() => break,
            _ = looks.tick() => {
                if let Some(result) = poll_ending(&store, &reader, &channels, &log, until_sent)? {
                    ended = result;
                    break;
                }
            }
            heard = news.recv() => {
                match heard {
                    Some(News::Leader(channel, leader)) => record_leader(&mut elsewhere, channel, &leader),
                    Some(News::WebhookStatus(_, status)) => print_closed_receiver(&status.state, &mut closed)?,
                    _ => {}
                }
            }
        }
        // The webhook address belongs to the leading process.
        match elsewhere.is_empty() {
            true if receives.is_none() => {
                let setup = receiving::receiver_setup(config, folder.clone());
                receives = Some(receiver::start(&handle, setup, &engine, channels.clone(), tell.clone()));
            }
            true => (),
            false => receives = None,
        }
    }
    drop(receives);
    tracing::info!("the engine ends");
    tokio::select! {
        _ = tokio::time::timeout(DRAIN_TIMEOUT, engine.shutdown()) => (),
        () = signals.next() => tracing::warn!("ended by a second signal"),
    }
    ended
}

/// Records which channels another process leads.
fn record_leader(elsewhere: &mut BTreeSet<ChannelId>, channel: ChannelId, leader: &Leader) {
    match leader {
        Leader::Elsewhere { .. } => elsewhere.insert(channel),
        Leader::Here | Leader::Nobody | Leader::Unknown => elsewhere.remove(&channel),
    };
}

/// Prints once why no webhooks are received.
fn print_closed_receiver(state: &WebhookDeliveryState, printed: &mut Option<SafeText>) -> anyhow::Result<()> {
    match state {
        WebhookDeliveryState::Closed(why) if printed.as_ref() != Some(why) => {
            *printed = Some(why.clone());
            print::line(&format!("frontdesk engine: no webhooks: {why}; messages are polled for"))
                .context("could not print the notice")
        }
        WebhookDeliveryState::Closed(_)
        | WebhookDeliveryState::Registering
        | WebhookDeliveryState::Refused(_)
        | WebhookDeliveryState::Quiet
        | WebhookDeliveryState::Instant
        | WebhookDeliveryState::Doubted => Ok(()),
    }
}

/// Result that ends the engine: the outbox was lost, or all was sent and that was asked for; `None` to
/// continue.
fn poll_ending(
    store: &Store,
    reader: &Reader,
    channels: &[ChannelSpec],
    log: &NewsLog,
    until_sent: bool,
) -> anyhow::Result<Option<anyhow::Result<()>>> {
    if let Some(path) = store.missing_outbox() {
        return Ok(Some(Err(StoreError::FileReplaced { path: path.to_owned() }.into())));
    }
    if !until_sent {
        return Ok(None);
    }
    Ok(match until_sent::check_ending(reader, channels, &log.health(), SystemClock.now())? {
        Some(Ending::Sent) => Some(Ok(())),
        Some(Ending::Waits(left)) => Some(Err((*left).into())),
        None => None,
    })
}

fn describe_start(channels: &[ChannelSpec], files: &DeskFolders) -> String {
    let names: Vec<String> =
        channels.iter().map(|channel| SafeText::line(&channel.name).to_string()).collect();
    format!(
        "frontdesk engine: running for {}; an inbox takes over while it is open; log in {}; stop with Ctrl-C or \
         SIGTERM",
        names.join(", "),
        files.logs.display()
    )
}

/// Logs notable news; the health of a connection only when it changes.
#[derive(Default)]
struct NewsLog(Mutex<HashMap<ChannelId, Health>>);

impl NewsLog {
    /// Last reported health of the channels.
    fn health(&self) -> HashMap<ChannelId, Health> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn log_news(&self, news: &News) {
        match news {
            News::Health(channel, health) => {
                let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                let before = known.insert(channel.clone(), health.clone());
                if before.as_ref().map(discriminant) != Some(discriminant(health)) {
                    tracing::info!(%channel, ?health, "connection");
                }
            }
            News::Leader(channel, leader) => tracing::info!(%channel, ?leader, "who sends"),
            News::Alarm(channel, words) => tracing::warn!(%channel, %words, "alarm"),
            _ => (),
        }
    }
}
