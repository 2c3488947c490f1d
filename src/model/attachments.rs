//! File or link attached to an answer: kind, price, and reasons why a channel refuses it. Pure;
//! reads no file.

use serde::{Deserialize, Serialize};

use std::net::IpAddr;

use crate::account::Platform;
use crate::bounds;
use crate::files;
use crate::ids::MessageId;
use crate::links;
use crate::outbox::Operation;
use crate::outbox::content::{ChatContent, FileToSend, LinkedMedia, Markup, MediaKind};
use crate::prices::{self, Price};

/// Size from which a file may be refused, in bytes. The interface does not say if its 25 MB means
/// 10^6 or 2^20 bytes each.
const SIZE_WARNING_BYTES: u64 = 25_000_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileFacts {
    pub path: String,
    pub name: String,
    /// Derived from the content.
    pub mime_type: String,
    /// In bytes.
    pub size: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "kebab-case")]
pub enum AttachmentSource {
    /// A local file, uploaded before sending.
    File(FileFacts),
    /// URL supplied by the user.
    Link(String),
    /// URL of an earlier upload.
    Uploaded(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyAttachment {
    pub source: AttachmentSource,
    pub kind: MediaKind,
}

impl ReplyAttachment {
    pub fn file(facts: FileFacts) -> Self {
        Self { kind: files::media_kind_of(&facts.mime_type), source: AttachmentSource::File(facts) }
    }

    pub fn link(url: &str) -> Self {
        let name = links::file_name(url).unwrap_or("");
        Self {
            kind: files::media_kind_of(files::mime_type_of_name(name)),
            source: AttachmentSource::Link(url.to_owned()),
        }
    }

    pub fn name(&self) -> &str {
        match &self.source {
            AttachmentSource::File(facts) => &facts.name,
            AttachmentSource::Link(url) | AttachmentSource::Uploaded(url) => {
                links::file_name(url).unwrap_or(url)
            }
        }
    }

    pub fn describe(&self) -> String {
        match &self.source {
            AttachmentSource::File(file) => {
                format!("{} · {} · {}", file.name, file.mime_type, files::format_size(file.size))
            }
            AttachmentSource::Link(url) | AttachmentSource::Uploaded(url) => match links::host_of(url) {
                Some(host) => format!("{} · {host}", self.name()),
                None => url.clone(),
            },
        }
    }

    pub fn price(&self) -> Price {
        match self.source {
            AttachmentSource::Link(_) => Price::exactly(prices::LINKED_MEDIA_CREDITS),
            AttachmentSource::File(_) | AttachmentSource::Uploaded(_) => upload_price(self.kind),
        }
    }

    pub fn can_send_as(&self, kind: MediaKind, platform: Option<&Platform>) -> bool {
        Self { kind, source: self.source.clone() }.rejection_reason(platform).is_none()
    }

    pub fn rejection_reason(&self, platform: Option<&Platform>) -> Option<String> {
        if let Some(other) = platform.filter(|platform| !platform.has_histories()) {
            return Some(format!("{} takes no files here", other.label()));
        }
        match &self.source {
            AttachmentSource::File(facts) => file_rejection_reason(facts, self.kind, platform),
            AttachmentSource::Link(url) => link_rejection_reason(url),
            AttachmentSource::Uploaded(_) => None,
        }
    }

    /// Returns a risk that cannot be checked locally.
    pub fn delivery_warning(&self) -> Option<&'static str> {
        match &self.source {
            AttachmentSource::File(file) if file.size >= SIZE_WARNING_BYTES => {
                Some("close to the 25 MB limit: it may be refused")
            }
            _ => None,
        }
    }

    pub fn allows_caption(&self, platform: Option<&Platform>) -> bool {
        self.kind != MediaKind::Audio || platform == Some(&Platform::Telegram)
    }

    pub fn to_operation(
        &self,
        to: &str,
        caption: Option<String>,
        markup: Option<Markup>,
        reply_to: Option<MessageId>,
    ) -> Operation {
        let to = to.to_owned();
        match &self.source {
            AttachmentSource::File(facts) => Operation::SendFile(Box::new(FileToSend {
                to,
                path: facts.path.clone(),
                name: facts.name.clone(),
                mime_type: facts.mime_type.clone(),
                size: facts.size,
                kind: self.kind,
                caption,
                markup,
                reply_to,
            })),
            AttachmentSource::Link(url) | AttachmentSource::Uploaded(url) => {
                let filename = (self.kind == MediaKind::Document).then(|| self.name().to_owned());
                let markup = markup.filter(|_| caption.is_some());
                let (link, uploaded) = (url.clone(), matches!(self.source, AttachmentSource::Uploaded(_)));
                let media = LinkedMedia { kind: self.kind, link, caption, filename, markup, uploaded };
                Operation::SendContent { to, content: ChatContent::Media(media), reply_to }
            }
        }
    }
}

pub fn upload_price(kind: MediaKind) -> Price {
    Price::exactly(match kind {
        MediaKind::Video => prices::UPLOADED_VIDEO_CREDITS,
        _ => prices::UPLOADED_MEDIA_CREDITS,
    })
}

fn file_rejection_reason(facts: &FileFacts, kind: MediaKind, platform: Option<&Platform>) -> Option<String> {
    let size = files::format_size(facts.size);
    if facts.size == 0 {
        return Some("the file is empty".to_owned());
    }
    if facts.size > bounds::MAX_UPLOAD_BYTES {
        return Some(format!("too large: {size}, at most 25 MB are taken; an own link may be larger"));
    }
    if bounds::count_chars(&facts.name) > bounds::MAX_FILENAME_CHARS {
        return Some(format!("its name has more than {} characters", bounds::MAX_FILENAME_CHARS));
    }
    let is = files::media_kind_of(&facts.mime_type);
    match kind {
        MediaKind::Document => None,
        _ if is != kind => Some(format!("{} is not sent as {}", facts.mime_type, kind.word())),
        MediaKind::Audio => audio_rejection_reason(&facts.mime_type, platform),
        _ => None,
    }
}

fn audio_rejection_reason(mime_type: &str, platform: Option<&Platform>) -> Option<String> {
    let (taken, words): (&[&str], &str) = match platform {
        Some(Platform::Telegram) => (&["audio/mpeg", "audio/mp4", "audio/ogg"], "MP3, M4A and OGG"),
        _ => (
            &["audio/mpeg", "audio/ogg", "audio/aac", "audio/amr", "audio/mp4"],
            "MP3, OGG, AAC, AMR and M4A",
        ),
    };
    let refused = !taken.contains(&mime_type);
    refused.then(|| {
        format!("{mime_type} is not taken as sound, only {words}: convert it, or send it as a document")
    })
}

/// Returns the reason why the service cannot fetch a link.
pub fn link_rejection_reason(url: &str) -> Option<String> {
    let Some(host) = links::host_of(url) else { return Some("this is not a web address".to_owned()) };
    if !url.get(..8).is_some_and(|text| text.eq_ignore_ascii_case("https://")) {
        return Some("the link must begin with https://".to_owned());
    }
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let name = name.map_or(host.as_str(), |(name, _)| name).trim_matches(['[', ']']);
    let local = match name.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => {
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
        }
        Ok(IpAddr::V6(ip)) => {
            ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local() || ip.is_unicast_link_local()
        }
        Err(_) => {
            let ends = |text: &str| name.ends_with(text);
            name == "localhost" || ends(".localhost") || ends(".local") || ends(".internal")
        }
    };
    local.then(|| format!("{name} is not public: the service could not fetch from it"))
}

