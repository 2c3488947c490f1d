//! `admin channel`: connects channels to their platforms. Settings are stored only after a successful live
//! test.

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::{Value, json};

use crate::cli::admin::keys::ChannelArgument;
use crate::cli::print;
use crate::shell::clock::SystemClock;
use crate::shell::prompt;
use api::carriers::{MailboxSettings, OauthSettings};
use model::secret::Secret;
use model::text::SafeText;
use model::time::Clock;
use platforms::{telegram, voip, whatsapp};
use service::admin::Admin;
use service::carriers::dashboard::{ChannelStatus, MailSince, MailboxAccess, NumberAccess, PhoneAccess};

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
        /// Channel.
        #[arg(value_enum)]
        channel: ChannelArgument,
    },
    /// Disconnect a channel, and remove its secrets.
    Disconnect {
        /// Channel.
        #[arg(value_enum)]
        channel: ChannelArgument,
    },
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
    },
    /// Email: a mailbox read over IMAP that sends over SMTP. Asks for its password, then for the
    /// password for sending (empty if it is the same).
    Email {
        /// Mail address of the mailbox.
        #[arg(long, value_name = "ADDRESS")]
        address: String,
        /// Sender name of its mail; without it, the name of the workspace.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// IMAP server: imaps://USER@HOST:PORT, or imap:// for STARTTLS.
        #[arg(long, value_name = "URL")]
        imap: String,
        /// SMTP server: smtps://USER@HOST:PORT, or smtp:// for STARTTLS.
        #[arg(long, value_name = "URL")]
        smtp: String,
        /// Existing mail to import as threads, without events and answers: a span such as 12h, 30d
        /// or 8w, a day such as 2026-10-01, or now for none. Without it, 30d, unless the mailbox
        /// was connected before.
        #[arg(long, value_name = "SPAN|DAY|now")]
        since: Option<MailSince>,
        /// Let the assistant answer mail until a person does.
        #[arg(long)]
        auto_reply: bool,
        /// Address of the provider's token endpoint, if it requires OAuth2; then a refresh token
        /// and the client secret are asked for.
        #[arg(long, value_name = "URL", requires = "client_id")]
        token_url: Option<String>,
        /// Client id of this service at the provider.
        #[arg(long, value_name = "ID", requires = "token_url")]
        client_id: Option<String>,
    },
    /// Voice and SMS: a number of a Twilio account, or of a compatible one. Asks for the auth
    /// token.
    Voip {
        /// Account SID: AC and 32 hex digits.
        #[arg(long, value_name = "SID")]
        account_sid: String,
        /// Phone number, such as +15550100200.
        #[arg(long, value_name = "NUMBER")]
        number: String,
        /// Address of the API.
        #[arg(long, value_name = "URL", default_value = voip::DEFAULT_API)]
        api_url: String,
    },
}

pub async fn run(admin: &Admin, action: PlatformAction, json: bool) -> Result<()> {
    match action {
        PlatformAction::Connect(platform) => {
            let (word, address) = connect(admin, platform).await?;
            let address = SafeText::line(&address);
            if json {
                return print::json(&json!({"channel": word, "address": address.as_str()}));
            }
            print::line(&format!("{word} is connected to {address}"))
        }
        PlatformAction::List => list(admin, json).await,
        PlatformAction::Test { channel } => {
            let lines = admin.test_channel(channel.channel()).await.context("could not test the channel")?;
            if json {
                return print::json(&json!({"channel": channel.channel().word(), "told": lines}));
            }
            lines.iter().try_for_each(|text| print::line(SafeText::line(text).as_str()))
        }
        PlatformAction::Disconnect { channel } => {
            admin
                .disconnect(channel.channel(), SystemClock.now())
                .await
                .context("could not disconnect the channel")?;
            let word = channel.channel().word();
            if json {
                return print::json(&json!({"channel": word, "connected": false}));
            }
            print::line(&format!("{word} is disconnected and its secrets are removed"))
        }
    }
}

