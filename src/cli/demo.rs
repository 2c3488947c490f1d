//! `frontdesk demo`: the inbox on an embedded service with a simulated sample workspace.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};

use crate::cli::{RunMode, desk, folders, logs, sample_assistant};
use crate::config::screen::ScreenConfig;
use crate::shell::clock::{self, SystemClock};
use crate::shell::connections::ConnectionsSetup;
use crate::shell::desk_parts::{DeskFiles, DeskParts};
use crate::shell::notify::Notifier;
use crate::shell::replies;
use inbox::settings::Settings;
use inbox::theme_table_view::ThemeName;
use model::ids::ChannelId;
use model::secret::Secret;
use model::text::SafeText;
use model::time::{Clock, DAY};
use net::connections::{Credentials, Sealer, file};
use service::StartError;
use service::admin::Admin;
use service::database::DatabaseError;
use service::demo::{DESK_PERSON, shop_api};
use store::StoreOptions;
use sync::{ChannelSpec, Polling, TeamSpec};

const KEYS_FILE: &str = "demo-keys";
/// Word of the session in that file; keys have the word of their channel.
const SESSION_WORD: &str = "session";
/// Name of the desk, as the team sees it.
const DEVICE: &str = "demo";

#[derive(Debug, Args)]
pub struct DemoArguments {
    /// Keep the demo's files in this folder instead of a temporary one.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    data_dir: Option<PathBuf>,
    /// Start with the tutorial, which teaches the first keys.
    #[arg(long)]
    tutor: bool,
    /// Show the demo as lines of text, the same as `frontdesk --plain demo`.
    #[arg(long = "plain")]
    pub lines: bool,
    /// Colour theme, as `theme` in config.toml.
    #[arg(long, value_name = "THEME", default_value = ThemeName::default().word(), value_parser = theme_parser())]
    theme: ThemeName,
}

fn theme_parser() -> impl TypedValueParser<Value = ThemeName> {
    PossibleValuesParser::new(ThemeName::WORDS).map(|word| ThemeName::from_word(&word).unwrap_or_default())
}

/// Channel words of the service and names of their tabs.
const TABS: [(&str, &str); 4] = [
    ("whatsapp", "Harbor chat"),
    ("telegram", "Harbor bot"),
    ("email", "Harbor mail"),
    ("voip", "Harbor phone"),
];

fn explain_start_error(error: StartError, folder: &Path) -> anyhow::Error {
    let StartError::Database(DatabaseError::InUse(process)) = error else {
        return anyhow::Error::new(error).context("could not start the demo's service");
    };
    let who = process.map_or_else(String::new, |process| format!(" (process {process})"));
    let folder = folder.display();
    anyhow!("a demo already runs in {folder}{who}: end it first, or choose another folder with --data-dir")
}

/// Runs the demo, in a temporary folder unless one is given.
pub fn run(arguments: DemoArguments, how: RunMode) -> Result<()> {
    let DemoArguments { data_dir, tutor, theme, .. } = arguments;
    let temporary = DemoFolder::make(data_dir)?;
    let folder = temporary.folder();
    logs::start(folder)?;
    let runtime = desk::service_runtime()?;
    let clock = Arc::new(SystemClock);
    let running = runtime.block_on(start_service(folder, &clock));
    let running = running.map_err(|error| explain_start_error(error, folder))?;
    let signed_in = runtime.block_on(sign_in(folder, &running))?;
    let channels = channels(&signed_in, &running.base_url);
    let team = team(&signed_in, &running.base_url).filter(|_| !how.read_only);
    let links = runtime.block_on(start_sample_shop(folder, &running));
    let is_new = !running.keys.is_empty();
    let desk = DeskParts {
        files: DeskFiles {
            folder: folder.join("desk"),
            options: StoreOptions {
                owner: DESK_PERSON.to_owned(),
                zone: clock::zone(),
                ..StoreOptions::default()
            },
        },
        channels: desk::apply_read_only(channels, how.read_only),
        settings: Settings {
            zone: clock::zone(),
            demo: true,
            is_in_team: team.is_some(),
            tutor,
            // A continued demo is no longer new.
            tutor_offered_until: is_new.then(|| clock.now().plus(DAY)),
            graphics: desk::graphics(None),
            connections: links.connections.clone(),
            // Its AI answers little, so all answers can be reviewed.
            review_one_in: 1,
            brief_on_pause: true,
            ..Settings::default()
        },
        connections: Some(links),
        suggester: None,
        config: None,
        replies: replies_folder(folder),
        agent: Some(DESK_PERSON.to_owned()),
        team: Ok(team),
        polling: Polling::default(),
        receiver: None,
        theme: desk::theme(theme, None),
        screen: desk::screen(ScreenConfig::default()),
        notifier: desk::resolve_notifier(Notifier::default()),
        clipboard: desk::clipboard(Vec::new()),
        views: inbox::screens::conversations::saved_views::built_in_views(),
        clock,
        runtime: runtime.handle().clone(),
    };
    // A demo continued in a given folder already has its suggestions.
    if is_new && !how.read_only {
        let (folder, replies) = (folder.join("desk"), folder.join("replies"));
        let clock = Arc::new(SystemClock);
        sample_assistant::start(runtime.handle(), folder, replies, ChannelId::from(TABS[0].0), clock);
    }
    let ended = how.run(desk);
    runtime.shutdown_background();
    Ok(ended?)
}

