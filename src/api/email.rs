//! The email channel: account, threads, contacts and sending.
//!
//! The OpenAPI document leaves the fields of the mails of a thread open; the ones here are this
//! service's choice.

use serde::{Deserialize, Serialize};

use crate::content::MAX_LINK_CHARS;
use crate::fields::{self, Filled, JsonObject, MailAddress, Text};
use crate::lenient;
use crate::request::derived_body;
#[cfg(feature = "schema")]
use crate::schema;
use crate::team::PersonName;
use model::bounds::{MAX_FILENAME_CHARS, MAX_SUBJECT_CHARS};
use model::email::invitations::InvitationAnswer;

/// Response of `GET /email/account`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "EmailAccount",
        transform = schema::always("provider syncStatus lastSyncAt aiAutoReply"),
        transform = schema::times("lastSyncAt")
    )
)]
pub struct EmailAccountBody {
    #[serde(deserialize_with = "lenient::id")]
    pub email_address: String,
    /// Display name of outgoing mail.
    #[serde(default, deserialize_with = "lenient::text")]
    pub display_name: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub provider: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub sync_status: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_sync_at: Option<String>,
    /// True if the assistant answers mail without approval.
    #[serde(default, deserialize_with = "lenient::boolean")]
    pub ai_auto_reply: Option<bool>,
    /// Other addresses of the mailbox, from which it may send; this service's choice.
    #[serde(default, deserialize_with = "lenient::texts", skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// Request of `POST /email/send`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        transform = schema::nullable("cc bcc attachments"),
        transform = schema::set("cc bcc", "maxItems", model::bounds::MAX_RECIPIENTS),
        transform = schema::set("attachments", "maxItems", model::bounds::MAX_ATTACHMENTS),
        transform = schema::set("headers", "maxProperties", model::bounds::MAX_MAIL_HEADERS),
        transform = schema::allow_words("invitationResponse", &InvitationAnswer::WORDS.join(" "))
    )
)]
pub struct SendEmail {
    /// Written as an array; read as one address, too.
    #[serde(deserialize_with = "fields::one_or_more")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "schema::one_or_more_addresses"))]
    pub to: Vec<MailAddress>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cc: Vec<MailAddress>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bcc: Vec<MailAddress>,
    pub subject: Filled<MAX_SUBJECT_CHARS>,
    /// One of text and HTML is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Text<MAX_BODY_CHARS>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<Text<MAX_BODY_CHARS>>,
    /// Other name of `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_text: Option<Text<MAX_BODY_CHARS>>,
    /// Other name of `html`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_html: Option<Text<MAX_BODY_CHARS>>,
    /// A name, an address or `Name <address>`. The address counts if it is one of the mailbox's own;
    /// without one, an answer is sent from the address that the answered mail reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Text<320>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MailAddress>,
    /// Additional headers: an object of strings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<JsonObject>,
    /// `Message-ID` of the answered mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<Text<MAX_REFERENCE_CHARS>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<Text<MAX_REFERENCE_CHARS>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<SendAttachment>,
    /// Answers the newest invitation of the thread, or the one in the mail of `inReplyTo`. Requires
    /// `threadId`, and the organizer as the only recipient in `to`. The service adds the calendar part.
    /// This service's choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub invitation_response: Option<InvitationAnswer>,
}

/// Maximum length of a text or HTML body, in characters; this service's choice.
pub const MAX_BODY_CHARS: usize = 1_000_000;
pub const MAX_REFERENCE_CHARS: usize = 998;

/// Attachment of a request: either `content` or `url`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Attachment"))]
pub struct SendAttachment {
    pub filename: Filled<MAX_FILENAME_CHARS>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<Text<255>>,
    /// Base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Text<MAX_LINK_CHARS>>,
}

/// Request of `PATCH /email/threads/{threadId}`. The field names are this service's choice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EmailThreadPatch"))]
pub struct ThreadPatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_read: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_starred: Option<bool>,
    /// Excludes `folder`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<Filled<MAX_LABEL_CHARS>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Filled<MAX_LABEL_CHARS>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Filled<MAX_LABEL_CHARS>>,
}

/// Maximum length of a folder, category or priority, in characters.
const MAX_LABEL_CHARS: usize = 64;

derived_body!(SendEmail, ThreadPatch);

/// Response of `POST /email/send`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        transform = schema::set("creditsUsed creditsRemaining", "minimum", 0)
    )
)]
pub struct SentEmail {
    /// The service's id; begins with `test_` for a test key.
    #[serde(deserialize_with = "lenient::created_id")]
    pub message_id: String,
    /// Thread of the mail.
    #[serde(default, deserialize_with = "lenient::word_or_empty")]
    pub thread_id: String,
    /// `sent`: the platform accepted it.
    #[serde(default, deserialize_with = "lenient::word_or_empty")]
    pub status: String,
    /// Cost; 0 for a test key.
    #[serde(default, deserialize_with = "lenient::number_or_zero", serialize_with = "lenient::write_number")]
    pub credits_used: f64,
    /// Balance afterwards.
    #[serde(default, deserialize_with = "lenient::number_or_zero", serialize_with = "lenient::write_number")]
    pub credits_remaining: f64,
}

