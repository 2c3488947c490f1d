//! Platforms: WhatsApp, Telegram, Twilio, mailboxes, and their simulation.
//!
//! Each implements the traits of [`contract`]. None reads or writes the database: the service stores what a
//! platform parses and calls it with what has to be sent.

pub mod channels;
pub mod contract;
pub mod mail;
pub mod mailbox;
#[cfg(test)]
mod payloads;
pub mod simulated;
pub mod telegram;
pub mod voip;
mod web;
pub mod whatsapp;
mod words;

use std::collections::BTreeSet;

pub use channels::Channel;
pub use contract::{
    ArrivedMedia, ArrivedMessage, BLOCKED_MESSAGE, BoxFuture, CALL_KIND, CHANNEL_LANE, CallReport,
    ChangedMessage, DISCONNECTED_MESSAGE, DeliveryStep, EarlierMessage, EarlierThread, FileFetchError,
    FindChatFuture, FindConnectionFuture, FoundChat, InboundMessage, InboundUpdate, MailFacts,
    OPTED_OUT_MESSAGE, OutboundFile, OutboundMessage, Platform, PlatformDescription, PlatformError,
    PlatformEvent, PlatformSource, PollResult, REACTION_KIND, REMOVED_MESSAGE, SecretStore, SendOutcome,
    SentElsewhere, SentTrace, SimulatedDelivery, StatusReport, Template, TemplateReport, Transport,
    WebhookCall,
};

/// Returns the names of the channels that a webhook call addresses, to be compared with
/// [`PlatformSource::hook_names`]. `None` if the content names none; then only the call's secret identifies
/// the channel.
pub fn names_in_call(kind: Channel, call: &WebhookCall<'_>) -> Option<BTreeSet<String>> {
    match kind {
        Channel::Whatsapp => Some(whatsapp::names_in_call(call.body)),
        Channel::Voip => Some(voip::names_in_call(call)),
        Channel::Telegram | Channel::Email => None,
    }
}