/// Connects the sample shop's API for the inbox and the assistant. Its address may differ at each start.
/// Failures are logged only.
async fn start_sample_shop(folder: &Path, running: &service::RunningService) -> ConnectionsSetup {
    let address = running.dev_url.trim_start_matches("http://").trim_end_matches("/dev");
    let shop = shop_api::connection(address);
    let key = Secret::new(shop_api::SHOP_KEY);
    let file = folder.join("connections.toml");
    let made = Sealer::generate_key();
    let credentials = Credentials::new(folder.join("connections.sealed"), Arc::new(move || Ok(made)));
    let kept = match &shop {
        Some(shop) => {
            // A file of an earlier run may name an old address.
            let removed = std::fs::remove_file(&file);
            drop(removed);
            let kept = credentials.store(shop, &key).and_then(|()| file::add(&file, shop));
            if let Ok(admin) = Admin::open(&folder.join("service.db").into(), None)
                && let Err(error) = admin.put_connection(shop.clone(), Some(&key), SystemClock.now()).await
            {
                tracing::warn!(%error, "the assistant does not know the sample shop");
            }
            kept
        }
        None => Ok(Vec::new()),
    };
    let connections = kept.unwrap_or_else(|error| {
        tracing::warn!(error, "the sample shop is not connected");
        Vec::new()
    });
    ConnectionsSetup {
        connections,
        log: folder.join("connection-calls.log"),
        credentials,
        zone: clock::zone(),
    }
}

/// Creates sample replies, which can be edited if the folder is kept.
fn replies_folder(folder: &Path) -> PathBuf {
    let replies = folder.join("replies");
    if let Err(error) = replies::write_samples(&replies) {
        tracing::warn!(%error, "the sample replies could not be written");
    }
    replies
}

/// Starts the service on the port of the last run, so that stored file URLs still work; on another if that
/// port is taken.
async fn start_service(
    folder: &Path,
    clock: &Arc<SystemClock>,
) -> Result<service::RunningService, StartError> {
    let kept = folder.join("demo-port");
    let before = disk::read_text(&kept).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0);
    let running = match service::start(options(folder, before, clock.clone())).await {
        Err(StartError::Listen { .. }) if before != 0 => {
            service::start(options(folder, 0, clock.clone())).await
        }
        running => running,
    }?;
    let port = running.base_url.trim_end_matches("/v1").rsplit(':').next().unwrap_or_default();
    if let Err(error) = disk::write(&kept, port.as_bytes()) {
        tracing::warn!(%error, "the next demo in this folder is at another port");
    }
    Ok(running)
}

fn options(folder: &Path, port: u16, clock: Arc<dyn Clock>) -> service::Options {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    service::Options { demo: true, ..service::Options::new(address, folder.join("service.db"), clock) }
}

