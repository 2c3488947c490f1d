//! Carriers: who takes a channel's messages to people and brings theirs.
//!
//! What a carrier is asked outside takes its time, so it is never asked inside
//! a transaction: a message is kept with the request that carries it, claimed,
//! carried, and settled. What comes in is kept as it came, and then worked on.
//! The simulated carriers answer at once, and are asked at once.
//!
//! | file | what |
//! |---|---|
//! | `egress.rs` | what leaves: in order within a conversation, each attempt claimed first |
//! | `settle.rs` | what becomes of what left, of its message and its price |
//! | `report.rs` | what a platform reports later about a message |
//! | `calls.rs` | calls: placed once and not late, and what a platform reports of them |
//! | `changes.rs` | messages that were edited, withdrawn, or reacted with |
//! | `elsewhere.rs` | messages that a person has sent past this service |
//! | `waiting.rs` | how long a request waits for the platform's answer |
//! | `ingress.rs` | what came in and what is made of it |
//! | `files.rs` | files of messages that came in, also those that come later |
//! | `secrets.rs` | secrets that a platform changes by itself |
//! | `watch.rs` | which channels are connected, and reading those that call nobody |
//! | `account.rs` | templates and quality, kept in step with the platform |
//! | `dashboard/` | connecting, testing and disconnecting |

mod account;
mod calls;
pub mod changes;
pub mod dashboard;
pub mod egress;
mod elsewhere;
pub mod files;
pub mod ingress;
mod report;
mod secrets;
pub mod settle;
mod waiting;
pub mod watch;

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use tokio::sync::Notify;

use crate::chat::receive::Inbound;
use crate::database::templates::Template;
use model::time::SECOND;
use wire::errors::ErrorCode;

pub use crate::mail::arriving::{ArrivedMail, MailReturn};
pub use crate::mail::earlier::EarlierArrival;
pub use changes::ChangedMessage;
pub use elsewhere::SentElsewhere;
pub use secrets::SecretStore;
pub use waiting::answered;
pub use wire::carriers::{MailFacts, Parcel};

/// Something a carrier does that takes its time.
pub type Carrying<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The kind of a parcel that is a reaction.
pub const REACTION: &str = "reaction";

/// A chat as its platform knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundChat {
    /// Address of an answer.
    pub address: String,
    pub name: Option<String>,
    pub username: Option<String>,
}

/// The answer to which chat lies at an address.
pub type FindingChat<'a> = Carrying<'a, Result<Option<FoundChat>, PlatformTrouble>>;

/// The bytes of media that lie here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParcelFile {
    pub name: String,
    pub mime_type: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What becomes of a message after it was taken, where the carrier knows it
/// beforehand; spans in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Nothing more is known.
    Sent,
    /// It does not arrive.
    Failed { after: i64 },
    /// It arrives and is not read.
    Delivered { after: i64 },
    /// It arrives and is read.
    Read { delivered_after: i64, read_after: i64 },
}

/// What a platform makes of a parcel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CarryOutcome {
    /// The platform has it.
    Taken {
        platform_id: String,
        /// What will become of it.
        fate: Fate,
        /// The recipient's number as the platform knows it, where it tells.
        reached: Option<String>,
    },
    /// The platform does not want it.
    Refused {
        code: ErrorCode,
        why: String,
        /// Whether it would refuse everything.
        broken: bool,
    },
    /// It has not left, and may leave later.
    Later {
        /// The pause the platform asks for, in microseconds.
        after: i64,
        why: String,
    },
    /// The chat has another id by now; it has not left.
    Moved { to: String },
    /// It may have left, and nobody said what became of it.
    Unknown { why: String },
}

impl CarryOutcome {
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

/// Why a platform could not be asked, and after which pause it may be again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct PlatformTrouble {
    /// In words, with what to do.
    pub why: String,
    /// In microseconds.
    pub pause: i64,
}

impl PlatformTrouble {
    pub fn passing(why: impl Into<String>) -> Self {
        Self { why: why.into(), pause: 3 * SECOND }
    }
}

