//! Mails that are too large to be read whole.
//!
//! The structure of such a mail is asked for, then its texts and its small files. The mail is put together from
//! these with an empty part in place of each file that stays in the mailbox; a header that only this module
//! writes names the section of that file. The file is fetched when somebody opens it: from the folder in which
//! the mail was, or from the folder to which it was moved. Of a mail without a usable structure only the
//! beginning is read.

use std::sync::atomic::Ordering;
use std::time::Duration;

use async_imap::imap_proto::{BodyContentCommon, BodyContentSinglePart, BodyStructure, ContentEncoding};
use tokio::sync::Semaphore;

use crate::contract::{FileFetchError, PlatformError};
use crate::mailbox::MailboxPlatform;
use crate::mailbox::fetched::FetchedMail;
use crate::mailbox::imap::{COMMAND_TIMEOUT, INBOX, ImapLink, with_timeout_unless_refused};
use crate::mailbox::parsing::extract_encoded_file;
use crate::mailbox::reading::{CUT_MAIL_BYTES, MAIL_TIMEOUT};
use api::carriers::{LeftPart, MailPartReference, MailUpdateKind};

/// Header of a part that stays in the mailbox; its value is the section.
pub(super) const LEFT_HEADER: &str = "X-Left-In-Mailbox";
/// Largest file that is read with a large mail, as encoded, in bytes.
const MAX_PART_BYTES: u64 = 1024 * 1024;
/// Maximum of all that is read of a large mail, in bytes.
const MAX_READ_BYTES: u64 = 8 * 1024 * 1024;
/// Maximum number of parts of a mail that is taken apart.
const MAX_PARTS: usize = 60;
/// Failed questions for a structure in a row after which only the beginning of a mail is read.
const MAX_STRUCTURE_FAILURES: u32 = 2;
/// Bytes of a file that are fetched with one command.
const CHUNK_BYTES: u64 = 4 * 1024 * 1024;
/// Largest file that is fetched, as encoded, in bytes.
const MAX_FILE_BYTES: u64 = 300 * 1024 * 1024;
/// Time for one command that fetches a part of a file.
const CHUNK_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum number of folders in which a moved mail is searched.
const MAX_SEARCHED_FOLDERS: usize = 100;
/// Bounds the memory of files that are fetched at the same time.
static FETCH_SLOTS: Semaphore = Semaphore::const_new(2);

const HEAD_ITEMS: &str = "(UID FLAGS INTERNALDATE BODY.PEEK[HEADER])";

/// A mail as it was read.
#[derive(Default)]
pub(super) struct LargeMail {
    /// Its flags and date, and what was read as its body.
    pub mail: FetchedMail,
    /// Files that stay in the mailbox.
    pub left: Vec<LeftPart>,
    /// True if only the beginning was read.
    pub is_cut: bool,
}

/// Structure of a mail or of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MailPart {
    section: String,
    /// Media type in lower case.
    kind: String,
    /// Of a multipart.
    boundary: Option<String>,
    /// Encoded size, in bytes.
    octets: u64,
    /// Transfer encoding in lower case.
    encoding: String,
    /// True for a text of the mail itself.
    is_body: bool,
    parts: Vec<MailPart>,
}

impl MailPart {
    /// Converts the structure of a whole mail.
    pub(super) fn from_structure(structure: &BodyStructure<'_>) -> Self {
        let mut root = Self::convert(structure, "");
        if root.parts.is_empty() {
            "1".clone_into(&mut root.section);
        }
        root
    }

