//! Attachments of a mail being composed: local files, URLs the service fetches, and files of a
//! forwarded mail.

use crate::bounds;
use crate::email::addresses::to_header_line;
use crate::email::{MailFile, files};
use crate::ids::MessageId;
use crate::outbox::content::{MailAttachment, MailAttachmentSource};

const FILE_LINE_NAME: &str = "File";
const RECEIVED_FILE_LINE_NAME: &str = "Received file";
/// Maximum total size of enclosed files in bytes, before Base64 adds a third.
const MAX_ATTACHED_BYTES: u64 = 18_000_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftFile {
    /// A local path or an https URL, as typed.
    Typed(String),
    /// A file of the forwarded mail.
    Received(ReceivedFile),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedFile {
    pub attachment: MailAttachment,
    /// In bytes, if known.
    pub size: Option<u64>,
}

impl DraftFile {
    /// Converts a file of a received mail; `None` if its bytes are not available.
    pub fn from_received(message: &MessageId, place: u64, file: &MailFile) -> Option<Self> {
        let name: String =
            files::display_name(file.name.as_str()).chars().take(bounds::MAX_FILENAME_CHARS).collect();
        let source = match (&file.url, file.enclosed) {
            (_, true) => MailAttachmentSource::Received(message.clone(), place),
            (Some(url), false) if is_fetchable_url(url) => MailAttachmentSource::Link(url.clone()),
            (_, false) => return None,
        };
        let told = file.kind.as_ref().map(|kind| kind.as_str()).filter(|text| is_media_type(text));
        let content_type = told.unwrap_or_else(|| media_type_of(&name)).to_owned();
        let filename = if name.is_empty() { "file".to_owned() } else { name };
        let attachment = MailAttachment { filename, content_type, source };
        Some(Self::Received(ReceivedFile { attachment, size: file.size }))
    }

    /// Serializes to a line of a stored draft.
    pub(super) fn to_line(&self) -> String {
        match self {
            Self::Typed(what) => format!("{FILE_LINE_NAME}: {}", to_header_line(what)),
            Self::Received(file) => format!("{RECEIVED_FILE_LINE_NAME}: {}", file.to_text()),
        }
    }

    /// Parses a line of a stored draft; `None` if it is not a file.
    pub(super) fn from_line(name: &str, value: String) -> Option<Self> {
        match name {
            FILE_LINE_NAME => Some(Self::Typed(value)),
            RECEIVED_FILE_LINE_NAME => ReceivedFile::from_text(&value).map(Self::Received),
            _ => None,
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Typed(what) => {
                let path = if is_link(what) { what.split(['?', '#']).next().unwrap_or(what) } else { what };
                path.rsplit('/').next().unwrap_or(path)
            }
            Self::Received(file) => &file.attachment.filename,
        }
    }

    pub fn to_attachment(&self) -> MailAttachment {
        let what = match self {
            Self::Typed(what) => what,
            Self::Received(file) => return file.attachment.clone(),
        };
        let source = match is_link(what) {
            true => MailAttachmentSource::Link(what.clone()),
            false => MailAttachmentSource::File(what.clone()),
        };
        let name = self.name();
        MailAttachment {
            filename: files::display_name(name),
            content_type: media_type_of(name).to_owned(),
            source,
        }
    }

    /// True if the service fetches the file, so that the mail does not enclose it.
    pub fn is_fetched_by_service(&self) -> bool {
        match self {
            Self::Typed(what) => is_link(what),
            Self::Received(file) => matches!(file.attachment.source, MailAttachmentSource::Link(_)),
        }
    }
}

impl ReceivedFile {
    /// Type, size, position in its mail or `-`, mail or URL, and name.
    fn to_text(&self) -> String {
        let (place, from) = match &self.attachment.source {
            MailAttachmentSource::Received(message, place) => (place.to_string(), message.as_str()),
            MailAttachmentSource::Link(source) | MailAttachmentSource::File(source) => {
                ("-".to_owned(), source.as_str())
            }
            MailAttachmentSource::Enclosed(_) => ("-".to_owned(), ""),
        };
        let size = self.size.map_or_else(|| "-".to_owned(), |size| size.to_string());
        let from = from.replace('%', "%25").replace(' ', "%20");
        let MailAttachment { content_type, filename, .. } = &self.attachment;
        format!("{content_type} {size} {place} {from} {filename}")
    }

    fn from_text(words: &str) -> Option<Self> {
        let [content_type, size, place, from, filename] =
            words.splitn(5, ' ').collect::<Vec<_>>().try_into().ok()?;
        let from = from.replace("%20", " ").replace("%25", "%");
        let source = match place.parse() {
            Ok(place) => MailAttachmentSource::Received(MessageId::new(from), place),
            Err(_) => MailAttachmentSource::Link(from),
        };
        let (filename, content_type) = (filename.to_owned(), content_type.to_owned());
        Some(Self { attachment: MailAttachment { filename, content_type, source }, size: size.parse().ok() })
    }
}

impl From<&str> for DraftFile {
    fn from(typed: &str) -> Self {
        Self::Typed(typed.to_owned())
    }
}

pub fn describe_excess(files: &[(DraftFile, Option<u64>)]) -> Option<String> {
    if files.len() > bounds::MAX_ATTACHMENTS {
        return Some(format!("{} files; at most {} are allowed", files.len(), bounds::MAX_ATTACHMENTS));
    }
    let enclosed: u64 =
        files.iter().filter(|file| !file.0.is_fetched_by_service()).filter_map(|file| file.1).sum();
    (enclosed > MAX_ATTACHED_BYTES).then(|| {
        let (together, most) = (files::format_size(enclosed), files::format_size(MAX_ATTACHED_BYTES));
        format!("the files have {together} together; a mail takes at most {most}")
    })
}

/// True for `type/subtype` without parameters.
fn is_media_type(text: &str) -> bool {
    let is_token = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte))
    };
    text.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

