//! `admin channel`: connects channels to their platforms. Settings are stored only after a successful live
//! test.

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::{Value, json};

use crate::cli::admin::mailbox::{self, AliasArguments, FolderArguments, MailboxArguments};
use crate::cli::print;
use crate::shell::clock::SystemClock;
use crate::shell::prompt;
use model::secret::Secret;
use model::text::SafeText;
use model::time::Clock;
use platforms::{telegram, voip, whatsapp};
use service::admin::{Admin, ChannelChoice};
use service::carriers::dashboard::{ChannelStatus, NumberAccess, PhoneAccess};
use service::database::keys::KeyLine;

pub(super) const NOTHING_CONNECTED: &str = "nothing was connected";

/// What can be done with the channels of a service.
#[derive(Debug, Subcommand)]
pub enum PlatformAction {
    /// Connect a channel to its platform, after a live test. Secrets are asked for, or read from
    /// standard input, one per line.
    #[command(subcommand)]
    Connect(PlatformKind),
    /// List the channels with their addresses and problems.
    List,
    /// Test a channel's connection to its platform.
    Test {
        /// Channel: whatsapp, telegram, email, voip, or the name of a further channel.
        channel: ChannelChoice,
    },
    /// List the folders of a mailbox with their use, and choose which are read.
    Folders(FolderArguments),
    /// List or change the other addresses of a mailbox, from which it also sends.
    Aliases(AliasArguments),
    /// Disconnect a channel, and remove its secrets.
    Disconnect {
        /// Channel: whatsapp, telegram, email, voip, or the name of a further channel.
        channel: ChannelChoice,
    },
}

impl PlatformAction {
    /// Name of the further channel to connect.
    pub fn new_channel_name(&self) -> Option<&str> {
        match self {
            Self::Connect(platform) => platform.channel_name(),
            _ => None,
        }
    }
}

/// The platforms a channel can be connected to.
#[derive(Debug, Subcommand)]
pub enum PlatformKind {
    /// Bot-chat: a bot created with @BotFather. Asks for its token.
    Telegram {
        /// Address of the bot API.
        #[arg(long, value_name = "URL", default_value = telegram::DEFAULT_API)]
        api_url: String,
        /// Let the platform call the service, which needs --public-url; without it, the service
        /// polls the platform.
        #[arg(long)]
        webhook: bool,
        /// Name of a further bot in the same workspace; without it, the first one.
        #[arg(long = "channel", value_name = "NAME", visible_alias = "name")]
        channel_name: Option<String>,
    },
    /// Business chat: a number of the WhatsApp Cloud API. Asks for the access token, the app secret
    /// and the verify token, in this order.
    Whatsapp {
        /// Id of the number on the platform.
        #[arg(long, value_name = "ID")]
        phone_number_id: String,
        /// Id of the business account on the platform.
        #[arg(long, value_name = "ID")]
        business_account_id: String,
        /// Address of the API, with its version.
        #[arg(long, value_name = "URL", default_value = whatsapp::DEFAULT_API)]
        api_url: String,
        /// Name of a further number in the same workspace; without it, the first one.
        #[arg(long = "channel", value_name = "NAME", visible_alias = "name")]
        channel_name: Option<String>,
    },
    /// Email: a mailbox read over IMAP that sends over SMTP. Asks for its password, then for the
    /// password for sending (empty if it is the same).
    Email(Box<MailboxArguments>),
    /// Voice and SMS: a number of a Twilio account, or of a compatible one. Asks for the auth
    /// token.
    Voip {
        /// Account SID: AC and 32 hex digits.
        #[arg(long, value_name = "SID")]
        account_sid: String,
        /// Phone number, such as +15550100200.
        #[arg(long, value_name = "NUMBER")]
        number: String,
        /// Messaging service that sends the texts instead of the number: MG and 32 hex digits.
        #[arg(long, value_name = "SID")]
        messaging_service: Option<String>,
        /// Address of the API.
        #[arg(long, value_name = "URL", default_value = voip::DEFAULT_API)]
        api_url: String,
        /// Name of a further number in the same workspace; without it, the first one.
        #[arg(long = "channel", value_name = "NAME", visible_alias = "name")]
        channel_name: Option<String>,
    },
}

impl PlatformKind {
    fn channel_name(&self) -> Option<&str> {
        match self {
            Self::Telegram { channel_name, .. }
            | Self::Whatsapp { channel_name, .. }
            | Self::Voip { channel_name, .. } => channel_name.as_deref(),
            Self::Email(mailbox) => mailbox.channel_name.as_deref(),
        }
    }
}

