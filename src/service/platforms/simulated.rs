//! Simulated operators: they take, deliver, fail and read on the service's
//! own clock, the same way each time.
//!
//! What becomes of a message follows from the recipient's number and the seed,
//! so that each outcome can be had on purpose; `docs/choices.md` lists the
//! numbers.

use sha2::{Digest, Sha256};

use crate::channels::Channel;
use crate::database::conversations::ConversationRow;
use crate::errors::ApiError;
use crate::platforms::{Accepted, Fate, Parcel, Platform, next_in_chat};
use crate::write::Work;
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

impl Platform for BusinessChat {
    fn hand_over(
        &self,
        work: &Work<'_>,
        _: &ConversationRow,
        parcel: &Parcel<'_>,
    ) -> Result<Accepted, ApiError> {
        if !work.test {
            refused(parcel)?;
        }
        let (delivered_after, read_after) = self.spans(parcel.id);
        let fate = match ending(parcel.to) {
            "0005" => Fate::Delivered { after: delivered_after },
            "0009" => Fate::Failed { after: delivered_after },
            _ => Fate::Read { delivered_after, read_after },
        };
        Ok(Accepted { platform_id: unique_id(Channel::Whatsapp, parcel.id), fate })
    }
}

/// What the operator refuses at once.
fn refused(parcel: &Parcel<'_>) -> Result<(), ApiError> {
    let refuse = |code, message: &str| Err(ApiError::new(code, message));
    match ending(parcel.to) {
        "0006" => refuse(ErrorCode::WhatsappError, "the platform operator could not take the message"),
        "0007" if !matches!(parcel.kind, "text" | "template") => {
            refuse(ErrorCode::UnsupportedType, "this recipient can only be sent text and templates")
        }
        "0008" => refuse(ErrorCode::InvalidRecipient, "the phone number is not on the business chat channel"),
        _ => Ok(()),
    }
}

/// The digits of a number that decide.
pub fn ending(number: &str) -> &str {
    number.get(number.len().saturating_sub(4)..).unwrap_or("")
}

impl Platform for Bot {
    fn hand_over(
        &self,
        work: &Work<'_>,
        conversation: &ConversationRow,
        _: &Parcel<'_>,
    ) -> Result<Accepted, ApiError> {
        let platform_id = next_in_chat(work, conversation)?;
        Ok(Accepted { platform_id, fate: Fate::Read { delivered_after: SECOND / 2, read_after: 4 * SECOND } })
    }
}

impl Platform for Sms {
    fn hand_over(
        &self,
        _: &Work<'_>,
        _: &ConversationRow,
        parcel: &Parcel<'_>,
    ) -> Result<Accepted, ApiError> {
        let fate = if ending(parcel.to) == "0009" {
            Fate::Failed { after: 2 * SECOND }
        } else {
            Fate::Delivered { after: 2 * SECOND }
        };
        Ok(Accepted { platform_id: unique_id(Channel::Voip, parcel.id), fate })
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
