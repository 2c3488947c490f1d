//! What a service keeps as JSON of its channels on real platforms: what is on
//! its way, and what each is connected to.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A message or reaction on its way to a platform.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Parcel {
    /// The service's id of it.
    pub id: String,
    /// A phone number or chat id.
    pub to: String,
    /// `text`, `image`, …; `reaction`.
    pub kind: String,
    /// The text or caption, marked up where `mode` says so; the emoji.
    pub text: String,
    /// How the text is marked up, in the interface's word.
    pub mode: Option<String>,
    /// Where its media lives.
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

/// What is kept of a message until its platform has spoken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageDraft {
    /// `api`, `ai` or `agent`.
    pub sender: String,
    /// As people see it.
    pub content: String,
    /// `text`, `image`, …
    pub kind: String,
    /// Where its media lives.
    pub media_url: Option<String>,
    /// A JSON object: what else the platform is given.
    pub details: Option<String>,
    /// The id of the quoted message, or of the one a reaction is for.
    pub reply_to: Option<String>,
    /// Credits it cost.
    pub cost: i64,
    /// The idempotency key it came under.
    pub key: Option<String>,
    /// The broadcast it belongs to.
    #[serde(default)]
    pub broadcast: Option<String>,
}

/// What is kept of a bot, beside its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotSettings {
    /// Where the platform is.
    pub api: String,
    /// The bot's id.
    pub bot: i64,
    /// Its name, with its @.
    pub name: String,
    /// Whether the platform calls the service.
    pub webhook: bool,
}

/// A bot's secrets.
#[derive(Clone, Serialize, Deserialize)]
pub struct BotSecrets {
    /// Its token.
    pub token: String,
    /// What the platform says in each call.
    pub hook: String,
}

/// What is kept of a business chat number, beside its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NumberSettings {
    /// Where the platform is.
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
    /// Signs the platform's calls.
    pub app_secret: String,
    /// What the platform says when it asks whether it may call.
    pub verify: String,
}

/// What is kept of a phone number for texts and calls, beside its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PhoneSettings {
    /// Where the platform is.
    pub api: String,
    /// The platform's id of the account.
    pub account: String,
    /// The number, in E.164.
    pub number: String,
    /// Always: the platform calls the service.
    pub webhook: bool,
}

/// The secrets of a phone number.
#[derive(Clone, Serialize, Deserialize)]
pub struct PhoneSecrets {
    /// Lets the service act for the account, and signs the platform's calls.
    pub token: String,
}
