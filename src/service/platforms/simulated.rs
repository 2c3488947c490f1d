//! Simulated operators: they take, deliver, fail and read on the service's
//! own clock, the same way each time.
//!
//! What becomes of a message follows from the recipient's number and the seed,
//! so that each outcome can be had on purpose; `docs/choices.md` lists the
//! numbers.

use std::future::ready;

use sha2::{Digest, Sha256};

use crate::carriers::{Carrier, CarryOutcome, Carrying, Fate, Parcel, ParcelFile};
use crate::channels::Channel;
use model::time::SECOND;
use wire::errors::ErrorCode;

/// Business chat: the last four digits of a number decide what is special
/// about it.
pub struct BusinessChat {
    seed: u64,
}

/// The bot platform: everything arrives at once and is soon read.
pub struct Bot;

/// SMS: arrives; nobody tells whether it is read.
pub struct Sms;

impl BusinessChat {
    /// With a seed for how long things take.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Spans that differ between messages but not between runs.
    fn spans(&self, id: &str) -> (i64, i64) {
        let digest = Sha256::new().chain_update(self.seed.to_be_bytes()).chain_update(id).finalize();
        let part = |index: usize| i64::from(digest[index]);
        let delivered = SECOND + part(0) * SECOND / 256;
        (delivered, delivered + 2 * SECOND + part(1) * 6 * SECOND / 256)
    }
}

impl BusinessChat {
    fn take(&self, parcel: &Parcel) -> CarryOutcome {
        if let Some(refused) = refused(parcel).filter(|_| !parcel.test) {
            return refused;
        }
        let (delivered_after, read_after) = self.spans(&parcel.id);
        let fate = match ending(&parcel.to) {
            "0005" => Fate::Delivered { after: delivered_after },
            "0009" => Fate::Failed { after: delivered_after },
            _ => Fate::Read { delivered_after, read_after },
        };
        CarryOutcome::Taken { platform_id: unique_id(Channel::Whatsapp, &parcel.id), fate, reached: None }
    }
}

impl Carrier for BusinessChat {
    fn is_instant(&self) -> bool {
        true
    }

    fn carry<'a>(&'a self, parcel: &'a Parcel, _: Option<&'a ParcelFile>) -> Carrying<'a, CarryOutcome> {
        Box::pin(ready(self.take(parcel)))
    }
}

/// What the operator refuses at once.
fn refused(parcel: &Parcel) -> Option<CarryOutcome> {
    let refuse = |code, why: &str| Some(CarryOutcome::Refused { code, why: why.to_owned(), broken: false });
    match ending(&parcel.to) {
        "0006" => refuse(ErrorCode::WhatsappError, "the platform operator could not take the message"),
        "0007" if !matches!(parcel.kind.as_str(), "text" | "template") => {
            refuse(ErrorCode::UnsupportedType, "this recipient can only be sent text and templates")
        }
        "0008" => refuse(ErrorCode::InvalidRecipient, "the phone number is not on the business chat channel"),
        _ => None,
    }
}

/// The digits of a number that decide.
pub fn ending(number: &str) -> &str {
    number.get(number.len().saturating_sub(4)..).unwrap_or("")
}

impl Carrier for Bot {
    fn is_instant(&self) -> bool {
        true
    }

    fn carry<'a>(&'a self, parcel: &'a Parcel, _: Option<&'a ParcelFile>) -> Carrying<'a, CarryOutcome> {
        let fate = Fate::Read { delivered_after: SECOND / 2, read_after: 4 * SECOND };
        Box::pin(ready(CarryOutcome::Taken { platform_id: parcel.number.to_string(), fate, reached: None }))
    }
}

impl Carrier for Sms {
    fn is_instant(&self) -> bool {
        true
    }

    fn carry<'a>(&'a self, parcel: &'a Parcel, _: Option<&'a ParcelFile>) -> Carrying<'a, CarryOutcome> {
        let fate = if ending(&parcel.to) == "0009" {
            Fate::Failed { after: 2 * SECOND }
        } else {
            Fate::Delivered { after: 2 * SECOND }
        };
        Box::pin(ready(CarryOutcome::Taken {
            platform_id: unique_id(Channel::Voip, &parcel.id),
            fate,
            reached: None,
        }))
    }
}

/// A platform's id, made from the service's so that it is unique.
pub fn unique_id(channel: Channel, id: &str) -> String {
    let digest = Sha256::digest(id.as_bytes());
    let hex: String = digest[..14].iter().map(|byte| format!("{byte:02X}")).collect();
    match channel {
        Channel::Whatsapp => format!("wamid.{hex}"),
        _ => format!("sm{hex}").to_lowercase(),
    }
}
