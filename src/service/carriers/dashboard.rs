//! The dashboard's side of channels: connecting after a live test, listing,
//! testing again, disconnecting.

use rand::Rng;
use serde_json::{Value, json};

use crate::admin::{Admin, AdminError};
use crate::carriers::{PlatformSource, PlatformTrouble, watch};
use crate::channels::Channel;
use crate::database::DatabaseError;
use crate::database::channels::{self, ChannelRow};
use crate::database::connected::{self as stored, ConnectedRow};
use crate::database::egress::{self, EgressState};
use crate::platforms::telegram::{BotIdentity, BotPlatform};
use crate::sealing_key::KeyError;
use crate::vault::Vault;
use model::secret::Secret;
use model::text::SafeText;
use model::time::Timestamp;
use wire::carriers::{BotSecrets, BotSettings};

/// How a channel stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelStanding {
    /// Its kind.
    pub kind: Channel,
    /// The address people reach it under, where it is connected.
    pub address: Option<String>,
    /// How what people write comes in.
    pub heard: Option<&'static str>,
    /// What is wrong with it.
    pub trouble: Option<String>,
    /// Messages queued for the platform.
    pub waiting: i64,
    /// Messages whose outcome is unknown.
    pub unknown: i64,
}

fn refused(trouble: PlatformTrouble) -> AdminError {
    AdminError::Refused(trouble.why)
}

fn channel_of(db: &rusqlite::Connection, kind: Channel) -> Result<ChannelRow, AdminError> {
    let none = || AdminError::Refused(format!("this service has no {} channel", kind.word()));
    channels::of_kind(db, kind)?.ok_or_else(none)
}

/// An address of a platform that a person named.
fn check_address(api: &str) -> Result<(), AdminError> {
    let url = url::Url::parse(api).map_err(|_| AdminError::Refused(format!("{api:?} is no address")))?;
    let here = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    match url.scheme() {
        "https" => Ok(()),
        "http" if here => Ok(()),
        _ => Err(AdminError::Refused(format!(
            "{api:?} must begin with https:// (http:// on loopback only), so that nobody reads the token"
        ))),
    }
}

impl Admin {
    /// Seals with the key of the service, which has made it.
    async fn vault(&self) -> Result<Vault, AdminError> {
        let path = || self.key.path().to_owned();
        let key = self.key.read()?.ok_or_else(|| KeyError::Missing(path()))?;
        let asked = key.clone();
        let other: Result<bool, DatabaseError> = self.database.read(move |db| asked.is_another(db)).await;
        if other? {
            return Err(KeyError::Other(path()).into());
        }
        Vault::new(&key).map_err(|why| AdminError::Refused(why.to_string()))
    }

    /// Connects the bot-chat channel once the platform has taken the token.
    ///
    /// # Errors
    /// What the platform says, in words; when the database fails.
    pub async fn connect_bot(
        &self,
        api: &str,
        webhook: bool,
        token: &Secret,
        now: Timestamp,
    ) -> Result<BotIdentity, AdminError> {
        check_address(api)?;
        if token.expose().is_empty() {
            return Err(AdminError::Refused("no token was given; @BotFather has told it".to_owned()));
        }
        let vault = self.vault().await?;
        let random: [u8; 24] = rand::rng().random();
        let hook = random.iter().map(|it| format!("{it:02x}")).collect();
        let secrets = BotSecrets { token: token.expose().to_owned(), hook };
        let settings = BotSettings { api: api.to_owned(), bot: 0, name: String::new(), webhook };
        let bot = BotPlatform::new(&settings, &secrets);
        let me = bot.identify().await.map_err(refused)?;
        if !webhook {
            bot.subscribe(None).await.map_err(refused)?;
        }
        let settings = BotSettings { bot: me.id, name: me.name.clone(), ..settings };
        let text =
            |it: Result<String, serde_json::Error>| it.map_err(|why| AdminError::Refused(why.to_string()));
        let (settings, secrets) =
            (text(serde_json::to_string(&settings))?, text(serde_json::to_string(&secrets))?);
        let (id, name) = (me.id, me.name.clone());
        self.database
            .write(move |db| {
                let channel = channel_of(db, Channel::Telegram)?;
                let sealed = vault
                    .seal(&watch::owner(&channel.id), &secrets)
                    .map_err(|why| AdminError::Refused(why.to_string()))?;
                // The same bot is read on from where it was.
                let before = stored::read(db, &channel.id)?.filter(|it| bot_of(it) == Some(id));
                stored::put(
                    db,
                    &ConnectedRow {
                        channel: channel.id.clone(),
                        settings,
                        sealed,
                        version: uuid::Uuid::now_v7().simple().to_string(),
                        trouble: None,
                        mark: before.map(|it| it.mark).unwrap_or_default(),
                        connected_at: now,
                    },
                )?;
                Ok::<_, AdminError>(stored::set_address(db, &channel.id, Some(&name))?)
            })
            .await?;
        Ok(me)
    }

