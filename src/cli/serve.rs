//! `frontdesk serve`: the embedded service alone.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::{Args, ValueHint};

use crate::cli::log_files::LogFileArguments;
use crate::cli::logs::LogFormat;
use crate::cli::{CliError, desk, folders, logs};
use crate::config::{AssistantConfig, ServiceConfig};
use crate::shell::clock::SystemClock;
use model::secret::Secret;
use service::metrics::MetricsToken;
use service::{
    self, AfterPersonAnswers, AssistantChoice, DatabaseLocation, Endpoint, HostName, Network, PublicUrl,
    TokenCaps,
};

/// Parses an IP address with a port.
fn parse_listen_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "give an IP address and a port, such as 127.0.0.1:8787 or [::1]:8787".to_owned())
}

/// The switches of `serve`.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// Address and port to listen on; port 0 takes a free port.
    #[arg(long, default_value = "127.0.0.1:8787", value_name = "ADDRESS", value_parser = parse_listen_address)]
    pub listen: SocketAddr,
    /// Host name or address to accept in requests, besides loopback and the listening address; may
    /// be given several times.
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<HostName>,
    /// Address at which others reach the service, such as https://desk.example.com; links use it,
    /// and its host is accepted.
    #[arg(long, value_name = "URL")]
    pub public_url: Option<PublicUrl>,
    /// Proxy, or network of proxies, whose X-Forwarded-For, -Proto and -Host are trusted: limits,
    /// log and links then use the client it names; may be given several times.
    #[arg(long = "trust-proxy", value_name = "CIDR")]
    pub proxies: Vec<Network>,
    /// Database of the service: a file, created readable by its owner only, or a PostgreSQL
    /// database such as postgres://user@host/name. Without it, service.db in the data folder that
    /// `frontdesk doctor` names.
    #[arg(long, value_name = "PATH|URL", value_hint = ValueHint::AnyPath)]
    pub db: Option<DatabaseLocation>,
    /// File with the key that encrypts secrets: 32 bytes or 64 hex digits, readable by its owner
    /// only; created with a new database. Without it, a file beside the database; a PostgreSQL
    /// database needs it.
    #[arg(long, value_name = "PATH")]
    pub key_file: Option<PathBuf>,
    /// File with the token that other machines need for GET /metrics; without it, only this machine
    /// can read the metrics.
    #[arg(long, value_name = "PATH")]
    pub metrics_token_file: Option<PathBuf>,
    /// Write the address of the service and newly created keys to this file once the socket is
    /// bound.
    #[arg(long, value_name = "PATH")]
    pub ready_file: Option<PathBuf>,
    /// Create the sample workspace, and simulate its customers.
    #[arg(long)]
    pub demo: bool,
    /// Use simulated platforms and the scripted assistant, without the sample workspace.
    #[arg(long)]
    pub simulate: bool,
    /// Offer the test endpoints under /dev; on loopback only.
    #[arg(long)]
    pub dev: bool,
    /// Seed of the random numbers of the simulation.
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    pub seed: u64,
    /// Configuration file of the service: its table `[assistant]` holds the model's address, its
    /// token limits and facts about the business.
    #[arg(long, value_name = "PATH")]
    pub config: Option<PathBuf>,
    /// Let a model answer customers: address of an OpenAI-compatible endpoint, including its
    /// version, such as http://127.0.0.1:8000/v1. Its key, if it needs one, is read from
    /// FRONTDESK_ASSISTANT_KEY.
    #[arg(long, value_name = "URL", requires = "assistant_model")]
    pub assistant_url: Option<String>,
    /// Name of the model at that endpoint.
    #[arg(long, value_name = "NAME", requires = "assistant_url")]
    pub assistant_model: Option<String>,
    /// Maximum tokens for one conversation in a day; then a person is asked for. Without a value
    /// here or in the file, 100000.
    #[arg(long, value_name = "TOKENS", requires = "assistant_url")]
    pub assistant_conversation_tokens: Option<u64>,
    /// Maximum tokens for all conversations in a day. Without a value here or in the file, 2000000.
    #[arg(long, value_name = "TOKENS", requires = "assistant_url")]
    pub assistant_day_tokens: Option<u64>,
    /// Pause the assistant in a conversation that a person answers, here or with another program, until
    /// it is handed back. With false it is silent until the customer writes. Without a value here or in
    /// the file, true.
    #[arg(long, value_name = "true|false")]
    pub pause_when_answered_elsewhere: Option<bool>,
    /// Form of the log.
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    pub log_format: LogFormat,
    #[command(flatten)]
    pub log_file: LogFileArguments,
    /// Turn off rate limits, for benchmarks.
    #[arg(long, requires = "dev")]
    pub unlimited: bool,
}

/// Runs the service until a signal.
pub fn run(arguments: ServeArguments) -> Result<(), CliError> {
    if arguments.dev && !arguments.listen.ip().is_loopback() {
        return Err(CliError::Usage(format!(
            "--dev offers test endpoints without a key, so it works only on loopback; listen on 127.0.0.1 instead \
             of {}",
            arguments.listen.ip()
        )));
    }
    let log_file = arguments.log_file.open()?;
    logs::start_of_service(arguments.log_format, log_file)
        .map_err(|error| CliError::Usage(format!("{error:#}")))?;
    let runtime = desk::service_runtime()?;
    let served = runtime.block_on(serve(arguments));
    // Does not wait for blocked threads.
    runtime.shutdown_background();
    Ok(served?)
}

/// Reads the token from a file, which must be private.
fn metrics_token(path: &Path) -> Result<MetricsToken> {
    let token = || {
        anyhow::ensure!(
            !disk::is_open_to_others(&std::fs::metadata(path)?, 0o077),
            "other users can read the file; run: chmod 600 {}",
            path.display()
        );
        MetricsToken::read(&disk::read_text(path)?).map_err(anyhow::Error::msg)
    };
    token().with_context(|| format!("could not read the metrics token in {}", path.display()))
}