/// Returns the path if pasted text is one whole path, as terminals insert for a dropped file.
pub fn parse_pasted_path(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.len() > 4_096 || text.contains(['\n', '\r']) {
        return None;
    }
    let inner =
        ['\'', '"'].iter().find_map(|character| text.strip_prefix(*character)?.strip_suffix(*character));
    let path = match (inner, text.strip_prefix("file://")) {
        (Some(inner), _) => inner.replace(r"'\''", "'"),
        (None, Some(rest)) => percent_decode(rest.strip_prefix("localhost").unwrap_or(rest))?,
        (None, None) => unescape_path(text)?,
    };
    let rooted = path.starts_with('/') || path.starts_with("~/");
    (rooted && path.len() > 2).then_some(path)
}

/// Removes shell escapes; `None` for unescaped spaces in a relative path.
fn unescape_path(text: &str) -> Option<String> {
    let mut path = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => path.push(characters.next()?),
            character => path.push(character),
        }
    }
    let bare = text.contains(' ') && !text.contains("\\ ");
    // Some terminals do not escape; an absolute path with spaces is accepted as a whole.
    (!bare || text.starts_with('/')).then_some(path)
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let hex = after.get(..2).and_then(|entry| std::str::from_utf8(entry).ok())?;
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(mime_type: &str, size: u64) -> ReplyAttachment {
        let (path, name) = ("/tmp/a".to_owned(), "a".to_owned());
        ReplyAttachment::file(FileFacts { path, name, mime_type: mime_type.to_owned(), size })
    }

    #[test]
    fn what_channels_refuse() {
        let (chat, bot, phone) = (Platform::Whatsapp, Platform::Telegram, Platform::Voip);
        let cases = [
            (file("image/png", 1), &chat, None),
            (file("image/png", bounds::MAX_UPLOAD_BYTES), &chat, None),
            (file("image/png", bounds::MAX_UPLOAD_BYTES + 1), &chat, Some("too large: 26.2 MB")),
            (file("image/png", 0), &chat, Some("the file is empty")),
            (file("audio/amr", 9), &chat, None),
            (file("audio/amr", 9), &bot, Some("audio/amr is not taken as sound, only MP3, M4A and OGG")),
            (file("audio/mpeg", 9), &phone, Some("takes no files")),
        ];
        for (attachment, platform, refused) in cases {
            let told = attachment.rejection_reason(Some(platform));
            match refused {
                None => assert_eq!(told, None, "{attachment:?}"),
                Some(words) => assert!(told.is_some_and(|text| text.contains(words)), "{attachment:?}"),
            }
        }
        let amr = file("audio/amr", 9);
        assert!(
            amr.can_send_as(MediaKind::Document, Some(&bot))
                && !amr.can_send_as(MediaKind::Image, Some(&bot))
        );
        assert!(!amr.allows_caption(Some(&chat)) && amr.allows_caption(Some(&bot)));
    }

    #[test]
    fn prices() {
        let cases = [
            (file("image/png", 1), 2),
            (file("video/mp4", 1), 5),
            (file("application/pdf", 1), 2),
            (file("audio/ogg", 1), 2),
            (ReplyAttachment::link("https://shop.example/film.mp4"), 1),
        ];
        for (attachment, credits) in cases {
            assert_eq!(attachment.price(), Price::exactly(credits), "{attachment:?}");
        }
    }

    #[test]
    fn links_the_service_can_fetch() {
        let cases = [
            ("https://shop.example/a.jpg", None),
            ("HTTPS://shop.example:8443/a", None),
            ("http://shop.example/a.jpg", Some("https://")),
            ("https://localhost/a", Some("not public")),
            ("https://10.0.0.8/a", Some("not public")),
            ("https://[::1]:8080/a", Some("not public")),
            ("https://printer.local/a", Some("not public")),
            ("https://8.8.8.8/a", None),
            ("ftp://shop.example/a", Some("not a web address")),
            ("a photo", Some("not a web address")),
        ];
        for (url, refused) in cases {
            let told = link_rejection_reason(url);
            assert_eq!(told.is_some(), refused.is_some(), "{url}: {told:?}");
            assert!(refused.is_none_or(|entry| told.is_some_and(|told| told.contains(entry))), "{url}");
        }
    }

    #[test]
    fn a_dropped_file_is_a_path() {
        let cases = [
            ("/home/ana/photo.jpg", Some("/home/ana/photo.jpg")),
            ("'/home/ana/my photo.jpg' ", Some("/home/ana/my photo.jpg")),
            ("\"/home/ana/a.pdf\"", Some("/home/ana/a.pdf")),
            ("/home/ana/my\\ photo.jpg", Some("/home/ana/my photo.jpg")),
            ("/home/ana/my photo.jpg", Some("/home/ana/my photo.jpg")),
            ("file:///home/ana/my%20photo.jpg", Some("/home/ana/my photo.jpg")),
            ("~/photo.jpg", Some("~/photo.jpg")),
            ("photo.jpg", None),
            ("/", None),
            ("file:///a%2", None),
            ("/one\n/two", None),
            ("see https://shop.example", None),
        ];
        for (text, path) in cases {
            assert_eq!(parse_pasted_path(text).as_deref(), path, "{text}");
        }
    }
}