/// Reason for which a platform did not give a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTrouble {
    /// In words.
    pub why: String,
    /// True if the platform will never give it.
    pub is_final: bool,
}

impl FileTrouble {
    pub fn passing(why: impl Into<String>) -> Self {
        Self { why: why.into(), is_final: false }
    }

    pub fn last(why: impl Into<String>) -> Self {
        Self { why: why.into(), is_final: true }
    }
}

impl From<PlatformTrouble> for FileTrouble {
    fn from(trouble: PlatformTrouble) -> Self {
        Self::passing(trouble.why)
    }
}

/// Takes messages to a platform.
pub trait Carrier: Send + Sync {
    /// Whether it answers without waiting for anybody.
    fn is_instant(&self) -> bool {
        false
    }

    /// Carries a parcel, with its file where that lies here. Whatever happens,
    /// it is asked once for each attempt.
    fn carry<'a>(&'a self, parcel: &'a Parcel, file: Option<&'a ParcelFile>) -> Carrying<'a, CarryOutcome>;
}

/// A call of a platform's.
#[derive(Debug, Clone, Copy)]
pub struct HookCall<'a> {
    /// The query of the address that was called.
    pub query: &'a str,
    pub headers: &'a HeaderMap,
    /// Its body, as it came.
    pub body: &'a [u8],
}

/// One piece of what a platform tells, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookPiece {
    /// The platform's id of it.
    pub name: String,
    /// What it is worked on in order with: a chat.
    pub lane: String,
    pub body: Vec<u8>,
}

/// What was read of a platform.
#[derive(Debug, Clone, Default)]
pub struct Polled {
    /// The pieces, oldest first.
    pub pieces: Vec<HookPiece>,
    /// Mail from before the mailbox was connected, newest first. It is filed in
    /// the transaction that keeps the mark.
    pub earlier: Vec<ArrivedMail>,
    /// How far it was read now.
    pub mark: String,
}

/// A file that came in with a message, as the platform tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ArrivedMedia {
    /// The platform's id or address of the file.
    pub reference: String,
    pub name: String,
    pub mime_type: Option<String>,
    /// In bytes.
    pub size: Option<i64>,
}

/// A message that came in.
#[derive(Debug, Clone, Default)]
pub struct ArrivedMessage {
    pub inbound: Inbound,
    pub media: Option<ArrivedMedia>,
    /// Its file, where that could not be had.
    pub missing: Option<files::MissingFile>,
    /// The platform's id of the message it answers.
    pub quoted: Option<String>,
}

/// How far a message got, as its platform reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageStep {
    /// The platform has it.
    Sent,
    /// It reached the device.
    Delivered,
    Read,
    /// It does not arrive.
    Failed {
        code: ErrorCode,
        why: String,
        broken: bool,
    },
}

/// What a platform reports about a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusReport {
    /// The platform's id of the message.
    pub platform_id: String,
    /// The service's id, where the platform was given it.
    pub own_id: Option<String>,
    pub step: MessageStep,
    /// The recipient's number as the platform knows it, where it tells.
    pub reached: Option<String>,
    /// The platform's own id of the recipient, where it tells.
    pub recipient_id: Option<String>,
    /// What the message is known by where the platform was listed, which tells no
    /// id of the service's.
    pub trace: Option<SentTrace>,
}

/// What a listed message is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentTrace {
    pub to: String,
    pub text: String,
}

/// What a platform reports about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallReport {
    pub platform_id: String,
    /// The service's id, where the platform was given it.
    pub own_id: Option<String>,
    pub to: String,
    pub status: &'static str,
    /// How many seconds were spoken, once it has ended.
    pub seconds: i64,
}

/// What a platform keeps of the account of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlatformDescription {
    /// JSON: the settings of the channel, as they are now.
    pub settings: String,
    /// All templates, approved or not.
    pub templates: Vec<Template>,
}

