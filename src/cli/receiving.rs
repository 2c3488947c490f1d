//! Storage of webhook secrets: with the channel keys, in the keyring or in files readable by their owner
//! only.

use std::path::PathBuf;
use std::sync::Arc;

use crate::config::keys::KeyLocation;
use crate::config::{Config, KeySource};
use crate::shell::receiving::{ReceiverSetup, WebhookSecrets};
use model::secret::Secret;
use sync::ChannelSpec;

/// Setup of the webhook receiver, if configured.
pub fn receiver_setup(config: &Config, folder: PathBuf) -> Option<ReceiverSetup> {
    let receiver = config.receiver.clone()?;
    let secrets = Arc::new(FolderSecrets { folder });
    Some(ReceiverSetup { listen: receiver.listen, public_url: receiver.public_url, secrets })
}

/// Configuration folder, where keys are kept.
struct FolderSecrets {
    folder: PathBuf,
}

/// Key name of a channel's webhook secret; the suffix cannot occur in a channel's name.
fn secret_name(channel: &ChannelSpec) -> String {
    format!("{}\u{b7}webhook", channel.name)
}

impl WebhookSecrets for FolderSecrets {
    fn load(&self, channel: &ChannelSpec) -> Option<Secret> {
        KeySource::Kept(self.folder.clone()).fetch(&secret_name(channel), &channel.base_url).ok()
    }

    fn store(&self, channel: &ChannelSpec, secret: &Secret) -> Result<(), String> {
        let name = secret_name(channel);
        let place = KeyLocation { folder: &self.folder, channel: &name, base_url: &channel.base_url };
        place.store(secret).map(drop)
    }
}
