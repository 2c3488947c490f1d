//! Where the secrets of this desk's own webhooks are: beside the channel keys,
//! in the keyring or in files only their owner reads.

use std::path::PathBuf;
use std::sync::Arc;

use crate::config::keys::KeyLocation;
use crate::config::{Config, KeySource};
use crate::shell::receiving::{ReceiverSetup, Secrets};
use model::secret::Secret;
use sync::ChannelSpec;

/// How webhooks are received, if the configuration says so.
pub fn setup(config: &Config, folder: PathBuf) -> Option<ReceiverSetup> {
    let receiver = config.receiver.clone()?;
    let secrets = Arc::new(Beside { folder });
    Some(ReceiverSetup { listen: receiver.listen, public_url: receiver.public_url, secrets })
}

/// The folder beside which keys are kept.
struct Beside {
    folder: PathBuf,
}

/// Never the name of a channel's own key: names have no such end.
fn name(channel: &ChannelSpec) -> String {
    format!("{}\u{b7}webhook", channel.name)
}

impl Secrets for Beside {
    fn kept(&self, channel: &ChannelSpec) -> Option<Secret> {
        KeySource::Kept(self.folder.clone()).fetch(&name(channel), &channel.base_url).ok()
    }

    fn keep(&self, channel: &ChannelSpec, secret: &Secret) -> Result<(), String> {
        let name = name(channel);
        let place = KeyLocation { folder: &self.folder, channel: &name, base_url: &channel.base_url };
        place.keep(secret).map(drop)
    }
}