/// A thread of `GET /email/threads` and `GET /email/threads/{threadId}`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "EmailThread",
        transform = schema::always("subject contactEmail lastMessageAt messageCount isRead isStarred priority"),
        transform = schema::times("lastMessageAt")
    )
)]
pub struct EmailThreadBody {
    #[serde(deserialize_with = "lenient::id")]
    pub id: String,
    /// Subject of the first mail.
    #[serde(default, deserialize_with = "lenient::text")]
    pub subject: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub contact_email: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub contact_name: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_message_at: Option<String>,
    #[serde(default, deserialize_with = "lenient::count")]
    pub message_count: Option<u64>,
    #[serde(default, deserialize_with = "lenient::boolean")]
    pub is_read: Option<bool>,
    #[serde(default, deserialize_with = "lenient::boolean")]
    pub is_starred: Option<bool>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub category: Option<String>,
    /// `low`, `normal`, `high`, `urgent`, or what a caller has set.
    #[serde(default, deserialize_with = "lenient::text")]
    pub priority: Option<String>,
    /// Present in single reads and changes only; this service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Name of the person who paused the assistant; absent while it answers, if nobody is known, and for a mailbox
    /// without an assistant. This service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub paused_by: Option<String>,
    /// `mail program` if a mail that was not sent through this service paused the assistant. This service's choice.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub paused_from: Option<String>,
    /// Oldest first; present in single reads only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<EmailBody>>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "EmailMessage",
        transform = schema::always("direction from subject status messageId createdAt"),
        transform = schema::times("createdAt sentAt datedAt openedAt"),
        transform = schema::allow_words("direction", &model::messages::Direction::WORDS.join(" ")),
        transform = schema::allow_words("invitationResponse", &InvitationAnswer::WORDS.join(" "))
    )
)]
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
    /// Address of the `Sender` header if it differs from `from`; inbound mail only.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub sender: Option<String>,
    /// Address for answers if it differs from `from`; inbound mail only.
    #[serde(default, deserialize_with = "lenient::texts", skip_serializing_if = "Vec::is_empty")]
    pub reply_to: Vec<String>,
    /// `false` if the mail has no readable address to answer to, so that a person must enter one.
    #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
    pub can_be_answered: Option<bool>,
    /// `true` if the mail was in the mailbox before it was connected; no webhook was sent for it.
    #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
    pub imported: Option<bool>,
    #[serde(default, deserialize_with = "lenient::texts")]
    pub to: Vec<String>,
    #[serde(default, deserialize_with = "lenient::texts")]
    pub cc: Vec<String>,
    /// Outbound mail only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bcc: Vec<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub subject: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub text: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub html: Option<String>,
    #[serde(default)]
    pub attachments: Vec<AttachmentBody>,
    /// `received`, `queued`, `sent`, `unknown`, `opened` or `failed`.
    #[serde(default, deserialize_with = "lenient::text")]
    pub status: Option<String>,
    /// `ai` if the assistant wrote it.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub sender_type: Option<String>,
    /// The `Message-ID` header.
    #[serde(default, deserialize_with = "lenient::text")]
    pub message_id: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub in_reply_to: Option<String>,
    /// Arrival at the service.
    #[serde(default, deserialize_with = "lenient::text")]
    pub created_at: Option<String>,
    /// Time of sending, from the mail's `Date` header if that is plausible; connected
    /// mailboxes only.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<String>,
    /// The mail's `Date` header if it is not plausible.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub dated_at: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub opened_at: Option<String>,
    /// Person of the team who sent it with a key of their own.
    #[serde(default, deserialize_with = "lenient::readable", skip_serializing_if = "Option::is_none")]
    pub agent: Option<PersonName>,
    /// `mail program` if a program with access to the mailbox sent it, and not this service.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub sent_from: Option<String>,
    /// Address of the mailbox that the mail reached, if it is not the account's; inbound mail only.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub delivered_to: Option<String>,
    /// Invitation in the mail that an answer can be sent to; inbound mail only.
    #[serde(default, deserialize_with = "lenient::readable", skip_serializing_if = "Option::is_none")]
    pub invitation: Option<InvitationBody>,
    /// Answer to an invitation that the mail is; outbound mail only.
    #[serde(default, deserialize_with = "lenient::readable", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub invitation_response: Option<InvitationAnswer>,
}

/// Calendar invitation in a mail; this service's choice.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Invitation",
        transform = schema::times("endsAt"),
        transform = schema::allow_words("response", &InvitationAnswer::WORDS.join(" "))
    )
)]
pub struct InvitationBody {
    #[serde(default, deserialize_with = "lenient::text")]
    pub summary: Option<String>,
    /// Time of the event in words.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Latest end of the event or of its series; absent if it is endless or unknown.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<String>,
    /// Address that an answer goes to.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub organizer: Option<String>,
    /// Invited address of the mailbox; absent if none is.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub guest: Option<String>,
    #[serde(default, deserialize_with = "lenient::flag")]
    pub cancelled: bool,
    /// Last answer sent from the mailbox.
    #[serde(default, deserialize_with = "lenient::readable", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub response: Option<InvitationAnswer>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct AttachmentBody {
    pub filename: String,
    #[serde(default, deserialize_with = "lenient::text")]
    pub content_type: Option<String>,
    /// In bytes, if known.
    #[serde(default, deserialize_with = "lenient::count")]
    pub size: Option<u64>,
    /// Present if the content is stored.
    #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "EmailContact",
        transform = schema::always("lastContactDate messageCount"),
        transform = schema::times("lastContactDate")
    )
)]
pub struct EmailContactBody {
    #[serde(deserialize_with = "lenient::id")]
    pub email: String,
    /// As last seen.
    #[serde(default, deserialize_with = "lenient::text")]
    pub name: Option<String>,
    #[serde(default, deserialize_with = "lenient::text")]
    pub last_contact_date: Option<String>,
    /// Counts mails from and to this address over all threads.
    #[serde(default, deserialize_with = "lenient::count")]
    pub message_count: Option<u64>,
    /// Number of the business chat customer with this email address.
    #[serde(default, deserialize_with = "lenient::text")]
    pub linked_whats_app_phone: Option<String>,
}
