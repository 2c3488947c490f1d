//! What a service keeps as JSON of its channels on real platforms: what is on
//! its way, and what each is connected to.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::email::AttachmentBody;

/// A message or reaction on its way to a platform.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OutboundMessage {
    pub id: String,
    /// A phone number or chat id.
    pub to: String,
    /// `text`, `image`, …; `reaction`.
    pub kind: String,
    /// The text or caption, marked up where `mode` says so; the emoji.
    pub text: String,
    /// How the text is marked up, in the interface's word.
    pub mode: Option<String>,
    pub media_url: Option<String>,
    /// What its media is called.
    pub filename: Option<String>,
    /// What else the platform is given: a filled template, buttons, a place.
    #[serde(default)]
    pub content: Option<Value>,
    /// The platform's id of the message it quotes or reacts to.
    pub quoted: Option<String>,
    /// The platform's id of the customer's message that it answers: it has been
    /// read.
    #[serde(default)]
    pub seen: Option<String>,
    /// The number of the message within its conversation.
    pub number: i64,
    /// A test key asks: what only a platform would refuse is not refused.
    pub test: bool,
}

/// Who has written what a draft is of: a [`MessageDraft`] names its sender, a
/// [`MailDraft`] its author.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct DraftAuthor {
    pub sender: String,
    pub author: String,
}

/// What is kept of a message until its platform has spoken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageDraft {
    /// `api`, `ai` or `agent`.
    pub sender: String,
    pub content: String,
    /// `text`, `image`, …
    pub kind: String,
    pub media_url: Option<String>,
    /// A JSON object: what else the platform is given.
    pub details: Option<String>,
    /// The id of the quoted message, or of the one a reaction is for.
    pub reply_to: Option<String>,
    pub cost: i64,
    /// The idempotency key it came under.
    pub key: Option<String>,
    #[serde(default)]
    pub broadcast: Option<String>,
}

/// A file of a message that came in which the platform has not given yet.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PendingFile {
    /// Of the file, once it is there.
    pub id: String,
    /// Address at which the file will be, and is asked for again.
    pub address: String,
    /// The platform's id or address of the file.
    pub reference: String,
    pub name: String,
    pub mime_type: Option<String>,
    /// In bytes.
    pub size: Option<i64>,
    /// Reason for which it is not there.
    pub why: String,
    /// True if the platform will never give it.
    pub is_final: bool,
    /// The message it belongs to; empty until that is kept.
    pub message: String,
    /// The customer's words beside it.
    pub words: String,
}

/// What is kept of a bot, beside its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotSettings {
    pub api: String,
    pub bot: i64,
    /// Its name, with its @.
    pub name: String,
    /// Whether the platform calls the service.
    pub webhook: bool,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct BotSecrets {
    pub token: String,
    /// What the platform says in each call.
    pub hook: String,
}

/// What is kept of a business chat number, beside its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NumberSettings {
    pub api: String,
    /// The platform's id of the number.
    pub number: String,
    /// The platform's id of the account.
    pub account: String,
    /// Always: the platform calls the service.
    pub webhook: bool,
    /// How customers rate the number, in the platform's word.
    pub quality: Option<String>,
    /// How many customers a day it may write to first, in the platform's word.
    pub tier: Option<String>,
}

/// The secrets of a business chat number.
#[derive(Clone, Serialize, Deserialize)]
pub struct NumberSecrets {
    /// Lets the service act for the number.
    pub token: String,
    pub app_secret: String,
    /// What the platform says when it asks whether it may call.
    pub verify: String,
}

/// A mail on its way: all that its bytes are made from, the same each time, and
/// what is kept of it once a server has it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MailDraft {
    pub id: String,
    pub thread: String,
    pub begins_thread: bool,
    /// The `Message-ID` header.
    pub header_id: String,
    /// When it was written, in microseconds.
    pub at: i64,
    pub sender: String,
    pub sender_name: Option<String>,
    pub to: Vec<String>,
    pub cc: Vec<String>,
    /// Copies the others do not see.
    pub bcc: Vec<String>,
    pub subject: String,
    pub text: Option<String>,
    /// The HTML.
    pub html: Option<String>,
    /// More headers, Reply-To among them.
    pub headers: Map<String, Value>,
    pub in_reply_to: Option<String>,
    /// The mails before it in its thread, oldest first.
    pub references: Vec<String>,
    /// What is attached; the bytes lie where each says.
    pub attachments: Vec<AttachmentBody>,
    pub cost: i64,
    /// The idempotency key it came under.
    pub key: Option<String>,
    /// `api` or `ai`.
    pub author: String,
}

/// The recipients of a mail, and the mail it answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MailEnvelope {
    pub from: String,
    /// All who get it, each once.
    pub to: Vec<String>,
    /// Its own `Message-ID`.
    pub header_id: String,
    /// The `Message-ID` of the mail it answers.
    pub answers: Option<String>,
}

/// What is to be changed of mails in the mailbox; what is absent stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MailFiling {
    /// Their `Message-ID`s, newest first.
    pub mails: Vec<String>,
    /// Read, or the newest of them unread.
    pub seen: Option<bool>,
    /// The newest marked, or none.
    pub flagged: Option<bool>,
    pub folder: Option<String>,
    /// The one they lay in before.
    #[serde(default)]
    pub lay: Option<String>,
}

