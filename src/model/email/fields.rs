//! Field names that mail interfaces use, preferred names first. Used for parsing, and by the raw
//! view to mark unknown fields.

pub const MESSAGE_LIST_FIELDS: [&str; 7] =
    ["messages", "emails", "mails", "items", "data", "threadMessages", "history"];
pub const ID_FIELDS: [&str; 6] = ["id", "messageId", "emailId", "_id", "uid", "gmailId"];
pub const FROM_FIELDS: [&str; 7] =
    ["from", "sender", "fromEmail", "fromAddress", "senderEmail", "author", "From"];
pub const FROM_NAME_FIELDS: [&str; 4] = ["fromName", "senderName", "authorName", "from_name"];
pub const TO_FIELDS: [&str; 6] = ["to", "toEmails", "toAddresses", "recipients", "toRecipients", "To"];
pub const CC_FIELDS: [&str; 5] = ["cc", "ccEmails", "ccAddresses", "ccRecipients", "Cc"];
pub const REPLY_TO_FIELDS: [&str; 4] = ["replyTo", "reply_to", "replyToEmail", "Reply-To"];
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
pub const HTML_FIELDS: [&str; 7] =
    ["html", "bodyHtml", "htmlBody", "body_html", "textHtml", "htmlContent", "bodyHTML"];
pub const SUBJECT_FIELDS: [&str; 3] = ["subject", "Subject", "title"];
/// `Message-ID` header.
pub const HEADER_ID_FIELDS: [&str; 6] =
    ["messageIdHeader", "internetMessageId", "rfcMessageId", "headerMessageId", "message_id", "Message-ID"];
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
/// Implausible date stated by the sender.
pub const SENDER_DATE_FIELD: &str = "datedAt";
pub const DIRECTION_FIELDS: [&str; 4] = ["direction", "type", "folder", "kind"];
pub const STATUS_FIELDS: [&str; 3] = ["status", "state", "deliveryStatus"];
pub const FILE_LIST_FIELDS: [&str; 4] = ["attachments", "files", "attachedFiles", "Attachments"];
pub const FILE_NAME_FIELDS: [&str; 5] = ["filename", "fileName", "name", "title", "originalName"];
pub const FILE_TYPE_FIELDS: [&str; 5] = ["contentType", "mimeType", "mime_type", "type", "content_type"];
pub const FILE_SIZE_FIELDS: [&str; 5] = ["size", "bytes", "length", "fileSize", "contentLength"];
pub const FILE_URL_FIELDS: [&str; 6] = ["url", "downloadUrl", "link", "href", "contentUrl", "fileUrl"];
pub const FILE_CONTENT_FIELDS: [&str; 4] = ["content", "contentBytes", "data", "base64"];

pub const OUTBOUND_FIELDS: [&str; 4] = ["isOutbound", "outbound", "isSent", "fromMe"];
pub const INBOUND_FIELDS: [&str; 3] = ["isInbound", "inbound", "isIncoming"];
pub const AI_FIELDS: [&str; 4] = ["isAi", "aiGenerated", "isAutoReply", "generatedByAi"];
/// Kind of author.
pub const SENDER_FIELDS: [&str; 3] = ["senderType", "sentBy", "source"];
/// Time of the first opening.
pub const OPENED_FIELDS: [&str; 2] = ["openedAt", "readAt"];

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
