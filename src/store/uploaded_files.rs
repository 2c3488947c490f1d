//! Files already uploaded to the service, per channel, newest first. In the cache: without it they
//! are uploaded again.

use rusqlite::Connection;

use crate::reader::Reader;
use crate::{Store, StoreError, meta};
use model::attachments::{AttachmentSource, ReplyAttachment};
use model::ids::ChannelId;
use model::outbox::content::MediaKind;

/// Mark: uploaded files of a channel, one line each with kind and address.
const UPLOADS_MARK: &str = "shelf";
const MAX_REMEMBERED_FILES: usize = 20;

impl Store {
    pub async fn remember_upload(
        &self,
        channel: &ChannelId,
        kind: MediaKind,
        url: &str,
    ) -> Result<(), StoreError> {
        let (channel, url) = (channel.clone(), url.to_owned());
        self.cache()
            .call_async(move |cache| {
                let mut all = load_uploads(&cache.connection, &channel)?;
                all.retain(|pair| pair.1 != url);
                all.insert(0, (kind, url));
                all.truncate(MAX_REMEMBERED_FILES);
                let line = |(kind, url): &(MediaKind, String)| format!("{} {url}\n", kind.word());
                let text: String = all.iter().map(line).collect();
                meta::write(&cache.connection, &channel, &[(UPLOADS_MARK, Some(text))])
            })
            .await
    }
}

impl Reader {
    pub fn uploaded_files(&self, channel: &ChannelId) -> Result<Vec<ReplyAttachment>, StoreError> {
        let all = load_uploads(&self.connection, channel)?;
        let one = |(kind, url)| ReplyAttachment { kind, source: AttachmentSource::Uploaded(url) };
        Ok(all.into_iter().map(one).collect())
    }
}

fn load_uploads(
    connection: &Connection,
    channel: &ChannelId,
) -> Result<Vec<(MediaKind, String)>, StoreError> {
    let text = meta::read(connection, channel, UPLOADS_MARK)?.unwrap_or_default();
    let line = |text: &str| {
        let (word, url) = text.split_once(' ')?;
        let kind = MediaKind::ALL.into_iter().find(|entry| entry.word() == word)?;
        Some((kind, url.to_owned()))
    };
    Ok(text.lines().filter_map(line).collect())
}
