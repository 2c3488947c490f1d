use mail_parser::{Message, MessageParser, MessagePart, MimeHeaders, PartType};

use crate::contract::OutboundFile;
use crate::mail::{BounceReport, plain};
use crate::mailbox::large::{LEFT_HEADER, decoded_size};
use crate::mailbox::parsing::lines::one_line;
use crate::mailbox::parsing::{MailPlace, charsets, flowed, invitations, signed, stand_ins, tnef, uuencode};
use api::carriers::LeftPart;
use api::email::MAX_BODY_CHARS;
use model::bounds;

const MAX_FILES: usize = 50;
const SIGNED_NOTICE: &str = "[a signed mail (S/MIME); its signature was not checked]";
/// Extension of a file of which only the beginning was fetched: no program opens it as if it were
/// complete.
const CUT_FILE_EXTENSION: &str = ".cut";

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MailContent {
    pub text: Option<String>,
    pub html: Option<String>,
    pub files: Vec<OutboundFile>,
    /// Files that stay in the mailbox.
    pub left: Vec<LeftFile>,
}

/// File of a mail that stays in the mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftFile {
    pub name: String,
    pub mime_type: String,
    pub part: LeftPart,
}

/// Reads the texts and files of a mail; one without a text gets a description.
pub fn read_content(
    parsed: &Message<'_>,
    returned: Option<&BounceReport>,
    MailPlace { is_cut, left, .. }: MailPlace<'_>,
) -> MailContent {
    let mut content = MailContent::default();
    (content.text, content.html) = mail_texts(parsed);
    content.take_encoded_files();
    content.add_files(parsed, is_cut, left);
    content.add_unnamed(left);
    if !content.has_text() {
        content.open_signed(parsed);
    }
    if let Some((calendar, _)) = calendar_of(parsed) {
        content.append(&invitations::describe_invitation(&calendar, content.has_text()));
    }
    if let Some(words) = content.text.as_deref().and_then(stand_ins::describe_text) {
        content.append(words);
    }
    if !content.has_text() {
        let report = returned.map(|told| format!("[a report of a mail server: {}]", told.why));
        content.html = None;
        content.text = report.or_else(|| stand_ins::describe_content(parsed)).or_else(|| Some(String::new()));
    }
    if is_cut {
        content.append_cut_notice();
    }
    content.append_left_notice();
    for text in [&mut content.text, &mut content.html].into_iter().flatten() {
        // PostgreSQL refuses NUL in a text.
        text.retain(|letter| letter != '\0');
    }
    content
}

impl MailContent {
    fn has_text(&self) -> bool {
        [&self.text, &self.html].into_iter().flatten().any(|text| !text.trim().is_empty())
    }

    fn append(&mut self, words: &str) {
        if let Some(html) = &mut self.html {
            html.push_str(&format!("\n<pre>{}</pre>", escaped(words)));
        }
        match &mut self.text {
            Some(text) if text.trim().is_empty() => *text = words.to_owned(),
            Some(text) => *text = format!("{}\n\n{words}", text.trim_end()),
            None if self.html.is_none() => self.text = Some(words.to_owned()),
            None => {}
        }
    }

    /// Appends a notice that the mail is incomplete, with the name of the incomplete file.
    pub fn append_cut_notice(&mut self) {
        let cut = self.files.iter().find_map(|file| file.name.strip_suffix(CUT_FILE_EXTENSION));
        let file = cut.map(|name| format!("; {name} is incomplete")).unwrap_or_default();
        self.append(&format!("[the mail is larger than the part that is fetched{file}]"));
    }

    /// Appends a notice that names the files that stay in the mailbox.
    fn append_left_notice(&mut self) {
        if self.left.is_empty() {
            return;
        }
        let describe = |file: &LeftFile| {
            format!("{} ({})", file.name, model::email::files::format_size(decoded_size(&file.part)))
        };
        let names: Vec<String> = self.left.iter().map(describe).collect();
        self.append(&format!("[not fetched until opened: {}]", names.join(", ")));
    }