    fn convert(structure: &BodyStructure<'_>, section: &str) -> Self {
        match structure {
            BodyStructure::Multipart { common, bodies, .. } => {
                let inner = |index: usize| match section {
                    "" => (index + 1).to_string(),
                    outer => format!("{outer}.{}", index + 1),
                };
                let parts = bodies.iter().enumerate();
                Self {
                    section: section.to_owned(),
                    kind: media_type(common),
                    boundary: parameter(common, "boundary"),
                    octets: 0,
                    encoding: String::new(),
                    is_body: false,
                    parts: parts.map(|(index, body)| Self::convert(body, &inner(index))).collect(),
                }
            }
            BodyStructure::Text { common, other, .. } => {
                let is_file = common
                    .disposition
                    .as_ref()
                    .is_some_and(|disposition| disposition.ty.eq_ignore_ascii_case("attachment"))
                    || parameter(common, "name").is_some();
                Self { is_body: !is_file, ..Self::single(common, other, section) }
            }
            BodyStructure::Basic { common, other, .. } | BodyStructure::Message { common, other, .. } => {
                Self::single(common, other, section)
            }
        }
    }

    fn single(common: &BodyContentCommon<'_>, other: &BodyContentSinglePart<'_>, section: &str) -> Self {
        let encoding = match &other.transfer_encoding {
            ContentEncoding::SevenBit => "7bit".to_owned(),
            ContentEncoding::EightBit => "8bit".to_owned(),
            ContentEncoding::Binary => "binary".to_owned(),
            ContentEncoding::Base64 => "base64".to_owned(),
            ContentEncoding::QuotedPrintable => "quoted-printable".to_owned(),
            ContentEncoding::Other(name) => name.to_ascii_lowercase(),
        };
        Self {
            section: section.to_owned(),
            kind: media_type(common),
            boundary: None,
            octets: u64::from(other.octets),
            encoding,
            is_body: false,
            parts: Vec::new(),
        }
    }

    fn count(&self) -> usize {
        1 + self.parts.iter().map(Self::count).sum::<usize>()
    }
}

fn media_type(common: &BodyContentCommon<'_>) -> String {
    format!("{}/{}", common.ty.ty, common.ty.subtype).to_ascii_lowercase()
}

fn parameter(common: &BodyContentCommon<'_>, name: &str) -> Option<String> {
    let all = common.ty.params.as_ref()?;
    all.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_string())
}

/// Piece of the mail that is put together.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// Header of the whole mail.
    Header,
    /// Header of a part.
    PartHeader(String),
    /// Content of a part, up to a number of bytes.
    Content(String, u64),
    Left(LeftPart),
}

/// Plans the pieces of a mail; `None` if its structure is of no use.
fn plan_pieces(root: &MailPart) -> Option<Vec<Piece>> {
    if root.count() > MAX_PARTS {
        return None;
    }
    let mut pieces = Vec::new();
    let mut read = 0;
    add_pieces(root, true, &mut read, &mut pieces)?;
    Some(pieces)
}

fn add_pieces(part: &MailPart, is_root: bool, read: &mut u64, pieces: &mut Vec<Piece>) -> Option<()> {
    let header = || if is_root { Piece::Header } else { Piece::PartHeader(part.section.clone()) };
    if part.kind.starts_with("multipart/") {
        let boundary = part.boundary.as_ref().filter(|boundary| !boundary.contains(['\r', '\n', '\\']))?;
        pieces.push(header());
        for inner in &part.parts {
            pieces.push(Piece::Text(format!("\r\n--{boundary}\r\n")));
            add_pieces(inner, false, read, pieces)?;
        }
        pieces.push(Piece::Text(format!("\r\n--{boundary}--\r\n")));
        return Some(());
    }
    let limit = if part.is_body { CUT_MAIL_BYTES as u64 } else { MAX_PART_BYTES };
    let wanted = part.octets.min(limit);
    if (part.octets > limit && !part.is_body) || *read + wanted > MAX_READ_BYTES {
        let left = LeftPart {
            section: part.section.clone(),
            kind: part.kind.clone(),
            octets: part.octets,
            encoding: part.encoding.clone(),
        };
        if is_root {
            pieces.push(Piece::Text(format!("{LEFT_HEADER}: {}\r\n", part.section)));
            pieces.push(Piece::Header);
            pieces.push(Piece::Left(left));
        } else if part.kind.starts_with("message/") {
            // An empty part would be no mail.
            pieces.push(Piece::Text(format!(
                "{LEFT_HEADER}: {}\r\nContent-Type: application/octet-stream\r\n\
                 Content-Disposition: attachment; filename=\"mail.eml\"\r\n\r\n",
                part.section
            )));
            pieces.push(Piece::Left(left));
        } else {
            pieces.push(Piece::Text(format!("{LEFT_HEADER}: {}\r\n", part.section)));
            pieces.push(header());
            pieces.push(Piece::Left(left));
        }
        return Some(());
    }
    *read += wanted;
    pieces.push(header());
    pieces.push(Piece::Content(part.section.clone(), wanted));
    Some(())
}

