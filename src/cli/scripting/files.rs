//! Configuration and local files, for commands that need no server.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::Result;

use crate::cli::folders::DeskFolders;
use crate::cli::unfinished::CommandRefusal;
use crate::cli::{CliError, desk, folders, logs, print};
use crate::config::Config;
use crate::shell::clock::SystemClock;
use model::account::{Account, Environment};
use model::ids::ChannelId;
use model::time::{Clock, Moment, Timestamp};
use store::{Reader, Store};

/// Configuration and store; no key is fetched and no request made.
#[derive(Clone)]
pub struct Files {
    pub config: Config,
    pub store: Store,
    /// Name of the person at this desk.
    pub person: String,
    pub clock: Arc<SystemClock>,
}

impl Files {
    /// Opens configuration and store.
    ///
    /// # Errors
    /// Usage error if nothing is configured; as text if files fail.
    pub fn open() -> Result<Self, CliError> {
        let folder = folders::config()?;
        let config = desk::read_channels(&folder.join("config.toml"))?;
        let files = DeskFolders::find()?;
        logs::start(&files.logs)?;
        let store = files.open(String::new())?;
        if let Some(words) = store.restored() {
            print::print_progress(&format!("frontdesk: {words}; `frontdesk outbox list` shows them"))?;
        }
        let person = desk::person(&config, &folder);
        Ok(Self { config, store, person, clock: Arc::new(SystemClock) })
    }

    /// Id of the named channel, if a name is given.
    pub fn channel(&self, name: Option<&str>) -> Result<Option<ChannelId>> {
        let Some(name) = name else { return Ok(None) };
        match self.config.channels.iter().find(|channel| channel.name.eq_ignore_ascii_case(name)) {
            Some(channel) => Ok(Some(channel.id())),
            None => {
                let known: Vec<&str> =
                    self.config.channels.iter().map(|channel| channel.name.as_str()).collect();
                let told = format!("there is no channel {name:?}; known channels: {}", known.join(", "));
                Err(CommandRefusal::not_found(told).into())
            }
        }
    }

    /// Configured name of a tab; its id if no longer configured.
    pub fn name_of(&self, id: &ChannelId) -> String {
        let found = self.config.channels.iter().find(|channel| channel.id() == *id);
        found.map_or_else(|| id.to_string(), |channel_config| channel_config.name.clone())
    }

    /// Channels whose TEST key shows the same data as a LIVE key of the same workspace and platform, as far
    /// as their accounts are known.
    pub fn mirrored_channels(&self, reader: &Reader) -> Result<HashSet<ChannelId>> {
        let mut seen = Vec::new();
        for channel in &self.config.channels {
            if let Some(account) = reader.account(&channel.id())? {
                seen.push((channel.id(), account));
            }
        }
        let is_mirror = |account: &Account| {
            let same = |other: &Account| {
                (&other.workspace_id, &other.platform) == (&account.workspace_id, &account.platform)
            };
            let mut live = seen.iter().filter(|(_, other)| other.environment == Environment::Live);
            account.environment == Environment::Test && live.any(|(_, other)| same(other))
        };
        Ok(seen.iter().filter(|(_, account)| is_mirror(account)).map(|(id, _)| id.clone()).collect())
    }

    /// True if the channel's stored account has a TEST key.
    pub fn is_test(&self, reader: &Reader, channel: &ChannelId) -> Result<bool> {
        Ok(reader.account(channel)?.is_some_and(|account| account.environment == Environment::Test))
    }

    /// Name of a channel, with TEST if nothing is really sent.
    pub fn label(&self, reader: &Reader, channel: &ChannelId) -> Result<String> {
        let name = self.name_of(channel);
        Ok(if self.is_test(reader, channel)? { format!("{name} (TEST)") } else { name })
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Steady clock, which measures the command's time.
    pub fn moment(&self) -> Moment {
        self.clock.moment()
    }
}
