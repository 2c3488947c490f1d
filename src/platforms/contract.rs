//! Contract of a platform: [`Transport`] sends a message, [`PlatformSource`] receives.

use std::borrow::Cow;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::HeaderMap;
use serde_json::Value;

use crate::mail::ArrivedMail;
use crate::whatsapp::{SubmissionError, SubmittedTemplate};
use api::carriers::MailboxSecrets;
use api::errors::ErrorCode;
use api::extras::MessageExtras;
use model::account;
use model::contact_cards::ContactToSend;
use model::files;
use model::keywords::Keyword;
use model::stickers::{self, WebpFacts};
use model::time::{SECOND, Timestamp};

pub use api::carriers::{MailFacts, OutboundMessage};

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub const REACTION_KIND: &str = "reaction";

/// Kind of message for a call or an utterance in one.
pub const CALL_KIND: &str = "call";

/// Prefix of the ids of missed calls, so that they differ from those of messages and of placed calls.
pub const MISSED_CALL_PREFIX: &str = "missed ";

/// Why a missed call asks for a person.
pub const MISSED_CALL_REASON: &str = "a call was missed";

pub const OPTED_OUT_MESSAGE: &str =
    "this number has sent STOP and accepts no more texts; START allows them again";

pub const BLOCKED_MESSAGE: &str =
    "this person has blocked the bot; it can write to them again after they unblock it or write";

pub const REMOVED_MESSAGE: &str = "this group has removed the bot; add the bot again to write there";

pub const DISCONNECTED_MESSAGE: &str = "the owner of this account has disconnected the bot or lets it only \
     read; it can answer again after the owner allows that in Telegram's settings";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundChat {
    /// Address to answer to.
    pub address: String,
    pub name: Option<String>,
    pub username: Option<String>,
}

pub type FindChatFuture<'a> = BoxFuture<'a, Result<Option<FoundChat>, PlatformError>>;

pub type FindConnectionFuture<'a> = BoxFuture<'a, Result<Option<PlatformEvent>, PlatformError>>;

pub type SubmissionFuture<'a> = BoxFuture<'a, Result<SubmittedTemplate, SubmissionError>>;

/// Returns true for audio to be sent as a voice note: it was asked for, and the format is known to be one of
/// `formats` or not known at all. Other audio is sent as such.
pub(crate) fn is_voice_note(parcel: &OutboundMessage, file: Option<&OutboundFile>, formats: &[&str]) -> bool {
    let is_wanted =
        parcel.kind == "audio" && parcel.content.as_ref().is_some_and(|content| content["voice"] == true);
    let essence =
        |file: &OutboundFile| file.mime_type.split(';').next().unwrap_or_default().trim().to_owned();
    is_wanted && file.map(essence).is_none_or(|mime_type| formats.contains(&mime_type.as_str()))
}

/// Returns true for a picture to be sent as a sticker.
pub(crate) fn is_sticker(parcel: &OutboundMessage) -> bool {
    matches!(parcel.kind.as_str(), "image" | "photo")
        && parcel.content.as_ref().is_some_and(|content| content["sticker"] == true)
}

/// Returns the contact card that is sent instead of a text.
pub(crate) fn contact_card(parcel: &OutboundMessage) -> Option<ContactToSend> {
    let content = parcel.content.as_ref().filter(|_| parcel.kind == "text")?;
    serde_json::from_value(content["contact"].clone()).ok()
}

/// Returns the switch of a text's link preview; `None` leaves the platform's own behaviour.
pub(crate) fn link_preview(parcel: &OutboundMessage) -> Option<bool> {
    parcel.content.as_ref()?["linkPreview"].as_bool()
}

