//! What a desk is made of, before it runs.

use std::path::PathBuf;
use std::sync::Arc;

use crate::shell::clipboard::Clipboard;
use crate::shell::connections::ConnectionsSetup;
use crate::shell::notify::Notifier;
use crate::shell::receiving;
use crate::shell::suggesting::Suggester;
use crate::shell::terminal::ScreenOptions;
use inbox::screens::conversations::saved_views::SavedView;
use inbox::settings::{ChannelInfo, Settings};
use inbox::theme_view::Theme;
use model::account::Environment;
use model::time::Clock;
use store::{Reader, Store, StoreError, StoreOptions};
use sync::{ChannelSpec, Polling};

/// This desk's files, before they are opened.
pub struct DeskFiles {
    /// The folder of what cannot be had again.
    pub folder: PathBuf,
    pub options: StoreOptions,
}

impl DeskFiles {
    pub fn open(&self) -> Result<Store, StoreError> {
        Store::open_with(&self.folder, self.options.clone())
    }

    /// What the first frame is read from, and the files where that needs them
    /// open: checks, locks and writes come after the frame where they can.
    pub(super) fn first_look(&self) -> Result<(Reader, Option<Store>), StoreError> {
        if let Some(reader) = Store::peek(&self.folder, &self.options) {
            return Ok((reader, None));
        }
        let store = self.open()?;
        Ok((store.reader()?, Some(store)))
    }
}

/// What a desk is made of.
pub struct DeskParts {
    pub files: DeskFiles,
    pub channels: Vec<ChannelSpec>,
    pub settings: Settings,
    /// The file in which settings are kept; none keeps them for this desk alone.
    pub config: Option<PathBuf>,
    /// Where the canned replies lie.
    pub replies: PathBuf,
    /// The business's own interfaces, if the desk keeps any.
    pub connections: Option<ConnectionsSetup>,
    /// The model that suggests, if one is configured.
    pub suggester: Option<Suggester>,
    /// Who writes here, if that was said.
    pub agent: Option<String>,
    /// How often its tabs are asked.
    pub polling: Polling,
    /// How webhooks of its own come, if they do.
    pub receiver: Option<receiving::ReceiverSetup>,
    pub theme: Theme,
    /// What is used of the terminal.
    pub screen: ScreenOptions,
    /// How it reaches a person who looks elsewhere.
    pub notifier: Notifier,
    pub clipboard: Clipboard,
    pub views: Vec<SavedView>,
    pub clock: Arc<dyn Clock>,
    pub runtime: tokio::runtime::Handle,
}

impl DeskParts {
    /// The tabs as the app knows them: never with their keys.
    pub fn infos(channels: &[ChannelSpec]) -> Vec<ChannelInfo> {
        let info = |channel_spec: &ChannelSpec| ChannelInfo {
            id: channel_spec.id.clone(),
            name: channel_spec.name.clone(),
            environment: Environment::from_key(channel_spec.key.expose()),
            read_only: channel_spec.read_only,
        };
        channels.iter().map(info).collect()
    }
}
