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
use crate::stickers::{self, WebpFacts};

/// Size from which a file may be refused, in bytes. The interface does not say if its 25 MB means
/// 10^6 or 2^20 bytes each.
const SIZE_WARNING_BYTES: u64 = 25_000_000;
/// Maximum total size of the local files of one reply, in bytes.
const MAX_REPLY_BYTES: u64 = 100_000_000;
/// Format of voice notes.
const VOICE_MIME_TYPE: &str = "audio/ogg";
/// Maximum length of a typed list of paths, in bytes.
const MAX_LIST_BYTES: usize = 16 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileFacts {
    pub path: String,
    pub name: String,
    /// Derived from the content.
    pub mime_type: String,
    /// In bytes.
    pub size: u64,
    /// From the header of a WebP picture; `None` for other files, and if the header was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webp: Option<WebpFacts>,
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

    /// Path or URL.
    pub fn location(&self) -> &str {
        match &self.source {
            AttachmentSource::File(facts) => &facts.path,
            AttachmentSource::Link(url) | AttachmentSource::Uploaded(url) => url,
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

    /// Returns the attachment as a voice note if its sound has the format of one.
    #[must_use]
    pub fn voice_or_same(self) -> Self {
        match &self.source {
            AttachmentSource::File(facts) if facts.mime_type == VOICE_MIME_TYPE => {
                Self { kind: MediaKind::Voice, ..self }
            }
            _ => self,
        }
    }

    /// Returns the attachment as a sticker if it is one on this channel: a small WebP picture of a sticker's
    /// width and height, or a TGS file.
    #[must_use]
    pub fn sticker_or_same(self, platform: Option<&Platform>) -> Self {
        let is_like_one = match &self.source {
            AttachmentSource::File(facts) => {
                facts.mime_type == stickers::TGS_MIME_TYPE
                    || facts.webp.is_some_and(WebpFacts::has_sticker_size)
            }
            AttachmentSource::Link(_) | AttachmentSource::Uploaded(_) => false,
        };
        match is_like_one && self.can_send_as(MediaKind::Sticker, platform) {
            true => Self { kind: MediaKind::Sticker, ..self },
            false => self,
        }
    }

    pub fn can_send_as(&self, kind: MediaKind, platform: Option<&Platform>) -> bool {
        Self { kind, source: self.source.clone() }.rejection_reason(platform).is_none()
    }

    pub fn rejection_reason(&self, platform: Option<&Platform>) -> Option<String> {
        if let Some(other) = platform.filter(|platform| !platform.has_histories()) {
            return Some(format!("{} cannot send files", other.label()));
        }
        match &self.source {
            AttachmentSource::File(facts) => file_rejection_reason(facts, self.kind, platform),
            AttachmentSource::Link(url) => {
                link_rejection_reason(url).or_else(|| self.link_sticker_reason(platform))
            }
            AttachmentSource::Uploaded(_) => self.link_sticker_reason(platform),
        }
    }

    /// Returns the reason why the file of a link is not sent as a sticker, by its name.
    fn link_sticker_reason(&self, platform: Option<&Platform>) -> Option<String> {
        if self.kind != MediaKind::Sticker {
            return None;
        }
        stickers::rejection_reason(platform, files::mime_type_of_name(self.name()), 0, None)
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
        match self.kind {
            MediaKind::Sticker => false,
            MediaKind::Audio | MediaKind::Voice => platform == Some(&Platform::Telegram),
            MediaKind::Image | MediaKind::Video | MediaKind::Document => true,
        }
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

/// Total price of files sent with one reply.
pub fn total_price(attached: &[ReplyAttachment]) -> Price {
    attached.iter().fold(Price::exactly(0), |sum, attachment| sum.plus(attachment.price()))
}

/// Returns the reason why these files cannot be sent with one reply; a single file is not checked.
pub fn excess_reason(attached: &[ReplyAttachment]) -> Option<String> {
    let count = attached.len();
    if count > bounds::MAX_REPLY_ATTACHMENTS {
        let most = bounds::MAX_REPLY_ATTACHMENTS;
        return Some(format!("{count} files; one reply takes at most {most}"));
    }
    let size: u64 = attached
        .iter()
        .filter_map(|attachment| match &attachment.source {
            AttachmentSource::File(facts) => Some(facts.size),
            AttachmentSource::Link(_) | AttachmentSource::Uploaded(_) => None,
        })
        .sum();
    (count > 1 && size > MAX_REPLY_BYTES).then(|| {
        let (together, most) = (files::format_size(size), files::format_size(MAX_REPLY_BYTES));
        format!("the files have {together} together; one reply takes at most {most}")
    })
}

/// Appends what is not yet there.
pub fn merge(mut attached: Vec<ReplyAttachment>, more: Vec<ReplyAttachment>) -> Vec<ReplyAttachment> {
    for attachment in more {
        if !attached.iter().any(|known| known.location() == attachment.location()) {
            attached.push(attachment);
        }
    }
    attached
}

/// Describes files in one line: one in full, several by their names.
pub fn describe_all(attached: &[ReplyAttachment]) -> String {
    match attached {
        [one] => one.describe(),
        several => several.iter().map(ReplyAttachment::name).collect::<Vec<_>>().join(", "),
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
        return Some(format!("too large: {size}; upload at most 25 MB, or attach a link to a larger file"));
    }
    if bounds::count_chars(&facts.name) > bounds::MAX_FILENAME_CHARS {
        return Some(format!("its name has more than {} characters", bounds::MAX_FILENAME_CHARS));
    }
    let is = files::media_kind_of(&facts.mime_type);
    match kind {
        MediaKind::Document => None,
        MediaKind::Sticker => stickers::rejection_reason(platform, &facts.mime_type, facts.size, facts.webp),
        MediaKind::Voice => (facts.mime_type != VOICE_MIME_TYPE)
            .then(|| format!("a voice note must be OGG (Opus), not {}", facts.mime_type)),
        _ if is != kind => Some(format!("{} cannot be sent as {}", facts.mime_type, kind.label())),
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
        format!("{mime_type} cannot be sent as audio, only {words}: convert it, or send it as a document")
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
    local.then(|| format!("{name} is not public, so the service cannot fetch the file"))
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

/// Returns true if pasted text is a path, or several as terminals insert them for dropped files.
pub fn is_pasted_path(text: &str) -> bool {
    parse_pasted_path(text).is_some() || is_path_list(text)
}

/// Returns true for several absolute paths in one line.
pub fn is_path_list(text: &str) -> bool {
    let is_rooted = |word: &String| word.len() > 2 && (word.starts_with('/') || word.starts_with("~/"));
    let words = split_paths(text).filter(|_| !text.trim().contains(['\n', '\r'])).unwrap_or_default();
    words.len() > 1 && words.iter().all(is_rooted)
}

/// Splits a list of paths at its spaces as a shell does, without quotes and escapes; `None` if a quote
/// does not end.
pub fn split_paths(text: &str) -> Option<Vec<String>> {
    if text.len() > MAX_LIST_BYTES {
        return None;
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            quote @ ('\'' | '"') => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        end if end == quote => break,
                        '\\' if quote == '"' => word.push(characters.next()?),
                        inner => word.push(inner),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(characters.next()?),
            space if space.is_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    let decode = |word: String| match word.strip_prefix("file://") {
        Some(rest) => percent_decode(rest.strip_prefix("localhost").unwrap_or(rest)).unwrap_or(word),
        None => word,
    };
    Some(words.into_iter().map(decode).collect())
}

/// Writes a path as one word of a list that [`split_paths`] reads.
pub fn quote_path(path: &str) -> String {
    let is_plain = |character: char| !character.is_whitespace() && !"'\"\\".contains(character);
    if !path.is_empty() && path.chars().all(is_plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

/// Returns true if a name fits a pattern with `*` and `?`.
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut place) = (0, 0);
    // Place after the last `*`, and up to where it has matched.
    let mut star: Option<(usize, usize)> = None;
    while place < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at + 1, place));
                at += 1;
            }
            Some(character) if *character == '?' || *character == name[place] => {
                at += 1;
                place += 1;
            }
            _ => {
                let Some((after, matched)) = star else { return false };
                star = Some((after, matched + 1));
                (at, place) = (after, matched + 1);
            }
        }
    }
    pattern[at..].iter().all(|character| *character == '*')
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
        ReplyAttachment::file(FileFacts { path, name, mime_type: mime_type.to_owned(), size, webp: None })
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
            (file("audio/amr", 9), &bot, Some("audio/amr cannot be sent as audio, only MP3, M4A and OGG")),
            (file("audio/mpeg", 9), &phone, Some("cannot send files")),
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
    fn a_list_of_paths_is_split_as_a_shell_does() {
        let cases: [(&str, Option<&[&str]>); 8] = [
            ("a.png  b.png", Some(&["a.png", "b.png"])),
            ("'my a.png' b\\ c.png \"d e.png\"", Some(&["my a.png", "b c.png", "d e.png"])),
            (r"'it'\''s.png'", Some(&["it's.png"])),
            ("photos/*.jpg", Some(&["photos/*.jpg"])),
            ("file:///my%20a.png /b.png", Some(&["/my a.png", "/b.png"])),
            ("", Some(&[])),
            ("'a.png", None),
            ("a\\", None),
        ];
        for (text, wanted) in cases {
            let words = split_paths(text);
            assert_eq!(
                words.as_deref().map(|words| words.iter().map(String::as_str).collect()),
                wanted.map(<[&str]>::to_vec),
                "{text}"
            );
        }
        for path in ["/a.png", "my a.png", "it's \"a\".png", "a\\b", "a*.png", ""] {
            assert_eq!(split_paths(&quote_path(path)), Some(vec![path.to_owned()]), "{path}");
        }
        for (text, is_path) in
            [("'/a b' '/c d'", true), ("/a /b", true), ("~/a ~/b", true), ("~/a and b", false)]
        {
            assert_eq!(is_pasted_path(text), is_path, "{text}");
        }
    }

    #[test]
    fn names_fit_patterns() {
        let cases = [
            ("*.jpg", "a.jpg", true),
            ("*.jpg", "a.jpeg", false),
            ("a*b*c", "axxbyybc", true),
            ("a*b*c", "axxbyyc d", false),
            ("?.png", "é.png", true),
            ("?.png", "ab.png", false),
            ("*", "", true),
            ("a", "a", true),
            ("", "a", false),
        ];
        for (pattern, name, fits) in cases {
            assert_eq!(matches_pattern(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn several_files_have_limits_and_a_price_together() {
        let image = |path: &str, size| {
            let facts = FileFacts {
                path: path.to_owned(),
                name: "a".to_owned(),
                mime_type: "image/png".to_owned(),
                size,
                webp: None,
            };
            ReplyAttachment::file(facts)
        };
        let several: Vec<_> =
            (0..bounds::MAX_REPLY_ATTACHMENTS).map(|at| image(&format!("/{at}"), 9)).collect();
        assert_eq!(total_price(&several), Price::exactly(20));
        assert_eq!(excess_reason(&several), None);
        let more = merge(several.clone(), vec![image("/0", 9), image("/more", 9)]);
        assert_eq!(more.len(), several.len() + 1, "a file is attached once");
        assert!(excess_reason(&more).is_some());
        let large: Vec<_> = (0..5).map(|at| image(&format!("/{at}"), 24_000_000)).collect();
        assert!(excess_reason(&large).is_some() && excess_reason(&large[..4]).is_none());
    }

    #[test]
    fn voice_notes_have_one_format() {
        let voice = file("audio/ogg", 9).voice_or_same();
        assert_eq!((voice.kind, voice.price()), (MediaKind::Voice, Price::exactly(2)));
        assert_eq!(voice.rejection_reason(Some(&Platform::Whatsapp)), None);
        assert!(
            !voice.allows_caption(Some(&Platform::Whatsapp))
                && voice.allows_caption(Some(&Platform::Telegram))
        );
        for other in ["audio/mpeg", "image/png"] {
            let attachment = file(other, 9);
            assert_eq!(attachment.clone().voice_or_same(), attachment);
            assert!(!attachment.can_send_as(MediaKind::Voice, Some(&Platform::Telegram)));
        }
    }

    #[test]
    fn stickers_have_formats_and_no_caption() {
        let (chat, bot) = (Platform::Whatsapp, Platform::Telegram);
        let webp = |width, height| {
            let webp = Some(WebpFacts { width, height, is_animated: false });
            let mut attachment = file("image/webp", 9);
            if let AttachmentSource::File(facts) = &mut attachment.source {
                facts.webp = webp;
            }
            attachment
        };
        let kind = |attachment: &ReplyAttachment, platform: &Platform| {
            attachment.clone().sticker_or_same(Some(platform)).kind
        };
        let square = webp(512, 512);
        let cases = [
            (&square, &chat, MediaKind::Sticker),
            (&square, &bot, MediaKind::Sticker),
            (&square, &Platform::Email, MediaKind::Image),
            (&webp(512, 300), &bot, MediaKind::Image),
            (&webp(900, 900), &chat, MediaKind::Image),
            (&file("application/x-tgsticker", 9), &bot, MediaKind::Sticker),
            (&file("application/x-tgsticker", 9), &chat, MediaKind::Document),
            (&file("video/webm", 9), &bot, MediaKind::Document),
            (&file("image/png", 9), &chat, MediaKind::Image),
        ];
        for (attachment, platform, wanted) in cases {
            assert_eq!(kind(attachment, platform), wanted, "{attachment:?} {platform:?}");
        }
        assert!(file("video/webm", 9).can_send_as(MediaKind::Sticker, Some(&bot)));
        assert!(!file("video/webm", 9).can_send_as(MediaKind::Video, Some(&bot)));
        let link = |url: &str| ReplyAttachment::link(url).can_send_as(MediaKind::Sticker, Some(&chat));
        assert!(link("https://shop.example/a.webp") && !link("https://shop.example/a.png"));
        let sticker = square.sticker_or_same(Some(&chat));
        assert!(!sticker.allows_caption(Some(&chat)) && !sticker.allows_caption(Some(&bot)));
        assert_eq!(sticker.price(), Price::exactly(2));
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