/// Refuses a file that the platform's clients do not show as a sticker.
pub(crate) fn check_sticker(
    parcel: &OutboundMessage,
    file: Option<&OutboundFile>,
    platform: &account::Platform,
) -> Result<(), SendOutcome> {
    let Some(file) = file.filter(|_| is_sticker(parcel)) else { return Ok(()) };
    let size = u64::try_from(file.bytes.len()).unwrap_or(u64::MAX);
    let webp = WebpFacts::read(&file.bytes);
    match stickers::rejection_reason(Some(platform), &file.mime_type, size, webp) {
        None => Ok(()),
        Some(why) => Err(SendOutcome::refused(ErrorCode::ValidationError, why)),
    }
}

/// Media file that this service hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundFile {
    pub name: String,
    pub mime_type: String,
    pub bytes: Vec<u8>,
}

/// Later course of a simulated message; spans in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulatedDelivery {
    /// Unknown, as on every real platform.
    Sent,
    Failed {
        after: i64,
    },
    Delivered {
        after: i64,
    },
    Read {
        delivered_after: i64,
        read_after: i64,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendOutcome {
    /// The platform has accepted it.
    Taken {
        platform_id: String,
        fate: SimulatedDelivery,
        /// Recipient's number as the platform knows it, if it says so.
        reached: Option<String>,
    },
    Refused {
        code: ErrorCode,
        why: String,
        /// True if the platform would refuse every message.
        broken: bool,
    },
    /// Not sent; may be retried.
    Later {
        /// Pause before the retry, in microseconds.
        after: i64,
        why: String,
    },
    /// Not sent: the chat has another id now.
    Moved { to: String },
    /// Possibly sent; the platform has not answered.
    Unknown { why: String },
}

impl SendOutcome {
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Taken { .. } => "taken",
            Self::Refused { .. } => "refused",
            Self::Later { .. } => "later",
            Self::Moved { .. } => "moved",
            Self::Unknown { .. } => "unknown",
        }
    }
}

/// Failure of a request to a platform, with the pause before the next one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct PlatformError {
    /// Explanation with the remedy.
    pub why: String,
    /// In microseconds.
    pub pause: i64,
}

impl PlatformError {
    pub fn transient(why: impl Into<String>) -> Self {
        Self { why: why.into(), pause: 3 * SECOND }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFetchError {
    pub why: String,
    /// True if a retry is useless.
    pub is_final: bool,
}

impl FileFetchError {
    pub fn transient(why: impl Into<String>) -> Self {
        Self { why: why.into(), is_final: false }
    }

    pub fn permanent(why: impl Into<String>) -> Self {
        Self { why: why.into(), is_final: true }
    }
}

impl From<PlatformError> for FileFetchError {
    fn from(trouble: PlatformError) -> Self {
        Self::transient(trouble.why)
    }
}

/// Sends messages to a platform.
pub trait Transport: Send + Sync {
    /// Returns true if it answers without I/O.
    fn is_instant(&self) -> bool {
        false
    }

    /// Sends a message, with its file if this service hosts it. Called once per attempt.
    fn send_message<'a>(
        &'a self,
        parcel: &'a OutboundMessage,
        file: Option<&'a OutboundFile>,
    ) -> BoxFuture<'a, SendOutcome>;
}

#[derive(Debug, Clone, Copy)]
pub struct WebhookCall<'a> {
    pub query: &'a str,
    pub headers: &'a HeaderMap,
    pub body: &'a [u8],
}

/// Lane of updates about a whole channel. The channel's later updates wait for them, in every lane.
pub const CHANNEL_LANE: &str = "0";

/// Update from a platform, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboundUpdate {
    /// Platform's id of the update; repeated updates have the same.
    pub name: String,
    /// Chat within which updates are processed in order.
    pub lane: String,
    pub body: Vec<u8>,
}

#[derive(Debug, Clone, Default)]
pub struct PollResult {
    /// Oldest first.
    pub updates: Vec<InboundUpdate>,
    /// Mail from before the connection, newest first. Imported in the transaction that stores the mark.
    pub earlier_mails: Vec<ArrivedMail>,
    /// New reading position.
    pub mark: String,
}

/// Reference to a received file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArrivedMedia {
    /// Platform's id or URL of the file.
    pub reference: String,
    pub name: String,
    pub mime_type: Option<String>,
    /// In bytes.
    pub size: Option<i64>,
}