/// Returns a fetched header that ends in an empty line, without lines of [`LEFT_HEADER`].
fn clean_header(header: &[u8]) -> Vec<u8> {
    let name = LEFT_HEADER.as_bytes();
    let mut clean = Vec::with_capacity(header.len() + 2);
    let mut is_left_out = false;
    for line in header.split_inclusive(|byte| *byte == b'\n') {
        let is_continued = line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        if !is_continued {
            is_left_out = line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        }
        if !is_left_out {
            clean.extend_from_slice(line);
        }
    }
    while clean.last().is_some_and(|byte| matches!(byte, b'\r' | b'\n')) {
        clean.pop();
    }
    clean.extend_from_slice(if clean.is_empty() { b"\r\n" } else { b"\r\n\r\n" });
    clean
}

/// Reads a large mail of the selected folder; `None` if the server refuses it.
pub(super) async fn fetch_large(link: &mut ImapLink, uid: u32) -> Result<Option<LargeMail>, PlatformError> {
    let number = uid.to_string();
    let of_mail = |told: Vec<FetchedMail>| told.into_iter().find(|mail| mail.uid == Some(uid));
    if link.structure_failures.load(Ordering::SeqCst) < MAX_STRUCTURE_FAILURES {
        // Counts until the answer was understood: one that cannot be parsed ends the connection.
        link.structure_failures.fetch_add(1, Ordering::SeqCst);
        let asked = link.fetch(&number, "(UID BODYSTRUCTURE)");
        let told = with_timeout_unless_refused(MAIL_TIMEOUT, asked).await?;
        link.structure_failures.store(0, Ordering::SeqCst);
        let structure = told.and_then(of_mail).and_then(|mail| mail.structure);
        if let Some(pieces) = structure.as_ref().and_then(plan_pieces)
            && let Some(mail) = put_together(link, uid, pieces).await?
        {
            return Ok(Some(mail));
        }
    }
    link.structure_failures.store(0, Ordering::SeqCst);
    let what = format!("(UID FLAGS INTERNALDATE BODY.PEEK[]<0.{CUT_MAIL_BYTES}>)");
    let told = with_timeout_unless_refused(MAIL_TIMEOUT, link.fetch(&number, &what)).await?;
    let Some(told) = told else { return Ok(None) };
    let mail = of_mail(told).unwrap_or_default();
    Ok(Some(LargeMail { mail, left: Vec::new(), is_cut: true }))
}

/// Fetches the pieces of a mail; `None` if the server does not give one.
async fn put_together(
    link: &mut ImapLink,
    uid: u32,
    pieces: Vec<Piece>,
) -> Result<Option<LargeMail>, PlatformError> {
    let (mut bytes, mut left) = (Vec::new(), Vec::new());
    let Some(head) = fetch_items(link, uid, HEAD_ITEMS).await? else { return Ok(None) };
    for piece in pieces {
        let section = match piece {
            Piece::Text(text) => {
                bytes.extend_from_slice(text.as_bytes());
                continue;
            }
            Piece::Header => {
                bytes.extend(clean_header(head.header().unwrap_or_default()));
                continue;
            }
            Piece::Left(part) => {
                left.push(part);
                continue;
            }
            Piece::PartHeader(section) => {
                let told = fetch_items(link, uid, &format!("(UID BODY.PEEK[{section}.MIME])")).await?;
                let Some(told) = told else { return Ok(None) };
                bytes.extend(clean_header(told.header().unwrap_or_default()));
                continue;
            }
            Piece::Content(section, limit) => format!("(UID BODY.PEEK[{section}]<0.{limit}>)"),
        };
        let Some(told) = fetch_items(link, uid, &section).await? else { return Ok(None) };
        bytes.extend_from_slice(told.header().unwrap_or_default());
    }
    Ok(Some(LargeMail { mail: head.with_body(bytes), left, is_cut: false }))
}