async fn serve(arguments: ServeArguments) -> Result<()> {
    let database = match arguments.db {
        Some(place) => {
            place.file().map_or(Ok(()), check_folder_exists)?;
            place
        }
        None => folders::data()?.join("service.db").into(),
    };
    let shown = database.to_string();
    let config = load_config(arguments.config.as_deref(), arguments.assistant_url.is_some())?;
    let (told, retention, typing_sign) = (config.assistant, config.retention, config.typing_sign);
    let caps = told.as_ref().map_or_else(TokenCaps::default, |assistant_config| assistant_config.caps);
    let unready = |path: &PathBuf| format!("could not write the ready file {}", path.display());
    if let Some(path) = &arguments.ready_file {
        service::ready_file::check(path).with_context(|| unready(path))?;
    }
    let options = service::Options {
        key_file: arguments.key_file,
        demo: arguments.demo,
        simulate: arguments.simulate,
        dev: arguments.dev,
        unlimited: arguments.unlimited,
        hosts: arguments.hosts,
        public_url: arguments.public_url,
        metrics_token: arguments.metrics_token_file.as_deref().map(metrics_token).transpose()?,
        proxies: arguments.proxies,
        seed: arguments.seed,
        assistant_caps: TokenCaps {
            conversation: arguments.assistant_conversation_tokens.unwrap_or(caps.conversation),
            day: arguments.assistant_day_tokens.unwrap_or(caps.day),
        },
        assistant_prices: told.as_ref().map(|file| file.prices).unwrap_or_default(),
        after_person_answers: arguments
            .pause_when_answered_elsewhere
            .map(AfterPersonAnswers::from_setting)
            .or(told.as_ref().map(|file| file.after_person_answers))
            .unwrap_or_default(),
        assistant: assistant(
            arguments.assistant_url,
            arguments.assistant_model,
            told.as_ref().and_then(|assistant_config| assistant_config.endpoint.clone()),
        ),
        retention,
        typing_sign,
        knowledge: told.map(|assistant_config| assistant_config.knowledge).unwrap_or_default(),
        ..service::Options::new(arguments.listen, database, Arc::new(SystemClock))
    };
    let drain = options.drain;
    let mut signals = Signals::listen()?;
    let started = tokio::select! {
        started = service::start(options) => started,
        () = signals.next() => return Ok(()),
    };
    let running = started.with_context(|| format!("could not start the service on {shown}"))?;
    if let Some(path) = &arguments.ready_file {
        service::ready_file::write(path, &running).with_context(|| unready(path))?;
    }
    running.notices.iter().for_each(|notice| print_message(notice));
    let mut out = std::io::stdout();
    let mut told = format!("listening on {}\n", running.base_url);
    // With a ready file, keys are written only there.
    let printed = if arguments.ready_file.is_some() { &[][..] } else { &running.keys };
    for issued in printed {
        told.push_str(&format!("{} {} {}\n", issued.channel, issued.environment.word(), issued.key.expose()));
    }
    // The service runs even if its output is not read.
    let _ = out.write_all(told.as_bytes()).and_then(|()| out.flush());
    signals.next().await;
    print_message(&format!(
        "stopping: finishing open requests for at most {} s; a second signal stops at once",
        drain.as_secs()
    ));
    tokio::select! {
        () = running.shutdown() => Ok(()),
        () = signals.next() => {
            print_message("stopped by a second signal; open requests were cut off");
            std::process::exit(1);
        }
    }
}

/// Refuses a database in a folder that does not exist: a mistyped path would start a new service.
fn check_folder_exists(database: &Path) -> Result<()> {
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.exists()) {
        Some(folder) => {
            let folder = folder.display();
            anyhow::bail!("the folder {folder} of the database does not exist; run: mkdir -p {folder}")
        }
        None => Ok(()),
    }
}

/// Writes a line to standard error.
fn print_message(words: &str) {
    let _ = writeln!(std::io::stderr(), "frontdesk: {words}");
}

/// Reads the service's configuration file, if there is one.
fn load_config(path: Option<&Path>, is_model_named: bool) -> Result<ServiceConfig> {
    let Some(path) = path else { return Ok(ServiceConfig::default()) };
    let config = ServiceConfig::read(path).context("could not read the service's configuration")?;
    let without_model = |assistant: &AssistantConfig| assistant.endpoint.is_none() && !is_model_named;
    if config.assistant.as_ref().is_some_and(without_model) {
        anyhow::bail!(
            "{}: [assistant] has no model: set url and model there, or give --assistant-url and --assistant-model",
            path.display()
        );
    }
    Ok(config)
}

/// Selects the assistant: the model named by switches, else by the file.
fn assistant(url: Option<String>, model: Option<String>, told: Option<Endpoint>) -> AssistantChoice {
    let key = std::env::var("FRONTDESK_ASSISTANT_KEY").ok().filter(|var| !var.trim().is_empty());
    match url.zip(model) {
        Some((url, model)) => {
            AssistantChoice::Remote(Endpoint { url, model, key: key.map(|key| Secret::new(&key)) })
        }
        None => told.map_or(AssistantChoice::ByWorld, AssistantChoice::Remote),
    }
}

/// Signals that end the service.
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Starts listening; before that a signal ends the process.
    pub(super) fn listen() -> Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).context("could not listen for signals");
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => (),
            _ = self.interrupt.recv() => (),
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    /// Needs no preparation.
    pub(super) fn listen() -> Result<Self> {
        Ok(Self {})
    }

    /// Waits for the next signal; forever if there are none.
    pub(super) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