/// Returns the name of a file that its platform does not name: `usual`, with the ending of its media type.
pub(crate) fn default_file_name(usual: &str, mime_type: Option<&str>) -> String {
    let stem = usual.rsplit_once('.').map_or(usual, |(stem, _)| stem);
    let ending = mime_type.and_then(files::extension_of);
    ending.map_or_else(|| usual.to_owned(), |ending| format!("{stem}.{ending}"))
}

#[derive(Debug, Clone, Default)]
pub struct InboundMessage {
    /// Address to answer to: a number, a person's or group's id, or a chat id.
    pub from: String,
    /// Other platform ids of the same person.
    pub other_ids: Vec<String>,
    /// Author's name, in conversations with several customers.
    pub speaker: Option<String>,
    /// Send time by the platform's clock.
    pub sent_at: Option<Timestamp>,
    /// Customer's name, if the platform provides it.
    pub name: Option<String>,
    /// User name on Telegram.
    pub username: Option<String>,
    pub text: String,
    /// `text`, `image`, …
    pub kind: String,
    pub media_url: Option<String>,
    /// The ad that led to the message.
    pub referral: Option<Value>,
    /// `None` lets the simulated platform create one.
    pub platform_id: Option<String>,
    /// Id of the quoted message.
    pub reply_to: Option<String>,
    /// Media details, as a JSON object.
    pub details: Option<String>,
    /// True if the assistant does not answer it.
    pub needs_no_answer: bool,
    /// Why a person is needed at once.
    pub asks_for_person: Option<&'static str>,
    /// True if the platform reports it and the customer wrote nothing: it begins no service window.
    pub is_notice: bool,
    /// Choice of the customer about marketing messages: true allows them.
    pub allows_marketing: Option<bool>,
    /// Structured content and change history.
    pub extras: MessageExtras,
    /// Keyword the platform recognised, in any language. On Telegram, blocking or removing the bot is STOP,
    /// and unblocking or adding it is START.
    pub keyword: Option<Keyword>,
}

/// Returns a message's text, prefixed with its author in conversations with several customers.
pub fn with_speaker(speaker: Option<&str>, words: &str, kind: &str) -> String {
    match speaker {
        None => words.to_owned(),
        Some(speaker) if words.is_empty() => format!("{speaker}: [{kind}]"),
        Some(speaker) => format!("{speaker}: {words}"),
    }
}

#[derive(Debug, Clone, Default)]
pub struct ArrivedMessage {
    pub inbound: InboundMessage,
    pub media: Option<ArrivedMedia>,
    /// Platform's id of the message it answers.
    pub quoted: Option<String>,
}

/// Progress of a message, as its platform reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryStep {
    /// Accepted by the platform.
    Sent,
    Delivered,
    Read,
    Failed {
        code: ErrorCode,
        why: String,
        broken: bool,
    },
}

/// Platform's report about a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusReport {
    pub platform_id: String,
    /// The service's id of the message, if the platform knows it.
    pub own_id: Option<String>,
    pub step: DeliveryStep,
    /// Recipient's number as the platform knows it, if it says so.
    pub reached: Option<String>,
    /// Platform's own id of the recipient, if it says so.
    pub recipient_id: Option<String>,
    /// Content to match by, for messages from a platform's list, which lacks the service's ids.
    pub trace: Option<SentTrace>,
}