/// Fetches items of one mail; `None` if the server refuses or the mail is gone.
async fn fetch_items(
    link: &mut ImapLink,
    uid: u32,
    what: &str,
) -> Result<Option<FetchedMail>, PlatformError> {
    let told = with_timeout_unless_refused(MAIL_TIMEOUT, link.fetch(&uid.to_string(), what)).await?;
    Ok(told.and_then(|told| told.into_iter().find(|mail| mail.uid == Some(uid))))
}

/// Estimates the size of a decoded part, in bytes.
pub(super) fn decoded_size(part: &LeftPart) -> u64 {
    // Base64 has lines of 76 characters that hold 57 bytes.
    if part.encoding == "base64" { part.octets * 57 / 78 } else { part.octets }
}

impl MailboxPlatform {
    /// Fetches a file that stayed in the mailbox.
    pub(super) async fn fetch_part(&self, reference: &str) -> Result<Vec<u8>, FileFetchError> {
        let Ok(part) = serde_json::from_str::<MailPartReference>(reference) else {
            return Err(FileFetchError::permanent("there is nothing to fetch"));
        };
        if part.octets > MAX_FILE_BYTES {
            let most = MAX_FILE_BYTES / (1024 * 1024);
            return Err(FileFetchError::permanent(format!("it has more than {most} MB")));
        }
        let closed = |_| FileFetchError::transient("the service is stopping");
        let _place = FETCH_SLOTS.acquire().await.map_err(closed)?;
        let mut link = ImapLink::open(&self.imap_server, &self.login, &self.trust).await?;
        let found = self.find_mail(&mut link, &part).await?;
        let Some(uid) = found else {
            return Err(FileFetchError::permanent("the mail is no longer in the mailbox"));
        };
        let number = uid.to_string();
        let mut decoder = PartDecoder::new(&part.encoding);
        let mut read = 0;
        loop {
            let what = format!("(UID BODY.PEEK[{}]<{read}.{CHUNK_BYTES}>)", part.section);
            let asked = link.fetch(&number, &what);
            let told = with_timeout_unless_refused(CHUNK_TIMEOUT, asked).await?;
            let told = told.and_then(|told| told.into_iter().find(|mail| mail.uid == Some(uid)));
            let Some(told) = told else {
                return Err(FileFetchError::permanent("the mailbox no longer has this file of the mail"));
            };
            let chunk = told.header().unwrap_or_default();
            let count = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
            if count == 0 && read < part.octets {
                return Err(FileFetchError::transient("the mailbox gave only a part of the file"));
            }
            decoder.add(chunk);
            read = read.saturating_add(count);
            if read >= part.octets || read > MAX_FILE_BYTES {
                break;
            }
        }
        // A server drops the session without it, too.
        let _ = crate::mailbox::imap::with_timeout(link.session.logout()).await;
        Ok(decoder.finish())
    }

