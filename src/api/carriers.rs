//! JSON that the service stores for channels on real platforms: outgoing messages and mail,
//! settings, secrets and cursors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::email::AttachmentBody;
use crate::team::PersonName;
use model::email::invitations::InvitationAnswer;

/// A message or reaction to be delivered to a platform.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OutboundMessage {
    pub id: String,
    /// Phone number or chat id.
    pub to: String,
    /// `text`, `image`, …; `reaction`.
    pub kind: String,
    /// Text or caption, with markup according to `mode`; the emoji of a reaction.
    pub text: String,
    /// Markup mode, as named by the API.
    pub mode: Option<String>,
    pub media_url: Option<String>,
    pub filename: Option<String>,
    /// Structured content: a filled template, buttons, a location.
    #[serde(default)]
    pub content: Option<Value>,
    /// Platform id of the quoted message or of the reaction's target.
    pub quoted: Option<String>,
    /// Platform id of the customer's message being answered; marks it as read.
    #[serde(default)]
    pub seen: Option<String>,
    /// Sequence number within the conversation.
    pub number: i64,
    /// True for a test key: skips checks that only the platform would make.
    pub test: bool,
}

/// Author of a draft: `sender` of a [`MessageDraft`], `author` of a [`MailDraft`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct DraftAuthor {
    pub sender: String,
    pub author: String,
}

/// A message as stored until the platform has accepted or refused it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageDraft {
    /// `api`, `ai` or `agent`.
    pub sender: String,
    pub content: String,
    /// `text`, `image`, …
    pub kind: String,
    pub media_url: Option<String>,
    /// JSON object with the structured content.
    pub details: Option<String>,
    /// Id of the quoted message or of the reaction's target.
    pub reply_to: Option<String>,
    pub cost: i64,
    /// Idempotency key of the request.
    pub key: Option<String>,
    #[serde(default)]
    pub broadcast: Option<String>,
    /// Person who sends it with a key of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<PersonName>,
}

/// A file of an inbound message that the platform has not delivered yet.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PendingFile {
    /// Id the file will have.
    pub id: String,
    /// URL under which the file will be served.
    pub address: String,
    /// Platform id or URL of the file.
    pub reference: String,
    pub name: String,
    pub mime_type: Option<String>,
    /// In bytes.
    pub size: Option<i64>,
    pub why: String,
    /// True if the platform will never give it.
    pub is_final: bool,
    /// True for a file of a mail, which stays in the mailbox until somebody opens it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_mail: bool,
    /// Id of the message; empty until the message is stored.
    pub message: String,
    /// Caption written by the customer.
    pub words: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotSettings {
    pub api: String,
    pub bot: i64,
    /// User name with `@`.
    pub name: String,
    /// True if updates arrive by webhook.
    pub webhook: bool,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct BotSecrets {
    pub token: String,
    /// Secret token that the platform sends with each webhook request.
    pub hook: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NumberSettings {
    pub api: String,
    /// Platform id of the number.
    pub number: String,
    /// Platform id of the account.
    pub account: String,
    /// Always true: updates arrive by webhook.
    pub webhook: bool,
    /// Quality rating as named by the platform.
    pub quality: Option<String>,
    /// Messaging limit as named by the platform: new customers per day.
    pub tier: Option<String>,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct NumberSecrets {
    pub token: String,
    pub app_secret: String,
    /// Verify token of the platform's webhook handshake.
    pub verify: String,
}

/// Everything needed to build the bytes of an outgoing mail deterministically and to store the mail
/// once a server has accepted it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MailDraft {
    pub id: String,
    pub thread: String,
    pub begins_thread: bool,
    /// The `Message-ID` header.
    pub header_id: String,
    /// Time of writing, in microseconds.
    pub at: i64,
    pub sender: String,
    pub sender_name: Option<String>,
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub bcc: Vec<String>,
    pub subject: String,
    pub text: Option<String>,
    pub html: Option<String>,
    /// Additional headers, such as Reply-To.
    pub headers: Map<String, Value>,
    pub in_reply_to: Option<String>,
    /// Earlier mails of the thread, oldest first.
    pub references: Vec<String>,
    /// References to the attachments; the bytes are stored under their URLs.
    pub attachments: Vec<AttachmentBody>,
    pub cost: i64,
    pub key: Option<String>,
    /// `api` or `ai`.
    pub author: String,
    /// Person who sends it with a key of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<PersonName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invitation: Option<InvitationReply>,
}

/// Answer to a calendar invitation, as part of a [`MailDraft`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvitationReply {
    pub answer: InvitationAnswer,
    /// Key of the answered event, see [`CalendarEvent::key`].
    pub event: String,
    /// The calendar part of the mail (RFC 5546, method REPLY), whole.
    pub calendar: String,
}

/// Answer to an invitation, as stored with the mail that gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenAnswer {
    pub answer: InvitationAnswer,
    /// Key of the answered event, see [`CalendarEvent::key`].
    pub event: String,
}