/// Recipient and text of a listed message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentTrace {
    pub to: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallReport {
    pub platform_id: String,
    /// The service's id of the call, if the platform knows it.
    pub own_id: Option<String>,
    pub to: String,
    pub status: &'static str,
    /// Length of the conversation in seconds, once the call has ended.
    pub seconds: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template {
    pub name: String,
    pub language: String,
    /// UTILITY, MARKETING or AUTHENTICATION.
    pub category: String,
    /// APPROVED, PENDING or REJECTED.
    pub status: String,
    /// JSON array: header, body, footer, buttons.
    pub components: String,
    /// Reason why it is not approved: a word of the platform, after which its own explanation may follow.
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateReport {
    pub name: String,
    pub language: String,
    pub status: String,
    pub reason: Option<String>,
}

/// State of a channel's account at the platform.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlatformDescription {
    /// Current settings of the channel, as JSON.
    pub settings: String,
    /// Templates of every status.
    pub templates: Vec<Template>,
}

/// Identity of a changed message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedMessage {
    pub peer: String,
    pub platform_id: String,
    /// Time of the change by the platform's clock.
    pub at: Option<Timestamp>,
    /// True if the business changed its own message outside this service.
    pub is_own: bool,
}

/// Message that a person sent outside this service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SentElsewhere {
    pub platform_id: String,
    /// Customer's address.
    pub to: String,
    /// Other platform ids of the same customer.
    pub other_ids: Vec<String>,
    /// Customer's name, if the platform provides it.
    pub name: Option<String>,
    /// Customer's user name on Telegram.
    pub username: Option<String>,
    pub text: String,
    /// `text`, `image`, …
    pub kind: &'static str,
    /// Send time by the platform's clock.
    pub sent_at: Option<Timestamp>,
    pub media: Option<ArrivedMedia>,
    /// URL of the stored file.
    pub media_url: Option<String>,
    /// Media details, as a JSON object.
    pub details: Option<String>,
    /// Form and structured content.
    pub extras: MessageExtras,
    /// True if it begins a conversation with a customer who has none; otherwise it is ignored.
    pub begins_conversation: bool,
}

/// Messages of one customer from before the channel was connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierThread {
    /// Customer's address; `None` if the platform does not say whose the messages are.
    pub peer: Option<String>,
    pub messages: Vec<EarlierMessage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EarlierMessage {
    pub platform_id: String,
    /// True if a person of the business sent it.
    pub is_own: bool,
    pub text: String,
    /// `text`, `image`, …
    pub kind: String,
    /// Send time by the platform's clock.
    pub sent_at: Timestamp,
    /// Platform's id of the message it answers.
    pub quoted: Option<String>,
    /// True if the platform has not given its file, which may follow.
    pub lacks_file: bool,
    pub media: Option<ArrivedMedia>,
    /// URL of the stored file.
    pub media_url: Option<String>,
    /// Media details, as a JSON object.
    pub details: Option<String>,
    /// Form and structured content.
    pub extras: MessageExtras,
}

#[derive(Debug, Clone)]
pub enum PlatformEvent {
    Message(Box<ArrivedMessage>),
    SentElsewhere(Box<SentElsewhere>),
    /// A thread with a file has this message only.
    Earlier(EarlierThread),
    /// A part of the earlier messages is complete.
    EarlierPart {
        /// True if no part follows.
        is_last: bool,
    },
    Edited {
        changed: ChangedMessage,
        message: Box<ArrivedMessage>,
    },
    Withdrawn(ChangedMessage),
    /// A group or topic was renamed.
    Renamed {
        peer: String,
        name: String,
    },
    /// The owner of a business connected or disconnected the bot, or changed its rights.
    BusinessConnection {
        /// Part of the addresses of its chats.
        id: String,
        /// Platform id of the owner; `None` if the bot was disconnected.
        owner: Option<String>,
        may_answer: bool,
    },
    /// The platform gave a person another id.
    IdChanged {
        from: String,
        to: String,
    },
    /// A chat has another address.
    Moved {
        from: String,
        to: String,
        /// True if the old address will never be reused.
        for_good: bool,
    },
    Status(StatusReport),
    Call(CallReport),
    /// The account's templates, rating or limit changed.
    AccountChanged,
    /// A template was approved, rejected, paused or disabled.
    TemplateReviewed(TemplateReport),
    /// Mail in the inbox or the folder of sent mail.
    Mail(Box<ArrivedMail>),
    /// Changed flags or folders of mail.
    Filed(MailFacts),
}

pub trait SecretStore: Send + Sync {
    fn read(&self) -> BoxFuture<'_, Result<MailboxSecrets, String>>;

