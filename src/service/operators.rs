//! Operators of the channels: simulated ones in a simulated world, otherwise the platforms that
//! channels are connected to.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::database::channels::ChannelRow;
use crate::database::conversations::ConversationRow;
use crate::database::{DatabaseError, messages};
use crate::errors::ApiError;
use crate::write::WriteContext;
use api::errors::ErrorCode;
use platforms::simulated::mail::SimulatedMail;
use platforms::simulated::voice::SimulatedVoice;
use platforms::simulated::{self, SimulatedBot, SimulatedBusinessChat, SimulatedSms};
use platforms::{Channel, Platform, Transport};

pub struct Platforms(Operators);

/// Either all channels are simulated, or each has the platform it is connected to, if any.
enum Operators {
    Simulated(SimulatedPlatforms),
    /// By the id of the channel.
    Real(RwLock<HashMap<String, Arc<ConnectedChannel>>>),
}

pub enum Operator<'a> {
    Simulated(&'a SimulatedPlatforms),
    Connected(Arc<ConnectedChannel>),
    /// Sends are refused until the channel is connected.
    Nobody,
}

pub struct SimulatedPlatforms {
    chat: Arc<dyn Transport>,
    bot: Arc<dyn Transport>,
    sms: Arc<dyn Transport>,
    mail: SimulatedMail,
    voice: SimulatedVoice,
}

pub struct ConnectedChannel {
    pub channel: String,
    pub kind: Channel,
    /// Changes with each connection.
    pub version: String,
    pub platform: Arc<dyn Platform>,
}

impl Platforms {
    /// Simulated platforms with random outcomes derived from a seed.
    pub fn simulated(seed: u64) -> Self {
        let simulated = SimulatedPlatforms {
            chat: Arc::new(SimulatedBusinessChat::new(seed)),
            bot: Arc::new(SimulatedBot),
            sms: Arc::new(SimulatedSms),
            mail: SimulatedMail::new(seed),
            voice: SimulatedVoice::new(seed),
        };
        Self(Operators::Simulated(simulated))
    }

    /// Platforms without a connected channel.
    pub fn none() -> Self {
        Self(Operators::Real(RwLock::default()))
    }

    pub fn are_simulated(&self) -> bool {
        matches!(self.0, Operators::Simulated(_))
    }

    pub fn operator(&self, channel: &str) -> Operator<'_> {
        match &self.0 {
            Operators::Simulated(simulated) => Operator::Simulated(simulated),
            Operators::Real(connected) => {
                let connected = connected.read().unwrap_or_else(PoisonError::into_inner);
                connected.get(channel).cloned().map_or(Operator::Nobody, Operator::Connected)
            }
        }
    }

    /// Returns the platform of a connected channel, `None` for a simulated one.
    pub fn connected(&self, channel: &str) -> Option<Arc<ConnectedChannel>> {
        match self.operator(channel) {
            Operator::Connected(connected) => Some(connected),
            Operator::Simulated(_) | Operator::Nobody => None,
        }
    }

    /// Returns the connected channels of a kind whose platform calls webhooks.
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

    /// Replaces all connected platforms, keyed by channel id. Simulated operators stay.
    pub fn connect(&self, all: HashMap<String, Arc<ConnectedChannel>>) {
        if let Operators::Real(connected) = &self.0 {
            *connected.write().unwrap_or_else(PoisonError::into_inner) = all;
        }
    }

    /// Returns the number, bot name or mail address of a channel. An address left from a simulation
    /// does not count.
    ///
    /// # Errors
    /// `NOT_CONFIGURED` if the channel is not connected.
    pub fn address<'a>(&self, channel: &'a ChannelRow) -> Result<&'a str, ApiError> {
        let reaches = !matches!(self.operator(&channel.id), Operator::Nobody);
        let address = channel.address.as_deref().filter(|_| reaches);
        address.ok_or_else(|| not_connected_error(channel.kind))
    }

    pub fn mail(&self) -> Result<&SimulatedMail, ApiError> {
        Ok(&self.simulated_of(Channel::Email)?.mail)
    }

    pub fn voice(&self) -> Result<&SimulatedVoice, ApiError> {
        Ok(&self.simulated_of(Channel::Voip)?.voice)
    }

    /// Returns the transport of a channel's messages; for mail see [`Platforms::mail`].
    ///
    /// # Errors
    /// `NOT_CONFIGURED` if the channel is not connected.
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

pub fn not_connected_error(channel: Channel) -> ApiError {
    let what = match channel {
        Channel::Whatsapp => "the business chat channel is not connected to a number",
        Channel::Telegram => "the bot-chat channel is not connected to a bot",
        Channel::Email => "the email channel is not connected to an account",
        Channel::Voip => "the voice channel is not connected to a number",
    };
    let message = format!(
        "{what} yet, so nothing can be sent; the operator of the service connects it with `frontdesk admin \
         channel connect`"
    );
    ApiError::new(ErrorCode::NotConfigured, message)
}

/// Returns the platform id of an inbound simulated message: unique on business chat and SMS, a
/// number within the chat on the bot platform.
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

/// Returns the next message number within a chat.
pub fn next_in_chat(work: &WriteContext<'_>, conversation: &ConversationRow) -> Result<i64, DatabaseError> {
    Ok(messages::count(work.db, &conversation.id)? + 1)
}