/// Purpose of a calendar in a mail (RFC 5546).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CalendarMethod {
    #[default]
    Request,
    Cancel,
    Reply,
}

/// Organizer or guest of an event.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CalendarPerson {
    pub address: String,
    /// The unfolded line of the calendar.
    pub line: String,
}

/// Event of a calendar in a mail, as stored with the mail: what is shown of it, and the lines that
/// an answer repeats.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CalendarEvent {
    pub method: CalendarMethod,
    pub uid: String,
    pub sequence: i64,
    /// Unfolded `RECURRENCE-ID` line, if only one event of a series is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<String>,
    pub summary: String,
    /// Time in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Latest end of the event or of its series, in microseconds; `None` if endless or unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub organizer: Option<CalendarPerson>,
    /// The guest that is the mailbox; in a reply, its author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guest: Option<CalendarPerson>,
    /// Addresses of the first guests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guests: Vec<String>,
    /// Answer of `guest` in a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<InvitationAnswer>,
    /// Unfolded lines for the answer: time and title.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// Unfolded lines of the time zones that the lines above name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<String>,
}

impl CalendarEvent {
    /// Returns the key of the event: calendar id and, within a series, the time of the event.
    pub fn key(&self) -> String {
        let value = |line: &String| line.rsplit(':').next().unwrap_or_default().trim().to_owned();
        let recurrence = self.recurrence.as_ref().map(value).unwrap_or_default();
        format!("{} {recurrence}", self.uid)
    }

