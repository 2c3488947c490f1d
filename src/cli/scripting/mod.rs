//! The same engine for scripts: one command, one answer. Exit code 0 only
//! when the server confirmed.
//!
//! Knows nothing of screens. It shares the inbox's data folder: while an inbox
//! is open, that one asks and sends, and a command queues its rows and waits;
//! otherwise the command does it while it runs.

mod change;
mod print;
mod show;

pub use change::{ChangeArguments, ReactArguments, SendArguments};
pub use show::{ListArguments, ShowArguments};

use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use clap::Subcommand;

use crate::cli::{CliError, folders, inbox, logs};
use crate::config::Config;
use crate::model::account::Platform;
use crate::model::conversations::ConversationRow;
use crate::model::ids::ConversationId;
use crate::model::news::{Health, News};
use crate::model::queries::{Anchor, ConversationQuery, HistoryQuery, ListFilter};
use crate::model::time::Clock;
use crate::shell::clock::SystemClock;
use crate::store::leases::{Holder, Vitals};
use crate::store::{Reader, Store};
use crate::sync::{Channel, Pulled, leading};

/// Conversations looked through for a name or number.
const LOOKED_AT: u32 = 1_000;

/// The scripting commands.
#[derive(Debug, Subcommand)]
pub enum Script {
    /// List conversations.
    List(ListArguments),
    /// Show the newest messages of a conversation.
    Show(ShowArguments),
    /// Send a text to a conversation.
    Send(SendArguments),
    /// React to a message; an empty emoji removes the reaction.
    React(ReactArguments),
    /// Pause the AI in a conversation.
    Pause(ChangeArguments),
    /// Hand a conversation back to the AI.
    Resume(ChangeArguments),
    /// Close a conversation.
    Close(ChangeArguments),
}

/// Does one scripting command.
///
/// # Errors
/// When the server did not confirm, in words.
pub fn run(script: Script) -> Result<(), CliError> {
    let mut session = Session::open()?;
    let done = match script {
        Script::List(arguments) => show::list(&mut session, &arguments),
        Script::Show(arguments) => show::show(&mut session, &arguments),
        Script::Send(arguments) => return change::send(&mut session, &arguments),
        Script::React(arguments) => change::react(&mut session, &arguments),
        Script::Pause(arguments) => change::switch(&mut session, &arguments, false),
        Script::Resume(arguments) => change::switch(&mut session, &arguments, true),
        Script::Close(arguments) => change::close(&mut session, &arguments),
    };
    Ok(done?)
}

/// The configured channels, without an inbox.
pub struct Session {
    /// Where the hands run.
    pub runtime: tokio::runtime::Runtime,
    /// This desk's files.
    pub store: Store,
    /// To read from them.
    pub reader: Reader,
    /// The time.
    pub clock: Arc<SystemClock>,
    /// Who this process is among those on the folder.
    owner: String,
    channels: Vec<Arc<Channel>>,
    told: Arc<std::sync::Mutex<Vec<News>>>,
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Err(error) = self.runtime.block_on(self.store.release_leases(&self.owner)) {
            tracing::error!(%error, "the leases could not be given up");
        }
    }
}

/// A conversation and the channel it is on.
pub struct Found {
    /// The channel.
    pub channel: Arc<Channel>,
    /// What it drives.
    pub platform: Platform,
    /// The conversation.
    pub row: ConversationRow,
}

impl Session {
    fn open() -> Result<Self, CliError> {
        let path = folders::config()?.join("config.toml");
        let config = Config::read(&path).map_err(anyhow::Error::from)?;
        if config.channels.is_empty() {
            let words = format!("no channel is configured; add a [[channel]] to {}", path.display());
            return Err(CliError::Usage(words));
        }
        let folder = folders::data()?;
        logs::start(&folder)?;
        let store = Store::open(&folder).context("opening this desk's files")?;
        let reader = store.reader().context("opening this desk's files")?;
        let runtime = inbox::runtime()?;
        let clock = Arc::new(SystemClock);
        let told: Arc<std::sync::Mutex<Vec<News>>> = Arc::default();
        let mut channels = Vec::new();
        for spec in inbox::specs(&config)? {
            let ears = told.clone();
            let tell = Arc::new(move |news: News| {
                ears.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(news);
            });
            let name = spec.name.clone();
            let made = Channel::new(spec, store.clone(), clock.clone(), tell);
            channels.push(Arc::new(made.with_context(|| format!("channel {name:?}"))?));
        }
        let owner = leading::owner(&store);
        Ok(Self { runtime, store, reader, clock, owner, channels, told })
    }

    /// The channels a command is for: the named one, or all.
    ///
    /// # Errors
    /// When no channel is called so.
    pub fn channels(&self, name: Option<&str>) -> Result<Vec<Arc<Channel>>> {
        let Some(name) = name else { return Ok(self.channels.clone()) };
        let found = self.channels.iter().find(|it| it.spec().name.eq_ignore_ascii_case(name));
        match found {
            Some(channel) => Ok(vec![channel.clone()]),
            None => {
                let known: Vec<&str> = self.channels.iter().map(|it| it.spec().name.as_str()).collect();
                bail!("no channel is called {name:?}; there are: {}", known.join(", "))
            }
        }
    }

