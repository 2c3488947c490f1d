//! Simulated operators: they accept, deliver, fail and read on the service's own clock,
//! deterministically.
//!
//! The outcome of a message follows from the recipient's number and the seed; `docs/choices.md`
//! lists the numbers.

pub mod mail;
pub mod voice;

use std::future::ready;

use sha2::{Digest, Sha256};

use crate::channels::Channel;
use crate::contract::{BoxFuture, OutboundFile, OutboundMessage, SendOutcome, SimulatedDelivery, Transport};
use api::errors::ErrorCode;
use model::time::SECOND;

/// Business chat: the last four digits of a number select a special outcome.
pub struct SimulatedBusinessChat {
    seed: u64,
}

/// Bot platform: every message arrives at once and is soon read.
pub struct SimulatedBot;

/// SMS: messages arrive and are never reported as read.
pub struct SimulatedSms;

impl SimulatedBusinessChat {
    /// `seed` decides the delays.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Delays that differ between messages but not between runs.
    fn delivery_delays(&self, id: &str) -> (i64, i64) {
        let digest = Sha256::new().chain_update(self.seed.to_be_bytes()).chain_update(id).finalize();
        let part = |index: usize| i64::from(digest[index]);
        let delivered = SECOND + part(0) * SECOND / 256;
        (delivered, delivered + 2 * SECOND + part(1) * 6 * SECOND / 256)
    }
}

impl SimulatedBusinessChat {
    fn accept(&self, parcel: &OutboundMessage) -> SendOutcome {
        if let Some(refused) = immediate_refusal(parcel).filter(|_| !parcel.test) {
            return refused;
        }
        let (delivered_after, read_after) = self.delivery_delays(&parcel.id);
        let fate = match number_ending(&parcel.to) {
            "0005" => SimulatedDelivery::Delivered { after: delivered_after },
            "0009" => SimulatedDelivery::Failed { after: delivered_after },
            _ => SimulatedDelivery::Read { delivered_after, read_after },
        };
        SendOutcome::Taken { platform_id: unique_id(Channel::Whatsapp, &parcel.id), fate, reached: None }
    }
}

impl Transport for SimulatedBusinessChat {
    fn is_instant(&self) -> bool {
        true
    }

    fn send_message<'a>(
        &'a self,
        parcel: &'a OutboundMessage,
        _: Option<&'a OutboundFile>,
    ) -> BoxFuture<'a, SendOutcome> {
        Box::pin(ready(self.accept(parcel)))
    }
}

fn immediate_refusal(parcel: &OutboundMessage) -> Option<SendOutcome> {
    let refuse = |code, why: &str| Some(SendOutcome::Refused { code, why: why.to_owned(), broken: false });
    match number_ending(&parcel.to) {
        "0006" => refuse(ErrorCode::WhatsappError, "the platform operator could not accept the message"),
        "0007" if !matches!(parcel.kind.as_str(), "text" | "template") => {
            refuse(ErrorCode::UnsupportedType, "this recipient can only be sent text and templates")
        }
        "0008" => refuse(ErrorCode::InvalidRecipient, "the phone number is not on the business chat channel"),
        _ => None,
    }
}

/// Last four digits, which select the outcome.
pub fn number_ending(number: &str) -> &str {
    number.get(number.len().saturating_sub(4)..).unwrap_or("")
}

impl Transport for SimulatedBot {
    fn is_instant(&self) -> bool {
        true
    }

    fn send_message<'a>(
        &'a self,
        parcel: &'a OutboundMessage,
        _: Option<&'a OutboundFile>,
    ) -> BoxFuture<'a, SendOutcome> {
        let fate = SimulatedDelivery::Read { delivered_after: SECOND / 2, read_after: 4 * SECOND };
        Box::pin(ready(SendOutcome::Taken { platform_id: parcel.number.to_string(), fate, reached: None }))
    }
}

impl Transport for SimulatedSms {
    fn is_instant(&self) -> bool {
        true
    }

    fn send_message<'a>(
        &'a self,
        parcel: &'a OutboundMessage,
        _: Option<&'a OutboundFile>,
    ) -> BoxFuture<'a, SendOutcome> {
        let fate = if number_ending(&parcel.to) == "0009" {
            SimulatedDelivery::Failed { after: 2 * SECOND }
        } else {
            SimulatedDelivery::Delivered { after: 2 * SECOND }
        };
        Box::pin(ready(SendOutcome::Taken {
            platform_id: unique_id(Channel::Voip, &parcel.id),
            fate,
            reached: None,
        }))
    }
}

/// Derives a unique platform id from the service's id.
pub fn unique_id(channel: Channel, id: &str) -> String {
    let digest = Sha256::digest(id.as_bytes());
    let hex: String = digest[..14].iter().map(|byte| format!("{byte:02X}")).collect();
    match channel {
        Channel::Whatsapp => format!("wamid.{hex}"),
        _ => format!("sm{hex}").to_lowercase(),
    }
}