fn is_fetchable_url(url: &str) -> bool {
    let is_web = ["https://", "http://"].iter().any(|text| url.to_ascii_lowercase().starts_with(text));
    is_web && url.chars().all(|character| character.is_ascii_graphic())
}

/// True for a URL rather than a path.
fn is_link(what: &str) -> bool {
    what.to_ascii_lowercase().starts_with("https://")
}

fn media_type_of(name: &str) -> &'static str {
    match files::extension(name).as_deref() {
        Some("pdf") => "application/pdf",
        Some("txt" | "log" | "md") => "text/plain",
        Some("csv") => "text/csv",
        Some("html" | "htm") => "text/html",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("zip") => "application/zip",
        Some("json") => "application/json",
        Some("doc") => "application/msword",
        Some("docx") => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        Some("xlsx") => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        Some("mp3") => "audio/mpeg",
        Some("mp4") => "video/mp4",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SafeText;

    fn letter_file(name: &str, kind: &str, url: Option<&str>, enclosed: bool) -> MailFile {
        let kind = SafeText::optional_line(Some(kind));
        MailFile { name: SafeText::line(name), kind, size: Some(7), url: url.map(str::to_owned), enclosed }
    }

    #[test]
    fn a_received_file_is_passed_on_by_its_bytes_or_its_address() {
        let (message, url) = (MessageId::from("m 1%20"), "https://files.example/a%20b");
        let enclosed = MailAttachmentSource::Received(message.clone(), 2);
        let cases = [
            (
                letter_file("a.pdf", "application/pdf", None, true),
                Some(("a.pdf", "application/pdf", enclosed.clone())),
            ),
            (
                letter_file("a.pdf", "application/pdf", Some(url), true),
                Some(("a.pdf", "application/pdf", enclosed)),
            ),
            (
                letter_file("a  .png", "any thing", Some(url), false),
                Some(("a .png", "image/png", MailAttachmentSource::Link(url.to_owned()))),
            ),
            (
                letter_file("", "", Some(url), false),
                Some(("file", "application/octet-stream", MailAttachmentSource::Link(url.to_owned()))),
            ),
            (letter_file("a.pdf", "application/pdf", None, false), None),
            (letter_file("a.pdf", "application/pdf", Some("ftp://files.example/a"), false), None),
        ];
        for (file, wanted) in cases {
            let passed = DraftFile::from_received(&message, 2, &file);
            let told = passed.as_ref().map(DraftFile::to_attachment);
            let wanted = wanted.map(|(filename, content_type, source)| MailAttachment {
                filename: filename.to_owned(),
                content_type: content_type.to_owned(),
                source,
            });
            assert_eq!(told, wanted, "{file:?}");
            if let Some(passed) = passed {
                let line = passed.to_line();
                let (name, value) = line.split_once(':').expect("a line");
                assert_eq!(DraftFile::from_line(name, value.trim().to_owned()), Some(passed));
            }
        }
        assert_eq!(DraftFile::from_line("Else", "x".to_owned()), None);
    }

    #[test]
    fn what_a_mail_encloses_is_bounded() {
        let sized = |typed: &str, size: u64| (DraftFile::from(typed), Some(size));
        let cases = [
            (vec![sized("/a", MAX_ATTACHED_BYTES)], None),
            (vec![sized("/a", MAX_ATTACHED_BYTES), sized("https://f.example/b", MAX_ATTACHED_BYTES)], None),
            (
                vec![sized("/a", MAX_ATTACHED_BYTES), sized("/b", 100_000)],
                Some("18.1 MB together; a mail takes at most 18.0 MB"),
            ),
            (vec![sized("/a", 1); bounds::MAX_ATTACHMENTS], None),
            (vec![sized("/a", 1); bounds::MAX_ATTACHMENTS + 1], Some("21 files; at most 20 are allowed")),
        ];
        for (files, wanted) in cases {
            let told = describe_excess(&files);
            assert_eq!(told.is_some(), wanted.is_some(), "{told:?}");
            assert!(
                wanted.is_none_or(|text| told.as_ref().is_some_and(|told| told.contains(text))),
                "{told:?}"
            );
        }
    }
}
