//! Reading the account. Interface: Endpoints, Account.

use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::read_one;
use model::account::Account;
use wire::account::AccountBody;
use wire::paths;

impl Client {
    /// `GET /account`: what the key drives.
    pub async fn account(&self) -> Result<Account, ReadError> {
        let answer = self.get(paths::ACCOUNT, &[]).await?;
        let body: AccountBody = read_one(&answer, |raw| serde_json::from_str(raw.get()).ok())?;
        Ok(body.into_model())
    }
}