/// Connects a channel. Returns its word and its public address.
async fn connect(admin: &Admin, platform: PlatformKind) -> Result<(&'static str, String)> {
    let nothing = "nothing was connected";
    let secret = |what: &str| {
        let asked = prompt::ask_secret(what).with_context(|| format!("{nothing}: could not read the {what}"));
        asked.map(|text| Secret::new(&text))
    };
    let now = SystemClock.now();
    Ok(match platform {
        PlatformKind::Telegram { api_url, webhook } => {
            let token = secret("bot token")?;
            ("telegram", admin.connect_bot(&api_url, webhook, &token, now).await.context(nothing)?.name)
        }
        PlatformKind::Whatsapp { phone_number_id, business_account_id, api_url } => {
            let access = NumberAccess {
                api: api_url,
                number: phone_number_id,
                account: business_account_id,
                token: secret("access token")?,
                app_secret: secret("app secret")?,
                verify: secret("verify token")?,
            };
            ("whatsapp", admin.connect_number(&access, now).await.context(nothing)?.phone)
        }
        PlatformKind::Email { address, name, imap, smtp, since, auto_reply, token_url, client_id } => {
            let oauth = token_url.zip(client_id);
            let oauth = oauth.map(|(token_url, client_id)| OauthSettings { token_url, client_id });
            let words = match oauth {
                Some(_) => ("refresh token", "client secret (empty if there is none)"),
                None => ("password", "password for sending (empty if it is the same)"),
            };
            let reading = secret(words.0)?;
            let sending = prompt::optional_secret(words.1).context(nothing)?;
            let settings = MailboxSettings { address, name, imap, smtp, oauth, auto_reply };
            let access = MailboxAccess { settings, reading, sending: Secret::new(&sending), since };
            ("email", admin.connect_mailbox(&access, now).await.context(nothing)?)
        }
        PlatformKind::Voip { account_sid, number, api_url } => {
            let token = secret("auth token")?;
            let access = PhoneAccess { api: api_url, account: account_sid, number: number.clone(), token };
            admin.connect_phone(&access, now).await.context(nothing)?;
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

fn describe_channel_status(it: &ChannelStatus) -> String {
    let word = it.kind.word();
    let Some(address) = &it.address else { return format!("{word}\tnot connected") };
    let heard = it.delivery_method.unwrap_or_default();
    let state = it.trouble.as_ref().map_or_else(|| "well".to_owned(), |why| format!("PROBLEM: {why}"));
    let mut line = format!("{word}\t{address}\t{heard}\t{state}");
    let rated = [("quality", &it.quality), ("limit", &it.tier)];
    for (name, told) in rated.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))) {
        line.push_str(&format!("\t{name} {told}"));
    }
    if let Some(earlier) = it.earlier.filter(|earlier| !earlier.is_finished) {
        line.push_str(&match earlier.total {
            0 => "\timport of earlier mail: counting".to_owned(),
            total => format!("\timport of earlier mail: {} of {total}", earlier.filed),
        });
    }
    if it.waiting > 0 {
        line.push_str(&format!("\t{} to send", it.waiting));
    }
    if it.unknown > 0 {
        line.push_str(&format!("\t{} with unknown outcome", it.unknown));
    }
    SafeText::line(&line.replace('\t', " · ")).as_str().to_owned()
}

fn channel_status_to_json(it: &ChannelStatus) -> Value {
    json!({
        "channel": it.kind.word(), "connected": it.address.is_some(), "address": it.address, "heard": it.delivery_method,
        "trouble": it.trouble, "quality": it.quality, "limit": it.tier, "waiting": it.waiting, "unknown": it.unknown,
        "earlier": it.earlier.map(|earlier| json!({
            "since": earlier.since.to_string(), "filed": earlier.filed, "total": earlier.total,
            "finished": earlier.is_finished,
        })),
    })
}
