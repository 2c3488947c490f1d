//! `frontdesk serve`: the embedded service alone.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;

use crate::cli::{CliError, desk, folders, logs};
use crate::config::{AssistantConfig, ServiceConfig};
use crate::shell::clock::SystemClock;
use model::secret::Secret;
use service::metrics::MetricsToken;
use service::{
    self, AfterPersonAnswers, AssistantChoice, DatabaseLocation, Endpoint, HostName, Network, PublicUrl,
    TokenCaps,
};

/// The switches of `serve`.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:8787", value_name = "ADDRESS")]
    pub listen: SocketAddr,
    /// A name or address that requests may name as their host, beside loopback
    /// ones and the address it listens on; repeat it for more.
    #[arg(long = "host", value_name = "NAME")]
    pub hosts: Vec<HostName>,
    /// The address under which others reach it, such as
    /// https://desk.example.com: links carry it, and its host may be named.
    #[arg(long, value_name = "URL")]
    pub public_url: Option<PublicUrl>,
    /// A proxy, or a network of them, whose X-Forwarded-For, -Proto and -Host are
    /// believed: limits, the log and links then follow the client it tells;
    /// repeat it for more.
    #[arg(long = "trust-proxy", value_name = "CIDR")]
    pub proxies: Vec<Network>,
    /// The service's database: a file, created readable by its owner only, or one
    /// on a PostgreSQL server, such as postgres://user@host/name.
    #[arg(long, value_name = "PATH|URL")]
    pub db: Option<DatabaseLocation>,
    /// The key that seals secrets, made when the database is new: 32 bytes or 64
    /// hex digits, readable by its owner only; without it, a file beside the
    /// database. One on a server has none beside it.
    #[arg(long, value_name = "PATH")]
    pub key_file: Option<PathBuf>,
    /// A file with the token that opens GET /metrics to other machines; without it,
    /// only this machine may see the figures.
    #[arg(long, value_name = "PATH")]
    pub metrics_token_file: Option<PathBuf>,
    /// Write where the service is, and keys that were just made, into this
    /// file once the socket is bound.
    #[arg(long, value_name = "PATH")]
    pub ready_file: Option<PathBuf>,
    /// Seed the sample world and keep it alive.
    #[arg(long)]
    pub demo: bool,
    /// Simulated platforms and the scripted assistant, without the sample world.
    #[arg(long)]
    pub simulate: bool,
    /// Offer the switches under /dev; loopback only.
    #[arg(long)]
    pub dev: bool,
    /// Decides what is random in the simulated world.
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    pub seed: u64,
    /// The service's own file: [assistant], what a model is told of the business,
    /// where it is and what it may use up.
    #[arg(long, value_name = "PATH")]
    pub config: Option<PathBuf>,
    /// Let a model answer customers: an OpenAI-compatible endpoint up to its
    /// version, such as http://127.0.0.1:8000/v1. Its key, if it wants one, is
    /// read from FRONTDESK_ASSISTANT_KEY.
    #[arg(long, value_name = "URL", requires = "assistant_model")]
    pub assistant_url: Option<String>,
    /// The model's name at that endpoint.
    #[arg(long, value_name = "NAME", requires = "assistant_url")]
    pub assistant_model: Option<String>,
    /// Tokens the model may take for one conversation in a day; then a person
    /// is asked for. 100000 unless it is said here or in the file.
    #[arg(long, value_name = "TOKENS", requires = "assistant_url")]
    pub assistant_conversation_tokens: Option<u64>,
    /// Tokens the model may take for all conversations in a day.
    /// 2000000 unless it is said here or in the file.
    #[arg(long, value_name = "TOKENS", requires = "assistant_url")]
    pub assistant_day_tokens: Option<u64>,
    /// How long the assistant is silent in a conversation after a person's
    /// message: "pause", until it is handed back, or "next customer message".
    /// pause unless it is said here or in the file.
    #[arg(long, value_name = "WHEN")]
    pub after_person_answers: Option<AfterPersonAnswers>,
    /// No rate limits, for benches.
    #[arg(long, requires = "dev")]
    pub unlimited: bool,
}

/// Runs the service until a signal.
pub fn run(arguments: ServeArguments) -> Result<(), CliError> {
    if arguments.dev && !arguments.listen.ip().is_loopback() {
        return Err(CliError::Usage(format!(
            "--dev opens switches without a key and is for loopback only; listen on 127.0.0.1 instead of {}",
            arguments.listen.ip()
        )));
    }
    logs::start_on_stderr().map_err(|error| CliError::Usage(format!("{error:#}")))?;
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
            "it can be read by others; run: chmod 600 {}",
            path.display()
        );
        MetricsToken::read(&disk::read_text(path)?).map_err(anyhow::Error::msg)
    };
    token().with_context(|| format!("the token of the figures in {}", path.display()))
}

async fn serve(arguments: ServeArguments) -> Result<()> {
    let database = match arguments.db {
        Some(place) => place,
        None => folders::data()?.join("service.db").into(),
    };
    let shown = database.to_string();
    let told = load_assistant_config(arguments.config.as_deref(), arguments.assistant_url.is_some())?;
    let caps = told.as_ref().map_or_else(TokenCaps::default, |assistant_config| assistant_config.caps);
    let unready = |path: &PathBuf| format!("writing the ready file {}", path.display());
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
        after_person_answers: arguments
            .after_person_answers
            .or(told.as_ref().map(|file| file.after_person_answers))
            .unwrap_or_default(),
        assistant: assistant(
            arguments.assistant_url,
            arguments.assistant_model,
            told.as_ref().and_then(|assistant_config| assistant_config.endpoint.clone()),
        ),
        knowledge: told.map(|assistant_config| assistant_config.knowledge).unwrap_or_default(),
        ..service::Options::new(arguments.listen, database, Arc::new(SystemClock))
    };
    let drain = options.drain;
    let mut signals = Signals::listen()?;
    let started = tokio::select! {
        started = service::start(options) => started,
        () = signals.next() => return Ok(()),
    };
    let running = started.with_context(|| format!("starting the service on {shown}"))?;
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
        "ending: what is under way is answered, for at most {} s; a second signal ends at once",
        drain.as_secs()
    ));
    tokio::select! {
        () = running.shutdown() => Ok(()),
        () = signals.next() => {
            print_message("ended by a second signal; what was under way is cut off");
            std::process::exit(1);
        }
    }
}

/// Writes a line to standard error.
fn print_message(words: &str) {
    let _ = writeln!(std::io::stderr(), "frontdesk: {words}");
}

/// Reads the assistant's part of the service's configuration file.
fn load_assistant_config(path: Option<&Path>, is_named: bool) -> Result<Option<AssistantConfig>> {
    let Some(path) = path else { return Ok(None) };
    let assistant = ServiceConfig::read(path).context("reading the service's file")?.assistant;
    if assistant.as_ref().is_some_and(|assistant| assistant.endpoint.is_none() && !is_named) {
        anyhow::bail!(
            "{}: [assistant] names no model: give url and model there, or --assistant-url and --assistant-model",
            path.display()
        );
    }
    Ok(assistant)
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
        let listen = |kind| signal(kind).context("listening for signals");
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
