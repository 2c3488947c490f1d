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

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use crate::carriers::{Platform, Transport, WebhookCall};
use crate::channels::Channel;
use crate::database::channels::ChannelRow;
use crate::database::conversations::ConversationRow;
use crate::database::{DatabaseError, messages};
use crate::errors::ApiError;
use crate::write::WriteContext;
use wire::errors::ErrorCode;

/// Operators of all channels of a service.
pub struct Platforms(Operators);

/// Simulated operators play every channel; otherwise each channel has the platform it is
/// connected to, if any.
enum Operators {
    Simulated(SimulatedPlatforms),
    /// By the id of the channel.
    Real(RwLock<HashMap<String, Arc<ConnectedChannel>>>),
}

/// Operator of one channel.
pub enum Operator<'a> {
    Simulated(&'a SimulatedPlatforms),
    Connected(Arc<ConnectedChannel>),
    /// Sends are refused until the channel is connected.
    Nobody,
}

/// Simulated operators of the four kinds.
pub struct SimulatedPlatforms {
    chat: Arc<dyn Transport>,
    bot: Arc<dyn Transport>,
    sms: Arc<dyn Transport>,
    mail: mail::SimulatedMail,
    voice: voice::SimulatedVoice,
}

/// A channel with the platform it is connected to.
pub struct ConnectedChannel {
    /// Its id.
    pub channel: String,
    pub kind: Channel,
    /// Another one each time it is connected.
    pub version: String,
    pub platform: Arc<dyn Platform>,
}

impl Platforms {
    /// The simulated ones, whose chances follow a seed.
    pub fn simulated(seed: u64) -> Self {
        let simulated = SimulatedPlatforms {
            chat: Arc::new(simulated::SimulatedBusinessChat::new(seed)),
            bot: Arc::new(simulated::SimulatedBot),
            sms: Arc::new(simulated::SimulatedSms),
            mail: mail::SimulatedMail::new(seed),
            voice: voice::SimulatedVoice::new(seed),
        };
        Self(Operators::Simulated(simulated))
    }

    /// None until channels are connected.
    pub fn none() -> Self {
        Self(Operators::Real(RwLock::default()))
    }

    pub fn are_simulated(&self) -> bool {
        matches!(self.0, Operators::Simulated(_))
    }

    /// Returns the operator of the channel with this id.
    pub fn operator(&self, channel: &str) -> Operator<'_> {
        match &self.0 {
            Operators::Simulated(simulated) => Operator::Simulated(simulated),
            Operators::Real(connected) => {
                let connected = connected.read().unwrap_or_else(PoisonError::into_inner);
                connected.get(channel).cloned().map_or(Operator::Nobody, Operator::Connected)
            }
        }
    }

    /// Returns the platform that the channel with this id is connected to.
    pub fn connected(&self, channel: &str) -> Option<Arc<ConnectedChannel>> {
        match self.operator(channel) {
            Operator::Connected(connected) => Some(connected),
            Operator::Simulated(_) | Operator::Nobody => None,
        }
    }

    /// Returns the connected channels of a kind that their platform calls.
    pub fn called(&self, kind: Channel) -> Vec<Arc<ConnectedChannel>> {
        let mut all = self.all_connected();
        all.retain(|connected| connected.kind == kind && !connected.platform.needs_polling());
        all
    }

    pub fn all_connected(&self) -> Vec<Arc<ConnectedChannel>> {
        match &self.0 {
            Operators::Simulated(_) => Vec::new(),
            Operators::Real(connected) => {
                connected.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
            }
        }
    }

    /// Replaces all platforms that channels are connected to, by the ids of the channels.
    /// Simulated operators stay.
    pub fn connect(&self, all: HashMap<String, Arc<ConnectedChannel>>) {
        if let Operators::Real(connected) = &self.0 {
            *connected.write().unwrap_or_else(PoisonError::into_inner) = all;
        }
    }

    /// The number, bot name or mail address under which a channel reaches people.
    /// One that the database still has from a simulation reaches nobody.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` where the channel is not connected.
    pub fn address<'a>(&self, channel: &'a ChannelRow) -> Result<&'a str, ApiError> {
        let reaches = !matches!(self.operator(&channel.id), Operator::Nobody);
        let address = channel.address.as_deref().filter(|_| reaches);
        address.ok_or_else(|| not_connected_error(channel.kind))
    }

    /// The simulated mail servers.
    pub fn mail(&self) -> Result<&mail::SimulatedMail, ApiError> {
        Ok(&self.simulated_of(Channel::Email)?.mail)
    }

    /// Who puts calls through.
    pub fn voice(&self) -> Result<&dyn voice::VoicePlatform, ApiError> {
        Ok(&self.simulated_of(Channel::Voip)?.voice)
    }

    /// Returns the carrier of a channel's messages; mail has [`Platforms::mail`].
    ///
    /// # Errors
    /// `NOT_CONFIGURED` where the channel is not connected.
    pub fn carrier(&self, channel: &str, kind: Channel) -> Result<Arc<dyn Transport>, ApiError> {
        match self.operator(channel) {
            Operator::Connected(connected) => Ok(connected.platform.clone()),
            Operator::Nobody => Err(not_connected_error(kind)),
            Operator::Simulated(simulated) => Ok(match kind {
                Channel::Whatsapp => simulated.chat.clone(),
                Channel::Telegram => simulated.bot.clone(),
                Channel::Email | Channel::Voip => simulated.sms.clone(),
            }),
        }
    }

    fn simulated_of(&self, kind: Channel) -> Result<&SimulatedPlatforms, ApiError> {
        match &self.0 {
            Operators::Simulated(simulated) => Ok(simulated),
            Operators::Real(_) => Err(not_connected_error(kind)),
        }
    }
}

/// Refuses what only a platform could do.
pub fn not_connected_error(channel: Channel) -> ApiError {
    let what = match channel {
        Channel::Whatsapp => "the business chat channel is not connected to a number",
        Channel::Telegram => "the bot-chat channel is not connected to a bot",
        Channel::Email => "the email channel is not connected to an account",
        Channel::Voip => "the voice channel is not connected to a number",
    };
    let message = format!("{what} yet; until it is, nothing can be sent from it");
    ApiError::new(ErrorCode::NotConfigured, message)
}

/// Returns the names of the channels that a call's content is for, to be compared with
/// [`PlatformSource::hook_names`](crate::carriers::PlatformSource::hook_names). `None`
/// where the content names none, and only the call's secret tells.
pub fn names_in_call(kind: Channel, call: &WebhookCall<'_>) -> Option<BTreeSet<String>> {
    match kind {
        Channel::Whatsapp => Some(whatsapp::names_in_call(call.body)),
        Channel::Voip => Some(voip::names_in_call(call)),
        Channel::Telegram | Channel::Email => None,
    }
}

/// The platform's id of a message that comes in from a simulated platform:
/// business chat and SMS give unique ones, the bot platform counts within a
/// chat.
pub fn incoming_id(
    work: &WriteContext<'_>,
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
pub fn next_in_chat(work: &WriteContext<'_>, conversation: &ConversationRow) -> Result<i64, DatabaseError> {
    Ok(messages::count(work.db, &conversation.id)? + 1)
}
