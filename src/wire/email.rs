//! The email channel: account, threads, mails, contacts, sending. Interface:
//! Resources, Email account, Email thread, Email contact; Endpoints, Email.
//!
//! The fields of a thread's mails are not shown in the interface and are this
//! service's choice.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::lenient;

/// `GET /email/account`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmailAccountBody {
    /// Where mail to this account goes.
    #[serde(deserialize_with = "lenient::id")]
    pub email_address: String,
    /// What mails from it are signed with.
    #[serde(default, deserialize_with = "lenient::text")]
    pub display_name: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub provider: Option<String>,
    /// `active` is shown.
    #[serde(default, deserialize_with = "lenient::text")]
    pub sync_status: Option<String>,
    /// ISO 8601.
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_sync_at: Option<String>,
    /// Whether the assistant answers mail by itself.
    #[serde(default, deserialize_with = "lenient::boolean")]
    pub ai_auto_reply: Option<bool>,
    /// Mail from before the mailbox was connected, where it becomes threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier_mail: Option<EarlierMailBody>,
}

/// How far mail from before a mailbox was connected is filed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EarlierMailBody {
    /// Mails that are filed.
    pub filed: u64,
    /// Mails to file, those that are filed among them; 0 until they are counted.
    pub total: u64,
    pub finished: bool,
}

/// The body of `POST /email/send`, as this desk writes it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SendEmailBody<'a> {
    pub to: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub cc: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub bcc: &'a [String],
    /// At most 998 characters.
    pub subject: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
    /// The HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<&'a str>,
    /// The thread it answers in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<&'a str>,
    /// At most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<SendAttachment<'a>>,
}

/// An attachment of a mail that is sent.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SendAttachment<'a> {
    pub filename: &'a str,
    pub content_type: &'a str,
    /// Its bytes in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Where its bytes are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<&'a str>,
}

/// The body of `PATCH /email/threads/{id}`. The interface does not show the
/// names; these are this service's choice.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadPatch<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_read: Option<bool>,
    /// With a star or without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_starred: Option<bool>,
    /// Into the archive or out of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<&'a str>,
}

/// The answer to `POST /email/send`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SentEmail {
    pub message_id: String,
    pub thread_id: String,
    /// `sent`.
    pub status: String,
    #[serde(default, serialize_with = "lenient::write_number")]
    pub credits_used: f64,
    /// The balance after it.
    #[serde(default, serialize_with = "lenient::write_number")]
    pub credits_remaining: f64,
}

/// A thread, as listed and as read alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmailThreadBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    /// The subject of its first mail.
    #[serde(default, deserialize_with = "lenient::text")]
    pub subject: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub contact_email: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub contact_name: Option<String>,
    /// ISO 8601.
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_message_at: Option<String>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub message_count: Option<u64>,
    #[serde(default, deserialize_with = "lenient::boolean")]
    pub is_read: Option<bool>,
    /// Whether a person has marked it.
    #[serde(default, deserialize_with = "lenient::boolean")]
    pub is_starred: Option<bool>,
    /// What it is about, in one word.
    #[serde(default, deserialize_with = "lenient::text")]
    pub category: Option<String>,
    /// `low`, `normal`, `high`, `urgent`, or what a caller has set.
    #[serde(default, deserialize_with = "lenient::text")]
    pub priority: Option<String>,
    /// Where it lies; single reads and changes only, this service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Its mails, oldest first; single reads only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<EmailBody>>,
}

/// A mail of a thread.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmailBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    /// `inbound` or `outbound`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub direction: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub from: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub from_name: Option<String>,
    /// The address in `Sender`, where it is not the author's; of mails that
    /// came in.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// Where an answer goes, if not to `from`; of mails that came in.
    #[serde(default, deserialize_with = "lenient::texts", skip_serializing_if = "Vec::is_empty")]
    pub reply_to: Vec<String>,
    /// `false` where no address to answer to can be read: a person must give
    /// one.
    #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
    pub can_be_answered: Option<bool>,
    /// `true` for a mail that was in the mailbox before that was connected: no
    /// event told of it.
    #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
    pub imported: Option<bool>,
    #[serde(default, deserialize_with = "lenient::texts")]
    pub to: Vec<String>,
    #[serde(default, deserialize_with = "lenient::texts")]
    pub cc: Vec<String>,
    /// Addresses; of mails sent from here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bcc: Vec<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub subject: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub text: Option<String>,
    /// The HTML.
    #[serde(default, deserialize_with = "lenient::text")]
    pub html: Option<String>,
    #[serde(default)]
    pub attachments: Vec<AttachmentBody>,
    /// `received`, `queued`, `sent`, `unknown`, `opened` or `failed`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub status: Option<String>,
    /// `ai` where the assistant has written it.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub sender_type: Option<String>,
    /// The `Message-ID` header.
    #[serde(default, deserialize_with = "lenient::text")]
    pub message_id: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub in_reply_to: Option<String>,
    /// ISO 8601: when the service took it in.
    #[serde(default, deserialize_with = "lenient::text")]
    pub created_at: Option<String>,
    /// ISO 8601: when it was sent, as its sender says where that can be true; of
    /// mails of a mailbox.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<String>,
    /// ISO 8601: date of the sender, if it cannot be true.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub dated_at: Option<String>,
    /// ISO 8601 or null.
    #[serde(default, deserialize_with = "lenient::text")]
    pub opened_at: Option<String>,
}

/// What is told of an attachment; also how it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentBody {
    pub filename: String,
    #[serde(default, deserialize_with = "lenient::text")]
    pub content_type: Option<String>,
    /// Its bytes, where they are known.
    #[serde(default, deserialize_with = "lenient::count")]
    pub size: Option<u64>,
    /// Where its bytes are, where they are kept.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Somebody mails were exchanged with.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmailContactBody {
    /// The address, as last written.
    #[serde(deserialize_with = "lenient::id")]
    pub email: String,
    /// The name, as last told.
    #[serde(default, deserialize_with = "lenient::text")]
    pub name: Option<String>,
    /// ISO 8601.
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_contact_date: Option<String>,
    /// Mails from and to this address, over all threads.
    #[serde(default, deserialize_with = "lenient::count")]
    pub message_count: Option<u64>,
    /// The number of the business chat customer with this address.
    #[serde(default, deserialize_with = "lenient::text")]
    pub linked_whats_app_phone: Option<String>,
}
