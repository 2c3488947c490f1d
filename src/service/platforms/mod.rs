//! What stands behind each channel: operators that take messages and carry
//! them to people. One trait; the built-in ones are simulated.
//!
//! Knows nothing of credits or keys.

pub mod mail;
mod simulated;
pub mod voice;

use crate::service::channels::Channel;
use crate::service::database::conversations::ConversationRow;
use crate::service::database::{DatabaseError, messages};
use crate::service::errors::ApiError;
use crate::service::write::Work;

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

/// The platforms of the four channels.
pub struct Platforms {
    chat: simulated::BusinessChat,
    bot: simulated::Bot,
    sms: simulated::Sms,
    mail: mail::SimulatedMail,
    voice: voice::SimulatedVoice,
}

impl Platforms {
    /// The simulated ones, whose chances follow a seed.
    pub fn simulated(seed: u64) -> Self {
        Self {
            chat: simulated::BusinessChat::new(seed),
            bot: simulated::Bot,
            sms: simulated::Sms,
            mail: mail::SimulatedMail::new(seed),
            voice: voice::SimulatedVoice::new(seed),
        }
    }

    /// Who carries mail away.
    pub fn mail(&self) -> &dyn mail::MailPlatform {
        &self.mail
    }

    /// Who puts calls through.
    pub fn voice(&self) -> &dyn voice::VoicePlatform {
        &self.voice
    }

    /// The platform of a channel of messages; mail has [`Platforms::mail`].
    pub fn of(&self, channel: Channel) -> &dyn Platform {
        match channel {
            Channel::Whatsapp => &self.chat,
            Channel::Telegram => &self.bot,
            Channel::Email | Channel::Voip => &self.sms,
        }
    }
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
