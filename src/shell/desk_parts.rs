//! Parts of an inbox process before it runs.

use std::path::PathBuf;
use std::sync::Arc;

use crate::shell::clipboard::Clipboard;
use crate::shell::connections::ConnectionsSetup;
use crate::shell::event_queue::EventQueue;
use crate::shell::notify::Notifier;
use crate::shell::receiving;
use crate::shell::suggesting::Suggester;
use crate::shell::terminal::ScreenOptions;
use inbox::event::Event;
use inbox::screens::conversations::saved_views::SavedView;
use inbox::settings::{ChannelInfo, Settings};
use inbox::theme_view::Theme;
use model::account::Environment;
use model::news::News;
use model::text::SafeText;
use model::time::Clock;
use store::{Reader, Store, StoreError, StoreOptions};
use sync::{ChannelSpec, Engine, Polling, TeamSpec};

/// Data files before they are opened.
pub struct DeskFiles {
    /// Data directory (`outbox.db`).
    pub folder: PathBuf,
    pub options: StoreOptions,
}

impl DeskFiles {
    pub fn open(&self) -> Result<Store, StoreError> {
        Store::open_with(&self.folder, self.options.clone())
    }

    /// Returns the settings with the owner of the files as the agent, in whose name conversations are
    /// claimed.
    pub(super) fn settings_of_agent(&self, settings: Settings) -> Settings {
        Settings { agent: SafeText::line(&self.options.owner), ..settings }
    }

    /// Opens a reader for the first frame, and the store only if the reader needs it: checks, locks and
    /// writes follow the first frame where possible.
    pub(super) fn open_for_first_frame(&self) -> Result<(Reader, Option<Store>), StoreError> {
        if let Some(reader) = Store::peek(&self.folder, &self.options) {
            return Ok((reader, None));
        }
        let store = self.open()?;
        Ok((store.reader()?, Some(store)))
    }
}

pub struct DeskParts {
    pub files: DeskFiles,
    pub channels: Vec<ChannelSpec>,
    pub settings: Settings,
    /// File for changed settings; `None` keeps them for this process only.
    pub config: Option<PathBuf>,
    pub replies: PathBuf,
    /// Data Connections, if configured.
    pub connections: Option<ConnectionsSetup>,
    /// Language model for suggestions, if configured.
    pub suggester: Option<Suggester>,
    /// Name of the person, if configured.
    pub agent: Option<String>,
    /// Team that this desk has joined, or why its session cannot be used.
    pub team: Result<Option<TeamSpec>, String>,
    pub polling: Polling,
    /// Webhook receiver, if configured.
    pub receiver: Option<receiving::ReceiverSetup>,
    pub theme: Theme,
    /// Terminal features in use.
    pub screen: ScreenOptions,
    /// Notifications outside the screen.
    pub notifier: Notifier,
    pub clipboard: Clipboard,
    pub views: Vec<SavedView>,
    pub clock: Arc<dyn Clock>,
    pub runtime: tokio::runtime::Handle,
}

impl DeskParts {
    /// Lets the engine follow the team. A team that cannot be followed is reported on its first tab.
    pub(super) fn join_team(
        engine: &Arc<Engine>,
        mut team: Result<Option<TeamSpec>, String>,
        channels: &[ChannelSpec],
        mailbox: &EventQueue,
    ) {
        if let Ok(Some(spec)) = &mut team {
            let told = mailbox.clone();
            let tell = move |channel: &ChannelSpec| {
                let infos = Self::infos(std::slice::from_ref(channel));
                infos.into_iter().for_each(|info| told.result(Event::ChannelAdded(info)));
            };
            spec.new_channels = spec.new_channels.take().map(|found| found.started_in(engine, tell));
        }
        let joined = team.and_then(|spec| engine.join_team(spec).map_err(|error| error.to_string()));
        if let (Err(why), Some(channel)) = (joined, channels.first()) {
            tracing::error!(why, "the team cannot be followed");
            let words = SafeText::line(&format!("The team cannot be followed: {why}"));
            mailbox.result(Event::News(News::Alarm(channel.id.clone(), words)));
        }
    }

    /// Describes the tabs for the inbox, without their keys.
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
