//! Reading the account. Interface: Endpoints, Account.

use crate::connect::Client;
use crate::errors::ReadError;
use crate::pages::wrong_shape;
use model::account::Account;
use wire::account::AccountBody;
use wire::paths;

impl Client {
    /// `GET /account`: what the key drives.
    pub async fn account(&self) -> Result<Account, ReadError> {
        let answer = self.get(paths::ACCOUNT, &[]).await?;
        let body: AccountBody = serde_json::from_slice(&answer.body).map_err(|_| wrong_shape(&answer))?;
        Ok(body.into_model())
    }
}
