//! What stands behind each channel: operators that take messages and carry
//! them to people. One trait; the built-in ones are simulated, and stand there
//! only where the world is.

pub mod mail;
mod simulated;
pub mod voice;

use crate::channels::Channel;
use crate::database::channels::ChannelRow;
use crate::database::conversations::ConversationRow;
use crate::database::{DatabaseError, messages};
use crate::errors::ApiError;
use crate::write::Work;
use wire::errors::ErrorCode;

/// A message on its way to a platform.
#[derive(Debug, Clone, Copy)]
pub struct Parcel<'a> {
    /// A phone number or chat id.
    pub to: &'a str,
    /// `text`, `image`, …
    pub kind: &'a str,
    /// The service's id of the message.
    pub id: &'a str,
}

/// What a platform says to a message it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The platform's id.
    pub platform_id: String,
    /// What will become of it.
    pub fate: Fate,
}

/// What becomes of a message after it was taken; spans in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Nothing more is heard of it.
    Sent,
    /// It does not arrive.
    Failed {
        /// When that is known.
        after: i64,
    },
    /// It arrives and is not read.
    Delivered {
        /// When.
        after: i64,
    },
    /// It arrives and is read.
    Read {
        /// When it arrives.
        delivered_after: i64,
        /// When it is read.
        read_after: i64,
    },
}

/// An operator behind a channel.
pub trait Platform: Send + Sync {
    /// Hands over a message.
    ///
    /// # Errors
    /// What the operator refuses, in the interface's codes.
    fn hand_over(
        &self,
        work: &Work<'_>,
        conversation: &ConversationRow,
        parcel: &Parcel<'_>,
    ) -> Result<Accepted, ApiError>;
}

/// What stands behind the four channels, where anything does.
pub struct Platforms(Option<Simulated>);

/// The simulated operators.
struct Simulated {
    chat: simulated::BusinessChat,
    bot: simulated::Bot,
    sms: simulated::Sms,
    mail: mail::SimulatedMail,
    voice: voice::SimulatedVoice,
}

impl Platforms {
    /// The simulated ones, whose chances follow a seed.
    pub fn simulated(seed: u64) -> Self {
        Self(Some(Simulated {
            chat: simulated::BusinessChat::new(seed),
            bot: simulated::Bot,
            sms: simulated::Sms,
            mail: mail::SimulatedMail::new(seed),
            voice: voice::SimulatedVoice::new(seed),
        }))
    }

    /// None: no channel is connected.
    pub fn none() -> Self {
        Self(None)
    }

    /// Whether they are simulated.
    pub fn are_simulated(&self) -> bool {
        self.0.is_some()
    }

    /// The number, bot name or mail address under which a channel reaches people.
    /// One that the database still has from a simulation reaches nobody.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` where the channel is not connected.
    pub fn address<'a>(&self, channel: &'a ChannelRow) -> Result<&'a str, ApiError> {
        let address = channel.address.as_deref().filter(|_| self.are_simulated());
        address.ok_or_else(|| not_connected(channel.kind))
    }

    /// Who carries mail away.
    ///
    /// # Errors
    /// As [`Platforms::address`].
    pub fn mail(&self) -> Result<&dyn mail::MailPlatform, ApiError> {
        Ok(&self.behind(Channel::Email)?.mail)
    }

    /// Who puts calls through.
    ///
    /// # Errors
    /// As [`Platforms::address`].
    pub fn voice(&self) -> Result<&dyn voice::VoicePlatform, ApiError> {
        Ok(&self.behind(Channel::Voip)?.voice)
    }

    /// The platform of a channel of messages; mail has [`Platforms::mail`].
    ///
    /// # Errors
    /// As [`Platforms::address`].
    pub fn of(&self, channel: Channel) -> Result<&dyn Platform, ApiError> {
        let behind = self.behind(channel)?;
        Ok(match channel {
            Channel::Whatsapp => &behind.chat,
            Channel::Telegram => &behind.bot,
            Channel::Email | Channel::Voip => &behind.sms,
        })
    }

    fn behind(&self, channel: Channel) -> Result<&Simulated, ApiError> {
        self.0.as_ref().ok_or_else(|| not_connected(channel))
    }
}

/// Refuses what only a platform could do.
fn not_connected(channel: Channel) -> ApiError {
    let what = match channel {
        Channel::Whatsapp => "the business chat channel is not connected to a number",
        Channel::Telegram => "the bot-chat channel is not connected to a bot",
        Channel::Email => "the email channel is not connected to an account",
        Channel::Voip => "the voice channel is not connected to a number",
    };
    let message = format!("{what} yet; until it is, nothing can be sent from it");
    ApiError::new(ErrorCode::NotConfigured, message)
}

/// The platform's id of a message that comes in: business chat and SMS give
/// unique ones, the bot platform counts within a chat.
///
/// # Errors
/// When the database fails.
pub fn incoming_id(
    work: &Work<'_>,
    channel: Channel,
    conversation: &ConversationRow,
    id: &str,
) -> Result<String, DatabaseError> {
    match channel {
        Channel::Telegram => next_in_chat(work, conversation),
        _ => Ok(simulated::unique_id(channel, id)),
    }
}

/// The platform's id of a call or message, made from the service's.
pub fn simulated_id(channel: Channel, id: &str) -> String {
    simulated::unique_id(channel, id)
}

/// The next number within a chat.
fn next_in_chat(work: &Work<'_>, conversation: &ConversationRow) -> Result<String, DatabaseError> {
    Ok((messages::count(work.db, &conversation.id)? + 1).to_string())
}
