//! Requests of the `/dev` switches of `serve --dev`; fields of `/dev/inbound` depend on its channel.

use serde::Deserialize;

use crate::fields::{Bounded, Filled, JsonObject, Text};

/// Request of `POST /dev/event`.
#[derive(Debug, Clone, Deserialize)]
pub struct EventBody {
    pub name: EventName,
    pub data: Option<JsonObject>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum EventName {
    #[serde(rename = "order.created")]
    Order,
    #[serde(rename = "appointment.created")]
    Appointment,
    #[serde(rename = "campaign.completed")]
    Campaign,
}

/// Request of `POST /dev/fault`.
#[derive(Debug, Clone, Deserialize)]
pub struct FaultBody {
    pub path_prefix: Filled<1024>,
    pub count: Bounded<0, 1_000_000>,
    pub method: Option<Text<16>>,
    pub status: Option<Bounded<200, 599>>,
    pub code: Option<Text<64>>,
    pub delay_ms: Option<Bounded<0, 600_000>>,
    pub drop: Option<CutWord>,
    /// In seconds.
    pub retry_after: Option<Bounded<0, 86_400>>,
}

/// Point of a request at which its connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CutWord {
    Before,
    After,
    Mid,
}

/// Request of `POST /dev/clock`.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct ClockBody {
    pub advance_seconds: f64,
}

/// Request of `POST /dev/credits`.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct CreditsBody {
    pub balance: Bounded<0, 1_000_000_000>,
}

/// Request of `POST /dev/keys/revoke`.
#[derive(Debug, Clone, Deserialize)]
pub struct RevokeBody {
    pub key: Filled<256>,
}

/// Field `channel` of `POST /dev/inbound`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelWord {
    Whatsapp,
    Telegram,
    Email,
    Voip,
}
