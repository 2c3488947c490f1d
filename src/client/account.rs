//! Reading the account. Interface: Endpoints, Account.

use crate::client::connect::Client;
use crate::client::errors::ReadError;
use crate::client::pages::wrong_shape;
use crate::model::account::Account;
use crate::wire::account::AccountBody;
use crate::wire::paths;

impl Client {
    /// `GET /account`: what the key drives.
    ///
    /// # Errors
    /// Classed; see [`ReadError`].
    pub async fn account(&self) -> Result<Account, ReadError> {
        let answer = self.get(paths::ACCOUNT, &[]).await?;
        let body: AccountBody = serde_json::from_slice(&answer.body).map_err(|_| wrong_shape(&answer))?;
        Ok(body.into_model())
    }
}
