//! JSON fields that this version parses; the raw view marks all others.

/// Fields of messages on any channel; some are fields of conversations, too.
pub const MESSAGE_FIELDS: &[&str] = &[
    "id",
    "conversationId",
    "whatsappMessageId",
    "telegramMessageId",
    "direction",
    "senderType",
    "content",
    "contentType",
    "mediaUrl",
    "status",
    "replyTo",
    "reaction",
    "media",
    "creditsUsed",
    "createdAt",
    "sentAt",
    "deliveredAt",
    "readAt",
    "structure",
    "editedAt",
    "withdrawnAt",
    "formerContents",
    "album",
    "agent",
];

pub const THREAD_FIELDS: &[&str] = &[
    "id",
    "subject",
    "contactEmail",
    "contactName",
    "lastMessageAt",
    "messageCount",
    "isRead",
    "isStarred",
    "category",
    "priority",
    "folder",
    "messages",
];