    /// Selects the folder that has a mail and returns its UID there.
    async fn find_mail(
        &self,
        link: &mut ImapLink,
        part: &MailPartReference,
    ) -> Result<Option<u32>, PlatformError> {
        let place = match (part.kind, &part.folder) {
            (MailUpdateKind::Folder, Some(folder)) => folder.clone(),
            (MailUpdateKind::Sent, _) => link.sent.clone(),
            _ => INBOX.to_owned(),
        };
        let entered = with_timeout_unless_refused(COMMAND_TIMEOUT, link.enter(&place)).await?;
        if entered.is_some_and(|state| state.validity == part.validity)
            && has_section(link, part.uid, part).await?
        {
            return Ok(Some(part.uid));
        }
        let Some(id) = &part.header_id else { return Ok(None) };
        let mut folders = vec![place, INBOX.to_owned(), link.archive.clone(), link.sent.clone()];
        folders.extend([link.trash.clone(), link.junk.clone()].into_iter().flatten());
        folders.extend(self.settings.folders.iter().cloned());
        folders.extend(link.names.iter().cloned());
        let mut searched: Vec<String> = Vec::new();
        for folder in folders {
            if searched.len() >= MAX_SEARCHED_FOLDERS || searched.contains(&folder) {
                continue;
            }
            searched.push(folder.clone());
            if with_timeout_unless_refused(COMMAND_TIMEOUT, link.enter(&folder)).await?.is_none() {
                continue;
            }
            let found = with_timeout_unless_refused(COMMAND_TIMEOUT, link.find(id)).await?;
            for uid in found.unwrap_or_default() {
                if has_section(link, uid, part).await? {
                    return Ok(Some(uid));
                }
            }
        }
        Ok(None)
    }
}

/// Returns true if a mail of the selected folder has the wanted file: a section of its encoded size and no more.
async fn has_section(link: &mut ImapLink, uid: u32, part: &MailPartReference) -> Result<bool, PlatformError> {
    let last = part.octets.saturating_sub(1);
    let what = format!("(UID BODY.PEEK[{}]<{last}.2>)", part.section);
    let number = uid.to_string();
    let asked = link.fetch(&number, &what);
    let told = with_timeout_unless_refused(COMMAND_TIMEOUT, asked).await?;
    let told = told.and_then(|told| told.into_iter().find(|mail| mail.uid == Some(uid)));
    Ok(told.is_some_and(|mail| mail.header().is_some_and(|end| end.len() == 1)))
}

/// Decodes a part as it comes.
enum PartDecoder {
    Base64 { bits: u32, count: u32, bytes: Vec<u8> },
    QuotedPrintable(Vec<u8>),
    Encoded(Vec<u8>),
    Plain(Vec<u8>),
}

impl PartDecoder {
    fn new(encoding: &str) -> Self {
        match encoding {
            "base64" => Self::Base64 { bits: 0, count: 0, bytes: Vec::new() },
            "quoted-printable" => Self::QuotedPrintable(Vec::new()),
            "x-uuencode" | "x-uue" | "uuencode" => Self::Encoded(Vec::new()),
            _ => Self::Plain(Vec::new()),
        }
    }

    fn add(&mut self, chunk: &[u8]) {
        match self {
            Self::Base64 { bits, count, bytes } => {
                for byte in chunk {
                    let value = match byte {
                        b'A'..=b'Z' => byte - b'A',
                        b'a'..=b'z' => byte - b'a' + 26,
                        b'0'..=b'9' => byte - b'0' + 52,
                        b'+' => 62,
                        b'/' => 63,
                        b'=' => {
                            // The rest of a group; a further encoded text may follow.
                            (*bits, *count) = (0, 0);
                            continue;
                        }
                        _ => continue,
                    };
                    *bits = (*bits << 6) | u32::from(value);
                    *count += 6;
                    if *count >= 8 {
                        *count -= 8;
                        bytes.extend(u8::try_from((*bits >> *count) & 0xff));
                        *bits &= (1 << *count) - 1;
                    }
                }
            }
            Self::QuotedPrintable(bytes) | Self::Encoded(bytes) | Self::Plain(bytes) => {
                bytes.extend_from_slice(chunk);
            }
        }
    }

    fn finish(self) -> Vec<u8> {
        match self {
            Self::Base64 { bytes, .. } | Self::Plain(bytes) => bytes,
            Self::QuotedPrintable(bytes) => decode_quoted_printable(&bytes),
            Self::Encoded(bytes) => {
                let file = extract_encoded_file(&String::from_utf8_lossy(&bytes));
                file.unwrap_or(bytes)
            }
        }
    }
}