/// What a platform tells.
#[derive(Debug, Clone)]
pub enum PlatformEvent {
    /// Somebody wrote.
    Message(Box<ArrivedMessage>),
    /// A person has sent a message past this service.
    SentElsewhere(SentElsewhere),
    /// A message says something else now.
    Edited { changed: ChangedMessage, message: Box<ArrivedMessage> },
    /// The author took a message back.
    Withdrawn(ChangedMessage),
    /// A group or topic has another name.
    Renamed { peer: String, name: String },
    /// The platform calls somebody by another id of its own.
    IdChanged { from: String, to: String },
    /// A chat has another id.
    Moved {
        from: String,
        to: String,
        /// Nobody else will ever have the old one.
        for_good: bool,
    },
    /// A message got further, or failed.
    Status(StatusReport),
    /// A call got further, or has ended.
    Call(CallReport),
    /// What the platform keeps of the account has changed.
    AccountChanged,
    /// A mail came in, or was sent from the mailbox.
    Mail(Box<ArrivedMail>),
    /// Mails were read, marked or moved in the mailbox.
    Filed(MailFacts),
}

/// Brings what people write on a platform.
pub trait PlatformSource: Send + Sync {
    /// Whether it has to be read, because it calls nobody.
    fn is_read(&self) -> bool;

    /// Whether it is read beside its calls, because it does not repeat one that
    /// was not taken.
    fn is_also_read(&self) -> bool {
        false
    }

    /// Reads on from a mark; waits a while where there is nothing new.
    fn read<'a>(&'a self, mark: &'a str) -> Carrying<'a, Result<Polled, PlatformTrouble>>;

    /// Tells the platform where to call; or that it need not.
    fn subscribe<'a>(&'a self, url: Option<&'a str>) -> Carrying<'a, Result<(), PlatformTrouble>>;

    /// What to answer a platform that asks whether it may call here, by the
    /// query it asks with; nothing where it may not.
    fn challenge(&self, _asked: &HashMap<String, String>) -> Option<String> {
        None
    }

    /// Whether a call came from the platform.
    fn is_genuine(&self, call: &HookCall<'_>) -> bool;

    /// The pieces of a call; none that could not be read.
    fn split(&self, call: &HookCall<'_>) -> Vec<HookPiece>;

    /// The media type and body that a call is answered with, where the platform
    /// wants any.
    fn receipt(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// What a piece says.
    fn understand(&self, body: &[u8]) -> Vec<PlatformEvent>;

    /// Shows somebody that an answer to a message is being written, where the
    /// platform can; how long that is seen.
    fn show_typing<'a>(&'a self, _to: &'a str, _seen: &'a str) -> Option<Carrying<'a, Duration>> {
        None
    }

    /// Asks the platform for the chat at an address; `Ok(None)` where it knows none.
    /// `None` where the platform cannot be asked.
    fn find_chat<'a>(&'a self, _address: &'a str) -> Option<FindingChat<'a>> {
        None
    }

    /// The bytes of media that came in.
    fn fetch<'a>(&'a self, reference: &'a str) -> Carrying<'a, Result<Vec<u8>, FileTrouble>>;

    /// Has secrets that a platform changes by itself kept there from now on.
    fn keep_secrets_in(&self, _store: Arc<dyn SecretStore>) {}

    /// What mail from it is signed with, where that was said.
    fn display_name(&self) -> Option<String> {
        None
    }

    /// Whether the assistant answers mail that comes in there.
    fn answers_mail(&self) -> bool {
        false
    }

    /// Asks for what the platform keeps of the account; nothing where it keeps
    /// nothing.
    fn describe(&self) -> Option<Carrying<'_, Result<PlatformDescription, PlatformTrouble>>> {
        None
    }
}

/// A platform that a channel is connected to.
pub trait Platform: Carrier + PlatformSource {}

impl<T: Carrier + PlatformSource> Platform for T {}

/// Told when something that left was settled.
#[derive(Default)]
pub struct Settled(pub Notify);
