//! Connection and test of a Telegram channel.

use rand::RngExt;
use serde_json::Value;

use crate::admin::{Admin, AdminError};
use crate::carriers::dashboard::{NewConnection, check_address, json_text, refused_error};
use crate::database::connected::ConnectedRow;
use api::carriers::{BotSecrets, BotSettings};
use model::secret::Secret;
use model::text::SafeText;
use model::time::Timestamp;
use platforms::telegram::{BotIdentity, BotPlatform};
use platforms::{Channel, PlatformSource};

impl Admin {
    /// Connects the Telegram channel after the platform has accepted the token.
    ///
    /// # Errors
    /// With the platform's explanation, or if the database fails.
    pub async fn connect_bot(
        &self,
        api: &str,
        webhook: bool,
        token: &Secret,
        now: Timestamp,
    ) -> Result<BotIdentity, AdminError> {
        check_address(api)?;
        if token.expose().is_empty() {
            return Err(AdminError::Refused("no token was given; @BotFather shows it".to_owned()));
        }
        let vault = self.vault().await?;
        let random: [u8; 24] = rand::rng().random();
        let hook = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let secrets = BotSecrets { token: token.expose().to_owned(), hook };
        let settings = BotSettings { api: api.to_owned(), bot: 0, name: String::new(), webhook };
        let bot = BotPlatform::new(&settings, &secrets);
        let me = bot.identify().await.map_err(refused_error)?;
        if !webhook {
            bot.subscribe(None).await.map_err(refused_error)?;
        }
        let settings = BotSettings { bot: me.id, name: me.name.clone(), ..settings };
        let id = me.id;
        let connection = NewConnection {
            kind: Channel::Telegram,
            address: me.name.clone(),
            settings: json_text(serde_json::to_string(&settings))?,
            secrets: json_text(serde_json::to_string(&secrets))?,
            // Reading of the same bot continues where it ended.
            mark: Box::new(move |before| {
                before
                    .filter(|connected_row| bot_id(connected_row) == Some(id))
                    .map(|connected_row| connected_row.mark.clone())
                    .unwrap_or_default()
            }),
            at: now,
        };
        self.store_connection(vault, connection, |_, _| Ok(())).await?;
        Ok(me)
    }
}

fn bot_id(row: &ConnectedRow) -> Option<i64> {
    let settings: Value = serde_json::from_str(&row.settings).ok()?;
    settings["bot"].as_i64()
}

/// Tests a connected bot and returns the results, one per line.
pub(super) async fn test(settings: &str, secrets: &str) -> Result<Vec<String>, AdminError> {
    let bot = BotPlatform::open(settings, secrets).map_err(AdminError::Refused)?;
    let me = bot.identify().await.map_err(refused_error)?;
    let mut lines = vec![format!("{}: the platform accepts the token", me.name)];
    let (url, failed) = bot.webhook().await.map_err(refused_error)?;
    match (bot.needs_polling(), url) {
        (true, None) => lines.push("incoming messages are read from the platform".to_owned()),
        (true, Some(_)) => {
            let why = "the platform sends this bot's messages to another address, so they cannot be read; \
                       connect the channel again";
            return Err(AdminError::Refused(why.to_owned()));
        }
        (false, Some(url)) => lines.push(format!("the platform sends incoming messages to {url}")),
        (false, None) => lines.push(
            "the platform has no address for incoming messages yet; start the service with --public-url"
                .to_owned(),
        ),
    }
    if let Some(failed) = failed.filter(|_| !bot.needs_polling()) {
        let failed = SafeText::line(&failed);
        return Err(AdminError::Refused(format!("the platform's last request failed: {failed}")));
    }
    Ok(lines)
}