fn decode_quoted_printable(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'=' {
            bytes.push(*first);
            continue;
        }
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match (after, digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            ([b'\r', b'\n', after @ ..] | [b'\n', after @ ..], _) => rest = after,
            (_, Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => bytes.push(b'='),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(section: &str, kind: &str, octets: u64) -> MailPart {
        MailPart {
            section: section.to_owned(),
            kind: kind.to_owned(),
            boundary: None,
            octets,
            encoding: "base64".to_owned(),
            is_body: kind.starts_with("text/"),
            parts: Vec::new(),
        }
    }

    fn multipart(section: &str, boundary: Option<&str>, parts: Vec<MailPart>) -> MailPart {
        let boundary = boundary.map(str::to_owned);
        MailPart { boundary, parts, ..leaf(section, "multipart/mixed", 0) }
    }

    fn left(pieces: &[Piece]) -> Vec<&str> {
        let section = |piece: &'_ Piece| match piece {
            Piece::Left(part) => Some(part.section.clone()),
            _ => None,
        };
        let sections: Vec<String> = pieces.iter().filter_map(section).collect();
        sections.into_iter().map(|section| &*section.leak()).collect()
    }

    #[test]
    fn large_files_stay_and_texts_are_read() {
        let mega = 1024 * 1024;
        let alternatives = vec![leaf("1.1", "text/plain", 100), leaf("1.2", "text/html", 9 * mega)];
        let mut parts = vec![multipart("1", Some("c"), alternatives)];
        parts.push(leaf("2", "video/mp4", 80 * mega));
        parts.extend((3..15).map(|number| leaf(&number.to_string(), "image/png", mega)));
        parts.push(leaf("15", "message/rfc822", 2 * mega));
        let pieces = plan_pieces(&multipart("", Some("b"), parts)).expect("planned");
        assert_eq!(left(&pieces), ["2", "9", "10", "11", "12", "13", "14", "15"]);
        assert!(pieces.contains(&Piece::Content("1.2".to_owned(), mega)), "the beginning of a text");
        assert!(pieces.contains(&Piece::Text("\r\n--c--\r\n".to_owned())));
        // A mail that is one file.
        let pieces = plan_pieces(&leaf("1", "application/pdf", 40 * mega)).expect("planned");
        assert_eq!(left(&pieces), ["1"]);
        assert_eq!(pieces[..2], [Piece::Text(format!("{LEFT_HEADER}: 1\r\n")), Piece::Header]);
        let many = (1..100).map(|number| leaf(&number.to_string(), "image/png", 9)).collect();
        assert_eq!(plan_pieces(&multipart("", Some("b"), many)), None);
        assert_eq!(plan_pieces(&multipart("", None, vec![leaf("1", "text/plain", 1)])), None);
    }

    #[test]
    fn headers_cannot_name_a_section() {
        let header = b"Subject: x\r\nX-Left-in-MAILBOX: 9\r\n folded\r\nTo: a\r\n\tb\r\n\r\n";
        assert_eq!(clean_header(header), b"Subject: x\r\nTo: a\r\n\tb\r\n\r\n");
        assert_eq!(clean_header(b"\r\n"), b"\r\n");
    }

    #[test]
    fn parts_are_decoded_over_chunks() {
        let decode = |encoding: &str, text: &str| {
            let mut decoder = PartDecoder::new(encoding);
            text.as_bytes().chunks(5).for_each(|chunk| decoder.add(chunk));
            String::from_utf8_lossy(&decoder.finish()).into_owned()
        };
        assert_eq!(decode("base64", "aGVsbG8g\r\nd29ybGQh\r\n"), "hello world!");
        assert_eq!(decode("base64", "aGk=\r\naG8=\r\n"), "hiho");
        assert_eq!(decode("quoted-printable", "a=3Db=\r\nc =\nd=ZZ="), "a=bc d=ZZ=");
        assert_eq!(decode("7bit", "as it is"), "as it is");
        let size = |encoding: &str| {
            decoded_size(&LeftPart {
                octets: 78_000,
                encoding: encoding.to_owned(),
                section: "2".to_owned(),
                kind: "a/b".to_owned(),
            })
        };
        assert_eq!((size("base64"), size("8bit")), (57_000, 78_000));
    }
}
