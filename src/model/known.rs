//! The fields this version reads of an item: what the raw view does not mark.

/// Fields of messages and of conversations on any channel that this version
/// reads.
pub const ITEM: &[&str] = &[
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
    "deliveredAt",
    "readAt",
    "customerPhone",
    "customerName",
    "customerEmail",
    "customerAvatar",
    "messageCount",
    "lastMessagePreview",
    "lastMessageAt",
    "firstMessageAt",
    "referral",
    "serviceWindowOpen",
    "automationEnabled",
    "escalation",
    "telegramChatId",
    "telegramUsername",
    "type",
];

/// Fields of a thread of mails.
pub const THREAD: &[&str] = &[
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