    /// Adds the files that stay in the mailbox and that the parser did not find.
    fn add_unnamed(&mut self, left: &[LeftPart]) {
        for part in left {
            if self.left.iter().all(|file| file.part.section != part.section) {
                let name = if self.left.is_empty() {
                    "attachment".to_owned()
                } else {
                    format!("attachment-{}", self.left.len() + 1)
                };
                self.left.push(LeftFile { name, mime_type: left_type(part), part: part.clone() });
            }
        }
    }

    /// Extracts files that are encoded in the text (uuencode).
    fn take_encoded_files(&mut self) {
        let Some(text) = self.text.as_ref().filter(|text| text.contains("begin ")) else { return };
        let (kept, files) = uuencode::extract_files(text);
        if !files.is_empty() {
            self.text = Some(kept);
            let files = files.into_iter().take(MAX_FILES);
            self.files.extend(files.map(|file| named_file(&file.name, None, file.bytes)));
        }
    }

    /// Adds attached files, also inline ones of the HTML and those packed by Outlook (TNEF).
    fn add_files(&mut self, parsed: &Message<'_>, is_cut: bool, left: &[LeftPart]) {
        let mut calendars: Vec<Vec<u8>> = Vec::new();
        for id in &parsed.attachments {
            let Some(part) = parsed.part(*id).filter(|part| !is_report(part)) else { continue };
            if self.files.len() + self.left.len() >= MAX_FILES {
                return;
            }
            if let Some(left) = left_part(part, left) {
                let name = attached_file(parsed, part, self.files.len() + self.left.len()).name;
                self.left.push(LeftFile { name, mime_type: left_type(left), part: left.clone() });
                continue;
            }
            if is_packed(part)
                && let Some(packed) = tnef::open(part.contents())
            {
                self.unpack(packed);
                continue;
            }
            // The last part of a truncated mail is incomplete.
            let was_cut = is_cut && usize::try_from(*id).is_ok_and(|id| id + 1 == parsed.parts.len());
            let mut file = attached_file(parsed, part, self.files.len());
            if is_calendar(part) {
                // Invitations come twice: as a text and as a file.
                if calendars.contains(&file.bytes) {
                    continue;
                }
                calendars.push(file.bytes.clone());
            }
            if was_cut {
                file.name.push_str(CUT_FILE_EXTENSION);
            }
            self.files.push(file);
        }
    }

    /// Replaces the content with that inside a signature.
    fn open_signed(&mut self, parsed: &Message<'_>) {
        let is_smime = |part: &&MessagePart<'_>| {
            part.is_content_type("application", "pkcs7-mime")
                || part.is_content_type("application", "x-pkcs7-mime")
        };
        let part = parsed.parts.iter().find(is_smime);
        let Some(mail) = part.and_then(|part| signed::open_signed(part.contents())) else { return };
        let Some(inner) = MessageParser::default().parse(&mail) else { return };
        let (text, html) = mail_texts(&inner);
        if text.is_none() && html.is_none() {
            return;
        }
        (self.text, self.html) = (text, html);
        self.add_files(&inner, false, &[]);
        self.append(SIGNED_NOTICE);
    }

    fn unpack(&mut self, packed: tnef::PackedMail) {
        if !self.has_text() {
            let bounded =
                |text: String| text.chars().filter(|letter| *letter != '\0').take(MAX_BODY_CHARS).collect();
            self.text = packed.text.map(bounded);
            self.html = packed.html.map(bounded);
        }
        for file in packed.files {
            if self.files.len() < MAX_FILES {
                self.files.push(named_file(&file.name, file.media_type, file.bytes));
            }
        }
    }
}

/// Returns the calendar of a mail and the method in its header.
pub fn calendar_of(parsed: &Message<'_>) -> Option<(String, Option<String>)> {
    let part = parsed.parts.iter().find(|part| is_calendar(part))?;
    let method = part.content_type().and_then(|kind| kind.attribute("method")).map(str::to_owned);
    Some((text_of_part(parsed, part), method))
}

/// Returns the plain text of a mail, else the text of its HTML.
pub fn text_of(parsed: &Message<'_>) -> String {
    match mail_texts(parsed) {
        (Some(text), _) => text,
        (None, Some(html)) => plain::html_to_text(&html),
        (None, None) => String::new(),
    }
}

