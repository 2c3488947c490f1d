//! Connecting and testing the email channel.

use crate::admin::{Admin, AdminError};
use crate::carriers::dashboard::{NewConnection, check_address, refused, text};
use crate::channels::Channel;
use crate::platforms::mailbox::MailboxPlatform;
use model::bounds;
use model::secret::Secret;
use model::time::{SECOND, Timestamp};
use wire::carriers::{MailboxMark, MailboxSecrets, MailboxSettings};

/// A mailbox as its owner describes it.
#[derive(Clone)]
pub struct MailboxAccess {
    /// Addresses, servers and what the assistant may do.
    pub settings: MailboxSettings,
    /// The password for reading, or the refresh token.
    pub reading: Secret,
    /// The password for sending, or the client's secret; empty where it is the
    /// same, or there is none.
    pub sending: Secret,
}

impl MailboxAccess {
    fn check(&self) -> Result<MailboxSecrets, AdminError> {
        let refuse = |why: String| Err(AdminError::Refused(why));
        let MailboxSettings { address, name, oauth, .. } = &self.settings;
        if !bounds::is_email(address) {
            return refuse(format!(
                "--address is the mailbox's own, such as desk@shop.example, not {address:?}"
            ));
        }
        if name.iter().any(|it| it.chars().any(char::is_control) || bounds::length(it) > bounds::CONTACT_NAME)
        {
            return refuse("--name is one line that mail is signed with".to_owned());
        }
        let reading = self.reading.expose().to_owned();
        if reading.is_empty() {
            return refuse(match oauth {
                Some(_) => {
                    "no refresh token was given; the provider tells it when the account's owner has agreed"
                        .to_owned()
                }
                None => "no password was given".to_owned(),
            });
        }
        if let Some(oauth) = oauth {
            check_address(&oauth.token_url)?;
        }
        let sending = match (self.sending.expose(), oauth) {
            ("", None) => reading.clone(),
            (sending, _) => sending.to_owned(),
        };
        Ok(MailboxSecrets { reading, sending })
    }
}

impl Admin {
    /// Connects the email channel once both servers have let the account in;
    /// mail that is there already stays where it is.
    ///
    /// # Errors
    /// What a server says, in words; when the database fails.
    pub async fn connect_mailbox(
        &self,
        access: &MailboxAccess,
        now: Timestamp,
    ) -> Result<String, AdminError> {
        let secrets = access.check()?;
        let vault = self.vault().await?;
        let settings = access.settings.clone();
        let mailbox = MailboxPlatform::new(settings.clone(), &secrets).map_err(AdminError::Refused)?;
        let fresh = mailbox.test(now.micros() / SECOND, now.micros().to_string()).await.map_err(refused)?;
        let secrets = mailbox.changed_secrets().await.unwrap_or(secrets);
        let address = settings.address.clone();
        let (account, server) = (address.clone(), settings.imap.clone());
        let connection = NewConnection {
            kind: Channel::Email,
            address: address.clone(),
            settings: text(serde_json::to_string(&settings))?,
            secrets: text(serde_json::to_string(&secrets))?,
            // The same mailbox is read on from where it was.
            mark: Box::new(move |before| {
                let same = before.filter(|it| {
                    let known: Result<MailboxSettings, _> = serde_json::from_str(&it.settings);
                    known.is_ok_and(|it| it.address == account && it.imap == server)
                });
                let kept = same.filter(|it| serde_json::from_str::<MailboxMark>(&it.mark).is_ok());
                kept.map_or(fresh, |it| it.mark.clone())
            }),
            at: now,
        };
        self.keep(vault, connection, |_, _| Ok(())).await?;
        Ok(address)
    }
}

/// Asks both servers again: what they say, line by line, and the secrets where
/// they are others by now.
pub(super) async fn test(
    settings: &str,
    secrets: &str,
) -> Result<(Result<Vec<String>, AdminError>, Option<String>), AdminError> {
    let mailbox = MailboxPlatform::open(settings, secrets).map_err(AdminError::Refused)?;
    let tested = mailbox.test(0, String::new()).await;
    let now = match mailbox.changed_secrets().await {
        Some(now) => Some(text(serde_json::to_string(&now))?).filter(|it| it != secrets),
        None => None,
    };
    Ok((tested.map(|_| mailbox.standing()).map_err(refused), now))
}
