//! `frontdesk dev`: tools for benchmarks and development.

mod html;
mod world;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};

use crate::cli::folders;
use crate::cli::print;
use crate::config::Config;
use model::account::Platform;
use model::ids::ChannelId;
use store::Store;
use store::history::HistoryProgress;
pub use world::GeneratedData;

/// The commands for benches.
#[derive(Debug, Subcommand)]
pub enum DevelopmentAction {
    /// Fill a local cache with generated conversations and messages.
    FillCache(FillArguments),
    /// Check that random HTML mails are converted to text alone.
    FuzzHtml(html::FuzzArguments),
}

/// How the cache is filled.
#[derive(Debug, Args)]
pub struct FillArguments {
    /// Data folder; created if it does not exist.
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// Number of conversations.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    conversations: u32,
    /// Number of messages in all conversations together.
    #[arg(long, value_name = "M", default_value_t = 0)]
    messages: u64,
    /// Seed of the content; the same seed makes the same cache.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Name of the channel; without it, the first configured one.
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
}

const CONVERSATIONS_PER_TRANSACTION: u32 = 500;

pub fn run(action: &DevelopmentAction) -> Result<()> {
    let arguments = match action {
        DevelopmentAction::FillCache(arguments) => arguments,
        DevelopmentAction::FuzzHtml(arguments) => return html::fuzz(arguments),
    };
    let channel = channel(arguments.channel.as_deref())?;
    let store = Store::open(&arguments.data_dir).context("could not open the files of the folder")?;
    let runtime = tokio::runtime::Builder::new_current_thread().build().context("starting")?;
    let world = GeneratedData::new(arguments.seed, arguments.conversations, arguments.messages);
    runtime.block_on(fill(&store, &channel, &world))?;
    store.finish_index().context("could not index the texts")?;
    let folder: &Path = &arguments.data_dir;
    print::line(&format!(
        "{} conversations with {} messages are in the cache of channel {channel} in {}",
        arguments.conversations,
        arguments.messages,
        folder.display()
    ))?;
    Ok(())
}

/// Id of the channel to fill, as the inbox derives it.
fn channel(name: Option<&str>) -> Result<ChannelId> {
    if let Some(name) = name {
        return Ok(ChannelId::new(name.to_lowercase()));
    }
    let config = Config::read(&folders::config()?.join("config.toml"))?;
    match config.channels.first() {
        Some(first) => Ok(first.id()),
        None => bail!("no channel is configured; name the one to fill with --channel NAME"),
    }
}

/// Stores a generated world in a channel's cache.
///
/// # Errors
/// When the database fails.
pub async fn fill(store: &Store, channel: &ChannelId, world: &GeneratedData) -> Result<()> {
    let conversations = world.conversations();
    store.apply_account(channel, world.account()).await.context("could not store the account")?;
    let mut first = 0;
    while first < conversations {
        let end = conversations.min(first.saturating_add(CONVERSATIONS_PER_TRANSACTION));
        let (mut page, mut histories) = (Vec::new(), Vec::new());
        for index in first..end {
            let (conversation, messages) = world.conversation(index);
            histories.push((conversation.id.clone(), messages));
            page.push(conversation);
        }
        let snapshot = store.snapshot();
        store.apply_conversations(channel, page, snapshot, true, Vec::new()).await.context("storing")?;
        for (id, messages) in histories {
            let newest = messages.first().and_then(|message| Some((message.created_at?, message.id.clone())));
            let step = HistoryProgress::Anew { newest, older_cursor: None };
            let platform = Platform::Whatsapp;
            store.apply_history(channel, &id, messages, platform, step, true).await.context("storing")?;
        }
        first = end;
    }
    Ok(())
}