/// Returns plain text and HTML, also of a mail with a broken multipart structure.
fn mail_texts(parsed: &Message<'_>) -> (Option<String>, Option<String>) {
    let found = bodies(parsed);
    if found.0.is_some() || found.1.is_some() {
        return found;
    }
    if let Some(mended) = repair_multipart(parsed)
        && let Some(parsed) = MessageParser::default().parse(&mended)
    {
        let found = bodies(&parsed);
        if found.0.is_some() || found.1.is_some() {
            return found;
        }
    }
    (first_text(parsed), None)
}

/// Returns the mail's own plain text and HTML, without the parser's conversions. If the mail has
/// text beside the HTML that is no alternative to it, such as a mailing-list footer, the HTML
/// contains both.
fn bodies(parsed: &Message<'_>) -> (Option<String>, Option<String>) {
    let part = |id: &u32| parsed.part(*id);
    let is_html = |part: &MessagePart<'_>| matches!(part.body, PartType::Html(_));
    let plain = match parsed.text_body.iter().filter_map(part).any(is_html) {
        true => None,
        false => join(parsed, &parsed.text_body, false),
    };
    let html = match parsed.html_body.iter().filter_map(part).any(is_html) {
        true => join(parsed, &parsed.html_body, true),
        false => None,
    };
    (plain, html)
}

fn join(parsed: &Message<'_>, parts: &[u32], as_html: bool) -> Option<String> {
    let (mut found, mut left) = (String::new(), MAX_BODY_CHARS);
    for part in parts.iter().filter_map(|id| parsed.part(*id)) {
        let text = match &part.body {
            PartType::Html(_) if as_html => text_of_part(parsed, part),
            PartType::Text(_) => {
                let text = text_of_part(parsed, part);
                if as_html { format!("<pre>{}</pre>", escaped(&text)) } else { text }
            }
            _ => continue,
        };
        if !found.is_empty() {
            found.push('\n');
        }
        found.extend(text.chars().filter(|letter| *letter != '\0').take(left));
        left = left.saturating_sub(text.chars().count());
    }
    Some(found).filter(|text| !text.trim().is_empty())
}

