//! What a person wants to know of a key before trusting it: whose it is, what
//! it may read, how much of its budget is left, how far the clocks are apart.

use crate::connect::Client;
use crate::errors::ReadError;
use crate::headers::Rate;
use crate::pages::read_one;
use model::account::Account;
use model::time::Timestamp;
use wire::account::AccountBody;
use wire::paths;

/// What one reading of the account tells.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    pub account: Account,
    pub server_time: Option<Timestamp>,
    /// The rate limit's numbers, if the server tells them.
    pub rate: Option<Rate>,
}

/// What may be read with a key, by what people call it.
pub type ReadAccess = Vec<(&'static str, Result<(), ReadError>)>;

/// One list of each resource.
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
    /// Reads the account and what comes with it.
    pub async fn probe_account(&self) -> Result<ProbeResult, ReadError> {
        let answer = self.get(paths::ACCOUNT, &[]).await?;
        let body: AccountBody = read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())?;
        Ok(ProbeResult {
            account: body.into_model(),
            server_time: answer.server_time,
            rate: answer.facts.rate,
        })
    }

    /// Asks for one list of a resource.
    pub async fn may_read(&self, path: &str) -> Result<(), ReadError> {
        self.get(path, &[]).await.map(|_| ())
    }
}
