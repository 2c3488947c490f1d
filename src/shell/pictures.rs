//! Pictures shown in the terminal: fetched, decoded within limits, scaled and rendered.

use std::fs::File;
use std::sync::Arc;

use crate::shell::decoding;
use client::downloads::download;
use client::pictures::fetch_picture;
use inbox::outside::OutsideAnswer;
use model::ids::ChannelId;
use model::pictures::{FetchedPicture, Graphics, PictureRequest};

/// Fetches and decodes pictures; cheap to clone.
#[derive(Debug, Clone)]
pub struct PictureLoader {
    runtime: tokio::runtime::Handle,
    /// Base URL of each channel: its own server may be fetched from even if it is not public.
    base_urls: Arc<Vec<(ChannelId, String)>>,
    graphics: Graphics,
}

impl PictureLoader {
    /// `graphics` is the protocol of the terminal.
    pub fn new(runtime: tokio::runtime::Handle, homes: Vec<(ChannelId, String)>, graphics: Graphics) -> Self {
        Self { runtime, base_urls: Arc::new(homes), graphics }
    }

    /// Fetches in the background and passes the result to `tell`.
    pub fn begin(&self, wanted: PictureRequest, tell: impl FnOnce(OutsideAnswer) + Send + 'static) {
        let viewer = self.clone();
        self.runtime.spawn(async move { tell(viewer.fetch(wanted).await) });
    }

    /// Fetches and waits for the result.
    pub fn load(&self, wanted: PictureRequest) -> OutsideAnswer {
        self.runtime.block_on(self.fetch(wanted))
    }

    /// Fetches a file of a channel within the limits of pictures.
    ///
    /// # Errors
    /// As text for the person.
    pub(super) fn file(&self, channel: &ChannelId, url: &str) -> Result<Vec<u8>, String> {
        let fetched = fetch_picture(url, self.base_url(channel));
        self.runtime.block_on(fetched).map_err(|error| error.to_string())
    }

    /// Writes a file that a mail links to, and waits for the end.
    ///
    /// # Errors
    /// As text for the person; the file may be incomplete then.
    pub(super) fn download(&self, channel: &ChannelId, url: &str, file: &mut File) -> Result<(), String> {
        let downloading = download(url, self.base_url(channel), file);
        self.runtime.block_on(downloading).map_err(|error| error.to_string())
    }

    fn base_url(&self, channel: &ChannelId) -> Option<&str> {
        self.base_urls.iter().find(|home| home.0 == *channel).map(|home| home.1.as_str())
    }

    async fn fetch(&self, wanted: PictureRequest) -> OutsideAnswer {
        let fetched = self.fetch_and_decode(&wanted).await;
        if let Err(why) = &fetched {
            tracing::info!(channel = %wanted.channel, why, "a picture could not be shown");
        }
        OutsideAnswer::Picture(wanted.url, fetched)
    }

    async fn fetch_and_decode(&self, wanted: &PictureRequest) -> FetchedPicture {
        let file = fetch_picture(&wanted.url, self.base_url(&wanted.channel))
            .await
            .map_err(|error| error.to_string())?;
        let graphics = self.graphics;
        let decoding = self.runtime.spawn_blocking(move || decoding::decode(&file, graphics));
        // A panicking decoder counts as an unreadable picture.
        let decoded = decoding.await.map_err(|_| "its file cannot be read".to_owned())?;
        decoded.map(Arc::new)
    }
}
