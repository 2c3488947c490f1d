//! `admin channel`: connecting the channels to their platforms. Nothing is kept
//! before a live test has worked.

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::{Value, json};

use crate::cli::admin::keys::ChannelWord;
use crate::cli::print;
use crate::shell::clock::SystemClock;
use crate::shell::prompt;
use model::secret::Secret;
use model::text::SafeText;
use model::time::Clock;
use service::admin::Admin;
use service::carriers::dashboard::ChannelStanding;
use service::platforms::telegram::API;

/// What can be done with the channels of a service.
#[derive(Debug, Subcommand)]
pub enum PlatformAction {
    /// Connect a channel to its platform, after a live test. Secrets are asked
    /// for, or read from standard input, one a line.
    #[command(subcommand)]
    Connect(PlatformKind),
    /// List the channels: what each is connected to, and what is wrong.
    List,
    /// Ask a channel's platform again whether all is well.
    Test {
        /// Which channel.
        #[arg(value_enum)]
        channel: ChannelWord,
    },
    /// Disconnect a channel; its secrets are removed.
    Disconnect {
        /// Which channel.
        #[arg(value_enum)]
        channel: ChannelWord,
    },
}

/// The platforms a channel can be connected to.
#[derive(Debug, Subcommand)]
pub enum PlatformKind {
    /// Bot-chat: a bot made with @BotFather. Its token is asked for.
    Telegram {
        /// Another server of the bot interface than the platform's own.
        #[arg(long, value_name = "URL", default_value = API)]
        api_url: String,
        /// Let the platform call the service, which needs --public-url; without
        /// it the service reads the platform.
        #[arg(long)]
        webhook: bool,
    },
}

/// Does it.
///
/// # Errors
/// When the platform or the service's file refuses.
pub async fn run(admin: &Admin, action: PlatformAction, json: bool) -> Result<()> {
    match action {
        PlatformAction::Connect(PlatformKind::Telegram { api_url, webhook }) => {
            let token =
                prompt::secret("token of the bot").context("reading the token; nothing was connected")?;
            let token = Secret::new(&token);
            let bot = admin.connect_bot(&api_url, webhook, &token, SystemClock.now()).await;
            let bot = bot.context("nothing was connected")?;
            let name = SafeText::line(&bot.name);
            if json {
                return print::json(&json!({"channel": "telegram", "address": name.as_str()}));
            }
            print::line(&format!("telegram is connected to {name}"))
        }
        PlatformAction::List => list(admin, json).await,
        PlatformAction::Test { channel } => {
            let lines = admin.test_channel(channel.channel()).await.context("testing the channel")?;
            if json {
                return print::json(&json!({"channel": channel.channel().word(), "told": lines}));
            }
            lines.iter().try_for_each(|it| print::line(SafeText::line(it).as_str()))
        }
        PlatformAction::Disconnect { channel } => {
            admin.disconnect(channel.channel()).await.context("disconnecting the channel")?;
            let word = channel.channel().word();
            if json {
                return print::json(&json!({"channel": word, "connected": false}));
            }
            print::line(&format!("{word} is disconnected, and its secrets are removed"))
        }
    }
}

async fn list(admin: &Admin, json: bool) -> Result<()> {
    let all = admin.channels().await.context("listing the channels")?;
    if json {
        return print::json(&Value::Array(all.iter().map(standing_json).collect()));
    }
    all.iter().try_for_each(|it| print::line(&standing_words(it)))
}

fn standing_words(it: &ChannelStanding) -> String {
    let word = it.kind.word();
    let Some(address) = &it.address else { return format!("{word}\tnot connected") };
    let heard = it.heard.unwrap_or_default();
    let state = it.trouble.as_ref().map_or_else(|| "well".to_owned(), |why| format!("TROUBLE: {why}"));
    let mut line = format!("{word}\t{address}\t{heard}\t{state}");
    if it.waiting > 0 {
        line.push_str(&format!("\t{} waiting", it.waiting));
    }
    if it.unknown > 0 {
        line.push_str(&format!("\t{} unknown", it.unknown));
    }
    SafeText::line(&line.replace('\t', " · ")).as_str().to_owned()
}

fn standing_json(it: &ChannelStanding) -> Value {
    json!({
        "channel": it.kind.word(), "connected": it.address.is_some(), "address": it.address, "heard": it.heard,
        "trouble": it.trouble, "waiting": it.waiting, "unknown": it.unknown,
    })
}
