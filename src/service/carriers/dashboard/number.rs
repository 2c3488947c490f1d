//! Connection and test of a WhatsApp channel.

use crate::admin::{Admin, AdminError};
use crate::carriers::account;
use crate::carriers::dashboard::{NewConnection, check_address, json_text, refused_error};
use crate::database::channels::ChannelRow;
use crate::database::session::DbSession;
use api::carriers::{NumberSecrets, NumberSettings};
use model::secret::Secret;
use model::text::is_digits;
use model::time::Timestamp;
use platforms::Channel;
use platforms::whatsapp::{NumberIdentity, NumberPlatform};

/// Access to a WhatsApp number, from the platform's console.
#[derive(Debug, Clone)]
pub struct NumberAccess {
    pub api: String,
    /// Phone number id.
    pub number: String,
    /// Business account id.
    pub account: String,
    pub token: Secret,
    pub app_secret: Secret,
    /// Verify token of the webhook handshake.
    pub verify: Secret,
}

impl NumberAccess {
    fn check(&self) -> Result<(), AdminError> {
        check_address(&self.api)?;
        for (name, id) in [("--phone-number-id", &self.number), ("--business-account-id", &self.account)] {
            if !is_digits(id) {
                let why = format!(
                    "{name} {id:?} is not an id; use the number that the platform shows beside the phone \
                     number"
                );
                return Err(AdminError::Refused(why));
            }
        }
        let secrets =
            [("access token", &self.token), ("app secret", &self.app_secret), ("verify token", &self.verify)];
        match secrets.iter().find(|(_, secret)| secret.expose().is_empty()) {
            Some((name, _)) => Err(AdminError::Refused(format!(
                "no {name} was given: the access token, the app secret and the verify token are read in \
                 this order, one per line"
            ))),
            None => Ok(()),
        }
    }
}

impl Admin {
    /// Connects the WhatsApp channel after the platform has returned the number's record and the account's
    /// templates, which are stored.
    ///
    /// # Errors
    /// With the platform's explanation, or if the database fails.
    pub async fn connect_number(
        &self,
        access: &NumberAccess,
        now: Timestamp,
    ) -> Result<NumberIdentity, AdminError> {
        access.check()?;
        let vault = self.vault().await?;
        let secrets = NumberSecrets {
            token: access.token.expose().to_owned(),
            app_secret: access.app_secret.expose().to_owned(),
            verify: access.verify.expose().to_owned(),
        };
        let settings = NumberSettings {
            api: access.api.clone(),
            number: access.number.clone(),
            account: access.account.clone(),
            webhook: true,
            ..NumberSettings::default()
        };
        let number = NumberPlatform::new(settings, &secrets);
        let (me, templates) = number.load_account().await.map_err(refused_error)?;
        let connection = NewConnection {
            kind: Channel::Whatsapp,
            address: me.phone.clone(),
            settings: json_text(serde_json::to_string(&number.with_identity(&me)))?,
            secrets: json_text(serde_json::to_string(&secrets))?,
            mark: Box::new(move |_| account::description_mark(now)),
            at: now,
        };
        let keep = move |db: &dyn DbSession, channel: &ChannelRow| {
            account::replace_templates(db, &channel.id, &templates)
        };
        self.store_connection(vault, connection, keep).await?;
        Ok(me)
    }
}

/// Tests a connected number and returns the results, one per line.
pub(super) async fn test(settings: &str, secrets: &str) -> Result<Vec<String>, AdminError> {
    let number = NumberPlatform::open(settings, secrets).map_err(AdminError::Refused)?;
    let (me, templates) = number.load_account().await.map_err(refused_error)?;
    let mut lines = vec![format!("{} ({}): the platform accepts the token", me.phone, me.name)];
    let rated = [("quality", &me.quality), ("limit", &me.tier)];
    let rated: Vec<String> =
        rated.into_iter().filter_map(|(name, text)| Some(format!("{name} {}", text.as_ref()?))).collect();
    if !rated.is_empty() {
        lines.push(rated.join(", "));
    }
    let approved = templates.iter().filter(|template| template.status == "APPROVED").count();
    lines.push(format!("{} templates, {approved} of them approved", templates.len()));
    lines.push(if number.is_subscribed().await.map_err(refused_error)? {
        "the platform sends incoming messages of this account; its console shows the address".to_owned()
    } else {
        "the platform has no address for this account's incoming messages yet; start the service with \
         --public-url"
            .to_owned()
    });
    Ok(lines)
}