    /// What a channel drives, asked for if it is not known yet.
    ///
    /// # Errors
    /// When the server does not tell, in words.
    pub fn platform(&self, channel: &Channel) -> Result<Platform> {
        if self.runtime.block_on(channel.platform())?.is_none() {
            let pulled = self.runtime.block_on(channel.pull_account());
            self.confirmed(channel, pulled, "reading the account")?;
        }
        match channel.known_platform() {
            Some(platform) => Ok(platform),
            None => bail!("{}: reading the account: {}", channel.spec().name, self.why()),
        }
    }

    /// Whether this process may ask and send for a channel: not while another
    /// one on the folder, such as the inbox, does. To be asked again now and
    /// then, as a lease is held for a few seconds only.
    ///
    /// # Errors
    /// When the files cannot be used.
    pub fn leads(&self, channel: &Channel) -> Result<bool> {
        let wanted = vec![(leading::lease_name(channel.spec()), Vitals::default())];
        let held = self.runtime.block_on(self.store.hold_leases(&self.owner, wanted, self.now()))?;
        Ok(matches!(held.first(), Some(Holder::Me(_))))
    }

    /// Reads the list of a channel's conversations; where another process
    /// keeps it fresh, the files hold it.
    ///
    /// # Errors
    /// When the server does not answer as it should.
    pub fn refresh(&self, channel: &Channel) -> Result<()> {
        if !self.leads(channel)? {
            return Ok(());
        }
        let platform = self.platform(channel)?;
        if platform == Platform::Whatsapp {
            let pulled = self.runtime.block_on(channel.pull_trigger());
            self.confirmed(channel, pulled, "reading new messages")?;
        }
        let pulled = self.runtime.block_on(channel.pull_conversations());
        self.confirmed(channel, pulled, "reading conversations")
    }

    /// Turns a pull that failed into words.
    ///
    /// # Errors
    /// With what the server said last.
    pub fn confirmed(&self, channel: &Channel, pulled: Pulled, what: &str) -> Result<()> {
        if pulled != Pulled::Failed && !channel.is_stopped() {
            return Ok(());
        }
        bail!("{}: {what}: {}", channel.spec().name, self.why())
    }

    /// What another process that leads said last of the connection.
    pub fn leader_says(&self, channel: &Channel) -> Option<Health> {
        let name = leading::lease_name(channel.spec());
        let lease = self.runtime.block_on(self.store.lease(&self.owner, &name, self.now()));
        match lease {
            Ok(Some(Holder::Other(_, vitals))) => vitals.health,
            _ => None,
        }
    }

    /// What was said last of a failure.
    fn why(&self) -> String {
        let told = self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let why = told.iter().rev().find_map(|news| match news {
            News::Health(_, Health::Refused { code, why }) => Some(format!("{code}: {why}")),
            News::Health(
                _,
                Health::Offline { why, .. } | Health::Trouble { why, .. } | Health::Misconfigured { why },
            ) => Some(why.to_string()),
            News::NotForThisKey(_, why) | News::Notice(_, _, why) => Some(why.to_string()),
            _ => None,
        });
        why.unwrap_or_else(|| "the server did not answer as it should; the log says more".to_owned())
    }

    /// Finds a conversation by its id, address or whole name.
    ///
    /// # Errors
    /// When there is none, or several are called so.
    pub fn find(&self, name: Option<&str>, wanted: &str) -> Result<Found> {
        let mut found = Vec::new();
        for channel in self.channels(name)? {
            let platform = self.platform(&channel)?;
            if !platform.has_conversations() {
                continue;
            }
            self.refresh(&channel)?;
            for row in self.matching(&channel, wanted)? {
                found.push(Found { channel: channel.clone(), platform: platform.clone(), row });
            }
        }
        match found.len() {
            0 => bail!("no conversation is {wanted:?}; `frontdesk list` shows ids, addresses and names"),
            1 => found.pop().ok_or_else(|| anyhow!("nothing was found")),
            count => bail!("{count} conversations are {wanted:?}; give the id, or --channel"),
        }
    }

    fn matching(&self, channel: &Channel, wanted: &str) -> Result<Vec<ConversationRow>> {
        let id = channel.spec().id.clone();
        let by_id =
            HistoryQuery { channel: id.clone(), conversation: ConversationId::from(wanted), limit: 1 };
        if let Some(row) = self.reader.history(&by_id)?.conversation {
            return Ok(vec![row]);
        }
        let all =
            ConversationQuery { channel: id, filter: ListFilter::All, anchor: Anchor::Top, limit: LOOKED_AT };
        let rows = self.reader.conversations(&all)?.rows;
        let matches = |it: &ConversationRow| {
            it.conversation.address.as_deref() == Some(wanted)
                || it.conversation.title().as_str().eq_ignore_ascii_case(wanted)
        };
        Ok(rows.into_iter().filter(matches).collect())
    }

    /// The time now.
    pub fn now(&self) -> crate::model::time::Timestamp {
        self.clock.now()
    }
}
