//! Secrets that a platform changes by itself, such as OAuth refresh tokens, sealed in the database for all
//! processes.

use std::sync::Weak;

use crate::carriers::watch;
use crate::database::connected as stored;
use crate::database::session::DbSession;
use crate::state::{Service, ServiceState};
use api::carriers::MailboxSecrets;
use platforms::{BoxFuture, SecretStore};

pub struct ChannelSecrets {
    /// Weak: the service owns the platform adapter, which owns this.
    pub service: Weak<ServiceState>,
    pub channel: String,
    /// A new connection of the channel has another version and other secrets.
    pub version: String,
}

impl ChannelSecrets {
    fn service(&self) -> Result<Service, String> {
        self.service.upgrade().ok_or_else(|| "the service has stopped".to_owned())
    }

    async fn load(&self) -> Result<MailboxSecrets, String> {
        let (service, channel) = (self.service()?, self.channel.clone());
        let found = service.database.read(move |db| stored::read(db, &channel)).await;
        let row = found.map_err(|why| why.to_string())?.filter(|map_err| map_err.version == self.version);
        let row = row.ok_or_else(|| "the channel was connected again".to_owned())?;
        let text = service.vault.open(&watch::secret_owner(&self.channel), &row.sealed);
        let text = text.map_err(|why| why.to_string())?;
        serde_json::from_str(&text)
            .map_err(|_| "its secrets cannot be read; connect the channel again".to_owned())
    }

    async fn save(&self, secrets: MailboxSecrets) -> Result<(), String> {
        let service = self.service()?;
        let text = serde_json::to_string(&secrets).map_err(|why| why.to_string())?;
        let sealed =
            service.vault.seal(&watch::secret_owner(&self.channel), &text).map_err(|why| why.to_string())?;
        let scope = service.database.scope_of_channel(&self.channel).await.map_err(|why| why.to_string())?;
        let (channel, version) = (self.channel.clone(), self.version.clone());
        let keep = move |db: &dyn DbSession| stored::reseal(db, (&channel, &version), &sealed);
        service.database.write_in(scope, keep).await.map_err(|why| why.to_string())
    }
}

impl SecretStore for ChannelSecrets {
    fn read(&self) -> BoxFuture<'_, Result<MailboxSecrets, String>> {
        Box::pin(self.load())
    }

    fn store(&self, secrets: MailboxSecrets) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(self.save(secrets))
    }
}
