//! Pictures a person asked to see here: fetched, decoded within bounds, made
//! small, and drawn as the terminal can.

use std::sync::Arc;

use crate::shell::decoding;
use client::pictures::fetch_picture;
use inbox::outside::Answered;
use model::ids::ChannelId;
use model::pictures::{Fetched, Graphics, PictureRequest};

/// Fetches and decodes; cheap to clone.
#[derive(Debug, Clone)]
pub struct Viewer {
    runtime: tokio::runtime::Handle,
    /// The base address of each channel: its own server is fetched from also
    /// where it is no public one.
    homes: Arc<Vec<(ChannelId, String)>>,
    graphics: Graphics,
}

impl Viewer {
    /// One that draws for this kind of terminal.
    pub fn new(runtime: tokio::runtime::Handle, homes: Vec<(ChannelId, String)>, graphics: Graphics) -> Self {
        Self { runtime, homes: Arc::new(homes), graphics }
    }

    /// Fetches without holding anything up; tells when it is there.
    pub fn begin(&self, wanted: PictureRequest, tell: impl FnOnce(Answered) + Send + 'static) {
        let viewer = self.clone();
        self.runtime.spawn(async move { tell(viewer.fetch(wanted).await) });
    }

    /// Fetches and waits for it.
    pub fn answer(&self, wanted: PictureRequest) -> Answered {
        self.runtime.block_on(self.fetch(wanted))
    }

    /// A file of a channel, fetched within the bounds of pictures.
    ///
    /// # Errors
    /// In words.
    pub(super) fn file(&self, channel: &ChannelId, url: &str) -> Result<Vec<u8>, String> {
        let fetched = fetch_picture(url, self.home(channel));
        self.runtime.block_on(fetched).map_err(|error| error.to_string())
    }

    fn home(&self, channel: &ChannelId) -> Option<&str> {
        self.homes.iter().find(|home| home.0 == *channel).map(|home| home.1.as_str())
    }

    async fn fetch(&self, wanted: PictureRequest) -> Answered {
        let fetched = self.make(&wanted).await;
        if let Err(why) = &fetched {
            tracing::info!(channel = %wanted.channel, why, "a picture could not be shown");
        }
        Answered::Picture(wanted.url, fetched)
    }

    async fn make(&self, wanted: &PictureRequest) -> Fetched {
        let file = fetch_picture(&wanted.url, self.home(&wanted.channel))
            .await
            .map_err(|error| error.to_string())?;
        let graphics = self.graphics;
        let decoding = self.runtime.spawn_blocking(move || decoding::decode(&file, graphics));
        // A decoder that fails is a picture that cannot be read.
        let decoded = decoding.await.map_err(|_| "its file cannot be read".to_owned())?;
        decoded.map(Arc::new)
    }
}