pub async fn run(admin: &Admin, action: PlatformAction, json: bool) -> Result<()> {
    match action {
        PlatformAction::Connect(platform) => {
            let name = platform.channel_name().map(str::to_owned);
            let (word, address) = connect(admin, platform).await?;
            let address = SafeText::line(&address);
            let has_key = match &name {
                Some(name) => has_key(admin, name).await?,
                None => true,
            };
            if json {
                return print::json(&json!({"channel": word, "name": name, "address": address.as_str()}));
            }
            print::line(&format!("{} is connected to {address}", name.as_deref().unwrap_or(word)))?;
            match name.filter(|_| !has_key) {
                Some(name) => print::line(&format!(
                    "create a key for it: frontdesk admin key create --channel {name:?}"
                )),
                None => Ok(()),
            }
        }
        PlatformAction::List => list(admin, json).await,
        PlatformAction::Test { channel } => {
            let lines = admin.test_channel(channel.clone()).await.context("could not test the channel")?;
            if json {
                return print::json(&json!({"channel": channel.word(), "told": lines}));
            }
            lines.iter().try_for_each(|text| print::line(SafeText::line(text).as_str()))
        }
        PlatformAction::Folders(arguments) => mailbox::list_folders(admin, arguments, json).await,
        PlatformAction::Aliases(arguments) => mailbox::list_aliases(admin, arguments, json).await,
        PlatformAction::Disconnect { channel } => {
            admin
                .disconnect(channel.clone(), SystemClock.now())
                .await
                .context("could not disconnect the channel")?;
            let word = channel.word();
            if json {
                return print::json(&json!({"channel": word, "connected": false}));
            }
            print::line(&format!("{word} is disconnected and its secrets are removed"))
        }
    }
}

/// Asks for a secret of a platform.
pub(super) fn secret(what: &str) -> Result<Secret> {
    let asked = prompt::ask_secret(what);
    let asked = asked.with_context(|| format!("{NOTHING_CONNECTED}: could not read the {what}"));
    asked.map(|text| Secret::new(&text))
}

/// Returns true if the named channel has a key that is not revoked.
async fn has_key(admin: &Admin, name: &str) -> Result<bool> {
    let keys = admin.keys().await.context("could not list the keys")?;
    let is_of_it = |key: &KeyLine| key.channel_name.as_deref() == Some(name) && key.revoked_at.is_none();
    Ok(keys.iter().any(is_of_it))
}

/// Connects a channel. Returns the word of its kind and its public address.
async fn connect(admin: &Admin, platform: PlatformKind) -> Result<(&'static str, String)> {
    let now = SystemClock.now();
    Ok(match platform {
        PlatformKind::Telegram { api_url, webhook, .. } => {
            let token = secret("bot token")?;
            (
                "telegram",
                admin.connect_bot(&api_url, webhook, &token, now).await.context(NOTHING_CONNECTED)?.name,
            )
        }
        PlatformKind::Whatsapp { phone_number_id, business_account_id, api_url, .. } => {
            let access = NumberAccess {
                api: api_url,
                number: phone_number_id,
                account: business_account_id,
                token: secret("access token")?,
                app_secret: secret("app secret")?,
                verify: secret("verify token")?,
            };
            ("whatsapp", admin.connect_number(&access, now).await.context(NOTHING_CONNECTED)?.phone)
        }
        PlatformKind::Email(mailbox) => {
            let access = mailbox.read_access().await?;
            ("email", admin.connect_mailbox(&access, now).await.context(NOTHING_CONNECTED)?)
        }
        PlatformKind::Voip { account_sid, number, messaging_service, api_url, .. } => {
            let access = PhoneAccess {
                api: api_url,
                account: account_sid,
                number: number.clone(),
                messaging_service,
                token: secret("auth token")?,
            };
            admin.connect_phone(&access, now).await.context(NOTHING_CONNECTED)?;
            ("voip", number)
        }
    })
}

async fn list(admin: &Admin, json: bool) -> Result<()> {
    let all = admin.channels(SystemClock.now()).await.context("could not list the channels")?;
    if json {
        return print::json(&Value::Array(all.iter().map(channel_status_to_json).collect()));
    }
    all.iter().try_for_each(|channel_standing| print::line(&describe_channel_status(channel_standing)))
}

fn describe_channel_status(status: &ChannelStatus) -> String {
    let word = match &status.name {
        Some(name) => format!("{name} ({})", status.kind.word()),
        None => status.kind.word().to_owned(),
    };
    let Some(address) = &status.address else { return format!("{word}\tnot connected") };
    let heard = status.delivery_method.unwrap_or_default();
    let state = status.trouble.as_ref().map_or_else(|| "well".to_owned(), |why| format!("PROBLEM: {why}"));
    let mut line = format!("{word}\t{address}\t{heard}\t{state}");
    let rated = [("quality", &status.quality), ("limit", &status.tier)];
    for (name, told) in rated.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))) {
        line.push_str(&format!("\t{name} {told}"));
    }
    if let Some(earlier) = status.earlier.filter(|earlier| !earlier.is_finished) {
        line.push_str(&match earlier.total {
            0 => "\timport of earlier mail: counting".to_owned(),
            total => format!("\timport of earlier mail: {} of {total}", earlier.filed),
        });
    }
    if status.waiting > 0 {
        line.push_str(&format!("\t{} to send", status.waiting));
    }
    if status.unknown > 0 {
        line.push_str(&format!("\t{} with unknown outcome", status.unknown));
    }
    SafeText::line(&line.replace('\t', " · ")).as_str().to_owned()
}

fn channel_status_to_json(status: &ChannelStatus) -> Value {
    json!({
        "channel": status.kind.word(), "name": status.name, "connected": status.address.is_some(), "address": status.address,
        "heard": status.delivery_method, "trouble": status.trouble, "quality": status.quality, "limit": status.tier, "waiting": status.waiting, "unknown": status.unknown,
        "earlier": status.earlier.map(|earlier| json!({
            "since": earlier.since.to_string(), "filed": earlier.filed, "total": earlier.total,
            "finished": earlier.is_finished,
        })),
    })
}