    /// Returns the key of the whole series, or of an event that is in none.
    pub fn series_key(&self) -> String {
        format!("{} ", self.uid)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MailEnvelope {
    pub from: String,
    /// All recipients, without duplicates.
    pub to: Vec<String>,
    /// `Message-ID` header.
    pub header_id: String,
    /// `Message-ID` of the mail it answers.
    pub answers: Option<String>,
}

/// Change to mails in the mailbox; absent fields stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MailFiling {
    /// `Message-ID`s, newest first.
    pub mails: Vec<String>,
    /// `true` marks all as read, `false` marks the newest as unread.
    pub seen: Option<bool>,
    /// `true` flags the newest, `false` removes all flags.
    pub flagged: Option<bool>,
    pub folder: Option<String>,
    /// Folder before the change.
    #[serde(default)]
    pub lay: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MailboxSettings {
    pub address: String,
    /// Other addresses whose mail reaches the mailbox and which it may send from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// True if the server accepts mail from these addresses with a `+` tag; `None` until it was asked.
    #[serde(default)]
    pub sends_tagged: Option<bool>,
    /// Display name of outgoing mail.
    pub name: Option<String>,
    /// `imaps://USER@HOST:PORT`.
    pub imap: String,
    /// `smtps://USER@HOST:PORT`.
    pub smtp: String,
    /// Source of access tokens; `None` if passwords are used.
    pub oauth: Option<OauthSettings>,
    /// True if the assistant answers mail without approval.
    pub auto_reply: bool,
    /// Folders that are read besides the inbox and the sent mail, under the server's names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
}

impl MailboxSettings {
    /// Addresses of the mailbox, the main one first.
    pub fn own_addresses(&self) -> Vec<String> {
        std::iter::once(&self.address).chain(&self.aliases).cloned().collect()
    }

    /// Returns true for an address from which the login may send: one of the mailbox's own, also with a
    /// `+` tag if the server accepts these.
    pub fn may_send_as(&self, address: &str) -> bool {
        let same = |text: &str| self.own_addresses().iter().any(|own| own.eq_ignore_ascii_case(text));
        let untagged = address.rsplit_once('@').and_then(|(local, domain)| {
            let (name, _) = local.split_once('+')?;
            Some(format!("{name}@{domain}"))
        });
        same(address) || (self.sends_tagged == Some(true) && untagged.is_some_and(|untagged| same(&untagged)))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OauthSettings {
    pub token_url: String,
    pub client_id: String,
}

#[derive(Clone, Default, Serialize, Deserialize)]
pub struct MailboxSecrets {
    /// Password for reading, or the refresh token with OAuth.
    pub reading: String,
    /// Password for sending, or the client secret with OAuth.
    pub sending: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MailboxCursor {
    /// Time of connecting, in seconds; older mail is ignored unless `earlier` says otherwise.
    pub since: i64,
    /// Unique for each time the mailbox is connected.
    pub name: String,
    /// UID validity and next UID.
    pub inbox: (u32, u32),
    pub sent: (u32, u32),
    /// Number of flag reports so far.
    pub told: u64,
    /// Import of mail from before the connection; `None` if that mail is ignored.
    #[serde(default)]
    pub earlier: Option<EarlierMail>,
    /// Positions in the further folders that are read, by the server's names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub folders: BTreeMap<String, FolderMark>,
}

/// Position up to which a further folder was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FolderMark {
    /// UID validity and next UID.
    pub place: (u32, u32),
    /// Time at which the folder was chosen, in seconds since the Unix epoch.
    pub chosen: i64,
    /// Arrival time of the oldest mail that counts as new, in seconds since the Unix epoch.
    pub since: i64,
}

impl MailboxCursor {
    /// Arrival time of the oldest mail to be read, in seconds since the Unix epoch.
    pub fn counts_from(&self) -> i64 {
        self.earlier.as_ref().map_or(self.since, |earlier| earlier.since.min(self.since))
    }

    pub fn is_importing(&self) -> bool {
        self.earlier.as_ref().is_some_and(|earlier| !earlier.is_finished)
    }
}

/// Progress of the import of mail from before the connection, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EarlierMail {
    /// Older mail is ignored; in seconds since the Unix epoch.
    pub since: i64,
    /// UID validity and UID of the first new mail of the inbox.
    pub inbox: (u32, u32),
    /// UID validity and UID of the first new mail of the folder of sent mail.
    pub sent: (u32, u32),
    /// First new mail of each further folder to import, by the server's names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub folders: BTreeMap<String, FolderMark>,
    /// True if only the further folders are left to import.
    #[serde(default)]
    pub is_main_filed: bool,
    /// Oldest imported mail; `None` at the beginning.
    pub place: Option<EarlierPlace>,
    pub filed: u64,
    /// Mails to import, including those already filed; 0 until counted.
    pub total: u64,
    pub is_finished: bool,
}

impl EarlierMail {
    /// Creates an import that has not begun, of mail from `since` (in seconds since the Unix epoch)
    /// up to the first new mails.
    pub fn plan(since: i64, inbox: (u32, u32), sent: (u32, u32)) -> Self {
        Self { since, inbox, sent, ..Self::default() }
    }
}

/// Position of a mail in the import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierPlace {
    /// Arrival time in the mailbox, in seconds since the Unix epoch.
    pub at: i64,
    pub folder: MailUpdateKind,
    /// The server's name of a further folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub validity: u32,
    pub uid: u32,
}

impl EarlierPlace {
    /// Sort key of the import, the latest first; of the same second, an inbox mail precedes one of a further
    /// folder, and that precedes a sent mail.
    pub fn rank(&self) -> (i64, u8, Option<&str>, u32) {
        let folder = match self.folder {
            MailUpdateKind::Inbox => 2,
            MailUpdateKind::Folder => 1,
            MailUpdateKind::Sent | MailUpdateKind::Flags => 0,
        };
        (self.at, folder, self.name.as_deref(), self.uid)
    }

    /// True if a mail at this place is not imported yet once the mails up to `filed` are. After a
    /// change of the UID validity only the time is compared, so that a mail is imported twice
    /// rather than missed.
    pub fn is_pending_after(&self, filed: &Self) -> bool {
        let is_same_folder = self.folder == filed.folder && self.name == filed.name;
        let is_renumbered = is_same_folder && self.validity != filed.validity;
        if is_renumbered { self.at <= filed.at } else { self.rank() < filed.rank() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailUpdateKind {
    Inbox,
    Sent,
    /// A further folder that is read.
    Folder,
    /// Changed flags of mails in the folders that are read.
    Flags,
}

impl MailUpdateKind {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Sent => "sent",
            Self::Folder => "folder",
            Self::Flags => "flags",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailFact {
    /// `Message-ID` header.
    pub id: String,
    pub seen: bool,
    pub flagged: bool,
}

/// Changes of the flags of the inbox and of the further folders that are read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MailFacts {
    /// Mails whose flags changed.
    pub mails: Vec<MailFact>,
    /// `Message-ID`s of mails that left these folders.
    pub gone: Vec<String>,
    /// UID validity and UID of the inbox from which on `mails` is complete: a mail that is not listed has left
    /// these folders. `None` if `mails` is partial.
    pub no_others_from: Option<(u32, u32)>,
}

/// File of a mail that stays in the mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LeftPart {
    /// Section of the mail, as IMAP names it.
    pub section: String,
    /// Media type in lower case.
    pub kind: String,
    /// Encoded size, in bytes.
    pub octets: u64,
    /// Transfer encoding in lower case.
    pub encoding: String,
}

/// Place of a file that stays in the mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailPartReference {
    pub kind: MailUpdateKind,
    /// The server's name of a further folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    pub validity: u32,
    pub uid: u32,
    /// `Message-ID` header, by which a moved mail is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header_id: Option<String>,
    pub section: String,
    pub octets: u64,
    pub encoding: String,
}

/// Header of a mailbox update; the bytes of the mail follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailUpdateHeader {
    pub kind: MailUpdateKind,
    pub uid: u32,
    /// UID validity of the folder.
    pub validity: u32,
    /// The server's name of a further folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// True if only the beginning of the mail was fetched.
    pub cut: bool,
    /// Files of the mail that stay in the mailbox.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftPart>,
    /// Arrival time at the server, in seconds since the Unix epoch.
    #[serde(default)]
    pub arrived_at: Option<i64>,
    pub facts: Option<MailFacts>,
}

impl MailUpdateHeader {
    pub const fn new(kind: MailUpdateKind) -> Self {
        Self {
            kind,
            uid: 0,
            validity: 0,
            folder: None,
            cut: false,
            left: Vec::new(),
            arrived_at: None,
            facts: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PhoneSettings {
    pub api: String,
    pub account: String,
    pub number: String,
    /// Messaging service that sends the texts instead of the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messaging_service: Option<String>,
    pub webhook: bool,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct PhoneSecrets {
    /// Auth token; also the key of the signatures of the platform's webhook requests.
    pub token: String,
}
