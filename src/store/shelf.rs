//! Files that lie at the service already, by channel, the newest first. In the
//! cache: whoever deletes it uploads again.

use rusqlite::Connection;

use crate::reader::Reader;
use crate::{Store, StoreError, meta};
use model::attachments::{AttachmentSource, ReplyAttachment};
use model::ids::ChannelId;
use model::outbox::content::MediaKind;

/// The shelf of a channel: a line for each, its kind and its address.
const SHELF: &str = "shelf";
/// Files that are remembered.
const REMEMBERED: usize = 20;

impl Store {
    /// Remembers that a file lies at the service.
    pub async fn shelve(&self, channel: &ChannelId, kind: MediaKind, url: &str) -> Result<(), StoreError> {
        let (channel, url) = (channel.clone(), url.to_owned());
        self.cache()
            .later(move |cache| {
                let mut all = shelf(&cache.connection, &channel)?;
                all.retain(|pair| pair.1 != url);
                all.insert(0, (kind, url));
                all.truncate(REMEMBERED);
                let line = |(kind, url): &(MediaKind, String)| format!("{} {url}\n", kind.word());
                let text: String = all.iter().map(line).collect();
                meta::write(&cache.connection, &channel, &[(SHELF, Some(text))])
            })
            .await
    }
}

impl Reader {
    /// What lies at the service already, the newest first.
    pub fn shelf(&self, channel: &ChannelId) -> Result<Vec<ReplyAttachment>, StoreError> {
        let all = shelf(&self.connection, channel)?;
        let one = |(kind, url)| ReplyAttachment { kind, source: AttachmentSource::Uploaded(url) };
        Ok(all.into_iter().map(one).collect())
    }
}

fn shelf(connection: &Connection, channel: &ChannelId) -> Result<Vec<(MediaKind, String)>, StoreError> {
    let text = meta::read(connection, channel, SHELF)?.unwrap_or_default();
    let line = |text: &str| {
        let (word, url) = text.split_once(' ')?;
        let kind = MediaKind::ALL.into_iter().find(|entry| entry.word() == word)?;
        Some((kind, url.to_owned()))
    };
    Ok(text.lines().filter_map(line).collect())
}
