//! What scripts have without a server: the configuration and this desk's
//! files.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::Result;

use crate::cli::folders::DeskFolders;
use crate::cli::unfinished::CommandRefusal;
use crate::cli::{CliError, folders, logs, print};
use crate::config::Config;
use crate::shell::clock::SystemClock;
use model::account::{Account, Environment};
use model::ids::ChannelId;
use model::time::{Clock, Moment, Timestamp};
use store::{Reader, Store};

/// What is configured and stored here; no key is fetched, no server asked.
#[derive(Clone)]
pub struct Files {
    /// What is configured.
    pub config: Config,
    pub store: Store,
    pub clock: Arc<SystemClock>,
}

impl Files {
    /// Opens what is there.
    ///
    /// # Errors
    /// Usage when nothing is configured; in words when files cannot be used.
    pub fn open() -> Result<Self, CliError> {
        let path = folders::config()?.join("config.toml");
        let config = Config::read(&path).map_err(anyhow::Error::from)?;
        if config.channels.is_empty() {
            return Err(CliError::Usage(format!(
                "no channel is configured in {}; add one with `frontdesk channel add`",
                path.display()
            )));
        }
        let files = DeskFolders::find()?;
        logs::start(&files.logs)?;
        let store = files.open(String::new())?;
        if let Some(words) = store.restored() {
            print::note(&format!("frontdesk: {words}; `frontdesk outbox list` shows them"))?;
        }
        Ok(Self { config, store, clock: Arc::new(SystemClock) })
    }

    /// The id of the channel of a name, if one is given.
    pub fn channel(&self, name: Option<&str>) -> Result<Option<ChannelId>> {
        let Some(name) = name else { return Ok(None) };
        match self.config.channels.iter().find(|channel| channel.name.eq_ignore_ascii_case(name)) {
            Some(channel) => Ok(Some(channel.id())),
            None => {
                let known: Vec<&str> =
                    self.config.channels.iter().map(|channel| channel.name.as_str()).collect();
                let told = format!("no channel is called {name:?}; there are: {}", known.join(", "));
                Err(CommandRefusal::absent(told).into())
            }
        }
    }

    /// A tab's configured name; its id where it is no longer configured.
    pub fn name_of(&self, id: &ChannelId) -> String {
        let found = self.config.channels.iter().find(|channel| channel.id() == *id);
        found.map_or_else(|| id.to_string(), |channel_config| channel_config.name.clone())
    }

    /// Channels whose TEST key shows what a LIVE key of the same workspace and
    /// platform shows, as far as their accounts were read.
    pub fn mirrors(&self, reader: &Reader) -> Result<HashSet<ChannelId>> {
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

    /// Whether a channel's key only validates, as far as its account was read.
    pub fn is_test(&self, reader: &Reader, channel: &ChannelId) -> Result<bool> {
        Ok(reader.account(channel)?.is_some_and(|account| account.environment == Environment::Test))
    }

    /// A channel's name, with TEST where nothing is really sent.
    pub fn label(&self, reader: &Reader, channel: &ChannelId) -> Result<String> {
        let name = self.name_of(channel);
        Ok(if self.is_test(reader, channel)? { format!("{name} (TEST)") } else { name })
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The steady clock, by which a command's time is measured.
    pub fn moment(&self) -> Moment {
        self.clock.moment()
    }
}
