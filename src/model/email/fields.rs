//! The names mail interfaces usually give the fields of a mail, the best
//! first: where they are looked for, and so what the raw view knows.

/// Where a thread keeps its mails.
pub const MESSAGE_LIST_FIELDS: [&str; 7] =
    ["messages", "emails", "mails", "items", "data", "threadMessages", "history"];
/// Ids of a mail.
pub const ID_FIELDS: [&str; 6] = ["id", "messageId", "emailId", "_id", "uid", "gmailId"];
/// Who sent it.
pub const FROM_FIELDS: [&str; 7] =
    ["from", "sender", "fromEmail", "fromAddress", "senderEmail", "author", "From"];
/// What the sender is called.
pub const FROM_NAME_FIELDS: [&str; 4] = ["fromName", "senderName", "authorName", "from_name"];
/// Who it went to.
pub const TO_FIELDS: [&str; 6] = ["to", "toEmails", "toAddresses", "recipients", "toRecipients", "To"];
/// Who got a copy.
pub const CC_FIELDS: [&str; 5] = ["cc", "ccEmails", "ccAddresses", "ccRecipients", "Cc"];
/// Where answers go.
pub const REPLY_TO_FIELDS: [&str; 4] = ["replyTo", "reply_to", "replyToEmail", "Reply-To"];
/// The plain text.
pub const TEXT_FIELDS: [&str; 11] = [
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
pub const HTML_FIELDS: [&str; 7] =
    ["html", "bodyHtml", "htmlBody", "body_html", "textHtml", "htmlContent", "bodyHTML"];
/// The subject.
pub const SUBJECT_FIELDS: [&str; 3] = ["subject", "Subject", "title"];
/// The `Message-ID` header.
pub const HEADER_ID_FIELDS: [&str; 6] =
    ["messageIdHeader", "internetMessageId", "rfcMessageId", "headerMessageId", "message_id", "Message-ID"];
/// When it was sent.
pub const DATE_FIELDS: [&str; 11] = [
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
pub const SENDER_DATE_FIELD: &str = "datedAt";
/// Which way it went.
pub const DIRECTION_FIELDS: [&str; 4] = ["direction", "type", "folder", "kind"];
/// How far it came.
pub const STATUS_FIELDS: [&str; 3] = ["status", "state", "deliveryStatus"];
/// Attachments.
pub const FILE_LIST_FIELDS: [&str; 4] = ["attachments", "files", "attachedFiles", "Attachments"];
/// An attachment's name.
pub const FILE_NAME_FIELDS: [&str; 5] = ["filename", "fileName", "name", "title", "originalName"];
/// An attachment's media type.
pub const FILE_TYPE_FIELDS: [&str; 5] = ["contentType", "mimeType", "mime_type", "type", "content_type"];
/// An attachment's size.
pub const FILE_SIZE_FIELDS: [&str; 5] = ["size", "bytes", "length", "fileSize", "contentLength"];
/// Where an attachment's bytes are.
pub const FILE_URL_FIELDS: [&str; 6] = ["url", "downloadUrl", "link", "href", "contentUrl", "fileUrl"];
/// An attachment's bytes.
pub const FILE_CONTENT_FIELDS: [&str; 4] = ["content", "contentBytes", "data", "base64"];

/// Flags that say it was sent from here.
pub const OUTBOUND_FIELDS: [&str; 4] = ["isOutbound", "outbound", "isSent", "fromMe"];
/// Flags that say it came in.
pub const INBOUND_FIELDS: [&str; 3] = ["isInbound", "inbound", "isIncoming"];
/// Flags that say the AI wrote it.
pub const AI_FIELDS: [&str; 4] = ["isAi", "aiGenerated", "isAutoReply", "generatedByAi"];
/// Words for who wrote it.
pub const SENDER_FIELDS: [&str; 3] = ["senderType", "sentBy", "source"];
/// When it was opened.
pub const OPENED_FIELDS: [&str; 2] = ["openedAt", "readAt"];

/// All fields of a mail that are looked at.
pub fn all_fields() -> impl Iterator<Item = &'static str> {
    let all: [&[&str]; 18] = [
        &ID_FIELDS,
        &FROM_FIELDS,
        &FROM_NAME_FIELDS,
        &TO_FIELDS,
        &CC_FIELDS,
        &REPLY_TO_FIELDS,
        &TEXT_FIELDS,
        &HTML_FIELDS,
        &SUBJECT_FIELDS,
        &HEADER_ID_FIELDS,
        &DATE_FIELDS,
        &DIRECTION_FIELDS,
        &STATUS_FIELDS,
        &FILE_LIST_FIELDS,
        &OUTBOUND_FIELDS,
        &INBOUND_FIELDS,
        &AI_FIELDS,
        &SENDER_FIELDS,
    ];
    all.into_iter().flatten().copied().chain(OPENED_FIELDS).chain([SENDER_DATE_FIELD])
}