/// Returns the session and the keys of the person at the desk, one a line. They are issued once: a demo in a given
/// folder keeps them in a file.
async fn sign_in(folder: &Path, running: &service::RunningService) -> Result<String> {
    let kept = folder.join(KEYS_FILE);
    if let Some(lines) = read_signed_in(&kept) {
        return Ok(lines);
    }
    let lines = issued_keys(folder, running).await?;
    disk::write(&kept, lines.as_bytes())
        .with_context(|| format!("could not store the demo's keys in {}", kept.display()))?;
    Ok(lines)
}

/// Returns what a line of [`sign_in`] holds behind its word.
fn secret(signed_in: &str, word: &str) -> Option<Secret> {
    signed_in.lines().find_map(|line| line.strip_prefix(word)?.strip_prefix(' ').map(Secret::new))
}

fn channels(signed_in: &str, base_url: &str) -> Vec<ChannelSpec> {
    let spec = |(channel, name): (&str, &str)| {
        Some(ChannelSpec {
            id: ChannelId::from(channel),
            name: name.to_owned(),
            base_url: base_url.to_owned(),
            key: secret(signed_in, channel)?,
            read_only: false,
            draft_only: false,
        })
    };
    TABS.into_iter().filter_map(spec).collect()
}

/// Team of the sample shop; `None` if the person at the desk was removed.
fn team(signed_in: &str, base_url: &str) -> Option<TeamSpec> {
    Some(TeamSpec {
        base_url: base_url.to_owned(),
        session: secret(signed_in, SESSION_WORD)?,
        person: SafeText::line(DESK_PERSON),
        channels: TABS.iter().map(|(channel, _)| ChannelId::from(*channel)).collect(),
        new_channels: None,
    })
}

/// Reads the keys of an earlier sign-in; `None` if there was none.
fn read_signed_in(kept: &Path) -> Option<String> {
    disk::read_text(kept).ok().filter(|lines| secret(lines, SESSION_WORD).is_some())
}

/// Signs in the person at the desk and returns the session and the keys, one a line. A person who was removed gets the
/// keys of the workspace, which a new database has just issued or an earlier demo has kept.
async fn issued_keys(folder: &Path, running: &service::RunningService) -> Result<String> {
    let why = match running.sign_in_desk_person(DEVICE).await {
        Ok(signed_in) => {
            let keys =
                signed_in.channels.iter().map(|channel| format!("{} {}\n", channel.channel, channel.key));
            return Ok(keys.chain([format!("{SESSION_WORD} {}\n", signed_in.session)]).collect());
        }
        Err(why) => why,
    };
    tracing::warn!(why, "the person at the desk could not sign in");
    let live = running.keys.iter().filter(|key| key.environment == model::account::Environment::Live);
    let lines: String = live.map(|issued| format!("{} {}\n", issued.channel, issued.key.expose())).collect();
    if !lines.is_empty() {
        return Ok(lines);
    }
    let kept = folder.join(KEYS_FILE);
    disk::read_text(&kept).with_context(|| format!("could not read the demo's keys from {}", kept.display()))
}

/// Folder of the demo, removed at the end unless given.
struct DemoFolder {
    folder: PathBuf,
    remove: bool,
}

impl DemoFolder {
    fn make(given: Option<PathBuf>) -> Result<Self> {
        if let Some(folder) = given {
            return Ok(Self { folder, remove: false });
        }
        if let Some(folder) = std::env::var_os("FRONTDESK_DATA_DIR").filter(|var_os| !var_os.is_empty()) {
            return Ok(Self { folder: PathBuf::from(folder).join("demo"), remove: false });
        }
        // Falls back to the data folder if there is no temporary folder.
        let base = std::env::temp_dir();
        let base = if base.is_dir() { base } else { folders::data()? };
        Ok(Self { folder: base.join(format!("frontdesk-demo-{}", uuid::Uuid::new_v4())), remove: true })
    }

    fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for DemoFolder {
    fn drop(&mut self) {
        if self.remove
            && let Err(error) = std::fs::remove_dir_all(&self.folder)
        {
            tracing::warn!(%error, "the demo's folder could not be removed");
        }
    }
}
