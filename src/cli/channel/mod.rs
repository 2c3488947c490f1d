//! `frontdesk channel`: adds, lists, tests and removes channel keys.
//!
//! Keys are entered at a prompt or read from standard input or the environment, never from an argument, which
//! other users of the machine can see.

mod add;
pub mod check;
mod list;
mod remove;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use clap_complete::engine::ArgValueCandidates;

use crate::cli::scripting::seconds;
use crate::cli::unfinished::CommandRefusal;
use crate::cli::{CliError, completing, folders};
use crate::config::{ChannelConfig, Config};

/// The commands about channels.
#[derive(Debug, Subcommand)]
pub enum ChannelAction {
    /// Add a channel, or replace its key, after checking the key.
    ///
    /// The key is asked for without being shown, or read from the first line of standard input. It
    /// is stored in the desktop's keyring if there is one, else in a file that only you can read.
    #[command(alias = "create")]
    Add(AddArguments),
    /// List the configured channels, without asking a server.
    List(ChannelListArguments),
    /// Ask each server what its key may do.
    Test(TestArguments),
    /// Remove a channel and its key; drafts and unsent messages are kept.
    #[command(alias = "delete")]
    Remove(RemoveArguments),
}

/// The switches of `channel add`.
#[derive(Debug, Args)]
pub struct AddArguments {
    /// Name of the tab; asked for if not given.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Address of the service, such as https://api.example.com/v1; asked for if not given.
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Read the key from this environment variable, now and at every start, and do not store it.
    #[arg(long, value_name = "VARIABLE")]
    pub key_env: Option<String>,
    /// Never change anything on the server from this tab.
    #[arg(long)]
    pub read_only: bool,
    /// Use the key although it is for another account than the tab had.
    #[arg(long)]
    pub yes: bool,
    /// Maximum seconds to wait for a rate limit.
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = seconds)]
    pub timeout: i64,
    /// Print JSON instead of lines.
    #[arg(long)]
    pub json: bool,
}

/// The switches of `channel list`.
#[derive(Debug, Args)]
pub struct ChannelListArguments {
    /// Print one JSON array instead of lines.
    #[arg(long)]
    pub json: bool,
}

/// The switches of `channel test`.
#[derive(Debug, Args)]
pub struct TestArguments {
    /// Only this channel.
    #[arg(add = ArgValueCandidates::new(completing::channels))]
    pub name: Option<String>,
    /// Maximum seconds to wait for the rate limit of each key.
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = seconds)]
    pub timeout: i64,
    /// Print one JSON array instead of lines.
    #[arg(long)]
    pub json: bool,
}

/// The switches of `channel remove`.
#[derive(Debug, Args)]
pub struct RemoveArguments {
    /// Name of the channel.
    #[arg(add = ArgValueCandidates::new(completing::channels))]
    pub name: String,
    /// Do not ask for confirmation.
    #[arg(long)]
    pub yes: bool,
    /// Print JSON instead of lines.
    #[arg(long)]
    pub json: bool,
}

/// # Errors
/// Usage errors if the arguments do not fit, else as text.
pub fn run(action: &ChannelAction) -> Result<(), CliError> {
    match action {
        ChannelAction::Add(arguments) => add::run(arguments),
        ChannelAction::List(arguments) => Ok(list::run(arguments)?),
        ChannelAction::Test(arguments) => Ok(check::run(arguments)?),
        ChannelAction::Remove(arguments) => remove::run(arguments),
    }
}

pub(in crate::cli) use remove::count_kept;

pub(in crate::cli) struct ConfigFile {
    pub(in crate::cli) path: PathBuf,
    pub(in crate::cli) config: Config,
}

impl ConfigFile {
    pub(in crate::cli) fn read() -> Result<Self> {
        let path = folders::config()?.join("config.toml");
        let config = Config::read(&path)?;
        Ok(Self { path, config })
    }

    /// Configuration folder, where keys are kept.
    pub(in crate::cli) fn folder(&self) -> PathBuf {
        self.path.parent().map(PathBuf::from).unwrap_or_default()
    }

    fn channel(&self, name: &str) -> Option<&ChannelConfig> {
        self.config.channels.iter().find(|channel| channel.name.eq_ignore_ascii_case(name))
    }

    pub(in crate::cli) fn text(&self) -> Result<String> {
        match disk::read_text(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            read => read.with_context(|| format!("could not read {}", self.path.display())),
        }
    }

    /// Channel of a name, or an error that lists the known ones.
    fn named(&self, name: &str) -> Result<&ChannelConfig> {
        self.channel(name).ok_or_else(|| {
            let known: Vec<&str> = self.config.channels.iter().map(|channel| channel.name.as_str()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            CommandRefusal::not_found(format!("there is no channel {name:?}; known channels: {known}")).into()
        })
    }
}
