//! The names mail interfaces usually give the fields of a mail, the best
//! first: where they are looked for, and so what the raw view knows.

/// Where a thread keeps its mails.
pub const LISTS: [&str; 7] = ["messages", "emails", "mails", "items", "data", "threadMessages", "history"];
/// Ids of a mail.
pub const IDS: [&str; 6] = ["id", "messageId", "emailId", "_id", "uid", "gmailId"];
/// Who sent it.
pub const FROM: [&str; 7] = ["from", "sender", "fromEmail", "fromAddress", "senderEmail", "author", "From"];
/// What the sender is called.
pub const FROM_NAME: [&str; 4] = ["fromName", "senderName", "authorName", "from_name"];
/// Who it went to.
pub const TO: [&str; 6] = ["to", "toEmails", "toAddresses", "recipients", "toRecipients", "To"];
/// Who got a copy.
pub const CC: [&str; 5] = ["cc", "ccEmails", "ccAddresses", "ccRecipients", "Cc"];
/// Where answers go.
pub const REPLY_TO: [&str; 4] = ["replyTo", "reply_to", "replyToEmail", "Reply-To"];
/// The plain text.
pub const TEXT: [&str; 11] = [
    "text",
    "bodyText",
    "textBody",
    "plainText",
    "body_text",
    "textPlain",
    "plain",
    "content",
    "body",
    "message",
    "snippet",
];
/// The HTML.
pub const HTML: [&str; 7] =
    ["html", "bodyHtml", "htmlBody", "body_html", "textHtml", "htmlContent", "bodyHTML"];
/// The subject.
pub const SUBJECT: [&str; 3] = ["subject", "Subject", "title"];
/// The `Message-ID` header.
pub const HEADER_ID: [&str; 6] =
    ["messageIdHeader", "internetMessageId", "rfcMessageId", "headerMessageId", "message_id", "Message-ID"];
/// When it was sent.
pub const DATES: [&str; 11] = [
    "createdAt",
    "date",
    "sentAt",
    "receivedAt",
    "timestamp",
    "receivedDateTime",
    "sentDateTime",
    "created_at",
    "internalDate",
    "Date",
    "updatedAt",
];
/// Date of its sender, if it cannot be true.
pub const DATED: &str = "datedAt";
/// Which way it went.
pub const DIRECTIONS: [&str; 4] = ["direction", "type", "folder", "kind"];
/// How far it came.
pub const STATUS: [&str; 3] = ["status", "state", "deliveryStatus"];
/// Attachments.
pub const FILE_LISTS: [&str; 4] = ["attachments", "files", "attachedFiles", "Attachments"];
/// An attachment's name.
pub const FILE_NAMES: [&str; 5] = ["filename", "fileName", "name", "title", "originalName"];
/// An attachment's media type.
pub const FILE_KINDS: [&str; 5] = ["contentType", "mimeType", "mime_type", "type", "content_type"];
/// An attachment's size.
pub const FILE_SIZES: [&str; 5] = ["size", "bytes", "length", "fileSize", "contentLength"];
/// Where an attachment's bytes are.
pub const FILE_URLS: [&str; 6] = ["url", "downloadUrl", "link", "href", "contentUrl", "fileUrl"];
/// An attachment's bytes.
pub const FILE_BYTES: [&str; 4] = ["content", "contentBytes", "data", "base64"];

/// Flags that say it was sent from here.
pub const OUTBOUND: [&str; 4] = ["isOutbound", "outbound", "isSent", "fromMe"];
/// Flags that say it came in.
pub const INBOUND: [&str; 3] = ["isInbound", "inbound", "isIncoming"];
/// Flags that say the AI wrote it.
pub const BY_AI: [&str; 4] = ["isAi", "aiGenerated", "isAutoReply", "generatedByAi"];
/// Words for who wrote it.
pub const SENDERS: [&str; 3] = ["senderType", "sentBy", "source"];
/// When it was opened.
pub const OPENED: [&str; 2] = ["openedAt", "readAt"];

/// All fields of a mail that are looked at.
pub fn of_a_mail() -> impl Iterator<Item = &'static str> {
    let all: [&[&str]; 18] = [
        &IDS,
        &FROM,
        &FROM_NAME,
        &TO,
        &CC,
        &REPLY_TO,
        &TEXT,
        &HTML,
        &SUBJECT,
        &HEADER_ID,
        &DATES,
        &DIRECTIONS,
        &STATUS,
        &FILE_LISTS,
        &OUTBOUND,
        &INBOUND,
        &BY_AI,
        &SENDERS,
    ];
    all.into_iter().flatten().copied().chain(OPENED).chain([DATED])
}