    /// How all channels stand.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn channels(&self) -> Result<Vec<ChannelStanding>, AdminError> {
        let all: Result<_, DatabaseError> = self.database.read(standings).await;
        Ok(all?)
    }

    /// Asks the platform of a channel again; what it says, line by line.
    ///
    /// # Errors
    /// What is wrong, in words; when the database fails.
    pub async fn test_channel(&self, kind: Channel) -> Result<Vec<String>, AdminError> {
        let (row, bot) = self.connected_bot(kind).await?;
        let me = bot.identify().await.map_err(refused)?;
        let mut lines = vec![format!("{}: the platform takes the token", me.name)];
        let (url, failed) = bot.webhook().await.map_err(refused)?;
        match (bot.is_read(), url) {
            (true, None) => lines.push("what people write is read from the platform".to_owned()),
            (true, Some(_)) => {
                let why = "the platform calls another address for this bot, so it cannot be read: connect the channel again";
                return Err(AdminError::Refused(why.to_owned()));
            }
            (false, Some(url)) => lines.push(format!("the platform calls {url}")),
            (false, None) => {
                lines.push("the platform calls nobody yet: start the service with --public-url".to_owned())
            }
        }
        if let Some(failed) = failed.filter(|_| !bot.is_read()) {
            let failed = SafeText::line(&failed);
            return Err(AdminError::Refused(format!("the platform's last call failed: {failed}")));
        }
        lines.extend(row.trouble.map(|it| format!("the service's last trouble: {it}")));
        Ok(lines)
    }

    /// Disconnects a channel; its secrets are gone.
    ///
    /// # Errors
    /// When it is not connected, or the database fails.
    pub async fn disconnect(&self, kind: Channel) -> Result<(), AdminError> {
        let (row, bot) = self.connected_bot(kind).await?;
        if !bot.is_read()
            && let Err(trouble) = bot.subscribe(None).await
        {
            tracing::warn!(%trouble, "the platform goes on calling for now");
        }
        self.database
            .write(move |db| {
                stored::remove(db, &row.channel)?;
                Ok::<_, AdminError>(stored::set_address(db, &row.channel, None)?)
            })
            .await
    }

    async fn connected_bot(&self, kind: Channel) -> Result<(ConnectedRow, BotPlatform), AdminError> {
        let found = self.database.read(move |db| {
            let channel = channel_of(db, kind)?;
            Ok::<_, AdminError>(stored::read(db, &channel.id)?)
        });
        let Some(row) = found.await? else {
            let word = kind.word();
            return Err(AdminError::Refused(format!(
                "the {word} channel is not connected; `admin channel connect {word}` does it"
            )));
        };
        let secrets = self.vault().await?.open(&watch::owner(&row.channel), &row.sealed);
        let secrets = secrets.map_err(|why| AdminError::Refused(why.to_string()))?;
        let bot = BotPlatform::open(&row.settings, &secrets).map_err(AdminError::Refused)?;
        Ok((row, bot))
    }
}

fn bot_of(row: &ConnectedRow) -> Option<i64> {
    let settings: Value = serde_json::from_str(&row.settings).ok()?;
    settings["bot"].as_i64()
}

/// How all channels stand.
///
/// # Errors
/// When the database fails.
pub fn standings(db: &rusqlite::Connection) -> Result<Vec<ChannelStanding>, DatabaseError> {
    let mut all = Vec::new();
    for kind in Channel::ALL {
        let Some(channel) = channels::of_kind(db, kind)? else { continue };
        let row = stored::read(db, &channel.id)?;
        let settings: Option<Value> =
            row.as_ref().map(|it| serde_json::from_str(&it.settings).unwrap_or_else(|_| json!({})));
        let heard =
            settings.map(|it| if it["webhook"] == true { "the platform calls" } else { "it is read" });
        all.push(ChannelStanding {
            kind,
            address: channel.address.filter(|_| row.is_some()),
            heard,
            trouble: row.and_then(|it| it.trouble),
            waiting: egress::count(db, &channel.id, EgressState::Waiting)?,
            unknown: egress::count(db, &channel.id, EgressState::Unknown)?,
        });
    }
    Ok(all)
}
