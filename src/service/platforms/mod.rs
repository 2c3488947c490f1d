//! What stands behind each channel: simulated operators where the world is
//! simulated, and the platforms that channels are connected to elsewhere.

pub mod mail;
pub mod mailbox;
#[cfg(test)]
mod payloads;
mod simulated;
pub mod telegram;
pub mod voice;
pub mod voip;
mod web;
pub mod whatsapp;
mod words;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::carriers::{Carrier, Platform};
use crate::channels::Channel;
use crate::database::channels::ChannelRow;
use crate::database::conversations::ConversationRow;
use crate::database::{DatabaseError, messages};
use crate::errors::ApiError;
use crate::write::Work;
use wire::errors::ErrorCode;

/// What stands behind the four channels, where anything does.
pub struct Platforms {
    simulated: Option<Simulated>,
    connected: RwLock<HashMap<Channel, Arc<Connected>>>,
}

/// The simulated operators.
struct Simulated {
    chat: Arc<dyn Carrier>,
    bot: Arc<dyn Carrier>,
    sms: Arc<dyn Carrier>,
    mail: mail::SimulatedMail,
    voice: voice::SimulatedVoice,
}

/// A channel with the platform it is connected to.
pub struct Connected {
    pub channel: String,
    pub kind: Channel,
    /// Another one each time it is connected.
    pub version: String,
    pub platform: Arc<dyn Platform>,
}

impl Platforms {
    /// The simulated ones, whose chances follow a seed.
    pub fn simulated(seed: u64) -> Self {
        let simulated = Simulated {
            chat: Arc::new(simulated::BusinessChat::new(seed)),
            bot: Arc::new(simulated::Bot),
            sms: Arc::new(simulated::Sms),
            mail: mail::SimulatedMail::new(seed),
            voice: voice::SimulatedVoice::new(seed),
        };
        Self { simulated: Some(simulated), connected: RwLock::default() }
    }

    /// None until channels are connected.
    pub fn none() -> Self {
        Self { simulated: None, connected: RwLock::default() }
    }

    /// Whether they are simulated.
    pub fn are_simulated(&self) -> bool {
        self.simulated.is_some()
    }

    pub fn connected(&self, channel: Channel) -> Option<Arc<Connected>> {
        self.connected.read().unwrap_or_else(PoisonError::into_inner).get(&channel).cloned()
    }

    pub fn all_connected(&self) -> Vec<Arc<Connected>> {
        self.connected.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Takes what the channels are connected to from now on.
    pub fn connect(&self, connected: HashMap<Channel, Arc<Connected>>) {
        *self.connected.write().unwrap_or_else(PoisonError::into_inner) = connected;
    }

    /// The number, bot name or mail address under which a channel reaches people.
    /// One that the database still has from a simulation reaches nobody.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` where the channel is not connected.
    pub fn address<'a>(&self, channel: &'a ChannelRow) -> Result<&'a str, ApiError> {
        let reaches = self.are_simulated() || self.connected(channel.kind).is_some();
        let address = channel.address.as_deref().filter(|_| reaches);
        address.ok_or_else(|| not_connected(channel.kind))
    }

    /// The simulated mail servers.
    pub fn mail(&self) -> Result<&mail::SimulatedMail, ApiError> {
        Ok(&self.behind(Channel::Email)?.mail)
    }

    /// Who puts calls through.
    pub fn voice(&self) -> Result<&dyn voice::VoicePlatform, ApiError> {
        Ok(&self.behind(Channel::Voip)?.voice)
    }

    /// The carrier of a channel of messages; mail has [`Platforms::mail`].
    pub fn of(&self, channel: Channel) -> Result<Arc<dyn Carrier>, ApiError> {
        if let Some(connected) = self.connected(channel) {
            let carrier: Arc<dyn Carrier> = connected.platform.clone();
            return Ok(carrier);
        }
        let behind = self.behind(channel)?;
        Ok(match channel {
            Channel::Whatsapp => behind.chat.clone(),
            Channel::Telegram => behind.bot.clone(),
            Channel::Email | Channel::Voip => behind.sms.clone(),
        })
    }

    fn behind(&self, channel: Channel) -> Result<&Simulated, ApiError> {
        self.simulated.as_ref().ok_or_else(|| not_connected(channel))
    }
}

/// Refuses what only a platform could do.
pub fn not_connected(channel: Channel) -> ApiError {
    let what = match channel {
        Channel::Whatsapp => "the business chat channel is not connected to a number",
        Channel::Telegram => "the bot-chat channel is not connected to a bot",
        Channel::Email => "the email channel is not connected to an account",
        Channel::Voip => "the voice channel is not connected to a number",
    };
    let message = format!("{what} yet; until it is, nothing can be sent from it");
    ApiError::new(ErrorCode::NotConfigured, message)
}

/// The platform's id of a message that comes in from a simulated platform:
/// business chat and SMS give unique ones, the bot platform counts within a
/// chat.
pub fn incoming_id(
    work: &Work<'_>,
    channel: Channel,
    conversation: &ConversationRow,
    id: &str,
) -> Result<String, DatabaseError> {
    match channel {
        Channel::Telegram => Ok(next_in_chat(work, conversation)?.to_string()),
        _ => Ok(simulated::unique_id(channel, id)),
    }
}

/// The platform's id of a call or message, made from the service's.
pub fn simulated_id(channel: Channel, id: &str) -> String {
    simulated::unique_id(channel, id)
}

/// The next number within a chat.
pub fn next_in_chat(work: &Work<'_>, conversation: &ConversationRow) -> Result<i64, DatabaseError> {
    Ok(messages::count(work.db, &conversation.id)? + 1)
}
