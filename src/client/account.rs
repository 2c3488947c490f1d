//! The account that an API key belongs to.

use sha2::{Digest, Sha256};

use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::read_one;
use crate::request::ReadResponse;
use crate::words;
use api::account::AccountBody;
use api::paths;
use model::account::{Account, EarlierImport};
use model::outbox::SendingAccount;
use model::secret::Secret;
use model::text::SafeText;

/// Returns the digits by which a service names a key: the first 8 bytes of its SHA-256, in hex.
pub fn key_fingerprint(key: &Secret) -> String {
    let digest = Sha256::digest(key.expose().as_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Answer of `GET /account`.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportedAccount {
    pub account: Account,
    /// Identity by which outbox rows are compared.
    pub identity: SendingAccount,
    pub import: Option<EarlierImport>,
}

impl Client {
    pub async fn account(&self) -> Result<Account, ReadError> {
        self.reported_account().await.map(|reported| reported.account)
    }

    /// `GET /account`.
    pub async fn reported_account(&self) -> Result<ReportedAccount, ReadError> {
        let answer = self.get_account().await?;
        let body: AccountBody = read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())?;
        let assistant = body.assistant_id.clone().or_else(|| body.assistant.id.clone());
        let import = body.earlier_import();
        let account = body.into_model();
        let identity = SendingAccount {
            server: self.server_name(),
            key_print: self.shared.key_fingerprint.clone(),
            workspace: account.workspace_id.clone(),
            assistant: assistant.unwrap_or_default(),
            environment: account.environment.word().to_owned(),
            platform: Some(account.platform.word().to_owned()),
            name: account.workspace_name.as_ref().map(SafeText::to_string),
        };
        Ok(ReportedAccount { account, identity, import })
    }

    /// Sends `GET /account`. A 404 means that the address of the server is wrong.
    pub(crate) async fn get_account(&self) -> Result<ReadResponse, ReadError> {
        self.get(paths::ACCOUNT, &[]).await.map_err(|error| match error {
            ReadError::NotFound(_) | ReadError::NoSuchPath(_) => {
                ReadError::NoSuchPath(words::describe_missing_account(self.base_url()))
            }
            other => other,
        })
    }

    /// Returns the host of the base URL, with the port if one is given.
    fn server_name(&self) -> String {
        let Ok(url) = reqwest::Url::parse(self.base_url()) else { return self.base_url().to_owned() };
        let host = url.host_str().unwrap_or_default();
        match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }
}
