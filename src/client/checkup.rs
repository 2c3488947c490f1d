//! Checks of a key before it is used: its account, its permissions, its rate limit and the server's
//! clock.

use crate::connect::Client;
use crate::errors::ReadError;
use crate::headers::Rate;
use crate::pages::read_one;
use api::account::{AccountBody, DeskServiceBody};
use api::paths;
use model::account::Account;
use model::time::Timestamp;

#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    pub account: Account,
    pub server_time: Option<Timestamp>,
    /// Present if the server sends rate limit headers.
    pub rate: Option<Rate>,
}

/// Display name of each resource, with the error if the key may not read it.
pub type ReadAccess = Vec<(&'static str, Result<(), ReadError>)>;

/// Display name and list path of each resource.
pub const RESOURCES: &[(&str, &str)] = &[
    ("conversations", paths::CONVERSATIONS),
    ("messages", paths::MESSAGES),
    ("new messages", paths::TRIGGER_NEW_MESSAGE),
    ("templates", paths::TEMPLATES),
    ("contacts", paths::CONTACTS),
    ("bot-chat", paths::TELEGRAM_CONVERSATIONS),
    ("email", paths::EMAIL_THREADS),
    ("voice and SMS", paths::VOIP_CONVERSATIONS),
    ("webhooks", paths::WEBHOOKS),
];

impl Client {
    pub async fn probe_account(&self) -> Result<ProbeResult, ReadError> {
        let answer = self.get_account().await?;
        let body: AccountBody = read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())?;
        Ok(ProbeResult {
            account: body.into_model(),
            server_time: answer.server_time,
            rate: answer.facts.rate,
        })
    }

    /// `GET /desk/v1`; `None` if the service has no extensions for desks.
    pub async fn desk_service(&self) -> Result<Option<DeskServiceBody>, ReadError> {
        self.read_extension(paths::DESK, |raw| serde_json::from_str(raw.get()).ok()).await
    }

    /// Reads one list; fails if the key may not.
    pub async fn may_read(&self, path: &str) -> Result<(), ReadError> {
        self.get(path, &[]).await.map(|_| ())
    }
}