    fn store(&self, secrets: MailboxSecrets) -> BoxFuture<'_, Result<(), String>>;
}

/// Receives messages from a platform.
pub trait PlatformSource: Send + Sync {
    /// Returns true if it is polled, because it sends no webhooks.
    fn needs_polling(&self) -> bool;

    /// Returns true if it is polled beside its webhooks, because it does not repeat a failed one.
    fn is_also_polled(&self) -> bool {
        false
    }

    /// Reads on from a position; waits a while if there is nothing new.
    fn poll_updates<'a>(&'a self, mark: &'a str) -> BoxFuture<'a, Result<PollResult, PlatformError>>;

    /// Registers the webhook URL; `None` unregisters it.
    fn subscribe<'a>(&'a self, url: Option<&'a str>) -> BoxFuture<'a, Result<(), PlatformError>>;

    /// Answers the handshake by which a platform verifies its webhook URL; `None` refuses it.
    fn answer_challenge(&self, _asked: &HashMap<String, String>) -> Option<String> {
        None
    }

    /// Names of this channel in the content of a webhook, see
    /// [`crate::names_in_call`].
    fn hook_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Verifies the signature of a webhook.
    fn is_genuine(&self, call: &WebhookCall<'_>) -> bool;

    /// Splits a webhook into the updates that are for this channel; empty if it is malformed.
    fn split_updates(&self, call: &WebhookCall<'_>) -> Vec<InboundUpdate>;

    /// Media type and body of the answer to a webhook, if the platform expects any.
    fn webhook_response(&self, _call: &WebhookCall<'_>) -> Option<(&'static str, Cow<'static, str>)> {
        None
    }

    fn parse_updates(&self, body: &[u8]) -> Vec<PlatformEvent>;

    /// Shows the recipient that an answer is being written, if the platform can. Returns for how long it is
    /// visible.
    fn show_typing<'a>(&'a self, _to: &'a str, _seen: &'a str) -> Option<BoxFuture<'a, Duration>> {
        None
    }

    /// Looks a chat up by its address; `Ok(None)` if the platform knows none. `None` if the platform has no
    /// such request.
    fn find_chat<'a>(&'a self, _address: &'a str) -> Option<FindChatFuture<'a>> {
        None
    }

    /// Asks for the connection to a business that an address names, as
    /// [`PlatformEvent::BusinessConnection`]; `Ok(None)` if the platform knows none. `None` if the address names
    /// no connection.
    fn find_connection<'a>(&'a self, _address: &'a str) -> Option<FindConnectionFuture<'a>> {
        None
    }

    fn fetch_media<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Vec<u8>, FileFetchError>>;

    /// Sets the store for secrets that the platform changes by itself.
    fn set_secret_store(&self, _store: Arc<dyn SecretStore>) {}

    /// Sender name of outgoing mail, if configured.
    fn display_name(&self) -> Option<String> {
        None
    }

    /// Other addresses of a mailbox, from which it may send.
    fn other_addresses(&self) -> Vec<String> {
        Vec::new()
    }

    fn may_send_as(&self, _address: &str) -> bool {
        false
    }

    fn answers_mail(&self) -> bool {
        false
    }

    /// Asks the platform for what the settings of an earlier version lack, and returns the settings to store as
    /// JSON; `None` if they are complete.
    fn complete_settings(&self) -> Option<BoxFuture<'_, Result<String, PlatformError>>> {
        None
    }

    /// Submits a template for review. `None` if the platform has no templates.
    fn request_review<'a>(&'a self, _template: &'a Template) -> Option<SubmissionFuture<'a>> {
        None
    }

    /// Requests the account's state; `None` if the platform has none.
    fn describe_account(&self) -> Option<BoxFuture<'_, Result<PlatformDescription, PlatformError>>> {
        None
    }
}

/// Platform adapter of a connected channel.
pub trait Platform: Transport + PlatformSource {}

impl<T: Transport + PlatformSource> Platform for T {}