/// What is kept of a mailbox, beside its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MailboxSettings {
    pub address: String,
    /// What mails from it are signed with.
    pub name: Option<String>,
    /// Where it is read: `imaps://USER@HOST:PORT`.
    pub imap: String,
    /// Where mail leaves: `smtps://USER@HOST:PORT`.
    pub smtp: String,
    /// Where access tokens come from, instead of passwords.
    pub oauth: Option<OauthSettings>,
    /// Whether the assistant answers mail by itself.
    pub auto_reply: bool,
}

/// Where access tokens come from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OauthSettings {
    pub token_url: String,
    /// What the provider calls this service.
    pub client_id: String,
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct MailboxSecrets {
    /// The password for reading; the refresh token where the provider gives
    /// access tokens.
    pub reading: String,
    /// The password for sending; the client's secret there.
    pub sending: String,
}

/// How far a mailbox was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MailboxCursor {
    /// When it was connected, in seconds: older mail stays where it is.
    pub since: i64,
    /// Another one each time it is connected.
    pub name: String,
    /// The inbox: what its numbers count under, and the next of them.
    pub inbox: (u32, u32),
    pub sent: (u32, u32),
    /// How often the flags were told.
    pub told: u64,
    /// Mail from before it was connected; `None` if that stays where it is.
    #[serde(default)]
    pub earlier: Option<EarlierMail>,
}

impl MailboxCursor {
    /// Arrival time from which mail counts, in seconds of the epoch.
    pub fn counts_from(&self) -> i64 {
        self.earlier.as_ref().map_or(self.since, |earlier| earlier.since.min(self.since))
    }

    /// True while mail from before it was connected is being filed.
    pub fn is_importing(&self) -> bool {
        self.earlier.as_ref().is_some_and(|earlier| !earlier.is_finished)
    }
}

/// How far mail from before a mailbox was connected is filed: newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EarlierMail {
    /// Older mail stays where it is, in seconds of the epoch.
    pub since: i64,
    /// Validity and number of the first mail of the inbox that is new.
    pub inbox: (u32, u32),
    /// Validity and number of the first mail in the folder of sent mail that
    /// is new.
    pub sent: (u32, u32),
    /// The oldest mail that is filed, `None` at the beginning.
    pub place: Option<EarlierPlace>,
    /// Mails that are filed.
    pub filed: u64,
    /// Mails to file, those that are filed among them; 0 until they are counted.
    pub total: u64,
    pub is_finished: bool,
}

impl EarlierMail {
    /// Nothing is filed yet of the mail from a time on, in seconds of the
    /// epoch, and before the first mails that are new.
    pub fn plan(since: i64, inbox: (u32, u32), sent: (u32, u32)) -> Self {
        Self { since, inbox, sent, ..Self::default() }
    }
}

/// Place of a mail in the order of filing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierPlace {
    /// Arrival in the mailbox, in seconds of the epoch.
    pub at: i64,
    pub folder: MailUpdateKind,
    pub validity: u32,
    pub uid: u32,
}

impl EarlierPlace {
    /// Order of filing, the latest first; mails of the inbox stand before
    /// those sent in the same second.
    pub fn rank(&self) -> (i64, bool, u32) {
        (self.at, self.folder == MailUpdateKind::Inbox, self.uid)
    }

    /// True if a mail at this place is left once the mails up to `filed` are
    /// filed. A mail that may be filed is left: numbers of another validity say
    /// nothing.
    pub fn is_pending_after(&self, filed: &Self) -> bool {
        let is_renumbered = self.folder == filed.folder && self.validity != filed.validity;
        if is_renumbered { self.at <= filed.at } else { self.rank() < filed.rank() }
    }
}

/// What a piece of a mailbox is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailUpdateKind {
    Inbox,
    /// A mail among those that were sent.
    Sent,
    /// What has changed of mails in the inbox.
    Flags,
}

impl MailUpdateKind {
    /// Its word in a name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Sent => "sent",
            Self::Flags => "flags",
        }
    }
}

/// How a mail stands in the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailFact {
    /// Its `Message-ID`.
    pub id: String,
    pub seen: bool,
    pub flagged: bool,
}

/// How mails stand in the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MailFacts {
    /// Those of which something is new.
    pub mails: Vec<MailFact>,
    /// The `Message-ID`s of those that are there no more.
    pub gone: Vec<String>,
    /// From which number on no others are there, behind what it counts under;
    /// none where there may be others anywhere.
    pub no_others_from: Option<(u32, u32)>,
}

/// What a piece of a mailbox begins with; the mail comes behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailUpdateHeader {
    pub kind: MailUpdateKind,
    /// The number of the mail in its folder.
    pub uid: u32,
    /// What the number counts under.
    pub validity: u32,
    /// Whether only its beginning was fetched.
    pub cut: bool,
    /// Time at which the server took the mail in, in seconds of the epoch.
    #[serde(default)]
    pub arrived_at: Option<i64>,
    pub facts: Option<MailFacts>,
}

impl MailUpdateHeader {
    /// Of a kind, with nothing more.
    pub const fn new(kind: MailUpdateKind) -> Self {
        Self { kind, uid: 0, validity: 0, cut: false, arrived_at: None, facts: None }
    }
}

/// What is kept of a phone number for texts and calls, beside its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PhoneSettings {
    pub api: String,
    /// The platform's id of the account.
    pub account: String,
    /// The number, in E.164.
    pub number: String,
    /// Always: the platform calls the service.
    pub webhook: bool,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct PhoneSecrets {
    /// Lets the service act for the account, and signs the platform's calls.
    pub token: String,
}