/// Decodes the text of a part, with flowed paragraphs joined.
fn text_of_part(parsed: &Message<'_>, part: &MessagePart<'_>) -> String {
    let (decoded, is_html) = match &part.body {
        PartType::Html(text) => (text.as_ref(), true),
        PartType::Text(text) => (text.as_ref(), false),
        _ => return charsets::decode_contents(part),
    };
    let text = charsets::decode_part(parsed, part, decoded, is_html);
    let is = |name: &str, word: &str| {
        let value = part.content_type().and_then(|kind| kind.attribute(name));
        value.is_some_and(|value| value.eq_ignore_ascii_case(word))
    };
    match !is_html && is("format", "flowed") {
        true => flowed::join_lines(&text, is("delsp", "yes")),
        false => text,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns the first text of a mail with a broken multipart structure, from its attachments.
fn first_text(parsed: &Message<'_>) -> Option<String> {
    let is_text =
        |part: &&MessagePart<'_>| part.is_content_type("text", "plain") && part.attachment_name().is_none();
    let attached = parsed.attachments().find(is_text);
    let attached = attached.map(charsets::decode_contents);
    attached.filter(|text| !text.trim().is_empty())
}

/// Repairs a multipart mail with a missing or wrong boundary by the boundary found in its body;
/// `None` if the mail is not broken in this way.
fn repair_multipart(parsed: &Message<'_>) -> Option<Vec<u8>> {
    let root = parsed.root_part();
    if !root.content_type().is_some_and(|kind| kind.ctype().eq_ignore_ascii_case("multipart")) {
        return None;
    }
    let body = parsed.raw_message().get(usize::try_from(root.offset_body).ok()?..)?;
    let text = String::from_utf8_lossy(body);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let boundary =
            line.trim_end().strip_prefix("--").filter(|text| !text.is_empty() && text.len() <= 100);
        let is_head = lines.peek().is_some_and(|next| next.to_ascii_lowercase().starts_with("content-"));
        if let Some(boundary) = boundary.filter(|text| is_head && !text.contains(['"', '\\'])) {
            let head = format!("Content-Type: multipart/mixed; boundary=\"{boundary}\"\r\n\r\n");
            return Some([head.as_bytes(), body].concat());
        }
    }
    None
}

fn attached_file(parsed: &Message<'_>, part: &MessagePart<'_>, index: usize) -> OutboundFile {
    let kind = part.content_type().map(|kind| match kind.subtype() {
        Some(subtype) => format!("{}/{subtype}", kind.ctype()).to_ascii_lowercase(),
        None => kind.ctype().to_ascii_lowercase(),
    });
    let (bytes, usual) = match &part.body {
        PartType::Message(inner) => (inner.raw_message().to_vec(), "mail.eml"),
        _ if is_calendar(part) => (part.contents().to_vec(), "invitation.ics"),
        _ => (charsets::bytes_of_file(parsed, part), "attachment"),
    };
    let mut name = charsets::file_name(parsed, part).unwrap_or_default();
    let mut bytes = bytes;
    let encoding = part.content_transfer_encoding().unwrap_or_default();
    if ["x-uuencode", "x-uue", "uuencode"].iter().any(|word| encoding.eq_ignore_ascii_case(word))
        && let Some(file) = uuencode::extract_files(&String::from_utf8_lossy(&bytes)).1.into_iter().next()
    {
        bytes = file.bytes;
        name = if name.is_empty() { file.name } else { name };
    }
    if one_line(&name, bounds::MAX_FILENAME_CHARS).is_empty() {
        name = if index == 0 { usual.to_owned() } else { format!("{}-{usual}", index + 1) };
    }
    if is_calendar(part) && !name.to_ascii_lowercase().ends_with(".ics") {
        name.push_str(".ics");
    }
    named_file(&name, kind, bytes)
}

/// Builds a file with a displayable name and a valid media type.
fn named_file(name: &str, media_type: Option<String>, bytes: Vec<u8>) -> OutboundFile {
    let name = one_line(name, bounds::MAX_FILENAME_CHARS);
    OutboundFile {
        name: if name.is_empty() { "attachment".to_owned() } else { name },
        mime_type: media_type
            .filter(|kind| is_media_type(kind))
            .unwrap_or_else(|| "application/octet-stream".to_owned()),
        bytes,
    }
}

/// Returns the file that stays in the mailbox in place of which a part is.
fn left_part<'a>(part: &MessagePart<'_>, left: &'a [LeftPart]) -> Option<&'a LeftPart> {
    let header = part.headers.iter().find(|header| header.name().eq_ignore_ascii_case(LEFT_HEADER))?;
    let section = header.value().as_text()?.trim();
    left.iter().find(|part| part.section == section)
}

fn left_type(part: &LeftPart) -> String {
    Some(&part.kind)
        .filter(|kind| is_media_type(kind))
        .cloned()
        .unwrap_or_else(|| "application/octet-stream".to_owned())
}

/// Returns the bytes of the first file that is encoded in a text.
pub fn extract_encoded_file(text: &str) -> Option<Vec<u8>> {
    uuencode::extract_files(text).1.into_iter().next().map(|file| file.bytes)
}

/// Returns true for `type/subtype` without parameters.
fn is_media_type(kind: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
    let is_token = |token: &str| !token.is_empty() && token.len() <= 127 && token.bytes().all(is_letter);
    kind.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype))
}

fn is_calendar(part: &MessagePart<'_>) -> bool {
    part.is_content_type("text", "calendar") || part.is_content_type("application", "ics")
}

fn is_packed(part: &MessagePart<'_>) -> bool {
    part.is_content_type("application", "ms-tnef")
        || part.is_content_type("application", "vnd.ms-tnef")
        || part.attachment_name().is_some_and(|name| name.eq_ignore_ascii_case("winmail.dat"))
}

/// Returns true for a part that only reports a delivery to a program.
fn is_report(part: &MessagePart<'_>) -> bool {
    part.is_content_type("message", "delivery-status")
        || part.is_content_type("message", "disposition-notification")
        || part.is_content_type("text", "rfc822-headers")
}
